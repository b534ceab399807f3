// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// Plants of feet that something holds exactly: tracks written down by formula, whose contacts are known.

#include "support/support.h"

#include "core/core.h"
#include "sample/walker.h"

#define MAX_FRAMES 1200

typedef struct held_walk
{
    int32_t frames;
    double dt, leg;
    sft_v3d pelvis[MAX_FRAMES];
    sft_v3d toe[2][MAX_FRAMES];
    sft_v3d heel[2][MAX_FRAMES];
    bool stands[2][MAX_FRAMES]; // the toe is where it was in the frame before or is in the next, exactly
} held_walk;

static double eased(double t)
{
    return t < 0.5 ? 4.0 * t * t * t : 1.0 - 4.0 * (1.0 - t) * (1.0 - t) * (1.0 - t);
}

typedef struct step_def
{
    double fps, stride, swing, stand; ///< [1/s], [m], [s], [s]
    double lift;                      ///< part of the stride
    double pitch;                     ///< ground rises by so much a metre
    double far;                       ///< [m] from the origin
    double phase;                     ///< [s]
    int32_t frames;
    bool square; ///< raised square to the ground, not upright
} step_def;

// Feet in turn, with the swing of article 004: a quadratic curve whose control point is raised, in eased time. Heels
// leave before toes.
static void walk_make(const step_def* def, held_walk* w)
{
    const double cycle = def->swing + def->stand;
    w->frames = def->frames;
    w->dt = 1.0 / def->fps;
    w->leg = 2.0 * def->stride;
    for (int side = 0; side < 2; ++side)
        for (int32_t i = 0; i < w->frames; ++i)
        {
            const double at = i * w->dt + def->phase + 0.5 * side * cycle, n = floor(at / cycle);
            const double t = sft_maxd(0.0, at - n * cycle - def->stand) / def->swing, u = eased(t);
            const double raised = 2.0 * u * (1.0 - u) * def->lift * def->stride;
            const double upright = def->square ? 1.0 / sqrt(1.0 + def->pitch * def->pitch) : 1.0;
            const double on = def->stride * (n + u), ahead = def->square ? -def->pitch * upright * raised : 0.0;
            const double z = def->far + on + ahead, y = def->pitch * on + upright * raised;
            w->toe[side][i] = (sft_v3d){0.1 - 0.2 * side, y, z};
            const double roll = sft_clampd((at - n * cycle - 0.6 * def->stand) / (0.4 * def->stand), 0.0, 1.0);
            w->heel[side][i] = sft_v3d_add(w->toe[side][i], (sft_v3d){0, 0.3 * def->stride * roll * (t < 0.5), -0.05});
        }
    for (int32_t i = 0; i < w->frames; ++i)
    {
        const double z = def->stride * (i * w->dt + def->phase) / cycle;
        w->pelvis[i] = (sft_v3d){0, 1.8 * def->stride + def->pitch * z, def->far + z};
    }
}

// Numbers as single precision files keep them.
static void walk_round(held_walk* w)
{
    for (int32_t i = 0; i < w->frames; ++i)
        for (int side = 0; side < 2; ++side)
        {
            sft_v3d* p = &w->toe[side][i];
            *p = (sft_v3d){(float)p->x, (float)p->y, (float)p->z};
        }
}

// The truth, of what is in the tracks: within 20 micrometres of where it stays.
static void walk_truth(held_walk* w)
{
    for (int side = 0; side < 2; ++side)
        for (int32_t i = 0; i < w->frames; ++i)
        {
            const sft_v3d* p = w->toe[side];
            const bool before = i > 0 && sft_v3d_distance(p[i], p[i - 1]) < 1e-5;
            const bool after = i + 1 < w->frames && sft_v3d_distance(p[i], p[i + 1]) < 1e-5;
            w->stands[side][i] = before || after;
        }
}

