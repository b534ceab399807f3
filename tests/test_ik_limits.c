// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

#include "support/angles.h"
#include "support/leg_poses.h"

static bool same_bits(sft_quatd a, sft_quatd b)
{
    return memcmp(&a, &b, sizeof a) == 0;
}

static sft_v3d random_unit(support_rng* rng)
{
    return sft_quatd_rotate(random_rotation(rng), v3(1, 0, 0));
}

/// A rotation built the plain way: twist about the axis, then a swing whose angle about x and y is that of a point in
/// the ellipse.
static sft_quatd build_swing(const sft_limit* l, double radius, double direction, double twist)
{
    const double ex = tan(0.25 * l->swing_max_x), ey = tan(0.25 * l->swing_max_y);
    const double px = radius * ex * cos(direction), py = radius * ey * sin(direction);
    const double length = sqrt(px * px + py * py), angle = 4.0 * atan(length);
    const sft_v3d y = sft_v3d_cross(l->axis, l->swing_x);
    sft_v3d about = v3(0, 0, 0);
    if (length > 0.0) about = sft_v3d_madd(sft_v3d_scale(angle * px / length, l->swing_x), angle * py / length, y);
    const sft_quatd d = sft_quatd_mul(sft_quatd_exp(about), sft_quatd_exp(sft_v3d_scale(twist, l->axis)));
    return sft_quatd_mul(l->reference, d);
}

static sft_quatd build_hinge(const sft_limit* l, double angle)
{
    return sft_quatd_mul(l->reference, sft_quatd_exp(sft_v3d_scale(angle, l->axis)));
}

/// The least angle from `q` to any allowed rotation by search: a grid over all parameters, then ever finer around its
/// best few.
static double nearest_by_search(const sft_limit* l, sft_quatd q)
{
    double best[4][4] = {{10.0}, {10.0}, {10.0}, {10.0}};
    const int n = 20;
    for (int i = 0; i <= n; ++i)
        for (int j = 0; j < 2 * n; ++j)
            for (int k = 0; k <= n; ++k)
            {
                const double radius = (double)i / n, direction = SFT_PI * j / n;
                const double twist = l->min + (l->max - l->min) * k / n;
                const double angle = angle_between(q, build_swing(l, radius, direction, twist));
                int at = 3;
                if (best[3][0] <= angle) continue;
                while (at > 0 && best[at - 1][0] > angle)
                {
                    memcpy(best[at], best[at - 1], sizeof best[at]);
                    --at;
                }
                best[at][0] = angle;
                best[at][1] = radius;
                best[at][2] = direction;
                best[at][3] = twist;
            }
    double least = 10.0;
    for (int b = 0; b < 4; ++b)
    {
        double step[3] = {1.0 / n, SFT_PI / n, (l->max - l->min) / n};
        for (int round = 0; round < 400; ++round)
        {
            bool better = false;
            for (int way = 0; way < 27; ++way)
            {
                const int w[3] = {way % 3 - 1, way / 3 % 3 - 1, way / 9 - 1};
                const double radius = sft_clampd(best[b][1] + w[0] * step[0], 0.0, 1.0);
                const double direction = best[b][2] + w[1] * step[1];
                const double twist = sft_clampd(best[b][3] + w[2] * step[2], l->min, l->max);
                const double angle = angle_between(q, build_swing(l, radius, direction, twist));
                if (angle >= best[b][0]) continue;
                best[b][0] = angle;
                best[b][1] = radius;
                best[b][2] = direction;
                best[b][3] = twist;
                better = true;
                break;
            }
            if (!better)
                for (int i = 0; i < 3; ++i)
                    step[i] *= 0.5;
            if (step[1] < 1e-7) break;
        }
        least = sft_mind(least, best[b][0]);
    }
    return least;
}

