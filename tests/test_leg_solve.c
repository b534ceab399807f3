// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

#include "support/leg_poses.h"

#define CASES 20000

static void test_leg_solve__leaves_the_source_pose_alone(void** state)
{
    (void)state;
    support_rng rng = {11};
    const sft_leg leg = plain_leg();
    const sft_leg_solve_def def = sft_default_leg_solve_def();
    for (int i = 0; i < CASES; ++i)
    {
        // Straight to the last bit, bent backwards, all but straight, and bent.
        sft_leg_pose p = i % 4 == 0   ? random_leg(&rng, 0, 0, 0)
                         : i % 4 == 1 ? random_leg(&rng, -15, 0, 5)
                         : i % 4 == 2 ? random_leg(&rng, -0.01, 0.01, 0)
                                      : random_leg(&rng, 0, 170, 10);
        const sft_leg_pose before = p;
        sft_leg_report report;
        assert_int_equal(sft_leg_solve(&def, &leg, p.toe.t, &p, &report), SFT_OK);
        assert_memory_equal(&p, &before, sizeof p);
        assert_true(report.reached);
        assert_true(report.toe_miss == 0.0 && report.heel_miss == 0.0);
        assert_point(report.target_heel, before.heel.t, 0.0);
        assert_point(report.target_toe, before.toe.t, 0.0);
        assert_point(report.target_toe_end, before.toe_end.t, 0.0);
    }
}

static void test_leg_solve__reaches_what_the_leg_can_reach(void** state)
{
    (void)state;
    support_rng rng = {12};
    const sft_leg leg = plain_leg();
    const sft_leg_solve_def def = sft_default_leg_solve_def();
    int reachable = 0;
    for (int i = 0; i < CASES; ++i)
    {
        sft_leg_pose p = random_leg(&rng, 0.0, 150.0, i % 2 == 0 ? 0.0 : 12.0);
        const sft_leg_pose before = p;
        const double chain = chain_of(&p);
        const sft_v3d target = sft_v3d_add(p.toe.t, random_step(&rng, i % 3 == 0 ? 0.01 : 0.4));
        const double wanted = sft_v3d_distance(sft_v3d_add(p.heel.t, sft_v3d_sub(target, p.toe.t)), p.hip.t);
        const double shortest = fabs(sft_v3d_distance(p.hip.t, p.knee.t) - sft_v3d_distance(p.knee.t, p.heel.t));
        sft_leg_report report;
        assert_int_equal(sft_leg_solve(&def, &leg, target, &p, &report), SFT_OK);
        assert_finite(&p);
        assert_bones_kept(&before, &p, 1e-12);
        assert_true(sft_v3d_distance(p.hip.t, p.heel.t) <= chain + 1e-12);
        if (wanted <= 0.995 * chain && wanted >= shortest)
        {
            ++reachable;
            assert_near(report.toe_miss, 0.0, 1e-9);
            assert_near(report.heel_miss, 0.0, 1e-9);
            assert_true(report.reached);
            assert_point(p.toe.t, target, 1e-9);
            // The sole stays as it was: heel, toe and toe end moved alike.
            assert_same_rotation(before.heel.r, p.heel.r, 1e-7);
            assert_same_rotation(before.toe.r, p.toe.r, 1e-7);
        }
    }
    assert_true(reachable > CASES / 2);
}

static void test_leg_solve__knee_stays_on_its_side(void** state)
{
    (void)state;
    support_rng rng = {13};
    const sft_leg leg = plain_leg();
    const sft_leg_solve_def def = sft_default_leg_solve_def();
    for (int i = 0; i < CASES; ++i)
    {
        sft_leg_pose p = random_leg(&rng, 0.0, 150.0, 0.0);
        const sft_v3d target = sft_v3d_add(p.toe.t, random_step(&rng, 0.3));
        assert_int_equal(sft_leg_solve(&def, &leg, target, &p, NULL), SFT_OK);
        // Flexion: shin x thigh (knee to heel, knee to hip) along the side vector.
        const sft_v3d side = sft_quatd_rotate(p.knee.r, leg.knee_side);
        const sft_v3d bend = sft_v3d_cross(sft_v3d_sub(p.heel.t, p.knee.t), sft_v3d_sub(p.hip.t, p.knee.t));
        assert_true(sft_v3d_dot(bend, side) >= -1e-9);
        assert_true(sft_v3d_length(sft_v3d_sub(bend, sft_v3d_scale(sft_v3d_dot(bend, side), side))) <= 1e-9);
    }
}

