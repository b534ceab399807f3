// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// What `surefoot clean` did, in words and as JSON.

#include "clean.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// [m] A seam that opened by less is none to look at.
static const double SEAM_TOLD = 0.005;

const char* const clean_method_names[3] = {"direct", "relax", "runtime"};
const char* const clean_give_way_names[3] = {"both", "legs", "root"};

const char* cli_gave_up(uint32_t gave_up, char* out, size_t capacity)
{
    static const struct
    {
        uint32_t bit;
        const char* word;
    } words[] = {
        {SFT_GAVE_HEEL, "heel"}, {SFT_GAVE_PLANT, "plant"}, {SFT_GAVE_SLIDE, "slide"}, {SFT_GAVE_STRETCH, "stretch"}};
    size_t size = 0;
    out[0] = '\0';
    for (size_t i = 0; i < sizeof words / sizeof words[0]; ++i)
        if ((gave_up & words[i].bit) != 0 && size < capacity)
            size += (size_t)snprintf(out + size, capacity - size, "%s%s", size > 0 ? ", " : "", words[i].word);
    return out;
}

// Neighbouring frames in which a foot gave up the same.
typedef struct miss_span
{
    int32_t first, last;
    double distance; ///< largest [m]
    uint32_t gave_up;
} miss_span;

// The span that begins with miss `i`; returns its last miss. Those of other feet may lie between.
static int32_t take_span(const sft_cleanup_report* r, int32_t i, miss_span* out)
{
    const sft_cleanup_miss* m = &r->misses[i];
    *out = (miss_span){m->frame, m->frame, m->distance, m->gave_up};
    int32_t end = i;
    for (int32_t k = i + 1; k < r->miss_count && r->misses[k].frame <= out->last + 1; ++k)
    {
        const sft_cleanup_miss* next = &r->misses[k];
        if (next->foot != m->foot || next->frame != out->last + 1) continue;
        if (next->gave_up != out->gave_up) break;
        out->last = next->frame;
        out->distance = next->distance > out->distance ? next->distance : out->distance;
        end = k;
    }
    return end;
}

// The seconds of a span, where the clip does not start at 0.
static const char* span_seconds(const loaded* file, const miss_span* span, char* out, size_t capacity)
{
    char first[32], last[32];
    out[0] = '\0';
    const double start = file->frames.start;
    if (start != 0.0)
        snprintf(out, capacity, " (%s to %s s)", cli_figure(start + span->first * file->frame_time, 3, first),
                 cli_figure(start + span->last * file->frame_time, 3, last));
    return out;
}

static void print_misses(FILE* out, const clean_job* j, bool kept)
{
    const sft_cleanup_report* r = &j->report;
    if (r->miss_count == 0)
    {
        cli_print(out, kept
                           ? "Every planted toe was reached before the clip was fitted to the file's own keys; a key a "
                             "frame, without --keep-keys, keeps it so.\n"
                           : "Every planted toe was reached.\n");
        return;
    }
    cli_print(out, "Not reached: %d of %d frames in which a toe is held\n", (int)r->miss_count, (int)r->planted_frames);
    const int width = cli_name_width(j->file, 12);
    int spans = 0;
    for (int32_t foot = 0; foot < j->file->leg_count; ++foot)
        for (int32_t i = 0; i < r->miss_count; ++i)
        {
            if (r->misses[i].foot != foot) continue;
            miss_span span;
            i = take_span(r, i, &span);
            if (++spans > 20) continue;
            char number[32], gave[64], seconds[80];
            cli_print(out, "  %-*s  frames %6d to %6d%s  up to %8s cm  gave up: %s\n", width, j->file->foot_names[foot],
                      (int)span.first, (int)span.last, span_seconds(j->file, &span, seconds, sizeof seconds),
                      cli_figure(100.0 * span.distance, 3, number), cli_gave_up(span.gave_up, gave, sizeof gave));
        }
    if (spans > 20) cli_print(out, "  and %d more spans; --json lists every frame\n", spans - 20);
}

static void print_kept_keys(FILE* out, const clean_job* j)
{
    const sft_gltf_applied* a = &j->applied;
    char name[NAME_SIZE], number[32], frame[48];
    cli_print(out, "The file's own keys were kept; between and at them the clip is off by at most");
    if (a->rotation_joint >= 0)
        cli_print(out, " %s degrees (%s, frame %s)", cli_figure(a->rotation_error * 180.0 / SFT_PI, 3, number),
                  cli_joint_name(j->file, a->rotation_joint, name, sizeof name),
                  cli_frame_name(j->file, a->rotation_frame, frame));
    else
        cli_print(out, " 0 degrees");
    if (a->translation_joint >= 0)
        cli_print(out, " and %s cm (%s, frame %s)",
                  cli_figure(100.0 * a->translation_error * j->file->space.unit_metres, 3, number),
                  cli_joint_name(j->file, a->translation_joint, name, sizeof name),
                  cli_frame_name(j->file, a->translation_frame, frame));
    cli_print(out, ".\n");
}

