// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// Real clips (optional data) onto real rigs, each onto each, measured from joints' places by forward kinematics.

#include "support/angles.h"
#include "support/support.h"

typedef struct subject
{
    const char* file;
    sft_skeleton* skeleton;
    sft_clip* clip;
    sft_rig* rig;
} subject;

static const char* const FILES[] = {
    "bvh/boxing_toes.bvh",
    "bvh/bvhacker_walk_cycle_42.bvh",
    "bvh/cmu_01_01_playground.bvh",
    "bvh/cmu_05_20_dance_daz.bvh",
    "bvh/cmu_05_20_dance_mb.bvh",
    "bvh/cmu_12_01_walk.bvh",
    "bvh/cmu_jumping_jacks_max.bvh",
    "bvh/dme_demo_3d_1_raw.bvh",
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
    "bvh/xia_angry_13_000.bvh",
    "bvh/xia_neutral_01_000.bvh",
    "bvh/xsens_a_40fps.bvh",
    "gltf/bitmoji_model.glb",
    "gltf/kaykit_Knight.glb",
    "gltf/khronos_CesiumMan.gltf",
    "gltf/m2m_rig-human.glb",
    "gltf/mixamo_sample_rig.glb",
};

#define COUNT (int)(sizeof FILES / sizeof FILES[0])
#define MOST_FRAMES 160

static subject subjects[COUNT];

static void in_metres(const sft_io_contents* v, subject* s)
{
    sft_space space;
    assert_int_equal(sft_clip_infer_space(s->skeleton, s->clip, NULL, &space), SFT_OK);
    if (v->up >= 0) space.up = (sft_axis)v->up;
    const double height = space.figure_height * v->unit_metres;
    if (v->unit_metres > 0.0 && height >= 0.1 && height <= 20.0) space.unit_metres = v->unit_metres;
    assert_int_equal(sft_clip_rescale(s->skeleton, s->clip, &space), SFT_OK);
}

static bool load(const char* file, subject* s)
{
    char path[1024];
    if (!support_data(file, path, sizeof path)) return false;
    sft_io_document* document = NULL;
    assert_int_equal(sft_io_read_file(NULL, path, NULL, &document, NULL), SFT_OK);
    const sft_io_contents* v = sft_io_view(document);
    int32_t index = -1;
    for (int32_t i = 0; i < v->clip_count; ++i)
        if (v->clips[i].problem == NULL && v->clips[i].channel_count > 0 &&
            (index < 0 || v->clips[i].frame_count > v->clips[index].frame_count))
            index = i;
    sft_gltf_clip_def def = sft_default_gltf_clip_def();
    def.fps = v->frame_rate;
    assert_int_equal(sft_io_to_clip(document, index, &def, NULL, &s->skeleton, &s->clip, NULL, NULL), SFT_OK);
    in_metres(v, s);
    s->file = file;
    assert_int_equal(sft_rig_create(NULL, s->skeleton, s->clip, NULL, &s->rig), SFT_OK);
    sft_io_destroy(document);
    // The start of a clip says as much as all of it, and the matrix is large.
    if (s->clip->frame_count > MOST_FRAMES)
    {
        sft_clip* cut = NULL;
        assert_int_equal(sft_clip_create(s->clip->joint_count, MOST_FRAMES, s->clip->frame_time, NULL, &cut), SFT_OK);
        const size_t n = (size_t)cut->joint_count * MOST_FRAMES;
        memcpy(cut->translations, s->clip->translations, n * sizeof *cut->translations);
        memcpy(cut->rotations, s->clip->rotations, n * sizeof *cut->rotations);
        sft_clip_destroy(s->clip, NULL);
        s->clip = cut;
    }
    return true;
}

static int load_all(void** state)
{
    (void)state;
    for (int i = 0; i < COUNT; ++i)
        if (!load(FILES[i], &subjects[i])) return 0;
    return 0;
}

static int release_all(void** state)
{
    (void)state;
    for (int i = 0; i < COUNT; ++i)
    {
        sft_rig_destroy(subjects[i].rig, NULL);
        sft_clip_destroy(subjects[i].clip, NULL);
        sft_skeleton_destroy(subjects[i].skeleton, NULL);
    }
    return 0;
}

