// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// The foot lock over whole clips, on the walker whose contacts are known.
#include "sample/walker.h"
#include "support/lock_clips.h"

typedef struct scene
{
    walker w;
    sft_leg legs[4];
    int32_t leg_count;
    sft_lock_clip_def def;
} scene;

static scene make(const walker_def* def)
{
    scene s = {0};
    assert_int_equal(walker_create(def, &s.w), SFT_OK);
    assert_int_equal(sft_leg_find(s.w.skeleton, s.w.clip, NULL, s.legs, 4, &s.leg_count), SFT_OK);
    assert_int_equal(s.leg_count, 2);
    s.def = sft_default_lock_clip_def();
    s.def.first_frame = s.w.first_frame;
    s.def.ground_velocity = s.w.ground_velocity;
    return s;
}

static sft_result run(const scene* s, const sft_allocator* allocator, sft_clip* clip, uint8_t* changed,
                      sft_lock_clip_report* report)
{
    return sft_lock_clip(&s->def, s->w.skeleton, s->legs, s->leg_count, &s->w.labels, allocator, clip, changed, report);
}

static void test_lock_clip__planted_toes_stand_and_nothing_steps(void** unused)
{
    (void)unused;
    const double scales[3] = {0.75, 1.0, 1.25}, rates[3] = {30.0, 60.0, 120.0};
    for (int treadmill = 0; treadmill < 2; ++treadmill)
        for (int r = 0; r < 3; ++r)
            for (int k = 0; k < 3; ++k)
            {
                walker_def def = walker_default_def();
                def.fps = rates[r];
                def.frames = (int32_t)(5.0 * rates[r]);
                def.root_scale = scales[k];
                def.treadmill = treadmill != 0;
                def.heading = 0.4;
                scene s = make(&def);
                sft_clip* after = lock_copy(s.w.clip);
                sft_lock_clip_report report;
                assert_int_equal(run(&s, NULL, after, NULL, &report), SFT_OK);
                const lock_figures got =
                    lock_measure(s.w.skeleton, s.w.clip, after, s.legs, &s.w.labels, &s.def, &report);
                print_message(
                    "%s%.0f Hz, travel %.2f: held %d of %d, settled %d, slide %.1g cm/s, accelerations %.2f of "
                    "what is explained, miss %.2f cm\n",
                    treadmill ? "treadmill, " : "", rates[r], scales[k], (int)report.locked_frames,
                    (int)report.planted_frames, (int)report.settled_frames, got.slide, got.excess,
                    100.0 * report.miss_max_m);
                assert_true(got.slide < 1e-6 && report.slide_max_cm_s < 1e-6);
                assert_true(got.excess < 1.0);
                assert_true(report.locked_frames > report.planted_frames * 3 / 4);
                assert_true(got.settled > report.planted_frames / 4);
                int32_t in_gaps = 0;
                for (int32_t i = 0; i < report.gap_count; ++i)
                    in_gaps += report.gaps[i].last - report.gaps[i].first + 1;
                assert_int_equal(in_gaps, report.planted_frames - report.locked_frames);
                sft_lock_clip_report_release(&report, NULL);
                sft_clip_destroy(after, NULL);
                walker_release(&s.w);
            }
}

static void test_lock_clip__is_update_and_solve_frame_by_frame(void** unused)
{
    (void)unused;
    walker_def def = walker_default_def();
    def.frames = 120;
    def.root_scale = 0.9;
    scene s = make(&def);
    sft_clip* after = lock_copy(s.w.clip);
    sft_lock_clip_report report;
    assert_int_equal(run(&s, NULL, after, NULL, &report), SFT_OK);
    assert_int_equal(report.gap_count, 0);
    assert_int_equal(report.miss_max_frame, -1);
    for (int32_t f = 0; f < 2; ++f)
    {
        sft_lock_state state = {0};
        for (int32_t i = 0; i < def.frames; ++i)
        {
            const size_t base = (size_t)i * WALKER_JOINTS;
            sft_leg_pose pose;
            assert_int_equal(sft_leg_pose_read(s.w.skeleton, &s.legs[f], s.w.clip->translations + base,
                                               s.w.clip->rotations + base, &pose),
                             SFT_OK);
            sft_lock_input in = {.toe = pose.toe.t, .foot = pose.heel.r, .contact_height = (double)NAN};
            in.contact = s.w.labels.plant[f * def.frames + i] > 0.75f;
            assert_int_equal(sft_lock_update(&s.def.lock, &in, 1.0 / 60.0, &state), SFT_OK);
            const sft_v3d toe = sft_skeleton_joint_model(s.w.skeleton, after->translations + base,
                                                         after->rotations + base, s.legs[f].toe)
                                    .t;
            assert_true(sft_v3d_distance(toe, state.position) < 1e-9);
        }
    }
    sft_clip_destroy(after, NULL);
    walker_release(&s.w);
}

