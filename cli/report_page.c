// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// The report page: one HTML file that stands alone. Everything is drawn here as SVG and readable without the script,
// which only adds the readout under the pointer. Long clips are thinned, so a page stays below about 2 MB.

#include "report.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report_style.h"

#define CHART_WIDTH 1000.0
#define MAX_ROWS 300 // of the list of frames that were not reached

static const char* figure(double value, int digits)
{
    static char ring[4][32]; // several in one text_fmt
    static int next;
    next = (next + 1) % 4;
    return cli_figure(value, digits, ring[next]);
}

// ---- head ----

static void tile(cli_text* out, const char* label, double was, double now, int digits, const char* unit,
                 const char* note)
{
    if (was >= 100.0 || now >= 100.0) digits = 1;
    text_fmt(out,
             "<div class=\"tile\"><p>%s</p><p class=\"big\"><span class=\"was\">%s</span><span class=\"arrow\">&rarr;"
             "</span><span class=\"now\">%s</span> <small>%s</small></p><p>%s</p></div>",
             label, figure(was, digits), figure(now, digits), unit, note);
}

static double worst_slide(const report_input* in, const figures* f)
{
    double worst = 0.0;
    for (int32_t i = 0; i < in->file->leg_count; ++i)
        worst = sft_maxd(worst, f->feet[i].slide_max_cm_s);
    return worst;
}

static void put_head(cli_text* out, const view* v)
{
    const report_input* in = v->in;
    char sentence[256];
    text_str(out, "<header><p class=\"kicker\">Surefoot clean-up of <b>");
    put_html(out, in->file->title);
    text_fmt(out, "</b>, %d frame%s, %s s</p><h1>", (int)v->frames, v->frames == 1 ? "" : "s",
             figure(v->dt * v->frames, 2));
    put_html(out, report_headline(in, sentence, sizeof sentence));
    text_str(out, "</h1><div class=\"tiles\">");
    tile(out, "Mean slide of planted toes", in->before->clip.slide_mean_cm_s, in->figures_after->clip.slide_mean_cm_s,
         2, "cm/s", "over all planted steps");
    tile(out, "Worst slide", worst_slide(in, in->before), worst_slide(in, in->figures_after), 2, "cm/s",
         "one step of one foot");
    tile(out, "Pelvis acceleration", in->before->clip.pelvis_accel_p99, in->figures_after->clip.pelvis_accel_p99, 2,
         "m/s&sup2;", "99th percentile");
    text_fmt(out, "<div class=\"tile\"><p>Not reached</p><p class=\"big\">%d <small>of %d frames held</small></p>",
             (int)in->done->miss_count, (int)in->done->planted_frames);
    text_fmt(out, "<p>pelvis moved by at most %s cm</p></div></div></header>",
             figure(100.0 * in->done->pelvis_shift_max, 1));
}

static void put_poses(cli_text* out, const view* v)
{
    int32_t first, last;
    int count;
    double height = 0.0;
    cli_text drawing = {0};
    pose_window(v, &first, &last, &count);
    draw_poses(&drawing, v, 0.0, 0.0, 1120.0, &height);
    text_fmt(out, "<section><h2>Poses</h2><p class=\"note\">Frames %d to %d from the side, %s.</p>", (int)first,
             (int)last,
             !v->travels        ? "side by side, since the clip stays where it is"
             : v->moving_ground ? "as seen from the moving ground"
                                : "where they are along the way; before is shifted as a whole so that both meet in the "
                                  "middle");
    text_str(out, "<ul class=\"keys\"><li class=\"b\"><i></i>before</li><li class=\"a\"><i></i>after, legs in blue</li>"
                  "<li class=\"d\"><i></i>planted toe</li></ul>");
    text_fmt(out,
             "<div class=\"pan\"><svg viewBox=\"0 0 1120 %.0f\" role=\"img\" aria-label=\"Poses before and after\">",
             height);
    if (drawing.data != NULL) text_put(out, drawing.data, drawing.size);
    text_str(out, "</svg></div></section>");
    out->failed = out->failed || drawing.failed;
    text_free(&drawing);
}

