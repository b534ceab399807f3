// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// What the leg solver's files share. Model space, metres, doubles.
#ifndef SUREFOOT_LEG_SOLVE_INTERNAL_H
#define SUREFOOT_LEG_SOLVE_INTERNAL_H

#include "surefoot/leg.h"

/// Rotation about the unit axis that turns `from` to `to`, both at right angles to it and of any length; half a turn
/// about +axis where they are opposite, identity where one of them is zero.
sft_quatd sft_leg_turn_about(sft_v3d axis, sft_v3d from, sft_v3d to);

/// Shortest rotation between two directions, exactly identity where they are the same, half a turn about `axis` (unit,
/// at right angles to `from`) where they are opposite.
sft_quatd sft_leg_swing(sft_v3d from, sft_v3d to, sft_v3d axis);

/// d as it is below `limit`, above it softened towards limit + soft: continuous with its first derivative.
double sft_leg_soft_above(double d, double limit, double soft);

/// Article 000's form: d as it is below limit - soft, above it softened towards limit.
double sft_leg_soft_below(double d, double limit, double soft);

/// Where the heel lies as seen from the hip, and the axis at right angles to it that the knee bends about; unit.
typedef struct sft_leg_aim
{
    sft_v3d down, axis;
} sft_leg_aim;

/// Bends the knee until the heel is `distance` from the hip, as far as bones allow, in the direction it had.
sft_leg_aim sft_leg_bend(sft_leg_pose* pose, sft_v3d side, double distance);

/// Swings the leg by the shortest rotation so that the heel comes to lie in the direction of `target`.
void sft_leg_swing_to(sft_leg_pose* pose, sft_leg_aim aim, sft_v3d target);

/// Turns a point about `centre`.
void sft_leg_turn_point(sft_v3d* point, sft_v3d centre, sft_quatd turn);

bool sft_leg_pose_in_range(const sft_leg_pose* pose);

#endif
