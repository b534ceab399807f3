// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// Motion from one figure of sixty joints to another: frames a second, and what making the map takes, from two rest
// poses to the end.
#include "bench.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "surefoot/surefoot.h"

#define JOINTS 64
#define FRAMES 240

typedef struct person
{
    int32_t count;
    char names[JOINTS][64];
    const char* list[JOINTS];
    int32_t parents[JOINTS];
    uint32_t flags[JOINTS];
    sft_v3d rest[JOINTS];
    sft_skeleton* skeleton;
    sft_rig* rig;
} person;

static int32_t add(person* p, int32_t parent, const char* side, const char* name, sft_v3d offset)
{
    const int32_t j = p->count++;
    snprintf(p->names[j], sizeof p->names[j], "%.8s%.32s", side, name);
    p->list[j] = p->names[j];
    p->parents[j] = parent;
    p->rest[j] = offset;
    return j;
}

static void add_end(person* p, int32_t parent, sft_v3d offset)
{
    const int32_t end = add(p, parent, "", "End", offset);
    p->list[end] = p->names[parent];
    p->flags[end] = SFT_JOINT_END_SITE;
}

static void add_side(person* p, int32_t hips, int32_t chest, int side, double k)
{
    const char* word = side == 0 ? "Left" : "Right";
    const double x = side == 0 ? k : -k;
    int32_t up = add(p, hips, word, "UpLeg", sft_v3d_make(0.09 * x, -0.08 * k, 0.0));
    up = add(p, up, word, "Leg", sft_v3d_make(0.0, -0.42 * k, 0.0));
    up = add(p, up, word, "Foot", sft_v3d_make(0.0, -0.4 * k, 0.0));
    up = add(p, up, word, "ToeBase", sft_v3d_make(0.0, -0.06 * k, 0.13 * k));
    add_end(p, up, sft_v3d_make(0.0, 0.0, 0.07 * k));
    up = add(p, chest, word, "Shoulder", sft_v3d_make(0.04 * x, 0.14 * k, 0.0));
    up = add(p, up, word, "Arm", sft_v3d_make(0.14 * x, 0.0, 0.0));
    up = add(p, up, word, "ForeArm", sft_v3d_make(0.28 * x, 0.0, 0.0));
    const int32_t hand = add(p, up, word, "Hand", sft_v3d_make(0.25 * x, 0.0, 0.0));
    static const char* const fingers[5] = {"HandThumb", "HandIndex", "HandMiddle", "HandRing", "HandPinky"};
    for (int f = 0; f < 5; ++f)
        for (int i = 0; i < 3; ++i)
        {
            char name[24];
            snprintf(name, sizeof name, "%s%d", fingers[f], i + 1);
            const sft_v3d knuckle = sft_v3d_make(0.09 * x, 0.0, (0.04 - 0.02 * f) * k);
            up = add(p, i == 0 ? hand : up, word, name, i == 0 ? knuckle : sft_v3d_make(0.03 * x, 0.0, 0.0));
        }
}

static bool make_person(int32_t spines, double k, person* p)
{
    memset(p, 0, sizeof *p);
    const int32_t hips = add(p, -1, "", "Hips", sft_v3d_make(0.0, 0.96 * k, 0.0));
    int32_t chest = hips;
    for (int32_t i = 0; i < spines; ++i)
    {
        char name[24];
        snprintf(name, sizeof name, "Spine%d", (int)i);
        chest = add(p, chest, "", name, sft_v3d_make(0.0, 0.35 * k / spines, 0.0));
    }
    int32_t up = add(p, chest, "", "Neck", sft_v3d_make(0.0, 0.22 * k, 0.0));
    up = add(p, up, "", "Head", sft_v3d_make(0.0, 0.1 * k, 0.01));
    add_end(p, up, sft_v3d_make(0.0, 0.18 * k, 0.0));
    for (int side = 0; side < 2; ++side)
        add_side(p, hips, chest, side, k);
    for (; p->count < 60;)
        add(p, chest, "", "Prop", sft_v3d_make(0.0, 0.1, -0.2));
    const sft_skeleton def = {p->count, p->list, p->parents, p->flags, p->rest, NULL};
    return sft_skeleton_create(&def, NULL, &p->skeleton) == SFT_OK &&
           sft_rig_create(NULL, p->skeleton, NULL, NULL, &p->rig) == SFT_OK;
}

static void release_person(person* p)
{
    sft_rig_destroy(p->rig, NULL);
    sft_skeleton_destroy(p->skeleton, NULL);
}

typedef struct scene
{
    person from, onto;
    sft_retarget_map* map;
    sft_clip* clip;
    void* scratch;
    sft_transfer_def def;
    sft_v3d t[JOINTS];
    sft_quatd r[JOINTS];
    bool failed;
} scene;

