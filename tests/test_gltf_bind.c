// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// Clips of one document on the skeleton of another: against the world matrices of a scene that has both.

#include <math.h>

#include "gltf/gltf.h"
#include "support/gltf_scene.h"
#include "support/support.h"

#define KEYS 9
#define FRAME 0.1

enum
{
    ROOT,
    HIP,
    LEG,
    FOOT,
    NODES
};

static const char* const names[NODES] = {"Armature", "Hip", "Leg", "Foot"};

typedef struct made
{
    scene* scene;
    void* bytes;
    size_t size;
    sft_gltf* gltf;
} made;

// A chain with bones of `length`; `skinned`: as a character. Without clips.
static scene* chain(double length, bool skinned, const char* foot)
{
    scene* s = scene_new();
    for (int n = 0; n < NODES; ++n)
    {
        scene_add(s, n == FOOT ? foot : names[n], n - 1);
        s->nodes[n].t[1] = n == ROOT ? 0.0 : length;
    }
    if (skinned) scene_skin_over(s, (int[]){HIP, LEG, FOOT}, 3);
    return s;
}

// The armature moves (linear), the hip turns (spline), the leg turns (linear), the foot jumps (step).
static void animate(scene* s)
{
    float *times = scene_floats(s, KEYS), *moves = scene_floats(s, 3 * KEYS), *turns = scene_floats(s, 4 * KEYS);
    float *ends = scene_floats(s, 2), *jumps = scene_floats(s, 8), *swing = scene_floats(s, 24);
    for (int k = 0; k < KEYS; ++k)
    {
        times[k] = (float)(FRAME * k);
        moves[3 * k] = 0.1f * (float)k;
        turns[4 * k] = (float)sin(0.1 * k);
        turns[4 * k + 3] = (float)cos(0.1 * k);
    }
    ends[1] = times[KEYS - 1];
    jumps[3] = swing[4 + 3] = 1.0f;
    jumps[4] = jumps[7] = swing[16 + 1] = swing[16 + 3] = 0.70710678f;
    swing[12] = 0.3f;
    scene_channel_add(s, 0, (scene_channel){ROOT, SCENE_TRANSLATION, SCENE_LINEAR, KEYS, times, moves});
    scene_channel_add(s, 0, (scene_channel){HIP, SCENE_ROTATION, SCENE_CUBICSPLINE, 2, ends, swing});
    scene_channel_add(s, 0, (scene_channel){LEG, SCENE_ROTATION, SCENE_LINEAR, KEYS, times, turns});
    scene_channel_add(s, 0, (scene_channel){FOOT, SCENE_ROTATION, SCENE_STEP, 2, ends, jumps});
    s->animations[0].name = "Walk";
}

