// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// Touch: any part of the foot bears on the ground, as a force plate sees it. A foot that touches rolls: the heel comes
// down while the toe still swings, the toe tip leaves last and is on its way before the force is gone. So each of heel,
// toe and toe tip is looked at on its own, "slow" grows with the body's speed, and "low" is measured against that
// point's own support nearby.

#include "contact/contact_internal.h"

#include "core/core.h"

// Against force plates under a walk (1.1 m/s) and a run (4 m/s), 30 to 100 Hz, F1 stays within 0.015 for
// TOUCH_SPEED 0.2 to 0.5 m/s, TOUCH_BODY 0.4 to 0.6, TOUCH_HEIGHT 0.02 to 0.03 m and TOUCH_REACH 0.5 to 1 s: these are
// the middle of that plateau.
#define TOUCH_SPEED 0.4
#define TOUCH_BODY 0.5
#define TOUCH_HEIGHT 0.025
// Without a toe tip the toe joint itself has to tell when the foot leaves; it is then already a little up.
#define TOUCH_HEIGHT_LAST 0.035
#define TOUCH_REACH 0.75
// A toe end this close to the toe tells nothing new (rigs with a zero End Site) [m].
#define SAME_POINT 0.01

typedef struct touch_scratch
{
    int32_t factor, fine_n;
    sft_v3d* track;
    double* support;
    double* lowest;
    double* body;   ///< body speed at the clip's own rate, frames entries
    int32_t* queue; ///< fine_n + 1 entries
    uint8_t* bits;
} touch_scratch;

static bool same_point(const sft_v3d* a, const sft_v3d* b, int32_t n, double tolerance)
{
    for (int32_t i = 0; i < n; ++i)
        if (sft_v3d_distance(a[i], b[i]) > tolerance) return false;
    return true;
}

static double body_speed_at(const touch_scratch* s, const contact_view* view, int32_t fine)
{
    const int32_t i = fine / s->factor;
    if (i + 1 >= view->frames) return s->body[view->frames - 1];
    const double t = (double)(fine % s->factor) / (double)s->factor;
    return s->body[i] + t * (s->body[i + 1] - s->body[i]);
}

// Sets the bits of frames where the point is slow and low.
static void mark_point(touch_scratch* s, const contact_view* view, const sft_v3d* point, double height)
{
    const int32_t n = s->fine_n;
    const double dt = view->dt / s->factor;
    sft_contact_resample(point, view->frames, s->factor, s->track);
    sft_contact_support(s->track, n, sft_contact_frames(TOUCH_REACH, dt, n), s->support, s->lowest, s->queue);
    for (int32_t i = 0; i < n; ++i)
    {
        if (s->bits[i] || s->track[i].y - s->support[i] >= height) continue;
        const int32_t lo = i > 0 ? i - 1 : 0, hi = i + 1 < n ? i + 1 : n - 1;
        // Central difference: a force plate has no half-frame delay.
        const double speed = hi > lo ? sft_v3d_distance(s->track[hi], s->track[lo]) / ((double)(hi - lo) * dt) : 0.0;
        if (speed < TOUCH_SPEED + TOUCH_BODY * body_speed_at(s, view, i)) s->bits[i] = 1;
    }
}

static void mark_foot(touch_scratch* s, const contact_view* view, const sft_contact_def* def,
                      const sft_foot_tracks* foot, uint8_t* touch)
{
    const double scale = view->scale;
    const bool tip = foot->toe_end != NULL && !same_point(foot->toe_end, foot->toe, view->frames, SAME_POINT * scale);
    memset(s->bits, 0, (size_t)s->fine_n);
    if (foot->heel != NULL) mark_point(s, view, foot->heel, TOUCH_HEIGHT * scale);
    mark_point(s, view, foot->toe, (tip ? TOUCH_HEIGHT : TOUCH_HEIGHT_LAST) * scale);
    if (tip) mark_point(s, view, foot->toe_end, TOUCH_HEIGHT * scale);
    sft_contact_majority(s->bits, s->fine_n, sft_contact_odd_window(def->filter_window, view->dt / s->factor),
                         s->queue);
    for (int32_t i = 0; i < view->frames; ++i)
        touch[i] = s->bits[i * s->factor];
}

bool sft_contact_touches(const sft_contact_def* def, const contact_view* view, const sft_allocator* allocator,
                         uint8_t* touch)
{
    const int32_t factor = sft_contact_rate_factor(view->dt);
    const int32_t fine_n = (view->frames - 1) * factor + 1;
    const size_t fine = (size_t)fine_n, frames = (size_t)view->frames;
    touch_scratch s = {factor, fine_n, NULL, NULL, NULL, NULL, NULL, NULL};
    s.track = sft_core_alloc(allocator, fine, sizeof *s.track);
    s.support = sft_core_alloc(allocator, fine, sizeof *s.support);
    s.lowest = sft_core_alloc(allocator, fine + 1, sizeof *s.lowest);
    s.body = sft_core_alloc(allocator, frames, sizeof *s.body);
    s.queue = sft_core_alloc(allocator, fine + 1, sizeof *s.queue);
    s.bits = sft_core_alloc(allocator, fine, 1);
    const bool ok =
        s.track != NULL && s.support != NULL && s.lowest != NULL && s.body != NULL && s.queue != NULL && s.bits != NULL;
    if (ok)
    {
        sft_contact_body_speed(view->pelvis, view->frames, view->dt, s.body, s.lowest);
        for (int32_t f = 0; f < view->foot_count; ++f)
            mark_foot(&s, view, def, &view->feet[f], touch + (size_t)f * frames);
    }
    sft_core_free(allocator, s.bits, fine, 1);
    sft_core_free(allocator, s.queue, fine + 1, sizeof *s.queue);
    sft_core_free(allocator, s.body, frames, sizeof *s.body);
    sft_core_free(allocator, s.lowest, fine + 1, sizeof *s.lowest);
    sft_core_free(allocator, s.support, fine, sizeof *s.support);
    sft_core_free(allocator, s.track, fine, sizeof *s.track);
    return ok;
}
