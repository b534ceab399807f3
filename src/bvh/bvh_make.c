// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// Documents made from nothing but joints and a clip.

#include "bvh/bvh.h"

static sft_result take_joints(sft_bvh* bvh, const sft_bvh_joint* joints, int32_t joint_count)
{
    const size_t count = (size_t)joint_count;
    size_t bytes = 1;
    for (size_t j = 0; j < count; ++j)
        bytes += joints[j].end_site ? 1 : strlen(joints[j].name) + 1;
    bvh->joint_capacity = count;
    bvh->names_capacity = bytes;
    bvh->joints = sft_core_alloc(&bvh->allocator, count, sizeof *bvh->joints);
    bvh->notes = sft_core_alloc(&bvh->allocator, count, sizeof *bvh->notes);
    bvh->names = sft_core_alloc(&bvh->allocator, bytes, 1);
    if (bvh->joints == NULL || bvh->notes == NULL || bvh->names == NULL) return SFT_ERR_MEMORY;
    for (size_t j = 0; j < count; ++j)
    {
        bvh->joints[j] = joints[j];
        bvh->joints[j].channel_first = bvh->view.channel_count;
        bvh->view.channel_count += joints[j].channel_count;
        bvh->notes[j] = (bvh_note){.label = bvh->names_size, .has_offset = true, .has_channels = !joints[j].end_site};
        const size_t length = joints[j].end_site ? 0 : strlen(joints[j].name);
        if (length > 0) memcpy(bvh->names + bvh->names_size, joints[j].name, length);
        bvh->names_size += length;
        bvh->names[bvh->names_size++] = '\0';
    }
    bvh->view.joint_count = joint_count;
    sft_bvh_bind_names(bvh);
    return SFT_OK;
}

// Whether a reader left to itself takes position channels as they were written; `meant` is then as it was.
static bool read_as_meant(sft_bvh* bvh, const sft_bvh_joint* meant, bool* roots, bool* inner)
{
    *roots = *inner = true;
    sft_bvh_decide_positions(bvh, SFT_BVH_POSITIONS_AUTO);
    for (int32_t j = 0; j < bvh->view.joint_count; ++j)
        if (sft_bvh_has_positions(&meant[j]) && bvh->joints[j].positions_replace != meant[j].positions_replace)
            *(meant[j].parent < 0 ? roots : inner) = false;
    return *roots && *inner;
}

typedef struct filling
{
    sft_bvh* bvh;
    sft_bvh_joint* meant;
    const sft_clip* clip;
    const sft_space* space;
    const sft_bvh* like;
    sft_error* error;
} filling;

static sft_result fill(const filling* work)
{
    for (int32_t j = 0; j < work->bvh->view.joint_count; ++j)
    {
        work->bvh->joints[j].positions_replace = work->meant[j].positions_replace;
        work->bvh->joints[j].offset = work->meant[j].offset;
    }
    return sft_bvh_fill(work->bvh, work->clip, work->space, work->like, work->error);
}

// Three tries: as it was meant, the other reading, without OFFSET (where both are the same).
static sft_result fill_clearly(const filling* work)
{
    sft_bvh_joint* meant = work->meant;
    for (int attempt = 0; attempt < 3; ++attempt)
    {
        const sft_result result = fill(work);
        bool roots, inner;
        if (result != SFT_OK || read_as_meant(work->bvh, meant, &roots, &inner)) return result;
        for (int32_t j = 0; j < work->bvh->view.joint_count; ++j)
        {
            if (meant[j].parent < 0 ? roots : inner) continue;
            meant[j].positions_replace = attempt == 0 ? !meant[j].positions_replace : true;
            if (attempt == 1 && sft_bvh_has_positions(&meant[j])) meant[j].offset = (sft_v3d){0.0, 0.0, 0.0};
        }
    }
    return fill(work);
}

sft_result sft_bvh_make(const sft_bvh_joint* joints, int32_t joint_count, const sft_clip* clip, const sft_bvh* like,
                        const sft_allocator* allocator, sft_bvh** out)
{
    sft_bvh* bvh = sft_bvh_alloc(allocator);
    if (bvh == NULL) return SFT_ERR_MEMORY;
    sft_result result = take_joints(bvh, joints, joint_count);
    sft_bvh_joint* meant = sft_core_alloc(&bvh->allocator, (size_t)joint_count, sizeof *meant);
    const size_t count = (size_t)clip->frame_count * (size_t)bvh->view.channel_count;
    if (result == SFT_OK && (meant == NULL || !sft_bvh_reserve_values(bvh, 0, count))) result = SFT_ERR_MEMORY;
    if (result == SFT_OK)
    {
        if (count > 0) memset(bvh->values, 0, count * sizeof *bvh->values);
        if (joint_count > 0) memcpy(meant, bvh->joints, (size_t)joint_count * sizeof *meant);
        bvh->view.values = bvh->values;
        bvh->view.frame_count = clip->frame_count;
        sft_bvh_set_frame_time(bvh, clip->frame_time, NULL, 0);
        const filling work = {bvh, meant, clip, NULL, like, NULL};
        result = fill_clearly(&work);
    }
    sft_core_free(&bvh->allocator, meant, (size_t)joint_count, sizeof *meant);
    if (result != SFT_OK)
    {
        sft_bvh_destroy(bvh);
        return result;
    }
    bvh->view.warnings = bvh->warnings;
    *out = bvh;
    return SFT_OK;
}