static void pair_row(FILE* out, int width, const char* label, const char* what, double before, double after)
{
    char a[32], b[32];
    cli_print(out, "  %-*s %-32s %10s %10s\n", width, label, what, cli_figure(before, 3, a), cli_figure(after, 3, b));
}

void clean_print_summary(FILE* out, const clean* c, const clean_job* j)
{
    char text[256], a[32], b[32];
    static const char* const who[] = {"root and legs give way", "legs give way", "root gives way"};
    const sft_cleanup_report* r = &j->report;
    cli_print(out, "%s -> %s\n", j->file->title, c->options.output);
    cli_print_mismatch(out, j->file, &j->contacts);
    if (r->plant_count == 0)
    {
        cli_print(out, "No foot is planted anywhere in this clip, so nothing was changed.\n");
        return;
    }
    if (c->runtime)
        clean_lock_print(out, c, j);
    else
        cli_print(out, "%d plant%s, toes held in %d frames; %s method, %s; %d step%s, %s\n", (int)r->plant_count,
                  r->plant_count == 1 ? "" : "s", (int)r->planted_frames, clean_method_names[c->def.method],
                  who[c->def.give_way], (int)r->iterations, r->iterations == 1 ? "" : "s",
                  r->converged ? "converged" : "not converged");
    if (c->def.loop)
        cli_print(out, "Taken as a cycle%s.\n", r->loop_closed ? " whose first frame is repeated at its end" : "");
    if (r->seam_opened > SEAM_TOLD)
        cli_print(
            out,
            "The clip ended as it begins, and now its last frame is %s cm off its first: say --loop, which keeps a "
            "cycle closed.\n",
            cli_figure(100.0 * r->seam_opened, 2, a));
    if (r->character_count > 1)
        cli_print(
            out,
            "%d characters, each solved by itself; their paths are corrected by at most %s cm; mean pelvis height "
            "changed by at most %s cm\n",
            (int)r->character_count, cli_figure(100.0 * r->pelvis_shift_max, 2, a),
            cli_figure(100.0 * fabs(r->pelvis_height_mean_change), 3, b));
    else if (r->travel_joint >= 0 && c->def.give_way == SFT_GIVE_WAY_LEGS)
        cli_print(out, "%s keeps its path, number for number.\n",
                  cli_joint_name(j->file, r->travel_joint, text, sizeof text));
    else if (r->travel_joint >= 0)
        cli_print(out, "%s carries the correction of the path: at most %s cm; mean pelvis height changed by %s cm\n",
                  cli_joint_name(j->file, r->travel_joint, text, sizeof text),
                  cli_figure(100.0 * r->pelvis_shift_max, 2, a),
                  cli_figure(100.0 * r->pelvis_height_mean_change, 3, b));
    else if (!c->runtime)
        cli_print(out, "No joint carries the travel, so only the legs gave way.\n");
    if (c->keep_keys && sft_io_gltf(j->file->document) != NULL) print_kept_keys(out, j);
    const int width = cli_name_width(j->file, 12);
    cli_print(out, "  %-*s %-32s %10s %10s\n", width, "", "", "before", "after");
    for (int32_t i = 0; i < j->file->leg_count; ++i)
    {
        const sft_metrics_foot* p = &j->before.feet[i];
        const sft_metrics_foot* q = &j->after.feet[i];
        pair_row(out, width, j->file->foot_names[i], "slide mean [cm/s]", p->slide_mean_cm_s, q->slide_mean_cm_s);
        pair_row(out, width, "", "slide max [cm/s]", p->slide_max_cm_s, q->slide_max_cm_s);
        pair_row(out, width, "", "penetration max [cm]", p->penetration_max_cm, q->penetration_max_cm);
        pair_row(out, width, "", "pop 99.9th pct [rad/s2]", p->pop_p999_rad_s2, q->pop_p999_rad_s2);
    }
    pair_row(out, width, "whole clip", "slide mean [cm/s]", j->before.clip.slide_mean_cm_s,
             j->after.clip.slide_mean_cm_s);
    pair_row(out, width, "", "pelvis acceleration p99 [m/s2]", j->before.clip.pelvis_accel_p99,
             j->after.clip.pelvis_accel_p99);
    // Other people's figure knows no moving ground: there it would say that all is lost, before and after.
    bool still = true;
    for (int32_t i = 0; i < j->file->leg_count; ++i)
        still = still && sft_v3d_length(j->contacts.grounds[i]) == 0.0;
    if (still)
        pair_row(out, width, "", "GMD skating ratio", j->before.clip.published.gmd_skating_ratio,
                 j->after.clip.published.gmd_skating_ratio);
    if (c->runtime)
        clean_lock_print_gaps(out, j);
    else
        print_misses(out, j, c->keep_keys && sft_io_gltf(j->file->document) != NULL);
}

