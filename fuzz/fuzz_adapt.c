// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// Any bytes as poses, contacts, steps and a ground that lies, through sft_adapt_update: refused with nothing touched,
// or a pose that is finite.

#include <stdlib.h>
#include <string.h>

#include "surefoot/surefoot.h"

#include "bytes.h"

#define JOINTS 11

// Reads its hits from the input, over and over.
static bool query(const void* data, sft_v3d origin, sft_v3d direction, double distance, double radius,
                  sft_ground_hit* hit)
{
    const bytes* all = data;
    bytes b = *all;
    uint64_t place;
    memcpy(&place, &origin.x, sizeof place);
    b.at = b.size > 0 ? (size_t)(place >> 40) % b.size : 0;
    (void)direction;
    (void)distance;
    (void)radius;
    const uint8_t kind = take_byte(&b);
    if (kind < 40) return false;
    hit->point = sft_v3d_make(origin.x, take_number(&b), origin.z);
    hit->normal = kind < 160 ? sft_v3d_make(0, 1, 0) : take_v3(&b);
    hit->distance = kind < 200 ? origin.y - hit->point.y : take_number(&b);
    hit->body = kind % 3;
    return true;
}

static void require(bool condition)
{
    if (!condition) abort();
}

static bool finite_pose(const sft_v3d* t, const sft_quatd* r)
{
    for (int j = 0; j < JOINTS; ++j)
        if (!isfinite(t[j].x + t[j].y + t[j].z) || !isfinite(r[j].x + r[j].y + r[j].z + r[j].w)) return false;
    return true;
}

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size)
{
    static const char* const names[JOINTS] = {"hips", "lh", "lk", "lf", "lt", "le", "rh", "rk", "rf", "rt", "re"};
    static const int32_t parents[JOINTS] = {-1, 0, 1, 2, 3, 4, 0, 6, 7, 8, 9};
    static const double rest[5][3] = {{0.1, 0, 0}, {0, -0.4, 0}, {0, -0.4, 0}, {0, -0.07, 0.13}, {0, 0, 0.06}};
    bytes b = {data, size, 0}, all = b;
    sft_v3d t[JOINTS], before_t[JOINTS], rest_t[JOINTS];
    sft_quatd r[JOINTS], before_r[JOINTS], rest_r[JOINTS];
    uint32_t flags[JOINTS] = {0};
    for (int j = 0; j < JOINTS; ++j)
    {
        const double* p = rest[(j + 4) % 5];
        rest_t[j] = j == 0 ? sft_v3d_make(0, 0.9, 0) : sft_v3d_make(j == 6 ? -p[0] : p[0], p[1], p[2]);
        rest_r[j] = sft_quatd_identity();
    }
    const sft_skeleton skeleton = {JOINTS, names, parents, flags, rest_t, rest_r};
    const bool toeless = take_byte(&b) % 4 == 0;
    sft_leg legs[2] = {{.pelvis = 0, .hip = 1, .knee = 2, .heel = 3, .toe = 4, .toe_end = toeless ? -1 : 5},
                       {.pelvis = 0, .hip = 6, .knee = 7, .heel = 8, .toe = toeless ? 8 : 9, .toe_end = -1}};
    for (int l = 0; l < 2; ++l)
    {
        legs[l].knee_side = sft_v3d_make(1, 0, 0);
        legs[l].heel_min = 0.09;
        legs[l].toe_min = take_byte(&b) % 8 == 0 ? take_number(&b) : 0.02;
    }
    const sft_ground ground = {query, &all};
    sft_adapt_def def = sft_default_adapt_def();
    if (take_byte(&b) % 4 == 0) def.smooth_time = take_number(&b);
    if (take_byte(&b) % 4 == 0) def.probe_up = take_number(&b);
    sft_adapt_state body = {.started = false};
    sft_adapt_leg_state feet[2];
    memset(feet, 0, sizeof feet);
    double scratch[1024];
    require(sft_adapt_scratch_size(&skeleton, 2) <= sizeof scratch);
    for (int frame = 0; frame < 8 && b.at < b.size; ++frame)
    {
        for (int j = 0; j < JOINTS; ++j)
        {
            t[j] = rest_t[j];
            r[j] = sft_quatd_exp(take_v3(&b));
        }
        t[0] = sft_v3d_add(t[0], take_v3(&b));
        if (take_byte(&b) > 250) take(&b, &r[take_byte(&b) % JOINTS], sizeof r[0]);
        if (take_byte(&b) % 8 == 0) def.floor = take_number(&b);
        const bool contacts[2] = {take_byte(&b) % 2 == 0, take_byte(&b) % 2 == 0};
        const sft_v3d toes[2] = {take_v3(&b), take_v3(&b)};
        const double dt = take_byte(&b) % 2 == 0 ? 1.0 / 60.0 : take_number(&b);
        const sft_adapt_input in = {&skeleton, legs, 2, contacts, take_byte(&b) % 4 == 0 ? toes : NULL, NULL, &ground};
        memcpy(before_t, t, sizeof t);
        memcpy(before_r, r, sizeof r);
        const sft_adapt_state old = body;
        // Joints that no leg has are not looked at.
        const bool finite = finite_pose(t, r);
        if (sft_adapt_update(&def, &in, dt, &body, feet, t, r, scratch, sizeof scratch, NULL) == SFT_OK)
            require(!finite || finite_pose(t, r));
        else
        {
            require(memcmp(t, before_t, sizeof t) == 0 && memcmp(r, before_r, sizeof r) == 0);
            require(memcmp(&old, &body, sizeof old) == 0);
        }
    }
    return 0;
}
