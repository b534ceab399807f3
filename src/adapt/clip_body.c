// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// The height of the pelvis: near the mean of what the feet's supports rise by, as smooth as the source's own pelvis
// allows, and in no frame higher than any leg can reach from. Of a body with two girdles, the height of each.

#include "adapt/clip_problem.h"

static const double SMOOTH_TIME[] = {0.08, 0.12, 0.18, 0.27, 0.4}; // [s] tried in this order
static const double JERK_SHARE = 1.2;                              // of the source's, at which smooth is smooth enough
static const double REACH_KEPT = 1e-5; // [m] of reach left over, so that rounding never straightens a knee

// What the supports rise by, each leg as much as the other.
static void set_reference(ad_problem* p)
{
    for (int32_t i = 0; i < p->frames; ++i)
    {
        double sum = 0.0;
        for (int32_t l = 0; l < p->leg_count; ++l)
            sum += p->support[(size_t)l * (size_t)p->frames + (size_t)i];
        p->want[i] = sum / (double)p->leg_count;
    }
}

static bool kept_as_source(const ad_problem* p, int32_t leg, int32_t frame)
{
    const int32_t k = p->plant_of[(size_t)leg * (size_t)p->frames + (size_t)frame];
    return k >= 0 && !p->plants[k].on_ground;
}

// Highest that the body may rise so that all legs reach; it is turned already.
static double highest(const ad_problem* p, int32_t frame)
{
    double high = INFINITY;
    for (int32_t l = 0; l < p->leg_count; ++l)
    {
        if (kept_as_source(p, l, frame)) continue;
        const ad_foot* f = ad_foot_at(p, l, frame);
        const ad_put put = ad_put_foot(p, l, frame);
        const sft_v3d hip = ad_turned(p, frame, f->hip);
        const double x = put.heel.x - hip.x, z = put.heel.z - hip.z, reach = f->reach - REACH_KEPT;
        const double below = sqrt(sft_maxd(reach * reach - x * x - z * z, 0.0));
        high = sft_mind(high, put.heel.y - hip.y + below);
    }
    return high;
}

static void set_bounds(ad_problem* p)
{
    const sft_adapt_def* d = &p->def->foot;
    const double drop = d->pelvis_drop_max > 0.0 ? d->pelvis_drop_max : 0.3 * p->leg_length;
    for (int32_t i = 0; i < p->frames; ++i)
    {
        p->low[i] = p->want[i] - drop;
        // The interior needs room: a leg out of reach leaves a millimetre of it, and the leg solve deals with the rest.
        p->high[i] = sft_maxd(highest(p, i), p->low[i] + 0.001);
    }
}

// Sum of squares of third differences of a joint of the source's, moved with the body or not.
static double jerk(const ad_problem* p, int32_t joint, bool moved)
{
    const size_t joints = (size_t)p->clip->joint_count;
    sft_v3d last[4] = {{0}};
    double sum = 0.0;
    for (int32_t i = 0; i < p->frames; ++i)
    {
        const size_t base = (size_t)(p->first + i) * joints;
        last[0] = last[1];
        last[1] = last[2];
        last[2] = last[3];
        last[3] =
            sft_skeleton_joint_model(p->skeleton, p->clip->translations + base, p->clip->rotations + base, joint).t;
        if (moved) last[3] = ad_moved(p, i, last[3]);
        if (i < 3) continue;
        const sft_v3d inner = sft_v3d_scale(3.0, sft_v3d_sub(last[1], last[2]));
        const sft_v3d d = sft_v3d_add(sft_v3d_sub(last[3], last[0]), inner);
        sum += sft_v3d_dot(d, d);
    }
    return sum;
}

static ad_curve new_curve(const ad_problem* p, double smooth_time)
{
    const size_t n = (size_t)p->frames;
    ad_curve c = {.count = p->frames, .weight = p->weight, .fixed = p->fixed};
    c.matrix = p->band;
    c.factor = p->band + n * AD_BAND;
    c.scratch = p->band + 2 * n * AD_BAND;
    const double time = smooth_time / p->dt;
    c.third = time * time * time * time * time * time;
    return c;
}

// The height of the body, as turned.
static void solve_height(ad_problem* p, const ad_curve* c)
{
    memcpy(p->pelvis, p->want, (size_t)p->frames * sizeof *p->pelvis);
    ad_curve_solve(c, p->want, p->pelvis);
    int32_t steps = 0;
    if (!ad_curve_solve_bounded(c, p->want, p->low, p->high, p->pelvis, &steps)) p->report->converged = false;
    p->report->iterations += steps;
}

// Of two girdles: where the ground alone would put both, which turns the body; then the height of the whole, within
// what its legs reach.
static void solve_two(ad_problem* p, const ad_curve* c)
{
    const size_t n = (size_t)p->frames;
    double below[2];
    for (int g = 0; g < 2; ++g)
    {
        double* rise = g == 0 ? p->pelvis : p->chest;
        for (int32_t i = 0; i < p->frames; ++i)
        {
            ad_ground_below(p, i, below);
            p->want[i] = rise[i] = below[g];
        }
        ad_curve_solve(c, p->want, rise);
    }
    ad_turn_body(p);
    for (size_t i = 0; i < n; ++i)
        p->want[i] = 0.5 * (p->pelvis[i] + p->chest[i]);
    set_bounds(p);
    solve_height(p, c);
}

static int32_t joint_of(const ad_problem* p, int32_t leg)
{
    return p->legs[leg].pelvis >= 0 ? p->legs[leg].pelvis : p->legs[leg].hip;
}

// Joints whose jerk is looked at: one of each girdle. Returns how many.
static int jerk_joints(const ad_problem* p, int32_t out[2])
{
    out[0] = joint_of(p, 0);
    if (p->turn_joint < 0) return 1;
    for (int32_t l = p->leg_count - 1; l >= 0; --l)
        out[p->front >> l & 1u] = joint_of(p, l);
    return 2;
}

void ad_body(ad_problem* p)
{
    int32_t joints[2];
    double own[2] = {0};
    const int count = jerk_joints(p, joints);
    for (int k = 0; k < count; ++k)
        own[k] = jerk(p, joints[k], false);
    if (count == 1)
    {
        set_reference(p);
        set_bounds(p);
    }
    else
        ad_support_along_way(p);
    for (int32_t i = 0; i < p->frames; ++i)
    {
        p->fixed[i] = 0;
        p->weight[i] = 1.0;
    }
    for (size_t t = 0; t < SFT_COUNT_OF(SMOOTH_TIME); ++t)
    {
        ad_curve c = new_curve(p, SMOOTH_TIME[t]);
        ad_curve_begin(&c);
        if (count == 1)
            solve_height(p, &c);
        else
            solve_two(p, &c);
        bool smooth = true;
        for (int k = 0; k < count; ++k)
            smooth = smooth && jerk(p, joints[k], true) <= JERK_SHARE * JERK_SHARE * own[k];
        if (smooth) break;
    }
    for (int32_t i = 0; i < p->frames; ++i)
    {
        const double rise = ad_hind_rise(p, i), pitch = count == 2 ? p->moves[i].pitch : 0.0;
        p->report->pelvis_shift_min = sft_mind(p->report->pelvis_shift_min, rise);
        p->report->pelvis_shift_max = sft_maxd(p->report->pelvis_shift_max, rise);
        p->report->pitch_min = sft_mind(p->report->pitch_min, pitch);
        p->report->pitch_max = sft_maxd(p->report->pitch_max, pitch);
    }
}