static void put_traces(cli_text* out, const view* v)
{
    double height = 0.0;
    cli_text drawing = {0};
    draw_traces(&drawing, v, 0.0, 0.0, 1120.0, &height);
    text_fmt(out,
             "<section><h2>Toes from above</h2><p class=\"note\">%sThick where the toe is planted: a dot stands still, "
             "a stroke slides. Lines are a metre apart.</p><ul class=\"keys\"><li class=\"b\"><i></i>before</li>"
             "<li class=\"a\"><i></i>after</li></ul>",
             !v->travels        ? ""
             : v->moving_ground ? "As seen from the moving ground; travel runs to the right, left foot above right. "
                                : "Travel runs to the right, left foot above right. ");
    text_fmt(out, "<div class=\"pan\"><svg viewBox=\"0 0 1120 %.0f\" role=\"img\" aria-label=\"Toe paths from above\">",
             height);
    if (drawing.data != NULL) text_put(out, drawing.data, drawing.size);
    text_str(out, "</svg></div></section>");
    out->failed = out->failed || drawing.failed;
    text_free(&drawing);
}

// ---- curves ----

static void put_ticks(cli_text* out, const plot* p)
{
    double ticks[8], at[8];
    const int count = plot_ticks(p, ticks, at);
    text_str(out, "<div class=\"ticks\">");
    // Labels that would run into one another leave out the lower one of the two.
    double above = -1e9;
    for (int i = count - 1; i >= 0; --i)
        if (at[i] - above > 11.0)
        {
            text_fmt(out, "<span style=\"top:%.1f%%\">%g</span>", 100.0 * at[i] / p->h, ticks[i]);
            above = at[i];
        }
    text_str(out, "</div>");
}

void report_open_chart(cli_text* out, const plot* p, const char* css, const char* name)
{
    double ticks[8], at[8];
    const int count = plot_ticks(p, ticks, at);
    text_fmt(out, "<div class=\"label\">%s</div><div class=\"chart %s\">", name, css);
    put_ticks(out, p);
    text_fmt(out,
             "<svg viewBox=\"0 0 %.0f %.0f\" preserveAspectRatio=\"none\" aria-hidden=\"true\"><path class=\"grid\" "
             "d=\"M0 %.1fh%.0f",
             CHART_WIDTH, p->h, p->h, CHART_WIDTH);
    for (int i = 0; i < count; ++i)
        text_fmt(out, "M0 %.1fh%.0f", at[i], CHART_WIDTH);
    text_str(out, "\"/>");
}

void report_close_chart(cli_text* out)
{
    text_str(out, "</svg><div class=\"cursor\"></div></div>");
}

static void put_bands(cli_text* out, const view* v, int32_t foot)
{
    const size_t row = (size_t)foot * (size_t)v->frames;
    const sft_contact_labels* before = v->in->contacts->labels;
    const sft_contact_labels* after = v->in->contacts_after->labels;
    const struct
    {
        const float* labels;
        const char* css;
        double y;
    } bands[] = {{before->plant + row, "span before", 3.0},
                 {after->plant + row, "span after", 19.0},
                 {before->touch + row, "span touch before", 37.0},
                 {after->touch + row, "span touch after", 53.0}};
    text_str(out, "<div class=\"chart bands\"><div class=\"ticks\"><span style=\"top:25%\">plant</span>"
                  "<span style=\"top:75%\">touch</span></div><svg viewBox=\"0 0 1000 68\" preserveAspectRatio=\"none\" "
                  "aria-hidden=\"true\">");
    for (size_t i = 0; i < 4; ++i)
    {
        const plot p = {0.0, bands[i].y, CHART_WIDTH, 12.0, 0.0, 1.0, false};
        draw_spans(out, &p, bands[i].labels, v->frames, v->in->threshold, bands[i].css);
    }
    report_close_chart(out);
}

void report_put_times(cli_text* out, double dt, int32_t frames)
{
    const double length = dt * (frames > 1 ? frames - 1 : 1);
    const double steps[] = {0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0, 20.0, 60.0, 300.0, 1800.0};
    double step = 1800.0;
    for (size_t i = 0; i < sizeof steps / sizeof steps[0]; ++i)
        if (length / steps[i] <= (length > 14.0 ? length / 2.0 < 100.0 ? length / 2.0 : 100.0 : 9.0))
        {
            step = steps[i];
            break;
        }
    text_str(out, "<div class=\"times\"><span style=\"left:0\">0 s</span>");
    for (int k = 1; k < 200 && step * k < length - 0.9 * step; ++k)
        text_fmt(out, "<span style=\"left:%.2f%%\">%s</span>", 100.0 * step * k / length, figure(step * k, 1));
    text_fmt(out, "<span style=\"left:100%%\">%s s</span></div>", figure(length, 2));
}

