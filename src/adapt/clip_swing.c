// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// The way of every foot: over its plants given by their footholds, between them as smooth as third differences make it.
// A foot that comes down or lifts off already moves as its foothold is tilted, so that heels strike a slope as they
// struck the floor. Over what it passes it keeps the source's clearance or the one asked for, whichever is less.

#include "adapt/clip_problem.h"

static const double TOUCH_TIME = 0.03;     // [s] details of a touch shorter than this give way to smoothness
static const double IDLE_TIME = 0.5;       // [s] over which a foot without plants ahead comes to rest in its offset
static const double ROAMING_WEIGHT = 0.01; // of the ground below a foot that never stands
// Turns that only settle the sole begin and end at any rate; a swing is to forget them, not to carry them on.
static const double SETTLE_WEIGHT = 0.05;
static const double SINK = 0.001; // [m] a foot may pass the ground by, so that touching is no fight

// ---- where a foot is ----

static sft_quatd about_left(sft_v3d forward, double angle)
{
    const double s = sft_sin(0.5 * angle);
    return (sft_quatd){s * forward.z, 0.0, -s * forward.x, sft_cos(0.5 * angle)};
}

static sft_v3d vector_at(const ad_problem* p, int32_t leg, int32_t curve, int32_t frame)
{
    const size_t n = (size_t)p->frames;
    const double* c = ad_curve_of(p, leg, curve) + frame;
    return sft_v3d_make(c[0], c[n], c[2 * n]);
}

ad_put ad_put_foot(const ad_problem* p, int32_t leg, int32_t frame)
{
    const ad_foot* f = ad_foot_at(p, leg, frame);
    ad_put out;
    out.foot = sft_quatd_mul(sft_quatd_exp(vector_at(p, leg, AD_TILT, frame)),
                             about_left(f->forward, ad_curve_of(p, leg, AD_HEEL)[frame]));
    out.toe_turn = sft_quatd_mul(sft_quatd_exp(vector_at(p, leg, AD_TOE_TILT, frame)),
                                 about_left(f->forward, -ad_curve_of(p, leg, AD_END)[frame]));
    out.toe = sft_v3d_add(f->toe, vector_at(p, leg, AD_X, frame));
    out.heel = sft_v3d_add(out.toe, sft_quatd_rotate(out.foot, sft_v3d_sub(f->heel, f->toe)));
    out.end = sft_v3d_add(out.toe, sft_quatd_rotate(out.toe_turn, sft_v3d_sub(f->end, f->toe)));
    return out;
}

// Shift of the toe where the foot moves with its foothold: as the plant's, and turned with it about its own place.
static sft_v3d shift_with(const ad_problem* p, const ad_plant* plant, int32_t frame)
{
    const sft_v3d from = sft_v3d_sub(ad_foot_at(p, plant->leg, frame)->toe, plant->toe);
    const sft_v3d turned = sft_quatd_rotate(sft_quatd_exp(plant->tilt), from);
    return sft_v3d_add(plant->shift, sft_v3d_sub(turned, from));
}

// ---- the ground ----

double ad_ground_under(const ad_problem* p, sft_v3d point, double level)
{
    const sft_adapt_def* d = &p->def->foot;
    const double up = d->probe_up > 0.0 ? d->probe_up : 0.6 * p->leg_length;
    const double down = d->probe_down > 0.0 ? d->probe_down : 0.6 * p->leg_length;
    const sft_v3d origin = sft_v3d_make(point.x, sft_maxd(point.y, level) + up, point.z);
    sft_ground_hit hit;
    if (!p->ground->query(p->ground->data, origin, sft_v3d_make(0, -1, 0), origin.y - level + down, 0.0, &hit))
        return -INFINITY;
    return fabs(hit.point.y) <= SFT_HUGE ? hit.point.y : -INFINITY;
}

// Change of height of a foot that never stands: the ground below its toe over the source's floor.
static double rise_below(const ad_problem* p, int32_t leg, int32_t frame)
{
    const double ground = ad_ground_under(p, ad_foot_at(p, leg, frame)->toe, p->def->foot.floor);
    return ground > -SFT_HUGE ? ground - p->def->foot.floor : 0.0;
}

