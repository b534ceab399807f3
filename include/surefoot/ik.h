// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

/// @file ik.h
/// The inverse kinematics family (docs/ik.md): joint limits, two bones placed by a hint, chains by CCD and FABRIK, aim
/// chains, and whole bodies with any number of goals by damped least squares. Leg solving that changes a given pose as
/// little as possible is leg.h.
///
/// Every iterative solver has a cap and a tolerance, and reports what is left; "not reached" is report data, no error.
/// Nothing here allocates: scratch comes from the caller, its size from the function of that name. All functions are
/// pure on their arguments, so any number of threads may run them on one skeleton, each with scratch of its own.
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

// ---- chains ----

/// A pose that a solver changes: local transforms, joint_count entries each, parents first.
typedef struct sft_ik_pose
{
    sft_v3d* local_t;   ///< parent space [m]; written only where a function says so
    sft_quatd* local_r; ///< unit; in and out
} sft_ik_pose;

/// Memory of the caller's, aligned for a double, used during the call only.
typedef struct sft_ik_scratch
{
    void* memory;
    size_t size; ///< at least what the function's own sft_ik_*_scratch_size says
} sft_ik_scratch;

/// Joints of a skeleton, each above the next in the hierarchy; what lies between two rides along. The last is the end,
/// whose own rotation moves nothing.
typedef struct sft_ik_chain
{
    const sft_skeleton* skeleton;
    int32_t joint_count;   ///< 2 to SFT_MAX_JOINTS
    const int32_t* joints; ///< root first
} sft_ik_chain;

typedef struct sft_ik_chain_def
{
    int32_t iterations;      ///< cap, >= 0; default 20
    double tolerance;        ///< [m] >= 0: reached within it; default 1e-3
    const sft_limit* limits; ///< one a joint of the skeleton; null (default): free
    double damping;          ///< [rad] > 0: CCD, most a joint turns in one step; default pi. Below pi no arc is tried
    bool arc;                ///< bend or stretch the chain as a whole when a round alone has not arrived; default true.
              ///< false: the bare algorithms, which leave a straight chain straight where its target lies
              ///< on its line, and need many rounds near full stretch
    sft_v3d bend; ///< model space: side a straight chain bends to; zero (default): one fixed in the root
                  ///< joint's space. Its hinges, where it has any, say so first
    uint32_t cookie;
} sft_ik_chain_def;

SFT_API sft_ik_chain_def sft_default_ik_chain_def(void);

typedef struct sft_ik_report
{
    int32_t iterations;
    double residual;     ///< [m] end to target, of the pose as written: rotations, limits kept
    double bone_error;   ///< [m] largest difference of a bone from its length; 0 where rotations are all that is turned
    double limit_excess; ///< [rad] by which the input pose was outside the limits
    bool reached;        ///< residual <= tolerance
} sft_ik_report;

/// Bytes of scratch for a chain of so many joints; 0 for a count out of range. Pure.
SFT_API size_t sft_ik_chain_scratch_size(int32_t joint_count);

/// Turns the joints of a chain, tip to root and over again, each so that the end comes as near to `target` (model
/// space) as this joint alone can bring it. Of `pose` only the rotations of the chain's joints change, the end's not. A
/// pose that has reached the target and keeps the limits stays bit for bit. Limits hold after every turn: hinges turn
/// about their axis to the best angle they may have, swings turn freely and go to the nearest allowed rotation, and a
/// turn that would not help is not made, so the residual never grows. Where the target is out of a free chain's reach,
/// the chain lies straight towards it (too near: folded), and the residual says so; a target that is just out of reach,
/// or a straight chain whose target lies on its line, neither curls nor shakes from frame to frame. Degenerate input:
/// bones of no length turn nothing; an end straight opposite of its target turns about a fixed axis; a straight chain
/// bends to the side that def says. `report` may be null. Fails, outputs untouched: SFT_ERR_ARG, SFT_ERR_DEF (limits
/// that sft_limit_check refuses included), SFT_ERR_RANGE, SFT_ERR_MEMORY (scratch too small). Pure; bit-exact; linear
/// in the joints a sweep. Source: docs/ik.md.
SFT_API sft_result sft_ik_ccd(const sft_ik_chain_def* def, const sft_ik_chain* chain, sft_v3d target,
                              const sft_ik_pose* pose, sft_ik_scratch scratch, sft_ik_report* report);

