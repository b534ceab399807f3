// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// Bends or stretches a chain as a whole (docs/ik.md, "The arc"). Local solvers move the end of a straight chain hardly
// at all along the chain, and need ever more rounds the straighter it has to be. But how far the end is from the root
// is one number, and one number can be set by one parameter:
//
// To bring the end farther, every direction leans towards the chord by the same amount m before it gets its length
// back; along the chord the end then only ever moves outwards, up to straight. To bring it nearer, m is negative, and
// the end only ever moves inwards, up to all bones back: one answer for every distance, which moves with it without a
// jump. A straight chain has nothing that could lean back. So before, every bone turns in the plane the chain bends in,
// evenly from -k/2 at the root to +k/2 at the end, by the k that is right for a circle's arc. Then the chain is turned
// so that its end lies in the target's direction.

#include "ik/chain.h"

#define NEWTON_STEPS 8
#define ROUNDS 5
#define BACK_STEPS 24
// Least part of the area of a chain's square that gives it a bending side; below, the side that def says blends in.
#define SIDE_BLEND 1e-7

typedef struct arc_problem
{
    ik_chain* c;
    double wanted, is; ///< [m] distance from root to end
    sft_v3d chord;     ///< unit
} arc_problem;

// Area vector of the polygon from the root along the points and back, twice as long.
static sft_v3d area_of(const ik_chain* c)
{
    sft_v3d sum = {0.0, 0.0, 0.0}, p = {0.0, 0.0, 0.0};
    for (int32_t i = 0; i < c->bones; ++i)
    {
        const sft_v3d step = sft_v3d_scale(c->lengths[i], c->dirs[i]);
        sum = sft_v3d_add(sum, sft_v3d_cross(p, step));
        p = sft_v3d_add(p, step);
    }
    return sum;
}

// The normal about which the hinges of the chain turn, those below the root counting; zero where there are none.
static sft_v3d hinge_normal(const ik_chain* c)
{
    sft_v3d sum = {0.0, 0.0, 0.0};
    sft_quatd parent = c->above;
    for (int32_t i = 0; i < c->bones && c->limited; ++i)
    {
        const sft_limit* limit = sft_ik_chain_limit(c, i);
        if (i > 0 && limit->kind == SFT_LIMIT_HINGE)
        {
            const sft_v3d axis = sft_quatd_rotate(sft_quatd_mul(parent, limit->reference), limit->axis);
            const sft_quatd d = sft_quatd_mul(sft_quatd_conjugate(limit->reference), c->locals[i]);
            const double along = d.x * limit->axis.x + d.y * limit->axis.y + d.z * limit->axis.z;
            const double angle = 2.0 * (d.w < 0.0 ? sft_atan2(-along, -d.w) : sft_atan2(along, d.w));
            // The way it has more room to turn.
            sum = sft_v3d_madd(sum, limit->min + limit->max > 2.0 * angle ? 1.0 : -1.0, axis);
        }
        const sft_quatd r = sft_quatd_mul(parent, c->locals[i]);
        parent = c->direct ? r : sft_quatd_mul(r, c->between[i]);
    }
    return sum;
}

// Where a chain without a side of its own bends about: its hinges', def's, or one fixed in the root joint's space.
static sft_v3d given_normal(const ik_chain* c, sft_v3d chord)
{
    const sft_v3d hinges = sft_ik_across(hinge_normal(c), chord);
    if (sft_v3d_length(hinges) > 1e-3) return sft_v3d_normalize_or(hinges, hinges);
    const sft_v3d bend = sft_ik_across(c->def->bend, chord);
    if (sft_v3d_dot(bend, bend) > 1e-6 * sft_v3d_dot(c->def->bend, c->def->bend))
        return sft_v3d_normalize_or(sft_v3d_cross(bend, chord), bend);
    const sft_quatd root = sft_quatd_mul(c->above, c->source[0]);
    const sft_v3d one = sft_quatd_rotate(root, sft_v3d_any_perp(c->axes[0]));
    const sft_v3d other = sft_quatd_rotate(root, c->axes[0]);
    const sft_v3d square = sft_ik_across(one, chord);
    return sft_v3d_normalize_or(sft_v3d_dot(square, square) > 0.01 ? square : sft_ik_across(other, chord), one);
}

