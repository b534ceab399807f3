// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// Numbers of checked text, read when asked for.

#include "decimal/decimal.h"
#include "json/json_internal.h"

bool sft_json_double(const sft_json* json, sft_json_value value, double* out)
{
    if (value.kind != SFT_JSON_NUMBER) return false;
    const char* next;
    return sft_decimal_read(json->text + value.start, json->text + value.end, out, &next) == SFT_DECIMAL_OK;
}

bool sft_json_doubles(const sft_json* json, sft_json_value array, double* out, size_t count)
{
    if (array.kind != SFT_JSON_ARRAY) return false;
    size_t read = 0;
    for (sft_json_iter it = sft_json_iterate(json, array); sft_json_next(json, &it); ++read)
        if (read == count || !sft_json_double(json, it.value, out + read)) return false;
    return read == count;
}

/// magnitude * 10^exponent, the last digit of magnitude not 0 unless all of it is.
typedef struct whole
{
    uint64_t magnitude;
    int64_t exponent;
    bool negative, huge; ///< huge: the digits alone are beyond 64 bits
} whole;

static bool add_digit(whole* w, unsigned digit)
{
    if (w->magnitude > (UINT64_MAX - digit) / 10) return false;
    w->magnitude = w->magnitude * 10 + digit;
    return true;
}

static whole read_digits(const char* p, const char* end)
{
    whole w = {0};
    w.negative = *p == '-';
    if (w.negative) ++p;
    int64_t zeros = 0, decimals = 0;
    bool point = false;
    for (; p < end && (*p | 0x20) != 'e'; ++p)
    {
        if (*p == '.')
        {
            point = true;
            continue;
        }
        decimals += point;
        if (*p == '0')
        {
            // Zeros count once a digit follows them.
            zeros += w.magnitude != 0;
            continue;
        }
        for (; zeros > 0 && !w.huge; --zeros)
            w.huge = !add_digit(&w, 0);
        zeros = 0;
        w.huge = w.huge || !add_digit(&w, (unsigned)(*p - '0'));
    }
    int64_t exponent = 0;
    const bool minus = end - p > 1 && p[1] == '-';
    for (p += p < end; p < end; ++p)
        if (*p >= '0' && *p <= '9' && exponent < INT64_C(1000000000000)) exponent = 10 * exponent + (*p - '0');
    w.exponent = zeros - decimals + (minus ? -exponent : exponent);
    return w;
}

static sft_json_fit read_whole(const sft_json* json, sft_json_value value, whole* out)
{
    if (value.kind != SFT_JSON_NUMBER) return SFT_JSON_NOT_NUMBER;
    whole w = read_digits(json->text + value.start, json->text + value.end);
    if (w.magnitude == 0)
    {
        *out = (whole){0};
        return SFT_JSON_EXACT;
    }
    if (w.exponent < 0) return SFT_JSON_FRACTION;
    if (w.huge || w.exponent > 19) return SFT_JSON_OUT_OF_RANGE;
    for (; w.exponent > 0; --w.exponent)
        if (!add_digit(&w, 0)) return SFT_JSON_OUT_OF_RANGE;
    *out = w;
    return SFT_JSON_EXACT;
}

sft_json_fit sft_json_uint64(const sft_json* json, sft_json_value value, uint64_t* out)
{
    whole w;
    const sft_json_fit fit = read_whole(json, value, &w);
    if (fit != SFT_JSON_EXACT) return fit;
    if (w.negative) return SFT_JSON_OUT_OF_RANGE;
    *out = w.magnitude;
    return SFT_JSON_EXACT;
}

sft_json_fit sft_json_int64(const sft_json* json, sft_json_value value, int64_t* out)
{
    whole w;
    const sft_json_fit fit = read_whole(json, value, &w);
    if (fit != SFT_JSON_EXACT) return fit;
    if (w.magnitude > (uint64_t)INT64_MAX + w.negative) return SFT_JSON_OUT_OF_RANGE;
    // The lowest value has no positive twin.
    *out = !w.negative ? (int64_t)w.magnitude : -(int64_t)(w.magnitude - 1) - 1;
    return SFT_JSON_EXACT;
}

sft_json_fit sft_json_int32(const sft_json* json, sft_json_value value, int32_t* out)
{
    int64_t wide;
    const sft_json_fit fit = sft_json_int64(json, value, &wide);
    if (fit != SFT_JSON_EXACT) return fit;
    if (wide < INT32_MIN || wide > INT32_MAX) return SFT_JSON_OUT_OF_RANGE;
    *out = (int32_t)wide;
    return SFT_JSON_EXACT;
}
