// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// Which clips a batch is of: folders with all below them, patterns, files, or names on standard input. The list is in
// order of names, the same on every machine, so that shards of it are too.

#if defined(__linux__) && !defined(_GNU_SOURCE)
#define _GNU_SOURCE
#endif

#include "batch.h"

#if BATCH_RUNS

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

#define DEPTH_MOST 64

static bool is_motion(const char* name)
{
    static const char* const endings[] = {".bvh", ".glb", ".gltf", ".fbx"};
    const char* point = strrchr(name, '.');
    for (size_t i = 0; point != NULL && i < sizeof endings / sizeof endings[0]; ++i)
        if (strcasecmp(point, endings[i]) == 0) return true;
    return false;
}

static char* join(const char* folder, const char* name)
{
    const size_t a = strlen(folder), b = strlen(name);
    const bool slash = a > 0 && folder[a - 1] != '/';
    char* path = malloc(a + b + 2);
    if (path == NULL) return NULL;
    memcpy(path, folder, a);
    if (slash) path[a] = '/';
    memcpy(path + a + (slash ? 1 : 0), name, b + 1);
    return path;
}

static int no_memory(void)
{
    return cli_fail(EXIT_MEMORY, "out of memory");
}

int batch_add_input(batch_list* list, const char* path, const char* name, uint64_t size)
{
    if (list->count == list->capacity)
    {
        const size_t capacity = list->capacity * 2 + 256;
        batch_input* inputs = realloc(list->inputs, capacity * sizeof *inputs);
        if (inputs == NULL) return no_memory();
        list->inputs = inputs;
        list->capacity = capacity;
    }
    batch_input input = {.path = strdup(path), .name = strdup(name), .size = size};
    if (input.path == NULL || input.name == NULL)
    {
        free(input.path);
        free(input.name);
        return no_memory();
    }
    list->inputs[list->count++] = input;
    return EXIT_DONE;
}

// Outputs of a run are no inputs of the next: the output folder is left out where it lies below a folder of inputs, and
// inputs that lie in it are refused. Paths without links; null where there is no such folder yet.
typedef struct finder
{
    batch_list* list;
    char* out;
} finder;

static bool lies_in(const char* folder, const char* path)
{
    const size_t size = strlen(folder);
    if (strncmp(path, folder, size) != 0) return false;
    return path[size] == '\0' || path[size] == '/' || (size > 0 && folder[size - 1] == '/');
}

static bool is_output(const finder* f, const char* path)
{
    char* whole = f->out != NULL ? realpath(path, NULL) : NULL;
    const bool within = whole != NULL && lies_in(f->out, whole);
    free(whole);
    return within;
}

static int refuse_output(const char* path)
{
    return cli_fail(EXIT_USAGE,
                    "batch: %s lies in the output folder, where outputs would be taken for inputs, or written over "
                    "them; give -o a folder beside the inputs",
                    path);
}

typedef struct walk
{
    const finder* of;
    const char* pattern; // names of motion files are to fit; null: all
    size_t before;       // length of the folder that names are below
    size_t found;
} walk;

// What is below it is missed, and all else is done.
static void pass_over(const walk* w, const char* path, const char* reason)
{
    ++w->of->list->unread;
    // The reason first: long messages are cut short, and paths can be long.
    cli_fail(EXIT_READ, "left out: %s: %s", reason, path);
}

static int walk_folder(walk* w, const char* folder, int depth);

static int walk_entry(walk* w, const char* path, int depth)
{
    struct stat status;
    if (lstat(path, &status) != 0)
    {
        // It may have gone since its folder was read.
        if (errno != ENOENT) pass_over(w, path, strerror(errno));
        return EXIT_DONE;
    }
    if (S_ISDIR(status.st_mode)) return is_output(w->of, path) ? EXIT_DONE : walk_folder(w, path, depth + 1);
    // A link to a file is that file; a link to a folder may lead back up, and is left alone.
    if (S_ISLNK(status.st_mode) && (stat(path, &status) != 0 || is_output(w->of, path))) return EXIT_DONE;
    if (!S_ISREG(status.st_mode)) return EXIT_DONE;
    const char* name = path + w->before;
    if (!is_motion(name) || (w->pattern != NULL && !batch_matches(w->pattern, name))) return EXIT_DONE;
    ++w->found;
    return batch_add_input(w->of->list, path, name, (uint64_t)status.st_size);
}

