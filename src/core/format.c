// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// Messages without printf: a host program's locale must not turn 0.5 into 0,5, and the WebAssembly build stays small.

#include "core/core.h"

#include <math.h>

typedef struct writer
{
    char* out;
    size_t capacity;
    size_t length;
} writer;

static void put(writer* w, char c)
{
    if (w->length + 1 < w->capacity) w->out[w->length++] = c;
}

static void put_text(writer* w, const char* text)
{
    for (; text != NULL && *text != '\0'; ++text)
        put(w, *text);
}

static void put_unsigned(writer* w, uint64_t value)
{
    char digits[24];
    size_t count = 0;
    do
    {
        digits[count++] = (char)('0' + (int)(value % 10));
        value /= 10;
    } while (value != 0);
    while (count > 0)
        put(w, digits[--count]);
}

static double power_of_ten(int exponent)
{
    double p = 1.0;
    for (int i = 0; i < exponent; ++i)
        p *= 10.0;
    return p;
}

// Six significant digits, trailing zeros dropped: for people, never for data.
static void put_double(writer* w, double value)
{
    if (isnan(value))
    {
        put_text(w, "nan");
        return;
    }
    if (value < 0.0)
    {
        put(w, '-');
        value = -value;
    }
    if (value > 1.7e308)
    {
        put_text(w, "inf");
        return;
    }
    int exponent = 0;
    const bool far = value >= 1e15 || (value > 0.0 && value < 1e-4);
    while (far && value >= 10.0)
    {
        value /= 10.0;
        ++exponent;
    }
    // A hair under one from repeated rounding is one to six digits.
    while (far && value < 0.9999999)
    {
        value *= 10.0;
        --exponent;
    }
    int decimals = 5;
    for (double v = value; v >= 10.0 && decimals > 0; v /= 10.0)
        --decimals;
    for (double v = value; v > 0.0 && v < 1.0; v *= 10.0)
        ++decimals;
    const double unit = power_of_ten(decimals);
    const double scaled = floor(value * unit + 0.5);
    const double whole = floor(scaled / unit);
    uint64_t fraction = (uint64_t)(scaled - whole * unit);
    put_unsigned(w, (uint64_t)whole);
    while (decimals > 0 && fraction % 10 == 0)
    {
        fraction /= 10;
        --decimals;
    }
    if (decimals > 0)
    {
        put(w, '.');
        for (uint64_t limit = (uint64_t)power_of_ten(decimals - 1); limit > fraction && limit > 1; limit /= 10)
            put(w, '0');
        put_unsigned(w, fraction);
    }
    if (exponent != 0)
    {
        put(w, 'e');
        if (exponent < 0) put(w, '-');
        put_unsigned(w, (uint64_t)(exponent < 0 ? -exponent : exponent));
    }
}

size_t sft_core_vformat(char* out, size_t capacity, const char* format, va_list args)
{
    if (capacity == 0) return 0;
    writer w = {out, capacity, 0};
    for (const char* f = format; *f != '\0'; ++f)
    {
        if (*f != '%')
        {
            put(&w, *f);
            continue;
        }
        ++f;
        if (*f == '\0') break;
        switch (*f)
        {
        case 's':
            put_text(&w, va_arg(args, const char*));
            break;
        case 'c':
            put(&w, (char)va_arg(args, int));
            break;
        case 'u':
            put_unsigned(&w, va_arg(args, unsigned));
            break;
        case 'z':
            put_unsigned(&w, va_arg(args, size_t));
            break;
        case 'g':
            put_double(&w, va_arg(args, double));
            break;
        case 'd':
        {
            const int value = va_arg(args, int);
            if (value < 0) put(&w, '-');
            put_unsigned(&w, value < 0 ? (uint64_t)(-(int64_t)value) : (uint64_t)value);
            break;
        }
        default:
            put(&w, *f);
            break;
        }
    }
    out[w.length] = '\0';
    return w.length;
}

size_t sft_core_format(char* out, size_t capacity, const char* format, ...)
{
    va_list args;
    va_start(args, format);
    const size_t length = sft_core_vformat(out, capacity, format, args);
    va_end(args);
    return length;
}

sft_result sft_core_fail(sft_error* error, sft_result code, uint64_t byte, uint32_t line, const char* joint,
                         const char* format, ...)
{
    if (error == NULL) return code;
    memset(error, 0, sizeof *error);
    error->code = code;
    error->byte = byte;
    error->line = line;
    if (joint != NULL) sft_core_format(error->joint, sizeof error->joint, "%s", joint);
    va_list args;
    va_start(args, format);
    sft_core_vformat(error->message, sizeof error->message, format, args);
    va_end(args);
    return code;
}
