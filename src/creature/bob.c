// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// The body's bob: waves over the cycle of the gait as it really goes, weighed by motion. Nothing here drives a foot.
//
// The phase is that of the turns: turn g of n, its swing at time u, is at (g + u) / n of the cycle. A turn waits until
// a foot needs it, so the phase is followed, never counted by a clock; it waits with the feet and never runs backwards.
// A follower is late by its own time, here half a swing's, a quarter of the cycle of two turns: so while a foot swings,
// what is followed is where the swing will be so much later.
//
// Waves, with the foot that lifts first on the left: that foot swings in the first half of the cycle. The body leans
// off it, its side drops and goes forward, and the body is highest when a foot is halfway (an inverted pendulum).

#include "creature/creature.h"

// Part of the speed that legs can serve at which the bob has its full weight.
#define FULL 0.3
// [s] that reach.c is told the bob ahead of its time.
#define SOON 0.05

static double wrap_half(double x)
{
    return x - floor(x + 0.5);
}

// Where the gait is in its cycle [0, 1).
static double find_phase(const sft_creature* creature, const sft_creature_foot* feet, const sft_creature_body* body)
{
    int32_t turns = creature->turns[body->gait];
    if (turns < 1) return 0;
    double time = 0;
    bool swings = false;
    for (int32_t l = 0; l < creature->def.leg_count; ++l)
    {
        if (!feet[l].swinging) continue;
        swings = true;
        time = sft_maxd(time, feet[l].time);
    }
    // Nobody's turn: the one before has ended.
    int32_t group = body->group >= 0 ? body->group : body->last_group;
    if (group < 0) return 0;
    if (body->group < 0 && !swings) time = 1;
    double phase = (group + time + (swings ? SFT_CREATURE_PHASE_LAG : 0)) / turns;
    return phase - floor(phase);
}

// Bob and turn at a phase; answers its cosine.
static double make_wave(const sft_creature_def* def, double phase, double weight, double side, sft_v3d* bob,
                        sft_v3d* turn)
{
    // Sine and cosine of a whole from those of its half, which is within a quarter turn.
    double h = sft_creature_half_sine(2 * SFT_PI * wrap_half(phase));
    double s = 2 * h * sft_creature_half_cosine(h), c = 1 - 2 * h * h, s2 = 2 * s * c, c2 = 1 - 2 * s * s;
    *bob = (sft_v3d){-side * s * def->bob.amplitude.x, -weight * c2 * def->bob.amplitude.y,
                     weight * s2 * def->bob.amplitude.z};
    *turn = (sft_v3d){weight * s2 * def->bob.turn.x, side * c * def->bob.turn.y, -side * s * def->bob.turn.z};
    return c;
}

void sft_creature_follow_bob(const sft_creature* creature, sft_creature_state* state, sft_creature_trunk* trunk)
{
    const sft_creature_def* def = &creature->def;
    sft_creature_body* body = &state->body;
    double serves = sft_mind(def->motion.max_speed, creature->safe_speed[body->gait]);
    double speed = sft_v3d_length(body->velocity) / sft_maxd(FULL * serves, 1e-9);
    double turning = fabs(body->turn) / (FULL * def->motion.max_turn_speed);
    sft_creature_follow(&creature->weight_spring, sft_mind(speed + turning, 1), &body->bob_weight,
                        &state->bob_weight_speed);

    double before = state->gait_phase;
    double wanted = find_phase(creature, sft_creature_feet(state), body), after = before;
    wanted = before + sft_maxd(wrap_half(wanted - before), 0);
    sft_creature_follow(&creature->phase_spring, wanted, &after, &state->gait_phase_speed);
    double step = sft_maxd(after - before, 0);
    state->gait_phase = before + step - floor(before + step);
    body->bob_phase += step / sft_maxd(def->bob.cycle, 1e-3);
    body->bob_phase -= floor(body->bob_phase);

    double side = creature->sway[body->gait] * body->bob_weight;
    double soon = body->bob_phase + SOON * SFT_CREATURE_RATE * step / sft_maxd(def->bob.cycle, 1e-3);
    make_wave(def, soon, body->bob_weight, side, &trunk->soon, &trunk->soon_turn);
    trunk->stride = -side * make_wave(def, body->bob_phase, body->bob_weight, side, &trunk->bob, &trunk->bob_turn);
}