static bool missing(void)
{
    for (int i = 0; i < COUNT; ++i)
        if (subjects[i].rig == NULL)
        {
            printf("SKIP: no %s\n", FILES[i]);
            return true;
        }
    return false;
}

static sft_clip* move(const subject* from, const sft_clip* clip, const subject* onto, sft_transfer_report* report)
{
    const sft_rig_pair rigs = {from->rig, onto->rig};
    const sft_transfer_def def = sft_default_transfer_def();
    sft_retarget_map* map = NULL;
    sft_clip* out = NULL;
    sft_error error = {0};
    if (sft_retarget_map_create(&rigs, NULL, &map, &error) != SFT_OK)
        fail_msg("%s onto %s: %s", from->file, onto->file, error.message);
    assert_int_equal(sft_retarget_clip(&def, map, clip, NULL, &out, report), SFT_OK);
    sft_retarget_map_destroy(map);
    return out;
}

static int32_t joint_of(const subject* s, sft_part part, sft_leg_side side)
{
    for (int32_t j = 0; j < s->skeleton->joint_count; ++j)
        if (s->rig->meanings[j].part == part && s->rig->meanings[j].side == side && s->rig->meanings[j].index == 0)
            return j;
    return -1;
}

static sft_xformd* places(const subject* s, const sft_clip* clip, int32_t frame)
{
    const size_t n = (size_t)clip->joint_count, row = n * (size_t)frame;
    sft_xformd* out = malloc(n * sizeof *out);
    sft_skeleton_forward(s->skeleton, clip->translations + row, clip->rotations + row, out);
    return out;
}

/// Largest angle [rad] between a bone of both, each in its figure's space; bones that either lacks are left out.
static double worst_direction(const subject* from, const sft_clip* a, const subject* onto, const sft_clip* b)
{
    static const sft_part bones[4][2] = {{SFT_PART_UPPER_ARM, SFT_PART_FOREARM},
                                         {SFT_PART_FOREARM, SFT_PART_HAND},
                                         {SFT_PART_THIGH, SFT_PART_SHIN},
                                         {SFT_PART_SHIN, SFT_PART_FOOT}};
    const sft_quatd fa = sft_quatd_exp(sft_v3d_make(0.0, from->rig->facing, 0.0));
    const sft_quatd fb = sft_quatd_exp(sft_v3d_make(0.0, onto->rig->facing, 0.0));
    double worst = 0.0;
    for (int32_t f = 0; f < a->frame_count; f += 7)
    {
        sft_xformd *pa = places(from, a, f), *pb = places(onto, b, f);
        for (int k = 0; k < 8; ++k)
        {
            const sft_leg_side side = (sft_leg_side)(k & 1);
            const int32_t a0 = joint_of(from, bones[k / 2][0], side), a1 = joint_of(from, bones[k / 2][1], side);
            const int32_t b0 = joint_of(onto, bones[k / 2][0], side), b1 = joint_of(onto, bones[k / 2][1], side);
            if (a0 < 0 || a1 < 0 || b0 < 0 || b1 < 0) continue;
            const sft_v3d way_a = sft_quatd_rotate(fa, sft_v3d_sub(pa[a1].t, pa[a0].t));
            const sft_v3d way_b = sft_quatd_rotate(fb, sft_v3d_sub(pb[b1].t, pb[b0].t));
            worst = sft_maxd(worst, angle_of(way_a, way_b));
        }
        free(pa);
        free(pb);
    }
    return worst;
}

static void test_retarget_transfer_data__limbs_point_as_the_sources(void** state)
{
    (void)state;
    if (missing()) return;
    double worst = 0.0;
    for (int i = 0; i < COUNT; ++i)
        for (int k = 0; k < COUNT; ++k)
        {
            sft_transfer_report report;
            sft_clip* out = move(&subjects[i], subjects[i].clip, &subjects[k], &report);
            const double error = worst_direction(&subjects[i], subjects[i].clip, &subjects[k], out);
            if (error > 1e-9) printf("%s onto %s: %g (%g)\n", FILES[i], FILES[k], error, report.direction_error);
            worst = sft_maxd(worst, error);
            sft_clip_destroy(out, NULL);
        }
    printf("worst direction: %g rad\n", worst);
    assert_true(worst < 1e-9);
}

