// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// Golden scene of moving a walk to other proportions and mending it there.
#include "golden.h"

typedef struct sides
{
    sft_skeleton* skeleton;
    sft_rig *source, *target;
    sft_retarget_map* map;
    sft_clip* moved;
} sides;

// The walker with longer thighs and feet, shorter shins and arms.
static sft_skeleton* other_figure(const sft_skeleton* s)
{
    sft_v3d* t = calloc((size_t)s->joint_count, sizeof *t);
    if (!t) fail("calloc");
    for (int32_t j = 0; j < s->joint_count; ++j)
    {
        const int32_t in_leg = j >= WALKER_LEFT_HIP && j < WALKER_SPINE ? (j - WALKER_LEFT_HIP) % 5 : -1;
        const double k = in_leg == 1 ? 1.1 : in_leg == 2 ? 0.9 : in_leg > 2 ? 1.2 : j > WALKER_SPINE + 5 ? 0.85 : 1.0;
        t[j] = sft_v3d_scale(k, s->rest_translations[j]);
    }
    sft_skeleton def = *s;
    def.rest_translations = t;
    sft_skeleton* out = NULL;
    if (sft_skeleton_create(&def, NULL, &out) != SFT_OK) fail("sft_skeleton_create");
    free(t);
    return out;
}

static sides make_sides(const walker* w)
{
    sides s = {.skeleton = other_figure(w->skeleton)};
    const sft_rig_def def = sft_default_rig_def();
    const sft_transfer_def transfer = sft_default_transfer_def();
    sft_error error;
    if (sft_rig_create(&def, w->skeleton, NULL, NULL, &s.source) != SFT_OK) fail("sft_rig_create");
    if (sft_rig_create(&def, s.skeleton, NULL, NULL, &s.target) != SFT_OK) fail("sft_rig_create");
    const sft_rig_pair rigs = {s.source, s.target};
    if (sft_retarget_map_create(&rigs, NULL, &s.map, &error) != SFT_OK) fail("sft_retarget_map_create");
    if (sft_retarget_clip(&transfer, s.map, w->clip, NULL, &s.moved, NULL) != SFT_OK) fail("sft_retarget_clip");
    return s;
}

static int32_t part_of(const sft_rig* rig, sft_part part, sft_leg_side side)
{
    for (int32_t j = 0; j < rig->skeleton->joint_count; ++j)
        if (rig->meanings[j].part == part && rig->meanings[j].side == side) return j;
    fail("part_of");
    return -1;
}

void scene_retarget_mend(golden* g)
{
    for (int k = 0; k < 3; ++k)
    {
        walker w;
        make_walk(&w, 120, k == 2 ? 30.0 : 60.0, 1.0);
        sides s = make_sides(&w);
        const int32_t hand = part_of(s.target, SFT_PART_HAND, SFT_LEG_RIGHT);
        const sft_touch_goal goals[2] = {{.joint = hand,
                                          .other = part_of(s.target, SFT_PART_HEAD, SFT_LEG_MIDDLE),
                                          .offset = {-0.1, 0.1, 0.1},
                                          .first = 20,
                                          .last = 40,
                                          .blend = 0.3,
                                          .fixed = true},
                                         {.joint = hand,
                                          .other = s.target->hips,
                                          .offset = {-0.8, -0.3, 0.4},
                                          .first = 80,
                                          .last = 90,
                                          .blend = 0.3,
                                          .fixed = true}};
        sft_mend_def def = sft_default_mend_def();
        def.first_frame = w.first_frame;
        def.hands = true;
        def.goals = goals;
        def.goal_count = 2;
        def.unreachable = (sft_unreachable)k;
        const sft_mend_input in = {
            .map = s.map, .rigs = {s.source, s.target}, .source_clip = w.clip, .labels = &w.labels};
        sft_mend_report report;
        if (sft_retarget_mend(&def, &in, NULL, s.moved, NULL, &report) != SFT_OK) fail("sft_retarget_mend");
        fold_clip(g, s.moved);
        fold_double(g, report.pelvis_shift_max + report.residual_m);
        for (int side = 0; side < 4; ++side)
            fold_double(g, report.limb_turn_mean[side]);
        for (int32_t m = 0; m < report.miss_count; ++m)
            fold_double(g, (double)report.misses[m].frame + report.misses[m].distance);
        sft_mend_report_release(&report, NULL);
        sft_clip_destroy(s.moved, NULL);
        sft_retarget_map_destroy(s.map);
        sft_rig_destroy(s.source, NULL);
        sft_rig_destroy(s.target, NULL);
        sft_skeleton_destroy(s.skeleton, NULL);
        walker_release(&w);
    }
}
