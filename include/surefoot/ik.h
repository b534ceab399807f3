// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

/// @file ik.h
/// The inverse kinematics family (docs/ik.md): joint limits, and two bones placed by a hint. Leg solving that changes a
/// given pose as little as possible is leg.h.
///
/// "Not reached" is report data, no error. Nothing here allocates. All functions are pure on their arguments, so any
/// number of threads may run them on one skeleton.
#ifndef SUREFOOT_IK_H
#define SUREFOOT_IK_H

#include "surefoot/skeleton.h"

// ---- joint limits ----

typedef enum sft_limit_kind
{
    SFT_LIMIT_FREE = 0,
    SFT_LIMIT_HINGE = 1, ///< turns about one axis alone
    SFT_LIMIT_SWING = 2, ///< swings within an elliptic cone about the axis, twists about it within a range
    SFT_LIMIT_FIXED = 3  ///< stays at the reference
} sft_limit_kind;

/// Limit of one joint: of d in local = reference * d. SWING takes d apart into a twist about `axis` and after it a
/// swing about an axis square to it. Start from one of the functions below.
typedef struct sft_limit
{
    sft_limit_kind kind;
    sft_quatd reference; ///< local rotation from which angles count; usually the rest rotation
    sft_v3d axis;        ///< hinge axis or bone axis, joint space, unit
    sft_v3d swing_x;     ///< SWING: joint-space unit vector square to axis; swing_max_x is the angle of a turn about it
    double min, max;     ///< [rad] hinge angle, or twist about the axis; min <= max <= min + 2 pi, both within 1000.
                         ///< Angles count modulo whole turns, so a range may cross the half turn (170 to 190 degrees)
    double swing_max_x;  ///< [rad] [0, pi] half-angles of the cone; between them an ellipse in tan(swing / 4), which
    double swing_max_y;  ///< for equal ones is a circle
} sft_limit;

/// A limit that limits nothing.
SFT_API sft_limit sft_limit_free(void);
/// A hinge about `axis` (joint space, any length) from min to max [rad].
SFT_API sft_limit sft_limit_hinge(sft_quatd reference, sft_v3d axis, double min, double max);
/// A round cone about the bone `axis` (joint space, any length), twist from twist_min to twist_max [rad].
SFT_API sft_limit sft_limit_cone(sft_quatd reference, sft_v3d axis, double half_angle, double twist_min,
                                 double twist_max);

/// SFT_OK, or what is wrong with a limit: SFT_ERR_ARG (null, unknown kind), SFT_ERR_RANGE (a vector not unit or not
/// square, an angle out of its range, NaN). Solvers check theirs. Pure.
SFT_API sft_result sft_limit_check(const sft_limit* limit);

/// The allowed rotation nearest to `local`, by the least angle between the two; `local` itself, bit for bit, where it
/// is allowed (within 1e-9 rad). *excess (may be null) is that angle [rad], 0 inside. Nearest is meant in full: of
/// twist and swing together, so what lies beyond both is not clamped one after the other. A hinge takes the twist about
/// its axis, beyond its range the nearer end, in the gap's middle `min`. Where several are equally near (swung by half
/// a turn), always the same one. `limit` as sft_limit_check wants it; a `local` that is not of unit length, or NaN,
/// gives the reference. A null limit is free. Idempotent. Pure. Source: docs/ik.md.
SFT_API sft_quatd sft_limit_clamp(const sft_limit* limit, sft_quatd local, double* excess);

