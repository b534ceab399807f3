// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// `surefoot adapt --method runtime`: frame after frame, knowing nothing of the next, as an engine would.

#include "adapt.h"

#include <stdlib.h>
#include <string.h>

static bool planted(const adapt* a, const adapt_job* j, int32_t foot, int32_t frame)
{
    const size_t frames = (size_t)j->file->frame_count;
    return (double)j->contacts.labels->plant[(size_t)foot * frames + (size_t)frame] > a->options.threshold;
}

// Notes that a planted foot has no ground in this frame: the miss at hand goes on, or a new one begins.
static bool note_lost(adapt_job* j, int32_t foot, int32_t frame)
{
    sft_adapt_clip_report* r = &j->report;
    for (int32_t i = r->miss_count; i-- > 0;)
        if (r->misses[i].foot == foot && r->misses[i].last == frame - 1)
        {
            r->misses[i].last = frame;
            return true;
        }
    // The library's release takes what malloc gave.
    sft_adapt_miss* grown = realloc(r->misses, ((size_t)r->miss_count + 1) * sizeof *grown);
    if (grown == NULL) return false;
    grown[r->miss_count] =
        (sft_adapt_miss){.fault = SFT_ADAPT_FAULT_NO_GROUND, .foot = foot, .first = frame, .last = frame};
    r->misses = grown;
    ++r->miss_count;
    return true;
}

static bool note(const adapt* a, adapt_job* j, int32_t frame, const sft_adapt_report* r)
{
    j->worst.toe_miss = sft_maxd(j->worst.toe_miss, r->toe_miss);
    j->worst.tilt_lost = sft_maxd(j->worst.tilt_lost, r->tilt_lost);
    j->report.pelvis_shift_min = sft_mind(j->report.pelvis_shift_min, r->pelvis_shift);
    j->report.pelvis_shift_max = sft_maxd(j->report.pelvis_shift_max, r->pelvis_shift);
    j->report.pitch_min = sft_mind(j->report.pitch_min, r->pitch);
    j->report.pitch_max = sft_maxd(j->report.pitch_max, r->pitch);
    bool fine = true;
    for (int32_t k = 0; k < j->file->leg_count && fine; ++k)
        if ((r->lost >> k & 1u) != 0 && planted(a, j, k, frame)) fine = note_lost(j, k, frame);
    return fine;
}

static sft_result walk_frames(const adapt* a, adapt_job* j, void* scratch, size_t size)
{
    static sft_adapt_leg_state legs[SFT_MAX_LEGS];
    sft_adapt_state body;
    memset(legs, 0, sizeof legs);
    memset(&body, 0, sizeof body);
    bool down[SFT_MAX_LEGS];
    const sft_adapt_input input = {.skeleton = j->file->skeleton,
                                   .legs = j->file->legs,
                                   .leg_count = j->file->leg_count,
                                   .contacts = down,
                                   .ground = &j->ground.ground};
    sft_adapt_def def = a->def.foot;
    def.floor = j->floor;
    def.step_aside = a->def.place_max;
    const size_t joints = (size_t)j->solved->joint_count;
    for (int32_t i = j->file->first_frame; i < j->file->frame_count; ++i)
    {
        for (int32_t k = 0; k < j->file->leg_count; ++k)
            down[k] = planted(a, j, k, i);
        const size_t row = (size_t)i * joints;
        sft_adapt_report report = {.toe_miss = 0.0};
        const sft_result result =
            sft_adapt_update(&def, &input, j->file->frame_time, &body, legs, j->solved->translations + row,
                             j->solved->rotations + row, scratch, size, &report);
        if (result != SFT_OK) return result;
        if (!note(a, j, i, &report)) return SFT_ERR_MEMORY;
    }
    return SFT_OK;
}

static void find_changed(const adapt_job* j, uint8_t* changed)
{
    const size_t joints = (size_t)j->solved->joint_count, cells = joints * (size_t)j->solved->frame_count;
    for (size_t i = 0; i < cells; ++i)
    {
        uint8_t* c = &changed[i % joints];
        if (memcmp(&j->solved->rotations[i], &j->stood->rotations[i], sizeof(sft_quatd)) != 0) *c = (uint8_t)(*c | 1u);
        if (memcmp(&j->solved->translations[i], &j->stood->translations[i], sizeof(sft_v3d)) != 0)
            *c = (uint8_t)(*c | 2u);
    }
}

int adapt_frames(const adapt* a, adapt_job* j, uint8_t* changed)
{
    const size_t size = sft_adapt_scratch_size(j->file->skeleton, j->file->leg_count);
    void* scratch = malloc(size + 1);
    if (scratch == NULL) return cli_fail(EXIT_MEMORY, "out of memory");
    const sft_result result = walk_frames(a, j, scratch, size);
    free(scratch);
    if (result != SFT_OK) return cli_fail_clip(j->file, j->solved, "putting onto the ground", result);
    find_changed(j, changed);
    j->report.travel_joint = -1;
    j->report.turn_joint = -1;
    for (int32_t k = 0; k < j->solved->joint_count && j->report.travel_joint < 0; ++k)
        if ((changed[k] & 2u) != 0) j->report.travel_joint = k;
    // Where it pitches, what moves the body turns it too.
    if (j->report.pitch_min < 0.0 || j->report.pitch_max > 0.0) j->report.turn_joint = j->report.travel_joint;
    if (j->report.travel_joint < 0) j->report.travel_joint = j->file->travel;
    for (int32_t k = 0; k < j->file->leg_count; ++k)
        j->report.plant_count += j->before.feet[k].plant_count;
    j->report.converged = true;
    return EXIT_DONE;
}
