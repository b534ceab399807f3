// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// Inside of the leg finder: naming the joints of one limb, and what a leg given by its joints lacks.
#ifndef SUREFOOT_LEG_FIND_H
#define SUREFOOT_LEG_FIND_H

#include "surefoot/leg.h"

#include "skeleton/limbs.h"

/// sft_leg_find of a skeleton that is one figure; arguments are not checked.
sft_result sft_leg_find_one(const sft_skeleton* skeleton, const sft_clip* clip, const sft_allocator* allocator,
                            sft_leg* legs, int32_t capacity, int32_t* count);

/// Legs of characters that hang from roots of their own, one after the other; legs has room for SFT_MAX_LEGS. *bodies:
/// characters with legs; below two the search over all roots knows better. Fails: SFT_ERR_MEMORY.
sft_result sft_leg_find_bodies(const sft_skeleton* skeleton, const sft_clip* clip, const sft_allocator* allocator,
                               sft_leg* legs, int32_t* count, int32_t* bodies);

/// What is known of a limb beside its joints.
typedef struct sft_limb_hints
{
    const double* turning; ///< how far each joint of the limb turns in the clip [rad], or null
    bool stands;           ///< it stands on the ground in limbs->position, so that heights there mean something
    double level;          ///< height over the ground of another pair's hip, and of its
    double knee_height;    ///< knee and
    double heel_height;    ///< heel: those of hind and fore legs are about level; 0 where there is none
} sft_limb_hints;

/// Chooses hip, knee, heel, toe and toe end among the joints of a limb and writes them to legs[0]; with `count` 2, of
/// two limbs of one pair, which have the same meanings in the same places where they have as many joints. False where
/// a limb has no two bones.
bool sft_leg_name_joints(const sft_limbs* limbs, const sft_limb* const* pair, int32_t count,
                         const sft_limb_hints* hints, sft_leg* legs);

/// knee_side from the bend in the clip, else in the rest pose, else from the foot, else from `facing` (model space of
/// the rest pose, may be zero). Answers what it came from, for reasons.
const char* sft_leg_find_knee_side(const sft_skeleton* skeleton, const sft_clip* clip, sft_v3d facing, sft_leg* leg);

/// heel_min, toe_min and toe_end_min over the leg's own sole, the lowest of its three points.
void sft_leg_find_minima(const sft_skeleton* skeleton, const sft_clip* clip, sft_leg* leg);

/// Model-space rest pose of one joint.
sft_xformd sft_leg_rest_model(const sft_skeleton* skeleton, int32_t joint);

#endif
