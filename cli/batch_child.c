// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

#if defined(__linux__) && !defined(_GNU_SOURCE)
#define _GNU_SOURCE
#endif

#include "batch_child.h"

#if BATCH_RUNS

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/prctl.h>
#endif

#include "pipes.h"

#define TRY_SECONDS 20u
#define TRY_MEMORY ((uint64_t)1 << 30)
#define SAID_MOST ((size_t)65536)

static void restore_signals(void)
{
    static const int ours[] = {SIGINT, SIGTERM, SIGHUP, SIGPIPE, SIGCHLD};
    for (size_t i = 0; i < sizeof ours / sizeof ours[0]; ++i)
        signal(ours[i], SIG_DFL);
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
}

uint64_t batch_addresses(void)
{
    uint64_t pages = 0;
    char text[32] = "";
    const int fd = open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
    const ssize_t size = fd >= 0 ? read(fd, text, sizeof text - 1) : 0;
    if (fd >= 0) close(fd);
    for (ssize_t i = 0; i < size && text[i] >= '0' && text[i] <= '9'; ++i)
        pages = 10 * pages + (uint64_t)(text[i] - '0');
    return pages * (uint64_t)sysconf(_SC_PAGESIZE);
}

static void limit(uint64_t memory, unsigned seconds)
{
#ifdef NO_MEMORY_LIMIT
    (void)memory;
#else
    setrlimit(RLIMIT_AS, &(struct rlimit){(rlim_t)memory, (rlim_t)memory});
#endif
    // One second more for the hard limit: at the soft one the signal says what happened.
    setrlimit(RLIMIT_CPU, &(struct rlimit){(rlim_t)seconds, (rlim_t)seconds + 1});
    setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0});
}

void batch_become(batch_run* run, const batch_words* words, const batch_child_limits* limits, const int files[3],
                  pid_t parent)
{
    if (limits->seconds > 0) limit(limits->memory, limits->seconds);
    if (limits->unsynced) cli_leave_sync();
    setpgid(0, 0);
#ifdef __linux__
    prctl(PR_SET_PDEATHSIG, SIGKILL);
#endif
    // The parent may have ended before that took effect.
    if (getppid() != parent) _exit(125);
    for (int i = 0; i < 3; ++i)
        if (dup2(files[i], i) < 0) _exit(125);
    restore_signals();
    // A character at a time, each would wake this process's parent.
    static char line[1024];
    setvbuf(stderr, line, _IOLBF, sizeof line);
    // The words are the command's to change.
    char** arguments = calloc(words->count + 1, sizeof *arguments);
    if (arguments == NULL) _exit(EXIT_MEMORY);
    memcpy(arguments, words->words, words->count * sizeof *arguments);
#ifdef __GLIBC__
    optind = 0; // begins anew
#else
    optind = 1;
#endif
    int code = run((int)words->count, arguments);
    if ((fflush(stdout) != 0 || ferror(stdout) != 0) && code == EXIT_DONE) code = EXIT_WRITE;
    fflush(stderr);
    _exit(code);
}

bool batch_make_pipes(batch_pipes* out)
{
    // Standard input is a pipe that nobody writes to: at its end at once, also where there is no /dev/null.
    int nothing[2] = {-1, -1}, said[2] = {-1, -1}, errors[2] = {-1, -1};
    const bool piped = cli_make_pipe(nothing) && cli_make_pipe(said) && cli_make_pipe(errors);
    const int reason = errno;
    cli_close_descriptors(nothing + 1, 1);
    *out = (batch_pipes){said[0], errors[0], {nothing[0], said[1], errors[1]}};
    if (!piped) batch_close_pipes(out);
    errno = reason;
    return piped;
}

void batch_close_pipes(batch_pipes* pipes)
{
    cli_close_descriptors(pipes->theirs, 3);
    cli_close_descriptors((const int[2]){pipes->out, pipes->err}, 2);
    *pipes = (batch_pipes){-1, -1, {-1, -1, -1}};
}

