// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// Meshes: against all triangles, asked one by one; edges, corners, ties, degenerate and hostile input.
#include "support/ground_reference.h"

#include "ground/mesh.h"

static const sft_v3d down = {0.0, -1.0, 0.0};

typedef struct soup
{
    int32_t vertex_count, triangle_count;
    float* vertices;
    int32_t* indices;
    sft_ground_mesh* mesh;
    sft_ground ground;
} soup;

static void allocate_soup(soup* s, int32_t vertices, int32_t triangles)
{
    *s = (soup){.vertex_count = vertices, .triangle_count = triangles};
    s->vertices = malloc(sizeof(float) * 3 * (size_t)vertices);
    s->indices = malloc(sizeof(int32_t) * 3 * (size_t)triangles);
    assert_true(s->vertices != NULL && s->indices != NULL);
}

static void build(soup* s, const int32_t* bodies)
{
    const sft_ground_mesh_def def = {s->vertex_count, s->vertices, s->triangle_count, s->indices, bodies};
    assert_int_equal(sft_ground_mesh_create(&def, NULL, &s->mesh, NULL), SFT_OK);
    s->ground = sft_ground_from_mesh(s->mesh);
}

static void release(soup* s)
{
    sft_ground_mesh_destroy(s->mesh, NULL);
    free(s->vertices);
    free(s->indices);
}

static void corners(const soup* s, int32_t t, double v[3][3])
{
    for (int c = 0; c < 3; ++c)
        for (int k = 0; k < 3; ++k)
            v[c][k] = (double)s->vertices[3 * s->indices[3 * t + c] + k];
}

static ref_triangle reference(const soup* s, int32_t t)
{
    double v[3][3];
    corners(s, t, v);
    return (ref_triangle){vec_of(sft_v3d_make(v[0][0], v[0][1], v[0][2])),
                          vec_of(sft_v3d_make(v[1][0], v[1][1], v[1][2])),
                          vec_of(sft_v3d_make(v[2][0], v[2][1], v[2][2]))};
}

// Triangles of any size and direction about `far`; some are thin, some lie in the planes of the axes.
static void make_soup(soup* s, uint64_t seed, int32_t count, double size, double far)
{
    support_rng rng = {seed};
    allocate_soup(s, 3 * count, count);
    for (int32_t t = 0; t < count; ++t)
    {
        const sft_v3d middle = ref_point(&rng, -1.0, 1.0);
        const double large = size * (t % 17 == 0 ? 5.0 : 1.0);
        for (int c = 0; c < 3; ++c)
        {
            sft_v3d p = sft_v3d_add(middle, sft_v3d_scale(large, ref_point(&rng, -1.0, 1.0)));
            if (t % 5 == 0) p.y = middle.y;
            if (t % 7 == 0 && t % 5 != 0) p.x = middle.x;
            if (t % 11 == 0 && c == 2) p.z += 1e-6;
            s->vertices[9 * t + 3 * c] = (float)(p.x + far);
            s->vertices[9 * t + 3 * c + 1] = (float)(p.y - far);
            s->vertices[9 * t + 3 * c + 2] = (float)(p.z + 0.5 * far);
            s->indices[3 * t + c] = 3 * t + c;
        }
    }
    build(s, NULL);
}

/// What the library says of every triangle alone; the first of the smallest numbers.
static int32_t ask_all(const soup* s, sft_v3d o, sft_v3d d, double length, double radius, sft_ground_touch* best)
{
    const sft_ground_ray ray = sft_ground_ray_make(o, d, length, radius);
    int32_t found = -1;
    for (int32_t t = 0; t < s->triangle_count; ++t)
    {
        double v[3][3];
        sft_ground_touch touch = {0};
        sft_v3d n;
        corners(s, t, v);
        if (!sft_ground_normal(v[0], v[1], v[2], d, &n)) continue;
        if (!(radius > 0.0 ? sft_ground_sphere_triangle(&ray, v[0], v[1], v[2], &touch)
                           : sft_ground_ray_triangle(&ray, v[0], v[1], v[2], &touch.t)))
            continue;
        if (found >= 0 && (touch.t > best->t || (touch.t == best->t && touch.gap >= best->gap))) continue;
        *best = touch;
        found = t;
    }
    return found;
}

// ---- against all triangles ----

