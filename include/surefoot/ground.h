// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

/// @file ground.h
/// What feet stand on: one query behind a function pointer, with a plane, a profile (stairs, ramps, gaps), a height
/// field and a triangle mesh built in, or the user's own (docs/ground.md). Grounds do not change after creation, so any
/// number of threads may query one.
#ifndef SUREFOOT_GROUND_H
#define SUREFOOT_GROUND_H

#include "surefoot/math.h"

/// One hit. `body` names what was hit (a platform, a stair); 0 for the fixed world.
typedef struct sft_ground_hit
{
    sft_v3d point;   ///< world [m]; for a sphere the point of the ground that it touches
    sft_v3d normal;  ///< unit, on the side the query came from; for a sphere from the point touched to its centre
    double distance; ///< [m] along the ray, from its origin; for a sphere, travelled by its centre
    int32_t body;
    int32_t triangle; ///< of a mesh, as numbered in its def; -1 elsewhere
} sft_ground_hit;

/// A query: from `origin` along the unit vector `direction`, at most `distance` [m]; radius 0 is a ray, else a sphere
/// that is swept. The nearest hit counts, of equal ones the one with the smallest triangle; a sphere that touches or
/// overlaps at the start hits at distance 0, at the point of the ground nearest to its centre. False: nothing there,
/// *hit untouched. May run on many threads at once.
typedef bool sft_ground_query(const void* ground, sft_v3d origin, sft_v3d direction, double distance, double radius,
                              sft_ground_hit* hit);

/// A ground as solvers take it. Copy it freely.
typedef struct sft_ground
{
    sft_ground_query* query;
    const void* data; ///< handed to query; not owned
} sft_ground;

/// Asks a ground. The direction may have any length but zero, the distance may be infinite. False too where the
/// arguments are no numbers, the origin or radius is beyond SFT_HUGE, the distance or radius is negative, a pointer is
/// null, or a user's query hands back a point beyond SFT_HUGE, a normal of which the length is not 1 (to 5e-4), or a
/// hit beyond the distance. Pure as the ground is.
SFT_API bool sft_ground_cast(const sft_ground* ground, sft_v3d origin, sft_v3d direction, double distance,
                             double radius, sft_ground_hit* hit);

// ---- a plane ----

typedef struct sft_ground_plane
{
    sft_v3d point;  ///< [m]
    sft_v3d normal; ///< any length but zero
    int32_t body;
} sft_ground_plane;

/// `plane` must outlive the ground. Both sides are hit; a ray within the plane hits nothing. Without numbers, or with a
/// normal of zero, it is no ground.
SFT_API sft_ground sft_ground_from_plane(const sft_ground_plane* plane);

// ---- a profile: stairs, ramps, kerbs and gaps ----

/// A line of heights along one horizontal direction, the same all the way across. Distances do not decrease; two points
/// at the same distance are a riser; a NaN height ends the ground at the point before it, and the next point begins it
/// anew: a gap. Level ground before the first point and after the last, unless the height there is NaN.
typedef struct sft_ground_profile
{
    sft_v3d origin;          ///< world place of distance 0; its y is added to all heights
    double heading;          ///< [rad] about +Y of the direction of distance; 0: +Z, a quarter turn: +X
    int32_t count;           ///< >= 1
    const double* distances; ///< [m]
    const double* heights;   ///< [m]
    int32_t body;
} sft_ground_profile;

/// `profile` and its arrays must outlive the ground. Both sides are hit; a ray along a piece does not hit that piece.
/// Time log n and linear in the pieces passed over.
SFT_API sft_ground sft_ground_from_profile(const sft_ground_profile* profile);

// ---- a height field ----

/// Heights on a grid over x and z, two triangles a cell (split along the diagonal from (i, k) to (i + 1, k + 1)).
typedef struct sft_ground_heights
{
    sft_v3d origin;           ///< world place of heights[0], whose y is added to all
    double step_x, step_z;    ///< [m] > 0
    int32_t count_x, count_z; ///< >= 2
    const double* heights;    ///< [k * count_x + i] [m]; NaN or beyond SFT_HUGE: a hole, with the cells around it
    int32_t body;
} sft_ground_heights;

/// `heights` and its array must outlive the ground. Nothing outside the grid, whose rim belongs to it;
/// nothing at all where a field is out of its range or the grid reaches beyond SFT_HUGE. No ray falls between two
/// cells. Time linear in the cells passed over.
SFT_API sft_ground sft_ground_from_heights(const sft_ground_heights* heights);

// ---- a triangle mesh ----

/// Triangles with their tree of boxes. Opaque, owned by the caller.
typedef struct sft_ground_mesh sft_ground_mesh;

typedef struct sft_ground_mesh_def
{
    int32_t vertex_count;
    const float* vertices; ///< [vertex_count * 3] world [m]
    int32_t triangle_count;
    const int32_t* indices; ///< [triangle_count * 3]
    const int32_t* bodies;  ///< [triangle_count]; null: all 0
} sft_ground_mesh_def;

/// Copies what it needs. Triangles of no area are left out, their number to *skipped (may be null); the others keep
/// theirs. Both sides are hit. Edges belong to both triangles: a ray through a shared edge or vertex never falls
/// through. Time n log n, memory some 75 bytes a triangle, never above 115. Fails, *out untouched: SFT_ERR_ARG;
/// SFT_ERR_RANGE (a vertex is no number or beyond SFT_HUGE, an index out of range); SFT_ERR_LIMIT (more than 2^28
/// triangles); SFT_ERR_MEMORY. The same input gives the same tree everywhere.
SFT_API sft_result sft_ground_mesh_create(const sft_ground_mesh_def* def, const sft_allocator* allocator,
                                          sft_ground_mesh** out, int32_t* skipped);
/// Null is fine.
SFT_API void sft_ground_mesh_destroy(sft_ground_mesh* mesh, const sft_allocator* allocator);
/// `mesh` must outlive the ground.
SFT_API sft_ground sft_ground_from_mesh(const sft_ground_mesh* mesh);

/// Many downward (-Y) rays at once, which on a mesh is several times as fast as one by one, whose bits they have:
/// hits[i].triangle is -2 where nothing was hit, the rest of it zero. Pure as the ground is.
SFT_API void sft_ground_drop(const sft_ground* ground, int32_t count, const sft_v3d* origins, double distance,
                             sft_ground_hit* hits);

#endif
