// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// Where a swinging foot will come down: as far ahead of its hip as it did the last time, when it has caught up with
// that. Feet fly three to four times as fast as smoothing can follow; half a swing ahead, it can.

#include "adapt/update.h"

// [m/s] Slower bodies go nowhere.
#define WALKING 0.1
// [s] Landings further off than this are not waited for: a swing at the usual pace takes about as long.
#define FURTHEST 0.4
// Of the way that the leg could reach on level ground: where a foot lands that was not seen to land yet.
#define FIRST_STEP 0.8

sft_v3d sft_adapt_middle_of_hips(const au_leg* legs, int32_t count)
{
    sft_v3d sum = {0};
    for (int32_t l = 0; l < count; ++l)
        sum = sft_v3d_add(sum, legs[l].source.hip.t);
    return sft_v3d_scale(1.0 / (double)count, sum);
}

sft_v3d sft_adapt_travel(const au_leg* legs, int32_t count, const sft_adapt_state* state, double dt)
{
    if (!state->started || dt < AU_SHORT_STEP) return sft_v3d_make(0, 0, 0);
    const sft_v3d way = sft_v3d_sub(sft_adapt_middle_of_hips(legs, count), state->hips);
    return sft_v3d_scale(1.0 / dt, sft_v3d_make(way.x, 0.0, way.z));
}

// Toe ahead of its hip, as seen from above, where it was asked for.
static double lead_of(const au_leg* a, sft_v3d ahead)
{
    const sft_v3d rel = sft_v3d_sub(sft_v3d_sub(a->foot.toe.t, a->aside), a->source.hip.t);
    return rel.x * ahead.x + rel.z * ahead.z;
}

// Of a first step: from the reach of a leg whose heel comes down on the floor, and the foot before it.
static double first_lead(const au_step* step, const au_leg* a)
{
    const double below = a->source.hip.t.y - step->def->floor - sft_maxd(a->leg->heel_min, 0.0);
    const double reach = sqrt(sft_maxd(a->reach * a->reach - below * below, 0.0));
    return FIRST_STEP * (reach + sft_v3d_distance(a->foot.heel.t, a->foot.toe.t));
}

void sft_adapt_foresee_landing(const au_step* step, au_leg* a, sft_v3d velocity, sft_v3d rest)
{
    const double speed = sft_v3d_length(step->travel);
    const bool fresh = a->s.steps == 0;
    sft_ground_hit hit;
    a->landing_time = -1.0;
    for (int k = 0; k < 2 && !(step->def->step_aside > 0.0); ++k)
        a->s.aside[k].goal = 0.0;
    // What follows at once needs no warning. A swing that is seen for the first time goes where the foot points.
    if (!(step->pelvis_rate <= SFT_HUGE) || (!(speed > WALKING) && !fresh)) return;
    const sft_v3d ahead = fresh ? sft_adapt_forward(a->leg, &a->foot) : sft_v3d_scale(1.0 / speed, step->travel);
    const double lead = a->s.landing != 0.0 ? a->s.landing : first_lead(step, a);
    const double left = sft_maxd(lead - lead_of(a, ahead), 0.0), closing = sft_v3d_dot(velocity, ahead) - speed;
    const double time = fresh || !(left > 0.0) ? 0.0 : closing * FURTHEST > left ? left / closing : FURTHEST;
    const sft_v3d body = sft_v3d_scale(time, step->travel);
    sft_v3d at = sft_v3d_madd(sft_v3d_add(sft_v3d_sub(a->foot.toe.t, a->aside), body), left, ahead);
    if (!fresh && time < FURTHEST)
        sft_adapt_choose_aside(step, a, at);
    else if (!fresh && lead_of(a, ahead) > 0.0 && rest.x * rest.x + rest.z * rest.z > 0.0)
        // It brakes already, below the speed of the body: it comes down where it comes to rest.
        sft_adapt_choose_aside(step, a, sft_v3d_add(sft_v3d_sub(a->foot.toe.t, a->aside), rest));
    at.x += a->s.aside[0].goal;
    at.z += a->s.aside[1].goal;
    if (!sft_adapt_ground_below(step, a, at, a->s.height.value, &hit)) return;
    a->landing = sft_v3d_make(at.x, hit.point.y, at.z);
    a->landing_time = time;
}

void sft_adapt_learn_landing(const au_step* step, au_leg* a)
{
    const double speed = sft_v3d_length(step->travel);
    if (speed > WALKING) a->s.landing = lead_of(a, sft_v3d_scale(1.0 / speed, step->travel));
}
