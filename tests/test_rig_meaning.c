// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// What joints mean, on rigs that are written down here: joint, parent, place in metres, and the meaning expected.

#include "support/support.h"

#include "surefoot/rig.h"

#define MOST 128

typedef struct row
{
    const char* name; // a '*' at the end: an End Site
    const char* parent;
    double x, y, z;
    const char* meaning; // word of the part, side L R or none, and index: "upper_arm L 0"
} row;

typedef struct rig
{
    const char* names[MOST];
    int32_t parents[MOST];
    uint32_t flags[MOST];
    sft_v3d offsets[MOST];
    sft_skeleton* skeleton;
    sft_joint_meaning meanings[MOST];
} rig;

static int32_t row_of(const row* rows, int32_t count, const char* name)
{
    for (int32_t i = 0; i < count; ++i)
        if (strcmp(rows[i].name, name) == 0) return i;
    return -1;
}

static void read_rig(rig* out, const row* rows, int32_t count, bool named)
{
    static char plain[MOST][8];
    for (int32_t i = 0; i < count; ++i)
    {
        const int32_t p = rows[i].parent != NULL ? row_of(rows, count, rows[i].parent) : -1;
        snprintf(plain[i], sizeof plain[i], "j%d", (int)i);
        out->names[i] = named ? rows[i].name : plain[i];
        out->parents[i] = p;
        out->flags[i] = rows[i].name[strlen(rows[i].name) - 1] == '*' ? SFT_JOINT_END_SITE : 0u;
        out->offsets[i] = sft_v3d_make(rows[i].x, rows[i].y, rows[i].z);
        if (p >= 0) out->offsets[i] = sft_v3d_sub(out->offsets[i], sft_v3d_make(rows[p].x, rows[p].y, rows[p].z));
    }
    const sft_skeleton def = {count, out->names, out->parents, out->flags, out->offsets, NULL};
    assert_int_equal(sft_skeleton_create(&def, NULL, &out->skeleton), SFT_OK);
    sft_leg legs[SFT_MAX_LEGS];
    int32_t leg_count = 0;
    assert_int_equal(sft_leg_find(out->skeleton, NULL, NULL, legs, SFT_MAX_LEGS, &leg_count), SFT_OK);
    assert_int_equal(sft_rig_find_meanings(out->skeleton, NULL, legs, leg_count, NULL, out->meanings), SFT_OK);
}

static void write_meaning(const sft_joint_meaning* m, char out[64])
{
    static const char* const sides[] = {" L", " R", ""};
    if (m->part == SFT_PART_NONE)
        snprintf(out, 64, "none");
    else
        snprintf(out, 64, "%s%s %d", sft_part_word(m->part), sides[m->side], (int)m->index);
}

static int compare(const rig* got, const row* rows, int32_t count, const char* what)
{
    int wrong = 0;
    for (int32_t i = 0; i < count; ++i)
    {
        char meaning[64];
        write_meaning(&got->meanings[i], meaning);
        if (rows[i].meaning == NULL || strcmp(meaning, rows[i].meaning) == 0) continue;
        printf("%s: %s is '%s', not '%s' (%s)\n", what, rows[i].name, meaning, rows[i].meaning,
               got->meanings[i].reason);
        ++wrong;
    }
    return wrong;
}

static void check(const row* rows, int32_t count, const char* what)
{
    rig r;
    read_rig(&r, rows, count, true);
    int wrong = compare(&r, rows, count, what);
    sft_skeleton_destroy(r.skeleton, NULL);
    read_rig(&r, rows, count, false);
    wrong += compare(&r, rows, count, "without names");
    sft_skeleton_destroy(r.skeleton, NULL);
    assert_int_equal(wrong, 0);
}

