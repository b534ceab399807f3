// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// Spine, head, eyes and tail, measured on the joints as posed.

#include "support/posing.h"

#define DEGREES(d) ((d) * (3.14159265358979323846 / 180.0))

static poser make(roamer_kind kind, uint64_t axes)
{
    roamer made;
    make_roamer(kind, &made);
    turn_axes(&made, axes);
    poser p;
    make_poser(&made, &p);
    return p;
}

/// How far a joint has turned away from the rest pose, in creature space.
static sft_quatd turned(poser* p, int32_t joint)
{
    sft_quatd now = sft_quatd_mul(sft_quatd_conjugate(p->state->body.place.r), p->model[joint].r);
    return sft_quatd_mul(now, sft_quatd_conjugate(p->creature->rest[joint].r));
}

static sft_v3d points_at(poser* p, int32_t joint, sft_v3d rest)
{
    return sft_quatd_rotate(turned(p, joint), rest);
}

static double yaw_of(sft_v3d v)
{
    return atan2(v.x, v.z);
}

static double pitch_of(sft_v3d v)
{
    return atan2(-v.y, sqrt(v.x * v.x + v.z * v.z));
}

static void settle(poser* p, const sft_v3d* look)
{
    for (int i = 0; i < 600; ++i)
        poser_pose(p, look);
    poser_model(p);
}

static int32_t head_of(const poser* p)
{
    return p->creature->def.head[p->creature->def.head_count - 1].joint;
}

/// [rad] by which the head misses what it looks at.
static double head_miss(poser* p, sft_v3d look)
{
    sft_v3d way = sft_v3d_sub(look, p->model[head_of(p)].t);
    way = sft_quatd_unrotate(p->state->body.place.r, way);
    return angle_of(points_at(p, head_of(p), sft_v3d_make(0, 0, 1)), way);
}

static void test_creature_aim__head_points_at_what_it_looks_at(void** state)
{
    (void)state;
    support_rng rng = {3};
    const roamer_kind kinds[2] = {ROAMER_LIZARD, ROAMER_BIPED};
    for (int i = 0; i < 2; ++i)
        for (uint64_t axes = 0; axes < 2; ++axes)
        {
            poser p = make(kinds[i], axes);
            for (int round = 0; round < 12; ++round)
            {
                double yaw = DEGREES(support_uniform(&rng, -70, 70)), pitch = DEGREES(support_uniform(&rng, -35, 35));
                sft_v3d look = {2 * sin(yaw) * cos(pitch), 1 + 2 * sin(pitch), 2 * cos(yaw) * cos(pitch)};
                settle(&p, &look);
                assert_true(head_miss(&p, look) < 1e-6);
                // Level: what was left of it is level still.
                assert_near(points_at(&p, head_of(&p), sft_v3d_make(1, 0, 0)).y, 0, 1e-9);
            }
            settle(&p, NULL);
            assert_true(angle_of(points_at(&p, head_of(&p), sft_v3d_make(0, 0, 1)), sft_v3d_make(0, 0, 1)) < 1e-6);
            release_poser(&p);
        }
}

