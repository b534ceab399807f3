// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// What makes a walk look alive, measured on the joints of creatures seen in skeletons: arms, the chest against the
// hips, a level head, a tail whose bends run out, and a first frame that looks where it looks.

#include "support/figures.h"
#include "support/posing.h"

#define DEGREES(d) ((d) * (3.14159265358979323846 / 180.0))

typedef struct walker
{
    sft_skeleton* skeleton;
    sft_creature_def def;
    sft_creature* creature;
    sft_creature_state* state;
    sft_xformd *world, *rest;
    sft_ground_plane plane;
    sft_ground ground;
} walker;

// A creature as it is seen in a skeleton, which it takes over, placed facing +Z on level ground.
static void see(sft_skeleton* skeleton, walker* out)
{
    sft_error error = {0};
    memset(out, 0, sizeof *out);
    out->skeleton = skeleton;
    if (sft_creature_find(skeleton, NULL, NULL, &out->def, &error) != SFT_OK) fail_msg("%s", error.message);
    if (sft_creature_create(&out->def, skeleton, NULL, &out->creature, &error) != SFT_OK) fail_msg("%s", error.message);
    const size_t joints = (size_t)skeleton->joint_count, size = sft_creature_state_size(out->creature);
    void* memory = malloc(size);
    out->world = calloc(joints, sizeof *out->world);
    out->rest = calloc(joints, sizeof *out->rest);
    assert_true(memory != NULL && out->world != NULL && out->rest != NULL);
    sft_skeleton_forward(skeleton, skeleton->rest_translations, skeleton->rest_rotations, out->rest);
    out->plane = (sft_ground_plane){.normal = {0, 1, 0}};
    out->ground = sft_ground_from_plane(&out->plane);
    const sft_xformd place = {{0, 0, 0}, sft_quatd_identity()};
    assert_int_equal(sft_creature_place(out->creature, place, &out->ground, memory, size, &out->state), SFT_OK);
    sft_creature_get_world(out->creature, out->state, out->world);
}

static void release(walker* w)
{
    sft_creature_destroy(w->creature, NULL);
    sft_skeleton_destroy(w->skeleton, NULL);
    free(w->state);
    free(w->world);
    free(w->rest);
}

static void step(walker* w, const sft_v3d* look)
{
    const sft_creature_input input = {
        .kind = SFT_CREATURE_GO_TO, .goal = {0, 0, 1000}, .ground = &w->ground, .look = look};
    assert_int_equal(sft_creature_step(w->creature, &input, w->state), SFT_OK);
    sft_creature_get_world(w->creature, w->state, w->world);
    const sft_creature_foot* feet = sft_creature_get_feet(w->creature, w->state);
    for (int32_t l = 0; l < w->def.leg_count; ++l)
    {
        const sft_creature_leg* leg = &w->def.legs[l];
        assert_true(sft_v3d_distance(w->world[leg->joints[leg->joint_count - 1]].t, feet[l].position) < 1e-9);
    }
}

/// Rotation vector of a joint away from the rest pose; creatures here face +Z and walk straight on.
static sft_v3d turned(const walker* w, int32_t joint)
{
    return sft_quatd_log(sft_quatd_mul(w->world[joint].r, sft_quatd_conjugate(w->rest[joint].r)));
}

static double hang_angle(const walker* w, const sft_creature_arm* arm)
{
    const sft_v3d way = sft_v3d_sub(w->world[arm->joints[1]].t, w->world[arm->joints[0]].t);
    return angle_of(way, sft_v3d_make(0, -1, 0));
}

static void test_creature_look__arms_hang_however_the_rest_pose_holds_them(void** state)
{
    (void)state;
    walker w;
    see(figure_person(), &w);
    assert_int_equal(w.def.arm_count, 2);
    for (int32_t i = 0; i < 2; ++i)
    {
        const sft_creature_arm* arm = &w.def.arms[i];
        // The figure stands in a T: that is what makes this a test.
        const sft_v3d rest = sft_v3d_sub(w.rest[arm->joints[1]].t, w.rest[arm->joints[0]].t);
        assert_true(angle_of(rest, sft_v3d_make(0, -1, 0)) > DEGREES(40));
        assert_true(hang_angle(&w, arm) < arm->hang + 1e-6);
        // The hand is below the elbow and, as elbows bend, ahead of it.
        const sft_v3d lower = sft_v3d_sub(w.world[arm->joints[2]].t, w.world[arm->joints[1]].t);
        assert_true(lower.y < 0 && lower.z > 0);
        assert_near(angle_of(lower, sft_v3d_sub(w.world[arm->joints[1]].t, w.world[arm->joints[0]].t)), arm->bend,
                    0.05 * arm->bend);
    }
    release(&w);
}

