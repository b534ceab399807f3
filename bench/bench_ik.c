// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// Chains of ten bones of 0.1 m, straight and slightly bent, 20 rounds, 1 mm; quality beside speed: the part of targets
// reached within 0.8 of the reach (FABRIK: uniform in the ball, CCD: end points of chains with random directions), and
// in bands from there to full stretch; last what the bare algorithm reaches, without the arc.
#include "bench.h"

#include <stdlib.h>
#include <string.h>

#include "sample/walker.h"
#include "surefoot/surefoot.h"

#define BONES 10
#define CASES 1024
#define BANDS 5

typedef sft_result (*solver)(const sft_ik_chain_def*, const sft_ik_chain*, sft_v3d, const sft_ik_pose*, sft_ik_scratch,
                             sft_ik_report*);

typedef struct chains
{
    solver solve;
    sft_ik_chain_def def;
    sft_skeleton skeleton;
    const char* names[BONES + 1];
    int32_t parents[BONES + 1], joints[BONES + 1];
    uint32_t flags[BONES + 1];
    sft_v3d t[BONES + 1];
    sft_quatd rest[BONES + 1], pose[BONES + 1];
    sft_quatd source[CASES][BONES + 1];
    sft_v3d target[CASES];
    double scratch[64 * (BONES + 1)];
    int reached;
} chains;

static double draw(uint64_t* state, double lo, double hi)
{
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return lo + (hi - lo) * ((double)(*state >> 11) * 0x1p-53);
}

// In the ball of radius 1, and not too near its centre to have a direction.
static sft_v3d draw_in_ball(uint64_t* state)
{
    for (;;)
    {
        const double x = draw(state, -1.0, 1.0), y = draw(state, -1.0, 1.0), z = draw(state, -1.0, 1.0);
        const double square = x * x + y * y + z * z;
        if (square <= 1.0 && square > 1e-6) return sft_v3d_make(x, y, z);
    }
}

static sft_v3d draw_direction(uint64_t* state)
{
    const sft_v3d v = draw_in_ball(state);
    return sft_v3d_scale(1.0 / sft_v3d_length(v), v);
}

static void make_chains(chains* c, solver solve)
{
    c->solve = solve;
    c->def = sft_default_ik_chain_def();
    for (int32_t i = 0; i <= BONES; ++i)
    {
        c->names[i] = "joint";
        c->parents[i] = i - 1;
        c->joints[i] = i;
        c->flags[i] = 0;
        c->t[i] = sft_v3d_make(0.0, i > 0 ? 0.1 : 0.0, 0.0);
        c->rest[i] = sft_quatd_identity();
    }
    c->skeleton = (sft_skeleton){BONES + 1, c->names, c->parents, c->flags, c->t, c->rest};
    uint64_t state = 3;
    for (int k = 0; k < CASES; ++k)
        for (int32_t i = 0; i <= BONES; ++i)
        {
            const double angle = draw(&state, 0.0, 0.1);
            const sft_quatd bent = sft_quatd_exp(sft_v3d_scale(angle, draw_direction(&state)));
            c->source[k][i] = k % 2 == 0 ? sft_quatd_identity() : bent;
        }
}

// Band -1: the set within 0.8 of the reach.
static void make_targets(chains* c, int band)
{
    uint64_t state = (uint64_t)(11 + band);
    for (int k = 0; k < CASES; ++k)
    {
        if (band >= 0)
        {
            const double far = 0.8 + 0.04 * band + draw(&state, 0.0, 0.04);
            c->target[k] = sft_v3d_scale(far, draw_direction(&state));
            continue;
        }
        c->target[k] = sft_v3d_make(0.0, 0.0, 0.0);
        if (c->solve == sft_ik_fabrik) c->target[k] = sft_v3d_scale(0.8, draw_in_ball(&state));
        for (int i = 0; i < BONES && c->solve == sft_ik_ccd; ++i)
            c->target[k] = sft_v3d_madd(c->target[k], 0.1, draw_direction(&state));
    }
}

static void solve_all(void* data)
{
    chains* c = data;
    const sft_ik_chain chain = {&c->skeleton, BONES + 1, c->joints};
    const sft_ik_pose pose = {c->t, c->pose};
    c->reached = 0;
    for (int k = 0; k < CASES; ++k)
    {
        sft_ik_report report = {0};
        for (int32_t i = 0; i <= BONES; ++i)
            c->pose[i] = c->source[k][i];
        c->solve(&c->def, &chain, c->target[k], &pose, (sft_ik_scratch){c->scratch, sizeof c->scratch}, &report);
        if (report.reached) ++c->reached;
    }
    bench_keep(c);
}

static double percent_reached(chains* c)
{
    solve_all(c);
    return 100.0 * c->reached / CASES;
}

static void run_chains(bench_context* context, const char* name, solver solve)
{
    static const char* const fields[BANDS] = {"reached_84", "reached_88", "reached_92", "reached_96", "reached_100"};
    chains* c = calloc(1, sizeof *c);
    if (c == NULL)
    {
        bench_fail(context, name, "out of memory");
        return;
    }
    make_chains(c, solve);
    make_targets(c, -1);
    bench_entry entry = bench_time_entry(name, "ns/solve", bench_measure(context, NULL, solve_all, c), 1e9 / CASES);
    // Rotations in and out, the target in, the report out; the translations are those of all.
    const double bytes = 2.0 * sizeof c->source[0] + sizeof c->target[0] + sizeof(sft_ik_report);
    bench_add_field(&entry, "reached_80", percent_reached(c));
    for (int band = 0; band < BANDS; ++band)
    {
        make_targets(c, band);
        bench_add_field(&entry, fields[band], percent_reached(c));
    }
    make_targets(c, -1);
    c->def.arc = false;
    bench_add_field(&entry, "bare_80", percent_reached(c));
    bench_add_memory(context, &entry, bytes, entry.median);
    bench_report(context, &entry);
    free(c);
}

