// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

#include "view_options.h"

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

int view_take_options(int argc, char** argv, view_options* out, bool* helped)
{
    static const struct option long_options[] = {
        {"json", no_argument, NULL, OPT_JSON},           {"help", no_argument, NULL, OPT_HELP},
        {"port", required_argument, NULL, OPT_PORT},     {"no-open", no_argument, NULL, OPT_NO_OPEN},
        {"studio", required_argument, NULL, OPT_STUDIO}, {0}};
    *out = (view_options){0};
    *helped = false;
    int key;
    while ((key = cli_next_option("view", argc, argv, false, long_options)) != -1)
        switch (key)
        {
        case OPT_HELP:
            printf("%s%s%s", help, examples, cli_help_exit);
            *helped = true;
            return EXIT_DONE;
        case OPT_JSON:
            out->json = true;
            break;
        case OPT_NO_OPEN:
            out->no_open = true;
            break;
        case OPT_STUDIO:
            out->studio = optarg;
            break;
        case OPT_PORT:
        {
            double port = 0.0;
            const int code = cli_take_number("view", "--port", optarg, 1.0, 65535.0, &port);
            if (code != EXIT_DONE) return code;
            out->port = (int)port;
            if ((double)out->port != port)
                return cli_fail(EXIT_USAGE, "view: --port wants a whole number from 1 to 65535, not '%s'", optarg);
            break;
        }
        default:
            return cli_bad_option("view");
        }
    return EXIT_DONE;
}
