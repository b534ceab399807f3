// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// Pipes between this process and those that it starts, POSIX only.
#ifndef SUREFOOT_PIPES_H
#define SUREFOOT_PIPES_H

#include <stdbool.h>

// A sanitizer reserves terabytes of addresses, so that they cannot be limited.
#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define NO_MEMORY_LIMIT
#endif
#endif
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define NO_MEMORY_LIMIT
#endif

// The same file under a descriptor above the three that every program has, closed at exec; the old one is closed.
// Negative where there is none.
int cli_lift_descriptor(int fd);
// Both ends lifted; -1 for those that are not there, and false.
bool cli_make_pipe(int ends[2]);
// Negative ones are passed over.
void cli_close_descriptors(const int* fds, int count);

#endif
