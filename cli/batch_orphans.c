// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// Outputs whose input is no more: a dataset that has them holds clips that nobody meant to be in it.

#if defined(__linux__) && !defined(_GNU_SOURCE)
#define _GNU_SOURCE
#endif

#include "batch.h"

#if BATCH_RUNS

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

// ---- files that are not to be touched ----

typedef struct identity
{
    dev_t device;
    ino_t number;
} identity;

typedef struct identities
{
    identity* files;
    size_t count, capacity;
    bool failed;
} identities;

static int by_identity(const void* a, const void* b)
{
    const identity *x = a, *y = b;
    if (x->device != y->device) return x->device < y->device ? -1 : 1;
    return (x->number > y->number) - (x->number < y->number);
}

static void keep(identities* all, const char* path)
{
    struct stat status;
    if (stat(path, &status) != 0) return;
    if (all->count == all->capacity)
    {
        const size_t capacity = all->capacity * 2 + 1024;
        identity* files = realloc(all->files, capacity * sizeof *files);
        all->failed = all->failed || files == NULL;
        if (files == NULL) return;
        all->files = files;
        all->capacity = capacity;
    }
    all->files[all->count++] = (identity){status.st_dev, status.st_ino};
}

static int input_by_name(const void* a, const void* b)
{
    return strcmp(((const batch_input*)a)->name, ((const batch_input*)b)->name);
}

static const batch_input* find_input(const batch_list* list, const char* name)
{
    const batch_input wanted = {.name = (char*)name};
    return list->count > 0 ? bsearch(&wanted, list->inputs, list->count, sizeof wanted, input_by_name) : NULL;
}

// What the list is of, what it makes, and what its options name, whatever each of them is called.
static void find_kept(const batch_manifest* m, const batch_list* list, const char* out_folder, identities* all)
{
    for (size_t i = 0; i < m->count && !all->failed; ++i)
        for (size_t k = 0; k < m->entries[i].beside.count; ++k)
            if (find_input(list, m->entries[i].name) != NULL) keep(all, m->entries[i].beside.words[k]);
    for (size_t i = 0; i < list->count && !all->failed; ++i)
    {
        const batch_plan* plan = &list->inputs[i].plan;
        cli_text output = {0};
        text_fmt(&output, "%s/%s", out_folder, plan->output);
        all->failed = all->failed || output.failed;
        if (!output.failed) keep(all, output.data);
        text_free(&output);
        keep(all, list->inputs[i].path);
        for (size_t k = 0; k < plan->options.count; ++k)
            if (plan->options.words[k][0] != '-') keep(all, plan->options.words[k]);
    }
    if (all->count > 0) qsort(all->files, all->count, sizeof *all->files, by_identity);
}

static bool is_kept(const identities* all, const struct stat* status)
{
    const identity wanted = {status->st_dev, status->st_ino};
    return all->count > 0 && bsearch(&wanted, all->files, all->count, sizeof wanted, by_identity) != NULL;
}

// ---- what there is ----

static bool full_path(const batch_orphan* o, const char* out_folder, cli_text* out)
{
    if (o->below) text_fmt(out, "%s/", out_folder);
    text_str(out, o->path);
    return !out->failed;
}

// `size`: as its line says.
static bool add(batch_orphans* all, const batch_entry* e, const char* path, bool below, uint64_t size)
{
    if (all->count == all->capacity)
    {
        const size_t capacity = all->capacity * 2 + 256;
        batch_orphan* files = realloc(all->files, capacity * sizeof *files);
        if (files == NULL) return false;
        all->files = files;
        all->capacity = capacity;
    }
    batch_orphan o = {.path = strdup(path),
                      .input = strdup(e->name),
                      .began = e->ended - e->seconds,
                      .ended = e->ended,
                      .size = size,
                      .why = "",
                      .below = below};
    all->files[all->count++] = o;
    return o.path != NULL && o.input != NULL;
}

// `output`: what the input becomes now; null where it is none. `last`: what stands beside is that of the input now.
static bool add_entry(batch_orphans* all, const batch_entry* e, const char* output, bool last, const char* out_folder)
{
    const size_t size = strlen(out_folder);
    bool good = true;
    if (e->output != NULL && (output == NULL || strcmp(e->output, output) != 0))
        good = add(all, e, e->output, true, e->output_size);
    for (size_t i = 0; i < e->beside.count && good && !(last && output != NULL); ++i)
    {
        const char* path = e->beside.words[i];
        const bool below = strncmp(path, out_folder, size) == 0 && path[size] == '/';
        good = add(all, e, below ? path + size + 1 : path, below, BATCH_SIZE_UNKNOWN);
    }
    return good;
}

static bool gather(const batch_manifest* m, const batch_list* list, const char* out_folder, batch_orphans* all)
{
    bool good = true;
    for (size_t i = 0; i < m->count + m->former_count && good; ++i)
    {
        const batch_entry* e = i < m->count ? m->entries + i : m->former + (i - m->count);
        const batch_input* input = find_input(list, e->name);
        good = add_entry(all, e, input != NULL ? input->plan.output : NULL, i < m->count, out_folder);
    }
    return good;
}

static int by_path(const void* a, const void* b)
{
    const batch_orphan *x = a, *y = b;
    const int paths = strcmp(x->path, y->path);
    return paths != 0 ? paths : (x->ended < y->ended) - (x->ended > y->ended);
}

