// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// Where mended figures stand and go: feet off the ground between plants, clips on the spot that stay there, cycles that
// close, hovering feet that come down, paths that keep their length.

#include "sample/walker.h"
#include "support/reshaped.h"

static const reshape LONG_FEET = {1.0, 1.15, 0.85, 1.25, 1.2, 1.0}, SHORT_LEGS = {1.0, 0.7, 0.7, 1.3, 1.6, 1.0};

typedef struct scene
{
    walker made;
    walk w;
    reshaped r;
    sft_clip* before;
    sft_mend_report report;
} scene;

static void build(scene* s, const walker_def* how, const reshape* shape)
{
    memset(s, 0, sizeof *s);
    assert_int_equal(walker_create(how, &s->made), SFT_OK);
    s->w = (walk){
        .skeleton = s->made.skeleton, .clip = s->made.clip, .labels = &s->made.labels, .first = s->made.first_frame};
    assert_int_equal(sft_leg_find(s->w.skeleton, s->w.clip, NULL, s->w.legs, SFT_MAX_LEGS, &s->w.leg_count), SFT_OK);
    reshape_walk(&s->w, shape, -1, &s->r);
}

static void mend(scene* s, sft_v3d ground_velocity)
{
    walk moved = s->w;
    moved.clip = s->r.clip;
    s->before = walk_copy(&moved);
    sft_mend_def def = sft_default_mend_def();
    def.scale = s->r.scale;
    def.source_ground = s->r.source_ground;
    def.first_frame = s->w.first;
    def.ground_velocity = ground_velocity;
    const sft_mend_input in = {
        .rigs = {&s->r.source_rig, &s->r.target_rig}, .source_clip = s->w.clip, .labels = s->w.labels};
    assert_int_equal(sft_retarget_mend(&def, &in, NULL, s->r.clip, NULL, &s->report), SFT_OK);
}

static void drop(scene* s)
{
    sft_mend_report_release(&s->report, NULL);
    sft_clip_destroy(s->before, NULL);
    reshape_release(&s->r);
    walker_release(&s->made);
}

static sft_v3d hips_at(const sft_clip* clip, int32_t frame)
{
    return clip->translations[(size_t)frame * (size_t)clip->joint_count + WALKER_HIPS];
}

static void assert_below(const char* what, double value, double limit)
{
    if (!(value <= limit)) fail_msg("%s is %g, more than %g", what, value, limit);
}

// Long feet on a figure that is carried 3 cm too low wherever nothing is planted: nobody asks for its height there, so
// only the floors can.
static void test_retarget_mend__feet_between_plants_come_off_the_ground(void** state)
{
    (void)state;
    const walker_def how = walker_default_def();
    scene s;
    build(&s, &how, &LONG_FEET);
    const int32_t n = s.w.clip->frame_count;
    for (int32_t l = 0; l < 2; ++l)
        for (int32_t i = 0; i < n; ++i)
            if (i < 40 || i >= n - 40) s.made.labels.plant[(size_t)l * (size_t)n + (size_t)i] = 0.0f;
    mend(&s, sft_v3d_make(0, 0, 0));
    const stand m = reshape_measure(&s.r, s.before, s.r.clip, sft_v3d_make(0, 0, 0));
    // 3 mm of the 2 mm by which floors lie over the soles may be missing.
    assert_below("sunk [cm]", m.sunk_max, 0.11);
    assert_below("slide [cm/s]", m.slide_max, 0.01);
    assert_below("knee p99", m.knee_p99, 1.3);
    drop(&s);
}

// Strides of a second at 60 frames a second, three of them and the first frame again.
static walker_def on_the_spot(void)
{
    walker_def how = walker_default_def();
    how.treadmill = true;
    how.frames = 181;
    return how;
}

