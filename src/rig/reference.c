// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// Problem: bring a figure to the pose in which any two can be compared. Space: figure space (facing +Z, left +X).
// Method: every joint's orientation is change * base orientation; changes are made parents first, each by the smallest
// turn that takes the bone, as the joints above have carried it, to where the reference has it. Bones are read between
// places of joints, so what lies in between in line rides along. Source: docs/rig.md.

#include "rig/rig_internal.h"

// Lean of the trunk [cosine of 15 degrees] beyond which it is brought upright.
#define LEAN_COS 0.96592582628906831
// A figure is turned as a whole from 45 degrees on.
#define WHOLE_COS 0.70710678118654757
// Near enough to a quarter turn to be one [rad]: 5 degrees.
#define QUARTER_NEAR (5.0 * SFT_PI / 180.0)
// Shortest bone that has a direction [m].
#define SHORT 1e-5

static const sft_v3d X = {1, 0, 0}, Y = {0, 1, 0}, ZERO = {0, 0, 0};

static sft_v3d between_joints(const sft_xformd* pose, int32_t from, int32_t to)
{
    return from >= 0 && to >= 0 ? sft_v3d_sub(pose[to].t, pose[from].t) : ZERO;
}

static sft_v3d unit_or_zero(sft_v3d v)
{
    return sft_v3d_length(v) > SHORT ? sft_v3d_scale(1.0 / sft_v3d_length(v), v) : ZERO;
}

// ---- which way is up, which way is forward ----

// Hips to chest or head, and heels to hips: both say where the figure's up is.
static sft_v3d body_up(const sft_rig_build* build, const sft_xformd* base)
{
    const sft_rig_body* body = &build->body;
    const int32_t top = body->head >= 0 ? body->head : body->chest;
    sft_v3d up = unit_or_zero(between_joints(base, body->hips, top));
    for (int side = 0; side < 2; ++side)
        if (body->leg[side] >= 0)
        {
            const sft_leg* leg = &build->legs[body->leg[side]];
            up = sft_v3d_madd(up, 0.5, unit_or_zero(between_joints(base, leg->heel, leg->hip)));
        }
    return up;
}

sft_quatd sft_rig_whole_turn(const sft_rig_build* build, const sft_xformd* base)
{
    if (build->body.animal || build->leg_count == 0) return sft_quatd_identity();
    const sft_v3d up = body_up(build, base);
    const double length = sft_v3d_length(up);
    // Trunk and legs that cancel (a figure folded up) say nothing.
    if (!(length > 0.5) || up.y > WHOLE_COS * length) return sft_quatd_identity();
    // A skeleton built along other axes: exactly a quarter or half turn.
    const sft_v3d axes[5] = {{1, 0, 0}, {-1, 0, 0}, {0, 0, 1}, {0, 0, -1}, {0, -1, 0}};
    for (int i = 0; i < 5; ++i)
        if (sft_v3d_dot(up, axes[i]) > LEAN_COS * length) return sft_quatd_between(axes[i], Y);
    return sft_quatd_between(up, Y);
}

// From right to left, all couples of the body summed, wide ones most.
static sft_v3d lateral(const sft_rig_build* build, const sft_xformd* base)
{
    const sft_rig_body* body = &build->body;
    sft_v3d sum = ZERO;
    if (body->leg[0] >= 0 && body->leg[1] >= 0)
        sum = between_joints(base, build->legs[body->leg[1]].hip, build->legs[body->leg[0]].hip);
    for (int32_t i = 0; i + 1 < build->leg_count && body->animal; i += 2)
        if (build->legs[i].side == SFT_LEG_LEFT && build->legs[i + 1].side == SFT_LEG_RIGHT)
            sum = sft_v3d_add(sum, between_joints(base, build->legs[i + 1].hip, build->legs[i].hip));
    if (sft_v3d_length(sum) > SHORT) return sum;
    return between_joints(base, body->arms[1].upper, body->arms[0].upper);
}

