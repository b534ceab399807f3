// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// From records to takes, kinds of nodes and the curves that move them. Objects have numbers; connections say which
// curve feeds which component (`d|X`) of which curve node, which property of which model that moves, and which layer of
// which take it belongs to.

#include "fbx.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum
{
    KIND_MODEL,
    KIND_TAKE,
    KIND_LAYER,
    KIND_NODE, // AnimationCurveNode
    KIND_CURVE,
    KIND_CLUSTER, // and other deformers
    KINDS
};

typedef struct object
{
    int64_t id;
    int kind;
    int32_t index; // of models, takes, and the tables below
} object;

typedef struct curve_node
{
    int32_t layer, model;
    char property;
} curve_node;

typedef struct link
{
    const fbx_value* from;
    const fbx_value* to;
    const char* property; // null for plain connections
} link;

typedef struct finder
{
    fbx_arena* arena;
    fbx_facts* facts;
    object* objects;
    size_t object_count;
    int32_t* layer_takes;
    curve_node* nodes;
    const fbx_record** curves;
    size_t layer_count, node_count, curve_count;
    const fbx_record* connections;
} finder;

static int by_id(const void* a, const void* b)
{
    const int64_t x = ((const object*)a)->id, y = ((const object*)b)->id;
    return (x > y) - (x < y);
}

static const object* find(const finder* f, const fbx_value* id)
{
    const object key = {.id = id->integer};
    if (id->kind != FBX_NUMBER || f->object_count == 0) return NULL;
    return bsearch(&key, f->objects, f->object_count, sizeof key, by_id);
}

// Names are "Model::Hips" in text, and "Hips", a zero, a one, "Model" in binary files.
static const char* plain_name(const fbx_value* value)
{
    if (value->kind != FBX_STRING) return "";
    const char* colons = strstr(value->string, "::");
    const bool prefix = colons != NULL && strlen(value->string) == value->count;
    return prefix ? colons + 2 : value->string;
}

const fbx_record* fbx_property(const fbx_record* object_record, const char* name)
{
    const fbx_record* list = fbx_child(object_record, "Properties70");
    for (const fbx_record* p = list != NULL ? list->child : NULL; p != NULL; p = p->next)
        if (p->value_count >= 5 && fbx_is(&p->values[0], name)) return p;
    return NULL;
}

static void add_model(finder* f, const fbx_record* r)
{
    fbx_model* m = &f->facts->models[f->facts->model_count++];
    *m = (fbx_model){.id = r->values[0].integer, .parent = -1, .record = r, .scale = {1.0, 1.0, 1.0}};
    m->name = plain_name(&r->values[1]);
    m->kind = r->value_count > 2 && r->values[2].kind == FBX_STRING ? r->values[2].string : "";
    const fbx_record* inherit = fbx_property(r, "InheritType");
    if (inherit != NULL) m->inherit = (int)(inherit->values[4].integer & 3);
    const fbx_record* order = fbx_property(r, "RotationOrder");
    if (order != NULL) m->order = (int)(order->values[4].integer % 6);
    static const char* const names[] = {"Lcl Translation", "Lcl Rotation", "Lcl Scaling"};
    double* const places[] = {m->translation, m->rotation, m->scale};
    for (int k = 0; k < 3; ++k)
    {
        const fbx_record* p = fbx_property(r, names[k]);
        for (size_t i = 0; p != NULL && i < 3 && 4 + i < p->value_count; ++i)
            places[k][i] = p->values[4 + i].real;
    }
}

static void add_take(finder* f, const fbx_record* r)
{
    fbx_take* t = &f->facts->takes[f->facts->take_count++];
    *t = (fbx_take){.id = r->values[0].integer, .name = plain_name(&r->values[1]), .first_key = INT64_MAX};
    const fbx_record* start = fbx_property(r, "LocalStart");
    const fbx_record* stop = fbx_property(r, "LocalStop");
    if (start != NULL) t->start = start->values[4].integer;
    if (stop != NULL) t->stop = stop->values[4].integer;
    t->has_range = t->start != 0 || t->stop != 0;
}

