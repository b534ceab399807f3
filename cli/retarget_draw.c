// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// Both figures side by side, as bones between joints that mean something; and the curves of their feet.

#include "retarget_report.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MAX_POSES 9
#define MIN_POSES 4
// At which a pose is still easy to read.
#define LEAST_HEIGHT 110.0
// [s] of clips in which a walk repeats itself.
#define LONG 2.5
// Share of the largest extent that may stick out of a pose's slot.
#define OVERLAP 1.25

typedef enum colour
{
    COLOUR_BODY,
    COLOUR_LEFT,
    COLOUR_RIGHT
} colour;

typedef struct bone
{
    int32_t from, to;
    colour colour;
    bool fine; // fingers
} bone;

// One of the two figures.
typedef struct actor
{
    const sft_rig* rig;
    const sft_clip* clip;
    const sft_leg* legs;
    int32_t leg_count;
    const float* plant;
    double ground;
    bool flip; // shown mirrored, so that both do the same
    bone* bones;
    int32_t bone_count;
    sft_xformd* pose;
} actor;

// ---- bones ----

static bool counts(sft_part part)
{
    return part != SFT_PART_NONE && part != SFT_PART_ROOT && part != SFT_PART_TWIST;
}

static void add_bone(actor* a, int32_t from, int32_t to, sft_leg_side side, bool fine)
{
    const colour own = side == SFT_LEG_LEFT ? COLOUR_LEFT : side == SFT_LEG_RIGHT ? COLOUR_RIGHT : COLOUR_BODY;
    const colour other = own == COLOUR_LEFT ? COLOUR_RIGHT : own == COLOUR_RIGHT ? COLOUR_LEFT : own;
    a->bones[a->bone_count++] = (bone){from, to, a->flip ? other : own, fine};
}

// The longest leaf below a head or a hand that has nothing else: otherwise these were points.
static int32_t tip_of(const sft_rig* rig, int32_t joint)
{
    int32_t tip = -1;
    double longest = 0.01;
    for (int32_t k = joint + 1; k < rig->skeleton->joint_count; ++k)
    {
        if (rig->skeleton->parents[k] != joint) continue;
        if (counts(rig->meanings[k].part)) return -1;
        const double length = sft_v3d_length(rig->skeleton->rest_translations[k]);
        if (length <= longest || length > 0.75 * rig->leg_length) continue;
        longest = length;
        tip = k;
    }
    return tip;
}

// The rig, the clip and so on are set; at most two bones a joint and two a leg.
static bool find_bones(actor* a)
{
    const sft_skeleton* s = a->rig->skeleton;
    const size_t joints = (size_t)s->joint_count;
    a->bones = calloc(2 * joints + 2 * (size_t)a->leg_count + 1, sizeof *a->bones);
    a->pose = malloc((joints + 1) * sizeof *a->pose);
    if (a->bones == NULL || a->pose == NULL) return false;
    for (int32_t k = 0; k < s->joint_count; ++k)
    {
        const sft_joint_meaning* m = &a->rig->meanings[k];
        if (!counts(m->part)) continue;
        int32_t from = s->parents[k];
        while (from >= 0 && !counts(a->rig->meanings[from].part))
            from = s->parents[from];
        if (from >= 0) add_bone(a, from, k, m->side, m->part == SFT_PART_FINGER);
        const int32_t tip = m->part == SFT_PART_HEAD || m->part == SFT_PART_HAND ? tip_of(a->rig, k) : -1;
        if (tip >= 0) add_bone(a, k, tip, m->side, false);
    }
    for (int32_t i = 0; i < a->leg_count; ++i)
    {
        const sft_leg* leg = &a->legs[i];
        if (leg->toe >= 0 && leg->toe != leg->heel && !counts(a->rig->meanings[leg->toe].part))
            add_bone(a, leg->heel, leg->toe, leg->side, false);
        if (leg->toe_end >= 0 && leg->toe >= 0) add_bone(a, leg->toe, leg->toe_end, leg->side, false);
    }
    return true;
}

static bool make_actors(const both_view* v, actor* source, actor* target)
{
    const retarget_job* j = v->j;
    *source = (actor){.rig = j->source_rig,
                      .clip = j->source->clip,
                      .legs = j->source->legs,
                      .leg_count = j->source->leg_count,
                      .plant = j->contacts.labels != NULL ? j->contacts.labels->plant : NULL,
                      .ground = j->source_ground,
                      .flip = v->r->transfer.mirror};
    *target = (actor){.rig = j->target_rig,
                      .clip = j->written,
                      .legs = j->shown.legs,
                      .leg_count = j->shown.leg_count,
                      .plant = j->carried.labels != NULL ? j->carried.labels->plant : NULL,
                      .ground = j->target_ground};
    return find_bones(source) && find_bones(target);
}