static int walk_folder(walk* w, const char* folder, int depth)
{
    DIR* entries = depth <= DEPTH_MOST ? opendir(folder) : NULL;
    if (entries == NULL && depth == 0) return cli_fail(EXIT_READ, "%s: %s", folder, strerror(errno));
    if (entries == NULL)
    {
        pass_over(w, folder, depth > DEPTH_MOST ? "folders lie more than 64 deep" : strerror(errno));
        return EXIT_DONE;
    }
    int code = EXIT_DONE;
    struct dirent* entry;
    while (code == EXIT_DONE && (entry = readdir(entries)) != NULL)
    {
        if (entry->d_name[0] == '.') continue;
        char* path = join(folder, entry->d_name);
        code = path != NULL ? walk_entry(w, path, depth) : no_memory();
        free(path);
    }
    closedir(entries);
    return code;
}

static int add_folder(const finder* f, const char* folder, const char* pattern)
{
    if (is_output(f, folder)) return refuse_output(folder);
    // As join makes paths of it.
    const size_t size = strlen(folder);
    walk w = {.of = f, .pattern = pattern, .before = size + (size > 0 && folder[size - 1] != '/' ? 1 : 0)};
    const int code = walk_folder(&w, folder, 0);
    if (code == EXIT_DONE && w.found == 0)
        return pattern != NULL
                   ? cli_fail(EXIT_READ, "%s: no BVH, glTF, GLB or FBX file below it fits %s", folder, pattern)
                   : cli_fail(EXIT_READ, "%s: no BVH, glTF, GLB or FBX file is below it", folder);
    return code;
}

// The folders before the first part with a wildcard are where names are below.
static int add_pattern(const finder* f, const char* pattern)
{
    const char* wild = pattern + strcspn(pattern, "*?");
    while (wild > pattern && wild[-1] != '/')
        --wild;
    char* folder = malloc((size_t)(wild - pattern) + 2);
    if (folder == NULL) return no_memory();
    memcpy(folder, pattern, (size_t)(wild - pattern));
    folder[wild - pattern] = '\0';
    if (wild == pattern) strcpy(folder, ".");
    const int code = add_folder(f, folder, wild);
    free(folder);
    return code;
}

bool batch_goes_up(const char* name)
{
    for (const char* part = name; part != NULL; part = strchr(part, '/'))
    {
        part += *part == '/' ? 1 : 0;
        if (strncmp(part, "..", 2) == 0 && (part[2] == '/' || part[2] == '\0')) return true;
    }
    return false;
}

static int add_path(const finder* f, const char* path, bool whole_name)
{
    struct stat status = {0};
    const bool there = stat(path, &status) == 0;
    // A list is of names, whatever is in them.
    if (!there && !whole_name && strpbrk(path, "*?") != NULL) return add_pattern(f, path);
    // One of a long list that has gone costs only itself: its command will say so.
    if (!there && !whole_name) return cli_fail(EXIT_READ, "%s: %s", path, strerror(errno));
    if (there && S_ISDIR(status.st_mode)) return add_folder(f, path, NULL);
    if (there && !S_ISREG(status.st_mode)) return cli_fail(EXIT_READ, "%s: is neither a file nor a folder", path);
    if (is_output(f, path)) return refuse_output(path);
    // A list keeps its tree; a file of the command line its name.
    const char* name = path;
    while (strncmp(name, "./", 2) == 0 || name[0] == '/')
        name += name[0] == '/' ? 1 : 2;
    const char* slash = strrchr(name, '/');
    if (!whole_name && slash != NULL) name = slash + 1;
    if (batch_goes_up(name))
        return cli_fail(EXIT_READ,
                        "%s: its place below the output would be outside of it; give names below the current "
                        "folder, or whole paths",
                        path);
    return batch_add_input(f->list, path, name, (uint64_t)status.st_size);
}

// A name that begins as options do is one all the same.
static int add_given(const finder* f, const char* path, bool whole_name)
{
    if (path[0] != '-') return add_path(f, path, whole_name);
    char* here = join(".", path);
    const int code = here != NULL ? add_path(f, here, whole_name) : no_memory();
    free(here);
    return code;
}

// A name a line; or, where there is a zero byte, names that end with one, as of find -print0.
static int add_lines(const finder* f)
{
    void* bytes = NULL;
    size_t size = 0;
    int code = cli_read_names(&bytes, &size);
    if (code != EXIT_DONE) return code;
    char* text = malloc(size + 1);
    if (text != NULL)
    {
        memcpy(text, bytes, size);
        text[size] = '\0';
    }
    else
        code = no_memory();
    free(bytes);
    const bool zeroes = text != NULL && memchr(text, '\0', size) != NULL;
    for (char *line = text, *end; code == EXIT_DONE && line < text + size; line = end + 1)
    {
        end = line + (zeroes ? strlen(line) : strcspn(line, "\n"));
        *end = '\0';
        if (!zeroes && end > line && end[-1] == '\r') end[-1] = '\0';
        if (*line != '\0') code = add_given(f, line, true);
    }
    free(text);
    return code;
}

