// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// 128-bit products and quotients from 64-bit operations: __int128 would need a run-time library on some targets.
#ifndef SUREFOOT_IO_WIDE_H
#define SUREFOOT_IO_WIDE_H

#include <stdint.h>

typedef struct wide
{
    uint64_t hi, lo;
} wide;

/// 5^k for k = 0 to 27, all that fit in 64 bits.
extern const uint64_t sft_wide_pow5[28];

/// First 128 bits of 5^k, k = index - SFT_WIDE_POWERS, times 2^wide_power_exponent(k).
#define SFT_WIDE_POWERS 64
extern const wide sft_wide_powers[2 * SFT_WIDE_POWERS + 1];

/// floor(k log2 5) - 127; 152170 / 2^16 is log2 5 to 1e-5.
static inline int wide_power_exponent(int k)
{
    const int scaled = k * 152170;
    return (scaled >= 0 ? scaled >> 16 : -((-scaled + 65535) >> 16)) - 127;
}

static inline int wide_top_zeros(uint64_t x) // x != 0
{
#if defined(__GNUC__)
    return __builtin_clzll(x);
#else
    int n = 0;
    for (; (x >> 63) == 0; x <<= 1)
        ++n;
    return n;
#endif
}

static inline wide wide_mul(uint64_t a, uint64_t b)
{
    const uint64_t a0 = a & 0xffffffffu, a1 = a >> 32, b0 = b & 0xffffffffu, b1 = b >> 32;
    const uint64_t low = a0 * b0;
    const uint64_t mid = a1 * b0 + (low >> 32);
    const uint64_t mid2 = a0 * b1 + (mid & 0xffffffffu);
    return (wide){a1 * b1 + (mid >> 32) + (mid2 >> 32), (mid2 << 32) | (low & 0xffffffffu)};
}

/// First 128 bits of a * 5^k * 2^-wide_power_exponent(k) / 2^64 for a with its top bit set: the true value is less than
/// two units above. The top bit or the one below it is set.
static inline wide wide_mul_power(uint64_t a, int k)
{
    const wide power = sft_wide_powers[k + SFT_WIDE_POWERS];
    wide p = wide_mul(a, power.hi);
    const uint64_t carry = wide_mul(a, power.lo).hi;
    p.lo += carry;
    p.hi += p.lo < carry ? 1u : 0u;
    return p;
}

/// (hi:lo) / d for hi < d and d with its top bit set; *rest gets the remainder. Knuth's algorithm D with 32-bit digits.
static inline uint64_t wide_div(uint64_t hi, uint64_t lo, uint64_t d, uint64_t* rest)
{
    const uint64_t d1 = d >> 32, d0 = d & 0xffffffffu;
    const uint64_t l1 = lo >> 32, l0 = lo & 0xffffffffu;
    uint64_t q1 = hi / d1, r = hi % d1;
    while (q1 >> 32 != 0 || q1 * d0 > ((r << 32) | l1))
    {
        --q1;
        r += d1;
        if (r >> 32 != 0) break;
    }
    const uint64_t mid = ((hi << 32) | l1) - q1 * d;
    uint64_t q0 = mid / d1;
    r = mid % d1;
    while (q0 >> 32 != 0 || q0 * d0 > ((r << 32) | l0))
    {
        --q0;
        r += d1;
        if (r >> 32 != 0) break;
    }
    *rest = ((mid << 32) | l0) - q0 * d;
    return (q1 << 32) + q0;
}

#endif
