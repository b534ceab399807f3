// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

#include "matrix.h"

#include <math.h>
#include <string.h>

void fbx_identity(double m[16])
{
    for (int i = 0; i < 16; ++i)
        m[i] = i % 5 == 0 ? 1.0 : 0.0;
}

void fbx_multiply(const double a[16], const double b[16], double out[16])
{
    double m[16];
    for (int i = 0; i < 4; ++i)
        for (int k = 0; k < 4; ++k)
        {
            double sum = 0.0;
            for (int n = 0; n < 4; ++n)
                sum += a[4 * i + n] * b[4 * n + k];
            m[4 * i + k] = sum;
        }
    memcpy(out, m, sizeof m);
}

void fbx_compose(const double t[3], const double r[4], const double s[3], double out[16])
{
    const double x = r[0], y = r[1], z = r[2], w = r[3];
    const double turn[9] = {1 - 2 * (y * y + z * z), 2 * (x * y - w * z),     2 * (x * z + w * y),
                            2 * (x * y + w * z),     1 - 2 * (x * x + z * z), 2 * (y * z - w * x),
                            2 * (x * z - w * y),     2 * (y * z + w * x),     1 - 2 * (x * x + y * y)};
    fbx_identity(out);
    for (int i = 0; i < 3; ++i)
    {
        for (int k = 0; k < 3; ++k)
            out[4 * i + k] = turn[3 * i + k] * s[k];
        out[4 * i + 3] = t[i];
    }
}

// From the columns of a rotation.
static void quat_of(double c[3][3], double q[4])
{
    const double xx = c[0][0], yy = c[1][1], zz = c[2][2];
    if (xx + yy + zz > 0.0)
    {
        const double w = sqrt(1.0 + xx + yy + zz) / 2.0;
        q[0] = (c[1][2] - c[2][1]) / (4.0 * w);
        q[1] = (c[2][0] - c[0][2]) / (4.0 * w);
        q[2] = (c[0][1] - c[1][0]) / (4.0 * w);
        q[3] = w;
    }
    else
    {
        const int i = xx >= yy && xx >= zz ? 0 : yy >= zz ? 1 : 2;
        const int j = (i + 1) % 3, k = (i + 2) % 3;
        const double big = sqrt(fmax(0.0, 1.0 + c[i][i] - c[j][j] - c[k][k])) / 2.0;
        q[i] = big;
        q[j] = (c[i][j] + c[j][i]) / (4.0 * big);
        q[k] = (c[i][k] + c[k][i]) / (4.0 * big);
        q[3] = (c[j][k] - c[k][j]) / (4.0 * big);
    }
    fbx_quat_unit(q);
}

bool fbx_decompose(const double m[16], double t[3], double r[4], double s[3])
{
    double c[3][3]; // columns
    for (int k = 0; k < 3; ++k)
    {
        t[k] = m[4 * k + 3];
        for (int i = 0; i < 3; ++i)
            c[k][i] = m[4 * i + k];
        s[k] = sqrt(c[k][0] * c[k][0] + c[k][1] * c[k][1] + c[k][2] * c[k][2]);
        // Floats give lengths near 1 for turns alone.
        if (fabs(s[k] - 1.0) < 4e-7) s[k] = 1.0;
    }
    const double det = c[0][0] * (c[1][1] * c[2][2] - c[1][2] * c[2][1]) -
                       c[1][0] * (c[0][1] * c[2][2] - c[0][2] * c[2][1]) +
                       c[2][0] * (c[0][1] * c[1][2] - c[0][2] * c[1][1]);
    if (det < 0.0) s[0] = -s[0];
    r[0] = r[1] = r[2] = 0.0;
    r[3] = 1.0;
    const bool flat = !(fabs(s[0]) > 0.0 && s[1] > 0.0 && s[2] > 0.0);
    if (!flat)
    {
        for (int k = 0; k < 3; ++k)
            for (int i = 0; i < 3; ++i)
                c[k][i] /= s[k];
        // Nearest turn by a few steps of averaging with the inverse transpose; exact columns stay as they are.
        for (int step = 0; step < 3; ++step)
        {
            double n[3][3];
            for (int k = 0; k < 3; ++k)
            {
                const double *a = c[(k + 1) % 3], *b = c[(k + 2) % 3];
                for (int i = 0; i < 3; ++i)
                {
                    const int j = (i + 1) % 3, l = (i + 2) % 3;
                    n[k][i] = 0.5 * (c[k][i] + a[j] * b[l] - a[l] * b[j]);
                }
            }
            memcpy(c, n, sizeof n);
        }
        quat_of(c, r);
    }
    double back[16], worst = 0.0, size = 0.0;
    fbx_compose(t, r, s, back);
    for (int i = 0; i < 12; ++i)
    {
        if (i % 4 == 3) continue;
        worst = fmax(worst, fabs(back[i] - m[i]));
        size = fmax(size, fabs(m[i]));
    }
    return worst <= 2e-6 * size;
}

void fbx_quat_multiply(const double a[4], const double b[4], double out[4])
{
    const double q[4] = {
        a[3] * b[0] + a[0] * b[3] + a[1] * b[2] - a[2] * b[1], a[3] * b[1] - a[0] * b[2] + a[1] * b[3] + a[2] * b[0],
        a[3] * b[2] + a[0] * b[1] - a[1] * b[0] + a[2] * b[3], a[3] * b[3] - a[0] * b[0] - a[1] * b[1] - a[2] * b[2]};
    memcpy(out, q, sizeof q);
}

void fbx_quat_unit(double q[4])
{
    const double length = sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
    const bool none = !(length > 1e-12 && length < 1e12);
    for (int i = 0; i < 4; ++i)
        q[i] = none ? (i == 3 ? 1.0 : 0.0) : q[i] / length;
}

void fbx_slerp(const double a[4], const double b[4], double at, double out[4])
{
    const double dot = a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3];
    const double sign = dot < 0.0 ? -1.0 : 1.0, angle = acos(fmin(1.0, fabs(dot)));
    const double sine = sin(angle);
    const double x = sine > 1e-6 ? sin((1.0 - at) * angle) / sine : 1.0 - at;
    const double y = (sine > 1e-6 ? sin(at * angle) / sine : at) * sign;
    for (int i = 0; i < 4; ++i)
        out[i] = x * a[i] + y * b[i];
    fbx_quat_unit(out);
}
