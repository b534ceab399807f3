// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// Stands for surefoot-fbx in test_fbx_child.c and misbehaves as $SUREFOOT_FAKE says.

#define _POSIX_C_SOURCE 200809L

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int overflow(volatile int depth)
{
    volatile char block[65536];
    memset((void*)block, depth, sizeof block);
    return depth < 0 ? 0 : overflow(depth + 1) + block[depth & 1023];
}

static int flood(FILE* out)
{
    static char block[65536];
    while (fwrite(block, 1, sizeof block, out) > 0)
        continue;
    return 97;
}

// What it was given back as a GLB of its own kind: a header, then the bytes of standard input.
static int echo(void)
{
    char piece[4096];
    size_t got;
    fwrite("glTF\2\0\0\0                ", 1, 20, stdout);
    while ((got = fread(piece, 1, sizeof piece, stdin)) > 0)
        fwrite(piece, 1, got, stdout);
    return 0;
}

int main(int argc, char** argv)
{
    const char* how = getenv("SUREFOOT_FAKE");
    if (how == NULL || argc != 2 || strcmp(argv[1], "-") != 0) return 99;
    if (strcmp(how, "echo") == 0) return echo();
    if (strcmp(how, "abort") == 0) abort();
    if (strcmp(how, "loop") == 0)
        for (volatile int i = 0;; i = !i)
            continue;
    if (strcmp(how, "sleep") == 0) return (int)sleep(1000);
    if (strcmp(how, "flood") == 0) return flood(stdout);
    if (strcmp(how, "flood-errors") == 0) return flood(stderr);
    if (strcmp(how, "overflow") == 0) return overflow(0);
    if (strcmp(how, "memory") == 0)
        for (;;)
        {
            // Volatile: a compiler may leave out memory that nobody reads, and then the loop never ends.
            char* volatile p = malloc((size_t)1 << 24);
            if (p == NULL) return fputs("out of memory\n", stderr), 5;
            memset(p, 1, (size_t)1 << 24);
        }
    if (strcmp(how, "close") == 0)
    {
        fwrite("glTF", 1, 4, stdout);
        fclose(stdout);
        return 0;
    }
    if (strcmp(how, "close-and-sleep") == 0)
    {
        fclose(stdout);
        fclose(stderr);
        return (int)sleep(1000);
    }
    if (strcmp(how, "refuse") == 0)
    {
        fputs("line 12: a brace is missing \x1b[31m\xff\nsecond line\n", stderr);
        return 3;
    }
    if (strcmp(how, "silent") == 0) return 3;
    if (strcmp(how, "odd") == 0) return 77;
    if (strcmp(how, "leave-one-behind") == 0)
    {
        const pid_t other = fork();
        if (other == 0)
        {
            close(1);
            close(2);
            return (int)sleep(1000);
        }
        fprintf(stderr, "%d\n", (int)other);
        return 3;
    }
    if (strcmp(how, "files") == 0)
    {
        int open_files = 0;
        for (int i = 0; i < 1024; ++i)
            open_files += lseek(i, 0, SEEK_CUR) >= 0 || dup2(i, i) >= 0;
        fprintf(stderr, "%d files\n", open_files);
        return 3;
    }
    return 98;
}
