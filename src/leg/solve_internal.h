// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// What the leg solver's files share. Model space, metres, doubles.
#ifndef SUREFOOT_LEG_SOLVE_INTERNAL_H
#define SUREFOOT_LEG_SOLVE_INTERNAL_H

#include "surefoot/leg.h"

/// Rotation about the unit axis that turns `from` to `to`, both at right angles to it and of any length; half a turn
/// about +axis where they are opposite, identity where one of them is zero.
sft_quatd sft_leg_turn_about(sft_v3d axis, sft_v3d from, sft_v3d to);

/// Shortest rotation between two directions, exactly identity where they are the same or one is zero. False, with
/// identity, where they are opposite and the axis is the caller's choice.
bool sft_leg_swing(sft_v3d from, sft_v3d to, sft_quatd* turn);

/// d as it is below `limit`, above it softened towards limit + soft: continuous with its first derivative.
double sft_leg_soft_above(double d, double limit, double soft);

/// Article 000's form: d as it is below limit - soft, above it softened towards limit.
double sft_leg_soft_below(double d, double limit, double soft);

/// What brings the heel to a distance from the hip without changing its direction as seen from there.
typedef struct sft_leg_bend
{
    sft_v3d down, axis; ///< unit: from hip to heel, and the axis at right angles to it that the knee bends about
    sft_quatd hip;      ///< turn of thigh and all below
    sft_quatd knee;     ///< turn of the shin before that
} sft_leg_bend;

/// Sine of half of 15 degrees: a knee that is bent further back in a single pose is meant to bend so.
#define SFT_LEG_MOST_BACKWARD 0.13052619222005159

/// The bend that brings the heel to `distance` from the hip, as far as bones allow. A knee whose bend backwards has a
/// half of at most this sine comes forwards when the leg gets shorter.
sft_leg_bend sft_leg_bend_to(const sft_leg_pose* pose, sft_v3d side, double distance, double most_backward);

/// sft_leg_solve for who knows more of the leg than one pose: of a knee that bends forwards in the rest of a clip, more
/// is loose capture than SFT_LEG_MOST_BACKWARD.
sft_result sft_leg_solve_loose(const sft_leg_solve_def* def, const sft_leg* leg, sft_v3d target, double most_backward,
                               sft_leg_pose* pose, sft_leg_report* report);

/// The distance [m] from hip to heel after the bend.
double sft_leg_reach(const sft_leg_pose* pose, const sft_leg_bend* bend);

/// Bends the leg and swings it by the shortest rotation, so that the heel lies in the direction of `target`. The foot
/// rides with the shin, or is left behind (heel rotation, toe and toe end as they were) for the caller to place.
void sft_leg_place(sft_leg_pose* pose, const sft_leg_bend* bend, sft_v3d target, bool foot_rides);

/// Turns a point about `centre`.
void sft_leg_turn_point(sft_v3d* point, sft_v3d centre, sft_quatd turn);

/// Whether a def came from its default and its fields are in range.
bool sft_leg_def_ok(const sft_leg_solve_def* def);

bool sft_leg_pose_in_range(const sft_leg_pose* pose);

#endif
