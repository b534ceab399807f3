// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

#include "support/angles.h"
#include "support/chains.h"

static const chain_solver solvers[2] = {sft_ik_fabrik, sft_ik_ccd};

static sft_ik_chain_def plain_def(void)
{
    sft_ik_chain_def def = sft_default_ik_chain_def();
    def.arc = false;
    return def;
}

/// Article 003: (0,0), (1,0), (2,0) to (1,1) gives (0,0), (1,0), (1,1) in one pass.
static void test_ik_chain__articles_fabrik_case(void** state)
{
    (void)state;
    const double lengths[2] = {1, 1};
    for (int arc = 0; arc < 2; ++arc)
    {
        sft_ik_chain_def def = sft_default_ik_chain_def();
        def.arc = arc != 0;
        sft_v3d p[3] = {{0, 0, 0}, {1, 0, 0}, {2, 0, 0}};
        sft_ik_report report;
        assert_int_equal(sft_ik_fabrik_points(&def, 3, lengths, v3(1, 1, 0), p, &report), SFT_OK);
        assert_int_equal(report.iterations, 1);
        assert_true(report.reached);
        assert_point(p[1], v3(1, 0, 0), 1e-15);
        assert_point(p[2], v3(1, 1, 0), 1e-15);
        test_chain c;
        make_chain(&c, 2, v3(1, 0, 0));
        report = solve_chain(&c, sft_ik_fabrik, &def, v3(1, 1, 0));
        assert_int_equal(report.iterations, 1);
        assert_point(chain_joint(&c, 1).t, v3(1, 0, 0), 1e-6);
        assert_point(chain_end(&c), v3(1, 1, 0), 1e-6);
    }
}

/// Article 003: joint (0,0), end (1,0), target (0,1): a quarter turn, hit. Straight opposite: half a turn, hit too.
static void test_ik_chain__articles_ccd_case(void** state)
{
    (void)state;
    for (int arc = 0; arc < 2; ++arc)
    {
        sft_ik_chain_def def = sft_default_ik_chain_def();
        def.arc = arc != 0;
        test_chain c;
        make_chain(&c, 1, v3(1, 0, 0));
        sft_ik_report report = solve_chain(&c, sft_ik_ccd, &def, v3(0, 1, 0));
        assert_int_equal(report.iterations, 1);
        assert_near(report.residual, 0.0, 1e-15);
        assert_same_rotation(c.r[0], turn(v3(0, 0, 1), 90), 1e-15);
        const sft_v3d ways[6] = {{1, 0, 0}, {-1, 0, 0}, {0, 1, 0}, {0, -1, 0}, {0, 0, 1}, {0, 0, -1}};
        for (int i = 0; i < 6; ++i)
            for (int s = 0; s < 2; ++s)
            {
                make_chain(&c, 1, ways[i]);
                report = solve_chain(&c, solvers[s], &def, sft_v3d_scale(-1.0, ways[i]));
                assert_near(report.residual, 0.0, 1e-12);
            }
    }
}

/// After one joint's step the next sees the new end: two bones, the tip's step done by hand.
static void test_ik_chain__ccd_recomputes_what_hangs_below(void** state)
{
    (void)state;
    sft_ik_chain_def def = plain_def();
    def.iterations = 1;
    test_chain c;
    make_chain(&c, 2, v3(1, 0, 0));
    solve_chain(&c, sft_ik_ccd, &def, v3(0, 1.5, 0));
    // Tip: from (1,0) the end (2,0) turns towards (0,1.5), to (1,0) + (-1,1.5)/sqrt(3.25). Root: that direction, up.
    const sft_v3d e = v3(1.0 - 1.0 / sqrt(3.25), 1.5 / sqrt(3.25), 0);
    assert_point(chain_end(&c), v3(0, sft_v3d_length(e), 0), 1e-12);
    // Damping: no joint turns by more in one step.
    def.damping = 0.1;
    make_chain(&c, 2, v3(1, 0, 0));
    solve_chain(&c, sft_ik_ccd, &def, v3(0, 1.5, 0));
    assert_near(sft_v3d_length(sft_quatd_log(c.r[0])), 0.1, 1e-12);
    assert_near(sft_v3d_length(sft_quatd_log(c.r[1])), 0.1, 1e-12);
}

