// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

#if defined(__linux__) && !defined(_GNU_SOURCE)
#define _GNU_SOURCE
#endif

#include "batch_sync.h"

#if BATCH_RUNS

#include <errno.h>
#include <fcntl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/prctl.h>
#endif

#include "pipes.h"

#define OPEN_MOST 1024 // descriptors that a run may have when it begins

#ifdef __linux__
static int sync_all(int folder)
{
    return syncfs(folder) == 0 ? 0 : errno;
}
#else
static int sync_all(int folder)
{
    (void)folder;
    return ENOSYS;
}
#endif

// Until nobody asks any more. Nothing returns from here.
static void serve(int folder, int line)
{
    // Of a group of its own: what ends a run from the keyboard is not to end the wait for what it did.
    setpgid(0, 0);
#ifdef __linux__
    prctl(PR_SET_NAME, "surefoot-sync");
#endif
    // What else is open here is the run's, as the lock on its manifest.
    for (int fd = 3; fd < OPEN_MOST; ++fd)
        if (fd != folder && fd != line) close(fd);
    for (char c;;)
    {
        ssize_t size = read(line, &c, 1);
        if (size < 0 && errno == EINTR) continue;
        if (size <= 0) _exit(0);
        const int reason = sync_all(folder);
        do
            size = send(line, &reason, sizeof reason, MSG_NOSIGNAL);
        while (size < 0 && errno == EINTR);
        if (size < 0) _exit(0);
    }
}

void batch_sync_begin(batch_sync* s, const char* folder)
{
    *s = (batch_sync){.pid = -1, .folder = -1, .line = -1};
#ifdef __linux__
    s->folder = cli_lift_descriptor(open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC));
#else
    (void)folder;
#endif
    int ends[2] = {-1, -1};
    if (s->folder < 0 || socketpair(AF_UNIX, SOCK_STREAM, 0, ends) != 0) return;
    ends[0] = cli_lift_descriptor(ends[0]);
    ends[1] = cli_lift_descriptor(ends[1]);
    // What waits in buffers would be written twice.
    fflush(NULL);
    if (ends[0] >= 0 && ends[1] >= 0) s->pid = fork();
    if (s->pid == 0) serve(s->folder, ends[1]);
    cli_close_descriptors(ends + 1, 1);
    s->line = ends[0];
}

bool batch_sync_works(const batch_sync* s)
{
    return s->folder >= 0;
}

static void stop(batch_sync* s)
{
    cli_close_descriptors(&s->line, 1);
    s->line = -1;
    while (s->pid > 0 && waitpid(s->pid, NULL, 0) < 0 && errno == EINTR)
        continue;
    s->pid = -1;
}

void batch_sync_ask(batch_sync* s)
{
    if (s->pid > 0 && send(s->line, "", 1, MSG_NOSIGNAL) != 1) stop(s);
    s->busy = true;
}

bool batch_sync_take(batch_sync* s, int* reason)
{
    if (!s->busy) return false;
    if (s->pid > 0)
    {
        const ssize_t size = recv(s->line, reason, sizeof *reason, MSG_DONTWAIT);
        if (size < 0 && (errno == EINTR || errno == EAGAIN || errno == EWOULDBLOCK)) return false;
        if (size != (ssize_t)sizeof *reason) stop(s); // somebody ended it
    }
    // Without it this process waits itself.
    if (s->pid < 0) *reason = sync_all(s->folder);
    s->busy = false;
    return true;
}

void batch_sync_end(batch_sync* s)
{
    stop(s);
    cli_close_descriptors(&s->folder, 1);
    s->folder = -1;
}

#endif