// ---- the curves ----

static ad_curve new_curve(const ad_problem* p)
{
    const size_t n = (size_t)p->frames;
    const double touch = TOUCH_TIME / p->dt, idle = p->dt / IDLE_TIME;
    ad_curve c = {.count = p->frames, .weight = p->weight, .fixed = p->fixed};
    // A wave as long as these times costs as much as missing what is wanted, or as going on.
    c.third = touch * touch * touch * touch * touch * touch;
    c.first = c.third * idle * idle * idle * idle;
    c.matrix = p->band;
    c.factor = p->band + n * AD_BAND;
    c.scratch = p->band + 2 * n * AD_BAND;
    return c;
}

static bool stands(const ad_problem* p, int32_t leg)
{
    for (int32_t k = 0; k < p->plant_count; ++k)
        if (p->plants[k].leg == leg && p->plants[k].on_ground && !p->plants[k].end) return true;
    return false;
}

static void mark(ad_problem* p, int32_t leg, bool lost_too, bool settles)
{
    for (int32_t i = 0; i < p->frames; ++i)
    {
        p->fixed[i] = 0;
        p->weight[i] = settles ? SETTLE_WEIGHT : stands(p, leg) ? 1e-9 : ROAMING_WEIGHT;
    }
    for (int32_t k = 0; k < p->plant_count; ++k)
    {
        const ad_plant* plant = p->plants + k;
        if (plant->leg != leg || !(plant->on_ground || (lost_too && !plant->end))) continue;
        for (int32_t i = plant->touch_first; i <= plant->touch_last; ++i)
            p->weight[i] = 1.0;
        for (int32_t i = plant->first; i <= plant->last && !plant->end; ++i)
            p->fixed[i] = 1;
    }
}

// What a curve is to be over plants and touches, into `want` and, where fixed, the curve itself.
static void set_targets(ad_problem* p, int32_t leg, int32_t curve, bool lost_too)
{
    double* x = ad_curve_of(p, leg, curve);
    const bool settles = curve == AD_HEEL || curve == AD_END;
    const bool roams = curve == AD_Y && !stands(p, leg);
    for (int32_t i = 0; i < p->frames; ++i)
        p->want[i] = settles ? x[i] : roams ? rise_below(p, leg, i) : 0.0;
    for (int32_t k = 0; k < p->plant_count; ++k)
    {
        const ad_plant* plant = p->plants + k;
        if (plant->leg != leg || !(plant->on_ground || ((lost_too || settles) && !plant->end))) continue;
        for (int32_t i = plant->touch_first; i <= plant->touch_last; ++i)
        {
            if (settles && (plant->on_ground || plant->end)) continue;
            const sft_v3d shift = plant->on_ground ? shift_with(p, plant, i) : sft_v3d_make(0, p->pelvis[i], 0);
            const sft_v3d tilt = plant->tilt, toe = plant->toe_tilt;
            const double v[AD_CURVES] = {shift.x, shift.y, shift.z, tilt.x, tilt.y, tilt.z, toe.x, toe.y, toe.z, 0, 0};
            p->want[i] = v[curve];
        }
    }
    for (int32_t i = 0; i < p->frames; ++i)
        x[i] = p->fixed[i] ? p->want[i] : 0.0;
}

// Level of the source's support between plants.
static void spread_level(ad_problem* p, int32_t leg, const ad_curve* c)
{
    double* level = p->level + (size_t)leg * (size_t)p->frames;
    for (int32_t i = 0; i < p->frames; ++i)
        p->want[i] = level[i] = p->def->foot.floor;
    for (int32_t k = 0; k < p->plant_count; ++k)
    {
        const ad_plant* plant = p->plants + k;
        if (plant->leg != leg || !plant->on_ground) continue;
        for (int32_t i = plant->touch_first; i <= plant->touch_last; ++i)
            p->want[i] = level[i] = plant->level;
    }
    ad_curve_solve(c, p->want, level);
}

// ---- clearance ----

