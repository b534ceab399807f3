// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// A clip put onto a ground as a game would: frame by frame, by sft_adapt_update.
#ifndef SUREFOOT_SUPPORT_UPDATE_RUN_H
#define SUREFOOT_SUPPORT_UPDATE_RUN_H

#include "support/support.h"
#include "support/walks.h"

/// What one character carries along.
typedef struct update_run
{
    sft_adapt_def def;
    sft_adapt_state body;
    sft_adapt_leg_state feet[SFT_MAX_LEGS];
    sft_adapt_report report;
    double toe_miss, heel_lift; ///< largest so far
} update_run;

static inline update_run update_begin(void)
{
    return (update_run){.def = sft_default_adapt_def()};
}

/// One frame of `w` after `dt` seconds, into t and r (joint_count entries).
static inline void update_frame(update_run* u, const walk* w, int32_t frame, double dt, const sft_ground* ground,
                                sft_v3d* t, sft_quatd* r)
{
    const size_t joints = (size_t)w->clip->joint_count, base = (size_t)frame * joints;
    bool contacts[SFT_MAX_LEGS];
    for (int32_t l = 0; l < w->leg_count; ++l)
        contacts[l] = w->labels->plant[l * w->labels->frame_count + frame] > 0.75f;
    memcpy(t, w->clip->translations + base, joints * sizeof *t);
    memcpy(r, w->clip->rotations + base, joints * sizeof *r);
    const sft_adapt_input in = {
        .skeleton = w->skeleton, .legs = w->legs, .leg_count = w->leg_count, .contacts = contacts, .ground = ground};
    const size_t size = sft_adapt_scratch_size(w->skeleton, w->leg_count);
    void* scratch = malloc(size);
    assert_non_null(scratch);
    assert_int_equal(sft_adapt_update(&u->def, &in, dt, &u->body, u->feet, t, r, scratch, size, &u->report), SFT_OK);
    free(scratch);
    u->toe_miss = sft_maxd(u->toe_miss, u->report.toe_miss);
    u->heel_lift = sft_maxd(u->heel_lift, u->report.heel_lift);
}

/// All frames of `w` into `out`, which has as many.
static inline void update_clip(update_run* u, const walk* w, const sft_ground* ground, sft_clip* out)
{
    for (int32_t i = w->first; i < out->frame_count; ++i)
    {
        const size_t base = (size_t)i * (size_t)out->joint_count;
        update_frame(u, w, i, i > w->first ? w->clip->frame_time : 0.0, ground, out->translations + base,
                     out->rotations + base);
    }
}

#endif
