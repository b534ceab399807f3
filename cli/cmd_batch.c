// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// `surefoot batch RECIPE IN... -o OUT`: one command over many clips.

#if defined(__linux__) && !defined(_GNU_SOURCE)
#define _GNU_SOURCE
#endif

#include "batch.h"

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

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define JOBS_MOST 1024
#define SHARDS_MOST 100000
#define LOCK_TRIES 100 // 20 ms apart

static const char help[] =
    "usage: surefoot batch RECIPE.json IN... -o OUT [options]\n"
    "       surefoot batch summary OUT [--csv FILE] [--json]\n"
    "\n"
    "Runs another command over many clips, to the end, whatever is among them. The recipe says which command, with\n"
    "which options, and what differs for some files:\n"
    "\n"
    "  {\n"
    "    \"command\": \"clean\",\n"
    "    \"options\": {\"give-way\": \"legs\"},\n"
    "    \"for\": [{\"files\": \"cycles/**\", \"options\": {\"loop\": true}},\n"
    "            {\"files\": \"**/calibration*.bvh\", \"skip\": true}],\n"
    "    \"limits\": {\"seconds\": 600, \"memory_mb\": 4096}\n"
    "  }\n"
    "\n"
    "Commands: clean, adapt, convert, retarget, contacts, check, info. In texts {name} is the clip below its folder\n"
    "without its ending, {stem} the last part of that, {out} OUT and the name, {recipe} the recipe's folder.\n"
    "\n"
    "  IN            folders with all below them, patterns ('takes/**/*.bvh'), files; - for a list on standard input\n"
    "  -o OUT        folder, which mirrors the inputs' tree; with manifest.jsonl, a line for each clip,\n"
    "                and report.html\n"
    "  --jobs N      processes at a time (default: as many as there are cores)\n"
    "  --shard K/N   only the K-th of N parts of the list, the same parts on every machine\n"
    "  --retry       does clips again that failed\n"
    "  --wait        where another run is at work on OUT: waits for its end, instead of refusing\n"
    "  --csv FILE    a row for each clip\n"
    "  --json        the summary as JSON\n"
    "  --help\n"
    "\n"
    "Started again, it does what is not done, and what changed: inputs, recipe, or this program. Each clip has a "
    "process\n"
    "of its own, so that one that crashes, hangs or grows costs only itself.\n"
    "\n"
    "Exit codes: 0 all done, 1 and 2 a wrong command line, 3 some clips failed or an input cannot be read, 4 a file\n"
    "cannot be written, 5 out of memory, 130 ended by a signal.\n"
    "\n"
    "Examples\n"
    "  surefoot batch clean.json takes/ -o cleaned/\n"
    "  find takes -name '*.bvh' | surefoot batch labels.json - -o labels/ --jobs 8\n"
    "  surefoot batch clean.json takes/ -o cleaned/ --shard 3/16\n"
    "\n";

enum
{
    OPT_JOBS = OPT_OWN,
    OPT_SHARD,
    OPT_RETRY,
    OPT_WAIT,
    OPT_CSV
};

typedef struct settings
{
    const char* output;
    const char* csv;
    bool json, retry, wait;
    unsigned jobs, shard, shards;
} settings;

typedef struct batch
{
    settings set;
    batch_recipe recipe;
    batch_list list;
    char* output; // as given, without slashes at its end, which would make other paths of the same
    batch_manifest before;
    batch_job* jobs;
    size_t job_count;
    cli_text manifest_path;
    int manifest; // descriptor; -1: none
    batch_tally tally;
    double began, said;
} batch;

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

// ---- the command line ----

static int take_shard(const char* value, settings* s)
{
    char* end;
    const unsigned long shard = strtoul(value, &end, 10);
    const unsigned long shards = *end == '/' ? strtoul(end + 1, &end, 10) : 0;
    if (*end != '\0' || shard < 1 || shard > shards || shards > SHARDS_MOST)
        return cli_fail(EXIT_USAGE, "batch: --shard is K/N, K from 1 to N, as 3/16, not '%.40s'", value);
    s->shard = (unsigned)shard;
    s->shards = (unsigned)shards;
    return EXIT_DONE;
}

