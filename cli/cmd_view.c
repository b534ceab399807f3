// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// surefoot view: clips in the studio, in a browser on this machine. The command line is checked here; the rest does
// surefoot-view, which takes this process over.

#include "view_options.h"

#include <errno.h>
#include <string.h>

#if defined(_WIN32)

static int become_server(char** argv)
{
    (void)argv;
    return cli_fail(EXIT_READ,
                    "view: is not in this build, which is for Windows; put the studio's folder (build/web of "
                    "`make web`) on any host of static files");
}

#elif defined(__wasi__)

static int become_server(char** argv)
{
    (void)argv;
    return cli_fail(EXIT_READ, "view: is not in this build, which is for WebAssembly; open the file in the page");
}

#else

#include <unistd.h>

static int become_server(char** argv)
{
    cli_text program = {0};
    fflush(NULL);
    errno = ENOENT;
    if (cli_program_beside("surefoot-view", &program))
        execv(program.data, argv);
    else
        execvp("surefoot-view", argv);
    const int reason = errno;
    text_free(&program);
    if (reason == ENOENT)
        return cli_fail(EXIT_READ,
                        "view: is done by the program surefoot-view, which is not in this build: it is built where "
                        "libmicrohttpd is (Debian: libmicrohttpd-dev). Install it and build again, or put the "
                        "studio's folder (build/web of `make web`) on any host of static files");
    return cli_fail(EXIT_READ, "view: surefoot-view cannot be started: %s", strerror(reason));
}

#endif

int cmd_view(int argc, char** argv)
{
    view_options options;
    bool helped = false;
    const int code = view_take_options(argc, argv, &options, &helped);
    return code != EXIT_DONE || helped ? code : become_server(argv);
}
