// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// `surefoot batch RECIPE IN... -o OUT`: one command over many clips.

#if defined(__linux__) && !defined(_GNU_SOURCE)
#define _GNU_SOURCE
#endif

#include "batch_run.h"
#include "batch_starter.h"

#include <stdlib.h>
#include <string.h>

#if !BATCH_RUNS

int cmd_batch(int argc, char** argv)
{
    (void)argc;
    (void)argv;
    return cli_fail(EXIT_USAGE, "batch: not in this build, which has no processes of its own or was made without "
                                "xxhash.h (Debian: libxxhash-dev)");
}

#else

#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>

typedef struct batch
{
    batch_settings set;
    batch_recipe recipe;
    batch_list list;
    char* output; // as given, without slashes at its end, which would make other paths of the same
    batch_manifest before;
    batch_job* jobs;
    size_t job_count;
    batch_place place;
    batch_tally tally;
    batch_starter starter;
    double began, said;
} batch;

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

// ---- what is to be done ----

static const char* version(char* out, size_t capacity)
{
    const uint32_t v = sft_version();
    snprintf(out, capacity, "%u.%u.%u", (unsigned)(v / 10000), (unsigned)(v / 100 % 100), (unsigned)(v % 100));
    return out;
}

static bool output_is_there(const batch* b, const batch_entry* e)
{
    struct stat status;
    // Clips that are files of their own.
    for (size_t i = 0; e->output == NULL && e->result == BATCH_DONE && i < e->beside.count; ++i)
        if (stat(e->beside.words[i], &status) != 0) return false;
    if (e->output == NULL) return true;
    cli_text path = {0};
    text_fmt(&path, "%s/%s", b->set.output, e->output);
    const bool there = !path.failed && stat(path.data, &status) == 0 && (uint64_t)status.st_size == e->output_size;
    text_free(&path);
    return there;
}

static bool is_done(const batch* b, const char* path, batch_entry* wanted)
{
    const batch_entry* e = batch_find_entry(&b->before, wanted->name);
    if (e == NULL || strcmp(e->options, wanted->options) != 0 || strcmp(e->version, wanted->version) != 0) return false;
    // Last, since it takes the whole file: of a clip that is done in any case the run asks for it. What cannot be read
    // has no hash, and the command said so.
    (void)batch_hash_input(path, wanted->hash);
    if (strcmp(e->hash, wanted->hash) != 0) return false;
    // A merge tells what became of it, whether or not that would be tried again.
    if (b->set.merge && e->result != BATCH_DONE) return true;
    // A signal or a limit may have been the machine's.
    if (e->result != BATCH_DONE && e->result != BATCH_FAILED) return false;
    // So may a full disk.
    if (e->result == BATCH_FAILED && (b->set.retry || e->code == EXIT_WRITE)) return false;
    return output_is_there(b, e);
}

// The largest first, so that no long clip is left alone at the end.
static int by_size(const void* a, const void* b)
{
    const batch_input *x = ((const batch_job*)a)->input, *y = ((const batch_job*)b)->input;
    return x->size != y->size ? (x->size < y->size) - (x->size > y->size) : strcmp(x->name, y->name);
}

static int find_jobs(batch* b)
{
    batch_hasher hasher = {0};
    int code = EXIT_DONE;
    b->jobs = calloc(b->list.count, sizeof *b->jobs);
    if (b->jobs == NULL) return cli_fail(EXIT_MEMORY, "out of memory");
    for (size_t i = 0; i < b->list.count && code == EXIT_DONE; ++i)
    {
        const batch_input* input = b->list.inputs + i;
        batch_entry e = {.name = input->name, .size = input->size, .warnings = BATCH_NOT_COUNTED};
        version(e.version, sizeof e.version);
        batch_hash_options(&hasher, b->recipe.command, &input->plan, e.options);
        const batch_entry* before = batch_find_entry(&b->before, e.name);
        if (!is_done(b, input->path, &e))
        {
            b->jobs[b->job_count++] = (batch_job){input, e};
            continue;
        }
        ++b->tally.before;
        ++b->tally.ended;
        ++b->tally.results[before->result];
    }
    batch_free_hasher(&hasher);
    b->tally.total = b->list.count;
    // What stands of it in a manifest, and where its output would be, is of another input or recipe.
    for (size_t i = 0; i < b->job_count && b->set.merge; ++i)
        b->list.inputs[b->jobs[i].input - b->list.inputs].open = true;
    if (b->job_count > 0) qsort(b->jobs, b->job_count, sizeof *b->jobs, by_size);
    return code;
}

// ---- the run ----

static void waited(void* context)
{
    batch* b = context;
    b->tally.seconds = now() - b->began;
    batch_say_progress(&b->tally, &b->said);
}

