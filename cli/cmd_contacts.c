// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// surefoot contacts: labels out.

#include "cli.h"

#include <stdlib.h>

static const char help[] =
    "usage: surefoot contacts [options] FILE [-o LABELS.csv]\n"
    "\n"
    "Says when each foot is on the ground. Two columns a foot, 0 to 1: one named after the toe joint (plant: the toe\n"
    "stands still and may be locked) and one named <toe joint>:touch (any part of the foot bears on the ground).\n"
    "The table may be edited by hand and given to check and clean with --contacts. FILE is BVH, glTF, GLB or FBX.\n"
    "\n"
    "  -o LABELS.csv      where to write. Default: standard output. With --all-clips a file a clip, LABELS-NAME.csv\n"
    "  --rule             the plain rule: toe speed below 0.25 m/s, then a majority filter; no explanation of slide\n"
    "  --held             for feet that something holds exactly (clips that were cleaned, walks of roam): plants end\n"
    "                     where it lets go, as check counts them; no solver needs this\n"
    "  --json             spans of contact and the estimated mismatch instead of the table; with -o both; a list with\n"
    "                     --all-clips\n";

static const char examples[] =
    "\n"
    "Examples\n"
    "  surefoot contacts walk.bvh -o labels.csv\n"
    "  surefoot contacts --json walk.bvh\n"
    "  surefoot contacts knight.glb --clip Walking_A -o labels.csv\n"
    "  surefoot contacts knight.glb --all-clips -o labels.csv    # labels-Walking_A.csv, ...\n"
    "\n";

enum
{
    OPT_RULE = OPT_OWN,
    OPT_HELD
};

static void spans(json_out* json, const char* key, const float* values, int32_t count, double threshold)
{
    json_begin(json, key, '[');
    for (int32_t f = 0; f < count; ++f)
    {
        if (!((double)values[f] > threshold)) continue;
        const int32_t first = f;
        while (f + 1 < count && (double)values[f + 1] > threshold)
            ++f;
        json_begin(json, NULL, '{');
        json_int(json, "first", first);
        json_int(json, "last", f);
        json_end(json, '}');
    }
    json_end(json, ']');
}

static void to_json(const cli_options* options, const loaded* file, const contacts* c, bool plain, json_out* json)
{
    json_begin(json, NULL, '{');
    json_text(json, "file", file->path);
    json_text(json, "clip_name", file->contents->clips[file->clip_index].name);
    json_text(json, "rule", options->contacts != NULL ? "imported" : plain ? "plain" : "default");
    json_int(json, "frames", file->clip->frame_count);
    json_number(json, "frame_time", file->clip->frame_time);
    json_number(json, "start", file->frames.start);
    cli_json_mismatch(json, c);
    cli_json_characters(json, file, c);
    json_begin(json, "feet", '[');
    for (int32_t i = 0; i < file->leg_count; ++i)
    {
        const size_t row = (size_t)i * (size_t)c->labels->frame_count;
        json_begin(json, NULL, '{');
        json_text(json, "name", file->foot_names[i]);
        spans(json, "plants", c->labels->plant + row, c->labels->frame_count, options->threshold);
        spans(json, "touches", c->labels->touch + row, c->labels->frame_count, options->threshold);
        json_end(json, '}');
    }
    json_end(json, ']');
    json_end(json, '}');
}

static int write_csv(const cli_options* options, const loaded* file, const contacts* c)
{
    char* text = NULL;
    size_t size = 0;
    if (sft_contact_format_csv(c->labels, file->clip->frame_time, file->foot_name_list, NULL, &text, &size) != SFT_OK)
        return cli_fail(EXIT_MEMORY, "contacts: out of memory");
    const char* path = options->output != NULL ? options->output : "-";
    char* own = options->all_clips ? cli_clip_path(path, file, file->clip_index) : NULL;
    const int code = options->all_clips && own == NULL ? cli_fail(EXIT_MEMORY, "contacts: out of memory")
                                                       : cli_write_bytes(own != NULL ? own : path, text, size);
    if (code == EXIT_DONE && own != NULL && !options->json) cli_print(stdout, "%s\n", own);
    free(own);
    free(text);
    return code;
}

