// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// Drawings of the page of `surefoot adapt --report`: strips of poses over the slice of ground under the walk, and
// curves with gaps where there is no ground.

#include "adapt_report.h"

#include <math.h>
#include <stdlib.h>

#define MAX_POSES 11
#define SLICE 561 // places at which the ground is looked at
#define BESIDE 0.9
#define LOOK_DOWN 6.0

bool adapt_ground_at(const adapt_view* v, sft_v3d p, double above, sft_ground_hit* hit)
{
    return sft_ground_cast(&v->j->ground.ground, sft_v3d_make(p.x, p.y + above, p.z), sft_v3d_make(0, -1, 0),
                           above + LOOK_DOWN, 0.0, hit);
}

// ---- curves ----

void adapt_height_series(const adapt_view* v, const sft_v3d* track, bool after, double* out)
{
    for (int32_t f = 0; f < v->view.frames; ++f)
    {
        sft_ground_hit hit;
        out[f] = (double)NAN;
        if (!after)
            out[f] = 100.0 * (track[f].y - v->j->floor);
        else if (adapt_ground_at(v, track[f], 1.0, &hit))
            out[f] = 100.0 * (track[f].y - hit.point.y) * fabs(hit.normal.y);
    }
}

static void put_value(cli_text* out, const plot* p, bool* open, int32_t frame, int32_t count, double value)
{
    const double x = p->x + p->w * (count > 1 ? (double)frame / (double)(count - 1) : 0.0);
    if (isfinite(value)) text_fmt(out, "%c%.1f %.1f", *open ? 'L' : 'M', x, plot_y(p, value));
    *open = isfinite(value);
}

void adapt_draw_series(cli_text* out, const plot* p, const double* values, int32_t count, const char* css)
{
    const int32_t whole = 1400, spans = count <= whole ? count : 700;
    bool open = false;
    text_fmt(out, "<path class=\"%s\" d=\"", css);
    for (int32_t s = 0; s < spans; ++s)
    {
        const int32_t from = (int32_t)((int64_t)s * count / spans), to = (int32_t)((int64_t)(s + 1) * count / spans);
        int32_t least = from, most = from;
        for (int32_t f = from; f < to; ++f)
        {
            if (values[f] < values[least]) least = f;
            if (values[f] > values[most]) most = f;
        }
        put_value(out, p, &open, least < most ? least : most, count, values[least < most ? least : most]);
        if (least != most)
            put_value(out, p, &open, least < most ? most : least, count, values[least < most ? most : least]);
    }
    text_str(out, "\"/>");
}

// ---- strips ----

// A place of the slice: where it is drawn along the way [m], and the ground there.
typedef struct place
{
    double at, y;
    bool hit;
} place;

typedef struct strip
{
    const adapt_view* v;
    int32_t first, last;
    int count;
    double box[2];          // [m] along the way
    double low[2], high[2]; // [m] of before and after
    double x, y, scale;     // SVG place of the way's 0 and of height 0 in the lane at hand
    sft_xformd* pose;
    int8_t* parts;
    place* slice;
} strip;

static sft_v3d pelvis_at(const strip* s, bool after, int32_t frame)
{
    const view* v = &s->v->view;
    return (after ? v->in->tracks_after : v->in->tracks_before)->input.pelvis[frame];
}

// The frame around which a long clip is shown: of the largest depth, distance off the ground or tilt, by its limit.
static int32_t worst_frame(const adapt_view* v)
{
    int32_t worst = v->j->file->first_frame;
    double most = -1.0;
    for (int32_t i = 0; i < v->j->file->leg_count; ++i)
    {
        const adapt_foot* f = &v->j->figures.feet[i];
        const double amounts[3] = {f->depth_cm / 0.5, f->support_cm / 0.5, f->pitch_off / 2.0};
        const int32_t frames[3] = {f->depth_frame, f->support_frame, f->pitch_frame};
        for (int k = 0; k < 3; ++k)
            if (frames[k] >= 0 && amounts[k] > most)
            {
                most = amounts[k];
                worst = frames[k];
            }
    }
    return worst;
}

static void find_window(strip* s)
{
    const view* v = &s->v->view;
    const int32_t start = v->in->file->first_frame, end = v->frames - 1;
    double travel = 0.0;
    s->first = start < end ? start : end;
    s->last = end;
    for (int32_t f = s->first + 1; f <= end; ++f)
        travel += fabs(sft_v3d_dot(sft_v3d_sub(pelvis_at(s, true, f), pelvis_at(s, true, f - 1)), v->along));
    // [m] between poses that are easy to tell apart.
    const double spacing = sft_clampd(travel / 8.0, 0.22, 0.46);
    s->count = v->travels ? (int)sft_mind(travel / spacing, 1e6) + 1 : MAX_POSES;
    if (s->count > MAX_POSES && v->travels)
    {
        const int32_t length = (int32_t)(spacing * (MAX_POSES - 1) / travel * (double)(end - s->first)) + 1;
        int32_t from = worst_frame(s->v) - length / 2;
        if (from + length > end) from = end - length;
        if (from > s->first) s->first = from;
        if (s->first + length < end) s->last = s->first + length;
    }
    s->count = s->count > MAX_POSES ? MAX_POSES : s->count < 3 ? 3 : s->count;
    if (s->count > s->last - s->first + 1) s->count = s->last - s->first + 1;
}

