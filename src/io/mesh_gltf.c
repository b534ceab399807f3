// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// Triangles of a glTF document: meshes of the default scene, moved by their nodes. Nodes keep matrices as the file has
// them, so that mirrors and shears come out right. Source: glTF 2.0 specification, sections 3.5 (scenes), 3.6
// (accessors), 3.7 (meshes); KHR_mesh_quantization; the compressing extensions for their names.

#include "gltf/read.h"
#include "io/mesh.h"

#include <math.h>

// Indices and points are decoded so many at a time.
#define CHUNK 256
// Most points of an accessor that has sparse values only.
#define MOST_ABSENT (1u << 20)
// A mesh may be used by every node, so few bytes can ask for much work.
#define MOST_PRIMITIVES (1 << 20)

typedef struct affine
{
    sft_v3d column[3];
    sft_v3d place;
} affine;

typedef struct walk
{
    mesh_reader* reader;
    sft_gltf* gltf;
    sft_json_value* meshes; // [mesh_count], so that none is looked for twice
    size_t mesh_count;
    affine* worlds; // [node_count]
    bool* shown;    // [node_count] named by the scene, or below one that is
    int32_t node;   // at hand
    int32_t points; // accessor whose points were added last for this node, -1 none
    int32_t first;  // their first vertex
    int32_t primitives;
    int32_t skinned, instanced;
} walk;

// ---- where nodes are ----

static affine local_of(const gltf_node* n)
{
    if (n->matrix != NULL)
    {
        const double* e = n->matrix;
        return (affine){
            {sft_v3d_make(e[0], e[1], e[2]), sft_v3d_make(e[4], e[5], e[6]), sft_v3d_make(e[8], e[9], e[10])},
            sft_v3d_make(e[12], e[13], e[14])};
    }
    return (affine){{sft_v3d_scale(n->s.x, sft_quatd_rotate(n->r, sft_v3d_make(1, 0, 0))),
                     sft_v3d_scale(n->s.y, sft_quatd_rotate(n->r, sft_v3d_make(0, 1, 0))),
                     sft_v3d_scale(n->s.z, sft_quatd_rotate(n->r, sft_v3d_make(0, 0, 1)))},
                    n->t};
}

static sft_v3d turn(const affine* a, sft_v3d v)
{
    return sft_v3d_madd(sft_v3d_madd(sft_v3d_scale(v.x, a->column[0]), v.y, a->column[1]), v.z, a->column[2]);
}

static affine below(const affine* a, const affine* b)
{
    return (affine){{turn(a, b->column[0]), turn(a, b->column[1]), turn(a, b->column[2])},
                    sft_v3d_add(a->place, turn(a, b->place))};
}

static double handedness(const affine* a)
{
    return sft_v3d_dot(sft_v3d_cross(a->column[0], a->column[1]), a->column[2]);
}

// ---- which nodes are shown ----

static void mark_scene(walk* w)
{
    const sft_json* json = w->gltf->json;
    const sft_json_value root = sft_json_root(json);
    const sft_json_value scenes = sft_json_get(json, root, "scenes");
    const size_t count = sft_json_count(json, scenes);
    if (scenes.kind != SFT_JSON_ARRAY || count == 0)
    {
        for (int32_t n = 0; n < w->gltf->node_count; ++n)
            w->shown[n] = w->gltf->nodes[n].parent < 0;
        return;
    }
    const int32_t most = count < INT32_MAX ? (int32_t)count : INT32_MAX;
    const int32_t chosen = sft_gltf_loose_index(json, sft_json_get(json, root, "scene"), most);
    const sft_json_value scene = sft_json_at(json, scenes, chosen >= 0 ? (size_t)chosen : 0);
    for (sft_json_iter it = sft_json_iterate(json, sft_json_get(json, scene, "nodes")); sft_json_next(json, &it);)
    {
        const int32_t node = sft_gltf_loose_index(json, it.value, w->gltf->node_count);
        if (node >= 0) w->shown[node] = true;
    }
}

// The next node in depth-first order below `top`; -1 behind the last.
static int32_t next_below(const gltf_node* nodes, int32_t node, int32_t top)
{
    if (nodes[node].first_child >= 0) return nodes[node].first_child;
    while (node != top && nodes[node].next_sibling < 0)
        node = nodes[node].parent;
    return node == top ? -1 : nodes[node].next_sibling;
}

// ---- primitives ----

static sft_result fail(const walk* w, sft_result code, size_t byte, const char* what)
{
    return sft_gltf_fail_node(w->gltf, w->reader->error, code, byte, w->node, "the mesh of %s %s",
                              sft_gltf_label(w->gltf, w->node).text, what);
}

