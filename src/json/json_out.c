// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// Text of values, written so that it reads back.

#include <math.h>

#include "decimal/decimal.h"
#include "json/json_internal.h"

void sft_json_out_free(sft_json_out* out)
{
    sft_core_free(out->allocator, out->data, out->capacity, 1);
    *out = (sft_json_out){.allocator = out->allocator};
}

static bool reserve(sft_json_out* out, size_t more)
{
    if (out->failed) return false;
    if (more <= out->capacity - out->size) return true;
    size_t capacity = out->capacity < 128 ? 256 : out->capacity * 2;
    if (capacity < out->size + more) capacity = out->size + more;
    char* grown = sft_core_grow(out->allocator, out->data, out->capacity, capacity, 1);
    out->failed = grown == NULL;
    if (grown == NULL) return false;
    out->data = grown;
    out->capacity = capacity;
    return true;
}

void sft_json_out_bytes(sft_json_out* out, const char* bytes, size_t size)
{
    if (size == 0 || !reserve(out, size)) return;
    memcpy(out->data + out->size, bytes, size);
    out->size += size;
}

void sft_json_out_text(sft_json_out* out, const char* text)
{
    sft_json_out_bytes(out, text, strlen(text));
}

static void put_control(sft_json_out* out, unsigned char c)
{
    static const char hex[] = "0123456789abcdef";
    const char* known = "\b\f\n\r\t";
    const char* at = c != 0 ? strchr(known, c) : NULL;
    if (at != NULL)
    {
        const char escape[2] = {'\\', "bfnrt"[at - known]};
        sft_json_out_bytes(out, escape, 2);
        return;
    }
    const char escape[6] = {'\\', 'u', '0', '0', hex[c >> 4], hex[c & 15]};
    sft_json_out_bytes(out, escape, 6);
}

void sft_json_out_string(sft_json_out* out, const char* text, size_t length)
{
    const unsigned char* p = (const unsigned char*)text;
    const unsigned char* end = p + length;
    sft_json_out_text(out, "\"");
    while (p < end)
    {
        const unsigned char* plain = p;
        while (p < end && *p >= 0x20 && *p < 0x80 && *p != '"' && *p != '\\')
            ++p;
        sft_json_out_bytes(out, (const char*)plain, (size_t)(p - plain));
        if (p == end) break;
        const size_t bytes = sft_json_utf8_length(p, end);
        if (*p < 0x20)
            put_control(out, *p);
        else if (*p < 0x80)
        {
            const char escape[2] = {'\\', (char)*p};
            sft_json_out_bytes(out, escape, 2);
        }
        else if (bytes > 0)
            sft_json_out_bytes(out, (const char*)p, bytes);
        else
            sft_json_out_text(out, "\xEF\xBF\xBD");
        p += bytes > 0 ? bytes : 1;
    }
    sft_json_out_text(out, "\"");
}

void sft_json_out_double(sft_json_out* out, double value)
{
    char text[SFT_DECIMAL_MAX];
    int hint = 0;
    sft_json_out_bytes(out, text, sft_decimal_print(text, isfinite(value) ? value : 0.0, &hint));
}

static double float_of(uint32_t bits)
{
    float value;
    memcpy(&value, &bits, sizeof value);
    return (double)value;
}

// Half way between two floats lies a double that narrows to one of them or the other: no text for it is safe.
static bool reads_back(double text, float magnitude)
{
    const double exact = (double)magnitude;
    if ((float)text != magnitude) return false;
    uint32_t bits;
    memcpy(&bits, &magnitude, sizeof bits);
    const double beside = float_of(text > exact ? bits + 1 : bits - 1);
    return text == exact || text != (exact + beside) / 2.0;
}

// floor(log10) of a positive double.
static int decimal_exponent(double magnitude)
{
    uint64_t bits;
    memcpy(&bits, &magnitude, sizeof bits);
    const int binary = (int)(bits >> 52) - 1023;
    const int guess = (int)floor(binary * 0.30102999566398120);
    return magnitude >= sft_decimal_scale(1, guess + 1) ? guess + 1 : guess;
}

// The nearest decimal of so many significant digits.
static double shorten(double magnitude, int exponent, int digits)
{
    // magnitude lies in [10^exponent, 10^(exponent + 1)); the product below 10^9 is exact far beyond its rounding.
    const int shift = digits - 1 - exponent;
    const double scaled =
        shift >= 0 ? magnitude * sft_decimal_scale(1, shift) : magnitude / sft_decimal_scale(1, -shift);
    return sft_decimal_scale((uint64_t)(scaled + 0.5), -shift);
}

void sft_json_out_float(sft_json_out* out, float value)
{
    const double exact = (double)value;
    if (!isfinite(value) || value == 0.0f)
    {
        sft_json_out_double(out, exact);
        return;
    }
    const double magnitude = fabs(exact);
    const int exponent = decimal_exponent(magnitude);
    // Normal floats lie closer than six digits can tell, so a shorter text is found at six, its zeros dropped.
    int digits = magnitude < 1.2e-38 ? 1 : 6;
    double text = shorten(magnitude, exponent, digits);
    while (digits < 9 && !reads_back(text, fabsf(value)))
        text = shorten(magnitude, exponent, ++digits);
    sft_json_out_double(out, value < 0.0f ? -text : text);
}

void sft_json_out_uint64(sft_json_out* out, uint64_t value)
{
    char digits[20];
    size_t count = 0;
    do
    {
        digits[sizeof digits - ++count] = (char)('0' + (int)(value % 10));
        value /= 10;
    } while (value != 0);
    sft_json_out_bytes(out, digits + sizeof digits - count, count);
}

void sft_json_out_int64(sft_json_out* out, int64_t value)
{
    if (value < 0) sft_json_out_text(out, "-");
    sft_json_out_uint64(out, value < 0 ? UINT64_C(0) - (uint64_t)value : (uint64_t)value);
}
