// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// The foot lock: the inertialisation in closed form, article 000's state machine against a second writing of its
// corrected formulas, frame rates, time that stands still or jumps. Platforms are test_lock_bodies.c.
#include "support/support.h"

static sft_v3d v3(double x, double y, double z)
{
    return sft_v3d_make(x, y, z);
}

static void assert_near(sft_v3d a, sft_v3d b, double tolerance)
{
    assert_true(sft_v3d_distance(a, b) <= tolerance);
}

static sft_lock_input at(sft_v3d toe, bool contact)
{
    return (sft_lock_input){
        .toe = toe, .foot = sft_quatd_identity(), .contact = contact, .contact_height = (double)NAN};
}

static void update(const sft_lock_def* def, const sft_lock_input* input, double dt, sft_lock_state* state)
{
    assert_int_equal(sft_lock_update(def, input, dt, state), SFT_OK);
}

// ---- the cubic ----

static void test_lock__the_offset_runs_out_as_a_cubic(void** unused)
{
    (void)unused;
    // Worked by hand at a quarter, a half and three quarters: 0.84375, 0.5, 0.15625 of the offset and 0.140625, 0.125,
    // 0.046875 of velocity times blend time.
    const double value[5] = {1.0, 0.84375, 0.5, 0.15625, 0.0}, slope[5] = {0.0, 0.140625, 0.125, 0.046875, 0.0};
    const double value_rate[5] = {0.0, -1.125, -1.5, -1.125, 0.0};
    const double slope_rate[5] = {1.0, 0.1875, -0.25, -0.3125, 0.0};
    for (int i = 0; i < 5; ++i)
    {
        const sft_inertia inertia = {v3(2, 0, -1), v3(0, 3, 1), 0.1 * i};
        sft_v3d p, v;
        sft_inertia_at(&inertia, 0.4, &p, &v);
        assert_near(p, v3(2 * value[i], 3 * 0.4 * slope[i], -value[i] + 0.4 * slope[i]), 1e-14);
        assert_near(v, v3(2 / 0.4 * value_rate[i], 3 * slope_rate[i], -1 / 0.4 * value_rate[i] + slope_rate[i]), 1e-13);
    }
    const double long_after[3] = {0.4, 5.0, 1e300};
    for (int i = 0; i < 3; ++i)
    {
        const sft_inertia inertia = {v3(2, 0, -1), v3(0, 3, 1), long_after[i]};
        sft_v3d p, v;
        sft_inertia_at(&inertia, 0.4, &p, &v);
        assert_near(p, v3(0, 0, 0), 0.0);
        assert_near(v, v3(0, 0, 0), 0.0);
    }
}

static void test_lock__a_transition_keeps_what_is_shown_whenever_it_comes(void** unused)
{
    (void)unused;
    // At once, in mid-blend, at its end and long after: what article 000's listing loses is the running offset, and
    // after the blend the whole difference.
    const double when[6] = {0.0, 0.1, 0.23, 0.499, 0.5, 9.0};
    for (int i = 0; i < 6; ++i)
    {
        const sft_v3d from = v3(0.3, 0.1, -0.2), from_v = v3(1.0, -0.5, 0.2), to = v3(0.5, 0.0, 0.4),
                      to_v = v3(0, 0, 2);
        sft_inertia inertia = {v3(0.05, -0.02, 0.1), v3(0.4, 0.3, -0.9), when[i]};
        sft_v3d before, before_v, after, after_v;
        sft_inertia_at(&inertia, 0.5, &before, &before_v);
        sft_inertia_transition(&inertia, 0.5, from, from_v, to, to_v);
        assert_true(inertia.time == 0.0);
        sft_inertia_at(&inertia, 0.5, &after, &after_v);
        assert_near(sft_v3d_add(to, after), sft_v3d_add(from, before), 1e-15);
        assert_near(sft_v3d_add(to_v, after_v), sft_v3d_add(from_v, before_v), 1e-15);
    }
    // By numbers, half way through: 0.5 of the old offset and 0.125 * 0.5 s of the old velocity; for the velocity -1.5
    // / 0.5 s of the old offset, not of the new one, and -0.25 of the old velocity.
    sft_inertia inertia = {v3(0.2, 0, 0), v3(0.8, 0, 0), 0.25};
    sft_inertia_transition(&inertia, 0.5, v3(1, 0, 0), v3(3, 0, 0), v3(0.4, 0, 0), v3(1, 0, 0));
    assert_near(inertia.offset, v3(0.6 + 0.1 + 0.05, 0, 0), 1e-15);
    assert_near(inertia.offset_velocity, v3(2.0 - 0.6 - 0.2, 0, 0), 1e-15);
}

