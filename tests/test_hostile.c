// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// Hostile callers: nulls, counts out of range, numbers that are none anywhere in a clip, and an allocation that fails
// at every point of the whole way from text to text.

#include <math.h>

#include "sample/walker.h"
#include "support/support.h"

#define FRAMES 40

static sft_leg leg_of(int32_t hip, sft_leg_side side)
{
    sft_leg leg = {.side = side, .pelvis = 0, .hip = hip, .knee = hip + 1, .heel = hip + 2, .toe = hip + 3};
    leg.toe_end = hip + 4;
    leg.knee_side = sft_v3d_make(1, 0, 0);
    return leg;
}

// ---- the whole way, with an allocator ----

typedef struct way
{
    sft_bvh *made, *read, *slow_bvh;
    sft_skeleton* skeleton;
    sft_clip *clip, *slow;
    sft_contact_labels* labels;
    sft_cleanup_report report;
    char *text, *csv;
    size_t size, csv_size;
} way;

static const char* const feet_names[] = {"LeftToeBase", "RightToeBase"};

static sft_result solve(const sft_allocator* a, way* w)
{
    const sft_leg legs[2] = {leg_of(WALKER_LEFT_HIP, SFT_LEG_LEFT), leg_of(WALKER_RIGHT_HIP, SFT_LEG_RIGHT)};
    static sft_v3d track[7][FRAMES];
    for (int32_t k = 0; k < 3; ++k)
    {
        sft_clip_joint_track(w->skeleton, w->clip, WALKER_LEFT_HIP + 2 + k, track[k]);
        sft_clip_joint_track(w->skeleton, w->clip, WALKER_RIGHT_HIP + 2 + k, track[3 + k]);
    }
    sft_clip_joint_track(w->skeleton, w->clip, 0, track[6]);
    const sft_foot_tracks feet[2] = {{track[0], track[1], track[2]}, {track[3], track[4], track[5]}};
    const sft_contact_input input = {FRAMES, 1.0 / 60.0, 0, track[6], feet, 2, 0.9, NULL};
    const sft_contact_def contact = sft_default_contact_def();
    sft_contact_mismatch mismatch;
    sft_result r = sft_contact_labels_create(FRAMES, 2, a, &w->labels);
    if (r == SFT_OK) r = sft_contact_label(&contact, &input, a, w->labels, &mismatch);
    if (r == SFT_OK) r = sft_contact_label_plain(&contact, &input, a, w->labels);
    if (r == SFT_OK) r = sft_contact_format_csv(w->labels, 1.0 / 60.0, feet_names, a, &w->csv, &w->csv_size);
    if (r == SFT_OK) r = sft_contact_parse_csv(w->csv, w->csv_size, feet_names, a, w->labels, NULL);
    const sft_metrics_input measured = {.tracks = &input, .labels = w->labels, .contact_threshold = 0.75};
    sft_metrics_foot figures[2];
    sft_metrics_clip whole;
    if (r == SFT_OK) r = sft_metrics_measure(&measured, a, figures, &whole);
    const sft_cleanup_def def = sft_default_cleanup_def();
    if (r == SFT_OK) r = sft_cleanup_clip(&def, w->skeleton, legs, 2, w->labels, a, w->clip, NULL, &w->report);
    return r;
}

static sft_result go(const walker* source, const sft_allocator* a, way* w)
{
    sft_space space;
    sft_leg found[SFT_MAX_LEGS];
    int32_t count = 0;
    sft_result r = sft_bvh_create(source->skeleton, source->clip, a, &w->made);
    if (r == SFT_OK) r = sft_bvh_write(w->made, a, &w->text, &w->size);
    if (r == SFT_OK) r = sft_bvh_read(NULL, w->text, w->size, a, &w->read, NULL);
    if (r == SFT_OK) r = sft_bvh_to_clip(w->read, a, &w->skeleton, &w->clip);
    if (r == SFT_OK) r = sft_clip_infer_space(w->skeleton, w->clip, a, &space);
    if (r == SFT_OK) r = sft_leg_find(w->skeleton, w->clip, a, found, SFT_MAX_LEGS, &count);
    if (r == SFT_OK) r = solve(a, w);
    if (r == SFT_OK) r = sft_clip_resample(w->clip, 1.0 / 30.0, 0, a, &w->slow);
    if (r == SFT_OK) r = sft_bvh_from_clip(w->read, w->slow, NULL, a, &w->slow_bvh);
    return r;
}

