// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// Creatures on ground that is not level, has steps and holes, or ends; and before obstacles.

#include "support/roam.h"

static const sft_xformd origin = {{0, 0, 0}, {0, 0, 0, 1}};
static const char* const names[] = {"lizard", "hexapod", "spider", "biped"};

// Every foot in support has ground under its sole, where a ray finds it.
static void check_soles(const roam* r)
{
    const sft_creature_foot* feet = sft_creature_get_feet(r->creature, r->state);
    for (int32_t l = 0; l < r->made.def.leg_count; ++l)
    {
        if (!feet[l].standing || feet[l].swinging) continue;
        const double ankle = r->made.def.scale * r->made.def.legs[l].ankle_offset;
        const sft_v3d sole = sft_v3d_madd(feet[l].position, -ankle, feet[l].normal);
        sft_ground_hit hit;
        assert_true(sft_ground_cast(&r->ground, sft_v3d_madd(sole, 1e-3, feet[l].normal),
                                    sft_v3d_scale(-1, feet[l].normal), 2e-3, 0, &hit));
        assert_true(fabs(hit.distance - 1e-3) < 1e-9);
        assert_true(sft_v3d_dot(hit.normal, feet[l].normal) > 1 - 1e-9);
    }
}

static void check_seen(const roam* r)
{
    assert_true(r->seen.foot_off < 1e-6);
    assert_true(r->seen.foot_turned < 1e-6);
    assert_true(r->seen.slip < 1e-6 && r->seen.turned < 1e-6);
    assert_true(r->seen.in_air <= 1);
    assert_true(r->seen.least_down >= r->made.def.leg_count / 2);
    assert_false(r->seen.bad);
}

// Goes to a goal; true where it came within the stop band in time.
static bool go(roam* r, sft_v3d goal, double seconds)
{
    r->input.kind = SFT_CREATURE_GO_TO;
    r->input.goal = goal;
    const int64_t steps = (int64_t)(seconds * SFT_CREATURE_RATE);
    for (int64_t i = 0; i < steps; i += 10)
    {
        roam_steps(r, 10);
        check_soles(r);
        const sft_v3d at = sft_creature_get_body(r->state)->place.t;
        const double x = goal.x - at.x, z = goal.z - at.z;
        if (sqrt(x * x + z * z) <= r->made.def.motion.stop_distance) return true;
    }
    return false;
}

// Up, down and across inclined planes, all the way to the steepest that feet take.
static void test_creature_ground__slopes(void** state)
{
    (void)state;
    static const double degrees[] = {10, 20, 35};
    for (int kind = 0; kind < ROAMER_KINDS; ++kind)
        for (int d = 0; d < 3; ++d)
            for (int way = 0; way < 4; ++way)
            {
                double s, c;
                sft_sincos_deg(degrees[d], &s, &c);
                const sft_v3d down[] = {{0, c, -s}, {0, c, s}, {s, c, 0}, {-s, c, 0}};
                const sft_ground_plane plane = {{0, 0, 0}, down[way], 0};
                roam r;
                roam_begin((roamer_kind)kind, 1, false, sft_ground_from_plane(&plane), origin, &r);
                check_soles(&r);
                const bool there = go(&r, sft_v3d_make(0, 0, 2.5), 40);
                if (!there || r.seen.foot_off > 1e-6)
                    print_message("%s, %g degrees, way %d: at %g, feet off %g\n", names[kind], degrees[d], way,
                                  sft_creature_get_body(r.state)->place.t.z, r.seen.foot_off);
                check_seen(&r);
                assert_true(there);
                roam_end(&r);
            }
}

static void test_creature_ground__stairs(void** state)
{
    (void)state;
    for (int kind = 0; kind < ROAMER_KINDS; ++kind)
    {
        const double rise = kind == ROAMER_BIPED ? 0.10 : 0.03, run = kind == ROAMER_BIPED ? 0.30 : 0.12;
        double distances[64], heights[64];
        int32_t n = 0;
        double at = 0.4, y = 0;
        for (int k = 0; k < 12; ++k)
        {
            distances[n] = at;
            heights[n++] = y;
            y += k < 6 ? rise : -rise;
            distances[n] = at;
            heights[n++] = y;
            at += run;
        }
        const sft_ground_profile profile = {
            .count = n, .distances = distances, .heights = heights, .origin = {0, 0, 0}};
        roam r;
        roam_begin((roamer_kind)kind, 1, false, sft_ground_from_profile(&profile), origin, &r);
        const bool there = go(&r, sft_v3d_make(0, 0, at + 1.5), 60);
        print_message("%s on stairs: at %.3f of %.3f, jump %.5f\n", names[kind],
                      sft_creature_get_body(r.state)->place.t.z, at + 1.5, r.seen.jump);
        check_seen(&r);
        assert_true(there);
        roam_end(&r);
    }
}

