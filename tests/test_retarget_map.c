// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// Pairs by meaning on rigs made by hand: chains of unlike number, parts that one side lacks, figures that are not
// alike.

#include "support/figures.h"
#include "support/mover.h"

static mover source, target;

static sft_retarget_map* map_of(const sft_rig* from, const sft_rig* onto)
{
    const sft_rig_pair rigs = {from, onto};
    sft_retarget_map* map = NULL;
    sft_error error = {0};
    if (sft_retarget_map_create(&rigs, NULL, &map, &error) != SFT_OK) fail_msg("%s", error.message);
    return map;
}

static const sft_joint_pair* pair_of(const sft_retarget_map* map, int joint)
{
    assert_true(joint >= 0);
    return &sft_retarget_map_view(map)->pairs[joint];
}

static bool says(const char* const* list, int32_t count, const char* words)
{
    for (int32_t i = 0; i < count; ++i)
        if (strstr(list[i], words) != NULL) return true;
    return false;
}

// Joints in even steps from the hips (not in it) to the top: target joint i of m is at i / m, source joints at k / n.
static void test_retarget_map__spines_are_resampled_by_arc_length(void** state)
{
    (void)state;
    for (int n = 1; n <= 7; ++n)
        for (int m = 1; m <= 7; ++m)
        {
            mover_def def = mover_default();
            def.spines = n;
            mover_make(&def, &source);
            def.spines = m;
            def.scale = 1.3;
            mover_make(&def, &target);
            sft_retarget_map* map = map_of(&source.rig, &target.rig);
            for (int i = 1; i <= m; ++i)
            {
                const sft_joint_pair* p = pair_of(map, mover_find(&target, SFT_PART_SPINE, SFT_LEG_MIDDLE, i - 1));
                const double place = (double)i / m * n, low = floor(place + 1e-9);
                const int below =
                    low < 1.0 ? source.rig.hips : mover_find(&source, SFT_PART_SPINE, SFT_LEG_MIDDLE, (int)low - 1);
                assert_int_equal(p->source, below);
                if (place - low > 1e-6)
                {
                    assert_int_equal(p->rule, SFT_PAIR_CHAIN);
                    assert_int_equal(p->source_next, mover_find(&source, SFT_PART_SPINE, SFT_LEG_MIDDLE, (int)low));
                    assert_true(fabs(p->share - (place - low)) < 1e-9);
                }
                else
                    assert_int_equal(p->rule, SFT_PAIR_JOINT);
                assert_true(p->confidence == 1.0f && p->reason[0] != '\0');
            }
            sft_retarget_map_destroy(map);
        }
}

// Legs that hang from the spine's first joint, as those of a Biped do: it turns as the hips, and the spine is what lies
// above it. A spine that bends leaves the line of the sockets where the hips have it; before, it took legs along.
static void test_retarget_map__a_spine_joint_that_carries_the_legs_turns_as_the_hips(void** state)
{
    (void)state;
    support_rng rng = {7};
    for (int n = 1; n <= 4; ++n)
        for (int m = 2; m <= 4; ++m)
        {
            mover_def def = mover_default();
            def.spines = n;
            mover_make(&def, &source);
            def.spines = m;
            mover_make(&def, &target);
            const int carrier = mover_find(&target, SFT_PART_SPINE, SFT_LEG_MIDDLE, 0);
            const int thighs[2] = {mover_find(&target, SFT_PART_THIGH, SFT_LEG_LEFT, 0),
                                   mover_find(&target, SFT_PART_THIGH, SFT_LEG_RIGHT, 0)};
            target.parents[thighs[0]] = target.parents[thighs[1]] = carrier;
            mover_finish(&target, 5, 0.0);
            sft_retarget_map* map = map_of(&source.rig, &target.rig);
            assert_int_equal(pair_of(map, carrier)->rule, SFT_PAIR_JOINT);
            assert_int_equal(pair_of(map, carrier)->source, source.rig.hips);
            // From the carrier to the top in even steps; the source's from its hips.
            for (int i = 1; i < m; ++i)
            {
                const sft_joint_pair* p = pair_of(map, mover_find(&target, SFT_PART_SPINE, SFT_LEG_MIDDLE, i));
                const double place = (double)i / (m - 1) * n, low = floor(place + 1e-9);
                const int below =
                    low < 1.0 ? source.rig.hips : mover_find(&source, SFT_PART_SPINE, SFT_LEG_MIDDLE, (int)low - 1);
                assert_int_equal(p->source,
                                 n == m - 1 ? mover_find(&source, SFT_PART_SPINE, SFT_LEG_MIDDLE, i - 1) : below);
                assert_true(fabs(p->share - (place - low > 1e-6 ? place - low : 0.0)) < 1e-9);
            }
            moved from, to;
            mover_rest(&source, &from);
            for (int i = 0; i < n; ++i)
            {
                sft_quatd* r = from.r + mover_find(&source, SFT_PART_SPINE, SFT_LEG_MIDDLE, i);
                *r = sft_quatd_mul(*r, mover_random_turn(&rng, 1.0));
            }
            const sft_transfer_def transfer = sft_default_transfer_def();
            mover_move(&transfer, map, &source, &from, &target, &to);
            const sft_v3d line = sft_v3d_sub(to.figure[thighs[0]].t, to.figure[thighs[1]].t);
            assert_true(line.x > 0.0 && fabs(line.y) < 1e-12 && fabs(line.z) < 1e-12);
            sft_retarget_map_destroy(map);
        }
}

