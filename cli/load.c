// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// From a file's name to a document, and from a document to one of its clips in metres with its legs.

#include "cli.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static sft_take_def take_def(const cli_options* options)
{
    sft_take_def def = sft_default_take_def();
    def.unit_metres = options->unit;
    def.up = options->up;
    def.fps = options->fps;
    return def;
}

// Where the unit that a format prescribes is not believed.
static void say_doubt(const char* path, const char* role, const char* doubt)
{
    if (doubt[0] != '\0') cli_warn("%s: %s. Say --%sunit if not", path, doubt, role);
}

sft_result cli_find_space(const cli_options* options, const sft_io_contents* v, const sft_skeleton* skeleton,
                          const sft_clip* clip, const char* path, const char* role, sft_space* space)
{
    const sft_take_def def = take_def(options);
    char doubt[sizeof((sft_take*)0)->doubt];
    const sft_result result = sft_take_find_space(&def, v, skeleton, clip, space, doubt);
    if (result == SFT_OK) say_doubt(path, role, doubt);
    return result;
}

// The take's own answers; legs and clip are kept apart, since commands change them.
static void show_take(loaded* file)
{
    const sft_take* t = file->take;
    file->frames = t->frames;
    file->skeleton = t->skeleton;
    file->clip = t->clip;
    file->frame_count = t->frame_count;
    file->frame_time = t->clip->frame_time;
    file->first_frame = t->first_frame;
    file->travel = t->travel;
    memcpy(file->first_reason, t->first_reason, sizeof file->first_reason);
    file->leg_count = t->leg_count;
    memcpy(file->legs, t->legs, sizeof file->legs);
}

static int inside(const cli_options* options, loaded* file)
{
    sft_take_def def = take_def(options);
    if (def.fps <= 0.0) def.fps = file->contents->frame_rate;
    // One space for all clips of a file.
    if (file->space_known)
    {
        def.space = &file->space;
        def.unit_metres = 0.0;
        def.up = -1;
    }
    int32_t clip;
    sft_error error = {0};
    const sft_io_document* stage = cli_stage(file, &clip);
    const sft_result result = sft_take_create(&def, stage, clip, NULL, &file->take, &error);
    if (result != SFT_OK) return cli_fail_error(file->path, result, &error);
    if (!file->space_known) say_doubt(file->path, file->role, file->take->doubt);
    file->space = file->take->space;
    file->space_known = true;
    show_take(file);
    return EXIT_DONE;
}

static int find_legs(const cli_options* options, loaded* file)
{
    int32_t clip;
    sft_error error = {0};
    const sft_io_document* stage = cli_stage(file, &clip);
    sft_result result;
    if (options->legs != NULL)
    {
        file->legs_given = true;
        const int code = cli_read_legs(options->legs, file);
        if (code != EXIT_DONE) return code;
        result = sft_take_set_legs(file->take, stage, file->legs, file->leg_count, NULL, &error);
    }
    else
        result = sft_take_find_legs(file->take, stage, NULL, &error);
    if (result != SFT_OK) return cli_fail_error(file->path, result, &error);
    show_take(file);
    return EXIT_DONE;
}

int32_t cli_characters(const loaded* file, int32_t* first)
{
    int32_t count = 0;
    for (int32_t i = 0; i < file->leg_count; ++i)
    {
        bool seen = false;
        for (int32_t k = 0; k < i && !seen; ++k)
            seen = sft_leg_root(file->skeleton, &file->legs[k]) == sft_leg_root(file->skeleton, &file->legs[i]);
        if (!seen) first[count++] = i;
    }
    return count;
}

void cli_keep_one_character(loaded* file, const char* role)
{
    int32_t first[SFT_MAX_LEGS], kept = 0;
    const int32_t count = cli_characters(file, first);
    if (count < 2) return;
    char name[NAME_SIZE];
    const int32_t root = sft_leg_root(file->skeleton, &file->legs[0]);
    cli_warn("%s: %s has %d characters: only the first, %s, is taken; give the legs of another by %s", file->title,
             role, (int)count, cli_joint_name(file, root, name, sizeof name), "--legs FILE.json");
    for (int32_t i = 0; i < file->leg_count; ++i)
        if (sft_leg_root(file->skeleton, &file->legs[i]) == root) file->legs[kept++] = file->legs[i];
    file->leg_count = kept;
    cli_name_feet(file);
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
    sft_gltf_clip_def def = sft_default_gltf_clip_def();
    def.fps = options->fps > 0.0 ? options->fps : file->contents->frame_rate;
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
    if (code == EXIT_DONE)
        cli_name_feet(file);
    else
        cli_drop_clip(file);
    return code;
}

void cli_drop_clip(loaded* file)
{
    sft_take_destroy(file->take, NULL);
    free(file->title);
    file->title = NULL;
    file->take = NULL;
    file->clip = NULL;
    file->skeleton = NULL;
    file->leg_count = 0;
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
