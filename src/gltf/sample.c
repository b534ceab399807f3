// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// Curves of animation channels: decoded one at a time, so that a long animation never stands in memory twice.
// Source: glTF 2.0 specification, appendix C (interpolation).

#include "gltf/curve.h"

// A time and a key this near [of the key's own time] are one time that was rounded to float twice. At most one in
// 64 of the interval, so that dense keys stay apart.
#define SAME_TIME 0x1p-22
#define SAME_INTERVAL 0x1p-6

static const gltf_sampler* sampler_of(const gltf_animation* animation, const gltf_channel* channel)
{
    return channel->sampler >= 0 ? &animation->samplers[channel->sampler] : NULL;
}

uint32_t sft_gltf_key_count(const sft_gltf* gltf, const gltf_animation* animation, const gltf_channel* channel)
{
    if (channel->keys != NULL) return channel->keys->count;
    const gltf_sampler* sampler = sampler_of(animation, channel);
    return sampler != NULL ? gltf->accessors[sampler->input].count : 0;
}

void sft_gltf_key_times(const sft_gltf* gltf, const gltf_animation* animation, const gltf_channel* channel,
                        uint32_t first, uint32_t count, double* out)
{
    if (channel->keys != NULL && channel->keys->input < 0)
    {
        for (uint32_t i = 0; i < count; ++i)
            out[i] = (double)channel->keys->times[first + i];
        return;
    }
    const int32_t input = channel->keys != NULL ? channel->keys->input : sampler_of(animation, channel)->input;
    sft_gltf_read_values(gltf, input, first, count, out);
}

static void read_new_values(const gltf_keys* keys, size_t width, double* out)
{
    for (size_t i = 0; i < (size_t)keys->count * width; ++i)
        out[i] = (double)keys->values[i];
}

sft_result sft_gltf_channel_curve(const sft_gltf* gltf, const gltf_animation* animation, const gltf_channel* channel,
                                  const sft_allocator* allocator, gltf_curve* curve, void** block, size_t* block_size)
{
    const gltf_sampler* sampler = sampler_of(animation, channel);
    const uint32_t count = sft_gltf_key_count(gltf, animation, channel);
    const int32_t width = channel->path == GLTF_ROTATION ? 4 : 3;
    const bool fresh = channel->keys != NULL;
    const gltf_interpolation interpolation = fresh             ? channel->keys->interpolation
                                             : sampler == NULL ? GLTF_LINEAR
                                                               : sampler->interpolation;
    const uint32_t parts = interpolation == GLTF_CUBICSPLINE ? 3 : 1;
    if (count == 0 || (sampler == NULL && !fresh)) return SFT_ERR_ARG;
    if (!fresh)
    {
        // The reader sees to this; a document put together by hand must not be read beyond its end.
        const gltf_accessor* values = &gltf->accessors[sampler->output];
        if (values->width != width || (uint64_t)values->count < (uint64_t)count * parts) return SFT_ERR_ARG;
    }
    const size_t doubles = (size_t)count * (1u + (size_t)width * parts);
    double* data = sft_core_alloc(allocator, doubles, sizeof *data);
    if (data == NULL) return SFT_ERR_MEMORY;
    sft_gltf_key_times(gltf, animation, channel, 0, count, data);
    if (fresh)
        read_new_values(channel->keys, (size_t)width * parts, data + count);
    else
        sft_gltf_read_values(gltf, sampler->output, 0, count * parts, data + count);
    *curve = (gltf_curve){count, width, interpolation, data, data + count};
    *block = data;
    *block_size = doubles * sizeof *data;
    return SFT_OK;
}

const double* sft_gltf_curve_value(const gltf_curve* curve, uint32_t key)
{
    const size_t element = curve->interpolation == GLTF_CUBICSPLINE ? (size_t)key * 3 + 1 : (size_t)key;
    return curve->values + element * (size_t)curve->width;
}

