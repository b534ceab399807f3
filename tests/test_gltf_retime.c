// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// Parts of an animation and other rates: against the world matrices of a scene by the standard's formulas.

#include <math.h>

#include "gltf/gltf.h"
#include "support/gltf_scene.h"
#include "support/support.h"

#define KEYS 21
#define START 0.5
#define STEP_TIME 0.05

typedef struct made
{
    scene* scene;
    void* bytes;
    size_t size;
    sft_gltf* gltf;
    int root, arm, hand, prop;
} made;

// An arm that turns (linear), a root that moves (spline), a hand that jumps (step, two keys), a node beside the
// skeleton that scales, and morph weights.
static made make(void)
{
    made m = {.scene = scene_new()};
    scene* s = m.scene;
    m.root = scene_add(s, "Root", -1);
    m.arm = scene_add(s, "Arm", m.root);
    m.hand = scene_add(s, "Hand", m.arm);
    m.prop = scene_add(s, "Prop", -1);
    s->nodes[m.arm].t[1] = 1.0;
    s->nodes[m.hand].t[1] = 0.5;
    s->nodes[m.prop].mesh = true;
    scene_skin_over(s, (int[]){m.root, m.arm, m.hand}, 3);
    float *times = scene_floats(s, KEYS), *turns = scene_floats(s, 4 * KEYS), *moves = scene_floats(s, 18);
    float *few = scene_floats(s, 2), *hands = scene_floats(s, 8), *scales = scene_floats(s, 6);
    float* weights = scene_floats(s, 2);
    for (int k = 0; k < KEYS; ++k)
    {
        const double angle = 0.15 * k;
        times[k] = (float)(START + STEP_TIME * k);
        turns[4 * k + 2] = (float)sin(0.5 * angle);
        turns[4 * k + 3] = (float)cos(0.5 * angle);
    }
    few[0] = times[0];
    few[1] = times[KEYS - 1];
    for (int i = 0; i < 18; ++i)
        moves[i] = 0.1f * (float)((i * 7) % 5);
    hands[3] = 1.0f;
    hands[4] = hands[7] = 0.70710678f;
    for (int i = 0; i < 6; ++i)
        scales[i] = i < 3 ? 1.0f : 3.0f;
    weights[1] = 1.0f;
    scene_channel_add(s, 0, (scene_channel){m.arm, SCENE_ROTATION, SCENE_LINEAR, KEYS, times, turns});
    scene_channel_add(s, 0, (scene_channel){m.root, SCENE_TRANSLATION, SCENE_CUBICSPLINE, 2, few, moves});
    scene_channel_add(s, 0, (scene_channel){m.hand, SCENE_ROTATION, SCENE_STEP, 2, few, hands});
    scene_channel_add(s, 0, (scene_channel){m.prop, SCENE_SCALE, SCENE_LINEAR, 2, few, scales});
    scene_channel_add(s, 0, (scene_channel){m.prop, SCENE_WEIGHTS, SCENE_LINEAR, 2, few, weights});
    scene_glb(s, &m.bytes, &m.size);
    sft_error error = {0};
    if (sft_gltf_read(NULL, m.bytes, m.size, NULL, &m.gltf, &error) != SFT_OK) fail_msg("%s", error.message);
    return m;
}

static void drop(made* m)
{
    sft_gltf_destroy(m->gltf);
    free(m->bytes);
    scene_free(m->scene);
}

static sft_gltf_frames frames_of(const sft_gltf* gltf)
{
    sft_gltf_frames frames;
    sft_skeleton* skeleton = NULL;
    sft_clip* clip = NULL;
    assert_int_equal(sft_gltf_to_clip(gltf, 0, NULL, NULL, &skeleton, &clip, &frames, NULL), SFT_OK);
    sft_clip_destroy(clip, NULL);
    sft_skeleton_destroy(skeleton, NULL);
    return frames;
}

