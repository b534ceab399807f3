// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// Reference poses of figures whose rest pose says little or something wrong: knots, frames of a motion, rolled limbs,
// feet that point down; and input that is no figure at all.

#include "support/angles.h"
#include "support/figures.h"

#include <math.h>

#define DEGREES (SFT_PI / 180.0)

static double off(const figure* f, const sft_rig* rig, int joint)
{
    return angle_between(rig->pose[joint].r, f->orientation[joint]);
}

static void assert_pose(const figure* f, const sft_rig* rig, double radians)
{
    for (int j = 0; j < f->count; ++j)
        if (off(f, rig, j) > radians) fail_msg("%s: %g degrees off", f->names[j], off(f, rig, j) / DEGREES);
}

// The same joint axes in the T-pose: its rest pose is a frame of the figure.
static figure standing(const figure_def* def)
{
    figure_def plain = *def;
    plain.stance = FIGURE_T;
    plain.arm_roll = plain.palm_roll = plain.elbow_bend = plain.knee_bend = plain.knee_roll = 0.0;
    plain.foot_out = plain.toe_down = plain.lean = 0.0;
    figure out;
    figure_make(&plain, &out);
    return out;
}

// Frames first to last become the rest pose of `pose`.
static void set_frames(const figure* pose, sft_clip* clip, int first, int last)
{
    for (int k = first; k <= last; ++k)
    {
        memcpy(clip->translations + k * pose->count, pose->rest_t, (size_t)pose->count * sizeof *pose->rest_t);
        memcpy(clip->rotations + k * pose->count, pose->rest_r, (size_t)pose->count * sizeof *pose->rest_r);
    }
}

// ---- which pose ----

static void test_rig_reference_hard__knot_gives_way_to_the_t_pose_of_frame_0(void** state)
{
    (void)state;
    for (int seed = 1; seed < 6; ++seed)
    {
        figure_def def = figure_default();
        def.stance = FIGURE_BUNDLE;
        def.axes = FIGURE_AXES_RANDOM;
        def.seed = (uint64_t)seed;
        def.facing = 0.5 * seed;
        figure f;
        figure_make(&def, &f);
        sft_clip* clip = figure_dance(&f, 40, 0.04);
        const figure t = standing(&def);
        set_frames(&t, clip, 0, 0);
        sft_rig* rig = figure_rig(&f, clip);
        assert_int_equal(rig->pose_frame, 0);
        assert_int_equal(rig->stance, SFT_STANCE_T);
        assert_non_null(strstr(rig->reason, "frame 0"));
        figure_assert_limbs(&f, rig);
        assert_pose(&f, rig, 1e-6);
        sft_rig_destroy(rig, NULL);
        sft_clip_destroy(clip, NULL);
    }
}

static void test_rig_reference_hard__knot_with_a_dance_alone_is_near_the_truth(void** state)
{
    (void)state;
    for (int seed = 1; seed < 6; ++seed)
    {
        figure_def def = figure_default();
        def.stance = FIGURE_BUNDLE;
        def.axes = FIGURE_AXES_RANDOM;
        def.seed = (uint64_t)seed;
        def.facing = 0.9 * seed;
        figure f;
        figure_make(&def, &f);
        sft_clip* clip = figure_dance(&f, 56, 0.04); // two turns
        sft_rig* rig = figure_rig(&f, clip);
        assert_true(rig->pose_frame != SFT_RIG_POSE_REST);
        figure_assert_limbs(&f, rig);
        for (int side = 0; side < 2; ++side)
        {
            assert_true(off(&f, rig, f.thigh[side]) < 12.0 * DEGREES);
            assert_true(off(&f, rig, f.shin[side]) < 12.0 * DEGREES);
            assert_true(off(&f, rig, f.upper_arm[side]) < 20.0 * DEGREES);
            assert_true(off(&f, rig, f.hand[side]) < 20.0 * DEGREES);
        }
        assert_true(off(&f, rig, f.hips) < 8.0 * DEGREES);
        // The dancer bends forward by 11 degrees all the time: no rest pose stoops so, and heads look ahead.
        assert_true(off(&f, rig, f.chest) < 8.0 * DEGREES);
        assert_true(off(&f, rig, f.head) < 12.0 * DEGREES);
        sft_rig_destroy(rig, NULL);
        sft_clip_destroy(clip, NULL);
    }
}

