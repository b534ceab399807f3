// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// Eyes, after the head, from the real target: a head at its limit leaves them something to do. Angles are yaw about
// up and pitch about what is across where the eye looks, in the head's own space; limits differ towards the nose and
// away from it. The limited angles are followed, so an eye at its limit comes off it without lag.

#include "creature/creature.h"

// Followed and kept within limits; what is stopped by a limit has no speed.
static double follow_within(const sft_creature_spring* spring, double target, double low, double high, double* x,
                            double* speed)
{
    sft_creature_follow(spring, sft_clampd(target, low, high), x, speed);
    double kept = sft_clampd(*x, low, high);
    if (kept != *x) *speed = 0;
    *x = kept;
    return kept;
}

void sft_creature_turn_eyes(const sft_creature* creature, const sft_creature_trunk* trunk, sft_creature_state* state)
{
    const sft_creature_def* def = &creature->def;
    sft_quatd* local_r = sft_creature_local_r(creature, state);
    sft_v3d seen = {0, 0, 0}; // from the joint that carries the eye, as it turned
    for (int32_t i = 0; i < def->eye_count; ++i)
    {
        const sft_creature_turned* eye = &creature->eyes[i];
        sft_v3d limits = creature->eye_yaw[i];
        double yaw = 0, pitch = 0;
        if (trunk->look_weight > 0)
        {
            int32_t above = eye->above;
            if (above < 0)
                seen = trunk->look;
            else if (i == 0 || above != creature->eyes[i - 1].above)
                seen = sft_quatd_unrotate(trunk->turn[above], sft_v3d_sub(trunk->look, trunk->at[above]));
            sft_v3d way = sft_v3d_sub(seen, eye->arm);
            double flat = sqrt(way.x * way.x + way.z * way.z);
            if (flat + fabs(way.y) > SFT_LENGTH_EPS)
            {
                double turn = (sft_atan2(way.x, way.z) - limits.z) / (2 * SFT_PI);
                yaw = 2 * SFT_PI * (turn - floor(turn + 0.5));
                // What is behind the eye is on neither side of it: it does not flick over.
                double w = trunk->look_weight * sft_creature_fade(fabs(yaw), SFT_PI);
                yaw *= w;
                pitch = w * (sft_atan2(-way.y, flat) - creature->eye_pitch[i]);
            }
        }
        yaw =
            follow_within(&creature->eye_spring, yaw, limits.x, limits.y, &state->eye_yaw[i], &state->eye_yaw_speed[i]);
        double most = def->eyes[i].max_pitch;
        pitch =
            follow_within(&creature->eye_spring, pitch, -most, most, &state->eye_pitch[i], &state->eye_pitch_speed[i]);
        sft_quatd turn = sft_creature_yaw_pitch(yaw + limits.z, pitch);
        local_r[eye->joint] = sft_creature_about(&eye->axes, turn);
    }
}
