// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// Legs and targets that leave a solver nothing to divide by, places where its answer could jump, and what it refuses.

#include "support/leg_poses.h"

static sft_leg_report solve(const sft_leg* leg, sft_v3d target, sft_leg_pose* p)
{
    const sft_leg_solve_def def = sft_default_leg_solve_def();
    sft_leg_report r;
    assert_int_equal(sft_leg_solve(&def, leg, target, p, &r), SFT_OK);
    assert_finite(p);
    assert_true(sft_v3d_in_range(r.target_heel) && sft_v3d_in_range(r.target_toe) &&
                sft_v3d_in_range(r.target_toe_end));
    assert_true(r.heel_miss >= 0.0 && r.toe_miss >= 0.0 && r.extension >= 0.0);
    return r;
}

static void test_leg_degenerate__straight_leg_bends_about_its_side(void** state)
{
    (void)state;
    const sft_leg leg = plain_leg();
    sft_leg_pose p = hanging(v3(0, 1, 0), 0.4, 0.4, 0.0);
    const sft_v3d target = sft_v3d_add(p.toe.t, v3(0, 0.1, 0));
    const sft_leg_report r = solve(&leg, target, &p);
    assert_near(r.toe_miss, 0.0, 1e-12);
    // (1, 0, 0) as side: the knee goes forwards, +Z, by the height of a triangle of sides 0.4, 0.4, 0.7.
    assert_point(p.knee.t, v3(0, 1.0 - 0.35, sqrt(0.16 - 0.35 * 0.35)), 1e-12);
    // The other way round for a leg whose knee bends the other way, as a bird's.
    sft_leg bird = leg;
    bird.knee_side = v3(-1, 0, 0);
    p = hanging(v3(0, 1, 0), 0.4, 0.4, 0.0);
    solve(&bird, target, &p);
    assert_point(p.knee.t, v3(0, 1.0 - 0.35, -sqrt(0.16 - 0.35 * 0.35)), 1e-12);
}

static void test_leg_degenerate__no_side_vector_keeps_the_legs_plane(void** state)
{
    (void)state;
    sft_leg leg = plain_leg();
    const sft_v3d sides[3] = {{0, 0, 0}, {0, 0, 1e-9}, {0, 0, 0}};
    for (int k = 0; k < 3; ++k)
    {
        leg.knee_side = sides[k];
        sft_leg_pose p = hanging(v3(0, 1, 0), 0.4, 0.4, 30.0);
        const sft_v3d target = sft_v3d_add(p.toe.t, v3(0, 0.1, 0.02));
        const sft_leg_report r = solve(&leg, target, &p);
        assert_near(r.toe_miss, 0.0, 1e-12);
        // Bent in the plane X = 0 already, and still.
        assert_near(p.knee.t.x, 0.0, 1e-12);
        assert_true(p.knee.t.z > 0.0);
    }
    // Straight and without a side there is no plane: some plane, always the same, and the target is met.
    leg.knee_side = v3(0, 0, 0);
    sft_leg_pose p = hanging(v3(0, 1, 0), 0.4, 0.4, 0.0), again = p;
    const sft_v3d target = sft_v3d_add(p.toe.t, v3(0, 0.1, 0));
    assert_near(solve(&leg, target, &p).toe_miss, 0.0, 1e-12);
    solve(&leg, target, &again);
    assert_memory_equal(&p, &again, sizeof p);
    // A side vector along the leg is none either.
    leg.knee_side = v3(0, 1, 0);
    p = hanging(v3(0, 1, 0), 0.4, 0.4, 0.0);
    assert_near(solve(&leg, target, &p).toe_miss, 0.0, 1e-12);
}

