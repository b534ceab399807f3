// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// A figure that sits in its file and stands in its character's: made so, hence known.

#include "support/figures.h"

static void make(figure_stance stance, figure* f, sft_rig** rig)
{
    figure_def def = figure_default();
    def.stance = stance;
    figure_make(&def, f);
    *rig = figure_rig(f, NULL);
}

static void test_rig_share__a_clip_has_its_characters_pose(void** state)
{
    (void)state;
    static figure stands, sits;
    sft_rig *character, *own, *shared = NULL;
    make(FIGURE_T, &stands, &character);
    make(FIGURE_SIT, &sits, &own);
    assert_int_equal(character->pose_frame, SFT_RIG_POSE_REST);
    assert_int_equal(sft_rig_share_pose(own, character, NULL, &shared), SFT_OK);
    assert_non_null(shared);
    assert_int_equal(shared->pose_frame, SFT_RIG_POSE_GIVEN);
    for (int j = 0; j < sits.count; ++j)
        assert_memory_equal(&shared->base_r[j], &character->pose_r[j], sizeof(sft_quatd));
    // The skeleton is still its own, sitting at rest.
    assert_memory_equal(&shared->skeleton->rest_rotations[sits.thigh[0]], &sits.rest_r[sits.thigh[0]],
                        sizeof(sft_quatd));
    sft_rig_destroy(shared, NULL);

    // The same at rest: nothing to share. Another figure: neither.
    shared = own;
    assert_int_equal(sft_rig_share_pose(character, character, NULL, &shared), SFT_OK);
    assert_null(shared);
    static figure other;
    sft_rig* longer;
    figure_def def = figure_default();
    def.stance = FIGURE_SIT;
    def.leg_scale = 1.3;
    figure_make(&def, &other);
    longer = figure_rig(&other, NULL);
    assert_int_equal(sft_rig_share_pose(longer, character, NULL, &shared), SFT_OK);
    assert_null(shared);
    sft_rig_destroy(longer, NULL);
    sft_rig_destroy(own, NULL);
    sft_rig_destroy(character, NULL);
}

static void test_rig_share__failing_memory_leaves_nothing(void** state)
{
    (void)state;
    static figure stands, sits;
    sft_rig *character, *own;
    make(FIGURE_T, &stands, &character);
    make(FIGURE_SIT, &sits, &own);
    bool done = false;
    for (long k = 0; !done && k < 200; ++k)
    {
        support_heap heap = {.fail_at = k};
        const sft_allocator allocator = support_allocator(&heap);
        sft_rig* shared = own;
        const sft_result result = sft_rig_share_pose(own, character, &allocator, &shared);
        done = result == SFT_OK;
        assert_true(done || (result == SFT_ERR_MEMORY && shared == own));
        if (done) sft_rig_destroy(shared, &allocator);
        assert_int_equal(heap.live_blocks, 0);
    }
    assert_true(done);
    sft_rig_destroy(own, NULL);
    sft_rig_destroy(character, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rig_share__a_clip_has_its_characters_pose),
        cmocka_unit_test(test_rig_share__failing_memory_leaves_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
