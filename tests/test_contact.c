// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

#include "support/support.h"

#include "core/core.h"
#include "sample/walker.h"

// ---- tracks whose contacts are known in closed form ----

typedef struct scene
{
    int32_t frames;
    double dt;
    sft_v3d* pelvis;
    sft_v3d* at[2][3]; // [side][heel, toe, toe end]
    bool* plant[2];
    bool* touch[2];
    sft_foot_tracks feet[2];
} scene;

static scene scene_make(int32_t frames, double dt)
{
    scene s = {.frames = frames, .dt = dt};
    const size_t n = (size_t)frames;
    s.pelvis = calloc(n, sizeof *s.pelvis);
    for (int side = 0; side < 2; ++side)
    {
        for (int k = 0; k < 3; ++k)
            s.at[side][k] = calloc(n, sizeof(sft_v3d));
        s.plant[side] = calloc(n, sizeof(bool));
        s.touch[side] = calloc(n, sizeof(bool));
        s.feet[side] = (sft_foot_tracks){s.at[side][0], s.at[side][1], s.at[side][2]};
    }
    return s;
}

static void scene_free(scene* s)
{
    free(s->pelvis);
    for (int side = 0; side < 2; ++side)
    {
        for (int k = 0; k < 3; ++k)
            free(s->at[side][k]);
        free(s->plant[side]);
        free(s->touch[side]);
    }
}

static scene scene_walk(const walker_def* def)
{
    scene s = scene_make(def->frames, 1.0 / def->fps);
    const double height = walker_hips_height(def);
    for (int32_t i = 0; i < s.frames; ++i)
    {
        s.pelvis[i] = walker_hips_at(def, height, i * s.dt).t;
        for (int side = 0; side < 2; ++side)
        {
            const walker_foot foot = walker_foot_at(def, side, i * s.dt);
            s.at[side][0][i] = foot.heel;
            s.at[side][1][i] = foot.toe;
            s.at[side][2][i] = foot.toe_end;
            s.plant[side][i] = foot.plant;
            s.touch[side][i] = foot.touch;
        }
    }
    return s;
}

static void scene_shift(scene* s, int32_t i, sft_v3d by)
{
    s->pelvis[i] = sft_v3d_add(s->pelvis[i], by);
    for (int side = 0; side < 2; ++side)
        for (int k = 0; k < 3; ++k)
            s->at[side][k][i] = sft_v3d_add(s->at[side][k][i], by);
}

// Root travel times k: everything follows the pelvis.
static void scene_scale(scene* s, double k)
{
    const sft_v3d origin = s->pelvis[0];
    for (int32_t i = 0; i < s->frames; ++i)
        scene_shift(s, i, (sft_v3d){(k - 1) * (s->pelvis[i].x - origin.x), 0, (k - 1) * (s->pelvis[i].z - origin.z)});
}

static void scene_ride(scene* s, sft_v3d velocity)
{
    for (int32_t i = 0; i < s->frames; ++i)
        scene_shift(s, i, sft_v3d_scale(i * s->dt, velocity));
}

static sft_contact_input scene_input(const scene* s)
{
    return (sft_contact_input){s->frames, s->dt, 0, s->pelvis, s->feet, 2, 0.0, NULL};
}

static sft_contact_labels* label_with(const scene* s, const sft_contact_def* def, sft_contact_mismatch* mismatch)
{
    const sft_contact_input in = scene_input(s);
    sft_contact_labels* labels;
    assert_int_equal(sft_contact_labels_create(s->frames, 2, NULL, &labels), SFT_OK);
    assert_int_equal(sft_contact_label(def, &in, NULL, labels, mismatch), SFT_OK);
    return labels;
}

static sft_contact_labels* label(const scene* s, sft_contact_mismatch* mismatch)
{
    const sft_contact_def def = sft_default_contact_def();
    return label_with(s, &def, mismatch);
}

static sft_contact_labels* plain(const scene* s)
{
    const sft_contact_def def = sft_default_contact_def();
    const sft_contact_input in = scene_input(s);
    sft_contact_labels* labels;
    assert_int_equal(sft_contact_labels_create(s->frames, 2, NULL, &labels), SFT_OK);
    assert_int_equal(sft_contact_label_plain(&def, &in, NULL, labels), SFT_OK);
    return labels;
}

