// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

/// @file math.h
/// Vectors, quaternions and rigid transforms, in float for run time and in double for clips and whole-clip solving.
/// All pure, by value, inline, and free of libm functions whose last bit differs between platforms: only + - * / and
/// sqrt, which IEEE 754 fixes, are used here; trigonometry is sft_sin() and its kin.
#ifndef SUREFOOT_MATH_H
#define SUREFOOT_MATH_H

#include <math.h>

#include "surefoot/base.h"

#define SFT_PI 3.14159265358979323846

/// Lengths below this are treated as zero [m]: a micron, far under any motion capture and far over double noise.
#define SFT_LENGTH_EPS 1e-6
/// Largest coordinate accepted by solvers [m]: beyond it float runtime code could not resolve a millimetre anyway.
#define SFT_HUGE 1e6

typedef struct sft_v3
{
    float x, y, z;
} sft_v3;

typedef struct sft_quat
{
    float x, y, z, w;
} sft_quat;

/// Translation, rotation, scale; maps p to t + r * (s . p). Float: run time.
typedef struct sft_xform
{
    sft_v3 t;
    sft_quat r;
    sft_v3 s;
} sft_xform;

typedef struct sft_v3d
{
    double x, y, z;
} sft_v3d;

typedef struct sft_quatd
{
    double x, y, z, w;
} sft_quatd;

/// Rigid transform in double, without scale: maps p to t + r * p.
typedef struct sft_xformd
{
    sft_v3d t;
    sft_quatd r;
} sft_xformd;

// ---- scalars ----

SFT_INLINE double sft_mind(double a, double b)
{
    return a < b ? a : b;
}

SFT_INLINE double sft_maxd(double a, double b)
{
    return a > b ? a : b;
}

/// lo where x is NaN: a NaN never gets through.
SFT_INLINE double sft_clampd(double x, double lo, double hi)
{
    return x > lo ? (x < hi ? x : hi) : lo;
}

// Own trigonometry: the same bits everywhere, error below 2 ulp over the stated ranges (src/core/trig.c).

/// Sine and cosine of x [rad], |x| <= 1e6; outside, and for NaN, both are those of 0. Pure.
SFT_API double sft_sin(double x);
SFT_API double sft_cos(double x);
/// Sine and cosine of an angle in degrees, exact at multiples of 90; any finite angle. NaN and infinity count as 0.
SFT_API void sft_sincos_deg(double degrees, double* sine, double* cosine);
/// Angle of (x, y) in (-pi, pi]; 0 for (0, 0) and for NaN. Pure.
SFT_API double sft_atan2(double y, double x);
/// Arc cosine in [0, pi]; x is clamped to [-1, 1]. Pure.
SFT_API double sft_acos(double x);
/// e^x, error below 2 ulp; 0 below -745, the largest double above 709.7; 1 for NaN. Pure.
SFT_API double sft_exp(double x);

// ---- double vectors ----

SFT_INLINE sft_v3d sft_v3d_make(double x, double y, double z)
{
    return SFT_LIT(sft_v3d){x, y, z};
}

SFT_INLINE sft_v3d sft_v3d_add(sft_v3d a, sft_v3d b)
{
    return SFT_LIT(sft_v3d){a.x + b.x, a.y + b.y, a.z + b.z};
}

SFT_INLINE sft_v3d sft_v3d_sub(sft_v3d a, sft_v3d b)
{
    return SFT_LIT(sft_v3d){a.x - b.x, a.y - b.y, a.z - b.z};
}

SFT_INLINE sft_v3d sft_v3d_scale(double s, sft_v3d a)
{
    return SFT_LIT(sft_v3d){s * a.x, s * a.y, s * a.z};
}

/// a + s * b
SFT_INLINE sft_v3d sft_v3d_madd(sft_v3d a, double s, sft_v3d b)
{
    return SFT_LIT(sft_v3d){a.x + s * b.x, a.y + s * b.y, a.z + s * b.z};
}

