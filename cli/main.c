// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// surefoot: dispatches to the subcommands.

#include "cli.h"

#include <errno.h>
#ifndef __wasi__ // which has none
#include <signal.h>
#endif
#include <string.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif

static const char help[] = "surefoot: makes skeletal animation stand\n"
                           "\n"
                           "usage: surefoot COMMAND [options] FILE...\n"
                           "\n"
                           "  info      what a file holds: joints, frames, unit, up axis, legs, and why\n"
                           "  check     figures for how well a clip stands; can fail a pipeline\n"
                           "  contacts  when each foot is on the ground, as CSV\n"
                           "  clean     takes the foot sliding out of a clip\n"
                           "  adapt     puts a clip onto slopes, stairs, rough ground or a mesh\n"
                           "  retarget  moves a clip to another figure, whose feet then stand too\n"
                           "  roam      walks a creature of any number of legs, with no key frames\n"
                           "  view      opens clips in the studio, a page in the browser\n"
                           "  batch     runs one of these over a whole dataset, and goes on where it was cut off\n"
                           "  convert   other formats, root scale, frame range, frame rate; leaves the rest as it was\n"
                           "\n"
                           "  surefoot COMMAND --help    options, units, defaults and examples of a command\n"
                           "  surefoot --version\n"
                           "\n"
                           "Files are BVH, glTF, GLB and FBX (in). '-' as a file is standard input or output.\n"
                           "\n"
                           "Examples\n"
                           "  surefoot clean walk.bvh -o fixed.bvh\n"
                           "  surefoot clean walk.bvh -o fixed.bvh --report page.html\n"
                           "  surefoot check fixed.bvh --max-mean-slide 0.5\n"
                           "  surefoot adapt walk.bvh --ground stairs:rise=0.17 -o climb.bvh\n"
                           "  surefoot clean knight.glb -o fixed.glb --all-clips\n"
                           "  surefoot retarget walk.bvh --onto knight.glb -o knight_walk.glb\n"
                           "  surefoot roam --creature lizard --path figure8 -o lizard.glb\n"
                           "\n";

int cli_run(int argc, char** argv)
{
    static const struct
    {
        const char* name;
        int (*run)(int argc, char** argv);
    } commands[] = {{"info", cmd_info},   {"check", cmd_check},     {"contacts", cmd_contacts}, {"clean", cmd_clean},
                    {"adapt", cmd_adapt}, {"convert", cmd_convert}, {"retarget", cmd_retarget}, {"roam", cmd_roam},
                    {"view", cmd_view},   {"batch", cmd_batch}};
    static char long_help[] = "--help";
    // `surefoot help clean` is `surefoot clean --help`.
    if (argc > 2 && strcmp(argv[1], "help") == 0)
    {
        argv[1] = argv[2];
        argv[2] = long_help;
    }
    const char* name = argc > 1 ? argv[1] : NULL;
    if (name == NULL || strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0 || strcmp(name, "help") == 0)
    {
        FILE* out = name == NULL ? stderr : stdout;
        fputs(help, out);
        fputs(cli_help_exit, out);
        return name == NULL ? EXIT_USAGE : EXIT_DONE;
    }
    if (strcmp(name, "--version") == 0)
    {
        const uint32_t v = sft_version();
        printf("surefoot %u.%u.%u\n", (unsigned)(v / 10000), (unsigned)(v / 100 % 100), (unsigned)(v % 100));
        return EXIT_DONE;
    }
    for (size_t i = 0; i < sizeof commands / sizeof commands[0]; ++i)
        if (strcmp(name, commands[i].name) == 0)
        {
            // getopt's own messages then start with the program's name, whatever path it was called by.
            static char self[] = "surefoot";
            argv[1] = self;
            return commands[i].run(argc - 1, argv + 1);
        }
    cli_fail(EXIT_USAGE, "there is no command '%s'; try `surefoot --help`", name);
    return EXIT_USAGE;
}

// Blocks of a clip's size come and go: given back to the system and asked for again, each would be pages that it has to
// clear once more, a twentieth of the time that a clip of ten seconds takes.
static void keep_memory(void)
{
#if defined(__GLIBC__)
    mallopt(M_MMAP_THRESHOLD, 32 << 20);
    mallopt(M_TRIM_THRESHOLD, 256 << 20);
    mallopt(M_TOP_PAD, 1 << 20);
#endif
}

int main(int argc, char** argv)
{
#if defined(SIGXFSZ)
    // A limit on the size of files is then an error of the write, which is told and leaves no half file behind.
    signal(SIGXFSZ, SIG_IGN);
#endif
    keep_memory();
    const int code = cli_run(argc, argv);
    // What was printed may still lie in a buffer: a full disk or a closed pipe shows only now.
    const bool failed = ferror(stdout) != 0 || fflush(stdout) != 0;
    if (!failed || code == EXIT_WRITE) return code;
    return cli_fail(EXIT_WRITE, "standard output: %s", strerror(errno));
}
