// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// The reference pose of made figures, whose true reference is known by construction.

#include "support/angles.h"
#include "support/figures.h"

#include <math.h>

static void assert_near(double a, double b, double tolerance)
{
    if (!(fabs(a - b) <= tolerance)) fail_msg("%.17g is not %.17g", a, b);
}

// Figure-space pose of the rig against the figure's own: places and orientations.
static void assert_pose(const figure* f, const sft_rig* rig, double metres, double radians)
{
    for (int j = 0; j < f->count; ++j)
    {
        if (sft_v3d_distance(rig->pose[j].t, f->place[j]) > metres)
            fail_msg("%s: %g m off", f->names[j], sft_v3d_distance(rig->pose[j].t, f->place[j]));
        if (angle_between(rig->pose[j].r, f->orientation[j]) > radians)
            fail_msg("%s: %g degrees off", f->names[j],
                     angle_between(rig->pose[j].r, f->orientation[j]) * 180.0 / SFT_PI);
    }
}

static void assert_figures(const figure* f, const sft_rig* rig)
{
    assert_near(rig->leg_length, f->leg_length, 1e-9);
    assert_near(rig->arm_length, f->arm_length, 1e-9);
    assert_near(rig->sole_height, f->sole_height, 1e-9);
    const double turn = rig->facing - f->facing;
    assert_true(fabs(sin(0.5 * turn)) < 1e-9);
    assert_int_equal(rig->hips, f->hips);
    assert_int_equal(rig->root, f->root);
}

static void check(const figure_def* def)
{
    figure f;
    figure_make(def, &f);
    sft_rig* rig = figure_rig(&f, NULL);
    figure_assert_limbs(&f, rig);
    assert_figures(&f, rig);
    assert_pose(&f, rig, 1e-9, 1e-7);
    sft_rig_destroy(rig, NULL);
}

// ---- good rest poses ----

static void test_rig_reference__t_a_and_i_poses_come_to_the_same(void** state)
{
    (void)state;
    const figure_stance stances[4] = {FIGURE_T, FIGURE_A, FIGURE_I, FIGURE_FORWARD};
    const sft_stance read[4] = {SFT_STANCE_T, SFT_STANCE_A, SFT_STANCE_I, SFT_STANCE_OTHER};
    for (int i = 0; i < 4; ++i)
        for (int axes = 0; axes < 3; ++axes)
        {
            figure_def def = figure_default();
            def.stance = stances[i];
            def.axes = (figure_axes)axes;
            def.seed = (uint64_t)(10 * i + axes + 1);
            check(&def);
            figure f;
            figure_make(&def, &f);
            sft_rig* rig = figure_rig(&f, NULL);
            assert_int_equal(rig->stance, read[i]);
            assert_int_equal(rig->pose_frame, -1);
            sft_rig_destroy(rig, NULL);
        }
}

static void test_rig_reference__any_facing_size_and_build(void** state)
{
    (void)state;
    support_rng rng = {77};
    for (int i = 0; i < 200; ++i)
    {
        figure_def def = figure_default();
        def.stance = (figure_stance)(i % 4);
        def.axes = (figure_axes)(i % 3);
        def.seed = (uint64_t)i + 1;
        def.facing = i % 5 == 0 ? SFT_PI / 2.0 * (double)(i % 4) : support_uniform(&rng, -SFT_PI, SFT_PI);
        // Next to a quarter turn the rest pose counts as one.
        const double quarter = def.facing / (SFT_PI / 2.0);
        if (i % 5 != 0 && fabs(quarter - floor(quarter + 0.5)) < 0.06) def.facing += 0.2;
        def.scale = support_uniform(&rng, 0.3, 3.0);
        def.leg_scale = support_uniform(&rng, 0.5, 1.4);
        def.arm_scale = support_uniform(&rng, 0.5, 1.4);
        def.spine_count = 1 + i % 7;
        def.neck_count = i % 3;
        def.twist_count = i % 4;
        def.twist_aside = i % 2 != 0;
        def.fingers = i % 2 == 0;
        def.clavicles = i % 3 != 0;
        def.toes = i % 7 != 0;
        def.root_joint = i % 4 == 0;
        check(&def);
    }
}

static void test_rig_reference__lying_rest_pose_stands_up(void** state)
{
    (void)state;
    figure_def def = figure_default();
    def.lying = true;
    def.axes = FIGURE_AXES_RANDOM;
    check(&def);
    def.facing = SFT_PI / 2.0;
    check(&def);
    // Not along an axis: up is read from trunk and legs, whose line is not quite straight.
    def.facing = 0.7;
    figure f;
    figure_make(&def, &f);
    sft_rig* rig = figure_rig(&f, NULL);
    figure_assert_limbs(&f, rig);
    assert_pose(&f, rig, 0.01, 0.01);
    sft_rig_destroy(rig, NULL);
}

