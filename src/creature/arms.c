// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// Arms hang, however the rest pose holds them (mostly straight out, for skinning), and swing against the legs: each is
// ahead while the leg of its side is behind. The upper arm is turned least from where it is to where it hangs, the
// forearm least to its line, so palms that face down in a T pose face the thighs. Then both swing about the axis across
// the body. Arms carry nothing that stands, so no foot feels them.

#include "creature/creature.h"

// Part of the swing that the elbow bends more when the arm is all the way ahead.
#define ELBOW_PART 0.5

static bool is_above(const sft_creature* creature, int32_t above, int32_t joint)
{
    while (joint > above)
        joint = creature->skeleton->parents[joint];
    return joint == above;
}

// Where the upper arm hangs: straight down, or by `most` from there towards where it is at rest.
static sft_v3d hang_from(sft_v3d rest, double side, double most)
{
    double aside = sqrt(rest.x * rest.x + rest.z * rest.z), angle = sft_atan2(aside, -rest.y);
    if (angle <= most) return rest;
    sft_v3d out = aside > 1e-6 ? sft_v3d_make(rest.x / aside, 0, rest.z / aside) : sft_v3d_make(side, 0, 0);
    return sft_v3d_madd(sft_v3d_make(0, -sft_cos(most), 0), sft_sin(most), out);
}

// About left: what hangs goes ahead.
static sft_quatd ahead(double angle)
{
    double s = -sft_creature_half_sine(angle);
    return (sft_quatd){s, 0, 0, sft_creature_half_cosine(s)};
}

sft_result sft_creature_prepare_arm(sft_creature* creature, int32_t index, sft_error* error)
{
    const sft_creature_arm* arm = &creature->def.arms[index];
    sft_creature_sleeve* sleeve = &creature->sleeves[index];
    const char* name = creature->skeleton->names[arm->joints[0]];
    sleeve->upper = sft_creature_make_turned(creature, arm->joints[0], sft_quatd_identity());
    sleeve->lower = sft_creature_make_turned(creature, arm->joints[1], sft_quatd_identity());
    sleeve->side = arm->side == SFT_LEG_LEFT ? 1 : arm->side == SFT_LEG_RIGHT ? -1 : 0;
    for (int32_t l = 0; l < creature->def.leg_count; ++l)
        if (is_above(creature, arm->joints[0], creature->def.legs[l].joints[0]) ||
            is_above(creature, creature->def.legs[l].joints[0], arm->joints[0]))
            return sft_core_fail(error, SFT_ERR_DEF, 0, 0, name, "creature: arm %d must not carry a leg, nor be one",
                                 (int)index);
    sft_quatd to_facing = sft_quatd_conjugate(creature->facing);
    sft_v3d hand = sft_quatd_rotate(to_facing, creature->rest[arm->joints[2]].t);
    sft_v3d down = {0, -1, 0};
    sft_v3d upper = sft_v3d_normalize_or(sft_v3d_sub(sleeve->lower.at, sleeve->upper.at), down);
    sft_v3d lower = sft_v3d_normalize_or(sft_v3d_sub(hand, sleeve->lower.at), upper);
    sft_v3d hang = hang_from(upper, sleeve->side, arm->hang);
    sleeve->hang = sft_quatd_between(upper, hang);
    sleeve->straight = sft_quatd_mul(sft_quatd_between(sft_quatd_rotate(sleeve->hang, lower), hang), sleeve->hang);
    return SFT_OK;
}

void sft_creature_swing_arms(const sft_creature* creature, const sft_creature_trunk* trunk, sft_creature_state* state)
{
    const sft_creature_def* def = &creature->def;
    sft_quatd* local_r = sft_creature_local_r(creature, state);
    for (int32_t i = 0; i < def->arm_count; ++i)
    {
        const sft_creature_sleeve* sleeve = &creature->sleeves[i];
        double swing = -sleeve->side * trunk->stride * def->arms[i].swing;
        double most = state->body.bob_weight * def->arms[i].swing;
        double bend = def->arms[i].bend + ELBOW_PART * 0.5 * (most + swing);
        sft_quatd upper = sft_quatd_mul(ahead(swing), sleeve->hang);
        sft_quatd lower = sft_quatd_mul(ahead(swing + bend), sleeve->straight);
        lower = sft_quatd_mul(sft_quatd_conjugate(upper), lower);
        local_r[sleeve->upper.joint] = sft_creature_about(&sleeve->upper.axes, upper);
        local_r[sleeve->lower.joint] = sft_creature_about(&sleeve->lower.axes, lower);
    }
}
