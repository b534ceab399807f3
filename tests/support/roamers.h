// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// Creatures known by construction: skeleton and def, all numbers by hand, facing +Z, ground at y = 0.
#ifndef SUREFOOT_SUPPORT_ROAMERS_H
#define SUREFOOT_SUPPORT_ROAMERS_H

#include "support/support.h"

#include "surefoot/creature.h"

#define ROAMER_JOINTS 64

typedef enum roamer_kind
{
    ROAMER_LIZARD = 0,  ///< four legs of two segments that sprawl, spine, neck, head, eyes, tail; 30 joints
    ROAMER_HEXAPOD = 1, ///< six legs of three segments
    ROAMER_SPIDER = 2,  ///< eight legs of three segments
    ROAMER_BIPED = 3,   ///< two legs of two segments with toes, spine, head
    ROAMER_KINDS = 4
} roamer_kind;

typedef struct roamer
{
    sft_skeleton* skeleton; ///< sft_skeleton_destroy
    sft_creature_def def;
    double length; ///< [m] of the body, for goals so many lengths away
} roamer;

/// Stops the test where memory fails.
void make_roamer(roamer_kind kind, roamer* out);
void release_roamer(roamer* made);

#endif
