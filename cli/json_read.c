// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// JSON in: enough for small files such as a list of legs. Depth and size are bounded, any bytes are safe.

#include "cli.h"

#include <stdlib.h>
#include <string.h>

#define MAX_DEPTH 64

typedef struct parser
{
    const char* at;
    const char* end;
    uint32_t line;
    int depth;
    const char* fault; // first thing that went wrong
} parser;

static json_value* parse_value(parser* p);

static json_value* fail(parser* p, const char* fault)
{
    if (p->fault == NULL) p->fault = fault;
    return NULL;
}

static void skip_space(parser* p)
{
    while (p->at < p->end && (*p->at == ' ' || *p->at == '\t' || *p->at == '\r' || *p->at == '\n'))
        p->line += *p->at++ == '\n' ? 1u : 0u;
}

static bool take(parser* p, char c)
{
    skip_space(p);
    if (p->at >= p->end || *p->at != c) return false;
    p->at += 1;
    return true;
}

static json_value* make(parser* p, json_kind kind)
{
    json_value* value = calloc(1, sizeof *value);
    if (value == NULL) return fail(p, "out of memory");
    value->kind = kind;
    value->line = p->line;
    return value;
}

static int hex4(parser* p)
{
    int code = 0;
    if (p->end - p->at < 4) return -1;
    for (int i = 0; i < 4; ++i)
    {
        const char c = *p->at++;
        const int digit = c >= '0' && c <= '9'   ? c - '0'
                          : c >= 'a' && c <= 'f' ? c - 'a' + 10
                          : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                                 : -1;
        if (digit < 0) return -1;
        code = code * 16 + digit;
    }
    return code;
}

// Half a surrogate pair from 0xDC80 on is a byte of a file's name that is no UTF-8, as Python writes it.
static bool is_lone_byte(int code)
{
    return code >= 0xDC80 && code <= 0xDCFF;
}

