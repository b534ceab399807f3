// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// FBX is read by another program, surefoot-fbx, so that the faults of its library stay there: it gets the file as
// standard input, gives GLB on standard output, and works under limits of memory, time and output.
#ifndef SUREFOOT_CHILD_H
#define SUREFOOT_CHILD_H

#include "cli.h"

// Reads an FBX file ("-": standard input). EXIT_DONE with *bytes to be released with free; or another exit code, said
// on standard error, and nothing set. The program is $SUREFOOT_FBX where that is set; else `surefoot-fbx` beside this
// executable, or in ../libexec/surefoot.
int cli_fbx_to_glb(const char* path, void** bytes, size_t* size);
// The same for bytes that were read already; `name` is for messages.
int cli_fbx_bytes_to_glb(const char* name, const void* fbx, size_t fbx_size, void** bytes, size_t* size);

typedef struct child_limits
{
    uint64_t memory;    // bytes of address space
    uint64_t output;    // bytes
    unsigned processor; // seconds
    unsigned clock;     // seconds until it is ended, whatever it waits for
} child_limits;

// Generous for a file of this size: 1 GiB and 40 times the file; a minute and more.
child_limits cli_fbx_limits(uint64_t fbx_size);
// Runs the program at `program` with `input` (an open file) as standard input. An exit code; the reason, one line of
// valid UTF-8 without the file's name, goes to `message` where it is not EXIT_DONE.
int cli_run_child(const char* program, int input, const child_limits* limits, cli_text* output, char* message,
                  size_t capacity);

#endif
