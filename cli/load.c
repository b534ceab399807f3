// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// From a file's name to a document, and from a document to one of its clips in metres with its legs.

#include "cli.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// A figure outside these heights [m] shows that a file is not in the unit its format prescribes.
#define FIGURE_LEAST 0.1
#define FIGURE_MOST 20.0

sft_result cli_find_space(const cli_options* options, const sft_io_contents* v, const sft_skeleton* skeleton,
                          const sft_clip* clip, const char* path, const char* role, sft_space* space)
{
    const sft_result result = sft_clip_infer_space(skeleton, clip, NULL, space);
    if (result != SFT_OK) return result;
    if (v->up >= 0)
    {
        space->up = (sft_axis)v->up;
        space->up_sure = true;
    }
    if (v->unit_metres > 0.0)
    {
        const double height = space->figure_height * v->unit_metres;
        const bool absurd = space->figure_height > 0.0 && !(height >= FIGURE_LEAST && height <= FIGURE_MOST);
        char reason[sizeof space->reason];
        snprintf(reason, sizeof reason, "%s", space->reason);
        const bool other = fabs(space->unit_metres - v->unit_metres) > 1e-9 * v->unit_metres;
        if (absurd && other && options->unit <= 0.0)
        {
            char a[32], b[32];
            cli_warn(
                "%s: in the unit that %s names the figure would be %s m high; taken as %s m a unit. Say --%sunit if "
                "not",
                path, sft_io_format_name(v->source), cli_figure(height, 2, a), cli_figure(space->unit_metres, 4, b),
                role);
            snprintf(space->reason, sizeof space->reason, "not in metres as it should be: %.120s", reason);
        }
        else
        {
            space->unit_metres = v->unit_metres;
            space->unit_sure = true;
            snprintf(space->reason, sizeof space->reason, "%s",
                     v->source == SFT_IO_FBX ? "FBX names its unit and axes, and was brought to metres with Y up"
                                             : "glTF is in metres with Y up");
        }
    }
    if (options->unit > 0.0)
    {
        space->unit_metres = options->unit;
        space->unit_sure = true;
    }
    if (options->up >= 0)
    {
        space->up = (sft_axis)options->up;
        space->up_sure = true;
    }
    if (options->unit > 0.0 || options->up >= 0)
        snprintf(space->reason, sizeof space->reason, "%s given on the command line",
                 options->unit > 0.0 && options->up >= 0 ? "unit and up axis"
                 : options->unit > 0.0                   ? "unit"
                                                         : "up axis");
    return SFT_OK;
}

static sft_result find_space(const cli_options* options, loaded* file)
{
    int32_t clip;
    const sft_io_contents* v = sft_io_view(cli_stage(file, &clip));
    const sft_result result =
        cli_find_space(options, v, file->skeleton, file->clip, file->path, file->role, &file->space);
    file->space_known = result == SFT_OK;
    return result;
}

static sft_gltf_clip_def clip_def(const cli_options* options, const loaded* file, const uint8_t* solved)
{
    sft_gltf_clip_def def = sft_default_gltf_clip_def();
    def.fps = options->fps > 0.0 ? options->fps : sft_io_view(file->document)->frame_rate;
    def.solved = solved;
    return def;
}

static sft_result bring_inside(const cli_options* options, loaded* file, sft_error* error)
{
    const sft_gltf_clip_def def = clip_def(options, file, file->solved);
    int32_t clip;
    sft_io_document* stage = cli_stage(file, &clip);
    sft_result result = sft_io_to_clip(stage, clip, &def, NULL, &file->skeleton, &file->clip, &file->frames, error);
    // One space for all clips of a file.
    if (result == SFT_OK && !file->space_known) result = find_space(options, file);
    if (result == SFT_OK) result = sft_clip_rescale(file->skeleton, file->clip, &file->space);
    if (result != SFT_OK) return result;
    file->frame_count = file->clip->frame_count;
    file->frame_time = file->clip->frame_time;
    file->first_frame = sft_clip_first_frame(file->skeleton, file->clip, file->first_reason);
    file->travel = sft_clip_travel_joint(file->skeleton, file->clip, file->first_frame);
    return SFT_OK;
}

static int inside(const cli_options* options, loaded* file)
{
    sft_error error = {0};
    const sft_result result = bring_inside(options, file, &error);
    return result == SFT_OK ? EXIT_DONE : cli_fail_error(file->path, result, &error);
}

// ---- which joints' keys are the frames ----

static void mark_chain(const loaded* file, int32_t from, int32_t to)
{
    for (int32_t j = from; j >= 0; j = j == to ? -1 : file->skeleton->parents[j])
        file->solved[j] = 1;
}

