// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// Unsigned integers of up to 4608 bits on the stack: just enough for the exact, slow side of decimal conversion.
#ifndef SUREFOOT_IO_BIG_H
#define SUREFOOT_IO_BIG_H

#include <stdbool.h>
#include <stdint.h>

// 10^1124 (800 digits behind the smallest double) takes 3734 bits; 144 limbs leave room for shifts by a word.
#define SFT_BIG_LIMBS 144

typedef struct sft_big
{
    int count; ///< limbs in use; 0 is the number zero
    uint32_t limbs[SFT_BIG_LIMBS];
} sft_big;

void sft_big_set(sft_big* a, uint64_t value);
/// a = a * factor + addend
void sft_big_mul_add(sft_big* a, uint32_t factor, uint32_t addend);
/// a = a * 10^exponent
void sft_big_mul_pow10(sft_big* a, int exponent);
/// a = a * 2^shift
void sft_big_shift(sft_big* a, int shift);
int sft_big_bits(const sft_big* a);
/// -1, 0 or 1
int sft_big_compare(const sft_big* a, const sft_big* b);
/// a = a + b
void sft_big_add(sft_big* a, const sft_big* b);
/// a = a - b; a >= b
void sft_big_subtract(sft_big* a, const sft_big* b);

#endif
