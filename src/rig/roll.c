// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// Roll about a limb's own bone cannot be seen in directions. Where two rigs' rest poses differ in it (palms ahead in
// one, down in the other), motion moved between them would be twisted by as much. In the reference the palms face down
// and elbows and knees bend forward. Evidence is where thumb, index and little finger lie, and about which axis the
// joints bend in the clip or are bent in the base pose. Small differences are a builder's taste, or noise: they stay.

#include "rig/rig_internal.h"

// Roll from which on it is corrected [rad]: 20 degrees; of weak evidence, 45.
#define OFF (20.0 * SFT_PI / 180.0)
#define FAR_OFF (45.0 * SFT_PI / 180.0)
// ... of a frame or a mean of frames, whose arms nobody built so: 8 degrees.
#define OFF_MOVING (8.0 * SFT_PI / 180.0)
// Left and right that differ by more than this do not agree.
#define UNLIKE (40.0 * SFT_PI / 180.0)
// A bend of the base pose tells the hinge from 15 degrees on (sine).
#define BENT 0.26
// Fingers lie this far apart, in arm lengths, or the next joints are asked.
#define APART 0.03

typedef struct roll
{
    bool known;
    double angle; // to be turned by
    double least; // from here on
} roll;

static const roll UNKNOWN = {false, 0, 0};

static double wrapped(double angle)
{
    while (angle > SFT_PI)
        angle -= 2.0 * SFT_PI;
    while (angle < -SFT_PI)
        angle += 2.0 * SFT_PI;
    return angle;
}

// Rolls of both sides in terms of the left, which must agree, since figures are built evenly, or be far off for sure:
// motion made by networks rolls every bone by itself. True: something is known, and out[] is what to do about it, zero
// where the base pose is right.
static bool decide(const roll* left, const roll* right, double* out)
{
    out[0] = out[1] = 0.0;
    if (!left->known || !right->known) return false;
    const double apart = wrapped(left->angle - right->angle);
    if (fabs(apart) > UNLIKE)
    {
        const bool sure = left->least < FAR_OFF && right->least < FAR_OFF;
        if (!sure || !(fabs(left->angle) > FAR_OFF) || !(fabs(right->angle) > FAR_OFF)) return false;
        out[0] = left->angle;
        out[1] = right->angle;
        return true;
    }
    const double mean = wrapped(right->angle + 0.5 * apart);
    if (fabs(mean) > sft_maxd(left->least, right->least)) out[0] = out[1] = mean;
    return true;
}

static double least_of(const sft_rig_build* build)
{
    return sft_rig_stands(build) ? OFF : OFF_MOVING;
}

// A vector of the base pose as the changes have turned it with a joint.
static sft_v3d carried(const sft_rig_build* build, int32_t joint, sft_v3d base)
{
    return sft_quatd_rotate(build->change[joint], base);
}

// Axis about which the joint b bends, figure space, as the bone above (end 0) or below it (1) has it; zero where
// nothing tells.
static sft_v3d hinge(const sft_rig_build* build, const int32_t* joints, int end, sft_v3d seen)
{
    const int32_t own = joints[end];
    if (sft_v3d_length(seen) > 0.5) return carried(build, own, sft_quatd_rotate(build->base[own].r, seen));
    const sft_v3d bend = sft_v3d_cross(sft_rig_unit(sft_rig_between(build->base, joints[0], joints[1])),
                                       sft_rig_unit(sft_rig_between(build->base, joints[1], joints[2])));
    return sft_v3d_length(bend) > BENT ? carried(build, own, bend) : sft_v3d_make(0, 0, 0);
}

static roll elbow_roll(const sft_rig_build* build, int side, int end)
{
    const sft_rig_arm* arm = &build->body.arms[side];
    if (arm->hand < 0) return UNKNOWN;
    const int32_t joints[3] = {arm->upper, arm->fore, arm->hand};
    const sft_v3d axis = hinge(build, joints, end, build->seen.elbow[side][end]);
    // Forearms bend forward: about -Y on the left, +Y on the right.
    const double s = side == 0 ? -1.0 : 1.0, across = axis.y * axis.y + axis.z * axis.z;
    if (!(across > 0.5 * sft_v3d_dot(axis, axis))) return UNKNOWN;
    const bool weak = sft_v3d_length(build->seen.elbow[side][end]) < 0.9;
    return (roll){true, -sft_atan2(s * axis.z, s * axis.y), weak ? FAR_OFF : least_of(build)};
}

// The finger's second joint, or the first where there is none.
static int32_t second_of(const sft_rig_build* build, int32_t first)
{
    for (int32_t c = first + 1; first >= 0 && c < build->skeleton->joint_count; ++c)
        if (build->skeleton->parents[c] == first) return c;
    return first;
}

// From little finger to index, or to the thumb: ahead in the reference.
static sft_v3d across_palm(const sft_rig_build* build, const sft_rig_arm* arm, double* least)
{
    const double size = sft_v3d_length(sft_rig_between(build->base, arm->upper, arm->fore));
    int32_t ahead = arm->palm[1] >= 0 ? arm->palm[1] : arm->palm[2], behind = -1;
    for (int i = 4; i > 1 && behind < 0; --i)
        behind = arm->palm[i] != ahead ? arm->palm[i] : -1;
    *least = least_of(build);
    if (ahead >= 0 && behind >= 0)
    {
        const sft_v3d first = sft_rig_between(build->base, behind, ahead);
        if (sft_v3d_length(first) > APART * size) return first;
        return sft_rig_between(build->base, second_of(build, behind), second_of(build, ahead));
    }
    // A thumb points ahead and somewhat down.
    *least = FAR_OFF;
    if (arm->palm[0] < 0) return sft_v3d_make(0, 0, 0);
    return sft_rig_between(build->base, arm->hand, second_of(build, arm->palm[0]));
}

