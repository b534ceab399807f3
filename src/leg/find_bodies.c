// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// Several characters in one skeleton. Each hangs from a root of its own and is looked at by itself, as if its file held
// nothing else: who faces another way, is smaller, or lies on the floor says nothing about the rest. Skeletons that go
// along with another (deforming and control chains of one figure) are no further character; which of them is the figure
// is for the search over all of them.

#include "leg/find.h"

#include "core/core.h"

// A root with fewer joints is a prop, a camera, a target of control.
#define BODY_JOINTS 6
// Roots looked at, in their order: as many as may have legs.
#define BODIES (SFT_MAX_LEGS / 2)
// Frames looked at, and how near pelvises stay [of the legs' length] that are one.
#define SAMPLES 16
#define TOGETHER 0.1

int32_t sft_leg_root(const sft_skeleton* skeleton, const sft_leg* leg)
{
    int32_t root = leg->hip;
    while (skeleton->parents[root] >= 0)
        root = skeleton->parents[root];
    return root;
}

/// One root's part of a skeleton and its clip. `joints`: joint of the whole, by joint of the part.
typedef struct part
{
    sft_allocator allocator;
    int32_t* joints;
    int32_t count;
    sft_skeleton* skeleton;
    sft_clip* clip;
} part;

static void part_release(part* p, int32_t joint_count)
{
    sft_clip_destroy(p->clip, &p->allocator);
    sft_skeleton_destroy(p->skeleton, &p->allocator);
    sft_core_free(&p->allocator, p->joints, (size_t)joint_count, sizeof *p->joints);
    *p = (part){.allocator = p->allocator};
}

// Joints of the root in their order; `own` (joint_count entries) becomes their number in the part, else -1.
static void part_joints(const sft_skeleton* s, int32_t root, int32_t* own, part* p)
{
    p->count = 0;
    for (int32_t j = 0; j < s->joint_count; ++j)
    {
        const int32_t parent = s->parents[j];
        const bool in = j == root || (parent >= 0 && own[parent] >= 0);
        own[j] = in ? p->count : -1;
        if (in) p->joints[p->count++] = j;
    }
}

static sft_result part_skeleton(const sft_skeleton* s, const int32_t* own, part* p)
{
    const size_t n = (size_t)p->count;
    const char** names = sft_core_alloc(&p->allocator, n, sizeof *names);
    int32_t* parents = sft_core_alloc(&p->allocator, n, sizeof *parents);
    uint32_t* flags = sft_core_alloc(&p->allocator, n, sizeof *flags);
    sft_v3d* translations = sft_core_alloc(&p->allocator, n, sizeof *translations);
    sft_quatd* rotations = sft_core_alloc(&p->allocator, n, sizeof *rotations);
    sft_result result = SFT_ERR_MEMORY;
    if (names != NULL && parents != NULL && flags != NULL && translations != NULL && rotations != NULL)
    {
        for (size_t i = 0; i < n; ++i)
        {
            const int32_t j = p->joints[i];
            names[i] = s->names[j];
            parents[i] = s->parents[j] < 0 ? -1 : own[s->parents[j]];
            flags[i] = s->flags[j];
            translations[i] = s->rest_translations[j];
            rotations[i] = s->rest_rotations[j];
        }
        const sft_skeleton def = {p->count, names, parents, flags, translations, rotations};
        result = sft_skeleton_create(&def, &p->allocator, &p->skeleton);
    }
    sft_core_free(&p->allocator, rotations, n, sizeof *rotations);
    sft_core_free(&p->allocator, translations, n, sizeof *translations);
    sft_core_free(&p->allocator, flags, n, sizeof *flags);
    sft_core_free(&p->allocator, parents, n, sizeof *parents);
    sft_core_free(&p->allocator, names, n, sizeof *names);
    return result;
}

static sft_result part_clip(const sft_clip* clip, part* p)
{
    if (clip == NULL) return SFT_OK;
    const sft_result result = sft_clip_create(p->count, clip->frame_count, clip->frame_time, &p->allocator, &p->clip);
    if (result != SFT_OK) return result;
    const size_t all = (size_t)clip->joint_count, n = (size_t)p->count;
    for (size_t f = 0; f < (size_t)clip->frame_count; ++f)
        for (size_t i = 0; i < n; ++i)
        {
            p->clip->translations[f * n + i] = clip->translations[f * all + (size_t)p->joints[i]];
            p->clip->rotations[f * n + i] = clip->rotations[f * all + (size_t)p->joints[i]];
        }
    return SFT_OK;
}

static int32_t joint_of(const part* p, int32_t joint)
{
    return joint < 0 ? joint : p->joints[joint];
}

// The part's legs in the joints of the whole, their pairs numbered from `pair` on.
static void bring_back(const part* p, int32_t pair, sft_leg* legs, int32_t count)
{
    for (int32_t i = 0; i < count; ++i)
    {
        sft_leg* leg = &legs[i];
        leg->pelvis = joint_of(p, leg->pelvis);
        leg->hip = joint_of(p, leg->hip);
        leg->knee = joint_of(p, leg->knee);
        leg->heel = joint_of(p, leg->heel);
        leg->toe = joint_of(p, leg->toe);
        leg->toe_end = joint_of(p, leg->toe_end);
        leg->pair += pair;
    }
}

