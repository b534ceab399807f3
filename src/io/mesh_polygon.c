// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// Polygons of a file into triangles: a fan where it is convex, else ear by ear. Worked out in the plane that the
// polygon is nearest to, so that corners need not lie in one. Source: Meisters, "Polygons have ears", 1975; the normal
// is Newell's, which holds for polygons that are not quite flat.

#include "io/mesh.h"

#include <math.h>

// Checks of one candidate against all corners that are affordable, as a multiple of the number of corners.
#define MOST_ROUNDS 8

static sft_v3d corner_at(const float* points, int32_t corner)
{
    const float* p = points + 3 * (size_t)corner;
    return sft_v3d_make((double)p[0], (double)p[1], (double)p[2]);
}

// Twice the area, as a vector; relative to the first corner so that far polygons keep their digits.
static sft_v3d newell(const float* points, const int32_t* corners, int32_t count)
{
    const sft_v3d origin = corner_at(points, corners[0]);
    sft_v3d sum = sft_v3d_make(0, 0, 0);
    sft_v3d before = sft_v3d_sub(corner_at(points, corners[count - 1]), origin);
    for (int32_t i = 0; i < count; ++i)
    {
        const sft_v3d at = sft_v3d_sub(corner_at(points, corners[i]), origin);
        sum = sft_v3d_add(sum, sft_v3d_cross(before, at));
        before = at;
    }
    return sum;
}

bool sft_mesh_is_convex(const float* points, const int32_t* corners, int32_t count)
{
    if (count <= 3) return true;
    const sft_v3d normal = newell(points, corners, count);
    const sft_v3d first = corner_at(points, corners[0]);
    for (int32_t i = 0; i < count; ++i)
    {
        const sft_v3d a = corner_at(points, corners[i]);
        const sft_v3d b = corner_at(points, corners[(i + 1) % count]);
        const sft_v3d c = corner_at(points, corners[(i + 2) % count]);
        if (sft_v3d_dot(sft_v3d_cross(sft_v3d_sub(b, a), sft_v3d_sub(c, b)), normal) < 0.0) return false;
        // A star turns one way at every corner too, but its fan folds back.
        if (sft_v3d_dot(sft_v3d_cross(sft_v3d_sub(a, first), sft_v3d_sub(b, first)), normal) < 0.0) return false;
    }
    return true;
}

typedef struct cutting
{
    const double* flat; // u, v of each corner, counter-clockwise
    int32_t* before;
    int32_t* after;
    int64_t budget;
} cutting;

static double turn(const double* flat, int32_t a, int32_t b, int32_t c)
{
    const double *p = flat + 2 * a, *q = flat + 2 * b, *r = flat + 2 * c;
    return (q[0] - p[0]) * (r[1] - q[1]) - (q[1] - p[1]) * (r[0] - q[0]);
}

static bool same_place(const double* flat, int32_t a, int32_t b)
{
    return flat[2 * a] == flat[2 * b] && flat[2 * a + 1] == flat[2 * b + 1];
}

// Whether the corner sticks out and nothing of the rest lies in its triangle. A corner of no area always may go.
static bool is_ear(cutting* c, int32_t at)
{
    const int32_t a = c->before[at], b = c->after[at];
    const double area = turn(c->flat, a, at, b);
    if (area < 0.0) return false;
    if (area == 0.0) return true;
    for (int32_t i = c->after[b]; i != a; i = c->after[i])
    {
        --c->budget;
        if (turn(c->flat, a, at, i) < 0.0 || turn(c->flat, at, b, i) < 0.0 || turn(c->flat, b, a, i) < 0.0) continue;
        // Holes are often reached by a bridge that is walked twice, whose ends lie on one another.
        if (!same_place(c->flat, i, a) && !same_place(c->flat, i, at) && !same_place(c->flat, i, b)) return false;
    }
    return true;
}

static void flatten(const float* points, const int32_t* corners, int32_t count, double* flat)
{
    const sft_v3d n = newell(points, corners, count);
    const double x = fabs(n.x), y = fabs(n.y), z = fabs(n.z);
    const int axis = x >= y && x >= z ? 0 : y >= z ? 1 : 2;
    const double along = axis == 0 ? n.x : axis == 1 ? n.y : n.z;
    const int u = (axis + 1) % 3, v = (axis + 2) % 3;
    for (int32_t i = 0; i < count; ++i)
    {
        const float* p = points + 3 * (size_t)corners[i];
        flat[2 * i] = along < 0.0 ? -(double)p[u] : (double)p[u];
        flat[2 * i + 1] = (double)p[v];
    }
}

bool sft_mesh_cut_polygon(const float* points, const int32_t* corners, int32_t count, int32_t* links, double* flat,
                          int32_t* out)
{
    cutting c = {flat, links, links + count, (int64_t)MOST_ROUNDS * count * count};
    flatten(points, corners, count, flat);
    for (int32_t i = 0; i < count; ++i)
    {
        c.before[i] = i > 0 ? i - 1 : count - 1;
        c.after[i] = i + 1 < count ? i + 1 : 0;
    }
    bool fine = true;
    int32_t at = 0, tried = 0;
    for (int32_t left = count; left > 2;)
    {
        const bool ear = left == 3 || (c.budget > 0 && is_ear(&c, at));
        if (!ear && ++tried < left && c.budget > 0)
        {
            at = c.after[at];
            continue;
        }
        fine = fine && ear;
        const int32_t a = c.before[at], b = c.after[at];
        out[0] = corners[a];
        out[1] = corners[at];
        out[2] = corners[b];
        out += 3;
        c.after[a] = b;
        c.before[b] = a;
        at = b;
        tried = 0;
        --left;
    }
    return fine;
}
