// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// The table of all clips on a batch's page. Rows are JSON; the script of the page sorts and filters them and makes
// elements of those that are in sight. Columns are those that any clip has a figure for.

#if defined(__linux__) && !defined(_GNU_SOURCE)
#define _GNU_SOURCE
#endif

#include "batch_report.h"

#if BATCH_RUNS

#include <math.h>
#include <string.h>

const char batch_table_css[] =
    ".tools{display:flex;flex-wrap:wrap;gap:8px 16px;align-items:center;margin:0 0 10px}"
    ".tools label{display:flex;align-items:center;gap:8px;max-width:100%}"
    ".tools input,.tools select{font:inherit;color:inherit;background:var(--bg);border:1px solid var(--line);"
    "border-radius:6px;padding:4px 8px;min-width:0;max-width:100%}.tools output{color:var(--soft)}"
    ".list{height:min(620px,80vh);overflow:auto;position:relative;overflow-anchor:none;border-top:1px solid "
    "var(--line)}"
    ".list table{table-layout:fixed;border-collapse:separate;border-spacing:0}"
    ".list td,.list th{overflow:hidden;text-overflow:ellipsis;padding:0 10px 0 0}"
    ".list td:first-child,.list th:first-child{position:sticky;left:0;background:var(--card);min-width:0;z-index:1;"
    "white-space:nowrap}"
    ".list thead th{position:sticky;top:0;background:var(--card);z-index:2;vertical-align:bottom;white-space:normal}"
    ".list thead th:first-child{z-index:3}"
    ".list thead "
    "button{font:inherit;font-weight:600;line-height:1.25;color:inherit;background:none;border:0;width:100%;"
    "text-align:inherit;padding:8px 0;cursor:pointer}.list thead button:hover{color:var(--ink)}"
    ".list th[aria-sort] button{color:var(--ink)}.list th[aria-sort] "
    "button::after{content:'\\2009\\25B2';font-size:9px}"
    ".list th[aria-sort=descending] button::after{content:'\\2009\\25BC'}"
    ".list tbody tr{height:34px}.list tbody tr:hover td{background:var(--good)}"
    ".list .t{text-align:left}.list .t:last-child{padding-left:14px}.list .bad{color:var(--was);font-weight:600}"
    ".list col.n{width:clamp(150px,38vw,330px)}.list col.r{width:84px}.list col.f{width:88px}.list col.s{width:420px}";

// A JSON text inside a script element: nothing in it may end that.
static void put_text(cli_text* out, const char* text)
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

// ---- columns ----

typedef struct column
{
    const char* head;
    const char* alone; // where there is no figure of what was written
    batch_figure which;
    int digits;
    double factor;
} column;

static const column columns[] = {{"frames", NULL, BATCH_FRAMES, 0, 1.0},
                                 {"clips", NULL, BATCH_CLIPS, 0, 1.0},
                                 {"length, s", NULL, BATCH_DURATION, 2, 1.0},
                                 {"joints", NULL, BATCH_JOINTS, 0, 1.0},
                                 {"legs", NULL, BATCH_LEGS, 0, 1.0},
                                 {"planted, %", NULL, BATCH_SHARE, 1, 100.0},
                                 {"slide before, cm/s", "slide, cm/s", BATCH_SLIDE_BEFORE, 2, 1.0},
                                 {"slide after", NULL, BATCH_SLIDE_AFTER, 3, 1.0},
                                 {"most before", "most slide", BATCH_SLIDE_MOST_BEFORE, 2, 1.0},
                                 {"most after", NULL, BATCH_SLIDE_MOST, 3, 1.0},
                                 {"below before, cm", "below ground, cm", BATCH_DIP_BEFORE, 2, 1.0},
                                 {"below after", NULL, BATCH_DIP_AFTER, 2, 1.0},
                                 {"missed frames", NULL, BATCH_UNREACHED, 0, 1.0},
                                 {"missed by, cm", NULL, BATCH_UNREACHED_MOST, 2, 1.0}};
#define COLUMNS (sizeof columns / sizeof columns[0])

static bool is_used(const batch_manifest* m, batch_figure which)
{
    for (size_t i = 0; i < m->count; ++i)
    {
        const batch_figures* f = &m->entries[i].figures;
        // Files of one clip are the rule, and a column of ones says nothing.
        if (f->known && !isnan(f->of[which]) && (which != BATCH_CLIPS || f->of[which] != 1.0)) return true;
    }
    return false;
}