static made read(scene* s)
{
    made m = {.scene = s};
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

static made make_source(void)
{
    scene* s = chain(1.0, false, names[FOOT]);
    animate(s);
    return read(s);
}

static void test_gltf_bind__the_clip_moves_the_character(void** state)
{
    (void)state;
    made source = make_source(), character = read(chain(0.5, true, names[FOOT]));
    // What it should be: the character's bones under the source's channels.
    scene* both = chain(0.5, true, names[FOOT]);
    animate(both);
    sft_gltf_bound bound;
    sft_error error = {0};
    assert_int_equal(sft_gltf_bind(character.gltf, source.gltf, 0, NULL, &bound, &error), SFT_OK);
    assert_int_equal(bound.animation, 0);
    assert_int_equal(bound.channel_count, 4);
    assert_int_equal(bound.missing_count, 0);
    const sft_gltf_contents* v = sft_gltf_view(character.gltf);
    assert_int_equal(v->animation_count, 1);
    assert_string_equal(v->animations[0].name, "Walk");
    sft_skeleton* skeleton = NULL;
    sft_clip* clip = NULL;
    sft_gltf_frames frames;
    assert_int_equal(sft_gltf_to_clip(character.gltf, 0, NULL, NULL, &skeleton, &clip, &frames, NULL), SFT_OK);
    assert_int_equal(clip->frame_count, KEYS);
    assert_int_equal(skeleton->joint_count, NODES);
    const int32_t foot = sft_skeleton_find(skeleton, "Foot");
    for (int32_t f = 0; f < KEYS; ++f)
    {
        double world[SCENE_NODES][16];
        scene_world(both, 0, (double)(float)(FRAME * f), world);
        const size_t row = (size_t)f * (size_t)clip->joint_count;
        const sft_v3d p = sft_skeleton_joint_model(skeleton, clip->translations + row, clip->rotations + row, foot).t;
        assert_true(sft_v3d_distance(p, sft_v3d_make(world[FOOT][12], world[FOOT][13], world[FOOT][14])) < 1e-6);
    }
    sft_clip_destroy(clip, NULL);
    sft_skeleton_destroy(skeleton, NULL);
    scene_free(both);
    drop(&source);
    drop(&character);
}

static void test_gltf_bind__names_what_finds_no_node(void** state)
{
    (void)state;
    made source = make_source(), character = read(chain(0.5, true, "Paw")), other = read(scene_new());
    sft_gltf_bound bound;
    sft_error error = {0};
    assert_int_equal(sft_gltf_bind(character.gltf, source.gltf, 0, NULL, &bound, &error), SFT_OK);
    assert_int_equal(bound.channel_count, 3);
    assert_int_equal(bound.missing_count, 1);
    assert_string_equal(bound.missing, "Foot");
    assert_int_equal(sft_gltf_bind(other.gltf, source.gltf, 0, NULL, &bound, &error), SFT_ERR_UNSUPPORTED);
    assert_non_null(strstr(error.message, "Armature, Hip"));
    assert_int_equal(sft_gltf_view(other.gltf)->animation_count, 0);
    assert_int_equal(sft_gltf_bind(character.gltf, source.gltf, 1, NULL, &bound, &error), SFT_ERR_ARG);
    assert_int_equal(sft_gltf_bind(character.gltf, character.gltf, 0, NULL, &bound, &error), SFT_ERR_ARG);
    assert_int_equal(sft_gltf_bind(NULL, source.gltf, 0, NULL, &bound, &error), SFT_ERR_ARG);
    const sft_gltf_clip_def none = {0};
    assert_int_equal(sft_gltf_bind(character.gltf, source.gltf, 0, &none, &bound, &error), SFT_ERR_DEF);
    assert_int_equal(sft_gltf_bind_back(character.gltf, 1, source.gltf, 0, &error), SFT_ERR_ARG);
    assert_int_equal(sft_gltf_bind_back(character.gltf, 0, source.gltf, 1, &error), SFT_ERR_ARG);
    drop(&source);
    drop(&character);
    drop(&other);
}

static void test_gltf_bind__what_was_solved_comes_back(void** state)
{
    (void)state;
    made source = make_source(), character = read(chain(0.5, true, names[FOOT]));
    sft_gltf_bound bound;
    assert_int_equal(sft_gltf_bind(character.gltf, source.gltf, 0, NULL, &bound, NULL), SFT_OK);
    // Nothing changed, nothing comes back.
    assert_int_equal(sft_gltf_bind_back(character.gltf, 0, source.gltf, 0, NULL), SFT_OK);
    for (int32_t c = 0; c < 4; ++c)
        assert_null(source.gltf->animations[0].channels[c].keys);
    sft_skeleton* skeleton = NULL;
    sft_clip* clip = NULL;
    sft_gltf_frames frames;
    assert_int_equal(sft_gltf_to_clip(character.gltf, 0, NULL, NULL, &skeleton, &clip, &frames, NULL), SFT_OK);
    const int32_t leg = sft_skeleton_find(skeleton, "Leg");
    const size_t joints = (size_t)clip->joint_count;
    uint8_t turned[NODES] = {0}, moved[NODES] = {0};
    turned[leg] = moved[leg] = 1;
    for (size_t f = 0; f < KEYS; ++f)
    {
        clip->rotations[f * joints + (size_t)leg] = sft_quatd_exp(sft_v3d_make(0.0, 0.05 * (double)f, 0.0));
        clip->translations[f * joints + (size_t)leg].x = 0.01 * (double)f;
    }
    assert_int_equal(sft_gltf_apply(character.gltf, 0, &frames, clip, NULL, turned, moved, NULL, NULL, NULL), SFT_OK);
    assert_int_equal(sft_gltf_bind_back(character.gltf, 0, source.gltf, 0, NULL), SFT_OK);
    const gltf_animation* a = &source.gltf->animations[0];
    assert_int_equal(a->channel_count, 5);
    assert_null(a->channels[0].keys);
    assert_null(a->channels[1].keys);
    assert_non_null(a->channels[2].keys);
    assert_null(a->channels[3].keys);
    assert_int_equal(a->channels[4].path, GLTF_TRANSLATION);
    assert_int_equal(a->channels[4].node, LEG);
    assert_true(fabsf(a->channels[4].keys->values[3 * 8] - 0.08f) < 1e-7f);
    assert_true(fabs((double)a->channels[2].keys->values[4 * 8 + 1] - sft_sin(0.2)) < 1e-3 ||
                fabs((double)a->channels[2].keys->values[4 * 8 + 1] - sft_sin(0.4)) < 1e-3);
    sft_clip_destroy(clip, NULL);
    sft_skeleton_destroy(skeleton, NULL);
    drop(&source);
    drop(&character);
}

static void test_gltf_bind__every_failing_allocation_leaves_both(void** state)
{
    (void)state;
    made source = make_source(), character = read(chain(0.5, true, names[FOOT]));
    for (long k = 0;; ++k)
    {
        support_heap heap = {.fail_at = -1};
        const sft_allocator a = support_allocator(&heap);
        sft_gltf *to = NULL, *from = NULL;
        assert_int_equal(sft_gltf_read(NULL, character.bytes, character.size, &a, &to, NULL), SFT_OK);
        assert_int_equal(sft_gltf_read(NULL, source.bytes, source.size, &a, &from, NULL), SFT_OK);
        sft_gltf_bound bound;
        heap.fail_at = heap.calls + k;
        sft_result result = sft_gltf_bind(to, from, 0, NULL, &bound, NULL);
        assert_int_equal(sft_gltf_view(to)->animation_count, result == SFT_OK ? 1 : 0);
        if (result == SFT_OK) result = sft_gltf_bind_back(to, 0, from, 0, NULL);
        heap.fail_at = -1;
        sft_gltf_destroy(to);
        sft_gltf_destroy(from);
        assert_int_equal(heap.live_blocks, 0);
        if (result == SFT_OK) break;
        assert_int_equal(result, SFT_ERR_MEMORY);
        assert_true(k < 300);
    }
    drop(&source);
    drop(&character);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_gltf_bind__the_clip_moves_the_character),
        cmocka_unit_test(test_gltf_bind__names_what_finds_no_node),
        cmocka_unit_test(test_gltf_bind__what_was_solved_comes_back),
        cmocka_unit_test(test_gltf_bind__every_failing_allocation_leaves_both),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