static void test_rig_reference__toes_are_turned_ahead_and_stay_level(void** state)
{
    (void)state;
    figure_def def = figure_default();
    def.foot_out = 0.3;
    def.knee_bend = 0.4;
    check(&def);
}

static void test_rig_reference__trunk_that_leans_far_is_upright(void** state)
{
    (void)state;
    figure_def def = figure_default();
    def.lean = 0.2;
    figure f;
    figure_make(&def, &f);
    sft_rig* rig = figure_rig(&f, NULL);
    // 8 degrees end to end stay: a third of the trunk is the hips' own and upright.
    const sft_v3d trunk = sft_v3d_sub(rig->pose[f.chest].t, rig->pose[f.hips].t);
    assert_near(trunk.z / trunk.y, 2.0 * sin(0.2) / (1.0 + 2.0 * cos(0.2)), 1e-9);
    figure_assert_limbs(&f, rig);
    sft_rig_destroy(rig, NULL);
    def.lean = 0.5;
    figure_make(&def, &f);
    rig = figure_rig(&f, NULL);
    const sft_v3d upright = sft_v3d_sub(rig->pose[f.chest].t, rig->pose[f.hips].t);
    assert_near(upright.z, 0.0, 1e-12);
    figure_assert_limbs(&f, rig);
    sft_rig_destroy(rig, NULL);
}

// ---- local rotations ----

static void test_rig_reference__local_rotations_give_the_pose(void** state)
{
    (void)state;
    figure_def def = figure_default();
    def.stance = FIGURE_A;
    def.axes = FIGURE_AXES_RANDOM;
    def.facing = 2.0;
    figure f;
    figure_make(&def, &f);
    sft_rig* rig = figure_rig(&f, NULL);
    sft_xformd model[FIGURE_JOINTS];
    sft_skeleton_forward(rig->skeleton, rig->base_t, rig->pose_r, model);
    const sft_quatd turn = sft_quatd_exp(sft_v3d_make(0, rig->facing, 0));
    for (int j = 0; j < f.count; ++j)
    {
        assert_true(angle_between(sft_quatd_mul(turn, model[j].r), rig->pose[j].r) < 1e-7);
        const sft_v3d from_hips = sft_v3d_sub(model[j].t, model[f.hips].t);
        const sft_v3d want = sft_v3d_sub(rig->pose[j].t, rig->pose[f.hips].t);
        assert_true(sft_v3d_distance(sft_quatd_rotate(turn, from_hips), want) < 1e-12);
    }
    sft_rig_destroy(rig, NULL);
}

// ---- explicit frames, animals, no legs ----

static void test_rig_reference__given_frame_is_the_base_pose(void** state)
{
    (void)state;
    figure_def def = figure_default();
    def.axes = FIGURE_AXES_RANDOM;
    figure f;
    figure_make(&def, &f);
    sft_clip* clip = figure_dance(&f, 20, 0.05);
    sft_skeleton* skeleton = figure_skeleton(&f);
    sft_rig_def rd = sft_default_rig_def();
    rd.meanings = f.meanings;
    rd.legs = f.legs;
    rd.leg_count = f.leg_count;
    rd.pose_frame = 7;
    sft_rig* rig = NULL;
    assert_int_equal(sft_rig_create(&rd, skeleton, clip, NULL, &rig), SFT_OK);
    assert_int_equal(rig->pose_frame, 7);
    assert_memory_equal(rig->base_r, clip->rotations + 7 * f.count, (size_t)f.count * sizeof *rig->base_r);
    figure_assert_limbs(&f, rig);
    sft_rig_destroy(rig, NULL);
    rig = NULL;
    rd.pose_frame = 20;
    assert_int_equal(sft_rig_create(&rd, skeleton, clip, NULL, &rig), SFT_ERR_ARG);
    rd.pose_frame = 0;
    assert_int_equal(sft_rig_create(&rd, skeleton, NULL, NULL, &rig), SFT_ERR_ARG);
    assert_null(rig);
    sft_skeleton_destroy(skeleton, NULL);
    sft_clip_destroy(clip, NULL);
}

static void test_rig_reference__animals_keep_their_legs(void** state)
{
    (void)state;
    for (int legs = 4; legs <= 8; legs += 4)
    {
        figure f;
        figure_make_animal(legs, FIGURE_AXES_RANDOM, 5, &f);
        assert_int_equal(f.leg_count, legs);
        sft_rig* rig = figure_rig(&f, NULL);
        const double ground = f.place[f.legs[0].toe].y;
        for (int j = 0; j < f.count; ++j)
        {
            const sft_v3d want = sft_v3d_sub(f.place[j], sft_v3d_make(0, ground, 0));
            assert_true(sft_v3d_distance(rig->pose[j].t, want) < 1e-9);
        }
        assert_near(rig->leg_length, f.leg_length, 1e-9);
        assert_near(rig->sole_height, f.sole_height, 1e-9);
        sft_rig_destroy(rig, NULL);
    }
}

