// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

#if defined(__linux__) && !defined(SFT_NO_LARGE_PAGES)
#define _DEFAULT_SOURCE // madvise
#endif

#include "core/core.h"

#include <stdlib.h>

#if defined(__linux__) && !defined(SFT_NO_LARGE_PAGES)
#include <sys/mman.h>
#endif

uint32_t sft_version(void)
{
    return SFT_VERSION_MAJOR * 10000u + SFT_VERSION_MINOR * 100u + SFT_VERSION_PATCH;
}

const char* sft_result_string(sft_result result)
{
    switch (result)
    {
    case SFT_OK:
        return "ok";
    case SFT_ERR_ARG:
        return "bad argument";
    case SFT_ERR_DEF:
        return "bad settings";
    case SFT_ERR_RANGE:
        return "value out of range";
    case SFT_ERR_MEMORY:
        return "out of memory";
    case SFT_ERR_SYNTAX:
        return "malformed input";
    case SFT_ERR_UNSUPPORTED:
        return "unsupported";
    case SFT_ERR_LIMIT:
        return "beyond a limit";
    case SFT_ERR_IO:
        return "file system error";
    }
    return "unknown result";
}

// A clip is tens of megabytes, touched once or twice: with pages of 4 KiB, half the time of a whole `clean` went into
// faults. Where the system grants large pages on request, ask for the whole ones within a fresh block.
static void* with_large_pages(void* block, size_t size)
{
#if defined(MADV_HUGEPAGE) && !defined(SFT_NO_LARGE_PAGES)
    const uintptr_t page = (uintptr_t)2 << 20;
    if (block != NULL && size >= 2 * page)
    {
        const uintptr_t first = ((uintptr_t)block + page - 1) / page * page;
        const uintptr_t last = ((uintptr_t)block + size) / page * page;
        (void)madvise((void*)first, last - first, MADV_HUGEPAGE);
    }
#else
    (void)size;
#endif
    return block;
}

static void* heap_allocate(void* user, size_t size)
{
    (void)user;
    return with_large_pages(malloc(size), size);
}

static void heap_release(void* user, void* block, size_t size)
{
    (void)user;
    (void)size;
    free(block);
}

sft_allocator sft_core_allocator(const sft_allocator* allocator)
{
    if (allocator != NULL) return *allocator;
    return (sft_allocator){heap_allocate, heap_release, NULL};
}

// A block of no bytes would be null with some allocators, and null means exhausted: ask for one byte instead.
static size_t block_size(size_t count, size_t size)
{
    if (size != 0 && count > SIZE_MAX / 2 / size) return 0;
    const size_t total = count * size;
    return total == 0 ? 1 : total;
}

void* sft_core_alloc(const sft_allocator* allocator, size_t count, size_t size)
{
    const sft_allocator a = sft_core_allocator(allocator);
    const size_t total = block_size(count, size);
    if (total == 0) return NULL;
    // The system hands out large blocks zeroed already; clearing them again would touch every page once more.
    if (a.allocate == heap_allocate) return with_large_pages(calloc(1, total), total);
    void* block = a.allocate(a.user, total);
    if (block != NULL) memset(block, 0, total);
    return block;
}

void sft_core_free(const sft_allocator* allocator, void* block, size_t count, size_t size)
{
    if (block == NULL) return;
    const sft_allocator a = sft_core_allocator(allocator);
    a.release(a.user, block, block_size(count, size));
}

void* sft_core_grow(const sft_allocator* allocator, void* block, size_t old_count, size_t new_count, size_t size)
{
    const sft_allocator a = sft_core_allocator(allocator);
    const size_t total = block_size(new_count, size);
    if (total == 0) return NULL;
    void* grown = a.allocate(a.user, total);
    if (grown == NULL) return NULL;
    const size_t kept = old_count * size;
    if (kept != 0) memcpy(grown, block, kept);
    memset((char*)grown + kept, 0, total - kept);
    sft_core_free(allocator, block, old_count, size);
    return grown;
}

uint64_t sft_core_hash(uint64_t hash, const void* bytes, size_t size)
{
    const unsigned char* p = (const unsigned char*)bytes;
    for (size_t i = 0; i < size; ++i)
    {
        hash ^= p[i];
        hash *= UINT64_C(1099511628211);
    }
    return hash;
}

static void sift_down(double* values, size_t start, size_t count)
{
    size_t root = start;
    for (;;)
    {
        size_t child = 2 * root + 1;
        if (child >= count) return;
        if (child + 1 < count && values[child] < values[child + 1]) ++child;
        if (!(values[root] < values[child])) return;
        const double swap = values[root];
        values[root] = values[child];
        values[child] = swap;
        root = child;
    }
}

void sft_core_sort(double* values, size_t count)
{
    for (size_t i = count / 2; i-- > 0;)
        sift_down(values, i, count);
    for (size_t end = count; end-- > 1;)
    {
        const double swap = values[0];
        values[0] = values[end];
        values[end] = swap;
        sift_down(values, 0, end);
    }
}

double sft_core_select(double* values, size_t count, size_t k)
{
    size_t lo = 0, hi = count - 1;
    while (lo < hi)
    {
        // Middle element as pivot: sorted and constant runs, the usual inputs, stay linear.
        const double pivot = values[lo + (hi - lo) / 2];
        size_t i = lo, j = hi;
        for (;;)
        {
            while (values[i] < pivot)
                ++i;
            while (pivot < values[j])
                --j;
            if (i >= j) break;
            const double swap = values[i];
            values[i] = values[j];
            values[j] = swap;
            ++i;
            --j;
        }
        // Elements up to j are <= pivot, those after it >= pivot.
        if (j == hi) --j;
        if (k <= j)
            hi = j;
        else
            lo = j + 1;
    }
    return values[k];
}
