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

typedef struct sums
{
    double clips, frames, foot_frames, planted;
    double slide[2], weight[2], most; // before and after: sum over planted steps
    bool said[2];
} sums;

static double number(const json_value* object, const char* key)
{
    const json_value* v = json_get(object, key);
    return v != NULL && v->kind == JSON_NUMBER ? v->number : 0.0;
}

static void add_feet(sums* s, const json_value* feet, int which)
{
    for (const json_value* foot = feet != NULL ? feet->child : NULL; foot != NULL; foot = foot->next)
    {
        // As the command's mean of all feet: of a plant the first frame ends no planted step.
        const double steps = sft_maxd(number(foot, "planted_frames") - number(foot, "plants"), 0.0);
        s->said[which] = s->said[which] || json_get(foot, "slide_mean_cm_s") != NULL;
        s->slide[which] += steps * number(foot, "slide_mean_cm_s");
        s->weight[which] += steps;
        if (which == 1) s->most = sft_maxd(s->most, number(foot, "slide_max_cm_s"));
    }
}

static double planted_of(const json_value* foot)
{
    const json_value* plants = json_get(foot, "plants");
    if (plants == NULL || plants->kind != JSON_ARRAY) return number(foot, "planted_frames");
    double frames = 0.0;
    for (const json_value* p = plants->child; p != NULL; p = p->next)
        frames += number(p, "last") - number(p, "first") + 1.0;
    return frames;
}

static void add_clip(sums* s, const json_value* clip)
{
    const json_value *before = json_get(clip, "before"), *after = json_get(clip, "after");
    const json_value* feet = json_get(before != NULL ? before : clip, "feet");
    const double frames = number(clip, "frames");
    s->clips += 1.0;
    s->frames += frames;
    for (const json_value* foot = feet != NULL ? feet->child : NULL; foot != NULL; foot = foot->next)
    {
        s->foot_frames += frames;
        s->planted += planted_of(foot);
    }
    add_feet(s, feet, 0);
    add_feet(s, json_get(after, "feet"), 1);
}

static double slide_of(const sums* s, int which)
{
    if (!s->said[which]) return NAN;
    return s->weight[which] > 0.0 ? s->slide[which] / s->weight[which] : 0.0;
}

void batch_read_figures(const char* json, size_t size, batch_figures* out)
{
    sft_error error = {0};
    json_value* v = json_parse(json, size, &error);
    sums s = {0};
    *out = (batch_figures){0};
    const json_value* clips = v != NULL && v->kind == JSON_ARRAY ? v : json_get(v, "clips");
    if (clips != NULL && clips->kind == JSON_ARRAY && clips->child != NULL && json_get(clips->child, "frames") != NULL)
        for (const json_value* clip = clips->child; clip != NULL; clip = clip->next)
            add_clip(&s, clip);
    else if (v != NULL && v->kind == JSON_OBJECT)
        add_clip(&s, v);
    json_destroy(v);
    if (s.clips == 0.0) return;
    *out = (batch_figures){.known = true,
                           .frames = s.frames,
                           .clips = s.clips,
                           .slide_before = slide_of(&s, 0),
                           .slide_after = slide_of(&s, 1),
                           .slide_most = s.said[1] ? s.most : NAN,
                           .contact_share = s.foot_frames > 0.0 ? s.planted / s.foot_frames : NAN};
}

bool batch_has_figures(const batch_entry* e)
{
    return e->figures.known && (e->result == BATCH_DONE || (e->result == BATCH_FAILED && e->code == EXIT_CHECK));
}

#endif
