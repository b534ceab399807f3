// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// What `surefoot adapt` did, in words and as JSON.

#include "adapt.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const char* const adapt_method_names[2] = {"clip", "runtime"};
const char* const adapt_fault_names[4] = {"", "no ground", "tilt", "reach"};

static const char* amount_of(const sft_adapt_miss* m, char* out, size_t capacity)
{
    char number[32];
    out[0] = '\0';
    if (m->fault == SFT_ADAPT_FAULT_TILT)
        snprintf(out, capacity, "by %s degrees", cli_figure(m->amount * 180.0 / SFT_PI, 1, number));
    else if (m->fault == SFT_ADAPT_FAULT_REACH)
        snprintf(out, capacity, "by %s cm", cli_figure(100.0 * m->amount, 2, number));
    return out;
}

const char* adapt_fault_name(const sft_adapt_miss* m)
{
    return (int)m->fault >= 1 && (int)m->fault <= 3 ? adapt_fault_names[m->fault] : "unknown";
}

static const char* const remedies[4] = {"", "", // adapt_no_ground_remedy
                                        "steeper than the ankle allows; raise --pitch-max or --roll-max",
                                        "out of the leg's reach; raise --pelvis-drop, or give ground that steps less"};

const char* adapt_remedy(const adapt_job* j, const sft_adapt_miss* m)
{
    if (m->fault == SFT_ADAPT_FAULT_NO_GROUND) return adapt_no_ground_remedy(j);
    return (int)m->fault >= 1 && (int)m->fault <= 3 ? remedies[m->fault] : "";
}

static void print_misses(FILE* out, const adapt* a, const adapt_job* j)
{
    const sft_adapt_clip_report* r = &j->report;
    char toes[32], soles[32];
    if (a->method == ADAPT_RUNTIME)
    {
        cli_print(out, "Toes were at most %s cm from where they should be, soles at most %s degrees.\n",
                  cli_figure(100.0 * j->worst.toe_miss, 2, toes),
                  cli_figure(j->worst.tilt_lost * 180.0 / SFT_PI, 1, soles));
        if (r->miss_count == 0) return;
    }
    else if (r->miss_count == 0)
    {
        if (adapt_stands(j)) cli_print(out, "Every planted foot stands on its place.\n");
        return;
    }
    const int width = cli_name_width(j->file, 12);
    cli_print(out, "Missed: %d of %d plants in part or whole\n", (int)r->miss_count, (int)r->plant_count);
    for (int32_t i = 0; i < r->miss_count && i < 20; ++i)
    {
        const sft_adapt_miss* m = &r->misses[i];
        char amount[48];
        cli_print(out, "  %-*s  frames %6d to %6d  %s %s\n", width, j->file->foot_names[m->foot], (int)m->first,
                  (int)m->last, adapt_fault_name(m), amount_of(m, amount, sizeof amount));
    }
    if (r->miss_count > 20) cli_print(out, "  and %d more; --json lists all\n", (int)r->miss_count - 20);
    for (int fault = 1; fault <= 3; ++fault)
        for (int32_t i = 0; i < r->miss_count; ++i)
            if ((int)r->misses[i].fault == fault)
            {
                cli_print(out, "  %s: %s\n", adapt_fault_names[fault], adapt_remedy(j, &r->misses[i]));
                break;
            }
}

static void foot_row(FILE* out, int width, const char* label, const char* what, double value, int digits, int32_t frame,
                     const loaded* file)
{
    char a[32], where[48];
    cli_print(out, "  %-*s %-36s %10s", width, label, what, cli_figure(value, digits, a));
    if (frame >= 0)
        cli_print(out, "  frame %s\n", cli_frame_name(file, frame, where));
    else
        cli_print(out, "\n");
}

static void print_figures(FILE* out, const adapt_job* j)
{
    const int width = cli_name_width(j->file, 12);
    char a[32], b[32];
    for (int32_t i = 0; i < j->file->leg_count; ++i)
    {
        const adapt_foot* f = &j->figures.feet[i];
        const char* name = j->file->foot_names[i];
        foot_row(out, width, name, "off the ground in support [cm]", f->support_cm, 3, f->support_frame, j->file);
        foot_row(out, width, "", "through the ground [cm]", f->depth_cm, 3, f->depth_frame, j->file);
        foot_row(out, width, "", "pitch off [degrees]", f->pitch_off, 2, f->pitch_frame, j->file);
        foot_row(out, width, "", "roll off [degrees]", f->roll_off, 2, f->roll_frame, j->file);
        cli_print(out, "  %-*s %-36s %10s  source %s\n", width, "", "straightest knee [of the leg]",
                  cli_figure(f->knee, 4, a), cli_figure(f->knee_source, 4, b));
        if (f->lost_frames > 0)
            cli_print(out, "  %-*s %-36s %10d\n", width, "", "planted frames over no ground", (int)f->lost_frames);
    }
    cli_print(out, "  %-*s %-36s %10s\n", width, "whole clip", "pelvis jerk over the source's",
              cli_figure(j->figures.jerk_ratio, 2, a));
    cli_print(out, "  %-*s %-36s %10s  before %s\n", width, "", "slide mean [cm/s]",
              cli_figure(j->after.clip.slide_mean_cm_s, 3, a), cli_figure(j->before.clip.slide_mean_cm_s, 3, b));
    cli_print(out, "  %-*s %-36s %10s  before %s\n", width, "", "slide max [cm/s]",
              cli_figure(j->after.clip.slide_max_cm_s, 3, a), cli_figure(j->before.clip.slide_max_cm_s, 3, b));
}

