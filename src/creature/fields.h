// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// The numbers of a creature: one table says how each is called in a file, where it is kept and what it may be, there
// and in a def.
#ifndef SUREFOOT_CREATURE_FIELDS_H
#define SUREFOOT_CREATURE_FIELDS_H

#include "creature/creature.h"

/// How a number is written: angles are radians in the def and degrees in the file.
typedef enum sft_creature_unit
{
    SFT_CREATURE_PLAIN = 0,
    SFT_CREATURE_DEGREES = 1,
    SFT_CREATURE_VECTOR = 2,        ///< three plain numbers
    SFT_CREATURE_VECTOR_DEGREES = 3 ///< three angles
} sft_creature_unit;

typedef struct sft_creature_field
{
    const char* key;
    size_t offset;
    sft_creature_unit unit;
    double min, max; ///< of each number, as written
} sft_creature_field;

/// A group of numbers: an object of the file, or those of an entry of a list.
typedef struct sft_creature_table
{
    const sft_creature_field* fields;
    size_t count;
} sft_creature_table;

const sft_creature_table* sft_creature_motion_table(void);
const sft_creature_table* sft_creature_swing_table(void);
const sft_creature_table* sft_creature_bob_table(void);
const sft_creature_table* sft_creature_leg_table(void);
const sft_creature_table* sft_creature_link_table(void);
const sft_creature_table* sft_creature_eye_table(void);
const sft_creature_table* sft_creature_aim_table(void);
const sft_creature_table* sft_creature_arm_table(void);
const sft_creature_table* sft_creature_tail_table(void);

/// Words of gaits ("diagonal") and sides ("left").
extern const char* const sft_creature_gait_words[SFT_GAIT_COUNT];
extern const char* const sft_creature_side_words[3];

/// An angle in degrees whose reading gives the same radians again, where there is one: the roundest of those found.
double sft_creature_degrees(double radians);
double sft_creature_radians(double degrees);

#endif
