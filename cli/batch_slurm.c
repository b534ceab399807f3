// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// A batch as jobs of Slurm. Two scripts are written, and given to sbatch: an array whose tasks are shards of a frozen
// batch, and a merge behind it. Whatever users name (paths, lines for the scripts) stands in them as bash reads it
// back; where logs go is said on the command line of sbatch, which takes any path there, but not in a line of a script.

#if defined(__linux__) && !defined(_GNU_SOURCE)
#define _GNU_SOURCE
#endif

#include "batch.h"

#if BATCH_RUNS

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "batch_child.h"
#include "pipes.h"

#define TASKS_DEFAULT 16u
#define SAID_MOST ((size_t)65536)
#define NOT_FOUND 127
#define ID_SIZE 24 // a number of a job in decimal, and the zero

typedef struct submission
{
    const batch_slurm* slurm;
    const batch_recipe* recipe;
    const batch_list* list;
    unsigned tasks;
    char* folder;     // where the command runs, whole
    cli_text program; // this one
    cli_text place;   // OUT/slurm/N, whole
    cli_text array, merge;
} submission;

static int no_memory(void)
{
    return cli_fail(EXIT_MEMORY, "out of memory");
}

// ---- what may stand in a script ----

static bool is_plain(const char* value)
{
    for (const char* c = value; *c != '\0'; ++c)
        if (*c <= ' ' || *c == 127 || strchr("\"'\\#", *c) != NULL) return false;
    return value[0] != '\0';
}

static bool is_line(const char* value)
{
    return strpbrk(value, "\r\n") == NULL;
}

// Options of sbatch that are this command's to give: begun by their names, whole or followed by '=' or a blank.
static bool is_ours(const char* option)
{
    static const char* const ours[] = {"--array", "--output", "--wrap", "--parsable", "-a", "-o"};
    for (size_t i = 0; i < sizeof ours / sizeof ours[0]; ++i)
    {
        const size_t size = strlen(ours[i]);
        if (strncmp(option, ours[i], size) != 0) continue;
        // A short one has its value right behind it.
        if (size == 2 || option[size] == '\0' || strchr("= \t", option[size]) != NULL) return true;
    }
    return false;
}

int batch_check_slurm(const batch_slurm* s)
{
    const char* const values[][2] = {{"--partition", s->partition},
                                     {"--account", s->account},
                                     {"--qos", s->qos},
                                     {"--time", s->time},
                                     {"--mem", s->memory}};
    for (size_t i = 0; i < sizeof values / sizeof values[0]; ++i)
        if (values[i][1] != NULL && !is_plain(values[i][1]))
            return cli_fail(EXIT_USAGE, "batch: %s is one word without quotes, not '%.40s'", values[i][0],
                            values[i][1]);
    for (size_t i = 0; i < s->options.count; ++i)
    {
        const char* option = s->options.words[i];
        if (option[0] != '-' || !is_line(option))
            return cli_fail(EXIT_USAGE, "batch: --sbatch takes an option of sbatch, as --constraint=big, not '%.40s'",
                            option);
        if (is_ours(option))
            return cli_fail(EXIT_USAGE,
                            "batch: --sbatch %.40s: this is the batch's own to say (--tasks, --at-once; logs are in "
                            "OUT/slurm)",
                            option);
    }
    for (size_t i = 0; i < s->setup.count; ++i)
        if (!is_line(s->setup.words[i]))
            return cli_fail(EXIT_USAGE, "batch: --setup takes one line of bash; give several --setup");
    return EXIT_DONE;
}

// ---- scripts ----

// One word of bash, whatever is in it.
static void put_quoted(cli_text* out, const char* word)
{
    text_str(out, "'");
    for (; *word != '\0'; ++word)
        if (*word == '\'')
            text_str(out, "'\\''");
        else
            text_put(out, word, 1);
    text_str(out, "'");
}

static void put_value(cli_text* out, const char* option, const char* value)
{
    if (value != NULL) text_fmt(out, "#SBATCH --%s=%s\n", option, value);
}

