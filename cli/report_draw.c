// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// Curves, poses and traces as SVG.

#include "report.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MAX_POSES 11

void put_html(cli_text* out, const char* text)
{
    for (; *text != '\0'; ++text)
        switch (*text)
        {
        case '<':
            text_str(out, "&lt;");
            break;
        case '>':
            text_str(out, "&gt;");
            break;
        case '&':
            text_str(out, "&amp;");
            break;
        case '"':
            text_str(out, "&quot;");
            break;
        default:
            // Control characters may not stand in HTML or SVG.
            text_put(out, (unsigned char)*text < 0x20 ? " " : text, 1);
        }
}

// ---- what the clip is like ----

// The main axis of the toes' horizontal scatter, for clips that stay where they are.
static sft_v3d scatter_axis(const tracks* t)
{
    const int32_t n = t->input.frame_count;
    double sx = 0.0, sz = 0.0, xx = 0.0, xz = 0.0, zz = 0.0, count = 0.0;
    for (int32_t foot = 0; foot < t->input.foot_count; ++foot)
        for (int32_t f = t->input.first_frame; f < n; ++f)
        {
            const sft_v3d d = sft_v3d_sub(t->feet[foot].toe[f], t->input.pelvis[f]);
            sx += d.x;
            sz += d.z;
            xx += d.x * d.x;
            xz += d.x * d.z;
            zz += d.z * d.z;
            count += 1.0;
        }
    if (count < 1.0) return sft_v3d_make(0, 0, 1);
    xx -= sx * sx / count;
    xz -= sx * sz / count;
    zz -= sz * sz / count;
    const double angle = 0.5 * sft_atan2(2.0 * xz, xx - zz);
    return sft_v3d_make(sft_cos(angle), 0.0, sft_sin(angle));
}

static double lowest(const view* v, const tracks* t)
{
    double low = 1e30;
    for (int32_t foot = 0; foot < t->input.foot_count; ++foot)
        for (int32_t f = t->input.first_frame; f < v->frames; ++f)
        {
            low = sft_mind(low, t->feet[foot].toe[f].y);
            if (t->feet[foot].toe_end != NULL) low = sft_mind(low, t->feet[foot].toe_end[f].y);
        }
    return low < 1e29 ? low : 0.0;
}

static void find_tops(view* v)
{
    double* values = malloc((size_t)v->frames * sizeof *values);
    if (values == NULL) return;
    double speed = 0.3, height = 5.0;
    for (int32_t foot = 0; foot < v->in->file->leg_count; ++foot)
        for (int after = 0; after < 2; ++after)
        {
            report_series(v, foot, after != 0, SERIES_SPEED, values);
            for (int32_t f = v->in->file->first_frame; f < v->frames; ++f)
                speed = sft_maxd(speed, values[f]);
            report_series(v, foot, after != 0, SERIES_HEEL_HEIGHT, values);
            for (int32_t f = v->in->file->first_frame; f < v->frames; ++f)
                height = sft_maxd(height, values[f]);
        }
    free(values);
    // A glitch of one frame must not flatten the rest.
    v->speed_top = sft_mind(1.05 * speed, 12.0);
    v->height_top = sft_mind(1.08 * height, 150.0);
}

const char* report_headline(const report_input* in, char* out, size_t capacity)
{
    int32_t first[SFT_MAX_LEGS];
    const int32_t count = cli_characters(in->file, first);
    if (count < 2) return cli_mismatch_sentence(in->contacts, out, capacity);
    snprintf(out, capacity, "%d characters, each by itself.", (int)count);
    return out;
}

