// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

/// @file tracks.h
/// From a clip and its legs to what labels and figures are made of: where pelvis, hips, knees and feet are in each
/// frame.
#ifndef SUREFOOT_TRACKS_H
#define SUREFOOT_TRACKS_H

#include "surefoot/leg.h"
#include "surefoot/metrics.h"

/// Whose feet.
typedef struct sft_tracks_body
{
    const sft_skeleton* skeleton; ///< metres, Y up
    const sft_leg* legs;
    int32_t leg_count;   ///< 1 to SFT_MAX_LEGS
    int32_t first_frame; ///< frames before it are a reference pose: sft_clip_first_frame
} sft_tracks_body;

/// Read-only once it is made, so that threads may share it. Arrays inside have frame_count entries and belong to it;
/// foot i is that of leg i.
typedef struct sft_tracks
{
    sft_contact_input input; ///< for sft_contact_label; leg_length is the mean over the legs in the first frame
    sft_foot_tracks feet[SFT_MAX_LEGS];
    const sft_v3d* hips[SFT_MAX_LEGS];
    const sft_v3d* knees[SFT_MAX_LEGS];
    const sft_quatd* rotations[SFT_MAX_LEGS * 4]; ///< local, [foot * 4 + SFT_METRICS_*]
} sft_tracks;

/// Of a clip of the body's joints. Fails, *out untouched: SFT_ERR_ARG (no legs, a leg's joint that is not there, a clip
/// of other joints), SFT_ERR_MEMORY. Time and memory linear in frames. The caller owns the tracks.
SFT_API sft_result sft_tracks_create(const sft_tracks_body* body, const sft_clip* clip, const sft_allocator* allocator,
                                     sft_tracks** out);
/// Null is fine.
SFT_API void sft_tracks_destroy(sft_tracks* tracks, const sft_allocator* allocator);

/// What sft_metrics_measure takes, of these tracks and labels: contact_threshold 0.75, the ground at rest. It points
/// into both and lives as long. Pure.
SFT_API sft_metrics_input sft_tracks_metrics_input(const sft_tracks* tracks, const sft_contact_labels* labels);

/// Height [m] of the lowest joints of planted feet, the median over plants of their own medians, to a tenth of a
/// millimetre; *found false (and *level 0) where there is no plant. A foot that stands above its own hip is held in the
/// air and does not count. Fails, outputs untouched: SFT_ERR_ARG, SFT_ERR_MEMORY. Deterministic.
SFT_API sft_result sft_tracks_plant_level(const sft_tracks* tracks, const sft_contact_labels* labels, double threshold,
                                          const sft_allocator* allocator, double* level, bool* found);

/// Where a clip goes, over the ground: what grounds are laid by that do not say where they lie.
typedef struct sft_tracks_way
{
    sft_v3d start; ///< [m] of the pelvis in the first frame
    double travel; ///< [m] level, from there to the place furthest from it: a walk there and back ends where it began
    double
        heading;   ///< [rad] of that way, about +Y from +Z; where the feet point (mean over frames) for a clip in place
    bool in_place; ///< it comes no further than 0.3 m
    double heading_degrees; ///< a whole number, for people
    sft_v3d origin;         ///< start to a millimetre, its y as it is
} sft_tracks_way;

/// Frames before the body's first one do not count. Fails, *out untouched: SFT_ERR_ARG (null, or no frame is left).
/// Deterministic, pure.
SFT_API sft_result sft_tracks_find_way(const sft_tracks* tracks, sft_tracks_way* out);
/// [m] How far on a ground begins that is to be walked onto: a quarter of the way to a centimetre, 0.4 to 1.5 m. Pure.
SFT_API double sft_tracks_approach(double travel);

#endif