static bool make_tables(finder* f, const fbx_record* objects)
{
    size_t counts[KINDS] = {0};
    static const char* const names[] = {"Model",          "AnimationStack", "AnimationLayer", "AnimationCurveNode",
                                        "AnimationCurve", "Deformer"};
    size_t all = 0;
    for (const fbx_record* r = objects->child; r != NULL; r = r->next, ++all)
        for (int k = 0; k < KINDS; ++k)
            counts[k] += strcmp(r->name, names[k]) == 0;
    f->facts->models = fbx_alloc(f->arena, counts[0], sizeof *f->facts->models);
    f->facts->takes = fbx_alloc(f->arena, counts[1], sizeof *f->facts->takes);
    f->layer_takes = fbx_alloc(f->arena, counts[2], sizeof *f->layer_takes);
    f->nodes = fbx_alloc(f->arena, counts[3], sizeof *f->nodes);
    f->curves = fbx_alloc(f->arena, counts[4], sizeof *f->curves);
    f->objects = fbx_alloc(f->arena, all, sizeof *f->objects);
    if (f->arena->failed) return false;
    for (const fbx_record* r = objects->child; r != NULL; r = r->next)
    {
        if (r->value_count < 2 || r->values[0].kind != FBX_NUMBER) continue;
        object* o = &f->objects[f->object_count++];
        o->id = r->values[0].integer;
        o->kind = 0;
        while (strcmp(r->name, names[o->kind]) != 0)
            ++o->kind;
        switch (o->kind)
        {
        case KIND_MODEL:
            o->index = (int32_t)f->facts->model_count;
            add_model(f, r);
            break;
        case KIND_TAKE:
            o->index = (int32_t)f->facts->take_count;
            add_take(f, r);
            break;
        case KIND_LAYER:
            o->index = (int32_t)f->layer_count;
            f->layer_takes[f->layer_count++] = -1;
            break;
        case KIND_NODE:
            o->index = (int32_t)f->node_count;
            f->nodes[f->node_count++] = (curve_node){-1, -1, '\0'};
            break;
        case KIND_CLUSTER:
            break;
        default:
            o->index = (int32_t)f->curve_count;
            f->curves[f->curve_count++] = r;
            break;
        }
    }
    qsort(f->objects, f->object_count, sizeof *f->objects, by_id);
    return true;
}

static bool link_of(const fbx_record* c, link* out)
{
    if (c->value_count < 3 || c->values[0].kind != FBX_STRING) return false;
    *out = (link){&c->values[1], &c->values[2], NULL};
    if (!fbx_is(&c->values[0], "OP")) return fbx_is(&c->values[0], "OO");
    if (c->value_count < 4 || c->values[3].kind != FBX_STRING) return false;
    out->property = c->values[3].string;
    return true;
}

static char property_letter(const char* name)
{
    if (strcmp(name, "Lcl Translation") == 0) return 'T';
    if (strcmp(name, "Lcl Rotation") == 0) return 'R';
    if (strcmp(name, "Lcl Scaling") == 0) return 'S';
    return '\0';
}

// Everything but curves: what belongs to what.
static void connect(finder* f)
{
    int32_t place = 0;
    for (const fbx_record* c = f->connections->child; c != NULL; c = c->next, ++place)
    {
        link l;
        const object* from = link_of(c, &l) ? find(f, l.from) : NULL;
        const object* to = from != NULL ? find(f, l.to) : NULL;
        if (from != NULL && from->kind == KIND_MODEL && l.to->kind == FBX_NUMBER && l.to->integer == 0)
        {
            f->facts->models[from->index].top = true;
            f->facts->models[from->index].place = place;
        }
        if (to == NULL) continue;
        if (from->kind == KIND_MODEL && to->kind == KIND_MODEL && l.property == NULL)
        {
            f->facts->models[from->index].parent = to->index;
            f->facts->models[from->index].place = place;
            ++f->facts->models[to->index].children;
        }
        else if (from->kind == KIND_MODEL && to->kind == KIND_CLUSTER)
            f->facts->models[from->index].bone = true;
        else if (from->kind == KIND_LAYER && to->kind == KIND_TAKE)
            f->layer_takes[from->index] = to->index;
        else if (from->kind == KIND_NODE && to->kind == KIND_LAYER)
            f->nodes[from->index].layer = to->index;
        else if (from->kind == KIND_NODE && to->kind == KIND_MODEL && l.property != NULL)
        {
            f->nodes[from->index].model = to->index;
            f->nodes[from->index].property = property_letter(l.property);
        }
    }
}

// The array of a curve: a value of the record, or the record `a` inside it.
static const fbx_value* array_of(const fbx_record* curve, const char* name, fbx_kind kind)
{
    const fbx_record* r = fbx_child(curve, name);
    const fbx_record* a = fbx_child(r, "a");
    if (a != NULL) r = a;
    if (r == NULL || r->value_count == 0 || r->values[0].kind != kind) return NULL;
    return &r->values[0];
}

// Flags are stored once for a run of keys that share them.
static const int64_t* spread_flags(fbx_arena* arena, const fbx_record* curve, size_t count)
{
    const fbx_value* flags = array_of(curve, "KeyAttrFlags", FBX_INTEGERS);
    const fbx_value* runs = array_of(curve, "KeyAttrRefCount", FBX_INTEGERS);
    if (flags == NULL || runs == NULL || flags->count != runs->count) return NULL;
    int64_t* out = fbx_alloc(arena, count, sizeof *out);
    size_t filled = 0;
    for (size_t i = 0; out != NULL && i < flags->count; ++i)
        for (int64_t k = 0; k < runs->integers[i] && filled < count; ++k)
            out[filled++] = flags->integers[i];
    return filled == count ? out : NULL;
}

