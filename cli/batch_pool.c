// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// As many clips at a time as there are jobs, each in a process of its own under limits of time and memory.

#if defined(__linux__) && !defined(_GNU_SOURCE)
#define _GNU_SOURCE
#endif

#include "batch_starter.h"
#include "batch_sync.h"

#if BATCH_RUNS

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define OUTPUT_MOST ((size_t)64 << 20)
#define ERRORS_MOST ((size_t)65536)
#define TICK_MS 250
#define SYNC_SECONDS 0.25 // between the beginnings of two waits for the disk

typedef struct slot
{
    batch_job* job; // null: free
    batch_child child;
    cli_text output, errors;
    double began, deadline;
    bool late;
} slot;

// Clips whose process ended, and which are not known to be on the disk yet.
typedef struct settling
{
    batch_sync sync;
    batch_job** jobs;
    size_t count;
    size_t asked; // the first so many, when the disk was asked last
    double asked_at;
} settling;

static volatile sig_atomic_t asked_to_stop;

static void on_stop(int which)
{
    (void)which;
    asked_to_stop = 1;
}

// There to break off a wait: the end of a process is then seen at once, and not at the next look.
static void on_child(int which)
{
    (void)which;
}

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static double now_of_day(void)
{
    struct timespec t;
    clock_gettime(CLOCK_REALTIME, &t);
    return (double)t.tv_sec + 1e-3 * (double)(t.tv_nsec / 1000000);
}

// ---- before a clip ----

static bool make_folders(char* path)
{
    for (char* slash = strchr(path + 1, '/'); slash != NULL; slash = strchr(slash + 1, '/'))
    {
        *slash = '\0';
        const bool good = mkdir(path, 0777) == 0 || errno == EEXIST;
        *slash = '/';
        if (!good) return false;
    }
    return true;
}

static char* output_path(const batch_pool* pool, const batch_job* job)
{
    cli_text path = {0};
    text_fmt(&path, "%s/%s", pool->out_folder, job->input->plan.output);
    if (!path.failed) return path.data;
    text_free(&path);
    return NULL;
}

static int no_memory(void)
{
    return cli_fail(EXIT_MEMORY, "out of memory");
}

typedef struct refusal
{
    const char *path, *reason;
} refusal;

// A file of labels, say, which lies where the output is to be.
static bool names_output(const char* output, const batch_words* options)
{
    struct stat status;
    if (lstat(output, &status) != 0) return false;
    for (size_t i = 0; i < options->count; ++i)
        if (cli_same_file(options->words[i], output)) return true;
    return false;
}

// EXIT_WRITE: for the reason in *no.
static int make_words(const batch_pool* pool, const batch_job* job, batch_words* words, refusal* no)
{
    char* output = output_path(pool, job);
    if (output == NULL) return no_memory();
    const batch_words* options = &job->input->plan.options;
    *no = (refusal){job->input->plan.output, NULL};
    bool made = make_folders(output);
    for (size_t i = 1; i < options->count && made; ++i)
    {
        if (!batch_is_output_option(options->words[i - 1])) continue;
        no->path = options->words[i];
        made = make_folders(options->words[i]);
    }
    if (!made)
        no->reason = strerror(errno);
    else if (names_output(output, options))
        *no = (refusal){job->input->plan.output, "an option names it, and it would be replaced"};
    if (no->reason != NULL)
    {
        free(output);
        return EXIT_WRITE;
    }
    if (batch_has_one_output(pool->recipe, job->input)) batch_clear_place(output, options);
    const char* const fixed[] = {"surefoot", pool->recipe->command, job->input->path, "--json"};
    for (size_t i = 0; i < sizeof fixed / sizeof fixed[0]; ++i)
        batch_words_add(words, fixed[i], strlen(fixed[i]));
    for (size_t i = 0; i < options->count; ++i)
        batch_words_add(words, options->words[i], strlen(options->words[i]));
    if (!batch_prints(pool->recipe))
    {
        batch_words_add(words, "-o", 2);
        batch_words_add(words, output, strlen(output));
    }
    free(output);
    return words->failed ? no_memory() : EXIT_DONE;
}

// Its line in the manifest has to wait until its output is on the disk.
static int settle(const batch_pool* pool, settling* waiting, batch_job* job)
{
    if (!batch_sync_works(&waiting->sync)) return pool->ended(pool->context, job);
    waiting->jobs[waiting->count++] = job;
    return EXIT_DONE;
}

// A clip that can have no output costs only itself.
static int refuse(const batch_pool* pool, settling* waiting, batch_job* job, const refusal* no)
{
    cli_text text = {0};
    text_fmt(&text, "%s cannot be made: %s", no->path, no->reason);
    job->entry.result = BATCH_FAILED;
    job->entry.code = EXIT_WRITE;
    job->entry.message = text.data;
    job->entry.ended = now_of_day();
    return text.failed ? no_memory() : settle(pool, waiting, job);
}

