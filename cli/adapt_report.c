// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// The page of `surefoot adapt --report`: one HTML file that stands alone, in the style of `clean`'s. All is drawn as
// SVG and readable without the script, which only adds the readout under the pointer.

#include "adapt_report.h"

#include <math.h>
#include <stddef.h>
#include <stdlib.h>

#include "report_style.h"

#define CHART_WIDTH 1000.0
#define MAX_ROWS 300
#define MAX_FEET 8

static const char* const own_css[] = {
    ".earth{fill:var(--line);stroke:none}.ground.to{stroke-dasharray:4 4}.tread{stroke:var(--ink);stroke-width:2;"
    "opacity:.55}.lane{font-size:14px;fill:var(--soft)}.leg.was{stroke:var(--before)}.leg.far{opacity:.6}",
    ".big .now.over{color:var(--before)}.limits{stroke:var(--soft);stroke-width:1;stroke-dasharray:2 4}",
    ".faults td:nth-child(2),.faults th:nth-child(2),.faults td:nth-child(4),.faults th:nth-child(4){text-align:left}"
    ".faults td:last-child,.faults th:last-child{text-align:left;white-space:normal;min-width:18em}"
    ".faults td:first-child{min-width:7em}",
    "@media(max-width:560px){th:first-child,td:first-child{min-width:8.5em}tbody th{white-space:normal}}",
};

static const char* const own_js[] = {
    "'use strict';(()=>{const data=JSON.parse(document.getElementById('data').textContent);",
    "const n=data.frames,m=data.feet.length?data.feet[0][0].length:0;if(!m||n<2)return;",
    "const feet=[...document.querySelectorAll('.foot')];const mm=x=>x===null?'no ground':(x/10).toFixed(1)+' cm';",
    "const draw=u=>{u=Math.min(1,Math.max(0,u));const k=Math.round(u*(m-1)),f=Math.round(k*(n-1)/(m-1));",
    "feet.forEach((el,i)=>{const d=data.feet[i];",
    "el.querySelectorAll('.cursor').forEach(c=>{c.style.display='block';c.style.left=(100*k/(m-1))+'%'});",
    "el.querySelector('.read').innerHTML=`frame <b>${f}</b>, ${(f*data.dt).toFixed(3)} s: toe <b class=b>"
    "${mm(d[0][k])}</b> over the floor, <b class=a>${mm(d[1][k])}</b> over the ground`})};",
    "const clear=()=>feet.forEach(el=>{el.querySelectorAll('.cursor').forEach(c=>c.style.display='none');"
    "el.querySelector('.read').textContent=''});",
    "document.querySelectorAll('.wide').forEach(w=>{w.addEventListener('pointermove',e=>{const r="
    "w.querySelector('.chart svg').getBoundingClientRect();draw((e.clientX-r.left)/r.width)});"
    "w.addEventListener('pointerleave',clear)});",
    "const bars=[...document.querySelectorAll('.scroll')];let busy=false;bars.forEach(b=>b.addEventListener('scroll',"
    "()=>{if(busy)return;busy=true;bars.forEach(o=>{if(o!==b)o.scrollLeft=b.scrollLeft});"
    "requestAnimationFrame(()=>busy=false)}));",
    "})();",
};

static const char* figure(double value, int digits)
{
    static char ring[4][32]; // several in one text_fmt
    static int next;
    next = (next + 1) % 4;
    return cli_figure(value, digits, ring[next]);
}

// ---- head ----

static void tile(cli_text* out, const char* label, double now, int digits, const char* unit, const char* note)
{
    text_fmt(out,
             "<div class=\"tile\"><p>%s</p><p class=\"big\"><span class=\"now\">%s</span> <small>%s</small></p>"
             "<p>%s</p></div>",
             label, figure(now, digits), unit, note);
}

static double worst(const adapt_view* v, size_t offset)
{
    double most = 0.0;
    for (int32_t i = 0; i < v->j->file->leg_count; ++i)
    {
        const double value = *(const double*)((const char*)&v->j->figures.feet[i] + offset);
        if (value > most) most = value; // never where it is no number
    }
    return most;
}

