// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

/// @file lock.h
/// Foot locking at run time: in contact a foot follows the point where it was planted, else the animation, and crosses
/// between them by cubic inertialisation of position and velocity (docs/lock.md). Causal: only the past is known.
///
/// No allocation in the frame. A foot's state is plain data for itself alone: arrays of any length, on any threads,
/// give the same bits as one foot alone.
#ifndef SUREFOOT_LOCK_H
#define SUREFOOT_LOCK_H

#include "surefoot/contact.h"
#include "surefoot/leg.h"

typedef struct sft_lock_def
{
    double lock_distance;   ///< [m] locks only where the output is closer than this to the animation; default 0.01,
                            ///< article 000's; infinity locks at once, the blend then carries what is left
    double unlock_distance; ///< [m] lets go where the output is further than this from the animation; default 0.25
    double blend_time;      ///< [s] >= 0, length of a crossing; default 0.5, article 000's; 0 crosses at once
    double teleport_speed;  ///< [m/s] a source that moved faster than this, and not with what it stands on, was put
                            ///< elsewhere: the state starts anew at it, without a blend; default 30; 0: never
    bool lock_orientation;  ///< the foot's orientation is held too; default false: it pivots about its toe
    uint32_t cookie;
} sft_lock_def;

SFT_API sft_lock_def sft_default_lock_def(void);

/// What a foot stands on, where it is at this moment. id 0 is the fixed world, whose place is not read.
typedef struct sft_lock_body
{
    int32_t id;
    sft_xformd place; ///< body space to world
} sft_lock_body;

/// One foot as the animation has it at this moment. World space throughout.
typedef struct sft_lock_input
{
    sft_v3d toe;             ///< [m]
    sft_quatd foot;          ///< orientation of the foot; read with lock_orientation alone
    const sft_v3d* velocity; ///< [m/s] of the toe; null: by difference (docs/lock.md)
    bool contact;
    const sft_v3d* plant;  ///< [m] where the toe is to stand if it locks now (the ground under it, say); null: the toe
                           ///< itself at contact_height
    double contact_height; ///< [m] Y of a planted toe where plant is null; NaN: the toe's own
    sft_lock_body body;    ///< what the foot would stand on; for a locked foot what it stands on, moved on. A locked
                           ///< foot that is given another id stands on something that vanished: it lets go
    const sft_v3d* body_velocity; ///< [m/s] of the body at the toe; null: by difference of its place, zero at first
                                  ///< sight
    bool release;  ///< do not hold the foot now: the leg does not reach (sft_leg_report), or the game wants it
    bool teleport; ///< the character was put elsewhere: the state starts anew
} sft_lock_input;

/// Why a foot is not locked though it is in contact, for reports.
typedef enum sft_lock_release
{
    SFT_LOCK_RELEASE_NONE = 0,
    SFT_LOCK_RELEASE_DISTANCE = 1, ///< the planted point got further away than unlock_distance
    SFT_LOCK_RELEASE_BODY = 2,     ///< what it stood on vanished
    SFT_LOCK_RELEASE_ASKED = 3     ///< by the input's release; in whole clips: the leg does not reach
} sft_lock_release;

/// What differences tell of a point or a rotation: divided differences of first to third order, and the last steps.
typedef struct sft_lock_trace
{
    sft_v3d chord, bend, twist;
    double step, step_before;
    int32_t count; ///< chords seen, up to 3
} sft_lock_trace;

/// Zero it to begin: the first update then starts at the source, at rest on what it stands on. Read position, velocity,
/// rotation and locked; the rest is the function's own.
typedef struct sft_lock_state
{
    sft_v3d position, velocity; ///< output [m], [m/s]
    sft_quatd rotation;         ///< output, with lock_orientation; else the input's foot
    sft_v3d spin;               ///< [rad/s] of it, with lock_orientation
    sft_v3d input_position;     ///< source, body and their velocities as measured last
    sft_quatd input_rotation;
    sft_v3d input_velocity, input_spin;
    sft_lock_trace input_trace, input_turn;
    sft_xformd body_place;
    sft_lock_trace body_trace, body_turn;
    sft_v3d body_velocity, body_spin;     ///< of the body's origin
    double age;                           ///< [s] since they were measured: steps below 0.1 ms are gathered
    sft_v3d base_position, base_velocity; ///< what the output goes to: source or plant, as seen last
    sft_quatd base_rotation;
    sft_v3d base_spin;
    sft_v3d offset_position, offset_velocity; ///< output less source or plant, at time 0 of the crossing
    sft_v3d offset_rotation, offset_spin;     ///< the same as rotation vectors [rad], [rad/s]
    sft_v3d planted;                          ///< in body space
    sft_quatd planted_rotation;               ///< in body space
    double time;                              ///< [s] since the last crossing began
    int32_t body;
    sft_lock_release release; ///< of the contact at hand; NONE once it is locked again or its contact ends
    bool locked;
    bool started;
} sft_lock_state;