static bool boundary(const bool* b, int32_t n, int32_t i)
{
    return (i > 0 && b[i] != b[i - 1]) || (i + 1 < n && b[i] != b[i + 1]);
}

// F1 of labels against truth, without frames next to a boundary of either where `inner`.
static double f1_of(const float* got, const bool* want, int32_t n, bool inner)
{
    bool* b = calloc((size_t)n, sizeof *b);
    for (int32_t i = 0; i < n; ++i)
        b[i] = got[i] > 0.75f;
    double both = 0, sum = 0;
    for (int32_t i = 0; i < n; ++i)
    {
        if (inner && (boundary(b, n, i) || boundary(want, n, i))) continue;
        both += b[i] && want[i];
        sum += b[i] + want[i];
    }
    free(b);
    return sum > 0 ? 2 * both / sum : 1.0;
}

static double plants_like(const sft_contact_labels* a, const sft_contact_labels* b, bool inner)
{
    const int32_t n = a->frame_count * a->foot_count;
    bool* want = calloc((size_t)n, sizeof *want);
    for (int32_t i = 0; i < n; ++i)
        want[i] = b->plant[i] > 0.75f;
    const double f1 = f1_of(a->plant, want, n, inner);
    free(want);
    return f1;
}

static void drop(sft_contact_labels* labels)
{
    sft_contact_labels_destroy(labels, NULL);
}

// ---- the plain rule ----

static void test_contact__plain_rule_by_hand(void** state)
{
    (void)state;
    // 30 Hz: window 3. Steps of 9 mm a frame are 0.27 m/s, of 8 mm 0.24 m/s.
    scene s = scene_make(12, 1.0 / 30.0);
    const double step[12] = {0, 9, 9, 8, 8, 9, 8, 8, 8, 9, 9, 8};
    for (int32_t i = 1; i < 12; ++i)
        s.at[0][1][i].x = s.at[0][1][i - 1].x + 0.001 * step[i];
    // Below threshold at 3, 4, 6, 7, 8, 11; the majority of three fills 5, keeps 3 and 8, and keeps 11 as its own
    // repeated neighbour.
    const float want[12] = {0, 0, 0, 1, 1, 1, 1, 1, 1, 0, 0, 1};
    sft_contact_labels* labels = plain(&s);
    for (int32_t i = 0; i < 12; ++i)
    {
        assert_true(labels->plant[i] == want[i] && labels->touch[i] == want[i]);
        assert_true(labels->plant[12 + i] == 1.0f);
    }
    // Vertical speed counts too.
    for (int32_t i = 0; i < 12; ++i)
        s.at[1][1][i].y = 0.012 * i;
    drop(labels);
    labels = plain(&s);
    for (int32_t i = 0; i < 12; ++i)
        assert_true(labels->plant[12 + i] == 0.0f);
    drop(labels);
    scene_free(&s);
}

static void test_contact__plain_rule_window(void** state)
{
    (void)state;
    // 120 Hz: 5/60 s are ten frames, made odd eleven: a gap of five is filled, one of six is not.
    for (int gap = 5; gap <= 6; ++gap)
    {
        scene s = scene_make(60, 1.0 / 120.0);
        for (int32_t i = 1; i < 60; ++i)
            s.at[0][1][i].z = s.at[0][1][i - 1].z + (i >= 30 && i < 30 + gap ? 0.01 : 0.0);
        sft_contact_labels* labels = plain(&s);
        int moving = 0;
        for (int32_t i = 0; i < 60; ++i)
            moving += labels->plant[i] == 0.0f;
        // At the middle of six, six of eleven move; one frame off, still six.
        assert_int_equal(moving, gap == 5 ? 0 : 6);
        drop(labels);
        scene_free(&s);
    }
}