/// Knees that flip or spin while the pelvis turns, as people find in engines (sbox issue 6084, godot issue 77138): the
/// pelvis turns and sways under planted feet, and the knee goes along smoothly, on its own side.
static void test_leg_solve__knee_is_calm_while_the_pelvis_turns(void** state)
{
    (void)state;
    const sft_leg leg = plain_leg();
    const sft_leg_solve_def def = sft_default_leg_solve_def();
    const double flexes[] = {3.0, 20.0, 60.0, 110.0};
    for (size_t k = 0; k < sizeof flexes / sizeof flexes[0]; ++k)
    {
        const sft_leg_pose stand = hanging(v3(0.1, 0.9, 0.0), 0.43, 0.41, flexes[k]);
        sft_leg_pose last = stand;
        for (int i = -180; i <= 180; ++i)
        {
            // A quarter of a degree a step, to 45 degrees either way, about the body's middle and not the hip.
            sft_leg_pose p = stand;
            const sft_quatd yaw = turn(v3(0, 1, 0), 0.25 * i);
            move_pose(&p, yaw, v3(0, -0.02 * sft_cos(i * SFT_PI / 180.0), 0), 1.0);
            assert_int_equal(sft_leg_solve(&def, &leg, stand.toe.t, &p, NULL), SFT_OK);
            const sft_v3d side = sft_quatd_rotate(p.knee.r, leg.knee_side);
            const sft_v3d bend = sft_v3d_cross(sft_v3d_sub(p.heel.t, p.knee.t), sft_v3d_sub(p.hip.t, p.knee.t));
            assert_true(sft_v3d_dot(bend, side) >= -1e-9);
            // Forward of the pelvis, never through to the back or round to the side.
            const sft_v3d ahead = sft_quatd_rotate(yaw, v3(0, 0, 1));
            const sft_v3d forward = sft_v3d_cross(sft_v3d_sub(p.heel.t, p.hip.t), bend);
            assert_true(sft_v3d_dot(forward, ahead) >= -1e-9);
            if (i > -180) assert_true(pose_turn(&last, &p) < 0.05);
            last = p;
        }
    }
}

static void test_leg_solve__again_changes_nothing(void** state)
{
    (void)state;
    support_rng rng = {14};
    const sft_leg leg = plain_leg();
    const sft_leg_solve_def def = sft_default_leg_solve_def();
    for (int i = 0; i < CASES; ++i)
    {
        sft_leg_pose p = random_leg(&rng, 0.0, 150.0, 8.0);
        sft_leg_report report;
        const sft_v3d target = sft_v3d_add(p.toe.t, random_step(&rng, 0.2));
        assert_int_equal(sft_leg_solve(&def, &leg, target, &p, &report), SFT_OK);
        // Softened, the heel creeps on when asked again.
        if (!report.reached || report.heel_miss > 1e-12) continue;
        sft_leg_pose again = p;
        assert_int_equal(sft_leg_solve(&def, &leg, target, &again, NULL), SFT_OK);
        // A leg that is straight to a rounding error turns by its square root.
        assert_same_pose(&p, &again, 2e-7);
    }
}

static void test_leg_solve__follows_a_moved_turned_and_scaled_root(void** state)
{
    (void)state;
    support_rng rng = {15};
    const sft_leg leg = plain_leg();
    for (int i = 0; i < CASES / 4; ++i)
    {
        sft_leg_solve_def def = sft_default_leg_solve_def();
        const sft_leg_pose source = random_leg(&rng, 0.0, 120.0, 8.0);
        const sft_v3d target = sft_v3d_add(source.toe.t, random_step(&rng, 0.3));
        sft_leg_pose plain = source;
        assert_int_equal(sft_leg_solve(&def, &leg, target, &plain, NULL), SFT_OK);

        const sft_quatd r = random_rotation(&rng);
        const sft_v3d t = random_step(&rng, 20.0);
        const double scale = support_uniform(&rng, 0.3, 30.0);
        sft_leg_pose moved = source;
        move_pose(&moved, r, t, scale);
        def.softening *= scale;
        const sft_v3d there = sft_v3d_add(t, sft_quatd_rotate(r, sft_v3d_scale(scale, target)));
        assert_int_equal(sft_leg_solve(&def, &leg, there, &moved, NULL), SFT_OK);
        move_pose(&plain, r, t, scale);
        const sft_xformd *a = &plain.hip, *b = &moved.hip;
        for (int j = 0; j < 5; ++j)
        {
            assert_point(a[j].t, b[j].t, 1e-6 * scale);
            assert_same_rotation(a[j].r, b[j].r, 1e-5);
        }
    }
}

