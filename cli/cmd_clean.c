// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// surefoot clean: the main job.

#include "cli.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char help[] =
    "usage: surefoot clean [options] IN.bvh -o OUT.bvh\n"
    "\n"
    "Takes the foot sliding out of a clip: planted toes stand still, the legs and the path of the pelvis give way\n"
    "smoothly, everything else keeps its numbers. What could not be reached is named, never hidden.\n"
    "\n"
    "  -o OUT.bvh         where to write; '-' is standard output. May be IN itself, which is replaced only once the\n"
    "                     new file is complete\n"
    "  --method M         direct: banded least squares, linear in the number of frames. relax: particle relaxation in\n"
    "                     25,000 sweeps, slow, kept as the reference. Default: direct\n"
    "  --give-way WHO     who pays: both (pelvis path and strides), legs (the root's path is kept number for number,\n"
    "                     strides warp), root (the root follows what the feet support). Default: both\n"
    "  --loop             the clip is a cycle, with or without its first frame repeated at the end; travel per cycle "
    "is\n"
    "                     kept and a plant may cross the seam\n"
    "  --allow-stretch    where a leg is too short to reach, stretch it. Default: leave a little slide and say so\n"
    "  --report PAGE.html write a page with curves, traces, poses and figures before and after; it stands alone\n"
    "  --picture PIC.svg  write the heart of that page as one picture\n"
    "  --json             what was done, figures before and after, and what could not be reached, as one object\n"
    "\n";

static const char examples[] =
    "\n"
    "A clip in which no foot is planted is written as it is, with a plain word; exit code 0.\n"
    "A clip in which no legs are found is not written; exit code 6.\n"
    "\n"
    "Examples\n"
    "  surefoot clean walk.bvh -o fixed.bvh\n"
    "  surefoot clean walk.bvh -o fixed.bvh --give-way legs --report page.html\n"
    "  surefoot contacts walk.bvh -o labels.csv && edit labels.csv &&\n"
    "      surefoot clean walk.bvh --contacts labels.csv -o fixed.bvh\n"
    "\n";

enum
{
    OPT_METHOD = OPT_OWN,
    OPT_GIVE_WAY,
    OPT_LOOP,
    OPT_STRETCH,
    OPT_REPORT,
    OPT_PICTURE
};

typedef struct clean
{
    cli_options options;
    sft_cleanup_def def;
    const char* page;
    const char* picture;
} clean;

// All that one run holds on to.
typedef struct job
{
    loaded file;
    tracks before_tracks, after_tracks;
    contacts contacts;
    figures before, after;
    sft_clip* solved;  // as the solver left it: a copy where reports want the clip before, else that of the file
    sft_clip* written; // as the file now says
    uint8_t* changed;  // bit 0 rotation, bit 1 translation
    sft_cleanup_report report;
} job;

static const char* const method_names[] = {"direct", "relax"};
static const char* const give_way_names[] = {"both", "legs", "root"};

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

// ---- work ----

static int solve(const clean* c, job* j)
{
    const sft_clip* clip = j->file.clip;
    if (c->page == NULL && c->picture == NULL)
    {
        j->solved = j->file.clip;
        j->file.clip = NULL;
    }
    else
    {
        if (sft_clip_create(clip->joint_count, clip->frame_count, clip->frame_time, NULL, &j->solved) != SFT_OK)
            return cli_fail(EXIT_MEMORY, "out of memory");
        const size_t cells = (size_t)clip->joint_count * (size_t)clip->frame_count;
        memcpy(j->solved->translations, clip->translations, cells * sizeof *clip->translations);
        memcpy(j->solved->rotations, clip->rotations, cells * sizeof *clip->rotations);
    }
    j->changed = calloc((size_t)clip->joint_count + 1, 1);
    if (j->changed == NULL) return cli_fail(EXIT_MEMORY, "out of memory");
    sft_cleanup_def def = c->def;
    def.contact_threshold = c->options.threshold;
    def.ground_velocity = j->contacts.ground;
    def.first_frame = j->file.first_frame;
    cli_progress("cleaning %d frames ...", (int)clip->frame_count);
    const sft_result result = sft_cleanup_clip(&def, j->file.skeleton, j->file.legs, j->file.leg_count,
                                               j->contacts.labels, NULL, j->solved, j->changed, &j->report);
    cli_progress("%s", "");
    if (result == SFT_OK) return EXIT_DONE;
    return cli_fail_clip(&j->file, j->solved, "cleaning", result);
}

