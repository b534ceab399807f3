// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// What a leg given by its joints lacks: the side about which the knee bends, and the heights of the foot's joints over
// the sole. Both are read from the clip where the rest pose says nothing or nonsense.

#include "leg/find.h"

#include "core/core.h"

// Frames looked at, spread evenly.
#define SAMPLES 64
// Sine of the bend below which a knee counts as straight: 3 degrees, the noise of captured knees.
#define STRAIGHT 0.05
// Sine of the mean bend from which the bend alone decides: 12 degrees.
#define BENT 0.2

sft_xformd sft_leg_rest_model(const sft_skeleton* skeleton, int32_t joint)
{
    return sft_skeleton_joint_model(skeleton, skeleton->rest_translations, skeleton->rest_rotations, joint);
}

typedef struct pose_view
{
    const sft_skeleton* skeleton;
    const sft_v3d* t;
    const sft_quatd* r;
} pose_view;

static sft_xformd joint_at(const pose_view* pose, int32_t joint)
{
    return sft_skeleton_joint_model(pose->skeleton, pose->t, pose->r, joint);
}

static pose_view rest_view(const sft_skeleton* skeleton)
{
    return (pose_view){skeleton, skeleton->rest_translations, skeleton->rest_rotations};
}

static pose_view frame_view(const sft_skeleton* skeleton, const sft_clip* clip, int32_t frame)
{
    const size_t row = (size_t)frame * (size_t)clip->joint_count;
    return (pose_view){skeleton, clip->translations + row, clip->rotations + row};
}

// Frames to look at; frame 0 is left to others where there are more, since it may be a reference pose.
static int32_t sample_count(const sft_clip* clip)
{
    if (clip == NULL || clip->frame_count <= 0) return 0;
    const int32_t frames = clip->frame_count > 1 ? clip->frame_count - 1 : 1;
    return frames < SAMPLES ? frames : SAMPLES;
}

static int32_t sample_frame(const sft_clip* clip, int32_t k)
{
    const int32_t first = clip->frame_count > 1 ? 1 : 0, frames = clip->frame_count - first;
    return first + (int32_t)((int64_t)k * frames / sample_count(clip));
}

// A joint of the leg as seen from the hip's parent: sides need no more, and hierarchies may be very deep above.
static sft_xformd from_hip(const pose_view* pose, const sft_leg* leg, int32_t joint)
{
    sft_xformd x = {pose->t[joint], pose->r[joint]};
    for (int32_t j = joint; j != leg->hip;)
    {
        j = pose->skeleton->parents[j];
        x = sft_xformd_mul((sft_xformd){pose->t[j], pose->r[j]}, x);
    }
    return x;
}

// Side by the bend, knee-joint space, length the sine of the bend: (knee - hip) x (heel - hip) points so that
// (heel - hip) x side points to where the knee bulges.
static sft_v3d bend_side(const pose_view* pose, const sft_leg* leg)
{
    const sft_v3d zero = {0, 0, 0};
    const sft_xformd knee = from_hip(pose, leg, leg->knee);
    const sft_v3d hip = from_hip(pose, leg, leg->hip).t, heel = from_hip(pose, leg, leg->heel).t;
    const sft_v3d thigh = sft_v3d_sub(knee.t, hip), down = sft_v3d_sub(heel, hip);
    const sft_v3d shank = sft_v3d_sub(heel, knee.t);
    const double scale = sft_v3d_length(thigh) * sft_v3d_length(shank);
    if (!(scale > SFT_LENGTH_EPS * SFT_LENGTH_EPS)) return zero;
    return sft_quatd_unrotate(knee.r, sft_v3d_scale(1.0 / scale, sft_v3d_cross(thigh, down)));
}

// Side by where the foot points: forward is the foot's part at right angles to the leg.
static sft_v3d foot_side(const pose_view* pose, const sft_leg* leg)
{
    const sft_v3d zero = {0, 0, 0};
    const int32_t tip = leg->toe_end >= 0 ? leg->toe_end : leg->toe;
    if (tip < 0 || tip == leg->heel) return zero;
    const sft_xformd knee = from_hip(pose, leg, leg->knee);
    const sft_v3d heel = from_hip(pose, leg, leg->heel).t;
    const sft_v3d down = sft_v3d_normalize_or(sft_v3d_sub(heel, from_hip(pose, leg, leg->hip).t), zero);
    const sft_v3d foot = sft_v3d_normalize_or(sft_v3d_sub(from_hip(pose, leg, tip).t, heel), zero);
    return sft_quatd_unrotate(knee.r, sft_v3d_cross(foot, down));
}

typedef sft_v3d (*side_of_pose)(const pose_view* pose, const sft_leg* leg);

static sft_v3d mean_side(const sft_skeleton* skeleton, const sft_clip* clip, const sft_leg* leg, side_of_pose side)
{
    sft_v3d sum = {0, 0, 0};
    const int32_t count = sample_count(clip);
    for (int32_t k = 0; k < count; ++k)
    {
        const pose_view pose = frame_view(skeleton, clip, sample_frame(clip, k));
        sum = sft_v3d_madd(sum, 1.0 / (double)count, side(&pose, leg));
    }
    return sum;
}

// Unit vector that stays the same to the last bit when a reader of a legs file makes it unit length again.
static sft_v3d settled_unit(sft_v3d v)
{
    sft_v3d unit = sft_v3d_normalize_or(v, sft_v3d_make(1, 0, 0));
    for (int i = 0; i < 8; ++i)
    {
        const sft_v3d next = sft_v3d_normalize_or(unit, unit);
        if (!(sft_v3d_distance(next, unit) > 0.0)) break;
        unit = next;
    }
    return unit;
}

