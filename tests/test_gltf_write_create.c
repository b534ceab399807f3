// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// Fresh documents and added animations, looked at through what they say and through plain matrices.
#include "support/gltf_random.h"
#include "support/support.h"

#include "gltf/gltf.h"

static char* written(const sft_gltf* gltf, bool glb, size_t* size)
{
    sft_gltf_write_def def = sft_default_gltf_write_def();
    def.glb = glb;
    sft_gltf_output* output = NULL;
    assert_int_equal(sft_gltf_write(gltf, &def, NULL, &output), SFT_OK);
    assert_int_equal(output->file_count, 1);
    const sft_gltf_file* file = &output->files[0];
    char* bytes = malloc((size_t)file->size + 1);
    assert_non_null(bytes);
    *size = 0;
    for (int32_t i = 0; i < file->part_count; ++i)
    {
        memcpy(bytes + *size, file->parts[i].data, file->parts[i].size);
        *size += file->parts[i].size;
    }
    bytes[*size] = '\0';
    sft_gltf_output_destroy(output, NULL);
    return bytes;
}

static sft_gltf* read_again(const sft_gltf* gltf, bool glb)
{
    size_t size = 0;
    char* bytes = written(gltf, glb, &size);
    sft_gltf* again = NULL;
    sft_error error = {0};
    if (sft_gltf_read(NULL, bytes, size, NULL, &again, &error) != SFT_OK) fail_msg("%s", error.message);
    free(bytes);
    return again;
}

static void assert_says(const sft_gltf* gltf, const char* what)
{
    size_t size = 0;
    char* text = written(gltf, false, &size);
    if (strstr(text, what) == NULL) fail_msg("no %s in\n%.3000s", what, text);
    free(text);
}

// Five joints, two roots, children not behind their parents; the leaf of the first is an End Site.
static sft_skeleton* five_joints(void)
{
    static const char* const names[] = {"Hips", "prop \"x\"", "Knee", "bad\xff", "Knee"};
    static const int32_t parents[] = {-1, -1, 0, 1, 2};
    static const uint32_t flags[] = {0, 0, 0, 0, SFT_JOINT_END_SITE};
    static const sft_v3d rest_t[] = {{0, 1, 0}, {2, 0, 0}, {0, -0.5, 0.1}, {0, 0, 0}, {0, -0.25, 0}};
    static const sft_quatd rest_r[] = {{0.6, 0, 0, 0.8}, {0, 0, 0, 1}, {0, 0.8, 0, -0.6}, {0, 0, 0, 1}, {0, 0, 0, 1}};
    const sft_skeleton def = {5, names, parents, flags, rest_t, rest_r};
    sft_skeleton* skeleton = NULL;
    assert_int_equal(sft_skeleton_create(&def, NULL, &skeleton), SFT_OK);
    return skeleton;
}

static sft_clip* moving_clip(const sft_skeleton* s, int32_t frames)
{
    sft_clip* clip = NULL;
    assert_int_equal(sft_clip_create(s->joint_count, frames, 0.04, NULL, &clip), SFT_OK);
    for (int32_t f = 0; f < frames; ++f)
        for (int32_t j = 0; j < s->joint_count; ++j)
        {
            const size_t at = (size_t)(f * s->joint_count + j);
            clip->translations[at] = s->rest_translations[j];
            clip->rotations[at] = s->rest_rotations[j];
            // The first root travels, the knee bends; the others rest.
            if (j == 0) clip->translations[at].x += 0.1 * f;
            if (j == 2)
                clip->rotations[at] = sft_quatd_mul(s->rest_rotations[j], sft_quatd_exp((sft_v3d){0.2 * f, 0, 0}));
        }
    return clip;
}

