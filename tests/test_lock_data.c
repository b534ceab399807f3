// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// The foot lock over real clips (optional data) whose root travel was scaled.
#include "support/lock_clips.h"

#include "core/core.h"

typedef struct subject
{
    sft_skeleton* skeleton;
    sft_clip* clip;
    sft_leg legs[SFT_MAX_LEGS];
    int32_t leg_count, first;
    sft_contact_labels* labels;
    sft_v3d ground;
} subject;

static bool load(const char* name, double travel, subject* s)
{
    char relative[128], path[1024];
    snprintf(relative, sizeof relative, "bvh/%s.bvh", name);
    if (!support_data(relative, path, sizeof path)) return false;
    void* bytes;
    size_t size;
    sft_bvh* bvh;
    sft_space space;
    memset(s, 0, sizeof *s);
    assert_int_equal(sft_file_read(path, (size_t)1 << 28, NULL, &bytes, &size, NULL), SFT_OK);
    assert_int_equal(sft_bvh_read(NULL, bytes, size, NULL, &bvh, NULL), SFT_OK);
    assert_int_equal(sft_bvh_to_clip(bvh, NULL, &s->skeleton, &s->clip), SFT_OK);
    assert_int_equal(sft_clip_infer_space(s->skeleton, s->clip, NULL, &space), SFT_OK);
    assert_int_equal(sft_clip_rescale(s->skeleton, s->clip, &space), SFT_OK);
    assert_int_equal(sft_leg_find(s->skeleton, s->clip, NULL, s->legs, SFT_MAX_LEGS, &s->leg_count), SFT_OK);
    s->first = sft_clip_first_frame(s->skeleton, s->clip, NULL);
    const int32_t joint = sft_clip_travel_joint(s->skeleton, s->clip, s->first);
    const size_t joints = (size_t)s->clip->joint_count;
    const sft_v3d origin = s->clip->translations[(size_t)s->first * joints + (size_t)joint];
    for (int32_t i = s->first; i < s->clip->frame_count; ++i)
    {
        sft_v3d* t = s->clip->translations + (size_t)i * joints + (size_t)joint;
        t->x = origin.x + travel * (t->x - origin.x);
        t->z = origin.z + travel * (t->z - origin.z);
    }
    sft_bvh_destroy(bvh);
    free(bytes);
    return true;
}

static void label(subject* s)
{
    sft_v3d* tracks[SFT_MAX_LEGS][3] = {{0}};
    sft_foot_tracks feet[SFT_MAX_LEGS];
    sft_v3d* pelvis = lock_track(s->skeleton, s->clip, s->legs[0].pelvis);
    for (int32_t f = 0; f < s->leg_count; ++f)
    {
        const int32_t joints[3] = {s->legs[f].heel, s->legs[f].toe, s->legs[f].toe_end};
        for (int k = 0; k < 3; ++k)
            if (joints[k] >= 0) tracks[f][k] = lock_track(s->skeleton, s->clip, joints[k]);
        feet[f] = (sft_foot_tracks){tracks[f][0], tracks[f][1], tracks[f][2]};
    }
    const sft_contact_input in = {.frame_count = s->clip->frame_count,
                                  .frame_time = s->clip->frame_time,
                                  .first_frame = s->first,
                                  .pelvis = pelvis,
                                  .feet = feet,
                                  .foot_count = s->leg_count};
    const sft_contact_def def = sft_default_contact_def();
    sft_contact_mismatch m;
    assert_int_equal(sft_contact_labels_create(in.frame_count, in.foot_count, NULL, &s->labels), SFT_OK);
    assert_int_equal(sft_contact_label(&def, &in, NULL, s->labels, &m), SFT_OK);
    if (m.known && m.moving_ground) s->ground = m.ground_velocity;
    for (int32_t f = 0; f < s->leg_count; ++f)
        for (int k = 0; k < 3; ++k)
            free(tracks[f][k]);
    free(pelvis);
}

static void release(subject* s)
{
    sft_contact_labels_destroy(s->labels, NULL);
    sft_clip_destroy(s->clip, NULL);
    sft_skeleton_destroy(s->skeleton, NULL);
}

static void test_lock_data__planted_toes_stand_and_nothing_steps(void** unused)
{
    (void)unused;
    static const char* const clips[] = {
        "cmu_12_01_walk",       "xia_neutral_01_000", "xia_strutting_01_000",   "xia_angry_13_000",
        "xia_depressed_13_000", "mixamo_names_69f",   "fair_zombie_walk",       "dme_demo_video_1_raw",
        "dme_demo_video_2_raw", "cmu_05_20_dance_mb", "bvhacker_walk_cycle_43", "opensim_gait2354_walk_overground",
        "cmu_01_01_playground", "boxing_toes",        "makehuman_walk1",        "opensim_gait2354_walk_treadmill",
    };
    static const double travels[3] = {0.75, 1.0, 1.25};
    for (size_t c = 0; c < SFT_COUNT_OF(clips); ++c)
        for (int t = 0; t < 3; ++t)
        {
            subject s;
            if (!load(clips[c], travels[t], &s)) return;
            label(&s);
            sft_lock_clip_def def = sft_default_lock_clip_def();
            def.first_frame = s.first;
            def.ground_velocity = s.ground;
            sft_lock_clip_report report;
            sft_clip* after = lock_copy(s.clip);
            assert_int_equal(sft_lock_clip(&def, s.skeleton, s.legs, s.leg_count, s.labels, NULL, after, NULL, &report),
                             SFT_OK);
            const lock_figures got = lock_measure(s.skeleton, s.clip, after, s.legs, s.labels, &def, &report);
            print_message("%-32s %.2f: held %d of %d, accelerations %.2f of what is explained, miss %.2f cm\n",
                          clips[c], travels[t], (int)report.locked_frames, (int)report.planted_frames, got.excess,
                          100.0 * report.miss_max_m);
            // The limit is 0.05 cm/s.
            assert_true(got.slide < 1e-6 && report.slide_max_cm_s < 1e-6);
            // A leg that is too short for the crossing drags its toe along: that is neither source nor blend.
            assert_true(got.excess < (report.miss_max_m > 0.01 ? 1.5 : 1.0));
            assert_true(report.locked_frames > report.planted_frames * 3 / 5);
            sft_lock_clip_report_release(&report, NULL);
            sft_clip_destroy(after, NULL);
            release(&s);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_lock_data__planted_toes_stand_and_nothing_steps)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
