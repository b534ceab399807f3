// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// One leg from hip and foot: what forward kinematics makes of it, for any number of segments, rest pose and axes.

#include "support/posing.h"

#define DEGREES(d) ((d) * (3.14159265358979323846 / 180.0))

static sft_v3d any_vector(support_rng* rng, double size)
{
    return sft_v3d_make(support_uniform(rng, -size, size), support_uniform(rng, -size, size),
                        support_uniform(rng, -size, size));
}

static sft_v3d any_direction(support_rng* rng)
{
    sft_v3d v;
    do
        v = any_vector(rng, 1);
    while (sft_v3d_length(v) < 0.1 || sft_v3d_length(v) > 1);
    return sft_v3d_scale(1 / sft_v3d_length(v), v);
}

/// A body, a carrier, one leg through `points` with a joint that rides along in each segment, and a toe.
static poser one_leg(const sft_v3d* points, int32_t count, sft_v3d bend, uint64_t axes)
{
    static const char* const names[16] = {"a", "b", "c", "d", "e", "f", "g", "h",
                                          "i", "j", "k", "l", "m", "n", "o", "p"};
    roamer made = {.def = sft_default_creature_def()};
    int32_t parents[16] = {-1, 0}, n = 2;
    sft_v3d at[16] = {{0.1, 0.2, 0.3}, {0.05, 0.1, 0}};
    sft_creature_leg* leg = &made.def.legs[made.def.leg_count++];
    *leg = (sft_creature_leg){.joint_count = count, .bend = bend, .step_distance = 0.1, .step_angle = 1};
    double length = 0;
    for (int32_t k = 0; k < count; ++k)
    {
        if (k > 0)
        {
            parents[n] = n - 1;
            at[n] = sft_v3d_add(sft_v3d_lerp(points[k - 1], points[k], 0.4), sft_v3d_make(0.01, 0, 0.02));
            ++n;
            length += sft_v3d_distance(points[k - 1], points[k]);
        }
        parents[n] = n - 1;
        at[n] = points[k];
        leg->joints[k] = n++;
    }
    leg->home = points[count - 1];
    leg->reach_max = 0.995 * length;
    leg->reach_min = 0.15 * length;
    sft_v3d offsets[16];
    for (int32_t j = 0; j < n; ++j)
        offsets[j] = j == 0 ? at[0] : sft_v3d_sub(at[j], at[parents[j]]);
    sft_skeleton s = {.joint_count = n, .names = names, .parents = parents, .rest_translations = offsets};
    assert_int_equal(sft_skeleton_create(&s, NULL, &made.skeleton), SFT_OK);
    turn_axes(&made, axes);
    poser p;
    make_poser(&made, &p);
    return p;
}

/// The leg's joints in creature space by forward kinematics, with a carrier that may be anywhere.
static void forward(const poser* p, const sft_xformd* carrier, const sft_quatd* local_r, sft_xformd* out)
{
    const sft_skeleton* s = p->creature->skeleton;
    out[1] = *carrier;
    for (int32_t j = 2; j < s->joint_count; ++j)
        out[j] = sft_xformd_mul(out[s->parents[j]], (sft_xformd){s->rest_translations[j], local_r[j]});
}

/// Solves and answers where the joints are; checks the foot where it is within reach.
static double solve(poser* p, const sft_xformd* carrier, const sft_xformd* foot, sft_ik_bend* memory, sft_xformd* out)
{
    sft_quatd* local_r = sft_creature_local_r(p->creature, p->state);
    double off = sft_creature_solve_leg(p->creature, 0, carrier, foot, memory, local_r);
    forward(p, carrier, local_r, out);
    const sft_creature_leg* leg = &p->creature->def.legs[0];
    for (int32_t k = 0; k < leg->joint_count; ++k)
        assert_near(sft_quatd_dot(local_r[leg->joints[k]], local_r[leg->joints[k]]), 1.0, 1e-12);
    sft_xformd is = out[leg->joints[leg->joint_count - 1]];
    assert_near(sft_v3d_distance(is.t, foot->t), off, 1e-9);
    assert_near(angle_between(is.r, foot->r), 0, 1e-7); // an arc of 1e-16 is the square root of that
    return off;
}