SFT_INLINE sft_v3d sft_v3d_lerp(sft_v3d a, sft_v3d b, double t)
{
    return SFT_LIT(sft_v3d){a.x + t * (b.x - a.x), a.y + t * (b.y - a.y), a.z + t * (b.z - a.z)};
}

SFT_INLINE double sft_v3d_dot(sft_v3d a, sft_v3d b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

SFT_INLINE sft_v3d sft_v3d_cross(sft_v3d a, sft_v3d b)
{
    return SFT_LIT(sft_v3d){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

SFT_INLINE double sft_v3d_length(sft_v3d a)
{
    return sqrt(sft_v3d_dot(a, a));
}

SFT_INLINE double sft_v3d_distance(sft_v3d a, sft_v3d b)
{
    return sft_v3d_length(sft_v3d_sub(a, b));
}

/// Unit vector along a, or `fallback` as it is where a is shorter than SFT_LENGTH_EPS.
SFT_INLINE sft_v3d sft_v3d_normalize_or(sft_v3d a, sft_v3d fallback)
{
    const double length = sft_v3d_length(a);
    return length > SFT_LENGTH_EPS ? sft_v3d_scale(1.0 / length, a) : fallback;
}

/// Some unit vector at right angles to the unit vector a; depends on a only and is never degenerate.
SFT_INLINE sft_v3d sft_v3d_any_perp(sft_v3d a)
{
    // The coordinate axis least along a keeps the cross product longer than sqrt(2/3).
    const double ax = fabs(a.x), ay = fabs(a.y), az = fabs(a.z);
    const sft_v3d axis = ax <= ay && ax <= az ? sft_v3d_make(1, 0, 0)
                         : ay <= az           ? sft_v3d_make(0, 1, 0)
                                              : sft_v3d_make(0, 0, 1);
    return sft_v3d_normalize_or(sft_v3d_cross(a, axis), sft_v3d_make(1, 0, 0));
}

/// True where every coordinate is finite and within SFT_HUGE.
SFT_INLINE bool sft_v3d_in_range(sft_v3d a)
{
    return fabs(a.x) <= SFT_HUGE && fabs(a.y) <= SFT_HUGE && fabs(a.z) <= SFT_HUGE;
}

// ---- double quaternions ----

SFT_INLINE sft_quatd sft_quatd_identity(void)
{
    return SFT_LIT(sft_quatd){0.0, 0.0, 0.0, 1.0};
}

/// Applies b first, then a.
SFT_INLINE sft_quatd sft_quatd_mul(sft_quatd a, sft_quatd b)
{
    return SFT_LIT(sft_quatd){a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y, //
                              a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x, //
                              a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w, //
                              a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z};
}

SFT_INLINE sft_quatd sft_quatd_conjugate(sft_quatd q)
{
    return SFT_LIT(sft_quatd){-q.x, -q.y, -q.z, q.w};
}

SFT_INLINE double sft_quatd_dot(sft_quatd a, sft_quatd b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w;
}

/// Unit quaternion along q; identity where q is shorter than 1e-12.
SFT_INLINE sft_quatd sft_quatd_normalize(sft_quatd q)
{
    const double length = sqrt(sft_quatd_dot(q, q));
    if (!(length > 1e-12)) return sft_quatd_identity();
    const double s = 1.0 / length;
    return SFT_LIT(sft_quatd){s * q.x, s * q.y, s * q.z, s * q.w};
}

SFT_INLINE sft_v3d sft_quatd_rotate(sft_quatd q, sft_v3d v)
{
    const sft_v3d u = SFT_LIT(sft_v3d){q.x, q.y, q.z};
    const sft_v3d t = sft_v3d_scale(2.0, sft_v3d_cross(u, v));
    return sft_v3d_add(sft_v3d_madd(v, q.w, t), sft_v3d_cross(u, t));
}

/// Turns v by the inverse of q.
SFT_INLINE sft_v3d sft_quatd_unrotate(sft_quatd q, sft_v3d v)
{
    return sft_quatd_rotate(sft_quatd_conjugate(q), v);
}

/// Shortest rotation that turns direction `from` to direction `to` (any lengths). Opposite directions turn by half a
/// turn about sft_v3d_any_perp(from); a zero vector gives identity.
SFT_INLINE sft_quatd sft_quatd_between(sft_v3d from, sft_v3d to)
{
    const double lf = sft_v3d_length(from), lt = sft_v3d_length(to);
    if (!(lf > 1e-12) || !(lt > 1e-12)) return sft_quatd_identity();
    const sft_v3d f = sft_v3d_scale(1.0 / lf, from), t = sft_v3d_scale(1.0 / lt, to);
    const sft_v3d c = sft_v3d_cross(f, t);
    const double w = 1.0 + sft_v3d_dot(f, t);
    // Near opposite, w cancels; 1e-14 is half the square of the angle (1.4e-7 rad) at which c itself is noise.
    if (w < 1e-14)
    {
        const sft_v3d p = sft_v3d_any_perp(f);
        return SFT_LIT(sft_quatd){p.x, p.y, p.z, 0.0};
    }
    return sft_quatd_normalize(SFT_LIT(sft_quatd){c.x, c.y, c.z, w});
}

/// Rotation of q as axis times angle [rad], the shorter way round, length in [0, pi]. Pure.
SFT_API sft_v3d sft_quatd_log(sft_quatd q);
/// Rotation about v by its length [rad]; inverse of sft_quatd_log. Pure.
SFT_API sft_quatd sft_quatd_exp(sft_v3d v);
/// Constant-speed interpolation the shorter way round, t in [0, 1] (extrapolates outside). Pure.
SFT_API sft_quatd sft_quatd_slerp(sft_quatd a, sft_quatd b, double t);

/// Parent transform times child transform.
SFT_INLINE sft_xformd sft_xformd_mul(sft_xformd parent, sft_xformd child)
{
    return SFT_LIT(sft_xformd){sft_v3d_add(parent.t, sft_quatd_rotate(parent.r, child.t)),
                               sft_quatd_mul(parent.r, child.r)};
}

SFT_INLINE sft_v3d sft_xformd_apply(sft_xformd x, sft_v3d p)
{
    return sft_v3d_add(x.t, sft_quatd_rotate(x.r, p));
}

// ---- float, for run time ----

SFT_INLINE sft_v3 sft_v3_make(float x, float y, float z)
{
    return SFT_LIT(sft_v3){x, y, z};
}

SFT_INLINE sft_v3d sft_v3_widen(sft_v3 a)
{
    return SFT_LIT(sft_v3d){(double)a.x, (double)a.y, (double)a.z};
}

SFT_INLINE sft_v3 sft_v3d_narrow(sft_v3d a)
{
    return SFT_LIT(sft_v3){(float)a.x, (float)a.y, (float)a.z};
}

SFT_INLINE sft_quatd sft_quat_widen(sft_quat q)
{
    return SFT_LIT(sft_quatd){(double)q.x, (double)q.y, (double)q.z, (double)q.w};
}

SFT_INLINE sft_quat sft_quatd_narrow(sft_quatd q)
{
    return SFT_LIT(sft_quat){(float)q.x, (float)q.y, (float)q.z, (float)q.w};
}

/// Applies b first, then a.
SFT_INLINE sft_quat sft_quat_mul(sft_quat a, sft_quat b)
{
    return SFT_LIT(sft_quat){a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y, //
                             a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x, //
                             a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w, //
                             a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z};
}

SFT_INLINE sft_v3 sft_quat_rotate(sft_quat q, sft_v3 v)
{
    const float tx = 2.0f * (q.y * v.z - q.z * v.y);
    const float ty = 2.0f * (q.z * v.x - q.x * v.z);
    const float tz = 2.0f * (q.x * v.y - q.y * v.x);
    return SFT_LIT(sft_v3){v.x + q.w * tx + q.y * tz - q.z * ty, //
                           v.y + q.w * ty + q.z * tx - q.x * tz, //
                           v.z + q.w * tz + q.x * ty - q.y * tx};
}

#endif
