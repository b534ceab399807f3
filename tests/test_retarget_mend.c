// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

#include "sample/walker.h"
#include "support/reshaped.h"

static const reshape SHAPES[] = {
    {0.8, 1.0, 1.0, 1.0, 1.0, 1.0},
    {1.0, 1.15, 0.85, 1.25, 1.2, 1.0},
    {1.0, 0.85, 1.15, 0.8, 0.8, 1.0},
};

static walk made_walk(walker* made, bool treadmill)
{
    walker_def def = walker_default_def();
    def.treadmill = treadmill;
    assert_int_equal(walker_create(&def, made), SFT_OK);
    walk w = {.skeleton = made->skeleton, .clip = made->clip, .labels = &made->labels, .first = made->first_frame};
    assert_int_equal(sft_leg_find(w.skeleton, w.clip, NULL, w.legs, SFT_MAX_LEGS, &w.leg_count), SFT_OK);
    assert_int_equal(w.leg_count, 2);
    return w;
}

static sft_mend_def def_of(const reshaped* r)
{
    sft_mend_def def = sft_default_mend_def();
    def.scale = r->scale;
    def.source_ground = r->source_ground;
    def.first_frame = r->source->first;
    return def;
}

static sft_mend_input input_of(const reshaped* r)
{
    return (sft_mend_input){
        .rigs = {&r->source_rig, &r->target_rig}, .source_clip = r->source->clip, .labels = r->source->labels};
}

static void assert_same_clip(const sft_clip* a, const sft_clip* b)
{
    const size_t cells = (size_t)a->joint_count * (size_t)a->frame_count;
    assert_memory_equal(a->translations, b->translations, cells * sizeof *a->translations);
    assert_memory_equal(a->rotations, b->rotations, cells * sizeof *a->rotations);
}

static void assert_below(const char* what, double value, double limit)
{
    if (!(value <= limit)) fail_msg("%s is %g, more than %g", what, value, limit);
}

// Mends a reshaped walk; what it says of itself must agree with what is measured.
static stand mended(const walk* w, const reshape* shape, sft_v3d ground_velocity)
{
    reshaped r;
    reshape_walk(w, shape, -1, &r);
    sft_clip* before = support_copy_clip(r.clip);
    sft_mend_def def = def_of(&r);
    const sft_mend_input in = input_of(&r);
    def.ground_velocity = ground_velocity;
    sft_mend_report report;
    assert_int_equal(sft_retarget_mend(&def, &in, NULL, r.clip, NULL, &report), SFT_OK);
    const stand s = reshape_measure(&r, before, r.clip, sft_v3d_scale(r.scale, ground_velocity));
    assert_int_equal(report.miss_count, 0);
    assert_true(report.plant_count > 1);
    assert_below("residual", report.residual_m, 1e-5);
    sft_mend_report_release(&report, NULL);
    sft_clip_destroy(before, NULL);
    reshape_release(&r);
    return s;
}

// `off`: [cm] how far a planted sole may be off the source's height, scaled. 0.2 of it is the clearance that floors
// have.
static void assert_stands(const stand* s, double off, double sunk)
{
    assert_below("slide [cm/s]", s->slide_max, 0.01);
    assert_below("planted sole off its height [cm]", s->off_max, off);
    assert_below("sunk [cm]", s->sunk_max, sunk);
    assert_below("hip p99", s->hip_p99, 1.2);
    assert_below("knee p99", s->knee_p99, 1.2);
    assert_below("heel p99", s->heel_p99, 1.2);
    assert_below("hip p99.9", s->hip_p999, 1.5);
    assert_below("knee p99.9", s->knee_p999, 1.5);
    assert_below("heel p99.9", s->heel_p999, 1.5);
    assert_below("pelvis p99", s->pelvis_p99, 1.5);
}

static void test_retarget_mend__a_made_walk_stands_on_other_proportions(void** state)
{
    (void)state;
    for (size_t k = 0; k < 3; ++k)
    {
        walker made;
        const walk w = made_walk(&made, false);
        const stand s = mended(&w, SHAPES + k, sft_v3d_make(0, 0, 0));
        assert_stands(&s, 0.25, 0.15);
        walker_release(&made);
    }
}