static int take_option(int key, settings* s)
{
    double number = 0.0;
    int code = EXIT_DONE;
    switch (key)
    {
    case 'o':
        s->output = optarg;
        break;
    case OPT_CSV:
        s->csv = optarg;
        break;
    case OPT_JSON:
        s->json = true;
        break;
    case OPT_RETRY:
        s->retry = true;
        break;
    case OPT_WAIT:
        s->wait = true;
        break;
    case OPT_SHARD:
        return take_shard(optarg, s);
    case OPT_JOBS:
        code = cli_take_number("batch", "--jobs", optarg, 1.0, JOBS_MOST, &number);
        s->jobs = (unsigned)number;
        break;
    default:
        return cli_bad_option("batch");
    }
    return code;
}

static unsigned core_count(void)
{
    const long cores = sysconf(_SC_NPROCESSORS_ONLN);
    return cores < 1 ? 1u : cores > JOBS_MOST ? JOBS_MOST : (unsigned)cores;
}

// EXIT_DONE with *helped where help was asked for.
static int take_options(int argc, char** argv, settings* s, bool* helped)
{
    static const struct option known[] = {
        {"jobs", required_argument, NULL, OPT_JOBS}, {"shard", required_argument, NULL, OPT_SHARD},
        {"retry", no_argument, NULL, OPT_RETRY},     {"wait", no_argument, NULL, OPT_WAIT},
        {"csv", required_argument, NULL, OPT_CSV},   {"json", no_argument, NULL, OPT_JSON},
        {"help", no_argument, NULL, OPT_HELP},       {NULL, 0, NULL, 0}};
    *s = (settings){.jobs = core_count(), .shard = 1, .shards = 1};
    for (int key; (key = cli_next_option("batch", argc, argv, true, known)) != -1;)
    {
        *helped = key == OPT_HELP;
        if (*helped) return EXIT_DONE;
        const int code = take_option(key, s);
        if (code != EXIT_DONE) return code;
    }
    return EXIT_DONE;
}

// ---- the output folder ----

static int make_folder(const char* path)
{
    struct stat status;
    if (mkdir(path, 0777) == 0) return EXIT_DONE;
    if (errno == EEXIST && stat(path, &status) == 0 && S_ISDIR(status.st_mode)) return EXIT_DONE;
    return cli_fail(EXIT_WRITE, "%s: %s", path, errno == EEXIST ? "is a file, not a folder" : strerror(errno));
}

// A run that was killed may have left half a line, which counts as none.
static int cut_torn_line(int fd, const char* path)
{
    off_t size = lseek(fd, 0, SEEK_END);
    char c = '\n';
    while (size > 0 && pread(fd, &c, 1, size - 1) == 1 && c != '\n')
        --size;
    if (ftruncate(fd, size) != 0) return cli_fail(EXIT_WRITE, "%s: %s", path, strerror(errno));
    return EXIT_DONE;
}