sft_result sft_bvh_remake(const sft_bvh* like, const sft_clip* clip, const sft_space* space,
                          const sft_allocator* allocator, sft_bvh** out, sft_error* error)
{
    sft_bvh* made = sft_bvh_copy_header(like, clip->frame_count, allocator);
    const size_t joints = (size_t)like->view.joint_count;
    const size_t count = (size_t)clip->frame_count * (size_t)like->view.channel_count;
    sft_bvh_joint* meant = made != NULL ? sft_core_alloc(&made->allocator, joints, sizeof *meant) : NULL;
    if (meant == NULL)
    {
        sft_bvh_destroy(made);
        return sft_core_fail(error, SFT_ERR_MEMORY, 0, 0, NULL, "out of memory");
    }
    if (count > 0) memset(made->values, 0, count * sizeof *made->values);
    if (joints > 0) memcpy(meant, made->joints, joints * sizeof *meant);
    if (made->view.frame_time != clip->frame_time) sft_bvh_set_frame_time(made, clip->frame_time, NULL, 0);
    const filling work = {made, meant, clip, space, like, error};
    const sft_result result = fill(&work);
    sft_core_free(&made->allocator, meant, joints, sizeof *meant);
    if (result != SFT_OK)
    {
        sft_bvh_destroy(made);
        return result;
    }
    *out = made;
    return SFT_OK;
}

// ---- from a skeleton ----

static bool translation_moves(const sft_skeleton* skeleton, const sft_clip* clip, int32_t joint)
{
    const sft_v3d rest = skeleton->rest_translations[joint];
    const double limit = 1e-9 * (1.0 + sft_v3d_length(rest));
    for (int32_t f = 0; f < clip->frame_count; ++f)
    {
        const sft_v3d t = clip->translations[(size_t)f * (size_t)clip->joint_count + (size_t)joint];
        if (!(sft_v3d_length(sft_v3d_sub(t, rest)) <= limit)) return true;
    }
    return false;
}

// BVH nests joints, so each parent must be the joint before or one above it.
static bool depth_first(const sft_skeleton* skeleton)
{
    int32_t open = -1;
    for (int32_t j = 0; j < skeleton->joint_count; ++j)
    {
        while (open >= 0 && open != skeleton->parents[j])
            open = skeleton->parents[open];
        if (open != skeleton->parents[j]) return false;
        open = j;
    }
    return true;
}

static void make_joint(const sft_skeleton* skeleton, const sft_clip* clip, int32_t index, sft_bvh_joint* joint,
                       char** names)
{
    static const uint8_t all[6] = {SFT_BVH_XPOSITION, SFT_BVH_YPOSITION, SFT_BVH_ZPOSITION,
                                   SFT_BVH_ZROTATION, SFT_BVH_XROTATION, SFT_BVH_YROTATION};
    *joint = (sft_bvh_joint){.name = *names, .parent = skeleton->parents[index], .positions_replace = true};
    joint->end_site = (skeleton->flags[index] & SFT_JOINT_END_SITE) != 0 && joint->parent >= 0;
    joint->offset = skeleton->rest_translations[index];
    if (!joint->end_site)
    {
        const bool six = joint->parent < 0 || translation_moves(skeleton, clip, index);
        joint->channel_count = six ? 6 : 3;
        memcpy(joint->channels, six ? all : all + 3, (size_t)joint->channel_count);
    }
    for (const char* name = skeleton->names[index]; *name != '\0'; ++name)
        // What would end a name in the text cannot stand in one.
        *(*names)++ = *name == '\n' || *name == '\r' || *name == '{' || *name == '}' ? '_' : *name;
    *(*names)++ = '\0';
}

sft_result sft_bvh_create(const sft_skeleton* skeleton, const sft_clip* clip, const sft_allocator* allocator,
                          sft_bvh** out)
{
    if (skeleton == NULL || clip == NULL || out == NULL || clip->joint_count != skeleton->joint_count ||
        !(clip->frame_time > 0.0))
        return SFT_ERR_ARG;
    if (!depth_first(skeleton)) return SFT_ERR_UNSUPPORTED;
    const size_t count = (size_t)skeleton->joint_count;
    size_t bytes = 1;
    for (size_t j = 0; j < count; ++j)
        bytes += strlen(skeleton->names[j]) + 1;
    sft_bvh_joint* joints = sft_core_alloc(allocator, count, sizeof *joints);
    char* names = sft_core_alloc(allocator, bytes, 1);
    sft_result result = SFT_ERR_MEMORY;
    if (joints != NULL && names != NULL)
    {
        char* at = names;
        for (int32_t j = 0; j < skeleton->joint_count; ++j)
            make_joint(skeleton, clip, j, &joints[j], &at);
        result = sft_bvh_make(joints, skeleton->joint_count, clip, NULL, allocator, out);
    }
    sft_core_free(allocator, joints, count, sizeof *joints);
    sft_core_free(allocator, names, bytes, 1);
    return result;
}
