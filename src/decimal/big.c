// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

#include "decimal/big.h"

#include <string.h>

static void trim(sft_big* a)
{
    while (a->count > 0 && a->limbs[a->count - 1] == 0)
        --a->count;
}

void sft_big_set(sft_big* a, uint64_t value)
{
    a->limbs[0] = (uint32_t)value;
    a->limbs[1] = (uint32_t)(value >> 32);
    a->count = 2;
    trim(a);
}

void sft_big_mul_add(sft_big* a, uint32_t factor, uint32_t addend)
{
    uint64_t carry = addend;
    for (int i = 0; i < a->count; ++i)
    {
        carry += (uint64_t)a->limbs[i] * factor;
        a->limbs[i] = (uint32_t)carry;
        carry >>= 32;
    }
    if (carry != 0 && a->count < SFT_BIG_LIMBS) a->limbs[a->count++] = (uint32_t)carry;
}

void sft_big_mul_pow10(sft_big* a, int exponent)
{
    for (; exponent >= 9; exponent -= 9)
        sft_big_mul_add(a, 1000000000u, 0);
    for (; exponent > 0; --exponent)
        sft_big_mul_add(a, 10u, 0);
}

void sft_big_shift(sft_big* a, int shift)
{
    if (a->count == 0 || shift <= 0) return;
    const int words = shift / 32, bits = shift % 32;
    if (a->count + words + 1 > SFT_BIG_LIMBS) return;
    memmove(a->limbs + words, a->limbs, (size_t)a->count * sizeof a->limbs[0]);
    memset(a->limbs, 0, (size_t)words * sizeof a->limbs[0]);
    a->count += words;
    if (bits == 0) return;
    uint32_t carry = 0;
    for (int i = words; i < a->count; ++i)
    {
        const uint32_t limb = a->limbs[i];
        a->limbs[i] = (limb << bits) | carry;
        carry = limb >> (32 - bits);
    }
    if (carry != 0) a->limbs[a->count++] = carry;
}

int sft_big_bits(const sft_big* a)
{
    if (a->count == 0) return 0;
    int bits = 32 * (a->count - 1);
    for (uint32_t top = a->limbs[a->count - 1]; top != 0; top >>= 1)
        ++bits;
    return bits;
}

int sft_big_compare(const sft_big* a, const sft_big* b)
{
    if (a->count != b->count) return a->count < b->count ? -1 : 1;
    for (int i = a->count; i-- > 0;)
        if (a->limbs[i] != b->limbs[i]) return a->limbs[i] < b->limbs[i] ? -1 : 1;
    return 0;
}

void sft_big_add(sft_big* a, const sft_big* b)
{
    uint64_t carry = 0;
    const int count = a->count > b->count ? a->count : b->count;
    for (int i = 0; i < count; ++i)
    {
        carry += (i < a->count ? a->limbs[i] : 0u);
        carry += (i < b->count ? b->limbs[i] : 0u);
        a->limbs[i] = (uint32_t)carry;
        carry >>= 32;
    }
    a->count = count;
    if (carry != 0 && a->count < SFT_BIG_LIMBS) a->limbs[a->count++] = (uint32_t)carry;
}

void sft_big_subtract(sft_big* a, const sft_big* b)
{
    uint32_t borrow = 0;
    for (int i = 0; i < a->count; ++i)
    {
        const uint64_t take = (uint64_t)(i < b->count ? b->limbs[i] : 0u) + borrow;
        borrow = a->limbs[i] < take ? 1u : 0u;
        a->limbs[i] = (uint32_t)(a->limbs[i] - take);
    }
    trim(a);
}
