// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// Whole new clips put into documents: rows of a BVH, animations of a glTF.

#include <math.h>

#include "support/support.h"

#include "surefoot/io.h"

static const char arm[] = "HIERARCHY\n"
                          "ROOT base\n"
                          "{\n"
                          "\tOFFSET 0 0 0\n"
                          "\tCHANNELS 6 Xposition Yposition Zposition Zrotation Xrotation Yrotation\n"
                          "\tJOINT elbow\n"
                          "\t{\n"
                          "\t\tOFFSET 0 30 0\n"
                          "\t\tCHANNELS 1 Zrotation\n"
                          "\t\tEnd Site\n"
                          "\t\t{\n"
                          "\t\t\tOFFSET 0 20 0\n"
                          "\t\t}\n"
                          "\t}\n"
                          "}\n"
                          "MOTION\n"
                          "Frames: 2\n"
                          "Frame Time: 0.1\n"
                          "0 0 0 0 0 0 0\n"
                          "1 2 3 10 20 30 40\n";

static sft_quatd about(sft_v3d axis, double angle)
{
    return sft_quatd_exp(sft_v3d_scale(angle, axis));
}

static sft_io_document* read_text(const char* text)
{
    sft_io_document* document = NULL;
    sft_error error = {0};
    if (sft_io_read(NULL, text, strlen(text), NULL, &document, &error) != SFT_OK) fail_msg("%s", error.message);
    return document;
}

// Five frames, a fiftieth apart: the root walks and turns, the elbow bends by 10 degrees a frame.
static sft_clip* new_motion(const sft_skeleton* skeleton)
{
    sft_clip* clip = NULL;
    assert_int_equal(sft_clip_create(skeleton->joint_count, 5, 0.02, NULL, &clip), SFT_OK);
    for (int32_t f = 0; f < 5; ++f)
    {
        sft_v3d* t = clip->translations + (size_t)f * (size_t)skeleton->joint_count;
        sft_quatd* r = clip->rotations + (size_t)f * (size_t)skeleton->joint_count;
        memcpy(t, skeleton->rest_translations, (size_t)skeleton->joint_count * sizeof *t);
        t[0] = sft_v3d_make(0.1 * f, 0.5, 0.0);
        r[0] = about(sft_v3d_make(0, 1, 0), 0.3 * f);
        r[1] = about(sft_v3d_make(0, 0, 1), SFT_PI / 18.0 * f);
    }
    return clip;
}

static sft_skeleton* inside_skeleton(const sft_io_document* document, const sft_space* space)
{
    sft_skeleton* skeleton = NULL;
    sft_clip* clip = NULL;
    assert_int_equal(sft_io_to_clip(document, -1, NULL, NULL, &skeleton, &clip, NULL, NULL), SFT_OK);
    assert_int_equal(sft_clip_rescale(skeleton, clip, space), SFT_OK);
    sft_clip_destroy(clip, NULL);
    return skeleton;
}

// The clip as the written bytes say it, read anew, against the one that went in.
static void assert_says(const sft_io_document* document, int32_t index, const sft_space* space, const sft_clip* wanted,
                        double tolerance)
{
    void* bytes = NULL;
    size_t size = 0;
    sft_io_document* again = NULL;
    sft_skeleton* skeleton = NULL;
    sft_clip* clip = NULL;
    assert_int_equal(sft_io_write(document, SFT_IO_AUTO, NULL, &bytes, &size, NULL), SFT_OK);
    assert_int_equal(sft_io_read(NULL, bytes, size, NULL, &again, NULL), SFT_OK);
    assert_int_equal(sft_io_to_clip(again, index, NULL, NULL, &skeleton, &clip, NULL, NULL), SFT_OK);
    assert_int_equal(sft_clip_rescale(skeleton, clip, space), SFT_OK);
    assert_int_equal(clip->frame_count, wanted->frame_count);
    assert_true(fabs(clip->frame_time - wanted->frame_time) < 1e-6);
    const size_t cells = (size_t)clip->joint_count * (size_t)clip->frame_count;
    for (size_t i = 0; i < cells; ++i)
    {
        assert_true(sft_v3d_distance(clip->translations[i], wanted->translations[i]) <= tolerance);
        assert_true(1.0 - fabs(sft_quatd_dot(clip->rotations[i], wanted->rotations[i])) <= tolerance);
    }
    sft_clip_destroy(clip, NULL);
    sft_skeleton_destroy(skeleton, NULL);
    sft_io_destroy(again);
    free(bytes);
}

