// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// What the scenes of the golden hashes share: folding, random numbers, the walk.
#ifndef SUREFOOT_GOLDEN_H
#define SUREFOOT_GOLDEN_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sample/walker.h"
#include "surefoot/surefoot.h"

typedef struct golden
{
    uint64_t hash;
} golden;

#define GOLDEN_COUNT_OF(a) (sizeof(a) / sizeof((a)[0]))

/// FNV-1a, of the scenes' own: they also run against the run-time library, which shows no internals.
#define GOLDEN_SEED UINT64_C(14695981039346656037)

static inline void fold_bytes(golden* g, const void* bytes, size_t size)
{
    const unsigned char* b = bytes;
    for (size_t i = 0; i < size; ++i)
        g->hash = (g->hash ^ b[i]) * UINT64_C(1099511628211);
}

static inline void fold_double(golden* g, double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    unsigned char bytes[8];
    for (int i = 0; i < 8; ++i)
        bytes[i] = (unsigned char)(bits >> (8 * i));
    fold_bytes(g, bytes, sizeof bytes);
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

static inline void fold_clip(golden* g, const sft_clip* clip)
{
    const size_t count = (size_t)clip->joint_count * (size_t)clip->frame_count;
    for (size_t i = 0; i < count; ++i)
    {
        fold_v3(g, clip->translations[i]);
        fold_quat(g, clip->rotations[i]);
    }
}

static inline sft_leg walker_leg(int32_t side)
{
    sft_leg leg = {.side = side == 0 ? SFT_LEG_LEFT : SFT_LEG_RIGHT, .pelvis = WALKER_HIPS};
    leg.hip = side == 0 ? WALKER_LEFT_HIP : WALKER_RIGHT_HIP;
    leg.knee = leg.hip + 1;
    leg.heel = leg.hip + 2;
    leg.toe = leg.hip + 3;
    leg.toe_end = leg.hip + 4;
    leg.knee_side = sft_v3d_make(1.0, 0.0, 0.0);
    return leg;
}

// ---- scenes of golden_base.c ----

void scene_trigonometry(golden* g);
void scene_quaternions(golden* g);
void scene_forward(golden* g);
void scene_walker(golden* g);
void scene_leg_solve(golden* g);

// ---- scenes of golden_clips.c ----

void scene_contacts(golden* g);
void scene_metrics(golden* g);
void scene_bvh(golden* g);
void scene_convert(golden* g);
void scene_legs(golden* g);
void scene_cleanup_direct(golden* g);
void scene_cleanup_relax(golden* g);
void scene_adapt_clip(golden* g);
void scene_gltf(golden* g);

// ---- scene of golden_mend.c ----

void scene_retarget_mend(golden* g);

// ---- scenes of golden_creature.c and golden_creature_step.c ----

void scene_creature(golden* g);
void scene_creature_step(golden* g);

// ---- scene of golden_retarget.c ----

void scene_retarget(golden* g);

// ---- scenes of golden_ik.c ----

void scene_ik_limits(golden* g);
void scene_ik_two_bone(golden* g);
void scene_ik_chain(golden* g);
void scene_ik_body(golden* g);

// ---- scenes of golden_crowd.c ----

void scene_crowd(golden* g);

// ---- scenes of golden_ground.c ----

void scene_ground_shapes(golden* g);
void scene_ground_mesh(golden* g);

// ---- scene of golden_rig.c ----

void scene_rig(golden* g);

// ---- scenes of golden_lock.c ----

void scene_lock(golden* g);
void scene_lock_clip(golden* g);

// ---- scene of golden_adapt_update.c ----

void scene_adapt_update(golden* g);

#endif
