// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// Whole clips, and what came of them: direction errors are measured on what was written, from the places of joints.

#include "retarget/map.h"

#include "core/core.h"

/// Places of two frames, source and target.
typedef struct places
{
    sft_xformd* source;
    sft_xformd* target;
} places;

static void forward(const int32_t* parents, int32_t count, const sft_v3d* t, const sft_quatd* r, sft_xformd* out)
{
    for (int32_t j = 0; j < count; ++j)
    {
        const sft_xformd local = {t[j], r[j]};
        out[j] = parents[j] < 0 ? local : sft_xformd_mul(out[parents[j]], local);
    }
}

static double angle_between(sft_v3d a, sft_v3d b)
{
    return sft_atan2(sft_v3d_length(sft_v3d_cross(a, b)), sft_v3d_dot(a, b));
}

static void measure(const sft_transfer_def* def, const sft_retarget_map* map, int32_t frame, const places* at,
                    sft_transfer_report* report)
{
    const sft_quatd turn = map->plans[def->mirror].turn;
    for (int32_t i = 0; i < map->bone_count; ++i)
    {
        const map_bone* b = &map->bones[i];
        if (b->source_start[def->mirror] < 0) continue;
        sft_v3d s = sft_v3d_sub(at->source[b->source_end[def->mirror]].t, at->source[b->source_start[def->mirror]].t);
        const sft_v3d t = sft_v3d_sub(at->target[b->target_end].t, at->target[b->target_start].t);
        const double rest = b->source_length[def->mirror];
        const double stretch = sft_v3d_length(s) / rest - 1.0;
        if (stretch > report->source_stretch) report->source_stretch = stretch;
        if (def->mirror) s.x = -s.x;
        const double error = angle_between(sft_quatd_rotate(turn, s), t);
        if (error <= report->direction_error && report->direction_frame >= 0) continue;
        report->direction_error = error;
        report->direction_frame = frame;
        report->direction_joint = b->target_start;
    }
}

/// q and -q are one rotation; a curve of quaternions that people or tools interpolate must not jump between them.
static void keep_sign(const sft_quatd* before, sft_quatd* now, int32_t count)
{
    for (int32_t j = 0; j < count; ++j)
        if (sft_quatd_dot(before[j], now[j]) < 0.0) now[j] = (sft_quatd){-now[j].x, -now[j].y, -now[j].z, -now[j].w};
}

static sft_result transfer_all(const sft_transfer_def* def, const sft_retarget_map* map, const sft_clip* source,
                               void* scratch, sft_clip* clip)
{
    const bool copies = sft_transfer_copies(def, map);
    for (int32_t f = 0; f < source->frame_count; ++f)
    {
        const size_t in = (size_t)f * (size_t)source->joint_count, out = (size_t)f * (size_t)clip->joint_count;
        const sft_pose_pair poses = {source->translations + in, source->rotations + in, clip->translations + out,
                                     clip->rotations + out};
        const sft_result result = sft_transfer_frame(def, map, &poses, scratch, f > 0);
        if (result != SFT_OK) return result;
        if (f > 0 && !copies)
            keep_sign(clip->rotations + out - clip->joint_count, clip->rotations + out, clip->joint_count);
    }
    return SFT_OK;
}

static void measure_all(const sft_transfer_def* def, const sft_retarget_map* map, const sft_clip* source,
                        const sft_clip* clip, const places* at, sft_transfer_report* report)
{
    *report = (sft_transfer_report){.direction_frame = -1, .direction_joint = -1};
    report->scale = sft_transfer_scale(def, map);
    for (int32_t f = 0; f < clip->frame_count; ++f)
    {
        const size_t in = (size_t)f * (size_t)source->joint_count, out = (size_t)f * (size_t)clip->joint_count;
        forward(map->source_parents, map->source_count, source->translations + in, source->rotations + in, at->source);
        forward(map->target_parents, map->target_count, clip->translations + out, clip->rotations + out, at->target);
        measure(def, map, f, at, report);
    }
}

sft_result sft_retarget_clip(const sft_transfer_def* def, const sft_retarget_map* map, const sft_clip* source,
                             const sft_allocator* allocator, sft_clip** out, sft_transfer_report* report)
{
    const sft_result checked = sft_transfer_check(def, map);
    if (checked != SFT_OK) return checked;
    if (source == NULL || out == NULL || source->joint_count != map->source_count) return SFT_ERR_ARG;
    const size_t ns = (size_t)map->source_count, nt = (size_t)map->target_count;
    const size_t scratch_size = sft_retarget_scratch_size(map);
    sft_clip* clip = NULL;
    sft_result result = sft_clip_create(map->target_count, source->frame_count, source->frame_time, allocator, &clip);
    if (result != SFT_OK) return result;
    void* scratch = sft_core_alloc(allocator, 1, scratch_size);
    places at = {NULL, NULL};
    if (report != NULL) at.source = sft_core_alloc(allocator, ns, sizeof *at.source);
    if (report != NULL) at.target = sft_core_alloc(allocator, nt, sizeof *at.target);
    if (scratch == NULL || (report != NULL && (at.source == NULL || at.target == NULL))) result = SFT_ERR_MEMORY;
    if (result == SFT_OK) result = transfer_all(def, map, source, scratch, clip);
    if (result == SFT_OK && report != NULL) measure_all(def, map, source, clip, &at, report);
    sft_core_free(allocator, scratch, 1, scratch_size);
    sft_core_free(allocator, at.source, ns, sizeof *at.source);
    sft_core_free(allocator, at.target, nt, sizeof *at.target);
    if (result == SFT_OK)
        *out = clip;
    else
        sft_clip_destroy(clip, allocator);
    return result;
}