// What stands as the output is not beside it. The words stay those of the job.
static void leave_out_output(const batch* b, batch_entry* e)
{
    cli_text output = {0};
    text_fmt(&output, "%s/%s", b->set.output, e->output != NULL ? e->output : "");
    size_t kept = 0;
    for (size_t i = 0; i < e->beside.count && !output.failed; ++i)
    {
        char* word = e->beside.words[i];
        if (strcmp(word, output.data) == 0) continue;
        e->beside.words[i] = e->beside.words[kept];
        e->beside.words[kept++] = word;
    }
    if (!output.failed) e->beside.count = kept;
    text_free(&output);
}

static int ended(void* context, const batch_job* job)
{
    batch* b = context;
    ++b->tally.ended;
    ++b->tally.results[job->entry.result];
    b->tally.bytes += job->input->size;
    const batch_words* options = &job->input->plan.options;
    batch_entry entry = job->entry;
    if (entry.beside.failed) return cli_fail(EXIT_MEMORY, "out of memory");
    if (entry.result != BATCH_DONE)
    {
        batch_clear_written(&entry, job->input->path, options);
        batch_clear_beside(job->input->path, options);
        entry.beside.count = 0;
    }
    else
        leave_out_output(b, &entry);
    const int code = batch_append_entry(b->place.manifest, b->place.path.data, &entry);
    waited(b);
    return code;
}

static int write_report(const batch* b, const batch_manifest* m, const batch_rest* rest)
{
    cli_text path = {0}, page = {0};
    text_fmt(&path, "%s/report.html", b->set.output);
    const bool good = batch_put_report(&page, m, rest, b->set.output, b->tally.total - b->tally.ended) && !path.failed;
    if (good) batch_remove_leftovers(path.data);
    const int code = good ? cli_write_bytes(path.data, page.data, page.size) : cli_fail(EXIT_MEMORY, "out of memory");
    text_free(&path);
    text_free(&page);
    return code;
}

static int write_table(const batch* b, const batch_manifest* m)
{
    cli_text csv = {0};
    batch_put_csv(&csv, m);
    const int code =
        csv.failed ? cli_fail(EXIT_MEMORY, "out of memory") : cli_write_bytes(b->set.csv, csv.data, csv.size);
    text_free(&csv);
    return code;
}

// What the list is beside what stands in the manifests; of a shard's part of it nothing can be said.
static int find_rest(batch* b, const batch_manifest* m, batch_rest* rest)
{
    for (size_t i = 0; i < b->list.count; ++i)
        if (b->list.inputs[i].open)
            batch_words_add(&rest->missing, b->list.inputs[i].name, strlen(b->list.inputs[i].name));
    if (rest->missing.failed) return cli_fail(EXIT_MEMORY, "out of memory");
    if (b->set.shards > 1) return EXIT_DONE;
    int code = batch_find_orphans(m, &b->recipe, &b->list, b->set.output, &rest->orphans);
    if (code != EXIT_DONE || !b->set.prune) return code;
    // Their clips may be there.
    if (b->list.unread > 0)
        cli_warn("batch: nothing is pruned, since not all folders of inputs could be read");
    else
        code = batch_prune(m, &rest->orphans, &b->list, b->set.output, b->place.manifest, b->place.path.data);
    return code;
}

static int say(const batch* b, const batch_manifest* m, const batch_rest* rest)
{
    if (!b->set.json)
    {
        const bool table = b->set.csv != NULL && strcmp(b->set.csv, "-") == 0;
        batch_say_summary(table ? stderr : stdout, &b->tally, m, rest, b->set.output);
        return EXIT_DONE;
    }
    json_out json = {0};
    batch_json_summary(&json, &b->tally, m, rest, b->set.output);
    return json_finish(&json);
}

static int summarise(batch* b, bool of_all)
{
    batch_manifest m = {0};
    batch_rest rest = {0};
    int code = batch_read_manifests(b->set.output, &m);
    if (code == EXIT_DONE && of_all && m.count == 0)
        code = cli_fail(EXIT_READ, "%s: there is no manifest of a batch in it, or an empty one", b->set.output);
    if (code == EXIT_DONE && !of_all) code = find_rest(b, &m, &rest);
    // What was done to clips that are no longer given is not of this run.
    if (code == EXIT_DONE && !of_all) batch_keep_listed(&m, &b->list);
    if (code == EXIT_DONE && of_all)
    {
        b->tally.total = b->tally.ended = b->tally.before = m.count;
        for (size_t i = 0; i < m.count; ++i)
            ++b->tally.results[m.entries[i].result];
    }
    if (code == EXIT_DONE && b->set.csv != NULL) code = write_table(b, &m);
    // Shards would write over one another's; `batch summary` makes that of all.
    if (code == EXIT_DONE && b->set.shards <= 1) code = write_report(b, &m, &rest);
    if (code == EXIT_DONE) code = say(b, &m, &rest);
    batch_words_free(&rest.missing);
    batch_free_orphans(&rest.orphans);
    batch_free_manifest(&m);
    return code;
}

