// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// Outputs reach the disk together: where each clip waited for it by itself, those that are at work side by side would
// wait for one another. A process of its own waits; a clip counts as done when it did.
#ifndef SUREFOOT_BATCH_SYNC_H
#define SUREFOOT_BATCH_SYNC_H

#include "batch.h"

#include <sys/types.h>

typedef struct batch_sync
{
    pid_t pid;  // of the process that waits; -1: none
    int folder; // open; -1: files are not synced together here, each clip has to do it
    int line;   // to it; can be polled for its answer
    bool busy;  // it was asked, and has not answered
} batch_sync;

// For the file system that the folder is on. Always to be ended.
void batch_sync_begin(batch_sync* s, const char* folder);
bool batch_sync_works(const batch_sync* s);
// All that was written before this. Not while it is busy.
void batch_sync_ask(batch_sync* s);
// Whether it is done by now; *reason: 0, or what errno says of files that are not on the disk.
bool batch_sync_take(batch_sync* s, int* reason);
void batch_sync_end(batch_sync* s);

#endif
