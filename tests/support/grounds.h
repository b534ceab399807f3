// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// Grounds in closed form, for tests: nothing of the library's own grounds is used. Queries straight down only.
#ifndef SUREFOOT_SUPPORT_GROUNDS_H
#define SUREFOOT_SUPPORT_GROUNDS_H

#include "support/support.h"

typedef enum support_ground_kind
{
    SUPPORT_GROUND_SLOPE,  ///< height = rise_x x + rise_z z, about the origin
    SUPPORT_GROUND_STAIRS, ///< treads of `run` along `heading`, each `rise` higher (lower where negative), from
                           ///< `origin`
    SUPPORT_GROUND_ROUGH,  ///< bumps of `rise` with waves `run` long
    SUPPORT_GROUND_GAP     ///< level at `rise`, but nothing from `run` on along `heading`, `width` far
} support_ground_kind;

typedef struct support_ground
{
    support_ground_kind kind;
    double rise_x, rise_z;
    double rise, run, width;
    sft_v3d origin, heading; ///< heading: unit, level
} support_ground;

/// False where there is nothing. `slope` (may be null) gets the gradient in x and z.
static inline bool support_ground_height(const support_ground* g, double x, double z, double* height, double slope[2])
{
    const double along = (x - g->origin.x) * g->heading.x + (z - g->origin.z) * g->heading.z;
    double h = g->origin.y, dx = 0.0, dz = 0.0;
    switch (g->kind)
    {
    case SUPPORT_GROUND_SLOPE:
        dx = g->rise_x;
        dz = g->rise_z;
        h += dx * (x - g->origin.x) + dz * (z - g->origin.z);
        break;
    case SUPPORT_GROUND_STAIRS:
        if (along > 0.0) h += g->rise * floor(1.0 + along / g->run);
        break;
    case SUPPORT_GROUND_ROUGH:
    {
        const double k = 2.0 * SFT_PI / g->run, u = 0.8 * k;
        h += g->rise * sin(k * x) * cos(u * z);
        dx = g->rise * k * cos(k * x) * cos(u * z);
        dz = -g->rise * u * sin(k * x) * sin(u * z);
        break;
    }
    case SUPPORT_GROUND_GAP:
        if (along > g->run && along < g->run + g->width) return false;
        h += g->rise;
        break;
    }
    *height = h;
    if (slope)
    {
        slope[0] = dx;
        slope[1] = dz;
    }
    return true;
}

static inline bool support_ground_query(const void* data, sft_v3d origin, sft_v3d direction, double distance,
                                        double radius, sft_ground_hit* hit)
{
    double y, slope[2];
    if (direction.y != -1.0 || radius != 0.0) return false;
    if (!support_ground_height((const support_ground*)data, origin.x, origin.z, &y, slope)) return false;
    if (y > origin.y || origin.y - y > distance) return false;
    const double n = 1.0 / sqrt(1.0 + slope[0] * slope[0] + slope[1] * slope[1]);
    *hit = (sft_ground_hit){.point = sft_v3d_make(origin.x, y, origin.z),
                            .normal = sft_v3d_make(-slope[0] * n, n, -slope[1] * n),
                            .distance = origin.y - y,
                            .body = 7,
                            .triangle = -1};
    return true;
}

static inline sft_ground support_ground_of(const support_ground* g)
{
    return (sft_ground){support_ground_query, g};
}

static inline support_ground support_slope(double degrees, double heading)
{
    const double rise = tan(degrees * SFT_PI / 180.0);
    return (support_ground){.kind = SUPPORT_GROUND_SLOPE, .rise_x = rise * sin(heading), .rise_z = rise * cos(heading)};
}

#endif