static void compare(const soup* s, support_rng* rng, int count, double far, double radius)
{
    int hits = 0;
    for (int i = 0; i < count; ++i)
    {
        sft_v3d o = ref_point(rng, -1.5, 1.5);
        o = sft_v3d_add(o, sft_v3d_make(far, -far, 0.5 * far));
        const sft_v3d axis[] = {{0, -1, 0}, {0, 1, 0}, {1, 0, 0}, {0, 0, -1}};
        const sft_v3d d = i % 8 < 4 ? axis[i % 8] : ref_direction(rng);
        const double length = i % 3 == 0 ? INFINITY : support_uniform(rng, 0.0, 2.5);
        sft_ground_touch best = {0};
        sft_ground_hit hit = {.triangle = -1};
        const int32_t expected = ask_all(s, o, d, length, radius, &best);
        const bool found = sft_ground_mesh_query(s->mesh, o, d, length, radius, &hit);
        if (found != (expected >= 0) || (found && hit.triangle != expected))
            fail_msg("ray %d: triangle %d, expected %d (%.17g, %.17g)", i, hit.triangle, expected, hit.distance,
                     best.t);
        if (!found) continue;
        if (far == 0.0)
            assert_true(hit.distance == best.t);
        else
            assert_true(fabs(hit.distance - best.t) < 1e-9);
        assert_true(fabs(sft_v3d_length(hit.normal) - 1.0) < 1e-12);
        assert_true(radius > 0.0 || sft_v3d_dot(hit.normal, d) <= 0.0);
        hits += 1;
    }
    assert_in_range(hits, s->triangle_count < 100 ? 10 : count / 40, count);
}

static void test_ground_mesh__rays_find_what_asking_every_triangle_finds(void** state)
{
    (void)state;
    support_rng rng = {1};
    const int32_t counts[] = {1, 2, 4, 5, 9, 33, 300, 3000};
    for (size_t i = 0; i < SFT_COUNT_OF(counts); ++i)
        for (int far = 0; far < 2; ++far)
        {
            soup s;
            make_soup(&s, 100 + i, counts[i], counts[i] < 100 ? 0.9 : 0.1, far * 1000.0);
            compare(&s, &rng, counts[i] < 1000 ? 4000 : 1500, far * 1000.0, 0.0);
            release(&s);
        }
}

static void test_ground_mesh__spheres_find_what_asking_every_triangle_finds(void** state)
{
    (void)state;
    support_rng rng = {2};
    for (int i = 0; i < 6; ++i)
    {
        soup s;
        make_soup(&s, 200 + (uint64_t)i, 400, 0.1, i % 2 * 1000.0);
        compare(&s, &rng, 600, i % 2 * 1000.0, i < 2 ? 0.02 : i < 4 ? 0.1 : 0.6);
        release(&s);
    }
}

static void test_ground_mesh__rays_agree_with_long_double(void** state)
{
    (void)state;
    support_rng rng = {3};
    for (int far = 0; far < 2; ++far)
    {
        soup s;
        make_soup(&s, 300, 500, 0.15, far * 4096.0);
        const real edge = far ? 1e-9L : 1e-13L;
        int hits = 0;
        for (int i = 0; i < 6000; ++i)
        {
            const sft_v3d o =
                sft_v3d_add(ref_point(&rng, -1.5, 1.5), sft_v3d_make(far * 4096.0, far * -4096.0, far * 2048.0));
            const sft_v3d d = i % 2 == 0 ? down : ref_direction(&rng);
            real sure = -1, maybe = -1;
            for (int32_t t = 0; t < s.triangle_count; ++t)
            {
                const ref_triangle one = reference(&s, t);
                const real a = ref_ray(&one, vec_of(o), vec_of(d), edge),
                           b = ref_ray(&one, vec_of(o), vec_of(d), -edge);
                if (a >= 0 && (maybe < 0 || a < maybe)) maybe = a;
                if (b >= 0 && (sure < 0 || b < sure)) sure = b;
            }
            if (sure != maybe) continue;
            sft_ground_hit hit = {0};
            const bool found = sft_ground_cast(&s.ground, o, d, INFINITY, 0.0, &hit);
            if (found != (sure >= 0)) fail_msg("ray %d: %d, not %Lg", i, found, sure);
            if (!found) continue;
            // Edge on, where the way crosses a triangle is known less well.
            const real lean = fabsl((real)sft_v3d_dot(hit.normal, d));
            if (!(fabsl((real)hit.distance - sure) < (far ? 1e-11L : 1e-14L) / lean + 1e-14L))
                fail_msg("ray %d: %.17g, not %.17Lg (lean %Lg)", i, hit.distance, sure, lean);
            hits += 1;
        }
        assert_in_range(hits, 1500, 5900);
        release(&s);
    }
}

