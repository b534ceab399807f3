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

void fbx_warn(fbx_scene* scene, const char* format, ...)
{
    if (scene->warning_count == FBX_WARNINGS) return;
    char text[256]; // as much as is shown of one
    va_list list;
    va_start(list, format);
    vsnprintf(text, sizeof text, format, list);
    va_end(list);
    if (scene->warnings == NULL) scene->warnings = fbx_alloc(scene->arena, FBX_WARNINGS, sizeof *scene->warnings);
    if (scene->warnings == NULL) return;
    if (scene->warning_count == FBX_WARNINGS - 1) snprintf(text, sizeof text, "and more warnings, left out");
    const char* copy = fbx_copy(scene->arena, text, strlen(text));
    if (copy != NULL) scene->warnings[scene->warning_count++] = copy;
}

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

// Frames a second of FBX's time modes; 0 for custom and what is not known.
static double rate_of_mode(int mode)
{
    static const double rates[] = {0.0,  120.0, 100.0, 60.0,     50.0, 48.0, 30.0, 30.0,    2.997e1, 2.997e1,
                                   25.0, 24.0,  1e3,   2.3976e1, 0.0,  96.0, 72.0, 5.994e1, 1.1988e2};
    if (mode == 8 || mode == 9) return 30000.0 / 1001.0;
    if (mode == 13) return 24000.0 / 1001.0;
    if (mode == 17) return 60000.0 / 1001.0;
    if (mode == 18) return 120000.0 / 1001.0;
    return mode >= 0 && mode < (int)(sizeof rates / sizeof rates[0]) ? rates[mode] : 0.0;
}

static void read_rate(fbx_scene* scene, const struct aiScene* source)
{
    double rate = rate_of_mode(metadata_int(source, "FrameRate", 0));
    if (rate <= 0.0) rate = metadata_float(source, "CustomFrameRate", -1.0);
    if (!(rate >= 0.01 && rate <= 1e5)) rate = 24.0; // FBX's own default
    scene->frame_rate = rate;
}

static void read_unit(fbx_scene* scene, const struct aiScene* source)
{
    const double factor = metadata_float(source, "UnitScaleFactor", 1.0);
    scene->unit = factor * 0.01;
    if (isfinite(factor) && factor >= 1e-6 && factor <= 1e9)
    {
        // 2.54 as a float is 2.5399999618...: the decimal it was made from is meant.
        char text[32];
        snprintf(text, sizeof text, "%.7g", factor);
        scene->unit = strtod(text, NULL) / 100.0;
        return;
    }
    scene->unit = 0.01;
    fbx_warn(scene, "the unit of the file (%g cm) makes no sense; taken as centimetres", factor);
}

