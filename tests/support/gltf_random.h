// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// Random glTF scenes: trees of any shape with scales of every kind, animated in every way.
#ifndef SUREFOOT_SUPPORT_GLTF_RANDOM_H
#define SUREFOOT_SUPPORT_GLTF_RANDOM_H

#include <math.h>

#include "support/gltf_scene.h"
#include "support/support.h"

typedef enum random_scales
{
    SCALES_NONE,
    SCALES_UNIFORM, ///< and mirrors
    SCALES_LEAVES,  ///< uneven where nothing hangs below, else uniform and mirrors
    SCALES_ANY,     ///< uneven anywhere: shears
    SCALES_KINDS
} random_scales;

static inline int random_below(support_rng* rng, int count)
{
    return (int)support_uniform(rng, 0.0, (double)count);
}

static inline void random_turn(support_rng* rng, double* q)
{
    double square = 0.0;
    do
    {
        square = 0.0;
        for (int i = 0; i < 4; ++i)
        {
            q[i] = support_uniform(rng, -1.0, 1.0);
            square += q[i] * q[i];
        }
    } while (square < 0.1 || square > 1.0);
    for (int i = 0; i < 4; ++i)
        q[i] /= sqrt(square);
}

static inline double random_factor(support_rng* rng)
{
    const double size = support_uniform(rng, 0.5, 2.0);
    return support_uniform(rng, 0.0, 1.0) < 0.3 ? -size : size;
}

static inline void random_scale(support_rng* rng, bool uneven, double* s)
{
    const double size = support_uniform(rng, 0.5, 2.0);
    for (int i = 0; i < 3; ++i)
        s[i] = uneven ? random_factor(rng) : support_uniform(rng, 0.0, 1.0) < 0.3 ? -size : size;
}

static inline bool random_uneven(const scene* s, int node, random_scales scales)
{
    if (scales == SCALES_ANY) return true;
    if (scales != SCALES_LEAVES) return false;
    for (int i = 0; i < s->node_count; ++i)
        if (s->nodes[i].parent == node) return false;
    return true;
}

static inline void random_keys(support_rng* rng, scene* s, int node, int path, random_scales scales)
{
    const int count = 2 + random_below(rng, 6);
    const int width = path == SCENE_ROTATION ? 4 : 3;
    const int interpolation = random_below(rng, 3);
    const int parts = interpolation == SCENE_CUBICSPLINE ? 3 : 1;
    float* times = scene_floats(s, (size_t)count);
    float* values = scene_floats(s, (size_t)(count * parts * width));
    double t = support_uniform(rng, 0.0, 0.3);
    for (int k = 0; k < count; ++k)
    {
        times[k] = (float)t;
        t += support_uniform(rng, 0.02, 0.3);
        for (int p = 0; p < parts; ++p)
        {
            double v[4];
            if (path == SCENE_ROTATION && p == parts / 2)
                random_turn(rng, v);
            else if (path == SCENE_SCALE && p == parts / 2)
                random_scale(rng, random_uneven(s, node, scales), v);
            else
                for (int i = 0; i < width; ++i)
                    v[i] = support_uniform(rng, -1.0, 1.0);
            // Tangents of uniform scales are uniform too, or the scale would not be.
            if (path == SCENE_SCALE && p != parts / 2 && !random_uneven(s, node, scales)) v[0] = v[1] = v[2] = 0.0;
            // Mirrors change over between keys only by passing through uneven scales: keep the first key's signs.
            for (int i = 0; i < width && path == SCENE_SCALE && p == parts / 2 && k > 0; ++i)
                v[i] = copysign(v[i], (double)values[(parts / 2) * width + i]);
            for (int i = 0; i < width; ++i)
                values[(k * parts + p) * width + i] = (float)v[i];
        }
    }
    scene_channel_add(s, 0,
                      (scene_channel){.node = node,
                                      .path = path,
                                      .interpolation = interpolation,
                                      .count = count,
                                      .times = times,
                                      .values = values});
}

/// Nodes 0 to wrappers - 1 are a static chain above the rest; the skin has every other node.
static inline scene* random_scene(support_rng* rng, random_scales scales)
{
    scene* s = scene_new();
    const int wrappers = random_below(rng, 4);
    const int count = wrappers + 2 + random_below(rng, 14);
    for (int i = 0; i < count; ++i)
        scene_add(s, NULL, i == 0 ? -1 : i <= wrappers ? i - 1 : wrappers + random_below(rng, i - wrappers));
    int joints[SCENE_NODES];
    int joint_count = 0;
    for (int i = 0; i < count; ++i)
    {
        scene_node* n = &s->nodes[i];
        for (int k = 0; k < 3; ++k)
            n->t[k] = support_uniform(rng, -1.0, 1.0);
        random_turn(rng, n->r);
        if (scales != SCALES_NONE) random_scale(rng, random_uneven(s, i, scales), n->s);
        if (i < wrappers) continue;
        joints[joint_count++] = i;
        if (random_below(rng, 3) > 0) random_keys(rng, s, i, SCENE_ROTATION, scales);
        if (random_below(rng, 3) == 0) random_keys(rng, s, i, SCENE_TRANSLATION, scales);
        if (scales != SCALES_NONE && random_below(rng, 3) == 0) random_keys(rng, s, i, SCENE_SCALE, scales);
    }
    scene_skin_over(s, joints, joint_count);
    return s;
}

#endif