static void test_contact__reference_frames_are_left_out(void** state)
{
    (void)state;
    walker_def def = walker_default_def();
    scene s = scene_walk(&def);
    // A T-pose far away in front of the walk, NaN included: never looked at.
    for (int32_t i = 0; i < 2; ++i)
        scene_shift(&s, i, (sft_v3d){NAN, 5, 7});
    const sft_contact_def d = sft_default_contact_def();
    sft_contact_input in = scene_input(&s);
    in.first_frame = 2;
    sft_contact_labels *cut, *ref;
    assert_int_equal(sft_contact_labels_create(s.frames, 2, NULL, &cut), SFT_OK);
    assert_int_equal(sft_contact_labels_create(s.frames, 2, NULL, &ref), SFT_OK);
    assert_int_equal(sft_contact_label(&d, &in, NULL, cut, NULL), SFT_OK);
    assert_int_equal(sft_contact_label_plain(&d, &in, NULL, ref), SFT_OK);
    for (int32_t f = 0; f < 2; ++f)
        for (int32_t i = 0; i < s.frames; ++i)
        {
            if (i < 2) assert_true(cut->plant[f * s.frames + i] == 0.0f && cut->touch[f * s.frames + i] == 0.0f);
            assert_true(cut->plant[f * s.frames + i] == ref->plant[f * s.frames + i]);
        }
    in.first_frame = s.frames + 3;
    sft_contact_mismatch m;
    assert_int_equal(sft_contact_label(&d, &in, NULL, cut, &m), SFT_OK);
    assert_true(!m.known && cut->plant[50] == 0.0f);
    drop(cut);
    drop(ref);
    scene_free(&s);
}

// ---- plants and their cause ----

static void test_contact__clean_walk_is_labelled_as_the_plain_rule_does(void** state)
{
    (void)state;
    const double rates[] = {60, 100, 120, 240};
    for (size_t r = 0; r < SFT_COUNT_OF(rates); ++r)
    {
        walker_def def = walker_default_def();
        def.fps = rates[r];
        def.frames = (int32_t)(4 * rates[r]);
        scene s = scene_walk(&def);
        sft_contact_mismatch m;
        sft_contact_labels *got = label(&s, &m), *ref = plain(&s);
        assert_true(plants_like(got, ref, false) == 1.0);
        assert_true(m.known && !m.moving_ground && m.root_travel == 1.0);
        assert_true(m.evidence_frames > 100 && m.residual_cm_s < 2.0);
        assert_string_equal(m.text, "the root's travel matches what the feet support");
        for (int side = 0; side < 2; ++side)
        {
            assert_true(f1_of(got->plant + side * s.frames, s.plant[side], s.frames, true) > 0.93);
            // The walker's toes leave and land at rest, more gently than a person's: some frames late and early are
            // due.
            assert_true(f1_of(got->touch + side * s.frames, s.touch[side], s.frames, false) > 0.9);
        }
        drop(got);
        drop(ref);
        scene_free(&s);
    }
}

static void test_contact__plants_survive_root_scale(void** state)
{
    (void)state;
    const double scales[] = {0.5, 0.75, 1.25, 1.6}, speeds[] = {0.9, 1.3, 1.7}, headings[] = {0.0, 2.0};
    const double rates[] = {24, 30, 120};
    for (size_t k = 0; k < SFT_COUNT_OF(scales); ++k)
        for (size_t v = 0; v < SFT_COUNT_OF(speeds); ++v)
            for (size_t r = 0; r < SFT_COUNT_OF(rates); ++r)
            {
                walker_def def = walker_default_def();
                def.fps = rates[r];
                def.frames = (int32_t)(2.5 * rates[r]);
                def.speed = speeds[v];
                def.heading = headings[v % 2];
                scene s = scene_walk(&def);
                sft_contact_labels* ref = plain(&s);
                scene_scale(&s, scales[k]);
                sft_contact_mismatch m;
                sft_contact_labels* got = label(&s, &m);
                assert_true(m.known && !m.moving_ground);
                assert_true(fabs(m.root_travel / scales[k] - 1.0) < 0.03);
                assert_true(plants_like(got, ref, true) > 0.99);
                drop(got);
                drop(ref);
                scene_free(&s);
            }
}

static void test_contact__mismatch_is_said_in_one_sentence(void** state)
{
    (void)state;
    walker_def def = walker_default_def();
    scene s = scene_walk(&def);
    scene_scale(&s, 1.25);
    sft_contact_mismatch m;
    drop(label(&s, &m));
    assert_true(strncmp(m.text, "the root travels 1.2", 20) == 0);
    assert_true(strstr(m.text, "times what the feet support") != NULL);
    assert_true(m.root_travel_error > 0.0 && m.root_travel_error < 0.05);
    scene_free(&s);
}

