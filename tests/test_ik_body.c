// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

#include "support/leg_poses.h"

#define JOINTS 20

enum
{
    PELVIS = 0,
    CHEST = 2,
    HEAD = 3,
    LEFT_HAND = 7,
    RIGHT_HAND = 11,
    LEFT_FOOT = 14,
    RIGHT_FOOT = 17,
    LEFT_KNEE = 13
};

/// Pelvis, spine, chest, head; two arms of collar, shoulder, elbow, hand; two legs of hip, knee, foot; two toes.
typedef struct figure
{
    sft_skeleton skeleton;
    const char* names[JOINTS];
    int32_t parents[JOINTS];
    uint32_t flags[JOINTS];
    sft_v3d t[JOINTS];
    sft_quatd r[JOINTS], rest[JOINTS];
    sft_limit limits[JOINTS];
    double stiffness[JOINTS];
    sft_ik_pose pose;
    sft_ik_body_def def;
} figure;

static double memory[200000];

static void bind(figure* f)
{
    f->skeleton = (sft_skeleton){JOINTS, f->names, f->parents, f->flags, f->t, f->rest};
    f->pose = (sft_ik_pose){f->t, f->r};
    if (f->def.limits != NULL) f->def.limits = f->limits;
    if (f->def.stiffness != NULL) f->def.stiffness = f->stiffness;
}

static void make_figure(figure* f)
{
    static const int32_t parents[JOINTS] = {-1, 0, 1, 2, 2, 4, 5, 6, 2, 8, 9, 10, 0, 12, 13, 0, 15, 16, 14, 17};
    static const sft_v3d t[JOINTS] = {
        {0, 0.95, 0},  {0, 0.15, 0},     {0, 0.25, 0},  {0, 0.25, 0},  {0.05, 0.15, 0},  {0.12, 0, 0},    {0.28, 0, 0},
        {0.26, 0, 0},  {-0.05, 0.15, 0}, {-0.12, 0, 0}, {-0.28, 0, 0}, {-0.26, 0, 0},    {0.1, -0.05, 0}, {0, -0.43, 0},
        {0, -0.42, 0}, {-0.1, -0.05, 0}, {0, -0.43, 0}, {0, -0.42, 0}, {0, -0.05, 0.15}, {0, -0.05, 0.15}};
    memset(f, 0, sizeof *f);
    for (int32_t j = 0; j < JOINTS; ++j)
    {
        f->names[j] = "joint";
        f->parents[j] = parents[j];
        f->t[j] = t[j];
        f->rest[j] = f->r[j] = sft_quatd_identity();
        f->limits[j] = sft_limit_free();
    }
    // A little bent, as figures are.
    f->r[13] = f->r[16] = turn(v3(1, 0, 0), 10);
    f->r[12] = f->r[15] = turn(v3(1, 0, 0), -5);
    f->r[6] = turn(v3(0, 1, 0), -20);
    f->r[10] = turn(v3(0, 1, 0), 20);
    f->def = sft_default_ik_body_def();
    bind(f);
}

static void limit_figure(figure* f)
{
    for (int32_t j = 0; j < JOINTS; ++j)
    {
        const sft_v3d bone = j == 0 ? v3(0, 1, 0) : sft_v3d_normalize_or(f->t[j], v3(0, 1, 0));
        f->limits[j] = sft_limit_cone(f->rest[j], bone, j < 4 ? 0.6 : 1.6, -0.8, 0.8);
    }
    f->limits[0] = sft_limit_free();
    f->limits[13] = f->limits[16] = sft_limit_hinge(f->rest[13], v3(1, 0, 0), 0.0, 2.4);
    f->limits[6] = sft_limit_hinge(f->rest[6], v3(0, 1, 0), -2.4, 0.0);
    f->limits[10] = sft_limit_hinge(f->rest[10], v3(0, 1, 0), 0.0, 2.4);
    f->def.limits = f->limits;
}

static sft_xformd joint(const figure* f, int32_t j)
{
    return sft_skeleton_joint_model(&f->skeleton, f->t, f->r, j);
}

static sft_ik_goal at(int32_t j, sft_v3d position, int32_t priority)
{
    return (sft_ik_goal){.kind = SFT_IK_GOAL_POSITION,
                         .joint = j,
                         .position = position,
                         .orientation = {0, 0, 0, 1},
                         .weight = 1.0,
                         .priority = priority};
}

