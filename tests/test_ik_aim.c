// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

#include "support/angles.h"
#include "support/leg_poses.h"

#define JOINTS 6

/// Hips, spine, chest, neck, head, eye: upright, looking along +Z.
typedef struct bust
{
    sft_skeleton skeleton;
    const char* names[JOINTS];
    int32_t parents[JOINTS];
    uint32_t flags[JOINTS];
    sft_v3d t[JOINTS];
    sft_quatd r[JOINTS], rest[JOINTS];
    sft_limit limits[JOINTS];
    sft_ik_aim_link links[3];
    sft_ik_aim_def def;
    sft_ik_pose pose;
} bust;

static void make_bust(bust* b)
{
    memset(b, 0, sizeof *b);
    const double heights[JOINTS] = {1.0, 0.15, 0.2, 0.2, 0.1, 0.08};
    for (int32_t i = 0; i < JOINTS; ++i)
    {
        b->names[i] = "joint";
        b->parents[i] = i - 1;
        b->t[i] = v3(0, heights[i], i == 5 ? 0.1 : 0.0);
        b->r[i] = b->rest[i] = sft_quatd_identity();
        b->limits[i] = sft_limit_free();
    }
    b->skeleton = (sft_skeleton){JOINTS, b->names, b->parents, b->flags, b->t, b->rest};
    const sft_ik_aim_link links[3] = {{2, 0.2, 3.0}, {3, 0.4, 3.0}, {4, 1.0, 3.0}};
    memcpy(b->links, links, sizeof links);
    b->def = sft_default_ik_aim_def();
    b->def.links = b->links;
    b->def.link_count = 3;
    b->def.offset = v3(0, 0.08, 0.1);
    b->pose = (sft_ik_pose){b->t, b->r};
}

/// A copy whose pointers are its own.
static bust copy_of(const bust* b)
{
    return *b;
}

static void rebind(bust* b)
{
    b->skeleton = (sft_skeleton){JOINTS, b->names, b->parents, b->flags, b->t, b->rest};
    b->def.links = b->links;
    if (b->def.limits != NULL) b->def.limits = b->limits;
    b->pose = (sft_ik_pose){b->t, b->r};
}

static sft_xformd joint(const bust* b, int32_t i)
{
    return sft_skeleton_joint_model(&b->skeleton, b->t, b->r, i);
}

/// Solves, and compares the report with the pose.
static sft_ik_aim_report look(bust* b, sft_v3d target)
{
    sft_ik_aim_report report;
    assert_int_equal(sft_ik_aim_at(&b->def, &b->skeleton, target, &b->pose, &report), SFT_OK);
    const int32_t last = b->links[b->def.link_count - 1].joint;
    const sft_xformd head = joint(b, last);
    const sft_v3d way = sft_v3d_sub(target, sft_xformd_apply(head, b->def.offset));
    if (sft_v3d_length(way) > 1e-6)
        assert_near(report.miss, angle_of(sft_quatd_rotate(head.r, b->def.forward), way), 1e-9);
    for (int32_t i = 0; i < JOINTS; ++i)
        assert_near(sft_quatd_dot(b->r[i], b->r[i]), 1.0, 1e-12);
    return report;
}

static void test_ik_aim__looks_at_targets_and_stays_level(void** state)
{
    (void)state;
    support_rng rng = {81};
    for (int i = 0; i < 2000; ++i)
    {
        bust b;
        make_bust(&b);
        for (int32_t j = 0; j < JOINTS; ++j)
            b.r[j] = sft_quatd_exp(random_step(&rng, 0.15));
        const double turned = support_uniform(&rng, -1.6, 1.6), height = support_uniform(&rng, -1.0, 1.0);
        const double far = support_uniform(&rng, 1.0, 8.0);
        const sft_v3d target = v3(far * sin(turned), 1.7 + height, far * cos(turned));
        const sft_ik_aim_report report = look(&b, target);
        assert_true(report.miss < 1e-7);
        assert_true(report.weight == 1.0);
        // Level: the head's side lies flat.
        const sft_v3d side = sft_quatd_rotate(joint(&b, 4).r, v3(1, 0, 0));
        assert_near(side.y, 0.0, 1e-6);
        assert_true(sft_quatd_rotate(joint(&b, 4).r, v3(0, 1, 0)).y > 0.0);
    }
}

/// Each joint makes its share of what is left: 0.2, then 0.4 of 0.8, then all of 0.48.
static void test_ik_aim__shares(void** state)
{
    (void)state;
    bust b;
    make_bust(&b);
    b.def.offset = v3(0, 0, 0);
    look(&b, sft_v3d_add(joint(&b, 4).t, v3(5, 0, 5)));
    // The head's place moves along the axis it turns about: not at all.
    assert_same_rotation(b.r[2], turn(v3(0, 1, 0), 9.0), 1e-9);
    assert_same_rotation(b.r[3], turn(v3(0, 1, 0), 14.4), 1e-9);
    assert_same_rotation(b.r[4], turn(v3(0, 1, 0), 21.6), 1e-9);
    assert_same_rotation(b.r[1], sft_quatd_identity(), 0.0);
}