static void test_retarget_mend__a_cycle_on_the_spot_meets_its_first_frame_and_stays(void** state)
{
    (void)state;
    const walker_def how = on_the_spot();
    const reshape* const shapes[2] = {&LONG_FEET, &SHORT_LEGS};
    for (int k = 0; k < 2; ++k)
    {
        scene s;
        build(&s, &how, shapes[k]);
        assert_true(fabs(s.made.stride_time - 1.0) < 1e-12);
        mend(&s, s.made.ground_velocity);
        const int32_t joints = s.r.clip->joint_count, last = s.r.clip->frame_count - 1;
        for (int32_t j = 0; j < joints; ++j)
        {
            const size_t at = (size_t)last * (size_t)joints + (size_t)j;
            assert_below("turn", 1.0 - fabs(sft_quatd_dot(s.r.clip->rotations[j], s.r.clip->rotations[at])), 1e-12);
            assert_below("place [m]", sft_v3d_distance(s.r.clip->translations[j], s.r.clip->translations[at]), 1e-9);
        }
        for (int32_t i = 0; i <= last; ++i)
        {
            const sft_v3d d = sft_v3d_sub(hips_at(s.r.clip, i), hips_at(s.before, i));
            assert_below("off the spot [m]", sft_v3d_length(sft_v3d_make(d.x, 0.0, d.z)), 0.05);
        }
        drop(&s);
    }
}

// Where feet keep no one speed, nobody says that the ground moves. The walk still stays, on what its feet tread: the
// speed of the walker, scaled.
static void test_retarget_mend__a_walk_on_the_spot_stays_there_untold(void** state)
{
    (void)state;
    const walker_def how = on_the_spot();
    scene s;
    build(&s, &how, &LONG_FEET);
    mend(&s, sft_v3d_make(0, 0, 0));
    const sft_v3d v = s.report.ground_velocity, given = sft_v3d_scale(s.r.scale, s.made.ground_velocity);
    assert_below("speed of the ground off [m/s]", sft_v3d_distance(v, given), 0.06 * sft_v3d_length(given));
    for (int32_t i = 0; i < s.r.clip->frame_count; ++i)
    {
        const sft_v3d d = sft_v3d_sub(hips_at(s.r.clip, i), hips_at(s.before, i));
        assert_below("off the spot [m]", sft_v3d_length(sft_v3d_make(d.x, 0.0, d.z)), 0.05);
    }
    const stand m = reshape_measure(&s.r, s.before, s.r.clip, v);
    assert_below("slide [cm/s]", m.slide_max, 0.01);
    drop(&s);
}

// A walk that gets somewhere gets as far, scaled, though shorter legs with longer feet would take it elsewhere.
static void test_retarget_mend__a_walk_goes_as_far_as_it_was_moved(void** state)
{
    (void)state;
    walker_def how = walker_default_def();
    how.frames = 360;
    scene s;
    build(&s, &how, &SHORT_LEGS);
    mend(&s, sft_v3d_make(0, 0, 0));
    const int32_t last = s.r.clip->frame_count - 1;
    const double wanted = s.r.scale * how.speed * (double)last / how.fps;
    const double got = hips_at(s.r.clip, last).z - hips_at(s.r.clip, 0).z;
    assert_below("way [m]", fabs(got - wanted), 0.05 * wanted);
    assert_below("standing ground [m/s]", sft_v3d_length(s.report.ground_velocity), 0.0);
    drop(&s);
}

// Nothing about a way depends on how large who goes it is: a child of two fifths goes the same way, two fifths as far.
// Off by clearances in millimetres and no more; 7 cm, scaled up, when the way's hold was by the metre.
static void test_retarget_mend__a_small_figure_goes_the_way_of_a_large_one(void** state)
{
    (void)state;
    walker_def how = walker_default_def();
    how.frames = 240;
    scene large, small;
    build(&large, &how, &SHORT_LEGS);
    build(&small, &how, &(reshape){0.4, 0.7, 0.7, 1.3, 1.6, 1.0});
    mend(&large, sft_v3d_make(0, 0, 0));
    mend(&small, sft_v3d_make(0, 0, 0));
    for (int32_t i = 0; i < how.frames; ++i)
    {
        const sft_v3d a = hips_at(large.r.clip, i), b = sft_v3d_scale(2.5, hips_at(small.r.clip, i));
        assert_below("off the other's way [m]", sft_v3d_length(sft_v3d_make(a.x - b.x, 0.0, a.z - b.z)), 0.02);
        assert_below("off the other's height [m]", fabs(a.y - b.y), 0.02);
    }
    drop(&large);
    drop(&small);
}

