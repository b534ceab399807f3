// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// A chain as CCD and FABRIK see it: points and unit directions in model space, local rotations beside them.
#ifndef SUREFOOT_IK_CHAIN_H
#define SUREFOOT_IK_CHAIN_H

#include <string.h>

#include "ik/ik_internal.h"

/// A round that brings the end nearer by less than this part of the reach is the last: the target is out of reach.
#define SFT_IK_STALL 1e-9

/// `bones` is joint_count - 1: bone i leads from joint i to joint i + 1 and turns with joint i.
typedef struct ik_chain
{
    const sft_ik_chain_def* def;
    const int32_t* joints;
    int32_t bones;
    bool direct;                         ///< no joints lie between those of the chain
    bool limited;                        ///< some joint of the chain has a limit
    sft_quatd above;                     ///< model rotation of what the root hangs on
    sft_v3d root;                        ///< model position of the root
    double reach;                        ///< [m] sum of the lengths
    sft_v3d target;                      ///< model space
    sft_v3d* points;                     ///< [bones + 1]
    sft_v3d* dirs;                       ///< [bones] unit; a bone of no length keeps its last
    sft_v3d* axes;                       ///< [bones] joint space, unit, where the bone points
    double* lengths;                     ///< [bones]
    sft_quatd* source;                   ///< [bones] local rotations as they came
    sft_quatd* locals;                   ///< [bones] local rotations
    sft_quatd* best;                     ///< [bones] of the best round so far
    sft_quatd *trial, *spare, *carriers; ///< [bones] within one step
    sft_quatd* between; ///< [bones] from joint i's space to the parent space of joint i + 1; not set where direct
} ik_chain;

/// Checks all inputs and reads the chain; `chain->points` and `dirs` are the pose's.
sft_result sft_ik_chain_read(const sft_ik_chain_def* def, const sft_ik_chain* joints, sft_v3d target,
                             const sft_ik_pose* pose, sft_ik_scratch scratch, ik_chain* chain);

/// Points and directions from local rotations. Returns the end's distance from the target.
double sft_ik_chain_forward(ik_chain* chain);

/// Points from directions. Returns the end's distance from the target.
double sft_ik_chain_lay(ik_chain* chain);

/// Local rotations that point bone i at points[i + 1] (no limits: along dirs[i]), each the least turn from the source,
/// limits kept; points and directions become what these rotations give. Returns the end's distance from the target.
double sft_ik_chain_restore(ik_chain* chain);

/// The limit of joint i, or null.
const sft_limit* sft_ik_chain_limit(const ik_chain* chain, int32_t i);

/// Bends or stretches the chain as a whole so that its end lies on the target, changing dirs: docs/ik.md, "The arc".
/// `sense` is +1 or -1, to which side a chain bends that has no side of its own.
void sft_ik_chain_shape(ik_chain* chain, double sense);

/// Lays a free chain out where nothing can be better: straight where the target is out of reach, folded where it is too
/// near. False where the target is neither.
bool sft_ik_chain_out_of_reach(ik_chain* chain);

/// One sweep of CCD over chain->locals, tip to root; points and directions follow. Returns the end's distance.
double sft_ik_chain_sweep(ik_chain* chain);

/// Starts the limits: locals become allowed ones. Returns by how much they were not [rad].
double sft_ik_chain_enter_limits(ik_chain* chain);

/// The arc, limits kept, if it brings the end nearer. `residual` and the return are the end's distance.
double sft_ik_chain_try_arc(ik_chain* chain, double residual);

bool sft_ik_chain_def_ok(const sft_ik_chain_def* def);

/// Writes the rotations; report->residual is set already.
void sft_ik_chain_write(const ik_chain* chain, const sft_ik_pose* pose, sft_ik_report* report);

#endif
