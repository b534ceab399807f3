// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// Which clips of a file a command works on, and what they are called.

#include "cli.h"

#include <stdlib.h>
#include <string.h>

// Clips listed in a message.
#define LISTED 24
// Longest name of a clip in a file's name, in bytes.
#define FILE_NAME_MOST 100

const char* cli_clip_name(const loaded* file, int32_t index, char* out, size_t capacity)
{
    if (index < 0)
        snprintf(out, capacity, "the rest pose");
    else if (file->contents->clips[index].name[0] == '\0')
        snprintf(out, capacity, "clip %d", (int)index);
    else
        cli_safe_utf8(file->contents->clips[index].name, out, capacity);
    return out;
}

char* cli_clip_title(const loaded* file)
{
    char name[NAME_SIZE];
    cli_text text = {0};
    text_str(&text, file->name);
    if (file->contents->clip_count > 1)
        text_fmt(&text, ", %s", cli_clip_name(file, file->clip_index, name, sizeof name));
    if (!text.failed) return text.data;
    text_free(&text);
    return NULL;
}

// ---- choosing ----

// Why a clip cannot be worked on; null: it can.
static const char* trouble(const loaded* file, int32_t index)
{
    const sft_io_clip* clip = &file->contents->clips[index];
    if (clip->problem != NULL) return clip->problem;
    // A BVH without channels is a skeleton that stands still.
    return clip->channel_count == 0 && file->contents->format != SFT_IO_BVH ? "it moves no joint" : NULL;
}

static void list_clips(cli_text* text, const loaded* file)
{
    char name[NAME_SIZE];
    const int32_t count = file->contents->clip_count;
    for (int32_t i = 0; i < count && i < LISTED; ++i)
        text_fmt(text, "\n  %3d  %s", (int)i, cli_clip_name(file, i, name, sizeof name));
    if (count > LISTED) text_fmt(text, "\n  and %d more; `surefoot info` lists them all", (int)count - LISTED);
}

static int fail_with_list(int code, const loaded* file, const char* message)
{
    cli_text text = {0};
    list_clips(&text, file);
    cli_fail(code, "%s: %s%s", file->path, message, text.data != NULL ? text.data : "");
    text_free(&text);
    return code;
}

static int choose_named(const cli_options* options, loaded* file)
{
    const int32_t index = sft_io_find_clip(file->document, options->clip);
    char message[NAME_SIZE + 96];
    if (index < 0)
    {
        snprintf(message, sizeof message, "holds no clip '%.*s'; it has%s", NAME_SIZE, options->clip,
                 file->contents->clip_count == 0 ? " none" : "");
        return fail_with_list(EXIT_READ, file, message);
    }
    const char* why = trouble(file, index);
    if (why != NULL)
        return cli_fail(EXIT_READ, "%s: clip %s: %s", file->path, cli_clip_name(file, index, message, NAME_SIZE), why);
    file->chosen[0] = index;
    file->chosen_count = 1;
    return EXIT_DONE;
}

// All that can be worked on; the rest is named.
static void choose_all(loaded* file, bool say)
{
    enum
    {
        SAID = 20
    };
    char name[NAME_SIZE];
    int32_t left = 0;
    file->chosen_count = 0;
    for (int32_t i = 0; i < file->contents->clip_count; ++i)
    {
        const char* why = trouble(file, i);
        if (why == NULL)
            file->chosen[file->chosen_count++] = i;
        else if (say && ++left <= SAID)
            cli_warn("%s: clip %s is left out: %s", file->path, cli_clip_name(file, i, name, sizeof name), why);
    }
    if (left > SAID) cli_warn("%s: %d clips more are left out", file->path, (int)(left - SAID));
}

static int fail_without_clips(const loaded* file, bool legs)
{
    const sft_io_contents* v = file->contents;
    if (v->clip_count == 0) return cli_fail(EXIT_READ, "%s: holds no clip, only a rest pose", file->path);
    for (int32_t i = 0; i < v->clip_count; ++i)
        if (v->clips[i].problem != NULL)
            return cli_fail(EXIT_READ, "%s: none of its clips can be read: %s", file->path, v->clips[i].problem);
    if (!legs) return cli_fail(EXIT_READ, "%s: no clip moves a joint and there is no skeleton", file->path);
    return cli_fail(EXIT_NO_LEGS, "%s: no clip moves a joint, so there is no skeleton and there are no feet",
                    file->path);
}

