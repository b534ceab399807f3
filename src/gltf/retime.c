// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// A part of an animation, or the animation at another rate: every channel of a node's transform is sampled as the
// format says it runs, so that nothing is guessed between keys.

#include "gltf/curve.h"

typedef struct retime
{
    sft_gltf* gltf;
    gltf_animation* animation;
    size_t count;
    double* from;     ///< file times that are sampled
    float* times;     ///< of the new keys; the document's memory
    gltf_keys** keys; ///< one a channel; null: stays
    sft_error* error;
} retime;

static sft_result no_memory(const retime* r)
{
    return sft_core_fail(r->error, SFT_ERR_MEMORY, 0, 0, NULL, "out of memory");
}

static sft_result check(const sft_gltf* gltf, int32_t animation, const sft_gltf_frames* frames, int32_t first,
                        int32_t last, double frame_time, sft_error* error)
{
    if (gltf == NULL || frames == NULL || animation < 0 || animation >= gltf->animation_count)
        return sft_core_fail(error, SFT_ERR_ARG, 0, 0, NULL, "no document, no frames, or no animation %d in it",
                             (int)animation);
    if (first < 0 || first >= last || last > frames->frame_count || !isfinite(frame_time) || frame_time < 0.0 ||
        !isfinite(frames->start) || !(frames->frame_time > 0.0) || !isfinite(frames->frame_time))
        return sft_core_fail(error, SFT_ERR_ARG, 0, 0, NULL, "frames %d to %d are not in the animation, or no rate",
                             (int)first, (int)last);
    const sft_gltf_animation* info = &gltf->infos[animation];
    if (info->problem[0] != '\0')
        return sft_core_fail(error, SFT_ERR_UNSUPPORTED, 0, 0, NULL, "animation %d: %s", (int)animation, info->problem);
    return SFT_OK;
}

// Times to sample at, and those of the new keys: the part begins where the whole did.
static sft_result plan(retime* r, const sft_gltf_frames* frames, int32_t index, int32_t first, int32_t last,
                       double frame_time)
{
    const sft_allocator* a = &r->gltf->allocator;
    double* all = sft_core_alloc(a, (size_t)frames->frame_count, sizeof *all);
    if (all == NULL) return no_memory(r);
    sft_gltf_frame_times(r->gltf, index, frames, all);
    const double start = all[first], end = all[last - 1];
    double count = (double)(last - first);
    if (frame_time > 0.0) count = floor((end - start) / frame_time + 0.5) + 1.0;
    if (!(count < 1e8))
    {
        sft_core_free(a, all, (size_t)frames->frame_count, sizeof *all);
        return sft_core_fail(r->error, SFT_ERR_LIMIT, 0, 0, NULL, "%g frames are too many; give a lower rate", count);
    }
    r->count = (size_t)count;
    r->from = sft_core_alloc(a, r->count, sizeof *r->from);
    r->times = sft_gltf_keep(r->gltf, r->count, sizeof *r->times);
    sft_result result = r->from != NULL && r->times != NULL ? SFT_OK : no_memory(r);
    for (size_t f = 0; result == SFT_OK && f < r->count; ++f)
    {
        const double at = frame_time > 0.0 ? start + (double)f * frame_time : all[(size_t)first + f];
        r->from[f] = at < end ? at : end;
        r->times[f] = (float)(at - start + all[0]);
        if (f > 0 && !(r->times[f] > r->times[f - 1]))
            result = sft_core_fail(r->error, SFT_ERR_RANGE, 0, 0, NULL,
                                   "frames at %g s are too close for the float32 times of glTF; lower the rate", at);
    }
    sft_core_free(a, all, (size_t)frames->frame_count, sizeof *all);
    return result;
}

static sft_result sample(retime* r, const gltf_channel* channel, gltf_keys** out)
{
    const size_t width = channel->path == GLTF_ROTATION ? 4 : 3;
    const sft_allocator* a = &r->gltf->allocator;
    gltf_curve curve;
    void* block = NULL;
    size_t size = 0;
    const sft_result result = sft_gltf_channel_curve(r->gltf, r->animation, channel, a, &curve, &block, &size);
    if (result == SFT_ERR_MEMORY) return no_memory(r);
    if (result != SFT_OK) return sft_core_fail(r->error, result, 0, 0, NULL, "a channel has fewer values than keys");
    gltf_keys* keys = sft_gltf_keep(r->gltf, 1, sizeof *keys);
    float* values = sft_gltf_keep(r->gltf, r->count * width, sizeof *values);
    if (keys != NULL && values != NULL)
    {
        *keys = (gltf_keys){(uint32_t)r->count, -1, r->times, values, GLTF_LINEAR};
        double v[4], last[4] = {0};
        uint32_t hint = 0;
        for (size_t f = 0; f < r->count; ++f)
        {
            sft_gltf_curve_at(&curve, channel->path, r->from[f], &hint, v);
            double dot = 0.0;
            for (size_t i = 0; i < width; ++i)
                dot += v[i] * last[i];
            // Quaternions stay continuous in sign; a stored key that needs no turning keeps its numbers.
            const double sign = channel->path == GLTF_ROTATION && f > 0 && dot < 0.0 ? -1.0 : 1.0;
            for (size_t i = 0; i < width; ++i)
            {
                last[i] = sign * v[i];
                values[f * width + i] = (float)last[i];
            }
        }
        *out = keys;
    }
    sft_core_free(a, block, 1, size);
    return *out != NULL ? SFT_OK : no_memory(r);
}

static void commit(retime* r, int32_t index, int32_t* left)
{
    int32_t others = 0;
    for (int32_t c = 0; c < r->animation->channel_count; ++c)
    {
        gltf_channel* channel = &r->animation->channels[c];
        if (r->keys[c] == NULL)
        {
            ++others;
            continue;
        }
        channel->keys = r->keys[c];
        if (r->gltf->nodes[channel->node].matrix != NULL) r->gltf->nodes[channel->node].as_trs = true;
    }
    r->gltf->changed = true;
    const uint64_t described = r->gltf->keys_described;
    (void)sft_gltf_describe_animation(r->gltf, index);
    r->gltf->keys_described = described;
    if (left != NULL) *left = others;
}

sft_result sft_gltf_retime(sft_gltf* gltf, int32_t animation, const sft_gltf_frames* frames, int32_t first,
                           int32_t last, double frame_time, int32_t* left, sft_error* error)
{
    sft_result result = check(gltf, animation, frames, first, last, frame_time, error);
    if (result != SFT_OK) return result;
    retime r = {.gltf = gltf, .animation = &gltf->animations[animation], .error = error};
    const size_t channels = (size_t)r.animation->channel_count;
    r.keys = sft_core_alloc(&gltf->allocator, channels, sizeof *r.keys);
    result = r.keys != NULL ? plan(&r, frames, animation, first, last, frame_time) : no_memory(&r);
    for (size_t c = 0; c < channels && result == SFT_OK; ++c)
    {
        const gltf_channel* channel = &r.animation->channels[c];
        if (channel->node < 0 || channel->path > GLTF_SCALE || sft_gltf_key_count(gltf, r.animation, channel) == 0)
            continue;
        result = sample(&r, channel, &r.keys[c]);
    }
    if (result == SFT_OK) commit(&r, animation, left);
    sft_core_free(&gltf->allocator, r.keys, channels, sizeof *r.keys);
    sft_core_free(&gltf->allocator, r.from, r.count, sizeof *r.from);
    return result;
}
