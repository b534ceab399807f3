// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// The page of `surefoot retarget --report`: one HTML file that stands alone, in the style of `clean`'s.

#include "retarget_report.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report_style.h"

#define CHART_WIDTH 1000.0
#define MAX_ROWS 300
#define MAX_JOINTS 2000
#define MAX_FEET 8
#define MAX_CHARTS 10

static const char* const own_css[] = {
    ":root{--l:#0072b2;--r:#d55e00;--src:#7c8894}@media(prefers-color-scheme:dark){:root{--l:#56b4e9;--r:#f0954a;"
    "--src:#8c99a6}}",
    ".m{stroke:var(--body)}.l{stroke:var(--l)}.r{stroke:var(--r)}.bone.fine{stroke-width:1.3}.bone{stroke-width:3.2}",
    ".lane{font-size:14px;fill:var(--soft)}.frame{font-size:12px;fill:var(--soft);text-anchor:middle}",
    ".keys .lk i{border-color:var(--l)}.keys .rk i{border-color:var(--r)}.keys .sk i{border-color:var(--src)}",
    ".curve.source{stroke:var(--src)}.curve.dash{stroke-dasharray:3 3;stroke-width:1.2}",
    ".said{margin:0 0 14px;padding-left:1.2em;font-size:14.5px}.said li{margin:2px 0}",
    ".map td,.map th{text-align:left}.map td:last-child{white-space:normal;min-width:17em;color:var(--soft)}"
    ".map td:first-child{min-width:8em;white-space:nowrap}.bar{display:inline-block;width:54px;height:7px;"
    "border-radius:4px;background:var(--line);vertical-align:1px;margin-right:8px;overflow:hidden}.bar b{display:block;"
    "height:100%;background:var(--after)}.bar.low b{background:var(--before)}tr.rest td{color:var(--soft)}",
    "td.src{color:var(--src)}.limbs{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(100%,440px),1fr));"
    "gap:0 40px}.limbs .foot{margin-top:14px;padding-top:16px;min-width:0}",
    "@media(max-width:560px){th:first-child,td:first-child{min-width:8.5em}}",
};

static const char* figure(double value, int digits)
{
    static char ring[6][32]; // several in one text_fmt
    static int next;
    next = (next + 1) % 6;
    return cli_figure(value, digits, ring[next]);
}

// ---- head ----

static const limb_error* worst_limb(const retarget_job* j)
{
    const limb_error* worst = NULL;
    for (int32_t i = 0; i < j->limb_count; ++i)
        if (worst == NULL || j->limbs[i].mean > worst->mean) worst = &j->limbs[i];
    return worst;
}

const char* retarget_sentence(const retarget* r, const retarget_job* j, char* out, size_t capacity)
{
    const limb_error* limb = worst_limb(j);
    char turn[128] = "";
    if (limb != NULL)
        snprintf(turn, sizeof turn,
                 limb->mean > RETARGET_ASTRAY ? "Limbs point up to %s degrees off the source's on average"
                                              : "Limbs point the way the source's do, within %s degrees on average",
                 figure(sft_maxd(limb->mean, 0.01), 2));
    const char* opening = limb != NULL ? turn : "The motion was moved";
    const int plants = (int)j->mended.plant_count;
    if (j->carried.labels == NULL)
        snprintf(out, capacity, "%s", opening);
    else if (retarget_why_unplanted(r, j) != NULL)
        snprintf(out, capacity, "%s; feet were left where that puts them", opening);
    else if (plants == 0)
        snprintf(out, capacity, "%s; no foot is planted in this clip", opening);
    else
        snprintf(out, capacity, "%s; %d plant%s stand%s%s", opening, plants, plants == 1 ? "" : "s",
                 plants == 1 ? "s" : "", j->mended.miss_count > 0 ? ", but for the frames named below" : " still");
    return out;
}

static void tile(cli_text* out, const char* label, const char* was, const char* now, const char* unit, const char* note)
{
    text_fmt(out, "<div class=\"tile\"><p>%s</p><p class=\"big\">", label);
    if (was != NULL) text_fmt(out, "<span class=\"was\">%s</span><span class=\"arrow\">&rarr;</span>", was);
    text_fmt(out, "<span class=\"now\">%s</span> <small>%s</small></p><p>%s</p></div>", now, unit, note);
}

