// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// How high planted feet stand.

#include "surefoot/tracks.h"

#include "core/core.h"

static double median(double* values, size_t count)
{
    sft_core_sort(values, count);
    return count == 0 ? 0.0 : 0.5 * (values[(count - 1) / 2] + values[count / 2]);
}

static bool planted(const sft_contact_labels* labels, double threshold, int32_t foot, int32_t frame)
{
    return (double)labels->plant[(size_t)foot * (size_t)labels->frame_count + (size_t)frame] > threshold;
}

// Median over a plant of the foot's lowest point.
static double plant_level(const sft_tracks* tracks, int32_t foot, int32_t first, int32_t end, double* values)
{
    const sft_foot_tracks* f = &tracks->feet[foot];
    for (int32_t i = first; i < end; ++i)
    {
        double low = sft_mind(f->heel[i].y, f->toe[i].y);
        if (f->toe_end != NULL) low = sft_mind(low, f->toe_end[i].y);
        values[i - first] = low;
    }
    return median(values, (size_t)(end - first));
}

// Levels of the plants of one foot, from levels[count] on; the new count.
static size_t foot_levels(const sft_tracks* tracks, const sft_contact_labels* labels, double threshold, int32_t foot,
                          double* values, double* levels, size_t count)
{
    const int32_t frames = tracks->input.frame_count;
    for (int32_t i = tracks->input.first_frame; i < frames; ++i)
    {
        int32_t end = i;
        while (end < frames && planted(labels, threshold, foot, end))
            ++end;
        if (end > i) levels[count] = plant_level(tracks, foot, i, end, values);
        // A foot over its own hip is held in the air, in a pose that a clip of few frames may consist of.
        if (end > i && levels[count] < tracks->hips[foot][(i + end) / 2].y) ++count;
        i = end;
    }
    return count;
}

sft_result sft_tracks_plant_level(const sft_tracks* tracks, const sft_contact_labels* labels, double threshold,
                                  const sft_allocator* allocator, double* level, bool* found)
{
    if (tracks == NULL || labels == NULL || level == NULL || found == NULL ||
        labels->frame_count != tracks->input.frame_count || labels->foot_count != tracks->input.foot_count)
        return SFT_ERR_ARG;
    const size_t frames = (size_t)tracks->input.frame_count;
    const size_t most = frames * (size_t)tracks->input.foot_count;
    double* values = sft_core_alloc(allocator, frames, sizeof *values);
    double* levels = sft_core_alloc(allocator, most, sizeof *levels);
    const bool fine = values != NULL && levels != NULL;
    if (fine)
    {
        size_t count = 0;
        for (int32_t foot = 0; foot < tracks->input.foot_count; ++foot)
            count = foot_levels(tracks, labels, threshold, foot, values, levels, count);
        // A tenth of a millimetre is enough, and reads well.
        *level = count > 0 ? floor(median(levels, count) * 1e4 + 0.5) / 1e4 : 0.0;
        *found = count > 0;
    }
    sft_core_free(allocator, values, frames, sizeof *values);
    sft_core_free(allocator, levels, most, sizeof *levels);
    return fine ? SFT_OK : SFT_ERR_MEMORY;
}