// Options come first: sbatch reads none behind the first command. Later ones win, so that the user's own do.
static void put_head(cli_text* out, const submission* s, unsigned cores)
{
    const batch_slurm* c = s->slurm;
    text_fmt(out, "#SBATCH --nodes=1\n#SBATCH --ntasks=1\n#SBATCH --cpus-per-task=%u\n", cores);
    put_value(out, "partition", c->partition);
    put_value(out, "account", c->account);
    put_value(out, "qos", c->qos);
    put_value(out, "time", c->time);
    put_value(out, "mem", c->memory);
    // A task of a node that failed or was wanted by others goes on elsewhere, and its log with it.
    text_str(out, "#SBATCH --requeue\n#SBATCH --open-mode=append\n");
    for (size_t i = 0; i < c->options.count; ++i)
        text_fmt(out, "#SBATCH %s\n", c->options.words[i]);
    text_str(out, "\n");
    for (size_t i = 0; i < c->setup.count; ++i)
        text_fmt(out, "%s\n", c->setup.words[i]);
    text_str(out, "cd -- ");
    put_quoted(out, s->folder);
    // In the place of the shell, so that signals come to it.
    text_str(out, " || exit 4\nexec ");
    put_quoted(out, s->program.data);
    text_str(out, " batch --frozen ");
    cli_text frozen = {0};
    text_fmt(&frozen, "%s/frozen.jsonl", s->place.data);
    if (frozen.failed)
        out->failed = true;
    else
        put_quoted(out, frozen.data);
    text_free(&frozen);
}

static void put_array(cli_text* out, const submission* s)
{
    const batch_slurm* c = s->slurm;
    text_fmt(out, "#!/bin/bash\n# surefoot batch: each task does one of %u parts of %llu clips.\n", s->tasks,
             (unsigned long long)s->list->count);
    text_fmt(out, "#SBATCH --job-name=surefoot-%s\n#SBATCH --array=1-%u", s->recipe->command, s->tasks);
    if (c->at_once > 0) text_fmt(out, "%%%u", c->at_once);
    text_str(out, "\n");
    put_head(out, s, c->cores);
    // A task that begins again may find the locks of its node that failed: it waits for them to lapse.
    text_fmt(out, " --shard \"${SLURM_ARRAY_TASK_ID:?}/%u\" --jobs %u --wait%s\n", s->tasks, c->cores,
             c->retry ? " --retry" : "");
}

static void put_merge(cli_text* out, const submission* s)
{
    text_fmt(out, "#!/bin/bash\n# surefoot batch: puts together what the tasks of the array did.\n");
    text_fmt(out, "#SBATCH --job-name=surefoot-%s-merge\n", s->recipe->command);
    put_head(out, s, 1);
    text_str(out, " --merge");
    if (s->slurm->csv != NULL)
    {
        text_str(out, " --csv ");
        put_quoted(out, s->slurm->csv);
    }
    text_str(out, "\n");
}

// ---- programs ----

static int become_program(int argc, char** argv)
{
    (void)argc;
    execvp(argv[0], argv);
    const int code = errno == ENOENT ? NOT_FOUND : 126;
    fprintf(stderr, "%s: %s\n", argv[0], strerror(errno));
    return code;
}

// Its exit code; what it said is added to the texts.
static int run_program(const batch_words* words, cli_text* output, cli_text* errors)
{
    batch_child child;
    if (words->failed) return no_memory();
    if (!batch_start(become_program, words, &(batch_child_limits){0}, &child))
        return cli_fail(EXIT_MEMORY, "no process can be started: %s", strerror(errno));
    return batch_see_out(&child, SAID_MOST, output, errors);
}

static void add_word(batch_words* words, const char* word)
{
    batch_words_add(words, word, strlen(word));
}

// Slurm puts numbers in the place of % and what follows it.
static void add_log(batch_words* words, const submission* s, const char* name)
{
    cli_text option = {0};
    text_str(&option, "--output=");
    for (const char* c = s->place.data; *c != '\0'; ++c)
        text_put(&option, *c == '%' ? "%%" : c, *c == '%' ? 2 : 1);
    text_fmt(&option, "/%s", name);
    if (option.failed)
        words->failed = true;
    else
        add_word(words, option.data);
    text_free(&option);
}

static void make_command(const submission* s, const char* after, batch_words* words)
{
    cli_text script = {0}, dependency = {0};
    add_word(words, "sbatch");
    add_word(words, "--parsable");
    text_fmt(&dependency, "--dependency=afterany:%s", after != NULL ? after : "");
    text_fmt(&script, "%s/%s.sh", s->place.data, after != NULL ? "merge" : "array");
    words->failed = words->failed || script.failed || dependency.failed;
    if (!words->failed && after != NULL) add_word(words, dependency.data);
    add_log(words, s, after != NULL ? "merge.log" : "task-%a.log");
    if (!words->failed) add_word(words, script.data);
    text_free(&script);
    text_free(&dependency);
}

