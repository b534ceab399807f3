// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// The page of a batch: one HTML file that stands alone. Distributions, the worst clips and failures by kind are drawn
// here; the table of all clips is data that the page's script shows a screenful of, so that a hundred thousand scroll.

#if defined(__linux__) && !defined(_GNU_SOURCE)
#define _GNU_SOURCE
#endif

#include "batch.h"

#if BATCH_RUNS

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report.h"
#include "report_style.h"

#define WORST 20
#define KINDS 20
#define BINS 13
#define SHARES 20

// ---- text ----

static void put_address(cli_text* out, const char* path)
{
    for (; *path != '\0'; ++path)
    {
        const unsigned char c = (unsigned char)*path;
        const bool plain =
            (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || strchr("-._~/", c) != NULL;
        text_fmt(out, plain ? "%c" : "%%%02X", c);
    }
}

static void put_name(cli_text* out, const batch_entry* e)
{
    if (e->output != NULL)
    {
        text_str(out, "<a href=\"");
        put_address(out, e->output);
        text_str(out, "\">");
    }
    put_html(out, e->name);
    if (e->output != NULL) text_str(out, "</a>");
}

// A JSON text inside a script element: nothing in it may end that.
static void put_json_text(cli_text* out, const char* text)
{
    char safe[4096];
    text_str(out, "\"");
    for (const char* p = cli_safe_utf8(text, safe, sizeof safe); *p != '\0'; ++p)
    {
        const unsigned char c = (unsigned char)*p;
        if (c < 0x20 || c == '"' || c == '\\' || c == '<' || c == '>' || c == '&')
            text_fmt(out, "\\u%04x", (unsigned)c);
        else
            text_put(out, p, 1);
    }
    text_str(out, "\"");
}

static bool has_slide(const batch_entry* e)
{
    return batch_has_figures(e) && (e->figures.slide_before > 0.0 || e->figures.slide_after > 0.0);
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

// Median of a figure over clips that have one; negative where none has.
static double median_slide(const batch_manifest* m, bool after, double* scratch)
{
    size_t count = 0;
    for (size_t i = 0; i < m->count; ++i)
    {
        const batch_figures* f = &m->entries[i].figures;
        const double slide = after ? f->slide_after : f->slide_before;
        if (has_slide(m->entries + i) && !isnan(slide)) scratch[count++] = slide;
    }
    if (count == 0) return -1.0;
    qsort(scratch, count, sizeof *scratch, compare_doubles);
    return scratch[count / 2];
}

static void put_head(cli_text* out, const batch_manifest* m, const char* folder, size_t missing, double* scratch)
{
    size_t results[BATCH_RESULTS] = {0};
    double seconds = 0.0, frames = 0.0, bytes = 0.0;
    for (size_t i = 0; i < m->count; ++i)
    {
        ++results[m->entries[i].result];
        seconds += m->entries[i].seconds;
        frames += m->entries[i].figures.frames;
        bytes += (double)m->entries[i].size;
    }
    char value[96], number[2][32];
    text_str(out, "<header><p class=\"kicker\">Surefoot batch, <b>");
    put_html(out, folder);
    text_fmt(out, "</b></p><h1>%zu clips: %zu done, %zu not", m->count, results[BATCH_DONE],
             m->count - results[BATCH_DONE]);
    if (missing > 0) text_fmt(out, ", and %zu missing", missing);
    text_str(out, "</h1><div class=\"tiles\">");
    const double before = median_slide(m, false, scratch), after = median_slide(m, true, scratch);
    if (before >= 0.0 && after < 0.0)
        tile(out, "Slide of planted feet, median", cli_figure(before, 2, number[0]), "cm/s",
             "over clips, each the mean of its feet");
    else if (before >= 0.0)
    {
        snprintf(value, sizeof value,
                 "<span class=\"was\">%s</span><span class=\"arrow\">&rarr;</span><span class=\"now\">%s"
                 "</span>",
                 cli_figure(before, 2, number[0]), cli_figure(after, 2, number[1]));
        tile(out, "Slide of planted feet, median", value, "cm/s", "over clips, each the mean of its feet");
    }
    snprintf(value, sizeof value, "%.0f", frames);
    tile(out, "Frames", value, "", "of clips that were read");
    snprintf(value, sizeof value, "%s", cli_figure(1e-6 * bytes, 1, number[0]));
    tile(out, "Read", value, "MB", "files as they are");
    snprintf(value, sizeof value, "%s", cli_figure(seconds, 1, number[0]));
    tile(out, "Work", value, "s", "of all processes");
    text_str(out, "</div></header>");
}

// ---- distributions ----

// Half decades from 0.001 to 1000 cm/s; what is below is in the first.
static int bin_of(double slide)
{
    int bin = 0;
    for (double edge = 1e-3; bin < BINS - 1 && slide >= edge; ++bin)
        edge *= 3.1622776601683795;
    return bin;
}

static void put_bars(cli_text* out, const size_t* counts, int bins, size_t most, double shift, double width,
                     const char* css)
{
    for (int i = 0; i < bins; ++i)
    {
        if (counts[i] == 0) continue;
        const double h = sft_maxd(2.0, 140.0 * (double)counts[i] / (double)most);
        const double x = 1000.0 * (i + shift) / bins, w = 1000.0 * width / bins;
        text_fmt(
            out,
            "<rect class=\"%s\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\"/><text class=\"tick\" x=\"%.1f\" "
            "y=\"%.1f\">%zu</text>",
            css, x, 160.0 - h, w, h, x + 0.5 * w, 155.0 - h, counts[i]);
    }
}

static size_t most_of(const size_t* counts, int bins, size_t most)
{
    for (int i = 0; i < bins; ++i)
        most = counts[i] > most ? counts[i] : most;
    return most;
}

static void put_slides(cli_text* out, const batch_manifest* m)
{
    size_t before[BINS] = {0}, after[BINS] = {0};
    for (size_t i = 0; i < m->count; ++i)
    {
        if (!has_slide(m->entries + i)) continue;
        const batch_figures* f = &m->entries[i].figures;
        if (!isnan(f->slide_before)) ++before[bin_of(f->slide_before)];
        if (!isnan(f->slide_after)) ++after[bin_of(f->slide_after)];
    }
    const size_t most = most_of(after, BINS, most_of(before, BINS, 0));
    if (most == 0) return;
    const bool written = most_of(after, BINS, 0) > 0; // not only looked at
    text_fmt(
        out,
        "<section><h2>Slide of planted feet</h2><p class=\"note\">Clips by their mean slide, cm/s; the axis goes by "
        "half decades, and what is below 0.001 is at its left end.</p>%s<div class=\"pan\"><svg viewBox=\"-20 0 1040 "
        "184\" role=\"img\" "
        "aria-label=\"Clips by slide%s\">",
        written ? "<ul class=\"keys\"><li class=\"b\"><i></i>before</li><li class=\"a\"><i></i>after</li></ul>" : "",
        written ? ", before and after" : "");
    put_bars(out, before, BINS, most, 0.12, 0.37, "span before");
    put_bars(out, after, BINS, most, 0.51, 0.37, "span after");
    static const char* const edges[] = {"0.001", "0.01", "0.1", "1", "10", "100", "1000"};
    for (int i = 0; i < 7; ++i)
        text_fmt(out, "<text class=\"tick\" x=\"%.1f\" y=\"178\">%s</text>", 1000.0 * (1 + 2 * i) / BINS - 1.0,
                 edges[i]);
    text_str(out, "<line class=\"ground\" x1=\"0\" x2=\"1000\" y1=\"160\" y2=\"160\"/></svg></div></section>");
}

static void put_shares(cli_text* out, const batch_manifest* m)
{
    size_t counts[SHARES] = {0};
    for (size_t i = 0; i < m->count; ++i)
    {
        const batch_figures* f = &m->entries[i].figures;
        if (!batch_has_figures(m->entries + i) || !(f->contact_share > 0.0)) continue;
        const int bin = (int)(f->contact_share * SHARES);
        ++counts[bin < SHARES ? bin : SHARES - 1];
    }
    const size_t most = most_of(counts, SHARES, 0);
    if (most == 0) return;
    text_str(
        out,
        "<section><h2>Contact</h2><p class=\"note\">Clips by the share of frames in which a foot is planted, mean of "
        "its feet.</p><div class=\"pan\"><svg viewBox=\"-20 0 1040 184\" role=\"img\" aria-label=\"Clips by contact "
        "share\">");
    put_bars(out, counts, SHARES, most, 0.08, 0.84, "span after");
    for (int i = 0; i <= 10; ++i)
        text_fmt(out, "<text class=\"tick\" x=\"%d\" y=\"178\">%d %%</text>", 100 * i, 10 * i);
    text_str(out, "<line class=\"ground\" x1=\"0\" x2=\"1000\" y1=\"160\" y2=\"160\"/></svg></div></section>");
}

// ---- worst and failed ----

// The largest as written, or the mean of what is only looked at.
static double worst_slide(const batch_entry* e)
{
    return isnan(e->figures.slide_most) ? e->figures.slide_before : e->figures.slide_most;
}

static const char* figure_or_none(double value, int digits, char* out)
{
    return isnan(value) ? "" : cli_figure(value, digits, out);
}

static int by_slide_after(const void* a, const void* b)
{
    const batch_entry *x = *(const batch_entry*const*)a, *y = *(const batch_entry*const*)b;
    const double first = worst_slide(x), second = worst_slide(y);
    if (first != second) return (first < second) - (first > second);
    return strcmp(x->name, y->name);
}

static void put_worst(cli_text* out, const batch_manifest* m, const batch_entry** list)
{
    size_t count = 0;
    for (size_t i = 0; i < m->count; ++i)
        if (has_slide(m->entries + i)) list[count++] = m->entries + i;
    if (count == 0) return;
    qsort(list, count, sizeof(const batch_entry*), by_slide_after);
    bool written = false;
    for (size_t i = 0; i < count && !written; ++i)
        written = !isnan(list[i]->figures.slide_most);
    text_fmt(out,
             "<section><h2>Where feet %sslide most</h2><p class=\"note\">The %zu clips with the largest %s.</p><div "
             "class=\"tablewrap\"><table><thead><tr><th>clip</th><th>mean before, "
             "cm/s</th><th>mean after</th><th>most after</th></tr></thead><tbody>",
             written ? "still " : "", count < WORST ? count : (size_t)WORST,
             written ? "slide of a planted foot as written" : "mean slide");
    for (size_t i = 0; i < count && i < WORST; ++i)
    {
        const batch_figures* f = &list[i]->figures;
        char number[3][32];
        text_str(out, "<tr><td>");
        put_name(out, list[i]);
        text_fmt(out, "</td><td class=\"was\">%s</td><td class=\"now\">%s</td><td class=\"now\">%s</td></tr>",
                 figure_or_none(f->slide_before, 2, number[0]), figure_or_none(f->slide_after, 3, number[1]),
                 figure_or_none(f->slide_most, 3, number[2]));
    }
    text_str(out, "</tbody></table></div></section>");
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
    return *colon != '\0' ? colon : message;
}

static int by_kind(const void* a, const void* b)
{
    const batch_entry *x = *(const batch_entry*const*)a, *y = *(const batch_entry*const*)b;
    if (x->result != y->result) return x->result < y->result ? -1 : 1;
    const int kinds = strcmp(kind_of(x), kind_of(y));
    return kinds != 0 ? kinds : strcmp(x->name, y->name);
}

static void put_failures(cli_text* out, const batch_manifest* m, const batch_entry** list)
{
    size_t count = 0, kinds = 0;
    for (size_t i = 0; i < m->count; ++i)
        if (m->entries[i].result != BATCH_DONE) list[count++] = m->entries + i;
    if (count == 0) return;
    qsort(list, count, sizeof(const batch_entry*), by_kind);
    text_str(
        out,
        "<section><h2>Not done</h2><p class=\"note\">By kind; the table below has each.</p><div class=\"tablewrap\">"
        "<table class=\"misses\"><thead><tr><th>result</th><th>what was said</th><th>clips</th><th>the first</th>"
        "</tr></thead><tbody>");
    for (size_t i = 0, end; i < count; i = end)
    {
        for (end = i + 1;
             end < count && list[end]->result == list[i]->result && strcmp(kind_of(list[end]), kind_of(list[i])) == 0;)
            ++end;
        if (++kinds > KINDS) continue;
        text_fmt(out, "<tr><td>%s</td><td class=\"said\">", batch_result_names[list[i]->result]);
        put_html(out, kind_of(list[i]));
        text_fmt(out, "</td><td>%zu</td><td>", end - i);
        put_html(out, list[i]->name);
        text_str(out, "</td></tr>");
    }
    text_str(out, "</tbody></table></div>");
    if (kinds > KINDS) text_fmt(out, "<p class=\"note\">And %zu kinds more.</p>", kinds - KINDS);
    text_str(out, "</section>");
}

// ---- all ----

static const char css_more[] =
    ".tick{font-size:11.5px;fill:var(--soft);text-anchor:middle}.tick:first-of-type{text-anchor:middle}"
    "a{color:var(--after)}.said{white-space:normal;min-width:18em}"
    ".tools{display:flex;flex-wrap:wrap;gap:8px 16px;align-items:center;margin:0 0 10px}"
    ".tools input,.tools select{font:inherit;color:inherit;background:var(--bg);border:1px solid var(--line);"
    "border-radius:6px;padding:4px 8px;max-width:100%}"
    ".list{height:480px;overflow:auto;position:relative}.list table{table-layout:fixed;min-width:980px}"
    ".list td,.list th{overflow:hidden;text-overflow:ellipsis}.list td:first-child{white-space:nowrap;min-width:0}"
    ".list thead th{position:sticky;top:0;background:var(--card);padding:0}"
    ".list thead "
    "button{font:inherit;font-weight:600;color:inherit;background:none;border:0;width:100%;text-align:inherit;"
    "padding:7px 10px 7px 0;cursor:pointer}.list tbody tr{height:34px}.list td:last-child,.list th:last-child{"
    "text-align:left}";

// Columns of `rows`: name, result, seconds, frames, before, after, most, share, message, whether it has an output.
static const char script[] =
    "'use strict';(()=>{const rows=JSON.parse(document.getElementById('rows').textContent);const H=34;"
    "const box=document.querySelector('.list'),body=box.querySelector('tbody'),find=document.getElementById('find'),"
    "only=document.getElementById('only'),said=document.getElementById('shown');let by=0,down=false,view=rows;"
    "const number=(x,d)=>x===null?'':x.toFixed(d);"
    "const cell=(tr,text,href)=>{const td=document.createElement('td');td.title=text;if(href){const a="
    "document.createElement('a');a.href=href;a.textContent=text;td.append(a)}else td.textContent=text;tr.append(td)};"
    "const pad=(px)=>{const tr=document.createElement('tr');tr.style.height=px+'px';const "
    "td=document.createElement('td');"
    "td.colSpan=9;td.style.padding=0;td.style.border=0;tr.append(td);return tr};"
    "const draw=()=>{const first=Math.max(0,Math.floor(box.scrollTop/H)-8),last=Math.min(view.length,first+40);"
    "const made=[pad(first*H)];for(let i=first;i<last;++i){const r=view[i],tr=document.createElement('tr');"
    "cell(tr,r[0],r[9]?r[9].split('/').map(encodeURIComponent).join('/'):null);cell(tr,r[1]);cell(tr,number(r[2],2));"
    "cell(tr,number(r[3],0));"
    "cell(tr,number(r[4],2));cell(tr,number(r[5],3));cell(tr,number(r[6],3));cell(tr,r[7]===null?'':number(100*r[7],1))"
    ";"
    "cell(tr,r[8]);made.push(tr)}made.push(pad((view.length-last)*H));body.replaceChildren(...made)};"
    "const order=()=>{const "
    "text=find.value.toLowerCase(),kind=only.value;view=rows.filter(r=>(kind===''||r[1]===kind)&&"
    "(text===''||r[0].toLowerCase().includes(text)||r[8].toLowerCase().includes(text)));"
    "view.sort((a,b)=>{const x=a[by],y=b[by];if(x===y)return a[0]<b[0]?-1:1;if(x===null)return 1;if(y===null)return -1;"
    "return (x<y?-1:1)*(down?-1:1)});said.textContent=view.length+' of '+rows.length;box.scrollTop=0;draw()};"
    "box.querySelectorAll('thead "
    "button').forEach((b,i)=>b.addEventListener('click',()=>{down=by===i?!down:i>1&&i<8;by=i;"
    "box.querySelectorAll('thead th').forEach((th,k)=>k===i?th.setAttribute('aria-sort',down?'descending':'ascending'):"
    "th.removeAttribute('aria-sort'));order()}));"
    "find.addEventListener('input',order);only.addEventListener('change',order);box.addEventListener('scroll',"
    "()=>requestAnimationFrame(draw));order()})();";

static void put_row(cli_text* out, const batch_entry* e)
{
    const batch_figures* f = &e->figures;
    const double numbers[6] = {e->seconds, f->frames, f->slide_before, f->slide_after, f->slide_most, f->contact_share};
    char number[32];
    text_str(out, "[");
    put_json_text(out, e->name);
    text_fmt(out, ",\"%s\"", batch_result_names[e->result]);
    for (int i = 0; i < 6; ++i)
        text_fmt(out, ",%s", (i == 0 || f->known) && !isnan(numbers[i]) ? cli_figure(numbers[i], 5, number) : "null");
    text_str(out, ",");
    put_json_text(out, e->message != NULL ? e->message : "");
    text_str(out, ",");
    put_json_text(out, e->output != NULL ? e->output : "");
    text_str(out, "]");
}

static void put_all(cli_text* out, const batch_manifest* m)
{
    static const char* const columns[] = {"clip",  "result", "seconds",   "frames", "before",
                                          "after", "most",   "contact %", "said"};
    static const int widths[] = {26, 8, 8, 8, 10, 10, 10, 9, 30};
    text_str(out,
             "<section><h2>All clips</h2><p class=\"note\">A column's head sorts by it. Before, after: mean slide of "
             "planted feet, cm/s; most: the largest after.</p><div "
             "class=\"tools\"><label>Find <input id=\"find\" type=\"search\"></label><label>Result <select id=\"only\">"
             "<option value=\"\">all</option>");
    for (int r = 0; r < BATCH_RESULTS; ++r)
        text_fmt(out, "<option>%s</option>", batch_result_names[r]);
    text_str(out,
             "</select></label><output id=\"shown\"></output></div><div class=\"list\" tabindex=\"0\" role=\"region\" "
             "aria-label=\"All clips\"><table><colgroup>");
    for (int i = 0; i < 9; ++i)
        text_fmt(out, "<col style=\"width:%d%%\">", widths[i]);
    text_str(out, "</colgroup><thead><tr>");
    for (int i = 0; i < 9; ++i)
        text_fmt(out, "<th scope=\"col\"><button type=\"button\">%s</button></th>", columns[i]);
    text_str(out,
             "</tr></thead><tbody></tbody></table></div></section><script type=\"application/json\" id=\"rows\">[");
    for (size_t i = 0; i < m->count; ++i)
    {
        text_str(out, i > 0 ? ",\n" : "");
        put_row(out, m->entries + i);
    }
    text_fmt(out, "]</script><script>%s</script>", script);
}

bool batch_put_report(cli_text* out, const batch_manifest* m, const char* folder, size_t missing)
{
    const batch_entry** list = malloc((m->count + 1) * sizeof *list);
    double* scratch = malloc((m->count + 1) * sizeof *scratch);
    if (list != NULL && scratch != NULL)
    {
        text_str(out, "<!doctype html><html lang=\"en\"><head><meta charset=\"utf-8\"><meta name=\"viewport\" "
                      "content=\"width=device-width,initial-scale=1\"><title>Surefoot batch</title><style>");
        for (size_t i = 0; i < report_css_count; ++i)
            text_str(out, report_css[i]);
        text_fmt(out, "%s</style></head><body><main>", css_more);
        put_head(out, m, folder, missing, scratch);
        put_slides(out, m);
        put_shares(out, m);
        put_worst(out, m, list);
        put_failures(out, m, list);
        put_all(out, m);
        text_str(out, "</main></body></html>\n");
    }
    const bool good = list != NULL && scratch != NULL && !out->failed;
    free(list);
    free(scratch);
    return good;
}

#endif
