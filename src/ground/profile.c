// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// Stairs, ramps, kerbs and gaps. A profile is the same all the way across, so rays and spheres are asked in the plane
// of distance and height: a sphere is a circle there, and the direction shorter than one.
#include "surefoot/ground.h"

#include "core/core.h"

typedef struct flat
{
    double s, y;
} flat;

/// From `start` along the unit vector `along`; level ground at the ends has infinite length.
typedef struct piece
{
    flat start, end, along;
    double length;
} piece;

typedef struct query
{
    flat o, d;
    double square; ///< of d's length
    double length, radius;
} query;

typedef struct touch
{
    double t, gap;
    flat point, normal;
} touch;

static flat minus(flat a, flat b)
{
    return (flat){a.s - b.s, a.y - b.y};
}

static flat plus(flat a, double k, flat b)
{
    return (flat){a.s + k * b.s, a.y + k * b.y};
}

static double dot(flat a, flat b)
{
    return a.s * b.s + a.y * b.y;
}

static double cross(flat a, flat b)
{
    return a.s * b.y - a.y * b.s;
}

// ---- rays ----

static bool ray_piece(const query* q, const piece* p, touch* out)
{
    const bool endless = p->length == HUGE_VAL;
    const flat a = minus(p->start, q->o), b = minus(p->end, q->o);
    // On which side of the ray the ends lie; the same for both pieces of a point. At infinity, where the piece points.
    const double sa = cross(q->d, a), sb = endless ? cross(q->d, p->along) : cross(q->d, b);
    if ((sa > 0.0 && sb > 0.0) || (sa < 0.0 && sb < 0.0) || (sa == 0.0 && sb == 0.0)) return false;
    double t;
    if (endless)
    {
        // Level: its height alone decides.
        if (sb == 0.0) return false;
        t = a.y / q->d.y;
    }
    else
        t = dot(plus(a, sa / (sa - sb), minus(p->end, p->start)), q->d) / q->square;
    if (!(t >= 0.0 && t <= q->length)) return false;
    out->t = t + 0.0; // never -0
    out->gap = 0.0;
    out->normal = (flat){-p->along.y, p->along.s};
    if (dot(out->normal, q->d) > 0.0) out->normal = (flat){p->along.y, -p->along.s};
    return true;
}

// ---- circles ----

static void enter_point(const query* q, flat a, touch* best)
{
    const flat m = minus(a, q->o);
    const double nearest = dot(m, q->d) / q->square;
    const flat miss = plus(m, -nearest, q->d);
    const double inner = q->radius * q->radius - dot(miss, miss);
    if (!(nearest > 0.0) || !(inner >= 0.0)) return;
    const double t = sft_maxd(nearest - sqrt(inner / q->square), 0.0);
    if (!(t < best->t)) return;
    best->t = t;
    best->point = a;
}

static void enter_line(const query* q, const piece* p, touch* best)
{
    const flat n = {-p->along.y, p->along.s};
    const double height = dot(n, minus(q->o, p->start));
    const double closing = height >= 0.0 ? -dot(n, q->d) : dot(n, q->d);
    if (!(closing > 0.0)) return;
    const double t = sft_maxd((fabs(height) - q->radius) / closing, 0.0);
    if (!(t < best->t)) return;
    const double s = dot(minus(plus(q->o, t, q->d), p->start), p->along);
    if (!(s >= 0.0 && s <= p->length)) return;
    best->t = t;
    best->point = plus(p->start, s, p->along);
}

static bool circle_piece(const query* q, const piece* p, touch* out)
{
    const double s = sft_clampd(dot(minus(q->o, p->start), p->along), 0.0, p->length);
    const flat near = s < p->length ? plus(p->start, s, p->along) : p->end;
    const flat away = minus(q->o, near);
    touch best = {.t = HUGE_VAL, .point = near};
    best.gap = sqrt(dot(away, away));
    if (best.gap <= q->radius)
        best.t = 0.0;
    else
    {
        best.gap = 0.0;
        if (q->square > 0.0)
        {
            enter_line(q, p, &best);
            enter_point(q, p->start, &best);
            if (p->length < HUGE_VAL) enter_point(q, p->end, &best);
        }
        if (best.t == HUGE_VAL || best.t > q->length) return false;
    }
    const flat out_of = minus(plus(q->o, best.t, q->d), best.point);
    const double length = sqrt(dot(out_of, out_of));
    best.normal = (flat){-p->along.y, p->along.s};
    if (dot(best.normal, q->d) > 0.0) best.normal = (flat){p->along.y, -p->along.s};
    if (length > 1e-9 * q->radius) best.normal = (flat){out_of.s / length, out_of.y / length};
    *out = best;
    return true;
}