static void test_contact__treadmill_is_found_or_given(void** state)
{
    (void)state;
    const double speeds[] = {0.8, 1.3, 1.7};
    for (size_t v = 0; v < SFT_COUNT_OF(speeds); ++v)
    {
        walker_def def = walker_default_def();
        def.speed = speeds[v];
        scene s = scene_walk(&def);
        sft_contact_labels* ref = plain(&s);
        const sft_v3d belt = {0, 0, -speeds[v]};
        scene_ride(&s, belt);
        sft_contact_mismatch m;
        sft_contact_labels* got = label(&s, &m);
        assert_true(m.known && m.moving_ground && m.root_travel == 1.0);
        assert_true(sft_v3d_distance(m.ground_velocity, belt) < 0.03);
        assert_true(plants_like(got, ref, true) > 0.99);
        assert_true(strstr(m.text, "treadmill") != NULL);
        for (int side = 0; side < 2; ++side)
            assert_true(f1_of(got->touch + side * s.frames, s.touch[side], s.frames, false) > 0.9);
        drop(got);
        sft_contact_def given = sft_default_contact_def();
        given.given_ground = true;
        given.ground_velocity = belt;
        got = label_with(&s, &given, &m);
        assert_true(m.moving_ground && m.ground_velocity.z == belt.z);
        assert_true(plants_like(got, ref, false) > 0.99);
        drop(got);
        drop(ref);
        scene_free(&s);
    }
}

static void test_contact__standing_tells_nothing(void** state)
{
    (void)state;
    scene s = scene_make(120, 1.0 / 60.0);
    support_rng rng = {7};
    for (int32_t i = 0; i < 120; ++i)
    {
        s.pelvis[i] = (sft_v3d){0.02 * sft_sin(0.1 * i), 0.9, 0.01};
        for (int k = 0; k < 6; ++k)
            s.at[k / 3][k % 3][i] = (sft_v3d){0.1 * k + support_uniform(&rng, -0.0005, 0.0005), 0.03, 0.1};
    }
    sft_contact_mismatch m;
    sft_contact_labels* got = label(&s, &m);
    assert_true(!m.known && !m.moving_ground && m.root_travel == 1.0 && m.root_travel_error == 0.0);
    assert_true(strstr(m.text, "not enough evidence") != NULL);
    for (int32_t i = 0; i < 240; ++i)
        assert_true(got->plant[i] == 1.0f && got->touch[i] == 1.0f);
    drop(got);
    scene_free(&s);
}

static void test_contact__stairs_and_slopes(void** state)
{
    (void)state;
    const double rises[] = {0.17, -0.17, 0.0, 0.0}, slopes[] = {0.0, 0.0, 0.15, -0.15};
    for (size_t k = 0; k < SFT_COUNT_OF(rises); ++k)
        for (int scaled = 0; scaled < 2; ++scaled)
        {
            walker_def def = walker_default_def();
            def.speed = 1.0;
            def.step_length = 0.5;
            def.rise = rises[k];
            def.slope = slopes[k];
            scene s = scene_walk(&def);
            sft_contact_labels* ref = plain(&s);
            if (scaled) scene_scale(&s, 1.25);
            sft_contact_mismatch m;
            sft_contact_labels* got = label(&s, &m);
            assert_true(plants_like(got, ref, true) > 0.99);
            assert_true(!m.known || fabs(m.root_travel - (scaled ? 1.25 : 1.0)) < 0.05);
            for (int side = 0; side < 2; ++side)
                assert_true(f1_of(got->touch + side * s.frames, s.touch[side], s.frames, false) > 0.9);
            drop(got);
            drop(ref);
            scene_free(&s);
        }
}

// Time of every change of a foot's labels, halfway between the frames.
static int changes(const float* b, int32_t n, double dt, double* out, int capacity)
{
    int count = 0;
    for (int32_t i = 1; i < n && count < capacity; ++i)
        if ((b[i] > 0.75f) != (b[i - 1] > 0.75f)) out[count++] = (i - 0.5) * dt;
    return count;
}

