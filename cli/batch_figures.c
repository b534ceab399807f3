// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// A command's figures of one file, which may hold several clips, in the few numbers that a dataset is judged by.

#if defined(__linux__) && !defined(_GNU_SOURCE)
#define _GNU_SOURCE
#endif

#include "batch.h"

#if BATCH_RUNS

#include <math.h>
#include <string.h>

const char* const batch_figure_names[BATCH_FIGURES] = {"frames",
                                                       "clips",
                                                       "duration_s",
                                                       "joints",
                                                       "legs",
                                                       "slide_before_cm_s",
                                                       "slide_after_cm_s",
                                                       "slide_before_max_cm_s",
                                                       "slide_after_max_cm_s",
                                                       "contact_share",
                                                       "below_ground_before_cm",
                                                       "below_ground_after_cm",
                                                       "unreached_frames",
                                                       "unreached_max_cm"};

typedef struct sums
{
    double foot_frames, planted;
    double slide[2], steps[2]; // before and after: sum over planted steps
    batch_figures figures;
} sums;

// NaN where it is not there, or no number.
static double number(const json_value* object, const char* key)
{
    const json_value* v = json_get(object, key);
    return v != NULL && v->kind == JSON_NUMBER ? v->number : NAN;
}

static double number_or_0(const json_value* object, const char* key)
{
    const double value = number(object, key);
    return isnan(value) ? 0.0 : value;
}

static const json_value* first_of(const json_value* list)
{
    return list != NULL && list->kind == JSON_ARRAY ? list->child : NULL;
}

static void add(sums* s, batch_figure which, double value)
{
    double* sum = s->figures.of + which;
    if (!isnan(value)) *sum = isnan(*sum) ? value : *sum + value;
}

static void raise_to(sums* s, batch_figure which, double value)
{
    double* most = s->figures.of + which;
    if (!isnan(value)) *most = isnan(*most) || value > *most ? value : *most;
}

static void add_slides(sums* s, const json_value* stage, int which)
{
    for (const json_value* foot = first_of(json_get(stage, "feet")); foot != NULL; foot = foot->next)
    {
        // As the command's mean of all feet: of a plant the first frame ends no planted step.
        const double steps = number_or_0(foot, "planted_frames") - number_or_0(foot, "plants");
        const double mean = number(foot, "slide_mean_cm_s");
        // Feet that never stand have none.
        if (isnan(mean) || !(steps > 0.0)) continue;
        s->slide[which] += steps * mean;
        s->steps[which] += steps;
        raise_to(s, which == 0 ? BATCH_SLIDE_MOST_BEFORE : BATCH_SLIDE_MOST, number(foot, "slide_max_cm_s"));
    }
}

static double planted_of(const json_value* foot)
{
    const json_value* plants = json_get(foot, "plants");
    if (plants == NULL || plants->kind != JSON_ARRAY) return number_or_0(foot, "planted_frames");
    double frames = 0.0;
    for (const json_value* p = plants->child; p != NULL; p = p->next)
        frames += number_or_0(p, "last") - number_or_0(p, "first") + 1.0;
    return frames;
}

static void add_shares(sums* s, const json_value* stage, double frames)
{
    // Feet of `info` are legs, without plants.
    for (const json_value* foot = first_of(json_get(stage, "feet")); foot != NULL; foot = foot->next)
    {
        s->foot_frames += frames;
        s->planted += planted_of(foot);
    }
}

// By what a command measures its feet against: the ground that it was given (adapt), the target's (retarget), or the
// height at which they stand.
static void add_dips(sums* s, const json_value* clip, const json_value* before, const json_value* after)
{
    const bool on_ground = json_get(clip, "ground") != NULL;
    // Of feet that never stand that height is not known.
    double planted = 0.0;
    for (const json_value* foot = first_of(json_get(before, "feet")); foot != NULL; foot = foot->next)
        planted += number_or_0(foot, "planted_frames");
    if (planted > 0.0)
    {
        raise_to(s, BATCH_DIP_BEFORE, number(json_get(before, "clip"), "penetration_max_cm"));
        if (!on_ground) raise_to(s, BATCH_DIP_AFTER, number(json_get(after, "clip"), "penetration_max_cm"));
    }
    for (const json_value* foot = first_of(json_get(clip, "feet")); foot != NULL; foot = foot->next)
        raise_to(s, BATCH_DIP_AFTER, number(foot, "through_ground_cm"));
}

