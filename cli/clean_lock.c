// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// surefoot clean --method runtime: runs the foot lock over a clip and says what it held.

#include "clean.h"

#include <math.h>
#include <stdlib.h>

// The planted frames that were not held, in the form of the other methods' misses: for pages and pictures.
static sft_result fill_report(clean_job* j)
{
    const sft_lock_clip_report* lock = &j->locked;
    j->report = (sft_cleanup_report){.plant_count = lock->plant_count,
                                     .planted_frames = lock->planted_frames,
                                     .iterations = 1,
                                     .converged = true,
                                     .residual_m = lock->miss_max_m,
                                     .travel_joint = -1};
    const int32_t count = lock->planted_frames - lock->locked_frames;
    if (count == 0) return SFT_OK;
    j->report.misses = malloc((size_t)count * sizeof *j->report.misses);
    if (j->report.misses == NULL) return SFT_ERR_MEMORY;
    for (int32_t i = 0; i < lock->gap_count; ++i)
        for (int32_t frame = lock->gaps[i].first; frame <= lock->gaps[i].last; ++frame)
            j->report.misses[j->report.miss_count++] =
                (sft_cleanup_miss){frame, lock->gaps[i].foot, lock->gaps[i].distance, SFT_GAVE_SLIDE};
    return SFT_OK;
}

sft_result clean_lock(const clean* c, clean_job* j)
{
    sft_lock_clip_def def = c->lock;
    def.contact_threshold = c->options.threshold;
    def.ground_velocities = j->contacts.grounds;
    def.first_frame = j->file->first_frame;
    const sft_result result = sft_lock_clip(&def, j->file->skeleton, j->file->legs, j->file->leg_count,
                                            j->contacts.labels, NULL, j->solved, j->changed, &j->locked);
    return result == SFT_OK ? fill_report(j) : result;
}

static const char* reason(sft_lock_release release)
{
    switch (release)
    {
    case SFT_LOCK_RELEASE_DISTANCE:
        return "let go, too far from the animation";
    case SFT_LOCK_RELEASE_ASKED:
        return "let go, out of the leg's reach";
    case SFT_LOCK_RELEASE_BODY:
        return "let go, what it stood on is gone";
    case SFT_LOCK_RELEASE_NONE:
        break;
    }
    return "not within the lock distance yet";
}

void clean_lock_print(FILE* out, const clean* c, const clean_job* j)
{
    char a[32], b[32], d[32];
    const sft_lock_clip_report* r = &j->locked;
    cli_print(out, "%d plant%s of %d frames, toes held in %d; run-time lock, legs give way; crossings of %s s\n",
              (int)r->plant_count, r->plant_count == 1 ? "" : "s", (int)r->planted_frames, (int)r->locked_frames,
              cli_figure(c->lock.lock.blend_time, 3, a));
    cli_print(out, "Held after the crossing in %d frames, in which toes slide at most %s cm/s", (int)r->settled_frames,
              cli_figure(r->slide_max_cm_s, 4, b));
    if (r->miss_max_frame >= 0)
    {
        char name[48];
        cli_print(out, "; while crossing, a leg missed its target by up to %s cm (%s, frame %s)",
                  cli_figure(100.0 * r->miss_max_m, 2, d), j->file->foot_names[r->miss_max_foot],
                  cli_frame_name(j->file, r->miss_max_frame, name));
    }
    cli_print(out, ".\n");
}

void clean_lock_print_gaps(FILE* out, const clean_job* j)
{
    const sft_lock_clip_report* r = &j->locked;
    if (r->gap_count == 0)
    {
        cli_print(out, "Every planted toe was held from its plant's first frame to its last.\n");
        return;
    }
    cli_print(out, "Not held: %d of %d planted frames\n", (int)(r->planted_frames - r->locked_frames),
              (int)r->planted_frames);
    const int width = cli_name_width(j->file, 12);
    for (int32_t i = 0; i < r->gap_count && i < 20; ++i)
    {
        const sft_lock_gap* gap = &r->gaps[i];
        char number[32];
        cli_print(out, "  %-*s  frames %6d to %6d  up to %8s cm from the animation: %s\n", width,
                  j->file->foot_names[gap->foot], (int)gap->first, (int)gap->last,
                  cli_figure(100.0 * gap->distance, 3, number), reason(gap->release));
    }
    if (r->gap_count > 20) cli_print(out, "  and %d more spans; --json lists them all\n", (int)r->gap_count - 20);
}

void clean_lock_json(json_out* json, const clean* c, const clean_job* j)
{
    const sft_lock_clip_report* r = &j->locked;
    json_number(json, "blend_s", c->lock.lock.blend_time);
    json_number(json, "lock_distance_cm", 100.0 * c->lock.lock.lock_distance);
    json_number(json, "unlock_distance_cm", 100.0 * c->lock.lock.unlock_distance);
    json_bool(json, "lock_orientation", c->lock.lock.lock_orientation);
    json_int(json, "locked_frames", r->locked_frames);
    json_int(json, "settled_frames", r->settled_frames);
    json_figure(json, "settled_slide_max_cm_s", r->slide_max_cm_s);
    json_figure(json, "miss_max_cm", 100.0 * r->miss_max_m);
    json_int(json, "miss_max_frame", r->miss_max_frame);
    json_text(json, "miss_max_foot", r->miss_max_foot < 0 ? NULL : j->file->foot_names[r->miss_max_foot]);
}

void clean_lock_json_gaps(json_out* json, const clean_job* j)
{
    const sft_lock_clip_report* r = &j->locked;
    static const char* const reasons[] = {"not_near_yet", "distance", "body", "reach"};
    json_begin(json, "gaps", '[');
    for (int32_t i = 0; i < r->gap_count; ++i)
    {
        json_begin(json, NULL, '{');
        json_text(json, "foot", j->file->foot_names[r->gaps[i].foot]);
        json_int(json, "first", r->gaps[i].first);
        json_int(json, "last", r->gaps[i].last);
        json_figure(json, "distance_cm", 100.0 * r->gaps[i].distance);
        json_text(json, "reason", reasons[r->gaps[i].release]);
        json_end(json, '}');
    }
    json_end(json, ']');
}