static sft_ik_goal facing(int32_t j, sft_quatd orientation, int32_t priority)
{
    return (sft_ik_goal){
        .kind = SFT_IK_GOAL_ORIENTATION, .joint = j, .orientation = orientation, .weight = 1.0, .priority = priority};
}

static double goal_error(const figure* f, const sft_ik_goal* goal)
{
    const sft_xformd x = joint(f, goal->joint);
    if (goal->kind == SFT_IK_GOAL_POSITION) return sft_v3d_distance(sft_xformd_apply(x, goal->offset), goal->position);
    return sft_v3d_length(sft_quatd_log(sft_quatd_mul(goal->orientation, sft_quatd_conjugate(x.r))));
}

/// Solves, and checks the report against the pose, the guard behind the scratch, and the limits.
static sft_ik_body_report solve(figure* f, const sft_ik_goal* goals, int32_t count, sft_v3d* warm)
{
    const size_t size = sft_ik_body_scratch_size(&f->skeleton, count);
    assert_true(size > 0 && size + 64 <= sizeof memory);
    memset(memory, 0x5a, size + 64);
    const figure before = *f;
    const sft_ik_goals all = {goals, count, warm};
    sft_ik_body_report r;
    assert_int_equal(sft_ik_body(&f->def, &f->skeleton, &all, &f->pose, (sft_ik_scratch){memory, size}, &r), SFT_OK);
    for (size_t i = size; i < size + 64; ++i)
        assert_int_equal(((unsigned char*)memory)[i], 0x5a);
    double position = 0.0, orientation = 0.0;
    for (int32_t g = 0; g < count; ++g)
    {
        if (!(goals[g].weight > 0.0)) continue;
        double* most = goals[g].kind == SFT_IK_GOAL_POSITION ? &position : &orientation;
        *most = sft_maxd(*most, goal_error(f, &goals[g]));
    }
    assert_near(r.position_residual, position, 1e-9);
    assert_near(r.orientation_residual, orientation, 1e-9);
    assert_true(r.reached == (sft_maxd(position, orientation) <= f->def.tolerance));
    for (int32_t j = 0; j < JOINTS; ++j)
    {
        assert_near(sft_quatd_dot(f->r[j], f->r[j]), 1.0, 1e-9);
        if (j != f->def.translating) assert_memory_equal(&f->t[j], &before.t[j], sizeof f->t[j]);
        double excess = 0.0;
        const bool turned = memcmp(&f->r[j], &before.r[j], sizeof f->r[j]) != 0;
        if (f->def.limits != NULL && turned && f->def.weight >= 1.0) sft_limit_clamp(&f->limits[j], f->r[j], &excess);
        assert_true(excess == 0.0);
    }
    return r;
}

/// Goals that a random pose of the figure meets; feet, hands and head.
static int32_t reachable_goals(support_rng* rng, const figure* f, sft_ik_goal* goals, double size)
{
    figure g = *f;
    bind(&g);
    for (int32_t j = 0; j < JOINTS; ++j)
    {
        g.r[j] = sft_quatd_mul(f->r[j], sft_quatd_exp(random_step(rng, size)));
        if (f->def.limits != NULL) g.r[j] = sft_limit_clamp(&f->limits[j], g.r[j], NULL);
    }
    g.t[0] = sft_v3d_add(f->t[0], random_step(rng, f->def.translating == 0 ? 0.1 : 0.0));
    const int32_t ends[4] = {LEFT_HAND, RIGHT_HAND, LEFT_FOOT, RIGHT_FOOT};
    for (int i = 0; i < 4; ++i)
        goals[i] = at(ends[i], joint(&g, ends[i]).t, 0);
    goals[4] = facing(HEAD, joint(&g, HEAD).r, 0);
    goals[5] = facing(LEFT_FOOT, joint(&g, LEFT_FOOT).r, 0);
    return 6;
}

static void test_ik_body__reaches_what_can_be_reached(void** state)
{
    (void)state;
    for (int limited = 0; limited < 2; ++limited)
    {
        support_rng rng = {91};
        int reached = 0, steps = 0;
        const int count = 300;
        for (int i = 0; i < count; ++i)
        {
            figure f;
            make_figure(&f);
            if (limited) limit_figure(&f);
            f.def.translating = i % 2 == 0 ? PELVIS : -1;
            f.def.iterations = 40;
            sft_ik_goal goals[6];
            const int32_t n = reachable_goals(&rng, &f, goals, 0.35);
            const sft_ik_body_report r = solve(&f, goals, n, NULL);
            reached += r.reached ? 1 : 0;
            steps += r.iterations;
        }
        print_message("%s bodies: %d of %d reached, %.1f steps\n", limited ? "limited" : "free", reached, count,
                      (double)steps / count);
        assert_true(reached >= (limited ? count * 95 / 100 : count * 99 / 100));
    }
}

