// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// Decimal to double, correctly rounded. Four ways, each exact where it answers:
//  1. digits < 2^53 and |exponent| <= 22: both sides are doubles, so one IEEE operation rounds once (Clinger 1990);
//  2. up to 19 digits and |exponent| <= 64: a product with the first 128 bits of the power of five, unless what was cut
//     off could decide the rounding (after Clinger 1990 and Lemire 2021, with the error bound worked out in wide.h);
//  3. up to 19 digits and |exponent| <= 27: 5^27 fits in 64 bits, so a 128-bit product or quotient holds every bit;
//  4. the rest by long division of big integers, bit by bit. 800 digits decide any case: no double and no midpoint of
//     two has more than 768, so what follows counts only as "more than".
// Numbers of more than 19 digits first try their 19-digit neighbours: if both round alike, so does what lies between.

#include "decimal/decimal.h"

#include <math.h>
#include <string.h>

#include "decimal/big.h"
#include "decimal/wide.h"

#define MAX_DIGITS 800

const double sft_decimal_pow10[23] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                                      1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};

const uint64_t sft_wide_pow5[28] = {UINT64_C(1),
                                    UINT64_C(5),
                                    UINT64_C(25),
                                    UINT64_C(125),
                                    UINT64_C(625),
                                    UINT64_C(3125),
                                    UINT64_C(15625),
                                    UINT64_C(78125),
                                    UINT64_C(390625),
                                    UINT64_C(1953125),
                                    UINT64_C(9765625),
                                    UINT64_C(48828125),
                                    UINT64_C(244140625),
                                    UINT64_C(1220703125),
                                    UINT64_C(6103515625),
                                    UINT64_C(30517578125),
                                    UINT64_C(152587890625),
                                    UINT64_C(762939453125),
                                    UINT64_C(3814697265625),
                                    UINT64_C(19073486328125),
                                    UINT64_C(95367431640625),
                                    UINT64_C(476837158203125),
                                    UINT64_C(2384185791015625),
                                    UINT64_C(11920928955078125),
                                    UINT64_C(59604644775390625),
                                    UINT64_C(298023223876953125),
                                    UINT64_C(1490116119384765625),
                                    UINT64_C(7450580596923828125)};

