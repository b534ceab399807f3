// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// Inertialisation by a cubic: what is shown is the destination plus an offset that runs out. Article 000 with its
// transition corrected; the same for rotations, by rotation vectors in world space. See docs/lock.md.

#include "lock/lock_internal.h"

// Below this [rad] the series' first terms are exact to double precision.
static const double SMALL_TURN = 1e-4;

void sft_inertia_at(const sft_inertia* inertia, double blend_time, sft_v3d* offset, sft_v3d* velocity)
{
    sft_v3d p = {0}, v = {0};
    if (inertia->time < blend_time)
    {
        const double t = sft_maxd(inertia->time / blend_time, 0.0);
        // The cubic with value and slope (1, 0), (0, 1) at 0 and zero of both at 1, and its derivative.
        const double w0 = (2.0 * t - 3.0) * t * t + 1.0, w1 = ((t - 2.0) * t + 1.0) * t * blend_time;
        const double w2 = (6.0 * t - 6.0) * t / blend_time, w3 = (3.0 * t - 4.0) * t + 1.0;
        p = sft_v3d_madd(sft_v3d_scale(w0, inertia->offset), w1, inertia->offset_velocity);
        v = sft_v3d_madd(sft_v3d_scale(w2, inertia->offset), w3, inertia->offset_velocity);
    }
    *offset = p;
    *velocity = v;
}

void sft_inertia_transition(sft_inertia* inertia, double blend_time, sft_v3d source, sft_v3d source_velocity,
                            sft_v3d destination, sft_v3d destination_velocity)
{
    // Both old values go in before either new one comes out.
    sft_v3d offset, velocity;
    sft_inertia_at(inertia, blend_time, &offset, &velocity);
    inertia->offset = sft_v3d_sub(sft_v3d_add(source, offset), destination);
    inertia->offset_velocity = sft_v3d_sub(sft_v3d_add(source_velocity, velocity), destination_velocity);
    inertia->time = 0.0;
}

// With J the left Jacobian of the rotation group, exp(r) turns at J(r) r': 1 + b [r] + c [r]^2.
static sft_v3d rate_to_spin(sft_v3d r, sft_v3d rate)
{
    const double square = sft_v3d_dot(r, r), angle = sqrt(square);
    const double s = sft_sin(0.5 * angle);
    const double b = angle < SMALL_TURN ? 0.5 : 2.0 * s * s / square;
    const double c = angle < SMALL_TURN ? 1.0 / 6.0 : (angle - sft_sin(angle)) / (square * angle);
    const sft_v3d once = sft_v3d_cross(r, rate);
    return sft_v3d_madd(sft_v3d_madd(rate, b, once), c, sft_v3d_cross(r, once));
}

static sft_v3d spin_to_rate(sft_v3d r, sft_v3d spin)
{
    const double square = sft_v3d_dot(r, r), angle = sqrt(square), half = 0.5 * angle;
    const double c = angle < SMALL_TURN ? 1.0 / 12.0 : (1.0 - half * sft_cos(half) / sft_sin(half)) / square;
    const sft_v3d once = sft_v3d_cross(r, spin);
    return sft_v3d_madd(sft_v3d_madd(spin, -0.5, once), c, sft_v3d_cross(r, once));
}

lock_turn sft_lock_turn_at(sft_v3d offset, sft_v3d offset_rate, double time, double blend_time, lock_turn base)
{
    const sft_inertia inertia = {offset, offset_rate, time};
    sft_v3d r, rate;
    sft_inertia_at(&inertia, blend_time, &r, &rate);
    if (sft_v3d_dot(r, r) == 0.0 && sft_v3d_dot(rate, rate) == 0.0) return base;
    const sft_quatd turn = sft_quatd_exp(r);
    return (lock_turn){sft_quatd_normalize(sft_quatd_mul(turn, base.rotation)),
                       sft_v3d_add(rate_to_spin(r, rate), sft_quatd_rotate(turn, base.spin))};
}

void sft_lock_turn_between(lock_turn shown, lock_turn base, sft_v3d* offset, sft_v3d* offset_rate)
{
    const sft_quatd turn = sft_quatd_mul(shown.rotation, sft_quatd_conjugate(base.rotation));
    *offset = sft_quatd_log(turn);
    *offset_rate = spin_to_rate(*offset, sft_v3d_sub(shown.spin, sft_quatd_rotate(turn, base.spin)));
}
