// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// Swings over edges and out of reach, and feet that are walked on their tips.

#include "sample/walker.h"
#include "support/grounds.h"
#include "support/walks.h"

static walk walk_of(const walker_def* def, walker* made)
{
    assert_int_equal(walker_create(def, made), SFT_OK);
    walk w = {.skeleton = made->skeleton, .clip = made->clip, .labels = &made->labels, .first = made->first_frame};
    assert_int_equal(sft_leg_find(w.skeleton, w.clip, NULL, w.legs, SFT_MAX_LEGS, &w.leg_count), SFT_OK);
    assert_int_equal(w.leg_count, 2);
    return w;
}

static void adapt_by(const sft_adapt_clip_def* def, const walk* w, const sft_ground* ground, sft_clip* out)
{
    assert_int_equal(sft_adapt_clip(def, w->skeleton, w->legs, w->leg_count, w->labels, ground, NULL, out, NULL, NULL),
                     SFT_OK);
}

static sft_xformd joint_at(const walk* w, const sft_clip* clip, int32_t joint, int32_t frame)
{
    const size_t base = (size_t)frame * (size_t)clip->joint_count;
    return sft_skeleton_joint_model(w->skeleton, clip->translations + base, clip->rotations + base, joint);
}

static bool is_planted(const walk* w, int32_t leg, int32_t frame)
{
    return w->labels->plant[leg * w->labels->frame_count + frame] > 0.75f;
}

// The toe's height over the walk's own, at most, between frames.
static double highest_rise(const walk* w, const sft_clip* out, int32_t leg, int32_t first, int32_t last)
{
    double most = -SFT_HUGE;
    for (int32_t i = first; i <= last; ++i)
        most =
            sft_maxd(most, joint_at(w, out, w->legs[leg].toe, i).t.y - joint_at(w, w->clip, w->legs[leg].toe, i).t.y);
    return most;
}

// One step of 25 cm right before the toes of a standing foot, which may not be moved: it has to rise steeply, and does
// not fly on. All that its way asks of it is to be 25 cm higher than in the source; 6 cm are left for smoothness.
static void test_adapt_clip_swings__a_steep_rise_is_no_leap(void** state)
{
    (void)state;
    const walker_def def = walker_default_def();
    walker made;
    const walk w = walk_of(&def, &made);
    const walker_foot flat = walker_foot_at(&def, 0, 1.24 * made.stride_time);
    const int32_t first = (int32_t)(1.6 * made.stride_time * def.fps),
                  last = (int32_t)(2.08 * made.stride_time * def.fps);
    assert_true(last < w.clip->frame_count);
    for (int k = 0; k < 4; ++k)
    {
        const support_ground g = {.kind = SUPPORT_GROUND_STAIRS,
                                  .rise = 0.25,
                                  .run = 100.0,
                                  .origin = {0, 0, flat.toe_end.z + 0.005 + 0.01 * k},
                                  .heading = {0, 0, 1}};
        const sft_ground ground = support_ground_of(&g);
        sft_adapt_clip_def adapt_def = sft_default_adapt_clip_def();
        adapt_def.place_max = 0.0;
        sft_clip* out = walk_copy(&w);
        adapt_by(&adapt_def, &w, &ground, out);
        const double rise = highest_rise(&w, out, 0, first, last);
        if (!(rise < g.rise + 0.06)) fail_msg("edge %d: rises by %g m", k, rise);
        assert_true(rise > g.rise - 0.005);
        sft_clip_destroy(out, NULL);
    }
    walker_release(&made);
}

