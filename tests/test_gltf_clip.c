// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// From glTF documents to skeletons and clips: against plain 4x4 matrices, and by hand.

#include "support/support.h"

#include "support/gltf_random.h"
#include "support/gltf_taken.h"

// Largest distance between joints of the clip, put together rigidly, and nodes of the scene, over their distance from
// the origin (at least 1).
static double position_error(const scene* s, int32_t animation, const taken* t)
{
    const sft_gltf_contents* view = sft_gltf_view(t->gltf);
    double(*world)[16] = calloc(SCENE_NODES, sizeof *world);
    double worst = 0.0;
    for (int32_t f = 0; f < t->clip->frame_count; ++f)
    {
        scene_world(s, animation, time_of_frame(s, t, f), world);
        for (int32_t j = 0; j < view->joint_count; ++j)
        {
            const size_t row = (size_t)f * (size_t)view->joint_count;
            const sft_xformd x =
                sft_skeleton_joint_model(t->skeleton, t->clip->translations + row, t->clip->rotations + row, j);
            const double* m = world[view->joint_nodes[j]];
            const sft_v3d p = {m[12], m[13], m[14]};
            const double error = sft_v3d_distance(p, x.t) / sft_maxd(1.0, sft_v3d_length(p));
            if (!(error <= worst)) worst = error;
        }
    }
    free(world);
    return worst;
}

static void test_gltf_clip__positions_equal_plain_matrices(void** state)
{
    (void)state;
    support_rng rng = {20260801};
    for (int round = 0; round < 400; ++round)
    {
        const random_scales scales = (random_scales)(round % SCALES_KINDS);
        scene* s = random_scene(&rng, scales);
        const int32_t animation = s->animation_count > 0 ? 0 : -1;
        taken t = take(s, animation, NULL);
        const double error = position_error(s, animation, &t);
        if (!(error < 1e-9)) fail_msg("round %d: off by %g", round, error);
        drop(&t);
        scene_free(s);
    }
}

static void test_gltf_clip__rest_pose_equals_plain_matrices(void** state)
{
    (void)state;
    support_rng rng = {7};
    for (int round = 0; round < 100; ++round)
    {
        scene* s = random_scene(&rng, (random_scales)(round % SCALES_KINDS));
        taken t = take(s, -1, NULL);
        assert_int_equal(t.clip->frame_count, 1);
        assert_false(t.frames.stored);
        assert_true(position_error(s, -1, &t) < 1e-9);
        for (int32_t j = 0; j < t.skeleton->joint_count; ++j)
        {
            assert_memory_equal(&t.skeleton->rest_translations[j], &t.clip->translations[j], sizeof(sft_v3d));
            assert_memory_equal(&t.skeleton->rest_rotations[j], &t.clip->rotations[j], sizeof(sft_quatd));
        }
        drop(&t);
        scene_free(s);
    }
}

// ---- matrices ----

static void set_matrix(scene_node* n, const double* columns, double x, double y, double z)
{
    n->has_matrix = true;
    for (int c = 0; c < 3; ++c)
        for (int r = 0; r < 3; ++r)
            n->matrix[4 * c + r] = columns[3 * c + r];
    n->matrix[12] = x;
    n->matrix[13] = y;
    n->matrix[14] = z;
    n->matrix[15] = 1.0;
}

static void test_gltf_clip__matrices_count_whole(void** state)
{
    (void)state;
    support_rng rng = {99};
    for (int round = 0; round < 200; ++round)
    {
        scene* s = random_scene(&rng, (random_scales)(round % SCALES_KINDS));
        // Any node that no channel moves may have a matrix: turned, mirrored, sheared.
        for (int i = 0; i < s->node_count; ++i)
        {
            bool moved = random_below(&rng, 3) == 0;
            for (int c = 0; s->animation_count > 0 && c < s->animations[0].channel_count; ++c)
                moved = moved || s->animations[0].channels[c].node == i;
            double columns[9];
            for (int k = 0; k < 9; ++k)
                columns[k] = support_uniform(&rng, -1.0, 1.0) + (k % 4 == 0 ? 1.5 : 0.0);
            if (round % 2 == 0)
                for (int k = 0; k < 3; ++k)
                    columns[k] = -columns[k];
            if (!moved) set_matrix(&s->nodes[i], columns, support_uniform(&rng, -1, 1), 0.5, -0.25);
        }
        const int32_t animation = s->animation_count > 0 ? 0 : -1;
        taken t = take(s, animation, NULL);
        const double error = position_error(s, animation, &t);
        if (!(error < 1e-9)) fail_msg("round %d: off by %g", round, error);
        drop(&t);
        scene_free(s);
    }
}

// ---- scales by hand ----

