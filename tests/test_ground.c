// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// The door to all grounds, planes, profiles and height fields.
#include "support/ground_reference.h"

static const sft_v3d down = {0.0, -1.0, 0.0};

static void assert_v3(sft_v3d a, double x, double y, double z, double tolerance)
{
    if (fabs(a.x - x) > tolerance || fabs(a.y - y) > tolerance || fabs(a.z - z) > tolerance)
        fail_msg("(%.17g, %.17g, %.17g), expected (%.17g, %.17g, %.17g)", a.x, a.y, a.z, x, y, z);
}

static void assert_close(double a, double b, double tolerance)
{
    if (!(fabs(a - b) <= tolerance)) fail_msg("%.17g, expected %.17g", a, b);
}

static void assert_unit(sft_v3d n)
{
    assert_true(fabs(sft_v3d_length(n) - 1.0) < 1e-12);
}

static bool drop(const sft_ground* ground, double x, double y, double z, sft_ground_hit* hit)
{
    return sft_ground_cast(ground, sft_v3d_make(x, y, z), down, 10.0, 0.0, hit);
}

// ---- the door ----

static bool odd_query(const void* data, sft_v3d origin, sft_v3d direction, double distance, double radius,
                      sft_ground_hit* hit)
{
    (void)radius;
    // Checked here: the direction arrives as a unit.
    assert_unit(direction);
    *hit = *(const sft_ground_hit*)data;
    hit->distance += 0.0 * distance * origin.x;
    return true;
}

static void test_ground__arguments_that_are_no_numbers_hit_nothing(void** state)
{
    (void)state;
    const sft_ground_plane plane = {.normal = {0, 1, 0}};
    const sft_ground ground = sft_ground_from_plane(&plane);
    const sft_v3d o = {0, 1, 0};
    const double bad[] = {NAN, INFINITY, -INFINITY, 2e6};
    const sft_ground_hit before = {.body = 77, .triangle = 5};
    sft_ground_hit hit = before;
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; ++i)
    {
        const double v = bad[i];
        assert_false(sft_ground_cast(&ground, sft_v3d_make(v, 1, 0), down, 2.0, 0.0, &hit));
        assert_false(sft_ground_cast(&ground, sft_v3d_make(0, v, 0), down, 2.0, 0.0, &hit));
        assert_false(sft_ground_cast(&ground, sft_v3d_make(0, 1, v), down, 2.0, 0.0, &hit));
        if (fabs(v) < 1e300) continue;
        assert_false(sft_ground_cast(&ground, o, sft_v3d_make(v, -1, 0), 2.0, 0.0, &hit));
        assert_false(sft_ground_cast(&ground, o, sft_v3d_make(0, v, 0), 2.0, 0.0, &hit));
        assert_false(sft_ground_cast(&ground, o, down, 2.0, v, &hit));
    }
    assert_false(sft_ground_cast(&ground, o, down, NAN, 0.0, &hit));
    assert_false(sft_ground_cast(&ground, o, down, -1.0, 0.0, &hit));
    assert_false(sft_ground_cast(&ground, o, down, -1e-300, 0.0, &hit));
    assert_false(sft_ground_cast(&ground, o, down, 2.0, -0.1, &hit));
    assert_false(sft_ground_cast(&ground, o, sft_v3d_make(0, 0, 0), 2.0, 0.0, &hit));
    assert_false(sft_ground_cast(NULL, o, down, 2.0, 0.0, &hit));
    assert_false(sft_ground_cast(&(sft_ground){0}, o, down, 2.0, 0.0, &hit));
    assert_memory_equal(&hit, &before, sizeof hit);
    // But a way without end is one.
    assert_true(sft_ground_cast(&ground, o, down, INFINITY, 0.0, &hit));
    assert_close(hit.distance, 1.0, 0.0);
}

static void test_ground__direction_may_have_any_length(void** state)
{
    (void)state;
    const sft_ground_plane plane = {.normal = {0, 1, 0}, .body = 3};
    const sft_ground ground = sft_ground_from_plane(&plane);
    const double lengths[] = {1e-300, 1e-5, 1.0, 7.0, 1e300};
    for (size_t i = 0; i < sizeof lengths / sizeof lengths[0]; ++i)
    {
        sft_ground_hit hit = {0};
        assert_true(sft_ground_cast(&ground, sft_v3d_make(1, 3, 2), sft_v3d_make(lengths[i], -lengths[i], 0.0), 9.0,
                                    0.0, &hit));
        assert_v3(hit.point, 4.0, 0.0, 2.0, 1e-14);
        assert_close(hit.distance, 3.0 * sqrt(2.0), 1e-14);
        assert_int_equal(hit.body, 3);
        assert_int_equal(hit.triangle, -1);
    }
}