static void test_leg_degenerate__wrong_side_vector_still_reaches(void** state)
{
    (void)state;
    support_rng rng = {31};
    const sft_leg_solve_def def = sft_default_leg_solve_def();
    for (int i = 0; i < 20000; ++i)
    {
        sft_leg leg = plain_leg();
        const sft_quatd skew = random_rotation(&rng);
        leg.knee_side = sft_quatd_rotate(skew, v3(1, 0, 0));
        sft_leg_pose p = random_leg(&rng, 1.0, 150.0, 5.0);
        const sft_leg_pose before = p;
        const double chain = chain_of(&p);
        const sft_v3d target = sft_v3d_add(p.toe.t, random_step(&rng, 0.3));
        const double wanted = sft_v3d_distance(sft_v3d_add(p.heel.t, sft_v3d_sub(target, p.toe.t)), p.hip.t);
        const double least = fabs(sft_v3d_distance(p.hip.t, p.knee.t) - sft_v3d_distance(p.knee.t, p.heel.t));
        sft_leg_report r;
        assert_int_equal(sft_leg_solve(&def, &leg, target, &p, &r), SFT_OK);
        assert_finite(&p);
        assert_bones_kept(&before, &p, 1e-12);
        // Bends seen as backwards may miss while they pass through straight, by less than twice the slack of the
        // source.
        const double slack = chain - sft_v3d_distance(before.hip.t, before.heel.t);
        if (wanted <= 0.995 * chain && wanted >= least)
            assert_true(r.heel_miss <= sft_mind(2.1 * slack, 0.018 * chain) + 1e-9);
    }
}

static void test_leg_degenerate__target_on_and_near_the_hip(void** state)
{
    (void)state;
    const sft_leg leg = plain_leg();
    // Equal bones fold flat: the heel comes to the hip.
    sft_leg_pose p = hanging(v3(0, 1, 0), 0.4, 0.4, 20.0);
    const sft_v3d foot = sft_v3d_sub(p.toe.t, p.heel.t);
    solve(&leg, sft_v3d_add(p.hip.t, foot), &p);
    assert_point(p.heel.t, p.hip.t, 1e-9);
    // And unfold again, in the thigh's direction and about the side axis.
    const sft_leg_report r = solve(&leg, sft_v3d_add(v3(0, 0.5, 0), foot), &p);
    assert_near(r.heel_miss, 0.0, 1e-9);
    // Unequal bones: nearer than their difference there is nothing; the heel stays on the ray.
    p = hanging(v3(0, 1, 0), 0.5, 0.3, 20.0);
    const sft_leg_report near_hip = solve(&leg, sft_v3d_add(v3(0, 0.9, 0), foot), &p);
    assert_near(near_hip.heel_miss, 0.1, 1e-9);
    assert_point(p.heel.t, v3(0, 0.8, 0), 1e-9);
    p = hanging(v3(0, 1, 0), 0.5, 0.3, 20.0);
    const sft_v3d down = sft_v3d_normalize_or(sft_v3d_sub(p.heel.t, p.hip.t), v3(0, 0, 0));
    solve(&leg, sft_v3d_add(p.hip.t, foot), &p);
    // On the hip no ray is left: the heel keeps its direction.
    assert_point(p.heel.t, sft_v3d_madd(p.hip.t, 0.2, down), 1e-9);
    // The shin longer than the thigh: from straight to folded the heel turns past the knee.
    p = hanging(v3(0, 1, 0), 0.3, 0.5, 0.0);
    solve(&leg, sft_v3d_add(v3(0, 0.9, 0), foot), &p);
    assert_point(p.heel.t, v3(0, 0.8, 0), 1e-9);
    assert_point(p.knee.t, v3(0, 1.3, 0), 1e-9);
}

static void test_leg_degenerate__zero_length_bones(void** state)
{
    (void)state;
    const sft_leg leg = plain_leg();
    const double bones[6][2] = {{0, 0.4}, {0.4, 0}, {0, 0}, {1e-9, 0.4}, {0.4, 1e-9}, {1e-7, 1e-7}};
    for (int k = 0; k < 6; ++k)
        for (int foot = 0; foot < 3; ++foot)
        {
            sft_leg_pose p = hanging(v3(0, 1, 0), bones[k][0], bones[k][1], 10.0);
            if (foot > 0) p.toe.t = p.heel.t;
            if (foot > 1) p.toe_end.t = p.toe.t;
            const sft_leg_pose before = p;
            sft_leg_report r = solve(&leg, sft_v3d_add(p.toe.t, v3(0.2, 0.05, 0.1)), &p);
            assert_bones_kept(&before, &p, 1e-12);
            // The one bone that is left points to the heel's target.
            const double length = bones[k][0] + bones[k][1];
            if (length > 0.1) assert_near(r.heel_miss, fabs(sft_v3d_distance(r.target_heel, p.hip.t) - length), 1e-8);
            p = before;
            r = solve(&leg, before.toe.t, &p);
            assert_memory_equal(&p, &before, sizeof p);
            assert_true(r.reached);
        }
}

