// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// Labels to plants: the intervals over which a toe stands. A plant starts one frame before its first label, because the
// label of a frame speaks of the step that leads to it.

#include "cleanup/problem.h"

#define MAX_TRIM_SHARE 0.34 // of a plant that may be given up at each end

sft_v3d cu_plant_offset(const cu_problem* p, const cu_plant* plant, int32_t frame)
{
    const sft_v3d v = p->ground;
    if (!p->loop || frame >= plant->first) return sft_v3d_scale((double)(frame - plant->first) * p->dt, v);
    // Behind the seam of a cycle: a whole turn later in time, a whole turn's travel back in place.
    const double time = (double)(frame + p->frames - plant->first) * p->dt;
    return sft_v3d_sub(sft_v3d_scale(time, v), p->travel);
}

// Height asked for at a frame of the problem; NaN: none.
static double asked_height(const cu_problem* p, int32_t leg, int32_t frame)
{
    const sft_cleanup_def* d = p->def;
    if (!d->plant_heights || d->method != SFT_CLEANUP_DIRECT) return NAN;
    const double y = d->plant_heights[(size_t)p->rows[leg] * (size_t)p->clip_frames + (size_t)(p->first + frame)];
    return fabs(y) <= SFT_HUGE ? y : NAN;
}

// Median of the heights asked for over a plant, NaN where fewer than half of its frames ask.
static double asked_level(const cu_problem* p, const cu_plant* plant, double* heights)
{
    size_t count = 0;
    for (int32_t k = 0; k < plant->count; ++k)
    {
        const double y = asked_height(p, plant->leg, (plant->first + k) % p->frames);
        if (y == y) heights[count++] = y;
    }
    return 2 * count >= (size_t)plant->count ? sft_core_select(heights, count, count / 2) : NAN;
}

static bool labelled(const cu_problem* p, const sft_contact_labels* labels, int32_t leg, int32_t frame)
{
    const float* plant = labels->plant + (size_t)p->rows[leg] * (size_t)labels->frame_count + (size_t)p->first;
    const int32_t closing = p->frames; // of a cycle: frame 0 again
    if (p->loop && frame == 0 && p->first + closing < labels->frame_count &&
        (double)plant[closing] > p->def->contact_threshold)
        return true;
    return (double)plant[frame] > p->def->contact_threshold;
}

// `heights` is scratch of a clip's length.
static sft_result add_plant(cu_problem* p, int32_t leg, int32_t first, int32_t count, double* heights)
{
    if (p->plant_count == p->plant_capacity)
    {
        const int32_t next = p->plant_capacity ? p->plant_capacity * 2 : 16;
        void* grown =
            sft_core_grow(&p->allocator, p->plants, (size_t)p->plant_capacity, (size_t)next, sizeof *p->plants);
        if (!grown) return SFT_ERR_MEMORY;
        p->plants = grown;
        p->plant_capacity = next;
    }
    cu_plant* plant = p->plants + p->plant_count;
    *plant = (cu_plant){leg, first, count, -1, {0, 0, 0}, 0.0};
    const size_t base = (size_t)leg * (size_t)p->frames;
    sft_v3d sum = {0};
    for (int32_t k = 0; k < count; ++k)
    {
        const int32_t i = (first + k) % p->frames;
        p->plant_of[base + (size_t)i] = p->plant_count;
        const sft_v3d toe = sft_v3d_sub(p->source[base + (size_t)i].toe, cu_plant_offset(p, plant, i));
        sum = sft_v3d_add(sum, toe);
        heights[k] = toe.y;
    }
    plant->place = sft_v3d_scale(1.0 / (double)count, sum);
    // The median, not the mean: where a label begins while the foot still comes down, or ends after the heel has gone,
    // the foot must not hover, or sink, over the rest of the plant.
    plant->level = sft_core_select(heights, (size_t)count, (size_t)count / 2);
    const double asked = asked_level(p, plant, heights);
    if (asked == asked) plant->level = asked;
    plant->place.y = plant->level;
    ++p->plant_count;
    return SFT_OK;
}

