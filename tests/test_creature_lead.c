// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// Goals that circle, jump, lie behind, out of reach or nowhere; sticks and shoves; a minute of standing, ten of
// walking.

#include "support/roam.h"

static const sft_ground_plane plane = {{0, 0, 0}, {0, 1, 0}, 0};
static const sft_xformd origin = {{0, 0, 0}, {0, 0, 0, 1}};
static const char* const names[] = {"lizard", "hexapod", "spider", "biped"};

static void check_seen(const roam* r)
{
    assert_true(r->seen.foot_off < 1e-6);
    assert_true(r->seen.foot_turned < 1e-6);
    assert_true(r->seen.slip < 1e-6 && r->seen.turned < 1e-6);
    assert_true(r->seen.in_air <= 1);
    assert_true(r->seen.least_down >= r->made.def.leg_count / 2);
    assert_false(r->seen.bad);
}

static roam begin(roamer_kind kind, double scale)
{
    roam r;
    roam_begin(kind, scale, false, sft_ground_from_plane(&plane), origin, &r);
    return r;
}

static double distance_to(const roam* r, sft_v3d goal)
{
    const sft_v3d at = sft_creature_get_body(r->state)->place.t;
    const double x = goal.x - at.x, z = goal.z - at.z;
    return sqrt(x * x + z * z);
}

// Largest part of its thresholds that a foot is off its home, by position.
static double off_home(const roam* r)
{
    const sft_creature_foot* feet = sft_creature_get_feet(r->creature, r->state);
    const sft_xformd place = sft_creature_get_body(r->state)->place;
    double worst = 0;
    for (int32_t l = 0; l < r->made.def.leg_count; ++l)
    {
        const sft_creature_leg* leg = &r->made.def.legs[l];
        sft_v3d p = sft_quatd_unrotate(place.r, sft_v3d_sub(feet[l].position, place.t));
        p = sft_v3d_scale(1 / r->made.def.scale, p);
        const double x = p.x - leg->home.x, z = p.z - leg->home.z;
        worst = sft_maxd(worst, sqrt(x * x + z * z) / leg->step_distance);
    }
    return worst;
}

static void test_creature_lead__goal_behind_is_turned_to_first(void** state)
{
    (void)state;
    for (int k = 0; k < ROAMER_KINDS; ++k)
    {
        roam r = begin((roamer_kind)k, 1);
        r.input.kind = SFT_CREATURE_GO_TO;
        r.input.goal = sft_v3d_make(0.05, 0, -3);
        double away = 0;
        for (int i = 0; i < 120 * 30; ++i)
        {
            roam_steps(&r, 1);
            away = sft_maxd(away, sft_creature_get_body(r.state)->place.t.z);
        }
        print_message("%s: goal behind: %.4f m away first, then %.3f from it\n", names[k], away,
                      distance_to(&r, r.input.goal));
        assert_true(away < 0.05);
        assert_true(distance_to(&r, r.input.goal) <= r.made.def.motion.stop_distance + 1e-9);
        check_seen(&r);
        roam_end(&r);
    }
}

static void test_creature_lead__circling_goal(void** state)
{
    (void)state;
    for (int k = 0; k < ROAMER_KINDS; ++k)
    {
        roam r = begin((roamer_kind)k, 1);
        r.input.kind = SFT_CREATURE_GO_TO;
        double behind = 0;
        for (int i = 0; i < 120 * 60; ++i)
        {
            // A circle of 1.5 m radius, at half of what the legs can serve.
            const double safe = sft_creature_safe_speed(r.creature, sft_creature_get_body(r.state)->gait);
            const double a = 0.5 * safe / 1.5 * i / 120.0;
            r.input.goal = sft_v3d_make(1.5 * (1 - sft_cos(a)), 0, 0.5 + 1.5 * sft_sin(a));
            roam_steps(&r, 1);
            if (i > 120 * 20) behind = sft_maxd(behind, distance_to(&r, r.input.goal));
        }
        int64_t least, most;
        roam_step_counts(&r, &least, &most);
        print_message("%s: circle followed within %.3f m, steps %d to %d\n", names[k], behind, (int)least, (int)most);
        assert_true(behind < r.made.def.motion.approach_distance + 0.3);
        assert_true(least * 2 > most);
        check_seen(&r);
        roam_end(&r);
    }
}