static void put_sentence(cli_text* out, const adapt_view* v)
{
    const sft_adapt_clip_report* r = &v->j->report;
    const double off = worst(v, offsetof(adapt_foot, support_cm));
    if (r->plant_count == 0)
        text_str(out, "No foot is planted anywhere in this clip");
    else if (r->miss_count > 0)
        text_fmt(out, "%d of %d plants could not be served in part or whole", (int)r->miss_count, (int)r->plant_count);
    else if (v->j->figures.wrong_count > 0)
        text_fmt(out, "%d plants, and something is wrong in %d place%s", (int)r->plant_count,
                 (int)v->j->figures.wrong_count, v->j->figures.wrong_count == 1 ? "" : "s");
    else if (off <= 0.5)
        text_fmt(out, "%d plants stand on the ground within %s cm", (int)r->plant_count,
                 figure(sft_maxd(off, 0.01), 2));
    else
        text_fmt(out, "%d plants, up to %s cm off the ground", (int)r->plant_count, figure(off, 1));
}

static void put_head(cli_text* out, const adapt_view* v)
{
    const adapt_job* j = v->j;
    text_str(out, "<header><p class=\"kicker\">Surefoot put <b>");
    put_html(out, j->file->title);
    text_fmt(out, "</b>, %d frame%s, %s s, onto <b>", (int)v->view.frames, v->view.frames == 1 ? "" : "s",
             figure(v->view.dt * v->view.frames, 2));
    put_html(out, j->ground.text);
    text_str(out, "</b></p><h1>");
    put_sentence(out, v);
    text_str(out, "</h1><div class=\"tiles\">");
    tile(out, "Off the ground in support", worst(v, offsetof(adapt_foot, support_cm)), 2, "cm",
         "lowest point of a sole");
    tile(out, "Through the ground", worst(v, offsetof(adapt_foot, depth_cm)), 2, "cm", "any point of a sole, any time");
    tile(out, "Pitch of planted soles", worst(v, offsetof(adapt_foot, pitch_off)), 1, "degrees",
         "off what it was to the floor");
    char note[96], low[32], high[32];
    snprintf(note, sizeof note, "of the source's; pelvis moved %s to %s cm",
             cli_figure(100.0 * j->report.pelvis_shift_min, 1, low),
             cli_figure(100.0 * j->report.pelvis_shift_max, 1, high));
    tile(out, "Pelvis jerk", j->figures.jerk_ratio, 2, "times", note);
    text_str(out, "</div></header>");
}

// ---- strips ----

static void put_strips(cli_text* out, const adapt_view* v)
{
    double height = 0.0;
    int32_t first, last;
    cli_text drawing = {0};
    adapt_draw_strips(&drawing, v, 1120.0, &height, &first, &last);
    text_fmt(
        out,
        "<section><h2>Poses</h2><p class=\"note\">Frames %d to %d from the side, %s. The ground is the slice under "
        "the pelvis; short strokes are the ground under planted soles, where it lies otherwise.%s</p>",
        (int)first, (int)last,
        v->view.travels ? "where they are along the way" : "side by side, since the clip stays where it is",
        first > v->j->file->first_frame || last < v->view.frames - 1 ? " Shown is the part with the largest "
                                                                       "figures below."
                                                                     : "");
    text_str(out, "<ul class=\"keys\"><li class=\"b\"><i></i>before</li><li class=\"a\"><i></i>after</li>"
                  "<li class=\"d\"><i></i>planted toe</li></ul>");
    text_fmt(out,
             "<div class=\"pan\"><svg viewBox=\"0 0 1120 %.0f\" role=\"img\" aria-label=\"Poses on the floor and on "
             "the ground\">",
             height);
    if (drawing.data != NULL) text_put(out, drawing.data, drawing.size);
    text_str(out, "</svg></div></section>");
    out->failed = out->failed || drawing.failed;
    text_free(&drawing);
}

// ---- curves ----

