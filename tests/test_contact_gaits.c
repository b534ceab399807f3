// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// Gaits that look like slide and are none: tracks written down by formula.

#include "support/support.h"

#include "core/core.h"
#include "sample/walker.h"

#define MAX_FRAMES 600

typedef struct gait
{
    int32_t frames;
    double dt;
    sft_v3d pelvis[MAX_FRAMES];
    sft_v3d toe[2][MAX_FRAMES];
} gait;

static sft_contact_labels* labels_of(const gait* g, bool plain, sft_contact_mismatch* mismatch)
{
    const sft_foot_tracks feet[2] = {{NULL, g->toe[0], NULL}, {NULL, g->toe[1], NULL}};
    const sft_contact_input in = {g->frames, g->dt, 0, g->pelvis, feet, 2, 0.0, NULL};
    const sft_contact_def def = sft_default_contact_def();
    sft_contact_labels* labels = NULL;
    assert_int_equal(sft_contact_labels_create(g->frames, 2, NULL, &labels), SFT_OK);
    assert_int_equal(plain ? sft_contact_label_plain(&def, &in, NULL, labels)
                           : sft_contact_label(&def, &in, NULL, labels, mismatch),
                     SFT_OK);
    return labels;
}

static double smooth(double from, double to, double t)
{
    const double u = sft_clampd((t - from) / (to - from), 0.0, 1.0);
    return u * u * u * (10.0 + u * (6.0 * u - 15.0));
}

// One step of a walk at 1.07 m/s. The left foot stands for `stand` seconds, then its toe joint slips back at 0.24 m/s
// and rises ever faster for 0.2 s before it swings; the right foot is in the air until 0.42 s.
static gait rolling_step(double fps, double stand)
{
    gait g = {.frames = (int32_t)(1.0 * fps), .dt = 1.0 / fps};
    for (int32_t i = 0; i < g.frames; ++i)
    {
        const double t = i * g.dt, roll = sft_clampd(t - stand, 0.0, 0.2), leave = stand + 0.2;
        const double swing = smooth(leave, leave + 0.45, t), ahead = smooth(-0.1, 0.42, t);
        g.pelvis[i] = (sft_v3d){0, 0.95, 1.07 * t};
        g.toe[0][i] = (sft_v3d){0.1 + 0.09 * roll, 0.02 + 0.75 * roll * roll + 0.3 * swing * (1.0 - swing),
                                1.3 * swing - 0.22 * roll};
        g.toe[1][i] = (sft_v3d){-0.1, 0.02 + 0.3 * ahead * (1.0 - ahead), 1.3 * ahead - 0.65};
    }
    return g;
}

static void test_contact__foot_that_stood_and_rolls_off_is_no_creep(void** state)
{
    (void)state;
    const double rates[] = {60, 100, 120}, stands[] = {0.2, 0.22};
    for (size_t r = 0; r < SFT_COUNT_OF(rates); ++r)
        for (size_t k = 0; k < SFT_COUNT_OF(stands); ++k)
        {
            const gait g = rolling_step(rates[r], stands[k]);
            sft_contact_labels *want = labels_of(&g, true, NULL), *got = labels_of(&g, false, NULL);
            for (int32_t i = 0; i < 2 * g.frames; ++i)
                assert_true(got->plant[i] == want->plant[i]);
            sft_contact_labels_destroy(want, NULL);
            sft_contact_labels_destroy(got, NULL);
        }
}