static void test_ground__a_users_function_is_asked_and_its_nonsense_ignored(void** state)
{
    (void)state;
    sft_ground_hit answer = {.normal = {0, 1, 0}, .distance = 1.0, .body = 9, .triangle = 4};
    const sft_ground ground = {odd_query, &answer};
    sft_ground_hit hit = {0};
    const sft_v3d o = {0, 1, 0}, slant = {3, -4, 12};
    assert_true(sft_ground_cast(&ground, o, slant, 2.0, 0.0, &hit));
    assert_int_equal(hit.body, 9);
    assert_int_equal(hit.triangle, 4);
    answer.distance = 3.0;
    assert_false(sft_ground_cast(&ground, o, slant, 2.0, 0.0, &hit));
    answer.distance = -1.0;
    assert_false(sft_ground_cast(&ground, o, slant, 2.0, 0.0, &hit));
    answer.distance = 1.0;
    answer.point.y = NAN;
    assert_false(sft_ground_cast(&ground, o, slant, 2.0, 0.0, &hit));
    answer.point.y = 0.0;
    answer.normal.z = INFINITY;
    assert_false(sft_ground_cast(&ground, o, slant, 2.0, 0.0, &hit));
    answer.normal = sft_v3d_make(0, 0, 0);
    assert_false(sft_ground_cast(&ground, o, slant, 2.0, 0.0, &hit));
    // A normal that is no unit vector stretches what stands off the ground along it: 1e200 m were such a step.
    answer.normal = sft_v3d_make(0, 2, 0);
    assert_false(sft_ground_cast(&ground, o, slant, 2.0, 0.0, &hit));
    answer.normal.y = 1e200;
    assert_false(sft_ground_cast(&ground, o, slant, 2.0, 0.0, &hit));
    // One kept in floats is.
    answer.normal = sft_v3d_make(0.6f, 0.8f, 0);
    assert_true(sft_ground_cast(&ground, o, slant, 2.0, 0.0, &hit));
    answer.point.x = 2e6;
    assert_false(sft_ground_cast(&ground, o, slant, 2.0, 0.0, &hit));
}

static void test_ground__drops_are_casts(void** state)
{
    (void)state;
    const double distances[] = {0.0, 1.0, 1.0, 2.0}, heights[] = {0.0, 0.0, NAN, 1.0};
    const sft_ground_profile profile = {.count = 4, .distances = distances, .heights = heights, .body = 2};
    const sft_ground ground = sft_ground_from_profile(&profile);
    sft_v3d origins[64];
    sft_ground_hit hits[64];
    support_rng rng = {1};
    for (int i = 0; i < 64; ++i)
        origins[i] = ref_point(&rng, -1.0, 3.0);
    sft_ground_drop(&ground, 64, origins, 1.5, hits);
    int missed = 0;
    for (int i = 0; i < 64; ++i)
    {
        sft_ground_hit one = {.triangle = -2};
        missed += !sft_ground_cast(&ground, origins[i], down, 1.5, 0.0, &one);
        assert_memory_equal(&one, &hits[i], sizeof one);
    }
    assert_in_range(missed, 5, 59);
    sft_ground_drop(&ground, -3, origins, 1.5, hits);
    sft_ground_drop(&ground, 3, NULL, 1.5, hits);
}

// ---- planes ----

static void test_ground__plane_has_two_sides(void** state)
{
    (void)state;
    const double s = sqrt(0.5);
    const sft_ground_plane plane = {.point = {0, 1, 0}, .normal = {s, s, 0}, .body = -4};
    const sft_ground ground = sft_ground_from_plane(&plane);
    sft_ground_hit hit = {0};
    assert_true(drop(&ground, 1.0, 5.0, 2.0, &hit));
    assert_v3(hit.point, 1.0, 0.0, 2.0, 1e-15);
    assert_v3(hit.normal, s, s, 0.0, 1e-15);
    assert_int_equal(hit.body, -4);
    assert_true(sft_ground_cast(&ground, sft_v3d_make(1, -5, 2), sft_v3d_make(0, 1, 0), 5.5, 0.0, &hit));
    assert_v3(hit.point, 1.0, 0.0, 2.0, 1e-15);
    assert_v3(hit.normal, -s, -s, 0.0, 1e-15);
    assert_false(sft_ground_cast(&ground, sft_v3d_make(1, 5, 2), sft_v3d_make(0, 1, 0), 50.0, 0.0, &hit));
    assert_false(sft_ground_cast(&ground, sft_v3d_make(1, 5, 2), down, 4.9, 0.0, &hit));
    // From the plane itself; within it.
    assert_true(sft_ground_cast(&ground, plane.point, down, 1.0, 0.0, &hit));
    assert_close(hit.distance, 0.0, 0.0);
    assert_v3(hit.normal, s, s, 0.0, 1e-15);
    assert_true(sft_ground_cast(&ground, plane.point, sft_v3d_make(0, 1, 0), 1.0, 0.0, &hit));
    assert_v3(hit.normal, -s, -s, 0.0, 1e-15);
    assert_false(sft_ground_cast(&ground, plane.point, sft_v3d_make(0, 0, 1), 1.0, 0.0, &hit));
}

