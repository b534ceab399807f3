// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// Moves the body. What the goal asks for (goal.c) is cut to what the legs can follow, to accelerations, to ground and
// obstacles ahead, and last to places from which every foot is within reach of its hip in the rest pose: a foot that
// stands is never pulled along. For all of that it brakes as it may, so it looks ahead; what was not foreseen holds it
// at once (go), which is the last resort. Speeds of the legs: docs/creature.md.

#include "creature/root.h"

// Part of a wanted motion tried when the whole of it would pull at a foot: halved so often.
#define REACH_HALVINGS 5
// A foot that finds no place to step to is left behind by so many thresholds at most.
#define LATE 2.6
// Part of the acceleration with which the body means to brake: what is left is for what it did not foresee.
#define BRAKE_PART 0.85
// So much earlier than it counts on a foot's turn to lift, it looks whether that finds a foothold; once in so many
// steps.
#define FORESIGHT 1.3
#define FORESEE_STEPS 4
// Ground is even where soles are level to this part of the longest leg, and normals to this much.
#define EVEN 0.01
#define EVEN_NORMAL 1e-4
// A foot that lifts stays behind a body on its way by what that goes in this part of a swing, at most at the second
// part of its time: the ease begins slowly.
#define LAG 0.14
#define LAG_ENDS 0.2
// Part of the speed that legs can serve at which the body gives way.
#define GIVE_WAY 0.3
// Slower than this part of what it wants, a body is held.
#define HELD_PART 0.1
// On ground that is not even, a body that its legs hold to less than this part of its speed goes slower for a while, so
// that it goes steadily: it leaves what they held within the first time, at most the third part of its speed, and takes
// it up again within the second.
#define HELD_LOW 0.5
#define HOLD_TIME 0.3
#define BACK_TIME 2.0
#define MOST_HELD 0.7
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
static double excess(const sft_creature* creature, const sft_creature_view* view, int32_t leg, sft_v3d foot)
{
    const sft_creature_leg* def = &creature->def.legs[leg];
    const double d = sft_v3d_distance(sft_creature_seen(view, foot), creature->limbs[leg].hip);
    return sft_maxd(d - def->reach_max, def->reach_min - d);
}

// What an empty motion sees from a place.
static sft_creature_view view_from(const sft_creature* creature, const sft_xformd* place)
{
    return (sft_creature_view){
        .in = sft_creature_make_turn3(sft_quatd_conjugate(place->r), creature->per_scale),
        .from = place->t,
    };
}

bool sft_creature_reaches(const sft_creature* creature, const sft_xformd* place, const sft_creature_foot* feet)
{
    const sft_creature_view view = view_from(creature, place);
    for (int32_t l = 0; l < creature->def.leg_count; ++l)
        if (feet[l].standing && !feet[l].swinging && excess(creature, &view, l, feet[l].position) > 0) return false;
    return true;
}

// True where no foot is out of reach, or none farther out than it was at the old place.
static bool may_go(const sft_creature* creature, const sft_creature_state* state, const sft_xformd* place)
{
    const sft_creature_foot* feet = sft_creature_feet(sft_creature_plain(state));
    const sft_creature_view view = view_from(creature, place);
    for (int32_t l = 0; l < creature->def.leg_count; ++l)
    {
        const sft_creature_foot* foot = &feet[l];
        if (!foot->standing && !foot->swinging) continue;
        // A foot in the air is pulled along (foot.c); where it comes down is what counts.
        const sft_v3d p = foot->swinging ? foot->to : foot->position;
        const double is = excess(creature, &view, l, p);
        if (!(is > 0)) continue;
        const sft_creature_view before = view_from(creature, &state->body.place);
        if (is > excess(creature, &before, l, p) + REACH_SLACK) return false;
    }
    return true;
}

// A motion of the body as its legs see it: it moves and turns on as it does, creature space.
typedef struct leaving
{
    sft_v3d velocity; // [1/s] of creature space's lengths
    double stop_time; // [s] until it stands, braking gently
    double stop_way;  // [s] at the motion as it is that lead as far
    double part;      // [0, 1] of it that is left
} leaving;