static bool is_held(const char* folder, const char* name)
{
    cli_text path = {0};
    text_fmt(&path, "%s/%s", folder, name);
    const int fd = path.failed ? -1 : open(path.data, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    const bool held = fd >= 0 && flock(fd, LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK;
    if (fd >= 0) close(fd);
    text_free(&path);
    return held;
}

// Shards of one N have no clip in common; those of another N, and a run of all, may.
static bool others_at_work(const batch* b)
{
    char kin[48];
    snprintf(kin, sizeof kin, "-of-%u.jsonl", b->set.shards);
    const char* own = strrchr(b->manifest_path.data, '/') + 1;
    DIR* entries = opendir(b->set.output);
    bool found = false;
    for (struct dirent* e; entries != NULL && !found && (e = readdir(entries)) != NULL;)
    {
        if (!batch_is_manifest(e->d_name) || strcmp(e->d_name, own) == 0) continue;
        const size_t size = strlen(e->d_name);
        const bool kindred =
            b->set.shards > 1 && size > strlen(kin) && strcmp(e->d_name + size - strlen(kin), kin) == 0;
        found = !kindred && is_held(b->set.output, e->d_name);
    }
    if (entries != NULL) closedir(entries);
    return found;
}

// Workers hold the lock too, so that it is free when the last of a run that was killed is gone, a moment after the run.
static int lock(const batch* b)
{
    // Two that wait for one another are not to do so in step.
    const struct timespec pause = {0, 20000000 + 1000000 * (long)(getpid() % 16)};
    for (int tries = 0;; ++tries)
    {
        const bool ours = flock(b->manifest, LOCK_EX | LOCK_NB) == 0;
        if (!ours && errno != EWOULDBLOCK && errno != EINTR) return -1;
        if (ours && !others_at_work(b)) return 0;
        if (ours) flock(b->manifest, LOCK_UN);
        errno = EWOULDBLOCK;
        if (!b->set.wait && tries >= LOCK_TRIES) return -1;
        nanosleep(&pause, NULL);
    }
}

// The manifest is also what runs hold while they are at work.
static int open_manifest(batch* b)
{
    text_fmt(&b->manifest_path, "%s/manifest", b->set.output);
    if (b->set.shards > 1) text_fmt(&b->manifest_path, "-%u-of-%u", b->set.shard, b->set.shards);
    text_str(&b->manifest_path, ".jsonl");
    if (b->manifest_path.failed) return cli_fail(EXIT_MEMORY, "out of memory");
    const char* path = b->manifest_path.data;
    struct stat status;
    // Above the three that every program has: where standard output is closed, words would be written into it.
    const int fd = open(path, O_RDWR | O_APPEND | O_CREAT | O_CLOEXEC | O_NONBLOCK, 0666);
    b->manifest = fd >= 0 ? fcntl(fd, F_DUPFD_CLOEXEC, 3) : -1;
    const int reason = errno;
    if (fd >= 0) close(fd);
    if (b->manifest < 0) return cli_fail(EXIT_WRITE, "%s: %s", path, strerror(reason));
    if (fstat(b->manifest, &status) == 0 && !S_ISREG(status.st_mode))
        return cli_fail(EXIT_WRITE, "%s: a manifest is to be here, and this is no file", path);
    const int locked = lock(b);
    if (locked != 0 && errno == EWOULDBLOCK)
        return cli_fail(EXIT_WRITE, "%s: another run is at work here; wait for it, or add --wait", b->set.output);
    if (locked != 0) return cli_fail(EXIT_WRITE, "%s: %s", path, strerror(errno));
    return cut_torn_line(b->manifest, path);
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
    if (e->output == NULL) return true;
    cli_text path = {0};
    struct stat status;
    text_fmt(&path, "%s/%s", b->set.output, e->output);
    const bool there = !path.failed && stat(path.data, &status) == 0 && (uint64_t)status.st_size == e->output_size;
    text_free(&path);
    return there;
}

static bool is_done(const batch* b, const batch_entry* wanted)
{
    const batch_entry* e = batch_find_entry(&b->before, wanted->name);
    if (e == NULL || strcmp(e->hash, wanted->hash) != 0 || strcmp(e->options, wanted->options) != 0 ||
        strcmp(e->version, wanted->version) != 0)
        return false;
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
        batch_entry e = {.name = input->name, .size = input->size};
        version(e.version, sizeof e.version);
        batch_hash_options(&hasher, b->recipe.command, &input->plan, e.options);
        // What cannot be read has no hash, and the command will say so.
        (void)batch_hash_input(input->path, e.hash);
        const batch_entry* before = batch_find_entry(&b->before, e.name);
        if (!is_done(b, &e))
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

static int ended(void* context, const batch_job* job)
{
    batch* b = context;
    ++b->tally.ended;
    ++b->tally.results[job->entry.result];
    b->tally.bytes += job->input->size;
    const int code = batch_append_entry(b->manifest, b->manifest_path.data, &job->entry);
    waited(b);
    return code;
}

static int write_report(const batch* b, const batch_manifest* m)
{
    cli_text path = {0}, page = {0};
    text_fmt(&path, "%s/report.html", b->set.output);
    const bool good = batch_put_report(&page, m, b->set.output) && !path.failed;
    if (good) batch_remove_leftovers(path.data);
    const int code = good ? cli_write_bytes(path.data, page.data, page.size) : cli_fail(EXIT_MEMORY, "out of memory");
    text_free(&path);
    text_free(&page);
    return code;
}

static int summarise(batch* b, bool of_all)
{
    batch_manifest m = {0};
    cli_text csv = {0};
    int code = batch_read_manifests(b->set.output, &m);
    if (code == EXIT_DONE && of_all && m.count == 0)
        code = cli_fail(EXIT_READ, "%s: there is no manifest of a batch in it, or an empty one", b->set.output);
    // What was done to clips that are no longer given is not of this run.
    if (code == EXIT_DONE && !of_all) batch_keep_listed(&m, &b->list);
    if (code == EXIT_DONE && of_all)
    {
        b->tally.total = b->tally.ended = b->tally.before = m.count;
        for (size_t i = 0; i < m.count; ++i)
            ++b->tally.results[m.entries[i].result];
    }
    if (code == EXIT_DONE && b->set.csv != NULL)
    {
        batch_put_csv(&csv, &m);
        code = csv.failed ? cli_fail(EXIT_MEMORY, "out of memory") : cli_write_bytes(b->set.csv, csv.data, csv.size);
    }
    // Shards would write over one another's; `batch summary` makes that of all.
    if (code == EXIT_DONE && b->set.shards <= 1) code = write_report(b, &m);
    if (code == EXIT_DONE && b->set.json)
    {
        json_out json = {0};
        batch_json_summary(&json, &b->tally, &m, b->set.output);
        code = json_finish(&json);
    }
    else if (code == EXIT_DONE)
        batch_say_summary(&b->tally, &m, b->set.output);
    text_free(&csv);
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
    const batch_pool pool = {&b->recipe, b->set.output, jobs > 0 ? jobs : 1, run, ended, waited, b};
    b->began = now();
    int code = make_room(pool.jobs);
    if (code == EXIT_DONE) code = batch_run_all(&pool, b->jobs, b->job_count);
    b->tally.seconds = now() - b->began;
    if (code == BATCH_STOPPED)
        return cli_fail(BATCH_STOPPED,
                        "batch: ended by a signal after %zu of %zu clips; the same command goes on from here",
                        b->tally.ended, b->tally.total);
    return code;
}

static int run_batch(batch* b, const char* recipe, const char* const* inputs, size_t count, batch_run* run)
{
    // Where a parent ignores it, ends of processes would go unseen.
    signal(SIGCHLD, SIG_DFL);
    b->output = strdup(b->set.output);
    if (b->output == NULL) return cli_fail(EXIT_MEMORY, "out of memory");
    for (size_t size = strlen(b->output); size > 1 && b->output[size - 1] == '/'; --size)
        b->output[size - 1] = '\0';
    b->set.output = b->output;
    int code = batch_read_recipe(recipe, run, &b->recipe);
    if (code == EXIT_DONE) code = batch_find_inputs(inputs, count, b->set.output, &b->list);
    if (code == EXIT_DONE) code = batch_plan_all(&b->recipe, b->set.output, &b->list);
    if (code == EXIT_DONE) code = batch_try_plans(&b->recipe, run, &b->list);
    if (code != EXIT_DONE) return code;
    batch_take_shard(&b->list, b->set.shard, b->set.shards);
    code = make_folder(b->set.output);
    if (code == EXIT_DONE) code = open_manifest(b);
    if (code == EXIT_DONE) code = batch_read_manifests(b->set.output, &b->before);
    if (code == EXIT_DONE && b->list.count > 0) code = find_jobs(b);
    if (code == EXIT_DONE) code = run_jobs(b, run);
    if (code == EXIT_DONE) code = summarise(b, false);
    if (code != EXIT_DONE) return code;
    return b->tally.results[BATCH_DONE] == b->tally.total && b->list.unread == 0 ? EXIT_DONE : EXIT_READ;
}

static void release(batch* b)
{
    for (size_t i = 0; i < b->job_count; ++i)
    {
        // The name is the list's.
        free(b->jobs[i].entry.output);
        free(b->jobs[i].entry.message);
    }
    free(b->jobs);
    if (b->manifest >= 0) close(b->manifest);
    text_free(&b->manifest_path);
    free(b->output);
    batch_free_manifest(&b->before);
    batch_free_list(&b->list);
    batch_free_recipe(&b->recipe);
}

int cmd_batch(int argc, char** argv)
{
    batch b = {.manifest = -1};
    bool helped = false;
    int code = take_options(argc, argv, &b.set, &helped);
    if (code != EXIT_DONE) return code;
    if (helped)
    {
        fputs(help, stdout);
        return EXIT_DONE;
    }
    const int count = argc - optind;
    char** words = argv + optind;
    if (count > 0 && strcmp(words[0], "summary") == 0)
    {
        if (count != 2 || b.set.output != NULL)
            return cli_fail(EXIT_USAGE, "batch: `surefoot batch summary OUT` takes one folder and no -o");
        b.set.output = words[1];
        b.set.shards = 1;
        return summarise(&b, true);
    }
    if (count < 2 || b.set.output == NULL)
        return cli_fail(EXIT_USAGE,
                        "batch: give RECIPE.json, folders, patterns or files, and -o OUT; try `surefoot batch "
                        "--help`");
    code = run_batch(&b, words[0], (const char* const*)words + 1, (size_t)count - 1, cli_run);
    release(&b);
    return code;
}

#endif
