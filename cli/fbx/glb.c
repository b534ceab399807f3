// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// Scene to GLB: one JSON chunk, one binary chunk with the keys as floats.

#include "fbx.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct accessor
{
    size_t offset;
    uint32_t count;
    int width; // 1, 3, 4
    const float* values;
} accessor;

typedef struct writer
{
    const fbx_scene* scene;
    cli_text json, bin;
    cli_text accessors; // JSON
    uint32_t accessor_count;
} writer;

static void put_string(cli_text* out, const char* text)
{
    text_str(out, "\"");
    while (*text != '\0')
    {
        const int length = cli_utf8_length(text);
        const unsigned char c = (unsigned char)*text;
        if (length == 0)
            text_str(out, "\xEF\xBF\xBD");
        else if (c == '"' || c == '\\')
            text_fmt(out, "\\%c", c);
        else if (c < 0x20)
            text_fmt(out, "\\u%04x", c);
        else
            text_put(out, text, (size_t)length);
        text += length > 0 ? length : 1;
    }
    text_str(out, "\"");
}

static void put_double(cli_text* out, double value)
{
    char text[32];
    // Minus zero is a zero.
    text_str(out, cli_number(value == 0.0 ? 0.0 : value, text));
}

// The shortest decimal that reads back as the float.
static void put_float(cli_text* out, float value)
{
    char text[32];
    for (int digits = 6; digits <= 9; ++digits)
    {
        snprintf(text, sizeof text, "%.*g", digits, (double)(value == 0.0f ? 0.0f : value));
        if (strtof(text, NULL) == value) break;
    }
    text_str(out, text);
}

static void put_row(cli_text* out, const char* key, const double* values, int count)
{
    text_fmt(out, ",\"%s\":[", key);
    for (int i = 0; i < count; ++i)
    {
        if (i > 0) text_str(out, ",");
        // What came as a float goes as its short decimal.
        if ((double)(float)values[i] == values[i])
            put_float(out, (float)values[i]);
        else
            put_double(out, values[i]);
    }
    text_str(out, "]");
}

static bool differs(const double* values, int count, const double* plain)
{
    for (int i = 0; i < count; ++i)
        if (values[i] != plain[i]) return true;
    return false;
}

static void put_trs(cli_text* out, const double t[3], const double r[4], const double s[3])
{
    static const double zero[] = {0, 0, 0}, one[] = {1, 1, 1}, still[] = {0, 0, 0, 1};
    if (differs(t, 3, zero)) put_row(out, "translation", t, 3);
    if (differs(r, 4, still)) put_row(out, "rotation", r, 4);
    if (differs(s, 3, one)) put_row(out, "scale", s, 3);
}

// Nodes of the file are numbered as they stand, from 1; dropped ones do not count. The wrapper is 0.
static int32_t* number_nodes(const fbx_scene* scene)
{
    int32_t* numbers = malloc((scene->node_count + 1) * sizeof *numbers);
    int32_t next = 1;
    for (size_t i = 0; numbers != NULL && i < scene->node_count; ++i)
        numbers[i] = scene->nodes[i].dropped ? -1 : next++;
    return numbers;
}

// Children of every node as lists: first child and next sibling, by index; slot node_count is the wrapper's.
static int32_t* list_children(const fbx_scene* scene)
{
    const size_t n = scene->node_count;
    int32_t* lists = malloc(2 * (n + 1) * sizeof *lists);
    if (lists == NULL) return NULL;
    for (size_t i = 0; i < 2 * (n + 1); ++i)
        lists[i] = -1;
    // From the back, so that lists come out in order.
    for (size_t i = n; i-- > 0;)
    {
        if (scene->nodes[i].dropped) continue;
        const size_t parent = scene->nodes[i].parent >= 0 ? (size_t)scene->nodes[i].parent : n;
        lists[n + 1 + i] = lists[parent];
        lists[parent] = (int32_t)i;
    }
    return lists;
}

static void put_children(writer* w, const int32_t* lists, const int32_t* numbers, size_t of)
{
    const size_t n = w->scene->node_count;
    if (lists[of] < 0) return;
    text_str(&w->json, ",\"children\":[");
    for (int32_t c = lists[of]; c >= 0; c = lists[n + 1 + (size_t)c])
        text_fmt(&w->json, "%s%d", c == lists[of] ? "" : ",", (int)numbers[c]);
    text_str(&w->json, "]");
}