static void open_chart(cli_text* out, const plot* p, const char* name)
{
    double ticks[8], at[8], above = -1e9;
    const int count = plot_ticks(p, ticks, at);
    text_fmt(out, "<div class=\"label\">%s</div><div class=\"chart\"><div class=\"ticks\">", name);
    // Labels that would run into one another leave out the lower one of the two.
    for (int i = count - 1; i >= 0; --i)
        if (at[i] - above > 11.0)
        {
            text_fmt(out, "<span style=\"top:%.1f%%\">%g</span>", 100.0 * at[i] / p->h, ticks[i]);
            above = at[i];
        }
    text_fmt(out,
             "</div><svg viewBox=\"0 0 %.0f %.0f\" preserveAspectRatio=\"none\" aria-hidden=\"true\"><path "
             "class=\"grid\" d=\"M0 %.1fh%.0f",
             CHART_WIDTH, p->h, p->h, CHART_WIDTH);
    for (int i = 0; i < count; ++i)
        text_fmt(out, "M0 %.1fh%.0f", at[i], CHART_WIDTH);
    text_fmt(out, "\"/><path class=\"limits\" d=\"M0 %.1fh%.0f\"/>", plot_y(p, 0.0), CHART_WIDTH);
}

static void put_curves_of(cli_text* out, const adapt_view* v, int32_t foot, const plot* p, double* values)
{
    for (int after = 0; after < 2; ++after)
    {
        const sft_foot_tracks* t = &(after ? v->view.in->tracks_after : v->view.in->tracks_before)->feet[foot];
        adapt_height_series(v, t->toe, after != 0, values);
        adapt_draw_series(out, p, values, v->view.frames, after ? "curve after" : "curve before");
        if (t->heel == NULL) continue;
        adapt_height_series(v, t->heel, after != 0, values);
        adapt_draw_series(out, p, values, v->view.frames, after ? "curve thin after" : "curve thin before");
    }
}

static void put_foot(cli_text* out, const adapt_view* v, int32_t foot, double top, double* values)
{
    const float* plant = v->j->contacts.labels->plant + (size_t)foot * (size_t)v->view.frames;
    const plot p = {0.0, 0.0, CHART_WIDTH, 150.0, -2.0, top, false};
    const double seconds = v->view.dt * v->view.frames;
    text_str(out, "<div class=\"foot\"><div class=\"foothead\"><h3>");
    put_html(out, v->j->file->foot_names[foot]);
    // A long clip gets about 70 pixels a second, and a bar to scroll it with.
    text_fmt(out,
             "</h3><div class=\"read\"></div></div><div class=\"scroll\"><div class=\"wide\" "
             "style=\"min-width:%.0fpx\">",
             seconds > 14.0 ? sft_mind(70.0 * seconds, 9000.0) : 0.0);
    open_chart(out, &p, "toe and heel (dashed), cm");
    draw_spans(out, &p, plant, v->view.frames, v->a->options.threshold, "shade");
    put_curves_of(out, v, foot, &p, values);
    text_fmt(out,
             "</svg><div class=\"cursor\"></div></div><div class=\"times\"><span style=\"left:0\">0 s</span>"
             "<span style=\"left:50%%\">%s</span><span style=\"left:100%%\">%s s</span></div></div></div></div>",
             figure(0.5 * v->view.dt * (v->view.frames - 1), 2), figure(v->view.dt * (v->view.frames - 1), 2));
}

static double height_top(const adapt_view* v, double* values)
{
    double top = 10.0;
    for (int32_t i = 0; i < v->j->file->leg_count; ++i)
        for (int after = 0; after < 2; ++after)
        {
            const sft_foot_tracks* t = &(after ? v->view.in->tracks_after : v->view.in->tracks_before)->feet[i];
            adapt_height_series(v, t->heel != NULL ? t->heel : t->toe, after != 0, values);
            for (int32_t f = v->j->file->first_frame; f < v->view.frames; ++f)
                if (values[f] > top) top = values[f];
        }
    return sft_mind(1.08 * top, 120.0);
}

