// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

/// @file adapt.h
/// Foot IK on uneven ground: feet that were animated on a flat floor stand on slopes, stairs and rubble
/// (docs/adapt.md). At run time: sft_adapt_update, causal, no allocation. Whole clips: sft_adapt_clip, which sees what
/// comes.
///
/// The source's floor is the plane at `floor` that the clip was made on; heights of the source count from it. World
/// space is Y up, metres.
#ifndef SUREFOOT_ADAPT_H
#define SUREFOOT_ADAPT_H

#include "surefoot/contact.h"
#include "surefoot/ground.h"
#include "surefoot/leg.h"

// ---- where a foot stands ----

/// A foot on the ground: where its sole rests and how it is tilted.
typedef struct sft_adapt_foothold
{
    sft_v3d point;      ///< on the support, below the source's toe [m]
    sft_v3d normal;     ///< unit: up of the support that carries the sole
    sft_quatd tilt;     ///< model space: turns the source's foot to the support, within the ankle's limits
    sft_quatd toe_tilt; ///< the same of toe and toe end, on the toe joint: the ground before it may lie otherwise
    int32_t body;       ///< of the ground that carries the toe
    bool on_ground;     ///< false: no ground there; the rest is neutral
    bool on_edge;       ///< heel and toe end stand over different levels: the sole spans them or rests on the higher
    double tilt_lost;   ///< [rad] of the ground's tilt that the limits did not allow
} sft_adapt_foothold;

typedef struct sft_adapt_def
{
    double probe_up;        ///< [m] queries begin this far above the source's foot; 0 (default): 0.6 leg lengths
    double probe_down;      ///< [m] and end this far below its floor; 0 (default): 0.6 leg lengths
    double probe_radius;    ///< [m] of the sphere that is dropped; 0 (default): a ray
    double pitch_max;       ///< [rad] most the foot tilts about its own side axis; default 40 degrees
    double roll_max;        ///< [rad] and about its own length; default 25 degrees
    double edge_height;     ///< [m] steps under one sole higher than this are edges, not slopes: the sole keeps to the
                            ///< higher level; default 0.04
    double pelvis_drop_max; ///< [m] most the pelvis sinks below where the ground alone would put it, so that legs
                            ///< reach; 0 (default): 0.3 leg lengths
    double max_extension;   ///< knees no straighter than this fraction of the chain, or than the pose's own where that
                            ///< is straighter; default 0.995
    double smooth_time;     ///< [s] run time: after which height, tilt and weight have followed a step but for a
                            ///< twenty-fifth, critically damped; the pelvis takes three times as long; default 0.12; 0
                            ///< follows at once
    double step_aside;      ///< [m] run time: most a swinging foot is put forward or back so that it does not come down
                            ///< astride an edge; default 0.1; 0: never. Whole clips have place_max
    double clearance;       ///< [m] least height of a swinging sole over the ground it passes; default 0.02
    double floor; ///< [m] Y of the source's floor; default 0. Whole clips take it for the bottom of the soles:
                  ///< what planted toes stand above it (to 0.2 leg lengths) the sole is thick
    uint32_t cookie;
} sft_adapt_def;

SFT_API sft_adapt_def sft_default_adapt_def(void);

/// The foothold of one leg of a pose. `pose` in model = world space, as sft_leg_pose_read gives it. Queries under heel,
/// toe and toe end. The slope along the foot is that of the ground's heights under heel and toe (of the normals, where
/// the foot stands so steep that they all but coincide), the slope across it that of the normals. No ground under the
/// toe joint is no ground; under heel or toe end, an edge. Where the limits or an edge leave the sole off the ground,
/// it rests on the highest point under it. A level ground at `floor` gives exactly identity. Fails, *out untouched:
/// SFT_ERR_ARG, SFT_ERR_DEF, SFT_ERR_RANGE. Pure as the ground is.
SFT_API sft_result sft_adapt_find_foothold(const sft_adapt_def* def, const sft_leg* leg, const sft_leg_pose* pose,
                                           const sft_ground* ground, sft_adapt_foothold* out);

// ---- run time ----

/// A number that follows another, critically damped.
typedef struct sft_adapt_follow
{
    double value, velocity;
    double goal; ///< what it follows, as of the last step
} sft_adapt_follow;

