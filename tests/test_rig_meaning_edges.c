// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// What joints mean where skeletons are odd: names that lie, repeat or are missing, several characters, limbs that are
// missing, any order of joints, any facing and size, rigs of any shape up to the most joints.

#include "support/support.h"

#include <time.h>

#include "surefoot/rig.h"

typedef struct joint
{
    const char* name;
    int32_t parent;
    double x, y, z; // model space
    sft_part part;
    sft_leg_side side;
} joint;

#define L SFT_LEG_LEFT
#define R SFT_LEG_RIGHT
#define M SFT_LEG_MIDDLE

static const joint PERSON[] = {
    {"Hips", -1, 0, 1.0, 0, SFT_PART_HIPS, M},
    {"Spine", 0, 0, 1.1, 0, SFT_PART_SPINE, M},
    {"Chest", 1, 0, 1.3, 0, SFT_PART_SPINE, M},
    {"Neck", 2, 0, 1.48, -0.02, SFT_PART_NECK, M},
    {"Head", 3, 0, 1.58, 0, SFT_PART_HEAD, M},
    {"LeftShoulder", 2, 0.03, 1.44, 0, SFT_PART_CLAVICLE, L},
    {"LeftArm", 5, 0.17, 1.42, 0, SFT_PART_UPPER_ARM, L},
    {"LeftForeArm", 6, 0.45, 1.42, -0.01, SFT_PART_FOREARM, L},
    {"LeftHand", 7, 0.71, 1.42, 0, SFT_PART_HAND, L},
    {"LeftThumb", 8, 0.74, 1.41, 0.03, SFT_PART_FINGER, L},
    {"LeftIndex", 8, 0.8, 1.42, 0.02, SFT_PART_FINGER, L},
    {"RightShoulder", 2, -0.03, 1.44, 0, SFT_PART_CLAVICLE, R},
    {"RightArm", 11, -0.17, 1.42, 0, SFT_PART_UPPER_ARM, R},
    {"RightForeArm", 12, -0.45, 1.42, -0.01, SFT_PART_FOREARM, R},
    {"RightHand", 13, -0.71, 1.42, 0, SFT_PART_HAND, R},
    {"RightThumb", 14, -0.74, 1.41, 0.03, SFT_PART_FINGER, R},
    {"RightIndex", 14, -0.8, 1.42, 0.02, SFT_PART_FINGER, R},
    {"LeftUpLeg", 0, 0.09, 0.94, 0, SFT_PART_THIGH, L},
    {"LeftLeg", 17, 0.09, 0.52, 0.01, SFT_PART_SHIN, L},
    {"LeftFoot", 18, 0.09, 0.09, -0.01, SFT_PART_FOOT, L},
    {"LeftToe", 19, 0.09, 0.02, 0.12, SFT_PART_TOE, L},
    {"RightUpLeg", 0, -0.09, 0.94, 0, SFT_PART_THIGH, R},
    {"RightLeg", 21, -0.09, 0.52, 0.01, SFT_PART_SHIN, R},
    {"RightFoot", 22, -0.09, 0.09, -0.01, SFT_PART_FOOT, R},
    {"RightToe", 23, -0.09, 0.02, 0.12, SFT_PART_TOE, R},
};

#define PERSON_COUNT ((int32_t)(sizeof PERSON / sizeof PERSON[0]))

typedef struct rig
{
    int32_t count;
    const char** names;
    int32_t* parents;
    sft_v3d* places;
    sft_v3d* offsets;
    sft_skeleton* skeleton;
    sft_joint_meaning* got;
} rig;

static void make_room(rig* r, int32_t most)
{
    *r = (rig){0};
    r->names = calloc((size_t)most, sizeof *r->names);
    r->parents = calloc((size_t)most, sizeof *r->parents);
    r->places = calloc((size_t)most, sizeof *r->places);
    r->offsets = calloc((size_t)most, sizeof *r->offsets);
    r->got = calloc((size_t)most, sizeof *r->got);
}

static int32_t add(rig* r, const char* name, int32_t parent, double x, double y, double z)
{
    const int32_t j = r->count++;
    r->names[j] = name;
    r->parents[j] = parent;
    r->places[j] = sft_v3d_make(x, y, z);
    return j;
}