// In mm for the readout, thinned; null where there is no ground.
static void put_data(cli_text* out, const adapt_view* v, int32_t feet, double* values)
{
    const int32_t frames = v->view.frames, count = frames < 1500 ? frames : 1500;
    char dt[32];
    text_fmt(out, "<script type=\"application/json\" id=\"data\">{\"frames\":%d,\"dt\":%s,\"feet\":[", (int)frames,
             cli_number(v->view.dt, dt));
    for (int32_t i = 0; i < 2 * feet; ++i)
    {
        const bool after = i % 2 != 0;
        adapt_height_series(v, (after ? v->view.in->tracks_after : v->view.in->tracks_before)->feet[i / 2].toe, after,
                            values);
        text_str(out, after ? ",[" : i > 0 ? ",[[" : "[[");
        for (int32_t s = 0; s < count; ++s)
        {
            const double mm = 10.0 * values[count > 1 ? (int64_t)s * (frames - 1) / (count - 1) : 0];
            if (isfinite(mm))
                text_fmt(out, "%s%.0f", s > 0 ? "," : "", sft_clampd(mm, -1e7, 1e7));
            else
                text_str(out, s > 0 ? ",null" : "null");
        }
        text_str(out, after ? "]]" : "]");
    }
    text_str(out, "]}</script>");
}

static void put_curves(cli_text* out, const adapt_view* v)
{
    double* values = malloc((size_t)(v->view.frames + 1) * sizeof *values);
    out->failed = out->failed || values == NULL;
    if (values == NULL) return;
    const int32_t feet = v->j->file->leg_count < MAX_FEET ? v->j->file->leg_count : MAX_FEET;
    text_str(out,
             "<section><h2>Feet over time</h2><p class=\"note\">How high toe and heel joints are: before, over the "
             "floor; after, over the ground, square to it. Shaded where the toe is planted: there both should meet. No "
             "curve where there is no ground.</p><ul class=\"keys\"><li class=\"b\"><i></i>before</li><li class=\"a\">"
             "<i></i>after</li></ul>");
    const double top = height_top(v, values);
    for (int32_t i = 0; i < feet; ++i)
        put_foot(out, v, i, top, values);
    text_str(out, "</section>");
    put_data(out, v, feet, values);
    free(values);
}

// ---- figures ----

static void put_row(cli_text* out, const char* label, const char* unit, double was, double now, int digits)
{
    text_fmt(out, "<tr><td>%s</td><td class=\"was\">%s</td><td class=\"now\">%s</td><td class=\"unit\">%s</td></tr>",
             label, figure(was, digits), figure(now, digits), unit);
}

// A figure that the clip on its floor has not; with the frame that it is of.
static void put_new(cli_text* out, const char* label, const char* unit, double now, int digits, int32_t frame)
{
    text_fmt(out, "<tr><td>%s</td><td class=\"was\"></td><td class=\"now\">%s</td><td class=\"unit\">%s", label,
             figure(now, digits), unit);
    if (frame >= 0) text_fmt(out, ", frame %d", (int)frame);
    text_str(out, "</td></tr>");
}

static void foot_rows(cli_text* out, const adapt_view* v, int32_t i)
{
    const adapt_foot* f = &v->j->figures.feet[i];
    const sft_metrics_foot *a = &v->j->before.feet[i], *b = &v->j->after.feet[i];
    put_new(out, "Off the ground in support, max", "cm", f->support_cm, 3, f->support_frame);
    put_new(out, "Through the ground, max", "cm", f->depth_cm, 3, f->depth_frame);
    put_new(out, "Pitch of the sole off, max", "degrees", f->pitch_off, 2, f->pitch_frame);
    put_new(out, "Roll of the sole off, max", "degrees", f->roll_off, 2, f->roll_frame);
    if (f->lost_frames > 0) put_new(out, "Planted frames over no ground", "", f->lost_frames, 0, -1);
    put_row(out, "Straightest knee", "of the leg", f->knee_source, f->knee, 4);
    put_row(out, "Slide while planted, mean", "cm/s", a->slide_mean_cm_s, b->slide_mean_cm_s, 3);
    put_row(out, "Slide while planted, max", "cm/s", a->slide_max_cm_s, b->slide_max_cm_s, 3);
    put_row(out, "Pop, 99.9th percentile", "rad/s&sup2;", a->pop_p999_rad_s2, b->pop_p999_rad_s2, 1);
}

