// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// Double to the fewest decimal digits that read back. Decimals of up to 15 digits all read as different doubles, so one
// of them that reads back is the only one and the shortest: the usual case, found by one multiplication and one
// division. Doubles that need 16 or 17 digits get them by a product with 128 bits of the power of ten, or by big
// integers where that is too short to tell.

#include "decimal/decimal.h"

#include <math.h>
#include <string.h>

#include "decimal/big.h"
#include "decimal/wide.h"

// digits * 10^exponent
typedef struct decimal
{
    uint64_t digits;
    int exponent;
} decimal;

static const uint64_t ten_to[20] = {UINT64_C(1),
                                    UINT64_C(10),
                                    UINT64_C(100),
                                    UINT64_C(1000),
                                    UINT64_C(10000),
                                    UINT64_C(100000),
                                    UINT64_C(1000000),
                                    UINT64_C(10000000),
                                    UINT64_C(100000000),
                                    UINT64_C(1000000000),
                                    UINT64_C(10000000000),
                                    UINT64_C(100000000000),
                                    UINT64_C(1000000000000),
                                    UINT64_C(10000000000000),
                                    UINT64_C(100000000000000),
                                    UINT64_C(1000000000000000),
                                    UINT64_C(10000000000000000),
                                    UINT64_C(100000000000000000),
                                    UINT64_C(1000000000000000000),
                                    UINT64_C(10000000000000000000)};

static bool try_decimals(double value, int decimals, decimal* out)
{
    const double scaled = value * sft_decimal_pow10[decimals];
    if (!(scaled < 1e15)) return false;
    // The product is off by less than 1/8, the number sought by less than that again: rounding cannot miss it.
    const uint64_t whole = (uint64_t)(int64_t)(scaled + 0.5);
    if ((double)(int64_t)whole / sft_decimal_pow10[decimals] != value) return false;
    *out = (decimal){whole, -decimals};
    return true;
}

// Most decimals that leave fewer than 16 digits: if those do not read back, no fewer do.
static bool print_short(double value, int* hint, decimal* out)
{
    if (value >= 1e15 || value < 1e-15) return false;
    if (*hint >= 0 && *hint <= 22 && try_decimals(value, *hint, out)) return true;
    int decimals = 0;
    while (decimals < 22 && value * sft_decimal_pow10[decimals + 1] < 1e15)
        ++decimals;
    if (!try_decimals(value, decimals, out)) return false;
    while (out->exponent < 0 && out->digits % 10 == 0)
    {
        out->digits /= 10;
        ++out->exponent;
    }
    *hint = -out->exponent;
    return true;
}

static void split(double value, uint64_t* mantissa, int* exponent)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    const int biased = (int)(bits >> 52) & 0x7ff;
    *mantissa = bits & ((UINT64_C(1) << 52) - 1);
    *exponent = biased == 0 ? -1074 : biased - 1075;
    if (biased != 0) *mantissa |= UINT64_C(1) << 52;
}

// floor(log10 of 2^e) for |e| <= 1100: 78913 / 2^18 is log10(2) to 1e-7.
static int log10_pow2(int e)
{
    const int scaled = e * 78913;
    return scaled >= 0 ? scaled >> 18 : -((-scaled + (1 << 18) - 1) >> 18);
}

// mantissa * 2^exponent * 10^k rounded to an integer below 2^63; false where the bits cut off from the power could
// decide. mantissa >= 2^52.
static bool round_scaled(uint64_t mantissa, int exponent, int k, uint64_t* out)
{
    const wide p = wide_mul_power(mantissa << 11, k);
    // The number is p * 2^-shift, p short by less than two units; p >= 2^126 and the result below 2^63.
    const int shift = -(wide_power_exponent(k) + k + 64 + exponent - 11);
    if (shift < 65 || shift > 127) return false;
    const int high = shift - 64;
    const uint64_t rest_hi = p.hi & ((UINT64_C(1) << high) - 1), half_hi = UINT64_C(1) << (high - 1);
    const bool below = rest_hi < half_hi && !(rest_hi == half_hi - 1 && p.lo >= UINT64_MAX - 2);
    const bool above = rest_hi > half_hi || (rest_hi == half_hi && p.lo > 0);
    if (!below && !above) return false;
    *out = (p.hi >> high) + (above ? 1u : 0u);
    return true;
}

