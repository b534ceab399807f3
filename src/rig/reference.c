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
// Forward lean of the spine [sine of 3 degrees] up to which a moving frame's may be the body's own. From the first
// joint of the spine to its last, 33 real rest poses that stand lean back by up to 14 degrees and forward by 2.3 at
// most.
#define SPINE_FREE 0.052
// Slope of heel to toe [sine of 75 degrees] beyond which a foot does not stand. Of a shoe whose toe joint lies close
// below the ankle the bone is at 64 degrees while the sole is level.
#define STEEP 0.96592582628906831
// Feet that differ by more than this (sine of the slope) are in mid-step: 10 degrees.
#define UNLIKE 0.17
// Sole of the base pose against the planted one [rad] from which on the clip is right: of a frame or mean 7 degrees, of
// a rest pose 15. The feet of a dance are planted on their balls, 9 degrees off the sole that the same skeleton's
// T-pose stands on; rest poses that are wrong are off by 30 and more.
#define SOLE_OFF (7.0 * SFT_PI / 180.0)
#define SOLE_OFF_REST (15.0 * SFT_PI / 180.0)
// Shortest bone that has a direction [m].
#define SHORT 1e-5

static const sft_v3d X = {1, 0, 0}, Y = {0, 1, 0}, ZERO = {0, 0, 0};

// ---- which way is up, which way is forward ----

sft_v3d sft_rig_trunk(const sft_rig_build* build, const sft_xformd* pose)
{
    const sft_rig_body* body = &build->body;
    const sft_v3d chest = sft_rig_between(pose, body->hips, body->chest);
    double leg = 0.0;
    for (int side = 0; side < 2; ++side)
        if (body->leg[side] >= 0)
            leg = sft_v3d_length(
                sft_rig_between(pose, build->legs[body->leg[side]].hip, build->legs[body->leg[side]].heel));
    if (sft_v3d_length(chest) > 0.25 * leg && sft_v3d_length(chest) > SHORT) return chest;
    // A single joint between pelvis and trunk lies anywhere: what is above it tells.
    const int32_t top = body->neck >= 0 ? body->neck : body->top;
    if (top < 0 || body->leg[0] < 0 || body->leg[1] < 0) return chest;
    const sft_v3d middle =
        sft_v3d_lerp(pose[build->legs[body->leg[0]].hip].t, pose[build->legs[body->leg[1]].hip].t, 0.5);
    return sft_v3d_sub(pose[top].t, middle);
}

static sft_v3d legs_up(const sft_rig_build* build, const sft_xformd* pose)
{
    sft_v3d up = ZERO;
    for (int side = 0; side < 2; ++side)
        if (build->body.leg[side] >= 0)
        {
            const sft_leg* leg = &build->legs[build->body.leg[side]];
            up = sft_v3d_add(up, sft_rig_unit(sft_rig_between(pose, leg->heel, leg->hip)));
        }
    return sft_rig_unit(up);
}

sft_quatd sft_rig_whole_turn(const sft_rig_build* build, const sft_xformd* pose)
{
    if (build->body.animal || build->leg_count == 0) return sft_quatd_identity();
    const sft_v3d legs = legs_up(build, pose);
    if (legs.y > WHOLE_COS) return sft_quatd_identity(); // it stands; the trunk may lean
    const sft_v3d up = sft_v3d_add(sft_rig_unit(sft_rig_trunk(build, pose)), legs);
    const double length = sft_v3d_length(up);
    // Trunk and legs that cancel (a figure folded up, a bundle) say nothing.
    if (!(length > 0.5) || up.y > WHOLE_COS * length) return sft_quatd_identity();
    // A skeleton built along other axes: exactly a quarter or half turn.
    const sft_v3d axes[5] = {{1, 0, 0}, {-1, 0, 0}, {0, 0, 1}, {0, 0, -1}, {0, -1, 0}};
    for (int i = 0; i < 5; ++i)
        if (sft_v3d_dot(up, axes[i]) > LEAN_COS * length) return sft_quatd_between(axes[i], Y);
    return sft_quatd_between(up, Y);
}

