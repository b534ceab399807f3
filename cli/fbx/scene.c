// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// From assimp's tree to nodes. assimp is asked to keep pivots, and the chain of helper nodes it then makes of one
// node is multiplied out here: told to do that itself, version 5.2.5 takes PostRotation for its inverse, and hands the
// geometric transform of a mesh on to the bones below it.

#include "scene.h"
#include "matrix.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <assimp/cimport.h>
#include <assimp/config.h>
#include <assimp/scene.h>

// ---- metadata ----

static const struct aiMetadataEntry* entry(const struct aiScene* source, const char* name, aiMetadataType type)
{
    const struct aiMetadata* all = source->mMetaData;
    for (unsigned i = 0; all != NULL && i < all->mNumProperties; ++i)
        if (strcmp(all->mKeys[i].data, name) == 0 && all->mValues[i].mType == type) return &all->mValues[i];
    return NULL;
}

static int metadata_int(const struct aiScene* source, const char* name, int fallback)
{
    const struct aiMetadataEntry* e = entry(source, name, AI_INT32);
    int32_t value = fallback;
    if (e != NULL) memcpy(&value, e->mData, sizeof value);
    return value;
}

static double metadata_float(const struct aiScene* source, const char* name, double fallback)
{
    const struct aiMetadataEntry* e = entry(source, name, AI_FLOAT);
    float value = (float)fallback;
    if (e != NULL) memcpy(&value, e->mData, sizeof value);
    return (double)value;
}

// Rows of the turn are right, up and front.
static void read_settings(fbx_scene* scene, const struct aiScene* source)
{
    static const char* const keys[3][2] = {
        {"CoordAxis", "CoordAxisSign"}, {"UpAxis", "UpAxisSign"}, {"FrontAxis", "FrontAxisSign"}};
    int axes[3], signs[3];
    for (int i = 0; i < 3; ++i)
    {
        axes[i] = metadata_int(source, keys[i][0], i);
        signs[i] = metadata_int(source, keys[i][1], 1);
    }
    fbx_set_rate(scene, metadata_int(source, "FrameRate", 0), metadata_float(source, "CustomFrameRate", -1.0));
    fbx_set_unit(scene, metadata_float(source, "UnitScaleFactor", 1.0));
    fbx_set_axes(scene, axes, signs);
}

// ---- nodes ----

typedef struct pending
{
    const struct aiNode* node;
    int32_t parent;
    const struct pending* link; // helper above it
} pending;

static void matrix_of(const struct aiNode* node, double m[16])
{
    const ai_real* a = &node->mTransformation.a1;
    for (int i = 0; i < 16; ++i)
        m[i] = (double)a[i];
}

static const char* component_of(const char* name)
{
    const char* tag = strstr(name, FBX_TAG);
    return tag != NULL ? tag + strlen(FBX_TAG) : NULL;
}

static size_t count_nodes(fbx_scene* scene, const struct aiNode* root, const struct aiNode** stack, size_t most)
{
    size_t count = 0, depth = 0;
    stack[depth++] = root;
    while (depth > 0)
    {
        const struct aiNode* n = stack[--depth];
        ++count;
        for (unsigned i = 0; i < n->mNumChildren; ++i)
        {
            if (depth == most)
            {
                scene->arena->failed = true;
                return 0;
            }
            stack[depth++] = n->mChildren[i];
        }
    }
    return count;
}

// The helpers of one node, multiplied out; kept with it for takes that move one of them.
static void add_node(fbx_scene* scene, const pending* p)
{
    fbx_node* node = &scene->nodes[scene->node_count++];
    *node = (fbx_node){.name = p->node->mName.data,
                       .parent = p->parent,
                       .top = -1,
                       .model = -1,
                       .stretch = {1, 1, 1},
                       .undo = {1, 1, 1}};
    node->mesh = p->node->mNumMeshes > 0;
    int32_t count = 0;
    for (const pending* l = p->link; l != NULL; l = l->link)
        ++count;
    node->link_count = count;
    node->links = fbx_alloc(scene->arena, (size_t)count, sizeof *node->links);
    if (node->links == NULL) return;
    for (const pending* l = p->link; l != NULL; l = l->link)
    {
        fbx_link* link = &node->links[--count];
        snprintf(link->component, sizeof link->component, "%s", component_of(l->node->mName.data));
        matrix_of(l->node, link->m);
        if (strcmp(link->component, "PostRotation") != 0) continue;
        double t[3], s[3];
        node->has_post = fbx_decompose(link->m, t, node->post, s);
    }
    double own[16];
    matrix_of(p->node, own);
    fbx_identity(node->m);
    for (int32_t i = 0; i < node->link_count; ++i)
        fbx_multiply(node->m, node->links[i].m, node->m);
    fbx_multiply(node->m, own, node->m);
    node->is_matrix = !fbx_decompose(node->m, node->t, node->r, node->s);
}

