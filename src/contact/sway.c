// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// What the body lost when its travel was taken away. A belt moves steadily; a walker's pelvis goes faster and slower
// within each step, and sways. Where a clip in place keeps its pelvis where it is, all that is in the feet: they go
// back unsteadily, all of them alike, by up to the plain rule's own limit. The mean of the planted feet's velocities
// near a frame, less that of the clip, is that sway; without it, feet stand that stood.

#include "contact/contact_internal.h"

#include "core/core.h"

#define SWAY_REACH 0.1 // [s] either way: enough feet for a mean, and a fast walk's step takes 0.4

// values[i] = sum of values over i - half to i + half. cumulative: n + 1 entries of scratch.
static void box_sum(double* values, int32_t n, int32_t half, double* cumulative)
{
    cumulative[0] = 0.0;
    for (int32_t i = 0; i < n; ++i)
        cumulative[i + 1] = cumulative[i] + values[i];
    for (int32_t i = 0; i < n; ++i)
    {
        const int32_t lo = i > half ? i - half : 0, hi = n - i > half ? i + half + 1 : n;
        values[i] = cumulative[hi] - cumulative[lo];
    }
}

// Steps that lead to planted frames: their sums over feet, less `mean` for each, and how many there are.
static void sum_steps(const contact_view* still, const uint8_t* plant, sft_v3d mean, double* x, double* z,
                      double* count)
{
    const size_t n = (size_t)still->frames;
    for (size_t i = 0; i < n; ++i)
        x[i] = z[i] = count[i] = 0.0;
    for (int32_t f = 0; f < still->foot_count; ++f)
        for (size_t i = 1; i < n; ++i)
        {
            if (!plant[(size_t)f * n + i]) continue;
            const sft_v3d* toe = still->feet[f].toe;
            x[i] += toe[i].x - toe[i - 1].x - mean.x;
            z[i] += toe[i].z - toe[i - 1].z - mean.z;
            count[i] += 1.0;
        }
}

static sft_v3d mean_step(const double* x, const double* z, const double* count, size_t n)
{
    sft_v3d mean = {0.0, 0.0, 0.0};
    double all = 0.0;
    for (size_t i = 0; i < n; ++i)
    {
        mean.x += x[i];
        mean.z += z[i];
        all += count[i];
    }
    return all > 0.0 ? sft_v3d_scale(1.0 / all, mean) : mean;
}

bool sft_contact_take_sway_out(const contact_view* still, const uint8_t* plant, const sft_allocator* allocator,
                               sft_v3d* tracks, size_t track_count)
{
    const size_t n = (size_t)still->frames;
    double* block = sft_core_alloc(allocator, 4 * n + 1, sizeof *block);
    if (block == NULL) return false;
    double *x = block, *z = block + n, *count = block + 2 * n, *cumulative = block + 3 * n;
    sum_steps(still, plant, sft_v3d_make(0.0, 0.0, 0.0), x, z, count);
    sum_steps(still, plant, mean_step(x, z, count, n), x, z, count);
    // Twice half the reach: near steps weigh more than far ones, and the sway has no jumps.
    const int32_t half = sft_contact_frames(0.5 * SWAY_REACH, still->dt, still->frames);
    for (int pass = 0; pass < 2; ++pass)
    {
        box_sum(x, still->frames, half, cumulative);
        box_sum(z, still->frames, half, cumulative);
        box_sum(count, still->frames, half, cumulative);
    }
    double lost_x = 0.0, lost_z = 0.0;
    for (size_t i = 1; i < n; ++i)
    {
        if (count[i] > 0.0)
        {
            lost_x += x[i] / count[i];
            lost_z += z[i] / count[i];
        }
        for (size_t t = 0; t < track_count; ++t)
        {
            tracks[t * n + i].x -= lost_x;
            tracks[t * n + i].z -= lost_z;
        }
    }
    sft_core_free(allocator, block, 4 * n + 1, sizeof *block);
    return true;
}