static void put_head(cli_text* out, const both_view* v)
{
    const retarget_job* j = v->j;
    char sentence[256], note[128];
    const limb_error* limb = worst_limb(j);
    text_str(out, "<header><p class=\"kicker\">Surefoot moved <b>");
    put_html(out, j->source->title);
    text_fmt(out, "</b>, %d frame%s, %s s, onto <b>", (int)v->frames, v->frames == 1 ? "" : "s",
             figure(v->dt * v->frames, 2));
    put_html(out, j->target->name);
    text_str(out, "</b></p><h1>");
    put_html(out, retarget_sentence(v->r, j, sentence, sizeof sentence));
    text_str(out, "</h1><div class=\"tiles\">");
    if (limb != NULL)
    {
        snprintf(note, sizeof note, "%s, mean of the transfer alone", limb->name);
        tile(out, "Limb directions off, at worst", NULL, figure(limb->mean, 2), "degrees", note);
    }
    if (j->carried.labels != NULL)
    {
        tile(out, "Mean slide of planted feet", figure(j->before.clip.slide_mean_cm_s, 2),
             figure(j->after.clip.slide_mean_cm_s, 2), "cm/s", "transfer alone, then as written");
        tile(out, "Below the feet's support", figure(j->before.clip.penetration_max_cm, 2),
             figure(j->after.clip.penetration_max_cm, 2), "cm", "deepest point of a foot");
    }
    snprintf(note, sizeof note, "legs of %s m onto %s m", figure(j->source_rig->leg_length, 3),
             figure(j->target_rig->leg_length, 3));
    tile(out, "Travel times", NULL, figure(j->transfer.scale, 3), "", note);
    text_str(out, "</div></header>");
}

// ---- strips ----

static void put_strip(cli_text* out, const both_view* v, look from, const char* label)
{
    double height = 0.0;
    const double at[2] = {0.0, 0.0};
    cli_text drawing = {0};
    retarget_draw_strips(&drawing, v, from, at, 1120.0, &height);
    text_fmt(out, "<div class=\"pan\"><svg viewBox=\"0 0 1120 %.0f\" role=\"img\" aria-label=\"%s\">", height, label);
    if (drawing.data != NULL) text_put(out, drawing.data, drawing.size);
    text_str(out, "</svg></div>");
    out->failed = out->failed || drawing.failed;
    text_free(&drawing);
}

static void put_strips(cli_text* out, const both_view* v)
{
    text_fmt(out,
             "<section><h2>Side by side</h2><p class=\"note\">Both figures at the same frames, %d to %d, each drawn to "
             "its own height and centred on its hips; from the side, then at a slant from ahead.</p><ul class=\"keys\">"
             "<li class=\"lk\"><i></i>left</li><li class=\"rk\"><i></i>right</li><li class=\"d\"><i></i>planted</li>"
             "</ul>",
             (int)v->first, (int)v->last);
    put_strip(out, v, LOOK_SIDE, "Both figures from the side");
    put_strip(out, v, LOOK_FRONT, "Both figures at a slant from ahead");
    text_str(out, "</section>");
}

// ---- curves ----

static void open_wide(cli_text* out, const both_view* v, const char* title, const char* note)
{
    const double seconds = v->dt * v->frames;
    text_str(out, "<div class=\"foot\"><div class=\"foothead\"><h3>");
    put_html(out, title);
    // A long clip gets about 70 pixels a second, and a bar to scroll it with.
    text_fmt(
        out,
        "</h3><div class=\"read\">%s</div></div><div class=\"scroll\"><div class=\"wide\" style=\"min-width:%.0fpx\">",
        note, seconds > 14.0 ? sft_mind(70.0 * seconds, 9000.0) : 0.0);
}

static void close_wide(cli_text* out, const both_view* v)
{
    report_put_times(out, v->dt, v->frames);
    text_str(out, "</div></div></div>");
}

// "upper arm" of "left upper arm": limbs of one kind share a chart.
static const char* kind_of(const limb_error* limb)
{
    const char* space = strchr(limb->name, ' ');
    return space != NULL ? space + 1 : limb->name;
}