/// Limits of every joint from the range of motion of a clip: `local_r` is frame-major, [frame * joint_count + joint].
/// References are mean rotations. Joints that turn about one axis only (all else within `tolerance` rad) become hinges;
/// others swing about their bone, in the smallest ellipse of the principal directions' proportions. Every range is
/// widened by `margin` [rad]; a joint that never moves is FIXED, with a margin a cone of that size. All frames of the
/// clip are allowed, hinges and fixed joints within `tolerance`. limits: joint_count entries out. Fails, outputs
/// untouched: SFT_ERR_ARG (null, no frames, tolerance or margin outside [0, pi]), SFT_ERR_RANGE (a rotation not of unit
/// length). Deterministic; 6 KB of stack.
SFT_API sft_result sft_limit_learn(const sft_skeleton* skeleton, const sft_quatd* local_r, int32_t frame_count,
                                   double tolerance, double margin, sft_limit* limits);

// ---- two bones by hint ----

/// Start from the default: bones of 1 m, which are yours to set.
typedef struct sft_ik_two_bone_def
{
    double upper, lower; ///< [m] bone lengths, > 0
    double epsilon;      ///< [m] > 0; the end stays that far inside [|upper - lower|, upper + lower], and a target
                         ///< nearer to the root has no direction; default 1e-5; at most half the shorter bone
                         ///< counts
    double direction_tolerance; ///< (0, 1): a hint whose part square to the limb is shorter than this part of it says
                                ///< nothing; default 1e-3
    sft_v3d reference_axis;     ///< reference pose: unit direction root to end, used while target and root coincide and
                                ///< nothing is remembered; default straight down
    sft_v3d reference_bend; ///< reference pose: unit direction the middle joint leans to; zero (default): none, then
                            ///< world X or Y, whichever lies more across the limb
    uint32_t cookie;
} sft_ik_two_bone_def;

SFT_API sft_ik_two_bone_def sft_default_ik_two_bone_def(void);

/// What one limb remembers from call to call: zero it to begin, and to forget after a teleport.
typedef struct sft_ik_bend
{
    sft_v3d axis; ///< unit, root to end as placed last; zero: nothing yet
    sft_v3d bend; ///< unit, square to it
} sft_ik_bend;

/// Where the bend direction came from.
typedef enum sft_ik_bend_source
{
    SFT_IK_BEND_HINT = 0,       ///< the hint's plane
    SFT_IK_BEND_REMEMBERED = 1, ///< the last one carried along; with a hint, on the way back to its plane
    SFT_IK_BEND_REFERENCE = 2,
    SFT_IK_BEND_WORLD = 3
} sft_ik_bend_source;

typedef struct sft_ik_two_bone
{
    sft_v3d middle, end;
    sft_v3d axis, bend; ///< unit, square to each other: from the root to the end, and to the middle's side
    double residual;    ///< [m] end to target
    double extension;   ///< distance of the end over upper + lower
    sft_ik_bend_source source;
} sft_ik_two_bone;

/// Places middle and end joint for a root and a target (any one space, metres). `hint` points from the root to the side
/// the middle joint should lean to (any length; zero or null: none). With `memory` (null: none) the plane of the bend
/// never turns faster than the target moves: between two calls it turns about the limb, against the shortest rotation
/// that carries the old axis to the new, by no more than the angle between these axes. Where the hint's plane turns
/// faster (a target that passes by or through the pole, which is the hint's own direction, or through the root), the
/// last plane is carried along instead and comes back to the hint's at half that rate. The middle's direction from the
/// limb is fixed by this alone, so full stretch is like any other place. Degenerate input: a target nearer than
/// |upper - lower| or farther than upper + lower, the end on the ray to it, residual said; target on the root, the
/// remembered axis, else the reference's; hint along the limb, the remembered bend, else the reference's, else world X
/// or Y. Fails, outputs untouched: SFT_ERR_ARG, SFT_ERR_DEF, SFT_ERR_RANGE (a coordinate NaN or beyond SFT_HUGE, memory
/// not unit). No allocation; pure but for *memory; bit-exact. Source: docs/ik.md.
SFT_API sft_result sft_ik_two_bone_place(const sft_ik_two_bone_def* def, sft_v3d root, sft_v3d target,
                                         const sft_v3d* hint, sft_ik_bend* memory, sft_ik_two_bone* out);

#endif