// Puts the solved joints into the document, and reads back what it now says.
static int put_back(job* j, bool stretched)
{
    const size_t joints = (size_t)j->file.skeleton->joint_count;
    uint8_t* masks = calloc(2 * joints + 1, 1);
    if (masks == NULL) return cli_fail(EXIT_MEMORY, "out of memory");
    for (size_t k = 0; k < joints; ++k)
    {
        masks[k] = j->changed[k] & 1u;
        masks[joints + k] = (j->changed[k] >> 1) & 1u;
    }
    sft_error error = {0};
    sft_result result = sft_bvh_apply(j->file.bvh, j->solved, &j->file.space, masks, masks + joints, &error);
    free(masks);
    // Most files have position channels at the root alone, so there is no place for longer bones.
    if (result == SFT_ERR_UNSUPPORTED && stretched)
        return cli_fail(EXIT_READ,
                        "%s: %s: a stretched leg wants position channels, which this joint has not; leave "
                        "--allow-stretch out",
                        j->file.path, error.joint);
    if (result == SFT_ERR_UNSUPPORTED || result == SFT_ERR_ARG) return cli_fail_error(j->file.path, result, &error);
    sft_clip_destroy(j->solved, NULL);
    j->solved = NULL;
    sft_skeleton* skeleton = NULL;
    if (result == SFT_OK) result = sft_bvh_to_clip(j->file.bvh, NULL, &skeleton, &j->written);
    if (result == SFT_OK) result = sft_clip_rescale(skeleton, j->written, &j->file.space);
    sft_skeleton_destroy(skeleton, NULL);
    return result == SFT_OK ? EXIT_DONE : cli_fail(EXIT_MEMORY, "%s: %s", j->file.path, sft_result_string(result));
}

// ---- what was done, in words ----

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

static void print_misses(FILE* out, const job* j)
{
    const sft_cleanup_report* r = &j->report;
    if (r->miss_count == 0)
    {
        cli_print(out, "Every planted toe was reached.\n");
        return;
    }
    cli_print(out, "Not reached: %d of %d frames in which a toe is held\n", (int)r->miss_count, (int)r->planted_frames);
    const int width = cli_name_width(&j->file, 12);
    int spans = 0;
    for (int32_t foot = 0; foot < j->file.leg_count; ++foot)
        for (int32_t i = 0; i < r->miss_count; ++i)
        {
            if (r->misses[i].foot != foot) continue;
            miss_span span;
            i = take_span(r, i, &span);
            if (++spans > 20) continue;
            char number[32], gave[64];
            cli_print(out, "  %-*s  frames %6d to %6d  up to %8s cm  gave up: %s\n", width, j->file.foot_names[foot],
                      (int)span.first, (int)span.last, cli_figure(100.0 * span.distance, 3, number),
                      cli_gave_up(span.gave_up, gave, sizeof gave));
        }
    if (spans > 20) cli_print(out, "  and %d more spans; --json lists every frame\n", spans - 20);
}

static void pair_row(FILE* out, int width, const char* label, const char* what, double before, double after)
{
    char a[32], b[32];
    cli_print(out, "  %-*s %-32s %10s %10s\n", width, label, what, cli_figure(before, 3, a), cli_figure(after, 3, b));
}

