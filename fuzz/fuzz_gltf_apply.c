// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// Any document that can be read: its clips are taken out, changed and put back. What then comes out again must be what
// was put in, as far as floats hold it; what is refused must leave the document as it was.

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "surefoot/gltf.h"

// Small enough that spans of hours at 60 frames a second, which a few bytes can ask for, are refused at once.
#define MEMORY ((size_t)16 << 20)

static void require(bool condition)
{
    if (!condition) abort();
}

static void* limited_allocate(void* user, size_t size)
{
    size_t* used = user;
    if (size > MEMORY - *used) return NULL;
    void* block = malloc(size);
    if (block != NULL) *used += size;
    return block;
}

static void limited_release(void* user, void* block, size_t size)
{
    *(size_t*)user -= size;
    free(block);
}

typedef struct round_trip
{
    sft_gltf* gltf;
    const sft_allocator* allocator;
    size_t size; // of the input: what to do comes from it
    uint64_t state;
} round_trip;

static double next(round_trip* r)
{
    r->state = r->state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (double)(r->state >> 11) * 0x1p-52 - 1.0;
}

static void disturb(round_trip* r, const sft_clip* clip)
{
    const size_t count = (size_t)clip->joint_count * (size_t)clip->frame_count;
    for (size_t i = 0; i < count; ++i)
    {
        const double x = next(r), y = next(r), z = next(r);
        clip->rotations[i] = sft_quatd_normalize((sft_quatd){x, y, z, 0.5});
        clip->translations[i].x += x;
    }
}

static bool take(const round_trip* r, int32_t animation, sft_skeleton** skeleton, sft_clip** clip,
                 sft_gltf_frames* frames)
{
    sft_gltf_clip_def def = sft_default_gltf_clip_def();
    def.fps = 10.0 + (double)(r->size % 50);
    const sft_result result = sft_gltf_to_clip(r->gltf, animation, &def, r->allocator, skeleton, clip, frames, NULL);
    return result == SFT_OK;
}

static void go_round(round_trip* r, int32_t animation)
{
    sft_skeleton* skeleton = NULL;
    sft_clip* clip = NULL;
    sft_gltf_frames frames;
    if (!take(r, animation, &skeleton, &clip, &frames)) return;
    const size_t joints = (size_t)clip->joint_count;
    uint8_t* mask = malloc(joints + 1);
    require(mask != NULL);
    memset(mask, 1, joints + 1);
    sft_gltf_applied applied = {0};
    // Unchanged: nothing to write, and no reason to refuse.
    sft_result result = sft_gltf_apply(r->gltf, animation, &frames, clip, NULL, mask, mask, NULL, &applied, NULL);
    require(result == SFT_OK || result == SFT_ERR_MEMORY || result == SFT_ERR_RANGE);
    if (result == SFT_OK) require(applied.channels_replaced == 0 && applied.channels_added == 0);
    for (size_t j = 0; j < joints; ++j)
        mask[j] = next(r) > 0.0;
    disturb(r, clip);
    sft_gltf_apply_def def = sft_default_gltf_apply_def();
    def.keep_keys = r->size % 3 == 0;
    sft_error error = {.code = SFT_OK};
    result = sft_gltf_apply(r->gltf, animation, &frames, clip, NULL, mask, mask, &def, &applied, &error);
    if (result == SFT_OK)
    {
        require(def.keep_keys || applied.rotation_error < 1e-6);
        require(isfinite(applied.translation_error));
    }
    else
        require(error.code == result && error.message[0] != '\0');
    free(mask);
    sft_skeleton_destroy(skeleton, r->allocator);
    sft_clip_destroy(clip, r->allocator);
    skeleton = NULL;
    clip = NULL;
    if (take(r, animation, &skeleton, &clip, &frames))
    {
        sft_skeleton_destroy(skeleton, r->allocator);
        sft_clip_destroy(clip, r->allocator);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size)
{
    size_t used = 0;
    const sft_allocator allocator = {limited_allocate, limited_release, &used};
    round_trip r = {.allocator = &allocator, .size = size, .state = size};
    if (sft_gltf_read(NULL, data, size, &allocator, &r.gltf, NULL) == SFT_OK)
    {
        const int32_t count = sft_gltf_view(r.gltf)->animation_count;
        for (int32_t a = 0; a < count && a < 3; ++a)
            go_round(&r, a);
        sft_gltf_destroy(r.gltf);
    }
    require(used == 0);
    return 0;
}