static void test_ground__sphere_meets_plane(void** state)
{
    (void)state;
    const sft_ground_plane plane = {.normal = {0, 1, 0}};
    const sft_ground ground = sft_ground_from_plane(&plane);
    const sft_v3d slant = {3, -4, 0};
    sft_ground_hit hit = {0};
    // The centre sinks 4 over a way of 5.
    assert_true(sft_ground_cast(&ground, sft_v3d_make(0, 5, 0), slant, 10.0, 1.0, &hit));
    assert_close(hit.distance, 5.0, 1e-14);
    assert_v3(hit.point, 3.0, 0.0, 0.0, 1e-14);
    assert_v3(hit.normal, 0.0, 1.0, 0.0, 0.0);
    // Touching and overlapping at the start, whatever the direction.
    assert_true(sft_ground_cast(&ground, sft_v3d_make(1, 0.25, 0), sft_v3d_make(0, 1, 0), 10.0, 0.25, &hit));
    assert_close(hit.distance, 0.0, 0.0);
    assert_v3(hit.point, 1.0, 0.0, 0.0, 0.0);
    assert_true(sft_ground_cast(&ground, sft_v3d_make(1, -0.1, 0), sft_v3d_make(1, 0, 0), 10.0, 0.25, &hit));
    assert_v3(hit.normal, 0.0, -1.0, 0.0, 0.0);
    assert_false(sft_ground_cast(&ground, sft_v3d_make(1, 0.3, 0), sft_v3d_make(1, 0, 0), 10.0, 0.25, &hit));
}

static void test_ground__plane_without_a_normal_is_no_ground(void** state)
{
    (void)state;
    const sft_ground_plane planes[] = {
        {.normal = {0, 0, 0}}, {.normal = {0, NAN, 0}}, {.point = {0, INFINITY, 0}, .normal = {0, 1, 0}}};
    sft_ground_hit hit;
    for (size_t i = 0; i < 3; ++i)
    {
        const sft_ground ground = sft_ground_from_plane(&planes[i]);
        assert_false(drop(&ground, 0.0, 1.0, 0.0, &hit));
        assert_false(sft_ground_cast(&ground, sft_v3d_make(0, 1, 0), down, 10.0, 2.0, &hit));
    }
    const sft_ground none = sft_ground_from_plane(NULL);
    assert_false(drop(&none, 0.0, 1.0, 0.0, &hit));
}

// ---- profiles ----

// Two steps up of 0.3 x 0.2, then a gap of half a metre, then a ramp down.
static const double stair_s[] = {1.0, 1.0, 1.3, 1.3, 2.0, 2.0, 2.5, 3.5};
static const double stair_y[] = {0.0, 0.2, 0.2, 0.4, 0.4, NAN, 0.4, -0.1};

