// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// The whole-body solver's state, shared by its flow (body.c) and its linear algebra (body_step.c).
#ifndef SUREFOOT_IK_BODY_H
#define SUREFOOT_IK_BODY_H

#include <string.h>

#include "ik/ik_internal.h"

/// Columns of the Jacobian: three a joint that may turn (model axes), then three of the joint that may move. Rows:
/// three a goal. Positions are measured in `scale`, so that metres and radians weigh alike whatever the figure's size.
typedef struct ik_body
{
    const sft_ik_body_def* def;
    const sft_skeleton* skeleton;
    const sft_ik_goal* goals;
    int32_t goal_count;
    double scale; ///< [m]
    int32_t active_count;
    int32_t columns;
    bool moves; ///< def->translating may move

    int32_t* active;                 ///< [joint_count] joints that may turn
    int32_t* index_of;               ///< [joint_count] place in active, or -1
    const sft_quatd* input;          ///< the pose that came in
    sft_quatd *r, *trial_r, *base_r; ///< [joint_count] local rotations
    sft_v3d *t, *trial_t, *base_t;   ///< [joint_count] local translations
    sft_xformd* model;               ///< [joint_count] of r and t, or of the trial
    double* keep;                    ///< [active][9] what a joint may turn in the step at hand, a projection, row-major
    double* step;                    ///< [columns]
    double* jacobian;                ///< [3 goals][columns] of one level
    double* basis;                   ///< [3 goals][columns] orthonormal, of the rows of all levels so far
    double* gram;                    ///< [3 goals][3 goals]
    double* error;                   ///< [3 goals]
} ik_body;

/// The least priority above `after` that a goal with weight has; false where there is none.
bool sft_ik_body_next_level(const ik_body* body, int64_t after, int32_t* level);

/// Error of one goal in body->model: metres over scale, or radians.
sft_v3d sft_ik_body_error(const ik_body* body, const sft_ik_goal* goal);

/// The step for all levels up to `level` into body->step, and the rotations and translation it leads to into trial_r
/// and trial_t; with posture, also some of the way back to the input pose. body->model is that of r and t.
void sft_ik_body_step(ik_body* body, int32_t level, double damping, bool posture);

#endif
