// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// Puts the sample's walk onto stairs and slopes, and draws it from the side as SVG on standard output: the picture of
// docs/adapt.md.
//
//     adapt_walk > docs/images/adapt.svg
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sample/walker.h"

#define SCALE 150.0
#define LEFT 60.0
#define EVERY 12

typedef struct scene
{
    const char* title;
    int32_t count;
    double distances[24], heights[24];
} scene;

static void point(scene* s, double distance, double height)
{
    s->distances[s->count] = distance;
    s->heights[s->count++] = height;
}

// Six treads, each `rise` higher than the one before, from 0.9 m on.
static scene stairs(const char* title, double rise)
{
    scene s = {.title = title};
    for (int k = 0; k < 6; ++k)
    {
        point(&s, 0.9 + 0.45 * k, rise * k);
        point(&s, 0.9 + 0.45 * k, rise * (k + 1));
    }
    return s;
}

static void draw_ground(const scene* s, double y)
{
    printf("<polyline fill=\"none\" stroke=\"#555\" stroke-width=\"1.5\" points=\"%.1f,%.1f", LEFT - 0.3 * SCALE,
           y - SCALE * s->heights[0]);
    for (int32_t k = 0; k < s->count; ++k)
        printf(" %.1f,%.1f", LEFT + SCALE * s->distances[k], y - SCALE * s->heights[k]);
    printf(" %.1f,%.1f\"/>\n", LEFT + SCALE * 5.5, y - SCALE * s->heights[s->count - 1]);
}

static void draw_frame(const walker* w, int32_t frame, double y)
{
    static const char* const colours[2] = {"#2060b0", "#c03030"};
    const size_t base = (size_t)frame * WALKER_JOINTS;
    sft_xformd model[WALKER_JOINTS];
    sft_skeleton_forward(w->skeleton, w->clip->translations + base, w->clip->rotations + base, model);
    for (int side = 0; side < 2; ++side)
    {
        const int first = side == 0 ? WALKER_LEFT_HIP : WALKER_RIGHT_HIP;
        printf("<polyline fill=\"none\" stroke=\"%s\" stroke-width=\"1.3\" points=\"", colours[side]);
        for (int k = 0; k < 5; ++k)
            printf("%s%.1f,%.1f", k > 0 ? " " : "", LEFT + SCALE * model[first + k].t.z,
                   y - SCALE * model[first + k].t.y);
        printf("\"/>\n");
    }
}

// The path of one joint.
static void draw_path(const walker* w, int32_t joint, double y, const char* colour)
{
    sft_v3d* at = calloc((size_t)w->clip->frame_count, sizeof *at);
    if (at == NULL) return;
    sft_clip_joint_track(w->skeleton, w->clip, joint, at);
    printf("<polyline fill=\"none\" stroke=\"%s\" stroke-width=\"0.7\" points=\"", colour);
    for (int32_t i = 0; i < w->clip->frame_count; i += 2)
        printf("%s%.1f,%.1f", i > 0 ? " " : "", LEFT + SCALE * at[i].z, y - SCALE * at[i].y);
    printf("\"/>\n");
    free(at);
}

/// Adapts one walk and draws it with its ground; false where something went wrong.
static bool show(const scene* s, double y)
{
    const walker_def def = walker_default_def();
    walker w;
    if (walker_create(&def, &w) != SFT_OK) return false;
    sft_leg legs[SFT_MAX_LEGS];
    int32_t count = 0;
    const sft_ground_profile profile = {.count = s->count, .distances = s->distances, .heights = s->heights};
    const sft_ground ground = sft_ground_from_profile(&profile);
    const sft_adapt_clip_def adapt = sft_default_adapt_clip_def();
    sft_adapt_clip_report report = {0};
    sft_result result = sft_leg_find(w.skeleton, w.clip, NULL, legs, SFT_MAX_LEGS, &count);
    if (result == SFT_OK)
        result = sft_adapt_clip(&adapt, w.skeleton, legs, count, &w.labels, &ground, NULL, w.clip, NULL, &report);
    if (result == SFT_OK)
    {
        printf("<text x=\"%.1f\" y=\"%.1f\" font-family=\"sans-serif\" font-size=\"12\">%s: %d plants, %d moved, "
               "%d missed</text>\n",
               LEFT, y - SCALE * 1.2, s->title, (int)report.plant_count, (int)report.moved_plants,
               (int)report.miss_count);
        draw_ground(s, y);
        for (int32_t i = 0; i < w.clip->frame_count; i += EVERY)
            draw_frame(&w, i, y);
        draw_path(&w, WALKER_HIPS, y, "#888");
        draw_path(&w, WALKER_LEFT_HIP + 3, y, "#2060b0");
        draw_path(&w, WALKER_RIGHT_HIP + 3, y, "#c03030");
    }
    const bool good = result == SFT_OK && report.converged && report.miss_count == 0;
    sft_adapt_clip_report_release(&report, NULL);
    walker_release(&w);
    return good;
}

int main(void)
{
    const scene up = stairs("stairs up", 0.15), down = stairs("stairs down", -0.15);
    scene slope = {.title = "slope down"};
    point(&slope, 0.9, 0.0);
    point(&slope, 4.5, -0.9);
    printf("<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 900 1000\">\n"
           "<rect width=\"900\" height=\"1000\" fill=\"#ffffff\"/>\n");
    // Each is drawn, whatever became of the one before.
    bool good = show(&up, 330.0);
    good = show(&down, 530.0) && good;
    good = show(&slope, 840.0) && good;
    printf("</svg>\n");
    return good ? 0 : 1;
}