// Mirror in X: points flip, axes of rotation flip their other two coordinates.
static void mirror_pose(sft_leg_pose* p)
{
    sft_xformd* x = &p->hip;
    for (int i = 0; i < 5; ++i)
    {
        x[i].t.x = -x[i].t.x;
        x[i].r.y = -x[i].r.y;
        x[i].r.z = -x[i].r.z;
    }
}

static void test_leg_solve__is_the_same_in_the_mirror(void** state)
{
    (void)state;
    support_rng rng = {16};
    for (int i = 0; i < CASES / 4; ++i)
    {
        sft_leg leg = plain_leg();
        const sft_leg_solve_def def = sft_default_leg_solve_def();
        sft_leg_pose p = random_leg(&rng, 0.0, 120.0, 8.0);
        sft_v3d target = sft_v3d_add(p.toe.t, random_step(&rng, 0.3));
        sft_leg_pose mirrored = p;
        assert_int_equal(sft_leg_solve(&def, &leg, target, &p, NULL), SFT_OK);
        mirror_pose(&mirrored);
        target.x = -target.x;
        // (1, 0, 0) is the same axis in the mirror; another would flip y and z.
        assert_int_equal(sft_leg_solve(&def, &leg, target, &mirrored, NULL), SFT_OK);
        mirror_pose(&mirrored);
        assert_same_pose(&p, &mirrored, 1e-6);
    }
}

static void test_leg_solve__source_soft_pulls_the_source_in(void** state)
{
    (void)state;
    // 0.4 + 0.4 m at 0.799 m, softened over 0.01 m: the heel comes in by 0.01 / e, and the knee bends 6.7 degrees more.
    const double half = asin(0.799 / 2.0 / 0.4);
    sft_leg_pose p = hanging(v3(0, 1, 0), 0.4, 0.4, 180.0 - 2.0 * half * 180.0 / SFT_PI);
    assert_near(sft_v3d_distance(p.hip.t, p.heel.t), 0.799, 1e-12);
    const sft_leg leg = plain_leg();
    sft_leg_solve_def def = sft_default_leg_solve_def();
    def.softening = 0.01;
    sft_leg_pose fixed = p;
    assert_int_equal(sft_leg_solve(&def, &leg, p.toe.t, &fixed, NULL), SFT_OK);
    assert_memory_equal(&fixed, &p, sizeof p);

    def.extension = SFT_EXTENSION_SOURCE_SOFT;
    sft_leg_report report;
    const sft_leg_pose before = p;
    assert_int_equal(sft_leg_solve(&def, &leg, p.toe.t, &p, &report), SFT_OK);
    const double pulled = 0.799 - sft_v3d_distance(p.hip.t, p.heel.t);
    assert_near(pulled, 0.01 / 2.718281828459045, 1e-12);
    assert_near(pulled, 0.0037, 0.00005);
    const double after = 2.0 * asin((0.799 - pulled) / 2.0 / 0.4);
    const double knee =
        sft_v3d_length(sft_quatd_log(sft_quatd_mul(sft_quatd_mul(sft_quatd_conjugate(before.knee.r), before.hip.r),
                                                   sft_quatd_mul(sft_quatd_conjugate(p.hip.r), p.knee.r))));
    assert_near(knee, 2.0 * half - after, 1e-9);
    assert_near(knee * 180.0 / SFT_PI, 6.7, 0.05);
}

