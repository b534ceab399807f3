// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// Limbs of a skeleton and the evidence that they are legs: shared by the leg finder and by the search for unit and up
// axis, which must look for legs before they know where up is. Method and figures: docs/legs.md.
#ifndef SUREFOOT_SKELETON_LIMBS_H
#define SUREFOOT_SKELETON_LIMBS_H

#include "surefoot/skeleton.h"

/// Candidates kept. More limbs than this that end low are a centipede or a carpet.
#define SFT_LIMBS_MAX 96
/// Joints followed down one limb. Longer chains are ropes, tails and snakes.
#define SFT_LIMB_JOINTS_MAX 48
/// Couples of limbs that are weighed.
#define SFT_LIMB_COUPLES_MAX 2048

/// A chain that leaves the trunk: from its first joint along the longest way down to a leaf.
typedef struct sft_limb
{
    int32_t first;  ///< topmost joint of the chain
    int32_t girdle; ///< its parent; -1 where the chain starts at a root
    int32_t count;  ///< joints in it
    int32_t joints[SFT_LIMB_JOINTS_MAX];
    double length; ///< from first to the tip along the bones
    int side;      ///< by name: -1 left, 1 right, 0 not said
    double name;   ///< from -1 (named as something else) to 1 (named as a leg)
} sft_limb;

/// Frames as plain arrays, [frame * joint_count + joint], so that this layer need not know clips.
typedef struct sft_motion_view
{
    int32_t frame_count;
    const sft_v3d* translations;
    const sft_quatd* rotations;
} sft_motion_view;

/// How much each limb stands like a leg, in [0, 1]: in the rest pose, and in the mean of sampled frames.
typedef struct sft_limb_stand
{
    double rest[SFT_LIMBS_MAX];
    double motion[SFT_LIMBS_MAX];
} sft_limb_stand;

/// Two limbs that mirror each other, or one alone (b = -1).
typedef struct sft_limb_pair
{
    int32_t a, b;   ///< indices of limbs
    int32_t common; ///< joint that both hang from
    double rest, motion, name;
    double score;
} sft_limb_pair;

/// Two limbs that could mirror each other, and how unlikely that is.
typedef struct sft_limb_couple
{
    int32_t a, b, common;
    double cost;
} sft_limb_couple;

/// Topology shared by all questions about one skeleton. Arrays have joint_count entries.
typedef struct sft_limbs
{
    const sft_skeleton* skeleton;
    sft_allocator allocator;
    int32_t* depth;            ///< 0 at roots
    int32_t* main_child;       ///< child with the longest way down, -1 at leaves
    int32_t* start;            ///< first joint of the chain the joint belongs to
    double* bone;              ///< length of the joint's offset, 0 where it is no bone but transport
    double* below;             ///< longest way down from the joint to a leaf
    double* along;             ///< way from the start of the joint's chain
    uint8_t* trunk;            ///< 1: counts for the figure's extent (not a stem above the first fork)
    int32_t* size;             ///< joints from the joint down, itself too
    uint8_t* mark;             ///< scratch, one a joint
    sft_xformd* pose;          ///< scratch for one pose, and
    sft_v3d* offset;           ///< the offsets in use: the rest pose's, or the clip's where the rest pose has none
    sft_v3d* rest_position;    ///< model space, rest pose
    sft_v3d* typical_position; ///< model space, a frame from the middle of the clip; the rest pose without a clip
    const sft_v3d* position;   ///< the one of both that sft_limbs_choose read the body from
    sft_limb_couple* couples;  ///< scratch, SFT_LIMB_COUPLES_MAX of them: too many for small stacks
    double longest;            ///< longest way down from any root
    bool bundle;               ///< nearly all bones of the rest pose point one way: it says nothing
    bool has_tail;             ///< some joint is called a tail
    int32_t limb_count;
    sft_limb limbs[SFT_LIMBS_MAX];
} sft_limbs;

/// Builds the chains and keeps at most SFT_LIMBS_MAX of them that could be legs. `typical` (may be null): local
/// translations to use where the rest offset is zero. Fails: SFT_ERR_MEMORY. Linear in the number of joints.
sft_result sft_limbs_create(const sft_skeleton* skeleton, const sft_v3d* typical, const sft_allocator* allocator,
                            sft_limbs** out);
void sft_limbs_destroy(sft_limbs* limbs);

/// Watches the rest pose and some frames of the motion (null: rest pose alone) for every up direction asked: out[u] is
/// for ups[u]. Frame 0 is left out, since it may be a reference pose. Fills rest_position and typical_position.
void sft_limbs_watch(sft_limbs* limbs, const sft_motion_view* motion, const sft_v3d* ups, int32_t up_count,
                     sft_limb_stand* out);

/// Joints common to both: the lowest common ancestor; -1 where there is none.
int32_t sft_limbs_common(const sft_limbs* limbs, int32_t a, int32_t b);

/// True where limbs a and b have alike chains: joint count within one, length within 15 %, level in the hierarchy.
bool sft_limbs_alike(const sft_limbs* limbs, const sft_limb* a, const sft_limb* b);

/// Pairs of limbs that are legs, best first (the pair nearest to the root of the most leg-like ones), by what `stand`
/// saw with `up` upwards; at most `capacity`. Answers their number; 0 where nothing looks like a leg. `lateral` becomes
/// the unit direction from one side of the body to the other in limbs->position, sign arbitrary, zero where unknown.
/// limbs->position becomes the rest pose if something stands in it, else the clip's typical pose.
int32_t sft_limbs_choose(sft_limbs* limbs, const sft_limb_stand* stand, sft_v3d up, sft_limb_pair* pairs,
                         int32_t capacity, sft_v3d* lateral);

/// Joint is of the body's middle: spine, head, tail; neither a limb of the pair nor beside the plane between the sides.
bool sft_limbs_central(const sft_limbs* limbs, const sft_limb_pair* pair, const sft_v3d* position, sft_v3d lateral,
                       int32_t joint);

/// The body stands upright on this pair: its middle is well above the girdle, and above rather than beside it.
bool sft_limbs_upright(const sft_limbs* limbs, const sft_limb_pair* pair, const sft_v3d* position, sft_v3d up,
                       sft_v3d lateral);

#endif