static void test_gltf_write_create__says_what_the_skeleton_says(void** state)
{
    (void)state;
    sft_skeleton* s = five_joints();
    const char* extras[5] = {NULL, "{\"a\":[1]}", NULL, "7", NULL};
    sft_gltf* gltf = NULL;
    assert_int_equal(sft_gltf_create(s, extras, "{\"who\":\"me\"}", NULL, &gltf), SFT_OK);
    assert_says(gltf, "\"asset\":{\"version\":\"2.0\",\"generator\":\"surefoot 0.1.0\",\"extras\":{\"who\":\"me\"}}");
    assert_says(gltf, "\"scenes\":[{\"nodes\":[0,1]}]");
    assert_says(gltf, "{\"name\":\"Hips\",\"children\":[2],\"translation\":[0,1,0],\"rotation\":[0.6,0,0,0.8]},\n");
    assert_says(gltf,
                "{\"name\":\"prop \\\"x\\\"\",\"children\":[3],\"translation\":[2,0,0],\"extras\":{\"a\":[1]}},\n");
    assert_says(gltf, "{\"name\":\"bad\xef\xbf\xbd\",\"extras\":7},\n");
    assert_says(gltf, "{\"name\":\"Knee_end\",\"translation\":[0,-0.25,0]}\n");
    assert_says(gltf,
                "{\"inverseBindMatrices\":0,\"joints\":[0,2,4]},\n{\"inverseBindMatrices\":1,\"joints\":[1,3]}\n");

    // Its own joints are the skeleton's; a reader finds them depth first.
    const sft_gltf_contents* view = sft_gltf_view(gltf);
    assert_int_equal(view->joint_count, 5);
    for (int32_t j = 0; j < 5; ++j)
        assert_true(view->joint_nodes[j] == j && view->node_joints[j] == j);
    sft_gltf* again = read_again(gltf, true);
    assert_int_equal(sft_gltf_view(again)->joint_count, 5);
    assert_int_equal(sft_gltf_view(again)->joint_nodes[1], 2);
    sft_gltf_destroy(again);

    // Inverse bind matrices undo the rest pose: checked on points, by hand.
    sft_xformd model[5];
    sft_skeleton_forward(s, s->rest_translations, s->rest_rotations, model);
    for (int skin = 0; skin < 2; ++skin)
    {
        double m[3][16];
        assert_int_equal(sft_gltf_check_accessor(gltf, skin, NULL), SFT_OK);
        sft_gltf_read_values(gltf, skin, 0, gltf->accessors[skin].count, &m[0][0]);
        for (int32_t k = 0; k < gltf->skins[skin].joint_count; ++k)
        {
            const sft_v3d p = {0.3, -0.2, 0.7}, q = sft_xformd_apply(model[gltf->skins[skin].joints[k]], p);
            const double in[4] = {q.x, q.y, q.z, 1.0};
            double out[4] = {0};
            for (int r = 0; r < 4; ++r)
                for (int c = 0; c < 4; ++c)
                    out[r] += m[k][4 * c + r] * in[c];
            assert_true(fabs(out[0] - p.x) < 1e-6 && fabs(out[1] - p.y) < 1e-6 && fabs(out[2] - p.z) < 1e-6);
            assert_true(out[3] == 1.0 && m[k][3] == 0.0 && m[k][7] == 0.0 && m[k][11] == 0.0);
        }
    }
    sft_gltf_destroy(gltf);
    sft_skeleton_destroy(s, NULL);
}

static void test_gltf_write_create__clips_come_back(void** state)
{
    (void)state;
    sft_skeleton* s = five_joints();
    sft_clip* clip = moving_clip(s, 6);
    sft_gltf* gltf = NULL;
    assert_int_equal(sft_gltf_create(s, NULL, NULL, NULL, &gltf), SFT_OK);
    int32_t animation = -1;
    sft_error error = {0};
    assert_int_equal(sft_gltf_add_animation(gltf, clip, NULL, "a \"walk\"\xff", "{\"x\": 1}", &animation, &error),
                     SFT_OK);
    assert_int_equal(animation, 0);
    const sft_gltf_animation* info = &sft_gltf_view(gltf)->animations[0];
    assert_string_equal(info->name, "a \"walk\"\xef\xbf\xbd");
    // Rotations of the knee and, held at rest, of both other parents; the root's path.
    assert_int_equal(info->channel_count, 4);
    assert_int_equal(info->key_count, 6);
    size_t size = 0;
    const char* extras = sft_gltf_extras(gltf, SFT_GLTF_ANIMATION, 0, &size);
    assert_int_equal(size, 8);
    assert_memory_equal(extras, "{\"x\": 1}", 8);
    assert_int_equal(sft_gltf_add_animation(gltf, clip, NULL, NULL, NULL, &animation, &error), SFT_OK);
    assert_int_equal(animation, 1);
    assert_says(gltf, "\"name\":\"a \\\"walk\\\"\xef\xbf\xbd\"");
    assert_says(gltf, "\"extras\":{\"x\": 1}");
    for (int glb = 0; glb < 2; ++glb)
    {
        sft_gltf* again = read_again(gltf, glb != 0);
        assert_int_equal(sft_gltf_view(again)->animation_count, 2);
        for (int32_t a = 0; a < 2; ++a)
        {
            sft_skeleton* skeleton = NULL;
            sft_clip* back = NULL;
            sft_gltf_frames frames;
            assert_int_equal(sft_gltf_to_clip(again, a, NULL, NULL, &skeleton, &back, &frames, &error), SFT_OK);
            assert_int_equal(back->frame_count, 6);
            assert_true(back->frame_time == 0.04);
            // Depth first: Hips, Knee, its end, prop, bad.
            static const int32_t order[5] = {0, 2, 4, 1, 3};
            for (int32_t f = 0; f < 6; ++f)
                for (int32_t j = 0; j < 5; ++j)
                {
                    const size_t x = (size_t)(f * 5 + j), y = (size_t)(f * 5 + order[j]);
                    assert_true(sft_v3d_distance(back->translations[x], clip->translations[y]) < 1e-6);
                    assert_true(fabs(sft_quatd_dot(back->rotations[x], clip->rotations[y])) > 1.0 - 1e-12);
                }
            sft_skeleton_destroy(skeleton, NULL);
            sft_clip_destroy(back, NULL);
        }
        sft_gltf_destroy(again);
    }
    sft_gltf_destroy(gltf);
    sft_clip_destroy(clip, NULL);
    sft_skeleton_destroy(s, NULL);
}