static void put_foot(cli_text* out, const view* v, int32_t foot, double* values)
{
    const float* plant = v->in->contacts->labels->plant + (size_t)foot * (size_t)v->frames;
    const plot speed = {0.0, 0.0, CHART_WIDTH, 150.0, 0.0, v->speed_top, true};
    const plot height = {0.0, 0.0, CHART_WIDTH, 96.0, -2.0, v->height_top, false};
    text_str(out, "<div class=\"foot\"><div class=\"foothead\"><h3>");
    put_html(out, v->in->file->foot_names[foot]);
    // A long clip gets about 70 pixels a second, and a bar to scroll it with.
    const double seconds = v->dt * v->frames;
    const double width = seconds > 14.0 ? sft_mind(70.0 * seconds, 9000.0) : 0.0;
    text_fmt(
        out,
        "</h3><div class=\"read\"></div></div><div class=\"scroll\"><div class=\"wide\" style=\"min-width:%.0fpx\">",
        width);
    report_open_chart(out, &speed, "", "toe speed, m/s");
    draw_spans(out, &speed, plant, v->frames, v->in->threshold, "shade");
    text_fmt(out, "<path class=\"limit\" d=\"M0 %.1fh%.0f\"/>", plot_y(&speed, 0.25), CHART_WIDTH);
    for (int after = 0; after < 2; ++after)
    {
        report_series(v, foot, after != 0, SERIES_SPEED, values);
        draw_series(out, &speed, values, v->frames, after ? "curve after" : "curve before");
    }
    report_close_chart(out);
    report_open_chart(out, &height, "low", "height of toe and heel (dashed), cm");
    draw_spans(out, &height, plant, v->frames, v->in->threshold, "shade");
    for (int after = 0; after < 2; ++after)
    {
        report_series(v, foot, after != 0, SERIES_TOE_HEIGHT, values);
        draw_series(out, &height, values, v->frames, after ? "curve after" : "curve before");
        if (v->in->tracks_after->feet[foot].heel == NULL) continue;
        report_series(v, foot, after != 0, SERIES_HEEL_HEIGHT, values);
        draw_series(out, &height, values, v->frames, after ? "curve thin after" : "curve thin before");
    }
    report_close_chart(out);
    put_bands(out, v, foot);
    report_put_times(out, v->dt, v->frames);
    text_str(out, "</div></div></div>");
}

static void put_curves(cli_text* out, const view* v)
{
    double* values = malloc((size_t)v->frames * sizeof *values);
    out->failed = out->failed || values == NULL;
    if (values == NULL) return;
    text_str(out,
             "<section><h2>Feet over time</h2><p class=\"note\">Shaded where the toe is planted. The speed axis is "
             "that of the square root, so that slow slide and fast swing can both be read; the dotted line is "
             "0.25 m/s. Contact after is labelled anew on the cleaned clip.</p><ul class=\"keys\"><li class=\"b\">"
             "<i></i>before</li><li class=\"a\"><i></i>after</li></ul>");
    const int32_t shown = v->in->file->leg_count < 8 ? v->in->file->leg_count : 8;
    for (int32_t i = 0; i < shown; ++i)
        put_foot(out, v, i, values);
    text_str(out, "</section>");
    free(values);
}

// Thinned numbers for the readout: speed in mm/s, height in mm.
static void put_data(cli_text* out, const view* v)
{
    double* values = malloc((size_t)v->frames * sizeof *values);
    out->failed = out->failed || values == NULL;
    if (values == NULL) return;
    const int32_t shown = v->in->file->leg_count < 8 ? v->in->file->leg_count : 8;
    const int32_t count = v->frames < 1500 ? v->frames : 1500;
    char dt[32];
    text_fmt(out, "<script type=\"application/json\" id=\"data\">{\"frames\":%d,\"dt\":%s,\"feet\":[", (int)v->frames,
             cli_number(v->dt, dt));
    for (int32_t i = 0; i < shown; ++i)
    {
        text_str(out, i > 0 ? ",{" : "{");
        for (int k = 0; k < 4; ++k)
        {
            const series which = k < 2 ? SERIES_SPEED : SERIES_TOE_HEIGHT;
            const double scale = which == SERIES_SPEED ? 1000.0 : 10.0;
            text_str(out, k == 0 ? "\"v\":[[" : k == 2 ? "\"h\":[[" : "[");
            report_series(v, i, k % 2 != 0, which, values);
            for (int32_t s = 0; s < count; ++s)
            {
                const int64_t frame = count > 1 ? ((int64_t)s * (v->frames - 1) + (count - 1) / 2) / (count - 1) : 0;
                text_fmt(out, "%s%.0f", s > 0 ? "," : "", sft_clampd(scale * values[frame], -1e7, 1e7));
            }
            text_str(out, k == 0 || k == 2 ? "]," : k == 1 ? "]]," : "]]");
        }
        text_str(out, "}");
    }
    text_str(out, "]}</script>");
    free(values);
}