view report_view(const report_input* in)
{
    const tracks* t = in->tracks_after;
    view v = {
        .in = in, .frames = t->input.frame_count, .dt = t->input.frame_time, .speed_top = 1.0, .height_top = 10.0};
    v.moving_ground = sft_v3d_length(in->contacts->ground) > 0.0;
    const int32_t start = in->file->first_frame < v.frames ? in->file->first_frame : 0, end = v.frames - 1;
    sft_v3d way = sft_v3d_sub(on_ground(&v, t->input.pelvis[end], end), on_ground(&v, t->input.pelvis[start], start));
    way.y = 0.0;
    v.travels = sft_v3d_length(way) > 0.6;
    v.along = v.travels ? sft_v3d_normalize_or(way, sft_v3d_make(0, 0, 1)) : scatter_axis(t);
    v.across = sft_v3d_make(-v.along.z, 0.0, v.along.x);
    v.floor = lowest(&v, t);
    find_tops(&v);
    return v;
}

sft_v3d on_ground(const view* v, sft_v3d p, int32_t frame)
{
    return v->moving_ground ? sft_v3d_madd(p, -v->dt * (double)frame, v->in->contacts->ground) : p;
}

void report_series(const view* v, int32_t foot, bool after, series which, double* out)
{
    const tracks* t = after ? v->in->tracks_after : v->in->tracks_before;
    const sft_foot_tracks* track = &t->feet[foot];
    const sft_v3d* point = which == SERIES_HEEL_HEIGHT && track->heel != NULL ? track->heel : track->toe;
    for (int32_t f = 0; f < v->frames; ++f)
    {
        if (which != SERIES_SPEED)
        {
            out[f] = 100.0 * (point[f].y - v->floor);
            continue;
        }
        const int32_t i = f > 0 ? f : v->frames > 1 ? 1 : 0;
        const sft_v3d step = sft_v3d_sub(point[i], point[i > 0 ? i - 1 : 0]);
        out[f] = sft_v3d_distance(sft_v3d_scale(1.0 / v->dt, step), v->in->contacts->grounds[foot]);
    }
    // A step out of a reference pose is no speed.
    const int32_t start = v->in->file->first_frame;
    if (which == SERIES_SPEED)
        for (int32_t f = 0; f <= start && start > 0 && start + 1 < v->frames; ++f)
            out[f] = out[start + 1];
}

// ---- curves ----

double plot_y(const plot* p, double value)
{
    double u = (value - p->lo) / (p->hi - p->lo);
    u = sft_clampd(u, 0.0, 1.0);
    return p->y + p->h * (1.0 - (p->root ? sqrt(u) : u));
}

static double plot_x(const plot* p, double frame, int32_t count)
{
    return p->x + p->w * (count > 1 ? frame / (double)(count - 1) : 0.0);
}

static void put_point(cli_text* out, char command, double x, double y)
{
    char a[32], b[32];
    cli_figure(x, 1, a);
    cli_figure(y, 1, b);
    text_fmt(out, "%c%s %s", command, a, b);
}

void draw_series(cli_text* out, const plot* p, const double* values, int32_t count, const char* css)
{
    enum
    {
        WHOLE = 1400,
        SPANS = 700
    };
    text_fmt(out, "<path class=\"%s\" d=\"", css);
    if (count <= WHOLE)
        for (int32_t f = 0; f < count; ++f)
            put_point(out, f == 0 ? 'M' : 'L', plot_x(p, f, count), plot_y(p, values[f]));
    else
        for (int32_t s = 0; s < SPANS; ++s)
        {
            const int32_t from = (int32_t)((int64_t)s * count / SPANS),
                          to = (int32_t)((int64_t)(s + 1) * count / SPANS);
            int32_t least = from, most = from;
            for (int32_t f = from; f < to; ++f)
            {
                if (values[f] < values[least]) least = f;
                if (values[f] > values[most]) most = f;
            }
            const int32_t one = least < most ? least : most, two = least < most ? most : least;
            put_point(out, s == 0 ? 'M' : 'L', plot_x(p, one, count), plot_y(p, values[one]));
            if (two != one) put_point(out, 'L', plot_x(p, two, count), plot_y(p, values[two]));
        }
    text_str(out, "\"/>");
}

