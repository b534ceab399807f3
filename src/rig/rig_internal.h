// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// Inside of the rig: which joints a reference pose is made of, choosing the base pose, and turning its limbs.
#ifndef SUREFOOT_RIG_INTERNAL_H
#define SUREFOOT_RIG_INTERNAL_H

#include "surefoot/rig.h"

#include "core/core.h"

/// Joints of one arm; -1 where there is none.
typedef struct sft_rig_arm
{
    int32_t upper, fore, hand;
    int32_t palm[5]; ///< first joint of each finger, by digit
    int32_t tip;     ///< where the hand points to without fingers: a leaf or End Site below it
} sft_rig_arm;

/// What the reference pose turns.
typedef struct sft_rig_body
{
    int32_t hips, root;
    int32_t chest;       ///< last joint of the spine; -1
    int32_t head;        ///< head, else last neck; -1
    sft_rig_arm arms[2]; ///< left, right
    int32_t leg[2];      ///< of a figure on two legs: indices into legs; -1
    bool animal;         ///< more than two legs: they keep the base pose
} sft_rig_body;

/// A rig in the making. Arrays have joint_count entries.
typedef struct sft_rig_build
{
    const sft_skeleton* skeleton;
    const sft_clip* clip; ///< may be null
    const sft_joint_meaning* meanings;
    const sft_leg* legs;
    int32_t leg_count;
    sft_rig_body body;
    const sft_v3d* base_t;
    const sft_quatd* base_r;
    sft_xformd* base;  ///< base pose, model space; then turned to figure space
    sft_quatd* change; ///< reference orientation = change * base orientation, figure space
} sft_rig_build;

/// Names the joints that the reference pose turns.
void sft_rig_find_body(const sft_skeleton* skeleton, const sft_joint_meaning* meanings, const sft_leg* legs,
                       int32_t leg_count, sft_rig_body* body);

/// True where `joint` is `above` or below it.
bool sft_rig_is_below(const sft_skeleton* skeleton, int32_t joint, int32_t above);

/// Turn of a whole figure that does not stand (lying, hanging from another up axis) to the upright, model space;
/// identity where it is upright within 45 degrees or nothing speaks.
sft_quatd sft_rig_whole_turn(const sft_rig_build* build, const sft_xformd* base);

/// Turn about Y [rad] from model space to figure space. `whole` as above; `exact`: false snaps to a quarter turn that
/// is near, since skeletons are built along axes while measured hips are never quite level.
double sft_rig_facing(const sft_rig_build* build, const sft_xformd* base, sft_quatd whole, bool exact);

/// Fills build->change from build->base (figure space).
void sft_rig_turn_limbs(sft_rig_build* build, sft_quatd whole);

sft_stance sft_rig_read_stance(const sft_rig_build* build);

#endif