static int32_t add_person(rig* r, int32_t parent, double x, double z)
{
    const int32_t first = r->count;
    for (int32_t i = 0; i < PERSON_COUNT; ++i)
    {
        const joint* p = &PERSON[i];
        add(r, p->name, p->parent < 0 ? parent : first + p->parent, x + p->x, p->y, z + p->z);
    }
    return first;
}

static void ask(rig* r)
{
    for (int32_t j = 0; j < r->count; ++j)
        r->offsets[j] = r->parents[j] < 0 ? r->places[j] : sft_v3d_sub(r->places[j], r->places[r->parents[j]]);
    const sft_skeleton def = {r->count, r->names, r->parents, NULL, r->offsets, NULL};
    assert_int_equal(sft_skeleton_create(&def, NULL, &r->skeleton), SFT_OK);
    sft_leg legs[SFT_MAX_LEGS];
    int32_t count = 0;
    assert_int_equal(sft_leg_find(r->skeleton, NULL, NULL, legs, SFT_MAX_LEGS, &count), SFT_OK);
    assert_int_equal(sft_rig_find_meanings(r->skeleton, NULL, legs, count, NULL, r->got), SFT_OK);
}

static void release(rig* r)
{
    sft_skeleton_destroy(r->skeleton, NULL);
    free(r->names);
    free(r->parents);
    free(r->places);
    free(r->offsets);
    free(r->got);
}

static int wrong_joints(const rig* r, int32_t first, bool swapped)
{
    int wrong = 0;
    for (int32_t i = 0; i < PERSON_COUNT; ++i)
    {
        const sft_joint_meaning* g = &r->got[first + i];
        const sft_leg_side side = !swapped || PERSON[i].side == M ? PERSON[i].side : PERSON[i].side == L ? R : L;
        if (g->part == PERSON[i].part && g->side == side) continue;
        printf("%s is %s %d, not %s %d (%s)\n", r->names[first + i], sft_part_word(g->part), (int)g->side,
               sft_part_word(PERSON[i].part), (int)side, g->reason);
        ++wrong;
    }
    return wrong;
}

static void test_rig_meaning_edges__any_facing_and_size(void** state)
{
    (void)state;
    support_rng rng = {5};
    for (int k = 0; k < 200; ++k)
    {
        rig r;
        make_room(&r, PERSON_COUNT);
        add_person(&r, -1, 0, 0);
        const double angle = support_uniform(&rng, -3.1, 3.1), size = support_uniform(&rng, 0.3, 3.0);
        const double x = support_uniform(&rng, -50, 50), s = sft_sin(angle), c = sft_cos(angle);
        for (int32_t j = 0; j < r.count; ++j)
        {
            const sft_v3d p = r.places[j];
            r.places[j] = sft_v3d_make(x + size * (c * p.x + s * p.z), size * p.y, size * (c * p.z - s * p.x));
            if (k % 2 != 0) r.names[j] = "";
        }
        ask(&r);
        assert_int_equal(wrong_joints(&r, 0, false), 0);
        release(&r);
    }
}

// The joints of a person in a random order that keeps parents before children.
static void test_rig_meaning_edges__any_order_of_joints(void** state)
{
    (void)state;
    support_rng rng = {11};
    for (int k = 0; k < 300; ++k)
    {
        rig r;
        make_room(&r, PERSON_COUNT);
        int32_t place[PERSON_COUNT], source[PERSON_COUNT];
        for (int32_t i = 0; i < PERSON_COUNT; ++i)
            place[i] = -1;
        while (r.count < PERSON_COUNT)
        {
            const int32_t i = (int32_t)support_uniform(&rng, 0, PERSON_COUNT - 0.001);
            const joint* p = &PERSON[i];
            if (place[i] >= 0 || (p->parent >= 0 && place[p->parent] < 0)) continue;
            source[r.count] = i;
            place[i] = add(&r, k % 2 == 0 ? p->name : "", p->parent < 0 ? -1 : place[p->parent], p->x, p->y, p->z);
        }
        ask(&r);
        for (int32_t j = 0; j < r.count; ++j)
        {
            assert_int_equal(r.got[j].part, PERSON[source[j]].part);
            assert_int_equal(r.got[j].side, PERSON[source[j]].side);
        }
        release(&r);
    }
}

