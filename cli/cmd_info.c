// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// surefoot info: what a file holds, and what was concluded from it.

#include "cli.h"

#include <stdlib.h>
#include <string.h>

static const char help[] =
    "usage: surefoot info [options] FILE...\n"
    "\n"
    "Says what a file (BVH, glTF, GLB or FBX) holds and what was worked out from it, with the reason: clips, joints,\n"
    "frames, unit and up axis, what position channels mean, a reference pose in frame 0, the joint that carries the\n"
    "travel, the legs, what the other joints mean. Of several clips all are listed and the first, or that of --clip,\n"
    "is described.\n"
    "\n"
    "  --json             one object; a list of objects where several files are given\n";

static const char examples[] = "\n"
                               "Examples\n"
                               "  surefoot info walk.bvh\n"
                               "  surefoot info walk.bvh --json > legs.json    # edit, then give it to --legs\n"
                               "  surefoot info walk.bvh --unit inch --up Z\n"
                               "  surefoot info knight.glb --clip Walking_A\n"
                               "\n";

typedef struct counts
{
    int joints, end_sites, roots;
} counts;

static counts count_joints(const loaded* file)
{
    const sft_skeleton* s = file->skeleton;
    counts c = {0, 0, 0};
    for (int32_t j = 0; j < s->joint_count; ++j)
    {
        const bool end = (s->flags[j] & SFT_JOINT_END_SITE) != 0;
        c.end_sites += end ? 1 : 0;
        c.joints += end ? 0 : 1;
        c.roots += s->parents[j] < 0 ? 1 : 0;
    }
    return c;
}

// The format's own view where it is BVH, else null.
static const sft_bvh_contents* bvh_view(const loaded* file)
{
    const sft_bvh* bvh = sft_io_bvh(file->document);
    return bvh != NULL ? sft_bvh_view(bvh) : NULL;
}

static const sft_io_clip* clip_of(const loaded* file)
{
    return file->clip_index >= 0 ? &file->contents->clips[file->clip_index] : NULL;
}

static const char* positions_name(const sft_bvh_contents* v)
{
    return v->positions == SFT_BVH_POSITIONS_ADD ? "add" : "replace";
}

static double duration(double frames, double frame_time)
{
    return frames > 1.0 ? (frames - 1.0) * frame_time : 0.0;
}

static void json_clips(json_out* json, const loaded* file)
{
    json_begin(json, "clips", '[');
    for (int32_t i = 0; i < file->contents->clip_count; ++i)
    {
        const sft_io_clip* c = &file->contents->clips[i];
        json_begin(json, NULL, '{');
        json_int(json, "index", i);
        json_text(json, "name", c->name);
        json_int(json, "frames", c->frame_count);
        json_number(json, "frame_time", c->frame_time);
        json_number(json, "start", c->start);
        json_number(json, "duration", duration(c->frame_count, c->frame_time));
        json_bool(json, "stored_frames", c->stored);
        json_int(json, "channels", c->channel_count);
        json_int(json, "other_channels", c->other_count);
        json_text(json, "problem", c->problem);
        json_end(json, '}');
    }
    json_end(json, ']');
}

