// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// Smooth curves over frames: third differences as small as values to keep to, values that are given and bounds allow.
// A convex quadratic programme whose matrix has three diagonals beside the main one.
#ifndef SUREFOOT_ADAPT_CLIP_BAND_H
#define SUREFOOT_ADAPT_CLIP_BAND_H

#include "core/core.h"

#define AD_BAND 4 // main diagonal and three below it

/// Minimises  sum third[i] (d3 x)_i^2 + sum first[i] (d1 x)_i^2 + sum weight[i] (x_i - wanted_i)^2.
typedef struct ad_curve
{
    int32_t count;
    double third, first;
    const double* weight; // [count] >= 0
    const uint8_t* fixed; // [count] nonzero: x_i stays what it is
    double* matrix;       // [count * AD_BAND] scratch: row i holds columns i - 3 .. i
    double* factor;       // the same
    double* scratch;      // [count * AD_CURVE_SCRATCH]
} ad_curve;

#define AD_CURVE_SCRATCH 12

/// Builds and factors the matrix: O(count).
void ad_curve_begin(ad_curve* c);

/// Without bounds. x in and out: fixed entries are read, the others written.
void ad_curve_solve(const ad_curve* c, const double* wanted, double* x);

/// With bounds low <= x <= high on entries that are not fixed (-INFINITY, INFINITY: none; low < high). Interior point
/// method (Mehrotra 1992), each step linear in count. Begins at x. True: converged.
bool ad_curve_solve_bounded(const ad_curve* c, const double* wanted, const double* low, const double* high, double* x,
                            int32_t* iterations);

#endif
