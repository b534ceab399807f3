// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// Members of JSON objects by name, with errors that say where.

#include "gltf/read.h"

static bool key_is(const sft_json* json, const char* text, sft_json_value key, const gltf_member* member, bool escaped)
{
    if (escaped) return sft_json_equals(json, key, member->key);
    return key.end - key.start - 2 == member->length && memcmp(text + key.start + 1, member->key, member->length) == 0;
}

sft_result sft_gltf_members(const gltf_reader* reader, sft_json_value object, const char* what, gltf_member* members,
                            size_t count)
{
    const sft_json* json = reader->gltf->json;
    if (object.kind != SFT_JSON_OBJECT)
        return sft_gltf_fail(reader->gltf, reader->error, SFT_ERR_SYNTAX, object.start, "%s must be an object, not %s",
                             what, sft_json_kind_name(object.kind));
    const char* text = sft_json_text(json, NULL);
    for (sft_json_iter it = sft_json_iterate(json, object); sft_json_next(json, &it);)
    {
        const bool escaped = memchr(text + it.key.start, '\\', it.key.end - it.key.start) != NULL;
        for (size_t i = 0; i < count; ++i)
        {
            if (!key_is(json, text, it.key, &members[i], escaped)) continue;
            if (members[i].value.kind != SFT_JSON_NONE)
                return sft_gltf_fail(reader->gltf, reader->error, SFT_ERR_SYNTAX, it.key.start,
                                     "%s has two members '%s', and readers differ in which they take; remove one", what,
                                     members[i].key);
            members[i].value = it.value;
            break;
        }
    }
    return SFT_OK;
}

sft_result sft_gltf_list(const gltf_reader* reader, const char* key, int32_t limit, sft_json_value* array,
                         int32_t* count)
{
    const sft_gltf* gltf = reader->gltf;
    *array = sft_json_get(gltf->json, reader->root, key);
    *count = 0;
    if (array->kind == SFT_JSON_NONE) return SFT_OK;
    if (array->kind != SFT_JSON_ARRAY)
        return sft_gltf_fail(gltf, reader->error, SFT_ERR_SYNTAX, array->start, "must be an array, not %s",
                             sft_json_kind_name(array->kind));
    const size_t length = sft_json_count(gltf->json, *array);
    if (length > (size_t)limit)
        return sft_gltf_fail(gltf, reader->error, SFT_ERR_LIMIT, array->start,
                             "%z entries are more than the limit of %d; raise max_nodes or split the file", length,
                             limit);
    *count = (int32_t)length;
    return SFT_OK;
}

size_t sft_gltf_room(const sft_json* json, sft_json_value list, size_t count, size_t shortest)
{
    for (sft_json_iter it = sft_json_iterate(json, list); sft_json_next(json, &it);)
        if (it.value.end - it.value.start < shortest) return it.index + 1;
    return count;
}

sft_result sft_gltf_index(const gltf_reader* reader, sft_json_value value, const char* owner, const char* what,
                          int32_t count, int32_t* out)
{
    *out = -1;
    if (value.kind == SFT_JSON_NONE) return SFT_OK;
    const sft_gltf* gltf = reader->gltf;
    int64_t index = 0;
    const sft_json_fit fit = sft_json_int64(gltf->json, value, &index);
    if (fit == SFT_JSON_NOT_NUMBER || fit == SFT_JSON_FRACTION)
        return sft_gltf_fail(gltf, reader->error, SFT_ERR_SYNTAX, value.start,
                             "%s must name a %s by its index, a whole number; export again", owner, what);
    if (fit == SFT_JSON_OUT_OF_RANGE || index < 0 || index >= count)
    {
        char number[24] = "beyond all numbers";
        const size_t length = value.end - value.start;
        if (length < sizeof number)
        {
            memcpy(number, sft_json_text(gltf->json, NULL) + value.start, length);
            number[length] = '\0';
        }
        return sft_gltf_fail(gltf, reader->error, SFT_ERR_SYNTAX, value.start,
                             "%s names %s %s, which is not there (there are %d); export again", owner, what, number,
                             count);
    }
    *out = (int32_t)index;
    return SFT_OK;
}

int32_t sft_gltf_loose_index(const sft_json* json, sft_json_value value, int32_t count)
{
    int32_t index = -1;
    if (sft_json_int32(json, value, &index) != SFT_JSON_EXACT || index < 0 || index >= count) return -1;
    return index;
}

sft_result sft_gltf_text(const gltf_reader* reader, sft_json_value value, const char** out)
{
    *out = NULL;
    if (value.kind != SFT_JSON_STRING) return SFT_OK;
    const size_t length = sft_json_decode(reader->gltf->json, value, NULL, 0);
    char* text = sft_gltf_keep(reader->gltf, length + 1, 1);
    if (text == NULL) return sft_gltf_no_memory(reader->error);
    sft_json_decode(reader->gltf->json, value, text, length + 1);
    *out = text;
    return SFT_OK;
}