// Of processes, memory or open files there are no more now; with a clip's end there will be.
static bool is_passing(int reason)
{
    return reason == EAGAIN || reason == ENOMEM || reason == EMFILE || reason == ENFILE;
}

#define BEGIN_LATER (-1)

// The slot stays free where the clip came to its end at once. BEGIN_LATER: when another that is at work has ended.
static int begin(const batch_pool* pool, settling* waiting, slot* s, batch_job* job, bool others)
{
    batch_words words = {0};
    refusal no = {NULL, NULL};
    // The clip's process then finds the file in memory. What cannot be read has no hash, and the command will say so.
    if (job->entry.hash[0] == '\0') (void)batch_hash_input(job->input->path, job->entry.hash);
    int code = make_words(pool, job, &words, &no);
    const unsigned seconds = pool->recipe->seconds;
    const batch_child_limits limits = {pool->recipe->memory, seconds, batch_sync_works(&waiting->sync)};
    if (code == EXIT_DONE && !batch_starter_start(pool->starter, pool->run, &words, &limits, pool->held, &s->child))
        code = others && is_passing(errno) ? BEGIN_LATER
                                           : cli_fail(EXIT_MEMORY, "no process can be started: %s", strerror(errno));
    batch_words_free(&words);
    if (code == EXIT_WRITE) return refuse(pool, waiting, job, &no);
    if (code != EXIT_DONE) return code;
    s->job = job;
    s->late = false;
    s->began = now();
    s->deadline = s->began + seconds;
    return EXIT_DONE;
}

// ---- after a clip ----

static void end_child(batch_child* child)
{
    kill(-child->pid, SIGKILL);
    kill(child->pid, SIGKILL);
}

static void set_result(const batch_pool* pool, const slot* s, int status, batch_entry* e)
{
    char said[1024] = "";
    if (s->errors.data != NULL) batch_last_line(s->errors.data, said, sizeof said);
    e->code = WIFEXITED(status) ? WEXITSTATUS(status) : WTERMSIG(status);
    if (s->late || (WIFSIGNALED(status) && WTERMSIG(status) == SIGXCPU))
    {
        e->result = BATCH_TIMEOUT;
        snprintf(said, sizeof said, "not done after %u s, and ended", pool->recipe->seconds);
    }
    else if (WIFSIGNALED(status))
    {
        e->result = BATCH_CRASHED;
        snprintf(said, sizeof said, "ended by signal %d (%s)", WTERMSIG(status), strsignal(WTERMSIG(status)));
    }
    else
        e->result = e->code == EXIT_DONE ? BATCH_DONE : e->code == EXIT_MEMORY ? BATCH_MEMORY : BATCH_FAILED;
    e->message = strdup(said);
}

// What cannot be kept costs only this clip.
static void fail_output(batch_entry* e, int code, const char* reason)
{
    char said[1024];
    e->result = code == EXIT_MEMORY ? BATCH_MEMORY : BATCH_FAILED;
    e->code = code;
    free(e->message);
    e->message = strdup(cli_safe_utf8(reason, said, sizeof said));
}

static bool write_printed(const char* path, const cli_text* output, bool unsynced, sft_error* error)
{
    const sft_bytes all = {output->data, output->size};
    return (unsynced ? sft_file_write_unsynced(path, &all, 1, error) : sft_file_write_parts(path, &all, 1, error)) ==
           SFT_OK;
}

static int set_output(const batch_pool* pool, const slot* s, bool unsynced, batch_entry* e)
{
    char* path = output_path(pool, s->job);
    if (path == NULL) return no_memory();
    struct stat status;
    sft_error error = {0};
    bool good = true;
    if (batch_prints(pool->recipe) && (s->output.failed || s->output.size >= OUTPUT_MOST))
    {
        fail_output(e, EXIT_MEMORY, "what it found is more than 64 MiB");
        good = false;
    }
    else if (batch_prints(pool->recipe) && !write_printed(path, &s->output, unsynced, &error))
    {
        fail_output(e, EXIT_WRITE, error.message);
        good = false;
    }
    // A file a clip has names of its own.
    if (good && batch_has_one_output(pool->recipe, s->job->input) && stat(path, &status) == 0 &&
        S_ISREG(status.st_mode))
    {
        e->output = strdup(s->job->input->plan.output);
        e->output_size = (uint64_t)status.st_size;
    }
    free(path);
    return EXIT_DONE;
}

// A file in the output folder is of a clip that is done. What failed may have written it before.
static void take_output_away(const batch_pool* pool, const batch_job* job)
{
    char* path = output_path(pool, job);
    if (path != NULL && batch_has_one_output(pool->recipe, job->input))
        batch_clear_place(path, &job->input->plan.options);
    free(path);
}

