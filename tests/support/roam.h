// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// A creature led over a ground, watched step by step by the joints of its pose. Which feet are in the air, where they
// come down and how often is read off their joints alone; of what the creature says of itself only which feet it takes
// to stand is asked, for those have to be where they came down.
#ifndef SUREFOOT_SUPPORT_ROAM_H
#define SUREFOOT_SUPPORT_ROAM_H

#include "support/roamers.h"

/// What was seen over all steps so far.
typedef struct roam_seen
{
    double slip;        ///< [m] most that a foot joint in support was off where it came down, of scale 1
    double turned;      ///< [rad] likewise for its orientation
    int32_t in_air;     ///< most groups with a foot joint that moves
    int32_t least_down; ///< least foot joints that do not
    int64_t strides;    ///< ended
    double stride_sum;  ///< [m] from where foot joints were at rest to where they are again, scale 1, horizontal
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
    // Of foot joints, one a leg.
    sft_xformd before[SFT_MAX_LEGS]; ///< in the last step
    sft_xformd down[SFT_MAX_LEGS];   ///< where it was first in support
    sft_xformd rests[SFT_MAX_LEGS];  ///< where it last rested
    bool moves[SFT_MAX_LEGS], supports[SFT_MAX_LEGS];
    int64_t steps[SFT_MAX_LEGS]; ///< times that it began to move
} roam;

/// A creature of a kind at a scale, with all gaits that fit where `all_gaits`, at a place.
void roam_begin(roamer_kind kind, double scale, bool all_gaits, sft_ground ground, sft_xformd place, roam* out);
void roam_end(roam* r);
/// So many steps, watched.
void roam_steps(roam* r, int64_t count);
/// Steps that foot joints have begun: least and most of any.
void roam_step_counts(const roam* r, int64_t* least, int64_t* most);

#endif