static void print_kept_keys(FILE* out, const adapt_job* j)
{
    const sft_gltf_applied* a = &j->applied;
    char x[32], y[32];
    cli_print(out,
              "The file's own keys were kept; between and at them the clip is off by at most %s degrees and %s cm.\n",
              cli_figure(a->rotation_error * 180.0 / SFT_PI, 3, x),
              cli_figure(100.0 * a->translation_error * j->file->space.unit_metres, 3, y));
}

void adapt_print_summary(FILE* out, const adapt* a, const adapt_job* j)
{
    char x[32], y[32], name[NAME_SIZE];
    const sft_adapt_clip_report* r = &j->report;
    cli_print(out, "%s -> %s\n", j->file->title, a->options.output);
    cli_print(out, "ground: %s\n", j->ground.text);
    cli_print(out, "floor of the source: %s m, %s\n", cli_figure(j->floor, 4, x), j->floor_reason);
    if (j->cleaned)
        cli_print(out, "Its feet slid by up to %s cm/s, so it was cleaned first (--no-clean leaves that out).\n",
                  cli_figure(j->before.clip.slide_max_cm_s, 2, x));
    if (r->plant_count == 0) cli_print(out, "No foot is planted anywhere in this clip.\n");
    cli_print(out, "%d plant%s; %s method", (int)r->plant_count, r->plant_count == 1 ? "" : "s",
              adapt_method_names[a->method]);
    if (r->moved_plants > 0)
        cli_print(out, "; %d moved off an edge, by at most %s cm", (int)r->moved_plants,
                  cli_figure(100.0 * r->place_shift_max, 1, x));
    cli_print(out, "%s\n", r->converged ? "" : "; not converged");
    if (r->travel_joint >= 0)
        cli_print(out, "%s carries the pelvis's change of height: %s to %s cm\n",
                  cli_joint_name(j->file, r->travel_joint, name, sizeof name),
                  cli_figure(100.0 * r->pelvis_shift_min, 1, x), cli_figure(100.0 * r->pelvis_shift_max, 1, y));
    else
        cli_print(out, "No joint carries the travel, so the pelvis kept its height.\n");
    if (r->turn_joint >= 0)
        cli_print(out, "%s pitches the body, whose legs hang from two girdles: %s to %s degrees, front up\n",
                  cli_joint_name(j->file, r->turn_joint, name, sizeof name),
                  cli_figure(r->pitch_min * 180.0 / SFT_PI, 1, x), cli_figure(r->pitch_max * 180.0 / SFT_PI, 1, y));
    if (a->keep_keys && sft_io_gltf(j->file->document) != NULL) print_kept_keys(out, j);
    print_figures(out, j);
    print_misses(out, a, j);
    adapt_print_wrong(out, a, j);
}

void adapt_print_line(cli_text* out, const adapt_job* j)
{
    char name[NAME_SIZE], x[32], y[32], z[32];
    double support = 0.0, depth = 0.0;
    for (int32_t i = 0; i < j->file->leg_count; ++i)
    {
        // No figure is no number, and no comparison with it holds.
        if (j->figures.feet[i].support_cm > support) support = j->figures.feet[i].support_cm;
        if (j->figures.feet[i].depth_cm > depth) depth = j->figures.feet[i].depth_cm;
    }
    text_fmt(out, "  %s: %d plants in %d frames, off the ground in support %s cm, through it %s cm, pelvis jerk x%s",
             cli_clip_name(j->file, j->file->clip_index, name, sizeof name), (int)j->report.plant_count,
             (int)j->file->frame_count, cli_figure(support, 2, x), cli_figure(depth, 2, y),
             cli_figure(j->figures.jerk_ratio, 2, z));
    if (j->cleaned) text_str(out, ", cleaned first");
    if (j->report.miss_count > 0) text_fmt(out, ", %d missed", (int)j->report.miss_count);
    if (j->figures.wrong_count > 0) text_fmt(out, ", wrong in %d (see --json)", (int)j->figures.wrong_count);
    text_fmt(out, "; %s\n", j->ground.text);
}

// ---- JSON ----

static void json_frame(json_out* json, const char* key, int32_t frame)
{
    if (frame >= 0)
        json_int(json, key, frame);
    else
        json_text(json, key, NULL);
}

