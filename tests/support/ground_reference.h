// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// Rays and spheres against triangles once more, by other means than the library's: the plane's equation and signed
// areas in long double; spheres by walking forward by the distance left, which never steps over a touch.
#ifndef SUREFOOT_SUPPORT_GROUND_REFERENCE_H
#define SUREFOOT_SUPPORT_GROUND_REFERENCE_H

#include "support/support.h"

typedef long double real;

typedef struct vec
{
    real x, y, z;
} vec;

typedef struct ref_triangle
{
    vec a, b, c;
} ref_triangle;

static inline vec vec_of(sft_v3d v)
{
    return (vec){(real)v.x, (real)v.y, (real)v.z};
}

static inline vec vec_sub(vec a, vec b)
{
    return (vec){a.x - b.x, a.y - b.y, a.z - b.z};
}

static inline vec vec_madd(vec a, real s, vec b)
{
    return (vec){a.x + s * b.x, a.y + s * b.y, a.z + s * b.z};
}

static inline real vec_dot(vec a, vec b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

static inline vec vec_cross(vec a, vec b)
{
    return (vec){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

static inline real vec_length(vec a)
{
    return sqrtl(vec_dot(a, a));
}

/// Distance along the ray to the triangle grown by `grow` (shrunk where negative) [m]; -1 where it misses. d is a unit.
static inline real ref_ray(const ref_triangle* t, vec o, vec d, real grow)
{
    const vec n = vec_cross(vec_sub(t->b, t->a), vec_sub(t->c, t->a));
    const real slope = vec_dot(n, d);
    if (fabsl(slope) < 1e-15L * vec_length(n)) return -1;
    const real way = vec_dot(n, vec_sub(t->a, o)) / slope;
    if (way < 0) return -1;
    const vec p = vec_madd(o, way, d);
    const vec corner[4] = {t->a, t->b, t->c, t->a};
    for (int i = 0; i < 3; ++i)
    {
        const vec side = vec_sub(corner[i + 1], corner[i]);
        const real inward = vec_dot(vec_cross(n, side), vec_sub(p, corner[i]));
        if (inward < -grow * vec_length(n) * vec_length(side)) return -1;
    }
    return way;
}

/// Nearest point of a triangle, by the regions of Ericson ("Real-Time Collision Detection", 5.1.5).
static inline vec ref_nearest(const ref_triangle* t, vec p)
{
    const vec ab = vec_sub(t->b, t->a), ac = vec_sub(t->c, t->a), ap = vec_sub(p, t->a);
    const real d1 = vec_dot(ab, ap), d2 = vec_dot(ac, ap);
    if (d1 <= 0 && d2 <= 0) return t->a;
    const vec bp = vec_sub(p, t->b);
    const real d3 = vec_dot(ab, bp), d4 = vec_dot(ac, bp);
    if (d3 >= 0 && d4 <= d3) return t->b;
    const real vc = d1 * d4 - d3 * d2;
    if (vc <= 0 && d1 >= 0 && d3 <= 0) return vec_madd(t->a, d1 / (d1 - d3), ab);
    const vec cp = vec_sub(p, t->c);
    const real d5 = vec_dot(ab, cp), d6 = vec_dot(ac, cp);
    if (d6 >= 0 && d5 <= d6) return t->c;
    const real vb = d5 * d2 - d1 * d6;
    if (vb <= 0 && d2 >= 0 && d6 <= 0) return vec_madd(t->a, d2 / (d2 - d6), ac);
    const real va = d3 * d6 - d5 * d4;
    if (va <= 0 && d4 >= d3 && d5 >= d6)
        return vec_madd(t->b, (d4 - d3) / ((d4 - d3) + (d5 - d6)), vec_sub(t->c, t->b));
    const real whole = va + vb + vc;
    return vec_madd(vec_madd(t->a, vb / whole, ab), vc / whole, ac);
}

static inline real ref_distance(const ref_triangle* all, size_t count, vec p)
{
    real best = HUGE_VALL;
    for (size_t i = 0; i < count; ++i)
    {
        const real d = vec_length(vec_sub(p, ref_nearest(&all[i], p)));
        if (d < best) best = d;
    }
    return best;
}

/// Distance a sphere travels until it touches one of all; -1 where it does not within `length`, -2 where it comes so
/// near in passing that the walk does not end.
static inline real ref_sphere(const ref_triangle* all, size_t count, vec o, vec d, real length, real radius)
{
    real t = 0;
    for (int i = 0; i < 4000 && t <= length; ++i)
    {
        const real left = ref_distance(all, count, vec_madd(o, t, d)) - radius;
        if (left <= 1e-12L) return t;
        t += left;
    }
    return t > length ? -1 : -2;
}

static inline sft_v3d ref_point(support_rng* rng, double lo, double hi)
{
    const double x = support_uniform(rng, lo, hi);
    const double y = support_uniform(rng, lo, hi);
    const double z = support_uniform(rng, lo, hi);
    return sft_v3d_make(x, y, z);
}

static inline sft_v3d ref_direction(support_rng* rng)
{
    for (;;)
    {
        const sft_v3d v = ref_point(rng, -1.0, 1.0);
        const double length = sft_v3d_length(v);
        if (length <= 1.0 && length > 0.01) return sft_v3d_scale(1.0 / length, v);
    }
}

#endif
