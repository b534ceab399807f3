// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// Inside of the rig: which joints a reference pose is made of, what the clip tells about hinges and soles, choosing the
// base pose, and turning its limbs.
#ifndef SUREFOOT_RIG_INTERNAL_H
#define SUREFOOT_RIG_INTERNAL_H

#include "surefoot/rig.h"

#include "core/core.h"

/// Joints of one arm; -1 where there is none.
typedef struct sft_rig_arm
{
    int32_t upper, fore, hand;
    int32_t palm[5]; ///< first joint of each finger, by digit
    int32_t tip;     ///< where the hand points to without fingers: the child furthest from it
} sft_rig_arm;

/// What the reference pose turns.
typedef struct sft_rig_body
{
    int32_t hips, root;
    int32_t chest;       ///< last joint of the spine; -1
    int32_t neck;        ///< first joint of neck or head; -1
    int32_t head;        ///< head, else last neck; -1
    int32_t top;         ///< leaf furthest from the chest, where neither neck nor arms show where the trunk ends; -1
    sft_rig_arm arms[2]; ///< left, right
    int32_t leg[2];      ///< of a figure on two legs: indices into legs; -1
    bool animal;         ///< more than two legs, or a body carried level: legs and trunk keep the base pose
    bool wings;          ///< two legs and a body carried level: the arms keep it too
} sft_rig_body;

/// Length of an axis that is seen, but not surely.
#define SFT_RIG_WEAK 0.75

/// What the clip's frames tell, in spaces that do not depend on the base pose. Zero vectors: nothing.
typedef struct sft_rig_evidence
{
    sft_v3d elbow[2][2]; ///< unit (or weak) axis about which the forearm bends, by a positive angle: in the upper arm's
                         ///< space, and in its own. Where rotations were made from positions, bones are rolled each for
                         ///< itself.
    sft_v3d knee[2][2];  ///< the same of the shin, in the thigh's space and in its own
    sft_v3d sole[2];     ///< heel's space, unit: up while the foot stands flat
    sft_v3d toe[2];      ///< the same in the toe's space
    int32_t best;        ///< frame that does best as a base pose; -1 without a clip
    double best_score;
} sft_rig_evidence;

/// A rig in the making. Arrays have joint_count entries.
typedef struct sft_rig_build
{
    const sft_skeleton* skeleton;
    const sft_clip* clip; ///< may be null
    const sft_joint_meaning* meanings;
    const sft_leg* legs;
    int32_t leg_count;
    sft_rig_body body;
    sft_rig_evidence seen;
    int32_t pose_frame; ///< of the base pose, as in sft_rig
    sft_v3d* base_t;    ///< local, to be filled
    sft_quatd* base_r;
    sft_xformd* base;     ///< base pose, model space; then turned to figure space
    sft_quatd* change;    ///< reference orientation = change * base orientation, figure space
    sft_xformd* scratch;  ///< a pose
    sft_xformd* scratch2; ///< another
    sft_quatd* turns;     ///< sums over `turn_frames` frames: orientations of the trunk's joints in the body's space
    double turn_frames;
    sft_quatd whole;      ///< turn of a figure that does not stand, figure space
    double foot_pitch[2]; ///< [rad] about +X, that levels the soles of the feet once they point ahead
    double roll_upper[2]; ///< [rad] about +X, of the upper arms
    double roll_fore[2];  ///< of the forearms, beside it
    double roll_thigh[2]; ///< about +Y
    double roll_shin[2];  ///< beside it
    char* reason;         ///< of the rig
} sft_rig_build;

/// Names the joints that the reference pose turns.
void sft_rig_find_body(const sft_skeleton* skeleton, const sft_joint_meaning* meanings, const sft_leg* legs,
                       int32_t leg_count, sft_rig_body* body);

/// True where `joint` is `above` or below it.
bool sft_rig_is_below(const sft_skeleton* skeleton, int32_t joint, int32_t above);

/// Hinges, soles and the best frame, from at most 64 frames. Fails: SFT_ERR_RANGE.
sft_result sft_rig_watch(sft_rig_build* build);

/// Both feet keep their places from this frame to the next, so they stand as they stand in it. Overwrites the scratch
/// poses.
bool sft_rig_feet_rest(const sft_rig_build* build, int32_t frame);

/// Fills base_t, base_r, pose_frame and reason. Fails: SFT_ERR_RANGE.
sft_result sft_rig_choose_base(sft_rig_build* build, const sft_rig_def* def);

/// Adds a frame of the clip to `turns`.
void sft_rig_watch_turns(sft_rig_build* build, const sft_xformd* pose);

/// Joints of the trunk that turn where no bone shows it take the base rotations that the clip has. Places stay.
void sft_rig_take_hidden_turns(sft_rig_build* build);

/// The base pose is a rest pose, whose feet and pelvis mean to stand, and not of a motion.
bool sft_rig_stands(const sft_rig_build* build);

/// How well a pose (model space) reads as an upright figure with its limbs apart, 0 to 1.
double sft_rig_score(const sft_rig_build* build, const sft_xformd* pose);

/// Hips to chest where that is far enough away to tell, else hips to the top of the trunk; zero where nothing speaks.
sft_v3d sft_rig_trunk(const sft_rig_build* build, const sft_xformd* pose);

/// Turn of a whole figure that does not stand (lying, hanging from another up axis) to the upright, model space;
/// identity where it is upright within 45 degrees or nothing speaks.
sft_quatd sft_rig_whole_turn(const sft_rig_build* build, const sft_xformd* pose);

/// Turn about Y [rad] from model space to figure space, `whole` as above.
double sft_rig_facing(const sft_rig_build* build, const sft_xformd* pose, sft_quatd whole);

/// A quarter turn that is near is meant: skeletons are built along axes, while measured hips are never quite level.
double sft_rig_snap_facing(double angle);

/// Fills build->change from build->base (figure space).
void sft_rig_turn_limbs(sft_rig_build* build);

/// Sets the rolls where hinges or palms tell that limbs of the base pose were rolled, by the changes made without them;
/// true: there are some, and the limbs are to be turned again.
bool sft_rig_find_rolls(sft_rig_build* build);

/// foot_pitch from planted frames, else from the heights that legs have, where the base pose is not to be believed.
void sft_rig_level_soles(sft_rig_build* build);

/// Adds to the reason for people, as far as there is room.
void sft_rig_say(sft_rig_build* build, const char* format, int number);

sft_stance sft_rig_read_stance(const sft_rig_build* build);

// ---- shared small things ----

/// From one joint to another; zero where there is none.
sft_v3d sft_rig_between(const sft_xformd* pose, int32_t from, int32_t to);
/// Adds a rotation to a sum, of its two signs the one that is nearer.
void sft_rig_add_turn(sft_quatd* sum, sft_quatd q);
/// Unit vector, or zero where there is no direction (shorter than a hundredth of a millimetre).
sft_v3d sft_rig_unit(sft_v3d v);

#endif
