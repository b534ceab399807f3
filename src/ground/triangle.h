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

#endif