static sft_contact_labels* walk_label(const held_walk* w, bool plain)
{
    const sft_foot_tracks feet[2] = {{w->heel[0], w->toe[0], NULL}, {w->heel[1], w->toe[1], NULL}};
    const sft_contact_input in = {w->frames, w->dt, 0, w->pelvis, feet, 2, w->leg, NULL};
    sft_contact_def def = sft_default_contact_def();
    def.held_only = true;
    sft_contact_labels* labels = NULL;
    assert_int_equal(sft_contact_labels_create(w->frames, 2, NULL, &labels), SFT_OK);
    assert_int_equal(plain ? sft_contact_label_plain(&def, &in, NULL, labels)
                           : sft_contact_label(&def, &in, NULL, labels, NULL),
                     SFT_OK);
    return labels;
}

// Mean speed of planted toes [m/s], and the share of the frames where the toe stands that are labelled so.
static double slide(const held_walk* w, const sft_contact_labels* labels, double* found)
{
    double sum = 0.0, steps = 0.0, stood = 0.0, seen = 0.0;
    for (int side = 0; side < 2; ++side)
        for (int32_t i = 1; i < w->frames; ++i)
        {
            const float* plant = labels->plant + side * w->frames;
            stood += w->stands[side][i];
            seen += w->stands[side][i] && plant[i] > 0.75f;
            if (!(plant[i] > 0.75f && plant[i - 1] > 0.75f)) continue;
            sum += sft_v3d_distance(w->toe[side][i], w->toe[side][i - 1]) / w->dt;
            steps += 1.0;
        }
    *found = stood > 0.0 ? seen / stood : 1.0;
    return steps > 0.0 ? sum / steps : 0.0;
}

static void expect_held(const step_def* def)
{
    static held_walk w;
    walk_make(def, &w);
    walk_round(&w);
    walk_truth(&w);
    sft_contact_labels* labels = walk_label(&w, false);
    double found;
    const double speed = slide(&w, labels, &found);
    if (!(speed <= 2e-4 && found > 0.9))
        fail_msg("%g fps, stride %g, pitch %g: %g m/s, %g of what stands found", def->fps, def->stride, def->pitch,
                 speed, found);
    sft_contact_labels_destroy(labels, NULL);
}

static const step_def walking = {30, 0.6, 0.35, 0.5, 0.5, 0.0, 0.0, 0.0, 240, false};

static void test_contact__held_plants_are_what_is_held(void** state)
{
    (void)state;
    const double rates[] = {24, 30, 60, 120}, sizes[] = {0.02, 0.1, 1.0, 10.0}, pitches[] = {0.0, 0.6, -0.6};
    for (int c = 0; c < 4 * 4 * 3; ++c)
    {
        // Small figures step faster; from 0.02 on whole swings are slower than what the plain rule takes for standing.
        const double size = sizes[c / 4 % 4], quick = size < 1.0 ? sqrt(size) : 1.0;
        step_def def = walking;
        def.fps = rates[c % 4];
        def.stride *= size;
        def.swing *= quick < 0.3 ? 0.3 : quick;
        def.stand *= quick < 0.3 ? 0.3 : quick;
        def.pitch = pitches[c / 16];
        def.frames = (int32_t)(8 * def.fps);
        expect_held(&def);
    }
}

// Down a steep slope a foot that leaves square to it goes ahead by more than up, but not along the ground: it steps.
static void test_contact__held_plants_end_where_swings_go_down_slopes(void** state)
{
    (void)state;
    const double rates[] = {24, 30, 60, 120}, pitches[] = {-0.36, -0.5, -0.7, 0.36, 0.7};
    for (int c = 0; c < 4 * 5; ++c)
    {
        step_def def = walking;
        def.fps = rates[c % 4];
        def.pitch = pitches[c / 4];
        def.frames = (int32_t)(8 * def.fps);
        def.square = true;
        expect_held(&def);
    }
}

