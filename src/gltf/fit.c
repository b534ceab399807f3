// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// Dense solved motion back to the few keys an animator set: docs/gltf.md, "Keeping keys".
//
// Between keys the curve is linear, so its value at a frame is (1 - u) a + u b, and the normal equations of least
// squares are tridiagonal. For rotations a and b move along the sphere: each step solves for small turns of all keys
// from what is left over at the frames, as if turns of the keys mixed linearly. That is exact in the limit of short
// segments and near it else; steps that do not lessen the error are not taken.

#include "gltf/apply.h"

#define STEPS 12
// Keys that no frame speaks of stay where they are: this share of the largest diagonal entry holds them.
#define HOLD 1e-9

typedef struct fit
{
    const gltf_curve* wanted; // a key a frame
    gltf_curve curve;         // the keys sought
    double* values;           // of the curve
    double* trial;
    double *diagonal, *above; // factored: tridiagonal, symmetric
    double* side;             // right side, then solution: 3 a key
    uint32_t keys, frames;
} fit;

// Keys around a time and the share of the later one.
static double share_of(const gltf_curve* curve, double time, uint32_t* hint, uint32_t* key)
{
    const bool on_key = sft_gltf_curve_key(curve, time, hint, key);
    if (on_key) return 0.0;
    return (time - curve->times[*key]) / (curve->times[*key + 1] - curve->times[*key]);
}

static void build(fit* f)
{
    uint32_t hint = 0, k;
    for (uint32_t i = 0; i < f->frames; ++i)
    {
        const double u = share_of(&f->curve, f->wanted->times[i], &hint, &k);
        f->diagonal[k] += (1.0 - u) * (1.0 - u);
        if (u == 0.0) continue;
        f->diagonal[k + 1] += u * u;
        f->above[k] += u * (1.0 - u);
    }
    double most = 0.0;
    for (uint32_t i = 0; i < f->keys; ++i)
        most = sft_maxd(most, f->diagonal[i]);
    for (uint32_t i = 0; i < f->keys; ++i)
        f->diagonal[i] += HOLD * most;
    // L D L^T: `above` becomes L, `diagonal` D.
    for (uint32_t i = 0; i + 1 < f->keys; ++i)
    {
        const double l = f->above[i] / f->diagonal[i];
        f->diagonal[i + 1] -= l * f->above[i];
        f->above[i] = l;
    }
}

static void solve(fit* f)
{
    for (uint32_t i = 1; i < f->keys; ++i)
        for (int c = 0; c < 3; ++c)
            f->side[3 * (size_t)i + (size_t)c] -= f->above[i - 1] * f->side[3 * (size_t)(i - 1) + (size_t)c];
    for (uint32_t i = f->keys; i-- > 0;)
        for (int c = 0; c < 3; ++c)
        {
            double* x = &f->side[3 * (size_t)i + (size_t)c];
            *x /= f->diagonal[i];
            if (i + 1 < f->keys) *x -= f->above[i] * f->side[3 * (size_t)(i + 1) + (size_t)c];
        }
}

static sft_quatd quat_at(const double* v)
{
    return (sft_quatd){v[0], v[1], v[2], v[3]};
}

// What is left over at the frames: sum of squares, and the right side where `fill`.
static double left_over(fit* f, bool fill)
{
    uint32_t key_hint = 0, hint = 0, k;
    double sum = 0.0;
    if (fill) memset(f->side, 0, 3 * (size_t)f->keys * sizeof *f->side);
    for (uint32_t i = 0; i < f->frames; ++i)
    {
        double is[4], e[3];
        const double* want = sft_gltf_curve_value(f->wanted, i);
        const double time = f->wanted->times[i];
        if (f->curve.width == 4)
        {
            sft_gltf_curve_at(&f->curve, GLTF_ROTATION, time, &hint, is);
            const sft_v3d turn = sft_quatd_log(sft_quatd_mul(quat_at(want), sft_quatd_conjugate(quat_at(is))));
            e[0] = turn.x;
            e[1] = turn.y;
            e[2] = turn.z;
        }
        else
        {
            sft_gltf_curve_at(&f->curve, GLTF_TRANSLATION, time, &hint, is);
            for (int c = 0; c < 3; ++c)
                e[c] = want[c] - is[c];
        }
        sum += e[0] * e[0] + e[1] * e[1] + e[2] * e[2];
        if (!fill) continue;
        const double u = share_of(&f->curve, time, &key_hint, &k);
        for (int c = 0; c < 3; ++c)
        {
            f->side[3 * (size_t)k + (size_t)c] += (1.0 - u) * e[c];
            if (u > 0.0) f->side[3 * (size_t)(k + 1) + (size_t)c] += u * e[c];
        }
    }
    return sum;
}

static void step(fit* f)
{
    for (size_t i = 0; i < f->keys; ++i)
    {
        const double* d = f->side + 3 * i;
        double* v = f->values + (size_t)f->curve.width * i;
        if (f->curve.width == 3)
        {
            for (int c = 0; c < 3; ++c)
                v[c] += d[c];
            continue;
        }
        const sft_quatd q = sft_quatd_normalize(sft_quatd_mul(sft_quatd_exp((sft_v3d){d[0], d[1], d[2]}), quat_at(v)));
        v[0] = q.x;
        v[1] = q.y;
        v[2] = q.z;
        v[3] = q.w;
    }
}

// Linear for translations: one step is all. Rotations: until nothing is gained.
static void iterate(fit* f)
{
    const size_t size = (size_t)f->keys * (size_t)f->curve.width * sizeof *f->values;
    double error = left_over(f, true);
    for (int i = 0; i < STEPS && error > 0.0; ++i)
    {
        memcpy(f->trial, f->values, size);
        solve(f);
        step(f);
        const double now = left_over(f, true);
        if (!(now < error))
        {
            memcpy(f->values, f->trial, size);
            return;
        }
        const bool settled = now > (1.0 - 1e-9) * error || f->curve.width == 3;
        error = now;
        if (settled) return;
    }
}

bool sft_gltf_fit_keys(const gltf_curve* wanted, const double* key_times, uint32_t key_count,
                       const sft_allocator* allocator, double* out)
{
    const size_t width = (size_t)wanted->width;
    const size_t doubles = (size_t)key_count * (5 + width);
    double* block = sft_core_alloc(allocator, doubles, sizeof *block);
    if (block == NULL) return false;
    fit f = {.wanted = wanted, .values = out, .keys = key_count, .frames = wanted->count};
    f.diagonal = block;
    f.above = f.diagonal + key_count;
    f.side = f.above + key_count;
    f.trial = f.side + 3 * (size_t)key_count;
    f.curve = (gltf_curve){key_count, wanted->width, GLTF_LINEAR, key_times, out};
    const gltf_path path = width == 4 ? GLTF_ROTATION : GLTF_TRANSLATION;
    uint32_t hint = 0;
    for (uint32_t k = 0; k < key_count; ++k)
        sft_gltf_curve_at(wanted, path, key_times[k], &hint, out + width * k);
    build(&f);
    iterate(&f);
    sft_core_free(allocator, block, doubles, sizeof *block);
    return true;
}