static void test_contact__creep_under_a_body_that_walks_about_is_no_treadmill(void** state)
{
    (void)state;
    // There and back, so that no travel is left at the end; the feet creep at 0.158 m/s all the time.
    walker_def def = walker_default_def();
    gait g = {.frames = 480, .dt = 1.0 / def.fps};
    const double height = walker_hips_height(&def);
    for (int32_t i = 0; i < g.frames; ++i)
    {
        const double t = (i < 240 ? i : 479 - i) * g.dt;
        g.pelvis[i] = walker_hips_at(&def, height, t).t;
        for (int side = 0; side < 2; ++side)
        {
            g.toe[side][i] = walker_foot_at(&def, side, t).toe;
            g.toe[side][i].x += 0.158 * i * g.dt;
        }
    }
    sft_contact_mismatch mismatch;
    sft_contact_labels_destroy(labels_of(&g, false, &mismatch), NULL);
    assert_false(mismatch.moving_ground);
    // The same feet on a body that stays are a treadmill, however slow.
    for (int32_t i = 0; i < g.frames; ++i)
        for (int side = 0; side < 2; ++side)
        {
            const double t = i * g.dt;
            g.pelvis[i] = (sft_v3d){0, 0.95, 0};
            g.toe[side][i] = walker_foot_at(&def, side, t).toe;
            g.toe[side][i].z -= walker_hips_at(&def, height, t).t.z;
        }
    sft_contact_labels_destroy(labels_of(&g, false, &mismatch), NULL);
    assert_true(mismatch.moving_ground);
    assert_true(fabs(mismatch.ground_velocity.z + def.speed) < 0.05);
}

// A walk whose feet creep by some hundredths of the body's speed, as real feet do, its travel then scaled: the creep is
// taken for slide, so that the ends of plants are a little off. No frame that the plain rule plants may go missing.
static void test_contact__ends_of_plants_survive_doubt_about_the_slide(void** state)
{
    (void)state;
    const double rates[] = {30, 60, 100, 120}, creeps[] = {-0.03, 0.02, 0.03}, scales[] = {0.75, 1.25};
    for (int c = 0; c < 4 * 3 * 2 * 4; ++c)
    {
        walker_def def = walker_default_def();
        def.fps = rates[c % 4];
        def.frames = (int32_t)(4.0 * def.fps);
        def.start = 0.25 * (double)(c / 24);
        def.speed = 0.7;
        def.step_length = 0.45;
        gait g = {.frames = def.frames, .dt = 1.0 / def.fps};
        const double height = walker_hips_height(&def);
        for (int32_t i = 0; i < g.frames; ++i)
        {
            g.pelvis[i] = walker_hips_at(&def, height, i * g.dt).t;
            for (int side = 0; side < 2; ++side)
            {
                g.toe[side][i] = walker_foot_at(&def, side, i * g.dt).toe;
                g.toe[side][i].z += creeps[c / 4 % 3] * g.pelvis[i].z;
            }
        }
        sft_contact_labels* want = labels_of(&g, true, NULL);
        for (int32_t i = 0; i < g.frames; ++i)
        {
            const double more = (scales[c / 12 % 2] - 1.0) * (g.pelvis[i].z - g.pelvis[0].z);
            g.toe[0][i].z += more;
            g.toe[1][i].z += more;
        }
        const sft_v3d start = g.pelvis[0];
        for (int32_t i = 0; i < g.frames; ++i)
            g.pelvis[i].z = start.z + scales[c / 12 % 2] * (g.pelvis[i].z - start.z);
        sft_contact_labels* got = labels_of(&g, false, NULL);
        for (int32_t i = 0; i < 2 * g.frames; ++i)
            assert_true(got->plant[i] >= want->plant[i]);
        sft_contact_labels_destroy(want, NULL);
        sft_contact_labels_destroy(got, NULL);
    }
}

// A clip that ends while a foot goes up slowly, or starts while one comes down, the other foot being in the air: what
// lies before or after is the foot's own height, and no ground to stand on.
static void test_contact__slow_swing_at_the_ends_of_a_clip_is_no_stance(void** state)
{
    (void)state;
    for (int reverse = 0; reverse < 2; ++reverse)
    {
        gait g = {.frames = 73, .dt = 1.0 / 60.0};
        for (int32_t i = 0; i < g.frames; ++i)
        {
            const double t = i * g.dt;
            const int32_t k = reverse ? g.frames - 1 - i : i;
            g.pelvis[k] = (sft_v3d){0, 0.95, 0.9 * t};
            g.toe[0][k] = (sft_v3d){0.1, 0.02 + 0.3 * sft_maxd(t - 0.3, 0.0), 0.3 * t};
            g.toe[1][k] = (sft_v3d){-0.1, 0.2 + 0.05 * sft_sin(6.0 * t), 1.4 * t};
        }
        sft_contact_labels* got = labels_of(&g, false, NULL);
        for (int32_t i = 0; i < g.frames; ++i)
            if (g.toe[0][i].y > 0.15) assert_true(got->plant[i] == 0.0f);
        sft_contact_labels_destroy(got, NULL);
    }
}

