// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// What a batch says: progress while it runs, a summary at its end, the same figures as CSV.

#if defined(__linux__) && !defined(_GNU_SOURCE)
#define _GNU_SOURCE
#endif

#include "batch.h"

#if BATCH_RUNS

#include <math.h>
#include <string.h>
#include <unistd.h>

#define FAILURES_SHOWN 10
#define BAR 24

static size_t failures_of(const batch_tally* t)
{
    size_t count = 0;
    for (int r = BATCH_DONE + 1; r < BATCH_RESULTS; ++r)
        count += t->results[r];
    return count;
}

static const char* duration(double seconds, char* out, size_t capacity)
{
    const unsigned long s = seconds > 0.0 && seconds < 1e9 ? (unsigned long)(seconds + 0.5) : 0;
    if (s < 60)
        snprintf(out, capacity, "%lu s", s);
    else if (s < 3600)
        snprintf(out, capacity, "%lu min %02lu s", s / 60, s % 60);
    else
        snprintf(out, capacity, "%lu h %02lu min", s / 3600, s / 60 % 60);
    return out;
}

void batch_say_progress(const batch_tally* t, double* last)
{
    const bool terminal = isatty(STDERR_FILENO) == 1;
    const bool over = t->ended == t->total;
    if (t->seconds - *last < (terminal ? 0.2 : 10.0) && !(terminal && over)) return;
    *last = t->seconds;
    const size_t here = t->ended - t->before;
    const double rate = t->seconds > 0.0 ? (double)here / t->seconds : 0.0;
    char left[48] = "?";
    if (rate > 0.0) duration((double)(t->total - t->ended) / rate, left, sizeof left);
    const int filled = t->total > 0 ? (int)(BAR * t->ended / t->total) : BAR;
    char bar[BAR + 1];
    for (int i = 0; i < BAR; ++i)
        bar[i] = i < filled ? '#' : '.';
    bar[BAR] = '\0';
    if (terminal)
        cli_progress("%s %zu of %zu, %.1f a second, %s left, %zu failed", bar, t->ended, t->total, rate, left,
                     failures_of(t));
    else
        fprintf(stderr, "surefoot: batch: %zu of %zu, %.1f a second, %s left, %zu failed\n", t->ended, t->total, rate,
                left, failures_of(t));
    if (terminal && over) cli_progress("%s", "");
}

// Over clips that have the figure; NaN where none has.
typedef struct over_clips
{
    double sum, most;
    size_t count, above; // that have it, and of them those above 0
} over_clips;

static over_clips over(const batch_manifest* m, batch_figure which)
{
    over_clips all = {0.0, NAN, 0, 0};
    for (size_t i = 0; i < m->count; ++i)
    {
        const double value = m->entries[i].figures.of[which];
        if (!batch_has_figures(m->entries + i) || isnan(value)) continue;
        all.sum += value;
        all.most = isnan(all.most) || value > all.most ? value : all.most;
        ++all.count;
        all.above += value > 0.0 ? 1 : 0;
    }
    return all;
}

static double mean_of(const batch_manifest* m, batch_figure which)
{
    const over_clips all = over(m, which);
    return all.count > 0 ? all.sum / (double)all.count : NAN;
}

static double most_of(const batch_manifest* m, batch_figure which)
{
    return over(m, which).most;
}

static double sum_of(const batch_manifest* m, batch_figure which)
{
    const over_clips all = over(m, which);
    return all.count > 0 ? all.sum : NAN;
}

static over_clips warnings_of(const batch_manifest* m)
{
    over_clips all = {0.0, NAN, 0, 0};
    for (size_t i = 0; i < m->count; ++i)
    {
        if (m->entries[i].warnings == BATCH_NOT_COUNTED) continue;
        all.sum += m->entries[i].warnings;
        ++all.count;
        all.above += m->entries[i].warnings > 0 ? 1 : 0;
    }
    return all;
}

static void say_failures(FILE* out, const batch_manifest* m)
{
    size_t shown = 0;
    for (size_t i = 0; i < m->count && shown < FAILURES_SHOWN; ++i)
    {
        const batch_entry* e = m->entries + i;
        if (e->result == BATCH_DONE) continue;
        cli_print(out, "  %-8s %s: %s\n", batch_result_names[e->result], e->name, e->message != NULL ? e->message : "");
        ++shown;
    }
}

