// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// Unit, up axis, reference pose and travel joint, on clips made for the purpose.

#include "support/rigs.h"
#include "support/support.h"

static int person(void)
{
    rig r;
    for (int i = 0; i < rig_count(); ++i)
    {
        rig_make(i, &r);
        if (strcmp(r.title, "mixamo") == 0) return i;
    }
    return -1;
}

static void test_clip_space__units_of_a_person(void** state)
{
    (void)state;
    const struct
    {
        double unit, size; // metres a unit; size of the person, 1 is grown
        bool sure;
    } cases[] = {
        {1.0, 1.0, true},    {0.01, 1.0, true},   {0.001, 1.0, true},         {0.1, 1.0, true},
        {0.0254, 1.0, true}, {0.3048, 1.0, true}, {0.0254 / 0.45, 1.0, true}, {0.01, 0.62, true},
        {1.0, 0.6, true},    {0.01, 1.25, true},  {0.001, 0.8, true},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i)
        for (int axis = 0; axis < 3; ++axis)
        {
            rig r;
            rig_make(person(), &r);
            rig_scale(&r, 0.98 * cases[i].size / cases[i].unit);
            rig_turn_to(&r, (sft_axis)axis);
            sft_skeleton* s = rig_skeleton(&r);
            sft_space space;
            assert_int_equal(sft_clip_infer_space(s, NULL, NULL, &space), SFT_OK);
            if (space.unit_metres != cases[i].unit) fail_msg("case %zu: %g: %s", i, space.unit_metres, space.reason);
            assert_int_equal(space.up, axis);
            assert_true(space.unit_sure == cases[i].sure && space.up_sure);
            assert_true(fabs(space.figure_height * space.unit_metres / (1.8 * cases[i].size) - 1.0) < 0.1);
            sft_skeleton_destroy(s, NULL);
        }
}

// No usual unit fits: the person is made a person's size, and the answer says that it is not sure.
static void test_clip_space__odd_units_make_a_usual_figure(void** state)
{
    (void)state;
    const double units[] = {0.037, 0.18, 7.0, 0.0036, 0.00012, 1e-5, 12345.0};
    for (size_t i = 0; i < sizeof units / sizeof units[0]; ++i)
    {
        rig r;
        rig_make(person(), &r);
        rig_scale(&r, 1.0 / units[i]);
        sft_skeleton* s = rig_skeleton(&r);
        sft_space space;
        assert_int_equal(sft_clip_infer_space(s, NULL, NULL, &space), SFT_OK);
        assert_false(space.unit_sure);
        assert_true(fabs(space.unit_metres / units[i] - 1.0) < 0.12);
        sft_skeleton_destroy(s, NULL);
    }
}

// Where the rest pose lies along another axis than the motion stands, both are asked.
static void test_clip_space__up_from_motion_where_the_rest_pose_is_a_knot(void** state)
{
    (void)state;
    support_rng rng = {31};
    for (int axis = 0; axis < 3; ++axis)
        for (int round = 0; round < 9; ++round)
        {
            rig r;
            rig_make(person(), &r);
            sft_skeleton* s = NULL;
            sft_clip* clip = NULL;
            rig_animate(&r, &rng, 60, 0.4, (rig_axes)(1 + round % 3), NULL, &s, &clip);
            // From inside to the file's axes: the inverse of the turn, at the root.
            const sft_quatd back = sft_quatd_conjugate(sft_space_turn((sft_axis)axis));
            for (int f = 0; f < clip->frame_count; ++f)
            {
                const size_t root = (size_t)f * (size_t)clip->joint_count;
                clip->rotations[root] = sft_quatd_mul(back, clip->rotations[root]);
                clip->translations[root] = sft_quatd_rotate(back, clip->translations[root]);
            }
            sft_space space;
            assert_int_equal(sft_clip_infer_space(s, clip, NULL, &space), SFT_OK);
            assert_int_equal(space.up, axis);
            assert_true(space.unit_metres == 1.0);
            sft_skeleton_destroy(s, NULL);
            sft_clip_destroy(clip, NULL);
        }
}

// ---- reference poses ----

typedef struct scene
{
    sft_skeleton* skeleton;
    sft_clip* clip;
} scene;

static scene walk(int frames, double swing)
{
    rig r;
    support_rng rng = {8};
    scene s;
    rig_make(person(), &r);
    rig_animate(&r, &rng, frames, swing, RIG_AXES_PLAIN, NULL, &s.skeleton, &s.clip);
    // Arms hang in the motion, so that the rest pose, a T, is far from it.
    for (int32_t f = 0; f < frames; ++f)
        for (int j = 0; j < r.count; ++j)
        {
            const double down = strcmp(r.names[j], "mixamorig:LeftArm") == 0    ? -1.3
                                : strcmp(r.names[j], "mixamorig:RightArm") == 0 ? 1.3
                                                                                : 0.0;
            if (down != 0.0)
                s.clip->rotations[(size_t)f * (size_t)r.count + (size_t)j] = sft_quatd_exp(sft_v3d_make(0, 0, down));
        }
    return s;
}

