// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// One height of the pelvis for all legs. Every foot's support is continued as a plane to below the pelvis, and their
// mean followed: on a slope that is the slope itself, whatever the feet do. What is missing then so that every leg
// reaches, now, at the end of its support and where it will come down, the pelvis sinks, and stays down for as long as
// strides need it: a walk does not bob.

#include "adapt/update.h"

// Against the pelvis's rate: sinking has three poles instead of two, and comes to about the same.
#define SINK_FASTER 1.3
// [1/rate] by which sinking is late, and a little more.
#define SINK_LAG 3.0
// Strides need about the same, never quite: so much of what is held keeps it.
#define NEARLY 0.9

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
    if (step->turned && w < 1.0)
    {
        // What does not stand goes with the body.
        const sft_quatd body = sft_adapt_body_turn(step, 1.0 - w);
        out.foot = sft_quatd_mul(out.foot, body);
        out.toe_turn = sft_quatd_mul(out.toe_turn, body);
        out.toe = sft_v3d_lerp(out.toe, sft_adapt_turned(step, out.toe), 1.0 - w);
    }
    out.toe.y += w * rise + (1.0 - w) * lift;
    out.heel = sft_v3d_add(out.toe, sft_quatd_rotate(out.foot, sft_v3d_sub(p->heel.t, p->toe.t)));
    out.toe_end = sft_v3d_add(out.toe, sft_quatd_rotate(out.toe_turn, sft_v3d_sub(p->toe_end.t, p->toe.t)));
    return out;
}

