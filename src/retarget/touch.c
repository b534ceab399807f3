// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// Finds in the source when a hand touches the other hand, the head, a thigh, the trunk or the ground: near to it,
// measured by the figure's own arm, and at rest against it. A touch begins where both are clearly so and ends where
// either is clearly not (hysteresis), lasts a while, and short gaps do not end it.

#include "retarget/touch.h"

static const double ARM = 0.55; // [m] of the person that lengths below mean
static const double THICKNESS[MD_KINDS] = {0.0, 0.09, 0.12, 0.09, 0.09, 0.15, 0.05}; // [m] axis to palm in touch
static const double NEAR_ENTER = 0.025, NEAR_LEAVE = 0.06;                           // [m] beyond the thickness
static const double SPEED_ENTER = 0.35, SPEED_LEAVE = 0.8;                           // [m/s] against what is touched
static const double LEAST_S = 0.2, GAP_S = 0.15;                                     // [s]

static sft_result add(md_touches* t, const sft_allocator* a, md_touch touch)
{
    if (t->count == t->capacity)
    {
        const int32_t next = t->capacity ? t->capacity * 2 : 16;
        void* grown = sft_core_grow(a, t->items, (size_t)t->capacity, (size_t)next, sizeof touch);
        if (!grown) return SFT_ERR_MEMORY;
        t->items = grown;
        t->capacity = next;
    }
    t->items[t->count++] = touch;
    return SFT_OK;
}

void md_touches_release(md_touches* t, const sft_allocator* a)
{
    sft_core_free(a, t->items, (size_t)t->capacity, sizeof *t->items);
    *t = (md_touches){0};
}

// Of one hand and one kind, over the clip.
typedef struct relation
{
    double* gap;   // [frame] [m] palm beyond the thickness
    sft_v3d* seat; // [frame] palm as what is touched sees it
} relation;

static void read_relation(const md_scene* scene, const md_body* body, int hand, md_kind kind, relation* out)
{
    const sft_rig* rig = scene->rig;
    const sft_clip* clip = scene->clip;
    const sft_v3d offset = md_palm_offset(rig, body, hand);
    const double size = rig->arm_length / ARM;
    for (int32_t i = 0; i < clip->frame_count; ++i)
    {
        const sft_v3d palm = sft_xformd_apply(md_joint(rig->skeleton, clip, i, body->hand[hand]), offset);
        if (kind == MD_GROUND)
        {
            out->gap[i] = palm.y - scene->ground - size * THICKNESS[kind];
            out->seat[i] = palm;
            continue;
        }
        const md_nearest n = md_nearest_point(rig, body, clip, i, kind, hand, palm, -1.0);
        const sft_xformd seat = md_joint(rig->skeleton, clip, i, md_kind_joint(body, kind, hand));
        out->gap[i] = sft_v3d_distance(palm, n.point) - size * THICKNESS[kind];
        out->seat[i] = sft_quatd_unrotate(seat.r, sft_v3d_sub(palm, seat.t));
    }
}

static double speed_at(const relation* r, int32_t i, int32_t frames, double dt)
{
    const int32_t a = i > 0 ? i - 1 : i, b = i + 1 < frames ? i + 1 : i;
    return b > a ? sft_v3d_distance(r->seat[b], r->seat[a]) / ((double)(b - a) * dt) : 0.0;
}

