// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// Height fields: the cells that a query passes over, row by row in its direction, two triangles each.
#include "core/core.h"
#include "ground/triangle.h"

/// Slower than this along an axis [m/m], no way leaves the pad.
#define STILL 1e-16

typedef struct walk
{
    const sft_ground_heights* field;
    sft_ground_ray ray;
    double pad;   ///< [m] more than rounding may shift
    double reach; ///< radius and pad: cells within it of the way are asked
    sft_ground_touch best;
    sft_v3d normal;
    int64_t number; ///< of the best's triangle
    bool found;
} walk;

/// A part of the way, and the stretch of an axis that it and the sphere pass over.
typedef struct span
{
    double from, to;
} span;

static bool good_field(const sft_ground_heights* f)
{
    if (f == NULL || f->heights == NULL || f->count_x < 2 || f->count_z < 2) return false;
    const double x = f->origin.x + f->step_x * (double)(f->count_x - 1);
    const double z = f->origin.z + f->step_z * (double)(f->count_z - 1);
    return f->step_x > 0.0 && f->step_z > 0.0 && sft_v3d_in_range(f->origin) && x <= SFT_HUGE && z <= SFT_HUGE;
}

static void ask_triangle(walk* w, int64_t number, const double a[3], const double b[3], const double c[3])
{
    sft_ground_touch t = {0};
    if (w->ray.radius > 0.0)
    {
        if (!sft_ground_sphere_triangle(&w->ray, a, b, c, &t)) return;
    }
    else if (!sft_ground_ray_triangle(&w->ray, a, b, c, &t.t))
        return;
    if (w->found && (t.t > w->best.t || (t.t == w->best.t && t.gap > w->best.gap))) return;
    if (w->found && t.t == w->best.t && t.gap == w->best.gap && number > w->number) return;
    const sft_v3d d = sft_v3d_make(w->ray.d[0], w->ray.d[1], w->ray.d[2]);
    if (!sft_ground_normal(a, b, c, d, &w->normal)) return;
    w->best = t;
    w->number = number;
    w->found = true;
}

static void corner(const sft_ground_heights* f, int64_t i, int64_t k, double out[3])
{
    out[0] = f->origin.x + (double)i * f->step_x;
    out[1] = f->origin.y + f->heights[k * f->count_x + i];
    out[2] = f->origin.z + (double)k * f->step_z;
}

/// `y`: the heights that the sphere passes over this row.
static void ask_cell(walk* w, int64_t i, int64_t k, span y)
{
    double p[4][3];
    double lo = SFT_HUGE, hi = -SFT_HUGE;
    for (int64_t n = 0; n < 4; ++n)
    {
        corner(w->field, i + (n & 1), k + (n >> 1), p[n]);
        if (!(fabs(p[n][1]) <= SFT_HUGE)) return; // a hole
        lo = sft_mind(lo, p[n][1]);
        hi = sft_maxd(hi, p[n][1]);
    }
    if (lo > y.to || hi < y.from) return;
    const int64_t number = 2 * (k * (w->field->count_x - 1) + i);
    ask_triangle(w, number, p[0], p[3], p[1]);
    ask_triangle(w, number + 1, p[0], p[2], p[3]);
}

/// The part of `time` in which the coordinate is in [lo, hi]; from > to where there is none. Wider by what rounding
/// could cut off.
static span within(const walk* w, int axis, double lo, double hi, span time)
{
    const double o = w->ray.o[axis], d = w->ray.d[axis];
    if (fabs(d) < STILL) return o >= lo && o <= hi ? time : (span){1.0, 0.0};
    const double a = (lo - o) / d, b = (hi - o) / d;
    return (span){sft_maxd(time.from, sft_mind(a, b)), sft_mind(time.to, sft_maxd(a, b))};
}

/// What the sphere covers of an axis in that time.
static span covered(const walk* w, int axis, span time)
{
    const double o = w->ray.o[axis], d = w->ray.d[axis];
    const bool still = fabs(d) < STILL;
    const double a = still ? o : o + d * time.from, b = still ? o : o + d * time.to;
    return (span){sft_mind(a, b) - w->reach, sft_maxd(a, b) + w->reach};
}

/// Cells that a stretch of an axis touches, as first and last; none where first > last.
static void cells(span s, double origin, double step, int32_t count, int64_t* first, int64_t* last)
{
    const double most = (double)(count - 2);
    *first = (int64_t)sft_clampd(floor((s.from - origin) / step), 0.0, most + 1.0);
    *last = (int64_t)sft_clampd(floor((s.to - origin) / step), -1.0, most);
}

static void ask_row(walk* w, int64_t k, span time)
{
    const sft_ground_heights* f = w->field;
    const double z = f->origin.z + (double)k * f->step_z;
    const span row = within(w, 2, z - w->reach, z + f->step_z + w->reach, time);
    if (row.from > row.to || (w->found && row.from > w->best.t + w->pad)) return;
    int64_t first, last;
    cells(covered(w, 0, row), f->origin.x, f->step_x, f->count_x, &first, &last);
    const span y = covered(w, 1, row);
    for (int64_t n = first; n <= last; ++n)
    {
        const int64_t i = w->ray.d[0] >= 0.0 ? n : last - (n - first);
        const double x = f->origin.x + (double)i * f->step_x;
        // Later cells of the row come later still.
        if (w->found && fabs(w->ray.d[0]) >= STILL &&
            within(w, 0, x - w->reach, x + f->step_x + w->reach, row).from > w->best.t + w->pad)
            break;
        ask_cell(w, i, k, y);
    }
}

static bool query_heights(const void* data, sft_v3d origin, sft_v3d direction, double distance, double radius,
                          sft_ground_hit* hit)
{
    const sft_ground_heights* f = data;
    if (!good_field(f)) return false;
    walk w = {.field = f, .ray = sft_ground_ray_make(origin, direction, distance, radius)};
    const double far_x = f->origin.x + f->step_x * (double)(f->count_x - 1);
    const double far_z = f->origin.z + f->step_z * (double)(f->count_z - 1);
    const double largest =
        sft_maxd(sft_maxd(fabs(origin.x), fabs(origin.z)),
                 sft_maxd(sft_maxd(fabs(f->origin.x), fabs(f->origin.z)), sft_maxd(fabs(far_x), fabs(far_z))));
    w.pad = 0x1p-40 * (largest + fabs(origin.y) + radius + sft_mind(distance, 4.0 * SFT_HUGE));
    w.reach = radius + w.pad;
    span time = {0.0, distance};
    time = within(&w, 0, f->origin.x - w.reach, far_x + w.reach, time);
    time = within(&w, 2, f->origin.z - w.reach, far_z + w.reach, time);
    if (time.from > time.to) return false;
    int64_t first, last;
    cells(covered(&w, 2, time), f->origin.z, f->step_z, f->count_z, &first, &last);
    for (int64_t n = first; n <= last; ++n)
        ask_row(&w, direction.z >= 0.0 ? n : last - (n - first), time);
    if (!w.found) return false;
    sft_ground_place(&w.ray, &w.best, w.normal, hit);
    hit->body = f->body;
    hit->triangle = -1;
    return true;
}

sft_ground sft_ground_from_heights(const sft_ground_heights* heights)
{
    return (sft_ground){query_heights, heights};
}