static bool any_warned(const batch_manifest* m)
{
    for (size_t i = 0; i < m->count; ++i)
        if (m->entries[i].warnings > 0) return true;
    return false;
}

// ---- rows ----

// The clip, its address (0: none, 1: its name), its page's, result, message, seconds, warnings, and the figures used.
static void put_row(cli_text* out, const batch_entry* e, const char* folder, const bool* used)
{
    char number[32];
    const char* page = batch_page_of(e, folder);
    text_str(out, "[");
    put_text(out, e->name);
    bool plain = e->output != NULL && strcmp(e->output, e->name) == 0;
    for (const char* p = e->name; plain && *p != '\0'; p += cli_utf8_length(p))
        plain = cli_utf8_length(p) > 0 && *p != '\n' && *p != '\r'; // as put_text leaves it
    text_str(out, plain ? ",1" : e->output == NULL ? ",0" : ",\"");
    if (!plain && e->output != NULL)
    {
        batch_put_address(out, e->output);
        text_str(out, "\"");
    }
    text_str(out, page != NULL ? ",\"" : ",0");
    if (page != NULL)
    {
        batch_put_address(out, page);
        text_str(out, "\"");
    }
    text_fmt(out, ",\"%s\",", batch_result_names[e->result]);
    put_text(out, e->message != NULL ? e->message : "");
    text_fmt(out, ",%s", cli_figure(e->seconds, 3, number));
    if (e->warnings == BATCH_NOT_COUNTED)
        text_str(out, ",null");
    else
        text_fmt(out, ",%d", e->warnings);
    for (size_t i = 0; i < COLUMNS; ++i)
    {
        const double value = e->figures.of[columns[i].which];
        if (!used[i]) continue;
        if (e->figures.known && isfinite(value))
            text_fmt(out, ",%.7g", value);
        else
            text_str(out, ",null");
    }
    text_str(out, "]");
}

// Columns of the script: place in a row, digits (-1: text), factor.
static const char script[] =
    "'use strict';(()=>{const read=id=>JSON.parse(document.getElementById(id).textContent);"
    "const rows=read('rows'),columns=read('columns'),H=34,count=x=>x.length.toLocaleString('en');"
    "const box=document.querySelector('.list'),body=box.querySelector('tbody'),find=document.getElementById('find'),"
    "only=document.getElementById('only'),said=document.getElementById('shown');let by=0,down=false,view=rows;"
    "const put=(to,tag,text,set)=>{const e=document.createElement(tag);if(text)e.textContent=text;"
    "if(set)Object.assign(e,set);to.append(e);return e};"
    "const link=(r)=>r[1]===1?r[0].split('/').map(encodeURIComponent).join('/'):r[1];"
    "const name=(td,r)=>{const box=put(td,'div','',{className:'name',title:r[0]}),"
    "to=r[1]?put(box,'a','',{href:link(r),className:'to'}):put(box,'span','',{className:'to'}),cut=r[0].lastIndexOf('/"
    "')+1;"
    "put(to,'span',r[0].slice(0,cut),{className:'dir'});put(to,'span',r[0].slice(cut),{className:'base'});"
    "if(r[2])put(box,'a','page',{href:r[2],className:'more'})};"
    "const row=r=>{const tr=document.createElement('tr');columns.forEach(([at,digits,factor])=>{const "
    "td=put(tr,'td'),x=r[at];if(at===0)name(td,r);else "
    "if(digits<0){td.textContent=td.title=x;td.className='t'+(at===3&&"
    "x!=='done'?' bad':'')}else if(x!==null)td.textContent=(factor*x).toFixed(digits)});return tr};"
    "const pad=px=>{const "
    "tr=document.createElement('tr');tr.style.height=px+'px';put(tr,'td','',{colSpan:columns.length})"
    ".style.cssText='padding:0;border:0;position:static';return tr};"
    "const draw=()=>{const first=Math.max(0,Math.floor(box.scrollTop/H)-8),last=Math.min(view.length,first+48);"
    "body.replaceChildren(pad(first*H),...view.slice(first,last).map(row),pad((view.length-last)*H))};"
    "const order=()=>{const text=find.value.toLowerCase(),kind=only.value,at=columns[by][0];"
    "view=rows.filter(r=>(kind===''||r[3]===kind)&&(text===''||r[0].toLowerCase().includes(text)||"
    "r[4].toLowerCase().includes(text)));const names=(a,b)=>a[0]<b[0]?-1:a[0]>b[0]?1:0,none=x=>x===null||x==='';"
    "view.sort((a,b)=>{const x=a[at],y=b[at];if(x===y)return names(a,b);if(none(x))return 1;if(none(y))return -1;"
    "return (x<y?-1:1)*(down?-1:1)});said.textContent=view.length===rows.length?count(rows)+' clips':"
    "count(view)+' of '+count(rows);box.scrollTop=0;draw()};"
    "const heads=[...box.querySelectorAll('thead th')];"
    "const mark=()=>heads.forEach((th,k)=>k===by?th.setAttribute('aria-sort',down?'descending':'ascending'):"
    "th.removeAttribute('aria-sort'));"
    "heads.forEach((th,i)=>th.firstChild.addEventListener('click',()=>{down=by===i?!down:columns[i][1]>=0;by=i;mark();"
    "order()}));"
    "find.addEventListener('input',order);only.addEventListener('change',order);box.addEventListener('scroll',"
    "()=>requestAnimationFrame(draw));mark();order()})();";

