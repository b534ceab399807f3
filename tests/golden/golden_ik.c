// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// Golden scenes of the IK family.
#include "golden.h"

void scene_ik_limits(golden* g)
{
    uint64_t state = 21;
    for (int i = 0; i < 4000; ++i)
    {
        const sft_quatd reference = sft_quatd_exp(next_v3(&state, 2.0));
        const sft_v3d axis = next_v3(&state, 1.0);
        const double middle = next(&state, -4.0, 4.0), half = next(&state, 0.0, 3.0);
        sft_limit limit = i % 2 == 0 ? sft_limit_hinge(reference, axis, middle - half, middle + half)
                                     : sft_limit_cone(reference, axis, 0.5 * half, middle - half, middle + half);
        limit.swing_max_y = next(&state, 0.1, 3.0);
        double excess = 0.0;
        fold_quat(g, sft_limit_clamp(&limit, sft_quatd_exp(next_v3(&state, 3.0)), &excess));
        fold_double(g, excess);
    }
    walker w;
    sft_limit limits[WALKER_JOINTS];
    make_walk(&w, 120, 60.0, 1.0);
    if (w.skeleton->joint_count > WALKER_JOINTS) fail("the walker's joints");
    if (sft_limit_learn(w.skeleton, w.clip->rotations, w.clip->frame_count, 0.01, 0.1, limits) != SFT_OK)
        fail("sft_limit_learn");
    for (int32_t j = 0; j < w.skeleton->joint_count; ++j)
    {
        fold_double(g, (double)limits[j].kind);
        fold_quat(g, limits[j].reference);
        fold_v3(g, limits[j].axis);
        fold_v3(g, limits[j].swing_x);
        fold_double(g, limits[j].min);
        fold_double(g, limits[j].max);
        fold_double(g, limits[j].swing_max_x);
        fold_double(g, limits[j].swing_max_y);
    }
    walker_release(&w);
}

void scene_ik_two_bone(golden* g)
{
    uint64_t state = 22;
    sft_ik_bend memory = {{0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}};
    sft_ik_two_bone_def def = sft_default_ik_two_bone_def();
    for (int i = 0; i < 20000; ++i)
    {
        const sft_v3d root = next_v3(&state, 0.1), target = next_v3(&state, 1.5), hint = next_v3(&state, 1.0);
        def.lower = next(&state, 0.2, 1.2);
        sft_ik_two_bone out;
        if (sft_ik_two_bone_place(&def, root, target, i % 7 == 0 ? NULL : &hint, i % 3 == 0 ? NULL : &memory, &out) !=
            SFT_OK)
            fail("sft_ik_two_bone_place");
        fold_v3(g, out.middle);
        fold_v3(g, out.end);
        fold_v3(g, out.bend);
        fold_double(g, out.residual);
        fold_double(g, (double)out.source);
    }
}

#define IK_BONES 6

static void make_ik_chain(uint64_t* state, sft_skeleton* skeleton, sft_v3d* t, sft_quatd* r, sft_limit* limits)
{
    for (int32_t i = 0; i <= IK_BONES; ++i)
    {
        t[i] = next_v3(state, 0.3);
        r[i] = sft_quatd_exp(next_v3(state, 1.0));
        const double half = next(state, 0.1, 1.2);
        limits[i] = i % 3 == 0 ? sft_limit_free()
                               : sft_limit_hinge(r[i], sft_v3d_cross(t[i], next_v3(state, 1.0)), -half, 0.5 * half);
        if (i % 3 == 2) limits[i] = sft_limit_cone(r[i], t[i], half, -0.3, 0.2);
        if (i % 3 == 2) limits[i].swing_max_y = 0.5 * half;
    }
    skeleton->joint_count = IK_BONES + 1;
}