static sft_limit random_swing_limit(support_rng* rng, int kind)
{
    sft_limit l = sft_limit_cone(random_rotation(rng), random_unit(rng), support_uniform(rng, 0.1, 3.0), 0.0, 0.0);
    l.swing_x = sft_v3d_normalize_or(sft_v3d_cross(l.axis, random_unit(rng)), l.swing_x);
    if (kind % 3 != 0) l.swing_max_y = support_uniform(rng, 0.05, 3.0);
    const double middle = support_uniform(rng, -4.0, 4.0), half = support_uniform(rng, 0.0, kind % 4 == 0 ? 0.3 : 3.1);
    l.min = middle - half;
    l.max = middle + half;
    return l;
}

static void test_ik_limits__swing_gives_the_nearest_allowed_rotation(void** state)
{
    (void)state;
    support_rng rng = {41};
    int outside = 0;
    for (int i = 0; i < 90; ++i)
    {
        const sft_limit l = random_swing_limit(&rng, i);
        assert_int_equal(sft_limit_check(&l), SFT_OK);
        const sft_quatd q = random_rotation(&rng);
        double excess = -1.0;
        const sft_quatd r = sft_limit_clamp(&l, q, &excess);
        assert_near(excess, angle_between(q, r), 1e-12);
        const double least = nearest_by_search(&l, q);
        // Not farther than the search found, and not nearer than anything allowed can be.
        assert_true(excess <= least + 1e-9);
        assert_true(excess >= least - 1e-4);
        if (excess > 0.0) ++outside;
    }
    assert_true(outside > 40);
}

static void test_ik_limits__clamped_once_stays_as_it_is(void** state)
{
    (void)state;
    support_rng rng = {42};
    for (int i = 0; i < 40000; ++i)
    {
        sft_limit l = random_swing_limit(&rng, i);
        if (i % 2 == 0)
        {
            l.kind = SFT_LIMIT_HINGE;
            l.axis = random_unit(&rng);
        }
        if (i % 50 == 0) l.kind = SFT_LIMIT_FIXED;
        const sft_quatd r = sft_limit_clamp(&l, random_rotation(&rng), NULL);
        assert_near(sft_quatd_dot(r, r), 1.0, 1e-12);
        double excess = -1.0;
        const sft_quatd again = sft_limit_clamp(&l, r, &excess);
        assert_true(same_bits(r, again));
        assert_true(excess == 0.0);
    }
}

static void test_ik_limits__inside_is_left_alone_bit_for_bit(void** state)
{
    (void)state;
    support_rng rng = {43};
    for (int i = 0; i < 40000; ++i)
    {
        sft_limit l = random_swing_limit(&rng, i);
        sft_quatd q;
        if (i % 2 == 0)
        {
            const double radius = support_uniform(&rng, 0.0, 1.0), direction = support_uniform(&rng, 0.0, 7.0);
            q = build_swing(&l, radius, direction, support_uniform(&rng, l.min, l.max));
        }
        else
        {
            l.kind = SFT_LIMIT_HINGE;
            q = build_hinge(&l, support_uniform(&rng, l.min, l.max));
        }
        if (i % 3 == 0) q = (sft_quatd){-q.x, -q.y, -q.z, -q.w};
        double excess = -1.0;
        const sft_quatd r = sft_limit_clamp(&l, q, &excess);
        assert_true(same_bits(q, r));
        assert_true(excess == 0.0);
    }
}

static void test_ik_limits__hinge_gives_the_nearest_allowed_rotation(void** state)
{
    (void)state;
    support_rng rng = {44};
    for (int i = 0; i < 3000; ++i)
    {
        const double middle = support_uniform(&rng, -5.0, 5.0), half = support_uniform(&rng, 0.0, SFT_PI);
        const sft_limit l = sft_limit_hinge(random_rotation(&rng), random_unit(&rng), middle - half, middle + half);
        const sft_quatd q = random_rotation(&rng);
        double excess = -1.0, least = 10.0;
        sft_limit_clamp(&l, q, &excess);
        for (int k = 0; k <= 2000; ++k)
            least = sft_mind(least, angle_between(q, build_hinge(&l, middle - half + half * k / 1000.0)));
        assert_true(excess <= least + 1e-9);
        assert_true(excess >= least - 2e-3);
    }
}

