// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

#include "sample/walker.h"
#include "support/adapt_figures.h"

static walk walker_walk(walker* made)
{
    const walker_def def = walker_default_def();
    assert_int_equal(walker_create(&def, made), SFT_OK);
    walk w = {.skeleton = made->skeleton, .clip = made->clip, .labels = &made->labels, .first = made->first_frame};
    assert_int_equal(sft_leg_find(w.skeleton, w.clip, NULL, w.legs, SFT_MAX_LEGS, &w.leg_count), SFT_OK);
    assert_int_equal(w.leg_count, 2);
    return w;
}

static sft_adapt_clip_report adapt(const walk* w, const support_ground* g, sft_clip* out)
{
    sft_adapt_clip_def def = sft_default_adapt_clip_def();
    const sft_ground ground = support_ground_of(g);
    sft_adapt_clip_report report;
    def.first_frame = w->first;
    assert_int_equal(
        sft_adapt_clip(&def, w->skeleton, w->legs, w->leg_count, w->labels, &ground, NULL, out, NULL, &report), SFT_OK);
    assert_true(report.converged);
    return report;
}

static void assert_figures(const adapt_figures* f, double jerk)
{
    assert_true(f->support_cm <= 0.5);
    assert_true(f->sunk_cm <= 0.5);
    assert_true(f->tilt_degrees <= 2.0);
    assert_true(f->straightest <= sft_maxd(f->source_straightest, 0.995) + 1e-6);
    assert_true(f->slide_cm_s <= 0.05);
    if (!(f->jerk <= jerk)) fail_msg("pelvis jerk is %g times the source's", f->jerk);
}

static void test_adapt_clip__level_ground_at_the_floor_keeps_every_bit(void** state)
{
    (void)state;
    walker made;
    const walk w = walker_walk(&made);
    const support_ground g = support_slope(0.0, 0.0);
    sft_clip* out = walk_copy(&w);
    sft_adapt_clip_report report = adapt(&w, &g, out);
    const size_t cells = (size_t)out->joint_count * (size_t)out->frame_count;
    assert_memory_equal(out->translations, w.clip->translations, cells * sizeof *out->translations);
    assert_memory_equal(out->rotations, w.clip->rotations, cells * sizeof *out->rotations);
    assert_int_equal(report.miss_count, 0);
    assert_true(report.plant_count > 4);
    sft_adapt_clip_report_release(&report, NULL);
    sft_clip_destroy(out, NULL);
    walker_release(&made);
}

static void test_adapt_clip__slopes_keep_the_sole_and_the_walk(void** state)
{
    (void)state;
    walker made;
    const walk w = walker_walk(&made);
    for (int degrees = -20; degrees <= 20; degrees += 5)
        for (int way = degrees == 0 ? 3 : 0; way < 3; ++way)
        {
            const support_ground g = support_slope(degrees, way * SFT_PI / 4.0);
            sft_clip* out = walk_copy(&w);
            sft_adapt_clip_report report = adapt(&w, &g, out);
            const adapt_figures f = adapt_measure(&w, out, &g);
            assert_figures(&f, 1.5);
            sft_adapt_clip_report_release(&report, NULL);
            sft_clip_destroy(out, NULL);
        }
    walker_release(&made);
}

static support_ground stairs(double rise, double run)
{
    return (support_ground){
        .kind = SUPPORT_GROUND_STAIRS, .rise = rise, .run = run, .origin = {0, 0, 0.5}, .heading = {0, 0, 1}};
}

static void check_on(const walk* w, const support_ground* g, double jerk, double pop)
{
    sft_clip* out = walk_copy(w);
    sft_adapt_clip_report report = adapt(w, g, out);
    const adapt_figures f = adapt_measure(w, out, g);
    assert_figures(&f, jerk);
    assert_int_equal(report.miss_count, 0);
    assert_true(report.place_shift_max <= 0.1 + 1e-9);
    // No knee jumps and no foot is jerked: so many times the source's largest second differences.
    if (!(f.knee_pop <= pop && f.toe_accel <= pop)) fail_msg("knee %g and toe %g", f.knee_pop, f.toe_accel);
    sft_adapt_clip_report_release(&report, NULL);
    sft_clip_destroy(out, NULL);
}

