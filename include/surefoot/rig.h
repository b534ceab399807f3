// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

/// @file rig.h
/// A skeleton understood: what each joint means, and the pose in which two figures can be compared (docs/rig.md).
#ifndef SUREFOOT_RIG_H
#define SUREFOOT_RIG_H

#include "surefoot/leg.h"

// ---- what joints mean ----

/// Parts of a body. Names give candidates; topology, side and rest pose decide.
typedef enum sft_part
{
    SFT_PART_NONE = 0, ///< nothing that motion is moved to: props, helpers, face, hair, End Sites
    SFT_PART_ROOT = 1, ///< above the hips, carries the figure through the world
    SFT_PART_HIPS = 2, ///< pelvis: carries hind legs and spine
    SFT_PART_SPINE =
        3, ///< above the hips, up to the joint that carries neck and arms (or fore legs), which is the last
    SFT_PART_NECK = 4,
    SFT_PART_HEAD = 5,
    SFT_PART_CLAVICLE = 6, ///< between spine and arm; shoulder blade of an animal (pair >= 1)
    SFT_PART_UPPER_ARM = 7,
    SFT_PART_FOREARM = 8,
    SFT_PART_HAND = 9,
    SFT_PART_FINGER = 10,
    SFT_PART_THIGH = 11, ///< hip of sft_leg; upper bone of a fore leg too
    SFT_PART_SHIN = 12,
    SFT_PART_FOOT = 13, ///< heel of sft_leg: the joint at which the foot turns
    SFT_PART_TOE = 14,  ///< toe of sft_leg where it is a joint of its own, and what lies between foot and it
    SFT_PART_TAIL = 15,
    SFT_PART_TWIST = 16 ///< takes a share of the roll along the bone of its carrier
} sft_part;

/// Meaning of one joint.
typedef struct sft_joint_meaning
{
    sft_part part;
    sft_leg_side side; ///< of the figure; MIDDLE for what has none
    int32_t pair;      ///< THIGH to TOE, CLAVICLE: girdle as in sft_leg (0 hind); arms: 0
    int32_t digit;     ///< FINGER: 0 thumb, 1 index, ... 4 little; -1 not known, and for other parts
    /// Place along joints of the same part, side, pair and digit, from 0, parents first. TWIST: rank among the twist
    /// joints of one carrier by distance from the carrier's joint in the pose that was read, in line or beside the bone
    /// alike; at equal distances by name, then in the order of the file.
    int32_t index;
    int32_t carrier;  ///< TWIST: joint at whose bone it rolls (upper arm, forearm, thigh, shin, neck); else -1
    float confidence; ///< 0 to 1: 1 names and structure agree, 0.5 one of both speaks alone; 0 for NONE
    char reason[96];  ///< for people: "called a forearm, second bone of the left arm"
} sft_joint_meaning;

/// English name of a part ("upper arm"), and the word used in map files ("upper_arm"). Never null. Pure.
SFT_API const char* sft_part_name(sft_part part);
SFT_API const char* sft_part_word(sft_part part);

/// What every joint of a skeleton means (docs/rig.md): meanings[joint_count]. Skeleton and clip in metres, Y up; clip
/// may be null. `legs` as sft_leg_find gave them. A skeleton with meaningless names is read by structure alone; one
/// without legs keeps what its names say. Fails: SFT_ERR_ARG, SFT_ERR_MEMORY. Deterministic; does not depend on the
/// order in which a file lists siblings.
SFT_API sft_result sft_rig_find_meanings(const sft_skeleton* skeleton, const sft_clip* clip, const sft_leg* legs,
                                         int32_t leg_count, const sft_allocator* allocator,
                                         sft_joint_meaning* meanings);

// ---- the rig ----

/// How a figure stands.
typedef enum sft_stance
{
    SFT_STANCE_T = 0, ///< arms out to the sides
    SFT_STANCE_A = 1, ///< arms down at a slant
    SFT_STANCE_I = 2, ///< arms hang down ("N pose" of some tools where the palms face the thighs)
    SFT_STANCE_OTHER = 3
} sft_stance;

#define SFT_RIG_POSE_AUTO (-2)  ///< the rest pose where it reads as a figure, else the best frame
#define SFT_RIG_POSE_REST (-1)  ///< the rest pose, whatever it looks like
#define SFT_RIG_POSE_MEAN (-3)  ///< the mean of the clip's frames: even and straight where a walk's frames are not
#define SFT_RIG_POSE_GIVEN (-4) ///< of a rig whose base pose was given by base_t and base_r