/// The success of issue and bench: ten bones of 0.1 m, 20 rounds, 1 mm, from straight and from slightly bent.
static void test_ik_chain__success_within_four_fifths_of_reach(void** state)
{
    (void)state;
    for (int arc = 0; arc < 2; ++arc)
        for (int bent = 0; bent < 2; ++bent)
            for (int s = 0; s < 2; ++s)
            {
                support_rng rng = {(uint64_t)(61 + bent)};
                sft_ik_chain_def def = sft_default_ik_chain_def();
                def.arc = arc != 0;
                const int count = 2000;
                int reached = 0;
                test_chain c;
                for (int i = 0; i < count; ++i)
                {
                    make_chain(&c, 10, v3(0, 0.1, 0));
                    for (int32_t j = 0; j < 10 && bent; ++j)
                    {
                        const double angle = support_uniform(&rng, 0.0, 0.1);
                        c.r[j] = sft_quatd_exp(sft_v3d_scale(angle, random_direction(&rng)));
                    }
                    sft_v3d target = random_in_ball(&rng, 0.8);
                    if (s == 1)
                    {
                        target = v3(0, 0, 0);
                        for (int j = 0; j < 10; ++j)
                            target = sft_v3d_madd(target, 0.1, random_direction(&rng));
                    }
                    if (solve_chain(&c, solvers[s], &def, target).reached) ++reached;
                }
                // The bare algorithms keep what is asked of them here; with the arc, all arrive.
                assert_true(reached >= (arc ? count : s == 0 ? count * 995 / 1000 : count * 95 / 100));
            }
}

typedef struct travelled
{
    double most_turn;   ///< [rad] any bone's in one step
    double most_bend;   ///< [rad] between neighbouring bones
    double beyond_turn; ///< [rad] any bone's in one step beyond full stretch
} travelled;

// The target moves along the chain's line from `from` to `to` of the reach, off it by `off`.
static travelled travel(chain_solver solver, bool own_output, bool bent, int steps, double from, double to, double off)
{
    test_chain c;
    make_chain(&c, 10, v3(0, 0.1, 0));
    for (int32_t j = 0; j < 10 && bent; ++j)
        c.r[j] = turn(v3(1, 0, 0), 0.5 * (j % 3));
    sft_quatd source[CHAIN_JOINTS];
    memcpy(source, c.r, sizeof source);
    sft_ik_chain_def def = sft_default_ik_chain_def();
    def.tolerance = 1e-8;
    travelled out = {0, 0, 0};
    sft_v3d last[10];
    for (int i = 0; i <= steps; ++i)
    {
        const double distance = from + (to - from) * i / steps;
        if (!own_output) memcpy(c.r, source, sizeof source);
        const sft_ik_report r = solve_chain(&c, solver, &def, v3(off, distance, 0));
        assert_true(r.reached || sft_v3d_length(v3(off, distance, 0)) > 1.0);
        if (!r.reached) assert_near(r.residual, sft_v3d_length(v3(off, distance, 0)) - 1.0, 1e-9);
        sft_v3d dirs[10];
        for (int32_t j = 0; j < 10; ++j)
        {
            dirs[j] = sft_quatd_rotate(chain_joint(&c, j).r, v3(0, 1, 0));
            const double turned = i > 0 ? angle_of(dirs[j], last[j]) : 0.0;
            out.most_turn = sft_maxd(out.most_turn, turned);
            if (sft_mind(distance, distance - (to - from) / steps) > 1.0)
                out.beyond_turn = sft_maxd(out.beyond_turn, turned);
            if (j > 0) out.most_bend = sft_maxd(out.most_bend, angle_of(dirs[j - 1], dirs[j]));
        }
        memcpy(last, dirs, sizeof last);
    }
    return out;
}

/// A target that moves slowly along the chain's line, through full stretch and beyond, and back: nothing jumps, curls
/// or shakes. At full stretch bends grow as the root of what the target comes in, so steps shrink as its root at worst.
static void test_ik_chain__through_full_stretch_and_beyond(void** state)
{
    (void)state;
    for (int s = 0; s < 2; ++s)
        for (int own = 0; own < 2; ++own)
            for (int bent = 0; bent < 2; ++bent)
                for (int way = 0; way < 2; ++way)
                    for (int off = 0; off < 2; ++off)
                    {
                        const double from = way == 0 ? 0.8 : 1.1, to = way == 0 ? 1.1 : 0.8;
                        for (int steps = 100; steps <= 6400; steps *= 8)
                        {
                            const travelled t = travel(solvers[s], own, bent, steps, from, to, off * 1e-3);
                            // An arc of chord 1 - h turns by sqrt(24 h) in all, its first bone by half of that.
                            assert_true(t.most_turn <= 0.5 * sqrt(24.0 * 0.3 / steps));
                            assert_true(t.beyond_turn <= (off ? 2e-3 * 0.3 / steps : 1e-9));
                            // 0.8 of the reach as an arc: 2.26 rad over nine joints, and the source's bends.
                            assert_true(t.most_bend < 0.33);
                        }
                    }
}

