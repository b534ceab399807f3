// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// surefoot convert: other formats, root scale, frame range and frame rate. What none of them touches stays as it is.

#include "edits.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char help[] =
    "usage: surefoot convert [options] IN -o OUT\n"
    "\n"
    "Writes BVH, glTF, GLB or FBX as BVH, glTF or GLB, by the output's name, and changes travel, range or rate of a "
    "clip,\n"
    "in this order, and nothing else. World positions of joints, names and frame times are kept. With no option and "
    "the\n"
    "same format the file goes through unchanged: BVH number by number, GLB and glTF byte by byte.\n"
    "\n"
    "  -o OUT             where to write: .bvh, .glb or .gltf; '-' is standard output, in the format of IN\n"
    "  --root-scale K     the horizontal position p of the joint that carries the travel becomes p0 + K (p - p0), p0\n"
    "                     that of the first frame that is no reference pose. Heights and rotations stay. -100 to 100\n"
    "  --frames A:B       frames A to B-1, counted from 0; A: is to the end, :B from the start\n"
    "  --fps N            resamples to N frames a second: positions cubic, rotations cubic on the sphere. 0.1 to "
    "10000\n"
    "  --out-unit U       BVH out: length of a unit, as for --unit. Default: that it came from, else cm\n"
    "  --out-up AXIS      BVH out: axis that points up. Default: that it came from, else Y\n"
    "  --embed            glTF out: buffers inside the text, as data URIs. Default: in a file beside it\n"
    "  --json             say what was done as one object\n"
    "\n"
    "Of a glTF file with several clips the options above, and BVH out, want --clip or --all-clips; BVH out with\n"
    "--all-clips is a file a clip, OUT-NAME.bvh. Without them all clips come along. With --character OUT is the\n"
    "character with the clips added.\n"
    "\n";

static const char examples[] =
    "\n"
    "Examples\n"
    "  surefoot convert walk.bvh --root-scale 1.25 -o slid.bvh\n"
    "  surefoot convert walk.bvh --frames 30:90 --fps 60 -o part.bvh\n"
    "  surefoot convert walk.bvh -o walk.glb\n"
    "  surefoot convert knight.glb --all-clips -o knight.bvh    # knight-Walking_A.bvh, ...\n"
    "  surefoot convert take.fbx -o take.glb\n"
    "\n";

enum
{
    OPT_SCALE = OPT_OWN,
    OPT_FRAMES,
    OPT_FPS,
    OPT_OUT_UNIT,
    OPT_OUT_UP,
    OPT_EMBED
};

typedef struct convert
{
    cli_options options;
    edits edits;
    output_wish wish;
} convert;

static bool edited(const convert* c)
{
    return c->edits.scaled || c->edits.sliced || c->edits.resampled;
}

static void print_json(json_out* json, const convert* c, const loaded* file)
{
    char name[NAME_SIZE];
    json_text(json, "input", file->path);
    json_text(json, "output", c->options.output);
    json_text(json, "from", sft_io_format_name(file->contents->source));
    json_text(json, "to", sft_io_format_name(cli_output_format(c->options.output, file->document)));
    if (file->skeleton != NULL)
    {
        json_text(json, "clip_name", file->clip_index >= 0 ? file->contents->clips[file->clip_index].name : NULL);
        json_int(json, "frames", file->frame_count);
        json_number(json, "frame_time", file->frame_time);
        json_text(json, "travel_joint",
                  file->travel < 0 ? NULL : cli_joint_name(file, file->travel, name, sizeof name));
        json_text(json, "up", cli_axis_name(file->space.up));
    }
    else
        json_int(json, "clips", file->contents->clip_count);
    json_number(json, "root_scale", c->edits.scaled ? c->edits.scale : 1.0);
}