static int finish(const batch_pool* pool, settling* waiting, slot* s)
{
    batch_entry* e = &s->job->entry;
    int status = 0, code = EXIT_DONE;
    // The group goes first, while the child's number still belongs to it: what it started ends with it.
    kill(-s->child.pid, SIGKILL);
    while (waitpid(s->child.pid, &status, 0) < 0 && errno == EINTR)
        continue;
    e->seconds = now() - s->began;
    e->ended = now_of_day();
    set_result(pool, s, status, e);
    e->warnings = batch_count_warnings(s->errors.data);
    if (s->output.data != NULL && !s->output.failed && s->output.size < OUTPUT_MOST)
        batch_read_said(s->output.data, s->output.size, e);
    // What check found is its output where it failed too.
    if (e->result == BATCH_DONE || (e->code == EXIT_CHECK && e->result == BATCH_FAILED))
        code = set_output(pool, s, batch_sync_works(&waiting->sync), e);
    else
        take_output_away(pool, s->job);
    if (code == EXIT_DONE) code = settle(pool, waiting, s->job);
    text_free(&s->output);
    text_free(&s->errors);
    s->job = NULL;
    return code;
}

// Whether the process is gone; its pipes may be held open by what it started.
static bool is_over(const slot* s)
{
    siginfo_t info;
    memset(&info, 0, sizeof info);
    return waitid(P_PID, (id_t)s->child.pid, &info, WEXITED | WNOWAIT | WNOHANG) == 0 && info.si_pid != 0;
}

// ---- the disk ----

// Nothing of it is on the disk for certain.
static void lose(const batch_pool* pool, batch_job* job, int reason)
{
    char said[256];
    snprintf(said, sizeof said, "the output is not on the disk: %s", strerror(reason));
    take_output_away(pool, job);
    free(job->entry.output);
    job->entry.output = NULL;
    fail_output(&job->entry, EXIT_WRITE, said);
}

static int end_first(const batch_pool* pool, settling* waiting, size_t count, int reason)
{
    int code = EXIT_DONE;
    for (size_t i = 0; i < count && code == EXIT_DONE; ++i)
    {
        if (reason != 0 && waiting->jobs[i]->entry.result == BATCH_DONE) lose(pool, waiting->jobs[i], reason);
        code = pool->ended(pool->context, waiting->jobs[i]);
    }
    waiting->count -= count;
    memmove(waiting->jobs, waiting->jobs + count, waiting->count * sizeof *waiting->jobs);
    return code;
}

static bool has_outputs(const settling* waiting)
{
    bool found = false;
    for (size_t i = 0; i < waiting->count && !found; ++i)
        found = waiting->jobs[i]->entry.result == BATCH_DONE || waiting->jobs[i]->entry.output != NULL;
    return found;
}

// All at once, a few times a second. last: no more will come.
static int look_at_disk(const batch_pool* pool, settling* waiting, bool last)
{
    int reason = 0, code = EXIT_DONE;
    if (batch_sync_take(&waiting->sync, &reason)) code = end_first(pool, waiting, waiting->asked, reason);
    if (code != EXIT_DONE || waiting->count == 0 || waiting->sync.busy) return code;
    if (!has_outputs(waiting)) return end_first(pool, waiting, waiting->count, 0);
    const double at = now();
    if (!last && at - waiting->asked_at < SYNC_SECONDS) return EXIT_DONE;
    waiting->asked = waiting->count;
    waiting->asked_at = at;
    batch_sync_ask(&waiting->sync);
    return EXIT_DONE;
}

// When the run was broken off too: what is done is done.
static int settle_all(const batch_pool* pool, settling* waiting)
{
    int code = EXIT_DONE;
    while (waiting->count > 0 && code == EXIT_DONE)
    {
        code = look_at_disk(pool, waiting, true);
        if (waiting->count > 0 && waiting->sync.line >= 0)
            (void)poll(&(struct pollfd){waiting->sync.line, POLLIN, 0}, 1, TICK_MS);
        pool->waited(pool->context);
    }
    return code;
}

// ---- the run ----

static void wait_for_any(slot* slots, unsigned count, const settling* waiting, struct pollfd* waits)
{
    nfds_t used = 0;
    bool ending = false;
    for (unsigned i = 0; i < count; ++i)
    {
        if (slots[i].job == NULL) continue;
        ending = ending || (slots[i].child.out < 0 && slots[i].child.err < 0);
        if (slots[i].child.out >= 0) waits[used++] = (struct pollfd){slots[i].child.out, POLLIN, 0};
        if (slots[i].child.err >= 0) waits[used++] = (struct pollfd){slots[i].child.err, POLLIN, 0};
    }
    if (waiting->sync.busy && waiting->sync.line >= 0) waits[used++] = (struct pollfd){waiting->sync.line, POLLIN, 0};
    // Pipes close a moment before their process is over.
    (void)poll(waits, used, ending || used == 0 ? 1 : TICK_MS);
}

