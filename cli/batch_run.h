// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// What the files of the command itself share: its command line (batch_options.c), its output folder (batch_place.c),
// and the run (cmd_batch.c).
#ifndef SUREFOOT_BATCH_RUN_H
#define SUREFOOT_BATCH_RUN_H

#include "batch.h"

// ---- the command line (batch_options.c) ----

typedef struct batch_settings
{
    const char* const* words; // recipe and inputs; `summary` and its folder
    size_t word_count;
    bool helped;  // help was asked for, and given
    bool summary; // of what is there
    const char* output;
    const char* csv;
    const char* freeze; // file that the batch is frozen into
    const char* frozen; // file that it is taken from
    bool json, retry, wait, merge, prune;
    unsigned jobs, shard, shards;
    bool slurm;
    int of_cluster; // the last of its options that was given; 0: none
    batch_slurm cluster;
} batch_settings;

// EXIT_DONE, or EXIT_USAGE with what is wrong.
int batch_take_options(int argc, char** argv, batch_settings* out);
void batch_free_settings(batch_settings* settings);

// ---- the output folder (batch_place.c) ----

// The manifest of this run or shard, open and locked: the lock says that somebody is at work here.
typedef struct batch_place
{
    cli_text path; // of the manifest
    int manifest;  // descriptor; -1: none
} batch_place;

// Makes the folder where there is none, and waits for others, or refuses, as the settings say. `folder` without slashes
// at its end.
int batch_open_place(const batch_settings* settings, const char* folder, batch_place* out);
void batch_close_place(batch_place* place);

#endif
