// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// Creatures on a plane: they go where they are led, at the speed their legs serve, one group at a time.

#include "support/roam.h"

static const sft_ground_plane plane = {{0, 0, 0}, {0, 1, 0}, 0};
static const sft_xformd origin = {{0, 0, 0}, {0, 0, 0, 1}};
static const char* const names[] = {"lizard", "hexapod", "spider", "biped"};

// Where the joint of the body is.
static double body_at(const roam* r)
{
    sft_xformd world[ROAMER_JOINTS];
    sft_creature_get_world(r->creature, r->state, world);
    return world[r->made.def.body].t.z;
}

static void walk_straight(roamer_kind kind, double scale)
{
    roam r;
    roam_begin(kind, scale, false, sft_ground_from_plane(&plane), origin, &r);
    const sft_gait gait = sft_creature_get_body(r.state)->gait;
    const double safe = sft_creature_safe_speed(r.creature, gait);
    const double most = sft_mind(safe, r.made.def.motion.max_speed);
    const double way = 20 * r.made.length * scale;
    const double lead = way + r.made.def.motion.stop_distance;
    r.input.kind = SFT_CREATURE_GO_TO;
    r.input.goal = sft_v3d_make(0, 0, lead);
    const double from = body_at(&r);
    int64_t steps = 0;
    const int64_t limit = (int64_t)(way / (0.5 * most) * SFT_CREATURE_RATE);
    while (sft_creature_get_body(r.state)->place.t.z < way - 1e-9 && steps < limit)
    {
        roam_steps(&r, 1);
        ++steps;
    }
    const double speed = (body_at(&r) - from) / ((double)steps / SFT_CREATURE_RATE);
    double threshold = 0;
    for (int32_t l = 0; l < r.made.def.leg_count; ++l)
        threshold += r.made.def.legs[l].step_distance / r.made.def.leg_count;
    int64_t least, longest;
    roam_step_counts(&r, &least, &longest);
    const double stride = r.seen.stride_sum / (double)r.seen.strides;
    print_message("%s at scale %g: %.3f of %.3f m/s, stride %.3f of threshold %.3f, steps %d to %d, jerk %.4f\n",
                  names[kind], scale, speed, most, stride, threshold, (int)least, (int)longest, r.seen.jerk);
    assert_true(speed >= 0.7 * most);
    assert_true(stride >= 0.5 * threshold);
    assert_true(longest - least <= 1);
    assert_true(r.seen.in_air == 1);
    assert_true(r.seen.least_down >= r.made.def.leg_count / 2);
    assert_true(r.seen.slip < 1e-6 && r.seen.turned < 1e-6);
    assert_true(r.seen.foot_off < 1e-6 && r.seen.foot_turned < 1e-6);
    assert_false(r.seen.bad);
    assert_true(fabs(sft_creature_get_body(r.state)->place.t.x) < 1e-9 * scale);
    // Within a step's acceleration: nothing holds the body with a jerk.
    assert_true(r.seen.jump < 0.002 * scale);
    roam_end(&r);
}

static void test_creature_walk__straight_at_the_speed_legs_serve(void** state)
{
    (void)state;
    static const double scales[] = {1, 0.1, 0.5, 2, 10};
    for (int k = 0; k < ROAMER_KINDS; ++k)
        for (int s = 0; s < 5; ++s)
            walk_straight((roamer_kind)k, scales[s]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_creature_walk__straight_at_the_speed_legs_serve),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