// Finishes an error of the reader with the node it belongs to.
static sft_result name_node(const walk* w, sft_result result)
{
    if (result != SFT_OK) sft_gltf_name_joint(w->gltf, w->reader->error, w->node);
    return result;
}

static const char* compression_of(const sft_json* json, sft_json_value primitive)
{
    const sft_json_value extensions = sft_json_get(json, primitive, "extensions");
    static const char* const names[] = {"KHR_draco_mesh_compression", "EXT_meshopt_compression",
                                        "KHR_meshopt_compression"};
    for (size_t i = 0; i < SFT_COUNT_OF(names); ++i)
        if (sft_json_get(json, extensions, names[i]).kind != SFT_JSON_NONE) return names[i];
    return NULL;
}

// Checks the accessor that a member names; -1 where there is none.
static sft_result take_accessor(const walk* w, sft_json_value value, const char* what, bool positions, int32_t* out)
{
    const gltf_reader reader = {.gltf = w->gltf, .error = w->reader->error, .root = sft_json_root(w->gltf->json)};
    sft_result result = sft_gltf_index(&reader, value, what, "accessor", w->gltf->accessor_count, out);
    if (result != SFT_OK || *out < 0) return name_node(w, result);
    result = sft_gltf_check_accessor(w->gltf, *out, w->reader->error);
    if (result != SFT_OK) return name_node(w, result);
    const gltf_accessor* a = &w->gltf->accessors[*out];
    const unsigned c = a->component;
    if (positions && (a->width != 3 || a->matrix || c == GLTF_U32))
        return fail(w, SFT_ERR_SYNTAX, a->start, "has positions that are no vectors of three numbers; export again");
    if (!positions && (a->width != 1 || a->normalized || (c != GLTF_U8 && c != GLTF_U16 && c != GLTF_U32)))
        return fail(w, SFT_ERR_SYNTAX, a->start, "has indices that are no unsigned whole numbers; export again");
    return SFT_OK;
}

static sft_result add_points(walk* w, int32_t accessor, int32_t* first)
{
    const gltf_accessor* a = &w->gltf->accessors[accessor];
    mesh_reader* r = w->reader;
    const size_t before = r->mesh->vertices.count / 3;
    // Points that are not in the file, but for some of them, cost it nothing.
    const bool absent = a->view < 0 && a->count > MOST_ABSENT;
    if (accessor != w->points && (absent || before + a->count > 3 * (size_t)r->def->max_triangles))
        return name_node(w, sft_mesh_fail_limit(r, a->start + w->gltf->json_start, 0));
    // Primitives often share their points.
    if (accessor == w->points)
    {
        *first = w->first;
        return SFT_OK;
    }
    w->points = accessor;
    w->first = *first = (int32_t)before;
    const affine* world = &w->worlds[w->node];
    for (uint32_t at = 0; at < a->count;)
    {
        double values[3 * CHUNK];
        const uint32_t count = a->count - at < CHUNK ? a->count - at : CHUNK;
        sft_gltf_read_values(w->gltf, accessor, at, count, values);
        for (uint32_t i = 0; i < count; ++i)
        {
            const double* v = values + 3 * (size_t)i;
            bool full;
            const sft_v3d point = sft_v3d_add(world->place, turn(world, sft_v3d_make(v[0], v[1], v[2])));
            if (sft_mesh_add_vertex(r, point, &full)) continue;
            if (full) return sft_mesh_no_memory(r->error);
            char text[96];
            sft_core_format(text, sizeof text, "has vertex %u more than %g m away, or no number; export again", at + i,
                            SFT_HUGE);
            return fail(w, SFT_ERR_RANGE, a->start, text);
        }
        at += count;
    }
    return SFT_OK;
}

// Corners come one by one, and triangles out of them: of a list every three, of a strip and a fan the later ones with
// what stood before.
typedef struct stream
{
    int32_t mode;
    bool mirrored;
    int32_t first, vertex_count;
    uint32_t count;
    int32_t kept[2];
} stream;

enum
{
    MODE_TRIANGLES = 4,
    MODE_STRIP = 5,
    MODE_FAN = 6
};