/// A goal of a later priority never costs an earlier one more than a tenth of the tolerance, whether that could be
/// reached or not, with limits and without.
static void test_ik_body__later_priorities_leave_earlier_ones_alone(void** state)
{
    (void)state;
    support_rng rng = {92};
    double helped = 0.0;
    for (int i = 0; i < 200; ++i)
    {
        figure f;
        make_figure(&f);
        if (i % 2 == 0) limit_figure(&f);
        f.def.iterations = 30;
        // The hand's goal, in reach or far out; and others that pull the body away.
        const double far = i % 4 < 2 ? 0.25 : 1.5;
        sft_ik_goal goals[4];
        goals[0] = at(LEFT_HAND, sft_v3d_add(joint(&f, LEFT_HAND).t, random_step(&rng, far)), -3);
        goals[1] = at(RIGHT_HAND, sft_v3d_add(joint(&f, RIGHT_HAND).t, random_step(&rng, 1.0)), 0);
        goals[2] = facing(CHEST, sft_quatd_exp(random_step(&rng, 1.0)), 5);
        goals[3] = at(HEAD, sft_v3d_add(joint(&f, HEAD).t, random_step(&rng, 0.5)), 5);
        figure alone = f, two = f;
        bind(&alone);
        bind(&two);
        solve(&alone, goals, 1, NULL);
        solve(&two, goals, 2, NULL);
        solve(&f, goals, 4, NULL);
        // A tenth of the tolerance is what is promised; roundings of one run against another come on top.
        const double slack = 0.1 * f.def.tolerance + 1e-6;
        assert_true(goal_error(&two, &goals[0]) <= goal_error(&alone, &goals[0]) + slack);
        assert_true(goal_error(&f, &goals[0]) <= goal_error(&alone, &goals[0]) + slack);
        assert_true(goal_error(&f, &goals[1]) <= goal_error(&two, &goals[1]) + slack);
        helped += goal_error(&alone, &goals[1]) - goal_error(&f, &goals[1]);
    }
    // And what is left free is used.
    assert_true(helped > 0.0);
}

/// Of one priority, weights say who gets more of what cannot be had by both.
static void test_ik_body__weights_share(void** state)
{
    (void)state;
    double last = 0.0;
    const double weights[4] = {0.1, 1.0, 10.0, 1000.0};
    for (int i = 0; i < 4; ++i)
    {
        figure f;
        make_figure(&f);
        f.def.iterations = 60;
        sft_ik_goal goals[2] = {at(HEAD, v3(1.0, 1.5, 0), 0), at(HEAD, v3(-1.0, 1.5, 0), 0)};
        goals[0].weight = weights[i];
        solve(&f, goals, 2, NULL);
        const double x = joint(&f, HEAD).t.x;
        if (i > 0) assert_true(x > last + 0.01);
        if (i == 1) assert_near(x, 0.0, 0.02);
        last = x;
    }
    // One without weight is not there.
    figure a, b;
    make_figure(&a);
    make_figure(&b);
    sft_ik_goal goals[2] = {at(LEFT_HAND, v3(0.5, 1.2, 0.3), 0), at(RIGHT_HAND, v3(-0.5, 1.8, 0.3), 0)};
    goals[1].weight = 0.0;
    solve(&a, goals, 2, NULL);
    solve(&b, goals, 1, NULL);
    assert_memory_equal(a.r, b.r, sizeof a.r);
}