static void move_all(void* data)
{
    scene* s = data;
    for (int32_t f = 0; f < FRAMES; ++f)
    {
        const size_t row = (size_t)f * (size_t)s->clip->joint_count;
        if (sft_retarget_frame(&s->def, s->map, s->clip->translations + row, s->clip->rotations + row, s->scratch, s->t,
                               s->r) != SFT_OK)
            s->failed = true;
    }
    bench_keep(s->r);
}

static void make_rigs(void* data)
{
    scene* s = data;
    sft_rig *from = NULL, *onto = NULL;
    s->failed = s->failed || sft_rig_create(NULL, s->from.skeleton, NULL, NULL, &from) != SFT_OK ||
                sft_rig_create(NULL, s->onto.skeleton, NULL, NULL, &onto) != SFT_OK;
    bench_keep(onto);
    sft_rig_destroy(from, NULL);
    sft_rig_destroy(onto, NULL);
}

static void make_map(void* data)
{
    scene* s = data;
    const sft_rig_pair rigs = {s->from.rig, s->onto.rig};
    sft_retarget_map* map = NULL;
    s->failed = s->failed || sft_retarget_map_create(&rigs, NULL, &map, NULL) != SFT_OK;
    bench_keep(map);
    sft_retarget_map_destroy(map);
}

static void make_all(void* data)
{
    scene* s = data;
    sft_rig *from = NULL, *onto = NULL;
    sft_retarget_map* map = NULL;
    s->failed = s->failed || sft_rig_create(NULL, s->from.skeleton, NULL, NULL, &from) != SFT_OK ||
                sft_rig_create(NULL, s->onto.skeleton, NULL, NULL, &onto) != SFT_OK;
    const sft_rig_pair rigs = {from, onto};
    s->failed = s->failed || sft_retarget_map_create(&rigs, NULL, &map, NULL) != SFT_OK;
    sft_retarget_map_destroy(map);
    sft_rig_destroy(from, NULL);
    sft_rig_destroy(onto, NULL);
}

/// Every joint turns, about an axis and at a rate of its own.
static bool make_clip(scene* s)
{
    if (sft_clip_create(s->from.count, FRAMES, 1.0 / 60.0, NULL, &s->clip) != SFT_OK) return false;
    for (int32_t f = 0; f < FRAMES; ++f)
        for (int32_t j = 0; j < s->from.count; ++j)
        {
            const size_t i = (size_t)f * (size_t)s->from.count + (size_t)j;
            const double angle = 0.4 * sft_sin(0.05 * f + 0.7 * j);
            s->clip->translations[i] = s->from.rest[j];
            s->clip->rotations[i] = sft_quatd_exp(sft_v3d_make(angle * sft_cos(j), angle * sft_sin(j), 0.3 * angle));
        }
    return true;
}

static void run(bench_context* context, scene* s)
{
    bench_entry frame =
        bench_rate_entry("retarget_frame", "frames/s", bench_measure(context, NULL, move_all, s), FRAMES);
    bench_add_field(&frame, "joints", s->onto.count);
    bench_report(context, &frame);
    bench_entry map = bench_time_entry("retarget_map", "ms", bench_measure(context, NULL, make_all, s), 1e3);
    bench_add_field(&map, "rigs_ms", 1e3 * bench_measure(context, NULL, make_rigs, s).median);
    bench_add_field(&map, "pairs_ms", 1e3 * bench_measure(context, NULL, make_map, s).median);
    bench_report(context, &map);
    if (s->failed) bench_fail(context, "retarget_frame", "a frame or a map was refused");
}

void bench_scene_retarget(bench_context* context)
{
    scene* s = calloc(1, sizeof *s);
    if (s == NULL)
    {
        bench_fail(context, "retarget_frame", "out of memory");
        return;
    }
    s->def = sft_default_transfer_def();
    bool fine = make_person(4, 1.0, &s->from) && make_person(2, 0.8, &s->onto) && make_clip(s);
    const sft_rig_pair rigs = {s->from.rig, s->onto.rig};
    fine = fine && sft_retarget_map_create(&rigs, NULL, &s->map, NULL) == SFT_OK;
    if (fine) s->scratch = malloc(sft_retarget_scratch_size(s->map));
    if (fine && s->scratch != NULL)
        run(context, s);
    else
        bench_fail(context, "retarget_frame", "the figures cannot be made");
    free(s->scratch);
    sft_retarget_map_destroy(s->map);
    sft_clip_destroy(s->clip, NULL);
    release_person(&s->from);
    release_person(&s->onto);
    free(s);
}