int cli_choose_clips(const cli_options* options, const char* command, clip_need need, loaded* file)
{
    free(file->chosen);
    file->chosen = calloc((size_t)file->contents->clip_count + 1, sizeof *file->chosen);
    if (file->chosen == NULL) return cli_fail(EXIT_MEMORY, "out of memory");
    if (options->clip != NULL && options->all_clips)
        return cli_fail(EXIT_USAGE, "%s: --clip names one clip and --all-clips all; say one of the two", command);
    if (options->clip != NULL) return choose_named(options, file);
    choose_all(file, need != CLIPS_REST);
    if (file->chosen_count == 0 && need != CLIPS_REST) return fail_without_clips(file, strcmp(command, "convert") != 0);
    if (file->chosen_count == 0)
        file->chosen[file->chosen_count++] = -1;
    else if (need == CLIPS_REST && !options->all_clips)
        file->chosen_count = 1;
    else if (need == CLIPS_ONE && !options->all_clips && file->chosen_count > 1)
    {
        char message[160];
        snprintf(message, sizeof message, "holds %d clips; %s wants --clip NAME (or its number) or --all-clips",
                 (int)file->contents->clip_count, command);
        return fail_with_list(EXIT_USAGE, file, message);
    }
    return EXIT_DONE;
}

bool cli_many_clips(const cli_options* options, const loaded* file)
{
    return options->all_clips || file->chosen_count > 1;
}

// ---- names of files ----

// A clip's name as a part of a file's name: letters, digits and a few marks stay, everything else becomes '_'.
static void plain_name(const loaded* file, int32_t index, char out[FILE_NAME_MOST + 1])
{
    size_t size = 0;
    const char* name = file->contents->clips[index].name;
    while (*name != '\0')
    {
        const int length = cli_utf8_length(name);
        const bool keep = (length > 1 && !cli_is_control(name)) || (*name >= 'a' && *name <= 'z') ||
                          (*name >= 'A' && *name <= 'Z') || (*name >= '0' && *name <= '9') ||
                          strchr("-_.+()", *name) != NULL;
        const size_t bytes = keep ? (size_t)length : 1;
        if (size + bytes > FILE_NAME_MOST) break;
        if (keep)
            memcpy(out + size, name, bytes);
        else
            out[size] = '_';
        size += bytes;
        name += length > 0 ? length : 1;
    }
    out[size] = '\0';
    if (size == 0) snprintf(out, FILE_NAME_MOST + 1, "%d", (int)index);
}

// Some file systems do not tell capitals from small letters.
static bool alike(const char* a, const char* b)
{
    for (; *a != '\0' || *b != '\0'; ++a, ++b)
    {
        const char x = *a >= 'A' && *a <= 'Z' ? (char)(*a + 32) : *a;
        const char y = *b >= 'A' && *b <= 'Z' ? (char)(*b + 32) : *b;
        if (x != y) return false;
    }
    return true;
}

char* cli_clip_path(const char* path, const loaded* file, int32_t index)
{
    char name[FILE_NAME_MOST + 1], other[FILE_NAME_MOST + 1], number[16] = "";
    const char* slash = strrchr(path, '/');
    const char* dot = strrchr(slash != NULL ? slash + 1 : path, '.');
    const size_t stem = dot != NULL && dot != path && dot[-1] != '/' ? (size_t)(dot - path) : strlen(path);
    cli_text text = {0};
    text_put(&text, path, stem);
    // The only clip of a format without names needs none.
    if (index >= 0 && !(file->contents->format == SFT_IO_BVH && file->contents->clips[index].name[0] == '\0'))
    {
        plain_name(file, index, name);
        // The number of the clip is its own, whatever the others are called.
        for (int32_t i = 0; i < file->contents->clip_count && number[0] == '\0'; ++i)
        {
            if (i == index) continue;
            plain_name(file, i, other);
            if (alike(name, other)) snprintf(number, sizeof number, "#%d", (int)index);
        }
        text_fmt(&text, "-%s%s", name, number);
    }
    text_str(&text, path + stem);
    if (!text.failed) return text.data;
    text_free(&text);
    return NULL;
}

int cli_check_clip_paths(const char* command, const cli_options* options, const char* path, const loaded* file)
{
    const char* const inputs[] = {file->path, options->contacts, options->legs, options->character};
    for (int32_t i = 0; path != NULL && i < file->chosen_count; ++i)
    {
        char* own = cli_clip_path(path, file, file->chosen[i]);
        if (own == NULL) return cli_fail(EXIT_MEMORY, "out of memory");
        const char* const outputs[] = {own};
        int code = cli_check_paths(command, inputs, 4, outputs, 1, false);
        if (code == EXIT_DONE) code = cli_check_resources(command, options, file, outputs, 1);
        free(own);
        if (code != EXIT_DONE) return code;
    }
    return EXIT_DONE;
}
