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

bool cli_program_beside(const char* name, cli_text* out)
{
    (void)name;
    (void)out;
    return false;
}

#else

#include <limits.h>
#include <string.h>
#include <sys/stat.h>
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

bool cli_is_program(const char* path)
{
    struct stat status;
    return stat(path, &status) == 0 && S_ISREG(status.st_mode) && access(path, X_OK) == 0;
}

bool cli_program_beside(const char* name, cli_text* out)
{
    static const char* const places[] = {"", "../libexec/surefoot/"};
    cli_text self = {0};
    const char* slash = cli_program_path(&self) ? strrchr(self.data, '/') : NULL;
    bool found = false;
    for (size_t i = 0; slash != NULL && !found && i < sizeof places / sizeof places[0]; ++i)
    {
        text_free(out);
        text_put(out, self.data, (size_t)(slash + 1 - self.data));
        text_fmt(out, "%s%s", places[i], name);
        found = !out->failed && cli_is_program(out->data);
    }
    text_free(&self);
    return found;
}

#endif
