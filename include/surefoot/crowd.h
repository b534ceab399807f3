// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

/// @file crowd.h
/// Thousands of legs at once from flat arrays (structure of arrays, float), vectorised: two-bone solves, foot locks and
/// whole leg solves (docs/crowd.md). The widest vectors that the processor has are picked when a function is called;
/// whichever they are, the bits are the same, and one leg has the same bits as one of ten thousand.
///
/// An array holds one value a leg and needs the alignment of float only. An output may be the very array of an input,
/// and overlaps nothing else. Nothing is allocated, there are no globals; calls that write different arrays may run at
/// the same time, so a crowd may be cut into pieces for threads (pieces with a state at multiples of SFT_CROWD_LANES).
///
/// A leg with bad input (NaN, infinite, further than SFT_HUGE, rotations not of unit length) keeps its pose and its
/// state, is flagged SFT_CROWD_BAD and touches no other; the call then returns SFT_ERR_RANGE, all others are done.
/// Float resolves 0.1 micrometre a metre away from the origin and 0.1 mm a kilometre away: keep crowds near theirs.
#ifndef SUREFOOT_CROWD_H
#define SUREFOOT_CROWD_H

#include "surefoot/leg.h"

/// Which code runs. Other than BEST is for tests and measurements; a path that the processor or the build does not have
/// is SFT_ERR_UNSUPPORTED.
typedef enum sft_crowd_path
{
    SFT_CROWD_BEST = 0,
    SFT_CROWD_SCALAR = 1,
    SFT_CROWD_SSE2 = 2,
    SFT_CROWD_AVX2 = 3,
    SFT_CROWD_AVX512 = 4,
    SFT_CROWD_WASM = 5,
    SFT_CROWD_NEON = 6
} sft_crowd_path;

/// Whether processor and build have a path. BEST and SCALAR are always there. Pure.
SFT_API bool sft_crowd_has_path(sft_crowd_path path);
/// What BEST picks here. Pure.
SFT_API sft_crowd_path sft_crowd_best_path(void);

/// Vectors and quaternions as arrays of their parts. `x` null: the array is not there, where that is allowed.
typedef struct sft_v3_array
{
    float *x, *y, *z;
} sft_v3_array;

typedef struct sft_quat_array
{
    float *x, *y, *z, *w;
} sft_quat_array;

/// What a call says of each leg, bits of its flags.
#define SFT_CROWD_BAD 1u    ///< bad input; pose and state are as they were
#define SFT_CROWD_MISSED 2u ///< toe (two-bone: heel) further than 0.1 mm from its target
#define SFT_CROWD_LOCKED 4u ///< the foot is locked
#define SFT_CROWD_FREED 8u  ///< in contact, but let go by distance or by `release`

/// A path for all calls, and the settings of lock and leg for all legs of a call.
typedef struct sft_crowd_def
{
    float lock_distance;     ///< [m] >= 0, locks only where the output is closer than this to the animation; default
                             ///< 0.01; infinity locks at once
    float unlock_distance;   ///< [m] >= 0, lets go where the output is further than this; default 0.25
    float blend_time;        ///< [s] 0 to 3600, length of a crossing; default 0.5; 0 crosses at once
    float teleport_speed;    ///< [m/s] >= 0, faster is a teleport: the state starts anew; default 30; 0: never
    float contact_threshold; ///< contacts above it are contacts; default 0.75
    sft_leg_solve_def leg;   ///< default: sft_default_leg_solve_def()
    sft_crowd_path path;     ///< default SFT_CROWD_BEST
    uint32_t cookie;
} sft_crowd_def;

SFT_API sft_crowd_def sft_default_crowd_def(void);

// ---- two bones ----

/// Arrays of two-bone solves. Model space, metres.
typedef struct sft_two_bone_arrays
{
    sft_v3_array hip, knee, heel; ///< as they are
    sft_v3_array side;            ///< bend axis, any length; zero: the leg's own plane
    sft_v3_array target;          ///< for the heel
    const float* max_reach;       ///< >= 0
    const float* softening;       ///< >= 0
    sft_quat_array hip_turn;      ///< out: new model rotation of the hip = hip_turn * old one
    sft_quat_array knee_turn;     ///< out: the same for the knee and all below it
    sft_v3_array new_knee;        ///< out, may be null: where the knee comes to
    sft_v3_array new_heel;        ///< out, may be null
    uint32_t* flags;              ///< out, may be null
} sft_two_bone_arrays;

/// sft_leg_two_bone for `count` legs, in float: from max_reach - softening on the heel approaches max_reach along the
/// ray to its target, never past it; degenerate legs as in docs/leg.md. A bad leg gets no turn. Fails, nothing written:
/// SFT_ERR_ARG, SFT_ERR_UNSUPPORTED; with bad legs SFT_ERR_RANGE.
SFT_API sft_result sft_two_bone_batch(const sft_two_bone_arrays* arrays, int32_t count, sft_crowd_path path);

// ---- whole legs ----

/// Joints of legs: points in metres, rotations of unit length, all in one space with Y up (model space for the leg
/// alone, world space for sft_crowd_update).
typedef struct sft_crowd_pose
{
    sft_v3_array hip, knee, heel, toe;
    sft_v3_array toe_end; ///< null: no leg has one; a leg without one among others gets its toe
    sft_quat_array hip_r, knee_r, heel_r, toe_r;
} sft_crowd_pose;