/// The target moves across the line of a straight chain, within reach and out of it: seen from the source or from the
/// last answer, no direction jumps.
static void test_ik_chain__across_the_line(void** state)
{
    (void)state;
    for (int s = 0; s < 2; ++s)
        for (int far = 0; far < 2; ++far)
        {
            test_chain c;
            make_chain(&c, 10, v3(0, 0.1, 0));
            const sft_ik_chain_def def = sft_default_ik_chain_def();
            sft_v3d last[10] = {{0, 0, 0}};
            for (int i = 0; i <= 400; ++i)
            {
                solve_chain(&c, solvers[s], &def, v3(0.001 * (i - 200), far ? 1.2 : 0.95, 0));
                for (int32_t j = 0; j < 10; ++j)
                {
                    const sft_v3d d = sft_quatd_rotate(chain_joint(&c, j).r, v3(0, 1, 0));
                    if (i > 0) assert_true(angle_of(d, last[j]) < 0.02);
                    last[j] = d;
                }
            }
        }
}

/// Random chains follow targets along random lines, each answer from the source or from the one before: every target is
/// reached, and steps of the joints stay within a multiple of the target's.
static void test_ik_chain__no_jumps_while_dragging(void** state)
{
    (void)state;
    for (int i = 0; i < 80; ++i)
    {
        support_rng rng = {(uint64_t)(77 + i)};
        test_chain c;
        make_chain(&c, 6, v3(0, 0, 0));
        double reach = 0.0;
        for (int32_t j = 1; j <= 6; ++j)
        {
            c.t[j] = sft_v3d_scale(support_uniform(&rng, 0.1, 0.2), random_direction(&rng));
            reach += sft_v3d_length(c.t[j]);
        }
        const sft_v3d from = sft_v3d_add(chain_end(&c), random_in_ball(&rng, 0.05));
        const sft_v3d to = random_in_ball(&rng, 1.1 * reach);
        sft_ik_chain_def def = sft_default_ik_chain_def();
        def.tolerance = 1e-6;
        const int steps = 400;
        const double step = sft_v3d_distance(from, to) / steps;
        sft_v3d last[7] = {{0, 0, 0}};
        for (int k = 0; k <= steps; ++k)
        {
            const sft_v3d target = sft_v3d_lerp(from, to, (double)k / steps);
            if (i % 2 == 0)
                for (int32_t j = 0; j <= 6; ++j)
                    c.r[j] = sft_quatd_identity();
            const bool reached = solve_chain(&c, solvers[i / 2 % 2], &def, target).reached;
            assert_true(reached || sft_v3d_length(target) > 0.999 * reach);
            for (int32_t j = 1; j <= 6; ++j)
            {
                const sft_v3d p = chain_joint(&c, j).t;
                if (k > 0) assert_true(sft_v3d_distance(p, last[j]) < 90.0 * step);
                last[j] = p;
            }
        }
    }
}

/// The same within limits, to a place that an allowed pose reaches: fed with the last answer, nothing jumps.
static void test_ik_chain__no_jumps_within_limits(void** state)
{
    (void)state;
    for (int i = 0; i < 60; ++i)
    {
        support_rng rng = {(uint64_t)(177 + i)};
        test_chain c;
        make_chain(&c, 5, v3(0, 0, 0));
        for (int32_t j = 1; j <= 5; ++j)
            c.t[j] = sft_v3d_scale(support_uniform(&rng, 0.1, 0.2), random_direction(&rng));
        for (int32_t j = 0; j < 5; ++j)
        {
            const sft_v3d bone = sft_v3d_normalize_or(c.t[j + 1], v3(0, 1, 0));
            c.limits[j] = j % 2 != 0
                              ? sft_limit_hinge(c.rest[j], sft_v3d_cross(bone, random_direction(&rng)), -0.5, 1.2)
                              : sft_limit_cone(c.rest[j], bone, 1.0, -0.5, 0.5);
        }
        const sft_v3d from = sft_v3d_add(chain_end(&c), random_in_ball(&rng, 0.05));
        for (int32_t j = 0; j < 5; ++j)
            c.r[j] = sft_limit_clamp(&c.limits[j], sft_quatd_exp(random_step(&rng, 0.8)), NULL);
        const sft_v3d to = chain_end(&c);
        for (int32_t j = 0; j < 5; ++j)
            c.r[j] = sft_quatd_identity();
        sft_ik_chain_def def = sft_default_ik_chain_def();
        def.tolerance = 1e-4;
        def.limits = c.limits;
        def.iterations = 60;
        sft_v3d last[6] = {{0, 0, 0}};
        for (int k = 0; k <= 400; ++k)
        {
            assert_true(solve_chain(&c, solvers[i % 2], &def, sft_v3d_lerp(from, to, k / 400.0)).reached);
            for (int32_t j = 1; j <= 5; ++j)
            {
                const sft_v3d p = chain_joint(&c, j).t;
                if (k > 1) assert_true(sft_v3d_distance(p, last[j]) < 0.02);
                last[j] = p;
            }
        }
    }
}

