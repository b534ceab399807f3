// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// JSON out: indented by two, keys in the order they are put, valid UTF-8 whatever the names hold.

#include "cli.h"

#include <math.h>
#include <string.h>

static void quoted(cli_text* text, const char* value)
{
    text_str(text, "\"");
    while (*value != '\0')
    {
        const int length = cli_utf8_length(value);
        const unsigned char c = (unsigned char)*value;
        if (length == 0)
            text_str(text, "\\ufffd");
        else if (c == '"' || c == '\\')
            text_fmt(text, "\\%c", c);
        else if (c < 0x20 || c == 0x7F)
            text_fmt(text, "\\u%04x", c);
        else
            text_put(text, value, (size_t)length);
        value += length > 0 ? length : 1;
    }
    text_str(text, "\"");
}

static void lead(json_out* json, const char* key)
{
    if (json->depth > 0)
    {
        text_str(&json->text, json->first ? "\n" : ",\n");
        for (int i = 0; i < json->depth; ++i)
            text_str(&json->text, "  ");
    }
    json->first = false;
    if (key == NULL) return;
    quoted(&json->text, key);
    text_str(&json->text, ": ");
}

void json_begin(json_out* json, const char* key, char bracket)
{
    lead(json, key);
    text_put(&json->text, &bracket, 1);
    json->depth += 1;
    json->first = true;
}

void json_end(json_out* json, char bracket)
{
    const bool empty = json->first;
    json->depth -= 1;
    json->first = false;
    if (!empty)
    {
        text_str(&json->text, "\n");
        for (int i = 0; i < json->depth; ++i)
            text_str(&json->text, "  ");
    }
    text_put(&json->text, &bracket, 1);
}

void json_text(json_out* json, const char* key, const char* value)
{
    lead(json, key);
    if (value == NULL)
        text_str(&json->text, "null");
    else
        quoted(&json->text, value);
}

void json_number(json_out* json, const char* key, double value)
{
    char number[32];
    lead(json, key);
    text_str(&json->text, isfinite(value) ? cli_number(value, number) : "null");
}

void json_figure(json_out* json, const char* key, double value)
{
    lead(json, key);
    if (isfinite(value))
        text_fmt(&json->text, "%.7g", value == 0.0 ? 0.0 : value);
    else
        text_str(&json->text, "null");
}

void json_int(json_out* json, const char* key, long long value)
{
    lead(json, key);
    text_fmt(&json->text, "%lld", value);
}

void json_bool(json_out* json, const char* key, bool value)
{
    lead(json, key);
    text_str(&json->text, value ? "true" : "false");
}

void json_vector(json_out* json, const char* key, sft_v3d value)
{
    char x[32], y[32], z[32];
    lead(json, key);
    const bool finite = isfinite(value.x) && isfinite(value.y) && isfinite(value.z);
    if (finite)
        text_fmt(&json->text, "[%s, %s, %s]", cli_number(value.x, x), cli_number(value.y, y), cli_number(value.z, z));
    else
        text_str(&json->text, "null");
}

int json_finish(json_out* json)
{
    text_str(&json->text, "\n");
    int code = json->text.failed ? cli_fail(EXIT_MEMORY, "out of memory while writing JSON") : EXIT_DONE;
    if (code == EXIT_DONE) code = cli_write_bytes("-", json->text.data, json->text.size);
    text_free(&json->text);
    return code;
}