// Toes that roll forward in the last third of their stance, at up to 0.3 m/s: the rest of the stance says how far the
// root travels.
static void test_contact__rolling_feet_do_not_bend_the_estimate(void** state)
{
    (void)state;
    const double rates[] = {30, 60, 120}, scales[] = {0.75, 1.25};
    for (int c = 0; c < 6; ++c)
    {
        walker_def def = walker_default_def();
        def.fps = rates[c % 3];
        const double scale = scales[c / 3], stride = 2.0 * def.step_length / def.speed;
        gait g = {.frames = (int32_t)(4.0 * def.fps), .dt = 1.0 / def.fps};
        const double height = walker_hips_height(&def);
        for (int32_t i = 0; i < g.frames; ++i)
        {
            const double t = i * g.dt;
            const sft_v3d hips = walker_hips_at(&def, height, t).t;
            g.pelvis[i] = (sft_v3d){hips.x, hips.y, scale * hips.z};
            for (int side = 0; side < 2; ++side)
            {
                const double cycle = t / stride + 0.5 * side, phase = cycle - floor(cycle);
                g.toe[side][i] = walker_foot_at(&def, side, t).toe;
                g.toe[side][i].z += 0.04 * (smooth(0.42, 0.65, phase) - smooth(0.65, 1.0, phase));
                g.toe[side][i].z += (scale - 1.0) * hips.z;
            }
        }
        sft_contact_mismatch mismatch;
        sft_contact_labels_destroy(labels_of(&g, false, &mismatch), NULL);
        assert_true(mismatch.known);
        assert_true(fabs(mismatch.root_travel / scale - 1.0) < 0.0035);
    }
}

// Feet that swing in place and never stand, the two in opposite directions, so that no ground explains them. Each stops
// for a moment 0.4 m up, at the turn of its swing: that is no plant, wherever in the clip; `begin` is the turn at frame
// 0.
static void check_turns(double begin)
{
    gait g = {.frames = 90, .dt = 1.0 / 30.0};
    for (int32_t i = 0; i < g.frames; ++i)
    {
        g.pelvis[i] = (sft_v3d){0, 0.9, 0};
        for (int side = 0; side < 2; ++side)
        {
            // Height swings between 0.02 and 0.42 m; sideways speed is 4.5 m/s at the bottom and none at the top.
            const double turn = 2.0 * SFT_PI * (i * g.dt / 1.4 + 0.5 * side + begin);
            const double way = 0.5 * (sft_sin(turn) + 0.5 * sft_sin(2.0 * turn));
            g.toe[side][i] = (sft_v3d){side == 0 ? way : -way, 0.22 - 0.2 * sft_cos(turn), 0};
        }
    }
    const sft_foot_tracks feet[2] = {{NULL, g.toe[0], NULL}, {NULL, g.toe[1], NULL}};
    const sft_contact_input in = {g.frames, g.dt, 0, g.pelvis, feet, 2, 0.0, NULL};
    sft_contact_def def = sft_default_contact_def();
    def.explain_slide = false; // no ground is to be found under them
    sft_contact_labels* plain = labels_of(&g, true, NULL);
    sft_contact_labels* got = labels_of(&g, true, NULL);
    const int32_t top = (int32_t)((1.5 - begin) * 1.4 / g.dt + 0.5) % 42;
    assert_true(plain->plant[top] == 1.0f && plain->plant[top + 42] == 1.0f);
    assert_int_equal(sft_contact_label(&def, &in, NULL, got, NULL), SFT_OK);
    sft_contact_labels_destroy(plain, NULL);
    for (int side = 0; side < 2; ++side)
        for (int32_t i = 0; i < g.frames; ++i)
            if (g.toe[side][i].y > 0.3) assert_true(got->plant[side * g.frames + i] == 0.0f);
    sft_contact_labels_destroy(got, NULL);
}