static void test_leg_degenerate__opposite_directions(void** state)
{
    (void)state;
    const sft_v3d axes[6] = {{1, 0, 0}, {-1, 0, 0}, {0, 1, 0}, {0, -1, 0}, {0, 0, 1}, {0, 0, -1}};
    const sft_leg leg = plain_leg();
    for (int k = 0; k < 6; ++k)
        for (int straight = 0; straight < 2; ++straight)
        {
            // A leg along the axis, heel target straight behind the hip, toe target straight behind the heel.
            sft_leg_pose p = hanging(v3(0, 0, 0), 0.4, 0.4, straight ? 0.0 : 60.0);
            move_pose(&p, sft_quatd_between(sft_v3d_sub(p.heel.t, p.hip.t), axes[k]), v3(0.3, -0.2, 0.1), 1.0);
            const sft_leg_pose before = p;
            const sft_v3d heel = sft_v3d_sub(p.heel.t, p.hip.t);
            const sft_v3d target = sft_v3d_madd(p.toe.t, -2.0, heel);
            const sft_leg_report r = solve(&leg, target, &p);
            assert_near(r.heel_miss, 0.0, 1e-9);
            assert_near(r.toe_miss, 0.0, 1e-9);
            assert_bones_kept(&before, &p, 1e-12);
            // About the bend axis: the side vector stands where it stood.
            assert_point(sft_quatd_rotate(p.knee.r, leg.knee_side), sft_quatd_rotate(before.knee.r, leg.knee_side),
                         1e-9);
        }
    // A foot that points straight away from its target, along each axis: the leg cannot move, so the heel has to turn.
    for (int k = 0; k < 6; ++k)
    {
        sft_leg_pose p = hanging(v3(0, 1, 0), 0.0, 0.0, 0.0);
        p.toe.t = sft_v3d_madd(p.heel.t, 0.2, axes[k]);
        p.toe_end.t = sft_v3d_madd(p.toe.t, 0.1, axes[k]);
        const sft_leg_pose before = p;
        const sft_leg_report r = solve(&leg, sft_v3d_madd(p.heel.t, -0.2, axes[k]), &p);
        assert_near(r.toe_miss, 0.0, 1e-12);
        assert_bones_kept(&before, &p, 1e-12);
    }
}

static void test_leg_degenerate__legs_without_a_toe_end(void** state)
{
    (void)state;
    sft_leg leg = plain_leg();
    leg.toe_end = -1;
    sft_leg_pose p = hanging(v3(0, 1, 0), 0.4, 0.4, 30.0);
    p.toe_end.t = v3(NAN, INFINITY, 0);
    const sft_xformd untouched = p.toe_end;
    sft_leg_solve_def def = sft_default_leg_solve_def();
    def.height_clamp = true;
    sft_leg_report r;
    assert_int_equal(sft_leg_solve(&def, &leg, v3(0.1, 0.2, 0.2), &p, &r), SFT_OK);
    assert_memory_equal(&p.toe_end, &untouched, sizeof untouched);
    assert_near(r.toe_miss, 0.0, 1e-12);
    assert_point(r.target_toe_end, p.toe.t, 0.0);
}

static void test_leg_degenerate__far_and_huge_targets(void** state)
{
    (void)state;
    const sft_leg leg = plain_leg();
    support_rng rng = {32};
    for (int i = 0; i < 2000; ++i)
    {
        sft_leg_pose p = random_leg(&rng, -10.0, 170.0, 20.0);
        const sft_leg_pose before = p;
        const double chain = chain_of(&p);
        solve(&leg, random_step(&rng, i % 2 == 0 ? 100.0 : 1e6), &p);
        assert_bones_kept(&before, &p, 1e-9);
        assert_true(sft_v3d_distance(p.hip.t, p.heel.t) <= chain + 1e-9);
    }
}

// ---- no jumps ----

