// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// Ground meshes: which format, and what both have in common.

#include "io/mesh.h"

#include "io/io.h"

#include <math.h>

#define MESH_COOKIE 0x6d657331u
#define PATH_CAPACITY 4096

sft_io_mesh_def sft_default_io_mesh_def(void)
{
    const uint64_t four_gib = (UINT64_C(4) << 30) - 1;
    return (sft_io_mesh_def){.up = -1,
                             .max_bytes = four_gib > SIZE_MAX / 2 ? SIZE_MAX / 2 : (size_t)four_gib,
                             .max_triangles = 20000000,
                             .max_nodes = SFT_MAX_JOINTS,
                             .cookie = MESH_COOKIE};
}

// ---- growing ----

void* sft_mesh_push(sft_io_mesh* mesh, mesh_array* array, size_t more)
{
    if (more > SIZE_MAX / 4 - array->count) return NULL;
    const size_t need = array->count + more;
    if (need > array->capacity)
    {
        size_t capacity = array->capacity < 64 ? 64 : array->capacity + array->capacity / 2;
        if (capacity < need) capacity = need;
        void* data = sft_core_grow(&mesh->allocator, array->data, array->capacity, capacity, array->size);
        if (data == NULL) return NULL;
        array->data = data;
        array->capacity = capacity;
    }
    void* out = (char*)array->data + array->count * array->size;
    array->count = need;
    return out;
}

void sft_mesh_free_array(const sft_allocator* allocator, mesh_array* array)
{
    sft_core_free(allocator, array->data, array->capacity, array->size);
    array->data = NULL;
}

sft_result sft_mesh_no_memory(sft_error* error)
{
    return sft_core_fail(error, SFT_ERR_MEMORY, 0, 0, NULL, "out of memory");
}

sft_result sft_mesh_fail_limit(const mesh_reader* reader, uint64_t byte, uint32_t line)
{
    return sft_core_fail(reader->error, SFT_ERR_LIMIT, byte, line, NULL,
                         "more than %d triangles, or three times as many vertices; keep only what feet come near, or "
                         "raise max_triangles",
                         reader->def->max_triangles);
}

bool sft_mesh_add_vertex(mesh_reader* reader, sft_v3d point, bool* full)
{
    const sft_v3d p = sft_space_to_inside(&reader->space, point);
    *full = false;
    // Also false where it is no number.
    if (!(fabs(p.x) <= SFT_HUGE && fabs(p.y) <= SFT_HUGE && fabs(p.z) <= SFT_HUGE)) return false;
    float* v = sft_mesh_push(reader->mesh, &reader->mesh->vertices, 3);
    *full = v == NULL;
    if (v == NULL) return false;
    v[0] = (float)p.x;
    v[1] = (float)p.y;
    v[2] = (float)p.z;
    return true;
}

sft_result sft_mesh_add_triangle(mesh_reader* reader, const int32_t corners[3], int32_t body)
{
    sft_io_mesh* mesh = reader->mesh;
    if (mesh->bodies.count >= (size_t)reader->def->max_triangles) return SFT_ERR_LIMIT;
    int32_t* index = sft_mesh_push(mesh, &mesh->indices, 3);
    int32_t* own = index != NULL ? sft_mesh_push(mesh, &mesh->bodies, 1) : NULL;
    if (own == NULL) return SFT_ERR_MEMORY;
    for (int i = 0; i < 3; ++i)
        index[i] = corners[i];
    *own = body;
    return SFT_OK;
}

sft_result sft_mesh_add_name(mesh_reader* reader, const char* name, size_t length)
{
    sft_io_mesh* mesh = reader->mesh;
    size_t* offset = sft_mesh_push(mesh, &mesh->offsets, 1);
    const size_t at = mesh->names.count;
    char* text = offset != NULL ? sft_mesh_push(mesh, &mesh->names, length + 1) : NULL;
    if (text == NULL) return sft_mesh_no_memory(reader->error);
    *offset = at;
    if (length > 0) memcpy(text, name, length);
    text[length] = '\0';
    return SFT_OK;
}

void sft_mesh_warn(sft_io_mesh* mesh, uint32_t line, const char* format, ...)
{
    if (mesh->view.warning_count >= MESH_MAX_WARNINGS) return;
    sft_warning* w = &mesh->warnings[mesh->view.warning_count++];
    w->line = line;
    va_list args;
    va_start(args, format);
    sft_core_vformat(w->message, sizeof w->message, format, args);
    va_end(args);
}

// ---- the face ----

static sft_result check_def(const sft_io_mesh_def* def, sft_error* error)
{
    const double unit = def->unit_metres;
    if (def->cookie != MESH_COOKIE)
        return sft_core_fail(error, SFT_ERR_DEF, 0, 0, NULL, "the def is not from sft_default_io_mesh_def()");
    if (!(unit == 0.0 || (unit >= 1e-6 && unit <= 1e6)) || def->up < -1 || def->up > (int)SFT_AXIS_NEG_Z)
        return sft_core_fail(error, SFT_ERR_DEF, 0, 0, NULL, "unit_metres or up is out of its range");
    // Three times as many vertices still want an int32_t.
    if (def->max_triangles < 0 || def->max_triangles > INT32_MAX / 3 || def->max_nodes < 1)
        return sft_core_fail(error, SFT_ERR_DEF, 0, 0, NULL, "max_triangles or max_nodes is out of its range");
    return SFT_OK;
}