/// caliko issue 25: three bones of 40 straight along z, target z = 100: they buckle within their hinges' limits.
static void test_ik_chain__straight_chain_buckles_within_its_hinges(void** state)
{
    (void)state;
    const double ranges[][3][2] = {{{-60, 60}, {-60, 60}, {-60, 60}}, {{-90, 90}, {0, 90}, {0, 90}},
                                   {{-90, 90}, {-90, 0}, {-90, 0}},   {{0, 90}, {-120, 10}, {-120, 10}},
                                   {{-90, 0}, {0, 120}, {0, 120}},    {{-60, 60}, {-90, 90}, {-5, 5}}};
    for (int s = 0; s < 2; ++s)
        for (size_t k = 0; k < sizeof ranges / sizeof ranges[0]; ++k)
            for (int axis = 0; axis < 2; ++axis)
            {
                test_chain c;
                make_chain(&c, 3, v3(0, 0, 40));
                const sft_v3d about = axis == 0 ? v3(1, 0, 0) : v3(0, 1, 0);
                for (int32_t j = 0; j < 3; ++j)
                    c.limits[j] = sft_limit_hinge(c.rest[j], about, ranges[k][j][0] * SFT_PI / 180.0,
                                                  ranges[k][j][1] * SFT_PI / 180.0);
                sft_ik_chain_def def = sft_default_ik_chain_def();
                def.limits = c.limits;
                def.tolerance = 0.01;
                def.iterations = 50;
                const sft_ik_report report = solve_chain(&c, solvers[s], &def, v3(0, 0, 100));
                assert_true(report.reached);
                for (int32_t j = 0; j < 3; ++j)
                {
                    double excess = -1.0;
                    sft_limit_clamp(&c.limits[j], c.r[j], &excess);
                    assert_true(excess == 0.0);
                }
                // Not straight: the middle joints left the line.
                assert_true(sft_v3d_length(sft_v3d_cross(chain_joint(&c, 1).t, v3(0, 0, 1))) > 1.0);
            }
}

/// caliko issue 11: bones 6 and 8, hinges of plus and minus 90 degrees and 0 to 135: a target left of the root gives
/// the same solution whether it was dragged there or clicked.
static void test_ik_chain__dragging_and_jumping_agree(void** state)
{
    (void)state;
    for (int s = 0; s < 2; ++s)
    {
        test_chain c[2];
        sft_ik_chain_def def = sft_default_ik_chain_def();
        def.tolerance = 1e-6;
        def.iterations = 200;
        const sft_v3d targets[] = {{-9, 4, 0}, {-10, 6, 0}, {-8, 8, 0}};
        for (int k = 0; k < 3; ++k)
        {
            for (int i = 0; i < 2; ++i)
            {
                make_chain(&c[i], 2, v3(0, 6, 0));
                c[i].t[2] = v3(0, 8, 0);
                c[i].limits[0] = sft_limit_hinge(c[i].rest[0], v3(0, 0, 1), -0.5 * SFT_PI, 0.5 * SFT_PI);
                c[i].limits[1] = sft_limit_hinge(c[i].rest[1], v3(0, 0, 1), 0.0, 0.75 * SFT_PI);
            }
            const sft_v3d from = v3(6, 8, 0);
            for (int i = 0; i <= 100; ++i)
            {
                def.limits = c[0].limits;
                solve_chain(&c[0], solvers[s], &def, sft_v3d_lerp(from, targets[k], 0.01 * i));
            }
            def.limits = c[1].limits;
            solve_chain(&c[1], solvers[s], &def, from);
            const sft_ik_report report = solve_chain(&c[1], solvers[s], &def, targets[k]);
            assert_true(report.reached);
            for (int32_t j = 0; j < 3; ++j)
                assert_point(chain_joint(&c[0], j).t, chain_joint(&c[1], j).t, 1e-4);
        }
    }
}

static sft_limit random_limit(support_rng* rng, sft_quatd reference, sft_v3d bone, int kind)
{
    const double wide = support_uniform(rng, 0.3, 1.5);
    if (kind == 0) return sft_limit_free();
    if (kind == 1) return sft_limit_hinge(reference, sft_v3d_cross(bone, random_direction(rng)), -0.3 * wide, wide);
    sft_limit l = sft_limit_cone(reference, bone, wide, -0.5, 0.5);
    if (kind == 3) l.swing_max_y = 0.4 * wide;
    return l;
}

static void random_chain(support_rng* rng, test_chain* c, int32_t bones, bool limited)
{
    make_chain(c, bones, v3(0, 0, 0));
    c->t[0] = random_step(rng, 1.0);
    c->r[0] = random_rotation(rng);
    for (int32_t j = 1; j <= bones; ++j)
        c->t[j] = sft_v3d_scale(support_uniform(rng, 0.05, 0.3), random_direction(rng));
    for (int32_t j = 0; j < bones; ++j)
    {
        c->rest[j] = random_rotation(rng);
        const sft_v3d bone = sft_v3d_normalize_or(c->t[j + 1], v3(0, 1, 0));
        if (limited) c->limits[j] = random_limit(rng, c->rest[j], bone, (int)support_uniform(rng, 0.0, 4.0));
        c->r[j] = c->rest[j];
    }
}

