// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// Clips of real glTF files out and back: what did not change writes nothing, what did comes back where it was put.

#include "support/support.h"

static const char* const files[] = {
    "bitmoji_idle.glb",
    "bitmoji_walk.glb",
    "kaykit_Knight.glb",
    "khronos_BoxAnimated.gltf",
    "khronos_CesiumMan.gltf",
    "khronos_Fox.glb",
    "khronos_SimpleSkin.gltf",
    "m2m_bird-animations.glb",
    "m2m_fox-animations.glb",
    "m2m_spider-animations.glb",
    "mixamo_sample_rig.glb",
    "raylib_greenman.glb",
    "khronos_MorphStressTest.gltf",
    "khronos_InterpolationTest.gltf",
};

static sft_result load(void* user, const char* path, size_t max_bytes, const sft_allocator* allocator, void** bytes,
                       size_t* size, sft_error* error)
{
    (void)user;
    char relative[512], whole[1024];
    snprintf(relative, sizeof relative, "gltf/%s", path);
    if (!support_data(relative, whole, sizeof whole)) return SFT_ERR_IO;
    return sft_file_read(whole, max_bytes, allocator, bytes, size, error);
}

static sft_gltf* open_file(const char* name)
{
    char relative[512], path[1024];
    snprintf(relative, sizeof relative, "gltf/%s", name);
    if (!support_data(relative, path, sizeof path)) return NULL;
    void* bytes;
    size_t size;
    sft_error error = {0};
    assert_int_equal(sft_file_read(path, SIZE_MAX / 4, NULL, &bytes, &size, &error), SFT_OK);
    sft_gltf_read_def def = sft_default_gltf_read_def();
    def.load = load;
    sft_gltf* gltf;
    if (sft_gltf_read(&def, bytes, size, NULL, &gltf, &error) != SFT_OK) fail_msg("%s: %s", name, error.message);
    free(bytes);
    return gltf;
}

typedef struct taken
{
    sft_skeleton* skeleton;
    sft_clip* clip;
    sft_gltf_frames frames;
} taken;

static taken take(const sft_gltf* gltf, int32_t animation)
{
    taken t = {0};
    sft_error error = {0};
    if (sft_gltf_to_clip(gltf, animation, NULL, NULL, &t.skeleton, &t.clip, &t.frames, &error) != SFT_OK)
        fail_msg("animation %d: %s", animation, error.message);
    return t;
}

static void drop(taken* t)
{
    sft_skeleton_destroy(t->skeleton, NULL);
    sft_clip_destroy(t->clip, NULL);
}

// All joints turn by up to 0.1 rad, the first root sways.
static void disturb(const taken* t)
{
    const sft_clip* clip = t->clip;
    for (int32_t f = 0; f < clip->frame_count; ++f)
        for (int32_t j = 0; j < clip->joint_count; ++j)
        {
            const size_t at = (size_t)f * (size_t)clip->joint_count + (size_t)j;
            const double x = 0.1 * f + j;
            const sft_v3d turn = {0.1 * sft_sin(x), 0.05 * sft_cos(2.0 * x), 0.02 * sft_sin(0.3 * x)};
            clip->rotations[at] = sft_quatd_mul(clip->rotations[at], sft_quatd_exp(turn));
            if (j == 0) clip->translations[at].x += 0.1 * sft_sin(0.1 * f);
        }
}

// Largest distance of joints over the size of all that is there.
static double difference(const taken* a, const taken* b)
{
    double worst = 0.0, size = 1e-3;
    sft_v3d* first = calloc((size_t)a->clip->frame_count, sizeof *first);
    sft_v3d* second = calloc((size_t)a->clip->frame_count, sizeof *second);
    for (int32_t j = 0; j < a->clip->joint_count; ++j)
    {
        sft_clip_joint_track(a->skeleton, a->clip, j, first);
        sft_clip_joint_track(b->skeleton, b->clip, j, second);
        for (int32_t f = 0; f < a->clip->frame_count; ++f)
        {
            worst = sft_maxd(worst, sft_v3d_distance(first[f], second[f]));
            size = sft_maxd(size, sft_v3d_length(first[f]));
        }
    }
    free(first);
    free(second);
    return worst / size;
}