// The least change of height that keeps one point of the foot clear of the ground below it.
static double least_rise(ad_problem* p, int32_t leg, int32_t frame, sft_v3d put, double source, double least)
{
    const size_t at = (size_t)leg * (size_t)p->frames + (size_t)frame;
    const double level = p->level[at], moved = ad_curve_of(p, leg, AD_Y)[frame];
    const double ground = ad_ground_under(p, put, level + p->support[at]);
    if (!(ground > -SFT_HUGE)) return -INFINITY;
    if (fabs(ground - p->def->foot.floor) > 1e-9) p->ground_level = false;
    const double clear = sft_mind(sft_maxd(source - least - level, 0.0), p->def->foot.clearance) - SINK;
    return ground + least + clear - (put.y - moved);
}

// Lower bounds of the foot's height where it swings. False: none is in the way.
static bool bound_swing(ad_problem* p, int32_t leg, double* low)
{
    const sft_leg* g = p->legs + leg;
    const double* y = ad_curve_of(p, leg, AD_Y);
    bool any = false;
    for (int32_t i = 0; i < p->frames; ++i)
    {
        low[i] = -INFINITY;
        if (p->fixed[i]) continue;
        const ad_foot* f = ad_foot_at(p, leg, i);
        const ad_put put = ad_put_foot(p, leg, i);
        low[i] = least_rise(p, leg, i, put.toe, f->toe.y, g->toe_min);
        if (ad_heel_bears(p, leg, i))
            low[i] = sft_maxd(low[i], least_rise(p, leg, i, put.heel, f->heel.y, g->heel_min));
        if (g->toe_end >= 0) low[i] = sft_maxd(low[i], least_rise(p, leg, i, put.end, f->end.y, g->toe_end_min));
        if (low[i] > y[i]) any = true;
    }
    return any;
}

static void solve_curves(ad_problem* p, int32_t leg, bool lost_too, const ad_curve* c, const int* curves, size_t count)
{
    for (size_t k = 0; k < count; ++k)
    {
        set_targets(p, leg, curves[k], lost_too);
        ad_curve_solve(c, p->want, ad_curve_of(p, leg, curves[k]));
    }
}

static void solve_leg(ad_problem* p, int32_t leg, bool lost_too)
{
    static const int settling[] = {AD_HEEL, AD_END};
    // The height comes last: its bounds depend on all others, and its targets stay in `want`.
    static const int moving[] = {
        AD_X, AD_Z, AD_TILT, AD_TILT + 1, AD_TILT + 2, AD_TOE_TILT, AD_TOE_TILT + 1, AD_TOE_TILT + 2, AD_Y};
    ad_curve c = new_curve(p);
    mark(p, leg, lost_too, true);
    ad_curve_begin(&c);
    solve_curves(p, leg, lost_too, &c, settling, SFT_COUNT_OF(settling));
    mark(p, leg, lost_too, false);
    ad_curve_begin(&c);
    if (!lost_too) spread_level(p, leg, &c);
    solve_curves(p, leg, lost_too, &c, moving, SFT_COUNT_OF(moving));
    double* y = ad_curve_of(p, leg, AD_Y);
    double* support = p->support + (size_t)leg * (size_t)p->frames;
    if (!lost_too) memcpy(support, y, (size_t)p->frames * sizeof *y);
    if (!bound_swing(p, leg, p->low)) return;
    for (int32_t i = 0; i < p->frames; ++i)
        p->high[i] = INFINITY;
    int32_t steps = 0;
    if (!ad_curve_solve_bounded(&c, p->want, p->low, p->high, y, &steps)) p->report->converged = false;
    p->report->iterations += steps;
}

void ad_swing(ad_problem* p)
{
    for (int32_t l = 0; l < p->leg_count; ++l)
        solve_leg(p, l, false);
}

void ad_swing_lost(ad_problem* p)
{
    uint64_t lost = 0;
    for (int32_t k = 0; k < p->plant_count; ++k)
        if (!p->plants[k].on_ground && !p->plants[k].end) lost |= UINT64_C(1) << p->plants[k].leg;
    for (int32_t l = 0; l < p->leg_count; ++l)
        if (lost >> l & 1u) solve_leg(p, l, true);
}
