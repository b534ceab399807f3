// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// surefoot check: figures, and limits that can fail a pipeline.

#include "cli.h"

#include <math.h>
#include <string.h>

static const char help[] =
    "usage: surefoot check [options] FILE...\n"
    "\n"
    "Measures how well a clip stands, per foot and as a whole: slide of planted toes, penetration, float, leg-length\n"
    "change, pops (angular acceleration of leg joints), the mismatch of root and feet in words, and the skate figures\n"
    "that others publish. docs/metrics.md has the definitions. Files are BVH, glTF, GLB or FBX; of several clips all "
    "are\n"
    "measured, one after the other.\n"
    "\n"
    "  --json             one object; a list of objects where several files are given, a file has several clips, or\n"
    "                     --all-clips is\n"
    "\n"
    "Limits, each for the worst foot; any that is exceeded makes the exit code 1\n"
    "  --max-slide V           fastest slide of a planted toe [cm/s]\n"
    "  --max-mean-slide V      mean slide of planted toes [cm/s]\n"
    "  --max-penetration V     deepest point of a foot below its support [cm]\n"
    "  --max-float V           height of a planted toe above its support [cm]\n"
    "  --max-leg-change V      change of a leg's bone lengths [cm]\n"
    "  --max-pop V             angular acceleration of a leg joint [rad/s2]\n"
    "  --max-pelvis-accel V    acceleration of the pelvis, 99th percentile [m/s2]\n"
    "  --max-mismatch V        travel of the root against what the feet support: 0.05 allows 0.95 to 1.05\n"
    "  --max-skating-ratio V   GMD skating ratio, 0 to 1\n"
    "\n";

static const char examples[] = "\n"
                               "Examples\n"
                               "  surefoot check walk.bvh\n"
                               "  surefoot check --json *.bvh > figures.json\n"
                               "  surefoot check fixed.bvh --max-slide 0.5 --max-penetration 1 || echo rejected\n"
                               "\n";

enum
{
    LIMIT_COUNT = 9
};

static const char* const limit_names[LIMIT_COUNT] = {
    "max-slide", "max-mean-slide",   "max-penetration", "max-float",         "max-leg-change",
    "max-pop",   "max-pelvis-accel", "max-mismatch",    "max-skating-ratio",
};
static const char* const limit_units[LIMIT_COUNT] = {" cm/s", " cm/s", " cm", " cm", " cm", " rad/s2", " m/s2", "", ""};
static const char* const limit_words[LIMIT_COUNT] = {
    "slide",         "mean slide",       "penetration", "float", "leg-length change", "pop", "pelvis acceleration",
    "root mismatch", "GMD skating ratio"};

typedef struct check
{
    cli_options options;
    bool has[LIMIT_COUNT];
    double limit[LIMIT_COUNT];
} check;

typedef struct failure
{
    int limit;
    const char* who;
    double value;
} failure;

// Of the character whose root is furthest from what its feet support; NaN where no one's is known.
static double worst_mismatch(const contacts* c)
{
    double worst = (double)NAN;
    for (int32_t i = 0; i < c->labels->foot_count; ++i)
    {
        const sft_contact_mismatch* m = &c->mismatches[i];
        const double off = fabs(m->root_travel - 1.0);
        if (m->known && !m->moving_ground && !(off <= worst)) worst = off;
    }
    return worst;
}

// Value of a limit's figure: of one foot for limits that are a foot's, else of the clip (foot -1). NaN: not that kind.
static double figure_of(const figures* f, const contacts* c, int limit, int32_t foot)
{
    const sft_metrics_foot* m = foot >= 0 ? &f->feet[foot] : NULL;
    switch (limit)
    {
    case 0:
        return m != NULL ? m->slide_max_cm_s : (double)NAN;
    case 1:
        return m != NULL ? m->slide_mean_cm_s : (double)NAN;
    case 2:
        return m != NULL ? m->penetration_max_cm : (double)NAN;
    case 3:
        return m != NULL ? m->float_max_cm : (double)NAN;
    case 4:
        return m != NULL ? m->leg_change_max_cm : (double)NAN;
    case 5:
        return m != NULL ? m->pop_max_rad_s2 : (double)NAN;
    case 6:
        return m == NULL ? f->clip.pelvis_accel_p99 : (double)NAN;
    case 7:
        return m == NULL ? worst_mismatch(c) : (double)NAN;
    default:
        return m == NULL ? f->clip.published.gmd_skating_ratio : (double)NAN;
    }
}

