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
// A pelvis nearer to the toe than this part of its greatest height over it does not stand on it: stairs climbed with
// steps of a third of the leg come to 0.75, feet kicked up behind a runner to 0.4 to 0.6.
#define TUCKED 0.7
// Reach of doubt about the ends of plants [s].
#define END_TIME (1.0 / 120.0)

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

// Where slide was taken out, a plant's ends are in doubt: a frame too many costs little there, a frame too few goes on
// sliding. Each plant is extended by frames that keep the rule with the doubt granted, for END_TIME at most.
static void extend_plants(const sft_contact_def* def, const contact_view* view, const sft_v3d* toe, uint8_t* bits,
                          uint8_t* loose, int32_t* cumulative)
{
    const int32_t n = view->frames, most = (int32_t)sft_maxd(1.0, floor(END_TIME / view->dt + 0.5));
    sft_contact_plain(toe, n, view->dt, def->plant_speed + view->doubt, def->filter_window, loose, cumulative);
    for (int32_t i = 0; i < n; ++i)
        loose[i] = (uint8_t)(loose[i] && !bits[i]);
    for (int32_t i = 1; i < n; ++i)
    {
        if (bits[i - 1] != 1 || !loose[i]) continue;
        for (int32_t k = i; k < n && k < i + most && loose[k]; ++k)
            bits[k] = 2;
    }
    for (int32_t i = n - 2; i >= 0; --i)
    {
        if (bits[i + 1] != 1 || !loose[i]) continue;
        for (int32_t k = i; k >= 0 && k > i - most && loose[k]; --k)
            bits[k] = 2;
    }
    for (int32_t i = 0; i < n; ++i)
        bits[i] = bits[i] != 0;
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

/// Runs of set bits that follow one another at one height.
typedef struct plant_level
{
    int32_t start, end; ///< frames [start, end), gaps between runs included
    double height;      ///< mean of the first run's toe
} plant_level;

static int32_t find_levels(const uint8_t* bits, const sft_v3d* toe, int32_t n, double margin, plant_level* levels)
{
    int32_t count = 0;
    for (int32_t start = 0, end; start < n; start = end + 1)
    {
        end = start;
        double sum = 0.0;
        for (; end < n && bits[end]; ++end)
            sum += toe[end].y;
        if (end == start) continue;
        const double height = sum / (double)(end - start);
        if (count > 0 && fabs(height - levels[count - 1].height) <= margin)
            levels[count - 1].end = end;
        else
            levels[count++] = (plant_level){start, end, height};
    }
    return count;
}

// True where another foot stands on the ground below while this one is planted, and none stands at this one's height.
static bool others_stand_below(const contact_view* view, const uint8_t* plant, int32_t foot, const plant_level* level)
{
    const size_t n = (size_t)view->frames;
    bool below = false;
    for (int32_t f = 0; f < view->foot_count; ++f)
        for (int32_t i = level->start; f != foot && i < level->end; ++i)
        {
            if (!plant[(size_t)f * n + (size_t)i] || !plant[(size_t)foot * n + (size_t)i]) continue;
            if (view->feet[f].toe[i].y > level->height - HANG_HEIGHT * view->scale) return false;
            below = true;
        }
    return below;
}

// A foot may stand higher than before (a step up) or higher than after (a step down); one that comes up from its stand
// and goes down again at once, or while the body stands on another foot below, hangs still in the air. At the ends of
// the clip, where only one side is known, the doubt is the plant's.
static void find_hanging(const contact_view* view, const uint8_t* plant, int32_t foot, plant_level* levels,
                         uint8_t* hanging)
{
    const int32_t n = view->frames;
    const double margin = HANG_HEIGHT * view->scale;
    const int32_t count = find_levels(plant + (size_t)foot * (size_t)n, view->feet[foot].toe, n, margin, levels);
    for (int32_t k = 1; k + 1 < count; ++k)
    {
        const plant_level* level = &levels[k];
        if (level->height <= levels[k - 1].height || level->height <= levels[k + 1].height) continue;
        const bool brief = (double)(level->end - level->start) * view->dt < HANG_TIME;
        if (brief || others_stand_below(view, plant, foot, level))
            memset(hanging + (size_t)foot * (size_t)n + (size_t)level->start, 1, (size_t)(level->end - level->start));
    }
}

static bool goes_below(const sft_v3d* toe, int32_t from, int32_t to, double height)
{
    for (int32_t i = from; i < to; ++i)
        if (toe[i].y < height) return true;
    return false;
}

// Heights of the pelvis over the toe: mean over frames [start, end), and the most of the whole clip.
static void reaches(const contact_view* view, const sft_v3d* toe, int32_t start, int32_t end, double* mean,
                    double* most)
{
    *mean = 0.0;
    *most = 0.0;
    for (int32_t i = 0; i < view->frames; ++i)
    {
        const double reach = view->pelvis[i].y - toe[i].y;
        *most = reach > *most ? reach : *most;
        if (i >= start && i < end) *mean += reach / (double)(end - start);
    }
}

// Before the first plant of a clip and behind its last one side may not be seen. A brief stand that goes below itself
// on the other is a stand on a step still, but for one so near the pelvis that no leg would carry it there.
static bool tucked(const contact_view* view, const sft_v3d* toe, int32_t start, int32_t end)
{
    double mean, most;
    reaches(view, toe, start, end, &mean, &most);
    return mean < TUCKED * most;
}

// A brief plant above both the way that the foot came and the way it goes is the turn of a swing, not a stand: a
// runner's foot at its highest, on a run in place where no foot ever stands still.
static void find_turns(const contact_view* view, const uint8_t* plant, int32_t foot, uint8_t* hanging)
{
    const int32_t n = view->frames;
    const size_t row = (size_t)foot * (size_t)n;
    const uint8_t* own = plant + row;
    const sft_v3d* toe = view->feet[foot].toe;
    int32_t before = 0; // end of the plant before
    for (int32_t start = 0; start < n;)
    {
        int32_t end = start, after;
        double sum = 0.0;
        for (; end < n && own[end]; ++end)
            sum += toe[end].y;
        if (end == start)
        {
            ++start;
            continue;
        }
        for (after = end; after < n && !own[after];)
            ++after;
        const double under = sum / (double)(end - start) - HANG_HEIGHT * view->scale;
        const bool came = goes_below(toe, before, start, under), goes = goes_below(toe, end, after, under);
        const bool cut = (before == 0 && goes) || (after == n && came);
        if ((double)(end - start) * view->dt < HANG_TIME && ((came && goes) || (cut && tucked(view, toe, start, end))))
            memset(hanging + row + (size_t)start, 1, (size_t)(end - start));
        before = start = end;
    }
}

static bool remove_hanging(const contact_view* view, const sft_allocator* allocator, uint8_t* plant)
{
    const size_t n = (size_t)view->frames, all = n * (size_t)view->foot_count;
    uint8_t* hanging = sft_core_alloc(allocator, all, 1);
    plant_level* levels = sft_core_alloc(allocator, n / 2 + 1, sizeof *levels);
    const bool ok = hanging != NULL && levels != NULL;
    for (int32_t f = 0; ok && f < view->foot_count; ++f)
    {
        find_hanging(view, plant, f, levels, hanging);
        find_turns(view, plant, f, hanging);
    }
    for (size_t i = 0; ok && i < all; ++i)
        if (hanging[i]) plant[i] = 0;
    sft_core_free(allocator, levels, n / 2 + 1, sizeof *levels);
    sft_core_free(allocator, hanging, all, 1);
    return ok;
}

bool sft_contact_plants(const sft_contact_def* def, const contact_view* view, const sft_allocator* allocator,
                        uint8_t* plant)
{
    const size_t n = (size_t)view->frames;
    int32_t* cumulative = sft_core_alloc(allocator, n + 1, sizeof *cumulative);
    uint8_t* loose = sft_core_alloc(allocator, n, 1);
    const bool ok = cumulative != NULL && loose != NULL;
    for (int32_t f = 0; ok && f < view->foot_count; ++f)
    {
        const sft_v3d* toe = view->feet[f].toe;
        uint8_t* own = plant + (size_t)f * n;
        sft_contact_plain(toe, view->frames, view->dt, def->plant_speed, def->filter_window, own, cumulative);
        if (view->doubt > 0.0) extend_plants(def, view, toe, own, loose, cumulative);
    }
    sft_core_free(allocator, loose, n, 1);
    sft_core_free(allocator, cumulative, n + 1, sizeof *cumulative);
    if (!ok) return false;
    if (def->explain_slide && !sft_contact_drifting_plants(def, view, allocator, plant)) return false;
    if (!add_short_plants(def, view, allocator, plant)) return false;
    if (def->held_only && !sft_contact_trim_held(view, allocator, plant)) return false;
    return remove_hanging(view, allocator, plant);
}
