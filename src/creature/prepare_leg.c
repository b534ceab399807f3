// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// A leg taken apart into triangles, once, so that leg.c poses it in closed form. Two segments are one triangle: hip,
// knee, foot. More are triangles whose sides are chords of other triangles: coxa and femur bend like one long bone
// whose length changes a little.
//
// What lengths those chords have at each reach is a family of shapes in squares. Let c be the leg's chord, c1 its
// length at rest, L straight, and a a side's chord. From rest to straight a^2 grows in proportion to c^2. For a
// triangle with sides a and b both conditions, (a + b)^2 >= c^2 and c^2 >= (a - b)^2, are concave in (a^2, b^2, c^2),
// because a b is the geometric mean of a^2 and b^2; so what two shapes allow, all shapes on the line between them
// allow. Straight and rest are allowed, hence all between. From rest to the shortest reach a quadratic Bezier goes on
// with the same slope to a folded shape that is looked for here: allowed, because it stays in the hull of its three
// points.

#include "creature/creature.h"

// A leg whose knee stands less than this part of its length off its line is straight: bends are then as def says.
#define STRAIGHT 1e-4
// The same where the def says how it bends: so little a lean the other way is no knee.
#define STRAIGHT_SAID 0.03

// Nearer to a leg folded flat than this part of it, its angles change too fast.
#define CLOSEST 1e-3

typedef struct leg_shape
{
    int32_t segments;
    sft_v3d at[SFT_CREATURE_LEG_JOINTS]; // facing space, rest
    double lengths[SFT_CREATURE_LEG_JOINTS - 1];
    double length, reach;
    sft_quatd own[SFT_CREATURE_LEG_JOINTS - 2]; // rest frame of each triangle, from its own joints
    int32_t from[SFT_CREATURE_LEG_JOINTS - 2], to[SFT_CREATURE_LEG_JOINTS - 2];      // joints it spans
    double longest[SFT_CREATURE_LEG_JOINTS - 2], least[SFT_CREATURE_LEG_JOINTS - 2]; // [m] of its chord
} leg_shape;

typedef double leg_chords[SFT_CREATURE_LEG_JOINTS - 2];

static sft_v3d off_line(sft_v3d p, sft_v3d from, sft_v3d along)
{
    sft_v3d v = sft_v3d_sub(p, from);
    return sft_v3d_madd(v, -sft_v3d_dot(v, along), along);
}

// x along `along`, y as near to `lean` as that allows.
static sft_quatd frame_of(sft_v3d along, sft_v3d lean)
{
    sft_v3d across = sft_v3d_madd(lean, -sft_v3d_dot(lean, along), along);
    sft_v3d y = sft_v3d_normalize_or(across, sft_v3d_any_perp(along));
    sft_quatd q = sft_quatd_between(sft_v3d_make(1, 0, 0), along);
    sft_v3d is = sft_quatd_rotate(q, sft_v3d_make(0, 1, 0));
    double angle = sft_atan2(sft_v3d_dot(sft_v3d_cross(is, y), along), sft_v3d_dot(is, y));
    return sft_quatd_normalize(sft_quatd_mul(sft_quatd_exp(sft_v3d_scale(angle, along)), q));
}

static double sum(const double* lengths, int32_t from, int32_t to)
{
    double s = 0;
    for (int32_t k = from; k < to; ++k)
        s += lengths[k];
    return s;
}

// The joint between two that stands farthest off their line; where none stands off, the one nearest to the middle.
static int32_t find_knee(const leg_shape* s, int32_t from, int32_t to, sft_v3d along, double* height)
{
    int32_t best = from + 1;
    *height = 0;
    for (int32_t k = from + 1; k < to; ++k)
    {
        double h = sft_v3d_length(off_line(s->at[k], s->at[from], along));
        if (h <= *height) continue;
        *height = h;
        best = k;
    }
    if (*height > STRAIGHT * sum(s->lengths, from, to)) return best;
    for (int32_t k = from + 1; k < to; ++k)
    {
        double here = fabs(sum(s->lengths, from, k) - sum(s->lengths, k, to));
        if (here < fabs(sum(s->lengths, from, best) - sum(s->lengths, best, to))) best = k;
    }
    return best;
}

