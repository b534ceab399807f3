// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// Crowds in float against the leg solver in double, leg by leg.

#include "support/crowd_legs.h"

#include <stdlib.h>

#include "support/support.h"

#define COUNT 20000

/// Largest distances [m] to the solver in double.
typedef struct worst
{
    double knee, heel, toe, toe_end;
    double turn; ///< [rad]
    double bare; ///< [m^2] the knee's, by how far the knee stands off the line from hip to heel: a leg that is nearly
                 ///< straight moves its knee by the root of what its bones are rounded by, and no solver can help it
} worst;

static double far_apart(sft_v3_array a, int32_t i, sft_v3d b)
{
    return sft_v3d_distance(crowd_v3(a, i), b);
}

static void take(double* most, double value)
{
    if (!(value <= *most)) *most = value;
}

static double bareness(double apart, const sft_leg_pose* p)
{
    const sft_v3d way = sft_v3d_normalize_or(sft_v3d_sub(p->heel.t, p->hip.t), sft_v3d_make(0, 1, 0));
    const sft_v3d knee = sft_v3d_sub(p->knee.t, p->hip.t);
    return apart * (apart + sft_v3d_length(sft_v3d_cross(knee, way)));
}

// Quaternions of both signs are the same rotation.
static double turn_apart(sft_quat_array a, int32_t i, sft_quatd b)
{
    const sft_quatd q = crowd_quat(a, i);
    const double sign = sft_quatd_dot(q, b) < 0.0 ? -1.0 : 1.0;
    const sft_quatd d = {q.x - sign * b.x, q.y - sign * b.y, q.z - sign * b.z, q.w - sign * b.w};
    return 2.0 * sqrt(sft_quatd_dot(d, d));
}

static worst compare_legs(crowd* c, const sft_crowd_def* def)
{
    worst w = {0};
    assert_int_equal(sft_crowd_leg_solve(def, &c->legs, c->count), SFT_OK);
    for (int32_t i = 0; i < c->count; ++i)
    {
        sft_leg leg;
        sft_v3d target;
        sft_leg_pose p = crowd_pose_of(c, i, &leg, &target);
        sft_leg_report report;
        assert_int_equal(sft_leg_solve(&def->leg, &leg, target, &p, &report), SFT_OK);
        const sft_crowd_pose* out = &c->legs.out;
        take(&w.knee, far_apart(out->knee, i, p.knee.t));
        take(&w.bare, bareness(far_apart(out->knee, i, p.knee.t), &p));
        take(&w.heel, far_apart(out->heel, i, p.heel.t));
        take(&w.toe, far_apart(out->toe, i, p.toe.t));
        take(&w.toe_end, far_apart(out->toe_end, i, p.toe_end.t));
        take(&w.turn, turn_apart(out->hip_r, i, p.hip.r));
        take(&w.turn, turn_apart(out->knee_r, i, p.knee.r));
        take(&w.turn, turn_apart(out->heel_r, i, p.heel.r));
        take(&w.turn, turn_apart(out->toe_r, i, p.toe.r));
        assert_true(fabs((double)c->legs.toe_miss[i] - report.toe_miss) < 1e-5);
        assert_true(fabs((double)c->legs.heel_miss[i] - report.heel_miss) < 1e-5);
    }
    return w;
}

static void say(const char* what, const worst* w)
{
    printf("%-44s knee %.1e heel %.1e toe %.1e toe end %.1e m, turn %.1e rad; knee bare %.1e\n", what, w->knee, w->heel,
           w->toe, w->toe_end, w->turn, w->bare);
}

static void test_crowd_quality__walking_legs(void** state)
{
    (void)state;
    crowd c = crowd_create(COUNT, 0);
    for (int variant = 0; variant < 12; ++variant)
    {
        sft_crowd_def def = sft_default_crowd_def();
        def.leg.extension = (sft_extension)(variant % 3);
        def.leg.height_clamp = variant / 3 % 2 == 1;
        def.leg.keep_foot = variant % 2 == 0;
        def.leg.heel_lift = variant >= 6 ? 0.6 : 0.0;
        crowd_fill(&c, CROWD_WALKING, 100 + (uint64_t)variant);
        const worst w = compare_legs(&c, &def);
        char what[64];
        snprintf(what, sizeof what, "walking, policy %d%s%s%s", variant % 3, def.leg.height_clamp ? ", clamp" : "",
                 def.leg.keep_foot ? ", keep" : "", def.leg.heel_lift > 0.0 ? ", lift" : "");
        say(what, &w);
        // Where heel, toe and leg line up, the lifted heel is as a straight knee is.
        const bool lift = def.leg.heel_lift > 0.0;
        assert_true(w.heel < (lift ? 2e-4 : 1e-6) && w.toe < 2e-6);
        assert_true(w.knee < 4e-4 && w.bare < (lift ? 1e-5 : 1e-6));
        if (def.leg.extension != SFT_EXTENSION_SOURCE && !lift)
            assert_true(w.knee < 5e-6 && w.toe_end < 5e-6 && w.turn < 5e-5);
    }
    crowd_release(&c);
}

