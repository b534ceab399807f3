// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// Starts the processes of clips for a run that has a long list in memory. A copy of a process costs what the process
// has in use, some 2.4 KB for each clip of the list: this one begins before the list is read, and its copies are the
// run's children all the same.
#ifndef SUREFOOT_BATCH_STARTER_H
#define SUREFOOT_BATCH_STARTER_H

#include "batch_child.h"

typedef struct batch_starter
{
    pid_t pid; // -1: none, and the run makes copies of itself
    int line;
} batch_starter;

// To be called early. Not everywhere a process can make children for another: there it is none.
void batch_starter_begin(batch_starter* s, batch_run* run);
// As batch_start. What the child keeps open, as a lock: held, a descriptor, or -1.
bool batch_starter_start(batch_starter* s, batch_run* run, const batch_words* words, const batch_child_limits* limits,
                         int held, batch_child* out);
void batch_starter_end(batch_starter* s);

#endif
