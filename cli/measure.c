// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// Tracks of the feet, labels, and figures of a loaded clip; and how figures are shown.

#include "cli.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

int cli_make_tracks(const loaded* file, const sft_clip* clip, tracks** out)
{
    const sft_tracks_body body = {file->skeleton, file->legs, file->leg_count, file->first_frame};
    const sft_result result = sft_tracks_create(&body, clip, NULL, out);
    return result == SFT_OK ? EXIT_DONE : cli_fail_clip(file, clip, "following the feet", result);
}

void cli_free_tracks(tracks** t)
{
    sft_tracks_destroy(*t, NULL);
    *t = NULL;
}

double cli_find_floor(double threshold, const loaded* file, const tracks* t, const contacts* c, const char** reason)
{
    int32_t index;
    sft_take_floor found = {0.0, "there was no memory to look for it, so that of the world"};
    (void)sft_take_find_floor(cli_stage(file, &index), t, c->labels, threshold, NULL, &found);
    *reason = found.reason;
    return found.height;
}

static int by_value(const void* a, const void* b)
{
    const double x = *(const double*)a, y = *(const double*)b;
    return (x > y) - (x < y);
}

double cli_median(double* values, size_t count)
{
    qsort(values, count, sizeof *values, by_value);
    return count == 0 ? 0.0 : 0.5 * (values[(count - 1) / 2] + values[count / 2]);
}

static sft_v3d ground_inside(const cli_options* options, const loaded* file)
{
    const sft_space turn_only = {.unit_metres = 1.0, .up = file->space.up};
    return sft_space_to_inside(&turn_only, options->ground_velocity);
}

static int import_labels(const cli_options* options, const loaded* file, contacts* out)
{
    void* bytes = NULL;
    size_t size = 0;
    // Each of many clips has a table of its own.
    char* own = cli_many_clips(options, file) ? cli_clip_path(options->contacts, file, file->clip_index) : NULL;
    const char* path = own != NULL ? own : options->contacts;
    int code = cli_read_bytes(path, &bytes, &size);
    if (code == EXIT_DONE)
    {
        sft_error error = {0};
        const sft_result result = sft_contact_parse_csv(bytes, size, file->foot_name_list, NULL, out->labels, &error);
        free(bytes);
        out->imported = true;
        if (result != SFT_OK) code = cli_fail_error(path, result, &error);
    }
    free(own);
    return code;
}

int cli_make_contacts(const cli_options* options, const loaded* file, const tracks* t, bool plain, contacts* out)
{
    *out = (contacts){0};
    sft_contact_def def = sft_default_contact_def();
    def.held_only = options->held_only;
    if (options->ground != GROUND_AUTO)
    {
        def.given_ground = true;
        if (options->ground == GROUND_GIVEN) def.ground_velocity = ground_inside(options, file);
    }
    sft_result result = sft_contact_labels_create(t->input.frame_count, t->input.foot_count, NULL, &out->labels);
    if (result == SFT_OK) result = sft_contact_label_bodies(&def, &t->input, NULL, out->labels, out->mismatches);
    if (result == SFT_OK && plain && options->contacts == NULL)
        result = sft_contact_label_plain(&def, &t->input, NULL, out->labels);
    int code = EXIT_DONE;
    if (result != SFT_OK)
        code = cli_fail_clip(file, file->clip, "contacts", result);
    else if (options->contacts != NULL)
        code = import_labels(options, file, out);
    for (int32_t i = 0; i < t->input.foot_count && code == EXIT_DONE; ++i)
        out->grounds[i] = sft_contact_ground_velocity(&def, &out->mismatches[i]);
    out->mismatch = out->mismatches[0];
    out->ground = out->grounds[0];
    if (code != EXIT_DONE) cli_free_contacts(out);
    return code;
}

void cli_free_contacts(contacts* c)
{
    sft_contact_labels_destroy(c->labels, NULL);
    c->labels = NULL;
}

int cli_measure(const cli_options* options, const loaded* file, const tracks* t, const contacts* c, figures* out)
{
    sft_metrics_input input = sft_tracks_metrics_input(t, c->labels);
    input.contact_threshold = options->threshold;
    input.ground_velocities = c->grounds;
    const sft_result result = sft_metrics_measure(&input, NULL, out->feet, &out->clip);
    if (result == SFT_OK) return EXIT_DONE;
    return cli_fail_clip(file, file->clip, "measuring", result);
}