static int by_name(const void* a, const void* b)
{
    return strcmp(((const batch_input*)a)->name, ((const batch_input*)b)->name);
}

// Where an input lies: its folder without links, and the name that it has there. Files of one folder follow one
// another.
typedef struct placed
{
    char* path; // null: its folder is not there
    size_t order;
} placed;

static bool find_places(const batch_list* list, placed* out)
{
    char *given = NULL, *folder = NULL;
    bool good = true;
    for (size_t i = 0; i < list->count && good; ++i)
    {
        const char* path = list->inputs[i].path;
        const char* slash = strrchr(path, '/');
        const size_t size = slash != NULL ? (size_t)(slash + 1 - path) : 0;
        if (given == NULL || strlen(given) != size || strncmp(given, path, size) != 0)
        {
            free(given);
            free(folder);
            given = strndup(path, size);
            folder = given != NULL ? realpath(size > 0 ? given : ".", NULL) : NULL;
        }
        out[i] = (placed){folder != NULL ? join(folder, path + size) : NULL, i};
        good = given != NULL && (folder == NULL || out[i].path != NULL);
    }
    free(given);
    free(folder);
    return good;
}

static int by_place(const void* a, const void* b)
{
    const placed *x = a, *y = b;
    const int order = (x->order > y->order) - (x->order < y->order);
    if (x->path == NULL || y->path == NULL) return x->path == y->path ? order : (x->path != NULL) - (y->path != NULL);
    const int paths = strcmp(x->path, y->path);
    return paths != 0 ? paths : order;
}

// A file that comes by a folder and by its own name, or by two names, is the input that it was first. Links to files
// and hard links are files of their own, as in the tree that is mirrored.
static int drop_same_places(batch_list* list)
{
    placed* all = calloc(list->count + 1, sizeof *all);
    bool* same = calloc(list->count + 1, sizeof *same);
    const bool good = all != NULL && same != NULL && find_places(list, all);
    if (good && list->count > 0) qsort(all, list->count, sizeof *all, by_place);
    for (size_t i = 1; i < list->count && good; ++i)
        same[all[i].order] =
            all[i].path != NULL && all[i - 1].path != NULL && strcmp(all[i].path, all[i - 1].path) == 0;
    size_t kept = 0;
    for (size_t i = 0; i < list->count && good; ++i)
    {
        if (!same[i])
        {
            list->inputs[kept++] = list->inputs[i];
            continue;
        }
        free(list->inputs[i].path);
        free(list->inputs[i].name);
    }
    for (size_t i = 0; all != NULL && i < list->count; ++i)
        free(all[i].path);
    if (good) list->count = kept;
    free(all);
    free(same);
    return good ? EXIT_DONE : no_memory();
}

// The same for what two folders give under one name.
static void drop_repeats(batch_list* list)
{
    size_t kept = 0;
    for (size_t i = 0; i < list->count; ++i)
    {
        batch_input* input = list->inputs + i;
        const batch_input* last = kept > 0 ? list->inputs + kept - 1 : NULL;
        if (last == NULL || strcmp(last->name, input->name) != 0 || !cli_same_file(last->path, input->path))
        {
            list->inputs[kept++] = *input;
            continue;
        }
        free(input->path);
        free(input->name);
    }
    list->count = kept;
}

static int by_output(const void* a, const void* b)
{
    const batch_input *x = *(batch_input*const*)a, *y = *(batch_input*const*)b;
    if (x->plan.output == NULL || y->plan.output == NULL) return (x->plan.output != NULL) - (y->plan.output != NULL);
    return strcmp(x->plan.output, y->plan.output);
}

int batch_order_list(batch_list* list)
{
    int code = EXIT_DONE;
    if (list->count > 0) qsort(list->inputs, list->count, sizeof *list->inputs, by_name);
    drop_repeats(list);
    for (size_t i = 1; i < list->count && code == EXIT_DONE; ++i)
        if (strcmp(list->inputs[i - 1].name, list->inputs[i].name) == 0)
            code = cli_fail(EXIT_USAGE, "batch: %s and %s would both be %s; give them to batches of their own",
                            list->inputs[i - 1].path, list->inputs[i].path, list->inputs[i].name);
    if (code == EXIT_DONE && list->count == 0) code = cli_fail(EXIT_READ, "batch: the list of inputs is empty");
    return code;
}