static double hinge_angle(sft_limit l, double degrees)
{
    const sft_quatd q = sft_limit_clamp(&l, build_hinge(&l, degrees * SFT_PI / 180.0), NULL);
    const sft_quatd d = sft_quatd_mul(sft_quatd_conjugate(l.reference), q);
    const double angle = 2.0 * atan2(d.x * l.axis.x + d.y * l.axis.y + d.z * l.axis.z, d.w) * 180.0 / SFT_PI;
    return angle > 180.0 ? angle - 360.0 : angle <= -180.0 ? angle + 360.0 : angle;
}

static double radians(double degrees)
{
    return degrees * SFT_PI / 180.0;
}

/// three.js issue 25338: a limit of plus and minus a right angle about one axis, and negative angles were lost.
static void test_ik_limits__negative_angles_survive(void** state)
{
    (void)state;
    const sft_v3d axes[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    for (int a = 0; a < 3; ++a)
        for (int degrees = -180; degrees <= 180; degrees += 5)
        {
            const sft_limit l = sft_limit_hinge(sft_quatd_identity(), axes[a], -0.5 * SFT_PI, 0.5 * SFT_PI);
            const double expected = degrees == -180 || degrees == 180 ? -90.0 : sft_clampd(degrees, -90.0, 90.0);
            assert_near(hinge_angle(l, degrees), expected, 1e-9);
        }
}

/// three.js issue 29682: rest at -pi, limits -pi plus and minus pi/4; clamped across the wrap.
static void test_ik_limits__range_across_the_wrap(void** state)
{
    (void)state;
    const sft_limit l =
        sft_limit_hinge(sft_quatd_identity(), v3(0, 1, 0), -SFT_PI - 0.25 * SFT_PI, -SFT_PI + 0.25 * SFT_PI);
    const double cases[][2] = {{-180, 180}, {180, 180},   {-170, -170}, {170, 170},  {-135, -135},
                               {135, 135},  {-130, -135}, {130, 135},   {-90, -135}, {90, 135},
                               {-1, -135},  {1, 135},     {0, 135},     {550, -170}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i)
        assert_near(remainder(hinge_angle(l, cases[i][0]) - cases[i][1], 360.0), 0.0, 1e-9);
    // The same range in other words: turns do not count.
    const sft_limit same = sft_limit_hinge(sft_quatd_identity(), v3(0, 1, 0), radians(135), radians(225));
    for (int degrees = -179; degrees <= 180; ++degrees)
        if (degrees != 0)
            assert_near(remainder(hinge_angle(l, degrees) - hinge_angle(same, degrees), 360.0), 0.0, 1e-9);
}

static void test_ik_limits__bad_limits_are_named_and_bad_rotations_become_the_reference(void** state)
{
    (void)state;
    const sft_limit good = sft_limit_cone(sft_quatd_identity(), v3(0, 2, 0), 0.5, -0.1, 0.1);
    assert_int_equal(sft_limit_check(&good), SFT_OK);
    assert_int_equal(sft_limit_check(NULL), SFT_ERR_ARG);
    sft_limit bad[10];
    for (size_t i = 0; i < 10; ++i)
        bad[i] = good;
    bad[0].axis.y = 2.0;
    bad[1].swing_x = bad[1].axis;
    bad[2].min = NAN;
    bad[3].max = -0.2;
    bad[4].max = 7.0;
    bad[5].swing_max_x = -0.1;
    bad[6].swing_max_y = 4.0;
    bad[7].reference = (sft_quatd){0, 0, 0, 0};
    bad[8].reference.x = NAN;
    bad[9].axis.z = INFINITY;
    for (size_t i = 0; i < 10; ++i)
        assert_int_equal(sft_limit_check(&bad[i]), SFT_ERR_RANGE);
    bad[0].kind = (sft_limit_kind)9;
    assert_int_equal(sft_limit_check(&bad[0]), SFT_ERR_ARG);
    const sft_quatd nan = {NAN, 0, 0, 1}, zero = {0, 0, 0, 0};
    assert_true(same_bits(sft_limit_clamp(&good, nan, NULL), good.reference));
    assert_true(same_bits(sft_limit_clamp(&good, zero, NULL), good.reference));
    const sft_limit free = sft_limit_free();
    assert_true(same_bits(sft_limit_clamp(&free, turn(v3(1, 0, 0), 170), NULL), turn(v3(1, 0, 0), 170)));
}

/// Swings by exactly half a turn have no twist of their own, and twists of exactly half a turn have two nearest ends:
/// the answer is allowed, and the same every time.
static void test_ik_limits__degenerate_rotations(void** state)
{
    (void)state;
    support_rng rng = {45};
    for (int i = 0; i < 100; ++i)
    {
        const sft_limit l = random_swing_limit(&rng, i);
        const sft_v3d square = sft_v3d_normalize_or(sft_v3d_cross(l.axis, random_unit(&rng)), l.swing_x);
        const sft_quatd half[2] = {{square.x, square.y, square.z, 0.0}, {l.axis.x, l.axis.y, l.axis.z, 0.0}};
        for (int k = 0; k < 2; ++k)
        {
            const sft_quatd q = sft_quatd_mul(l.reference, half[k]);
            double excess = -1.0;
            const sft_quatd r = sft_limit_clamp(&l, q, &excess);
            assert_true(excess <= nearest_by_search(&l, q) + 1e-9);
            assert_true(angle_between(sft_limit_clamp(&l, r, NULL), r) < 1e-12);
        }
    }
}

#define FRAMES 300

static void learn(const sft_quatd* rotations, double tolerance, double margin, sft_limit* limit)
{
    const char* names[1] = {"joint"};
    const int32_t parents[1] = {-1};
    const sft_v3d translations[1] = {{0, 1, 0}};
    const sft_quatd rest[1] = {{0, 0, 0, 1}};
    const uint32_t flags[1] = {0};
    const sft_skeleton skeleton = {1, names, parents, flags, translations, rest};
    assert_int_equal(sft_limit_learn(&skeleton, rotations, FRAMES, tolerance, margin, limit), SFT_OK);
    assert_int_equal(sft_limit_check(limit), SFT_OK);
    for (int f = 0; f < FRAMES; ++f)
    {
        double excess = -1.0;
        sft_limit_clamp(limit, rotations[f], &excess);
        assert_true(excess <= sft_maxd(tolerance, 2e-9));
    }
}

static void test_ik_limits__learnt_hinges(void** state)
{
    (void)state;
    support_rng rng = {46};
    sft_quatd rotations[FRAMES];
    for (int i = 0; i < 200; ++i)
    {
        // Some ranges reach across the half turn.
        const double from = support_uniform(&rng, -4.0, 4.0), size = support_uniform(&rng, 0.2, i % 5 == 0 ? 5.0 : 2.5);
        const sft_quatd base = random_rotation(&rng);
        const sft_v3d axis = random_unit(&rng);
        for (int f = 0; f < FRAMES; ++f)
            rotations[f] = sft_quatd_mul(base, sft_quatd_exp(sft_v3d_scale(from + size * f / (FRAMES - 1), axis)));
        sft_limit l;
        learn(rotations, 1e-6, 0.1, &l);
        assert_int_equal(l.kind, SFT_LIMIT_HINGE);
        assert_near(fabs(sft_v3d_dot(l.axis, axis)), 1.0, 1e-9);
        assert_near(l.max - l.min, size + 0.2, 1e-6);
        learn(rotations, 1e-6, 0.0, &l);
        assert_near(l.max - l.min, size, 1e-6);
    }
}

static void test_ik_limits__learnt_cones(void** state)
{
    (void)state;
    support_rng rng = {47};
    sft_quatd rotations[FRAMES];
    for (int i = 0; i < 100; ++i)
    {
        sft_limit made = sft_limit_cone(random_rotation(&rng), v3(0, 1, 0), 0.3, -0.2, 0.4);
        const double bearing = support_uniform(&rng, 0.0, 6.0);
        made.swing_x = v3(cos(bearing), 0, sin(bearing));
        made.swing_max_x = 1.0;
        for (int f = 0; f < FRAMES; ++f)
        {
            const double direction = support_uniform(&rng, 0.0, 2.0 * SFT_PI);
            rotations[f] = build_swing(&made, 1.0, direction, support_uniform(&rng, -0.2, 0.4));
        }
        sft_limit l;
        learn(rotations, 0.01, 0.0, &l);
        assert_int_equal(l.kind, SFT_LIMIT_SWING);
        // About the cone that was there: neither half nor twice.
        const double wide = sft_maxd(l.swing_max_x, l.swing_max_y), slim = sft_mind(l.swing_max_x, l.swing_max_y);
        assert_true(wide > 0.9 && wide < 1.3);
        assert_true(slim > 0.27 && slim < 0.45);
        assert_true(l.max - l.min > 0.5 && l.max - l.min < 0.8);
    }
}

static void test_ik_limits__learnt_from_stillness_and_from_anything(void** state)
{
    (void)state;
    support_rng rng = {48};
    sft_quatd rotations[FRAMES];
    sft_limit l;
    for (int f = 0; f < FRAMES; ++f)
        rotations[f] = turn(v3(0, 0, 1), 30);
    learn(rotations, 1e-3, 0.0, &l);
    assert_int_equal(l.kind, SFT_LIMIT_FIXED);
    learn(rotations, 1e-3, 0.2, &l);
    assert_int_equal(l.kind, SFT_LIMIT_SWING);
    assert_near(l.swing_max_x, 0.2, 1e-6);
    assert_near(l.max, 0.2, 1e-6);
    for (int f = 0; f < FRAMES; ++f)
        rotations[f] = random_rotation(&rng);
    learn(rotations, 1e-3, 0.0, &l);
    assert_true(l.kind == SFT_LIMIT_SWING && l.swing_max_x > 2.0);
    // Bad input is refused and nothing is written.
    const sft_limit before = l;
    rotations[7].x = NAN;
    const char* names[1] = {"joint"};
    const int32_t parents[1] = {-1};
    const sft_v3d translations[1] = {{0, 1, 0}};
    const sft_quatd rest[1] = {{0, 0, 0, 1}};
    const sft_skeleton skeleton = {1, names, parents, NULL, translations, rest};
    assert_int_equal(sft_limit_learn(&skeleton, rotations, FRAMES, 0.0, 0.0, &l), SFT_ERR_RANGE);
    assert_int_equal(sft_limit_learn(&skeleton, rotations, 0, 0.0, 0.0, &l), SFT_ERR_ARG);
    assert_int_equal(sft_limit_learn(&skeleton, rotations, 1, -1.0, 0.0, &l), SFT_ERR_ARG);
    assert_int_equal(sft_limit_learn(&skeleton, rotations, 1, 0.0, NAN, &l), SFT_ERR_ARG);
    assert_memory_equal(&l, &before, sizeof l);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ik_limits__swing_gives_the_nearest_allowed_rotation),
        cmocka_unit_test(test_ik_limits__clamped_once_stays_as_it_is),
        cmocka_unit_test(test_ik_limits__inside_is_left_alone_bit_for_bit),
        cmocka_unit_test(test_ik_limits__hinge_gives_the_nearest_allowed_rotation),
        cmocka_unit_test(test_ik_limits__negative_angles_survive),
        cmocka_unit_test(test_ik_limits__range_across_the_wrap),
        cmocka_unit_test(test_ik_limits__bad_limits_are_named_and_bad_rotations_become_the_reference),
        cmocka_unit_test(test_ik_limits__degenerate_rotations),
        cmocka_unit_test(test_ik_limits__learnt_hinges),
        cmocka_unit_test(test_ik_limits__learnt_cones),
        cmocka_unit_test(test_ik_limits__learnt_from_stillness_and_from_anything),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
