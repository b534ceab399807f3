// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// Roll: taken out of the source's bones, given to the target's twist joints, and the bend untouched.

#include "support/angles.h"
#include "support/mover.h"

static const sft_part BONES[4][2] = {{SFT_PART_UPPER_ARM, SFT_PART_FOREARM},
                                     {SFT_PART_FOREARM, SFT_PART_HAND},
                                     {SFT_PART_THIGH, SFT_PART_SHIN},
                                     {SFT_PART_SHIN, SFT_PART_FOOT}};

static mover source, target;

static sft_retarget_map* make(int source_twists, int target_twists, int target_aside, uint64_t axes)
{
    mover_def def = mover_default();
    def.twists = source_twists;
    def.axes = axes;
    mover_make(&def, &source);
    def.twists = target_twists;
    def.aside = target_aside;
    def.scale = 0.8;
    def.axes = axes + 99;
    mover_make(&def, &target);
    return mover_map(&source.rig, &target.rig);
}

static void move(const sft_retarget_map* map, moved* from, moved* to)
{
    const sft_transfer_def def = sft_default_transfer_def();
    mover_move(&def, map, &source, from, &target, to);
}

/// Turns a joint of the source about a direction of figure space as it is in the reference pose.
static void turn(moved* m, int joint, sft_v3d axis, double angle)
{
    const sft_v3d own = sft_quatd_unrotate(source.pose[joint].r, axis);
    m->r[joint] = sft_quatd_mul(m->r[joint], sft_quatd_exp(sft_v3d_scale(angle, own)));
}

static sft_v3d bone_way(const mover* m, const sft_xformd* x, int k, int side)
{
    const sft_v3d a = x[mover_find(m, BONES[k][0], (sft_leg_side)side, 0)].t;
    const sft_v3d b = x[mover_find(m, BONES[k][1], (sft_leg_side)side, 0)].t;
    return sft_v3d_normalize_or(sft_v3d_sub(b, a), sft_v3d_make(0, 0, 0));
}

static sft_quatd change(const mover* m, const sft_xformd* x, int joint)
{
    return sft_quatd_mul(x[joint].r, sft_quatd_conjugate(m->pose[joint].r));
}

static void test_retarget_transfer_twist__bends_stay_whatever_rolls(void** state)
{
    (void)state;
    support_rng rng = {8};
    static const int numbers[6][3] = {{3, 1, 0}, {1, 3, 0}, {0, 3, 0}, {0, 0, 2}, {2, 2, 1}, {3, 0, 0}};
    for (int k = 0; k < 6; ++k)
        for (uint64_t seed = 1; seed <= 20; ++seed)
        {
            static moved from, to;
            sft_retarget_map* map = make(numbers[k][0], numbers[k][1], numbers[k][2], seed);
            mover_random_pose(&source, &rng, 1.5, from.t, from.r);
            move(map, &from, &to);
            for (int side = 0; side < 2; ++side)
            {
                for (int b = 0; b < 4; ++b)
                    assert_true(sft_v3d_distance(bone_way(&source, from.figure, b, side),
                                                 bone_way(&target, to.figure, b, side)) < 1e-12);
                // Hands and feet are turned as the source's, whatever lies before them.
                for (int b = 1; b < 4; b += 2)
                {
                    const int s = mover_find(&source, BONES[b][1], (sft_leg_side)side, 0);
                    const int t = mover_find(&target, BONES[b][1], (sft_leg_side)side, 0);
                    assert_true(angle_between(change(&source, from.figure, s), change(&target, to.figure, t)) < 1e-12);
                }
            }
            sft_retarget_map_destroy(map);
        }
}

static void test_retarget_transfer_twist__shares_along_a_bone_sum_to_one(void** state)
{
    (void)state;
    for (int n = 1; n <= 3; ++n)
    {
        sft_retarget_map* map = make(0, n, 0, 0);
        const sft_retarget_map_contents* view = sft_retarget_map_view(map);
        double sum[MOVER_JOINTS] = {0.0};
        for (int j = 0; j < target.count; ++j)
            if (view->pairs[j].rule == SFT_PAIR_TWIST) sum[target.meanings[j].carrier] += view->pairs[j].share;
        int bones = 0;
        for (int j = 0; j < target.count; ++j)
            if (sum[j] > 0.0)
            {
                ++bones;
                assert_true(fabs(sum[j] - 1.0) < 1e-15);
            }
        assert_int_equal(bones, 8);
        sft_retarget_map_destroy(map);
    }
}

