// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

#include "support/grounds.h"
#include "support/leg_poses.h"

// Along +Z: heel 8 cm up at z = -0.15, toe joint 2 cm up at 0, toe end 1 cm up at 0.06; turned by `heading` about +Y.
static sft_leg_pose standing(double heading)
{
    sft_leg_pose p = hanging(v3(0, 0.9, -0.15), 0.42, 0.4, 0.0);
    p.heel.t = v3(0, 0.08, -0.15);
    p.toe.t = v3(0, 0.02, 0);
    p.toe_end.t = v3(0, 0.01, 0.06);
    move_pose(&p, sft_quatd_exp(v3(0, heading, 0)), v3(0, 0, 0), 1.0);
    return p;
}

static sft_leg standing_leg(void)
{
    sft_leg leg = plain_leg();
    leg.toe_min = 0.02;
    leg.toe_end_min = 0.01;
    return leg;
}

static sft_adapt_foothold find(const support_ground* g, const sft_leg_pose* pose)
{
    const sft_adapt_def def = sft_default_adapt_def();
    const sft_leg leg = standing_leg();
    const sft_ground ground = support_ground_of(g);
    sft_adapt_foothold out;
    assert_int_equal(sft_adapt_find_foothold(&def, &leg, pose, &ground, &out), SFT_OK);
    return out;
}

static void test_adapt_foothold__level_ground_at_the_floor_is_exactly_neutral(void** state)
{
    (void)state;
    const support_ground g = support_slope(0.0, 0.0);
    const sft_leg_pose p = standing(0.7);
    const sft_adapt_foothold f = find(&g, &p);
    const sft_quatd one = sft_quatd_identity();
    assert_true(f.on_ground && !f.on_edge);
    assert_memory_equal(&f.tilt, &one, sizeof one);
    assert_memory_equal(&f.toe_tilt, &one, sizeof one);
    assert_true(f.point.x == p.toe.t.x && f.point.y == 0.0 && f.point.z == p.toe.t.z);
    assert_int_equal(f.body, 7);
    assert_true(f.tilt_lost == 0.0);
}

// On a plane, what stood on the floor stands on the plane: sole points come to lie on it, whatever way the foot points.
static void test_adapt_foothold__a_slope_turns_the_sole_into_it(void** state)
{
    (void)state;
    for (int degrees = 5; degrees <= 20; degrees += 5)
        for (int way = 0; way < 12; ++way)
        {
            const support_ground g = support_slope(degrees, 0.3);
            const sft_leg_pose p = standing(way * SFT_PI / 6.0);
            const sft_adapt_foothold f = find(&g, &p);
            assert_true(f.on_ground && !f.on_edge);
            const sft_v3d n = sft_v3d_normalize_or(v3(-g.rise_x, 1, -g.rise_z), v3(0, 1, 0));
            assert_point(f.normal, n, 1e-12);
            assert_point(sft_quatd_rotate(f.tilt, v3(0, 1, 0)), n, 1e-12);
            assert_point(sft_quatd_rotate(f.toe_tilt, v3(0, 1, 0)), n, 1e-12);
            // The foot's heading is kept: no yaw.
            const sft_v3d forward = sft_quatd_rotate(sft_quatd_exp(v3(0, way * SFT_PI / 6.0, 0)), v3(0, 0, 1));
            const sft_v3d turned = sft_quatd_rotate(f.tilt, forward);
            assert_near(turned.x * forward.z - turned.z * forward.x, 0.0, 1e-12);
        }
}

static void test_adapt_foothold__a_pitched_foot_finds_the_same_slope(void** state)
{
    (void)state;
    const support_ground g = support_slope(12.0, 0.0);
    for (int pitch = 0; pitch <= 85; pitch += 5)
    {
        sft_leg_pose p = standing(0.0);
        const sft_v3d pivot = p.toe.t;
        const sft_quatd r = turn(v3(1, 0, 0), pitch);
        p.heel.t = sft_v3d_add(pivot, sft_quatd_rotate(r, sft_v3d_sub(p.heel.t, pivot)));
        const sft_adapt_foothold f = find(&g, &p);
        assert_point(sft_quatd_rotate(f.tilt, v3(0, 1, 0)), f.normal, 1e-12);
        assert_near(atan(-f.normal.z / f.normal.y) * 180.0 / SFT_PI, 12.0, 1e-9);
    }
}

