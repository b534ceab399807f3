// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// Problem: rays and spheres against triangles, with no gap between neighbours and no hit outside.
// Method: the edge functions of Woop, Benthin and Wald ("Watertight Ray/Triangle Intersection", 2013) in double, their
// signs made exact where rounding could have touched them; spheres by entry into the slab of the face, the cylinders of
// the edges and the spheres of the vertices. Derived in docs/ground.md.
#include "ground/triangle.h"

#include "core/core.h"

// ---- rays ----

// Numbers so small that their products could vanish count as zero: 2^-200 m is no distance.
static double flush(double x)
{
    return fabs(x) < 0x1p-200 ? 0.0 : x;
}

sft_ground_ray sft_ground_ray_make(sft_v3d origin, sft_v3d direction, double distance, double radius)
{
    sft_ground_ray r = {.d = {direction.x, direction.y, direction.z}, .length = distance, .radius = radius};
    const double ax = fabs(r.d[0]), ay = fabs(r.d[1]), az = fabs(r.d[2]);
    // y first: most rays of feet point down.
    r.z = ay >= ax && ay >= az ? 1 : (ax >= az ? 0 : 2);
    r.x = (r.z + 1) % 3;
    r.y = (r.z + 2) % 3;
    r.shear_x = flush(r.d[r.x] / r.d[r.z]);
    r.shear_y = flush(r.d[r.y] / r.d[r.z]);
    r.scale = 1.0 / r.d[r.z];
    return sft_ground_ray_from(&r, origin);
}

sft_ground_ray sft_ground_ray_from(const sft_ground_ray* ray, sft_v3d origin)
{
    sft_ground_ray r = *ray;
    r.o[0] = flush(origin.x);
    r.o[1] = flush(origin.y);
    r.o[2] = flush(origin.z);
    return r;
}

bool sft_ground_ray_triangle(const sft_ground_ray* r, const double a[3], const double b[3], const double c[3],
                             double* t)
{
    const double az = a[r->z] - r->o[r->z], bz = b[r->z] - r->o[r->z], cz = c[r->z] - r->o[r->z];
    const double ax = (a[r->x] - r->o[r->x]) - r->shear_x * az, ay = (a[r->y] - r->o[r->y]) - r->shear_y * az;
    const double bx = (b[r->x] - r->o[r->x]) - r->shear_x * bz, by = (b[r->y] - r->o[r->y]) - r->shear_y * bz;
    const double cx = (c[r->x] - r->o[r->x]) - r->shear_x * cz, cy = (c[r->y] - r->o[r->y]) - r->shear_y * cz;
    double z;
    if (!sft_ground_pierce(ax, ay, az, bx, by, bz, cx, cy, cz, &z)) return false;
    const double depth = r->scale * z;
    if (!(depth >= 0.0) || depth > r->length) return false;
    *t = depth + 0.0; // never -0
    return true;
}

// ---- spheres ----

static sft_v3d load(const double p[3])
{
    return sft_v3d_make(p[0], p[1], p[2]);
}

// Both triangles of an edge must see it the same way round.
static bool before(sft_v3d a, sft_v3d b)
{
    if (a.x != b.x) return a.x < b.x;
    if (a.y != b.y) return a.y < b.y;
    return a.z < b.z;
}

static bool inside(sft_v3d p, const sft_v3d v[3], sft_v3d n)
{
    for (int i = 0; i < 3; ++i)
    {
        const sft_v3d along = sft_v3d_sub(v[(i + 1) % 3], v[i]);
        if (sft_v3d_dot(sft_v3d_cross(along, sft_v3d_sub(p, v[i])), n) < 0.0) return false;
    }
    return true;
}

static sft_v3d nearest_of_segment(sft_v3d p, sft_v3d a, sft_v3d b)
{
    const sft_v3d along = sft_v3d_sub(b, a);
    const double s = sft_v3d_dot(sft_v3d_sub(p, a), along), whole = sft_v3d_dot(along, along);
    if (!(s > 0.0)) return a;
    return s < whole ? sft_v3d_madd(a, s / whole, along) : b;
}

static sft_v3d nearest_of_triangle(sft_v3d p, const sft_v3d v[3], sft_v3d n)
{
    const sft_v3d foot = sft_v3d_madd(p, -sft_v3d_dot(n, sft_v3d_sub(p, v[0])), n);
    if (inside(foot, v, n)) return foot;
    sft_v3d best = v[0];
    double best_gap = -1.0;
    for (int i = 0; i < 3; ++i)
    {
        const sft_v3d a = v[i], b = v[(i + 1) % 3];
        const sft_v3d q = before(a, b) ? nearest_of_segment(p, a, b) : nearest_of_segment(p, b, a);
        const double gap = sft_v3d_distance(p, q);
        if (best_gap >= 0.0 && gap >= best_gap) continue;
        best = q;
        best_gap = gap;
    }
    return best;
}

// The functions below find where a centre that starts further than r away comes within r, if it comes nearer at all.
// A root below 0 can then only be rounding, and counts as 0; what is not there is ruled out by where it would touch.

