// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// What a viewer sees first: strides, speed that does not jump, feet over stairs, shoves that end at edges and walls.
// Measured on the joints of the pose.

#include "support/figures.h"
#include "support/roam.h"

static const sft_ground_plane plane = {{0, 0, 0}, {0, 1, 0}, 0};
static const sft_xformd origin = {{0, 0, 0}, {0, 0, 0, 1}};

// ---- strides ----

static void test_creature_move__a_person_strides(void** state)
{
    (void)state;
    sft_skeleton* skeleton = figure_person();
    sft_creature_def def;
    sft_error error = {0};
    assert_int_equal(sft_creature_find(skeleton, NULL, NULL, &def, &error), SFT_OK);
    sft_creature* creature = NULL;
    assert_int_equal(sft_creature_create(&def, skeleton, NULL, &creature, &error), SFT_OK);
    const size_t size = sft_creature_state_size(creature);
    void* memory = malloc(size);
    assert_non_null(memory);
    const sft_ground ground = sft_ground_from_plane(&plane);
    sft_creature_state* walker = NULL;
    const sft_xformd place = {{0, 0, 0}, sft_quatd_between(def.forward, (sft_v3d){0, 0, 1})};
    assert_int_equal(sft_creature_place(creature, place, &ground, memory, size, &walker), SFT_OK);
    const sft_creature_input input = {.kind = SFT_CREATURE_GO_TO, .goal = {0, 0, 100}, .ground = &ground};
    for (int i = 0; i < 1200; ++i)
        assert_int_equal(sft_creature_step(creature, &input, walker), SFT_OK);
    const double speed = sft_creature_get_body(walker)->place.t.z / 10;
    const int64_t steps = sft_creature_get_feet(creature, walker)[0].steps;
    const double stride = 10 * speed / (double)steps;
    print_message("a person with legs of %.2f m: %.2f m/s, strides of %.2f m\n", def.legs[0].reach_max / 0.98, speed,
                  stride);
    // Before, 0.50 m/s and 0.40 m: mincing.
    assert_true(speed > 0.85 && stride > 0.75 * def.legs[0].reach_max);
    assert_true(speed > 0.7 * sft_creature_safe_speed(creature, SFT_GAIT_ALTERNATE));
    free(memory);
    sft_creature_destroy(creature, NULL);
    sft_skeleton_destroy(skeleton, NULL);
}

// ---- a goal that moves ----

// Slower than the creature: it goes as fast as the goal, and does not stop and start.
static void test_creature_move__a_slow_goal_is_kept_up_with(void** state)
{
    (void)state;
    for (int k = 0; k < ROAMER_KINDS; ++k)
        for (int part = 1; part <= 3; ++part)
        {
            roam r;
            roam_begin((roamer_kind)k, 1, false, sft_ground_from_plane(&plane), origin, &r);
            const double speed = 0.2 * part * sft_creature_safe_speed(r.creature, sft_creature_get_body(r.state)->gait);
            r.input.kind = SFT_CREATURE_GO_TO;
            double least = INFINITY, most = 0;
            for (int i = 0; i < 120 * 20; ++i)
            {
                r.input.goal = sft_v3d_make(0, 0, r.made.def.motion.approach_distance + 0.05 + speed * i / 120.0);
                roam_steps(&r, 1);
                const double is = sft_v3d_length(sft_creature_get_body(r.state)->velocity);
                if (i < 120 * 10) continue;
                least = sft_mind(least, is);
                most = sft_maxd(most, is);
            }
            print_message("roamer %d, goal at %.3f m/s: %.3f to %.3f\n", k, speed, least, most);
            assert_true(least > 0.9 * speed && most < 1.1 * speed);
            // Where the goal stops, it stops.
            roam_steps(&r, 120 * 5);
            assert_true(sft_creature_get_body(r.state)->stood > 1);
            assert_true(r.seen.foot_off < 1e-6 && !r.seen.bad);
            roam_end(&r);
        }
}

// ---- slopes from level ground ----

static void test_creature_move__from_level_up_and_down_35_degrees(void** state)
{
    (void)state;
    for (int k = 0; k < ROAMER_KINDS; ++k)
        for (int way = -1; way <= 1; way += 2)
        {
            const double distances[] = {-50, 0.6, 100}, heights[] = {0, 0, way * 0.70020754 * 99.4};
            const sft_ground_profile hill = {.count = 3, .distances = distances, .heights = heights};
            roam r;
            roam_begin((roamer_kind)k, 1, false, sft_ground_from_profile(&hill), origin, &r);
            r.input.kind = SFT_CREATURE_GO_TO;
            r.input.goal = sft_v3d_make(0, 0, 50);
            roam_steps(&r, 120 * 20);
            const sft_creature_body* body = sft_creature_get_body(r.state);
            print_message("roamer %d, %d x 35 degrees: at %.2f m\n", k, way, body->place.t.z);
            // Before, bipeds came 0.4 m down, and lizards stood at the foot for good.
            assert_true(body->place.t.z > 2.5);
            assert_true(r.seen.foot_off < 1e-6 && r.seen.slip < 1e-6 && !r.seen.bad);
            roam_end(&r);
        }
}

// ---- stairs ----

#define RISE 0.03
#define RUN 0.17
#define TREADS 9

static double stair(double z)
{
    const double k = floor((z - 0.5) / RUN) + 1;
    return RISE * sft_clampd(k, 0, TREADS);
}