// Armature at 0.01 with a quarter turn about X above a root and a child, as exporters of centimetre scenes write it.
static void test_gltf_clip__armature_folds_into_the_root(void** state)
{
    (void)state;
    scene* s = scene_new();
    const int armature = scene_add(s, "Armature", -1);
    const int hips = scene_add(s, "Hips", armature);
    const int leg = scene_add(s, "Leg", hips);
    const double h = sqrt(0.5);
    memcpy(s->nodes[armature].r, ((double[4]){-h, 0, 0, h}), 4 * sizeof(double));
    memcpy(s->nodes[armature].s, ((double[3]){0.01, 0.01, 0.01}), 3 * sizeof(double));
    s->nodes[hips].t[2] = 100.0;
    s->nodes[leg].t[2] = -45.0;
    scene_skin_over(s, (int[]){hips, leg}, 2);
    taken t = take(s, -1, NULL);
    assert_int_equal(t.skeleton->joint_count, 2);
    assert_string_equal(t.skeleton->names[0], "Hips");
    assert_true(sft_v3d_distance(t.skeleton->rest_translations[0], (sft_v3d){0, 1, 0}) < 1e-12);
    assert_true(sft_v3d_distance(t.skeleton->rest_translations[1], (sft_v3d){0, 0, -0.45}) < 1e-12);
    assert_true(fabs(t.skeleton->rest_rotations[0].x + h) < 1e-12);
    drop(&t);
    scene_free(s);
}

// Below a mirror in X a turn about Z goes the other way round.
static void test_gltf_clip__mirror_turns_the_other_way(void** state)
{
    (void)state;
    scene* s = scene_new();
    const int root = scene_add(s, "root", -1);
    const int knee = scene_add(s, "knee", root);
    const int foot = scene_add(s, "foot", knee);
    s->nodes[root].s[0] = -1.0;
    s->nodes[knee].t[0] = 1.0;
    s->nodes[foot].t[0] = 1.0;
    memcpy(s->nodes[knee].r, ((double[4]){0, 0, 0.6, 0.8}), 4 * sizeof(double));
    scene_skin_over(s, (int[]){root, knee, foot}, 3);
    taken t = take(s, -1, NULL);
    assert_true(fabs(t.clip->rotations[1].z + 0.6) < 1e-15 && fabs(t.clip->rotations[1].w - 0.8) < 1e-15);
    assert_true(sft_v3d_distance(t.clip->translations[1], (sft_v3d){-1, 0, 0}) < 1e-15);
    assert_true(sft_v3d_distance(t.clip->translations[2], (sft_v3d){-1, 0, 0}) < 1e-15);
    drop(&t);
    scene_free(s);
}

static void test_gltf_clip__scale_of_zero_is_no_trouble(void** state)
{
    (void)state;
    for (int kind = 0; kind < 3; ++kind)
    {
        scene* s = scene_new();
        const int root = scene_add(s, "root", -1);
        const int flat = scene_add(s, "flat", root);
        const int tip = scene_add(s, "tip", flat);
        const int end = scene_add(s, "end", tip);
        s->nodes[flat].t[1] = s->nodes[tip].t[1] = s->nodes[end].t[0] = 1.0;
        memcpy(s->nodes[tip].r, ((double[4]){0, 0, 0.6, 0.8}), 4 * sizeof(double));
        for (int i = 0; i <= kind; ++i)
            s->nodes[flat].s[i] = 0.0;
        s->nodes[tip].s[0] = 3.0;
        scene_skin_over(s, (int[]){root, flat, tip, end}, 4);
        taken t = take(s, -1, NULL);
        assert_true(position_error(s, -1, &t) < 1e-12);
        for (int32_t j = 0; j < 4; ++j)
            assert_true(fabs(sft_quatd_dot(t.clip->rotations[j], t.clip->rotations[j]) - 1.0) < 1e-12);
        drop(&t);
        scene_free(s);
    }
}