static void free_actor(actor* a)
{
    free(a->bones);
    free(a->pose);
}

// ---- a pose on paper ----

// Into figure space, the mean heading taken out: x to its left, z ahead.
static void pose_at(const both_view* v, actor* a, int32_t frame)
{
    const size_t row = (size_t)frame * (size_t)a->clip->joint_count;
    sft_skeleton_forward(a->rig->skeleton, a->clip->translations + row, a->clip->rotations + row, a->pose);
    const sft_quatd turn = sft_quatd_exp(sft_v3d_make(0.0, a->rig->facing, 0.0));
    const sft_quatd back = sft_quatd_exp(sft_v3d_make(0.0, -v->heading, 0.0));
    for (int32_t k = 0; k < a->clip->joint_count; ++k)
    {
        sft_v3d p = sft_quatd_rotate(turn, a->pose[k].t);
        if (a->flip) p.x = -p.x;
        p = sft_quatd_rotate(back, p);
        p.y -= a->ground;
        a->pose[k].t = p;
    }
}

// Metres right and up from the hips and the ground.
static void on_paper(const actor* a, look from, int32_t joint, double out[2])
{
    const sft_v3d hips = a->rig->hips >= 0 ? a->pose[a->rig->hips].t : sft_v3d_make(0, 0, 0);
    const sft_v3d p = a->pose[joint].t;
    const double x = p.x - hips.x, z = p.z - hips.z;
    if (from == LOOK_SIDE)
    {
        out[0] = z;
        out[1] = p.y;
        return;
    }
    const double yaw = 0.55, pitch = 0.14; // [rad]
    const double c = sft_cos(yaw), s = sft_sin(yaw), near = z * c + x * s;
    out[0] = x * c - z * s;
    out[1] = p.y * sft_cos(pitch) - near * sft_sin(pitch);
}

// Evenly over the clip. Over a long one the steps vary a little: a walk would else be met at the same phase each time.
static int32_t frame_of(const both_view* v, int slot, int count)
{
    const double span = (double)(v->last - v->first), at = (double)slot * 0.618034;
    const double sway = span * v->dt > LONG ? 0.7 * (at - floor(at)) - 0.35 : 0.0;
    const double place = slot == 0 || slot == count - 1 ? (double)slot : (double)slot + sway;
    return v->first + (int32_t)(span * place / (count > 1 ? count - 1 : 1) + 0.5);
}

// Half the width and the height of all poses that are shown [m].
static void find_extent(const both_view* v, actor* a, look from, int count, double out[3])
{
    out[0] = 0.05;
    out[1] = 0.1;
    out[2] = 0.0;
    for (int slot = 0; slot < count; ++slot)
    {
        pose_at(v, a, frame_of(v, slot, count));
        for (int32_t i = 0; i < a->bone_count; ++i)
        {
            double p[2];
            on_paper(a, from, a->bones[i].to, p);
            out[0] = sft_maxd(out[0], fabs(p[0]));
            out[1] = sft_maxd(out[1], p[1]);
            out[2] = sft_mind(out[2], p[1]);
        }
    }
}

static void draw_bones_of(cli_text* out, const actor* a, look from, colour which, bool fine, const double at[3])
{
    static const char* const names[3][2] = {
        {"bone m", "bone m fine"}, {"bone l", "bone l fine"}, {"bone r", "bone r fine"}};
    bool any = false;
    for (int32_t i = 0; i < a->bone_count; ++i)
    {
        const bone* b = &a->bones[i];
        if (b->colour != which || b->fine != fine) continue;
        if (!any) text_fmt(out, "<path class=\"%s\" d=\"", names[which][fine]);
        any = true;
        double p[2], q[2];
        on_paper(a, from, b->from, p);
        on_paper(a, from, b->to, q);
        text_fmt(out, "M%.1f %.1fL%.1f %.1f", at[0] + at[2] * p[0], at[1] - at[2] * p[1], at[0] + at[2] * q[0],
                 at[1] - at[2] * q[1]);
    }
    if (any) text_str(out, "\"/>");
}

static void draw_planted(cli_text* out, const both_view* v, const actor* a, look from, int32_t frame,
                         const double at[3])
{
    for (int32_t i = 0; a->plant != NULL && i < a->leg_count; ++i)
    {
        if (!((double)a->plant[(size_t)i * (size_t)v->frames + (size_t)frame] > v->r->options.threshold)) continue;
        double p[2];
        on_paper(a, from, a->legs[i].toe, p);
        text_fmt(out, "<circle class=\"planted\" r=\"3.2\" cx=\"%.1f\" cy=\"%.1f\"/>", at[0] + at[2] * p[0],
                 at[1] - at[2] * p[1]);
    }
}

