// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// What a clip's frames tell about a skeleton beyond its rest pose: about which axis elbows and knees bend (a hinge
// stands still in the space of the bone above it, so bends of all frames add up), how a foot is turned while it stands
// flat on the ground, and which frame would do as a base pose.

#include "rig/rig_internal.h"

// Frames looked at, spread evenly.
#define SAMPLES 64
// A hinge counts where its frames agree: length of the sum over the sum of lengths.
#define HINGE_AGREE 0.8
// ... and where it bends: mean sine, 8 degrees; 14 degrees make it sure. Arms that hang at rest are bent less: on a
// figure whose true axes are known their hinge was off by 26 degrees at a mean sine of 0.15 to 0.2 (2026).
#define HINGE_BEND 0.14
#define HINGE_SURE 0.25
// A foot stands where heel and toe go up or down more slowly than this [m/s at a leg of a metre]. In clips that walk in
// place it slides.
#define STILL 0.1
// ... and the heel is within this of the lowest it gets, in leg lengths.
#define LOW 0.03
// Frames needed, and how far they may differ from their mean [cosine]: 12 degrees root mean square.
#define SOLE_FRAMES 3
#define SOLE_AGREE 0.978

typedef struct foot_sample
{
    sft_v3d up, toe_up; // heel's space, toe's space
    double height, toe_height;
    bool still;
} foot_sample;

typedef struct watch
{
    sft_v3d bend[4][2]; // elbows, knees; as seen by the bone above and below
    double bent[4];
    foot_sample feet[2][SAMPLES];
    int32_t count;
} watch;

static sft_result forward(const sft_rig_build* build, int32_t frame, sft_xformd* out)
{
    const size_t n = (size_t)build->skeleton->joint_count, row = (size_t)frame * n;
    const sft_v3d* t = build->clip->translations + row;
    const sft_quatd* r = build->clip->rotations + row;
    for (size_t j = 0; j < n; ++j)
    {
        const double length = sft_quatd_dot(r[j], r[j]);
        if (!sft_v3d_in_range(t[j]) || !(length > 0.25 && length < 4.0)) return SFT_ERR_RANGE;
    }
    sft_skeleton_forward(build->skeleton, t, r, out);
    return SFT_OK;
}

static void watch_hinge(const sft_xformd* pose, int32_t a, int32_t b, int32_t c, sft_v3d* sums, double* total)
{
    const sft_v3d axis =
        sft_v3d_cross(sft_rig_unit(sft_rig_between(pose, a, b)), sft_rig_unit(sft_rig_between(pose, b, c)));
    *total += sft_v3d_length(axis);
    sums[0] = sft_v3d_add(sums[0], sft_quatd_unrotate(pose[a].r, axis));
    sums[1] = sft_v3d_add(sums[1], sft_quatd_unrotate(pose[b].r, axis));
}

static void watch_limbs(const sft_rig_build* build, watch* w)
{
    for (int side = 0; side < 2; ++side)
    {
        const sft_rig_arm* arm = &build->body.arms[side];
        if (arm->hand >= 0)
            watch_hinge(build->scratch, arm->upper, arm->fore, arm->hand, w->bend[side], &w->bent[side]);
        if (build->body.leg[side] < 0) continue;
        const sft_leg* leg = &build->legs[build->body.leg[side]];
        watch_hinge(build->scratch, leg->hip, leg->knee, leg->heel, w->bend[2 + side], &w->bent[2 + side]);
    }
}

static double leg_length(const sft_xformd* pose, const sft_leg* leg)
{
    return sft_v3d_length(sft_rig_between(pose, leg->hip, leg->knee)) +
           sft_v3d_length(sft_rig_between(pose, leg->knee, leg->heel));
}

// scratch and scratch2 are neighbouring frames.
static void watch_feet(const sft_rig_build* build, watch* w, bool has_next)
{
    const double dt = build->clip->frame_time;
    for (int side = 0; side < 2; ++side)
    {
        if (build->body.leg[side] < 0) continue;
        const sft_leg* leg = &build->legs[build->body.leg[side]];
        const double limit = STILL * leg_length(build->scratch, leg) * dt;
        foot_sample* foot = &w->feet[side][w->count];
        foot->up = sft_quatd_unrotate(build->scratch[leg->heel].r, sft_v3d_make(0, 1, 0));
        foot->toe_up = sft_quatd_unrotate(build->scratch[leg->toe].r, sft_v3d_make(0, 1, 0));
        foot->height = build->scratch[leg->heel].t.y;
        foot->toe_height = build->scratch[leg->toe].t.y;
        foot->still = has_next && dt > 0.0 &&
                      fabs(build->scratch[leg->heel].t.y - build->scratch2[leg->heel].t.y) < limit &&
                      fabs(build->scratch[leg->toe].t.y - build->scratch2[leg->toe].t.y) < limit;
    }
}

