// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// One command line in a process of its own: a copy of this one, which has the program in memory already. It leads a
// process group, and on Linux ends when this process does.
#ifndef SUREFOOT_BATCH_CHILD_H
#define SUREFOOT_BATCH_CHILD_H

#include "batch.h"

#include <sys/types.h>

typedef struct batch_child
{
    pid_t pid;
    int out, err; // read ends of what it says; -1 when at their end
} batch_child;

// Bytes of addresses in use: a copy of a process begins with those of a list of 100,000 clips.
uint64_t batch_addresses(void);
typedef struct batch_child_limits
{
    uint64_t memory;  // bytes of address space, beside those that the process it is a copy of has in use
    unsigned seconds; // of the processor; 0: no limits of both, since what sbatch is limited to becomes the job's
    bool unsynced;    // what it writes is synced by this process
} batch_child_limits;
// False with errno where it cannot be started. words: as main gets them.
bool batch_start(batch_run* run, const batch_words* words, const batch_child_limits* limits, batch_child* out);
// Pipes of a child, and the ends that it gets.
typedef struct batch_pipes
{
    int out, err;  // as in batch_child
    int theirs[3]; // input, output, errors; none of both sides where they could not be made
} batch_pipes;
bool batch_make_pipes(batch_pipes* out);
void batch_close_pipes(batch_pipes* pipes);
// What a copy of this process does with its life. limits: memory with all that is in use; parent: that it ends with.
// Nothing returns from here.
void batch_become(batch_run* run, const batch_words* words, const batch_child_limits* limits, const int files[3],
                  pid_t parent);
// The other side: the child is there, or (pid < 0) is not.
void batch_take_child(pid_t pid, batch_pipes* pipes, batch_child* out);
// Reads what is there; false at the end, where *fd is closed and -1. What is beyond `most` is dropped.
bool batch_take(int* fd, size_t most, cli_text* out);
// What was said last, safe to show: the last line that begins with "surefoot: ", without that, or else the last.
void batch_last_line(const char* said, char* out, size_t capacity);
// To its end: its exit code, EXIT_MEMORY where a signal ended it. What it prints beyond `most`, and all that it says
// beyond 64 KiB, is dropped.
int batch_see_out(batch_child* child, size_t most, cli_text* output, cli_text* errors);
// Runs it to its end; its exit code, and its last line where that is not 0.
int batch_try(batch_run* run, const batch_words* words, char* said, size_t capacity);

#endif
