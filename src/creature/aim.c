// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// Spine, neck and head towards what is looked at. Yaw about up and pitch about left add up along the chain, so that a
// head is never rolled by the way it turned. Each joint takes its share of what is left when its turn comes, levelling
// off towards its limit; the last one takes all, so what the spine had to give back is in what it takes.
//
// From where one looks depends on how far one has turned: the way to the target is that from where the head was a step
// ago (article 004), so nothing is solved. Followed are the angles of that way, not the joints'.

#include "creature/creature.h"

// Of a way: 1 ahead, 0 farther off the nose than the range.
static double look_weight(sft_v3d way, double range)
{
    if (way.z > 0 && 0.75 * range >= 0.5 * SFT_PI) return 1; // a quarter turn, without asking how much
    return sft_creature_fade(sft_atan2(sqrt(way.x * way.x + way.y * way.y), way.z), range);
}

void sft_creature_follow_look(const sft_creature* creature, const sft_creature_input* input, sft_creature_state* state,
                              sft_creature_trunk* trunk)
{
    const sft_creature_def* def = &creature->def;
    sft_creature_body* body = &state->body;
    double yaw = 0, pitch = 0;
    trunk->look_weight = 0;
    if (input != NULL && input->look != NULL)
    {
        trunk->look = sft_creature_to_facing(trunk, &body->place, *input->look);
        sft_v3d head = sft_creature_to_facing(trunk, &body->place, body->head);
        sft_v3d way = sft_v3d_sub(trunk->look, head);
        double flat = sqrt(way.x * way.x + way.z * way.z);
        if (flat + fabs(way.y) > SFT_LENGTH_EPS)
        {
            double w = look_weight(way, def->aim_range);
            yaw = sft_clampd(w * sft_atan2(way.x, way.z), -creature->aim_yaw, creature->aim_yaw);
            pitch = sft_clampd(w * sft_atan2(-way.y, flat), -creature->aim_pitch, creature->aim_pitch);
            trunk->look_weight = w;
        }
    }
    sft_creature_follow(&creature->aim_spring, yaw, &body->aim_yaw, &state->aim_yaw_speed);
    sft_creature_follow(&creature->aim_spring, pitch, &body->aim_pitch, &state->aim_pitch_speed);

    double yaw_left = body->aim_yaw, pitch_left = body->aim_pitch;
    for (int32_t i = 0; i < def->spine_count; ++i)
    {
        const sft_creature_link* link = &def->spine[i];
        trunk->spine_yaw[i] = sft_creature_soften(link->share * yaw_left, link->max_yaw);
        trunk->spine_pitch[i] = sft_creature_soften(link->share * pitch_left, link->max_pitch);
        yaw_left -= trunk->spine_yaw[i];
        pitch_left -= trunk->spine_pitch[i];
    }
}

void sft_creature_turn_head(const sft_creature* creature, const sft_creature_state* state, sft_creature_trunk* trunk)
{
    const sft_creature_def* def = &creature->def;
    if (def->head_count == 0) return;
    const sft_creature_body* body = &state->body;
    // The aim as seen from the body, which bobs and counter-turns.
    sft_quatd aim = sft_creature_yaw_pitch(body->aim_yaw, body->aim_pitch);
    // However it rolls, a head is held level.
    double level = -body->bob_given * trunk->bob_turn.z, s = sft_creature_half_sine(level);
    sft_v3d way = sft_quatd_unrotate(trunk->turn[0], sft_quatd_rotate(aim, sft_v3d_make(0, 0, 1)));
    way = sft_quatd_unrotate((sft_quatd){0, 0, s, sft_creature_half_cosine(s)}, way);
    double turn = (sft_atan2(way.x, way.z) - body->aim_yaw) / (2 * SFT_PI);
    double yaw = body->aim_yaw + 2 * SFT_PI * (turn - floor(turn + 0.5)); // no jump behind the back
    double pitch = sft_atan2(-way.y, sqrt(way.x * way.x + way.z * way.z));
    double roll = (level - trunk->roll[creature->trunk[1 + def->spine_count].above]) / def->head_count;
    for (int32_t k = 0; k < def->head_count; ++k)
    {
        const sft_creature_link* link = &def->head[k];
        int32_t i = 1 + def->spine_count + k, above = creature->trunk[i].above;
        double turned = sft_creature_soften(link->share * (yaw - trunk->yaw[above]), link->max_yaw);
        double bent = sft_creature_soften(link->share * (pitch - trunk->pitch[above]), link->max_pitch);
        sft_creature_turn_link(creature, i, sft_v3d_make(turned, bent, roll), trunk);
    }
}