static void say_figures(FILE* out, const batch_manifest* m)
{
    const double share = mean_of(m, BATCH_SHARE), before = mean_of(m, BATCH_SLIDE_BEFORE),
                 after = mean_of(m, BATCH_SLIDE_AFTER), dip_before = most_of(m, BATCH_DIP_BEFORE),
                 dip_after = most_of(m, BATCH_DIP_AFTER);
    const over_clips missed = over(m, BATCH_UNREACHED), warnings = warnings_of(m);
    if (share > 0.0) fprintf(out, "feet are planted in %.1f %% of the frames\n", 100.0 * share);
    if (!isnan(after))
        fprintf(out, "slide of planted feet, mean over clips: %.3f cm/s before, %.3f after, most %.3f\n", before, after,
                most_of(m, BATCH_SLIDE_MOST));
    else if (!isnan(before))
        fprintf(out, "slide of planted feet, mean over clips: %.3f cm/s, most %.3f\n", before,
                most_of(m, BATCH_SLIDE_MOST_BEFORE));
    if (!isnan(dip_after))
        fprintf(out, "feet below the ground by at most %.3f cm before, %.3f after\n", dip_before, dip_after);
    else if (!isnan(dip_before))
        fprintf(out, "feet below the ground by at most %.3f cm\n", dip_before);
    if (missed.count > 0 && missed.above == 0)
        fprintf(out, "every foot reached its place\n");
    else if (missed.count > 0)
        fprintf(out, "places that were not reached: in %.0f frames of %zu clip%s, by at most %.3f cm\n", missed.sum,
                missed.above, missed.above == 1 ? "" : "s", sft_maxd(most_of(m, BATCH_UNREACHED_MOST), 0.0));
    if (warnings.above > 0)
        fprintf(out, "warnings: %.0f, in %zu clip%s\n", warnings.sum, warnings.above, warnings.above == 1 ? "" : "s");
}

static void say_missing(FILE* out, const batch_words* missing)
{
    if (missing->count == 0) return;
    fprintf(out, "those missing are of shards that did not come to their end; the same command does them\n");
    for (size_t i = 0; i < missing->count && i < FAILURES_SHOWN; ++i)
        cli_print(out, "  %-8s %s\n", "missing", missing->words[i]);
    if (missing->count > FAILURES_SHOWN)
        fprintf(out, "  and %zu more; --json lists them\n", missing->count - FAILURES_SHOWN);
}

static void say_orphans(FILE* out, const batch_orphans* orphans, bool pruned)
{
    if (orphans->count == 0) return;
    fprintf(out, "%zu file%s of earlier runs %s no more of this batch%s:\n", orphans->count,
            orphans->count == 1 ? "" : "s", orphans->count == 1 ? "is" : "are",
            pruned ? "" : "; --prune removes what is as it was written");
    for (size_t i = 0; i < orphans->count && i < FAILURES_SHOWN; ++i)
    {
        const batch_orphan* o = orphans->files + i;
        const char* word = o->removed ? "removed" : o->changed ? "changed" : "left";
        cli_print(out, "  %-8s %s: %s\n", word, o->path, o->why);
    }
    if (orphans->count > FAILURES_SHOWN)
        fprintf(out, "  and %zu more; --json lists them\n", orphans->count - FAILURES_SHOWN);
}

void batch_say_summary(FILE* out, const batch_tally* t, const batch_manifest* m, const batch_rest* rest,
                       const char* folder)
{
    char time[48];
    const size_t here = t->ended - t->before, failures = failures_of(t);
    fprintf(out, "%zu clips: %zu done, %zu failed", t->total, t->results[BATCH_DONE], failures);
    if (t->merged && t->ended < t->total) fprintf(out, ", %zu missing", t->total - t->ended);
    if (t->before > 0 && !t->merged) fprintf(out, "; %zu of them by runs before", t->before);
    fprintf(out, "\n");
    if (here > 0)
        fprintf(out, "%s, %.1f clips and %.2f MB a second\n", duration(t->seconds, time, sizeof time),
                t->seconds > 0.0 ? (double)here / t->seconds : 0.0,
                t->seconds > 0.0 ? 1e-6 * (double)t->bytes / t->seconds : 0.0);
    say_figures(out, m);
    say_failures(out, m);
    if (failures > FAILURES_SHOWN) fprintf(out, "  and %zu more\n", failures - FAILURES_SHOWN);
    say_missing(out, &rest->missing);
    say_orphans(out, &rest->orphans, t->pruned);
    if (t->part)
        cli_print(out, "%s/manifest*.jsonl has a line for each; a run with --merge makes the page of all\n", folder);
    else
        cli_print(out, "%s/report.html shows them all; %s/manifest*.jsonl has a line for each\n", folder, folder);
}

