// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// The height of the pelvis: near the mean of what the feet's supports rise by, as smooth as the source's own pelvis
// allows, and in no frame higher than any leg can reach from.

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

// Highest pelvis that lets all legs reach.
static double highest(const ad_problem* p, int32_t frame)
{
    double high = INFINITY;
    for (int32_t l = 0; l < p->leg_count; ++l)
    {
        if (kept_as_source(p, l, frame)) continue;
        const ad_foot* f = ad_foot_at(p, l, frame);
        const ad_put put = ad_put_foot(p, l, frame);
        const double x = put.heel.x - f->hip.x, z = put.heel.z - f->hip.z, reach = f->reach - REACH_KEPT;
        const double below = sqrt(sft_maxd(reach * reach - x * x - z * z, 0.0));
        high = sft_mind(high, put.heel.y - f->hip.y + below);
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

// Sum of squares of third differences of the source's pelvis, lifted by `lift` (null: not).
static double jerk(const ad_problem* p, const double* lift)
{
    const size_t joints = (size_t)p->clip->joint_count;
    const int32_t joint = p->legs[0].pelvis >= 0 ? p->legs[0].pelvis : p->legs[0].hip;
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
        if (lift) last[3].y += lift[i];
        if (i < 3) continue;
        const sft_v3d inner = sft_v3d_scale(3.0, sft_v3d_sub(last[1], last[2]));
        const sft_v3d d = sft_v3d_add(sft_v3d_sub(last[3], last[0]), inner);
        sum += sft_v3d_dot(d, d);
    }
    return sum;
}

void ad_body(ad_problem* p)
{
    const size_t n = (size_t)p->frames;
    set_reference(p);
    set_bounds(p);
    for (int32_t i = 0; i < p->frames; ++i)
    {
        p->fixed[i] = 0;
        p->weight[i] = 1.0;
    }
    ad_curve c = {.count = p->frames, .weight = p->weight, .fixed = p->fixed};
    c.matrix = p->band;
    c.factor = p->band + n * AD_BAND;
    c.scratch = p->band + 2 * n * AD_BAND;
    const double own = jerk(p, NULL);
    for (size_t k = 0; k < SFT_COUNT_OF(SMOOTH_TIME); ++k)
    {
        const double time = SMOOTH_TIME[k] / p->dt;
        c.third = time * time * time * time * time * time;
        ad_curve_begin(&c);
        memcpy(p->pelvis, p->want, n * sizeof *p->pelvis);
        ad_curve_solve(&c, p->want, p->pelvis);
        int32_t steps = 0;
        if (!ad_curve_solve_bounded(&c, p->want, p->low, p->high, p->pelvis, &steps)) p->report->converged = false;
        p->report->iterations += steps;
        if (jerk(p, p->pelvis) <= JERK_SHARE * JERK_SHARE * own) break;
    }
    for (int32_t i = 0; i < p->frames; ++i)
    {
        p->report->pelvis_shift_min = sft_mind(p->report->pelvis_shift_min, p->pelvis[i]);
        p->report->pelvis_shift_max = sft_maxd(p->report->pelvis_shift_max, p->pelvis[i]);
    }
}
