// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// Entries of `bufferViews` and `accessors`. Most of them belong to meshes, which are not judged: an entry that makes no
// sense is marked, and read once more, aloud, when an animation wants it.

#include "gltf/read.h"

// What is shorter is refused at once, see sft_gltf_room().
#define SHORTEST_VIEW (sizeof "{\"buffer\":0,\"byteLength\":0}" - 1)
#define SHORTEST_ACCESSOR (sizeof "{\"componentType\":5126,\"count\":0,\"type\":\"VEC3\"}" - 1)

// A count, offset or length: a whole number up to `limit`; `fallback` where it is not there.
static sft_result read_size(const gltf_reader* reader, sft_json_value value, const char* what, uint64_t limit,
                            uint64_t fallback, uint64_t* out)
{
    *out = fallback;
    if (value.kind == SFT_JSON_NONE) return SFT_OK;
    if (sft_json_uint64(reader->gltf->json, value, out) != SFT_JSON_EXACT || *out > limit)
        return sft_gltf_fail(reader->gltf, reader->error, SFT_ERR_SYNTAX, value.start,
                             "%s must be a whole number, not negative and not beyond any file; export again", what);
    return SFT_OK;
}

static sft_result missing(const gltf_reader* reader, sft_json_value object, const char* what, const char* key)
{
    return sft_gltf_fail(reader->gltf, reader->error, SFT_ERR_SYNTAX, object.start, "%s has no '%s'; export again",
                         what, key);
}

// ---- views ----

// The extension that says the bytes are not what the core standard says.
static sft_result read_compression(const gltf_reader* reader, sft_json_value extensions, const char** out)
{
    const sft_json* json = reader->gltf->json;
    *out = NULL;
    for (sft_json_iter it = sft_json_iterate(json, extensions); sft_json_next(json, &it);)
    {
        char key[64];
        sft_json_decode(json, it.key, key, sizeof key);
        if (strstr(key, "compression") != NULL) return sft_gltf_text(reader, it.key, out);
    }
    return SFT_OK;
}

sft_result sft_gltf_read_view(const gltf_reader* reader, sft_json_value value, size_t index, gltf_view* out)
{
    char name[32];
    sft_core_format(name, sizeof name, "buffer view %z", index);
    gltf_member members[] = {GLTF_MEMBER("buffer"), GLTF_MEMBER("byteOffset"), GLTF_MEMBER("byteLength"),
                             GLTF_MEMBER("byteStride"), GLTF_MEMBER("extensions")};
    gltf_view view = {.start = (uint32_t)value.start};
    uint64_t stride = 0;
    sft_result result = sft_gltf_members(reader, value, name, members, SFT_COUNT_OF(members));
    if (result == SFT_OK && members[0].value.kind == SFT_JSON_NONE) return missing(reader, value, name, "buffer");
    if (result == SFT_OK && members[2].value.kind == SFT_JSON_NONE) return missing(reader, value, name, "byteLength");
    if (result == SFT_OK)
        result = sft_gltf_index(reader, members[0].value, name, "buffer", reader->gltf->buffer_count, &view.buffer);
    if (result == SFT_OK)
        result = read_size(reader, members[1].value, "byteOffset", UINT64_C(1) << 53, 0, &view.offset);
    if (result == SFT_OK)
        result = read_size(reader, members[2].value, "byteLength", UINT64_C(1) << 53, 0, &view.length);
    if (result == SFT_OK) result = read_size(reader, members[3].value, "byteStride", UINT32_MAX, 0, &stride);
    if (result == SFT_OK) result = read_compression(reader, members[4].value, &view.compression);
    if (result != SFT_OK) return result;
    view.stride = (uint32_t)stride;
    *out = view;
    return SFT_OK;
}

sft_result sft_gltf_read_views(gltf_reader* reader)
{
    sft_gltf* gltf = reader->gltf;
    sft_json_value list;
    sft_result result = sft_gltf_list(reader, "bufferViews", 16 * reader->def.max_nodes, &list, &gltf->view_count);
    if (result != SFT_OK) return result;
    gltf->views = sft_gltf_keep(gltf, sft_gltf_room(gltf->json, list, (size_t)gltf->view_count, SHORTEST_VIEW),
                                sizeof *gltf->views);
    if (gltf->views == NULL) return sft_gltf_no_memory(reader->error);
    const gltf_reader silent = {.gltf = gltf, .def = reader->def, .root = reader->root};
    for (sft_json_iter it = sft_json_iterate(gltf->json, list); sft_json_next(gltf->json, &it);)
    {
        const bool is_short = it.value.end - it.value.start < SHORTEST_VIEW;
        gltf_view* view = &gltf->views[it.index];
        result = sft_gltf_read_view(is_short ? reader : &silent, it.value, it.index, view);
        if (result == SFT_OK) continue;
        if (is_short) return result;
        if (result == SFT_ERR_MEMORY) return sft_gltf_no_memory(reader->error);
        *view = (gltf_view){.buffer = -1, .start = (uint32_t)it.value.start, .broken = true};
    }
    return SFT_OK;
}