static void test_rig_reference__without_legs_all_but_arms_keeps_the_base_pose(void** state)
{
    (void)state;
    figure_def def = figure_default();
    def.stance = FIGURE_A;
    figure f;
    figure_make(&def, &f);
    f.leg_count = 0;
    sft_skeleton* skeleton = figure_skeleton(&f);
    sft_rig_def rd = sft_default_rig_def();
    rd.meanings = f.meanings;
    rd.legs = f.legs; // none of them
    sft_rig* rig = NULL;
    assert_int_equal(sft_rig_create(&rd, skeleton, NULL, NULL, &rig), SFT_OK);
    for (int j = 0; j < f.count; ++j)
        if (f.meanings[j].part < SFT_PART_UPPER_ARM || f.meanings[j].part > SFT_PART_FINGER)
            assert_true(angle_between(rig->pose_r[j], rig->base_r[j]) < 1e-7);
    // From the A pose to where arms are level.
    for (int side = 0; side < 2; ++side)
        assert_true(angle_between(rig->pose[f.upper_arm[side]].r, f.orientation[f.upper_arm[side]]) < 1e-6);
    assert_near(rig->leg_length, 0.0, 0.0);
    sft_rig_destroy(rig, NULL);
    sft_skeleton_destroy(skeleton, NULL);
}

// ---- identity ----

static void test_rig_reference__identity_is_the_content(void** state)
{
    (void)state;
    figure_def def = figure_default();
    figure f, g;
    figure_make(&def, &f);
    sft_skeleton* a = figure_skeleton(&f);
    g = f;
    sft_skeleton* b = figure_skeleton(&g);
    const uint64_t id = sft_rig_identity(a);
    assert_true(id != 0 && id == sft_rig_identity(b));
    sft_skeleton_destroy(b, NULL);
    for (int kind = 0; kind < 5; ++kind)
    {
        g = f;
        if (kind == 0) g.names[5][0] = '#';
        if (kind == 1) g.rest_t[5].x += 2e-4;
        if (kind == 2) g.flags[g.count - 1] = 0;
        if (kind == 3) g.rest_r[3] = sft_quatd_exp(sft_v3d_make(0.02, 0, 0));
        if (kind == 4) g.parents[3] = 1;
        b = figure_skeleton(&g);
        assert_true(id != sft_rig_identity(b));
        sft_skeleton_destroy(b, NULL);
    }
    // What a file's decimals cost is no difference, nor is a quaternion's sign.
    g = f;
    for (int j = 0; j < g.count; ++j)
    {
        g.rest_t[j].y += 1e-9;
        g.rest_r[j] = (sft_quatd){-g.rest_r[j].x, -g.rest_r[j].y, -g.rest_r[j].z, -g.rest_r[j].w};
    }
    b = figure_skeleton(&g);
    assert_true(id == sft_rig_identity(b));
    sft_skeleton_destroy(b, NULL);
    sft_skeleton_destroy(a, NULL);
    assert_true(sft_rig_identity(NULL) == 0);
}

// ---- bad input ----

static void test_rig_reference__bad_arguments_are_refused(void** state)
{
    (void)state;
    figure_def def = figure_default();
    figure f;
    figure_make(&def, &f);
    sft_skeleton* skeleton = figure_skeleton(&f);
    sft_rig* rig = NULL;
    sft_rig_def rd = sft_default_rig_def();
    assert_int_equal(sft_rig_create(&rd, NULL, NULL, NULL, &rig), SFT_ERR_ARG);
    assert_int_equal(sft_rig_create(&rd, skeleton, NULL, NULL, NULL), SFT_ERR_ARG);
    rd.cookie = 0;
    assert_int_equal(sft_rig_create(&rd, skeleton, NULL, NULL, &rig), SFT_ERR_DEF);
    rd = sft_default_rig_def();
    rd.pose_frame = -4;
    assert_int_equal(sft_rig_create(&rd, skeleton, NULL, NULL, &rig), SFT_ERR_DEF);
    rd = sft_default_rig_def();
    rd.meanings = f.meanings;
    rd.legs = f.legs;
    rd.leg_count = 2;
    f.legs[1].knee = f.count;
    assert_int_equal(sft_rig_create(&rd, skeleton, NULL, NULL, &rig), SFT_ERR_ARG);
    assert_null(rig);
    sft_rig_destroy(NULL, NULL);
    sft_skeleton_destroy(skeleton, NULL);
}

