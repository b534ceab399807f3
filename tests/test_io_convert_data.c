// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// Round trips of the optional data folder's files: BVH to GLB to BVH, and glTF to BVH to GLB.
#include "support/support.h"

#include "surefoot/io.h"

#define CLOSE 1e-5 // [m]

static sft_io_document* read_data(const char* folder, const char* name)
{
    char relative[128], path[1024];
    snprintf(relative, sizeof relative, "%s/%s", folder, name);
    if (!support_data(relative, path, sizeof path)) return NULL;
    sft_io_document* document = NULL;
    sft_error error = {0};
    if (sft_io_read_file(NULL, path, NULL, &document, &error) != SFT_OK) fail_msg("%s: %s", name, error.message);
    return document;
}

static sft_io_document* converted(const sft_io_document* from, sft_io_format format, int32_t clip,
                                  const sft_space* space)
{
    sft_io_convert_def def = sft_default_io_convert_def();
    def.format = format;
    def.clip = clip;
    def.space = space;
    sft_io_document *to = NULL, *again = NULL;
    sft_error error = {0};
    if (sft_io_convert(from, &def, NULL, &to, NULL, &error) != SFT_OK) fail_msg("%s", error.message);
    void* bytes = NULL;
    size_t size = 0;
    if (sft_io_write(to, SFT_IO_AUTO, NULL, &bytes, &size, &error) != SFT_OK) fail_msg("%s", error.message);
    sft_io_destroy(to);
    if (sft_io_read(NULL, bytes, size, NULL, &again, &error) != SFT_OK) fail_msg("%s", error.message);
    free(bytes);
    return again;
}

// World positions of a clip in metres, Y up, by walking the chain up from every joint.
typedef struct positions
{
    sft_skeleton* skeleton;
    sft_clip* clip;
    sft_v3d* at; ///< [frame * joints + joint]
} positions;

static sft_v3d up_the_chain(const positions* p, int32_t frame, int32_t joint)
{
    const size_t row = (size_t)frame * (size_t)p->clip->joint_count;
    sft_v3d at = p->clip->translations[row + (size_t)joint];
    for (int32_t j = p->skeleton->parents[joint]; j >= 0; j = p->skeleton->parents[j])
        at = sft_v3d_add(p->clip->translations[row + (size_t)j],
                         sft_quatd_rotate(p->clip->rotations[row + (size_t)j], at));
    return at;
}

static positions positions_of(const sft_io_document* document, int32_t clip, const sft_space* space)
{
    positions p = {0};
    sft_error error = {0};
    if (sft_io_to_clip(document, clip, NULL, NULL, &p.skeleton, &p.clip, NULL, &error) != SFT_OK)
        fail_msg("%s", error.message);
    if (space != NULL) assert_int_equal(sft_clip_rescale(p.skeleton, p.clip, space), SFT_OK);
    p.at = calloc((size_t)p.clip->frame_count * (size_t)p.clip->joint_count + 1, sizeof *p.at);
    assert_non_null(p.at);
    for (int32_t f = 0; f < p.clip->frame_count; ++f)
        for (int32_t j = 0; j < p.clip->joint_count; ++j)
            p.at[f * p.clip->joint_count + j] = up_the_chain(&p, f, j);
    return p;
}

static void release(positions* p)
{
    sft_skeleton_destroy(p->skeleton, NULL);
    sft_clip_destroy(p->clip, NULL);
    free(p->at);
}

// Joints that b has beyond those of a are End Sites, or what was made of them.
static double farthest(const positions* a, const positions* b, const char* name)
{
    assert_int_equal(a->clip->frame_count, b->clip->frame_count);
    double worst = 0.0;
    int32_t at = 0;
    for (int32_t j = 0; j < a->skeleton->joint_count; ++j, ++at)
    {
        const bool more = b->skeleton->joint_count > a->skeleton->joint_count;
        while (more && at < b->skeleton->joint_count &&
               ((b->skeleton->flags[at] & SFT_JOINT_END_SITE) != 0 ||
                (at > 0 &&
                 strncmp(b->skeleton->names[at], b->skeleton->names[at - 1], strlen(b->skeleton->names[at - 1])) == 0 &&
                 strcmp(b->skeleton->names[at] + strlen(b->skeleton->names[at - 1]), "_end") == 0)))
            ++at;
        if (at >= b->skeleton->joint_count) fail_msg("%s: joint %s is not there", name, a->skeleton->names[j]);
        for (int32_t f = 0; f < a->clip->frame_count; ++f)
            worst = sft_maxd(
                worst, sft_v3d_distance(a->at[f * a->clip->joint_count + j], b->at[f * b->clip->joint_count + at]));
    }
    return worst;
}

