// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// The tail bends against the turn, by how fast the body really turns: it stays behind, and so follows the circle that
// the body walks. Followed, then spread evenly over its joints. No mass, no rope (article 004).

#include "creature/creature.h"

void sft_creature_bend_tail(const sft_creature* creature, sft_creature_state* state)
{
    const sft_creature_def* def = &creature->def;
    if (def->tail_count == 0) return;
    sft_creature_body* body = &state->body;
    double wanted = sft_creature_soften(-def->tail_gain * body->turn, def->tail_max);
    sft_creature_follow(&creature->tail_spring, wanted, &body->tail_bend, &state->tail_speed);
    sft_quatd turn = sft_creature_yaw(body->tail_bend / def->tail_count);
    sft_quatd* local_r = sft_creature_local_r(creature, state);
    for (int32_t i = 0; i < def->tail_count; ++i)
    {
        const sft_creature_turned* t = &creature->tail[i];
        local_r[t->joint] = sft_quatd_mul(sft_quatd_mul(t->before, turn), t->after);
    }
}