static void test_retarget_map__necks_of_any_number(void** state)
{
    (void)state;
    for (int n = 0; n <= 3; ++n)
        for (int m = 0; m <= 3; ++m)
        {
            mover_def def = mover_default();
            def.necks = n;
            mover_make(&def, &source);
            def.necks = m;
            mover_make(&def, &target);
            sft_retarget_map* map = map_of(&source.rig, &target.rig);
            const int head_s = mover_find(&source, SFT_PART_HEAD, SFT_LEG_MIDDLE, 0);
            assert_int_equal(pair_of(map, mover_find(&target, SFT_PART_HEAD, SFT_LEG_MIDDLE, 0))->source, head_s);
            for (int i = 0; i < m; ++i)
            {
                const sft_joint_pair* p = pair_of(map, mover_find(&target, SFT_PART_NECK, SFT_LEG_MIDDLE, i));
                assert_true(p->rule == SFT_PAIR_JOINT || p->rule == SFT_PAIR_CHAIN);
                if (n == m) assert_int_equal(p->source, mover_find(&source, SFT_PART_NECK, SFT_LEG_MIDDLE, i));
                // No neck to follow: between chest and head.
                if (n == 0)
                {
                    assert_int_equal(p->source, mover_find(&source, SFT_PART_SPINE, SFT_LEG_MIDDLE, 1));
                    assert_int_equal(p->source_next, head_s);
                    assert_true(fabs(p->share - (i + 1.0) / (m + 1.0)) < 1e-12);
                }
                if (n > 0 && i == 0) assert_int_equal(p->source, mover_find(&source, SFT_PART_NECK, SFT_LEG_MIDDLE, 0));
            }
            sft_retarget_map_destroy(map);
        }
}

static int finger(const mover* m, sft_leg_side side, int digit, int index)
{
    for (int j = 0; j < m->count; ++j)
        if (m->meanings[j].part == SFT_PART_FINGER && m->meanings[j].side == side && m->meanings[j].digit == digit &&
            m->meanings[j].index == index)
            return j;
    return -1;
}

static void test_retarget_map__fingers_of_any_number(void** state)
{
    (void)state;
    for (int digits = 0; digits <= 5; ++digits)
        for (int joints = 1; joints <= 4; ++joints)
        {
            mover_def def = mover_default();
            def.digits = digits;
            def.finger_joints[0] = def.finger_joints[1] = joints;
            mover_make(&def, &source);
            def.digits = 5;
            def.finger_joints[0] = def.finger_joints[1] = 3;
            mover_make(&def, &target);
            sft_retarget_map* map = map_of(&source.rig, &target.rig);
            for (int d = 0; d < 5; ++d)
            {
                const int like = d < digits ? d : digits - 1;
                const bool turns = d == 0 ? digits > 0 : digits > 1;
                const sft_joint_pair* tip = pair_of(map, finger(&target, SFT_LEG_LEFT, d, 2));
                assert_int_equal(tip->rule, turns ? SFT_PAIR_JOINT : SFT_PAIR_REST);
                if (turns) assert_int_equal(tip->source, finger(&source, SFT_LEG_LEFT, like, joints - 1));
                if (turns) assert_true(tip->confidence == (d < digits ? 1.0f : 0.5f));
            }
            assert_int_equal(sft_retarget_map_view(map)->fallback_count, 0);
            sft_retarget_map_destroy(map);
        }
}