static void test_io_put_clip__bvh_gets_new_rows_and_keeps_its_hierarchy(void** state)
{
    (void)state;
    sft_io_document* document = read_text(arm);
    const sft_space space = {.unit_metres = 0.01, .up = SFT_AXIS_Z};
    sft_skeleton* skeleton = inside_skeleton(document, &space);
    sft_clip* clip = new_motion(skeleton);
    int32_t index = -1;
    assert_int_equal(sft_io_put_clip(document, -1, clip, &space, "ignored", &index, NULL), SFT_OK);
    assert_int_equal(index, 0);
    assert_int_equal(sft_io_view(document)->clips[0].frame_count, 5);
    assert_says(document, 0, &space, clip, 1e-11);
    char* text = NULL;
    size_t size = 0;
    assert_int_equal(sft_bvh_write(sft_io_bvh(document), NULL, &text, &size), SFT_OK);
    assert_memory_equal(text, arm, (size_t)(strstr(arm, "Frames:") - arm));
    free(text);
    sft_clip_destroy(clip, NULL);
    sft_skeleton_destroy(skeleton, NULL);
    sft_io_destroy(document);
}

static void test_io_put_clip__bvh_without_the_channels_is_left_alone(void** state)
{
    (void)state;
    sft_io_document* document = read_text(arm);
    const sft_space space = {.unit_metres = 0.01, .up = SFT_AXIS_Y};
    sft_skeleton* skeleton = inside_skeleton(document, &space);
    sft_clip* clip = new_motion(skeleton);
    sft_error error = {0};
    clip->translations[4].x += 0.01; // the elbow of frame 1 leaves its place
    assert_int_equal(sft_io_put_clip(document, -1, clip, &space, NULL, NULL, &error), SFT_ERR_UNSUPPORTED);
    assert_string_equal(error.joint, "elbow");
    assert_non_null(strstr(error.message, "Xposition"));
    clip->translations[4].x -= 0.01;
    clip->rotations[4] = about(sft_v3d_make(1, 0, 0), 0.5);
    assert_int_equal(sft_io_put_clip(document, -1, clip, &space, NULL, NULL, &error), SFT_ERR_UNSUPPORTED);
    assert_non_null(strstr(error.message, "rotation channels"));
    assert_int_equal(sft_io_view(document)->clips[0].frame_count, 2);
    assert_int_equal(sft_io_put_clip(document, 1, clip, &space, NULL, NULL, &error), SFT_ERR_ARG);
    assert_int_equal(sft_io_put_clip(document, -1, NULL, &space, NULL, NULL, &error), SFT_ERR_ARG);
    sft_clip_destroy(clip, NULL);
    sft_skeleton_destroy(skeleton, NULL);
    sft_io_destroy(document);
}

