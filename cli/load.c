// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// From a file's name to a clip in metres with its legs; and bytes in and out.

#include "cli.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

// Pipes and devices have no size and may have no end. What is beyond this is no clip; a file may be larger.
#define STREAM_MOST ((size_t)1 << 30)
// Text holds no zero bytes. Short input with zeros goes to the parser all the same, whose message says more.
#define STREAM_TEXT ((size_t)1 << 20)

static int read_stream(FILE* file, const char* name, void** bytes, size_t* size)
{
    cli_text text = {0};
    char piece[65536];
    size_t got;
    bool zeros = false;
    while ((got = fread(piece, 1, sizeof piece, file)) > 0)
    {
        zeros = zeros || memchr(piece, 0, got) != NULL;
        text_put(&text, piece, got);
        const bool binary = zeros && text.size > STREAM_TEXT;
        if (!text.failed && !binary && text.size <= STREAM_MOST) continue;
        const bool memory = text.failed;
        text_free(&text);
        if (memory) return cli_fail(EXIT_MEMORY, "%s: out of memory while reading", name);
        if (binary) return cli_fail(EXIT_READ, "%s: holds zero bytes, so it is no text; give a BVH file", name);
        return cli_fail(EXIT_MEMORY, "%s: more than 1 GiB from a pipe or device; write it to a file first", name);
    }
    if (ferror(file))
    {
        const int reason = errno;
        text_free(&text);
        return cli_fail(EXIT_READ, "%s: cannot read: %s", name, strerror(reason));
    }
    if (text.data == NULL) text_put(&text, "", 0);
    if (text.data == NULL) return cli_fail(EXIT_MEMORY, "out of memory");
    *bytes = text.data;
    *size = text.size;
    return EXIT_DONE;
}

int cli_read_bytes(const char* path, void** bytes, size_t* size)
{
    if (strcmp(path, "-") == 0) return read_stream(stdin, "standard input", bytes, size);
    struct stat status;
    if (stat(path, &status) == 0 && !S_ISREG(status.st_mode) && !S_ISDIR(status.st_mode))
    {
        FILE* file = fopen(path, "rb");
        if (file == NULL) return cli_fail(EXIT_READ, "%s: cannot open: %s", path, strerror(errno));
        const int code = read_stream(file, path, bytes, size);
        fclose(file);
        return code;
    }
    sft_error error = {0};
    const size_t most = sft_default_bvh_read_def().max_bytes;
    const sft_result result = sft_file_read(path, most, NULL, bytes, size, &error);
    return result == SFT_OK ? EXIT_DONE : cli_fail_error(path, result, &error);
}

int cli_write_bytes(const char* path, const void* bytes, size_t size)
{
    if (strcmp(path, "-") == 0)
    {
        if (fwrite(bytes, 1, size, stdout) != size || fflush(stdout) != 0)
            return cli_fail(EXIT_WRITE, "standard output: %s", strerror(errno));
        return EXIT_DONE;
    }
    sft_error error = {0};
    const sft_result result = sft_file_write(path, bytes, size, &error);
    if (result == SFT_OK) return EXIT_DONE;
    const int code = result == SFT_ERR_MEMORY ? EXIT_MEMORY : EXIT_WRITE;
    // The message names the path.
    if (error.message[0] != '\0') return cli_fail(code, "%s", error.message);
    return cli_fail(code, "%s: %s", path, sft_result_string(result));
}

int cli_write_bvh(const char* path, const sft_bvh* bvh)
{
    char* text = NULL;
    size_t size = 0;
    if (sft_bvh_write(bvh, NULL, &text, &size) != SFT_OK)
        return cli_fail(EXIT_MEMORY, "%s: out of memory while writing", path);
    const int code = cli_write_bytes(path, text, size);
    free(text);
    return code;
}

static int refuse_other_formats(const char* path)
{
    static const char* const other[] = {".glb", ".gltf", ".fbx", ".c3d", ".dae"};
    const char* dot = strrchr(path, '.');
    for (size_t i = 0; dot != NULL && i < sizeof other / sizeof other[0]; ++i)
    {
        size_t k = 0;
        while (dot[k] != '\0' && (dot[k] >= 'A' && dot[k] <= 'Z' ? dot[k] + 32 : dot[k]) == other[i][k])
            ++k;
        if (dot[k] == '\0' && other[i][k] == '\0')
            return cli_fail(EXIT_READ, "%s: reading %s files is not there yet; export the clip as BVH", path, other[i]);
    }
    return EXIT_DONE;
}

