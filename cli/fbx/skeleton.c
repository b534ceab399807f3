// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// What a scene comes to whoever read its nodes: unit, axes and rate; which nodes are joints and of which skeleton; and
// scale that is not handed down as matrices have it.

#include "scene.h"
#include "matrix.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

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

// ---- unit, axes, rate ----

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

void fbx_set_rate(fbx_scene* scene, int mode, double custom)
{
    double rate = rate_of_mode(mode);
    if (rate <= 0.0) rate = custom;
    if (!(rate >= 0.01 && rate <= 1e5)) rate = 24.0; // FBX's own default
    scene->frame_rate = rate;
}

void fbx_set_unit(fbx_scene* scene, double factor)
{
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

void fbx_set_axes(fbx_scene* scene, const int axes[3], const int signs[3])
{
    static const char* const names[] = {"X", "Y", "Z", "-X", "-Y", "-Z"};
    int axis[3];
    double sign[3];
    bool good = true;
    for (int i = 0; i < 3; ++i)
    {
        axis[i] = axes[i];
        sign[i] = signs[i] < 0 ? -1.0 : 1.0;
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

// ---- joints ----

bool fbx_is_joint_kind(const char* kind)
{
    return strcmp(kind, "LimbNode") == 0 || strcmp(kind, "Limb") == 0 || strcmp(kind, "Root") == 0;
}

bool fbx_is_shape_kind(const char* kind)
{
    return strcmp(kind, "Mesh") == 0 || strcmp(kind, "Camera") == 0 || strcmp(kind, "Light") == 0 ||
           strcmp(kind, "CameraSwitcher") == 0;
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

// ---- the end of reading ----

const char* fbx_bad_node(const fbx_scene* scene)
{
    for (size_t i = 0; i < scene->node_count; ++i)
        for (int k = 0; k < 16; ++k)
            if (!isfinite(scene->nodes[i].m[k]) || fabs(scene->nodes[i].m[k]) > 1e30) return scene->nodes[i].name;
    return NULL;
}

void fbx_settle_nodes(fbx_scene* scene)
{
    find_skeletons(scene);
    compensate_scale(scene);
    fold_scale(scene);
}

void fbx_one_line(char* text)
{
    for (char* p = text; *p != '\0'; ++p)
        if ((unsigned char)*p < 0x20 || *p == 0x7F) *p = ' ';
    size_t size = strlen(text);
    while (size > 0 && text[size - 1] == ' ')
        text[--size] = '\0';
}