static void test_lock_clip__touches_legs_alone(void** unused)
{
    (void)unused;
    walker_def def = walker_default_def();
    def.reference = true;
    def.root_scale = 1.25;
    scene s = make(&def);
    sft_clip* after = lock_copy(s.w.clip);
    uint8_t changed[WALKER_JOINTS] = {0};
    changed[WALKER_SPINE] = 4; // what was there stays
    assert_int_equal(run(&s, NULL, after, changed, NULL), SFT_OK);
    for (int32_t j = 0; j < WALKER_JOINTS; ++j)
    {
        bool leg = false;
        for (int32_t f = 0; f < 2; ++f)
            leg = leg || j == s.legs[f].hip || j == s.legs[f].knee || j == s.legs[f].heel || j == s.legs[f].toe;
        bool turned = false;
        for (int32_t i = 0; i < def.frames; ++i)
        {
            const size_t at = (size_t)i * WALKER_JOINTS + (size_t)j;
            assert_memory_equal(&after->translations[at], &s.w.clip->translations[at], sizeof(sft_v3d));
            const bool same = memcmp(&after->rotations[at], &s.w.clip->rotations[at], sizeof(sft_quatd)) == 0;
            assert_true(same || (leg && i >= s.w.first_frame));
            turned = turned || !same;
        }
        assert_int_equal(changed[j], j == WALKER_SPINE ? 4 : turned);
    }
    sft_clip_destroy(after, NULL);
    walker_release(&s.w);
}

static void test_lock_clip__without_plants_nothing_changes(void** unused)
{
    (void)unused;
    const walker_def def = walker_default_def();
    scene s = make(&def);
    memset(s.w.labels.plant, 0, sizeof(float) * 2 * (size_t)def.frames);
    sft_clip* after = lock_copy(s.w.clip);
    sft_lock_clip_report report;
    assert_int_equal(run(&s, NULL, after, NULL, &report), SFT_OK);
    assert_int_equal(report.plant_count, 0);
    assert_int_equal(report.gap_count, 0);
    const size_t cells = (size_t)def.frames * WALKER_JOINTS;
    assert_memory_equal(after->rotations, s.w.clip->rotations, cells * sizeof(sft_quatd));
    // Nor is there anything to do without legs.
    s.leg_count = 0;
    s.w.labels.foot_count = 0;
    assert_int_equal(run(&s, NULL, after, NULL, &report), SFT_OK);
    assert_memory_equal(after->rotations, s.w.clip->rotations, cells * sizeof(sft_quatd));
    sft_clip_destroy(after, NULL);
    walker_release(&s.w);
}

static void test_lock_clip__lists_where_the_foot_was_let_go(void** unused)
{
    (void)unused;
    walker_def def = walker_default_def();
    def.root_scale = 1.25;
    scene s = make(&def);
    // By distance: 1.25 of the travel slides the foot by some 15 cm a plant.
    s.def.lock.unlock_distance = 0.08;
    sft_clip* after = lock_copy(s.w.clip);
    sft_lock_clip_report report;
    assert_int_equal(run(&s, NULL, after, NULL, &report), SFT_OK);
    int by_distance = 0;
    for (int32_t i = 0; i < report.gap_count; ++i)
    {
        by_distance += report.gaps[i].release == SFT_LOCK_RELEASE_DISTANCE;
        assert_true(report.gaps[i].distance < 0.2);
        assert_true(i == 0 || report.gaps[i].foot > report.gaps[i - 1].foot ||
                    report.gaps[i].first > report.gaps[i - 1].last + 1);
    }
    assert_true(by_distance >= 4);
    sft_lock_clip_report_release(&report, NULL);
    assert_null(report.gaps);
    sft_clip_destroy(after, NULL);

    // By reach: knees that may not open and heels that may not lift.
    s.def = sft_default_lock_clip_def();
    s.def.leg.heel_lift = 0.0;
    after = lock_copy(s.w.clip);
    assert_int_equal(run(&s, NULL, after, NULL, &report), SFT_OK);
    int by_reach = 0;
    for (int32_t i = 0; i < report.gap_count; ++i)
        by_reach += report.gaps[i].release == SFT_LOCK_RELEASE_ASKED;
    assert_true(by_reach >= 2);
    const lock_figures got = lock_measure(s.w.skeleton, s.w.clip, after, s.legs, &s.w.labels, &s.def, &report);
    assert_true(got.slide < 1e-6);
    sft_lock_clip_report_release(&report, NULL);
    sft_clip_destroy(after, NULL);
    walker_release(&s.w);
}