static sft_result find_spans(const relation* r, const sft_clip* clip, int32_t first_frame, double size, md_touch base,
                             const sft_allocator* allocator, md_touches* out)
{
    const double dt = clip->frame_time;
    const int32_t before = out->count;
    bool touching = false;
    for (int32_t i = first_frame; i <= clip->frame_count; ++i)
    {
        bool on = false;
        if (i < clip->frame_count)
        {
            const double gap = r->gap[i] / size, speed = speed_at(r, i, clip->frame_count, dt) / size;
            on = touching ? gap < NEAR_LEAVE && speed < SPEED_LEAVE : gap < NEAR_ENTER && speed < SPEED_ENTER;
        }
        if (on && !touching)
        {
            md_touch* last = out->count > before ? out->items + out->count - 1 : NULL;
            base.first = base.last = i;
            if (last && (double)(i - last->last) * dt <= GAP_S)
                last->last = i;
            else
            {
                const sft_result result = add(out, allocator, base);
                if (result != SFT_OK) return result;
            }
        }
        if (on) out->items[out->count - 1].last = i;
        touching = on;
    }
    // What was too short is forgotten once no gap can be bridged any more.
    int32_t kept = before;
    for (int32_t k = before; k < out->count; ++k)
    {
        md_touch touch = out->items[k];
        if ((double)(touch.last - touch.first) * dt < LEAST_S) continue;
        for (int32_t i = touch.first; i <= touch.last; ++i)
            touch.gap += r->gap[i] / (double)(touch.last - touch.first + 1);
        out->items[kept++] = touch;
    }
    out->count = kept;
    return SFT_OK;
}

// A hand at the hip is near to thigh and trunk: of touches that mostly run at one time the nearer one counts.
static void keep_nearest(md_touches* t)
{
    int32_t kept = 0;
    for (int32_t k = 0; k < t->count; ++k)
    {
        const md_touch* a = t->items + k;
        bool best = true;
        for (int32_t m = 0; m < t->count && best; ++m)
        {
            const md_touch* b = t->items + m;
            const bool same = a->hand == b->hand || a->kind % MD_KINDS == MD_HAND || b->kind % MD_KINDS == MD_HAND;
            const int32_t first = a->first > b->first ? a->first : b->first,
                          last = a->last < b->last ? a->last : b->last;
            const bool rival = m != k && same && 2 * (last - first) > a->last - a->first;
            best = !rival || a->gap < b->gap || (a->gap == b->gap && k < m);
        }
        // Marked first, for the others are still compared with it.
        t->items[k].kind = best ? a->kind : (md_kind)(a->kind + MD_KINDS);
    }
    for (int32_t k = 0; k < t->count; ++k)
        if (t->items[k].kind < MD_KINDS) t->items[kept++] = t->items[k];
    t->count = kept;
}

static bool is_there(const md_scene* scene, const md_body* body, md_kind kind, int hand)
{
    if (body->hand[hand] < 0) return false;
    return kind == MD_GROUND ? scene->ground == scene->ground : md_kind_joint(body, kind, hand) >= 0;
}

sft_result md_touches_find(const md_scene* scene, const sft_allocator* allocator, md_touches* out)
{
    const sft_rig* rig = scene->rig;
    const sft_clip* clip = scene->clip;
    md_body body;
    md_body_read(rig, &body);
    const size_t frames = (size_t)clip->frame_count;
    if (!(rig->arm_length > SFT_LENGTH_EPS)) return SFT_OK;
    relation r;
    r.gap = sft_core_alloc(allocator, frames, sizeof *r.gap);
    r.seat = sft_core_alloc(allocator, frames, sizeof *r.seat);
    sft_result result = r.gap && r.seat ? SFT_OK : SFT_ERR_MEMORY;
    for (int hand = 0; hand < 2 && result == SFT_OK; ++hand)
        for (int kind = MD_HAND; kind < MD_KINDS && result == SFT_OK; ++kind)
        {
            // Of two hands that touch, the left one touches.
            if (kind == MD_HAND && hand == 1) continue;
            if (!is_there(scene, &body, (md_kind)kind, hand)) continue;
            read_relation(scene, &body, hand, (md_kind)kind, &r);
            const md_touch base = {hand, (md_kind)kind, 0, 0, 0.0};
            result = find_spans(&r, clip, scene->first_frame, rig->arm_length / ARM, base, allocator, out);
        }
    keep_nearest(out);
    sft_core_free(allocator, r.gap, frames, sizeof *r.gap);
    sft_core_free(allocator, r.seat, frames, sizeof *r.seat);
    return result;
}
