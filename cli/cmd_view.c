// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// surefoot view: clips in the studio, in a browser on this machine.

#include "view.h"

#include <stdlib.h>
#include <string.h>

static const char help[] =
    "usage: surefoot view [options] [FILE...]\n"
    "\n"
    "Opens BVH, glTF, GLB and FBX files in the studio, a page in the browser: before and after, contacts to drag, and\n"
    "the commands with their options. The page is given to this machine alone (127.0.0.1) and runs there; Ctrl-C ends\n"
    "it. It gives out the studio, the files named here, and what a glTF file names beside it, nothing else, and only\n"
    "to whoever has the address, which has a random token in it.\n"
    "\n"
    "  --port N           of the address, 1 to 65535. Default: one that is free\n"
    "  --no-open          only print the address. Else the browser opens it, where there is a screen and xdg-open (or\n"
    "                     open); users of this machine who may see your processes can then see the address\n"
    "  --studio DIR       the studio's files, as `make web` builds them. Default: ../web or ../share/surefoot/studio\n"
    "                     from this program's folder\n"
    "  --json             one object with the address, before it waits\n";

static const char examples[] = "\n"
                               "Examples\n"
                               "  surefoot view walk.bvh\n"
                               "  surefoot view takes/*.bvh knight.glb\n"
                               "  surefoot view --no-open --port 8000 walk.bvh\n"
                               "\n";

enum
{
    OPT_PORT = OPT_OWN,
    OPT_NO_OPEN,
    OPT_STUDIO
};

typedef struct view_options
{
    bool json, no_open;
    int port;
    const char* studio;
} view_options;

#ifdef SFT_HAVE_MICROHTTPD

// The page's address: the first clip is opened, several are a list there.
static bool put_address(const view_server* server, char** paths, int count, cli_text* out)
{
    text_fmt(out, "http://127.0.0.1:%d/%s/", view_port(server), view_token(server));
    for (int i = 0; i < count; ++i)
    {
        const char* slash = strrchr(paths[i], '/');
        // Once for the address of the file, once more for being a part of the page's.
        cli_text name = {0};
        view_put_encoded(&name, slash != NULL ? slash + 1 : paths[i]);
        text_fmt(out, "%cclip=files/%d/", i == 0 ? '?' : '&', i);
        if (!name.failed && name.data != NULL) view_put_encoded(out, name.data);
        text_free(&name);
    }
    return !out->failed;
}

static int tell(const view_server* server, const view_options* options, const char* studio, const char* address,
                bool opened)
{
    if (options->json)
    {
        json_out json = {.first = true};
        json_begin(&json, NULL, '{');
        json_text(&json, "address", address);
        json_int(&json, "port", view_port(server));
        json_text(&json, "studio", studio);
        json_bool(&json, "opened", opened);
        json_end(&json, '}');
        const int code = json_finish(&json);
        if (code != EXIT_DONE) return code;
    }
    else
        cli_print(stdout, "%s\n%s Ctrl-C ends it.\n", address,
                  opened ? "Opened in the browser." : "Open this address in a browser on this machine.");
    // Whoever started this reads the address before it ends.
    return fflush(stdout) == 0 ? EXIT_DONE : cli_fail(EXIT_WRITE, "standard output cannot be written");
}

static int serve(const view_options* options, const view_files* files, const char* studio, char** paths, int count)
{
    view_server* server = NULL;
    int code = view_start(files, options->port, &server);
    if (code != EXIT_DONE) return code;
    cli_text address = {0};
    if (!put_address(server, paths, count, &address))
        code = cli_fail(EXIT_MEMORY, "out of memory");
    else
    {
        const bool opened = !options->no_open && view_open_browser(address.data);
        code = tell(server, options, studio, address.data, opened);
    }
    text_free(&address);
    if (code == EXIT_DONE)
        view_serve(server);
    else
        view_stop(server);
    return code;
}

static int view(const view_options* options, char** paths, int count)
{
    view_files files = {0};
    char* studio = NULL;
    int code = EXIT_DONE;
    for (int i = 0; i < count && code == EXIT_DONE; ++i)
        code = view_add_clip(&files, paths[i], i);
    if (code == EXIT_DONE) code = view_find_studio(options->studio, &studio);
    if (code == EXIT_DONE) code = view_add_studio(&files, studio);
    if (code == EXIT_DONE) code = serve(options, &files, studio, paths, count);
    free(studio);
    view_free(&files);
    return code;
}

#else

static int view(const view_options* options, char** paths, int count)
{
    (void)options;
    (void)paths;
    (void)count;
#if defined(_WIN32)
    return cli_fail(EXIT_READ,
                    "view: is not in this build, which is for Windows; put the studio's folder (build/web of "
                    "`make web`) on any host of static files");
#elif defined(__wasi__)
    return cli_fail(EXIT_READ, "view: is not in this build, which is for WebAssembly; open the file in the page");
#else
    return cli_fail(EXIT_READ,
                    "view: is not in this build, for which libmicrohttpd was not there; install it (Debian: "
                    "libmicrohttpd-dev) and build again, or put the studio's folder (build/web of `make web`) "
                    "on any host of static files");
#endif
}

#endif

int cmd_view(int argc, char** argv)
{
    static const struct option long_options[] = {
        {"json", no_argument, NULL, OPT_JSON},           {"help", no_argument, NULL, OPT_HELP},
        {"port", required_argument, NULL, OPT_PORT},     {"no-open", no_argument, NULL, OPT_NO_OPEN},
        {"studio", required_argument, NULL, OPT_STUDIO}, {0}};
    view_options options = {0};
    int key;
    while ((key = cli_next_option("view", argc, argv, false, long_options)) != -1)
        switch (key)
        {
        case OPT_HELP:
            printf("%s%s%s", help, examples, cli_help_exit);
            return EXIT_DONE;
        case OPT_JSON:
            options.json = true;
            break;
        case OPT_NO_OPEN:
            options.no_open = true;
            break;
        case OPT_STUDIO:
            options.studio = optarg;
            break;
        case OPT_PORT:
        {
            double port = 0.0;
            const int code = cli_take_number("view", "--port", optarg, 1.0, 65535.0, &port);
            if (code != EXIT_DONE) return code;
            options.port = (int)port;
            if ((double)options.port != port)
                return cli_fail(EXIT_USAGE, "view: --port wants a whole number from 1 to 65535, not '%s'", optarg);
            break;
        }
        default:
            return cli_bad_option("view");
        }
    return view(&options, argv + optind, argc - optind);
}