/// Looks from all over, near and far, at once and slowly: no joint leaves its limits, in any step.
static void test_creature_aim__joints_keep_their_limits(void** state)
{
    (void)state;
    support_rng rng = {8};
    const roamer_kind kinds[2] = {ROAMER_LIZARD, ROAMER_BIPED};
    double nearest = 10;
    for (int i = 0; i < 2; ++i)
    {
        poser p = make(kinds[i], 4);
        const sft_creature_def* def = &p.creature->def;
        for (int round = 0; round < 80; ++round)
        {
            double far = round % 2 == 0 ? 0.3 : 5;
            sft_v3d look = {support_uniform(&rng, -far, far), support_uniform(&rng, -far, far),
                            support_uniform(&rng, -far, far)};
            for (int step = 0; step < 40; ++step)
            {
                poser_pose(&p, &look);
                poser_model(&p);
                sft_quatd body = turned(&p, def->body);
                double yaw = 0, pitch = 0;
                for (int32_t k = 0; k < def->spine_count + def->head_count; ++k)
                {
                    const sft_creature_link* link =
                        k < def->spine_count ? &def->spine[k] : &def->head[k - def->spine_count];
                    sft_v3d ahead = sft_quatd_unrotate(body, points_at(&p, link->joint, sft_v3d_make(0, 0, 1)));
                    double more_yaw = yaw_of(ahead) - yaw, more_pitch = pitch_of(ahead) - pitch;
                    yaw += more_yaw;
                    pitch += more_pitch;
                    if (more_yaw > SFT_PI) more_yaw -= 2 * SFT_PI;
                    if (more_yaw < -SFT_PI) more_yaw += 2 * SFT_PI;
                    assert_true(fabs(more_yaw) <= link->max_yaw + 1e-9);
                    assert_true(fabs(more_pitch) <= link->max_pitch + 1e-9);
                    nearest = sft_mind(nearest, link->max_yaw - fabs(more_yaw));
                }
            }
        }
        release_poser(&p);
    }
    assert_true(nearest < 1e-6); // and limits were come to
}

/// Thirty degrees to the left: three tenths and three tenths of the rest by the spine, a fifth of both by the hips the
/// other way.
static void test_creature_aim__spine_takes_its_share_and_hips_turn_against_it(void** state)
{
    (void)state;
    poser p = make(ROAMER_LIZARD, 2);
    const sft_creature_def* def = &p.creature->def;
    sft_v3d look = {0, 0.125, 1000};
    look.x = 1000 * tan(DEGREES(30));
    settle(&p, &look);
    sft_v3d z = {0, 0, 1};
    double hips = yaw_of(points_at(&p, def->body, z)), spine = yaw_of(points_at(&p, def->spine[0].joint, z));
    double chest = yaw_of(points_at(&p, def->spine[1].joint, z));
    assert_near(hips, -DEGREES(0.2 * (9 + 6.3)), 1e-4);
    assert_near(spine - hips, DEGREES(9), 1e-4);
    assert_near(chest - spine, DEGREES(6.3), 1e-4);
    assert_near(yaw_of(points_at(&p, head_of(&p), z)), DEGREES(30), 1e-4);
    release_poser(&p);
}

/// Fore feet stretched out sideways leave the chest no turn; neck and head make up for it.
static void test_creature_aim__head_takes_over_what_the_spine_gives_back(void** state)
{
    (void)state;
    int held = 0;
    for (int side = -1; side <= 1; side += 2)
        for (int part = 0; part <= 10; ++part)
        {
            poser p = make(ROAMER_LIZARD, 1);
            sft_creature_foot* feet = sft_creature_feet(p.state);
            for (int32_t l = 2; l < 4; ++l)
            {
                const sft_creature_leg* leg = &p.creature->def.legs[l];
                const sft_v3d hip = p.creature->limbs[l].hip;
                sft_v3d way = sft_v3d_sub(leg->home, hip);
                way.z = (l == 2) == (side > 0) ? 0.06 : -0.06; // against the turn
                way = sft_v3d_scale(1 / sft_v3d_length(way), way);
                double reach = leg->reach_max * (0.9 + 0.01 * part) - 1e-6;
                feet[l].position = sft_v3d_madd(hip, reach, way);
            }
            sft_v3d look = {-side * 2 * sin(DEGREES(55)), 0.1, 2 * cos(DEGREES(55))};
            settle(&p, &look);
            double turn;
            assert_true(poser_miss(&p, &turn) < 1e-9);
            assert_true(head_miss(&p, look) < 1e-6);
            held += p.state->body.spine_given < 0.5;
            if (part == 10) assert_true(p.state->body.spine_given < 0.1);
            release_poser(&p);
        }
    assert_true(held >= 2);
}