static void test_creature_look__arms_swing_against_the_legs(void** state)
{
    (void)state;
    walker w;
    see(figure_person(), &w);
    double against = 0, most[2] = {-1, -1}, least[2] = {1, 1};
    for (int i = 0; i < 1200; ++i)
    {
        step(&w, NULL);
        if (i < 360) continue;
        for (int32_t k = 0; k < 2; ++k)
        {
            const sft_creature_arm* arm = &w.def.arms[k];
            const sft_creature_leg* leg = &w.def.legs[w.def.legs[0].side == arm->side ? 0 : 1];
            const sft_v3d way = sft_v3d_sub(w.world[arm->joints[1]].t, w.world[arm->joints[0]].t);
            const sft_v3d foot = sft_v3d_sub(w.world[leg->joints[2]].t, w.world[leg->joints[0]].t);
            const double ahead = atan2(way.z, -way.y);
            most[k] = sft_maxd(most[k], ahead);
            least[k] = sft_mind(least[k], ahead);
            against += ahead * foot.z;
        }
    }
    assert_true(against < 0);
    for (int32_t k = 0; k < 2; ++k)
        assert_true(most[k] > DEGREES(12) && least[k] < DEGREES(-12));
    release(&w);
}

static void test_creature_look__wings_do_not_hang(void** state)
{
    (void)state;
    sft_skeleton* plain = figure_person();
    walker w;
    see(plain, &w);
    const char** names = calloc((size_t)plain->joint_count, sizeof *names);
    assert_non_null(names);
    for (int32_t j = 0; j < plain->joint_count; ++j)
        names[j] = plain->names[j];
    for (int32_t k = 0; k < 2; ++k)
        for (int m = 0; m < 3; ++m)
            names[w.def.arms[k].joints[m]] = k == 0 ? (m == 0   ? "wing_1_L"
                                                       : m == 1 ? "wing_2_L"
                                                                : "wing_3_L")
                                                    : (m == 0   ? "wing_1_R"
                                                       : m == 1 ? "wing_2_R"
                                                                : "wing_3_R");
    sft_skeleton winged = *plain, *copy = NULL;
    winged.names = names;
    assert_int_equal(sft_skeleton_create(&winged, NULL, &copy), SFT_OK);
    sft_creature_def def;
    assert_int_equal(sft_creature_find(copy, NULL, NULL, &def, NULL), SFT_OK);
    assert_int_equal(def.arm_count, 0);
    sft_skeleton_destroy(copy, NULL);
    free(names);
    release(&w);
}

