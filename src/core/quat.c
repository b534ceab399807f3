// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

#include "surefoot/math.h"

sft_v3d sft_quatd_log(sft_quatd q)
{
    // q and -q are one rotation: the one with w >= 0 is the shorter way round.
    const double sign = q.w < 0.0 ? -1.0 : 1.0;
    const sft_v3d v = sft_v3d_make(sign * q.x, sign * q.y, sign * q.z);
    const double s = sft_v3d_length(v);
    // Below 1e-8 the sine is its angle to double precision.
    if (s < 1e-8) return sft_v3d_scale(2.0, v);
    return sft_v3d_scale(2.0 * sft_atan2(s, sign * q.w) / s, v);
}

sft_quatd sft_quatd_exp(sft_v3d v)
{
    const double angle = sft_v3d_length(v);
    const double half = 0.5 * angle;
    const double k = angle < 1e-8 ? 0.5 : sft_sin(half) / angle;
    return sft_quatd_normalize((sft_quatd){k * v.x, k * v.y, k * v.z, sft_cos(half)});
}

sft_quatd sft_quatd_slerp(sft_quatd a, sft_quatd b, double t)
{
    const sft_v3d step = sft_quatd_log(sft_quatd_mul(sft_quatd_conjugate(a), b));
    return sft_quatd_normalize(sft_quatd_mul(a, sft_quatd_exp(sft_v3d_scale(t, step))));
}