void scene_ik_chain(golden* g)
{
    const char* names[IK_BONES + 1];
    int32_t parents[IK_BONES + 1], joints[IK_BONES + 1];
    sft_v3d t[IK_BONES + 1];
    sft_quatd r[IK_BONES + 1], rest[IK_BONES + 1];
    sft_limit limits[IK_BONES + 1];
    double memory[64 * (IK_BONES + 1)];
    uint64_t state = 23;
    for (int32_t i = 0; i <= IK_BONES; ++i)
    {
        names[i] = "joint";
        parents[i] = i - 1;
        joints[i] = i;
    }
    sft_skeleton skeleton = {.names = names, .parents = parents, .rest_translations = t, .rest_rotations = rest};
    const sft_ik_chain chain = {&skeleton, IK_BONES + 1, joints};
    const sft_ik_pose pose = {t, r};
    const sft_ik_scratch scratch = {memory, sizeof memory};
    sft_ik_chain_def def = sft_default_ik_chain_def();
    for (int k = 0; k < 1200; ++k)
    {
        make_ik_chain(&state, &skeleton, t, r, limits);
        def.limits = k % 2 == 0 ? limits : NULL;
        def.arc = k % 5 != 0;
        const sft_v3d target = next_v3(&state, 1.5);
        sft_ik_report report;
        const sft_result result = k % 4 < 2 ? sft_ik_fabrik(&def, &chain, target, &pose, scratch, &report)
                                            : sft_ik_ccd(&def, &chain, target, &pose, scratch, &report);
        if (result != SFT_OK) fail("chain");
        for (int32_t i = 0; i <= IK_BONES; ++i)
            fold_quat(g, r[i]);
        fold_double(g, report.residual);
        fold_double(g, (double)report.iterations);
    }
}

void scene_ik_body(golden* g)
{
    walker w;
    make_walk(&w, 40, 60.0, 1.0);
    const size_t joints = (size_t)w.skeleton->joint_count, size = sft_ik_body_scratch_size(w.skeleton, 4);
    sft_v3d* t = calloc(joints, sizeof *t);
    sft_quatd* r = calloc(joints, sizeof *r);
    sft_limit* limits = calloc(joints, sizeof *limits);
    void* memory = malloc(size);
    if (t == NULL || r == NULL || limits == NULL || memory == NULL) fail("allocation");
    if (sft_limit_learn(w.skeleton, w.clip->rotations, w.clip->frame_count, 0.01, 0.3, limits) != SFT_OK)
        fail("sft_limit_learn");
    uint64_t state = 24;
    sft_ik_body_def def = sft_default_ik_body_def();
    const sft_ik_aim_link links[2] = {{WALKER_SPINE, 0.4, 1.0}, {WALKER_SPINE + 1, 1.0, 1.0}};
    sft_ik_aim_def aim = sft_default_ik_aim_def();
    aim.links = links;
    aim.link_count = 2;
    for (int32_t f = 1; f < w.clip->frame_count; ++f)
    {
        memcpy(t, w.clip->translations + (size_t)f * joints, joints * sizeof *t);
        memcpy(r, w.clip->rotations + (size_t)f * joints, joints * sizeof *r);
        def.limits = f % 2 == 0 ? limits : NULL;
        def.translating = f % 3 == 0 ? WALKER_HIPS : -1;
        sft_ik_goal goals[4];
        const int32_t ends[4] = {WALKER_LEFT_HIP + 3, WALKER_RIGHT_HIP + 3, WALKER_LEFT_HIP + 2, WALKER_SPINE + 2};
        for (int i = 0; i < 4; ++i)
        {
            const sft_xformd x = sft_skeleton_joint_model(w.skeleton, t, r, ends[i]);
            goals[i] = (sft_ik_goal){.kind = i == 2 ? SFT_IK_GOAL_ORIENTATION : SFT_IK_GOAL_POSITION,
                                     .joint = ends[i],
                                     .position = sft_v3d_add(x.t, next_v3(&state, 0.05)),
                                     .orientation = sft_quatd_mul(sft_quatd_exp(next_v3(&state, 0.1)), x.r),
                                     .weight = 1.0 + i,
                                     .priority = i / 3};
        }
        const sft_ik_goals all = {goals, 4, NULL};
        const sft_ik_pose pose = {t, r};
        sft_ik_body_report report;
        if (sft_ik_body(&def, w.skeleton, &all, &pose, (sft_ik_scratch){memory, size}, &report) != SFT_OK)
            fail("sft_ik_body");
        if (sft_ik_aim_at(&aim, w.skeleton, next_v3(&state, 4.0), &pose, NULL) != SFT_OK) fail("sft_ik_aim_at");
        for (size_t j = 0; j < joints; ++j)
            fold_quat(g, r[j]);
        fold_v3(g, t[WALKER_HIPS]);
        fold_double(g, report.position_residual);
        fold_double(g, (double)report.iterations);
    }
    free(t);
    free(r);
    free(limits);
    free(memory);
    walker_release(&w);
}
