// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// One foot over one step: the foothold of the contact at hand is held, a swinging foot looks ahead, and height, tilt
// and weight follow critically damped. Derivation: docs/adapt.md.

#include "adapt/update.h"

// A held foothold is taken anew where the toe slid further from it than this share of the leg.
#define SLID 0.08
// Ground that moved by less [m], or turned by less (sine), is where it was.
#define SAME_GROUND 1e-7
// Of the leg: how much further than its leading point a flying foot looks for what it might stub against.
#define MARGIN 0.03
// A foot flies no further ahead than this share of the leg while it is looked for.
#define AHEAD 0.6
// Of smooth_time: what is left of a swing that is about to end.
#define SOON 0.5
// [m] Ground that is off a plane by less belongs to its slope.
#define OF_SLOPE 0.01

// ---- following ----

// x'' + 2 w x' + w^2 x = w^2 g with g = g0 + s t has x = g - 2 s / w + (y0 + (u0 + w y0) t) exp(-w t), where y0 and u0
// are what is left of x and x' at t = 0.
void sft_adapt_follow_to(sft_adapt_follow* f, double goal, double rate, double dt, bool held)
{
    const double from = f->goal;
    f->goal = goal;
    if (!(dt > 0.0)) return;
    if (!(rate <= SFT_HUGE))
    {
        f->value = goal;
        f->velocity = 0.0;
        return;
    }
    const bool still = held || dt < AU_SHORT_STEP;
    const double slope = still ? 0.0 : (goal - from) / dt, lag = 2.0 * slope / rate;
    const double y = f->value - from + lag, u = f->velocity - slope, c = u + rate * y;
    const double left = sft_exp(-rate * dt);
    f->value = (still ? from : goal) - lag + (y + c * dt) * left;
    f->velocity = slope + (u - rate * c * dt) * left;
    if (fabs(f->value - goal) <= AU_SETTLED && fabs(f->velocity) <= AU_SETTLED * rate && goal == from)
        sft_adapt_follow_begin(f, goal);
}

void sft_adapt_follow_begin(sft_adapt_follow* f, double goal)
{
    f->value = f->goal = goal;
    f->velocity = 0.0;
}

// ---- the ground ----

bool sft_adapt_ground_below(const au_step* step, const au_leg* a, sft_v3d point, double level, sft_ground_hit* hit)
{
    const sft_adapt_def* d = step->def;
    const double up = d->probe_up > 0.0 ? d->probe_up : 0.6 * a->length;
    const double down = d->probe_down > 0.0 ? d->probe_down : 0.6 * a->length;
    const double top = sft_maxd(point.y, level) + up;
    if (!sft_ground_cast(step->ground, sft_v3d_make(point.x, top, point.z), sft_v3d_make(0, -1, 0), top - level + down,
                         0.0, hit))
        return false;
    return sft_adapt_hit_ok(hit);
}

// How far the followed support is above the source's floor: the foot is looked for there.
static double rise_of(const au_step* step, const au_leg* a)
{
    return a->s.steps > 0 ? a->s.height.value - step->def->floor : 0.0;
}

static void lift_foot(sft_leg_pose* pose, sft_v3d by)
{
    pose->hip.t = sft_v3d_add(pose->hip.t, by);
    pose->knee.t = sft_v3d_add(pose->knee.t, by);
    pose->heel.t = sft_v3d_add(pose->heel.t, by);
    pose->toe.t = sft_v3d_add(pose->toe.t, by);
    pose->toe_end.t = sft_v3d_add(pose->toe_end.t, by);
}

sft_adapt_foothold sft_adapt_foothold_ahead(const au_step* step, const au_leg* a, sft_v3d ahead)
{
    const double rise = rise_of(step, a);
    sft_adapt_foothold out = {.tilt = {0, 0, 0, 1}, .toe_tilt = {0, 0, 0, 1}};
    sft_adapt_def def = *step->def;
    sft_leg_pose pose = a->foot;
    def.floor += rise;
    lift_foot(&pose, sft_v3d_make(ahead.x, rise, ahead.z));
    // What can be wrong was checked; beyond SFT_HUGE there is no ground.
    if (sft_adapt_find_foothold(&def, a->leg, &pose, step->ground, &out) != SFT_OK) out.on_ground = false;
    return out;
}

