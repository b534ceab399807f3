// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// Any bytes as labels, goals, poses and settings through sft_retarget_mend: refused with the clip untouched, or a clip
// that is finite.

#include <stdlib.h>
#include <string.h>

#include "surefoot/surefoot.h"

#include "bytes.h"

#define JOINTS 21
#define MOST_FRAMES 24

static void require(bool condition)
{
    if (!condition) abort();
}

static const struct
{
    const char* name;
    int32_t parent;
    sft_v3d at;
} FIGURE[JOINTS] = {
    {"Hips", -1, {0, 0.95, 0}},
    {"LeftUpLeg", 0, {0.09, -0.05, 0}},
    {"LeftLeg", 1, {0, -0.42, 0}},
    {"LeftFoot", 2, {0, -0.41, 0}},
    {"LeftToeBase", 3, {0, -0.05, 0.13}},
    {"LeftToeEnd", 4, {0, -0.02, 0.07}},
    {"RightUpLeg", 0, {-0.09, -0.05, 0}},
    {"RightLeg", 6, {0, -0.42, 0}},
    {"RightFoot", 7, {0, -0.41, 0}},
    {"RightToeBase", 8, {0, -0.05, 0.13}},
    {"RightToeEnd", 9, {0, -0.02, 0.07}},
    {"Spine", 0, {0, 0.2, 0}},
    {"Chest", 11, {0, 0.2, 0}},
    {"Head", 12, {0, 0.3, 0}},
    {"LeftShoulder", 12, {0.03, 0.15, 0}},
    {"LeftArm", 14, {0.14, 0, 0}},
    {"LeftForeArm", 15, {0.28, 0, 0}},
    {"LeftHand", 16, {0.26, 0, 0}},
    {"RightArm", 12, {-0.17, 0.15, 0}},
    {"RightForeArm", 18, {-0.28, 0, 0}},
    {"RightHand", 19, {-0.26, 0, 0}},
};

static sft_skeleton* make_skeleton(double scale)
{
    const char* names[JOINTS];
    int32_t parents[JOINTS];
    sft_v3d t[JOINTS];
    for (int j = 0; j < JOINTS; ++j)
    {
        names[j] = FIGURE[j].name;
        parents[j] = FIGURE[j].parent;
        t[j] = sft_v3d_scale(scale, FIGURE[j].at);
    }
    const sft_skeleton def = {.joint_count = JOINTS, .names = names, .parents = parents, .rest_translations = t};
    sft_skeleton* out = NULL;
    require(sft_skeleton_create(&def, NULL, &out) == SFT_OK);
    return out;
}

static sft_clip* make_clip(bytes* b, const sft_skeleton* s, int32_t frames)
{
    sft_clip* clip = NULL;
    require(sft_clip_create(JOINTS, frames, 1.0 / 30.0, NULL, &clip) == SFT_OK);
    for (int32_t i = 0; i < frames * JOINTS; ++i)
    {
        const uint8_t kind = take_byte(b);
        clip->translations[i] = kind > 250 ? take_v3(b) : s->rest_translations[i % JOINTS];
        if (kind > 200) clip->rotations[i] = sft_quatd_exp(take_v3(b));
        if (kind == 199) clip->rotations[i].w = take_number(b);
    }
    return clip;
}

static void take_goals(bytes* b, int32_t frames, sft_touch_goal* goals, int32_t count)
{
    for (int32_t k = 0; k < count; ++k)
    {
        const uint8_t which = take_byte(b);
        goals[k].joint = which < 200 ? (which % 2 ? 17 : 20) : (int32_t)which - 220;
        goals[k].other = (int32_t)(take_byte(b) % (JOINTS + 3)) - 1;
        goals[k].offset = take_v3(b);
        goals[k].first = (int32_t)take_byte(b) % frames;
        goals[k].last = goals[k].first + (int32_t)(take_byte(b) % 8) - 1;
        goals[k].blend = take_number(b) + 0.5;
        goals[k].fixed = take_byte(b) % 2 == 0;
    }
}

static bool finite_clip(const sft_clip* c)
{
    for (int32_t i = 0; i < c->frame_count * c->joint_count; ++i)
    {
        const sft_v3d t = c->translations[i];
        const sft_quatd q = c->rotations[i];
        if (!isfinite(t.x + t.y + t.z) || !isfinite(q.x + q.y + q.z + q.w)) return false;
    }
    return true;
}

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size)
{
    bytes b = {data, size, 0};
    const int32_t frames = 1 + (int32_t)(take_byte(&b) % MOST_FRAMES);
    const double scale = 0.5 + (double)take_byte(&b) / 128.0;
    sft_skeleton *one = make_skeleton(1.0), *two = make_skeleton(scale);
    sft_rig *source = NULL, *target = NULL;
    const sft_rig_def rig_def = sft_default_rig_def();
    require(sft_rig_create(&rig_def, one, NULL, NULL, &source) == SFT_OK);
    require(sft_rig_create(&rig_def, two, NULL, NULL, &target) == SFT_OK);
    sft_mend_def def = sft_default_mend_def();
    const uint8_t bits = take_byte(&b);
    def.feet = bits & 1;
    def.hands = bits & 2;
    def.loop = bits & 4;
    def.mirror = bits & 8;
    def.unreachable = (sft_unreachable)(bits >> 4 & 3);
    def.scale = scale;
    def.ground = take_number(&b);
    def.ground_velocity = take_v3(&b);
    def.first_frame = (int32_t)take_byte(&b) % 4 - (bits >> 7);
    sft_clip *clip = make_clip(&b, one, frames), *moved = make_clip(&b, two, frames), *kept = NULL;
    sft_contact_labels* labels = NULL;
    require(sft_contact_labels_create(frames, source->leg_count, NULL, &labels) == SFT_OK);
    for (int32_t i = 0; i < frames * source->leg_count; ++i)
        labels->plant[i] = (float)take_byte(&b) / 200.0f;
    sft_touch_goal goals[4] = {0};
    def.goals = goals;
    def.goal_count = (int32_t)take_byte(&b) % 5;
    take_goals(&b, frames, goals, def.goal_count);
    require(sft_clip_create(JOINTS, frames, moved->frame_time, NULL, &kept) == SFT_OK);
    const size_t cells = (size_t)frames * JOINTS;
    memcpy(kept->translations, moved->translations, cells * sizeof *kept->translations);
    memcpy(kept->rotations, moved->rotations, cells * sizeof *kept->rotations);
    const sft_mend_input in = {.rigs = {source, target}, .source_clip = clip, .labels = labels};
    sft_mend_report report = {0};
    const sft_result r = sft_retarget_mend(&def, &in, NULL, moved, NULL, &report);
    if (r == SFT_OK)
        require(finite_clip(moved));
    else
    {
        require(memcmp(kept->translations, moved->translations, cells * sizeof *kept->translations) == 0);
        require(memcmp(kept->rotations, moved->rotations, cells * sizeof *kept->rotations) == 0);
    }
    sft_mend_report_release(&report, NULL);
    sft_contact_labels_destroy(labels, NULL);
    sft_clip_destroy(clip, NULL);
    sft_clip_destroy(moved, NULL);
    sft_clip_destroy(kept, NULL);
    sft_rig_destroy(source, NULL);
    sft_rig_destroy(target, NULL);
    sft_skeleton_destroy(one, NULL);
    sft_skeleton_destroy(two, NULL);
    return 0;
}
