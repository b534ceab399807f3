// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// Moves the body. What the goal asks for (goal.c) is cut to what the legs can follow, to accelerations, to ground and
// obstacles ahead, and last to places from which every foot is within reach of its hip in the rest pose: a foot that
// stands is never pulled along. Speeds of the legs: docs/creature.md.

#include "creature/root.h"

// Part of a wanted motion tried when the whole of it would pull at a foot: halved so often.
#define REACH_HALVINGS 5
// From so many thresholds off its home on, a foot that stays behind slows the body; at the second it holds it.
#define LATE 1.8
#define TOO_LATE 2.6
// Part of the speed that legs can serve at which the body gives way.
#define GIVE_WAY 0.3
// Slower than this part of what it wants, a body is held.
#define HELD_PART 0.1
// Creature space [m]: a foot that is out of reach already may be left so by rounding.
#define REACH_SLACK 1e-9

sft_quatd sft_creature_about_up(double angle)
{
    return (sft_quatd){0, sft_sin(angle / 2), 0, sft_cos(angle / 2)};
}

static double wrap(double angle)
{
    return angle - 2 * SFT_PI * floor(angle / (2 * SFT_PI) + 0.5);
}

static sft_xformd place_at(sft_v3d t, double heading, sft_quatd level)
{
    return (sft_xformd){t, sft_quatd_mul(level, sft_creature_about_up(heading))};
}

sft_xformd sft_creature_place_ahead(const sft_creature* creature, const sft_creature_state* state, double time)
{
    (void)creature;
    const sft_creature_body* body = &state->body;
    return place_at(sft_v3d_madd(body->place.t, time, body->pace), state->heading + time * body->turn, state->level);
}

// ---- reach ----

// [m] in creature space by which a foot is farther or nearer than its leg may ask; not above 0: within reach.
static double excess(const sft_creature* creature, const sft_xformd* place, int32_t leg, sft_v3d foot, bool near_too)
{
    const sft_creature_leg* def = &creature->def.legs[leg];
    const double d = sft_v3d_distance(sft_creature_from_world(creature, place, foot), creature->limbs[leg].hip);
    const double far = d - def->reach_max, near = near_too ? def->reach_min - d : far;
    return sft_maxd(far, near);
}

bool sft_creature_reaches(const sft_creature* creature, const sft_xformd* place, const sft_creature_foot* feet)
{
    for (int32_t l = 0; l < creature->def.leg_count; ++l)
        if (feet[l].standing && !feet[l].swinging && excess(creature, place, l, feet[l].position, true) > 0)
            return false;
    return true;
}

// True where no foot is out of reach, or none farther out than it was at the old place.
static bool may_go(const sft_creature* creature, const sft_creature_state* state, const sft_xformd* place)
{
    const sft_creature_foot* feet = sft_creature_feet(sft_creature_plain(state));
    for (int32_t l = 0; l < creature->def.leg_count; ++l)
    {
        const sft_creature_foot* foot = &feet[l];
        if (!foot->standing && !foot->swinging) continue;
        sft_v3d points[2] = {foot->position, foot->to};
        if (foot->swinging) points[0] = sft_creature_swing_point(foot, sft_creature_next_time(creature, foot));
        for (int k = 0; k < (foot->swinging ? 2 : 1); ++k)
        {
            const bool near_too = !foot->swinging || k == 1;
            const double is = excess(creature, place, l, points[k], near_too);
            if (is > 0 && is > excess(creature, &state->body.place, l, points[k], near_too) + REACH_SLACK) return false;
        }
    }
    return true;
}