static void test_contact__every_rate_gives_the_same_labels(void** state)
{
    (void)state;
    const double rates[] = {24, 30, 60, 120, 240};
    double plant_fine[64], touch_fine[64], plant_times[64], touch_times[64];
    int plant_count = 0, touch_count = 0;
    for (int r = 4; r >= 0; --r)
    {
        walker_def def = walker_default_def();
        def.fps = rates[r];
        def.frames = (int32_t)(4 * rates[r]);
        def.speed = 1.1;
        scene s = scene_walk(&def);
        sft_contact_labels* got = label(&s, NULL);
        if (r == 4)
        {
            plant_count = changes(got->plant, s.frames, s.dt, plant_fine, 64);
            touch_count = changes(got->touch, s.frames, s.dt, touch_fine, 64);
            assert_true(plant_count >= 6 && touch_count >= 6);
        }
        assert_int_equal(changes(got->plant, s.frames, s.dt, plant_times, 64), plant_count);
        assert_int_equal(changes(got->touch, s.frames, s.dt, touch_times, 64), touch_count);
        // Within a frame time (and the half frame by which backward differences lag at 240 Hz).
        for (int i = 0; i < plant_count; ++i)
            assert_true(fabs(plant_times[i] - plant_fine[i]) <= s.dt + 0.5 / 240.0 + 1e-9);
        for (int i = 0; i < touch_count; ++i)
            assert_true(fabs(touch_times[i] - touch_fine[i]) <= s.dt + 0.5 / 240.0 + 1e-9);
        drop(got);
        scene_free(&s);
    }
}

static void test_contact__edited_rotations_leave_plants(void** state)
{
    (void)state;
    // Feet creep by a slow sine of up to 0.5 m/s that has nothing to do with the pelvis.
    const double amplitudes[] = {0.3, 0.5};
    for (size_t a = 0; a < SFT_COUNT_OF(amplitudes); ++a)
        for (int scaled = 0; scaled < 2; ++scaled)
        {
            walker_def def = walker_default_def();
            def.frames = 360;
            scene s = scene_walk(&def);
            sft_contact_labels* ref = plain(&s);
            const double w = 2 * SFT_PI * 0.8;
            for (int32_t i = 0; i < s.frames; ++i)
                for (int side = 0; side < 2; ++side)
                    for (int k = 0; k < 3; ++k)
                        s.at[side][k][i].z += amplitudes[a] / w * sft_sin(w * i * s.dt + 2.0 * side);
            if (scaled) scene_scale(&s, 1.25);
            sft_contact_labels *got = label(&s, NULL), *bare = plain(&s);
            assert_true(plants_like(bare, ref, true) < 0.8);
            assert_true(plants_like(got, ref, true) > 0.9);
            drop(bare);
            drop(got);
            drop(ref);
            scene_free(&s);
        }
}

// Foot 1 stands at the origin; foot 0 stands, rises to `height` by a smooth step, stays there from 1 to 2 s and comes
// back, or, with `stay`, stays up and foot 1 follows at 1.5 s.
static scene rising_foot(double height, bool stay)
{
    scene s = scene_make(180, 1.0 / 60.0);
    for (int32_t i = 0; i < s.frames; ++i)
    {
        const double t = i * s.dt;
        const double up = sft_clampd((t - 0.7) / 0.3, 0, 1), down = stay ? 0 : sft_clampd((t - 2.0) / 0.3, 0, 1);
        const double follow = stay ? sft_clampd((t - 1.5) / 0.3, 0, 1) : 0;
        const double y = height * (up * up * (3 - 2 * up) - down * down * (3 - 2 * down));
        s.pelvis[i] = (sft_v3d){0, 0.9 + height * follow, 0};
        for (int k = 0; k < 3; ++k)
        {
            s.at[0][k][i] = (sft_v3d){0.1, 0.03 + y, 0.1 * k + 2 * y};
            s.at[1][k][i] = (sft_v3d){-0.1, 0.03 + height * follow * follow * (3 - 2 * follow), 0.1 * k};
        }
    }
    return s;
}

static void test_contact__a_foot_hanging_in_the_air_is_no_plant(void** state)
{
    (void)state;
    scene s = rising_foot(0.3, false);
    sft_contact_labels *got = label(&s, NULL), *bare = plain(&s);
    assert_true(bare->plant[90] == 1.0f); // the plain rule has no height
    assert_true(got->plant[90] == 0.0f && got->touch[90] == 0.0f);
    assert_true(got->plant[20] == 1.0f && got->plant[170] == 1.0f && got->plant[180 + 90] == 1.0f);
    drop(got);
    drop(bare);
    scene_free(&s);
    // The same foot on a box, with the other one following: both stand.
    s = rising_foot(0.3, true);
    got = label(&s, NULL);
    assert_true(got->plant[80] == 1.0f && got->plant[170] == 1.0f && got->plant[180 + 170] == 1.0f);
    drop(got);
    scene_free(&s);
}