/// The same by FABRIK: points to the target and back to the root, then each joint turned to its bone's new direction by
/// the least turn from where its source rotation would lead, so that twist stays the source's. With limits, every round
/// turns points into rotations, limits them and takes the points from them; where that undoes the round, a sweep of CCD
/// within the limits goes on, and the best round is the answer. Everything else as in sft_ik_ccd.
SFT_API sft_result sft_ik_fabrik(const sft_ik_chain_def* def, const sft_ik_chain* chain, sft_v3d target,
                                 const sft_ik_pose* pose, sft_ik_scratch scratch, sft_ik_report* report);

/// The bare FABRIK on points (count entries, in and out; count - 1 lengths [m] >= 0): points[0] stays, bones get their
/// lengths whatever the input's were. Of def iterations and tolerance count. Points that coincide keep the direction of
/// the bone before them in the pass. Fails, outputs untouched: SFT_ERR_ARG, SFT_ERR_DEF, SFT_ERR_RANGE. Pure.
SFT_API sft_result sft_ik_fabrik_points(const sft_ik_chain_def* def, int32_t count, const double* lengths,
                                        sft_v3d target, sft_v3d* points, sft_ik_report* report);

// ---- aim ----

/// Most joints of an aim chain.
#define SFT_IK_AIM_LINKS 16

/// One joint's part in looking at something.
typedef struct sft_ik_aim_link
{
    int32_t joint;
    double share;    ///< [0, 1] of what is still to turn when its turn comes; equal parts of three are 1/3, 1/2, 1
    double max_turn; ///< [rad] >= 0: most this joint turns away from the pose that came in
} sft_ik_aim_link;

typedef struct sft_ik_aim_def
{
    const sft_ik_aim_link* links; ///< root first, each above the next: spine, neck, head; yours to set
    int32_t link_count;           ///< 1 to SFT_IK_AIM_LINKS
    const sft_limit* limits;      ///< one a joint of the skeleton; null (default): free
    sft_v3d forward;              ///< last link's joint space, unit: what should point at the target; default +Z
    sft_v3d up;                   ///< last link's joint space, unit, not along forward: its upper side; default +Y
    sft_v3d offset;               ///< last link's joint space [m]: where it looks from (between the eyes); default 0
    sft_v3d vertical;             ///< model space, unit; default +Y
    double level;                 ///< [0, 1]: 1 (default) keeps `up` as near to the vertical as looking at the target
                  ///< allows, 0 turns the least way; straight up and down nothing is level, and it fades
    double weight; ///< [0, 1]; 0 leaves the input bit for bit; default 1
    double range;  ///< (0, pi] [rad]: a target farther than this from where the input looks is not
                   ///< followed; over the last quarter of it the weight fades; default pi, so that a
                   ///< target that passes behind does not flick the head over
    uint32_t cookie;
} sft_ik_aim_def;

SFT_API sft_ik_aim_def sft_default_ik_aim_def(void);

typedef struct sft_ik_aim_report
{
    double miss;   ///< [rad] between `forward` and the way to the target, of the pose as written
    double weight; ///< as used, range included
} sft_ik_aim_report;

/// Turns the links so that the last one's `forward` points from its `offset` at `target` (model space): each link in
/// its turn, root first, makes its share of the rotation that is left, within its limit and max_turn; what one cannot
/// do is left to the next. The answer depends on the input pose alone, and moves smoothly with target and weight.
/// `pose`: only rotations of the links change. Degenerate input: a target on the eye changes nothing; straight behind,
/// half a turn about the up side (with the default range: nothing). `report` may be null. Fails, outputs untouched:
/// SFT_ERR_ARG (no links, not one above the next), SFT_ERR_DEF, SFT_ERR_RANGE. No scratch; pure; bit-exact. Source:
/// docs/ik.md.
SFT_API sft_result sft_ik_aim_at(const sft_ik_aim_def* def, const sft_skeleton* skeleton, sft_v3d target,
                                 const sft_ik_pose* pose, sft_ik_aim_report* report);