static int read_document(const cli_options* options, loaded* out)
{
    void* bytes = NULL;
    size_t size = 0;
    int code = refuse_other_formats(out->path);
    if (code == EXIT_DONE) code = cli_read_bytes(out->path, &bytes, &size);
    if (code != EXIT_DONE) return code;
    sft_bvh_read_def def = sft_default_bvh_read_def();
    def.positions = options->positions;
    sft_error error = {0};
    const sft_result result = sft_bvh_read(&def, bytes, size, NULL, &out->bvh, &error);
    free(bytes);
    if (result != SFT_OK) return cli_fail_error(out->path, result, &error);
    out->view = sft_bvh_view(out->bvh);
    for (int32_t i = 0; i < out->view->warning_count; ++i)
    {
        const sft_warning* w = &out->view->warnings[i];
        if (w->line > 0)
            cli_warn("%s:%u: %s", out->path, (unsigned)w->line, w->message);
        else
            cli_warn("%s: %s", out->path, w->message);
    }
    return EXIT_DONE;
}

static sft_result bring_inside(const cli_options* options, loaded* out)
{
    sft_result result = sft_bvh_to_clip(out->bvh, NULL, &out->skeleton, &out->clip);
    if (result == SFT_OK) result = sft_clip_infer_space(out->skeleton, out->clip, NULL, &out->space);
    if (result != SFT_OK) return result;
    if (options->unit > 0.0)
    {
        out->space.unit_metres = options->unit;
        out->space.unit_sure = true;
    }
    if (options->up >= 0)
    {
        out->space.up = (sft_axis)options->up;
        out->space.up_sure = true;
    }
    if (options->unit > 0.0 || options->up >= 0)
        snprintf(out->space.reason, sizeof out->space.reason, "%s given on the command line",
                 options->unit > 0.0 && options->up >= 0 ? "unit and up axis"
                 : options->unit > 0.0                   ? "unit"
                                                         : "up axis");
    result = sft_clip_rescale(out->skeleton, out->clip, &out->space);
    if (result != SFT_OK) return result;
    out->first_frame = sft_clip_first_frame(out->skeleton, out->clip, out->first_reason);
    out->travel = sft_clip_travel_joint(out->skeleton, out->clip, out->first_frame);
    return SFT_OK;
}

static void name_feet(loaded* out)
{
    for (int32_t i = 0; i < out->leg_count; ++i)
    {
        char* name = out->foot_names[i];
        cli_joint_name(out, out->legs[i].toe, name, NAME_SIZE);
        // Two feet may share a name only on odd rigs (toes that are End Sites of one joint).
        for (int32_t k = 0, copy = 2; k < i; ++k)
            if (strcmp(out->foot_names[k], name) == 0)
            {
                cli_joint_name(out, out->legs[i].toe, name, NAME_SIZE - 8);
                snprintf(name + strlen(name), 8, "~%d", (int)copy++ % 100);
                k = -1;
            }
        out->foot_name_list[i] = name;
    }
}

int cli_load(const cli_options* options, const char* path, loaded* out)
{
    *out = (loaded){.path = path};
    const char* slash = strrchr(path, '/');
    const char* base = strcmp(path, "-") == 0 ? "standard input" : slash != NULL && slash[1] != '\0' ? slash + 1 : path;
    const size_t room = 3 * strlen(base) + 1;
    out->name = malloc(room);
    if (out->name == NULL) return cli_fail(EXIT_MEMORY, "out of memory");
    cli_safe_utf8(base, out->name, room);
    cli_progress("reading %s ...", out->name);
    int code = read_document(options, out);
    if (code == EXIT_DONE)
    {
        const sft_result result = bring_inside(options, out);
        if (result != SFT_OK)
            code = cli_fail(result == SFT_ERR_MEMORY || result == SFT_ERR_LIMIT ? EXIT_MEMORY : EXIT_READ, "%s: %s",
                            path, sft_result_string(result));
    }
    if (code == EXIT_DONE && options->legs != NULL)
    {
        code = cli_read_legs(options->legs, out);
        out->legs_given = true;
    }
    else if (code == EXIT_DONE && out->view->frame_count > 0)
    {
        const sft_result result =
            sft_leg_find(out->skeleton, out->clip, NULL, out->legs, SFT_MAX_LEGS, &out->leg_count);
        if (result != SFT_OK) code = cli_fail(EXIT_MEMORY, "%s: %s", path, sft_result_string(result));
    }
    cli_progress("%s", "");
    if (code == EXIT_DONE)
        name_feet(out);
    else
        cli_unload(out);
    return code;
}