static void test_retarget_transfer_data__a_clip_onto_its_own_rig_is_itself(void** state)
{
    (void)state;
    if (missing()) return;
    for (int i = 0; i < COUNT; ++i)
    {
        sft_clip* out = move(&subjects[i], subjects[i].clip, &subjects[i], NULL);
        const size_t n = (size_t)out->joint_count * (size_t)out->frame_count;
        assert_memory_equal(out->translations, subjects[i].clip->translations, n * sizeof *out->translations);
        assert_memory_equal(out->rotations, subjects[i].clip->rotations, n * sizeof *out->rotations);
        sft_clip_destroy(out, NULL);
    }
}

/// The last joint of the spine, which arms and neck hang from; -1 without one.
static int32_t chest_of(const subject* s)
{
    int32_t chest = -1;
    for (int32_t j = 0; j < s->skeleton->joint_count; ++j)
        if (s->rig->meanings[j].part == SFT_PART_SPINE) chest = j;
    return chest;
}

/// Mean turn [degrees] between one joint of two clips of a rig.
static double mean_turn(const subject* s, const sft_clip* a, const sft_clip* b, int32_t joint)
{
    double sum = 0.0;
    int n = 0;
    for (int32_t f = 0; f < a->frame_count; f += 7, ++n)
    {
        const size_t row = (size_t)f * (size_t)a->joint_count;
        const sft_xformd x = sft_skeleton_joint_model(s->skeleton, a->translations + row, a->rotations + row, joint);
        const sft_xformd y = sft_skeleton_joint_model(s->skeleton, b->translations + row, b->rotations + row, joint);
        sum += angle_between(x.r, y.r);
    }
    return 180.0 / SFT_PI * sum / n;
}

static void test_retarget_transfer_data__there_and_back(void** state)
{
    (void)state;
    if (missing()) return;
    double worst = 0.0;
    for (int i = 0; i < COUNT; ++i)
        for (int k = 0; k < COUNT; ++k)
        {
            const subject *a = &subjects[i], *b = &subjects[k];
            if (a->clip->frame_count < 10 || i == k) continue;
            sft_clip* there = move(a, a->clip, b, NULL);
            sft_clip* back = move(b, there, a, NULL);
            double most = 0.0;
            static const sft_part ends[3] = {SFT_PART_HAND, SFT_PART_FOOT, SFT_PART_HEAD};
            for (int e = 0; e < 6; ++e)
            {
                const sft_leg_side side = e < 4 ? (sft_leg_side)(e & 1) : SFT_LEG_MIDDLE;
                const int32_t own = e == 5 ? chest_of(a) : joint_of(a, ends[e / 2], side);
                const int32_t other = e == 5 ? chest_of(b) : joint_of(b, ends[e / 2], side);
                if (own >= 0 && other >= 0) most = sft_maxd(most, mean_turn(a, a->clip, back, own));
            }
            // What the rig between has no joints for stays behind: arms, say.
            bool whole = true;
            for (int e = 0; e < 4; ++e)
                whole = whole && (joint_of(a, ends[e / 2], (sft_leg_side)(e & 1)) < 0) ==
                                     (joint_of(b, ends[e / 2], (sft_leg_side)(e & 1)) < 0);
            const double limbs = whole ? 180.0 / SFT_PI * worst_direction(a, a->clip, a, back) : 0.0;
            if (most > 1e-6 || limbs > 1e-6)
                printf("%s onto %s and back: ends %g, limbs %g degrees\n", FILES[i], FILES[k], most, limbs);
            worst = sft_maxd(worst, sft_maxd(most, limbs));
            sft_clip_destroy(there, NULL);
            sft_clip_destroy(back, NULL);
        }
    printf("worst there and back: %g degrees\n", worst);
    assert_true(worst < 1e-6);
}