// Planted feet ride the source's own belt, scaled, though strides on other legs would tread another; the hips stay.
static void test_retarget_mend__a_treadmill_walk_rides_a_belt_and_stays_on_the_spot(void** state)
{
    (void)state;
    for (size_t k = 0; k < 3; ++k)
    {
        walker made;
        const walk w = made_walk(&made, true);
        reshaped r;
        reshape_walk(&w, SHAPES + k, -1, &r);
        sft_clip* before = support_copy_clip(r.clip);
        sft_mend_def def = def_of(&r);
        def.ground_velocity = made.ground_velocity;
        const sft_mend_input in = input_of(&r);
        assert_int_equal(sft_retarget_mend(&def, &in, NULL, r.clip, NULL, NULL), SFT_OK);
        const stand s = reshape_measure(&r, before, r.clip, sft_v3d_scale(r.scale, made.ground_velocity));
        assert_stands(&s, 0.25, 0.15);
        const int32_t last = w.clip->frame_count - 1;
        const sft_v3d d = sft_v3d_sub(r.clip->translations[(size_t)last * (size_t)r.clip->joint_count],
                                      before->translations[(size_t)last * (size_t)r.clip->joint_count]);
        assert_below("drift [m]", sft_v3d_length(d), 0.02);
        sft_clip_destroy(before, NULL);
        reshape_release(&r);
        walker_release(&made);
    }
}

static void test_retarget_mend__real_walks_stand_on_other_proportions(void** state)
{
    (void)state;
    static const char* const NAMES[] = {"xia_neutral_01_000", "xia_strutting_01_000", "xia_angry_13_000",
                                        "mixamo_names_69f", "fair_zombie_walk"};
    bool any = false;
    for (size_t n = 0; n < sizeof NAMES / sizeof *NAMES; ++n)
    {
        walk w;
        if (!walk_load(NAMES[n], &w)) continue;
        any = true;
        for (size_t k = 0; k < 3; ++k)
        {
            const stand s = mended(&w, SHAPES + k, sft_v3d_make(0, 0, 0));
            // The zombie drags its feet: soles rise and sink by 1.5 cm within its plants, and a plant has one height.
            assert_stands(&s, strcmp(NAMES[n], "fair_zombie_walk") == 0 ? 1.6 : 0.5, 0.5);
        }
        walk_release(&w);
    }
    if (!any) skip();
}

// The same figure, standing already: what changes is a few millimetres, where heels graze the ground.
static void test_retarget_mend__what_stands_stays(void** state)
{
    (void)state;
    walker made;
    const walk w = made_walk(&made, false);
    const reshape same = {1, 1, 1, 1, 1, 1};
    reshaped r;
    reshape_walk(&w, &same, -1, &r);
    sft_clip* before = support_copy_clip(r.clip);
    const sft_mend_def def = def_of(&r);
    const sft_mend_input in = input_of(&r);
    sft_mend_report report;
    assert_int_equal(sft_retarget_mend(&def, &in, NULL, r.clip, NULL, &report), SFT_OK);
    for (int k = 0; k < 4; ++k)
        assert_below("turn", report.limb_turn_max[k], 3e-3);
    assert_below("pelvis", report.pelvis_shift_max, 4e-3);
    sft_mend_report_release(&report, NULL);
    sft_clip_destroy(before, NULL);
    reshape_release(&r);
    walker_release(&made);
}

static void test_retarget_mend__nothing_planted_changes_nothing(void** state)
{
    (void)state;
    walker made;
    walk w = made_walk(&made, false);
    const size_t both = 2 * (size_t)w.clip->frame_count;
    float* none = calloc(both, sizeof *none);
    sft_contact_labels labels = {w.clip->frame_count, 2, none, none};
    reshaped r;
    reshape_walk(&w, SHAPES, -1, &r);
    sft_clip* before = support_copy_clip(r.clip);
    const sft_mend_def def = def_of(&r);
    sft_mend_input in = input_of(&r);
    in.labels = &labels;
    sft_mend_report report;
    assert_int_equal(sft_retarget_mend(&def, &in, NULL, r.clip, NULL, &report), SFT_OK);
    assert_int_equal(report.plant_count, 0);
    assert_below("pelvis", report.pelvis_shift_max, 4e-3);
    sft_mend_report_release(&report, NULL);
    sft_clip_destroy(before, NULL);
    reshape_release(&r);
    walker_release(&made);
    free(none);
}