static void test_rig_reference_hard__good_rest_pose_is_kept_beside_any_clip(void** state)
{
    (void)state;
    for (int stance = 0; stance < 3; ++stance)
    {
        figure_def def = figure_default();
        def.stance = (figure_stance)stance;
        def.axes = FIGURE_AXES_RANDOM;
        figure f;
        figure_make(&def, &f);
        sft_clip* clip = figure_dance(&f, 56, 0.04);
        sft_rig* rig = figure_rig(&f, clip);
        assert_int_equal(rig->pose_frame, SFT_RIG_POSE_REST);
        for (int j = 0; j < f.count; ++j)
            if (f.meanings[j].part != SFT_PART_FOOT && f.meanings[j].part != SFT_PART_TOE &&
                f.meanings[j].part != SFT_PART_NONE)
                assert_true(off(&f, rig, j) < 1e-7);
        sft_rig_destroy(rig, NULL);
        sft_clip_destroy(clip, NULL);
    }
}

static void test_rig_reference_hard__sitting_rest_pose_without_a_clip_stands(void** state)
{
    (void)state;
    figure_def def = figure_default();
    def.stance = FIGURE_SIT;
    def.axes = FIGURE_AXES_RANDOM;
    figure f;
    figure_make(&def, &f);
    sft_rig* rig = figure_rig(&f, NULL);
    figure_assert_limbs(&f, rig);
    assert_pose(&f, rig, 1e-6);
    sft_rig_destroy(rig, NULL);
}

static void test_rig_reference_hard__mean_can_be_asked_for(void** state)
{
    (void)state;
    figure_def def = figure_default();
    figure f;
    figure_make(&def, &f);
    sft_clip* clip = figure_dance(&f, 56, 0.04);
    sft_skeleton* skeleton = figure_skeleton(&f);
    sft_rig_def rd = sft_default_rig_def();
    rd.meanings = f.meanings;
    rd.legs = f.legs;
    rd.leg_count = f.leg_count;
    rd.pose_frame = SFT_RIG_POSE_MEAN;
    sft_rig* rig = NULL;
    assert_int_equal(sft_rig_create(&rd, skeleton, NULL, NULL, &rig), SFT_ERR_ARG);
    assert_int_equal(sft_rig_create(&rd, skeleton, clip, NULL, &rig), SFT_OK);
    assert_int_equal(rig->pose_frame, SFT_RIG_POSE_MEAN);
    figure_assert_limbs(&f, rig);
    sft_rig_destroy(rig, NULL);
    sft_skeleton_destroy(skeleton, NULL);
    sft_clip_destroy(clip, NULL);
}

// ---- roll ----

static void test_rig_reference_hard__arms_rolled_whole_are_set_by_the_palms(void** state)
{
    (void)state;
    const double rolls[4] = {30.0, 90.0, -60.0, 170.0};
    for (int i = 0; i < 12; ++i)
    {
        figure_def def = figure_default();
        def.stance = (figure_stance)(i % 3);
        def.axes = FIGURE_AXES_RANDOM;
        def.arm_roll = rolls[i / 3] * DEGREES;
        figure f;
        figure_make(&def, &f);
        sft_rig* rig = figure_rig(&f, NULL);
        figure_assert_limbs(&f, rig);
        assert_pose(&f, rig, 1e-6);
        assert_non_null(strstr(rig->reason, "palms"));
        sft_rig_destroy(rig, NULL);
    }
}

static void test_rig_reference_hard__small_rolls_are_the_builders_own(void** state)
{
    (void)state;
    figure_def def = figure_default();
    def.arm_roll = 15.0 * DEGREES;
    def.knee_roll = 15.0 * DEGREES;
    figure f;
    figure_make(&def, &f);
    sft_rig* rig = figure_rig(&f, NULL);
    assert_true(fabs(off(&f, rig, f.hand[0]) - 15.0 * DEGREES) < 1e-6);
    assert_true(fabs(off(&f, rig, f.thigh[1]) - 15.0 * DEGREES) < 1e-6);
    sft_rig_destroy(rig, NULL);
}