/// Made for skinning, rest poses stand astride, with knees that lean back a little. Who walks does neither.
static void test_creature_look__people_stand_over_their_feet_and_bend_their_knees_ahead(void** state)
{
    (void)state;
    sft_skeleton* plain = figure_person();
    sft_creature_def as_is;
    assert_int_equal(sft_creature_find(plain, NULL, NULL, &as_is, NULL), SFT_OK);
    sft_v3d* offsets = calloc((size_t)plain->joint_count, sizeof *offsets);
    assert_non_null(offsets);
    memcpy(offsets, plain->rest_translations, (size_t)plain->joint_count * sizeof *offsets);
    for (int32_t l = 0; l < 2; ++l)
    {
        const sft_creature_leg* leg = &as_is.legs[l];
        const double side = leg->side == SFT_LEG_LEFT ? 0.14 : -0.14, back = 0.008 + offsets[leg->joints[1]].z;
        offsets[leg->joints[1]] = sft_v3d_add(offsets[leg->joints[1]], sft_v3d_make(side, 0, -back));
        offsets[leg->joints[2]] = sft_v3d_add(offsets[leg->joints[2]], sft_v3d_make(side, 0, back));
    }
    sft_skeleton astride = *plain, *copy = NULL;
    astride.rest_translations = offsets;
    assert_int_equal(sft_skeleton_create(&astride, NULL, &copy), SFT_OK);
    sft_skeleton_destroy(plain, NULL);
    free(offsets);
    walker w;
    see(copy, &w);
    for (int i = 0; i < 720; ++i)
    {
        step(&w, NULL);
        for (int32_t l = 0; l < 2; ++l)
        {
            const sft_creature_leg* leg = &w.def.legs[l];
            const sft_v3d hip = w.world[leg->joints[0]].t, knee = w.world[leg->joints[1]].t;
            const sft_v3d foot = w.world[leg->joints[2]].t;
            const double length = w.creature->limbs[l].length;
            // Feet were 0.28 m aside of the hips; the hips sway too.
            assert_true(fabs(foot.x - hip.x) < 0.14 * length);
            const sft_v3d middle = sft_v3d_scale(0.5, sft_v3d_add(hip, foot));
            assert_true(knee.z > middle.z);
        }
    }
    release(&w);
}

/// The body is highest, and over the foot that stands, while the other passes it.
static void test_creature_look__the_body_rises_over_the_foot_that_stands(void** state)
{
    (void)state;
    walker w;
    see(figure_person(), &w);
    double high = 0, side = 0, square = 0, height = 0, mean = 0;
    int n = 0;
    for (int i = 0; i < 1320; ++i)
    {
        step(&w, NULL);
        if (i >= 360) mean += w.world[w.def.body].t.y / 960;
    }
    for (int i = 0; i < 960; ++i)
    {
        step(&w, NULL);
        const sft_creature_foot* feet = sft_creature_get_feet(w.creature, w.state);
        if (!feet[0].swinging && !feet[1].swinging) continue;
        const int s = feet[0].swinging ? 0 : 1;
        const double wave = -cos(2 * 3.14159265358979 * feet[s].time), up = w.world[w.def.body].t.y - mean;
        high += wave * up;
        square += wave * wave;
        height += up * up;
        const double aside = w.world[w.def.body].t.x - feet[1 - s].position.x;
        side += fabs(feet[s].time - 0.5) < 0.25 ? fabs(aside) - fabs(w.world[w.def.body].t.x - feet[s].position.x) : 0;
        ++n;
    }
    const double goes_with = high / sqrt(square * height);
    print_message("[   INFO   ] height goes with the swing by %.2f\n", goes_with);
    assert_true(n > 600 && goes_with > 0.7 && side < 0);
    release(&w);
}

/// The hips of a walker turn and drop; its shoulders go against them; its head does neither.
static void test_creature_look__shoulders_go_against_hips_and_the_head_stays_level(void** state)
{
    (void)state;
    for (int kind = 0; kind < 2; ++kind)
    {
        walker w;
        roamer made = {0};
        if (kind == 0) make_roamer(ROAMER_LIZARD, &made);
        see(kind == 0 ? made.skeleton : figure_person(), &w);
        assert_true(w.def.spine_count > 0 && w.def.head_count > 0);
        const int32_t chest = w.def.spine[w.def.spine_count - 1].joint;
        const int32_t head = w.def.head[w.def.head_count - 1].joint;
        double yaw = 0, roll = 0, against_yaw = 0, against_roll = 0, nod = 0, low = 1e9, high = -1e9;
        for (int i = 0; i < 1200; ++i)
        {
            const sft_v3d look = {0, w.rest[head].t.y, 1e6};
            step(&w, &look);
            if (i < 360) continue;
            const sft_v3d hips = turned(&w, w.def.body), shoulders = turned(&w, chest), top = turned(&w, head);
            yaw = sft_maxd(yaw, fabs(hips.y));
            roll = sft_maxd(roll, fabs(hips.z));
            against_yaw += hips.y * shoulders.y;
            against_roll += hips.z * shoulders.z;
            nod = sft_maxd(nod, sft_maxd(fabs(top.z), fabs(top.y)));
            low = sft_mind(low, w.world[w.def.body].t.y);
            high = sft_maxd(high, w.world[w.def.body].t.y);
        }
        const double length = w.creature->limbs[0].length;
        print_message("[   INFO   ] hips turn %.1f and drop %.1f degrees, rise by %.3f of a leg; the head turns %.2f\n",
                      yaw / DEGREES(1), roll / DEGREES(1), (high - low) / length, nod / DEGREES(1));
        assert_true(yaw > DEGREES(kind == 0 ? 9 : 4) && roll > DEGREES(3));
        assert_true(against_yaw < 0 && against_roll < 0);
        assert_true(high - low > 0.03 * length);
        assert_true(nod < DEGREES(1));
        release(&w);
    }
}