static void put_limb_chart(cli_text* out, const both_view* v, int32_t first)
{
    const retarget_job* j = v->j;
    const plot p = {0.0, 0.0, CHART_WIDTH, 96.0, 0.0, v->turn_top, false};
    char note[160] = "";
    for (int32_t i = first; i < j->limb_count; ++i)
    {
        const limb_error* limb = &j->limbs[i];
        if (strcmp(kind_of(limb), kind_of(&j->limbs[first])) != 0) continue;
        const size_t size = strlen(note);
        snprintf(note + size, sizeof note - size, "%s%.*s %s to %s", size > 0 ? ", " : "mean ",
                 (int)(strchr(limb->name, ' ') - limb->name), limb->name, figure(limb->mean, 2),
                 figure(limb->after_mean, 2));
    }
    open_wide(out, v, kind_of(&j->limbs[first]), note);
    report_open_chart(out, &p, "low", "degrees off the source's direction");
    for (int32_t i = first; i < j->limb_count; ++i)
    {
        const limb_error* limb = &j->limbs[i];
        if (strcmp(kind_of(limb), kind_of(&j->limbs[first])) != 0) continue;
        const char* side = limb->name[0] == 'l' ? "l" : limb->name[0] == 'r' ? "r" : "m";
        char css[32];
        snprintf(css, sizeof css, "curve dash %s", side);
        draw_series(out, &p, limb->moved, v->frames, css);
        snprintf(css, sizeof css, "curve %s", side);
        draw_series(out, &p, limb->solved, v->frames, css);
    }
    report_close_chart(out);
    close_wide(out, v);
}

static void put_limbs(cli_text* out, const both_view* v)
{
    const retarget_job* j = v->j;
    if (j->limb_count == 0) return;
    text_str(out, "<section><h2>Limbs over time</h2><p class=\"note\">How far each bone points from where the "
                  "source's points, from places of joints. Dashed: the transfer alone, which should be flat. Full: as "
                  "written; what planting feet took shows in the legs.</p><ul class=\"keys\"><li class=\"lk\"><i></i>"
                  "left</li><li class=\"rk\"><i></i>right</li></ul><div class=\"limbs\">");
    int charts = 0;
    for (int32_t i = 0; i < j->limb_count && charts < MAX_CHARTS; ++i)
    {
        bool seen = false;
        for (int32_t k = 0; k < i; ++k)
            seen = seen || strcmp(kind_of(&j->limbs[k]), kind_of(&j->limbs[i])) == 0;
        if (seen) continue;
        put_limb_chart(out, v, i);
        ++charts;
    }
    text_str(out, "</div></section>");
}

static void put_foot_chart(cli_text* out, const both_view* v, int32_t leg, foot_series which, double* values)
{
    static const char* const css[3] = {"curve source", "curve before", "curve after"};
    const float* plant = v->j->carried.labels->plant + (size_t)leg * (size_t)v->frames;
    const bool speed = which == FOOT_SPEED;
    const plot p = {
        0.0, 0.0, CHART_WIDTH, speed ? 150.0 : 96.0, speed ? 0.0 : -2.0, speed ? v->speed_top : v->height_top, speed};
    report_open_chart(out, &p, speed ? "" : "low", speed ? "toe speed, m/s" : "height of the toe, cm");
    draw_spans(out, &p, plant, v->frames, v->r->options.threshold, "shade");
    for (int stage = 0; stage < 3; ++stage)
        if (retarget_foot_series(v, leg, (stage_of)stage, which, values))
            draw_series(out, &p, values, v->frames, css[stage]);
    report_close_chart(out);
}

static void put_feet(cli_text* out, const both_view* v)
{
    const retarget_job* j = v->j;
    double* values = malloc(((size_t)v->frames + 1) * sizeof *values);
    out->failed = out->failed || values == NULL;
    if (values == NULL || j->carried.labels == NULL)
    {
        free(values);
        return;
    }
    text_fmt(
        out,
        "<section><h2>Feet over time</h2><p class=\"note\">Toes of both figures, the source's times %s so that they "
        "can be compared. Shaded where the source's foot is planted. The speed axis is that of the square root, so "
        "that slow slide and fast swing can both be read.</p><ul class=\"keys\"><li class=\"sk\"><i></i>source</li>"
        "<li class=\"b\"><i></i>transfer alone</li><li class=\"a\"><i></i>as written</li></ul>",
        figure(j->transfer.scale, 3));
    for (int32_t i = 0; i < j->shown.leg_count && i < MAX_FEET; ++i)
    {
        open_wide(out, v, j->shown.foot_names[i], "");
        put_foot_chart(out, v, i, FOOT_SPEED, values);
        put_foot_chart(out, v, i, FOOT_HEIGHT, values);
        close_wide(out, v);
    }
    text_str(out, "</section>");
    free(values);
}

