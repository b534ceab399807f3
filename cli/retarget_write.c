// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// Moved clips into the target's document, and that into files.

#include "retarget.h"

#include <stdlib.h>
#include <string.h>

static bool is_gltf(sft_io_format format)
{
    return format == SFT_IO_GLTF || format == SFT_IO_GLB;
}

// ---- the document ----

// A BVH becomes a glTF of the same joints with no animation in it, so that clips need no channels and may be many.
static int make_gltf(loaded* target, sft_io_format format)
{
    sft_io_document* made = NULL;
    sft_io_convert_def def = sft_default_io_convert_def();
    def.format = format;
    def.space = &target->space;
    sft_io_converted converted = {0};
    sft_error error = {0};
    const sft_result result = sft_io_convert_figure(target->document, &def, NULL, &made, &converted, &error);
    if (result != SFT_OK) return cli_fail_error(target->path, result, &error);
    for (int32_t i = 0; i < converted.renamed_count && i < 24; ++i)
        cli_warn("%s: '%s' is called '%s' there", target->path, converted.renamed[i].before,
                 converted.renamed[i].after);
    sft_io_destroy(target->document);
    target->document = made;
    target->contents = sft_io_view(made);
    return EXIT_DONE;
}

int retarget_open_outputs(const retarget* r, const loaded* source, loaded* target, retarget_outputs* out)
{
    *out = (retarget_outputs){.target = target, .space = target->space};
    if (r->options.output == NULL) return EXIT_DONE;
    out->format = cli_output_format(r->options.output, target->document);
    const size_t most = (size_t)source->chosen_count + 1;
    const bool bvh = target->contents->format == SFT_IO_BVH;
    if (bvh && r->replace != NULL)
        return cli_fail(EXIT_USAGE, "retarget: --replace: %s is a BVH, whose one clip is replaced in any case",
                        target->path);
    if (bvh && out->format == SFT_IO_BVH && r->options.all_clips && strcmp(r->options.output, "-") == 0)
        return cli_fail(EXIT_USAGE,
                        "retarget: all clips as BVH are a file each; give -o a name, or one in .glb for all");
    if (r->replace != NULL && !is_gltf(out->format))
        return cli_fail(EXIT_USAGE,
                        "retarget: --replace: %s is a BVH and holds the moved clip alone; leave --replace out",
                        r->options.output);
    int code = EXIT_DONE;
    if (bvh && is_gltf(out->format))
    {
        code = make_gltf(target, out->format);
        out->space = (sft_space){.unit_metres = 1.0, .up = SFT_AXIS_Y};
    }
    out->paths = calloc(most, sizeof *out->paths);
    out->bytes = calloc(most, sizeof *out->bytes);
    out->sizes = calloc(most, sizeof *out->sizes);
    free(target->chosen);
    target->chosen = calloc(most, sizeof *target->chosen);
    target->chosen_count = 0;
    if (out->paths == NULL || out->bytes == NULL || out->sizes == NULL || target->chosen == NULL)
        code = cli_fail(EXIT_MEMORY, "out of memory");
    return code;
}

void retarget_close_outputs(retarget_outputs* out)
{
    for (int32_t i = 0; i < out->count; ++i)
    {
        if (out->paths != NULL) free(out->paths[i]);
        if (out->bytes != NULL) free(out->bytes[i]);
    }
    free(out->paths);
    free(out->bytes);
    free(out->sizes);
    *out = (retarget_outputs){0};
}

// ---- the clip's name ----

static bool is_taken(const sft_io_contents* v, const char* name)
{
    for (int32_t i = 0; i < v->clip_count; ++i)
        if (strcmp(v->clips[i].name, name) == 0) return true;
    return false;
}

// That of the source's clip, or of its file where it has none; with a number behind where the target has it already.
static void choose_name(const retarget_job* j, char* out, size_t capacity)
{
    const loaded* s = j->source;
    const char* own = s->clip_index >= 0 ? s->contents->clips[s->clip_index].name : "";
    char stem[120];
    cli_safe_utf8(own[0] != '\0' ? own : s->name, stem, sizeof stem);
    char* dot = own[0] == '\0' ? strrchr(stem, '.') : NULL;
    if (dot != NULL && dot != stem) *dot = '\0';
    snprintf(out, capacity, "%s", stem);
    for (int k = 2; is_taken(j->target->contents, out); ++k)
        snprintf(out, capacity, "%s %d", stem, k);
}