// Cuts the motion to what comes to rest within a time at the motion as it is; where its foot may lift after `turn` [s],
// to what takes so long: it slows early rather than stop and wait.
static void cut_to(leaving* m, double time, double turn)
{
    const double h = SFT_CREATURE_DT / 2;
    double part = time / SFT_CREATURE_DT;
    if (turn < SFT_HUGE)
        part = time / turn;
    else if (m->stop_time > 0)
        part = sft_mind(part, (sqrt(h * h + 2 * m->stop_time * time) - h) / m->stop_time);
    m->part = sft_mind(m->part, part);
}

// Two spheres about the origin between which a point, moving on, must be until the body stands, or until `turn` [s],
// when its foot may lift. p: where it is; v: its velocity. True where it counts on that turn, or is about to.
static bool stay_between(leaving* m, sft_v3d p, sft_v3d v, double least, double most, double turn)
{
    sft_v3d end = sft_v3d_madd(p, turn < SFT_HUGE ? sft_maxd(turn, FORESIGHT * m->stop_way) : m->stop_way, v);
    double square = sft_v3d_dot(end, end);
    if (square <= most * most && square >= least * least) return false;
    const bool counts = turn < FORESIGHT * m->stop_way;
    if (counts) end = sft_v3d_madd(p, turn, v), square = sft_v3d_dot(end, end);
    if (square <= most * most && square >= least * least) return counts;
    const double a = sft_v3d_dot(v, v), b = sft_v3d_dot(p, v), pp = sft_v3d_dot(p, p);
    if (!(a > 0)) return counts;
    if (square > most * most)
    {
        // What is outside and comes nearer is waited for.
        const double c = pp - most * most;
        if (c <= 0 || b >= 0) cut_to(m, c < 0 ? (sqrt(b * b - a * c) - b) / a : 0, turn);
    }
    else if (b < 0)
    {
        // A foot that is nearly too near asks for a step (gait.c), but it may be late.
        const double c = pp - least * least;
        cut_to(m, c > 0 ? (-sqrt(sft_maxd(b * b - a * c, 0)) - b) / a : 0, SFT_HUGE);
    }
    return counts;
}

// Steps that a way of swing time takes.
static double steps_of(const sft_creature* creature, double time)
{
    return -floor(-(time * creature->def.swing.time * SFT_CREATURE_RATE - 1e-6));
}

// Steps until the feet that are in the air have landed.
static double landing_steps(const sft_creature* creature, const sft_creature_foot* feet)
{
    double first = 1;
    for (int32_t l = 0; l < creature->def.leg_count; ++l)
        if (feet[l].swinging) first = sft_mind(first, feet[l].time);
    return sft_maxd(steps_of(creature, 1 - first), 1);
}

// [s] until a standing foot may lift, if all whose turn comes before it lift at once.
static double turn_time(const sft_creature* creature, const sft_creature_state* state, int32_t leg, double landing,
                        double swing)
{
    const sft_creature_body* body = &state->body;
    const int32_t turns = creature->turns[body->gait], group = creature->def.legs[leg].group[body->gait];
    const bool own = body->group == group && !sft_creature_feet(sft_creature_plain(state))[leg].stepped;
    const double lag = LAG * creature->def.swing.time;
    if (own) return 1.5 * SFT_CREATURE_DT + lag;
    const int32_t before = (group - (body->group >= 0 ? body->group : body->last_group) - 1 + 2 * turns) % turns;
    return (landing + before * swing + 0.5) * SFT_CREATURE_DT + lag;
}

