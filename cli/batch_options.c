// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// The command line of `surefoot batch`: its options, and which of them say something together.

#if defined(__linux__) && !defined(_GNU_SOURCE)
#define _GNU_SOURCE
#endif

#include "batch_run.h"

#if BATCH_RUNS

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define JOBS_MOST 1024
#define SHARDS_MOST 100000

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
    "  --prune       removes outputs of inputs that are not given any more, as far as they are as they were written;\n"
    "                without it they are only named\n"
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
    OPT_PRUNE,
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
                                              {"prune", no_argument, NULL, OPT_PRUNE},
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

static int take_shard(const char* value, batch_settings* s)
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

static int take_cluster_option(int key, batch_settings* s)
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

static int take_option(int key, batch_settings* s)
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
    case OPT_PRUNE:
        s->prune = true;
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
static int check_together(batch_settings* s)
{
    for (const struct option* o = known_options; o->name != NULL && !s->slurm; ++o)
        if (s->of_cluster != 0 && o->val == s->of_cluster)
            return cli_fail(EXIT_USAGE, "batch: --%s goes with --slurm", o->name);
    if (s->merge && (s->slurm || s->freeze != NULL || s->shards > 1 || s->retry))
        return cli_fail(EXIT_USAGE, "batch: --merge does no clip; leave out --slurm, --freeze, --shard and --retry");
    if (s->prune && (s->merge || s->slurm || s->freeze != NULL || s->shards > 1))
        return cli_fail(EXIT_USAGE, "batch: --prune goes with a run of the whole list; leave out --merge, --shard, "
                                    "--slurm and --freeze");
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

// How the words of the command line go with its options.
static int check_words(const batch_settings* s)
{
    const size_t count = s->word_count;
    if (s->summary &&
        (count != 2 || s->output != NULL || s->frozen != NULL || s->slurm || s->merge || s->freeze != NULL || s->prune))
        return cli_fail(EXIT_USAGE, "batch: `surefoot batch summary OUT` takes one folder and no -o");
    if (!s->summary && s->frozen != NULL && (count > 0 || s->output != NULL))
        return cli_fail(EXIT_USAGE, "batch: recipe, inputs and output of --frozen stand in its file; leave them out");
    if (!s->summary && s->frozen == NULL && (count < 2 || s->output == NULL))
        return cli_fail(EXIT_USAGE,
                        "batch: give RECIPE.json, folders, patterns or files, and -o OUT; try `surefoot batch "
                        "--help`");
    return EXIT_DONE;
}

int batch_take_options(int argc, char** argv, batch_settings* s)
{
    *s = (batch_settings){.shard = 1, .shards = 1};
    for (int key; (key = cli_next_option("batch", argc, argv, true, known_options)) != -1;)
    {
        s->helped = key == OPT_HELP;
        if (s->helped)
        {
            fputs(help, stdout);
            return EXIT_DONE;
        }
        const int code = take_option(key, s);
        if (code != EXIT_DONE) return code;
    }
    s->words = (const char* const*)argv + optind;
    s->word_count = (size_t)(argc - optind);
    s->summary = s->word_count > 0 && strcmp(s->words[0], "summary") == 0;
    const int code = check_together(s);
    return code == EXIT_DONE ? check_words(s) : code;
}

void batch_free_settings(batch_settings* s)
{
    batch_words_free(&s->cluster.options);
    batch_words_free(&s->cluster.setup);
}

#endif