// Heel to toe of all feet, each one unit long.
static sft_v3d feet_forward(const sft_rig_build* build, const sft_xformd* base)
{
    sft_v3d sum = ZERO;
    for (int32_t i = 0; i < build->leg_count; ++i)
        sum = sft_v3d_add(sum, unit_or_zero(between_joints(base, build->legs[i].heel, build->legs[i].toe)));
    return sum;
}

static double snapped(double angle)
{
    const double quarter = 0.5 * SFT_PI, near = quarter * floor(angle / quarter + 0.5);
    return fabs(angle - near) < QUARTER_NEAR ? near : angle;
}

double sft_rig_facing(const sft_rig_build* build, const sft_xformd* base, sft_quatd whole, bool exact)
{
    const sft_v3d left = sft_quatd_rotate(whole, lateral(build, base));
    const sft_v3d ahead = sft_quatd_rotate(whole, feet_forward(build, base));
    double angle = 0.0;
    if (left.x * left.x + left.z * left.z > SHORT * SHORT)
        angle = sft_atan2(left.z, left.x);
    else if (ahead.x * ahead.x + ahead.z * ahead.z > 0.01)
        angle = sft_atan2(-ahead.x, ahead.z);
    if (fabs(angle) < 1e-12) angle = 0.0;
    return exact ? angle : snapped(angle);
}

// ---- limbs ----

// The change of a joint below one changed by `above`, so that the bone (base pose) comes to point along `to`.
static sft_quatd aimed(sft_quatd above, sft_v3d bone, sft_v3d to)
{
    if (!(sft_v3d_length(bone) > SHORT)) return above;
    const sft_v3d carried = sft_quatd_rotate(above, bone);
    return sft_quatd_normalize(sft_quatd_mul(sft_quatd_between(carried, to), above));
}

static sft_v3d hand_bone(const sft_rig_build* build, const sft_rig_arm* arm)
{
    sft_v3d sum = ZERO;
    int count = 0;
    for (int i = 1; i < 5; ++i)
    {
        if (arm->palm[i] < 0) continue;
        const sft_v3d v = between_joints(build->base, arm->hand, arm->palm[i]);
        sum = sft_v3d_add(sum, v);
        ++count;
    }
    if (count > 0 && sft_v3d_length(sum) > SHORT) return sum;
    return between_joints(build->base, arm->hand, arm->tip);
}

// The next joint down a finger, or its only End Site.
static int32_t next_of_finger(const sft_rig_build* build, int32_t joint)
{
    const sft_joint_meaning* m = &build->meanings[joint];
    for (int32_t c = joint + 1; c < build->skeleton->joint_count; ++c)
    {
        if (build->skeleton->parents[c] != joint) continue;
        const sft_joint_meaning* n = &build->meanings[c];
        if (n->part == SFT_PART_FINGER ? n->digit == m->digit : true) return c;
    }
    return -1;
}

// Fingers lie in the hand's plane; their spread is kept.
static sft_quatd finger_change(const sft_rig_build* build, int32_t joint, sft_quatd above, double s)
{
    const sft_v3d bone = between_joints(build->base, joint, next_of_finger(build, joint));
    if (build->meanings[joint].digit == 0 || !(sft_v3d_length(bone) > SHORT)) return above;
    const sft_v3d carried = sft_quatd_rotate(above, bone);
    const sft_v3d flat = {carried.x, 0.0, carried.z};
    const bool spread = s * carried.x > 0.5 * sft_v3d_length(carried);
    return aimed(above, bone, spread ? flat : sft_v3d_scale(s, X));
}

static bool arm_change(const sft_rig_build* build, int32_t joint, sft_quatd above, sft_quatd* own)
{
    for (int side = 0; side < 2; ++side)
    {
        const sft_rig_arm* arm = &build->body.arms[side];
        const double s = side == 0 ? 1.0 : -1.0;
        const sft_v3d out = sft_v3d_scale(s, X);
        if (arm->fore < 0) continue;
        if (joint == arm->upper)
            *own = aimed(above, between_joints(build->base, arm->upper, arm->fore), out);
        else if (joint == arm->fore)
            *own = aimed(above, between_joints(build->base, arm->fore, arm->hand), out);
        else if (joint == arm->hand)
            *own = aimed(above, hand_bone(build, arm), out);
        else if (build->meanings[joint].part == SFT_PART_FINGER &&
                 (build->meanings[joint].side == SFT_LEG_RIGHT) == (side == 1))
            *own = finger_change(build, joint, above, s);
        else
            continue;
        return true;
    }
    return false;
}

