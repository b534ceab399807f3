// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// Walks the records of a text file: `Name: value, value { records }`, comments from ';' to the end of the line. An
// array is `Name: *count { a: numbers }`.

#include "fbx.h"

#include <stdlib.h>
#include <string.h>

typedef struct walker
{
    fbx_arena* arena;
    const char* p;
    const char* end;
} walker;

// Over blanks and comments; over ends of lines too where `lines`.
static void skip_blanks(walker* w, bool lines)
{
    while (w->p < w->end)
    {
        const char c = *w->p;
        if (c == ';')
            while (w->p < w->end && *w->p != '\n')
                ++w->p;
        else if (c == ' ' || c == '\t' || c == '\r' || (lines && c == '\n'))
            ++w->p;
        else
            return;
    }
}

static bool skip_string(walker* w)
{
    const char* quote = memchr(w->p + 1, '"', (size_t)(w->end - w->p - 1));
    if (quote == NULL) return false;
    w->p = quote + 1;
    return true;
}

// From behind a '{' to behind its '}'.
static bool skip_block(walker* w)
{
    size_t open = 1;
    while (w->p < w->end)
    {
        const char c = *w->p;
        if (c == '"')
        {
            if (!skip_string(w)) return false;
            continue;
        }
        if (c == ';')
        {
            skip_blanks(w, false);
            continue;
        }
        ++w->p;
        if (c == '{') ++open;
        if (c == '}' && --open == 0) return true;
    }
    return false;
}

static bool is_word(char c)
{
    return c != ',' && c != '{' && c != '}' && c != ':' && c != ';' && c != '"' && c != ' ' && c != '\t' && c != '\r' &&
           c != '\n' && c != '\0';
}

static const char* word_end(const walker* w)
{
    const char* q = w->p;
    while (q < w->end && is_word(*q))
        ++q;
    return q;
}

// A number or a bare word; strings of objects may hold any byte but quotes.
static bool take_value(walker* w, fbx_value* out)
{
    if (*w->p == '"')
    {
        const char* start = w->p + 1;
        if (!skip_string(w)) return false;
        out->kind = FBX_STRING;
        out->count = (size_t)(w->p - 1 - start);
        out->string = fbx_copy(w->arena, start, out->count);
        return out->string != NULL;
    }
    const char* stop = word_end(w);
    char word[64];
    const size_t size = (size_t)(stop - w->p);
    if (size == 0 || size >= sizeof word) return false;
    memcpy(word, w->p, size);
    word[size] = '\0';
    w->p = stop;
    char* number_end;
    out->real = strtod(word, &number_end);
    out->kind = *number_end == '\0' ? FBX_NUMBER : FBX_STRING;
    out->integer = strtoll(word, NULL, 10);
    out->count = size;
    out->string = out->kind == FBX_STRING ? fbx_copy(w->arena, word, size) : NULL;
    return out->kind == FBX_NUMBER || out->string != NULL;
}

// The numbers behind `a:`, which may go on over lines.
static bool take_numbers(walker* w, bool reals, fbx_value* out)
{
    // One comma between two numbers: counted first, for an array of the right size.
    size_t most = 1;
    for (const char* q = w->p; q < w->end && *q != '}'; ++q)
        most += *q == ',';
    int64_t* integers = reals ? NULL : fbx_alloc(w->arena, most, sizeof *integers);
    double* doubles = reals ? fbx_alloc(w->arena, most, sizeof *doubles) : NULL;
    if (integers == NULL && doubles == NULL) return false;
    size_t count = 0;
    for (;;)
    {
        skip_blanks(w, true);
        if (w->p >= w->end || *w->p == '}') break;
        if (*w->p == ',')
        {
            ++w->p;
            continue;
        }
        const char* stop = word_end(w);
        char word[64];
        const size_t size = (size_t)(stop - w->p);
        if (size == 0 || size >= sizeof word || count >= most) return false;
        memcpy(word, w->p, size);
        word[size] = '\0';
        w->p = stop;
        if (reals)
            doubles[count++] = strtod(word, NULL);
        else
            integers[count++] = strtoll(word, NULL, 10);
    }
    out->kind = reals ? FBX_REALS : FBX_INTEGERS;
    out->count = count;
    out->integers = integers;
    out->reals = doubles;
    return true;
}