static void print_summary(FILE* out, const clean* c, const job* j)
{
    char text[256], a[32], b[32];
    static const char* const who[] = {"root and legs give way", "legs give way", "root gives way"};
    const sft_cleanup_report* r = &j->report;
    cli_print(out, "%s -> %s\n", j->file.name, c->options.output);
    cli_print(out, "%s\n", cli_mismatch_sentence(&j->contacts, text, sizeof text));
    if (r->plant_count == 0)
    {
        cli_print(out, "No foot is planted anywhere in this clip, so nothing was changed.\n");
        return;
    }
    cli_print(out, "%d plant%s, toes held in %d frames; %s method, %s; %d step%s, %s\n", (int)r->plant_count,
              r->plant_count == 1 ? "" : "s", (int)r->planted_frames, method_names[c->def.method], who[c->def.give_way],
              (int)r->iterations, r->iterations == 1 ? "" : "s", r->converged ? "converged" : "not converged");
    if (c->def.loop)
        cli_print(out, "Taken as a cycle%s.\n", r->loop_closed ? " whose first frame is repeated at its end" : "");
    if (r->travel_joint >= 0 && c->def.give_way == SFT_GIVE_WAY_LEGS)
        cli_print(out, "%s keeps its path, number for number.\n",
                  cli_joint_name(&j->file, r->travel_joint, text, sizeof text));
    else if (r->travel_joint >= 0)
        cli_print(out, "%s carries the correction of the path: at most %s cm; mean pelvis height changed by %s cm\n",
                  cli_joint_name(&j->file, r->travel_joint, text, sizeof text),
                  cli_figure(100.0 * r->pelvis_shift_max, 2, a),
                  cli_figure(100.0 * r->pelvis_height_mean_change, 3, b));
    else
        cli_print(out, "No joint carries the travel, so only the legs gave way.\n");
    const int width = cli_name_width(&j->file, 12);
    cli_print(out, "  %-*s %-32s %10s %10s\n", width, "", "", "before", "after");
    for (int32_t i = 0; i < j->file.leg_count; ++i)
    {
        const sft_metrics_foot* p = &j->before.feet[i];
        const sft_metrics_foot* q = &j->after.feet[i];
        pair_row(out, width, j->file.foot_names[i], "slide mean [cm/s]", p->slide_mean_cm_s, q->slide_mean_cm_s);
        pair_row(out, width, "", "slide max [cm/s]", p->slide_max_cm_s, q->slide_max_cm_s);
        pair_row(out, width, "", "penetration max [cm]", p->penetration_max_cm, q->penetration_max_cm);
        pair_row(out, width, "", "pop 99.9th pct [rad/s2]", p->pop_p999_rad_s2, q->pop_p999_rad_s2);
    }
    pair_row(out, width, "whole clip", "slide mean [cm/s]", j->before.clip.slide_mean_cm_s,
             j->after.clip.slide_mean_cm_s);
    pair_row(out, width, "", "pelvis acceleration p99 [m/s2]", j->before.clip.pelvis_accel_p99,
             j->after.clip.pelvis_accel_p99);
    // Other people's figure knows no moving ground: there it would say that all is lost, before and after.
    const sft_v3d g = j->contacts.ground;
    if (g.x == 0.0 && g.y == 0.0 && g.z == 0.0)
        pair_row(out, width, "", "GMD skating ratio", j->before.clip.published.gmd_skating_ratio,
                 j->after.clip.published.gmd_skating_ratio);
    print_misses(out, j);
}

static void json_changed(json_out* json, const job* j)
{
    char name[NAME_SIZE];
    json_begin(json, "changed_joints", '[');
    for (int32_t k = 0; k < j->file.skeleton->joint_count; ++k)
    {
        if (j->changed[k] == 0) continue;
        json_begin(json, NULL, '{');
        json_text(json, "name", cli_joint_name(&j->file, k, name, sizeof name));
        json_bool(json, "rotation", (j->changed[k] & 1u) != 0);
        json_bool(json, "translation", (j->changed[k] & 2u) != 0);
        json_end(json, '}');
    }
    json_end(json, ']');
}

