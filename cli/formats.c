// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// A document into the format that the output's name asks for.

#include "cli.h"

#include <stdlib.h>
#include <string.h>

// Names listed one by one on a terminal.
#define LISTED 24

typedef struct output
{
    const cli_options* options;
    const loaded* file;
    const output_wish* wish;
    sft_io_format format;
    json_out* json;
    bool renamed; // the list in `json` was begun
} output;

static void say_renamed(output* o, const char* path, const sft_io_converted* converted)
{
    for (int32_t i = 0; i < converted->renamed_count; ++i)
    {
        const sft_io_renamed* r = &converted->renamed[i];
        if (i < LISTED)
            cli_warn("%s: '%s' is called '%s' there", path, r->before, r->after);
        else if (i == LISTED)
            cli_warn("%s: and %d more names had to change", path, (int)converted->renamed_count - LISTED);
        if (o->json == NULL) continue;
        json_begin(o->json, NULL, '{');
        json_text(o->json, "before", r->before);
        json_text(o->json, "after", r->after);
        json_end(o->json, '}');
    }
}

static void say_warnings(const char* path, const sft_io_contents* v)
{
    for (int32_t i = 0; i < v->warning_count; ++i)
        cli_warn("%s: %s", path, v->warnings[i].message);
}

// The file's name without folder and ending: what a clip is called that has no name of its own. False where it is long.
static bool name_of_file(const char* path, char* out, size_t capacity)
{
    const char* name = path;
    for (const char* at = path; *at != '\0'; ++at)
        if (*at == '/' || *at == '\\') name = at + 1;
    const char* dot = strrchr(name, '.');
    const size_t length = dot != NULL && dot != name ? (size_t)(dot - name) : strlen(name);
    if (length >= capacity || strcmp(path, "-") == 0) return false;
    memcpy(out, name, length);
    out[length] = '\0';
    return true;
}

static int convert(output* o, int32_t clip, const char* path)
{
    char name[256];
    sft_io_convert_def def = sft_default_io_convert_def();
    def.format = o->format;
    def.clip = clip;
    def.space = o->file->space_known ? &o->file->space : NULL;
    def.unit_metres = o->wish->unit;
    def.up = o->wish->up;
    def.fps = o->options->fps;
    if (name_of_file(o->file->path, name, sizeof name)) def.clip_name = name;
    sft_io_document* made = NULL;
    sft_io_converted converted = {0};
    sft_error error = {0};
    cli_progress("converting ...");
    const sft_result result = sft_io_convert(o->file->document, &def, NULL, &made, &converted, &error);
    cli_progress("%s", "");
    if (result != SFT_OK) return cli_fail_error(o->file->path, result, &error);
    const int code = cli_write_document(path, made, o->wish->embed);
    if (code == EXIT_DONE) say_warnings(path, sft_io_view(made));
    if (code == EXIT_DONE) say_renamed(o, path, &converted);
    sft_io_destroy(made);
    return code;
}

static bool is_gltf(sft_io_format format)
{
    return format == SFT_IO_GLTF || format == SFT_IO_GLB;
}

static int write_all(output* o)
{
    const loaded* file = o->file;
    const char* path = o->options->output;
    if (o->format != SFT_IO_BVH) return convert(o, -1, path);
    if (!o->options->all_clips) return convert(o, file->chosen[0], path);
    int code = cli_check_clip_paths("convert", o->options, path, file);
    for (int32_t i = 0; i < file->chosen_count && code == EXIT_DONE; ++i)
    {
        char* own = cli_clip_path(path, file, file->chosen[i]);
        code = own != NULL ? convert(o, file->chosen[i], own) : cli_fail(EXIT_MEMORY, "out of memory");
        free(own);
    }
    return code;
}

int cli_write_converted(const cli_options* options, const loaded* file, const output_wish* wish, json_out* json)
{
    static const output_wish plain = {.up = -1};
    output o = {.options = options,
                .file = file,
                .wish = wish != NULL ? wish : &plain,
                .format = cli_output_format(options->output, file->document),
                .json = json};
    const sft_io_format own = file->contents->format;
    const bool rescaled = o.format == SFT_IO_BVH && (o.wish->unit > 0.0 || o.wish->up >= 0);
    int code;
    if (json != NULL) json_begin(json, "renamed", '[');
    if (!rescaled && (o.format == own || (is_gltf(o.format) && is_gltf(own))))
        code = cli_write_document(options->output, file->document, o.wish->embed);
    else
        code = write_all(&o);
    if (json != NULL) json_end(json, ']');
    if (code == EXIT_DONE && file->contents->source == SFT_IO_FBX)
        cli_warn("%s: skeleton and motion came over; meshes from FBX are not there yet", file->path);
    return code;
}