// The number is what stands last: some clusters greet people before it.
static bool take_id(const char* output, char id[ID_SIZE])
{
    char line[256] = "";
    if (output != NULL) batch_last_line(output, line, sizeof line);
    const size_t size = strspn(line, "0123456789");
    if (size == 0 || size >= ID_SIZE || (line[size] != '\0' && line[size] != ';')) return false;
    memcpy(id, line, size);
    id[size] = '\0';
    return true;
}

static int submit_one(const submission* s, const char* after, char id[ID_SIZE])
{
    batch_words words = {0};
    cli_text output = {0}, errors = {0};
    char said[1024] = "";
    make_command(s, after, &words);
    const int status = run_program(&words, &output, &errors);
    int code = EXIT_DONE;
    if (errors.data != NULL) batch_last_line(errors.data, said, sizeof said);
    if (words.failed)
        code = EXIT_MEMORY;
    else if (status == NOT_FOUND)
        code = cli_fail(EXIT_WRITE,
                        "batch: sbatch is not found, which gives jobs to Slurm: is this a machine that submits, and is "
                        "a module to be loaded? --dry-run shows the scripts without it");
    else if (status != 0 || !take_id(output.data, id))
        code = cli_fail(EXIT_WRITE, "batch: sbatch did not take %s/%s.sh: %s%s", s->place.data,
                        after != NULL ? "merge" : "array", said[0] != '\0' ? said : "it said no number of a job",
                        strstr(said, "array") != NULL ? " (`scontrol show config` says how many tasks an array may "
                                                        "have: fewer than MaxArraySize; give a smaller --tasks)"
                                                      : "");
    else if (errors.data != NULL)
        cli_put_safe(stderr, errors.data);
    batch_words_free(&words);
    text_free(&output);
    text_free(&errors);
    return code;
}

static void cancel(const char* id)
{
    batch_words words = {0};
    cli_text said = {0};
    add_word(&words, "scancel");
    add_word(&words, id);
    if (run_program(&words, &said, &said) == 0)
        fprintf(stderr, "surefoot: batch: the array, job %s, was cancelled\n", id);
    else
        cli_warn("batch: the array, job %s, is submitted without a merge and could not be cancelled; `scancel %s`", id,
                 id);
    batch_words_free(&words);
    text_free(&said);
}

// ---- submissions before this one ----

typedef struct ledger
{
    cli_text path;
    int fd;       // -1: none yet
    size_t count; // of submissions
    char array[ID_SIZE], merge[ID_SIZE];
} ledger;

static void take_job(const json_value* line, const char* key, char id[ID_SIZE])
{
    const json_value* v = json_get(line, key);
    id[0] = '\0';
    if (v != NULL && v->kind == JSON_STRING) (void)take_id(v->string, id);
}

static int read_ledger(ledger* l)
{
    void* bytes = NULL;
    size_t size = 0;
    if (access(l->path.data, F_OK) != 0) return EXIT_DONE;
    const int code = cli_read_bytes(l->path.data, &bytes, &size);
    if (code != EXIT_DONE) return code;
    const char* text = bytes;
    for (const char *at = text, *end; at < text + size; at = end + 1)
    {
        end = memchr(at, '\n', (size_t)(text + size - at));
        if (end == NULL) break;
        sft_error error = {0};
        json_value* v = json_parse(at, (size_t)(end - at), &error);
        ++l->count;
        if (v != NULL && v->kind == JSON_OBJECT)
        {
            take_job(v, "array", l->array);
            take_job(v, "merge", l->merge);
        }
        json_destroy(v);
    }
    free(bytes);
    return EXIT_DONE;
}