static void test_ground__profile_is_level_stairs_gap_and_ramp(void** state)
{
    (void)state;
    const sft_ground_profile p = {.count = 8, .distances = stair_s, .heights = stair_y, .body = 6};
    const sft_ground ground = sft_ground_from_profile(&p);
    const double expected[][2] = {{-100.0, 0.0}, {0.99, 0.0}, {1.0, 0.2},  {1.15, 0.2},   {1.3, 0.4},  {1.31, 0.4},
                                  {2.0, 0.4},    {2.5, 0.4},  {3.0, 0.15}, {3.25, 0.025}, {3.5, -0.1}, {100.0, -0.1}};
    sft_ground_hit hit = {0};
    for (size_t i = 0; i < sizeof expected / sizeof expected[0]; ++i)
    {
        assert_true(drop(&ground, 7.0, 1.0, expected[i][0], &hit));
        assert_v3(hit.point, 7.0, expected[i][1], expected[i][0], 1e-15);
        assert_close(hit.distance, 1.0 - expected[i][1], 1e-15);
        assert_int_equal(hit.body, 6);
        const bool ramp = expected[i][0] >= 2.5 && expected[i][0] <= 3.5;
        assert_v3(hit.normal, 0.0, ramp ? 1.0 / sqrt(1.25) : 1.0, ramp ? 0.5 / sqrt(1.25) : 0.0, 1e-15);
    }
    assert_false(drop(&ground, 7.0, 1.0, 2.0001, &hit));
    assert_false(drop(&ground, 7.0, 1.0, 2.4999, &hit));
    // Along the stairs, against the risers, from both sides; from below.
    assert_true(sft_ground_cast(&ground, sft_v3d_make(0, 0.1, 0), sft_v3d_make(0, 0, 1), 9.0, 0.0, &hit));
    assert_v3(hit.point, 0.0, 0.1, 1.0, 1e-15);
    assert_v3(hit.normal, 0.0, 0.0, -1.0, 0.0);
    assert_true(sft_ground_cast(&ground, sft_v3d_make(0, 0.1, 1.2), sft_v3d_make(0, 0, -1), 9.0, 0.0, &hit));
    assert_v3(hit.normal, 0.0, 0.0, 1.0, 0.0);
    assert_true(sft_ground_cast(&ground, sft_v3d_make(0, -1, 1.5), sft_v3d_make(0, 1, 0), 9.0, 0.0, &hit));
    assert_v3(hit.point, 0.0, 0.4, 1.5, 1e-15);
    assert_v3(hit.normal, 0.0, -1.0, 0.0, 0.0);
    // Straight across nothing is met.
    assert_false(sft_ground_cast(&ground, sft_v3d_make(0, 0.2, 1.1), sft_v3d_make(1, 0, 0), 9.0, 0.0, &hit));
}

static void test_ground__profile_turns_and_moves(void** state)
{
    (void)state;
    support_rng rng = {2};
    const sft_ground_profile still = {.count = 8, .distances = stair_s, .heights = stair_y};
    const sft_ground plain = sft_ground_from_profile(&still);
    for (int i = 0; i < 20000; ++i)
    {
        sft_ground_profile p = still;
        p.origin = ref_point(&rng, -50.0, 50.0);
        p.heading = support_uniform(&rng, -7.0, 7.0);
        const sft_ground ground = sft_ground_from_profile(&p);
        const sft_v3d o = ref_point(&rng, -3.0, 5.0), d = ref_direction(&rng);
        const sft_quatd q = sft_quatd_exp(sft_v3d_make(0.0, p.heading, 0.0));
        const double radius = i % 2 == 0 ? 0.0 : support_uniform(&rng, 0.01, 0.5);
        sft_ground_hit one = {0}, two = {0};
        const bool a = sft_ground_cast(&plain, o, d, 6.0, radius, &one);
        const bool b = sft_ground_cast(&ground, sft_v3d_add(p.origin, sft_quatd_rotate(q, o)), sft_quatd_rotate(q, d),
                                       6.0, radius, &two);
        assert_int_equal(a, b);
        if (!a) continue;
        const sft_v3d n = sft_quatd_rotate(q, one.normal);
        const sft_v3d at = sft_v3d_add(p.origin, sft_quatd_rotate(q, one.point));
        assert_close(one.distance, two.distance, 1e-11);
        assert_v3(two.point, at.x, at.y, at.z, 1e-10);
        assert_v3(two.normal, n.x, n.y, n.z, 1e-9);
    }
}

// The same stairs as long strips of triangles.
static size_t stair_triangles(ref_triangle* out)
{
    size_t count = 0;
    for (int i = 0; i <= 8; ++i)
    {
        const double s0 = i == 0 ? -30.0 : stair_s[i - 1], s1 = i == 8 ? 30.0 : stair_s[i];
        const double y0 = stair_y[i == 0 ? 0 : i - 1], y1 = stair_y[i == 8 ? 7 : i];
        if (isnan(y0) || isnan(y1)) continue;
        const vec a = {-30.0L, (real)y0, (real)s0}, b = {-30.0L, (real)y1, (real)s1};
        const vec c = {30.0L, (real)y0, (real)s0}, d = {30.0L, (real)y1, (real)s1};
        out[count++] = (ref_triangle){a, b, d};
        out[count++] = (ref_triangle){a, d, c};
    }
    return count;
}