// Y of the foothold's plane under a point.
static double plane_under(sft_v3d on, sft_v3d normal, sft_v3d point)
{
    if (!(normal.y > 0.1)) return on.y;
    return on.y - (normal.x * (point.x - on.x) + normal.z * (point.z - on.z)) / normal.y;
}

// ---- support ----

static void hold(const au_step* step, au_leg* a)
{
    sft_ground_hit hit;
    a->s.held = sft_adapt_foothold_ahead(step, a, sft_v3d_make(0, 0, 0));
    a->s.witness = a->s.held.point;
    a->s.witness_normal = a->s.held.normal;
    if (!a->s.held.on_ground) return;
    if (!sft_adapt_ground_below(step, a, a->foot.toe.t, a->s.height.value, &hit)) return;
    a->s.witness = hit.point;
    a->s.witness_normal = hit.normal;
    a->s.held.body = hit.body;
}

// Whether the ground that is held is still what it was; a body that went up or down takes the foot along.
static void keep_hold(const au_step* step, au_leg* a)
{
    sft_adapt_leg_state* s = &a->s;
    const bool moves = s->held.body != 0;
    const sft_v3d toe = a->foot.toe.t, at = moves ? toe : s->witness;
    const double dx = toe.x - s->held.point.x, dz = toe.z - s->held.point.z, most = SLID * a->length;
    sft_ground_hit hit;
    if (!s->held.on_ground || dx * dx + dz * dz > most * most ||
        !sft_adapt_ground_below(step, a, sft_v3d_make(at.x, s->witness.y, at.z), s->witness.y, &hit) ||
        hit.body != s->held.body)
    {
        hold(step, a);
        return;
    }
    const double moved = hit.point.y - plane_under(s->witness, s->witness_normal, at);
    const bool turned = sft_v3d_length(sft_v3d_cross(hit.normal, s->witness_normal)) > SAME_GROUND;
    if (!(fabs(moved) > SAME_GROUND) && !turned) return;
    if (!moves)
    {
        hold(step, a);
        return;
    }
    if (!turned) a->ride = moved;
    s->height.value += a->ride;
    s->height.goal += a->ride;
    s->held.point.y += a->ride;
    s->witness = hit.point;
    s->witness_normal = hit.normal;
    if (turned) hold(step, a);
}

// ---- swing ----

// The toe's velocity and deceleration at the end of the step, from the last two of them; level.
static void measure(au_leg* a, double dt, sft_v3d* velocity, double* braking)
{
    const sft_adapt_leg_state* s = &a->s;
    *velocity = sft_v3d_make(0, 0, 0);
    *braking = 0.0;
    if (s->steps < 1 || !(dt >= AU_SHORT_STEP)) return;
    const sft_v3d toe = sft_v3d_sub(a->foot.toe.t, a->aside);
    sft_v3d chord = sft_v3d_scale(1.0 / dt, sft_v3d_sub(toe, s->toe)), bend = {0};
    if (s->steps > 1) bend = sft_v3d_scale(2.0 / (dt + s->step), sft_v3d_sub(chord, s->toe_velocity));
    chord.y = bend.y = 0.0;
    *velocity = sft_v3d_madd(chord, 0.5 * dt, bend);
    const double speed = sft_v3d_length(*velocity);
    if (speed > SFT_LENGTH_EPS) *braking = -sft_v3d_dot(bend, *velocity) / speed;
}

// Where a foot of that velocity is after `time`: no further than where it comes to rest. Feet brake less and less:
// where speed falls with the square of the time left, the way left is 2/3 v^2 / b, a little less than with 0.7 b.
static sft_v3d ahead_of(const au_leg* a, sft_v3d velocity, double braking, double time)
{
    const double speed = sft_v3d_length(velocity);
    if (!(speed > SFT_LENGTH_EPS)) return sft_v3d_make(0, 0, 0);
    double t = time, brake = 0.7 * sft_maxd(braking, 0.0);
    if (brake * t > speed) t = speed / brake;
    const double way = sft_mind(speed * t - 0.5 * brake * t * t, AHEAD * a->length);
    return sft_v3d_scale(way / speed, velocity);
}

