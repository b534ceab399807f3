// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// Crowds of seeded legs and feet for tests: all arrays that the calls of crowd.h read and write.
#ifndef SUREFOOT_CROWD_LEGS_H
#define SUREFOOT_CROWD_LEGS_H

#include "surefoot/surefoot.h"

/// What is drawn.
typedef enum crowd_kind
{
    CROWD_WALKING, ///< bent legs, targets within some centimetres
    CROWD_WILD,    ///< any pose, any target within some metres
    CROWD_SPECIAL, ///< straight, folded, zero-length, opposite, on the hip, tiny, huge, -0.0, denormal
    CROWD_HOSTILE  ///< CROWD_SPECIAL with NaN, infinities and absurd values in one leg of five
} crowd_kind;

/// Number of float arrays below.
#define CROWD_ROWS 112

typedef struct crowd
{
    int32_t count;
    float* block;  ///< owned
    float* values; ///< all rows, in it
    size_t stride; ///< from row to row
    int32_t rows;  ///< taken
    sft_two_bone_arrays bones;
    sft_crowd_legs legs;
    sft_crowd_feet feet;
    sft_crowd_lock_block* states; ///< owned
    uint32_t* flags;              ///< owned
} crowd;

/// In [lo, hi).
double crowd_draw(uint64_t* state, double lo, double hi);

/// Room for `count` legs; rows begin `offset` floats behind an address aligned to 64 bytes. Ends the test on
/// exhaustion.
crowd crowd_create(int32_t count, int32_t offset);
void crowd_release(crowd* c);
/// Draws inputs; outputs and states are zeroed.
void crowd_fill(crowd* c, crowd_kind kind, uint64_t seed);
/// Copies inputs of `count` legs of `from`, from leg `first` on.
void crowd_copy(crowd* c, const crowd* from, int32_t first, int32_t count);
/// Hash over all outputs, flags and states of legs first to first + count, each by itself.
uint64_t crowd_hash(const crowd* c, int32_t first, int32_t count);
/// Has outputs land in the arrays of the inputs.
void crowd_work_in_place(crowd* c);

sft_v3d crowd_v3(sft_v3_array a, int32_t i);
sft_quatd crowd_quat(sft_quat_array a, int32_t i);
/// The same leg for sft_leg_solve; *target for the toe.
sft_leg_pose crowd_pose_of(const crowd* c, int32_t i, sft_leg* leg, sft_v3d* target);

#endif
