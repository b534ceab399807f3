// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// A figure and a second one of the same hierarchy with other proportions, so that moving the motion over is known
// without the library: rotations are the same, the root's travel is scaled.
#ifndef SUREFOOT_SUPPORT_RESHAPED_H
#define SUREFOOT_SUPPORT_RESHAPED_H

#include "support/walks.h"

/// Factors on the bones' lengths.
typedef struct reshape
{
    double all; ///< the whole figure
    double thigh, shin, foot, hips, arm;
} reshape;

typedef struct reshaped
{
    const walk* source;
    sft_rig source_rig, target_rig; ///< by hand: skeleton, legs, reference pose, hips, lengths, meanings
    sft_skeleton* skeleton;         ///< of the target
    sft_clip* clip;                 ///< moved over
    sft_leg legs[SFT_MAX_LEGS];
    sft_xformd *source_pose, *target_pose;
    sft_joint_meaning* meanings;
    double scale;
    double source_ground; ///< [m] Y under the soles of the source, by its plants
} reshaped;

/// `reference`: frame of the clip that stands level, -1 the rest pose.
void reshape_walk(const walk* w, const reshape* by, int32_t reference, reshaped* out);
void reshape_release(reshaped* r);

/// How the feet of the target's clip stand.
typedef struct stand
{
    double slide_mean, slide_max; ///< [cm/s] planted toes
    double off_max;  ///< [cm] height of planted soles (lowest of heel, toe, toe end) against the source's, scaled
    double sunk_max; ///< [cm] toe, heel, toe end under their sole's height, any frame
    double knee_p99, hip_p99, heel_p99;    ///< angular acceleration over the transferred clip's, 99th percentile
    double knee_p999, hip_p999, heel_p999; ///< 99.9th
    double pelvis_p99;                     ///< acceleration of the pelvis over the transferred clip's
    int32_t sunk_frame, off_frame;
} stand;

stand reshape_measure(const reshaped* r, const sft_clip* before, const sft_clip* after, sft_v3d ground_velocity);

#endif