static int32_t frame_of(const strip* s, int slot)
{
    return s->first + (int32_t)((int64_t)slot * (s->last - s->first) / (s->count > 1 ? s->count - 1 : 1));
}

// [m] added along the way: a clip that stays where it is gets its poses side by side.
static double shift_of(const strip* s, int slot)
{
    if (s->v->view.travels) return 0.0;
    return BESIDE * slot - sft_v3d_dot(pelvis_at(s, true, frame_of(s, slot)), s->v->view.along);
}

static void pose_at(const strip* s, bool after, int32_t frame)
{
    const sft_clip* clip = after ? s->v->j->written : s->v->j->stood;
    const size_t row = (size_t)frame * (size_t)clip->joint_count;
    sft_skeleton_forward(s->v->j->file->skeleton, clip->translations + row, clip->rotations + row, s->pose);
}

static void find_extent(strip* s)
{
    const sft_skeleton* k = s->v->j->file->skeleton;
    s->box[0] = 1e30;
    s->box[1] = -1e30;
    for (int after = 0; after < 2; ++after)
    {
        s->low[after] = 1e30;
        s->high[after] = -1e30;
        for (int slot = 0; slot < s->count; ++slot)
        {
            pose_at(s, after != 0, frame_of(s, slot));
            for (int32_t j = 0; j < k->joint_count; ++j)
            {
                if (k->parents[j] < 0 && j != s->v->j->file->legs[0].pelvis) continue;
                const double at = sft_v3d_dot(s->pose[j].t, s->v->view.along) + shift_of(s, slot);
                s->box[0] = sft_mind(s->box[0], at);
                s->box[1] = sft_maxd(s->box[1], at);
                s->low[after] = sft_mind(s->low[after], s->pose[j].t.y);
                s->high[after] = sft_maxd(s->high[after], s->pose[j].t.y);
            }
        }
    }
    s->box[0] -= 0.15;
    s->box[1] += 0.15;
    s->low[0] = sft_mind(s->low[0], s->v->j->floor) - 0.1;
}

// The frame in which the pelvis is nearest to a place of the way.
static int32_t nearest(const strip* s, double at)
{
    int32_t best = s->first;
    double least = 1e30;
    for (int32_t f = s->first; f <= s->last; ++f)
    {
        const double off = fabs(sft_v3d_dot(pelvis_at(s, true, f), s->v->view.along) - at);
        if (off < least)
        {
            least = off;
            best = f;
        }
    }
    return best;
}

static void find_slice(strip* s)
{
    const view* v = &s->v->view;
    for (int i = 0; i < SLICE; ++i)
    {
        place* p = &s->slice[i];
        sft_ground_hit hit;
        p->at = s->box[0] + (s->box[1] - s->box[0]) * i / (double)(SLICE - 1);
        // Side by side each pose has its own ground.
        const int slot = (int)sft_clampd(floor(p->at / BESIDE + 0.5), 0.0, s->count - 1.0);
        const int32_t frame = v->travels ? nearest(s, p->at) : frame_of(s, slot);
        const sft_v3d pelvis = pelvis_at(s, true, frame);
        const double off = p->at - (v->travels ? sft_v3d_dot(pelvis, v->along) : BESIDE * slot);
        p->hit = adapt_ground_at(s->v, sft_v3d_madd(pelvis, off, v->along), 0.3, &hit);
        p->y = p->hit ? hit.point.y : 0.0;
        // A pit is drawn to its brink, not to its bottom.
        if (p->hit && p->y > s->low[1] - 1.0) s->low[1] = sft_mind(s->low[1], p->y);
    }
    s->low[1] -= 0.12;
}

// Earth below the slice, or the slice alone, dashed.
static void draw_slice(cli_text* out, const strip* s, double bottom, double top, bool earth)
{
    for (int i = 0; i < SLICE; ++i)
    {
        if (!s->slice[i].hit) continue;
        int end = i;
        while (end < SLICE && s->slice[end].hit)
            ++end;
        for (int fill = earth; fill >= 0; --fill)
        {
            text_fmt(out, "<path class=\"%s\" d=\"", fill ? "earth" : earth ? "ground" : "ground to");
            for (int k = i; k < end; ++k)
                text_fmt(out, "%c%.1f %.1f", k == i ? 'M' : 'L', s->x + s->scale * s->slice[k].at,
                         sft_clampd(s->y - s->scale * s->slice[k].y, top, bottom));
            if (fill)
                text_fmt(out, "L%.1f %.1fL%.1f %.1fz", s->x + s->scale * s->slice[end - 1].at, bottom,
                         s->x + s->scale * s->slice[i].at, bottom);
            text_str(out, "\"/>");
        }
        i = end;
    }
}