/// What a limited joint cannot do is left to the next; what none can is said.
static void test_ik_aim__limits_pass_on_what_is_left(void** state)
{
    (void)state;
    bust b;
    make_bust(&b);
    b.def.offset = v3(0, 0, 0);
    b.links[0].max_turn = 5.0 * SFT_PI / 180.0;
    b.limits[3] = sft_limit_hinge(b.rest[3], v3(0, 1, 0), -0.1, 10.0 * SFT_PI / 180.0);
    b.def.limits = b.limits;
    const sft_v3d target = sft_v3d_add(joint(&b, 4).t, v3(5, 0, 5));
    assert_near(look(&b, target).miss, 0.0, 1e-9);
    assert_same_rotation(b.r[2], turn(v3(0, 1, 0), 5.0), 1e-9);
    assert_same_rotation(b.r[3], turn(v3(0, 1, 0), 10.0), 1e-9);
    assert_same_rotation(b.r[4], turn(v3(0, 1, 0), 30.0), 1e-9);
    make_bust(&b);
    b.def.offset = v3(0, 0, 0);
    for (int i = 0; i < 3; ++i)
        b.links[i].max_turn = 10.0 * SFT_PI / 180.0;
    b.links[0].share = 0.5;
    b.links[1].share = 1.0;
    assert_near(look(&b, target).miss, 15.0 * SFT_PI / 180.0, 1e-9);
}

static void test_ik_aim__weight_zero_is_the_input_bit_for_bit_and_weight_moves_smoothly(void** state)
{
    (void)state;
    support_rng rng = {82};
    for (int i = 0; i < 100; ++i)
    {
        bust b;
        make_bust(&b);
        for (int32_t j = 0; j < JOINTS; ++j)
            b.r[j] = sft_quatd_exp(random_step(&rng, 0.3));
        const double x = support_uniform(&rng, -3.0, 3.0), y = support_uniform(&rng, -1.0, 3.0);
        const sft_v3d target = v3(x, y, support_uniform(&rng, 0.5, 4.0));
        bust first = copy_of(&b);
        rebind(&first);
        first.def.weight = 0.0;
        look(&first, target);
        assert_memory_equal(first.r, b.r, sizeof b.r);
        sft_quatd last[JOINTS];
        memcpy(last, b.r, sizeof last);
        for (int w = 1; w <= 200; ++w)
        {
            bust c = copy_of(&b);
            rebind(&c);
            c.def.weight = w / 200.0;
            look(&c, target);
            for (int32_t j = 0; j < JOINTS; ++j)
                assert_true(angle_between(c.r[j], last[j]) < 0.03);
            memcpy(last, c.r, sizeof last);
        }
    }
}

/// A target that goes round behind the back and round again: followed in front, let go behind, no flick anywhere.
static void test_ik_aim__behind_the_back(void** state)
{
    (void)state;
    for (int mode = 0; mode < 2; ++mode)
    {
        bust b, last;
        make_bust(&b);
        if (mode == 1) b.def.range = 2.0;
        last = copy_of(&b);
        rebind(&last);
        int followed = 0, let_go = 0;
        for (int i = 0; i <= 1440; ++i)
        {
            bust c = copy_of(&b);
            rebind(&c);
            const double angle = 2.0 * SFT_PI * i / 720.0;
            const sft_ik_aim_report r = look(&c, v3(3.0 * sin(angle), 1.6 + 0.2 * sin(3.0 * angle), 3.0 * cos(angle)));
            if (r.weight == 1.0) ++followed;
            if (r.weight == 0.0 && mode == 1) ++let_go;
            if (r.weight == 1.0) assert_true(r.miss < 1e-7);
            for (int32_t j = 0; j < JOINTS && i > 0; ++j)
                assert_true(angle_between(c.r[j], last.r[j]) < 0.08);
            last = copy_of(&c);
            rebind(&last);
        }
        assert_true(followed > 600);
        assert_true(mode == 0 || let_go > 400);
    }
}

static void test_ik_aim__degenerate_targets(void** state)
{
    (void)state;
    bust b;
    make_bust(&b);
    const bust before = b;
    // On the eye: nothing.
    look(&b, sft_xformd_apply(joint(&b, 4), b.def.offset));
    assert_memory_equal(b.r, before.r, sizeof b.r);
    // Straight up, where nothing is level, and anywhere near.
    for (int i = -20; i <= 20; ++i)
    {
        make_bust(&b);
        assert_true(look(&b, v3(0.001 * i, 6, 0.18)).miss < 1e-7);
    }
    // Straight behind with a range that holds it in all but the last: finite, and half a turn at most.
    make_bust(&b);
    const sft_ik_aim_report r = look(&b, v3(0, 1.73, -4));
    assert_true(r.weight < 1e-12);
    // Nearer than the eye lies from the joint: what is left is said.
    make_bust(&b);
    const sft_ik_aim_report near = look(&b, v3(0.03, 1.70, 0.02));
    assert_true(near.miss <= SFT_PI);
}

