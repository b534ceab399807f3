// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// Animations as they stand in the JSON: samplers and channels with their indices. What the keys say is judged later,
// once it is known which nodes are joints.

#include "gltf/read.h"

// What is shorter is refused at once, see sft_gltf_room().
#define SHORTEST_CHANNEL (sizeof "{\"sampler\":0,\"target\":{\"path\":\"\"}}" - 1)
#define SHORTEST_SAMPLER (sizeof "{\"input\":0,\"output\":0}" - 1)
#define SHORTEST_ANIMATION (sizeof "{\"channels\":[],\"samplers\":[]}" - 1)

// Channels of the whole document so far.
typedef struct totals
{
    size_t channels, samplers;
} totals;

static const char* const path_names[] = {"translation", "rotation", "scale", "weights", "pointer"};

static sft_result required(const gltf_reader* reader, const char* what, sft_json_value object,
                           const gltf_member* member, sft_json_kind kind)
{
    if (member->value.kind == kind) return SFT_OK;
    return sft_gltf_fail(reader->gltf, reader->error, SFT_ERR_SYNTAX,
                         member->value.kind != SFT_JSON_NONE ? member->value.start : object.start,
                         "%s must have %s '%s'; export again", what, sft_json_kind_name(kind), member->key);
}

// ---- samplers ----

static gltf_interpolation interpolation_of(const sft_json* json, sft_json_value value)
{
    if (value.kind == SFT_JSON_NONE || sft_json_equals(json, value, "LINEAR")) return GLTF_LINEAR;
    if (sft_json_equals(json, value, "STEP")) return GLTF_STEP;
    if (sft_json_equals(json, value, "CUBICSPLINE")) return GLTF_CUBICSPLINE;
    return GLTF_UNKNOWN_INTERPOLATION;
}

static sft_result read_sampler(gltf_reader* reader, int32_t animation, int32_t index, sft_json_value value)
{
    sft_gltf* gltf = reader->gltf;
    gltf_member m[] = {GLTF_MEMBER("input"), GLTF_MEMBER("output"), GLTF_MEMBER("interpolation")};
    char label[64];
    sft_core_format(label, sizeof label, "sampler %d of animation %d", index, animation);
    sft_result result = sft_gltf_members(reader, value, label, m, SFT_COUNT_OF(m));
    if (result == SFT_OK) result = required(reader, label, value, &m[0], SFT_JSON_NUMBER);
    if (result == SFT_OK) result = required(reader, label, value, &m[1], SFT_JSON_NUMBER);
    if (result != SFT_OK) return result;
    gltf_sampler* sampler = &gltf->animations[animation].samplers[index];
    sampler->value = gltf_keep_value(value);
    sampler->interpolation = interpolation_of(gltf->json, m[2].value);
    result = sft_gltf_index(reader, m[0].value, label, "accessor", gltf->accessor_count, &sampler->input);
    if (result == SFT_OK)
        result = sft_gltf_index(reader, m[1].value, label, "accessor", gltf->accessor_count, &sampler->output);
    return result;
}

// ---- channels ----

// The node of a pointer such as "/nodes/7/rotation" that moves it; -1 where it says something else.
static int32_t pointed_node(const gltf_reader* reader, sft_json_value extensions)
{
    const sft_json* json = reader->gltf->json;
    const sft_json_value extension = sft_json_get(json, extensions, "KHR_animation_pointer");
    char text[64];
    const size_t length = sft_json_decode(json, sft_json_get(json, extension, "pointer"), text, sizeof text);
    if (length >= sizeof text || strncmp(text, "/nodes/", 7) != 0) return -1;
    int32_t node = 0;
    const char* p = text + 7;
    for (; *p >= '0' && *p <= '9'; ++p)
    {
        if (node > (INT32_MAX - 9) / 10) return -1;
        node = 10 * node + (*p - '0');
    }
    if (p == text + 7 || *p != '/' || node >= reader->gltf->node_count) return -1;
    const char* what = p + 1;
    const bool moves = strcmp(what, "translation") == 0 || strcmp(what, "rotation") == 0 ||
                       strcmp(what, "scale") == 0 || strcmp(what, "matrix") == 0;
    return moves ? node : -1;
}

static sft_result read_target(gltf_reader* reader, const char* label, sft_json_value value, gltf_channel* channel)
{
    sft_gltf* gltf = reader->gltf;
    gltf_member m[] = {GLTF_MEMBER("node"), GLTF_MEMBER("path"), GLTF_MEMBER("extensions")};
    sft_result result = sft_gltf_members(reader, value, "the target", m, SFT_COUNT_OF(m));
    if (result == SFT_OK) result = required(reader, label, value, &m[1], SFT_JSON_STRING);
    if (result == SFT_OK) result = sft_gltf_index(reader, m[0].value, label, "node", gltf->node_count, &channel->node);
    if (result != SFT_OK) return result;
    channel->path = GLTF_OTHER;
    for (size_t i = 0; i < SFT_COUNT_OF(path_names); ++i)
        if (sft_json_equals(gltf->json, m[1].value, path_names[i])) channel->path = (gltf_path)i;
    if (channel->path == GLTF_POINTER) channel->node = pointed_node(reader, m[2].value);
    return SFT_OK;
}