static void put_table(cli_text* out, const adapt_view* v)
{
    const sft_metrics_clip *a = &v->j->before.clip, *b = &v->j->after.clip;
    text_str(
        out,
        "<section><h2>Figures</h2><p class=\"note\">Measured on the file as it was written, against the clip as it "
        "stood on its floor, with the labels of the clip as it came in.</p><div class=\"tablewrap\"><table><thead>"
        "<tr><th></th><th>before</th><th>after</th><th></th></tr></thead><tbody>");
    for (int32_t i = 0; i < v->j->file->leg_count; ++i)
    {
        text_str(out, "<tr><th colspan=\"4\">");
        put_html(out, v->j->file->foot_names[i]);
        text_fmt(out, ", on the ground in %d planted frames</th></tr>", (int)v->j->figures.feet[i].support_frames);
        foot_rows(out, v, i);
    }
    text_str(out, "<tr><th colspan=\"4\">Whole clip</th></tr>");
    put_row(out, "Pelvis jerk, rms over the source's", "times", 1.0, v->j->figures.jerk_ratio, 2);
    put_row(out, "Pelvis acceleration, 99th percentile", "m/s&sup2;", a->pelvis_accel_p99, b->pelvis_accel_p99, 2);
    put_row(out, "Pelvis acceleration, max", "m/s&sup2;", a->pelvis_accel_max, b->pelvis_accel_max, 2);
    text_str(out, "</tbody></table></div></section>");
}

static void put_amount(cli_text* out, const sft_adapt_miss* m)
{
    if (m->fault == SFT_ADAPT_FAULT_TILT)
        text_fmt(out, "%s degrees", figure(m->amount * 180.0 / SFT_PI, 1));
    else if (m->fault == SFT_ADAPT_FAULT_REACH)
        text_fmt(out, "%s cm", figure(100.0 * m->amount, 2));
}

// What is wrong though no miss names it.
static void put_wrong(cli_text* out, const adapt_view* v)
{
    for (int32_t i = 0; i < v->j->figures.wrong_count; ++i)
    {
        cli_text line = {0};
        adapt_wrong_text(&line, v->a, v->j, &v->j->figures.wrong[i]);
        text_str(out, "<p class=\"note\">");
        put_html(out, line.data != NULL ? line.data : "");
        text_str(out, "</p>");
        text_free(&line);
    }
}

static void put_misses(cli_text* out, const adapt_view* v)
{
    const sft_adapt_clip_report* r = &v->j->report;
    text_str(out, "<section><h2>Missed or wrong</h2>");
    put_wrong(out, v);
    if (r->miss_count == 0)
    {
        const bool well = v->a->method == ADAPT_RUNTIME ? v->j->figures.wrong_count == 0 : adapt_stands(v->j);
        if (well)
            text_fmt(out, "<p class=\"note\" style=\"margin:0\">Every planted foot %s.</p>",
                     v->a->method == ADAPT_RUNTIME ? "had ground below it" : "stands on its place");
        text_str(out, "</section>");
        return;
    }
    text_fmt(out, "<p class=\"note\">%d of %d plants.%s</p>", (int)r->miss_count, (int)r->plant_count,
             r->miss_count > MAX_ROWS ? " The first 300 are shown; adapt --json lists them all." : "");
    text_str(out, "<div class=\"tablewrap tall\"><table class=\"faults\"><thead><tr><th>frames</th><th>foot</th>"
                  "<th>by</th><th>fault</th><th>remedy</th></tr></thead><tbody>");
    for (int32_t i = 0; i < r->miss_count && i < MAX_ROWS; ++i)
    {
        const sft_adapt_miss* m = &r->misses[i];
        text_fmt(out, "<tr><td>%d to %d</td><td>", (int)m->first, (int)m->last);
        put_html(out, v->j->file->foot_names[m->foot]);
        text_str(out, "</td><td>");
        put_amount(out, m);
        text_fmt(out, "</td><td>%s</td><td>", adapt_fault_name(m));
        put_html(out, adapt_remedy(v->j, m));
        text_str(out, "</td></tr>");
    }
    text_str(out, "</tbody></table></div></section>");
}

