// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// Dense solved motion back to keys that are not LINEAR: docs/gltf.md, "Keeping keys".
//
// STEP holds a value from a key to the next, so the nearest is the mean over the frames of the hold.
//
// CUBICSPLINE is linear in its numbers: at share u of an interval it is
//     va(u) value_k + ta(u) out_k + vb(u) value_k+1 + tb(u) in_k+1      (tangents times the interval)
// and only the length of quaternions is taken out behind that. What is sought is the change of all numbers, in the
// order in, value, out of each key: least squares over the frames is then a symmetric band of three beside the
// diagonal. A tangent of which no frame speaks follows the change of the values around it, and a key whose tangents
// were one stays without a kink.

#include "gltf/apply.h"

#define BAND 3
#define HOLD_VALUE 1e-9   // share of the largest diagonal entry that holds keys of which no frame speaks,
#define HOLD_TANGENT 1e-6 // and tangents
#define SMOOTH 1e3        // the same for the difference of tangents that were one
#define SAME_TANGENT 1e-5 // part of their size by which such tangents may differ
#define ROUNDS 2          // the length of quaternions changes with them

// ---- STEP ----

// Sum of one hold's values, rotations with the sign of the first; the source's own where no frame falls into it.
typedef struct hold
{
    double sum[4];
    uint32_t count;
} hold;

static void finish_hold(const gltf_curve* source, const hold* h, uint32_t key, double* out)
{
    const int32_t width = source->width;
    double* v = out + (size_t)width * key;
    double length = 0.0;
    for (int32_t i = 0; i < width; ++i)
        length += h->sum[i] * h->sum[i];
    length = sqrt(length);
    const bool empty = h->count == 0 || (width == 4 && !(length > 0.0));
    for (int32_t i = 0; i < width; ++i)
        v[i] = empty ? sft_gltf_curve_value(source, key)[i] : h->sum[i] / (width == 4 ? length : (double)h->count);
}

void sft_gltf_fit_steps(const gltf_curve* wanted, const gltf_curve* source, double* out)
{
    const int32_t width = source->width;
    uint32_t hint = 0, done = 0;
    hold h = {{0}, 0};
    for (uint32_t f = 0; f < wanted->count; ++f)
    {
        uint32_t key;
        (void)sft_gltf_curve_key(source, wanted->times[f], &hint, &key);
        for (; done < key; ++done)
        {
            finish_hold(source, &h, done, out);
            h = (hold){{0}, 0};
        }
        const double* v = sft_gltf_curve_value(wanted, f);
        double dot = 0.0;
        for (int32_t i = 0; i < width; ++i)
            dot += v[i] * h.sum[i];
        const double sign = width == 4 && dot < 0.0 ? -1.0 : 1.0;
        for (int32_t i = 0; i < width; ++i)
            h.sum[i] += sign * v[i];
        ++h.count;
    }
    for (; done < source->count; ++done)
    {
        finish_hold(source, &h, done, out);
        h = (hold){{0}, 0};
    }
}

// ---- CUBICSPLINE ----

typedef struct spline
{
    const gltf_curve* wanted;
    gltf_curve curve; // as it is by now
    double* values;   // of it
    size_t unknowns;  // 3 a key
    double* band;     // [unknown * (BAND + 1) + distance]: the matrix, then its factors
    double* side;     // [unknown * width]: right side, then the change
    uint8_t* seen;    // per key: a frame lies between it and the next
} spline;

// Up to four unknowns that a frame speaks of, one behind the other, and their shares.
typedef struct shares
{
    size_t first;
    int count;
    double of[4];
} shares;

static double interval_of(const spline* s, size_t key)
{
    return key + 1 < s->curve.count ? s->curve.times[key + 1] - s->curve.times[key] : 1.0;
}

static shares shares_at(const spline* s, double time, uint32_t* hint)
{
    uint32_t k;
    if (sft_gltf_curve_key(&s->curve, time, hint, &k)) return (shares){3 * (size_t)k + 1, 1, {1.0}};
    const double u = (time - s->curve.times[k]) / interval_of(s, k), u2 = u * u, u3 = u2 * u;
    return (shares){3 * (size_t)k + 1, 4, {2.0 * u3 - 3.0 * u2 + 1.0, u3 - 2.0 * u2 + u, u3 - u2, 3.0 * u2 - 2.0 * u3}};
}

