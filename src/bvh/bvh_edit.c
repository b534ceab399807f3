// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// Documents made from other documents.

#include <math.h>

#include "bvh/bvh.h"

sft_result sft_bvh_set_value(sft_bvh* bvh, int32_t frame, int32_t channel, double value)
{
    if (bvh == NULL || frame < 0 || frame >= bvh->view.frame_count || channel < 0 || channel >= bvh->view.channel_count)
        return SFT_ERR_ARG;
    if (!isfinite(value)) return SFT_ERR_RANGE;
    bvh->values[(size_t)frame * (size_t)bvh->view.channel_count + (size_t)channel] = value;
    return SFT_OK;
}

sft_result sft_bvh_slice(const sft_bvh* bvh, int32_t first, int32_t last, const sft_allocator* allocator, sft_bvh** out)
{
    if (bvh == NULL || out == NULL || first < 0 || last < first || last > bvh->view.frame_count) return SFT_ERR_ARG;
    sft_bvh* part = sft_bvh_copy_header(bvh, last - first, allocator);
    if (part == NULL) return SFT_ERR_MEMORY;
    const size_t channels = (size_t)bvh->view.channel_count, count = (size_t)(last - first) * channels;
    if (count > 0) memcpy(part->values, bvh->values + (size_t)first * channels, count * sizeof *part->values);
    *out = part;
    return SFT_OK;
}

sft_result sft_bvh_from_clip(const sft_bvh* like, const sft_clip* clip, const sft_space* space,
                             const sft_allocator* allocator, sft_bvh** out)
{
    if (like == NULL || clip == NULL || out == NULL || clip->joint_count != like->view.joint_count ||
        !(clip->frame_time > 0.0) || (space != NULL && !(space->unit_metres > 0.0)))
        return SFT_ERR_ARG;
    sft_bvh* made = sft_bvh_copy_header(like, clip->frame_count, allocator);
    if (made == NULL) return SFT_ERR_MEMORY;
    const size_t count = (size_t)clip->frame_count * (size_t)like->view.channel_count;
    if (count > 0) memset(made->values, 0, count * sizeof *made->values);
    if (made->view.frame_time != clip->frame_time) sft_bvh_set_frame_time(made, clip->frame_time, NULL, 0);
    const sft_result filled = sft_bvh_fill(made, clip, space, like, NULL);
    if (filled != SFT_OK)
    {
        sft_bvh_destroy(made);
        return filled;
    }
    *out = made;
    return SFT_OK;
}
