// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// A walk whose root travels 1.25 times what its feet support, locked frame by frame as a game would, and a foot that
// stands on a turning platform until it vanishes; drawn as SVG on standard output: the picture of docs/lock.md.
//
//     lock_walk > docs/images/lock.svg
#include <stdio.h>

#include "sample/walker.h"
#include "surefoot/surefoot.h"

#define FRAMES 150 // two and a half seconds at 60 Hz
static const double DT = 1.0 / 60.0;
static const char* const SOURCE = "#d55e00";
static const char* const SHOWN = "#0072b2";

typedef struct trace
{
    sft_v3d source[FRAMES], shown[FRAMES];
    bool locked[FRAMES];
} trace;

// One leg of the clip, in place: what a game does with each foot of each character, each frame.
static bool lock_leg(const sft_lock_def* def, walker* w, const sft_leg* leg, int32_t foot, trace* out)
{
    const sft_leg_solve_def solve = sft_default_lock_clip_def().leg;
    sft_lock_state state = {0};
    for (int32_t i = 0; i < FRAMES; ++i)
    {
        const size_t frame = (size_t)i * (size_t)w->clip->joint_count;
        sft_v3d* local_t = w->clip->translations + frame;
        sft_quatd* local_r = w->clip->rotations + frame;
        sft_leg_pose pose, solved;
        if (sft_leg_pose_read(w->skeleton, leg, local_t, local_r, &pose) != SFT_OK) return false;
        sft_lock_input input = {.toe = pose.toe.t, .contact_height = pose.toe.t.y};
        input.contact = w->labels.plant[foot * FRAMES + i] > 0.75f;
        if (sft_lock_update(def, &input, DT, &state) != SFT_OK) return false;
        solved = pose;
        if (sft_leg_solve(&solve, leg, state.position, &solved, NULL) != SFT_OK) return false;
        if (sft_leg_pose_write(leg, &pose, &solved, local_r) != SFT_OK) return false;
        out->source[i] = pose.toe.t;
        out->shown[i] = solved.toe.t;
        out->locked[i] = state.locked;
    }
    return true;
}

// A platform that turns and rises, on which the animation slips sideways. In the hundredth frame both stop, and the
// foot stands on something else. Kept as seen from the platform.
static bool ride(const sft_lock_def* def, trace* out)
{
    sft_lock_state state = {0};
    for (int32_t i = 0; i < FRAMES; ++i)
    {
        const double t = DT * (i < 100 ? i : 100);
        const sft_xformd place = {sft_v3d_make(0.0, 0.5 * t, 0.0), sft_quatd_exp(sft_v3d_make(0.0, 1.5 * t, 0.0))};
        const sft_v3d slip = sft_v3d_make(0.0, 0.0, 0.06 * DT * i), arm = sft_v3d_make(1.0, 0.0, 0.0);
        const sft_v3d toe = sft_xformd_apply(place, sft_v3d_add(arm, slip));
        sft_lock_input input = {.toe = toe, .contact = i >= 20, .contact_height = toe.y};
        input.body = (sft_lock_body){i < 100 ? 7 : 0, place};
        if (sft_lock_update(def, &input, DT, &state) != SFT_OK) return false;
        out->source[i] = slip;
        out->shown[i] = sft_v3d_sub(sft_quatd_unrotate(place.r, sft_v3d_sub(state.position, place.t)), arm);
        out->locked[i] = state.locked;
    }
    return true;
}

// ---- drawing ----

static void text(double x, double y, int size, const char* words)
{
    printf("<text x=\"%.0f\" y=\"%.0f\" font-family=\"sans-serif\" font-size=\"%d\">%s</text>\n", x, y, size, words);
}

// Where the foot is locked, as bands.
static void bands(const trace* t, double x, double y, double width, double height)
{
    for (int32_t i = 0; i < FRAMES;)
    {
        int32_t end = i;
        while (end < FRAMES && t->locked[end])
            ++end;
        const int32_t last = end < FRAMES ? end : FRAMES - 1;
        if (last > i)
            printf("<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" fill=\"#e8f0f6\"/>\n",
                   x + width * i / (FRAMES - 1), y, width * (last - i) / (FRAMES - 1), height);
        i = end + 1;
    }
}

static void curve(const double* values, int32_t from, double x, double y, double width, double scale,
                  const char* colour)
{
    printf("<polyline fill=\"none\" stroke=\"%s\" stroke-width=\"1.6\" points=\"", colour);
    for (int32_t i = from; i < FRAMES; ++i)
        printf("%s%.1f,%.1f", i > from ? " " : "", x + width * i / (FRAMES - 1), y - scale * values[i]);
    printf("\"/>\n");
}

// Value of each frame: along z, or the speed; of the source and of what is shown.
static void panel(const trace* t, bool speed, double y, double height, double scale, const char* title)
{
    double values[2][FRAMES];
    const double x = 20.0, width = 720.0;
    for (int32_t i = 0; i < FRAMES; ++i)
        for (int k = 0; k < 2; ++k)
        {
            const sft_v3d* p = k == 0 ? t->source : t->shown;
            values[k][i] = speed ? (i > 0 ? sft_v3d_distance(p[i], p[i - 1]) / DT : 0.0) : p[i].z;
        }
    text(x, y - height - 8.0, 13, title);
    bands(t, x, y - height, width, height);
    printf("<path d=\"M%.1f %.1fh%.1f\" stroke=\"#9aa5b0\" stroke-width=\"1\"/>\n", x, y, width);
    curve(values[0], speed ? 1 : 0, x, y, width, scale, SOURCE);
    curve(values[1], speed ? 1 : 0, x, y, width, scale, SHOWN);
}

int main(void)
{
    static trace walk, platform;
    walker_def def = walker_default_def();
    def.frames = FRAMES;
    def.root_scale = 1.25;
    walker w;
    if (walker_create(&def, &w) != SFT_OK) return 1;
    sft_leg legs[2];
    int32_t count = 0;
    sft_lock_def lock = sft_default_lock_clip_def().lock;
    bool fine = sft_leg_find(w.skeleton, w.clip, NULL, legs, 2, &count) == SFT_OK && count == 2;
    fine = fine && lock_leg(&lock, &w, &legs[0], 0, &walk) && ride(&lock, &platform);
    walker_release(&w);
    printf("<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"760\" height=\"640\" viewBox=\"0 0 760 640\">\n"
           "<rect width=\"760\" height=\"640\" fill=\"white\"/>\n");
    text(20.0, 26.0, 14,
         "Orange: the animation; blue: what is shown; bands: the foot is locked. Two and a half seconds.");
    panel(&walk, false, 280.0, 220.0, 48.0, "A walk that travels 1.25 times too far: way of the left toe");
    panel(&walk, true, 430.0, 115.0, 16.0, "Its speed");
    panel(&platform, false, 620.0, 155.0, 900.0,
          "On a turning lift: sideways, as seen from it; it is gone in frame 100 of 150");
    printf("</svg>\n");
    return fine ? 0 : 1;
}
