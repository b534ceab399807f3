// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// Which joints the reference pose turns, read from meanings and legs.

#include "rig/rig_internal.h"

bool sft_rig_is_below(const sft_skeleton* skeleton, int32_t joint, int32_t above)
{
    while (joint > above)
        joint = skeleton->parents[joint];
    return joint >= 0 && joint == above;
}

static void clear(sft_rig_body* body)
{
    body->hips = body->root = body->chest = body->neck = body->head = body->top = -1;
    for (int side = 0; side < 2; ++side)
    {
        sft_rig_arm* arm = &body->arms[side];
        arm->upper = arm->fore = arm->hand = arm->tip = -1;
        for (int i = 0; i < 5; ++i)
            arm->palm[i] = -1;
        body->leg[side] = -1;
    }
    body->animal = body->wings = false;
}

// The first joint of each part in the order of the hierarchy; of chains the last where `last` says so.
static void name_joint(sft_rig_body* body, const sft_joint_meaning* m, int32_t j)
{
    const int side = m->side == SFT_LEG_RIGHT ? 1 : 0;
    const bool sided = m->side != SFT_LEG_MIDDLE;
    sft_rig_arm* arm = &body->arms[side];
    if (m->part == SFT_PART_ROOT) body->root = j;
    if (m->part == SFT_PART_HIPS && body->hips < 0) body->hips = j;
    if (m->part == SFT_PART_SPINE) body->chest = j;
    if ((m->part == SFT_PART_NECK || m->part == SFT_PART_HEAD) && body->neck < 0) body->neck = j;
    if (m->part == SFT_PART_NECK) body->head = j;
    if (m->part == SFT_PART_HEAD && m->index == 0) body->head = j;
    if (!sided || m->pair != 0) return;
    if (m->part == SFT_PART_UPPER_ARM && arm->upper < 0) arm->upper = j;
    if (m->part == SFT_PART_FOREARM && arm->fore < 0) arm->fore = j;
    if (m->part == SFT_PART_HAND && arm->hand < 0) arm->hand = j;
    if (m->part == SFT_PART_FINGER && m->digit >= 0 && m->digit < 5 && arm->palm[m->digit] < 0) arm->palm[m->digit] = j;
}

// An arm is a chain: what does not hang from what is above it is none.
static void check_arm(const sft_skeleton* skeleton, sft_rig_arm* arm)
{
    if (arm->upper < 0) arm->fore = -1;
    if (arm->fore >= 0 && !sft_rig_is_below(skeleton, arm->fore, arm->upper)) arm->fore = -1;
    if (arm->fore < 0) arm->hand = -1;
    if (arm->hand >= 0 && !sft_rig_is_below(skeleton, arm->hand, arm->fore)) arm->hand = -1;
    for (int i = 0; i < 5; ++i)
        if (arm->hand < 0 || !sft_rig_is_below(skeleton, arm->palm[i], arm->hand)) arm->palm[i] = -1;
}

// The child furthest from the hand shows where it points to.
static void find_tip(const sft_skeleton* skeleton, sft_rig_arm* arm)
{
    double far = 0.01 * SFT_LENGTH_EPS;
    for (int32_t j = arm->hand + 1; arm->hand >= 0 && j < skeleton->joint_count; ++j)
    {
        const double length = sft_v3d_length(skeleton->rest_translations[j]);
        if (skeleton->parents[j] != arm->hand || !(length > far)) continue;
        far = length;
        arm->tip = j;
    }
}

// The leaf below the chest (else the hips) that is furthest away along the bones of the rest pose.
static void find_top(const sft_skeleton* skeleton, const sft_joint_meaning* meanings, sft_rig_body* body)
{
    const int32_t from = body->chest;
    double far = 0.0;
    for (int32_t j = from + 1; from >= 0 && j < skeleton->joint_count; ++j)
    {
        const double length = sft_v3d_length(skeleton->rest_translations[j]);
        if (skeleton->parents[j] != from || meanings[j].side != SFT_LEG_MIDDLE || !(length > far)) continue;
        far = length;
        body->top = j;
    }
}

void sft_rig_find_body(const sft_skeleton* skeleton, const sft_joint_meaning* meanings, const sft_leg* legs,
                       int32_t leg_count, sft_rig_body* body)
{
    clear(body);
    for (int32_t j = 0; j < skeleton->joint_count; ++j)
        name_joint(body, &meanings[j], j);
    for (int side = 0; side < 2; ++side)
    {
        check_arm(skeleton, &body->arms[side]);
        find_tip(skeleton, &body->arms[side]);
    }
    find_top(skeleton, meanings, body);
    if (body->hips >= 0 && body->root >= 0 && !sft_rig_is_below(skeleton, body->hips, body->root)) body->root = -1;
    body->animal = leg_count > 2;
    for (int32_t i = 0; i < leg_count && !body->animal; ++i)
    {
        const int side = legs[i].side == SFT_LEG_RIGHT ? 1 : 0;
        if (body->leg[side] < 0) body->leg[side] = i;
    }
    if (body->hips < 0 && leg_count > 0) body->hips = legs[0].pelvis;
}

sft_v3d sft_rig_between(const sft_xformd* pose, int32_t from, int32_t to)
{
    return from >= 0 && to >= 0 ? sft_v3d_sub(pose[to].t, pose[from].t) : sft_v3d_make(0, 0, 0);
}

sft_v3d sft_rig_unit(sft_v3d v)
{
    const double length = sft_v3d_length(v);
    return length > 1e-5 ? sft_v3d_scale(1.0 / length, v) : sft_v3d_make(0, 0, 0);
}
