// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// Rays and swept spheres against one triangle: what height fields and meshes share.
#ifndef SUREFOOT_GROUND_TRIANGLE_H
#define SUREFOOT_GROUND_TRIANGLE_H

#include "surefoot/ground.h"

/// A query, and what all its triangles share. The axes are turned so that z is where the direction is longest, and
/// sheared along z so that it points straight down that axis.
typedef struct sft_ground_ray
{
    double o[3], d[3];
    double length, radius;
    double shear_x, shear_y, scale;
    int x, y, z;
} sft_ground_ray;

/// From what a query is handed: numbers, direction of unit length.
sft_ground_ray sft_ground_ray_make(sft_v3d origin, sft_v3d direction, double distance, double radius);

/// The same from elsewhere.
sft_ground_ray sft_ground_ray_from(const sft_ground_ray* ray, sft_v3d origin);

/// Where the ray of radius 0 meets the closed triangle, in [0, length]. Neighbours that hand in the same numbers for
/// the vertices they share leave no gap between them. A triangle seen edge on is not hit.
bool sft_ground_ray_triangle(const sft_ground_ray* ray, const double a[3], const double b[3], const double c[3],
                             double* t);

/// Where a sphere first touches. The gap is between its centre and `point` for those that touch at the start, else 0.
typedef struct sft_ground_touch
{
    double t, gap;
    sft_v3d point;
} sft_ground_touch;

/// The same bits for an edge or a vertex whichever of its triangles is asked. The triangle has an area.
bool sft_ground_sphere_triangle(const sft_ground_ray* ray, const double a[3], const double b[3], const double c[3],
                                sft_ground_touch* touch);

/// The unit normal of a triangle that does not look along d. False where the triangle has no area worth a normal.
bool sft_ground_normal(const double a[3], const double b[3], const double c[3], sft_v3d d, sft_v3d* normal);

/// Fills point and normal of a hit from distance and what was touched; `n` is the face's.
void sft_ground_place(const sft_ground_ray* ray, const sft_ground_touch* touch, sft_v3d n, sft_ground_hit* hit);

// ---- the core of a ray's test, inline for the way straight down ----

// The part of a * b that rounding cut off (Veltkamp and Dekker); exact while nothing over- or underflows.
SFT_INLINE double sft_ground_cut_off(double a, double b, double product)
{
    const double ta = 134217729.0 * a, tb = 134217729.0 * b; // 2^27 + 1
    const double ah = ta - (ta - a), bh = tb - (tb - b);
    const double al = a - ah, bl = b - bh;
    return ((ah * bh - product) + ah * bl + al * bh) + al * bl;
}

// Twice the area of the triangle (0, a, b) in the plane, its sign exact: a rounded difference of rounded products is
// never of the wrong sign, but may be 0 by mistake, and is inaccurate where they nearly cancel. edge(b, a) is
// -edge(a, b) to the last bit, and this is what leaves no gap between two triangles of one edge.
SFT_INLINE double sft_ground_edge(double ax, double ay, double bx, double by)
{
    const double p = ax * by, q = ay * bx;
    const double e = p - q;
    if (fabs(e) > 0x1p-40 * (fabs(p) + fabs(q))) return e;
    const double cp = sft_ground_cut_off(ax, by, p), cq = sft_ground_cut_off(ay, bx, q);
    const double s = cp - cq;
    // What the difference of the two lost: Knuth's two-sum.
    const double back = s - cp;
    const double lost = (cp - (s - back)) - (cq + back);
    return (e + s) + lost; // e is exact here, by Sterbenz
}

SFT_INLINE double sft_ground_least(double a, double b, double c)
{
    return sft_mind(a, sft_mind(b, c));
}

SFT_INLINE double sft_ground_most(double a, double b, double c)
{
    return sft_maxd(a, sft_maxd(b, c));
}

/// Whether the origin of the plane lies in the closed triangle of corners (x, y), and the height z over it there.
SFT_INLINE bool sft_ground_pierce(double ax, double ay, double az, double bx, double by, double bz, double cx,
                                  double cy, double cz, double* z)
{
    const double u0 = sft_ground_edge(ax, ay, bx, by), u1 = sft_ground_edge(bx, by, cx, cy);
    const double u2 = sft_ground_edge(cx, cy, ax, ay);
    if ((u0 < 0.0 || u1 < 0.0 || u2 < 0.0) && (u0 > 0.0 || u1 > 0.0 || u2 > 0.0)) return false;
    const double area = u0 + u1 + u2;
    if (area == 0.0) return false;
    // From a, so that level ground costs no bit; never beyond the triangle's own corners.
    const double height = az + (u2 * (bz - az) + u0 * (cz - az)) / area;
    *z = sft_mind(sft_maxd(height, sft_ground_least(az, bz, cz)), sft_ground_most(az, bz, cz));
    return true;
}

#endif
