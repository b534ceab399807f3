// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// A strip of poses as a picture: the creature's bones as they are in one cycle of its gait, seen from its right side a
// little from ahead and above. Legs have the colours of their traces; a dot under a foot is full while it stands.

#include "roam.h"

#include <math.h>
#include <stdlib.h>

#define POSES 8
#define GAP 12.0
#define TALLEST 190.0
// The eye: degrees off the nose, and above the ground; those that sprawl are seen from higher up.
#define ASIDE 66.0
#define ABOVE 14.0
#define SPRAWL 24.0
#define DEGREES (3.14159265358979323846 / 180.0)

typedef struct strip
{
    const roam_job* j;
    int32_t frames[POSES];
    int count, columns;
    sft_v3d right, up, eye; // of the page, world
    double left, top, scale, wide, high;
    double lo_x, lo_y; // [m] of the page, of every pose
    double leg;        // [m]
    sft_xformd* model; // of all joints of all poses
    int32_t* leg_of;   // of each joint; -1: none
} strip;

typedef struct stroke
{
    double depth, ax, ay, bx, by, width;
    const char* colour;
} stroke;

// Frames of whole cycles of the first leg, as many as give enough frames, from the middle of the walk on.
static void choose_frames(strip* s)
{
    const int32_t legs = s->j->def.leg_count, frames = s->j->clip->frame_count;
    int32_t start = -1, end = -1;
    for (int32_t f = frames * 2 / 5 + 1; f < frames && (start < 0 || end - start < POSES); ++f)
    {
        const size_t at = (size_t)f * (size_t)legs;
        if (s->j->swings[at] == 0 || s->j->swings[at - (size_t)legs] != 0) continue;
        if (start < 0) start = f;
        end = f;
    }
    // One that stands, or hardly steps: the whole of it.
    if (end <= start) start = 0, end = frames;
    const int32_t apart = end - start < POSES ? 1 : (end - start) / POSES;
    while (s->count < POSES && start + s->count * apart < end)
    {
        s->frames[s->count] = start + s->count * apart;
        s->count++;
    }
}

// Feet to the side of the body's middle, of its height: 1 for one that sprawls.
static double sprawl_of(const roam_job* j)
{
    double aside = 0;
    for (int32_t l = 0; l < j->def.leg_count; ++l)
        aside += fabs(sft_v3d_cross(j->def.legs[l].home, j->def.forward).y) / j->def.leg_count;
    return fmin(aside / fmax(j->def.motion.body_height, 1e-6), 1);
}

static void choose_eye(strip* s)
{
    const roam_job* j = s->j;
    const double above = (ABOVE + SPRAWL * sprawl_of(j)) * DEGREES;
    const sft_v3d first = j->bodies[s->frames[0]], last = j->bodies[s->frames[s->count - 1]];
    const sft_v3d way = {last.x - first.x, 0, last.z - first.z};
    // Where it went, or where it faces.
    const sft_quatd now = s->model[j->def.body].r;
    const sft_quatd rest =
        sft_skeleton_joint_model(j->skeleton, j->skeleton->rest_translations, j->skeleton->rest_rotations, j->def.body)
            .r;
    sft_v3d faces = sft_quatd_rotate(sft_quatd_mul(now, sft_quatd_conjugate(rest)), j->def.forward);
    faces.y = 0;
    faces = sft_v3d_normalize_or(faces, (sft_v3d){0, 0, 1});
    const sft_v3d ahead = sft_v3d_length(way) > 0.3 * s->leg ? sft_v3d_normalize_or(way, faces) : faces;
    const sft_v3d aside = {-ahead.z, 0, ahead.x};
    const double c = sft_cos(above);
    const sft_v3d flat =
        sft_v3d_add(sft_v3d_scale(sft_cos(ASIDE * DEGREES), ahead), sft_v3d_scale(sft_sin(ASIDE * DEGREES), aside));
    s->eye = sft_v3d_add(sft_v3d_scale(c, flat), (sft_v3d){0, sft_sin(above), 0});
    s->right = sft_v3d_normalize_or(sft_v3d_cross((sft_v3d){0, 1, 0}, s->eye), (sft_v3d){1, 0, 0});
    s->up = sft_v3d_cross(s->eye, s->right);
}

