// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// A ground mesh while it is read, as the files of this module see it.
#ifndef SUREFOOT_IO_MESH_H
#define SUREFOOT_IO_MESH_H

#include "core/core.h"
#include "surefoot/io.h"

#define MESH_MAX_WARNINGS 32

/// An array that grows; `size` bytes an element.
typedef struct mesh_array
{
    void* data;
    size_t count, capacity, size;
} mesh_array;

struct sft_io_mesh
{
    sft_allocator allocator;
    sft_io_mesh_contents view;
    mesh_array vertices; ///< float
    mesh_array indices;  ///< int32_t
    mesh_array bodies;   ///< int32_t
    mesh_array names;    ///< char, zero-terminated one behind the other
    mesh_array offsets;  ///< size_t, of each body's name in `names`
    const char** name_list;
    size_t name_count; ///< of name_list
    sft_warning warnings[MESH_MAX_WARNINGS];
};

/// What reading one file works with.
typedef struct mesh_reader
{
    const sft_io_mesh_def* def;
    sft_space space;
    sft_io_mesh* mesh;
    sft_error* error;
} mesh_reader;

/// Room for `more` elements, which count from then on; null when memory is short.
void* sft_mesh_push(sft_io_mesh* mesh, mesh_array* array, size_t more);
void sft_mesh_free_array(const sft_allocator* allocator, mesh_array* array);
sft_result sft_mesh_no_memory(sft_error* error);
/// Adds a vertex in file units and axes; false: it is no number or out of range, or memory is short (*full).
bool sft_mesh_add_vertex(mesh_reader* reader, sft_v3d point, bool* full);
/// Three vertices and a body. SFT_ERR_LIMIT or SFT_ERR_MEMORY, without a message.
sft_result sft_mesh_add_triangle(mesh_reader* reader, const int32_t corners[3], int32_t body);
/// Names the next body.
sft_result sft_mesh_add_name(mesh_reader* reader, const char* name, size_t length);
/// Beyond MESH_MAX_WARNINGS it is forgotten.
void sft_mesh_warn(sft_io_mesh* mesh, uint32_t line, const char* format, ...);
/// SFT_ERR_LIMIT with what the limit is.
sft_result sft_mesh_fail_limit(const mesh_reader* reader, uint64_t byte, uint32_t line);

/// Cuts a polygon into triangles: corners are indices into `points` (x, y, z floats). out: 3 * (count - 2) of the
/// corners. A convex one becomes a fan. `work`: 2 * count entries of int32_t and 2 * count doubles. False: it crosses
/// itself; then the triangles are the best that could be done. Time count squared for concave ones.
bool sft_mesh_cut_polygon(const float* points, const int32_t* corners, int32_t count, int32_t* links, double* flat,
                          int32_t* out);
/// Whether a fan does: all corners turn the same way. Linear; no memory.
bool sft_mesh_is_convex(const float* points, const int32_t* corners, int32_t count);

sft_result sft_mesh_read_obj(mesh_reader* reader, const char* text, size_t size);
sft_result sft_mesh_read_gltf(mesh_reader* reader, const void* bytes, size_t size);

#endif