// Where nothing is scaled, values come through as they are stored.
static void test_gltf_clip__stored_values_come_through_exactly(void** state)
{
    (void)state;
    scene* s = scene_new();
    const int root = scene_add(s, "root", -1);
    const int tip = scene_add(s, "tip", root);
    scene_skin_over(s, (int[]){root, tip}, 2);
    float* times = scene_floats(s, 40);
    float* moves = scene_floats(s, 120);
    float* turns = scene_floats(s, 160);
    support_rng rng = {3};
    for (int k = 0; k < 40; ++k)
    {
        times[k] = (float)(5 + k) / 30.0f;
        for (int i = 0; i < 3; ++i)
            moves[3 * k + i] = (float)support_uniform(&rng, -1, 1);
        turns[4 * k + k % 4] = k % 8 < 4 ? 1.0f : -1.0f;
    }
    scene_channel_add(s, 0, (scene_channel){tip, SCENE_ROTATION, SCENE_LINEAR, 40, times, turns});
    scene_channel_add(s, 0, (scene_channel){tip, SCENE_TRANSLATION, SCENE_LINEAR, 40, times, moves});
    taken t = take(s, 0, NULL);
    assert_true(t.frames.stored);
    assert_int_equal(t.clip->frame_count, 40);
    assert_int_equal(t.frames.first, 0);
    assert_true(t.clip->frame_time == 1.0 / 30.0);
    assert_true(t.frames.start == (double)times[0]);
    for (int k = 0; k < 40; ++k)
    {
        const sft_v3d v = t.clip->translations[2 * k + 1];
        const sft_quatd q = t.clip->rotations[2 * k + 1];
        assert_true(v.x == (double)moves[3 * k] && v.y == (double)moves[3 * k + 1] && v.z == (double)moves[3 * k + 2]);
        assert_true(q.x == (double)turns[4 * k] && q.y == (double)turns[4 * k + 1]);
        assert_true(q.z == (double)turns[4 * k + 2] && q.w == (double)turns[4 * k + 3]);
    }
    drop(&t);
    scene_free(s);
}

// ---- failures ----

static void test_gltf_clip__arguments_and_defs_are_checked(void** state)
{
    (void)state;
    support_rng rng = {5};
    scene* s = random_scene(&rng, SCALES_NONE);
    taken t = take(s, -1, NULL);
    sft_skeleton* skeleton = NULL;
    sft_clip* clip = NULL;
    sft_error error = {0};
    assert_int_equal(sft_gltf_to_clip(NULL, 0, NULL, NULL, &skeleton, &clip, NULL, &error), SFT_ERR_ARG);
    assert_int_equal(sft_gltf_to_clip(t.gltf, -2, NULL, NULL, &skeleton, &clip, NULL, &error), SFT_ERR_ARG);
    assert_int_equal(sft_gltf_to_clip(t.gltf, 99, NULL, NULL, &skeleton, &clip, NULL, &error), SFT_ERR_ARG);
    sft_gltf_clip_def def = sft_default_gltf_clip_def();
    def.fps = 0.0;
    assert_int_equal(sft_gltf_to_clip(t.gltf, -1, &def, NULL, &skeleton, &clip, NULL, &error), SFT_ERR_DEF);
    def = (sft_gltf_clip_def){.fps = 60.0};
    assert_int_equal(sft_gltf_to_clip(t.gltf, -1, &def, NULL, &skeleton, &clip, NULL, &error), SFT_ERR_DEF);
    assert_null(skeleton);
    assert_null(clip);
    drop(&t);
    scene_free(s);
}

static void test_gltf_clip__every_failing_allocation_is_reported(void** state)
{
    (void)state;
    support_rng rng = {11};
    scene* s = random_scene(&rng, SCALES_ANY);
    taken t = take(s, 0, NULL);
    sft_skeleton* skeleton = NULL;
    sft_clip* clip = NULL;
    for (long k = 0;; ++k)
    {
        support_heap heap = {.fail_at = k};
        const sft_allocator allocator = support_allocator(&heap);
        sft_error error = {0};
        const sft_result result = sft_gltf_to_clip(t.gltf, 0, NULL, &allocator, &skeleton, &clip, NULL, &error);
        if (result == SFT_OK)
        {
            assert_true(k > 10);
            sft_skeleton_destroy(skeleton, &allocator);
            sft_clip_destroy(clip, &allocator);
            assert_int_equal(heap.live_blocks, 0);
            break;
        }
        assert_int_equal(result, SFT_ERR_MEMORY);
        assert_int_equal(error.code, SFT_ERR_MEMORY);
        assert_null(skeleton);
        assert_null(clip);
        assert_int_equal(heap.live_blocks, 0);
    }
    drop(&t);
    scene_free(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_gltf_clip__positions_equal_plain_matrices),
        cmocka_unit_test(test_gltf_clip__rest_pose_equals_plain_matrices),
        cmocka_unit_test(test_gltf_clip__matrices_count_whole),
        cmocka_unit_test(test_gltf_clip__armature_folds_into_the_root),
        cmocka_unit_test(test_gltf_clip__mirror_turns_the_other_way),
        cmocka_unit_test(test_gltf_clip__scale_of_zero_is_no_trouble),
        cmocka_unit_test(test_gltf_clip__stored_values_come_through_exactly),
        cmocka_unit_test(test_gltf_clip__arguments_and_defs_are_checked),
        cmocka_unit_test(test_gltf_clip__every_failing_allocation_is_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
