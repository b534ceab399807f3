// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// The fixed step, and clocks of any other rate over it.

#include "creature/creature.h"

// What two ways of adding up the same time differ by [s].
#define CLOCK_SLACK 1e-9

static sft_result check(const sft_creature* creature, const sft_creature_input* input, const sft_creature_state* state)
{
    if (creature == NULL || input == NULL || state == NULL) return SFT_ERR_ARG;
    if (state->magic != SFT_CREATURE_MAGIC || state->creature != creature->hash) return SFT_ERR_ARG;
    if ((int)input->kind < SFT_CREATURE_STAND || (int)input->kind > SFT_CREATURE_DRIVE) return SFT_ERR_ARG;
    if (!sft_v3d_in_range(input->push)) return SFT_ERR_RANGE;
    if (input->kind == SFT_CREATURE_GO_TO && !sft_v3d_in_range(input->goal)) return SFT_ERR_RANGE;
    if (input->kind == SFT_CREATURE_DRIVE && (!sft_v3d_in_range(input->velocity) || !(fabs(input->turn) <= SFT_HUGE)))
        return SFT_ERR_RANGE;
    if (input->look != NULL && !sft_v3d_in_range(*input->look)) return SFT_ERR_RANGE;
    return SFT_OK;
}

sft_result sft_creature_step(const sft_creature* creature, const sft_creature_input* input, sft_creature_state* state)
{
    const sft_result result = check(creature, input, state);
    if (result != SFT_OK) return result;
    sft_creature_move_body(creature, input, state);
    sft_creature_swing_feet(creature, input->ground, state);
    sft_creature_run_gait(creature, input, state);
    sft_creature_make_pose(creature, input, state);
    ++state->body.step;
    return SFT_OK;
}

sft_result sft_creature_update(const sft_creature* creature, double dt, int32_t max_steps, sft_creature_sample* sample,
                               void* user, sft_creature_state* state, int32_t* taken)
{
    if (creature == NULL || sample == NULL || state == NULL || max_steps < 0) return SFT_ERR_ARG;
    if (state->magic != SFT_CREATURE_MAGIC || state->creature != creature->hash) return SFT_ERR_ARG;
    if (!(dt >= 0 && dt <= SFT_HUGE)) return SFT_ERR_RANGE;
    state->clock += dt;
    int32_t steps = 0;
    sft_result result = SFT_OK;
    while (steps < max_steps && state->clock >= SFT_CREATURE_DT - CLOCK_SLACK)
    {
        sft_creature_input input = {.kind = SFT_CREATURE_STAND};
        sample(user, (double)state->body.step / SFT_CREATURE_RATE, &input);
        result = sft_creature_step(creature, &input, state);
        if (result != SFT_OK) break;
        state->clock -= SFT_CREATURE_DT;
        ++steps;
    }
    // Whole steps that are left over are dropped: a clock that fell behind does not race after.
    if (state->clock >= SFT_CREATURE_DT - CLOCK_SLACK) state->clock = 0;
    if (taken != NULL) *taken = steps;
    return result;
}

sft_result sft_creature_step_many(const sft_creature* creature, int32_t count, const sft_creature_input* inputs,
                                  void* states, size_t stride)
{
    if (creature == NULL || count < 0 || (count > 0 && (inputs == NULL || states == NULL))) return SFT_ERR_ARG;
    if (count > 1 && (stride < creature->state_size || stride % sizeof(double) != 0)) return SFT_ERR_ARG;
    sft_result first = SFT_OK;
    for (int32_t i = 0; i < count; ++i)
    {
        sft_creature_state* state = (sft_creature_state*)(void*)((char*)states + (size_t)i * stride);
        const sft_result result = sft_creature_step(creature, &inputs[i], state);
        if (first == SFT_OK) first = result;
    }
    return first;
}
