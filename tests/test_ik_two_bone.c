// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

#include "support/angles.h"
#include "support/leg_poses.h"

static sft_ik_two_bone_def bones(double upper, double lower)
{
    sft_ik_two_bone_def def = sft_default_ik_two_bone_def();
    def.upper = upper;
    def.lower = lower;
    return def;
}

static sft_ik_two_bone place(const sft_ik_two_bone_def* def, sft_v3d root, sft_v3d target, sft_v3d hint,
                             sft_ik_bend* memory)
{
    sft_ik_two_bone out;
    assert_int_equal(sft_ik_two_bone_place(def, root, target, &hint, memory, &out), SFT_OK);
    return out;
}

/// What every answer must be: bones of their length, the end on the ray, a square frame, the middle on the bend's side.
static void check_answer(const sft_ik_two_bone_def* def, sft_v3d root, sft_v3d target, const sft_ik_two_bone* o)
{
    const double size = def->upper + def->lower, noise = 1e-12 * (size + sft_v3d_length(root));
    assert_near(sft_v3d_distance(root, o->middle), def->upper, noise);
    assert_near(sft_v3d_distance(o->middle, o->end), def->lower, noise);
    assert_near(sft_v3d_length(o->axis), 1.0, 1e-12);
    assert_near(sft_v3d_length(o->bend), 1.0, 1e-12);
    assert_near(sft_v3d_dot(o->axis, o->bend), 0.0, 1e-12);
    assert_true(sft_v3d_dot(sft_v3d_sub(o->middle, root), o->bend) >= -noise);
    assert_near(o->residual, sft_v3d_distance(o->end, target), noise);
    const double distance = sft_v3d_distance(root, target);
    const double epsilon = sft_mind(def->epsilon, 0.5 * sft_mind(def->upper, def->lower));
    const double least = fabs(def->upper - def->lower) + epsilon, most = size - epsilon;
    const double off = sft_maxd(sft_maxd(least - distance, distance - most), 0.0);
    assert_near(o->residual, off, noise + (distance <= epsilon ? 2.0 * epsilon : 0.0));
}

/// Article 003's worked case, and the one beyond reach.
static void test_ik_two_bone__worked_cases(void** state)
{
    (void)state;
    const sft_ik_two_bone_def def = bones(1, 1);
    sft_ik_two_bone o = place(&def, v3(0, 0, 0), v3(1, 0, 0), v3(0, 1, 0), NULL);
    assert_point(o.middle, v3(0.5, 0.8660254037844386, 0), 1e-12);
    assert_point(o.end, v3(1, 0, 0), 1e-12);
    assert_near(o.residual, 0.0, 1e-12);
    assert_int_equal(o.source, SFT_IK_BEND_HINT);
    o = place(&def, v3(0, 0, 0), v3(3, 0, 0), v3(0, 1, 0), NULL);
    assert_point(o.end, v3(2, 0, 0), 2e-5);
    assert_near(o.residual, 1.0, 2e-5);
    assert_near(o.extension, 1.0, 1e-5);
    check_answer(&def, v3(0, 0, 0), v3(3, 0, 0), &o);
}

/// sprite-maker issue 11: the foot was hit and the knee was not where it should be.
static void test_ik_two_bone__knee_of_a_sprite(void** state)
{
    (void)state;
    const sft_ik_two_bone_def def = bones(8.5, 8.5);
    const sft_v3d hip = v3(26.5, 25.5, 0), target = v3(28.5, 41.5, 0);
    const sft_v3d knees[2] = {v3(24.828, 33.834, 0), v3(30.172, 33.166, 0)};
    for (int side = 0; side < 2; ++side)
    {
        const sft_ik_two_bone o = place(&def, hip, target, v3(side == 0 ? -1 : 1, 0, 0), NULL);
        assert_point(o.end, target, 1e-12);
        assert_point(o.middle, knees[side], 1e-3);
        const double interior = angle_of(sft_v3d_sub(hip, o.middle), sft_v3d_sub(o.end, o.middle));
        assert_near(interior * 180.0 / SFT_PI, 143.06, 0.01);
    }
}

