// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// One SVG that stands alone: both figures, and the speed of feet. Follows the viewer's light or dark theme.

#include "retarget_report.h"

#include <stdlib.h>

#define WIDTH 1200.0
#define MARGIN 40.0
#define MAX_PLOTS 4

static const char* const style[] = {
    "<style>",
    ":root{--bg:#fff;--ink:#16202a;--soft:#5d6b78;--line:#dfe5ea;--before:#d55e00;--after:#0072b2;--body:#8b98a5;"
    "--l:#0072b2;--r:#d55e00;--src:#7c8894}",
    "@media(prefers-color-scheme:dark){:root{--bg:#11171d;--ink:#e8eef3;--soft:#96a5b3;--line:#2a343e;"
    "--before:#f0954a;--after:#56b4e9;--body:#71808e;--l:#56b4e9;--r:#f0954a;--src:#8c99a6}}",
    "text{font:15px system-ui,-apple-system,'Segoe UI',Roboto,'DejaVu Sans',sans-serif;fill:var(--soft)}",
    ".title{font-size:23px;font-weight:650;fill:var(--ink)}.head{font-weight:600;fill:var(--ink)}.end{text-anchor:end}",
    ".frame{font-size:12px;text-anchor:middle}.key{font-weight:600}",
    "path{fill:none;stroke-linejoin:round;stroke-linecap:round}.grid{stroke:var(--line)}.ground{stroke:var(--soft);"
    "stroke-width:1.2}.bone{stroke-width:3.2}.fine{stroke-width:1.3}.m{stroke:var(--body)}.l{stroke:var(--l)}"
    ".r{stroke:var(--r)}.planted{fill:var(--ink)}",
    ".curve{stroke-width:1.7}.source{stroke:var(--src)}.before{stroke:var(--before)}.after{stroke:var(--after)}",
    ".span{fill:var(--after);opacity:.13;stroke:none}",
    "</style>",
};

static void speed_plot(cli_text* out, const both_view* v, int32_t leg, const plot* p, double* values)
{
    static const char* const css[3] = {"curve source", "curve before", "curve after"};
    const float* plant = v->j->carried.labels->plant + (size_t)leg * (size_t)v->frames;
    double ticks[8], at[8];
    text_fmt(out, "<text class=\"head\" x=\"%.1f\" y=\"%.1f\">", p->x, p->y - 12.0);
    put_html(out, v->j->shown.foot_names[leg]);
    text_fmt(out, "</text><text class=\"end\" x=\"%.1f\" y=\"%.1f\">toe speed, m/s</text>", p->x + p->w, p->y - 12.0);
    draw_spans(out, p, plant, v->frames, v->r->options.threshold, "span");
    const int count = plot_ticks(p, ticks, at);
    text_fmt(out, "<path class=\"grid\" d=\"M%.1f %.1fh%.1f", p->x, p->y + p->h, p->w);
    for (int i = 0; i < count; ++i)
        text_fmt(out, "M%.1f %.1fh%.1f", p->x, at[i], p->w);
    text_str(out, "\"/>");
    for (int i = 0; i < count; ++i)
        text_fmt(out, "<text class=\"end\" x=\"%.1f\" y=\"%.1f\">%g</text>", p->x - 7.0, at[i] + 5.0, ticks[i]);
    for (int stage = 0; stage < 3; ++stage)
        if (retarget_foot_series(v, leg, (stage_of)stage, FOOT_SPEED, values))
            draw_series(out, p, values, v->frames, css[stage]);
    char seconds[32];
    text_fmt(out, "<text x=\"%.1f\" y=\"%.1f\">0 s</text>", p->x, p->y + p->h + 20.0);
    text_fmt(out, "<text class=\"end\" x=\"%.1f\" y=\"%.1f\">%s s, shaded: planted</text>", p->x + p->w,
             p->y + p->h + 20.0, cli_figure(v->dt * (v->frames - 1), 2, seconds));
}

static double speed_plots(cli_text* out, const both_view* v, double y)
{
    const int32_t legs = v->j->shown.leg_count, shown = legs < MAX_PLOTS ? legs : MAX_PLOTS;
    double* values = malloc(((size_t)v->frames + 1) * sizeof *values);
    out->failed = out->failed || values == NULL;
    if (values == NULL || v->j->carried.labels == NULL || shown == 0)
    {
        free(values);
        return y;
    }
    text_fmt(out,
             "<text x=\"%.0f\" y=\"%.1f\"><tspan class=\"key\" style=\"fill:var(--src)\">source</tspan>, <tspan "
             "class=\"key\" style=\"fill:var(--before)\">transfer alone</tspan>, <tspan class=\"key\" style=\"fill:"
             "var(--after)\">as written</tspan>; the source's speed times the scale</text>",
             MARGIN, y + 22.0);
    y += 68.0;
    const double gap = 74.0, w = 0.5 * (WIDTH - 2.0 * MARGIN - gap);
    for (int32_t i = 0; i < shown; ++i)
    {
        const plot p = {
            MARGIN + 24.0 + (i % 2) * (w + gap - 24.0), y + (i / 2) * 240.0, w - 24.0, 150.0, 0.0, v->speed_top, true};
        speed_plot(out, v, i, &p, values);
    }
    free(values);
    return y + (shown + 1) / 2 * 240.0 - 40.0;
}

void retarget_picture(const retarget* r, const retarget_job* j, cli_text* out)
{
    const both_view v = retarget_view(r, j);
    cli_text body = {0};
    char sentence[256];
    double y = 96.0, height = 0.0;
    text_fmt(&body, "<text class=\"title\" x=\"%.0f\" y=\"46\">", MARGIN);
    put_html(&body, j->source->title);
    text_str(&body, " onto ");
    put_html(&body, j->target->name);
    text_fmt(&body, "</text><text x=\"%.0f\" y=\"74\">", MARGIN);
    put_html(&body, retarget_sentence(r, j, sentence, sizeof sentence));
    text_str(&body, "</text>");
    for (int i = 0; i < 2; ++i)
    {
        const double at[2] = {MARGIN, y};
        retarget_draw_strips(&body, &v, i == 0 ? LOOK_SIDE : LOOK_FRONT, at, WIDTH - 2.0 * MARGIN, &height);
        y += height + 14.0;
    }
    text_fmt(
        &body,
        "<text x=\"%.0f\" y=\"%.1f\"><tspan class=\"key\" style=\"fill:var(--l)\">left</tspan>, <tspan class=\"key\" "
        "style=\"fill:var(--r)\">right</tspan>; dots: planted; each figure to its own height</text>",
        MARGIN, y + 8.0);
    y = speed_plots(&body, &v, y + 16.0) + 24.0;
    text_fmt(out,
             "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %.0f %.0f\" width=\"%.0f\" height=\"%.0f\" "
             "role=\"img\" aria-label=\"One motion on two figures\">",
             WIDTH, y, WIDTH, y);
    for (size_t i = 0; i < sizeof style / sizeof style[0]; ++i)
        text_str(out, style[i]);
    text_fmt(out, "<rect width=\"%.0f\" height=\"%.0f\" rx=\"10\" style=\"fill:var(--bg)\"/>", WIDTH, y);
    if (body.data != NULL) text_put(out, body.data, body.size);
    text_str(out, "</svg>\n");
    out->failed = out->failed || body.failed;
    text_free(&body);
}