static sft_result read_channel(gltf_reader* reader, int32_t animation, int32_t index, sft_json_value value)
{
    sft_gltf* gltf = reader->gltf;
    gltf_animation* a = &gltf->animations[animation];
    gltf_member m[] = {GLTF_MEMBER("sampler"), GLTF_MEMBER("target")};
    char label[64];
    sft_core_format(label, sizeof label, "channel %d of animation %d", index, animation);
    sft_result result = sft_gltf_members(reader, value, label, m, SFT_COUNT_OF(m));
    if (result == SFT_OK) result = required(reader, label, value, &m[0], SFT_JSON_NUMBER);
    if (result == SFT_OK) result = required(reader, label, value, &m[1], SFT_JSON_OBJECT);
    if (result != SFT_OK) return result;
    gltf_channel* channel = &a->channels[index];
    channel->value = gltf_keep_value(value);
    result = sft_gltf_index(reader, m[0].value, label, "sampler", a->sampler_count, &channel->sampler);
    if (result == SFT_OK) result = read_target(reader, label, m[1].value, channel);
    if (result == SFT_OK) ++a->samplers[channel->sampler].user_count;
    return result;
}

// ---- animations ----

static sft_result add_total(const gltf_reader* reader, size_t* total, size_t count, const char* what, size_t byte)
{
    const size_t limit = (size_t)reader->def.max_nodes * 16;
    *total += count;
    if (*total <= limit) return SFT_OK;
    return sft_gltf_fail(reader->gltf, reader->error, SFT_ERR_LIMIT, byte,
                         "the animations have more than %z %s; raise max_nodes or split the file", limit, what);
}

static sft_result read_animation(gltf_reader* reader, int32_t index, sft_json_value value, totals* sum)
{
    sft_gltf* gltf = reader->gltf;
    gltf_animation* a = &gltf->animations[index];
    gltf_member m[] = {GLTF_MEMBER("name"), GLTF_MEMBER("channels"), GLTF_MEMBER("samplers")};
    char label[32];
    sft_core_format(label, sizeof label, "animation %d", index);
    sft_result result = sft_gltf_members(reader, value, label, m, SFT_COUNT_OF(m));
    if (result == SFT_OK) result = required(reader, label, value, &m[1], SFT_JSON_ARRAY);
    if (result == SFT_OK) result = required(reader, label, value, &m[2], SFT_JSON_ARRAY);
    if (result != SFT_OK) return result;
    const size_t channels = sft_json_count(gltf->json, m[1].value), samplers = sft_json_count(gltf->json, m[2].value);
    result = add_total(reader, &sum->channels, channels, "channels", m[1].value.start);
    if (result == SFT_OK) result = add_total(reader, &sum->samplers, samplers, "samplers", m[2].value.start);
    if (result == SFT_OK) result = sft_gltf_text(reader, m[0].value, &a->name);
    if (result != SFT_OK) return result;
    a->value = gltf_keep_value(value);
    a->channels =
        sft_gltf_keep(gltf, sft_gltf_room(gltf->json, m[1].value, channels, SHORTEST_CHANNEL), sizeof *a->channels);
    a->samplers =
        sft_gltf_keep(gltf, sft_gltf_room(gltf->json, m[2].value, samplers, SHORTEST_SAMPLER), sizeof *a->samplers);
    if (a->channels == NULL || a->samplers == NULL) return sft_gltf_no_memory(reader->error);
    a->channel_count = a->channel_capacity = (int32_t)channels;
    a->sampler_count = (int32_t)samplers;
    for (sft_json_iter it = sft_json_iterate(gltf->json, m[2].value);
         sft_json_next(gltf->json, &it) && result == SFT_OK;)
        result = read_sampler(reader, index, (int32_t)it.index, it.value);
    for (sft_json_iter it = sft_json_iterate(gltf->json, m[1].value);
         result == SFT_OK && sft_json_next(gltf->json, &it);)
        result = read_channel(reader, index, (int32_t)it.index, it.value);
    return result;
}

sft_result sft_gltf_read_animations(gltf_reader* reader)
{
    sft_gltf* gltf = reader->gltf;
    sft_json_value list;
    int32_t count = 0;
    sft_result result = sft_gltf_list(reader, "animations", 16 * reader->def.max_nodes, &list, &count);
    if (result != SFT_OK) return result;
    gltf->animations = sft_gltf_keep(gltf, sft_gltf_room(gltf->json, list, (size_t)count, SHORTEST_ANIMATION),
                                     sizeof *gltf->animations);
    if (gltf->animations == NULL) return sft_gltf_no_memory(reader->error);
    totals sum = {0, 0};
    for (sft_json_iter it = sft_json_iterate(gltf->json, list); sft_json_next(gltf->json, &it) && result == SFT_OK;)
        result = read_animation(reader, (int32_t)it.index, it.value, &sum);
    if (result != SFT_OK) return result;
    // Only now: a list of millions of {} has been refused, and these entries are large.
    gltf->infos = sft_gltf_keep(gltf, (size_t)count, sizeof *gltf->infos);
    if (gltf->infos == NULL) return sft_gltf_no_memory(reader->error);
    gltf->animation_count = gltf->animation_capacity = count;
    return SFT_OK;
}
