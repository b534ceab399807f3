// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

#include "creature/fields.h"

#define PI 3.14159265358979323846
#define FIELD(type, key, member, unit, min, max)                                                                       \
    {                                                                                                                  \
        key, offsetof(type, member), SFT_CREATURE_##unit, min, max                                                     \
    }
#define TABLE(name, fields) const sft_creature_table name = {fields, SFT_COUNT_OF(fields)}
// Lengths and speeds beyond this are slips of the pen; numbers that must not be zero begin at SMALL.
#define LARGE 1e6
#define SMALL 1e-9

#define M(key, unit, min, max) FIELD(sft_creature_motion, #key, key, unit, min, max)
#define MD(key, min, max) FIELD(sft_creature_motion, #key "_degrees", key, DEGREES, min, max)
static const sft_creature_field motion[] = {
    M(max_speed, PLAIN, SMALL, LARGE),
    M(back_speed, PLAIN, 0, LARGE),
    M(acceleration, PLAIN, SMALL, LARGE),
    MD(max_turn_speed, SMALL, 1e5),
    MD(turn_acceleration, SMALL, 1e6),
    M(stop_distance, PLAIN, 0, LARGE),
    M(approach_distance, PLAIN, 0, LARGE),
    M(back_distance, PLAIN, 0, LARGE),
    MD(turn_first_angle, SMALL, 180),
    M(slow_turn, PLAIN, 0, 1),
    M(look_ahead, PLAIN, 0, 60),
    M(body_radius, PLAIN, 0, LARGE),
    M(body_height, PLAIN, -LARGE, LARGE),
    M(level_time, PLAIN, 0, 60),
    MD(max_tilt, 0, 89),
};
TABLE(sft_creature_motion_table, motion);

#define S(key, unit, min, max) FIELD(sft_creature_swing, #key, key, unit, min, max)
static const sft_creature_field swing[] = {
    S(time, PLAIN, 1.0 / SFT_CREATURE_RATE, 60),
    S(overshoot, PLAIN, 0, 1),
    S(lead, PLAIN, 0, 2),
    S(lift, PLAIN, 0, 10),
    S(clearance, PLAIN, 0, LARGE),
    FIELD(sft_creature_swing, "max_slope_degrees", max_slope, DEGREES, 0, 89),
    S(probe_above, PLAIN, 0, LARGE),
    S(probe_below, PLAIN, 0, LARGE),
    S(settle_time, PLAIN, 0, LARGE),
    S(settle_part, PLAIN, 0, 1),
};
TABLE(sft_creature_swing_table, swing);

static const sft_creature_field bob[] = {
    FIELD(sft_creature_bob, "amplitude", amplitude, VECTOR, -LARGE, LARGE),
    FIELD(sft_creature_bob, "turn_degrees", turn, VECTOR_DEGREES, -90, 90),
    FIELD(sft_creature_bob, "cycle", cycle, PLAIN, 0, 100),
    FIELD(sft_creature_bob, "weight_time", weight_time, PLAIN, 0, 60),
};
TABLE(sft_creature_bob_table, bob);

#define L(key, unit, min, max) FIELD(sft_creature_leg, #key, key, unit, min, max)
static const sft_creature_field leg[] = {
    L(home, VECTOR, -LARGE, LARGE),
    L(bend, VECTOR, -LARGE, LARGE),
    L(ankle_offset, PLAIN, 0, LARGE),
    L(step_distance, PLAIN, SMALL, LARGE),
    FIELD(sft_creature_leg, "step_angle_degrees", step_angle, DEGREES, 0.06, 180),
    L(reach_min, PLAIN, SMALL, LARGE),
    L(reach_max, PLAIN, SMALL, LARGE),
};
TABLE(sft_creature_leg_table, leg);

static const sft_creature_field link[] = {
    FIELD(sft_creature_link, "share", share, PLAIN, 0, 1),
    FIELD(sft_creature_link, "max_yaw_degrees", max_yaw, DEGREES, 0, 180),
    FIELD(sft_creature_link, "max_pitch_degrees", max_pitch, DEGREES, 0, 180),
};
TABLE(sft_creature_link_table, link);

static const sft_creature_field eye[] = {
    FIELD(sft_creature_eye, "forward", forward, VECTOR, -1, 1),
    FIELD(sft_creature_eye, "max_in_degrees", max_in, DEGREES, 0, 90),
    FIELD(sft_creature_eye, "max_out_degrees", max_out, DEGREES, 0, 90),
    FIELD(sft_creature_eye, "max_pitch_degrees", max_pitch, DEGREES, 0, 90),
};
TABLE(sft_creature_eye_table, eye);

static const sft_creature_field arm[] = {
    FIELD(sft_creature_arm, "hang_degrees", hang, DEGREES, 0, 180),
    FIELD(sft_creature_arm, "swing_degrees", swing, DEGREES, 0, 180),
    FIELD(sft_creature_arm, "bend_degrees", bend, DEGREES, 0, 180),
};
TABLE(sft_creature_arm_table, arm);

static const sft_creature_field aim[] = {
    FIELD(sft_creature_def, "hips_counter", hips_counter, PLAIN, 0, 1),
    FIELD(sft_creature_def, "time", aim_time, PLAIN, 0, 60),
    FIELD(sft_creature_def, "range_degrees", aim_range, DEGREES, SMALL, 180),
};
TABLE(sft_creature_aim_table, aim);

static const sft_creature_field tail[] = {
    FIELD(sft_creature_def, "gain", tail_gain, PLAIN, -100, 100),
    FIELD(sft_creature_def, "max_degrees", tail_max, DEGREES, 0, 360),
    FIELD(sft_creature_def, "time", tail_time, PLAIN, 0, 60),
};
TABLE(sft_creature_tail_table, tail);

const char* const sft_creature_gait_words[SFT_GAIT_COUNT] = {"free",   "alternate", "diagonal",
                                                             "tripod", "ripple",    "wave"};
const char* const sft_creature_side_words[3] = {"left", "right", "middle"};

double sft_creature_radians(double degrees)
{
    return degrees * (PI / 180);
}

double sft_creature_degrees(double radians)
{
    const double exact = radians * (180 / PI);
    if (fabs(exact) < 1e5)
    {
        const double round = floor(exact * 1e9 + 0.5) / 1e9;
        if (sft_creature_radians(round) == radians) return round;
    }
    // The way back rounds too: of the neighbours, the one that comes home.
    const double ulp = fabs(exact) * 0x1p-53;
    for (int k = 0; k <= 4; ++k)
    {
        if (sft_creature_radians(exact + k * ulp) == radians) return exact + k * ulp;
        if (sft_creature_radians(exact - k * ulp) == radians) return exact - k * ulp;
    }
    return exact;
}
