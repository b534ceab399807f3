// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// What a clip after the foot lock is held against: its toes' paths, by forward kinematics of the whole skeleton.
#ifndef SUREFOOT_SUPPORT_LOCK_CLIPS_H
#define SUREFOOT_SUPPORT_LOCK_CLIPS_H

#include "support/support.h"

static inline sft_clip* lock_copy(const sft_clip* clip)
{
    sft_clip* out = NULL;
    assert_int_equal(sft_clip_create(clip->joint_count, clip->frame_count, clip->frame_time, NULL, &out), SFT_OK);
    const size_t cells = (size_t)clip->joint_count * (size_t)clip->frame_count;
    memcpy(out->translations, clip->translations, cells * sizeof *out->translations);
    memcpy(out->rotations, clip->rotations, cells * sizeof *out->rotations);
    return out;
}

static inline sft_v3d* lock_track(const sft_skeleton* skeleton, const sft_clip* clip, int32_t joint)
{
    sft_v3d* out = calloc((size_t)clip->frame_count, sizeof *out);
    assert_non_null(out);
    sft_clip_joint_track(skeleton, clip, joint, out);
    return out;
}

/// Frames of one foot: 1 planted and held, 0 else.
static inline void lock_held(const sft_contact_labels* labels, const sft_lock_clip_report* report, int32_t foot,
                             int32_t first, uint8_t* held)
{
    for (int32_t i = 0; i < labels->frame_count; ++i)
        held[i] = i >= first && labels->plant[(size_t)foot * (size_t)labels->frame_count + (size_t)i] > 0.75f;
    for (int32_t g = 0; g < report->gap_count; ++g)
        if (report->gaps[g].foot == foot)
            for (int32_t i = report->gaps[g].first; i <= report->gaps[g].last; ++i)
            {
                assert_int_equal(held[i], 1); // gaps are of planted frames alone
                held[i] = 0;
            }
}

typedef struct lock_figures
{
    double slide;  ///< [cm/s] most of a toe held for longer than the blend, over the ground
    double excess; ///< largest acceleration shown over what source and cubic explain
    int32_t excess_frame, excess_foot;
    int32_t settled;
} lock_figures;

static inline double lock_bend(const sft_v3d* x, int32_t i)
{
    return sft_v3d_length(sft_v3d_madd(sft_v3d_add(x[i - 1], x[i + 1]), -2.0, x[i]));
}

static inline double lock_step(const sft_v3d* x, int32_t i)
{
    return sft_v3d_distance(x[i], x[i - 1]);
}

/// What explains the second difference of the shown toe at frame i: three times the source's own nearby (the velocity
/// at a crossing is known from the past alone, so it may be off by the source's change of speed), and the cubics'
/// second derivatives, 6 |offset| / T^2 + 4 |velocity| / T, of crossings that are not over.
static inline double lock_explained(const sft_v3d* x, const sft_v3d* y, const uint8_t* held, int32_t first,
                                    int32_t frames, int32_t i, double blend)
{
    double own = 0.0, cubic = 0.0;
    for (int32_t k = i - 3; k <= i + 1; ++k)
        if (k > first && k + 1 < frames) own = sft_maxd(own, lock_bend(x, k));
    // `blend` is in frames.
    for (int32_t c = i; c > first && c >= i - 1 - (int32_t)blend; --c)
    {
        if (held[c] == held[c - 1]) continue;
        const double offset = sft_v3d_distance(x[c], y[c]);
        double speed = lock_step(x, c) + lock_step(y, c);
        if (c - 1 > first) speed += lock_bend(x, c - 1);
        cubic = sft_maxd(cubic, 6.0 * offset / (blend * blend) + 4.0 * speed / blend);
    }
    return 3.0 * own + cubic + 1e-9;
}

static inline lock_figures lock_measure(const sft_skeleton* skeleton, const sft_clip* before, const sft_clip* after,
                                        const sft_leg* legs, const sft_contact_labels* labels,
                                        const sft_lock_clip_def* def, const sft_lock_clip_report* report)
{
    lock_figures out = {0};
    const int32_t frames = before->frame_count, first = def->first_frame;
    const double dt = before->frame_time, blend = def->lock.blend_time / dt;
    uint8_t* held = calloc((size_t)frames, 1);
    for (int32_t f = 0; f < labels->foot_count; ++f)
    {
        sft_v3d* x = lock_track(skeleton, before, legs[f].toe);
        sft_v3d* y = lock_track(skeleton, after, legs[f].toe);
        lock_held(labels, report, f, first, held);
        double since = 0.0, since_before = 0.0;
        for (int32_t i = first + 1; i < frames; ++i)
        {
            since_before = held[i - 1] ? since : -1.0;
            since = held[i] && held[i - 1] ? since + 1.0 : 0.0;
            if (held[i] && since_before >= blend)
            {
                const sft_v3d way = sft_v3d_madd(sft_v3d_sub(y[i], y[i - 1]), -dt, def->ground_velocity);
                out.slide = sft_maxd(out.slide, 100.0 * sft_v3d_length(way) / dt);
                ++out.settled;
            }
            if (i + 1 >= frames || i - 1 <= first) continue;
            const double ratio = lock_bend(y, i) / lock_explained(x, y, held, first, frames, i, blend);
            if (ratio > out.excess)
            {
                out.excess = ratio;
                out.excess_frame = i;
                out.excess_foot = f;
            }
        }
        free(x);
        free(y);
    }
    free(held);
    return out;
}

#endif