/// Memory of one leg; zero it to begin, or to forget after a teleport. What is of use to read: height, weight, held,
/// in_support; the rest is the function's own.
typedef struct sft_adapt_leg_state
{
    sft_adapt_follow height;      ///< [m] world Y of the support under the toe
    sft_adapt_follow tilt[3];     ///< rotation vector [rad] of the foot
    sft_adapt_follow toe_tilt[3]; ///< and of the toe
    sft_adapt_follow weight;      ///< 1 on ground, 0 where there is none
    sft_adapt_foothold held;      ///< of the contact at hand; in a swing, where the foot will be
    sft_v3d witness;              ///< [m] ground that a held foothold is known by
    sft_v3d witness_normal;
    sft_v3d toe;               ///< as it was asked for, of the last step
    sft_v3d toe_velocity;      ///< [m/s] over the last step
    sft_adapt_follow aside[2]; ///< [m] in world X and Z, of a foot that was put off an edge
    double landing;            ///< [m] by which the toe was ahead of its hip where it last came down; 0: not seen yet
    double step;               ///< [s] the last one
    double lost_time;          ///< [s] since a swinging foot saw ground
    int32_t steps;             ///< 0: not begun; up to 2
    bool in_support;
} sft_adapt_leg_state;

/// Memory of the body; zero it to begin.
typedef struct sft_adapt_state
{
    sft_adapt_follow rise;    ///< [m] world Y of the feet's supports, continued to below the pelvis
    sft_adapt_follow drop;    ///< [m] by which the pelvis sinks below that, so that legs reach; let go slowly
    double drop_acceleration; ///< [m/s^2]
    sft_adapt_follow pitch;   ///< [rad] of a body with two girdles, front up
    double idle;              ///< [s] since so much of it was needed
    double floor;             ///< the def's, of the last step
    sft_v3d hips;             ///< source's, of the last step
    bool started;
    bool moving; ///< the second step came, and with it velocities
} sft_adapt_state;

typedef struct sft_adapt_report
{
    double toe_miss;     ///< [m] largest of the legs: toe to where it should be
    double heel_lift;    ///< [rad] largest of the legs: what the sole gave up so that the toe stands where it should
    double pelvis_shift; ///< [m] of the body, at the middle of its hips
    double pitch;        ///< [rad] of a body with two girdles, front up; else 0
    double tilt_lost;    ///< [rad] largest of the legs
    double aside;        ///< [m] largest of the legs: how far it is put off an edge
    uint64_t lost;       ///< a bit a leg: no ground there, source pose kept
} sft_adapt_report;

/// What sft_adapt_update reads of one character at one moment.
typedef struct sft_adapt_input
{
    const sft_skeleton* skeleton;
    const sft_leg* legs;
    int32_t leg_count;     ///< 1 to SFT_MAX_LEGS
    const bool* contacts;  ///< [leg_count] in support
    const sft_v3d* toes;   ///< [leg_count] world: horizontal place of each toe, of a lock say; null: the pose's own
    const double* weights; ///< [leg_count] in [0, 1], what the game wants of the IK: followed as all else; null: 1
    const sft_ground* ground;
} sft_adapt_input;

/// Bytes of scratch for one call; 0 where leg_count is out of range. Pure.
SFT_API size_t sft_adapt_scratch_size(const sft_skeleton* skeleton, int32_t leg_count);

/// One step of `dt` seconds, which may vary; 0 is a pause: the pose is put on the ground as the state has it.
/// `local_t` and `local_r` (joint_count entries, world space at the root) in and out: the translation along up of the
/// joint that carries all legs and rotations of hips, knees, heels and toes change; where legs hang from two girdles
/// (more than one `pair`), that joint pitches too, with head and tail, as in whole clips. In the order of article 003:
/// source feet and pelvis, ground under heel, toe and toe end, sole offset and tilt, one pelvis height for all legs so
/// that none overstretches, smoothing of height, tilt and weight, support held, leg solve.
///
/// A foot in support keeps its foothold until it is lifted, slides away or the ground there changes; on a ground whose
/// `body` is not 0 it goes up and down with the body. A swinging foot looks at the ground it is flying to, and steps
/// aside from an edge there. Heights are
/// followed in the world: def->floor may move with the character from step to step, also in jumps. Where a supporting
/// foot has no ground, or a swinging one has seen none for twice the smooth_time, its weight goes to 0 and it is as in
/// the source. Nothing to do (level ground at the floor, weight 0) leaves every bit.
///
/// `state` and `states` [leg_count]: zero them to begin; the first step starts on the ground, without a blend, the
/// second as if all had moved so before. `report` may be null. `scratch`: aligned for a double. Fails, outputs
/// untouched: SFT_ERR_ARG, SFT_ERR_DEF, SFT_ERR_RANGE (no numbers, dt < 0, a weight outside [0, 1]), SFT_ERR_MEMORY
/// (scratch too small). Many characters on many threads may share skeleton, legs and ground. No allocation; bit-exact.
/// Source: docs/adapt_update.md.
SFT_API sft_result sft_adapt_update(const sft_adapt_def* def, const sft_adapt_input* input, double dt,
                                    sft_adapt_state* state, sft_adapt_leg_state* states, sft_v3d* local_t,
                                    sft_quatd* local_r, void* scratch, size_t scratch_size, sft_adapt_report* report);

