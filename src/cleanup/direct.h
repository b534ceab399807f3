// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// One Gauss-Newton step of the direct method: what linearisation (direct.c) and assembly (assemble.c) share.
#ifndef SUREFOOT_CLEANUP_DIRECT_H
#define SUREFOOT_CLEANUP_DIRECT_H

#include "cleanup/front.h"
#include "cleanup/problem.h"

#define CU_MAX_STEPS 24

/// One leg in one frame, linearised. Planted: jac maps (shift, free number) to the four angles and base is their value
/// when the constraint's error is taken out. Swing: base is the angles, jac[k] the rates of point k's
/// height.
typedef struct cu_linear
{
    float jac[4][4]; // a step is put right by the next, and memory is what long clips wait for
    double base[4];
    float floor_gap[CU_POINTS];    // ankle, tip and sole over their floors [m]; negative: below
    float floor_rate[CU_POINTS];   // by pitch, planted only
    uint8_t floor_on[CU_POINTS];   // the floor pushes in this step
    uint8_t floor_left[CU_POINTS]; // it has let go once
    bool near;                     // the leg's length is close to what its place asks for
    float lock;                    // place over the plant's level [m], planted only
} cu_linear;

typedef struct cu_direct_scales
{
    double floor, lock, range; // squared weights
} cu_direct_scales;

extern const cu_direct_scales cu_scales;

typedef struct cu_direct
{
    cu_problem* problem;
    void* block; // holds all arrays but base
    size_t block_size;
    cu_front front;
    cu_linear* linear; // [leg * frames + frame]
    int64_t* base;     // global index of each frame's first unknown; frames + 1 entries
    int64_t plant_base;
    int32_t* columns; // [3 * (leg_count + 1)]: front columns of the frames at hand (assemble.c)
    double* accel;    // [leg * 4 + angle]: weight of a squared second difference
    double* x;
    int32_t held[2]; // columns of frames 0 and 1 of a cycle
} cu_direct;

sft_result cu_direct_create(cu_direct* direct, cu_problem* problem);
void cu_direct_release(cu_direct* direct);
void cu_direct_assemble_and_solve(cu_direct* direct);

/// Change of the four angles of one leg under step x; of a planted one knee and pitch only, and change[0] is a bound on
/// how far the leg turns.
void cu_direct_change(const cu_direct* direct, int32_t leg, int32_t frame, const double* x, double* change);
/// First unknown of a leg within its frame.
int32_t cu_leg_slot(const cu_problem* problem, int32_t leg, int32_t frame);

/// Hip to ankle, the bent leg turned about the hip by angles 0 and 1.
sft_v3d cu_leg_line(const cu_leg_frame* frame, const double* angles, const cu_bend* bend);
/// How much longer a planted leg that cannot reach would have to be.
double cu_leg_stretch(const cu_problem* problem, size_t at, int32_t frame);
/// Angles 0 and 1 of the turn that takes the direction `from` (the bent leg's) to `to`; exact inverse of cu_leg_line.
void cu_measure_turn(const cu_leg_frame* frame, sft_v3d from, sft_v3d to, double* angles);
double cu_angle_excess(const cu_leg_frame* frame, const double* base, int k);

#endif
