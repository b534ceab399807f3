// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

#include "support/support.h"

#include "core/core.h"

// Two roots, a chain under the first, a leaf without a name of its own.
static sft_skeleton small_def(void)
{
    static const char* const names[] = {"hips", "spine", "spine", "prop", "spine"};
    static const int32_t parents[] = {-1, 0, 1, -1, 2};
    static const uint32_t flags[] = {0, 0, 0, 0, SFT_JOINT_END_SITE};
    static const sft_v3d offsets[] = {{1, 2, 3}, {0, 1, 0}, {0, 0.5, 0}, {4, 0, 0}, {0, 0.25, 0}};
    return (sft_skeleton){5, names, parents, flags, offsets, NULL};
}

static void test_skeleton__copies_and_finds(void** state)
{
    (void)state;
    const sft_skeleton def = small_def();
    sft_skeleton* skeleton = NULL;
    assert_int_equal(sft_skeleton_create(&def, NULL, &skeleton), SFT_OK);
    assert_int_equal(skeleton->joint_count, 5);
    assert_true(skeleton->names[1] != def.names[1]);
    assert_int_equal(sft_skeleton_find(skeleton, "spine"), 1);
    assert_int_equal(sft_skeleton_find(skeleton, "prop"), 3);
    assert_int_equal(sft_skeleton_find(skeleton, "nobody"), -1);
    assert_true(skeleton->rest_rotations[4].w == 1.0);
    sft_skeleton_destroy(skeleton, NULL);
    sft_skeleton_destroy(NULL, NULL);
}

static void test_skeleton__refuses_what_is_no_tree(void** state)
{
    (void)state;
    sft_skeleton* skeleton = NULL;
    sft_skeleton def = small_def();
    const int32_t late_parent[] = {-1, 2, 1, -1, 2};
    def.parents = late_parent;
    assert_int_equal(sft_skeleton_create(&def, NULL, &skeleton), SFT_ERR_ARG);
    const int32_t self[] = {0, 0, 1, -1, 2};
    def.parents = self;
    assert_int_equal(sft_skeleton_create(&def, NULL, &skeleton), SFT_ERR_ARG);
    def = small_def();
    sft_v3d bad[5] = {{0, 0, 0}};
    bad[4].z = (double)NAN;
    def.rest_translations = bad;
    assert_int_equal(sft_skeleton_create(&def, NULL, &skeleton), SFT_ERR_RANGE);
    def = small_def();
    def.joint_count = SFT_MAX_JOINTS + 1;
    assert_int_equal(sft_skeleton_create(&def, NULL, &skeleton), SFT_ERR_LIMIT);
    assert_int_equal(sft_skeleton_create(NULL, NULL, &skeleton), SFT_ERR_ARG);
    assert_null(skeleton);
}

// Reference by 4x4 matrices, written out here.
static void matrix_of(sft_v3d t, sft_quatd q, double m[4][4])
{
    const double x = q.x, y = q.y, z = q.z, w = q.w;
    const double r[4][4] = {{1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w), t.x},
                            {2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w), t.y},
                            {2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y), t.z},
                            {0, 0, 0, 1}};
    memcpy(m, r, sizeof r);
}

static void matrix_mul(double a[4][4], double b[4][4], double out[4][4])
{
    for (int i = 0; i < 4; ++i)
        for (int j = 0; j < 4; ++j)
        {
            out[i][j] = 0.0;
            for (int k = 0; k < 4; ++k)
                out[i][j] += a[i][k] * b[k][j];
        }
}

static sft_quatd random_rotation(support_rng* rng)
{
    return sft_quatd_normalize((sft_quatd){support_uniform(rng, -1, 1), support_uniform(rng, -1, 1),
                                           support_uniform(rng, -1, 1), support_uniform(rng, -1, 1)});
}

static void test_skeleton__forward_matches_matrices(void** state)
{
    (void)state;
    const sft_skeleton def = small_def();
    support_rng rng = {11};
    for (int round = 0; round < 200; ++round)
    {
        sft_v3d t[5];
        sft_quatd r[5];
        sft_xformd model[5];
        double world[5][4][4];
        for (int j = 0; j < 5; ++j)
        {
            t[j] =
                sft_v3d_make(support_uniform(&rng, -2, 2), support_uniform(&rng, -2, 2), support_uniform(&rng, -2, 2));
            r[j] = random_rotation(&rng);
            double local[4][4];
            matrix_of(t[j], r[j], local);
            if (def.parents[j] < 0)
                memcpy(world[j], local, sizeof local);
            else
                matrix_mul(world[def.parents[j]], local, world[j]);
        }
        sft_skeleton_forward(&def, t, r, model);
        for (int j = 0; j < 5; ++j)
        {
            const sft_v3d expected = {world[j][0][3], world[j][1][3], world[j][2][3]};
            assert_true(sft_v3d_distance(model[j].t, expected) < 1e-13);
            const sft_xformd alone = sft_skeleton_joint_model(&def, t, r, j);
            assert_true(sft_v3d_distance(alone.t, expected) < 1e-13);
            assert_true(fabs(fabs(sft_quatd_dot(alone.r, model[j].r)) - 1.0) < 1e-13);
            double turned[4][4];
            matrix_of(sft_v3d_make(0, 0, 0), model[j].r, turned);
            for (int i = 0; i < 3; ++i)
                for (int k = 0; k < 3; ++k)
                    assert_true(fabs(turned[i][k] - world[j][i][k]) < 1e-13);
        }
    }
}

