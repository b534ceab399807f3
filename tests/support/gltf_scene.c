// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

#include "support/gltf_scene.h"

#include <math.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void* must(void* block)
{
    if (block == NULL) abort();
    return block;
}

scene* scene_new(void)
{
    return must(calloc(1, sizeof(scene)));
}

void scene_free(scene* s)
{
    for (int i = 0; i < s->pool_count; ++i)
        free(s->pool[i]);
    free(s);
}

float* scene_floats(scene* s, size_t count)
{
    if (s->pool_count == (int)(sizeof s->pool / sizeof s->pool[0])) abort();
    return s->pool[s->pool_count++] = must(calloc(count + 1, sizeof(float)));
}

int scene_add(scene* s, const char* name, int parent)
{
    if (s->node_count == SCENE_NODES) abort();
    scene_node* n = &s->nodes[s->node_count];
    *n = (scene_node){.name = name, .parent = parent, .r = {0, 0, 0, 1}, .s = {1, 1, 1}};
    return s->node_count++;
}

void scene_skin_over(scene* s, const int* joints, int count)
{
    scene_skin* skin = &s->skins[s->skin_count++];
    skin->joint_count = count;
    skin->skeleton = -1;
    memcpy(skin->joints, joints, (size_t)count * sizeof *joints);
}

void scene_channel_add(scene* s, int animation, scene_channel channel)
{
    if (animation >= s->animation_count) s->animation_count = animation + 1;
    scene_animation* a = &s->animations[animation];
    if (a->channel_count == SCENE_CHANNELS) abort();
    a->channels[a->channel_count++] = channel;
}

// ---- writing ----

typedef struct text
{
    char* data;
    size_t size, capacity;
} text;

static void put_bytes(text* t, const void* bytes, size_t size)
{
    if (t->size + size > t->capacity)
    {
        t->capacity = 2 * (t->size + size);
        t->data = must(realloc(t->data, t->capacity));
    }
    if (size > 0) memcpy(t->data + t->size, bytes, size);
    t->size += size;
}

static void put(text* t, const char* format, ...)
{
    char line[4096];
    va_list args;
    va_start(args, format);
    const int length = vsnprintf(line, sizeof line, format, args);
    va_end(args);
    put_bytes(t, line, (size_t)length);
}

static void put_numbers(text* t, const char* key, const double* values, int count)
{
    put(t, ",\"%s\":[", key);
    for (int i = 0; i < count; ++i)
        put(t, "%s%.17g", i > 0 ? "," : "", values[i]);
    put(t, "]");
}

static int width_of(const scene_channel* c)
{
    return c->path == SCENE_ROTATION ? 4 : c->path == SCENE_WEIGHTS ? 1 : 3;
}

static void put_children(text* t, const scene* s, int parent)
{
    bool any = false;
    for (int i = 0; i < s->node_count; ++i)
    {
        if (s->nodes[i].parent != parent || (parent < 0 && s->nodes[i].out)) continue;
        put(t, "%s%d", any ? "," : "", i);
        any = true;
    }
}

static bool has_children(const scene* s, int parent)
{
    for (int i = 0; i < s->node_count; ++i)
        if (s->nodes[i].parent == parent) return true;
    return false;
}

static void put_nodes(text* t, const scene* s)
{
    put(t, "{\"asset\":{\"version\":\"2.0\"},\"scene\":0,\"scenes\":[{\"nodes\":[");
    put_children(t, s, -1);
    put(t, "]}],\"nodes\":[");
    for (int i = 0; i < s->node_count; ++i)
    {
        const scene_node* n = &s->nodes[i];
        put(t, "%s{\"extras\":%d", i > 0 ? "," : "", i);
        if (n->name != NULL) put(t, ",\"name\":\"%s\"", n->name);
        if (n->has_matrix)
            put_numbers(t, "matrix", n->matrix, 16);
        else
        {
            put_numbers(t, "translation", n->t, 3);
            put_numbers(t, "rotation", n->r, 4);
            put_numbers(t, "scale", n->s, 3);
        }
        if (n->mesh) put(t, ",\"mesh\":0");
        if (n->camera) put(t, ",\"camera\":0");
        if (has_children(s, i))
        {
            put(t, ",\"children\":[");
            put_children(t, s, i);
            put(t, "]");
        }
        put(t, "}");
    }
    put(t, "],\"meshes\":[{\"primitives\":[{\"attributes\":{}}]}],\"cameras\":[{\"type\":\"perspective\"}]");
}

static void put_skins(text* t, const scene* s)
{
    if (s->skin_count == 0) return;
    put(t, ",\"skins\":[");
    for (int i = 0; i < s->skin_count; ++i)
    {
        put(t, "%s{\"joints\":[", i > 0 ? "," : "");
        for (int j = 0; j < s->skins[i].joint_count; ++j)
            put(t, "%s%d", j > 0 ? "," : "", s->skins[i].joints[j]);
        put(t, "]");
        if (s->skins[i].skeleton >= 0) put(t, ",\"skeleton\":%d", s->skins[i].skeleton);
        put(t, "}");
    }
    put(t, "]");
}