static void test_rig_reference_hard__hinges_in_the_clip_tell_upper_arm_from_forearm(void** state)
{
    (void)state;
    for (int i = 0; i < 3; ++i)
    {
        figure_def def = figure_default();
        def.axes = FIGURE_AXES_RANDOM;
        def.seed = (uint64_t)i + 3;
        def.arm_roll = i == 1 ? 60.0 * DEGREES : 0.0;
        def.palm_roll = i == 0 ? 80.0 * DEGREES : 0.0;
        def.knee_roll = i == 2 ? 50.0 * DEGREES : 0.0;
        figure f;
        figure_make(&def, &f);
        sft_clip* clip = figure_dance(&f, 56, 0.04);
        sft_rig* rig = figure_rig(&f, clip);
        figure_assert_limbs(&f, rig);
        for (int side = 0; side < 2; ++side)
        {
            // The dance's elbows bend about an axis that wanders a little.
            assert_true(off(&f, rig, f.upper_arm[side]) < 12.0 * DEGREES);
            assert_true(off(&f, rig, f.forearm[side]) < 1.0 * DEGREES);
            assert_true(off(&f, rig, f.hand[side]) < 1.0 * DEGREES);
            assert_true(off(&f, rig, f.thigh[side]) < 3.0 * DEGREES);
            assert_true(off(&f, rig, f.shin[side]) < 3.0 * DEGREES);
        }
        sft_rig_destroy(rig, NULL);
        sft_clip_destroy(clip, NULL);
    }
}

// ---- feet ----

static void test_rig_reference_hard__feet_that_point_down_are_levelled_as_they_stand(void** state)
{
    (void)state;
    for (int i = 0; i < 4; ++i)
    {
        figure_def def = figure_default();
        def.axes = FIGURE_AXES_RANDOM;
        def.toe_down = i == 3 ? -0.4 : 0.3 + 0.35 * i;
        def.foot_out = 0.15;
        figure f;
        figure_make(&def, &f);
        const figure t = standing(&def);
        sft_clip* clip = figure_dance(&f, 30, 0.04);
        set_frames(&t, clip, 0, 29);
        sft_rig* rig = figure_rig(&f, clip);
        assert_int_equal(rig->pose_frame, SFT_RIG_POSE_REST);
        assert_pose(&f, rig, 1e-6);
        assert_true(fabs(rig->sole_height - f.sole_height) < 1e-9);
        sft_rig_destroy(rig, NULL);
        sft_clip_destroy(clip, NULL);
    }
}

// A dancer on the balls of the feet: the rest pose's sole is the sole.
static void test_rig_reference_hard__level_rest_soles_are_not_tilted_by_a_dance(void** state)
{
    (void)state;
    figure_def def = figure_default();
    def.axes = FIGURE_AXES_RANDOM;
    figure f;
    figure_make(&def, &f);
    figure_def tiptoe = def;
    tiptoe.toe_down = 10.0 * DEGREES;
    figure up;
    figure_make(&tiptoe, &up);
    sft_clip* clip = figure_dance(&f, 30, 0.04);
    set_frames(&up, clip, 0, 29);
    sft_rig* rig = figure_rig(&f, clip);
    assert_pose(&f, rig, 1e-6);
    sft_rig_destroy(rig, NULL);
    sft_clip_destroy(clip, NULL);
}

static void test_rig_reference_hard__steep_feet_without_a_clip_go_by_the_heights_of_the_leg(void** state)
{
    (void)state;
    figure_def def = figure_default();
    def.toe_down = 60.0 * DEGREES; // toes 85 degrees down
    figure f;
    figure_make(&def, &f);
    sft_rig* rig = figure_rig(&f, NULL);
    assert_pose(&f, rig, 1e-6);
    sft_rig_destroy(rig, NULL);
    // What slopes as feet do is left as it was built.
    def.toe_down = 0.2;
    figure_make(&def, &f);
    rig = figure_rig(&f, NULL);
    assert_true(fabs(off(&f, rig, f.foot[0]) - 0.2) < 1e-6);
    sft_rig_destroy(rig, NULL);
}

