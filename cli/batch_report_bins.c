// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// Distributions on a batch's page: how many clips have how much of a figure, as bars that are elements of the page and
// fit any width.

#if defined(__linux__) && !defined(_GNU_SOURCE)
#define _GNU_SOURCE
#endif

#include "batch_report.h"

#if BATCH_RUNS

#include <math.h>
#include <string.h>

#define BINS_MOST 20
#define BINS_LEAST 6 // that are drawn

// Half decades from `lo` on: what is below is in the first bin, what is above in the last; or `bins` equal parts of 0
// to 1 where lo is 0.
typedef struct scale
{
    double lo;
    int bins;
    const char* zero; // what the first bin is called
    double factor;    // of values for people
    const char* unit; // behind each
} scale;

// Where a bin begins.
static double edge_of(const scale* s, int bin)
{
    if (s->lo == 0.0) return (double)bin / s->bins;
    if (bin == 0) return 0.0;
    double edge = (bin - 1) % 2 == 0 ? s->lo : s->lo * 3.1622776601683795;
    for (int i = 2; i < bin; i += 2)
        edge *= 10.0;
    return edge;
}

static int bin_of(const scale* s, double value)
{
    int bin = 0;
    while (bin < s->bins - 1 && value >= edge_of(s, bin + 1))
        ++bin;
    return bin;
}

static size_t count_bins(const batch_manifest* m, const scale* s, batch_figure which, size_t* counts)
{
    size_t most = 0;
    for (size_t i = 0; i < m->count && which != BATCH_FIGURES; ++i)
    {
        const double value = batch_figure_of(m->entries + i, which);
        if (isnan(value)) continue;
        size_t* count = counts + bin_of(s, value);
        most = ++*count > most ? *count : most;
    }
    return most;
}

static void put_grid(cli_text* out, size_t most)
{
    // One, two or five times a power of ten, so that there are two to five lines.
    double step = 1.0;
    for (int i = 0; (double)most / step > 5.0; ++i)
        step *= i % 3 == 1 ? 2.5 : 2.0;
    char number[48];
    for (double at = step; at <= (double)most; at += step)
        text_fmt(out, "<u style=\"bottom:%.1f%%\"><b>%s</b></u>", 92.0 * at / (double)most,
                 batch_group_digits(at, number, sizeof number));
}

static void put_bar(cli_text* out, size_t count, size_t most, const char* css)
{
    // One clip of many is to be seen too.
    text_fmt(out, "<i class=\"%s\" style=\"height:%.1f%%\"></i>", css,
             count > 0 ? sft_maxd(1.5, 92.0 * (double)count / (double)most) : 0.0);
}

static const char* edge_name(double edge, char out[32])
{
    if (edge >= 1e6)
        snprintf(out, 32, "%.0fM", 1e-6 * edge);
    else if (edge >= 1e3)
        snprintf(out, 32, "%.4gk", 1e-3 * edge);
    else
        snprintf(out, 32, "%.3g", edge);
    return out;
}

static void put_bin_title(cli_text* out, const scale* s, int bin, bool last)
{
    char low[32], high[32];
    const char *from = edge_name(s->factor * edge_of(s, bin), low),
               *to = edge_name(s->factor * edge_of(s, bin + 1), high);
    if (bin == 0 && s->lo > 0.0)
        text_str(out, s->zero);
    else if (last && s->lo > 0.0)
        text_fmt(out, "%s%s and more", from, s->unit);
    else
        text_fmt(out, "%s to %s%s", from, to, s->unit);
}

static void put_axis(cli_text* out, const scale* s)
{
    char number[32];
    const bool parts = s->lo == 0.0;
    text_str(out, "<div class=\"axis\">");
    if (!parts) text_fmt(out, "<span style=\"left:%.2f%%\">%s</span>", 50.0 / s->bins, s->zero);
    // Every fifth of the whole, or every decade.
    for (int bin = parts ? 0 : 3; bin <= s->bins - (parts ? 0 : 1); bin += parts ? s->bins / 5 : 2)
        text_fmt(out, "<span style=\"left:%.2f%%\">%s%s</span>", 100.0 * bin / s->bins,
                 edge_name(s->factor * edge_of(s, bin), number), parts ? s->unit : "");
    text_str(out, "</div>");
}

