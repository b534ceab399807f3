// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// A creature as GLB: a node a joint, one skin, one mesh of one primitive.

#include "roam.h"

#include <stdlib.h>
#include <string.h>

// Stretches of the buffer, in this order.
enum
{
    PLACES,
    NORMALS,
    WEIGHTS,
    JOINTS,
    COLOURS,
    INDICES,
    BINDS,
    VIEWS
};

typedef struct stretch
{
    size_t start, size, count;
} stretch;

static void put_u32(unsigned char* at, uint32_t value)
{
    for (int k = 0; k < 4; ++k)
        at[k] = (unsigned char)(value >> (8 * k));
}

static void put_float(unsigned char* at, float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    put_u32(at, bits);
}

static void lay_out(const roam_body* body, const roam_mesh* mesh, stretch out[VIEWS])
{
    const size_t sizes[VIEWS] = {12, 12, 16, 4, 4, 4, 64};
    size_t at = 0;
    for (int v = 0; v < VIEWS; ++v)
    {
        const size_t count = v == INDICES ? mesh->index_count : v == BINDS ? (size_t)body->count : mesh->vertex_count;
        out[v] = (stretch){at, sizes[v] * count, count};
        at += out[v].size;
    }
}

static void fill_buffer(const roam_body* body, const roam_mesh* mesh, const stretch views[VIEWS], unsigned char* bytes)
{
    for (size_t i = 0; i < mesh->vertex_count; ++i)
    {
        const roam_vertex* v = &mesh->vertices[i];
        for (size_t k = 0; k < 3; ++k)
        {
            put_float(bytes + views[PLACES].start + 12 * i + 4 * k, v->place[k]);
            put_float(bytes + views[NORMALS].start + 12 * i + 4 * k, v->normal[k]);
        }
        for (size_t k = 0; k < 4; ++k)
        {
            put_float(bytes + views[WEIGHTS].start + 16 * i + 4 * k, v->weights[k]);
            bytes[views[JOINTS].start + 4 * i + k] = v->joints[k];
            bytes[views[COLOURS].start + 4 * i + k] = v->colour[k];
        }
    }
    for (size_t i = 0; i < mesh->index_count; ++i)
        put_u32(bytes + views[INDICES].start + 4 * i, mesh->indices[i]);
    // Joints have the model's axes, so what undoes one is a shift.
    for (int j = 0; j < body->count; ++j)
    {
        const double shift[3] = {-body->places[j].x, -body->places[j].y, -body->places[j].z};
        for (size_t k = 0; k < 16; ++k)
        {
            const float value = k >= 12 && k < 15 ? (float)shift[k - 12] : k % 5 == 0 ? 1.0F : 0.0F;
            put_float(bytes + views[BINDS].start + 64 * (size_t)j + 4 * k, value);
        }
    }
}

static void put_nodes(cli_text* text, const char* name, const roam_body* body)
{
    char x[32], y[32], z[32];
    text_str(text, "\"nodes\":[");
    for (int j = 0; j < body->count; ++j)
    {
        sft_v3d t = body->places[j];
        if (body->parents[j] >= 0) t = sft_v3d_sub(t, body->places[body->parents[j]]);
        text_fmt(text, "{\"name\":\"%s\",\"translation\":[%s,%s,%s]", body->names[j], cli_number((double)(float)t.x, x),
                 cli_number((double)(float)t.y, y), cli_number((double)(float)t.z, z));
        bool first = true;
        for (int k = j + 1; k < body->count; ++k)
            if (body->parents[k] == j)
            {
                text_fmt(text, "%s%d", first ? ",\"children\":[" : ",", k);
                first = false;
            }
        text_str(text, first ? "}," : "]},");
    }
    text_fmt(text, "{\"name\":\"%s\",\"mesh\":0,\"skin\":0}],", name);
}

static void put_accessor(cli_text* text, int view, size_t count, int component, const char* type, const char* more)
{
    text_fmt(text, "%s{\"bufferView\":%d,\"componentType\":%d,\"count\":%llu,\"type\":\"%s\"%s}", view > 0 ? "," : "",
             view, component, (unsigned long long)count, type, more);
}