// Shoes whose toe joint lies close below the ankle have level soles while heel to toe slopes by 65 degrees: the planted
// frames of a clip, 10 degrees away, do not tilt them.
static void test_rig_reference_hard__toe_joints_close_below_the_ankle_stand_as_built(void** state)
{
    (void)state;
    figure_def def = figure_default();
    def.toe_down = 40.0 * DEGREES;
    figure f, near;
    figure_make(&def, &f);
    def.toe_down = 30.0 * DEGREES;
    figure_make(&def, &near);
    sft_clip* clip = figure_dance(&f, 30, 0.04);
    set_frames(&near, clip, 0, 29);
    for (int with_clip = 0; with_clip < 2; ++with_clip)
    {
        sft_rig* rig = figure_rig(&f, with_clip ? clip : NULL);
        for (int side = 0; side < 2; ++side)
            assert_true(fabs(off(&f, rig, f.foot[side]) - def.toe_down - 10.0 * DEGREES) < 1e-6);
        sft_rig_destroy(rig, NULL);
    }
    sft_clip_destroy(clip, NULL);
}

// A person who stood for a scan: left and right foot slope by 3 degrees apart over level soles, in a frame that holds
// still. Of a moving frame that is the step.
static void test_rig_reference_hard__feet_of_a_frame_that_holds_still_are_its_own(void** state)
{
    (void)state;
    for (int held = 1; held < 3; ++held)
    {
        figure_def def = figure_default();
        def.stance = FIGURE_BUNDLE;
        def.axes = FIGURE_AXES_PLAIN;
        figure f;
        figure_make(&def, &f);
        sft_clip* clip = figure_dance(&f, 40, 0.04);
        figure t = standing(&def);
        sft_quatd* foot = &t.rest_r[f.foot[0]];
        *foot = sft_quatd_mul(sft_quatd_exp(sft_v3d_make(3.0 * DEGREES, 0, 0)), *foot);
        set_frames(&t, clip, 0, held - 1);
        sft_rig* rig = figure_rig(&f, clip);
        assert_int_equal(rig->pose_frame, 0);
        double slope[2];
        for (int side = 0; side < 2; ++side)
        {
            const sft_v3d way = sft_v3d_sub(rig->pose[f.toe[side]].t, rig->pose[f.foot[side]].t);
            slope[side] = atan2(-way.y, way.z);
        }
        assert_true(fabs(slope[0] - slope[1] - (held == 2 ? 3.0 * DEGREES : 0.0)) < 1e-6);
        sft_rig_destroy(rig, NULL);
        sft_clip_destroy(clip, NULL);
    }
}

// A foot that stands flat for half of the clip and on its toes, pitched by 50 degrees, for the other half: the mean has
// the toes bent by 25, and on the sole they lie as they do while the foot stands.
static void test_rig_reference_hard__toes_of_a_mean_lie_on_the_sole(void** state)
{
    (void)state;
    figure_def def = figure_default();
    def.axes = FIGURE_AXES_RANDOM;
    figure f, tiptoe;
    figure_make(&def, &f);
    def.toe_down = 50.0 * DEGREES;
    figure_make(&def, &tiptoe);
    sft_clip* clip = figure_dance(&f, 30, 0.04);
    set_frames(&f, clip, 0, 15);
    set_frames(&tiptoe, clip, 16, 29);
    for (int k = 16; k < 30; ++k)
        for (int side = 0; side < 2; ++side)
        {
            const int toe = f.toe[side], foot = f.parents[toe];
            const sft_quatd down = sft_quatd_exp(sft_v3d_make(50.0 * DEGREES, 0, 0));
            const sft_quatd up = sft_quatd_mul(down, f.orientation[foot]);
            clip->rotations[k * f.count + toe] = sft_quatd_mul(sft_quatd_conjugate(up), f.orientation[toe]);
            // The body goes up with the heels.
            clip->translations[k * f.count].y += side == 0 ? 0.1 : 0.0;
        }
    sft_skeleton* skeleton = figure_skeleton(&f);
    sft_rig_def rig_def = sft_default_rig_def();
    rig_def.pose_frame = SFT_RIG_POSE_MEAN;
    sft_rig* rig = NULL;
    assert_int_equal(sft_rig_create(&rig_def, skeleton, clip, NULL, &rig), SFT_OK);
    for (int side = 0; side < 2; ++side)
        assert_true(off(&f, rig, f.toe[side]) < 1e-6);
    sft_rig_destroy(rig, NULL);
    sft_skeleton_destroy(skeleton, NULL);
    sft_clip_destroy(clip, NULL);
}