static void read_hinge(sft_v3d sum, double total, int32_t count, sft_v3d* out)
{
    const double length = sft_v3d_length(sum);
    if (count > 0 && total > HINGE_BEND * (double)count && length > HINGE_AGREE * total)
        *out = sft_v3d_scale((total > HINGE_SURE * (double)count ? 1.0 : SFT_RIG_WEAK) / length, sum);
}

static void read_up(sft_v3d sum, double frames, sft_v3d* out)
{
    const double length = sft_v3d_length(sum);
    if (frames >= (double)SOLE_FRAMES && length > SOLE_AGREE * frames) *out = sft_v3d_scale(1.0 / length, sum);
}

// Up in the heel's and in the toe's space over the frames in which the foot stands on its whole sole: still, and both
// ends low.
static void read_sole(const watch* w, int side, double leg, sft_rig_evidence* seen)
{
    double heights[SAMPLES], toes[SAMPLES];
    for (int32_t k = 0; k < w->count; ++k)
    {
        heights[k] = w->feet[side][k].height;
        toes[k] = w->feet[side][k].toe_height;
    }
    if (w->count < SOLE_FRAMES) return;
    const double low = sft_core_select(heights, (size_t)w->count, (size_t)w->count / 16) + LOW * leg;
    const double toe_low = sft_core_select(toes, (size_t)w->count, (size_t)w->count / 16) + LOW * leg;
    sft_v3d sum = {0, 0, 0}, toe_sum = {0, 0, 0};
    double frames = 0.0;
    for (int32_t k = 0; k < w->count; ++k)
    {
        const foot_sample* foot = &w->feet[side][k];
        if (!foot->still || foot->height > low || foot->toe_height > toe_low) continue;
        sum = sft_v3d_add(sum, foot->up);
        toe_sum = sft_v3d_add(toe_sum, foot->toe_up);
        frames += 1.0;
    }
    read_up(sum, frames, &seen->sole[side]);
    read_up(toe_sum, frames, &seen->toe[side]);
}

static int32_t sample_count(const sft_clip* clip)
{
    return clip->frame_count < SAMPLES ? clip->frame_count : SAMPLES;
}

// Another frame is next to none in a clip of one.
bool sft_rig_feet_rest(const sft_rig_build* build, int32_t frame)
{
    const int32_t last = build->clip->frame_count - 1, other = frame < last ? frame + 1 : frame - 1;
    const double dt = build->clip->frame_time;
    if (other < 0 || !(dt > 0.0)) return false;
    if (forward(build, frame, build->scratch) != SFT_OK || forward(build, other, build->scratch2) != SFT_OK)
        return false;
    for (int side = 0; side < 2; ++side)
    {
        if (build->body.leg[side] < 0) continue;
        const sft_leg* leg = &build->legs[build->body.leg[side]];
        const double limit = STILL * leg_length(build->scratch, leg) * dt;
        if (sft_v3d_distance(build->scratch[leg->heel].t, build->scratch2[leg->heel].t) > limit ||
            sft_v3d_distance(build->scratch[leg->toe].t, build->scratch2[leg->toe].t) > limit)
            return false;
    }
    return true;
}

sft_result sft_rig_watch(sft_rig_build* build)
{
    sft_rig_evidence* seen = &build->seen;
    *seen = (sft_rig_evidence){.best = -1, .best_score = -1.0};
    if (build->clip == NULL || build->clip->frame_count < 1) return SFT_OK;
    const int32_t frames = build->clip->frame_count, count = sample_count(build->clip);
    watch w = {.count = 0};
    for (int32_t k = 0; k < count; ++k)
    {
        // Both ends are looked at: reference poses stand there.
        const int32_t frame = count > 1 ? (int32_t)((int64_t)k * (frames - 1) / (count - 1)) : 0;
        sft_result result = forward(build, frame, build->scratch);
        const bool has_next = frame + 1 < frames;
        if (result == SFT_OK && has_next) result = forward(build, frame + 1, build->scratch2);
        if (result != SFT_OK) return result;
        watch_limbs(build, &w);
        watch_feet(build, &w, has_next);
        sft_rig_watch_turns(build, build->scratch);
        ++w.count;
        const double score = sft_rig_score(build, build->scratch);
        if (!(score > seen->best_score)) continue;
        seen->best_score = score;
        seen->best = frame;
    }
    for (int side = 0; side < 2; ++side)
    {
        for (int end = 0; end < 2; ++end)
        {
            read_hinge(w.bend[side][end], w.bent[side], w.count, &seen->elbow[side][end]);
            read_hinge(w.bend[2 + side][end], w.bent[2 + side], w.count, &seen->knee[side][end]);
        }
        if (build->body.leg[side] < 0) continue;
        read_sole(&w, side, leg_length(build->scratch, &build->legs[build->body.leg[side]]), seen);
    }
    return SFT_OK;
}