static void test_contact__held_plants_are_found_far_from_the_origin_and_at_cut_ends(void** state)
{
    (void)state;
    for (int k = 0; k < 40; ++k)
    {
        step_def def = walking;
        def.far = 60.0;
        def.phase = k * 0.025;
        def.fps = k % 2 ? 60 : 30;
        def.frames = (int32_t)(2.5 * def.fps) + k % 7;
        expect_held(&def);
    }
}

// Long swings at little speed, as of a creature of a few centimetres: plain plants hold whole swings.
static void test_contact__held_feet_that_are_never_fast_still_step(void** state)
{
    (void)state;
    step_def def = walking;
    def.stride = 0.02;
    static held_walk w;
    walk_make(&def, &w);
    sft_contact_labels* plain = walk_label(&w, true);
    for (int32_t i = 0; i < 2 * w.frames; ++i)
        assert_true(plain->plant[i] > 0.75f);
    sft_contact_labels_destroy(plain, NULL);
    expect_held(&def);
}

static void same_as_plain(const held_walk* w)
{
    sft_contact_labels *want = walk_label(w, true), *got = walk_label(w, false);
    assert_memory_equal(want->plant, got->plant, sizeof(float) * 2 * (size_t)w->frames);
    sft_contact_labels_destroy(want, NULL);
    sft_contact_labels_destroy(got, NULL);
}

static void test_contact__feet_that_tremble_are_labelled_by_the_plain_rule(void** state)
{
    (void)state;
    static held_walk w;
    const double rates[] = {60, 120};
    for (size_t r = 0; r < SFT_COUNT_OF(rates); ++r)
    {
        step_def def = walking;
        def.fps = rates[r];
        def.frames = (int32_t)(8 * def.fps);
        walk_make(&def, &w);
        for (int32_t i = 0; i < w.frames; ++i)
            for (int side = 0; side < 2; ++side)
                w.toe[side][i].x += 1e-4 * sin(43.0 * i * w.dt);
        same_as_plain(&w);
    }
}

// A capture at 30 frames a second in a file of 60: every second step is nothing, and of the body too.
static void test_contact__repeated_frames_hold_nothing(void** state)
{
    (void)state;
    static held_walk w;
    step_def def = walking;
    def.fps = 60;
    def.frames = 480;
    walk_make(&def, &w);
    for (int32_t i = 0; i < w.frames; ++i)
        for (int side = 0; side < 2; ++side)
            w.toe[side][i].x += 1e-4 * sin(43.0 * i * w.dt);
    static bool stands[2][MAX_FRAMES];
    const double cycle = def.swing + def.stand;
    for (int side = 0; side < 2; ++side)
        for (int32_t i = 0; i < w.frames; ++i)
        {
            const double at = i * w.dt + 0.5 * side * cycle;
            stands[side][i] = at - floor(at / cycle) * cycle <= def.stand;
        }
    for (int32_t i = 1; i < w.frames; i += 2)
    {
        w.pelvis[i] = w.pelvis[i - 1];
        for (int side = 0; side < 2; ++side)
        {
            w.toe[side][i] = w.toe[side][i - 1];
            w.heel[side][i] = w.heel[side][i - 1];
        }
    }
    sft_contact_labels* labels = walk_label(&w, false);
    for (int side = 0; side < 2; ++side)
        for (int32_t i = 2; i + 2 < w.frames; ++i)
            assert_true(labels->plant[side * w.frames + i] > 0.75f || !stands[side][i] || !stands[side][i - 2]);
    sft_contact_labels_destroy(labels, NULL);
}

