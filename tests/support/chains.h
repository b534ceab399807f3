// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// Chains of joints to test and measure solvers on.
#ifndef SUREFOOT_SUPPORT_CHAINS_H
#define SUREFOOT_SUPPORT_CHAINS_H

#include "support/leg_poses.h"

#define CHAIN_JOINTS 24

/// A skeleton of one chain, joint i on joint i - 1, its pose, and scratch with a guard behind it.
typedef struct test_chain
{
    sft_skeleton skeleton;
    const char* names[CHAIN_JOINTS];
    int32_t parents[CHAIN_JOINTS];
    uint32_t flags[CHAIN_JOINTS];
    int32_t joints[CHAIN_JOINTS];
    sft_v3d t[CHAIN_JOINTS];
    sft_quatd r[CHAIN_JOINTS];
    sft_quatd rest[CHAIN_JOINTS];
    sft_limit limits[CHAIN_JOINTS];
    sft_ik_chain chain;
    sft_ik_pose pose;
    double memory[64 * CHAIN_JOINTS];
} test_chain;

/// Straight along `bone` from the origin.
static inline void make_chain(test_chain* c, int32_t bones, sft_v3d bone)
{
    memset(c, 0, sizeof *c);
    const int32_t joints = bones + 1;
    for (int32_t i = 0; i < joints; ++i)
    {
        c->names[i] = "joint";
        c->parents[i] = i - 1;
        c->joints[i] = i;
        c->t[i] = i > 0 ? bone : v3(0, 0, 0);
        c->r[i] = sft_quatd_identity();
        c->rest[i] = sft_quatd_identity();
        c->limits[i] = sft_limit_free();
    }
    c->skeleton = (sft_skeleton){joints, c->names, c->parents, c->flags, c->t, c->rest};
    c->chain = (sft_ik_chain){&c->skeleton, joints, c->joints};
    c->pose = (sft_ik_pose){c->t, c->r};
}

static inline sft_xformd chain_joint(const test_chain* c, int32_t joint)
{
    return sft_skeleton_joint_model(&c->skeleton, c->t, c->r, joint);
}

static inline sft_v3d chain_end(const test_chain* c)
{
    return chain_joint(c, c->joints[c->chain.joint_count - 1]).t;
}

typedef sft_result (*chain_solver)(const sft_ik_chain_def*, const sft_ik_chain*, sft_v3d, const sft_ik_pose*,
                                   sft_ik_scratch, sft_ik_report*);

/// Solves, and checks what must hold for every solve: the report is of the pose as written, scratch is not overrun,
/// rotations are unit.
static inline sft_ik_report solve_chain(test_chain* c, chain_solver solver, const sft_ik_chain_def* def, sft_v3d target)
{
    const size_t size = sft_ik_chain_scratch_size(c->chain.joint_count);
    assert_true(size > 0 && size + 64 <= sizeof c->memory);
    memset(c->memory, 0x5a, size + 64);
    sft_ik_report report;
    assert_int_equal(solver(def, &c->chain, target, &c->pose, (sft_ik_scratch){c->memory, size}, &report), SFT_OK);
    for (size_t i = size; i < size + 64; ++i)
        assert_int_equal(((unsigned char*)c->memory)[i], 0x5a);
    double scale = 1.0;
    for (int32_t i = 0; i < c->skeleton.joint_count; ++i)
    {
        assert_near(sft_quatd_dot(c->r[i], c->r[i]), 1.0, 1e-9);
        scale += sft_v3d_length(c->t[i]);
    }
    assert_near(report.residual, sft_v3d_distance(chain_end(c), target), 1e-12 * scale);
    assert_true(report.reached == (report.residual <= def->tolerance));
    assert_true(report.iterations <= def->iterations);
    return report;
}

static inline sft_v3d random_direction(support_rng* rng)
{
    for (;;)
    {
        const sft_v3d v = random_step(rng, 1.0);
        const double square = sft_v3d_dot(v, v);
        if (square > 1e-4 && square < 1.0) return sft_v3d_scale(1.0 / sqrt(square), v);
    }
}

/// Uniform in a ball.
static inline sft_v3d random_in_ball(support_rng* rng, double radius)
{
    for (;;)
    {
        const sft_v3d v = random_step(rng, radius);
        if (sft_v3d_dot(v, v) <= radius * radius) return v;
    }
}

#endif