static const char* reason(const batch_recipe* recipe, const batch_list* list, const char* name, const char* out_folder)
{
    if (find_input(list, name) != NULL) return "its clip is written elsewhere now";
    batch_plan plan = {0};
    const bool skipped = batch_plan_for(recipe, name, out_folder, &plan) == EXIT_DONE && plan.skipped;
    batch_free_plan(&plan);
    return skipped ? "the recipe skips its clip" : "its clip is not among the inputs";
}

static bool changed_since(const batch_orphan* o, const struct stat* status)
{
    if (o->size != BATCH_SIZE_UNKNOWN && (uint64_t)status->st_size != o->size) return true;
    // What is older than the clip's beginning was put there by somebody else: a page's path, say, that is relative to
    // where the batch ran then.
    return !batch_is_of_then(status, o->began, o->ended);
}

static void drop(batch_orphan* o)
{
    free(o->path);
    free(o->input);
}

int batch_find_orphans(const batch_manifest* m, const batch_recipe* recipe, const batch_list* list,
                       const char* out_folder, batch_orphans* out)
{
    batch_orphans all = {0};
    identities kept = {0};
    bool good = gather(m, list, out_folder, &all);
    if (good && all.count > 0)
    {
        qsort(all.files, all.count, sizeof *all.files, by_path);
        find_kept(m, list, out_folder, &kept);
        good = !kept.failed;
    }
    size_t count = 0;
    for (size_t i = 0; i < all.count && good; ++i)
    {
        batch_orphan o = all.files[i];
        all.files[i] = (batch_orphan){0};
        cli_text path = {0};
        struct stat status;
        good = full_path(&o, out_folder, &path);
        const bool repeated = count > 0 && strcmp(all.files[count - 1].path, o.path) == 0;
        if (!good || repeated || lstat(path.data, &status) != 0 || !S_ISREG(status.st_mode) || is_kept(&kept, &status))
            drop(&o);
        else
        {
            o.changed = changed_since(&o, &status);
            o.why = reason(recipe, list, o.input, out_folder);
            all.files[count++] = o;
        }
        text_free(&path);
    }
    if (good) all.count = count;
    free(kept.files);
    *out = all;
    return good ? EXIT_DONE : cli_fail(EXIT_MEMORY, "out of memory");
}

// ---- away with them ----

static void remove_empty_folders(cli_text* path, size_t stem)
{
    for (char* slash = strrchr(path->data, '/'); slash != NULL && (size_t)(slash - path->data) > stem;
         slash = strrchr(path->data, '/'))
    {
        *slash = '\0';
        if (rmdir(path->data) != 0) return;
    }
}

static int prune_one(batch_orphan* o, const char* out_folder)
{
    static const batch_words none = {0};
    cli_text path = {0};
    struct stat status;
    if (!full_path(o, out_folder, &path)) return cli_fail(EXIT_MEMORY, "out of memory");
    batch_clear_place(path.data, &none);
    o->removed = lstat(path.data, &status) != 0;
    const int code = o->removed ? EXIT_DONE : cli_fail(EXIT_WRITE, "%s: cannot be removed", path.data);
    if (o->removed && o->below) remove_empty_folders(&path, strlen(out_folder));
    text_free(&path);
    return code;
}

static int by_input(const void* a, const void* b)
{
    return strcmp(((const batch_orphan*)a)->input, ((const batch_orphan*)b)->input);
}

static int by_input_name(const void* name, const void* orphan)
{
    return strcmp(name, ((const batch_orphan*)orphan)->input);
}

// Inputs that are not in the list, and of which nothing is left: those that failed, too, and those of a run that was
// killed while it pruned.
static int forget(const batch_manifest* m, batch_orphans* orphans, const batch_list* list, int fd, const char* path)
{
    batch_orphans left = {0};
    int code = EXIT_DONE;
    if (orphans->count > 0)
    {
        left.files = malloc(orphans->count * sizeof *left.files);
        if (left.files == NULL) return cli_fail(EXIT_MEMORY, "out of memory");
        for (size_t i = 0; i < orphans->count; ++i)
            if (!orphans->files[i].removed) left.files[left.count++] = orphans->files[i];
        qsort(left.files, left.count, sizeof *left.files, by_input);
    }
    for (size_t i = 0; i < m->count && code == EXIT_DONE; ++i)
    {
        const batch_entry* e = m->entries + i;
        if (find_input(list, e->name) != NULL) continue;
        const bool some =
            left.count > 0 && bsearch(e->name, left.files, left.count, sizeof *left.files, by_input_name) != NULL;
        if (!some) code = batch_append_removed(fd, path, e->name, e->ended);
    }
    free(left.files);
    return code;
}

int batch_prune(const batch_manifest* m, batch_orphans* orphans, const batch_list* list, const char* out_folder, int fd,
                const char* path)
{
    int code = EXIT_DONE;
    for (size_t i = 0; i < orphans->count && code == EXIT_DONE; ++i)
        if (!orphans->files[i].changed) code = prune_one(orphans->files + i, out_folder);
    const int forgot = forget(m, orphans, list, fd, path);
    return code == EXIT_DONE ? forgot : code;
}

void batch_free_orphans(batch_orphans* orphans)
{
    for (size_t i = 0; i < orphans->count; ++i)
        drop(orphans->files + i);
    free(orphans->files);
    *orphans = (batch_orphans){0};
}

#endif
