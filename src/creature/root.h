// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

/// @file root.h
/// What a goal asks of the body, between goal.c and root.c.
#ifndef SUREFOOT_SRC_CREATURE_ROOT_H
#define SUREFOOT_SRC_CREATURE_ROOT_H

#include "creature/creature.h"

/// World space, horizontal.
typedef struct sft_creature_wish
{
    sft_v3d velocity; ///< [m/s]
    sft_v3d later;    ///< [m/s] that it will want after a step's time, where that is known: less before a stop
    double turn;      ///< [rad/s]
    sft_v3d ahead;    ///< unit: where it faces
    bool steered;     ///< it goes where it faces, so its velocity turns with it
} sft_creature_wish;

/// Pure but for what a goal has started and not ended (goal.c).
void sft_creature_want(const sft_creature* creature, const sft_creature_input* input, sft_creature_state* state,
                       sft_creature_wish* out);

#endif
