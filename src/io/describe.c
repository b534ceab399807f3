// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// What a document shows of itself, whatever its format.

#include "gltf/curve.h"
#include "io/io.h"
#include "json/json.h"

// Warnings that a document may bring along; more would be a flood.
#define MOST_WARNINGS 200

void* sft_io_keep(sft_io_document* document, size_t count, size_t size)
{
    if (size > 0 && count > (SIZE_MAX - sizeof(io_block)) / size) return NULL;
    const size_t total = sizeof(io_block) + count * size;
    io_block* block = sft_core_alloc(&document->allocator, 1, total);
    if (block == NULL) return NULL;
    block->size = total;
    block->next = document->blocks;
    document->blocks = block;
    return block + 1;
}

char* sft_io_keep_text(sft_io_document* document, const char* text, size_t size)
{
    char* copy = sft_io_keep(document, size + 1, 1);
    if (copy != NULL && size > 0) memcpy(copy, text, size);
    return copy;
}

static bool reserve_clips(sft_io_document* d, size_t count)
{
    if (d->clip_count == count) return true;
    sft_io_clip* clips = sft_core_alloc(&d->allocator, count, sizeof *clips);
    if (clips == NULL) return false;
    sft_core_free(&d->allocator, d->clips, d->clip_count, sizeof *d->clips);
    d->clips = clips;
    d->clip_count = count;
    return true;
}

static sft_result describe_bvh(sft_io_document* d)
{
    const sft_bvh_contents* v = sft_bvh_view(d->bvh);
    if (!reserve_clips(d, 1)) return SFT_ERR_MEMORY;
    d->clips[0] = (sft_io_clip){.name = "",
                                .frame_count = v->frame_count,
                                .frame_time = v->frame_time,
                                .stored = true,
                                .frame_time_text = v->frame_time_text,
                                .channel_count = v->channel_count};
    d->view = (sft_io_contents){.format = SFT_IO_BVH,
                                .source = SFT_IO_BVH,
                                .joint_count = v->joint_count,
                                .clip_count = 1,
                                .clips = d->clips,
                                .up = -1,
                                .frame_rate = sft_default_gltf_clip_def().fps,
                                .warning_count = v->warning_count,
                                .warnings = v->warnings};
    return SFT_OK;
}

// Frames as sft_gltf_to_clip takes them where nothing is said; false when memory is short.
static bool describe_frames(sft_io_document* d, int32_t index, sft_io_clip* out)
{
    const sft_gltf_animation* a = &sft_gltf_view(d->gltf)->animations[index];
    sft_gltf_clip_def def = sft_default_gltf_clip_def();
    def.fps = d->view.frame_rate;
    // An animation that cannot be sampled still tells its times.
    sft_gltf_frames frames = {.frame_count = 0, .start = a->start, .frame_time = 1.0 / def.fps};
    if (a->problem[0] == '\0')
    {
        int32_t* map = sft_gltf_map_channels(d->gltf, index, &d->allocator);
        if (map == NULL) return false;
        sft_error error = {0};
        if (sft_gltf_plan_frames(d->gltf, index, &def, map, &frames, &error) != SFT_OK)
            out->problem = sft_io_keep_text(d, error.message, strlen(error.message));
        sft_core_free(&d->allocator, map, 3 * (size_t)sft_gltf_view(d->gltf)->joint_count, sizeof *map);
    }
    out->frame_count = frames.frame_count;
    out->start = frames.start;
    out->frame_time = frames.frame_time;
    out->stored = frames.stored;
    return true;
}

// ---- what extras say ----

// The object "surefoot" of some extras: NONE where there is none, or where they are not what they should be: then
// somebody else wrote them. *json is to be destroyed.
static sft_result open_extras(const sft_io_document* d, sft_gltf_kind kind, int32_t index, sft_json** json,
                              sft_json_value* object)
{
    size_t size = 0;
    const char* text = sft_gltf_extras(d->gltf, kind, index, &size);
    *json = NULL;
    *object = (sft_json_value){0};
    if (text == NULL) return SFT_OK;
    const sft_result result = sft_json_parse(&d->allocator, text, size, NULL, json, NULL);
    if (result != SFT_OK) return result == SFT_ERR_MEMORY ? result : SFT_OK;
    *object = sft_json_get(*json, sft_json_root(*json), "surefoot");
    return SFT_OK;
}

// The document's own warnings, then those that came along from where it was made.
static sft_result merge_warnings(sft_io_document* d, const sft_gltf_contents* v, const sft_json* json,
                                 sft_json_value list)
{
    const size_t more = list.kind == SFT_JSON_ARRAY ? sft_json_count(json, list) : 0;
    const size_t own = (size_t)v->warning_count, count = own + (more < MOST_WARNINGS ? more : MOST_WARNINGS);
    sft_warning* all = sft_core_alloc(&d->allocator, count, sizeof *all);
    if (all == NULL) return SFT_ERR_MEMORY;
    if (own > 0) memcpy(all, v->warnings, own * sizeof *all);
    sft_json_iter it = sft_json_iterate(json, list);
    for (size_t i = own; i < count && sft_json_next(json, &it); ++i)
        sft_json_decode(json, it.value, all[i].message, sizeof all[i].message);
    sft_core_free(&d->allocator, d->warnings, d->warning_count, sizeof *d->warnings);
    d->warnings = all;
    d->warning_count = count;
    return SFT_OK;
}