// Six channels everywhere whose positions are all zero: they add to OFFSET, and go on doing so where the joint moves by
// about its OFFSET, so that whoever read the one file reads the other.
static void test_io_put_clip__position_channels_go_on_meaning_what_they_meant(void** state)
{
    (void)state;
    char text[1024];
    snprintf(text, sizeof text, "%s", arm);
    char* channels = strstr(text, "CHANNELS 1 Zrotation");
    char rest[1024];
    snprintf(rest, sizeof rest, "%s", channels + strlen("CHANNELS 1 Zrotation"));
    snprintf(channels, sizeof text - (size_t)(channels - text),
             "CHANNELS 6 Xposition Yposition Zposition Zrotation Xrotation Yrotation%s", rest);
    char* rows = strstr(text, "0 0 0 0 0 0 0\n");
    strcpy(rows, "0 0 0 0 0 0 0 0 0 0 0 0\n0 0 0 0 0 0 0 0 0 0 0 0\n");
    sft_io_document* document = read_text(text);
    assert_int_equal(sft_bvh_view(sft_io_bvh(document))->positions, SFT_BVH_POSITIONS_ADD);
    const sft_space space = {.unit_metres = 0.01, .up = SFT_AXIS_Y};
    sft_skeleton* skeleton = inside_skeleton(document, &space);
    sft_clip* clip = new_motion(skeleton);
    for (size_t f = 0; f < 5; ++f)
        clip->translations[3 * f + 1] = sft_v3d_scale(2.0 + 0.001 * (double)f, skeleton->rest_translations[1]);
    assert_int_equal(sft_io_put_clip(document, 0, clip, &space, NULL, NULL, NULL), SFT_OK);
    assert_int_equal(sft_bvh_view(sft_io_bvh(document))->positions, SFT_BVH_POSITIONS_ADD);
    const double* row = sft_bvh_view(sft_io_bvh(document))->values;
    assert_true(fabs(row[7] - 30.0) < 1e-9); // the elbow's Yposition: once its OFFSET beyond OFFSET
    sft_skeleton* again_skeleton = NULL;
    sft_clip* again = NULL;
    assert_int_equal(sft_bvh_to_clip(sft_io_bvh(document), NULL, &again_skeleton, &again), SFT_OK);
    assert_int_equal(sft_clip_rescale(again_skeleton, again, &space), SFT_OK);
    for (size_t i = 0; i < 15; ++i)
        assert_true(sft_v3d_distance(again->translations[i], clip->translations[i]) < 1e-11);
    sft_clip_destroy(again, NULL);
    sft_skeleton_destroy(again_skeleton, NULL);
    sft_clip_destroy(clip, NULL);
    sft_skeleton_destroy(skeleton, NULL);
    sft_io_destroy(document);
}

// ---- glTF ----

static sft_io_document* as_glb(void)
{
    sft_io_document *bvh = read_text(arm), *document = NULL;
    sft_io_convert_def def = sft_default_io_convert_def();
    const sft_space space = {.unit_metres = 0.01, .up = SFT_AXIS_Y};
    def.format = SFT_IO_GLB;
    def.space = &space;
    def.clip_name = "Old";
    assert_int_equal(sft_io_convert(bvh, &def, NULL, &document, NULL, NULL), SFT_OK);
    sft_io_destroy(bvh);
    return document;
}

static void test_io_put_clip__gltf_gets_an_animation_beside_the_others(void** state)
{
    (void)state;
    sft_io_document* document = as_glb();
    const sft_space space = {.unit_metres = 1.0, .up = SFT_AXIS_Y};
    sft_skeleton* skeleton = inside_skeleton(document, &space);
    sft_skeleton* same = NULL;
    sft_clip *clip = new_motion(skeleton), *old = NULL;
    assert_int_equal(sft_io_to_clip(document, 0, NULL, NULL, &same, &old, NULL, NULL), SFT_OK);
    int32_t index = -1;
    assert_int_equal(sft_io_put_clip(document, -1, clip, &space, "New", &index, NULL), SFT_OK);
    assert_int_equal(index, 1);
    assert_int_equal(sft_io_view(document)->clip_count, 2);
    assert_string_equal(sft_io_view(document)->clips[1].name, "New");
    assert_says(document, 0, &space, old, 1e-15);
    assert_says(document, 1, &space, clip, 1e-6);
    sft_clip_destroy(old, NULL);
    sft_clip_destroy(clip, NULL);
    sft_skeleton_destroy(same, NULL);
    sft_skeleton_destroy(skeleton, NULL);
    sft_io_destroy(document);
}