static const row MIXAMO[] = {
    {"mixamorig:Hips", NULL, 0, 1.043, 0.016, "hips 0"},
    {"mixamorig:Spine", "mixamorig:Hips", 0, 1.145, 0.017, "spine 0"},
    {"mixamorig:Spine1", "mixamorig:Spine", 0, 1.244, 0.002, "spine 1"},
    {"mixamorig:Spine2", "mixamorig:Spine1", 0, 1.336, -0.012, "spine 2"},
    {"mixamorig:Neck", "mixamorig:Spine2", 0, 1.503, -0.032, "neck 0"},
    {"mixamorig:Head", "mixamorig:Neck", 0, 1.599, -0.015, "head 0"},
    {"mixamorig:HeadTop_End", "mixamorig:Head", 0, 1.82, 0.06, "none"},
    {"mixamorig:RightShoulder", "mixamorig:Spine2", -0.046, 1.446, -0.033, "clavicle R 0"},
    {"mixamorig:RightArm", "mixamorig:RightShoulder", -0.152, 1.441, -0.055, "upper_arm R 0"},
    {"mixamorig:RightForeArm", "mixamorig:RightArm", -0.43, 1.441, -0.055, "forearm R 0"},
    {"mixamorig:RightHand", "mixamorig:RightForeArm", -0.713, 1.441, -0.055, "hand R 0"},
    {"mixamorig:RightHandThumb1", "mixamorig:RightHand", -0.738, 1.425, -0.029, "finger R 0"},
    {"mixamorig:RightHandThumb2", "mixamorig:RightHandThumb1", -0.77, 1.406, -0.009, NULL},
    {"mixamorig:RightHandIndex1", "mixamorig:RightHand", -0.804, 1.435, -0.033, "finger R 0"},
    {"mixamorig:RightHandIndex2", "mixamorig:RightHandIndex1", -0.841, 1.435, -0.033, NULL},
    {"mixamorig:LeftShoulder", "mixamorig:Spine2", 0.046, 1.446, -0.033, "clavicle L 0"},
    {"mixamorig:LeftArm", "mixamorig:LeftShoulder", 0.152, 1.441, -0.055, "upper_arm L 0"},
    {"mixamorig:LeftForeArm", "mixamorig:LeftArm", 0.43, 1.441, -0.055, "forearm L 0"},
    {"mixamorig:LeftHand", "mixamorig:LeftForeArm", 0.713, 1.441, -0.055, "hand L 0"},
    {"mixamorig:LeftHandThumb1", "mixamorig:LeftHand", 0.738, 1.425, -0.029, "finger L 0"},
    {"mixamorig:LeftHandThumb2", "mixamorig:LeftHandThumb1", 0.77, 1.406, -0.01, NULL},
    {"mixamorig:LeftHandIndex1", "mixamorig:LeftHand", 0.804, 1.435, -0.033, "finger L 0"},
    {"mixamorig:LeftHandIndex2", "mixamorig:LeftHandIndex1", 0.841, 1.435, -0.033, NULL},
    {"mixamorig:RightUpLeg", "mixamorig:Hips", -0.082, 0.975, 0, "thigh R 0"},
    {"mixamorig:RightLeg", "mixamorig:RightUpLeg", -0.082, 0.532, 0.003, "shin R 0"},
    {"mixamorig:RightFoot", "mixamorig:RightLeg", -0.082, 0.087, -0.027, "foot R 0"},
    {"mixamorig:RightToeBase", "mixamorig:RightFoot", -0.082, 0, 0.08, "toe R 0"},
    {"mixamorig:RightToe_End", "mixamorig:RightToeBase", -0.082, 0, 0.172, "none"},
    {"mixamorig:LeftUpLeg", "mixamorig:Hips", 0.082, 0.975, 0, "thigh L 0"},
    {"mixamorig:LeftLeg", "mixamorig:LeftUpLeg", 0.082, 0.532, 0.003, "shin L 0"},
    {"mixamorig:LeftFoot", "mixamorig:LeftLeg", 0.082, 0.087, -0.027, "foot L 0"},
    {"mixamorig:LeftToeBase", "mixamorig:LeftFoot", 0.082, 0, 0.08, "toe L 0"},
    {"mixamorig:LeftToe_End", "mixamorig:LeftToeBase", 0.082, 0, 0.172, "none"},
};

static void test_rig_meaning__mixamo_with_and_without_names(void** state)
{
    (void)state;
    check(MIXAMO, (int32_t)(sizeof MIXAMO / sizeof MIXAMO[0]), "mixamo");
}

static void test_rig_meaning__words_of_parts(void** state)
{
    (void)state;
    assert_string_equal(sft_part_name(SFT_PART_UPPER_ARM), "upper arm");
    assert_string_equal(sft_part_word(SFT_PART_UPPER_ARM), "upper_arm");
    assert_string_equal(sft_part_word(SFT_PART_TWIST), "twist");
    assert_string_equal(sft_part_word((sft_part)99), "none");
    assert_string_equal(sft_part_name((sft_part)-1), "none");
}

static void test_rig_meaning__refuses_what_does_not_fit(void** state)
{
    (void)state;
    rig r;
    read_rig(&r, MIXAMO, 5, true);
    sft_joint_meaning out[MOST];
    sft_leg leg = {.hip = 1, .knee = 2, .heel = 3, .toe = 99, .toe_end = -1};
    assert_int_equal(sft_rig_find_meanings(NULL, NULL, NULL, 0, NULL, out), SFT_ERR_ARG);
    assert_int_equal(sft_rig_find_meanings(r.skeleton, NULL, NULL, 0, NULL, NULL), SFT_ERR_ARG);
    assert_int_equal(sft_rig_find_meanings(r.skeleton, NULL, NULL, 1, NULL, out), SFT_ERR_ARG);
    assert_int_equal(sft_rig_find_meanings(r.skeleton, NULL, &leg, 1, NULL, out), SFT_ERR_ARG);
    sft_skeleton_destroy(r.skeleton, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rig_meaning__mixamo_with_and_without_names),
        cmocka_unit_test(test_rig_meaning__words_of_parts),
        cmocka_unit_test(test_rig_meaning__refuses_what_does_not_fit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