// ---- names on the wrong sides, and no legs ----

// Exchanges the sides that names say: what a node scaled by -1 above a figure makes of it, seen from the figure.
static void exchange(char name[32])
{
    char out[32];
    if (strncmp(name, "Left", 4) == 0)
        snprintf(out, sizeof out, "Right%.26s", name + 4);
    else if (strncmp(name, "Right", 5) == 0)
        snprintf(out, sizeof out, "Left%.26s", name + 5);
    else
        return;
    memcpy(name, out, sizeof out);
}

static void test_rig_reference_hard__mirrored_names_do_not_turn_the_figure_round(void** state)
{
    (void)state;
    for (int k = 0; k < 4; ++k)
    {
        figure_def def = figure_default();
        def.stance = (figure_stance)(k % 3);
        def.facing = 0.7 * k;
        def.axes = (figure_axes)(k % 3);
        figure f;
        figure_make(&def, &f);
        int exchanged = 0;
        for (int j = 0; j < f.count; ++j)
        {
            char before[32];
            memcpy(before, f.names[j], sizeof before);
            exchange(f.names[j]);
            exchanged += strcmp(before, f.names[j]) != 0;
        }
        assert_true(exchanged > 20);
        sft_skeleton* skeleton = figure_skeleton(&f);
        sft_rig* rig = NULL;
        assert_int_equal(sft_rig_create(NULL, skeleton, NULL, NULL, &rig), SFT_OK);
        assert_true(fabs(rig->facing - f.facing) < 1e-9);
        for (int side = 0; side < 2; ++side)
        {
            assert_int_equal(rig->legs[side].side, side);
            assert_int_equal(rig->legs[side].hip, f.thigh[side]);
            assert_int_equal(rig->meanings[f.upper_arm[side]].part, SFT_PART_UPPER_ARM);
            assert_int_equal(rig->meanings[f.upper_arm[side]].side, side);
            // Names help as they do in any figure, once they are read the other way round.
            assert_true(rig->meanings[f.upper_arm[side]].confidence > 0.9f);
            assert_true(rig->meanings[f.foot[side]].confidence > 0.9f);
            const int limbs[6] = {f.upper_arm[side], f.forearm[side], f.thigh[side],
                                  f.shin[side],      f.foot[side],    f.hand[side]};
            for (int i = 0; i < 6; ++i)
                assert_true(off(&f, rig, limbs[i]) < 1e-6);
        }
        assert_non_null(strstr(rig->legs[0].reason, "mirrored"));
        sft_rig_destroy(rig, NULL);
        sft_skeleton_destroy(skeleton, NULL);
    }
}

// A target cut off at the hips: its arms come to where those of any other figure are.
static void test_rig_reference_hard__arms_without_legs_are_brought_to_the_sides(void** state)
{
    (void)state;
    figure_def def = figure_default();
    def.stance = FIGURE_A;
    def.axes = FIGURE_AXES_RANDOM;
    def.facing = 0.9;
    figure f;
    figure_make(&def, &f);
    for (int j = 0; j < f.count; ++j)
        if (f.meanings[j].part >= SFT_PART_THIGH && f.meanings[j].part <= SFT_PART_TOE)
            f.meanings[j] = (sft_joint_meaning){.side = SFT_LEG_MIDDLE, .digit = -1, .carrier = -1};
    sft_skeleton* skeleton = figure_skeleton(&f);
    sft_rig_def rig_def = sft_default_rig_def();
    rig_def.meanings = f.meanings;
    rig_def.legs = f.legs;
    rig_def.leg_count = 0;
    sft_rig* rig = NULL;
    assert_int_equal(sft_rig_create(&rig_def, skeleton, NULL, NULL, &rig), SFT_OK);
    assert_int_equal(rig->leg_count, 0);
    assert_true(fabs(rig->facing - f.facing) < 1e-9);
    for (int side = 0; side < 2; ++side)
    {
        assert_true(off(&f, rig, f.upper_arm[side]) < 1e-6);
        assert_true(off(&f, rig, f.forearm[side]) < 1e-6);
    }
    sft_rig_destroy(rig, NULL);
    sft_skeleton_destroy(skeleton, NULL);
}

