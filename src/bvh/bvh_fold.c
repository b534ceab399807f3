// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// Motion of joints that have no position channels goes to those above them.

#include "bvh/bvh.h"

// [m] a joint that is further than this from its OFFSET moves.
#define MOVES 1e-7

bool sft_bvh_fold_travel(const sft_bvh* bvh, const sft_skeleton* skeleton, sft_clip* clip)
{
    if (bvh == NULL || skeleton == NULL || clip == NULL) return false;
    const sft_bvh_contents* v = sft_bvh_view(bvh);
    const size_t joints = (size_t)clip->joint_count;
    if (v->joint_count != clip->joint_count || skeleton->joint_count != clip->joint_count) return false;
    bool any = false;
    for (int32_t k = skeleton->joint_count - 1; k > 0; --k)
    {
        const sft_bvh_joint* joint = &v->joints[k];
        if (sft_bvh_has_positions(joint) || joint->parent < 0) continue;
        for (int32_t f = 0; f < clip->frame_count; ++f)
        {
            sft_v3d* t = clip->translations + (size_t)f * joints;
            const sft_v3d off = sft_v3d_sub(t[k], skeleton->rest_translations[k]);
            if (sft_v3d_length(off) <= MOVES) continue;
            const sft_quatd turn = clip->rotations[(size_t)f * joints + (size_t)joint->parent];
            t[joint->parent] = sft_v3d_add(t[joint->parent], sft_quatd_rotate(turn, off));
            t[k] = skeleton->rest_translations[k];
            any = true;
        }
    }
    return any;
}
