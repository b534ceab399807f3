// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// One leg solved, checks, limits and report included, as run-time code and whole-clip clean-up call it.
#include "bench.h"

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
    // The pose in and out, the target in, the report out.
    const double bytes = 2.0 * sizeof(sft_leg_pose) + sizeof(sft_v3d) + sizeof(sft_leg_report);
    bench_add_memory(context, &own, bytes, own.median);
    bench_report(context, &own);
    free(l);
}
