// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// The body's velocity, read off its joint, never changes faster than the creature may accelerate and brake, on any
// ground: no leg holds it at once.

#include "support/roamers.h"

#include "surefoot/ground.h"

#define DT (1.0 / SFT_CREATURE_RATE)

static const char* const names[] = {"lizard", "hexapod", "spider", "biped"};

typedef struct seen
{
    double over;      // [m/s^2] most by which the velocity changed faster than it may, on its way and across
    double turn_over; // [rad/s^2] likewise
    double foot_off;  // [m] of standing foot joints from their contacts
    double way;       // [m]
    double blocked;   // part of the time
    double nearest;   // of a foot in the air to its hip, as a part of where it rests
    double spin;      // [deg/s] most that a thigh turns
    int held;         // steps in which either was
} seen;

// Where the creature's space is in the world, by the joint of the body: with no bob it does not move in it.
static sft_xformd place_of(const sft_xformd* body, const sft_xformd* rest)
{
    const sft_quatd r = sft_quatd_mul(body->r, sft_quatd_conjugate(rest->r));
    return (sft_xformd){sft_v3d_sub(body->t, sft_quatd_rotate(r, rest->t)), r};
}

static double heading_of(const sft_xformd* place, sft_v3d forward)
{
    const sft_v3d f = sft_quatd_rotate(place->r, forward);
    return atan2(f.x, f.z);
}

// Goals: straight ahead, or on a circle about the origin that is gone round once in `round` seconds.
static seen walk(roamer* made, uint32_t gaits, const sft_ground* ground, double seconds, double round)
{
    made->def.bob.amplitude = made->def.bob.turn = sft_v3d_make(0, 0, 0);
    if (gaits != 0) made->def.gaits = gaits;
    sft_creature* creature = NULL;
    assert_int_equal(sft_creature_create(&made->def, made->skeleton, NULL, &creature, NULL), SFT_OK);
    const size_t size = sft_creature_state_size(creature);
    void* memory = malloc(size);
    assert_non_null(memory);
    sft_creature_state* state = NULL;
    const sft_xformd origin = {{0, 0, 0}, {0, 0, 0, 1}};
    assert_int_equal(sft_creature_place(creature, origin, ground, memory, size, &state), SFT_OK);
    sft_xformd rest[ROAMER_JOINTS], world[ROAMER_JOINTS];
    sft_skeleton_forward(made->skeleton, made->skeleton->rest_translations, made->skeleton->rest_rotations, rest);
    const int32_t body = made->def.body;
    const sft_creature_motion* may = &made->def.motion;
    seen out = {.nearest = 9};
    sft_xformd before[ROAMER_JOINTS];
    sft_v3d at = {0, 0, 0}, velocity = {0, 0, 0};
    double heading = 0, turn = 0;
    const int64_t steps = (int64_t)(seconds * SFT_CREATURE_RATE);
    for (int64_t k = 0; k < steps; ++k)
    {
        sft_creature_input input = {.kind = SFT_CREATURE_GO_TO, .goal = {0, 0, 100}, .ground = ground};
        const double angle = round > 0 ? 2 * 3.14159265358979 * (double)k * DT / round : 0;
        if (round > 0) input.goal = sft_v3d_make(2.5 * made->length * sin(angle), 0, 2.5 * made->length * cos(angle));
        assert_int_equal(sft_creature_step(creature, &input, state), SFT_OK);
        sft_creature_get_world(creature, state, world);
        const sft_xformd place = place_of(&world[body], &rest[body]);
        sft_v3d v = sft_v3d_scale(SFT_CREATURE_RATE, sft_v3d_sub(place.t, at));
        v.y = 0;
        double w = heading_of(&place, made->def.forward) - heading;
        w = (w - 2 * 3.14159265358979 * floor(w / (2 * 3.14159265358979) + 0.5)) * SFT_CREATURE_RATE;
        // What turns has its velocity turned with it.
        const double most = may->acceleration + sft_v3d_length(v) * fmax(fabs(w), fabs(turn));
        const double change = sft_v3d_distance(v, velocity) * SFT_CREATURE_RATE;
        const double over = change - most, turn_over = fabs(w - turn) * SFT_CREATURE_RATE - may->turn_acceleration;
        out.over = fmax(out.over, over);
        out.turn_over = fmax(out.turn_over, turn_over);
        out.held += over >= 1e-6 || turn_over >= 1e-6 ? 1 : 0;
        out.way += sft_v3d_length(v) * DT;
        out.blocked += sft_creature_get_body(state)->blocked ? 1.0 / (double)steps : 0;
        at = place.t;
        heading = heading_of(&place, made->def.forward);
        velocity = v;
        turn = w;
        const sft_creature_foot* feet = sft_creature_get_feet(creature, state);
        for (int32_t l = 0; l < made->def.leg_count; ++l)
        {
            const sft_creature_leg* leg = &made->def.legs[l];
            const int32_t hip = leg->joints[0];
            const sft_v3d foot = world[leg->joints[leg->joint_count - 1]].t;
            if (feet[l].standing && !feet[l].swinging)
                out.foot_off = fmax(out.foot_off, sft_v3d_distance(foot, feet[l].position));
            else
                out.nearest =
                    fmin(out.nearest, sft_v3d_distance(foot, world[hip].t) / sft_v3d_distance(leg->home, rest[hip].t));
            const double same = k > 0 ? fmin(fabs(sft_quatd_dot(world[hip].r, before[hip].r)), 1) : 1;
            out.spin = fmax(out.spin, 2 * acos(same) * SFT_CREATURE_RATE * 180 / 3.14159265358979);
        }
        memcpy(before, world, sizeof before);
    }
    sft_creature_destroy(creature, NULL);
    free(memory);
    return out;
}