static void test_adapt_clip__stairs_rubble_and_waves_too(void** state)
{
    (void)state;
    walker made;
    const walk w = walker_walk(&made);
    const double rises[] = {0.12, 0.15, -0.12, -0.15};
    for (int k = 0; k < 4; ++k)
        for (int deep = 1; deep <= 2; ++deep)
        {
            const support_ground g = stairs(rises[k], 0.3 * deep);
            check_on(&w, &g, 3.0, 3.5);
        }
    const double waves[][2] = {{0.02, 0.7}, {0.04, 1.0}, {0.1, 2.0}};
    for (int k = 0; k < 3; ++k)
    {
        const support_ground g = {.kind = SUPPORT_GROUND_ROUGH, .rise = waves[k][0], .run = waves[k][1]};
        check_on(&w, &g, 3.0, 2.5);
    }
    walker_release(&made);
}

// A toe over a gap, 10 cm from its edge at most, steps aside to where it is carried.
static void test_adapt_clip__a_foot_steps_aside_from_a_gap(void** state)
{
    (void)state;
    walker made;
    const walk w = walker_walk(&made);
    const support_ground g = {.kind = SUPPORT_GROUND_GAP, .rise = 0.1, .run = 0.8, .width = 0.4, .heading = {0, 0, 1}};
    sft_clip* out = walk_copy(&w);
    sft_adapt_clip_report report = adapt(&w, &g, out);
    assert_int_equal(report.miss_count, 0);
    assert_true(report.moved_plants > 0 && report.place_shift_max <= 0.1 + 1e-9);
    const adapt_figures f = adapt_measure(&w, out, &g);
    assert_figures(&f, 3.0);
    sft_adapt_clip_report_release(&report, NULL);
    sft_clip_destroy(out, NULL);
    walker_release(&made);
}

// Feet over a gap that is too wide for that keep the source's pose, and are named; all others stand.
static void test_adapt_clip__a_gap_keeps_the_pose_of_the_foot_over_it(void** state)
{
    (void)state;
    walker made;
    const walk w = walker_walk(&made);
    const support_ground g = {.kind = SUPPORT_GROUND_GAP, .rise = 0.1, .run = 0.6, .width = 0.7, .heading = {0, 0, 1}};
    sft_clip* out = walk_copy(&w);
    sft_adapt_clip_report report = adapt(&w, &g, out);
    assert_int_equal(report.miss_count, 1);
    const sft_adapt_miss miss = report.misses[0];
    assert_int_equal(miss.fault, SFT_ADAPT_FAULT_NO_GROUND);
    const sft_leg* leg = &w.legs[miss.foot];
    const int32_t joints[4] = {leg->hip, leg->knee, leg->heel, leg->toe};
    for (int32_t i = miss.first; i <= miss.last; ++i)
        for (int k = 0; k < 4; ++k)
        {
            const size_t at = (size_t)i * (size_t)out->joint_count + (size_t)joints[k];
            assert_memory_equal(&out->rotations[at], &w.clip->rotations[at], sizeof *out->rotations);
        }
    const adapt_figures f = adapt_measure(&w, out, &g);
    assert_true(f.support_cm <= 0.5 && f.sunk_cm <= 0.5 && f.slide_cm_s <= 0.05);
    sft_adapt_clip_report_release(&report, NULL);
    sft_clip_destroy(out, NULL);
    walker_release(&made);
}

static void test_adapt_clip__only_legs_and_the_travel_joint_change(void** state)
{
    (void)state;
    walker made;
    const walk w = walker_walk(&made);
    const support_ground g = stairs(0.15, 0.6);
    const sft_ground ground = support_ground_of(&g);
    sft_adapt_clip_def def = sft_default_adapt_clip_def();
    def.first_frame = 10;
    sft_clip* out = walk_copy(&w);
    uint8_t changed[WALKER_JOINTS] = {0};
    sft_adapt_clip_report report;
    assert_int_equal(
        sft_adapt_clip(&def, w.skeleton, w.legs, w.leg_count, w.labels, &ground, NULL, out, changed, &report), SFT_OK);
    assert_int_equal(report.travel_joint, WALKER_HIPS);
    for (int32_t i = 0; i < out->frame_count; ++i)
        for (int32_t j = 0; j < out->joint_count; ++j)
        {
            const size_t at = (size_t)i * (size_t)out->joint_count + (size_t)j;
            const bool turned = memcmp(&out->rotations[at], &w.clip->rotations[at], sizeof(sft_quatd)) != 0;
            const bool moved = memcmp(&out->translations[at], &w.clip->translations[at], sizeof(sft_v3d)) != 0;
            assert_false(turned && (i < 10 || !(changed[j] & 1)));
            assert_false(moved && (i < 10 || !(changed[j] & 2)));
        }
    for (int32_t j = 0; j < out->joint_count; ++j)
    {
        bool leg = false;
        for (int l = 0; l < 2; ++l)
            leg = leg || j == w.legs[l].hip || j == w.legs[l].knee || j == w.legs[l].heel || j == w.legs[l].toe;
        assert_int_equal(changed[j], leg ? 1 : j == WALKER_HIPS ? 2 : 0);
    }
    sft_adapt_clip_report_release(&report, NULL);
    sft_clip_destroy(out, NULL);
    walker_release(&made);
}