static int label_clip(const cli_options* options, loaded* file, int32_t index, bool plain, json_out* json)
{
    int code = cli_take_clip(options, file, index);
    if (code != EXIT_DONE) return code;
    if (file->frame_count == 0) return cli_fail(EXIT_READ, "%s: holds no frames", file->path);
    if (file->leg_count == 0) return cli_fail_no_legs(file);
    tracks* t = NULL;
    contacts c;
    code = cli_make_tracks(file, file->clip, &t);
    if (code != EXIT_DONE) return code;
    code = cli_make_contacts(options, file, t, plain, &c);
    if (code == EXIT_DONE)
    {
        if (options->output != NULL || !options->json) code = write_csv(options, file, &c);
        if (code == EXIT_DONE && options->json) to_json(options, file, &c, plain, json);
        cli_free_contacts(&c);
    }
    cli_free_tracks(&t);
    return code;
}

static int run(const cli_options* options, loaded* file, bool plain)
{
    int code = cli_choose_clips(options, "contacts", CLIPS_ONE, file);
    if (code == EXIT_DONE) code = cli_check_resources("contacts", options, file, &options->output, 1);
    if (code == EXIT_DONE && options->all_clips)
        code = cli_check_clip_paths("contacts", options, options->output, file);
    json_out json = {.first = true};
    if (code == EXIT_DONE && options->json && options->all_clips) json_begin(&json, NULL, '[');
    for (int32_t i = 0; i < file->chosen_count && code == EXIT_DONE; ++i)
        code = label_clip(options, file, file->chosen[i], plain, &json);
    if (json.depth > 0) json_end(&json, ']');
    if (code == EXIT_DONE && options->json) return json_finish(&json);
    text_free(&json.text);
    return code;
}

int cmd_contacts(int argc, char** argv)
{
    static const struct option long_options[] = {CLI_FILE_OPTIONS,
                                                 CLI_SAMPLE_OPTIONS,
                                                 CLI_LEG_OPTIONS,
                                                 CLI_CONTACT_OPTIONS,
                                                 {"rule", no_argument, NULL, OPT_RULE},
                                                 {"held", no_argument, NULL, OPT_HELD},
                                                 {0}};
    cli_options options = cli_default_options();
    bool plain = false;
    int key;
    while ((key = cli_next_option("contacts", argc, argv, true, long_options)) != -1)
    {
        int code = EXIT_DONE;
        if (key == OPT_HELP)
        {
            printf("%s\n%s%s%s%s%s%s%s", help, cli_help_file, cli_help_clips, cli_help_sample, cli_help_legs,
                   cli_help_contacts, examples, cli_help_exit);
            return EXIT_DONE;
        }
        if (key == OPT_RULE)
            plain = true;
        else if (key == OPT_HELD)
            options.held_only = true;
        else
            code = cli_take_option(&options, "contacts", key, optarg);
        if (code != EXIT_DONE) return code;
    }
    if (optind + 1 != argc) return cli_fail(EXIT_USAGE, "contacts: wants one file; try `surefoot contacts --help`");
    if (options.all_clips && !options.json && options.output == NULL)
        return cli_fail(EXIT_USAGE, "contacts: --all-clips makes a table a clip; give -o LABELS.csv, or --json");
    static loaded file;
    const char* inputs[] = {argv[optind], options.contacts, options.legs, options.character};
    const char* outputs[] = {options.output, options.json ? "-" : NULL};
    int code = cli_check_paths("contacts", inputs, 4, outputs, 2, false);
    if (code == EXIT_DONE) code = cli_open(&options, argv[optind], &file);
    if (code != EXIT_DONE) return code;
    code = run(&options, &file, plain);
    cli_unload(&file);
    return code;
}
