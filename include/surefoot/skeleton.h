// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

/// @file skeleton.h
/// Joints, their parents and the rest pose. Immutable after creation, so many threads may read one skeleton.
#ifndef SUREFOOT_SKELETON_H
#define SUREFOOT_SKELETON_H

#include "surefoot/math.h"

/// Most joints a skeleton may have; beyond it readers answer SFT_ERR_LIMIT.
#define SFT_MAX_JOINTS 65536

/// Set for a leaf that carries a position only (BVH End Site): it has no channels and no name of its own, and answers
/// to its parent's name.
#define SFT_JOINT_END_SITE 0x1u

/// A joint hierarchy, parents before children. All arrays have joint_count entries and belong to the skeleton.
typedef struct sft_skeleton
{
    int32_t joint_count;
    const char* const* names;         ///< UTF-8 as far as the file was; never null; names may repeat
    const int32_t* parents;           ///< index of the parent, smaller than the own; -1 for a root (several are fine)
    const uint32_t* flags;            ///< SFT_JOINT_*
    const sft_v3d* rest_translations; ///< parent space [m] (or file units before sft_clip_rescale)
    const sft_quatd* rest_rotations;  ///< parent space; identity in BVH
} sft_skeleton;

/// Copies the arrays of `def` into one new skeleton. rest_rotations may be null (identity), flags may be null (0).
/// Fails: SFT_ERR_ARG (null, a parent not before its child), SFT_ERR_LIMIT, SFT_ERR_RANGE (NaN), SFT_ERR_MEMORY.
/// The copy is owned by the caller: sft_skeleton_destroy with the same allocator.
SFT_API sft_result sft_skeleton_create(const sft_skeleton* def, const sft_allocator* allocator, sft_skeleton** out);

/// Null is fine.
SFT_API void sft_skeleton_destroy(sft_skeleton* skeleton, const sft_allocator* allocator);

/// Index of the first joint of that exact name that is no End Site, -1 where there is none. Linear. Pure.
SFT_API int32_t sft_skeleton_find(const sft_skeleton* skeleton, const char* name);

/// Model-space transforms of a pose: `local_t` and `local_r` and `out` have joint_count entries. Pure; no allocation.
SFT_API void sft_skeleton_forward(const sft_skeleton* skeleton, const sft_v3d* local_t, const sft_quatd* local_r,
                                  sft_xformd* out);

/// Model-space transform of one joint alone, by walking up its parents. Pure; no allocation.
SFT_API sft_xformd sft_skeleton_joint_model(const sft_skeleton* skeleton, const sft_v3d* local_t,
                                            const sft_quatd* local_r, int32_t joint);

#endif