// ---- showing ----

static void json_mismatch(json_out* json, const sft_contact_mismatch* m)
{
    json_begin(json, "mismatch", '{');
    json_bool(json, "known", m->known);
    json_figure(json, "root_travel", m->known ? m->root_travel : (double)NAN);
    json_figure(json, "root_travel_error", m->known ? m->root_travel_error : (double)NAN);
    json_bool(json, "moving_ground", m->moving_ground);
    json_vector(json, "ground_velocity_m_s", m->ground_velocity);
    json_figure(json, "residual_cm_s", m->known ? m->residual_cm_s : (double)NAN);
    json_int(json, "evidence_frames", m->evidence_frames);
    json_text(json, "text", m->text);
    json_end(json, '}');
}

void cli_json_mismatch(json_out* json, const contacts* c)
{
    json_mismatch(json, &c->mismatch);
}

void cli_json_characters(json_out* json, const loaded* file, const contacts* c)
{
    int32_t first[SFT_MAX_LEGS];
    const int32_t count = cli_characters(file, first);
    char name[NAME_SIZE];
    if (count < 2) return;
    json_begin(json, "characters", '[');
    for (int32_t k = 0; k < count; ++k)
    {
        const int32_t root = sft_leg_root(file->skeleton, &file->legs[first[k]]);
        json_begin(json, NULL, '{');
        json_text(json, "root", cli_joint_name(file, root, name, sizeof name));
        json_begin(json, "feet", '[');
        for (int32_t i = first[k]; i < file->leg_count; ++i)
            if (sft_leg_root(file->skeleton, &file->legs[i]) == root) json_text(json, NULL, file->foot_names[i]);
        json_end(json, ']');
        json_vector(json, "ground_velocity_m_s", c->grounds[first[k]]);
        json_mismatch(json, &c->mismatches[first[k]]);
        json_end(json, '}');
    }
    json_end(json, ']');
}

// Frames are null where there is none.
static void json_frame(json_out* json, const char* key, int32_t frame)
{
    if (frame >= 0)
        json_int(json, key, frame);
    else
        json_text(json, key, NULL);
}

// Name of a leg's joint as the metrics number them (hip, knee, heel, toe); null for -1.
static const char* leg_joint_name(const loaded* file, int32_t leg, int32_t joint)
{
    const sft_leg* l = &file->legs[leg];
    const int32_t joints[4] = {l->hip, l->knee, l->heel, l->toe};
    return joint >= 0 && joint < 4 && joints[joint] >= 0 ? file->skeleton->names[joints[joint]] : NULL;
}

static void json_foot_pops(json_out* json, const loaded* file, int32_t foot, const sft_metrics_foot* m)
{
    json_figure(json, "pop_max_rad_s2", m->pop_max_rad_s2);
    json_frame(json, "pop_max_frame", m->pop_max_frame);
    json_text(json, "pop_max_joint", leg_joint_name(file, foot, m->pop_max_joint));
    json_figure(json, "pop_p999_rad_s2", m->pop_p999_rad_s2);
    json_int(json, "pop_count", m->pop_count);
    json_frame(json, "pop_frame", m->pop_frame);
    json_text(json, "pop_joint", leg_joint_name(file, foot, m->pop_joint));
}

