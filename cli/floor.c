// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// The floor that a clip was made on.

#include "cli.h"

#include <math.h>
#include <stdlib.h>

static int by_value(const void* a, const void* b)
{
    const double x = *(const double*)a, y = *(const double*)b;
    return (x > y) - (x < y);
}

double cli_median(double* values, size_t count)
{
    qsort(values, count, sizeof *values, by_value);
    return count == 0 ? 0.0 : 0.5 * (values[(count - 1) / 2] + values[count / 2]);
}

static bool planted(const contacts* c, double threshold, int32_t foot, int32_t frame)
{
    const size_t at = (size_t)foot * (size_t)c->labels->frame_count + (size_t)frame;
    return (double)c->labels->plant[at] > threshold;
}

// Median over a plant of the foot's lowest point.
static double plant_level(const tracks* t, int32_t foot, int32_t first, int32_t end, double* values)
{
    const sft_foot_tracks* f = &t->feet[foot];
    for (int32_t i = first; i < end; ++i)
    {
        double low = sft_mind(f->heel[i].y, f->toe[i].y);
        if (f->toe_end != NULL) low = sft_mind(low, f->toe_end[i].y);
        values[i - first] = low;
    }
    return cli_median(values, (size_t)(end - first));
}

bool cli_plant_level(double threshold, const loaded* file, const tracks* t, const contacts* c, double* level)
{
    const size_t frames = (size_t)file->frame_count;
    double* values = malloc((frames + 1) * sizeof *values);
    double* levels = malloc((frames * (size_t)file->leg_count + 1) * sizeof *levels);
    size_t count = 0;
    for (int32_t foot = 0; values != NULL && levels != NULL && foot < file->leg_count; ++foot)
        for (int32_t i = file->first_frame; i < file->frame_count; ++i)
        {
            int32_t end = i;
            while (end < file->frame_count && planted(c, threshold, foot, end))
                ++end;
            if (end > i) levels[count] = plant_level(t, foot, i, end, values);
            // A foot over its own hip is held in the air, in a pose that a clip of few frames may consist of.
            if (end > i && levels[count] < t->hips[foot][(i + end) / 2].y) ++count;
            i = end;
        }
    // A tenth of a millimetre is enough, and reads well.
    *level = count > 0 ? floor(cli_median(levels, count) * 1e4 + 0.5) / 1e4 : 0.0;
    free(values);
    free(levels);
    return count > 0;
}

double cli_find_floor(double threshold, const loaded* file, const tracks* t, const contacts* c, const char** reason)
{
    double level;
    *reason = "no foot is planted, so that of the world";
    if (!cli_plant_level(threshold, file, t, c, &level)) return 0.0;
    *reason = "where planted feet are lowest";
    int32_t index;
    const sft_gltf* gltf = sft_io_gltf(cli_stage(file, &index));
    // A mesh has soles below the joints; that is no reason to sink them into the ground.
    if (gltf == NULL || sft_gltf_view(gltf)->mesh_count == 0) return level == 0.0 ? 0.0 : level;
    if (level < -0.005 || level > 0.1) return level;
    *reason = "that of the world: the joints of planted feet are close above it, and the file has a mesh with soles";
    return 0.0;
}