static void json_figures(json_out* json, const batch_manifest* m)
{
    // Means over clips, the most of any, and counts.
    static const batch_figure means[] = {BATCH_SLIDE_BEFORE, BATCH_SLIDE_AFTER, BATCH_SHARE},
                              mosts[] = {BATCH_SLIDE_MOST_BEFORE, BATCH_SLIDE_MOST, BATCH_DIP_BEFORE, BATCH_DIP_AFTER,
                                         BATCH_UNREACHED_MOST},
                              sums[] = {BATCH_FRAMES, BATCH_UNREACHED};
    for (size_t i = 0; i < sizeof means / sizeof means[0]; ++i)
        json_figure(json, batch_figure_names[means[i]], mean_of(m, means[i]));
    for (size_t i = 0; i < sizeof mosts / sizeof mosts[0]; ++i)
        json_figure(json, batch_figure_names[mosts[i]], most_of(m, mosts[i]));
    for (size_t i = 0; i < sizeof sums / sizeof sums[0]; ++i)
        json_figure(json, batch_figure_names[sums[i]], sum_of(m, sums[i]));
    const over_clips missed = over(m, BATCH_UNREACHED), warnings = warnings_of(m);
    json_figure(json, "unreached_clips", missed.count > 0 ? (double)missed.above : NAN);
    json_figure(json, "warnings", warnings.count > 0 ? warnings.sum : NAN);
}

static void json_rest(json_out* json, const batch_rest* rest)
{
    json_begin(json, "missing_clips", '[');
    for (size_t i = 0; i < rest->missing.count; ++i)
        json_text(json, NULL, rest->missing.words[i]);
    json_end(json, ']');
    json_begin(json, "orphans", '[');
    for (size_t i = 0; i < rest->orphans.count; ++i)
    {
        const batch_orphan* o = rest->orphans.files + i;
        json_begin(json, NULL, '{');
        json_text(json, "path", o->path);
        json_text(json, "input", o->input);
        json_text(json, "why", o->why);
        json_bool(json, "changed", o->changed);
        json_bool(json, "removed", o->removed);
        json_end(json, '}');
    }
    json_end(json, ']');
}

void batch_json_summary(json_out* json, const batch_tally* t, const batch_manifest* m, const batch_rest* rest,
                        const char* folder)
{
    json_begin(json, NULL, '{');
    json_text(json, "output", folder);
    json_int(json, "clips", (long long)t->total);
    json_int(json, "before", (long long)t->before);
    for (int r = 0; r < BATCH_RESULTS; ++r)
        json_int(json, batch_result_names[r], (long long)t->results[r]);
    if (t->merged) json_int(json, "missing", (long long)(t->total - t->ended));
    json_figure(json, "seconds", t->seconds);
    json_int(json, "bytes", (long long)t->bytes);
    json_figures(json, m);
    json_begin(json, "failures", '[');
    for (size_t i = 0; i < m->count; ++i)
    {
        const batch_entry* e = m->entries + i;
        if (e->result == BATCH_DONE) continue;
        json_begin(json, NULL, '{');
        json_text(json, "input", e->name);
        json_text(json, "result", batch_result_names[e->result]);
        json_int(json, "code", e->code);
        json_text(json, "message", e->message);
        json_end(json, '}');
    }
    json_end(json, ']');
    json_rest(json, rest);
    json_end(json, '}');
}

// ---- CSV ----

static void put_cell(cli_text* out, const char* text)
{
    const bool quoted = strpbrk(text, ",\"\r\n") != NULL;
    if (quoted) text_str(out, "\"");
    for (int length; *text != '\0'; text += length > 0 ? length : 1)
    {
        // Tables are UTF-8, whatever names are.
        length = cli_utf8_length(text);
        text_put(out, length > 0 ? text : "\xEF\xBF\xBD", length > 0 ? (size_t)length : 3);
        if (*text == '"') text_str(out, "\"");
    }
    if (quoted) text_str(out, "\"");
}

void batch_put_csv(cli_text* out, const batch_manifest* m)
{
    text_str(out, "input,result,code,output,size,seconds");
    for (int k = 0; k < BATCH_FIGURES; ++k)
        text_fmt(out, ",%s", batch_figure_names[k]);
    text_str(out, ",warnings,message\n");
    for (size_t i = 0; i < m->count; ++i)
    {
        const batch_entry* e = m->entries + i;
        char number[32];
        put_cell(out, e->name);
        text_fmt(out, ",%s,%d,", batch_result_names[e->result], e->code);
        put_cell(out, e->output != NULL ? e->output : "");
        text_fmt(out, ",%llu,%s", (unsigned long long)e->size, cli_number(e->seconds, number));
        // What is not known is blank, and no 0.
        for (int k = 0; k < BATCH_FIGURES; ++k)
        {
            const double value = e->figures.of[k];
            text_fmt(out, ",%s", e->figures.known && !isnan(value) ? cli_number(value, number) : "");
        }
        text_fmt(out, ",%s,", e->warnings == BATCH_NOT_COUNTED ? "" : cli_number(e->warnings, number));
        put_cell(out, e->message != NULL ? e->message : "");
        text_str(out, "\n");
    }
}

#endif