void cli_json_figures(json_out* json, const loaded* file, const figures* f)
{
    json_begin(json, "feet", '[');
    for (int32_t i = 0; i < file->leg_count; ++i)
    {
        const sft_metrics_foot* m = &f->feet[i];
        json_begin(json, NULL, '{');
        json_text(json, "name", file->foot_names[i]);
        json_int(json, "planted_frames", m->planted_frames);
        json_int(json, "touch_frames", m->touch_frames);
        json_int(json, "plants", m->plant_count);
        json_figure(json, "slide_mean_cm_s", m->slide_mean_cm_s);
        json_figure(json, "slide_max_cm_s", m->slide_max_cm_s);
        json_frame(json, "slide_max_frame", m->slide_max_frame);
        json_figure(json, "slide_total_cm", m->slide_total_cm);
        json_figure(json, "touch_slide_mean_cm_s", m->touch_slide_mean_cm_s);
        json_figure(json, "penetration_max_cm", m->penetration_max_cm);
        json_frame(json, "penetration_max_frame", m->penetration_max_frame);
        json_figure(json, "penetration_mean_cm", m->penetration_mean_cm);
        json_figure(json, "float_max_cm", m->float_max_cm);
        json_frame(json, "float_max_frame", m->float_max_frame);
        json_figure(json, "support_range_cm", m->support_range_cm);
        json_figure(json, "leg_change_max_cm", m->leg_change_max_cm);
        json_foot_pops(json, file, i, m);
        json_end(json, '}');
    }
    json_end(json, ']');
    const sft_metrics_published* p = &f->clip.published;
    json_begin(json, "clip", '{');
    json_figure(json, "slide_mean_cm_s", f->clip.slide_mean_cm_s);
    json_figure(json, "slide_max_cm_s", f->clip.slide_max_cm_s);
    json_figure(json, "penetration_max_cm", f->clip.penetration_max_cm);
    json_int(json, "pop_count", f->clip.pop_count);
    json_figure(json, "pelvis_accel_p99_m_s2", f->clip.pelvis_accel_p99);
    json_figure(json, "pelvis_accel_max_m_s2", f->clip.pelvis_accel_max);
    json_figure(json, "pelvis_height_mean_m", f->clip.pelvis_height_mean);
    json_begin(json, "published", '{');
    json_figure(json, "gmd_skating_ratio", p->gmd_skating_ratio);
    json_figure(json, "kimodo_skate_ratio", p->kimodo_skate_ratio);
    json_figure(json, "kimodo_toe_speed_m_s", p->kimodo_toe_speed);
    json_figure(json, "height_weighted_slide", p->height_weighted_slide);
    json_figure(json, "edge_pfc", p->edge_pfc);
    json_figure(json, "lafan_contact_ratio", p->lafan_contact_ratio);
    json_figure(json, "humanml_contact_ratio", p->humanml_contact_ratio);
    json_end(json, '}');
    json_end(json, '}');
}

int cli_name_width(const loaded* file, int least)
{
    for (int32_t i = 0; i < file->leg_count; ++i)
    {
        const int length = (int)strlen(file->foot_names[i]);
        least = length > least ? length : least;
    }
    return least;
}

// One figure of every foot in a row.
static void foot_row(FILE* out, const loaded* file, const figures* f, const char* label, int digits, size_t offset)
{
    char number[32];
    const int width = cli_name_width(file, 12);
    cli_print(out, "  %-34s", label);
    for (int32_t i = 0; i < file->leg_count; ++i)
    {
        double value;
        memcpy(&value, (const char*)&f->feet[i] + offset, sizeof value);
        cli_print(out, "  %*s", width, cli_figure(value, digits, number));
    }
    fputc('\n', out);
}

static void clip_row(FILE* out, const char* label, int digits, double value)
{
    char number[32];
    cli_print(out, "  %-34s  %12s\n", label, cli_figure(value, digits, number));
}

// Where to look: the frames behind the worst figures, in words.
static void print_worst(FILE* out, const loaded* file, const figures* f)
{
    const sft_metrics_clip* c = &f->clip;
    char number[32], frame[48];
    if (c->slide_max_foot >= 0)
        cli_print(out, "  fastest slide at frame %s (%s)\n", cli_frame_name(file, c->slide_max_frame, frame),
                  file->foot_names[c->slide_max_foot]);
    if (c->penetration_max_foot >= 0)
        cli_print(out, "  deepest at frame %s (%s)\n", cli_frame_name(file, c->penetration_max_frame, frame),
                  file->foot_names[c->penetration_max_foot]);
    for (int32_t i = 0; i < file->leg_count; ++i)
    {
        const sft_metrics_foot* m = &f->feet[i];
        if (m->pop_count == 0) continue;
        cli_print(out, "  %s pops at frame %s, %s times its limit; %d in this leg\n",
                  leg_joint_name(file, i, m->pop_joint), cli_frame_name(file, m->pop_frame, frame),
                  cli_figure(m->pop_over_its_limit, 1, number), (int)m->pop_count);
    }
}