static void print_done(const convert* c, const loaded* file)
{
    char name[NAME_SIZE];
    cli_print(stdout, "%s: ", c->options.output);
    if (c->edits.scaled && file->travel >= 0 && file->skeleton != NULL)
        cli_print(stdout, "travel of %s scaled by %g; ", cli_joint_name(file, file->travel, name, sizeof name),
                  c->edits.scale);
    if (file->skeleton != NULL && file->chosen_count == 1)
        cli_print(stdout, "%d frames at %g s\n", (int)file->frame_count, file->frame_time);
    else
        cli_print(stdout, "%d clip%s\n", (int)file->contents->clip_count, file->contents->clip_count == 1 ? "" : "s");
}

// Whether a clip must be chosen, because it is edited or because BVH holds one.
static bool wants_clip(const convert* c, const loaded* file)
{
    return edited(c) || file->character != NULL || cli_output_format(c->options.output, file->document) == SFT_IO_BVH ||
           file->contents->format == SFT_IO_BVH;
}

static int choose(const convert* c, loaded* file)
{
    if (wants_clip(c, file))
        return cli_choose_clips(&c->options, "convert", file->contents->clip_count == 0 ? CLIPS_REST : CLIPS_ONE, file);
    if (c->options.clip == NULL && !c->options.all_clips) return EXIT_DONE;
    return cli_fail(EXIT_USAGE,
                    "convert: glTF and GLB keep all clips of %s; --clip and --all-clips say which to write as BVH, or "
                    "which --root-scale, --frames and --fps change",
                    file->path);
}

// The character with the clips bound to it becomes the document, and its clips those that were chosen.
static void onto_character(loaded* file)
{
    char name[NAME_SIZE];
    for (int32_t i = 0; i < file->chosen_count; ++i)
    {
        const int others = (int)file->contents->clips[file->chosen[i]].other_count;
        if (others > 0)
            cli_warn("%s: %s: channels that move no joint (morph weights and the like) stay behind: %d", file->path,
                     cli_clip_name(file, file->chosen[i], name, sizeof name), others);
    }
    sft_io_document* clips = file->document;
    void* bytes = file->bytes;
    file->document = file->character;
    file->bytes = file->character_bytes;
    file->character = clips;
    file->character_bytes = bytes;
    file->contents = sft_io_view(file->document);
    // Bound one after the other, so they are the last.
    for (int32_t i = 0; i < file->chosen_count; ++i)
        file->chosen[i] = file->contents->clip_count - file->chosen_count + i;
    cli_drop_clip(file);
}

static int edit_clips(const convert* c, loaded* file)
{
    int code = EXIT_DONE;
    for (int32_t i = 0; i < file->chosen_count && code == EXIT_DONE; ++i)
    {
        code = cli_take_clip(&c->options, file, file->chosen[i]);
        if (code != EXIT_DONE) break;
        if (!edited(c)) continue;
        code = file->contents->format == SFT_IO_BVH ? edit_bvh(&c->edits, file) : edit_gltf(&c->edits, file);
    }
    return code;
}

static int run(const convert* c, loaded* file)
{
    int code = choose(c, file);
    if (code == EXIT_DONE) code = cli_check_resources("convert", &c->options, file, &c->options.output, 1);
    if (code == EXIT_DONE) code = edit_clips(c, file);
    if (code != EXIT_DONE) return code;
    if (file->character != NULL) onto_character(file);
    json_out json = {.first = true};
    if (c->options.json)
    {
        json_begin(&json, NULL, '{');
        print_json(&json, c, file);
    }
    code = cli_write_converted(&c->options, file, &c->wish, c->options.json ? &json : NULL);
    if (code == EXIT_DONE && c->options.json)
    {
        json_end(&json, '}');
        return json_finish(&json);
    }
    text_free(&json.text);
    if (code == EXIT_DONE && strcmp(c->options.output, "-") != 0) print_done(c, file);
    return code;
}