// It stands exactly, then slips along the ground before it is lifted: that is what check is there to see.
static void test_contact__a_foot_that_slips_after_it_was_held_stays_planted(void** state)
{
    (void)state;
    static held_walk w = {.frames = 240, .dt = 1.0 / 60.0, .leg = 0.9};
    for (int32_t i = 0; i < w.frames; ++i)
    {
        const double t = i * w.dt, slip = sft_clampd(t - 1.0, 0.0, 0.3);
        const double u = eased(sft_clampd((t - 1.3) / 0.4, 0.0, 1.0));
        w.pelvis[i] = (sft_v3d){0, 0.9, 0.3 * t};
        w.toe[0][i] = (sft_v3d){0.1, 0.6 * u * (1 - u), 0.2 * slip + 0.6 * u};
        w.toe[1][i] = (sft_v3d){-0.1, 0, 0.3};
        w.heel[0][i] = w.toe[0][i];
        w.heel[1][i] = w.toe[1][i];
    }
    sft_contact_labels* labels = walk_label(&w, false);
    for (int32_t i = 0; i <= 78; ++i)
        assert_true(labels->plant[i] > 0.75f);
    // In the air from 0.09 s of the swing on, exactly held again behind it.
    for (int32_t i = 84; i < 96; ++i)
        assert_true(labels->plant[i] < 0.25f);
    for (int32_t i = 103; i < w.frames; ++i)
        assert_true(labels->plant[i] > 0.75f);
    sft_contact_labels_destroy(labels, NULL);
}

// A foot keyed by hand that lies still for half of the clip and wanders by less than a millimetre for the rest.
static void test_contact__wandering_is_no_swing(void** state)
{
    (void)state;
    static held_walk w = {.frames = 90, .dt = 1.0 / 30.0, .leg = 0.9};
    for (int32_t i = 0; i < w.frames; ++i)
    {
        const double off = i < 50 ? 0.0 : 8e-4 * sin(0.2 * (i - 50));
        w.pelvis[i] = (sft_v3d){0, 0.9 + 0.01 * sin(0.1 * i), 0};
        for (int side = 0; side < 2; ++side)
            w.heel[side][i] = w.toe[side][i] = (sft_v3d){0.1 - 0.2 * side, 0.02 + off, -0.3 * off};
    }
    same_as_plain(&w);
}

// Solvers get what they always got.
static void test_contact__plants_are_cut_only_where_asked_for(void** state)
{
    (void)state;
    static held_walk w;
    step_def def = walking;
    def.fps = 120;
    def.frames = 960;
    walk_make(&def, &w);
    const sft_foot_tracks feet[2] = {{w.heel[0], w.toe[0], NULL}, {w.heel[1], w.toe[1], NULL}};
    const sft_contact_input in = {w.frames, w.dt, 0, w.pelvis, feet, 2, w.leg, NULL};
    const sft_contact_def plain = sft_default_contact_def();
    sft_contact_labels *held = walk_label(&w, false), *want = walk_label(&w, true), *got = NULL;
    assert_int_equal(sft_contact_labels_create(w.frames, 2, NULL, &got), SFT_OK);
    assert_int_equal(sft_contact_label(&plain, &in, NULL, got, NULL), SFT_OK);
    assert_memory_equal(want->plant, got->plant, sizeof(float) * 2 * (size_t)w.frames);
    assert_true(memcmp(held->plant, got->plant, sizeof(float) * 2 * (size_t)w.frames) != 0);
    sft_contact_labels_destroy(held, NULL);
    sft_contact_labels_destroy(want, NULL);
    sft_contact_labels_destroy(got, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_contact__held_plants_are_what_is_held),
        cmocka_unit_test(test_contact__held_plants_end_where_swings_go_down_slopes),
        cmocka_unit_test(test_contact__held_plants_are_found_far_from_the_origin_and_at_cut_ends),
        cmocka_unit_test(test_contact__held_feet_that_are_never_fast_still_step),
        cmocka_unit_test(test_contact__feet_that_tremble_are_labelled_by_the_plain_rule),
        cmocka_unit_test(test_contact__repeated_frames_hold_nothing),
        cmocka_unit_test(test_contact__a_foot_that_slips_after_it_was_held_stays_planted),
        cmocka_unit_test(test_contact__wandering_is_no_swing),
        cmocka_unit_test(test_contact__plants_are_cut_only_where_asked_for),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
