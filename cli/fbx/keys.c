// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// The keys of clips, whoever reads the curves: seconds of the file, times that grow, turns along the shorter arc.

#include "scene.h"
#include "matrix.h"

#include <math.h>
#include <stdlib.h>

#define EMPTY_KEYS 36000 // most keys that a take without curves gets: 20 minutes at 30 frames a second

// Degrees about the axes in the order that FBX numbers.
void fbx_turn_of(const double degrees[3], int order, double m[16])
{
    static const int orders[6][3] = {{0, 1, 2}, {0, 2, 1}, {1, 2, 0}, {1, 0, 2}, {2, 0, 1}, {2, 1, 0}};
    double q[4] = {0, 0, 0, 1};
    for (int k = 0; k < 3; ++k)
    {
        const int axis = orders[order >= 0 && order < 6 ? order : 0][k];
        const double half = degrees[axis] * 3.14159265358979323846 / 360.0;
        double one[4] = {0, 0, 0, cos(half)};
        one[axis] = sin(half);
        fbx_quat_multiply(one, q, q); // later ones from the left
    }
    fbx_compose((const double[]){0, 0, 0}, q, (const double[]){1, 1, 1}, m);
}

double fbx_seconds(const fbx_builder* b, double key)
{
    return key / b->rate + b->offset;
}

// ---- keys out ----

// Appends one key; times must grow as floats too. Values that are no numbers are left out.
void fbx_put_key(fbx_builder* b, fbx_key_set* set, int width, double time, const double* value)
{
    bool good = isfinite(time);
    for (int i = 0; i < width; ++i)
        good = good && isfinite(value[i]) && fabs(value[i]) < 1e30;
    if (!good)
    {
        b->bad_keys = true;
        return;
    }
    const float stamp = (float)(fbx_seconds(b, time) + b->clip->shift);
    if (set->count > 0 && !(stamp > set->times[set->count - 1])) return;
    set->times[set->count] = stamp > 0.0f ? stamp : 0.0f;
    for (int i = 0; i < width; ++i)
        set->values[(size_t)set->count * (size_t)width + (size_t)i] = (float)value[i];
    ++set->count;
}

bool fbx_make_set(fbx_builder* b, fbx_key_set* set, size_t count, int width)
{
    set->times = fbx_alloc(b->scene->arena, count, sizeof *set->times);
    set->values = fbx_alloc(b->scene->arena, count * (size_t)width, sizeof *set->values);
    return set->times != NULL && set->values != NULL;
}

// A path that stands where the node stands anyway is left out.
void fbx_prune(fbx_channel* channel, int path, const double* rest, double slack)
{
    const fbx_key_set* set = &channel->paths[path];
    for (uint32_t i = 0; i < set->count; ++i)
        for (int k = 0; k < 3; ++k)
            if (fabs((double)set->values[3 * i + (uint32_t)k] - rest[k]) > slack * fmax(1.0, fabs(rest[k]))) return;
    channel->paths[path].count = 0;
}

// q and -q are one rotation: the one nearer to the key before is kept.
void fbx_put_turn(fbx_builder* b, fbx_key_set* set, double time, double q[4])
{
    if (set->count > 0)
    {
        const float* last = set->values + 4 * (size_t)(set->count - 1);
        const double dot =
            (double)last[0] * q[0] + (double)last[1] * q[1] + (double)last[2] * q[2] + (double)last[3] * q[3];
        for (int i = 0; dot < 0.0 && i < 4; ++i)
            q[i] = -q[i];
    }
    fbx_put_key(b, set, 4, time, q);
}

int fbx_by_time(const void* a, const void* b)
{
    const double x = *(const double*)a, y = *(const double*)b;
    return (x > y) - (x < y);
}

// A take in which nothing moves is a clip all the same: the first joint stands still at every frame of its range.
bool fbx_stand_still(fbx_builder* b)
{
    fbx_scene* scene = b->scene;
    size_t node = 0;
    while (node < scene->node_count && !scene->nodes[node].joint)
        ++node;
    if (node == scene->node_count)
        for (node = 0; node + 1 < scene->node_count && scene->nodes[node].is_matrix;)
            ++node;
    scene->nodes[node].is_matrix = false;
    const double start = isfinite(b->clip->start) ? b->clip->start : 0.0;
    const double stop = isfinite(b->clip->stop) ? fmax(start, b->clip->stop) : start;
    const double frames = floor((stop - start) * scene->frame_rate + 1e-3) + 1.0;
    const uint32_t count = frames < EMPTY_KEYS ? (uint32_t)frames : EMPTY_KEYS;
    if (start < 0.0) b->clip->shift = -start;
    b->clip->channels = fbx_alloc(scene->arena, 1, sizeof *b->clip->channels);
    if (b->clip->channels == NULL || !fbx_make_set(b, &b->clip->channels[0].paths[1], count, 4)) return false;
    b->clip->channel_count = 1;
    b->clip->channels[0].node = (int32_t)node;
    b->rate = scene->frame_rate;
    b->offset = start;
    for (uint32_t i = 0; i < count; ++i)
        fbx_put_turn(b, &b->clip->channels[0].paths[1], (double)i, scene->nodes[node].r);
    return true;
}
