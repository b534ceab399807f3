// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// Words and places in BVH text.

#include <stdarg.h>

#include "bvh/bvh.h"

uint32_t sft_bvh_line(const bvh_text* text, const char* at)
{
    // Counted only when something is to be said: reading does not pay for it.
    uint32_t line = 1;
    for (const char* p = text->start; p < at; ++p)
        if (*p == '\n' || (*p == '\r' && !(p + 1 < text->end && p[1] == '\n'))) ++line;
    return line;
}

sft_result sft_bvh_fail(const bvh_text* text, sft_result code, const char* at, const char* joint, const char* format,
                        ...)
{
    if (text->error == NULL) return code;
    char message[sizeof text->error->message];
    va_list args;
    va_start(args, format);
    sft_core_vformat(message, sizeof message, format, args);
    va_end(args);
    return sft_core_fail(text->error, code, (uint64_t)(at - text->start), sft_bvh_line(text, at), joint, "%s", message);
}

bvh_word sft_bvh_next_word(bvh_text* text)
{
    const char* p = text->at;
    while (p < text->end && sft_bvh_is_blank(*p))
        ++p;
    bvh_word word = {p, 0};
    if (p < text->end && (*p == '{' || *p == '}'))
        ++p;
    else
        while (p < text->end && !sft_bvh_is_blank(*p) && *p != '{' && *p != '}')
            ++p;
    word.length = (size_t)(p - word.at);
    text->at = p;
    return word;
}

bool sft_bvh_word_is(bvh_word word, const char* lower)
{
    for (size_t i = 0; i < word.length; ++i)
    {
        char c = word.at[i];
        if (c >= 'A' && c <= 'Z') c = (char)(c + 32);
        if (lower[i] == '\0' || c != lower[i]) return false;
    }
    return lower[word.length] == '\0';
}

bvh_quote sft_bvh_quote(const char* at, const char* end)
{
    bvh_quote quote = {{0}};
    size_t n = 0;
    for (; at < end && !sft_bvh_is_blank(*at) && n < sizeof quote.text - 4; ++at)
        quote.text[n++] = (unsigned char)*at < 32 || *at == 127 ? '?' : *at;
    if (at < end && !sft_bvh_is_blank(*at)) memcpy(quote.text + n, "...", 3);
    return quote;
}

sft_result sft_bvh_number(bvh_text* text, const char* joint, const char* what, double* value)
{
    while (text->at < text->end && sft_bvh_is_blank(*text->at))
        ++text->at;
    const char* next = text->at;
    const sft_decimal_status status = sft_decimal_read(text->at, text->end, value, &next);
    if (status == SFT_DECIMAL_OK &&
        (next == text->end || sft_bvh_is_blank(*next) || *next == '{' || *next == '}' || *next == '-' || *next == '+'))
    {
        text->at = next;
        return SFT_OK;
    }
    return sft_bvh_bad_number(text, text->at, status, joint, what);
}

sft_result sft_bvh_bad_number(const bvh_text* text, const char* at, sft_decimal_status status, const char* joint,
                              const char* what)
{
    const bvh_quote quote = sft_bvh_quote(at, text->end);
    const char* comma = memchr(quote.text, ',', sizeof quote.text);
    if (at == text->end || status == SFT_DECIMAL_CUT)
        return sft_bvh_fail(text, SFT_ERR_SYNTAX, at, joint, "%s: the text ends where a number should stand", what);
    if (comma != NULL)
        return sft_bvh_fail(text, SFT_ERR_SYNTAX, at, joint,
                            "%s: '%s' has a comma; write decimals with a point and part numbers by blanks", what,
                            quote.text);
    if (status == SFT_DECIMAL_WORD)
        return sft_bvh_fail(text, SFT_ERR_SYNTAX, at, joint,
                            "%s: '%s' is not a finite number; export again or repair this value", what, quote.text);
    if (status == SFT_DECIMAL_HUGE)
        return sft_bvh_fail(text, SFT_ERR_SYNTAX, at, joint, "%s: '%s' is too large for a number; repair this value",
                            what, quote.text);
    return sft_bvh_fail(text, SFT_ERR_SYNTAX, at, joint, "%s: '%s' stands where a number should", what, quote.text);
}