static void test_contact__the_top_of_a_jump_is_no_plant(void** state)
{
    (void)state;
    // Both feet up and down on a parabola, 0.4 m high, the top slower than 0.25 m/s for 0.05 s.
    scene s = scene_make(240, 1.0 / 120.0);
    for (int32_t i = 0; i < s.frames; ++i)
    {
        const double t = i * s.dt - 1.0, y = sft_maxd(0.0, 0.4 - 0.5 * 9.81 * t * t);
        s.pelvis[i] = (sft_v3d){0, 0.9 + y, 0};
        for (int k = 0; k < 6; ++k)
            s.at[k / 3][k % 3][i] = (sft_v3d){0.1 * k, 0.03 + y, 0};
    }
    sft_contact_labels* got = label(&s, NULL);
    for (int32_t i = 0; i < s.frames; ++i)
    {
        const double t = fabs(i * s.dt - 1.0);
        if (t < 0.24) assert_true(got->plant[i] == 0.0f && got->touch[i] == 0.0f);
        if (t > 0.35) assert_true(got->plant[i] == 1.0f && got->touch[i] == 1.0f);
    }
    drop(got);
    scene_free(&s);
}

static void test_contact__labels_move_with_the_scene(void** state)
{
    (void)state;
    // Turned, moved far away, and feet in the other order: the same labels.
    walker_def def = walker_default_def();
    def.noise = 0.0;
    scene s = scene_walk(&def);
    scene_scale(&s, 0.75);
    sft_contact_labels* here = label(&s, NULL);
    for (int32_t i = 0; i < s.frames; ++i)
        scene_shift(&s, i, (sft_v3d){512.0, 64.0, -1024.0});
    const sft_foot_tracks first = s.feet[0];
    s.feet[0] = s.feet[1];
    s.feet[1] = first;
    sft_contact_labels* there = label(&s, NULL);
    for (int32_t i = 0; i < s.frames; ++i)
    {
        assert_true(here->plant[i] == there->plant[s.frames + i] && here->plant[s.frames + i] == there->plant[i]);
        assert_true(here->touch[i] == there->touch[s.frames + i] && here->touch[s.frames + i] == there->touch[i]);
    }
    drop(here);
    drop(there);
    scene_free(&s);
}

// ---- edges of the input ----

static void test_contact__one_two_and_three_frames(void** state)
{
    (void)state;
    for (int32_t n = 1; n <= 3; ++n)
    {
        scene s = scene_make(n, 1.0 / 30.0);
        for (int32_t i = 0; i < n; ++i)
            s.at[1][1][i].x = 0.1 * i; // 3 m/s
        sft_contact_mismatch m;
        sft_contact_labels* got = label(&s, &m);
        assert_true(!m.known);
        for (int32_t i = 0; i < n; ++i)
        {
            assert_true(got->plant[i] == 1.0f && got->touch[i] == 1.0f);
            assert_true(got->plant[n + i] == (n == 1 ? 1.0f : 0.0f));
        }
        drop(got);
        scene_free(&s);
    }
}