// ---- accessors ----

static sft_result read_component(const gltf_reader* reader, sft_json_value value, unsigned* out)
{
    int32_t component = 0;
    sft_json_int32(reader->gltf->json, value, &component);
    if (component < GLTF_I8 || component > GLTF_F32 || component == 5124)
        return sft_gltf_fail(reader->gltf, reader->error, SFT_ERR_SYNTAX, value.start,
                             "componentType must be 5120, 5121, 5122, 5123, 5125 or 5126; export again");
    *out = (unsigned)component;
    return SFT_OK;
}

static sft_result read_type(const gltf_reader* reader, sft_json_value value, gltf_accessor* accessor)
{
    static const struct
    {
        const char* name;
        uint8_t width;
        bool matrix;
    } types[] = {{"SCALAR", 1, false}, {"VEC2", 2, false}, {"VEC3", 3, false}, {"VEC4", 4, false},
                 {"MAT2", 4, true},    {"MAT3", 9, true},  {"MAT4", 16, true}};
    for (size_t i = 0; i < SFT_COUNT_OF(types); ++i)
    {
        if (!sft_json_equals(reader->gltf->json, value, types[i].name)) continue;
        accessor->width = types[i].width;
        accessor->matrix = types[i].matrix;
        return SFT_OK;
    }
    return sft_gltf_fail(reader->gltf, reader->error, SFT_ERR_SYNTAX, value.start,
                         "type must be SCALAR, VEC2 to VEC4 or MAT2 to MAT4; export again");
}

static sft_result read_sparse_parts(const gltf_reader* reader, sft_json_value indices, sft_json_value values,
                                    gltf_sparse* sparse)
{
    gltf_member i[] = {GLTF_MEMBER("bufferView"), GLTF_MEMBER("byteOffset"), GLTF_MEMBER("componentType")};
    gltf_member v[] = {GLTF_MEMBER("bufferView"), GLTF_MEMBER("byteOffset")};
    unsigned component = 0;
    const int32_t views = reader->gltf->view_count;
    sft_result result = sft_gltf_members(reader, indices, "'indices'", i, SFT_COUNT_OF(i));
    if (result == SFT_OK) result = sft_gltf_members(reader, values, "'values'", v, SFT_COUNT_OF(v));
    if (result == SFT_OK && i[0].value.kind == SFT_JSON_NONE)
        return missing(reader, indices, "'indices'", "bufferView");
    if (result == SFT_OK && v[0].value.kind == SFT_JSON_NONE) return missing(reader, values, "'values'", "bufferView");
    if (result == SFT_OK)
        result = sft_gltf_index(reader, i[0].value, "'indices'", "buffer view", views, &sparse->index_view);
    if (result == SFT_OK)
        result = sft_gltf_index(reader, v[0].value, "'values'", "buffer view", views, &sparse->value_view);
    if (result == SFT_OK)
        result = read_size(reader, i[1].value, "byteOffset", UINT64_C(1) << 53, 0, &sparse->index_offset);
    if (result == SFT_OK)
        result = read_size(reader, v[1].value, "byteOffset", UINT64_C(1) << 53, 0, &sparse->value_offset);
    if (result == SFT_OK) result = read_component(reader, i[2].value, &component);
    if (result != SFT_OK) return result;
    if (component != GLTF_U8 && component != GLTF_U16 && component != GLTF_U32)
        return sft_gltf_fail(reader->gltf, reader->error, SFT_ERR_SYNTAX, i[2].value.start,
                             "sparse indices must have componentType 5121, 5123 or 5125; export again");
    sparse->index_component = (gltf_component)component;
    return SFT_OK;
}