static void test_retarget_mend__bad_input_is_refused_and_the_clip_kept(void** state)
{
    (void)state;
    walker made;
    const walk w = made_walk(&made, false);
    reshaped r;
    reshape_walk(&w, SHAPES, -1, &r);
    sft_clip* before = support_copy_clip(r.clip);
    const sft_mend_def good = def_of(&r);
    const sft_mend_input in = input_of(&r);
    sft_mend_def def = good;
    assert_int_equal(sft_retarget_mend(NULL, &in, NULL, r.clip, NULL, NULL), SFT_ERR_ARG);
    assert_int_equal(sft_retarget_mend(&def, NULL, NULL, r.clip, NULL, NULL), SFT_ERR_ARG);
    assert_int_equal(sft_retarget_mend(&def, &in, NULL, NULL, NULL, NULL), SFT_ERR_ARG);
    def.cookie = 0;
    assert_int_equal(sft_retarget_mend(&def, &in, NULL, r.clip, NULL, NULL), SFT_ERR_DEF);
    def = good;
    def.ground = NAN;
    assert_int_equal(sft_retarget_mend(&def, &in, NULL, r.clip, NULL, NULL), SFT_ERR_DEF);
    def = good;
    def.scale = 0.0; // and no map that says one
    assert_int_equal(sft_retarget_mend(&def, &in, NULL, r.clip, NULL, NULL), SFT_ERR_ARG);
    def = good;
    def.unreachable = (sft_unreachable)7;
    assert_int_equal(sft_retarget_mend(&def, &in, NULL, r.clip, NULL, NULL), SFT_ERR_DEF);
    def = good;
    def.goal_count = 1;
    assert_int_equal(sft_retarget_mend(&def, &in, NULL, r.clip, NULL, NULL), SFT_ERR_ARG);
    sft_touch_goal goal = {.joint = 3, .other = -1, .first = 0, .last = w.clip->frame_count};
    def.goals = &goal;
    assert_int_equal(sft_retarget_mend(&def, &in, NULL, r.clip, NULL, NULL), SFT_ERR_ARG);
    goal.last = 5;
    goal.offset.x = NAN;
    assert_int_equal(sft_retarget_mend(&def, &in, NULL, r.clip, NULL, NULL), SFT_ERR_RANGE);
    sft_mend_input bad = in;
    bad.labels = NULL;
    assert_int_equal(sft_retarget_mend(&good, &bad, NULL, r.clip, NULL, NULL), SFT_ERR_ARG);
    sft_contact_labels labels = *w.labels;
    labels.foot_count = 1;
    bad.labels = &labels;
    assert_int_equal(sft_retarget_mend(&good, &bad, NULL, r.clip, NULL, NULL), SFT_ERR_ARG);
    assert_same_clip(r.clip, before);
    r.clip->translations[17].y = NAN;
    assert_int_equal(sft_retarget_mend(&good, &in, NULL, r.clip, NULL, NULL), SFT_ERR_RANGE);
    sft_clip_destroy(before, NULL);
    reshape_release(&r);
    walker_release(&made);
}

static void test_retarget_mend__every_failing_allocation_leaves_the_clip(void** state)
{
    (void)state;
    walker made;
    const walk w = made_walk(&made, false);
    reshaped r;
    reshape_walk(&w, SHAPES + 1, -1, &r);
    sft_clip* before = support_copy_clip(r.clip);
    const sft_mend_def def = def_of(&r);
    const sft_mend_input in = input_of(&r);
    sft_result result = SFT_ERR_MEMORY;
    for (long k = 0; result == SFT_ERR_MEMORY; ++k)
    {
        support_heap heap = {.fail_at = k};
        const sft_allocator allocator = support_allocator(&heap);
        sft_mend_report report = {0};
        result = sft_retarget_mend(&def, &in, &allocator, r.clip, NULL, &report);
        if (result == SFT_ERR_MEMORY) assert_same_clip(r.clip, before);
        if (result == SFT_OK) assert_true(k > 5);
        sft_mend_report_release(&report, &allocator);
        assert_int_equal(heap.live_blocks, 0);
    }
    assert_int_equal(result, SFT_OK);
    sft_clip_destroy(before, NULL);
    reshape_release(&r);
    walker_release(&made);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_retarget_mend__a_made_walk_stands_on_other_proportions),
        cmocka_unit_test(test_retarget_mend__a_treadmill_walk_rides_a_belt_and_stays_on_the_spot),
        cmocka_unit_test(test_retarget_mend__real_walks_stand_on_other_proportions),
        cmocka_unit_test(test_retarget_mend__what_stands_stays),
        cmocka_unit_test(test_retarget_mend__nothing_planted_changes_nothing),
        cmocka_unit_test(test_retarget_mend__bad_input_is_refused_and_the_clip_kept),
        cmocka_unit_test(test_retarget_mend__every_failing_allocation_leaves_the_clip),
    };
    return cmocka_run_group_tests_name("test_retarget_mend", tests, NULL, NULL);
}