/// A stride ends where the bob brings hips and feet nearer: it is kept there, so that a pelvis turns alike to both
/// sides. It was 6.0 degrees to one and 4.2 to the other.
static void test_creature_look__a_pelvis_turns_alike_to_both_sides(void** state)
{
    (void)state;
    walker w;
    see(figure_person(), &w);
    double left = 0, right = 0, given = 0;
    for (int i = 0; i < 1800; ++i)
    {
        step(&w, NULL);
        if (i < 600) continue;
        const double yaw = turned(&w, w.def.body).y;
        left = sft_maxd(left, yaw);
        right = sft_maxd(right, -yaw);
        given += w.state->body.bob_given / 1200;
    }
    print_message("[   INFO   ] hips turn %.2f degrees to the left, %.2f to the right; %.2f of the bob\n",
                  left / DEGREES(1), right / DEGREES(1), given);
    assert_true(fabs(left - right) < 0.05 * left && given > 0.9);
    release(&w);
}

/// Feet feel how the hips turn against a look aside, not the chest that no leg hangs from: it looks on, without a jolt
/// at each stride's end. It went at up to 438 degrees a second.
static void test_creature_look__a_chest_without_legs_keeps_its_look_aside(void** state)
{
    (void)state;
    walker w;
    see(figure_person(), &w);
    const int32_t chest = w.def.spine[w.def.spine_count - 1].joint;
    double fastest = 0, least = 4;
    sft_v3d last = {0, 0, 0};
    for (int i = 0; i < 1800; ++i)
    {
        const sft_v3d look = sft_v3d_add(w.state->body.place.t, sft_v3d_make(5, 1, 2));
        step(&w, &look);
        const sft_v3d is = turned(&w, chest);
        if (i > 600) fastest = sft_maxd(fastest, sft_v3d_distance(is, last) * SFT_CREATURE_RATE);
        if (i > 600) least = sft_mind(least, is.y);
        last = is;
    }
    print_message("[   INFO   ] the chest turns at most %.0f degrees a second, and is %.0f degrees aside at least\n",
                  fastest / DEGREES(1), least / DEGREES(1));
    assert_true(fastest < DEGREES(200) && least > DEGREES(10));
    release(&w);
}

/// Strides that use the legs' reach leave insects some of their sway: it was a quarter, since folded legs counted as
/// much as stretched ones.
static void test_creature_look__insects_keep_most_of_their_sway(void** state)
{
    (void)state;
    for (int kind = ROAMER_HEXAPOD; kind <= ROAMER_SPIDER; ++kind)
    {
        roamer made;
        make_roamer((roamer_kind)kind, &made);
        walker w;
        see(made.skeleton, &w);
        double given = 0;
        for (int i = 0; i < 1200; ++i)
        {
            step(&w, NULL);
            if (i >= 360) given += w.state->body.bob_given / 840;
        }
        print_message("[   INFO   ] %d: %.2f of the bob\n", kind, given);
        assert_true(given > 0.5);
        release(&w);
    }
}