/// Targets that an allowed pose reaches: limits hold to the last bit of the clamp, the residual never grows, and nearly
/// all are reached.
static void test_ik_chain__limits_inside_the_loop(void** state)
{
    (void)state;
    for (int s = 0; s < 2; ++s)
    {
        support_rng rng = {71};
        int reached = 0;
        const int count = 600;
        for (int i = 0; i < count; ++i)
        {
            test_chain c;
            random_chain(&rng, &c, 2 + i % 9, true);
            const int32_t bones = c.chain.joint_count - 1;
            sft_quatd start[CHAIN_JOINTS];
            memcpy(start, c.r, sizeof start);
            for (int32_t j = 0; j < bones; ++j)
                c.r[j] = sft_limit_clamp(&c.limits[j], sft_quatd_mul(c.rest[j], sft_quatd_exp(random_step(&rng, 0.8))),
                                         NULL);
            const sft_v3d target = chain_end(&c);
            memcpy(c.r, start, sizeof start);
            const double before = sft_v3d_distance(chain_end(&c), target);
            sft_ik_chain_def def = sft_default_ik_chain_def();
            def.limits = c.limits;
            def.iterations = 100;
            const sft_ik_report report = solve_chain(&c, solvers[s], &def, target);
            assert_true(report.residual <= before + 1e-12);
            assert_true(report.limit_excess == 0.0);
            if (report.reached) ++reached;
            for (int32_t j = 0; j < bones; ++j)
            {
                double excess = -1.0;
                sft_limit_clamp(&c.limits[j], c.r[j], &excess);
                assert_true(excess == 0.0);
            }
            // A pose outside the limits comes inside, and the report says by how much it was not.
            c.r[0] = sft_quatd_mul(c.rest[0], sft_quatd_exp(random_step(&rng, 3.0)));
            double excess = 0.0;
            sft_limit_clamp(&c.limits[0], c.r[0], &excess);
            assert_near(solve_chain(&c, solvers[s], &def, target).limit_excess, excess, 1e-12);
            sft_limit_clamp(&c.limits[0], c.r[0], &excess);
            assert_true(excess == 0.0);
        }
        print_message("limited chains: %d of %d reached\n", reached, count);
        assert_true(reached >= count * 95 / 100);
    }
}

/// Out of reach, with limits and without, fed its own output: it comes to rest and stays.
static void test_ik_chain__comes_to_rest_out_of_reach(void** state)
{
    (void)state;
    for (int s = 0; s < 2; ++s)
    {
        support_rng rng = {72};
        for (int i = 0; i < 60; ++i)
        {
            test_chain c;
            random_chain(&rng, &c, 3 + i % 6, i % 2 == 0);
            double reach = 0.0;
            for (int32_t j = 1; j < c.chain.joint_count; ++j)
                reach += sft_v3d_length(c.t[j]);
            const sft_v3d target =
                sft_v3d_madd(chain_joint(&c, 0).t, reach * support_uniform(&rng, 1.05, 2.0), random_direction(&rng));
            sft_ik_chain_def def = sft_default_ik_chain_def();
            def.limits = c.limits;
            sft_ik_report report = {0};
            double last = 1e9;
            for (int k = 0; k < 400; ++k)
            {
                report = solve_chain(&c, solvers[s], &def, target);
                assert_true(report.residual <= last + 1e-12);
                last = report.residual;
            }
            const sft_v3d end = chain_end(&c);
            sft_quatd r[CHAIN_JOINTS];
            memcpy(r, c.r, sizeof r);
            for (int k = 0; k < 10; ++k)
                solve_chain(&c, solvers[s], &def, target);
            assert_point(chain_end(&c), end, 1e-4);
            for (int32_t j = 0; j < c.chain.joint_count; ++j)
                assert_same_rotation(c.r[j], r[j], 5e-3);
            if (i % 2 == 1)
            {
                assert_near(report.residual, sft_v3d_distance(chain_joint(&c, 0).t, target) - reach, 1e-9);
                assert_memory_equal(r, c.r, sizeof r);
            }
        }
    }
}

