// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// One child process, no shell: input, output and errors are the only files it gets. It leads a process group, so that
// whatever it started ends with it, and on Linux it ends when this process does.

#if defined(__linux__) && !defined(_GNU_SOURCE)
#define _GNU_SOURCE
#endif

#include "child.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#if defined(_WIN32) || defined(__wasi__)

#ifdef _WIN32
#define BUILD_IS_FOR "Windows"
#else
#define BUILD_IS_FOR "WebAssembly"
#endif

child_limits cli_fbx_limits(uint64_t fbx_size)
{
    return (child_limits){fbx_size, fbx_size, 0, 0};
}

int cli_fbx_to_glb(const char* path, void** bytes, size_t* size)
{
    (void)bytes;
    (void)size;
    return cli_fail(EXIT_READ,
                    "%s: FBX is not read in this build, which is for " BUILD_IS_FOR "; export it as GLB or BVH", path);
}

int cli_fbx_bytes_to_glb(const char* name, const void* fbx, size_t fbx_size, void** bytes, size_t* size)
{
    (void)fbx;
    (void)fbx_size;
    return cli_fbx_to_glb(name, bytes, size);
}

int cli_run_child(const char* program, int input, const child_limits* limits, cli_text* output, char* message,
                  size_t capacity)
{
    (void)input;
    (void)limits;
    (void)output;
    snprintf(message, capacity, "%s: programs are not run in this build", program);
    return EXIT_READ;
}

#else

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/prctl.h>
#include <sys/syscall.h>
#endif

#include "pipes.h"

#define ERRORS_MOST ((size_t)4096)
#define INPUT_MOST ((uint64_t)1 << 31) // assimp counts bytes in 32 bits

child_limits cli_fbx_limits(uint64_t fbx_size)
{
    const uint64_t mib = fbx_size >> 20;
    return (child_limits){.memory = ((uint64_t)1 << 30) + 40 * fbx_size,
                          .output = ((uint64_t)64 << 20) + 16 * fbx_size,
                          .processor = 60 + (unsigned)(2 * mib),
                          .clock = 180 + (unsigned)(6 * mib)};
}

// ---- the child's side; between fork and exec only calls that are safe there ----

static void close_from(int first)
{
#ifdef SYS_close_range
    if (syscall(SYS_close_range, (unsigned)first, ~0U, 0U) == 0) return;
#endif
    struct rlimit files;
    const bool known = getrlimit(RLIMIT_NOFILE, &files) == 0 && files.rlim_cur < 65536;
    const int most = known ? (int)files.rlim_cur : 65536;
    for (int i = first; i < most; ++i)
        close(i);
}

static void become(const char* program, const int files[3], const child_limits* limits, pid_t parent)
{
    setpgid(0, 0);
#ifdef __linux__
    prctl(PR_SET_PDEATHSIG, SIGKILL);
#endif
    // The parent may have ended before that took effect.
    if (getppid() != parent) _exit(125);
    // The three are above 2 already, so that none is lost before it is moved.
    for (int i = 0; i < 3; ++i)
        if (dup2(files[i], i) < 0) _exit(125);
    close_from(3);
#ifndef NO_MEMORY_LIMIT
    setrlimit(RLIMIT_AS, &(struct rlimit){(rlim_t)limits->memory, (rlim_t)limits->memory});
#endif
    // One second more for the hard limit: at the soft one the signal says what happened.
    const struct rlimit processor = {(rlim_t)limits->processor, (rlim_t)limits->processor + 1};
    setrlimit(RLIMIT_CPU, &processor);
    setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0});
    setrlimit(RLIMIT_FSIZE, &(struct rlimit){0, 0}); // it has no business writing files
    signal(SIGPIPE, SIG_DFL);
    signal(SIGXFSZ, SIG_DFL);
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    char input[] = "-";
    char name[] = "surefoot-fbx";
    char* arguments[] = {name, input, NULL};
    execv(program, arguments);
    const char* why = strerror(errno); // of a fixed text for errors of exec
    const ssize_t said = write(2, why, strlen(why));
    _exit(said < 0 ? 126 : 127);
}

