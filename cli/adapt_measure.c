// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// How a clip stands on a ground: measured on the poses that were written, against the clip as it stood on its floor.
// The sole lies below heel, toe and toe end, as far as these are over the lowest of them in the rest pose, and turns
// with the foot. Definitions: docs/cli.md, "adapt".

#include "adapt.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// A heel slower than this [m/s] stands.
#define STILL 0.25
// Where the ground under one sole steps by more [m], it is an edge and has no slope between.
#define EDGE 0.03
#define HALF_FOOT 0.04
// Rise from toe to heel, as a share of the foot's length, from which on the heel is no part of the sole.
#define STEEP 0.8
// The sole is looked at in so many places from heel to toe, and from toe to toe end.
#define PARTS 5
// Ground is looked for so far above and below a point of the sole [m].
#define LOOK 1.0

static const double to_degrees = 180.0 / SFT_PI;

enum
{
    HEEL,
    TOE,
    TOE_END,
    POINTS
};

typedef struct foot_pose
{
    sft_v3d points[POINTS];
    sft_quatd carriers[POINTS]; // what turns the sole at each point
    double straightness;
} foot_pose;

// All poses of one leg in one clip; the caller frees it. Null: out of memory, or no such pose.
static foot_pose* read_foot(const loaded* file, const sft_clip* clip, int32_t leg)
{
    const sft_leg* l = &file->legs[leg];
    const size_t joints = (size_t)clip->joint_count;
    foot_pose* out = calloc((size_t)file->frame_count + 1, sizeof *out);
    for (int32_t i = 0; out != NULL && i < file->frame_count; ++i)
    {
        sft_leg_pose p;
        const size_t row = (size_t)i * joints;
        if (sft_leg_pose_read(file->skeleton, l, clip->translations + row, clip->rotations + row, &p) != SFT_OK)
        {
            free(out);
            return NULL;
        }
        const double chain = sft_v3d_distance(p.hip.t, p.knee.t) + sft_v3d_distance(p.knee.t, p.heel.t);
        out[i] = (foot_pose){{p.heel.t, p.toe.t, l->toe_end >= 0 ? p.toe_end.t : p.toe.t},
                             {p.heel.r, p.heel.r, p.toe.r},
                             chain > 0.0 ? sft_v3d_distance(p.hip.t, p.heel.t) / chain : 0.0};
    }
    return out;
}

static bool on(const contacts* c, double threshold, int32_t foot, int32_t frame)
{
    const size_t at = (size_t)foot * (size_t)c->labels->frame_count + (size_t)frame;
    return (double)c->labels->plant[at] > threshold;
}

// ---- the floor ----

double adapt_find_floor(const adapt* a, const loaded* file, const tracks* t, const contacts* c, const char** reason)
{
    *reason = "given on the command line";
    if (a->floor_given) return a->def.foot.floor;
    return cli_find_floor(a->options.threshold, file, t, c, reason);
}

// ---- on the ground ----

// Signed distance of a point from the ground, below it negative; NaN where there is none.
static double clearance(const sft_ground* ground, sft_v3d p)
{
    sft_ground_hit hit;
    const sft_v3d down = sft_v3d_make(0, -1, 0);
    if (!sft_ground_cast(ground, sft_v3d_make(p.x, p.y + LOOK, p.z), down, 2.0 * LOOK, 0.0, &hit)) return (double)NAN;
    const double above = p.y - hit.point.y;
    double distance = above * fabs(hit.normal.y);
    if (distance >= 0.0) return distance;
    // Beside a riser the way out is sideways.
    for (int i = 0; i < 16; ++i)
    {
        const double angle = i * SFT_PI / 8.0;
        const sft_v3d side = sft_v3d_make(sft_sin(angle), 0.0, sft_cos(angle));
        if (sft_ground_cast(ground, p, side, -distance, 0.0, &hit))
            distance = sft_maxd(distance, -hit.distance * fabs(sft_v3d_dot(side, hit.normal)));
    }
    return distance;
}