static void put_nodes(writer* w, const int32_t* lists, const int32_t* numbers)
{
    const fbx_scene* s = w->scene;
    text_str(&w->json, ",\"nodes\":[{\"name\":\"RootNode\"");
    put_trs(&w->json, s->wrapper_t, s->wrapper_r, s->wrapper_s);
    put_children(w, lists, numbers, s->node_count);
    text_str(&w->json, "}");
    for (size_t i = 0; i < s->node_count; ++i)
    {
        const fbx_node* n = &s->nodes[i];
        if (n->dropped) continue;
        text_str(&w->json, ",{\"name\":");
        put_string(&w->json, n->name);
        if (n->is_matrix)
        {
            double columns[16];
            for (int k = 0; k < 16; ++k)
                columns[k] = n->m[4 * (k % 4) + k / 4];
            put_row(&w->json, "matrix", columns, 16);
        }
        else
            put_trs(&w->json, n->t, n->r, n->s);
        put_children(w, lists, numbers, i);
        text_str(&w->json, "}");
    }
    text_str(&w->json, "]");
}

// One skin a skeleton, in the order of the topmost joints.
static void put_skins(writer* w, const int32_t* numbers)
{
    const fbx_scene* s = w->scene;
    bool any = false;
    for (size_t top = 0; top < s->node_count; ++top)
    {
        if (s->nodes[top].top != (int32_t)top) continue;
        text_str(&w->json, any ? ",{\"name\":" : ",\"skins\":[{\"name\":");
        put_string(&w->json, s->nodes[top].name);
        text_str(&w->json, ",\"joints\":[");
        any = true;
        bool first = true;
        for (size_t i = top; i < s->node_count; ++i)
        {
            if (s->nodes[i].top != (int32_t)top) continue;
            text_fmt(&w->json, "%s%d", first ? "" : ",", (int)numbers[i]);
            first = false;
        }
        text_str(&w->json, "]}");
    }
    if (any) text_str(&w->json, "]");
}

static uint32_t put_accessor(writer* w, const float* values, uint32_t count, int width)
{
    const size_t offset = w->bin.size;
    const size_t total = (size_t)count * (size_t)width;
    for (size_t i = 0; i < total; ++i)
    {
        uint32_t bits;
        memcpy(&bits, &values[i], sizeof bits);
        const unsigned char bytes[4] = {(unsigned char)bits, (unsigned char)(bits >> 8), (unsigned char)(bits >> 16),
                                        (unsigned char)(bits >> 24)};
        text_put(&w->bin, (const char*)bytes, sizeof bytes);
    }
    static const char* const types[] = {"", "SCALAR", "", "VEC3", "VEC4"};
    text_fmt(&w->accessors,
             "%s{\"bufferView\":0,\"byteOffset\":%zu,\"componentType\":5126,\"count\":%u,\"type\":\"%s\"",
             w->accessor_count > 0 ? "," : "", offset, (unsigned)count, types[width]);
    if (width == 1)
    {
        text_str(&w->accessors, ",\"min\":[");
        put_float(&w->accessors, values[0]);
        text_str(&w->accessors, "],\"max\":[");
        put_float(&w->accessors, values[count - 1]);
        text_str(&w->accessors, "]");
    }
    text_str(&w->accessors, "}");
    return w->accessor_count++;
}

// Key times that were written before in this clip are used again.
static uint32_t put_times(writer* w, const fbx_key_set* set, accessor* known, size_t* known_count)
{
    for (size_t i = 0; i < *known_count; ++i)
        if (known[i].count == set->count && memcmp(known[i].values, set->times, set->count * sizeof(float)) == 0)
            return (uint32_t)known[i].offset;
    const uint32_t index = put_accessor(w, set->times, set->count, 1);
    // A few are looked at: files have one set of times, or many that differ.
    const size_t slot = *known_count < 8 ? (*known_count)++ : index % 8;
    known[slot] = (accessor){index, set->count, 1, set->times};
    return index;
}