static void test_ground_mesh__spheres_agree_with_walking_by_the_distance_left(void** state)
{
    (void)state;
    support_rng rng = {4};
    soup s;
    make_soup(&s, 400, 60, 0.3, 0.0);
    ref_triangle all[60];
    for (int32_t t = 0; t < 60; ++t)
        all[t] = reference(&s, t);
    int hits = 0;
    for (int i = 0; i < 3000; ++i)
    {
        const sft_v3d o = ref_point(&rng, -2.0, 2.0), d = ref_direction(&rng);
        const double radius = support_uniform(&rng, 0.01, 0.4);
        const real t = ref_sphere(all, 60, vec_of(o), vec_of(d), 4, (real)radius);
        if (t == -2) continue;
        sft_ground_hit hit = {0};
        const bool found = sft_ground_cast(&s.ground, o, d, 4.0, radius, &hit);
        if (found != (t >= 0)) fail_msg("sphere %d: %d, not %Lg", i, found, t);
        if (!found) continue;
        if (fabsl((real)hit.distance - t) > 1e-6L) fail_msg("sphere %d: %.17g, not %.17Lg", i, hit.distance, t);
        const sft_v3d centre = sft_v3d_madd(o, hit.distance, d);
        assert_true(ref_distance(all, 60, vec_of(hit.point)) < 1e-11L);
        assert_true(fabsl(ref_distance(all, 60, vec_of(centre)) - (real)sft_v3d_distance(centre, hit.point)) < 1e-9L);
        hits += 1;
    }
    assert_in_range(hits, 1000, 2999);
    release(&s);
}

// ---- analytic cases ----

static void test_ground_mesh__sphere_meets_face_edge_and_corner(void** state)
{
    (void)state;
    soup s;
    allocate_soup(&s, 3, 1);
    const float v[9] = {0, 0, 0, 4, 0, 0, 0, 0, 4};
    const int32_t index[3] = {0, 1, 2};
    memcpy(s.vertices, v, sizeof v);
    memcpy(s.indices, index, sizeof index);
    build(&s, NULL);
    const struct
    {
        sft_v3d o, d;
        double t;
        sft_v3d point;
    } cases[] = {{{1, 3, 1}, {0, -1, 0}, 2.0, {1, 0, 1}},     // the face
                 {{1, 3, -0.6}, {0, -1, 0}, 2.2, {1, 0, 0}},  // an edge: sqrt(1 - 0.36) above it
                 {{-0.6, 3, 0}, {0, -1, 0}, 2.2, {0, 0, 0}},  // a corner
                 {{-3, 0, 0}, {1, 0, 0}, 2.0, {0, 0, 0}},     // a corner, in its plane
                 {{2, 0, -3}, {0, 0, 1}, 2.0, {2, 0, 0}},     // an edge, in its plane
                 {{-5, 0.6, 0}, {1, 0, 0}, 4.2, {0, 0, 0}},   // along an edge: its end
                 {{1, 0.5, 1}, {0, 1, 0}, 0.0, {1, 0, 1}},    // overlapping at the start
                 {{1, -1, 1}, {0, -1, 0}, 0.0, {1, 0, 1}},    // touching at the start, leaving
                 {{4.6, 0.0, 0}, {0, 0, 1}, 0.0, {4, 0, 0}}}; // overlapping a corner
    for (size_t i = 0; i < SFT_COUNT_OF(cases); ++i)
    {
        sft_ground_hit hit = {0};
        assert_true(sft_ground_cast(&s.ground, cases[i].o, cases[i].d, 10.0, 1.0, &hit));
        if (fabs(hit.distance - cases[i].t) > 1e-12 || sft_v3d_distance(hit.point, cases[i].point) > 1e-12)
            fail_msg("case %zu: %.17g (%g %g %g)", i, hit.distance, hit.point.x, hit.point.y, hit.point.z);
        const sft_v3d centre = sft_v3d_madd(cases[i].o, hit.distance, cases[i].d);
        const double gap = sft_v3d_distance(centre, hit.point);
        assert_true(sft_v3d_distance(sft_v3d_madd(hit.point, gap, hit.normal), centre) < 1e-12);
    }
    sft_ground_hit hit;
    assert_false(sft_ground_cast(&s.ground, sft_v3d_make(1, 3, -1.001), down, 10.0, 1.0, &hit));
    assert_false(sft_ground_cast(&s.ground, sft_v3d_make(1, 3, 1), down, 1.999, 1.0, &hit));
    // The centre within the face: the normal is the face's, against the way.
    assert_true(sft_ground_cast(&s.ground, sft_v3d_make(1, 0, 1), down, 1.0, 1.0, &hit));
    assert_true(hit.normal.y == 1.0);
    release(&s);
}