// What part of a motion is left so that, braking as the body may, no foot comes to the end of its leg: it begins to
// brake where the way left to there is that of braking, unless the foot's turn to lift comes before. *counting: bits of
// legs whose turn is counted on.
static double reach_brake(const sft_creature* creature, const sft_creature_state* state, const sft_xformd* place,
                          sft_v3d velocity, double turn, uint64_t* counting)
{
    const sft_creature_foot* feet = sft_creature_feet(sft_creature_plain(state));
    const sft_creature_motion* limits = &creature->def.motion;
    const double landing = landing_steps(creature, feet), swing = steps_of(creature, 1);
    leaving m = {.part = 1};
    const sft_creature_view view = view_from(creature, place);
    m.velocity = sft_creature_apply3(&view.in, velocity);
    m.stop_time = sft_maxd(sft_v3d_length(velocity) / (BRAKE_PART * limits->acceleration),
                           fabs(turn) / (BRAKE_PART * limits->turn_acceleration));
    m.stop_way = (m.stop_time + SFT_CREATURE_DT) / 2;
    for (int32_t l = 0; l < creature->def.leg_count; ++l)
    {
        const sft_creature_foot* foot = &feet[l];
        if (!foot->standing) continue;
        const sft_creature_leg* def = &creature->def.legs[l];
        const sft_v3d p = sft_creature_seen(&view, foot->swinging ? foot->to : foot->position);
        if (foot->swinging && foot->time < LAG_ENDS)
        {
            const double lag = (LAG / LAG_ENDS) * (LAG_ENDS - foot->time) * creature->def.swing.time;
            const sft_v3d q = sft_creature_seen(&view, foot->position);
            const sft_v3d w = sft_v3d_make(-m.velocity.x - turn * q.z, -m.velocity.y, -m.velocity.z + turn * q.x);
            stay_between(&m, sft_v3d_sub(q, creature->limbs[l].hip), w, 0, def->reach_max, lag);
        }
        const sft_v3d v = sft_v3d_make(-m.velocity.x - turn * p.z, -m.velocity.y, -m.velocity.z + turn * p.x);
        const bool waits = foot->swinging || foot->wait != 0;
        const double turn_to = waits ? SFT_HUGE : turn_time(creature, state, l, landing, swing);
        const bool counts =
            stay_between(&m, sft_v3d_sub(p, creature->limbs[l].hip), v, def->reach_min, def->reach_max, turn_to);
        if (foot->swinging) continue;
        if (counts || foot->wait < 0) *counting |= (uint64_t)1 << l;
        if (foot->wait == 0) continue;
        sft_v3d off = sft_v3d_sub(p, sft_creature_led_home(creature, &state->body, l));
        off.y = 0;
        stay_between(&m, off, sft_v3d_make(v.x, 0, v.z), 0, LATE * def->step_distance, SFT_HUGE);
    }
    return m.part;
}

// ---- what the legs follow ----

// Greatest speed along a horizontal direction at which every home, turning with the body, moves no faster than its leg
// can follow: |v d + w x r| <= serve / turns, the larger root of a quadratic. On a slope homes move faster than their
// shadow.
static double leg_speed(const sft_creature* creature, const sft_creature_state* state, const sft_v3d* arms,
                        sft_v3d along, double turn)
{
    const double turns = (double)creature->turns[state->body.gait];
    const double rise = sft_maxd(1 - 2 * (state->level.x * state->level.x + state->level.z * state->level.z), 0.1);
    double least = creature->safe_speed[state->body.gait];
    if (turn != 0)
        for (int32_t l = 0; l < creature->def.leg_count; ++l)
        {
            const sft_v3d u = sft_v3d_make(turn * arms[l].z, 0, -turn * arms[l].x);
            const double most = creature->limbs[l].serve / turns, b = sft_v3d_dot(along, u);
            const double inside = b * b - sft_v3d_dot(u, u) + most * most;
            least = sft_mind(least, inside > 0 ? sft_maxd(sqrt(inside) - b, 0) : 0);
        }
    return least * rise;
}

// ---- a step ----

// What part of its serve the hardest-worked leg would need for a wish, for the choice of gait.
static double load_of(const sft_creature* creature, const sft_v3d* arms, sft_v3d velocity, double turn)
{
    double load = 0;
    for (int32_t l = 0; l < creature->def.leg_count; ++l)
        load = sft_maxd(load, sft_creature_arm_speed(arms[l], velocity, turn) / creature->limbs[l].serve);
    return load;
}