void batch_take_child(pid_t pid, batch_pipes* pipes, batch_child* out)
{
    const int reason = errno;
    if (pid > 0)
    {
        setpgid(pid, pid); // whoever comes first
        fcntl(pipes->out, F_SETFL, O_NONBLOCK);
        fcntl(pipes->err, F_SETFL, O_NONBLOCK);
        *out = (batch_child){pid, pipes->out, pipes->err};
        pipes->out = pipes->err = -1;
    }
    batch_close_pipes(pipes);
    errno = reason;
}

bool batch_start(batch_run* run, const batch_words* words, const batch_child_limits* limits, batch_child* out)
{
    batch_pipes pipes;
    if (!batch_make_pipes(&pipes)) return false;
    const pid_t parent = getpid();
    batch_child_limits own = *limits;
    if (own.seconds > 0) own.memory += batch_addresses();
    // What waits in buffers would be written twice.
    fflush(NULL);
    const pid_t pid = fork();
    if (pid == 0) batch_become(run, words, &own, pipes.theirs, parent);
    batch_take_child(pid, &pipes, out);
    return pid > 0;
}

bool batch_take(int* fd, size_t most, cli_text* out)
{
    char piece[65536];
    while (*fd >= 0)
    {
        const ssize_t got = read(*fd, piece, sizeof piece);
        if (got < 0 && errno == EINTR) continue;
        if (got < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) return true;
        if (got <= 0)
        {
            close(*fd);
            *fd = -1;
            return false;
        }
        const size_t room = out->size < most ? most - out->size : 0;
        text_put(out, piece, (size_t)got < room ? (size_t)got : room);
    }
    return false;
}

// Where the line begins that has `at` in it, or ends there.
static size_t line_of(const char* said, size_t at)
{
    while (at > 0 && said[at - 1] != '\n')
        --at;
    return at;
}

void batch_last_line(const char* said, char* out, size_t capacity)
{
    static const char self[] = "surefoot: ";
    const size_t prefix = sizeof self - 1;
    char line[1024];
    size_t whole = strlen(said);
    while (whole > 0 && (said[whole - 1] == '\n' || said[whole - 1] == '\r'))
        --whole;
    // What a message lists stands in lines below it.
    size_t first = line_of(said, whole);
    while (first > 0 && strncmp(said + first, self, prefix) != 0)
        first = line_of(said, first - 1);
    if (strncmp(said + first, self, prefix) == 0)
        first += prefix;
    else
        first = line_of(said, whole);
    size_t size = strcspn(said + first, "\r\n");
    size = size < sizeof line ? size : sizeof line - 1;
    memcpy(line, said + first, size);
    line[size] = '\0';
    cli_safe_utf8(line, out, capacity);
}

int batch_see_out(batch_child* child, size_t most, cli_text* output, cli_text* errors)
{
    fcntl(child->out, F_SETFL, 0);
    fcntl(child->err, F_SETFL, 0);
    while (batch_take(&child->out, most, output))
        continue;
    while (batch_take(&child->err, SAID_MOST, errors))
        continue;
    int status = 0;
    while (waitpid(child->pid, &status, 0) < 0 && errno == EINTR)
        continue;
    return WIFEXITED(status) ? WEXITSTATUS(status) : EXIT_MEMORY;
}

int batch_try(batch_run* run, const batch_words* words, char* said, size_t capacity)
{
    batch_child child;
    cli_text output = {0}, errors = {0};
    said[0] = '\0';
    const batch_child_limits limits = {TRY_MEMORY, TRY_SECONDS, false};
    if (!batch_start(run, words, &limits, &child))
        return cli_fail(EXIT_MEMORY, "no process can be started: %s", strerror(errno));
    // What it prints fits a pipe or is dropped; what it says comes first.
    const int code = batch_see_out(&child, 0, &output, &errors);
    // The first line says what is wrong, those below it where to look.
    if (code != EXIT_DONE && errors.data != NULL)
    {
        errors.data[strcspn(errors.data, "\n")] = '\0';
        batch_last_line(errors.data, said, capacity);
    }
    text_free(&output);
    text_free(&errors);
    return code;
}

#endif
