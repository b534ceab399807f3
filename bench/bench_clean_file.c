// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// The whole command, `surefoot clean in.bvh -o out.bvh`, as its user runs it: 10,000 frames of 60 joints, numbers with
// six decimals as exporters write them, start of the process and both files included.
#define _POSIX_C_SOURCE 200809L

#include "bench.h"

#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "sample/walker.h"
#include "surefoot/surefoot.h"

#define FRAMES 10000
#define JOINTS 60

/// The walker with more joints, three to a chain, hung from its spine and swaying.
static sft_result make_figure(const walker* walk, sft_skeleton** skeleton, sft_clip** clip)
{
    const sft_skeleton* from = walk->skeleton;
    const char* names[JOINTS];
    static const char extra[] = "Extra";
    int32_t parents[JOINTS];
    uint32_t flags[JOINTS] = {0};
    sft_v3d offsets[JOINTS];
    for (int32_t j = 0; j < JOINTS; ++j)
    {
        const bool own = j < from->joint_count;
        names[j] = own ? from->names[j] : extra;
        parents[j] = own ? from->parents[j] : (j - from->joint_count) % 3 == 0 ? WALKER_SPINE : j - 1;
        flags[j] = own ? from->flags[j] : 0;
        offsets[j] = own ? sft_v3d_scale(100.0, from->rest_translations[j]) : sft_v3d_make(5.0, 5.0, 0.1 * j);
    }
    const sft_skeleton def = {
        .joint_count = JOINTS, .names = names, .parents = parents, .flags = flags, .rest_translations = offsets};
    sft_result result = sft_skeleton_create(&def, NULL, skeleton);
    if (result != SFT_OK) return result;
    result = sft_clip_create(JOINTS, FRAMES, walk->clip->frame_time, NULL, clip);
    for (int32_t f = 0; result == SFT_OK && f < FRAMES; ++f)
        for (int32_t j = 0; j < JOINTS; ++j)
        {
            const size_t to = (size_t)f * JOINTS + (size_t)j;
            const size_t at = (size_t)f * (size_t)from->joint_count + (size_t)j;
            const bool own = j < from->joint_count;
            (*clip)->translations[to] = own ? sft_v3d_scale(100.0, walk->clip->translations[at]) : offsets[j];
            (*clip)->rotations[to] = own ? walk->clip->rotations[at]
                                         : sft_quatd_exp(sft_v3d_make(0.1 * sft_sin(0.05 * f + j), 0.02 * j, 0.1));
        }
    return result;
}

/// Writes the clip to `path`; the size of the text, 0 where something failed.
static size_t write_figure(const sft_skeleton* skeleton, const sft_clip* clip, const char* path)
{
    sft_bvh* bvh = NULL;
    char* text = NULL;
    size_t size = 0;
    bool ok = sft_bvh_create(skeleton, clip, NULL, &bvh) == SFT_OK;
    if (ok)
    {
        const sft_bvh_contents* view = sft_bvh_view(bvh);
        for (int32_t f = 0; ok && f < view->frame_count; ++f)
            for (int32_t c = 0; ok && c < view->channel_count; ++c)
            {
                const double value = view->values[(size_t)f * (size_t)view->channel_count + (size_t)c];
                ok = sft_bvh_set_value(bvh, f, c, floor(1e6 * value + 0.5) / 1e6) == SFT_OK;
            }
        ok = ok && sft_bvh_write(bvh, NULL, &text, &size) == SFT_OK && sft_file_write(path, text, size, NULL) == SFT_OK;
        sft_bvh_destroy(bvh);
    }
    free(text);
    return ok ? size : 0;
}

static size_t make_input(const char* path)
{
    walker walk;
    walker_def def = walker_default_def();
    def.frames = FRAMES;
    def.root_scale = 0.75;
    if (walker_create(&def, &walk) != SFT_OK) return 0;
    sft_skeleton* skeleton = NULL;
    sft_clip* clip = NULL;
    size_t size = 0;
    if (make_figure(&walk, &skeleton, &clip) == SFT_OK) size = write_figure(skeleton, clip, path);
    sft_clip_destroy(clip, NULL);
    sft_skeleton_destroy(skeleton, NULL);
    walker_release(&walk);
    return size;
}

typedef struct command
{
    char program[1024];
    char in[1024];
    char out[1024];
    int status; ///< exit status of the last run that failed, 0 where none did
} command;

static void run_command(void* data)
{
    command* c = data;
    const pid_t child = fork();
    if (child == 0)
    {
        const int quiet = open("/dev/null", O_WRONLY);
        if (quiet >= 0) dup2(quiet, STDOUT_FILENO);
        execl(c->program, c->program, "clean", c->in, "-o", c->out, (char*)NULL);
        _exit(127);
    }
    int status = -1;
    if (child < 0 || waitpid(child, &status, 0) != child || !WIFEXITED(status))
        c->status = -1;
    else if (WEXITSTATUS(status) != 0)
        c->status = WEXITSTATUS(status);
}

void bench_scene_clean_file(bench_context* context)
{
    command c = {.status = 0};
    char folder[] = "/tmp/surefoot-bench-XXXXXX";
    if (!bench_beside_program(context, "surefoot", c.program, sizeof c.program))
    {
        bench_skip(context, "clean_file", "the surefoot command is not beside surefoot-bench");
        return;
    }
    if (mkdtemp(folder) == NULL)
    {
        bench_fail(context, "clean_file", "no folder for temporary files");
        return;
    }
    snprintf(c.in, sizeof c.in, "%s/in.bvh", folder);
    snprintf(c.out, sizeof c.out, "%s/out.bvh", folder);
    const size_t size = make_input(c.in);
    if (size == 0)
        bench_fail(context, "clean_file", "the input could not be written");
    else
    {
        bench_entry entry = bench_time_entry("clean_file", "s", bench_measure(context, NULL, run_command, &c), 1.0);
        bench_add_field(&entry, "frames", FRAMES);
        bench_add_field(&entry, "joints", JOINTS);
        bench_add_field(&entry, "file_mb", (double)size / 1e6);
        if (c.status != 0)
            bench_fail(context, "clean_file", "surefoot clean ended with an error");
        else
            bench_report(context, &entry);
    }
    unlink(c.in);
    unlink(c.out);
    rmdir(folder);
}