// The toe as a dot, and the ground under the sole, which beside the slice may be higher or lower.
static void draw_plants(cli_text* out, const strip* s, int32_t frame, double shift, bool after)
{
    const view* v = &s->v->view;
    for (int32_t i = 0; i < v->in->file->leg_count; ++i)
    {
        const sft_foot_tracks* t = &(after ? v->in->tracks_after : v->in->tracks_before)->feet[i];
        const size_t cell = (size_t)i * (size_t)v->frames + (size_t)frame;
        if (!((double)v->in->contacts->labels->plant[cell] > v->in->threshold)) continue;
        const sft_v3d toe = t->toe[frame], heel = t->heel != NULL ? t->heel[frame] : toe;
        const sft_v3d tip = t->toe_end != NULL ? t->toe_end[frame] : toe;
        bool open = false;
        if (after) text_str(out, "<path class=\"tread\" d=\"");
        for (int k = -1; after && k <= 7; ++k)
        {
            sft_ground_hit hit;
            const sft_v3d p = sft_v3d_lerp(heel, tip, k / 6.0);
            const bool found = adapt_ground_at(s->v, p, 0.5, &hit);
            if (found)
                text_fmt(out, "%c%.1f %.1f", open ? 'L' : 'M', s->x + s->scale * (sft_v3d_dot(p, v->along) + shift),
                         s->y - s->scale * hit.point.y);
            open = found;
        }
        if (after) text_str(out, "\"/>");
        text_fmt(out, "<circle class=\"planted\" r=\"3.6\" cx=\"%.1f\" cy=\"%.1f\"/>",
                 s->x + s->scale * (sft_v3d_dot(toe, v->along) + shift), s->y - s->scale * toe.y);
    }
}

static void draw_lane(cli_text* out, const strip* s, bool after)
{
    static const char* const names[2][3] = {{"bone body", "bone leg was", "bone leg was far"},
                                            {"bone body", "bone leg left", "bone leg right"}};
    for (int slot = 0; slot < s->count; ++slot)
    {
        const int32_t frame = frame_of(s, slot);
        const double shift = shift_of(s, slot), at[3] = {s->x + s->scale * shift, s->y, s->scale};
        pose_at(s, after, frame);
        draw_bones(out, &s->v->view, s->pose, s->parts, 2, at, names[after][2]);
        draw_bones(out, &s->v->view, s->pose, s->parts, 0, at, names[after][0]);
        draw_bones(out, &s->v->view, s->pose, s->parts, 1, at, names[after][1]);
        draw_plants(out, s, frame, shift, after);
    }
}

static void draw_both(cli_text* out, strip* s, double w, double* height)
{
    find_extent(s);
    find_slice(s);
    const double wide = s->box[1] - s->box[0], tall = sft_maxd(s->high[0] - s->low[0], s->high[1] - s->low[1]);
    s->scale = sft_mind(sft_mind(w / wide, 190.0), 560.0 / tall);
    s->x = 0.5 * (w - s->scale * (s->box[0] + s->box[1]));
    double top = 0.0;
    for (int after = 0; after < 2; ++after)
    {
        const double title = 26.0, lane = s->scale * (s->high[after] - s->low[after]);
        s->y = top + title + s->scale * s->high[after];
        text_fmt(out, "<text class=\"lane\" x=\"0\" y=\"%.1f\">%s</text>", top + 14.0,
                 after ? "on the ground" : "on its floor; dashed: the ground");
        if (after)
            draw_slice(out, s, top + title + lane, top + title, true);
        else
        {
            const double floor = s->y - s->scale * s->v->j->floor;
            draw_slice(out, s, top + title + lane, top + title, false);
            text_fmt(out, "<path class=\"ground\" d=\"M%.1f %.1fH%.1f\"/>", s->x + s->scale * s->box[0], floor,
                     s->x + s->scale * s->box[1]);
        }
        draw_lane(out, s, after != 0);
        top += title + lane + 14.0;
    }
    *height = top;
}

void adapt_draw_strips(cli_text* out, const adapt_view* v, double w, double* height, int32_t* first, int32_t* last)
{
    strip s = {.v = v};
    find_window(&s);
    *height = 1.0;
    *first = s.first;
    *last = s.last;
    s.pose = malloc((size_t)v->j->file->skeleton->joint_count * sizeof *s.pose);
    s.parts = report_parts(&v->view);
    s.slice = malloc(SLICE * sizeof *s.slice);
    const bool fine = s.pose != NULL && s.parts != NULL && s.slice != NULL;
    if (fine && s.count > 0) draw_both(out, &s, w, height);
    out->failed = out->failed || !fine;
    free(s.pose);
    free(s.parts);
    free(s.slice);
}