static int look_after(const batch_pool* pool, settling* waiting, slot* s)
{
    if (s->child.out >= 0) (void)batch_take(&s->child.out, OUTPUT_MOST, &s->output);
    if (s->child.err >= 0) (void)batch_take(&s->child.err, ERRORS_MOST, &s->errors);
    // One that ended is not late, however long this process was stopped in between.
    bool over = is_over(s);
    if (!over && !s->late && now() > s->deadline)
    {
        s->late = true;
        end_child(&s->child);
        over = is_over(s);
    }
    if (!over) return EXIT_DONE;
    // What it said last, and what others hold open.
    int* const ends[2] = {&s->child.out, &s->child.err};
    for (int i = 0; i < 2; ++i)
    {
        if (*ends[i] >= 0) (void)batch_take(ends[i], OUTPUT_MOST, i == 0 ? &s->output : &s->errors);
        if (*ends[i] >= 0) close(*ends[i]);
        *ends[i] = -1;
    }
    return finish(pool, waiting, s);
}

static void break_off(slot* slots, unsigned count)
{
    for (unsigned i = 0; i < count; ++i)
    {
        if (slots[i].job == NULL) continue;
        end_child(&slots[i].child);
        while (waitpid(slots[i].child.pid, NULL, 0) < 0 && errno == EINTR)
            continue;
        if (slots[i].child.out >= 0) close(slots[i].child.out);
        if (slots[i].child.err >= 0) close(slots[i].child.err);
        text_free(&slots[i].output);
        text_free(&slots[i].errors);
    }
}

static int run_slots(const batch_pool* pool, settling* waiting, batch_job* jobs, size_t count, slot* slots,
                     struct pollfd* waits)
{
    size_t next = 0, ended = 0;
    int code = EXIT_DONE;
    while (ended < count && code == EXIT_DONE)
    {
        for (unsigned i = 0; i < pool->jobs && code == EXIT_DONE; ++i)
            while (slots[i].job == NULL && next < count && code == EXIT_DONE)
            {
                code = begin(pool, waiting, slots + i, jobs + next, next > ended);
                if (code != EXIT_DONE) break;
                ++next;
                ended += slots[i].job == NULL ? 1 : 0;
            }
        if (code == BEGIN_LATER) code = EXIT_DONE;
        if (code != EXIT_DONE) break;
        wait_for_any(slots, pool->jobs, waiting, waits);
        for (unsigned i = 0; i < pool->jobs && code == EXIT_DONE; ++i)
        {
            if (slots[i].job == NULL) continue;
            code = look_after(pool, waiting, slots + i);
            ended += slots[i].job == NULL ? 1 : 0;
        }
        if (code == EXIT_DONE) code = look_at_disk(pool, waiting, false);
        pool->waited(pool->context);
        if (asked_to_stop != 0) code = BATCH_STOPPED;
    }
    return code;
}

int batch_run_all(const batch_pool* pool, batch_job* jobs, size_t count)
{
    static const int stops[] = {SIGINT, SIGTERM, SIGHUP};
    struct sigaction before[3], child_before;
    const struct sigaction stop = {.sa_handler = on_stop}, child = {.sa_handler = on_child};
    slot* slots = calloc(pool->jobs, sizeof *slots);
    struct pollfd* waits = calloc(2 * (size_t)pool->jobs + 1, sizeof *waits);
    settling waiting = {.jobs = calloc(count + 1, sizeof(batch_job*))};
    int code = slots != NULL && waits != NULL && waiting.jobs != NULL ? EXIT_DONE : no_memory();
    asked_to_stop = 0;
    batch_sync_begin(&waiting.sync, pool->out_folder);
    // What was to be ignored stays so: nohup.
    for (int i = 0; i < 3; ++i)
        if (sigaction(stops[i], NULL, before + i) == 0 && before[i].sa_handler != SIG_IGN)
            sigaction(stops[i], &stop, NULL);
    sigaction(SIGCHLD, &child, &child_before);
    if (code == EXIT_DONE) code = run_slots(pool, &waiting, jobs, count, slots, waits);
    if (slots != NULL) break_off(slots, pool->jobs);
    if (code == EXIT_DONE || code == BATCH_STOPPED)
    {
        const int settled = settle_all(pool, &waiting);
        code = settled == EXIT_DONE ? code : settled;
    }
    batch_sync_end(&waiting.sync);
    sigaction(SIGCHLD, &child_before, NULL);
    for (int i = 0; i < 3; ++i)
        sigaction(stops[i], before + i, NULL);
    free(slots);
    free(waits);
    free(waiting.jobs);
    return code;
}

#endif
