// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// How a foot turns while it steps, read off the joint of the pose: of 90 degrees, 5.625 are done after a quarter of the
// time and 84.375 after three quarters, whatever the body does meanwhile; a standing foot does not turn at all.

#include "support/roamers.h"

#include <math.h>

#define QUARTER 6 ///< steps of a swing of 0.2 s

static double angle_between(sft_quatd a, sft_quatd b)
{
    const sft_quatd d = sft_quatd_mul(sft_quatd_conjugate(a), b);
    return 2 * atan2(sqrt(d.x * d.x + d.y * d.y + d.z * d.z), fabs(d.w));
}

typedef struct record
{
    sft_quatd start, quarter, half, three;
    int since; ///< steps since take-off; -1: stands
} record;

static void turn_on_the_spot(roamer_kind kind, double scale)
{
    roamer made;
    make_roamer(kind, &made);
    made.def.scale = scale;
    made.def.swing.time = 4.0 * QUARTER / 120;
    sft_creature* creature = NULL;
    sft_error error = {0};
    if (sft_creature_create(&made.def, made.skeleton, NULL, &creature, &error) != SFT_OK) fail_msg("%s", error.message);
    const size_t size = sft_creature_state_size(creature);
    void* memory = malloc(size);
    sft_xformd* joints = calloc((size_t)made.skeleton->joint_count, sizeof *joints);
    assert_true(memory != NULL && joints != NULL);
    const sft_ground_plane plane = {.normal = {0, 1, 0}};
    const sft_ground ground = sft_ground_from_plane(&plane);
    sft_creature_state* state = NULL;
    const sft_xformd place = {{0, 0, 0}, sft_quatd_identity()};
    assert_int_equal(sft_creature_place(creature, place, &ground, memory, size, &state), SFT_OK);
    const sft_creature_foot* feet = sft_creature_get_feet(creature, state);
    record feet_seen[SFT_MAX_LEGS];
    for (int32_t l = 0; l < made.def.leg_count; ++l)
        feet_seen[l] = (record){.start = feet[l].rotation, .since = -1};
    int seen = 0;
    for (int k = 0; k < 1200; ++k)
    {
        // Half of the time to the left, half to the right: the body turns on while feet are in the air.
        const sft_creature_input input = {.kind = SFT_CREATURE_DRIVE, .turn = k < 600 ? 0.8 : -0.8, .ground = &ground};
        assert_int_equal(sft_creature_step(creature, &input, state), SFT_OK);
        sft_creature_get_world(creature, state, joints);
        for (int32_t l = 0; l < made.def.leg_count; ++l)
        {
            const sft_creature_leg* leg = &made.def.legs[l];
            const sft_quatd is = joints[leg->joints[leg->joint_count - 1]].r;
            record* r = &feet_seen[l];
            if (feet[l].swinging && r->since < 0) r->since = 0;
            if (r->since < 0)
            {
                // Within 1e-6 degrees; the issue asks for 0.1.
                assert_true(angle_between(r->start, is) < 2e-8);
                continue;
            }
            if (r->since == QUARTER) r->quarter = is;
            if (r->since == 2 * QUARTER) r->half = is;
            if (r->since == 3 * QUARTER) r->three = is;
            if (r->since++ < 4 * QUARTER) continue;
            const double whole = angle_between(r->start, is);
            if (whole > 0.1)
            {
                // 5.625, 45 and 84.375 of 90 degrees.
                assert_true(fabs(angle_between(r->start, r->quarter) / whole - 5.625 / 90) < 1e-6);
                assert_true(fabs(angle_between(r->start, r->half) / whole - 0.5) < 1e-6);
                assert_true(fabs(angle_between(r->start, r->three) / whole - 84.375 / 90) < 1e-6);
                ++seen;
            }
            r->start = is;
            // It may lift again in the step in which it lands.
            r->since = feet[l].swinging ? 1 : -1;
        }
    }
    assert_true(seen >= 2 * made.def.leg_count);
    free(joints);
    free(memory);
    sft_creature_destroy(creature, NULL);
    release_roamer(&made);
}

static void test_creature_turn__feet_turn_with_the_eased_time_of_their_way(void** state)
{
    (void)state;
    for (int kind = 0; kind < ROAMER_KINDS; ++kind)
        turn_on_the_spot((roamer_kind)kind, 1);
    turn_on_the_spot(ROAMER_LIZARD, 0.1);
    turn_on_the_spot(ROAMER_LIZARD, 10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_creature_turn__feet_turn_with_the_eased_time_of_their_way),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