// ---- edges and corners ----

#define GRID 40

/// A sheet of a grid, bent so that its corners lie anywhere; seen from above it has no hole and no fold.
static void make_sheet(soup* s, uint64_t seed, double step, double far, bool aligned)
{
    support_rng rng = {seed};
    allocate_soup(s, GRID * GRID, 2 * (GRID - 1) * (GRID - 1));
    for (int k = 0; k < GRID; ++k)
        for (int i = 0; i < GRID; ++i)
        {
            const double wild = aligned ? 0.0 : 0.2;
            const double x = step * (i + support_uniform(&rng, -wild, wild));
            const double z = step * (k + support_uniform(&rng, -wild, wild));
            float* v = s->vertices + 3 * (k * GRID + i);
            v[0] = (float)(x + far);
            v[1] = (float)(step * support_uniform(&rng, -0.5, 0.5) - far);
            v[2] = (float)(z + 0.3 * far);
        }
    int32_t* at = s->indices;
    for (int k = 0; k + 1 < GRID; ++k)
        for (int i = 0; i + 1 < GRID; ++i)
        {
            const int32_t a = k * GRID + i, b = a + 1, c = a + GRID, d = c + 1;
            // Corners in any order: edges are met from both ends.
            const int32_t one[6] = {a, d, b, c, d, a}, two[6] = {b, a, c, b, d, c};
            memcpy(at, (i + k) % 2 == 0 ? one : two, sizeof one);
            at += 6;
        }
    build(s, NULL);
}

static sft_v3d corner_of(const soup* s, int32_t vertex)
{
    const float* v = s->vertices + 3 * vertex;
    return sft_v3d_make((double)v[0], (double)v[1], (double)v[2]);
}

static void test_ground_mesh__no_ray_falls_through_edges_or_corners(void** state)
{
    (void)state;
    support_rng rng = {5};
    const double steps[] = {1.0, 0.125, 0.01, 30.0}, fars[] = {0.0, 3.0, 1000.0, 60000.0};
    long rays = 0;
    for (int set = 0; set < 16; ++set)
    {
        const double step = steps[set % 4], far = fars[set / 4];
        // At 60 km floats are 4 mm apart: the sheet must stay a sheet.
        if (far > 2e5 * step) continue;
        soup s;
        make_sheet(&s, 500 + (uint64_t)set, step, far, set % 2 == 0);
        for (int i = 0; i < SUPPORT_BULK(150000); ++i)
        {
            const int32_t t = (int32_t)support_uniform(&rng, 0.0, s.triangle_count);
            const int32_t* index = s.indices + 3 * t;
            const int c = i % 3;
            const sft_v3d a = corner_of(&s, index[c]), b = corner_of(&s, index[(c + 1) % 3]);
            const sft_v3d target = i % 4 == 0 ? a : sft_v3d_lerp(a, b, support_uniform(&rng, 0.0, 1.0));
            const int32_t x = index[c] % GRID, z = index[c] / GRID;
            if (x < 3 || z < 3 || x > GRID - 4 || z > GRID - 4) continue; // the rim is a rim
            sft_v3d o = sft_v3d_add(target, sft_v3d_make(0.0, 2.0 * step, 0.0));
            if (i % 2 == 0) o = sft_v3d_add(o, sft_v3d_scale(step, ref_point(&rng, -0.5, 0.5)));
            if (i % 16 == 0) o = sft_v3d_add(target, sft_v3d_scale(200.0, sft_v3d_sub(o, target)));
            const sft_v3d d = i % 2 == 0 ? sft_v3d_sub(target, o) : down;
            sft_ground_hit hit;
            if (!sft_ground_cast(&s.ground, o, d, INFINITY, 0.0, &hit))
                fail_msg("set %d: ray %d falls through triangle %d", set, i, t);
            rays += 1;
        }
        release(&s);
    }
    assert_true(rays > SUPPORT_BULK(1000000));
}