static void test_leg_solve__published_knee(void** state)
{
    (void)state;
    // Hip (26.5, 25.5), bones 8.5 + 8.5, target (28.5, 41.5): knee (24.828, 33.834) or (30.172, 33.166), 143.06
    // degrees.
    sft_leg_pose p = hanging(v3(26.5, 25.5, 0), 8.5, 8.5, 0.0);
    p.knee.t = v3(26.5 + 8.5, 25.5, 0);
    p.heel.t = v3(26.5 + 8.5, 25.5 + 8.5, 0);
    p.toe.t = p.toe_end.t = p.heel.t;
    p.knee.r = sft_quatd_identity();
    sft_leg_pose other = p;
    assert_int_equal(sft_leg_two_bone(&p, v3(28.5, 41.5, 0), v3(0, 0, 1), 17.0, 0.0), SFT_OK);
    assert_point(p.heel.t, v3(28.5, 41.5, 0), 1e-12);
    assert_point(p.knee.t, v3(30.172, 33.166, 0), 0.0006);
    other.knee.t = v3(26.5, 25.5 + 8.5, 0);
    assert_int_equal(sft_leg_two_bone(&other, v3(28.5, 41.5, 0), v3(0, 0, -1), 17.0, 0.0), SFT_OK);
    assert_point(other.heel.t, v3(28.5, 41.5, 0), 1e-12);
    assert_point(other.knee.t, v3(24.828, 33.834, 0), 0.0006);
    const double cosine = sft_v3d_dot(sft_v3d_sub(p.hip.t, p.knee.t), sft_v3d_sub(p.heel.t, p.knee.t)) / (8.5 * 8.5);
    assert_near(acos(cosine) * 180.0 / SFT_PI, 143.06, 0.01);
}

static void test_leg_solve__near_straight_and_near_folded_are_exact(void** state)
{
    (void)state;
    support_rng rng = {18};
    for (int i = 0; i < CASES; ++i)
    {
        const double thigh = support_uniform(&rng, 0.2, 0.6), shin = support_uniform(&rng, 0.2, 0.6);
        sft_leg_pose p = hanging(v3(0, 0, 0), thigh, shin, support_uniform(&rng, 1.0, 150.0));
        const sft_leg_pose before = p;
        // From 1e-15 to 1e-3 m short of straight, or beyond folded.
        const double gap = pow(10.0, support_uniform(&rng, -15.0, -3.0));
        const double distance = i % 2 == 0 ? thigh + shin - gap : fabs(thigh - shin) + gap;
        const sft_v3d ray = sft_v3d_normalize_or(random_step(&rng, 1.0), v3(1, 0, 0));
        const sft_v3d target = sft_v3d_scale(distance, ray);
        assert_int_equal(sft_leg_two_bone(&p, target, v3(1, 0, 0), thigh + shin, 0.0), SFT_OK);
        assert_point(p.heel.t, target, 3e-15);
        assert_bones_kept(&before, &p, 3e-15);
    }
}

static void test_leg_solve__two_bone_step_alone(void** state)
{
    (void)state;
    const sft_leg_pose source = hanging(v3(0, 1, 0), 0.4, 0.4, 40.0);
    const sft_v3d far = v3(0, 1 - 0.9, 0);
    // Softened from max_reach - softening on, never past max_reach; the side vector's length does not count.
    sft_leg_pose p = source;
    assert_int_equal(sft_leg_two_bone(&p, far, v3(3, 0, 0), 0.79, 0.02), SFT_OK);
    assert_point(p.heel.t, v3(0, 1 - (0.77 + 0.02 * (1 - exp(-(0.9 - 0.77) / 0.02))), 0), 1e-14);
    // The foot rides with the shin.
    assert_same_rotation(sft_quatd_mul(sft_quatd_conjugate(source.knee.r), source.heel.r),
                         sft_quatd_mul(sft_quatd_conjugate(p.knee.r), p.heel.r), 1e-12);
    assert_bones_kept(&source, &p, 1e-14);
    p = source;
    assert_int_equal(sft_leg_two_bone(&p, far, v3(1, 0, 0), 0.79, 0.0), SFT_OK);
    assert_point(p.heel.t, v3(0, 1 - 0.79, 0), 1e-14);
    // More reach than there is leg: the bones end it.
    p = source;
    assert_int_equal(sft_leg_two_bone(&p, far, v3(1, 0, 0), 5.0, 0.0), SFT_OK);
    assert_point(p.heel.t, v3(0, 1 - 0.8, 0), 1e-12);
    // Where it stands: nothing, to the last bit.
    p = source;
    assert_int_equal(sft_leg_two_bone(&p, source.heel.t, v3(1, 0, 0), 5.0, 0.0), SFT_OK);
    assert_memory_equal(&p, &source, sizeof p);
}

static double reach_at(const sft_leg_pose* source, const sft_leg_solve_def* def, double stretch, sft_leg_pose* out)
{
    const sft_leg leg = plain_leg();
    const sft_v3d ray = sft_v3d_normalize_or(sft_v3d_sub(source->heel.t, source->hip.t), v3(0, -1, 0));
    *out = *source;
    assert_int_equal(sft_leg_solve(def, &leg, sft_v3d_madd(source->toe.t, stretch, ray), out, NULL), SFT_OK);
    return sft_v3d_distance(out->hip.t, out->heel.t);
}

