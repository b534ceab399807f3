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
    "       surefoot batch RECIPE.json IN... -o OUT --slurm [options of the cluster]\n"
    "       surefoot batch --frozen FILE [--shard K/N | --merge]\n"
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
    "  --csv FILE    a row for each clip; - is standard output, and the summary then goes to standard error\n"
    "  --json        the summary as JSON\n"
    "  --help\n"
    "\n"
    "More than one machine, all with the same folders\n"
    "  --slurm           submits the batch to Slurm: an array of tasks, each a shard, and a merge behind it; scripts "
    "and\n"
    "                    logs are in OUT/slurm\n"
    "  --dry-run         only shows the scripts and how they would be submitted\n"
    "  --tasks N         of the array (16)\n"
    "  --at-once N       tasks that run at the same time (all)\n"
    "  --jobs N          cores of a task, and processes at a time in it (1)\n"
    "  --partition P, --account A, --qos Q, --time T, --mem M\n"
    "                    of each job, as sbatch takes them (the cluster's own)\n"
    "  --sbatch OPTION   another option of sbatch, as --sbatch --constraint=big; may be given again\n"
    "  --setup LINE      a line of bash before the command, as 'module load tools'; may be given again\n"
    "  --freeze FILE     writes recipe, OUT and list into a file, and does nothing else\n"
    "  --frozen FILE     does what such a file says, whatever came into folders or was changed in the recipe since\n"
    "  --merge           does no clip, puts together what shards did, and says what is missing\n"
    "\n"
    "Started again, it does what is not done, and what changed: inputs, recipe, or this program. Each clip has a "
    "process\n"
    "of its own, so that one that crashes, hangs or grows costs only itself.\n"
    "\n"
    "Exit codes: 0 all done, 2 a wrong command line, 3 some clips failed or an input cannot be read, 4 a file\n"
    "cannot be written or a job not be submitted, 5 out of memory, 130 ended by a signal. With --merge, 3 where clips "
    "are\n"
    "missing too.\n"
    "\n"
    "Examples\n"
    "  surefoot batch clean.json takes/ -o cleaned/\n"
    "  find takes -name '*.bvh' | surefoot batch labels.json - -o labels/ --jobs 8\n"
    "  surefoot batch clean.json takes/ -o cleaned/ --shard 3/16\n"
    "  surefoot batch clean.json takes/ -o cleaned/ --slurm --tasks 64 --jobs 4 --time 2:00:00 --mem 8G\n"
    "\n";

enum
{
    OPT_JOBS = OPT_OWN,
    OPT_SHARD,
    OPT_RETRY,
    OPT_WAIT,
    OPT_CSV,
    OPT_FREEZE,
    OPT_FROZEN,
    OPT_MERGE,
    OPT_SLURM,
    // Of the cluster, which --slurm goes with.
    OPT_DRY_RUN,
    OPT_TASKS,
    OPT_AT_ONCE,
    OPT_PARTITION,
    OPT_ACCOUNT,
    OPT_QOS,
    OPT_TIME,
    OPT_MEM,
    OPT_SBATCH,
    OPT_SETUP
};

static const struct option known_options[] = {{"jobs", required_argument, NULL, OPT_JOBS},
                                              {"shard", required_argument, NULL, OPT_SHARD},
                                              {"retry", no_argument, NULL, OPT_RETRY},
                                              {"wait", no_argument, NULL, OPT_WAIT},
                                              {"csv", required_argument, NULL, OPT_CSV},
                                              {"json", no_argument, NULL, OPT_JSON},
                                              {"freeze", required_argument, NULL, OPT_FREEZE},
                                              {"frozen", required_argument, NULL, OPT_FROZEN},
                                              {"merge", no_argument, NULL, OPT_MERGE},
                                              {"slurm", no_argument, NULL, OPT_SLURM},
                                              {"dry-run", no_argument, NULL, OPT_DRY_RUN},
                                              {"tasks", required_argument, NULL, OPT_TASKS},
                                              {"at-once", required_argument, NULL, OPT_AT_ONCE},
                                              {"partition", required_argument, NULL, OPT_PARTITION},
                                              {"account", required_argument, NULL, OPT_ACCOUNT},
                                              {"qos", required_argument, NULL, OPT_QOS},
                                              {"time", required_argument, NULL, OPT_TIME},
                                              {"mem", required_argument, NULL, OPT_MEM},
                                              {"sbatch", required_argument, NULL, OPT_SBATCH},
                                              {"setup", required_argument, NULL, OPT_SETUP},
                                              {"help", no_argument, NULL, OPT_HELP},
                                              {NULL, 0, NULL, 0}};