typedef struct sft_rig_def
{
    int32_t pose_frame; ///< frame of the clip in which the figure stands as a figure; default SFT_RIG_POSE_AUTO
    const sft_joint_meaning* meanings; ///< joint_count entries; null (default): sft_rig_find_meanings
    const sft_leg* legs;               ///< null (default): sft_leg_find
    int32_t leg_count;
    /// Base pose, local, joint_count entries each; null (default): pose_frame decides. For what the skeleton's file
    /// does not tell, as where a clip lies in a file without its character: given the character's pose, rigs of both
    /// have one reference. The clip then tells nothing about poses. Only with pose_frame AUTO, and only both.
    const sft_v3d* base_t;
    const sft_quatd* base_r;
    uint32_t cookie;
} sft_rig_def;

SFT_API sft_rig_def sft_default_rig_def(void);

/// A skeleton, its meanings and its reference pose. Read-only after creation, so many threads may share it. Arrays have
/// joint_count entries. `figure space`: the model space turned about Y so that the figure faces +Z (its left is +X).
typedef struct sft_rig
{
    const sft_skeleton* skeleton; ///< the rig's own copy
    uint64_t identity;            ///< sft_rig_identity of the skeleton
    const sft_joint_meaning* meanings;
    const sft_leg* legs;
    int32_t leg_count;
    sft_stance stance;       ///< of the base pose
    int32_t pose_frame;      ///< frame the base pose was taken from, SFT_RIG_POSE_REST, _MEAN or _GIVEN
    double facing;           ///< [rad] turn about Y from model to figure space
    const sft_v3d* base_t;   ///< base pose, local
    const sft_quatd* base_r; ///< base pose, local
    const sft_quatd* pose_r; ///< reference pose, local rotations (translations are base_t)
    const sft_xformd* pose;  ///< reference pose in figure space, the lowest sole at y = 0, hips above x = z = 0
    int32_t hips;            ///< joint of SFT_PART_HIPS; -1 none
    int32_t root;            ///< joint of SFT_PART_ROOT nearest to the hips; -1 none
    double leg_length;       ///< [m] mean over the legs of pair 0: hip to knee to heel; 0 without legs
    double sole_height;      ///< [m] mean height of their heels over the sole in the reference pose
    double arm_length;       ///< [m] upper arm to forearm to hand; 0 without arms
    char reason[256];        ///< why this base pose, and what was corrected of it, for people
} sft_rig;

/// Identity of a skeleton's content: names, parents, End Site flags, rest offsets to a tenth of a millimetre of the
/// figure's metres, and rest rotations to a thousandth. Equal contents give equal numbers on every machine; 0 for null.
/// Pure.
SFT_API uint64_t sft_rig_identity(const sft_skeleton* skeleton);

/// Understands a skeleton (metres, Y up; clip may be null). The base pose is the rest pose where that reads as an
/// upright figure with its limbs apart, else the frame of the clip, or the mean of frames, that does best, or what def
/// says. The reference pose is the base pose brought to where any two figures can be compared: trunk upright; upper
/// arms and forearms level to the sides, palms down (known from thumb and fingers, or from the elbows' bend); thighs
/// and shins straight down, knees bending forward; feet on level soles, toes straight ahead; fingers along the hand.
/// Only limbs are turned, by the smallest turn (roll is corrected only where hinge or palm tell that the base pose was
/// rolled); spine, neck, head, clavicles keep the base pose's shape, but of a frame or mean a spine that stoops is
/// brought upright and clavicles lie as mirror images. Hips, spine, neck and head that the clip keeps
/// turned by a constant that no bone shows (motion made by networks) have that constant in base_r; places do not
/// change, so one skeleton with two such clips has two rigs. Animals (more than two legs, or a body carried level):
/// legs keep the base pose. No legs: of the base pose arms alone are turned. `def` may be null. Fails, *out untouched:
/// SFT_ERR_ARG (a frame the clip has not, half a base pose), SFT_ERR_DEF, SFT_ERR_RANGE, SFT_ERR_MEMORY. Time linear in
/// joints and in at most 64 sampled frames. Deterministic. The caller owns the rig. Source: docs/rig.md.
SFT_API sft_result sft_rig_create(const sft_rig_def* def, const sft_skeleton* skeleton, const sft_clip* clip,
                                  const sft_allocator* allocator, sft_rig** out);

/// Null is fine.
SFT_API void sft_rig_destroy(sft_rig* rig, const sft_allocator* allocator);

/// For a clip in a file of its own and the file of its character: one skeleton by names and bones, but the rest pose of
/// the clip's file is some frame of its motion, from which a reference pose can only be guessed. Where the bones lie
/// alike in the spaces of their parents, joints' rotations mean the same in both, and the character's reference pose is
/// that of both: *out is a rig of `own` whose base pose it is, so that motion comes out as it is. *out is null where
/// `own` is right as it stands: they are not one character, or rest alike, or the character's base pose is not its rest
/// pose. Fails, *out untouched: SFT_ERR_ARG, SFT_ERR_MEMORY, and as sft_rig_create. Deterministic.
SFT_API sft_result sft_rig_share_pose(const sft_rig* own, const sft_rig* character, const sft_allocator* allocator,
                                      sft_rig** out);

#endif