// A mitten moves four fingers and is moved by the middle one; a thumb is a thumb.
static void test_retarget_map__mittens(void** state)
{
    (void)state;
    mover_def def = mover_default();
    def.digits = 2;
    mover_make(&def, &source);
    for (int j = 0; j < source.count; ++j)
        if (source.meanings[j].digit == 1) source.meanings[j].digit = -1;
    def.digits = 5;
    mover_make(&def, &target);
    sft_retarget_map* map = map_of(&source.rig, &target.rig);
    for (int d = 0; d < 5; ++d)
        assert_int_equal(pair_of(map, finger(&target, SFT_LEG_RIGHT, d, 1))->source,
                         finger(&source, SFT_LEG_RIGHT, d == 0 ? 0 : -1, 1));
    sft_retarget_map_destroy(map);
    map = map_of(&target.rig, &source.rig);
    assert_int_equal(pair_of(map, finger(&source, SFT_LEG_RIGHT, -1, 1))->source, finger(&target, SFT_LEG_RIGHT, 2, 1));
    sft_retarget_map_destroy(map);
}

static void test_retarget_map__missing_limbs_are_said(void** state)
{
    (void)state;
    mover_def def = mover_default();
    def.arms = def.head = def.toes = false;
    def.necks = 0;
    mover_make(&def, &source);
    def = mover_default();
    def.digits = 5;
    def.tail = 3;
    mover_make(&def, &target);
    sft_retarget_map* map = map_of(&source.rig, &target.rig);
    const sft_retarget_map_contents* v = sft_retarget_map_view(map);
    assert_int_equal(v->fallback_count, 3);
    assert_true(says(v->fallbacks, v->fallback_count,
                     "the source has no left arm: Leftupper_arm0 to Lefthand0 keep the rest pose"));
    assert_true(says(v->fallbacks, v->fallback_count, "the source has no right arm"));
    assert_true(says(v->fallbacks, v->fallback_count, "the source has no head: head0 keeps the rest pose"));
    assert_int_equal(v->unused_count, 0);
    assert_int_equal(pair_of(map, mover_find(&target, SFT_PART_FOREARM, SFT_LEG_LEFT, 0))->rule, SFT_PAIR_REST);
    assert_int_equal(pair_of(map, mover_find(&target, SFT_PART_CLAVICLE, SFT_LEG_LEFT, 0))->rule, SFT_PAIR_REST);
    sft_retarget_map_destroy(map);
    // The other way round they are left over.
    map = map_of(&target.rig, &source.rig);
    v = sft_retarget_map_view(map);
    assert_int_equal(v->fallback_count, 0);
    assert_true(says(v->unused, v->unused_count, "no left upper arm"));
    assert_true(says(v->unused, v->unused_count, "no tail: tail0 and 2 more are not used"));
    assert_true(says(v->unused, v->unused_count, "no left finger: Leftfinger0_0 and 14 more"));
    assert_true(says(v->unused, v->unused_count, "no head"));
    sft_retarget_map_destroy(map);
}

static void test_retarget_map__a_limb_cut_short_is_said(void** state)
{
    (void)state;
    mover_def def = mover_default();
    mover_make(&def, &source);
    mover_make(&def, &target);
    const int hand = mover_find(&source, SFT_PART_HAND, SFT_LEG_LEFT, 0);
    source.meanings[hand].part = SFT_PART_NONE;
    sft_retarget_map* map = map_of(&source.rig, &target.rig);
    const sft_retarget_map_contents* v = sft_retarget_map_view(map);
    assert_int_equal(v->fallback_count, 1);
    assert_string_equal(v->fallbacks[0], "the source has no left hand: Lefthand0 keeps the rest pose");
    sft_retarget_map_destroy(map);
}

static void animal(int legs, figure_axes axes, figure* f, sft_rig** rig)
{
    figure_make_animal(legs, axes, 3, f);
    *rig = figure_rig(f, NULL);
}

