// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// What a goal asks of the body. To a point: it starts when the point is farther than approach_distance, turns first
// where the point is behind, goes where it faces, and stops within the band below stop_distance; nearer than
// back_distance it backs off slowly. All speeds are such that the stated accelerations stop in time: v = sqrt(2 a s).

#include "creature/root.h"

// A standing body turns to a goal farther off its nose than the first angle, until it is within the second [rad].
#define TURN_START 0.26
#define TURN_END 0.03
// [1/s] of turning towards what is little off the nose.
#define TURN_GAIN 8.0
// Part of the turn that the circle to a goal may ask for, so that it is not circled.
#define CIRCLE_PART 0.7
// [1/s] of closing up to a goal that goes away.
#define FOLLOW_GAIN 3.0
// [s] in which the goal's own velocity is followed; a goal that goes faster than so many times the most speed has
// jumped, one slower than this part of it stands.
#define GOAL_TIME 0.15
#define GOAL_JUMP 4.0
#define GOAL_STANDS 0.03
// The body aims to stop by so much of the band inside its outer end.
#define STOP_DEPTH 0.25

// Nearer than a tenth of the shortest step there is no going nearer.
static double stop_of(const sft_creature* creature)
{
    double least = creature->def.legs[0].step_distance;
    for (int32_t l = 1; l < creature->def.leg_count; ++l)
        least = sft_mind(least, creature->def.legs[l].step_distance);
    return sft_maxd(creature->def.motion.stop_distance, 0.1 * least * creature->def.scale);
}

static double turn_towards(const sft_creature* creature, double bearing)
{
    const double size = fabs(bearing);
    const double rate =
        sft_mind(TURN_GAIN * size, sft_mind(0.9 * sqrt(2 * creature->def.motion.turn_acceleration * size),
                                            creature->def.motion.max_turn_speed));
    return bearing < 0 ? -rate : rate;
}

// `sine`: of the bearing, 1 beyond a quarter turn; `leaving`: [m/s] at which the goal goes away, which is kept up with.
static double forward_speed(const sft_creature* creature, const sft_creature_state* state, double distance,
                            double bearing, double sine, double leaving)
{
    const sft_creature_motion* motion = &creature->def.motion;
    const double size = fabs(bearing), stop = stop_of(creature);
    if (size > motion->turn_first_angle) return 0;
    const double band = STOP_DEPTH * (stop - sft_mind(motion->back_distance, stop));
    const double left = sft_maxd(distance - stop + band, 0);
    // Braking ends gently where the goal goes on.
    const double closing = leaving > 0 ? sft_mind(sqrt(2 * motion->acceleration * left), FOLLOW_GAIN * left)
                                       : sqrt(2 * motion->acceleration * left);
    double speed = sft_mind(motion->max_speed, leaving + closing);
    // The circle that touches the nose and meets the goal has radius distance / (2 sin bearing).
    const double turn = CIRCLE_PART * sft_mind(motion->max_turn_speed, creature->safe_turn[state->body.gait]);
    if (2 * sine * speed > turn * distance) speed = turn * distance / (2 * sine);
    return speed;
}

// How the goal moves, from where it was.
static void watch_goal(const sft_creature* creature, sft_v3d goal, sft_creature_state* state)
{
    double vx = (goal.x - state->goal_x) * SFT_CREATURE_RATE, vz = (goal.z - state->goal_z) * SFT_CREATURE_RATE;
    const double most = GOAL_JUMP * creature->def.motion.max_speed;
    if (state->goal_known == 0 || vx * vx + vz * vz > most * most) vx = vz = state->goal_vx = state->goal_vz = 0;
    state->goal_known = 1;
    state->goal_x = goal.x;
    state->goal_z = goal.z;
    const double k = SFT_CREATURE_DT / (GOAL_TIME + SFT_CREATURE_DT);
    state->goal_vx += k * (vx - state->goal_vx);
    state->goal_vz += k * (vz - state->goal_vz);
    const double small = 1e-6 * creature->def.motion.max_speed;
    if (fabs(state->goal_vx) + fabs(state->goal_vz) < small) state->goal_vx = state->goal_vz = 0;
}

static void want_point(const sft_creature* creature, sft_v3d goal, sft_creature_state* state, sft_creature_wish* out)
{
    const sft_creature_motion* motion = &creature->def.motion;
    sft_v3d to = sft_v3d_sub(goal, state->body.place.t);
    to.y = 0;
    const double distance = sft_v3d_length(to), stop = stop_of(creature);
    const double across = out->ahead.z * to.x - out->ahead.x * to.z, along = sft_v3d_dot(out->ahead, to);
    const double bearing = sft_atan2(across, along), sine = along > 0 ? fabs(across) / distance : 1;

    watch_goal(creature, goal, state);
    double leaving = distance > 0 ? (state->goal_vx * to.x + state->goal_vz * to.z) / distance : 0;
    if (leaving < GOAL_STANDS * motion->max_speed) leaving = 0;
    if (distance > sft_maxd(motion->approach_distance, stop)) state->approaching = 1;
    if (distance <= stop && leaving == 0) state->approaching = 0;
    if (distance < motion->back_distance) state->backing = 1;
    if (distance >= (motion->back_distance + stop) / 2) state->backing = 0;
    // What is underfoot has no bearing to speak of.
    const bool underfoot = distance < 0.25 * stop;
    if (fabs(bearing) > TURN_START && !underfoot) state->turning = 1;
    if (fabs(bearing) < TURN_END || underfoot) state->turning = 0;

    if (state->approaching > 0 || state->turning > 0) out->turn = turn_towards(creature, bearing);
    double speed = 0;
    double later = 0;
    if (state->approaching > 0)
    {
        speed = forward_speed(creature, state, distance, bearing, sine, leaving);
        const double gone = (sft_v3d_dot(state->body.velocity, out->ahead) - leaving) * creature->def.swing.time;
        const double then = distance - sft_maxd(gone, 0);
        if (then > stop || leaving > 0) later = forward_speed(creature, state, then, bearing, sine, leaving);
    }
    else if (state->backing > 0)
        later = speed = -sft_mind(motion->back_speed, motion->max_speed);
    out->velocity = sft_v3d_scale(speed, out->ahead);
    out->later = sft_v3d_scale(later, out->ahead);
    out->steered = true;
}

void sft_creature_want(const sft_creature* creature, const sft_creature_input* input, sft_creature_state* state,
                       sft_creature_wish* out)
{
    const sft_quatd half = sft_creature_upright(state);
    const sft_v3d ahead = sft_creature_headed(creature->def.forward, 2 * half.y * half.w, 1 - 2 * half.y * half.y);
    *out = (sft_creature_wish){.ahead = ahead};
    if (input->kind == SFT_CREATURE_GO_TO)
    {
        want_point(creature, input->goal, state, out);
        return;
    }
    state->approaching = state->backing = state->turning = state->goal_known = 0;
    if (input->kind == SFT_CREATURE_DRIVE)
    {
        out->velocity = input->velocity;
        out->velocity.y = 0;
        out->later = out->velocity;
        out->turn = input->turn;
    }
}
