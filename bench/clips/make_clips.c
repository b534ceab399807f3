// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// Makes a dataset: walks of a person of 30 joints, 300 frames each, as BVH. Gait, heading, slide and noise follow from
// the clip's number alone, so every machine makes the same bytes.
//
//     surefoot-make-clips FOLDER [FIRST] COUNT
//
// Clips FIRST (0) to FIRST+COUNT-1 become FOLDER/000/000000.bvh and so on, a thousand to a folder.
#define _POSIX_C_SOURCE 200809L

#include "sample/walker.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define FRAMES 300
// Of the walker's joints 21 have channels; fingers and a jaw make it 30, as skeletons of motion capture have.
#define MOST_JOINTS 48

typedef struct figure
{
    int32_t count;
    const char* names[MOST_JOINTS];
    int32_t parents[MOST_JOINTS];
    uint32_t flags[MOST_JOINTS];
    sft_v3d rest[MOST_JOINTS];
    int32_t of[MOST_JOINTS]; // joint of the walker; -1: one that is added here
} figure;

static int32_t put(figure* f, const char* name, int32_t parent, uint32_t flags, sft_v3d rest, int32_t of)
{
    const int32_t j = f->count++;
    f->names[j] = name;
    f->parents[j] = parent;
    f->flags[j] = flags;
    f->rest[j] = rest;
    f->of[j] = of;
    return j;
}

// One bone after another, with an end.
static void put_chain(figure* f, const char* const* names, int32_t count, int32_t parent, sft_v3d step)
{
    for (int32_t i = 0; i < count; ++i)
        parent = put(f, names[i], parent, 0, step, -1);
    put(f, names[count - 1], parent, SFT_JOINT_END_SITE, step, -1);
}

static void put_additions(figure* f, const char* name, int32_t at)
{
    static const char* const left[] = {"LeftThumb1", "LeftThumb2", "LeftIndex1", "LeftIndex2"};
    static const char* const right[] = {"RightThumb1", "RightThumb2", "RightIndex1", "RightIndex2"};
    static const char* const jaw[] = {"Jaw"};
    const bool is_left = strcmp(name, "LeftHand") == 0;
    if (is_left || strcmp(name, "RightHand") == 0)
    {
        const char* const* fingers = is_left ? left : right;
        const double side = is_left ? 1.0 : -1.0;
        put_chain(f, fingers, 2, at, sft_v3d_make(0.03 * side, 0.0, 0.02));
        put_chain(f, fingers + 2, 2, at, sft_v3d_make(0.045 * side, 0.0, 0.0));
    }
    else if (strcmp(name, "Head") == 0)
        put_chain(f, jaw, 1, at, sft_v3d_make(0.0, 0.02, 0.05));
}

// The walker's joints in their order, what is added right behind its parent: depth first, as BVH has it.
static void make_figure(const sft_skeleton* s, figure* f)
{
    int32_t now[WALKER_JOINTS];
    f->count = 0;
    for (int32_t j = 0; j < s->joint_count; ++j)
    {
        const int32_t parent = s->parents[j] < 0 ? -1 : now[s->parents[j]];
        now[j] = put(f, s->names[j], parent, s->flags[j], s->rest_translations[j], j);
        if ((s->flags[j] & SFT_JOINT_END_SITE) == 0) put_additions(f, s->names[j], now[j]);
    }
}

static double draw(uint64_t* state, double low, double high)
{
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return low + (high - low) * ((double)(*state >> 11) * 0x1p-53);
}

static walker_def make_def(uint64_t number)
{
    uint64_t random = number * UINT64_C(0x9E3779B97F4A7C15) + 1;
    walker_def def = walker_default_def();
    (void)draw(&random, 0.0, 1.0);
    def.frames = FRAMES;
    def.speed = draw(&random, 0.9, 1.6);
    def.step_length = draw(&random, 0.45, 0.68);
    def.heading = draw(&random, -SFT_PI, SFT_PI);
    def.start = draw(&random, 0.0, 1.0);
    def.root_scale = draw(&random, 0.8, 1.3);
    def.hip_edit = draw(&random, 0.0, 0.04);
    def.noise = draw(&random, 0.0, 0.001);
    def.seed = number + 1;
    return def;
}

