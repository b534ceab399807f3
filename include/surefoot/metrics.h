// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

/// @file metrics.h
/// Figures for how well a clip stands: slide, penetration, floating, leg-length change, pops; and the skate figures
/// that others publish, with their definitions, so that numbers compare (docs/metrics.md).
#ifndef SUREFOOT_METRICS_H
#define SUREFOOT_METRICS_H

#include "surefoot/contact.h"

/// Joints whose pops are counted, in the order of sft_metrics_input.rotations.
#define SFT_METRICS_HIP 0
#define SFT_METRICS_KNEE 1
#define SFT_METRICS_HEEL 2
#define SFT_METRICS_TOE 3

/// One foot. Frames are counted from the start of the clip; a *_frame or *_joint is -1 where there is no such frame.
/// Support: each plant stands at its toe's own height (its median); between plants the lower of the two
/// neighbours counts, so that steps and slopes are no fault; heel and toe end stand as high above it as in the foot's
/// better plants. Without any plant, each point's own lowest twentieth is its support.
typedef struct sft_metrics_foot
{
    int32_t planted_frames; ///< frames labelled plant
    int32_t touch_frames;   ///< frames labelled touch
    int32_t plant_count;    ///< separate plants
    double slide_mean_cm_s; ///< mean 3-D toe speed over steps whose both frames are planted, less the ground's velocity
    double slide_max_cm_s;
    int32_t slide_max_frame;      ///< second frame of that step
    double slide_total_cm;        ///< path of the planted toe over the ground
    double touch_slide_mean_cm_s; ///< the same for the slowest of heel, toe and toe end over touch frames
    double penetration_max_cm;    ///< deepest of heel, toe and toe end below the foot's support; 0 or more
    int32_t penetration_max_frame;
    double penetration_mean_cm; ///< of the deepest point, over all frames
    double float_max_cm;        ///< highest a planted toe stands above its own plant's support; 0 or more
    int32_t float_max_frame;
    double support_range_cm;   ///< highest less lowest support of all plants: steps, slopes, or plants that sink
    double leg_change_max_cm;  ///< largest change over the clip of thigh, shin or foot length
    double pop_max_rad_s2;     ///< largest angular acceleration of hip, knee, heel and toe (local rotations)
    int32_t pop_max_frame;     ///< middle frame of the three it was taken from
    int32_t pop_max_joint;     ///< SFT_METRICS_*
    double pop_p999_rad_s2;    ///< the largest of the joints' 99.9th percentiles
    int32_t pop_count;         ///< pops: runs of frames of a joint beyond its limit, see sft_metrics_input.pop_limit
    int32_t pop_frame;         ///< of the pop furthest beyond its limit
    int32_t pop_joint;         ///< SFT_METRICS_* of the same
    double pop_over_its_limit; ///< its angular acceleration over its limit; 0 where there is no pop
} sft_metrics_foot;

/// Published figures over the clip, from first_frame on; NaN where a definition does not apply (too few frames, fewer
/// than two feet, no heels). Tracks are resampled by cubic interpolation to each definition's own frame rate, because
/// thresholds in metres a frame mean nothing else; a clip within 1 % of that rate is taken as it is. Heights are above
/// the lowest foot point of the clip. The ground's velocity is not subtracted: the definitions know none.
typedef struct sft_metrics_published
{
    double gmd_skating_ratio;     ///< guided-motion-diffusion, 20 Hz
    double kimodo_skate_ratio;    ///< Kimodo, 30 Hz
    double kimodo_toe_speed;      ///< [m/s] mean toe speed below 0.05 m, 30 Hz
    double height_weighted_slide; ///< [mm a frame] sum d (2 - 2^(h/H)), H 0.05 m, x1000 / frames, 30 Hz
    double edge_pfc;              ///< EDGE physical foot contact score, 30 Hz, first two feet
    double lafan_contact_ratio;   ///< share of heel and toe steps in contact by LaFAN1's rule, 30 Hz
    double humanml_contact_ratio; ///< the same by HumanML3D's rule, 20 Hz
} sft_metrics_published;

typedef struct sft_metrics_clip
{
    double slide_mean_cm_s; ///< over all feet's planted steps
    double slide_max_cm_s;
    int32_t slide_max_foot; ///< foot and frame of it, -1 where no step is planted
    int32_t slide_max_frame;
    double penetration_max_cm;
    int32_t penetration_max_foot;
    int32_t penetration_max_frame;
    int32_t pop_count;       ///< over all feet
    int32_t pop_foot;        ///< of the pop furthest beyond its limit, -1 where there is none
    double pelvis_accel_p99; ///< [m/s^2]
    double pelvis_accel_max;
    int32_t pelvis_accel_max_frame;
    double pelvis_height_mean; ///< [m]
    sft_metrics_published published;
} sft_metrics_clip;

/// Rotations of the leg joints may be null (pops are then 0): [foot * 4 + joint] -> frame_count local rotations.
typedef struct sft_metrics_input
{
    const sft_contact_input* tracks;
    const sft_contact_labels* labels;
    double contact_threshold;   ///< labels above it count; 0.75
    double pop_limit;           ///< [rad/s^2] a joint pops above the larger of this and five times its own 95th
                                ///< percentile; 0 means 150, above the usual peaks of walking
    sft_v3d ground_velocity;    ///< [m/s], zero over ground
    const sft_v3d* const* hips; ///< per foot frame_count positions, may be null
    const sft_v3d* const* knees;
    const sft_quatd* const* rotations; ///< foot_count * 4 pointers (hip, knee, heel, toe), each frame_count or null
    const sft_v3d* ground_velocities;  ///< per foot [m/s], where characters have their own; null: ground_velocity
} sft_metrics_input;

/// Fills feet[tracks->foot_count] and *clip; frames before tracks->first_frame are never looked at. No feet is fine.
/// Time and memory linear in frames. Fails, outputs untouched: SFT_ERR_ARG, SFT_ERR_RANGE, SFT_ERR_MEMORY.
/// Deterministic; pure but for the allocator. Source: docs/metrics.md.
SFT_API sft_result sft_metrics_measure(const sft_metrics_input* input, const sft_allocator* allocator,
                                       sft_metrics_foot* feet, sft_metrics_clip* clip);

#endif