// ---- the map ----

static void put_joint(cli_text* out, const loaded* file, int32_t joint)
{
    char name[NAME_SIZE];
    if (joint >= 0) put_html(out, cli_joint_name(file, joint, name, sizeof name));
}

static void put_pair(cli_text* out, const retarget_job* j, const sft_joint_pair* pair)
{
    static const char* const rules[5] = {"rest", "joint", "chain", "twist", "root"};
    const bool rest = pair->rule == SFT_PAIR_REST;
    text_fmt(out, "<tr%s><td>", rest ? " class=\"rest\"" : "");
    put_joint(out, j->target, pair->target);
    text_str(out, "</td><td>");
    put_joint(out, j->source, pair->source);
    if (pair->source_next >= 0) text_str(out, ", ");
    put_joint(out, j->source, pair->source_next);
    text_fmt(out, "</td><td>%s", rules[pair->rule]);
    if (pair->rule == SFT_PAIR_CHAIN || pair->rule == SFT_PAIR_TWIST) text_fmt(out, " %s", figure(pair->share, 2));
    text_str(out, "</td><td>");
    if (!rest)
        text_fmt(out, "<span class=\"bar%s\"><b style=\"width:%.0f%%\"></b></span>%s",
                 pair->confidence < 0.6f ? " low" : "", 100.0 * sft_clampd((double)pair->confidence, 0.0, 1.0),
                 figure((double)pair->confidence, 2));
    text_str(out, "</td><td>");
    put_html(out, pair->reason);
    text_str(out, "</td></tr>");
}

static void put_map(cli_text* out, const both_view* v)
{
    const retarget_job* j = v->j;
    const sft_retarget_map_contents* m = j->pairs;
    int32_t joints = 0;
    for (int32_t k = 0; k < m->target_joint_count; ++k)
        joints += (j->target->skeleton->flags[k] & SFT_JOINT_END_SITE) == 0;
    text_fmt(out,
             "<section><h2>Map</h2><p class=\"note\">Where the target's %d joints get their motion from, and how sure "
             "that is; %sthe list scrolls. --map-out writes it as a file to edit, --map takes it back.</p>",
             (int)joints, joints > MAX_JOINTS ? "the first 2000 are shown; " : "");
    if (m->fallback_count + m->unused_count > 0) text_str(out, "<ul class=\"said\">");
    for (int32_t i = 0; i < m->fallback_count + m->unused_count; ++i)
    {
        text_str(out, "<li>");
        put_html(out, i < m->fallback_count ? m->fallbacks[i] : m->unused[i - m->fallback_count]);
        text_str(out, "</li>");
    }
    if (m->fallback_count + m->unused_count > 0) text_str(out, "</ul>");
    text_str(out, "<div class=\"tablewrap tall\"><table class=\"map\"><thead><tr><th>target</th><th>source</th>"
                  "<th>rule</th><th>confidence</th><th>why</th></tr></thead><tbody>");
    for (int32_t k = 0; k < m->target_joint_count && k < MAX_JOINTS; ++k)
        if ((j->target->skeleton->flags[k] & SFT_JOINT_END_SITE) == 0) put_pair(out, j, &m->pairs[k]);
    text_str(out, "</tbody></table></div></section>");
}

// ---- figures ----

static void put_row(cli_text* out, const char* label, const char* unit, const double values[3], int digits)
{
    text_fmt(out,
             "<tr><td>%s</td><td class=\"src\">%s</td><td class=\"was\">%s</td><td class=\"now\">%s</td>"
             "<td class=\"unit\">%s</td></tr>",
             label, figure(values[0], digits), figure(values[1], digits), figure(values[2], digits), unit);
}

