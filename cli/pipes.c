// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

#if defined(__linux__) && !defined(_GNU_SOURCE)
#define _GNU_SOURCE
#endif

#include "pipes.h"

#if !defined(_WIN32) && !defined(__wasi__)

#include <fcntl.h>
#include <unistd.h>

int cli_lift_descriptor(int fd)
{
    if (fd < 0) return fd;
    if (fd >= 3 && fcntl(fd, F_SETFD, FD_CLOEXEC) == 0) return fd;
    const int high = fcntl(fd, F_DUPFD_CLOEXEC, 3);
    close(fd);
    return high;
}

bool cli_make_pipe(int ends[2])
{
    if (pipe(ends) != 0)
    {
        ends[0] = ends[1] = -1;
        return false;
    }
    ends[0] = cli_lift_descriptor(ends[0]);
    ends[1] = cli_lift_descriptor(ends[1]);
    return ends[0] >= 0 && ends[1] >= 0;
}

void cli_close_descriptors(const int* fds, int count)
{
    for (int i = 0; i < count; ++i)
        if (fds[i] >= 0) close(fds[i]);
}

#endif