static sft_result describe_origin(sft_io_document* d, const sft_gltf_contents* v, sft_io_format* source)
{
    sft_json* json;
    sft_json_value object;
    sft_result result = open_extras(d, SFT_GLTF_ASSET, 0, &json, &object);
    if (result != SFT_OK || json == NULL) return result;
    if (sft_json_equals(json, sft_json_get(json, object, "source"), "fbx")) *source = SFT_IO_FBX;
    double rate;
    // What nobody animates at is not what the file says.
    if (*source == SFT_IO_FBX && sft_json_double(json, sft_json_get(json, object, "frame_rate"), &rate) &&
        rate >= 1.0 && rate <= 1000.0)
        d->view.frame_rate = rate;
    const sft_json_value list = sft_json_get(json, object, "warnings");
    if (list.kind == SFT_JSON_ARRAY) result = merge_warnings(d, v, json, list);
    sft_json_destroy(json);
    return result;
}

// The frame time as the BVH that the clip once was wrote it. Kept once: extras do not change.
static sft_result describe_frame_time(sft_io_document* d, int32_t clip)
{
    sft_json* json;
    sft_json_value object;
    const sft_result result = open_extras(d, SFT_GLTF_ANIMATION, clip, &json, &object);
    if (result != SFT_OK || json == NULL) return result;
    const sft_json_value text = sft_json_get(json, object, "frame_time");
    const size_t length = text.kind == SFT_JSON_STRING ? sft_json_decode(json, text, NULL, 0) : 0;
    char* kept = length > 0 && length < 64 ? sft_io_keep(d, length + 1, 1) : NULL;
    if (kept != NULL) sft_json_decode(json, text, kept, length + 1);
    d->clips[clip].frame_time_text = kept;
    sft_json_destroy(json);
    return SFT_OK;
}

// ---- glTF ----

static sft_result describe_clips(sft_io_document* d, const sft_gltf_contents* v)
{
    const bool known = d->clips != NULL && d->clip_count == (size_t)v->animation_count;
    if (!reserve_clips(d, (size_t)v->animation_count)) return SFT_ERR_MEMORY;
    sft_result result = SFT_OK;
    for (int32_t i = 0; i < v->animation_count && result == SFT_OK; ++i)
    {
        const sft_gltf_animation* a = &v->animations[i];
        const char* text = known ? d->clips[i].frame_time_text : NULL;
        d->clips[i] = (sft_io_clip){.name = a->name,
                                    .frame_time_text = text,
                                    .channel_count = a->channel_count,
                                    .other_count = a->other_count,
                                    .problem = a->problem[0] != '\0' ? a->problem : NULL};
        if (!describe_frames(d, i, &d->clips[i])) return SFT_ERR_MEMORY;
        if (!known) result = describe_frame_time(d, i);
    }
    return result;
}

static sft_result describe_gltf(sft_io_document* d)
{
    const sft_gltf_contents* v = sft_gltf_view(d->gltf);
    d->view.frame_rate = sft_default_gltf_clip_def().fps;
    const sft_io_format format = d->asked != SFT_IO_AUTO ? d->asked : v->glb ? SFT_IO_GLB : SFT_IO_GLTF;
    sft_io_format source = format;
    sft_result result = describe_origin(d, v, &source);
    if (result == SFT_OK) result = describe_clips(d, v);
    if (result != SFT_OK) return result;
    d->view = (sft_io_contents){.format = format,
                                .source = source,
                                .joint_count = v->joint_count,
                                .clip_count = v->animation_count,
                                .clips = d->clips,
                                .unit_metres = 1.0,
                                .up = SFT_AXIS_Y,
                                .frame_rate = d->view.frame_rate,
                                .warning_count = d->warnings != NULL ? (int32_t)d->warning_count : v->warning_count,
                                .warnings = d->warnings != NULL ? d->warnings : v->warnings};
    return SFT_OK;
}

sft_result sft_io_describe(sft_io_document* document)
{
    const sft_result result = document->bvh != NULL ? describe_bvh(document) : describe_gltf(document);
    document->view.resource_count = (int32_t)document->resource_count;
    document->view.resources = document->resources;
    return result;
}

sft_result sft_io_wrap(sft_bvh* bvh, sft_gltf* gltf, const sft_allocator* allocator, sft_io_document** out)
{
    const sft_allocator a = sft_core_allocator(allocator);
    sft_io_document* document = sft_core_alloc(&a, 1, sizeof *document);
    if (document == NULL) return SFT_ERR_MEMORY;
    document->allocator = a;
    document->bvh = bvh;
    document->gltf = gltf;
    const sft_result result = sft_io_describe(document);
    if (result != SFT_OK)
    {
        document->bvh = NULL;
        document->gltf = NULL;
        sft_io_destroy(document);
        return result;
    }
    *out = document;
    return SFT_OK;
}
