// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// What the files of the map and of the transfer share. A map is pairs for people, and two plans made of them for the
// frames: one as they are, one with left and right of the source swapped. Spaces: `model` is what a clip is in,
// `figure` is the model space turned about Y so that the figure faces +Z.
#ifndef SUREFOOT_RETARGET_MAP_H
#define SUREFOOT_RETARGET_MAP_H

#include "surefoot/retarget.h"

#define SFT_MAP_COOKIE 0x72746d31u
#define SFT_SENTENCE_SIZE 192

/// How a frame fills one target joint.
typedef enum plan_kind
{
    PLAN_REST = 0,  ///< keeps its local rotation
    PLAN_TURN = 1,  ///< follows one source joint
    PLAN_BLEND = 2, ///< follows two
    PLAN_TWIST = 3  ///< rolls along a bone
} plan_kind;

typedef struct plan_joint
{
    plan_kind kind;
    int32_t source;      ///< joint whose orientation is read; of an upper arm the last one along the bone
    int32_t source_next; ///< BLEND
    double share;
    sft_quatd k;      ///< inverse reference orientation of the source, times that of the target
    sft_quatd k_next; ///< likewise of source_next
    // A limb's bone: its direction comes from where the source's joints are.
    int32_t bone_start, bone_end; ///< source joints; -1: the orientation alone counts
    sft_v3d bone;                 ///< unit, from start to end in the reference pose, in the space of `source`
    int32_t rolled;   ///< last joint along a source bone whose roll the target has no joints for: half of it; -1 none
    sft_quatd k_roll; ///< inverse reference orientation of `rolled`, times that of `source`
    // Ratio of lengths, for SFT_NON_RIGID_RATIO.
    int32_t stretch_start, stretch_end; ///< source joints; -1: the target's length stands
    double stretch_rest;                ///< [m] their distance in the reference pose
} plan_joint;

/// A bone of the target with twist joints. Its roll is between the bend at its start and what is at its end: for a
/// forearm, shin or neck the end joint, for an upper arm or thigh the carrier itself, whose end is a hinge.
typedef struct map_roll
{
    int32_t carrier; ///< joint the bone begins at
    int32_t end;     ///< joint it ends at
    int32_t above;   ///< parent of the carrier; -1 none
    bool in_line;    ///< twist joints lie between the two: the carrier keeps the bend and leaves the roll to them
    bool at_end;
    sft_v3d axis;       ///< unit, the bone in the carrier's space in the reference pose
    sft_quatd local;    ///< reference orientation of the carrier in the space of `above`
    sft_quatd relative; ///< reference orientation of the end in the carrier's space
} map_roll;

/// One twist joint.
typedef struct map_twist
{
    int32_t joint;
    int32_t roll;
    double share; ///< of the roll that is its own, against its parent
    sft_v3d axis; ///< unit, joint space
} map_twist;

/// The line between the sockets of the thighs, and where the hips joint says that it is.
typedef struct map_line
{
    int32_t joint;       ///< the source's hips; -1: the joint itself is believed
    int32_t right, left; ///< sockets, joints of the source
    sft_v3d way;         ///< unit, right to left in the reference pose, in the space of `joint`
} map_line;

typedef struct sft_map_plan
{
    plan_joint* joints; ///< one a target joint
    map_line hips;
    sft_quatd turn; ///< from the (mirrored) source's model space to the target's
} sft_map_plan;

/// A bone whose direction is reported: upper arm, forearm, thigh or shin on both sides.
typedef struct map_bone
{
    int32_t target_start, target_end;
    int32_t source_start[2], source_end[2]; ///< by plan; -1: none
    double source_length[2];                ///< [m] in the reference pose
} map_bone;

/// What travels: the place between the sockets of the thighs, whichever joint above them is the hips, for that is where
/// legs begin. Without thighs on both sides below the hips, the hips joint.
typedef struct map_pelvis
{
    int32_t hips, root;  ///< -1: no root above the hips that travels
    int32_t left, right; ///< sockets, or the hips twice
    double height;       ///< [m] of the place over the sole, reference pose
    sft_v3d offset;      ///< level way from root to the place in the base pose, model space
} map_pelvis;

struct sft_retarget_map
{
    sft_retarget_map_contents view;
    sft_allocator allocator;
    uint32_t cookie;
    bool same; ///< both sides are one skeleton in one reference pose, joint for joint

    sft_joint_pair* pairs;
    char (*sentences)[SFT_SENTENCE_SIZE]; ///< fallbacks, then unused
    const char** sentence_list;
    int32_t sentence_capacity;

