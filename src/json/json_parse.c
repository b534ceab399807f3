// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// Text to tape in one pass. Open containers are chained through their own entries (`info` is the one around while it is
// open), so depth costs no stack and no memory.

#include "json/json_internal.h"

typedef struct parser
{
    const unsigned char* text;
    const unsigned char* p;
    const unsigned char* end;
    sft_json_entry* tape;
    uint32_t count, capacity;
    uint32_t open; ///< innermost open container
    uint32_t depth, max_depth;
    uint64_t values, max_values;
    sft_result code;
    const unsigned char* where;
    char message[200];
} parser;

static bool fail_with(parser* s, sft_result code, const unsigned char* where, const char* format, ...)
{
    s->code = code;
    s->where = where;
    va_list args;
    va_start(args, format);
    sft_core_vformat(s->message, sizeof s->message, format, args);
    va_end(args);
    return false;
}

static bool fail(parser* s, const unsigned char* where, const char* message)
{
    return fail_with(s, SFT_ERR_SYNTAX, where, "%s", message);
}

static bool in_object(const parser* s)
{
    return s->open != SFT_JSON_NO_ENTRY && s->text[s->tape[s->open].start] == '{';
}

static bool fail_end(parser* s)
{
    const char* inside = s->open == SFT_JSON_NO_ENTRY ? NULL : in_object(s) ? "an object" : "an array";
    if (inside == NULL) return fail(s, s->end, "the text is empty; a JSON text holds one value");
    // A small line counter would not pay: the reader of the message has the byte of the bracket.
    return fail_with(s, SFT_ERR_SYNTAX, s->end, "the text ends inside %s opened at byte %z; the file may be cut",
                     inside, (size_t)s->tape[s->open].start);
}

static uint64_t load8(const unsigned char* p)
{
    uint64_t word;
    memcpy(&word, p, sizeof word);
    return word;
}

#define EACH_BYTE(b) (UINT64_C(0x0101010101010101) * (uint64_t)(b))
#define TOP_BITS EACH_BYTE(0x80)

static void skip_space(parser* s)
{
    const unsigned char* p = s->p;
    for (;;)
    {
        if (p >= s->end || *p > ' ') break;
        if (*p != ' ' && *p != '\n' && *p != '\r' && *p != '\t') break;
        ++p;
        // Indents: eight spaces at a time.
        while (s->end - p >= 8 && load8(p) == EACH_BYTE(' '))
            p += 8;
    }
    s->p = p;
}

// ---- strings ----

size_t sft_json_utf8_length(const unsigned char* p, const unsigned char* end)
{
    const size_t left = (size_t)(end - p);
    const unsigned char a = p[0];
    if (a < 0x80) return 1;
    if (a < 0xC2 || a > 0xF4 || left < 2) return 0;
    const unsigned char b = p[1];
    if ((b & 0xC0) != 0x80) return 0;
    if (a < 0xE0) return 2;
    // No overlong forms, no surrogates, nothing beyond U+10FFFF.
    if ((a == 0xE0 && b < 0xA0) || (a == 0xED && b > 0x9F) || (a == 0xF0 && b < 0x90) || (a == 0xF4 && b > 0x8F))
        return 0;
    if (left < 3 || (p[2] & 0xC0) != 0x80) return 0;
    if (a < 0xF0) return 3;
    return left >= 4 && (p[3] & 0xC0) == 0x80 ? 4 : 0;
}