static void test_lock__a_blend_of_no_time_crosses_at_once(void** unused)
{
    (void)unused;
    sft_inertia inertia = {v3(1, 2, 3), v3(4, 5, 6), 0.0};
    sft_v3d p, v;
    sft_inertia_at(&inertia, 0.0, &p, &v);
    assert_near(p, v3(0, 0, 0), 0.0);
    assert_near(v, v3(0, 0, 0), 0.0);
    sft_inertia_transition(&inertia, 0.0, v3(1, 0, 0), v3(0, 0, 0), v3(0, 0, 0), v3(0, 0, 0));
    assert_near(inertia.offset, v3(1, 0, 0), 0.0);

    sft_lock_def def = sft_default_lock_def();
    def.blend_time = 0.0;
    sft_lock_state s = {0};
    sft_lock_input in = at(v3(0, 0, 0), false);
    update(&def, &in, 0.01, &s);
    in = at(v3(0.01, 0, 0), true);
    update(&def, &in, 0.01, &s);
    assert_true(s.locked);
    in = at(v3(0.05, 0, 0), true);
    update(&def, &in, 0.01, &s);
    assert_near(s.position, v3(0.01, 0, 0), 0.0);
    in = at(v3(0.06, 0, 0), false);
    update(&def, &in, 0.01, &s);
    in = at(v3(0.07, 0, 0), false);
    update(&def, &in, 0.01, &s);
    assert_near(s.position, in.toe, 0.0);
}

// ---- article 000, written a second time ----

typedef struct article
{
    double position[3], velocity[3], input[3], input_velocity[3], offset[3], offset_velocity[3], contact[3], time;
    bool locked;
} article;

static void article_weights(double time, double blend, double* w)
{
    const double safe = blend > 1e-8 ? blend : 1e-8;
    double t = time / safe;
    t = t < 0.0 ? 0.0 : t > 1.0 ? 1.0 : t;
    w[0] = 2.0 * t * t * t - 3.0 * t * t + 1.0;
    w[1] = (t * t * t - 2.0 * t * t + t) * blend;
    w[2] = (6.0 * t * t - 6.0 * t) / safe;
    w[3] = 3.0 * t * t - 4.0 * t + 1.0;
}

static void article_cross(article* a, const double* from, const double* from_v, const double* to, const double* to_v,
                          double blend)
{
    double w[4];
    article_weights(a->time, blend, w);
    for (int i = 0; i < 3; ++i)
    {
        const double old = a->offset[i], old_v = a->offset_velocity[i];
        a->offset[i] = from[i] - to[i] + old * w[0] + old_v * w[1];
        a->offset_velocity[i] = from_v[i] - to_v[i] + old * w[2] + old_v * w[3];
    }
    a->time = 0.0;
}

static void article_update(article* a, const double* input, bool contact, double height, double dt)
{
    static const double rest[3] = {0.0, 0.0, 0.0};
    const double unlock = 0.25, lock = 0.01, blend = 0.5;
    double w[4], square = 0.0;
    article_weights(a->time + dt, blend, w);
    for (int i = 0; i < 3; ++i)
    {
        a->input_velocity[i] = (input[i] - a->input[i]) / (dt > 1e-8 ? dt : 1e-8);
        a->input[i] = input[i];
        a->position[i] = (a->locked ? a->contact[i] : input[i]) + a->offset[i] * w[0] + a->offset_velocity[i] * w[1];
        a->velocity[i] = (a->locked ? 0.0 : a->input_velocity[i]) + a->offset[i] * w[2] + a->offset_velocity[i] * w[3];
        square += (a->position[i] - input[i]) * (a->position[i] - input[i]);
    }
    a->time += dt;
    if (!a->locked && contact && sqrt(square) < lock)
    {
        a->locked = true;
        memcpy(a->contact, input, sizeof a->contact);
        a->contact[1] = height;
        article_cross(a, input, a->input_velocity, a->contact, rest, blend);
    }
    else if (a->locked && (!contact || sqrt(square) > unlock))
    {
        a->locked = false;
        article_cross(a, a->contact, rest, input, a->input_velocity, blend);
    }
}