static void test_retarget_map__animals_go_to_their_like(void** state)
{
    (void)state;
    for (int legs = 4; legs <= 8; legs += 4)
    {
        static figure a, b;
        sft_rig *from = NULL, *onto = NULL;
        animal(legs, FIGURE_AXES_PLAIN, &a, &from);
        animal(legs, FIGURE_AXES_RANDOM, &b, &onto);
        sft_retarget_map* map = map_of(from, onto);
        const sft_retarget_map_contents* v = sft_retarget_map_view(map);
        assert_int_equal(v->fallback_count, 0);
        for (int l = 0; l < legs; ++l)
        {
            assert_int_equal(pair_of(map, onto->legs[l].hip)->source, from->legs[l].hip);
            assert_int_equal(pair_of(map, onto->legs[l].knee)->source, from->legs[l].knee);
            assert_int_equal(pair_of(map, onto->legs[l].heel)->source, from->legs[l].heel);
        }
        sft_retarget_map_destroy(map);
        sft_rig_destroy(from, NULL);
        sft_rig_destroy(onto, NULL);
    }
}

static void test_retarget_map__unlike_figures_are_refused(void** state)
{
    (void)state;
    static figure four, eight;
    sft_rig *fox = NULL, *spider = NULL;
    animal(4, FIGURE_AXES_PLAIN, &four, &fox);
    animal(8, FIGURE_AXES_PLAIN, &eight, &spider);
    const mover_def def = mover_default();
    mover_make(&def, &source);
    mover_make(&def, &target);
    const sft_rig_pair pairs[4] = {{fox, spider}, {spider, fox}, {&source.rig, fox}, {fox, &source.rig}};
    for (int k = 0; k < 4; ++k)
    {
        sft_retarget_map* map = NULL;
        sft_error error = {0};
        assert_int_equal(sft_retarget_map_create(&pairs[k], NULL, &map, &error), SFT_ERR_UNSUPPORTED);
        assert_non_null(strstr(error.message, "legs"));
        assert_null(map);
    }
    target.rig.hips = -1;
    const sft_rig_pair none = {&source.rig, &target.rig};
    sft_retarget_map* map = NULL;
    sft_error error = {0};
    assert_int_equal(sft_retarget_map_create(&none, NULL, &map, &error), SFT_ERR_UNSUPPORTED);
    assert_non_null(strstr(error.message, "no hips are known in the target"));
    sft_rig_destroy(fox, NULL);
    sft_rig_destroy(spider, NULL);
}

// Two-legged figures differ in wings and tails, and still are alike.
static void test_retarget_map__what_has_no_like_rests(void** state)
{
    (void)state;
    mover_def def = mover_default();
    mover_make(&def, &source);
    def.arms = false;
    def.tail = 2;
    mover_make(&def, &target);
    for (int side = -1; side <= 1; side += 2)
    {
        const sft_joint_meaning wing = {.part = SFT_PART_NONE, .side = SFT_LEG_MIDDLE};
        mover_add(&target, mover_find(&target, SFT_PART_SPINE, SFT_LEG_MIDDLE, 1), "wing", wing,
                  sft_v3d_make(0.4 * side, 1.3, -0.1));
    }
    mover_finish(&target, 0, 0.0);
    sft_retarget_map* map = map_of(&source.rig, &target.rig);
    assert_int_equal(sft_retarget_map_view(map)->fallback_count, 0);
    assert_int_equal(pair_of(map, target.count - 1)->rule, SFT_PAIR_REST);
    assert_int_equal(pair_of(map, mover_find(&target, SFT_PART_TAIL, SFT_LEG_MIDDLE, 0))->rule, SFT_PAIR_REST);
    sft_retarget_map_destroy(map);
}