static int find_failures(const check* k, const loaded* file, const figures* f, const contacts* c, failure* out)
{
    int count = 0;
    for (int limit = 0; limit < LIMIT_COUNT; ++limit)
    {
        if (!k->has[limit]) continue;
        for (int32_t foot = -1; foot < file->leg_count; ++foot)
        {
            const double value = figure_of(f, c, limit, foot);
            if (value > k->limit[limit])
                out[count++] = (failure){limit, foot < 0 ? "clip" : file->foot_names[foot], value};
        }
    }
    return count;
}

static void to_json(json_out* json, const check* k, const loaded* file, const figures* f, const contacts* c,
                    const failure* failures, int count)
{
    json_begin(json, NULL, '{');
    json_text(json, "file", file->path);
    json_text(json, "clip_name", file->contents->clips[file->clip_index].name);
    json_int(json, "frames", file->clip->frame_count);
    json_number(json, "start", file->frames.start);
    json_int(json, "first_frame", file->first_frame);
    json_text(json, "labels", c->imported ? k->options.contacts : "default");
    json_vector(json, "ground_velocity_m_s", c->ground);
    cli_json_figures(json, file, f);
    cli_json_mismatch(json, c);
    cli_json_characters(json, file, c);
    json_bool(json, "passed", count == 0);
    json_begin(json, "failures", '[');
    for (int i = 0; i < count; ++i)
    {
        json_begin(json, NULL, '{');
        json_text(json, "limit", limit_names[failures[i].limit]);
        json_text(json, "where", failures[i].who);
        json_figure(json, "value", failures[i].value);
        json_number(json, "allowed", k->limit[failures[i].limit]);
        json_end(json, '}');
    }
    json_end(json, ']');
    json_end(json, '}');
}

static void to_terminal(const loaded* file, const figures* f, const contacts* c)
{
    cli_print(stdout, "%s\n", file->title);
    cli_print_mismatch(stdout, file, c);
    cli_print_figures(stdout, file, f);
}

static int report(const check* k, const loaded* file, const figures* f, const contacts* c, json_out* json)
{
    static failure failures[LIMIT_COUNT * (SFT_MAX_LEGS + 1)];
    const int count = find_failures(k, file, f, c, failures);
    if (k->options.json)
        to_json(json, k, file, f, c, failures, count);
    else
        to_terminal(file, f, c);
    fflush(stdout);
    char name[NAME_SIZE];
    const bool several = file->contents->clip_count > 1;
    for (int i = 0; i < count; ++i)
    {
        char value[32], allowed[32];
        const int limit = failures[i].limit;
        cli_fail(EXIT_CHECK, "%s: %s%s%s: %s %s%s is above --%s %s", file->path,
                 several ? cli_clip_name(file, file->clip_index, name, sizeof name) : "", several ? ": " : "",
                 failures[i].who, limit_words[limit], cli_figure(failures[i].value, 4, value), limit_units[limit],
                 limit_names[limit], cli_number(k->limit[limit], allowed));
    }
    return count > 0 ? EXIT_CHECK : EXIT_DONE;
}