typedef struct sink
{
    text bin, views, accessors;
    int count;
} sink;

static int put_accessor(sink* k, const float* values, int count, int width)
{
    static const char* const types[5] = {"", "SCALAR", "", "VEC3", "VEC4"};
    const size_t size = (size_t)count * (size_t)width * sizeof *values;
    put(&k->views, "%s{\"buffer\":0,\"byteOffset\":%zu,\"byteLength\":%zu}", k->count > 0 ? "," : "", k->bin.size,
        size);
    put(&k->accessors, "%s{\"bufferView\":%d,\"componentType\":5126,\"count\":%d,\"type\":\"%s\"",
        k->count > 0 ? "," : "", k->count, count, types[width]);
    if (width == 1) put(&k->accessors, ",\"min\":[%.9g],\"max\":[%.9g]", (double)values[0], (double)values[count - 1]);
    put(&k->accessors, "}");
    put_bytes(&k->bin, values, size);
    return k->count++;
}

static void put_animation(text* t, const scene_animation* a, sink* k)
{
    static const char* const paths[] = {"translation", "rotation", "scale", "weights"};
    static const char* const modes[] = {"LINEAR", "STEP", "CUBICSPLINE"};
    text samplers = {0};
    int inputs[SCENE_CHANNELS];
    put(t, "{\"name\":\"%s\",\"channels\":[", a->name != NULL ? a->name : "");
    for (int i = 0; i < a->channel_count; ++i)
    {
        const scene_channel* c = &a->channels[i];
        inputs[i] = -1;
        for (int b = 0; b < i && inputs[i] < 0; ++b)
            if (a->channels[b].times == c->times && a->channels[b].count == c->count) inputs[i] = inputs[b];
        if (inputs[i] < 0) inputs[i] = put_accessor(k, c->times, c->count, 1);
        const int parts = c->interpolation == SCENE_CUBICSPLINE ? 3 : 1;
        const int output = put_accessor(k, c->values, c->count * parts, width_of(c));
        put(t, "%s{\"sampler\":%d,\"target\":{\"node\":%d,\"path\":\"%s\"}}", i > 0 ? "," : "", i, c->node,
            paths[c->path]);
        put(&samplers, "%s{\"input\":%d,\"output\":%d,\"interpolation\":\"%s\"}", i > 0 ? "," : "", inputs[i], output,
            modes[c->interpolation]);
    }
    put(t, "],\"samplers\":[");
    put_bytes(t, samplers.data, samplers.size);
    put(t, "]}");
    free(samplers.data);
}

static void put_word(text* t, uint32_t word)
{
    const unsigned char bytes[4] = {(unsigned char)word, (unsigned char)(word >> 8), (unsigned char)(word >> 16),
                                    (unsigned char)(word >> 24)};
    put_bytes(t, bytes, 4);
}

void scene_glb(const scene* s, void** bytes, size_t* size)
{
    text json = {0}, out = {0};
    sink k = {0};
    put_nodes(&json, s);
    put_skins(&json, s);
    if (s->animation_count > 0)
    {
        put(&json, ",\"animations\":[");
        for (int a = 0; a < s->animation_count; ++a)
        {
            if (a > 0) put(&json, ",");
            put_animation(&json, &s->animations[a], &k);
        }
        put(&json, "],\"bufferViews\":[");
        put_bytes(&json, k.views.data, k.views.size);
        put(&json, "],\"accessors\":[");
        put_bytes(&json, k.accessors.data, k.accessors.size);
        put(&json, "],\"buffers\":[{\"byteLength\":%zu}]", k.bin.size);
    }
    put(&json, "}");
    while (json.size % 4 != 0)
        put(&json, " ");
    put_word(&out, 0x46546C67u);
    put_word(&out, 2);
    put_word(&out, (uint32_t)(20 + json.size + (k.bin.size > 0 ? 8 + k.bin.size : 0)));
    put_word(&out, (uint32_t)json.size);
    put_word(&out, 0x4E4F534Au);
    put_bytes(&out, json.data, json.size);
    if (k.bin.size > 0)
    {
        put_word(&out, (uint32_t)k.bin.size);
        put_word(&out, 0x004E4942u);
        put_bytes(&out, k.bin.data, k.bin.size);
    }
    free(json.data);
    free(k.bin.data);
    free(k.views.data);
    free(k.accessors.data);
    *bytes = out.data;
    *size = out.size;
}

// ---- evaluating ----

static void unit4(double* q)
{
    const double length = sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
    for (int i = 0; i < 4; ++i)
        q[i] /= length;
}