// The foot stands as it does in the base pose, turned about the vertical until it points ahead.
static sft_quatd foot_change(const sft_rig_build* build, const sft_leg* leg, sft_quatd whole)
{
    const sft_v3d foot = sft_quatd_rotate(whole, between_joints(build->base, leg->heel, leg->toe));
    const double flat = sqrt(foot.x * foot.x + foot.z * foot.z);
    if (!(flat > 0.1 * sft_v3d_length(foot)) || !(flat > SHORT)) return whole;
    const double yaw = sft_atan2(-foot.x, foot.z);
    return sft_quatd_mul(sft_quatd_exp(sft_v3d_scale(yaw, Y)), whole);
}

static bool leg_change(const sft_rig_build* build, int32_t joint, sft_quatd above, sft_quatd whole, sft_quatd* own)
{
    const sft_v3d down = {0, -1, 0};
    for (int side = 0; side < 2; ++side)
    {
        if (build->body.leg[side] < 0) continue;
        const sft_leg* leg = &build->legs[build->body.leg[side]];
        if (joint == leg->hip)
            *own = aimed(above, between_joints(build->base, leg->hip, leg->knee), down);
        else if (joint == leg->knee)
            *own = aimed(above, between_joints(build->base, leg->knee, leg->heel), down);
        else if (joint == leg->heel)
            *own = foot_change(build, leg, whole);
        else
            continue;
        return true;
    }
    return false;
}

// Trunk upright end to end, where it leans far.
static sft_quatd hips_change(const sft_rig_build* build, sft_quatd above)
{
    const sft_v3d trunk = sft_quatd_rotate(above, between_joints(build->base, build->body.hips, build->body.chest));
    const double length = sft_v3d_length(trunk);
    if (!(length > SHORT) || trunk.y > LEAN_COS * length) return above;
    return sft_quatd_mul(sft_quatd_between(trunk, Y), above);
}

void sft_rig_turn_limbs(sft_rig_build* build, sft_quatd whole)
{
    const sft_skeleton* skeleton = build->skeleton;
    for (int32_t j = 0; j < skeleton->joint_count; ++j)
    {
        const int32_t p = skeleton->parents[j];
        const sft_quatd above = p < 0 ? whole : build->change[p];
        sft_quatd own = above;
        if (build->leg_count > 0 && !build->body.animal && j == build->body.hips)
            own = hips_change(build, above);
        else if (build->leg_count > 0 && !leg_change(build, j, above, whole, &own))
            (void)arm_change(build, j, above, &own);
        build->change[j] = own;
    }
}

// ---- how it stands ----

sft_stance sft_rig_read_stance(const sft_rig_build* build)
{
    int votes[4] = {0, 0, 0, 0}, arms = 0;
    for (int side = 0; side < 2; ++side)
    {
        const sft_rig_arm* arm = &build->body.arms[side];
        const sft_v3d v = unit_or_zero(between_joints(build->base, arm->upper, arm->hand >= 0 ? arm->hand : arm->fore));
        if (!(sft_v3d_length(v) > 0.5)) continue;
        const double out = side == 0 ? v.x : -v.x;
        ++arms;
        // Within 25 degrees of level and 25 of straight down; in between out to the side, not to the front.
        if (out > 0.9)
            ++votes[SFT_STANCE_T];
        else if (v.y < -0.9)
            ++votes[SFT_STANCE_I];
        else if (v.y < 0.0 && fabs(v.z) < 0.5 && out > 0.0)
            ++votes[SFT_STANCE_A];
    }
    for (int i = 0; i < 3; ++i)
        if (arms > 0 && votes[i] == arms) return (sft_stance)i;
    return SFT_STANCE_OTHER;
}
