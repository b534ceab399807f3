// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// Golden scene of retargeting: a walk onto a smaller figure with axes of its own, there, mirrored, and back.
#include "golden.h"

static sft_rig* make_other(const sft_skeleton* like, sft_skeleton** skeleton)
{
    uint64_t state = 9;
    sft_quatd model[WALKER_JOINTS], turns[WALKER_JOINTS];
    sft_v3d rest[WALKER_JOINTS];
    for (int32_t j = 0; j < like->joint_count; ++j)
    {
        const int32_t up = like->parents[j];
        const double size = next(&state, 0.55, 0.65);
        const sft_v3d offset = sft_v3d_scale(size, like->rest_translations[j]);
        model[j] = sft_quatd_exp(next_v3(&state, 1.5));
        rest[j] = up < 0 ? offset : sft_quatd_unrotate(model[up], offset);
        turns[j] = up < 0 ? model[j] : sft_quatd_mul(sft_quatd_conjugate(model[up]), model[j]);
    }
    const sft_skeleton def = {like->joint_count, like->names, like->parents, like->flags, rest, turns};
    sft_rig* rig = NULL;
    if (sft_skeleton_create(&def, NULL, skeleton) != SFT_OK) fail("sft_skeleton_create");
    if (sft_rig_create(NULL, *skeleton, NULL, NULL, &rig) != SFT_OK) fail("sft_rig_create");
    return rig;
}

static sft_clip* move(golden* g, const sft_rig_pair* rigs, const sft_clip* clip, bool mirror)
{
    sft_retarget_map* map = NULL;
    sft_clip* out = NULL;
    sft_transfer_report report;
    sft_transfer_def def = sft_default_transfer_def();
    def.mirror = mirror;
    if (sft_retarget_map_create(rigs, NULL, &map, NULL) != SFT_OK) fail("sft_retarget_map_create");
    if (sft_retarget_clip(&def, map, clip, NULL, &out, &report) != SFT_OK) fail("sft_retarget_clip");
    fold_clip(g, out);
    fold_double(g, report.scale);
    fold_double(g, report.direction_error);
    char* text = NULL;
    size_t size = 0;
    if (sft_retarget_map_format_json(map, rigs, NULL, &text, &size) != SFT_OK) fail("sft_retarget_map_format_json");
    fold_bytes(g, text, size);
    free(text);
    sft_retarget_map_destroy(map);
    return out;
}

void scene_retarget(golden* g)
{
    walker w;
    make_walk(&w, 90, 60.0, 1.0);
    sft_skeleton* skeleton = NULL;
    sft_rig *own = NULL, *other = make_other(w.skeleton, &skeleton);
    if (sft_rig_create(NULL, w.skeleton, w.clip, NULL, &own) != SFT_OK) fail("sft_rig_create");
    const sft_rig_pair onto = {own, other}, home = {other, own};
    sft_clip* there = move(g, &onto, w.clip, false);
    sft_clip* swapped = move(g, &onto, w.clip, true);
    sft_clip* back = move(g, &home, there, false);
    sft_clip_destroy(there, NULL);
    sft_clip_destroy(swapped, NULL);
    sft_clip_destroy(back, NULL);
    sft_rig_destroy(own, NULL);
    sft_rig_destroy(other, NULL);
    sft_skeleton_destroy(skeleton, NULL);
    walker_release(&w);
}
