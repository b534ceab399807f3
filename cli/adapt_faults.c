// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// What is wrong with a clip on its ground, by the figures that are printed beside it: plants that the solver could not
// serve name themselves as misses, but a plant that it believes in may be off the ground all the same, a foot may
// slide, and a joint may turn over within one frame while its foot stands still.

#include "adapt.h"

#include <math.h>

// Beyond these something is wrong that an eye sees; what a clip does that comes out well is a third of it.
#define OFF_MOST 1.0   // [cm]
#define SLIDE_MOST 1.0 // [cm/s]
// A joint is thrown where it turns by more in one frame, and by so many times what it did in the source around there.
#define TURN_MOST 30.0 // [degrees]
#define TURN_TIMES 4.0

const char* const adapt_wrong_names[5] = {"off the ground", "through the ground", "over no ground", "slides", "thrown"};
const char* const adapt_wrong_units[5] = {"cm", "cm", "frames", "cm/s", "degrees"};
const double adapt_wrong_most[5] = {OFF_MOST, OFF_MOST, 0.0, SLIDE_MOST, TURN_MOST};

static void add(adapt_figures* f, adapt_wrong wrong)
{
    if (f->wrong_count < ADAPT_MOST_WRONG) f->wrong[f->wrong_count++] = wrong;
}

static double turn_between(sft_quatd a, sft_quatd b)
{
    const sft_quatd d = sft_quatd_mul(sft_quatd_conjugate(a), b);
    return 2.0 * sft_atan2(sqrt(d.x * d.x + d.y * d.y + d.z * d.z), fabs(d.w)) * 180.0 / SFT_PI;
}

// By what a joint turns [degrees] from the frame before, against its parent.
static double turn_at(const sft_clip* clip, int32_t joint, int32_t frame)
{
    const size_t joints = (size_t)clip->joint_count, at = (size_t)frame * joints + (size_t)joint;
    return turn_between(clip->rotations[at - joints], clip->rotations[at]);
}

// The worst throw of a joint. What it does in the source a frame earlier or later counts too: feet that stand longer
// come down and lift off at other frames.
static void find_throw(const adapt_job* j, int32_t foot, int32_t joint, adapt_figures* f)
{
    adapt_wrong worst = {.kind = ADAPT_WRONG_THROWN, .foot = foot, .joint = joint, .frame = -1};
    for (int32_t i = j->file->first_frame + 1; i < j->file->frame_count; ++i)
    {
        const double now = turn_at(j->written, joint, i);
        if (!(now > TURN_MOST)) continue;
        double was = 0.0;
        for (int32_t k = i - 1; k <= i + 1; ++k)
            if (k > j->file->first_frame && k < j->file->frame_count)
                was = sft_maxd(was, turn_at(j->file->clip, joint, k));
        if (!(now > TURN_TIMES * was)) continue;
        ++worst.frames;
        if (now <= worst.amount) continue;
        worst.amount = now;
        worst.source = was;
        worst.frame = i;
    }
    if (worst.frames > 0) add(f, worst);
}

void adapt_find_wrong(adapt_job* j)
{
    adapt_figures* f = &j->figures;
    f->wrong_count = 0;
    for (int32_t foot = 0; foot < j->file->leg_count; ++foot)
    {
        const adapt_foot* a = &f->feet[foot];
        const sft_metrics_foot* m = &j->after.feet[foot];
        const sft_leg* leg = &j->file->legs[foot];
        const adapt_wrong wrong[] = {{ADAPT_WRONG_OFF, foot, -1, a->support_frame, a->off_frames, a->support_cm, 0.0},
                                     {ADAPT_WRONG_THROUGH, foot, -1, a->depth_frame, a->deep_frames, a->depth_cm, 0.0},
                                     {ADAPT_WRONG_LOST, foot, -1, a->lost_frame, a->lost_frames, a->lost_frames, 0.0},
                                     {ADAPT_WRONG_SLIDES, foot, -1, m->slide_max_frame, -1, m->slide_max_cm_s, 0.0}};
        for (size_t k = 0; k < sizeof wrong / sizeof wrong[0]; ++k)
            if (wrong[k].amount > adapt_wrong_most[wrong[k].kind]) add(f, wrong[k]);
        const int32_t joints[4] = {leg->hip, leg->knee, leg->heel, leg->toe};
        for (int k = 0; k < (leg->toe != leg->heel ? 4 : 3); ++k)
            find_throw(j, foot, joints[k], f);
    }
}

bool adapt_stands(const adapt_job* j)
{
    return j->report.plant_count > 0 && j->report.miss_count == 0 && j->figures.wrong_count == 0;
}