    int32_t source_count;
    int32_t* source_parents;
    sft_quatd* source_pose_r;
    uint8_t* source_used; ///< orientation or place is read, or that of something below

    int32_t target_count;
    int32_t* target_parents;
    sft_v3d* base_t;
    sft_quatd* rest_r; ///< local rotation of joints that are not moved
    sft_quatd* pose_r;

    sft_map_plan plans[2]; ///< plain, mirrored

    map_bone* bones;
    int32_t bone_count;

    map_roll* rolls;
    int32_t roll_count;
    map_twist* twists; ///< ascending by joint
    int32_t twist_count;

    map_pelvis source, target;
};

/// Where joints of a part are: sorted by part, side, pair, digit and index.
typedef struct part_entry
{
    uint64_t key;
    int32_t joint;
} part_entry;

typedef struct part_index
{
    part_entry* entries;
    int32_t count;
} part_index;

/// Joints of one part, side, pair and digit, parents first.
typedef struct part_chain
{
    const part_entry* entries;
    int32_t count;
} part_chain;

/// By key, then by joint.
void sft_map_sort(part_entry* entries, int32_t count);
/// entries[joint_count] is the caller's.
void sft_map_index(const sft_rig* rig, part_entry* entries, part_index* out);
part_chain sft_map_chain(const part_index* index, sft_part part, sft_leg_side side, int32_t pair, int32_t digit);
/// First joint of a part, -1 where there is none.
int32_t sft_map_joint(const part_index* index, sft_part part, sft_leg_side side, int32_t pair);
/// The joint of the same part on the other side; itself where it has none or lies in the middle; -1 where missing.
int32_t sft_map_partner(const sft_rig* rig, const part_index* index, int32_t joint);
/// Joint at which the bone of an upper arm, forearm, thigh or shin ends; -1 for others.
int32_t sft_map_bone_end(const sft_rig* rig, const part_index* index, int32_t joint);

typedef struct map_sides
{
    sft_rig_pair rigs;
    part_index source, target;
} map_sides;

/// Pairs by meaning where `given` is null, else those; one a target joint. And the sentences. False: no memory.
bool sft_map_pair(const map_sides* sides, sft_retarget_map* map, const sft_joint_pair* given, int32_t given_count);
/// Twist joints of the target, once their carriers have their pairs. False: no memory.
bool sft_map_pair_twists(const map_sides* sides, sft_retarget_map* map);
/// Rolls and twists from map->pairs, before the plans. False: no memory.
bool sft_map_plan_twists(const map_sides* sides, sft_retarget_map* map);
/// Whether twist joints with a share of the roll lie along the bone that begins at a target joint.
bool sft_map_rolls_in_line(const sft_retarget_map* map, int32_t carrier);
/// Refuses figures that are not alike.
sft_result sft_map_alike(const sft_rig_pair* rigs, sft_error* error);
/// Plans of both kinds from map->pairs.
void sft_map_plan_build(const map_sides* sides, sft_retarget_map* map);

/// SFT_ERR_ARG or SFT_ERR_DEF where a map or a def is not what it should be.
sft_result sft_transfer_check(const sft_transfer_def* def, const sft_retarget_map* map);
/// What the def asks for, with the map's value for what it leaves open.
double sft_transfer_scale(const sft_transfer_def* def, const sft_retarget_map* map);
/// What a frame keeps for one roll.
typedef struct roll_state
{
    sft_quatd carrier; ///< orientation of the carrier without the roll that its twist joints take
    double angle;      ///< [rad] of the roll
    bool follows;      ///< `angle` in is that of the frame before
} roll_state;

/// Local poses in and out.
typedef struct sft_pose_pair
{
    const sft_v3d* source_t;
    const sft_quatd* source_r;
    sft_v3d* target_t;
    sft_quatd* target_r;
} sft_pose_pair;

/// sft_retarget_frame, its arguments checked. `follows`: the frame before went through the same scratch, so a roll may
/// go on past half a turn where a frame alone could not tell.
sft_result sft_transfer_frame(const sft_transfer_def* def, const sft_retarget_map* map, const sft_pose_pair* poses,
                              void* scratch, bool follows);
/// Turns of twist joints and their carriers: `target_r` in and out, model space; states[map->roll_count] is scratch.
void sft_transfer_twists(const sft_retarget_map* map, const sft_map_plan* plan, roll_state* states,
                         sft_quatd* target_r);
/// Both sides are one and nothing is asked that would change it: frames are copied.
bool sft_transfer_copies(const sft_transfer_def* def, const sft_retarget_map* map);

#endif