// Each clip's process has two pipes to this one, and those that are starting have some more.
static int make_room(unsigned jobs)
{
    struct rlimit files;
    const rlim_t wanted = 32 + 2 * (rlim_t)jobs;
    if (getrlimit(RLIMIT_NOFILE, &files) != 0 || files.rlim_cur == RLIM_INFINITY || files.rlim_cur >= wanted)
        return EXIT_DONE;
    const rlim_t most = files.rlim_max;
    files.rlim_cur = most == RLIM_INFINITY || most > wanted ? wanted : most;
    if (setrlimit(RLIMIT_NOFILE, &files) == 0 && files.rlim_cur >= wanted) return EXIT_DONE;
    return cli_fail(EXIT_USAGE,
                    "batch: %u processes at a time need %llu open files, and %llu are allowed (ulimit -n); give a "
                    "smaller --jobs",
                    jobs, (unsigned long long)wanted, (unsigned long long)files.rlim_cur);
}

static int run_jobs(batch* b, batch_run* run)
{
    const unsigned jobs = b->job_count < b->set.jobs ? (unsigned)b->job_count : b->set.jobs;
    const batch_pool pool = {&b->recipe, b->set.output, jobs > 0 ? jobs : 1, run, ended, waited,
                             b,          &b->starter,   b->place.manifest};
    b->began = now();
    int code = make_room(pool.jobs);
    // Which of two shards' files such a one is cannot be told by its name.
    if (code == EXIT_DONE && b->set.shards <= 1) batch_sweep_clips(b->jobs, b->job_count, b->set.output);
    // A page from before, or a clip's own file, would stand beside a clip that fails now.
    for (size_t i = 0; code == EXIT_DONE && i < b->job_count; ++i)
    {
        const batch_input* input = b->jobs[i].input;
        const batch_entry* before = batch_find_entry(&b->before, input->name);
        if (before != NULL) batch_clear_written(before, input->path, &input->plan.options);
        batch_clear_beside(input->path, &input->plan.options);
    }
    if (code == EXIT_DONE) code = batch_run_all(&pool, b->jobs, b->job_count);
    b->tally.seconds = now() - b->began;
    if (code == BATCH_STOPPED)
        return cli_fail(BATCH_STOPPED,
                        "batch: ended by a signal after %zu of %zu clips; the same command goes on from here",
                        b->tally.ended, b->tally.total);
    return code;
}

static char* without_slashes(const char* path)
{
    char* copy = strdup(path);
    for (size_t size = copy != NULL ? strlen(copy) : 0; size > 1 && copy[size - 1] == '/'; --size)
        copy[size - 1] = '\0';
    return copy;
}

// The recipe and the list, from the command line or as they were frozen.
static int take_batch(batch* b, batch_run* run)
{
    const char* const* words = b->set.words;
    int code = EXIT_DONE;
    if (b->set.frozen != NULL)
        code = batch_thaw(b->set.frozen, run, &b->recipe, &b->output, &b->list);
    else
    {
        b->output = without_slashes(b->set.output);
        if (b->output == NULL) return cli_fail(EXIT_MEMORY, "out of memory");
        code = batch_read_recipe(words[0], run, &b->recipe);
        if (code == EXIT_DONE) code = batch_find_inputs(words + 1, b->set.word_count - 1, b->output, &b->list);
    }
    b->set.output = b->output;
    b->tally.merged = b->set.merge;
    b->tally.pruned = b->set.prune && b->list.unread == 0;
    b->tally.part = b->set.shards > 1;
    if (code == EXIT_DONE) code = batch_plan_all(&b->recipe, b->set.output, &b->list);
    if (code == EXIT_DONE) code = batch_try_plans(&b->recipe, run, &b->list);
    if (code != EXIT_DONE) return code;
    batch_take_shard(&b->list, b->set.shard, b->set.shards);
    if (b->set.frozen != NULL) batch_find_sizes(&b->list);
    return EXIT_DONE;
}

// Whether a path is a manifest or the page of an output folder, which may not be there yet.
static bool is_kept_there(const char* path, const char* folder)
{
    const char* slash = strrchr(path, '/');
    const char* name = slash != NULL ? slash + 1 : path;
    if (!batch_is_manifest(name) && strcmp(name, "report.html") != 0) return false;
    char* given = slash != NULL ? strndup(path, slash > path ? (size_t)(slash - path) : 1) : strdup(".");
    char *one = given != NULL ? realpath(given, NULL) : NULL, *other = realpath(folder, NULL);
    const bool same =
        given != NULL && (strcmp(given, folder) == 0 || (one != NULL && other != NULL && strcmp(one, other) == 0));
    free(given);
    free(one);
    free(other);
    return same;
}