/// One step of `dt` seconds. dt 0 (a paused game) leaves the state as it is, but for a teleport by flag. Steps may
/// vary. In article 000's order: source velocity, inertialised output, distance, then lock or unlock; a crossing in
/// mid-blend starts from where the output is and how it moves, the running offset included. A foot let go in the midst
/// of its contact locks again once the output is within lock_distance and half the unlock_distance of the animation.
/// Fails, state untouched: SFT_ERR_ARG, SFT_ERR_DEF, SFT_ERR_RANGE (no numbers, dt < 0). Pure on its arguments.
SFT_API sft_result sft_lock_update(const sft_lock_def* def, const sft_lock_input* input, double dt,
                                   sft_lock_state* state);

/// `count` feet at once by one def. results[count] (may be null) gets each foot's own result; a foot with bad input is
/// left as it was and does not touch the others. Returns the first result that is not SFT_OK.
SFT_API sft_result sft_lock_update_many(const sft_lock_def* def, int32_t count, const sft_lock_input* inputs, double dt,
                                        sft_lock_state* states, sft_result* results);

// ---- whole clips ----

typedef struct sft_lock_clip_def
{
    sft_lock_def lock;        ///< default: sft_default_lock_def() with a blend_time of 0.2 (docs/lock.md says why)
    sft_leg_solve_def leg;    ///< default: sft_default_leg_solve_def() with max_extension 0.9, softening 0.1 and
                              ///< heel_lift 0.5, so that knees do not snap straight
    double contact_threshold; ///< labels above it are plants; default 0.75
    sft_v3d ground_velocity;  ///< [m/s] planted toes ride it; default zero
    const sft_v3d*
        ground_velocities; ///< the same for each leg, where characters have their own; null (default): of all
    int32_t first_frame;   ///< frames before it are a reference pose and stay as they are; default 0
    uint32_t cookie;
} sft_lock_clip_def;

SFT_API sft_lock_clip_def sft_default_lock_clip_def(void);

/// A run of planted frames at which the foot was not held: it had not come within lock_distance yet, or was let go.
typedef struct sft_lock_gap
{
    int32_t foot;             ///< index into the legs
    int32_t first, last;      ///< frames
    double distance;          ///< [m] largest distance of output to animation over them
    sft_lock_release release; ///< NONE: not locked yet
} sft_lock_gap;

typedef struct sft_lock_clip_report
{
    int32_t plant_count; ///< separate plants over all feet
    int32_t planted_frames;
    int32_t locked_frames;  ///< planted frames at which the foot was locked
    int32_t settled_frames; ///< locked frames whose blend was over
    double slide_max_cm_s;  ///< of a toe over steps both of whose frames are settled, as the pose ended up
    double miss_max_m;      ///< largest distance of a toe to where the lock wanted it: what the leg could not reach
    int32_t miss_max_frame; ///< -1 where all was reached
    int32_t miss_max_foot;
    int32_t gap_count;
    sft_lock_gap* gaps; ///< owned: sft_lock_clip_report_release; foot after foot, by frame
} sft_lock_clip_report;

SFT_API void sft_lock_clip_report_release(sft_lock_clip_report* report, const sft_allocator* allocator);

/// Runs the lock over a clip as a game would, frame by frame and causally, and solves the legs: the same as
/// sft_lock_update and sft_leg_solve at the clip's own frames. A toe is planted at its own height. A foot whose leg
/// does not reach the planted point is let go (SFT_LOCK_RELEASE_ASKED). Changes rotations of hip, knee, heel and toe
/// only; joint_changed (may be null; skeleton->joint_count bytes) gets bit 0 for them. Fails, clip untouched:
/// SFT_ERR_ARG, SFT_ERR_DEF, SFT_ERR_RANGE, SFT_ERR_MEMORY. Time linear in frames. Deterministic.
SFT_API sft_result sft_lock_clip(const sft_lock_clip_def* def, const sft_skeleton* skeleton, const sft_leg* legs,
                                 int32_t leg_count, const sft_contact_labels* labels, const sft_allocator* allocator,
                                 sft_clip* clip, uint8_t* joint_changed, sft_lock_clip_report* report);

// ---- the inertialisation alone ----

/// What is left of a crossing: offset and its velocity as they were `time` seconds ago, when it began.
typedef struct sft_inertia
{
    sft_v3d offset, offset_velocity;
    double time;
} sft_inertia;

/// Offset and its velocity now: a cubic from (offset, offset_velocity) at time 0 to zero and rest at blend_time, zero
/// from there on. Pure.
SFT_API void sft_inertia_at(const sft_inertia* inertia, double blend_time, sft_v3d* offset, sft_v3d* velocity);

/// Begins a new crossing from source to destination without a step in the position or velocity of what is shown, the
/// running offset included.
SFT_API void sft_inertia_transition(sft_inertia* inertia, double blend_time, sft_v3d source, sft_v3d source_velocity,
                                    sft_v3d destination, sft_v3d destination_velocity);

#endif