// The point of the foot that goes first.
static sft_v3d leading_point(const au_leg* a, sft_v3d velocity)
{
    const sft_leg_pose* p = &a->foot;
    sft_v3d best = p->toe.t;
    if (a->leg->toe_end >= 0 && sft_v3d_dot(sft_v3d_sub(p->toe_end.t, best), velocity) > 0.0) best = p->toe_end.t;
    if (sft_v3d_dot(sft_v3d_sub(p->heel.t, best), velocity) > 0.0) best = p->heel.t;
    return best;
}

// The foothold ahead, and the height that all looked at so far asks for.
typedef struct flight
{
    sft_adapt_foothold to;
    double height;
    bool seen; // some ground
} flight;

// Raises the height by what the ground below a point stands out over the plane of the foothold, less what the source's
// foot is higher there than it has to be. On an even slope nothing stands out.
static void pass(const au_step* step, const au_leg* a, sft_v3d point, double surplus, flight* f)
{
    sft_ground_hit hit;
    if (!sft_adapt_ground_below(step, a, point, a->s.height.value, &hit)) return;
    const double spare = sft_maxd(surplus - step->def->clearance, 0.0);
    f->seen = true;
    if (!f->to.on_ground)
    {
        f->height = sft_maxd(f->height, hit.point.y - spare);
        return;
    }
    const double out = hit.point.y - plane_under(f->to.point, f->to.normal, point) - spare;
    if (out > AU_SETTLED) f->height = sft_maxd(f->height, f->to.point.y + out);
}

static void pass_now(const au_step* step, const au_leg* a, flight* f)
{
    const sft_leg* g = a->leg;
    const sft_leg_pose* p = &a->foot;
    const double floor = step->def->floor;
    pass(step, a, p->toe.t, p->toe.t.y - g->toe_min - floor, f);
    if (sft_adapt_heel_bears(g, sft_v3d_distance(p->heel.t, p->toe.t)))
        pass(step, a, p->heel.t, p->heel.t.y - g->heel_min - floor, f);
    if (g->toe_end >= 0) pass(step, a, p->toe_end.t, p->toe_end.t.y - g->toe_end_min - floor, f);
}

// Where a swinging foot should be: at the foothold it flies to, over all that is in its way. False: no ground there.
static bool look_ahead(const au_step* step, au_leg* a, double* height)
{
    sft_v3d velocity;
    double braking;
    measure(a, step->dt, &velocity, &braking);
    const double time = step->def->smooth_time;
    const bool fresh = a->s.steps == 0;
    const sft_v3d rest = braking > 0.0 ? ahead_of(a, velocity, braking, SFT_HUGE) : sft_v3d_make(0, 0, 0);
    sft_adapt_foresee_landing(step, a, velocity, rest);
    // What follows a steady climb is late by 2 / rate: looked at so far ahead, it is not.
    const sft_v3d soon = ahead_of(a, velocity, braking, step->rate <= SFT_HUGE ? 2.0 / step->rate : 0.0);
    flight f = {.to = sft_adapt_foothold_ahead(step, a, soon), .height = -INFINITY};
    if (f.to.on_edge && braking > 0.0)
    {
        // The edge is only passed over: what counts is where the foot comes down.
        const sft_adapt_foothold later = sft_adapt_foothold_ahead(step, a, ahead_of(a, velocity, braking, time));
        if (later.on_ground) f.to = later;
    }
    // About to come down on another level: what lies before it is only passed over.
    if (f.to.on_ground && !fresh && a->landing_time >= 0.0 && a->landing_time <= SOON * time &&
        fabs(a->landing.y - plane_under(f.to.point, f.to.normal, a->landing)) > step->def->edge_height)
    {
        const sft_adapt_foothold there = sft_adapt_foothold_ahead(step, a, sft_v3d_sub(a->landing, a->foot.toe.t));
        if (there.on_ground) f.to = there;
    }
    if (f.to.on_ground) f.height = f.to.point.y;
    f.seen = f.to.on_ground;
    if (fresh) a->s.height.value = f.seen ? f.height : step->def->floor;
    pass_now(step, a, &f);
    const sft_v3d lead = sft_v3d_madd(leading_point(a, velocity), MARGIN * a->length,
                                      sft_v3d_normalize_or(velocity, sft_v3d_make(0, 0, 0)));
    for (int k = 1; k <= 2 && time > 0.0 && (velocity.x != 0.0 || velocity.z != 0.0); ++k)
        pass(step, a, sft_v3d_add(lead, ahead_of(a, velocity, braking, 0.5 * k * time)), 0.0, &f);
    if (f.to.on_ground) a->s.held = f.to;
    if (f.seen) *height = f.height;
    return f.seen;
}