static void json_kept_keys(json_out* json, const clean_job* j)
{
    const sft_gltf_applied* a = &j->applied;
    char name[NAME_SIZE];
    json_begin(json, "kept_keys", '{');
    json_figure(json, "rotation_error_degrees", a->rotation_error * 180.0 / SFT_PI);
    json_text(json, "rotation_joint",
              a->rotation_joint < 0 ? NULL : cli_joint_name(j->file, a->rotation_joint, name, sizeof name));
    json_int(json, "rotation_frame", a->rotation_frame);
    json_figure(json, "translation_error_cm", 100.0 * a->translation_error * j->file->space.unit_metres);
    json_text(json, "translation_joint",
              a->translation_joint < 0 ? NULL : cli_joint_name(j->file, a->translation_joint, name, sizeof name));
    json_int(json, "translation_frame", a->translation_frame);
    json_end(json, '}');
}

void clean_json(json_out* json, const clean* c, const clean_job* j, const char* output, const char* page)
{
    const sft_cleanup_report* r = &j->report;
    char name[NAME_SIZE], gave[64];
    json_begin(json, NULL, '{');
    json_text(json, "input", j->file->path);
    json_text(json, "output", output);
    json_text(json, "clip_name", j->file->contents->clips[j->file->clip_index].name);
    json_text(json, "report", page);
    json_text(json, "method", clean_method_names[c->runtime ? 2 : (int)c->def.method]);
    json_text(json, "give_way", clean_give_way_names[c->runtime ? (int)SFT_GIVE_WAY_LEGS : (int)c->def.give_way]);
    json_bool(json, "loop", c->def.loop);
    json_bool(json, "loop_closed", r->loop_closed);
    json_figure(json, "seam_opened_cm", 100.0 * r->seam_opened);
    json_text(json, "labels", j->contacts.imported ? c->options.contacts : "default");
    json_int(json, "frames", j->file->frame_count);
    json_number(json, "start", j->file->frames.start);
    json_int(json, "first_frame", j->file->first_frame);
    json_int(json, "plants", r->plant_count);
    json_int(json, "planted_frames", r->planted_frames);
    if (c->runtime) clean_lock_json(json, c, j);
    json_int(json, "iterations", r->iterations);
    json_bool(json, "converged", r->converged);
    json_figure(json, "residual_cm", 100.0 * r->residual_m);
    json_text(json, "travel_joint",
              r->travel_joint < 0 ? NULL : cli_joint_name(j->file, r->travel_joint, name, sizeof name));
    json_figure(json, "pelvis_shift_max_cm", 100.0 * r->pelvis_shift_max);
    json_figure(json, "pelvis_height_mean_change_cm", 100.0 * r->pelvis_height_mean_change);
    json_vector(json, "ground_velocity_m_s", j->contacts.ground);
    cli_json_mismatch(json, &j->contacts);
    cli_json_characters(json, j->file, &j->contacts);
    cli_json_changed(json, j->file, j->changed);
    if (c->keep_keys && sft_io_gltf(j->file->document) != NULL) json_kept_keys(json, j);
    json_begin(json, "before", '{');
    cli_json_figures(json, j->file, &j->before);
    json_end(json, '}');
    json_begin(json, "after", '{');
    cli_json_figures(json, j->file, &j->after);
    json_end(json, '}');
    json_begin(json, "unreached", '[');
    for (int32_t i = 0; i < r->miss_count; ++i)
    {
        json_begin(json, NULL, '{');
        json_int(json, "frame", r->misses[i].frame);
        json_text(json, "foot", j->file->foot_names[r->misses[i].foot]);
        json_figure(json, "distance_cm", 100.0 * r->misses[i].distance);
        json_text(json, "gave_up", cli_gave_up(r->misses[i].gave_up, gave, sizeof gave));
        json_end(json, '}');
    }
    json_end(json, ']');
    if (c->runtime) clean_lock_json_gaps(json, j);
    json_end(json, '}');
}

void clean_print_line(cli_text* out, const clean_job* j)
{
    char name[NAME_SIZE], a[32], b[32], d[32];
    const sft_cleanup_report* r = &j->report;
    text_fmt(out, "  %s: ", cli_clip_name(j->file, j->file->clip_index, name, sizeof name));
    if (r->plant_count == 0)
    {
        text_str(out, "no foot is planted, left as it was\n");
        return;
    }
    text_fmt(out, "%d plant%s in %d frames, slide mean %s -> %s cm/s, max %s", (int)r->plant_count,
             r->plant_count == 1 ? "" : "s", (int)j->file->frame_count,
             cli_figure(j->before.clip.slide_mean_cm_s, 2, a), cli_figure(j->after.clip.slide_mean_cm_s, 2, b),
             cli_figure(j->before.clip.slide_max_cm_s, 2, d));
    text_fmt(out, " -> %s cm/s", cli_figure(j->after.clip.slide_max_cm_s, 2, a));
    if (r->miss_count > 0)
        text_fmt(out, ", not reached in %d of %d frames of held toes", (int)r->miss_count, (int)r->planted_frames);
    if (r->seam_opened > SEAM_TOLD)
        text_fmt(out, ", its seam %s cm open (a cycle: --loop)", cli_figure(100.0 * r->seam_opened, 2, a));
    text_str(out, "\n");
}
