// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// Whole poses: reading five joints out of a skeleton, writing rotations back, and the run-time form in float with
// scale.

#include "support/leg_poses.h"

// Pelvis, a leg with joints between the named ones, and joints beside and below it.
enum
{
    ROOT,
    PELVIS,
    SPINE,
    HIP,
    TWIST,
    HEAD,
    KNEE,
    SHIN_TWIST,
    HEEL,
    SOLE,
    TOE,
    TOE_END,
    POCKET,
    JOINTS
};

static const int32_t parents[JOINTS] = {-1,   ROOT,       PELVIS, PELVIS, HIP, SPINE, TWIST,
                                        KNEE, SHIN_TWIST, HEEL,   SOLE,   TOE, HIP};

typedef struct leg_rig
{
    sft_skeleton* skeleton;
    sft_leg leg;
    sft_v3d t[JOINTS];
    sft_quatd r[JOINTS];
} leg_rig;

static leg_rig new_rig(void)
{
    leg_rig rig = {0};
    const char* names[JOINTS];
    for (int i = 0; i < JOINTS; ++i)
        names[i] = "joint";
    sft_v3d rest[JOINTS] = {{0, 0, 0}};
    const sft_skeleton def = {JOINTS, names, parents, NULL, rest, NULL};
    assert_int_equal(sft_skeleton_create(&def, NULL, &rig.skeleton), SFT_OK);
    rig.leg = plain_leg();
    rig.leg.pelvis = PELVIS;
    rig.leg.hip = HIP;
    rig.leg.knee = KNEE;
    rig.leg.heel = HEEL;
    rig.leg.toe = TOE;
    rig.leg.toe_end = TOE_END;
    return rig;
}

static sft_quatd small_turn(support_rng* rng, double size)
{
    return sft_quatd_exp(random_step(rng, size));
}

// A pose with the knee flexed and every other joint turned a little.
static void pose_rig(leg_rig* rig, support_rng* rng)
{
    const sft_v3d t[JOINTS] = {{0.5, 0.1, -2},  {0, 0.9, 0},   {0, 0.1, 0},     {0.1, -0.05, 0},    {0, -0.2, 0.01},
                               {0, 0.5, 0},     {0, -0.22, 0}, {0, -0.2, 0.01}, {0.01, -0.2, 0.01}, {0, -0.04, 0.05},
                               {0, -0.04, 0.1}, {0, 0, 0.06},  {0.1, 0, 0}};
    memcpy(rig->t, t, sizeof t);
    for (int i = 0; i < JOINTS; ++i)
        rig->r[i] = small_turn(rng, i == ROOT ? 2.0 : 0.15);
    // One draw a statement: the order of draws within one is the compiler's own.
    const double flex = support_uniform(rng, 10.0, 60.0);
    rig->r[KNEE] = sft_quatd_mul(turn(v3(1, 0, 0), flex), small_turn(rng, 0.05));
}

static void test_leg_pose__reads_what_forward_kinematics_gives(void** state)
{
    (void)state;
    support_rng rng = {41};
    leg_rig rig = new_rig();
    for (int i = 0; i < 200; ++i)
    {
        pose_rig(&rig, &rng);
        sft_xformd model[JOINTS];
        sft_skeleton_forward(rig.skeleton, rig.t, rig.r, model);
        sft_leg_pose pose;
        assert_int_equal(sft_leg_pose_read(rig.skeleton, &rig.leg, rig.t, rig.r, &pose), SFT_OK);
        const sft_leg_pose wanted = {model[HIP], model[KNEE], model[HEEL], model[TOE], model[TOE_END]};
        assert_same_pose(&pose, &wanted, 1e-12);
    }
    // Joints that do not hang below one another are refused.
    sft_leg wrong = rig.leg;
    wrong.knee = SPINE;
    sft_leg_pose pose;
    assert_int_equal(sft_leg_pose_read(rig.skeleton, &wrong, rig.t, rig.r, &pose), SFT_ERR_ARG);
    wrong = rig.leg;
    wrong.heel = -1;
    assert_int_equal(sft_leg_pose_read(rig.skeleton, &wrong, rig.t, rig.r, &pose), SFT_ERR_ARG);
    wrong.heel = JOINTS;
    assert_int_equal(sft_leg_pose_read(rig.skeleton, &wrong, rig.t, rig.r, &pose), SFT_ERR_ARG);
    sft_skeleton_destroy(rig.skeleton, NULL);
}

