// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// Creatures that walk: one fixed step of a lizard of thirty joints on flat ground, pose and all, and of many of them in
// flat arrays, on one core and on all.
#define _POSIX_C_SOURCE 200809L

#include "bench.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sample/lizard.h"

#define STEPS 2400
#define MANY 10000
#define MANY_STEPS 6
#define THREADS_MOST 64

typedef struct scene
{
    sft_skeleton* skeleton;
    sft_creature_def def;
    sft_creature* creature;
    sft_ground_plane plane;
    sft_ground ground;
    size_t size;
    void* memory; // one state, and MANY behind it
    sft_creature_state* state;
    sft_creature_input* inputs; // MANY
    sft_v3d look;
    double off; // [m] of standing feet, joints of the pose
    int64_t count;
    int32_t threads;
    bool failed;
} scene;

static sft_creature_input input_at(scene* s, double time)
{
    const double angle = 0.25 * time;
    const sft_v3d goal = sft_v3d_make(1.5 * sft_sin(angle), 0.2, 1.5 * sft_cos(angle));
    s->look = goal;
    return (sft_creature_input){.kind = SFT_CREATURE_GO_TO, .goal = goal, .look = &s->look, .ground = &s->ground};
}

static void one(void* data)
{
    scene* s = data;
    for (int k = 0; k < STEPS; ++k, ++s->count)
    {
        const sft_creature_input input = input_at(s, (double)s->count / SFT_CREATURE_RATE);
        if (sft_creature_step(s->creature, &input, s->state) != SFT_OK) s->failed = true;
    }
    bench_keep(s->state);
}

static void many(void* data)
{
    scene* s = data;
    for (int k = 0; k < MANY_STEPS; ++k)
        if (sft_creature_step_many(s->creature, MANY, s->inputs, (char*)s->memory + s->size, s->size) != SFT_OK)
            s->failed = true;
    bench_keep(s->memory);
}

typedef struct range
{
    const scene* s;
    int32_t first, end;
    bool failed;
} range;

// Step by step, as a frame would ask for it: all of a range, then again.
static void* step_range(void* data)
{
    range* r = data;
    char* states = (char*)r->s->memory + r->s->size;
    for (int k = 0; k < MANY_STEPS; ++k)
        if (sft_creature_step_many(r->s->creature, r->end - r->first, r->s->inputs + r->first,
                                   states + r->s->size * (size_t)r->first, r->s->size) != SFT_OK)
            r->failed = true;
    return NULL;
}

static void many_on_all(void* data)
{
    scene* s = data;
    range ranges[THREADS_MOST];
    pthread_t threads[THREADS_MOST];
    int32_t started = 0;
    for (int32_t t = 0; t < s->threads; ++t)
    {
        ranges[t] = (range){s, (int32_t)((int64_t)MANY * t / s->threads),
                            (int32_t)((int64_t)MANY * (t + 1) / s->threads), false};
        if (pthread_create(&threads[t], NULL, step_range, &ranges[t]) != 0) break;
        ++started;
    }
    for (int32_t t = 0; t < started; ++t)
    {
        pthread_join(threads[t], NULL);
        s->failed = s->failed || ranges[t].failed;
    }
    s->failed = s->failed || started < s->threads;
    bench_keep(s->memory);
}

static double foot_off(scene* s)
{
    sft_xformd joints[LIZARD_JOINTS];
    sft_creature_get_world(s->creature, s->state, joints);
    const sft_creature_foot* feet = sft_creature_get_feet(s->creature, s->state);
    double off = 0;
    for (int32_t l = 0; l < s->def.leg_count; ++l)
        if (feet[l].standing && !feet[l].swinging)
            off = sft_maxd(off, sft_v3d_distance(joints[s->def.legs[l].joints[2]].t, feet[l].position));
    return off;
}

static bool make(scene* s)
{
    if (lizard_create(&s->skeleton) != SFT_OK) return false;
    if (sft_creature_find(s->skeleton, NULL, NULL, &s->def, NULL) != SFT_OK) return false;
    if (sft_creature_create(&s->def, s->skeleton, NULL, &s->creature, NULL) != SFT_OK) return false;
    s->plane.normal = sft_v3d_make(0, 1, 0);
    s->ground = sft_ground_from_plane(&s->plane);
    s->size = (sft_creature_state_size(s->creature) + 15) / 16 * 16;
    s->memory = malloc(s->size * (MANY + 1));
    s->inputs = calloc(MANY, sizeof *s->inputs);
    if (s->memory == NULL || s->inputs == NULL) return false;
    for (int k = 0; k <= MANY; ++k)
    {
        sft_creature_state* state = NULL;
        const sft_xformd place = {sft_v3d_make(k % 32, 0, k / 32), sft_quatd_exp(sft_v3d_make(0, 0.1 * k, 0))};
        const sft_creature_input goal = {
            .kind = SFT_CREATURE_GO_TO, .goal = sft_v3d_make(100, 0, 20 - k), .ground = &s->ground};
        if (sft_creature_place(s->creature, place, &s->ground, (char*)s->memory + s->size * (size_t)k, s->size,
                               &state) != SFT_OK)
            return false;
        if (k == 0) s->state = state;
        if (k > 0) s->inputs[k - 1] = goal;
    }
    return true;
}

static void run(bench_context* context, scene* s)
{
    bench_entry step = bench_time_entry("creature_step", "ns", bench_measure(context, NULL, one, s), 1e9 / STEPS);
    bench_add_field(&step, "joints", s->skeleton->joint_count);
    bench_add_field(&step, "legs", s->def.leg_count);
    bench_add_field(&step, "foot_off_um", 1e6 * foot_off(s));
    bench_add_field(&step, "steps_a_minute",
                    60.0 * SFT_CREATURE_RATE * (double)sft_creature_get_feet(s->creature, s->state)[0].steps /
                        (double)s->count);
    bench_report(context, &step);
    bench_entry crowd = bench_time_entry("creature_step_many", "ns", bench_measure(context, NULL, many, s),
                                         1e9 / ((double)MANY * MANY_STEPS));
    bench_add_field(&crowd, "creatures", MANY);
    bench_add_field(&crowd, "state_bytes", (double)s->size);
    bench_report(context, &crowd);
    const long cores = sysconf(_SC_NPROCESSORS_ONLN);
    s->threads = cores < 1 ? 1 : cores > THREADS_MOST ? THREADS_MOST : (int32_t)cores;
    bench_entry all = bench_time_entry("creature_step_all_cores", "ns", bench_measure(context, NULL, many_on_all, s),
                                       1e9 / ((double)MANY * MANY_STEPS));
    bench_add_field(&all, "creatures", MANY);
    bench_add_field(&all, "threads", s->threads);
    bench_report(context, &all);
    if (s->failed) bench_fail(context, "creature_step", "a step was refused");
}

void bench_scene_creature(bench_context* context)
{
    scene* s = calloc(1, sizeof *s);
    if (s == NULL)
    {
        bench_fail(context, "creature_step", "out of memory");
        return;
    }
    if (make(s))
        run(context, s);
    else
        bench_fail(context, "creature_step", "the lizard cannot be made");
    free(s->memory);
    free(s->inputs);
    sft_creature_destroy(s->creature, NULL);
    sft_skeleton_destroy(s->skeleton, NULL);
    free(s);
}