static void pose_figure(const walker* w, const figure* f, sft_clip* clip)
{
    for (int32_t frame = 0; frame < FRAMES; ++frame)
        for (int32_t j = 0; j < f->count; ++j)
        {
            const size_t to = (size_t)frame * (size_t)f->count + (size_t)j;
            const size_t from = (size_t)frame * WALKER_JOINTS + (size_t)(f->of[j] < 0 ? 0 : f->of[j]);
            const double angle = 0.3 + 0.2 * sft_sin(0.05 * frame + j);
            const bool added = f->of[j] < 0, moves = added && (f->flags[j] & SFT_JOINT_END_SITE) == 0;
            clip->translations[to] = added ? f->rest[j] : w->clip->translations[from];
            clip->rotations[to] = moves   ? sft_quatd_exp(sft_v3d_make(0, 0, angle))
                                  : added ? sft_quatd_identity()
                                          : w->clip->rotations[from];
        }
}

static sft_result write_bvh(sft_skeleton* skeleton, sft_clip* clip, const char* path, sft_error* error)
{
    const sft_space centimetres = {.unit_metres = 100.0, .up = SFT_AXIS_Y};
    sft_bvh* bvh = NULL;
    char* text = NULL;
    size_t size = 0;
    sft_result result = sft_clip_rescale(skeleton, clip, &centimetres);
    if (result == SFT_OK) result = sft_bvh_create(skeleton, clip, NULL, &bvh);
    if (result == SFT_OK) result = sft_bvh_write(bvh, NULL, &text, &size);
    if (result == SFT_OK) result = sft_file_write(path, text, size, error);
    sft_bvh_destroy(bvh);
    free(text);
    return result;
}

static sft_result make_clip(unsigned long number, const char* path, sft_error* error)
{
    const walker_def def = make_def(number);
    walker w = {0};
    figure f;
    sft_skeleton* skeleton = NULL;
    sft_clip* clip = NULL;
    sft_result result = walker_create(&def, &w);
    if (result == SFT_OK)
    {
        make_figure(w.skeleton, &f);
        const sft_skeleton all = {f.count, f.names, f.parents, f.flags, f.rest, NULL};
        result = sft_skeleton_create(&all, NULL, &skeleton);
    }
    if (result == SFT_OK) result = sft_clip_create(f.count, FRAMES, 1.0 / def.fps, NULL, &clip);
    if (result == SFT_OK)
    {
        pose_figure(&w, &f, clip);
        result = write_bvh(skeleton, clip, path, error);
    }
    sft_clip_destroy(clip, NULL);
    sft_skeleton_destroy(skeleton, NULL);
    walker_release(&w);
    return result;
}

static bool make_folder(const char* path)
{
    return mkdir(path, 0777) == 0 || errno == EEXIST;
}

static bool take_count(const char* text, unsigned long* out)
{
    char* end = NULL;
    *out = strtoul(text, &end, 10);
    return end != text && *end == '\0' && *out <= 1000000;
}

int main(int argc, char** argv)
{
    unsigned long first = 0, count = 0;
    if (argc < 3 || argc > 4 || (argc == 4 && !take_count(argv[2], &first)) || !take_count(argv[argc - 1], &count))
    {
        fputs("usage: surefoot-make-clips FOLDER [FIRST] COUNT\n", stderr);
        return 2;
    }
    for (unsigned long i = first; i < first + count; ++i)
    {
        char path[4096];
        sft_error error = {0};
        snprintf(path, sizeof path, "%s/%03lu", argv[1], i / 1000);
        if (!make_folder(argv[1]) || !make_folder(path))
        {
            perror(path);
            return 4;
        }
        snprintf(path, sizeof path, "%s/%03lu/%06lu.bvh", argv[1], i / 1000, i);
        const sft_result result = make_clip(i, path, &error);
        if (result == SFT_OK) continue;
        fprintf(stderr, "surefoot-make-clips: clip %lu: %s\n", i,
                error.message[0] != '\0' ? error.message : sft_result_string(result));
        return 4;
    }
    return 0;
}