static void test_ground__profile_agrees_with_its_triangles(void** state)
{
    (void)state;
    const sft_ground_profile p = {.count = 8, .distances = stair_s, .heights = stair_y};
    const sft_ground ground = sft_ground_from_profile(&p);
    ref_triangle all[18];
    const size_t count = stair_triangles(all);
    support_rng rng = {3};
    int hits = 0;
    for (int i = 0; i < 30000; ++i)
    {
        const sft_v3d o = ref_point(&rng, -1.0, 4.0), d = ref_direction(&rng);
        sft_ground_hit hit = {0};
        real best = -1;
        for (size_t k = 0; k < count; ++k)
        {
            const real t = ref_ray(&all[k], vec_of(o), vec_of(d), 1e-12L);
            if (t >= 0 && t <= 5 && (best < 0 || t < best)) best = t;
        }
        const bool found = sft_ground_cast(&ground, o, d, 5.0, 0.0, &hit);
        assert_int_equal(found, best >= 0);
        if (found) assert_true(fabsl((real)hit.distance - best) < 1e-11L);
        hits += found;
    }
    assert_in_range(hits, 8000, 29000);
}

static void test_ground__sphere_over_profile_agrees_with_its_triangles(void** state)
{
    (void)state;
    const sft_ground_profile p = {.count = 8, .distances = stair_s, .heights = stair_y};
    const sft_ground ground = sft_ground_from_profile(&p);
    ref_triangle all[18];
    const size_t count = stair_triangles(all);
    support_rng rng = {4};
    int hits = 0, touching = 0;
    for (int i = 0; i < 4000; ++i)
    {
        const sft_v3d o = ref_point(&rng, -1.0, 4.0), d = ref_direction(&rng);
        const double radius = support_uniform(&rng, 0.02, 0.6);
        sft_ground_hit hit = {0};
        const real t = ref_sphere(all, count, vec_of(o), vec_of(d), 5, (real)radius);
        if (t == -2) continue;
        const bool found = sft_ground_cast(&ground, o, d, 5.0, radius, &hit);
        assert_int_equal(found, t >= 0);
        if (!found) continue;
        if (fabsl((real)hit.distance - t) > 1e-6L) fail_msg("case %d: %.17g, not %.17Lg", i, hit.distance, t);
        // The point lies on the ground, the centre a radius from it (less where it overlapped), along the normal.
        const sft_v3d centre = sft_v3d_madd(o, hit.distance, d);
        const double gap = sft_v3d_distance(centre, hit.point);
        assert_true(ref_distance(all, count, vec_of(hit.point)) < 1e-10L);
        assert_true(hit.distance == 0.0 ? gap <= radius : fabs(gap - radius) < 1e-10);
        assert_v3(sft_v3d_madd(hit.point, gap, hit.normal), centre.x, centre.y, centre.z, 1e-9);
        hits += 1;
        touching += hit.distance == 0.0;
    }
    assert_in_range(hits, 1500, 3999);
    assert_in_range(touching, 300, 3000);
}

// Rays aimed exactly at points of the profile and at its pieces, from near and far: none falls through.
static void test_ground__no_ray_falls_through_a_profile(void** state)
{
    (void)state;
    enum
    {
        COUNT = 200
    };
    static double s[COUNT], y[COUNT];
    support_rng rng = {5};
    for (int i = 0; i < COUNT; ++i)
    {
        s[i] = (i > 0 ? s[i - 1] : -10.0) + (i % 3 == 0 ? 0.0 : support_uniform(&rng, 0.0, 0.4));
        y[i] = support_uniform(&rng, -0.5, 0.5);
    }
    for (int far = 0; far < 3; ++far)
    {
        const sft_ground_profile p = {.origin = {far * 1234.5, far * 10.1, far * 7e4},
                                      .heading = far * 0.7,
                                      .count = COUNT,
                                      .distances = s,
                                      .heights = y};
        const sft_ground ground = sft_ground_from_profile(&p);
        for (int i = 0; i < 200000; ++i)
        {
            const int k = (int)support_uniform(&rng, 0.0, COUNT);
            const sft_v3d u = {sft_sin(p.heading), 0.0, sft_cos(p.heading)};
            sft_v3d target = sft_v3d_madd(p.origin, s[k], u);
            target.y += y[k];
            sft_v3d o = sft_v3d_add(target, sft_v3d_make(0.0, support_uniform(&rng, 2.0, 30.0), 0.0));
            if (i % 2 == 0) o = sft_v3d_add(o, ref_point(&rng, -3.0, 3.0));
            o.y = sft_maxd(o.y, p.origin.y + 1.0);
            // Beyond the target: the ground closes everything below.
            const sft_v3d d = sft_v3d_sub(target, o);
            sft_ground_hit hit;
            if (!sft_ground_cast(&ground, o, d, INFINITY, 0.0, &hit))
                fail_msg("ray %d at point %d falls through", i, k);
        }
    }
}

