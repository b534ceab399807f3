// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// Loaded before a program: files have no locks, as on some file systems that machines share.

#include <errno.h>
#include <sys/file.h>

int flock(int fd, int operation)
{
    (void)fd;
    (void)operation;
    errno = ENOSYS;
    return -1;
}
