// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// Reference poses of the real humanoids: limbs where they belong, left and right alike, soles level, lengths right.

#include "support/angles.h"
#include "support/support.h"

#include "surefoot/io.h"
#include "surefoot/rig.h"

static const char* const FILES[] = {
    "bvh/boxing_toes.bvh",
    "bvh/bvhacker_walk_cycle_42.bvh",
    "bvh/cmu_01_01_playground.bvh",
    "bvh/cmu_05_20_dance_daz.bvh",
    "bvh/cmu_05_20_dance_mb.bvh",
    "bvh/cmu_12_01_walk.bvh",
    "bvh/cmu_jumping_jacks_max.bvh",
    "bvh/cmu_rest_pose.bvh",
    "bvh/dme_demo_3d_1_fixed.bvh",
    "bvh/dme_demo_video_1_raw.bvh",
    "bvh/fair_dab.bvh",
    "bvh/fair_zombie_walk.bvh",
    "bvh/geno_stance_6ch.bvh",
    "bvh/kinect_brekel_a.bvh",
    "bvh/makehuman_dance1.bvh",
    "bvh/makehuman_tpose.bvh",
    "bvh/makehuman_walk1.bvh",
    "bvh/mixamo_names_69f.bvh",
    "bvh/mixed_orders_zup.bvh",
    "bvh/mocapbank_crlf.bvh",
    "bvh/opensim_gait2354_walk_overground.bvh",
    "bvh/opensim_gait2354_walk_treadmill.bvh",
    "bvh/xia_angry_13_000.bvh",
    "bvh/xia_neutral_01_000.bvh",
    "bvh/xsens_23_standing.bvh",
    "bvh/xsens_a_40fps.bvh",
    "gltf/bitmoji_idle.glb",
    "gltf/bitmoji_model.glb",
    "gltf/bitmoji_walk.glb",
    "gltf/kaykit_Knight.glb",
    "gltf/khronos_CesiumMan.gltf",
    "gltf/m2m_rig-human.glb",
    "gltf/mixamo_sample_rig.glb",
};

static bool read_rig(const char* file, sft_rig** rig)
{
    char path[512];
    if (!support_data(file, path, sizeof path)) return false;
    sft_io_document* document = NULL;
    sft_error error = {0};
    if (sft_io_read_file(NULL, path, NULL, &document, &error) != SFT_OK) fail_msg("%s", error.message);
    const sft_io_contents* v = sft_io_view(document);
    sft_gltf_clip_def def = sft_default_gltf_clip_def();
    def.fps = v->frame_rate;
    sft_skeleton* skeleton = NULL;
    sft_clip* clip = NULL;
    sft_gltf_frames frames = {0};
    const int32_t index = v->clip_count > 0 ? 0 : -1;
    if (sft_io_to_clip(document, index, &def, NULL, &skeleton, &clip, &frames, &error) != SFT_OK)
        fail_msg("%s", error.message);
    sft_space space;
    assert_int_equal(sft_clip_infer_space(skeleton, clip, NULL, &space), SFT_OK);
    if (v->up >= 0) space.up = (sft_axis)v->up;
    if (v->unit_metres > 0.0) space.unit_metres = v->unit_metres;
    assert_int_equal(sft_clip_rescale(skeleton, clip, &space), SFT_OK);
    assert_int_equal(sft_rig_create(NULL, skeleton, index < 0 ? NULL : clip, NULL, rig), SFT_OK);
    sft_clip_destroy(clip, NULL);
    sft_skeleton_destroy(skeleton, NULL);
    sft_io_destroy(document);
    return true;
}

static int32_t find(const sft_rig* rig, sft_part part, sft_leg_side side)
{
    for (int32_t j = 0; j < rig->skeleton->joint_count; ++j)
        if (rig->meanings[j].part == part && rig->meanings[j].side == side && rig->meanings[j].index == 0) return j;
    return -1;
}

