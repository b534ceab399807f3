// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// What a document shows of itself, whatever its format.

#include <math.h>

#include "io/io.h"

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
                                .channel_count = v->channel_count};
    d->view = (sft_io_contents){.format = SFT_IO_BVH,
                                .source = SFT_IO_BVH,
                                .joint_count = v->joint_count,
                                .clip_count = 1,
                                .clips = d->clips,
                                .up = -1,
                                .warning_count = v->warning_count,
                                .warnings = v->warnings};
    return SFT_OK;
}

// Frames as sft_gltf_to_clip takes them where no joint is chosen.
static void describe_frames(const sft_gltf_animation* a, sft_io_clip* out)
{
    out->start = a->start;
    out->stored = a->even;
    out->frame_time = a->even && a->frame_time > 0.0 ? a->frame_time : 1.0 / 60.0;
    out->frame_count = 1 + (int32_t)floor((a->end - a->start) / out->frame_time + 0.5);
}

static sft_result describe_gltf(sft_io_document* d)
{
    const sft_gltf_contents* v = sft_gltf_view(d->gltf);
    if (!reserve_clips(d, (size_t)v->animation_count)) return SFT_ERR_MEMORY;
    for (int32_t i = 0; i < v->animation_count; ++i)
    {
        const sft_gltf_animation* a = &v->animations[i];
        d->clips[i] = (sft_io_clip){.name = a->name,
                                    .channel_count = a->channel_count,
                                    .other_count = a->other_count,
                                    .problem = a->problem[0] != '\0' ? a->problem : NULL};
        describe_frames(a, &d->clips[i]);
    }
    const sft_io_format format = d->asked != SFT_IO_AUTO ? d->asked : v->glb ? SFT_IO_GLB : SFT_IO_GLTF;
    d->view = (sft_io_contents){.format = format,
                                .source = format,
                                .joint_count = v->joint_count,
                                .clip_count = v->animation_count,
                                .clips = d->clips,
                                .unit_metres = 1.0,
                                .up = SFT_AXIS_Y,
                                .warning_count = v->warning_count,
                                .warnings = v->warnings};
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
