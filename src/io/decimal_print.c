// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// Double to the fewest decimal digits that read back. Decimals of up to 15 digits all read as different doubles, so one
// of them that reads back is the only one and the shortest: the usual case, found by one multiplication and one
// division. Doubles that need 16 or 17 digits get them exactly by a 128-bit product, or by big integers where the
// power of ten is too large for that.

#include "io/decimal.h"

#include <math.h>
#include <string.h>

#include "io/big.h"
#include "io/wide.h"

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
    // The product is off by less than 1/8, the number sought by less than that again: floor cannot miss it.
    const double whole = floor(scaled + 0.5);
    if (whole / sft_decimal_pow10[decimals] != value) return false;
    *out = (decimal){(uint64_t)whole, -decimals};
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

// mantissa * 2^exponent * 10^k rounded to an integer, half to even; the result fits in 63 bits.
static uint64_t round_scaled(uint64_t mantissa, int exponent, int k)
{
    const wide p = wide_mul(mantissa, sft_wide_pow5[k]);
    const int shift = -(exponent + k);
    if (shift <= 0) return p.lo << -shift;
    if (shift > 127) return 0;
    uint64_t whole, rest_hi, rest_lo, half_hi, half_lo;
    if (shift >= 64)
    {
        whole = shift == 64 ? p.hi : p.hi >> (shift - 64);
        rest_hi = shift == 64 ? 0 : p.hi & ((UINT64_C(1) << (shift - 64)) - 1);
        rest_lo = p.lo;
        half_hi = shift == 64 ? 0 : UINT64_C(1) << (shift - 65);
        half_lo = shift == 64 ? UINT64_C(1) << 63 : 0;
    }
    else
    {
        whole = (p.hi << (64 - shift)) | (p.lo >> shift);
        rest_hi = 0;
        rest_lo = p.lo & ((UINT64_C(1) << shift) - 1);
        half_hi = 0;
        half_lo = UINT64_C(1) << (shift - 1);
    }
    const bool over = rest_hi > half_hi || (rest_hi == half_hi && rest_lo > half_lo);
    const bool tie = rest_hi == half_hi && rest_lo == half_lo;
    return whole + ((over || (tie && (whole & 1) != 0)) ? 1u : 0u);
}

// 15 to 17 digits where the power of ten fits in a word. The interval of what reads back is symmetric unless the
// mantissa is a power of two (then the neighbour below is nearer), so the nearest decimal decides for its length.
static bool print_wide(double value, decimal* out)
{
    uint64_t mantissa;
    int exponent;
    split(value, &mantissa, &exponent);
    if (mantissa <= (UINT64_C(1) << 52)) return false;
    int tens = log10_pow2(exponent + 52);
    for (int length = 15; length <= 17; ++length)
    {
        int k = length - 1 - tens;
        if (k < 0 || k > 27) return false;
        uint64_t digits = round_scaled(mantissa, exponent, k);
        if (digits > ten_to[length])
        {
            // The estimate from the power of two was one short.
            ++tens;
            --k;
            if (k < 0) return false;
            digits = round_scaled(mantissa, exponent, k);
        }
        if (sft_decimal_scale(digits, -k) == value)
        {
            *out = (decimal){digits, -k};
            return true;
        }
    }
    return false;
}

// The first 17 digits of value, rounded down, and the power of ten of the last; *above_half: what follows is more than
// half a unit.
static uint64_t first_digits(double value, int* exponent, bool* above_half)
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
    *above_half = sft_big_compare(&num, &den) > 0;
    *exponent = tens - 16;
    return digits;
}

static bool candidate(double value, uint64_t digits, int exponent, int length, decimal* out)
{
    const uint64_t unit = ten_to[17 - length];
    const uint64_t below = digits / unit, rest = digits % unit;
    const bool up_first = 2 * rest >= unit;
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
    bool above_half;
    const uint64_t digits = first_digits(value, &exponent, &above_half);
    const uint64_t nearest = digits + (above_half ? 1u : 0u);
    *out = (decimal){nearest, exponent};
    if (sft_decimal_scale(nearest, exponent) != value) *out = (decimal){above_half ? digits : digits + 1, exponent};
    int enough = 17, short_of = 0;
    while (enough - short_of > 1)
    {
        const int middle = (enough + short_of) / 2;
        if (candidate(value, digits, exponent, middle, out))
            enough = middle;
        else
            short_of = middle;
    }
}

static size_t put_digits(char* out, uint64_t digits)
{
    char reversed[24];
    size_t count = 0;
    do
    {
        reversed[count++] = (char)('0' + (int)(digits % 10));
        digits /= 10;
    } while (digits != 0);
    for (size_t i = 0; i < count; ++i)
        out[i] = reversed[count - 1 - i];
    return count;
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
    for (int i = 0; i < count || i <= tens; ++i)
    {
        if (i == tens + 1) out[n++] = '.';
        out[n++] = i < count ? digits[i] : '0';
    }
    return n;
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
