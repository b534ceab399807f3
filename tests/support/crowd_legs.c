// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

#include "support/crowd_legs.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

double crowd_draw(uint64_t* state, double lo, double hi)
{
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return lo + (hi - lo) * ((double)(*state >> 11) * 0x1p-53);
}

static void* or_die(void* block)
{
    if (block == NULL) abort();
    return block;
}

static float* row(crowd* c)
{
    if (c->rows == CROWD_ROWS) abort();
    return c->values + c->stride * (size_t)c->rows++;
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

static sft_crowd_pose pose_rows(crowd* c)
{
    sft_crowd_pose p;
    p.hip = v3_rows(c);
    p.knee = v3_rows(c);
    p.heel = v3_rows(c);
    p.toe = v3_rows(c);
    p.toe_end = v3_rows(c);
    p.hip_r = quat_rows(c);
    p.knee_r = quat_rows(c);
    p.heel_r = quat_rows(c);
    p.toe_r = quat_rows(c);
    return p;
}

crowd crowd_create(int32_t count, int32_t offset)
{
    crowd c = {.count = count};
    const size_t blocks = (size_t)(count + SFT_CROWD_LANES - 1) / SFT_CROWD_LANES;
    // An odd stride: rows begin at all alignments, and no two at the same place of a page. One float more than the
    // count between rows, which must stay as it is.
    c.stride = (size_t)count + 1 + (size_t)(count % 2);
    c.block = or_die(calloc(c.stride * CROWD_ROWS + (size_t)offset, sizeof(float)));
    c.values = c.block + offset;
    c.states = or_die(calloc(blocks + 1, sizeof *c.states));
    c.flags = or_die(calloc((size_t)count + 1, sizeof *c.flags));
    sft_crowd_legs* l = &c.legs;
    l->pose = pose_rows(&c);
    l->out = pose_rows(&c);
    l->knee_side = v3_rows(&c);
    l->target = v3_rows(&c);
    l->heel_min = row(&c);
    l->toe_min = row(&c);
    l->toe_end_min = row(&c);
    l->heel_miss = row(&c);
    l->toe_miss = row(&c);
    l->flags = c.flags;
    c.feet.toe = l->pose.toe;
    c.feet.contact = row(&c);
    c.feet.velocity = v3_rows(&c);
    c.feet.plant = v3_rows(&c);
    c.feet.contact_height = row(&c);
    c.feet.body_velocity = v3_rows(&c);
    c.feet.release = row(&c);
    c.feet.teleport = row(&c);
    c.feet.states = c.states;
    c.feet.flags = c.flags;
    sft_two_bone_arrays* b = &c.bones;
    b->hip = l->pose.hip;
    b->knee = l->pose.knee;
    b->heel = l->pose.heel;
    b->side = l->knee_side;
    b->target = l->target;
    b->max_reach = row(&c);
    b->softening = row(&c);
    b->hip_turn = l->out.hip_r;
    b->knee_turn = l->out.knee_r;
    b->new_knee = l->out.knee;
    b->new_heel = l->out.heel;
    b->flags = c.flags;
    return c;
}

void crowd_release(crowd* c)
{
    free(c->block);
    free(c->states);
    free(c->flags);
    *c = (crowd){0};
}

// ---- drawing ----

static sft_v3d draw_v3(uint64_t* s, double size)
{
    const double x = crowd_draw(s, -size, size), y = crowd_draw(s, -size, size), z = crowd_draw(s, -size, size);
    return sft_v3d_make(x, y, z);
}

static void put(sft_v3_array a, int32_t i, sft_v3d v)
{
    a.x[i] = (float)v.x;
    a.y[i] = (float)v.y;
    a.z[i] = (float)v.z;
}

static void put_quat(sft_quat_array a, int32_t i, sft_quatd q)
{
    a.x[i] = (float)q.x;
    a.y[i] = (float)q.y;
    a.z[i] = (float)q.z;
    a.w[i] = (float)q.w;
}

typedef struct drawn
{
    sft_xformd hip, knee, heel, toe, toe_end;
    sft_v3d side, target;
} drawn;

static drawn draw_walking(uint64_t* s)
{
    drawn d;
    const double swing = crowd_draw(s, -0.5, 0.5), bend = crowd_draw(s, 0.09, 1.0);
    d.hip.t = sft_v3d_add(sft_v3d_make(0.1, 0.9, 0.0), draw_v3(s, 0.05));
    d.hip.r = sft_quatd_exp(sft_v3d_make(swing, crowd_draw(s, -0.3, 0.3), crowd_draw(s, -0.1, 0.1)));
    d.knee.t = sft_xformd_apply(d.hip, sft_v3d_make(0.0, -0.43, 0.0));
    d.knee.r = sft_quatd_mul(d.hip.r, sft_quatd_exp(sft_v3d_make(bend, 0.0, crowd_draw(s, -0.03, 0.03))));
    d.heel.t = sft_xformd_apply(d.knee, sft_v3d_make(0.0, -0.41, 0.0));
    d.heel.r = sft_quatd_mul(d.knee.r, sft_quatd_exp(draw_v3(s, 0.3)));
    d.toe.t = sft_xformd_apply(d.heel, sft_v3d_make(0.0, -0.07, 0.14));
    d.toe.r = sft_quatd_mul(d.heel.r, sft_quatd_exp(draw_v3(s, 0.2)));
    d.toe_end.t = sft_xformd_apply(d.toe, sft_v3d_make(0.0, 0.0, 0.06));
    d.side = sft_v3d_make(1.0, 0.0, 0.0);
    d.target = sft_v3d_add(d.toe.t, draw_v3(s, 0.03));
    return d;
}

static drawn draw_wild(uint64_t* s)
{
    drawn d;
    d.hip.t = draw_v3(s, 2.0);
    d.knee.t = sft_v3d_add(d.hip.t, draw_v3(s, 0.6));
    d.heel.t = sft_v3d_add(d.knee.t, draw_v3(s, 0.6));
    d.toe.t = sft_v3d_add(d.heel.t, draw_v3(s, 0.2));
    d.toe_end.t = sft_v3d_add(d.toe.t, draw_v3(s, 0.1));
    d.hip.r = sft_quatd_exp(draw_v3(s, 1.8));
    d.knee.r = sft_quatd_exp(draw_v3(s, 1.8));
    d.heel.r = sft_quatd_exp(draw_v3(s, 1.8));
    d.toe.r = sft_quatd_exp(draw_v3(s, 1.8));
    d.side = draw_v3(s, 1.0);
    d.target = sft_v3d_add(d.toe.t, draw_v3(s, crowd_draw(s, 0.0, 2.0)));
    return d;
}

static void draw_special(uint64_t* s, drawn* d)
{
    const int pick = (int)crowd_draw(s, 0.0, 16.0);
    const sft_v3d thigh = sft_v3d_sub(d->knee.t, d->hip.t), foot = sft_v3d_sub(d->toe.t, d->heel.t);
    sft_v3d* heel = &d->heel.t;
    switch (pick)
    {
    case 0: // straight
        *heel = sft_v3d_madd(d->knee.t, crowd_draw(s, 0.3, 1.5), thigh);
        break;
    case 1: // folded
        *heel = sft_v3d_madd(d->knee.t, -crowd_draw(s, 0.3, 1.5), thigh);
        break;
    case 2: // heel on the hip
        *heel = d->hip.t;
        break;
    case 3: // heel's target on the hip
        d->target = sft_v3d_add(d->hip.t, foot);
        return;
    case 4: // behind the hip
        d->target = sft_v3d_add(sft_v3d_sub(d->hip.t, sft_v3d_sub(*heel, d->hip.t)), foot);
        return;
    case 5:
        d->knee.t = d->hip.t;
        return;
    case 6:
        *heel = d->knee.t;
        break;
    case 7: // all in one point
        d->knee.t = d->heel.t = d->toe.t = d->toe_end.t = d->target = d->hip.t;
        return;
    case 8:
        d->side = sft_v3d_make(0.0, -0.0, 0.0);
        return;
    case 9: // side vector along the leg, as far as the knee's rotation lets it
        d->knee.r = sft_quatd_identity();
        d->side = sft_v3d_sub(*heel, d->hip.t);
        return;
    case 10: // nearly straight, either way
        *heel = sft_v3d_add(sft_v3d_madd(d->knee.t, 1.0, thigh), draw_v3(s, 1e-3));
        break;
    case 11: // the toe's own place
        d->target = sft_v3d_make((double)(float)d->toe.t.x, (double)(float)d->toe.t.y, (double)(float)d->toe.t.z);
        return;
    case 12: // far out
        d->target = draw_v3(s, 1e4);
        return;
    case 13: // a microbe, with denormal and negative zero coordinates
        d->hip.t = sft_v3d_make(-0.0, 1e-40, -1e-42);
        d->knee.t = draw_v3(s, 3e-6);
        d->heel.t = draw_v3(s, 3e-6);
        d->toe.t = draw_v3(s, 1e-39);
        d->target = draw_v3(s, 1e-5);
        return;
    case 14: // a giant
        d->hip.t = draw_v3(s, 1e5);
        d->knee.t = draw_v3(s, 1e5);
        d->heel.t = draw_v3(s, 1e5);
        d->toe.t = draw_v3(s, 1e5);
        d->target = draw_v3(s, 1e5);
        return;
    default: // foot straight away from its target
        d->target = sft_v3d_madd(*heel, -1.0, foot);
        return;
    }
    d->toe.t = sft_v3d_add(*heel, foot);
    d->toe_end.t = sft_v3d_madd(d->toe.t, 0.5, foot);
    d->target = sft_v3d_add(d->toe.t, draw_v3(s, 0.2));
}

static void draw_feet(crowd* c, int32_t i, uint64_t* s)
{
    sft_crowd_feet* f = &c->feet;
    const float nan = (float)NAN;
    ((float*)f->contact)[i] = crowd_draw(s, 0.0, 1.0) < 0.7 ? 1.0f : 0.5f;
    put(f->velocity, i, draw_v3(s, 1.0));
    put(f->plant, i, sft_v3d_add(crowd_v3(c->legs.pose.toe, i), draw_v3(s, 0.02)));
    ((float*)f->contact_height)[i] = crowd_draw(s, 0.0, 1.0) < 0.5 ? nan : (float)crowd_draw(s, -0.1, 0.1);
    put(f->body_velocity, i, draw_v3(s, 0.3));
    ((float*)f->release)[i] = crowd_draw(s, 0.0, 1.0) < 0.1 ? 1.0f : 0.0f;
    ((float*)f->teleport)[i] = crowd_draw(s, 0.0, 1.0) < 0.05 ? 1.0f : 0.0f;
}

static void spoil(crowd* c, int32_t i, uint64_t* s)
{
    static const float bad[6] = {(float)NAN, (float)INFINITY, -(float)INFINITY, 3e38f, -2e6f, (float)-NAN};
    const int32_t value = (int32_t)crowd_draw(s, 0.0, 6.0), part = (int32_t)crowd_draw(s, 0.0, 32.0);
    // A row of the pose, or the target.
    if (part < 31)
        c->values[c->stride * (size_t)part + (size_t)i] = bad[value];
    else
        c->legs.target.z[i] = bad[value];
}

void crowd_fill(crowd* c, crowd_kind kind, uint64_t seed)
{
    memset(c->values, 0, c->stride * CROWD_ROWS * sizeof(float));
    const size_t blocks = (size_t)(c->count + SFT_CROWD_LANES - 1) / SFT_CROWD_LANES;
    memset(c->states, 0, blocks * sizeof *c->states);
    uint64_t s = seed;
    for (int32_t i = 0; i < c->count; ++i)
    {
        drawn d = kind == CROWD_WALKING ? draw_walking(&s) : draw_wild(&s);
        if (kind == CROWD_SPECIAL || kind == CROWD_HOSTILE) draw_special(&s, &d);
        const sft_crowd_pose* p = &c->legs.pose;
        put(p->hip, i, d.hip.t);
        put(p->knee, i, d.knee.t);
        put(p->heel, i, d.heel.t);
        put(p->toe, i, d.toe.t);
        put(p->toe_end, i, d.toe_end.t);
        put_quat(p->hip_r, i, d.hip.r);
        put_quat(p->knee_r, i, d.knee.r);
        put_quat(p->heel_r, i, d.heel.r);
        put_quat(p->toe_r, i, d.toe.r);
        put(c->legs.knee_side, i, d.side);
        put(c->legs.target, i, d.target);
        ((float*)c->legs.heel_min)[i] = (float)crowd_draw(&s, 0.0, 0.1);
        ((float*)c->legs.toe_min)[i] = (float)crowd_draw(&s, 0.0, 0.05);
        ((float*)c->legs.toe_end_min)[i] = (float)crowd_draw(&s, 0.0, 0.05);
        ((float*)c->bones.max_reach)[i] = (float)crowd_draw(&s, 0.0, 1.2);
        ((float*)c->bones.softening)[i] = (float)(crowd_draw(&s, 0.0, 1.0) < 0.2 ? 0.0 : crowd_draw(&s, 0.0, 0.1));
        draw_feet(c, i, &s);
        if (kind == CROWD_HOSTILE && i % 5 == 2) spoil(c, i, &s);
    }
}

void crowd_copy(crowd* c, const crowd* from, int32_t first, int32_t count)
{
    for (int32_t r = 0; r < CROWD_ROWS; ++r)
        memcpy(c->values + c->stride * (size_t)r, from->values + from->stride * (size_t)r + (size_t)first,
               (size_t)count * sizeof(float));
}

// ---- looking ----

static uint64_t fold(uint64_t hash, const void* word)
{
    uint32_t bits;
    memcpy(&bits, word, sizeof bits);
    hash = (hash ^ bits) * UINT64_C(1099511628211);
    return hash ^ (hash >> 29);
}

uint64_t crowd_hash(const crowd* c, int32_t first, int32_t count)
{
    uint64_t hash = UINT64_C(14695981039346656037);
    for (int32_t i = first; i < first + count; ++i)
    {
        for (int32_t r = 0; r < CROWD_ROWS; ++r)
            hash = fold(hash, c->values + c->stride * (size_t)r + (size_t)i);
        hash = fold(hash, c->flags + i);
        const float* state = (const float*)(c->states + i / SFT_CROWD_LANES) + i % SFT_CROWD_LANES;
        for (size_t k = 0; k < sizeof *c->states / sizeof(float) / SFT_CROWD_LANES; ++k)
            hash = fold(hash, state + k * SFT_CROWD_LANES);
    }
    return hash;
}

void crowd_work_in_place(crowd* c)
{
    c->legs.out = c->legs.pose;
    c->bones.hip_turn = c->legs.pose.hip_r;
    c->bones.knee_turn = c->legs.pose.knee_r;
    c->bones.new_knee = c->legs.pose.knee;
    c->bones.new_heel = c->legs.pose.heel;
}

sft_v3d crowd_v3(sft_v3_array a, int32_t i)
{
    return sft_v3d_make((double)a.x[i], (double)a.y[i], (double)a.z[i]);
}

sft_quatd crowd_quat(sft_quat_array a, int32_t i)
{
    return (sft_quatd){(double)a.x[i], (double)a.y[i], (double)a.z[i], (double)a.w[i]};
}

sft_leg_pose crowd_pose_of(const crowd* c, int32_t i, sft_leg* leg, sft_v3d* target)
{
    const sft_crowd_legs* l = &c->legs;
    sft_leg_pose p = {0};
    p.hip = (sft_xformd){crowd_v3(l->pose.hip, i), crowd_quat(l->pose.hip_r, i)};
    p.knee = (sft_xformd){crowd_v3(l->pose.knee, i), crowd_quat(l->pose.knee_r, i)};
    p.heel = (sft_xformd){crowd_v3(l->pose.heel, i), crowd_quat(l->pose.heel_r, i)};
    p.toe = (sft_xformd){crowd_v3(l->pose.toe, i), crowd_quat(l->pose.toe_r, i)};
    p.toe_end = (sft_xformd){crowd_v3(l->pose.toe_end, i), sft_quatd_identity()};
    *leg = (sft_leg){.hip = 0, .knee = 1, .heel = 2, .toe = 3, .toe_end = 4};
    leg->knee_side = crowd_v3(l->knee_side, i);
    leg->heel_min = (double)l->heel_min[i];
    leg->toe_min = (double)l->toe_min[i];
    leg->toe_end_min = (double)l->toe_end_min[i];
    *target = crowd_v3(l->target, i);
    return p;
}
