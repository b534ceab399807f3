// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// Between a file's unit and axes and the inside: metres, Y up.

#include "surefoot/clip.h"

#include "core/core.h"

// Written out per axis, not through a quaternion, so that turning there and back is exact.
static sft_v3d turn_to_inside(sft_axis up, sft_v3d v)
{
    switch (up)
    {
    case SFT_AXIS_X:
        return sft_v3d_make(-v.y, v.x, v.z);
    case SFT_AXIS_Y:
        return v;
    case SFT_AXIS_Z:
        return sft_v3d_make(v.x, v.z, -v.y);
    case SFT_AXIS_NEG_X:
        return sft_v3d_make(v.y, -v.x, v.z);
    case SFT_AXIS_NEG_Y:
        return sft_v3d_make(v.x, -v.y, -v.z);
    case SFT_AXIS_NEG_Z:
        return sft_v3d_make(v.x, -v.z, v.y);
    }
    return v;
}

static sft_v3d turn_to_file(sft_axis up, sft_v3d v)
{
    switch (up)
    {
    case SFT_AXIS_X:
        return sft_v3d_make(v.y, -v.x, v.z);
    case SFT_AXIS_Y:
        return v;
    case SFT_AXIS_Z:
        return sft_v3d_make(v.x, -v.z, v.y);
    case SFT_AXIS_NEG_X:
        return sft_v3d_make(-v.y, v.x, v.z);
    case SFT_AXIS_NEG_Y:
        return sft_v3d_make(v.x, -v.y, -v.z);
    case SFT_AXIS_NEG_Z:
        return sft_v3d_make(v.x, v.z, -v.y);
    }
    return v;
}

sft_quatd sft_space_turn(sft_axis up)
{
    const double h = sqrt(0.5);
    switch (up)
    {
    case SFT_AXIS_X:
        return (sft_quatd){0.0, 0.0, h, h};
    case SFT_AXIS_Y:
        return sft_quatd_identity();
    case SFT_AXIS_Z:
        return (sft_quatd){-h, 0.0, 0.0, h};
    case SFT_AXIS_NEG_X:
        return (sft_quatd){0.0, 0.0, -h, h};
    case SFT_AXIS_NEG_Y:
        return (sft_quatd){1.0, 0.0, 0.0, 0.0};
    case SFT_AXIS_NEG_Z:
        return (sft_quatd){h, 0.0, 0.0, h};
    }
    return sft_quatd_identity();
}

sft_v3d sft_space_to_inside(const sft_space* space, sft_v3d file)
{
    return sft_v3d_scale(space->unit_metres, turn_to_inside(space->up, file));
}

sft_v3d sft_space_to_file(const sft_space* space, sft_v3d inside)
{
    const sft_v3d v = turn_to_file(space->up, inside);
    return sft_v3d_make(v.x / space->unit_metres, v.y / space->unit_metres, v.z / space->unit_metres);
}

sft_result sft_clip_rescale(sft_skeleton* skeleton, sft_clip* clip, const sft_space* space)
{
    if (skeleton == NULL || space == NULL || !(space->unit_metres > 0.0) || !isfinite(space->unit_metres) ||
        (int)space->up < 0 || (int)space->up > (int)SFT_AXIS_NEG_Z)
        return SFT_ERR_ARG;
    if (clip != NULL && clip->joint_count != skeleton->joint_count) return SFT_ERR_ARG;
    const sft_quatd turn = sft_space_turn(space->up);
    // The skeleton's arrays are const for readers; rescaling is part of making it.
    sft_v3d* rest_t = (sft_v3d*)(uintptr_t)skeleton->rest_translations;
    sft_quatd* rest_r = (sft_quatd*)(uintptr_t)skeleton->rest_rotations;
    for (int32_t j = 0; j < skeleton->joint_count; ++j)
    {
        const bool root = skeleton->parents[j] < 0;
        rest_t[j] = root ? sft_space_to_inside(space, rest_t[j]) : sft_v3d_scale(space->unit_metres, rest_t[j]);
        if (root) rest_r[j] = sft_quatd_mul(turn, rest_r[j]);
    }
    if (clip == NULL) return SFT_OK;
    for (int32_t f = 0; f < clip->frame_count; ++f)
        for (int32_t j = 0; j < skeleton->joint_count; ++j)
        {
            const size_t i = (size_t)f * (size_t)clip->joint_count + (size_t)j;
            const bool root = skeleton->parents[j] < 0;
            sft_v3d* t = &clip->translations[i];
            *t = root ? sft_space_to_inside(space, *t) : sft_v3d_scale(space->unit_metres, *t);
            if (root) clip->rotations[i] = sft_quatd_mul(turn, clip->rotations[i]);
        }
    return SFT_OK;
}