void draw_spans(cli_text* out, const plot* p, const float* labels, int32_t count, double threshold, const char* css)
{
    text_fmt(out, "<path class=\"%s\" d=\"", css);
    for (int32_t f = 0; f < count; ++f)
    {
        if (!((double)labels[f] > threshold)) continue;
        const int32_t first = f;
        while (f + 1 < count && (double)labels[f + 1] > threshold)
            ++f;
        // A frame stands for half a step to either side.
        const double x0 = sft_maxd(plot_x(p, first - 0.5, count), p->x);
        const double x1 = sft_mind(plot_x(p, f + 0.5, count), p->x + p->w);
        text_fmt(out, "M%.1f %.1fh%.1fv%.1fh%.1fz", x0, p->y, x1 - x0, p->h, x0 - x1);
    }
    text_str(out, "\"/>");
}

int plot_ticks(const plot* p, double ticks[8], double at[8])
{
    static const double round_values[] = {0.25, 1.0, 2.0, 4.0, 8.0};
    int count = 0;
    if (p->root)
    {
        for (size_t i = 0; i < sizeof round_values / sizeof round_values[0] && count < 7; ++i)
            if (round_values[i] <= p->hi) ticks[count++] = round_values[i];
    }
    else
    {
        const double steps[] = {1.0, 2.0, 5.0, 10.0, 20.0, 50.0};
        double step = 50.0;
        for (size_t i = 0; i < 6; ++i)
            if ((p->hi - p->lo) / steps[i] <= 4.0)
            {
                step = steps[i];
                break;
            }
        for (double t = step * floor(p->lo / step + 1.0); t < p->hi && count < 8; t += step)
            ticks[count++] = t;
    }
    for (int i = 0; i < count; ++i)
        at[i] = plot_y(p, ticks[i]);
    return count;
}

// ---- poses from the side ----

// The frame with the fastest slide of a planted toe before, around which a long clip is shown.
static int32_t worst_frame(const view* v)
{
    const contacts* c = v->in->contacts;
    int32_t worst = v->in->file->first_frame;
    double fastest = -1.0;
    for (int32_t foot = 0; foot < v->in->file->leg_count; ++foot)
    {
        const float* plant = c->labels->plant + (size_t)foot * (size_t)v->frames;
        const sft_v3d* toe = v->in->tracks_before->feet[foot].toe;
        for (int32_t f = v->in->file->first_frame + 1; f < v->frames; ++f)
        {
            if (!((double)plant[f] > v->in->threshold && (double)plant[f - 1] > v->in->threshold)) continue;
            const sft_v3d step = sft_v3d_scale(1.0 / v->dt, sft_v3d_sub(toe[f], toe[f - 1]));
            const double speed = sft_v3d_distance(step, c->grounds[foot]);
            if (speed > fastest)
            {
                fastest = speed;
                worst = f;
            }
        }
    }
    return worst;
}

void pose_window(const view* v, int32_t* first, int32_t* last, int* count)
{
    const int32_t start = v->in->file->first_frame, end = v->frames - 1;
    const sft_v3d* pelvis = v->in->tracks_after->input.pelvis;
    *first = start < end ? start : end;
    *last = end;
    double travel = 0.0;
    for (int32_t f = *first + 1; f <= end; ++f)
    {
        const sft_v3d step = sft_v3d_sub(on_ground(v, pelvis[f], f), on_ground(v, pelvis[f - 1], f - 1));
        travel += fabs(sft_v3d_dot(step, v->along));
    }
    // [m] between poses that are easy to tell apart; short ways are shown more densely.
    const double spacing = sft_clampd(travel / 8.0, 0.22, 0.42);
    *count = v->travels ? (int)(travel / spacing) + 1 : MAX_POSES;
    if (*count > MAX_POSES && v->travels)
    {
        // A part of the clip around its worst slide, as long as MAX_POSES poses need at the mean speed.
        const double share = spacing * (MAX_POSES - 1) / travel;
        const int32_t length = (int32_t)(share * (double)(end - *first)) + 1;
        int32_t from = worst_frame(v) - length / 2;
        if (from + length > end) from = end - length;
        if (from > *first) *first = from;
        *last = *first + length < end ? *first + length : end;
    }
    *count = *count > MAX_POSES ? MAX_POSES : *count < 3 ? 3 : *count;
    if (*count > *last - *first + 1) *count = *last - *first + 1;
}