typedef struct settings
{
    const char* output;
    const char* csv;
    const char* freeze; // file that the batch is frozen into
    const char* frozen; // file that it is taken from
    bool json, retry, wait, merge;
    unsigned jobs, shard, shards; // jobs: 0 where not said
    bool slurm;
    int of_cluster; // the last of its options that was given; 0: none
    batch_slurm cluster;
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

static int take_count(const char* option, const char* value, double most, unsigned* out)
{
    double number = 0.0;
    const int code = cli_take_number("batch", option, value, 1.0, most, &number);
    if (code != EXIT_DONE) return code;
    *out = (unsigned)number;
    if ((double)*out == number) return EXIT_DONE;
    return cli_fail(EXIT_USAGE, "batch: %s takes a whole number, not '%.40s'", option, value);
}

static int take_cluster_option(int key, settings* s)
{
    s->of_cluster = key;
    switch (key)
    {
    case OPT_DRY_RUN:
        s->cluster.dry_run = true;
        break;
    case OPT_TASKS:
        return take_count("--tasks", optarg, SHARDS_MOST, &s->cluster.tasks);
    case OPT_AT_ONCE:
        return take_count("--at-once", optarg, SHARDS_MOST, &s->cluster.at_once);
    case OPT_PARTITION:
        s->cluster.partition = optarg;
        break;
    case OPT_ACCOUNT:
        s->cluster.account = optarg;
        break;
    case OPT_QOS:
        s->cluster.qos = optarg;
        break;
    case OPT_TIME:
        s->cluster.time = optarg;
        break;
    case OPT_MEM:
        s->cluster.memory = optarg;
        break;
    case OPT_SBATCH:
        batch_words_add(&s->cluster.options, optarg, strlen(optarg));
        break;
    case OPT_SETUP:
        batch_words_add(&s->cluster.setup, optarg, strlen(optarg));
        break;
    default:
        return cli_bad_option("batch");
    }
    return EXIT_DONE;
}

static int take_option(int key, settings* s)
{
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
    case OPT_FREEZE:
        s->freeze = optarg;
        break;
    case OPT_FROZEN:
        s->frozen = optarg;
        break;
    case OPT_MERGE:
        s->merge = true;
        break;
    case OPT_SLURM:
        s->slurm = true;
        break;
    case OPT_SHARD:
        return take_shard(optarg, s);
    case OPT_JOBS:
        return take_count("--jobs", optarg, JOBS_MOST, &s->jobs);
    default:
        return key < 0 || key == '?' ? cli_bad_option("batch") : take_cluster_option(key, s);
    }
    return EXIT_DONE;
}

static unsigned core_count(void)
{
    const long cores = sysconf(_SC_NPROCESSORS_ONLN);
    return cores < 1 ? 1u : cores > JOBS_MOST ? JOBS_MOST : (unsigned)cores;
}

// Options that say something together only, or nothing.
static int check_together(settings* s)
{
    for (const struct option* o = known_options; o->name != NULL && !s->slurm; ++o)
        if (s->of_cluster != 0 && o->val == s->of_cluster)
            return cli_fail(EXIT_USAGE, "batch: --%s goes with --slurm", o->name);
    if (s->merge && (s->slurm || s->freeze != NULL || s->shards > 1 || s->retry))
        return cli_fail(EXIT_USAGE, "batch: --merge does no clip; leave out --slurm, --freeze, --shard and --retry");
    if ((s->slurm || s->freeze != NULL) && s->shards > 1)
        return cli_fail(EXIT_USAGE, "batch: --slurm and --freeze are of the whole list; leave out --shard");
    if (s->slurm && s->freeze != NULL)
        return cli_fail(EXIT_USAGE, "batch: --slurm freezes the batch by itself, in OUT/slurm; leave out --freeze");
    if (s->json && s->csv != NULL && strcmp(s->csv, "-") == 0)
        return cli_fail(EXIT_USAGE, "batch: --json and --csv - would both write to standard output");
    if (s->cluster.options.failed || s->cluster.setup.failed) return cli_fail(EXIT_MEMORY, "out of memory");
    if (s->jobs == 0) s->jobs = s->slurm ? 1 : core_count();
    s->cluster.cores = s->jobs;
    s->cluster.json = s->json;
    s->cluster.retry = s->retry;
    s->cluster.csv = s->csv;
    return s->slurm ? batch_check_slurm(&s->cluster) : EXIT_DONE;
}

// EXIT_DONE with *helped where help was asked for.
static int take_options(int argc, char** argv, settings* s, bool* helped)
{
    *s = (settings){.shard = 1, .shards = 1};
    for (int key; (key = cli_next_option("batch", argc, argv, true, known_options)) != -1;)
    {
        *helped = key == OPT_HELP;
        if (*helped) return EXIT_DONE;
        const int code = take_option(key, s);
        if (code != EXIT_DONE) return code;
    }
    return check_together(s);
}

// ---- the output folder ----

int batch_make_folder(const char* path)
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

// Some file systems between machines have none; a shard of its own for each task is then what keeps runs apart.
static bool has_no_locks(int reason)
{
    return reason == ENOSYS || reason == ENOLCK || reason == EOPNOTSUPP || reason == EINVAL;
}

