// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

#include "support/rigs.h"
#include "support/support.h"

static const char* joint_name(const sft_skeleton* s, int j)
{
    return j < 0 ? "-" : s->names[j];
}

// Compares with what the rig says; returns the number of faults and prints them.
static int compare(const rig* r, const sft_skeleton* s, const sft_leg* legs, int count, bool joints, const char* how)
{
    int faults = 0;
    if (count != r->leg_count)
    {
        printf("%s (%s): %d legs, not %d\n", r->title, how, count, r->leg_count);
        for (int i = 0; i < count; ++i)
            printf("   %d %d: %s %s %s %s\n", legs[i].pair, (int)legs[i].side, joint_name(s, legs[i].hip),
                   joint_name(s, legs[i].knee), joint_name(s, legs[i].heel), legs[i].reason);
        return 1;
    }
    for (int i = 0; i < count; ++i)
    {
        const rig_leg* want = &r->legs[i];
        // A mirrored rig lists its right leg first.
        if (want->side != r->legs[i & ~1].side && r->legs[i & ~1].side > 0)
            want = &r->legs[i - 1];
        else if (want->side > 0 && (i & 1) == 0)
            want = &r->legs[i + 1];
        const sft_leg* got = &legs[i];
        const bool side = (got->side == SFT_LEG_LEFT) == (want->side < 0) && got->side != SFT_LEG_MIDDLE;
        bool same = got->hip == want->hip && got->knee == want->knee && got->heel == want->heel &&
                    got->toe == want->toe && got->toe_end == want->toe_end && got->pelvis == want->pelvis;
        if (!joints)
        {
            // The leg is the right limb at least: its toe or heel hangs where the rig's does.
            int j = got->toe;
            while (j > want->hip)
                j = s->parents[j];
            same = j == want->hip || got->hip <= want->hip;
        }
        const bool unit = fabs(sft_v3d_length(got->knee_side) - 1.0) < 1e-9;
        const bool heights = got->heel_min >= 0.0 && got->toe_min >= 0.0 && got->toe_end_min >= 0.0;
        if (side && same && unit && heights && got->pair == i / 2) continue;
        ++faults;
        printf("%s (%s) leg %d: pair %d side %d %s | %s %s %s %s %s; want %s | %s %s %s %s %s (%s)\n", r->title, how, i,
               got->pair, (int)got->side, joint_name(s, got->pelvis), joint_name(s, got->hip), joint_name(s, got->knee),
               joint_name(s, got->heel), joint_name(s, got->toe), joint_name(s, got->toe_end),
               joint_name(s, want->pelvis), joint_name(s, want->hip), joint_name(s, want->knee),
               joint_name(s, want->heel), joint_name(s, want->toe), joint_name(s, want->toe_end), got->reason);
    }
    return faults;
}

static int find_and_compare(const rig* r, bool joints, const char* how)
{
    sft_skeleton* s = rig_skeleton(r);
    sft_leg legs[SFT_MAX_LEGS];
    int32_t count = -1;
    assert_int_equal(sft_leg_find(s, NULL, NULL, legs, SFT_MAX_LEGS, &count), SFT_OK);
    const int faults = compare(r, s, legs, count, joints, how);
    sft_skeleton_destroy(s, NULL);
    return faults;
}

static bool is_lone(const rig* r)
{
    return strcmp(r->title, "one named leg") == 0;
}

static void test_leg_find__every_rig_as_written(void** state)
{
    (void)state;
    int faults = 0;
    for (int i = 0; i < rig_count(); ++i)
    {
        rig r;
        rig_make(i, &r);
        if (!is_lone(&r)) faults += find_and_compare(&r, true, "as written");
    }
    assert_int_equal(faults, 0);
}

static void test_leg_find__order_of_joints_does_not_matter(void** state)
{
    (void)state;
    support_rng rng = {11};
    int faults = 0;
    for (int i = 0; i < rig_count(); ++i)
        for (int round = 0; round < 8; ++round)
        {
            rig r;
            rig_make(i, &r);
            if (is_lone(&r)) continue;
            rig_shuffle(&r, &rng);
            faults += find_and_compare(&r, true, "shuffled");
        }
    assert_int_equal(faults, 0);
}

static void test_leg_find__names_without_meaning(void** state)
{
    (void)state;
    support_rng rng = {12};
    int faults = 0;
    for (int i = 0; i < rig_count(); ++i)
        for (int round = 0; round < 4; ++round)
        {
            rig r;
            rig_make(i, &r);
            if (is_lone(&r)) continue;
            // Ankle or heel bone: only a name can tell.
            const bool taste = r.loose || strncmp(r.title, "anatomical", 10) == 0;
            if (round > 0) rig_shuffle(&r, &rng);
            if (round % 2 == 1) rig_mirror(&r);
            rig_rename(&r, &rng);
            faults += find_and_compare(&r, !taste, "nameless");
        }
    assert_int_equal(faults, 0);
}