typedef struct foot_view
{
    const adapt* a;
    const adapt_job* j;
    int32_t foot;
    foot_pose *before, *after;
    double rest[POINTS]; // over the sole
    bool seen;           // any ground below any point of it
    bool* listed;        // [frame] by a miss
} foot_view;

static bool is_planted(const foot_view* v, int32_t frame)
{
    return on(&v->j->contacts, v->a->options.threshold, v->foot, frame);
}

static bool is_still(const foot_view* v, int32_t i)
{
    const loaded* f = v->j->file;
    const int32_t k = i > f->first_frame ? i - 1 : i + 1 < f->frame_count ? i + 1 : i;
    return sft_v3d_distance(v->before[i].points[HEEL], v->before[k].points[HEEL]) < STILL * f->frame_time;
}

// How high the heel is over toe and toe end while the foot stands flat: planted, the heel still and in the lower half
// of its heights. `otherwise` where it never is; NaN: out of memory.
static double heel_height(const foot_view* v, double otherwise)
{
    const loaded* f = v->j->file;
    double* values = malloc((size_t)(f->frame_count + 1) * sizeof *values);
    if (values == NULL) return (double)NAN;
    size_t count = 0;
    for (int32_t i = f->first_frame; i < f->frame_count; ++i)
        if (is_planted(v, i) && is_still(v, i)) values[count++] = v->before[i].points[HEEL].y;
    const double half = count > 0 ? cli_median(values, count) : 0.0;
    const size_t still = count;
    count = 0;
    for (int32_t i = f->first_frame; i < f->frame_count && still > 0; ++i)
    {
        const sft_v3d* p = v->before[i].points;
        if (is_planted(v, i) && is_still(v, i) && p[HEEL].y <= half)
            values[count++] = p[HEEL].y - sft_mind(p[TOE].y - v->rest[TOE], p[TOE_END].y - v->rest[TOE_END]);
    }
    const double height = count > 0 ? cli_median(values, count) : otherwise;
    free(values);
    return height;
}

// Whether the heel is part of the sole: not where it stands steeper than STEEP over the toe in the rest pose, as hocks
// do, or in most planted frames, as of a spider that is walked on its tips. NAN in *share: out of memory.
static bool heel_bears(const foot_view* v, double* share)
{
    const loaded* f = v->j->file;
    const sft_leg* leg = &f->legs[v->foot];
    double* values = malloc((size_t)(f->frame_count + 1) * sizeof *values);
    *share = values != NULL ? 0.0 : (double)NAN;
    size_t count = 0;
    double length = 0.0;
    for (int32_t i = f->first_frame; i < f->frame_count && values != NULL; ++i)
    {
        const sft_v3d foot = sft_v3d_sub(v->before[i].points[HEEL], v->before[i].points[TOE]);
        length = sft_v3d_length(foot);
        if (is_planted(v, i) && length > 0.0) values[count++] = foot.y / length;
    }
    if (count > 0) *share = cli_median(values, count);
    free(values);
    return leg->heel != leg->toe && leg->heel_min - leg->toe_min < STEEP * length && *share < STEEP;
}

// Heights of the points over the sole, as the rest pose has them; but rest poses need not stand, and a heel that is
// lower while the foot stands flat is that much nearer to the sole.
static bool find_rest(foot_view* v)
{
    const sft_leg* leg = &v->j->file->legs[v->foot];
    v->rest[TOE] = leg->toe_min;
    v->rest[TOE_END] = leg->toe_end >= 0 ? leg->toe_end_min : leg->toe_min;
    double share;
    if (!heel_bears(v, &share))
    {
        // What lies below it is no sole, and is not measured.
        for (int32_t i = 0; i < v->j->file->frame_count; ++i)
        {
            v->before[i].points[HEEL] = v->before[i].points[TOE];
            v->after[i].points[HEEL] = v->after[i].points[TOE];
        }
        v->rest[HEEL] = v->rest[TOE];
        return !isnan(share);
    }
    const double height = heel_height(v, leg->heel_min);
    v->rest[HEEL] = sft_maxd(0.0, sft_mind(height, leg->heel_min));
    return !isnan(height);
}