static roll palm_roll(const sft_rig_build* build, int side)
{
    const sft_rig_arm* arm = &build->body.arms[side];
    if (arm->hand < 0) return UNKNOWN;
    double least;
    const sft_v3d v = carried(build, arm->hand, across_palm(build, arm, &least));
    const double size = sft_v3d_length(v), flat = sqrt(v.y * v.y + v.z * v.z);
    if (!(flat > 0.3 * size) || !(size > 1e-4)) return UNKNOWN;
    return (roll){true, sft_atan2(v.y, v.z), least};
}

static roll knee_roll(const sft_rig_build* build, int side, int end)
{
    if (build->body.leg[side] < 0) return UNKNOWN;
    const sft_leg* leg = &build->legs[build->body.leg[side]];
    const int32_t joints[3] = {leg->hip, leg->knee, leg->heel};
    sft_v3d axis = hinge(build, joints, end, build->seen.knee[side][end]);
    const double least = sft_v3d_length(build->seen.knee[side][end]) < 0.9 ? FAR_OFF : OFF;
    if (!(sft_v3d_length(axis) > 0.0))
        axis = carried(build, leg->knee, sft_quatd_rotate(build->base[leg->knee].r, leg->knee_side));
    if (!(axis.x * axis.x + axis.z * axis.z > 0.25 * sft_v3d_dot(axis, axis))) return UNKNOWN;
    // In terms of the left leg, whose mirror image turns the other way.
    return (roll){true, (side == 0 ? 1.0 : -1.0) * sft_atan2(axis.z, axis.x), least};
}

static void say_rolls(sft_rig_build* build, const double* first, const double* second, const char* what)
{
    const double most = sft_maxd(fabs(first[0]), fabs(second[0]));
    if (most > 0.0) sft_rig_say(build, what, (int)floor(most * 180.0 / SFT_PI + 0.5));
}

static void find_knee_rolls(sft_rig_build* build)
{
    double thigh[2], shin[2];
    const roll above[2] = {knee_roll(build, 0, 0), knee_roll(build, 1, 0)};
    const roll below[2] = {knee_roll(build, 0, 1), knee_roll(build, 1, 1)};
    (void)decide(&above[0], &above[1], thigh);
    if (!decide(&below[0], &below[1], shin)) memcpy(shin, thigh, sizeof shin);
    for (int side = 0; side < 2; ++side)
    {
        const double s = side == 0 ? 1.0 : -1.0;
        build->roll_thigh[side] = s * thigh[side];
        build->roll_shin[side] = s * wrapped(shin[side] - thigh[side]);
    }
    say_rolls(build, thigh, shin, "legs rolled by %d degrees, knees ahead");
}

// The hand goes by its palm; the upper arm by the elbow's hinge, or, without one, with the hand, since rest poses are
// made by turning at the shoulder. A forearm without a palm goes by its hinge if that is far off, and else stays: the
// elbows of some skeletons bend about a slanted axis, while the hand is as it should be.
static void find_arm_rolls(sft_rig_build* build)
{
    double upper[2], fore[2];
    const roll above[2] = {elbow_roll(build, 0, 0), elbow_roll(build, 1, 0)};
    roll below[2] = {elbow_roll(build, 0, 1), elbow_roll(build, 1, 1)};
    const roll palms[2] = {palm_roll(build, 0), palm_roll(build, 1)};
    const bool hinge_known = decide(&above[0], &above[1], upper);
    below[0].least = below[1].least = FAR_OFF;
    const bool palm_known = decide(&palms[0], &palms[1], fore);
    if (!palm_known) (void)decide(&below[0], &below[1], fore);
    if (!hinge_known) memcpy(upper, fore, sizeof upper);
    for (int side = 0; side < 2; ++side)
    {
        build->roll_upper[side] = upper[side];
        build->roll_fore[side] = wrapped(fore[side] - upper[side]);
    }
    if (hinge_known) say_rolls(build, upper, upper, "upper arms rolled by %d degrees, elbows ahead");
    if (palm_known)
        say_rolls(build, fore, fore, "arms rolled by %d degrees, palms down");
    else
        say_rolls(build, fore, fore, "forearms rolled by %d degrees, elbows ahead");
}

bool sft_rig_find_rolls(sft_rig_build* build)
{
    if (build->body.wings) return false;
    find_knee_rolls(build);
    find_arm_rolls(build);
    double all = 0.0;
    for (int side = 0; side < 2; ++side)
        all += fabs(build->roll_upper[side]) + fabs(build->roll_fore[side]) + fabs(build->roll_thigh[side]) +
               fabs(build->roll_shin[side]);
    return all > 0.0;
}

void sft_rig_say(sft_rig_build* build, const char* format, int number)
{
    char text[160];
    sft_core_format(text, sizeof text, format, number);
    const size_t used = strlen(build->reason);
    sft_core_format(build->reason + used, sizeof((sft_rig*)0)->reason - used, used > 0 ? "; %s" : "%s", text);
}