static void assert_direction(const char* file, const sft_rig* rig, int32_t from, int32_t to, sft_v3d want)
{
    const sft_v3d v = sft_v3d_sub(rig->pose[to].t, rig->pose[from].t);
    if (sft_v3d_distance(sft_v3d_scale(1.0 / sft_v3d_length(v), v), want) > 1e-12)
        fail_msg("%s: %s to %s points along %g %g %g", file, rig->skeleton->names[from], rig->skeleton->names[to], v.x,
                 v.y, v.z);
}

// Length by the offsets alone, walking up: in the base pose, whose bones are the rig's.
static double way(const sft_rig* rig, int32_t from, int32_t to)
{
    sft_v3d p = {0, 0, 0};
    for (int32_t j = to; j != from; j = rig->skeleton->parents[j])
        p = sft_v3d_add(rig->base_t[j], sft_quatd_rotate(rig->base_r[j], p));
    return sft_v3d_length(p);
}

static double sole(const sft_rig* rig, const sft_leg* leg)
{
    double low = sft_mind(rig->pose[leg->heel].t.y, rig->pose[leg->toe].t.y);
    if (leg->toe == leg->heel) low -= leg->heel_min;
    return leg->toe_end >= 0 ? sft_mind(low, rig->pose[leg->toe_end].t.y) : low;
}

static void check(const char* file, const sft_rig* rig)
{
    const sft_v3d down = {0, -1, 0};
    double length[2];
    if (rig->leg_count != 2) fail_msg("%s: %d legs", file, (int)rig->leg_count);
    for (int side = 0; side < 2; ++side)
    {
        const sft_v3d out = {side == 0 ? 1.0 : -1.0, 0, 0};
        const int32_t upper = find(rig, SFT_PART_UPPER_ARM, (sft_leg_side)side);
        const int32_t fore = find(rig, SFT_PART_FOREARM, (sft_leg_side)side);
        const int32_t hand = find(rig, SFT_PART_HAND, (sft_leg_side)side);
        if (upper < 0 && strstr(file, "opensim") == NULL) fail_msg("%s: no arm", file);
        if (upper >= 0) assert_direction(file, rig, upper, fore, out);
        if (upper >= 0) assert_direction(file, rig, fore, hand, out);
        const sft_leg* leg = &rig->legs[side];
        assert_direction(file, rig, leg->hip, leg->knee, down);
        assert_direction(file, rig, leg->knee, leg->heel, down);
        length[side] = way(rig, leg->hip, leg->knee) + way(rig, leg->knee, leg->heel);
        // Toes ahead, neither up nor straight down. CesiumMan's shoes are level, by the vertices of their soles, where
        // the bone slopes by 64 degrees.
        const double least = strstr(file, "CesiumMan") != NULL ? 0.4379 : 0.45;
        const sft_v3d foot = sft_v3d_sub(rig->pose[leg->toe].t, rig->pose[leg->heel].t);
        const double size = sft_v3d_length(foot);
        if (leg->toe == leg->heel) continue;
        if (fabs(foot.x) > 0.1 * size || foot.z < least * size || foot.y > 0.05 * size)
            fail_msg("%s: a foot along %g %g %g", file, foot.x, foot.y, foot.z);
    }
    // Measured legs are of unequal length; beyond that soles are level.
    const double unequal = fabs(length[0] - length[1]), legs = 0.5 * (length[0] + length[1]);
    // Joints of a scanned person lie 1 cm apart over level soles, see below.
    const double apart = strstr(file, "geno") != NULL ? 0.0125 : 0.01;
    for (int side = 0; side < 2; ++side)
        if (!(sole(rig, &rig->legs[side]) < apart + unequal) || !(sole(rig, &rig->legs[side]) > -1e-9))
            fail_msg("%s: a sole %g m off the ground, legs %g m unequal", file, sole(rig, &rig->legs[side]), unequal);
    if (fabs(rig->leg_length - legs) > 0.01 * legs) fail_msg("%s: leg length %g, not %g", file, rig->leg_length, legs);
}