// ---- the parent's side ----

typedef struct child
{
    pid_t pid;
    int output, errors; // read ends, -1 when at their end
    bool too_late, too_much, no_memory;
    char said[ERRORS_MOST + 1];
    size_t said_size;
} child;

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

// False with errno where it cannot be started.
static bool start(child* c, const char* program, int input, const child_limits* limits)
{
    int out[2], err[2] = {-1, -1};
    const int in = fcntl(input, F_DUPFD_CLOEXEC, 3);
    const bool piped = cli_make_pipe(out) && cli_make_pipe(err);
    const pid_t parent = getpid();
    c->pid = in >= 0 && piped ? fork() : -1;
    if (c->pid == 0) become(program, (const int[3]){in, out[1], err[1]}, limits, parent);
    const int reason = errno;
    if (c->pid > 0) setpgid(c->pid, c->pid); // whoever comes first
    cli_close_descriptors((const int[3]){in, out[1], err[1]}, 3);
    if (c->pid < 0) cli_close_descriptors((const int[2]){out[0], err[0]}, 2);
    c->output = c->pid < 0 ? -1 : out[0];
    c->errors = c->pid < 0 ? -1 : err[0];
    errno = reason;
    return c->pid > 0;
}

static void take_output(child* c, const child_limits* limits, cli_text* output)
{
    char piece[65536];
    const ssize_t got = read(c->output, piece, sizeof piece);
    if (got < 0 && errno == EINTR) return;
    if (got <= 0)
    {
        close(c->output);
        c->output = -1;
        return;
    }
    c->too_much = output->size + (size_t)got > limits->output;
    if (c->too_much) return;
    text_put(output, piece, (size_t)got);
    c->no_memory = output->failed;
}

static void take_errors(child* c)
{
    char piece[4096];
    const ssize_t got = read(c->errors, piece, sizeof piece);
    if (got < 0 && errno == EINTR) return;
    if (got <= 0)
    {
        close(c->errors);
        c->errors = -1;
        return;
    }
    // What is beyond the limit is read, so that the child goes on, and dropped.
    const size_t room = ERRORS_MOST - c->said_size, keep = (size_t)got < room ? (size_t)got : room;
    memcpy(c->said + c->said_size, piece, keep);
    c->said_size += keep;
    c->said[c->said_size] = '\0';
}

// Until both pipes are at their end, or a limit is reached.
static void drain(child* c, const child_limits* limits, double deadline, cli_text* output)
{
    while (c->output >= 0 || c->errors >= 0)
    {
        const double left = deadline - now();
        if (left <= 0.0)
        {
            c->too_late = true;
            return;
        }
        struct pollfd waits[2] = {{c->output, POLLIN, 0}, {c->errors, POLLIN, 0}};
        const int ready = poll(waits, 2, left < 3600.0 ? (int)(left * 1000.0) + 1 : 3600000);
        if (ready < 0 && errno != EINTR) return;
        if (ready <= 0) continue;
        if (waits[0].revents != 0) take_output(c, limits, output);
        if (waits[1].revents != 0) take_errors(c);
        if (c->too_much || c->no_memory) return;
    }
}

// Its status, once it ended or was made to. The group goes first, while the child's number still belongs to it.
static int finish(child* c, double deadline)
{
    cli_close_descriptors((const int[2]){c->output, c->errors}, 2);
    siginfo_t info;
    while (!c->too_late && !c->too_much && !c->no_memory)
    {
        memset(&info, 0, sizeof info);
        if (waitid(P_PID, (id_t)c->pid, &info, WEXITED | WNOWAIT | WNOHANG) != 0 && errno != EINTR) break;
        if (info.si_pid != 0) break;
        if (now() > deadline)
            c->too_late = true;
        else
            nanosleep(&(struct timespec){0, 2000000}, NULL);
    }
    kill(-c->pid, SIGKILL);
    if (c->too_late || c->too_much || c->no_memory) kill(c->pid, SIGKILL); // it may not have its group yet
    int status = 0;
    while (waitpid(c->pid, &status, 0) < 0 && errno == EINTR)
        continue;
    return status;
}