static void test_leg_degenerate__small_changes_stay_small(void** state)
{
    (void)state;
    support_rng rng = {33};
    const sft_leg leg = plain_leg();
    for (int i = 0; i < 40000; ++i)
    {
        sft_leg_solve_def def = sft_default_leg_solve_def();
        def.extension = (sft_extension)(i % 3);
        def.heel_lift = i % 5 == 0 ? 0.3 : 0.0;
        // Around straight, around the limits, and anywhere; the same leg bent a hair more.
        const double flex = i % 4 == 0 ? support_uniform(&rng, -0.01, 0.01) : support_uniform(&rng, -12.0, 150.0);
        sft_leg_pose a = hanging(v3(0, 1, 0), 0.43, 0.41, flex), b = hanging(v3(0, 1, 0), 0.43, 0.41, flex + 1e-8);
        sft_v3d target = sft_v3d_add(a.toe.t, random_step(&rng, i % 2 == 0 ? 0.004 : 0.15));
        assert_int_equal(sft_leg_solve(&def, &leg, target, &a, NULL), SFT_OK);
        assert_int_equal(sft_leg_solve(&def, &leg, target, &b, NULL), SFT_OK);
        // The knee's angle goes with the square root of what is missing to a straight leg, hence 1e-4 for 1e-8.
        if (!(pose_turn(&a, &b) <= 1e-3)) fail_msg("source by 1e-8 degrees, pose by %g rad", pose_turn(&a, &b));
        b = hanging(v3(0, 1, 0), 0.43, 0.41, flex);
        target = sft_v3d_add(target, random_step(&rng, 1e-9));
        assert_int_equal(sft_leg_solve(&def, &leg, target, &b, NULL), SFT_OK);
        if (!(pose_turn(&a, &b) <= 1e-3)) fail_msg("target by 1e-9 m, pose by %g rad", pose_turn(&a, &b));
    }
}

static void test_leg_degenerate__backward_knee_passes_through_straight(void** state)
{
    (void)state;
    const sft_leg leg = plain_leg();
    // Bent backwards by 4 degrees. Shortened by more and more, the knee comes forward without a jump, misses by less
    // than twice the slack of the source on the way, and then is exact.
    const sft_leg_pose source = hanging(v3(0, 1, 0), 0.4, 0.4, -4.0);
    const double slack = 0.8 - sft_v3d_distance(source.hip.t, source.heel.t);
    const sft_v3d up = sft_v3d_normalize_or(sft_v3d_sub(source.hip.t, source.heel.t), v3(0, 0, 0));
    double last = -4.0, worst = 0.0;
    for (int i = 0; i <= 4000; ++i)
    {
        sft_leg_pose p = source;
        const sft_leg_report r = solve(&leg, sft_v3d_madd(source.toe.t, 1e-6 * i, up), &p);
        const sft_v3d bend = sft_v3d_cross(sft_v3d_sub(p.heel.t, p.knee.t), sft_v3d_sub(p.hip.t, p.knee.t));
        const double flex = asin(bend.x / 0.16) * 180.0 / SFT_PI;
        assert_true(flex >= last - 1e-9);
        assert_near(flex, last, 0.05);
        last = flex;
        worst = sft_maxd(worst, r.heel_miss);
        if (1e-6 * i > 3.1 * slack) assert_near(r.heel_miss, 0.0, 1e-12);
    }
    assert_true(last > 10.0 && worst > 0.0 && worst < slack * 2.1);
}

static void test_leg_degenerate__knee_meant_to_bend_back_stays_back(void** state)
{
    (void)state;
    // A side vector of the wrong sign, or a leg that bends as birds' do: 30 degrees back is no loose capture.
    const sft_leg leg = plain_leg();
    sft_leg_pose p = hanging(v3(0, 1, 0), 0.4, 0.4, -30.0);
    const sft_leg_report r = solve(&leg, sft_v3d_add(p.toe.t, v3(0, 0.1, 0)), &p);
    assert_near(r.toe_miss, 0.0, 1e-12);
    const sft_v3d bend = sft_v3d_cross(sft_v3d_sub(p.heel.t, p.knee.t), sft_v3d_sub(p.hip.t, p.knee.t));
    assert_true(bend.x < 0.0);
}

// ---- refusals ----

static void refuse(const sft_leg_solve_def* def, const sft_leg* leg, sft_v3d target, const sft_leg_pose* pose,
                   sft_result wanted)
{
    sft_leg_pose p = *pose;
    sft_leg_report r;
    memset(&r, 0x5A, sizeof r);
    const sft_leg_report before = r;
    assert_int_equal(sft_leg_solve(def, leg, target, &p, &r), wanted);
    assert_memory_equal(&p, pose, sizeof p);
    assert_memory_equal(&r, &before, sizeof r);
}

