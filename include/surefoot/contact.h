// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

/// @file contact.h
/// When a foot is on the ground. Two signals a foot: *plant* (the toe stands still and may be locked) and *touch* (any
/// part of the foot bears on the ground, as force plates see it). Tracks in, labels out: no skeleton is needed.
#ifndef SUREFOOT_CONTACT_H
#define SUREFOOT_CONTACT_H

#include "surefoot/math.h"

#define SFT_MAX_FEET 64

/// World positions of one foot, frame_count entries each [m, Y up]. heel and toe_end may be null where the rig has
/// none.
typedef struct sft_foot_tracks
{
    const sft_v3d* heel;
    const sft_v3d* toe; ///< never null: the lockable point
    const sft_v3d* toe_end;
} sft_foot_tracks;

/// The character that a foot belongs to: what takes the place of pelvis and leg_length below.
typedef struct sft_contact_body
{
    const sft_v3d* pelvis; ///< frame_count entries [m]
    double leg_length;     ///< [m]
} sft_contact_body;

typedef struct sft_contact_input
{
    int32_t frame_count;   ///< > 0
    double frame_time;     ///< [s] > 0
    int32_t first_frame;   ///< frames before it are a reference pose: never labelled, never looked at
    const sft_v3d* pelvis; ///< frame_count entries [m]
    const sft_foot_tracks* feet;
    int32_t foot_count;
    double leg_length; ///< [m] hip to toe along the chain, 0 where unknown: thresholds then take a 0.9 m leg
    const sft_contact_body* bodies; ///< where a clip has several characters: foot_count entries, each foot's own; feet
                                    ///< with one pelvis track are one character. Null: all feet are of one
} sft_contact_input;

/// Labels, [foot * frame_count + frame], each 0 to 1; above the threshold (0.75 by default) counts as contact.
typedef struct sft_contact_labels
{
    int32_t frame_count;
    int32_t foot_count;
    float* plant;
    float* touch;
} sft_contact_labels;

/// What the clip's slide comes from.
typedef struct sft_contact_mismatch
{
    bool known;               ///< false: not enough evidence, the figures below are neutral
    double root_travel;       ///< travel of the root over what the feet support: 1.25 where it was scaled by 1.25
    double root_travel_error; ///< one standard error of it
    sft_v3d ground_velocity;  ///< [m/s] steady velocity of planted feet: zero over ground, -belt on a treadmill
    bool moving_ground;       ///< treadmill or in-place clip: plants should ride ground_velocity
    int32_t evidence_frames;
    double residual_cm_s; ///< median speed of planted toes left unexplained [cm/s]
    char text[200];       ///< one sentence: "the root travels 1.25 times what the feet support"
} sft_contact_mismatch;

typedef struct sft_contact_def
{
    double plant_speed;      ///< [m/s] 0.1 to 0.5; default 0.25, article 000's
    double filter_window;    ///< [s] majority filter; default 5/60, article 000's five frames at 60 Hz
    bool explain_slide;      ///< label on velocity left after mismatch and ground velocity; default true
    bool held_only;          ///< plants of feet that something holds exactly end where it lets go, for measuring
                             ///< (docs/contact.md); default false: solvers want landing and leaving too
    bool given_ground;       ///< take ground_velocity as it is instead of estimating it; default false
    sft_v3d ground_velocity; ///< [m/s], horizontal
    uint32_t cookie;
} sft_contact_def;

SFT_API sft_contact_def sft_default_contact_def(void);

/// Allocates zeroed labels. The caller owns them.
SFT_API sft_result sft_contact_labels_create(int32_t frame_count, int32_t foot_count, const sft_allocator* allocator,
                                             sft_contact_labels** out);
SFT_API void sft_contact_labels_destroy(sft_contact_labels* labels, const sft_allocator* allocator);

/// The default labeller (docs/contact.md). `labels` must match the input's counts; `mismatch` may be null.
/// Fails, outputs untouched: SFT_ERR_ARG, SFT_ERR_DEF, SFT_ERR_RANGE, SFT_ERR_MEMORY. Time and memory linear in frames.
SFT_API sft_result sft_contact_label(const sft_contact_def* def, const sft_contact_input* input,
                                     const sft_allocator* allocator, sft_contact_labels* labels,
                                     sft_contact_mismatch* mismatch);

/// The same of a clip with several characters, each labelled by itself, as if it were alone: mismatches (may be null)
/// has foot_count entries, each foot's that of its character. sft_contact_label gives the first foot's.
SFT_API sft_result sft_contact_label_bodies(const sft_contact_def* def, const sft_contact_input* input,
                                            const sft_allocator* allocator, sft_contact_labels* labels,
                                            sft_contact_mismatch* mismatches);

/// Velocity [m/s] that planted feet should ride: the one that `def` gives; else that of a ground which `mismatch` says
/// moves; else none. Pure.
SFT_API sft_v3d sft_contact_ground_velocity(const sft_contact_def* def, const sft_contact_mismatch* mismatch);

/// The plain rule, for comparison: speed(i) = |toe(i) - toe(i-1)| / dt in 3-D at the clip's own rate, speed of the
/// first frame = that of the second, no height test, below def->plant_speed, then the majority over max(3,
/// round(filter_window / dt) made odd) frames with edges repeated. Fills plant, and touch with the same.
SFT_API sft_result sft_contact_label_plain(const sft_contact_def* def, const sft_contact_input* input,
                                           const sft_allocator* allocator, sft_contact_labels* labels);

/// Labels as CSV text: `frame,time`, then per foot a column `<toe joint>` (plant) and `<toe joint>:touch`.
/// The caller releases *text of *size + 1 bytes through the same allocator.
SFT_API sft_result sft_contact_format_csv(const sft_contact_labels* labels, double frame_time,
                                          const char* const* toe_names, const sft_allocator* allocator, char** text,
                                          size_t* size);

/// Reads such text back. Columns may come in any order, touch columns may be missing (touch = plant then); unknown
/// columns are an error that names them; every foot must have its plant column. Quoted fields, CR/LF and a BOM are
/// accepted. Fails, labels untouched: SFT_ERR_SYNTAX (line in *error), SFT_ERR_LIMIT, SFT_ERR_MEMORY, SFT_ERR_ARG.
SFT_API sft_result sft_contact_parse_csv(const char* text, size_t size, const char* const* toe_names,
                                         const sft_allocator* allocator, sft_contact_labels* labels, sft_error* error);

#endif
