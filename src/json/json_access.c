// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// Walking the tape. Everything here works on text that the parser has checked, so no step can run off its end.

#include "json/json_internal.h"

sft_json_value sft_json_root(const sft_json* json)
{
    return json != NULL ? json->root : (sft_json_value){0};
}

const char* sft_json_text(const sft_json* json, size_t* size)
{
    if (size != NULL) *size = json->size;
    return json->text;
}

bool sft_json_has_bom(const sft_json* json)
{
    return json->bom;
}

uint32_t sft_json_line(const sft_json* json, size_t byte)
{
    uint32_t line = 1;
    const size_t end = byte < json->size ? byte : json->size;
    for (size_t i = 0; i < end; ++i)
    {
        const char c = json->text[i];
        line += c == '\n' || (c == '\r' && (i + 1 >= json->size || json->text[i + 1] != '\n'));
    }
    return line;
}

sft_result sft_json_fail(const sft_json* json, size_t byte, sft_result code, const char* message, sft_error* error)
{
    if (error == NULL) return code;
    return sft_core_fail(error, code, byte, json != NULL ? sft_json_line(json, byte) : 0, NULL, "%s", message);
}

const char* sft_json_kind_name(sft_json_kind kind)
{
    static const char* const names[] = {"nothing",  "null",     "false",    "true",
                                        "a number", "a string", "an array", "an object"};
    return (unsigned)kind < SFT_COUNT_OF(names) ? names[kind] : "nothing";
}

static sft_json_kind kind_of(char c)
{
    switch (c)
    {
    case '{':
        return SFT_JSON_OBJECT;
    case '[':
        return SFT_JSON_ARRAY;
    case '"':
        return SFT_JSON_STRING;
    case 't':
        return SFT_JSON_TRUE;
    case 'f':
        return SFT_JSON_FALSE;
    case 'n':
        return SFT_JSON_NULL;
    default:
        return SFT_JSON_NUMBER;
    }
}

static bool ends_number(char c)
{
    return sft_json_is_space(c) || c == ',' || c == ']' || c == '}';
}

sft_json_value sft_json_value_at(const sft_json* json, size_t at, uint32_t entry)
{
    sft_json_value v = {kind_of(json->text[at]), entry, at, at};
    switch (v.kind)
    {
    case SFT_JSON_OBJECT:
    case SFT_JSON_ARRAY:
        v.end = json->tape[entry].to;
        break;
    case SFT_JSON_STRING:
        v.end = sft_json_string_end(json->text, json->size, at);
        break;
    case SFT_JSON_TRUE:
    case SFT_JSON_NULL:
        v.end = at + 4;
        break;
    case SFT_JSON_FALSE:
        v.end = at + 5;
        break;
    default:
        while (v.end < json->size && !ends_number(json->text[v.end]))
            ++v.end;
        break;
    }
    return v;
}

static bool opens_container(char c)
{
    return c == '{' || c == '[';
}

uint32_t sft_json_after_member(const sft_json* json, uint32_t entry)
{
    const sft_json_entry* e = &json->tape[entry];
    return opens_container(json->text[e->to]) ? json->tape[entry + 1].info : entry + 1;
}

static size_t key_length(const sft_json_entry* member)
{
    return member->info & ~SFT_JSON_ESCAPED;
}

sft_json_value sft_json_key_of(const sft_json_entry* member)
{
    return (sft_json_value){SFT_JSON_STRING, 0, member->start, member->start + key_length(member) + 2};
}

static bool key_is(const sft_json* json, const sft_json_entry* member, const char* key, size_t length)
{
    if ((member->info & SFT_JSON_ESCAPED) != 0) return sft_json_equals(json, sft_json_key_of(member), key);
    return member->info == length && memcmp(json->text + member->start + 1, key, length) == 0;
}

sft_json_value sft_json_get(const sft_json* json, sft_json_value object, const char* key)
{
    if (object.kind != SFT_JSON_OBJECT) return (sft_json_value){0};
    const size_t length = strlen(key);
    const uint32_t stop = json->tape[object.entry].info;
    uint32_t found = SFT_JSON_NO_ENTRY;
    for (uint32_t e = object.entry + 1; e < stop; e = sft_json_after_member(json, e))
        if (key_is(json, &json->tape[e], key, length)) found = e;
    if (found == SFT_JSON_NO_ENTRY) return (sft_json_value){0};
    return sft_json_value_at(json, json->tape[found].to, found + 1);
}

sft_json_iter sft_json_iterate(const sft_json* json, sft_json_value container)
{
    sft_json_iter iter = {0};
    if (container.kind != SFT_JSON_OBJECT && container.kind != SFT_JSON_ARRAY) return iter;
    iter.object = container.kind == SFT_JSON_OBJECT;
    iter.entry = container.entry + 1;
    iter.stop = json->tape[container.entry].info;
    iter.at = container.start + 1;
    return iter;
}

static bool next_member(const sft_json* json, sft_json_iter* iter)
{
    if (iter->entry >= iter->stop) return false;
    const sft_json_entry* member = &json->tape[iter->entry];
    iter->key = sft_json_key_of(member);
    iter->value = sft_json_value_at(json, member->to, iter->entry + 1);
    iter->entry = sft_json_after_member(json, iter->entry);
    return true;
}

static bool next_element(const sft_json* json, sft_json_iter* iter)
{
    size_t at = sft_json_skip_space(json->text, iter->at, json->size);
    if (json->text[at] == ',') at = sft_json_skip_space(json->text, at + 1, json->size);
    if (json->text[at] == ']') return false;
    iter->value = sft_json_value_at(json, at, iter->entry);
    iter->at = iter->value.end;
    if (opens_container(json->text[at])) iter->entry = json->tape[iter->entry].info;
    return true;
}

bool sft_json_next(const sft_json* json, sft_json_iter* iter)
{
    // An iterator over nothing stands at byte 0, where no content of a container can.
    if (iter->at == 0) return false;
    if (!(iter->object ? next_member(json, iter) : next_element(json, iter)))
    {
        iter->at = 0;
        return false;
    }
    iter->index = iter->started ? iter->index + 1 : 0;
    iter->started = true;
    return true;
}

sft_json_value sft_json_at(const sft_json* json, sft_json_value array, size_t index)
{
    if (array.kind != SFT_JSON_ARRAY) return (sft_json_value){0};
    for (sft_json_iter it = sft_json_iterate(json, array); sft_json_next(json, &it);)
        if (it.index == index) return it.value;
    return (sft_json_value){0};
}

size_t sft_json_count(const sft_json* json, sft_json_value container)
{
    size_t count = 0;
    if (container.kind == SFT_JSON_OBJECT)
    {
        const uint32_t stop = json->tape[container.entry].info;
        for (uint32_t e = container.entry + 1; e < stop; e = sft_json_after_member(json, e))
            ++count;
    }
    else
        for (sft_json_iter it = sft_json_iterate(json, container); sft_json_next(json, &it);)
            ++count;
    return count;
}
