// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// Bodies with two girdles, one behind the other, pitch: what the ground rises by below each turns the body as one
// piece, so that the middles of the hips are as high over it as they were.

#include "adapt/clip_problem.h"

static const double GIRDLES_APART = 0.05; // of the leg length: nearer than this they are one
static const double REARED = 0.4;         // of the body's length: what stands steeper over less ground turns less
static const double STANCE = 0.2;         // of the leg length: feet nearer together say little of a slope

static bool in_front(const ad_problem* p, int32_t leg)
{
    return p->front >> leg & 1u;
}

// Means of the hips of the hind and of the front girdle.
static void middles(const ad_problem* p, int32_t frame, sft_v3d out[2])
{
    int32_t counts[2] = {0, 0};
    out[0] = out[1] = sft_v3d_make(0, 0, 0);
    for (int32_t l = 0; l < p->leg_count; ++l)
    {
        const ad_foot* f = ad_foot_at(p, l, frame);
        const int g = in_front(p, l);
        out[g] = sft_v3d_add(out[g], f->hip);
        ++counts[g];
    }
    for (int g = 0; g < 2; ++g)
        if (counts[g] > 0) out[g] = sft_v3d_scale(1.0 / (double)counts[g], out[g]);
}

static sft_v3d hips_of_pair(const ad_problem* p, int32_t pair)
{
    sft_v3d sum = {0};
    int32_t count = 0;
    for (int32_t l = 0; l < p->leg_count; ++l)
        if (p->legs[l].pair == pair)
        {
            sum = sft_v3d_add(sum, ad_foot_at(p, l, 0)->hip);
            ++count;
        }
    return sft_v3d_scale(1.0 / (double)(count > 0 ? count : 1), sum);
}

void ad_find_girdles(ad_problem* p)
{
    int32_t hind = p->legs[0].pair, front = p->legs[0].pair;
    for (int32_t l = 0; l < p->leg_count; ++l)
    {
        hind = p->legs[l].pair < hind ? p->legs[l].pair : hind;
        front = p->legs[l].pair > front ? p->legs[l].pair : front;
    }
    p->front = 0;
    if (hind == front) return;
    const sft_v3d from = hips_of_pair(p, hind), way = sft_v3d_sub(hips_of_pair(p, front), from);
    if (!(sft_v3d_length(way) >= GIRDLES_APART * p->leg_length)) return;
    for (int32_t l = 0; l < p->leg_count; ++l)
        if (sft_v3d_dot(sft_v3d_sub(hips_of_pair(p, p->legs[l].pair), from), way) > 0.5 * sft_v3d_dot(way, way))
            p->front |= UINT64_C(1) << l;
}

// ---- what the ground asks of both ----

static bool on_ground(const ad_problem* p, int32_t leg, int32_t frame)
{
    const int32_t k = p->plant_of[(size_t)leg * (size_t)p->frames + (size_t)frame];
    return k >= 0 && p->plants[k].on_ground;
}

// Rise of the support between two frames in which the foot stands, by how far it has come: a straight line from
// foothold to foothold, whatever the foot does in time.
static double rise_between(const ad_problem* p, int32_t leg, int32_t from, int32_t to, int32_t frame)
{
    const double* rise = p->support + (size_t)leg * (size_t)p->frames;
    const sft_v3d start = ad_foot_at(p, leg, from)->toe;
    sft_v3d way = sft_v3d_sub(ad_foot_at(p, leg, to)->toe, start);
    sft_v3d gone = sft_v3d_sub(ad_foot_at(p, leg, frame)->toe, start);
    way.y = gone.y = 0.0;
    const double square = sft_v3d_dot(way, way), least = 0.1 * p->leg_length;
    double share = (double)(frame - from) / (double)(to - from);
    if (square > least * least) share = sft_clampd(sft_v3d_dot(gone, way) / square, 0.0, 1.0);
    return rise[from] + share * (rise[to] - rise[from]);
}

