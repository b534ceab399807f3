// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// Velocity now from positions so far. A chord's slope is the velocity in the middle of its step, half a step ago; its
// change and the change of that bring it to now (the Newton polynomial through four points, steps uneven). But where a
// motion has a kink (a landing) or noise, those changes say nothing about what comes, and trusting them doubles the
// error. So each counts only as far as it goes the way of the one before it, and at most twice as far: smooth motion
// loses nothing, a kink gets the plain chord.

#include "lock/lock_internal.h"

static sft_v3d limited(sft_v3d now, sft_v3d before)
{
    const double square = sft_v3d_dot(now, now), along = sft_v3d_dot(now, before);
    if (!(along > 0.0) || !(square > 0.0)) return (sft_v3d){0};
    return sft_v3d_scale(sft_mind(2.0 * along / square, 1.0), now);
}

sft_v3d sft_lock_trace_add(sft_lock_trace* trace, sft_v3d chord, double step)
{
    sft_v3d velocity = chord, bend = {0}, twist = {0};
    const double two = step + trace->step, three = two + trace->step_before;
    if (trace->count >= 1) bend = sft_v3d_scale(1.0 / two, sft_v3d_sub(chord, trace->chord));
    if (trace->count >= 2)
    {
        twist = sft_v3d_scale(1.0 / three, sft_v3d_sub(bend, trace->bend));
        velocity = sft_v3d_madd(velocity, step, limited(bend, trace->bend));
    }
    if (trace->count >= 3 && sft_v3d_dot(bend, trace->bend) > 0.0)
        velocity = sft_v3d_madd(velocity, step * two, limited(twist, trace->twist));
    *trace = (sft_lock_trace){chord, bend, twist, step, trace->step, trace->count < 3 ? trace->count + 1 : 3};
    return velocity;
}