static void test_lock__is_article_000s_state_machine_at_its_demo_values(void** unused)
{
    (void)unused;
    const sft_lock_def def = sft_default_lock_def();
    assert_true(def.lock_distance == 0.01 && def.unlock_distance == 0.25 && def.blend_time == 0.5);
    support_rng rng = {7};
    int locks = 0, unlocks = 0, by_distance = 0, in_blend = 0;
    for (int run = 0; run < 40; ++run)
    {
        article a = {0};
        sft_lock_state s = {0};
        const double speed = support_uniform(&rng, 0.1, 2.0), dt = support_uniform(&rng, 1.0 / 240.0, 1.0 / 24.0);
        const double slide = support_uniform(&rng, 0.0, 0.8), phase = support_uniform(&rng, 0.0, 6.0);
        double x = 0.0;
        for (int k = 0; k < 400; ++k)
        {
            const double t = dt * k;
            const bool contact = k > 0 && sft_sin(speed * 3.0 * t + phase) > -0.2;
            x += dt * (contact ? slide : 1.5);
            const double input[3] = {x, contact ? 0.02 : 0.1 + 0.05 * sft_sin(9.0 * t), 0.1 * sft_sin(2.0 * t)};
            sft_v3d velocity = {0};
            if (k > 0)
                velocity = v3((input[0] - a.input[0]) / dt, (input[1] - a.input[1]) / dt, (input[2] - a.input[2]) / dt);
            const bool was = a.locked, blending = a.time < 0.5 && k > 10;
            if (k == 0)
            {
                memcpy(a.position, input, sizeof input);
                memcpy(a.input, input, sizeof input);
            }
            else
                article_update(&a, input, contact, 0.015, dt);
            sft_lock_input in = at(v3(input[0], input[1], input[2]), contact);
            in.contact_height = 0.015;
            in.velocity = &velocity;
            update(&def, &in, dt, &s);
            assert_int_equal(s.locked, a.locked);
            assert_near(s.position, v3(a.position[0], a.position[1], a.position[2]), 1e-12);
            assert_near(s.velocity, v3(a.velocity[0], a.velocity[1], a.velocity[2]), 1e-10);
            locks += !was && a.locked;
            unlocks += was && !a.locked;
            by_distance += was && !a.locked && contact;
            in_blend += was != a.locked && blending;
        }
    }
    print_message("article 000: %d locks, %d unlocks, %d of them by distance, %d crossings in mid-blend\n", locks,
                  unlocks, by_distance, in_blend);
    assert_true(locks > 100 && unlocks > 100 && by_distance > 10 && in_blend > 10);
}

// ---- frame rates ----

// A foot whose source slides while it stands and swings between: smooth all through, contacts at tenths of a second.
static sft_v3d sliding_walk(double t, sft_v3d* velocity)
{
    const double w = 2.0 * SFT_PI; // one stride a second
    // Speed 0.9 (1 - cos) squared-ish: slow about whole seconds, fast half way between.
    const double c = sft_cos(w * t), s = sft_sin(w * t), c2 = sft_cos(2 * w * t), s2 = sft_sin(2 * w * t);
    const double lift = 0.5 * (1.0 - c);
    *velocity = v3(0.2 + 1.2 * (1.0 - c) + 0.2 * (1.0 - c2), 0.12 * 2.0 * lift * 0.5 * w * s, 0.03 * w * c);
    return v3(0.2 * t + 1.2 * (t - s / w) + 0.2 * (t - s2 / (2 * w)), 0.12 * lift * lift, 0.03 * s);
}

static bool walk_contact(int tenth)
{
    const int k = tenth % 10;
    return k <= 1 || k >= 8; // from 0.8 s over the whole second to 0.2 s, when slow
}

#define SECONDS 5