static void test_retarget_map__given_pairs_are_checked(void** state)
{
    (void)state;
    const mover_def def = mover_default();
    mover_make(&def, &source);
    mover_make(&def, &target);
    const sft_rig_pair rigs = {&source.rig, &target.rig};
    const sft_joint_pair fine = {.target = 3, .source = 3, .source_next = -1, .rule = SFT_PAIR_JOINT};
    sft_joint_pair bad[8] = {fine, fine, fine, fine, fine, fine, fine, fine};
    bad[0].target = target.count;
    bad[1].target = -1;
    bad[2].source = source.count;
    bad[3].source = -1;
    bad[4].rule = (sft_pair_rule)9;
    bad[5].share = (double)NAN;
    bad[6].rule = SFT_PAIR_CHAIN;
    bad[7].confidence = 2.0f;
    for (int k = 0; k < 8; ++k)
    {
        sft_retarget_map* map = NULL;
        sft_error error = {0};
        const sft_joint_pair pairs[2] = {{.target = 1, .source = -1}, bad[k]};
        assert_int_equal(sft_retarget_map_from_pairs(&rigs, pairs, 2, NULL, &map, &error), SFT_ERR_ARG);
        assert_non_null(strstr(error.message, "pair 1"));
        assert_null(map);
    }
    const sft_joint_pair twice[2] = {fine, fine};
    sft_retarget_map* map = NULL;
    sft_error error = {0};
    assert_int_equal(sft_retarget_map_from_pairs(&rigs, twice, 2, NULL, &map, &error), SFT_ERR_ARG);
    assert_non_null(strstr(error.message, "stood in a pair before"));
    assert_string_equal(error.joint, target.names[3]);
    // None at all is a map: everything rests.
    assert_int_equal(sft_retarget_map_from_pairs(&rigs, NULL, 0, NULL, &map, &error), SFT_OK);
    for (int j = 0; j < target.count; ++j)
        assert_int_equal(pair_of(map, j)->rule, SFT_PAIR_REST);
    sft_retarget_map_destroy(map);
}

static void test_retarget_map__any_allocation_may_fail(void** state)
{
    (void)state;
    mover_def def = mover_default();
    def.twists = 1;
    mover_make(&def, &source);
    mover_make(&def, &target);
    const sft_rig_pair rigs = {&source.rig, &target.rig};
    support_heap heap;
    const sft_allocator allocator = support_allocator(&heap);
    for (long k = 0;; ++k)
    {
        heap = (support_heap){.fail_at = k};
        sft_retarget_map* map = NULL;
        sft_error error = {0};
        if (sft_retarget_map_create(&rigs, &allocator, &map, &error) == SFT_OK)
        {
            sft_retarget_map_destroy(map);
            assert_int_equal(heap.live_blocks, 0);
            assert_true(k > 10);
            return;
        }
        assert_int_equal(error.code, SFT_ERR_MEMORY);
        assert_int_equal(heap.live_blocks, 0);
        assert_null(map);
    }
}

static void test_retarget_map__rigs_that_are_not_whole_are_refused(void** state)
{
    (void)state;
    const mover_def def = mover_default();
    sft_retarget_map* map = NULL;
    for (int k = 0; k < 8; ++k)
    {
        mover_make(&def, &source);
        mover_make(&def, &target);
        const sft_rig_pair rigs = {&source.rig, &target.rig};
        if (k == 0) source.rig.skeleton = NULL;
        if (k == 1) target.rig.pose = NULL;
        if (k == 2) source.rig.hips = source.count;
        if (k == 3) target.pose[4].r.w = (double)NAN;
        if (k == 4) source.base_t[4].x = (double)INFINITY;
        if (k == 5) target.rig.facing = (double)NAN;
        if (k == 6) source.meanings[5].carrier = 1000;
        if (k == 7) target.pose_r[2] = (sft_quatd){0, 0, 0, 0};
        assert_int_equal(sft_retarget_map_create(&rigs, NULL, &map, NULL), SFT_ERR_ARG);
    }
    assert_int_equal(sft_retarget_map_create(NULL, NULL, &map, NULL), SFT_ERR_ARG);
    assert_null(map);
    assert_null(sft_retarget_map_view(NULL));
    sft_retarget_map_destroy(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_retarget_map__spines_are_resampled_by_arc_length),
        cmocka_unit_test(test_retarget_map__a_spine_joint_that_carries_the_legs_turns_as_the_hips),
        cmocka_unit_test(test_retarget_map__necks_of_any_number),
        cmocka_unit_test(test_retarget_map__fingers_of_any_number),
        cmocka_unit_test(test_retarget_map__mittens),
        cmocka_unit_test(test_retarget_map__missing_limbs_are_said),
        cmocka_unit_test(test_retarget_map__a_limb_cut_short_is_said),
        cmocka_unit_test(test_retarget_map__animals_go_to_their_like),
        cmocka_unit_test(test_retarget_map__unlike_figures_are_refused),
        cmocka_unit_test(test_retarget_map__what_has_no_like_rests),
        cmocka_unit_test(test_retarget_map__given_pairs_are_checked),
        cmocka_unit_test(test_retarget_map__any_allocation_may_fail),
        cmocka_unit_test(test_retarget_map__rigs_that_are_not_whole_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
