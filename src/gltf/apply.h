// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// What apply.c and put_back.c share: solved joints on their way back into a document.
#ifndef SUREFOOT_GLTF_APPLY_H
#define SUREFOOT_GLTF_APPLY_H

#include "gltf/curve.h"
#include "gltf/fold.h"

/// Doubles a frame that put_back.c works in.
#define GLTF_SCRATCH 16

/// A channel to be written.
typedef struct gltf_change
{
    int32_t joint;
    gltf_path path;
    gltf_keys* keys; ///< the document's memory already, but not yet in it
} gltf_change;

/// What is left over above a joint's children: one for all frames, or one a frame.
typedef struct gltf_track
{
    gltf_carry* list;
    size_t count; ///< 0, 1 or frame_count
} gltf_track;

typedef struct gltf_apply
{
    sft_gltf* gltf;
    const sft_allocator* allocator;
    int32_t animation;
    sft_gltf_frames frames;
    const sft_clip* clip;
    const sft_space* space;  ///< may be null
    const uint8_t* masks[2]; ///< by path: translations, rotations; may be null
    bool keep_keys;
    sft_error* error;
    size_t joints, count; ///< count: frames
    int32_t* map;
    gltf_bases bases;
    gltf_track* tracks; ///< one a joint
    int32_t* last;      ///< last joint below (a child) that needs this one's track; -1: none, the joint itself is not
                        ///< needed unless masked
    double* times;
    int32_t input;          ///< accessor whose keys are the frames; -1 none
    const float* new_times; ///< the document's memory; null until needed
    gltf_change* changes;
    size_t change_count; ///< room for 2 * joints
    double* scratch;     ///< count * GLTF_SCRATCH, see put_back.c
    sft_gltf_applied report;
} gltf_apply;

/// Puts one joint back: adds its changes, and leaves its track for its children. Joints come parents first.
sft_result sft_gltf_put_back(gltf_apply* work, size_t joint);

/// The times of the frames as floats for new keys, made at the first call; null with the error filled where floats
/// cannot tell frames apart, or memory is short.
const float* sft_gltf_new_times(gltf_apply* work, sft_result* result);

/// Values of STEP keys at source's times: means over the frames of each hold, `wanted` as below; unit where width is 4.
/// out[key_count * width]. Pure.
void sft_gltf_fit_steps(const gltf_curve* wanted, const gltf_curve* source, double* out);
/// Tangents and values of CUBICSPLINE keys at source's times that come nearest to `wanted` in the sense of least
/// squares; what no frame speaks of follows the change around it. out[key_count * 3 * width]. False when memory is
/// short. Deterministic.
bool sft_gltf_fit_spline(const gltf_curve* wanted, const gltf_curve* source, const sft_allocator* allocator,
                         double* out);
/// Least squares (docs/gltf.md, "Keeping keys"): values at `key_times` whose linear interpolation, on the sphere for
/// width 4, comes nearest to `wanted[frame_count * width]` at `times`. out[key_count * width]; unit where width is 4.
/// False when memory is short. Deterministic.
bool sft_gltf_fit_keys(const gltf_curve* wanted, const double* key_times, uint32_t key_count,
                       const sft_allocator* allocator, double* out);

#endif
