// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

#include "lizard.h"

static const struct
{
    const char* name;
    int32_t parent;
    sft_v3d place; // in the model
} joints[LIZARD_JOINTS] = {
    {"hips", -1, {0, 0.100, -0.110}},
    {"spine_1", 0, {0, 0.104, -0.030}},
    {"spine_2", 1, {0, 0.104, 0.040}},
    {"spine_3", 2, {0, 0.104, 0.105}},
    {"neck", 3, {0, 0.112, 0.165}},
    {"head", 4, {0, 0.118, 0.205}},
    {"eye_L", 5, {0.030, 0.138, 0.243}},
    {"eye_R", 5, {-0.030, 0.138, 0.243}},
    {"tail_1", 0, {0, 0.097, -0.160}},
    {"tail_2", 8, {0, 0.085, -0.232}},
    {"tail_3", 9, {0, 0.072, -0.304}},
    {"tail_4", 10, {0, 0.060, -0.376}},
    {"tail_5", 11, {0, 0.047, -0.448}},
    {"tail_6", 12, {0, 0.035, -0.520}},
    {"hind_thigh_L", 0, {0.040, 0.096, -0.115}},
    {"hind_shin_L", 14, {0.112, 0.118, -0.088}},
    {"hind_foot_L", 15, {0.140, 0.016, -0.125}},
    {"hind_toe_L", 16, {0.152, 0.004, -0.078}},
    {"hind_thigh_R", 0, {-0.040, 0.096, -0.115}},
    {"hind_shin_R", 18, {-0.112, 0.118, -0.088}},
    {"hind_foot_R", 19, {-0.140, 0.016, -0.125}},
    {"hind_toe_R", 20, {-0.152, 0.004, -0.078}},
    {"front_upper_leg_L", 3, {0.040, 0.096, 0.112}},
    {"front_lower_leg_L", 22, {0.112, 0.118, 0.096}},
    {"front_foot_L", 23, {0.140, 0.016, 0.128}},
    {"front_toe_L", 24, {0.152, 0.004, 0.172}},
    {"front_upper_leg_R", 3, {-0.040, 0.096, 0.112}},
    {"front_lower_leg_R", 26, {-0.112, 0.118, 0.096}},
    {"front_foot_R", 27, {-0.140, 0.016, 0.128}},
    {"front_toe_R", 28, {-0.152, 0.004, 0.172}},
};

sft_result lizard_create(sft_skeleton** out)
{
    const char* names[LIZARD_JOINTS];
    int32_t parents[LIZARD_JOINTS];
    sft_v3d offsets[LIZARD_JOINTS];
    for (int32_t j = 0; j < LIZARD_JOINTS; ++j)
    {
        names[j] = joints[j].name;
        parents[j] = joints[j].parent;
        offsets[j] = parents[j] < 0 ? joints[j].place : sft_v3d_sub(joints[j].place, joints[parents[j]].place);
    }
    const sft_skeleton plan = {
        .joint_count = LIZARD_JOINTS, .names = names, .parents = parents, .rest_translations = offsets};
    return sft_skeleton_create(&plan, NULL, out);
}
