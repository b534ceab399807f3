// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// Feet that stand on what moves: lifts, turntables, trains; platforms that vanish; and the foot's orientation.
#include "support/support.h"

static sft_v3d v3(double x, double y, double z)
{
    return sft_v3d_make(x, y, z);
}

static void assert_near(sft_v3d a, sft_v3d b, double tolerance)
{
    assert_true(sft_v3d_distance(a, b) <= tolerance);
}

static double angle_between(sft_quatd a, sft_quatd b)
{
    return sft_v3d_length(sft_quatd_log(sft_quatd_mul(a, sft_quatd_conjugate(b))));
}

static sft_lock_input on_body(sft_v3d toe, bool contact, int32_t id, sft_xformd place)
{
    sft_lock_input in = {.toe = toe, .foot = sft_quatd_identity(), .contact = contact, .contact_height = (double)NAN};
    in.body = (sft_lock_body){id, place};
    return in;
}

static void update(const sft_lock_def* def, const sft_lock_input* input, double dt, sft_lock_state* state)
{
    assert_int_equal(sft_lock_update(def, input, dt, state), SFT_OK);
}

static const double DT = 1.0 / 60.0;

static void test_lock__a_lift_that_moves_steadily_is_as_good_as_the_ground(void** unused)
{
    (void)unused;
    // The animation rides the lift and stands still on it: to lock and to unlock must not be seen at all.
    const sft_lock_def def = sft_default_lock_def();
    for (int passed = 0; passed < 2; ++passed)
    {
        const sft_v3d speed = v3(0.5, 2.0, -0.3);
        sft_lock_state s = {0};
        bool was_locked = false;
        for (int k = 0; k < 120; ++k)
        {
            const sft_v3d moved = sft_v3d_scale(DT * k, speed);
            sft_lock_input in = on_body(sft_v3d_add(v3(1, 2, 3), moved), k >= 20 && k < 70, 4,
                                        (sft_xformd){sft_v3d_add(v3(-4, 0, 9), moved), {0, 0.6, 0, 0.8}});
            if (passed) in.body_velocity = in.velocity = &speed;
            update(&def, &in, DT, &s);
            assert_int_equal(s.locked, in.contact);
            assert_near(s.position, in.toe, 1e-12);
            if (k > 0 || passed) assert_near(s.velocity, speed, 1e-9);
            was_locked = was_locked || s.locked;
        }
        assert_true(was_locked);
    }
}

static sft_xformd turntable(double t)
{
    // Turns at 0.8 rad/s about a post at (3, 0, -2), and rises and falls.
    const sft_quatd r = sft_quatd_exp(v3(0, 0.8 * t, 0));
    return (sft_xformd){v3(3, 0.2 * sft_sin(1.5 * t), -2), r};
}

static void test_lock__a_planted_point_stays_where_it_is_on_a_turning_platform(void** unused)
{
    (void)unused;
    sft_lock_def def = sft_default_lock_def();
    def.blend_time = 0.2;
    sft_lock_state s = {0};
    const sft_v3d on_table = v3(1.5, 0.1, 0.7);
    double slide = 0.0;
    for (int k = 0; k < 200; ++k)
    {
        const double t = DT * k;
        const sft_xformd place = turntable(t);
        // The animation stands on the table but slips over it by 10 cm/s.
        const sft_v3d toe = sft_xformd_apply(place, sft_v3d_add(on_table, v3(0.1 * t, 0, 0)));
        sft_lock_input in = on_body(toe, k >= 30 && k < 150, 9, place);
        update(&def, &in, DT, &s);
        const sft_v3d local = sft_quatd_unrotate(place.r, sft_v3d_sub(s.position, place.t));
        if (k == 30) assert_near(sft_xformd_apply(place, s.planted), toe, 1e-12);
        if (k > 30 + 12 && k < 150)
        {
            assert_near(local, s.planted, 1e-12);
            slide = sft_maxd(slide, sft_v3d_distance(local, s.planted));
            // The velocity shown is the platform's at that point: turn and rise.
            const sft_v3d arm = sft_v3d_sub(s.position, v3(3, 0, -2));
            const sft_v3d field = v3(0.8 * arm.z, 0.3 * sft_cos(1.5 * t), -0.8 * arm.x);
            assert_near(s.velocity, field, 1e-3);
        }
        if (k > 170) assert_near(s.position, toe, 1e-12);
    }
    print_message("turntable: planted point moves on it by %.2g m\n", slide);
}

