// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// Inside of sft_rig_find_meanings: what is known of each joint while a skeleton is read, and the steps that read it.
// Method: docs/rig.md.
#ifndef SUREFOOT_RIG_MEANING_H
#define SUREFOOT_RIG_MEANING_H

#include "surefoot/rig.h"

/// Joints looked at along trunk, arm and tail. Longer ones are snakes and ropes.
#define SFT_READ_PATH 256
#define SFT_READ_ARM 24

enum
{
    SFT_READ_LEG = 1 << 0,    ///< joint of the figure's legs, from the thigh down
    SFT_READ_ABOVE = 1 << 1,  ///< a thigh of the figure hangs below
    SFT_READ_SKIP = 1 << 2,   ///< by name no part of the body: helpers, props, hair, and all below them
    SFT_READ_END = 1 << 3,    ///< marks the end of a bone: End Site, or a leaf that is called so
    SFT_READ_NAMED = 1 << 4,  ///< meaning from the name alone
    SFT_READ_DUMMY = 1 << 6,  ///< by name a joint that only bridges a gap
    SFT_READ_INSIDE = 1 << 7, ///< below the hips
    SFT_READ_HAND = 1 << 8    ///< below the hand of side 0; << side
};

/// What is known of one joint.
typedef struct sft_read_joint
{
    uint32_t said;    ///< SFT_NAME_* of its name
    int said_side;    ///< by name: -1 left, 1 right, 0 not said; the other one in a mirrored figure
    uint32_t parts;   ///< what is believed of `said`: nothing where names are lies
    int side;         ///< what is believed of `said_side`
    int digit;        ///< by name: 0 thumb to 4 little, -1 not said
    int number;       ///< behind "finger" in its name, -1 none
    uint32_t marks;   ///< SFT_READ_*
    int32_t child;    ///< first child, -1 none
    int32_t sibling;  ///< next child of the parent
    int32_t size;     ///< joints from this one down
    int32_t main;     ///< child with the longest way down, skipped ones aside; -1 none
    double bone;      ///< length of its offset
    double below;     ///< longest way down from it, skipped joints aside
    sft_v3d position; ///< model space, in the pose that the figure is read from
    sft_v3d sum;      ///< of positions, from the joint down
} sft_read_joint;

/// A skeleton being read.
typedef struct sft_reading
{
    const sft_skeleton* skeleton;
    const sft_clip* clip; ///< null where it has no frames
    sft_allocator heap;
    sft_read_joint* joints;
    sft_xformd* pose; ///< scratch
    sft_joint_meaning* out;
    sft_leg legs[SFT_MAX_LEGS]; ///< of the figure that is read
    int32_t leg_count;
    int32_t hips;
    int32_t chest;     ///< carries arms or fore legs; -1 none
    int32_t arm[2];    ///< first joints of left and right arm below the chest; -1 none
    double leg_length; ///< of a leg of pair 0
    sft_v3d left;      ///< unit, level; zero where unknown
    sft_v3d facing;
    bool upright;     ///< two legs
    bool mirrored;    ///< the names of both legs say the other side: those of all joints do
    bool bare_ends;   ///< bones end in joints without children
    bool capped_ends; ///< bones end in joints with End Sites of no length
} sft_reading;

// words.c
/// What names say; `believed` or not.
void sft_read_names(sft_reading* r, bool believed);
/// Digit that a name's parts say, -1 none.
int sft_read_digit(uint32_t parts);

// meaning_tree.c
/// Room for all joints. Fails: SFT_ERR_MEMORY.
sft_result sft_read_open(sft_reading* r);
void sft_read_close(sft_reading* r);
/// Hierarchy and lengths, names believed or not.
void sft_read_tree(sft_reading* r, bool names);
/// The figure's legs out of those given, its sides and the pose it is read from; false without legs.
bool sft_read_figure(sft_reading* r, const sft_leg* legs, int32_t leg_count);
bool sft_read_below(const sft_reading* r, int32_t joint, int32_t ancestor);
bool sft_read_is_site(const sft_reading* r, int32_t joint);
/// An End Site, or the joint that stands for one in formats without: "Head_end" below "Head".
bool sft_read_is_cap(const sft_reading* r, int32_t child);
/// A joint without children, or with End Sites and what stands for them alone.
bool sft_read_is_leaf(const sft_reading* r, int32_t joint);
/// A leaf joint that marks an end: see SFT_READ_END, bare_ends, capped_ends.
bool sft_read_is_end(const sft_reading* r, int32_t joint);
void sft_read_set(sft_reading* r, int32_t joint, sft_part part, sft_leg_side side, int32_t pair);

// meaning_trunk.c
/// Hips, root, spine, the place of the arms, neck, head and tail.
void sft_read_trunk(sft_reading* r);

// meaning_couple.c
/// The two children of `at` that are most like arms; their score, 0 where there are none.
double sft_read_couple(const sft_reading* r, int32_t at, int32_t pair[2]);

// meaning_limbs.c
void sft_read_legs(sft_reading* r);
void sft_read_arms(sft_reading* r);

// meaning_fingers.c
void sft_read_fingers(sft_reading* r, int32_t hand, sft_leg_side side);

// meaning_names.c
/// Meanings from names alone, for joints that have none yet.
void sft_read_by_names(sft_reading* r);
/// More joints are called something else than they are than are called what they are.
bool sft_read_names_lie(const sft_reading* r);
/// Index, confidence and reason of every joint.
void sft_read_finish(sft_reading* r);

#endif