static sft_result add_corner(walk* w, stream* s, int32_t corner)
{
    const uint32_t n = s->count++;
    const uint32_t place = s->mode == MODE_TRIANGLES ? n % 3 : n < 2 ? n : 2;
    if (place < 2)
    {
        s->kept[place] = corner;
        return SFT_OK;
    }
    // Every second triangle of a strip is turned round, and all are in a mirror.
    const bool turned = (s->mode == MODE_STRIP && (n & 1u) != 0) != s->mirrored;
    const int32_t corners[3] = {s->first + s->kept[turned], s->first + s->kept[!turned], s->first + corner};
    if (s->mode == MODE_STRIP) s->kept[0] = s->kept[1];
    if (s->mode != MODE_TRIANGLES) s->kept[1] = corner;
    const sft_result result = sft_mesh_add_triangle(w->reader, corners, w->node);
    if (result == SFT_ERR_LIMIT) return name_node(w, sft_mesh_fail_limit(w->reader, 0, 0));
    return result == SFT_OK ? SFT_OK : sft_mesh_no_memory(w->reader->error);
}

static sft_result add_corners(walk* w, int32_t accessor, stream* s)
{
    const uint32_t total = accessor >= 0 ? w->gltf->accessors[accessor].count : (uint32_t)s->vertex_count;
    sft_result result = SFT_OK;
    for (uint32_t at = 0; at < total && result == SFT_OK;)
    {
        double values[CHUNK];
        const uint32_t count = total - at < CHUNK ? total - at : CHUNK;
        if (accessor >= 0) sft_gltf_read_values(w->gltf, accessor, at, count, values);
        for (uint32_t i = 0; i < count && result == SFT_OK; ++i)
        {
            const double index = accessor >= 0 ? values[i] : (double)(at + i);
            if (index < (double)s->vertex_count)
                result = add_corner(w, s, (int32_t)index);
            else
            {
                char text[128];
                sft_core_format(text, sizeof text, "names vertex %u at index %u but has only %d; export again",
                                (unsigned)index, at + i, s->vertex_count);
                result = fail(w, SFT_ERR_SYNTAX, w->gltf->accessors[accessor].start, text);
            }
        }
        at += count;
    }
    return result;
}

static sft_result add_primitive(walk* w, sft_json_value primitive)
{
    const sft_json* json = w->gltf->json;
    const sft_json_value mode = sft_json_get(json, primitive, "mode");
    stream s = {.mode = MODE_TRIANGLES, .mirrored = handedness(&w->worlds[w->node]) < 0.0};
    if (mode.kind != SFT_JSON_NONE &&
        (sft_json_int32(json, mode, &s.mode) != SFT_JSON_EXACT || s.mode < 0 || s.mode > 6))
        return fail(w, SFT_ERR_SYNTAX, mode.start, "has a primitive whose mode is none of 0 to 6; export again");
    if (s.mode < MODE_TRIANGLES) return SFT_OK;
    const sft_json_value position = sft_json_get(json, sft_json_get(json, primitive, "attributes"), "POSITION");
    int32_t points = -1, indices = -1;
    sft_result result = take_accessor(w, position, "a mesh", true, &points);
    const char* compression = compression_of(json, primitive);
    if (compression != NULL && (points < 0 || (w->gltf->accessors[points].view < 0)))
    {
        char text[128];
        sft_core_format(text, sizeof text, "is compressed with %s; export without compression", compression);
        return fail(w, SFT_ERR_UNSUPPORTED, primitive.start, text);
    }
    if (result == SFT_OK)
        result = take_accessor(w, sft_json_get(json, primitive, "indices"), "a mesh", false, &indices);
    if (result != SFT_OK || points < 0) return result;
    // Without data all points are one.
    if (w->gltf->accessors[points].view < 0 && w->gltf->accessors[points].sparse == NULL) return SFT_OK;
    s.vertex_count = (int32_t)sft_mind((double)w->gltf->accessors[points].count, (double)INT32_MAX);
    result = add_points(w, points, &s.first);
    return result == SFT_OK ? add_corners(w, indices, &s) : result;
}

static sft_result add_mesh(walk* w)
{
    const gltf_node* node = &w->gltf->nodes[w->node];
    const sft_json* json = w->gltf->json;
    const sft_json_value own = gltf_json_value(node->value);
    if (node->skin >= 0)
    {
        ++w->skinned;
        return SFT_OK;
    }
    if (sft_json_get(json, sft_json_get(json, own, "extensions"), "EXT_mesh_gpu_instancing").kind != SFT_JSON_NONE)
    {
        ++w->instanced;
        return SFT_OK;
    }
    if ((size_t)node->mesh >= w->mesh_count)
    {
        char text[96];
        sft_core_format(text, sizeof text, "is number %d, which is not there (there are %z); export again", node->mesh,
                        w->mesh_count);
        return fail(w, SFT_ERR_SYNTAX, own.start, text);
    }
    const sft_json_value primitives = sft_json_get(json, w->meshes[node->mesh], "primitives");
    sft_result result = SFT_OK;
    for (sft_json_iter it = sft_json_iterate(json, primitives); result == SFT_OK && sft_json_next(json, &it);)
    {
        if (++w->primitives > MOST_PRIMITIVES)
            return fail(w, SFT_ERR_LIMIT, own.start, "makes more than a million primitives; join or leave out some");
        result = add_primitive(w, it.value);
    }
    return result;
}

