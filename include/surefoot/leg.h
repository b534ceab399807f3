// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

/// @file leg.h
/// Legs: finding them in any skeleton, and solving one so that its toe stands where it should.
#ifndef SUREFOOT_LEG_H
#define SUREFOOT_LEG_H

#include "surefoot/clip.h"

#define SFT_MAX_LEGS 64

typedef enum sft_leg_side
{
    SFT_LEG_LEFT = 0,
    SFT_LEG_RIGHT = 1,
    SFT_LEG_MIDDLE = 2
} sft_leg_side;

/// A leg as joint indices; -1 where the rig has none. `toe` is the lockable point; on a rig without a toe joint it is
/// the End Site or leaf below the heel, and toe_end is -1; where nothing at all hangs below the heel, toe is the heel
/// itself. Joints between the named ones ride along rigidly.
typedef struct sft_leg
{
    sft_leg_side side;
    int32_t pair;   ///< legs of one girdle share a number: 0 hind (pelvis), 1 next forward, ...
    int32_t pelvis; ///< joint the legs of the pair hang from; -1 (a given leg alone): none, and clean-up refuses it
    int32_t hip;
    int32_t knee;
    int32_t heel;
    int32_t toe;
    int32_t toe_end;
    sft_v3d knee_side; ///< knee-joint space, unit: bending the knee turns the shin about it by a positive angle; turned
                       ///< to model space, (heel - hip) x side points to where the knee bulges: +X, the left, for a
                       ///< person who faces +Z (article 000's side vector)
    double heel_min;   ///< [m] rest-pose height of heel, toe and toe end above the leg's own sole, its lowest point
    double toe_min;
    double toe_end_min;
    char reason[160]; ///< why these joints, for people
} sft_leg;

/// Finds legs by topology, proportions and rest-pose heights, helped by names (docs/legs.md). Clip and skeleton in
/// metres, Y up; clip may be null (then rest pose alone). Writes at most `capacity` legs, sorted by pair, left before
/// right, and their number to *count; none is a valid answer. Characters that hang from roots of their own are looked
/// at one by one, and their legs follow one another (sft_leg_root). Fails: SFT_ERR_ARG, SFT_ERR_MEMORY. Deterministic.
SFT_API sft_result sft_leg_find(const sft_skeleton* skeleton, const sft_clip* clip, const sft_allocator* allocator,
                                sft_leg* legs, int32_t capacity, int32_t* count);

/// Root that a leg hangs from: legs of different roots are those of different characters. Pure.
SFT_API int32_t sft_leg_root(const sft_skeleton* skeleton, const sft_leg* leg);

/// Size of the sentence below.
#define SFT_LEG_NONE_SIZE 160

/// Why sft_leg_find finds no legs here, for people: "no pair of limbs reaches the ground", say; no full stop, empty
/// where there are legs. `out` takes SFT_LEG_NONE_SIZE bytes. Fails: SFT_ERR_ARG, SFT_ERR_MEMORY. Deterministic.
SFT_API sft_result sft_leg_explain_none(const sft_skeleton* skeleton, const sft_clip* clip,
                                        const sft_allocator* allocator, char* out);

/// Fills in what a leg given by joints alone lacks: knee_side, minima, side. Fails: SFT_ERR_ARG with *error saying
/// which joint is not where it should be (hip above knee above heel above toe in the hierarchy).
SFT_API sft_result sft_leg_complete(const sft_skeleton* skeleton, const sft_clip* clip, sft_leg* leg, sft_error* error);

/// Which extension a leg may have. `source` below is the hip-heel distance of the pose at hand.
typedef enum sft_extension
{
    SFT_EXTENSION_SOURCE =
        0, ///< default: up to max(source, max_extension * chain), softened above both; source pose fixed
    SFT_EXTENSION_SOURCE_SOFT =
        1,                  ///< article 000 as printed: softened towards `source`; pulls the source pose in by soft/e
    SFT_EXTENSION_CHAIN = 2 ///< up to max_extension * chain, softened
} sft_extension;

typedef struct sft_leg_solve_def
{
    sft_extension extension; ///< default SFT_EXTENSION_SOURCE
    double max_extension;    ///< fraction of the chain's length in (0, 1]; default 0.995
    double softening;        ///< [m] >= 0; length over which the limit is approached; default 0.005, article 000's
    bool height_clamp;       ///< raise toe, heel and toe-end targets to their minima; default false
    bool heel_aim;           ///< turn the heel so that the toe meets its target; default true
    bool toe_aim;            ///< turn the toe so that the toe end meets its target; default true
    bool keep_foot;          ///< with heel_aim: start from the foot's model orientation in the pose at hand, so that a
                             ///< planted sole stays level; false: from the foot as the shin carried it, article 000's
    double heel_lift;        ///< [rad] 0 to pi: how far the foot may turn about the toe's target, so that the toe still
                             ///< stands there where the heel cannot come to its place; needs heel_aim; default 0, never
    double ground_height;    ///< [m] added to the minima; default 0
    uint32_t cookie;
} sft_leg_solve_def;