// ---- whole clips ----

typedef struct sft_adapt_clip_def
{
    sft_adapt_def foot;
    double contact_threshold; ///< labels above it are plants; default 0.75
    int32_t first_frame;      ///< frames before it are a reference pose and stay as they are; default 0
    int32_t travel_joint;     ///< joint whose translation takes the pelvis's change; -1 (default): as sft_cleanup_def
    double place_max;         ///< [m] most a plant moves horizontally to get off an edge; default 0.1; 0: never. Held
                              ///< by its heel alone, it moves to where its toe is carried: up to a foot's length
    uint32_t cookie;
} sft_adapt_clip_def;

SFT_API sft_adapt_clip_def sft_default_adapt_clip_def(void);

/// What one plant came to.
typedef enum sft_adapt_fault
{
    SFT_ADAPT_FAULT_NO_GROUND = 1, ///< nothing to stand on: the source's foot was kept over those frames
    SFT_ADAPT_FAULT_TILT = 2,      ///< the ground is steeper than the ankle allows; amount in rad
    SFT_ADAPT_FAULT_REACH = 3      ///< the leg could not reach its foothold; amount in m
} sft_adapt_fault;

typedef struct sft_adapt_miss
{
    sft_adapt_fault fault;
    int32_t foot;        ///< index into the legs
    int32_t first, last; ///< frames
    double amount;
} sft_adapt_miss;

typedef struct sft_adapt_clip_report
{
    int32_t plant_count;
    int32_t moved_plants;    ///< moved off an edge
    double place_shift_max;  ///< [m] by at most so much
    double pelvis_shift_min; ///< [m] lowest and highest change of the pelvis along up; of the hind girdle, of two
    double pelvis_shift_max;
    double pitch_min; ///< [rad] lowest and highest pitch of a body with two girdles, front up
    double pitch_max;
    int32_t travel_joint; ///< -1 none
    int32_t turn_joint;   ///< that turns a body with two girdles; -1: it does not pitch
    int32_t iterations;
    bool converged;
    int32_t miss_count;
    sft_adapt_miss* misses; ///< owned: sft_adapt_clip_report_release
} sft_adapt_clip_report;

SFT_API void sft_adapt_clip_report_release(sft_adapt_clip_report* report, const sft_allocator* allocator);

/// Puts a clip onto a ground, in place: planted feet stand on it with the pitch and roll they had to the floor,
/// swinging feet pass over it, the pelvis follows smoothly and as low as the legs need. A body whose legs hang from two
/// girdles, one behind the other (legs of more than one `pair`), pitches with the ground below all feet; neck, head and
/// tail go along, roll stays as it was. A clip is adapted as it stands: clean it first where its feet slide; a plant
/// whose toe moves by over 2 cm, as on the spot, rides over the ground and follows it frame by frame. Changes rotations
/// of hip, knee, heel and toe, translations of the travel joint and, where a body pitches, rotations of the lowest
/// joint that carries all legs; joint_changed (may be null; skeleton->joint_count bytes) gets bit 0 for a changed
/// rotation, bit 1 for a translation. Flat ground at the floor's height leaves the clip bit for bit. Fails, clip
/// untouched: SFT_ERR_ARG, SFT_ERR_DEF, SFT_ERR_RANGE, SFT_ERR_MEMORY. Time and memory linear in frames. Deterministic.
SFT_API sft_result sft_adapt_clip(const sft_adapt_clip_def* def, const sft_skeleton* skeleton, const sft_leg* legs,
                                  int32_t leg_count, const sft_contact_labels* labels, const sft_ground* ground,
                                  const sft_allocator* allocator, sft_clip* clip, uint8_t* joint_changed,
                                  sft_adapt_clip_report* report);

#endif
