// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// Golden scenes of crowds. Every path that is here must give the bits of the scalar one.
#include "golden.h"

#define LEGS 999
#define ROWS 100

typedef struct crowd
{
    float values[ROWS][LEGS];
    int rows;
    sft_two_bone_arrays bones;
    sft_crowd_legs legs;
    sft_crowd_feet feet;
    sft_crowd_lock_block states[LEGS / SFT_CROWD_LANES + 1];
    uint32_t flags[LEGS];
} crowd;

static sft_v3_array crowd_v3(crowd* c)
{
    c->rows += 3;
    return (sft_v3_array){c->values[c->rows - 3], c->values[c->rows - 2], c->values[c->rows - 1]};
}

static sft_quat_array crowd_quat(crowd* c)
{
    const sft_v3_array v = crowd_v3(c);
    c->rows += 1;
    return (sft_quat_array){v.x, v.y, v.z, c->values[c->rows - 1]};
}

static float* crowd_row(crowd* c)
{
    c->rows += 1;
    return c->values[c->rows - 1];
}

static void crowd_pose(crowd* c, sft_crowd_pose* p)
{
    p->hip = crowd_v3(c);
    p->knee = crowd_v3(c);
    p->heel = crowd_v3(c);
    p->toe = crowd_v3(c);
    p->toe_end = crowd_v3(c);
    p->hip_r = crowd_quat(c);
    p->knee_r = crowd_quat(c);
    p->heel_r = crowd_quat(c);
    p->toe_r = crowd_quat(c);
}

static sft_v3d put_near(sft_v3_array a, int i, sft_v3d from, double size, uint64_t* state)
{
    const sft_v3d v = sft_v3d_add(from, next_v3(state, size));
    a.x[i] = (float)v.x;
    a.y[i] = (float)v.y;
    a.z[i] = (float)v.z;
    return v;
}

static void put_turn(sft_quat_array a, int i, uint64_t* state)
{
    const sft_quatd q = sft_quatd_exp(next_v3(state, 1.5));
    a.x[i] = (float)q.x;
    a.y[i] = (float)q.y;
    a.z[i] = (float)q.z;
    a.w[i] = (float)q.w;
}

static void put_value(const float* row, int i, double value)
{
    ((float*)row)[i] = (float)value;
}

// Legs of all kinds; every ninth is straight or folded, every fiftieth has no number somewhere.
static void fill_crowd(crowd* c)
{
    uint64_t state = 31;
    const sft_v3d origin = {0, 0, 0};
    const sft_crowd_pose* p = &c->legs.pose;
    for (int i = 0; i < LEGS; ++i)
    {
        const sft_v3d hip = put_near(p->hip, i, sft_v3d_make(0.0, 1.0, 0.0), 0.3, &state);
        const sft_v3d knee = put_near(p->knee, i, hip, 0.5, &state);
        const double along = next(&state, -1.5, 1.5);
        const sft_v3d line = sft_v3d_madd(knee, along, sft_v3d_sub(knee, hip));
        const sft_v3d heel = put_near(p->heel, i, i % 9 == 0 ? line : knee, i % 9 == 0 ? 0.0 : 0.5, &state);
        const sft_v3d toe = put_near(p->toe, i, heel, 0.2, &state);
        put_near(p->toe_end, i, toe, 0.1, &state);
        put_turn(p->hip_r, i, &state);
        put_turn(p->knee_r, i, &state);
        put_turn(p->heel_r, i, &state);
        put_turn(p->toe_r, i, &state);
        put_near(c->legs.knee_side, i, origin, i % 13 == 0 ? 0.0 : 1.0, &state);
        put_near(c->legs.target, i, toe, i % 3 == 0 ? 0.03 : 0.6, &state);
        put_value(c->legs.heel_min, i, next(&state, 0.0, 0.4));
        put_value(c->legs.toe_min, i, next(&state, 0.0, 0.4));
        put_value(c->legs.toe_end_min, i, next(&state, 0.0, 0.4));
        put_value(c->bones.max_reach, i, next(&state, 0.0, 1.2));
        put_value(c->bones.softening, i, i % 7 == 0 ? 0.0 : next(&state, 0.0, 0.1));
        put_near(c->feet.body_velocity, i, origin, 0.2, &state);
        put_value(c->feet.contact_height, i, next(&state, -0.1, 0.1));
        if (i % 50 == 49) p->knee.y[i] = (float)NAN;
    }
}