static void limb_rows(cli_text* out, const retarget_job* j)
{
    text_str(out, "<tr><th colspan=\"5\">Directions, mean and 99th percentile</th></tr>");
    for (int32_t i = 0; i < j->limb_count; ++i)
    {
        const limb_error* limb = &j->limbs[i];
        text_fmt(out,
                 "<tr><td>%s</td><td class=\"src\"></td><td class=\"was\">%s, %s</td><td class=\"now\">%s, %s</td>"
                 "<td class=\"unit\">degrees</td></tr>",
                 limb->name, figure(limb->mean, 2), figure(limb->p99, 2), figure(limb->after_mean, 2),
                 figure(limb->after_p99, 2));
    }
}

static void turn_rows(cli_text* out, const sft_mend_report* m)
{
    static const char* const names[4] = {"left arm", "right arm", "left leg", "right leg"};
    text_str(out, "<tr><th colspan=\"5\">Extra turn of limbs against the transfer, mean and largest</th></tr>");
    for (int i = 0; i < 4; ++i)
        text_fmt(out,
                 "<tr><td>%s</td><td class=\"src\"></td><td class=\"was\"></td><td class=\"now\">%s, %s</td>"
                 "<td class=\"unit\">degrees</td></tr>",
                 names[i], figure(m->limb_turn_mean[i] * 180.0 / SFT_PI, 2),
                 figure(m->limb_turn_max[i] * 180.0 / SFT_PI, 2));
}

static void put_table(cli_text* out, const both_view* v)
{
    const retarget_job* j = v->j;
    const sft_metrics_clip *s = &j->source_figures.clip, *a = &j->before.clip, *b = &j->after.clip;
    text_str(out, "<section><h2>Figures</h2><p class=\"note\">Measured on what was written, with the contacts of the "
                  "source.</p><div class=\"tablewrap\"><table><thead><tr><th></th><th>source</th><th>transfer</th>"
                  "<th>written</th><th></th></tr></thead><tbody>");
    if (j->carried.labels != NULL)
    {
        put_row(out, "Slide of planted feet, mean", "cm/s",
                (const double[3]){s->slide_mean_cm_s, a->slide_mean_cm_s, b->slide_mean_cm_s}, 3);
        put_row(out, "Slide of planted feet, max", "cm/s",
                (const double[3]){s->slide_max_cm_s, a->slide_max_cm_s, b->slide_max_cm_s}, 3);
        put_row(out, "Below the feet's support, max", "cm",
                (const double[3]){s->penetration_max_cm, a->penetration_max_cm, b->penetration_max_cm}, 2);
        put_row(out, "Pelvis acceleration, 99th percentile", "m/s&sup2;",
                (const double[3]){s->pelvis_accel_p99, a->pelvis_accel_p99, b->pelvis_accel_p99}, 2);
        put_row(out, "Pelvis height, mean", "m",
                (const double[3]){s->pelvis_height_mean, a->pelvis_height_mean, b->pelvis_height_mean}, 4);
    }
    if (retarget_why_unplanted(v->r, j) == NULL && j->carried.labels != NULL)
        text_fmt(out,
                 "<tr><td>Pelvis moved against the transfer, at most</td><td class=\"src\"></td><td class=\"was\"></td>"
                 "<td class=\"now\">%s</td><td class=\"unit\">cm</td></tr>",
                 figure(100.0 * j->mended.pelvis_shift_max, 2));
    limb_rows(out, j);
    if (j->solved != NULL) turn_rows(out, &j->mended);
    text_str(out, "</tbody></table></div></section>");
}

