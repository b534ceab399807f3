// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// A whole new clip into a document of either kind.

#include "bvh/bvh.h"
#include "io/io.h"

static sft_result put_bvh(sft_io_document* document, const sft_clip* clip, const sft_space* space, sft_error* error)
{
    if (clip->joint_count != sft_bvh_view(document->bvh)->joint_count || !(clip->frame_time > 0.0) ||
        (space != NULL && !(space->unit_metres > 0.0)))
        return sft_core_fail(error, SFT_ERR_ARG, 0, 0, NULL,
                             "clip and document differ in joints, or a unit is missing");
    sft_bvh* made = NULL;
    sft_bvh* old = document->bvh;
    const sft_result result = sft_bvh_remake(old, clip, space, &document->allocator, &made, error);
    if (result != SFT_OK) return result;
    document->bvh = made;
    if (sft_io_describe(document) != SFT_OK)
    {
        document->bvh = old;
        sft_bvh_destroy(made);
        return sft_core_fail(error, SFT_ERR_MEMORY, 0, 0, NULL, "out of memory");
    }
    sft_bvh_destroy(old);
    return SFT_OK;
}

static sft_result put_gltf(sft_io_document* document, int32_t replace, const sft_clip* clip, const sft_space* space,
                           const char* name, int32_t* index, sft_error* error)
{
    const sft_result result = replace < 0
                                  ? sft_gltf_add_animation(document->gltf, clip, space, name, NULL, index, error)
                                  : sft_gltf_replace_animation(document->gltf, replace, clip, space, NULL, error);
    if (result == SFT_OK && replace >= 0) *index = replace;
    // The old view is of arrays that stay.
    if (result == SFT_OK && sft_io_describe(document) != SFT_OK)
        return sft_core_fail(error, SFT_ERR_MEMORY, 0, 0, NULL, "out of memory");
    return result;
}

sft_result sft_io_put_clip(sft_io_document* document, int32_t replace, const sft_clip* clip, const sft_space* space,
                           const char* name, int32_t* index, sft_error* error)
{
    int32_t unused = 0;
    if (document == NULL || clip == NULL || clip->frame_count < 1 || replace < -1 ||
        replace >= document->view.clip_count)
        return sft_core_fail(error, SFT_ERR_ARG, 0, 0, NULL, "no document, no frames, or no clip %d", (int)replace);
    if (document->bvh == NULL)
        return put_gltf(document, replace, clip, space, name, index != NULL ? index : &unused, error);
    const sft_result result = put_bvh(document, clip, space, error);
    if (result == SFT_OK && index != NULL) *index = 0;
    return result;
}
