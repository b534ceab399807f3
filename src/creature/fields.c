// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

#include "creature/fields.h"

#define PI 3.14159265358979323846
#define FIELD(type, key, member, unit, min, max)                                                                       \
    {                                                                                                                  \
        key, offsetof(type, member), SFT_CREATURE_##unit, min, max                                                     \
    }
// Lengths and speeds beyond this are slips of the pen; numbers that must not be zero begin at SMALL.
#define LARGE 1e6
#define SMALL 1e-9

#define M(key, unit, min, max) FIELD(sft_creature_motion, #key, key, unit, min, max)
#define MD(key, min, max) FIELD(sft_creature_motion, #key "_degrees", key, DEGREES, min, max)
static const sft_creature_field motion_numbers[] = {
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
const sft_creature_table* sft_creature_motion_table(void)
{
    static const sft_creature_table table = {motion_numbers, SFT_COUNT_OF(motion_numbers)};
    return &table;
}

#define S(key, unit, min, max) FIELD(sft_creature_swing, #key, key, unit, min, max)
static const sft_creature_field swing_numbers[] = {
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
const sft_creature_table* sft_creature_swing_table(void)
{
    static const sft_creature_table table = {swing_numbers, SFT_COUNT_OF(swing_numbers)};
    return &table;
}

static const sft_creature_field bob_numbers[] = {
    FIELD(sft_creature_bob, "amplitude", amplitude, VECTOR, -LARGE, LARGE),
    FIELD(sft_creature_bob, "turn_degrees", turn, VECTOR_DEGREES, -90, 90),
    FIELD(sft_creature_bob, "cycle", cycle, PLAIN, 0, 100),
    FIELD(sft_creature_bob, "weight_time", weight_time, PLAIN, 0, 60),
};
const sft_creature_table* sft_creature_bob_table(void)
{
    static const sft_creature_table table = {bob_numbers, SFT_COUNT_OF(bob_numbers)};
    return &table;
}

#define L(key, unit, min, max) FIELD(sft_creature_leg, #key, key, unit, min, max)
static const sft_creature_field leg_numbers[] = {
    L(home, VECTOR, -LARGE, LARGE),
    L(bend, VECTOR, -LARGE, LARGE),
    L(ankle_offset, PLAIN, 0, LARGE),
    L(step_distance, PLAIN, SMALL, LARGE),
    FIELD(sft_creature_leg, "step_angle_degrees", step_angle, DEGREES, 0.06, 180),
    L(reach_min, PLAIN, SMALL, LARGE),
    L(reach_max, PLAIN, SMALL, LARGE),
};
const sft_creature_table* sft_creature_leg_table(void)
{
    static const sft_creature_table table = {leg_numbers, SFT_COUNT_OF(leg_numbers)};
    return &table;
}

static const sft_creature_field link_numbers[] = {
    FIELD(sft_creature_link, "share", share, PLAIN, 0, 1),
    FIELD(sft_creature_link, "max_yaw_degrees", max_yaw, DEGREES, 0, 180),
    FIELD(sft_creature_link, "max_pitch_degrees", max_pitch, DEGREES, 0, 180),
};
const sft_creature_table* sft_creature_link_table(void)
{
    static const sft_creature_table table = {link_numbers, SFT_COUNT_OF(link_numbers)};
    return &table;
}

static const sft_creature_field eye_numbers[] = {
    FIELD(sft_creature_eye, "forward", forward, VECTOR, -1, 1),
    FIELD(sft_creature_eye, "max_in_degrees", max_in, DEGREES, 0, 90),
    FIELD(sft_creature_eye, "max_out_degrees", max_out, DEGREES, 0, 90),
    FIELD(sft_creature_eye, "max_pitch_degrees", max_pitch, DEGREES, 0, 90),
};
const sft_creature_table* sft_creature_eye_table(void)
{
    static const sft_creature_table table = {eye_numbers, SFT_COUNT_OF(eye_numbers)};
    return &table;
}

static const sft_creature_field arm_numbers[] = {
    FIELD(sft_creature_arm, "hang_degrees", hang, DEGREES, 0, 180),
    FIELD(sft_creature_arm, "swing_degrees", swing, DEGREES, 0, 180),
    FIELD(sft_creature_arm, "bend_degrees", bend, DEGREES, 0, 180),
};
const sft_creature_table* sft_creature_arm_table(void)
{
    static const sft_creature_table table = {arm_numbers, SFT_COUNT_OF(arm_numbers)};
    return &table;
}

static const sft_creature_field aim_numbers[] = {
    FIELD(sft_creature_def, "hips_counter", hips_counter, PLAIN, 0, 1),
    FIELD(sft_creature_def, "time", aim_time, PLAIN, 0, 60),
    FIELD(sft_creature_def, "range_degrees", aim_range, DEGREES, SMALL, 180),
};
const sft_creature_table* sft_creature_aim_table(void)
{
    static const sft_creature_table table = {aim_numbers, SFT_COUNT_OF(aim_numbers)};
    return &table;
}

static const sft_creature_field tail_numbers[] = {
    FIELD(sft_creature_def, "gain", tail_gain, PLAIN, -100, 100),
    FIELD(sft_creature_def, "max_degrees", tail_max, DEGREES, 0, 360),
    FIELD(sft_creature_def, "time", tail_time, PLAIN, 0, 60),
};
const sft_creature_table* sft_creature_tail_table(void)
{
    static const sft_creature_table table = {tail_numbers, SFT_COUNT_OF(tail_numbers)};
    return &table;
}

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