typedef struct stage
{
    const view* v;
    double x, ground, scale; // SVG position of the origin and of the ground line; units a metre
    double before_shift;     // [m] moves the poses before, so that both clips meet in the middle
    int32_t first, last;     // frames shown
    int count;
    sft_xformd* pose; // joint_count entries of scratch
} stage;

static void pose_at(const stage* s, bool after, int32_t frame)
{
    const sft_clip* clip = after ? s->v->in->after : s->v->in->file->clip;
    const size_t row = (size_t)frame * (size_t)clip->joint_count;
    sft_skeleton_forward(s->v->in->file->skeleton, clip->translations + row, clip->rotations + row, s->pose);
}

// What a joint belongs to: 0 the upper body, 1 a left leg, 2 another leg, -1 not to be drawn.
static int part_of(const view* v, int32_t joint)
{
    const sft_skeleton* k = v->in->file->skeleton;
    for (int32_t i = 0; i < v->in->file->leg_count; ++i)
    {
        const sft_leg* leg = &v->in->file->legs[i];
        for (int32_t j = joint; j >= 0 && j != leg->pelvis; j = k->parents[j])
            if (j == leg->hip) return leg->side == SFT_LEG_LEFT ? 1 : 2;
    }
    return 0;
}

int8_t* report_parts(const view* v)
{
    const int32_t joints = v->in->file->skeleton->joint_count;
    int8_t* parts = malloc((size_t)joints);
    for (int32_t j = 0; parts != NULL && j < joints; ++j)
        parts[j] = (int8_t)part_of(v, j);
    return parts;
}

void draw_bones(cli_text* out, const view* v, const sft_xformd* pose, const int8_t* parts, int part, const double at[3],
                const char* css)
{
    const sft_skeleton* k = v->in->file->skeleton;
    text_fmt(out, "<path class=\"%s\" d=\"", css);
    for (int32_t j = 0; j < k->joint_count; ++j)
    {
        const int32_t parent = k->parents[j];
        if (parent < 0 || parts[j] != part) continue;
        // From a root that is not the pelvis (a point on the ground, say) no bone is drawn.
        if (k->parents[parent] < 0 && parent != v->in->file->legs[0].pelvis) continue;
        const sft_v3d a = pose[parent].t, b = pose[j].t;
        if (sft_v3d_distance(a, b) < 0.004) continue;
        const double ax = sft_v3d_dot(a, v->along), bx = sft_v3d_dot(b, v->along);
        put_point(out, 'M', at[0] + at[2] * ax, at[1] - at[2] * a.y);
        put_point(out, 'L', at[0] + at[2] * bx, at[1] - at[2] * b.y);
    }
    text_str(out, "\"/>");
}

static void draw_planted(cli_text* out, const stage* s, int32_t frame, double shift)
{
    for (int32_t i = 0; i < s->v->in->file->leg_count; ++i)
    {
        const size_t cell = (size_t)i * (size_t)s->v->frames + (size_t)frame;
        if (!((double)s->v->in->contacts->labels->plant[cell] > s->v->in->threshold)) continue;
        const sft_v3d p = s->v->in->tracks_after->feet[i].toe[frame];
        text_fmt(out, "<circle class=\"planted\" r=\"4.2\" cx=\"%.1f\" cy=\"%.1f\"/>",
                 s->x + s->scale * (sft_v3d_dot(p, s->v->along) + shift), s->ground - s->scale * (p.y - s->v->floor));
    }
}

static int32_t frame_of(const stage* s, int slot)
{
    return s->first + (int32_t)((int64_t)slot * (s->last - s->first) / (s->count > 1 ? s->count - 1 : 1));
}

