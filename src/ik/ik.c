// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

#include "ik/ik_internal.h"

sft_quatd sft_ik_swing(sft_v3d from, sft_v3d to, sft_v3d fallback)
{
    sft_v3d c = sft_v3d_cross(from, to);
    const double cosine = sft_v3d_dot(from, to);
    if (cosine > 0.0 && c.x == 0.0 && c.y == 0.0 && c.z == 0.0) return sft_quatd_identity();
    double w = 1.0 + cosine;
    if (cosine < -0.5)
    {
        // Towards opposite directions cosine and cross product cancel; the sum, which is short and exact, does not.
        const sft_v3d sum = sft_v3d_add(from, to);
        c = sft_v3d_cross(from, sum);
        w = 0.5 * sft_v3d_dot(sum, sum);
        if (w < 1e-14) return (sft_quatd){fallback.x, fallback.y, fallback.z, 0.0};
    }
    return sft_quatd_normalize((sft_quatd){c.x, c.y, c.z, w});
}

double sft_ik_angle(sft_quatd a, sft_quatd b)
{
    return sft_v3d_length(sft_quatd_log(sft_quatd_mul(sft_quatd_conjugate(a), b)));
}

sft_v3d sft_ik_across(sft_v3d v, sft_v3d axis)
{
    return sft_v3d_madd(v, -sft_v3d_dot(v, axis), axis);
}

bool sft_ik_unit_quat(sft_quatd q)
{
    return fabs(sft_quatd_dot(q, q) - 1.0) <= 2e-3;
}