static void add_misses(sums* s, const json_value* clip)
{
    const json_value* misses = json_get(clip, "unreached");
    if (misses == NULL) misses = json_get(clip, "misses");
    // Retarget without clean-up asks no limb to be anywhere.
    const json_value* cleaned = json_get(clip, "mended") != NULL ? json_get(clip, "cleaned") : NULL;
    if (misses == NULL || misses->kind != JSON_ARRAY) return;
    if (cleaned != NULL && cleaned->kind == JSON_BOOL && cleaned->number == 0.0) return;
    add(s, BATCH_UNREACHED, 0.0);
    for (const json_value* miss = misses->child; miss != NULL; miss = miss->next)
    {
        // One frame, or a span of them.
        const double first = number(miss, "first"), last = number(miss, "last");
        add(s, BATCH_UNREACHED, isnan(first) || isnan(last) ? 1.0 : last - first + 1.0);
        raise_to(s, BATCH_UNREACHED_MOST, number(miss, "distance_cm"));
    }
}

static void add_clip(sums* s, const json_value* clip)
{
    const json_value *before = json_get(clip, "before"), *after = json_get(clip, "after");
    const double clips = number(clip, "clips");
    if (json_get(clip, "moved_figures") != NULL)
    {
        before = json_get(clip, "moved_figures");
        after = json_get(clip, "written_figures");
    }
    if (before == NULL) before = clip;
    add(s, BATCH_CLIPS, isnan(clips) ? 1.0 : clips);
    add(s, BATCH_FRAMES, number(clip, "frames"));
    add(s, BATCH_DURATION, number(clip, "duration"));
    add_shares(s, before, number_or_0(clip, "frames"));
    add_slides(s, before, 0);
    add_slides(s, after, 1);
    if (json_get(clip, "written_below_ground_cm") == NULL) add_dips(s, clip, before, after);
    raise_to(s, BATCH_DIP_BEFORE, number(clip, "moved_below_ground_cm"));
    raise_to(s, BATCH_DIP_AFTER, number(clip, "written_below_ground_cm"));
    add_misses(s, clip);
}

static double count_of(const json_value* object, const char* key)
{
    const json_value* list = json_get(object, key);
    if (list == NULL || list->kind != JSON_ARRAY) return NAN;
    double count = 0.0;
    for (const json_value* item = list->child; item != NULL; item = item->next)
        count += 1.0;
    return count;
}

static void add_all(sums* s, const json_value* v)
{
    const json_value* clips = v->kind == JSON_ARRAY ? v : json_get(v, "clips");
    const bool many = clips != NULL && clips->kind == JSON_ARRAY;
    if (many)
    {
        add(s, BATCH_CLIPS, 0.0);
        add(s, BATCH_FRAMES, 0.0);
    }
    if (many)
        for (const json_value* clip = clips->child; clip != NULL; clip = clip->next)
            add_clip(s, clip);
    else if (v->kind == JSON_OBJECT)
        add_clip(s, v);
    // Those of `info`, of the whole file.
    s->figures.of[BATCH_JOINTS] = number(v, "joints");
    if (!isnan(s->figures.of[BATCH_JOINTS])) s->figures.of[BATCH_LEGS] = count_of(v, "legs");
}

static void read_figures(const char* json, size_t size, batch_figures* out)
{
    sft_error error = {0};
    json_value* v = json_parse(json, size, &error);
    sums s = {0};
    *out = (batch_figures){0};
    if (v == NULL) return;
    for (int i = 0; i < BATCH_FIGURES; ++i)
        s.figures.of[i] = NAN;
    add_all(&s, v);
    json_destroy(v);
    for (int i = 0; i < 2; ++i)
        if (s.steps[i] > 0.0) s.figures.of[BATCH_SLIDE_BEFORE + i] = s.slide[i] / s.steps[i];
    if (s.foot_frames > 0.0) s.figures.of[BATCH_SHARE] = s.planted / s.foot_frames;
    s.figures.known = true;
    *out = s.figures;
}

void batch_read_said(const char* said, size_t size, batch_entry* e)
{
    const size_t json = strnlen(said, size);
    read_figures(said, json, &e->figures);
    for (size_t at = json + 1; at < size; at += strnlen(said + at, size - at) + 1)
        batch_words_add(&e->beside, said + at, strnlen(said + at, size - at));
}

int batch_count_warnings(const char* said)
{
    static const char warning[] = "surefoot: warning: ";
    int count = 0;
    for (const char* line = said; line != NULL; line = strchr(line, '\n'))
    {
        line += *line == '\n' ? 1 : 0;
        if (strncmp(line, warning, sizeof warning - 1) == 0) ++count;
    }
    return count;
}

bool batch_has_figures(const batch_entry* e)
{
    return e->figures.known && (e->result == BATCH_DONE || (e->result == BATCH_FAILED && e->code == EXIT_CHECK));
}

#endif
