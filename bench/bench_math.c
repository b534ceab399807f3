// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// What everything else is made of: own sine and cosine beside libm's, and forward kinematics of a chain of joints.
#include "bench.h"

#include <math.h>
#include <stdlib.h>

#include "surefoot/surefoot.h"

#define ANGLES 4096
#define JOINTS 60

typedef struct angles
{
    double in[ANGLES];
    double out[ANGLES];
} angles;

static void own_sincos(void* data)
{
    angles* a = data;
    for (int i = 0; i < ANGLES; ++i)
        a->out[i] = sft_sin(a->in[i]) + sft_cos(a->in[i]);
    bench_keep(a);
}

static void libm_sincos(void* data)
{
    angles* a = data;
    for (int i = 0; i < ANGLES; ++i)
        a->out[i] = sin(a->in[i]) + cos(a->in[i]);
    bench_keep(a);
}

typedef struct chain
{
    sft_skeleton* skeleton;
    sft_v3d translations[JOINTS];
    sft_quatd rotations[JOINTS];
    sft_xformd out[JOINTS];
} chain;

static void forward(void* data)
{
    chain* c = data;
    sft_skeleton_forward(c->skeleton, c->translations, c->rotations, c->out);
    bench_keep(c);
}

static void measure_forward(bench_context* context)
{
    chain c = {0};
    const char* names[JOINTS];
    int32_t parents[JOINTS];
    for (int32_t i = 0; i < JOINTS; ++i)
    {
        names[i] = "joint";
        parents[i] = i - 1;
        c.translations[i] = sft_v3d_make(0.0, 0.1, 0.01);
        c.rotations[i] = sft_quatd_exp(sft_v3d_make(0.02 * i, 0.1, -0.01 * i));
    }
    const sft_skeleton def = {
        .joint_count = JOINTS, .names = names, .parents = parents, .rest_translations = c.translations};
    if (sft_skeleton_create(&def, NULL, &c.skeleton) != SFT_OK)
    {
        bench_fail(context, "forward", "the skeleton could not be made");
        return;
    }
    const bench_entry entry =
        bench_time_entry("forward", "ns/joint", bench_measure(context, NULL, forward, &c), 1e9 / JOINTS);
    bench_report(context, &entry);
    sft_skeleton_destroy(c.skeleton, NULL);
}

void bench_scene_math(bench_context* context)
{
    angles* a = calloc(1, sizeof *a);
    if (a == NULL)
    {
        bench_fail(context, "sincos", "out of memory");
        return;
    }
    for (int i = 0; i < ANGLES; ++i)
        a->in[i] = -SFT_PI + 2.0 * SFT_PI * i / ANGLES;
    bench_entry own = bench_time_entry("sincos", "ns", bench_measure(context, NULL, own_sincos, a), 1e9 / ANGLES);
    const bench_entry libm = bench_time_entry("libm", "ns", bench_measure(context, NULL, libm_sincos, a), 1e9 / ANGLES);
    bench_set_peer(&own, &libm, "libm", false);
    bench_report(context, &own);
    free(a);
    measure_forward(context);
}