static void test_ik_two_bone__targets_near_the_root(void** state)
{
    (void)state;
    const sft_ik_two_bone_def def = bones(0.5, 0.3);
    // Nearer than the bones' difference: folded, the end at 0.2 m on the ray.
    sft_ik_two_bone o = place(&def, v3(0, 1, 0), v3(0.05, 1, 0), v3(0, 0, 1), NULL);
    check_answer(&def, v3(0, 1, 0), v3(0.05, 1, 0), &o);
    assert_point(o.end, v3(0.2, 1, 0), 2e-5);
    // At the root: down the reference axis, or as remembered.
    o = place(&def, v3(0, 1, 0), v3(0, 1, 0), v3(0, 0, 1), NULL);
    assert_point(o.axis, v3(0, -1, 0), 0.0);
    check_answer(&def, v3(0, 1, 0), v3(0, 1, 0), &o);
    sft_ik_bend memory = {{0, 0, 0}, {0, 0, 0}};
    place(&def, v3(0, 1, 0), v3(0.4, 1, 0), v3(0, 0, 1), &memory);
    o = place(&def, v3(0, 1, 0), v3(0, 1, 0), v3(0, 0, 1), &memory);
    assert_point(o.axis, v3(1, 0, 0), 0.0);
    assert_point(o.bend, v3(0, 0, 1), 1e-15);
    // Through the root and out on the other side: the bend stays.
    o = place(&def, v3(0, 1, 0), v3(-0.4, 1, 0), v3(0, 0, 1), &memory);
    assert_point(o.bend, v3(0, 0, 1), 1e-15);
}

static void test_ik_two_bone__order_of_fallbacks(void** state)
{
    (void)state;
    sft_ik_two_bone_def def = bones(1, 1);
    const sft_v3d target = v3(0, 0, 1.5), root = v3(0, 0, 0), along = v3(0, 0, 3), none = v3(0, 0, 0);
    assert_int_equal(place(&def, root, target, along, NULL).source, SFT_IK_BEND_WORLD);
    assert_point(place(&def, root, target, along, NULL).bend, v3(1, 0, 0), 0.0);
    assert_point(place(&def, root, v3(1.5, 0.1, 0), none, NULL).bend, v3(-0.0665190105, 0.99778515785, 0), 1e-9);
    def.reference_axis = v3(0, -1, 0);
    def.reference_bend = v3(0, 0, 1);
    sft_ik_two_bone o = place(&def, root, v3(0, -1.5, 0), none, NULL);
    assert_int_equal(o.source, SFT_IK_BEND_REFERENCE);
    assert_point(o.bend, v3(0, 0, 1), 1e-15);
    // Carried from down to forward, the reference's forward becomes up.
    o = place(&def, root, target, along, NULL);
    assert_point(o.bend, v3(0, 1, 0), 1e-15);
    // Above the root, straight against the reference axis: the bend itself.
    assert_point(place(&def, root, v3(0, 1.5, 0), none, NULL).bend, v3(0, 0, 1), 1e-15);
    sft_ik_bend memory = {{0, 0, 1}, {-1, 0, 0}};
    o = place(&def, root, target, along, &memory);
    assert_int_equal(o.source, SFT_IK_BEND_REMEMBERED);
    assert_point(o.bend, v3(-1, 0, 0), 1e-15);
    sft_ik_two_bone no_hint;
    assert_int_equal(sft_ik_two_bone_place(&def, root, target, NULL, NULL, &no_hint), SFT_OK);
    assert_int_equal(no_hint.source, SFT_IK_BEND_REFERENCE);
}

static void test_ik_two_bone__random_inputs_and_turned_frames(void** state)
{
    (void)state;
    support_rng rng = {51};
    for (int i = 0; i < 20000; ++i)
    {
        sft_ik_two_bone_def def = bones(support_uniform(&rng, 0.1, 2), support_uniform(&rng, 0.1, 2));
        if (i % 3 == 0) def.lower = def.upper;
        const sft_v3d root = random_step(&rng, 5.0), hint = random_step(&rng, 1.0);
        const sft_v3d target = sft_v3d_add(root, random_step(&rng, i % 2 == 0 ? 3.0 : 0.3));
        const sft_ik_two_bone o = place(&def, root, target, hint, NULL);
        check_answer(&def, root, target, &o);
        // The same, moved, turned and scaled.
        const sft_quatd r = random_rotation(&rng);
        const sft_v3d t = random_step(&rng, 2.0);
        const double k = support_uniform(&rng, 0.2, 4.0);
        sft_ik_two_bone_def scaled = def;
        scaled.upper *= k;
        scaled.lower *= k;
        scaled.epsilon *= k;
        const sft_v3d root2 = sft_v3d_madd(t, k, sft_quatd_rotate(r, root));
        const sft_v3d target2 = sft_v3d_madd(t, k, sft_quatd_rotate(r, target));
        const sft_ik_two_bone p = place(&scaled, root2, target2, sft_quatd_rotate(r, hint), NULL);
        assert_point(p.middle, sft_v3d_madd(t, k, sft_quatd_rotate(r, o.middle)), 1e-6);
        assert_point(p.end, sft_v3d_madd(t, k, sft_quatd_rotate(r, o.end)), 1e-9);
        assert_point(p.bend, sft_quatd_rotate(r, o.bend), 1e-7);
    }
}

