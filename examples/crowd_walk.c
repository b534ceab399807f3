// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// A hundred walkers whose roots travel faster than their feet support, locked and solved by one call a frame, as SVG on
// standard output: the picture of docs/crowd.md. Above, two of them at one moment, as animated (grey) and as solved;
// below, where the toes of one walker are over time.
//
//     crowd_walk > docs/images/crowd.svg
#include <stdio.h>

#include "surefoot/surefoot.h"

#define WALKERS 100
#define LEGS (2 * WALKERS)
#define FRAMES 150
#define FPS 60.0
#define THIGH 0.45
#define SHIN 0.43
#define STEP 0.5    ///< [m] a foot supports
#define TRAVEL 1.25 ///< times that is what the root travels
#define STANCE 0.6  ///< part of a cycle

static float memory[62][LEGS]; ///< all arrays of this crowd; yours come from wherever you like
static int taken;
static sft_crowd_lock_block states[(LEGS + SFT_CROWD_LANES - 1) / SFT_CROWD_LANES];

static float* row(void)
{
    return memory[taken++];
}

static sft_v3_array v3_rows(void)
{
    float *x = row(), *y = row(), *z = row();
    return (sft_v3_array){x, y, z};
}

static sft_quat_array quat_rows(void)
{
    float *x = row(), *y = row(), *z = row(), *w = row();
    return (sft_quat_array){x, y, z, w};
}

static void put(sft_v3_array a, int i, sft_v3d v)
{
    a.x[i] = (float)v.x;
    a.y[i] = (float)v.y;
    a.z[i] = (float)v.z;
}

static void put_quat(sft_quat_array a, int i, sft_quatd q)
{
    a.x[i] = (float)q.x;
    a.y[i] = (float)q.y;
    a.z[i] = (float)q.z;
    a.w[i] = (float)q.w;
}

/// The animation: leg i at `time`, facing +Z. The foot goes back under the body while it bears, and swings forwards.
static void animate(int i, double time, const sft_crowd_pose* p, float* contact)
{
    const double phase = time + 0.5 * (i % 2) + 0.37 * (i / 2), cycle = phase - floor(phase);
    const double forward = TRAVEL * STEP / STANCE * time, side = i % 2 == 0 ? 0.1 : -0.1;
    const double swing = (cycle - STANCE) / (1.0 - STANCE), ease = swing * swing * (3.0 - 2.0 * swing);
    const bool bears = cycle < STANCE;
    const double along = bears ? STEP * (0.5 - cycle / STANCE) : STEP * (ease - 0.5);
    const double lift = bears ? 0.0 : 1.4 * swing * swing * (1.0 - swing) * (1.0 - swing);
    const sft_v3d hip = {side, 0.86, forward}, heel = {side, 0.07 + lift, forward + along};
    // The knee over the middle of the line from hip to heel, to the front.
    const sft_v3d line = sft_v3d_sub(heel, hip);
    const double d = sft_v3d_length(line);
    const double x = 0.5 * (d + (THIGH - SHIN) * (THIGH + SHIN) / d), h = sqrt((THIGH - x) * (THIGH + x));
    const sft_v3d n = sft_v3d_scale(1.0 / d, line), front = {0.0, n.z, -n.y};
    const sft_v3d knee = sft_v3d_madd(sft_v3d_madd(hip, x, n), h, front);
    const sft_v3d toe = sft_v3d_add(heel, sft_v3d_make(0.0, -0.05, 0.14)), down = {0.0, -1.0, 0.0};
    put(p->hip, i, hip);
    put(p->knee, i, knee);
    put(p->heel, i, heel);
    put(p->toe, i, toe);
    put(p->toe_end, i, sft_v3d_add(toe, sft_v3d_make(0.0, 0.0, 0.06)));
    put_quat(p->hip_r, i, sft_quatd_between(down, sft_v3d_sub(knee, hip)));
    put_quat(p->knee_r, i, sft_quatd_between(down, sft_v3d_sub(heel, knee)));
    put_quat(p->heel_r, i, sft_quatd_identity());
    put_quat(p->toe_r, i, sft_quatd_identity());
    contact[i] = bears ? 1.0f : 0.0f;
}