// Rows of the turn into right, up, front; a left-handed file gives a mirror.
static void read_axes(fbx_scene* scene, const struct aiScene* source)
{
    static const char* const names[] = {"X", "Y", "Z", "-X", "-Y", "-Z"};
    static const char* const keys[3][2] = {
        {"CoordAxis", "CoordAxisSign"}, {"UpAxis", "UpAxisSign"}, {"FrontAxis", "FrontAxisSign"}};
    int axis[3];
    double sign[3];
    bool good = true;
    for (int i = 0; i < 3; ++i)
    {
        axis[i] = metadata_int(source, keys[i][0], i);
        sign[i] = metadata_int(source, keys[i][1], 1) < 0 ? -1.0 : 1.0;
        good = good && axis[i] >= 0 && axis[i] < 3;
        for (int k = 0; k < i; ++k)
            good = good && axis[i] != axis[k];
    }
    for (int i = 0; !good && i < 3; ++i)
    {
        axis[i] = i;
        sign[i] = 1.0;
    }
    if (!good) fbx_warn(scene, "the axes of the file make no sense; taken as Y up, Z front");
    scene->up = names[axis[1] + (sign[1] < 0.0 ? 3 : 0)];
    double m[16];
    fbx_identity(m);
    for (int i = 0; i < 3; ++i)
        for (int k = 0; k < 3; ++k)
            m[4 * i + k] = k == axis[i] ? sign[i] * scene->unit : 0.0;
    fbx_decompose(m, scene->wrapper_t, scene->wrapper_r, scene->wrapper_s);
    for (int i = 0; i < 3; ++i)
        scene->wrapper_s[i] = scene->wrapper_s[i] < 0.0 ? -scene->unit : scene->unit;
    double turns[16];
    fbx_compose(scene->wrapper_t, scene->wrapper_r, scene->wrapper_s, turns);
    if (sign[0] * sign[1] * sign[2] != 1.0 && scene->wrapper_s[0] < 0.0)
        fbx_warn(scene, "the file's axes are left-handed; they are mirrored");
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

static bool is_joint_kind(const char* kind)
{
    return strcmp(kind, "LimbNode") == 0 || strcmp(kind, "Limb") == 0 || strcmp(kind, "Root") == 0;
}

static bool is_shape_kind(const char* kind)
{
    return strcmp(kind, "Mesh") == 0 || strcmp(kind, "Camera") == 0 || strcmp(kind, "Light") == 0 ||
           strcmp(kind, "CameraSwitcher") == 0;
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
        scene->nodes[i].joint = is_joint_kind(m->kind);
        scene->nodes[i].mesh = scene->nodes[i].mesh || is_shape_kind(m->kind);
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

// Skeletons: joints under one topmost joint; topmost joints side by side under one node are one skeleton too. Shapes
// without joints below them leave, where there are joints at all.
static void find_skeletons(fbx_scene* scene)
{
    bool any = false;
    unsigned char* holds = fbx_alloc(scene->arena, scene->node_count, 1);       // joints below
    int32_t* above = fbx_alloc(scene->arena, scene->node_count, sizeof *above); // nearest joint, itself included
    int32_t* first = fbx_alloc(scene->arena, scene->node_count, sizeof *first); // topmost joint among the children
    if (holds == NULL || above == NULL || first == NULL) return;
    for (size_t i = scene->node_count; i-- > 0;)
    {
        const fbx_node* n = &scene->nodes[i];
        holds[i] = holds[i] || n->joint;
        any = any || n->joint;
        if (n->parent >= 0 && holds[i]) holds[n->parent] = 1;
        first[i] = -1;
    }
    for (size_t i = 0; i < scene->node_count; ++i)
    {
        fbx_node* n = &scene->nodes[i];
        const int32_t over = n->parent >= 0 ? above[n->parent] : -1;
        above[i] = n->joint ? (int32_t)i : over;
        n->dropped = any && ((n->parent >= 0 && scene->nodes[n->parent].dropped) || (n->mesh && !holds[i]));
        // What has no joint above or below it is no part of the figure.
        const bool apart = any && holds[i] == 0 && above[i] < 0;
        if (n->model >= 0) scene->facts.models[n->model].left_out = n->dropped || apart;
        if (!n->joint) continue;
        if (over >= 0)
            n->top = scene->nodes[over].top;
        else if (n->parent >= 0)
        {
            if (first[n->parent] < 0) first[n->parent] = (int32_t)i;
            n->top = first[n->parent];
        }
        else
            n->top = (int32_t)i;
    }
}

// assimp hands every scale down as matrices do (InheritType RSrs). Segment scale compensation (Rrs) leaves out the
// parent's own scale; where that is even and stands still, dividing by it puts that right. Children come before
// parents, so that each divides by what the file says.
static void compensate_scale(fbx_scene* scene)
{
    for (size_t i = scene->node_count; i-- > 0;)
    {
        fbx_node* n = &scene->nodes[i];
        if (n->model < 0 || n->parent < 0 || n->is_matrix) continue;
        const fbx_node* p = &scene->nodes[n->parent];
        fbx_model* m = &scene->facts.models[n->model];
        const double size = p->s[0];
        if (m->inherit != 2 || p->model < 0 || scene->facts.models[p->model].scale_moves) continue;
        if (!(fabs(size) > 1e-9) || fabs(p->s[1] - size) > 1e-5 * fabs(size) ||
            fabs(p->s[2] - size) > 1e-5 * fabs(size))
            continue;
        m->inherit = 1; // dealt with
        for (int k = 0; size != 1.0 && k < 3; ++k)
        {
            n->undo[k] = 1.0 / size;
            n->s[k] *= n->undo[k];
        }
        fbx_compose(n->t, n->r, n->s, n->m);
    }
}

static bool stands(const fbx_scene* scene, const fbx_node* n)
{
    return n->model >= 0 && !n->is_matrix && !scene->facts.models[n->model].scale_moves && fabs(n->s[0]) > 1e-9 &&
           fabs(n->s[1]) > 1e-9 && fabs(n->s[2]) > 1e-9;
}

static void fold_node(fbx_node* n, double total[3])
{
    for (int k = 0; k < 3; ++k)
    {
        n->t[k] *= n->stretch[k];
        total[k] = n->stretch[k] * n->s[k];
        n->undo[k] /= n->s[k];
        n->s[k] = 1.0;
    }
    fbx_compose(n->t, n->r, n->s, n->m);
}

// RrSs multiplies scales apart from turns, which shears matrices below an uneven one. Where nothing below it inherits
// otherwise or changes its scale, it goes into the translations below instead, and nobody has a scale: places and turns
// are then what they are in the file.
static void fold_scale(fbx_scene* scene)
{
    const size_t count = scene->node_count;
    unsigned char* mixed = fbx_alloc(scene->arena, count, 1); // something below does not fit
    unsigned char* parent = fbx_alloc(scene->arena, count, 1);
    unsigned char* folded = fbx_alloc(scene->arena, count, 1);
    double(*totals)[3] = fbx_alloc(scene->arena, count, sizeof *totals);
    if (mixed == NULL || parent == NULL || folded == NULL || totals == NULL) return;
    for (size_t i = count; i-- > 0;)
    {
        const fbx_node* n = &scene->nodes[i];
        if (n->parent < 0) continue;
        parent[n->parent] = 1;
        const bool fits = stands(scene, n) && scene->facts.models[n->model].inherit == 0;
        if (mixed[i] != 0 || !fits) mixed[n->parent] = 1;
    }
    for (size_t i = 0; i < count; ++i)
    {
        fbx_node* n = &scene->nodes[i];
        const bool above = n->parent >= 0 && folded[n->parent] != 0;
        const double size = fabs(n->s[0]);
        const bool uneven = fabs(n->s[1] - n->s[0]) > 1e-5 * size || fabs(n->s[2] - n->s[0]) > 1e-5 * size;
        if (!above && (!stands(scene, n) || !uneven || parent[i] == 0 || mixed[i] != 0)) continue;
        if (above)
        {
            memcpy(n->stretch, totals[n->parent], sizeof n->stretch);
            scene->facts.models[n->model].inherit = 1; // dealt with
        }
        folded[i] = 1;
        fold_node(n, totals[i]);
    }
}

// ---- reading ----

static void one_line(char* text)
{
    for (char* p = text; *p != '\0'; ++p)
        if ((unsigned char)*p < 0x20 || *p == 0x7F) *p = ' ';
    size_t size = strlen(text);
    while (size > 0 && text[size - 1] == ' ')
        text[--size] = '\0';
}

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
        one_line(message);
        return memory ? EXIT_MEMORY : EXIT_READ;
    }
    read_rate(scene, source);
    read_unit(scene, source);
    read_axes(scene, source);
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
    for (size_t i = 0; i < scene->node_count; ++i)
        for (int k = 0; k < 16; ++k)
            if (!isfinite(scene->nodes[i].m[k]) || fabs(scene->nodes[i].m[k]) > 1e30)
            {
                snprintf(message, capacity, "node '%s': its transform is not finite", scene->nodes[i].name);
                one_line(message);
                return EXIT_READ;
            }
    mark_kinds(scene, source);
    find_skeletons(scene);
    compensate_scale(scene);
    fold_scale(scene);
    if (!fbx_read_takes(scene, source))
    {
        snprintf(message, capacity, "out of memory");
        return EXIT_MEMORY;
    }
    return EXIT_DONE;
}