// How much of the speed is left so that, braking as the body may, no foot comes to the end of its leg: the body slows
// before it would be held.
static double reach_brake(const sft_creature* creature, const sft_creature_state* state, sft_v3d velocity, double turn)
{
    const sft_creature_foot* feet = sft_creature_feet(sft_creature_plain(state));
    const sft_xformd* place = &state->body.place;
    const double scale = creature->def.scale, brake = 2 * creature->def.motion.acceleration / scale;
    const sft_v3d v = sft_v3d_scale(1 / scale, sft_quatd_unrotate(place->r, velocity));
    const sft_v3d up = sft_v3d_make(0, turn, 0);
    double part = 1;
    for (int32_t l = 0; l < creature->def.leg_count; ++l)
    {
        if (!feet[l].standing || feet[l].swinging) continue;
        const sft_v3d p = sft_creature_from_world(creature, place, feet[l].position);
        const sft_v3d arm = sft_v3d_sub(p, creature->limbs[l].hip);
        const double length = sft_v3d_length(arm), left = creature->def.legs[l].reach_max - length;
        const sft_v3d leaving = sft_v3d_add(v, sft_v3d_cross(up, p));
        const sft_v3d home = sft_creature_led_home(creature, &state->body, l);
        const double x = p.x - home.x, z = p.z - home.z;
        const double late = sqrt(x * x + z * z) / creature->def.legs[l].step_distance;
        if (late > LATE && leaving.x * x + leaving.z * z < 0)
            part = sft_mind(part, sft_maxd((TOO_LATE - late) / (TOO_LATE - LATE), 0));
        const double growing = -sft_v3d_dot(leaving, arm);
        if (!(growing > 0) || !(length > 0)) continue;
        const double allowed = left > 0 ? sqrt(brake * left) * length : 0;
        if (part * growing > allowed) part = allowed / growing;
    }
    return part;
}

// ---- what the legs follow ----

double sft_creature_home_speed(const sft_creature* creature, const sft_creature_body* body, int32_t leg)
{
    const sft_v3d arm =
        sft_v3d_scale(creature->def.scale, sft_quatd_rotate(body->place.r, creature->def.legs[leg].home));
    const double x = body->pace.x + body->turn * arm.z, z = body->pace.z - body->turn * arm.x;
    return sqrt(x * x + z * z);
}

// Greatest speed along a horizontal direction at which every home, turning with the body, moves no faster than its leg
// can follow: |v d + w x r| <= serve / turns, the larger root of a quadratic. On a slope homes move faster than their
// shadow.
static double leg_speed(const sft_creature* creature, const sft_creature_state* state, sft_v3d along, double turn)
{
    const double turns = (double)creature->turns[state->body.gait];
    const double rise = sft_maxd(1 - 2 * (state->level.x * state->level.x + state->level.z * state->level.z), 0.1);
    double least = creature->safe_speed[state->body.gait];
    if (turn != 0)
        for (int32_t l = 0; l < creature->def.leg_count; ++l)
        {
            const sft_v3d arm =
                sft_v3d_scale(creature->def.scale, sft_quatd_rotate(state->body.place.r, creature->def.legs[l].home));
            const sft_v3d u = sft_v3d_make(turn * arm.z, 0, -turn * arm.x);
            const double most = creature->limbs[l].serve / turns, b = sft_v3d_dot(along, u);
            const double inside = b * b - sft_v3d_dot(u, u) + most * most;
            least = sft_mind(least, inside > 0 ? sft_maxd(sqrt(inside) - b, 0) : 0);
        }
    return least * rise;
}

// ---- a step ----

// What part of its serve the hardest-worked leg would need for a wish, for the choice of gait.
static double load_of(const sft_creature* creature, const sft_creature_body* body, sft_v3d velocity, double turn)
{
    sft_creature_body wished = *body;
    wished.pace = velocity;
    wished.turn = turn;
    double load = 0;
    for (int32_t l = 0; l < creature->def.leg_count; ++l)
        load = sft_maxd(load, sft_creature_home_speed(creature, &wished, l) / creature->limbs[l].serve);
    return load;
}

// Velocity and turn of this step, before ground, obstacles and reach.
static void accelerate(const sft_creature* creature, const sft_creature_wish* wish, sft_creature_state* state)
{
    const sft_creature_motion* motion = &creature->def.motion;
    sft_creature_body* body = &state->body;
    const double most_turn = sft_mind(motion->max_turn_speed, creature->safe_turn[body->gait]);
    const double turn = sft_clampd(wish->turn, -most_turn, most_turn);
    const double dw = motion->turn_acceleration * SFT_CREATURE_DT;
    body->turn += sft_clampd(turn - body->turn, -dw, dw);

    sft_v3d wanted = wish->velocity;
    double speed = sft_v3d_length(wanted);
    const double cut = 1 - (1 - motion->slow_turn) * sft_mind(fabs(body->turn) / motion->max_turn_speed, 1);
    body->speed_limit = motion->max_speed * cut;
    const sft_v3d along = speed > 0 ? sft_v3d_scale(1 / speed, wanted) : wish->ahead;
    body->speed_limit = sft_mind(body->speed_limit, leg_speed(creature, state, along, body->turn));
    if (speed > body->speed_limit)
    {
        wanted = sft_v3d_scale(body->speed_limit, along);
        speed = body->speed_limit;
    }
    if (wish->steered)
    {
        // What goes where it faces turns its way with itself.
        const double a = body->turn * SFT_CREATURE_DT;
        body->velocity = sft_creature_headed(body->velocity, sft_sin(a), sft_cos(a));
    }
    const sft_v3d change = sft_v3d_sub(wanted, body->velocity);
    const double dv = motion->acceleration * SFT_CREATURE_DT, size = sft_v3d_length(change);
    body->velocity = size > dv ? sft_v3d_madd(body->velocity, dv / size, change) : wanted;
}

