// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// surefoot info: what a file holds, and what was concluded from it.

#include "cli.h"

static const char help[] =
    "usage: surefoot info [options] FILE.bvh...\n"
    "\n"
    "Says what a file holds and what was worked out from it, with the reason: joints, frames, unit and up axis, what\n"
    "position channels mean, a reference pose in frame 0, the joint that carries the travel, the legs.\n"
    "\n"
    "  --json             one object; a list of objects where several files are given\n";

static const char examples[] = "\n"
                               "Examples\n"
                               "  surefoot info walk.bvh\n"
                               "  surefoot info walk.bvh --json > legs.json    # edit, then give it to --legs\n"
                               "  surefoot info walk.bvh --unit inch --up Z\n"
                               "\n";

typedef struct counts
{
    int joints, end_sites, roots;
} counts;

static counts count_joints(const loaded* file)
{
    counts c = {0, 0, 0};
    for (int32_t j = 0; j < file->view->joint_count; ++j)
    {
        const bool end = file->view->joints[j].end_site;
        c.end_sites += end ? 1 : 0;
        c.joints += end ? 0 : 1;
        c.roots += file->view->joints[j].parent < 0 ? 1 : 0;
    }
    return c;
}

static const char* positions_name(const loaded* file)
{
    return file->view->positions == SFT_BVH_POSITIONS_ADD ? "add" : "replace";
}

static void to_json(json_out* json, const loaded* file)
{
    const counts c = count_joints(file);
    char name[NAME_SIZE];
    json_begin(json, NULL, '{');
    json_text(json, "file", file->path);
    json_int(json, "joints", c.joints);
    json_int(json, "end_sites", c.end_sites);
    json_int(json, "roots", c.roots);
    json_int(json, "channels", file->view->channel_count);
    json_int(json, "frames", file->view->frame_count);
    json_number(json, "frame_time", file->view->frame_time);
    json_number(json, "unit_metres", file->space.unit_metres);
    json_bool(json, "unit_sure", file->space.unit_sure);
    json_text(json, "up", cli_axis_name(file->space.up));
    json_bool(json, "up_sure", file->space.up_sure);
    json_text(json, "space_reason", file->space.reason);
    json_figure(json, "figure_height_m", file->space.figure_height * file->space.unit_metres);
    json_text(json, "positions", positions_name(file));
    json_text(json, "positions_reason", file->view->positions_reason);
    json_int(json, "first_frame", file->first_frame);
    json_text(json, "first_frame_reason", file->first_reason);
    json_text(json, "travel_joint", file->travel < 0 ? NULL : cli_joint_name(file, file->travel, name, sizeof name));
    cli_json_legs(json, file);
    json_begin(json, "warnings", '[');
    for (int32_t i = 0; i < file->view->warning_count; ++i)
    {
        json_begin(json, NULL, '{');
        json_int(json, "line", file->view->warnings[i].line);
        json_text(json, "message", file->view->warnings[i].message);
        json_end(json, '}');
    }
    json_end(json, ']');
    json_end(json, '}');
}

static void put_leg(const loaded* file, const sft_leg* leg)
{
    static const char* const sides[] = {"left", "right", "middle"};
    const int32_t joints[] = {leg->pelvis, leg->hip, leg->knee, leg->heel, leg->toe, leg->toe_end};
    char name[NAME_SIZE];
    cli_print(stdout, "  %-7s", sides[leg->side]);
    for (int k = 0; k < 6; ++k)
    {
        fputs(k == 0 ? "" : " > ", stdout);
        if (joints[k] < 0)
            fputs("none", stdout);
        else
            cli_put_safe(stdout, cli_joint_name(file, joints[k], name, sizeof name));
        if (joints[k] >= 0 && (file->skeleton->flags[joints[k]] & SFT_JOINT_END_SITE) != 0) fputs(" end", stdout);
    }
    fputs("\n          ", stdout);
    cli_put_safe(stdout, leg->reason);
    fputc('\n', stdout);
}

static void to_terminal(const loaded* file)
{
    const counts c = count_joints(file);
    const sft_bvh_contents* v = file->view;
    char name[NAME_SIZE], a[32], b[32], d[32];
    cli_print(stdout, "%s\n", file->name);
    cli_print(stdout, "  joints     %d and %d end sites, %d root%s, %d channels\n", c.joints, c.end_sites, c.roots,
              c.roots == 1 ? "" : "s", (int)v->channel_count);
    cli_print(stdout, "  frames     %d at %s s (%s per second), %s s\n", (int)v->frame_count,
              cli_number(v->frame_time, a), cli_figure(1.0 / v->frame_time, 3, b),
              cli_figure(v->frame_time * (double)v->frame_count, 3, d));
    cli_print(stdout, "  unit       %s m%s, figure %s m high\n", cli_number(file->space.unit_metres, a),
              file->space.unit_sure ? "" : " (a guess)",
              cli_figure(file->space.figure_height * file->space.unit_metres, 2, b));
    cli_print(stdout, "  up         %s%s\n", cli_axis_name(file->space.up), file->space.up_sure ? "" : " (a guess)");
    cli_print(stdout, "             ");
    cli_put_safe(stdout, file->space.reason);
    cli_print(stdout, "\n  positions  %s: ", positions_name(file));
    cli_put_safe(stdout, v->positions_reason != NULL ? v->positions_reason : "");
    cli_print(stdout, "\n  motion     from frame %d: ", (int)file->first_frame);
    cli_put_safe(stdout, file->first_reason[0] != '\0' ? file->first_reason : "frame 0 is no reference pose");
    cli_print(stdout, "\n  travel     carried by %s\n",
              file->travel < 0 ? "none" : cli_joint_name(file, file->travel, name, sizeof name));
    cli_print(stdout, "  legs       %d: pelvis > hip > knee > heel > toe > toe end\n", (int)file->leg_count);
    for (int32_t i = 0; i < file->leg_count; ++i)
        put_leg(file, &file->legs[i]);
    if (file->leg_count == 0) cli_print(stdout, "             none found; name them with --legs FILE.json\n");
}

int cmd_info(int argc, char** argv)
{
    static const struct option long_options[] = {CLI_FILE_OPTIONS, CLI_LEG_OPTIONS, {0}};
    cli_options options = cli_default_options();
    int key;
    while ((key = getopt_long(argc, argv, "", long_options, NULL)) != -1)
    {
        if (key == OPT_HELP)
        {
            printf("%s\n%s%s%s%s", help, cli_help_file, cli_help_legs, examples, cli_help_exit);
            return EXIT_DONE;
        }
        const int code = cli_take_option(&options, "info", key, optarg);
        if (code != EXIT_DONE) return code;
    }
    if (optind >= argc) return cli_fail(EXIT_USAGE, "info: which file? try `surefoot info --help`");
    json_out json = {.first = true};
    const bool many = argc - optind > 1;
    if (options.json && many) json_begin(&json, NULL, '[');
    int worst = EXIT_DONE;
    static loaded file;
    for (int i = optind; i < argc; ++i)
    {
        const int code = cli_load(&options, argv[i], &file);
        if (code != EXIT_DONE)
        {
            worst = worst == EXIT_DONE ? code : worst;
            continue;
        }
        if (options.json)
            to_json(&json, &file);
        else
            to_terminal(&file);
        cli_unload(&file);
    }
    if (options.json && many) json_end(&json, ']');
    if (!options.json || json.text.size == 0)
    {
        text_free(&json.text);
        return worst;
    }
    const int code = json_finish(&json);
    return worst != EXIT_DONE ? worst : code;
}
