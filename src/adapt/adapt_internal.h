// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// What run time and whole clips of foot IK share.
#ifndef SUREFOOT_ADAPT_INTERNAL_H
#define SUREFOOT_ADAPT_INTERNAL_H

#include "surefoot/adapt.h"

/// Every field within its range, and the cookie right.
bool sft_adapt_def_ok(const sft_adapt_def* def);

/// Coordinates within SFT_HUGE and rotations of unit length.
bool sft_adapt_pose_ok(const sft_leg* leg, const sft_leg_pose* pose);

/// Thigh, shin and foot [m]: what fractions of "leg lengths" are taken of.
double sft_adapt_leg_length(const sft_leg_pose* pose);

#define AD_SOLE_STEEP 0.8 // rise of a foot from toe to heel, as a share of its length

/// Whether the heel is part of the sole. Where the foot stands steeper than 53 degrees in the rest pose (hocks, the
/// last bone of a spider's leg), it is not: its rest height is no distance to a sole, and what lies below it bears
/// nothing.
bool sft_adapt_heel_bears(const sft_leg* leg, double heel_to_toe);

/// Whether a hit of a user's own query can be believed: numbers within SFT_HUGE, a normal of unit length. What cannot
/// is no ground.
bool sft_adapt_hit_ok(const sft_ground_hit* hit);

/// Unit and level: where the foot points.
sft_v3d sft_adapt_forward(const sft_leg* leg, const sft_leg_pose* pose);

#endif