static sft_v3d up_of(const foot_view* v, int32_t frame, int point)
{
    const sft_quatd turn =
        sft_quatd_mul(v->after[frame].carriers[point], sft_quatd_conjugate(v->before[frame].carriers[point]));
    return sft_quatd_rotate(turn, sft_v3d_make(0, 1, 0));
}

static sft_v3d sole_of(const foot_view* v, int32_t frame, int point)
{
    return sft_v3d_madd(v->after[frame].points[point], -v->rest[point], up_of(v, frame, point));
}

// Of a point of the sole over the floor, in the clip as it stood there.
static double source_height(const foot_view* v, int32_t frame, int point)
{
    return v->before[frame].points[point].y - v->j->floor - v->rest[point];
}

// The sole between two of its points, and how high the source's was over its floor there. How deep it is [cm].
static double measure_depth(foot_view* v, int32_t i, int from, double share, adapt_foot* out)
{
    const sft_v3d a = sole_of(v, i, from), b = sole_of(v, i, from + 1);
    const double was = source_height(v, i, from), then = source_height(v, i, from + 1);
    const double c = clearance(&v->j->ground.ground, sft_v3d_madd(a, share, sft_v3d_sub(b, a)));
    // Where there is no ground it is no number, and no comparison holds.
    const double depth = -c - sft_maxd(-(was + share * (then - was)), 0.0);
    v->seen = v->seen || !isnan(c);
    if (100.0 * depth > out->depth_cm)
    {
        out->depth_cm = 100.0 * depth;
        out->depth_frame = i;
    }
    return 100.0 * depth;
}

static void measure_contact(foot_view* v, int32_t i, adapt_foot* out)
{
    bool deep = false;
    double low = (double)INFINITY, was = (double)INFINITY;
    for (int k = 0; k <= 2 * PARTS; ++k)
        if (measure_depth(v, i, k < PARTS ? HEEL : TOE, k < PARTS ? k / (double)PARTS : k / (double)PARTS - 1.0, out) >
            adapt_wrong_most[ADAPT_WRONG_THROUGH])
            deep = true;
    out->deep_frames += deep;
    if (!is_planted(v, i) || v->listed[i]) return;
    for (int p = 0; p < POINTS; ++p)
    {
        const double c = clearance(&v->j->ground.ground, sole_of(v, i, p));
        was = sft_mind(was, source_height(v, i, p));
        if (c < low) low = c;
    }
    if (!isfinite(low))
    {
        if (out->lost_frames++ == 0) out->lost_frame = i;
        return;
    }
    ++out->support_frames;
    // A clip on a level floor stays what it is, so the foot may be on the ground, or off it as it was, or between.
    const double off = 100.0 * sft_maxd(low - sft_maxd(was, 0.0), sft_mind(was, 0.0) - low);
    out->off_frames += off > adapt_wrong_most[ADAPT_WRONG_OFF];
    if (off > out->support_cm || out->support_frame < 0)
    {
        out->support_cm = sft_maxd(off, 0.0);
        out->support_frame = i;
    }
}

// ---- tilt ----

typedef struct span
{
    double least, most;
} span;

static void widen(span* s, double value)
{
    s->least = sft_mind(s->least, value);
    s->most = sft_maxd(s->most, value);
}

static double outside(span s, double value)
{
    return sft_maxd(sft_maxd(value - s.most, s.least - value), 0.0);
}