static size_t put_utf8(char* out, int code)
{
    if (code < 0x80 || is_lone_byte(code))
    {
        out[0] = (char)(code & 0xFF);
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

// One escape after its backslash; bytes written, 0 on error.
static size_t unescape(parser* p, char* out)
{
    const char* from = "\"\\/bfnrt";
    const char* to = "\"\\/\b\f\n\r\t";
    if (p->at >= p->end) return 0;
    const char c = *p->at++;
    const char* hit = c != '\0' ? strchr(from, c) : NULL;
    if (hit != NULL)
    {
        *out = to[hit - from];
        return 1;
    }
    int code = c == 'u' ? hex4(p) : -1;
    if (code <= 0) return 0; // U+0000 cannot stand in a name
    if (code >= 0xD800 && code < 0xDC00 && p->end - p->at >= 6 && p->at[0] == '\\' && p->at[1] == 'u')
    {
        p->at += 2;
        const int low = hex4(p);
        if (low < 0xDC00 || low > 0xDFFF) return 0;
        code = 0x10000 + ((code - 0xD800) << 10) + (low - 0xDC00);
    }
    else if (code >= 0xD800 && code < 0xE000 && !is_lone_byte(code))
        code = 0xFFFD;
    return put_utf8(out, code);
}

// The opening quote is taken already.
static char* parse_string(parser* p)
{
    // Escapes only shrink, so the rest of the line up to the closing quote is room enough.
    const char* close = p->at;
    while (close < p->end && *close != '"')
        close += *close == '\\' && close + 1 < p->end ? 2 : 1;
    char* out = malloc((size_t)(close > p->at ? close - p->at : 0) + 5);
    if (out == NULL)
    {
        fail(p, "out of memory");
        return NULL;
    }
    size_t size = 0;
    while (p->at < p->end && *p->at != '"')
    {
        const char c = *p->at++;
        const size_t bytes = c == '\\' ? unescape(p, out + size) : 1;
        if (c != '\\') out[size] = c;
        if (bytes == 0 || (unsigned char)c < 0x20)
        {
            free(out);
            fail(p, "a bad escape or a control character stands in a string");
            return NULL;
        }
        size += bytes;
    }
    if (p->at >= p->end)
    {
        free(out);
        fail(p, "a string is not closed");
        return NULL;
    }
    p->at += 1;
    out[size] = '\0';
    return out;
}

static json_value* parse_number(parser* p)
{
    char digits[64];
    size_t size = 0;
    while (p->at < p->end && size + 1 < sizeof digits && *p->at != '\0' && strchr("+-.eE0123456789", *p->at) != NULL)
        digits[size++] = *p->at++;
    digits[size] = '\0';
    char* stop = digits;
    const double number = strtod(digits, &stop);
    if (size == 0 || *stop != '\0') return fail(p, "something stands here that is no JSON value");
    json_value* value = make(p, JSON_NUMBER);
    if (value != NULL) value->number = number;
    return value;
}

static json_value* parse_list(parser* p, json_kind kind)
{
    const char close = kind == JSON_ARRAY ? ']' : '}';
    json_value* list = make(p, kind);
    if (list == NULL) return NULL;
    if (++p->depth > MAX_DEPTH)
    {
        json_destroy(list);
        return fail(p, "lists are nested more than 64 deep");
    }
    json_value** tail = &list->child;
    if (!take(p, close)) do
        {
            char* key = NULL;
            if (kind == JSON_OBJECT && take(p, '"'))
            {
                key = parse_string(p);
                if (key != NULL && !take(p, ':')) fail(p, "a ':' is missing after a key");
            }
            else if (kind == JSON_OBJECT)
                fail(p, "a key in double quotes is missing");
            json_value* item = p->fault == NULL ? parse_value(p) : NULL;
            if (item == NULL)
            {
                free(key);
                json_destroy(list);
                return NULL;
            }
            item->key = key;
            *tail = item;
            tail = &item->next;
        } while (take(p, ','));
    else
        p->at -= 1;
    if (!take(p, close))
    {
        json_destroy(list);
        return fail(p, kind == JSON_ARRAY ? "a ',' or ']' is missing" : "a ',' or '}' is missing");
    }
    p->depth -= 1;
    return list;
}

static bool take_word(parser* p, const char* word)
{
    const size_t size = strlen(word);
    if ((size_t)(p->end - p->at) < size || memcmp(p->at, word, size) != 0) return false;
    p->at += size;
    return true;
}

static json_value* parse_value(parser* p)
{
    skip_space(p);
    if (take(p, '{')) return parse_list(p, JSON_OBJECT);
    if (take(p, '[')) return parse_list(p, JSON_ARRAY);
    if (take(p, '"'))
    {
        char* string = parse_string(p);
        json_value* value = string != NULL ? make(p, JSON_STRING) : NULL;
        if (value != NULL)
            value->string = string;
        else
            free(string);
        return value;
    }
    if (take_word(p, "null")) return make(p, JSON_NULL);
    const bool yes = take_word(p, "true");
    if (yes || take_word(p, "false"))
    {
        json_value* value = make(p, JSON_BOOL);
        if (value != NULL) value->number = yes ? 1.0 : 0.0;
        return value;
    }
    return parse_number(p);
}

json_value* json_parse(const char* text, size_t size, sft_error* error)
{
    parser p = {text, text + size, 1, 0, NULL};
    if (size >= 3 && memcmp(text, "\xEF\xBB\xBF", 3) == 0) p.at += 3;
    json_value* value = parse_value(&p);
    skip_space(&p);
    if (value != NULL && p.at != p.end)
    {
        fail(&p, "something follows the end of the JSON value");
        json_destroy(value);
        value = NULL;
    }
    if (value == NULL)
    {
        *error = (sft_error){.code = SFT_ERR_SYNTAX, .line = p.line, .byte = (uint64_t)(p.at - text)};
        snprintf(error->message, sizeof error->message, "%s", p.fault != NULL ? p.fault : "this is no JSON");
    }
    return value;
}

void json_destroy(json_value* value)
{
    while (value != NULL)
    {
        json_value* next = value->next;
        json_destroy(value->child); // depth is bounded by MAX_DEPTH
        free(value->string);
        free(value->key);
        free(value);
        value = next;
    }
}

const json_value* json_get(const json_value* object, const char* key)
{
    if (object == NULL || object->kind != JSON_OBJECT) return NULL;
    for (const json_value* item = object->child; item != NULL; item = item->next)
        if (strcmp(item->key, key) == 0) return item;
    return NULL;
}