static void json_feet(json_out* json, const adapt_job* j)
{
    json_begin(json, "feet", '[');
    for (int32_t i = 0; i < j->file->leg_count; ++i)
    {
        const adapt_foot* f = &j->figures.feet[i];
        json_begin(json, NULL, '{');
        json_text(json, "name", j->file->foot_names[i]);
        json_int(json, "support_frames", f->support_frames);
        json_int(json, "lost_frames", f->lost_frames);
        json_int(json, "off_frames", f->off_frames);
        json_figure(json, "support_off_cm", f->support_cm);
        json_frame(json, "support_off_frame", f->support_frame);
        json_figure(json, "through_ground_cm", f->depth_cm);
        json_frame(json, "through_ground_frame", f->depth_frame);
        json_figure(json, "pitch_off_degrees", f->pitch_off);
        json_frame(json, "pitch_off_frame", f->pitch_frame);
        json_figure(json, "roll_off_degrees", f->roll_off);
        json_frame(json, "roll_off_frame", f->roll_frame);
        json_figure(json, "knee_straightest", f->knee);
        json_frame(json, "knee_straightest_frame", f->knee_frame);
        json_figure(json, "knee_straightest_source", f->knee_source);
        json_end(json, '}');
    }
    json_end(json, ']');
}

static void json_misses(json_out* json, const adapt_job* j)
{
    json_begin(json, "misses", '[');
    for (int32_t i = 0; i < j->report.miss_count; ++i)
    {
        const sft_adapt_miss* m = &j->report.misses[i];
        json_begin(json, NULL, '{');
        json_text(json, "foot", j->file->foot_names[m->foot]);
        json_text(json, "fault", adapt_fault_name(m));
        json_int(json, "first", m->first);
        json_int(json, "last", m->last);
        if (m->fault == SFT_ADAPT_FAULT_TILT)
            json_figure(json, "tilt_degrees", m->amount * 180.0 / SFT_PI);
        else if (m->fault == SFT_ADAPT_FAULT_REACH)
            json_figure(json, "distance_cm", 100.0 * m->amount);
        const char* remedy = adapt_remedy(j, m);
        json_text(json, "remedy", remedy[0] != '\0' ? remedy : NULL);
        json_end(json, '}');
    }
    json_end(json, ']');
}

void adapt_json(json_out* json, const adapt* a, const adapt_job* j)
{
    const sft_adapt_clip_report* r = &j->report;
    char name[NAME_SIZE];
    json_begin(json, NULL, '{');
    json_text(json, "input", j->file->path);
    json_text(json, "output", a->options.output);
    json_text(json, "clip_name", j->file->contents->clips[j->file->clip_index].name);
    json_text(json, "ground", j->ground.text);
    char* own = a->page != NULL && a->options.all_clips ? cli_clip_path(a->page, j->file, j->file->clip_index) : NULL;
    json_text(json, "report", own != NULL ? own : a->page);
    free(own);
    json_text(json, "method", adapt_method_names[a->method]);
    json_text(json, "labels", j->contacts.imported ? a->options.contacts : "default");
    json_number(json, "floor_m", j->floor);
    json_text(json, "floor_reason", j->floor_reason);
    json_bool(json, "cleaned", j->cleaned);
    json_int(json, "frames", j->file->frame_count);
    json_number(json, "start", j->file->frames.start);
    json_int(json, "first_frame", j->file->first_frame);
    json_int(json, "plants", r->plant_count);
    json_int(json, "moved_plants", r->moved_plants);
    json_figure(json, "place_shift_max_cm", 100.0 * r->place_shift_max);
    json_figure(json, "pelvis_shift_min_cm", 100.0 * r->pelvis_shift_min);
    json_figure(json, "pelvis_shift_max_cm", 100.0 * r->pelvis_shift_max);
    json_text(json, "travel_joint",
              r->travel_joint < 0 ? NULL : cli_joint_name(j->file, r->travel_joint, name, sizeof name));
    json_text(json, "turn_joint", r->turn_joint < 0 ? NULL : cli_joint_name(j->file, r->turn_joint, name, sizeof name));
    json_figure(json, "pitch_min_degrees", r->pitch_min * 180.0 / SFT_PI);
    json_figure(json, "pitch_max_degrees", r->pitch_max * 180.0 / SFT_PI);
    json_int(json, "iterations", r->iterations);
    json_bool(json, "converged", r->converged);
    json_figure(json, "pelvis_jerk_ratio", j->figures.jerk_ratio);
    if (a->method == ADAPT_RUNTIME)
    {
        json_number(json, "blend_s", a->def.foot.smooth_time);
        json_figure(json, "toe_miss_max_cm", 100.0 * j->worst.toe_miss);
        json_figure(json, "tilt_lost_max_degrees", j->worst.tilt_lost * 180.0 / SFT_PI);
    }
    json_feet(json, j);
    json_misses(json, j);
    adapt_json_wrong(json, a, j);
    cli_json_changed(json, j->file, j->changed);
    json_begin(json, "before", '{');
    cli_json_figures(json, j->file, &j->before);
    json_end(json, '}');
    json_begin(json, "after", '{');
    cli_json_figures(json, j->file, &j->after);
    json_end(json, '}');
    json_end(json, '}');
}