static void test_adapt_foothold__limits_hold_and_what_they_cost_is_told(void** state)
{
    (void)state;
    const double degree = SFT_PI / 180.0;
    support_ground g = support_slope(55.0, 0.0); // along the foot
    const sft_leg_pose p = standing(0.0);
    sft_adapt_foothold f = find(&g, &p);
    assert_near(f.tilt_lost, 15.0 * degree, 1e-9);
    // The sole rests on what it touches first and sinks in nowhere.
    const sft_v3d up = sft_quatd_rotate(f.tilt, v3(0, 1, 0));
    const double slope = -up.z / up.y, ground_slope = tan(55.0 * degree);
    const double tip = f.point.y + slope * 0.06, heel = f.point.y - slope * 0.15;
    assert_near(tip, ground_slope * 0.06, 1e-9);
    assert_true(heel >= ground_slope * -0.15);
    g = support_slope(35.0, 0.5 * SFT_PI); // across it
    f = find(&g, &p);
    assert_near(f.tilt_lost, 10.0 * degree, 1e-9);
}

static support_ground step_at(double z, double rise)
{
    return (support_ground){
        .kind = SUPPORT_GROUND_STAIRS, .rise = rise, .run = 10.0, .origin = v3(0, 0, z), .heading = v3(0, 0, 1)};
}

static void test_adapt_foothold__over_an_edge_the_sole_stays_level_on_the_higher_side(void** state)
{
    (void)state;
    const sft_leg_pose p = standing(0.0);
    support_ground g = step_at(-0.05, 0.15); // heel hangs over what lies below
    sft_adapt_foothold f = find(&g, &p);
    assert_true(f.on_edge);
    assert_near(f.point.y, 0.15, 1e-12);
    assert_same_rotation(f.tilt, sft_quatd_identity(), 1e-12);
    g = step_at(0.03, 0.15); // the toe end stands on the next step
    f = find(&g, &p);
    assert_true(f.on_edge);
    assert_near(f.point.y, 0.15, 1e-12);
    g = step_at(0.03, -0.15); // the toe end hangs over what lies below
    f = find(&g, &p);
    assert_true(f.on_edge);
    assert_near(f.point.y, 0.0, 1e-12);
    g = step_at(-0.05, 0.03); // a rise lower than an edge is a slope
    f = find(&g, &p);
    assert_false(f.on_edge);
    assert_near(f.point.y, 0.03, 1e-12);
    assert_near(f.normal.z / f.normal.y, -0.03 / 0.15, 1e-9);
}

static void test_adapt_foothold__toe_and_heel_touch_where_the_ground_bends(void** state)
{
    (void)state;
    // A ridge: up to the toe, level from there on. Foot and toe tilt apart, and all three points touch.
    const support_ground g = {.kind = SUPPORT_GROUND_ROUGH, .rise = 0.02, .run = 0.7, .heading = v3(0, 0, 1)};
    sft_leg_pose p = standing(0.4);
    move_pose(&p, sft_quatd_identity(), v3(0.1, 0, 0.2), 1.0);
    const sft_adapt_foothold f = find(&g, &p);
    assert_true(f.on_ground && !f.on_edge);
    double heel_y = NAN, toe_y = NAN, tip_y = NAN;
    support_ground_height(&g, p.heel.t.x, p.heel.t.z, &heel_y, NULL);
    support_ground_height(&g, p.toe.t.x, p.toe.t.z, &toe_y, NULL);
    support_ground_height(&g, p.toe_end.t.x, p.toe_end.t.z, &tip_y, NULL);
    // Over the bump between heel and toe the sole stands by half as much as the bump rises over their line.
    double middle_y = NAN;
    support_ground_height(&g, 0.5 * (p.heel.t.x + p.toe.t.x), 0.5 * (p.heel.t.z + p.toe.t.z), &middle_y, NULL);
    const double bump = middle_y - 0.5 * (heel_y + toe_y);
    assert_true(bump > 0.001 && bump < 0.01);
    toe_y += 0.5 * bump;
    heel_y += 0.5 * bump;
    tip_y += 0.5 * bump;
    assert_near(f.point.y, toe_y, 1e-12);
    const sft_v3d up = sft_quatd_rotate(f.tilt, v3(0, 1, 0)), tip_up = sft_quatd_rotate(f.toe_tilt, v3(0, 1, 0));
    const double hx = p.heel.t.x - p.toe.t.x, hz = p.heel.t.z - p.toe.t.z;
    const double ex = p.toe_end.t.x - p.toe.t.x, ez = p.toe_end.t.z - p.toe.t.z;
    assert_near(toe_y - (up.x * hx + up.z * hz) / up.y, heel_y, 1e-9);
    assert_near(toe_y - (tip_up.x * ex + tip_up.z * ez) / tip_up.y, tip_y, 1e-9);
}