static void test_rig_meaning_edges__structure_wins_over_names_that_lie(void** state)
{
    (void)state;
    rig r;
    make_room(&r, PERSON_COUNT);
    add_person(&r, -1, 0, 0);
    // Arms called the other side's, head called a foot.
    for (int32_t i = 5; i <= 10; ++i)
    {
        const char* swap = r.names[i];
        r.names[i] = r.names[i + 6];
        r.names[i + 6] = swap;
    }
    r.names[4] = "LeftFoot";
    ask(&r);
    assert_int_equal(wrong_joints(&r, 0, false), 0);
    assert_true(r.got[4].confidence < 0.5f);
    assert_non_null(strstr(r.got[4].reason, "though called a foot"));
    assert_true(r.got[6].confidence < 1.0f);
    assert_true(r.got[18].confidence > 0.9f);
    release(&r);
}

// Every joint has another's name; the legs are known, as the leg finder believes names more.
static void test_rig_meaning_edges__shuffled_names(void** state)
{
    (void)state;
    support_rng rng = {23};
    const sft_leg legs[2] = {{.side = L, .pelvis = 0, .hip = 17, .knee = 18, .heel = 19, .toe = 20, .toe_end = -1},
                             {.side = R, .pelvis = 0, .hip = 21, .knee = 22, .heel = 23, .toe = 24, .toe_end = -1}};
    int wrong = 0;
    for (int k = 0; k < 300; ++k)
    {
        rig r;
        make_room(&r, PERSON_COUNT);
        add_person(&r, -1, 0, 0);
        for (int32_t j = r.count - 1; j > 0; --j)
        {
            const int32_t other = (int32_t)support_uniform(&rng, 0, j + 0.999);
            const char* swap = r.names[j];
            r.names[j] = r.names[other];
            r.names[other] = swap;
        }
        ask(&r);
        assert_int_equal(sft_rig_find_meanings(r.skeleton, NULL, legs, 2, NULL, r.got), SFT_OK);
        const int here = wrong_joints(&r, 0, false);
        if (here > 0) printf("shuffle %d: %d wrong\n", k, here);
        wrong += here;
        release(&r);
    }
    assert_int_equal(wrong, 0);
}

static void test_rig_meaning_edges__one_name_for_all_joints(void** state)
{
    (void)state;
    static const char* const names[] = {"", "Bone", "joint", "LeftHand", "Head", "ik", "\xff\xfe\x80"};
    for (size_t k = 0; k < sizeof names / sizeof names[0]; ++k)
    {
        rig r;
        make_room(&r, PERSON_COUNT);
        add_person(&r, -1, 0, 0);
        for (int32_t j = 0; j < r.count; ++j)
            r.names[j] = names[k];
        ask(&r);
        int hips = 0;
        for (int32_t j = 0; j < r.count; ++j)
            hips += r.got[j].part == SFT_PART_HIPS;
        assert_true(hips <= 1);
        if (k < 3) assert_int_equal(wrong_joints(&r, 0, false), 0);
        release(&r);
    }
}

static void test_rig_meaning_edges__of_two_characters_one_is_read(void** state)
{
    (void)state;
    for (int deep = 0; deep < 2; ++deep)
    {
        rig r;
        make_room(&r, 2 * PERSON_COUNT + 2);
        int32_t scene = add(&r, "Scene", -1, 0, 0, 0);
        if (deep != 0) scene = add(&r, "Armature", scene, 0, 0, 0);
        const int32_t first[2] = {add_person(&r, scene, -1, 0.3), add_person(&r, scene, 1, 0)};
        ask(&r);
        int whole = 0;
        for (int k = 0; k < 2; ++k)
        {
            int meant = 0;
            for (int32_t i = 0; i < PERSON_COUNT; ++i)
                meant += r.got[first[k] + i].part != SFT_PART_NONE;
            assert_true(meant == 0 || meant == PERSON_COUNT);
            if (meant == 0) continue;
            assert_int_equal(wrong_joints(&r, first[k], false), 0);
            ++whole;
        }
        assert_int_equal(whole, 1);
        release(&r);
    }
}

