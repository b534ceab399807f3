// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// The tape: one entry for each array, each object and each member of an object, in text order. A member whose value is
// an array or object has that one's entry right behind its own. Elements and values that are scalars have none: the
// text is short to scan again, and `[1,1,1` would else cost eight times itself. Containers need two bytes each and
// members four, so 12 bytes an entry are at most six times the text.
#ifndef SUREFOOT_JSON_INTERNAL_H
#define SUREFOOT_JSON_INTERNAL_H

#include "core/core.h"
#include "json/json.h"

#define SFT_JSON_NO_ENTRY UINT32_MAX
/// In `info` of a member: its key has escapes.
#define SFT_JSON_ESCAPED (UINT32_C(1) << 31)

/// Container: `start` its bracket, `to` the byte behind its closing bracket, `info` the first entry behind its content.
/// Member: `start` the key's first quote, `to` the value's first byte, `info` the raw length of the key, without
/// quotes, and SFT_JSON_ESCAPED. The byte at `start` tells which.
typedef struct sft_json_entry
{
    uint32_t start, to, info;
} sft_json_entry;

struct sft_json
{
    sft_allocator allocator;
    const char* text;
    size_t size;
    sft_json_entry* tape;
    uint32_t count, capacity;
    sft_json_value root;
    bool bom;
};

static inline bool sft_json_is_space(char c)
{
    return c == ' ' || c == '\n' || c == '\r' || c == '\t';
}

/// First byte from `at` on that is no white space, at most `end`.
static inline size_t sft_json_skip_space(const char* text, size_t at, size_t end)
{
    while (at < end && sft_json_is_space(text[at]))
        ++at;
    return at;
}

/// Byte behind the string whose opening quote is at `at`, in checked text.
size_t sft_json_string_end(const char* text, size_t size, size_t at);

/// The value at `at`, in checked text; `entry` is that of a container starting there.
sft_json_value sft_json_value_at(const sft_json* json, size_t at, uint32_t entry);

/// The entry behind a member and all that its value holds.
uint32_t sft_json_after_member(const sft_json* json, uint32_t entry);

sft_json_value sft_json_key_of(const sft_json_entry* member);

/// Decodes the character of a string's inside at *at, steps behind it, and returns its length (1 to 4) in `out`.
size_t sft_json_decode_one(const char* text, size_t end, size_t* at, char out[4]);

/// Length (1 to 4) of the well-formed UTF-8 sequence at `p`, 0 where it is none.
size_t sft_json_utf8_length(const unsigned char* p, const unsigned char* end);

#endif
