// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// The body's velocity, read off its joint, never changes faster than the creature may accelerate and brake, on any
// ground: no leg holds it at once. Nor does what bob and tilt add to it come or go at once.

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
    double slow;      // part of the time, once it goes, that it nearly stands
    double jolt;      // [m/s] most by which the velocity of the body's joint, bob and all, changes in JOLT_STEPS
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

// A thirtieth of a second: what one frame of a film shows.
#define JOLT_STEPS 4

// Over all of a walk so far, of the places of a joint: its velocity now against that of so many steps ago.
static double jolt_of(const sft_v3d* ring, int64_t k)
{
    if (k < JOLT_STEPS + 2) return 0;
    const int n = JOLT_STEPS + 2;
    const sft_v3d now = sft_v3d_sub(ring[k % n], ring[(k - 1) % n]);
    const sft_v3d then = sft_v3d_sub(ring[(k - JOLT_STEPS) % n], ring[(k - JOLT_STEPS - 1) % n]);
    return SFT_CREATURE_RATE * sft_v3d_distance(now, then);
}

// Goals: straight ahead, or on a circle about the origin that is gone round once in `round` seconds.
static seen walk(roamer* made, uint32_t gaits, const sft_ground* ground, double seconds, double round, bool bob)
{
    if (!bob) made->def.bob.amplitude = made->def.bob.turn = sft_v3d_make(0, 0, 0);
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
    sft_v3d ring[JOLT_STEPS + 2];
    double heading = 0, turn = 0;
    const int64_t steps = (int64_t)(seconds * SFT_CREATURE_RATE);
    for (int64_t k = 0; k < steps; ++k)
    {
        sft_creature_input input = {.kind = SFT_CREATURE_GO_TO, .goal = {0, 0, 100}, .ground = ground};
        const double angle = round > 0 ? 2 * 3.14159265358979 * (double)k * DT / round : 0;
        if (round > 0) input.goal = sft_v3d_make(2.5 * made->length * sin(angle), 0, 2.5 * made->length * cos(angle));
        assert_int_equal(sft_creature_step(creature, &input, state), SFT_OK);
        sft_creature_get_world(creature, state, world);
        ring[k % (JOLT_STEPS + 2)] = world[body].t;
        out.jolt = fmax(out.jolt, jolt_of(ring, k));
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
        if (k >= SFT_CREATURE_RATE && sft_v3d_length(v) < 0.1 * may->max_speed) out.slow += 1.0 / (double)steps;
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

static seen expect_smooth(roamer_kind kind, uint32_t gaits, const sft_ground* ground, double round, const char* what)
{
    roamer made;
    make_roamer(kind, &made);
    // As it is made of a rig: strides as long as legs reach, and as fast as they serve.
    assert_int_equal(sft_creature_find(made.skeleton, NULL, NULL, &made.def, NULL), SFT_OK);
    const seen s = walk(&made, gaits, ground, 16, round, false);
    print_message(
        "%s, %s: %.2f m, over by %.6f m/s^2 and %.6f rad/s^2, in %d steps, blocked %.3f, near %.3f spin %.0f\n",
        names[kind], what, s.way, s.over, s.turn_over, s.held, s.blocked, s.nearest, s.spin);
    assert_true(s.held == 0);
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
        assert_true(expect_smooth((roamer_kind)k, 0, &ground, 0, "straight").blocked == 0);
        expect_smooth((roamer_kind)k, 0, &ground, 12, "round");
        expect_smooth((roamer_kind)k, 0, &ground, 5, "round fast");
    }
    for (int k = ROAMER_LIZARD; k <= ROAMER_SPIDER; ++k)
    {
        // Before, legs that waited for their turn held it for a tenth of the time.
        const seen s = expect_smooth((roamer_kind)k, 1u << SFT_GAIT_WAVE, &ground, 0, "wave");
        assert_true(s.blocked == 0);
    }
    expect_smooth(ROAMER_HEXAPOD, 1u << SFT_GAIT_RIPPLE, &ground, 0, "ripple");
    expect_smooth(ROAMER_SPIDER, 1u << SFT_GAIT_RIPPLE, &ground, 0, "ripple");
}

// Level, then 35 degrees up (1) or down (-1).
typedef struct hill
{
    double distances[3], heights[3];
    sft_ground_profile profile;
} hill;

static sft_ground make_hill(int way, hill* out)
{
    *out = (hill){.distances = {-50, 0.6, 100}, .heights = {0, 0, way * 0.70020754 * 99.4}};
    out->profile = (sft_ground_profile){.count = 3, .distances = out->distances, .heights = out->heights};
    return sft_ground_from_profile(&out->profile);
}

// Stairs up (1) or down (-1) as high and long as fits a leg.
#define TREADS 24
typedef struct stairs
{
    double distances[2 * TREADS + 2], heights[2 * TREADS + 2];
    sft_ground_profile profile;
} stairs;

static sft_ground make_stairs_of(double rise, double run, stairs* out)
{
    out->distances[0] = -50;
    out->heights[0] = 0;
    for (int i = 0; i < TREADS; ++i)
    {
        out->distances[2 * i + 1] = 0.5 + i * run;
        out->distances[2 * i + 2] = 0.5 + i * run + 1e-4;
        out->heights[2 * i + 1] = i * rise;
        out->heights[2 * i + 2] = (i + 1) * rise;
    }
    out->distances[2 * TREADS + 1] = 100;
    out->heights[2 * TREADS + 1] = TREADS * rise;
    out->profile = (sft_ground_profile){.count = 2 * TREADS + 2, .distances = out->distances, .heights = out->heights};
    return sft_ground_from_profile(&out->profile);
}

static sft_ground make_stairs(const roamer* made, int way, stairs* out)
{
    return make_stairs_of(way * 0.1 * made->def.legs[0].reach_max, 0.5 * made->def.legs[0].reach_max, out);
}

static void test_creature_smooth__at_kinks(void** state)
{
    (void)state;
    for (int k = 0; k < ROAMER_KINDS; ++k)
        for (int way = -1; way <= 1; way += 2)
        {
            hill slope;
            const sft_ground ground = make_hill(way, &slope);
            const seen s = expect_smooth((roamer_kind)k, 0, &ground, 0, way < 0 ? "35 degrees down" : "35 degrees up");
            // Before, feet passed their hips at a quarter of where they rest, and a thigh turned by 14,800 deg/s. On
            // level ground a lizard's, which is short and steps quickly, turns by 3,400.
            assert_true(s.nearest > 0.35);
            assert_true(s.spin < (k == ROAMER_LIZARD ? 3700 : 1800));
        }
}

static void test_creature_smooth__on_stairs(void** state)
{
    (void)state;
    for (int k = 0; k < ROAMER_KINDS; ++k)
        for (int way = -1; way <= 1; way += 2)
        {
            roamer made;
            stairs steps;
            make_roamer((roamer_kind)k, &made);
            const sft_ground ground = make_stairs(&made, way, &steps);
            release_roamer(&made);
            expect_smooth((roamer_kind)k, 0, &ground, 0, way < 0 ? "stairs down" : "stairs up");
        }
}

// Parts of a leg. On treads as short as a foot, and where one foot stands two stairs over the other, a foot in the air
// used to be pushed round its hip by the shortest reach of its leg: a thigh turned by 11,400 deg/s, 3.4 times as fast
// as on level ground. And feet that had no place on such treads held the body for 4 to 7 hundredths of the time. A step
// up stairs is the same step as on level ground but for its lift.
static void test_creature_smooth__on_stairs_as_short_as_feet(void** state)
{
    (void)state;
    static const double sizes[][2] = {{0.12, 0.35}, {0.06, 0.2}, {0.2, 0.35}, {-0.15, 0.35}};
    const sft_ground flat = sft_ground_from_plane(&level);
    roamer made;
    make_roamer(ROAMER_LIZARD, &made);
    assert_int_equal(sft_creature_find(made.skeleton, NULL, NULL, &made.def, NULL), SFT_OK);
    const seen plain = walk(&made, 0, &flat, 16, 0, true);
    assert_true(plain.slow == 0);
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; ++i)
    {
        stairs steps;
        const double leg = made.def.legs[0].reach_max;
        const sft_ground ground = make_stairs_of(sizes[i][0] * leg, sizes[i][1] * leg, &steps);
        const seen s = walk(&made, 0, &ground, 16, 0, true);
        print_message("stairs of %.2f and %.2f legs: %.2f m (%.2f on level ground), slow %.4f, spin %.0f (%.0f)\n",
                      sizes[i][0], sizes[i][1], s.way, plain.way, s.slow, s.spin, plain.spin);
        assert_true(s.spin < 1.15 * plain.spin);
        assert_true(s.slow < 0.01);
        assert_true(s.way > 0.9 * plain.way);
    }
    release_roamer(&made);
}