static void test_rig_reference_data__limbs_soles_and_lengths_of_real_figures(void** state)
{
    (void)state;
    for (size_t i = 0; i < sizeof FILES / sizeof FILES[0]; ++i)
    {
        sft_rig* rig = NULL;
        if (!read_rig(FILES[i], &rig)) return;
        check(FILES[i], rig);
        sft_rig_destroy(rig, NULL);
    }
}

// The soles of CesiumMan's mesh are level at rest to a ten-thousandth of a millimetre, with the ankle 6.458 cm over the
// toe joint (nodes 9 and 10, 5 and 6; read off the vertices by themselves).
static void test_rig_reference_data__shoes_of_a_mesh_that_are_level_at_rest_stay_level(void** state)
{
    (void)state;
    sft_rig* rig = NULL;
    if (!read_rig("gltf/khronos_CesiumMan.gltf", &rig)) return;
    for (int side = 0; side < 2; ++side)
    {
        const sft_leg* leg = &rig->legs[side];
        assert_true(fabs(rig->pose[leg->heel].t.y - rig->pose[leg->toe].t.y - 0.06458) < 1e-5);
    }
    sft_rig_destroy(rig, NULL);
}

// The mesh of the same person (geno_stance.fbx) stands on level soles: heels and balls of both feet at one height
// within 2 mm, read off its vertices, with the ankle 6.25 cm over the toe's end on the left and 7.28 on the right (bind
// pose).
static void test_rig_reference_data__feet_of_a_scanned_person_are_not_made_alike(void** state)
{
    (void)state;
    const double known[2] = {0.0625, 0.0728};
    sft_rig* rig = NULL;
    if (!read_rig("bvh/geno_stance_6ch.bvh", &rig)) return;
    for (int side = 0; side < 2; ++side)
    {
        const sft_leg* leg = &rig->legs[side];
        assert_true(fabs(rig->pose[leg->heel].t.y - rig->pose[leg->toe_end].t.y - known[side]) < 0.0035);
    }
    sft_rig_destroy(rig, NULL);
}

// One character in two files: once with a rest pose to stand on, once with the first frame of a walk instead. What the
// walk alone tells must come near to the truth.
static void test_rig_reference_data__a_walk_alone_tells_nearly_what_the_rest_pose_does(void** state)
{
    (void)state;
    sft_rig *good = NULL, *walk = NULL;
    if (!read_rig("gltf/bitmoji_model.glb", &good)) return;
    if (!read_rig("gltf/bitmoji_walk.glb", &walk)) return;
    assert_int_equal(good->pose_frame, SFT_RIG_POSE_REST);
    assert_int_equal(walk->pose_frame, SFT_RIG_POSE_MEAN);
    for (int32_t j = 0; j < walk->skeleton->joint_count; ++j)
    {
        const sft_part part = walk->meanings[j].part;
        const int32_t same = sft_skeleton_find(good->skeleton, walk->skeleton->names[j]);
        if (same < 0 || part == SFT_PART_NONE || part == SFT_PART_FINGER || part == SFT_PART_TWIST) continue;
        const double off = 180.0 / SFT_PI * angle_between(walk->pose[j].r, good->pose[same].r);
        if (off > 12.0) fail_msg("%s: %g degrees off", walk->skeleton->names[j], off);
    }
    sft_rig_destroy(good, NULL);
    sft_rig_destroy(walk, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rig_reference_data__limbs_soles_and_lengths_of_real_figures),
        cmocka_unit_test(test_rig_reference_data__shoes_of_a_mesh_that_are_level_at_rest_stay_level),
        cmocka_unit_test(test_rig_reference_data__feet_of_a_scanned_person_are_not_made_alike),
        cmocka_unit_test(test_rig_reference_data__a_walk_alone_tells_nearly_what_the_rest_pose_does),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
