// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// Cubic resampling. Positions: Catmull-Rom, the cubic through both frames whose slope at each is that of the chord over
// its neighbours. Rotations: the same curve on the sphere, written as a cumulative cubic Bezier (Kim, Kim and Shin, "A
// general construction scheme for unit quaternion curves with simple high order derivatives", 1995):
//   q(t) = a exp(B1 m0/3) exp(B2 w) exp(B3 m1/3),  B1 = 1-(1-t)^3, B2 = 3t^2-2t^3, B3 = t^3,
// where m0, m1 are the slopes at both ends in their own frames, [rad a frame], and w closes the gap so that q(1) = b.
// About one fixed axis this is Catmull-Rom in the angle, and so exact for turns that are quadratic in time.

#include "surefoot/clip.h"

#include "core/core.h"

// Sample times this near to a frame are that frame: frame times are written with six or seven digits.
#define ON_FRAME 1e-6

static sft_v3d cubic(sft_v3d before, sft_v3d a, sft_v3d b, sft_v3d after, double t)
{
    const sft_v3d m0 = sft_v3d_scale(0.5, sft_v3d_sub(b, before)), m1 = sft_v3d_scale(0.5, sft_v3d_sub(after, a));
    const double t2 = t * t, t3 = t2 * t;
    sft_v3d p = sft_v3d_scale(2.0 * t3 - 3.0 * t2 + 1.0, a);
    p = sft_v3d_madd(p, t3 - 2.0 * t2 + t, m0);
    p = sft_v3d_madd(p, 3.0 * t2 - 2.0 * t3, b);
    return sft_v3d_madd(p, t3 - t2, m1);
}

// Rotation vector from a to b in a's own frame, the shorter way.
static sft_v3d step_between(sft_quatd a, sft_quatd b)
{
    return sft_quatd_log(sft_quatd_mul(sft_quatd_conjugate(a), b));
}

// Mean of the steps into and out of q, in q's own frame.
static sft_v3d slope_at(sft_quatd before, sft_quatd q, sft_quatd after)
{
    return sft_v3d_scale(0.5, sft_v3d_sub(step_between(q, after), step_between(q, before)));
}

static sft_quatd cubic_rotation(sft_quatd before, sft_quatd a, sft_quatd b, sft_quatd after, double t)
{
    const sft_v3d third0 = sft_v3d_scale(1.0 / 3.0, slope_at(before, a, b));
    const sft_v3d third1 = sft_v3d_scale(1.0 / 3.0, slope_at(a, b, after));
    const sft_quatd inner0 = sft_quatd_mul(a, sft_quatd_exp(third0));
    const sft_quatd inner1 = sft_quatd_mul(b, sft_quatd_exp(sft_v3d_scale(-1.0, third1)));
    const sft_v3d middle = step_between(inner0, inner1);
    const double u = 1.0 - t, b1 = 1.0 - u * u * u, b2 = t * t * (3.0 - 2.0 * t), b3 = t * t * t;
    sft_quatd q = sft_quatd_mul(a, sft_quatd_exp(sft_v3d_scale(b1, third0)));
    q = sft_quatd_mul(q, sft_quatd_exp(sft_v3d_scale(b2, middle)));
    q = sft_quatd_mul(q, sft_quatd_exp(sft_v3d_scale(b3, third1)));
    return sft_quatd_normalize(q);
}

static void sample(const sft_clip* clip, int32_t first, int32_t frame, double t, sft_v3d* out_t, sft_quatd* out_r)
{
    const size_t n = (size_t)clip->joint_count;
    const int32_t last = clip->frame_count - 1;
    const int32_t at[4] = {frame > first ? frame - 1 : first, frame, frame < last ? frame + 1 : last,
                           frame + 2 <= last ? frame + 2 : last};
    const sft_v3d* p[4];
    const sft_quatd* r[4];
    for (int i = 0; i < 4; ++i)
    {
        p[i] = clip->translations + (size_t)at[i] * n;
        r[i] = clip->rotations + (size_t)at[i] * n;
    }
    for (size_t j = 0; j < n; ++j)
    {
        if (t > 0.0)
        {
            out_t[j] = cubic(p[0][j], p[1][j], p[2][j], p[3][j], t);
            out_r[j] = cubic_rotation(r[0][j], r[1][j], r[2][j], r[3][j], t);
        }
        else
        {
            out_t[j] = p[1][j];
            out_r[j] = r[1][j];
        }
    }
}

sft_result sft_clip_resample(const sft_clip* clip, double frame_time, int32_t first_frame,
                             const sft_allocator* allocator, sft_clip** out)
{
    if (clip == NULL || out == NULL || !(frame_time > 0.0) || !isfinite(frame_time)) return SFT_ERR_ARG;
    if (!(clip->frame_time > 0.0) || !isfinite(clip->frame_time)) return SFT_ERR_ARG;
    if (clip->frame_count < 1 || first_frame < 0 || first_frame >= clip->frame_count) return SFT_ERR_ARG;
    const double frames = (double)(clip->frame_count - 1 - first_frame) * (clip->frame_time / frame_time);
    if (!(frames < 2147483000.0 - (double)first_frame)) return SFT_ERR_LIMIT;
    const int32_t samples = (int32_t)floor(frames + 0.5) + 1;
    sft_clip* made = NULL;
    const sft_result result = sft_clip_create(clip->joint_count, first_frame + samples, frame_time, allocator, &made);
    if (result != SFT_OK) return result;
    const size_t n = (size_t)clip->joint_count, kept = (size_t)first_frame * n;
    memcpy(made->translations, clip->translations, kept * sizeof *made->translations);
    memcpy(made->rotations, clip->rotations, kept * sizeof *made->rotations);
    for (int32_t k = 0; k < samples; ++k)
    {
        // A denormal frame time makes the ratio infinite, and nought times that no number.
        const double time = k > 0 ? (double)k * (frame_time / clip->frame_time) : 0.0;
        double whole = floor(time), t = time - whole;
        if (t > 1.0 - ON_FRAME) whole += 1.0, t = 0.0;
        if (t < ON_FRAME) t = 0.0;
        const int32_t last = clip->frame_count - 1;
        const bool inside = whole < (double)(last - first_frame);
        const int32_t frame = inside ? first_frame + (int32_t)whole : last;
        if (!inside) t = 0.0;
        const size_t row = (size_t)(first_frame + k) * n;
        sample(clip, first_frame, frame, t, made->translations + row, made->rotations + row);
    }
    *out = made;
    return SFT_OK;
}
