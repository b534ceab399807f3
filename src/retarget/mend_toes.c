// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// Toes that point into the ground, because the target's are longer or lower, turn up about the toe joint: by a smooth
// curve that is nowhere less than what the ground asks for.

#include "retarget/mend_feet.h"

static const md_times TOE_TIMES = {0.08, 10.0};
static const double TURN_MAX = 1.75; // [rad] a foot on its tip has its toes at right angles
static const double NOTHING = 1e-5;  // [rad]

double md_toe_gain(sft_v3d v)
{
    const double level = sqrt(v.x * v.x + v.z * v.z);
    return sft_maxd(level * sft_sin(TURN_MAX) + v.y * (sft_cos(TURN_MAX) - 1.0), 0.0);
}

// Level axis about which toes turn up: across the foot as it stands in the reference pose, for a foot on its tip points
// nowhere. Zero where that is none.
static sft_v3d toe_axis(const md_feet_problem* f, int32_t leg, const sft_xformd* heel, sft_v3d foot)
{
    const sft_rig* rig = f->base->target;
    sft_v3d across = sft_v3d_make(-foot.z, 0.0, foot.x);
    if (rig->pose)
    {
        const sft_quatd turn = sft_quatd_mul(heel->r, sft_quatd_conjugate(rig->pose[f->legs[leg].heel].r));
        across = sft_quatd_rotate(turn, sft_v3d_make(-1.0, 0.0, 0.0));
        across.y = 0.0;
    }
    return sft_v3d_normalize_or(across, sft_v3d_make(0.0, 0.0, 0.0));
}

// Turn about *axis that brings the toe end to its floor; 0 where it is above.
static double needed_turn(const md_feet_problem* f, int32_t leg, int32_t frame, sft_v3d* axis)
{
    const md_problem* p = f->base;
    const sft_leg* g = f->legs + leg;
    const sft_skeleton* s = p->target->skeleton;
    const sft_xformd toe = md_joint(s, p->clip, p->first + frame, g->toe);
    const sft_xformd end = md_joint(s, p->clip, p->first + frame, g->toe_end);
    const sft_xformd heel = md_joint(s, p->clip, p->first + frame, g->heel);
    const sft_v3d v = sft_v3d_sub(end.t, toe.t);
    *axis = toe_axis(f, leg, &heel, sft_v3d_sub(end.t, heel.t));
    const size_t at = (size_t)leg * (size_t)p->clip->frame_count + (size_t)(p->first + frame);
    const double rise = f->ends[at] - toe.t.y;
    if (!(rise > v.y) || !(sft_v3d_length(*axis) > 0.5)) return 0.0;
    // Height of the end at a turn by a: v.y cos a + ahead sin a.
    const double ahead = axis->z * v.x - axis->x * v.z, length = sqrt(ahead * ahead + v.y * v.y);
    if (!(length > SFT_LENGTH_EPS)) return 0.0;
    const double sine = sft_clampd(rise / length, -1.0, 1.0);
    const double turn = sft_atan2(sine, sqrt(1.0 - sine * sine)) - sft_atan2(v.y, ahead);
    return sft_clampd(turn, 0.0, TURN_MAX);
}

static void turn_toe(const md_feet_problem* f, int32_t leg, int32_t frame, double turn, sft_v3d axis)
{
    const md_problem* p = f->base;
    const int32_t toe = f->legs[leg].toe;
    const sft_quatd above =
        md_joint(p->target->skeleton, p->clip, p->first + frame, p->target->skeleton->parents[toe]).r;
    sft_quatd* local = p->clip->rotations + (size_t)(p->first + frame) * (size_t)p->clip->joint_count + (size_t)toe;
    const sft_quatd q = sft_quatd_mul(sft_quatd_exp(sft_v3d_scale(turn, axis)), sft_quatd_mul(above, *local));
    *local = sft_quatd_normalize(sft_quatd_mul(sft_quatd_conjugate(above), q));
    p->changed[toe] |= 1;
}

static void turn_toes_of(const md_feet_problem* f, int32_t leg, md_curve* c)
{
    bool any = false;
    sft_v3d axis;
    for (int32_t k = 0; k < c->count; ++k)
    {
        c->low[k] = needed_turn(f, leg, md_curve_frame(c, k), &axis);
        c->high[k] = INFINITY;
        c->wanted[k] = 0.0;
        c->weight[k] = 1.0;
        c->x[k] = c->low[k] + NOTHING;
        any = any || c->low[k] > NOTHING;
    }
    if (!any) return;
    md_curve_solve(c, TOE_TIMES, true, f->values);
    for (int32_t i = 0; i < f->base->frames; ++i)
    {
        needed_turn(f, leg, i, &axis);
        if (f->values[i] > NOTHING && sft_v3d_length(axis) > 0.5) turn_toe(f, leg, i, f->values[i], axis);
    }
}

sft_result md_feet_turn_toes(md_feet_problem* f)
{
    md_curve c;
    const sft_result r = md_curve_create(f->base, &c);
    if (r != SFT_OK) return r;
    for (int32_t l = 0; l < f->leg_count; ++l)
        if (f->legs[l].toe_end >= 0 && f->legs[l].toe != f->legs[l].heel) turn_toes_of(f, l, &c);
    md_curve_release(&c);
    return SFT_OK;
}