// ---- figures ----

static void put_row(cli_text* out, const char* label, const char* unit, double was, double now, int digits)
{
    text_fmt(out, "<tr><td>%s</td><td class=\"was\">%s</td><td class=\"now\">%s</td><td class=\"unit\">%s</td></tr>",
             label, figure(was, digits), figure(now, digits), unit);
}

static void foot_rows(cli_text* out, const sft_metrics_foot* a, const sft_metrics_foot* b)
{
    put_row(out, "Slide while planted, mean", "cm/s", a->slide_mean_cm_s, b->slide_mean_cm_s, 3);
    put_row(out, "Slide while planted, max", "cm/s", a->slide_max_cm_s, b->slide_max_cm_s, 3);
    put_row(out, "Slide in all", "cm", a->slide_total_cm, b->slide_total_cm, 2);
    put_row(out, "Slide while touching, mean", "cm/s", a->touch_slide_mean_cm_s, b->touch_slide_mean_cm_s, 3);
    put_row(out, "Penetration, max", "cm", a->penetration_max_cm, b->penetration_max_cm, 2);
    put_row(out, "Float while planted, max", "cm", a->float_max_cm, b->float_max_cm, 2);
    put_row(out, "Leg-length change, max", "cm", a->leg_change_max_cm, b->leg_change_max_cm, 4);
    put_row(out, "Pop, 99.9th percentile", "rad/s&sup2;", a->pop_p999_rad_s2, b->pop_p999_rad_s2, 1);
    put_row(out, "Pop, max", "rad/s&sup2;", a->pop_max_rad_s2, b->pop_max_rad_s2, 1);
}

static void put_table(cli_text* out, const view* v)
{
    const report_input* in = v->in;
    text_str(out,
             "<section><h2>Figures</h2><p class=\"note\">Measured on the file as it was written, with the labels of "
             "the clip as it came in.</p><div class=\"tablewrap\"><table><thead><tr><th></th><th>before</th>"
             "<th>after</th><th></th></tr></thead><tbody>");
    for (int32_t i = 0; i < in->file->leg_count; ++i)
    {
        text_str(out, "<tr><th colspan=\"4\">");
        put_html(out, in->file->foot_names[i]);
        text_fmt(out, ", planted in %d frames</th></tr>", (int)in->before->feet[i].planted_frames);
        foot_rows(out, &in->before->feet[i], &in->figures_after->feet[i]);
    }
    const sft_metrics_clip* a = &in->before->clip;
    const sft_metrics_clip* b = &in->figures_after->clip;
    text_str(out, "<tr><th colspan=\"4\">Whole clip</th></tr>");
    put_row(out, "Pelvis acceleration, 99th percentile", "m/s&sup2;", a->pelvis_accel_p99, b->pelvis_accel_p99, 2);
    put_row(out, "Pelvis acceleration, max", "m/s&sup2;", a->pelvis_accel_max, b->pelvis_accel_max, 2);
    put_row(out, "Pelvis height, mean", "m", a->pelvis_height_mean, b->pelvis_height_mean, 4);
    text_str(out, "<tr><th colspan=\"4\">As others measure</th></tr>");
    const sft_metrics_published* p = &a->published;
    const sft_metrics_published* q = &b->published;
    put_row(out, "GMD skating ratio", "", p->gmd_skating_ratio, q->gmd_skating_ratio, 4);
    put_row(out, "Kimodo skate ratio", "", p->kimodo_skate_ratio, q->kimodo_skate_ratio, 4);
    put_row(out, "Kimodo toe speed below 5 cm", "m/s", p->kimodo_toe_speed, q->kimodo_toe_speed, 4);
    put_row(out, "Height-weighted slide", "", p->height_weighted_slide, q->height_weighted_slide, 3);
    put_row(out, "EDGE physical foot contact", "", p->edge_pfc, q->edge_pfc, 3);
    put_row(out, "LaFAN1 contact ratio", "", p->lafan_contact_ratio, q->lafan_contact_ratio, 4);
    text_str(out, "</tbody></table></div></section>");
}

