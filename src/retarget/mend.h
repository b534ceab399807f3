// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// What the parts of mending share. All work is done on a copy of the transferred clip, which replaces it at the end.
#ifndef SUREFOOT_RETARGET_MEND_H
#define SUREFOOT_RETARGET_MEND_H

#include "surefoot/retarget.h"

#include "core/core.h"

typedef struct md_problem
{
    sft_allocator allocator;
    const sft_mend_def* def;
    const sft_mend_input* input;
    const sft_rig *source, *target;
    const sft_clip* before; ///< as transferred
    sft_clip* clip;         ///< as mended so far
    uint8_t* changed;       ///< [joint_count] bits as in sft_cleanup_clip
    int32_t first, frames;  ///< frames that are motion: first .. first + frames - 1
    int32_t period;         ///< frames of the cycle, 0: none
    double dt, scale;
    sft_mend_report* report;
    int32_t miss_capacity;
} md_problem;

/// A miss of the report. SFT_ERR_MEMORY.
sft_result md_miss(md_problem* p, sft_mend_miss miss);

static inline const sft_v3d* md_t(const sft_clip* clip, int32_t frame)
{
    return clip->translations + (size_t)frame * (size_t)clip->joint_count;
}

static inline const sft_quatd* md_r(const sft_clip* clip, int32_t frame)
{
    return clip->rotations + (size_t)frame * (size_t)clip->joint_count;
}

static inline sft_xformd md_joint(const sft_skeleton* s, const sft_clip* clip, int32_t frame, int32_t joint)
{
    return sft_skeleton_joint_model(s, md_t(clip, frame), md_r(clip, frame), joint);
}

/// Is `upper` the joint `lower` or above it?
static inline bool md_is_above(const sft_skeleton* s, int32_t upper, int32_t lower)
{
    while (lower > upper)
        lower = s->parents[lower];
    return lower == upper;
}

/// 0 at x <= 0 to 1 at x >= 1, without a step in the second derivative.
static inline double md_ease(double x)
{
    const double t = sft_clampd(x, 0.0, 1.0);
    return t * t * t * (10.0 + t * (6.0 * t - 15.0));
}

// ---- smooth curves over the frames of the problem ----

/// A curve over p->frames frames, of a cycle as one that closes. All arrays are `count` long; entry k speaks of frame
/// md_curve_frame(c, k).
typedef struct md_curve
{
    const md_problem* problem;
    int32_t count, pad;
    void* block;
    size_t block_size;
    double *wanted, *weight, *low, *high, *x;
    double* band;
    uint8_t* fixed;
} md_curve;

sft_result md_curve_create(const md_problem* p, md_curve* c);
void md_curve_release(md_curve* c);

/// Frame of the problem, from 0.
static inline int32_t md_curve_frame(const md_curve* c, int32_t k)
{
    const int32_t n = c->problem->frames, period = c->problem->period;
    if (period == 0) return k;
    const int32_t i = (k - c->pad) % period;
    return i < 0 ? i + period : (i < n ? i : n - 1);
}

/// Times of a curve [s]: how fast it follows a wanted value of weight 1, and over which times a gap stays straight.
typedef struct md_times
{
    double follow, tension;
} md_times;

/// Minimises squares of third differences and of what `wanted` and the tension say, with low <= x <= high. x in (the
/// begin) and out; write the result of frame i to out[i].
void md_curve_solve(md_curve* c, md_times times, bool bounded, double* out);

// ---- hips ----

/// Takes from a pelvis what other hips than the source's carry too far. SFT_ERR_MEMORY.
sft_result md_hips(md_problem* p);

// ---- feet ----

/// Plants what was planted: clip, joint bits, report.
sft_result md_feet(md_problem* p);

// ---- hands ----

/// Serves goals, given and found. SFT_ERR_ARG: a goal's joint belongs to no hand. SFT_ERR_MEMORY.
sft_result md_hands_mend(md_problem* p);

#endif