static void put_misses(cli_text* out, const both_view* v)
{
    const retarget_job* j = v->j;
    const sft_mend_report* m = &j->mended;
    if (j->solved == NULL || (m->plant_count == 0 && m->goal_count == 0)) return;
    text_str(out, "<section><h2>Not reached</h2>");
    if (m->miss_count == 0)
    {
        text_str(out, "<p class=\"note\" style=\"margin:0\">Every goal was reached.</p></section>");
        return;
    }
    text_fmt(out,
             "<p class=\"note\">%d frames in which a joint is not where it should be: how far off, how far its goal is "
             "from the limb's first joint, how long the limb is, and what gave way.%s</p>",
             (int)m->miss_count,
             m->miss_count > MAX_ROWS ? " The first 300 are shown; retarget --json lists them all." : "");
    text_str(out,
             "<div class=\"tablewrap tall\"><table class=\"misses\"><thead><tr><th>frame</th><th>joint</th><th>off, cm"
             "</th><th>goal at, m</th><th>limb, m</th><th>gave way</th></tr></thead><tbody>");
    for (int32_t i = 0; i < m->miss_count && i < MAX_ROWS; ++i)
    {
        const sft_mend_miss* miss = &m->misses[i];
        text_fmt(out, "<tr><td>%d</td><td>", (int)miss->frame);
        put_joint(out, j->target, miss->joint);
        text_fmt(out, "</td><td>%s</td><td>%s</td><td>%s</td><td>%s</td></tr>", figure(100.0 * miss->distance, 3),
                 figure(miss->target_distance, 3), figure(miss->chain_length, 3),
                 retarget_unreachable_names[miss->gave]);
    }
    text_str(out, "</tbody></table></div></section>");
}

static void put_rig(cli_text* out, const char* what, const loaded* file, const sft_rig* rig)
{
    text_fmt(out, "<dt>Pose of the %s</dt><dd>", what);
    char pose[32];
    text_fmt(out, "%s %s: ", retarget_pose_name(rig, pose), retarget_stance_names[rig->stance]);
    put_html(out, rig->reason);
    text_fmt(out, "</dd><dt>Unit and up axis of the %s</dt><dd>%s m, %s up</dd>", what,
             figure(file->space.unit_metres, 6), cli_axis_name(file->space.up));
}

static void put_settings(cli_text* out, const both_view* v)
{
    const retarget_job* j = v->j;
    const retarget* r = v->r;
    text_str(out, "<section><h2>How</h2><dl>");
    put_rig(out, "source", j->source, j->source_rig);
    put_rig(out, "target", j->target, j->target_rig);
    text_fmt(out, "<dt>Travel on</dt><dd>");
    put_joint(out, j->target, retarget_travel_joint(r, j));
    text_fmt(out,
             "</dd><dt>Ground of the source</dt><dd>%s m, %s</dd><dt>Ground of the target</dt><dd>%s m, "
             "%s</dd><dt>Bones that stretch</dt><dd>%s %%, %s</dd>",
             figure(j->source_ground, 4), j->ground_reason, figure(j->target_ground, 4), j->target_ground_reason,
             figure(100.0 * j->transfer.source_stretch, 1),
             r->transfer.non_rigid == SFT_NON_RIGID_RATIO ? "and the target's with them" : "the target's do not");
    text_fmt(out, "<dt>Left and right</dt><dd>%s</dd><dt>Contacts</dt><dd>%s</dd><dt>Written to</dt><dd>",
             r->transfer.mirror ? "swapped" : "as in the source",
             j->contacts.imported ? "labels given" : "found in the source");
    put_html(out, r->options.output);
    text_str(out, "</dd></dl></section>");
}

void retarget_page(const retarget* r, const retarget_job* j, cli_text* out)
{
    const both_view v = retarget_view(r, j);
    text_str(out, "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><meta name=\"viewport\" "
                  "content=\"width=device-width,initial-scale=1\"><title>");
    put_html(out, j->source->title);
    text_str(out, " onto ");
    put_html(out, j->target->name);
    text_str(out, "</title><style>");
    for (size_t i = 0; i < report_css_count; ++i)
        text_str(out, report_css[i]);
    for (size_t i = 0; i < sizeof own_css / sizeof own_css[0]; ++i)
        text_str(out, own_css[i]);
    text_str(out, "</style></head><body><main>\n");
    put_head(out, &v);
    put_strips(out, &v);
    put_limbs(out, &v);
    put_feet(out, &v);
    put_misses(out, &v);
    put_map(out, &v);
    put_table(out, &v);
    put_settings(out, &v);
    const uint32_t version = sft_version();
    text_fmt(out, "<footer>Made by surefoot %u.%u.%u.</footer></main></body></html>\n", (unsigned)(version / 10000),
             (unsigned)(version / 100 % 100), (unsigned)(version % 100));
}
