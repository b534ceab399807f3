// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// Document to clip: channels to transforms.

#include "bvh/bvh.h"

static sft_result skeleton_of(const sft_bvh* bvh, const sft_allocator* allocator, sft_skeleton** out)
{
    const size_t n = (size_t)bvh->view.joint_count;
    const char** names = sft_core_alloc(allocator, n, sizeof *names);
    int32_t* parents = sft_core_alloc(allocator, n, sizeof *parents);
    uint32_t* flags = sft_core_alloc(allocator, n, sizeof *flags);
    sft_v3d* rest = sft_core_alloc(allocator, n, sizeof *rest);
    sft_result result = SFT_ERR_MEMORY;
    if (names != NULL && parents != NULL && flags != NULL && rest != NULL)
    {
        for (size_t j = 0; j < n; ++j)
        {
            names[j] = bvh->joints[j].name;
            parents[j] = bvh->joints[j].parent;
            flags[j] = bvh->joints[j].end_site ? SFT_JOINT_END_SITE : 0u;
            rest[j] = bvh->joints[j].offset;
        }
        const sft_skeleton def = {(int32_t)n, names, parents, flags, rest, NULL};
        result = sft_skeleton_create(&def, allocator, out);
    }
    sft_core_free(allocator, names, n, sizeof *names);
    sft_core_free(allocator, parents, n, sizeof *parents);
    sft_core_free(allocator, flags, n, sizeof *flags);
    sft_core_free(allocator, rest, n, sizeof *rest);
    return result;
}

sft_v3d sft_bvh_translation(const sft_bvh_joint* joint, const bvh_columns* columns, const double* row)
{
    double t[3] = {joint->offset.x, joint->offset.y, joint->offset.z};
    for (int axis = 0; axis < 3; ++axis)
        if (columns->position[axis] >= 0)
            t[axis] = (joint->positions_replace ? 0.0 : t[axis]) + row[columns->position[axis]];
    return (sft_v3d){t[0], t[1], t[2]};
}

sft_quatd sft_bvh_rotation(const bvh_columns* columns, const double* row)
{
    double degrees[6];
    for (int32_t i = 0; i < columns->rotation_count; ++i)
        degrees[i] = row[columns->rotation[i]];
    return sft_euler_to_quat(degrees, columns->axes, columns->rotation_count);
}

// Frame by frame, so that rows and transforms stream through the cache once.
static void fill_clip(const sft_bvh* bvh, const bvh_columns* columns, sft_clip* clip)
{
    const size_t joints = (size_t)bvh->view.joint_count;
    for (size_t f = 0; f < (size_t)bvh->view.frame_count; ++f)
    {
        const double* row = bvh->values + f * (size_t)bvh->view.channel_count;
        for (size_t j = 0; j < joints; ++j)
        {
            const size_t at = f * joints + j;
            clip->translations[at] = sft_bvh_translation(&bvh->joints[j], &columns[j], row);
            if (columns[j].rotation_count > 0) clip->rotations[at] = sft_bvh_rotation(&columns[j], row);
        }
    }
}

sft_result sft_bvh_to_clip(const sft_bvh* bvh, const sft_allocator* allocator, sft_skeleton** skeleton, sft_clip** clip)
{
    if (bvh == NULL || skeleton == NULL || clip == NULL) return SFT_ERR_ARG;
    const size_t joints = (size_t)bvh->view.joint_count;
    sft_skeleton* new_skeleton = NULL;
    sft_clip* new_clip = NULL;
    bvh_columns* columns = sft_core_alloc(allocator, joints, sizeof *columns);
    sft_result result = columns != NULL ? skeleton_of(bvh, allocator, &new_skeleton) : SFT_ERR_MEMORY;
    if (result == SFT_OK)
        result =
            sft_clip_create(bvh->view.joint_count, bvh->view.frame_count, bvh->view.frame_time, allocator, &new_clip);
    if (result == SFT_OK)
    {
        for (size_t j = 0; j < joints; ++j)
            columns[j] = sft_bvh_joint_columns(&bvh->joints[j]);
        fill_clip(bvh, columns, new_clip);
        *skeleton = new_skeleton;
        *clip = new_clip;
    }
    else
        sft_skeleton_destroy(new_skeleton, allocator);
    sft_core_free(allocator, columns, joints, sizeof *columns);
    return result;
}