// Takes the joints from..to apart into triangles, the outermost first; answers its index. `lean`: side it bends to
// where its own joints do not say.
static int32_t build(leg_shape* s, sft_creature_limb* limb, int32_t from, int32_t to, sft_v3d lean, double straight)
{
    int32_t node = limb->fold_count++;
    sft_creature_fold* f = &limb->folds[node];
    sft_v3d along = sft_v3d_normalize_or(sft_v3d_sub(s->at[to], s->at[from]), sft_v3d_make(0, -1, 0));
    double height;
    int32_t knee = find_knee(s, from, to, along, &height);
    if (height > straight * sum(s->lengths, from, to)) lean = off_line(s->at[knee], s->at[from], along);
    s->own[node] = frame_of(along, lean);
    s->from[node] = from;
    s->to[node] = to;
    double chord = sft_v3d_distance(s->at[from], s->at[to]), total = sum(s->lengths, from, to), most = 0;
    for (int32_t k = from; k < to; ++k)
        most = sft_maxd(most, s->lengths[k]);
    s->longest[node] = total;
    s->least[node] = sft_maxd(2 * most - total, 0);
    f->rest = chord * chord;
    for (int32_t side = 0; side < 2; ++side)
    {
        int32_t a = side == 0 ? from : knee, b = side == 0 ? knee : to;
        f->twist[side] = sft_quatd_identity();
        f->lengths[side] = s->lengths[a];
        f->sides[side] = b - a == 1 ? -1 - a : build(s, limb, a, b, lean, STRAIGHT);
    }
    return node;
}

static double side_length(const sft_creature_fold* f, int32_t side, const double* chords)
{
    return f->sides[side] < 0 ? f->lengths[side] : chords[f->sides[side]];
}

static bool is_allowed(const sft_creature_limb* limb, const double* chords, double margin)
{
    for (int32_t i = 0; i < limb->fold_count; ++i)
    {
        const sft_creature_fold* f = &limb->folds[i];
        double a = side_length(f, 0, chords), b = side_length(f, 1, chords), c = chords[i];
        if (!(fabs(a - b) <= c * (1 - margin) && c <= (a + b) * (1 + 1e-12))) return false;
    }
    return true;
}

// Chords of a shape folded to chords[0]: each as the line says where it can, else as near as its triangle allows.
static bool fold_to(const leg_shape* s, const sft_creature_limb* limb, double* chords, double margin)
{
    for (int32_t i = 0; i < limb->fold_count; ++i)
    {
        const sft_creature_fold* f = &limb->folds[i];
        double c = chords[i] * (1 - margin);
        for (int32_t pass = 0; pass < 3; ++pass) // the second side may move what the first can not
            for (int32_t side = 0; side < 2; ++side)
            {
                int32_t n = f->sides[side];
                if (n < 0) continue;
                double least = s->least[n] + margin * (s->longest[n] - s->least[n]);
                double square =
                    limb->folds[n].rest + limb->folds[n].slope * (chords[0] * chords[0] - s->reach * s->reach);
                double wanted = pass > 0 ? chords[n] : sqrt(sft_maxd(square, 0));
                if (pass > 0 || side > 0 || f->sides[1] < 0)
                {
                    double other = side_length(f, 1 - side, chords);
                    wanted = sft_clampd(wanted, sft_maxd(other - c, chords[i] - other), other + c);
                }
                chords[n] = sft_clampd(wanted, least, s->longest[n]);
            }
    }
    return is_allowed(limb, chords, 0);
}