static void draw_lane(cli_text* out, const both_view* v, actor* a, look from, const double box[4])
{
    // Far side first: seen from its right, its left is far; from ahead all is near enough.
    static const colour order[3] = {COLOUR_LEFT, COLOUR_BODY, COLOUR_RIGHT};
    const int count = (int)box[3];
    for (int slot = 0; slot < count; ++slot)
    {
        const int32_t frame = frame_of(v, slot, count);
        const double at[3] = {box[0] * (slot + 0.5), box[1], box[2]};
        pose_at(v, a, frame);
        for (int k = 0; k < 3; ++k)
        {
            draw_bones_of(out, a, from, order[k], true, at);
            draw_bones_of(out, a, from, order[k], false, at);
        }
        draw_planted(out, v, a, from, frame, at);
    }
}

static void draw_title(cli_text* out, const loaded* file, const sft_rig* rig, const char* what, double x, double y)
{
    char number[32];
    text_fmt(out, "<text class=\"lane\" x=\"%.1f\" y=\"%.1f\">", x, y);
    put_html(out, file->name);
    text_fmt(out, "%s, legs of %s m</text>", what, cli_figure(rig->leg_length, 3, number));
}

// As many as can be told apart: creatures that are wide for their height get fewer.
static int count_poses(const both_view* v, actor actors[2], look from, double w)
{
    const int32_t shown = v->last - v->first + 1;
    int count = shown < MAX_POSES ? (int)shown : MAX_POSES;
    for (int i = 0; i < 2; ++i)
    {
        double extent[3];
        find_extent(v, &actors[i], from, count, extent);
        const double scale = LEAST_HEIGHT / (extent[1] - extent[2]);
        const double most = OVERLAP * w / (2.0 * scale * extent[0]);
        if (most < (double)count) count = most > MIN_POSES ? (int)most : MIN_POSES;
    }
    return count < shown ? count : (int)shown;
}

static void draw_both(cli_text* out, const both_view* v, actor actors[2], look from, const double at[2], double w,
                      double* height)
{
    const int count = count_poses(v, actors, from, w);
    const double slot = w / count;
    double y = at[1];
    text_fmt(out, "<g transform=\"translate(%.1f 0)\">", at[0]);
    for (int i = 0; i < 2; ++i)
    {
        double extent[3];
        find_extent(v, &actors[i], from, count, extent);
        const double scale = sft_mind(172.0 / (extent[1] - extent[2]), 0.5 * OVERLAP * slot / extent[0]);
        const double ground = y + 26.0 + scale * extent[1];
        draw_title(out, i == 0 ? v->j->source : v->j->target, actors[i].rig,
                   i > 0            ? ""
                   : actors[i].flip ? ", mirrored"
                                    : "",
                   0.0, y + 14.0);
        text_fmt(out, "<path class=\"ground\" d=\"M0 %.1fh%.1f\"/>", ground, w);
        draw_lane(out, v, &actors[i], from, (const double[4]){slot, ground, scale, count});
        y = ground - scale * extent[2] + 12.0;
        for (int k = 0; k < count && i == 1; ++k)
            text_fmt(out, "<text class=\"frame\" x=\"%.1f\" y=\"%.1f\">%d</text>", slot * (k + 0.5), y + 10.0,
                     (int)frame_of(v, k, count));
    }
    text_str(out, "</g>");
    *height = y + 18.0 - at[1];
}

void retarget_draw_strips(cli_text* out, const both_view* v, look from, const double at[2], double w, double* height)
{
    actor actors[2] = {{0}};
    const bool fine = make_actors(v, &actors[0], &actors[1]);
    *height = 1.0;
    if (fine) draw_both(out, v, actors, from, at, w, height);
    out->failed = out->failed || !fine;
    free_actor(&actors[0]);
    free_actor(&actors[1]);
}

// ---- curves ----

static int32_t counterpart(const both_view* v, int32_t leg)
{
    const sft_leg* wanted = &v->j->shown.legs[leg];
    for (int32_t i = 0; i < v->j->source->leg_count; ++i)
    {
        const sft_leg* l = &v->j->source->legs[i];
        const bool middle = wanted->side == SFT_LEG_MIDDLE;
        const bool same = l->side == wanted->side;
        if (l->pair == wanted->pair && (middle || !v->r->transfer.mirror ? same : !same && l->side != SFT_LEG_MIDDLE))
            return i;
    }
    return -1;
}