static double rate_error(const sft_lock_def* def, bool passed, const int* rates, int count)
{
    static sft_v3d shown[4][30 * SECONDS + 1];
    double worst = 0.0;
    for (int r = 0; r < count; ++r)
    {
        sft_lock_state s = {0};
        const int rate = rates[r], each = rate / 30;
        int crossings = 0;
        for (int k = 0; k <= rate * SECONDS; ++k)
        {
            sft_v3d velocity;
            const bool was = s.locked;
            sft_lock_input in = at(sliding_walk((double)k / rate, &velocity), walk_contact(k * 10 / rate));
            if (passed) in.velocity = &velocity;
            update(def, &in, 1.0 / rate, &s);
            crossings += was != s.locked;
            if (k % each == 0) shown[r][k / each] = s.position;
        }
        assert_in_range(crossings, 2 * SECONDS - 1, 2 * SECONDS + 1);
    }
    for (int r = 0; r < count; ++r)
        for (int k = 0; k <= 30 * SECONDS; ++k)
            worst = sft_maxd(worst, sft_v3d_distance(shown[r][k], shown[count - 1][k]));
    return worst;
}

static void test_lock__rates_of_30_to_240_agree_within_a_millimetre(void** unused)
{
    (void)unused;
    static const int rates[4] = {30, 60, 120, 240};
    const double blends[3] = {0.1, 0.2, 0.5};
    for (int i = 0; i < 3; ++i)
    {
        sft_lock_def def = sft_default_lock_def();
        def.lock_distance = (double)INFINITY;
        def.unlock_distance = (double)INFINITY;
        def.blend_time = blends[i];
        const double exact = rate_error(&def, true, rates, 4), measured = rate_error(&def, false, rates, 4);
        print_message(
            "blend %.1f s: 30, 60, 120, 240 Hz agree within %.2g m with velocities passed in, %.3f mm without\n",
            blends[i], exact, 1000.0 * measured);
        assert_true(exact < 1e-12);
        assert_true(measured < 1e-3);
    }
}

static void test_lock__steps_may_vary(void** unused)
{
    (void)unused;
    // The same motion in steps of a 240th to an 80th, ragged, against even ones.
    sft_lock_def def = sft_default_lock_def();
    def.blend_time = 0.2;
    def.lock_distance = def.unlock_distance = (double)INFINITY;
    for (int passed = 0; passed < 2; ++passed)
    {
        support_rng rng = {11};
        sft_lock_state even = {0}, ragged = {0};
        double worst = 0.0;
        int last = 0;
        for (int k = 0; k <= 240 * SECONDS; ++k)
        {
            sft_v3d velocity;
            sft_lock_input in = at(sliding_walk(k / 240.0, &velocity), walk_contact(k / 24));
            if (passed) in.velocity = &velocity;
            update(&def, &in, 1.0 / 240.0, &even);
            const bool step = k == 0 || k % 24 == 0 || k - last >= 3 || support_uniform(&rng, 0.0, 1.0) < 0.4;
            if (!step) continue;
            update(&def, &in, (k - last) / 240.0, &ragged);
            last = k;
            worst = sft_maxd(worst, sft_v3d_distance(even.position, ragged.position));
        }
        print_message("ragged steps: %.3g mm\n", 1000.0 * worst);
        assert_true(worst < (passed ? 1e-12 : 2e-4));
    }
}

static void test_lock__velocity_by_difference_is_of_second_order_and_does_not_overshoot_a_landing(void** unused)
{
    (void)unused;
    const sft_lock_def def = sft_default_lock_def();
    double errors[2] = {0.0, 0.0};
    for (int pass = 0; pass < 2; ++pass)
    {
        sft_lock_state s = {0};
        const double dt = pass == 0 ? 0.02 : 0.01;
        for (int k = 0; k * dt < 2.0; ++k)
        {
            sft_v3d velocity;
            const sft_lock_input in = at(sliding_walk(dt * k, &velocity), false);
            update(&def, &in, dt, &s);
            if (k > 3) errors[pass] = sft_maxd(errors[pass], sft_v3d_distance(s.input_velocity, velocity));
        }
    }
    print_message("velocity by difference: error %.4f m/s at 50 Hz, %.4f at 100 Hz\n", errors[0], errors[1]);
    assert_true(errors[1] < 0.35 * errors[0]);

    // A foot that comes down at 1 m/s and stands: the step after the landing says 0, not -0.5 m/s.
    sft_lock_state s = {0};
    for (int k = 0; k < 20; ++k)
    {
        const sft_lock_input in = at(v3(k < 10 ? -0.01 * (10 - k) : 0.0, 0, 0), false);
        update(&def, &in, 0.01, &s);
        if (k >= 12) assert_near(s.input_velocity, v3(0, 0, 0), 1e-12);
        assert_true(s.input_velocity.x > -1e-12);
    }
}

