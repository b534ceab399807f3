// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// The target's ground, on figures of one leg whose numbers are worked out by hand; what shares a pose; travel of joints
// that have no channels.

#include "support/support.h"

// A leg that hangs straight down: hip at `hip`, knee, heel half way each, toe end `sole` over y = 0.
typedef struct figure
{
    const char* names[5];
    int32_t parents[5];
    uint32_t flags[5];
    sft_v3d t[5];
    sft_quatd r[5];
    sft_skeleton skeleton;
    sft_leg leg;
    sft_rig rig;
} figure;

static void make(figure* f, double leg, double sole, uint64_t identity)
{
    *f = (figure){.names = {"hip", "knee", "heel", "toe", "end"}, .parents = {-1, 0, 1, 2, 3}};
    for (int k = 0; k < 5; ++k)
        f->r[k] = sft_quatd_identity();
    f->t[0] = sft_v3d_make(0, leg + sole + 0.1, 0);
    f->t[1] = f->t[2] = sft_v3d_make(0, -0.5 * leg, 0);
    f->t[3] = sft_v3d_make(0, -0.05, 0.1);
    f->t[4] = sft_v3d_make(0, -0.05, 0.05);
    f->skeleton = (sft_skeleton){5, f->names, f->parents, f->flags, f->t, f->r};
    f->leg = (sft_leg){.pelvis = 0, .hip = 0, .knee = 1, .heel = 2, .toe = 3, .toe_end = 4};
    f->rig = (sft_rig){
        .skeleton = &f->skeleton, .identity = identity, .legs = &f->leg, .leg_count = 1, .leg_length = leg, .hips = -1};
}

static sft_retarget_grounds grounds_of(const figure* source, const figure* target, sft_retarget_footing footing)
{
    const sft_rig_pair rigs = {&source->rig, &target->rig};
    sft_retarget_grounds g;
    assert_int_equal(sft_retarget_find_grounds(&footing, &rigs, &g), SFT_OK);
    return g;
}

static void assert_close(double a, double b)
{
    if (!(a - b < 1e-12 && b - a < 1e-12)) fail_msg("%.17g is not %.17g", a, b);
}

static void test_retarget_grounds__joints_alone_keep_their_height_scaled(void** state)
{
    (void)state;
    figure a, b;
    make(&a, 0.8, 0.02, 1);
    make(&b, 1.6, 0.04, 2);
    // A target that need not stand on y = 0 (BVH): 0.3 m of ground is 0.6, and planted joints 0.02 over it.
    const sft_retarget_grounds g =
        grounds_of(&a, &b, (sft_retarget_footing){.floor = 0.3, .level = 0.31, .scale = 2.0});
    assert_close(g.ground, 0.6);
    assert_close(g.sole, 0.0);
    assert_close(g.target_level, 0.6);
    assert_close(g.source_level, 0.3);
    assert_close(g.sole_lift, 0.6 - 0.62);
    assert_string_equal(g.reason, "the source's, scaled");
}

static void test_retarget_grounds__a_figure_goes_on_standing_in_its_file(void** state)
{
    (void)state;
    figure a, b;
    make(&a, 0.8, 0.02, 1);
    make(&b, 1.6, 0.04, 2);
    // Its joints are 0.04 over y = 0 at rest. The source's ground, 0.05, is within 0.12 leg lengths (0.096) of 0.
    sft_retarget_footing footing = {.floor = 0.05, .level = 0.07, .target_stands = true, .scale = 2.0};
    sft_retarget_grounds g = grounds_of(&a, &b, footing);
    assert_close(g.ground, 0.0);
    assert_close(g.sole, 0.04);
    assert_close(g.sole_lift, 0.04 - 2.0 * 0.07);
    assert_string_equal(g.reason, "where the target stands in its file, on soles below its joints");
    // At 0.1 it is a ground of its own: scaled, with the target's soles on it.
    footing.floor = 0.1;
    footing.level = 0.12;
    g = grounds_of(&a, &b, footing);
    assert_close(g.ground, 0.2);
    assert_close(g.target_level, 0.24);
    // A source with a mesh on y = 0 has soles of the height that its joints have at rest: 0.02.
    footing.floor = footing.level = 0.0;
    footing.source_soles = true;
    assert_close(grounds_of(&a, &b, footing).source_level, 0.02);
    footing.source_soles = false;
    assert_close(grounds_of(&a, &b, footing).source_level, 0.0);
}

static void test_retarget_grounds__one_skeleton_has_one_kind_of_soles(void** state)
{
    (void)state;
    figure a;
    make(&a, 0.8, 0.02, 1);
    const sft_retarget_grounds g =
        grounds_of(&a, &a,
                   (sft_retarget_footing){
                       .floor = 0.0, .level = 0.013, .source_soles = true, .target_stands = true, .scale = 1.0});
    assert_close(g.ground, 0.0);
    assert_close(g.sole, 0.013);
    assert_close(g.source_level, 0.013);
    assert_close(g.sole_lift, 0.0);
}

