// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// The page of a batch: one HTML file that stands alone. Figures, distributions, the worst clips and failures by kind
// are drawn here; the table of all clips, which the page's script shows a screenful of, is batch_report_table.c.

#if defined(__linux__) && !defined(_GNU_SOURCE)
#define _GNU_SOURCE
#endif

#include "batch_report.h"

#if BATCH_RUNS

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report.h"
#include "report_style.h"

#define WORST 10
#define KINDS 8
#define KINDS_MOST 200 // that are listed at all
#define NAMED 200

// ---- text ----

void batch_put_address(cli_text* out, const char* path)
{
    for (; *path != '\0'; ++path)
    {
        const unsigned char c = (unsigned char)*path;
        const bool plain =
            (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || strchr("-._~/", c) != NULL;
        text_fmt(out, plain ? "%c" : "%%%02X", c);
    }
}

const char* batch_page_of(const batch_entry* e, const char* folder)
{
    const size_t size = strlen(folder);
    for (size_t i = 0; i < e->beside.count; ++i)
    {
        const char* path = e->beside.words[i];
        const char* ending = strrchr(path, '.');
        if (ending != NULL && strcmp(ending, ".html") == 0 && strncmp(path, folder, size) == 0 && path[size] == '/')
            return path + size + 1;
    }
    return NULL;
}

// Names need be no UTF-8; a page is.
static void put_safe(cli_text* out, const char* text)
{
    char safe[4096];
    put_html(out, cli_safe_utf8(text, safe, sizeof safe));
}

// The folder gives way where there is no room for both.
static void put_parts(cli_text* out, const char* name)
{
    char safe[4096];
    const char* text = cli_safe_utf8(name, safe, sizeof safe);
    const char* slash = strrchr(text, '/');
    cli_text folder = {0};
    if (slash != NULL) text_put(&folder, text, (size_t)(slash + 1 - text));
    text_str(out, "<span class=\"dir\">");
    if (slash != NULL && !folder.failed) put_safe(out, folder.data);
    text_str(out, "</span><span class=\"base\">");
    put_safe(out, slash != NULL ? slash + 1 : text);
    text_str(out, "</span>");
    text_free(&folder);
}

static void put_name(cli_text* out, const batch_entry* e, const char* folder)
{
    const char* page = batch_page_of(e, folder);
    text_str(out, "<div class=\"name\" title=\"");
    put_safe(out, e->name);
    text_str(out, "\">");
    text_str(out, e->output != NULL ? "<a class=\"to\" href=\"" : "<span class=\"to\">");
    if (e->output != NULL)
    {
        batch_put_address(out, e->output);
        text_str(out, "\">");
    }
    put_parts(out, e->name);
    text_str(out, e->output != NULL ? "</a>" : "</span>");
    if (page != NULL)
    {
        text_str(out, "<a class=\"more\" href=\"");
        batch_put_address(out, page);
        text_str(out, "\">page</a>");
    }
    text_str(out, "</div>");
}

double batch_figure_of(const batch_entry* e, batch_figure which)
{
    return batch_has_figures(e) ? e->figures.of[which] : NAN;
}

size_t batch_count_figure(const batch_manifest* m, batch_figure which, size_t* above)
{
    size_t count = 0;
    *above = 0;
    for (size_t i = 0; i < m->count; ++i)
    {
        const double value = batch_figure_of(m->entries + i, which);
        count += isnan(value) ? 0 : 1;
        *above += value > 0.0 ? 1 : 0;
    }
    return count;
}

static bool has(const batch_manifest* m, batch_figure which)
{
    size_t above;
    return batch_count_figure(m, which, &above) > 0;
}

// ---- head ----

static void tile(cli_text* out, const char* label, const char* value, const char* unit, const char* note)
{
    text_fmt(out, "<div class=\"tile\"><p>%s</p><p class=\"big\">%s <small>%s</small></p><p>%s</p></div>", label, value,
             unit, note);
}

static int compare_doubles(const void* a, const void* b)
{
    const double x = *(const double*)a, y = *(const double*)b;
    return (x > y) - (x < y);
}

// Over clips that have the figure; NaN where none has.
static double median_of(const batch_manifest* m, batch_figure which, double* scratch)
{
    size_t count = 0;
    for (size_t i = 0; i < m->count; ++i)
    {
        const double value = batch_figure_of(m->entries + i, which);
        if (!isnan(value)) scratch[count++] = value;
    }
    if (count == 0) return NAN;
    qsort(scratch, count, sizeof *scratch, compare_doubles);
    return scratch[count / 2];
}

static double most_of(const batch_manifest* m, batch_figure which)
{
    double most = NAN;
    for (size_t i = 0; i < m->count; ++i)
    {
        const double value = batch_figure_of(m->entries + i, which);
        if (!isnan(value) && !(most >= value)) most = value;
    }
    return most;
}

const char* batch_group_digits(double value, char* out, size_t capacity)
{
    char digits[32];
    const int size = snprintf(digits, sizeof digits, "%.0f", value);
    size_t used = 0;
    for (int i = 0; i < size && used + 2 < capacity; ++i)
    {
        if (i > 0 && (size - i) % 3 == 0) out[used++] = ',';
        out[used++] = digits[i];
    }
    out[used] = '\0';
    return out;
}

// Wider than a phone: what scrolls is to be reached by keys too.
static void open_table(cli_text* out, const char* css, const char* label)
{
    text_fmt(
        out,
        "<div class=\"tablewrap\" tabindex=\"0\" role=\"region\" aria-label=\"%s\"><table class=\"%s\"><thead><tr>",
        label, css);
}

// Before and after, or the one that there is.
static void pair_tile(cli_text* out, const char* label, double before, double after, const char* unit, const char* note)
{
    char value[256], number[2][32];
    if (isnan(before) && isnan(after)) return;
    if (isnan(before) || isnan(after))
        snprintf(value, sizeof value, "%s", cli_figure(isnan(before) ? after : before, 2, number[0]));
    else
        snprintf(value, sizeof value,
                 "<span class=\"was\">%s</span><span class=\"arrow\">&rarr;</span><span class=\"now\">%s</span>",
                 cli_figure(before, 2, number[0]), cli_figure(after, 2, number[1]));
    tile(out, label, value, unit, note);
}

static void put_motion_tiles(cli_text* out, const batch_manifest* m, double* scratch)
{
    char value[96], note[96], number[32];
    pair_tile(out, "Slide of planted feet, median", median_of(m, BATCH_SLIDE_BEFORE, scratch),
              median_of(m, BATCH_SLIDE_AFTER, scratch), "cm/s", "over clips, each the mean of its feet");
    if (has(m, BATCH_SHARE))
        tile(out, "Feet planted, median", cli_figure(100.0 * median_of(m, BATCH_SHARE, scratch), 1, number), "%",
             "of a clip's frames");
    size_t above;
    const size_t count = batch_count_figure(m, BATCH_UNREACHED, &above);
    if (count > 0)
    {
        batch_group_digits((double)above, value, sizeof value);
        const double most = most_of(m, BATCH_UNREACHED_MOST);
        if (above == 0)
            snprintf(note, sizeof note, "every foot reached its place");
        else if (isnan(most))
            snprintf(note, sizeof note, "have places that were not reached");
        else
            snprintf(note, sizeof note, "have places not reached, by at most %s cm", cli_figure(most, 2, number));
        tile(out, "Not reached", value, above == 1 ? "clip" : "clips", note);
    }
    pair_tile(out, "Feet below the ground, most", most_of(m, BATCH_DIP_BEFORE), most_of(m, BATCH_DIP_AFTER), "cm",
              "the deepest of any clip");
}

static void put_work_tiles(cli_text* out, const batch_manifest* m)
{
    double seconds = 0.0, frames = 0.0, bytes = 0.0, warnings = 0.0;
    size_t warned = 0;
    for (size_t i = 0; i < m->count; ++i)
    {
        const batch_entry* e = m->entries + i;
        const double own = e->figures.known ? e->figures.of[BATCH_FRAMES] : NAN;
        seconds += e->seconds;
        frames += isnan(own) ? 0.0 : own;
        bytes += (double)e->size;
        warnings += e->warnings > 0 ? e->warnings : 0;
        warned += e->warnings > 0 ? 1 : 0;
    }
    char value[96], note[96], number[32];
    if (warned > 0)
    {
        snprintf(note, sizeof note, "in %s clip%s", batch_group_digits((double)warned, number, sizeof number),
                 warned == 1 ? "" : "s");
        tile(out, "Warnings", batch_group_digits(warnings, value, sizeof value), "", note);
    }
    tile(out, "Frames", batch_group_digits(frames, value, sizeof value), "", "of clips that were read");
    const bool giga = bytes >= 1e10;
    tile(out, "Read", cli_figure((giga ? 1e-9 : 1e-6) * bytes, 1, number), giga ? "GB" : "MB", "files as they are");
    if (seconds < 600.0)
        tile(out, "Work", cli_figure(seconds, 1, number), "s", "of all processes");
    else
        tile(out, "Work", cli_figure(seconds / 3600.0, 1, number), "h", "of all processes");
}

static void put_head(cli_text* out, const batch_manifest* m, const char* folder, size_t missing, double* scratch)
{
    size_t done = 0;
    for (size_t i = 0; i < m->count; ++i)
        done += m->entries[i].result == BATCH_DONE ? 1 : 0;
    text_str(out, "<header><p class=\"kicker\">Surefoot batch, <b>");
    put_safe(out, folder);
    char number[4][48];
    text_fmt(out, "</b></p><h1>%s clips: %s done, %s not",
             batch_group_digits((double)m->count, number[0], sizeof number[0]),
             batch_group_digits((double)done, number[1], sizeof number[1]),
             batch_group_digits((double)(m->count - done), number[2], sizeof number[2]));
    if (missing > 0)
        text_fmt(out, ", and %s missing", batch_group_digits((double)missing, number[3], sizeof number[3]));
    text_str(out, "</h1><div class=\"tiles\">");
    put_motion_tiles(out, m, scratch);
    put_work_tiles(out, m);
    text_str(out, "</div></header>");
}

// ---- worst and failed ----

typedef struct ranked
{
    const batch_entry* entry;
    double value;
} ranked;

static int by_value(const void* a, const void* b)
{
    const ranked *x = a, *y = b;
    if (x->value != y->value) return (x->value < y->value) - (x->value > y->value);
    return strcmp(x->entry->name, y->entry->name);
}

typedef struct column
{
    const char* head;
    batch_figure which;
    int digits;
    const char* css;
} column;

typedef struct ranking
{
    const char *title, *note;
    batch_figure by;
    double least; // that is worth a place [the figure's unit]
    column columns[3];
} ranking;

static void put_ranking(cli_text* out, const batch_manifest* m, const ranking* r, ranked* list, const char* folder)
{
    size_t count = 0;
    for (size_t i = 0; i < m->count; ++i)
    {
        const double value = batch_figure_of(m->entries + i, r->by);
        if (value > r->least) list[count++] = (ranked){m->entries + i, value};
    }
    if (count == 0) return;
    qsort(list, count, sizeof *list, by_value);
    text_fmt(out, "<section><h2>%s</h2><p class=\"note\">%s</p>", r->title, r->note);
    open_table(out, "worst", r->title);
    text_str(out, "<th>clip</th>");
    for (int k = 0; k < 3; ++k)
        if (r->columns[k].head != NULL) text_fmt(out, "<th>%s</th>", r->columns[k].head);
    text_str(out, "</tr></thead><tbody>");
    for (size_t i = 0; i < count && i < WORST; ++i)
    {
        text_str(out, "<tr><td>");
        put_name(out, list[i].entry, folder);
        text_str(out, "</td>");
        for (int k = 0; k < 3; ++k)
        {
            const column* c = r->columns + k;
            char number[32];
            if (c->head == NULL) continue;
            const double value = batch_figure_of(list[i].entry, c->which);
            text_fmt(out, "<td class=\"%s\">%s</td>", c->css, isnan(value) ? "" : cli_figure(value, c->digits, number));
        }
        text_str(out, "</tr>");
    }
    text_str(out, "</tbody></table></div></section>");
}

static void put_worst(cli_text* out, const batch_manifest* m, ranked* list, const char* folder)
{
    static const ranking written[] = {
        {"Where feet still slide most",
         "By the largest slide of a planted foot as written, cm/s.",
         BATCH_SLIDE_MOST,
         1e-3,
         {{"mean before", BATCH_SLIDE_BEFORE, 2, "was"},
          {"mean after", BATCH_SLIDE_AFTER, 3, "now"},
          {"most after", BATCH_SLIDE_MOST, 3, "now"}}},
        {"Where most was not reached",
         "By the frames in which a foot missed its place.",
         BATCH_UNREACHED,
         0.0,
         {{"missed frames", BATCH_UNREACHED, 0, "now"},
          {"of", BATCH_FRAMES, 0, ""},
          {"by, cm", BATCH_UNREACHED_MOST, 2, "now"}}},
        {"Deepest below the ground",
         "By the deepest point of a foot as written, cm.",
         BATCH_DIP_AFTER,
         0.01,
         {{"before", BATCH_DIP_BEFORE, 2, "was"}, {"after", BATCH_DIP_AFTER, 2, "now"}, {0}}}};
    static const ranking looked[] = {
        {"Where feet slide most",
         "By the largest slide of a planted foot, cm/s.",
         BATCH_SLIDE_MOST_BEFORE,
         1e-3,
         {{"mean", BATCH_SLIDE_BEFORE, 2, "now"}, {"most", BATCH_SLIDE_MOST_BEFORE, 2, "now"}, {0}}},
        {"Deepest below the ground",
         "By the deepest point of a foot, cm.",
         BATCH_DIP_BEFORE,
         0.01,
         {{"below", BATCH_DIP_BEFORE, 2, "now"}, {0}, {0}}}};
    const bool after = has(m, BATCH_SLIDE_AFTER) || has(m, BATCH_DIP_AFTER);
    const ranking* all = after ? written : looked;
    text_str(out, "<div class=\"pairs\">");
    for (size_t i = 0; i < (after ? 3u : 2u); ++i)
        put_ranking(out, m, all + i, list, folder);
    text_str(out, "</div>");
}

// What a message says without the names of files before it: failures of one kind say the same.
static const char* kind_of(const batch_entry* e)
{
    const char* message = e->message != NULL ? e->message : "";
    const char* colon = message;
    const size_t ending = strlen(e->name);
    // "takes/a.bvh:12: joint: what is wrong": after the file and its line.
    for (const char* at = message; (at = strstr(at, e->name)) != NULL; at += ending)
        colon = at + ending;
    while (*colon == ':' || *colon == ' ' || (colon > message && *colon >= '0' && *colon <= '9'))
        ++colon;
    // Which of the feet fails a check is no kind of its own.
    const char* foot = e->code == EXIT_CHECK && e->result == BATCH_FAILED ? strstr(colon, ": ") : NULL;
    if (foot != NULL) colon = foot + 2;
    return *colon != '\0' ? colon : message;
}

// Messages of one kind differ in numbers.
static int compare_kinds(const char* a, const char* b)
{
    for (;; ++a, ++b)
    {
        while (*a >= '0' && *a <= '9' && a[1] >= '0' && a[1] <= '9')
            ++a;
        while (*b >= '0' && *b <= '9' && b[1] >= '0' && b[1] <= '9')
            ++b;
        const bool numbers = *a >= '0' && *a <= '9' && *b >= '0' && *b <= '9';
        if (*a != *b && !numbers) return (unsigned char)*a < (unsigned char)*b ? -1 : 1;
        if (*a == '\0') return 0;
    }
}

static int by_kind(const void* a, const void* b)
{
    const batch_entry *x = *(const batch_entry*const*)a, *y = *(const batch_entry*const*)b;
    if (x->result != y->result) return x->result < y->result ? -1 : 1;
    const int kinds = compare_kinds(kind_of(x), kind_of(y));
    return kinds != 0 ? kinds : strcmp(x->name, y->name);
}

typedef struct kind
{
    const batch_entry* first;
    size_t count;
} kind;

static int by_count(const void* a, const void* b)
{
    const kind *x = a, *y = b;
    if (x->count != y->count) return x->count > y->count ? -1 : 1;
    return by_kind(&x->first, &y->first);
}

static void put_kinds(cli_text* out, const kind* kinds, size_t count)
{
    open_table(out, "misses", "Not done");
    text_str(out, "<th>result</th><th>what was said</th><th>clips</th><th>the first</th></tr></thead><tbody>");
    for (size_t i = 0; i < count; ++i)
    {
        const batch_entry* e = kinds[i].first;
        text_fmt(out, "<tr><td>%s</td><td class=\"said\">", batch_result_names[e->result]);
        put_safe(out, kind_of(e));
        text_fmt(out, "</td><td>%zu</td><td><div class=\"name\" title=\"", kinds[i].count);
        put_safe(out, e->name);
        text_str(out, "\"><span class=\"to\">");
        put_parts(out, e->name);
        text_str(out, "</span></div></td></tr>");
    }
    text_str(out, "</tbody></table></div>");
}

static void put_failures(cli_text* out, const batch_manifest* m, const batch_entry** list, kind* kinds)
{
    size_t count = 0, found = 0;
    for (size_t i = 0; i < m->count; ++i)
        if (m->entries[i].result != BATCH_DONE) list[count++] = m->entries + i;
    if (count == 0) return;
    qsort(list, count, sizeof(const batch_entry*), by_kind);
    for (size_t i = 0; i < count; ++i)
    {
        const bool same = i > 0 && list[i - 1]->result == list[i]->result &&
                          compare_kinds(kind_of(list[i - 1]), kind_of(list[i])) == 0;
        if (!same) kinds[found++] = (kind){list[i], 0};
        ++kinds[found - 1].count;
    }
    qsort(kinds, found, sizeof *kinds, by_count);
    text_str(out, "<section><h2>Not done</h2><p class=\"note\">By kind; the table below has each.</p>");
    put_kinds(out, kinds, found < KINDS ? found : KINDS);
    if (found > KINDS)
    {
        const size_t more = found - KINDS < KINDS_MOST ? found - KINDS : KINDS_MOST;
        text_fmt(out, "<details><summary>%zu kinds more</summary>", found - KINDS);
        put_kinds(out, kinds + KINDS, more);
        text_str(out, "</details>");
    }
    text_str(out, "</section>");
}

// ---- what is not there, and what should not be ----

static void put_missing(cli_text* out, const batch_words* missing)
{
    if (missing->count == 0) return;
    text_fmt(out,
             "<section><h2>Missing</h2><p class=\"note\">%zu clips of shards that did not come to their end, or that "
             "changed "
             "since; the same command does them.</p><ul class=\"names\">",
             missing->count);
    for (size_t i = 0; i < missing->count && i < NAMED; ++i)
    {
        text_str(out, "<li>");
        put_safe(out, missing->words[i]);
        text_str(out, "</li>");
    }
    text_str(out, "</ul>");
    if (missing->count > NAMED) text_fmt(out, "<p class=\"note\">And %zu more.</p>", missing->count - NAMED);
    text_str(out, "</section>");
}

static void put_orphans(cli_text* out, const batch_orphans* orphans)
{
    if (orphans->count == 0) return;
    text_fmt(out,
             "<section><h2>Of earlier runs</h2><p class=\"note\">%zu file%s that this batch makes no more; --prune "
             "removes what "
             "is as it was written.</p>",
             orphans->count, orphans->count == 1 ? "" : "s");
    open_table(out, "misses", "Of earlier runs");
    text_str(out, "<th>file</th><th>why</th><th></th></tr></thead><tbody>");
    for (size_t i = 0; i < orphans->count && i < NAMED; ++i)
    {
        const batch_orphan* o = orphans->files + i;
        text_str(out, "<tr><td>");
        put_safe(out, o->path);
        text_fmt(out, "</td><td>%s</td><td>%s</td></tr>", o->why,
                 o->removed   ? "removed"
                 : o->changed ? "changed since it was written"
                              : "left");
    }
    text_str(out, "</tbody></table></div>");
    if (orphans->count > NAMED) text_fmt(out, "<p class=\"note\">And %zu more.</p>", orphans->count - NAMED);
    text_str(out, "</section>");
}

// ---- all ----

static const char css_more[] =
    // The colour of what was before, dark enough to be read at the size of text.
    ":root{--was:#a84600}@media(prefers-color-scheme:dark){:root{--was:var(--before)}}td.was{color:var(--was)}"
    "a{color:var(--after)}.said{white-space:normal;min-width:18em}"
    ".pairs{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(100%,440px),1fr));gap:20px;margin:0 0 20px}"
    ".pairs:empty{display:none}.pairs>:last-child:nth-child(odd){grid-column:1/-1}.pairs section{margin:0;min-width:0}"
    ".plot{position:relative;display:flex;height:170px;margin-left:44px;border-bottom:1px solid var(--soft)}"
    ".plot .keys{position:absolute;right:0;top:-4px;z-index:1;margin:0}"
    ".plot u{position:absolute;left:0;right:0;border-top:1px solid var(--line);text-decoration:none}"
    ".plot u b{position:absolute;right:100%;top:-9px;padding-right:7px;font:11.5px/18px inherit;font-size:11.5px;"
    "line-height:18px;font-weight:400;color:var(--soft)}"
    ".bin{position:relative;flex:1;display:flex;align-items:flex-end;gap:1px;padding:0 "
    "clamp(1px,.35vw,4px)}"
    ".bin:hover{background:var(--good)}.bin i{flex:1;border-radius:2px 2px 0 0}.bin .b{background:var(--before)}"
    ".bin .a{background:var(--after)}"
    ".axis{position:relative;height:22px;margin-left:44px;font-size:11.5px;color:var(--soft)}.axis span{position:"
    "absolute;top:4px;transform:translateX(-50%);white-space:nowrap}"
    "section>.keys i{border-top-width:9px;width:9px;vertical-align:0}"
    ".name{display:flex;align-items:baseline;gap:8px;min-width:0}.name .to{display:flex;min-width:0;overflow:hidden}"
    ".name .dir{flex:1 1 "
    "0;min-width:1.2em;max-width:max-content;overflow:hidden;text-overflow:ellipsis;white-space:nowrap}"
    ".name .dir:empty{display:none}.name .base{flex:0 1 auto;min-width:0;"
    "overflow:hidden;text-overflow:ellipsis;white-space:nowrap}"
    ".name .more{flex:none;font-size:12.5px}"
    ".worst{table-layout:fixed;min-width:400px}.worst th{white-space:normal;vertical-align:bottom}.worst "
    "th:first-child,.worst "
    "td:first-child{width:52%;min-width:0}"
    "@media(max-width:560px){.tiles{grid-template-columns:1fr 1fr}.tile{padding:13px 14px "
    "12px}.worst{min-width:330px}.worst th:first-child,.worst td:first-child{width:40%}}"
    "details{margin-top:10px}summary{cursor:pointer;color:var(--soft);font-size:14px}"
    ".misses .name{max-width:22em}.names{columns:3 240px;margin:0;padding:0;list-style:none;font-size:14px}.names "
    "li{overflow-wrap:anywhere}";

bool batch_put_report(cli_text* out, const batch_manifest* m, const batch_rest* rest, const char* folder,
                      size_t missing)
{
    const batch_entry** list = malloc((m->count + 1) * sizeof *list);
    ranked* worst = malloc((m->count + 1) * sizeof *worst);
    double* scratch = malloc((m->count + 1) * sizeof *scratch);
    kind* kinds = malloc((m->count + 1) * sizeof *kinds);
    const bool room = list != NULL && worst != NULL && scratch != NULL && kinds != NULL;
    if (room)
    {
        text_str(out, "<!doctype html><html lang=\"en\"><head><meta charset=\"utf-8\"><meta name=\"viewport\" "
                      "content=\"width=device-width,initial-scale=1\"><title>Surefoot batch</title><style>");
        for (size_t i = 0; i < report_css_count; ++i)
            text_str(out, report_css[i]);
        text_fmt(out, "%s%s</style></head><body><main>", css_more, batch_table_css);
        put_head(out, m, folder, missing, scratch);
        put_failures(out, m, list, kinds);
        put_missing(out, &rest->missing);
        batch_put_distributions(out, m);
        put_worst(out, m, worst, folder);
        put_orphans(out, &rest->orphans);
        batch_put_table(out, m, folder);
        text_str(out, "</main></body></html>\n");
    }
    free(list);
    free(worst);
    free(scratch);
    free(kinds);
    return room && !out->failed;
}

#endif
