// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// Limits of one joint: which rotations are allowed, and which of them is nearest to a given one (docs/ik.md).
//
// With the bone axis as z, a rotation is a pair of complex numbers, c1 = w + iz and c2 = x + iy. Swing s (an axis
// square to the bone) after twist t (about the bone, by an angle a) is c1 = s_w exp(ia/2), c2 = s_xy exp(-ia/2), and
// the cosine of half the angle between two rotations is the real part of c1 c1'* + c2 c2'*. So for a given swing the
// best twist, and for a given twist the best swing without limits, have closed forms; what is left is a search along a
// quarter of the cone's rim. The rim is an ellipse in tan(swing / 4), which is rational in the quaternion.

#include "ik/ik_internal.h"

// Rotations so little outside [rad] count as inside, so that what was clamped once stays as it is.
#define TOLERANCE 1e-9

typedef struct complex_number
{
    double re, im;
} complex_number;

static complex_number times(complex_number a, complex_number b)
{
    return (complex_number){a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
}

// a times the conjugate of b.
static complex_number over(complex_number a, complex_number b)
{
    return (complex_number){a.re * b.re + a.im * b.im, a.im * b.re - a.re * b.im};
}

static double size_of(complex_number a)
{
    return sqrt(a.re * a.re + a.im * a.im);
}

static complex_number scaled(double s, complex_number a)
{
    return (complex_number){s * a.re, s * a.im};
}

static complex_number half_turn_of(double angle)
{
    return (complex_number){sft_cos(0.5 * angle), sft_sin(0.5 * angle)};
}

sft_limit sft_limit_free(void)
{
    return (sft_limit){.kind = SFT_LIMIT_FREE,
                       .reference = sft_quatd_identity(),
                       .axis = {0.0, 1.0, 0.0},
                       .swing_x = {1.0, 0.0, 0.0},
                       .min = -SFT_PI,
                       .max = SFT_PI,
                       .swing_max_x = SFT_PI,
                       .swing_max_y = SFT_PI};
}

sft_limit sft_limit_hinge(sft_quatd reference, sft_v3d axis, double min, double max)
{
    sft_limit limit = sft_limit_free();
    limit.kind = SFT_LIMIT_HINGE;
    limit.reference = reference;
    limit.axis = sft_v3d_normalize_or(axis, limit.axis);
    limit.swing_x = sft_v3d_any_perp(limit.axis);
    limit.min = min;
    limit.max = max;
    return limit;
}

sft_limit sft_limit_cone(sft_quatd reference, sft_v3d axis, double half_angle, double twist_min, double twist_max)
{
    sft_limit limit = sft_limit_hinge(reference, axis, twist_min, twist_max);
    limit.kind = SFT_LIMIT_SWING;
    limit.swing_max_x = half_angle;
    limit.swing_max_y = half_angle;
    return limit;
}

static bool is_unit(sft_v3d v)
{
    return fabs(sft_v3d_dot(v, v) - 1.0) <= 2e-6;
}

sft_result sft_limit_check(const sft_limit* limit)
{
    if (limit == NULL) return SFT_ERR_ARG;
    if (limit->kind == SFT_LIMIT_FREE) return SFT_OK;
    if (!sft_ik_unit_quat(limit->reference)) return SFT_ERR_RANGE;
    if (limit->kind == SFT_LIMIT_FIXED) return SFT_OK;
    if (limit->kind != SFT_LIMIT_HINGE && limit->kind != SFT_LIMIT_SWING) return SFT_ERR_ARG;
    if (!is_unit(limit->axis)) return SFT_ERR_RANGE;
    // A whole turn may come out a rounding longer than 2 pi.
    if (!(fabs(limit->min) <= 1e3) || !(limit->min <= limit->max) || !(limit->max - limit->min <= 2.0 * SFT_PI + 1e-9))
        return SFT_ERR_RANGE;
    if (limit->kind == SFT_LIMIT_HINGE) return SFT_OK;
    if (!is_unit(limit->swing_x) || !(fabs(sft_v3d_dot(limit->swing_x, limit->axis)) <= 1e-6)) return SFT_ERR_RANGE;
    const bool sizes = limit->swing_max_x >= 0.0 && limit->swing_max_x <= SFT_PI + 1e-9 && //
                       limit->swing_max_y >= 0.0 && limit->swing_max_y <= SFT_PI + 1e-9;
    return sizes ? SFT_OK : SFT_ERR_RANGE;
}

// ---- twist ----

// Half the angle of c1 from the middle of a range, in (-pi/2, pi/2]: c1 and -c1 are one rotation.
static double half_from_middle(complex_number c1, double middle)
{
    complex_number c = over(c1, half_turn_of(middle));
    if (c.re < 0.0) c = scaled(-1.0, c);
    return sft_atan2(c.im, c.re);
}

// The end of the range nearer to an angle outside of it; `min` where they are equally near.
static double nearer_end(const sft_limit* limit, double from_middle)
{
    return from_middle > 0.0 && from_middle < SFT_PI - 1e-12 ? limit->max : limit->min;
}

static sft_quatd clamp_hinge(const sft_limit* limit, sft_quatd d, bool* inside)
{
    const sft_v3d v = {d.x, d.y, d.z};
    const complex_number c1 = {d.w, sft_v3d_dot(v, limit->axis)};
    const double along = size_of(c1), off = sft_v3d_length(sft_ik_across(v, limit->axis));
    const double middle = 0.5 * (limit->min + limit->max), half = 0.5 * (limit->max - limit->min);
    complex_number twist = along > 1e-12 ? scaled(1.0 / along, c1) : half_turn_of(middle);
    const double from_middle = 2.0 * half_from_middle(twist, middle);
    const bool in_range = fabs(from_middle) <= half + TOLERANCE;
    *inside = in_range && 2.0 * off <= TOLERANCE;
    if (!in_range) twist = half_turn_of(nearer_end(limit, from_middle));
    const sft_v3d t = sft_v3d_scale(twist.im, limit->axis);
    return (sft_quatd){t.x, t.y, t.z, twist.re};
}

// ---- swing and twist ----

typedef struct swing_problem
{
    complex_number c1, c2; ///< the rotation asked for
    double ex, ey;         ///< the rim's half axes, tan(swing_max / 4)
    double middle, half;   ///< of the twist's range
} swing_problem;

typedef struct swing_answer
{
    complex_number c1, c2;
    double cosine; ///< of half the angle to what was asked for
} swing_answer;

// Unit quaternion (w, xy) of a swing from its point in tan(swing / 4).
static double swing_at(complex_number p, complex_number* xy)
{
    const double square = p.re * p.re + p.im * p.im, k = 1.0 / (1.0 + square);
    *xy = scaled(2.0 * k, p);
    return (1.0 - square) * k;
}

static void consider(const swing_problem* s, complex_number p, complex_number half_twist, swing_answer* best)
{
    complex_number xy;
    const double w = swing_at(p, &xy);
    swing_answer a = {scaled(w, half_twist), over(xy, half_twist), 0.0};
    const double cosine = s->c1.re * a.c1.re + s->c1.im * a.c1.im + s->c2.re * a.c2.re + s->c2.im * a.c2.im;
    a.cosine = fabs(cosine);
    if (a.cosine > best->cosine) *best = a;
}

// What is maximised along the rim: with a free twist |a w + b xy*|^2, with a given one the real part of a w + b xy*.
typedef struct rim_search
{
    double a;
    complex_number b;
    bool twist_is_free;
    double ex, ey; ///< with the signs of the quarter
} rim_search;

static complex_number rim_point(const rim_search* r, double v)
{
    const double k = 1.0 / (1.0 + v * v);
    return (complex_number){r->ex * (1.0 - v * v) * k, r->ey * 2.0 * v * k};
}

static double rim_value(const rim_search* r, double v)
{
    complex_number xy;
    const double w = swing_at(rim_point(r, v), &xy);
    const complex_number b = over(r->b, xy);
    const double re = r->a * w + b.re;
    return r->twist_is_free ? re * re + b.im * b.im : re;
}

// Best point of a quarter of the rim, v in [0, 1] from its x to its y axis: coarse, then by golden section. The value
// is flat at its maximum, so where the section stops resolving it the angle is right to the last bit.
static complex_number rim_best(const rim_search* r)
{
    const int steps = 8;
    int best = 0;
    double most = rim_value(r, 0.0);
    for (int i = 1; i <= steps; ++i)
    {
        const double value = rim_value(r, (double)i / steps);
        if (value > most)
        {
            most = value;
            best = i;
        }
    }
    double lo = best > 0 ? (double)(best - 1) / steps : 0.0, hi = best < steps ? (double)(best + 1) / steps : 1.0;
    const double golden = 0.61803398874989485;
    double x1 = hi - golden * (hi - lo), x2 = lo + golden * (hi - lo);
    double f1 = rim_value(r, x1), f2 = rim_value(r, x2);
    for (int i = 0; i < 36; ++i)
    {
        const bool left = f1 > f2;
        if (left)
        {
            hi = x2;
            x2 = x1;
            f2 = f1;
            x1 = hi - golden * (hi - lo);
            f1 = rim_value(r, x1);
        }
        else
        {
            lo = x1;
            x1 = x2;
            f1 = f2;
            x2 = lo + golden * (hi - lo);
            f2 = rim_value(r, x2);
        }
    }
    return rim_point(r, 0.5 * (lo + hi));
}

// What is left of a swing problem once the twist was taken out.
typedef struct untwisted
{
    double a;                  ///< |c1|
    complex_number half_twist; ///< c1 / |c1|
    complex_number xy;         ///< of the swing
} untwisted;

// The half twist that suits a swing best: its own, less the angle of h = |c1| w + s0 xy*.
static complex_number best_twist(const swing_problem* s, const untwisted* u, complex_number p)
{
    complex_number xy;
    const double w = swing_at(p, &xy);
    complex_number h = over(u->xy, xy);
    h.re += u->a * w;
    const complex_number twist = over(u->half_twist, h);
    const double length = size_of(twist);
    return length > 1e-150 ? scaled(1.0 / length, twist) : half_turn_of(s->middle);
}

// Nearest with the swing on the rim and the twist as it falls, where that is within its range. True where the best
// quarter's is: nothing can be nearer then.
static bool with_free_twist(const swing_problem* s, const untwisted* u, swing_answer* best)
{
    for (int quarter = 0; quarter < 4; ++quarter)
    {
        // The quarter that the swing itself points to comes first and is the best of all.
        const double sx = (u->xy.re < 0.0) == ((quarter & 1) == 0) ? -1.0 : 1.0;
        const double sy = (u->xy.im < 0.0) == ((quarter & 2) == 0) ? -1.0 : 1.0;
        const rim_search r = {u->a, u->xy, true, sx * s->ex, sy * s->ey};
        const complex_number p = rim_best(&r), twist = best_twist(s, u, p);
        if (2.0 * fabs(half_from_middle(twist, s->middle)) > s->half + TOLERANCE) continue;
        consider(s, p, twist, best);
        if (quarter == 0) return true;
    }
    return false;
}

static bool within_rim(const swing_problem* s, complex_number p)
{
    // A quarter of the tolerance: p is the tangent of a quarter of the angle.
    const double x = p.re / (s->ex + 0.25 * TOLERANCE), y = p.im / (s->ey + 0.25 * TOLERANCE);
    return x * x + y * y <= 1.0;
}

static void with_twist(const swing_problem* s, double twist, swing_answer* best)
{
    const complex_number half = half_turn_of(twist);
    double a = over(s->c1, half).re;
    complex_number b = times(s->c2, half);
    if (a < 0.0)
    {
        a = -a;
        b = scaled(-1.0, b);
    }
    const double length = sqrt(a * a + b.re * b.re + b.im * b.im);
    // Both zero: every swing is as far as any other, half a turn.
    complex_number p = length > 1e-150 ? scaled(1.0 / (length + a), b) : (complex_number){0.0, 0.0};
    if (!within_rim(s, p))
    {
        const rim_search r = {a, b, false, b.re < 0.0 ? -s->ex : s->ex, b.im < 0.0 ? -s->ey : s->ey};
        p = rim_best(&r);
    }
    consider(s, p, half, best);
}

static sft_quatd clamp_swing(const sft_limit* limit, sft_quatd d, bool* inside)
{
    const sft_v3d v = {d.x, d.y, d.z}, y_axis = sft_v3d_cross(limit->axis, limit->swing_x);
    swing_problem s = {{d.w, sft_v3d_dot(v, limit->axis)},
                       {sft_v3d_dot(v, limit->swing_x), sft_v3d_dot(v, y_axis)},
                       sft_sin(0.25 * limit->swing_max_x) / sft_cos(0.25 * limit->swing_max_x),
                       sft_sin(0.25 * limit->swing_max_y) / sft_cos(0.25 * limit->swing_max_y),
                       0.5 * (limit->min + limit->max),
                       0.5 * (limit->max - limit->min)};
    untwisted u = {size_of(s.c1), {0.0, 0.0}, {0.0, 0.0}};
    // A swing by half a turn has no twist of its own: it gets the range's middle.
    u.half_twist = u.a > 1e-12 ? scaled(1.0 / u.a, s.c1) : half_turn_of(s.middle);
    u.xy = times(s.c2, u.half_twist);
    const double twist_off = fabs(2.0 * half_from_middle(u.half_twist, s.middle)) - s.half;
    const bool swing_in = within_rim(&s, scaled(1.0 / (1.0 + u.a), u.xy));
    *inside = swing_in && u.a * twist_off <= TOLERANCE;
    if (*inside) return d;
    swing_answer best = {{1.0, 0.0}, {0.0, 0.0}, -1.0};
    const bool done = !swing_in && with_free_twist(&s, &u, &best);
    if (!done && s.half < SFT_PI)
    {
        with_twist(&s, limit->min, &best);
        with_twist(&s, limit->max, &best);
    }
    const sft_v3d t = sft_v3d_madd(sft_v3d_scale(best.c1.im, limit->axis), best.c2.re, limit->swing_x);
    const sft_v3d out = sft_v3d_madd(t, best.c2.im, y_axis);
    return (sft_quatd){out.x, out.y, out.z, best.c1.re};
}

sft_quatd sft_limit_clamp(const sft_limit* limit, sft_quatd local, double* excess)
{
    if (excess != NULL) *excess = 0.0;
    if (limit == NULL || limit->kind == SFT_LIMIT_FREE) return local;
    sft_quatd out = limit->reference;
    bool inside = false;
    if (sft_ik_unit_quat(local))
    {
        const sft_quatd d = sft_quatd_normalize(sft_quatd_mul(sft_quatd_conjugate(limit->reference), local));
        if (limit->kind == SFT_LIMIT_HINGE)
            out = sft_quatd_mul(limit->reference, clamp_hinge(limit, d, &inside));
        else if (limit->kind == SFT_LIMIT_SWING)
            out = sft_quatd_mul(limit->reference, clamp_swing(limit, d, &inside));
        else
            inside = 2.0 * sqrt(d.x * d.x + d.y * d.y + d.z * d.z) <= TOLERANCE;
    }
    if (inside) return local;
    out = sft_quatd_normalize(out);
    // Of q and -q, the one on the input's side: whoever blends rotations afterwards goes the short way.
    if (sft_quatd_dot(out, local) < 0.0) out = (sft_quatd){-out.x, -out.y, -out.z, -out.w};
    if (excess != NULL) *excess = sft_ik_unit_quat(local) ? sft_ik_angle(local, out) : SFT_PI;
    return out;
}