static void test_contact__turn_of_a_swing_is_no_plant(void** state)
{
    (void)state;
    // In the middle of the clip; at its first frame, and just before; at its last.
    check_turns(0.0);
    check_turns(0.5);
    check_turns(0.51);
    check_turns(0.5 - 89.0 / 42.0 + 2.0);
}

// Frames by which the ends of plants are off, in the mean of the worse foot.
static double ends_off(const sft_contact_labels* want, const sft_contact_labels* got)
{
    double worst = 0.0;
    for (int32_t start = 0; start < 2 * want->frame_count; start += want->frame_count)
    {
        int32_t apart = 0, ends = 1; // one foot stands from the first frame on or to the last
        for (int32_t i = start; i < start + want->frame_count; ++i)
        {
            apart += want->plant[i] != got->plant[i];
            ends += i > start && want->plant[i] != want->plant[i - 1];
        }
        worst = sft_maxd(worst, (double)apart / (double)ends);
    }
    return worst;
}

// A walk whose pelvis goes faster and slower within each step, by 0.2 m/s and a tenth of its speed, as seen by the
// world and as exported in place, with the pelvis pinned. The feet stand when they stand: both have the same plants,
// but for two frames an end.
static void test_contact__walk_in_place_has_the_plants_of_the_walk(void** state)
{
    (void)state;
    const double rates[] = {24, 30, 60, 120}, speeds[] = {0.7, 1.3, 2.0};
    for (int c = 0; c < 4 * 3 * 5; ++c)
    {
        walker_def def = walker_default_def();
        def.fps = rates[c % 4];
        def.speed = speeds[c / 4 % 3];
        def.step_length = 0.3 + 0.25 * def.speed;
        def.start = 0.21 * (double)(c / 12);
        const double step = def.step_length / def.speed, height = walker_hips_height(&def);
        gait walk = {.frames = (int32_t)(4.0 * step * def.fps), .dt = 1.0 / def.fps};
        for (int32_t i = 0; i < walk.frames; ++i)
        {
            const double turn = 2.0 * SFT_PI * (i * walk.dt / step + def.start);
            walk.pelvis[i] = walker_hips_at(&def, height, i * walk.dt).t;
            walk.pelvis[i].z += 0.3 * step / (2.0 * SFT_PI) * sft_sin(turn);
            for (int side = 0; side < 2; ++side)
                walk.toe[side][i] = walker_foot_at(&def, side, i * walk.dt).toe;
        }
        gait pinned = walk;
        for (int32_t i = 0; i < walk.frames; ++i)
        {
            const sft_v3d by = {walk.pelvis[i].x - walk.pelvis[0].x, 0, walk.pelvis[i].z - walk.pelvis[0].z};
            pinned.pelvis[i] = sft_v3d_sub(walk.pelvis[i], by);
            for (int side = 0; side < 2; ++side)
                pinned.toe[side][i] = sft_v3d_sub(walk.toe[side][i], by);
        }
        sft_contact_mismatch mismatch;
        sft_contact_labels *want = labels_of(&walk, true, NULL), *got = labels_of(&pinned, false, &mismatch);
        assert_true(mismatch.moving_ground);
        // A pinned pelvis does not show its mean speed, but none that it never had.
        if (fabs(mismatch.ground_velocity.z + def.speed) > 0.3)
            fail_msg("%g m/s at %g Hz: ground %g", def.speed, def.fps, mismatch.ground_velocity.z);
        const double off = ends_off(want, got);
        if (off > sft_maxd(2.0, def.fps / 30.0))
            fail_msg("%g m/s at %g Hz: ends %g frames off", def.speed, def.fps, off);
        sft_contact_labels_destroy(want, NULL);
        sft_contact_labels_destroy(got, NULL);
    }
}

// A run on the spot as game clips have it: the toes go round an oval, back at `speed` where they are lowest, and no
// frame finds them at rest in height. `flat`: they go to and fro at one height instead.
static gait running_in_place(double fps, double speed, double phase, bool flat)
{
    gait g = {.frames = (int32_t)(0.8 * fps) + 1, .dt = 1.0 / fps};
    const double along = speed * 0.8 / (2.0 * SFT_PI);
    for (int32_t i = 0; i < g.frames; ++i)
    {
        g.pelvis[i] = (sft_v3d){0, 0.9, 0};
        for (int side = 0; side < 2; ++side)
        {
            const double turn = 2.0 * SFT_PI * (i * g.dt / 0.8 + 0.5 * side + phase);
            g.toe[side][i] =
                (sft_v3d){side == 0 ? 0.1 : -0.1, flat ? 0.05 : 0.2 - 0.2 * sft_cos(turn), -along * sft_sin(turn)};
        }
    }
    return g;
}