static void test_ground__bad_profiles_are_no_ground(void** state)
{
    (void)state;
    const double s[] = {0.0, 1.0}, y[] = {0.0, INFINITY}, nan2[] = {NAN, NAN}, back[] = {1.0, 0.0};
    const sft_ground_profile bad[] = {{.count = 0, .distances = s, .heights = s},
                                      {.count = -5, .distances = s, .heights = s},
                                      {.count = 2, .distances = NULL, .heights = s},
                                      {.count = 2, .distances = s, .heights = NULL},
                                      {.count = 2, .distances = s, .heights = nan2},
                                      {.count = 2, .distances = nan2, .heights = s},
                                      {.count = 2, .distances = s, .heights = s, .heading = NAN},
                                      {.origin = {NAN, 0, 0}, .count = 2, .distances = s, .heights = s}};
    sft_ground_hit hit;
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; ++i)
    {
        const sft_ground ground = sft_ground_from_profile(&bad[i]);
        assert_false(drop(&ground, 0.0, 1.0, 0.5, &hit));
        assert_false(sft_ground_cast(&ground, sft_v3d_make(0, 1, 0.5), down, 9.0, 0.3, &hit));
    }
    // What is left of an infinite height is the ground before it.
    const sft_ground_profile half = {.count = 2, .distances = s, .heights = y};
    const sft_ground ground = sft_ground_from_profile(&half);
    assert_true(drop(&ground, 0.0, 1.0, -0.5, &hit));
    assert_false(drop(&ground, 0.0, 1.0, 0.5, &hit));
    // Out of order: some answer, or none.
    const sft_ground_profile wrong = {.count = 2, .distances = back, .heights = s};
    const sft_ground astray = sft_ground_from_profile(&wrong);
    (void)drop(&astray, 0.0, 3.0, 0.5, &hit);
    // One point is level ground.
    const sft_ground_profile one = {.origin = {0, 2, 0}, .count = 1, .distances = s, .heights = s};
    const sft_ground level = sft_ground_from_profile(&one);
    assert_true(drop(&level, 4.0, 3.0, -70.0, &hit));
    assert_close(hit.distance, 1.0, 0.0);
    assert_true(drop(&level, 4.0, 3.0, 70.0, &hit));
}

// ---- height fields ----

#define SIDE 24

typedef struct field
{
    sft_ground_heights def;
    double y[SIDE * SIDE];
    ref_triangle all[2 * SIDE * SIDE];
    size_t count;
} field;

static void make_field(field* f, uint64_t seed, double far, bool holes)
{
    support_rng rng = {seed};
    f->def = (sft_ground_heights){.origin = {far, -0.25 * far, 2.0 * far},
                                  .step_x = 0.25,
                                  .step_z = 0.5,
                                  .count_x = SIDE,
                                  .count_z = SIDE,
                                  .heights = f->y,
                                  .body = 8};
    for (int i = 0; i < SIDE * SIDE; ++i)
        f->y[i] = holes && support_uniform(&rng, 0.0, 1.0) < 0.06 ? NAN : support_uniform(&rng, 0.0, 0.6);
    f->count = 0;
    for (int k = 0; k + 1 < SIDE; ++k)
        for (int i = 0; i + 1 < SIDE; ++i)
        {
            vec p[4];
            bool hole = false;
            for (int n = 0; n < 4; ++n)
            {
                const int x = i + (n & 1), z = k + (n >> 1);
                p[n] = vec_of(sft_v3d_add(f->def.origin, sft_v3d_make(x * 0.25, f->y[z * SIDE + x], z * 0.5)));
                hole |= isnan(p[n].y);
            }
            if (hole) continue;
            f->all[f->count++] = (ref_triangle){p[0], p[1], p[3]};
            f->all[f->count++] = (ref_triangle){p[0], p[2], p[3]};
        }
}

static sft_v3d over(const field* f, support_rng* rng)
{
    const double x = support_uniform(rng, -1.0, 7.0), y = support_uniform(rng, -1.0, 2.0);
    const double z = support_uniform(rng, -1.0, 13.0);
    return sft_v3d_add(f->def.origin, sft_v3d_make(x, y, z));
}