// The first line that it said, safe to show.
static void first_line(const child* c, char* out, size_t capacity)
{
    char line[512];
    size_t size = strcspn(c->said, "\r\n");
    if (size >= sizeof line) size = sizeof line - 1;
    memcpy(line, c->said, size);
    line[size] = '\0';
    cli_safe_utf8(line, out, capacity);
}

static const char instead[] = "export it as GLB or BVH";

static int judge(const child* c, int status, const child_limits* limits, const cli_text* output, char* message,
                 size_t capacity)
{
    char line[1024];
    first_line(c, line, sizeof line);
    const char* colon = line[0] != '\0' ? ": " : "";
    if (c->no_memory)
    {
        snprintf(message, capacity, "out of memory");
        return EXIT_MEMORY;
    }
    if (c->too_much)
    {
        snprintf(message, capacity, "the FBX reader gave more than %llu MiB and was ended; %s",
                 (unsigned long long)(limits->output >> 20), instead);
        return EXIT_MEMORY;
    }
    const bool busy = WIFSIGNALED(status) && WTERMSIG(status) == SIGXCPU;
    if (c->too_late || busy)
    {
        snprintf(message, capacity, "the FBX reader was not done after %u s and was ended; %s",
                 busy ? limits->processor : limits->clock, instead);
        return EXIT_MEMORY;
    }
    if (WIFSIGNALED(status))
    {
        snprintf(message, capacity,
                 "the FBX reader stopped with signal %d on this file; nothing else was harmed; %s%s%s",
                 WTERMSIG(status), instead, colon, line);
        const bool memory = strstr(c->said, "bad_alloc") != NULL;
        return memory ? EXIT_MEMORY : EXIT_READ;
    }
    const int code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    if (code == EXIT_DONE && output->size >= 20 && memcmp(output->data, "glTF", 4) == 0) return EXIT_DONE;
    if (code == EXIT_MEMORY)
        snprintf(message, capacity, "%s (the FBX reader may use %llu MiB for a file of this size)",
                 line[0] != '\0' ? line : "out of memory", (unsigned long long)(limits->memory >> 20));
    else if (code == EXIT_READ && line[0] != '\0')
        snprintf(message, capacity, "%s", line);
    else if (code == 126 || code == 127)
        snprintf(message, capacity, "the FBX reader could not be started%s%s", colon, line);
    else if (code == EXIT_DONE)
        snprintf(message, capacity, "the FBX reader gave no GLB%s%s; %s", colon, line, instead);
    else
        snprintf(message, capacity, "the FBX reader failed with code %d%s%s; %s", code, colon, line, instead);
    return code == EXIT_MEMORY ? EXIT_MEMORY : EXIT_READ;
}

int cli_run_child(const char* program, int input, const child_limits* limits, cli_text* output, char* message,
                  size_t capacity)
{
    child* c = calloc(1, sizeof *c);
    message[0] = '\0';
    if (c == NULL)
    {
        snprintf(message, capacity, "out of memory");
        return EXIT_MEMORY;
    }
    const double deadline = now() + (double)limits->clock;
    int code = EXIT_READ;
    if (!start(c, program, input, limits))
        snprintf(message, capacity, "the FBX reader could not be started: %s", strerror(errno));
    else
    {
        drain(c, limits, deadline, output);
        const int status = finish(c, deadline);
        code = judge(c, status, limits, output, message, capacity);
    }
    free(c);
    return code;
}

// ---- which program, which file ----

// EXIT_DONE with the path, or a message.
static int find_program(const char* name, cli_text* out)
{
    const char* given = getenv("SUREFOOT_FBX");
    if (given != NULL && given[0] != '\0')
    {
        text_str(out, given);
        if (!out->failed && cli_is_program(given)) return EXIT_DONE;
        return cli_fail(EXIT_READ, "%s: SUREFOOT_FBX is set to '%s', which is no program", name, given);
    }
    if (cli_program_beside("surefoot-fbx", out)) return EXIT_DONE;
    return cli_fail(
        EXIT_READ,
        "%s: FBX is read by the program surefoot-fbx, which is not beside this one: it is built where assimp "
        "is (Debian: libassimp-dev). Install it, name it in SUREFOOT_FBX, or %s",
        name, instead);
}