// From right to left, all couples of the body summed, wide ones most.
static sft_v3d lateral(const sft_rig_build* build, const sft_xformd* pose)
{
    const sft_rig_body* body = &build->body;
    sft_v3d sum = ZERO;
    if (body->leg[0] >= 0 && body->leg[1] >= 0)
        sum = sft_rig_between(pose, build->legs[body->leg[1]].hip, build->legs[body->leg[0]].hip);
    for (int32_t i = 0; i + 1 < build->leg_count && body->animal; i += 2)
        if (build->legs[i].side == SFT_LEG_LEFT && build->legs[i + 1].side == SFT_LEG_RIGHT)
            sum = sft_v3d_add(sum, sft_rig_between(pose, build->legs[i + 1].hip, build->legs[i].hip));
    if (sft_v3d_length(sum) > SHORT) return sum;
    return sft_rig_between(pose, body->arms[1].upper, body->arms[0].upper);
}

// Heel to toe of all feet, each one unit long.
static sft_v3d feet_forward(const sft_rig_build* build, const sft_xformd* pose)
{
    sft_v3d sum = ZERO;
    for (int32_t i = 0; i < build->leg_count; ++i)
        sum = sft_v3d_add(sum, sft_rig_unit(sft_rig_between(pose, build->legs[i].heel, build->legs[i].toe)));
    return sum;
}

double sft_rig_snap_facing(double angle)
{
    const double quarter = 0.5 * SFT_PI, near = quarter * floor(angle / quarter + 0.5);
    return fabs(angle - near) < QUARTER_NEAR ? near : angle;
}

double sft_rig_facing(const sft_rig_build* build, const sft_xformd* pose, sft_quatd whole)
{
    const sft_v3d left = sft_quatd_rotate(whole, lateral(build, pose));
    const sft_v3d ahead = sft_quatd_rotate(whole, feet_forward(build, pose));
    double angle = 0.0;
    if (left.x * left.x + left.z * left.z > SHORT * SHORT)
        angle = sft_atan2(left.z, left.x);
    else if (ahead.x * ahead.x + ahead.z * ahead.z > 0.01)
        angle = sft_atan2(-ahead.x, ahead.z);
    return fabs(angle) < 1e-12 ? 0.0 : angle;
}

// ---- limbs ----

// The change of a joint below one changed by `above`, so that the bone (base pose) comes to point along `to`.
static sft_quatd aimed(sft_quatd above, sft_v3d bone, sft_v3d to)
{
    if (!(sft_v3d_length(bone) > SHORT)) return above;
    const sft_v3d carried = sft_quatd_rotate(above, bone);
    return sft_quatd_normalize(sft_quatd_mul(sft_quatd_between(carried, to), above));
}

static sft_quatd rolled(sft_quatd change, sft_v3d axis, double angle)
{
    return fabs(angle) > 0.0 ? sft_quatd_mul(sft_quatd_exp(sft_v3d_scale(angle, axis)), change) : change;
}