// The curve at a frame before its length is taken out: unknown by unknown, tangents times their interval.
static void raw_at(const spline* s, const shares* sh, double* out)
{
    const size_t width = (size_t)s->curve.width;
    for (size_t i = 0; i < width; ++i)
        out[i] = 0.0;
    for (int n = 0; n < sh->count; ++n)
    {
        const size_t at = sh->first + (size_t)n, key = at / 3, part = at % 3;
        const double scale = part == 1 ? 1.0 : interval_of(s, part == 2 ? key : key - 1);
        for (size_t i = 0; i < width; ++i)
            out[i] += sh->of[n] * scale * s->values[at * width + i];
    }
}

static double* entry(const spline* s, size_t row, size_t distance)
{
    return &s->band[row * (BAND + 1) + distance];
}

// Matrix and right side of all frames.
static void add_frames(spline* s)
{
    const size_t width = (size_t)s->curve.width;
    uint32_t hint = 0;
    for (uint32_t f = 0; f < s->wanted->count; ++f)
    {
        const shares sh = shares_at(s, s->wanted->times[f], &hint);
        const double* want = sft_gltf_curve_value(s->wanted, f);
        double raw[4], dot = 0.0, square = 0.0, scale = 1.0;
        if (sh.count > 1) s->seen[sh.first / 3] = 1;
        raw_at(s, &sh, raw);
        for (size_t i = 0; i < width; ++i)
        {
            dot += raw[i] * want[i];
            square += raw[i] * raw[i];
        }
        if (width == 4) scale = dot < 0.0 ? -sqrt(square) : sqrt(square);
        for (int n = 0; n < sh.count; ++n)
        {
            const size_t row = sh.first + (size_t)n;
            for (int m = 0; m <= n; ++m)
                *entry(s, row, (size_t)(n - m)) += sh.of[n] * sh.of[m];
            for (size_t i = 0; i < width; ++i)
                s->side[row * width + i] += sh.of[n] * (scale * want[i] - raw[i]);
        }
    }
}

// A key without a kink: its tangents are one, both not nothing.
static bool smooth_at(const spline* s, size_t key)
{
    const size_t width = (size_t)s->curve.width;
    const double *in = s->values + 3 * key * width, *out = in + 2 * width;
    double off = 0.0, size = 0.0;
    for (size_t i = 0; i < width; ++i)
    {
        off = sft_maxd(off, fabs(in[i] - out[i]));
        size = sft_maxd(size, sft_maxd(fabs(in[i]), fabs(out[i])));
    }
    return key > 0 && key + 1 < s->curve.count && off <= SAME_TANGENT * size;
}

static void add_holds(spline* s)
{
    double most = 0.0;
    for (size_t r = 0; r < s->unknowns; ++r)
        most = sft_maxd(most, *entry(s, r, 0));
    for (size_t r = 0; r < s->unknowns; ++r)
        *entry(s, r, 0) += (r % 3 == 1 ? HOLD_VALUE : HOLD_TANGENT) * most;
    for (size_t k = 0; k < s->curve.count; ++k)
    {
        if (!smooth_at(s, k)) continue;
        // Of the tangents themselves, which are the unknowns over the intervals.
        const double h = 0.5 * (interval_of(s, k - 1) + interval_of(s, k));
        const double a = h / interval_of(s, k - 1), b = h / interval_of(s, k);
        *entry(s, 3 * k, 0) += SMOOTH * most * a * a;
        *entry(s, 3 * k + 2, 0) += SMOOTH * most * b * b;
        *entry(s, 3 * k + 2, 2) -= SMOOTH * most * a * b;
    }
}