// ---- time ----

static void test_lock__starts_at_the_source_at_rest(void** unused)
{
    (void)unused;
    const sft_lock_def def = sft_default_lock_def();
    for (int contact = 0; contact < 2; ++contact)
    {
        sft_lock_state s = {0};
        const sft_lock_input in = at(v3(1, 2, 3), contact != 0);
        update(&def, &in, contact ? 0.0 : 0.1, &s);
        assert_near(s.position, in.toe, 0.0);
        assert_near(s.velocity, v3(0, 0, 0), 0.0);
        assert_int_equal(s.locked, contact);
    }
}

static void test_lock__a_pause_changes_nothing(void** unused)
{
    (void)unused;
    sft_lock_def def = sft_default_lock_def();
    def.blend_time = 0.3;
    sft_lock_state plain = {0}, paused = {0};
    for (int k = 0; k < 300; ++k)
    {
        sft_v3d velocity;
        sft_lock_input in = at(sliding_walk(k / 60.0, &velocity), walk_contact(k / 6));
        update(&def, &in, 1.0 / 60.0, &plain);
        update(&def, &in, 1.0 / 60.0, &paused);
        for (int i = 0; i < k % 4; ++i)
        {
            // A character may be posed meanwhile, and time may run so little that float positions do not show it.
            if (i == 2) in.toe.x += 0.3;
            update(&def, &in, 0.0, &paused);
        }
        assert_memory_equal(&plain, &paused, sizeof plain);
    }
}

static void test_lock__steps_of_microseconds_make_no_velocity(void** unused)
{
    (void)unused;
    // Positions that float resolves to a micron: a step of a microsecond would see metres a second of it.
    sft_lock_def def = sft_default_lock_def();
    def.blend_time = 0.2;
    sft_lock_state s = {0};
    double t = 0.0;
    for (int k = 0; k < 200; ++k)
    {
        const double dt = k % 3 == 0 ? 1e-6 : 1.0 / 60.0;
        t += dt;
        const sft_lock_input in = at(v3((double)(float)(100.0 + 1.5 * t), 0, 0), false);
        update(&def, &in, dt, &s);
        if (k > 5) assert_true(fabs(s.velocity.x - 1.5) < 2e-3);
        assert_near(s.position, in.toe, 0.0);
    }
}

static void test_lock__a_huge_step_ends_the_crossing(void** unused)
{
    (void)unused;
    const sft_lock_def def = sft_default_lock_def();
    sft_lock_state s = {0};
    sft_lock_input in = at(v3(0, 0, 0), false);
    update(&def, &in, 0.02, &s);
    in = at(v3(0.02, 0, 0), true);
    update(&def, &in, 0.02, &s);
    assert_true(s.locked);
    in.toe.x = 0.1;
    update(&def, &in, 1e6, &s);
    assert_near(s.position, v3(0.02, 0, 0), 0.0);
    assert_near(s.velocity, v3(0, 0, 0), 0.0);
    for (int i = 0; i < 100; ++i)
        update(&def, &in, 1e6, &s);
    assert_near(s.position, v3(0.02, 0, 0), 0.0);
}