static void free_scene(scene* s)
{
    sft_skeleton_destroy(s->skeleton, NULL);
    sft_clip_destroy(s->clip, NULL);
}

// Pose `frame` becomes the rest pose, mixed with what was there by `keep` (0: rest pose alone).
static void put_rest(scene* s, int32_t frame, double keep)
{
    const size_t n = (size_t)s->clip->joint_count, row = (size_t)frame * n;
    for (size_t j = 0; j < n; ++j)
        s->clip->rotations[row + j] = sft_quatd_slerp(sft_quatd_identity(), s->clip->rotations[row + j], keep);
}

static void test_clip_first_frame__reference_pose_is_noticed(void** state)
{
    (void)state;
    char reason[128];
    scene s = walk(90, 0.4);
    assert_int_equal(sft_clip_first_frame(s.skeleton, s.clip, reason), 0);
    assert_string_equal(reason, "");
    put_rest(&s, 0, 0.0);
    assert_int_equal(sft_clip_first_frame(s.skeleton, s.clip, reason), 1);
    assert_non_null(strstr(reason, "reference pose"));
    assert_int_equal(sft_clip_first_frame(s.skeleton, s.clip, NULL), 1);
    free_scene(&s);
}

static void test_clip_first_frame__only_frame_0_of_a_smeared_jump_is_left_out(void** state)
{
    (void)state;
    scene s = walk(300, 0.05);
    s.clip->frame_time = 1.0 / 120.0;
    for (int32_t f = 0; f < 300; ++f)
        s.clip->translations[(size_t)f * (size_t)s.clip->joint_count].z *= 0.2;
    const double keep[] = {0.0, 0.35, 0.65, 0.85};
    for (int32_t f = 0; f < 4; ++f)
        put_rest(&s, f, keep[f]);
    assert_int_equal(sft_clip_first_frame(s.skeleton, s.clip, NULL), 1);
    free_scene(&s);
}

static void test_clip_first_frame__ordinary_starts_are_left_alone(void** state)
{
    (void)state;
    // Any stretch of a walk, also short ones and at low rates.
    scene whole = walk(200, 0.4);
    const size_t n = (size_t)whole.clip->joint_count;
    for (int32_t step = 1; step <= 6; ++step)
        for (int32_t start = 0; start < 60; start += 7)
            for (int32_t frames = 3; frames < 30; frames += 5)
            {
                sft_clip* part = NULL;
                assert_int_equal(sft_clip_create((int32_t)n, frames, 0.03 * step, NULL, &part), SFT_OK);
                int32_t f = 0;
                for (; f < frames && start + f * step < 200; ++f)
                {
                    memcpy(part->rotations + (size_t)f * n, whole.clip->rotations + (size_t)(start + f * step) * n,
                           n * sizeof(sft_quatd));
                    memcpy(part->translations + (size_t)f * n,
                           whole.clip->translations + (size_t)(start + f * step) * n, n * sizeof(sft_v3d));
                }
                part->frame_count = f;
                const int32_t first = sft_clip_first_frame(whole.skeleton, part, NULL);
                part->frame_count = frames;
                assert_int_equal(first, 0);
                sft_clip_destroy(part, NULL);
            }
    // A clip that stands in its rest pose all the time, and one that leaves it slowly.
    for (int32_t f = 0; f < 200; ++f)
        put_rest(&whole, f, f < 100 ? 0.0 : (double)(f - 100) / 100.0);
    assert_int_equal(sft_clip_first_frame(whole.skeleton, whole.clip, NULL), 0);
    // A jump from the rest pose that comes again later is the dancer's, not the exporter's.
    scene again = walk(200, 0.4);
    put_rest(&again, 0, 0.0);
    put_rest(&again, 100, 0.0);
    assert_int_equal(sft_clip_first_frame(again.skeleton, again.clip, NULL), 0);
    assert_int_equal(sft_clip_first_frame(NULL, again.clip, NULL), 0);
    assert_int_equal(sft_clip_first_frame(again.skeleton, NULL, NULL), 0);
    free_scene(&again);
    free_scene(&whole);
}

// An exporter that turns the world at the root alone: rest pose with Y up, motion with Z up. A body that walks about on
// its feet is not lying down; one that stays where it is may be, and the rest pose has the say.
static void test_clip_space__walk_turned_at_the_root_alone(void** state)
{
    (void)state;
    for (int lying = 0; lying < 2; ++lying)
    {
        scene s = walk(120, 0.4);
        const size_t n = (size_t)s.clip->joint_count;
        const sft_quatd turn = sft_quatd_exp(sft_v3d_make(0.5 * SFT_PI, 0, 0)); // a quarter about X: Y to Z
        for (int32_t f = 0; f < 120; ++f)
        {
            sft_v3d* t = &s.clip->translations[(size_t)f * n];
            *t = sft_v3d_make(t->x, 0.95, lying ? 0.0 : 0.02 * f);
            *t = sft_quatd_rotate(turn, *t);
            s.clip->rotations[(size_t)f * n] = sft_quatd_mul(turn, s.clip->rotations[(size_t)f * n]);
        }
        sft_space space;
        assert_int_equal(sft_clip_infer_space(s.skeleton, s.clip, NULL, &space), SFT_OK);
        assert_int_equal(space.up, lying ? SFT_AXIS_Y : SFT_AXIS_Z);
        assert_true(space.unit_metres == 1.0);
        free_scene(&s);
    }
}

