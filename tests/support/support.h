// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// What tests share. Include this instead of cmocka.h: it brings the headers cmocka wants in their order.
#ifndef SUREFOOT_SUPPORT_H
#define SUREFOOT_SUPPORT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "surefoot/surefoot.h"

/// How many of `n` drawn cases a bulk test looks at: all of them, but an eighth at -O0. Unoptimised code takes ten
/// times as long over them and computes the same bits, which the golden hashes hold for every compiler and level.
#ifdef __OPTIMIZE__
#define SUPPORT_BULK(n) (n)
#else
#define SUPPORT_BULK(n) ((n) / 8)
#endif

/// An allocator that counts, checks sizes on release, and fails from the given call on.
typedef struct support_heap
{
    long calls;   ///< allocations asked for so far
    long fail_at; ///< the allocation with this number (from 0) fails, and all after it; -1: never
    long live_blocks;
    size_t live_bytes;
    size_t peak_bytes;
} support_heap;

/// Allocator over *heap, which must outlive it. Each block carries its size, so a release with another size aborts.
sft_allocator support_allocator(support_heap* heap);

/// Path of a file in the optional data folder (SFT_DATA, else ../shared/data beside the checkout) into out; false, with
/// a line saying SKIP and why, where it is absent.
bool support_data(const char* relative, char* out, size_t capacity);

/// Seeded random numbers, the same everywhere.
typedef struct support_rng
{
    uint64_t state;
} support_rng;
double support_uniform(support_rng* rng, double lo, double hi);

/// A clip of the same numbers; the caller destroys it.
sft_clip* support_copy_clip(const sft_clip* clip);

#endif