SFT_API sft_leg_solve_def sft_default_leg_solve_def(void);

/// The joints of one leg in model space [m]. toe_end.t alone counts of the last.
typedef struct sft_leg_pose
{
    sft_xformd hip, knee, heel, toe, toe_end;
} sft_leg_pose;

/// Article 000's three targets as used, and what came of them.
typedef struct sft_leg_report
{
    sft_v3d target_heel, target_toe, target_toe_end;
    double heel_miss; ///< [m] heel to its target
    double heel_lift; ///< [rad] the foot was turned about the toe's target, target_heel with it
    double toe_miss;  ///< [m] toe to its target
    double extension; ///< hip-heel distance over chain length
    bool reached;     ///< toe_miss <= 1e-5 m
} sft_leg_report;

/// Places the toe at `target`, changing the pose as little as possible: two-bone closed form by half-angle square
/// roots, the bend about the knee's own side axis, then the swing. `*pose` in and out, model space. Degenerate input
/// (straight or folded leg, target on the hip, zero-length bone, opposite vectors) has the finite answers of
/// docs/leg.md. Fails, outputs untouched: SFT_ERR_ARG, SFT_ERR_DEF, SFT_ERR_RANGE. No allocation; pure; bit-exact.
SFT_API sft_result sft_leg_solve(const sft_leg_solve_def* def, const sft_leg* leg, sft_v3d target, sft_leg_pose* pose,
                                 sft_leg_report* report);

/// The two-bone step alone: turns hip and knee (model rotations) so that the heel comes to `target`; from
/// max_reach - softening [m] on it approaches max_reach along the ray to the target, as in article 000, and never
/// passes it. `side` is the bend axis in model space, any length (zero: the leg's own plane). Everything below the knee
/// follows; the heel keeps its local rotation. Fails, *pose untouched: SFT_ERR_ARG, SFT_ERR_RANGE.
SFT_API sft_result sft_leg_two_bone(sft_leg_pose* pose, sft_v3d target, sft_v3d side, double max_reach,
                                    double softening);

/// The hip-heel distance [m] that the extension policy of `def` allows: `wanted` the one asked for, `source` the
/// pose's, `chain` thigh plus shin. Never more than `wanted` or `chain`; continuous with its first derivative in
/// `wanted` while any softness is left. A null def allows `wanted`. Pure.
SFT_API double sft_leg_allowed_distance(const sft_leg_solve_def* def, double wanted, double source, double chain);

/// Model-space pose of a leg's joints from local transforms (joint_count entries); joints between the named ones count
/// as part of them; a leg without toe end gets the toe's, one whose heel is its toe the heel's. Fails: SFT_ERR_ARG
/// (joints not below one another). Pure.
SFT_API sft_result sft_leg_pose_read(const sft_skeleton* skeleton, const sft_leg* leg, const sft_v3d* local_t,
                                     const sft_quatd* local_r, sft_leg_pose* pose);

/// Local rotations of hip, knee, heel and toe after the leg went from `before` (as read from local_r) to `after`.
/// Joints that did not turn against what carries them keep their bits. Fails: SFT_ERR_ARG. Pure.
SFT_API sft_result sft_leg_pose_write(const sft_leg* leg, const sft_leg_pose* before, const sft_leg_pose* after,
                                      sft_quatd* local_r);

/// sft_leg_solve on a whole run-time pose: of `local` (float, joint_count entries) only the rotations of hip, knee,
/// heel and toe are changed. `model`, joint_count entries, is output alone: the hip and what hangs below it are up to
/// date after it, nothing else is written. Uniform scales and mirrors above the leg are fine, shear is not. Fails,
/// outputs untouched: SFT_ERR_ARG, SFT_ERR_DEF, SFT_ERR_RANGE. No allocation, 8 KB of stack; pure; linear in the
/// joints.
SFT_API sft_result sft_leg_solve_pose(const sft_leg_solve_def* def, const sft_skeleton* skeleton, const sft_leg* leg,
                                      sft_v3 target_model, sft_xform* local, sft_xform* model, sft_leg_report* report);

#endif