static void test_leg_pose__writes_rotations_that_give_the_solved_pose(void** state)
{
    (void)state;
    support_rng rng = {42};
    leg_rig rig = new_rig();
    for (int i = 0; i < 2000; ++i)
    {
        pose_rig(&rig, &rng);
        sft_leg_solve_def def = sft_default_leg_solve_def();
        def.height_clamp = i % 2 == 0;
        def.ground_height = support_uniform(&rng, -0.2, 0.2);
        sft_leg_pose before, after;
        assert_int_equal(sft_leg_pose_read(rig.skeleton, &rig.leg, rig.t, rig.r, &before), SFT_OK);
        after = before;
        const sft_v3d target = sft_v3d_add(before.toe.t, random_step(&rng, 0.1));
        assert_int_equal(sft_leg_solve(&def, &rig.leg, target, &after, NULL), SFT_OK);
        sft_quatd old[JOINTS];
        memcpy(old, rig.r, sizeof old);
        assert_int_equal(sft_leg_pose_write(&rig.leg, &before, &after, rig.r), SFT_OK);
        sft_leg_pose seen;
        assert_int_equal(sft_leg_pose_read(rig.skeleton, &rig.leg, rig.t, rig.r, &seen), SFT_OK);
        assert_same_pose(&seen, &after, 1e-12);
        for (int j = 0; j < JOINTS; ++j)
            if (j != HIP && j != KNEE && j != HEEL && j != TOE) assert_memory_equal(&old[j], &rig.r[j], sizeof old[j]);
        // Without the clamp the toe rides with the foot, and keeps its bits.
        if (!def.height_clamp) assert_memory_equal(&old[TOE], &rig.r[TOE], sizeof old[TOE]);
        // Nothing changed, nothing written.
        memcpy(old, rig.r, sizeof old);
        assert_int_equal(sft_leg_pose_write(&rig.leg, &seen, &seen, rig.r), SFT_OK);
        assert_memory_equal(old, rig.r, sizeof old);
    }
    sft_skeleton_destroy(rig.skeleton, NULL);
}

static void narrow_rig(const leg_rig* rig, sft_xform* local)
{
    for (int j = 0; j < JOINTS; ++j)
        local[j] = (sft_xform){sft_v3d_narrow(rig->t[j]), sft_quatd_narrow(rig->r[j]), {1, 1, 1}};
}

// Model points of a float pose with scale, by plain matrices: an independent reference.
static void reference_points(const sft_xform* local, sft_v3d* out)
{
    double m[JOINTS][3][3];
    for (int j = 0; j < JOINTS; ++j)
    {
        const sft_quatd q = sft_quat_widen(local[j].r);
        const sft_v3d s = sft_v3_widen(local[j].s), t = sft_v3_widen(local[j].t);
        const sft_v3d x = sft_quatd_rotate(q, v3(s.x, 0, 0)), y = sft_quatd_rotate(q, v3(0, s.y, 0)),
                      z = sft_quatd_rotate(q, v3(0, 0, s.z));
        const double own[3][3] = {{x.x, y.x, z.x}, {x.y, y.y, z.y}, {x.z, y.z, z.z}};
        const int32_t p = parents[j];
        const double offset[3] = {t.x, t.y, t.z};
        double place[3] = {t.x, t.y, t.z};
        for (int a = 0; a < 3; ++a)
        {
            for (int b = 0; b < 3; ++b)
            {
                m[j][a][b] = p < 0 ? own[a][b] : 0.0;
                for (int c = 0; c < 3 && p >= 0; ++c)
                    m[j][a][b] += m[p][a][c] * own[c][b];
            }
            if (p < 0) continue;
            place[a] = (&out[p].x)[a];
            for (int c = 0; c < 3; ++c)
                place[a] += m[p][a][c] * offset[c];
        }
        out[j] = v3(place[0], place[1], place[2]);
    }
}