static void test_lock__a_teleport_starts_anew_without_a_blend(void** unused)
{
    (void)unused;
    for (int by_flag = 0; by_flag < 2; ++by_flag)
        for (int contact = 0; contact < 2; ++contact)
        {
            sft_lock_def def = sft_default_lock_def();
            if (by_flag) def.teleport_speed = 0.0;
            sft_lock_state s = {0};
            for (int k = 0; k < 20; ++k)
            {
                const sft_lock_input in = at(v3(0.005 * k, 0, 0), k > 5);
                update(&def, &in, 1.0 / 60.0, &s);
            }
            assert_true(s.locked);
            sft_lock_input in = at(v3(50, 3, 2), contact != 0);
            in.teleport = by_flag != 0;
            update(&def, &in, 1.0 / 60.0, &s);
            assert_near(s.position, in.toe, 0.0);
            assert_near(s.velocity, v3(0, 0, 0), 0.0);
            assert_int_equal(s.locked, contact);
            in.teleport = false;
            update(&def, &in, 1.0 / 60.0, &s);
            assert_near(s.position, in.toe, 0.0);
            assert_near(s.velocity, v3(0, 0, 0), 0.0);
        }
    // Without flag and threshold it is a very fast foot: it lets go and comes after.
    sft_lock_def def = sft_default_lock_def();
    def.teleport_speed = 0.0;
    sft_lock_state s = {0};
    sft_lock_input in = at(v3(0, 0, 0), true);
    update(&def, &in, 1.0 / 60.0, &s);
    in.toe.x = 50.0;
    update(&def, &in, 1.0 / 60.0, &s);
    assert_false(s.locked);
    assert_int_equal(s.release, SFT_LOCK_RELEASE_DISTANCE);
    assert_near(s.position, v3(0, 0, 0), 0.0);
}

// ---- letting go ----

static void test_lock__says_why_a_foot_in_contact_is_free(void** unused)
{
    (void)unused;
    const sft_lock_def def = sft_default_lock_def();
    sft_lock_state s = {0};
    double x = 0.0;
    int distance = 0, locks = 0;
    for (int k = 0; k < 600; ++k)
    {
        // Slides for two seconds, then stands: it is let go once, comes back, and locks again.
        x += k < 120 ? 0.2 / 60.0 : 0.0;
        const bool was = s.locked;
        const sft_lock_input in = at(v3(x, 0, 0), true);
        update(&def, &in, 1.0 / 60.0, &s);
        locks += !was && s.locked;
        distance += was && !s.locked;
        assert_int_equal(s.release, s.locked ? SFT_LOCK_RELEASE_NONE : SFT_LOCK_RELEASE_DISTANCE);
    }
    assert_int_equal(distance, 1);
    assert_int_equal(locks, 2);
    assert_near(s.position, s.planted, 0.0);
    assert_near(s.position, v3(x, 0, 0), 0.1);

    sft_lock_input in = at(v3(x, 0, 0), true);
    in.release = true;
    update(&def, &in, 1.0 / 60.0, &s);
    assert_false(s.locked);
    assert_int_equal(s.release, SFT_LOCK_RELEASE_ASKED);
    update(&def, &in, 1.0 / 60.0, &s);
    assert_false(s.locked);
    in.contact = false;
    update(&def, &in, 1.0 / 60.0, &s);
    assert_int_equal(s.release, SFT_LOCK_RELEASE_NONE);
}

static void test_lock__a_lock_at_any_distance_does_not_chatter(void** unused)
{
    (void)unused;
    sft_lock_def def = sft_default_lock_def();
    def.lock_distance = (double)INFINITY;
    sft_lock_state s = {0};
    int crossings = 0;
    for (int k = 0; k < 600; ++k)
    {
        const bool was = s.locked;
        const sft_lock_input in = at(v3(0.5 * k / 60.0, 0, 0), true);
        update(&def, &in, 1.0 / 60.0, &s);
        crossings += was != s.locked;
    }
    // Half a second to be let go, a third to come half way back: some ten times in ten seconds and back.
    print_message("standing on a slide for ten seconds: %d crossings\n", crossings);
    assert_in_range(crossings, 10, 40);
}

// ---- what is shown moves without steps ----