static void test_adapt_foothold__no_ground_is_neutral(void** state)
{
    (void)state;
    support_ground g = {.kind = SUPPORT_GROUND_GAP, .run = -1, .width = 2, .heading = v3(0, 0, 1)};
    const sft_leg_pose p = standing(0.0);
    sft_adapt_foothold f = find(&g, &p);
    assert_false(f.on_ground);
    assert_same_rotation(f.tilt, sft_quatd_identity(), 0.0);
    assert_true(f.point.y == 0.0);
    g.run = -0.3;
    g.width = 0.25; // under the heel alone
    f = find(&g, &p);
    assert_true(f.on_ground && f.on_edge);
    // Far above or below what is asked.
    g = (support_ground){.kind = SUPPORT_GROUND_GAP, .rise = 3.0, .run = 100, .heading = v3(0, 0, 1)};
    assert_false(find(&g, &p).on_ground);
    g.rise = -3.0;
    assert_false(find(&g, &p).on_ground);
}

static void test_adapt_foothold__a_foot_that_is_a_point_takes_the_normal(void** state)
{
    (void)state;
    const sft_adapt_def def = sft_default_adapt_def();
    sft_leg leg = standing_leg();
    leg.toe = leg.heel;
    leg.toe_end = -1;
    sft_leg_pose p = standing(0.0);
    p.toe = p.toe_end = p.heel;
    const support_ground g = support_slope(15.0, 1.0);
    const sft_ground ground = support_ground_of(&g);
    sft_adapt_foothold f;
    assert_int_equal(sft_adapt_find_foothold(&def, &leg, &p, &ground, &f), SFT_OK);
    assert_point(sft_quatd_rotate(f.tilt, v3(0, 1, 0)), f.normal, 1e-12);
    double y = NAN;
    support_ground_height(&g, p.toe.t.x, p.toe.t.z, &y, NULL);
    assert_near(f.point.y, y, 1e-12);
}

static void test_adapt_foothold__bad_input_is_refused_and_leaves_the_output(void** state)
{
    (void)state;
    const sft_leg leg = standing_leg();
    const support_ground g = support_slope(0.0, 0.0);
    const sft_ground ground = support_ground_of(&g), none = {NULL, NULL};
    sft_leg_pose p = standing(0.0);
    sft_adapt_foothold out, before;
    memset(&out, 42, sizeof out);
    before = out;
    sft_adapt_def def = sft_default_adapt_def();
    assert_int_equal(sft_adapt_find_foothold(&def, &leg, &p, &none, &out), SFT_ERR_ARG);
    assert_int_equal(sft_adapt_find_foothold(&def, &leg, NULL, &ground, &out), SFT_ERR_ARG);
    def.pitch_max = NAN;
    assert_int_equal(sft_adapt_find_foothold(&def, &leg, &p, &ground, &out), SFT_ERR_DEF);
    def = (sft_adapt_def){0};
    assert_int_equal(sft_adapt_find_foothold(&def, &leg, &p, &ground, &out), SFT_ERR_DEF);
    def = sft_default_adapt_def();
    p.toe.t.y = NAN;
    assert_int_equal(sft_adapt_find_foothold(&def, &leg, &p, &ground, &out), SFT_ERR_RANGE);
    assert_memory_equal(&out, &before, sizeof out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_adapt_foothold__level_ground_at_the_floor_is_exactly_neutral),
        cmocka_unit_test(test_adapt_foothold__a_slope_turns_the_sole_into_it),
        cmocka_unit_test(test_adapt_foothold__a_pitched_foot_finds_the_same_slope),
        cmocka_unit_test(test_adapt_foothold__limits_hold_and_what_they_cost_is_told),
        cmocka_unit_test(test_adapt_foothold__over_an_edge_the_sole_stays_level_on_the_higher_side),
        cmocka_unit_test(test_adapt_foothold__toe_and_heel_touch_where_the_ground_bends),
        cmocka_unit_test(test_adapt_foothold__no_ground_is_neutral),
        cmocka_unit_test(test_adapt_foothold__a_foot_that_is_a_point_takes_the_normal),
        cmocka_unit_test(test_adapt_foothold__bad_input_is_refused_and_leaves_the_output),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