static sft_result read_sparse(const gltf_reader* reader, sft_json_value value, const gltf_sparse** out)
{
    gltf_member members[] = {GLTF_MEMBER("count"), GLTF_MEMBER("indices"), GLTF_MEMBER("values")};
    *out = NULL;
    if (value.kind == SFT_JSON_NONE) return SFT_OK;
    uint64_t count = 0;
    sft_result result = sft_gltf_members(reader, value, "'sparse'", members, SFT_COUNT_OF(members));
    for (size_t i = 0; i < SFT_COUNT_OF(members) && result == SFT_OK; ++i)
        if (members[i].value.kind == SFT_JSON_NONE) result = missing(reader, value, "'sparse'", members[i].key);
    if (result == SFT_OK) result = read_size(reader, members[0].value, "count", UINT32_MAX, 0, &count);
    if (result != SFT_OK) return result;
    if (count == 0)
        return sft_gltf_fail(reader->gltf, reader->error, SFT_ERR_SYNTAX, members[0].value.start,
                             "count of 'sparse' must be at least 1; export again");
    gltf_sparse sparse = {.count = (uint32_t)count};
    result = read_sparse_parts(reader, members[1].value, members[2].value, &sparse);
    if (result != SFT_OK) return result;
    gltf_sparse* kept = sft_gltf_keep(reader->gltf, 1, sizeof *kept);
    if (kept == NULL) return sft_gltf_no_memory(reader->error);
    *kept = sparse;
    *out = kept;
    return SFT_OK;
}

sft_result sft_gltf_read_accessor(const gltf_reader* reader, sft_json_value value, size_t index, gltf_accessor* out)
{
    char name[32];
    sft_core_format(name, sizeof name, "accessor %z", index);
    gltf_member m[] = {GLTF_MEMBER("bufferView"), GLTF_MEMBER("byteOffset"), GLTF_MEMBER("componentType"),
                       GLTF_MEMBER("normalized"), GLTF_MEMBER("count"),      GLTF_MEMBER("type"),
                       GLTF_MEMBER("sparse")};
    gltf_accessor accessor = {.view = -1, .start = (uint32_t)value.start};
    uint64_t count = 0;
    unsigned component = 0;
    sft_result result = sft_gltf_members(reader, value, name, m, SFT_COUNT_OF(m));
    if (result != SFT_OK) return result;
    if (m[2].value.kind == SFT_JSON_NONE) return missing(reader, value, name, "componentType");
    if (m[4].value.kind == SFT_JSON_NONE) return missing(reader, value, name, "count");
    if (m[5].value.kind == SFT_JSON_NONE) return missing(reader, value, name, "type");
    result = sft_gltf_index(reader, m[0].value, name, "buffer view", reader->gltf->view_count, &accessor.view);
    if (result == SFT_OK) result = read_size(reader, m[1].value, "byteOffset", UINT64_C(1) << 53, 0, &accessor.offset);
    if (result == SFT_OK) result = read_component(reader, m[2].value, &component);
    if (result == SFT_OK) result = read_size(reader, m[4].value, "count", UINT32_MAX, 0, &count);
    if (result == SFT_OK) result = read_type(reader, m[5].value, &accessor);
    if (result == SFT_OK) result = read_sparse(reader, m[6].value, &accessor.sparse);
    if (result != SFT_OK) return result;
    accessor.component = (uint16_t)component;
    // The standard forbids `normalized` on floats and 32-bit integers; there it changes nothing or little.
    accessor.normalized = m[3].value.kind == SFT_JSON_TRUE && component != GLTF_F32;
    accessor.count = (uint32_t)count;
    *out = accessor;
    return SFT_OK;
}

sft_result sft_gltf_read_accessors(gltf_reader* reader)
{
    sft_gltf* gltf = reader->gltf;
    sft_json_value list;
    sft_result result = sft_gltf_list(reader, "accessors", 16 * reader->def.max_nodes, &list, &gltf->accessor_count);
    if (result != SFT_OK) return result;
    gltf->accessors =
        sft_gltf_keep(gltf, sft_gltf_room(gltf->json, list, (size_t)gltf->accessor_count, SHORTEST_ACCESSOR),
                      sizeof *gltf->accessors);
    if (gltf->accessors == NULL) return sft_gltf_no_memory(reader->error);
    const gltf_reader silent = {.gltf = gltf, .def = reader->def, .root = reader->root};
    for (sft_json_iter it = sft_json_iterate(gltf->json, list); sft_json_next(gltf->json, &it);)
    {
        const bool is_short = it.value.end - it.value.start < SHORTEST_ACCESSOR;
        gltf_accessor* accessor = &gltf->accessors[it.index];
        result = sft_gltf_read_accessor(is_short ? reader : &silent, it.value, it.index, accessor);
        if (result == SFT_OK) continue;
        if (is_short) return result;
        if (result == SFT_ERR_MEMORY) return sft_gltf_no_memory(reader->error);
        *accessor = (gltf_accessor){.view = -1, .start = (uint32_t)it.value.start, .width = 1, .broken = true};
    }
    return SFT_OK;
}