/// Fed its own output for 10,000 frames: goals that are reached leave every bit, goals out of reach come to rest.
static void test_ik_body__never_drifts(void** state)
{
    (void)state;
    for (int k = 0; k < 4; ++k)
    {
        figure f;
        make_figure(&f);
        if (k % 2 == 1) limit_figure(&f);
        f.def.translating = PELVIS;
        const double far = k < 2 ? 0.0 : 1.0;
        const sft_ik_goal goals[4] = {at(LEFT_HAND, v3(0.4 + far, 1.3, 0.3), 1), at(RIGHT_HAND, v3(-0.3, 1.6, 0.2), 1),
                                      at(LEFT_FOOT, v3(0.15, 0.1, 0.2), 0), at(RIGHT_FOOT, v3(-0.1, 0.05, -0.1), 0)};
        sft_v3d warm[JOINTS];
        memset(warm, 0, sizeof warm);
        sft_ik_body_report r = solve(&f, goals, 4, warm);
        assert_true(r.reached == (far == 0.0));
        for (int i = 0; i < (far > 0.0 ? 300 : 0); ++i)
            r = solve(&f, goals, 4, warm);
        const figure start = f;
        for (int i = 0; i < (k == 3 ? 1000 : 10000); ++i)
            solve(&f, goals, 4, warm);
        double most = 0.0;
        for (int32_t j = 0; j < JOINTS; ++j)
        {
            most = sft_maxd(most, sft_v3d_distance(f.t[j], start.t[j]));
            most =
                sft_maxd(most, sft_v3d_length(sft_quatd_log(sft_quatd_mul(sft_quatd_conjugate(start.r[j]), f.r[j]))));
        }
        assert_true(most < 1e-9);
        if (far == 0.0) assert_memory_equal(f.r, start.r, sizeof f.r);
    }
}

static void test_ik_body__weight_zero_is_the_input_bit_for_bit_and_weight_moves_smoothly(void** state)
{
    (void)state;
    support_rng rng = {93};
    for (int i = 0; i < 20; ++i)
    {
        figure f;
        make_figure(&f);
        if (i % 2 == 0) limit_figure(&f);
        f.def.translating = PELVIS;
        sft_ik_goal goals[6];
        const int32_t n = reachable_goals(&rng, &f, goals, 0.5);
        figure zero = f, last = f, full = f;
        bind(&zero);
        bind(&full);
        zero.def.weight = 0.0;
        solve(&zero, goals, n, NULL);
        assert_memory_equal(zero.r, f.r, sizeof f.r);
        assert_memory_equal(zero.t, f.t, sizeof f.t);
        solve(&full, goals, n, NULL);
        for (int w = 1; w <= 50; ++w)
        {
            figure g = f;
            bind(&g);
            g.def.weight = w / 50.0;
            solve(&g, goals, n, NULL);
            for (int32_t j = 0; j < JOINTS; ++j)
            {
                const sft_quatd whole = sft_quatd_mul(sft_quatd_conjugate(f.r[j]), full.r[j]);
                const sft_quatd step = sft_quatd_mul(sft_quatd_conjugate(last.r[j]), g.r[j]);
                // Even steps: a fiftieth of the way each.
                assert_near(sft_v3d_length(sft_quatd_log(step)), sft_v3d_length(sft_quatd_log(whole)) / 50.0, 1e-9);
            }
            last = g;
        }
    }
}

static void test_ik_body__stiff_joints_and_joints_without_goals_stay(void** state)
{
    (void)state;
    figure f;
    make_figure(&f);
    for (int32_t j = 0; j < JOINTS; ++j)
        f.stiffness[j] = j < 4 ? 1.0 : 0.0;
    f.def.stiffness = f.stiffness;
    const figure before = f;
    const sft_ik_goal goal = at(LEFT_HAND, v3(0.4, 1.2, 0.4), 0);
    assert_true(solve(&f, &goal, 1, NULL).reached);
    for (int32_t j = 0; j < JOINTS; ++j)
        if (j < 4 || j > LEFT_HAND) assert_memory_equal(&f.r[j], &before.r[j], sizeof f.r[j]);
    // Half stiff: the spine turns less than when it is free.
    figure free_one, half;
    make_figure(&free_one);
    make_figure(&half);
    for (int32_t j = 0; j < 4; ++j)
        half.stiffness[j] = 0.8;
    half.def.stiffness = half.stiffness;
    const sft_ik_goal far = at(LEFT_HAND, v3(0.6, 1.2, 0.6), 0);
    solve(&free_one, &far, 1, NULL);
    solve(&half, &far, 1, NULL);
    assert_true(sft_v3d_length(sft_quatd_log(half.r[1])) < 0.9 * sft_v3d_length(sft_quatd_log(free_one.r[1])));
}