static void put_settings(cli_text* out, const adapt_view* v)
{
    const adapt_job* j = v->j;
    const sft_adapt_clip_report* r = &j->report;
    char name[NAME_SIZE];
    text_fmt(out, "<section><h2>How</h2><dl><dt>Method</dt><dd>%s%s</dd><dt>Ground</dt><dd>",
             v->a->method == ADAPT_RUNTIME ? "run time, frame by frame" : "whole clip",
             r->converged ? "" : ", not converged");
    put_html(out, j->ground.text);
    text_fmt(out, "</dd><dt>Floor of the source</dt><dd>%s m, %s</dd><dt>Plants</dt><dd>%d, %s", figure(j->floor, 4),
             j->floor_reason, (int)r->plant_count, j->contacts.imported ? "labels given" : "found in the clip");
    if (r->moved_plants > 0)
        text_fmt(out, "; %d moved off an edge, by at most %s cm", (int)r->moved_plants,
                 figure(100.0 * r->place_shift_max, 1));
    text_str(out, "</dd><dt>Sliding feet</dt><dd>");
    if (j->cleaned)
        text_fmt(out, "cleaned first: slid by up to %s cm/s", figure(j->before.clip.slide_max_cm_s, 2));
    else
        text_str(out, v->a->no_clean ? "left as they are" : "none, so not cleaned");
    text_str(out, "</dd><dt>Pelvis's height carried by</dt><dd>");
    put_html(out, r->travel_joint < 0 ? "no joint; the pelvis kept its height"
                                      : cli_joint_name(j->file, r->travel_joint, name, sizeof name));
    text_str(out, "</dd><dt>Written to</dt><dd>");
    put_html(out, v->a->options.output);
    text_str(out, "</dd></dl></section>");
}

// ---- the whole ----

static void put_page(cli_text* out, const adapt_view* v)
{
    text_str(out, "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><meta name=\"viewport\" "
                  "content=\"width=device-width,initial-scale=1\"><title>");
    put_html(out, v->j->file->title);
    text_str(out, " on the ground</title><style>");
    for (size_t i = 0; i < report_css_count; ++i)
        text_str(out, report_css[i]);
    for (size_t i = 0; i < sizeof own_css / sizeof own_css[0]; ++i)
        text_str(out, own_css[i]);
    text_str(out, "</style></head><body><main>\n");
    put_head(out, v);
    put_strips(out, v);
    put_curves(out, v);
    put_misses(out, v);
    put_table(out, v);
    put_settings(out, v);
    const uint32_t version = sft_version();
    text_fmt(out, "<footer>Made by surefoot %u.%u.%u.</footer></main>\n<script>", (unsigned)(version / 10000),
             (unsigned)(version / 100 % 100), (unsigned)(version % 100));
    for (size_t i = 0; i < sizeof own_js / sizeof own_js[0]; ++i)
        text_str(out, own_js[i]);
    text_str(out, "</script></body></html>\n");
}

int adapt_report(const adapt* a, const adapt_job* j)
{
    if (a->page == NULL) return EXIT_DONE;
    char* own = a->options.all_clips ? cli_clip_path(a->page, j->file, j->file->clip_index) : NULL;
    if (a->options.all_clips && own == NULL) return cli_fail(EXIT_MEMORY, "out of memory");
    const char* path = own != NULL ? own : a->page;
    const report_input in = {.file = j->file,
                             .after = j->written,
                             .tracks_before = j->stood_tracks,
                             .tracks_after = j->after_tracks,
                             .contacts = &j->contacts,
                             .before = &j->before,
                             .figures_after = &j->after,
                             .threshold = a->options.threshold,
                             .output = a->options.output};
    adapt_view v = {.a = a, .j = j, .view = report_view(&in)};
    // The ground stands still here, whatever the clip was made for.
    v.view.travels = v.view.travels && !v.view.moving_ground;
    v.view.moving_ground = false;
    cli_text text = {0};
    put_page(&text, &v);
    const int code =
        text.failed ? cli_fail(EXIT_MEMORY, "%s: out of memory", path) : cli_write_bytes(path, text.data, text.size);
    text_free(&text);
    free(own);
    return code;
}