static void test_contact__bad_input_is_refused_untouched(void** state)
{
    (void)state;
    walker_def wd = walker_default_def();
    scene s = scene_walk(&wd);
    const sft_contact_def good_def = sft_default_contact_def();
    const sft_contact_input good = scene_input(&s);
    sft_contact_labels* labels;
    assert_int_equal(sft_contact_labels_create(s.frames, 2, NULL, &labels), SFT_OK);
    labels->plant[3] = 0.5f;
    sft_contact_mismatch m = {.evidence_frames = -7};
    sft_contact_def def = good_def;
    sft_contact_input in = good;
#define REFUSED(code)                                                                                                  \
    do                                                                                                                 \
    {                                                                                                                  \
        assert_int_equal(sft_contact_label(&def, &in, NULL, labels, &m), code);                                        \
        assert_int_equal(sft_contact_label_plain(&def, &in, NULL, labels), code);                                      \
        assert_true(labels->plant[3] == 0.5f && m.evidence_frames == -7);                                              \
        def = good_def;                                                                                                \
        in = good;                                                                                                     \
    } while (0)
    memset(&def, 0, sizeof def);
    REFUSED(SFT_ERR_DEF);
    def.plant_speed = -1;
    REFUSED(SFT_ERR_DEF);
    def.filter_window = (double)NAN;
    REFUSED(SFT_ERR_DEF);
    def.ground_velocity.x = (double)INFINITY;
    REFUSED(SFT_ERR_DEF);
    in.frame_count = 0;
    REFUSED(SFT_ERR_ARG);
    in.frame_count -= 1;
    REFUSED(SFT_ERR_ARG);
    in.pelvis = NULL;
    REFUSED(SFT_ERR_ARG);
    in.feet = NULL;
    REFUSED(SFT_ERR_ARG);
    in.first_frame = -1;
    REFUSED(SFT_ERR_ARG);
    in.frame_time = 0;
    REFUSED(SFT_ERR_RANGE);
    in.frame_time = (double)NAN;
    REFUSED(SFT_ERR_RANGE);
    in.leg_length = -1;
    REFUSED(SFT_ERR_RANGE);
    s.at[1][2][5].y = (double)NAN;
    REFUSED(SFT_ERR_RANGE);
#undef REFUSED
    assert_int_equal(sft_contact_label(NULL, &in, NULL, labels, &m), SFT_ERR_ARG);
    assert_int_equal(sft_contact_label(&def, NULL, NULL, labels, &m), SFT_ERR_ARG);
    assert_int_equal(sft_contact_label(&def, &in, NULL, NULL, &m), SFT_ERR_ARG);
    sft_contact_labels* none;
    assert_int_equal(sft_contact_labels_create(0, 2, NULL, &none), SFT_ERR_ARG);
    assert_int_equal(sft_contact_labels_create(5, SFT_MAX_FEET + 1, NULL, &none), SFT_ERR_ARG);
    assert_int_equal(sft_contact_labels_create(5, 0, NULL, &none), SFT_OK);
    in.frame_count = 5;
    in.foot_count = 0;
    assert_int_equal(sft_contact_label(&def, &in, NULL, none, &m), SFT_OK);
    assert_true(!m.known);
    drop(none);
    sft_contact_labels_destroy(NULL, NULL);
    drop(labels);
    scene_free(&s);
}

static void test_contact__odd_clips_stay_finite(void** state)
{
    (void)state;
    // Feet that jump about, all at one point, at extreme rates and leg lengths: labels, never a crash or a NaN.
    support_rng rng = {11};
    const double times[] = {1e-6, 1e-3, 1.0 / 30.0, 1.0, 1e4};
    for (int round = 0; round < 60; ++round)
    {
        const int32_t n = 1 + (int32_t)support_uniform(&rng, 0, 90);
        scene s = scene_make(n, times[round % 5]);
        const double size = round % 3 == 0 ? 0.0 : round % 3 == 1 ? 1.0 : 1e6;
        for (int32_t i = 0; i < n; ++i)
        {
            s.pelvis[i] = (sft_v3d){support_uniform(&rng, -size, size), 0, support_uniform(&rng, -size, size)};
            for (int k = 0; k < 6; ++k)
                s.at[k / 3][k % 3][i] =
                    (sft_v3d){support_uniform(&rng, -size, size), support_uniform(&rng, -size, size),
                              support_uniform(&rng, -size, size)};
        }
        if (round % 4 == 0) s.feet[0].heel = s.feet[1].toe_end = NULL;
        sft_contact_input in = scene_input(&s);
        in.leg_length = round % 2 ? 1e6 : 1e-9;
        const sft_contact_def def = sft_default_contact_def();
        sft_contact_labels* labels;
        sft_contact_mismatch m;
        assert_int_equal(sft_contact_labels_create(n, 2, NULL, &labels), SFT_OK);
        assert_int_equal(sft_contact_label(&def, &in, NULL, labels, &m), SFT_OK);
        for (int32_t i = 0; i < 2 * n; ++i)
            assert_true((labels->plant[i] == 0.0f || labels->plant[i] == 1.0f) && labels->touch[i] >= labels->plant[i]);
        assert_true(isfinite(m.root_travel) && isfinite(m.root_travel_error) && isfinite(m.residual_cm_s));
        assert_true(sft_v3d_in_range(sft_v3d_scale(1e-12, m.ground_velocity)));
        drop(labels);
        scene_free(&s);
    }
}