/// A straight leg shortens by its knee's hinge and by nothing else; one that has to is bent within its range.
static void test_ik_body__hinges_turn_about_their_axis_only(void** state)
{
    (void)state;
    support_rng rng = {94};
    for (int i = 0; i < 100; ++i)
    {
        figure f;
        make_figure(&f);
        limit_figure(&f);
        const sft_v3d foot = joint(&f, LEFT_FOOT).t;
        const double x = support_uniform(&rng, -0.1, 0.2), y = support_uniform(&rng, 0.05, 0.4);
        const sft_ik_goal goal = at(LEFT_FOOT, sft_v3d_add(foot, v3(x, y, support_uniform(&rng, -0.2, 0.3))), 0);
        solve(&f, &goal, 1, NULL);
        const sft_quatd k = f.r[LEFT_KNEE];
        assert_near(k.y, 0.0, 1e-9);
        assert_near(k.z, 0.0, 1e-9);
        assert_true(2.0 * atan2(k.x, k.w) > -1e-9);
    }
}

static void test_ik_body__moved_turned_and_scaled_frames(void** state)
{
    (void)state;
    support_rng rng = {95};
    for (int i = 0; i < 60; ++i)
    {
        figure a, b;
        make_figure(&a);
        if (i % 2 == 0) limit_figure(&a);
        a.def.translating = PELVIS;
        sft_ik_goal goals[6], there[6];
        const int32_t n = reachable_goals(&rng, &a, goals, 0.3);
        b = a;
        bind(&b);
        const sft_quatd q = random_rotation(&rng);
        const sft_v3d shift = random_step(&rng, 2.0);
        const double k = 2.0;
        for (int32_t j = 0; j < JOINTS; ++j)
            b.t[j] = sft_v3d_scale(k, b.t[j]);
        b.t[0] = sft_v3d_add(shift, sft_quatd_rotate(q, b.t[0]));
        b.r[0] = sft_quatd_mul(q, b.r[0]);
        b.limits[0].reference = sft_quatd_mul(q, b.limits[0].reference);
        // The tolerance is in metres and in radians: of goals of one kind alone it can be scaled.
        int32_t m = 0;
        for (int32_t g = 0; g < n; ++g)
        {
            if (goals[g].kind != SFT_IK_GOAL_POSITION) continue;
            there[m] = goals[m] = goals[g];
            there[m].position = sft_v3d_add(shift, sft_quatd_rotate(q, sft_v3d_scale(k, goals[g].position)));
            ++m;
        }
        b.def.tolerance *= k;
        const sft_ik_body_report ra = solve(&a, goals, m, NULL), rb = solve(&b, there, m, NULL);
        assert_near(k * ra.position_residual, rb.position_residual, 1e-6);
        for (int32_t j = 1; j < JOINTS; ++j)
            assert_same_rotation(a.r[j], b.r[j], 1e-5);
    }
}

/// A target that moves on, frame by frame from the source pose: the warm start needs fewer steps, and nothing jumps.
static void test_ik_body__warm_start(void** state)
{
    (void)state;
    int cold_steps = 0, warm_steps = 0;
    sft_v3d warm[JOINTS];
    memset(warm, 0, sizeof warm);
    figure source, last;
    make_figure(&source);
    limit_figure(&source);
    for (int i = 0; i < 200; ++i)
    {
        figure cold = source, hot = source;
        bind(&cold);
        bind(&hot);
        const sft_v3d where = v3(0.4 + 0.15 * cos(0.05 * i), 1.2 + 0.15 * sin(0.05 * i), 0.3);
        const sft_ik_goal goals[2] = {at(LEFT_HAND, where, 0), at(LEFT_FOOT, joint(&source, LEFT_FOOT).t, 0)};
        cold_steps += solve(&cold, goals, 2, NULL).iterations;
        const sft_ik_body_report r = solve(&hot, goals, 2, warm);
        warm_steps += r.iterations;
        assert_true(r.reached);
        for (int32_t j = 0; j < JOINTS && i > 0; ++j)
            assert_true(sft_v3d_length(sft_quatd_log(sft_quatd_mul(sft_quatd_conjugate(last.r[j]), hot.r[j]))) < 0.06);
        last = hot;
    }
    assert_true(warm_steps < cold_steps * 3 / 4);
}