/// Head and spine held: eyes alone. Thirty degrees to the left are within the left eye's 40 outwards, the right eye
/// stops at 15 towards the nose.
static void test_creature_aim__eyes_have_limits_towards_and_away_from_the_nose(void** state)
{
    (void)state;
    roamer made;
    make_roamer(ROAMER_LIZARD, &made);
    made.def.spine_count = made.def.head_count = 0;
    turn_axes(&made, 6);
    poser p;
    make_poser(&made, &p);
    const double degrees[7] = {30, -30, 10, 70, -12, 0, -100};
    for (int i = 0; i < 7; ++i)
    {
        double yaw = DEGREES(degrees[i]), pitch = DEGREES(10.0 * (i - 2));
        sft_v3d look = {1e4 * sin(yaw) * cos(pitch), 1e4 * sin(pitch), 1e4 * cos(yaw) * cos(pitch)};
        settle(&p, &look);
        for (int e = 0; e < 2; ++e)
        {
            sft_v3d at = points_at(&p, p.creature->def.eyes[e].joint, sft_v3d_make(0, 0, 1));
            double low = e == 0 ? -15 : -40, high = e == 0 ? 40 : 15;
            assert_near(yaw_of(at), DEGREES(sft_clampd(degrees[i], low, high)), 1e-4);
            assert_near(pitch_of(at), -DEGREES(sft_clampd(10.0 * (i - 2), -25, 25)), 1e-4);
        }
    }
    release_poser(&p);
}

/// Eyes at the sides of a head: towards the nose is forward, on both sides alike.
static void test_creature_aim__eyes_at_the_sides(void** state)
{
    (void)state;
    roamer made;
    make_roamer(ROAMER_LIZARD, &made);
    made.def.spine_count = made.def.head_count = 0;
    for (int e = 0; e < 2; ++e)
    {
        double yaw = DEGREES(e == 0 ? 70 : -70);
        made.def.eyes[e].forward = sft_v3d_make(sin(yaw), 0, cos(yaw));
    }
    poser p;
    make_poser(&made, &p);
    for (int i = -17; i <= 17; ++i)
    {
        double yaw = DEGREES(5.0 * i);
        sft_v3d look = {1e4 * sin(yaw), 0, 1e4 * cos(yaw)};
        settle(&p, &look);
        for (int e = 0; e < 2; ++e)
        {
            double side = e == 0 ? 1 : -1, off = 5.0 * i * side - 70; // away from the nose
            sft_v3d at = points_at(&p, p.creature->def.eyes[e].joint, p.creature->def.eyes[e].forward);
            // Farther than 135 degrees off its middle it gives up, smoothly.
            if (off > -135) assert_near(yaw_of(at) * side, DEGREES(70 + sft_clampd(off, -15, 40)), 1e-4);
        }
    }
    release_poser(&p);
}

/// The head at its limits, eyes go on to the real target, not to where the head was meant to go.
static void test_creature_aim__eyes_look_at_the_real_target_from_a_head_at_its_limit(void** state)
{
    (void)state;
    roamer made;
    make_roamer(ROAMER_BIPED, &made);
    for (int k = 0; k < 2; ++k)
        made.def.head[k].max_yaw = made.def.spine[k].max_yaw = DEGREES(10);
    poser p;
    make_poser(&made, &p);
    sft_v3d look = {3 * sin(DEGREES(50)), 1.6, 3 * cos(DEGREES(50))};
    settle(&p, &look);
    double head = yaw_of(points_at(&p, head_of(&p), sft_v3d_make(0, 0, 1)));
    assert_true(head < DEGREES(40));
    const sft_creature_eye* eye = &p.creature->def.eyes[0];
    sft_v3d at = points_at(&p, eye->joint, eye->forward), way = sft_v3d_sub(look, p.model[eye->joint].t);
    assert_true(angle_of(at, way) < 1e-6);
    release_poser(&p);
}

