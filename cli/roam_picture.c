// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// A walk as a picture: poses of a cycle, foot traces from above, and which foot is down when.

#include "roam.h"

#include <math.h>

#define WIDTH 960.0
#define MARGIN 24.0
#define LABEL 56.0
#define ROW 15.0
#define GAIT_SECONDS 6.0

static const char* const colours[8] = {"#2b7a78", "#d1495b", "#edae49", "#5c6bc0",
                                       "#66a182", "#8d5a97", "#00798c", "#c97b63"};

const char* roam_leg_colour(int32_t leg)
{
    return colours[leg % 8];
}

typedef struct frame_box
{
    double left, top, scale, height;
    double lo_x, lo_z;
    bool turned; // the longer way lies along the page
} frame_box;

static void put_number(cli_text* out, double value)
{
    char text[32];
    text_str(out, cli_figure(value, 2, text));
}

static void put_point(cli_text* out, const frame_box* box, sft_v3d p)
{
    // Seen from above: +Z to the right and +X up, or +X to the right and +Z down.
    const double x = box->turned ? p.z - box->lo_z : p.x - box->lo_x;
    const double y = box->turned ? p.x - box->lo_x : p.z - box->lo_z;
    put_number(out, box->left + box->scale * x);
    text_str(out, ",");
    put_number(out, box->turned ? box->top + box->height - box->scale * y : box->top + box->scale * y);
}

static frame_box find_box(const roam_job* j, double top)
{
    double lo_x = INFINITY, hi_x = -INFINITY, lo_z = INFINITY, hi_z = -INFINITY;
    const size_t n = (size_t)j->clip->frame_count * (size_t)j->def.leg_count;
    for (size_t i = 0; i < n; ++i)
    {
        lo_x = fmin(lo_x, j->feet[i].x);
        hi_x = fmax(hi_x, j->feet[i].x);
        lo_z = fmin(lo_z, j->feet[i].z);
        hi_z = fmax(hi_z, j->feet[i].z);
    }
    frame_box box = {.left = MARGIN, .top = top, .lo_x = lo_x, .lo_z = lo_z, .turned = hi_z - lo_z >= hi_x - lo_x};
    const double along = fmax(box.turned ? hi_z - lo_z : hi_x - lo_x, 1e-6);
    const double across = box.turned ? hi_x - lo_x : hi_z - lo_z;
    box.scale = fmin((WIDTH - 2 * MARGIN) / along, 520 / fmax(across, 1e-6));
    box.height = box.scale * across;
    return box;
}

static void put_traces(const roam_job* j, const frame_box* box, cli_text* out)
{
    const int32_t legs = j->def.leg_count;
    text_str(out, "<polyline class=\"body\" points=\"");
    for (int32_t f = 0; f < j->clip->frame_count; ++f)
    {
        put_point(out, box, j->bodies[f]);
        text_str(out, " ");
    }
    text_str(out, "\"/>\n");
    for (int32_t l = 0; l < legs; ++l)
    {
        text_fmt(out, "<polyline fill=\"none\" stroke=\"%s\" stroke-width=\"1\" opacity=\"0.55\" points=\"",
                 colours[l % 8]);
        for (int32_t f = 0; f < j->clip->frame_count; ++f)
        {
            put_point(out, box, j->feet[(size_t)f * (size_t)legs + (size_t)l]);
            text_str(out, " ");
        }
        text_str(out, "\"/>\n");
        // A dot where a foot came to stand.
        for (int32_t f = 0; f < j->clip->frame_count; ++f)
        {
            const size_t at = (size_t)f * (size_t)legs + (size_t)l;
            if (j->swings[at] || (f > 0 && !j->swings[at - (size_t)legs])) continue;
            char point[80];
            cli_text text = {0};
            put_point(&text, box, j->feet[at]);
            snprintf(point, sizeof point, "%s", text.data != NULL ? text.data : "0,0");
            text_free(&text);
            char* comma = point;
            while (*comma != ',' && *comma != '\0')
                ++comma;
            const bool split = *comma == ',';
            if (split) *comma = '\0';
            text_fmt(out, "<circle cx=\"%s\" cy=\"%s\" r=\"2.6\" fill=\"%s\"/>\n", point, split ? comma + 1 : "0",
                     colours[l % 8]);
        }
    }
}

// A bar where a foot is down, as such diagrams are drawn.
static void put_gait(const roam_job* j, double top, cli_text* out)
{
    static const char sides[3] = {'L', 'R', 'M'};
    const int32_t legs = j->def.leg_count;
    const double seconds = fmin(GAIT_SECONDS, (j->clip->frame_count - 1) * j->clip->frame_time);
    const int32_t frames = (int32_t)(seconds / j->clip->frame_time) + 1;
    const double step = (WIDTH - 2 * MARGIN - LABEL) / fmax(frames, 1);
    for (int32_t l = 0; l < legs; ++l)
    {
        const double y = top + ROW * l;
        text_fmt(out, "<text x=\"%.1f\" y=\"%.1f\">%c%d</text>\n", MARGIN, y + ROW - 4, sides[j->def.legs[l].side],
                 (int)j->def.legs[l].pair);
        int32_t start = -1;
        for (int32_t f = 0; f <= frames; ++f)
        {
            const bool down = f < frames && !j->swings[(size_t)f * (size_t)legs + (size_t)l];
            if (down && start < 0) start = f;
            if (down || start < 0) continue;
            text_fmt(out, "<rect x=\"%.2f\" y=\"%.2f\" width=\"%.2f\" height=\"%.2f\" fill=\"%s\"/>\n",
                     MARGIN + LABEL + step * start, y + 2, step * (f - start), ROW - 4, colours[l % 8]);
            start = -1;
        }
    }
    text_fmt(out, "<text x=\"%.1f\" y=\"%.1f\">%.1f s; bars: foot on the ground</text>\n", MARGIN + LABEL,
             top + ROW * legs + 14, seconds);
}

void roam_picture(const roam_job* j, cli_text* out)
{
    cli_text strip = {0};
    const double poses = roam_strip(j, MARGIN, 2 * MARGIN, WIDTH - 2 * MARGIN, &strip);
    const frame_box box = find_box(j, 4 * MARGIN + poses);
    const double gait = box.top + box.height + 2 * MARGIN;
    const double height = gait + ROW * j->def.leg_count + 2 * MARGIN;
    text_fmt(out,
             "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %.0f %.0f\" font-family=\"sans-serif\" "
             "font-size=\"12\" fill=\"#333\">\n<style>.body{fill:none;stroke:#999;stroke-width:1.5;"
             "stroke-dasharray:4 3}</style>\n<rect width=\"100%%\" height=\"100%%\" fill=\"#fff\"/>\n",
             WIDTH, height);
    text_fmt(out, "<text x=\"%.0f\" y=\"%.0f\">A cycle of steps; dots: full where a foot stands</text>\n", MARGIN,
             MARGIN);
    if (strip.data != NULL) text_str(out, strip.data);
    text_free(&strip);
    text_fmt(out,
             "<text x=\"%.0f\" y=\"%.0f\">Feet from above: traces, and dots where they came to stand; the body's way "
             "dashed</text>\n",
             MARGIN, box.top - MARGIN);
    put_traces(j, &box, out);
    put_gait(j, gait, out);
    text_str(out, "</svg>\n");
}
