// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// Keys that stand twice in one object. Keys are sorted by a hash, then by what they say: text made to collide costs
// comparisons, never more than n log n of them.

#include "json/json_internal.h"

typedef struct keyed
{
    uint32_t hash; ///< half of one: eight bytes a member keep the search within the memory the tape may take
    uint32_t member;
} keyed;

static uint32_t hash_key(const sft_json* json, const sft_json_entry* member)
{
    size_t at = member->start + 1;
    const size_t end = at + (member->info & ~SFT_JSON_ESCAPED);
    if ((member->info & SFT_JSON_ESCAPED) == 0)
        return (uint32_t)(sft_core_hash(SFT_HASH_SEED, json->text + at, end - at) >> 32);
    uint64_t hash = SFT_HASH_SEED;
    while (at < end)
    {
        char one[4];
        const size_t bytes = sft_json_decode_one(json->text, end, &at, one);
        hash = sft_core_hash(hash, one, bytes);
    }
    return (uint32_t)(hash >> 32);
}

// Below zero, zero, above: order of two keys as decoded bytes.
static int compare_keys(const sft_json* json, uint32_t a, uint32_t b)
{
    const sft_json_entry *x = &json->tape[a], *y = &json->tape[b];
    size_t i = x->start + 1, j = y->start + 1;
    const size_t x_size = x->info & ~SFT_JSON_ESCAPED, y_size = y->info & ~SFT_JSON_ESCAPED;
    const size_t x_end = i + x_size, y_end = j + y_size;
    if (((x->info | y->info) & SFT_JSON_ESCAPED) == 0)
    {
        const int order = memcmp(json->text + i, json->text + j, x_size < y_size ? x_size : y_size);
        return order != 0 ? order : (x_size > y_size) - (x_size < y_size);
    }
    while (i < x_end && j < y_end)
    {
        char p[4] = {0}, q[4] = {0};
        sft_json_decode_one(json->text, x_end, &i, p);
        sft_json_decode_one(json->text, y_end, &j, q);
        const int order = memcmp(p, q, 4);
        if (order != 0) return order;
    }
    return (i < x_end) - (j < y_end);
}

static int compare_keyed(const sft_json* json, const keyed* a, const keyed* b)
{
    if (a->hash != b->hash) return a->hash < b->hash ? -1 : 1;
    const int order = compare_keys(json, a->member, b->member);
    return order != 0 ? order : (a->member > b->member) - (a->member < b->member);
}

static void sift(const sft_json* json, keyed* heap, size_t root, size_t count)
{
    const keyed moved = heap[root];
    for (size_t child; (child = 2 * root + 1) < count; root = child)
    {
        if (child + 1 < count && compare_keyed(json, &heap[child], &heap[child + 1]) < 0) ++child;
        if (compare_keyed(json, &moved, &heap[child]) >= 0) break;
        heap[root] = heap[child];
    }
    heap[root] = moved;
}

static void sort(const sft_json* json, keyed* keys, size_t count)
{
    for (size_t i = count / 2; i-- > 0;)
        sift(json, keys, i, count);
    for (size_t i = count; i-- > 1;)
    {
        const keyed last = keys[i];
        keys[i] = keys[0];
        keys[0] = last;
        sift(json, keys, 0, i);
    }
}

// The first member of the object whose key stood before, SFT_JSON_NO_ENTRY where none did.
static sft_result find_in_object(const sft_json* json, uint32_t object, uint32_t* found)
{
    *found = SFT_JSON_NO_ENTRY;
    const uint32_t stop = json->tape[object].info;
    size_t count = 0;
    for (uint32_t e = object + 1; e < stop; e = sft_json_after_member(json, e))
        ++count;
    if (count < 2) return SFT_OK;
    keyed few[16];
    keyed* keys = count <= SFT_COUNT_OF(few) ? few : sft_core_alloc(&json->allocator, count, sizeof *keys);
    if (keys == NULL) return SFT_ERR_MEMORY;
    size_t i = 0;
    for (uint32_t e = object + 1; e < stop; e = sft_json_after_member(json, e))
        keys[i++] = (keyed){hash_key(json, &json->tape[e]), e};
    sort(json, keys, count);
    for (i = 1; i < count; ++i)
    {
        const bool same =
            keys[i - 1].hash == keys[i].hash && compare_keys(json, keys[i - 1].member, keys[i].member) == 0;
        if (same && keys[i].member < *found) *found = keys[i].member;
    }
    if (keys != few) sft_core_free(&json->allocator, keys, count, sizeof *keys);
    return SFT_OK;
}

sft_result sft_json_find_duplicate(const sft_json* json, sft_json_value object, sft_json_value* key)
{
    if (json == NULL || key == NULL) return SFT_ERR_ARG;
    const bool all = object.kind == SFT_JSON_NONE;
    uint32_t first = SFT_JSON_NO_ENTRY;
    if (object.kind == SFT_JSON_OBJECT)
    {
        const sft_result result = find_in_object(json, object.entry, &first);
        if (result != SFT_OK) return result;
    }
    for (uint32_t e = 0; all && e < json->count; ++e)
    {
        // What comes later in the text cannot be first.
        if (first < e) break;
        if (json->text[json->tape[e].start] != '{') continue;
        uint32_t found;
        const sft_result result = find_in_object(json, e, &found);
        if (result != SFT_OK) return result;
        if (found < first) first = found;
    }
    *key = first == SFT_JSON_NO_ENTRY ? (sft_json_value){0} : sft_json_key_of(&json->tape[first]);
    return SFT_OK;
}