static void test_ground__rays_over_heights_agree_with_all_triangles(void** state)
{
    (void)state;
    static field f;
    support_rng rng = {6};
    for (int set = 0; set < 4; ++set)
    {
        make_field(&f, 10 + (uint64_t)set, set < 2 ? 0.0 : 1024.0, set % 2 == 1);
        const sft_ground ground = sft_ground_from_heights(&f.def);
        const double tolerance = set < 2 ? 1e-12 : 1e-10;
        int hits = 0;
        for (int i = 0; i < 3000; ++i)
        {
            const sft_v3d o = over(&f, &rng);
            sft_v3d d = i % 4 == 0 ? down : ref_direction(&rng);
            if (i % 4 == 1) d.y *= 0.02;
            d = sft_v3d_scale(1.0 / sft_v3d_length(d), d);
            const double length = i % 3 == 0 ? INFINITY : support_uniform(&rng, 0.0, 12.0);
            real sure = -1, maybe = -1;
            for (size_t k = 0; k < f.count; ++k)
            {
                const real t = ref_ray(&f.all[k], vec_of(o), vec_of(d), (real)tolerance);
                if (t >= 0 && t <= (real)length && (maybe < 0 || t < maybe)) maybe = t;
                const real u = ref_ray(&f.all[k], vec_of(o), vec_of(d), -(real)tolerance);
                if (u >= 0 && u <= (real)length && (sure < 0 || u < sure)) sure = u;
            }
            if (sure != maybe) continue; // at the rim
            sft_ground_hit hit = {0};
            const bool found = sft_ground_cast(&ground, o, d, length, 0.0, &hit);
            if (found != (sure >= 0)) fail_msg("set %d ray %d: %d, not %Lg", set, i, found, sure);
            if (!found) continue;
            assert_true(fabsl((real)hit.distance - sure) < 1e-9L);
            assert_unit(hit.normal);
            assert_true(sft_v3d_dot(hit.normal, d) <= 0.0);
            assert_int_equal(hit.body, 8);
            hits += 1;
        }
        assert_in_range(hits, 500, 2900);
    }
}

static void test_ground__spheres_over_heights_agree_with_all_triangles(void** state)
{
    (void)state;
    static field f;
    support_rng rng = {7};
    for (int set = 0; set < 2; ++set)
    {
        make_field(&f, 20 + (uint64_t)set, 0.0, set == 1);
        const sft_ground ground = sft_ground_from_heights(&f.def);
        int hits = 0;
        for (int i = 0; i < 150; ++i)
        {
            const sft_v3d o = over(&f, &rng), d = i % 3 == 0 ? down : ref_direction(&rng);
            const double radius = support_uniform(&rng, 0.02, 0.7);
            const real t = ref_sphere(f.all, f.count, vec_of(o), vec_of(d), 4, (real)radius);
            if (t == -2) continue;
            sft_ground_hit hit = {0};
            const bool found = sft_ground_cast(&ground, o, d, 4.0, radius, &hit);
            if (found != (t >= 0)) fail_msg("set %d sphere %d: %d, not %Lg", set, i, found, t);
            if (!found) continue;
            if (fabsl((real)hit.distance - t) > 1e-6L) fail_msg("sphere %d: %.17g, not %.17Lg", i, hit.distance, t);
            const sft_v3d centre = sft_v3d_madd(o, hit.distance, d);
            assert_true(ref_distance(f.all, f.count, vec_of(hit.point)) < 1e-12L);
            assert_true(fabs((double)ref_distance(f.all, f.count, vec_of(centre)) -
                             sft_v3d_distance(centre, hit.point)) < 1e-9);
            hits += 1;
        }
        assert_in_range(hits, 40, 150);
    }
}

// Exactly at corners, along edges and diagonals, straight down and slanted, near and far from the origin.
static void test_ground__no_ray_falls_through_heights(void** state)
{
    (void)state;
    static field f;
    support_rng rng = {8};
    for (int set = 0; set < 4; ++set)
    {
        make_field(&f, 30 + (uint64_t)set, set * 1e4 / 3.0, false);
        const sft_ground ground = sft_ground_from_heights(&f.def);
        for (int i = 0; i < 100000; ++i)
        {
            const int x = 1 + (int)support_uniform(&rng, 0.0, SIDE - 2),
                      z = 1 + (int)support_uniform(&rng, 0.0, SIDE - 2);
            static const int to[4][2] = {{0, 0}, {1, 0}, {0, 1}, {1, 1}};
            const int* n = to[i % 4];
            const sft_v3d a = sft_v3d_add(f.def.origin, sft_v3d_make(x * 0.25, f.y[z * SIDE + x], z * 0.5));
            const int bx = x + n[0] < SIDE - 1 ? x + n[0] : x, bz = z + n[1] < SIDE - 1 ? z + n[1] : z;
            const sft_v3d b = sft_v3d_add(f.def.origin, sft_v3d_make(bx * 0.25, f.y[bz * SIDE + bx], bz * 0.5));
            const sft_v3d target = sft_v3d_lerp(a, b, support_uniform(&rng, 0.0, 1.0));
            sft_v3d o = sft_v3d_add(target, sft_v3d_make(0.0, 1.0, 0.0));
            // Steep enough to stay over the field.
            if (i % 3 != 0) o = sft_v3d_add(o, sft_v3d_scale(0.1, ref_direction(&rng)));
            sft_ground_hit hit;
            if (!sft_ground_cast(&ground, o, sft_v3d_sub(target, o), 20.0, 0.0, &hit))
                fail_msg("set %d: ray %d falls through near (%d, %d)", set, i, x, z);
        }
    }
}

