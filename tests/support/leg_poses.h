// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// Legs to test with, and what must hold for any of them.
#ifndef SUREFOOT_SUPPORT_LEG_POSES_H
#define SUREFOOT_SUPPORT_LEG_POSES_H

#include "support/support.h"

static inline sft_v3d v3(double x, double y, double z)
{
    return sft_v3d_make(x, y, z);
}

static inline sft_quatd turn(sft_v3d axis, double degrees)
{
    return sft_quatd_exp(sft_v3d_scale(degrees * SFT_PI / 180.0, axis));
}

// A leg hanging from `hip`: thigh and shin bent by `knee` degrees (positive: heel goes back, -Z), foot along +Z.
static inline sft_leg_pose hanging(sft_v3d hip, double thigh, double shin, double flex)
{
    sft_leg_pose p = {{{0, 0, 0}, sft_quatd_identity()},
                      {{0, 0, 0}, sft_quatd_identity()},
                      {{0, 0, 0}, sft_quatd_identity()},
                      {{0, 0, 0}, sft_quatd_identity()},
                      {{0, 0, 0}, sft_quatd_identity()}};
    p.hip.t = hip;
    p.knee.t = sft_v3d_add(hip, v3(0, -thigh, 0));
    p.knee.r = turn(v3(1, 0, 0), flex);
    p.heel.t = sft_v3d_add(p.knee.t, sft_quatd_rotate(p.knee.r, v3(0, -shin, 0)));
    p.toe.t = sft_v3d_add(p.heel.t, v3(0, -0.08, 0.15));
    p.toe_end.t = sft_v3d_add(p.toe.t, v3(0, 0, 0.06));
    return p;
}

static inline sft_leg plain_leg(void)
{
    sft_leg leg = {SFT_LEG_LEFT, 0, 0, 1, 2, 3, 4, 5, {1, 0, 0}, 0.08, 0.0, 0.0, ""};
    return leg;
}

static inline void assert_near(double a, double b, double tolerance)
{
    if (!(fabs(a - b) <= tolerance)) fail_msg("%.17g is not %.17g to %g", a, b, tolerance);
}

static inline void assert_point(sft_v3d a, sft_v3d b, double tolerance)
{
    if (!(sft_v3d_distance(a, b) <= tolerance))
        fail_msg("(%.12g %.12g %.12g) is not (%.12g %.12g %.12g) to %g", a.x, a.y, a.z, b.x, b.y, b.z, tolerance);
}

static inline void assert_same_rotation(sft_quatd a, sft_quatd b, double tolerance)
{
    const sft_v3d d = sft_quatd_log(sft_quatd_mul(sft_quatd_conjugate(a), b));
    if (!(sft_v3d_length(d) <= tolerance)) fail_msg("rotations differ by %g rad", sft_v3d_length(d));
}

static inline void assert_same_pose(const sft_leg_pose* a, const sft_leg_pose* b, double tolerance)
{
    const sft_xformd* x = &a->hip;
    const sft_xformd* y = &b->hip;
    for (int i = 0; i < 5; ++i)
    {
        assert_point(x[i].t, y[i].t, tolerance);
        assert_same_rotation(x[i].r, y[i].r, tolerance);
    }
}

static inline void assert_finite(const sft_leg_pose* p)
{
    const sft_xformd* x = &p->hip;
    for (int i = 0; i < 5; ++i)
    {
        assert_true(sft_v3d_in_range(x[i].t));
        assert_near(sft_quatd_dot(x[i].r, x[i].r), 1.0, 1e-12);
    }
}

static inline void assert_bones_kept(const sft_leg_pose* a, const sft_leg_pose* b, double tolerance)
{
    const sft_xformd *x = &a->hip, *y = &b->hip;
    for (int i = 0; i < 4; ++i)
        assert_near(sft_v3d_distance(x[i].t, x[i + 1].t), sft_v3d_distance(y[i].t, y[i + 1].t), tolerance);
    // Rotations and positions belong together: each bone is the same vector in its own joint's space.
    for (int i = 0; i < 4; ++i)
        assert_point(sft_quatd_unrotate(x[i].r, sft_v3d_sub(x[i + 1].t, x[i].t)),
                     sft_quatd_unrotate(y[i].r, sft_v3d_sub(y[i + 1].t, y[i].t)), tolerance);
}

static inline sft_quatd random_rotation(support_rng* rng)
{
    sft_quatd q;
    do
    {
        q.x = support_uniform(rng, -1, 1);
        q.y = support_uniform(rng, -1, 1);
        q.z = support_uniform(rng, -1, 1);
        q.w = support_uniform(rng, -1, 1);
    } while (sft_quatd_dot(q, q) < 0.01 || sft_quatd_dot(q, q) > 1.0);
    return sft_quatd_normalize(q);
}

static inline void move_pose(sft_leg_pose* p, sft_quatd r, sft_v3d t, double scale)
{
    sft_xformd* x = &p->hip;
    for (int i = 0; i < 5; ++i)
    {
        x[i].t = sft_v3d_add(t, sft_quatd_rotate(r, sft_v3d_scale(scale, x[i].t)));
        x[i].r = sft_quatd_mul(r, x[i].r);
    }
}

static inline sft_v3d random_step(support_rng* rng, double size)
{
    // One draw a statement: the order of draws within one is the compiler's own.
    const double x = support_uniform(rng, -size, size);
    const double y = support_uniform(rng, -size, size);
    const double z = support_uniform(rng, -size, size);
    return v3(x, y, z);
}

// A leg of random proportions whose knee flexes about its side axis, skewed a little as captured knees are, with joint
// rotations of its own and anywhere in space.
static inline sft_leg_pose random_leg(support_rng* rng, double least_flex, double most_flex, double skew)
{
    const double thigh = support_uniform(rng, 0.2, 0.6);
    const double shin_length = support_uniform(rng, 0.2, 0.6);
    sft_leg_pose p = hanging(v3(0, 0, 0), thigh, shin_length, support_uniform(rng, least_flex, most_flex));
    const sft_v3d shin = sft_v3d_sub(p.heel.t, p.knee.t);
    const sft_quatd valgus = turn(v3(0, 0, 1), support_uniform(rng, -skew, skew));
    p.heel.t = sft_v3d_add(p.knee.t, sft_quatd_rotate(valgus, shin));
    const double out = support_uniform(rng, -0.05, 0.05);
    p.toe.t = sft_v3d_add(p.heel.t, v3(out, -0.08, support_uniform(rng, 0.05, 0.2)));
    p.toe_end.t = sft_v3d_add(p.toe.t, v3(0, support_uniform(rng, -0.02, 0.02), 0.06));
    p.hip.r = random_rotation(rng);
    p.heel.r = random_rotation(rng);
    p.toe.r = random_rotation(rng);
    p.toe_end.r = p.toe.r;
    const sft_quatd turned = random_rotation(rng);
    move_pose(&p, turned, random_step(rng, 3.0), 1.0);
    return p;
}

static inline double chain_of(const sft_leg_pose* p)
{
    return sft_v3d_distance(p->hip.t, p->knee.t) + sft_v3d_distance(p->knee.t, p->heel.t);
}

// Largest rotation [rad] between the joints of two poses.
static inline double pose_turn(const sft_leg_pose* a, const sft_leg_pose* b)
{
    const sft_xformd *x = &a->hip, *y = &b->hip;
    double most = 0.0;
    for (int i = 0; i < 4; ++i)
        most = sft_maxd(most, sft_v3d_length(sft_quatd_log(sft_quatd_mul(sft_quatd_conjugate(x[i].r), y[i].r))));
    return most;
}

#endif
