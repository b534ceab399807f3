// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// Reading ground meshes in tests, and what can be counted on them by other means than the reader's.
#ifndef SUREFOOT_SUPPORT_MESH_H
#define SUREFOOT_SUPPORT_MESH_H

#include "support/support.h"

#include <math.h>

/// Reads a mesh; fails the test, showing the error, where it cannot be read.
static inline sft_io_mesh* support_read_mesh(const sft_io_mesh_def* def, const void* bytes, size_t size)
{
    sft_io_mesh* mesh = NULL;
    sft_error error = {.code = SFT_OK};
    if (sft_io_mesh_read(def, bytes, size, NULL, &mesh, &error) != SFT_OK)
        fail_msg("refused: line %u: %s: %s", error.line, error.joint, error.message);
    return mesh;
}

/// Reads what must be refused with this code and a message that holds this text.
static inline void support_refuse_mesh(const sft_io_mesh_def* def, const void* bytes, size_t size, sft_result code,
                                       const char* text, sft_error* error)
{
    sft_io_mesh* mesh = NULL;
    memset(error, 0, sizeof *error);
    const sft_result result = sft_io_mesh_read(def, bytes, size, NULL, &mesh, error);
    assert_null(mesh);
    if (result != code || error->code != code || strstr(error->message, text) == NULL)
        fail_msg("wanted %d with '%s', got %d: %s", (int)code, text, (int)result, error->message);
}

/// Sum of the triangles' areas, as a vector along their normals: holes, folds and turned triangles all show.
static inline sft_v3d support_mesh_area(const sft_ground_mesh_def* g)
{
    sft_v3d sum = sft_v3d_make(0, 0, 0);
    for (int32_t t = 0; t < g->triangle_count; ++t)
    {
        sft_v3d p[3];
        for (int i = 0; i < 3; ++i)
        {
            const float* v = g->vertices + 3 * (size_t)g->indices[3 * (size_t)t + (size_t)i];
            p[i] = sft_v3d_make((double)v[0], (double)v[1], (double)v[2]);
        }
        const sft_v3d n = sft_v3d_cross(sft_v3d_sub(p[1], p[0]), sft_v3d_sub(p[2], p[0]));
        sum = sft_v3d_madd(sum, 0.5, n);
    }
    return sum;
}

/// Sum of the triangles' areas, whatever way they turn.
static inline double support_mesh_total(const sft_ground_mesh_def* g)
{
    double sum = 0.0;
    for (int32_t t = 0; t < g->triangle_count; ++t)
    {
        const sft_ground_mesh_def one = {
            .vertices = g->vertices, .triangle_count = 1, .indices = g->indices + 3 * (size_t)t};
        sum += sft_v3d_length(support_mesh_area(&one));
    }
    return sum;
}

#endif