// Joints that clean-up changes or must stand on: legs with what lies between their joints, pelvis, travel.
static int mark_solved(loaded* file)
{
    file->solved = calloc((size_t)file->skeleton->joint_count + 1, 1);
    if (file->solved == NULL) return cli_fail(EXIT_MEMORY, "out of memory");
    for (int32_t i = 0; i < file->leg_count; ++i)
    {
        const sft_leg* leg = &file->legs[i];
        mark_chain(file, leg->toe, leg->hip);
        if (leg->pelvis >= 0) file->solved[leg->pelvis] = 1;
    }
    if (file->travel >= 0) file->solved[file->travel] = 1;
    return EXIT_DONE;
}

// Fingers may have denser keys than legs: what a frame is the legs decide. The legs themselves stay as they were found.
static int retake_at_leg_keys(const cli_options* options, loaded* file)
{
    const int code = mark_solved(file);
    if (code != EXIT_DONE) return code;
    sft_clip_destroy(file->clip, NULL);
    sft_skeleton_destroy(file->skeleton, NULL);
    file->clip = NULL;
    file->skeleton = NULL;
    return inside(options, file);
}

static int find_legs(const cli_options* options, loaded* file)
{
    file->leg_count = 0;
    if (options->legs != NULL)
    {
        file->legs_given = true;
        return cli_read_legs(options->legs, file);
    }
    if (file->frame_count == 0) return EXIT_DONE;
    const sft_result result =
        sft_leg_find(file->skeleton, file->clip, NULL, file->legs, SFT_MAX_LEGS, &file->leg_count);
    if (result == SFT_OK) return EXIT_DONE;
    return cli_fail(EXIT_MEMORY, "%s: %s", file->path, sft_result_string(result));
}

void cli_name_feet(loaded* out)
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

// ---- clip here, character there ----

sft_io_document* cli_stage(const loaded* file, int32_t* clip)
{
    *clip = file->character != NULL ? file->bound_clip : file->clip_index;
    return file->character != NULL ? file->character : file->document;
}

static int bind_clip(const cli_options* options, loaded* file)
{
    file->bound_clip = -1;
    if (file->character == NULL || file->clip_index < 0) return EXIT_DONE;
    const sft_gltf_clip_def def = clip_def(options, file, NULL);
    sft_gltf_bound bound;
    sft_error error = {0};
    char name[NAME_SIZE];
    const sft_result result = sft_io_bind(file->character, file->document, file->clip_index, &def, &bound, &error);
    if (result != SFT_OK) return cli_fail_error(file->path, result, &error);
    file->bound_clip = bound.animation;
    if (bound.missing_count > 0)
        cli_warn("%s: %s: %d of %d channels find no node in %s: %s", file->path,
                 cli_clip_name(file, file->clip_index, name, sizeof name), (int)bound.missing_count,
                 (int)(bound.missing_count + bound.channel_count), options->character, bound.missing);
    return EXIT_DONE;
}

int cli_bring_back(const loaded* file)
{
    if (file->character == NULL) return EXIT_DONE;
    sft_error error = {0};
    const sft_result result =
        sft_io_bind_back(file->character, file->bound_clip, file->document, file->clip_index, &error);
    return result == SFT_OK ? EXIT_DONE : cli_fail_error(file->path, result, &error);
}

int cli_take_clip(const cli_options* options, loaded* file, int32_t index)
{
    cli_drop_clip(file);
    file->clip_index = index;
    file->title = cli_clip_title(file);
    if (file->title == NULL) return cli_fail(EXIT_MEMORY, "out of memory");
    int code = bind_clip(options, file);
    if (code == EXIT_DONE) code = inside(options, file);
    if (code == EXIT_DONE) code = find_legs(options, file);
    if (code == EXIT_DONE && index >= 0 && file->leg_count > 0 && sft_io_gltf(file->document) != NULL)
        code = retake_at_leg_keys(options, file);
    if (code == EXIT_DONE)
        cli_name_feet(file);
    else
        cli_drop_clip(file);
    return code;
}

void cli_drop_clip(loaded* file)
{
    sft_clip_destroy(file->clip, NULL);
    sft_skeleton_destroy(file->skeleton, NULL);
    free(file->solved);
    free(file->title);
    file->title = NULL;
    file->clip = NULL;
    file->skeleton = NULL;
    file->solved = NULL;
    file->leg_count = 0;
}

sft_result cli_take_again(const cli_options* options, const loaded* file, sft_clip** out)
{
    const sft_gltf_clip_def def = clip_def(options, file, file->solved);
    sft_skeleton* skeleton = NULL;
    sft_clip* clip = NULL;
    int32_t index;
    const sft_io_document* stage = cli_stage(file, &index);
    sft_result result = sft_io_to_clip(stage, index, &def, NULL, &skeleton, &clip, NULL, NULL);
    if (result == SFT_OK) result = sft_clip_rescale(skeleton, clip, &file->space);
    sft_skeleton_destroy(skeleton, NULL);
    // Channels that go on behind the solved ones may now show frames beyond the last. (malloc's blocks know their
    // size.)
    if (result == SFT_OK && clip->frame_count > file->frame_count) clip->frame_count = file->frame_count;
    if (result == SFT_OK && clip->frame_count < file->frame_count) result = SFT_ERR_RANGE;
    if (result == SFT_OK)
        *out = clip;
    else
        sft_clip_destroy(clip, NULL);
    return result;
}

