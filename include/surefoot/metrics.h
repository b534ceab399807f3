// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

/// @file metrics.h
/// Figures for how well a clip stands: slide, penetration, floating, leg-length change, pops; and the skate figures
/// that others publish, with their definitions, so that numbers compare (docs/metrics.md).
#ifndef SUREFOOT_METRICS_H
#define SUREFOOT_METRICS_H

#include "surefoot/contact.h"

typedef struct sft_metrics_foot
{
    int32_t planted_frames; ///< frames labelled plant
    double slide_mean_cm_s; ///< mean 3-D toe speed over steps whose both frames are planted, less the ground's velocity
    double slide_max_cm_s;
    double slide_total_cm;        ///< path of the planted toe
    double touch_slide_mean_cm_s; ///< the same for the slowest of heel, toe and toe end over touch frames
    double penetration_max_cm;    ///< deepest of heel, toe and toe end below the foot's own support nearby
    double penetration_mean_cm;   ///< over all frames
    double float_max_cm;          ///< highest a planted toe stands above its own plant's support
    double leg_change_max_cm;     ///< largest change of hip-heel chain bone lengths over the clip
    double pop_max_rad_s2;        ///< largest angular acceleration of hip, knee, heel and toe (local rotations)
    double pop_p999_rad_s2;       ///< 99.9th percentile of the same
} sft_metrics_foot;

/// Published figures over the clip; NaN where a definition does not apply (too few frames, fewer than two feet).
typedef struct sft_metrics_published
{
    double gmd_skating_ratio;     ///< guided-motion-diffusion
    double kimodo_skate_ratio;    ///< Kimodo
    double kimodo_toe_speed;      ///< [m/s] mean toe speed below 0.05 m
    double height_weighted_slide; ///< sum d (2 - 2^(h/H)), H 0.05 m, x1000 / frames
    double edge_pfc;              ///< EDGE physical foot contact score
    double lafan_contact_ratio;   ///< share of frames in contact by LaFAN1's rule
} sft_metrics_published;

typedef struct sft_metrics_clip
{
    double slide_mean_cm_s; ///< over all feet's planted steps
    double slide_max_cm_s;
    double penetration_max_cm;
    double pelvis_accel_p99; ///< [m/s^2]
    double pelvis_accel_max;
    double pelvis_height_mean; ///< [m]
    sft_metrics_published published;
} sft_metrics_clip;

/// Rotations of the leg joints may be null (pops are then 0): [foot][4] -> frame_count local rotations.
typedef struct sft_metrics_input
{
    const sft_contact_input* tracks;
    const sft_contact_labels* labels;
    double contact_threshold;   ///< labels above it count; 0.75
    sft_v3d ground_velocity;    ///< [m/s], zero over ground
    const sft_v3d* const* hips; ///< per foot frame_count positions, may be null
    const sft_v3d* const* knees;
    const sft_quatd* const* rotations; ///< foot_count * 4 pointers (hip, knee, heel, toe), each frame_count or null
} sft_metrics_input;

/// Fills feet[tracks->foot_count] and *clip. Fails, outputs untouched: SFT_ERR_ARG, SFT_ERR_RANGE, SFT_ERR_MEMORY.
SFT_API sft_result sft_metrics_measure(const sft_metrics_input* input, const sft_allocator* allocator,
                                       sft_metrics_foot* feet, sft_metrics_clip* clip);

#endif