static sft_result read_format(mesh_reader* reader, const void* bytes, size_t size)
{
    const sft_io_format format = sft_io_sniff(bytes, size);
    if (format == SFT_IO_GLB || format == SFT_IO_GLTF) return sft_mesh_read_gltf(reader, bytes, size);
    if (format != SFT_IO_AUTO)
        return sft_core_fail(
            reader->error, SFT_ERR_UNSUPPORTED, 0, 0, NULL,
            "this is a %s file; ground is read from OBJ, glTF and GLB: export the mesh as one of those",
            sft_io_format_name(format));
    if (size == 0)
        return sft_core_fail(reader->error, SFT_ERR_SYNTAX, 0, 1, NULL,
                             "the file is empty (0 bytes); copy or export it again");
    return sft_mesh_read_obj(reader, bytes, size);
}

static sft_result finish(mesh_reader* reader)
{
    sft_io_mesh* m = reader->mesh;
    m->name_list = sft_core_alloc(&m->allocator, m->offsets.count, sizeof *m->name_list);
    if (m->name_list == NULL) return sft_mesh_no_memory(reader->error);
    m->name_count = m->offsets.count;
    const size_t* offsets = m->offsets.data;
    for (size_t i = 0; i < m->name_count; ++i)
        m->name_list[i] = (const char*)m->names.data + offsets[i];
    m->view.ground = (sft_ground_mesh_def){.vertex_count = (int32_t)(m->vertices.count / 3),
                                           .vertices = m->vertices.data,
                                           .triangle_count = (int32_t)m->bodies.count,
                                           .indices = m->indices.data,
                                           .bodies = m->bodies.data};
    m->view.body_count = (int32_t)m->name_count;
    m->view.body_names = m->name_list;
    m->view.warnings = m->warnings;
    return SFT_OK;
}

sft_result sft_io_mesh_read(const sft_io_mesh_def* def, const void* bytes, size_t size, const sft_allocator* allocator,
                            sft_io_mesh** out, sft_error* error)
{
    const sft_io_mesh_def own = def != NULL ? *def : sft_default_io_mesh_def();
    sft_result result = check_def(&own, error);
    if (result != SFT_OK) return result;
    if ((bytes == NULL && size > 0) || out == NULL)
        return sft_core_fail(error, SFT_ERR_ARG, 0, 0, NULL, "no bytes, or no place for the mesh");
    if (size > own.max_bytes)
        return sft_core_fail(error, SFT_ERR_LIMIT, 0, 0, NULL, "%z bytes are more than the limit of %z", size,
                             own.max_bytes);
    const sft_allocator a = sft_core_allocator(allocator);
    sft_io_mesh* mesh = sft_core_alloc(&a, 1, sizeof *mesh);
    if (mesh == NULL) return sft_mesh_no_memory(error);
    mesh->allocator = a;
    mesh->vertices.size = sizeof(float);
    mesh->indices.size = mesh->bodies.size = sizeof(int32_t);
    mesh->names.size = 1;
    mesh->offsets.size = sizeof(size_t);
    mesh_reader reader = {.def = &own,
                          .space = {.unit_metres = own.unit_metres > 0.0 ? own.unit_metres : 1.0,
                                    .up = own.up >= 0 ? (sft_axis)own.up : SFT_AXIS_Y},
                          .mesh = mesh,
                          .error = error};
    result = read_format(&reader, bytes, size);
    if (result == SFT_OK) result = finish(&reader);
    if (result == SFT_OK)
        *out = mesh;
    else
        sft_io_mesh_destroy(mesh);
    return result;
}

void sft_io_mesh_destroy(sft_io_mesh* mesh)
{
    if (mesh == NULL) return;
    const sft_allocator a = mesh->allocator;
    mesh_array* arrays[] = {&mesh->vertices, &mesh->indices, &mesh->bodies, &mesh->names, &mesh->offsets};
    for (size_t i = 0; i < SFT_COUNT_OF(arrays); ++i)
        sft_mesh_free_array(&a, arrays[i]);
    sft_core_free(&a, mesh->name_list, mesh->name_count, sizeof *mesh->name_list);
    sft_core_free(&a, mesh, 1, sizeof *mesh);
}

const sft_io_mesh_contents* sft_io_mesh_view(const sft_io_mesh* mesh)
{
    return mesh != NULL ? &mesh->view : NULL;
}

// ---- files ----

static sft_result load_beside(void* user, const char* path, size_t max_bytes, const sft_allocator* allocator,
                              void** bytes, size_t* size, sft_error* error)
{
    const size_t most = max_bytes < SIZE_MAX / 2 ? max_bytes : SIZE_MAX / 2;
    return sft_place_read_inside(user, path, most, allocator, bytes, size, error);
}

sft_result sft_io_mesh_read_file(const sft_io_mesh_def* def, const char* path, const sft_allocator* allocator,
                                 sft_io_mesh** out, sft_error* error)
{
    sft_io_mesh_def own = def != NULL ? *def : sft_default_io_mesh_def();
    const sft_result sound = check_def(&own, error);
    if (sound != SFT_OK) return sound;
    if (path == NULL || out == NULL)
        return sft_core_fail(error, SFT_ERR_ARG, 0, 0, NULL, "no path, or no place for the mesh");
    const sft_allocator a = sft_core_allocator(allocator);
    char folder[PATH_CAPACITY];
    if (!sft_place_folder(path, folder, sizeof folder)) return sft_io_fail(error, "the path", "cannot open", 0);
    if (own.load == NULL)
    {
        own.load = load_beside;
        own.load_user = folder;
    }
    void* bytes = NULL;
    size_t size = 0;
    const size_t most = own.max_bytes < SIZE_MAX / 2 ? own.max_bytes : SIZE_MAX / 2;
    sft_result result = sft_file_read(path, most, &a, &bytes, &size, error);
    if (result != SFT_OK) return result;
    result = sft_io_mesh_read(&own, bytes, size, &a, out, error);
    sft_core_free(&a, bytes, size + 1, 1);
    return result;
}
