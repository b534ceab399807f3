// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// What the parts of the clean-up share: the source motion of every leg taken apart, the unknowns, and the plants.
//
// Unknowns of one frame: displacement of the pelvis (3); of each leg four angles against the source,
//   0, 1  turn of the whole leg about the hip, along e_side and e_front (both at right angles to the source's hip-ankle
//   line) 2     turn of the shin about the knee's side axis 3     turn of the foot about its own lateral axis, with the
//   toe as the fixed point
// Each is zero where the leg is as in the source.
#ifndef SUREFOOT_CLEANUP_PROBLEM_H
#define SUREFOOT_CLEANUP_PROBLEM_H

#include "surefoot/cleanup.h"

#include "core/core.h"

/// Points of a foot that must not sink: ankle, tip, sole.
#define CU_POINTS 3

/// One leg in one source frame, model space.
typedef struct cu_leg_frame
{
    sft_v3d hip;
    sft_v3d toe;
    sft_v3d thigh; // hip to knee
    sft_v3d shin;  // knee to ankle
    sft_v3d foot;  // toe to ankle
    sft_v3d tip;   // toe to toe end; zero where there is none
    sft_v3d sole;  // toe to a heel joint below the ankle; zero where the heel is the ankle
    sft_v3d side;  // knee's side axis, unit
    sft_v3d pitch; // foot's lateral axis, unit
    sft_v3d along; // unit, hip to ankle
    sft_v3d e_side, e_front;
    double knee_angle;       // signed about side, 0 = straight
    double floor[CU_POINTS]; // lowest height that ankle, tip and sole may take
} cu_leg_frame;

typedef struct cu_plant
{
    int32_t leg;
    int32_t first;  // first locked frame of the problem
    int32_t count;  // locked frames; they wrap round the end of a cycle
    int32_t column; // in the front, -1 while not in play
    sft_v3d place;  // where the toe stands at `first`
    double level;   // height at which it wants to: the median of its source frames
} cu_plant;

typedef struct cu_weights
{
    double accel[4], angle[4];                                      // per leg unknown: 1/(rad/s^2), 1/rad
    double pelvis_accel, pelvis_speed, pelvis_shift, pelvis_height; // 1/(m/s^2), 1/(m/s), 1/m, 1/m
} cu_weights;

typedef struct cu_problem
{
    sft_allocator allocator;
    const sft_cleanup_def* def;
    const sft_skeleton* skeleton;
    sft_leg* legs;  // own copy; heel is the ankle, see cu_legs_copy
    int32_t* soles; // per leg: the heel joint where it is not the ankle, else -1
    int32_t leg_count;
    int32_t rows[SFT_MAX_LEGS]; // each leg's number among those of all characters
    sft_v3d ground;             // its velocity
    int32_t first;              // clip frame of problem frame 0
    int32_t clip_frames;
    int32_t frames; // frames solved; a repeated closing frame is left out
    double dt;
    bool loop, move_pelvis;
    sft_v3d travel; // of one cycle
    int32_t travel_joint;
    void* block; // holds source, angles, shift, anchor, miss, plant_of and gave_up
    size_t block_size;
    cu_leg_frame* source; // [leg * frames + frame]
    sft_v3d* pitch_local; // per leg: the foot's lateral axis in ankle space
    int32_t* plant_of;    // [leg * frames + frame], -1 in swing, -2 - plant where the plant gave the frame up
    cu_plant* plants;
    int32_t plant_count, plant_capacity;
    cu_weights* weights; // per leg
    double* angles;      // [(leg * frames + frame) * 4 + k]
    sft_v3d* anchor;     // per frame: the shift that the path is held near, so that its place is determined
    sft_v3d* shift;      // pelvis displacement per frame
    double* miss;        // [leg * frames + frame]: distance of a planted toe from its place
    uint32_t* gave_up;   // same
} cu_problem;

/// Copies the legs and finds each one's ankle: the joint that ends the shin. Some rigs have a short bone between it and
/// the heel (talus and calcaneus); the foot then has to turn at the ankle, for the heel joint may be welded.
sft_result cu_legs_copy(cu_problem* problem, const sft_leg* legs, const sft_clip* clip);
/// Takes the source apart. Allocates everything in *problem that is null so far; the caller releases it in every case.
sft_result cu_problem_prepare(cu_problem* problem, const sft_clip* clip);
void cu_problem_release(cu_problem* problem);
/// Plants from labels above the threshold.
sft_result cu_plants_find(cu_problem* problem, const sft_contact_labels* labels);
/// Where the toe of a plant stands in one of its frames, less plant->place: the moving ground, the travel of a cycle.
sft_v3d cu_plant_offset(const cu_problem* problem, const cu_plant* plant, int32_t frame);
/// Shortens plants whose ends were missed; returns the number of frames given up.
int32_t cu_plants_trim(cu_problem* problem, double tolerance);

/// The direct method. Fills angles, shift, places. *iterations and *converged are report data.
sft_result cu_direct_solve(cu_problem* problem, int32_t* iterations, bool* converged);
/// Brings every planted toe exactly to its place by knee and foot pitch, and notes what is missed.
void cu_direct_close(cu_problem* problem);
/// Where the toe is at the unknowns' values; `at` = leg * frames + frame.
sft_v3d cu_toe(const cu_problem* problem, size_t at, int32_t frame);
/// Writes angles and shift into the clip.
void cu_pose_apply(const cu_problem* problem, sft_clip* clip, uint8_t* joint_changed);

/// Bent leg: hip to ankle as hip turn zero would have it, and its rate with the knee.
typedef struct cu_bend
{
    sft_v3d line, unit, rate; // rate: d line / d angle
    double length, length_rate;
} cu_bend;

static inline sft_v3d cu_turn(sft_v3d v, sft_v3d axis, double sine, double cosine)
{
    const sft_v3d x = sft_v3d_cross(axis, v);
    const double along = sft_v3d_dot(axis, v) * (1.0 - cosine);
    return sft_v3d_make(v.x * cosine + x.x * sine + axis.x * along, v.y * cosine + x.y * sine + axis.y * along,
                        v.z * cosine + x.z * sine + axis.z * along);
}

static inline cu_bend cu_bend_knee(const cu_leg_frame* f, double angle)
{
    cu_bend b;
    const sft_v3d shin = cu_turn(f->shin, f->side, sft_sin(angle), sft_cos(angle));
    b.line = sft_v3d_add(f->thigh, shin);
    b.length = sft_v3d_length(b.line);
    b.unit = b.length > SFT_LENGTH_EPS ? sft_v3d_scale(1.0 / b.length, b.line) : f->along;
    b.rate = sft_v3d_cross(f->side, shin);
    b.length_rate = sft_v3d_dot(b.unit, b.rate);
    return b;
}

#endif