static void put_clip(writer* w, const fbx_clip* clip, const int32_t* numbers)
{
    static const char* const paths[] = {"translation", "rotation", "scale"};
    cli_text channels = {0}, samplers = {0};
    accessor known[8];
    size_t known_count = 0;
    unsigned sampler = 0;
    for (uint32_t c = 0; c < clip->channel_count; ++c)
        for (int p = 0; p < 3; ++p)
        {
            const fbx_key_set* set = &clip->channels[c].paths[p];
            if (set->count == 0) continue;
            const unsigned input = put_times(w, set, known, &known_count);
            const unsigned output = put_accessor(w, set->values, set->count, p == 1 ? 4 : 3);
            const char* comma = sampler > 0 ? "," : "";
            text_fmt(&samplers, "%s{\"input\":%u,\"output\":%u}", comma, input, output);
            text_fmt(&channels, "%s{\"sampler\":%u,\"target\":{\"node\":%d,\"path\":\"%s\"}}", comma, sampler++,
                     (int)numbers[clip->channels[c].node], paths[p]);
        }
    text_str(&w->json, "{\"name\":");
    put_string(&w->json, clip->name);
    text_str(&w->json, ",\"channels\":[");
    text_put(&w->json, channels.data != NULL ? channels.data : "", channels.size);
    text_str(&w->json, "],\"samplers\":[");
    text_put(&w->json, samplers.data != NULL ? samplers.data : "", samplers.size);
    text_str(&w->json, "]");
    if (isfinite(clip->start) || clip->shift != 0.0)
    {
        text_str(&w->json, ",\"extras\":{\"surefoot\":{");
        if (isfinite(clip->start))
        {
            text_str(&w->json, "\"start\":");
            put_double(&w->json, clip->start);
            text_str(&w->json, ",\"stop\":");
            put_double(&w->json, clip->stop);
        }
        if (clip->shift != 0.0)
        {
            text_str(&w->json, isfinite(clip->start) ? ",\"shift\":" : "\"shift\":");
            put_double(&w->json, clip->shift);
        }
        text_str(&w->json, "}}");
    }
    text_str(&w->json, "}");
    w->json.failed = w->json.failed || channels.failed || samplers.failed;
    text_free(&channels);
    text_free(&samplers);
}

static void put_asset(writer* w)
{
    const fbx_scene* s = w->scene;
    text_str(&w->json, "{\"asset\":{\"version\":\"2.0\",\"generator\":\"surefoot-fbx\",\"extras\":{\"surefoot\":{"
                       "\"source\":\"fbx\",\"unit_metres\":");
    put_double(&w->json, s->unit);
    text_fmt(&w->json, ",\"up\":\"%s\",\"frame_rate\":", s->up);
    put_double(&w->json, s->frame_rate);
    text_str(&w->json, ",\"warnings\":[");
    for (size_t i = 0; i < s->warning_count; ++i)
    {
        if (i > 0) text_str(&w->json, ",");
        put_string(&w->json, s->warnings[i]);
    }
    text_str(&w->json, "]}}},\"scene\":0,\"scenes\":[{\"nodes\":[0]}]");
}

static void put_u32(cli_text* out, size_t value)
{
    const char bytes[4] = {(char)(value & 255), (char)(value >> 8 & 255), (char)(value >> 16 & 255),
                           (char)(value >> 24 & 255)};
    text_put(out, bytes, 4);
}

bool fbx_write_glb(const fbx_scene* scene, cli_text* out)
{
    writer w = {.scene = scene};
    int32_t* numbers = number_nodes(scene);
    int32_t* lists = list_children(scene);
    if (numbers != NULL && lists != NULL)
    {
        put_asset(&w);
        put_nodes(&w, lists, numbers);
        put_skins(&w, numbers);
        for (size_t i = 0; i < scene->clip_count; ++i)
        {
            text_str(&w.json, i > 0 ? "," : ",\"animations\":[");
            put_clip(&w, &scene->clips[i], numbers);
        }
        if (scene->clip_count > 0) text_str(&w.json, "]");
        if (w.accessor_count > 0)
        {
            text_str(&w.json, ",\"accessors\":[");
            text_put(&w.json, w.accessors.data, w.accessors.size);
            text_fmt(&w.json,
                     "],\"bufferViews\":[{\"buffer\":0,\"byteLength\":%zu}],\"buffers\":[{\"byteLength\":%zu}]",
                     w.bin.size, w.bin.size);
        }
        text_str(&w.json, "}");
        while (w.json.size % 4 != 0 && !w.json.failed)
            text_str(&w.json, " ");
    }
    bool good = numbers != NULL && lists != NULL && !w.json.failed && !w.bin.failed && !w.accessors.failed;
    const size_t bin = w.bin.size > 0 ? w.bin.size + 8 : 0;
    // A GLB counts its bytes in 32 bits.
    good = good && w.json.size < UINT32_MAX / 2 && bin < UINT32_MAX / 2;
    if (good)
    {
        text_put(out, "glTF", 4);
        put_u32(out, 2);
        put_u32(out, 20 + w.json.size + bin);
        put_u32(out, w.json.size);
        text_put(out, "JSON", 4);
        text_put(out, w.json.data, w.json.size);
        if (bin > 0)
        {
            put_u32(out, w.bin.size);
            text_put(out, "BIN\0", 4);
            text_put(out, w.bin.data, w.bin.size);
        }
        good = !out->failed;
    }
    text_free(&w.json);
    text_free(&w.bin);
    text_free(&w.accessors);
    free(numbers);
    free(lists);
    return good;
}