static bool is_hex(unsigned char c)
{
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

static bool fail_string_end(parser* s)
{
    return fail(s, s->end, "the text ends inside a string; a double quote is missing, or the file is cut");
}

// s->p at the backslash.
static bool read_escape(parser* s)
{
    const unsigned char* p = s->p + 1;
    if (p >= s->end) return fail_string_end(s);
    switch (*p)
    {
    case '"':
    case '\\':
    case '/':
    case 'b':
    case 'f':
    case 'n':
    case 'r':
    case 't':
        s->p = p + 1;
        return true;
    case 'u':
        for (int i = 1; i <= 4; ++i)
        {
            if (p + i >= s->end) return fail_string_end(s);
            if (!is_hex(p[i])) return fail(s, s->p, "\\u wants four hexadecimal digits behind it");
        }
        s->p = p + 5;
        return true;
    default:
        return fail(s, s->p, "JSON has no such escape; a backslash that means itself is written \\\\");
    }
}

static bool read_odd_byte(parser* s)
{
    const unsigned char c = *s->p;
    if (c >= 0x80)
    {
        const size_t length = sft_json_utf8_length(s->p, s->end);
        if (length == 0) return fail(s, s->p, "this byte is no UTF-8; save the file in the encoding UTF-8");
        s->p += length;
        return true;
    }
    if (c == '\n' || c == '\r')
        return fail(s, s->p, "the string does not end on its line; a double quote is missing, or write \\n");
    return fail(s, s->p,
                "control characters in strings are written as escapes, a tab as \\t, others as \\u and 4 digits");
}

// Eight bytes without quote, backslash, control character or anything beyond ASCII.
static bool all_plain(uint64_t w)
{
    const uint64_t quote = w ^ EACH_BYTE('"'), slash = w ^ EACH_BYTE('\\');
    const uint64_t hit = (quote - EACH_BYTE(1)) | (slash - EACH_BYTE(1)) | (w - EACH_BYTE(0x20)) | w;
    return (hit & TOP_BITS) == 0;
}

// s->p at the opening quote; leaves it behind the closing one.
static bool read_string(parser* s, bool* escaped)
{
    const unsigned char* p = s->p + 1;
    for (;;)
    {
        while (s->end - p >= 8 && all_plain(load8(p)))
            p += 8;
        while (p < s->end && *p >= 0x20 && *p < 0x80 && *p != '"' && *p != '\\')
            ++p;
        s->p = p;
        if (p >= s->end) return fail_string_end(s);
        if (*p == '"') break;
        if (*p == '\\')
        {
            *escaped = true;
            if (!read_escape(s)) return false;
        }
        else if (!read_odd_byte(s))
            return false;
        p = s->p;
    }
    s->p = p + 1;
    return true;
}

// ---- numbers and words ----

static bool is_digit(const unsigned char* p, const unsigned char* end)
{
    return p < end && (unsigned)(*p - '0') < 10u;
}

static bool need_digit(parser* s, const unsigned char* p, const char* message)
{
    if (p >= s->end && s->open != SFT_JSON_NO_ENTRY)
        return fail(s, p, "the text ends inside a number; the file may be cut");
    return fail(s, p, message);
}

static bool read_number(parser* s)
{
    const unsigned char* p = s->p;
    if (*p == '-') ++p;
    if (!is_digit(p, s->end)) return need_digit(s, p, "a digit must follow the minus sign");
    if (*p == '0')
    {
        ++p;
        if (is_digit(p, s->end))
            return fail(s, s->p, "a number may not begin with a zero that means nothing; take it out");
    }
    else
        while (is_digit(p, s->end))
            ++p;
    if (p < s->end && *p == '.')
    {
        ++p;
        if (!is_digit(p, s->end)) return need_digit(s, p, "a digit must follow the point of a number");
        while (is_digit(p, s->end))
            ++p;
    }
    if (p < s->end && (*p | 0x20) == 'e')
    {
        ++p;
        if (p < s->end && (*p == '+' || *p == '-')) ++p;
        if (!is_digit(p, s->end)) return need_digit(s, p, "a digit must follow the e of a number");
        while (is_digit(p, s->end))
            ++p;
    }
    s->p = p;
    return true;
}

static bool is_word(unsigned char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '$';
}

static bool read_word(parser* s, const char* word, size_t length)
{
    const size_t left = (size_t)(s->end - s->p);
    if (left >= length && memcmp(s->p, word, length) == 0 && (left == length || !is_word(s->p[length])))
    {
        s->p += length;
        return true;
    }
    if (left < length && memcmp(s->p, word, left) == 0)
        return fail_with(s, SFT_ERR_SYNTAX, s->end, "the text ends inside the word %s; the file may be cut", word);
    return fail(s, s->p, "this word is none of true, false, null; text belongs in double quotes");
}

static bool fail_value(parser* s)
{
    const unsigned char c = *s->p;
    if (c == '\'') return fail(s, s->p, "strings begin and end with a double quote, not a single one");
    if (c == '+') return fail(s, s->p, "a number may not begin with a plus sign; take it out");
    if (c == '.') return fail(s, s->p, "a number wants a digit before its point");
    if (c == '/' || c == '#') return fail(s, s->p, "JSON has no comments; take this out");
    if (c == ',') return fail(s, s->p, "a value is missing before this comma");
    if (c == ':') return fail(s, s->p, "a value is missing here; only keys of objects are followed by a colon");
    if (c == ']' || c == '}') return fail(s, s->p, "a value is missing before this; a comma too many may stand there");
    if (c == 'N' || c == 'I') return fail(s, s->p, "JSON has no NaN and no Infinity; write a finite number");
    if (is_word(c)) return fail(s, s->p, "this word is none of true, false, null; text belongs in double quotes");
    if (c == 0)
        return fail(s, s->p, "a zero byte stands where a value should; is the text UTF-8, or padded with zeros?");
    return fail(s, s->p, "a value is missing here: an object, array, string, number, true, false or null");
}

// ---- structure ----

static sft_json_entry* push(parser* s, const unsigned char* at)
{
    // Room for every container and member a text of this size can close.
    if (s->count == s->capacity)
    {
        fail(s, at, "more is opened up to here than the rest of the text can close; the file may be cut");
        return NULL;
    }
    sft_json_entry* entry = &s->tape[s->count++];
    entry->start = (uint32_t)(at - s->text);
    return entry;
}

static bool open_container(parser* s)
{
    if (s->depth == s->max_depth)
        return fail_with(s, SFT_ERR_LIMIT, s->p, "arrays and objects lie more than %u deep inside each other here",
                         s->max_depth);
    sft_json_entry* entry = push(s, s->p);
    if (entry == NULL) return false;
    entry->info = s->open;
    s->open = s->count - 1;
    ++s->depth;
    ++s->p;
    return true;
}

static void close_container(parser* s)
{
    sft_json_entry* entry = &s->tape[s->open];
    s->open = entry->info;
    ++s->p;
    entry->to = (uint32_t)(s->p - s->text);
    entry->info = s->count;
    --s->depth;
}

// Key and colon; s->p at what should be the opening quote. Leaves it at the value.
static bool read_key(parser* s)
{
    if (s->p >= s->end) return fail_end(s);
    if (*s->p != '"')
    {
        if (*s->p == '}') return fail(s, s->p, "the comma before this closes nothing; take it out");
        if (*s->p == '/' || *s->p == '#') return fail(s, s->p, "JSON has no comments; take this out");
        return fail(s, s->p, "a key is missing here; keys are strings in double quotes");
    }
    sft_json_entry* entry = push(s, s->p);
    if (entry == NULL) return false;
    const unsigned char* start = s->p;
    bool escaped = false;
    if (!read_string(s, &escaped)) return false;
    entry->info = (uint32_t)(s->p - start - 2) | (escaped ? SFT_JSON_ESCAPED : 0);
    skip_space(s);
    if (s->p >= s->end) return fail_end(s);
    if (*s->p != ':') return fail(s, s->p, "a colon is missing between this and the key before it");
    ++s->p;
    skip_space(s);
    entry->to = (uint32_t)(s->p - s->text);
    return true;
}

static bool read_scalar(parser* s)
{
    bool escaped = false;
    switch (*s->p)
    {
    case '"':
        return read_string(s, &escaped);
    case 't':
        return read_word(s, "true", 4);
    case 'f':
        return read_word(s, "false", 5);
    case 'n':
        return read_word(s, "null", 4);
    default:
        return *s->p == '-' || is_digit(s->p, s->end) ? read_number(s) : fail_value(s);
    }
}

// What stands behind a value: closing brackets, a comma, then maybe a key. *more says that another value is due.
static bool read_between(parser* s, bool* more)
{
    while (s->open != SFT_JSON_NO_ENTRY)
    {
        skip_space(s);
        if (s->p >= s->end) return fail_end(s);
        const bool object = in_object(s);
        const unsigned char c = *s->p;
        if (c == ',')
        {
            ++s->p;
            skip_space(s);
            *more = true;
            return !object || read_key(s);
        }
        if (c != (object ? '}' : ']'))
        {
            if (c == '}' || c == ']')
                return fail_with(s, SFT_ERR_SYNTAX, s->p,
                                 "'%c' closes nothing here: the %s opened at byte %z is still open", c,
                                 object ? "object" : "array", (size_t)s->tape[s->open].start);
            if (c == '/' || c == '#') return fail(s, s->p, "JSON has no comments; take this out");
            return fail(s, s->p, "a comma is missing before this");
        }
        close_container(s);
    }
    *more = false;
    return true;
}

static bool read_document(parser* s)
{
    skip_space(s);
    for (bool more = true; more;)
    {
        if (s->p >= s->end) return fail_end(s);
        if (s->values++ == s->max_values)
            return fail_with(s, SFT_ERR_LIMIT, s->p, "the text holds more than %z values, the limit set for it",
                             (size_t)s->max_values);
        const unsigned char c = *s->p;
        if (c == '{' || c == '[')
        {
            if (!open_container(s)) return false;
            skip_space(s);
            // An end or an empty container is what follows a value, too.
            if (s->p < s->end && *s->p != (c == '{' ? '}' : ']'))
            {
                if (c == '{' && !read_key(s)) return false;
                continue;
            }
        }
        else if (!read_scalar(s))
            return false;
        if (!read_between(s, &more)) return false;
    }
    skip_space(s);
    if (s->p < s->end)
        return fail(s, s->p,
                    *s->p == 0 ? "a zero byte stands behind the end of the document; take it out, or pad with spaces"
                               : "something stands behind the end of the document; a text holds one value");
    return true;
}

// ---- the document ----

static bool check_encoding(parser* s, bool allow_bom, bool* bom)
{
    const size_t size = (size_t)(s->end - s->p);
    const unsigned char* p = s->p;
    *bom = size >= 3 && p[0] == 0xEF && p[1] == 0xBB && p[2] == 0xBF;
    if (*bom && !allow_bom)
        return fail(s, p, "a byte-order mark stands before the text; save the file as UTF-8 without one");
    if (*bom) s->p += 3;
    const bool mark = size >= 2 && ((p[0] == 0xFF && p[1] == 0xFE) || (p[0] == 0xFE && p[1] == 0xFF));
    // Text of two bytes a character begins with a bracket and a zero, or a zero and a bracket.
    const bool pairs = size >= 2 && (p[0] == 0) != (p[1] == 0) && (size < 4 ? size == 2 : (p[2] == 0) != (p[3] == 0));
    if (mark || pairs) return fail(s, p, "the text looks like UTF-16 or UTF-32; save it in the encoding UTF-8");
    return true;
}

// Upper bound of entries: what could open one, but never more than a text of this size can close.
static size_t count_entries(const unsigned char* text, size_t size)
{
    size_t count = 0;
    for (size_t i = 0; i < size; ++i)
        count += (size_t)((text[i] == '[') | (text[i] == '{') | (text[i] == ':'));
    return (count < size / 2 ? count : size / 2) + 1;
}

static void destroy_document(sft_json* json, const sft_allocator* a)
{
    sft_core_free(a, json->tape, json->capacity, sizeof *json->tape);
    sft_core_free(a, json, 1, sizeof *json);
}

static sft_result report(const parser* s, sft_error* error)
{
    const size_t byte = (size_t)(s->where - s->text);
    sft_json document = {.text = (const char*)s->text, .size = (size_t)(s->end - s->text)};
    return sft_json_fail(&document, byte, s->code, s->message, error);
}

sft_json_options sft_json_default_options(void)
{
    return (sft_json_options){.max_depth = 512, .max_values = UINT64_MAX, .allow_bom = false};
}

sft_result sft_json_parse(const sft_allocator* allocator, const char* text, size_t size,
                          const sft_json_options* options, sft_json** out, sft_error* error)
{
    if (out == NULL || (text == NULL && size != 0)) return SFT_ERR_ARG;
    const sft_json_options o = options != NULL ? *options : sft_json_default_options();
    if (size >= SFT_JSON_NO_ENTRY)
        return sft_core_fail(error, SFT_ERR_LIMIT, 0, 0, NULL, "a JSON text of 4 GiB or more is not read");
    const sft_allocator a = sft_core_allocator(allocator);
    const unsigned char* bytes = (const unsigned char*)(size != 0 ? text : "");
    parser s = {.text = bytes, .p = bytes, .end = bytes + size, .open = SFT_JSON_NO_ENTRY};
    s.max_depth = o.max_depth;
    s.max_values = o.max_values;
    bool bom;
    if (!check_encoding(&s, o.allow_bom, &bom)) return report(&s, error);
    sft_json* json = sft_core_alloc(&a, 1, sizeof *json);
    if (json == NULL) return sft_core_fail(error, SFT_ERR_MEMORY, 0, 0, NULL, "no memory for the JSON document");
    *json = (sft_json){.allocator = a, .text = (const char*)bytes, .size = size, .bom = bom};
    json->capacity = s.capacity = (uint32_t)count_entries(bytes, size);
    json->tape = s.tape = sft_core_alloc(&a, json->capacity, sizeof *json->tape);
    if (json->tape == NULL)
    {
        sft_core_free(&a, json, 1, sizeof *json);
        return sft_core_fail(error, SFT_ERR_MEMORY, 0, 0, NULL, "no memory for a JSON text of %z bytes", size);
    }
    if (!read_document(&s))
    {
        destroy_document(json, &a);
        return report(&s, error);
    }
    json->count = s.count;
    json->root = sft_json_value_at(json, sft_json_skip_space(json->text, bom ? 3 : 0, size), 0);
    *out = json;
    return SFT_OK;
}

void sft_json_destroy(sft_json* json)
{
    if (json == NULL) return;
    const sft_allocator a = json->allocator;
    destroy_document(json, &a);
}