/// How far the plane turned about the limb between two answers: against the shortest rotation between their axes.
static double turn_of_plane(const sft_ik_two_bone* a, const sft_ik_two_bone* b)
{
    return angle_of(sft_quatd_rotate(sft_quatd_between(a->axis, b->axis), a->bend), b->bend);
}

typedef struct circle
{
    sft_v3d centre, x, y;
    double radius;
} circle;

static sft_v3d circle_at(const circle* c, double angle)
{
    return sft_v3d_madd(sft_v3d_madd(c->centre, c->radius * cos(angle), c->x), c->radius * sin(angle), c->y);
}

typedef struct circled
{
    double most_turn;   ///< of the plane about the limb, over the target's turn
    double most_normal; ///< of the plane's normal, over the target's turn
    double most_step;   ///< [m] of the middle
    int hinted;         ///< answers in the hint's plane
    int stretched;      ///< answers at full stretch
} circled;

static circled go_round(const sft_ik_two_bone_def* def, const circle* c, sft_v3d hint, int steps, int rounds)
{
    circled out = {0.0, 0.0, 0.0, 0, 0};
    sft_ik_bend memory = {{0, 0, 0}, {0, 0, 0}};
    sft_ik_two_bone last = place(def, v3(0, 0, 0), circle_at(c, 0.1), hint, &memory);
    for (int i = 1; i <= steps * rounds; ++i)
    {
        const sft_v3d target = circle_at(c, 0.1 + 2.0 * SFT_PI * i / steps);
        const sft_ik_two_bone o = place(def, v3(0, 0, 0), target, hint, &memory);
        check_answer(def, v3(0, 0, 0), target, &o);
        const double moved = angle_of(last.axis, o.axis), turned = turn_of_plane(&last, &o);
        const double normal = angle_of(sft_v3d_cross(last.axis, last.bend), sft_v3d_cross(o.axis, o.bend));
        // Rounding of an angle between unit vectors.
        out.most_turn = sft_maxd(out.most_turn, (turned - 1e-9) / sft_maxd(moved, 1e-9));
        out.most_normal = sft_maxd(out.most_normal, (normal - 1e-9) / sft_maxd(moved, 1e-9));
        out.most_step = sft_maxd(out.most_step, sft_v3d_distance(last.middle, o.middle));
        if (o.source == SFT_IK_BEND_HINT) ++out.hinted;
        if (o.extension > 0.9999) ++out.stretched;
        last = o;
    }
    return out;
}

/// A target that circles through the pole and through full stretch never turns the plane faster than it moves: at
/// several rates, sizes and places, around the root, past it, and on small circles that touch the pole.
static void test_ik_two_bone__circles_through_pole_and_stretch(void** state)
{
    (void)state;
    const sft_ik_two_bone_def def = bones(0.45, 0.4);
    const sft_v3d hint = v3(0, 0, 1), x = v3(1, 0, 0), z = v3(0, 0, 1);
    const sft_v3d slanted = v3(0.6, 0.8, 0);
    const circle circles[] = {
        {{0, 0, 0}, x, z, 0.6},                 // around the root, through both poles
        {{0, 0, 0}, slanted, z, 0.85},          // at full stretch all round
        {{0, 0, 0}, slanted, z, 1.5},           // beyond
        {{0, 0, 0.4}, x, z, 0.5},               // full stretch at the pole, near the root at the other
        {{0.2, 0, 0}, x, z, 0.75},              // in and out of reach
        {{0, 0, 0.7}, x, v3(0, 1, 0), 0.3},     // about the pole
        {{0.3, 0, 0.7}, x, v3(0, 1, 0), 0.3},   // touches it
        {{0.3, 0, 0.7}, x, v3(0, 1, 0), 0.299}, // just past it
        {{0.2, 0.001, 0.1}, x, z, 0.7},         // past the root and both poles by a millimetre
        {{0, 0.002, 0}, x, v3(0, 1, 0), 0.002}, // tiny, through the root itself
    };
    const int rates[] = {24, 60, 240, 2000};
    for (size_t k = 0; k < sizeof circles / sizeof circles[0]; ++k)
    {
        double last_step = 10.0;
        for (int r = 0; r < 4; ++r)
        {
            const circled c = go_round(&def, &circles[k], hint, rates[r], 3);
            assert_true(c.most_turn <= 1.0);
            assert_true(c.most_normal <= 1.4143);
            // So near about the pole the hint's plane turns 2.3 times as fast as the target, and is let go.
            if (k != 5) assert_true(c.hinted > 0);
            // Nothing jumps: the steps of the middle shrink with the target's, about as the root at full stretch.
            if (k != 8 && k != 9 && r > 0) assert_true(c.most_step <= 0.75 * last_step);
            last_step = c.most_step;
            if (k >= 1 && k <= 4) assert_true(c.stretched > 0);
        }
    }
    // Straight through the pole: not even the normal outruns the target by more than an eighth.
    for (int r = 0; r < 4; ++r)
        assert_true(go_round(&def, &circles[0], hint, rates[r], 5).most_normal <= 1.125);
}