static void test_adapt_clip__bad_input_and_lack_of_memory_leave_the_clip(void** state)
{
    (void)state;
    walker made;
    const walk w = walker_walk(&made);
    const support_ground g = {.kind = SUPPORT_GROUND_GAP, .rise = 0.1, .run = 0.8, .width = 0.4, .heading = {0, 0, 1}};
    const sft_ground ground = support_ground_of(&g), none = {NULL, NULL};
    sft_adapt_clip_def def = sft_default_adapt_clip_def();
    sft_clip* out = walk_copy(&w);
    const size_t cells = (size_t)out->joint_count * (size_t)out->frame_count;
    support_heap heap = {.fail_at = -1};
    const sft_allocator allocator = support_allocator(&heap);
    for (long k = 0;; ++k)
    {
        heap = (support_heap){.fail_at = k};
        sft_adapt_clip_report report;
        const sft_result r =
            sft_adapt_clip(&def, w.skeleton, w.legs, w.leg_count, w.labels, &ground, &allocator, out, NULL, &report);
        if (r == SFT_OK)
        {
            sft_adapt_clip_report_release(&report, &allocator);
            assert_int_equal(heap.live_blocks, 0);
            assert_true(k >= 3);
            break;
        }
        assert_int_equal(r, SFT_ERR_MEMORY);
        assert_int_equal(heap.live_blocks, 0);
        assert_memory_equal(out->rotations, w.clip->rotations, cells * sizeof *out->rotations);
        assert_memory_equal(out->translations, w.clip->translations, cells * sizeof *out->translations);
    }
#define TRY(result, def_, legs_, ground_)                                                                              \
    assert_int_equal(sft_adapt_clip(def_, w.skeleton, legs_, 2, w.labels, ground_, NULL, out, NULL, NULL), result)
    TRY(SFT_ERR_ARG, &def, w.legs, &none);
    TRY(SFT_ERR_ARG, NULL, w.legs, &ground);
    TRY(SFT_ERR_ARG, &def, NULL, &ground);
    sft_leg legs[2] = {w.legs[0], w.legs[1]};
    legs[1].knee = legs[0].knee;
    TRY(SFT_ERR_ARG, &def, legs, &ground);
    def.place_max = NAN;
    TRY(SFT_ERR_DEF, &def, w.legs, &ground);
    def = (sft_adapt_clip_def){0};
    TRY(SFT_ERR_DEF, &def, w.legs, &ground);
    def = sft_default_adapt_clip_def();
    out->translations[5].x = NAN;
    TRY(SFT_ERR_RANGE, &def, w.legs, &ground);
#undef TRY
    sft_clip_destroy(out, NULL);
    walker_release(&made);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_adapt_clip__stairs_rubble_and_waves_too),
        cmocka_unit_test(test_adapt_clip__a_foot_steps_aside_from_a_gap),
        cmocka_unit_test(test_adapt_clip__a_gap_keeps_the_pose_of_the_foot_over_it),
        cmocka_unit_test(test_adapt_clip__only_legs_and_the_travel_joint_change),
        cmocka_unit_test(test_adapt_clip__bad_input_and_lack_of_memory_leave_the_clip),
        cmocka_unit_test(test_adapt_clip__level_ground_at_the_floor_keeps_every_bit),
        cmocka_unit_test(test_adapt_clip__slopes_keep_the_sole_and_the_walk),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
