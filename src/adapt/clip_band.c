// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

#include "adapt/clip_band.h"

#include <math.h>

#include "surefoot/math.h"

#define MOST_STEPS 60
#define GAP_TOLERANCE 1e-11  // mean of slack times multiplier, against the problem's own scale
#define STEP_TOLERANCE 1e-7  // [m] or [rad]
#define BOUND_TOLERANCE 1e-9 // [m] or [rad]
#define STEP_KEPT 0.995      // of the way to the nearest bound
#define STALLED 0.9          // of the gap left after a step is no progress
#define CENTRED 0.3          // of the gap is gone for then

// Adds w v v' of a row v over frames at .. at + n - 1, lower triangle.
static void add_square(double* m, int32_t at, int32_t n, const double* v, double w)
{
    for (int32_t r = 0; r < n; ++r)
        for (int32_t c = 0; c <= r; ++c)
            m[(size_t)(at + r) * AD_BAND + (size_t)(3 - (r - c))] += w * v[r] * v[c];
}

static void factor(const double* m, const double* extra, int32_t n, double* f)
{
    // LDL' by rows: f holds L (unit diagonal left out) and, in its place, D.
    for (int32_t i = 0; i < n; ++i)
    {
        double* row = f + (size_t)i * AD_BAND;
        for (int32_t k = 0; k < AD_BAND; ++k)
            row[k] = m[(size_t)i * AD_BAND + (size_t)k];
        if (extra) row[3] += extra[i];
        for (int32_t c = i > 3 ? i - 3 : 0; c < i; ++c)
        {
            const double* up = f + (size_t)c * AD_BAND;
            double sum = row[3 - (i - c)];
            for (int32_t k = i > 3 ? i - 3 : 0; k < c; ++k)
                sum -= row[3 - (i - k)] * up[3 - (c - k)]; // row still holds L D here
            row[3 - (i - c)] = sum;
        }
        for (int32_t c = i > 3 ? i - 3 : 0; c < i; ++c)
        {
            const double ld = row[3 - (i - c)], l = ld / f[(size_t)c * AD_BAND + 3];
            row[3] -= ld * l;
            row[3 - (i - c)] = l;
        }
        // The matrix is positive definite; a pivot that rounding took is held above zero.
        row[3] = sft_maxd(row[3], 1e-30);
    }
}

static void substitute(const double* f, int32_t n, double* x)
{
    for (int32_t i = 0; i < n; ++i)
        for (int32_t c = i > 3 ? i - 3 : 0; c < i; ++c)
            x[i] -= f[(size_t)i * AD_BAND + (size_t)(3 - (i - c))] * x[c];
    for (int32_t i = 0; i < n; ++i)
        x[i] /= f[(size_t)i * AD_BAND + 3];
    for (int32_t i = n - 1; i >= 0; --i)
        for (int32_t c = i > 3 ? i - 3 : 0; c < i; ++c)
            x[c] -= f[(size_t)i * AD_BAND + (size_t)(3 - (i - c))] * x[i];
}

// y = A x, fixed entries included on both sides.
static void multiply(const double* m, int32_t n, const double* x, double* y)
{
    for (int32_t i = 0; i < n; ++i)
        y[i] = 0.0;
    for (int32_t i = 0; i < n; ++i)
    {
        const double* row = m + (size_t)i * AD_BAND;
        for (int32_t c = i > 3 ? i - 3 : 0; c < i; ++c)
        {
            y[i] += row[3 - (i - c)] * x[c];
            y[c] += row[3 - (i - c)] * x[i];
        }
        y[i] += row[3] * x[i];
    }
}

// The matrix with rows and columns of fixed entries made identity.
static void strike_fixed(const ad_curve* c, const double* m, double* out)
{
    for (int32_t i = 0; i < c->count; ++i)
        for (int32_t k = 0; k < AD_BAND; ++k)
        {
            const int32_t col = i - 3 + k;
            double v = m[(size_t)i * AD_BAND + (size_t)k];
            if (col < 0 || (col != i && (c->fixed[i] || c->fixed[col]))) v = 0.0;
            if (col == i && c->fixed[i]) v = 1.0;
            out[(size_t)i * AD_BAND + (size_t)k] = v;
        }
}

