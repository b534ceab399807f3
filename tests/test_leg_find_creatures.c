// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// Legs of animals and of rigs as modelling programs write them; and of what has none.

#include "support/rigs.h"
#include "support/support.h"

static const char* joint_name(const rig* r, int j)
{
    return j < 0 ? "-" : r->names[j];
}

static void print_leg(const rig* r, const sft_leg* l)
{
    printf("   %d %s: %s | %s %s %s %s %s (%s)\n", (int)l->pair, l->side == SFT_LEG_LEFT ? "left" : "right",
           joint_name(r, l->pelvis), joint_name(r, l->hip), joint_name(r, l->knee), joint_name(r, l->heel),
           joint_name(r, l->toe), joint_name(r, l->toe_end), l->reason);
}

static bool is_below(const rig* r, int joint, int above)
{
    while (joint > above)
        joint = r->parents[joint];
    return joint == above;
}

// The joints of the leg as the rig says; loose: the right limb at least.
static bool same_leg(const rig* r, const rig_leg* want, const sft_leg* got, bool joints)
{
    if ((got->side == SFT_LEG_LEFT) != (want->side < 0) || got->side == SFT_LEG_MIDDLE) return false;
    if (!joints) return is_below(r, got->toe, want->hip);
    return got->pelvis == want->pelvis && got->hip == want->hip && got->knee == want->knee && got->heel == want->heel &&
           got->toe == want->toe && got->toe_end == want->toe_end;
}

// `r` keeps the names that the skeleton may have lost, for people who read what went wrong.
static int check(const rig* r, const sft_skeleton* s, const sft_clip* clip, bool joints, const char* how)
{
    sft_leg legs[SFT_MAX_LEGS];
    int32_t count = -1;
    assert_int_equal(sft_leg_find(s, clip, NULL, legs, SFT_MAX_LEGS, &count), SFT_OK);
    bool same = count == r->leg_count;
    for (int i = 0; same && i < count; ++i)
        same = legs[i].pair == i / 2 && same_leg(r, &r->legs[i], &legs[i], joints);
    if (same) return 0;
    printf("%s (%s): %d legs, not %d, or others\n", r->title, how, (int)count, r->leg_count);
    for (int i = 0; i < count; ++i)
        print_leg(r, &legs[i]);
    return 1;
}

static int check_rest(const rig* r, const rig* named, bool joints, const char* how)
{
    sft_skeleton* s = rig_skeleton(r);
    const int faults = check(named, s, NULL, joints, how);
    sft_skeleton_destroy(s, NULL);
    return faults;
}

static void test_leg_find_creatures__as_written(void** state)
{
    (void)state;
    int faults = 0;
    for (int i = 0; i < creature_count(); ++i)
    {
        rig r;
        creature_make(i, &r);
        faults += check_rest(&r, &r, true, "as written");
    }
    assert_int_equal(faults, 0);
}

// Two skeletons in one place are told apart by their names alone, and arms that hang from a bell are legs but for
// theirs.
static bool needs_names(const rig* r)
{
    return strncmp(r->title, "person with a second", 20) == 0 || strncmp(r->title, "person, controls", 16) == 0 ||
           strcmp(r->title, "jellyfish") == 0;
}

static void test_leg_find_creatures__without_names(void** state)
{
    (void)state;
    support_rng rng = {31};
    int faults = 0;
    for (int i = 0; i < creature_count(); ++i)
    {
        rig r;
        creature_make(i, &r);
        if (needs_names(&r)) continue;
        const rig named = r;
        rig_rename(&r, &rng);
        faults += check_rest(&r, &named, !r.loose, "nameless");
    }
    assert_int_equal(faults, 0);
}

// A file's joint axes are anybody's: Z up wrappers, axes along bones, mirrored sides. Positions alone count.
static void test_leg_find_creatures__joint_axes_do_not_matter(void** state)
{
    (void)state;
    support_rng rng = {32};
    int faults = 0;
    for (int i = 0; i < creature_count(); ++i)
        for (int round = 0; round < 6; ++round)
        {
            rig r;
            creature_make(i, &r);
            const bool nameless = round % 2 == 1;
            if (nameless && needs_names(&r)) continue;
            const rig named = r;
            if (nameless) rig_rename(&r, &rng);
            sft_skeleton* s = rig_skeleton_rolled(&r, &rng);
            faults += check(&named, s, NULL, !(nameless && r.loose), nameless ? "rolled, nameless" : "rolled");
            sft_skeleton_destroy(s, NULL);
        }
    assert_int_equal(faults, 0);
}

static void test_leg_find_creatures__rolled_rigs(void** state)
{
    (void)state;
    support_rng rng = {33};
    int faults = 0;
    for (int i = 0; i < rig_count(); ++i)
        for (int round = 0; round < 4; ++round)
        {
            rig r;
            rig_make(i, &r);
            if (strcmp(r.title, "one named leg") == 0) continue;
            sft_skeleton* s = rig_skeleton_rolled(&r, &rng);
            faults += check(&r, s, NULL, !r.loose, "rolled");
            sft_skeleton_destroy(s, NULL);
        }
    assert_int_equal(faults, 0);
}

// Any order of joints, mirrored, at any size.
static void test_leg_find_creatures__order_mirror_and_size_do_not_matter(void** state)
{
    (void)state;
    support_rng rng = {34};
    int faults = 0;
    for (int i = 0; i < creature_count(); ++i)
        for (int round = 0; round < 4; ++round)
        {
            rig r;
            creature_make(i, &r);
            rig_shuffle(&r, &rng);
            rig_scale(&r, round % 2 == 0 ? 0.05 : 3.0);
            const rig named = r;
            faults += check_rest(&r, &named, true, "shuffled");
        }
    assert_int_equal(faults, 0);
}