// A closed box of many triangles: from inside, no ray gets out, whatever corner or edge it is aimed at.
static void test_ground_mesh__no_ray_leaves_a_closed_shell(void** state)
{
    (void)state;
    enum
    {
        RINGS = 24,
        SECTORS = 32
    };
    for (int far = 0; far < 3; ++far)
    {
        soup s;
        support_rng rng = {6};
        allocate_soup(&s, (RINGS - 1) * SECTORS + 2, 2 * SECTORS * (RINGS - 1));
        const sft_v3d middle = {far * 777.7, far * -100.3, far * 50.1};
        for (int k = 0; k < RINGS - 1; ++k)
            for (int i = 0; i < SECTORS; ++i)
            {
                const double polar = SFT_PI * (k + 1) / RINGS, turn = 2.0 * SFT_PI * i / SECTORS;
                float* v = s.vertices + 3 * (k * SECTORS + i);
                v[0] = (float)(middle.x + sin(polar) * cos(turn));
                v[1] = (float)(middle.y + cos(polar));
                v[2] = (float)(middle.z + sin(polar) * sin(turn));
            }
        const int32_t top = (RINGS - 1) * SECTORS, bottom = top + 1;
        for (int e = 0; e < 2; ++e)
        {
            float* v = s.vertices + 3 * (top + e);
            v[0] = (float)middle.x;
            v[1] = (float)(middle.y + (e == 0 ? 1.0 : -1.0));
            v[2] = (float)middle.z;
        }
        int32_t* at = s.indices;
        for (int32_t i = 0; i < SECTORS; ++i)
        {
            const int32_t j = (i + 1) % SECTORS, last = (RINGS - 2) * SECTORS;
            const int32_t caps[6] = {top, i, j, last + j, last + i, bottom};
            memcpy(at, caps, sizeof caps);
            at += 6;
            for (int32_t k = 0; k + 2 < RINGS; ++k, at += 6)
            {
                const int32_t a = k * SECTORS + i, b = k * SECTORS + j, c = a + SECTORS, d = b + SECTORS;
                const int32_t quad[6] = {a, b, d, d, c, a};
                memcpy(at, quad, sizeof quad);
            }
        }
        build(&s, NULL);
        for (int i = 0; i < SUPPORT_BULK(300000); ++i)
        {
            const int32_t t = (int32_t)support_uniform(&rng, 0.0, s.triangle_count);
            const sft_v3d a = corner_of(&s, s.indices[3 * t + i % 3]),
                          b = corner_of(&s, s.indices[3 * t + (i + 1) % 3]);
            const sft_v3d target = sft_v3d_lerp(a, b, i % 4 == 0 ? 0.0 : support_uniform(&rng, 0.0, 1.0));
            const sft_v3d o = sft_v3d_add(middle, sft_v3d_scale(i % 5 == 0 ? 0.0 : 0.5, ref_point(&rng, -1.0, 1.0)));
            sft_ground_hit hit;
            if (!sft_ground_cast(&s.ground, o, sft_v3d_sub(target, o), INFINITY, 0.0, &hit))
                fail_msg("far %d: ray %d gets out at triangle %d", far, i, t);
        }
        release(&s);
    }
}