static bool take_values(walker* w, fbx_record* record)
{
    record->values = fbx_alloc(w->arena, FBX_VALUES, sizeof *record->values);
    if (record->values == NULL) return false;
    skip_blanks(w, false);
    while (w->p < w->end && *w->p != '{' && *w->p != '\n' && *w->p != '}')
    {
        fbx_value spare = {0};
        const bool room = record->value_count < FBX_VALUES;
        if (!take_value(w, room ? &record->values[record->value_count] : &spare)) return false;
        record->value_count += room;
        skip_blanks(w, false);
        if (w->p >= w->end || *w->p != ',') break;
        ++w->p;
        skip_blanks(w, true);
    }
    return true;
}

// Values of a record that is not kept.
static bool skip_values(walker* w)
{
    while (w->p < w->end && *w->p != '{' && *w->p != '}')
    {
        if (*w->p == '"')
        {
            if (!skip_string(w)) return false;
            continue;
        }
        const char c = *w->p;
        ++w->p;
        if (c != '\n') continue;
        // A list goes on behind a comma at the end of a line, or before one at the start of the next.
        const char* back = w->p - 1;
        while (*back == '\n' || *back == '\r' || *back == ' ' || *back == '\t')
            --back;
        skip_blanks(w, true);
        if (w->p < w->end && (*back == ',' || *w->p == ',')) continue;
        return true;
    }
    return true;
}

static bool walk(walker* w, const char* parent, int depth, fbx_record** out)
{
    fbx_record** last = out;
    for (;;)
    {
        skip_blanks(w, true);
        if (w->p >= w->end || *w->p == '\0') return depth == 0;
        if (*w->p == '}')
        {
            ++w->p;
            return depth > 0;
        }
        const char* name = w->p;
        const char* stop = word_end(w);
        if (stop == name || stop >= w->end || *stop != ':') return false;
        w->p = stop + 1;
        const size_t name_size = (size_t)(stop - name);
        const bool kept = fbx_keeps(parent, name, name_size, depth);
        fbx_record* record = kept ? fbx_alloc(w->arena, 1, sizeof *record) : NULL;
        if (kept)
        {
            if (record == NULL || (record->name = fbx_copy(w->arena, name, name_size)) == NULL) return false;
            *last = record;
            last = &record->next;
        }
        if (kept && parent != NULL && strcmp(record->name, "a") == 0)
        {
            record->values = fbx_alloc(w->arena, 1, sizeof *record->values);
            record->value_count = 1;
            if (record->values == NULL || !take_numbers(w, strcmp(parent, "KeyValueFloat") == 0, record->values))
                return false;
            continue;
        }
        if (!(kept ? take_values(w, record) : skip_values(w))) return false;
        // A block may open on the next line only where nothing else stands before it.
        skip_blanks(w, false);
        if (w->p >= w->end || *w->p != '{') continue;
        ++w->p;
        if (!(kept ? walk(w, record->name, depth + 1, &record->child) : skip_block(w))) return false;
    }
}

fbx_record* fbx_text_tree(fbx_arena* arena, const char* text, size_t size, char place[FBX_PLACE])
{
    walker w = {arena, text, text + size};
    fbx_record* root = fbx_alloc(arena, 1, sizeof *root);
    if (root == NULL) return NULL;
    root->name = "";
    if (walk(&w, NULL, 0, &root->child)) return root;
    unsigned long line = 1;
    for (const char* p = text; p < w.p; ++p)
        line += *p == '\n';
    snprintf(place, FBX_PLACE, "line %lu", line);
    return NULL;
}