static void test_leg_degenerate__refuses_nan_and_bad_settings(void** state)
{
    (void)state;
    const sft_leg leg = plain_leg();
    const sft_leg_solve_def good = sft_default_leg_solve_def();
    const sft_leg_pose pose = hanging(v3(0, 1, 0), 0.4, 0.4, 30.0);
    const sft_v3d target = v3(0, 0.2, 0.2);
    const double bad[4] = {NAN, INFINITY, -INFINITY, 2e6};
    for (int k = 0; k < 4; ++k)
    {
        refuse(&good, &leg, v3(0, bad[k], 0), &pose, SFT_ERR_RANGE);
        for (int joint = 0; joint < 5; ++joint)
        {
            sft_leg_pose p = pose;
            (&p.hip)[joint].t.z = bad[k];
            refuse(&good, &leg, target, &p, SFT_ERR_RANGE);
            p = pose;
            (&p.hip)[joint].r.x = bad[k];
            if (joint < 4) refuse(&good, &leg, target, &p, SFT_ERR_RANGE);
        }
        sft_leg l = leg;
        l.knee_side.x = bad[k];
        refuse(&good, &l, target, &pose, SFT_ERR_RANGE);
        l = leg;
        l.toe_min = bad[k];
        refuse(&good, &l, target, &pose, SFT_ERR_RANGE);
        sft_leg_solve_def def = good;
        def.softening = bad[k];
        refuse(&def, &leg, target, &pose, SFT_ERR_DEF);
        def = good;
        def.max_extension = bad[k];
        refuse(&def, &leg, target, &pose, SFT_ERR_DEF);
        def = good;
        def.heel_lift = bad[k];
        refuse(&def, &leg, target, &pose, SFT_ERR_DEF);
        def = good;
        def.ground_height = bad[k];
        refuse(&def, &leg, target, &pose, SFT_ERR_DEF);
        sft_leg_pose p = pose;
        assert_int_equal(sft_leg_two_bone(&p, v3(bad[k], 0, 0), v3(1, 0, 0), 1.0, 0.0), SFT_ERR_RANGE);
        assert_int_equal(sft_leg_two_bone(&p, target, v3(1, 0, bad[k]), 1.0, 0.0), SFT_ERR_RANGE);
        assert_int_equal(sft_leg_two_bone(&p, target, v3(1, 0, 0), bad[k], 0.0), SFT_ERR_RANGE);
        assert_int_equal(sft_leg_two_bone(&p, target, v3(1, 0, 0), 1.0, bad[k]), SFT_ERR_RANGE);
        assert_memory_equal(&p, &pose, sizeof p);
    }
    sft_leg_pose forgotten = pose;
    forgotten.heel.r = (sft_quatd){0, 0, 0, 0};
    refuse(&good, &leg, target, &forgotten, SFT_ERR_RANGE);
    sft_leg_solve_def def = good;
    def.cookie = 0;
    refuse(&def, &leg, target, &pose, SFT_ERR_DEF);
    def = good;
    def.max_extension = 1.01;
    refuse(&def, &leg, target, &pose, SFT_ERR_DEF);
    def = good;
    def.extension = (sft_extension)7;
    refuse(&def, &leg, target, &pose, SFT_ERR_DEF);
    refuse(NULL, &leg, target, &pose, SFT_ERR_ARG);
    refuse(&good, NULL, target, &pose, SFT_ERR_ARG);
    assert_int_equal(sft_leg_solve(&good, &leg, target, NULL, NULL), SFT_ERR_ARG);
    assert_int_equal(sft_leg_two_bone(NULL, target, v3(1, 0, 0), 1.0, 0.0), SFT_ERR_ARG);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_leg_degenerate__straight_leg_bends_about_its_side),
        cmocka_unit_test(test_leg_degenerate__no_side_vector_keeps_the_legs_plane),
        cmocka_unit_test(test_leg_degenerate__wrong_side_vector_still_reaches),
        cmocka_unit_test(test_leg_degenerate__target_on_and_near_the_hip),
        cmocka_unit_test(test_leg_degenerate__zero_length_bones),
        cmocka_unit_test(test_leg_degenerate__opposite_directions),
        cmocka_unit_test(test_leg_degenerate__legs_without_a_toe_end),
        cmocka_unit_test(test_leg_degenerate__far_and_huge_targets),
        cmocka_unit_test(test_leg_degenerate__small_changes_stay_small),
        cmocka_unit_test(test_leg_degenerate__backward_knee_passes_through_straight),
        cmocka_unit_test(test_leg_degenerate__knee_meant_to_bend_back_stays_back),
        cmocka_unit_test(test_leg_degenerate__refuses_nan_and_bad_settings),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
