// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// Two bones placed by a hint, with a memory of the bend's plane (docs/ik.md). The article's construction gives middle
// and end from an axis and a bend direction square to it. What is ours is where the bend direction comes from when the
// hint jumps: the frame (axis, bend) of the last call is carried to the new axis by the shortest rotation, which turns
// nothing about the limb itself, and then turns about the limb towards the hint's plane by no more than the target's
// direction moved.

#include "ik/ik_internal.h"

#define TWO_BONE_COOKIE UINT32_C(0x2b04e1c5)

// Turn about the limb, over the turn of the target's direction: while the hint is followed, and on the way back after
// it was lost. A target that circles straight through the pole turns the hint's plane over once each half circle; by
// half its speed the plane has not yet passed through a right angle when the hint turns back.
#define FOLLOW 1.0
#define RETURN 0.5

sft_ik_two_bone_def sft_default_ik_two_bone_def(void)
{
    return (sft_ik_two_bone_def){.upper = 1.0,
                                 .lower = 1.0,
                                 .epsilon = 1e-5,
                                 .direction_tolerance = 1e-3,
                                 .reference_axis = {0.0, -1.0, 0.0},
                                 .reference_bend = {0.0, 0.0, 0.0},
                                 .cookie = TWO_BONE_COOKIE};
}

static bool unit_or_zero(sft_v3d v)
{
    const double square = sft_v3d_dot(v, v);
    return fabs(square - 1.0) <= 2e-6 || square == 0.0;
}

static bool def_ok(const sft_ik_two_bone_def* def)
{
    return def->cookie == TWO_BONE_COOKIE && def->upper > 0.0 && def->upper <= SFT_HUGE && //
           def->lower > 0.0 && def->lower <= SFT_HUGE &&                                   //
           def->epsilon > 0.0 && def->epsilon <= SFT_HUGE &&                               //
           def->direction_tolerance > 0.0 && def->direction_tolerance < 1.0 &&             //
           fabs(sft_v3d_dot(def->reference_axis, def->reference_axis) - 1.0) <= 2e-6 &&
           unit_or_zero(def->reference_bend);
}

static bool remembers(const sft_ik_bend* memory)
{
    return memory != NULL && sft_v3d_dot(memory->axis, memory->axis) > 0.25;
}

static sft_v3d square_to(sft_v3d bend, sft_v3d axis)
{
    return sft_v3d_normalize_or(sft_ik_across(bend, axis), sft_v3d_any_perp(axis));
}

// The bend carried from one axis to another without turning about either. Where they are opposite (a target that went
// through the root) the bend itself stays.
static sft_v3d carried(sft_v3d bend, sft_v3d from, sft_v3d to)
{
    return square_to(sft_quatd_rotate(sft_ik_swing(from, to, square_to(bend, from)), bend), to);
}

// False where the hint says nothing: none, or along the limb.
static bool hinted(const sft_ik_two_bone_def* def, const sft_v3d* hint, sft_v3d axis, sft_v3d* bend)
{
    if (hint == NULL) return false;
    const double length = sft_v3d_length(*hint);
    if (!(length > sft_mind(def->epsilon, SFT_LENGTH_EPS))) return false;
    const sft_v3d across = sft_ik_across(sft_v3d_scale(1.0 / length, *hint), axis);
    const double left = sft_v3d_length(across);
    if (left < def->direction_tolerance) return false;
    *bend = square_to(sft_v3d_scale(1.0 / left, across), axis);
    return true;
}

// Turns `from` about the axis towards `to` (all square to it), by at most what the target's direction moved.
static sft_v3d turned_towards(sft_v3d from, sft_v3d to, sft_v3d axis, double moved)
{
    const sft_v3d side = sft_v3d_cross(axis, from);
    const double away = sft_atan2(sft_v3d_dot(to, side), sft_v3d_dot(to, from));
    if (fabs(away) <= FOLLOW * moved) return to;
    // Straight opposite, both ways are as long: the positive one, whatever rounding says.
    const double turn = away < 0.0 && away > 1e-6 - SFT_PI ? -RETURN * moved : RETURN * moved;
    return square_to(sft_v3d_madd(sft_v3d_scale(sft_cos(turn), from), sft_sin(turn), side), axis);
}

