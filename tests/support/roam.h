// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// A creature led over a ground, watched step by step.
#ifndef SUREFOOT_SUPPORT_ROAM_H
#define SUREFOOT_SUPPORT_ROAM_H

#include "support/roamers.h"

/// What was seen over all steps so far.
typedef struct roam_seen
{
    double slip;        ///< [m] most that a foot in support was off its contact, in creature lengths of 1 m
    double turned;      ///< [rad] likewise for its orientation
    double off_limit;   ///< [m] most beyond reach_max from the rest hip, creature space
    int32_t in_air;     ///< most groups in the air at once
    int32_t least_down; ///< least feet standing
    int64_t strides;    ///< ended
    double stride_sum;  ///< [m] creature space, horizontal
    double way;         ///< [m] of the body
    double jerk;        ///< [m/s] largest change of the body's velocity in a step
    double jump;        ///< [m] largest change of the body's height in a step
    double foot_off;    ///< [m] most that a foot joint of the pose was off where the creature means it, of scale 1
    double foot_turned; ///< [rad] likewise
    bool bad;           ///< a number was none
} roam_seen;

typedef struct roam
{
    roamer made;
    sft_creature* creature;
    sft_creature_state* state;
    void* memory;
    sft_ground ground;
    sft_creature_input input;
    roam_seen seen;
} roam;

/// A creature of a kind at a scale, with all gaits that fit where `all_gaits`, at a place.
void roam_begin(roamer_kind kind, double scale, bool all_gaits, sft_ground ground, sft_xformd place, roam* out);
void roam_end(roam* r);
/// So many steps, watched.
void roam_steps(roam* r, int64_t count);
/// Steps that groups of the present gait have begun: least and most of any foot.
void roam_step_counts(const roam* r, int64_t* least, int64_t* most);

#endif