static void test_lock__no_step_on_a_platform_when_it_locks_and_unlocks(void** unused)
{
    (void)unused;
    sft_lock_def def = sft_default_lock_def();
    def.blend_time = 0.2;
    const double dt = 1.0 / 480.0;
    sft_lock_state s = {0};
    sft_v3d before[2] = {{0, 0, 0}, {0, 0, 0}};
    double worst = 0.0;
    for (int k = 0; k < 1600; ++k)
    {
        const double t = dt * k;
        const sft_xformd place = turntable(t);
        const sft_v3d toe = sft_xformd_apply(place, v3(1.5 + 0.3 * t, 0.1, 0.7 + 0.1 * sft_sin(4.0 * t)));
        sft_lock_input in = on_body(toe, k % 400 >= 100 && k % 400 < 300, 9, place);
        update(&def, &in, dt, &s);
        const sft_v3d bend = sft_v3d_madd(sft_v3d_add(s.position, before[1]), -2.0, before[0]);
        if (k > 2) worst = sft_maxd(worst, sft_v3d_length(bend) / (dt * dt));
        before[1] = before[0];
        before[0] = s.position;
    }
    // Source and platform below 4 m/s2; the cubic: 0.5 m/s over 0.2 s and 0.2 m over its square. A step in velocity of
    // 0.3 m/s would be 144 m/s2.
    print_message("turntable: largest acceleration shown %.1f m/s2\n", worst);
    assert_true(worst < 45.0);
}

static void test_lock__a_platform_that_vanishes_lets_the_foot_go_smoothly(void** unused)
{
    (void)unused;
    sft_lock_def def = sft_default_lock_def();
    def.blend_time = 0.3;
    for (int how = 0; how < 2; ++how)
    {
        // 0: another id is under the foot; 1: the same body is suddenly somewhere else.
        sft_lock_state s = {0};
        sft_v3d before = {0}, before_v = {0};
        for (int k = 0; k < 120; ++k)
        {
            const double t = DT * k;
            // The animation rises with the lift, and stays where it is once that is gone.
            const double height = 1.2 * sft_mind(t, 59 * DT);
            sft_xformd place = {v3(0, height, 0), sft_quatd_identity()};
            const sft_v3d toe = v3(0.05 * t, height, 0);
            if (k >= 60 && how == 1) place.t.x += 400.0;
            sft_lock_input in = on_body(toe, true, k >= 60 && how == 0 ? 0 : 5, place);
            update(&def, &in, DT, &s);
            if (k == 59) assert_true(s.locked);
            if (k == 60)
            {
                assert_false(s.locked);
                assert_int_equal(s.release, SFT_LOCK_RELEASE_BODY);
            }
            if (k > 2)
            {
                const sft_v3d mean = sft_v3d_scale(0.5, sft_v3d_add(before_v, s.velocity));
                assert_near(sft_v3d_sub(s.position, before), sft_v3d_scale(DT, mean), 2e-3);
                // 4 * 1.2 m/s over 0.3 s, and 6 * 5 cm over its square: 0.32 m/s a step.
                assert_near(s.velocity, before_v, 0.32);
            }
            before = s.position;
            before_v = s.velocity;
        }
        // On the new one it stands again once it is back at the animation.
        assert_true(s.locked);
        assert_int_equal(s.release, SFT_LOCK_RELEASE_NONE);
    }
    // In the air when it vanishes: nothing to let go.
    sft_lock_state s = {0};
    const sft_xformd place = {v3(0, 0, 0), sft_quatd_identity()};
    for (int k = 0; k < 4; ++k)
    {
        sft_lock_input in = on_body(v3(0, 0.01 * k, 0), false, k < 2 ? 5 : 6, place);
        update(&def, &in, DT, &s);
        assert_near(s.position, in.toe, 0.0);
        assert_int_equal(s.release, SFT_LOCK_RELEASE_NONE);
    }
}

static void test_lock__a_fast_train_is_no_teleport(void** unused)
{
    (void)unused;
    const sft_lock_def def = sft_default_lock_def();
    sft_lock_state s = {0};
    sft_v3d planted = {0};
    for (int k = 0; k < 120; ++k)
    {
        const sft_xformd place = {v3(80.0 * DT * k, 0, 0), sft_quatd_identity()};
        const sft_v3d toe = v3(80.0 * DT * k + 0.05 * DT * k, 0, 0);
        sft_lock_input in = on_body(toe, k > 10, 2, place);
        update(&def, &in, DT, &s);
        if (k == 11) planted = s.planted;
        if (k > 11) assert_near(s.planted, planted, 0.0);
        assert_int_equal(s.locked, k > 10);
    }
    // Someone who jumps from the train to somewhere else was put there.
    sft_lock_input in = on_body(v3(-300, 0, 0), true, 2, (sft_xformd){v3(160, 0, 0), sft_quatd_identity()});
    update(&def, &in, DT, &s);
    assert_near(s.position, in.toe, 0.0);
}

