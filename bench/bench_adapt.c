// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// A crowd of walkers put on stairs, one frame: footholds, following, pelvis and both legs.
#include "bench.h"

#include <stdlib.h>
#include <string.h>

#include "sample/walker.h"

#define CHARACTERS 256

typedef struct crowd
{
    walker walk;
    sft_leg legs[2];
    sft_adapt_def def;
    double along[4], heights[4];
    sft_ground_profile profile;
    sft_ground ground;
    sft_adapt_state body[CHARACTERS];
    sft_adapt_leg_state feet[CHARACTERS][2];
    sft_v3d t[CHARACTERS][WALKER_JOINTS];
    sft_quatd r[CHARACTERS][WALKER_JOINTS];
    double scratch[1024];
    int frame;
    double worst; // [m] toe to where it should be
} crowd;

static void update_all(void* data)
{
    crowd* c = data;
    const int frames = c->walk.clip->frame_count;
    c->frame = (c->frame + 1) % frames;
    for (int id = 0; id < CHARACTERS; ++id)
    {
        const int frame = (id * 7 + c->frame) % frames;
        const size_t row = (size_t)frame * WALKER_JOINTS;
        const float* plant = c->walk.labels.plant + frame;
        const bool contacts[2] = {plant[0] > 0.75f, plant[c->walk.labels.frame_count] > 0.75f};
        // The animation's own sampling, which a game pays anyway, is a copy here.
        memcpy(c->t[id], c->walk.clip->translations + row, sizeof c->t[id]);
        memcpy(c->r[id], c->walk.clip->rotations + row, sizeof c->r[id]);
        const sft_adapt_input in = {c->walk.skeleton, c->legs, 2, contacts, NULL, NULL, &c->ground};
        sft_adapt_report report = {0};
        sft_adapt_update(&c->def, &in, 1.0 / 60.0, &c->body[id], c->feet[id], c->t[id], c->r[id], c->scratch,
                         sizeof c->scratch, &report);
        if (report.toe_miss > c->worst) c->worst = report.toe_miss;
    }
    bench_keep(c);
}

void bench_scene_adapt(bench_context* context)
{
    crowd* c = calloc(1, sizeof *c);
    walker_def def = walker_default_def();
    int32_t count = 0;
    if (c == NULL || walker_create(&def, &c->walk) != SFT_OK)
    {
        free(c);
        bench_fail(context, "adapt_update", "out of memory");
        return;
    }
    const double along[4] = {1.0, 1.0, 1.8, 1.8}, heights[4] = {0.0, 0.12, 0.12, 0.24};
    memcpy(c->along, along, sizeof along);
    memcpy(c->heights, heights, sizeof heights);
    c->profile = (sft_ground_profile){.count = 4, .distances = c->along, .heights = c->heights};
    c->ground = sft_ground_from_profile(&c->profile);
    c->def = sft_default_adapt_def();
    if (sft_leg_find(c->walk.skeleton, c->walk.clip, NULL, c->legs, 2, &count) != SFT_OK || count != 2 ||
        sft_adapt_scratch_size(c->walk.skeleton, 2) > sizeof c->scratch)
        bench_fail(context, "adapt_update", "the walker has no legs");
    else
    {
        bench_entry entry = bench_time_entry("adapt_update", "ns/character",
                                             bench_measure(context, NULL, update_all, c), 1e9 / CHARACTERS);
        bench_add_field(&entry, "toe_miss_mm", 1e3 * c->worst);
        bench_report(context, &entry);
    }
    walker_release(&c->walk);
    free(c);
}