// ---- one step ----

static void follow_tilt(sft_adapt_follow f[3], sft_quatd tilt, const au_step* step, bool held, bool begin)
{
    const sft_v3d v = sft_quatd_log(tilt);
    const double goal[3] = {v.x, v.y, v.z};
    for (int k = 0; k < 3; ++k)
    {
        if (begin)
            sft_adapt_follow_begin(&f[k], goal[k]);
        else
            sft_adapt_follow_to(&f[k], goal[k], step->rate, step->dt, held);
    }
}

static void remember(const au_step* step, au_leg* a)
{
    sft_adapt_leg_state* s = &a->s;
    if (s->steps > 0 && step->dt < AU_SHORT_STEP) return;
    const sft_v3d toe = sft_v3d_sub(a->foot.toe.t, a->aside);
    if (s->steps > 0) s->toe_velocity = sft_v3d_scale(1.0 / step->dt, sft_v3d_sub(toe, s->toe));
    s->toe_velocity.y = 0.0;
    s->toe = toe;
    s->step = step->dt;
    if (s->steps < 2) ++s->steps;
}

// The second step of a swing that began in mid-air: the foothold below moves as if it had before, so that a slope is
// followed from the start. False: it cannot be told, or what lies between is no slope.
static bool set_going(const au_step* step, au_leg* a, double goal)
{
    sft_adapt_leg_state* s = &a->s;
    sft_ground_hit hit;
    if (a->contact || s->steps != 1 || step->dt < AU_SHORT_STEP || !s->held.on_ground || s->held.on_edge) return false;
    if (!sft_adapt_ground_below(step, a, a->foot.toe.t, s->height.value, &hit)) return false;
    const double here = plane_under(s->held.point, s->held.normal, a->foot.toe.t), rise = here - s->height.value;
    const double x = a->foot.toe.t.x - s->toe.x, z = a->foot.toe.t.z - s->toe.z;
    const double most = AU_STEEPEST * sqrt(x * x + z * z);
    if (!(fabs(hit.point.y - here) <= OF_SLOPE && fabs(rise) <= most)) return false;
    s->height = (sft_adapt_follow){here, rise / step->dt, goal};
    return true;
}

void sft_adapt_update_foot(const au_step* step, au_leg* a)
{
    sft_adapt_leg_state* s = &a->s;
    const bool begin = s->steps == 0, change = !begin && a->contact != s->in_support;
    double height = begin ? step->def->floor : s->height.goal;
    bool ground;
    if (begin) sft_adapt_follow_begin(&s->height, step->def->floor);
    if (a->contact)
    {
        if (s->in_support && !begin)
            keep_hold(step, a);
        else
        {
            // It stands where it is now.
            for (int k = 0; k < 2; ++k)
                sft_adapt_follow_begin(&s->aside[k], s->aside[k].value);
            hold(step, a);
            if (!begin) sft_adapt_learn_landing(step, a);
        }
        ground = s->held.on_ground;
        height = ground ? plane_under(s->held.point, s->held.normal, a->foot.toe.t) : s->height.goal;
        s->lost_time = 0.0;
    }
    else
    {
        const bool seen = look_ahead(step, a, &height);
        s->lost_time = seen ? 0.0 : s->lost_time + step->dt;
        ground = seen || (!begin && s->lost_time <= 2.0 * step->def->smooth_time && s->weight.goal > 0.0);
        if (!seen) height = s->height.goal;
    }
    s->in_support = a->contact;
    const double weight = ground ? a->wanted_weight : 0.0;
    if (begin)
    {
        sft_adapt_follow_begin(&s->height, height);
        sft_adapt_follow_begin(&s->weight, weight);
    }
    else if (!(s->weight.value > 0.0) && ground)
        sft_adapt_follow_begin(&s->height, height); // it comes in where it belongs
    else if (!set_going(step, a, height))
        sft_adapt_follow_to(&s->height, height, step->rate, step->dt, change);
    if (!begin) sft_adapt_follow_to(&s->weight, weight, step->rate, step->dt, true);
    follow_tilt(s->tilt, s->held.tilt, step, change, begin);
    follow_tilt(s->toe_tilt, s->held.toe_tilt, step, change, begin);
    remember(step, a);
}
