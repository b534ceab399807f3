// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// Clean-up of a synthetic walk whose travel is scaled by 0.75, so that every plant slides: the direct solve beside the
// particle relaxation on the same clip, and the direct solve on ten and on very many times the frames.
#include "bench.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sample/walker.h"
#include "surefoot/surefoot.h"

#define FRAMES 480
#define LONG_FRAMES 100000

typedef struct cleanup_job
{
    walker walk;
    sft_leg legs[2];
    sft_clip* clip; ///< the copy that is cleaned
    sft_cleanup_def def;
    sft_cleanup_report report;
    sft_result result;
} cleanup_job;

static void job_close(cleanup_job* job)
{
    sft_cleanup_report_release(&job->report, NULL);
    sft_clip_destroy(job->clip, NULL);
    walker_release(&job->walk);
}

static sft_leg leg_at(int32_t hip, sft_leg_side side)
{
    sft_leg leg = {.side = side, .pelvis = WALKER_HIPS};
    leg.hip = hip;
    leg.knee = hip + 1;
    leg.heel = hip + 2;
    leg.toe = hip + 3;
    leg.toe_end = hip + 4;
    return leg;
}

static bool job_open(cleanup_job* job, int32_t frames, sft_cleanup_method method)
{
    memset(job, 0, sizeof *job);
    walker_def def = walker_default_def();
    def.frames = frames;
    def.root_scale = 0.75;
    if (walker_create(&def, &job->walk) != SFT_OK) return false;
    const sft_clip* source = job->walk.clip;
    job->legs[0] = leg_at(WALKER_LEFT_HIP, SFT_LEG_LEFT);
    job->legs[1] = leg_at(WALKER_RIGHT_HIP, SFT_LEG_RIGHT);
    bool ok = true;
    for (int i = 0; i < 2; ++i)
        ok = ok && sft_leg_complete(job->walk.skeleton, source, &job->legs[i], NULL) == SFT_OK;
    ok =
        ok && sft_clip_create(source->joint_count, source->frame_count, source->frame_time, NULL, &job->clip) == SFT_OK;
    job->def = sft_default_cleanup_def();
    job->def.method = method;
    if (!ok) job_close(job);
    return ok;
}

static void job_prepare(void* data)
{
    cleanup_job* job = data;
    const sft_clip* source = job->walk.clip;
    const size_t count = (size_t)source->joint_count * (size_t)source->frame_count;
    memcpy(job->clip->translations, source->translations, count * sizeof(sft_v3d));
    memcpy(job->clip->rotations, source->rotations, count * sizeof(sft_quatd));
    sft_cleanup_report_release(&job->report, NULL);
    memset(&job->report, 0, sizeof job->report);
}

static void job_run(void* data)
{
    cleanup_job* job = data;
    const sft_result result = sft_cleanup_clip(&job->def, job->walk.skeleton, job->legs, 2, &job->walk.labels, NULL,
                                               job->clip, NULL, &job->report);
    if (result != SFT_OK) job->result = result;
}

/// Speed of planted toes, from each planted frame to the one before where that is planted too [cm/s].
static void add_slide(const cleanup_job* job, const sft_clip* clip, bench_entry* entry, const char* mean_name,
                      const char* max_name)
{
    const int32_t frames = clip->frame_count;
    sft_v3d* toe = malloc((size_t)frames * sizeof *toe);
    double sum = 0.0, largest = 0.0;
    long count = 0;
    for (int foot = 0; toe != NULL && foot < 2; ++foot)
    {
        const float* plant = job->walk.labels.plant + (size_t)foot * (size_t)frames;
        sft_clip_joint_track(job->walk.skeleton, clip, job->legs[foot].toe, toe);
        for (int32_t f = 1; f < frames; ++f)
        {
            if (plant[f] <= 0.75f || plant[f - 1] <= 0.75f) continue;
            const double speed = 100.0 * sft_v3d_distance(toe[f], toe[f - 1]) / clip->frame_time;
            sum += speed;
            largest = speed > largest ? speed : largest;
            count += 1;
        }
    }
    free(toe);
    bench_add_field(entry, mean_name, count > 0 ? sum / (double)count : NAN);
    if (max_name != NULL) bench_add_field(entry, max_name, largest);
}

/// Cleans `frames` frames; false, said by bench_fail, where that failed.
static bool measure(bench_context* context, const char* name, int32_t frames, sft_cleanup_method method,
                    bench_entry* entry)
{
    cleanup_job* job = malloc(sizeof *job);
    if (job == NULL || !job_open(job, frames, method))
    {
        free(job);
        bench_fail(context, name, "the walk could not be made");
        return false;
    }
    const bench_timing timing = bench_measure(context, job_prepare, job_run, job);
    const bool ok = job->result == SFT_OK;
    if (!ok) bench_fail(context, name, sft_result_string(job->result));
    *entry = bench_time_entry(name, "ns/frame", timing, 1e9 / frames);
    bench_add_field(entry, "frames", frames);
    add_slide(job, job->walk.clip, entry, "slide_before_cm_s", NULL);
    add_slide(job, job->clip, entry, "slide_cm_s", "slide_max_cm_s");
    bench_add_field(entry, "iterations", job->report.iterations);
    bench_add_field(entry, "missed_frames", job->report.miss_count);
    job_close(job);
    free(job);
    return ok;
}

void bench_scene_cleanup(bench_context* context)
{
    bench_entry direct, relax;
    if (!measure(context, "cleanup_relax", FRAMES, SFT_CLEANUP_RELAX, &relax)) return;
    if (!measure(context, "cleanup_direct", FRAMES, SFT_CLEANUP_DIRECT, &direct)) return;
    bench_set_peer(&direct, &relax, "cleanup_relax", false);
    bench_report(context, &direct);
    bench_report(context, &relax);
}

void bench_scene_cleanup_growth(bench_context* context)
{
    bench_entry once, tenfold, many;
    if (!measure(context, "cleanup_once", 1000, SFT_CLEANUP_DIRECT, &once)) return;
    if (!measure(context, "cleanup_tenfold", 10000, SFT_CLEANUP_DIRECT, &tenfold)) return;
    // Time of ten times the frames over the time of once, 10 where growth is linear; of the quickest runs, for on a
    // busy machine the two are not disturbed alike.
    bench_add_field(&tenfold, "growth", 10.0 * tenfold.min / once.min);
    bench_report(context, &tenfold);
    if (!measure(context, "cleanup_100k", LONG_FRAMES, SFT_CLEANUP_DIRECT, &many)) return;
    bench_report(context, &many);
}
