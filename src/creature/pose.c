// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// The pose of a step, from place and feet: what bob and look wish for, as much of it as the feet leave, head, legs,
// eyes, arms, tail. Made in facing space by turns away from the rest pose, of the joints that turn alone; what hangs
// between them rides along.

#include "creature/creature.h"

void sft_creature_turn_link(const sft_creature* creature, int32_t i, sft_v3d more, sft_creature_trunk* trunk)
{
    int32_t above = creature->trunk[i].above;
    double yaw = trunk->yaw[above] + more.x, pitch = trunk->pitch[above] + more.y, roll = trunk->roll[above] + more.z;
    // Roll outside of the bend: it takes the body's back before the joint looks where it looks.
    sft_quatd bend = sft_creature_roll_yaw_pitch(roll, yaw, pitch);
    trunk->yaw[i] = yaw;
    trunk->pitch[i] = pitch;
    trunk->roll[i] = roll;
    trunk->bend[i] = bend;
    trunk->turn[i] = sft_quatd_mul(trunk->turn[0], bend);
    trunk->at[i] = sft_creature_carried(trunk, above, creature->trunk[i].arm);
}

static void write_trunk(const sft_creature* creature, const sft_creature_trunk* trunk, sft_v3d* local_t,
                        sft_quatd* local_r)
{
    const sft_creature_turned* body = &creature->trunk[0];
    sft_v3d moved = sft_v3d_sub(trunk->at[0], body->at);
    local_t[body->joint] =
        sft_v3d_add(creature->skeleton->rest_translations[body->joint], sft_quatd_rotate(creature->body_before, moved));
    local_r[body->joint] = sft_creature_about(&body->axes, trunk->turn[0]);
    for (int32_t i = 1; i < creature->trunk_count; ++i)
    {
        const sft_creature_turned* t = &creature->trunk[i];
        sft_quatd turn = trunk->bend[i];
        if (t->above > 0) turn = sft_quatd_mul(sft_quatd_conjugate(trunk->bend[t->above]), turn);
        local_r[t->joint] = sft_creature_about(&t->axes, turn);
    }
}

void sft_creature_make_pose(const sft_creature* creature, const sft_creature_input* input, sft_creature_state* state)
{
    const sft_creature_def* def = &creature->def;
    sft_creature_body* body = &state->body;
    const sft_creature_foot* feet = sft_creature_feet(state);
    sft_ik_bend* bends = sft_creature_bends(creature, state);
    sft_v3d* local_t = sft_creature_local_t(creature, state);
    sft_quatd* local_r = sft_creature_local_r(creature, state);
    sft_v3d at[SFT_MAX_LEGS];
    sft_creature_trunk trunk;
    trunk.world = sft_quatd_mul(body->place.r, creature->facing);
    sft_quatd back = sft_quatd_conjugate(trunk.world);
    trunk.to_facing = sft_creature_make_turn3(back, creature->per_scale);
    for (int32_t l = 0; l < def->leg_count; ++l)
        at[l] = sft_creature_to_facing(&trunk, &body->place, feet[l].position);

    sft_creature_follow_bob(creature, state, &trunk);
    sft_creature_follow_look(creature, input, state, &trunk);
    sft_creature_fit_trunk(creature, at, state, &trunk);
    sft_creature_turn_head(creature, state, &trunk);
    write_trunk(creature, &trunk, local_t, local_r);
    for (int32_t l = 0; l < def->leg_count; ++l)
    {
        const sft_creature_limb* limb = &creature->limbs[l];
        sft_quatd frame = sft_quatd_mul(trunk.turn[creature->hips[l].above], limb->frame);
        sft_quatd foot = sft_quatd_mul(back, feet[l].rotation);
        sft_creature_turn_leg(limb, def->legs[l].joints, frame, trunk.arms[l], trunk.reach[l], foot, &bends[l],
                              local_r);
    }
    sft_creature_turn_eyes(creature, &trunk, state);
    sft_creature_swing_arms(creature, &trunk, state);
    sft_creature_bend_tail(creature, &trunk, state);
    sft_v3d head = sft_quatd_rotate(trunk.world, trunk.at[creature->trunk_count - 1]);
    body->head = sft_v3d_madd(body->place.t, def->scale, head);
}