/// 99th percentile of a joint's angular acceleration [rad/s^2].
static double jolt(const subject* s, const sft_clip* clip, int32_t joint)
{
    const int32_t n = clip->frame_count;
    double* values = malloc((size_t)n * sizeof *values);
    sft_v3d before = {0, 0, 0};
    sft_quatd last = {0, 0, 0, 1};
    int32_t count = 0;
    for (int32_t f = 0; f < n; ++f)
    {
        const size_t row = (size_t)f * (size_t)clip->joint_count;
        const sft_quatd r =
            sft_skeleton_joint_model(s->skeleton, clip->translations + row, clip->rotations + row, joint).r;
        const sft_v3d step = sft_quatd_log(sft_quatd_mul(r, sft_quatd_conjugate(last)));
        if (f > 2) values[count++] = sft_v3d_distance(step, before) / (clip->frame_time * clip->frame_time);
        before = step;
        last = r;
    }
    for (int32_t i = 1; i < count; ++i)
        for (int32_t j = i; j > 0 && values[j - 1] > values[j]; --j)
        {
            const double swap = values[j];
            values[j] = values[j - 1];
            values[j - 1] = swap;
        }
    const double out = values[count * 99 / 100];
    free(values);
    return out;
}

// Chain ends turn exactly as the source's; what rolls on the way to them (twist joints, carriers without their roll)
// does not jump either.
static void test_retarget_transfer_data__nothing_jumps(void** state)
{
    (void)state;
    if (missing()) return;
    double worst[2] = {0.0, 0.0};
    for (int i = 0; i < COUNT; ++i)
        for (int k = 0; k < COUNT; ++k)
        {
            const subject *a = &subjects[i], *b = &subjects[k];
            if (a->clip->frame_count < 10) continue;
            sft_clip* out = move(a, a->clip, b, NULL);
            for (int32_t j = 0; j < out->joint_count; ++j)
            {
                const sft_joint_meaning* m = &b->rig->meanings[j];
                const bool arm = m->part == SFT_PART_UPPER_ARM || m->part == SFT_PART_FOREARM ||
                                 m->part == SFT_PART_HAND || m->part == SFT_PART_TWIST;
                const bool leg = m->part == SFT_PART_THIGH || m->part == SFT_PART_SHIN || m->part == SFT_PART_FOOT;
                if (!arm && !leg) continue;
                const sft_part part = m->part == SFT_PART_TWIST ? b->rig->meanings[m->carrier].part : m->part;
                // Against the wilder of the joint and its neighbours.
                double most = 0.0;
                for (int n = -1; n <= 1; ++n)
                {
                    const int32_t own = joint_of(a, (sft_part)((int)part + n), m->side);
                    if (own >= 0) most = sft_maxd(most, jolt(a, a->clip, own));
                }
                if (joint_of(a, part, m->side) < 0 || most < 1.0) continue;
                const double ratio = jolt(b, out, j) / most;
                const bool end = m->part == SFT_PART_HAND || m->part == SFT_PART_FOOT;
                // A shoulder that slides in its capture (kinect) shakes the arm that follows places: 1.34 and, through
                // the roll, 3.5.
                if (ratio > (end ? 1.2 : 2.5) && strstr(FILES[i], "kinect") == NULL)
                    printf("%s onto %s: %s %g\n", FILES[i], FILES[k], b->skeleton->names[j], ratio);
                worst[end] = sft_maxd(worst[end], ratio);
            }
            sft_clip_destroy(out, NULL);
        }
    printf("worst angular acceleration: ends %g, on the way %g times the source's\n", worst[1], worst[0]);
    assert_true(worst[1] < 1.2 && worst[0] < 4.0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_retarget_transfer_data__limbs_point_as_the_sources),
        cmocka_unit_test(test_retarget_transfer_data__a_clip_onto_its_own_rig_is_itself),
        cmocka_unit_test(test_retarget_transfer_data__there_and_back),
        cmocka_unit_test(test_retarget_transfer_data__nothing_jumps),
    };
    return cmocka_run_group_tests(tests, load_all, release_all);
}