// held: steps in which it may be stopped faster than it brakes.
static seen expect_smooth(roamer_kind kind, uint32_t gaits, const sft_ground* ground, double round, int held,
                          const char* what)
{
    roamer made;
    make_roamer(kind, &made);
    // As it is made of a rig: strides as long as legs reach, and as fast as they serve.
    assert_int_equal(sft_creature_find(made.skeleton, NULL, NULL, &made.def, NULL), SFT_OK);
    const seen s = walk(&made, gaits, ground, 16, round);
    print_message(
        "%s, %s: %.2f m, over by %.6f m/s^2 and %.6f rad/s^2, in %d steps, blocked %.3f, near %.3f spin %.0f\n",
        names[kind], what, s.way, s.over, s.turn_over, s.held, s.blocked, s.nearest, s.spin);
    assert_true(s.held <= held);
    assert_true(s.foot_off < 1e-9);
    release_roamer(&made);
    return s;
}

static const sft_ground_plane level = {{0, 0, 0}, {0, 1, 0}, 0};

static void test_creature_smooth__on_level_ground(void** state)
{
    (void)state;
    const sft_ground ground = sft_ground_from_plane(&level);
    for (int k = 0; k < ROAMER_KINDS; ++k)
    {
        assert_true(expect_smooth((roamer_kind)k, 0, &ground, 0, 0, "straight").blocked == 0);
        expect_smooth((roamer_kind)k, 0, &ground, 12, 0, "round");
        expect_smooth((roamer_kind)k, 0, &ground, 5, 0, "round fast");
    }
    for (int k = ROAMER_LIZARD; k <= ROAMER_SPIDER; ++k)
    {
        // Before, legs that waited for their turn held it for a tenth of the time.
        const seen s = expect_smooth((roamer_kind)k, 1u << SFT_GAIT_WAVE, &ground, 0, 0, "wave");
        assert_true(s.blocked == 0);
    }
    expect_smooth(ROAMER_HEXAPOD, 1u << SFT_GAIT_RIPPLE, &ground, 0, 0, "ripple");
    expect_smooth(ROAMER_SPIDER, 1u << SFT_GAIT_RIPPLE, &ground, 0, 0, "ripple");
}

// A lizard's legs are short for its speed: it is still held a few times, at the kink itself.
#define HELD_AT_KINKS 4 // of 1,920 steps
static void test_creature_smooth__at_kinks(void** state)
{
    (void)state;
    for (int k = 0; k < ROAMER_KINDS; ++k)
        for (int way = -1; way <= 1; way += 2)
        {
            const double distances[] = {-50, 0.6, 100}, heights[] = {0, 0, way * 0.70020754 * 99.4};
            const sft_ground_profile hill = {.count = 3, .distances = distances, .heights = heights};
            const sft_ground ground = sft_ground_from_profile(&hill);
            const int held = k == ROAMER_LIZARD ? HELD_AT_KINKS : 0;
            const seen s =
                expect_smooth((roamer_kind)k, 0, &ground, 0, held, way < 0 ? "35 degrees down" : "35 degrees up");
            // Before, feet passed their hips at a quarter of where they rest, and a thigh turned by 14,800 deg/s.
            assert_true(s.nearest > 0.35);
            assert_true(s.spin < (k == ROAMER_LIZARD ? 5000 : 1800));
        }
}

static void test_creature_smooth__on_stairs(void** state)
{
    (void)state;
    enum
    {
        TREADS = 24
    };
    for (int k = 0; k < ROAMER_KINDS; ++k)
        for (int way = -1; way <= 1; way += 2)
        {
            roamer made;
            make_roamer((roamer_kind)k, &made);
            const double rise = way * 0.1 * made.def.legs[0].reach_max, run = 0.5 * made.def.legs[0].reach_max;
            release_roamer(&made);
            double distances[2 * TREADS + 2] = {-50}, heights[2 * TREADS + 2] = {0};
            for (int i = 0; i < TREADS; ++i)
            {
                distances[2 * i + 1] = 0.5 + i * run;
                distances[2 * i + 2] = 0.5 + i * run + 1e-4;
                heights[2 * i + 1] = i * rise;
                heights[2 * i + 2] = (i + 1) * rise;
            }
            distances[2 * TREADS + 1] = 100;
            heights[2 * TREADS + 1] = TREADS * rise;
            const sft_ground_profile stairs = {.count = 2 * TREADS + 2, .distances = distances, .heights = heights};
            const sft_ground ground = sft_ground_from_profile(&stairs);
            expect_smooth((roamer_kind)k, 0, &ground, 0, 0, way < 0 ? "stairs down" : "stairs up");
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_creature_smooth__on_level_ground),
        cmocka_unit_test(test_creature_smooth__at_kinks),
        cmocka_unit_test(test_creature_smooth__on_stairs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