bool retarget_foot_series(const both_view* v, int32_t leg, stage_of stage, foot_series which, double* out)
{
    const retarget_job* j = v->j;
    const bool source = stage == STAGE_SOURCE;
    const int32_t foot = source ? counterpart(v, leg) : leg;
    if (foot < 0 || j->carried.labels == NULL) return false;
    const tracks* t = source ? j->source_tracks : stage == STAGE_MOVED ? j->before_tracks : j->after_tracks;
    const sft_v3d* toe = t->feet[foot].toe;
    const sft_v3d belt = source ? j->contacts.ground : j->carried.ground;
    const double scale = source ? j->transfer.scale : 1.0;
    const double ground = source ? j->source_ground : j->target_ground;
    for (int32_t f = 0; f < v->frames; ++f)
    {
        if (which == FOOT_HEIGHT)
        {
            out[f] = 100.0 * scale * (toe[f].y - ground);
            continue;
        }
        const int32_t i = f > 0 ? f : v->frames > 1 ? 1 : 0;
        const sft_v3d step = sft_v3d_scale(1.0 / v->dt, sft_v3d_sub(toe[i], toe[i > 0 ? i - 1 : 0]));
        out[f] = scale * sft_v3d_distance(step, belt);
    }
    // A step out of a reference pose is no speed.
    const int32_t start = j->source->first_frame;
    for (int32_t f = 0; f <= start && start > 0 && start + 1 < v->frames && which == FOOT_SPEED; ++f)
        out[f] = out[start + 1];
    return true;
}

static double top_of(const both_view* v, foot_series which, double* values, double least)
{
    for (int32_t leg = 0; leg < v->j->shown.leg_count; ++leg)
        for (int stage = 0; stage < 3; ++stage)
            if (retarget_foot_series(v, leg, (stage_of)stage, which, values))
                for (int32_t f = v->j->source->first_frame; f < v->frames; ++f)
                    least = sft_maxd(least, values[f]);
    return least;
}

// Mean way from the right hip to the left one, turned ahead.
static double find_heading(const both_view* v)
{
    const retarget_job* j = v->j;
    const sft_leg *left = NULL, *right = NULL;
    for (int32_t i = 0; i < j->source->leg_count; ++i)
    {
        const sft_leg* leg = &j->source->legs[i];
        if (leg->pair != 0) continue;
        if (leg->side == SFT_LEG_LEFT) left = leg;
        if (leg->side == SFT_LEG_RIGHT) right = leg;
    }
    if (left == NULL || right == NULL) return 0.0;
    const sft_quatd turn = sft_quatd_exp(sft_v3d_make(0.0, j->source_rig->facing, 0.0));
    sft_v3d sum = sft_v3d_make(0, 0, 0);
    const int32_t step = 1 + v->frames / 200;
    for (int32_t f = v->first; f <= v->last; f += step)
    {
        const size_t row = (size_t)f * (size_t)j->source->clip->joint_count;
        const sft_v3d* t = j->source->clip->translations + row;
        const sft_quatd* r = j->source->clip->rotations + row;
        const sft_v3d a = sft_skeleton_joint_model(j->source->skeleton, t, r, left->hip).t;
        const sft_v3d b = sft_skeleton_joint_model(j->source->skeleton, t, r, right->hip).t;
        sft_v3d across = sft_v3d_sub(a, b);
        across.y = 0.0;
        sum = sft_v3d_add(sum, sft_v3d_normalize_or(across, sft_v3d_make(0, 0, 0)));
    }
    sft_v3d ahead = sft_quatd_rotate(turn, sft_v3d_cross(sum, sft_v3d_make(0, 1, 0)));
    if (v->r->transfer.mirror) ahead.x = -ahead.x;
    return sft_v3d_length(ahead) > 1e-6 ? sft_atan2(ahead.x, ahead.z) : 0.0;
}

both_view retarget_view(const retarget* r, const retarget_job* j)
{
    const int32_t frames = j->source->frame_count;
    both_view v = {.r = r, .j = j, .last = frames - 1, .frames = frames, .dt = j->source->frame_time};
    v.first = j->source->first_frame < frames ? j->source->first_frame : frames - 1;
    v.heading = find_heading(&v);
    v.speed_top = 0.3;
    v.height_top = 5.0;
    v.turn_top = 4.0;
    double* values = malloc(((size_t)frames + 1) * sizeof *values);
    if (values != NULL)
    {
        // A glitch of one frame must not flatten the rest.
        v.speed_top = sft_mind(1.05 * top_of(&v, FOOT_SPEED, values, v.speed_top), 12.0);
        v.height_top = sft_mind(1.08 * top_of(&v, FOOT_HEIGHT, values, v.height_top), 150.0);
    }
    free(values);
    for (int32_t i = 0; i < j->limb_count; ++i)
        for (int32_t f = v.first; f < frames; ++f)
            v.turn_top = sft_maxd(v.turn_top, 1.08 * sft_maxd(j->limbs[i].moved[f], j->limbs[i].solved[f]));
    v.turn_top = sft_mind(v.turn_top, 180.0);
    return v;
}