static int print_json(const clean* c, const job* j)
{
    const sft_cleanup_report* r = &j->report;
    char name[NAME_SIZE], gave[64];
    json_out json = {.first = true};
    json_begin(&json, NULL, '{');
    json_text(&json, "input", j->file.path);
    json_text(&json, "output", c->options.output);
    json_text(&json, "report", c->page);
    json_text(&json, "method", method_names[c->def.method]);
    json_text(&json, "give_way", give_way_names[c->def.give_way]);
    json_bool(&json, "loop", c->def.loop);
    json_bool(&json, "loop_closed", r->loop_closed);
    json_text(&json, "labels", j->contacts.imported ? c->options.contacts : "default");
    json_int(&json, "frames", j->file.view->frame_count);
    json_int(&json, "first_frame", j->file.first_frame);
    json_int(&json, "plants", r->plant_count);
    json_int(&json, "planted_frames", r->planted_frames);
    json_int(&json, "iterations", r->iterations);
    json_bool(&json, "converged", r->converged);
    json_figure(&json, "residual_cm", 100.0 * r->residual_m);
    json_text(&json, "travel_joint",
              r->travel_joint < 0 ? NULL : cli_joint_name(&j->file, r->travel_joint, name, sizeof name));
    json_figure(&json, "pelvis_shift_max_cm", 100.0 * r->pelvis_shift_max);
    json_figure(&json, "pelvis_height_mean_change_cm", 100.0 * r->pelvis_height_mean_change);
    json_vector(&json, "ground_velocity_m_s", j->contacts.ground);
    cli_json_mismatch(&json, &j->contacts);
    json_changed(&json, j);
    json_begin(&json, "before", '{');
    cli_json_figures(&json, &j->file, &j->before);
    json_end(&json, '}');
    json_begin(&json, "after", '{');
    cli_json_figures(&json, &j->file, &j->after);
    json_end(&json, '}');
    json_begin(&json, "unreached", '[');
    for (int32_t i = 0; i < r->miss_count; ++i)
    {
        json_begin(&json, NULL, '{');
        json_int(&json, "frame", r->misses[i].frame);
        json_text(&json, "foot", j->file.foot_names[r->misses[i].foot]);
        json_figure(&json, "distance_cm", 100.0 * r->misses[i].distance);
        json_text(&json, "gave_up", cli_gave_up(r->misses[i].gave_up, gave, sizeof gave));
        json_end(&json, '}');
    }
    json_end(&json, ']');
    json_end(&json, '}');
    return json_finish(&json);
}

static int write_reports(const clean* c, const job* j)
{
    if (c->page == NULL && c->picture == NULL) return EXIT_DONE;
    cli_options own = c->options;
    own.contacts = NULL;
    contacts again;
    int code = cli_make_contacts(&own, &j->file, &j->after_tracks, false, &again);
    if (code != EXIT_DONE) return code;
    const report_input in = {.file = &j->file,
                             .after = j->written,
                             .tracks_before = &j->before_tracks,
                             .tracks_after = &j->after_tracks,
                             .contacts = &j->contacts,
                             .contacts_after = &again,
                             .before = &j->before,
                             .figures_after = &j->after,
                             .done = &j->report,
                             .def = &c->def,
                             .threshold = c->options.threshold,
                             .output = c->options.output};
    const char* const paths[2] = {c->page, c->picture};
    for (int i = 0; i < 2 && code == EXIT_DONE; ++i)
    {
        if (paths[i] == NULL) continue;
        cli_text text = {0};
        (i == 0 ? report_page : report_picture)(&in, &text);
        code = text.failed ? cli_fail(EXIT_MEMORY, "%s: out of memory", paths[i])
                           : cli_write_bytes(paths[i], text.data, text.size);
        text_free(&text);
    }
    cli_free_contacts(&again);
    return code;
}

static int run(const clean* c, job* j)
{
    if (j->file.clip->frame_count == 0) return cli_fail(EXIT_READ, "%s: holds no frames", j->file.path);
    if (j->file.leg_count == 0) return cli_fail_no_legs(&j->file);
    int code = cli_make_tracks(&j->file, j->file.clip, &j->before_tracks);
    if (code == EXIT_DONE) code = cli_make_contacts(&c->options, &j->file, &j->before_tracks, false, &j->contacts);
    if (code == EXIT_DONE) code = cli_measure(&c->options, &j->file, &j->before_tracks, &j->contacts, &j->before);
    if (code == EXIT_DONE) code = solve(c, j);
    if (code == EXIT_DONE) code = put_back(j, c->def.allow_stretch);
    if (code == EXIT_DONE) code = cli_make_tracks(&j->file, j->written, &j->after_tracks);
    if (code == EXIT_DONE) code = cli_measure(&c->options, &j->file, &j->after_tracks, &j->contacts, &j->after);
    if (code == EXIT_DONE) code = cli_write_bvh(c->options.output, j->file.bvh);
    if (code == EXIT_DONE) code = write_reports(c, j);
    if (code == EXIT_DONE && c->options.json) code = print_json(c, j);
    if (code == EXIT_DONE && !c->options.json)
        print_summary(strcmp(c->options.output, "-") == 0 ? stderr : stdout, c, j);
    return code;
}