static void test_contact__out_of_memory_anywhere(void** state)
{
    (void)state;
    walker_def wd = walker_default_def();
    wd.fps = 30;
    scene s = scene_walk(&wd);
    scene_scale(&s, 1.25);
    const sft_contact_def def = sft_default_contact_def();
    const sft_contact_input in = scene_input(&s);
    sft_contact_labels* labels;
    assert_int_equal(sft_contact_labels_create(s.frames, 2, NULL, &labels), SFT_OK);
    labels->plant[0] = 0.25f;
    for (long k = 0;; ++k)
    {
        support_heap heap = {.fail_at = k};
        const sft_allocator a = support_allocator(&heap);
        sft_contact_mismatch m = {.evidence_frames = -7};
        const sft_result result = sft_contact_label(&def, &in, &a, labels, &m);
        assert_int_equal(heap.live_blocks, 0);
        if (result == SFT_OK) break;
        assert_int_equal(result, SFT_ERR_MEMORY);
        assert_true(labels->plant[0] == 0.25f && m.evidence_frames == -7);
    }
    for (long k = 0; k < 3; ++k)
    {
        support_heap heap = {.fail_at = k};
        const sft_allocator a = support_allocator(&heap);
        sft_contact_labels* none = NULL;
        assert_int_equal(sft_contact_labels_create(9, 2, &a, &none), SFT_ERR_MEMORY);
        assert_true(none == NULL && heap.live_blocks == 0);
    }
    drop(labels);
    scene_free(&s);
}

static void test_contact__a_hundred_thousand_frames(void** state)
{
    (void)state;
    // The default walk strides once a second, 1.3 m: sixty frames, repeated.
    walker_def wd = walker_default_def();
    wd.frames = 60;
    scene stride = scene_walk(&wd), s = scene_make(100000, 1.0 / 60.0);
    for (int32_t i = 0; i < s.frames; ++i)
    {
        const sft_v3d on = {0, 0, 1.3 * (i / 60)};
        s.pelvis[i] = sft_v3d_add(stride.pelvis[i % 60], on);
        for (int k = 0; k < 6; ++k)
            s.at[k / 3][k % 3][i] = sft_v3d_add(stride.at[k / 3][k % 3][i % 60], on);
    }
    scene_free(&stride);
    scene_scale(&s, 1.25);
    sft_contact_mismatch m;
    sft_contact_labels* got = label(&s, &m);
    assert_true(m.known && fabs(m.root_travel - 1.25) < 0.03);
    drop(got);
    scene_free(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_contact__plain_rule_by_hand),
        cmocka_unit_test(test_contact__plain_rule_window),
        cmocka_unit_test(test_contact__reference_frames_are_left_out),
        cmocka_unit_test(test_contact__clean_walk_is_labelled_as_the_plain_rule_does),
        cmocka_unit_test(test_contact__plants_survive_root_scale),
        cmocka_unit_test(test_contact__mismatch_is_said_in_one_sentence),
        cmocka_unit_test(test_contact__treadmill_is_found_or_given),
        cmocka_unit_test(test_contact__standing_tells_nothing),
        cmocka_unit_test(test_contact__stairs_and_slopes),
        cmocka_unit_test(test_contact__every_rate_gives_the_same_labels),
        cmocka_unit_test(test_contact__edited_rotations_leave_plants),
        cmocka_unit_test(test_contact__a_foot_hanging_in_the_air_is_no_plant),
        cmocka_unit_test(test_contact__the_top_of_a_jump_is_no_plant),
        cmocka_unit_test(test_contact__labels_move_with_the_scene),
        cmocka_unit_test(test_contact__one_two_and_three_frames),
        cmocka_unit_test(test_contact__bad_input_is_refused_untouched),
        cmocka_unit_test(test_contact__odd_clips_stay_finite),
        cmocka_unit_test(test_contact__out_of_memory_anywhere),
        cmocka_unit_test(test_contact__a_hundred_thousand_frames),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
