// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// Strings of checked text: where they end, what they say.

#include "json/json_internal.h"

size_t sft_json_string_end(const char* text, size_t size, size_t at)
{
    size_t from = at + 1;
    for (;;)
    {
        const char* quote = memchr(text + from, '"', size - from);
        const size_t end = (size_t)(quote - text);
        size_t slashes = 0;
        while (end - slashes > from && text[end - slashes - 1] == '\\')
            ++slashes;
        // Slashes escape each other in pairs; one left over escapes the quote.
        if (slashes % 2 == 0) return end + 1;
        from = end + 1;
    }
}

static size_t put_code(uint32_t code, char out[4])
{
    if (code < 0x80)
    {
        out[0] = (char)code;
        return 1;
    }
    if (code < 0x800)
    {
        out[0] = (char)(0xC0 | (code >> 6));
        out[1] = (char)(0x80 | (code & 0x3F));
        return 2;
    }
    if (code < 0x10000)
    {
        out[0] = (char)(0xE0 | (code >> 12));
        out[1] = (char)(0x80 | ((code >> 6) & 0x3F));
        out[2] = (char)(0x80 | (code & 0x3F));
        return 3;
    }
    out[0] = (char)(0xF0 | (code >> 18));
    out[1] = (char)(0x80 | ((code >> 12) & 0x3F));
    out[2] = (char)(0x80 | ((code >> 6) & 0x3F));
    out[3] = (char)(0x80 | (code & 0x3F));
    return 4;
}

static uint32_t hex4(const char* p)
{
    uint32_t value = 0;
    for (int i = 0; i < 4; ++i)
    {
        const char c = p[i];
        value = value * 16 + (uint32_t)(c <= '9' ? c - '0' : (c | 0x20) - 'a' + 10);
    }
    return value;
}

// at: behind "\u".
static uint32_t unicode_escape(const char* text, size_t end, size_t* at)
{
    const uint32_t first = hex4(text + *at);
    *at += 4;
    if (first < 0xD800 || first > 0xDFFF) return first;
    if (first < 0xDC00 && end - *at >= 6 && text[*at] == '\\' && text[*at + 1] == 'u')
    {
        const uint32_t second = hex4(text + *at + 2);
        if (second >= 0xDC00 && second <= 0xDFFF)
        {
            *at += 6;
            return 0x10000 + ((first - 0xD800) << 10) + (second - 0xDC00);
        }
    }
    return 0xFFFD;
}

size_t sft_json_decode_one(const char* text, size_t end, size_t* at, char out[4])
{
    if (text[*at] != '\\')
    {
        const unsigned char* p = (const unsigned char*)text + *at;
        const size_t length = sft_json_utf8_length(p, (const unsigned char*)text + end);
        memcpy(out, p, length);
        *at += length;
        return length;
    }
    const char c = text[*at + 1];
    *at += 2;
    if (c == 'u') return put_code(unicode_escape(text, end, at), out);
    out[0] = c == 'b' ? '\b' : c == 'f' ? '\f' : c == 'n' ? '\n' : c == 'r' ? '\r' : c == 't' ? '\t' : c;
    return 1;
}

// Bytes from `at` on that stand for themselves.
static size_t plain_length(const char* text, size_t end, size_t at)
{
    const char* slash = memchr(text + at, '\\', end - at);
    return slash != NULL ? (size_t)(slash - text) - at : end - at;
}

size_t sft_json_decode(const sft_json* json, sft_json_value string, char* out, size_t capacity)
{
    if (capacity > 0) out[0] = '\0';
    if (string.kind != SFT_JSON_STRING) return 0;
    const char* text = json->text;
    const size_t end = string.end - 1;
    size_t length = 0, written = 0, plain_end = 0;
    bool full = capacity == 0;
    for (size_t at = string.start + 1; at < end;)
    {
        if (at >= plain_end) plain_end = at + plain_length(text, end, at);
        // Whole stretches where they fit, or where only the length counts.
        const size_t plain = plain_end - at;
        if (plain > 0 && (full || plain < capacity - written))
        {
            if (!full) memcpy(out + written, text + at, plain);
            written += full ? 0 : plain;
            length += plain;
            at += plain;
            continue;
        }
        char one[4];
        const size_t bytes = sft_json_decode_one(text, end, &at, one);
        length += bytes;
        full = full || bytes >= capacity - written;
        if (full) continue;
        memcpy(out + written, one, bytes);
        written += bytes;
    }
    if (capacity > 0) out[written] = '\0';
    return length;
}

sft_result sft_json_string(const sft_json* json, sft_json_value string, const sft_allocator* allocator, char** out,
                           size_t* length)
{
    if (string.kind != SFT_JSON_STRING || out == NULL || length == NULL) return SFT_ERR_ARG;
    const size_t size = sft_json_decode(json, string, NULL, 0);
    char* block = sft_core_alloc(allocator, size + 1, 1);
    if (block == NULL) return SFT_ERR_MEMORY;
    sft_json_decode(json, string, block, size + 1);
    *out = block;
    *length = size;
    return SFT_OK;
}

bool sft_json_equals(const sft_json* json, sft_json_value string, const char* text)
{
    if (string.kind != SFT_JSON_STRING) return false;
    const size_t end = string.end - 1, length = strlen(text);
    size_t matched = 0;
    for (size_t at = string.start + 1; at < end;)
    {
        char one[4];
        const size_t bytes = sft_json_decode_one(json->text, end, &at, one);
        if (bytes > length - matched || memcmp(one, text + matched, bytes) != 0) return false;
        matched += bytes;
    }
    return matched == length;
}