// Depth first, in the file's order, without recursion: depth is the file's choice.
static bool flatten(fbx_scene* scene, const struct aiNode* root)
{
    const size_t most = (size_t)1 << 20;
    const struct aiNode** stack = malloc(most * sizeof *stack);
    const size_t count = stack != NULL ? count_nodes(scene, root, stack, most) : 0;
    free(stack);
    pending* open = fbx_alloc(scene->arena, count + 1, sizeof *open);
    scene->nodes = fbx_alloc(scene->arena, count + 1, sizeof *scene->nodes);
    if (count == 0 || open == NULL || scene->nodes == NULL) return false;
    size_t depth = 0;
    // The root itself is FBX's own, without a name or transform in the file; the wrapper stands for it.
    for (unsigned i = root->mNumChildren; i > 0; --i)
        open[depth++] = (pending){root->mChildren[i - 1], -1, NULL};
    while (depth > 0)
    {
        const pending p = open[--depth];
        const char* component = component_of(p.node->mName.data);
        const pending* link = NULL;
        int32_t parent = p.parent;
        if (component == NULL)
        {
            parent = (int32_t)scene->node_count;
            add_node(scene, &p);
        }
        else if (strncmp(component, "Geometric", 9) == 0)
            link = p.link; // of the mesh alone
        else
        {
            pending* kept = fbx_alloc(scene->arena, 1, sizeof *kept);
            if (kept == NULL) return false;
            *kept = p;
            link = kept;
        }
        for (unsigned i = p.node->mNumChildren; i > 0; --i)
            open[depth++] = (pending){p.node->mChildren[i - 1], parent, link};
    }
    return !scene->arena->failed;
}

int32_t fbx_node_named(const fbx_scene* scene, const char* name, size_t size)
{
    for (size_t i = 0; i < scene->node_count; ++i)
        if (strncmp(scene->nodes[i].name, name, size) == 0 && scene->nodes[i].name[size] == '\0') return (int32_t)i;
    return -1;
}

// ---- joints ----

typedef struct named
{
    const char* name;
    size_t index;
} named;

static int by_name(const void* a, const void* b)
{
    const named *x = a, *y = b;
    const int order = strcmp(x->name, y->name);
    return order != 0 ? order : (x->index > y->index) - (x->index < y->index);
}

// assimp appends three digits or more to a name that was there before.
static const fbx_model* model_of(const fbx_scene* scene, const named* models, const char* name)
{
    char plain[1024];
    size_t size = strlen(name);
    for (int strip = 0; strip < 2 && size > 0 && size < sizeof plain; ++strip)
    {
        memcpy(plain, name, size);
        plain[size] = '\0';
        size_t lo = 0, hi = scene->facts.model_count;
        while (lo < hi)
        {
            const size_t mid = lo + (hi - lo) / 2;
            if (strcmp(models[mid].name, plain) < 0)
                lo = mid + 1;
            else
                hi = mid;
        }
        if (lo < scene->facts.model_count && strcmp(models[lo].name, plain) == 0)
            return &scene->facts.models[models[lo].index];
        size_t digits = 0;
        while (digits < size && name[size - 1 - digits] >= '0' && name[size - 1 - digits] <= '9')
            ++digits;
        if (digits < 3) return NULL;
        size -= digits > 3 && name[size - digits] == '0' ? digits : 3;
    }
    return NULL;
}

