// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// Shared by the files of the contact module. All work runs on tracks that start at the first frame that is no
// reference pose; `scale` is the leg over a 0.9 m leg and multiplies every height threshold.
#ifndef SUREFOOT_CONTACT_INTERNAL_H
#define SUREFOOT_CONTACT_INTERNAL_H

#include "surefoot/contact.h"

/// What remains of an input once it was checked and cut at its first frame.
typedef struct contact_view
{
    int32_t frames;
    int32_t foot_count;
    double dt;
    double scale;
    sft_v3d uneven; ///< [m/s] the ground that was taken out, where it is a mean that stances creep about; else zero
    double doubt;   ///< [m/s] of all velocities, where slide was estimated and taken out; else 0
    const sft_v3d* pelvis;
    sft_foot_tracks feet[SFT_MAX_FEET];
} contact_view;

/// What the slide comes from: velocity over ground = toe velocity + (slope - 1) * pelvis velocity - ground.
/// slope is 1 / (how far the root travels over what the feet support).
typedef struct contact_explanation
{
    bool known;
    bool moving_ground;
    bool uneven;        ///< the ground is the mean of what the feet do, which keep no one speed
    double slope;       ///< used for labelling; 1 where the plain motion explains the feet as well
    double slope_error; ///< one standard error
    sft_v3d ground;     ///< [m/s], horizontal
    int32_t evidence_frames;
} contact_explanation;

// ---- label.c ----

/// sft_contact_label of one character; arguments are not checked, input->bodies is not looked at.
sft_result sft_contact_label_one(const sft_contact_def* def, const sft_contact_input* input,
                                 const sft_allocator* allocator, sft_contact_labels* labels,
                                 sft_contact_mismatch* mismatch);

// ---- bodies.c ----

/// sft_contact_label_bodies of input->bodies; arguments are not checked. mismatches: foot_count entries.
sft_result sft_contact_label_groups(const sft_contact_def* def, const sft_contact_input* input,
                                    const sft_allocator* allocator, sft_contact_labels* labels,
                                    sft_contact_mismatch* mismatches);

// ---- windows.c ----

/// max(3, round(seconds / dt) made odd)
int32_t sft_contact_odd_window(double seconds, double dt);
/// Majority of bits over an odd window, edges repeated. cumulative: n + 1 entries of scratch.
void sft_contact_majority(uint8_t* bits, int32_t n, int32_t window, int32_t* cumulative);
/// out[i] = the lowest height over frames i - back to i + ahead, cut at the ends. queue: n entries of scratch.
void sft_contact_lowest(const sft_v3d* track, int32_t n, int32_t back, int32_t ahead, double* out, int32_t* queue);
/// Height of the support nearby: the higher of the lowest points within `reach` frames before and after, so that a foot
/// that steps up or down is measured against the step it stands on. scratch: n doubles.
void sft_contact_support(const sft_v3d* track, int32_t n, int32_t reach, double* out, double* scratch, int32_t* queue);
/// Cubic interpolation (Catmull-Rom) at `factor` times the rate: (n - 1) * factor + 1 samples, originals kept.
void sft_contact_resample(const sft_v3d* track, int32_t n, int32_t factor, sft_v3d* out);
/// Samples an original frame is divided into so that the rate is at least 60 Hz; 1 from 60 Hz on.
int32_t sft_contact_rate_factor(double dt);
/// Horizontal speed of a track, averaged over a quarter second either way. cumulative: n + 1 doubles of scratch.
void sft_contact_body_speed(const sft_v3d* pelvis, int32_t n, double dt, double* out, double* cumulative);
/// Mean of the above over the clip. False: out of memory.
bool sft_contact_mean_body_speed(const contact_view* view, const sft_allocator* allocator, double* out);
/// Frames of a window of `seconds`, within 0 and n.
int32_t sft_contact_frames(double seconds, double dt, int32_t n);

// ---- plant.c ----

/// The plain rule on one track: bits[n]; cumulative: n + 1 entries of scratch.
void sft_contact_plain(const sft_v3d* toe, int32_t n, double dt, double speed, double window, uint8_t* bits,
                       int32_t* cumulative);
/// Plants of all feet of a view whose slide was taken out, plant[foot * frames + frame]. False: out of memory.
bool sft_contact_plants(const sft_contact_def* def, const contact_view* view, const sft_allocator* allocator,
                        uint8_t* plant);

// ---- drift.c ----

/// Adds the plants of feet that bear but slide in a way the body's travel does not explain. False: out of memory.
bool sft_contact_drifting_plants(const sft_contact_def* def, const contact_view* view, const sft_allocator* allocator,
                                 uint8_t* plant);

// ---- held.c ----

/// Cuts plants of feet that something holds exactly down to the frames in which it does. False: out of memory.
bool sft_contact_trim_held(const contact_view* view, const sft_allocator* allocator, uint8_t* plant);

// ---- touch.c ----

/// Touch of all feet, touch[foot * frames + frame]. False: out of memory.
bool sft_contact_touches(const sft_contact_def* def, const contact_view* view, const sft_allocator* allocator,
                         uint8_t* touch);

// ---- sway.c ----

/// Takes the unsteadiness that planted feet share out of `tracks`, track_count of view->frames points each, which the
/// view looks at. False: out of memory.
bool sft_contact_take_sway_out(const contact_view* still, const uint8_t* plant, const sft_allocator* allocator,
                               sft_v3d* tracks, size_t track_count);

// ---- passes.c ----

/// Looks for a ground that the feet of a run in place pass, always the same way [m/s, horizontal]; *uneven: they keep
/// no one speed. ground and uneven are set where *found. False: out of memory.
bool sft_contact_explain_passes(const contact_view* view, double body_speed, const sft_allocator* allocator,
                                bool* found, sft_v3d* ground, bool* uneven);

// ---- mismatch.c ----

/// Works out the slide's cause from the untouched tracks. False: out of memory.
bool sft_contact_explain(const sft_contact_def* def, const contact_view* view, const sft_allocator* allocator,
                         contact_explanation* out);

#endif