// top * 2^exponent with the top bit of `top` set; `sticky` says that something follows below its last bit.
static double assemble(uint64_t top, bool sticky, int exponent)
{
    const int scale = exponent + 63;
    if (scale > 1023) return (double)INFINITY;
    // A double keeps 53 of the 64 bits, a subnormal fewer.
    const int drop = scale < -1022 ? 11 + (-1022 - scale) : 11;
    if (drop > 64) return 0.0;
    uint64_t kept = drop == 64 ? 0 : top >> drop;
    const uint64_t rest = drop == 64 ? top : top & ((UINT64_C(1) << drop) - 1);
    const uint64_t half = UINT64_C(1) << (drop - 1);
    if (rest > half || (rest == half && (sticky || (kept & 1) != 0))) ++kept;
    // A carry out of the mantissa steps the exponent by itself, up to infinity.
    const uint64_t bits = scale < -1022 ? kept : ((uint64_t)(scale + 1022) << 52) + kept;
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

// digits * 10^exponent by long division; digits != 0. Changes *num.
static double scale_big(sft_big* num, int exponent)
{
    sft_big den;
    sft_big_set(&den, 1);
    if (exponent >= 0)
        sft_big_mul_pow10(num, exponent);
    else
        sft_big_mul_pow10(&den, -exponent);
    int shift = sft_big_bits(&den) - sft_big_bits(num);
    if (shift > 0)
        sft_big_shift(num, shift);
    else
        sft_big_shift(&den, -shift);
    if (sft_big_compare(num, &den) < 0)
    {
        sft_big_shift(num, 1);
        ++shift;
    }
    // Now 1 <= num/den < 2 and the number is that times 2^-shift.
    uint64_t top = 0;
    for (int bit = 0; bit < 64; ++bit)
    {
        top <<= 1;
        if (sft_big_compare(num, &den) >= 0)
        {
            sft_big_subtract(num, &den);
            top |= 1;
        }
        sft_big_shift(num, 1);
    }
    return assemble(top, num->count != 0, -shift - 63);
}

static double scale_wide(uint64_t digits, int exponent)
{
    const int zeros = wide_top_zeros(digits);
    if (exponent >= 0)
    {
        wide p = wide_mul(digits, sft_wide_pow5[exponent]);
        if (p.hi == 0) return assemble(p.lo << wide_top_zeros(p.lo), false, exponent - wide_top_zeros(p.lo));
        const int z = wide_top_zeros(p.hi);
        if (z > 0) p = (wide){(p.hi << z) | (p.lo >> (64 - z)), p.lo << z};
        return assemble(p.hi, p.lo != 0, exponent + 64 - z);
    }
    const uint64_t five = sft_wide_pow5[-exponent];
    const int five_zeros = wide_top_zeros(five);
    const uint64_t n = digits << zeros, d = five << five_zeros;
    uint64_t rest;
    if (n < d)
    {
        const uint64_t q = wide_div(n, 0, d, &rest);
        return assemble(q, rest != 0, exponent + five_zeros - zeros - 64);
    }
    const uint64_t q = wide_div(n >> 1, n << 63, d, &rest);
    return assemble(q, rest != 0, exponent + five_zeros - zeros - 63);
}

// False where the bits cut off from the power could decide, and for subnormals.
static bool scale_near(uint64_t digits, int exponent, double* value)
{
    const int zeros = wide_top_zeros(digits);
    wide p = wide_mul_power(digits << zeros, exponent);
    int binary = wide_power_exponent(exponent) + exponent - zeros + 128;
    if (p.hi >> 63 == 0)
    {
        p = (wide){(p.hi << 1) | (p.lo >> 63), p.lo << 1};
        --binary;
    }
    // The truth lies less than four units of p.lo above. Only at a midpoint does that matter: 11 bits of p.hi are
    // dropped, and half of their unit is 1024.
    const uint64_t rest = p.hi & 2047;
    if ((rest == 1023 && p.lo >= UINT64_MAX - 4) || (rest == 1024 && p.lo == 0)) return false;
    if (binary + 63 < -1022) return false;
    *value = assemble(p.hi, p.lo != 0, binary);
    return true;
}

double sft_decimal_scale(uint64_t digits, int exponent)
{
    if (digits == 0) return 0.0;
    if (digits <= (UINT64_C(1) << 53))
    {
        if (exponent >= 0 && exponent <= 22) return (double)digits * sft_decimal_pow10[exponent];
        if (exponent < 0 && exponent >= -22) return (double)digits / sft_decimal_pow10[-exponent];
    }
    double value;
    if (exponent >= -SFT_WIDE_POWERS && exponent <= SFT_WIDE_POWERS && scale_near(digits, exponent, &value))
        return value;
    if (exponent >= -27 && exponent <= 27) return scale_wide(digits, exponent);
    if (exponent > 310) return (double)INFINITY;
    if (exponent < -345) return 0.0;
    sft_big num;
    sft_big_set(&num, digits);
    return scale_big(&num, exponent);
}

// Where the digits of a number stand, so that the exact way can walk over them again.
typedef struct literal
{
    const char* digits; ///< first significant digit
    const char* end;    ///< behind the last digit
    int64_t count;      ///< significant digits, the point not counted
    int64_t exponent;   ///< power of ten of the last digit
    uint64_t head;      ///< the first 19 of them
} literal;

static double literal_value(const literal* number)
{
    if (number->count == 0) return 0.0;
    const int64_t scale = number->count + number->exponent;
    if (scale > 310) return (double)INFINITY;
    if (scale < -325) return 0.0;
    if (number->count <= 19) return sft_decimal_scale(number->head, (int)number->exponent);
    const int head_exponent = (int)(scale - 19);
    const double below = sft_decimal_scale(number->head, head_exponent);
    const double above = sft_decimal_scale(number->head + 1, head_exponent);
    if (below == above) return below;
    sft_big num;
    sft_big_set(&num, 0);
    int taken = 0;
    bool more = false;
    for (const char* p = number->digits; p < number->end; ++p)
    {
        if (*p == '.') continue;
        if (taken < MAX_DIGITS)
        {
            // A zero number has no limbs for mul_add to work on, but the first digit here is never 0.
            if (taken == 0)
                sft_big_set(&num, (uint64_t)(*p - '0'));
            else
                sft_big_mul_add(&num, 10u, (uint32_t)(*p - '0'));
            ++taken;
        }
        else if (*p != '0')
            more = true;
    }
    if (more)
    {
        sft_big_mul_add(&num, 10u, 1u);
        ++taken;
    }
    return scale_big(&num, (int)(scale - taken));
}

static bool is_digit(const char* p, const char* end)
{
    return p < end && *p >= '0' && *p <= '9';
}

static bool same_letter(char c, char lower)
{
    return (c | 0x20) == lower;
}

// Digits and point; false where there is not one digit.
static bool read_mantissa(const char** cursor, const char* end, literal* number)
{
    const char* p = *cursor;
    bool point = false, any = false;
    int64_t decimals = 0;
    *number = (literal){0};
    for (; p < end; ++p)
    {
        if (*p == '.' && !point)
        {
            point = true;
            continue;
        }
        if (*p < '0' || *p > '9') break;
        any = true;
        decimals += point;
        if (number->count == 0 && *p == '0') continue;
        if (number->count == 0) number->digits = p;
        if (number->count < 19) number->head = 10 * number->head + (uint64_t)(*p - '0');
        ++number->count;
    }
    number->end = p;
    number->exponent = -decimals;
    *cursor = p;
    return any;
}

static sft_decimal_status read_exponent(const char** cursor, const char* end, int64_t* exponent)
{
    const char* p = *cursor + 1;
    const bool negative = p < end && *p == '-';
    if (p < end && (*p == '-' || *p == '+')) ++p;
    if (p == end) return SFT_DECIMAL_CUT;
    if (!is_digit(p, end)) return SFT_DECIMAL_NONE;
    int64_t value = 0;
    for (; is_digit(p, end); ++p)
        // Any text that fits in memory has fewer digits than this, so clamping cannot change the answer.
        if (value < INT64_C(1000000000000000)) value = 10 * value + (*p - '0');
    *exponent += negative ? -value : value;
    *cursor = p;
    return SFT_DECIMAL_OK;
}

static bool starts_word(const char* p, const char* end)
{
    if (end - p < 3) return false;
    return (same_letter(p[0], 'n') && same_letter(p[1], 'a') && same_letter(p[2], 'n')) ||
           (same_letter(p[0], 'i') && same_letter(p[1], 'n') && (same_letter(p[2], 'f') || same_letter(p[2], 'd')));
}

sft_decimal_status sft_decimal_read(const char* text, const char* end, double* value, const char** next)
{
    const char* p = text;
    if (p >= end) return SFT_DECIMAL_NONE;
    const bool negative = *p == '-';
    if (*p == '-' || *p == '+') ++p;
    if (p == end) return SFT_DECIMAL_CUT;
    if (starts_word(p, end)) return SFT_DECIMAL_WORD;
    literal number;
    if (!read_mantissa(&p, end, &number)) return p == end ? SFT_DECIMAL_CUT : SFT_DECIMAL_NONE;
    // The old Microsoft run-time writes 1.#QNAN, -1.#IND, 1.#INF.
    if (p < end && *p == '#') return SFT_DECIMAL_WORD;
    if (p < end && same_letter(*p, 'e'))
    {
        const sft_decimal_status status = read_exponent(&p, end, &number.exponent);
        if (status != SFT_DECIMAL_OK) return status;
    }
    const double magnitude = literal_value(&number);
    if (isinf(magnitude)) return SFT_DECIMAL_HUGE;
    *value = negative ? -magnitude : magnitude;
    *next = p;
    return SFT_DECIMAL_OK;
}
