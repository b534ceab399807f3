// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// Goals that ask for what a clip shows.

#include "surefoot/retarget.h"

static bool is_joint(const sft_skeleton* skeleton, int32_t joint)
{
    return joint >= 0 && joint < skeleton->joint_count;
}

sft_result sft_retarget_place_goal(const sft_skeleton* skeleton, const sft_clip* clip, sft_touch_goal* goal)
{
    if (skeleton == NULL || clip == NULL || goal == NULL || clip->joint_count != skeleton->joint_count ||
        !is_joint(skeleton, goal->joint) || (goal->other != -1 && !is_joint(skeleton, goal->other)) ||
        goal->first < 0 || goal->first >= clip->frame_count)
        return SFT_ERR_ARG;
    const size_t row = (size_t)goal->first * (size_t)clip->joint_count;
    const sft_v3d* t = clip->translations + row;
    const sft_quatd* r = clip->rotations + row;
    goal->offset = sft_skeleton_joint_model(skeleton, t, r, goal->joint).t;
    if (goal->other < 0) return SFT_OK;
    const sft_xformd other = sft_skeleton_joint_model(skeleton, t, r, goal->other);
    goal->offset = sft_quatd_unrotate(other.r, sft_v3d_sub(goal->offset, other.t));
    return SFT_OK;
}