// ---- whole body ----

#define SFT_IK_MAX_GOALS 1024
/// Most different priorities in one call.
#define SFT_IK_MAX_LEVELS 8

typedef enum sft_ik_goal_kind
{
    SFT_IK_GOAL_POSITION = 0,
    SFT_IK_GOAL_ORIENTATION = 1
} sft_ik_goal_kind;

typedef struct sft_ik_goal
{
    sft_ik_goal_kind kind;
    int32_t joint;
    sft_v3d offset;        ///< POSITION: the point, in joint space [m], that should be at `position`
    sft_v3d position;      ///< POSITION: model space [m]
    sft_quatd orientation; ///< ORIENTATION: model space
    double weight;         ///< [0, 1e6], against others of its priority where they cannot all be met; 0: not there
    int32_t priority;      ///< least first; goals of a greater one use only what lesser ones leave free
} sft_ik_goal;

typedef struct sft_ik_goals
{
    const sft_ik_goal* goals;
    int32_t count; ///< 0 to SFT_IK_MAX_GOALS
    sft_v3d* warm; ///< joint_count rotations, in and out: what the last call turned, from where this one may start;
                   ///< zero them to begin; null: none
} sft_ik_goals;

typedef struct sft_ik_body_def
{
    int32_t iterations; ///< cap a priority, >= 0; default 16
    double tolerance;   ///< [m] and [rad] >= 0: a goal nearer than this is reached; default 1e-4
    double damping;     ///< (0, 1000], of a step's least squares, in radians over radians; it shrinks while steps
                        ///< help and grows where they do not; default 0.05
    double pose_weight; ///< [0, 1]: how much of the way back to the input pose each step goes, as far as no goal is
                        ///< touched by it; default 0.1
    double weight;      ///< [0, 1] of the whole change; 0 leaves the input bit for bit; default 1
    const double* stiffness; ///< joint_count entries, [0, 1]: 1 does not turn; null (default): all 0
    const sft_limit* limits; ///< joint_count entries; null (default): free
    int32_t translating;     ///< joint whose translation may change too (the pelvis); -1 (default): none
    uint32_t cookie;
} sft_ik_body_def;

SFT_API sft_ik_body_def sft_default_ik_body_def(void);

typedef struct sft_ik_body_report
{
    int32_t iterations;          ///< steps taken, of all priorities
    double position_residual;    ///< [m] largest of goals with weight, of the pose as written
    double orientation_residual; ///< [rad] likewise
    int32_t worst_goal;          ///< index; -1 none
    bool reached;                ///< every goal with weight is within tolerance
} sft_ik_body_report;

/// Bytes of scratch; 0 where skeleton or count are out of range. Grows with goals times joints. Pure.
SFT_API size_t sft_ik_body_scratch_size(const sft_skeleton* skeleton, int32_t goal_count);

/// Turns joints, and moves def->translating, until every goal is where it should be. Priorities are solved one after
/// another: a later one moves only what leaves earlier ones alone to first order, and a step that costs an earlier one
/// more than a tenth of the tolerance, limits and all, is not taken. Within a priority, weighted least squares. Limits
/// hold after every step; hinges turn about their axis only; joints at a limit are taken out of the step that pushes
/// them. Only joints above goals with weight change, those of stiffness 1 and FIXED ones excepted, and those outside
/// their limits come inside. A pose that has reached its goals stays bit for bit, so that fed with its own output
/// nothing drifts; out of reach, it comes to rest where nothing gets better. `report` may be null. Fails, outputs
/// untouched: SFT_ERR_ARG, SFT_ERR_DEF, SFT_ERR_RANGE, SFT_ERR_MEMORY (scratch too small). Pure; bit-exact.
/// Source: docs/ik.md.
SFT_API sft_result sft_ik_body(const sft_ik_body_def* def, const sft_skeleton* skeleton, const sft_ik_goals* goals,
                               const sft_ik_pose* pose, sft_ik_scratch scratch, sft_ik_body_report* report);

#endif