static void test_rig_meaning_edges__arms_that_are_missing(void** state)
{
    (void)state;
    for (int k = 0; k < 3; ++k)
    {
        // Without a left arm; without a left hand; without both arms.
        rig r;
        make_room(&r, PERSON_COUNT);
        int32_t place[PERSON_COUNT], source[PERSON_COUNT];
        for (int32_t i = 0; i < PERSON_COUNT; ++i)
        {
            const bool left = i >= 5 && i <= 10, right = i >= 11 && i <= 16;
            if ((k == 0 && left) || (k == 1 && i >= 8 && i <= 10) || (k == 2 && (left || right))) continue;
            const joint* p = &PERSON[i];
            source[r.count] = i;
            place[i] = add(&r, p->name, p->parent < 0 ? -1 : place[p->parent], p->x, p->y, p->z);
        }
        ask(&r);
        int wrong = 0;
        for (int32_t j = 0; j < r.count; ++j)
        {
            const joint* p = &PERSON[source[j]];
            if (r.got[j].part == p->part && r.got[j].side == p->side) continue;
            printf("%d: %s is %s (%s)\n", k, r.names[j], sft_part_word(r.got[j].part), r.got[j].reason);
            ++wrong;
        }
        assert_int_equal(wrong, 0);
        release(&r);
    }
}

static void test_rig_meaning_edges__memory_runs_out(void** state)
{
    (void)state;
    rig r;
    make_room(&r, PERSON_COUNT);
    add_person(&r, -1, 0, 0);
    ask(&r);
    sft_joint_meaning out[PERSON_COUNT];
    memset(out, 0x5a, sizeof out);
    sft_leg leg = {.pelvis = 0, .hip = 17, .knee = 18, .heel = 19, .toe = 20, .toe_end = -1};
    long fail_at = 0;
    for (;; ++fail_at)
    {
        support_heap heap = {.fail_at = fail_at};
        const sft_allocator allocator = support_allocator(&heap);
        sft_joint_meaning before[PERSON_COUNT];
        memcpy(before, out, sizeof out);
        const sft_result result = sft_rig_find_meanings(r.skeleton, NULL, &leg, 1, &allocator, out);
        assert_int_equal(heap.live_blocks, 0);
        if (result == SFT_OK) break;
        assert_int_equal(result, SFT_ERR_MEMORY);
        assert_memory_equal(before, out, sizeof out);
    }
    assert_true(fail_at > 0);
    release(&r);
}

// ---- any shape ----

static void check_sound(const rig* r)
{
    int hips = 0;
    int single[3][SFT_PART_TWIST + 1] = {{0}};
    for (int32_t j = 0; j < r->count; ++j)
    {
        const sft_joint_meaning* m = &r->got[j];
        assert_true(m->part >= SFT_PART_NONE && m->part <= SFT_PART_TWIST);
        assert_true(m->side >= SFT_LEG_LEFT && m->side <= SFT_LEG_MIDDLE);
        assert_true(m->confidence >= 0.0f && m->confidence <= 1.0f);
        assert_true(m->digit >= -1 && m->digit <= 4);
        assert_true(m->index >= 0 && m->index < r->count);
        assert_true(memchr(m->reason, '\0', sizeof m->reason) != NULL);
        assert_true((m->part == SFT_PART_TWIST) == (m->carrier >= 0));
        hips += m->part == SFT_PART_HIPS;
        if (m->pair == 0) ++single[m->side][m->part];
    }
    assert_true(hips <= 1);
    for (int side = 0; side < 2; ++side)
    {
        assert_true(single[side][SFT_PART_UPPER_ARM] <= 1);
        assert_true(single[side][SFT_PART_FOREARM] <= 1);
        assert_true(single[side][SFT_PART_HAND] <= 1);
    }
}

