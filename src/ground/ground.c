// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// The door to all grounds, and the plane.
#include "surefoot/ground.h"

#include "core/core.h"
#include "ground/mesh.h"

// Squares of normals that are meant to be unit vectors, kept in floats perhaps.
#define UNIT_SLACK 1e-3

static bool finite3(sft_v3d v)
{
    return isfinite(v.x) && isfinite(v.y) && isfinite(v.z);
}

// Scaled first, so that no square over- or underflows; a direction along an axis comes out exact.
static bool unit(sft_v3d v, sft_v3d* out)
{
    const double most = sft_maxd(fabs(v.x), sft_maxd(fabs(v.y), fabs(v.z)));
    if (!finite3(v) || !(most > 0.0)) return false;
    const sft_v3d w = sft_v3d_make(v.x / most, v.y / most, v.z / most);
    const double length = sft_v3d_length(w);
    *out = sft_v3d_make(w.x / length, w.y / length, w.z / length);
    return true;
}

bool sft_ground_cast(const sft_ground* ground, sft_v3d origin, sft_v3d direction, double distance, double radius,
                     sft_ground_hit* hit)
{
    sft_v3d along;
    if (ground == NULL || ground->query == NULL || hit == NULL || !sft_v3d_in_range(origin) ||
        !unit(direction, &along) || !(distance >= 0.0) || !(radius >= 0.0 && radius <= SFT_HUGE))
        return false;
    sft_ground_hit found = {.triangle = -1};
    // Zeros without a sign go in, so that they come out.
    if (!ground->query(ground->data, origin, along, distance + 0.0, radius + 0.0, &found)) return false;
    // A user's function may err.
    const double square = sft_v3d_dot(found.normal, found.normal);
    if (!sft_v3d_in_range(found.point) || !(fabs(square - 1.0) <= UNIT_SLACK) ||
        !(found.distance >= 0.0 && found.distance <= distance))
        return false;
    *hit = found;
    return true;
}

void sft_ground_drop(const sft_ground* ground, int32_t count, const sft_v3d* origins, double distance,
                     sft_ground_hit* hits)
{
    if (origins == NULL || hits == NULL) return;
    if (ground != NULL && ground->query == sft_ground_mesh_query && distance >= 0.0)
    {
        const sft_ground_mesh* mesh = ground->data;
        if (mesh != NULL && mesh->triangle_count > 0)
        {
            sft_ground_mesh_drop(mesh, count, origins, distance + 0.0, hits);
            return;
        }
    }
    for (int32_t i = 0; i < count; ++i)
    {
        const sft_v3d origin = origins[i];
        hits[i] = (sft_ground_hit){.triangle = -2};
        sft_ground_cast(ground, origin, sft_v3d_make(0.0, -1.0, 0.0), distance, 0.0, &hits[i]);
    }
}

// ---- a plane ----

static bool query_plane(const void* data, sft_v3d origin, sft_v3d direction, double distance, double radius,
                        sft_ground_hit* hit)
{
    const sft_ground_plane* plane = data;
    sft_v3d n;
    if (plane == NULL || !finite3(plane->point) || !unit(plane->normal, &n)) return false;
    const double height = sft_v3d_dot(n, sft_v3d_sub(origin, plane->point));
    const double along = sft_v3d_dot(n, direction);
    // Towards the side the query comes from; from within the plane, against its direction.
    const bool above = height > 0.0 || (height == 0.0 && along <= 0.0);
    const double closing = above ? -along : along;
    const double way = fabs(height) - radius;
    const bool touches = radius > 0.0 ? way <= 0.0 : height == 0.0 && closing > 0.0;
    if (!touches && !(closing > 0.0)) return false;
    const double t = touches ? 0.0 : way / closing;
    if (!(t <= distance)) return false;
    const sft_v3d centre = sft_v3d_madd(origin, t, direction);
    const sft_v3d side = above ? n : sft_v3d_scale(-1.0, n);
    hit->point = centre;
    if (radius > 0.0) hit->point = sft_v3d_madd(centre, -sft_v3d_dot(n, sft_v3d_sub(centre, plane->point)), n);
    hit->normal = side;
    hit->distance = t;
    hit->body = plane->body;
    hit->triangle = -1;
    return true;
}

sft_ground sft_ground_from_plane(const sft_ground_plane* plane)
{
    return (sft_ground){query_plane, plane};
}