// Highest lift of the body from which the leg reaches its foot.
static double highest(const au_step* step, const au_leg* a, double lift, bool at_goal)
{
    const au_put put = sft_adapt_put_foot(step, a, lift, at_goal);
    const sft_v3d hip = sft_adapt_turned(step, a->source.hip.t);
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

// ---- what legs lack ----

// The body over the time until it has followed: where it goes, and how fast it climbs.
typedef struct course
{
    sft_v3d way;  // [m] level
    double time;  // [s]
    double climb; // [m/s]
} course;

// Highest lift of the body from which a leg will reach: `way` leads from hip to heel as seen from above, the heel is
// `above` the source's floor and the ground there `risen` over it. On level ground the source reaches, whatever is
// guessed here: what its own floor does not allow is not counted, and no more than that floor allows is foreseen.
static double highest_then(const au_step* step, const au_leg* a, sft_v3d way, double above, double risen)
{
    const double below = sft_adapt_turned(step, a->source.hip.t).y - step->def->floor - above,
                 square = a->reach * a->reach;
    const double far = sft_mind(way.x * way.x + way.z * way.z, sft_maxd(square - below * below, 0.0));
    const double free = (1.0 - sft_clampd(a->s.weight.value, 0.0, 1.0)) * 2.0 * a->length;
    return risen + sft_maxd(sqrt(square - far) - below, 0.0) + free;
}

// A foot in support stays behind.
static double highest_standing(const au_step* step, const au_leg* a, const course* c)
{
    const au_put put = sft_adapt_put_foot(step, a, 0.0, true);
    const sft_v3d way = sft_v3d_sub(sft_v3d_sub(put.heel, sft_adapt_turned(step, a->source.hip.t)), c->way);
    const double heel = a->foot.heel.t.y;
    return highest_then(step, a, way, heel - step->def->floor, put.heel.y - heel);
}

// A swinging one comes down, heel first.
static double highest_landing(const au_step* step, const au_leg* a)
{
    const sft_v3d foot = sft_v3d_sub(a->foot.heel.t, a->foot.toe.t);
    const sft_v3d hip = sft_v3d_madd(sft_adapt_turned(step, a->source.hip.t), a->landing_time, step->travel);
    const sft_v3d way = sft_v3d_sub(sft_v3d_add(a->landing, foot), hip);
    return highest_then(step, a, way, sft_maxd(a->leg->heel_min, 0.0), a->landing.y - step->def->floor);
}

// How far the body has to sink below `rise` so that all legs reach, where they are and where they go.
static double missing(const au_step* step, const au_leg* legs, int32_t count, double rise, const course* c)
{
    double most = 0.0;
    for (int32_t l = 0; l < count; ++l)
    {
        const au_leg* a = &legs[l];
        if (!(a->s.weight.value > 0.0)) continue;
        most = sft_maxd(most, rise - highest(step, a, rise, false));
        most = sft_maxd(most, rise - highest(step, a, rise, true));
        if (a->contact && c->time > 0.0)
            most = sft_maxd(most, rise + c->climb * c->time - highest_standing(step, a, c));
        if (!a->contact && a->landing_time >= 0.0)
            most = sft_maxd(most, rise + c->climb * a->landing_time - highest_landing(step, a));
    }
    return most;
}

// ---- following ----

// Three equal poles: (d/dt + w)^3 x = w^3 g with g = g0 + s t has x = g - 3 s / w + (y + b t + c t^2) exp(-w t).
// Against two poles the acceleration does not step either, which is what a pelvis shows.
static void sink_to(sft_adapt_state* state, double goal, double rate, double dt)
{
    sft_adapt_follow* f = &state->drop;
    const double from = f->goal, slope = dt >= AU_SHORT_STEP ? (goal - from) / dt : 0.0, lag = 3.0 * slope / rate;
    f->goal = goal;
    if (!(dt > 0.0)) return;
    if (!(rate <= SFT_HUGE))
    {
        sft_adapt_follow_begin(f, goal);
        return;
    }
    const double y0 = f->value - from + lag, y1 = f->velocity - slope, y2 = state->drop_acceleration;
    const double b = y1 + rate * y0, c = 0.5 * (y2 + rate * (2.0 * y1 + rate * y0)), left = sft_exp(-rate * dt);
    const double y = y0 + dt * (b + c * dt), turn = b + 2.0 * c * dt;
    f->value = from + slope * dt - lag + y * left;
    f->velocity = slope + (turn - rate * y) * left;
    state->drop_acceleration = (2.0 * c + rate * (rate * y - 2.0 * turn)) * left;
    if (goal != from || !(fabs(f->value - goal) <= AU_SETTLED && fabs(f->velocity) <= AU_SETTLED * rate)) return;
    if (!(fabs(state->drop_acceleration) <= AU_SETTLED * rate * rate)) return;
    sft_adapt_follow_begin(f, goal);
    state->drop_acceleration = 0.0;
}

static void sink(const au_step* step, const au_leg* legs, int32_t count, const course* c, const supports* s,
                 sft_adapt_state* state)
{
    const double most = step->def->pelvis_drop_max > 0.0 ? step->def->pelvis_drop_max : 0.3 * s->length;
    const double need = sft_clampd(missing(step, legs, count, state->rise.value - step->def->floor, c), 0.0, most);
    if (!state->started)
    {
        sft_adapt_follow_begin(&state->drop, need);
        return;
    }
    // Nobody stands: nothing to reach.
    const double held = sft_mind(state->drop.goal, most * sft_mind(s->weights, 1.0));
    state->idle = need >= NEARLY * held ? 0.0 : state->idle + step->dt;
    const double over = sft_mind(state->idle - AU_HOLD_TIME, step->dt);
    const double kept = over > 0.0 ? held * sft_exp(-over / AU_REST_TIME) : held;
    sink_to(state, sft_maxd(need, kept > AU_REST ? kept : 0.0), SINK_FASTER * step->pelvis_rate, step->dt);
}

// The second step: the body moves as if it always had.
static void set_going(const au_step* step, const au_leg* legs, int32_t count, sft_v3d hips, double was,
                      sft_adapt_state* state)
{
    if (state->moving || step->dt < AU_SHORT_STEP) return;
    const double here = step->def->floor + sum_up(step, legs, count, hips).rise;
    const double way = step->dt * sft_v3d_length(step->travel);
    state->moving = true;
    if (!(fabs(here - was) <= AU_STEEPEST * way)) return;
    state->rise.value = here;
    state->rise.velocity = (here - was) / step->dt;
}

static void rise_to(const au_step* step, const au_leg* legs, int32_t count, sft_v3d hips, const supports* s,
                    sft_adapt_state* state)
{
    const double floor = step->def->floor, goal = floor + s->rise;
    if (!state->started)
    {
        sft_adapt_follow_begin(&state->rise, goal);
        return;
    }
    // Carried by what the feet stand on; and by the floor, where they stand on nothing.
    const double by = s->ride + (1.0 - sft_mind(s->weights, 1.0)) * (floor - state->floor);
    state->rise.value += by;
    state->rise.goal += by;
    const double was = state->rise.value;
    sft_adapt_follow_to(&state->rise, goal, step->pelvis_rate, step->dt, false);
    set_going(step, legs, count, hips, was, state);
}

void sft_adapt_update_body(const au_step* step, const au_leg* legs, int32_t count, sft_adapt_state* state)
{
    const sft_v3d hips = sft_adapt_middle_of_hips(legs, count);
    const bool known = state->started && step->dt >= AU_SHORT_STEP && step->pelvis_rate <= SFT_HUGE;
    sft_v3d place = hips;
    course c = {.time = 0.0};
    // What follows a steady climb is late by 2 / rate: so far ahead the supports are looked at.
    if (known)
    {
        const double far = 0.5 * legs[0].length;
        const sft_v3d way = sft_v3d_scale(2.0 / step->pelvis_rate, step->travel);
        const double length = sft_v3d_length(way), share = length > far ? far / length : 1.0;
        place = sft_v3d_madd(hips, share, way);
        c.time = SINK_LAG / step->pelvis_rate;
        c.way = sft_v3d_scale(0.5 * SINK_LAG * share, way);
    }
    const supports s = sum_up(step, legs, count, place);
    rise_to(step, legs, count, hips, &s, state);
    if (known) c.climb = 0.5 * step->pelvis_rate * (state->rise.goal - state->rise.value);
    sink(step, legs, count, &c, &s, state);
    if (step->dt >= AU_SHORT_STEP || !state->started) state->hips = hips;
    state->floor = step->def->floor;
    state->started = true;
}