// ---- BVH whose hips have no position channels ----

static bool has_positions(const sft_bvh_joint* joint)
{
    for (int32_t c = 0; c < joint->channel_count; ++c)
        if (joint->channels[c] < SFT_BVH_XROTATION) return true;
    return false;
}

static int fail_channels(const retarget_job* j, sft_result result, const sft_error* error)
{
    if (result != SFT_ERR_UNSUPPORTED || sft_io_bvh(j->target->document) == NULL)
        return cli_fail_error(j->target->path, result, error);
    return cli_fail(EXIT_READ,
                    "%s: %s: %s. The motion needs channels that this BVH has not: give the output a name in .glb, "
                    "where every joint can move",
                    j->target->path, error->joint, error->message);
}

// Whoever reads the target's position channels rightly reads those of the output so; a reader that goes by the numbers
// alone may not any more. Then it is said.
static int say_positions(const retarget* r, const retarget_job* j)
{
    void* bytes = NULL;
    size_t size = 0;
    sft_io_document* again = NULL;
    sft_io_read_def def = sft_default_io_read_def();
    def.format = SFT_IO_BVH;
    const sft_bvh_contents* v = sft_bvh_view(sft_io_bvh(j->target->document));
    sft_result result = sft_io_write(j->target->document, SFT_IO_BVH, NULL, &bytes, &size, NULL);
    if (result == SFT_OK) result = sft_io_read(&def, bytes, size, NULL, &again, NULL);
    const sft_bvh_contents* other = result == SFT_OK ? sft_bvh_view(sft_io_bvh(again)) : NULL;
    int32_t odd = -1, adding = 0, replacing = 0;
    for (int32_t k = 0; other != NULL && k < other->joint_count; ++k)
    {
        if (!has_positions(&v->joints[k])) continue;
        *(v->joints[k].positions_replace ? &replacing : &adding) += 1;
        if (odd < 0 && v->joints[k].positions_replace != other->joints[k].positions_replace) odd = k;
    }
    if (odd >= 0)
        cli_warn("%s: position channels of %s %s OFFSET, as in %s; a reader that goes by the numbers alone may think "
                 "otherwise%s",
                 r->options.output, v->joints[odd].name, v->joints[odd].positions_replace ? "replace" : "are added to",
                 j->target->path,
                 adding == 0      ? "; read it with --positions replace"
                 : replacing == 0 ? "; read it with --positions add"
                                  : "");
    sft_io_destroy(again);
    free(bytes);
    return result == SFT_OK ? EXIT_DONE : cli_fail(EXIT_MEMORY, "out of memory");
}

// ---- putting in, reading back ----

static int read_back(retarget_job* j, const sft_space* space, int32_t index)
{
    sft_gltf_clip_def def = sft_default_gltf_clip_def();
    def.fps = 1.0 / j->moved->frame_time;
    sft_skeleton* skeleton = NULL;
    sft_error error = {0};
    for (int attempt = 0; attempt < 2; ++attempt)
    {
        // Keys that nothing turns tell no frames; they are then taken at the clip's own rate.
        def.resample = attempt > 0;
        sft_result result =
            sft_io_to_clip(j->target->document, index, &def, NULL, &skeleton, &j->written, NULL, &error);
        if (result == SFT_OK) result = sft_clip_rescale(skeleton, j->written, space);
        sft_skeleton_destroy(skeleton, NULL);
        skeleton = NULL;
        if (result != SFT_OK) return cli_fail_error(j->target->path, result, &error);
        if (j->written->frame_count == j->moved->frame_count) break;
        if (attempt == 0) sft_clip_destroy(j->written, NULL);
        if (attempt == 0) j->written = NULL;
    }
    if (j->written->frame_count != j->moved->frame_count)
        return cli_fail(EXIT_READ, "%s: what was moved reads back with another number of frames", j->source->path);
    j->written->frame_time = j->moved->frame_time;
    return EXIT_DONE;
}