/// Without memory the same circle turns the plane over in one step: what the memory is for.
static void test_ik_two_bone__without_memory_the_hint_alone_counts(void** state)
{
    (void)state;
    const sft_ik_two_bone_def def = bones(1, 1);
    const double before = 0.01, after = -0.01;
    const sft_ik_two_bone a = place(&def, v3(0, 0, 0), v3(before, 0, 1.5), v3(0, 0, 1), NULL);
    const sft_ik_two_bone b = place(&def, v3(0, 0, 0), v3(after, 0, 1.5), v3(0, 0, 1), NULL);
    assert_true(turn_of_plane(&a, &b) > 3.0);
}

static void test_ik_two_bone__comes_back_to_the_hints_plane(void** state)
{
    (void)state;
    const sft_ik_two_bone_def def = bones(0.5, 0.5);
    const sft_v3d hint = v3(0, 0, 1);
    for (int way = 0; way < 2; ++way)
    {
        sft_ik_bend memory = {{0, 0, 0}, {0, 0, 0}};
        sft_ik_two_bone o = place(&def, v3(0, 0, 0), v3(0.7, 0, 0.1), hint, &memory);
        // Over the pole to the other side, where the hint wants the plane turned over.
        for (int i = 0; i <= 100; ++i)
            o = place(&def, v3(0, 0, 0), sft_quatd_rotate(turn(v3(0, -1, 0), 0.9 * i), v3(0.5, 0, 0.5)), hint, &memory);
        assert_int_equal(o.source, SFT_IK_BEND_REMEMBERED);
        // Then to and fro, along the plane or across it.
        double travelled = 0.0;
        for (int i = 0; i < 4000 && o.source != SFT_IK_BEND_HINT; ++i)
        {
            const double swing = 20.0 * sin(0.01 * i);
            const sft_v3d about = way == 0 ? v3(0, 1, 0) : v3(0, 0, 1);
            const sft_v3d axis = o.axis;
            o = place(&def, v3(0, 0, 0), sft_quatd_rotate(turn(about, swing), v3(-0.7, 0, 0)), hint, &memory);
            travelled += angle_of(axis, o.axis);
        }
        assert_int_equal(o.source, SFT_IK_BEND_HINT);
        assert_true(travelled < 2.5 * SFT_PI);
        const sft_v3d across = sft_v3d_madd(hint, -sft_v3d_dot(hint, o.axis), o.axis);
        assert_point(o.bend, sft_v3d_normalize_or(across, hint), 1e-12);
    }
}

/// A target that stands still leaves the limb where it is, hint or not.
static void test_ik_two_bone__stands_still_with_its_target(void** state)
{
    (void)state;
    const sft_ik_two_bone_def def = bones(0.5, 0.4);
    sft_ik_bend memory = {{0.6, 0.8, 0}, {-0.8, 0.6, 0}};
    const sft_v3d target = v3(0.3, 0.4, 0);
    const sft_ik_two_bone first = place(&def, v3(0, 0, 0), target, v3(0, 0, 1), &memory);
    for (int i = 0; i < 1000; ++i)
    {
        const sft_ik_two_bone o = place(&def, v3(0, 0, 0), target, v3(0, 0, 1), &memory);
        assert_point(o.middle, first.middle, 1e-13);
    }
}