static void test_ik_aim__turned_frames(void** state)
{
    (void)state;
    support_rng rng = {83};
    for (int i = 0; i < 300; ++i)
    {
        bust a, b;
        make_bust(&a);
        for (int32_t j = 0; j < JOINTS; ++j)
            a.r[j] = sft_quatd_exp(random_step(&rng, 0.2));
        const sft_v3d target = v3(support_uniform(&rng, -2, 2), 1.7, 2);
        b = copy_of(&a);
        rebind(&b);
        const sft_quatd q = random_rotation(&rng);
        const sft_v3d shift = random_step(&rng, 2.0);
        b.t[0] = sft_v3d_add(shift, sft_quatd_rotate(q, b.t[0]));
        b.r[0] = sft_quatd_mul(q, b.r[0]);
        b.def.vertical = sft_quatd_rotate(q, b.def.vertical);
        look(&a, target);
        look(&b, sft_v3d_add(shift, sft_quatd_rotate(q, target)));
        for (int32_t j = 1; j < JOINTS; ++j)
            assert_same_rotation(a.r[j], b.r[j], 1e-9);
    }
}

static void test_ik_aim__bad_input_is_refused(void** state)
{
    (void)state;
    bust b;
    make_bust(&b);
    const bust before = b;
    sft_ik_aim_report report, kept;
    memset(&report, 0x5a, sizeof report);
    kept = report;
    const sft_v3d target = v3(1, 1, 1), nan = v3(NAN, 0, 0), far = v3(0, 0, -3e6);
    assert_int_equal(sft_ik_aim_at(NULL, &b.skeleton, target, &b.pose, &report), SFT_ERR_ARG);
    assert_int_equal(sft_ik_aim_at(&b.def, NULL, target, &b.pose, &report), SFT_ERR_ARG);
    assert_int_equal(sft_ik_aim_at(&b.def, &b.skeleton, target, NULL, &report), SFT_ERR_ARG);
    assert_int_equal(sft_ik_aim_at(&b.def, &b.skeleton, nan, &b.pose, &report), SFT_ERR_RANGE);
    assert_int_equal(sft_ik_aim_at(&b.def, &b.skeleton, far, &b.pose, &report), SFT_ERR_RANGE);
    sft_ik_aim_def def = {0};
    assert_int_equal(sft_ik_aim_at(&def, &b.skeleton, target, &b.pose, &report), SFT_ERR_DEF);
    def = sft_default_ik_aim_def();
    assert_int_equal(sft_ik_aim_at(&def, &b.skeleton, target, &b.pose, &report), SFT_ERR_ARG);
    for (int i = 0; i < 6; ++i)
    {
        def = b.def;
        if (i == 0) def.weight = 1.5;
        if (i == 1) def.range = 0.0;
        if (i == 2) def.forward = v3(0, 0, 2);
        if (i == 3) def.up = def.forward;
        if (i == 4) def.level = NAN;
        if (i == 5) b.links[1].share = -0.1;
        assert_int_equal(sft_ik_aim_at(&def, &b.skeleton, target, &b.pose, &report), SFT_ERR_DEF);
    }
    b.links[1].share = 0.4;
    b.links[1].joint = 1;
    assert_int_equal(sft_ik_aim_at(&b.def, &b.skeleton, target, &b.pose, &report), SFT_ERR_ARG);
    b.links[1].joint = 77;
    assert_int_equal(sft_ik_aim_at(&b.def, &b.skeleton, target, &b.pose, &report), SFT_ERR_ARG);
    b.links[1].joint = 3;
    assert_memory_equal(b.r, before.r, sizeof b.r);
    b.r[3].x = NAN;
    assert_int_equal(sft_ik_aim_at(&b.def, &b.skeleton, target, &b.pose, &report), SFT_ERR_RANGE);
    assert_memory_equal(&report, &kept, sizeof report);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ik_aim__looks_at_targets_and_stays_level),
        cmocka_unit_test(test_ik_aim__shares),
        cmocka_unit_test(test_ik_aim__limits_pass_on_what_is_left),
        cmocka_unit_test(test_ik_aim__weight_zero_is_the_input_bit_for_bit_and_weight_moves_smoothly),
        cmocka_unit_test(test_ik_aim__behind_the_back),
        cmocka_unit_test(test_ik_aim__degenerate_targets),
        cmocka_unit_test(test_ik_aim__turned_frames),
        cmocka_unit_test(test_ik_aim__bad_input_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