static void to_json(json_out* json, const loaded* file, const sft_joint_meaning* meanings)
{
    const counts c = count_joints(file);
    const sft_bvh_contents* bvh = bvh_view(file);
    const sft_io_clip* clip = clip_of(file);
    char name[NAME_SIZE];
    json_begin(json, NULL, '{');
    json_text(json, "file", file->path);
    json_text(json, "format", sft_io_format_name(file->contents->source));
    json_clips(json, file);
    if (clip != NULL)
        json_int(json, "clip_index", file->clip_index);
    else
        json_text(json, "clip_index", NULL);
    json_text(json, "clip_name", clip != NULL ? clip->name : NULL);
    json_int(json, "joints", c.joints);
    json_int(json, "end_sites", c.end_sites);
    json_int(json, "roots", c.roots);
    json_int(json, "channels", clip != NULL ? clip->channel_count : 0);
    json_int(json, "frames", clip != NULL ? file->frame_count : 0);
    json_number(json, "frame_time", file->frame_time);
    json_number(json, "start", file->frames.start);
    json_number(json, "unit_metres", file->space.unit_metres);
    json_bool(json, "unit_sure", file->space.unit_sure);
    json_text(json, "up", cli_axis_name(file->space.up));
    json_bool(json, "up_sure", file->space.up_sure);
    json_text(json, "space_reason", file->space.reason);
    json_figure(json, "figure_height_m", file->space.figure_height * file->space.unit_metres);
    json_text(json, "positions", bvh != NULL ? positions_name(bvh) : NULL);
    json_text(json, "positions_reason", bvh != NULL ? bvh->positions_reason : NULL);
    json_int(json, "first_frame", file->first_frame);
    json_text(json, "first_frame_reason", file->first_reason);
    json_text(json, "travel_joint", file->travel < 0 ? NULL : cli_joint_name(file, file->travel, name, sizeof name));
    cli_json_legs(json, file);
    cli_json_meanings(json, file, meanings);
    json_begin(json, "warnings", '[');
    for (int32_t i = 0; i < file->contents->warning_count; ++i)
    {
        json_begin(json, NULL, '{');
        json_int(json, "line", file->contents->warnings[i].line);
        json_text(json, "message", file->contents->warnings[i].message);
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

// A row a clip: number, name, frames, rate, seconds, channels, and what stands in the way.
static void list_clips(const loaded* file)
{
    const sft_io_contents* v = file->contents;
    int width = 8;
    char name[NAME_SIZE], rate[32], first[32], last[32];
    for (int32_t i = 0; i < v->clip_count; ++i)
    {
        const int length = (int)strlen(cli_clip_name(file, i, name, sizeof name));
        width = length > width ? length : width;
    }
    width = width > 48 ? 48 : width;
    cli_print(stdout, "  clips      %d\n", (int)v->clip_count);
    for (int32_t i = 0; i < v->clip_count; ++i)
    {
        const sft_io_clip* c = &v->clips[i];
        cli_print(stdout, "    %3d  %-*s  ", (int)i, width, cli_clip_name(file, i, name, sizeof name));
        if (c->problem != NULL || c->channel_count == 0)
        {
            cli_print(stdout, "%s\n", c->problem != NULL ? c->problem : "moves no joint");
            continue;
        }
        if (c->frame_count == 1)
            cli_print(stdout, "a pose at %s s", cli_figure(c->start, 3, first));
        else
            cli_print(stdout, "%5d frames at %s per second%s, %s to %s s", (int)c->frame_count,
                      cli_figure(1.0 / c->frame_time, 3, rate), c->stored ? "" : " (uneven keys: sampled)",
                      cli_figure(c->start, 3, first),
                      cli_figure(c->start + duration(c->frame_count, c->frame_time), 3, last));
        cli_print(stdout, ", %d channels", (int)c->channel_count);
        if (c->other_count > 0) cli_print(stdout, " and %d that move no joint", (int)c->other_count);
        fputc('\n', stdout);
    }
}

static void print_frames(const loaded* file)
{
    char name[NAME_SIZE], a[32], b[32], d[32];
    if (file->contents->clip_count > 1)
        cli_print(stdout, "  described  %s\n", cli_clip_name(file, file->clip_index, name, sizeof name));
    if (file->clip_index < 0)
    {
        cli_print(stdout, "  frames     none: no clip, only a rest pose\n");
        return;
    }
    cli_print(stdout, "  frames     %d at %s s (%s per second), %s s", (int)file->frame_count,
              cli_number(file->frame_time, a), cli_figure(1.0 / file->frame_time, 3, b),
              cli_figure(file->frame_time * (double)file->frame_count, 3, d));
    if (file->frames.start != 0.0) cli_print(stdout, ", from %s s on", cli_figure(file->frames.start, 3, a));
    if (!file->frames.stored && file->frame_count > 1) cli_print(stdout, "; its keys are uneven, so it is sampled");
    fputc('\n', stdout);
}

static void print_space(const loaded* file)
{
    char a[32], b[32];
    cli_print(stdout, "  unit       %s m%s, figure %s m high\n", cli_number(file->space.unit_metres, a),
              file->space.unit_sure ? "" : " (a guess)",
              cli_figure(file->space.figure_height * file->space.unit_metres, 2, b));
    cli_print(stdout, "  up         %s%s\n", cli_axis_name(file->space.up), file->space.up_sure ? "" : " (a guess)");
    cli_print(stdout, "             ");
    cli_put_safe(stdout, file->space.reason);
}

static void to_terminal(const loaded* file, const sft_joint_meaning* meanings)
{
    const counts c = count_joints(file);
    const sft_bvh_contents* bvh = bvh_view(file);
    const sft_io_clip* clip = clip_of(file);
    char name[NAME_SIZE];
    cli_print(stdout, "%s\n", file->name);
    if (bvh == NULL)
    {
        cli_print(stdout, "  format     %s\n", sft_io_format_name(file->contents->source));
        list_clips(file);
    }
    cli_print(stdout, "  joints     %d and %d end sites, %d root%s, %d channels\n", c.joints, c.end_sites, c.roots,
              c.roots == 1 ? "" : "s", clip != NULL ? (int)clip->channel_count : 0);
    print_frames(file);
    print_space(file);
    if (bvh != NULL)
    {
        cli_print(stdout, "\n  positions  %s: ", positions_name(bvh));
        cli_put_safe(stdout, bvh->positions_reason != NULL ? bvh->positions_reason : "");
    }
    cli_print(stdout, "\n  motion     from frame %d: ", (int)file->first_frame);
    cli_put_safe(stdout, file->first_reason[0] != '\0' ? file->first_reason : "frame 0 is no reference pose");
    cli_print(stdout, "\n  travel     carried by %s\n",
              file->travel < 0 ? "none" : cli_joint_name(file, file->travel, name, sizeof name));
    int32_t first[SFT_MAX_LEGS];
    const int32_t characters = cli_characters(file, first);
    char whose[40] = "";
    if (characters > 1) snprintf(whose, sizeof whose, " of %d characters", (int)characters);
    cli_print(stdout, "  legs       %d%s: pelvis > hip > knee > heel > toe > toe end\n", (int)file->leg_count, whose);
    for (int32_t i = 0; i < file->leg_count; ++i)
        put_leg(file, &file->legs[i]);
    if (file->leg_count == 0)
    {
        char why[SFT_LEG_NONE_SIZE] = "";
        if (sft_leg_explain_none(file->skeleton, file->clip, NULL, why) != SFT_OK) why[0] = '\0';
        cli_print(stdout, "             none found%s%s; name them with --legs FILE.json\n", why[0] != '\0' ? ": " : "",
                  why);
    }
    cli_print_meanings(file, meanings);
}

static int show_file(const cli_options* options, const char* path, json_out* json)
{
    static loaded file;
    int code = cli_open(options, path, &file);
    if (code != EXIT_DONE) return code;
    code = cli_choose_clips(options, "info", CLIPS_REST, &file);
    if (code == EXIT_DONE) code = cli_take_clip(options, &file, file.chosen[0]);
    sft_joint_meaning* meanings = code == EXIT_DONE ? cli_find_meanings(&file) : NULL;
    if (code == EXIT_DONE && meanings == NULL) code = cli_fail(EXIT_MEMORY, "out of memory");
    if (code == EXIT_DONE && options->json)
        to_json(json, &file, meanings);
    else if (code == EXIT_DONE)
        to_terminal(&file, meanings);
    free(meanings);
    cli_unload(&file);
    return code;
}

int cmd_info(int argc, char** argv)
{
    static const struct option long_options[] = {CLI_FILE_OPTIONS, CLI_SAMPLE_OPTIONS, CLI_LEG_OPTIONS, {0}};
    cli_options options = cli_default_options();
    int key;
    while ((key = cli_next_option("info", argc, argv, false, long_options)) != -1)
    {
        if (key == OPT_HELP)
        {
            printf("%s\n%s%s%s%s%s%s", help, cli_help_file, cli_help_clips, cli_help_sample, cli_help_legs, examples,
                   cli_help_exit);
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
    for (int i = optind; i < argc; ++i)
    {
        const int code = show_file(&options, argv[i], &json);
        worst = worst == EXIT_DONE ? code : worst;
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