static void test_ik_body__degenerate_and_bad_input(void** state)
{
    (void)state;
    figure f;
    make_figure(&f);
    const figure before = f;
    // No goals, goals at the root itself, goals where they are: nothing moves.
    assert_int_equal(solve(&f, NULL, 0, NULL).worst_goal, -1);
    sft_ik_goal goal = at(PELVIS, v3(1, 1, 1), 0);
    assert_false(solve(&f, &goal, 1, NULL).reached);
    goal = at(LEFT_HAND, joint(&f, LEFT_HAND).t, 0);
    assert_int_equal(solve(&f, &goal, 1, NULL).iterations, 0);
    assert_memory_equal(f.r, before.r, sizeof f.r);
    // An orientation straight opposite.
    goal = facing(HEAD, turn(v3(0, 1, 0), 180), 0);
    assert_true(solve(&f, &goal, 1, NULL).reached);
    f = before;
    bind(&f);
    goal = at(LEFT_HAND, v3(0.4, 1.2, 0.3), 0);
    sft_ik_goals goals = {&goal, 1, NULL};
    const sft_ik_scratch scratch = {memory, sizeof memory};
    sft_ik_body_report report, kept;
    memset(&report, 0x5a, sizeof report);
    kept = report;
    const sft_skeleton* s = &f.skeleton;
    assert_int_equal(sft_ik_body(NULL, s, &goals, &f.pose, scratch, &report), SFT_ERR_ARG);
    assert_int_equal(sft_ik_body(&f.def, NULL, &goals, &f.pose, scratch, &report), SFT_ERR_ARG);
    assert_int_equal(sft_ik_body(&f.def, s, NULL, &f.pose, scratch, &report), SFT_ERR_ARG);
    assert_int_equal(sft_ik_body(&f.def, s, &goals, NULL, scratch, &report), SFT_ERR_ARG);
    sft_ik_scratch small = {memory, sft_ik_body_scratch_size(s, 1) - 1};
    assert_int_equal(sft_ik_body(&f.def, s, &goals, &f.pose, small, &report), SFT_ERR_MEMORY);
    const sft_ik_body_def zero = {0};
    assert_int_equal(sft_ik_body(&zero, s, &goals, &f.pose, scratch, &report), SFT_ERR_DEF);
    for (int i = 0; i < 5; ++i)
    {
        sft_ik_body_def def = f.def;
        if (i == 0) def.weight = -0.5;
        if (i == 1) def.damping = 0.0;
        if (i == 2) def.translating = JOINTS;
        if (i == 3) def.tolerance = NAN;
        if (i == 4) f.stiffness[3] = 2.0, def.stiffness = f.stiffness;
        assert_int_equal(sft_ik_body(&def, s, &goals, &f.pose, scratch, &report), SFT_ERR_DEF);
    }
    for (int i = 0; i < 4; ++i)
    {
        sft_ik_goal bad = goal;
        if (i == 0) bad.position.x = NAN;
        if (i == 1) bad.offset.y = 1e9;
        if (i == 2) bad.weight = -1.0;
        if (i == 3) bad = facing(HEAD, (sft_quatd){0, 0, 0, 0}, 0);
        const sft_ik_goals wrong = {&bad, 1, NULL};
        assert_int_equal(sft_ik_body(&f.def, s, &wrong, &f.pose, scratch, &report), SFT_ERR_RANGE);
    }
    sft_ik_goal nine[9];
    for (int32_t i = 0; i < 9; ++i)
        nine[i] = at(HEAD, v3(0, 1, 0), i);
    const sft_ik_goals many = {nine, 9, NULL};
    assert_int_equal(sft_ik_body(&f.def, s, &many, &f.pose, scratch, &report), SFT_ERR_ARG);
    goal.joint = JOINTS;
    assert_int_equal(sft_ik_body(&f.def, s, &goals, &f.pose, scratch, &report), SFT_ERR_ARG);
    goal.joint = LEFT_HAND;
    assert_memory_equal(f.r, before.r, sizeof f.r);
    f.r[19].w = INFINITY;
    assert_int_equal(sft_ik_body(&f.def, s, &goals, &f.pose, scratch, &report), SFT_ERR_RANGE);
    assert_memory_equal(&report, &kept, sizeof report);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ik_body__reaches_what_can_be_reached),
        cmocka_unit_test(test_ik_body__later_priorities_leave_earlier_ones_alone),
        cmocka_unit_test(test_ik_body__weights_share),
        cmocka_unit_test(test_ik_body__never_drifts),
        cmocka_unit_test(test_ik_body__weight_zero_is_the_input_bit_for_bit_and_weight_moves_smoothly),
        cmocka_unit_test(test_ik_body__stiff_joints_and_joints_without_goals_stay),
        cmocka_unit_test(test_ik_body__hinges_turn_about_their_axis_only),
        cmocka_unit_test(test_ik_body__moved_turned_and_scaled_frames),
        cmocka_unit_test(test_ik_body__warm_start),
        cmocka_unit_test(test_ik_body__degenerate_and_bad_input),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