static void test_lock_clip__orientation_is_held_when_asked(void** unused)
{
    (void)unused;
    walker_def def = walker_default_def();
    def.root_scale = 0.9;
    scene s = make(&def);
    s.def.lock.lock_orientation = true;
    s.def.lock.blend_time = 0.1;
    sft_clip* after = lock_copy(s.w.clip);
    sft_lock_clip_report report;
    assert_int_equal(run(&s, NULL, after, NULL, &report), SFT_OK);
    uint8_t* held = calloc((size_t)def.frames, 1);
    lock_held(&s.w.labels, &report, 0, 0, held);
    int settled = 0, still = 0, run_length = 0;
    double most = 0.0;
    for (int32_t i = 1; i < def.frames; ++i)
    {
        run_length = held[i] && held[i - 1] ? run_length + 1 : 0;
        if (run_length < 8) continue;
        sft_quatd r[2];
        for (int k = 0; k < 2; ++k)
        {
            const size_t base = (size_t)(i - k) * WALKER_JOINTS;
            r[k] = sft_skeleton_joint_model(s.w.skeleton, after->translations + base, after->rotations + base,
                                            s.legs[0].heel)
                       .r;
        }
        const double turn = sft_v3d_length(sft_quatd_log(sft_quatd_mul(r[0], sft_quatd_conjugate(r[1]))));
        most = sft_maxd(most, turn);
        still += turn < 1e-6;
        ++settled;
    }
    print_message("foot held: %d frames, still in %d, else turns by at most %.2g rad a frame\n", settled, still, most);
    // At the end the leg has to lift the heel of a foot that the source has long rolled off its toe.
    assert_true(settled > 40 && still > settled / 2);
    assert_true(most < 0.1);
    free(held);
    sft_lock_clip_report_release(&report, NULL);
    sft_clip_destroy(after, NULL);
    walker_release(&s.w);
}

static void test_lock_clip__refuses_bad_input_and_keeps_the_clip(void** unused)
{
    (void)unused;
    walker_def def = walker_default_def();
    def.frames = 60;
    def.root_scale = 1.25;
    scene s = make(&def);
    sft_clip* after = lock_copy(s.w.clip);
    const size_t cells = (size_t)def.frames * WALKER_JOINTS;
    sft_lock_clip_report report;
    memset(&report, 0x5a, sizeof report);
    const sft_lock_clip_report kept = report;
    for (int k = 0; k < 9; ++k)
    {
        scene odd = s;
        sft_clip changed = *after;
        sft_contact_labels labels = odd.w.labels;
        sft_result expected = SFT_ERR_ARG;
        switch (k)
        {
        case 0:
            odd.def.cookie = 0;
            expected = SFT_ERR_DEF;
            break;
        case 1:
            odd.def.lock.blend_time = -1.0;
            expected = SFT_ERR_DEF;
            break;
        case 2:
            odd.def.leg.heel_lift = -1.0;
            expected = SFT_ERR_DEF;
            break;
        case 3:
            odd.def.contact_threshold = (double)NAN;
            expected = SFT_ERR_DEF;
            break;
        case 4:
            labels.frame_count = 59;
            break;
        case 5:
            odd.legs[1].knee = odd.legs[1].hip;
            break;
        case 6:
            changed.frame_time = 0.0;
            expected = SFT_ERR_RANGE;
            break;
        case 7:
            odd.def.first_frame = -1;
            break;
        default:
            after->translations[50 * WALKER_JOINTS].x = (double)NAN;
            expected = SFT_ERR_RANGE;
        }
        assert_int_equal(sft_lock_clip(&odd.def, odd.w.skeleton, odd.legs, 2, &labels, NULL, &changed, NULL, &report),
                         expected);
        assert_memory_equal(after->rotations, s.w.clip->rotations, cells * sizeof(sft_quatd));
        assert_memory_equal(&report, &kept, sizeof kept);
    }
    sft_clip_destroy(after, NULL);
    walker_release(&s.w);
}

static void test_lock_clip__memory_that_runs_out_leaves_the_clip(void** unused)
{
    (void)unused;
    walker_def def = walker_default_def();
    def.root_scale = 1.25;
    scene s = make(&def);
    s.def.lock.unlock_distance = 0.03;
    const size_t cells = (size_t)def.frames * WALKER_JOINTS;
    for (long k = 0;; ++k)
    {
        support_heap heap = {.fail_at = k};
        const sft_allocator allocator = support_allocator(&heap);
        sft_clip* after = lock_copy(s.w.clip);
        sft_lock_clip_report report;
        const sft_result result = run(&s, &allocator, after, NULL, &report);
        if (result == SFT_OK)
        {
            assert_true(k >= 3 && report.gap_count > 0);
            assert_int_equal(heap.live_blocks, 1);
            sft_lock_clip_report_release(&report, &allocator);
        }
        else
        {
            assert_int_equal(result, SFT_ERR_MEMORY);
            assert_memory_equal(after->rotations, s.w.clip->rotations, cells * sizeof(sft_quatd));
        }
        assert_int_equal(heap.live_blocks, 0);
        sft_clip_destroy(after, NULL);
        if (result == SFT_OK) break;
    }
    walker_release(&s.w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_lock_clip__planted_toes_stand_and_nothing_steps),
        cmocka_unit_test(test_lock_clip__is_update_and_solve_frame_by_frame),
        cmocka_unit_test(test_lock_clip__touches_legs_alone),
        cmocka_unit_test(test_lock_clip__without_plants_nothing_changes),
        cmocka_unit_test(test_lock_clip__lists_where_the_foot_was_let_go),
        cmocka_unit_test(test_lock_clip__orientation_is_held_when_asked),
        cmocka_unit_test(test_lock_clip__refuses_bad_input_and_keeps_the_clip),
        cmocka_unit_test(test_lock_clip__memory_that_runs_out_leaves_the_clip),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