static void add_track(finder* f, const curve_node* node, const fbx_record* curve, char axis)
{
    const fbx_value* times = array_of(curve, "KeyTime", FBX_INTEGERS);
    const fbx_value* values = array_of(curve, "KeyValueFloat", FBX_REALS);
    const int32_t take = node->layer >= 0 ? f->layer_takes[node->layer] : -1;
    if (times == NULL || values == NULL || times->count != values->count || times->count == 0) return;
    if (take < 0 || node->model < 0 || node->property == '\0') return;
    fbx_track* t = &f->facts->tracks[f->facts->track_count++];
    *t = (fbx_track){take,
                     node->model,
                     node->layer,
                     node->property,
                     axis,
                     times->count,
                     times->integers,
                     values->reals,
                     spread_flags(f->arena, curve, times->count)};
    fbx_take* owner = &f->facts->takes[take];
    if (t->times[0] < owner->first_key) owner->first_key = t->times[0];
    fbx_model* model = &f->facts->models[node->model];
    for (size_t i = 0; node->property == 'S' && i < t->count; ++i)
        if (fabs(t->values[i] - t->values[0]) > 1e-4) model->scale_moves = true;
}

static int by_place(const void* a, const void* b)
{
    const fbx_track *x = a, *y = b;
    if (x->take != y->take) return x->take < y->take ? -1 : 1;
    if (x->model != y->model) return x->model < y->model ? -1 : 1;
    if (x->property != y->property) return x->property < y->property ? -1 : 1;
    if (x->axis != y->axis) return x->axis < y->axis ? -1 : 1;
    return (x->layer > y->layer) - (x->layer < y->layer);
}

static void collect_tracks(finder* f)
{
    size_t most = 0;
    for (const fbx_record* c = f->connections->child; c != NULL; c = c->next)
        ++most;
    f->facts->tracks = fbx_alloc(f->arena, most, sizeof *f->facts->tracks);
    if (f->arena->failed) return;
    for (const fbx_record* c = f->connections->child; c != NULL; c = c->next)
    {
        link l;
        const object* from = link_of(c, &l) && l.property != NULL ? find(f, l.from) : NULL;
        const object* to = from != NULL && from->kind == KIND_CURVE ? find(f, l.to) : NULL;
        if (to == NULL || to->kind != KIND_NODE) continue;
        if (strncmp(l.property, "d|", 2) == 0 && strchr("XYZ", l.property[2]) != NULL && l.property[2] != '\0')
            add_track(f, &f->nodes[to->index], f->curves[from->index], l.property[2]);
    }
    qsort(f->facts->tracks, f->facts->track_count, sizeof *f->facts->tracks, by_place);
}

static void count_layers(finder* f)
{
    unsigned char* used = fbx_alloc(f->arena, f->layer_count, 1);
    for (size_t i = 0; used != NULL && i < f->facts->track_count; ++i)
    {
        const fbx_track* t = &f->facts->tracks[i];
        if (used[t->layer] == 0) ++f->facts->takes[t->take].layers;
        used[t->layer] = 1;
    }
}

void fbx_find_facts(fbx_arena* arena, const fbx_record* tree, fbx_facts* out)
{
    *out = (fbx_facts){0};
    const fbx_record* objects = fbx_child(tree, "Objects");
    finder f = {.arena = arena, .facts = out, .connections = fbx_child(tree, "Connections")};
    if (objects == NULL || f.connections == NULL || !make_tables(&f, objects)) return;
    out->settings = fbx_child(tree, "GlobalSettings");
    const fbx_record* version = fbx_child(fbx_child(tree, "FBXHeaderExtension"), "FBXVersion");
    if (version != NULL && version->value_count > 0) out->version = version->values[0].integer;
    connect(&f);
    collect_tracks(&f);
    count_layers(&f);
    out->known = !arena->failed;
    if (!out->known) *out = (fbx_facts){0};
}

size_t fbx_tracks_of(const fbx_facts* facts, int32_t take, int32_t model, char property, size_t* count)
{
    const fbx_track key = {.take = take, .model = model, .property = property, .axis = '\0', .layer = -1};
    size_t lo = 0, hi = facts->track_count;
    while (lo < hi)
    {
        const size_t mid = lo + (hi - lo) / 2;
        if (by_place(&facts->tracks[mid], &key) < 0)
            lo = mid + 1;
        else
            hi = mid;
    }
    const fbx_track* t = facts->tracks;
    size_t end = lo;
    while (end < facts->track_count && t[end].take == take && t[end].model == model && t[end].property == property)
        ++end;
    *count = end - lo;
    return lo;
}

double fbx_track_at(const fbx_track* track, double ticks)
{
    size_t lo = 0, hi = track->count;
    while (hi - lo > 1)
    {
        const size_t mid = lo + (hi - lo) / 2;
        if ((double)track->times[mid] <= ticks)
            lo = mid;
        else
            hi = mid;
    }
    const double a = (double)track->times[lo];
    const double b = (double)track->times[lo + 1 < track->count ? lo + 1 : lo];
    const double at = ticks > a && b > a ? (ticks - a) / (b - a) : 0.0;
    const double from = track->values[lo], to = track->values[lo + 1 < track->count ? lo + 1 : lo];
    return from + (to - from) * at;
}