static void release(const sft_allocator* a, way* w)
{
    if (w->text != NULL) a->release(a->user, w->text, w->size + 1);
    if (w->csv != NULL) a->release(a->user, w->csv, w->csv_size + 1);
    sft_bvh_destroy(w->made);
    sft_bvh_destroy(w->read);
    sft_bvh_destroy(w->slow_bvh);
    sft_clip_destroy(w->clip, a);
    sft_clip_destroy(w->slow, a);
    sft_skeleton_destroy(w->skeleton, a);
    sft_contact_labels_destroy(w->labels, a);
    sft_cleanup_report_release(&w->report, a);
}

static walker slid_walker(void)
{
    walker_def def = walker_default_def();
    def.frames = FRAMES;
    def.root_scale = 1.25;
    walker w;
    assert_int_equal(walker_create(&def, &w), SFT_OK);
    return w;
}

static void test_hostile__every_allocation_from_text_to_text_may_fail(void** state)
{
    (void)state;
    walker source = slid_walker();
    for (long at = 0;; ++at)
    {
        support_heap heap = {.fail_at = at};
        const sft_allocator a = support_allocator(&heap);
        way w = {0};
        const sft_result r = go(&source, &a, &w);
        release(&a, &w);
        assert_int_equal(heap.live_blocks, 0);
        if (r == SFT_OK)
        {
            assert_true(at > 50);
            break;
        }
        assert_int_equal(r, SFT_ERR_MEMORY);
    }
    walker_release(&source);
}

// ---- numbers that are none ----

static const double odd[] = {NAN,   INFINITY, -INFINITY, 1e308, -1e308, 1e200, -1e155, 1e100,  1e30,
                             -1e16, 1e9,      1e6,       1.1e6, 5e-324, 0.0,   -0.0,   1e-200, 1e-12};

static double any_odd(support_rng* rng)
{
    const size_t count = sizeof odd / sizeof odd[0];
    const size_t k = (size_t)support_uniform(rng, 0.0, (double)count);
    return odd[k < count ? k : 0];
}

static void spoil(support_rng* rng, sft_clip* clip, int values)
{
    const double cells = (double)clip->frame_count * (double)clip->joint_count;
    for (int i = 0; i < values; ++i)
    {
        const size_t at = (size_t)support_uniform(rng, 0.0, cells - 0.5);
        const int what = (int)support_uniform(rng, 0.0, 7.0);
        const double value = any_odd(rng);
        sft_v3d* t = &clip->translations[at];
        sft_quatd* q = &clip->rotations[at];
        double* const place[7] = {&t->x, &t->y, &t->z, &q->x, &q->y, &q->z, &q->w};
        *place[what < 7 ? what : 0] = value;
    }
    if (support_uniform(rng, 0.0, 1.0) < 0.2) clip->frame_time = any_odd(rng);
}

static bool finite_clip(const sft_clip* clip)
{
    const size_t cells = (size_t)clip->frame_count * (size_t)clip->joint_count;
    bool fine = true;
    for (size_t k = 0; k < cells; ++k)
    {
        const sft_v3d t = clip->translations[k];
        const sft_quatd q = clip->rotations[k];
        fine = fine && isfinite(t.x + t.y + t.z) && isfinite(q.x + q.y + q.z + q.w);
    }
    return fine;
}

static bool answer(sft_result r)
{
    return r == SFT_OK || r == SFT_ERR_ARG || r == SFT_ERR_RANGE || r == SFT_ERR_LIMIT || r == SFT_ERR_UNSUPPORTED;
}