static sft_v3d bend_normal(const arc_problem* a, double sense)
{
    const ik_chain* c = a->c;
    const double size = c->reach * c->reach;
    const sft_v3d own = sft_v3d_scale(1.0 / size, sft_ik_across(area_of(c), a->chord));
    // Far from straight, the side that is given cannot be seen; looking for it would be wasted.
    if (sft_v3d_dot(own, own) > 1e-6 && sense > 0.0) return sft_v3d_scale(1.0 / sft_v3d_length(own), own);
    const sft_v3d given = given_normal(c, a->chord);
    const sft_v3d normal = sft_v3d_madd(sft_v3d_scale(sense, own), sense * SIDE_BLEND, given);
    const double length = sft_v3d_length(normal);
    return length > 1e-3 * SIDE_BLEND ? sft_v3d_scale(1.0 / length, normal) : given;
}

// x with sin(x) / x = r, to 0.1 %: half the turn of an arc whose chord is r of its length.
static double half_turn_of_arc(double r)
{
    const double t = sft_clampd(1.0 - r, 0.0, 1.0);
    return sqrt(6.0 * t) * (1.0 + t * (0.15 + t * (0.035 + t * 0.0975)));
}

static void turn_evenly(const arc_problem* a, sft_v3d normal, sft_v3d side, double k)
{
    ik_chain* c = a->c;
    const double step = k / c->bones, first = -0.5 * (c->bones - 1) * step;
    const double cs = sft_cos(step), sn = sft_sin(step);
    double er = sft_cos(first), ei = sft_sin(first);
    for (int32_t i = 0; i < c->bones; ++i)
    {
        const double x = sft_v3d_dot(c->dirs[i], a->chord), y = sft_v3d_dot(c->dirs[i], side);
        const double out = sft_v3d_dot(c->dirs[i], normal);
        const sft_v3d d = sft_v3d_madd(sft_v3d_scale(x * er - y * ei, a->chord), x * ei + y * er, side);
        c->dirs[i] = sft_v3d_madd(d, out, normal);
        const double next = er * cs - ei * sn;
        ei = er * sn + ei * cs;
        er = next;
    }
}

// By the curvature that would do for an arc; what an arc is not is left to leaning.
static void bend_in(const arc_problem* a, double sense)
{
    const ik_chain* c = a->c;
    const sft_v3d normal = bend_normal(a, sense), side = sft_v3d_cross(normal, a->chord);
    const double k = 2.0 * (half_turn_of_arc(a->wanted / c->reach) - half_turn_of_arc(a->is / c->reach));
    turn_evenly(a, normal, side, k);
}

// Distance along the chord when every direction leans by m, and its derivative.
static double stretched(const arc_problem* a, double m, double* slope)
{
    const ik_chain* c = a->c;
    double sum = 0.0, change = 0.0;
    for (int32_t i = 0; i < c->bones; ++i)
    {
        const double x = sft_v3d_dot(c->dirs[i], a->chord), square = sft_maxd(1.0 - x * x, 0.0), lean = x + m;
        const double length = sqrt(sft_maxd(square + lean * lean, 1e-30)), part = c->lengths[i] / length;
        sum += part * lean;
        change += part * square / (length * length);
    }
    *slope = change;
    return sum;
}