// ---- what is no person, or nothing ----

static void test_rig_reference_hard__body_carried_level_on_two_legs_is_kept(void** state)
{
    (void)state;
    figure f;
    figure_make_animal(4, FIGURE_AXES_RANDOM, 9, &f);
    f.leg_count = 2;
    sft_rig* rig = figure_rig(&f, NULL);
    for (int j = 0; j < f.count; ++j)
        assert_true(off(&f, rig, j) < 1e-6);
    sft_rig_destroy(rig, NULL);
}

static void assert_finite(const sft_rig* rig)
{
    for (int32_t j = 0; j < rig->skeleton->joint_count; ++j)
    {
        assert_true(sft_v3d_in_range(rig->pose[j].t));
        assert_true(fabs(sft_quatd_dot(rig->pose[j].r, rig->pose[j].r) - 1.0) < 1e-9);
        assert_true(fabs(sft_quatd_dot(rig->pose_r[j], rig->pose_r[j]) - 1.0) < 1e-9);
    }
    assert_true(isfinite(rig->facing) && isfinite(rig->leg_length) && isfinite(rig->arm_length));
}

static void test_rig_reference_hard__bones_of_no_length_and_coincident_joints_are_finite(void** state)
{
    (void)state;
    support_rng rng = {5};
    for (int i = 0; i < 300; ++i)
    {
        figure_def def = figure_default();
        def.axes = (figure_axes)(i % 3);
        def.stance = (figure_stance)(i % 6);
        def.twist_count = i % 2;
        figure f;
        figure_make(&def, &f);
        const double part = i < 3 ? 1.0 : support_uniform(&rng, 0.02, 0.8);
        for (int j = 0; j < f.count; ++j)
            if (support_uniform(&rng, 0, 1) < part) f.rest_t[j] = sft_v3d_make(0, 0, 0);
        sft_clip* clip = i % 2 == 0 ? figure_dance(&f, 5, 0.04) : NULL;
        sft_rig* rig = figure_rig(&f, clip);
        assert_finite(rig);
        sft_rig_destroy(rig, NULL);
        sft_clip_destroy(clip, NULL);
    }
}

static void test_rig_reference_hard__one_joint_no_arms_one_leg(void** state)
{
    (void)state;
    const char* name = "only";
    const int32_t parent = -1;
    const sft_v3d t = {1, 2, 3};
    const sft_skeleton one = {1, &name, &parent, NULL, &t, NULL};
    sft_skeleton* skeleton = NULL;
    assert_int_equal(sft_skeleton_create(&one, NULL, &skeleton), SFT_OK);
    sft_rig* rig = NULL;
    assert_int_equal(sft_rig_create(NULL, skeleton, NULL, NULL, &rig), SFT_OK);
    assert_int_equal(rig->leg_count, 0);
    assert_finite(rig);
    sft_rig_destroy(rig, NULL);
    sft_skeleton_destroy(skeleton, NULL);
    figure_def def = figure_default();
    def.facing = 1.0;
    figure f;
    figure_make(&def, &f);
    for (int j = 0; j < f.count; ++j) // no arms
        if (f.meanings[j].part >= SFT_PART_CLAVICLE && f.meanings[j].part <= SFT_PART_FINGER)
            f.meanings[j].part = SFT_PART_NONE;
    rig = figure_rig(&f, NULL);
    assert_true(fabs(rig->arm_length) < 1e-12);
    assert_true(fabs(rig->facing + 1.0) < 1e-9);
    figure_assert_direction(rig, f.thigh[0], f.shin[0], sft_v3d_make(0, -1, 0));
    sft_rig_destroy(rig, NULL);
    figure_make(&def, &f);
    f.leg_count = 1; // the left one; the arms tell the sides
    rig = figure_rig(&f, NULL);
    assert_true(fabs(rig->facing + 1.0) < 1e-9);
    figure_assert_direction(rig, f.thigh[0], f.shin[0], sft_v3d_make(0, -1, 0));
    figure_assert_direction(rig, f.upper_arm[1], f.forearm[1], sft_v3d_make(-1, 0, 0));
    sft_rig_destroy(rig, NULL);
}