// The document as written and read again.
static sft_gltf* again(const sft_gltf* gltf, char** bytes)
{
    sft_gltf_write_def def = sft_default_gltf_write_def();
    def.glb = true;
    sft_gltf_output* output = NULL;
    assert_int_equal(sft_gltf_write(gltf, &def, NULL, &output), SFT_OK);
    const sft_gltf_file* file = &output->files[output->file_count - 1];
    *bytes = malloc((size_t)file->size + 1);
    size_t at = 0;
    for (int32_t i = 0; i < file->part_count; ++i)
    {
        if (file->parts[i].size > 0) memcpy(*bytes + at, file->parts[i].data, file->parts[i].size);
        at += file->parts[i].size;
    }
    sft_gltf_output_destroy(output, NULL);
    sft_gltf* read = NULL;
    assert_int_equal(sft_gltf_read(NULL, *bytes, at, NULL, &read, NULL), SFT_OK);
    return read;
}

// Positions of the hand in the written document against the scene at the times that were asked for.
static void check(const made* m, int32_t count, double from, double step, double frame_time)
{
    char* bytes = NULL;
    sft_gltf* gltf = again(m->gltf, &bytes);
    sft_skeleton* skeleton = NULL;
    sft_clip* clip = NULL;
    sft_gltf_frames frames;
    assert_int_equal(sft_gltf_to_clip(gltf, 0, NULL, NULL, &skeleton, &clip, &frames, NULL), SFT_OK);
    assert_int_equal(clip->frame_count, count);
    assert_true(fabs(frames.start - START) < 1e-6);
    assert_true(fabs(clip->frame_time - frame_time) < 1e-7);
    const int32_t hand = sft_skeleton_find(skeleton, "Hand");
    const size_t joints = (size_t)clip->joint_count;
    for (int32_t f = 0; f < count; ++f)
    {
        double world[SCENE_NODES][16];
        scene_world(m->scene, 0, from + step * f, world);
        const sft_v3d p = sft_skeleton_joint_model(skeleton, clip->translations + (size_t)f * joints,
                                                   clip->rotations + (size_t)f * joints, hand)
                              .t;
        const sft_v3d wanted = {world[m->hand][12], world[m->hand][13], world[m->hand][14]};
        assert_true(sft_v3d_distance(p, wanted) < 2e-6);
    }
    sft_clip_destroy(clip, NULL);
    sft_skeleton_destroy(skeleton, NULL);
    sft_gltf_destroy(gltf);
    free(bytes);
}

static void test_gltf_retime__cuts_a_part_out(void** state)
{
    (void)state;
    made m = make();
    const sft_gltf_frames frames = frames_of(m.gltf);
    assert_int_equal(frames.frame_count, KEYS);
    int32_t left = -1;
    assert_int_equal(sft_gltf_retime(m.gltf, 0, &frames, 4, 12, 0.0, &left, NULL), SFT_OK);
    assert_int_equal(left, 1);
    check(&m, 8, START + 4 * STEP_TIME, STEP_TIME, STEP_TIME);
    drop(&m);
}

static void test_gltf_retime__samples_at_another_rate(void** state)
{
    (void)state;
    for (int i = 0; i < 3; ++i)
    {
        const double rates[] = {0.025, 0.1, 0.02};
        const int32_t counts[] = {41, 11, 51};
        made m = make();
        const sft_gltf_frames frames = frames_of(m.gltf);
        assert_int_equal(sft_gltf_retime(m.gltf, 0, &frames, 0, KEYS, rates[i], NULL, NULL), SFT_OK);
        check(&m, counts[i], START, rates[i], rates[i]);
        drop(&m);
    }
}

static void test_gltf_retime__keys_that_are_frames_keep_their_numbers(void** state)
{
    (void)state;
    made m = make();
    const scene_channel* arm = &m.scene->animations[0].channels[0];
    const sft_gltf_frames frames = frames_of(m.gltf);
    assert_int_equal(sft_gltf_retime(m.gltf, 0, &frames, 3, 9, 0.0, NULL, NULL), SFT_OK);
    const gltf_channel* channel = &m.gltf->animations[0].channels[0];
    assert_int_equal(channel->keys->count, 6);
    for (int k = 0; k < 6 * 4; ++k)
        assert_true(fabsf(channel->keys->values[k] - arm->values[12 + k]) < 1e-7f);
    // The scale of a node beside the skeleton goes along, the weights stay.
    assert_int_equal(m.gltf->animations[0].channels[3].keys->count, 6);
    assert_null(m.gltf->animations[0].channels[4].keys);
    drop(&m);
}