static sft_xformd rest_of(const poser* p, int32_t joint)
{
    return p->creature->rest[joint];
}

/// A chain that leans this way and that, but not so much that it comes back to its hip.
static int32_t any_leg(support_rng* rng, sft_v3d* points)
{
    int32_t count = 3 + (int32_t)support_uniform(rng, 0, 2.999);
    sft_v3d way = any_direction(rng);
    points[0] = any_vector(rng, 0.1);
    for (int32_t k = 1; k < count; ++k)
    {
        sft_v3d lean = sft_v3d_add(way, sft_v3d_scale(support_uniform(rng, 0, 1.2), any_direction(rng)));
        points[k] = sft_v3d_madd(points[k - 1], support_uniform(rng, 0.05, 0.3), sft_v3d_normalize_or(lean, way));
    }
    return count;
}

static void test_creature_leg__foot_is_met_anywhere_within_reach(void** state)
{
    (void)state;
    support_rng rng = {71};
    double worst = 0;
    for (int round = 0; round < 400; ++round)
    {
        sft_v3d points[SFT_CREATURE_LEG_JOINTS];
        int32_t count = any_leg(&rng, points);
        sft_v3d bend = round % 3 == 0 ? any_vector(&rng, 1) : sft_v3d_make(0, 0, 0);
        poser p = one_leg(points, count, bend, (uint64_t)round);
        const sft_creature_leg* leg = &p.creature->def.legs[0];
        for (int place = 0; place < 40; ++place)
        {
            sft_xformd carrier = {any_vector(&rng, 1), any_rotation(&rng)}, out[16];
            sft_v3d hip = sft_xformd_apply(carrier, p.creature->skeleton->rest_translations[leg->joints[0]]);
            double reach = place == 0   ? leg->reach_min
                           : place == 1 ? leg->reach_max
                                        : support_uniform(&rng, leg->reach_min, leg->reach_max);
            sft_xformd foot = {sft_v3d_madd(hip, reach, any_direction(&rng)), any_rotation(&rng)};
            sft_ik_bend memory = {{0, 0, 0}, {0, 0, 0}};
            double off = solve(&p, &carrier, &foot, &memory, out);
            if (off > worst) worst = off;
        }
        release_poser(&p);
    }
    print_message("[   INFO   ] 16,000 feet: farthest off %.2g m\n", worst);
    assert_true(worst < 1e-9);
}

static void test_creature_leg__rest_pose_comes_out_as_it_went_in(void** state)
{
    (void)state;
    support_rng rng = {5};
    for (int round = 0; round < 300; ++round)
    {
        sft_v3d points[SFT_CREATURE_LEG_JOINTS];
        int32_t count = any_leg(&rng, points);
        poser p = one_leg(points, count, sft_v3d_make(0, 0, 0), (uint64_t)round);
        const sft_creature_leg* leg = &p.creature->def.legs[0];
        sft_xformd carrier = rest_of(&p, 1), foot = rest_of(&p, leg->joints[count - 1]), out[16];
        solve(&p, &carrier, &foot, NULL, out);
        for (int32_t k = 0; k < count; ++k)
        {
            assert_near(sft_v3d_distance(out[leg->joints[k]].t, rest_of(&p, leg->joints[k]).t), 0, 1e-12);
            assert_near(angle_between(out[leg->joints[k]].r, rest_of(&p, leg->joints[k]).r), 0, 1e-7);
        }
        release_poser(&p);
    }
}

