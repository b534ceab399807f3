// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// Any bytes as a ground mesh, OBJ text or glTF: what comes out is sound enough to be built, and memory stays in bounds.

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "surefoot/io.h"

#define MEMORY ((size_t)256 << 20)

static void require(bool condition)
{
    if (!condition) abort();
}

static void* limited_allocate(void* user, size_t size)
{
    size_t* used = user;
    if (size > MEMORY - *used) return NULL;
    void* block = malloc(size);
    if (block != NULL) *used += size;
    return block;
}

static void limited_release(void* user, void* block, size_t size)
{
    *(size_t*)user -= size;
    free(block);
}

static void check(const sft_io_mesh_contents* v, int32_t max_triangles)
{
    const sft_ground_mesh_def* g = &v->ground;
    require(g->triangle_count > 0 && g->triangle_count <= max_triangles && g->vertex_count <= 3 * max_triangles);
    for (int32_t i = 0; i < 3 * g->triangle_count; ++i)
        require(g->indices[i] >= 0 && g->indices[i] < g->vertex_count);
    for (int32_t i = 0; i < g->triangle_count; ++i)
        require(g->bodies[i] >= 0 && g->bodies[i] < v->body_count);
    for (int32_t i = 0; i < 3 * g->vertex_count; ++i)
        require(fabsf(g->vertices[i]) <= (float)SFT_HUGE);
    for (int32_t i = 0; i < v->body_count; ++i)
        require(strlen(v->body_names[i]) < MEMORY);
    for (int32_t i = 0; i < v->warning_count; ++i)
        require(memchr(v->warnings[i].message, 0, sizeof v->warnings[i].message) != NULL);
}

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size)
{
    size_t used = 0;
    const sft_allocator allocator = {limited_allocate, limited_release, &used};
    sft_io_mesh_def def = sft_default_io_mesh_def();
    def.max_triangles = 100000;
    sft_io_mesh* mesh = NULL;
    sft_error error = {.code = SFT_OK};
    const sft_result result = sft_io_mesh_read(&def, data, size, &allocator, &mesh, &error);
    if (result == SFT_OK)
        check(sft_io_mesh_view(mesh), def.max_triangles);
    else
        require(mesh == NULL && (error.message[0] != '\0' || result == SFT_ERR_MEMORY));
    sft_io_mesh_destroy(mesh);
    require(used == 0);
    return 0;
}
