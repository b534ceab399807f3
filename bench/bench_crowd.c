// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// Legs of ten thousand characters at once: two-bone solves on every path that is here, and the update of a frame, lock
// and whole leg.
#include "bench.h"

#include <stdlib.h>

#include "surefoot/surefoot.h"

#define LEGS 20000
// Rows are apart by an odd number of cache lines, so that no two begin at the same place of a page.
#define STRIDE ((size_t)LEGS + 16 * (1 + (LEGS / 16) % 2))
#define ROWS 96
#define FRAMES 60

typedef struct crowd
{
    float* values;
    int rows;
    sft_two_bone_arrays bones;
    sft_crowd_legs legs;
    sft_crowd_feet feet;
    sft_crowd_lock_block* states;
    sft_crowd_def def;
    sft_leg_pose* poses; ///< the same legs in double
    int frame;
    sft_result result;
} crowd;

static double draw(uint64_t* state, double lo, double hi)
{
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return lo + (hi - lo) * ((double)(*state >> 11) * 0x1p-53);
}

static float* row(crowd* c)
{
    return c->rows < ROWS ? c->values + STRIDE * (size_t)c->rows++ : NULL;
}

static sft_v3_array v3_rows(crowd* c)
{
    float *x = row(c), *y = row(c), *z = row(c);
    return (sft_v3_array){x, y, z};
}

static sft_quat_array quat_rows(crowd* c)
{
    float *x = row(c), *y = row(c), *z = row(c), *w = row(c);
    return (sft_quat_array){x, y, z, w};
}

static void pose_rows(crowd* c, sft_crowd_pose* p)
{
    sft_v3_array* points[5] = {&p->hip, &p->knee, &p->heel, &p->toe, &p->toe_end};
    sft_quat_array* turns[4] = {&p->hip_r, &p->knee_r, &p->heel_r, &p->toe_r};
    for (int i = 0; i < 5; ++i)
        *points[i] = v3_rows(c);
    for (int i = 0; i < 4; ++i)
        *turns[i] = quat_rows(c);
}

static void put(sft_v3_array a, int i, sft_v3d v)
{
    a.x[i] = (float)v.x;
    a.y[i] = (float)v.y;
    a.z[i] = (float)v.z;
}

static void put_quat(sft_quat_array a, int i, sft_quatd q)
{
    a.x[i] = (float)q.x;
    a.y[i] = (float)q.y;
    a.z[i] = (float)q.z;
    a.w[i] = (float)q.w;
}

// Legs as in walking: 5 to 60 degrees of flexion, targets within 3 cm that all can be reached.
static void fill_leg(crowd* c, int i, uint64_t* state, float* reach, float* softening)
{
    sft_leg_pose p;
    const double swing = draw(state, -0.5, 0.5);
    p.hip = (sft_xformd){{0.1, 0.9, 0.0}, sft_quatd_exp(sft_v3d_make(swing, draw(state, -0.1, 0.1), 0.05))};
    p.knee.t = sft_xformd_apply(p.hip, sft_v3d_make(0.0, -0.43, 0.0));
    p.knee.r = sft_quatd_mul(p.hip.r, sft_quatd_exp(sft_v3d_make(draw(state, 0.09, 1.0), 0.0, 0.0)));
    p.heel.t = sft_xformd_apply(p.knee, sft_v3d_make(0.0, -0.41, 0.0));
    p.heel.r = sft_quatd_exp(sft_v3d_make(draw(state, -0.3, 0.3), 0.0, 0.0));
    p.toe.t = sft_xformd_apply(p.heel, sft_v3d_make(0.0, -0.07, 0.14));
    p.toe.r = p.heel.r;
    p.toe_end.t = sft_xformd_apply(p.toe, sft_v3d_make(0.0, 0.0, 0.06));
    p.toe_end.r = p.toe.r;
    c->poses[i] = p;
    const sft_crowd_pose* pose = &c->legs.pose;
    put(pose->hip, i, p.hip.t);
    put(pose->knee, i, p.knee.t);
    put(pose->heel, i, p.heel.t);
    put(pose->toe, i, p.toe.t);
    put(pose->toe_end, i, p.toe_end.t);
    put_quat(pose->hip_r, i, p.hip.r);
    put_quat(pose->knee_r, i, p.knee.r);
    put_quat(pose->heel_r, i, p.heel.r);
    put_quat(pose->toe_r, i, p.toe.r);
    put(c->legs.knee_side, i, sft_v3d_make(1.0, 0.0, 0.0));
    const double x = draw(state, -0.01, 0.01), y = draw(state, 0.01, 0.03), z = draw(state, -0.01, 0.01);
    put(c->bones.target, i, sft_v3d_add(p.heel.t, sft_v3d_make(x, y, z)));
    put(c->bones.side, i, sft_quatd_rotate(p.knee.r, sft_v3d_make(1.0, 0.0, 0.0)));
    reach[i] = 0.8358f;
    softening[i] = 0.005f;
}

