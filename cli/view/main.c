// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// surefoot-view: what `surefoot view` becomes. A program of its own, since what serves pages brings a dozen libraries
// along, which no other command has a use for and each would load.

#include "../view_options.h"
#include "view.h"

#include <stdlib.h>
#include <string.h>

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

int main(int argc, char** argv)
{
    view_options options;
    bool helped = false;
    const int code = view_take_options(argc, argv, &options, &helped);
    if (code != EXIT_DONE || helped) return code;
    return view(&options, argv + optind, argc - optind);
}