int batch_find_inputs(const char* const* given, size_t count, const char* out_folder, batch_list* out)
{
    batch_list list = {0};
    const finder f = {&list, realpath(out_folder, NULL)};
    int code = EXIT_DONE;
    for (size_t i = 0; i < count && code == EXIT_DONE; ++i)
        code = strcmp(given[i], "-") == 0 ? add_lines(&f) : add_given(&f, given[i], false);
    free(f.out);
    if (code == EXIT_DONE) code = drop_same_places(&list);
    if (code == EXIT_DONE) code = batch_order_list(&list);
    if (code != EXIT_DONE)
    {
        batch_free_list(&list);
        return code;
    }
    *out = list;
    return EXIT_DONE;
}

typedef struct written
{
    const char* path;
    const batch_input* by;
} written;

static int by_path(const void* a, const void* b)
{
    return strcmp(((const written*)a)->path, ((const written*)b)->path);
}

// What options have commands write beside their outputs, as pages; {stem} may be that of two clips.
static int check_pages(const batch_list* list)
{
    size_t count = 0, used = 0;
    for (size_t i = 0; i < list->count; ++i)
        count += list->inputs[i].plan.options.count;
    written* files = count > 0 ? malloc(count * sizeof *files) : NULL;
    if (files == NULL) return count > 0 ? no_memory() : EXIT_DONE;
    for (size_t i = 0; i < list->count; ++i)
    {
        const batch_words* options = &list->inputs[i].plan.options;
        for (size_t k = 1; k < options->count; ++k)
            if (batch_is_output_option(options->words[k - 1]))
                files[used++] = (written){options->words[k], list->inputs + i};
    }
    if (used > 0) qsort(files, used, sizeof *files, by_path);
    int code = EXIT_DONE;
    for (size_t i = 1; i < used && code == EXIT_DONE; ++i)
        if (strcmp(files[i - 1].path, files[i].path) == 0)
            code = cli_fail(EXIT_USAGE,
                            "batch: of %s and %s an option would both write %s; let {name} or {out} be in its name",
                            files[i - 1].by->path, files[i].by->path, files[i].path);
    free(files);
    return code;
}

int batch_plan_all(const batch_recipe* recipe, const char* out_folder, batch_list* list)
{
    size_t kept = 0;
    int code = EXIT_DONE;
    for (size_t i = 0; i < list->count && code == EXIT_DONE; ++i)
        code = batch_plan_for(recipe, list->inputs[i].name, out_folder, &list->inputs[i].plan);
    if (code != EXIT_DONE) return code;
    for (size_t i = 0; i < list->count; ++i)
    {
        batch_input* input = list->inputs + i;
        if (!input->plan.skipped)
        {
            list->inputs[kept++] = *input;
            continue;
        }
        free(input->path);
        free(input->name);
        batch_free_plan(&input->plan);
    }
    list->count = kept;
    if (kept == 0) return cli_fail(EXIT_READ, "%s: it skips every input", recipe->path);
    batch_input** sorted = malloc(kept * sizeof *sorted);
    if (sorted == NULL) return no_memory();
    for (size_t i = 0; i < kept; ++i)
        sorted[i] = list->inputs + i;
    qsort(sorted, kept, sizeof *sorted, by_output);
    for (size_t i = 1; i < kept && code == EXIT_DONE; ++i)
        if (strcmp(sorted[i - 1]->plan.output, sorted[i]->plan.output) == 0)
            code = cli_fail(EXIT_USAGE,
                            "batch: %s and %s would both be written to %s; skip one by \"for\" in the recipe, "
                            "or give them to batches of their own",
                            sorted[i - 1]->path, sorted[i]->path, sorted[i]->plan.output);
    free(sorted);
    for (size_t i = 0; i < kept && code == EXIT_DONE; ++i)
        if (batch_is_manifest(list->inputs[i].plan.output) || strcmp(list->inputs[i].plan.output, "report.html") == 0)
            code = cli_fail(EXIT_USAGE,
                            "batch: %s would be written to %s, a name that batches need; skip it, or give "
                            "it another name",
                            list->inputs[i].path, list->inputs[i].plan.output);
    return code == EXIT_DONE ? check_pages(list) : code;
}

void batch_take_shard(batch_list* list, unsigned shard, unsigned shards)
{
    size_t kept = 0;
    for (size_t i = 0; i < list->count; ++i)
    {
        if (i % shards == shard - 1)
        {
            list->inputs[kept++] = list->inputs[i];
            continue;
        }
        free(list->inputs[i].path);
        free(list->inputs[i].name);
        batch_free_plan(&list->inputs[i].plan);
    }
    list->count = kept;
}

void batch_free_list(batch_list* list)
{
    for (size_t i = 0; i < list->count; ++i)
    {
        free(list->inputs[i].path);
        free(list->inputs[i].name);
        batch_free_plan(&list->inputs[i].plan);
    }
    free(list->inputs);
    *list = (batch_list){0};
}

#endif
