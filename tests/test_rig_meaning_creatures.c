// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// What joints of animals, machines and parts of bodies mean, on the rigs written for the search for legs.

#include "support/rigs.h"

typedef struct expected
{
    const char* title; ///< part of the rig's
    const char* joint;
    const char* meaning; ///< part, side, pair
} expected;

// Picked joint by joint: what a person would say, where rigs tempt to say something else.
static const expected TABLE[] = {
    {"horse, joints numbered", "Body", "hips"},
    {"horse, joints numbered", "Pelvis", "none"},
    {"horse, joints numbered", "ForeLeg1.L", "thigh L 1"},
    {"horse, joints numbered", "ForeLeg5.R", "toe R 1"},
    {"horse, joints numbered", "Chest", "spine"},
    {"horse, joints numbered", "Head", "head"},
    {"horse, anatomical", "scapula_l", "clavicle L 1"},
    {"horse, anatomical", "spine_3", "spine"},
    {"horse, anatomical", "head", "head"},
    {"horse, anatomical", "ear_l", "none"},
    {"horse, anatomical", "tail_1", "tail"},
    {"dog, body-model", "Head", "head"},
    {"dog, body-model", "LEar", "none"},
    {"cat, toes", "DEF-spine.002", "neck"},
    {"cat, toes", "paw_ik.L", "none"},
    {"giraffe", "neck3", "neck"},
    {"giraffe", "head", "head"},
    {"elephant", "trunk.001", "none"},
    {"elephant", "ear.L", "none"},
    {"kangaroo", "LeftForeArm", "forearm L"},
    {"kangaroo", "Tail1", "tail"},
    {"giant lizard", "Front_Leg_Upper_L", "upper_arm L"},
    {"dragon", "wing_2_r", "forearm R"},
    {"dragon", "shoulder_r", "clavicle R"},
    {"dragon", "front_leg_l", "shin L 1"},
    {"centaur", "LeftForeArm", "forearm L"},
    {"centaur", "ForeLeftLeg", "shin L 1"},
    {"centaur", "Withers", "spine"},
    {"centaur", "Spine1", "spine"},
    {"ostrich", "head", "head"},
    {"ostrich", "L_wing1", "upper_arm L"},
    {"crab", "claw1_l", "none"},
    {"scorpion", "Abdomen", "none"},
    {"scorpion", "Tail3", "tail"},
    {"walking robot", "imu", "none"},
    {"walking robot", "FL_hip", "clavicle L 1"},
    {"anatomical names, two joints", "talus_l", "none"},
    {"anatomical names, two joints", "calcn_l", "foot L"},
    {"turtle", "shell", "hips"},
    {"shark, head first", "head", "head"},
    {"snake coiled", "tail03", "tail"},
    {"two arms of a game", "upperarm_L", "upper_arm L"},
    {"two arms of a game", "thumb_02_R", "finger R"},
    {"two arms of a game", "camera", "none"},
    {"arm of its own", "forearm", "forearm"},
    {"hand alone", "middle2", "finger"},
    {"car", "wheel_FL", "none"},
    {"tail, hair to the floor", "hair_l2", "none"},
    {"tail, hair to the floor", "skirt_r1", "none"},
    {"tail, hair to the floor", "arm_l2", "forearm L"},
    {"tail, hair to the floor", "tail3", "tail"},
    {"second, controlling skeleton", "ORG-forearm.L", "none"},
    {"second, controlling skeleton", "DEF-forearm.L", "forearm L"},
    {"controls and deforming legs", "thigh_ik.L", "none"},
};

typedef struct asked
{
    rig rig;
    sft_skeleton* skeleton;
    sft_leg legs[SFT_MAX_LEGS];
    int32_t leg_count;
    sft_joint_meaning* meanings;
} asked;