static void test_leg_find__unit_and_up_axis_first(void** state)
{
    (void)state;
    support_rng rng = {13};
    const sft_axis ups[3] = {SFT_AXIS_Y, SFT_AXIS_Z, SFT_AXIS_X};
    const double units[3] = {1.0, 0.01, 0.001};
    int faults = 0;
    for (int i = 0; i < rig_count(); ++i)
        for (int round = 0; round < 18; ++round)
        {
            rig r;
            rig_make(i, &r);
            if (r.leg_count == 0) continue;
            if (round >= 9) rig_rename(&r, &rng);
            rig_turn_to(&r, ups[round % 3]);
            rig_scale(&r, 1.0 / units[round / 3 % 3]);
            sft_skeleton* s = rig_skeleton(&r);
            sft_space space;
            assert_int_equal(sft_clip_infer_space(s, NULL, NULL, &space), SFT_OK);
            if (space.up != ups[round % 3] || fabs(space.unit_metres / units[round / 3 % 3] - 1.0) > 1e-9)
            {
                printf("%s: unit %g up %d, not %g and %d: %s\n", r.title, space.unit_metres, (int)space.up,
                       units[round / 3 % 3], (int)ups[round % 3], space.reason);
                ++faults;
                sft_skeleton_destroy(s, NULL);
                continue;
            }
            assert_int_equal(sft_clip_rescale(s, NULL, &space), SFT_OK);
            sft_leg legs[SFT_MAX_LEGS];
            int32_t count = -1;
            assert_int_equal(sft_leg_find(s, NULL, NULL, legs, SFT_MAX_LEGS, &count), SFT_OK);
            faults += compare(&r, s, legs, count, round < 9, "turned and scaled");
            sft_skeleton_destroy(s, NULL);
        }
    assert_int_equal(faults, 0);
}

static double swing_of(const rig* r)
{
    return r->leg_count > 2 ? 0.12 : 0.5;
}

static bool is_person(const rig* r)
{
    return r->leg_count == 2 && !r->loose;
}

// All rotations zero is a knot: only the motion shows a body.
static void test_leg_find__rest_pose_without_meaning(void** state)
{
    (void)state;
    support_rng rng = {14};
    int faults = 0;
    for (int i = 0; i < rig_count(); ++i)
        for (int round = 0; round < 10; ++round)
        {
            rig r;
            rig_make(i, &r);
            if (is_lone(&r)) continue;
            const rig_axes kinds[5] = {RIG_AXES_RANDOM, RIG_AXES_RANDOM, RIG_AXES_RANDOM, RIG_AXES_ALONG_X,
                                       RIG_AXES_AGAINST_X};
            const bool nameless = round % 2 == 1;
            const bool taste = r.loose || strncmp(r.title, "anatomical", 10) == 0;
            if (nameless) rig_rename(&r, &rng);
            sft_skeleton* s = NULL;
            sft_clip* clip = NULL;
            sft_quatd axes[RIG_JOINTS];
            rig_animate(&r, &rng, 64, swing_of(&r), kinds[round / 2], axes, &s, &clip);
            sft_leg legs[SFT_MAX_LEGS];
            int32_t count = -1;
            assert_int_equal(sft_leg_find(s, clip, NULL, legs, SFT_MAX_LEGS, &count), SFT_OK);
            faults += compare(&r, s, legs, count, !(nameless && taste), nameless ? "knot, nameless" : "knot");
            for (int k = 0; k < count && is_person(&r) && count == r.leg_count; ++k)
            {
                const sft_v3d side = sft_quatd_rotate(axes[legs[k].knee], legs[k].knee_side);
                if (side.x > 0.9) continue;
                printf("%s: knee side %g %g %g (%s)\n", r.title, side.x, side.y, side.z, legs[k].reason);
                ++faults;
            }
            sft_skeleton_destroy(s, NULL);
            sft_clip_destroy(clip, NULL);
        }
    assert_int_equal(faults, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_leg_find__every_rig_as_written),
        cmocka_unit_test(test_leg_find__order_of_joints_does_not_matter),
        cmocka_unit_test(test_leg_find__names_without_meaning),
        cmocka_unit_test(test_leg_find__unit_and_up_axis_first),
        cmocka_unit_test(test_leg_find__rest_pose_without_meaning),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
