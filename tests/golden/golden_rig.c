// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// Golden scene of rigs: rest poses of many kinds, frames, means.
#include "golden.h"

// No part of the run-time library.
#ifndef SFT_GOLDEN_RUNTIME

static void fold_rig(golden* g, const sft_rig_def* def, const sft_skeleton* skeleton, const sft_clip* clip)
{
    sft_rig* rig = NULL;
    if (sft_rig_create(def, skeleton, clip, NULL, &rig) != SFT_OK) fail("sft_rig_create");
    fold_double(g, (double)(rig->identity >> 32));
    fold_double(g, (double)(rig->identity & UINT64_C(0xffffffff)));
    fold_double(g, (double)rig->pose_frame);
    fold_double(g, (double)rig->stance);
    fold_double(g, rig->facing);
    fold_double(g, rig->leg_length);
    fold_double(g, rig->arm_length);
    fold_double(g, rig->sole_height);
    for (int32_t j = 0; j < skeleton->joint_count; ++j)
    {
        fold_quat(g, rig->pose_r[j]);
        fold_v3(g, rig->pose[j].t);
        fold_quat(g, rig->pose[j].r);
    }
    fold_bytes(g, rig->reason, strlen(rig->reason));
    sft_rig_destroy(rig, NULL);
}

void scene_rig(golden* g)
{
    walker w;
    make_walk(&w, 90, 30.0, 1.0);
    sft_rig_def def = sft_default_rig_def();
    const int32_t frames[5] = {SFT_RIG_POSE_AUTO, SFT_RIG_POSE_REST, SFT_RIG_POSE_MEAN, 0, 33};
    for (int i = 0; i < 5; ++i)
    {
        def.pose_frame = frames[i];
        fold_rig(g, &def, w.skeleton, w.clip);
    }
    // Rest poses turned more and more, alone and beside the walk.
    uint64_t state = 77;
    const int32_t n = w.skeleton->joint_count;
    sft_quatd turned[WALKER_JOINTS];
    if (n > WALKER_JOINTS) fail("the walker's joints");
    for (int i = 0; i < 60; ++i)
    {
        for (int32_t j = 0; j < n; ++j)
            turned[j] = sft_quatd_mul(w.skeleton->rest_rotations[j], sft_quatd_exp(next_v3(&state, 0.02 * i)));
        sft_skeleton copy = *w.skeleton;
        copy.rest_rotations = turned;
        fold_rig(g, NULL, &copy, i % 2 == 0 ? NULL : w.clip);
    }
    walker_release(&w);
}

#endif
