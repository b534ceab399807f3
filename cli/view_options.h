// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// The command line of `surefoot view`, which the command checks, and the program that serves takes.
#ifndef SUREFOOT_VIEW_OPTIONS_H
#define SUREFOOT_VIEW_OPTIONS_H

#include "cli.h"

typedef struct view_options
{
    bool json, no_open;
    int port; // 0: one that is free
    const char* studio;
} view_options;

// EXIT_DONE, with *helped where help was asked for and given; or an exit code, which was told. Files are from optind
// on.
int view_take_options(int argc, char** argv, view_options* out, bool* helped);

#endif