/// A target that circles the creature, and one that jumps from one side to the other: no joint flicks.
static void test_creature_aim__nothing_jumps_behind_the_back(void** state)
{
    (void)state;
    for (int full = 0; full < 2; ++full)
    {
        roamer made;
        make_roamer(ROAMER_LIZARD, &made);
        if (full == 1) made.def.aim_range = SFT_PI;
        poser p;
        make_poser(&made, &p);
        const sft_quatd* local_r = sft_creature_local_r(p.creature, p.state);
        sft_quatd before[ROAMER_JOINTS];
        sft_v3d rate[ROAMER_JOINTS];
        double fastest = 0, hardest = 0;
        for (int step = 0; step < 2400; ++step)
        {
            double angle = step < 1200 ? DEGREES(0.6 * step) : DEGREES(step % 240 < 120 ? 120 : -120);
            sft_v3d look = {0.5 * sin(angle), 0.15, 0.5 * cos(angle)};
            poser_pose(&p, &look);
            for (int32_t j = 0; j < p.creature->skeleton->joint_count; ++j)
            {
                sft_quatd by = sft_quatd_mul(sft_quatd_conjugate(before[j]), local_r[j]);
                sft_v3d now = step > 0 ? sft_v3d_scale(120, sft_quatd_log(by)) : sft_v3d_make(0, 0, 0);
                if (step > 1) hardest = sft_maxd(hardest, 120 * sft_v3d_distance(now, rate[j]));
                fastest = sft_maxd(fastest, sft_v3d_length(now));
                rate[j] = now;
                before[j] = local_r[j];
            }
        }
        print_message("[   INFO   ] range %.0f degrees: at most %.1f rad/s, %.0f rad/s2\n",
                      57.29578 * made.def.aim_range, fastest, hardest);
        assert_true(fastest < 14); // half a turn at 2 / 0.15 s, e-folded
        assert_true(hardest < 700);
        release_poser(&p);
    }
}

/// Bent by gain times turn against it, evenly over its joints, at the same for any axes; at most tail_max.
static void test_creature_aim__tail_bends_against_the_turn(void** state)
{
    (void)state;
    for (uint64_t axes = 0; axes < 2; ++axes)
    {
        poser p = make(ROAMER_LIZARD, axes);
        const sft_creature_def* def = &p.creature->def;
        double speeds[3] = {0.8, -1.2, 20};
        for (int i = 0; i < 3; ++i)
        {
            p.state->body.turn = speeds[i];
            settle(&p, NULL);
            double whole = -sft_clampd(def->tail_gain * speeds[i], -def->tail_max, def->tail_max);
            sft_quatd body = turned(&p, def->body);
            for (int32_t k = 0; k < def->tail_count; ++k)
            {
                sft_v3d back = sft_quatd_unrotate(body, points_at(&p, def->tail[k], sft_v3d_make(0, 0, -1)));
                assert_near(atan2(-back.x, -back.z), whole * (k + 1) / def->tail_count, 1e-6);
            }
            // Turning left, the tail lies to the left: on the circle that the body walks.
            double x = p.model[def->tail[def->tail_count - 1]].t.x;
            assert_true(x * speeds[i] > 0);
        }
        release_poser(&p);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_creature_aim__head_points_at_what_it_looks_at),
        cmocka_unit_test(test_creature_aim__joints_keep_their_limits),
        cmocka_unit_test(test_creature_aim__spine_takes_its_share_and_hips_turn_against_it),
        cmocka_unit_test(test_creature_aim__head_takes_over_what_the_spine_gives_back),
        cmocka_unit_test(test_creature_aim__eyes_have_limits_towards_and_away_from_the_nose),
        cmocka_unit_test(test_creature_aim__eyes_at_the_sides),
        cmocka_unit_test(test_creature_aim__eyes_look_at_the_real_target_from_a_head_at_its_limit),
        cmocka_unit_test(test_creature_aim__nothing_jumps_behind_the_back),
        cmocka_unit_test(test_creature_aim__tail_bends_against_the_turn),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