// How deep a point is in the stairs: up to the tread above it, or out of the riser.
static double depth(double z, double y, int way)
{
    double deep = way * stair(z) - y;
    if (!(deep > 0)) return 0;
    for (double aside = 0.0005; aside < deep; aside += 0.0005)
        if (way * stair(z + aside) <= y || way * stair(z - aside) <= y) return aside;
    return deep;
}

static void test_creature_move__soles_and_toes_keep_out_of_stairs(void** state)
{
    (void)state;
    for (int k = 0; k < ROAMER_KINDS; ++k)
        for (int way = -1; way <= 1; way += 2)
        {
            double distances[2 * TREADS + 2] = {-50}, heights[2 * TREADS + 2] = {0};
            for (int i = 0; i < TREADS; ++i)
            {
                distances[2 * i + 1] = distances[2 * i + 2] = 0.5 + i * RUN;
                heights[2 * i + 1] = way * RISE * i;
                heights[2 * i + 2] = way * RISE * (i + 1);
            }
            distances[2 * TREADS + 1] = 100;
            heights[2 * TREADS + 1] = way * RISE * TREADS;
            const sft_ground_profile stairs = {.count = 2 * TREADS + 2, .distances = distances, .heights = heights};
            roam r;
            roam_begin((roamer_kind)k, 1, false, sft_ground_from_profile(&stairs), origin, &r);
            r.input.kind = SFT_CREATURE_GO_TO;
            r.input.goal = sft_v3d_make(0, 0, 4);
            double standing = 0, swinging = 0;
            for (int i = 0; i < 120 * 12; ++i)
            {
                sft_xformd world[ROAMER_JOINTS];
                roam_steps(&r, 1);
                sft_creature_get_world(r.creature, r.state, world);
                const sft_creature_foot* feet = sft_creature_get_feet(r.creature, r.state);
                for (int32_t l = 0; l < r.made.def.leg_count; ++l)
                {
                    const sft_creature_leg* leg = &r.made.def.legs[l];
                    const int32_t foot = leg->joints[leg->joint_count - 1];
                    const sft_v3d sole = sft_quatd_rotate(world[foot].r, sft_v3d_make(0, -leg->ankle_offset, 0));
                    double* worst = feet[l].swinging ? &swinging : &standing;
                    const sft_v3d p = sft_v3d_add(world[foot].t, sole);
                    *worst = sft_maxd(*worst, depth(p.z, p.y, way));
                    // Roamers' toes lie level ahead of the joint.
                    for (int32_t j = foot + 1; j < r.made.skeleton->joint_count; ++j)
                    {
                        if (r.made.skeleton->parents[j] != foot) continue;
                        sft_v3d tip = r.made.skeleton->rest_translations[j];
                        tip.y = -leg->ankle_offset;
                        tip = sft_v3d_add(world[foot].t, sft_quatd_rotate(world[foot].r, tip));
                        *worst = sft_maxd(*worst, depth(tip.z, tip.y, way));
                    }
                }
            }
            print_message("roamer %d, stairs %d: at %.2f m, in them %.2f cm standing, %.2f cm swinging\n", k, way,
                          sft_creature_get_body(r.state)->place.t.z, 100 * standing, 100 * swinging);
            // Before, up to 4 cm: soles cut edges, toes stood in risers.
            assert_true(standing < 0.0005 && swinging < 0.005);
            assert_true(sft_creature_get_body(r.state)->place.t.z > 2);
            roam_end(&r);
        }
}

// ---- shoves ----

// Shoved on and on towards the end of ground, and against a wall: it stays before them, and says what it refused.
static void test_creature_move__shoves_end_at_edges_and_walls(void** state)
{
    (void)state;
    const double distances[] = {-50, 0.5, 0.5}, heights[] = {0, 0, NAN};
    const sft_ground_profile shelf = {.count = 3, .distances = distances, .heights = heights};
    const sft_ground_plane wall = {{0, 0, 0.5}, {0, 0, -1}, 0};
    const sft_ground blocks = sft_ground_from_plane(&wall);
    for (int k = 0; k < ROAMER_KINDS; ++k)
        for (int ends = 0; ends < 2; ++ends)
        {
            roam r;
            const sft_ground ground = ends ? sft_ground_from_profile(&shelf) : sft_ground_from_plane(&plane);
            roam_begin((roamer_kind)k, 1, false, ground, origin, &r);
            if (!ends) r.input.blocks = &blocks;
            double most = 0, refused = 0;
            for (int i = 0; i < 120 * 15; ++i)
            {
                r.input.push = sft_v3d_make(0, 0, 0.002);
                roam_steps(&r, 1);
                most = sft_maxd(most, sft_creature_get_body(r.state)->place.t.z);
                refused += sft_creature_get_body(r.state)->push_refused.z;
            }
            print_message("roamer %d shoved, %s: to %.3f m, %.2f m refused\n", k, ends ? "edge" : "wall", most,
                          refused);
            // At an edge its homes are on the ground, not its middle.
            assert_true(most < (ends ? 0.53 : 0.5 - r.made.def.motion.body_radius + 1e-6));
            assert_true(refused > 2.5 && refused < 3.6);
            assert_true(r.seen.foot_off < 1e-6 && r.seen.slip < 1e-6 && !r.seen.bad);
            roam_end(&r);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_creature_move__a_person_strides),
        cmocka_unit_test(test_creature_move__a_slow_goal_is_kept_up_with),
        cmocka_unit_test(test_creature_move__from_level_up_and_down_35_degrees),
        cmocka_unit_test(test_creature_move__soles_and_toes_keep_out_of_stairs),
        cmocka_unit_test(test_creature_move__shoves_end_at_edges_and_walls),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
