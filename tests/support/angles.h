// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// Angles as the C library has them, to check ours against.
#ifndef SUREFOOT_SUPPORT_ANGLES_H
#define SUREFOOT_SUPPORT_ANGLES_H

#include <math.h>

#include "surefoot/math.h"

/// [rad] between two directions of any length.
static inline double angle_of(sft_v3d a, sft_v3d b)
{
    return atan2(sft_v3d_length(sft_v3d_cross(a, b)), sft_v3d_dot(a, b));
}

/// [rad] from one rotation to another, the shorter way.
static inline double angle_between(sft_quatd a, sft_quatd b)
{
    return sft_v3d_length(sft_quatd_log(sft_quatd_mul(sft_quatd_conjugate(a), b)));
}

#endif