static void test_creature_lead__jumping_goal(void** state)
{
    (void)state;
    support_rng rng = {7};
    for (int k = 0; k < ROAMER_KINDS; ++k)
    {
        roam r = begin((roamer_kind)k, 1);
        r.input.kind = SFT_CREATURE_GO_TO;
        for (int i = 0; i < 40; ++i)
        {
            r.input.goal = sft_v3d_make(support_uniform(&rng, -2, 2), 0, support_uniform(&rng, -2, 2));
            roam_steps(&r, (int64_t)support_uniform(&rng, 10, 400));
        }
        check_seen(&r);
        roam_steps(&r, 120 * 40);
        assert_true(distance_to(&r, r.input.goal) <= r.made.def.motion.approach_distance);
        check_seen(&r);
        roam_end(&r);
    }
}

// After a walk the feet go home, turn by turn, and stay; nothing moves for a minute.
static void test_creature_lead__a_minute_of_standing(void** state)
{
    (void)state;
    static const double scales[] = {1, 0.1, 10};
    for (int k = 0; k < ROAMER_KINDS; ++k)
        for (int s = 0; s < 3; ++s)
        {
            roam r = begin((roamer_kind)k, scales[s]);
            r.input.kind = SFT_CREATURE_GO_TO;
            r.input.goal = sft_v3d_make(0.7 * scales[s], 0, 1.5 * scales[s]);
            roam_steps(&r, 120 * 30);
            r.input.kind = SFT_CREATURE_STAND;
            roam_steps(&r, 120 * 10);
            const double off = off_home(&r);
            if (off > r.made.def.swing.settle_part) print_message("%s at %g: off %.3f\n", names[k], scales[s], off);
            assert_true(off <= r.made.def.swing.settle_part);
            const int64_t strides = r.seen.strides;
            const sft_xformd before = sft_creature_get_body(r.state)->place;
            roam_steps(&r, 120 * 60);
            const sft_xformd after = sft_creature_get_body(r.state)->place;
            assert_true(r.seen.strides == strides);
            assert_true(sft_v3d_distance(before.t, after.t) < 1e-9 * scales[s]);
            assert_true(sft_creature_get_body(r.state)->stood > 60);
            check_seen(&r);
            roam_end(&r);
        }
}

// Nearer than it likes, it backs off, slowly, facing the goal, and rests.
static void test_creature_lead__backs_off(void** state)
{
    (void)state;
    for (int k = 0; k < ROAMER_KINDS; ++k)
    {
        roam r = begin((roamer_kind)k, 1);
        r.input.kind = SFT_CREATURE_GO_TO;
        const double near = 0.5 * r.made.def.motion.back_distance;
        r.input.goal = sft_v3d_make(0, 0, near);
        double fastest = 0;
        for (int i = 0; i < 120 * 20; ++i)
        {
            roam_steps(&r, 1);
            fastest = sft_maxd(fastest, sft_v3d_length(sft_creature_get_body(r.state)->velocity));
        }
        assert_true(fastest <= r.made.def.motion.back_speed + 1e-9 && fastest > 0.5 * r.made.def.motion.back_speed);
        const double distance = distance_to(&r, r.input.goal);
        assert_true(distance > r.made.def.motion.back_distance && distance <= r.made.def.motion.stop_distance);
        assert_true(sft_creature_get_body(r.state)->stood > 1);
        check_seen(&r);
        roam_end(&r);
    }
}

// A goal high up or far below counts by its shadow.
static void test_creature_lead__height_of_a_goal_counts_for_nothing(void** state)
{
    (void)state;
    roam a = begin(ROAMER_LIZARD, 1), b = begin(ROAMER_LIZARD, 1);
    a.input.kind = b.input.kind = SFT_CREATURE_GO_TO;
    a.input.goal = sft_v3d_make(1, 0, 1);
    b.input.goal = sft_v3d_make(1, 300, 1);
    roam_steps(&a, 600);
    roam_steps(&b, 600);
    assert_memory_equal(sft_creature_get_body(a.state), sft_creature_get_body(b.state), sizeof(sft_creature_body));
    roam_end(&a);
    roam_end(&b);
}

