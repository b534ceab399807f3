// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// Walks the records of a binary file of version 7. A record is: where it ends, how many values, their bytes, a name,
// the values, and records inside up to an empty one. Sizes are 32 bits wide, 64 from version 7500 on.

#include "fbx.h"

#include <string.h>
#include <zlib.h>

typedef struct walker
{
    fbx_arena* arena;
    const unsigned char* bytes;
    size_t size;
    bool wide;
    size_t last; // record that was begun last
} walker;

static uint64_t little(const unsigned char* p, int bytes)
{
    uint64_t value = 0;
    for (int i = 0; i < bytes; ++i)
        value |= (uint64_t)p[i] << (8 * i);
    return value;
}

static double real_of(const unsigned char* p, int bytes)
{
    const uint64_t bits = little(p, bytes);
    if (bytes == 4)
    {
        const uint32_t half = (uint32_t)bits;
        float value;
        memcpy(&value, &half, sizeof value);
        return (double)value;
    }
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static int width_of(unsigned char type)
{
    switch (type)
    {
    case 'C':
    case 'B':
    case 'b':
    case 'c':
        return 1;
    case 'Y':
        return 2;
    case 'I':
    case 'F':
    case 'i':
    case 'f':
        return 4;
    case 'L':
    case 'D':
    case 'l':
    case 'd':
        return 8;
    default:
        return 0;
    }
}

static int64_t integer_of(const unsigned char* p, int bytes)
{
    const uint64_t bits = little(p, bytes);
    if (bytes == 1) return (int64_t)bits;
    if (bytes == 2) return (int16_t)bits;
    if (bytes == 4) return (int32_t)bits;
    return (int64_t)bits;
}

// Elements of an array, inflated where needed.
static bool fill(walker* w, unsigned char type, const unsigned char* data, size_t data_size, bool packed,
                 fbx_value* out)
{
    const int width = width_of(type);
    const size_t bytes = out->count * (size_t)width;
    if (packed)
    {
        unsigned char* plain = fbx_alloc(w->arena, bytes, 1);
        uLongf got = (uLongf)bytes;
        if (plain == NULL || uncompress(plain, &got, data, (uLong)data_size) != Z_OK || got != bytes) return false;
        data = plain;
    }
    else if (data_size != bytes)
        return false;
    if (type == 'f' || type == 'd')
    {
        double* reals = fbx_alloc(w->arena, out->count, sizeof *reals);
        for (size_t i = 0; reals != NULL && i < out->count; ++i)
            reals[i] = real_of(data + i * (size_t)width, width);
        out->kind = FBX_REALS;
        out->reals = reals;
        return reals != NULL;
    }
    int64_t* integers = fbx_alloc(w->arena, out->count, sizeof *integers);
    for (size_t i = 0; integers != NULL && i < out->count; ++i)
        integers[i] = integer_of(data + i * (size_t)width, width);
    out->kind = FBX_INTEGERS;
    out->integers = integers;
    return integers != NULL;
}

// One value at *at, which moves behind it.
static bool take_value(walker* w, size_t* at, size_t end, fbx_value* out)
{
    if (*at >= end) return false;
    const unsigned char type = w->bytes[(*at)++];
    const unsigned char* p = w->bytes + *at;
    const size_t left = end - *at;
    const int width = width_of(type);
    if (type == 'S' || type == 'R')
    {
        if (left < 4) return false;
        const uint64_t size = little(p, 4);
        if (size > left - 4) return false;
        out->kind = FBX_STRING;
        out->count = (size_t)size;
        out->string = fbx_copy(w->arena, (const char*)p + 4, (size_t)size);
        *at += 4 + (size_t)size;
        return out->string != NULL;
    }
    if (width == 0) return false;
    if (type < 'a')
    {
        if (left < (size_t)width) return false;
        out->kind = FBX_NUMBER;
        const bool real = type == 'F' || type == 'D';
        out->real = real ? real_of(p, width) : (double)integer_of(p, width);
        out->integer = real ? 0 : integer_of(p, width);
        *at += (size_t)width;
        return true;
    }
    if (left < 12) return false;
    out->count = (size_t)little(p, 4);
    const uint64_t packed = little(p + 4, 4);
    const uint64_t stored = little(p + 8, 4);
    const uint64_t size = packed == 0 ? (uint64_t)out->count * (uint64_t)width : stored;
    if (packed > 1 || size > left - 12) return false;
    *at += 12 + (size_t)size;
    return fill(w, type, p + 12, (size_t)size, packed == 1, out);
}

static bool walk(walker* w, size_t at, size_t end, const char* parent, int depth, fbx_record** out);

// The record at `at`; *next is behind it, or 0 at the empty record that ends a list.
static bool take_record(walker* w, size_t at, size_t end, const char* parent, int depth, size_t* next, fbx_record** out)
{
    const int width = w->wide ? 8 : 4;
    const size_t head = (size_t)(3 * width + 1);
    w->last = at;
    if (end - at < head) return false;
    const unsigned char* p = w->bytes + at;
    const uint64_t stop = little(p, width), count = little(p + width, width), list = little(p + 2 * width, width);
    const size_t name_size = p[3 * width];
    *next = 0;
    *out = NULL;
    if (stop == 0) return true;
    if (stop > end || stop < at + head + name_size || list > stop - at - head - name_size) return false;
    *next = (size_t)stop;
    const char* name = (const char*)p + head;
    if (!fbx_keeps(parent, name, name_size, depth)) return true;
    fbx_record* record = fbx_alloc(w->arena, 1, sizeof *record);
    const size_t keep = count < FBX_VALUES ? (size_t)count : FBX_VALUES;
    if (record == NULL) return false;
    record->name = fbx_copy(w->arena, name, name_size);
    record->values = fbx_alloc(w->arena, keep, sizeof *record->values);
    if (record->name == NULL || record->values == NULL) return false;
    size_t place = at + head + name_size;
    const size_t inside = place + (size_t)list;
    while (record->value_count < keep)
        if (!take_value(w, &place, inside, &record->values[record->value_count++])) return false;
    *out = record;
    return walk(w, inside, (size_t)stop, record->name, depth + 1, &record->child);
}

static bool walk(walker* w, size_t at, size_t end, const char* parent, int depth, fbx_record** out)
{
    fbx_record** last = out;
    while (at < end)
    {
        size_t next;
        fbx_record* record;
        if (!take_record(w, at, end, parent, depth, &next, &record)) return false;
        if (next == 0) break;
        at = next;
        if (record == NULL) continue;
        *last = record;
        last = &record->next;
    }
    return true;
}

fbx_record* fbx_binary_tree(fbx_arena* arena, const unsigned char* bytes, size_t size, char place[FBX_PLACE])
{
    const uint32_t version = fbx_binary_version(bytes, size);
    walker w = {arena, bytes, size, version >= 7500, 27};
    fbx_record* root = fbx_alloc(arena, 1, sizeof *root);
    if (root == NULL || version < 7000 || version >= 8000) return NULL;
    root->name = "";
    if (walk(&w, 27, size, NULL, 0, &root->child)) return root;
    snprintf(place, FBX_PLACE, "byte %llu", (unsigned long long)w.last);
    return NULL;
}
