// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// Puts the sample's walk onto stairs and slopes, and a four-legged figure, which pitches with the ground below it, and
// draws them from the side as SVG on standard output: the picture of docs/adapt.md.
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

// ---- a body with two girdles ----

enum
{
    BEAST_PELVIS,
    BEAST_CHEST,
    BEAST_HEAD,
    BEAST_TAIL,
    BEAST_LEGS, // five joints a leg: left and right of the pelvis, left and right of the chest
    BEAST_JOINTS = BEAST_LEGS + 20
};

// It stands still, its middle at `z`, for `count` frames with all feet planted.
static sft_result make_beast(double z, int32_t count, sft_skeleton** skeleton, sft_clip** clip,
                             sft_contact_labels** labels, sft_leg legs[4])
{
    static const sft_v3d joints[5] = {{0.1, 0, 0}, {0, -0.28, 0.14}, {0, -0.26, -0.14}, {0, -0.06, 0.06}, {0, 0, 0.04}};
    const char* names[BEAST_JOINTS] = {"pelvis", "chest", "head", "tail"};
    int32_t parents[BEAST_JOINTS] = {-1, BEAST_PELVIS, BEAST_CHEST, BEAST_PELVIS};
    sft_v3d t[BEAST_JOINTS] = {{0, 0.6, -0.4}, {0, 0, 0.8}, {0, 0.2, 0.25}, {0, -0.05, -0.3}};
    for (int k = 0; k < 20; ++k)
    {
        const int j = BEAST_LEGS + k;
        names[j] = "leg";
        parents[j] = k % 5 > 0 ? j - 1 : k < 10 ? BEAST_PELVIS : BEAST_CHEST;
        t[j] = joints[k % 5];
        if (k / 5 % 2 == 1) t[j].x = -t[j].x;
    }
    const sft_skeleton def = {.joint_count = BEAST_JOINTS, .names = names, .parents = parents, .rest_translations = t};
    sft_result result = sft_skeleton_create(&def, NULL, skeleton);
    if (result == SFT_OK) result = sft_clip_create(BEAST_JOINTS, count, 1.0 / 30.0, NULL, clip);
    if (result == SFT_OK) result = sft_contact_labels_create(count, 4, NULL, labels);
    for (int32_t i = 0; i < count && result == SFT_OK; ++i)
        for (int j = 0; j < BEAST_JOINTS; ++j)
        {
            (*clip)->translations[i * BEAST_JOINTS + j] = t[j];
            if (j == BEAST_PELVIS) (*clip)->translations[i * BEAST_JOINTS].z += z;
            (*clip)->rotations[i * BEAST_JOINTS + j] = sft_quatd_identity();
        }
    for (int32_t k = 0; k < 4 * count && result == SFT_OK; ++k)
        (*labels)->plant[k] = (*labels)->touch[k] = 1.0f;
    for (int l = 0; l < 4 && result == SFT_OK; ++l)
    {
        const int32_t hip = BEAST_LEGS + 5 * l;
        // Two pairs, two girdles.
        legs[l] = (sft_leg){.pair = l / 2,
                            .pelvis = l < 2 ? BEAST_PELVIS : BEAST_CHEST,
                            .hip = hip,
                            .knee = hip + 1,
                            .heel = hip + 2,
                            .toe = hip + 3,
                            .toe_end = hip + 4};
        result = sft_leg_complete(*skeleton, *clip, &legs[l], NULL);
    }
    return result;
}

static void draw_chain(const sft_xformd* model, const int32_t* joints, int count, double y, const char* style)
{
    printf("<polyline fill=\"none\" %s points=\"", style);
    for (int k = 0; k < count; ++k)
        printf("%s%.1f,%.1f", k > 0 ? " " : "", LEFT + SCALE * model[joints[k]].t.z, y - SCALE * model[joints[k]].t.y);
    printf("\"/>\n");
}

static bool show_beast(const sft_ground* ground, double z, double y)
{
    static const int32_t trunk[4] = {BEAST_TAIL, BEAST_PELVIS, BEAST_CHEST, BEAST_HEAD};
    sft_skeleton* skeleton = NULL;
    sft_clip* clip = NULL;
    sft_contact_labels* labels = NULL;
    sft_leg legs[4];
    sft_adapt_clip_report report = {0};
    sft_adapt_clip_def adapt = sft_default_adapt_clip_def();
    adapt.travel_joint = BEAST_PELVIS;
    sft_result result = make_beast(z, 20, &skeleton, &clip, &labels, legs);
    if (result == SFT_OK) result = sft_adapt_clip(&adapt, skeleton, legs, 4, labels, ground, NULL, clip, NULL, &report);
    if (result == SFT_OK)
    {
        sft_xformd model[BEAST_JOINTS];
        sft_skeleton_forward(skeleton, clip->translations, clip->rotations, model);
        draw_chain(model, trunk, 4, y, "stroke=\"#888\" stroke-width=\"3\"");
        for (int l = 0; l < 4; ++l)
        {
            int32_t joints[5];
            for (int k = 0; k < 5; ++k)
                joints[k] = BEAST_LEGS + 5 * l + k;
            draw_chain(model, joints, 5, y,
                       l % 2 == 0 ? "stroke=\"#2060b0\" stroke-width=\"1.6\""
                                  : "stroke=\"#c03030\" stroke-width=\"0.8\"");
        }
    }
    const bool good = result == SFT_OK && report.converged && report.miss_count == 0;
    sft_adapt_clip_report_release(&report, NULL);
    sft_contact_labels_destroy(labels, NULL);
    sft_clip_destroy(clip, NULL);
    sft_skeleton_destroy(skeleton, NULL);
    return good;
}

// On level ground, on stairs up, at their end, and on a slope down.
static bool show_beasts(double y)
{
    static const double places[] = {0.5, 1.85, 3.2, 4.5};
    scene s = {.title = "two girdles"};
    for (int k = 0; k < 4; ++k)
    {
        point(&s, 1.2 + 0.4 * k, 0.1 * k);
        point(&s, 1.2 + 0.4 * k, 0.1 * (k + 1));
    }
    point(&s, 3.7, 0.4);
    point(&s, 5.2, 0.0);
    const sft_ground_profile profile = {.count = s.count, .distances = s.distances, .heights = s.heights};
    const sft_ground ground = sft_ground_from_profile(&profile);
    printf("<text x=\"%.1f\" y=\"%.1f\" font-family=\"sans-serif\" font-size=\"12\">a body with two girdles stands "
           "on each part</text>\n",
           LEFT, y - SCALE * 1.2);
    draw_ground(&s, y);
    bool good = true;
    for (size_t k = 0; k < sizeof places / sizeof places[0]; ++k)
        good = show_beast(&ground, places[k], y) && good;
    return good;
}

int main(void)
{
    const scene up = stairs("stairs up", 0.15), down = stairs("stairs down", -0.15);
    scene slope = {.title = "slope down"};
    point(&slope, 0.9, 0.0);
    point(&slope, 4.5, -0.9);
    printf("<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 900 1250\">\n"
           "<rect width=\"900\" height=\"1250\" fill=\"#ffffff\"/>\n");
    // Each is drawn, whatever became of the one before.
    bool good = show(&up, 330.0);
    good = show(&down, 530.0) && good;
    good = show(&slope, 840.0) && good;
    good = show_beasts(1220.0) && good;
    printf("</svg>\n");
    return good ? 0 : 1;
}