// Ground and obstacles: slow enough to stop before them.
static void heed_ahead(const sft_creature* creature, const sft_creature_input* input, const sft_creature_wish* wish,
                       sft_creature_state* state)
{
    sft_creature_body* body = &state->body;
    const double speed = sft_v3d_length(body->velocity);
    // A body held still looks where it would go.
    const sft_v3d looked = speed > 0 ? body->velocity : wish->velocity;
    const double wanted = sft_v3d_length(wish->velocity);
    const sft_v3d way =
        speed > 0 ? sft_v3d_scale(sft_maxd(speed, sft_mind(wanted, body->speed_limit)) / speed, looked) : looked;
    const double clear = sft_creature_look_ahead(creature, input, way, state);
    if (!(speed > 0)) return;
    const double most = clear > 0 ? sqrt(2 * creature->def.motion.acceleration * clear) : 0;
    // Never past it within this step.
    const double cap = sft_mind(most, sft_maxd(clear, 0) / SFT_CREATURE_DT);
    if (speed <= cap) return;
    body->velocity = sft_v3d_scale(cap / speed, body->velocity);
    if (cap < 0.5 * sft_mind(wanted, body->speed_limit)) body->blocked = true;
}

// The mean of the velocity over a step's time from now on, gone towards what is wanted then as fast as the body may.
// What reach takes of the speed is not in it: it is there because feet were put too near.
static sft_v3d pace_of(const sft_creature* creature, const sft_creature_wish* wish, const sft_creature_state* state)
{
    const double time = creature->def.swing.time, acceleration = creature->def.motion.acceleration;
    const sft_v3d is = state->body.velocity;
    double most = state->body.speed_limit;
    if (state->clear_ends > 0)
    {
        const double left = sft_maxd(state->clear - sft_v3d_length(is) * time, 0);
        most = sft_mind(most, sqrt(2 * acceleration * left));
    }
    const double wished = sft_v3d_length(wish->later);
    const sft_v3d then = wished > most ? sft_v3d_scale(most / wished, wish->later) : wish->later;
    const sft_v3d change = sft_v3d_sub(then, is);
    const double needed = sft_v3d_length(change) / acceleration;
    sft_v3d pace = needed < time ? sft_v3d_madd(then, -needed / (2 * time), change)
                                 : sft_v3d_madd(is, time / (2 * needed), change);
    // What does not get on has its homes where they are: feet that find no place ahead step there, and free it.
    pace = sft_v3d_scale(sft_maxd(1 - state->held / time, 0), pace);
    pace.y = sft_creature_rise(creature, state, pace);
    return pace;
}

// The largest part of motion and turn, of the halvings of one, from whose end all feet are within reach.
static double go(const sft_creature* creature, double y, sft_quatd level, sft_creature_state* state)
{
    sft_creature_body* body = &state->body;
    double part = 1;
    for (int k = 0; k <= REACH_HALVINGS + 1; ++k, part = k > REACH_HALVINGS ? 0 : part / 2)
    {
        const double heading = state->heading + part * body->turn * SFT_CREATURE_DT;
        sft_v3d t = sft_v3d_madd(body->place.t, part * SFT_CREATURE_DT, body->velocity);
        t.y = y;
        const sft_xformd place = place_at(t, heading, level);
        if (!may_go(creature, state, &place)) continue;
        body->place = place;
        state->heading = wrap(heading);
        return part;
    }
    return -1;
}