// The joint of the body as it is posed. On level ground its jolts are those of bob and starting; feet that come to the
// ends of their legs, and ground that rises and falls, may add to them no more than as much again. Where a lizard meets
// rising ground its whole length tilts, hips down first: while the tilt went with the feet's eased time, three times as
// fast in their middle as on the whole, that was three times as much.
static void test_creature_smooth__with_its_bob(void** state)
{
    (void)state;
    for (int k = 0; k < ROAMER_KINDS; ++k)
    {
        double least = 0;
        for (int which = 0; which < 5; ++which)
        {
            roamer made;
            hill slope;
            stairs steps;
            make_roamer((roamer_kind)k, &made);
            assert_int_equal(sft_creature_find(made.skeleton, NULL, NULL, &made.def, NULL), SFT_OK);
            const int way = which % 2 == 0 ? -1 : 1;
            const sft_ground ground = which == 0  ? sft_ground_from_plane(&level)
                                      : which < 3 ? make_hill(way, &slope)
                                                  : make_stairs(&made, way, &steps);
            const seen s = walk(&made, 0, &ground, 16, 0, true);
            print_message("%s on ground %d: %.3f m/s in a thirtieth of a second\n", names[k], which, s.jolt);
            if (which == 0) least = s.jolt;
            assert_true(s.jolt <= 2 * least);
            release_roamer(&made);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_creature_smooth__on_level_ground),
        cmocka_unit_test(test_creature_smooth__at_kinks),
        cmocka_unit_test(test_creature_smooth__on_stairs),
        cmocka_unit_test(test_creature_smooth__on_stairs_as_short_as_feet),
        cmocka_unit_test(test_creature_smooth__with_its_bob),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