/// Each joint turns its bone by the least turn from where its source rotation leads: no turn about the bone itself.
static void test_ik_chain__twist_stays_the_sources(void** state)
{
    (void)state;
    support_rng rng = {73};
    for (int i = 0; i < 400; ++i)
    {
        test_chain c;
        random_chain(&rng, &c, 2 + i % 8, false);
        sft_quatd source[CHAIN_JOINTS];
        memcpy(source, c.r, sizeof source);
        const sft_v3d target = sft_v3d_add(chain_joint(&c, 0).t, random_in_ball(&rng, 0.4));
        const sft_ik_chain_def def = sft_default_ik_chain_def();
        solve_chain(&c, sft_ik_fabrik, &def, target);
        for (int32_t j = 0; j + 1 < c.chain.joint_count; ++j)
        {
            const sft_quatd parent = j > 0 ? chain_joint(&c, j - 1).r : sft_quatd_identity();
            const sft_quatd led = sft_quatd_mul(parent, source[j]), is = sft_quatd_mul(parent, c.r[j]);
            const sft_quatd turned = sft_quatd_mul(is, sft_quatd_conjugate(led));
            const sft_v3d bone = sft_quatd_rotate(led, sft_v3d_normalize_or(c.t[j + 1], v3(0, 1, 0)));
            assert_near(sft_v3d_dot(v3(turned.x, turned.y, turned.z), bone), 0.0, 1e-7);
        }
    }
}

static void test_ik_chain__moved_turned_and_scaled_frames(void** state)
{
    (void)state;
    support_rng rng = {74};
    int apart = 0;
    for (int i = 0; i < 400; ++i)
    {
        test_chain a, b;
        random_chain(&rng, &a, 2 + i % 8, i % 2 == 0);
        if (i % 3 == 0)
            for (int32_t j = 1; j < a.chain.joint_count; ++j)
                a.t[j] = v3(0, 0.2, 0), a.r[j] = a.rest[j] = sft_quatd_identity(), a.limits[j] = sft_limit_free();
        const sft_v3d target = sft_v3d_add(chain_joint(&a, 0).t, random_in_ball(&rng, 0.5));
        const sft_quatd q = random_rotation(&rng);
        const sft_v3d shift = random_step(&rng, 3.0);
        // A power of two scales without rounding.
        const double k = 4.0;
        b = a;
        b.skeleton = (sft_skeleton){a.skeleton.joint_count, b.names, b.parents, b.flags, b.t, b.rest};
        b.chain = (sft_ik_chain){&b.skeleton, a.chain.joint_count, b.joints};
        b.pose = (sft_ik_pose){b.t, b.r};
        for (int32_t j = 0; j < b.skeleton.joint_count; ++j)
            b.t[j] = sft_v3d_scale(k, b.t[j]);
        b.t[0] = sft_v3d_add(shift, sft_quatd_rotate(q, b.t[0]));
        b.r[0] = sft_quatd_mul(q, b.r[0]);
        b.limits[0].reference = sft_quatd_mul(q, b.limits[0].reference);
        sft_ik_chain_def def = sft_default_ik_chain_def(), scaled = def;
        def.limits = a.limits;
        scaled.limits = b.limits;
        scaled.tolerance *= k;
        for (int s = 0; s < 2; ++s)
        {
            const sft_ik_report ra = solve_chain(&a, solvers[s], &def, target);
            const sft_v3d there = sft_v3d_add(shift, sft_quatd_rotate(q, sft_v3d_scale(k, target)));
            const sft_ik_report rb = solve_chain(&b, solvers[s], &scaled, there);
            // Roundings may decide whether one more round is needed: the rest is the same.
            if (ra.iterations != rb.iterations) ++apart;
            if (ra.iterations != rb.iterations) continue;
            assert_near(k * ra.residual, rb.residual, 1e-6);
            for (int32_t j = 0; j < a.chain.joint_count; ++j)
            {
                const sft_v3d expected =
                    sft_v3d_add(shift, sft_quatd_rotate(q, sft_v3d_scale(k, chain_joint(&a, j).t)));
                // Where two poses are equally near to what limits allow, roundings choose.
                if (sft_v3d_distance(chain_joint(&b, j).t, expected) > 1e-5) ++apart;
            }
        }
    }
    assert_true(apart <= 8);
}

static void test_ik_chain__reached_stays_bit_for_bit_and_nothing_else_is_touched(void** state)
{
    (void)state;
    support_rng rng = {75};
    for (int i = 0; i < 200; ++i)
    {
        test_chain c;
        random_chain(&rng, &c, 8, i % 2 == 0);
        sft_ik_chain_def def = sft_default_ik_chain_def();
        def.limits = c.limits;
        const test_chain before = c;
        for (int s = 0; s < 2; ++s)
        {
            const sft_ik_report r = solve_chain(&c, solvers[s], &def, chain_end(&c));
            assert_int_equal(r.iterations, 0);
            assert_memory_equal(c.r, before.r, sizeof c.r);
        }
        // Joints 2, 5 and 7 of the nine: what lies between rides along.
        const int32_t some[3] = {2, 5, 7};
        memcpy(c.joints, some, sizeof some);
        c.chain.joint_count = 3;
        sft_v3d target = sft_v3d_add(chain_joint(&c, 2).t, random_in_ball(&rng, 0.3));
        solve_chain(&c, solvers[i % 2], &def, target);
        for (int32_t j = 0; j < 9; ++j)
            if (j != 2 && j != 5) assert_memory_equal(&c.r[j], &before.r[j], sizeof c.r[j]);
        assert_memory_equal(c.t, before.t, sizeof c.t);
    }
}

