// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// surefoot convert: root scale, frame range and frame rate. What none of them touches stays as it is, number by number.

#include "cli.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char help[] =
    "usage: surefoot convert [options] IN.bvh -o OUT.bvh\n"
    "\n"
    "Changes travel, range or rate of a clip, in this order, and nothing else. With no option the file goes through\n"
    "unchanged but for its layout.\n"
    "\n"
    "  -o OUT.bvh         where to write; '-' is standard output\n"
    "  --root-scale K     the horizontal position p of the joint that carries the travel becomes p0 + K (p - p0), p0\n"
    "                     that of the first frame that is no reference pose. Heights and rotations stay. -100 to 100\n"
    "  --frames A:B       frames A to B-1, counted from 0; A: is to the end, :B from the start\n"
    "  --fps N            resamples to N frames a second: positions cubic, rotations cubic on the sphere. 0.1 to "
    "10000\n"
    "  --json             say what was done as one object\n";

static const char examples[] = "\n"
                               "Examples\n"
                               "  surefoot convert walk.bvh --root-scale 1.25 -o slid.bvh\n"
                               "  surefoot convert walk.bvh --frames 30:90 --fps 60 -o part.bvh\n"
                               "\n";

enum
{
    OPT_SCALE = OPT_OWN,
    OPT_FRAMES,
    OPT_FPS
};

typedef struct convert
{
    cli_options options;
    bool scaled, sliced, resampled, to_end;
    double scale, fps;
    int32_t first, last;
} convert;

// ---- root scale, in the file's own numbers ----

static int column_of(const sft_bvh_joint* joint, int axis)
{
    for (int32_t k = 0; k < joint->channel_count; ++k)
        if (joint->channels[k] == axis) return joint->channel_first + k;
    return -1;
}

static double* component(sft_v3d* v, int axis)
{
    return axis == 0 ? &v->x : axis == 1 ? &v->y : &v->z;
}

// A root's channels are its position but for a constant, so the formula holds for each of them as it stands.
static int scale_root(const loaded* file, double scale)
{
    const sft_bvh_joint* joint = &file->view->joints[file->travel];
    for (int axis = 0; axis < 3; ++axis)
    {
        const int column = column_of(joint, axis);
        if (column < 0 || axis == (int)file->space.up % 3) continue;
        const double* values = file->view->values;
        const size_t stride = (size_t)file->view->channel_count;
        const double p0 = values[(size_t)file->first_frame * stride + (size_t)column];
        for (int32_t f = 0; f < file->view->frame_count; ++f)
        {
            const double p = values[(size_t)f * stride + (size_t)column];
            sft_bvh_set_value(file->bvh, f, column, p0 + scale * (p - p0));
        }
    }
    return EXIT_DONE;
}

// Below other joints: the wanted shift in the world, turned into the parent's space. Channels that it leaves alone keep
// their numbers.
static int scale_inner(const loaded* file, double scale)
{
    const sft_bvh_joint* joint = &file->view->joints[file->travel];
    sft_skeleton* skeleton = NULL;
    sft_clip* clip = NULL;
    if (sft_bvh_to_clip(file->bvh, NULL, &skeleton, &clip) != SFT_OK)
        return cli_fail(EXIT_MEMORY, "%s: out of memory", file->path);
    const size_t joints = (size_t)clip->joint_count, stride = (size_t)file->view->channel_count;
    const size_t start = (size_t)file->first_frame * joints;
    const sft_v3d p0 =
        sft_skeleton_joint_model(skeleton, clip->translations + start, clip->rotations + start, file->travel).t;
    int code = EXIT_DONE;
    for (int32_t f = 0; f < clip->frame_count && code == EXIT_DONE; ++f)
    {
        const size_t row = (size_t)f * joints;
        const sft_v3d* t = clip->translations + row;
        const sft_quatd* r = clip->rotations + row;
        sft_v3d shift = sft_v3d_sub(sft_skeleton_joint_model(skeleton, t, r, file->travel).t, p0);
        *component(&shift, (int)file->space.up % 3) = 0.0;
        shift = sft_v3d_scale(scale - 1.0, shift);
        const sft_quatd parent = sft_skeleton_joint_model(skeleton, t, r, joint->parent).r;
        sft_v3d local = sft_quatd_unrotate(parent, shift);
        const double noise = 1e-12 * sft_v3d_length(shift);
        for (int axis = 0; axis < 3; ++axis)
        {
            const double change = *component(&local, axis);
            if (fabs(change) <= noise) continue;
            const int column = column_of(joint, axis);
            if (column < 0)
            {
                code = cli_fail(EXIT_READ, "%s: %s has no position channel along %c, which --root-scale would need",
                                file->path, joint->name, "XYZ"[axis]);
                break;
            }
            const double value = file->view->values[(size_t)f * stride + (size_t)column];
            sft_bvh_set_value(file->bvh, f, column, value + change);
        }
    }
    sft_clip_destroy(clip, NULL);
    sft_skeleton_destroy(skeleton, NULL);
    return code;
}

