// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// Documents made from other documents, or from nothing but a skeleton and a clip.

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
    made->view.frame_time = clip->frame_time;
    const sft_result filled = sft_bvh_fill(made, clip, space, like);
    if (filled != SFT_OK)
    {
        sft_bvh_destroy(made);
        return filled;
    }
    *out = made;
    return SFT_OK;
}

// ---- from a skeleton ----

static bool translation_moves(const sft_skeleton* skeleton, const sft_clip* clip, int32_t joint)
{
    const sft_v3d rest = skeleton->rest_translations[joint];
    const double limit = 1e-9 * (1.0 + sft_v3d_length(rest));
    for (int32_t f = 0; f < clip->frame_count; ++f)
    {
        const sft_v3d t = clip->translations[(size_t)f * (size_t)clip->joint_count + (size_t)joint];
        if (!(sft_v3d_length(sft_v3d_sub(t, rest)) <= limit)) return true;
    }
    return false;
}

// BVH nests joints, so each parent must be the joint before or one above it.
static bool depth_first(const sft_skeleton* skeleton)
{
    int32_t open = -1;
    for (int32_t j = 0; j < skeleton->joint_count; ++j)
    {
        while (open >= 0 && open != skeleton->parents[j])
            open = skeleton->parents[open];
        if (open != skeleton->parents[j]) return false;
        open = j;
    }
    return true;
}

static void make_joint(sft_bvh* bvh, const sft_skeleton* skeleton, const sft_clip* clip, int32_t index)
{
    static const uint8_t all[6] = {SFT_BVH_XPOSITION, SFT_BVH_YPOSITION, SFT_BVH_ZPOSITION,
                                   SFT_BVH_ZROTATION, SFT_BVH_XROTATION, SFT_BVH_YROTATION};
    sft_bvh_joint* joint = &bvh->joints[index];
    *joint = (sft_bvh_joint){.parent = skeleton->parents[index], .positions_replace = true};
    joint->end_site = (skeleton->flags[index] & SFT_JOINT_END_SITE) != 0 && joint->parent >= 0;
    joint->offset = skeleton->rest_translations[index];
    joint->channel_first = bvh->view.channel_count;
    if (!joint->end_site)
    {
        const bool six = joint->parent < 0 || translation_moves(skeleton, clip, index);
        joint->channel_count = six ? 6 : 3;
        memcpy(joint->channels, six ? all : all + 3, (size_t)joint->channel_count);
    }
    bvh->view.channel_count += joint->channel_count;
    const char* name = joint->end_site ? "" : skeleton->names[index];
    bvh->notes[index].label = bvh->names_size;
    for (; *name != '\0'; ++name)
        // What would end a name in the text cannot stand in one.
        bvh->names[bvh->names_size++] = *name == '\n' || *name == '\r' || *name == '{' || *name == '}' ? '_' : *name;
    bvh->names[bvh->names_size++] = '\0';
    ++bvh->view.joint_count;
}

static sft_result build(sft_bvh* bvh, const sft_skeleton* skeleton, const sft_clip* clip)
{
    const size_t joints = (size_t)skeleton->joint_count;
    size_t bytes = 0;
    for (size_t j = 0; j < joints; ++j)
        bytes += strlen(skeleton->names[j]) + 1;
    bvh->joint_capacity = joints;
    bvh->names_capacity = bytes;
    bvh->joints = sft_core_alloc(&bvh->allocator, joints, sizeof *bvh->joints);
    bvh->notes = sft_core_alloc(&bvh->allocator, joints, sizeof *bvh->notes);
    bvh->names = sft_core_alloc(&bvh->allocator, bytes, 1);
    if (bvh->joints == NULL || bvh->notes == NULL || bvh->names == NULL) return SFT_ERR_MEMORY;
    for (int32_t j = 0; j < skeleton->joint_count; ++j)
        make_joint(bvh, skeleton, clip, j);
    const size_t count = (size_t)clip->frame_count * (size_t)bvh->view.channel_count;
    if (!sft_bvh_reserve_values(bvh, 0, count)) return SFT_ERR_MEMORY;
    if (count > 0) memset(bvh->values, 0, count * sizeof *bvh->values);
    bvh->view.values = bvh->values;
    bvh->view.frame_count = clip->frame_count;
    bvh->view.frame_time = clip->frame_time;
    sft_bvh_bind_names(bvh);
    sft_result result = sft_bvh_fill(bvh, clip, NULL, NULL);
    if (result != SFT_OK) return result;
    // A reader must take the root's channels as they are meant: where its OFFSET would suggest otherwise it goes.
    sft_bvh_decide_positions(bvh, SFT_BVH_POSITIONS_AUTO);
    for (int32_t j = 0; j < skeleton->joint_count; ++j)
        if (bvh->joints[j].parent < 0 && !bvh->joints[j].positions_replace) bvh->joints[j].offset = (sft_v3d){0, 0, 0};
    sft_bvh_decide_positions(bvh, SFT_BVH_POSITIONS_REPLACE);
    return SFT_OK;
}

sft_result sft_bvh_create(const sft_skeleton* skeleton, const sft_clip* clip, const sft_allocator* allocator,
                          sft_bvh** out)
{
    if (skeleton == NULL || clip == NULL || out == NULL || clip->joint_count != skeleton->joint_count ||
        !(clip->frame_time > 0.0))
        return SFT_ERR_ARG;
    if (!depth_first(skeleton)) return SFT_ERR_UNSUPPORTED;
    sft_bvh* bvh = sft_bvh_alloc(allocator);
    if (bvh == NULL) return SFT_ERR_MEMORY;
    const sft_result built = build(bvh, skeleton, clip);
    if (built != SFT_OK)
    {
        sft_bvh_destroy(bvh);
        return built;
    }
    bvh->view.warnings = bvh->warnings;
    *out = bvh;
    return SFT_OK;
}