static int open_ledger(ledger* l)
{
    l->fd = cli_lift_descriptor(open(l->path.data, O_RDWR | O_APPEND | O_CREAT | O_CLOEXEC, 0666));
    if (l->fd < 0) return cli_fail(EXIT_WRITE, "%s: %s", l->path.data, strerror(errno));
    if (flock(l->fd, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK)
        return cli_fail(EXIT_WRITE, "%s: this batch is being submitted by another process", l->path.data);
    return EXIT_DONE;
}

// Jobs that Slurm no longer knows are over; where it cannot be asked, sbatch will say why.
static int refuse_twice(const ledger* l)
{
    if (l->array[0] == '\0' || l->merge[0] == '\0') return EXIT_DONE;
    batch_words words = {0};
    cli_text output = {0}, errors = {0}, both = {0};
    text_fmt(&both, "%s,%s", l->array, l->merge);
    add_word(&words, "squeue");
    add_word(&words, "--noheader");
    add_word(&words, "--format=%i");
    add_word(&words, "--jobs");
    add_word(&words, both.failed ? "" : both.data);
    const int status = run_program(&words, &output, &errors);
    const bool live = status == 0 && output.size > 0 && strspn(output.data, " \n") < output.size;
    batch_words_free(&words);
    text_free(&output);
    text_free(&errors);
    text_free(&both);
    if (!live) return EXIT_DONE;
    return cli_fail(EXIT_WRITE,
                    "batch: jobs %s and %s, which were submitted before, are not over (`squeue -j %s,%s`); wait for "
                    "them, or `scancel %s %s`",
                    l->array, l->merge, l->array, l->merge, l->array, l->merge);
}

static int note(const ledger* l, const char* array, const char* merge)
{
    cli_text line = {0};
    char number[32];
    struct timespec t;
    clock_gettime(CLOCK_REALTIME, &t);
    text_fmt(&line, "{\"folder\":\"%llu\",\"array\":\"%s\",\"merge\":\"%s\",\"submitted\":%s}\n",
             (unsigned long long)l->count + 1, array, merge, cli_number((double)t.tv_sec, number));
    const bool good = !line.failed && write(l->fd, line.data, line.size) == (ssize_t)line.size;
    text_free(&line);
    return good ? EXIT_DONE : cli_fail(EXIT_WRITE, "%s: %s", l->path.data, strerror(errno));
}

// ---- all together ----

// As the user came here, where that is still so: what a link or an automounter calls a folder holds on all machines.
static char* find_folder(void)
{
    struct stat a, b;
    const char* said = getenv("PWD");
    if (said != NULL && said[0] == '/' && stat(said, &a) == 0 && stat(".", &b) == 0 && a.st_dev == b.st_dev &&
        a.st_ino == b.st_ino)
        return strdup(said);
    return getcwd(NULL, 0);
}

static int make_scripts(submission* s, const ledger* l, const char* out_folder)
{
    s->folder = find_folder();
    if (s->folder == NULL) return cli_fail(EXIT_READ, "batch: this folder has no name: %s", strerror(errno));
    if (!cli_program_path(&s->program)) text_str(&s->program, "surefoot");
    if (out_folder[0] != '/') text_fmt(&s->place, "%s/", s->folder);
    text_fmt(&s->place, "%s/slurm/%llu", out_folder, (unsigned long long)l->count + 1);
    if (s->place.failed || s->program.failed) return no_memory();
    if (strchr(s->place.data, '\\') != NULL)
        return cli_fail(EXIT_USAGE,
                        "batch: %s: Slurm takes no backslash in the names of its logs; give -o another name",
                        out_folder);
    put_array(&s->array, s);
    put_merge(&s->merge, s);
    return s->array.failed || s->merge.failed ? no_memory() : EXIT_DONE;
}

static void show_command(const submission* s, const char* after)
{
    batch_words words = {0};
    cli_text line = {0};
    make_command(s, after, &words);
    for (size_t i = 0; i < words.count; ++i)
    {
        if (i > 0) text_str(&line, " ");
        if (strpbrk(words.words[i], " \t\n'\"\\$`*?[]#~=&;|<>(){}!") != NULL && words.words[i][0] != '-')
            put_quoted(&line, words.words[i]);
        else if (strncmp(words.words[i], "--output=", 9) == 0)
        {
            text_str(&line, "--output=");
            put_quoted(&line, words.words[i] + 9);
        }
        else
            text_str(&line, words.words[i]);
    }
    if (!line.failed) printf("%s\n", line.data);
    batch_words_free(&words);
    text_free(&line);
}

static int show(const submission* s)
{
    printf("# array.sh\n%s\n# merge.sh\n%s\n# Submitted so:\n", s->array.data, s->merge.data);
    show_command(s, NULL);
    show_command(s, "ARRAY");
    return fflush(stdout) == 0 && ferror(stdout) == 0 ? EXIT_DONE
                                                      : cli_fail(EXIT_WRITE, "standard output: %s", strerror(errno));
}

static int write_one(const submission* s, const char* name, const cli_text* text)
{
    cli_text path = {0};
    text_fmt(&path, "%s/%s", s->place.data, name);
    const int code = path.failed ? no_memory() : cli_write_bytes(path.data, text->data, text->size);
    text_free(&path);
    return code;
}

static int write_all(const submission* s, const char* out_folder)
{
    cli_text frozen = {0};
    int code = batch_make_folder(s->place.data);
    text_fmt(&frozen, "%s/frozen.jsonl", s->place.data);
    if (code == EXIT_DONE && frozen.failed) code = no_memory();
    if (code == EXIT_DONE) code = batch_freeze(frozen.data, s->recipe, out_folder, s->list);
    if (code == EXIT_DONE) code = write_one(s, "array.sh", &s->array);
    if (code == EXIT_DONE) code = write_one(s, "merge.sh", &s->merge);
    text_free(&frozen);
    return code;
}

static int say(const submission* s, const char* array, const char* merge)
{
    if (s->slurm->json)
    {
        json_out json = {0};
        json_begin(&json, NULL, '{');
        json_text(&json, "array", array);
        json_text(&json, "merge", merge);
        json_int(&json, "tasks", (long long)s->tasks);
        json_int(&json, "clips", (long long)s->list->count);
        json_text(&json, "folder", s->place.data);
        json_end(&json, '}');
        return json_finish(&json);
    }
    printf("%zu clips in %u tasks: job %s; then a merge: job %s\n", s->list->count, s->tasks, array, merge);
    cli_print(stdout, "%s has scripts and logs\n", s->place.data);
    printf("`squeue -j %s,%s` shows them, `scancel %s %s` ends them; the same command then goes on\n", array, merge,
           array, merge);
    return EXIT_DONE;
}

// For sbatch the environment goes before what stands in a script: here what was given goes before it.
static void clear_environment(const batch_slurm* s)
{
    const char* const variables[][2] = {
        {"SBATCH_PARTITION", s->partition}, {"SBATCH_ACCOUNT", s->account},     {"SBATCH_QOS", s->qos},
        {"SBATCH_TIMELIMIT", s->time},      {"SBATCH_MEM_PER_NODE", s->memory}, {"SBATCH_MEM_PER_CPU", s->memory},
        {"SBATCH_MEM_PER_GPU", s->memory}};
    for (size_t i = 0; i < sizeof variables / sizeof variables[0]; ++i)
        if (variables[i][1] != NULL) unsetenv(variables[i][0]);
    // They would make another array of it, or wait for its end.
    unsetenv("SBATCH_ARRAY_INX");
    unsetenv("SBATCH_WAIT");
}

static int submit_both(const submission* s, const ledger* l)
{
    clear_environment(s->slurm);
    char array[ID_SIZE] = "", merge[ID_SIZE] = "";
    int code = submit_one(s, NULL, array);
    if (code != EXIT_DONE) return code;
    code = submit_one(s, array, merge);
    if (code == EXIT_DONE) code = note(l, array, merge);
    // A merge without its array is of no use, nor is a submission that the next one would not know of.
    if (code != EXIT_DONE) cancel(array);
    if (code != EXIT_DONE && merge[0] != '\0') cancel(merge);
    return code == EXIT_DONE ? say(s, array, merge) : code;
}

int batch_submit(const batch_slurm* slurm, const batch_recipe* recipe, const char* out_folder, const batch_list* list)
{
    submission s = {.slurm = slurm, .recipe = recipe, .list = list};
    ledger l = {.fd = -1};
    cli_text below = {0};
    const unsigned most = list->count < TASKS_DEFAULT ? (unsigned)list->count : TASKS_DEFAULT;
    s.tasks = slurm->tasks == 0 ? most : list->count < slurm->tasks ? (unsigned)list->count : slurm->tasks;
    text_fmt(&below, "%s/slurm", out_folder);
    text_fmt(&l.path, "%s/slurm/submitted.jsonl", out_folder);
    int code = below.failed || l.path.failed ? no_memory() : EXIT_DONE;
    if (code == EXIT_DONE && !slurm->dry_run) code = batch_make_folder(out_folder);
    if (code == EXIT_DONE && !slurm->dry_run) code = batch_make_folder(below.data);
    if (code == EXIT_DONE && !slurm->dry_run) code = open_ledger(&l);
    if (code == EXIT_DONE) code = read_ledger(&l);
    if (code == EXIT_DONE && !slurm->dry_run) code = refuse_twice(&l);
    if (code == EXIT_DONE) code = make_scripts(&s, &l, out_folder);
    if (code == EXIT_DONE && slurm->dry_run) code = show(&s);
    if (code == EXIT_DONE && !slurm->dry_run) code = write_all(&s, out_folder);
    if (code == EXIT_DONE && !slurm->dry_run) code = submit_both(&s, &l);
    if (l.fd >= 0) close(l.fd);
    free(s.folder);
    text_free(&s.program);
    text_free(&s.place);
    text_free(&s.array);
    text_free(&s.merge);
    text_free(&l.path);
    text_free(&below);
    return code;
}

#endif