// Frames of the plant that begins at `i`, at most a whole turn.
static int32_t run_length(const cu_problem* p, const sft_contact_labels* labels, int32_t leg, int32_t i)
{
    int32_t count = 0;
    while (count < p->frames && (p->loop || i + count < p->frames) && labelled(p, labels, leg, (i + count) % p->frames))
        ++count;
    return count;
}

static sft_result find_leg_plants(cu_problem* p, const sft_contact_labels* labels, int32_t leg, double* heights)
{
    const int32_t n = p->frames;
    int32_t i = 0, end = n;
    // A cycle is entered at a frame that is no plant, so that none is cut by the seam.
    if (p->loop && labelled(p, labels, leg, 0))
    {
        while (i < n && labelled(p, labels, leg, i))
            ++i;
        if (i == n) return add_plant(p, leg, 0, n, heights);
        end = n + i;
    }
    bool before_free = p->loop; // the frame before i is free
    while (i < end)
    {
        const int32_t at = i % n;
        if (!labelled(p, labels, leg, at))
        {
            before_free = true;
            ++i;
            continue;
        }
        const int32_t count = run_length(p, labels, leg, at);
        const int32_t previous = (at + n - 1) % n;
        const bool extend = before_free && (at > 0 || p->loop) &&
                            p->plant_of[(size_t)leg * (size_t)n + (size_t)previous] < 0 &&
                            ((at < 2 && !p->loop) || !labelled(p, labels, leg, (at + n + n - 2) % n)) && count < n - 1;
        const sft_result r =
            extend ? add_plant(p, leg, previous, count + 1, heights) : add_plant(p, leg, at, count, heights);
        if (r != SFT_OK) return r;
        i += count;
        before_free = false;
    }
    return SFT_OK;
}

sft_result cu_plants_find(cu_problem* p, const sft_contact_labels* labels)
{
    const size_t both = (size_t)p->leg_count * (size_t)p->frames;
    for (size_t k = 0; k < both; ++k)
        p->plant_of[k] = -1;
    double* heights = sft_core_alloc(&p->allocator, (size_t)p->frames, sizeof *heights);
    if (!heights) return SFT_ERR_MEMORY;
    sft_result r = SFT_OK;
    for (int32_t l = 0; l < p->leg_count && r == SFT_OK; ++l)
        r = find_leg_plants(p, labels, l, heights);
    sft_core_free(&p->allocator, heights, (size_t)p->frames, sizeof *heights);
    return r;
}

// A frame given up remembers its plant.
static int32_t given_up_mark(int32_t plant)
{
    return -2 - plant;
}

static int32_t missed_run(const cu_problem* p, const cu_plant* plant, double tolerance, bool at_end)
{
    const size_t base = (size_t)plant->leg * (size_t)p->frames;
    const int32_t limit = (int32_t)(MAX_TRIM_SHARE * (double)plant->count);
    int32_t run = 0;
    while (run < limit)
    {
        const int32_t k = at_end ? plant->count - 1 - run : run;
        if (!(p->miss[base + (size_t)((plant->first + k) % p->frames)] > tolerance)) break;
        ++run;
    }
    return run;
}

int32_t cu_plants_trim(cu_problem* p, double tolerance)
{
    int32_t given_up = 0;
    for (int32_t k = 0; k < p->plant_count; ++k)
    {
        cu_plant* plant = p->plants + k;
        const size_t base = (size_t)plant->leg * (size_t)p->frames;
        const int32_t head = missed_run(p, plant, tolerance, false), tail = missed_run(p, plant, tolerance, true);
        for (int32_t j = 0; j < head + tail; ++j)
        {
            const int32_t offset = j < head ? j : plant->count - 1 - (j - head);
            const size_t at = base + (size_t)((plant->first + offset) % p->frames);
            p->plant_of[at] = given_up_mark(k);
            p->gave_up[at] |= SFT_GAVE_PLANT;
        }
        if (head > 0)
        {
            const int32_t first = (plant->first + head) % p->frames;
            plant->place = sft_v3d_add(plant->place, cu_plant_offset(p, plant, first));
            plant->first = first;
        }
        plant->count -= head + tail;
        given_up += head + tail;
    }
    return given_up;
}