static int keep_text(const retarget* r, retarget_job* j, retarget_outputs* out)
{
    sft_error error = {0};
    out->paths[out->count] = cli_clip_path(r->options.output, j->source, j->source->clip_index);
    if (out->paths[out->count] == NULL) return cli_fail(EXIT_MEMORY, "out of memory");
    const sft_result result =
        sft_io_write(j->target->document, SFT_IO_BVH, NULL, &out->bytes[out->count], &out->sizes[out->count], &error);
    return result == SFT_OK ? EXIT_DONE : cli_fail_error(out->paths[out->count], result, &error);
}

static int find_replaced(const retarget* r, const loaded* target, int32_t* index)
{
    *index = -1;
    if (r->replace == NULL) return EXIT_DONE;
    *index = sft_io_find_clip(target->document, r->replace);
    if (*index >= 0) return EXIT_DONE;
    cli_text list = {0};
    char name[NAME_SIZE];
    for (int32_t i = 0; i < target->contents->clip_count && i < 24; ++i)
        text_fmt(&list, "%s%s", i > 0 ? ", " : ": ", cli_clip_name(target, i, name, sizeof name));
    cli_fail(EXIT_READ, "%s: holds no clip '%.*s' to replace; it has %d%s", target->path, NAME_SIZE, r->replace,
             (int)target->contents->clip_count, list.data != NULL ? list.data : "");
    text_free(&list);
    return EXIT_READ;
}

int retarget_put(const retarget* r, retarget_job* j, retarget_outputs* out)
{
    sft_clip* clip = j->solved != NULL ? j->solved : j->moved;
    const bool bvh = sft_io_bvh(j->target->document) != NULL;
    int32_t replaced;
    int code = find_replaced(r, j->target, &replaced);
    if (code != EXIT_DONE) return code;
    choose_name(j, j->put_name, sizeof j->put_name);
    sft_error error = {0};
    sft_result result =
        sft_io_put_clip(j->target->document, replaced, clip, &out->space, j->put_name, &j->put_index, &error);
    if (result == SFT_ERR_UNSUPPORTED && bvh &&
        sft_bvh_fold_travel(sft_io_bvh(j->target->document), j->target->skeleton, clip))
    {
        j->folded = true;
        result = sft_io_put_clip(j->target->document, replaced, clip, &out->space, j->put_name, &j->put_index, &error);
    }
    if (result != SFT_OK) return fail_channels(j, result, &error);
    code = read_back(j, &out->space, j->put_index);
    if (code == EXIT_DONE && bvh) code = say_positions(r, j);
    if (code == EXIT_DONE && bvh && r->options.all_clips) code = keep_text(r, j, out);
    if (code == EXIT_DONE) j->target->chosen[j->target->chosen_count++] = j->put_index;
    ++out->count;
    return code;
}

// ---- files ----

int retarget_write(const retarget* r, retarget_outputs* out, json_out* json)
{
    int code = EXIT_DONE;
    if (sft_io_bvh(out->target->document) != NULL && r->options.all_clips)
    {
        for (int32_t i = 0; i < out->count && code == EXIT_DONE; ++i)
            code = cli_write_bytes(out->paths[i], out->bytes[i], out->sizes[i]);
        return code;
    }
    cli_options own = r->target_options;
    own.output = r->options.output;
    own.all_clips = r->options.all_clips;
    return cli_write_converted(&own, out->target, NULL, json);
}

int retarget_write_map(const retarget* r, const retarget_job* j)
{
    if (r->map_out == NULL) return EXIT_DONE;
    const sft_rig_pair rigs = {j->source_rig, j->target_rig};
    char* text = NULL;
    size_t size = 0;
    const sft_result result = sft_retarget_map_format_json(j->map, &rigs, NULL, &text, &size);
    if (result != SFT_OK)
        return cli_fail(result == SFT_ERR_MEMORY ? EXIT_MEMORY : EXIT_WRITE, "%s: %s", r->map_out,
                        sft_result_string(result));
    const int code = cli_write_bytes(r->map_out, text, size);
    free(text);
    return code;
}
