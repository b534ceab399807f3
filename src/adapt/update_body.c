// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// One height of the pelvis for all legs. Every foot's support is continued as a plane to below the pelvis, and their
// mean followed: on a slope that is the slope itself, whatever the feet do. What is missing then so that every leg
// reaches, it sinks, at once but smoothly, and gets up again slowly: a walk that needs it in every stride does not bob.

#include "adapt/update.h"

static double value_of(const sft_adapt_follow* f, bool at_goal)
{
    return at_goal ? f->goal : f->value;
}

static sft_quatd turn_of(const sft_adapt_follow f[3], bool at_goal, double weight)
{
    const sft_v3d v = {value_of(&f[0], at_goal), value_of(&f[1], at_goal), value_of(&f[2], at_goal)};
    return sft_quatd_exp(sft_v3d_scale(weight, v));
}

au_put sft_adapt_put_foot(const au_step* step, const au_leg* a, double lift, bool at_goal)
{
    const sft_adapt_leg_state* s = &a->s;
    const sft_leg_pose* p = &a->foot;
    const double w = sft_clampd(value_of(&s->weight, at_goal), 0.0, 1.0);
    au_put out;
    out.foot = turn_of(s->tilt, at_goal, w);
    out.toe_turn = turn_of(s->toe_tilt, at_goal, w);
    const double up = sft_quatd_rotate(out.foot, sft_v3d_make(0, 1, 0)).y;
    // The toe joint keeps its distance to a tilted sole, and its place as seen from above.
    const double sole = up > 0.1 ? a->leg->toe_min * (1.0 / up - 1.0) : 0.0;
    const double rise = value_of(&s->height, at_goal) - step->def->floor + sole;
    out.toe = p->toe.t;
    out.toe.y += w * rise + (1.0 - w) * lift;
    out.heel = sft_v3d_add(out.toe, sft_quatd_rotate(out.foot, sft_v3d_sub(p->heel.t, p->toe.t)));
    out.toe_end = sft_v3d_add(out.toe, sft_quatd_rotate(out.toe_turn, sft_v3d_sub(p->toe_end.t, p->toe.t)));
    return out;
}

// Highest lift of the body from which the leg reaches its foot.
static double highest(const au_step* step, const au_leg* a, double lift, bool at_goal)
{
    const au_put put = sft_adapt_put_foot(step, a, lift, at_goal);
    const sft_v3d hip = a->source.hip.t;
    const double x = put.heel.x - hip.x, z = put.heel.z - hip.z;
    const double below = sqrt(sft_maxd(a->reach * a->reach - x * x - z * z, 0.0));
    // A foot without ground goes with the body and does not hold it.
    const double free = (1.0 - sft_clampd(a->s.weight.value, 0.0, 1.0)) * 2.0 * a->length;
    return put.heel.y - hip.y + below + free;
}

// What all legs' feet say about the body.
typedef struct supports
{
    double weights;
    double rise; // [m] over the floor, below the pelvis
    double ride; // [m] carried by what is under the feet
    double length;
} supports;

// Y of a leg's support continued to `place`, over the floor. `at`: where the body will be once it has followed.
static double continued(const au_step* step, const au_leg* a, sft_v3d place)
{
    const sft_v3d n = sft_quatd_rotate(turn_of(a->s.tilt, false, 1.0), sft_v3d_make(0, 1, 0));
    const sft_v3d toe = a->foot.toe.t;
    const double rise = a->s.height.value - step->def->floor;
    if (!(n.y > 0.1)) return rise;
    return rise - (n.x * (place.x - toe.x) + n.z * (place.z - toe.z)) / n.y;
}

static supports sum_up(const au_step* step, const au_leg* legs, int32_t count, sft_v3d place)
{
    supports s = {.length = INFINITY};
    for (int32_t l = 0; l < count; ++l)
    {
        const double w = sft_clampd(legs[l].s.weight.value, 0.0, 1.0);
        s.weights += w;
        if (w > 0.0) s.rise += w * continued(step, &legs[l], place);
        s.ride += w * legs[l].ride;
        s.length = sft_mind(s.length, legs[l].length);
    }
    if (!(s.weights > 0.0)) return s;
    // The less of them stands, the less of it counts.
    const double share = sft_mind(s.weights, 1.0) / s.weights;
    s.rise *= share;
    s.ride *= share;
    return s;
}

static sft_v3d middle_of_hips(const au_leg* legs, int32_t count)
{
    sft_v3d sum = {0};
    for (int32_t l = 0; l < count; ++l)
        sum = sft_v3d_add(sum, legs[l].source.hip.t);
    return sft_v3d_scale(1.0 / (double)count, sum);
}

// How far the body has to sink below `rise` so that all legs reach, where they are and where they go.
static double missing(const au_step* step, const au_leg* legs, int32_t count, double rise)
{
    double high = rise;
    for (int32_t l = 0; l < count; ++l)
        if (legs[l].s.weight.value > 0.0)
        {
            high = sft_mind(high, highest(step, &legs[l], rise, false));
            high = sft_mind(high, highest(step, &legs[l], rise, true));
        }
    return rise - high;
}

void sft_adapt_update_body(const au_step* step, const au_leg* legs, int32_t count, sft_adapt_state* state)
{
    const double floor = step->def->floor, dt = step->dt;
    const sft_v3d hips = middle_of_hips(legs, count);
    sft_v3d place = hips;
    // What follows a steady climb is late by 2 / rate: so far ahead the supports are looked at.
    if (state->started && dt >= AU_SHORT_STEP && step->pelvis_rate <= SFT_HUGE)
    {
        const double ahead = 2.0 / (step->pelvis_rate * dt), far = 0.5 * legs[0].length;
        const sft_v3d way = sft_v3d_scale(ahead, sft_v3d_sub(hips, state->hips));
        const double length = sqrt(way.x * way.x + way.z * way.z);
        place = sft_v3d_madd(hips, length > far ? far / length : 1.0, way);
    }
    const supports s = sum_up(step, legs, count, place);
    const double goal = floor + s.rise;
    if (!state->started)
        sft_adapt_follow_begin(&state->rise, goal);
    else
    {
        // Carried by what the feet stand on; and by the floor, where they stand on nothing.
        const double by = s.ride + (1.0 - sft_mind(s.weights, 1.0)) * (floor - state->floor);
        state->rise.value += by;
        state->rise.goal += by;
        sft_adapt_follow_to(&state->rise, goal, step->pelvis_rate, dt, false);
    }
    const double most = step->def->pelvis_drop_max > 0.0 ? step->def->pelvis_drop_max : 0.3 * s.length;
    const double need = sft_clampd(missing(step, legs, count, state->rise.value - floor), 0.0, most);
    if (!state->started)
        sft_adapt_follow_begin(&state->drop, need);
    else
    {
        // Nobody stands: nothing to reach.
        const double held = sft_mind(state->drop.goal, most * sft_mind(s.weights, 1.0));
        const double kept = held * sft_exp(-dt / AU_REST_TIME);
        sft_adapt_follow_to(&state->drop, sft_maxd(need, kept > AU_REST ? kept : 0.0), step->pelvis_rate, dt, false);
    }
    if (dt >= AU_SHORT_STEP || !state->started) state->hips = hips;
    state->floor = floor;
    state->started = true;
}