static void test_rig_meaning_edges__random_trees(void** state)
{
    (void)state;
    static const char* const names[] = {"",          "Hips",     "Spine",    "Neck",      "Head",
                                        "LeftArm",   "RightArm", "LeftHand", "LeftUpLeg", "twist",
                                        "RightLeg",  "tail_1",   "wing_l",   "ik_l",      "Finger2",
                                        "__Thumb_L", "LeftFoot", "jaw",      "toe_end",   "Bip01 R Clavicle"};
    support_rng rng = {77};
    for (int k = 0; k < 4000; ++k)
    {
        rig r;
        make_room(&r, 80);
        const int32_t count = 1 + (int32_t)support_uniform(&rng, 0, 79);
        const bool person = k % 3 == 0;
        if (person) add_person(&r, -1, 0, 0);
        const int32_t reach = 1 + (int32_t)support_uniform(&rng, 0, 30);
        while (r.count < count)
        {
            int32_t parent = r.count - 1 - (int32_t)support_uniform(&rng, 0, reach);
            if (parent < -1 || support_uniform(&rng, 0, 1) < 0.02) parent = -1;
            const double size = support_uniform(&rng, 0, 1) < 0.2 ? 0.0 : 0.3;
            const sft_v3d up = parent < 0 ? sft_v3d_make(0, 1, 0) : r.places[parent];
            add(&r, names[(int)support_uniform(&rng, 0, 19.999)], parent, up.x + support_uniform(&rng, -size, size),
                up.y + support_uniform(&rng, -size, size), up.z + support_uniform(&rng, -size, size));
        }
        ask(&r);
        check_sound(&r);
        // Legs that somebody named by hand, anywhere.
        if (r.count >= 5)
        {
            sft_leg legs[2] = {{.side = L, .toe_end = -1}, {.side = R, .pair = k % 2, .toe_end = -1}};
            for (int i = 0; i < 2; ++i)
            {
                int32_t at = (int32_t)support_uniform(&rng, 0, (double)(r.count - 4));
                legs[i].pelvis = at - 1;
                legs[i].hip = at++;
                legs[i].knee = at++;
                legs[i].heel = at++;
                legs[i].toe = at;
            }
            assert_int_equal(sft_rig_find_meanings(r.skeleton, NULL, legs, 2, NULL, r.got), SFT_OK);
        }
        release(&r);
    }
}

static double seconds(void)
{
    return (double)clock() / CLOCKS_PER_SEC;
}

static void test_rig_meaning_edges__most_joints_in_linear_time(void** state)
{
    (void)state;
    for (int shape = 0; shape < 6; ++shape)
    {
        rig r;
        make_room(&r, SFT_MAX_JOINTS);
        add_person(&r, -1, 0, 0);
        while (r.count < SFT_MAX_JOINTS)
        {
            // A rope from the chest, a broom at the chest, a bush at the head, fingers, a rope of twist joints, toes.
            static const int32_t at[] = {2, 2, 4, 8, 6, 19};
            static const char* const names[] = {"rope", "LeftArm", "", "finger", "twist", "LeftToe"};
            int32_t parent = at[shape];
            if (r.count > PERSON_COUNT && (shape == 0 || shape == 4 || shape == 5)) parent = r.count - 1;
            if (r.count > PERSON_COUNT + 1 && shape == 2) parent = PERSON_COUNT + (r.count - PERSON_COUNT) / 2;
            const sft_v3d up = r.places[parent];
            add(&r, names[shape], parent, up.x + 1e-5 * (double)(r.count % 7), up.y + 1e-5, up.z - 1e-5);
        }
        ask(&r);
        const double before = seconds();
        sft_leg legs[SFT_MAX_LEGS];
        int32_t count = 0;
        assert_int_equal(sft_leg_find(r.skeleton, NULL, NULL, legs, SFT_MAX_LEGS, &count), SFT_OK);
        const double found = seconds();
        assert_int_equal(sft_rig_find_meanings(r.skeleton, NULL, legs, count, NULL, r.got), SFT_OK);
        printf("shape %d: %d legs in %.3f s, meanings in %.3f s\n", shape, (int)count, found - before,
               seconds() - found);
        assert_true(seconds() - found < 2.0);
        check_sound(&r);
        release(&r);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rig_meaning_edges__any_facing_and_size),
        cmocka_unit_test(test_rig_meaning_edges__any_order_of_joints),
        cmocka_unit_test(test_rig_meaning_edges__structure_wins_over_names_that_lie),
        cmocka_unit_test(test_rig_meaning_edges__shuffled_names),
        cmocka_unit_test(test_rig_meaning_edges__one_name_for_all_joints),
        cmocka_unit_test(test_rig_meaning_edges__of_two_characters_one_is_read),
        cmocka_unit_test(test_rig_meaning_edges__arms_that_are_missing),
        cmocka_unit_test(test_rig_meaning_edges__memory_runs_out),
        cmocka_unit_test(test_rig_meaning_edges__random_trees),
        cmocka_unit_test(test_rig_meaning_edges__most_joints_in_linear_time),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
