// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

/// @file clip.h
/// Sampled motion of a skeleton, in doubles, and the space it was written in.
#ifndef SUREFOOT_CLIP_H
#define SUREFOOT_CLIP_H

#include "surefoot/skeleton.h"

/// Frame-major local transforms. Translations are the full joint translation in parent space (rest offset included).
typedef struct sft_clip
{
    int32_t joint_count;
    int32_t frame_count;
    double frame_time;     ///< [s] > 0
    sft_v3d* translations; ///< [frame * joint_count + joint], parent space
    sft_quatd* rotations;  ///< [frame * joint_count + joint], parent space, unit length
} sft_clip;

typedef enum sft_axis
{
    SFT_AXIS_X = 0,
    SFT_AXIS_Y = 1,
    SFT_AXIS_Z = 2,
    SFT_AXIS_NEG_X = 3,
    SFT_AXIS_NEG_Y = 4,
    SFT_AXIS_NEG_Z = 5
} sft_axis;

/// Unit and up axis of a file: p_inside = turn(up -> +Y) * unit_metres * p_file.
/// The turn is the one that keeps the axes in order: Z up maps (x, y, z) to (x, z, -y); X up maps (x, y, z) to (-y, x,
/// z); negative axes likewise, by the rotation about one coordinate axis (half a turn about X for -Y).
typedef struct sft_space
{
    double unit_metres;   ///< metres in one file unit, > 0
    sft_axis up;          ///< file axis that points up
    double figure_height; ///< file units, head to sole as measured; 0 where unknown
    bool unit_sure;       ///< a well-known unit fits; false: scaled to a usual figure
    bool up_sure;
    char reason[160]; ///< one English sentence for people
} sft_space;

/// Allocates a clip with zero translations and identity rotations. Fails: SFT_ERR_ARG, SFT_ERR_LIMIT, SFT_ERR_MEMORY.
SFT_API sft_result sft_clip_create(int32_t joint_count, int32_t frame_count, double frame_time,
                                   const sft_allocator* allocator, sft_clip** out);

/// Null is fine.
SFT_API void sft_clip_destroy(sft_clip* clip, const sft_allocator* allocator);

/// Works out unit and up axis from proportions, rest pose and motion of a clip still in file units and axes
/// (docs/space.md). Never fails on a valid clip: where nothing speaks, the answer is 1 unit = 1 m or the nearest usual
/// figure, Y up, and `*_sure` is false. Errors: SFT_ERR_ARG, SFT_ERR_MEMORY. Deterministic.
SFT_API sft_result sft_clip_infer_space(const sft_skeleton* skeleton, const sft_clip* clip,
                                        const sft_allocator* allocator, sft_space* out);

/// The rotation part of a space: turns file axes to inside axes (Y up). Pure.
SFT_API sft_quatd sft_space_turn(sft_axis up);
/// A point or displacement from file units and axes to inside, and back. Pure.
SFT_API sft_v3d sft_space_to_inside(const sft_space* space, sft_v3d file);
SFT_API sft_v3d sft_space_to_file(const sft_space* space, sft_v3d inside);

/// Brings clip and skeleton from file units and axes to metres, Y up, in place: every translation is scaled, and root
/// joints (no parent) are turned too. Local rotations of other joints do not change. Pure on its arguments.
SFT_API sft_result sft_clip_rescale(sft_skeleton* skeleton, sft_clip* clip, const sft_space* space);

/// First frame of the motion proper: 0, or, where frame 0 is a reference pose (T-pose, rest pose at the origin)
/// followed by a jump that nothing later in the clip explains, 1 (docs/space.md). Frames after it over which a tool
/// smoothed the jump are motion. Clip in metres. `reason` (may be null, 128 bytes) says why. Pure.
SFT_API int32_t sft_clip_first_frame(const sft_skeleton* skeleton, const sft_clip* clip, char* reason);

/// Joint that carries the travel through the world: the root that moves (by more than 0.1 mm; of several the one with
/// most joints below it), else the first joint down the stem that does, else the child of the first fork that moves by
/// more than 2 cm and carries most joints (a pelvis beside control joints), else the root. -1 for an empty skeleton.
/// `first_frame` as above. Pure.
SFT_API int32_t sft_clip_travel_joint(const sft_skeleton* skeleton, const sft_clip* clip, int32_t first_frame);

/// Model-space positions of one joint over all frames into out[frame_count]. Pure; no allocation.
SFT_API void sft_clip_joint_track(const sft_skeleton* skeleton, const sft_clip* clip, int32_t joint, sft_v3d* out);

/// Samples the clip at a new frame time: positions by cubic (Catmull-Rom) interpolation, rotations by the same on the
/// sphere, ends clamped. Frames before `first_frame` are copied as they are and never mixed in; after them come
/// round(duration / new frame time) + 1 frames, where duration is (frames - 1 - first_frame) * frame_time. A sample
/// time that falls on a frame gives its doubles back unchanged. The new clip belongs to the caller. Fails: SFT_ERR_ARG,
/// SFT_ERR_LIMIT, SFT_ERR_MEMORY. Deterministic. Source: Kim, Kim and Shin 1995, see src/clip/resample.c.
SFT_API sft_result sft_clip_resample(const sft_clip* clip, double frame_time, int32_t first_frame,
                                     const sft_allocator* allocator, sft_clip** out);

#endif