// The standard's spherical interpolation, in its own words: angle by the arc cosine of the absolute dot product.
static void slerp(const double* a, const double* b, double t, double* out)
{
    double dot = a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3];
    const double sign = dot < 0.0 ? -1.0 : 1.0;
    dot = fabs(dot) > 1.0 ? 1.0 : fabs(dot);
    // acos loses half its digits near 1; the half chord does not.
    double chord = 0.0;
    for (int i = 0; i < 4; ++i)
        chord += (a[i] - sign * b[i]) * (a[i] - sign * b[i]);
    const double angle = 2.0 * asin(0.5 * sqrt(chord));
    for (int i = 0; i < 4; ++i)
        out[i] = angle < 1e-12 ? a[i] + t * (sign * b[i] - a[i])
                               : (sin((1.0 - t) * angle) * a[i] + sign * sin(t * angle) * b[i]) / sin(angle);
}

static void at_time(const scene_channel* c, double time, double* out)
{
    const int width = width_of(c);
    const int parts = c->interpolation == SCENE_CUBICSPLINE ? 3 : 1;
    const int middle = parts == 3 ? 1 : 0;
    int k = 0;
    while (k + 1 < c->count && (double)c->times[k + 1] <= time)
        ++k;
    double a[4], b[4];
    for (int i = 0; i < width; ++i)
    {
        a[i] = (double)c->values[(k * parts + middle) * width + i];
        out[i] = a[i];
    }
    const bool held = time <= (double)c->times[0] || k + 1 == c->count || c->interpolation == SCENE_STEP;
    if (!held)
    {
        const double td = (double)c->times[k + 1] - (double)c->times[k];
        const double t = (time - (double)c->times[k]) / td;
        for (int i = 0; i < width; ++i)
            b[i] = (double)c->values[((k + 1) * parts + middle) * width + i];
        if (c->interpolation == SCENE_CUBICSPLINE)
        {
            for (int i = 0; i < width; ++i)
            {
                const double leaving = (double)c->values[(k * 3 + 2) * width + i];
                const double coming = (double)c->values[(k + 1) * 3 * width + i];
                out[i] = (2 * t * t * t - 3 * t * t + 1) * a[i] + td * (t * t * t - 2 * t * t + t) * leaving +
                         (-2 * t * t * t + 3 * t * t) * b[i] + td * (t * t * t - t * t) * coming;
            }
        }
        else if (width == 4)
        {
            unit4(a);
            unit4(b);
            slerp(a, b, t, out);
        }
        else
            for (int i = 0; i < width; ++i)
                out[i] = a[i] * (1.0 - t) + b[i] * t;
    }
    if (width == 4) unit4(out);
}

static void from_trs(const double* t, const double* q, const double* s, double* m)
{
    const double x = q[0], y = q[1], z = q[2], w = q[3];
    const double r[9] = {1 - 2 * y * y - 2 * z * z, 2 * x * y + 2 * w * z,     2 * x * z - 2 * w * y,
                         2 * x * y - 2 * w * z,     1 - 2 * x * x - 2 * z * z, 2 * y * z + 2 * w * x,
                         2 * x * z + 2 * w * y,     2 * y * z - 2 * w * x,     1 - 2 * x * x - 2 * y * y};
    for (int c = 0; c < 3; ++c)
    {
        for (int i = 0; i < 3; ++i)
            m[4 * c + i] = r[3 * c + i] * s[c];
        m[4 * c + 3] = 0.0;
    }
    for (int i = 0; i < 3; ++i)
        m[12 + i] = t[i];
    m[15] = 1.0;
}

static void multiply(const double* a, const double* b, double* out)
{
    for (int c = 0; c < 4; ++c)
        for (int r = 0; r < 4; ++r)
            out[4 * c + r] =
                a[r] * b[4 * c] + a[4 + r] * b[4 * c + 1] + a[8 + r] * b[4 * c + 2] + a[12 + r] * b[4 * c + 3];
}

void scene_world(const scene* s, int animation, double time, double (*world)[16])
{
    for (int i = 0; i < s->node_count; ++i)
    {
        const scene_node* n = &s->nodes[i];
        double t[3], r[4], k[3], local[16];
        memcpy(t, n->t, sizeof t);
        memcpy(r, n->r, sizeof r);
        memcpy(k, n->s, sizeof k);
        unit4(r);
        for (int c = 0; animation >= 0 && c < s->animations[animation].channel_count; ++c)
        {
            const scene_channel* channel = &s->animations[animation].channels[c];
            if (channel->node != i) continue;
            if (channel->path == SCENE_TRANSLATION) at_time(channel, time, t);
            if (channel->path == SCENE_ROTATION) at_time(channel, time, r);
            if (channel->path == SCENE_SCALE) at_time(channel, time, k);
        }
        if (n->has_matrix)
            memcpy(local, n->matrix, sizeof local);
        else
            from_trs(t, r, k, local);
        if (n->parent >= 0)
            multiply(world[n->parent], local, world[i]);
        else
            memcpy(world[i], local, sizeof local);
    }
}