static sft_ik_bend_source find_bend(const sft_ik_two_bone_def* def, const sft_v3d* hint, const sft_ik_bend* memory,
                                    sft_v3d axis, sft_v3d* bend)
{
    sft_v3d wanted;
    const bool has_hint = hinted(def, hint, axis, &wanted);
    if (remembers(memory))
    {
        const sft_v3d last = carried(memory->bend, memory->axis, axis);
        *bend = last;
        if (!has_hint) return SFT_IK_BEND_REMEMBERED;
        const double sine = sft_v3d_length(sft_v3d_cross(memory->axis, axis));
        *bend = turned_towards(last, wanted, axis, sft_atan2(sine, sft_v3d_dot(memory->axis, axis)));
        const bool is_hint = bend->x == wanted.x && bend->y == wanted.y && bend->z == wanted.z;
        return is_hint ? SFT_IK_BEND_HINT : SFT_IK_BEND_REMEMBERED;
    }
    if (has_hint)
    {
        *bend = wanted;
        return SFT_IK_BEND_HINT;
    }
    if (sft_v3d_dot(def->reference_bend, def->reference_bend) > 0.0)
    {
        *bend = carried(square_to(def->reference_bend, def->reference_axis), def->reference_axis, axis);
        return SFT_IK_BEND_REFERENCE;
    }
    *bend = square_to(fabs(axis.x) <= fabs(axis.y) ? sft_v3d_make(1, 0, 0) : sft_v3d_make(0, 1, 0), axis);
    return SFT_IK_BEND_WORLD;
}

static sft_ik_two_bone place(const sft_ik_two_bone_def* def, sft_v3d root, sft_v3d target, const sft_v3d* hint,
                             const sft_ik_bend* memory)
{
    const double a = def->upper, b = def->lower;
    const double epsilon = sft_mind(def->epsilon, 0.5 * sft_mind(a, b));
    const sft_v3d to_target = sft_v3d_sub(target, root);
    const double wanted = sft_v3d_length(to_target);
    sft_ik_two_bone out;
    if (wanted > epsilon)
        out.axis = sft_v3d_scale(1.0 / wanted, to_target);
    else
        out.axis = remembers(memory) ? memory->axis : def->reference_axis;
    out.source = find_bend(def, hint, memory, out.axis, &out.bend);
    const double distance = sft_clampd(wanted, fabs(a - b) + epsilon, a + b - epsilon);
    // How far along the axis the middle lies: a^2 - x^2 = b^2 - (distance - x)^2, factored against cancellation.
    const double x = 0.5 * (distance + (a - b) * (a + b) / distance);
    const double y = sqrt(sft_maxd((a - x) * (a + x), 0.0));
    out.middle = sft_v3d_add(root, sft_v3d_madd(sft_v3d_scale(x, out.axis), y, out.bend));
    out.end = sft_v3d_madd(root, distance, out.axis);
    out.residual = sft_v3d_distance(out.end, target);
    out.extension = distance / (a + b);
    return out;
}

sft_result sft_ik_two_bone_place(const sft_ik_two_bone_def* def, sft_v3d root, sft_v3d target, const sft_v3d* hint,
                                 sft_ik_bend* memory, sft_ik_two_bone* out)
{
    if (def == NULL || out == NULL) return SFT_ERR_ARG;
    if (!def_ok(def)) return SFT_ERR_DEF;
    if (!sft_v3d_in_range(root) || !sft_v3d_in_range(target)) return SFT_ERR_RANGE;
    if (hint != NULL && !sft_v3d_in_range(*hint)) return SFT_ERR_RANGE;
    if (memory != NULL && (!unit_or_zero(memory->axis) || !unit_or_zero(memory->bend))) return SFT_ERR_RANGE;
    *out = place(def, root, target, hint, memory);
    if (memory != NULL) *memory = (sft_ik_bend){out->axis, out->bend};
    return SFT_OK;
}