// A foot that is planted by its labels and hovers for two seconds by the pose comes down to the height that is asked
// for, though floors are asked for too.
static void test_cleanup__a_hovering_plant_comes_down_to_the_height_asked_for(void** state)
{
    (void)state;
    walker_def how = walker_default_def();
    how.start = 0.28; // left foot flat, right in mid-swing
    scene s;
    build(&s, &how, &(reshape){1, 1, 1, 1, 1, 1});
    const walker_foot flat = walker_foot_at(&how, 0, 0.0), up = walker_foot_at(&how, 1, 0.0);
    assert_true(up.toe.y - flat.toe.y > 0.03 && up.toe_end.y - flat.toe_end.y > 0.03);
    const int32_t n = s.w.clip->frame_count, joints = s.w.clip->joint_count;
    for (int32_t i = 1; i < n; ++i)
        for (int32_t j = 0; j < joints; ++j)
        {
            s.w.clip->translations[(size_t)i * (size_t)joints + (size_t)j] = s.w.clip->translations[j];
            s.w.clip->rotations[(size_t)i * (size_t)joints + (size_t)j] = s.w.clip->rotations[j];
        }
    double *heights = calloc((size_t)(2 * n), sizeof *heights), *floors = calloc((size_t)(6 * n), sizeof *floors);
    for (int32_t k = 0; k < 2 * n; ++k)
    {
        heights[k] = flat.toe.y;
        s.made.labels.plant[k] = 1.0f;
    }
    for (int32_t k = 0; k < 6 * n; ++k)
        floors[k] = k / n % 3 == 0 ? flat.heel.y : k / n % 3 == 1 ? flat.toe.y : flat.toe_end.y;
    sft_cleanup_def def = sft_default_cleanup_def();
    def.plant_heights = heights;
    def.floors = floors;
    assert_int_equal(sft_cleanup_clip(&def, s.w.skeleton, s.w.legs, 2, s.w.labels, NULL, s.w.clip, NULL, NULL), SFT_OK);
    sft_v3d* track = calloc((size_t)n, sizeof *track);
    for (int l = 0; l < 2; ++l)
    {
        sft_clip_joint_track(s.w.skeleton, s.w.clip, s.w.legs[l].toe, track);
        for (int32_t i = 0; i < n; ++i)
            assert_below("toe off its height [m]", fabs(track[i].y - flat.toe.y), 0.01); // heights give way a little
    }
    free(track);
    free(floors);
    free(heights);
    drop(&s);
}

// Toes point down by up to `most` rad over a part of the stride; with `stands` the body rises so that tips stay where
// they are.
static void point_toes_down(const walk* w, const walker* made, double from, double length, double most, bool stands)
{
    const double stride = made->stride_time / w->clip->frame_time;
    const double toes = sft_v3d_length(w->skeleton->rest_translations[w->legs[0].toe_end]);
    for (int32_t i = 0; i < w->clip->frame_count; ++i)
        for (int32_t l = 0; l < 2; ++l)
        {
            const size_t row = (size_t)i * (size_t)w->clip->joint_count;
            const double phase = (double)i / stride + 0.5 * l, x = (phase - floor(phase) - from) / length;
            if (!(x > 0.0 && x < 1.0)) continue;
            sft_quatd* r = w->clip->rotations + row + w->legs[l].toe;
            const double angle = most * 64.0 * x * x * x * (1.0 - x) * (1.0 - x) * (1.0 - x);
            *r = sft_quatd_mul(*r, sft_quatd_exp(sft_v3d_make(angle, 0, 0)));
            if (stands) w->clip->translations[row + WALKER_HIPS].y += toes * sin(angle);
        }
}

// Of all frames, or of those that `plant` (may be null) says.
static double lowest_tip(const sft_skeleton* s, const sft_clip* clip, const sft_leg* leg, const float* plant)
{
    double lowest = INFINITY;
    for (int32_t i = 0; i < clip->frame_count; ++i)
    {
        if (plant && !(plant[i] > 0.5f)) continue;
        const size_t at = (size_t)i * (size_t)clip->joint_count;
        const sft_xformd x = sft_skeleton_joint_model(s, clip->translations + at, clip->rotations + at, leg->toe_end);
        lowest = sft_mind(lowest, x.t.y);
    }
    return lowest;
}

