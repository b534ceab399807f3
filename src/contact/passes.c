// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// The ground under a run in place. A running foot is near the ground for two or three frames of a game's clip and never
// at rest in height, so it casts no vote (mismatch.c). But it comes by low again and again, always the one way, and is
// carried back high, while the body stays: the mean of what feet do as they pass the ground is what a ground would do.
// Cubic interpolation tells the velocity at the lowest point, which lies between two frames.

#include "contact/contact_internal.h"

#include "core/core.h"

#define PASS_RATE 120.0  // [Hz] at which the tracks are looked at
#define PASS_REACH 0.35  // [s] either way for the lowest point nearby: most of a running stride
#define PASS_HEIGHT 0.03 // [m of a 0.9 m leg] over it: what passes the ground
#define RAISED 0.06      // [m of a 0.9 m leg] over the foot's lowest of all: what is carried back
#define LEAST_SPEED 0.5  // [m/s] below that feet that stand are told by the votes
#define ONE_WAY 0.8      // share of the way near the ground that must go one way
#define BACK 0.5         // of that way that raised feet must be carried back
#define BODY_STAYS 0.5   // the body goes slower than this part of the ground
#define STEADY 0.1       // deviation of the velocities, as part of the mean, that still is one speed

/// What feet near the ground do, summed over time.
typedef struct pass_sums
{
    double weight, x, z, way, square;
    double against_x, against_z; ///< way of raised feet
    int32_t feet;                ///< that pass the ground and are raised
} pass_sums;

static void sum_foot(const contact_view* view, const sft_v3d* track, int32_t n, double dt, const double* lowest,
                     pass_sums* out)
{
    double floor_height = track[0].y, top = track[0].y;
    for (int32_t i = 0; i < n; ++i)
    {
        floor_height = sft_mind(floor_height, track[i].y);
        top = sft_maxd(top, track[i].y);
    }
    const double raised = floor_height + RAISED * view->scale;
    if (top < raised) return;
    ++out->feet;
    for (int32_t i = 1; i + 1 < n; ++i)
    {
        const sft_v3d step = sft_v3d_scale(0.5, sft_v3d_sub(track[i + 1], track[i - 1]));
        const double over = (track[i].y - lowest[i]) / (PASS_HEIGHT * view->scale);
        // A foot that is lowest within its raised part passes no ground.
        if (track[i].y >= raised)
        {
            out->against_x += step.x;
            out->against_z += step.z;
        }
        else if (over < 1.0)
        {
            const double w = 1.0 - over * over, vx = step.x / dt, vz = step.z / dt;
            out->weight += w * dt;
            out->x += w * step.x;
            out->z += w * step.z;
            out->way += w * sqrt(step.x * step.x + step.z * step.z);
            out->square += w * dt * (vx * vx + vz * vz);
        }
    }
}

static bool is_ground(const pass_sums* s, double body_speed, sft_v3d* ground, bool* uneven)
{
    if (s->feet < 2 || !(s->weight > 0.0)) return false;
    const double along = sqrt(s->x * s->x + s->z * s->z), speed = along / s->weight;
    if (!(speed > LEAST_SPEED && along > ONE_WAY * s->way && body_speed < BODY_STAYS * speed)) return false;
    if (!(-(s->against_x * s->x + s->against_z * s->z) > BACK * along * along)) return false;
    *ground = sft_v3d_make(s->x / s->weight, 0.0, s->z / s->weight);
    *uneven = s->square / s->weight - speed * speed > STEADY * STEADY * speed * speed;
    return true;
}

bool sft_contact_explain_passes(const contact_view* view, double body_speed, const sft_allocator* allocator,
                                bool* found, sft_v3d* ground, bool* uneven)
{
    *found = false;
    const double wanted = ceil(PASS_RATE * view->dt - 1e-6);
    const int32_t factor = (int32_t)sft_clampd(wanted, 1.0, 16.0);
    if (view->frames < 3 || view->frames > INT32_MAX / factor) return true;
    const int32_t n = (view->frames - 1) * factor + 1;
    const double dt = view->dt / factor;
    sft_v3d* track = sft_core_alloc(allocator, (size_t)n, sizeof *track);
    double* lowest = sft_core_alloc(allocator, (size_t)n, sizeof *lowest);
    int32_t* queue = sft_core_alloc(allocator, (size_t)n, sizeof *queue);
    const bool ok = track != NULL && lowest != NULL && queue != NULL;
    pass_sums sums = {0};
    const int32_t reach = sft_contact_frames(PASS_REACH, dt, n);
    for (int32_t f = 0; ok && f < view->foot_count; ++f)
    {
        sft_contact_resample(view->feet[f].toe, view->frames, factor, track);
        sft_contact_lowest(track, n, reach, reach, lowest, queue);
        sum_foot(view, track, n, dt, lowest, &sums);
    }
    if (ok) *found = is_ground(&sums, body_speed, ground, uneven);
    sft_core_free(allocator, queue, (size_t)n, sizeof *queue);
    sft_core_free(allocator, lowest, (size_t)n, sizeof *lowest);
    sft_core_free(allocator, track, (size_t)n, sizeof *track);
    return ok;
}
