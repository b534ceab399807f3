// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// Golden hashes: one line a scene, its name and a 64-bit hash of every bit it produced. The same on every compiler,
// optimisation level and target, or something depends on what it must not (tests/golden/check_targets.sh).
#include <stdio.h>
#include <stdlib.h>

#include "core/core.h"
#include "surefoot/surefoot.h"

typedef struct golden
{
    uint64_t hash;
} golden;

static void fold_double(golden* g, double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    unsigned char bytes[8];
    for (int i = 0; i < 8; ++i)
        bytes[i] = (unsigned char)(bits >> (8 * i));
    g->hash = sft_core_hash(g->hash, bytes, sizeof bytes);
}

static void fold_v3(golden* g, sft_v3d v)
{
    fold_double(g, v.x);
    fold_double(g, v.y);
    fold_double(g, v.z);
}

static void fold_quat(golden* g, sft_quatd q)
{
    fold_double(g, q.x);
    fold_double(g, q.y);
    fold_double(g, q.z);
    fold_double(g, q.w);
}

/// In [lo, hi); a linear congruential generator, exact in any arithmetic.
static double next(uint64_t* state, double lo, double hi)
{
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return lo + (hi - lo) * ((double)(*state >> 11) * 0x1p-53);
}

/// One statement a coordinate: the order in which arguments are evaluated is the compiler's own affair.
static sft_v3d next_v3(uint64_t* state, double size)
{
    const double x = next(state, -size, size);
    const double y = next(state, -size, size);
    const double z = next(state, -size, size);
    return sft_v3d_make(x, y, z);
}

static void fail(const char* what)
{
    fprintf(stderr, "golden: %s failed\n", what);
    exit(1);
}

static void scene_trigonometry(golden* g)
{
    uint64_t state = 1;
    for (int i = 0; i < 50000; ++i)
    {
        const double x = next(&state, -40.0, 40.0), y = next(&state, -1.0, 1.0);
        double s, c;
        fold_double(g, sft_sin(x));
        fold_double(g, sft_cos(1000.0 * x));
        fold_double(g, sft_atan2(y, x));
        fold_double(g, sft_acos(y));
        fold_double(g, sft_exp(x));
        sft_sincos_deg(37.0 * x, &s, &c);
        fold_double(g, s);
        fold_double(g, c);
    }
}

static void scene_quaternions(golden* g)
{
    uint64_t state = 2;
    for (int i = 0; i < 20000; ++i)
    {
        const sft_v3d a = next_v3(&state, 2.0);
        const sft_v3d b = next_v3(&state, 2.0);
        const sft_quatd q = sft_quatd_exp(a), r = sft_quatd_between(a, b);
        fold_quat(g, q);
        fold_quat(g, sft_quatd_mul(q, r));
        fold_v3(g, sft_quatd_rotate(r, a));
        fold_v3(g, sft_quatd_log(sft_quatd_mul(r, q)));
    }
}

#define CHAIN 40

static void scene_forward(golden* g)
{
    const char* names[CHAIN];
    int32_t parents[CHAIN];
    sft_v3d translations[CHAIN];
    sft_quatd rotations[CHAIN];
    sft_xformd out[CHAIN];
    uint64_t state = 3;
    for (int32_t i = 0; i < CHAIN; ++i)
    {
        names[i] = "joint";
        parents[i] = i == 0 ? -1 : (i - 1) / 2;
        translations[i] = next_v3(&state, 1.0);
    }
    const sft_skeleton def = {
        .joint_count = CHAIN, .names = names, .parents = parents, .rest_translations = translations};
    sft_skeleton* skeleton = NULL;
    if (sft_skeleton_create(&def, NULL, &skeleton) != SFT_OK) fail("sft_skeleton_create");
    for (int pose = 0; pose < 500; ++pose)
    {
        for (int32_t i = 0; i < CHAIN; ++i)
            rotations[i] = sft_quatd_exp(next_v3(&state, 1.0));
        sft_skeleton_forward(skeleton, translations, rotations, out);
        for (int32_t i = 0; i < CHAIN; ++i)
        {
            fold_v3(g, out[i].t);
            fold_quat(g, out[i].r);
        }
    }
    sft_skeleton_destroy(skeleton, NULL);
}

typedef struct golden_scene
{
    const char* name;
    void (*run)(golden* g);
} golden_scene;

static const golden_scene scenes[] = {
    {"trigonometry", scene_trigonometry},
    {"quaternions", scene_quaternions},
    {"forward", scene_forward},
};

int main(void)
{
    for (size_t i = 0; i < SFT_COUNT_OF(scenes); ++i)
    {
        golden g = {SFT_HASH_SEED};
        scenes[i].run(&g);
        printf("%s %08lx%08lx\n", scenes[i].name, (unsigned long)(g.hash >> 32),
               (unsigned long)(g.hash & UINT64_C(0xffffffff)));
    }
    return 0;
}
