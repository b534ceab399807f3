// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// One smooth curve for the height of the pelvis, shared by all planted feet and nowhere higher than their legs reach.
// What is then left of the feet's heights and places is the clean-up's, which turns knees and feet without popping.

#include "retarget/mend_feet.h"

static const md_times PELVIS_TIMES = {0.08, 0.6};
static const double FREE_WEIGHT = 1e-7;  // of no wish at all: it keeps the curve determined
static const double LOW_SHARE = 0.08;    // of a leg: soles lower than that say where the ground is while no foot stands
static const double END_WEIGHT = 0.01;   // of the last wish, where none follows
static const double REACH_SHARE = 0.995; // of the chain
static const double REACH_SLACK = 0.003; // [m] that the foot's pitch can make up
static const double NOTHING = 1e-9;      // [m] no change

// From toe to level, but a toe that is up over a heel on the ground comes down by the foot's pitch.
static double wanted_rise(const md_feet_problem* f, int32_t leg, int32_t frame)
{
    const size_t at = md_at(f, leg, frame), all = (size_t)f->base->clip->frame_count;
    const double rise = f->level[at] - f->feet[at].toe.y;
    if (!(rise < 0.0)) return rise;
    const double heel = f->floors[(size_t)leg * 3 * all + (size_t)(f->base->first + frame)] - f->feet[at].heel.y;
    return sft_maxd(rise, sft_mind(heel, 0.0));
}

// Highest rise of the pelvis from which a leg reaches its foot, which rises by `rise`.
static double highest(const md_feet_problem* f, int32_t leg, int32_t frame, double rise)
{
    const md_foot* foot = f->feet + md_at(f, leg, frame);
    const double chain = sft_v3d_distance(foot->hip, foot->knee) + sft_v3d_distance(foot->knee, foot->heel);
    const sft_v3d line = sft_v3d_sub(foot->hip, foot->heel);
    const double reach = sft_maxd(REACH_SHARE * chain, sft_v3d_length(line));
    const double up = sqrt(sft_maxd(reach * reach - line.x * line.x - line.z * line.z, 0.0));
    return rise + up - line.y + REACH_SLACK;
}

// While no foot stands: by how much the lowest foot is off the height that the source's has, and how much that counts,
// which is less the higher the foot is.
static double wanted_by_air(const md_feet_problem* f, int32_t frame, double* weight)
{
    const md_problem* p = f->base;
    double lowest = INFINITY, rise = 0.0;
    for (int32_t l = 0; l < f->leg_count; ++l)
    {
        const md_foot* foot = f->feet + md_at(f, l, frame);
        const double height = f->air[md_at(f, l, frame)];
        if (f->source[l] < 0 || !(height < lowest)) continue;
        lowest = height;
        const double sole = sft_mind(foot->heel.y - f->legs[l].heel_min, foot->toe.y - f->legs[l].toe_min);
        rise = p->def->ground + sft_maxd(height, 0.0) - sole;
    }
    *weight = md_ease(1.0 - lowest / (LOW_SHARE * p->target->leg_length));
    return rise;
}

// Before the first wish and after the last one the curve stays about there, rather than going on as it went.
static void hold_end(md_curve* c, int32_t step)
{
    const int32_t end = step > 0 ? c->count : -1;
    int32_t k = step > 0 ? 0 : c->count - 1;
    while (k != end && c->weight[k] < 1.0)
        k += step;
    if (k == end) return;
    const double wanted = c->wanted[k];
    for (k -= step; k >= 0 && k < c->count; k -= step)
    {
        c->wanted[k] = c->x[k] = wanted;
        c->weight[k] = END_WEIGHT;
    }
}

static void ask_pelvis(const md_feet_problem* f, md_curve* c)
{
    for (int32_t k = 0; k < c->count; ++k)
    {
        const int32_t i = md_curve_frame(c, k);
        double sum = 0.0, count = 0.0, high = INFINITY;
        for (int32_t l = 0; l < f->leg_count; ++l)
        {
            const double rise = wanted_rise(f, l, i);
            if (!(rise == rise)) continue;
            sum += rise;
            count += 1.0;
            if (f->base->def->unreachable == SFT_UNREACHABLE_PELVIS) high = sft_mind(high, highest(f, l, i, rise));
        }
        c->wanted[k] = count > 0.0 ? sum / count : 0.0;
        c->weight[k] = 1.0;
        if (count == 0.0) c->wanted[k] = wanted_by_air(f, i, c->weight + k);
        c->weight[k] = sft_maxd(c->weight[k], FREE_WEIGHT);
        c->high[k] = high;
        c->low[k] = -INFINITY;
        c->x[k] = c->wanted[k];
    }
    hold_end(c, 1);
    hold_end(c, -1);
}

// ---- writing ----

// The joint that carries the pelvis's change: the hips, or what carries all legs above them.
int32_t md_travel_joint(const md_feet_problem* f)
{
    const sft_rig* rig = f->base->target;
    int32_t joint = rig->hips;
    for (; joint >= 0; joint = rig->skeleton->parents[joint])
    {
        bool all = true;
        for (int32_t l = 0; l < f->leg_count; ++l)
            all = all && md_is_above(rig->skeleton, joint, f->legs[l].hip) && joint != f->legs[l].hip;
        if (all) break;
    }
    return joint;
}

static void raise_joint(md_feet_problem* f, int32_t frame, int32_t joint, double rise)
{
    const md_problem* p = f->base;
    const int32_t parent = p->target->skeleton->parents[joint];
    sft_quatd above = sft_quatd_identity();
    if (parent >= 0) above = md_joint(p->target->skeleton, p->clip, p->first + frame, parent).r;
    sft_v3d* t = p->clip->translations + (size_t)(p->first + frame) * (size_t)p->clip->joint_count + (size_t)joint;
    *t = sft_v3d_add(*t, sft_quatd_unrotate(above, sft_v3d_make(0.0, rise, 0.0)));
    p->changed[joint] |= 2;
}

// Where legs have turned out too short the pelvis comes down by what they lack.
static void lower_pelvis(md_feet_problem* f, md_curve* c)
{
    bool any = false;
    for (int32_t k = 0; k < c->count; ++k)
    {
        double lacks = 0.0;
        for (int32_t l = 0; l < f->leg_count; ++l)
            lacks = sft_maxd(lacks, f->lacks[md_at(f, l, md_curve_frame(c, k))]);
        c->wanted[k] = 0.0;
        c->weight[k] = 1.0;
        c->low[k] = lacks;
        c->high[k] = INFINITY;
        c->x[k] = lacks + NOTHING;
        any = any || lacks > 0.0;
    }
    if (!any) return;
    md_curve_solve(c, PELVIS_TIMES, true, f->values);
    for (int32_t i = 0; i < f->base->frames; ++i)
        f->pelvis[i] -= f->values[i];
}

sft_result md_feet_lift(md_feet_problem* f)
{
    const int32_t joint = md_travel_joint(f);
    if (joint < 0) return SFT_OK;
    md_curve c;
    const sft_result r = md_curve_create(f->base, &c);
    if (r != SFT_OK) return r;
    ask_pelvis(f, &c);
    md_curve_solve(&c, PELVIS_TIMES, true, f->pelvis);
    lower_pelvis(f, &c);
    md_curve_release(&c);
    for (int32_t i = 0; i < f->base->frames; ++i)
        if (fabs(f->pelvis[i]) > NOTHING) raise_joint(f, i, joint, f->pelvis[i]);
    return SFT_OK;
}
