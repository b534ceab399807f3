// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// A batch in one file: recipe, output folder and list as they were when it was frozen.

#if defined(__linux__) && !defined(_GNU_SOURCE)
#define _GNU_SOURCE
#endif

#include "batch.h"

#if BATCH_RUNS

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define FROZEN_FORM 1

// ---- out ----

static void end_line(cli_text* out)
{
    // In the place of the last member's comma.
    if (!out->failed) out->data[out->size - 1] = '}';
    text_str(out, "\n");
}

int batch_freeze(const char* path, const batch_recipe* recipe, const char* out_folder, const batch_list* list)
{
    cli_text out = {0};
    text_fmt(&out, "{\"frozen\":%d,", FROZEN_FORM);
    batch_put_text(&out, "recipe", recipe->path);
    batch_put_text(&out, "text", recipe->text);
    batch_put_text(&out, "output", out_folder);
    text_fmt(&out, "\"unread\":%llu,\"clips\":%llu,", (unsigned long long)list->unread,
             (unsigned long long)list->count);
    end_line(&out);
    for (size_t i = 0; i < list->count; ++i)
    {
        text_str(&out, "{");
        batch_put_text(&out, "path", list->inputs[i].path);
        batch_put_text(&out, "input", list->inputs[i].name);
        end_line(&out);
    }
    const int code = out.failed ? cli_fail(EXIT_MEMORY, "out of memory") : cli_write_bytes(path, out.data, out.size);
    text_free(&out);
    return code;
}

// ---- in ----

static const char* text_in(const json_value* object, const char* key)
{
    const json_value* v = json_get(object, key);
    return v != NULL && v->kind == JSON_STRING && v->string[0] != '\0' ? v->string : NULL;
}

static double number_in(const json_value* object, const char* key)
{
    const json_value* v = json_get(object, key);
    return v != NULL && v->kind == JSON_NUMBER && v->number >= 0.0 && v->number <= 1e9 ? v->number : -1.0;
}

// *count: of the clips that are to follow.
static int take_head(const char* path, const json_value* v, batch_run* run, batch_recipe* recipe, char** output,
                     batch_list* list, double* count)
{
    const char *of = text_in(v, "recipe"), *text = text_in(v, "text"), *folder = text_in(v, "output");
    const double form = number_in(v, "frozen"), unread = number_in(v, "unread");
    if (form > FROZEN_FORM)
        return cli_fail(EXIT_READ, "%s:1: was frozen by a later version than this; freeze it again", path);
    *count = number_in(v, "clips");
    if (form != FROZEN_FORM || of == NULL || text == NULL || folder == NULL || unread < 0.0 || *count < 0.0)
        return cli_fail(EXIT_READ,
                        "%s:1: is no frozen batch; `surefoot batch RECIPE IN -o OUT --freeze FILE` makes one", path);
    list->unread = (size_t)unread;
    *output = strdup(folder);
    return *output != NULL ? batch_take_recipe(of, text, strlen(text), run, recipe)
                           : cli_fail(EXIT_MEMORY, "out of memory");
}

static int take_clip(const char* path, unsigned long line, const json_value* v, batch_list* list)
{
    const char *from = text_in(v, "path"), *name = text_in(v, "input");
    if (from == NULL || name == NULL || name[0] == '/' || batch_goes_up(name))
        return cli_fail(EXIT_READ, "%s:%lu: is no clip of a frozen batch; freeze it again", path, line);
    return batch_add_input(list, from, name, 0);
}

static int take_lines(const char* path, const char* text, size_t size, batch_run* run, batch_recipe* recipe,
                      char** output, batch_list* list)
{
    int code = EXIT_DONE;
    unsigned long line = 1;
    double count = 0.0;
    for (const char *at = text, *end; code == EXIT_DONE && at < text + size; at = end + 1, ++line)
    {
        end = memchr(at, '\n', (size_t)(text + size - at));
        if (end == NULL) return cli_fail(EXIT_READ, "%s:%lu: ends within a line; freeze it again", path, line);
        sft_error error = {0};
        json_value* v = json_parse(at, (size_t)(end - at), &error);
        if (v == NULL || v->kind != JSON_OBJECT)
            code = cli_fail(EXIT_READ, "%s:%lu: is no line of a frozen batch; freeze it again", path, line);
        else
            code = line == 1 ? take_head(path, v, run, recipe, output, list, &count) : take_clip(path, line, v, list);
        json_destroy(v);
    }
    if (code == EXIT_DONE && line == 1) return cli_fail(EXIT_READ, "%s: is empty; freeze it again", path);
    if (code == EXIT_DONE && (double)list->count != count)
        return cli_fail(EXIT_READ, "%s: has %llu clips and should have %.0f; freeze it again", path,
                        (unsigned long long)list->count, count);
    return code;
}

int batch_thaw(const char* path, batch_run* run, batch_recipe* recipe, char** output, batch_list* list)
{
    void* bytes = NULL;
    size_t size = 0;
    int code = cli_read_bytes(path, &bytes, &size);
    if (code == EXIT_DONE) code = take_lines(path, bytes, size, run, recipe, output, list);
    if (code == EXIT_DONE) code = batch_order_list(list);
    free(bytes);
    return code;
}

void batch_find_sizes(batch_list* list)
{
    struct stat status;
    for (size_t i = 0; i < list->count; ++i)
        if (stat(list->inputs[i].path, &status) == 0) list->inputs[i].size = (uint64_t)status.st_size;
}

#endif