/// Thigh 3 and shin 4 at a distance of 5: a right angle at the knee, which is 1.8 along and 2.4 off the line.
static void test_creature_leg__a_triangle_of_three_four_and_five(void** state)
{
    (void)state;
    const sft_v3d points[3] = {{0, 7, 0}, {0, 7 - 2.9, 0.7681145747868608}, {0, 0.13, 0}};
    for (uint64_t axes = 0; axes < 3; ++axes)
    {
        poser p = one_leg(points, 3, sft_v3d_make(0, 0, 0), axes);
        assert_near(p.creature->limbs[0].lengths[0], 3, 1e-12);
        const double shin = p.creature->limbs[0].lengths[1];
        const sft_creature_leg* leg = &p.creature->def.legs[0];
        sft_xformd carrier = rest_of(&p, 1), out[16];
        double reach = sqrt(9 + shin * shin);
        sft_xformd foot = {{0, 7 - reach, 0}, sft_quatd_identity()};
        solve(&p, &carrier, &foot, NULL, out);
        sft_v3d knee = out[leg->joints[1]].t;
        assert_near(knee.y, 7 - 9 / reach, 1e-12);
        assert_near(knee.z, 3 * shin / reach, 1e-12);
        assert_near(knee.x, 0, 1e-12);
        // To the side: the plane turns about ahead, so the knee goes on pointing ahead.
        foot.t = sft_v3d_make(reach * sin(DEGREES(60)), 7 - reach * cos(DEGREES(60)), 0);
        solve(&p, &carrier, &foot, NULL, out);
        assert_near(out[leg->joints[1]].t.z, 3 * shin / reach, 1e-12);
        // The carrier turned about up by a quarter: all with it.
        carrier.r = sft_quatd_mul(sft_quatd_exp(sft_v3d_make(0, DEGREES(90), 0)), carrier.r);
        carrier.t = sft_quatd_rotate(sft_quatd_exp(sft_v3d_make(0, DEGREES(90), 0)), carrier.t);
        foot.t = sft_v3d_make(0, 7 - reach, 0);
        solve(&p, &carrier, &foot, NULL, out);
        assert_near(out[leg->joints[1]].t.x, 3 * shin / reach, 1e-12);
        release_poser(&p);
    }
}

/// Bend of a planar chain at joint k: which side, as sine of the angle between its segments about `axis`.
static double bend_at(const sft_creature_leg* leg, const sft_xformd* out, int32_t k, sft_v3d axis)
{
    sft_v3d a = sft_v3d_sub(out[leg->joints[k]].t, out[leg->joints[k - 1]].t);
    sft_v3d b = sft_v3d_sub(out[leg->joints[k + 1]].t, out[leg->joints[k]].t);
    return sft_v3d_dot(sft_v3d_cross(a, b), axis) / (sft_v3d_length(a) * sft_v3d_length(b));
}

/// All of a leg's reach in so many steps.
static void sweep(poser* p, sft_xformd* foot, sft_v3d way, int steps, sft_v3d normal, const sft_xformd* rest,
                  double* kink, double* fastest)
{
    const sft_creature_leg* leg = &p->creature->def.legs[0];
    const sft_creature_limb* limb = &p->creature->limbs[0];
    sft_quatd* local_r = sft_creature_local_r(p->creature, p->state);
    sft_xformd carrier = rest_of(p, 1), out[16];
    sft_quatd before[SFT_CREATURE_LEG_JOINTS];
    sft_v3d rate[SFT_CREATURE_LEG_JOINTS];
    double range = leg->reach_max - leg->reach_min, step = 0.95 * range / steps;
    for (int n = 0; n <= steps; ++n)
    {
        double reach = leg->reach_min + 0.02 * range + step * n;
        foot->t = sft_v3d_madd(limb->hip, reach, way);
        solve(p, &carrier, foot, NULL, out);
        for (int32_t k = 1; k + 1 < leg->joint_count && reach > 0.4 * limb->length; ++k)
            assert_true(bend_at(leg, rest, k, normal) * bend_at(leg, out, k, normal) > 0); // folded flat, a zigzag
                                                                                           // crosses itself
        for (int32_t k = 0; k + 1 < leg->joint_count; ++k)
        {
            sft_quatd is = local_r[leg->joints[k]];
            sft_v3d turned = {0, 0, 0};
            if (n > 0)
                turned = sft_v3d_scale(1 / step, sft_quatd_log(sft_quatd_mul(sft_quatd_conjugate(before[k]), is)));
            *fastest = sft_maxd(*fastest, sft_v3d_length(turned) * limb->length);
            if (n > 1) *kink = sft_maxd(*kink, sft_v3d_distance(turned, rate[k]) * limb->length);
            before[k] = is;
            rate[k] = turned;
        }
    }
}

