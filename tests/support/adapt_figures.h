// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// What is asked of a clip that was put onto a ground, measured from joints and closed-form heights alone.
#ifndef SUREFOOT_SUPPORT_ADAPT_FIGURES_H
#define SUREFOOT_SUPPORT_ADAPT_FIGURES_H

#include "support/grounds.h"
#include "support/walks.h"

typedef struct adapt_figures
{
    double support_cm; ///< planted: the lowest of heel, toe and toe end off the ground, at most, either way
    int32_t support_frame;
    double float_cm; ///< of that, above the ground
    double sunk_cm;  ///< any frame: deepest of heel, toe and toe end
    int32_t sunk_frame, sunk_leg;
    double tilt_degrees; ///< planted: the sole's up against the ground's, changed from what it was to the vertical
    int32_t tilt_frame;
    double straightest; ///< hip to heel over the chain, at most
    double source_straightest;
    double jerk;       ///< rms of third differences of the pelvis, over the source's
    double slide_cm_s; ///< planted toe, fastest
    double knee_pop;   ///< largest second difference of knee angles [degrees a frame^2] over the source's largest
    double toe_accel;  ///< largest second difference of toes over the source's largest
    int32_t skipped;   ///< planted frames that have no ground
} adapt_figures;

/// Source and output of one clip. Frames are the clip's own.
adapt_figures adapt_measure(const walk* w, const sft_clip* out, const support_ground* ground);

#endif