static void test_hostile__any_number_in_a_clip_gets_an_answer(void** state)
{
    (void)state;
    support_rng rng = {20240611};
    for (int round = 0; round < 300; ++round)
    {
        walker w = slid_walker();
        spoil(&rng, w.clip, 1 + round % 40);
        char reason[128];
        const int32_t first = sft_clip_first_frame(w.skeleton, w.clip, reason);
        assert_in_range(first, 0, 1);
        assert_in_range(sft_clip_travel_joint(w.skeleton, w.clip, first), 0, WALKER_JOINTS - 1);
        sft_space space;
        assert_true(answer(sft_clip_infer_space(w.skeleton, w.clip, NULL, &space)));
        sft_leg legs[SFT_MAX_LEGS];
        int32_t count = 0;
        assert_true(answer(sft_leg_find(w.skeleton, w.clip, NULL, legs, SFT_MAX_LEGS, &count)));
        for (int32_t i = 0; i < count; ++i)
            assert_in_range(legs[i].pelvis, 0, WALKER_JOINTS - 1);
        sft_clip* other = NULL;
        // A frame time of years is many frames at any usual rate, which the caller then gets.
        if (!(w.clip->frame_time > 1.0 && w.clip->frame_time < 1e30) &&
            sft_clip_resample(w.clip, 1.0 / 47.0, first, NULL, &other) == SFT_OK)
        {
            sft_bvh* bvh = NULL;
            const sft_result r = sft_bvh_create(w.skeleton, other, NULL, &bvh);
            assert_true(answer(r));
            if (!finite_clip(other)) assert_int_not_equal(r, SFT_OK);
            sft_bvh_destroy(bvh);
        }
        sft_clip_destroy(other, NULL);
        const sft_leg both[2] = {leg_of(WALKER_LEFT_HIP, SFT_LEG_LEFT), leg_of(WALKER_RIGHT_HIP, SFT_LEG_RIGHT)};
        const sft_cleanup_def def = sft_default_cleanup_def();
        const sft_result r = sft_cleanup_clip(&def, w.skeleton, both, 2, &w.labels, NULL, w.clip, NULL, NULL);
        assert_true(answer(r));
        if (r == SFT_OK) assert_true(finite_clip(w.clip));
        walker_release(&w);
    }
}

// ---- nulls and counts ----