static void test_ground_mesh__of_equal_hits_the_smallest_triangle_counts(void** state)
{
    (void)state;
    // The same square a hundred times, bodies by number, in an order that the tree surely changes.
    enum
    {
        COPIES = 100
    };
    soup s;
    int32_t bodies[2 * COPIES];
    allocate_soup(&s, 4, 2 * COPIES);
    const float v[12] = {0, 0, 0, 1, 0, 0, 0, 0, 1, 1, 0, 1};
    memcpy(s.vertices, v, sizeof v);
    for (int32_t i = 0; i < 2 * COPIES; ++i)
    {
        const int32_t even[3] = {0, 1, 3}, odd[3] = {3, 2, 0};
        memcpy(s.indices + 3 * i, i % 2 == 0 ? even : odd, sizeof even);
        bodies[i] = 1000 - i;
    }
    build(&s, bodies);
    sft_ground_hit hit;
    for (int way = 0; way < 3; ++way)
    {
        const sft_v3d d = sft_v3d_make(0.0, way == 1 ? 1.0 : -1.0, 0.0);
        const double y = way == 1 ? -1.0 : 1.0, radius = way == 2 ? 0.125 : 0.0;
        assert_true(sft_ground_cast(&s.ground, sft_v3d_make(0.75, y, 0.25), d, 2.0, radius, &hit));
        assert_int_equal(hit.triangle, 0);
        assert_int_equal(hit.body, 1000);
        assert_true(sft_ground_cast(&s.ground, sft_v3d_make(0.25, y, 0.75), d, 2.0, radius, &hit));
        assert_int_equal(hit.triangle, 1);
        // On the edge of both.
        assert_true(sft_ground_cast(&s.ground, sft_v3d_make(0.5, y, 0.5), d, 2.0, radius, &hit));
        assert_int_equal(hit.triangle, 0);
    }
    release(&s);
}

// ---- the same surface in two ways ----

static void test_ground_mesh__height_field_and_its_mesh_agree(void** state)
{
    (void)state;
    static double y[GRID * GRID];
    for (int set = 0; set < 3; ++set)
    {
        soup s;
        make_sheet(&s, 700 + (uint64_t)set, 0.25, set * 100.0, true);
        // The field's own triangles, in its order; floats hold all of it exactly.
        int32_t* at = s.indices;
        for (int k = 0; k + 1 < GRID; ++k)
            for (int i = 0; i + 1 < GRID; ++i, at += 6)
            {
                const int32_t a = k * GRID + i;
                const int32_t cell[6] = {a, a + GRID + 1, a + 1, a, a + GRID, a + GRID + 1};
                memcpy(at, cell, sizeof cell);
            }
        for (int i = 0; i < GRID * GRID; ++i)
        {
            s.vertices[3 * i] = (float)(set * 100.0 + 0.25 * (i % GRID));
            s.vertices[3 * i + 2] = (float)(set * 30.0 + 0.25 * (i / GRID));
            y[i] = (double)s.vertices[3 * i + 1];
        }
        sft_ground_mesh_destroy(s.mesh, NULL);
        build(&s, NULL);
        const sft_ground_heights field = {.origin = {set * 100.0, 0, set * 30.0},
                                          .step_x = 0.25,
                                          .step_z = 0.25,
                                          .count_x = GRID,
                                          .count_z = GRID,
                                          .heights = y};
        const sft_ground heights = sft_ground_from_heights(&field);
        support_rng rng = {7};
        int hits = 0;
        for (int i = 0; i < 60000; ++i)
        {
            const sft_v3d o = sft_v3d_add(corner_of(&s, (int32_t)support_uniform(&rng, 0.0, GRID * GRID)),
                                          i % 3 == 0 ? sft_v3d_make(0, 0.5, 0) : ref_point(&rng, -1.0, 1.0));
            const sft_v3d d = i % 4 == 0 ? down : ref_direction(&rng);
            const double radius = i % 5 == 0 ? support_uniform(&rng, 0.02, 0.4) : 0.0;
            sft_ground_hit a = {0}, b = {0};
            const bool one = sft_ground_cast(&s.ground, o, d, 9.0, radius, &a);
            const bool two = sft_ground_cast(&heights, o, d, 9.0, radius, &b);
            assert_int_equal(one, two);
            if (!one) continue;
            assert_true(fabs(a.distance - b.distance) < 1e-9 && sft_v3d_distance(a.point, b.point) < 1e-9);
            assert_true(sft_v3d_distance(a.normal, b.normal) < 1e-9);
            hits += 1;
        }
        assert_in_range(hits, 20000, 60000);
        release(&s);
    }
}