static void test_contact__run_in_place_tells_its_ground(void** state)
{
    (void)state;
    const double rates[] = {24, 30, 60}, speeds[] = {2.5, 4.5, 8.0};
    for (int c = 0; c < 3 * 3 * 7; ++c)
    {
        const double fps = rates[c % 3], speed = speeds[c / 3 % 3], phase = (double)(c / 9) / 7.0;
        sft_contact_mismatch mismatch;
        const gait run = running_in_place(fps, speed, phase, false);
        sft_contact_labels_destroy(labels_of(&run, false, &mismatch), NULL);
        // Where the toe is within 3 cm of its lowest it goes at 0.85 to 1 of `speed`.
        const sft_v3d v = mismatch.ground_velocity;
        if (!mismatch.moving_ground || v.z < -1.02 * speed || v.z > -0.9 * speed || fabs(v.x) > 0.01)
            fail_msg("%g m/s at %g Hz, from %g: %d, %g", speed, fps, phase, mismatch.moving_ground, v.z);
        // Feet that go to and fro at one height are no run.
        const gait shuffle = running_in_place(fps, speed, phase, true);
        sft_contact_labels_destroy(labels_of(&shuffle, false, &mismatch), NULL);
        assert_false(mismatch.moving_ground);
    }
}

// A jump on the spot: as it lands, one foot is dragged back by 0.3 m/s for a fifth of a second while the body rolls
// over it at 0.5 m/s, as if the root went 0.6 times what the feet support; the other skims ahead into its place. All
// else stands while the body stands.
static void test_contact__one_dragged_foot_says_nothing_of_the_root(void** state)
{
    (void)state;
    const double rates[] = {30, 60, 120};
    for (size_t r = 0; r < SFT_COUNT_OF(rates); ++r)
    {
        gait g = {.frames = (int32_t)(2.4 * rates[r]), .dt = 1.0 / rates[r]};
        for (int32_t i = 0; i < g.frames; ++i)
        {
            const double t = i * g.dt, u = sft_clampd((t - 0.6) / 0.8, 0.0, 1.0), roll = sft_clampd(t - 1.4, 0.0, 0.2);
            const double up = 4.0 * u * (1.0 - u), back = smooth(0.6, 1.4, t);
            g.pelvis[i] = (sft_v3d){0, 0.9 + 0.5 * up, 0.5 * roll - 0.1 * back};
            g.toe[0][i] = (sft_v3d){0.1, 0.02 + 0.5 * up, 0.06 * back - 0.3 * roll};
            g.toe[1][i] = (sft_v3d){-0.1, 0.02 + 0.5 * up, 1.5 * roll - 0.3 * back};
        }
        sft_contact_mismatch mismatch;
        sft_contact_labels_destroy(labels_of(&g, false, &mismatch), NULL);
        if (mismatch.known && fabs(mismatch.root_travel - 1.0) > 0.01) fail_msg("%s", mismatch.text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_contact__walk_in_place_has_the_plants_of_the_walk),
        cmocka_unit_test(test_contact__run_in_place_tells_its_ground),
        cmocka_unit_test(test_contact__one_dragged_foot_says_nothing_of_the_root),
        cmocka_unit_test(test_contact__turn_of_a_swing_is_no_plant),
        cmocka_unit_test(test_contact__foot_that_stood_and_rolls_off_is_no_creep),
        cmocka_unit_test(test_contact__ends_of_plants_survive_doubt_about_the_slide),
        cmocka_unit_test(test_contact__slow_swing_at_the_ends_of_a_clip_is_no_stance),
        cmocka_unit_test(test_contact__rolling_feet_do_not_bend_the_estimate),
        cmocka_unit_test(test_contact__creep_under_a_body_that_walks_about_is_no_treadmill),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