static void test_hostile__nulls_are_refused(void** state)
{
    (void)state;
    walker w = slid_walker();
    sft_clip* clip = NULL;
    sft_skeleton* skeleton = NULL;
    sft_bvh* bvh = NULL;
    sft_space space;
    int32_t count = 0;
    char* text = NULL;
    size_t size = 0;
    sft_contact_labels* labels = NULL;
    support_heap heap = {.fail_at = 0};
    const sft_allocator none = support_allocator(&heap); // sizes may wrap before they reach an allocator
    assert_int_equal(sft_clip_create(0, 1, 0.1, NULL, NULL), SFT_ERR_ARG);
    assert_int_not_equal(sft_clip_create(-1, 1, 0.1, NULL, &clip), SFT_OK);
    assert_int_not_equal(sft_clip_create(1, -1, 0.1, NULL, &clip), SFT_OK);
    assert_int_not_equal(sft_clip_create(1, 1, NAN, NULL, &clip), SFT_OK);
    assert_int_not_equal(sft_clip_create(65536, INT32_MAX, 0.1, &none, &clip), SFT_OK);
    assert_null(clip);
    assert_int_equal(sft_skeleton_create(NULL, NULL, &skeleton), SFT_ERR_ARG);
    assert_int_equal(sft_skeleton_create(w.skeleton, NULL, NULL), SFT_ERR_ARG);
    assert_int_equal(sft_clip_infer_space(NULL, w.clip, NULL, &space), SFT_ERR_ARG);
    assert_int_equal(sft_clip_infer_space(w.skeleton, w.clip, NULL, NULL), SFT_ERR_ARG);
    assert_int_equal(sft_clip_rescale(NULL, w.clip, &space), SFT_ERR_ARG);
    assert_int_equal(sft_leg_find(NULL, w.clip, NULL, NULL, 0, &count), SFT_ERR_ARG);
    assert_int_equal(sft_leg_find(w.skeleton, w.clip, NULL, NULL, 3, &count), SFT_ERR_ARG);
    assert_int_equal(sft_bvh_read(NULL, NULL, 5, NULL, &bvh, NULL), SFT_ERR_ARG);
    assert_int_equal(sft_bvh_read(NULL, "", 0, NULL, NULL, NULL), SFT_ERR_ARG);
    assert_int_equal(sft_bvh_read(&(sft_bvh_read_def){0}, "", 0, NULL, &bvh, NULL), SFT_ERR_DEF);
    assert_int_equal(sft_bvh_to_clip(NULL, NULL, &skeleton, &clip), SFT_ERR_ARG);
    assert_int_equal(sft_bvh_apply(NULL, w.clip, NULL, NULL, NULL, NULL), SFT_ERR_ARG);
    assert_int_equal(sft_bvh_slice(NULL, 0, 1, NULL, &bvh), SFT_ERR_ARG);
    assert_int_equal(sft_bvh_from_clip(NULL, w.clip, NULL, NULL, &bvh), SFT_ERR_ARG);
    assert_int_equal(sft_bvh_create(w.skeleton, NULL, NULL, &bvh), SFT_ERR_ARG);
    assert_int_equal(sft_bvh_write(NULL, NULL, &text, &size), SFT_ERR_ARG);
    assert_int_equal(sft_contact_labels_create(-1, 1, NULL, &labels), SFT_ERR_ARG);
    assert_int_not_equal(sft_contact_labels_create(INT32_MAX, INT32_MAX, &none, &labels), SFT_OK);
    assert_int_equal(sft_contact_label(NULL, NULL, NULL, NULL, NULL), SFT_ERR_ARG);
    assert_int_equal(sft_contact_label_plain(NULL, NULL, NULL, NULL), SFT_ERR_ARG);
    assert_int_equal(sft_contact_format_csv(NULL, 0.1, NULL, NULL, &text, &size), SFT_ERR_ARG);
    assert_int_equal(sft_contact_parse_csv(NULL, 0, NULL, NULL, NULL, NULL), SFT_ERR_ARG);
    assert_int_equal(sft_metrics_measure(NULL, NULL, NULL, NULL), SFT_ERR_ARG);
    assert_int_equal(sft_cleanup_clip(NULL, NULL, NULL, 0, NULL, NULL, NULL, NULL, NULL), SFT_ERR_ARG);
    assert_int_equal(sft_leg_solve(NULL, NULL, sft_v3d_make(0, 0, 0), NULL, NULL), SFT_ERR_ARG);
    assert_int_equal(sft_leg_two_bone(NULL, sft_v3d_make(0, 0, 0), sft_v3d_make(0, 0, 0), 1.0, 0.0), SFT_ERR_ARG);
    assert_int_equal(sft_leg_pose_read(NULL, NULL, NULL, NULL, NULL), SFT_ERR_ARG);
    assert_int_equal(sft_leg_pose_write(NULL, NULL, NULL, NULL), SFT_ERR_ARG);
    assert_int_equal(sft_file_read(NULL, 10, NULL, NULL, NULL, NULL), SFT_ERR_ARG);
    assert_int_equal(sft_file_write(NULL, "", 0, NULL), SFT_ERR_ARG);
    assert_non_null(sft_result_string((sft_result)12345));
    sft_bvh_destroy(NULL);
    sft_clip_destroy(NULL, NULL);
    sft_skeleton_destroy(NULL, NULL);
    sft_contact_labels_destroy(NULL, NULL);
    sft_cleanup_report_release(NULL, NULL);
    assert_null(bvh);
    assert_null(skeleton);
    assert_null(labels);
    assert_null(text);
    walker_release(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_hostile__every_allocation_from_text_to_text_may_fail),
        cmocka_unit_test(test_hostile__any_number_in_a_clip_gets_an_answer),
        cmocka_unit_test(test_hostile__nulls_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