static void release(job* j)
{
    sft_cleanup_report_release(&j->report, NULL);
    sft_clip_destroy(j->solved, NULL);
    sft_clip_destroy(j->written, NULL);
    free(j->changed);
    cli_free_contacts(&j->contacts);
    cli_free_tracks(&j->before_tracks);
    cli_free_tracks(&j->after_tracks);
    cli_unload(&j->file);
}

// ---- command line ----

static int choose(const char* option, const char* value, const char* const* names, int count, int* out)
{
    for (int i = 0; i < count; ++i)
        if (strcmp(value, names[i]) == 0)
        {
            *out = i;
            return EXIT_DONE;
        }
    return cli_fail(EXIT_USAGE, "clean: %s does not know '%s'; try `surefoot clean --help`", option, value);
}

static int take(clean* c, int key, const char* value)
{
    int choice = 0, code = EXIT_DONE;
    switch (key)
    {
    case OPT_METHOD:
        code = choose("--method", value, method_names, 2, &choice);
        c->def.method = (sft_cleanup_method)choice;
        return code;
    case OPT_GIVE_WAY:
        code = choose("--give-way", value, give_way_names, 3, &choice);
        c->def.give_way = (sft_give_way)choice;
        return code;
    case OPT_LOOP:
        c->def.loop = true;
        return EXIT_DONE;
    case OPT_STRETCH:
        c->def.allow_stretch = true;
        return EXIT_DONE;
    case OPT_REPORT:
        c->page = value;
        return EXIT_DONE;
    case OPT_PICTURE:
        c->picture = value;
        return EXIT_DONE;
    default:
        return cli_take_option(&c->options, "clean", key, value);
    }
}

int cmd_clean(int argc, char** argv)
{
    static const struct option long_options[] = {CLI_FILE_OPTIONS,
                                                 CLI_LEG_OPTIONS,
                                                 CLI_CONTACT_OPTIONS,
                                                 {"method", required_argument, NULL, OPT_METHOD},
                                                 {"give-way", required_argument, NULL, OPT_GIVE_WAY},
                                                 {"loop", no_argument, NULL, OPT_LOOP},
                                                 {"allow-stretch", no_argument, NULL, OPT_STRETCH},
                                                 {"report", required_argument, NULL, OPT_REPORT},
                                                 {"picture", required_argument, NULL, OPT_PICTURE},
                                                 {0}};
    clean c = {.options = cli_default_options(), .def = sft_default_cleanup_def()};
    int key;
    while ((key = getopt_long(argc, argv, "o:", long_options, NULL)) != -1)
    {
        if (key == OPT_HELP)
        {
            printf("%s%s%s%s%s%s", help, cli_help_file, cli_help_legs, cli_help_contacts, examples, cli_help_exit);
            return EXIT_DONE;
        }
        const int code = take(&c, key, optarg);
        if (code != EXIT_DONE) return code;
    }
    if (optind + 1 != argc) return cli_fail(EXIT_USAGE, "clean: wants one file; try `surefoot clean --help`");
    if (c.options.output == NULL) return cli_fail(EXIT_USAGE, "clean: where to? give -o OUT.bvh");
    if (c.options.json && strcmp(c.options.output, "-") == 0)
        return cli_fail(EXIT_USAGE, "clean: --json and -o - would both write to standard output");
    int code = cli_check_output(c.options.output);
    const char* inputs[] = {argv[optind], c.options.contacts, c.options.legs};
    const char* outputs[] = {c.options.output, c.page, c.picture, c.options.json ? "-" : NULL};
    if (code == EXIT_DONE) code = cli_check_paths("clean", inputs, 3, outputs, 4, true);
    if (code != EXIT_DONE) return code;
    static job j;
    code = cli_load(&c.options, argv[optind], &j.file);
    if (code != EXIT_DONE) return code;
    code = run(&c, &j);
    release(&j);
    return code;
}