// What of a change of velocity the body can make in a step.
static sft_v3d within_step(const sft_creature* creature, sft_v3d before, sft_v3d wanted)
{
    const sft_v3d change = sft_v3d_sub(wanted, before);
    const double most = creature->def.motion.acceleration * SFT_CREATURE_DT, size = sft_v3d_length(change);
    return size > most ? sft_v3d_madd(before, most / size, change) : wanted;
}

// [m/s] from which the body comes to rest within a way; the last step, which is no whole one, takes a little of it.
static double stopping_speed(const sft_creature* creature, double way)
{
    const double a = creature->def.motion.acceleration, h = SFT_CREATURE_DT / 2, left = way - a * h * h / 2;
    return left > 0 ? sft_mind(a * (sqrt(h * h + 2 * left / a) - h), way / SFT_CREATURE_DT) : 0;
}

// Part of its speed that a body does not leave.
static double left_of(const sft_creature_state* state)
{
    return 1 - sft_clampd(state->held_back, 0, MOST_HELD);
}

// Velocity and turn of this step, before ground, obstacles and reach. Answers the velocity that it comes from.
static sft_v3d accelerate(const sft_creature* creature, const sft_creature_wish* wish, const sft_v3d* arms,
                          sft_creature_state* state)
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
    body->speed_limit = sft_mind(body->speed_limit, leg_speed(creature, state, arms, along, body->turn));
    body->speed_limit *= left_of(state);
    if (speed > body->speed_limit)
    {
        wanted = sft_v3d_scale(body->speed_limit, along);
        speed = body->speed_limit;
    }
    if (wish->steered)
    {
        // What goes where it faces turns its way with itself.
        const double s = sft_creature_half_sine(body->turn * SFT_CREATURE_DT), c = sft_creature_half_cosine(s);
        body->velocity = sft_creature_headed(body->velocity, 2 * s * c, 1 - 2 * s * s);
    }
    const sft_v3d before = body->velocity;
    body->velocity = within_step(creature, before, wanted);
    return before;
}

// Ground and obstacles: slow enough to stop before them.
static void heed_ahead(const sft_creature* creature, const sft_creature_input* input, const sft_creature_wish* wish,
                       sft_v3d before, sft_creature_state* state)
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
    const double cap = stopping_speed(creature, clear);
    if (speed <= cap) return;
    body->velocity = within_step(creature, before, sft_v3d_scale(cap / speed, body->velocity));
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

// Whether all feet stand on one level, so that the ground is taken to be so ahead; where it ends is looked for
// (ahead.c).
static bool is_even(const sft_creature* creature, const sft_creature_state* state)
{
    const sft_creature_foot* feet = sft_creature_feet(sft_creature_plain(state));
    double low = SFT_HUGE, high = -SFT_HUGE;
    for (int32_t l = 0; l < creature->def.leg_count; ++l)
    {
        const sft_v3d at = feet[l].swinging ? feet[l].to : feet[l].position;
        const sft_v3d normal = feet[l].swinging ? feet[l].to_normal : feet[l].normal;
        const double sole = at.y - creature->def.scale * creature->def.legs[l].ankle_offset * normal.y;
        low = sft_mind(low, sole);
        high = sft_maxd(high, sole);
        if (!(normal.y >= 1 - EVEN_NORMAL)) return false;
    }
    return high - low <= EVEN * creature->def.scale * creature->longest;
}

static void foresee(const sft_creature* creature, const sft_ground* ground, uint64_t counting,
                    sft_creature_state* state)
{
    const sft_creature_foot* feet = sft_creature_feet(state);
    const double landing = landing_steps(creature, feet), swing = steps_of(creature, 1);
    for (int32_t l = 0; l < creature->def.leg_count; ++l)
        if ((counting >> l & 1) != 0 && (state->body.step + l) % FORESEE_STEPS == 0 && feet[l].wait <= 0)
            sft_creature_foresee(creature, ground, l, turn_time(creature, state, l, landing, swing), state);
}