static void test_io_put_clip__gltf_animation_is_replaced_in_its_place(void** state)
{
    (void)state;
    const sft_space space = {.unit_metres = 1.0, .up = SFT_AXIS_Y};
    // One that came in the bytes, one that was added before, and one that was replaced before.
    for (int round = 0; round < 3; ++round)
    {
        sft_io_document* document = as_glb();
        sft_skeleton* skeleton = inside_skeleton(document, &space);
        sft_clip* clip = new_motion(skeleton);
        int32_t index = -1;
        assert_int_equal(sft_io_put_clip(document, -1, clip, &space, "New", &index, NULL), SFT_OK);
        if (round == 2) assert_int_equal(sft_io_put_clip(document, 0, clip, &space, NULL, &index, NULL), SFT_OK);
        for (size_t f = 0; f < 5; ++f)
            clip->translations[3 * f].y += 0.25;
        const int32_t wanted = round == 1 ? 1 : 0;
        assert_int_equal(sft_io_put_clip(document, wanted, clip, &space, "not taken", &index, NULL), SFT_OK);
        assert_int_equal(index, wanted);
        assert_int_equal(sft_io_view(document)->clip_count, 2);
        assert_string_equal(sft_io_view(document)->clips[0].name, "Old");
        assert_string_equal(sft_io_view(document)->clips[1].name, "New");
        assert_says(document, wanted, &space, clip, 1e-6);
        for (size_t f = 0; f < 5; ++f)
            clip->translations[3 * f].y -= 0.25;
        if (round != 1) assert_says(document, 1, &space, clip, 1e-6);
        sft_clip_destroy(clip, NULL);
        sft_skeleton_destroy(skeleton, NULL);
        sft_io_destroy(document);
    }
}

static void test_io_put_clip__gltf_is_untouched_by_a_clip_that_is_refused(void** state)
{
    (void)state;
    sft_io_document* document = as_glb();
    const sft_space space = {.unit_metres = 1.0, .up = SFT_AXIS_Y};
    sft_skeleton* skeleton = inside_skeleton(document, &space);
    sft_clip* clip = new_motion(skeleton);
    void *before = NULL, *after = NULL;
    size_t size = 0, size_after = 0;
    sft_error error = {0};
    assert_int_equal(sft_io_write(document, SFT_IO_AUTO, NULL, &before, &size, NULL), SFT_OK);
    clip->rotations[7].x = NAN;
    assert_int_equal(sft_io_put_clip(document, 0, clip, &space, NULL, NULL, &error), SFT_ERR_RANGE);
    assert_int_equal(sft_io_put_clip(document, -1, clip, &space, "x", NULL, &error), SFT_ERR_RANGE);
    assert_int_equal(sft_io_put_clip(document, 5, clip, &space, "x", NULL, &error), SFT_ERR_ARG);
    assert_int_equal(sft_io_write(document, SFT_IO_AUTO, NULL, &after, &size_after, NULL), SFT_OK);
    assert_int_equal(size, size_after);
    assert_memory_equal(before, after, size);
    free(before);
    free(after);
    sft_clip_destroy(clip, NULL);
    sft_skeleton_destroy(skeleton, NULL);
    sft_io_destroy(document);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_io_put_clip__bvh_gets_new_rows_and_keeps_its_hierarchy),
        cmocka_unit_test(test_io_put_clip__bvh_without_the_channels_is_left_alone),
        cmocka_unit_test(test_io_put_clip__position_channels_go_on_meaning_what_they_meant),
        cmocka_unit_test(test_io_put_clip__gltf_gets_an_animation_beside_the_others),
        cmocka_unit_test(test_io_put_clip__gltf_animation_is_replaced_in_its_place),
        cmocka_unit_test(test_io_put_clip__gltf_is_untouched_by_a_clip_that_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
