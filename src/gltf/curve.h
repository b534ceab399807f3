// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// Keys and frames of an animation, as joints.c, frames.c, clip.c, apply.c and fit.c share them.
#ifndef SUREFOOT_GLTF_CURVE_H
#define SUREFOOT_GLTF_CURVE_H

#include <math.h>

#include "gltf/gltf.h"

/// Keys of a channel, new ones where it has them. Pure.
uint32_t sft_gltf_key_count(const sft_gltf* gltf, const gltf_animation* animation, const gltf_channel* channel);
/// Times of keys first to first + count - 1. Pure.
void sft_gltf_key_times(const sft_gltf* gltf, const gltf_animation* animation, const gltf_channel* channel,
                        uint32_t first, uint32_t count, double* out);

/// Value of a key without its tangents, as stored (rotations not made unit). Pure.
const double* sft_gltf_curve_value(const gltf_curve* curve, uint32_t key);
/// Whether a time is that of a key (or beyond the ends, where the nearest holds): true, and that key; false, and the
/// key before. `hint` as in sft_gltf_curve_at.
bool sft_gltf_curve_key(const gltf_curve* curve, double time, uint32_t* hint, uint32_t* key);

/// Channels of an animation that move joints: [3 * joint + path], path GLTF_TRANSLATION, GLTF_ROTATION, GLTF_SCALE;
/// -1 none. Of several for the same the last holds. Block of 3 * joint_count entries (at least one) that the caller
/// frees; null when memory is short.
int32_t* sft_gltf_map_channels(const sft_gltf* gltf, int32_t animation, const sft_allocator* allocator);

/// Whether the keys of a channel are evenly spaced: within 1e-4 s, and what float32 times cannot hold. Two keys are
/// where they are no more than 0.1 s apart.
/// *frame_time is then their spacing, 1/n or 1.001/n where the keys cannot be told from it. Reads all times; allocates
/// nothing.
bool sft_gltf_even_keys(const sft_gltf* gltf, const gltf_animation* animation, const gltf_channel* channel,
                        double* frame_time);

/// Decides the frames of an animation; `map` from sft_gltf_map_channels. Fails: SFT_ERR_LIMIT.
sft_result sft_gltf_plan_frames(const sft_gltf* gltf, int32_t animation, const sft_gltf_clip_def* def,
                                const int32_t* map, sft_gltf_frames* out, sft_error* error);
/// File time of every frame into out[frame_count]. Pure.
void sft_gltf_frame_times(const sft_gltf* gltf, int32_t animation, const sft_gltf_frames* frames, double* out);

/// Name of a joint's node for messages and skeletons; "node N" in `buffer` (at least 24 bytes) where it has none.
const char* sft_gltf_node_name(const sft_gltf* gltf, int32_t node, char* buffer);

#endif