// [m] added along the way. A clip that stays where it is gets its poses side by side.
static double shift_of(const stage* s, int slot, bool after)
{
    const int32_t frame = frame_of(s, slot);
    const double beside = 0.9;
    if (!s->v->travels) return beside * slot - sft_v3d_dot(s->v->in->tracks_after->input.pelvis[frame], s->v->along);
    const double ground = sft_v3d_dot(on_ground(s->v, sft_v3d_make(0, 0, 0), frame), s->v->along);
    return ground + (after ? 0.0 : s->before_shift);
}

// Extent along the way of all shown poses, and their height.
static void extent(const stage* s, double out[3])
{
    const int count = s->count;
    const sft_skeleton* k = s->v->in->file->skeleton;
    out[0] = 1e30;
    out[1] = -1e30;
    out[2] = 0.5;
    for (int i = 0; i < 2 * count; ++i)
    {
        const bool after = i < count;
        const int slot = i % count;
        pose_at(s, after, frame_of(s, slot));
        for (int32_t j = 0; j < k->joint_count; ++j)
        {
            if (k->parents[j] < 0 && j != s->v->in->file->legs[0].pelvis) continue;
            const double at = sft_v3d_dot(s->pose[j].t, s->v->along) + shift_of(s, slot, after);
            out[0] = sft_mind(out[0], at);
            out[1] = sft_maxd(out[1], at);
            out[2] = sft_maxd(out[2], s->pose[j].t.y - s->v->floor);
        }
    }
}

static void draw_pose(cli_text* out, const stage* s, const int8_t* parts, int32_t frame, double shift, bool after)
{
    static const char* const names[2][3] = {{"bone ghost", "bone ghost leg", "bone ghost leg"},
                                            {"bone body", "bone leg left", "bone leg right"}};
    pose_at(s, after, frame);
    const double at[3] = {s->x + s->scale * shift, s->ground + s->scale * s->v->floor, s->scale};
    draw_bones(out, s->v, s->pose, parts, 2, at, names[after][2]);
    draw_bones(out, s->v, s->pose, parts, 0, at, names[after][0]);
    draw_bones(out, s->v, s->pose, parts, 1, at, names[after][1]);
    if (after) draw_planted(out, s, frame, shift);
}

void draw_poses(cli_text* out, const view* v, double x, double y, double w, double* height)
{
    const int32_t joints = v->in->file->skeleton->joint_count;
    stage s = {.v = v};
    pose_window(v, &s.first, &s.last, &s.count);
    *height = 0.0;
    s.pose = malloc((size_t)joints * sizeof *s.pose);
    int8_t* parts = report_parts(v);
    if (s.pose != NULL && parts != NULL && s.count > 0)
    {
        const int32_t middle = frame_of(&s, s.count / 2);
        const sft_v3d off =
            sft_v3d_sub(v->in->tracks_after->input.pelvis[middle], v->in->tracks_before->input.pelvis[middle]);
        s.before_shift = sft_v3d_dot(off, v->along);
        double box[3];
        extent(&s, box);
        s.scale = sft_mind(w / (box[1] - box[0] + 0.1), 190.0);
        s.x = x + 0.5 * (w - s.scale * (box[0] + box[1]));
        s.ground = y + s.scale * box[2] + 8.0;
        *height = s.scale * box[2] + 26.0;
        text_fmt(out, "<path class=\"ground\" d=\"M%.1f %.1fh%.1f\"/>", x, s.ground + 1.0, w);
        for (int after = 0; after < 2; ++after)
            for (int slot = 0; slot < s.count; ++slot)
                draw_pose(out, &s, parts, frame_of(&s, slot), shift_of(&s, slot, after != 0), after != 0);
    }
    out->failed = out->failed || s.pose == NULL || parts == NULL;
    free(parts);
    free(s.pose);
}

// ---- traces from above: before in one lane, after in another ----

static sft_v3d toe_on_ground(const view* v, int32_t foot, bool after, int32_t frame)
{
    const sft_v3d toe = (after ? v->in->tracks_after : v->in->tracks_before)->feet[foot].toe[frame];
    return sft_v3d_madd(toe, -v->dt * (double)frame, v->in->contacts->grounds[foot]);
}