static void test_ground_mesh__profile_and_its_mesh_agree(void** state)
{
    (void)state;
    const double s0[] = {0.0, 0.0, 0.5, 0.5, 1.0, 2.0}, y0[] = {0.0, 0.25, 0.25, 0.5, 0.5, 0.0};
    soup s;
    allocate_soup(&s, 12, 10);
    for (int32_t i = 0; i < 6; ++i)
        for (int32_t side = 0; side < 2; ++side)
        {
            float* v = s.vertices + 3 * (2 * i + side);
            v[0] = side == 0 ? -20.0f : 20.0f;
            v[1] = (float)y0[i];
            v[2] = (float)s0[i];
        }
    for (int32_t i = 0; i < 5; ++i)
    {
        const int32_t quad[6] = {2 * i, 2 * i + 1, 2 * i + 3, 2 * i, 2 * i + 3, 2 * i + 2};
        memcpy(s.indices + 6 * i, quad, sizeof quad);
    }
    build(&s, NULL);
    const sft_ground_profile p = {.count = 6, .distances = s0, .heights = y0};
    const sft_ground profile = sft_ground_from_profile(&p);
    support_rng rng = {8};
    for (int i = 0; i < 40000; ++i)
    {
        // Over the middle, where neither the level ends nor the ends across matter.
        const double x = support_uniform(&rng, -1.0, 1.0), z = support_uniform(&rng, 0.5, 1.5);
        const double radius = i % 2 == 0 ? 0.0 : support_uniform(&rng, 0.02, 0.3);
        const sft_v3d o = {x, support_uniform(&rng, 0.9, 1.5), z};
        const sft_v3d d = sft_v3d_add(sft_v3d_scale(0.3, ref_direction(&rng)), down);
        sft_ground_hit a = {0}, b = {0};
        assert_true(sft_ground_cast(&s.ground, o, d, 5.0, radius, &a));
        assert_true(sft_ground_cast(&profile, o, d, 5.0, radius, &b));
        assert_true(fabs(a.distance - b.distance) < 1e-9 && sft_v3d_distance(a.point, b.point) < 1e-9);
        assert_true(sft_v3d_distance(a.normal, b.normal) < 1e-7);
    }
    release(&s);
}

static void test_ground_mesh__drops_are_casts(void** state)
{
    (void)state;
    soup s;
    make_sheet(&s, 900, 0.25, 0.0, false);
    enum
    {
        COUNT = 5003
    };
    static sft_v3d o[COUNT];
    static sft_ground_hit hits[COUNT];
    support_rng rng = {9};
    for (int i = 0; i < COUNT; ++i)
    {
        o[i] = sft_v3d_add(sft_v3d_make(5, 0, 5), ref_point(&rng, -6.0, 6.0));
        if (i % 7 == 0) o[i] = corner_of(&s, i % (GRID * GRID));
        if (i % 501 == 0) o[i].x = NAN;
        if (i % 502 == 0) o[i].y = INFINITY;
    }
    const double lengths[] = {0.0, 0.5, 3.0, INFINITY, -1.0, NAN};
    for (size_t k = 0; k < SFT_COUNT_OF(lengths); ++k)
        for (int32_t count = 0; count <= COUNT; count = count < 20 ? count + 1 : count + 4983)
        {
            memset(hits, 0x77, sizeof hits);
            sft_ground_drop(&s.ground, count, o, lengths[k], hits);
            for (int32_t i = 0; i < count; ++i)
            {
                sft_ground_hit one = {.triangle = -2};
                sft_ground_cast(&s.ground, o[i], down, lengths[k], 0.0, &one);
                assert_memory_equal(&one, &hits[i], sizeof one);
            }
            if (count < COUNT) assert_int_equal(hits[count].body, 0x77777777);
        }
    release(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ground_mesh__rays_find_what_asking_every_triangle_finds),
        cmocka_unit_test(test_ground_mesh__spheres_find_what_asking_every_triangle_finds),
        cmocka_unit_test(test_ground_mesh__rays_agree_with_long_double),
        cmocka_unit_test(test_ground_mesh__spheres_agree_with_walking_by_the_distance_left),
        cmocka_unit_test(test_ground_mesh__sphere_meets_face_edge_and_corner),
        cmocka_unit_test(test_ground_mesh__no_ray_falls_through_edges_or_corners),
        cmocka_unit_test(test_ground_mesh__no_ray_leaves_a_closed_shell),
        cmocka_unit_test(test_ground_mesh__of_equal_hits_the_smallest_triangle_counts),
        cmocka_unit_test(test_ground_mesh__height_field_and_its_mesh_agree),
        cmocka_unit_test(test_ground_mesh__profile_and_its_mesh_agree),
        cmocka_unit_test(test_ground_mesh__drops_are_casts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
