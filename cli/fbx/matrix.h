// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// Four-by-four matrices, row-major, for column vectors; quaternions are xyzw.
#ifndef SUREFOOT_FBX_MATRIX_H
#define SUREFOOT_FBX_MATRIX_H

#include <stdbool.h>

void fbx_identity(double m[16]);
// out = a * b; out may be either.
void fbx_multiply(const double a[16], const double b[16], double out[16]);
void fbx_compose(const double t[3], const double r[4], const double s[3], double out[16]);
// True where m is t * r * s within float precision; else they are the nearest that is cheap to find. A mirror goes to
// a negative scale of x.
bool fbx_decompose(const double m[16], double t[3], double r[4], double s[3]);
// b first, then a.
void fbx_quat_multiply(const double a[4], const double b[4], double out[4]);
// Unit length; the identity where there is none.
void fbx_quat_unit(double q[4]);
// Along the shorter arc.
void fbx_slerp(const double a[4], const double b[4], double at, double out[4]);

#endif