static void trace_box(const view* v, double out[4])
{
    out[0] = out[2] = 1e30;
    out[1] = out[3] = -1e30;
    for (int after = 0; after < 2; ++after)
        for (int32_t foot = 0; foot < v->in->file->leg_count; ++foot)
            for (int32_t f = v->in->file->first_frame; f < v->frames; ++f)
            {
                const sft_v3d p = toe_on_ground(v, foot, after != 0, f);
                const double a = sft_v3d_dot(p, v->along), b = sft_v3d_dot(p, v->across);
                out[0] = sft_mind(out[0], a);
                out[1] = sft_maxd(out[1], a);
                out[2] = sft_mind(out[2], b);
                out[3] = sft_maxd(out[3], b);
            }
}

static void draw_trace(cli_text* out, const view* v, int32_t foot, bool after, const double at[3])
{
    const int32_t start = v->in->file->first_frame, step = 1 + (v->frames - start) / 3000;
    text_fmt(out, "<path class=\"trace %s\" d=\"", after ? "after" : "before");
    for (int32_t f = start; f < v->frames; f += step)
    {
        const sft_v3d toe = toe_on_ground(v, foot, after, f);
        put_point(out, f == start ? 'M' : 'L', at[0] + at[2] * sft_v3d_dot(toe, v->along),
                  at[1] + at[2] * sft_v3d_dot(toe, v->across));
    }
    text_str(out, "\"/>");
}

// A stroke along each plant: a dot where the toe stands, a line where it slides.
static void draw_plants(cli_text* out, const view* v, int32_t foot, bool after, const double at[3])
{
    const float* plant = v->in->contacts->labels->plant + (size_t)foot * (size_t)v->frames;
    const int32_t step = 1 + v->frames / 6000;
    text_fmt(out, "<path class=\"plant %s\" d=\"", after ? "after" : "before");
    bool on = false;
    for (int32_t f = v->in->file->first_frame; f < v->frames; f += step)
    {
        const bool now = (double)plant[f] > v->in->threshold;
        const sft_v3d toe = toe_on_ground(v, foot, after, f);
        const double x = at[0] + at[2] * sft_v3d_dot(toe, v->along);
        const double y = at[1] + at[2] * sft_v3d_dot(toe, v->across);
        if (now && !on) text_fmt(out, "M%.1f %.1fh0", x, y);
        if (now && on) put_point(out, 'L', x, y);
        on = now;
    }
    text_str(out, "\"/>");
}

void draw_traces(cli_text* out, const view* v, double x, double y, double w, double* height)
{
    double box[4];
    trace_box(v, box);
    const double margin = 16.0, long_way = box[1] - box[0] + 1e-3, wide = box[3] - box[2] + 1e-3;
    // A way through the room goes above its counterpart; a clip that turns about goes beside it.
    const bool beside = wide > 0.4 * long_way;
    const double lane_w = beside ? 0.5 * w : w;
    const double scale = sft_mind(sft_mind((lane_w - 2.0 * margin) / long_way, 300.0), (beside ? 420.0 : 280.0) / wide);
    const double lane_h = scale * (box[3] - box[2]) + 2.0 * margin;
    *height = beside ? lane_h : 2.0 * lane_h;
    for (int after = 0; after < 2; ++after)
    {
        const double lane_x = x + (beside ? after * lane_w : 0.0), lane_y = y + (beside ? 0.0 : after * lane_h);
        const double left = lane_x + 0.5 * lane_w - scale * 0.5 * (box[0] + box[1]);
        text_str(out, "<path class=\"grid\" d=\"");
        for (double m = ceil(box[0]); m <= box[1] && m < box[0] + 400.0; m += 1.0)
            text_fmt(out, "M%.1f %.1fv%.1f", left + scale * m, lane_y, lane_h);
        text_str(out, "\"/>");
        const double at[3] = {left, lane_y + margin - scale * box[2], scale};
        for (int32_t foot = 0; foot < v->in->file->leg_count; ++foot)
        {
            draw_trace(out, v, foot, after != 0, at);
            draw_plants(out, v, foot, after != 0, at);
        }
    }
}