// A clip that never leaves the rest pose is an animation too.
static void test_gltf_write_create__a_still_clip_has_a_channel(void** state)
{
    (void)state;
    static const char* const names[] = {"alone"};
    static const int32_t parents[] = {-1};
    static const sft_v3d rest[] = {{1, 2, 3}};
    const sft_skeleton def = {1, names, parents, NULL, rest, NULL};
    sft_skeleton* s = NULL;
    assert_int_equal(sft_skeleton_create(&def, NULL, &s), SFT_OK);
    sft_clip* clip = moving_clip(s, 1);
    sft_gltf* gltf = NULL;
    int32_t animation;
    assert_int_equal(sft_gltf_create(s, NULL, NULL, NULL, &gltf), SFT_OK);
    assert_int_equal(sft_gltf_add_animation(gltf, clip, NULL, NULL, NULL, &animation, NULL), SFT_OK);
    sft_gltf* again = read_again(gltf, true);
    assert_int_equal(sft_gltf_view(again)->animations[0].channel_count, 1);
    assert_int_equal(sft_gltf_view(again)->animations[0].key_count, 1);
    sft_gltf_destroy(again);
    sft_gltf_destroy(gltf);
    sft_clip_destroy(clip, NULL);
    sft_skeleton_destroy(s, NULL);
}

// Clip in one file, character in another: positions are right below wrappers, scales and mirrors too.
static void test_gltf_write_create__animations_fit_characters_of_any_kind(void** state)
{
    (void)state;
    support_rng rng = {19};
    for (int round = 0; round < 100; ++round)
    {
        scene* s = random_scene(&rng, round % 2 == 0 ? SCALES_NONE : SCALES_UNIFORM);
        const int animations = s->animation_count;
        // Scales that an animation moves are not those at rest, which the added one will see.
        for (int c = 0; animations > 0 && c < s->animations[0].channel_count;)
            if (s->animations[0].channels[c].path == SCENE_SCALE)
                s->animations[0].channels[c] = s->animations[0].channels[--s->animations[0].channel_count];
            else
                ++c;
        if (animations == 0 || s->animations[0].channel_count == 0)
        {
            scene_free(s);
            continue;
        }
        void* bytes = NULL;
        size_t size = 0;
        scene_glb(s, &bytes, &size);
        sft_gltf* gltf = NULL;
        sft_error error = {0};
        assert_int_equal(sft_gltf_read(NULL, bytes, size, NULL, &gltf, &error), SFT_OK);
        sft_skeleton* skeleton = NULL;
        sft_clip* clip = NULL;
        sft_gltf_frames frames;
        assert_int_equal(sft_gltf_to_clip(gltf, 0, NULL, NULL, &skeleton, &clip, &frames, &error), SFT_OK);
        int32_t added = -1;
        const sft_result result = sft_gltf_add_animation(gltf, clip, NULL, "again", NULL, &added, &error);
        if (result != SFT_OK) fail_msg("%s", error.message);
        assert_int_equal(added, 1);
        sft_gltf* again = read_again(gltf, true);
        sft_skeleton* skeleton2 = NULL;
        sft_clip* clip2 = NULL;
        sft_gltf_clip_def def = sft_default_gltf_clip_def();
        assert_int_equal(sft_gltf_to_clip(again, 1, &def, NULL, &skeleton2, &clip2, NULL, &error), SFT_OK);
        assert_int_equal(skeleton2->joint_count, skeleton->joint_count);
        double(*world)[16] = calloc(SCENE_NODES, sizeof *world);
        sft_xformd model[SCENE_NODES];
        for (int32_t f = 0; f < clip->frame_count && f < clip2->frame_count; ++f)
        {
            scene_world(s, 0, frames.start + f * frames.frame_time, world);
            const size_t at = (size_t)f * (size_t)clip2->joint_count;
            sft_skeleton_forward(skeleton2, clip2->translations + at, clip2->rotations + at, model);
            for (int32_t j = 0; j < clip2->joint_count; ++j)
            {
                const double* m = world[sft_gltf_view(again)->joint_nodes[j]];
                const double off = sft_v3d_distance(model[j].t, (sft_v3d){m[12], m[13], m[14]});
                // Numbers are of about 1; scales up to 2 a level add up.
                if (!(off < 2e-5)) fail_msg("round %d frame %d joint %d: off by %g", round, f, j, off);
            }
        }
        free(world);
        sft_skeleton_destroy(skeleton, NULL);
        sft_clip_destroy(clip, NULL);
        sft_skeleton_destroy(skeleton2, NULL);
        sft_clip_destroy(clip2, NULL);
        sft_gltf_destroy(again);
        sft_gltf_destroy(gltf);
        free(bytes);
        scene_free(s);
    }
}