void ad_curve_begin(ad_curve* c)
{
    static const double d3[4] = {-1, 3, -3, 1}, d1[2] = {-1, 1}, one[1] = {1};
    memset(c->matrix, 0, (size_t)c->count * AD_BAND * sizeof(double));
    for (int32_t i = 0; i + 3 < c->count; ++i)
        add_square(c->matrix, i, 4, d3, c->third);
    for (int32_t i = 0; i + 1 < c->count; ++i)
        add_square(c->matrix, i, 2, d1, c->first);
    for (int32_t i = 0; i < c->count; ++i)
        add_square(c->matrix, i, 1, one, c->weight[i]);
    // factor serves as scratch of the struck matrix, which is not needed after; it is factored in place row by row.
    strike_fixed(c, c->matrix, c->factor);
    factor(c->factor, NULL, c->count, c->factor);
}

// Gradient A x - W wanted on free entries, zero on fixed ones.
static void gradient(const ad_curve* c, const double* wanted, const double* x, double* g)
{
    multiply(c->matrix, c->count, x, g);
    for (int32_t i = 0; i < c->count; ++i)
        g[i] = c->fixed[i] ? 0.0 : g[i] - c->weight[i] * wanted[i];
}

void ad_curve_solve(const ad_curve* c, const double* wanted, double* x)
{
    double* step = c->scratch;
    // Twice: the second step takes out what rounding left of the first.
    for (int round = 0; round < 2; ++round)
    {
        gradient(c, wanted, x, step);
        substitute(c->factor, c->count, step);
        for (int32_t i = 0; i < c->count; ++i)
            if (!c->fixed[i]) x[i] -= step[i];
    }
}

// ---- with bounds ----

// Slack s and multiplier z of one side; sign +1: x - low = s, -1: high - x = s.
typedef struct side
{
    const double* bound;
    double sign;
    double *s, *z, *ds, *dz;
} side;

static bool bounded(const ad_curve* c, const side* v, int32_t i)
{
    return !c->fixed[i] && fabs(v->bound[i]) < INFINITY;
}

static double slack_error(const side* v, const double* x, int32_t i)
{
    return v->sign * (x[i] - v->bound[i]) - v->s[i];
}

// Newton step of the perturbed conditions; `aim` is the product s z to go for, with the second-order term of the last
// prediction where `corrected`.
static void newton(const ad_curve* c, side* v, const double* x, const double* g, double aim, bool corrected, double* dx,
                   const double* f)
{
    for (int32_t i = 0; i < c->count; ++i)
    {
        dx[i] = -g[i];
        for (int k = 0; k < 2; ++k)
        {
            if (!bounded(c, v + k, i)) continue;
            const double r = aim - (corrected ? v[k].ds[i] * v[k].dz[i] : 0.0) - v[k].s[i] * v[k].z[i];
            const double e = slack_error(v + k, x, i);
            dx[i] += v[k].sign * (v[k].z[i] + (r - v[k].z[i] * e) / v[k].s[i]);
        }
        if (c->fixed[i]) dx[i] = 0.0;
    }
    substitute(f, c->count, dx);
    for (int32_t i = 0; i < c->count; ++i)
        for (int k = 0; k < 2; ++k)
        {
            if (!bounded(c, v + k, i)) continue;
            const double r = aim - (corrected ? v[k].ds[i] * v[k].dz[i] : 0.0) - v[k].s[i] * v[k].z[i];
            const double ds = v[k].sign * dx[i] + slack_error(v + k, x, i);
            v[k].ds[i] = ds;
            v[k].dz[i] = (r - v[k].z[i] * ds) / v[k].s[i];
        }
}

static double longest(const ad_curve* c, const side* v)
{
    double most = 1.0;
    for (int k = 0; k < 2; ++k)
        for (int32_t i = 0; i < c->count; ++i)
        {
            if (!bounded(c, v + k, i)) continue;
            if (v[k].ds[i] < 0.0) most = sft_mind(most, -STEP_KEPT * v[k].s[i] / v[k].ds[i]);
            if (v[k].dz[i] < 0.0) most = sft_mind(most, -STEP_KEPT * v[k].z[i] / v[k].dz[i]);
        }
    return most;
}