// A gap that a step spans is crossed, feet on either side of it; a wider one, and the end of all ground, is not.
static void test_creature_ground__gaps_and_ends(void** state)
{
    (void)state;
    for (int kind = 0; kind < ROAMER_KINDS; ++kind)
        for (int wide = 0; wide < 3; ++wide)
        {
            const double step = kind == ROAMER_BIPED ? 0.22 : 0.06, gap = wide == 0 ? 0.5 * step : 0.8;
            const double distances[] = {0, 1, 1, 1 + gap, 9};
            double heights[] = {0, 0, NAN, 0, 0};
            if (wide == 2) heights[3] = heights[4] = NAN;
            const sft_ground_profile profile = {
                .count = 5, .distances = distances, .heights = heights, .origin = {0, 0, 0}};
            roam r;
            roam_begin((roamer_kind)kind, 1, false, sft_ground_from_profile(&profile), origin, &r);
            const bool there = go(&r, sft_v3d_make(0.1, 0, 3), wide == 0 ? 40 : 20);
            const sft_creature_body* body = sft_creature_get_body(r.state);
            print_message("%s, gap %g: at %.3f\n", names[kind], wide == 2 ? 99 : gap, body->place.t.z);
            check_seen(&r);
            assert_true(there == (wide == 0));
            if (wide > 0)
            {
                assert_true(body->place.t.z < 1.05 && body->place.t.z > 0.3);
                assert_true(body->blocked);
                // It stands there, and feet have come to rest.
                const int64_t strides = r.seen.strides;
                roam_steps(&r, 600);
                assert_true(r.seen.strides == strides);
                // And it can leave again.
                assert_true(go(&r, sft_v3d_make(0, 0, -1), 30));
            }
            roam_end(&r);
        }
}

static void test_creature_ground__none_at_all(void** state)
{
    (void)state;
    roam r;
    roam_begin(ROAMER_LIZARD, 1, false, (sft_ground){NULL, NULL}, origin, &r);
    assert_false(go(&r, sft_v3d_make(0, 0, 3), 3));
    assert_false(r.seen.bad);
    assert_true(r.seen.strides == 0);
    assert_true(fabs(sft_creature_get_body(r.state)->place.t.z) < 1e-9);
    roam_end(&r);
}

// The foremost joint, along Z.
static double foremost(const roam* r)
{
    sft_xformd world[ROAMER_JOINTS];
    sft_creature_get_world(r->creature, r->state, world);
    double most = -INFINITY;
    for (int32_t j = 0; j < r->made.skeleton->joint_count; ++j)
        most = sft_maxd(most, world[j].t.z);
    return most;
}

// A wall across the way: the body stops with its sphere, its head and its feet before it.
static void test_creature_ground__walls(void** state)
{
    (void)state;
    static const sft_ground_plane floor = {{0, 0, 0}, {0, 1, 0}, 0}, wall = {{0, 0, 1}, {0, 0, -1}, 0};
    for (int kind = 0; kind < ROAMER_KINDS; ++kind)
    {
        roam r;
        roam_begin((roamer_kind)kind, 1, false, sft_ground_from_plane(&floor), origin, &r);
        const sft_ground blocks = sft_ground_from_plane(&wall);
        r.input.blocks = &blocks;
        double most = 0;
        for (int i = 0; i < 30; ++i)
        {
            assert_false(go(&r, sft_v3d_make(0, 0, 4), 0.5));
            most = sft_maxd(most, foremost(&r));
        }
        const sft_creature_body* body = sft_creature_get_body(r.state);
        print_message("%s before a wall: at %.4f, at most %.4f\n", names[kind], body->place.t.z, most);
        assert_true(body->place.t.z < 1 - r.made.def.motion.body_radius + 1e-6);
        assert_true(most < 1.01 && most > 0.85);
        assert_true(body->blocked);
        check_seen(&r);
        assert_true(go(&r, sft_v3d_make(0, 0, -1), 30));
        roam_end(&r);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_creature_ground__slopes),        cmocka_unit_test(test_creature_ground__stairs),
        cmocka_unit_test(test_creature_ground__gaps_and_ends), cmocka_unit_test(test_creature_ground__none_at_all),
        cmocka_unit_test(test_creature_ground__walls),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
