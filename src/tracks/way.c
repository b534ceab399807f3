// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

#include <math.h>

#include "surefoot/math.h"
#include "surefoot/tracks.h"

static const double TRAVEL_LEAST = 0.3; // [m]
static const double APPROACH_LEAST = 0.4, APPROACH_MOST = 1.5;

// A quotient of whole numbers prints as short as it is; a multiple of 0.001 may not.
static double rounded(double value, double per_unit)
{
    const double r = floor(value * per_unit + 0.5) / per_unit;
    return r == 0.0 ? 0.0 : r; // no -0
}

static sft_v3d furthest(const sft_v3d* points, int32_t first, int32_t count)
{
    sft_v3d way = sft_v3d_make(0, 0, 0);
    for (int32_t i = first; i < count; ++i)
    {
        const sft_v3d to = sft_v3d_make(points[i].x - points[first].x, 0.0, points[i].z - points[first].z);
        if (sft_v3d_dot(to, to) > sft_v3d_dot(way, way)) way = to;
    }
    return way;
}

static sft_v3d feet_direction(const sft_contact_input* in)
{
    sft_v3d sum = sft_v3d_make(0, 0, 0);
    for (int32_t l = 0; l < in->foot_count; ++l)
        for (int32_t i = in->first_frame; i < in->frame_count; ++i)
            sum = sft_v3d_add(sum, sft_v3d_sub(in->feet[l].toe[i], in->feet[l].heel[i]));
    return sum;
}

sft_result sft_tracks_find_way(const sft_tracks* tracks, sft_tracks_way* out)
{
    if (tracks == NULL || out == NULL || tracks->input.first_frame >= tracks->input.frame_count) return SFT_ERR_ARG;
    const sft_contact_input* in = &tracks->input;
    const sft_v3d way = furthest(in->pelvis, in->first_frame, in->frame_count);
    sft_tracks_way w = {.start = in->pelvis[in->first_frame], .travel = sft_v3d_length(way)};
    w.in_place = !(w.travel >= TRAVEL_LEAST);
    const sft_v3d ahead = w.in_place ? feet_direction(in) : way;
    w.heading = sft_atan2(ahead.x, ahead.z);
    w.heading_degrees = rounded(w.heading * 180.0 / SFT_PI, 1.0);
    w.origin = sft_v3d_make(rounded(w.start.x, 1000.0), w.start.y, rounded(w.start.z, 1000.0));
    *out = w;
    return SFT_OK;
}

double sft_tracks_approach(double travel)
{
    return sft_clampd(rounded(0.25 * travel, 100.0), APPROACH_LEAST, APPROACH_MOST);
}
