// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// Where this program lies: what was installed with it is found from there.

#if defined(__linux__) && !defined(_GNU_SOURCE)
#define _GNU_SOURCE
#endif

#include "cli.h"

#if defined(_WIN32) || defined(__wasi__)

bool cli_program_path(cli_text* out)
{
    (void)out;
    return false;
}

#else

#include <limits.h>
#include <unistd.h>

bool cli_program_path(cli_text* out)
{
    char self[PATH_MAX];
    const ssize_t size = readlink("/proc/self/exe", self, sizeof self);
    // One that fills it may have been cut.
    if (size <= 0 || (size_t)size >= sizeof self) return false;
    text_put(out, self, (size_t)size);
    return !out->failed;
}

#endif