static void test_leg_pose__float_agrees_with_double(void** state)
{
    (void)state;
    support_rng rng = {43};
    leg_rig rig = new_rig();
    const sft_leg_solve_def def = sft_default_leg_solve_def();
    for (int i = 0; i < 2000; ++i)
    {
        pose_rig(&rig, &rng);
        sft_xform local[JOINTS], model[JOINTS];
        narrow_rig(&rig, local);
        sft_leg_pose pose;
        assert_int_equal(sft_leg_pose_read(rig.skeleton, &rig.leg, rig.t, rig.r, &pose), SFT_OK);
        const sft_v3 target = sft_v3d_narrow(sft_v3d_add(pose.toe.t, random_step(&rng, 0.08)));
        sft_leg_report wide, narrow;
        assert_int_equal(sft_leg_solve(&def, &rig.leg, sft_v3_widen(target), &pose, &wide), SFT_OK);
        assert_int_equal(sft_leg_solve_pose(&def, rig.skeleton, &rig.leg, target, local, model, &narrow), SFT_OK);
        const sft_xformd* joints = &pose.hip;
        const int named[5] = {HIP, KNEE, HEEL, TOE, TOE_END};
        sft_v3d points[JOINTS];
        reference_points(local, points);
        for (int k = 0; k < 5; ++k)
        {
            // Where the leg is nearly straight, float's rounding of the pose turns the knee by its square root.
            const double tolerance = named[k] == KNEE ? 1e-4 : 3e-6;
            assert_point(sft_v3_widen(model[named[k]].t), joints[k].t, tolerance);
            assert_point(points[named[k]], joints[k].t, tolerance);
            if (k < 4) assert_same_rotation(sft_quat_widen(model[named[k]].r), joints[k].r, 1e-3);
        }
        assert_near(wide.toe_miss, narrow.toe_miss, 3e-6);
        // All that hangs below the hip is up to date.
        const int below[4] = {TWIST, SHIN_TWIST, SOLE, POCKET};
        for (int k = 0; k < 4; ++k)
            assert_point(sft_v3_widen(model[below[k]].t), points[below[k]], 2e-6);
    }
    sft_skeleton_destroy(rig.skeleton, NULL);
}

static void test_leg_pose__float_keeps_bits_where_nothing_is_to_do(void** state)
{
    (void)state;
    support_rng rng = {44};
    leg_rig rig = new_rig();
    const sft_leg_solve_def def = sft_default_leg_solve_def();
    for (int i = 0; i < 500; ++i)
    {
        pose_rig(&rig, &rng);
        sft_xform local[JOINTS], model[JOINTS], before[JOINTS];
        narrow_rig(&rig, local);
        memcpy(before, local, sizeof local);
        const sft_v3 far_away = {0.3f, 0.2f, -1.5f};
        assert_int_equal(sft_leg_solve_pose(&def, rig.skeleton, &rig.leg, far_away, local, model, NULL), SFT_OK);
        for (int j = 0; j < JOINTS; ++j)
            if (j != HIP && j != KNEE && j != HEEL && j != TOE)
                assert_memory_equal(&before[j], &local[j], sizeof *local);
        // Asked for the place where it stands, to float precision, the pose stays to float precision.
        memcpy(before, local, sizeof local);
        sft_v3d points[JOINTS];
        reference_points(local, points);
        const sft_v3 here = sft_v3d_narrow(points[TOE]);
        assert_int_equal(sft_leg_solve_pose(&def, rig.skeleton, &rig.leg, here, local, model, NULL), SFT_OK);
        for (int j = 0; j < JOINTS; ++j)
            assert_same_rotation(sft_quat_widen(before[j].r), sft_quat_widen(local[j].r), 3e-3);
    }
    sft_skeleton_destroy(rig.skeleton, NULL);
}