static sft_v3d from_body(const strip* s, int pose, sft_v3d p)
{
    return sft_v3d_sub(p, s->j->bodies[s->frames[pose]]);
}

static bool below(const sft_skeleton* skeleton, int32_t joint, int32_t above)
{
    while (joint > above)
        joint = skeleton->parents[joint];
    return joint == above;
}

static void choose_size(strip* s, double width)
{
    const size_t n = (size_t)s->j->skeleton->joint_count;
    double hi_x = -INFINITY, hi_y = -INFINITY;
    s->lo_x = s->lo_y = INFINITY;
    for (int k = 0; k < s->count; ++k)
        for (size_t i = 0; i < n; ++i)
        {
            // What is above the body stays behind.
            if (!below(s->j->skeleton, (int32_t)i, s->j->def.body)) continue;
            const sft_v3d p = from_body(s, k, s->model[(size_t)k * n + i].t);
            const double x = sft_v3d_dot(p, s->right), y = sft_v3d_dot(p, s->up);
            s->lo_x = fmin(s->lo_x, x);
            hi_x = fmax(hi_x, x);
            s->lo_y = fmin(s->lo_y, y);
            hi_y = fmax(hi_y, y);
        }
    const double pad = 0.08 * s->leg, across = hi_x - s->lo_x + 2 * pad, height = hi_y - s->lo_y + 2 * pad;
    s->lo_x -= pad;
    s->lo_y -= pad;
    s->columns = across > 1.1 * height ? (POSES + 1) / 2 : POSES;
    s->wide = (width - (s->columns - 1) * GAP) / s->columns;
    s->scale = fmin(s->wide / across, TALLEST / height);
    s->high = s->scale * height;
    s->lo_x -= 0.5 * (s->wide / s->scale - across); // in the middle of its cell
}

static void place_on_page(const strip* s, int pose, sft_v3d p, double* x, double* y)
{
    const sft_v3d d = from_body(s, pose, p);
    *x = s->left + pose % s->columns * (s->wide + GAP) + s->scale * (sft_v3d_dot(d, s->right) - s->lo_x);
    *y = s->top + (pose / s->columns + 1) * (s->high + GAP) - GAP - s->scale * (sft_v3d_dot(d, s->up) - s->lo_y);
}

// [parts of a leg] of a bone of the trunk: tails run out to a point.
static double trunk_width(const roam_job* j, int32_t joint)
{
    for (int32_t i = 0; i < j->def.tail_count; ++i)
        if (j->def.tail[i] == joint) return 0.11 * (1 - (double)i / j->def.tail_count);
    for (int32_t i = 0; i < j->def.spine_count; ++i)
        if (below(j->skeleton, j->def.spine[i].joint, joint) || j->def.spine[i].joint == joint) return 0.13;
    return below(j->skeleton, joint, j->def.body) && j->def.head_count > 0 &&
                   below(j->skeleton, j->def.head[j->def.head_count - 1].joint, joint)
               ? 0.11
               : 0.06;
}

static void put_strokes(stroke* strokes, int count, cli_text* out)
{
    // Far ones first.
    for (int i = 1; i < count; ++i)
    {
        const stroke s = strokes[i];
        int k = i;
        for (; k > 0 && strokes[k - 1].depth > s.depth; --k)
            strokes[k] = strokes[k - 1];
        strokes[k] = s;
    }
    for (int i = 0; i < count; ++i)
        text_fmt(out, "<path d=\"M%.1f %.1fL%.1f %.1f\" stroke=\"%s\" stroke-width=\"%.1f\"/>\n", strokes[i].ax,
                 strokes[i].ay, strokes[i].bx, strokes[i].by, strokes[i].colour, strokes[i].width);
}

