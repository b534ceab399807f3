// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// Whose turn it is. A foot asks for a step where it is farther from its home than its threshold, in distance or in
// angle, or where its leg is all but stretched. One group at a time may lift: of those that come after the last one, in
// cyclic order, the first with a foot to lift and a place to put it. A foot lifts once a turn at most, some later than
// others of the group; when all are down the turn is over, and the others come first.
//
// A group whose turn comes last waits while all others swing. Where it would be past its threshold by then, the first
// group need not wait for its own: without this, feet that start from home all ask at once, and one half has to wait
// stretched, or holds the body.

#include "creature/creature.h"

// Nearer home than this part of the thresholds, no foot lifts to make room for others.
#define EARLY_PART 0.25
// Part of the way from home to the nearest reach at which a foot asks for a step, as stretched ones do.
#define SQUEEZED 0.7
// Speeds up to this part of what a gait is chosen for keep it chosen: hysteresis on the way down.
#define KEEP_PART 0.9

sft_v3d sft_creature_led_home(const sft_creature* creature, const sft_creature_body* body, int32_t leg)
{
    const sft_creature_view view = sft_creature_view_of(creature, body);
    return sft_creature_led(&view, creature->def.legs[leg].home);
}

sft_v3d sft_creature_foot_error(const sft_creature* creature, const sft_creature_body* body, int32_t leg,
                                const sft_creature_foot* foot)
{
    const sft_creature_view view = sft_creature_view_of(creature, body);
    sft_v3d error =
        sft_v3d_sub(sft_creature_seen(&view, foot->position), sft_creature_led(&view, creature->def.legs[leg].home));
    error.y = 0;
    return error;
}

// What a foot is off its home, in parts of its thresholds: above 1 it asks.
typedef struct need
{
    double now;
    double rate;     // [1/s] at which that grows at most
    bool may;        // stands, and has not lifted in this turn
    sft_v3d arm;     // creature space: from the hip to the foot [m]
    sft_v3d leaving; // [m/s] at which the foot is left behind
    double most2;    // [m^2] of the arm, at which it asks
} need;

// True where a foot will be left behind so far by then that its leg is all but stretched.
static bool stretched_at(const need* n, double time)
{
    const sft_v3d arm = sft_v3d_madd(n->arm, time, n->leaving);
    return sft_v3d_dot(arm, arm) > n->most2;
}

double sft_creature_angle_part(const sft_creature* creature, const sft_xformd* place, int32_t leg,
                               const sft_creature_foot* foot)
{
    // What turned the foot from its home, seen from the body; tangent of half its turn about up.
    const sft_quatd t = sft_quatd_mul(foot->rotation, sft_quatd_conjugate(creature->limbs[leg].home_rotation));
    const sft_quatd r = place->r;
    const double seen_y = r.w * t.y + r.x * t.z - r.y * t.w - r.z * t.x;
    const double seen_w = r.w * t.w + r.x * t.x + r.y * t.y + r.z * t.z;
    const double w = creature->limbs[leg].tan_half * fabs(seen_w);
    return w > 1e-12 ? fabs(seen_y) / w : 1e12;
}

static need need_of(const sft_creature* creature, const sft_creature_state* state, const sft_creature_view* view,
                    int32_t leg, const sft_creature_foot* foot)
{
    const sft_creature_leg* def = &creature->def.legs[leg];
    const sft_creature_limb* limb = &creature->limbs[leg];
    const sft_xformd* place = &state->body.place;
    need out = {.may = !foot->swinging && !foot->stepped, .most2 = SFT_HUGE};
    if (!out.may) return out;
    if (!foot->standing)
    {
        out.now = 2;
        return out;
    }
    const sft_v3d p = sft_creature_seen(view, foot->position);
    const sft_v3d home = sft_creature_led(view, def->home);
    const double x = p.x - home.x, z = p.z - home.z;
    out.now = sft_maxd(sqrt(x * x + z * z) / def->step_distance, sft_creature_angle_part(creature, place, leg, foot));
    out.arm = sft_v3d_sub(p, limb->hip);
    out.most2 = limb->stretched * limb->stretched;
    const double least = limb->home_reach - SQUEEZED * (limb->home_reach - def->reach_min);
    const bool squeezed = sft_v3d_dot(out.arm, out.arm) < least * least;
    if (out.now >= EARLY_PART && (squeezed || stretched_at(&out, 0))) out.now = sft_maxd(out.now, 1 + 1e-9);
    if (state->body.stood > 0) return out;
    out.leaving.x = -view->pace.x - state->body.turn * p.z;
    out.leaving.z = -view->pace.z + state->body.turn * p.x;
    const sft_v3d arm = sft_v3d_scale(creature->def.scale, sft_quatd_rotate(place->r, def->home));
    out.rate =
        sft_creature_arm_speed(arm, state->body.pace, state->body.turn) / (def->step_distance * creature->def.scale);
    out.rate = sft_maxd(out.rate, fabs(state->body.turn) / def->step_angle);
    return out;
}