// What the ground's pitch and roll under a sole may be said to be: those of its patches, half a foot to both sides too,
// and of the line through its ends where no edge is between. False: a part of it has no ground below.
static bool ground_angles(const foot_view* v, int32_t i, sft_v3d ahead, sft_v3d side, span* pitch, span* roll)
{
    double heights[9] = {0};
    bool edge = false;
    const sft_v3d a = sole_of(v, i, HEEL), b = sole_of(v, i, TOE_END);
    *pitch = *roll = (span){(double)INFINITY, -(double)INFINITY};
    for (int k = 0; k < 27; ++k)
    {
        const int along = k / 3, across = k % 3;
        const sft_v3d p = sft_v3d_madd(sft_v3d_madd(a, along / 8.0, sft_v3d_sub(b, a)), (across - 1) * HALF_FOOT, side);
        sft_ground_hit hit;
        if (!sft_ground_cast(&v->j->ground.ground, sft_v3d_make(p.x, p.y + LOOK, p.z), sft_v3d_make(0, -1, 0),
                             2.0 * LOOK, 0.0, &hit))
        {
            if (across == 1) return false;
            continue;
        }
        widen(pitch, sft_atan2(-sft_v3d_dot(hit.normal, ahead), hit.normal.y) * to_degrees);
        widen(roll, sft_atan2(-sft_v3d_dot(hit.normal, side), hit.normal.y) * to_degrees);
        if (across != 1) continue;
        heights[along] = hit.point.y;
        edge = edge || (along > 0 && fabs(hit.point.y - heights[along - 1]) > EDGE);
    }
    const double length = sft_v3d_dot(sft_v3d_sub(b, a), ahead);
    if (!edge && length > 0.02) widen(pitch, sft_atan2(heights[8] - heights[0], length) * to_degrees);
    return true;
}

// Level and ahead along the sole, and to its side. False: the sole stands on end.
static bool sole_axes(const foot_view* v, int32_t i, sft_v3d* ahead, sft_v3d* side)
{
    *ahead = sft_v3d_sub(v->after[i].points[TOE_END], v->after[i].points[HEEL]);
    ahead->y = 0.0;
    const double length = sft_v3d_length(*ahead);
    if (!(length > 1e-6)) return false;
    *ahead = sft_v3d_scale(1.0 / length, *ahead);
    *side = sft_v3d_cross(sft_v3d_make(0, 1, 0), *ahead);
    return true;
}

static void measure_tilt(const foot_view* v, int32_t i, span pitch, span roll, adapt_foot* out)
{
    sft_v3d ahead, side;
    if (v->listed[i] || !sole_axes(v, i, &ahead, &side)) return;
    const sft_v3d up = up_of(v, i, HEEL);
    const double p = outside(pitch, sft_atan2(-sft_v3d_dot(up, ahead), up.y) * to_degrees);
    const double r = outside(roll, sft_atan2(-sft_v3d_dot(up, side), up.y) * to_degrees);
    if (p > out->pitch_off || out->pitch_frame < 0)
    {
        out->pitch_off = p;
        out->pitch_frame = i;
    }
    if (r > out->roll_off || out->roll_frame < 0)
    {
        out->roll_off = r;
        out->roll_frame = i;
    }
}

// A plant has one foothold: a foot that rises onto its toe keeps what it had, whatever lies below the raised heel.
static void measure_plant(const foot_view* v, int32_t first, int32_t end, adapt_foot* out)
{
    const double pitch_max = v->a->def.foot.pitch_max * to_degrees, roll_max = v->a->def.foot.roll_max * to_degrees;
    span pitch = {(double)INFINITY, -(double)INFINITY}, roll = pitch;
    for (int32_t i = first; i < end; ++i)
    {
        sft_v3d ahead, side;
        span p, r;
        if (!sole_axes(v, i, &ahead, &side) || !ground_angles(v, i, ahead, side, &p, &r)) continue;
        widen(&pitch, p.least);
        widen(&pitch, p.most);
        widen(&roll, r.least);
        widen(&roll, r.most);
    }
    // Ground that needs more than an ankle may give says nothing of the foot; nor does none.
    if (!(pitch.least <= pitch.most)) return;
    if (sft_maxd(pitch.most, -pitch.least) > pitch_max || sft_maxd(roll.most, -roll.least) > roll_max) return;
    for (int32_t i = first; i < end; ++i)
        measure_tilt(v, i, pitch, roll, out);
}