void cli_print_figures(FILE* out, const loaded* file, const figures* f)
{
    const int width = cli_name_width(file, 12);
    cli_print(out, "  %-34s", "");
    for (int32_t i = 0; i < file->leg_count; ++i)
        cli_print(out, "  %*s", width, file->foot_names[i]);
    cli_print(out, "\n  %-34s", "planted frames");
    for (int32_t i = 0; i < file->leg_count; ++i)
        cli_print(out, "  %*d", width, (int)f->feet[i].planted_frames);
    fputc('\n', out);
    static const struct
    {
        const char* label;
        int digits;
        size_t offset;
    } rows[] = {{"slide while planted, mean [cm/s]", 3, offsetof(sft_metrics_foot, slide_mean_cm_s)},
                {"slide while planted, max [cm/s]", 3, offsetof(sft_metrics_foot, slide_max_cm_s)},
                {"slide in all [cm]", 2, offsetof(sft_metrics_foot, slide_total_cm)},
                {"slide while touching, mean [cm/s]", 3, offsetof(sft_metrics_foot, touch_slide_mean_cm_s)},
                {"penetration, max [cm]", 2, offsetof(sft_metrics_foot, penetration_max_cm)},
                {"penetration, mean [cm]", 3, offsetof(sft_metrics_foot, penetration_mean_cm)},
                {"float while planted, max [cm]", 2, offsetof(sft_metrics_foot, float_max_cm)},
                {"leg-length change, max [cm]", 5, offsetof(sft_metrics_foot, leg_change_max_cm)},
                {"pop, max [rad/s2]", 1, offsetof(sft_metrics_foot, pop_max_rad_s2)},
                {"pop, 99.9th percentile [rad/s2]", 1, offsetof(sft_metrics_foot, pop_p999_rad_s2)}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; ++i)
        foot_row(out, file, f, rows[i].label, rows[i].digits, rows[i].offset);
    const sft_metrics_clip* c = &f->clip;
    const sft_metrics_published* p = &c->published;
    cli_print(out, "  whole clip\n");
    clip_row(out, "slide while planted, mean [cm/s]", 3, c->slide_mean_cm_s);
    clip_row(out, "slide while planted, max [cm/s]", 3, c->slide_max_cm_s);
    clip_row(out, "penetration, max [cm]", 2, c->penetration_max_cm);
    clip_row(out, "pelvis acceleration, p99 [m/s2]", 2, c->pelvis_accel_p99);
    clip_row(out, "pelvis acceleration, max [m/s2]", 2, c->pelvis_accel_max);
    clip_row(out, "pelvis height, mean [m]", 4, c->pelvis_height_mean);
    cli_print(out, "  as others measure\n");
    clip_row(out, "GMD skating ratio", 4, p->gmd_skating_ratio);
    clip_row(out, "Kimodo skate ratio", 4, p->kimodo_skate_ratio);
    clip_row(out, "Kimodo toe speed below 5 cm [m/s]", 4, p->kimodo_toe_speed);
    clip_row(out, "height-weighted slide", 3, p->height_weighted_slide);
    clip_row(out, "EDGE physical foot contact", 3, p->edge_pfc);
    clip_row(out, "LaFAN1 contact ratio", 4, p->lafan_contact_ratio);
    clip_row(out, "HumanML3D contact ratio", 4, p->humanml_contact_ratio);
    print_worst(out, file, f);
}

static const char* sentence_of(const sft_contact_mismatch* m, char* out, size_t capacity)
{
    const char* text = m->text[0] != '\0' ? m->text : "too little evidence to judge the root's travel";
    snprintf(out, capacity, "%s", text);
    if (out[0] >= 'a' && out[0] <= 'z') out[0] = (char)(out[0] - 32);
    const size_t length = strlen(out);
    if (length > 0 && out[length - 1] != '.' && length + 1 < capacity) snprintf(out + length, capacity - length, ".");
    return out;
}

const char* cli_mismatch_sentence(const contacts* c, char* out, size_t capacity)
{
    return sentence_of(&c->mismatch, out, capacity);
}

void cli_print_mismatch(FILE* out, const loaded* file, const contacts* c)
{
    int32_t first[SFT_MAX_LEGS];
    const int32_t count = cli_characters(file, first);
    char text[256], name[NAME_SIZE];
    for (int32_t k = 0; k < count; ++k)
    {
        const int32_t root = sft_leg_root(file->skeleton, &file->legs[first[k]]);
        if (count > 1) cli_print(out, "%s: ", cli_joint_name(file, root, name, sizeof name));
        cli_print(out, "%s\n", sentence_of(&c->mismatches[first[k]], text, sizeof text));
    }
}
