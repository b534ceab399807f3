// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// Walks for rigs of any number of legs, made by solving each leg towards a footfall that is known.
#ifndef SUREFOOT_SUPPORT_GAIT_H
#define SUREFOOT_SUPPORT_GAIT_H

#include "support/rigs.h"

typedef struct gait_def
{
    int frames;
    double fps;
    double stride_time; ///< [s] of one cycle
    double stride;      ///< travel of one cycle over the mean leg's length
    double duty;        ///< share of the cycle that a foot stands
    double root_scale;  ///< scales the root's travel, so that feet slide
    bool in_place;      ///< the root stays
    bool eased;         ///< in place: feet go back fast amid a stance and slow at its ends, as keyed by hand
} gait_def;

gait_def gait_default(void);

typedef struct gait
{
    rig r;
    sft_skeleton* skeleton;
    sft_clip* clip;
    sft_leg legs[16];
    int32_t leg_count;
    double speed;               ///< [m/s] that the feet support
    sft_contact_labels* labels; ///< true plants (and touches): foot after foot
} gait;

/// The creature of that title, walking. With `rng` its joints have axes at random.
void gait_create(const gait_def* def, const char* title, support_rng* rng, gait* out);
void gait_release(gait* g);

#endif
