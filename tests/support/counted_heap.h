// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// The heap, its calls counted, where CMake wraps them (the linker can on Linux). For one source of a test program.
#ifndef SUREFOOT_SUPPORT_COUNTED_HEAP_H
#define SUREFOOT_SUPPORT_COUNTED_HEAP_H

#include <stddef.h>

#ifdef SFT_WRAPPED_HEAP
static long heap_calls;
void* __real_malloc(size_t size);
void* __real_calloc(size_t count, size_t size);
void* __real_realloc(void* block, size_t size);
void* __wrap_malloc(size_t size);
void* __wrap_calloc(size_t count, size_t size);
void* __wrap_realloc(void* block, size_t size);

void* __wrap_malloc(size_t size)
{
    ++heap_calls;
    return __real_malloc(size);
}

void* __wrap_calloc(size_t count, size_t size)
{
    ++heap_calls;
    return __real_calloc(count, size);
}

void* __wrap_realloc(void* block, size_t size)
{
    ++heap_calls;
    return __real_realloc(block, size);
}
#endif

#endif
