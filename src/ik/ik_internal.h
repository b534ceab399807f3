// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// What the files of the IK family share. Model space, metres, doubles.
#ifndef SUREFOOT_IK_INTERNAL_H
#define SUREFOOT_IK_INTERNAL_H

#include "surefoot/ik.h"

/// Shortest rotation between two unit directions, to the last bit also near opposite ones; about `fallback` (unit, at
/// right angles to `from`) by half a turn where they are opposite. Exactly identity where they are the same.
sft_quatd sft_ik_swing(sft_v3d from, sft_v3d to, sft_v3d fallback);

/// Angle [rad] between two rotations, accurate for small ones.
double sft_ik_angle(sft_quatd a, sft_quatd b);

/// v without its part along the unit vector axis.
sft_v3d sft_ik_across(sft_v3d v, sft_v3d axis);

/// True where q is finite and of unit length within 1e-3.
bool sft_ik_unit_quat(sft_quatd q);

#endif