// Slopes towards straight, the folded shape at the shortest reach, and the Bezier between it and rest.
static void find_family(const leg_shape* s, sft_creature_limb* limb, double reach_min)
{
    double c1 = s->reach * s->reach, room = s->length * s->length - c1;
    for (int32_t i = 0; i < limb->fold_count; ++i)
    {
        sft_creature_fold* f = &limb->folds[i];
        double most = s->longest[i] * s->longest[i];
        bool bent = room > 1e-13 * s->length * s->length;
        if (!bent) f->rest = most;
        f->slope = bent ? (most - f->rest) / room : 0;
        f->control = f->fold = f->rest;
    }
    double low = sft_mind(reach_min, s->reach), step = 0;
    leg_chords chords = {0};
    for (int32_t round = 0; round < 64; ++round, step += 1.0 / 64)
    {
        double margin = round % 2 == 0 ? 0.02 : 1e-6;
        chords[0] = low + (s->reach - low) * step;
        if (fold_to(s, limb, chords, margin)) break;
    }
    if (!is_allowed(limb, chords, 0) || !(c1 - chords[0] * chords[0] > 1e-9 * s->length * s->length))
    {
        limb->fold_reach = s->reach; // nothing to fold: what is nearer keeps the shape of rest
        limb->fold_part = 0.5;
        return;
    }
    limb->fold_reach = chords[0];
    limb->fold_part = 0.5;
    double way = c1 - chords[0] * chords[0];
    for (int32_t i = 1; i < limb->fold_count; ++i)
        limb->folds[i].fold = chords[i] * chords[i];
    for (int32_t halving = 0; halving < 40; ++halving, limb->fold_part *= 0.5)
    {
        leg_chords there;
        there[0] = sqrt(c1 - limb->fold_part * way);
        for (int32_t i = 1; i < limb->fold_count; ++i)
        {
            sft_creature_fold* f = &limb->folds[i];
            f->control = f->rest - f->slope * limb->fold_part * way;
            there[i] = sqrt(sft_maxd(f->control, 0));
        }
        if (is_allowed(limb, there, 1e-9)) return;
    }
    for (int32_t i = 1; i < limb->fold_count; ++i)
        limb->folds[i].control = limb->folds[i].rest;
}

// What lies between a triangle's frame as its parent places it and its own joints' plane, and between segments' frames
// and joints: taken from the rest pose as leg.c makes it, so that it comes out as it went in.
static void fit_joints(const sft_creature* creature, const sft_creature_leg* leg, const leg_shape* s,
                       sft_creature_limb* limb)
{
    sft_quatd frames[SFT_CREATURE_LEG_JOINTS - 1];
    sft_quatd folds[SFT_CREATURE_LEG_JOINTS - 2];
    folds[0] = s->own[0];
    double chords[SFT_CREATURE_LEG_JOINTS - 2];
    sft_creature_fold_chords(limb, s->reach, chords);
    for (int32_t i = 0; i < limb->fold_count; ++i)
    {
        sft_creature_fold* f = &limb->folds[i];
        sft_quatd sides[2];
        sft_creature_place_sides(f, chords, chords[i], folds[i], sides);
        for (int32_t side = 0; side < 2; ++side)
        {
            int32_t n = f->sides[side];
            if (n < 0)
            {
                frames[-1 - n] = sides[side];
                continue;
            }
            sft_quatd twist = sft_quatd_mul(sft_quatd_conjugate(sides[side]), s->own[n]);
            f->twist[side] = sft_quatd_normalize((sft_quatd){twist.x, 0, 0, twist.w});
            folds[n] = sft_quatd_mul(sides[side], f->twist[side]);
        }
    }
    sft_quatd to_facing = sft_quatd_conjugate(creature->facing);
    const int32_t* parents = creature->skeleton->parents;
    sft_quatd before = limb->in_carrier;
    for (int32_t k = 0; k < s->segments; ++k)
    {
        sft_quatd own = sft_quatd_mul(to_facing, creature->rest[leg->joints[k]].r);
        sft_v3d is = sft_quatd_unrotate(frames[k], sft_v3d_sub(s->at[k + 1], s->at[k]));
        // Nothing for a leg with a knee; a straight one's segments lie a little off the plane that is said.
        sft_quatd fit = sft_quatd_between(is, sft_v3d_make(1, 0, 0));
        sft_quatd after = sft_quatd_normalize(sft_quatd_mul(fit, sft_quatd_mul(sft_quatd_conjugate(frames[k]), own)));
        limb->axes[k] = sft_creature_make_axes(before, after);
        sft_quatd rides = sft_quatd_mul(sft_quatd_conjugate(creature->rest[leg->joints[k]].r),
                                        creature->rest[parents[leg->joints[k + 1]]].r);
        before = sft_quatd_normalize(sft_quatd_conjugate(sft_quatd_mul(after, rides)));
    }
    limb->foot = before;
}