typedef struct sft_crowd_legs
{
    sft_crowd_pose pose;    ///< as it is
    sft_crowd_pose out;     ///< out: solved; may be the same arrays. Its `hip` is not written and may be null
    sft_v3_array knee_side; ///< sft_leg.knee_side: knee-joint space
    sft_v3_array target;    ///< for the toe; not read by sft_crowd_update
    const float* heel_min;  ///< [m] sft_leg's minima, read with height_clamp alone
    const float* toe_min;
    const float* toe_end_min;
    float* heel_miss; ///< [m] out, may be null: heel to its target
    float* toe_miss;  ///< [m] out, may be null: toe to its target
    uint32_t* flags;  ///< out, may be null
} sft_crowd_legs;

/// sft_leg_solve for `count` legs by def->leg, in float: same steps, switches, policies and degenerate cases; a toe
/// within a micrometre of its target counts as there. Fails, nothing written: SFT_ERR_ARG, SFT_ERR_DEF,
/// SFT_ERR_UNSUPPORTED; with bad legs SFT_ERR_RANGE.
SFT_API sft_result sft_crowd_leg_solve(const sft_crowd_def* def, const sft_crowd_legs* legs, int32_t count);

// ---- locks ----

/// Feet to a block of states.
#define SFT_CROWD_LANES 16

/// States of SFT_CROWD_LANES feet; foot i is lane i % SFT_CROWD_LANES of block i / SFT_CROWD_LANES. Zero it to begin.
/// Read position, velocity and locked; the rest is the functions' own. To move a foot elsewhere copy its lane.
typedef struct sft_crowd_lock_block
{
    float position[3][SFT_CROWD_LANES];        ///< [m] output
    float velocity[3][SFT_CROWD_LANES];        ///< [m/s] of it
    float locked[SFT_CROWD_LANES];             ///< 1 or 0
    float released[SFT_CROWD_LANES];           ///< 1: let go in the midst of the contact at hand
    float seen[SFT_CROWD_LANES];               ///< 0: nothing yet; else 1 + steps of the source seen, up to 3
    float time[SFT_CROWD_LANES];               ///< [s] since the last crossing began
    float age[SFT_CROWD_LANES];                ///< [s] since the source was measured
    float step[SFT_CROWD_LANES];               ///< [s] over which it was
    float step_before[SFT_CROWD_LANES];        ///< [s] the step before that
    float source[3][SFT_CROWD_LANES];          ///< [m] as measured last
    float source_velocity[3][SFT_CROWD_LANES]; ///< [m/s]
    float chord[3][SFT_CROWD_LANES];           ///< mean velocity over the last step
    float bend[3][SFT_CROWD_LANES];            ///< its change
    float twist[3][SFT_CROWD_LANES];           ///< the change of that
    float planted[3][SFT_CROWD_LANES];         ///< [m]
    float offset[3][SFT_CROWD_LANES];          ///< output less source or plant when the crossing began
    float offset_velocity[3][SFT_CROWD_LANES];
} sft_crowd_lock_block;

/// Feet as the animation has them at this moment, and their states. World space.
typedef struct sft_crowd_feet
{
    sft_v3_array toe;             ///< [m]; sft_crowd_update takes the pose's where it is null
    const float* contact;         ///< against def->contact_threshold
    sft_v3_array velocity;        ///< [m/s] of the toe; null: by difference
    sft_v3_array plant;           ///< [m] where the toe is to stand if it locks now; null: at contact_height
    const float* contact_height;  ///< [m] Y of a planted toe without plant; null or NaN: the toe's own
    sft_v3_array body_velocity;   ///< [m/s] of what the foot stands on; planted points ride it; null: the fixed world
    const float* release;         ///< not 0: do not hold the foot now; null: hold
    const float* teleport;        ///< not 0: put elsewhere, the state starts anew; null: nobody was
    sft_crowd_lock_block* states; ///< (count + 15) / 16 blocks, in and out
    uint32_t* flags;              ///< out, may be null
} sft_crowd_feet;

/// One step of `dt` seconds of sft_lock_update's state machine for `count` feet, in float and without orientation. dt 0
/// leaves states as they are, but for teleports. Fails, nothing written: SFT_ERR_ARG, SFT_ERR_DEF, SFT_ERR_UNSUPPORTED,
/// SFT_ERR_RANGE for a bad dt; with bad feet SFT_ERR_RANGE.
SFT_API sft_result sft_crowd_lock_update(const sft_crowd_def* def, const sft_crowd_feet* feet, float dt, int32_t count);

/// Lock and leg in one pass: each foot's lock, then its leg solved with the lock's output as target; the same bits as
/// sft_crowd_lock_update and then sft_crowd_leg_solve. Flags of both are in legs->flags; feet->flags is not written. A
/// leg whose foot is bad keeps its pose too. Fails as they do.
SFT_API sft_result sft_crowd_update(const sft_crowd_def* def, const sft_crowd_feet* feet, const sft_crowd_legs* legs,
                                    float dt, int32_t count);

/// Output of foot `i`. Pure.
SFT_INLINE sft_v3 sft_crowd_lock_position(const sft_crowd_lock_block* states, int32_t i)
{
    const sft_crowd_lock_block* b = states + i / SFT_CROWD_LANES;
    const int32_t lane = i % SFT_CROWD_LANES;
    return SFT_LIT(sft_v3){b->position[0][lane], b->position[1][lane], b->position[2][lane]};
}

SFT_INLINE bool sft_crowd_lock_is_locked(const sft_crowd_lock_block* states, int32_t i)
{
    return states[i / SFT_CROWD_LANES].locked[i % SFT_CROWD_LANES] > 0.0f;
}

#endif