// Workers hold the lock too, so that it is free when the last of a run that was killed is gone, a moment after the run.
static int lock(const batch* b)
{
    // Two that wait for one another are not to do so in step.
    const struct timespec pause = {0, 20000000 + 1000000 * (long)(getpid() % 16)};
    for (int tries = 0;; ++tries)
    {
        const bool ours = flock(b->manifest, LOCK_EX | LOCK_NB) == 0;
        if (!ours && has_no_locks(errno))
        {
            cli_warn("%s: this file system has no locks; see to it that no other run is at work here", b->set.output);
            return 0;
        }
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
    const bool good = batch_put_report(&page, m, b->set.output, b->tally.total - b->tally.ended) && !path.failed;
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
        batch_say_summary(b->set.csv != NULL && strcmp(b->set.csv, "-") == 0 ? stderr : stdout, &b->tally, &m,
                          b->set.output);
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
    const batch_pool pool = {&b->recipe, b->set.output, jobs > 0 ? jobs : 1, run, ended, waited, b, 0};
    b->began = now();
    int code = make_room(pool.jobs);
    // Which of two shards' files such a one is cannot be told by its name.
    if (code == EXIT_DONE && b->set.shards <= 1) batch_sweep_clips(b->jobs, b->job_count, b->set.output);
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
static int take_batch(batch* b, const char* const* words, size_t count, batch_run* run)
{
    int code = EXIT_DONE;
    if (b->set.frozen != NULL)
        code = batch_thaw(b->set.frozen, run, &b->recipe, &b->output, &b->list);
    else
    {
        b->output = without_slashes(b->set.output);
        if (b->output == NULL) return cli_fail(EXIT_MEMORY, "out of memory");
        code = batch_read_recipe(words[0], run, &b->recipe);
        if (code == EXIT_DONE) code = batch_find_inputs(words + 1, count - 1, b->output, &b->list);
    }
    b->set.output = b->output;
    b->tally.merged = b->set.merge;
    b->tally.part = b->set.shards > 1;
    if (code == EXIT_DONE) code = batch_plan_all(&b->recipe, b->set.output, &b->list);
    if (code == EXIT_DONE) code = batch_try_plans(&b->recipe, run, &b->list);
    if (code != EXIT_DONE) return code;
    batch_take_shard(&b->list, b->set.shard, b->set.shards);
    if (b->set.frozen != NULL) batch_find_sizes(&b->list);
    return EXIT_DONE;
}

static int do_clips(batch* b, batch_run* run)
{
    int code = batch_make_folder(b->set.output);
    if (code == EXIT_DONE) code = open_manifest(b);
    if (code == EXIT_DONE) code = batch_read_manifests(b->set.output, &b->before);
    if (code == EXIT_DONE && b->list.count > 0) code = find_jobs(b);
    return code == EXIT_DONE ? run_jobs(b, run) : code;
}

static int merge(batch* b)
{
    const int code = batch_read_manifests(b->set.output, &b->before);
    return code == EXIT_DONE ? find_jobs(b) : code;
}

static int run_batch(batch* b, const char* const* words, size_t count, batch_run* run)
{
    // Where a parent ignores it, ends of processes would go unseen.
    signal(SIGCHLD, SIG_DFL);
    int code = take_batch(b, words, count, run);
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
    }
    free(b->jobs);
    if (b->manifest >= 0) close(b->manifest);
    text_free(&b->manifest_path);
    free(b->output);
    batch_free_manifest(&b->before);
    batch_free_list(&b->list);
    batch_free_recipe(&b->recipe);
}

// How the words of the command line go with its options.
static int check_words(const settings* s, int count, bool summary)
{
    if (summary && (count != 2 || s->output != NULL || s->frozen != NULL || s->slurm || s->merge || s->freeze != NULL))
        return cli_fail(EXIT_USAGE, "batch: `surefoot batch summary OUT` takes one folder and no -o");
    if (!summary && s->frozen != NULL && (count > 0 || s->output != NULL))
        return cli_fail(EXIT_USAGE, "batch: recipe, inputs and output of --frozen stand in its file; leave them out");
    if (!summary && s->frozen == NULL && (count < 2 || s->output == NULL))
        return cli_fail(EXIT_USAGE,
                        "batch: give RECIPE.json, folders, patterns or files, and -o OUT; try `surefoot batch "
                        "--help`");
    return EXIT_DONE;
}

int cmd_batch(int argc, char** argv)
{
    batch b = {.manifest = -1};
    bool helped = false;
    int code = take_options(argc, argv, &b.set, &helped);
    const int count = argc - optind;
    const char* const* words = (const char* const*)argv + optind;
    const bool summary = code == EXIT_DONE && !helped && count > 0 && strcmp(words[0], "summary") == 0;
    if (helped)
        fputs(help, stdout);
    else if (code == EXIT_DONE)
        code = check_words(&b.set, count, summary);
    if (code == EXIT_DONE && summary)
    {
        b.set.output = words[1];
        code = summarise(&b, true);
    }
    else if (code == EXIT_DONE && !helped)
        code = run_batch(&b, words, (size_t)count, cli_run);
    batch_words_free(&b.set.cluster.options);
    batch_words_free(&b.set.cluster.setup);
    release(&b);
    return code;
}

#endif