// By stick: ahead, aside, back, turning on the spot.
static void test_creature_lead__stick(void** state)
{
    (void)state;
    static const sft_v3d velocities[] = {{0, 0, 9}, {0.15, 0, 0}, {0, 0, -0.15}, {0, 0, 0}, {0.1, 0, 0.1}};
    static const double turns[] = {0, 0, 0, 2, -0.5};
    for (int k = 0; k < ROAMER_KINDS; ++k)
        for (int i = 0; i < 5; ++i)
        {
            roam r = begin((roamer_kind)k, 1);
            r.input.kind = SFT_CREATURE_DRIVE;
            r.input.velocity = velocities[i];
            r.input.turn = turns[i];
            double turned = 0;
            for (int s = 0; s < 120 * 20; ++s)
            {
                roam_steps(&r, 1);
                turned += sft_creature_get_body(r.state)->turn / 120;
            }
            int64_t least, most;
            roam_step_counts(&r, &least, &most);
            print_message("%s, stick %d: %.3f m/s, %.3f rad/s, steps %d to %d\n", names[k], i, r.seen.way / 20,
                          turned / 20, (int)least, (int)most);
            const double safe = sft_creature_safe_speed(r.creature, sft_creature_get_body(r.state)->gait);
            const double wanted = sft_mind(sft_v3d_length(velocities[i]), safe);
            assert_true(r.seen.way / 20 >= 0.6 * wanted);
            if (turns[i] == 2) assert_true(turned / 20 > 0.5);
            check_seen(&r);
            roam_end(&r);
        }
}

// Shoved about: as far as the legs allow, what they refuse is said, and feet stay where they stand.
static void test_creature_lead__shoves(void** state)
{
    (void)state;
    for (int k = 0; k < ROAMER_KINDS; ++k)
    {
        roam r = begin((roamer_kind)k, 1);
        const sft_v3d before = sft_creature_get_body(r.state)->place.t;
        r.input.push = sft_v3d_make(0, 0, 5);
        roam_steps(&r, 1);
        const sft_creature_body* body = sft_creature_get_body(r.state);
        const double went = body->place.t.z - before.z;
        assert_true(went > 0.01 && went < 0.5);
        assert_true(fabs(went + body->push_refused.z - 5) < 1e-9);
        r.input.push = sft_v3d_make(0, 0, 0);
        roam_steps(&r, 240);
        check_seen(&r);
        support_rng rng = {11};
        for (int i = 0; i < 1200; ++i)
        {
            r.input.push = sft_v3d_make(support_uniform(&rng, -0.01, 0.01), 0, support_uniform(&rng, -0.01, 0.013));
            roam_steps(&r, 1);
        }
        assert_true(sft_creature_get_body(r.state)->place.t.z > 0.3);
        r.input.push = sft_v3d_make(0, 0, 0);
        roam_steps(&r, 600);
        assert_true(off_home(&r) < 1);
        check_seen(&r);
        roam_end(&r);
    }
}

// Ten minutes on a figure of eight that is walked for good: what is true at first is true in the end.
static void test_creature_lead__ten_minutes(void** state)
{
    (void)state;
    roam r = begin(ROAMER_LIZARD, 1);
    r.input.kind = SFT_CREATURE_GO_TO;
    double far = 0;
    for (int i = 0; i < 120 * 600; ++i)
    {
        const double a = 0.08 * i / 120.0;
        r.input.goal = sft_v3d_make(1.5 * sft_sin(a), 0, 1.5 * sft_sin(a) * sft_cos(a));
        roam_steps(&r, 1);
        far = sft_maxd(far, distance_to(&r, r.input.goal));
    }
    int64_t least, most;
    roam_step_counts(&r, &least, &most);
    print_message("10 minutes: %.1f m, never farther than %.3f m, steps %d to %d, height %g\n", r.seen.way, far,
                  (int)least, (int)most, sft_creature_get_body(r.state)->place.t.y);
    assert_true(far < r.made.def.motion.approach_distance + 0.2);
    assert_true(fabs(sft_creature_get_body(r.state)->place.t.y) < 0.02);
    check_seen(&r);
    roam_end(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_creature_lead__goal_behind_is_turned_to_first),
        cmocka_unit_test(test_creature_lead__circling_goal),
        cmocka_unit_test(test_creature_lead__jumping_goal),
        cmocka_unit_test(test_creature_lead__a_minute_of_standing),
        cmocka_unit_test(test_creature_lead__backs_off),
        cmocka_unit_test(test_creature_lead__height_of_a_goal_counts_for_nothing),
        cmocka_unit_test(test_creature_lead__stick),
        cmocka_unit_test(test_creature_lead__shoves),
        cmocka_unit_test(test_creature_lead__ten_minutes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