// The up axis of the file must come out as +Y, lengths scaled, handedness kept, and the way back must be exact in axes.
static void test_clip__rescale_turns_up_and_scales(void** state)
{
    (void)state;
    const sft_v3d ups[] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {-1, 0, 0}, {0, -1, 0}, {0, 0, -1}};
    for (int axis = 0; axis < 6; ++axis)
    {
        const sft_space space = {0.5, (sft_axis)axis, 0, true, true, ""};
        const sft_v3d up = sft_space_to_inside(&space, ups[axis]);
        assert_true(up.x == 0.0 && up.y == 0.5 && up.z == 0.0);
        const sft_v3d p = {0.25, -3.0, 7.5};
        const sft_v3d back = sft_space_to_file(&space, sft_space_to_inside(&space, p));
        assert_true(back.x == p.x && back.y == p.y && back.z == p.z);
        const sft_v3d turned = sft_quatd_rotate(sft_space_turn(space.up), p);
        assert_true(sft_v3d_distance(sft_v3d_scale(0.5, turned), sft_space_to_inside(&space, p)) < 1e-14);
        const sft_v3d x = sft_space_to_inside(&space, sft_v3d_make(1, 0, 0));
        const sft_v3d y = sft_space_to_inside(&space, sft_v3d_make(0, 1, 0));
        const sft_v3d z = sft_space_to_inside(&space, sft_v3d_make(0, 0, 1));
        assert_true(sft_v3d_dot(sft_v3d_cross(x, y), z) > 0.0);
    }
}

static void test_clip__rescale_moves_every_joint_alike(void** state)
{
    (void)state;
    const sft_skeleton def = small_def();
    sft_skeleton* skeleton = NULL;
    sft_clip* clip = NULL;
    assert_int_equal(sft_skeleton_create(&def, NULL, &skeleton), SFT_OK);
    assert_int_equal(sft_clip_create(5, 3, 1.0 / 30.0, NULL, &clip), SFT_OK);
    support_rng rng = {5};
    for (int i = 0; i < 15; ++i)
    {
        clip->translations[i] =
            sft_v3d_make(support_uniform(&rng, -9, 9), support_uniform(&rng, -9, 9), support_uniform(&rng, -9, 9));
        clip->rotations[i] = random_rotation(&rng);
    }
    sft_v3d before[5][3], after[3];
    for (int j = 0; j < 5; ++j)
        sft_clip_joint_track(skeleton, clip, j, before[j]);
    const sft_space space = {0.01, SFT_AXIS_Z, 0, true, true, ""};
    assert_int_equal(sft_clip_rescale(skeleton, clip, &space), SFT_OK);
    assert_true(sft_v3d_distance(skeleton->rest_translations[0], sft_v3d_make(0.01, 0.03, -0.02)) < 1e-16);
    for (int j = 0; j < 5; ++j)
    {
        sft_clip_joint_track(skeleton, clip, j, after);
        for (int f = 0; f < 3; ++f)
            assert_true(sft_v3d_distance(after[f], sft_space_to_inside(&space, before[j][f])) < 1e-14);
    }
    const sft_space broken = {0.0, SFT_AXIS_Y, 0, true, true, ""};
    assert_int_equal(sft_clip_rescale(skeleton, clip, &broken), SFT_ERR_ARG);
    sft_clip_destroy(clip, NULL);
    sft_skeleton_destroy(skeleton, NULL);
}

static void test_clip__allocation_failure_leaves_nothing(void** state)
{
    (void)state;
    const sft_skeleton def = small_def();
    for (long k = 0; k < 4; ++k)
    {
        support_heap heap = {0, k, 0, 0, 0};
        const sft_allocator allocator = support_allocator(&heap);
        sft_clip* clip = NULL;
        sft_skeleton* skeleton = NULL;
        const sft_result made = sft_clip_create(5, 3, 0.1, &allocator, &clip);
        assert_int_equal(made, k < 3 ? SFT_ERR_MEMORY : SFT_OK);
        assert_int_equal(sft_skeleton_create(&def, &allocator, &skeleton), SFT_ERR_MEMORY);
        assert_true((clip != NULL) == (made == SFT_OK) && skeleton == NULL);
        sft_clip_destroy(clip, &allocator);
        assert_int_equal(heap.live_blocks, 0);
    }
    sft_clip* clip = NULL;
    assert_int_equal(sft_clip_create(1, 1, 0.0, NULL, &clip), SFT_ERR_ARG);
    assert_int_equal(sft_clip_create(1, 1, (double)NAN, NULL, &clip), SFT_ERR_ARG);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_skeleton__copies_and_finds),
        cmocka_unit_test(test_skeleton__refuses_what_is_no_tree),
        cmocka_unit_test(test_skeleton__forward_matches_matrices),
        cmocka_unit_test(test_clip__rescale_turns_up_and_scales),
        cmocka_unit_test(test_clip__rescale_moves_every_joint_alike),
        cmocka_unit_test(test_clip__allocation_failure_leaves_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