static void put_pose(const strip* s, int pose, stroke* strokes, cli_text* out)
{
    const roam_job* j = s->j;
    const sft_skeleton* skeleton = j->skeleton;
    const sft_xformd* model = s->model + (size_t)pose * (size_t)skeleton->joint_count;
    const double thick = s->leg * s->scale;
    int n = 0;
    for (int32_t i = 0; i < skeleton->joint_count; ++i)
    {
        if (i == j->def.body || !below(skeleton, i, j->def.body)) continue;
        const sft_v3d a = model[skeleton->parents[i]].t, b = model[i].t;
        const int32_t leg = s->leg_of[i];
        stroke* k = &strokes[n++];
        *k = (stroke){.depth = sft_v3d_dot(s->eye, from_body(s, pose, sft_v3d_scale(0.5, sft_v3d_add(a, b)))),
                      .width = fmax(thick * (leg >= 0 ? 0.065 : trunk_width(j, i)), 1),
                      .colour = leg >= 0 ? roam_leg_colour(leg) : "#7d8a8f"};
        place_on_page(s, pose, a, &k->ax, &k->ay);
        place_on_page(s, pose, b, &k->bx, &k->by);
    }
    put_strokes(strokes, n, out);
    const size_t at = (size_t)s->frames[pose] * (size_t)j->def.leg_count;
    for (int32_t l = 0; l < j->def.leg_count; ++l)
    {
        double x = 0, y = 0;
        const sft_v3d sole = {0, -j->def.scale * j->def.legs[l].ankle_offset, 0};
        place_on_page(s, pose, sft_v3d_add(j->feet[at + (size_t)l], sole), &x, &y);
        text_fmt(out, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"2.4\" stroke=\"%s\" stroke-width=\"1\" fill=\"%s\"/>\n", x,
                 y, roam_leg_colour(l), j->swings[at + (size_t)l] != 0 ? "#fff" : roam_leg_colour(l));
    }
    double x = 0, y = 0;
    place_on_page(s, pose, j->bodies[s->frames[pose]], &x, &y);
    text_fmt(out, "<text x=\"%.1f\" y=\"%.1f\" stroke=\"none\" fill=\"#777\" font-size=\"10\">%.2f s</text>\n",
             s->left + pose % s->columns * (s->wide + GAP), s->top + pose / s->columns * (s->high + GAP) + 10,
             (s->frames[pose] - s->frames[0]) * j->clip->frame_time);
}

static bool prepare(const roam_job* j, strip* s)
{
    const size_t n = (size_t)j->skeleton->joint_count;
    *s = (strip){.j = j};
    choose_frames(s);
    s->model = calloc(n * POSES, sizeof *s->model);
    s->leg_of = calloc(n, sizeof *s->leg_of);
    if (s->model == NULL || s->leg_of == NULL) return false;
    for (int k = 0; k < s->count; ++k)
    {
        const size_t at = (size_t)s->frames[k] * n;
        sft_skeleton_forward(j->skeleton, j->clip->translations + at, j->clip->rotations + at, s->model + k * (int)n);
    }
    for (int32_t i = 0; i < j->skeleton->joint_count; ++i)
        for (int32_t l = s->leg_of[i] = -1; l < j->def.leg_count; ++l)
            if (l >= 0 && i != j->def.legs[l].joints[0] && below(j->skeleton, i, j->def.legs[l].joints[0]))
                s->leg_of[i] = l;
    for (int32_t l = 0; l < j->def.leg_count; ++l)
        s->leg += j->def.scale * j->def.legs[l].reach_max / j->def.leg_count;
    return true;
}

double roam_strip(const roam_job* j, double left, double top, double width, cli_text* out)
{
    strip s;
    stroke* strokes = calloc((size_t)j->skeleton->joint_count, sizeof *strokes);
    double height = 0;
    if (prepare(j, &s) && strokes != NULL)
    {
        choose_eye(&s);
        choose_size(&s, width);
        s.left = left;
        s.top = top;
        text_str(out, "<g fill=\"none\" stroke-linecap=\"round\">\n");
        for (int k = 0; k < s.count; ++k)
            put_pose(&s, k, strokes, out);
        text_str(out, "</g>\n");
        height = (s.count + s.columns - 1) / s.columns * (s.high + GAP);
    }
    free(s.model);
    free(s.leg_of);
    free(strokes);
    return height;
}