static void test_lock__across_crossings_nothing_steps(void** unused)
{
    (void)unused;
    // With the velocity known, what is shown is a source plus a cubic: its acceleration is at most the source's and the
    // cubic's 6 |offset| / T^2 + 4 |velocity| / T. At 2 kHz a step would stand out by a factor of hundreds.
    support_rng rng = {5};
    const double dt = 0.0005, blend = 0.2;
    for (int run = 0; run < 10; ++run)
    {
        sft_lock_def def = sft_default_lock_def();
        def.blend_time = blend;
        def.lock_distance = 0.05;
        sft_lock_state s = {0};
        sft_v3d before[2] = {{0, 0, 0}, {0, 0, 0}};
        bool contact = false;
        double bound = 0.0, last_bound = 0.0;
        int crossings = 0;
        for (int k = 0; k < 6000; ++k)
        {
            sft_v3d velocity;
            sft_lock_input in = at(sliding_walk(dt * k, &velocity), false);
            if (support_uniform(&rng, 0.0, 1.0) < 0.004) contact = !contact;
            in.contact = contact;
            in.velocity = &velocity;
            const bool was = s.locked;
            update(&def, &in, dt, &s);
            const double limit = 20.0 + 1.02 * sft_maxd(bound, last_bound);
            if (was != s.locked)
            {
                last_bound = bound;
                bound = 6.0 * sft_v3d_length(s.offset_position) / (blend * blend) +
                        4.0 * sft_v3d_length(s.offset_velocity) / blend;
                ++crossings;
            }
            // The source's own acceleration stays below 16 m/s2.
            const sft_v3d bend = sft_v3d_madd(sft_v3d_add(s.position, before[1]), -2.0, before[0]);
            if (k > 2) assert_true(sft_v3d_length(bend) / (dt * dt) < limit);
            before[1] = before[0];
            before[0] = s.position;
        }
        assert_true(crossings > 4);
    }
}

// ---- bad input, many feet ----

static void test_lock__refuses_bad_input_and_keeps_its_state(void** unused)
{
    (void)unused;
    const sft_lock_def def = sft_default_lock_def();
    sft_lock_state s = {0};
    sft_lock_input good = at(v3(0, 0, 0), true);
    update(&def, &good, 0.01, &s);
    const sft_lock_state kept = s;
    assert_int_equal(sft_lock_update(NULL, &good, 0.01, &s), SFT_ERR_ARG);
    assert_int_equal(sft_lock_update(&def, NULL, 0.01, &s), SFT_ERR_ARG);
    assert_int_equal(sft_lock_update(&def, &good, 0.01, NULL), SFT_ERR_ARG);
    sft_lock_def none = {0};
    assert_int_equal(sft_lock_update(&none, &good, 0.01, &s), SFT_ERR_DEF);
    const double bad[4] = {(double)NAN, (double)INFINITY, -(double)INFINITY, 1e7};
    for (int i = 0; i < 4; ++i)
    {
        for (int field = 0; field < 4; ++field)
        {
            sft_lock_def odd = def;
            double* fields[4] = {&odd.lock_distance, &odd.unlock_distance, &odd.blend_time, &odd.teleport_speed};
            *fields[field] = i == 3 ? -1.0 : bad[i];
            if (i == 1 && field != 2) continue; // never is a fine distance
            assert_int_equal(sft_lock_update(&odd, &good, 0.01, &s), SFT_ERR_DEF);
        }
        const sft_v3d wrong = v3(0, bad[i], 0);
        sft_lock_input in = good;
        in.toe = wrong;
        assert_int_equal(sft_lock_update(&def, &in, 0.01, &s), SFT_ERR_RANGE);
        in = good;
        in.velocity = &wrong;
        assert_int_equal(sft_lock_update(&def, &in, 0.01, &s), SFT_ERR_RANGE);
        in = good;
        in.plant = &wrong;
        assert_int_equal(sft_lock_update(&def, &in, 0.01, &s), SFT_ERR_RANGE);
        in = good;
        in.contact_height = bad[i];
        if (i > 0) assert_int_equal(sft_lock_update(&def, &in, 0.01, &s), SFT_ERR_RANGE);
        in = good;
        in.body = (sft_lock_body){3, {wrong, sft_quatd_identity()}};
        assert_int_equal(sft_lock_update(&def, &in, 0.01, &s), SFT_ERR_RANGE);
        in.body = (sft_lock_body){3, {v3(0, 0, 0), {0, bad[i], 0, 1}}};
        assert_int_equal(sft_lock_update(&def, &in, 0.01, &s), SFT_ERR_RANGE);
        in.body = (sft_lock_body){3, {v3(0, 0, 0), sft_quatd_identity()}};
        in.body_velocity = &wrong;
        assert_int_equal(sft_lock_update(&def, &in, 0.01, &s), SFT_ERR_RANGE);
        assert_int_equal(sft_lock_update(&def, &good, i == 3 ? -0.01 : bad[i], &s), SFT_ERR_RANGE);
        sft_lock_def turning = def;
        turning.lock_orientation = true;
        in = good;
        in.foot.x = bad[i];
        assert_int_equal(sft_lock_update(&turning, &in, 0.01, &s), SFT_ERR_RANGE);
        in.foot = (sft_quatd){0};
        assert_int_equal(sft_lock_update(&turning, &in, 0.01, &s), SFT_ERR_RANGE);
    }
    assert_memory_equal(&s, &kept, sizeof s);
}

