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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_adapt_clip__level_ground_at_the_floor_keeps_every_bit),
        cmocka_unit_test(test_adapt_clip__slopes_keep_the_sole_and_the_walk),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
