// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// What the clean-up leaves under the ground between plants (it weighs floors, and heeds the toe joint only where it is
// the foot's end) is raised off it: by a smooth curve for each leg that is nothing while the foot stands and nowhere
// else less than what is needed. Hip and knee turn; the foot keeps its orientation.

#include "retarget/mend_feet.h"

static const md_times CLEAR_TIMES = {0.05, 0.3};
static const double LEFT = 0.002; // [m] of a floor's clearance that may be missing
static const double DEEP =
    0.0055; // [m] under its floor: such a point is named, for it is half a centimetre in the ground
static const double NOTHING = 1e-6; // [m]
static const double FREE =
    1.0; // weight of no change: with less, a rise that begins at once goes on to the end of a clip

static double under(const md_problem* p, int32_t frame, int32_t joint, double floor)
{
    if (joint < 0 || !(floor == floor)) return 0.0;
    return sft_maxd(floor - LEFT - md_joint(p->target->skeleton, p->clip, frame, joint).t.y, 0.0);
}

// By how much the foot is too low; a planted foot is not.
static double needed_rise(const md_feet_problem* f, int32_t leg, int32_t i)
{
    const md_problem* p = f->base;
    const sft_leg* g = f->legs + leg;
    const double level = f->level[md_at(f, leg, i)];
    if (level == level) return 0.0;
    const size_t all = (size_t)p->clip->frame_count, at = (size_t)(p->first + i);
    const double* floors = f->floors + (size_t)leg * 3 * all;
    double rise = under(p, p->first + i, g->heel, floors[at]);
    rise = sft_maxd(rise, under(p, p->first + i, g->toe, floors[all + at]));
    return sft_maxd(rise, under(p, p->first + i, g->toe_end, f->ends[(size_t)leg * all + at]));
}

static sft_result raise_foot(const md_feet_problem* f, int32_t leg, int32_t frame, double rise)
{
    const md_problem* p = f->base;
    const sft_leg* g = f->legs + leg;
    const size_t row = (size_t)frame * (size_t)p->clip->joint_count;
    sft_leg_pose before, after;
    sft_result r =
        sft_leg_pose_read(p->target->skeleton, g, p->clip->translations + row, p->clip->rotations + row, &before);
    if (r != SFT_OK) return r;
    after = before;
    const double chain = sft_v3d_distance(before.hip.t, before.knee.t) + sft_v3d_distance(before.knee.t, before.heel.t);
    const sft_v3d to = sft_v3d_add(before.heel.t, sft_v3d_make(0.0, rise, 0.0));
    r = sft_leg_two_bone(&after, to, sft_quatd_rotate(before.knee.r, g->knee_side), chain, 0.0);
    if (r != SFT_OK) return r;
    const sft_v3d moved = sft_v3d_sub(after.heel.t, before.heel.t);
    after.heel.r = before.heel.r;
    after.toe = (sft_xformd){sft_v3d_add(before.toe.t, moved), before.toe.r};
    after.toe_end = (sft_xformd){sft_v3d_add(before.toe_end.t, moved), before.toe_end.r};
    r = sft_leg_pose_write(g, &before, &after, p->clip->rotations + row);
    p->changed[g->hip] |= 1;
    p->changed[g->knee] |= 1;
    p->changed[g->heel] |= 1;
    return r;
}

static sft_result clear_leg(const md_feet_problem* f, int32_t leg, md_curve* c)
{
    bool any = false;
    for (int32_t k = 0; k < c->count; ++k)
    {
        const int32_t i = md_curve_frame(c, k);
        const double level = f->level[md_at(f, leg, i)], need = needed_rise(f, leg, i);
        c->fixed[k] = level == level;
        c->low[k] = need;
        c->high[k] = INFINITY;
        c->wanted[k] = 0.0;
        c->weight[k] = FREE;
        c->x[k] = need > 0.0 ? need + NOTHING : 0.0;
        any = any || need > NOTHING;
    }
    if (!any) return SFT_OK;
    md_curve_solve(c, CLEAR_TIMES, true, f->values);
    sft_result r = SFT_OK;
    for (int32_t i = 0; i < f->base->frames && r == SFT_OK; ++i)
        if (fabs(f->values[i]) > NOTHING) r = raise_foot(f, leg, f->base->first + i, f->values[i]);
    return r;
}

// ---- what is left ----

// Deepest point of a foot under what its floor allows [m], and its joint.
static double depth(const md_feet_problem* f, int32_t leg, int32_t i, int32_t* joint)
{
    const md_problem* p = f->base;
    const sft_leg* g = f->legs + leg;
    const size_t all = (size_t)p->clip->frame_count, at = (size_t)(p->first + i);
    const double* floors = f->floors + (size_t)leg * 3 * all;
    const double floor[3] = {floors[at], floors[all + at], f->ends[(size_t)leg * all + at]};
    const int32_t joints[3] = {g->heel, g->toe, g->toe_end};
    const double level = f->level[md_at(f, leg, i)];
    double deepest = 0.0;
    for (int k = 0; k < 3; ++k)
    {
        // A planted toe stands where it should, which may be in a hole.
        if (joints[k] < 0 || !(floor[k] == floor[k]) || (joints[k] == g->toe && level == level)) continue;
        const double under = floor[k] - md_joint(p->target->skeleton, p->clip, p->first + i, joints[k]).t.y;
        if (!(under > deepest)) continue;
        deepest = under;
        *joint = joints[k];
    }
    return deepest;
}

// A figure's own plants stand where they stood, heels and all.
static sft_result note_depths(const md_feet_problem* f)
{
    const md_problem* p = f->base;
    for (int32_t i = 0; i < p->frames; ++i)
        for (int32_t l = 0; l < f->leg_count; ++l)
        {
            int32_t joint = -1;
            const double level = f->level[md_at(f, l, i)];
            if (f->own && level == level) continue;
            const double under = depth(f, l, i, &joint);
            if (!(under > DEEP)) continue;
            const sft_leg* g = f->legs + l;
            const sft_xformd hip = md_joint(p->target->skeleton, p->clip, p->first + i, g->hip);
            const sft_xformd knee = md_joint(p->target->skeleton, p->clip, p->first + i, g->knee);
            const sft_xformd heel = md_joint(p->target->skeleton, p->clip, p->first + i, g->heel);
            const sft_xformd at = md_joint(p->target->skeleton, p->clip, p->first + i, joint);
            const sft_v3d goal = sft_v3d_add(at.t, sft_v3d_make(0.0, under, 0.0));
            const double chain =
                sft_v3d_distance(hip.t, knee.t) + sft_v3d_distance(knee.t, heel.t) + sft_v3d_distance(heel.t, at.t);
            const sft_mend_miss miss = {.frame = p->first + i,
                                        .joint = joint,
                                        .distance = under,
                                        .target_distance = sft_v3d_distance(hip.t, goal),
                                        .chain_length = chain,
                                        .gave = p->def->unreachable};
            const sft_result r = md_miss(f->base, miss);
            if (r != SFT_OK) return r;
        }
    return SFT_OK;
}

sft_result md_feet_clear(md_feet_problem* f)
{
    md_curve c;
    sft_result r = md_curve_create(f->base, &c);
    if (r != SFT_OK) return r;
    for (int32_t l = 0; l < f->leg_count && r == SFT_OK; ++l)
        r = clear_leg(f, l, &c);
    md_curve_release(&c);
    return r == SFT_OK ? note_depths(f) : r;
}