// Three source joints roll a forearm by 30 degrees each, a hand by 10 more: one target joint gets all the 100.
static void test_retarget_transfer_twist__three_to_one(void** state)
{
    (void)state;
    sft_retarget_map* map = make(3, 1, 0, 4);
    static moved from, to;
    mover_rest(&source, &from);
    const int forearm = mover_find(&source, SFT_PART_FOREARM, SFT_LEG_LEFT, 0);
    const int elbow_t = mover_find(&target, SFT_PART_FOREARM, SFT_LEG_LEFT, 0);
    const sft_v3d along = sft_v3d_make(1, 0, 0);
    for (int j = forearm + 1; j <= forearm + 3; ++j)
        turn(&from, j, along, SFT_PI / 6.0);
    turn(&from, forearm + 4, along, SFT_PI / 18.0);
    turn(&from, forearm, sft_v3d_make(0, 1, 0), -1.2);
    move(map, &from, &to);
    // The elbow has its bend, the twist joint the roll, the hand nothing against it.
    const sft_quatd bend = change(&target, to.figure, elbow_t);
    assert_true(angle_between(bend, sft_quatd_exp(sft_v3d_make(0, -1.2, 0))) < 1e-12);
    const sft_quatd roll = sft_quatd_exp(sft_v3d_make(SFT_PI * 100.0 / 180.0, 0, 0));
    assert_true(angle_between(change(&target, to.figure, elbow_t + 1), sft_quatd_mul(bend, roll)) < 1e-12);
    assert_true(angle_between(to.r[elbow_t + 2], target.pose_r[elbow_t + 2]) < 1e-12);
    sft_retarget_map_destroy(map);
}

// A roll of the hand alone is spread over three joints: the stretches between them lag by their place.
static void test_retarget_transfer_twist__one_to_three(void** state)
{
    (void)state;
    sft_retarget_map* map = make(0, 3, 0, 5);
    static moved from, to;
    mover_rest(&source, &from);
    const int hand = mover_find(&source, SFT_PART_HAND, SFT_LEG_RIGHT, 0);
    const int elbow = mover_find(&target, SFT_PART_FOREARM, SFT_LEG_RIGHT, 0);
    turn(&from, hand, sft_v3d_make(1, 0, 0), 0.7);
    move(map, &from, &to);
    // Twist joints at 1/4, 1/2, 3/4: stretches with their middles at 3/8, 5/8, 7/8, the last of which is the whole.
    const double cumulated[4] = {0.0, 3.0 / 7.0, 5.0 / 7.0, 1.0};
    for (int i = 0; i < 4; ++i)
        assert_true(angle_between(change(&target, to.figure, elbow + i),
                                  sft_quatd_exp(sft_v3d_make(0.7 * cumulated[i], 0, 0))) < 1e-12);
    sft_retarget_map_destroy(map);
}

// An upper arm that rolls about itself: the shoulder keeps still, twist joints bring the roll to the elbow.
static void test_retarget_transfer_twist__an_upper_arm_rolls_towards_its_elbow(void** state)
{
    (void)state;
    sft_retarget_map* map = make(0, 1, 0, 6);
    static moved from, to;
    mover_rest(&source, &from);
    const int arm = mover_find(&source, SFT_PART_UPPER_ARM, SFT_LEG_LEFT, 0);
    const int own = mover_find(&target, SFT_PART_UPPER_ARM, SFT_LEG_LEFT, 0);
    turn(&from, arm, sft_v3d_make(1, 0, 0), 0.9);
    move(map, &from, &to);
    assert_true(angle_between(to.r[own], target.pose_r[own]) < 1e-12);
    assert_true(angle_between(change(&target, to.figure, own + 1), sft_quatd_exp(sft_v3d_make(0.9, 0, 0))) < 1e-12);
    sft_retarget_map_destroy(map);
}