static void test_ik_chain__degenerate_chains(void** state)
{
    (void)state;
    for (int s = 0; s < 2; ++s)
        for (int arc = 0; arc < 2; ++arc)
        {
            sft_ik_chain_def def = sft_default_ik_chain_def();
            def.arc = arc != 0;
            test_chain c;
            // Some bones without length.
            make_chain(&c, 5, v3(0, 0.2, 0));
            c.t[1] = c.t[3] = v3(0, 0, 0);
            assert_true(solve_chain(&c, solvers[s], &def, v3(0.3, 0.2, 0.1)).reached);
            // None with length: nothing moves.
            make_chain(&c, 3, v3(0, 0, 0));
            const test_chain before = c;
            assert_near(solve_chain(&c, solvers[s], &def, v3(1, 0, 0)).residual, 1.0, 0.0);
            assert_memory_equal(c.r, before.r, sizeof c.r);
            // Target on the root.
            make_chain(&c, 4, v3(0, 0.2, 0));
            const sft_ik_report r = solve_chain(&c, solvers[s], &def, v3(0, 0, 0));
            if (arc) assert_true(r.reached);
            // One long bone and short ones: the nearest the end can come is 0.7 m.
            make_chain(&c, 4, v3(0, 0.1, 0));
            c.t[2] = v3(0, 1, 0);
            if (arc)
            {
                assert_near(solve_chain(&c, solvers[s], &def, v3(0.2, 0, 0)).residual, 0.5, 1e-9);
                make_chain(&c, 4, v3(0, 0.1, 0));
                c.t[2] = v3(0, 1, 0);
                assert_near(solve_chain(&c, solvers[s], &def, v3(0, 0, 0)).residual, 0.7, 1e-9);
            }
            def.iterations = 0;
            assert_int_equal(solve_chain(&c, solvers[s], &def, v3(0.5, 0, 0)).iterations, 0);
        }
    // Points on top of each other are laid out and solved.
    const double lengths[4] = {0.2, 0, 0.3, 0.1};
    const sft_ik_chain_def def = sft_default_ik_chain_def();
    sft_v3d p[5] = {{0, 0, 0}, {0, 0, 0}, {0, 0, 0}, {0, 0, 0}, {0, 0, 0}};
    sft_ik_report report;
    assert_int_equal(sft_ik_fabrik_points(&def, 5, lengths, v3(0.3, 0.2, 0), p, &report), SFT_OK);
    assert_true(report.bone_error < 1e-15);
    for (int i = 0; i < 5; ++i)
        assert_true(sft_v3d_in_range(p[i]));
}

static void test_ik_chain__points_keep_root_and_lengths(void** state)
{
    (void)state;
    support_rng rng = {76};
    const sft_ik_chain_def def = sft_default_ik_chain_def();
    for (int i = 0; i < 2000; ++i)
    {
        sft_v3d p[8];
        double lengths[7], reach = 0.0;
        for (int j = 0; j < 8; ++j)
            p[j] = random_step(&rng, 1.0);
        for (int j = 0; j < 7; ++j)
            reach += lengths[j] = support_uniform(&rng, 0.05, 0.3);
        const sft_v3d root = p[0], target = sft_v3d_add(root, random_in_ball(&rng, 0.7 * reach));
        sft_ik_report report;
        assert_int_equal(sft_ik_fabrik_points(&def, 8, lengths, target, p, &report), SFT_OK);
        assert_point(p[0], root, 0.0);
        for (int j = 0; j < 7; ++j)
            assert_near(sft_v3d_distance(p[j], p[j + 1]), lengths[j], 1e-15 * 8);
        assert_true(report.bone_error <= 1e-15 * 8);
        assert_near(report.residual, sft_v3d_distance(p[7], target), 1e-15);
    }
}

