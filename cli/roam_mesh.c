// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// Skins of the creatures that `roam` makes: tubes of rings, and balls, weighted to their joints.

#include "roam.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define SEGMENTS 14
#define BALL_RINGS 8

static size_t add_vertex(roam_mesh* mesh, sft_v3d place, const roam_ring* ring, uint32_t colour)
{
    if (mesh->vertex_count == mesh->vertex_capacity)
    {
        const size_t capacity = mesh->vertex_capacity * 2 + 512;
        roam_vertex* grown = realloc(mesh->vertices, capacity * sizeof *grown);
        if (grown == NULL)
        {
            mesh->failed = true;
            return 0;
        }
        mesh->vertices = grown;
        mesh->vertex_capacity = capacity;
    }
    roam_vertex* v = &mesh->vertices[mesh->vertex_count];
    memset(v, 0, sizeof *v);
    v->place[0] = (float)place.x;
    v->place[1] = (float)place.y;
    v->place[2] = (float)place.z;
    v->joints[0] = (uint8_t)ring->a;
    v->weights[0] = 1.0F;
    if (ring->blend > 0 && ring->b != ring->a)
    {
        v->joints[1] = (uint8_t)ring->b;
        v->weights[1] = (float)ring->blend;
        v->weights[0] = 1.0F - v->weights[1];
    }
    for (int k = 0; k < 3; ++k)
        v->colour[k] = (uint8_t)(colour >> (16 - 8 * k));
    v->colour[3] = 255;
    return mesh->vertex_count++;
}

static void add_triangle(roam_mesh* mesh, size_t a, size_t b, size_t c)
{
    if (mesh->index_count + 3 > mesh->index_capacity)
    {
        const size_t capacity = mesh->index_capacity * 2 + 3072;
        uint32_t* grown = realloc(mesh->indices, capacity * sizeof *grown);
        if (grown == NULL)
        {
            mesh->failed = true;
            return;
        }
        mesh->indices = grown;
        mesh->index_capacity = capacity;
    }
    mesh->indices[mesh->index_count++] = (uint32_t)a;
    mesh->indices[mesh->index_count++] = (uint32_t)b;
    mesh->indices[mesh->index_count++] = (uint32_t)c;
}

static uint32_t mix(uint32_t a, uint32_t b, double t)
{
    uint32_t out = 0;
    for (int k = 0; k < 24; k += 8)
    {
        const double x = (a >> k & 255) * (1 - t) + (b >> k & 255) * t;
        out |= (uint32_t)(x + 0.5) << k;
    }
    return out;
}

// The way through a ring: from its neighbour behind to the one ahead.
static sft_v3d way(const roam_ring* rings, int count, int i)
{
    const sft_v3d from = rings[i > 0 ? i - 1 : 0].centre, to = rings[i + 1 < count ? i + 1 : count - 1].centre;
    return sft_v3d_normalize_or(sft_v3d_sub(to, from), (sft_v3d){0, 0, 1});
}

void roam_mesh_tube(roam_mesh* mesh, const roam_ring* rings, int count, sft_v3d up)
{
    const size_t first = mesh->vertex_count;
    for (int i = 0; i < count; ++i)
    {
        const sft_v3d ahead = way(rings, count, i);
        const sft_v3d side = sft_v3d_normalize_or(sft_v3d_cross(up, ahead), (sft_v3d){1, 0, 0});
        const sft_v3d above = sft_v3d_cross(ahead, side);
        for (int k = 0; k < SEGMENTS; ++k)
        {
            const double angle = 2 * 3.14159265358979323846 * k / SEGMENTS;
            const double x = rings[i].wide * sft_cos(angle), y = rings[i].high * sft_sin(angle);
            const sft_v3d place =
                sft_v3d_add(rings[i].centre, sft_v3d_add(sft_v3d_scale(x, side), sft_v3d_scale(y, above)));
            // The under side begins below the middle, and not with an edge.
            const double t = fmin(fmax(sft_sin(angle) * 1.6 + 0.9, 0), 1);
            add_vertex(mesh, place, &rings[i], mix(rings[i].under, rings[i].top, t));
        }
    }
    for (int i = 0; i + 1 < count; ++i)
        for (size_t k = 0; k < SEGMENTS; ++k)
        {
            const size_t a = first + (size_t)i * SEGMENTS + k, b = first + (size_t)i * SEGMENTS + (k + 1) % SEGMENTS;
            add_triangle(mesh, a, b, b + SEGMENTS);
            add_triangle(mesh, a, b + SEGMENTS, a + SEGMENTS);
        }
    const size_t last = first + (size_t)(count - 1) * SEGMENTS;
    const size_t back = add_vertex(mesh, rings[0].centre, &rings[0], mix(rings[0].under, rings[0].top, 0.5));
    const roam_ring* end = &rings[count - 1];
    const size_t front = add_vertex(mesh, end->centre, end, mix(end->under, end->top, 0.5));
    for (size_t k = 0; k < SEGMENTS; ++k)
    {
        add_triangle(mesh, back, first + (k + 1) % SEGMENTS, first + k);
        add_triangle(mesh, front, last + k, last + (k + 1) % SEGMENTS);
    }
}

void roam_mesh_ball(roam_mesh* mesh, sft_v3d centre, sft_v3d radii, int joint, uint32_t colour)
{
    roam_ring rings[BALL_RINGS];
    for (int i = 0; i < BALL_RINGS; ++i)
    {
        const double angle = 3.14159265358979323846 * (i + 0.25) / (BALL_RINGS - 0.5);
        rings[i] = (roam_ring){.centre = {centre.x, centre.y, centre.z - radii.z * sft_cos(angle)},
                               .wide = radii.x * sft_sin(angle),
                               .high = radii.y * sft_sin(angle),
                               .a = joint,
                               .b = joint,
                               .top = colour,
                               .under = colour};
    }
    roam_mesh_tube(mesh, rings, BALL_RINGS, (sft_v3d){0, 1, 0});
}

void roam_mesh_finish(roam_mesh* mesh)
{
    for (size_t i = 0; i + 2 < mesh->index_count; i += 3)
    {
        roam_vertex* v[3];
        sft_v3d p[3];
        for (int k = 0; k < 3; ++k)
        {
            v[k] = &mesh->vertices[mesh->indices[i + (size_t)k]];
            p[k] = (sft_v3d){v[k]->place[0], v[k]->place[1], v[k]->place[2]};
        }
        const sft_v3d n = sft_v3d_cross(sft_v3d_sub(p[1], p[0]), sft_v3d_sub(p[2], p[0]));
        for (int k = 0; k < 3; ++k)
        {
            v[k]->normal[0] += (float)n.x;
            v[k]->normal[1] += (float)n.y;
            v[k]->normal[2] += (float)n.z;
        }
    }
    for (size_t i = 0; i < mesh->vertex_count; ++i)
    {
        float* n = mesh->vertices[i].normal;
        const sft_v3d unit = sft_v3d_normalize_or((sft_v3d){n[0], n[1], n[2]}, (sft_v3d){0, 1, 0});
        n[0] = (float)unit.x;
        n[1] = (float)unit.y;
        n[2] = (float)unit.z;
    }
}

void roam_mesh_free(roam_mesh* mesh)
{
    free(mesh->vertices);
    free(mesh->indices);
    *mesh = (roam_mesh){0};
}
