// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// `--ground-out`: the ground as OBJ, so that a viewer can show it beside the clip.

#include "ground.h"

#include <math.h>
#include <string.h>

// So far beyond the feet [m].
#define MARGIN 1.0

typedef struct writer
{
    cli_text text;
    const sft_space* space;
    long long points; // so far
} writer;

static void put_point(writer* w, sft_v3d inside)
{
    char a[32], b[32], c[32];
    const sft_v3d p = sft_space_to_file(w->space, inside);
    text_fmt(&w->text, "v %s %s %s\n", cli_number(p.x, a), cli_number(p.y, b), cli_number(p.z, c));
    ++w->points;
}

static void put_quad(writer* w, const sft_v3d* corners)
{
    for (int i = 0; i < 4; ++i)
        put_point(w, corners[i]);
    text_str(&w->text, "f -4 -3 -2 -1\n");
}

// ---- what was made ----

static void write_plane(writer* w, const sft_ground_plane* plane, const ground_place* box)
{
    const sft_v3d n = plane->normal;
    const double x[2] = {box->low.x - MARGIN, box->high.x + MARGIN}, z[2] = {box->low.z - MARGIN, box->high.z + MARGIN};
    sft_v3d corners[4];
    for (int i = 0; i < 4; ++i)
    {
        const double cx = x[i >> 1], cz = z[(i == 1 || i == 2)];
        const double rise = (n.x * (cx - plane->point.x) + n.z * (cz - plane->point.z)) / n.y;
        corners[i] = sft_v3d_make(cx, plane->point.y - rise, cz);
    }
    put_quad(w, corners);
}

// A band of ground across the way, from one distance to another.
static void put_band(writer* w, const sft_ground_profile* p, const double across[2], const double d[2],
                     const double h[2])
{
    const double s = sft_sin(p->heading), c = sft_cos(p->heading);
    sft_v3d corners[4];
    for (int i = 0; i < 4; ++i)
    {
        const double side = across[i >> 1];
        const int end = i == 1 || i == 2;
        corners[i] = sft_v3d_make(p->origin.x + d[end] * s + side * c, p->origin.y + h[end],
                                  p->origin.z + d[end] * c - side * s);
    }
    put_quad(w, corners);
}

static void write_profile(writer* w, const sft_ground_profile* p, const ground_place* box)
{
    const double s = sft_sin(p->heading), c = sft_cos(p->heading);
    double along[2] = {INFINITY, -INFINITY}, across[2] = {INFINITY, -INFINITY};
    for (int i = 0; i < 4; ++i)
    {
        const double x = ((i & 1) != 0 ? box->high.x + MARGIN : box->low.x - MARGIN) - p->origin.x;
        const double z = ((i & 2) != 0 ? box->high.z + MARGIN : box->low.z - MARGIN) - p->origin.z;
        along[0] = sft_mind(along[0], x * s + z * c);
        along[1] = sft_maxd(along[1], x * s + z * c);
        across[0] = sft_mind(across[0], x * c - z * s);
        across[1] = sft_maxd(across[1], x * c - z * s);
    }
    // Level before the first point and after the last.
    for (int32_t i = -1; i < p->count; ++i)
    {
        double d[2] = {i < 0 ? along[0] : p->distances[i], i + 1 < p->count ? p->distances[i + 1] : along[1]};
        double h[2] = {p->heights[i < 0 ? 0 : i], p->heights[i + 1 < p->count ? i + 1 : i]};
        if (isnan(h[0]) || isnan(h[1]) || d[1] < along[0] || d[0] > along[1] || d[1] < d[0]) continue;
        const double slope = d[1] > d[0] ? (h[1] - h[0]) / (d[1] - d[0]) : 0.0;
        if (d[0] < along[0])
        {
            h[0] += slope * (along[0] - d[0]);
            d[0] = along[0];
        }
        if (d[1] > along[1])
        {
            h[1] += slope * (along[1] - d[1]);
            d[1] = along[1];
        }
        put_band(w, p, across, d, h);
    }
}

static void write_heights(writer* w, const sft_ground_heights* g)
{
    for (int32_t k = 0; k < g->count_z; ++k)
        for (int32_t i = 0; i < g->count_x; ++i)
            put_point(w, sft_v3d_make(g->origin.x + i * g->step_x,
                                      g->origin.y + g->heights[(size_t)k * (size_t)g->count_x + (size_t)i],
                                      g->origin.z + k * g->step_z));
    for (int32_t k = 0; k + 1 < g->count_z; ++k)
        for (int32_t i = 0; i + 1 < g->count_x; ++i)
        {
            const long long a = (long long)k * g->count_x + i + 1, b = a + 1, c = a + g->count_x, d = c + 1;
            text_fmt(&w->text, "f %lld %lld %lld\nf %lld %lld %lld\n", a, d, b, a, c, d);
        }
}

static void write_file(writer* w, const made_ground* g)
{
    const sft_io_mesh_contents* v = sft_io_mesh_view(g->triangles);
    const sft_ground_mesh_def* m = &v->ground;
    for (size_t i = 0; i < (size_t)m->vertex_count; ++i)
        put_point(w, sft_v3d_make((double)g->moved[3 * i], (double)g->moved[3 * i + 1], (double)g->moved[3 * i + 2]));
    int32_t body = -1;
    for (size_t t = 0; t < (size_t)m->triangle_count; ++t)
    {
        if (m->bodies[t] != body)
        {
            char name[NAME_SIZE];
            body = m->bodies[t];
            text_fmt(&w->text, "o %s\n", cli_safe_utf8(v->body_names[body], name, sizeof name));
        }
        const int32_t* k = m->indices + 3 * t;
        text_fmt(&w->text, "f %d %d %d\n", (int)k[0] + 1, (int)k[1] + 1, (int)k[2] + 1);
    }
}

int ground_write(const made_ground* ground, const ground_place* place, const sft_space* space, const char* path)
{
    writer w = {.space = space};
    char unit[32], safe[3 * sizeof ground->text];
    text_fmt(&w.text, "# %s\n# unit %s m, up %s\n", cli_safe_utf8(ground->text, safe, sizeof safe),
             cli_number(space->unit_metres, unit), cli_axis_name(space->up));
    switch (ground->kind)
    {
    case GROUND_FILE:
        write_file(&w, ground);
        break;
    case GROUND_PLANE:
        write_plane(&w, &ground->plane, place);
        break;
    case GROUND_ROUGH:
        write_heights(&w, &ground->heights);
        break;
    case GROUND_SLOPE:
    case GROUND_STAIRS:
    case GROUND_GAP:
    case GROUND_PROFILE:
        write_profile(&w, &ground->profile, place);
        break;
    }
    const int code = w.text.failed ? cli_fail(EXIT_MEMORY, "%s: out of memory", path)
                                   : cli_write_bytes(path, w.text.data, w.text.size);
    text_free(&w.text);
    return code;
}
