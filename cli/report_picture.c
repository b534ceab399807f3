// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// One SVG that stands alone: poses, speed of each foot, traces from above. Follows the viewer's light or dark theme.

#include "report.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define WIDTH 1200.0
#define MARGIN 40.0

static const char* const style[] = {
    "<style>",
    ":root{--bg:#fff;--ink:#16202a;--soft:#5d6b78;--line:#dfe5ea;--before:#d55e00;--after:#0072b2;--body:#8b98a5;"
    "--right:#5aa7d6}",
    "@media(prefers-color-scheme:dark){:root{--bg:#11171d;--ink:#e8eef3;--soft:#96a5b3;--line:#2a343e;"
    "--before:#f0954a;--after:#56b4e9;--body:#71808e;--right:#2f7fb0}}",
    "text{font:15px system-ui,-apple-system,'Segoe UI',Roboto,'DejaVu Sans',sans-serif;fill:var(--soft)}",
    ".title{font-size:25px;font-weight:650;fill:var(--ink)}.head{font-size:15px;font-weight:600;fill:var(--ink)}",
    ".key{font-weight:600}.end{text-anchor:end}.b{fill:var(--before)}.a{fill:var(--after)}",
    "path{fill:none;stroke-linejoin:round;stroke-linecap:round}",
    ".grid{stroke:var(--line);stroke-width:1}.ground{stroke:var(--soft);stroke-width:1.2}",
    ".bone{stroke-width:3.4}.ghost{stroke:var(--before);opacity:.5;stroke-width:2.2}.body{stroke:var(--body)}",
    ".leg{stroke-width:4.4}.ghost.leg{stroke-width:2.6}.left{stroke:var(--after)}.right{stroke:var(--right)}",
    ".planted{fill:var(--ink)}",
    ".curve{stroke-width:1.8}.before{stroke:var(--before)}.after{stroke:var(--after)}",
    ".trace{stroke-width:1.3;opacity:.6}.plant{stroke-width:6.5;opacity:.9}.plant.after{stroke-width:7}",
    ".span{fill:var(--after);opacity:.13;stroke:none}",
    "</style>",
};

static void put_number(cli_text* out, double value, int digits)
{
    char number[32];
    text_str(out, cli_figure(value, digits, number));
}

static void heading(cli_text* out, const view* v)
{
    const report_input* in = v->in;
    char sentence[256];
    text_fmt(out, "<text class=\"title\" x=\"%.0f\" y=\"52\">", MARGIN);
    put_html(out, report_headline(in, sentence, sizeof sentence));
    text_fmt(out, "</text><text x=\"%.0f\" y=\"82\">Mean slide of planted toes <tspan class=\"key b\">", MARGIN);
    put_number(out, in->before->clip.slide_mean_cm_s, 2);
    text_str(out, " cm/s before</tspan>, <tspan class=\"key a\">");
    put_number(out, in->figures_after->clip.slide_mean_cm_s, 2);
    text_str(out, " cm/s after</tspan>; ");
    if (in->done->miss_count == 0)
        text_fmt(out, "every planted toe was reached%s", in->kept_keys ? " before keys were fitted" : "");
    else
        text_fmt(out, "%d of %d frames in which a toe is held could not be reached", (int)in->done->miss_count,
                 (int)in->done->planted_frames);
    text_str(out, "</text>");
}

