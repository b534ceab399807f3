// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// BVH text in and out: 60 joints, 2000 frames, the decimals that exporters write; then the same motion in the 16 and 17
// digits that scripts write. The peer reads the very same bytes from memory in the same run.
#include "bench.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "surefoot/surefoot.h"

#ifdef SFT_HAVE_ASSIMP
#include <assimp/cimport.h>
#include <assimp/scene.h>
#endif

#define JOINTS 60
#define FRAMES 2000
#define COLUMNS (3 * JOINTS + 3)

typedef struct text_job
{
    char* text;
    size_t size;
    sft_bvh* bvh;
    bool failed;
} text_job;

// Chains of six joints below the root, slow waves on every channel.
static void make_text(text_job* job, int significant)
{
    job->text = malloc((size_t)FRAMES * COLUMNS * 26 + JOINTS * 512);
    if (job->text == NULL) return;
    char* p = job->text + sprintf(job->text, "HIERARCHY\nROOT j0\n{\nOFFSET 0 0 0\nCHANNELS 6 Xposition Yposition "
                                             "Zposition Zrotation Xrotation Yrotation\n");
    int open = 1;
    for (int j = 1; j < JOINTS; ++j)
    {
        for (; j % 6 == 1 && open > 1; --open)
            p += sprintf(p, "}\n");
        p += sprintf(p, "JOINT j%d\n{\nOFFSET 0.5 %d.25 -1.125\nCHANNELS 3 Zrotation Xrotation Yrotation\n", j, j);
        ++open;
    }
    for (; open > 0; --open)
        p += sprintf(p, "}\n");
    p += sprintf(p, "MOTION\nFrames: %d\nFrame Time: 0.0083333\n", FRAMES);
    for (int f = 0; f < FRAMES; ++f)
    {
        for (int c = 0; c < COLUMNS; ++c)
        {
            const double v = 40.0 * sin(0.013 * f + c) + 7.0 * sin(0.11 * f * (1 + c % 5));
            p += significant > 0 ? sprintf(p, "%.*g ", significant, v) : sprintf(p, "%.6f ", v);
        }
        p[-1] = '\n';
    }
    job->size = (size_t)(p - job->text);
}

static void read_own(void* data)
{
    text_job* job = data;
    sft_bvh* bvh = NULL;
    if (sft_bvh_read(NULL, job->text, job->size, NULL, &bvh, NULL) != SFT_OK) job->failed = true;
    sft_bvh_destroy(bvh);
}

static void write_own(void* data)
{
    text_job* job = data;
    char* text = NULL;
    size_t size = 0;
    if (sft_bvh_write(job->bvh, NULL, &text, &size) != SFT_OK) job->failed = true;
    bench_keep(text);
    free(text);
}

#ifdef SFT_HAVE_ASSIMP
static void read_assimp(void* data)
{
    text_job* job = data;
    const struct aiScene* scene = aiImportFileFromMemory(job->text, (unsigned)job->size, 0, "bvh");
    if (scene == NULL || scene->mNumAnimations != 1) job->failed = true;
    aiReleaseImport(scene);
}
#endif

static void compare_reading(bench_context* context, text_job* job, const char* name)
{
    const double megabytes = (double)job->size / 1e6;
    bench_entry own = bench_rate_entry(name, "MB/s", bench_measure(context, NULL, read_own, job), megabytes);
    bench_add_field(&own, "megabytes", megabytes);
#ifdef SFT_HAVE_ASSIMP
    const bench_entry peer =
        bench_rate_entry("assimp", "MB/s", bench_measure(context, NULL, read_assimp, job), megabytes);
    bench_set_peer(&own, &peer, "assimp", true);
#else
    bench_skip(context, name, "no assimp to compare with (Debian: libassimp-dev)");
#endif
    if (job->failed)
        bench_fail(context, name, "a reader refused the text");
    else
        bench_report(context, &own);
}

static void measure_text(bench_context* context, int significant, const char* read_name, const char* write_name)
{
    text_job job = {0};
    make_text(&job, significant);
    if (job.text == NULL || sft_bvh_read(NULL, job.text, job.size, NULL, &job.bvh, NULL) != SFT_OK)
    {
        bench_fail(context, read_name, "the text could not be made");
        free(job.text);
        return;
    }
    compare_reading(context, &job, read_name);
    const bench_timing timing = bench_measure(context, NULL, write_own, &job);
    const bench_entry written = bench_rate_entry(write_name, "MB/s", timing, (double)job.size / 1e6);
    bench_report(context, &written);
    sft_bvh_destroy(job.bvh);
    free(job.text);
}

void bench_scene_io(bench_context* context)
{
    measure_text(context, 0, "bvh_read", "bvh_write");
    measure_text(context, 17, "bvh_read_17_digits", "bvh_write_17_digits");
}