static void test_gltf_write_create__refuses_bad_calls(void** state)
{
    (void)state;
    sft_skeleton* s = five_joints();
    sft_clip* clip = moving_clip(s, 2);
    sft_gltf* gltf = NULL;
    assert_int_equal(sft_gltf_create(NULL, NULL, NULL, NULL, &gltf), SFT_ERR_ARG);
    assert_int_equal(sft_gltf_create(s, NULL, NULL, NULL, NULL), SFT_ERR_ARG);
    const sft_skeleton none = {0};
    assert_int_equal(sft_gltf_create(&none, NULL, NULL, NULL, &gltf), SFT_ERR_ARG);
    assert_int_equal(sft_gltf_create(s, NULL, "{", NULL, &gltf), SFT_ERR_SYNTAX);
    sft_v3d far[5] = {{1e31, 0, 0}};
    const sft_skeleton wide = {5, s->names, s->parents, s->flags, far, s->rest_rotations};
    assert_int_equal(sft_gltf_create(&wide, NULL, NULL, NULL, &gltf), SFT_ERR_RANGE);
    assert_null(gltf);
    assert_int_equal(sft_gltf_create(s, NULL, NULL, NULL, &gltf), SFT_OK);
    int32_t animation = -1;
    sft_error error = {0};
    assert_int_equal(sft_gltf_add_animation(NULL, clip, NULL, NULL, NULL, &animation, &error), SFT_ERR_ARG);
    assert_int_equal(sft_gltf_add_animation(gltf, NULL, NULL, NULL, NULL, &animation, &error), SFT_ERR_ARG);
    assert_int_equal(sft_gltf_add_animation(gltf, clip, NULL, NULL, NULL, NULL, &error), SFT_ERR_ARG);
    assert_int_equal(sft_gltf_add_animation(gltf, clip, NULL, NULL, "{]", &animation, &error), SFT_ERR_SYNTAX);
    clip->rotations[3].x = (double)NAN;
    assert_int_equal(sft_gltf_add_animation(gltf, clip, NULL, NULL, NULL, &animation, &error), SFT_ERR_RANGE);
    // Refused means untouched.
    assert_int_equal(sft_gltf_view(gltf)->animation_count, 0);
    assert_false(gltf->changed);
    assert_int_equal(animation, -1);
    sft_gltf_destroy(gltf);
    sft_clip_destroy(clip, NULL);
    sft_skeleton_destroy(s, NULL);
}

static void test_gltf_write_create__every_allocation_may_fail(void** state)
{
    (void)state;
    sft_skeleton* s = five_joints();
    sft_clip* clip = moving_clip(s, 3);
    long needed = 0;
    for (long fail_at = -1; fail_at < needed; ++fail_at)
    {
        support_heap heap = {.fail_at = fail_at};
        const sft_allocator allocator = support_allocator(&heap);
        sft_gltf* gltf = NULL;
        sft_result result = sft_gltf_create(s, NULL, "{}", &allocator, &gltf);
        int32_t animation = -1;
        if (result == SFT_OK)
        {
            result = sft_gltf_add_animation(gltf, clip, NULL, "n", "[1]", &animation, NULL);
            if (result != SFT_OK) assert_true(!gltf->changed && sft_gltf_view(gltf)->animation_count == 0);
        }
        else
            assert_null(gltf);
        if (fail_at < 0) needed = heap.calls;
        assert_int_equal(result, fail_at < 0 ? SFT_OK : SFT_ERR_MEMORY);
        sft_gltf_destroy(gltf);
        assert_int_equal(heap.live_blocks, 0);
    }
    assert_true(needed > 20);
    sft_clip_destroy(clip, NULL);
    sft_skeleton_destroy(s, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_gltf_write_create__says_what_the_skeleton_says),
        cmocka_unit_test(test_gltf_write_create__clips_come_back),
        cmocka_unit_test(test_gltf_write_create__a_still_clip_has_a_channel),
        cmocka_unit_test(test_gltf_write_create__animations_fit_characters_of_any_kind),
        cmocka_unit_test(test_gltf_write_create__refuses_bad_calls),
        cmocka_unit_test(test_gltf_write_create__every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
