// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// What is made of a take, and what a solver changed back into the file.

#include "surefoot/take.h"

#include "core/core.h"

sft_result sft_take_tracks(const sft_take* take, const sft_clip* clip, const sft_allocator* allocator, sft_tracks** out)
{
    if (take == NULL) return SFT_ERR_ARG;
    const sft_tracks_body body = {take->skeleton, take->legs, take->leg_count, take->first_frame};
    return sft_tracks_create(&body, clip, allocator, out);
}

sft_result sft_take_find_floor(sft_io_document* document, const sft_tracks* tracks, const sft_contact_labels* labels,
                               double threshold, const sft_allocator* allocator, sft_take_floor* out)
{
    double level = 0.0;
    bool planted = false;
    if (document == NULL || out == NULL) return SFT_ERR_ARG;
    const sft_result result = sft_tracks_plant_level(tracks, labels, threshold, allocator, &level, &planted);
    if (result != SFT_OK) return result;
    *out = (sft_take_floor){0.0, "no foot is planted, so that of the world"};
    if (!planted) return SFT_OK;
    *out = (sft_take_floor){level == 0.0 ? 0.0 : level, "where planted feet are lowest"};
    // A mesh has soles below the joints; that is no reason to sink them into the ground.
    const sft_gltf* gltf = sft_io_gltf(document);
    if (gltf == NULL || sft_gltf_view(gltf)->mesh_count == 0 || level < -0.005 || level > 0.1) return SFT_OK;
    *out = (sft_take_floor){
        0.0, "that of the world: the joints of planted feet are close above it, and the file has a mesh with soles"};
    return SFT_OK;
}

static bool any_changed(const uint8_t* changed, size_t joints)
{
    for (size_t k = 0; k < joints; ++k)
        if (changed[k] != 0) return true;
    return false;
}

sft_result sft_take_put(const sft_take* take, sft_io_document* document, const sft_take_solved* solved,
                        const sft_gltf_apply_def* def, sft_gltf_applied* applied, sft_error* error)
{
    if (take == NULL || document == NULL || solved == NULL || solved->clip == NULL || solved->changed == NULL)
        return sft_core_fail(error, SFT_ERR_ARG, 0, 0, NULL, "no take, no document, or nothing solved");
    const size_t joints = (size_t)take->joint_count;
    if (!any_changed(solved->changed, joints)) return SFT_OK;
    uint8_t* masks = sft_core_alloc(NULL, 2 * joints, 1);
    if (masks == NULL) return sft_core_fail(error, SFT_ERR_MEMORY, 0, 0, NULL, "out of memory");
    for (size_t k = 0; k < joints; ++k)
    {
        masks[k] = solved->changed[k] & 1u;
        masks[joints + k] = (solved->changed[k] >> 1) & 1u;
    }
    const sft_result result = sft_io_apply(document, take->clip_index, &take->frames, solved->clip, &take->space, masks,
                                           masks + joints, def, applied, error);
    sft_core_free(NULL, masks, 2 * joints, 1);
    return result;
}