static void draw(const sft_crowd_pose* p, sft_v3_array hip, int i, const char* colour)
{
    const sft_v3_array points[5] = {hip, p->knee, p->heel, p->toe, p->toe_end};
    printf("<polyline fill=\"none\" stroke=\"%s\" stroke-width=\"%s\" points=\"", colour, i % 2 == 0 ? "4" : "2");
    for (int k = 0; k < 5; ++k)
        printf("%s%.1f,%.1f", k > 0 ? " " : "", 200.0 * (double)points[k].z[i] - 250.0 + 260.0 * (i / 2),
               240.0 - 200.0 * (double)points[k].y[i]);
    printf("\"/>\n");
}

static float tracks[2][2][FRAMES]; ///< of the first walker: source and result, foot, frame

static void draw_track(int result, int foot, const char* colour)
{
    printf("<polyline fill=\"none\" stroke=\"%s\" stroke-width=\"%s\" points=\"", colour, foot == 0 ? "3" : "1.5");
    for (int f = 0; f < FRAMES; ++f)
        printf("%s%.1f,%.1f", f > 0 ? " " : "", 20.0 + 4.0 * f, 500.0 - 60.0 * (double)tracks[result][foot][f]);
    printf("\"/>\n");
}

int main(void)
{
    sft_crowd_legs legs = {0};
    sft_crowd_pose* poses[2] = {&legs.pose, &legs.out};
    for (int k = 0; k < 2; ++k)
    {
        sft_crowd_pose* p = poses[k];
        if (k == 0) p->hip = v3_rows();
        p->knee = v3_rows();
        p->heel = v3_rows();
        p->toe = v3_rows();
        p->toe_end = v3_rows();
        p->hip_r = quat_rows();
        p->knee_r = quat_rows();
        p->heel_r = quat_rows();
        p->toe_r = quat_rows();
    }
    legs.knee_side.x = row();
    legs.knee_side.y = legs.knee_side.z = row(); // both stay zero
    float* contact = row();
    for (int i = 0; i < LEGS; ++i)
        legs.knee_side.x[i] = 1.0f;
    const sft_crowd_feet feet = {.contact = contact, .states = states};
    sft_crowd_def def = sft_default_crowd_def();
    def.lock_distance = 0.03f;
    def.blend_time = 0.2f;
    def.leg.heel_lift = 0.5;

    printf("<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"640\" height=\"520\" font-family=\"sans-serif\" "
           "font-size=\"13\">\n<rect width=\"640\" height=\"520\" fill=\"white\"/>\n");
    for (int f = 0; f < FRAMES; ++f)
    {
        for (int i = 0; i < LEGS; ++i)
            animate(i, f / FPS, &legs.pose, contact);
        // The whole frame: two hundred locks and legs.
        if (sft_crowd_update(&def, &feet, &legs, (float)(1.0 / FPS), LEGS) != SFT_OK) return 1;
        for (int k = 0; k < 2; ++k)
        {
            tracks[0][k][f] = legs.pose.toe.z[k];
            tracks[1][k][f] = legs.out.toe.z[k];
        }
        for (int i = 0; i < 4 && f == 97; ++i)
        {
            draw(&legs.pose, legs.pose.hip, i, "#c0c0c0");
            draw(&legs.out, legs.pose.hip, i, "#2060a0");
        }
    }
    printf("<line x1=\"20\" y1=\"236\" x2=\"620\" y2=\"236\" stroke=\"#808080\"/>\n");
    for (int k = 0; k < 2; ++k)
    {
        draw_track(0, k, "#c0c0c0");
        draw_track(1, k, "#2060a0");
    }
    printf("<text x=\"20\" y=\"20\">two of %d walkers, animated (grey) and solved</text>\n"
           "<text x=\"20\" y=\"276\">forward place of both toes of one over %.1f s</text>\n</svg>\n",
           WALKERS, FRAMES / FPS);
    return 0;
}
