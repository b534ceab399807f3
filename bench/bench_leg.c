// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// One leg solved: the closed form by half angles beside the same step by arc cosines, sines and cosines of libm.
#include "bench.h"

#include <math.h>
#include <stdlib.h>

#include "surefoot/surefoot.h"

#define LEGS 1024

typedef struct legs
{
    sft_leg leg;
    sft_leg_solve_def def;
    sft_leg_pose source[LEGS], out[LEGS];
    sft_v3d target[LEGS];
    double worst; ///< [m] toe to its target
} legs;

static double draw(uint64_t* state, double lo, double hi)
{
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return lo + (hi - lo) * ((double)(*state >> 11) * 0x1p-53);
}

// Legs as in walking: 5 to 60 degrees of flexion, targets within 3 cm of the toe that all can be reached.
static void make_legs(legs* l)
{
    uint64_t state = 7;
    l->leg = (sft_leg){.hip = 1, .knee = 2, .heel = 3, .toe = 4, .toe_end = 5, .knee_side = {1.0, 0.0, 0.0}};
    l->def = sft_default_leg_solve_def();
    for (int i = 0; i < LEGS; ++i)
    {
        sft_leg_pose* p = &l->source[i];
        const double swing = draw(&state, -0.5, 0.5);
        p->hip = (sft_xformd){{0.1, 0.9, 0.0}, sft_quatd_exp(sft_v3d_make(swing, draw(&state, -0.1, 0.1), 0.05))};
        p->knee.t = sft_xformd_apply(p->hip, sft_v3d_make(0.0, -0.43, 0.0));
        p->knee.r = sft_quatd_mul(p->hip.r, sft_quatd_exp(sft_v3d_make(draw(&state, 0.09, 1.0), 0.0, 0.0)));
        p->heel.t = sft_xformd_apply(p->knee, sft_v3d_make(0.0, -0.41, 0.0));
        p->heel.r = sft_quatd_exp(sft_v3d_make(draw(&state, -0.3, 0.3), 0.0, 0.0));
        p->toe.t = sft_xformd_apply(p->heel, sft_v3d_make(0.0, -0.07, 0.14));
        p->toe.r = p->heel.r;
        p->toe_end.t = sft_xformd_apply(p->toe, sft_v3d_make(0.0, 0.0, 0.06));
        p->toe_end.r = p->toe.r;
        const double x = draw(&state, -0.01, 0.01), y = draw(&state, 0.01, 0.03);
        l->target[i] = sft_v3d_add(p->toe.t, sft_v3d_make(x, y, draw(&state, -0.01, 0.01)));
    }
}

static void own_solve(void* data)
{
    legs* l = data;
    for (int i = 0; i < LEGS; ++i)
    {
        sft_leg_report report;
        l->out[i] = l->source[i];
        sft_leg_solve(&l->def, &l->leg, l->target[i], &l->out[i], &report);
        l->worst = report.toe_miss > l->worst ? report.toe_miss : l->worst;
    }
    bench_keep(l);
}

static sft_quatd axis_turn(sft_v3d axis, double angle)
{
    const double s = sin(0.5 * angle);
    return (sft_quatd){s * axis.x, s * axis.y, s * axis.z, cos(0.5 * angle)};
}

static double corner(double adjacent, double other, double opposite)
{
    const double c = (adjacent * adjacent + other * other - opposite * opposite) / (2.0 * adjacent * other);
    return acos(sft_clampd(c, -1.0, 1.0));
}

// The same leg by angles: interior angles now and wanted, turns by their differences, swing, foot aimed.
static double solve_by_angles(const sft_leg* leg, sft_v3d target, sft_leg_pose* p)
{
    const sft_v3d heel_target = sft_v3d_add(p->heel.t, sft_v3d_sub(target, p->toe.t));
    const sft_v3d down = sft_v3d_normalize_or(sft_v3d_sub(p->heel.t, p->hip.t), sft_v3d_make(0, -1, 0));
    const sft_v3d side = sft_quatd_rotate(p->knee.r, leg->knee_side);
    const sft_v3d forward = sft_v3d_normalize_or(sft_v3d_cross(down, side), sft_v3d_make(0, 0, 1));
    const sft_v3d axis = sft_v3d_cross(down, forward);
    const double a = sft_v3d_distance(p->hip.t, p->knee.t), b = sft_v3d_distance(p->knee.t, p->heel.t);
    const double now = sft_v3d_distance(p->hip.t, p->heel.t), wanted = sft_v3d_distance(p->hip.t, heel_target);
    const sft_quatd hip_bend = axis_turn(axis, corner(a, wanted, b) - corner(a, now, b));
    const sft_quatd knee_bend = axis_turn(axis, corner(a, b, wanted) - corner(a, b, now));
    const sft_quatd swing = sft_quatd_between(sft_v3d_sub(p->heel.t, p->hip.t), sft_v3d_sub(heel_target, p->hip.t));
    const sft_quatd hip_turn = sft_quatd_mul(swing, hip_bend), knee_turn = sft_quatd_mul(hip_turn, knee_bend);
    const sft_v3d thigh = sft_v3d_sub(p->knee.t, p->hip.t), shin = sft_v3d_sub(p->heel.t, p->knee.t);
    const sft_v3d foot = sft_v3d_sub(p->toe.t, p->heel.t), tip = sft_v3d_sub(p->toe_end.t, p->toe.t);
    p->knee.t = sft_v3d_add(p->hip.t, sft_quatd_rotate(hip_turn, thigh));
    p->heel.t = sft_v3d_add(p->knee.t, sft_quatd_rotate(knee_turn, shin));
    const sft_quatd aim = sft_quatd_between(sft_quatd_rotate(knee_turn, foot), sft_v3d_sub(target, p->heel.t));
    const sft_quatd foot_turn = sft_quatd_mul(aim, knee_turn);
    p->toe.t = sft_v3d_add(p->heel.t, sft_quatd_rotate(foot_turn, foot));
    p->toe_end.t = sft_v3d_add(p->toe.t, sft_quatd_rotate(foot_turn, tip));
    p->hip.r = sft_quatd_mul(hip_turn, p->hip.r);
    p->knee.r = sft_quatd_mul(knee_turn, p->knee.r);
    p->heel.r = sft_quatd_mul(foot_turn, p->heel.r);
    p->toe.r = sft_quatd_mul(foot_turn, p->toe.r);
    return sft_v3d_distance(p->toe.t, target);
}

static void angle_solve(void* data)
{
    legs* l = data;
    for (int i = 0; i < LEGS; ++i)
    {
        l->out[i] = l->source[i];
        const double miss = solve_by_angles(&l->leg, l->target[i], &l->out[i]);
        l->worst = miss > l->worst ? miss : l->worst;
    }
    bench_keep(l);
}

void bench_scene_leg(bench_context* context)
{
    legs* l = calloc(1, sizeof *l);
    if (l == NULL)
    {
        bench_fail(context, "leg_solve", "out of memory");
        return;
    }
    make_legs(l);
    bench_entry own = bench_time_entry("leg_solve", "ns/leg", bench_measure(context, NULL, own_solve, l), 1e9 / LEGS);
    bench_add_field(&own, "worst_miss_nm", 1e9 * l->worst);
    l->worst = 0.0;
    const bench_entry peer =
        bench_time_entry("by angles", "ns/leg", bench_measure(context, NULL, angle_solve, l), 1e9 / LEGS);
    bench_set_peer(&own, &peer, "by angles", false);
    bench_add_field(&own, "peer_worst_miss_nm", 1e9 * l->worst);
    bench_report(context, &own);
    free(l);
}