static int take_frames(edits* c, const char* value)
{
    char* end = NULL;
    const char* colon = strchr(value, ':');
    double a = 0.0, b = 0.0;
    bool fine = colon != NULL && (colon == value || (value[0] >= '0' && value[0] <= '9'));
    if (fine && colon != value)
    {
        a = strtod(value, &end);
        fine = end == colon;
    }
    c->to_end = fine && colon[1] == '\0';
    if (fine && !c->to_end)
    {
        b = colon[1] >= '0' && colon[1] <= '9' ? strtod(colon + 1, &end) : -1.0;
        fine = b >= 0.0 && *end == '\0';
    }
    if (!fine || !(a <= 2147483647.0) || !(b <= 2147483647.0) || a != floor(a) || b != floor(b))
        return cli_fail(EXIT_USAGE, "convert: --frames wants A:B in whole frames from 0, such as 30:90, not '%s'",
                        value);
    c->sliced = true;
    c->first = (int32_t)a;
    c->last = (int32_t)b;
    return EXIT_DONE;
}

static int take(convert* c, int key, const char* value)
{
    cli_options other = cli_default_options();
    int code = EXIT_DONE;
    switch (key)
    {
    case OPT_SCALE:
        c->edits.scaled = true;
        return cli_take_number("convert", "--root-scale", value, -100.0, 100.0, &c->edits.scale);
    case OPT_FRAMES:
        return take_frames(&c->edits, value);
    case OPT_FPS:
        c->edits.resampled = true;
        code = cli_take_number("convert", "--fps", value, 0.1, 10000.0, &c->edits.fps);
        // Uneven keys are sampled at it at once.
        if (code == EXIT_DONE) c->options.fps = c->edits.fps;
        return code;
    case OPT_OUT_UNIT:
        code = cli_take_option(&other, "convert", OPT_UNIT, value);
        c->wish.unit = other.unit;
        return code;
    case OPT_OUT_UP:
        code = cli_take_option(&other, "convert", OPT_UP, value);
        c->wish.up = other.up;
        return code;
    case OPT_EMBED:
        c->wish.embed = true;
        return EXIT_DONE;
    default:
        return cli_take_option(&c->options, "convert", key, value);
    }
}

int cmd_convert(int argc, char** argv)
{
    static const struct option long_options[] = {CLI_FILE_OPTIONS,
                                                 {"root-scale", required_argument, NULL, OPT_SCALE},
                                                 {"frames", required_argument, NULL, OPT_FRAMES},
                                                 {"fps", required_argument, NULL, OPT_FPS},
                                                 {"out-unit", required_argument, NULL, OPT_OUT_UNIT},
                                                 {"out-up", required_argument, NULL, OPT_OUT_UP},
                                                 {"embed", no_argument, NULL, OPT_EMBED},
                                                 {0}};
    convert c = {.options = cli_default_options(), .wish = {.up = -1}};
    int key;
    while ((key = cli_next_option("convert", argc, argv, true, long_options)) != -1)
    {
        if (key == OPT_HELP)
        {
            printf("%s%s%s%s%s", help, cli_help_file, cli_help_clips, examples, cli_help_exit);
            return EXIT_DONE;
        }
        const int code = take(&c, key, optarg);
        if (code != EXIT_DONE) return code;
    }
    if (optind + 1 != argc) return cli_fail(EXIT_USAGE, "convert: wants one file; try `surefoot convert --help`");
    if (c.options.output == NULL) return cli_fail(EXIT_USAGE, "convert: where to? give -o OUT");
    if (c.options.json && strcmp(c.options.output, "-") == 0)
        return cli_fail(EXIT_USAGE, "convert: --json and -o - would both write to standard output");
    int code = cli_check_output(c.options.output);
    const char* inputs[] = {argv[optind], c.options.character};
    if (code == EXIT_DONE) code = cli_check_paths("convert", inputs, 2, &c.options.output, 1, true);
    static loaded file;
    if (code == EXIT_DONE) code = cli_open(&c.options, argv[optind], &file);
    if (code != EXIT_DONE) return code;
    code = run(&c, &file);
    cli_unload(&file);
    return code;
}