// 15 to 17 digits. The interval of what reads back is symmetric, so the nearest decimal decides for its length; where
// the mantissa is a power of two the neighbour below is nearer, and the decimal above may do when the nearest does not.
static bool print_wide(double value, decimal* out)
{
    uint64_t mantissa;
    int exponent;
    split(value, &mantissa, &exponent);
    if (mantissa < (UINT64_C(1) << 52)) return false;
    int tens = log10_pow2(exponent + 52);
    for (int length = 15; length <= 17; ++length)
    {
        uint64_t digits = 0;
        int k = length - 1 - tens;
        if (k < -SFT_WIDE_POWERS || k > SFT_WIDE_POWERS || !round_scaled(mantissa, exponent, k, &digits)) return false;
        if (digits > ten_to[length])
        {
            // The estimate from the power of two was one short.
            --k;
            ++tens;
            if (k < -SFT_WIDE_POWERS || !round_scaled(mantissa, exponent, k, &digits)) return false;
        }
        *out = (decimal){digits, -k};
        if (sft_decimal_scale(digits, -k) == value) return true;
        *out = (decimal){digits + 1, -k};
        if (mantissa == (UINT64_C(1) << 52) && sft_decimal_scale(digits + 1, -k) == value) return true;
    }
    return false;
}

// What follows the first 17 digits, against half a unit of the last.
typedef enum tail
{
    TAIL_NONE,
    TAIL_BELOW,
    TAIL_HALF,
    TAIL_ABOVE
} tail;

// The first 17 digits of value, rounded down, and the power of ten of the last.
static uint64_t first_digits(double value, int* exponent, tail* rest)
{
    uint64_t mantissa;
    int binary;
    split(value, &mantissa, &binary);
    sft_big num, den;
    sft_big_set(&num, mantissa);
    sft_big_set(&den, 1);
    if (binary >= 0)
        sft_big_shift(&num, binary);
    else
        sft_big_shift(&den, -binary);
    int tens = log10_pow2(binary + 63 - wide_top_zeros(mantissa));
    if (tens >= 0)
        sft_big_mul_pow10(&den, tens);
    else
        sft_big_mul_pow10(&num, -tens);
    sft_big ten_den = den;
    sft_big_mul_add(&ten_den, 10u, 0u);
    if (sft_big_compare(&num, &ten_den) >= 0)
    {
        den = ten_den;
        ++tens;
    }
    uint64_t digits = 0;
    for (int i = 0; i < 17; ++i)
    {
        uint64_t digit = 0;
        while (sft_big_compare(&num, &den) >= 0)
        {
            sft_big_subtract(&num, &den);
            ++digit;
        }
        digits = 10 * digits + digit;
        sft_big_mul_add(&num, 10u, 0u);
    }
    // num carries one factor of ten too many: half a unit is 5 den.
    sft_big_mul_add(&den, 5u, 0u);
    const int compared = sft_big_compare(&num, &den);
    *rest = num.count == 0 ? TAIL_NONE : compared < 0 ? TAIL_BELOW : compared > 0 ? TAIL_ABOVE : TAIL_HALF;
    *exponent = tens - 16;
    return digits;
}

static bool candidate(double value, uint64_t digits, tail rest, int exponent, int length, decimal* out)
{
    const uint64_t unit = ten_to[17 - length];
    const uint64_t below = digits / unit, left = digits % unit;
    // The nearer of the two first; an exact half goes to the even one.
    bool up_first = rest == TAIL_ABOVE || (rest == TAIL_HALF && (below & 1) != 0);
    if (unit > 1) up_first = 2 * left > unit || (2 * left == unit && (rest != TAIL_NONE || (below & 1) != 0));
    const int e = exponent + 17 - length;
    for (int i = 0; i < 2; ++i)
    {
        const uint64_t d = below + ((i == 0) == up_first ? 1u : 0u);
        if (sft_decimal_scale(d, e) != value) continue;
        *out = (decimal){d, e};
        return true;
    }
    return false;
}