static void stretch_out(const arc_problem* a)
{
    ik_chain* c = a->c;
    const double lack = c->reach - a->wanted, lacks = sft_maxd(c->reach - a->is, 1e-12 * c->reach);
    const double close = 1e-3 * c->def->tolerance + 1e-12 * c->reach;
    // Small bends shrink as the root of what lacks to straight.
    double m = a->is / c->reach * (sqrt(lacks / lack) - 1.0);
    for (int i = 0; i < NEWTON_STEPS; ++i)
    {
        double slope;
        const double distance = stretched(a, m, &slope), left = c->reach - distance;
        if (fabs(distance - a->wanted) <= close || !(slope > 0.0) || !(left > 0.0)) break;
        // Newton on (reach - distance)^(-1/2), which grows all but linearly with m.
        m = sft_maxd(m + 2.0 * left * (sqrt(left / lack) - 1.0) / slope, 0.0);
    }
    for (int32_t i = 0; i < c->bones; ++i)
        c->dirs[i] = sft_v3d_normalize_or(sft_v3d_madd(c->dirs[i], m, a->chord), c->dirs[i]);
}

// The same the other way: between m = -2, where every bone points back, and 0 lies exactly one answer.
static void lean_back(const arc_problem* a)
{
    ik_chain* c = a->c;
    const double close = 1e-3 * c->def->tolerance + 1e-12 * c->reach;
    double lo = -2.0, hi = 0.0, m = 0.0;
    for (int i = 0; i < BACK_STEPS; ++i)
    {
        double slope;
        const double off = stretched(a, m, &slope) - a->wanted;
        if (fabs(off) <= close) break;
        if (off > 0.0)
            hi = m;
        else
            lo = m;
        const double next = m - off / sft_maxd(slope, 1e-12 * c->reach);
        m = next > lo && next < hi ? next : 0.5 * (lo + hi);
    }
    for (int32_t i = 0; i < c->bones; ++i)
        c->dirs[i] = sft_v3d_normalize_or(sft_v3d_madd(c->dirs[i], m, a->chord), c->dirs[i]);
}

static sft_v3d chord_of(const ik_chain* c)
{
    sft_v3d sum = {0.0, 0.0, 0.0};
    for (int32_t i = 0; i < c->bones; ++i)
        sum = sft_v3d_madd(sum, c->lengths[i], c->dirs[i]);
    return sum;
}

void sft_ik_chain_shape(ik_chain* c, double sense)
{
    const sft_v3d way = sft_v3d_sub(c->target, c->root);
    arc_problem a = {.c = c, .wanted = sft_v3d_length(way)};
    if (!(c->reach > 0.0)) return;
    const double tiny = 1e-9 * c->reach, most = c->reach * (1.0 - 1e-9);
    const sft_v3d u = a.wanted > tiny ? sft_v3d_scale(1.0 / a.wanted, way) : sft_v3d_make(0.0, 0.0, 0.0);
    for (int round = 0; round < ROUNDS; ++round)
    {
        sft_v3d chord = chord_of(c);
        a.is = sft_v3d_length(chord);
        const bool has_chord = a.is > tiny;
        if (!has_chord && !(a.wanted > tiny)) return;
        a.chord = has_chord ? sft_v3d_scale(1.0 / a.is, chord) : u;
        if (fabs(a.is - a.wanted) <= 0.1 * c->def->tolerance + 1e-12 * c->reach) break;
        if (a.wanted < a.is && round == 0)
            bend_in(&a, sense);
        else if (a.wanted < a.is)
            lean_back(&a);
        else if (a.wanted < most)
            stretch_out(&a);
        else
            for (int32_t i = 0; i < c->bones; ++i)
                c->dirs[i] = a.chord;
    }
    const sft_v3d chord = chord_of(c);
    const double length = sft_v3d_length(chord);
    if (!(a.wanted > tiny) || !(length > tiny)) return;
    const sft_v3d from = sft_v3d_scale(1.0 / length, chord);
    const sft_quatd swing = sft_ik_swing(from, u, sft_v3d_any_perp(from));
    for (int32_t i = 0; i < c->bones; ++i)
    {
        const sft_v3d d = sft_quatd_rotate(swing, c->dirs[i]);
        c->dirs[i] = sft_v3d_normalize_or(d, d);
    }
}
