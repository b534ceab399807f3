// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// What every module needs and no user sees: allocation with overflow checks, a growing arena, error texts, a hash.
#ifndef SUREFOOT_CORE_H
#define SUREFOOT_CORE_H

#include <stdarg.h>
#include <string.h>

#include "surefoot/base.h"

#define SFT_COUNT_OF(a) (sizeof(a) / sizeof((a)[0]))

/// Null becomes the malloc allocator.
sft_allocator sft_core_allocator(const sft_allocator* allocator);

/// count * size bytes, zeroed; null on overflow, on exhaustion; a zero count still gives a block.
void* sft_core_alloc(const sft_allocator* allocator, size_t count, size_t size);
/// Null is fine; count and size as given to sft_core_alloc.
void sft_core_free(const sft_allocator* allocator, void* block, size_t count, size_t size);
/// Grows a block from old_count to new_count elements, keeping the first old_count; null leaves the old block alive.
void* sft_core_grow(const sft_allocator* allocator, void* block, size_t old_count, size_t new_count, size_t size);

/// Printf into a fixed buffer without locale: understands %s, %d (int), %u (unsigned), %z (size_t), %c, %g (double, six
/// significant digits, '.' always), %3f style is not known. Always ends with a zero; returns the length written.
size_t sft_core_format(char* out, size_t capacity, const char* format, ...);
size_t sft_core_vformat(char* out, size_t capacity, const char* format, va_list args);

/// Fills an error (null is fine) and hands the code back, so that a reader can `return sft_core_fail(...)`.
sft_result sft_core_fail(sft_error* error, sft_result code, uint64_t byte, uint32_t line, const char* joint,
                         const char* format, ...);

/// FNV-1a over bytes; start from SFT_HASH_SEED.
#define SFT_HASH_SEED UINT64_C(14695981039346656037)
uint64_t sft_core_hash(uint64_t hash, const void* bytes, size_t size);

/// Sorts doubles ascending, in place: heap sort, so that equal input gives equal output on every libc.
void sft_core_sort(double* values, size_t count);
/// The k-th smallest (0 based) of values, which are reordered; count > 0. Linear on average, deterministic.
double sft_core_select(double* values, size_t count, size_t k);

#endif