static void speed_plot(cli_text* out, const view* v, int32_t foot, const plot* p, double* values)
{
    const contacts* c = v->in->contacts;
    const float* plant = c->labels->plant + (size_t)foot * (size_t)v->frames;
    double ticks[8], at[8];
    text_fmt(out, "<text class=\"head\" x=\"%.1f\" y=\"%.1f\">", p->x, p->y - 12.0);
    put_html(out, v->in->file->foot_names[foot]);
    text_fmt(out, "</text><text class=\"end\" x=\"%.1f\" y=\"%.1f\">toe speed, m/s</text>", p->x + p->w, p->y - 12.0);
    draw_spans(out, p, plant, v->frames, v->in->threshold, "span");
    const int count = plot_ticks(p, ticks, at);
    text_fmt(out, "<path class=\"grid\" d=\"M%.1f %.1fh%.1f", p->x, p->y + p->h, p->w);
    for (int i = 0; i < count; ++i)
        text_fmt(out, "M%.1f %.1fh%.1f", p->x, at[i], p->w);
    text_str(out, "\"/>");
    for (int i = 0; i < count; ++i)
        text_fmt(out, "<text class=\"end\" x=\"%.1f\" y=\"%.1f\">%g</text>", p->x - 7.0, at[i] + 5.0, ticks[i]);
    for (int after = 0; after < 2; ++after)
    {
        report_series(v, foot, after != 0, SERIES_SPEED, values);
        draw_series(out, p, values, v->frames, after ? "curve after" : "curve before");
    }
    char seconds[32];
    text_fmt(out, "<text x=\"%.1f\" y=\"%.1f\">0 s</text>", p->x, p->y + p->h + 20.0);
    text_fmt(out, "<text class=\"end\" x=\"%.1f\" y=\"%.1f\">%s s, shaded: planted</text>", p->x + p->w,
             p->y + p->h + 20.0, cli_figure(v->dt * (v->frames - 1), 2, seconds));
}

void report_picture(const report_input* in, cli_text* out)
{
    const view v = report_view(in);
    cli_text body = {0};
    double y = 112.0, height = 0.0;
    heading(&body, &v);
    draw_poses(&body, &v, MARGIN, y, WIDTH - 2.0 * MARGIN, &height);
    y += height + 10.0;
    text_fmt(&body,
             "<text x=\"%.0f\" y=\"%.1f\"><tspan class=\"key b\">before</tspan> under <tspan class=\"key a\">"
             "after</tspan>, dots: planted toes</text>",
             MARGIN, y);
    y += 58.0;
    double* values = malloc((size_t)v.frames * sizeof *values);
    const double gap = 74.0, w = 0.5 * (WIDTH - 2.0 * MARGIN - gap);
    const int32_t shown = in->file->leg_count < 4 ? in->file->leg_count : 4;
    for (int32_t i = 0; values != NULL && i < shown; ++i)
    {
        const plot p = {
            MARGIN + 24.0 + (i % 2) * (w + gap - 24.0), y + (i / 2) * 240.0, w - 24.0, 150.0, 0.0, v.speed_top, true};
        speed_plot(&body, &v, i, &p, values);
    }
    body.failed = body.failed || values == NULL;
    free(values);
    y += (shown + 1) / 2 * 240.0 - 26.0;
    text_fmt(&body, "<text class=\"head\" x=\"%.0f\" y=\"%.1f\">Toes from above</text>", MARGIN, y);
    text_fmt(&body, "<text class=\"end\" x=\"%.0f\" y=\"%.1f\">thick: planted; lines a metre apart</text>",
             WIDTH - MARGIN, y);
    draw_traces(&body, &v, MARGIN, y + 14.0, WIDTH - 2.0 * MARGIN, &height);
    y += 14.0 + height + 28.0;
    text_fmt(out,
             "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %.0f %.0f\" width=\"%.0f\" height=\"%.0f\" "
             "role=\"img\" aria-label=\"Feet of a clip before and after cleaning\">",
             WIDTH, y, WIDTH, y);
    for (size_t i = 0; i < sizeof style / sizeof style[0]; ++i)
        text_str(out, style[i]);
    text_fmt(out, "<rect width=\"%.0f\" height=\"%.0f\" rx=\"10\" style=\"fill:var(--bg)\"/>", WIDTH, y);
    if (body.data != NULL) text_put(out, body.data, body.size);
    text_str(out, "</svg>\n");
    out->failed = out->failed || body.failed;
    text_free(&body);
}
