// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// How far mending turns legs: no further than what it mends warrants.

#include "sample/walker.h"
#include "support/reshaped.h"

static walk walk_of(walker* made)
{
    walk w = {.skeleton = made->skeleton, .clip = made->clip, .labels = &made->labels, .first = made->first_frame};
    assert_int_equal(sft_leg_find(w.skeleton, w.clip, NULL, w.legs, SFT_MAX_LEGS, &w.leg_count), SFT_OK);
    assert_int_equal(w.leg_count, 2);
    return w;
}

// A clip that came back as it was has its own slide alone to mend: that is sft_cleanup_clip's, bit for bit, here of a
// walk whose root is scaled and of one that walks knee-deep in what is called its ground.
static void test_retarget_mend__a_figure_onto_itself_is_cleaned_and_no_more(void** state)
{
    (void)state;
    for (int deep = 0; deep < 2; ++deep)
    {
        walker made;
        walker_def how = walker_default_def();
        how.root_scale = 1.1;
        assert_int_equal(walker_create(&how, &made), SFT_OK);
        walk w = walk_of(&made);
        reshaped r;
        reshape_walk(&w, &(reshape){1, 1, 1, 1, 1, 1}, -1, &r);
        sft_clip *mended = walk_copy(&w), *cleaned = walk_copy(&w);
        sft_mend_def def = sft_default_mend_def();
        def.scale = 1.0;
        def.source_ground = def.ground = r.source_ground + (deep ? 0.4 : 0.0);
        const sft_mend_input in = {.rigs = {&r.source_rig, &r.source_rig}, .source_clip = w.clip, .labels = w.labels};
        sft_mend_report report;
        assert_int_equal(sft_retarget_mend(&def, &in, NULL, mended, NULL, &report), SFT_OK);
        const sft_cleanup_def clean = sft_default_cleanup_def();
        assert_int_equal(sft_cleanup_clip(&clean, w.skeleton, w.legs, w.leg_count, w.labels, NULL, cleaned, NULL, NULL),
                         SFT_OK);
        const size_t cells = (size_t)w.clip->joint_count * (size_t)w.clip->frame_count;
        assert_memory_equal(mended->translations, cleaned->translations, cells * sizeof *mended->translations);
        assert_memory_equal(mended->rotations, cleaned->rotations, cells * sizeof *mended->rotations);
        assert_true(report.plant_count > 1 && report.pelvis_shift_max > 0.05);
        sft_mend_report_release(&report, NULL);
        sft_clip_destroy(mended, NULL);
        sft_clip_destroy(cleaned, NULL);
        reshape_release(&r);
        walker_release(&made);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_retarget_mend__a_figure_onto_itself_is_cleaned_and_no_more),
    };
    return cmocka_run_group_tests_name("test_retarget_mend_turn", tests, NULL, NULL);
}