static int scale_travel(const loaded* file, double scale)
{
    if (scale == 1.0 || file->view->frame_count == 0) return EXIT_DONE;
    if (file->travel < 0)
        return cli_fail(EXIT_READ, "%s: no joint carries travel, so there is nothing to scale", file->path);
    return file->view->joints[file->travel].parent < 0 ? scale_root(file, scale) : scale_inner(file, scale);
}

// ---- range and rate ----

static int slice(const convert* c, loaded* file)
{
    const int32_t count = file->view->frame_count;
    const int32_t last = c->to_end ? count : c->last;
    if (!c->to_end && c->first >= last)
        return cli_fail(EXIT_USAGE, "convert: --frames %d:%d holds no frame; A:B is frames A to B-1", (int)c->first,
                        (int)last);
    if (c->first >= last || last > count)
        return cli_fail(EXIT_USAGE, "convert: --frames %d:%d does not fit %s, which has %d frames (0 to %d)",
                        (int)c->first, (int)last, file->path, (int)count, (int)count - 1);
    sft_bvh* part = NULL;
    if (sft_bvh_slice(file->bvh, c->first, last, NULL, &part) != SFT_OK)
        return cli_fail(EXIT_MEMORY, "%s: out of memory", file->path);
    sft_bvh_destroy(file->bvh);
    file->bvh = part;
    file->view = sft_bvh_view(part);
    file->first_frame = file->first_frame > c->first ? file->first_frame - c->first : 0;
    return EXIT_DONE;
}

static int resample(const convert* c, loaded* file)
{
    const double frame_time = 1.0 / c->fps;
    // The same rate as written to a few digits (0.0083333) is no reason to touch every number.
    if (fabs(frame_time - file->view->frame_time) < 1e-5 * frame_time || file->view->frame_count < 2) return EXIT_DONE;
    const double count = (double)file->view->frame_count * file->view->frame_time / frame_time;
    if (count * (double)(file->view->channel_count + 8 * file->view->joint_count) > 1e9)
        return cli_fail(EXIT_MEMORY, "convert: --fps %g would make more than a thousand million numbers", c->fps);
    // In the file's own unit and axes, so that nothing is rounded on the way to metres and back.
    const sft_space same = {.unit_metres = 1.0, .up = SFT_AXIS_Y};
    sft_skeleton* skeleton = NULL;
    sft_clip* clip = NULL;
    sft_clip* other = NULL;
    sft_bvh* out = NULL;
    sft_result result = sft_bvh_to_clip(file->bvh, NULL, &skeleton, &clip);
    if (result == SFT_OK) result = sft_clip_resample(clip, frame_time, file->first_frame, NULL, &other);
    if (result == SFT_OK) result = sft_bvh_from_clip(file->bvh, other, &same, NULL, &out);
    sft_clip_destroy(other, NULL);
    sft_clip_destroy(clip, NULL);
    sft_skeleton_destroy(skeleton, NULL);
    if (result != SFT_OK)
        return cli_fail(result == SFT_ERR_MEMORY || result == SFT_ERR_LIMIT ? EXIT_MEMORY : EXIT_READ,
                        "%s: resampling: %s", file->path, sft_result_string(result));
    sft_bvh_destroy(file->bvh);
    file->bvh = out;
    file->view = sft_bvh_view(out);
    return EXIT_DONE;
}

