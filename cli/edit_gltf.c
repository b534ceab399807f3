// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// Root scale, frame range and frame rate of a clip in a glTF document.

#include "edits.h"

#include <stdlib.h>

static int fail(const loaded* file, sft_result result, const sft_error* error)
{
    return cli_fail_error(file->path, result, error);
}

// Horizontal travel in the world, turned into the parent's space. `clip` is in metres, Y up.
static void scale_joint(const loaded* file, sft_clip* clip, double scale)
{
    const sft_skeleton* s = file->skeleton;
    const int32_t joint = file->travel, parent = s->parents[joint];
    const size_t joints = (size_t)clip->joint_count, start = (size_t)file->first_frame * joints;
    const sft_v3d p0 = sft_skeleton_joint_model(s, clip->translations + start, clip->rotations + start, joint).t;
    for (int32_t f = 0; f < clip->frame_count; ++f)
    {
        sft_v3d* t = clip->translations + (size_t)f * joints;
        const sft_quatd* r = clip->rotations + (size_t)f * joints;
        sft_v3d shift = sft_v3d_sub(sft_skeleton_joint_model(s, t, r, joint).t, p0);
        shift.y = 0.0;
        shift = sft_v3d_scale(scale - 1.0, shift);
        if (parent >= 0) shift = sft_quatd_unrotate(sft_skeleton_joint_model(s, t, r, parent).r, shift);
        t[joint] = sft_v3d_add(t[joint], shift);
    }
}

static int scale_travel(const edits* e, loaded* file)
{
    if (file->travel < 0)
        return cli_fail(EXIT_READ, "%s: no joint carries travel, so there is nothing to scale", file->path);
    uint8_t* mask = calloc((size_t)file->skeleton->joint_count + 1, 1);
    if (mask == NULL) return cli_fail(EXIT_MEMORY, "out of memory");
    mask[file->travel] = 1;
    scale_joint(file, file->clip, e->scale);
    // Keys scale as the curve between them does, so they can stay where they are.
    sft_gltf_apply_def def = sft_default_gltf_apply_def();
    def.keep_keys = true;
    sft_error error = {0};
    int32_t clip;
    sft_io_document* stage = cli_stage(file, &clip);
    const sft_result result =
        sft_io_apply(stage, clip, &file->frames, file->clip, &file->space, NULL, mask, &def, NULL, &error);
    free(mask);
    return result == SFT_OK ? EXIT_DONE : fail(file, result, &error);
}

static int retime(const edits* e, loaded* file)
{
    int32_t first = 0, last = file->frame_count, left = 0;
    const int code = e->sliced ? edits_range(e, file, file->frame_count, &first, &last) : EXIT_DONE;
    if (code != EXIT_DONE) return code;
    // Uneven keys were sampled at the new rate already.
    const bool new_rate =
        e->resampled && (!file->frames.stored || edits_new_rate(e, file->frame_time, file->frame_count));
    if (!new_rate && first == 0 && last == file->frame_count) return EXIT_DONE;
    const double frame_time = new_rate ? 1.0 / e->fps : 0.0;
    sft_error error = {0};
    int32_t clip;
    sft_io_document* stage = cli_stage(file, &clip);
    const sft_result result = sft_io_retime(stage, clip, &file->frames, first, last, frame_time, &left, &error);
    if (result != SFT_OK) return fail(file, result, &error);
    if (left > 0)
        cli_warn("%s: %d channel%s of this clip that move%s no node (morph weights) keep%s the old times", file->path,
                 (int)left, left == 1 ? "" : "s", left == 1 ? "s" : "", left == 1 ? "s" : "");
    if (new_rate)
    {
        const double length = (double)(last - 1 - first) * file->frame_time;
        file->frame_time = frame_time;
        file->frame_count = 1 + (int32_t)(length / frame_time + 0.5);
    }
    else
        file->frame_count = last - first;
    return EXIT_DONE;
}

int edit_gltf(const edits* e, loaded* file)
{
    if (file->clip_index < 0) return cli_fail(EXIT_READ, "%s: holds no clip to change, only a rest pose", file->path);
    const int code = e->scaled && e->scale != 1.0 ? scale_travel(e, file) : EXIT_DONE;
    return code == EXIT_DONE && (e->sliced || e->resampled) ? retime(e, file) : code;
}
