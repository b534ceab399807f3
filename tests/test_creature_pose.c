// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// The whole pose from place and feet, seen by forward kinematics: feet where they are held whatever the body does, bob
// and spine only as far as that allows, nothing jumps.

#include "support/posing.h"

#define DEGREES(d) ((d) * (3.14159265358979323846 / 180.0))

static poser make(roamer_kind kind, uint64_t axes, double scale)
{
    roamer made;
    make_roamer(kind, &made);
    made.def.scale = scale;
    turn_axes(&made, axes);
    poser p;
    make_poser(&made, &p);
    return p;
}

static void test_creature_pose__rest_is_rest(void** state)
{
    (void)state;
    for (int kind = 0; kind < ROAMER_KINDS; ++kind)
        for (uint64_t axes = 0; axes < 3; ++axes)
        {
            poser p = make((roamer_kind)kind, axes, 1);
            poser_pose(&p, NULL);
            const sft_xformd* model = poser_model(&p);
            for (int32_t j = 0; j < p.creature->skeleton->joint_count; ++j)
            {
                assert_near(sft_v3d_distance(model[j].t, p.creature->rest[j].t), 0, 1e-12);
                assert_near(angle_between(model[j].r, p.creature->rest[j].r), 0, 1e-7);
            }
            release_poser(&p);
        }
}

/// Feet pushed about their homes, the place anywhere, a look that wanders, bob at its full: all met.
static void test_creature_pose__feet_are_met_whatever_the_body_does(void** state)
{
    (void)state;
    support_rng rng = {17};
    double worst = 0, worst_turn = 0, given = 0;
    int steps = 0;
    for (int kind = 0; kind < ROAMER_KINDS; ++kind)
        for (int variant = 0; variant < 3; ++variant)
        {
            poser p = make((roamer_kind)kind, (uint64_t)variant, variant == 1 ? 0.1 : variant == 2 ? 10 : 1);
            const sft_creature* c = p.creature;
            sft_creature_body* body = &p.state->body;
            sft_creature_foot* feet = sft_creature_feet(p.state);
            body->velocity = sft_v3d_make(0, 0, 10);
            for (int round = 0; round < 60; ++round)
            {
                sft_quatd heading = sft_quatd_exp(sft_v3d_make(0, support_uniform(&rng, -3, 3), 0));
                sft_quatd tilt = sft_quatd_exp(sft_v3d_make(support_uniform(&rng, -0.4, 0.4), 0, 0));
                body->place = (sft_xformd){{support_uniform(&rng, -9, 9), 1, support_uniform(&rng, -9, 9)},
                                           sft_quatd_mul(heading, tilt)};
                for (int32_t l = 0; l < c->def.leg_count; ++l)
                {
                    const sft_creature_leg* leg = &c->def.legs[l];
                    sft_v3d at, hip = c->limbs[l].hip;
                    double reach;
                    do
                    {
                        double s = leg->step_distance;
                        at = sft_v3d_add(leg->home,
                                         sft_v3d_make(support_uniform(&rng, -s, s), support_uniform(&rng, -s, s),
                                                      support_uniform(&rng, -s, s)));
                        reach = sft_v3d_distance(at, hip);
                    } while (reach < leg->reach_min || reach > leg->reach_max);
                    feet[l].position = sft_creature_to_world(c, &body->place, at);
                    feet[l].rotation = any_rotation(&rng);
                }
                sft_v3d look = {support_uniform(&rng, -9, 9), 0, support_uniform(&rng, -9, 9)};
                for (int step = 0; step < 30; ++step)
                {
                    body->group = step / 15;
                    feet[0].swinging = true;
                    feet[0].time = step % 15 / 15.0;
                    poser_pose(&p, &look);
                    double turn, miss = poser_miss(&p, &turn);
                    worst = sft_maxd(worst, miss);
                    worst_turn = sft_maxd(worst_turn, turn);
                    given += body->bob_given;
                    ++steps;
                }
            }
            release_poser(&p);
        }
    print_message("[   INFO   ] %d poses: foot off by %.2g m and %.2g rad; bob given %.3f\n", steps, worst, worst_turn,
                  given / steps);
    assert_true(worst < 1e-9);
    assert_true(worst_turn < 1e-7);
    assert_true(given > 0.3 * steps && given < 0.99 * steps);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_creature_pose__rest_is_rest),
        cmocka_unit_test(test_creature_pose__feet_are_met_whatever_the_body_does),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
