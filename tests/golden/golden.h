// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// What the scenes of the golden hashes share: folding, random numbers, the walk.
#ifndef SUREFOOT_GOLDEN_H
#define SUREFOOT_GOLDEN_H

#include <stdio.h>
#include <stdlib.h>

#include "core/core.h"
#include "sample/walker.h"
#include "surefoot/surefoot.h"

typedef struct golden
{
    uint64_t hash;
} golden;

static inline void fold_double(golden* g, double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    unsigned char bytes[8];
    for (int i = 0; i < 8; ++i)
        bytes[i] = (unsigned char)(bits >> (8 * i));
    g->hash = sft_core_hash(g->hash, bytes, sizeof bytes);
}

static inline void fold_v3(golden* g, sft_v3d v)
{
    fold_double(g, v.x);
    fold_double(g, v.y);
    fold_double(g, v.z);
}

static inline void fold_quat(golden* g, sft_quatd q)
{
    fold_double(g, q.x);
    fold_double(g, q.y);
    fold_double(g, q.z);
    fold_double(g, q.w);
}

/// In [lo, hi); a linear congruential generator, exact in any arithmetic.
static inline double next(uint64_t* state, double lo, double hi)
{
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return lo + (hi - lo) * ((double)(*state >> 11) * 0x1p-53);
}

/// One statement a coordinate: the order in which arguments are evaluated is the compiler's own affair.
static inline sft_v3d next_v3(uint64_t* state, double size)
{
    const double x = next(state, -size, size);
    const double y = next(state, -size, size);
    const double z = next(state, -size, size);
    return sft_v3d_make(x, y, z);
}

static inline void fail(const char* what)
{
    fprintf(stderr, "golden: %s failed\n", what);
    exit(1);
}

/// A walk that slides: travel scaled, feet jittered, a reference pose before it.
static inline void make_walk(walker* w, int32_t frames, double fps, double root_scale)
{
    walker_def def = walker_default_def();
    def.frames = frames;
    def.fps = fps;
    def.root_scale = root_scale;
    def.heading = 0.7;
    def.noise = 1e-4;
    def.reference = true;
    if (walker_create(&def, w) != SFT_OK) fail("walker_create");
}

// ---- scenes of golden_ik.c ----

void scene_ik_limits(golden* g);
void scene_ik_two_bone(golden* g);
void scene_ik_chain(golden* g);
void scene_ik_body(golden* g);

#endif