static void test_crowd_quality__wild_legs(void** state)
{
    (void)state;
    crowd c = crowd_create(COUNT, 0);
    sft_crowd_def def = sft_default_crowd_def();
    crowd_fill(&c, CROWD_WILD, 7);
    const worst w = compare_legs(&c, &def);
    say("wild", &w);
    assert_true(w.heel < 5e-6 && w.toe < 5e-6 && w.toe_end < 5e-6 && w.bare < 2e-6);
    crowd_release(&c);
}

static void put(sft_v3_array a, int32_t i, sft_v3d v)
{
    a.x[i] = (float)v.x;
    a.y[i] = (float)v.y;
    a.z[i] = (float)v.z;
}

// Targets all around the hip, `gap` short of full stretch or of full fold.
static worst compare_near(crowd* c, double gap, bool folded, uint64_t* seed)
{
    worst w = {0};
    for (int32_t i = 0; i < c->count; ++i)
    {
        ((float*)c->bones.max_reach)[i] = 2.0f;
        ((float*)c->bones.softening)[i] = 0.0f;
        put(c->bones.side, i, sft_quatd_rotate(crowd_quat(c->legs.pose.knee_r, i), sft_v3d_make(1, 0, 0)));
        const sft_v3d hip = crowd_v3(c->bones.hip, i), knee = crowd_v3(c->bones.knee, i);
        const double a = sft_v3d_distance(hip, knee), b = sft_v3d_distance(knee, crowd_v3(c->bones.heel, i));
        const double reach = folded ? fabs(a - b) + gap : a + b - gap;
        const double x = crowd_draw(seed, -1, 1), y = crowd_draw(seed, -1, 0), z = crowd_draw(seed, -1, 1);
        const sft_v3d way = sft_v3d_make(x, y, z);
        put(c->bones.target, i, sft_v3d_madd(hip, reach / sft_v3d_length(way), way));
    }
    assert_int_equal(sft_two_bone_batch(&c->bones, c->count, SFT_CROWD_BEST), SFT_OK);
    for (int32_t i = 0; i < c->count; ++i)
    {
        sft_leg leg;
        sft_v3d ignored;
        sft_leg_pose p = crowd_pose_of(c, i, &leg, &ignored);
        const sft_v3d target = crowd_v3(c->bones.target, i), side = crowd_v3(c->bones.side, i);
        assert_int_equal(sft_leg_two_bone(&p, target, side, 2.0, 0.0), SFT_OK);
        take(&w.knee, far_apart(c->bones.new_knee, i, p.knee.t));
        take(&w.heel, far_apart(c->bones.new_heel, i, p.heel.t));
        take(&w.bare, bareness(far_apart(c->bones.new_knee, i, p.knee.t), &p));
    }
    return w;
}

// From 10 cm to 0.1 micrometres short of it.
static void test_crowd_quality__near_straight_and_near_folded(void** state)
{
    (void)state;
    crowd c = crowd_create(1000, 0);
    uint64_t seed = 5;
    double gap = 1.0;
    for (int decade = 1; decade <= 7; ++decade)
    {
        gap *= 0.1;
        for (int folded = 0; folded < 2; ++folded)
        {
            crowd_fill(&c, CROWD_WALKING, 100 + (uint64_t)decade);
            const worst w = compare_near(&c, gap, folded != 0, &seed);
            printf("%s by 1e-%d m: knee %.1e heel %.1e m, knee bare %.1e\n", folded != 0 ? "folded" : "straight",
                   decade, w.knee, w.heel, w.bare);
            // Folded, hip and heel are 2 cm apart and the knee turns about both.
            assert_true(w.heel < 2e-7 && w.bare < (folded != 0 ? 2e-4 : 3e-7));
        }
    }
    crowd_release(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_crowd_quality__walking_legs),
        cmocka_unit_test(test_crowd_quality__wild_legs),
        cmocka_unit_test(test_crowd_quality__near_straight_and_near_folded),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