// ---- the whole ----

static sft_result walk_scene(walk* w)
{
    const gltf_node* nodes = w->gltf->nodes;
    sft_result result = SFT_OK;
    mark_scene(w);
    for (int32_t top = 0; top < w->gltf->node_count && result == SFT_OK; ++top)
    {
        if (nodes[top].parent >= 0) continue;
        for (int32_t n = top; n >= 0 && result == SFT_OK; n = next_below(nodes, n, top))
        {
            const affine own = local_of(&nodes[n]);
            const int32_t up = nodes[n].parent;
            w->worlds[n] = up >= 0 ? below(&w->worlds[up], &own) : own;
            w->shown[n] = w->shown[n] || (up >= 0 && w->shown[up]);
            w->node = n;
            w->points = -1;
            if (nodes[n].mesh >= 0 && w->shown[n]) result = add_mesh(w);
        }
    }
    return result;
}

static sft_result keep_meshes(walk* w)
{
    const sft_json* json = w->gltf->json;
    const sft_json_value list = sft_json_get(json, sft_json_root(json), "meshes");
    w->mesh_count = list.kind == SFT_JSON_ARRAY ? sft_json_count(json, list) : 0;
    const size_t nodes = (size_t)w->gltf->node_count;
    w->meshes = sft_gltf_keep(w->gltf, w->mesh_count, sizeof *w->meshes);
    w->worlds = sft_gltf_keep(w->gltf, nodes, sizeof *w->worlds);
    w->shown = sft_gltf_keep(w->gltf, nodes, sizeof *w->shown);
    if (w->meshes == NULL || w->worlds == NULL || w->shown == NULL) return sft_mesh_no_memory(w->reader->error);
    for (sft_json_iter it = sft_json_iterate(json, list); it.index < w->mesh_count && sft_json_next(json, &it);)
        w->meshes[it.index] = it.value;
    return SFT_OK;
}

static sft_result finish(walk* w)
{
    sft_io_mesh* mesh = w->reader->mesh;
    sft_result result = SFT_OK;
    for (int32_t n = 0; n < w->gltf->node_count && result == SFT_OK; ++n)
    {
        const char* name = w->gltf->nodes[n].name != NULL ? w->gltf->nodes[n].name : "";
        result = sft_mesh_add_name(w->reader, name, strlen(name));
    }
    if (result != SFT_OK) return result;
    if (w->skinned > 0)
        sft_mesh_warn(mesh, 0, "%d skinned mesh%s left out: a ground stands still", w->skinned,
                      w->skinned == 1 ? " is" : "es are");
    if (w->instanced > 0)
        sft_mesh_warn(mesh, 0,
                      "the instances of %d node%s (EXT_mesh_gpu_instancing) are left out; export them as nodes",
                      w->instanced, w->instanced == 1 ? "" : "s");
    if (mesh->bodies.count > 0) return SFT_OK;
    return sft_core_fail(w->reader->error, SFT_ERR_SYNTAX, 0, 0, NULL,
                         w->skinned > 0
                             ? "the file holds skinned meshes alone, which are no ground; give the ground's file"
                             : "the scene holds no triangles to stand on; export the ground's mesh with it");
}

sft_result sft_mesh_read_gltf(mesh_reader* reader, const void* bytes, size_t size)
{
    sft_gltf_read_def def = sft_default_gltf_read_def();
    def.max_bytes = reader->def->max_bytes;
    def.max_nodes = reader->def->max_nodes;
    def.keep_bytes = true;
    def.load = reader->def->load;
    def.load_user = reader->def->load_user;
    walk w = {.reader = reader};
    sft_result result = sft_gltf_read(&def, bytes, size, &reader->mesh->allocator, &w.gltf, reader->error);
    if (result != SFT_OK) return result;
    result = keep_meshes(&w);
    if (result == SFT_OK) result = walk_scene(&w);
    if (result == SFT_OK) result = finish(&w);
    sft_gltf_destroy(w.gltf);
    return result;
}