static void say_warnings(const char* path, const sft_io_contents* v)
{
    for (int32_t i = 0; i < v->warning_count; ++i)
    {
        if (v->warnings[i].line > 0)
            cli_warn("%s:%u: %s", path, (unsigned)v->warnings[i].line, v->warnings[i].message);
        else
            cli_warn("%s: %s", path, v->warnings[i].message);
    }
}

int cli_open(const cli_options* options, const char* path, loaded* out)
{
    *out = (loaded){.path = path, .role = options->role, .clip_index = -1};
    const char* slash = strrchr(path, '/');
    const char* base = strcmp(path, "-") == 0 ? "standard input" : slash != NULL && slash[1] != '\0' ? slash + 1 : path;
    const size_t room = 3 * strlen(base) + 1;
    out->name = malloc(room);
    if (out->name == NULL) return cli_fail(EXIT_MEMORY, "out of memory");
    cli_safe_utf8(base, out->name, room);
    cli_progress("reading %s ...", out->name);
    int code = cli_read_document(options, path, &out->document, &out->bytes);
    if (code == EXIT_DONE && options->character != NULL)
        code = cli_read_document(options, options->character, &out->character, &out->character_bytes);
    cli_progress("%s", "");
    if (code != EXIT_DONE)
    {
        cli_unload(out);
        return code;
    }
    out->contents = sft_io_view(out->document);
    say_warnings(path, out->contents);
    if (out->character != NULL) say_warnings(options->character, sft_io_view(out->character));
    return EXIT_DONE;
}

void cli_unload(loaded* file)
{
    cli_drop_clip(file);
    sft_io_destroy(file->document);
    sft_io_destroy(file->character);
    free(file->bytes);
    free(file->character_bytes);
    file->character = NULL;
    file->character_bytes = NULL;
    free(file->chosen);
    free(file->name);
    file->document = NULL;
    file->contents = NULL;
    file->bytes = NULL;
    file->chosen = NULL;
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
    char name[NAME_SIZE], number[48];
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
                         "joint %s is more than %g m away in frame %s. Repair this value, or say the file's unit with "
                         "--%sunit",
                         cli_joint_name(file, j, name, sizeof name), SFT_HUGE, cli_frame_name(file, f, number),
                         file->role);
        }
    }
    free(model);
    return found;
}

int cli_fail_clip(const loaded* file, const sft_clip* clip, const char* what, sft_result result)
{
    char detail[NAME_SIZE + 160];
    const char* say = sft_result_string(result);
    const double dt = file->frame_time;
    if (result == SFT_ERR_RANGE && !(dt > 1e-6 && dt < 1e3))
    {
        snprintf(detail, sizeof detail, "a frame time of %g s cannot be worked with (0.000001 to 1000 can)%s", dt,
                 file->contents->format == SFT_IO_BVH
                     ? ". Write the seconds from one frame to the next behind 'Frame Time:'"
                     : "");
        say = detail;
    }
    else if (result == SFT_ERR_RANGE && clip != NULL && too_far(file, clip, detail, sizeof detail))
        say = detail;
    char name[NAME_SIZE];
    const bool several = file->contents->clip_count > 1;
    return cli_fail(result == SFT_ERR_MEMORY || result == SFT_ERR_LIMIT ? EXIT_MEMORY : EXIT_READ, "%s: %s%s%s: %s",
                    file->path, several ? cli_clip_name(file, file->clip_index, name, sizeof name) : "",
                    several ? ": " : "", what, say);
}

int cli_fail_no_legs(const loaded* file)
{
    // As info counts them: End Sites apart.
    int32_t joints = 0;
    for (int32_t j = 0; j < file->skeleton->joint_count; ++j)
        joints += (file->skeleton->flags[j] & SFT_JOINT_END_SITE) == 0;
    char why[SFT_LEG_NONE_SIZE] = "", safe[3 * SFT_LEG_NONE_SIZE];
    if (sft_leg_explain_none(file->skeleton, file->clip, NULL, why) != SFT_OK) why[0] = '\0';
    const bool said = why[0] != '\0';
    return cli_fail(
        EXIT_NO_LEGS,
        "%s: no legs were found in its %d joints%s%s%s, so there are no feet to plant. If it has some, name "
        "them with --%slegs FILE.json; `surefoot info --json` shows the form",
        file->path, (int)joints, said ? " (" : "", cli_safe_utf8(why, safe, sizeof safe), said ? ")" : "", file->role);
}

const char* cli_frame_name(const loaded* file, int32_t frame, char* out)
{
    char second[32];
    if (file->frames.start == 0.0)
        snprintf(out, 48, "%d", (int)frame);
    else
        snprintf(out, 48, "%d (%s s)", (int)frame,
                 cli_figure(file->frames.start + (double)frame * file->frame_time, 3, second));
    return out;
}