static void test_ground__bad_height_fields_are_no_ground(void** state)
{
    (void)state;
    const double y[4] = {0, 0, 0, 0}, high[4] = {0, 1e300, 0, 0}, inf[4] = {INFINITY, 0, 0, 0};
    const sft_ground_heights good = {.step_x = 1.0, .step_z = 1.0, .count_x = 2, .count_z = 2, .heights = y};
    sft_ground_heights bad[10];
    for (int i = 0; i < 10; ++i)
        bad[i] = good;
    bad[0].step_x = 0.0;
    bad[1].step_z = -1.0;
    bad[2].step_x = NAN;
    bad[3].count_x = 1;
    bad[4].count_z = -7;
    bad[5].heights = NULL;
    bad[6].origin.y = NAN;
    bad[7].heights = high;
    bad[8].heights = inf;
    bad[9].step_x = 1e300;
    sft_ground_hit hit;
    for (int i = 0; i < 10; ++i)
    {
        const sft_ground ground = sft_ground_from_heights(&bad[i]);
        assert_false(drop(&ground, 0.5, 1.0, 0.5, &hit));
        assert_false(sft_ground_cast(&ground, sft_v3d_make(0.5, 1, 0.5), down, 9.0, 0.3, &hit));
    }
    const sft_ground ground = sft_ground_from_heights(&good);
    assert_true(drop(&ground, 0.5, 1.0, 0.5, &hit));
    // Its rim belongs to it.
    assert_true(drop(&ground, 0.0, 1.0, 0.0, &hit));
    assert_true(drop(&ground, 1.0, 1.0, 1.0, &hit));
    assert_false(drop(&ground, 1.0 + 1e-12, 1.0, 1.0, &hit));
    // Within its plane.
    assert_false(sft_ground_cast(&ground, sft_v3d_make(-1, 0, 0.5), sft_v3d_make(1, 0, 0), 9.0, 0.0, &hit));
    // A sphere as large as the world, a way without end.
    assert_true(sft_ground_cast(&ground, sft_v3d_make(0, 10, 0), sft_v3d_make(0, 1, 0), INFINITY, 1e6, &hit));
    assert_false(sft_ground_cast(&ground, sft_v3d_make(0, 10, 0), sft_v3d_make(0, 1, 0), INFINITY, 1.0, &hit));
    assert_false(sft_ground_cast(&ground, sft_v3d_make(0, 10, 0), sft_v3d_make(1e-17, 1, 1e-17), INFINITY, 1.0, &hit));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ground__arguments_that_are_no_numbers_hit_nothing),
        cmocka_unit_test(test_ground__direction_may_have_any_length),
        cmocka_unit_test(test_ground__a_users_function_is_asked_and_its_nonsense_ignored),
        cmocka_unit_test(test_ground__drops_are_casts),
        cmocka_unit_test(test_ground__plane_has_two_sides),
        cmocka_unit_test(test_ground__sphere_meets_plane),
        cmocka_unit_test(test_ground__plane_without_a_normal_is_no_ground),
        cmocka_unit_test(test_ground__profile_is_level_stairs_gap_and_ramp),
        cmocka_unit_test(test_ground__profile_turns_and_moves),
        cmocka_unit_test(test_ground__profile_agrees_with_its_triangles),
        cmocka_unit_test(test_ground__sphere_over_profile_agrees_with_its_triangles),
        cmocka_unit_test(test_ground__no_ray_falls_through_a_profile),
        cmocka_unit_test(test_ground__bad_profiles_are_no_ground),
        cmocka_unit_test(test_ground__rays_over_heights_agree_with_all_triangles),
        cmocka_unit_test(test_ground__spheres_over_heights_agree_with_all_triangles),
        cmocka_unit_test(test_ground__no_ray_falls_through_heights),
        cmocka_unit_test(test_ground__bad_height_fields_are_no_ground),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