static void test_leg_pose__mirrored_and_scaled_roots(void** state)
{
    (void)state;
    support_rng rng = {45};
    leg_rig rig = new_rig();
    const sft_leg_solve_def def = sft_default_leg_solve_def();
    const float scales[5][3] = {{-1, 1, 1}, {1, 1, -1}, {-1, -1, -1}, {2, 2, 2}, {-0.5f, 0.5f, -0.5f}};
    for (int i = 0; i < 1000; ++i)
    {
        const float* scale = scales[i % 5];
        pose_rig(&rig, &rng);
        rig.r[ROOT] = sft_quatd_identity();
        rig.t[ROOT] = v3(0, 0, 0);
        sft_xform plain[JOINTS], scaled[JOINTS], model[JOINTS];
        narrow_rig(&rig, plain);
        narrow_rig(&rig, scaled);
        scaled[ROOT].s = sft_v3_make(scale[0], scale[1], scale[2]);
        sft_v3d points[JOINTS], seen[JOINTS];
        reference_points(plain, points);
        const sft_v3 target = sft_v3d_narrow(sft_v3d_add(points[TOE], random_step(&rng, 0.05)));
        const sft_v3 there = {target.x * scale[0], target.y * scale[1], target.z * scale[2]};
        sft_leg_solve_def scaled_def = def;
        sft_leg_report report;
        scaled_def.softening *= fabs((double)scale[0]);
        assert_int_equal(sft_leg_solve_pose(&def, rig.skeleton, &rig.leg, target, plain, model, NULL), SFT_OK);
        assert_int_equal(sft_leg_solve_pose(&scaled_def, rig.skeleton, &rig.leg, there, scaled, model, &report),
                         SFT_OK);
        // The same local rotations, and the points of one are the other's in the mirror.
        for (int j = 0; j < JOINTS; ++j)
            assert_same_rotation(sft_quat_widen(plain[j].r), sft_quat_widen(scaled[j].r), 1e-3);
        reference_points(plain, points);
        reference_points(scaled, seen);
        for (int j = 0; j < JOINTS; ++j)
        {
            const sft_v3d p =
                v3(points[j].x * (double)scale[0], points[j].y * (double)scale[1], points[j].z * (double)scale[2]);
            assert_point(seen[j], p, 1e-5);
        }
        if (report.reached) assert_point(seen[TOE], sft_v3_widen(there), 1e-5);
        assert_point(sft_v3_widen(model[TOE].t), seen[TOE], 1e-5);
        assert_point(sft_v3_widen(model[POCKET].t), seen[POCKET], 1e-5);
    }
    sft_skeleton_destroy(rig.skeleton, NULL);
}

static void test_leg_pose__float_refuses_and_leaves_outputs_alone(void** state)
{
    (void)state;
    support_rng rng = {46};
    leg_rig rig = new_rig();
    pose_rig(&rig, &rng);
    const sft_leg_solve_def def = sft_default_leg_solve_def();
    sft_xform local[JOINTS], model[JOINTS], good[JOINTS], untouched[JOINTS];
    narrow_rig(&rig, good);
    memset(untouched, 0x5A, sizeof untouched);
    for (int joint = 0; joint < JOINTS; ++joint)
    {
        memcpy(local, good, sizeof good);
        local[joint].t.y = NAN;
        memcpy(model, untouched, sizeof model);
        const sft_v3 target = {0, 0, 0};
        const sft_result result = sft_leg_solve_pose(&def, rig.skeleton, &rig.leg, target, local, model, NULL);
        // Joints that the leg neither is nor hangs from are not looked at.
        const bool beside = joint == SPINE || joint == HEAD || joint == POCKET;
        assert_int_equal(result, beside ? SFT_OK : SFT_ERR_RANGE);
        if (!beside) assert_memory_equal(model, untouched, sizeof model);
        local[joint].t = good[joint].t;
        if (!beside) assert_memory_equal(local, good, sizeof good);
    }
    memcpy(local, good, sizeof good);
    memcpy(model, untouched, sizeof model);
    const sft_v3 nowhere = {NAN, 0, 0};
    assert_int_equal(sft_leg_solve_pose(&def, rig.skeleton, &rig.leg, nowhere, local, model, NULL), SFT_ERR_RANGE);
    assert_memory_equal(local, good, sizeof good);
    assert_memory_equal(model, untouched, sizeof model);
    sft_skeleton_destroy(rig.skeleton, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_leg_pose__reads_what_forward_kinematics_gives),
        cmocka_unit_test(test_leg_pose__writes_rotations_that_give_the_solved_pose),
        cmocka_unit_test(test_leg_pose__float_agrees_with_double),
        cmocka_unit_test(test_leg_pose__float_keeps_bits_where_nothing_is_to_do),
        cmocka_unit_test(test_leg_pose__mirrored_and_scaled_roots),
        cmocka_unit_test(test_leg_pose__float_refuses_and_leaves_outputs_alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