static void test_rig_reference_hard__bad_numbers_in_the_clip_are_refused(void** state)
{
    (void)state;
    figure_def def = figure_default();
    figure f;
    figure_make(&def, &f);
    sft_skeleton* skeleton = figure_skeleton(&f);
    for (int kind = 0; kind < 4; ++kind)
    {
        sft_clip* clip = figure_dance(&f, 10, 0.04);
        if (kind == 0) clip->translations[3 * f.count + 2].y = NAN;
        if (kind == 1) clip->rotations[3 * f.count + 2].w = INFINITY;
        if (kind == 2) clip->rotations[3 * f.count + 2] = (sft_quatd){0, 0, 0, 0};
        if (kind == 3) clip->translations[3 * f.count + 2].x = 1e7;
        sft_rig* rig = NULL;
        sft_rig_def rd = sft_default_rig_def();
        rd.meanings = f.meanings;
        rd.legs = f.legs;
        rd.leg_count = f.leg_count;
        assert_int_equal(sft_rig_create(&rd, skeleton, clip, NULL, &rig), SFT_ERR_RANGE);
        assert_null(rig);
        sft_clip_destroy(clip, NULL);
    }
    sft_skeleton_destroy(skeleton, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rig_reference_hard__knot_gives_way_to_the_t_pose_of_frame_0),
        cmocka_unit_test(test_rig_reference_hard__knot_with_a_dance_alone_is_near_the_truth),
        cmocka_unit_test(test_rig_reference_hard__good_rest_pose_is_kept_beside_any_clip),
        cmocka_unit_test(test_rig_reference_hard__sitting_rest_pose_without_a_clip_stands),
        cmocka_unit_test(test_rig_reference_hard__mean_can_be_asked_for),
        cmocka_unit_test(test_rig_reference_hard__arms_rolled_whole_are_set_by_the_palms),
        cmocka_unit_test(test_rig_reference_hard__small_rolls_are_the_builders_own),
        cmocka_unit_test(test_rig_reference_hard__hinges_in_the_clip_tell_upper_arm_from_forearm),
        cmocka_unit_test(test_rig_reference_hard__feet_that_point_down_are_levelled_as_they_stand),
        cmocka_unit_test(test_rig_reference_hard__level_rest_soles_are_not_tilted_by_a_dance),
        cmocka_unit_test(test_rig_reference_hard__steep_feet_without_a_clip_go_by_the_heights_of_the_leg),
        cmocka_unit_test(test_rig_reference_hard__toe_joints_close_below_the_ankle_stand_as_built),
        cmocka_unit_test(test_rig_reference_hard__feet_of_a_frame_that_holds_still_are_its_own),
        cmocka_unit_test(test_rig_reference_hard__toes_of_a_mean_lie_on_the_sole),
        cmocka_unit_test(test_rig_reference_hard__mirrored_names_do_not_turn_the_figure_round),
        cmocka_unit_test(test_rig_reference_hard__arms_without_legs_are_brought_to_the_sides),
        cmocka_unit_test(test_rig_reference_hard__body_carried_level_on_two_legs_is_kept),
        cmocka_unit_test(test_rig_reference_hard__bones_of_no_length_and_coincident_joints_are_finite),
        cmocka_unit_test(test_rig_reference_hard__one_joint_no_arms_one_leg),
        cmocka_unit_test(test_rig_reference_hard__bad_numbers_in_the_clip_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