static bool is_output(const batch* b, const char* path)
{
    bool same = false;
    for (size_t i = 0; i < b->list.count && !same; ++i)
    {
        cli_text output = {0};
        text_fmt(&output, "%s/%s", b->set.output, b->list.inputs[i].plan.output);
        same = !output.failed && cli_same_file(path, output.data);
        text_free(&output);
    }
    return same;
}

// What is written for people is none of the files that the batch reads or keeps.
static int check_written(const batch* b, const char* option, const char* path)
{
    if (path == NULL || strcmp(path, "-") == 0) return EXIT_DONE;
    bool same = is_kept_there(path, b->set.output) || (b->recipe.path != NULL && cli_same_file(path, b->recipe.path)) ||
                (b->set.frozen != NULL && cli_same_file(path, b->set.frozen)) || is_output(b, path);
    for (size_t i = 0; i < b->list.count && !same; ++i)
        same = cli_same_file(path, b->list.inputs[i].path);
    if (!same) return EXIT_DONE;
    return cli_fail(EXIT_USAGE, "batch: --%s: %s is a file that the batch reads or keeps; give another", option, path);
}

static int do_clips(batch* b, batch_run* run)
{
    int code = batch_open_place(&b->set, b->set.output, &b->place);
    if (code == EXIT_DONE) code = batch_read_manifests(b->set.output, &b->before);
    if (code == EXIT_DONE && b->list.count > 0) code = find_jobs(b);
    return code == EXIT_DONE ? run_jobs(b, run) : code;
}

static int merge(batch* b)
{
    // Before any shard there is none, and all clips are missing.
    int code = batch_make_folder(b->set.output);
    if (code == EXIT_DONE) code = batch_read_manifests(b->set.output, &b->before);
    return code == EXIT_DONE ? find_jobs(b) : code;
}

static int run_batch(batch* b, batch_run* run)
{
    // Where a parent ignores it, ends of processes would go unseen.
    signal(SIGCHLD, SIG_DFL);
    const bool of_clips = !b->set.slurm && !b->set.merge && b->set.freeze == NULL;
    if (of_clips) batch_starter_begin(&b->starter, run);
    int code = take_batch(b, run);
    if (code == EXIT_DONE) code = check_written(b, "csv", b->set.csv);
    if (code == EXIT_DONE) code = check_written(b, "freeze", b->set.freeze);
    if (code != EXIT_DONE) return code;
    const int unread = b->list.unread == 0 ? EXIT_DONE : EXIT_READ;
    if (b->set.slurm || b->set.freeze != NULL)
    {
        code = b->set.slurm ? batch_submit(&b->set.cluster, &b->recipe, b->set.output, &b->list)
                            : batch_freeze(b->set.freeze, &b->recipe, b->set.output, &b->list);
        return code == EXIT_DONE ? unread : code;
    }
    code = b->set.merge ? merge(b) : do_clips(b, run);
    if (code == EXIT_DONE) code = summarise(b, false);
    if (code != EXIT_DONE) return code;
    return b->tally.results[BATCH_DONE] == b->tally.total ? unread : EXIT_READ;
}

static void release(batch* b)
{
    for (size_t i = 0; i < b->job_count; ++i)
    {
        // The name is the list's.
        free(b->jobs[i].entry.output);
        free(b->jobs[i].entry.message);
        batch_words_free(&b->jobs[i].entry.beside);
    }
    free(b->jobs);
    batch_starter_end(&b->starter);
    batch_close_place(&b->place);
    free(b->output);
    batch_free_manifest(&b->before);
    batch_free_list(&b->list);
    batch_free_recipe(&b->recipe);
    batch_free_settings(&b->set);
}

// A clip's process: behind what the command prints, the files that it wrote.
static int run_clip(int argc, char** argv)
{
    cli_text paths = {0};
    cli_note_written(&paths);
    int code = cli_run(argc, argv);
    cli_note_written(NULL);
    if (paths.failed && code == EXIT_DONE) code = cli_fail(EXIT_MEMORY, "out of memory");
    if (!paths.failed && paths.size > 0) fputc('\0', stdout);
    if (!paths.failed && paths.size > 0) fwrite(paths.data, 1, paths.size, stdout);
    text_free(&paths);
    return code;
}

int cmd_batch(int argc, char** argv)
{
    batch b = {.place.manifest = -1, .starter = {-1, -1}};
    int code = batch_take_options(argc, argv, &b.set);
    if (code == EXIT_DONE && b.set.summary)
    {
        b.set.output = b.set.words[1];
        code = check_written(&b, "csv", b.set.csv);
        if (code == EXIT_DONE) code = summarise(&b, true);
    }
    else if (code == EXIT_DONE && !b.set.helped)
        code = run_batch(&b, run_clip);
    release(&b);
    return code;
}

#endif