static void test_leg_solve__soft_limit_never_snaps(void** state)
{
    (void)state;
    const sft_extension policies[3] = {SFT_EXTENSION_SOURCE, SFT_EXTENSION_SOURCE_SOFT, SFT_EXTENSION_CHAIN};
    for (int k = 0; k < 3; ++k)
        for (double flex = 4.0; flex < 80.0; flex += 7.0)
        {
            sft_leg_solve_def def = sft_default_leg_solve_def();
            def.extension = policies[k];
            const sft_leg_pose source = hanging(v3(0, 1, 0), 0.43, 0.41, flex);
            const double h = 1e-5;
            // A source straighter than the fraction leaves no more softness than there is leg left.
            const double room = 0.84 - sft_maxd(0.995 * 0.84, sft_v3d_distance(source.hip.t, source.heel.t));
            const double soft = policies[k] == SFT_EXTENSION_SOURCE ? sft_mind(0.005, room) : 0.005;
            double last = 0.0, last_slope = 0.0;
            for (int i = 0; i < 40000; ++i)
            {
                sft_leg_pose p;
                const double d = reach_at(&source, &def, -0.1 + i * h, &p);
                const double slope = (d - last) / h;
                // First derivative continuous: at most 1, never negative, and no step larger than h / softening.
                if (i > 0) assert_true(slope <= 1.0 + 1e-6 && slope >= -1e-6);
                if (i > 1) assert_near(slope, last_slope, 1.01 * h / soft + 1e-9);
                assert_true(d <= 0.84 + 1e-12);
                last = d;
                last_slope = slope;
            }
        }
}

static void test_leg_solve__clamps_heights_and_aims(void** state)
{
    (void)state;
    const sft_leg leg = plain_leg();
    sft_leg_solve_def def = sft_default_leg_solve_def();
    sft_leg_pose p = hanging(v3(0, 0.9, 0), 0.43, 0.41, 30);
    p.toe_end.t.y = p.toe.t.y - 0.02;
    const sft_leg_pose before = p;
    def.height_clamp = true;
    def.ground_height = 0.05;
    sft_leg_report r;
    const sft_v3d target = v3(0.02, -0.1, 0.1);
    assert_int_equal(sft_leg_solve(&def, &leg, target, &p, &r), SFT_OK);
    assert_point(r.target_toe, v3(0.02, 0.05, 0.1), 0.0);
    assert_point(r.target_heel, sft_v3d_add(r.target_toe, v3(0, 0.08, -0.15)), 1e-15);
    assert_near(r.target_toe_end.y, 0.05, 0.0);
    assert_point(p.toe.t, r.target_toe, 1e-9);
    // The toe end is turned up to face its target: level with the toe.
    assert_near(p.toe_end.t.y, 0.05, 1e-9);
    assert_bones_kept(&before, &p, 1e-12);

    // A heel whose minimum lies above its target is lifted, and the foot aimed down at the toe again.
    p = before;
    sft_leg high = leg;
    high.heel_min = 0.12;
    assert_int_equal(sft_leg_solve(&def, &high, target, &p, &r), SFT_OK);
    assert_near(r.target_heel.y, 0.17, 1e-15);
    assert_point(p.heel.t, r.target_heel, 1e-9);
    const sft_v3d foot = sft_v3d_normalize_or(sft_v3d_sub(p.toe.t, p.heel.t), v3(0, 0, 0));
    const sft_v3d wanted = sft_v3d_normalize_or(sft_v3d_sub(r.target_toe, p.heel.t), v3(0, 0, 0));
    assert_point(foot, wanted, 1e-12);

    // Without the aims the foot rides with the shin.
    p = before;
    def.heel_aim = def.toe_aim = def.height_clamp = false;
    assert_int_equal(sft_leg_solve(&def, &leg, sft_v3d_add(before.toe.t, v3(0, 0.05, 0.1)), &p, &r), SFT_OK);
    assert_same_rotation(sft_quatd_mul(sft_quatd_conjugate(before.knee.r), before.heel.r),
                         sft_quatd_mul(sft_quatd_conjugate(p.knee.r), p.heel.r), 1e-12);
    assert_near(r.heel_miss, 0.0, 1e-12);
    assert_true(r.toe_miss > 1e-3 && !r.reached);
}