void cli_unload(loaded* file)
{
    sft_clip_destroy(file->clip, NULL);
    sft_skeleton_destroy(file->skeleton, NULL);
    sft_bvh_destroy(file->bvh);
    free(file->name);
    file->clip = NULL;
    file->skeleton = NULL;
    file->bvh = NULL;
    file->name = NULL;
}

const char* cli_joint_name(const loaded* file, int32_t joint, char* out, size_t capacity)
{
    const sft_skeleton* s = file->skeleton;
    while (joint >= 0 && (s->flags[joint] & SFT_JOINT_END_SITE) != 0)
        joint = s->parents[joint];
    if (joint < 0) return cli_safe_utf8("", out, capacity);
    int bearer = 1;
    for (int32_t k = 0; k < joint; ++k)
        if ((s->flags[k] & SFT_JOINT_END_SITE) == 0 && strcmp(s->names[k], s->names[joint]) == 0) ++bearer;
    cli_safe_utf8(s->names[joint], out, bearer > 1 && capacity > 16 ? capacity - 16 : capacity);
    if (bearer > 1) snprintf(out + strlen(out), 16, "#%d", bearer);
    return out;
}

const char* cli_axis_name(sft_axis axis)
{
    static const char* const names[] = {"X", "Y", "Z", "-X", "-Y", "-Z"};
    return (int)axis >= 0 && (int)axis < 6 ? names[axis] : "?";
}

// Positions are judged in the world: sums along a chain may be out of range where no single translation is.
static bool too_far(const loaded* file, const sft_clip* clip, char* out, size_t capacity)
{
    char name[NAME_SIZE];
    const size_t joints = (size_t)clip->joint_count;
    sft_xformd* model = malloc((joints + 1) * sizeof *model);
    bool found = false;
    for (int32_t f = 0; model != NULL && f < clip->frame_count && !found; ++f)
    {
        const size_t row = (size_t)f * joints;
        sft_skeleton_forward(file->skeleton, clip->translations + row, clip->rotations + row, model);
        for (int32_t j = 0; j < clip->joint_count && !found; ++j)
        {
            found = !sft_v3d_in_range(model[j].t) || !sft_v3d_in_range(clip->translations[row + (size_t)j]);
            if (found)
                snprintf(out, capacity,
                         "joint %s is more than %g m away in frame %d. Repair this value, or say the file's unit with "
                         "--unit",
                         cli_joint_name(file, j, name, sizeof name), SFT_HUGE, (int)f);
        }
    }
    free(model);
    return found;
}

int cli_fail_clip(const loaded* file, const sft_clip* clip, const char* what, sft_result result)
{
    char detail[NAME_SIZE + 160];
    const char* say = sft_result_string(result);
    const double dt = file->view->frame_time;
    if (result == SFT_ERR_RANGE && !(dt > 1e-6 && dt < 1e3))
    {
        snprintf(detail, sizeof detail,
                 "a frame time of %g s cannot be worked with (0.000001 to 1000 can). Write the seconds from one frame "
                 "to the next behind 'Frame Time:'",
                 dt);
        say = detail;
    }
    else if (result == SFT_ERR_RANGE && clip != NULL && too_far(file, clip, detail, sizeof detail))
        say = detail;
    return cli_fail(result == SFT_ERR_MEMORY || result == SFT_ERR_LIMIT ? EXIT_MEMORY : EXIT_READ, "%s: %s: %s",
                    file->path, what, say);
}

int cli_fail_no_legs(const loaded* file)
{
    // As info counts them: End Sites apart.
    int32_t joints = 0;
    for (int32_t j = 0; j < file->skeleton->joint_count; ++j)
        joints += (file->skeleton->flags[j] & SFT_JOINT_END_SITE) == 0;
    return cli_fail(EXIT_NO_LEGS,
                    "%s: no legs were found in its %d joints. Name them with --legs FILE.json; `surefoot info --json` "
                    "shows the form",
                    file->path, (int)joints);
}
