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

// NaN where no clip has the figure.
typedef struct means
{
    double before, after, most, share;
} means;

typedef struct mean
{
    double sum, count;
} mean;

static void add_to(mean* m, double value)
{
    if (isnan(value)) return;
    m->sum += value;
    m->count += 1.0;
}

static double mean_value(const mean* m)
{
    return m->count > 0.0 ? m->sum / m->count : NAN;
}

static means mean_of(const batch_manifest* m)
{
    mean before = {0}, after = {0}, share = {0};
    double most = NAN;
    for (size_t i = 0; i < m->count; ++i)
    {
        const batch_figures* f = &m->entries[i].figures;
        if (!batch_has_figures(m->entries + i)) continue;
        add_to(&before, f->slide_before);
        add_to(&after, f->slide_after);
        add_to(&share, f->contact_share);
        most = isnan(most) || f->slide_most > most ? f->slide_most : most;
    }
    return (means){mean_value(&before), mean_value(&after), most, mean_value(&share)};
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

void batch_say_summary(FILE* out, const batch_tally* t, const batch_manifest* m, const char* folder)
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
    const means f = mean_of(m);
    if (f.share > 0.0) fprintf(out, "feet are planted in %.1f %% of the frames\n", 100.0 * f.share);
    if (!isnan(f.after))
        fprintf(out, "slide of planted feet, mean over clips: %.3f cm/s before, %.3f after, most %.3f\n", f.before,
                f.after, f.most);
    else if (!isnan(f.before))
        fprintf(out, "slide of planted feet, mean over clips: %.3f cm/s\n", f.before);
    if (t->merged && t->ended < t->total)
        fprintf(out, "those missing are of shards that did not come to their end; the same command does them\n");
    say_failures(out, m);
    if (failures > FAILURES_SHOWN) fprintf(out, "  and %zu more\n", failures - FAILURES_SHOWN);
    if (t->part)
        cli_print(out, "%s/manifest*.jsonl has a line for each; a run with --merge makes the page of all\n", folder);
    else
        cli_print(out, "%s/report.html shows them all; %s/manifest*.jsonl has a line for each\n", folder, folder);
}

void batch_json_summary(json_out* json, const batch_tally* t, const batch_manifest* m, const char* folder)
{
    const means f = mean_of(m);
    json_begin(json, NULL, '{');
    json_text(json, "output", folder);
    json_int(json, "clips", (long long)t->total);
    json_int(json, "before", (long long)t->before);
    for (int r = 0; r < BATCH_RESULTS; ++r)
        json_int(json, batch_result_names[r], (long long)t->results[r]);
    if (t->merged) json_int(json, "missing", (long long)(t->total - t->ended));
    json_figure(json, "seconds", t->seconds);
    json_int(json, "bytes", (long long)t->bytes);
    json_figure(json, "slide_before_cm_s", f.before);
    json_figure(json, "slide_after_cm_s", f.after);
    json_figure(json, "slide_after_max_cm_s", f.most);
    json_figure(json, "contact_share", f.share);
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
    text_str(out, "input,result,code,output,size,seconds,frames,clips,slide_before_cm_s,slide_after_cm_s,"
                  "slide_after_max_cm_s,contact_share,message\n");
    for (size_t i = 0; i < m->count; ++i)
    {
        const batch_entry* e = m->entries + i;
        const batch_figures* f = &e->figures;
        const double columns[6] = {f->frames,      f->clips,      f->slide_before,
                                   f->slide_after, f->slide_most, f->contact_share};
        char number[32];
        put_cell(out, e->name);
        text_fmt(out, ",%s,%d,", batch_result_names[e->result], e->code);
        put_cell(out, e->output != NULL ? e->output : "");
        text_fmt(out, ",%llu,%s", (unsigned long long)e->size, cli_number(e->seconds, number));
        for (int k = 0; k < 6; ++k)
            text_fmt(out, ",%s", f->known && !isnan(columns[k]) ? cli_number(columns[k], number) : "");
        text_str(out, ",");
        put_cell(out, e->message != NULL ? e->message : "");
        text_str(out, "\n");
    }
}

#endif
