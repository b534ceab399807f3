// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// Any bytes: the JSON reader must refuse them with a place and a sentence, or read a document that can be walked,
// edited anywhere and read again. The first bytes choose the edits, the rest is the text.

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "json/json.h"

static void require(bool condition)
{
    if (!condition) abort();
}

/// Choices drawn from the head of the input, all zero once it is used up.
typedef struct chooser
{
    const uint8_t* bytes;
    size_t left;
} chooser;

static unsigned choose(chooser* c, unsigned count)
{
    if (c->left == 0) return 0;
    --c->left;
    return *c->bytes++ % count;
}

/// What a document says: a hash over kinds, decoded strings and scalars, in order, that does not see spaces.
typedef struct digest
{
    uint64_t hash;
    size_t values;
} digest;

static void mix(digest* d, const void* bytes, size_t size)
{
    const uint8_t* p = bytes;
    for (size_t i = 0; i < size; ++i)
        d->hash = (d->hash ^ p[i]) * UINT64_C(1099511628211);
}

static void mix_string(const sft_json* json, sft_json_value v, digest* d)
{
    char* text = NULL;
    size_t length = 0;
    require(sft_json_string(json, v, NULL, &text, &length) == SFT_OK);
    require(strlen(text) < length || (sft_json_equals(json, v, text) && length == sft_json_decode(json, v, NULL, 0)));
    mix(d, text, length + 1);
    // What is written reads back the same.
    sft_json_out out = {0};
    sft_json_out_string(&out, text, length);
    sft_json* again = NULL;
    require(!out.failed && sft_json_parse(NULL, out.data, out.size, NULL, &again, NULL) == SFT_OK);
    char* back = malloc(length + 1);
    require(back != NULL && sft_json_decode(again, sft_json_root(again), back, length + 1) == length);
    require(memcmp(back, text, length + 1) == 0);
    free(back);
    sft_json_destroy(again);
    sft_json_out_free(&out);
    free(text);
}

static void walk(const sft_json* json, sft_json_value v, digest* d)
{
    size_t size;
    const char* text = sft_json_text(json, &size);
    require(v.kind != SFT_JSON_NONE && v.start < v.end && v.end <= size);
    ++d->values;
    mix(d, &v.kind, sizeof v.kind);
    if (v.kind == SFT_JSON_STRING) mix_string(json, v, d);
    if (v.kind == SFT_JSON_NUMBER)
    {
        double number = 0.0;
        int64_t whole = 0;
        const bool read = sft_json_double(json, v, &number);
        require(!read || isfinite(number));
        if (sft_json_int64(json, v, &whole) == SFT_JSON_EXACT) require(read && (double)whole == number);
        mix(d, text + v.start, v.end - v.start);
    }
    for (sft_json_iter it = sft_json_iterate(json, v); sft_json_next(json, &it);)
    {
        if (it.key.kind != SFT_JSON_NONE) mix_string(json, it.key, d);
        walk(json, it.value, d);
    }
}

/// Edits one value here and there, so that no two edits can overlap; counts values that must be there afterwards.
typedef struct editor
{
    const sft_json* json;
    sft_json_edit* edit;
    chooser choices;
    size_t expected;
} editor;

static size_t count_values(const sft_json* json, sft_json_value v)
{
    digest d = {0};
    walk(json, v, &d);
    return d.values;
}

static void edit_value(editor* e, sft_json_value v);

static void edit_inside(editor* e, sft_json_value v)
{
    for (sft_json_iter it = sft_json_iterate(e->json, v); sft_json_next(e->json, &it);)
        edit_value(e, it.value);
}

static void edit_value(editor* e, sft_json_value v)
{
    switch (choose(&e->choices, 6))
    {
    case 1:
        require(sft_json_edit_replace(e->edit, v, "[0, {}]", 7) == SFT_OK);
        e->expected += 3;
        return;
    case 2:
        if (v.kind != SFT_JSON_ARRAY) break;
        require(sft_json_edit_append(e->edit, v, "true", 4) == SFT_OK);
        require(sft_json_edit_append(e->edit, v, "\"x\"", 3) == SFT_OK);
        e->expected += 2;
        break;
    case 3:
        if (v.kind != SFT_JSON_OBJECT) break;
        // No text holds a key that its own parser took for this one unless it says so.
        if (sft_json_get(e->json, v, "new\n").kind != SFT_JSON_NONE) break;
        require(sft_json_edit_set(e->edit, v, "new\n", "1.5", 3) == SFT_OK);
        ++e->expected;
        break;
    case 4:
    {
        // The members that go, and no other edit inside this object.
        sft_json_iter it = sft_json_iterate(e->json, v);
        if (v.kind != SFT_JSON_OBJECT || !sft_json_next(e->json, &it)) break;
        char key[64];
        if (sft_json_decode(e->json, it.key, key, sizeof key) != strlen(key)) break;
        require(sft_json_edit_remove(e->edit, v, key) == SFT_OK);
        ++e->expected;
        for (it = sft_json_iterate(e->json, v); sft_json_next(e->json, &it);)
            if (!sft_json_equals(e->json, it.key, key)) e->expected += count_values(e->json, it.value);
        return;
    }
    default:
        break;
    }
    ++e->expected;
    edit_inside(e, v);
}

static void edit_document(const sft_json* json, chooser choices)
{
    editor e = {.json = json, .choices = choices};
    require(sft_json_edit_create(json, NULL, &e.edit) == SFT_OK);
    edit_value(&e, sft_json_root(json));
    char* text = NULL;
    size_t size = 0;
    sft_error error;
    require(sft_json_edit_text(e.edit, &text, &size, &error) == SFT_OK);
    sft_json_options options = sft_json_default_options();
    options.max_depth += 2;
    sft_json* again = NULL;
    require(sft_json_parse(NULL, text, size, &options, &again, &error) == SFT_OK);
    require(count_values(again, sft_json_root(again)) == e.expected);
    sft_json_destroy(again);
    free(text);
    sft_json_edit_destroy(e.edit);
}

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size)
{
    // The text begins at its first byte that may begin one; before it stand the choices.
    size_t head = 0;
    while (head < size && head < 64 && data[head] < 9)
        ++head;
    const char* text = (const char*)data + head;
    sft_json* json = NULL;
    sft_error error;
    const sft_result result = sft_json_parse(NULL, text, size - head, NULL, &json, &error);
    if (result != SFT_OK)
    {
        require(json == NULL && error.code == result && error.message[0] != '\0' && error.byte <= size - head);
        return 0;
    }
    digest before = {0};
    walk(json, sft_json_root(json), &before);
    sft_json_value key;
    require(sft_json_find_duplicate(json, (sft_json_value){0}, &key) == SFT_OK);
    edit_document(json, (chooser){data, head});
    digest after = {0};
    walk(json, sft_json_root(json), &after);
    require(before.hash == after.hash && before.values == after.values);
    sft_json_destroy(json);
    return 0;
}