/// A hind leg (stifle ahead, hock behind), an insect's (coxa, femur, tibia) and one of four segments, over all of their
/// reach: every joint keeps bending the way it does at rest, none jumps, and none kinks where rest is passed.
static void test_creature_leg__bends_as_at_rest_smoothly(void** state)
{
    (void)state;
    const sft_v3d legs[4][SFT_CREATURE_LEG_JOINTS] = {
        {{0, 0.6, 0}, {0, 0.4, 0.12}, {0, 0.22, -0.06}, {0, 0.05, 0.02}},
        {{0.05, 0.12, 0}, {0.09, 0.13, 0}, {0.19, 0.19, 0}, {0.27, 0.01, 0}},
        {{0, 0.6, 0}, {0, 0.45, 0.1}, {0, 0.3, -0.05}, {0, 0.12, 0.04}, {0, 0.02, 0.02}},
        {{0.05, 0.1, -0.1}, {0.11, 0.14, -0.1}, {0.14, 0.015, -0.1}},
    };
    const int32_t counts[4] = {4, 4, 5, 3};
    for (int i = 0; i < 4; ++i)
    {
        poser p = one_leg(legs[i], counts[i], sft_v3d_make(0, 0, 0), (uint64_t)i);
        const sft_creature_leg* leg = &p.creature->def.legs[0];
        const sft_creature_limb* limb = &p.creature->limbs[0];
        sft_v3d normal = i == 1 || i == 3 ? sft_v3d_make(0, 0, 1) : sft_v3d_make(1, 0, 0);
        sft_v3d way = sft_v3d_scale(1 / limb->rest_reach, sft_v3d_sub(legs[i][counts[i] - 1], legs[i][0]));
        sft_xformd carrier = rest_of(&p, 1), foot = rest_of(&p, leg->joints[counts[i] - 1]), rest[16];
        solve(&p, &carrier, &foot, NULL, rest);
        // Twice as many steps, half the change of rate from one to the next: no kink anywhere.
        double kinks[2] = {0, 0}, fastest = 0;
        for (int fine = 0; fine < 2; ++fine)
            sweep(&p, &foot, way, 2000 << fine, normal, rest, &kinks[fine], &fastest);
        print_message("[   INFO   ] leg %d: at most %.1f rad a leg's length, changing by %.4f, %.4f of it a step\n", i,
                      fastest, kinks[0], kinks[1]);
        assert_true(fastest < 40);
        assert_true(kinks[1] < 0.6 * kinks[0]);
        release_poser(&p);
    }
}

/// A foot that goes through the way the knee leans, a place where a hint says nothing, and through straight opposite of
/// rest, where the least turn has no direction: no joint turns much more than the foot goes round.
static void test_creature_leg__no_flip_at_pole_and_antipode(void** state)
{
    (void)state;
    support_rng rng = {9};
    const sft_v3d points[3] = {{0, 0.9, 0}, {0, 0.5, 0.05}, {0, 0.08, 0}};
    poser p = one_leg(points, 3, sft_v3d_make(0, 0, 0), 3);
    sft_xformd carrier = rest_of(&p, 1), foot = rest_of(&p, p.creature->def.legs[0].joints[2]), out[16];
    sft_quatd* local_r = sft_creature_local_r(p.creature, p.state);
    const int32_t* joints = p.creature->def.legs[0].joints;
    for (int round = 0; round < 60; ++round)
    {
        // Round and round a great circle through the pole or the antipode, or near to it.
        sft_v3d u = {0, -1, 0}, side = round % 2 == 0 ? sft_v3d_make(0, 0, 1) : any_direction(&rng);
        u = sft_v3d_add(u, sft_v3d_scale(round / 2 % 3 * 0.02, any_direction(&rng)));
        u = sft_v3d_normalize_or(u, u);
        sft_v3d v = sft_v3d_normalize_or(sft_v3d_madd(side, -sft_v3d_dot(side, u), u), sft_v3d_make(1, 0, 0));
        sft_ik_bend memory = {{0, 0, 0}, {0, 0, 0}};
        sft_quatd before = sft_quatd_identity();
        double step = DEGREES(0.7);
        for (int n = 0; n < 1200; ++n)
        {
            double a = step * n;
            foot.t = sft_v3d_madd(points[0], 0.6 + 0.1 * sin(0.01 * n),
                                  sft_v3d_add(sft_v3d_scale(cos(a), u), sft_v3d_scale(sin(a), v)));
            assert_true(solve(&p, &carrier, &foot, &memory, out) < 1e-9);
            if (n > 0) assert_true(angle_between(before, local_r[joints[0]]) < 2.5 * step);
            before = local_r[joints[0]];
        }
    }
    release_poser(&p);
}