// ---- whole bodies ----

#define BODIES 256
#define GOALS 6

typedef struct bodies
{
    walker walk;
    sft_ik_body_def def;
    sft_ik_goal goals[BODIES][GOALS];
    sft_v3d* t;
    sft_quatd* r;
    void* scratch;
    size_t scratch_size;
    int reached, steps;
    double worst; ///< [m], of bodies that reached their goals
} bodies;

static void solve_bodies(void* data)
{
    bodies* b = data;
    const size_t joints = (size_t)b->walk.skeleton->joint_count;
    const sft_ik_pose pose = {b->t, b->r};
    b->reached = b->steps = 0;
    b->worst = 0.0;
    for (int k = 0; k < BODIES; ++k)
    {
        const size_t row = (size_t)(k % b->walk.clip->frame_count) * joints;
        memcpy(b->t, b->walk.clip->translations + row, joints * sizeof *b->t);
        memcpy(b->r, b->walk.clip->rotations + row, joints * sizeof *b->r);
        const sft_ik_goals goals = {b->goals[k], GOALS, NULL};
        sft_ik_body_report r = {0};
        sft_ik_body(&b->def, b->walk.skeleton, &goals, &pose, (sft_ik_scratch){b->scratch, b->scratch_size}, &r);
        b->steps += r.iterations;
        if (!r.reached) continue;
        ++b->reached;
        b->worst = r.position_residual > b->worst ? r.position_residual : b->worst;
    }
    bench_keep(b);
}

// Feet first, heel and toe moved alike by up to 2 cm from where the walk has them; then the head and a hand, by 5.
static void make_goals(bodies* b)
{
    // Heel and toe are the second and third joint below a hip (sample/walker.h).
    const int32_t ends[GOALS] = {WALKER_LEFT_HIP + 2,
                                 WALKER_RIGHT_HIP + 2,
                                 WALKER_LEFT_HIP + 3,
                                 WALKER_RIGHT_HIP + 3,
                                 sft_skeleton_find(b->walk.skeleton, "Head"),
                                 sft_skeleton_find(b->walk.skeleton, "LeftHand")};
    uint64_t state = 5;
    for (int k = 0; k < BODIES; ++k)
    {
        const size_t row = (size_t)(k % b->walk.clip->frame_count) * (size_t)b->walk.skeleton->joint_count;
        const sft_v3d left = draw_in_ball(&state), right = draw_in_ball(&state);
        for (int g = 0; g < GOALS; ++g)
        {
            const sft_xformd x = sft_skeleton_joint_model(b->walk.skeleton, b->walk.clip->translations + row,
                                                          b->walk.clip->rotations + row, ends[g]);
            const sft_v3d off =
                g < 4 ? sft_v3d_scale(0.02, g % 2 == 0 ? left : right) : sft_v3d_scale(0.05, draw_in_ball(&state));
            b->goals[k][g] = (sft_ik_goal){.kind = SFT_IK_GOAL_POSITION,
                                           .joint = ends[g],
                                           .position = sft_v3d_add(x.t, off),
                                           .orientation = sft_quatd_identity(),
                                           .weight = 1.0,
                                           .priority = g < 4 ? 0 : 1};
        }
    }
}

static void run_bodies(bench_context* context)
{
    bodies* b = calloc(1, sizeof *b);
    walker_def walk = walker_default_def();
    walk.frames = BODIES;
    if (b == NULL || walker_create(&walk, &b->walk) != SFT_OK)
    {
        free(b);
        bench_fail(context, "full_body", "out of memory");
        return;
    }
    b->def = sft_default_ik_body_def();
    b->def.translating = 0;
    b->def.tolerance = 1e-3;
    const size_t joints = (size_t)b->walk.skeleton->joint_count;
    b->scratch_size = sft_ik_body_scratch_size(b->walk.skeleton, GOALS);
    b->t = calloc(joints, sizeof *b->t);
    b->r = calloc(joints, sizeof *b->r);
    b->scratch = malloc(b->scratch_size);
    if (b->t != NULL && b->r != NULL && b->scratch != NULL)
    {
        make_goals(b);
        bench_entry e =
            bench_time_entry("full_body", "ns/solve", bench_measure(context, NULL, solve_bodies, b), 1e9 / BODIES);
        bench_add_field(&e, "joints", (double)joints);
        bench_add_field(&e, "goals", GOALS);
        bench_add_field(&e, "steps", (double)b->steps / BODIES);
        bench_add_field(&e, "reached_percent", 100.0 * b->reached / BODIES);
        bench_add_field(&e, "worst_mm", 1e3 * b->worst);
        // The pose in and out, the goals in, the report out.
        const double pose = (double)joints * (sizeof(sft_v3d) + sizeof(sft_quatd));
        bench_add_memory(context, &e, 2.0 * pose + sizeof b->goals[0] + sizeof(sft_ik_body_report), e.median);
        bench_report(context, &e);
    }
    else
        bench_fail(context, "full_body", "out of memory");
    free(b->t);
    free(b->r);
    free(b->scratch);
    walker_release(&b->walk);
    free(b);
}

void bench_scene_ik(bench_context* context)
{
    run_bodies(context);
    run_chains(context, "fabrik10", sft_ik_fabrik);
    run_chains(context, "ccd10", sft_ik_ccd);
}
