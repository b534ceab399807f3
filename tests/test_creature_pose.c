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

/// A foot that swings about its hip on a path of its own, out to the end of its reach and back.
static sft_v3d wander(const sft_creature* c, int32_t l, double t)
{
    const sft_creature_leg* leg = &c->def.legs[l];
    sft_v3d hip = c->limbs[l].hip, way = sft_v3d_sub(leg->home, hip);
    way = sft_v3d_add(way, sft_v3d_make(0, 0.02 * sin(1.3 * t + l), 0.4 * leg->step_distance * sin(2.1 * t + 2 * l)));
    double rest = c->limbs[l].rest_reach, most = leg->reach_max - rest, least = rest - leg->reach_min;
    double u = sin(1.7 * t + 1.1 * l);
    double down = sft_clampd(0.5 * least, 0.5 * most, 2 * most); // no farther out on the way than at the end
    double reach = rest + 0.5 * (most + down) * u + 0.5 * (most - down) * u * u;
    return sft_v3d_madd(hip, reach / sft_v3d_length(way), way);
}

/// While feet come slowly to the ends of their reach, the bob is gone before the spine gives anything back; what is
/// taken is taken because some foot is about to be pulled off; and no foot is.
static void test_creature_pose__bob_shrinks_before_the_spine(void** state)
{
    (void)state;
    int without_bob = 0, with_less_spine = 0, full = 0;
    for (int side = -1; side <= 1; side += 2)
        for (int leg = 0; leg < 4; ++leg)
            for (int part = 0; part <= 40; ++part)
            {
                poser p = make(ROAMER_LIZARD, 5, 1);
                const sft_creature* c = p.creature;
                sft_creature_body* body = &p.state->body;
                body->velocity = sft_v3d_make(0, 0, 10);
                const sft_creature_limb* limb = &c->limbs[leg];
                const sft_creature_leg* def = &c->def.legs[leg];
                sft_v3d way = sft_v3d_sub(def->home, limb->hip);
                way.z += 0.05 * (leg % 2 == 0 ? side : -side) * (leg < 2 ? 1 : -1);
                double reach = limb->rest_reach + (def->reach_max - limb->rest_reach) * part / 40;
                sft_creature_feet(p.state)[leg].position = sft_v3d_madd(limb->hip, reach / sft_v3d_length(way), way);
                sft_v3d look = {-side * 5, 0.1, 5};
                for (int step = 0; step < 400; ++step)
                {
                    body->group = step / 20 % 2;
                    body->last_group = 1 - body->group;
                    sft_creature_feet(p.state)[0].swinging = true;
                    sft_creature_feet(p.state)[0].time = step % 20 / 20.0;
                    poser_pose(&p, &look);
                    double turn;
                    assert_true(poser_miss(&p, &turn) < 1e-9);
                    if (step < 350) continue;
                    bool bob = body->bob_given > 1e-6, spine = body->spine_given < 1 - 1e-6;
                    assert_false(bob && spine);
                    without_bob += !bob && !spine;
                    with_less_spine += spine;
                    full += body->bob_given > 0.999;
                    if (!spine) continue;
                    // The nearest foot is closer to its end than a tenth of its range, or nearly.
                    const sft_xformd* model = poser_model(&p);
                    double room = 1;
                    for (int32_t l = 0; l < 4; ++l)
                    {
                        const sft_creature_leg* d = &c->def.legs[l];
                        double is = sft_v3d_distance(model[d->joints[0]].t, model[d->joints[2]].t);
                        double left = sft_mind(d->reach_max - is, is - d->reach_min);
                        room = sft_mind(room, left / (d->reach_max - d->reach_min));
                    }
                    assert_true(room >= -1e-9 && room < 0.12);
                }
                release_poser(&p);
            }
    print_message("[   INFO   ] of 16,400 steps: all of the bob %d, none %d, less spine %d\n", full, without_bob,
                  with_less_spine);
    assert_true(full > 1000 && with_less_spine > 1000);
}

/// Feet that wander to the ends of their reach, a look that circles: no joint turns by much in a step, at any scale.
static void test_creature_pose__nothing_jumps(void** state)
{
    (void)state;
    for (int kind = 0; kind < ROAMER_KINDS; ++kind)
    {
        poser p = make((roamer_kind)kind, 2, kind == 1 ? 5 : 1);
        const sft_creature* c = p.creature;
        sft_creature_body* body = &p.state->body;
        sft_creature_foot* feet = sft_creature_feet(p.state);
        const sft_quatd* local_r = sft_creature_local_r(c, p.state);
        sft_quatd before[ROAMER_JOINTS];
        sft_v3d rate[ROAMER_JOINTS];
        double fastest = 0, hardest = 0, least_bob = 1, least_spine = 1;
        for (int step = 0; step < 4800; ++step)
        {
            double t = step / 120.0, most = 0;
            body->velocity = sft_v3d_make(0, 0, 0.3 + 0.3 * sin(0.5 * t));
            body->turn = sin(0.7 * t);
            body->group = step / 24 % 2;
            body->last_group = 1 - body->group;
            for (int32_t l = 0; l < c->def.leg_count; ++l)
            {
                feet[l].position = sft_creature_to_world(c, &body->place, wander(c, l, t));
                feet[l].swinging = l % 2 == body->group;
                feet[l].time = step % 24 / 24.0;
            }
            sft_v3d look = {sin(0.6 * t), 0.2 * cos(t), cos(0.6 * t)};
            poser_pose(&p, &look);
            double turn, miss = poser_miss(&p, &turn);
            assert_true(miss < 1e-9);
            least_bob = sft_mind(least_bob, body->bob_given);
            least_spine = sft_mind(least_spine, body->spine_given);
            for (int32_t j = 0; j < c->skeleton->joint_count; ++j)
            {
                sft_quatd by = sft_quatd_mul(sft_quatd_conjugate(before[j]), local_r[j]);
                sft_v3d now = step > 0 ? sft_v3d_scale(120, sft_quatd_log(by)) : sft_v3d_make(0, 0, 0);
                if (step > 1) hardest = sft_maxd(hardest, 120 * sft_v3d_distance(now, rate[j]));
                if (step > 0) most = sft_maxd(most, sft_v3d_length(now));
                rate[j] = now;
                before[j] = local_r[j];
            }
            fastest = sft_maxd(fastest, most);
        }
        print_message("[   INFO   ] %d: at most %.1f rad/s, %.0f rad/s2; bob from %.3f, spine from %.3f\n", kind,
                      fastest, hardest, least_bob, least_spine);
        assert_true(fastest < 15);
        assert_true(hardest < 800);
        release_poser(&p);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_creature_pose__rest_is_rest),
        cmocka_unit_test(test_creature_pose__feet_are_met_whatever_the_body_does),
        cmocka_unit_test(test_creature_pose__bob_shrinks_before_the_spine),
        cmocka_unit_test(test_creature_pose__nothing_jumps),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