static sft_v3d pelvis_at(const sft_skeleton* s, const sft_clip* clip, int32_t frame, int32_t joint)
{
    if (clip == NULL) return sft_skeleton_joint_model(s, s->rest_translations, s->rest_rotations, joint).t;
    const size_t row = (size_t)frame * (size_t)clip->joint_count;
    return sft_skeleton_joint_model(s, clip->translations + row, clip->rotations + row, joint).t;
}

// Two skeletons in one place, from beginning to end, are one figure.
static bool together(const sft_skeleton* s, const sft_clip* clip, const sft_leg* a, const sft_leg* b)
{
    const double length = sft_v3d_distance(pelvis_at(s, NULL, 0, a->hip), pelvis_at(s, NULL, 0, a->knee)) +
                          sft_v3d_distance(pelvis_at(s, NULL, 0, a->knee), pelvis_at(s, NULL, 0, a->heel));
    // Frame 0 may be a reference pose, in which all stand in one place.
    const int32_t first = clip != NULL && clip->frame_count > 1 ? 1 : 0;
    const int32_t frames = clip != NULL ? clip->frame_count - first : 1, samples = frames < SAMPLES ? frames : SAMPLES;
    for (int32_t k = 0; k < samples; ++k)
    {
        const int32_t f = first + (int32_t)((int64_t)k * frames / samples);
        if (sft_v3d_distance(pelvis_at(s, clip, f, a->pelvis), pelvis_at(s, clip, f, b->pelvis)) > TOGETHER * length)
            return false;
    }
    return true;
}

static bool goes_along(const sft_skeleton* s, const sft_clip* clip, const sft_leg* legs, int32_t count,
                       const sft_leg* leg)
{
    for (int32_t i = 0; i < count; ++i)
        if (together(s, clip, &legs[i], leg)) return true;
    return false;
}

static sft_result find_part(const sft_skeleton* skeleton, const sft_clip* clip, int32_t root, int32_t* own, part* p,
                            sft_leg* legs, int32_t* count)
{
    part_joints(skeleton, root, own, p);
    *count = 0;
    sft_result result = part_skeleton(skeleton, own, p);
    if (result == SFT_OK) result = part_clip(clip, p);
    if (result == SFT_OK) result = sft_leg_find_one(p->skeleton, p->clip, &p->allocator, legs, SFT_MAX_LEGS, count);
    return result;
}

// Roots with enough joints to be a figure, at most BODIES; `size` is scratch of joint_count entries.
static int32_t large_roots(const sft_skeleton* skeleton, int32_t* size, int32_t* roots)
{
    int32_t count = 0;
    for (int32_t j = skeleton->joint_count - 1; j >= 0; --j)
        size[j] = 1;
    for (int32_t j = skeleton->joint_count - 1; j >= 0; --j)
        if (skeleton->parents[j] >= 0) size[skeleton->parents[j]] += size[j];
    for (int32_t j = 0; j < skeleton->joint_count && count < BODIES; ++j)
        if (skeleton->parents[j] < 0 && size[j] >= BODY_JOINTS) roots[count++] = j;
    return count;
}

sft_result sft_leg_find_bodies(const sft_skeleton* skeleton, const sft_clip* clip, const sft_allocator* allocator,
                               sft_leg* legs, int32_t* count, int32_t* bodies)
{
    part p = {.allocator = sft_core_allocator(allocator)};
    const int32_t joints = skeleton->joint_count;
    const size_t n = (size_t)joints;
    int32_t* own = sft_core_alloc(&p.allocator, n, sizeof *own);
    sft_leg* found = sft_core_alloc(&p.allocator, SFT_MAX_LEGS, sizeof *found);
    sft_result result = own != NULL && found != NULL ? SFT_OK : SFT_ERR_MEMORY;
    int32_t pair = 0, roots[BODIES];
    *count = *bodies = 0;
    const int32_t root_count = result == SFT_OK ? large_roots(skeleton, own, roots) : 0;
    // One figure among props is not looked at alone: its own search is that over all of them.
    for (int32_t k = 0; k < root_count && root_count > 1 && result == SFT_OK; ++k)
    {
        p.joints = sft_core_alloc(&p.allocator, n, sizeof *p.joints);
        int32_t more = 0;
        result = p.joints != NULL ? find_part(skeleton, clip, roots[k], own, &p, found, &more) : SFT_ERR_MEMORY;
        if (result == SFT_OK && more > 1 && more <= SFT_MAX_LEGS - *count)
        {
            bring_back(&p, pair, found, more);
            if (!goes_along(skeleton, clip, legs, *count, &found[0]))
            {
                memcpy(legs + *count, found, (size_t)more * sizeof *found);
                *count += more;
                pair = legs[*count - 1].pair + 1;
                ++*bodies;
            }
        }
        part_release(&p, joints);
    }
    sft_core_free(&p.allocator, found, SFT_MAX_LEGS, sizeof *found);
    sft_core_free(&p.allocator, own, n, sizeof *own);
    return result;
}