// Last key at or before the time; 0 where there is none.
static uint32_t key_before(const gltf_curve* curve, double time, uint32_t* hint)
{
    uint32_t k = *hint < curve->count ? *hint : curve->count - 1;
    if (time < curve->times[k])
    {
        uint32_t lo = 0, hi = k;
        while (lo + 1 < hi)
        {
            const uint32_t middle = lo + (hi - lo) / 2;
            if (curve->times[middle] <= time)
                lo = middle;
            else
                hi = middle;
        }
        k = lo;
    }
    while (k + 1 < curve->count && curve->times[k + 1] <= time)
        ++k;
    *hint = k;
    return k;
}

bool sft_gltf_curve_key(const gltf_curve* curve, double time, uint32_t* hint, uint32_t* key)
{
    const uint32_t k = key_before(curve, time, hint);
    const uint32_t last = curve->count - 1;
    *key = k;
    if (time <= curve->times[0] || k == last || time == curve->times[k]) return true;
    const double interval = SAME_INTERVAL * (curve->times[k + 1] - curve->times[k]);
    const double near = sft_mind(SAME_TIME * fabs(curve->times[k + 1]), interval);
    if (time - curve->times[k] <= near) return true;
    if (curve->times[k + 1] - time > near) return false;
    *key = k + 1;
    return true;
}

// Unit length; zeros, which no rotation has, and false where there is no direction.
static bool unit(double* q)
{
    const double length = sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
    const bool valid = length > 1e-12 && length < 1e150;
    const double s = valid ? 1.0 / length : 0.0;
    for (int i = 0; i < 4; ++i)
        q[i] = valid ? q[i] * s : 0.0;
    return valid;
}

static void between_rotations(const double* a, const double* b, double u, double* out)
{
    double from[4], to[4];
    memcpy(from, a, sizeof from);
    memcpy(to, b, sizeof to);
    if (!unit(from) || !unit(to))
    {
        memset(out, 0, sizeof from);
        return;
    }
    memcpy(out, from, sizeof from);
    // What does not move keeps its bits.
    if (memcmp(from, to, sizeof from) == 0) return;
    const sft_quatd q =
        sft_quatd_slerp((sft_quatd){from[0], from[1], from[2], from[3]}, (sft_quatd){to[0], to[1], to[2], to[3]}, u);
    out[0] = q.x;
    out[1] = q.y;
    out[2] = q.z;
    out[3] = q.w;
}

// Hermite form with the file's tangents, which are per second: hence the key interval. `a` and `b` point at
// in-tangent, value, out-tangent of two neighbours.
static void between_spline(const double* a, const double* b, int32_t width, double interval, double u, double* out)
{
    const double u2 = u * u, u3 = u2 * u;
    const double va = 2.0 * u3 - 3.0 * u2 + 1.0, vb = -2.0 * u3 + 3.0 * u2;
    const double ta = interval * (u3 - 2.0 * u2 + u), tb = interval * (u3 - u2);
    for (int32_t i = 0; i < width; ++i)
        out[i] = va * a[width + i] + ta * a[2 * width + i] + vb * b[width + i] + tb * b[i];
}

void sft_gltf_curve_at(const gltf_curve* curve, gltf_path path, double time, uint32_t* hint, double* out)
{
    const int32_t width = curve->width;
    uint32_t k;
    const bool on_key = sft_gltf_curve_key(curve, time, hint, &k);
    if (on_key || curve->interpolation == GLTF_STEP)
    {
        memcpy(out, sft_gltf_curve_value(curve, k), (size_t)width * sizeof *out);
        if (path == GLTF_ROTATION) (void)unit(out);
        return;
    }
    const double interval = curve->times[k + 1] - curve->times[k];
    const double u = (time - curve->times[k]) / interval;
    const double* a = sft_gltf_curve_value(curve, k);
    const double* b = sft_gltf_curve_value(curve, k + 1);
    if (curve->interpolation == GLTF_CUBICSPLINE)
    {
        between_spline(a - width, b - width, width, interval, u, out);
        if (path == GLTF_ROTATION) (void)unit(out);
        return;
    }
    if (path == GLTF_ROTATION)
    {
        between_rotations(a, b, u, out);
        return;
    }
    for (int32_t i = 0; i < width; ++i)
        out[i] = a[i] + u * (b[i] - a[i]);
}