static void test_leg_solve__heel_lifts_for_a_planted_toe(void** state)
{
    (void)state;
    support_rng rng = {17};
    const sft_leg leg = plain_leg();
    sft_leg_solve_def def = sft_default_leg_solve_def();
    int lifted = 0;
    for (int i = 0; i < CASES; ++i)
    {
        def.heel_lift = 0.35;
        const sft_leg_pose source = random_leg(&rng, 0.0, 40.0, 5.0);
        const sft_v3d down = sft_v3d_normalize_or(sft_v3d_sub(source.heel.t, source.hip.t), v3(0, 0, 0));
        const sft_v3d step = random_step(&rng, 0.02);
        const sft_v3d target = sft_v3d_madd(sft_v3d_add(source.toe.t, step), support_uniform(&rng, 0.0, 0.08), down);
        sft_leg_pose p = source;
        sft_leg_report r;
        assert_int_equal(sft_leg_solve(&def, &leg, target, &p, &r), SFT_OK);
        assert_finite(&p);
        assert_bones_kept(&source, &p, 1e-12);
        assert_true(r.heel_lift <= 0.35 + 1e-9);
        sft_leg_pose level = source;
        sft_leg_report unlifted;
        def.heel_lift = 0.0;
        assert_int_equal(sft_leg_solve(&def, &leg, target, &level, &unlifted), SFT_OK);
        assert_true(unlifted.heel_lift == 0.0 && r.toe_miss <= unlifted.toe_miss + 1e-9);
        if (unlifted.heel_miss <= 1e-9) assert_same_pose(&p, &level, 1e-7);
        if (r.heel_lift > 0.001 && r.heel_lift < 0.3499)
        {
            ++lifted;
            assert_point(p.toe.t, target, 1e-9);
            // Reached is reached: asked again, nothing moves.
            sft_leg_pose again = p;
            def.heel_lift = 0.35;
            assert_int_equal(sft_leg_solve(&def, &leg, target, &again, NULL), SFT_OK);
            assert_same_pose(&p, &again, 2e-7);
        }
    }
    assert_true(lifted > CASES / 20);
}

static void test_leg_solve__article_foot_rides_before_it_aims(void** state)
{
    (void)state;
    const sft_leg leg = plain_leg();
    sft_leg_solve_def def = sft_default_leg_solve_def();
    const sft_leg_pose before = hanging(v3(0, 0.9, 0), 0.43, 0.41, 30);
    // A step to the side rolls the shin about the foot; only the article's form lets the foot roll with it.
    const sft_v3d target = sft_v3d_add(before.toe.t, v3(0.15, 0.02, 0));
    sft_leg_pose kept = before, ridden = before;
    sft_leg_report r;
    assert_int_equal(sft_leg_solve(&def, &leg, target, &kept, &r), SFT_OK);
    assert_same_rotation(before.heel.r, kept.heel.r, 1e-9);
    def.keep_foot = false;
    assert_int_equal(sft_leg_solve(&def, &leg, target, &ridden, &r), SFT_OK);
    assert_point(ridden.toe.t, target, 1e-9);
    assert_point(kept.toe.t, target, 1e-9);
    assert_true(sft_v3d_length(sft_quatd_log(sft_quatd_mul(sft_quatd_conjugate(before.heel.r), ridden.heel.r))) > 0.05);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_leg_solve__leaves_the_source_pose_alone),
        cmocka_unit_test(test_leg_solve__reaches_what_the_leg_can_reach),
        cmocka_unit_test(test_leg_solve__knee_stays_on_its_side),
        cmocka_unit_test(test_leg_solve__knee_is_calm_while_the_pelvis_turns),
        cmocka_unit_test(test_leg_solve__again_changes_nothing),
        cmocka_unit_test(test_leg_solve__follows_a_moved_turned_and_scaled_root),
        cmocka_unit_test(test_leg_solve__is_the_same_in_the_mirror),
        cmocka_unit_test(test_leg_solve__source_soft_pulls_the_source_in),
        cmocka_unit_test(test_leg_solve__published_knee),
        cmocka_unit_test(test_leg_solve__near_straight_and_near_folded_are_exact),
        cmocka_unit_test(test_leg_solve__two_bone_step_alone),
        cmocka_unit_test(test_leg_solve__soft_limit_never_snaps),
        cmocka_unit_test(test_leg_solve__clamps_heights_and_aims),
        cmocka_unit_test(test_leg_solve__heel_lifts_for_a_planted_toe),
        cmocka_unit_test(test_leg_solve__article_foot_rides_before_it_aims),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