static double place(const rig* r, int joint, int axis)
{
    double sum = 0.0;
    for (; joint >= 0; joint = r->parents[joint])
        sum += axis == 0 ? r->offsets[joint].x : axis == 1 ? r->offsets[joint].y : r->offsets[joint].z;
    return sum;
}

// Every foot points ahead by a seventh of its leg's height.
static bool has_plain_paws(const rig* r)
{
    for (int i = 0; i < r->leg_count; ++i)
    {
        const rig_leg* leg = r->legs + i;
        const double tall = place(r, leg->hip, 1) - place(r, leg->heel, 1);
        const int tip = leg->toe_end >= 0 ? leg->toe_end : leg->toe;
        if (!(place(r, leg->toe, 2) > place(r, leg->heel, 2)) ||
            !(place(r, tip, 2) - place(r, leg->heel, 2) > 0.15 * tall))
            return false;
    }
    return r->leg_count > 2 && r->leg_count % 2 == 0;
}

// A mirror image of an animal, as a node scaled by -1 makes it, has the names on the wrong sides; where it looks is
// told by its feet. Before, sides of animals were those of their names.
static void test_leg_find_creatures__mirrored_names_are_on_the_wrong_sides(void** state)
{
    (void)state;
    int faults = 0, seen = 0;
    for (int i = 0; i < creature_count(); ++i)
    {
        rig r;
        creature_make(i, &r);
        if (!has_plain_paws(&r)) continue;
        rig_mirror(&r);
        for (int k = 0; k + 1 < r.leg_count; k += 2)
        {
            const rig_leg left = r.legs[k + 1]; // the left one comes first
            r.legs[k + 1] = r.legs[k];
            r.legs[k] = left;
        }
        faults += check_rest(&r, &r, !r.loose, "mirrored");
        ++seen;
    }
    assert_int_equal(faults, 0);
    assert_true(seen >= 3);
}

// Walking, the legs' hips and knees swing; what has none lies still or undulates.
static void test_leg_find_creatures__in_motion(void** state)
{
    (void)state;
    support_rng rng = {35};
    int faults = 0;
    for (int i = 0; i < creature_count(); ++i)
        for (int round = 0; round < 4; ++round)
        {
            rig r;
            creature_make(i, &r);
            sft_skeleton* s = NULL;
            sft_clip* clip = NULL;
            rig_animate(&r, &rng, 48, r.leg_count > 4 ? 0.1 : 0.25, round % 2 == 0 ? RIG_AXES_PLAIN : RIG_AXES_RANDOM,
                        NULL, &s, &clip);
            faults += check(&r, s, clip, round % 2 == 0, round % 2 == 0 ? "walking" : "walking, rest pose a knot");
            sft_skeleton_destroy(s, NULL);
            sft_clip_destroy(clip, NULL);
        }
    assert_int_equal(faults, 0);
}

static void test_leg_find_creatures__says_why_there_are_none(void** state)
{
    (void)state;
    static const char* const why[][2] = {{"shark", "none of its limbs comes down to the ground"},
                                         {"fish", "is called 'PelvicFinL1', which is no leg"},
                                         {"rope hanging", "is called 'rope_0', which is no leg"},
                                         {"snake coiled and raised, head first", "is called 'tail01', which is no leg"},
                                         {"face", "no limb has the two bones of a leg"}};
    for (int i = 0; i < creature_count(); ++i)
    {
        rig r;
        char out[SFT_LEG_NONE_SIZE];
        creature_make(i, &r);
        sft_skeleton* s = rig_skeleton(&r);
        assert_int_equal(sft_leg_explain_none(s, NULL, NULL, out), SFT_OK);
        assert_int_equal(out[0] == '\0', r.leg_count > 0);
        for (size_t k = 0; k < sizeof why / sizeof why[0]; ++k)
            if (strcmp(r.title, why[k][0]) == 0 && strstr(out, why[k][1]) == NULL) fail_msg("%s: %s", r.title, out);
        support_heap heap = {.fail_at = 0};
        for (long at = 0;; ++at)
        {
            memset(&heap, 0, sizeof heap);
            heap.fail_at = at;
            const sft_allocator a = support_allocator(&heap);
            const sft_result result = sft_leg_explain_none(s, NULL, &a, out);
            assert_int_equal(heap.live_blocks, 0);
            if (result == SFT_OK) break;
            assert_int_equal(result, SFT_ERR_MEMORY);
        }
        sft_skeleton_destroy(s, NULL);
    }
    char out[SFT_LEG_NONE_SIZE];
    assert_int_equal(sft_leg_explain_none(NULL, NULL, NULL, out), SFT_ERR_ARG);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_leg_find_creatures__as_written),
        cmocka_unit_test(test_leg_find_creatures__without_names),
        cmocka_unit_test(test_leg_find_creatures__joint_axes_do_not_matter),
        cmocka_unit_test(test_leg_find_creatures__rolled_rigs),
        cmocka_unit_test(test_leg_find_creatures__order_mirror_and_size_do_not_matter),
        cmocka_unit_test(test_leg_find_creatures__mirrored_names_are_on_the_wrong_sides),
        cmocka_unit_test(test_leg_find_creatures__in_motion),
        cmocka_unit_test(test_leg_find_creatures__says_why_there_are_none),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