static void check_clip(const char* name, sft_gltf* gltf, int32_t animation)
{
    taken t = take(gltf, animation);
    const size_t joints = (size_t)t.clip->joint_count;
    uint8_t* all = malloc(joints + 1);
    uint8_t* first = calloc(joints + 1, 1);
    memset(all, 1, joints + 1);
    first[0] = 1;
    sft_gltf_applied applied;
    sft_error error = {0};
    if (sft_gltf_apply(gltf, animation, &t.frames, t.clip, NULL, all, all, NULL, &applied, &error) != SFT_OK)
        fail_msg("%s, animation %d: %s: %s", name, animation, error.joint, error.message);
    assert_int_equal(applied.channels_replaced + applied.channels_added, 0);
    disturb(&t);
    if (sft_gltf_apply(gltf, animation, &t.frames, t.clip, NULL, all, first, NULL, &applied, &error) != SFT_OK)
        fail_msg("%s, animation %d: %s: %s", name, animation, error.joint, error.message);
    assert_true(joints == 0 || applied.channels_replaced + applied.channels_added > 0);
    assert_true(applied.rotation_error < 2e-7);
    taken again = take(gltf, animation);
    assert_int_equal(again.clip->frame_count, t.clip->frame_count);
    // Float32, and uneven scales that are rounding (docs/gltf.md).
    const double off = difference(&t, &again);
    if (!(off < 2e-5)) fail_msg("%s, animation %d: joints off by %g of the whole", name, animation, off);
    drop(&again);
    drop(&t);
    free(all);
    free(first);
}

static void test_gltf_apply_data__clips_go_out_and_come_back(void** state)
{
    (void)state;
    for (size_t i = 0; i < sizeof files / sizeof files[0]; ++i)
    {
        sft_gltf* gltf = open_file(files[i]);
        if (gltf == NULL) continue;
        const int32_t count = sft_gltf_view(gltf)->animation_count;
        assert_true(count > 0);
        for (int32_t a = 0; a < count; ++a)
            check_clip(files[i], gltf, a);
        sft_gltf_destroy(gltf);
    }
}

// A character and its clips in two files: the same joints, whatever their skins name.
static void test_gltf_apply_data__a_clip_apart_from_its_character_has_its_joints(void** state)
{
    (void)state;
    sft_gltf* model = open_file("bitmoji_model.glb");
    sft_gltf* walk = open_file("bitmoji_walk.glb");
    if (model == NULL || walk == NULL) skip();
    taken a = take(model, -1), b = take(walk, 0);
    int32_t missing = 0;
    for (int32_t j = 0; j < a.skeleton->joint_count; ++j)
        missing += sft_skeleton_find(b.skeleton, a.skeleton->names[j]) < 0;
    assert_int_equal(a.skeleton->joint_count, 77);
    assert_int_equal(b.skeleton->joint_count, 77);
    assert_int_equal(missing, 0);
    drop(&a);
    drop(&b);
    sft_gltf_destroy(model);
    sft_gltf_destroy(walk);
}

// Joints of files whose skeletons are odd: weapons in hands, sockets beside the root, no names, only morph targets.
static void test_gltf_apply_data__joints_of_odd_files(void** state)
{
    (void)state;
    static const struct
    {
        const char* file;
        int32_t joints;
        const char* first;
    } odd[] = {
        {"kaykit_Knight.glb", 41, "root"},        {"raylib_greenman.glb", 13, "Armature"},
        {"khronos_CesiumMan.gltf", 19, "node 2"}, {"khronos_Fox.glb", 24, "_rootJoint"},
        {"khronos_SimpleSkin.gltf", 2, "node 1"}, {"khronos_MorphStressTest.gltf", 0, NULL},
        {"m2m_rig-spider.glb", 56, "root"},       {"mixamo_sample_rig.glb", 65, "mixamorig:Hips"},
    };
    for (size_t i = 0; i < sizeof odd / sizeof odd[0]; ++i)
    {
        sft_gltf* gltf = open_file(odd[i].file);
        if (gltf == NULL) continue;
        taken t = take(gltf, -1);
        assert_int_equal(t.skeleton->joint_count, odd[i].joints);
        if (odd[i].first != NULL) assert_string_equal(t.skeleton->names[0], odd[i].first);
        drop(&t);
        sft_gltf_destroy(gltf);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_gltf_apply_data__clips_go_out_and_come_back),
        cmocka_unit_test(test_gltf_apply_data__a_clip_apart_from_its_character_has_its_joints),
        cmocka_unit_test(test_gltf_apply_data__joints_of_odd_files),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
