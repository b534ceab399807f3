// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// What the files of the lock share: weights of the cubic, turns that inertialise, velocity from differences.
#ifndef SUREFOOT_LOCK_INTERNAL_H
#define SUREFOOT_LOCK_INTERNAL_H

#include "surefoot/lock.h"

/// Steps shorter than this [s] are gathered until together they are longer: a position in float resolves a micron, so
/// differences over less are noise.
#define LOCK_MIN_STEP 1e-4

/// Offset and velocity of a crossing as rotation vectors, applied from the left to a rotation that itself turns.
typedef struct lock_turn
{
    sft_quatd rotation;
    sft_v3d spin; ///< [rad/s] world
} lock_turn;

/// Takes in the mean velocity over the last `step` seconds and gives the velocity at its end (docs/lock.md).
sft_v3d sft_lock_trace_add(sft_lock_trace* trace, sft_v3d chord, double step);

/// What is shown of a turn that goes to `base`, `time` after the crossing began.
lock_turn sft_lock_turn_at(sft_v3d offset, sft_v3d offset_rate, double time, double blend_time, lock_turn base);
/// The rotation vector from `base` to `shown`, and its rate of change.
void sft_lock_turn_between(lock_turn shown, lock_turn base, sft_v3d* offset, sft_v3d* offset_rate);

#endif
