// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

#include "surefoot/clip.h"

#include "core/core.h"

sft_result sft_clip_create(int32_t joint_count, int32_t frame_count, double frame_time, const sft_allocator* allocator,
                           sft_clip** out)
{
    if (out == NULL || joint_count < 0 || frame_count < 0 || !(frame_time > 0.0) || !isfinite(frame_time))
        return SFT_ERR_ARG;
    if (joint_count > SFT_MAX_JOINTS) return SFT_ERR_LIMIT;
    const uint64_t wide = (uint64_t)joint_count * (uint64_t)frame_count;
    if (wide > SIZE_MAX / 2 / sizeof(sft_quatd)) return SFT_ERR_LIMIT;
    const size_t count = (size_t)wide;
    sft_clip* clip = sft_core_alloc(allocator, 1, sizeof *clip);
    sft_v3d* translations = sft_core_alloc(allocator, count, sizeof *translations);
    sft_quatd* rotations = sft_core_alloc(allocator, count, sizeof *rotations);
    if (clip == NULL || translations == NULL || rotations == NULL)
    {
        sft_core_free(allocator, clip, 1, sizeof *clip);
        sft_core_free(allocator, translations, count, sizeof *translations);
        sft_core_free(allocator, rotations, count, sizeof *rotations);
        return SFT_ERR_MEMORY;
    }
    for (size_t i = 0; i < count; ++i)
        rotations[i] = sft_quatd_identity();
    *clip = (sft_clip){joint_count, frame_count, frame_time, translations, rotations};
    *out = clip;
    return SFT_OK;
}

void sft_clip_destroy(sft_clip* clip, const sft_allocator* allocator)
{
    if (clip == NULL) return;
    const size_t count = (size_t)clip->joint_count * (size_t)clip->frame_count;
    sft_core_free(allocator, clip->translations, count, sizeof *clip->translations);
    sft_core_free(allocator, clip->rotations, count, sizeof *clip->rotations);
    sft_core_free(allocator, clip, 1, sizeof *clip);
}

void sft_clip_joint_track(const sft_skeleton* skeleton, const sft_clip* clip, int32_t joint, sft_v3d* out)
{
    for (int32_t f = 0; f < clip->frame_count; ++f)
    {
        const size_t row = (size_t)f * (size_t)clip->joint_count;
        // Positions need no rotation of the joint itself: start from its translation and walk up.
        sft_v3d p = clip->translations[row + (size_t)joint];
        for (int32_t up = skeleton->parents[joint]; up >= 0; up = skeleton->parents[up])
            p = sft_v3d_add(clip->translations[row + (size_t)up],
                            sft_quatd_rotate(clip->rotations[row + (size_t)up], p));
        out[f] = p;
    }
}