// A bend says less the smaller it is: below BENT the foot has a say, in proportion to what is missing.
static sft_v3d bend_with_foot(sft_v3d bend, sft_v3d foot)
{
    const double missing = sft_maxd(0.0, BENT - sft_v3d_length(bend));
    return sft_v3d_madd(bend, missing, foot);
}

const char* sft_leg_find_knee_side(const sft_skeleton* skeleton, const sft_clip* clip, sft_v3d facing, sft_leg* leg)
{
    const pose_view rest = rest_view(skeleton);
    const sft_v3d zero = {0, 0, 0};
    // A hinge keeps its axis in knee-joint space, so bends of all frames add up and strong bends count most.
    const sft_v3d bend = mean_side(skeleton, clip, leg, bend_side), rest_bend = bend_side(&rest, leg);
    const sft_v3d foot = mean_side(skeleton, clip, leg, foot_side), rest_foot = foot_side(&rest, leg);
    const sft_v3d tried[4] = {bend_with_foot(bend, foot), bend_with_foot(rest_bend, rest_foot), foot, rest_foot};
    const bool usable[4] = {sft_v3d_length(bend) > STRAIGHT, sft_v3d_length(rest_bend) > STRAIGHT,
                            sft_v3d_length(foot) > 0.2, sft_v3d_length(rest_foot) > 0.2};
    static const char* const from[4] = {"the bend in the clip", "the bend in the rest pose", "the foot in the clip",
                                        "the foot in the rest pose"};
    for (int i = 0; i < 4; ++i)
    {
        // A foot that says the opposite of a small bend can cancel it; then the next source is asked.
        if (!usable[i] || !(sft_v3d_length(tried[i]) > 1e-3)) continue;
        leg->knee_side = settled_unit(tried[i]);
        return from[i];
    }
    const sft_xformd knee = joint_at(&rest, leg->knee);
    const sft_v3d down = sft_v3d_normalize_or(sft_v3d_sub(joint_at(&rest, leg->heel).t, joint_at(&rest, leg->hip).t),
                                              sft_v3d_make(0, -1, 0));
    const sft_v3d side = sft_v3d_normalize_or(sft_v3d_cross(facing, down), zero);
    const bool faces = sft_v3d_length(side) > 0.5;
    leg->knee_side = settled_unit(sft_quatd_unrotate(knee.r, faces ? side : sft_v3d_any_perp(down)));
    return faces ? "the body's facing" : "nothing (any side at right angles)";
}

// ---- minima ----

static double height_in(const pose_view* pose, int32_t joint)
{
    return joint_at(pose, joint).t.y;
}

// A rest pose is believed where each leg hangs down by half its length or more, foot below knee.
static bool hangs(const pose_view* pose, const sft_leg* leg)
{
    const sft_v3d hip = joint_at(pose, leg->hip).t, knee = joint_at(pose, leg->knee).t;
    const sft_v3d heel = joint_at(pose, leg->heel).t, toe = joint_at(pose, leg->toe).t;
    const double length = sft_v3d_distance(hip, knee) + sft_v3d_distance(knee, heel);
    return hip.y - heel.y > 0.5 * length && toe.y - heel.y < 0.25 * length;
}

static void minima_in(const pose_view* pose, sft_leg* leg, double sole)
{
    leg->heel_min = sft_maxd(0.0, height_in(pose, leg->heel) - sole);
    leg->toe_min = sft_maxd(0.0, height_in(pose, leg->toe) - sole);
    leg->toe_end_min = leg->toe_end >= 0 ? sft_maxd(0.0, height_in(pose, leg->toe_end) - sole) : 0.0;
}

static double lowest_in(const pose_view* pose, const sft_leg* leg)
{
    double low = sft_mind(height_in(pose, leg->heel), height_in(pose, leg->toe));
    if (leg->toe_end >= 0) low = sft_mind(low, height_in(pose, leg->toe_end));
    return low;
}

// Without a standing rest pose: a low quantile of each height over the clip stands in for it.
static void minima_from_clip(const sft_skeleton* skeleton, const sft_clip* clip, sft_leg* leg)
{
    const int32_t count = sample_count(clip);
    const int32_t joints[3] = {leg->heel, leg->toe, leg->toe_end};
    double low[3] = {0, 0, 0}, values[SAMPLES], sole = 0.0;
    for (int i = 0; i < 3; ++i)
    {
        if (joints[i] < 0) continue;
        for (int32_t k = 0; k < count; ++k)
        {
            const pose_view pose = frame_view(skeleton, clip, sample_frame(clip, k));
            values[k] = height_in(&pose, joints[i]);
        }
        low[i] = sft_core_select(values, (size_t)count, (size_t)count / 10);
        sole = i == 0 ? low[i] : sft_mind(sole, low[i]);
    }
    leg->heel_min = low[0] - sole;
    leg->toe_min = low[1] - sole;
    leg->toe_end_min = leg->toe_end >= 0 ? low[2] - sole : 0.0;
}

void sft_leg_find_minima(const sft_skeleton* skeleton, const sft_clip* clip, sft_leg* leg)
{
    // Legs of unequal length, as measured skeletons have them, each stand on their own sole: hence no common plane.
    const pose_view rest = rest_view(skeleton);
    if (hangs(&rest, leg) || sample_count(clip) == 0)
        minima_in(&rest, leg, lowest_in(&rest, leg));
    else
        minima_from_clip(skeleton, clip, leg);
}