static sft_v3d hand_bone(const sft_rig_build* build, const sft_rig_arm* arm)
{
    sft_v3d sum = ZERO;
    int count = 0;
    for (int i = 1; i < 5; ++i)
    {
        if (arm->palm[i] < 0) continue;
        const sft_v3d v = sft_rig_between(build->base, arm->hand, arm->palm[i]);
        sum = sft_v3d_add(sum, v);
        ++count;
    }
    if (count > 0 && sft_v3d_length(sum) > SHORT) return sum;
    return sft_rig_between(build->base, arm->hand, arm->tip);
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
    const sft_v3d bone = sft_rig_between(build->base, joint, next_of_finger(build, joint));
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
        if (arm->fore < 0 || build->body.wings) continue;
        if (joint == arm->upper)
            *own = rolled(aimed(above, sft_rig_between(build->base, arm->upper, arm->fore), out), X,
                          build->roll_upper[side]);
        else if (joint == arm->fore)
            *own = rolled(aimed(above, sft_rig_between(build->base, arm->fore, arm->hand), out), X,
                          build->roll_fore[side]);
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

// Turn about the vertical after which a foot points ahead.
static double yaw_of(sft_v3d foot)
{
    return foot.x * foot.x + foot.z * foot.z > SHORT * SHORT ? sft_atan2(-foot.x, foot.z) : 0.0;
}

// Slope of heel to toe that the heights of a leg's joints over its own sole tell.
static sft_v3d sole_slope(const sft_leg* leg, double length)
{
    const double drop = sft_clampd((leg->heel_min - leg->toe_min) / length, -0.5, 0.8);
    return sft_v3d_make(0, -drop, sqrt(1.0 - drop * drop));
}

static sft_v3d foot_of(const sft_rig_build* build, int side)
{
    if (build->body.leg[side] < 0) return ZERO;
    const sft_leg* leg = &build->legs[build->body.leg[side]];
    return sft_quatd_rotate(build->whole, sft_rig_between(build->base, leg->heel, leg->toe));
}

// A foot that points nearly straight up or down, or is in mid-step, is set by what is known of its sole.
static bool foot_is_free(const sft_rig_build* build, int side)
{
    const sft_v3d own = sft_rig_unit(foot_of(build, side)), other = sft_rig_unit(foot_of(build, 1 - side));
    const bool alike = !(sft_v3d_length(other) > 0.5) || fabs(own.y - other.y) < UNLIKE;
    return fabs(own.y) > STEEP || (!sft_rig_stands(build) && !alike);
}

// The foot stands as it does in the rest pose, turned about the vertical until it points ahead, and by foot_pitch.
static sft_quatd foot_change(const sft_rig_build* build, const sft_leg* leg, int side)
{
    const sft_v3d bone = sft_rig_between(build->base, leg->heel, leg->toe);
    const double length = sft_v3d_length(bone);
    sft_quatd change = build->whole;
    if (!(length > SHORT)) return change;
    const bool is_free = foot_is_free(build, side);
    const sft_v3d up = sft_quatd_rotate(change, sft_quatd_rotate(build->base[leg->heel].r, build->seen.sole[side]));
    const bool known = sft_v3d_length(up) > 0.5;
    if (is_free && !known)
        return sft_quatd_mul(sft_quatd_between(sft_quatd_rotate(change, bone), sole_slope(leg, length)), change);
    if (is_free) change = sft_quatd_mul(sft_quatd_between(up, Y), change);
    change = rolled(change, Y, yaw_of(sft_quatd_rotate(change, bone)));
    return is_free ? change : rolled(change, X, build->foot_pitch[side]);
}

// Feet of a moving frame that stand nearly alike get one slope. Those of one that holds still stand as they do: of a
// person who was scanned, left and right toe lie 4 mm apart over one level sole.
static void make_feet_even(sft_rig_build* build)
{
    double slope[2];
    build->foot_pitch[0] = build->foot_pitch[1] = 0.0;
    if (build->pose_frame >= 0 && sft_rig_feet_rest(build, build->pose_frame)) return;
    for (int side = 0; side < 2; ++side)
    {
        const sft_v3d foot = foot_of(build, side);
        const double ahead = sqrt(foot.x * foot.x + foot.z * foot.z);
        if (sft_rig_stands(build) || foot_is_free(build, side) || !(ahead > SHORT)) return;
        slope[side] = sft_atan2(foot.y, ahead);
    }
    // Turning about +X by a positive angle takes toes down.
    build->foot_pitch[0] = 0.5 * (slope[0] - slope[1]);
    build->foot_pitch[1] = -build->foot_pitch[0];
}

void sft_rig_level_soles(sft_rig_build* build)
{
    double sum = 0.0, count = 0.0;
    make_feet_even(build);
    for (int side = 0; side < 2; ++side)
    {
        if (build->body.leg[side] < 0 || !(sft_v3d_length(build->seen.sole[side]) > 0.5)) continue;
        const sft_leg* leg = &build->legs[build->body.leg[side]];
        const sft_quatd ahead = rolled(build->whole, Y, yaw_of(foot_of(build, side)));
        const sft_v3d up = sft_quatd_rotate(ahead, sft_quatd_rotate(build->base[leg->heel].r, build->seen.sole[side]));
        if (foot_is_free(build, side) || !(up.y > 0.2)) continue;
        sum += -sft_atan2(up.z, up.y) - build->foot_pitch[side];
        count += 1.0;
    }
    const double least = sft_rig_stands(build) ? SOLE_OFF_REST : SOLE_OFF;
    if (!(count > 0.0) || !(fabs(sum) > least * count)) return;
    for (int side = 0; side < 2; ++side)
        build->foot_pitch[side] += sum / count;
    sft_rig_say(build, "soles levelled by %d degrees as they stand in the clip",
                (int)floor(fabs(sum / count) * 180.0 / SFT_PI + 0.5));
}

// Toes of a mean are turned by all the steps that went into it: on a sole they lie as they do while the foot stands.
static sft_quatd toe_change(const sft_rig_build* build, const sft_leg* leg, int side, sft_quatd above)
{
    const sft_v3d up = sft_quatd_rotate(above, sft_quatd_rotate(build->base[leg->toe].r, build->seen.toe[side]));
    if (build->pose_frame != SFT_RIG_POSE_MEAN || !(up.y > 0.5)) return above;
    return sft_quatd_normalize(sft_quatd_mul(sft_quatd_between(up, Y), above));
}

static bool leg_change(const sft_rig_build* build, int32_t joint, sft_quatd above, sft_quatd* own)
{
    const sft_v3d down = {0, -1, 0};
    for (int side = 0; side < 2; ++side)
    {
        if (build->body.leg[side] < 0) continue;
        const sft_leg* leg = &build->legs[build->body.leg[side]];
        if (joint == leg->hip)
            *own = rolled(aimed(above, sft_rig_between(build->base, leg->hip, leg->knee), down), Y,
                          build->roll_thigh[side]);
        else if (joint == leg->knee)
            *own = rolled(aimed(above, sft_rig_between(build->base, leg->knee, leg->heel), down), Y,
                          build->roll_shin[side]);
        else if (joint == leg->heel)
            *own = foot_change(build, leg, side);
        else if (joint == leg->toe)
            *own = toe_change(build, leg, side, above);
        else
            continue;
        return true;
    }
    return false;
}

// Trunk upright end to end, where it leans far. The pelvis of a moving frame is level too.
static sft_quatd hips_change(const sft_rig_build* build, sft_quatd above)
{
    sft_quatd change = above;
    if (!sft_rig_stands(build))
        change = sft_quatd_mul(sft_quatd_between(sft_quatd_rotate(change, lateral(build, build->base)), X), change);
    const sft_v3d trunk = sft_quatd_rotate(change, sft_rig_trunk(build, build->base));
    const double length = sft_v3d_length(trunk);
    if (!(length > SHORT) || trunk.y > LEAN_COS * length) return change;
    return sft_quatd_mul(sft_quatd_between(trunk, Y), change);
}

// Runners stoop, and so does the mean of their frames. The pelvis keeps what it has, for nothing tells its own share.
static sft_quatd spine_change(const sft_rig_build* build, int32_t joint, sft_quatd above)
{
    const sft_v3d bone = sft_quatd_rotate(above, sft_rig_between(build->base, joint, build->body.chest));
    const double length = sft_v3d_length(bone);
    if (sft_rig_stands(build) || !(length > SHORT) || !(bone.y > 0.5 * length)) return above;
    const sft_v3d to = {0, bone.y, bone.z > SPINE_FREE * length ? 0.0 : bone.z};
    return sft_quatd_normalize(sft_quatd_mul(sft_quatd_between(bone, to), above));
}

// The collar bone of the other side below the same joint; -1 none.
static int32_t other_clavicle(const sft_rig_build* build, int32_t joint)
{
    const sft_joint_meaning* m = &build->meanings[joint];
    const sft_leg_side other = m->side == SFT_LEG_LEFT ? SFT_LEG_RIGHT : SFT_LEG_LEFT;
    for (int32_t j = 0; j < build->skeleton->joint_count; ++j)
        if (build->meanings[j].part == m->part && build->meanings[j].side == other && build->meanings[j].index == 0 &&
            build->skeleton->parents[j] == build->skeleton->parents[joint])
            return j;
    return -1;
}

// Collar bones of a moving frame swing with the arms: they lie as mirror images, between both.
static sft_quatd clavicle_change(const sft_rig_build* build, int32_t joint, sft_quatd above)
{
    const sft_joint_meaning* m = &build->meanings[joint];
    if (sft_rig_stands(build) || m->index != 0 || m->pair != 0 || m->side == SFT_LEG_MIDDLE) return above;
    const int32_t other = other_clavicle(build, joint), side = m->side == SFT_LEG_LEFT ? 0 : 1;
    if (other < 0) return above;
    const sft_rig_arm* arms = build->body.arms;
    const sft_v3d bone = sft_rig_between(build->base, joint, arms[side].upper);
    const sft_v3d own = sft_quatd_rotate(above, bone);
    const sft_v3d across = sft_quatd_rotate(above, sft_rig_between(build->base, other, arms[1 - side].upper));
    const double length = sft_v3d_length(own), width = sft_v3d_length(across);
    if (!(length > SHORT) || !(width > SHORT)) return above;
    const sft_v3d mirrored = {-across.x, across.y, across.z};
    const sft_v3d to = sft_v3d_add(sft_v3d_scale(1.0 / length, own), sft_v3d_scale(1.0 / width, mirrored));
    return sft_v3d_length(to) > 1.0 ? aimed(above, bone, to) : above;
}

// Trunk of a figure on two legs.
static bool trunk_change(const sft_rig_build* build, int32_t joint, sft_quatd above, sft_quatd* own)
{
    if (build->leg_count == 0 || build->body.animal) return false;
    const sft_joint_meaning* m = &build->meanings[joint];
    if (joint == build->body.hips)
        *own = hips_change(build, above);
    else if (m->part == SFT_PART_SPINE && m->index == 0)
        *own = spine_change(build, joint, above);
    else if (m->part == SFT_PART_CLAVICLE)
        *own = clavicle_change(build, joint, above);
    else if (joint == build->body.head && m->part == SFT_PART_HEAD && !sft_rig_stands(build) && build->body.hips >= 0)
        *own = build->change[build->body.hips]; // who stoops looks ahead all the same
    else
        return false;
    return true;
}

void sft_rig_turn_limbs(sft_rig_build* build)
{
    const sft_skeleton* skeleton = build->skeleton;
    for (int32_t j = 0; j < skeleton->joint_count; ++j)
    {
        const int32_t p = skeleton->parents[j];
        const sft_quatd above = p < 0 ? build->whole : build->change[p];
        sft_quatd own = above;
        if (!trunk_change(build, j, above, &own) && !leg_change(build, j, above, &own))
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
        const int32_t end = arm->hand >= 0 ? arm->hand : arm->fore;
        const sft_v3d v = sft_quatd_rotate(build->whole, sft_rig_unit(sft_rig_between(build->base, arm->upper, end)));
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
