// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// Inside of the leg finder: naming the joints of one limb, and what a leg given by its joints lacks.
#ifndef SUREFOOT_LEG_FIND_H
#define SUREFOOT_LEG_FIND_H

#include "surefoot/leg.h"

#include "skeleton/limbs.h"

/// Chooses hip, knee, heel, toe and toe end among the joints of a limb and writes them to *leg. `turning` has for each
/// joint of the limb how far it turns in the clip [rad], or is null. False where the limb has no two bones.
bool sft_leg_name_joints(const sft_limbs* limbs, const sft_limb* limb, const double* turning, sft_leg* leg);

/// knee_side from the bend in the clip, else in the rest pose, else from the foot, else from `facing` (model space of
/// the rest pose, may be zero). Answers what it came from, for reasons.
const char* sft_leg_find_knee_side(const sft_skeleton* skeleton, const sft_clip* clip, sft_v3d facing, sft_leg* leg);

/// heel_min, toe_min and toe_end_min over the leg's own sole, the lowest of its three points.
void sft_leg_find_minima(const sft_skeleton* skeleton, const sft_clip* clip, sft_leg* leg);

/// Model-space rest pose of one joint.
sft_xformd sft_leg_rest_model(const sft_skeleton* skeleton, int32_t joint);

#endif
