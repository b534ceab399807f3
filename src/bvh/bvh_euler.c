// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// Euler angles of any order, both ways.
//
// With axes i, j and angles a, b, c the rotation is R = Ri(a) Rj(b) Rk(c); e below is +1 where (i, j, k) is a cyclic
// order of x, y, z and -1 otherwise. Once the first angle is known, R' = Ri(-a) R = Rj(b) Rk(c) gives the others by
// atan2, and any error in `a` is taken up as far as it can be: the product stays R to rounding even near gimbal lock,
// where single angles mean little. Two values of `a`, half a turn apart, give the two solutions there are.

#include "bvh/bvh.h"

#include <math.h>

// Below this (sine or cosine of the middle angle) the first and last angle turn about the same axis as far as 1e-12 rad
// can tell: the first keeps its old value and the last takes the rest.
#define GIMBAL 1e-12

typedef struct matrix
{
    double m[3][3];
} matrix;

static matrix matrix_of(sft_quatd q)
{
    const double xx = q.x * q.x, yy = q.y * q.y, zz = q.z * q.z;
    const double xy = q.x * q.y, xz = q.x * q.z, yz = q.y * q.z;
    const double wx = q.w * q.x, wy = q.w * q.y, wz = q.w * q.z;
    return (matrix){{{1.0 - 2.0 * (yy + zz), 2.0 * (xy - wz), 2.0 * (xz + wy)},
                     {2.0 * (xy + wz), 1.0 - 2.0 * (xx + zz), 2.0 * (yz - wx)},
                     {2.0 * (xz - wy), 2.0 * (yz + wx), 1.0 - 2.0 * (xx + yy)}}};
}

sft_quatd sft_euler_to_quat(const double* degrees, const uint8_t* axes, int32_t count)
{
    sft_quatd q = sft_quatd_identity();
    for (int32_t i = 0; i < count; ++i)
    {
        double s, c;
        sft_sincos_deg(0.5 * degrees[i], &s, &c);
        // q * (s about the axis, c), the zeros left out.
        if (axes[i] == 0)
            q = (sft_quatd){q.x * c + q.w * s, q.y * c + q.z * s, q.z * c - q.y * s, q.w * c - q.x * s};
        else if (axes[i] == 1)
            q = (sft_quatd){q.x * c - q.z * s, q.y * c + q.w * s, q.z * c + q.x * s, q.w * c - q.y * s};
        else
            q = (sft_quatd){q.x * c + q.y * s, q.y * c - q.x * s, q.z * c + q.w * s, q.w * c - q.z * s};
    }
    return q;
}

// Rows and columns: the order's axes.
typedef struct order
{
    int i, j, k;
    double sign;
    bool proper; ///< last axis is the first again
} order;

static order order_of(const uint8_t* axes, int32_t count)
{
    order o = {axes[0], 0, 0, 1.0, false};
    // One axis alone: any second one will do, its angle comes out zero.
    o.j = count > 1 ? axes[1] : (axes[0] + 1) % 3;
    o.k = 3 - o.i - o.j;
    o.sign = (o.i + 1) % 3 == o.j ? 1.0 : -1.0;
    o.proper = count > 2 && axes[2] == axes[0];
    return o;
}

// First angle, one of its two values; false in gimbal lock.
static bool first_angle(const matrix* r, const order* o, int32_t count, double* a)
{
    double y, x;
    if (count < 3)
    {
        // R = Ri(a) Rj(b) leaves axis j to Ri alone.
        y = o->sign * r->m[o->k][o->j];
        x = r->m[o->j][o->j];
        if (count == 1)
        {
            *a = sft_atan2(y, x);
            return true;
        }
    }
    else if (o->proper)
    {
        y = r->m[o->j][o->i];
        x = -o->sign * r->m[o->k][o->i];
    }
    else
    {
        y = -o->sign * r->m[o->j][o->k];
        x = r->m[o->k][o->k];
    }
    if (y * y + x * x < GIMBAL * GIMBAL) return false;
    *a = sft_atan2(y, x);
    return true;
}

// Second and third angle for a given first, and what is left where there is no third.
static double other_angles(const matrix* r, const order* o, int32_t count, double* angle)
{
    double s, c;
    sft_sincos_deg(angle[0] * (180.0 / SFT_PI), &s, &c);
    // Rows of Ri(-a) R: row i stays, rows j and k turn.
    double row_i[3], row_j[3], row_k[3];
    for (int n = 0; n < 3; ++n)
    {
        row_i[n] = r->m[o->i][n];
        row_j[n] = c * r->m[o->j][n] + o->sign * s * r->m[o->k][n];
        row_k[n] = c * r->m[o->k][n] - o->sign * s * r->m[o->j][n];
    }
    if (o->proper)
    {
        angle[1] = sft_atan2(-o->sign * row_k[o->i], row_i[o->i]);
        angle[2] = sft_atan2(-o->sign * row_j[o->k], row_j[o->j]);
        return 0.0;
    }
    angle[1] = sft_atan2(o->sign * row_i[o->k], row_k[o->k]);
    angle[2] = sft_atan2(o->sign * row_j[o->i], row_j[o->j]);
    if (count == 2) return fabs(angle[2]);
    // One axis: whatever is not about it is left over.
    return count == 1 ? sft_maxd(fabs(angle[1]), fabs(angle[2])) : 0.0;
}

// The multiple of a turn that brings `degrees` nearest to `near`.
static double unwrap(double degrees, double near)
{
    return degrees + 360.0 * floor((near - degrees) / 360.0 + 0.5);
}

void sft_euler_other(const double* degrees, const uint8_t* axes, const double* near, double* other)
{
    other[0] = unwrap(degrees[0] + 180.0, near[0]);
    other[1] = unwrap(axes[2] == axes[0] ? -degrees[1] : 180.0 - degrees[1], near[1]);
    other[2] = unwrap(degrees[2] + 180.0, near[2]);
}

double sft_euler_from_quat(sft_quatd rotation, const uint8_t* axes, int32_t count, const double* near, double* degrees)
{
    const matrix r = matrix_of(rotation);
    const order o = order_of(axes, count);
    double best = (double)INFINITY, left = 0.0;
    double start;
    const bool free = !first_angle(&r, &o, count, &start);
    if (free) start = near[0] * (SFT_PI / 180.0);
    const int solutions = free || count < 3 ? 1 : 2;
    for (int n = 0; n < solutions; ++n)
    {
        double angle[3] = {n == 0 ? start : start > 0.0 ? start - SFT_PI : start + SFT_PI, 0.0, 0.0};
        const double rest = other_angles(&r, &o, count, angle);
        double distance = 0.0, tried[3];
        for (int32_t i = 0; i < count; ++i)
        {
            tried[i] = free && i == 0 ? near[0] : unwrap(angle[i] * (180.0 / SFT_PI), near[i]);
            distance += (tried[i] - near[i]) * (tried[i] - near[i]);
        }
        if (!(distance < best)) continue;
        best = distance;
        left = rest;
        for (int32_t i = 0; i < count; ++i)
            degrees[i] = tried[i];
    }
    return left;
}