static void ask(asked* a)
{
    a->skeleton = rig_skeleton(&a->rig);
    a->meanings = calloc((size_t)a->skeleton->joint_count, sizeof *a->meanings);
    assert_int_equal(sft_leg_find(a->skeleton, NULL, NULL, a->legs, SFT_MAX_LEGS, &a->leg_count), SFT_OK);
    assert_int_equal(sft_rig_find_meanings(a->skeleton, NULL, a->legs, a->leg_count, NULL, a->meanings), SFT_OK);
}

static void release(asked* a)
{
    free(a->meanings);
    sft_skeleton_destroy(a->skeleton, NULL);
}

static void make_any(int index, rig* out)
{
    if (index < rig_count())
        rig_make(index, out);
    else
        creature_make(index - rig_count(), out);
}

static int wrong_of(const asked* a)
{
    static const char* const sides[] = {" L", " R", ""};
    int wrong = 0;
    for (size_t i = 0; i < sizeof TABLE / sizeof TABLE[0]; ++i)
    {
        if (strstr(a->rig.title, TABLE[i].title) == NULL) continue;
        const int32_t joint = sft_skeleton_find(a->skeleton, TABLE[i].joint);
        if (joint < 0) fail_msg("%s has no %s", a->rig.title, TABLE[i].joint);
        const sft_joint_meaning* m = &a->meanings[joint];
        char got[64], pair[16] = "";
        if (m->pair > 0) snprintf(pair, sizeof pair, " %d", (int)m->pair);
        snprintf(got, sizeof got, "%s%s%s", sft_part_word(m->part), sides[m->side], pair);
        if (strcmp(got, TABLE[i].meaning) == 0) continue;
        printf("%s: %s is '%s', not '%s' (%s)\n", a->rig.title, TABLE[i].joint, got, TABLE[i].meaning, m->reason);
        ++wrong;
    }
    return wrong;
}

static void test_rig_meaning_creatures__what_a_person_would_say(void** state)
{
    (void)state;
    static asked a;
    int wrong = 0;
    for (size_t i = 0; i < sizeof TABLE / sizeof TABLE[0]; ++i)
    {
        bool there = false;
        for (int k = 0; k < rig_count() + creature_count() && !there; ++k)
        {
            make_any(k, &a.rig);
            there = strstr(a.rig.title, TABLE[i].title) != NULL;
        }
        if (!there) fail_msg("no rig '%s'", TABLE[i].title);
    }
    for (int k = 0; k < rig_count() + creature_count(); ++k)
    {
        make_any(k, &a.rig);
        ask(&a);
        wrong += wrong_of(&a);
        release(&a);
    }
    assert_int_equal(wrong, 0);
}

// Whatever the names and the order of joints: legs mean what the search for legs says, and there is one pair of hips.
static void test_rig_meaning_creatures__legs_stay_what_they_are(void** state)
{
    (void)state;
    static asked a;
    support_rng rng = {3};
    for (int round = 0; round < 4; ++round)
        for (int k = 0; k < rig_count() + creature_count(); ++k)
        {
            make_any(k, &a.rig);
            if (round % 2 == 1) rig_rename(&a.rig, &rng);
            if (round >= 2) rig_shuffle(&a.rig, &rng);
            ask(&a);
            int hips = 0;
            for (int32_t j = 0; j < a.skeleton->joint_count; ++j)
                hips += a.meanings[j].part == SFT_PART_HIPS;
            assert_true(hips <= 1 && (a.leg_count == 0 || hips == 1));
            for (int32_t i = 0; i < a.leg_count; ++i)
            {
                const sft_leg* leg = &a.legs[i];
                const int32_t joints[3] = {leg->hip, leg->knee, leg->heel};
                for (int n = 0; n < 3; ++n)
                {
                    const sft_joint_meaning* m = &a.meanings[joints[n]];
                    assert_int_equal(m->part, SFT_PART_THIGH + n);
                    assert_int_equal(m->side, leg->side);
                    assert_int_equal(m->pair, leg->pair);
                    assert_int_equal(m->index, 0);
                }
            }
            release(&a);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rig_meaning_creatures__what_a_person_would_say),
        cmocka_unit_test(test_rig_meaning_creatures__legs_stay_what_they_are),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