// ---- all together ----

typedef struct heads
{
    cli_text cols, heads, columns;
    size_t count;
} heads;

static void add_head(heads* h, const char* css, const char* text, int at, int digits, double factor)
{
    text_fmt(&h->cols, "<col class=\"%s\">", css);
    text_fmt(&h->heads, "<th scope=\"col\"%s><button type=\"button\">%s</button></th>",
             digits < 0 ? " class=\"t\"" : "", text);
    text_fmt(&h->columns, "%s[%d,%d,%g]", h->count++ > 0 ? "," : "", at, digits, factor);
}

void batch_put_table(cli_text* out, const batch_manifest* m, const char* folder)
{
    bool used[COLUMNS];
    heads h = {0};
    int at = 7;
    add_head(&h, "n", "clip", 0, -1, 1.0);
    add_head(&h, "r", "result", 3, -1, 1.0);
    const bool written = is_used(m, BATCH_SLIDE_AFTER) || is_used(m, BATCH_DIP_AFTER);
    for (size_t i = 0; i < COLUMNS; ++i)
    {
        const column* c = columns + i;
        used[i] = is_used(m, c->which);
        if (used[i]) add_head(&h, "f", c->alone != NULL && !written ? c->alone : c->head, at++, c->digits, c->factor);
    }
    if (any_warned(m)) add_head(&h, "f", "warnings", 6, 0, 1.0);
    add_head(&h, "f", "work, s", 5, 2, 1.0);
    add_head(&h, "s", "said", 4, -1, 1.0);
    text_str(out,
             "<section><h2>All clips</h2><p class=\"note\">A column's head sorts by it.</p><div "
             "class=\"tools\"><label>Find <input id=\"find\" type=\"search\" placeholder=\"name or message\"></label>"
             "<label>Result <select id=\"only\"><option value=\"\">all</option>");
    for (int r = 0; r < BATCH_RESULTS; ++r)
        text_fmt(out, "<option>%s</option>", batch_result_names[r]);
    text_str(out,
             "</select></label><output id=\"shown\"></output></div><div class=\"list\" tabindex=\"0\" role=\"region\" "
             "aria-label=\"All clips\"><table><colgroup>");
    out->failed = out->failed || h.cols.failed || h.heads.failed || h.columns.failed;
    if (!out->failed)
        text_fmt(out,
                 "%s</colgroup><thead><tr>%s</tr></thead><tbody></tbody></table></div></section>"
                 "<script type=\"application/json\" id=\"columns\">[%s]</script>"
                 "<script type=\"application/json\" id=\"rows\">[",
                 h.cols.data, h.heads.data, h.columns.data);
    for (size_t i = 0; i < m->count; ++i)
    {
        text_str(out, i > 0 ? ",\n" : "");
        put_row(out, m->entries + i, folder, used);
    }
    text_fmt(out, "]</script><script>%s</script>", script);
    text_free(&h.cols);
    text_free(&h.heads);
    text_free(&h.columns);
}

#endif