// A clip whose file rests in a frame of it, given the pose of its character: one reference, to the last bit, and the
// clip tells nothing.
static void test_rig_reference__a_given_base_pose_counts_alone(void** state)
{
    (void)state;
    for (int stance = 0; stance < 3; ++stance)
    {
        figure_def def = figure_default();
        def.axes = FIGURE_AXES_RANDOM;
        def.stance = (figure_stance)stance;
        figure character, bundle;
        figure_make(&def, &character);
        def.stance = FIGURE_BUNDLE;
        figure_make(&def, &bundle);
        sft_clip* clip = figure_dance(&bundle, 30, 0.04);
        sft_rig* want = figure_rig(&character, NULL);
        sft_skeleton* skeleton = figure_skeleton(&bundle);
        sft_rig_def rd = sft_default_rig_def();
        rd.meanings = bundle.meanings;
        rd.legs = bundle.legs;
        rd.leg_count = bundle.leg_count;
        rd.base_t = character.rest_t;
        rd.base_r = character.rest_r;
        sft_rig* rig = NULL;
        assert_int_equal(sft_rig_create(&rd, skeleton, clip, NULL, &rig), SFT_OK);
        assert_int_equal(rig->pose_frame, SFT_RIG_POSE_GIVEN);
        assert_int_equal(rig->stance, want->stance);
        const size_t n = (size_t)character.count;
        assert_memory_equal(rig->base_r, character.rest_r, n * sizeof *rig->base_r);
        assert_memory_equal(rig->pose_r, want->pose_r, n * sizeof *rig->pose_r);
        assert_memory_equal(rig->pose, want->pose, n * sizeof *rig->pose);
        sft_rig_destroy(rig, NULL);
        sft_rig* untouched = rig = want;
        rd.base_t = NULL;
        assert_int_equal(sft_rig_create(&rd, skeleton, clip, NULL, &untouched), SFT_ERR_ARG);
        rd.base_t = character.rest_t;
        rd.pose_frame = 0;
        assert_int_equal(sft_rig_create(&rd, skeleton, clip, NULL, &untouched), SFT_ERR_DEF);
        rd.pose_frame = SFT_RIG_POSE_AUTO;
        character.rest_r[3].w = NAN;
        assert_int_equal(sft_rig_create(&rd, skeleton, clip, NULL, &untouched), SFT_ERR_RANGE);
        assert_ptr_equal(untouched, want);
        sft_rig_destroy(want, NULL);
        sft_skeleton_destroy(skeleton, NULL);
        sft_clip_destroy(clip, NULL);
    }
}

static void test_rig_reference__failing_memory_leaves_nothing(void** state)
{
    (void)state;
    figure_def def = figure_default();
    figure f;
    figure_make(&def, &f);
    sft_skeleton* skeleton = figure_skeleton(&f);
    sft_rig_def rd = sft_default_rig_def();
    rd.meanings = f.meanings;
    rd.legs = f.legs;
    rd.leg_count = f.leg_count;
    for (long k = 0; k < 200; ++k)
    {
        support_heap heap = {.fail_at = k};
        const sft_allocator allocator = support_allocator(&heap);
        sft_rig* rig = NULL;
        const sft_result result = sft_rig_create(&rd, skeleton, NULL, &allocator, &rig);
        if (result == SFT_OK) sft_rig_destroy(rig, &allocator);
        assert_int_equal(heap.live_blocks, 0);
        if (result == SFT_OK) break;
        assert_int_equal(result, SFT_ERR_MEMORY);
        assert_null(rig);
        assert_true(k < 199);
    }
    sft_skeleton_destroy(skeleton, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rig_reference__t_a_and_i_poses_come_to_the_same),
        cmocka_unit_test(test_rig_reference__any_facing_size_and_build),
        cmocka_unit_test(test_rig_reference__lying_rest_pose_stands_up),
        cmocka_unit_test(test_rig_reference__toes_are_turned_ahead_and_stay_level),
        cmocka_unit_test(test_rig_reference__trunk_that_leans_far_is_upright),
        cmocka_unit_test(test_rig_reference__local_rotations_give_the_pose),
        cmocka_unit_test(test_rig_reference__given_frame_is_the_base_pose),
        cmocka_unit_test(test_rig_reference__animals_keep_their_legs),
        cmocka_unit_test(test_rig_reference__without_legs_all_but_arms_keeps_the_base_pose),
        cmocka_unit_test(test_rig_reference__identity_is_the_content),
        cmocka_unit_test(test_rig_reference__bad_arguments_are_refused),
        cmocka_unit_test(test_rig_reference__a_given_base_pose_counts_alone),
        cmocka_unit_test(test_rig_reference__failing_memory_leaves_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