// ---- travel ----

static void test_clip_travel__root_stem_and_control_joints(void** state)
{
    (void)state;
    rig r = {.title = "stem"};
    const int top = rig_add(&r, -1, "Armature", 0, 0, 0), root = rig_add(&r, top, "root", 0, 0, 0);
    const int ik = rig_add(&r, root, "ik", 0.1, 0, 0), hips = rig_add(&r, root, "hips", 0, 1, 0);
    const int spine = rig_add(&r, hips, "spine", 0, 0.2, 0), leg = rig_add(&r, hips, "leg", 0.1, -0.1, 0);
    (void)spine;
    sft_skeleton* s = rig_skeleton(&r);
    sft_clip* clip = NULL;
    assert_int_equal(sft_clip_create(r.count, 20, 0.05, NULL, &clip), SFT_OK);
    // Nothing moves: the root.
    assert_int_equal(sft_clip_travel_joint(s, clip, 0), top);
    assert_int_equal(sft_clip_travel_joint(s, NULL, 0), top);
    const int order[] = {leg, ik, hips, root, top};
    const int answer[] = {top, ik, hips, root, top};
    // A sliding leg is no travel; a control joint is, until the hips move, which carry more; then the stem.
    for (int k = 0; k < 5; ++k)
    {
        for (int f = 0; f < 20; ++f)
            clip->translations[(size_t)f * (size_t)r.count + (size_t)order[k]].z = 0.1 * f;
        assert_int_equal(sft_clip_travel_joint(s, clip, 0), answer[k]);
    }
    sft_clip_destroy(clip, NULL);
    sft_skeleton_destroy(s, NULL);
}

static void test_clip_travel__reference_pose_does_not_count(void** state)
{
    (void)state;
    rig r = {.title = "root above"};
    const int root = rig_add(&r, -1, "root", 0, 0, 0), hips = rig_add(&r, root, "hips", 0, 1, 0);
    rig_add(&r, hips, "spine", 0, 1, 0);
    sft_skeleton* s = rig_skeleton(&r);
    sft_clip* clip = NULL;
    assert_int_equal(sft_clip_create(r.count, 20, 0.05, NULL, &clip), SFT_OK);
    clip->translations[0].x = 3.0;
    for (int f = 1; f < 20; ++f)
        clip->translations[3 * f + 1].z = 0.1 * f;
    assert_int_equal(sft_clip_travel_joint(s, clip, 1), hips);
    assert_int_equal(sft_clip_travel_joint(s, clip, 0), root);
    sft_clip_destroy(clip, NULL);
    sft_skeleton_destroy(s, NULL);
}

// A prop is a root too: the character is the one with the joints.
static void test_clip_travel__of_several_roots_the_one_that_carries_most(void** state)
{
    (void)state;
    rig r = {.title = "two roots"};
    const int prop = rig_add(&r, -1, "sword", 0, 0, 0);
    const int hips = rig_add(&r, -1, "hips", 0, 1, 0);
    rig_add(&r, hips, "spine", 0, 1, 0);
    sft_skeleton* s = rig_skeleton(&r);
    sft_clip* clip = NULL;
    assert_int_equal(sft_clip_create(r.count, 20, 0.05, NULL, &clip), SFT_OK);
    for (int f = 0; f < 20; ++f)
        clip->translations[3 * f + prop].x = clip->translations[3 * f + hips].x = 0.1 * f;
    assert_int_equal(sft_clip_travel_joint(s, clip, 0), hips);
    sft_clip_destroy(clip, NULL);
    sft_skeleton_destroy(s, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_clip_space__units_of_a_person),
        cmocka_unit_test(test_clip_space__odd_units_make_a_usual_figure),
        cmocka_unit_test(test_clip_space__up_from_motion_where_the_rest_pose_is_a_knot),
        cmocka_unit_test(test_clip_first_frame__reference_pose_is_noticed),
        cmocka_unit_test(test_clip_first_frame__only_frame_0_of_a_smeared_jump_is_left_out),
        cmocka_unit_test(test_clip_first_frame__ordinary_starts_are_left_alone),
        cmocka_unit_test(test_clip_space__walk_turned_at_the_root_alone),
        cmocka_unit_test(test_clip_travel__root_stem_and_control_joints),
        cmocka_unit_test(test_clip_travel__reference_pose_does_not_count),
        cmocka_unit_test(test_clip_travel__of_several_roots_the_one_that_carries_most),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
