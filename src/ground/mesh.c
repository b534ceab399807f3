// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// Meshes come and go.
#include "ground/mesh.h"

static sft_result check(const sft_ground_mesh_def* def)
{
    if (def->vertex_count < 0 || def->triangle_count < 0) return SFT_ERR_ARG;
    if ((def->vertex_count > 0 && def->vertices == NULL) || (def->triangle_count > 0 && def->indices == NULL))
        return SFT_ERR_ARG;
    if (def->triangle_count > MESH_LIMIT) return SFT_ERR_LIMIT;
    const size_t numbers = 3 * (size_t)def->vertex_count, corners = 3 * (size_t)def->triangle_count;
    for (size_t i = 0; i < numbers; ++i)
        if (!(fabs((double)def->vertices[i]) <= SFT_HUGE)) return SFT_ERR_RANGE;
    for (size_t i = 0; i < corners; ++i)
        if (def->indices[i] < 0 || def->indices[i] >= def->vertex_count) return SFT_ERR_RANGE;
    return SFT_OK;
}

static const float* vertex_of(const sft_ground_mesh_def* def, int32_t triangle, int corner)
{
    return def->vertices + 3 * (size_t)def->indices[3 * (size_t)triangle + (size_t)corner];
}

static bool has_area(const sft_ground_mesh_def* def, int32_t triangle)
{
    double v[3][3];
    sft_v3d n;
    for (int c = 0; c < 3; ++c)
        for (int k = 0; k < 3; ++k)
            v[c][k] = (double)vertex_of(def, triangle, c)[k];
    return sft_ground_normal(v[0], v[1], v[2], sft_v3d_make(0.0, 0.0, 0.0), &n);
}

// Those with an area, with their bounds.
static void take_triangles(sft_ground_mesh* mesh, const sft_ground_mesh_def* def)
{
    for (int32_t i = 0; i < def->triangle_count; ++i)
    {
        if (!has_area(def, i)) continue;
        mesh_triangle* t = &mesh->triangles[mesh->triangle_count++];
        t->number = i;
        for (int k = 0; k < 3; ++k)
        {
            const float a = vertex_of(def, i, 0)[k], b = vertex_of(def, i, 1)[k], c = vertex_of(def, i, 2)[k];
            t->v[0][k] = a < b ? (a < c ? a : c) : (b < c ? b : c);
            t->v[1][k] = a > b ? (a > c ? a : c) : (b > c ? b : c);
            mesh->largest = sft_maxd(mesh->largest, sft_maxd(fabs((double)t->v[0][k]), fabs((double)t->v[1][k])));
        }
    }
}

sft_result sft_ground_mesh_create(const sft_ground_mesh_def* def, const sft_allocator* allocator, sft_ground_mesh** out,
                                  int32_t* skipped)
{
    if (def == NULL || out == NULL) return SFT_ERR_ARG;
    const sft_result result = check(def);
    if (result != SFT_OK) return result;
    const sft_allocator own = sft_core_allocator(allocator);
    sft_ground_mesh* mesh = sft_core_alloc(&own, 1, sizeof *mesh);
    if (mesh == NULL) return SFT_ERR_MEMORY;
    for (int32_t i = 0; i < def->triangle_count; ++i)
        mesh->triangle_capacity += has_area(def, i);
    mesh->body_count = def->bodies != NULL ? (size_t)def->triangle_count : 0;
    mesh->triangles = sft_core_alloc(&own, mesh->triangle_capacity, sizeof *mesh->triangles);
    mesh->bodies = def->bodies != NULL ? sft_core_alloc(&own, mesh->body_count, sizeof *mesh->bodies) : NULL;
    bool fine = mesh->triangles != NULL && (mesh->bodies != NULL || def->bodies == NULL);
    if (fine)
    {
        take_triangles(mesh, def);
        fine = sft_ground_mesh_build(mesh, &own) && sft_ground_mesh_make_cells(mesh, &own);
    }
    if (!fine)
    {
        sft_ground_mesh_destroy(mesh, &own);
        return SFT_ERR_MEMORY;
    }
    for (int32_t i = 0; i < mesh->triangle_count; ++i)
        for (int c = 0; c < 3; ++c)
            memcpy(mesh->triangles[i].v[c], vertex_of(def, mesh->triangles[i].number, c), 3 * sizeof(float));
    if (mesh->body_count > 0) memcpy(mesh->bodies, def->bodies, mesh->body_count * sizeof *mesh->bodies);
    if (skipped != NULL) *skipped = def->triangle_count - mesh->triangle_count;
    *out = mesh;
    return SFT_OK;
}

void sft_ground_mesh_destroy(sft_ground_mesh* mesh, const sft_allocator* allocator)
{
    if (mesh == NULL) return;
    const sft_allocator own = sft_core_allocator(allocator);
    sft_core_free(&own, mesh->triangles, mesh->triangle_capacity, sizeof *mesh->triangles);
    sft_core_free(&own, mesh->bodies, mesh->body_count, sizeof *mesh->bodies);
    sft_core_free(&own, mesh->node_block, mesh->node_capacity * sizeof *mesh->nodes + MESH_LINE, 1);
    sft_core_free(&own, mesh->cell_block, mesh->cell_count * sizeof *mesh->cells + MESH_LINE, 1);
    sft_core_free(&own, mesh, 1, sizeof *mesh);
}

sft_ground sft_ground_from_mesh(const sft_ground_mesh* mesh)
{
    return (sft_ground){sft_ground_mesh_query, mesh};
}
