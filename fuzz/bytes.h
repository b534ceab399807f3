// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// Values out of a fuzzer's bytes: zeros where they are used up.
#ifndef SUREFOOT_FUZZ_BYTES_H
#define SUREFOOT_FUZZ_BYTES_H

#include <string.h>

#include "surefoot/math.h"

typedef struct bytes
{
    const uint8_t* data;
    size_t size, at;
} bytes;

static inline void take(bytes* b, void* out, size_t size)
{
    memset(out, 0, size);
    const size_t left = b->size - b->at, n = size < left ? size : left;
    if (n > 0) memcpy(out, b->data + b->at, n);
    b->at += n;
}

static inline uint8_t take_byte(bytes* b)
{
    uint8_t x;
    take(b, &x, 1);
    return x;
}

// Mostly small numbers, now and then any bits at all.
static inline double take_number(bytes* b)
{
    const uint8_t kind = take_byte(b);
    if (kind < 250) return ((double)kind - 125.0) / 100.0;
    double any;
    take(b, &any, sizeof any);
    return any;
}

static inline sft_v3d take_v3(bytes* b)
{
    const double x = take_number(b), y = take_number(b);
    return sft_v3d_make(x, y, take_number(b));
}

#endif