// Where the knee leans at rest, facing space; zero where neither def nor joints say.
static sft_v3d rest_lean(const sft_creature* creature, const sft_creature_leg* leg, const leg_shape* s, sft_v3d along)
{
    sft_v3d said = sft_quatd_unrotate(creature->facing, leg->bend);
    sft_v3d across = sft_v3d_madd(said, -sft_v3d_dot(said, along), along);
    if (sft_v3d_length(across) > 1e-3 * sft_v3d_length(said)) return across;
    double height;
    int32_t knee = find_knee(s, 0, s->segments, along, &height);
    if (height > STRAIGHT * s->length) return off_line(s->at[knee], s->at[0], along);
    // A straight leg with nothing said: knees go ahead; a leg that itself points ahead bends upwards.
    sft_v3d ahead = fabs(along.z) < 0.9 ? sft_v3d_make(0, 0, 1) : sft_v3d_make(0, 1, 0);
    return sft_v3d_madd(ahead, -sft_v3d_dot(ahead, along), along);
}

// Folded as far as the family of shapes goes, the outermost triangle alone folds on.
static void find_closest(sft_creature_limb* limb)
{
    leg_chords chords = {0};
    sft_creature_fold_chords(limb, limb->fold_reach, chords);
    const sft_creature_fold* f = &limb->folds[0];
    const double a = side_length(f, 0, chords), b = side_length(f, 1, chords);
    limb->closest = fabs(a - b) + CLOSEST * (a + b);
}

sft_result sft_creature_prepare_leg(sft_creature* creature, int32_t index, sft_error* error)
{
    sft_creature_leg* leg = &creature->def.legs[index];
    sft_creature_limb* limb = &creature->limbs[index];
    leg_shape s = {.segments = leg->joint_count - 1};
    for (int32_t k = 0; k < leg->joint_count; ++k)
        s.at[k] = sft_quatd_unrotate(creature->facing, creature->rest[leg->joints[k]].t);
    for (int32_t k = 0; k < s.segments; ++k)
    {
        s.lengths[k] = limb->lengths[k] = sft_v3d_distance(s.at[k], s.at[k + 1]);
        s.length += s.lengths[k];
        if (s.lengths[k] > SFT_LENGTH_EPS) continue;
        return sft_core_fail(error, SFT_ERR_DEF, 0, 0, creature->skeleton->names[leg->joints[k]],
                             "creature: leg %d: joint and the next one below it in the leg coincide; leave one out",
                             (int)index);
    }
    s.reach = sft_v3d_distance(s.at[0], s.at[s.segments]);
    limb->length = s.length;
    limb->rest_reach = s.reach;
    limb->hip = creature->rest[leg->joints[0]].t;
    limb->home_rotation = creature->rest[leg->joints[s.segments]].r;
    limb->carrier = creature->skeleton->parents[leg->joints[0]];

    sft_v3d along = sft_v3d_normalize_or(sft_v3d_sub(s.at[s.segments], s.at[0]), sft_v3d_make(0, -1, 0));
    sft_v3d lean = rest_lean(creature, leg, &s, along);
    limb->frame = frame_of(along, lean);
    sft_quatd carrier = limb->carrier < 0 ? sft_quatd_identity() : creature->rest[limb->carrier].r;
    limb->in_carrier =
        sft_quatd_normalize(sft_quatd_mul(sft_quatd_conjugate(carrier), sft_quatd_mul(creature->facing, limb->frame)));
    limb->bend = sft_quatd_rotate(limb->in_carrier, sft_v3d_make(0, 1, 0));
    limb->fold_count = 0;
    bool said = sft_v3d_length(leg->bend) > 0;
    build(&s, limb, 0, s.segments, lean, said ? STRAIGHT_SAID : STRAIGHT);
    // No knee folds a leg to less than what its longest segment sticks out over the others.
    leg->reach_min = sft_maxd(leg->reach_min, s.least[0] + 1e-6 * s.length);
    find_family(&s, limb, leg->reach_min);
    leg->reach_min = sft_maxd(leg->reach_min, sft_mind(limb->fold_reach, s.reach));
    find_closest(limb);
    fit_joints(creature, leg, &s, limb);
    if (!(leg->reach_max < s.length))
        return sft_core_fail(error, SFT_ERR_RANGE, 0, 0, creature->skeleton->names[leg->joints[s.segments]],
                             "creature: leg %d: reach_max must be less than %g m, the length of its segments",
                             (int)index, s.length);
    if (leg->reach_min < leg->reach_max) return SFT_OK;
    return sft_core_fail(error, SFT_ERR_RANGE, 0, 0, creature->skeleton->names[leg->joints[s.segments]],
                         "creature: leg %d: reach_max must be more than %g m, to which its segments can fold",
                         (int)index, leg->reach_min);
}