static void test_io_convert_data__bvh_through_glb(void** state)
{
    (void)state;
    static const char* const names[] = {"cmu_12_01_walk.bvh",
                                        "fair_zombie_walk.bvh",
                                        "kinect_brekel_a.bvh",
                                        "xia_neutral_01_000.bvh",
                                        "fair_dab.bvh",
                                        "mocapbank_crlf.bvh",
                                        "mixamo_names_69f.bvh",
                                        "cmu_jumping_jacks_max.bvh",
                                        "dme_demo_video_2_raw.bvh",
                                        "mixed_orders_zup.bvh",
                                        "dme_demo_3d_1_raw.bvh",
                                        "bvhacker_walk_cycle_43.bvh",
                                        "xsens_23_standing.bvh",
                                        "makehuman_tpose.bvh",
                                        "makehuman_walk1.bvh",
                                        "opensim_gait2354_walk_treadmill.bvh",
                                        "geno_stance_6ch.bvh",
                                        "sinusoidal_chain.bvh",
                                        "cmu_rest_pose.bvh",
                                        "rotation_first_root.bvh",
                                        "xsens_a_40fps.bvh",
                                        "full_precision_frame_time.bvh"};
    double worst = 0.0;
    for (size_t i = 0; i < sizeof names / sizeof *names; ++i)
    {
        sft_io_document* bvh = read_data("bvh", names[i]);
        if (bvh == NULL) continue;
        positions a = positions_of(bvh, 0, NULL);
        sft_space space;
        assert_int_equal(sft_clip_infer_space(a.skeleton, a.clip, NULL, &space), SFT_OK);
        release(&a);
        a = positions_of(bvh, 0, &space);
        sft_io_document* glb = converted(bvh, SFT_IO_GLB, -1, &space);
        positions b = positions_of(glb, 0, NULL);
        sft_io_document* back = converted(glb, SFT_IO_BVH, -1, NULL);
        positions c = positions_of(back, 0, &space);
        const double off = sft_maxd(farthest(&a, &b, names[i]), farthest(&a, &c, names[i]));
        if (!(off <= CLOSE)) fail_msg("%s: off by %g m", names[i], off);
        worst = sft_maxd(worst, off);
        const sft_bvh_contents *v = sft_bvh_view(sft_io_bvh(bvh)), *w = sft_bvh_view(sft_io_bvh(back));
        assert_int_equal(v->joint_count, w->joint_count);
        assert_int_equal(v->channel_count, w->channel_count);
        assert_true(v->frame_time == w->frame_time);
        if (v->frame_time_text != NULL) assert_string_equal(v->frame_time_text, w->frame_time_text);
        for (int32_t j = 0; j < v->joint_count; ++j)
        {
            assert_string_equal(v->joints[j].name, w->joints[j].name);
            assert_int_equal(v->joints[j].end_site, w->joints[j].end_site);
            assert_memory_equal(&v->joints[j].offset, &w->joints[j].offset, sizeof(sft_v3d));
            assert_memory_equal(v->joints[j].channels, w->joints[j].channels, (size_t)v->joints[j].channel_count);
        }
        release(&a);
        release(&b);
        release(&c);
        sft_io_destroy(back);
        sft_io_destroy(glb);
        sft_io_destroy(bvh);
    }
    print_message("BVH through GLB: positions within %.2g cm\n", 100.0 * worst);
}

static void test_io_convert_data__gltf_through_bvh(void** state)
{
    (void)state;
    static const char* const names[] = {"bitmoji_idle.glb",          "bitmoji_walk.glb",
                                        "kaykit_Knight.glb",         "khronos_BoxAnimated.gltf",
                                        "khronos_CesiumMan.gltf",    "khronos_Fox.glb",
                                        "khronos_SimpleSkin.gltf",   "khronos_InterpolationTest.gltf",
                                        "m2m_bird-animations.glb",   "m2m_fox-animations.glb",
                                        "m2m_spider-animations.glb", "mixamo_sample_rig.glb",
                                        "raylib_greenman.glb",       "m2m_no_animation.glb",
                                        "m2m_rig-human.glb",         "m2m_rig-spider.glb"};
    const sft_space centimetres = {.unit_metres = 0.01, .up = SFT_AXIS_Y};
    double worst = 0.0;
    for (size_t i = 0; i < sizeof names / sizeof *names; ++i)
    {
        sft_io_document* gltf = read_data("gltf", names[i]);
        if (gltf == NULL) continue;
        const int32_t clips = sft_io_view(gltf)->clip_count;
        for (int32_t clip = clips > 0 ? 0 : -1; clip < clips && clip < 3; ++clip)
        {
            if (clip >= 0 && sft_io_view(gltf)->clips[clip].problem != NULL) continue;
            const sft_space own = {.unit_metres = 1.0, .up = SFT_AXIS_Y};
            positions a = positions_of(gltf, clip, NULL);
            sft_io_document* bvh = converted(gltf, SFT_IO_BVH, clip, &own);
            positions b = positions_of(bvh, 0, &centimetres);
            sft_io_document* back = converted(bvh, SFT_IO_GLB, -1, &centimetres);
            positions c = positions_of(back, 0, NULL);
            const double off = sft_maxd(farthest(&a, &b, names[i]), farthest(&a, &c, names[i]));
            // The fox is written in centimetres, so it is a hundred times too large, and float32 with it.
            const double size = strcmp(names[i], "khronos_Fox.glb") == 0 ? 100.0 : 1.0;
            if (!(off <= CLOSE * size)) fail_msg("%s, clip %d: off by %g m", names[i], clip, off);
            worst = sft_maxd(worst, off / size);
            release(&a);
            release(&b);
            release(&c);
            sft_io_destroy(back);
            sft_io_destroy(bvh);
        }
        sft_io_destroy(gltf);
    }
    print_message("glTF through BVH: positions within %.2g cm\n", 100.0 * worst);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_io_convert_data__bvh_through_glb),
        cmocka_unit_test(test_io_convert_data__gltf_through_bvh),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