static int check_clip(const check* k, loaded* file, int32_t index, json_out* json)
{
    tracks* t = NULL;
    contacts c = {0};
    figures f;
    int code = cli_take_clip(&k->options, file, index);
    if (code != EXIT_DONE) return code;
    if (file->frame_count == 0)
        code = cli_fail(EXIT_READ, "%s: holds no frames", file->path);
    else if (file->leg_count == 0)
        code = cli_fail_no_legs(file);
    else
        code = cli_make_tracks(file, file->clip, &t);
    if (code == EXIT_DONE) code = cli_make_contacts(&k->options, file, t, false, &c);
    if (code == EXIT_DONE) code = cli_measure(&k->options, file, t, &c, &f);
    if (code == EXIT_DONE) code = report(k, file, &f, &c, json);
    cli_free_contacts(&c);
    cli_free_tracks(&t);
    cli_drop_clip(file);
    return code;
}

// An input that cannot be read outweighs a limit that is exceeded.
static int worse(int worst, int code)
{
    return worst == EXIT_DONE || (worst == EXIT_CHECK && code != EXIT_DONE) ? code : worst;
}

static int check_file(const check* k, const char* path, json_out* json)
{
    static loaded file;
    int code = cli_open(&k->options, path, &file);
    if (code != EXIT_DONE) return code;
    code = cli_choose_clips(&k->options, "check", CLIPS_ANY, &file);
    if (code == EXIT_DONE && k->options.json && json->depth == 0 && cli_many_clips(&k->options, &file))
        json_begin(json, NULL, '[');
    if (code == EXIT_DONE)
        for (int32_t i = 0; i < file.chosen_count; ++i)
        {
            const int one = check_clip(k, &file, file.chosen[i], json);
            code = worse(code, one);
            // Clips of a file share its skeleton.
            if (one == EXIT_NO_LEGS || one == EXIT_MEMORY) break;
        }
    cli_unload(&file);
    return code;
}

int cmd_check(int argc, char** argv)
{
    static const struct option shared[] = {CLI_FILE_OPTIONS, CLI_SAMPLE_OPTIONS, CLI_LEG_OPTIONS, CLI_CONTACT_OPTIONS};
    enum
    {
        SHARED = sizeof shared / sizeof shared[0]
    };
    struct option long_options[SHARED + LIMIT_COUNT + 1] = {{0}};
    memcpy(long_options, shared, sizeof shared);
    for (int i = 0; i < LIMIT_COUNT; ++i)
        long_options[SHARED + i] = (struct option){limit_names[i], required_argument, NULL, OPT_OWN + i};
    check k = {.options = cli_default_options()};
    k.options.held_only = true;
    int key;
    while ((key = cli_next_option("check", argc, argv, false, long_options)) != -1)
    {
        int code;
        if (key == OPT_HELP)
        {
            printf("%s%s%s%s%s%s%s%s", help, cli_help_file, cli_help_clips, cli_help_sample, cli_help_legs,
                   cli_help_contacts, examples, cli_help_exit);
            return EXIT_DONE;
        }
        if (key >= OPT_OWN && key < OPT_OWN + LIMIT_COUNT)
        {
            char option[32];
            snprintf(option, sizeof option, "--%s", limit_names[key - OPT_OWN]);
            code = cli_take_number("check", option, optarg, 0.0, 1e9, &k.limit[key - OPT_OWN]);
            k.has[key - OPT_OWN] = true;
        }
        else
            code = cli_take_option(&k.options, "check", key, optarg);
        if (code != EXIT_DONE) return code;
    }
    if (optind >= argc) return cli_fail(EXIT_USAGE, "check: which file? try `surefoot check --help`");
    const char* inputs[] = {argv[optind], k.options.contacts, k.options.legs, k.options.character};
    const int paths = cli_check_paths("check", inputs, 4, NULL, 0, false);
    if (paths != EXIT_DONE) return paths;
    json_out json = {.first = true};
    const bool many = argc - optind > 1;
    if (k.options.json && many) json_begin(&json, NULL, '[');
    int worst = EXIT_DONE;
    for (int i = optind; i < argc; ++i)
        worst = worse(worst, check_file(&k, argv[i], &json));
    if (json.depth > 0) json_end(&json, ']');
    if (!k.options.json || json.text.size == 0)
    {
        text_free(&json.text);
        return worst;
    }
    const int code = json_finish(&json);
    return code != EXIT_DONE ? code : worst;
}