// Legs that do not hold it let it have its speed back. Answers y.
static double recover(double y, sft_creature_state* state)
{
    state->held_back = state->held_back > 1e-6 ? (1 - SFT_CREATURE_DT / BACK_TIME) * state->held_back : 0;
    return y;
}

// What legs held is left of the speed, for a while.
static void hold_back(sft_v3d before, sft_creature_state* state)
{
    const double speed = sft_v3d_length(state->body.velocity), most = state->body.speed_limit / left_of(state);
    const double short_of = sft_maxd(1 - speed / sft_maxd(HELD_LOW * most, SFT_LENGTH_EPS), 0);
    const double lost = short_of * short_of;
    if (speed > sft_v3d_length(before) || !(lost > state->held_back)) return;
    state->held_back += SFT_CREATURE_DT / HOLD_TIME * (sft_mind(lost, MOST_HELD) - state->held_back);
}

// Reach: slow enough to stop before a leg is at its end. y: the height that the place is to have; answers what it gets.
static double heed_reach(const sft_creature* creature, const sft_ground* ground, sft_v3d before, double turn_before,
                         sft_quatd upright, double y, sft_creature_state* state)
{
    const sft_creature_motion* motion = &creature->def.motion;
    sft_creature_body* body = &state->body;
    const double climb = (y - body->place.t.y) * SFT_CREATURE_RATE;
    sft_v3d velocity = body->velocity;
    const double speed = sft_v3d_length(velocity);
    if (speed == 0 && body->turn == 0 && !(climb > 0)) return recover(y, state);
    // Going down helps no more than the ground says.
    const double pace = sqrt(body->pace.x * body->pace.x + body->pace.z * body->pace.z);
    const double rise = pace > 0 ? sft_mind(body->pace.y / pace * speed, 0) : 0;
    velocity.y = climb > 0 ? climb : sft_maxd(climb, rise);
    const sft_xformd place = {sft_v3d_make(body->place.t.x, climb > 0 ? body->place.t.y : y, body->place.t.z),
                              sft_quatd_mul(state->level, upright)};
    uint64_t counting = 0;
    double part = reach_brake(creature, state, &place, velocity, body->turn, &counting);
    if (counting != 0 && ground != NULL && !is_even(creature, state)) foresee(creature, ground, counting, state);
    if (part == 1) return recover(y, state);
    const double dw = motion->turn_acceleration * SFT_CREATURE_DT, dv = motion->acceleration * SFT_CREATURE_DT;
    body->velocity = within_step(creature, before, sft_v3d_scale(part, body->velocity));
    body->turn = sft_clampd(part * body->turn, turn_before - dw, turn_before + dw);
    if (sft_v3d_length(body->velocity) < HELD_PART * body->speed_limit) body->blocked = true;
    if (!is_even(creature, state)) hold_back(before, state);
    if (!(climb > 0)) return y;
    part = sft_maxd(part, sft_mind(1 - dv / climb, 1));
    state->height_speed *= part;
    return body->place.t.y + part * climb * SFT_CREATURE_DT;
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
        if (!feet[l].standing || feet[l].swinging || feet[l].wait <= 0) continue;
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
    const sft_creature_turn3 out = sft_creature_make_turn3(body->place.r, creature->def.scale);
    sft_v3d arms[SFT_MAX_LEGS];
    for (int32_t l = 0; l < creature->def.leg_count; ++l)
        arms[l] = sft_creature_apply3(&out, creature->def.legs[l].home);
    state->wanted = load_of(creature, arms, then, fabs(wish.turn) > fabs(body->turn) ? wish.turn : body->turn);
    const double turn = body->turn;
    const sft_v3d before = accelerate(creature, &wish, arms, state);
    heed_ahead(creature, input, &wish, before, state);
    body->pace = pace_of(creature, &wish, state);

    const sft_quatd old_level = state->level;
    const double old_y = body->place.t.y;
    const sft_quatd upright = sft_creature_upright(state);
    double y = sft_creature_level(creature, state);
    y = heed_reach(creature, input->ground, before, turn, upright, y, state);
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