// A shove from outside, as far as ground, obstacles and the feet let it.
static void shove(const sft_creature* creature, const sft_creature_input* input, sft_creature_state* state)
{
    sft_creature_body* body = &state->body;
    const sft_v3d push = sft_v3d_make(input->push.x, 0, input->push.z);
    body->push_refused = sft_v3d_make(0, 0, 0);
    if (push.x == 0 && push.z == 0) return;
    const double way = sft_v3d_length(push);
    const double room = sft_creature_room(creature, input, sft_v3d_scale(1 / way, push), way, state);
    double lo = 0, hi = sft_clampd(room / way, 0, 1), at = hi;
    const sft_v3d from = body->place.t;
    for (int k = 0; k < 20 && lo < hi; ++k, at = (lo + hi) / 2)
    {
        sft_xformd place = body->place;
        place.t = sft_v3d_madd(from, at, push);
        if (may_go(creature, state, &place))
            lo = at;
        else
            hi = at;
    }
    body->place.t = sft_v3d_madd(from, lo, push);
    body->push_refused = sft_v3d_scale(1 - lo, push);
}

// Turning on the spot where a foot found no place to step to: the body goes to that foot, slowly, as one steps back
// from an edge to turn round.
static void give_way(const sft_creature* creature, const sft_creature_state* state, sft_creature_wish* wish)
{
    if (wish->turn == 0 || wish->velocity.x != 0 || wish->velocity.z != 0) return;
    const sft_creature_foot* feet = sft_creature_feet(sft_creature_plain(state));
    const sft_xformd* place = &state->body.place;
    double worst = 1;
    for (int32_t l = 0; l < creature->def.leg_count; ++l)
    {
        if (!feet[l].standing || feet[l].swinging || feet[l].wait == 0) continue;
        sft_v3d error = sft_creature_foot_error(creature, &state->body, l, &feet[l]);
        const double size = sft_v3d_length(error), late = size / creature->def.legs[l].step_distance;
        if (!(late > worst)) continue;
        worst = late;
        error = sft_quatd_rotate(place->r, error);
        error.y = 0;
        const double speed = GIVE_WAY * creature->safe_speed[state->body.gait];
        wish->later = wish->velocity = sft_v3d_scale(speed, sft_v3d_normalize_or(error, sft_v3d_make(0, 0, 0)));
        wish->steered = false;
        wish->turn = 0;
    }
}

void sft_creature_move_body(const sft_creature* creature, const sft_creature_input* input, sft_creature_state* state)
{
    sft_creature_body* body = &state->body;
    body->blocked = false;
    sft_creature_wish wish;
    sft_creature_want(creature, input, state, &wish);
    give_way(creature, state, &wish);
    const double acceleration = creature->def.motion.acceleration * creature->def.swing.time;
    const double is = sft_v3d_length(body->velocity), wished = sft_v3d_length(wish.velocity);
    const double soon = sft_mind(wished, is + acceleration);
    const sft_v3d then = soon > is ? sft_v3d_scale(soon / wished, wish.velocity) : body->velocity;
    state->wanted = load_of(creature, body, then, fabs(wish.turn) > fabs(body->turn) ? wish.turn : body->turn);
    accelerate(creature, &wish, state);
    heed_ahead(creature, input, &wish, state);
    body->pace = pace_of(creature, &wish, state);
    if (body->velocity.x != 0 || body->velocity.z != 0 || body->turn != 0)
    {
        const double part = reach_brake(creature, state, body->velocity, body->turn);
        body->velocity = sft_v3d_scale(part, body->velocity);
        body->turn *= part;
    }

    const sft_quatd old_level = state->level;
    const double old_y = body->place.t.y;
    double y = sft_creature_level(creature, state);
    double part = go(creature, y, state->level, state);
    if (part < 0)
    {
        // Height and tilt would pull at a foot: they wait.
        state->level = old_level;
        state->height_speed = 0;
        part = go(creature, old_y, old_level, state);
    }
    part = sft_maxd(part, 0);
    if (part < 1) body->blocked = true;
    const sft_v3d moved = sft_v3d_scale(part, body->velocity);
    body->velocity = moved;
    body->turn *= part;
    shove(creature, input, state);
    state->clear -= sft_v3d_length(moved) * SFT_CREATURE_DT;

    const double got = sft_v3d_length(moved);
    state->held = got < HELD_PART * sft_mind(wished, body->speed_limit) ? state->held + SFT_CREATURE_DT : 0;
    const bool still = body->velocity.x == 0 && body->velocity.z == 0 && body->turn == 0;
    body->stood = still ? body->stood + SFT_CREATURE_DT : 0;
    body->moving = !still || state->approaching > 0;
}