static int print_done(const convert* c, const loaded* file)
{
    char name[NAME_SIZE];
    json_out json = {.first = true};
    json_begin(&json, NULL, '{');
    json_text(&json, "input", file->path);
    json_text(&json, "output", c->options.output);
    json_int(&json, "frames", file->view->frame_count);
    json_number(&json, "frame_time", file->view->frame_time);
    json_number(&json, "root_scale", c->scaled ? c->scale : 1.0);
    json_text(&json, "travel_joint", file->travel < 0 ? NULL : cli_joint_name(file, file->travel, name, sizeof name));
    json_text(&json, "up", cli_axis_name(file->space.up));
    json_end(&json, '}');
    return json_finish(&json);
}

static int run(const convert* c, loaded* file)
{
    int code = c->scaled ? scale_travel(file, c->scale) : EXIT_DONE;
    if (code == EXIT_DONE && c->sliced) code = slice(c, file);
    if (code == EXIT_DONE && c->resampled) code = resample(c, file);
    if (code == EXIT_DONE) code = cli_write_bvh(c->options.output, file->bvh);
    if (code != EXIT_DONE) return code;
    if (c->options.json) return print_done(c, file);
    char name[NAME_SIZE];
    if (strcmp(c->options.output, "-") == 0) return EXIT_DONE;
    if (c->scaled && file->travel >= 0)
        cli_print(stdout, "%s: travel of %s scaled by %g; ", c->options.output,
                  cli_joint_name(file, file->travel, name, sizeof name), c->scale);
    else
        cli_print(stdout, "%s: ", c->options.output);
    cli_print(stdout, "%d frames at %g s\n", (int)file->view->frame_count, file->view->frame_time);
    return EXIT_DONE;
}

static int take_frames(convert* c, const char* value)
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
    switch (key)
    {
    case OPT_SCALE:
        c->scaled = true;
        return cli_take_number("convert", "--root-scale", value, -100.0, 100.0, &c->scale);
    case OPT_FRAMES:
        return take_frames(c, value);
    case OPT_FPS:
        c->resampled = true;
        return cli_take_number("convert", "--fps", value, 0.1, 10000.0, &c->fps);
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
                                                 {0}};
    convert c = {.options = cli_default_options()};
    int key;
    while ((key = getopt_long(argc, argv, "o:", long_options, NULL)) != -1)
    {
        if (key == OPT_HELP)
        {
            printf("%s\n%s%s%s", help, cli_help_file, examples, cli_help_exit);
            return EXIT_DONE;
        }
        const int code = take(&c, key, optarg);
        if (code != EXIT_DONE) return code;
    }
    if (optind + 1 != argc) return cli_fail(EXIT_USAGE, "convert: wants one file; try `surefoot convert --help`");
    if (c.options.output == NULL) return cli_fail(EXIT_USAGE, "convert: where to? give -o OUT.bvh");
    if (c.options.json && strcmp(c.options.output, "-") == 0)
        return cli_fail(EXIT_USAGE, "convert: --json and -o - would both write to standard output");
    int code = cli_check_output(c.options.output);
    const char* input = argv[optind];
    if (code == EXIT_DONE) code = cli_check_paths("convert", &input, 1, &c.options.output, 1, true);
    static loaded file;
    if (code == EXIT_DONE) code = cli_load(&c.options, argv[optind], &file);
    if (code != EXIT_DONE) return code;
    code = run(&c, &file);
    cli_unload(&file);
    return code;
}
