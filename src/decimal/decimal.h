// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// Decimal text to double and back, correctly rounded both ways, the same on every libc and under every locale.
#ifndef SUREFOOT_IO_DECIMAL_H
#define SUREFOOT_IO_DECIMAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// Longest text sft_decimal_print() writes: sign, 17 digits, point, leading zeros or an exponent.
#define SFT_DECIMAL_MAX 32

/// Powers of ten that a double holds exactly.
extern const double sft_decimal_pow10[23];

typedef enum sft_decimal_status
{
    SFT_DECIMAL_OK = 0,
    SFT_DECIMAL_NONE = 1, ///< no number starts here
    SFT_DECIMAL_CUT = 2,  ///< the text ends inside the number ("-", "1e", "1e-")
    SFT_DECIMAL_HUGE = 3, ///< beyond the largest double
    SFT_DECIMAL_WORD = 4  ///< nan, inf and their kin
} sft_decimal_status;

/// Reads the number at `text`, at most up to `end`: sign, digits with an optional point, optional exponent. *next is
/// the first byte behind it (untouched unless OK). Correctly rounded (half to even) for any number of digits; too
/// small becomes a zero of the same sign. Pure.
sft_decimal_status sft_decimal_read(const char* text, const char* end, double* value, const char** next);

/// digits * 10^exponent, correctly rounded; digits < 10^19. Infinity where it is beyond a double. Pure.
double sft_decimal_scale(uint64_t digits, int exponent);

/// Fewest digits that read back to the same double, nearest to it among those; finite values only (others are written
/// as 0). Plain notation from 1e-4 up to 1e16; outside, whichever of plain and exponent is shorter. Writes at most
/// SFT_DECIMAL_MAX bytes, no closing zero, and returns how many. *hint carries a guess of the number of decimals from
/// one call to the next (start with 0): it only saves time. Pure.
size_t sft_decimal_print(char* out, double value, int* hint);

#endif