/// Out of reach, too near, on the hip, a straight leg, one that is folded flat: finite answers, the miss said.
static void test_creature_leg__degenerate_input_has_finite_answers(void** state)
{
    (void)state;
    const sft_v3d legs[4][SFT_CREATURE_LEG_JOINTS] = {
        {{0, 1, 0}, {0, 0.5, 0}, {0, 0, 0}},
        {{0, 1, 0}, {0, 0.7, 0}, {0, 0.4, 0}, {0, 0, 0}},
        {{0, 1, 0}, {0, 0.4, 0}, {0, 0.9, 0}},
        {{0, 1, 0}, {0, 0.8, 0}, {0, 0.6, 0}, {0, 0.3, 0}, {0, 0, 0}},
    };
    const int32_t counts[4] = {3, 4, 3, 5};
    for (int i = 0; i < 4; ++i)
        for (int said = 0; said < 3; ++said)
        {
            const sft_v3d bends[3] = {{0, 0, 0}, {1, 0, 0.5}, {0, 1, 0}};
            poser p = one_leg(legs[i], counts[i], bends[said], (uint64_t)said);
            const sft_creature_limb* limb = &p.creature->limbs[0];
            const sft_creature_leg* leg = &p.creature->def.legs[0];
            sft_xformd carrier = rest_of(&p, 1), foot = rest_of(&p, leg->joints[counts[i] - 1]), out[16];
            sft_ik_bend memory = {{0, 0, 0}, {0, 0, 0}};
            const double reaches[6] = {0, 1e-13, 0.5, 1, 3, 1e5};
            for (int r = 0; r < 6; ++r)
                for (int way = -1; way <= 1; way += 2)
                {
                    foot.t = sft_v3d_madd(legs[i][0], reaches[r] * limb->length * way, sft_v3d_make(0, 1, 0));
                    double off = solve(&p, &carrier, &foot, &memory, out);
                    if (reaches[r] >= leg->reach_min / limb->length && reaches[r] <= 1) assert_true(off < 1e-9);
                    if (reaches[r] > 1)
                        assert_near(off, (reaches[r] - 1) * limb->length, 1e-9 * reaches[r] * limb->length);
                }
            // Straight at rest: the knee bends the way that is said, else ahead.
            foot.t = sft_v3d_madd(legs[i][0], 0.8 * limb->length, sft_v3d_make(0, -1, 0));
            memory = (sft_ik_bend){{0, 0, 0}, {0, 0, 0}};
            solve(&p, &carrier, &foot, &memory, out);
            sft_v3d knee = sft_v3d_sub(out[leg->joints[counts[i] / 2]].t, legs[i][0]);
            sft_v3d lean = said == 1 ? bends[1] : sft_v3d_make(0, 0, 1);
            if (i < 2) assert_true(knee.x * lean.x + knee.z * lean.z > 0.99 * sqrt(knee.x * knee.x + knee.z * knee.z));
            if (i < 2) assert_true(sqrt(knee.x * knee.x + knee.z * knee.z) > 0.1);
            release_poser(&p);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_creature_leg__foot_is_met_anywhere_within_reach),
        cmocka_unit_test(test_creature_leg__rest_pose_comes_out_as_it_went_in),
        cmocka_unit_test(test_creature_leg__a_triangle_of_three_four_and_five),
        cmocka_unit_test(test_creature_leg__bends_as_at_rest_smoothly),
        cmocka_unit_test(test_creature_leg__no_flip_at_pole_and_antipode),
        cmocka_unit_test(test_creature_leg__degenerate_input_has_finite_answers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