static void test_ik_chain__bad_input_is_refused(void** state)
{
    (void)state;
    test_chain c;
    make_chain(&c, 4, v3(0, 0.2, 0));
    const sft_ik_chain_def def = sft_default_ik_chain_def();
    const sft_v3d target = v3(0.3, 0.3, 0);
    const sft_ik_scratch scratch = {c.memory, sizeof c.memory};
    sft_ik_report report;
    memset(&report, 0x5a, sizeof report);
    for (int s = 0; s < 2; ++s)
    {
        const test_chain before = c;
        const sft_ik_report kept = report;
        const chain_solver f = solvers[s];
        assert_int_equal(f(NULL, &c.chain, target, &c.pose, scratch, &report), SFT_ERR_ARG);
        assert_int_equal(f(&def, NULL, target, &c.pose, scratch, &report), SFT_ERR_ARG);
        assert_int_equal(f(&def, &c.chain, target, NULL, scratch, &report), SFT_ERR_ARG);
        const sft_v3d bad[3] = {{NAN, 0, 0}, {0, INFINITY, 0}, {0, 0, 1e7}};
        for (int i = 0; i < 3; ++i)
            assert_int_equal(f(&def, &c.chain, bad[i], &c.pose, scratch, &report), SFT_ERR_RANGE);
        sft_ik_scratch small = scratch;
        small.size = sft_ik_chain_scratch_size(5) - 1;
        assert_int_equal(f(&def, &c.chain, target, &c.pose, small, &report), SFT_ERR_MEMORY);
        assert_int_equal(f(&def, &c.chain, target, &c.pose, (sft_ik_scratch){NULL, 99999}, &report), SFT_ERR_MEMORY);
        sft_ik_chain_def wrong = {0};
        assert_int_equal(f(&wrong, &c.chain, target, &c.pose, scratch, &report), SFT_ERR_DEF);
        wrong = def;
        wrong.tolerance = NAN;
        assert_int_equal(f(&wrong, &c.chain, target, &c.pose, scratch, &report), SFT_ERR_DEF);
        sft_limit limits[CHAIN_JOINTS];
        memcpy(limits, c.limits, sizeof limits);
        limits[2] = sft_limit_hinge(c.rest[2], v3(0, 0, 1), 1.0, 0.0);
        wrong = def;
        wrong.limits = limits;
        assert_int_equal(f(&wrong, &c.chain, target, &c.pose, scratch, &report), SFT_ERR_DEF);
        const int32_t backwards[3] = {3, 2, 4}, twice[3] = {1, 1, 2}, outside[2] = {1, 9};
        sft_ik_chain chain = {&c.skeleton, 3, backwards};
        assert_int_equal(f(&def, &chain, target, &c.pose, scratch, &report), SFT_ERR_ARG);
        chain.joints = twice;
        assert_int_equal(f(&def, &chain, target, &c.pose, scratch, &report), SFT_ERR_ARG);
        chain = (sft_ik_chain){&c.skeleton, 2, outside};
        assert_int_equal(f(&def, &chain, target, &c.pose, scratch, &report), SFT_ERR_ARG);
        chain = (sft_ik_chain){&c.skeleton, 1, c.joints};
        assert_int_equal(f(&def, &chain, target, &c.pose, scratch, &report), SFT_ERR_ARG);
        assert_memory_equal(&report, &kept, sizeof report);
        assert_memory_equal(c.r, before.r, sizeof c.r);
        c.r[1].y = NAN;
        assert_int_equal(f(&def, &c.chain, target, &c.pose, scratch, &report), SFT_ERR_RANGE);
        c.r[1] = before.r[1];
        c.t[2].y = INFINITY;
        assert_int_equal(f(&def, &c.chain, target, &c.pose, scratch, &report), SFT_ERR_RANGE);
        c.t[2] = before.t[2];
        assert_memory_equal(c.r, before.r, sizeof c.r);
    }
    const double lengths[2] = {1, -1};
    sft_v3d p[3] = {{0, 0, 0}, {1, 0, 0}, {2, 0, 0}};
    assert_int_equal(sft_ik_fabrik_points(&def, 3, lengths, target, p, &report), SFT_ERR_RANGE);
    assert_int_equal(sft_ik_fabrik_points(&def, 1, lengths, target, p, &report), SFT_ERR_ARG);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ik_chain__articles_fabrik_case),
        cmocka_unit_test(test_ik_chain__articles_ccd_case),
        cmocka_unit_test(test_ik_chain__ccd_recomputes_what_hangs_below),
        cmocka_unit_test(test_ik_chain__success_within_four_fifths_of_reach),
        cmocka_unit_test(test_ik_chain__through_full_stretch_and_beyond),
        cmocka_unit_test(test_ik_chain__across_the_line),
        cmocka_unit_test(test_ik_chain__no_jumps_while_dragging),
        cmocka_unit_test(test_ik_chain__no_jumps_within_limits),
        cmocka_unit_test(test_ik_chain__straight_chain_buckles_within_its_hinges),
        cmocka_unit_test(test_ik_chain__dragging_and_jumping_agree),
        cmocka_unit_test(test_ik_chain__limits_inside_the_loop),
        cmocka_unit_test(test_ik_chain__comes_to_rest_out_of_reach),
        cmocka_unit_test(test_ik_chain__twist_stays_the_sources),
        cmocka_unit_test(test_ik_chain__moved_turned_and_scaled_frames),
        cmocka_unit_test(test_ik_chain__reached_stays_bit_for_bit_and_nothing_else_is_touched),
        cmocka_unit_test(test_ik_chain__degenerate_chains),
        cmocka_unit_test(test_ik_chain__points_keep_root_and_lengths),
        cmocka_unit_test(test_ik_chain__bad_input_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