static void put_bounds(const roam_mesh* mesh, char* out, size_t size)
{
    float lo[3], hi[3];
    char number[6][32];
    for (int k = 0; k < 3; ++k)
    {
        lo[k] = hi[k] = mesh->vertices[0].place[k];
        for (size_t i = 1; i < mesh->vertex_count; ++i)
        {
            const float v = mesh->vertices[i].place[k];
            lo[k] = v < lo[k] ? v : lo[k];
            hi[k] = v > hi[k] ? v : hi[k];
        }
        cli_number((double)lo[k], number[k]);
        cli_number((double)hi[k], number[k + 3]);
    }
    snprintf(out, size, ",\"min\":[%s,%s,%s],\"max\":[%s,%s,%s]", number[0], number[1], number[2], number[3], number[4],
             number[5]);
}

static void put_json(cli_text* text, const char* name, const roam_body* body, const roam_mesh* mesh,
                     const stretch views[VIEWS])
{
    char bounds[256];
    put_bounds(mesh, bounds, sizeof bounds);
    text_str(text,
             "{\"asset\":{\"version\":\"2.0\",\"generator\":\"surefoot\"},\"scene\":0,\"scenes\":[{\"nodes\":[0,");
    text_fmt(text, "%d]}],", body->count);
    put_nodes(text, name, body);
    text_str(text, "\"skins\":[{\"inverseBindMatrices\":6,\"joints\":[");
    for (int j = 0; j < body->count; ++j)
        text_fmt(text, "%s%d", j > 0 ? "," : "", j);
    text_str(text, "]}],\"materials\":[{\"name\":\"skin\",\"pbrMetallicRoughness\":{\"metallicFactor\":0,"
                   "\"roughnessFactor\":0.7}}],");
    text_fmt(text, "\"meshes\":[{\"name\":\"%s\",\"primitives\":[{\"attributes\":{\"POSITION\":0,\"NORMAL\":1,", name);
    text_str(text, "\"WEIGHTS_0\":2,\"JOINTS_0\":3,\"COLOR_0\":4},\"indices\":5,\"material\":0}]}],\"accessors\":[");
    put_accessor(text, PLACES, mesh->vertex_count, 5126, "VEC3", bounds);
    put_accessor(text, NORMALS, mesh->vertex_count, 5126, "VEC3", "");
    put_accessor(text, WEIGHTS, mesh->vertex_count, 5126, "VEC4", "");
    put_accessor(text, JOINTS, mesh->vertex_count, 5121, "VEC4", "");
    put_accessor(text, COLOURS, mesh->vertex_count, 5121, "VEC4", ",\"normalized\":true");
    put_accessor(text, INDICES, mesh->index_count, 5125, "SCALAR", "");
    put_accessor(text, BINDS, (size_t)body->count, 5126, "MAT4", "");
    text_str(text, "],\"bufferViews\":[");
    for (int v = 0; v < VIEWS; ++v)
    {
        const char* target = v < INDICES ? ",\"target\":34962" : v == INDICES ? ",\"target\":34963" : "";
        text_fmt(text, "%s{\"buffer\":0,\"byteOffset\":%llu,\"byteLength\":%llu%s}", v > 0 ? "," : "",
                 (unsigned long long)views[v].start, (unsigned long long)views[v].size, target);
    }
    text_fmt(text, "],\"buffers\":[{\"byteLength\":%llu}]}",
             (unsigned long long)(views[BINDS].start + views[BINDS].size));
    while (text->size % 4 != 0 && !text->failed)
        text_str(text, " ");
}

int roam_write_glb(const char* name, const roam_body* body, const roam_mesh* mesh, void** bytes, size_t* size)
{
    stretch views[VIEWS];
    cli_text text = {0};
    lay_out(body, mesh, views);
    put_json(&text, name, body, mesh, views);
    const size_t buffer = views[BINDS].start + views[BINDS].size, total = 12 + 8 + text.size + 8 + buffer;
    unsigned char* out = text.failed || mesh->failed ? NULL : malloc(total + 1);
    if (out == NULL)
    {
        text_free(&text);
        return cli_fail(EXIT_MEMORY, "roam: there is no memory for the creature's mesh");
    }
    put_u32(out, 0x46546C67U);
    put_u32(out + 4, 2);
    put_u32(out + 8, (uint32_t)total);
    put_u32(out + 12, (uint32_t)text.size);
    put_u32(out + 16, 0x4E4F534AU);
    memcpy(out + 20, text.data, text.size);
    put_u32(out + 20 + text.size, (uint32_t)buffer);
    put_u32(out + 24 + text.size, 0x004E4942U);
    fill_buffer(body, mesh, views, out + 28 + text.size);
    out[total] = 0;
    text_free(&text);
    *bytes = out;
    *size = total;
    return EXIT_DONE;
}