static void test_creature_look__bends_of_a_tail_run_out_to_its_tip(void** state)
{
    (void)state;
    roamer made;
    make_roamer(ROAMER_LIZARD, &made);
    walker w;
    see(made.skeleton, &w);
    const int32_t last = w.def.tail_count - 1;
    // How the last joint's bend goes with that of the first so many steps before: best where the wave has come by.
    double first[1200], tip[1200], best = -1e9;
    int lag = 0;
    for (int i = 0; i < 1200; ++i)
    {
        step(&w, NULL);
        first[i] = w.state->tail_part[0];
        tip[i] = w.state->tail_part[last];
    }
    for (int by = 0; by < 30; ++by)
    {
        double sum = 0;
        for (int i = 600; i < 1200; ++i)
            sum += tip[i] * first[i - by];
        if (sum > best) best = sum, lag = by;
    }
    print_message("[   INFO   ] the tip is %d steps after the root\n", lag);
    assert_true(lag >= 8 && lag <= 26);
    release(&w);
}

/// Faced where it looks, nothing of it is on its way in its first steps.
static void test_creature_look__the_first_frame_looks_where_it_looks(void** state)
{
    (void)state;
    for (int faced = 0; faced < 2; ++faced)
    {
        roamer made;
        make_roamer(ROAMER_LIZARD, &made);
        walker w;
        see(made.skeleton, &w);
        const sft_v3d look = {0.8, 0.3, 0.9};
        if (faced == 1) assert_int_equal(sft_creature_face(w.creature, &look, w.state), SFT_OK);
        sft_creature_get_world(w.creature, w.state, w.world);
        sft_quatd before[2];
        double fastest = 0;
        for (int k = 0; k < 2; ++k)
            before[k] = w.world[w.def.eyes[k].joint].r;
        const int32_t head = w.def.head[w.def.head_count - 1].joint;
        if (faced == 1)
        {
            const sft_v3d nose = sft_quatd_rotate(sft_quatd_mul(w.world[head].r, sft_quatd_conjugate(w.rest[head].r)),
                                                  sft_v3d_make(0, 0, 1));
            assert_true(angle_of(nose, sft_v3d_sub(look, w.world[head].t)) < DEGREES(2));
            assert_near(w.state->body.tail_bend, 0, 1e-12);
        }
        for (int i = 0; i < 4; ++i)
        {
            step(&w, &look);
            for (int k = 0; k < 2; ++k)
            {
                const sft_quatd now = w.world[w.def.eyes[k].joint].r;
                fastest = sft_maxd(fastest, 120 * angle_between(before[k], now));
                before[k] = now;
            }
        }
        // Not faced, they race: that is what makes this a test.
        assert_true(faced == 1 ? fastest < DEGREES(30) : fastest > DEGREES(100));
        release(&w);
    }
}

static void test_creature_look__facing_refuses_what_is_no_place(void** state)
{
    (void)state;
    roamer made;
    make_roamer(ROAMER_BIPED, &made);
    walker w;
    see(made.skeleton, &w);
    const sft_v3d nowhere = {NAN, 0, 0};
    assert_int_equal(sft_creature_face(NULL, NULL, w.state), SFT_ERR_ARG);
    assert_int_equal(sft_creature_face(w.creature, NULL, NULL), SFT_ERR_ARG);
    assert_int_equal(sft_creature_face(w.creature, &nowhere, w.state), SFT_ERR_RANGE);
    assert_int_equal(sft_creature_face(w.creature, NULL, w.state), SFT_OK);
    release(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_creature_look__arms_hang_however_the_rest_pose_holds_them),
        cmocka_unit_test(test_creature_look__arms_swing_against_the_legs),
        cmocka_unit_test(test_creature_look__wings_do_not_hang),
        cmocka_unit_test(test_creature_look__people_stand_over_their_feet_and_bend_their_knees_ahead),
        cmocka_unit_test(test_creature_look__the_body_rises_over_the_foot_that_stands),
        cmocka_unit_test(test_creature_look__shoulders_go_against_hips_and_the_head_stays_level),
        cmocka_unit_test(test_creature_look__a_pelvis_turns_alike_to_both_sides),
        cmocka_unit_test(test_creature_look__a_chest_without_legs_keeps_its_look_aside),
        cmocka_unit_test(test_creature_look__insects_keep_most_of_their_sway),
        cmocka_unit_test(test_creature_look__bends_of_a_tail_run_out_to_its_tip),
        cmocka_unit_test(test_creature_look__the_first_frame_looks_where_it_looks),
        cmocka_unit_test(test_creature_look__facing_refuses_what_is_no_place),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