// ---- the line of heights ----

static flat point_at(const sft_ground_profile* p, int32_t i)
{
    return (flat){p->distances[i], p->origin.y + p->heights[i]};
}

static bool solid(flat a)
{
    return isfinite(a.s) && isfinite(a.y);
}

/// Piece i lies before point i: 0 is the level ground before the first, `count` that after the last.
static bool piece_at(const sft_ground_profile* p, int32_t i, piece* out)
{
    if (i == 0 || i == p->count)
    {
        out->start = out->end = point_at(p, i == 0 ? 0 : p->count - 1);
        out->along = (flat){i == 0 ? -1.0 : 1.0, 0.0};
        out->length = HUGE_VAL;
        return solid(out->start);
    }
    out->start = point_at(p, i - 1);
    out->end = point_at(p, i);
    if (!solid(out->start) || !solid(out->end)) return false;
    const flat way = minus(out->end, out->start);
    out->length = sqrt(dot(way, way));
    if (!(out->length > 0.0 && out->length < HUGE_VAL)) return false;
    out->along = (flat){way.s / out->length, way.y / out->length};
    return true;
}

/// The first point at `s` or beyond; count where there is none.
static int32_t first_from(const sft_ground_profile* p, double s)
{
    int32_t lo = 0, hi = p->count;
    while (lo < hi)
    {
        const int32_t middle = lo + (hi - lo) / 2;
        if (p->distances[middle] < s)
            lo = middle + 1;
        else
            hi = middle;
    }
    return lo;
}

static bool cast(const sft_ground_profile* p, const query* q, touch* best)
{
    // Only what lies under the way counts; a little more does no harm.
    const double far = q->d.s == 0.0 ? q->o.s : q->o.s + q->d.s * q->length;
    const double wide = q->radius + 1e-9 * (1.0 + fabs(q->o.s) + (isfinite(far) ? fabs(far) : 0.0));
    const double from = sft_mind(q->o.s, far) - wide, to = sft_maxd(q->o.s, far) + wide;
    bool found = false;
    for (int32_t i = first_from(p, from); i <= p->count; ++i)
    {
        if (i > 0 && i < p->count && p->distances[i - 1] > to) break;
        piece one;
        touch t = {0};
        if (!piece_at(p, i, &one)) continue;
        if (!(q->radius > 0.0 ? circle_piece(q, &one, &t) : ray_piece(q, &one, &t))) continue;
        if (found && (t.t > best->t || (t.t == best->t && t.gap >= best->gap))) continue;
        *best = t;
        found = true;
    }
    return found;
}

static bool query_profile(const void* data, sft_v3d origin, sft_v3d direction, double distance, double radius,
                          sft_ground_hit* hit)
{
    const sft_ground_profile* p = data;
    if (p == NULL || p->count < 1 || p->distances == NULL || p->heights == NULL || !isfinite(p->heading) ||
        !sft_v3d_in_range(p->origin))
        return false;
    const double ux = sft_sin(p->heading), uz = sft_cos(p->heading);
    query q = {.d = {direction.x * ux + direction.z * uz, direction.y}, .length = distance, .radius = radius};
    q.o = (flat){(origin.x - p->origin.x) * ux + (origin.z - p->origin.z) * uz, origin.y};
    q.square = dot(q.d, q.d);
    touch best = {0};
    // Straight across, nothing comes nearer: 1e-30 is a femtometre a metre.
    if (q.square < 1e-30) q.square = 0.0;
    if (!(q.square > 0.0 || radius > 0.0) || !cast(p, &q, &best)) return false;
    const sft_v3d centre = sft_v3d_madd(origin, best.t, direction);
    hit->distance = best.t;
    hit->point = centre;
    if (radius > 0.0)
    {
        const flat to = minus(best.point, plus(q.o, best.t, q.d));
        hit->point = sft_v3d_make(centre.x + to.s * ux, centre.y + to.y, centre.z + to.s * uz);
    }
    hit->normal = sft_v3d_make(best.normal.s * ux, best.normal.y, best.normal.s * uz);
    hit->body = p->body;
    hit->triangle = -1;
    return true;
}

sft_ground sft_ground_from_profile(const sft_ground_profile* profile)
{
    return (sft_ground){query_profile, profile};
}