typedef struct distribution
{
    const char *title, *note;
    batch_figure before, after; // BATCH_FIGURES: none
    scale scale;
} distribution;

static void put_distribution(cli_text* out, const batch_manifest* m, const distribution* d)
{
    size_t before[BINS_MOST] = {0}, after[BINS_MOST] = {0};
    const size_t a = count_bins(m, &d->scale, d->before, before), b = count_bins(m, &d->scale, d->after, after);
    const size_t most = a > b ? a : b;
    if (most == 0) return;
    const bool both = a > 0 && b > 0;
    // Decades that no clip comes to are left out.
    scale shown = d->scale;
    while (shown.lo > 0.0 && shown.bins > BINS_LEAST && before[shown.bins - 1] + after[shown.bins - 1] == 0)
        --shown.bins;
    text_fmt(
        out,
        "<section><h2>%s</h2><p class=\"note\">%s</p>%s<div class=\"plot\" role=\"img\" aria-label=\"%s: clips%s\">",
        d->title, d->note,
        both ? "<ul class=\"keys\"><li class=\"b\"><i></i>before</li><li class=\"a\"><i></i>after</li></ul>" : "",
        d->title, both ? ", before and after" : "");
    put_grid(out, most);
    for (int i = 0; i < shown.bins; ++i)
    {
        text_str(out, "<div class=\"bin\" title=\"");
        put_bin_title(out, &shown, i, i == d->scale.bins - 1);
        if (both)
            text_fmt(out, ": %zu before, %zu after\">", before[i], after[i]);
        else
            text_fmt(out, ": %zu\">", before[i] + after[i]);
        if (a > 0) put_bar(out, before[i], most, both ? "b" : "a");
        if (b > 0) put_bar(out, after[i], most, "a");
        text_str(out, "</div>");
    }
    text_str(out, "</div>");
    put_axis(out, &shown);
    text_str(out, "</section>");
}

void batch_put_distributions(cli_text* out, const batch_manifest* m)
{
    static const distribution all[] = {
        {"Slide of planted feet",
         "Clips by the mean slide of their planted feet, cm/s; half decades.",
         BATCH_SLIDE_BEFORE,
         BATCH_SLIDE_AFTER,
         {1e-3, 14, "&lt; 0.001", 1.0, " cm/s"}},
        {"Contact",
         "Clips by the share of frames in which a foot is planted, mean of its feet.",
         BATCH_FIGURES,
         BATCH_SHARE,
         {0.0, 20, "", 100.0, " %"}},
        {"Not reached",
         "Clips by the frames in which a foot missed its place, each foot for itself; half decades.",
         BATCH_FIGURES,
         BATCH_UNREACHED,
         {1.0, 10, "none", 1.0, " frames"}},
        {"Below the ground",
         "Clips by how deep a foot goes at most, cm; half decades.",
         BATCH_DIP_BEFORE,
         BATCH_DIP_AFTER,
         {1e-3, 12, "&lt; 0.001", 1.0, " cm"}},
        {"Length",
         "Clips by their frames; half decades.",
         BATCH_FIGURES,
         BATCH_FRAMES,
         {1.0, 13, "none", 1.0, " frames"}}};
    text_str(out, "<div class=\"pairs\">");
    for (size_t i = 0; i < sizeof all / sizeof all[0]; ++i)
    {
        size_t missed;
        // One bar of all says no more than the figure above.
        if (all[i].after == BATCH_UNREACHED && (batch_count_figure(m, BATCH_UNREACHED, &missed) == 0 || missed == 0))
            continue;
        put_distribution(out, m, all + i);
    }
    text_str(out, "</div>");
}

#endif