void ad_support_along_way(ad_problem* p)
{
    for (int32_t l = 0; l < p->leg_count; ++l)
    {
        const double* rise = p->support + (size_t)l * (size_t)p->frames;
        double* out = p->along + (size_t)l * (size_t)p->frames;
        int32_t before = -1;
        for (int32_t i = 0; i < p->frames; ++i)
        {
            out[i] = rise[i];
            if (!on_ground(p, l, i)) continue;
            for (int32_t k = before + 1; k < i && before >= 0; ++k)
                out[k] = rise_between(p, l, before, i, k);
            before = i;
        }
    }
}

void ad_ground_below(const ad_problem* p, int32_t frame, double out[2])
{
    sft_v3d hips[2];
    middles(p, frame, hips);
    const sft_v3d apart = sft_v3d_sub(hips[1], hips[0]);
    const sft_v3d way = sft_v3d_normalize_or(sft_v3d_make(apart.x, 0.0, apart.z), sft_v3d_make(0, 0, 0));
    const double count = (double)p->leg_count;
    double s = 0.0, h = 0.0, ss = 0.0, sh = 0.0;
    for (int32_t l = 0; l < p->leg_count; ++l)
    {
        const double at = sft_v3d_dot(sft_v3d_sub(ad_foot_at(p, l, frame)->toe, hips[0]), way);
        const double rise = p->along[(size_t)l * (size_t)p->frames + (size_t)frame];
        s += at / count;
        h += rise / count;
        ss += at * at / count;
        sh += at * rise / count;
    }
    const double least = STANCE * p->leg_length, spread = sft_maxd(ss - s * s, 0.0);
    const double slope = (sh - s * h) / sft_maxd(spread, least * least);
    out[0] = h - slope * s;
    out[1] = h + slope * (sft_v3d_dot(apart, way) - s);
}

// ---- moves ----

void ad_turn_body(ad_problem* p)
{
    for (int32_t i = 0; i < p->frames; ++i)
    {
        sft_v3d hips[2];
        middles(p, i, hips);
        const sft_v3d along = sft_v3d_sub(hips[1], hips[0]);
        const double length = sft_v3d_length(along), apart = p->chest[i] - p->pelvis[i];
        ad_move* m = p->moves + i;
        *m = (ad_move){sft_v3d_lerp(hips[0], hips[1], 0.5), sft_quatd_identity(), 0.0};
        if (!(length > SFT_LENGTH_EPS)) continue;
        const double level = sqrt(along.x * along.x + along.z * along.z);
        m->pitch = sft_atan2(apart, sft_maxd(level, REARED * length));
        const double s = sft_sin(0.5 * m->pitch);
        const sft_v3d way = sft_v3d_normalize_or(sft_v3d_make(along.x, 0.0, along.z), sft_v3d_make(0, 0, 0));
        m->turn = sft_quatd_normalize((sft_quatd){-s * way.z, 0.0, s * way.x, sft_cos(0.5 * m->pitch)});
    }
}

sft_v3d ad_turned(const ad_problem* p, int32_t frame, sft_v3d point)
{
    if (p->turn_joint < 0) return point;
    const ad_move* m = p->moves + frame;
    return sft_v3d_add(m->pivot, sft_quatd_rotate(m->turn, sft_v3d_sub(point, m->pivot)));
}

sft_v3d ad_moved(const ad_problem* p, int32_t frame, sft_v3d point)
{
    point = ad_turned(p, frame, point);
    point.y += p->pelvis[frame];
    return point;
}

double ad_rise_at(const ad_problem* p, int32_t frame, sft_v3d point)
{
    return p->turn_joint < 0 ? p->pelvis[frame] : ad_moved(p, frame, point).y - point.y;
}

double ad_hind_rise(const ad_problem* p, int32_t frame)
{
    sft_v3d hips[2] = {{0}};
    if (p->turn_joint >= 0) middles(p, frame, hips);
    return ad_rise_at(p, frame, hips[0]);
}

sft_quatd ad_body_turn(const ad_problem* p, int32_t frame)
{
    return p->turn_joint < 0 ? sft_quatd_identity() : p->moves[frame].turn;
}