static void test_gltf_retime__can_be_done_twice(void** state)
{
    (void)state;
    made m = make();
    sft_gltf_frames frames = frames_of(m.gltf);
    assert_int_equal(sft_gltf_retime(m.gltf, 0, &frames, 2, 20, 0.0, NULL, NULL), SFT_OK);
    frames = frames_of(m.gltf);
    assert_int_equal(frames.frame_count, 18);
    assert_int_equal(sft_gltf_retime(m.gltf, 0, &frames, 3, 9, 0.0, NULL, NULL), SFT_OK);
    check(&m, 6, START + 5 * STEP_TIME, STEP_TIME, STEP_TIME);
    drop(&m);
}

static void test_gltf_retime__refuses_nonsense_and_stays_whole(void** state)
{
    (void)state;
    made m = make();
    const sft_gltf_frames good = frames_of(m.gltf);
    sft_error error;
    assert_int_equal(sft_gltf_retime(NULL, 0, &good, 0, 5, 0.0, NULL, &error), SFT_ERR_ARG);
    assert_int_equal(sft_gltf_retime(m.gltf, 0, NULL, 0, 5, 0.0, NULL, &error), SFT_ERR_ARG);
    assert_int_equal(sft_gltf_retime(m.gltf, 1, &good, 0, 5, 0.0, NULL, &error), SFT_ERR_ARG);
    assert_int_equal(sft_gltf_retime(m.gltf, -1, &good, 0, 5, 0.0, NULL, &error), SFT_ERR_ARG);
    assert_int_equal(sft_gltf_retime(m.gltf, 0, &good, -1, 5, 0.0, NULL, &error), SFT_ERR_ARG);
    assert_int_equal(sft_gltf_retime(m.gltf, 0, &good, 5, 5, 0.0, NULL, &error), SFT_ERR_ARG);
    assert_int_equal(sft_gltf_retime(m.gltf, 0, &good, 0, KEYS + 1, 0.0, NULL, &error), SFT_ERR_ARG);
    assert_int_equal(sft_gltf_retime(m.gltf, 0, &good, 0, 5, (double)NAN, NULL, &error), SFT_ERR_ARG);
    assert_int_equal(sft_gltf_retime(m.gltf, 0, &good, 0, 5, -1.0, NULL, &error), SFT_ERR_ARG);
    assert_int_equal(sft_gltf_retime(m.gltf, 0, &good, 0, 5, 1e-9, NULL, &error), SFT_ERR_LIMIT);
    assert_int_equal(sft_gltf_retime(m.gltf, 0, &good, 0, 5, 1e-8, NULL, &error), SFT_ERR_RANGE);
    assert_false(m.gltf->changed);
    drop(&m);
}

static void test_gltf_retime__every_failing_allocation_leaves_the_document(void** state)
{
    (void)state;
    made m = make();
    const sft_gltf_frames frames = frames_of(m.gltf);
    for (long k = 0;; ++k)
    {
        support_heap heap = {.fail_at = -1};
        const sft_allocator a = support_allocator(&heap);
        sft_gltf* gltf = NULL;
        assert_int_equal(sft_gltf_read(NULL, m.bytes, m.size, &a, &gltf, NULL), SFT_OK);
        heap.fail_at = heap.calls + k;
        const sft_result result = sft_gltf_retime(gltf, 0, &frames, 2, 9, 0.0, NULL, NULL);
        heap.fail_at = -1;
        assert_int_equal(result == SFT_OK, gltf->changed);
        sft_gltf_destroy(gltf);
        assert_int_equal(heap.live_blocks, 0);
        if (result == SFT_OK) break;
        assert_int_equal(result, SFT_ERR_MEMORY);
        assert_true(k < 100);
    }
    drop(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_gltf_retime__cuts_a_part_out),
        cmocka_unit_test(test_gltf_retime__samples_at_another_rate),
        cmocka_unit_test(test_gltf_retime__keys_that_are_frames_keep_their_numbers),
        cmocka_unit_test(test_gltf_retime__can_be_done_twice),
        cmocka_unit_test(test_gltf_retime__refuses_nonsense_and_stays_whole),
        cmocka_unit_test(test_gltf_retime__every_failing_allocation_leaves_the_document),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