static double gap_after(const ad_curve* c, const side* v, double step, double* worst)
{
    double sum = 0.0, count = 0.0;
    for (int k = 0; k < 2; ++k)
        for (int32_t i = 0; i < c->count; ++i)
        {
            if (!bounded(c, v + k, i)) continue;
            const double p = (v[k].s[i] + step * v[k].ds[i]) * (v[k].z[i] + step * v[k].dz[i]);
            sum += p;
            count += 1.0;
            if (worst) *worst = sft_maxd(*worst, p);
        }
    return count > 0.0 ? sum / count : 0.0;
}

static void start(const ad_curve* c, side* v, const double* x)
{
    for (int k = 0; k < 2; ++k)
        for (int32_t i = 0; i < c->count; ++i)
        {
            v[k].ds[i] = v[k].dz[i] = 0.0;
            v[k].s[i] = v[k].z[i] = 1.0;
            if (!bounded(c, v + k, i)) continue;
            v[k].s[i] = sft_maxd(v[k].sign * (x[i] - v[k].bound[i]), 1e-2);
            v[k].z[i] = 1e-4 / v[k].s[i];
        }
}

bool ad_curve_solve_bounded(const ad_curve* c, const double* wanted, const double* low, const double* high, double* x,
                            int32_t* iterations)
{
    const size_t n = (size_t)c->count;
    double* at = c->scratch;
    side v[2] = {{low, 1.0, at, at + n, at + 2 * n, at + 3 * n},
                 {high, -1.0, at + 4 * n, at + 5 * n, at + 6 * n, at + 7 * n}};
    double *g = at + 8 * n, *dx = at + 9 * n, *extra = at + 10 * n;
    // The factor is needed anew at every step: the curve's own is given up.
    double moved = INFINITY;
    start(c, v, x);
    for (*iterations = 0; *iterations < MOST_STEPS; ++*iterations)
    {
        double error = 0.0;
        gradient(c, wanted, x, g);
        for (int32_t i = 0; i < c->count; ++i)
        {
            extra[i] = 0.0;
            for (int k = 0; k < 2; ++k)
            {
                if (!bounded(c, v + k, i)) continue;
                extra[i] += v[k].z[i] / v[k].s[i];
                error = sft_maxd(error, fabs(slack_error(v + k, x, i)));
            }
        }
        const double gap = gap_after(c, v, 0.0, NULL);
        // The gradient is no measure: it carries the rounding of x times the weight of third differences.
        if (gap < GAP_TOLERANCE && error < BOUND_TOLERANCE && moved < STEP_TOLERANCE) return true;
        strike_fixed(c, c->matrix, c->factor);
        factor(c->factor, extra, c->count, c->factor);
        newton(c, v, x, g, 0.0, false, dx, c->factor);
        const double predicted = gap_after(c, v, longest(c, v), NULL);
        const double share = gap > 0.0 ? predicted / gap : 0.0;
        newton(c, v, x, g, sft_maxd(share * share * share * gap, 0.1 * GAP_TOLERANCE), true, dx, c->factor);
        double step = longest(c, v);
        if (error < STEP_TOLERANCE && gap > GAP_TOLERANCE && gap_after(c, v, step, NULL) > STALLED * gap)
        {
            // The correction may send it round in circles: one step back towards the middle of the bounds ends that.
            newton(c, v, x, g, CENTRED * gap, false, dx, c->factor);
            step = longest(c, v);
        }
        moved = step < 0.9 ? INFINITY : 0.0;
        for (int32_t i = 0; i < c->count; ++i)
        {
            x[i] += step * dx[i];
            moved = sft_maxd(moved, fabs(dx[i]));
            for (int k = 0; k < 2; ++k)
            {
                v[k].s[i] += step * v[k].ds[i];
                v[k].z[i] += step * v[k].dz[i];
            }
        }
    }
    return false;
}
