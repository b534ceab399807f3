// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

#if defined(__linux__) && !defined(_GNU_SOURCE)
#define _GNU_SOURCE
#endif

#include "batch_starter.h"

#if BATCH_RUNS

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "pipes.h"

// A child for this process's parent: of Linux, where the call has its arguments in this order. Sanitizers want to see
// every copy that is made.
#if defined(__linux__) && (defined(__x86_64__) || defined(__aarch64__)) && !defined(NO_MEMORY_LIMIT)
#define STARTS 1
#include <sched.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#else
#define STARTS 0
#endif

#if STARTS

#define FILES_MOST 4 // input, output, errors, and what is held

// What is asked; behind it come the words, each with its zero. Its descriptors come with the first byte.
typedef struct request
{
    batch_child_limits limits;
    uint32_t word_count, file_count;
    uint64_t size; // of the words
} request;

typedef struct answer
{
    pid_t pid; // negative: `reason` is errno
    int reason;
} answer;

static bool read_all(int line, void* out, size_t size)
{
    for (char* p = out; size > 0;)
    {
        const ssize_t got = recv(line, p, size, 0);
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) return false;
        p += got;
        size -= (size_t)got;
    }
    return true;
}

static bool write_all(int line, const void* bytes, size_t size)
{
    for (const char* p = bytes; size > 0;)
    {
        const ssize_t put = send(line, p, size, MSG_NOSIGNAL);
        if (put < 0 && errno == EINTR) continue;
        if (put <= 0) return false;
        p += put;
        size -= (size_t)put;
    }
    return true;
}

typedef union files_message
{
    struct cmsghdr head;
    char bytes[CMSG_SPACE(FILES_MOST * sizeof(int))];
} files_message;

static bool send_request(int line, const request* r, const cli_text* bytes, const int* files)
{
    files_message with = {0};
    struct iovec first = {bytes->data, bytes->size};
    struct msghdr message = {.msg_iov = &first,
                             .msg_iovlen = 1,
                             .msg_control = with.bytes,
                             .msg_controllen = CMSG_SPACE(r->file_count * sizeof(int))};
    struct cmsghdr* head = CMSG_FIRSTHDR(&message);
    head->cmsg_level = SOL_SOCKET;
    head->cmsg_type = SCM_RIGHTS;
    head->cmsg_len = CMSG_LEN(r->file_count * sizeof(int));
    memcpy(CMSG_DATA(head), files, r->file_count * sizeof(int));
    ssize_t put;
    do
        put = sendmsg(line, &message, MSG_NOSIGNAL);
    while (put < 0 && errno == EINTR);
    return put > 0 && write_all(line, bytes->data + put, bytes->size - (size_t)put);
}

static bool take_request(int line, request* r, int files[FILES_MOST])
{
    files_message with = {0};
    struct iovec first = {r, sizeof *r};
    struct msghdr message = {
        .msg_iov = &first, .msg_iovlen = 1, .msg_control = with.bytes, .msg_controllen = sizeof with.bytes};
    ssize_t got;
    do
        got = recvmsg(line, &message, MSG_CMSG_CLOEXEC);
    while (got < 0 && errno == EINTR);
    for (int i = 0; i < FILES_MOST; ++i)
        files[i] = -1;
    const struct cmsghdr* head = got > 0 ? CMSG_FIRSTHDR(&message) : NULL;
    if (head != NULL && head->cmsg_type == SCM_RIGHTS) memcpy(files, CMSG_DATA(head), head->cmsg_len - CMSG_LEN(0));
    return got > 0 && read_all(line, (char*)r + got, sizeof *r - (size_t)got);
}

static bool take_words(int line, const request* r, batch_words* words)
{
    char* bytes = malloc((size_t)r->size + 1);
    if (bytes == NULL || !read_all(line, bytes, (size_t)r->size))
    {
        free(bytes);
        return false;
    }
    const char* p = bytes;
    for (uint32_t i = 0; i < r->word_count; ++i)
    {
        const size_t size = strlen(p);
        batch_words_add(words, p, size);
        p += size + 1;
    }
    free(bytes);
    return !words->failed;
}

static pid_t start_for(pid_t parent, batch_run* run, const batch_words* words, const batch_child_limits* limits,
                       const int files[FILES_MOST], int line)
{
    // The child is the parent's, which waits for it, and is told by the system when it ends.
    const pid_t pid = (pid_t)syscall(SYS_clone, CLONE_PARENT | SIGCHLD, 0, 0, 0, 0);
    if (pid != 0) return pid;
    close(line);
    prctl(PR_SET_NAME, "surefoot");
    // What is held has done its work by being open.
    batch_become(run, words, limits, files, parent);
    return -1;
}