static void measure_tilts(const foot_view* v, adapt_foot* out)
{
    const loaded* f = v->j->file;
    for (int32_t first = f->first_frame, end; first < f->frame_count; first = end + 1)
    {
        for (end = first; end < f->frame_count && is_planted(v, end);)
            ++end;
        if (end > first) measure_plant(v, first, end, out);
    }
}

// ---- the whole ----

static double jerk(const loaded* file, const sft_v3d* p)
{
    double sum = 0.0;
    const int32_t first = file->first_frame, count = file->frame_count - 3 - first;
    for (int32_t i = first; i < first + count; ++i)
    {
        const sft_v3d a = sft_v3d_sub(p[i + 3], p[i]), b = sft_v3d_sub(p[i + 2], p[i + 1]);
        const sft_v3d third = sft_v3d_madd(a, -3.0, b);
        sum += sft_v3d_dot(third, third);
    }
    return count > 0 ? sqrt(sum / count) : 0.0;
}

static int measure_foot(const adapt* a, adapt_job* j, int32_t foot, adapt_foot* out)
{
    const loaded* f = j->file;
    foot_view v = {.a = a, .j = j, .foot = foot};
    *out = (adapt_foot){.lost_frame = -1,
                        .support_frame = -1,
                        .depth_frame = -1,
                        .pitch_frame = -1,
                        .roll_frame = -1,
                        .knee_frame = -1};
    v.before = read_foot(f, j->stood, foot);
    v.after = read_foot(f, j->written, foot);
    v.listed = calloc((size_t)f->frame_count + 1, sizeof *v.listed);
    const bool fine = v.before != NULL && v.after != NULL && v.listed != NULL && find_rest(&v);
    for (int32_t m = 0; fine && m < j->report.miss_count; ++m)
        for (int32_t i = j->report.misses[m].first; i <= j->report.misses[m].last && i < f->frame_count; ++i)
            if (j->report.misses[m].foot == foot) v.listed[i] = true;
    for (int32_t i = f->first_frame; fine && i < f->frame_count; ++i)
    {
        measure_contact(&v, i, out);
        out->knee_source = sft_maxd(out->knee_source, v.before[i].straightness);
        if (v.after[i].straightness > out->knee)
        {
            out->knee = v.after[i].straightness;
            out->knee_frame = i;
        }
    }
    if (fine) measure_tilts(&v, out);
    // Nothing measured is no zero.
    if (out->support_frame < 0) out->support_cm = (double)NAN;
    if (!v.seen) out->depth_cm = (double)NAN;
    if (out->pitch_frame < 0) out->pitch_off = (double)NAN;
    if (out->roll_frame < 0) out->roll_off = (double)NAN;
    free(v.before);
    free(v.after);
    free(v.listed);
    return fine ? EXIT_DONE : cli_fail(EXIT_MEMORY, "out of memory");
}

int adapt_measure(const adapt* a, adapt_job* j)
{
    int code = EXIT_DONE;
    for (int32_t foot = 0; foot < j->file->leg_count && code == EXIT_DONE; ++foot)
        code = measure_foot(a, j, foot, &j->figures.feet[foot]);
    const double was = jerk(j->file, j->stood_tracks->input.pelvis), now = jerk(j->file, j->after_tracks->input.pelvis);
    j->figures.jerk_ratio = was > 1e-9 ? now / was : now <= 1e-9 ? 1.0 : (double)NAN;
    if (code == EXIT_DONE) adapt_find_wrong(j);
    return code;
}