#define FEET 10000

static void test_lock__one_foot_is_the_same_bits_as_one_of_ten_thousand(void** unused)
{
    (void)unused;
    static sft_lock_input inputs[FEET];
    static sft_lock_state many[FEET], alone[3];
    static sft_result results[FEET];
    sft_lock_def def = sft_default_lock_def();
    def.blend_time = 0.15;
    def.lock_orientation = true;
    memset(many, 0, sizeof many);
    memset(alone, 0, sizeof alone);
    const int chosen[3] = {0, 4711, FEET - 1};
    for (int k = 0; k < 60; ++k)
    {
        for (int i = 0; i < FEET; ++i)
        {
            sft_v3d velocity;
            inputs[i] = at(sliding_walk(0.0001 * i + k / 50.0, &velocity), (k + i) % 25 < 12);
            inputs[i].foot = sft_quatd_exp(v3(0.01 * k, 0.0001 * i, 0));
            inputs[i].body = (sft_lock_body){i % 3, {v3(0.01 * k, 0, 0), sft_quatd_exp(v3(0, 0.02 * k, 0))}};
        }
        inputs[77].toe.x = (double)NAN;
        assert_int_equal(sft_lock_update_many(&def, FEET, inputs, 0.02, many, k == 30 ? NULL : results), SFT_ERR_RANGE);
        assert_int_equal(results[77], SFT_ERR_RANGE);
        assert_int_equal(results[78], SFT_OK);
        for (int c = 0; c < 3; ++c)
        {
            update(&def, &inputs[chosen[c]], 0.02, &alone[c]);
            assert_memory_equal(&alone[c], &many[chosen[c]], sizeof alone[c]);
        }
    }
    const sft_lock_state untouched = {0};
    assert_memory_equal(&many[77], &untouched, sizeof untouched);
    assert_int_equal(sft_lock_update_many(&def, -1, inputs, 0.02, many, NULL), SFT_ERR_ARG);
    assert_int_equal(sft_lock_update_many(&def, 1, NULL, 0.02, many, NULL), SFT_ERR_ARG);
    assert_int_equal(sft_lock_update_many(&def, 0, NULL, 0.02, NULL, NULL), SFT_OK);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_lock__the_offset_runs_out_as_a_cubic),
        cmocka_unit_test(test_lock__a_transition_keeps_what_is_shown_whenever_it_comes),
        cmocka_unit_test(test_lock__a_blend_of_no_time_crosses_at_once),
        cmocka_unit_test(test_lock__is_article_000s_state_machine_at_its_demo_values),
        cmocka_unit_test(test_lock__rates_of_30_to_240_agree_within_a_millimetre),
        cmocka_unit_test(test_lock__steps_may_vary),
        cmocka_unit_test(test_lock__velocity_by_difference_is_of_second_order_and_does_not_overshoot_a_landing),
        cmocka_unit_test(test_lock__starts_at_the_source_at_rest),
        cmocka_unit_test(test_lock__a_pause_changes_nothing),
        cmocka_unit_test(test_lock__steps_of_microseconds_make_no_velocity),
        cmocka_unit_test(test_lock__a_huge_step_ends_the_crossing),
        cmocka_unit_test(test_lock__a_teleport_starts_anew_without_a_blend),
        cmocka_unit_test(test_lock__says_why_a_foot_in_contact_is_free),
        cmocka_unit_test(test_lock__a_lock_at_any_distance_does_not_chatter),
        cmocka_unit_test(test_lock__across_crossings_nothing_steps),
        cmocka_unit_test(test_lock__refuses_bad_input_and_keeps_its_state),
        cmocka_unit_test(test_lock__one_foot_is_the_same_bits_as_one_of_ten_thousand),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