static void test_lock__a_plant_may_be_given(void** unused)
{
    (void)unused;
    sft_lock_def def = sft_default_lock_def();
    def.blend_time = 0.1;
    const sft_v3d ground = v3(0.003, -0.02, 0.001);
    for (int how = 0; how < 3; ++how)
    {
        sft_lock_state s = {0};
        for (int k = 0; k < 30; ++k)
        {
            sft_lock_input in = on_body(v3(0, 0.01, 0), k > 5, 0, (sft_xformd){v3(0, 0, 0), sft_quatd_identity()});
            in.contact_height = how == 1 ? 0.004 : (double)NAN;
            in.plant = how == 2 ? &ground : NULL;
            update(&def, &in, DT, &s);
        }
        assert_near(s.position, how == 0 ? v3(0, 0.01, 0) : how == 1 ? v3(0, 0.004, 0) : ground, 1e-15);
    }
}

// ---- orientation ----

static void test_lock__orientation_is_held_only_when_asked(void** unused)
{
    (void)unused;
    for (int held = 0; held < 2; ++held)
    {
        sft_lock_def def = sft_default_lock_def();
        assert_false(def.lock_orientation);
        def.lock_orientation = held != 0;
        def.blend_time = 0.2;
        sft_lock_state s = {0};
        sft_quatd at_lock = sft_quatd_identity();
        for (int k = 0; k < 120; ++k)
        {
            // On a turning platform; the source's foot rolls off the toe meanwhile.
            const sft_xformd place = turntable(DT * k);
            const sft_v3d toe = sft_xformd_apply(place, v3(1, 0, 0));
            sft_lock_input in = on_body(toe, k >= 20 && k < 80, 1, place);
            in.foot = sft_quatd_mul(place.r, sft_quatd_exp(v3(k < 20 ? 0.0 : 0.01 * (k - 20), 0.3, 0)));
            update(&def, &in, DT, &s);
            if (k == 20) at_lock = sft_quatd_mul(sft_quatd_conjugate(place.r), in.foot);
            if (!held)
                assert_memory_equal(&s.rotation, &in.foot, sizeof in.foot);
            else if (k > 33 && k < 80)
                assert_true(angle_between(s.rotation, sft_quatd_mul(place.r, at_lock)) < 1e-7);
            else if (k > 93)
                assert_true(angle_between(s.rotation, in.foot) < 1e-7);
        }
    }
}

static void test_lock__orientation_turns_without_steps(void** unused)
{
    (void)unused;
    sft_lock_def def = sft_default_lock_def();
    def.lock_orientation = true;
    def.blend_time = 0.25;
    const double dt = 1.0 / 480.0;
    sft_lock_state s = {0};
    sft_quatd before = sft_quatd_identity();
    sft_v3d turn_before = {0};
    double worst = 0.0, spin_error = 0.0;
    for (int k = 0; k < 2000; ++k)
    {
        const double t = dt * k;
        sft_lock_input in =
            on_body(v3(0, 0, 0), k % 400 >= 120 && k % 400 < 260, 0, (sft_xformd){v3(0, 0, 0), sft_quatd_identity()});
        // Large turns about axes that change: up to two and a half radians.
        in.foot = sft_quatd_mul(sft_quatd_exp(v3(1.5 * sft_sin(3.0 * t), 0, 0)),
                                sft_quatd_exp(v3(0, 1.0 * sft_cos(2.0 * t), 0.4 * sft_sin(5.0 * t))));
        update(&def, &in, dt, &s);
        const sft_v3d turn = sft_quatd_log(sft_quatd_mul(s.rotation, sft_quatd_conjugate(before)));
        if (k > 3)
        {
            worst = sft_maxd(worst, sft_v3d_distance(turn, turn_before) / (dt * dt));
            spin_error = sft_maxd(spin_error, sft_v3d_distance(sft_v3d_scale(1.0 / dt, turn), s.spin));
        }
        before = s.rotation;
        turn_before = turn;
    }
    // The source turns by up to 6 rad/s and 30 rad/s2. A step of 1 rad/s would be 480 rad/s2.
    print_message("orientation: largest angular acceleration shown %.0f rad/s2, spin shown off by %.2f rad/s\n", worst,
                  spin_error);
    assert_true(worst < 300.0);
    assert_true(spin_error < 0.6);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_lock__a_lift_that_moves_steadily_is_as_good_as_the_ground),
        cmocka_unit_test(test_lock__a_planted_point_stays_where_it_is_on_a_turning_platform),
        cmocka_unit_test(test_lock__no_step_on_a_platform_when_it_locks_and_unlocks),
        cmocka_unit_test(test_lock__a_platform_that_vanishes_lets_the_foot_go_smoothly),
        cmocka_unit_test(test_lock__a_fast_train_is_no_teleport),
        cmocka_unit_test(test_lock__a_plant_may_be_given),
        cmocka_unit_test(test_lock__orientation_is_held_only_when_asked),
        cmocka_unit_test(test_lock__orientation_turns_without_steps),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