const char* adapt_wrong_remedy(const adapt* a, const adapt_job* j, const adapt_wrong* wrong)
{
    const sft_v3d g = j->contacts.ground;
    switch (wrong->kind)
    {
    case ADAPT_WRONG_SLIDES:
        if (g.x != 0.0 || g.z != 0.0) return "give the clip with its travel: in place, feet ride over the ground";
        if (a->no_clean) return "leave out --no-clean";
        if (a->method == ADAPT_RUNTIME) return "give ground that steps less; --method clip sees what comes";
        return "correct the labels there and give them with --contacts";
    case ADAPT_WRONG_LOST:
        return adapt_no_ground_remedy(j);
    case ADAPT_WRONG_THROWN:
        return "look at it there; give ground that rises less, or mend the source if its knee is bent back there";
    default:
        if (a->method == ADAPT_RUNTIME)
            return "a smaller --blend follows the ground sooner; --method clip sees what comes";
        if (g.x != 0.0 || g.z != 0.0) return "give the clip with its travel: in place, feet ride over edges";
        return "give ground that steps less, move it (start, x, z), or raise --place-max or --pelvis-drop";
    }
}

const char* adapt_no_ground_remedy(const adapt_job* j)
{
    int32_t missed = 0;
    for (int32_t m = 0; m < j->report.miss_count; ++m)
        missed += j->report.misses[m].fault == SFT_ADAPT_FAULT_NO_GROUND;
    if (missed >= j->report.plant_count && j->ground.kind == GROUND_FILE)
        return "no plant has ground below: check unit=, up=, scale= and the place (x=, y=, z=) of the ground's file";
    return "no ground below: the source's foot was kept; move the ground, let it start further on, or raise "
           "--place-max";
}

void adapt_wrong_text(cli_text* out, const adapt* a, const adapt_job* j, const adapt_wrong* w)
{
    char name[NAME_SIZE], number[32], was[32], where[48];
    const bool joint = w->kind == ADAPT_WRONG_THROWN;
    text_fmt(out, "%s ", joint ? cli_joint_name(j->file, w->joint, name, sizeof name) : j->file->foot_names[w->foot]);
    cli_figure(w->amount, w->kind == ADAPT_WRONG_LOST ? 0 : joint ? 1 : 2, number);
    cli_frame_name(j->file, w->frame, where);
    if (joint)
        text_fmt(out, "turns by %s degrees in one frame (source: %s), frame %s", number, cli_figure(w->source, 1, was),
                 where);
    else if (w->kind == ADAPT_WRONG_LOST)
        text_fmt(out, "is planted over no ground in %s frame%s, first %s", number, w->frames == 1 ? "" : "s", where);
    else if (w->kind == ADAPT_WRONG_SLIDES)
        text_fmt(out, "slides by up to %s cm/s while planted, frame %s", number, where);
    else
        text_fmt(out, "is up to %s cm %s in %d frame%s, most at frame %s", number, adapt_wrong_names[w->kind],
                 (int)w->frames, w->frames == 1 ? "" : "s", where);
    text_fmt(out, ": %s", adapt_wrong_remedy(a, j, w));
}

void adapt_print_wrong(FILE* out, const adapt* a, const adapt_job* j)
{
    const adapt_figures* f = &j->figures;
    cli_text lines = {0};
    if (f->wrong_count == 0) return;
    text_fmt(&lines, "Wrong in %d place%s:\n", (int)f->wrong_count, f->wrong_count == 1 ? "" : "s");
    for (int32_t i = 0; i < f->wrong_count; ++i)
    {
        text_str(&lines, "  ");
        adapt_wrong_text(&lines, a, j, &f->wrong[i]);
        text_str(&lines, "\n");
    }
    cli_put_safe(out, lines.data != NULL ? lines.data : "");
    text_free(&lines);
}

void adapt_json_wrong(json_out* json, const adapt* a, const adapt_job* j)
{
    char name[NAME_SIZE];
    json_bool(json, "stands", adapt_stands(j));
    json_begin(json, "faults", '[');
    for (int32_t i = 0; i < j->figures.wrong_count; ++i)
    {
        const adapt_wrong* w = &j->figures.wrong[i];
        json_begin(json, NULL, '{');
        json_text(json, "fault", adapt_wrong_names[w->kind]);
        json_text(json, "foot", j->file->foot_names[w->foot]);
        json_text(json, "joint", w->joint < 0 ? NULL : cli_joint_name(j->file, w->joint, name, sizeof name));
        json_figure(json, "amount", w->amount);
        json_text(json, "unit", adapt_wrong_units[w->kind]);
        json_figure(json, "allowed", adapt_wrong_most[w->kind]);
        if (w->kind == ADAPT_WRONG_THROWN) json_figure(json, "source", w->source);
        json_int(json, "frame", w->frame);
        if (w->frames >= 0) json_int(json, "frames", w->frames);
        json_text(json, "remedy", adapt_wrong_remedy(a, j, w));
        json_end(json, '}');
    }
    json_end(json, ']');
}