// Joints beside a bone take the roll of their place.
static void test_retarget_transfer_twist__joints_beside_a_bone(void** state)
{
    (void)state;
    sft_retarget_map* map = make(0, 0, 2, 7);
    static moved from, to;
    mover_rest(&source, &from);
    const int arm = mover_find(&source, SFT_PART_UPPER_ARM, SFT_LEG_LEFT, 0);
    const int hand = mover_find(&source, SFT_PART_HAND, SFT_LEG_LEFT, 0);
    turn(&from, arm, sft_v3d_make(1, 0, 0), 0.6);
    turn(&from, hand, sft_v3d_make(1, 0, 0), 0.3);
    move(map, &from, &to);
    const int upper = mover_find(&target, SFT_PART_UPPER_ARM, SFT_LEG_LEFT, 0);
    const int fore = mover_find(&target, SFT_PART_FOREARM, SFT_LEG_LEFT, 0);
    for (int i = 1; i <= 2; ++i)
    {
        const sft_v3d shoulder = sft_v3d_make(0.6 * i / 3.0, 0, 0), wrist = sft_v3d_make(0.6 + 0.3 * i / 3.0, 0, 0);
        assert_true(angle_between(change(&target, to.figure, upper + i), sft_quatd_exp(shoulder)) < 1e-12);
        assert_true(angle_between(change(&target, to.figure, fore + i), sft_quatd_exp(wrist)) < 1e-12);
    }
    sft_retarget_map_destroy(map);
}

// A source's forearm rolls in joints that the target lacks: the elbow gets half, the wrist the rest.
static void test_retarget_transfer_twist__three_to_none(void** state)
{
    (void)state;
    sft_retarget_map* map = make(3, 0, 0, 8);
    static moved from, to;
    mover_rest(&source, &from);
    const int fore = mover_find(&source, SFT_PART_FOREARM, SFT_LEG_LEFT, 0);
    for (int i = 1; i <= 3; ++i)
        turn(&from, fore + i, sft_v3d_make(1, 0, 0), 0.2);
    move(map, &from, &to);
    const int own = mover_find(&target, SFT_PART_FOREARM, SFT_LEG_LEFT, 0);
    assert_true(angle_between(change(&target, to.figure, own), sft_quatd_exp(sft_v3d_make(0.3, 0, 0))) < 1e-12);
    assert_true(angle_between(change(&target, to.figure, own + 1), sft_quatd_exp(sft_v3d_make(0.6, 0, 0))) < 1e-12);
    sft_retarget_map_destroy(map);
}

// Twist joints that do not lie on the line from elbow to wrist would move the wrist, and do not.
static void test_retarget_transfer_twist__crooked_bones_keep_their_direction(void** state)
{
    (void)state;
    support_rng rng = {18};
    for (uint64_t seed = 1; seed <= 20; ++seed)
    {
        static moved from, to;
        mover_def def = mover_default();
        def.axes = seed;
        mover_make(&def, &source);
        def.twists = 2;
        mover_make(&def, &target);
        for (int j = 0; j < target.count; ++j)
            if (target.meanings[j].part == SFT_PART_TWIST)
                target.pose[j].t = sft_v3d_add(target.pose[j].t, sft_v3d_make(0.01, 0.02, 0.015));
        mover_finish(&target, seed, 0.0);
        const sft_rig_pair rigs = {&source.rig, &target.rig};
        sft_retarget_map* map = NULL;
        assert_int_equal(sft_retarget_map_create(&rigs, NULL, &map, NULL), SFT_OK);
        mover_random_pose(&source, &rng, 1.5, from.t, from.r);
        move(map, &from, &to);
        for (int side = 0; side < 2; ++side)
            for (int b = 0; b < 4; ++b)
                assert_true(sft_v3d_distance(bone_way(&source, from.figure, b, side),
                                             bone_way(&target, to.figure, b, side)) < 1e-12);
        sft_retarget_map_destroy(map);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_retarget_transfer_twist__bends_stay_whatever_rolls),
        cmocka_unit_test(test_retarget_transfer_twist__shares_along_a_bone_sum_to_one),
        cmocka_unit_test(test_retarget_transfer_twist__three_to_one),
        cmocka_unit_test(test_retarget_transfer_twist__one_to_three),
        cmocka_unit_test(test_retarget_transfer_twist__an_upper_arm_rolls_towards_its_elbow),
        cmocka_unit_test(test_retarget_transfer_twist__joints_beside_a_bone),
        cmocka_unit_test(test_retarget_transfer_twist__three_to_none),
        cmocka_unit_test(test_retarget_transfer_twist__crooked_bones_keep_their_direction),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