static bool group_in_air(const sft_creature* creature, sft_creature_state* state)
{
    const sft_creature_foot* feet = sft_creature_feet(state);
    for (int32_t l = 0; l < creature->def.leg_count; ++l)
        if (feet[l].swinging) return true;
    return false;
}

// Of the allowed gaits the one of most turns that the wanted speed leaves room in.
static sft_gait choose_gait(const sft_creature* creature, const sft_creature_state* state)
{
    int32_t best = -1, fastest = -1;
    for (int32_t g = 0; g < SFT_GAIT_COUNT; ++g)
    {
        const int32_t turns = creature->turns[g];
        if (turns == 0) continue;
        if (fastest < 0 || turns < creature->turns[fastest]) fastest = g;
        const bool slower = turns > creature->turns[state->body.gait];
        const double room = creature->def.gait_speed[g] * creature->reach_part[g] * (slower ? KEEP_PART : 1);
        if (state->wanted * turns > room) continue;
        const bool better = best < 0 || turns > creature->turns[best] ||
                            (turns == creature->turns[best] && g == (int32_t)state->body.gait);
        if (better) best = g;
    }
    return (sft_gait)(best < 0 ? fastest : best);
}

// Whether a foot lifts with its group: it asks, or it would before its next turn is over.
static bool willing(const need* n, double cycle)
{
    return n->may && (n->now > 1 || (n->now >= EARLY_PART && (n->now + cycle * n->rate > 1 || stretched_at(n, cycle))));
}

static void begin_turn(const sft_creature* creature, const sft_creature_input* input, const need* needs, bool settle,
                       sft_creature_state* state)
{
    const sft_gait gait = state->body.gait;
    const int32_t turns = creature->turns[gait];
    const double cycle = turns * creature->def.swing.time;
    for (int32_t k = 1; k <= turns; ++k)
    {
        const int32_t group = (state->body.last_group + k) % turns;
        bool any = false;
        for (int32_t l = 0; l < creature->def.leg_count; ++l)
        {
            if (creature->def.legs[l].group[gait] != group) continue;
            const bool lifts =
                settle ? needs[l].may && needs[l].now > creature->def.swing.settle_part : willing(&needs[l], cycle);
            if (lifts) any |= sft_creature_lift(creature, input->ground, l, settle, state);
        }
        if (!any) continue;
        state->body.group = group;
        return;
    }
}

// True where some foot asks, or one of a later turn would be past its threshold when it comes.
static bool is_urgent(const sft_creature* creature, const sft_creature_state* state, const need* needs)
{
    const sft_gait gait = state->body.gait;
    const int32_t turns = creature->turns[gait];
    for (int32_t l = 0; l < creature->def.leg_count; ++l)
    {
        const int32_t group = creature->def.legs[l].group[gait];
        const int32_t before = (group - state->body.last_group - 1 + 2 * turns) % turns;
        if (!needs[l].may) continue;
        const double time = before * creature->def.swing.time;
        if (needs[l].now + time * needs[l].rate > 1) return true;
        if (needs[l].now >= EARLY_PART && stretched_at(&needs[l], time)) return true;
    }
    return false;
}

static bool wants_settling(const sft_creature* creature, const sft_creature_state* state, const need* needs)
{
    const sft_creature_swing* swing = &creature->def.swing;
    if (!(swing->settle_time > 0) || state->body.stood < swing->settle_time) return false;
    for (int32_t l = 0; l < creature->def.leg_count; ++l)
        if (needs[l].may && needs[l].now > swing->settle_part) return true;
    return false;
}

void sft_creature_run_gait(const sft_creature* creature, const sft_creature_input* input, sft_creature_state* state)
{
    sft_creature_foot* feet = sft_creature_feet(state);
    sft_creature_body* body = &state->body;
    const int32_t count = creature->def.leg_count;
    const sft_creature_view view = sft_creature_view_of(creature, body);
    if (body->group >= 0 && group_in_air(creature, state))
    {
        for (int32_t l = 0; l < count; ++l)
            if (creature->def.legs[l].group[body->gait] == body->group && !feet[l].stepped &&
                need_of(creature, state, &view, l, &feet[l]).now > 1)
                sft_creature_lift(creature, input->ground, l, false, state);
        return;
    }
    if (body->group >= 0)
    {
        body->last_group = body->group;
        body->group = -1;
        for (int32_t l = 0; l < count; ++l)
            feet[l].stepped = false;
    }
    const sft_gait gait = choose_gait(creature, state);
    if (gait != body->gait)
    {
        body->gait = gait;
        body->last_group = creature->turns[gait] - 1;
    }
    need needs[SFT_MAX_LEGS];
    for (int32_t l = 0; l < count; ++l)
        needs[l] = need_of(creature, state, &view, l, &feet[l]);
    if (is_urgent(creature, state, needs))
        begin_turn(creature, input, needs, false, state);
    else if (wants_settling(creature, state, needs))
        begin_turn(creature, input, needs, true, state);
}