static void make_crowd(crowd* c)
{
    memset(c, 0, sizeof *c);
    crowd_pose(c, &c->legs.pose);
    crowd_pose(c, &c->legs.out);
    c->legs.knee_side = crowd_v3(c);
    c->legs.target = crowd_v3(c);
    c->legs.heel_min = crowd_row(c);
    c->legs.toe_min = crowd_row(c);
    c->legs.toe_end_min = crowd_row(c);
    c->legs.heel_miss = crowd_row(c);
    c->legs.toe_miss = crowd_row(c);
    c->legs.flags = c->flags;
    c->bones = (sft_two_bone_arrays){.hip = c->legs.pose.hip, .knee = c->legs.pose.knee, .heel = c->legs.pose.heel};
    c->bones.side = c->legs.knee_side;
    c->bones.target = c->legs.target;
    c->bones.max_reach = crowd_row(c);
    c->bones.softening = crowd_row(c);
    c->bones.hip_turn = c->legs.out.hip_r;
    c->bones.knee_turn = c->legs.out.knee_r;
    c->bones.new_knee = c->legs.out.knee;
    c->bones.new_heel = c->legs.out.heel;
    c->bones.flags = c->flags;
    c->feet = (sft_crowd_feet){.states = c->states};
    c->feet.contact = crowd_row(c);
    c->feet.contact_height = crowd_row(c);
    c->feet.body_velocity = crowd_v3(c);
    c->feet.release = crowd_row(c);
    if (c->rows > ROWS) fail("rows of the crowd");
    fill_crowd(c);
}

static void fold_words(golden* g, const void* values, size_t count)
{
    for (size_t i = 0; i < count; ++i)
    {
        uint32_t bits;
        memcpy(&bits, (const char*)values + 4 * i, sizeof bits);
        fold_double(g, (double)bits);
    }
}

// Results; of a NaN that was let be only that it is one.
static void fold_crowd(golden* g, const crowd* c)
{
    for (int row = 0; row < c->rows; ++row)
        for (int i = 0; i < LEGS; ++i)
            fold_double(g, c->values[row][i] == c->values[row][i] ? (double)c->values[row][i] : 0.125);
    fold_words(g, c->flags, LEGS);
    fold_words(g, c->states, sizeof c->states / 4);
}

static void walk_crowd(golden* g, crowd* c, sft_crowd_path path, int variant)
{
    sft_crowd_def def = sft_default_crowd_def();
    def.path = path;
    def.lock_distance = 0.04f;
    def.blend_time = 0.2f;
    def.leg.extension = (sft_extension)(variant % 3);
    def.leg.height_clamp = variant % 2 == 1;
    def.leg.keep_foot = variant < 2;
    def.leg.heel_lift = variant == 2 ? 0.0 : 0.5;
    (void)sft_crowd_leg_solve(&def, &c->legs, LEGS);
    fold_crowd(g, c);
    for (int frame = 0; frame < 12; ++frame)
    {
        for (int i = 0; i < LEGS; ++i)
        {
            put_value(c->feet.contact, i, (i * 5 + frame) % 11 < 6 ? 1.0 : 0.0);
            put_value(c->feet.release, i, i % 17 == 3 && frame == 7 ? 1.0 : 0.0);
            c->legs.pose.toe.x[i] += 0.003f * (float)(i % 5);
            c->legs.pose.toe.y[i] -= 0.001f * (float)(i % 3);
        }
        (void)sft_crowd_update(&def, &c->feet, &c->legs, frame % 4 == 3 ? 0.03f : 0.016f, LEGS);
        fold_crowd(g, c);
    }
}

static void run_crowd(golden* g, sft_crowd_path path)
{
    crowd* c = malloc(sizeof *c);
    if (c == NULL) fail("memory of the crowd");
    make_crowd(c);
    (void)sft_two_bone_batch(&c->bones, LEGS, path);
    fold_crowd(g, c);
    for (int variant = 0; variant < 4; ++variant)
        walk_crowd(g, c, path, variant);
    free(c);
}

void scene_crowd(golden* g)
{
    const golden begin = *g;
    run_crowd(g, SFT_CROWD_BEST);
    for (int path = SFT_CROWD_SCALAR; path <= SFT_CROWD_NEON; ++path)
    {
        golden other = begin;
        if (!sft_crowd_has_path((sft_crowd_path)path)) continue;
        run_crowd(&other, (sft_crowd_path)path);
        if (other.hash != g->hash) fail("a path of the crowd");
    }
}