static void mark_kinds(fbx_scene* scene, const struct aiScene* source)
{
    named* models = fbx_alloc(scene->arena, scene->facts.model_count, sizeof *models);
    named* nodes = fbx_alloc(scene->arena, scene->node_count, sizeof *nodes);
    if (models == NULL || nodes == NULL) return;
    for (size_t i = 0; i < scene->facts.model_count; ++i)
        models[i] = (named){scene->facts.models[i].name, i};
    qsort(models, scene->facts.model_count, sizeof *models, by_name);
    for (size_t i = 0; i < scene->node_count; ++i)
    {
        nodes[i] = (named){scene->nodes[i].name, i};
        const fbx_model* m = model_of(scene, models, scene->nodes[i].name);
        if (m == NULL) continue;
        scene->nodes[i].model = (int32_t)(m - scene->facts.models);
        scene->nodes[i].joint = fbx_is_joint_kind(m->kind);
        scene->nodes[i].mesh = scene->nodes[i].mesh || fbx_is_shape_kind(m->kind);
    }
    qsort(nodes, scene->node_count, sizeof *nodes, by_name);
    for (unsigned k = 0; k < source->mNumMeshes; ++k)
        for (unsigned b = 0; b < source->mMeshes[k]->mNumBones; ++b)
        {
            const named key = {source->mMeshes[k]->mBones[b]->mName.data, 0};
            size_t lo = 0, hi = scene->node_count;
            while (lo < hi)
            {
                const size_t mid = lo + (hi - lo) / 2;
                if (strcmp(nodes[mid].name, key.name) < 0)
                    lo = mid + 1;
                else
                    hi = mid;
            }
            if (lo < scene->node_count && strcmp(nodes[lo].name, key.name) == 0)
                scene->nodes[nodes[lo].index].joint = true;
        }
}

// ---- reading ----

static const struct aiScene* import(const void* bytes, size_t size)
{
    struct aiPropertyStore* store = aiCreatePropertyStore();
    aiSetImportPropertyInteger(store, AI_CONFIG_IMPORT_FBX_PRESERVE_PIVOTS, 1);
    aiSetImportPropertyInteger(store, AI_CONFIG_IMPORT_FBX_READ_MATERIALS, 0);
    aiSetImportPropertyInteger(store, AI_CONFIG_IMPORT_FBX_READ_TEXTURES, 0);
    aiSetImportPropertyInteger(store, AI_CONFIG_IMPORT_FBX_READ_CAMERAS, 0);
    aiSetImportPropertyInteger(store, AI_CONFIG_IMPORT_FBX_READ_LIGHTS, 0);
    aiSetImportPropertyInteger(store, AI_CONFIG_IMPORT_FBX_OPTIMIZE_EMPTY_ANIMATION_CURVES, 0);
    // From memory: a file that names others cannot make assimp open them.
    const struct aiScene* scene = aiImportFileFromMemoryWithProperties(bytes, (unsigned)size, 0, "fbx", store);
    aiReleasePropertyStore(store);
    return scene;
}

void fbx_close_scene(fbx_scene* scene)
{
    if (scene->source != NULL) aiReleaseImport(scene->source);
    scene->source = NULL;
}

int fbx_read_scene(fbx_scene* scene, const void* bytes, size_t size, char* message, size_t capacity)
{
    const struct aiScene* source = import(bytes, size);
    scene->source = source;
    if (source == NULL || source->mRootNode == NULL)
    {
        const char* why = aiGetErrorString();
        const bool memory = strstr(why, "bad_alloc") != NULL || strstr(why, "out of memory") != NULL;
        snprintf(message, capacity, "the FBX reader does not understand the file: %s",
                 why[0] != '\0' ? why : "no scene");
        fbx_one_line(message);
        return memory ? EXIT_MEMORY : EXIT_READ;
    }
    read_settings(scene, source);
    if (!flatten(scene, source->mRootNode))
    {
        snprintf(message, capacity, "out of memory");
        return EXIT_MEMORY;
    }
    if (scene->node_count == 0)
    {
        snprintf(message, capacity, "the file holds no nodes");
        return EXIT_READ;
    }
    const char* bad = fbx_bad_node(scene);
    if (bad != NULL)
    {
        snprintf(message, capacity, "node '%s': its transform is not finite", bad);
        fbx_one_line(message);
        return EXIT_READ;
    }
    mark_kinds(scene, source);
    fbx_settle_nodes(scene);
    if (!fbx_read_takes(scene, source))
    {
        snprintf(message, capacity, "out of memory");
        return EXIT_MEMORY;
    }
    return EXIT_DONE;
}
