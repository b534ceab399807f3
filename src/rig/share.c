// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// A clip in a file of its own onto its character: one skeleton by names and bones, resting differently.

#include "rig/rig_internal.h"

// Bones of one character lie alike, but for what a clip stretches, in leg lengths.
#define ALIKE 0.03

/// The joint of `other` that is joint j: of that name, below the same parent; -1 none.
static int32_t same_joint(const sft_skeleton* own, const sft_skeleton* other, int32_t j)
{
    const int32_t k = sft_skeleton_find(other, own->names[j]);
    if (k < 0) return -1;
    const int32_t p = own->parents[j], q = other->parents[k];
    if (p < 0 || q < 0) return p < 0 && q < 0 ? k : -1;
    return strcmp(own->names[p], other->names[q]) == 0 ? k : -1;
}

static bool is_above(const sft_skeleton* skeleton, int32_t joint, int32_t below)
{
    while (below > joint)
        below = skeleton->parents[below];
    return below == joint;
}

/// Local reference pose of `with` for the joints of `rig`; false: they are not one character, or rest alike.
static bool pose_of(const sft_rig* rig, const sft_rig* with, sft_v3d* t, sft_quatd* r)
{
    const sft_skeleton *own = rig->skeleton, *other = with->skeleton;
    bool rests_alike = true;
    if (rig->hips < 0 || with->hips < 0) return false;
    for (int32_t j = 0; j < own->joint_count; ++j)
    {
        const int32_t k = same_joint(own, other, j);
        t[j] = k < 0 ? own->rest_translations[j] : with->base_t[k];
        r[j] = k < 0 ? own->rest_rotations[j] : with->pose_r[k];
        const sft_part part = rig->meanings[j].part;
        if (part == SFT_PART_NONE && !is_above(own, j, rig->hips)) continue;
        // All that is above the hips counts, and all of the body.
        if (k < 0 || part != with->meanings[k].part) return false;
        const double off = sft_v3d_distance(own->rest_translations[j], t[j]);
        if (j > rig->hips && !(off <= ALIKE * with->leg_length)) return false;
        rests_alike = rests_alike && fabs(sft_quatd_dot(own->rest_rotations[j], other->rest_rotations[k])) > 1.0 - 1e-9;
    }
    return !rests_alike;
}

static sft_result with_pose(const sft_rig* own, const sft_v3d* t, const sft_quatd* r, const sft_allocator* allocator,
                            sft_rig** out)
{
    sft_rig_def def = sft_default_rig_def();
    def.meanings = own->meanings;
    def.legs = own->legs;
    def.leg_count = own->leg_count;
    def.base_t = t;
    def.base_r = r;
    return sft_rig_create(&def, own->skeleton, NULL, allocator, out);
}

sft_result sft_rig_share_pose(const sft_rig* own, const sft_rig* character, const sft_allocator* allocator,
                              sft_rig** out)
{
    if (own == NULL || character == NULL || out == NULL) return SFT_ERR_ARG;
    sft_rig* rig = NULL;
    sft_result result = SFT_OK;
    if (character->pose_frame == SFT_RIG_POSE_REST)
    {
        const size_t n = (size_t)own->skeleton->joint_count;
        sft_v3d* t = sft_core_alloc(allocator, n, sizeof *t);
        sft_quatd* r = sft_core_alloc(allocator, n, sizeof *r);
        if (t == NULL || r == NULL)
            result = SFT_ERR_MEMORY;
        else if (pose_of(own, character, t, r))
            result = with_pose(own, t, r, allocator, &rig);
        sft_core_free(allocator, t, n, sizeof *t);
        sft_core_free(allocator, r, n, sizeof *r);
    }
    if (result == SFT_OK) *out = rig;
    return result;
}
