// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// Plants: the plain rule (article 000: toe speed below a threshold, then a majority) on motion whose slide was taken
// out, at the clip's own rate, so that a clip without slide is labelled exactly as the plain rule labels it. Then, for
// clips below 60 Hz, contacts too short for their rate are looked for again in the resampled motion, and a foot that
// hangs still in the air is taken out.

#include "contact/contact_internal.h"

#include "core/core.h"

// A still foot this much higher than its stands before and after, with another foot on the ground below, hangs in the
// air [m of a 0.9 m leg]: article 000's height.
#define HANG_HEIGHT 0.1
// A foot that is up and down again within this time stood on nothing: the top of a jump or a kick [s].
#define HANG_TIME 0.15

void sft_contact_plain(const sft_v3d* toe, int32_t n, double dt, double speed, double window, uint8_t* bits,
                       int32_t* cumulative)
{
    // One frame has no speed: what does not move stands still.
    if (n == 1) bits[0] = 1;
    for (int32_t i = 1; i < n; ++i)
        bits[i] = (uint8_t)(sft_v3d_distance(toe[i], toe[i - 1]) / dt < speed);
    if (n > 1) bits[0] = bits[1];
    sft_contact_majority(bits, n, sft_contact_odd_window(window, dt), cumulative);
}

// Adds plants of the resampled motion that do not meet one of the clip's own rate. A frame counts where the rule holds
// over at least half of the time since the frame before.
static bool add_short_plants(const sft_contact_def* def, const contact_view* view, const sft_allocator* allocator,
                             uint8_t* plant)
{
    const int32_t n = view->frames, factor = sft_contact_rate_factor(view->dt);
    if (factor == 1 || n < 2) return true;
    const int32_t fine_n = (n - 1) * factor + 1;
    sft_v3d* track = sft_core_alloc(allocator, (size_t)fine_n, sizeof *track);
    uint8_t* fine = sft_core_alloc(allocator, (size_t)fine_n, 1);
    uint8_t* coarse = sft_core_alloc(allocator, (size_t)n, 1);
    int32_t* cumulative = sft_core_alloc(allocator, (size_t)fine_n + 1, sizeof *cumulative);
    const bool ok = track != NULL && fine != NULL && coarse != NULL && cumulative != NULL;
    for (int32_t f = 0; ok && f < view->foot_count; ++f)
    {
        uint8_t* own = plant + (size_t)f * (size_t)n;
        sft_contact_resample(view->feet[f].toe, n, factor, track);
        sft_contact_plain(track, fine_n, view->dt / factor, def->plant_speed, def->filter_window, fine, cumulative);
        coarse[0] = fine[0];
        for (int32_t i = 1; i < n; ++i)
        {
            int32_t count = 0;
            for (int32_t k = 0; k < factor; ++k)
                count += fine[i * factor - k];
            coarse[i] = (uint8_t)(2 * count >= factor);
        }
        for (int32_t start = 0, end; start < n; start = end + 1)
        {
            end = start;
            bool met = false;
            for (; end < n && coarse[end]; ++end)
                met = met || own[end] || (end > 0 && own[end - 1]) || (end + 1 < n && own[end + 1]);
            if (!met && end > start) memset(coarse + start, 2, (size_t)(end - start));
        }
        // Only now: a plant just added must not hide its neighbour.
        for (int32_t i = 0; i < n; ++i)
            if (coarse[i] == 2) own[i] = 1;
    }
    sft_core_free(allocator, cumulative, (size_t)fine_n + 1, sizeof *cumulative);
    sft_core_free(allocator, coarse, (size_t)n, 1);
    sft_core_free(allocator, fine, (size_t)fine_n, 1);
    sft_core_free(allocator, track, (size_t)fine_n, sizeof *track);
    return ok;
}

typedef struct plant_run
{
    int32_t start, end; ///< frames [start, end)
    double height;      ///< mean of the toe's
} plant_run;

// The next run of set bits at or after `from`; false where none is left.
static bool next_run(const uint8_t* bits, const sft_v3d* toe, int32_t n, int32_t from, plant_run* run)
{
    int32_t start = from;
    while (start < n && !bits[start])
        ++start;
    if (start >= n) return false;
    int32_t end = start;
    double sum = 0.0;
    for (; end < n && bits[end]; ++end)
        sum += toe[end].y;
    *run = (plant_run){start, end, sum / (double)(end - start)};
    return true;
}

// True where another foot stands on the ground below during the run, and none stands at the run's own height.
static bool others_stand_below(const contact_view* view, const uint8_t* plant, int32_t foot, const plant_run* run)
{
    const double margin = HANG_HEIGHT * view->scale;
    bool below = false;
    for (int32_t f = 0; f < view->foot_count; ++f)
        for (int32_t i = run->start; f != foot && i < run->end; ++i)
        {
            if (!plant[(size_t)f * (size_t)view->frames + (size_t)i]) continue;
            if (view->feet[f].toe[i].y > run->height - margin) return false;
            below = true;
        }
    return below;
}

// A foot may stand higher than before (a step up) or higher than after (a step down); one that comes up from its stand
// and goes down again at once, or while the body stands on another foot below, hangs still in the air.
static void remove_hanging(const contact_view* view, uint8_t* plant, uint8_t* hanging)
{
    const int32_t n = view->frames;
    const double margin = HANG_HEIGHT * view->scale;
    for (int32_t f = 0; f < view->foot_count; ++f)
    {
        const uint8_t* bits = plant + (size_t)f * (size_t)n;
        const sft_v3d* toe = view->feet[f].toe;
        plant_run before = {0, 0, 0.0}, run, after = {0, 0, 0.0};
        bool has_run = next_run(bits, toe, n, 0, &run), has_before = false;
        while (has_run)
        {
            const bool has_after = next_run(bits, toe, n, run.end, &after);
            const bool over_before = !has_before || run.height > before.height + margin;
            const bool over_after = !has_after || run.height > after.height + margin;
            const bool brief = has_before && has_after && (double)(run.end - run.start) * view->dt < HANG_TIME;
            const bool hangs = (has_before || has_after) && over_before && over_after &&
                               (brief || others_stand_below(view, plant, f, &run));
            if (hangs)
                memset(hanging + (size_t)f * (size_t)n + (size_t)run.start, 1, (size_t)(run.end - run.start));
            else
            {
                before = run;
                has_before = true;
            }
            run = after;
            has_run = has_after;
        }
    }
    for (size_t i = 0; i < (size_t)n * (size_t)view->foot_count; ++i)
        if (hanging[i]) plant[i] = 0;
}

bool sft_contact_plants(const sft_contact_def* def, const contact_view* view, const sft_allocator* allocator,
                        uint8_t* plant)
{
    const size_t n = (size_t)view->frames, all = n * (size_t)view->foot_count;
    int32_t* cumulative = sft_core_alloc(allocator, n + 1, sizeof *cumulative);
    if (cumulative == NULL) return false;
    for (int32_t f = 0; f < view->foot_count; ++f)
        sft_contact_plain(view->feet[f].toe, view->frames, view->dt, def->plant_speed, def->filter_window,
                          plant + (size_t)f * n, cumulative);
    sft_core_free(allocator, cumulative, n + 1, sizeof *cumulative);
    if (def->explain_slide && !sft_contact_drifting_plants(def, view, allocator, plant)) return false;
    if (!add_short_plants(def, view, allocator, plant)) return false;
    uint8_t* hanging = sft_core_alloc(allocator, all, 1);
    if (hanging == NULL) return false;
    remove_hanging(view, plant, hanging);
    sft_core_free(allocator, hanging, all, 1);
    return true;
}
