// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// What a run that was killed left behind: files that were being written, under names that were to be changed for
// their own.

#if defined(__linux__) && !defined(_GNU_SOURCE)
#define _GNU_SOURCE
#endif

#include "batch.h"

#if BATCH_RUNS

#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

void batch_remove_leftovers(const char* path)
{
    // Numbers are taken from 0 on where they are free, and one run writes at a time.
    int free_numbers = 0;
    for (int i = 0; i < 16 && free_numbers < 2; ++i)
    {
        cli_text name = {0};
        text_fmt(&name, "%s.tmp%d", path, i);
        if (name.failed || unlink(name.data) != 0) ++free_numbers;
        text_free(&name);
    }
}

void batch_clear_place(const char* output, const batch_words* options)
{
    const size_t size = strlen(output);
    batch_remove_leftovers(output);
    (void)unlink(output);
    if (size > 5 && strcasecmp(output + size - 5, ".gltf") == 0)
    {
        cli_text buffer = {0};
        text_put(&buffer, output, size - 5);
        text_str(&buffer, ".bin");
        if (!buffer.failed) batch_remove_leftovers(buffer.data);
        if (!buffer.failed) (void)unlink(buffer.data);
        text_free(&buffer);
    }
    for (size_t i = 1; i < options->count; ++i)
        if (batch_is_output_option(options->words[i - 1])) batch_remove_leftovers(options->words[i]);
}

static bool is_file(const char* path)
{
    struct stat status;
    return lstat(path, &status) == 0 && S_ISREG(status.st_mode);
}

// A map that is read and written, say: the command refuses that, and it is not to be lost before.
static bool is_read(const char* path, const char* input, const batch_words* options)
{
    if (cli_same_file(path, input)) return true;
    for (size_t i = 1; i < options->count; ++i)
        if (!batch_is_output_option(options->words[i - 1]) && cli_same_file(path, options->words[i])) return true;
    return false;
}

void batch_clear_beside(const char* input, const batch_words* options)
{
    for (size_t i = 1; i < options->count; ++i)
    {
        const char* path = options->words[i];
        if (batch_is_output_option(options->words[i - 1]) && is_file(path) && !is_read(path, input, options))
            (void)unlink(path);
    }
}

// A file's time may be that of another machine, or of a system that counts whole seconds.
#define CLOCKS_DIFFER 2.0 // [s]

bool batch_is_of_then(const struct stat* status, double began, double ended)
{
    const double written = (double)status->st_mtime;
    return written >= began - CLOCKS_DIFFER && written <= ended + CLOCKS_DIFFER;
}

void batch_clear_written(const batch_entry* e, const char* input, const batch_words* options)
{
    struct stat status;
    for (size_t i = 0; i < e->beside.count; ++i)
    {
        const char* path = e->beside.words[i];
        // Another path of that name, where the batch runs now, or what somebody wrote there since, is not its.
        if (lstat(path, &status) == 0 && S_ISREG(status.st_mode) &&
            batch_is_of_then(&status, e->ended - e->seconds, e->ended) && !is_read(path, input, options))
            (void)unlink(path);
    }
}

// ---- files that clips of a file have of their own ----

static int by_text(const void* a, const void* b)
{
    return strcmp(*(char* const*)a, *(char* const*)b);
}

static bool takes_all_clips(const batch_words* options)
{
    for (size_t i = 0; i < options->count; ++i)
        if (strncmp(options->words[i], "--all", 5) == 0) return true;
    return false;
}

static bool ends_with(const char* text, const char* ending)
{
    const size_t size = strlen(text), wanted = strlen(ending);
    return size > wanted && strcasecmp(text + size - wanted, ending) == 0;
}

bool batch_has_one_output(const batch_recipe* recipe, const batch_input* input)
{
    const char* output = input->plan.output;
    // Clips of a glTF stay together; the one clip of a BVH has no name to go by.
    return !takes_all_clips(&input->plan.options) || batch_prints(recipe) || ends_with(output, ".glb") ||
           ends_with(output, ".gltf") || ends_with(input->path, ".bvh");
}

// "x-Walk.bvh.tmp0" is of x.bvh: the length without ".tmp0", or 0.
static size_t size_without_tmp(const char* name)
{
    size_t size = strlen(name);
    while (size > 0 && name[size - 1] >= '0' && name[size - 1] <= '9')
        --size;
    return name[size] != '\0' && size > 4 && strncmp(name + size - 4, ".tmp", 4) == 0 ? size - 4 : 0;
}

// Whether a file is a clip's of one of `paths`: a clip's name may have a '-' of its own.
static bool is_of_a_clip(const char* folder, const char* name, size_t size, const batch_words* paths)
{
    size_t ending = size;
    while (ending > 0 && name[ending - 1] != '.')
        --ending;
    ending -= ending > 0 ? 1 : 0;
    bool found = false;
    for (size_t at = 1; at < ending && !found; ++at)
    {
        if (name[at] != '-') continue;
        cli_text path = {0};
        text_str(&path, folder);
        text_put(&path, name, at);
        text_put(&path, name + ending, size - ending);
        found = !path.failed && bsearch(&path.data, paths->words, paths->count, sizeof *paths->words, by_text) != NULL;
        text_free(&path);
    }
    return found;
}

// `folder` with its slash.
static void sweep_folder(const char* folder, const batch_words* paths)
{
    DIR* entries = opendir(folder);
    for (struct dirent* e; entries != NULL && (e = readdir(entries)) != NULL;)
    {
        const size_t size = size_without_tmp(e->d_name);
        if (size == 0 || !is_of_a_clip(folder, e->d_name, size, paths)) continue;
        cli_text path = {0};
        text_str(&path, folder);
        text_str(&path, e->d_name);
        if (!path.failed) unlink(path.data);
        text_free(&path);
    }
    if (entries != NULL) closedir(entries);
}

static void add_paths(const batch_job* job, const char* out_folder, batch_words* paths)
{
    const batch_plan* plan = &job->input->plan;
    cli_text output = {0};
    text_fmt(&output, "%s/%s", out_folder, plan->output);
    if (!output.failed) batch_words_add(paths, output.data, output.size);
    text_free(&output);
    for (size_t i = 1; i < plan->options.count; ++i)
        if (batch_is_output_option(plan->options.words[i - 1]))
            batch_words_add(paths, plan->options.words[i], strlen(plan->options.words[i]));
}

void batch_sweep_clips(const batch_job* jobs, size_t count, const char* out_folder)
{
    batch_words paths = {0};
    for (size_t i = 0; i < count; ++i)
        if (takes_all_clips(&jobs[i].input->plan.options)) add_paths(jobs + i, out_folder, &paths);
    if (paths.count > 0 && !paths.failed) qsort(paths.words, paths.count, sizeof *paths.words, by_text);
    cli_text last = {0};
    for (size_t i = 0; i < paths.count && !paths.failed; ++i)
    {
        const char* slash = strrchr(paths.words[i], '/');
        const size_t size = slash != NULL ? (size_t)(slash + 1 - paths.words[i]) : 0;
        // Files of one folder follow one another.
        if (last.size == size && size > 0 && strncmp(last.data, paths.words[i], size) == 0) continue;
        text_free(&last);
        text_put(&last, paths.words[i], size);
        if (size > 0 && !last.failed) sweep_folder(last.data, &paths);
    }
    text_free(&last);
    batch_words_free(&paths);
}

#endif