/// caliko issue 11 with a hint: a target dragged to the far side and one that jumps there end in one solution, as long
/// as no pole lies on the way.
static void test_ik_two_bone__dragging_and_jumping_agree(void** state)
{
    (void)state;
    const sft_ik_two_bone_def def = bones(6, 8);
    sft_ik_bend dragged = {{0, 0, 0}, {0, 0, 0}}, jumped = dragged;
    const sft_v3d hint = v3(0, 0, 1), root = v3(0, 0, 0);
    sft_ik_two_bone a = place(&def, root, v3(9, 0, 0), hint, &dragged);
    place(&def, root, v3(9, 0, 0), hint, &jumped);
    for (int i = 1; i <= 180; ++i)
        a = place(&def, root, sft_quatd_rotate(turn(v3(0, 0, 1), i), v3(9, 0, 0)), hint, &dragged);
    const sft_ik_two_bone b = place(&def, root, sft_quatd_rotate(turn(v3(0, 0, 1), 180), v3(9, 0, 0)), hint, &jumped);
    assert_point(a.middle, b.middle, 1e-12);
    assert_point(a.end, b.end, 1e-12);
}

static void test_ik_two_bone__bad_input_is_refused(void** state)
{
    (void)state;
    sft_ik_two_bone_def def = bones(1, 1);
    const sft_v3d root = v3(0, 0, 0), target = v3(1, 0, 0), nan = v3(0, NAN, 0), far = v3(2e6, 0, 0);
    sft_ik_two_bone out, before;
    memset(&out, 0x5a, sizeof out);
    before = out;
    sft_ik_bend memory = {{1, 0, 0}, {0, 1, 0}}, kept = memory;
    assert_int_equal(sft_ik_two_bone_place(NULL, root, target, NULL, NULL, &out), SFT_ERR_ARG);
    assert_int_equal(sft_ik_two_bone_place(&def, root, target, NULL, NULL, NULL), SFT_ERR_ARG);
    assert_int_equal(sft_ik_two_bone_place(&def, nan, target, NULL, &memory, &out), SFT_ERR_RANGE);
    assert_int_equal(sft_ik_two_bone_place(&def, root, far, NULL, &memory, &out), SFT_ERR_RANGE);
    assert_int_equal(sft_ik_two_bone_place(&def, root, target, &nan, &memory, &out), SFT_ERR_RANGE);
    sft_ik_bend broken = {{NAN, 0, 0}, {0, 1, 0}};
    assert_int_equal(sft_ik_two_bone_place(&def, root, target, NULL, &broken, &out), SFT_ERR_RANGE);
    sft_ik_two_bone_def zero = {0};
    assert_int_equal(sft_ik_two_bone_place(&zero, root, target, NULL, &memory, &out), SFT_ERR_DEF);
    def.upper = -1;
    assert_int_equal(sft_ik_two_bone_place(&def, root, target, NULL, &memory, &out), SFT_ERR_DEF);
    def = bones(1, NAN);
    assert_int_equal(sft_ik_two_bone_place(&def, root, target, NULL, &memory, &out), SFT_ERR_DEF);
    def = bones(1, 1);
    def.direction_tolerance = 1.0;
    assert_int_equal(sft_ik_two_bone_place(&def, root, target, NULL, &memory, &out), SFT_ERR_DEF);
    assert_memory_equal(&out, &before, sizeof out);
    assert_memory_equal(&memory, &kept, sizeof memory);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ik_two_bone__worked_cases),
        cmocka_unit_test(test_ik_two_bone__knee_of_a_sprite),
        cmocka_unit_test(test_ik_two_bone__targets_near_the_root),
        cmocka_unit_test(test_ik_two_bone__order_of_fallbacks),
        cmocka_unit_test(test_ik_two_bone__random_inputs_and_turned_frames),
        cmocka_unit_test(test_ik_two_bone__circles_through_pole_and_stretch),
        cmocka_unit_test(test_ik_two_bone__without_memory_the_hint_alone_counts),
        cmocka_unit_test(test_ik_two_bone__comes_back_to_the_hints_plane),
        cmocka_unit_test(test_ik_two_bone__stands_still_with_its_target),
        cmocka_unit_test(test_ik_two_bone__dragging_and_jumping_agree),
        cmocka_unit_test(test_ik_two_bone__bad_input_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