// A nameless file with these bytes, at its start; -1 with errno. `from` (or -1) is read to its end instead.
static int spill(const void* bytes, size_t size, int from, uint64_t* total)
{
    FILE* file = tmpfile();
    const int fd = file != NULL ? fcntl(fileno(file), F_DUPFD_CLOEXEC, 3) : -1;
    if (file != NULL) fclose(file);
    if (fd < 0) return -1;
    *total = 0;
    char piece[65536];
    bool good = true;
    while (good)
    {
        ssize_t got =
            from >= 0 ? read(from, piece, sizeof piece) : (ssize_t)(size < ((size_t)1 << 20) ? size : (size_t)1 << 20);
        if (got < 0 && errno == EINTR) continue;
        good = got >= 0 && *total + (uint64_t)got <= INPUT_MOST;
        if (got >= 0 && !good) errno = EFBIG;
        if (!good || got == 0) break;
        const char* p = from >= 0 ? piece : bytes;
        for (ssize_t done = 0; good && done < got;)
        {
            const ssize_t put = write(fd, p + done, (size_t)(got - done));
            if (put > 0) done += put;
            good = put > 0 || (put < 0 && errno == EINTR);
        }
        *total += (uint64_t)got;
        if (from < 0)
        {
            bytes = p + got;
            size -= (size_t)got;
        }
    }
    if (good && lseek(fd, 0, SEEK_SET) == 0) return fd;
    const int reason = errno;
    close(fd);
    errno = reason;
    return -1;
}

// Takes over `fd`; a negative one is an error in errno.
static int run(const char* name, int fd, uint64_t fbx_size, void** bytes, size_t* size)
{
    if (fd < 0) return cli_fail(errno == EFBIG ? EXIT_MEMORY : EXIT_READ, "%s: %s", name, strerror(errno));
    char message[2048];
    cli_text program = {0};
    int code = find_program(name, &program);
    if (code == EXIT_DONE)
    {
        const child_limits limits = cli_fbx_limits(fbx_size);
        cli_text output = {0};
        code = cli_run_child(program.data, fd, &limits, &output, message, sizeof message);
        if (code == EXIT_DONE)
        {
            *bytes = output.data;
            *size = output.size;
        }
        else
        {
            text_free(&output);
            cli_fail(code, "%s: %s", name, message);
        }
    }
    text_free(&program);
    close(fd);
    return code;
}

int cli_fbx_to_glb(const char* path, void** bytes, size_t* size)
{
    const bool piped = strcmp(path, "-") == 0;
    const char* name = piped ? "standard input" : path;
    int fd = piped ? fcntl(0, F_DUPFD_CLOEXEC, 3) : open(path, O_RDONLY | O_CLOEXEC);
    struct stat status;
    if (fd < 0 || fstat(fd, &status) != 0) return cli_fail(EXIT_READ, "%s: %s", name, strerror(errno));
    uint64_t fbx_size = (uint64_t)status.st_size;
    if (S_ISDIR(status.st_mode))
    {
        close(fd);
        return cli_fail(EXIT_READ, "%s: is a folder, not a file", name);
    }
    // Pipes have no size to work limits out from, and standard input may have been read in part.
    if (!S_ISREG(status.st_mode) || piped)
    {
        const int copy = spill(NULL, 0, fd, &fbx_size);
        const int reason = errno;
        close(fd);
        errno = reason;
        fd = copy;
    }
    else if (fbx_size > INPUT_MOST)
    {
        close(fd);
        return cli_fail(EXIT_MEMORY, "%s: FBX files of 2 GiB and more are not read", name);
    }
    return run(name, fd, fbx_size, bytes, size);
}

int cli_fbx_bytes_to_glb(const char* name, const void* fbx, size_t fbx_size, void** bytes, size_t* size)
{
    uint64_t total = 0;
    const int fd = spill(fbx, fbx_size, -1, &total);
    return run(name, fd, total, bytes, size);
}

#endif