// Until nobody asks any more. Nothing returns from here.
static void serve(batch_run* run, pid_t parent, int line)
{
    // Of a group of its own: what ends a run from the keyboard is the run's to tell its children.
    setpgid(0, 0);
    prctl(PR_SET_NAME, "surefoot-start");
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    // A list that is read from there is the run's.
    close(0);
    const uint64_t in_use = batch_addresses();
    request r;
    int files[FILES_MOST];
    while (getppid() == parent && take_request(line, &r, files))
    {
        batch_words words = {0};
        answer a = {-1, ENOMEM};
        if (r.limits.seconds > 0) r.limits.memory += in_use;
        if (take_words(line, &r, &words))
        {
            a.pid = start_for(parent, run, &words, &r.limits, files, line);
            a.reason = errno;
        }
        batch_words_free(&words);
        cli_close_descriptors(files, FILES_MOST);
        if (!write_all(line, &a, sizeof a)) break;
    }
    _exit(0);
}

void batch_starter_begin(batch_starter* s, batch_run* run)
{
    *s = (batch_starter){-1, -1};
    int ends[2] = {-1, -1};
    if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends) != 0) return;
    ends[0] = cli_lift_descriptor(ends[0]);
    ends[1] = cli_lift_descriptor(ends[1]);
    const pid_t parent = getpid();
    // What waits in buffers would be written twice.
    fflush(NULL);
    if (ends[0] >= 0 && ends[1] >= 0) s->pid = fork();
    if (s->pid == 0)
    {
        cli_close_descriptors(ends, 1);
        serve(run, parent, ends[1]);
    }
    cli_close_descriptors(ends + 1, 1);
    s->line = ends[0];
    if (s->pid < 0) batch_starter_end(s);
}

static bool ask(const batch_starter* s, const batch_words* words, const batch_child_limits* limits, const int* files,
                uint32_t file_count, answer* a)
{
    request r = {*limits, (uint32_t)words->count, file_count, 0};
    for (size_t i = 0; i < words->count; ++i)
        r.size += strlen(words->words[i]) + 1;
    // At one go: each piece would wake the other side.
    cli_text bytes = {0};
    text_put(&bytes, (const char*)&r, sizeof r);
    for (size_t i = 0; i < words->count; ++i)
        text_put(&bytes, words->words[i], strlen(words->words[i]) + 1);
    const bool good = !bytes.failed && send_request(s->line, &r, &bytes, files) && read_all(s->line, a, sizeof *a);
    text_free(&bytes);
    return good;
}

bool batch_starter_start(batch_starter* s, batch_run* run, const batch_words* words, const batch_child_limits* limits,
                         int held, batch_child* out)
{
    batch_pipes pipes;
    if (s->pid < 0) return batch_start(run, words, limits, out);
    if (!batch_make_pipes(&pipes)) return false;
    const int files[FILES_MOST] = {pipes.theirs[0], pipes.theirs[1], pipes.theirs[2], held};
    answer a = {-1, 0};
    const bool asked = ask(s, words, limits, files, held >= 0 ? FILES_MOST : FILES_MOST - 1, &a);
    errno = a.reason;
    batch_take_child(a.pid, &pipes, out);
    // Somebody ended it, or the system knows no children for others.
    if (!asked || (a.pid < 0 && (a.reason == EINVAL || a.reason == ENOSYS || a.reason == EPERM)))
    {
        batch_starter_end(s);
        return batch_start(run, words, limits, out);
    }
    return a.pid > 0;
}

void batch_starter_end(batch_starter* s)
{
    cli_close_descriptors(&s->line, 1);
    while (s->pid > 0 && waitpid(s->pid, NULL, 0) < 0 && errno == EINTR)
        continue;
    *s = (batch_starter){-1, -1};
}

#else

void batch_starter_begin(batch_starter* s, batch_run* run)
{
    (void)run;
    *s = (batch_starter){-1, -1};
}

bool batch_starter_start(batch_starter* s, batch_run* run, const batch_words* words, const batch_child_limits* limits,
                         int held, batch_child* out)
{
    (void)s;
    (void)held;
    return batch_start(run, words, limits, out);
}

void batch_starter_end(batch_starter* s)
{
    (void)s;
}

#endif

#endif