static void enter_face(const sft_ground_ray* r, const sft_v3d v[3], sft_v3d n, sft_ground_touch* best)
{
    const sft_v3d o = load(r->o), d = load(r->d);
    const double height = sft_v3d_dot(n, sft_v3d_sub(o, v[0]));
    const double closing = height >= 0.0 ? -sft_v3d_dot(n, d) : sft_v3d_dot(n, d);
    if (!(closing > 0.0)) return;
    const double t = sft_maxd((fabs(height) - r->radius) / closing, 0.0);
    if (!(t < best->t)) return;
    const sft_v3d centre = sft_v3d_madd(o, t, d);
    const sft_v3d foot = sft_v3d_madd(centre, -sft_v3d_dot(n, sft_v3d_sub(centre, v[0])), n);
    if (inside(foot, v, n)) *best = (sft_ground_touch){t, 0.0, foot};
}

static void enter_edge(const sft_ground_ray* r, sft_v3d a, sft_v3d b, sft_ground_touch* best)
{
    const sft_v3d o = load(r->o), d = load(r->d), along = sft_v3d_sub(b, a);
    const double length = sft_v3d_length(along);
    const sft_v3d u = sft_v3d_scale(1.0 / length, along);
    const sft_v3d m = sft_v3d_sub(a, o);
    // Square to the edge.
    const sft_v3d across = sft_v3d_madd(d, -sft_v3d_dot(d, u), u);
    const sft_v3d away = sft_v3d_madd(m, -sft_v3d_dot(m, u), u);
    const double speed = sft_v3d_dot(across, across);
    // Along the edge the ends come first. 1e-20: a tenth of a nanometre a metre.
    if (!(speed > 1e-20)) return;
    const double nearest = sft_v3d_dot(away, across) / speed;
    const sft_v3d miss = sft_v3d_madd(away, -nearest, across);
    const double inner = r->radius * r->radius - sft_v3d_dot(miss, miss);
    if (!(nearest > 0.0) || !(inner >= 0.0)) return;
    const double t = sft_maxd(nearest - sqrt(inner / speed), 0.0);
    if (!(t < best->t)) return;
    const double s = sft_v3d_dot(sft_v3d_sub(sft_v3d_madd(o, t, d), a), u);
    if (s >= 0.0 && s <= length) *best = (sft_ground_touch){t, 0.0, sft_v3d_madd(a, s, u)};
}

static void enter_vertex(const sft_ground_ray* r, sft_v3d a, sft_ground_touch* best)
{
    const sft_v3d d = load(r->d), m = sft_v3d_sub(a, load(r->o));
    const double nearest = sft_v3d_dot(m, d);
    const sft_v3d miss = sft_v3d_madd(m, -nearest, d);
    const double inner = r->radius * r->radius - sft_v3d_dot(miss, miss);
    if (!(nearest > 0.0) || !(inner >= 0.0)) return;
    const double t = sft_maxd(nearest - sqrt(inner), 0.0);
    if (t < best->t) *best = (sft_ground_touch){t, 0.0, a};
}

bool sft_ground_sphere_triangle(const sft_ground_ray* r, const double a[3], const double b[3], const double c[3],
                                sft_ground_touch* touch)
{
    const sft_v3d v[3] = {load(a), load(b), load(c)}, o = load(r->o);
    sft_v3d n = sft_v3d_cross(sft_v3d_sub(v[1], v[0]), sft_v3d_sub(v[2], v[0]));
    n = sft_v3d_scale(1.0 / sft_v3d_length(n), n);
    const sft_v3d q = nearest_of_triangle(o, v, n);
    const double gap = sft_v3d_distance(o, q);
    if (gap <= r->radius)
    {
        *touch = (sft_ground_touch){0.0, gap, q};
        return true;
    }
    // Nothing beyond the reach of the query is looked at.
    if (gap > r->length + r->radius) return false;
    sft_ground_touch best = {HUGE_VAL, 0.0, q};
    enter_face(r, v, n, &best);
    for (int i = 0; i < 3; ++i)
    {
        const sft_v3d e = v[i], f = v[(i + 1) % 3];
        if (before(e, f))
            enter_edge(r, e, f, &best);
        else
            enter_edge(r, f, e, &best);
        enter_vertex(r, e, &best);
    }
    if (!(best.t <= r->length) || best.t == HUGE_VAL) return false;
    *touch = best;
    return true;
}

// ---- hits ----

bool sft_ground_normal(const double a[3], const double b[3], const double c[3], sft_v3d d, sft_v3d* normal)
{
    const sft_v3d e = sft_v3d_sub(load(b), load(a)), f = sft_v3d_sub(load(c), load(a));
    const sft_v3d n = sft_v3d_cross(e, f);
    // Less than 2^-48 of what the sides could span is rounding.
    const double square = sft_v3d_dot(n, n);
    if (!(square > 0x1p-96 * sft_v3d_dot(e, e) * sft_v3d_dot(f, f))) return false;
    *normal = sft_v3d_scale((sft_v3d_dot(n, d) > 0.0 ? -1.0 : 1.0) / sqrt(square), n);
    return true;
}

void sft_ground_place(const sft_ground_ray* ray, const sft_ground_touch* touch, sft_v3d n, sft_ground_hit* hit)
{
    const sft_v3d centre = sft_v3d_madd(load(ray->o), touch->t, load(ray->d));
    hit->distance = touch->t;
    hit->point = ray->radius > 0.0 ? touch->point : centre;
    hit->normal = n;
    if (!(ray->radius > 0.0)) return;
    const sft_v3d out = sft_v3d_sub(centre, touch->point);
    const double length = sft_v3d_length(out);
    if (length > 1e-9 * ray->radius) hit->normal = sft_v3d_scale(1.0 / length, out);
}