// Any double: if n digits are enough, so are n + 1, so bisect on the length.
static void print_big(double value, decimal* out)
{
    int exponent;
    tail rest;
    const uint64_t digits = first_digits(value, &exponent, &rest);
    int enough = 17, short_of = 0;
    candidate(value, digits, rest, exponent, enough, out);
    while (enough - short_of > 1)
    {
        const int middle = (enough + short_of) / 2;
        if (candidate(value, digits, rest, exponent, middle, out))
            enough = middle;
        else
            short_of = middle;
    }
}

static size_t put_digits(char* out, uint64_t digits)
{
    // Two at a time halves the divisions, which are what this costs.
    static const char pairs[] = "00010203040506070809101112131415161718192021222324252627282930313233343536373839"
                                "40414243444546474849505152535455565758596061626364656667686970717273747576777879"
                                "8081828384858687888990919293949596979899";
    char reversed[24];
    size_t at = sizeof reversed;
    while (digits >= 100)
    {
        const size_t pair = 2 * (size_t)(digits % 100);
        digits /= 100;
        reversed[--at] = pairs[pair + 1];
        reversed[--at] = pairs[pair];
    }
    if (digits >= 10) reversed[--at] = pairs[2 * digits + 1];
    reversed[--at] = digits >= 10 ? pairs[2 * digits] : (char)('0' + (int)digits);
    memcpy(out, reversed + at, sizeof reversed - at);
    return sizeof reversed - at;
}

// digits[0..count) with the point behind digit number `tens` (0: behind the first).
static size_t put_plain(char* out, const char* digits, int count, int tens)
{
    size_t n = 0;
    if (tens < 0)
    {
        out[n++] = '0';
        out[n++] = '.';
        for (int i = -1; i > tens; --i)
            out[n++] = '0';
        for (int i = 0; i < count; ++i)
            out[n++] = digits[i];
        return n;
    }
    const int whole = tens + 1 < count ? tens + 1 : count;
    memcpy(out, digits, (size_t)whole);
    n = (size_t)whole;
    for (int i = count; i <= tens; ++i)
        out[n++] = '0';
    if (count <= tens + 1) return n;
    out[n++] = '.';
    memcpy(out + n, digits + whole, (size_t)(count - whole));
    return n + (size_t)(count - whole);
}

static size_t put_exponent(char* out, const char* digits, int count, int tens)
{
    size_t n = 0;
    out[n++] = digits[0];
    if (count > 1) out[n++] = '.';
    for (int i = 1; i < count; ++i)
        out[n++] = digits[i];
    out[n++] = 'e';
    if (tens < 0) out[n++] = '-';
    return n + put_digits(out + n, (uint64_t)(tens < 0 ? -tens : tens));
}

static size_t put_decimal(char* out, decimal d)
{
    char digits[24];
    while (d.digits % 10 == 0)
    {
        d.digits /= 10;
        ++d.exponent;
    }
    const int count = (int)put_digits(digits, d.digits);
    const int tens = count - 1 + d.exponent;
    if (tens >= -4 && tens < 16) return put_plain(out, digits, count, tens);
    char with_exponent[SFT_DECIMAL_MAX];
    const size_t length = put_exponent(with_exponent, digits, count, tens);
    const int plain = tens < 0 ? 1 - tens + count : (tens + 1 > count ? tens + 1 : count + 1);
    if (plain <= (int)length) return put_plain(out, digits, count, tens);
    memcpy(out, with_exponent, length);
    return length;
}

size_t sft_decimal_print(char* out, double value, int* hint)
{
    size_t n = 0;
    if (signbit(value)) out[n++] = '-';
    const double magnitude = fabs(value);
    if (!(magnitude > 0.0) || isinf(magnitude))
    {
        out[n++] = '0';
        return n;
    }
    decimal d;
    if (!print_short(magnitude, hint, &d) && !print_wide(magnitude, &d)) print_big(magnitude, &d);
    return n + put_decimal(out + n, d);
}
