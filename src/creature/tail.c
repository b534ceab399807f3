// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// The tail bends against the turn, by how fast the hips it hangs from really turn: it stays behind, and so follows the
// circle that the body walks, and waves with their bob. Followed, then spread evenly over its joints, each a little
// later than the one before it, so that bends run out to the tip. No mass, no rope (article 004).

#include "creature/creature.h"

void sft_creature_bend_tail(const sft_creature* creature, const sft_creature_trunk* trunk, sft_creature_state* state)
{
    const sft_creature_def* def = &creature->def;
    if (def->tail_count == 0) return;
    sft_creature_body* body = &state->body;
    sft_quatd hips = trunk->turn[0];
    double yaw = 2 * hips.y / sft_maxd(hips.w, 0.5); // away from the place's heading: little, so tangents do
    double turning = body->turn + (yaw - state->hips_yaw) * SFT_CREATURE_RATE;
    state->hips_yaw = yaw;
    double wanted = sft_creature_soften(-def->tail_gain * turning, def->tail_max);
    sft_creature_follow(&creature->tail_spring, wanted, &body->tail_bend, &state->tail_speed);
    sft_quatd* local_r = sft_creature_local_r(creature, state);
    double part = body->tail_bend / def->tail_count;
    for (int32_t i = 0; i < def->tail_count; ++i)
    {
        // What is left of a way is gone before numbers are too small for the machine's full speed.
        double left = part - state->tail_part[i];
        state->tail_part[i] = fabs(left) < 1e-15 ? part : state->tail_part[i] + creature->tail_follow * left;
        part = state->tail_part[i];
        const sft_creature_turned* t = &creature->tail[i];
        double s = sft_creature_half_sine(part);
        local_r[t->joint] = sft_creature_about_one(&t->axes, &t->axes.y, s, sft_creature_half_cosine(s));
    }
}