static bool make_crowd(crowd* c)
{
    *c = (crowd){.def = sft_default_crowd_def()};
    c->values = calloc(STRIDE * ROWS + 16, sizeof(float));
    c->states = calloc(LEGS / SFT_CROWD_LANES + 1, sizeof *c->states);
    c->poses = calloc(LEGS, sizeof *c->poses);
    if (c->values == NULL || c->states == NULL || c->poses == NULL) return false;
    pose_rows(c, &c->legs.pose);
    pose_rows(c, &c->legs.out);
    c->legs.knee_side = v3_rows(c);
    float *contact = row(c), *reach = row(c), *softening = row(c);
    c->feet = (sft_crowd_feet){.contact = contact, .states = c->states};
    c->bones = (sft_two_bone_arrays){.hip = c->legs.pose.hip, .knee = c->legs.pose.knee, .heel = c->legs.pose.heel};
    c->bones.side = v3_rows(c);
    c->bones.target = v3_rows(c);
    c->bones.max_reach = reach;
    c->bones.softening = softening;
    c->bones.hip_turn = quat_rows(c);
    c->bones.knee_turn = quat_rows(c);
    uint64_t state = 7;
    for (int i = 0; i < LEGS; ++i)
        fill_leg(c, i, &state, reach, softening);
    return true;
}

static void free_crowd(crowd* c)
{
    free(c->values);
    free(c->states);
    free(c->poses);
}

static void run_two_bone(void* data)
{
    crowd* c = data;
    c->result = sft_two_bone_batch(&c->bones, LEGS, c->def.path);
    bench_keep(c->values);
}

static void run_double(void* data)
{
    crowd* c = data;
    for (int i = 0; i < LEGS; ++i)
    {
        sft_leg_pose p = c->poses[i];
        const sft_v3_array t = c->bones.target, s = c->bones.side;
        const sft_v3d target = {(double)t.x[i], (double)t.y[i], (double)t.z[i]};
        const sft_v3d side = {(double)s.x[i], (double)s.y[i], (double)s.z[i]};
        c->result = sft_leg_two_bone(&p, target, side, 0.8358, 0.005);
        bench_keep(&p);
    }
}

// Characters stand and walk in turns, feet of one character at different times; a foot in contact drifts by some mm.
static void next_frame(void* data)
{
    crowd* c = data;
    const float step = c->frame % 2 == 0 ? 0.001f : -0.001f;
    float* contact = (float*)c->feet.contact;
    for (int i = 0; i < LEGS; ++i)
    {
        contact[i] = (i * 7 + c->frame) % FRAMES < FRAMES / 2 ? 1.0f : 0.0f;
        c->legs.pose.toe.x[i] += step;
        c->legs.pose.heel.x[i] += step;
    }
    c->frame += 1;
}

static void run_update(void* data)
{
    crowd* c = data;
    c->result = sft_crowd_update(&c->def, &c->feet, &c->legs, 1.0f / 60.0f, LEGS);
    bench_keep(c->values);
}

static const struct
{
    sft_crowd_path path;
    const char* name;
} paths[] = {{SFT_CROWD_SCALAR, "scalar_ns"},
             {SFT_CROWD_SSE2, "sse2_ns"},
             {SFT_CROWD_AVX2, "avx2_ns"},
             {SFT_CROWD_AVX512, "avx512_ns"},
             {SFT_CROWD_NEON, "neon_ns"}};

// Shortest times of all paths as figures of an entry, whose own path comes last.
static void add_paths(bench_context* context, bench_entry* entry, crowd* c, void (*prepare)(void*), void (*run)(void*))
{
    for (size_t i = 0; i < sizeof paths / sizeof paths[0]; ++i)
    {
        if (!sft_crowd_has_path(paths[i].path)) continue;
        c->def.path = paths[i].path;
        bench_add_field(entry, paths[i].name, 1e9 / LEGS * bench_measure(context, prepare, run, c).min);
    }
    c->def.path = SFT_CROWD_BEST;
}

static void two_bones(bench_context* context, crowd* c)
{
    // Joints, side, target, limits in; two turns out.
    const double bytes = (3 * 3 + 3 + 3 + 2 + 8) * sizeof(float);
    c->def.path = SFT_CROWD_SCALAR;
    bench_entry scalar =
        bench_time_entry("two_bone_scalar", "ns/solve", bench_measure(context, NULL, run_two_bone, c), 1e9 / LEGS);
    c->def.path = SFT_CROWD_BEST;
    bench_entry batch =
        bench_time_entry("two_bone_batch", "ns/solve", bench_measure(context, NULL, run_two_bone, c), 1e9 / LEGS);
    bench_set_peer(&batch, &scalar, "scalar path", false);
    add_paths(context, &batch, c, NULL, run_two_bone);
    bench_add_memory(context, &batch, bytes, batch.median);
    if (c->result != SFT_OK) bench_fail(context, "two_bone_batch", "a leg is bad");
    bench_report(context, &batch);
    bench_add_field(&scalar, "double_ns", 1e9 / LEGS * bench_measure(context, NULL, run_double, c).min);
    bench_add_memory(context, &scalar, bytes, scalar.median);
    bench_report(context, &scalar);
}

static void updates(bench_context* context, crowd* c)
{
    bench_entry entry =
        bench_time_entry("leg_lock_update", "ns/leg", bench_measure(context, next_frame, run_update, c), 1e9 / LEGS);
    add_paths(context, &entry, c, next_frame, run_update);
    // The pose in and out (the hip's place in alone), side and contact in, the state in and out.
    const double pose = 5 * 3 + 4 * 4, state = (double)sizeof(sft_crowd_lock_block) / SFT_CROWD_LANES;
    bench_add_memory(context, &entry, (pose + pose - 3 + 3 + 1) * sizeof(float) + 2.0 * state, entry.median);
    if (c->result != SFT_OK) bench_fail(context, "leg_lock_update", "a leg is bad");
    bench_report(context, &entry);
}

void bench_scene_crowd(bench_context* context)
{
    crowd c;
    if (make_crowd(&c))
    {
        two_bones(context, &c);
        updates(context, &c);
    }
    else
        bench_fail(context, "two_bone_batch", "out of memory");
    free_crowd(&c);
}