static void test_retarget_grounds__refuses_nonsense(void** state)
{
    (void)state;
    figure a;
    make(&a, 0.8, 0.02, 1);
    const sft_rig_pair rigs = {&a.rig, &a.rig};
    sft_retarget_grounds g = {.ground = 5.0};
    sft_retarget_footing footing = {.scale = 0.0};
    assert_int_equal(sft_retarget_find_grounds(&footing, &rigs, &g), SFT_ERR_ARG);
    footing = (sft_retarget_footing){.scale = 1.0, .level = SFT_HUGE * 1e308};
    assert_int_equal(sft_retarget_find_grounds(&footing, &rigs, &g), SFT_ERR_ARG);
    assert_true(g.ground == 5.0);
    sft_rig* shared = NULL;
    assert_int_equal(sft_rig_share_pose(NULL, &a.rig, NULL, &shared), SFT_ERR_ARG);
    assert_null(shared);
}

// A child that slides below a root that can move: the root moves in its stead, turned as the root is.
static void test_bvh_fold__travel_goes_up(void** state)
{
    (void)state;
    const char* text =
        "HIERARCHY\nROOT top\n{\nOFFSET 0 0 0\nCHANNELS 6 Xposition Yposition Zposition Zrotation Xrotation "
        "Yrotation\nJOINT hips\n{\nOFFSET 0 1 0\nCHANNELS 3 Zrotation Xrotation Yrotation\nEnd Site\n{\n"
        "OFFSET 0 1 0\n}\n}\n}\nMOTION\nFrames: 1\nFrame Time: 0.1\n1 2 3 0 0 90 0 0 0\n";
    sft_bvh* bvh = NULL;
    sft_skeleton* skeleton = NULL;
    sft_clip* clip = NULL;
    assert_int_equal(sft_bvh_read(NULL, text, strlen(text), NULL, &bvh, NULL), SFT_OK);
    assert_int_equal(sft_bvh_to_clip(bvh, NULL, &skeleton, &clip), SFT_OK);
    assert_false(sft_bvh_fold_travel(bvh, skeleton, clip));
    clip->translations[1].z += 0.5;
    assert_true(sft_bvh_fold_travel(bvh, skeleton, clip));
    // 90 degrees about Y take +Z to +X.
    assert_close(clip->translations[0].x, 1.5);
    assert_close(clip->translations[0].y, 2.0);
    assert_close(clip->translations[0].z, 3.0);
    assert_true(clip->translations[1].z == 0.0 && clip->translations[1].y == 1.0);
    sft_clip_destroy(clip, NULL);
    sft_skeleton_destroy(skeleton, NULL);
    sft_bvh_destroy(bvh);
}

// Places by hand: the knee hangs 0.4 below the hip; the hip is turned by 90 degrees about X in frame 1, which takes -Y
// to -Z, so that the knee is 0.4 before it there; seen from the hip nothing has changed.
static void test_retarget_goal__is_where_the_clip_has_it(void** state)
{
    (void)state;
    figure f;
    make(&f, 0.8, 0.02, 1);
    sft_clip* clip = NULL;
    assert_int_equal(sft_clip_create(5, 2, 0.1, NULL, &clip), SFT_OK);
    for (int i = 0; i < 10; ++i)
        clip->translations[i] = f.t[i % 5];
    clip->rotations[5] = sft_quatd_exp(sft_v3d_make(0.5 * SFT_PI, 0, 0));
    sft_touch_goal goal = {.joint = 1, .other = -1, .first = 1, .last = 1};
    assert_int_equal(sft_retarget_place_goal(&f.skeleton, clip, &goal), SFT_OK);
    assert_close(goal.offset.y, f.t[0].y);
    assert_close(goal.offset.z, -0.4);
    goal.other = 0;
    assert_int_equal(sft_retarget_place_goal(&f.skeleton, clip, &goal), SFT_OK);
    assert_close(goal.offset.y, -0.4);
    assert_close(goal.offset.z, 0.0);
    goal.first = 2;
    assert_int_equal(sft_retarget_place_goal(&f.skeleton, clip, &goal), SFT_ERR_ARG);
    goal.first = 0;
    goal.joint = 5;
    assert_int_equal(sft_retarget_place_goal(&f.skeleton, clip, &goal), SFT_ERR_ARG);
    assert_close(goal.offset.y, -0.4);
    sft_clip_destroy(clip, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_retarget_grounds__joints_alone_keep_their_height_scaled),
        cmocka_unit_test(test_retarget_grounds__a_figure_goes_on_standing_in_its_file),
        cmocka_unit_test(test_retarget_grounds__one_skeleton_has_one_kind_of_soles),
        cmocka_unit_test(test_retarget_grounds__refuses_nonsense),
        cmocka_unit_test(test_bvh_fold__travel_goes_up),
        cmocka_unit_test(test_retarget_goal__is_where_the_clip_has_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
