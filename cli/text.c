// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// Messages, numbers and growing text.

#include "cli.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool progress_shown;

static void wipe_progress(void)
{
    if (progress_shown) fputs("\r\033[K", stderr);
    progress_shown = false;
}

// A message is one line, and what it lists is indented: whatever a name holds, it begins no line that looks like ours.
static void put_message(const char* prefix, char* message)
{
    wipe_progress();
    fputs(prefix, stderr);
    for (char* line = message; line != NULL;)
    {
        char* end = strchr(line, '\n');
        if (end != NULL) *end = '\0';
        if (line != message) fputs(*line == ' ' ? "\n" : "\n  ", stderr);
        cli_put_safe(stderr, line);
        line = end != NULL ? end + 1 : NULL;
    }
    fputc('\n', stderr);
}

int cli_fail(int code, const char* format, ...)
{
    char message[2048];
    va_list list;
    va_start(list, format);
    vsnprintf(message, sizeof message, format, list);
    va_end(list);
    put_message("surefoot: ", message);
    return code;
}

void cli_warn(const char* format, ...)
{
    char message[2048];
    va_list list;
    va_start(list, format);
    vsnprintf(message, sizeof message, format, list);
    va_end(list);
    put_message("surefoot: warning: ", message);
}

int cli_fail_error(const char* path, sft_result result, const sft_error* error)
{
    const int code = result == SFT_ERR_MEMORY || result == SFT_ERR_LIMIT ? EXIT_MEMORY : EXIT_READ;
    const char* message = error->message[0] != '\0' ? error->message : sft_result_string(result);
    // Messages about whole files start with the path already.
    if (strncmp(message, path, strlen(path)) == 0) return cli_fail(code, "%s", message);
    const char* joint = error->joint;
    const char* colon = joint[0] != '\0' ? ": " : "";
    // A GLB's text stands in one line, and its container in none.
    if (error->byte > 0 && error->line <= 1)
        return cli_fail(code, "%s: byte %llu: %s%s%s", path, (unsigned long long)error->byte, joint, colon, message);
    if (error->line > 0) return cli_fail(code, "%s:%u: %s%s%s", path, (unsigned)error->line, joint, colon, message);
    return cli_fail(code, "%s: %s%s%s", path, joint, colon, message);
}

void cli_progress(const char* format, ...)
{
    if (!isatty(2)) return;
    wipe_progress();
    if (format[0] == '\0') return;
    va_list list;
    va_start(list, format);
    vfprintf(stderr, format, list);
    va_end(list);
    fflush(stderr);
    progress_shown = true;
}

int cli_utf8_length(const char* p)
{
    const unsigned char* s = (const unsigned char*)p;
    if (s[0] < 0x80) return s[0] != 0 ? 1 : 0;
    int length = s[0] >= 0xC2 && s[0] < 0xE0   ? 2
                 : s[0] >= 0xE0 && s[0] < 0xF0 ? 3
                 : s[0] >= 0xF0 && s[0] < 0xF5 ? 4
                                               : 0;
    for (int i = 1; i < length; ++i)
        if ((s[i] & 0xC0) != 0x80) return 0;
    // Overlong forms, surrogates, and beyond U+10FFFF.
    if ((s[0] == 0xE0 && s[1] < 0xA0) || (s[0] == 0xED && s[1] >= 0xA0) || (s[0] == 0xF0 && s[1] < 0x90) ||
        (s[0] == 0xF4 && s[1] >= 0x90))
        return 0;
    return length;
}

bool cli_is_control(const char* p)
{
    const unsigned char* s = (const unsigned char*)p;
    if (s[0] < 0x20 || s[0] == 0x7F) return true;
    if (s[0] == 0xC2) return s[1] >= 0x80 && s[1] < 0xA0;
    if (s[0] != 0xE2) return false;
    if (s[1] == 0x80) return s[2] >= 0xA8 && s[2] <= 0xAE;
    return s[1] == 0x81 && s[2] >= 0xA6 && s[2] <= 0xA9;
}

void cli_put_safe(FILE* out, const char* text)
{
    while (*text != '\0')
    {
        const int length = cli_utf8_length(text);
        if (length == 0 || (cli_is_control(text) && *text != '\n' && *text != '\t'))
            fputc('?', out);
        else
            fwrite(text, 1, (size_t)length, out);
        text += length > 0 ? length : 1;
    }
}

void cli_print(FILE* out, const char* format, ...)
{
    char text[4096];
    va_list list;
    va_start(list, format);
    vsnprintf(text, sizeof text, format, list);
    va_end(list);
    cli_put_safe(out, text);
}

const char* cli_safe_utf8(const char* text, char* out, size_t capacity)
{
    size_t size = 0;
    while (*text != '\0')
    {
        const int length = cli_utf8_length(text);
        const bool fine = length > 0 && *text != '\n' && *text != '\r';
        const char* piece = fine ? text : "\xEF\xBF\xBD";
        const size_t bytes = fine ? (size_t)length : 3;
        if (size + bytes + 1 > capacity) break;
        memcpy(out + size, piece, bytes);
        size += bytes;
        text += length > 0 ? length : 1;
    }
    out[size] = '\0';
    return out;
}

const char* cli_number(double value, char* out)
{
    for (int digits = 15; digits <= 17; ++digits)
    {
        snprintf(out, 32, "%.*g", digits, value);
        if (strtod(out, NULL) == value) break;
    }
    return out;
}

const char* cli_figure(double value, int digits, char* out)
{
    if (!isfinite(value))
    {
        snprintf(out, 32, "-");
        return out;
    }
    snprintf(out, 32, "%.*f", digits, fabs(value) < 1e15 ? value : 1e15);
    if (strtod(out, NULL) == 0.0 && out[0] == '-') memmove(out, out + 1, strlen(out));
    return out;
}

static bool reserve(cli_text* text, size_t more)
{
    if (text->failed) return false;
    if (text->capacity - text->size > more) return true;
    size_t capacity = text->capacity > 0 ? text->capacity : 1024;
    while (capacity - text->size <= more)
    {
        if (capacity > SIZE_MAX / 2)
        {
            text->failed = true;
            return false;
        }
        capacity *= 2;
    }
    char* data = realloc(text->data, capacity);
    if (data == NULL)
    {
        text->failed = true;
        return false;
    }
    text->data = data;
    text->capacity = capacity;
    return true;
}

void text_put(cli_text* text, const char* bytes, size_t size)
{
    if (!reserve(text, size)) return;
    memcpy(text->data + text->size, bytes, size);
    text->size += size;
    text->data[text->size] = '\0';
}

void text_str(cli_text* text, const char* string)
{
    text_put(text, string, strlen(string));
}

void text_fmt(cli_text* text, const char* format, ...)
{
    va_list list, again;
    va_start(list, format);
    va_copy(again, list);
    const int size = vsnprintf(NULL, 0, format, list);
    va_end(list);
    if (size >= 0 && reserve(text, (size_t)size))
    {
        vsnprintf(text->data + text->size, (size_t)size + 1, format, again);
        text->size += (size_t)size;
    }
    va_end(again);
}

void text_free(cli_text* text)
{
    free(text->data);
    *text = (cli_text){0};
}