// Stairs down with a pelvis that may sink by next to nothing: legs do not reach. A standing foot rises over its toe
// then; one in mid-swing is raised as it is, and turns no more than it did in the source, treads being level.
static void test_adapt_clip_swings__a_foot_out_of_reach_keeps_its_sole(void** state)
{
    (void)state;
    const walker_def def = walker_default_def();
    walker made;
    const walk w = walk_of(&def, &made);
    const support_ground g = {
        .kind = SUPPORT_GROUND_STAIRS, .rise = -0.15, .run = 0.65, .origin = {0, 0, 0.5}, .heading = {0, 0, 1}};
    const sft_ground ground = support_ground_of(&g);
    sft_adapt_clip_def adapt_def = sft_default_adapt_clip_def();
    adapt_def.foot.pelvis_drop_max = 0.01;
    sft_clip* out = walk_copy(&w);
    adapt_by(&adapt_def, &w, &ground, out);
    const int32_t away = 6; // frames from plants, at 60 a second: over them the turn of a plant is let go
    int32_t short_of = 0;
    for (int32_t l = 0; l < 2; ++l)
        for (int32_t i = away; i + away < w.clip->frame_count; ++i)
        {
            bool near = false;
            for (int32_t k = i - away; k <= i + away; ++k)
                near = near || is_planted(&w, l, k);
            if (near) continue;
            const sft_xformd hip = joint_at(&w, out, w.legs[l].hip, i), knee = joint_at(&w, out, w.legs[l].knee, i);
            const sft_xformd heel = joint_at(&w, out, w.legs[l].heel, i);
            const double chain = sft_v3d_distance(hip.t, knee.t) + sft_v3d_distance(knee.t, heel.t);
            short_of += sft_v3d_distance(hip.t, heel.t) > 0.994 * chain;
            const sft_quatd was = joint_at(&w, w.clip, w.legs[l].heel, i).r;
            const double turn = 2.0 * acos(sft_mind(1.0, fabs(sft_quatd_dot(heel.r, was))));
            if (!(turn < 0.01)) fail_msg("leg %d frame %d: turned by %g", (int)l, (int)i, turn);
        }
    assert_true(short_of > 0); // or nothing was tested
    sft_clip_destroy(out, NULL);
    walker_release(&made);
}

// ---- a leg that is walked on its tip ----

#define TIP_JOINTS 5
#define TIP_FRAMES 40

// A leg whose last bone lies at 53 degrees in its rest pose, nearly a sole, and stands at 62 in the clip. An edge of 10
// cm is between what is below its heel and what is below its tip: the tip stands on the lower tread, 10 cm below where
// it was, and the edge below the "heel" holds nothing up.
static void test_adapt_clip_swings__a_leg_on_its_tip_has_no_sole(void** state)
{
    (void)state;
    const char* names[TIP_JOINTS] = {"body", "coxa", "femur", "tibia", "tip"};
    const int32_t parents[TIP_JOINTS] = {-1, 0, 1, 2, 3};
    const sft_v3d offsets[TIP_JOINTS] = {{0, 1, 0}, {0.1, 0, 0}, {0, -0.4, 0.15}, {0, -0.22, -0.15}, {0, -0.38, 0.2}};
    const sft_skeleton rig = {TIP_JOINTS, names, parents, NULL, offsets, NULL};
    walk w = {.leg_count = 1};
    assert_int_equal(sft_skeleton_create(&rig, NULL, &w.skeleton), SFT_OK);
    assert_int_equal(sft_clip_create(TIP_JOINTS, TIP_FRAMES, 1.0 / 30.0, NULL, &w.clip), SFT_OK);
    float on[TIP_FRAMES];
    for (int i = 0; i < TIP_FRAMES; ++i)
    {
        on[i] = 1.0f;
        for (int k = 0; k < TIP_JOINTS; ++k)
        {
            w.clip->translations[i * TIP_JOINTS + k] = offsets[k];
            w.clip->rotations[i * TIP_JOINTS + k] = sft_quatd_identity();
        }
    }
    sft_contact_labels labels = {.foot_count = 1, .frame_count = TIP_FRAMES, .plant = on, .touch = on};
    w.labels = &labels;
    const double length = sqrt(0.38 * 0.38 + 0.2 * 0.2);
    w.legs[0] = (sft_leg){.pelvis = 0,
                          .hip = 1,
                          .knee = 2,
                          .heel = 3,
                          .toe = 4,
                          .toe_end = -1,
                          .knee_side = {1, 0, 0},
                          .heel_min = 0.799 * length};
    const support_ground g = {
        .kind = SUPPORT_GROUND_STAIRS, .rise = -0.1, .run = 100.0, .origin = {0, 0, 0.1}, .heading = {0, 0, 1}};
    const sft_ground ground = support_ground_of(&g);
    sft_adapt_clip_def def = sft_default_adapt_clip_def();
    def.travel_joint = 0;
    sft_clip* out = walk_copy(&w);
    adapt_by(&def, &w, &ground, out);
    for (int32_t i = 0; i < TIP_FRAMES; ++i)
    {
        const sft_v3d tip = joint_at(&w, out, 4, i).t;
        assert_true(fabs(tip.x - 0.1) < 1e-6 && fabs(tip.y + 0.1) < 1e-6 && fabs(tip.z - 0.2) < 1e-6);
    }
    sft_clip_destroy(out, NULL);
    sft_clip_destroy(w.clip, NULL);
    sft_skeleton_destroy(w.skeleton, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_adapt_clip_swings__a_steep_rise_is_no_leap),
        cmocka_unit_test(test_adapt_clip_swings__a_foot_out_of_reach_keeps_its_sole),
        cmocka_unit_test(test_adapt_clip_swings__a_leg_on_its_tip_has_no_sole),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