static void put_misses(cli_text* out, const view* v)
{
    const sft_cleanup_report* r = v->in->done;
    char gave[64];
    text_str(out, "<section><h2>Not reached</h2>");
    if (r->miss_count == 0)
    {
        text_fmt(out, "<p class=\"note\" style=\"margin:0\">Every planted toe was reached%s.</p></section>",
                 v->in->kept_keys ? ", before the clip was fitted to the file's own keys" : "");
        return;
    }
    text_fmt(out,
             "<p class=\"note\">%d of %d frames in which a toe is held: how far the toe is from the place where its "
             "plant stands, and "
             "what was given up for it.%s</p>",
             (int)r->miss_count, (int)r->planted_frames,
             r->miss_count > MAX_ROWS ? " The first 300 are shown; clean --json lists them all." : "");
    text_str(
        out,
        "<div class=\"tablewrap tall\"><table class=\"misses\"><thead><tr><th>frame</th><th>foot</th><th>distance, cm"
        "</th><th>gave up</th></tr></thead><tbody>");
    for (int32_t i = 0; i < r->miss_count && i < MAX_ROWS; ++i)
    {
        text_fmt(out, "<tr><td>%d</td><td>", (int)r->misses[i].frame);
        put_html(out, v->in->file->foot_names[r->misses[i].foot]);
        text_fmt(out, "</td><td>%s</td><td>%s</td></tr>", figure(100.0 * r->misses[i].distance, 3),
                 cli_gave_up(r->misses[i].gave_up, gave, sizeof gave));
    }
    text_str(out, "</tbody></table></div></section>");
}

static void put_settings(cli_text* out, const view* v)
{
    const report_input* in = v->in;
    char name[NAME_SIZE];
    static const char* const give_way[] = {"root and legs", "legs; the root's path is kept", "root"};
    text_str(out, "<section><h2>How</h2><dl><dt>Method</dt><dd>");
    if (in->lock != NULL)
        text_fmt(out, "run-time lock, crossings of %s s</dd>", figure(in->lock->lock.blend_time, 3));
    else
        text_fmt(out, "%s, %d steps, %s</dd>", in->def->method == SFT_CLEANUP_RELAX ? "relax" : "direct",
                 (int)in->done->iterations, in->done->converged ? "converged" : "not converged");
    text_fmt(out, "<dt>Gives way</dt><dd>%s</dd><dt>Plants</dt><dd>%d, %s</dd>",
             in->lock != NULL ? "legs alone" : give_way[in->def->give_way], (int)in->done->plant_count,
             in->contacts->imported ? "labels given" : "found in the clip");
    text_str(out, "<dt>Correction carried by</dt><dd>");
    put_html(out, in->done->travel_joint < 0 ? "the legs alone"
                                             : cli_joint_name(in->file, in->done->travel_joint, name, sizeof name));
    char number[32];
    text_fmt(out, "</dd><dt>Unit and up axis</dt><dd>%s m, %s up</dd>", cli_number(in->file->space.unit_metres, number),
             cli_axis_name(in->file->space.up));
    text_fmt(out, "<dt>Motion starts at</dt><dd>frame %d</dd><dt>Written to</dt><dd>", (int)in->file->first_frame);
    put_html(out, in->output);
    text_str(out, "</dd></dl></section>");
}

void report_page(const report_input* in, cli_text* out)
{
    const view v = report_view(in);
    text_str(out, "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><meta name=\"viewport\" "
                  "content=\"width=device-width,initial-scale=1\"><title>");
    put_html(out, in->file->title);
    text_str(out, " cleaned</title><style>");
    for (size_t i = 0; i < report_css_count; ++i)
        text_str(out, report_css[i]);
    text_str(out, "</style></head><body><main>\n");
    put_head(out, &v);
    put_poses(out, &v);
    put_traces(out, &v);
    put_curves(out, &v);
    put_misses(out, &v);
    put_table(out, &v);
    put_settings(out, &v);
    const uint32_t version = sft_version();
    text_fmt(out, "<footer>Made by surefoot %u.%u.%u.</footer></main>\n", (unsigned)(version / 10000),
             (unsigned)(version / 100 % 100), (unsigned)(version % 100));
    put_data(out, &v);
    text_str(out, "<script>");
    for (size_t i = 0; i < report_js_count; ++i)
        text_str(out, report_js[i]);
    text_str(out, "</script></body></html>\n");
}
