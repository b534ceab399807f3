// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

#include "creature/creature.h"

#define DEGREES(d) ((d) * (3.14159265358979323846 / 180.0))

sft_creature_def sft_default_creature_def(void)
{
    sft_creature_def def = {.forward = {0, 0, 1}, .scale = 1, .cookie = SFT_CREATURE_COOKIE};
    for (int32_t g = 0; g < SFT_GAIT_COUNT; ++g)
        def.gait_speed[g] = 0.9;
    def.motion = (sft_creature_motion){.max_speed = 0.5,
                                       .back_speed = 0.1,
                                       .acceleration = 1.5,
                                       .max_turn_speed = DEGREES(100),
                                       .turn_acceleration = DEGREES(400),
                                       .stop_distance = 0.3,
                                       .approach_distance = 0.4,
                                       .back_distance = 0.15,
                                       .turn_first_angle = DEGREES(80),
                                       .slow_turn = 0.4,
                                       .look_ahead = 0.3,
                                       .body_radius = 0.08,
                                       .body_height = 0.12,
                                       .level_time = 0.25,
                                       .max_tilt = DEGREES(40)};
    def.swing = (sft_creature_swing){.time = 0.18,
                                     .overshoot = 0.5,
                                     .lead = 0.8,
                                     .lift = 0.5,
                                     .max_slope = DEGREES(40),
                                     .probe_above = 0.15,
                                     .probe_below = 0.25,
                                     .settle_time = 0.3,
                                     .settle_part = 0.25};
    def.bob = (sft_creature_bob){
        .amplitude = {0.004, 0.005, 0}, .turn = {0, DEGREES(2), DEGREES(2)}, .cycle = 1, .weight_time = 0.3};
    def.hips_counter = 0.2;
    def.aim_time = 0.15;
    def.aim_range = DEGREES(150);
    def.tail_gain = 0.5;
    def.tail_max = DEGREES(70);
    def.tail_time = 0.15;
    return def;
}