// Factors L D L^T within the band, and solves for all components.
static void solve(spline* s)
{
    const size_t width = (size_t)s->curve.width, n = s->unknowns;
    for (size_t r = 0; r < n; ++r)
    {
        for (size_t d = r < BAND ? r : BAND; d > 0; --d)
        {
            // Row r, column r - d: what columns before have in common is taken off.
            double value = *entry(s, r, d);
            for (size_t e = d + 1; e <= BAND && e <= r; ++e)
                value -= *entry(s, r, e) * *entry(s, r - d, e - d) * *entry(s, r - e, 0);
            *entry(s, r, d) = value / *entry(s, r - d, 0);
        }
        for (size_t d = 1; d <= BAND && d <= r; ++d)
            *entry(s, r, 0) -= *entry(s, r, d) * *entry(s, r, d) * *entry(s, r - d, 0);
    }
    for (size_t r = 0; r < n; ++r)
        for (size_t d = 1; d <= BAND && d <= r; ++d)
            for (size_t i = 0; i < width; ++i)
                s->side[r * width + i] -= *entry(s, r, d) * s->side[(r - d) * width + i];
    for (size_t r = n; r-- > 0;)
        for (size_t i = 0; i < width; ++i)
        {
            double value = s->side[r * width + i] / *entry(s, r, 0);
            for (size_t d = 1; d <= BAND && r + d < n; ++d)
                value -= *entry(s, r + d, d) * s->side[(r + d) * width + i];
            s->side[r * width + i] = value;
        }
}

// Change of a tangent: that of the values around, where no frame says better.
static double tangent_change(const spline* s, size_t key, bool out, size_t i)
{
    const size_t width = (size_t)s->curve.width, interval = out ? key : key - 1, last = s->curve.count - 1;
    if (s->seen[interval]) return s->side[(3 * key + (out ? 2 : 0)) * width + i] / interval_of(s, interval);
    const size_t a = key > 0 ? key - 1 : 0, b = key < last ? key + 1 : last;
    const double change = s->side[(3 * b + 1) * width + i] - s->side[(3 * a + 1) * width + i];
    return change / (s->curve.times[b] - s->curve.times[a]);
}

static void add_change(spline* s)
{
    const size_t width = (size_t)s->curve.width;
    for (size_t k = 0; k < s->curve.count; ++k)
    {
        const bool smooth = smooth_at(s, k);
        double* v = s->values + 3 * k * width;
        const double* d = s->side + 3 * k * width;
        for (size_t i = 0; i < width; ++i)
        {
            if (k > 0) v[i] += tangent_change(s, k, false, i);
            v[width + i] += d[width + i];
            if (k + 1 < s->curve.count) v[2 * width + i] += tangent_change(s, k, true, i);
            if (smooth) v[i] = v[2 * width + i] = 0.5 * (v[i] + v[2 * width + i]);
        }
        double length = 0.0;
        for (size_t i = 0; i < width; ++i)
            length += v[width + i] * v[width + i];
        // Keys of rotations are unit in files; tangents go with them, so that the curve keeps its shape.
        if (width == 4 && length > 1e-12)
            for (size_t i = 0; i < 3 * width; ++i)
                v[i] /= sqrt(length);
    }
}

bool sft_gltf_fit_spline(const gltf_curve* wanted, const gltf_curve* source, const sft_allocator* allocator,
                         double* out)
{
    const size_t width = (size_t)source->width, unknowns = 3 * (size_t)source->count;
    const size_t doubles = unknowns * (BAND + 1 + width);
    double* block = sft_core_alloc(allocator, doubles, sizeof *block);
    uint8_t* seen = sft_core_alloc(allocator, source->count, 1);
    if (block == NULL || seen == NULL)
    {
        sft_core_free(allocator, block, doubles, sizeof *block);
        sft_core_free(allocator, seen, source->count, 1);
        return false;
    }
    memcpy(out, source->values, unknowns * width * sizeof *out);
    spline s = {.wanted = wanted, .values = out, .unknowns = unknowns, .band = block, .seen = seen};
    s.side = block + unknowns * (BAND + 1);
    s.curve = (gltf_curve){source->count, source->width, GLTF_CUBICSPLINE, source->times, out};
    for (int round = 0; round < ROUNDS; ++round)
    {
        memset(block, 0, doubles * sizeof *block);
        add_frames(&s);
        add_holds(&s);
        solve(&s);
        add_change(&s);
    }
    sft_core_free(allocator, seen, source->count, 1);
    sft_core_free(allocator, block, doubles, sizeof *block);
    return true;
}