// Tips dip into the ground where toes leave it, as those of captures do whose places are guessed. Toes of a target that
// can turn need not follow.
static void test_retarget_mend__tips_that_dip_turn_up(void** state)
{
    (void)state;
    const walker_def how = walker_default_def();
    scene s;
    memset(&s, 0, sizeof s);
    assert_int_equal(walker_create(&how, &s.made), SFT_OK);
    s.w =
        (walk){.skeleton = s.made.skeleton, .clip = s.made.clip, .labels = &s.made.labels, .first = s.made.first_frame};
    assert_int_equal(sft_leg_find(s.w.skeleton, s.w.clip, NULL, s.w.legs, SFT_MAX_LEGS, &s.w.leg_count), SFT_OK);
    const double level = lowest_tip(s.w.skeleton, s.w.clip, s.w.legs, NULL);
    point_toes_down(&s.w, &s.made, 0.56, 0.16, 1.5, false);
    reshape_walk(&s.w, &LONG_FEET, -1, &s.r);
    for (int32_t l = 0; l < 2; ++l)
        assert_true(lowest_tip(s.w.skeleton, s.w.clip, s.w.legs + l, NULL) < level - 0.02);
    mend(&s, sft_v3d_make(0, 0, 0));
    for (int32_t l = 0; l < 2; ++l)
    {
        const double tip = s.r.target_pose[s.r.legs[l].toe_end].t.y, heel = s.r.target_pose[s.r.legs[l].heel].t.y;
        const double toe = s.r.target_pose[s.r.legs[l].toe].t.y, low = sft_mind(tip, sft_mind(toe, heel));
        assert_below("tip in the ground [m]", tip - low - lowest_tip(s.r.skeleton, s.r.clip, s.r.legs + l, NULL),
                     0.003);
    }
    drop(&s);
}

// A clip onto its own figure that goes over its tips before its plants end, which the clean-up keeps on one height:
// their tips, 2 cm below the toes, would be in the ground. They turn up.
static void test_retarget_mend__own_tips_stay_out_of_the_ground(void** state)
{
    (void)state;
    const walker_def how = walker_default_def();
    scene s;
    build(&s, &how, &(reshape){1, 1, 1, 1, 1, 1});
    const double level = lowest_tip(s.w.skeleton, s.w.clip, s.w.legs, NULL);
    point_toes_down(&s.w, &s.made, 0.42, 0.3, 0.5, true);
    point_toes_down(&s.w, &s.made, 0.6, 0.16, 1.5, false);
    const sft_mend_input in = {
        .rigs = {&s.r.source_rig, &s.r.source_rig}, .source_clip = s.w.clip, .labels = s.w.labels};
    sft_clip *mended = walk_copy(&s.w), *cleaned = walk_copy(&s.w);
    sft_mend_def def = sft_default_mend_def();
    def.scale = 1.0;
    def.source_ground = def.ground = s.r.source_ground;
    assert_int_equal(sft_retarget_mend(&def, &in, NULL, mended, NULL, &s.report), SFT_OK);
    const sft_cleanup_def clean = sft_default_cleanup_def();
    assert_int_equal(
        sft_cleanup_clip(&clean, s.w.skeleton, s.w.legs, s.w.leg_count, s.w.labels, NULL, cleaned, NULL, NULL), SFT_OK);
    for (int32_t l = 0; l < 2; ++l)
    {
        const float* plant = s.w.labels->plant + (size_t)l * (size_t)s.w.clip->frame_count;
        assert_below("tip in the ground [m]", level - lowest_tip(s.w.skeleton, s.w.clip, s.w.legs + l, plant), 0.001);
        assert_true(lowest_tip(s.w.skeleton, cleaned, s.w.legs + l, plant) < level - 0.01);
        assert_below("tip in the ground [m]", level - lowest_tip(s.w.skeleton, mended, s.w.legs + l, plant), 0.003);
    }
    sft_clip_destroy(mended, NULL);
    sft_clip_destroy(cleaned, NULL);
    drop(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_retarget_mend__tips_that_dip_turn_up),
        cmocka_unit_test(test_retarget_mend__own_tips_stay_out_of_the_ground),
        cmocka_unit_test(test_retarget_mend__feet_between_plants_come_off_the_ground),
        cmocka_unit_test(test_retarget_mend__a_cycle_on_the_spot_meets_its_first_frame_and_stays),
        cmocka_unit_test(test_retarget_mend__a_walk_on_the_spot_stays_there_untold),
        cmocka_unit_test(test_retarget_mend__a_walk_goes_as_far_as_it_was_moved),
        cmocka_unit_test(test_retarget_mend__a_small_figure_goes_the_way_of_a_large_one),
        cmocka_unit_test(test_cleanup__a_hovering_plant_comes_down_to_the_height_asked_for),
    };
    return cmocka_run_group_tests_name("test_retarget_mend_ground", tests, NULL, NULL);
}
