// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// Loaded before a program: what was written does not reach the disk, as on a broken one.

#include <errno.h>

int syncfs(int fd);

int syncfs(int fd)
{
    (void)fd;
    errno = EIO;
    return -1;
}
