// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// The frames of an animation: the keys of its densest rotation channel where they are evenly spaced, else a rate.

#include "gltf/curve.h"

// [s] keys this near to an even grid are on it.
#define EVEN 1e-4
// One step of a float32 at t is at most this times t.
#define FLOAT_STEP 0x1p-23
// Part of a frame by which a channel may reach beyond the grid without a frame more.
#define OVERHANG 1e-2
// Joints times frames (56 bytes each) that any file may ask for; larger files may have more: a frame of a joint for
// every four bytes. Sparse keys far apart would otherwise turn a few bytes into all memory there is.
#define FREE_JOINT_FRAMES (UINT64_C(1) << 23)
// Keys that any file may have decoded; shared ones would otherwise make a small file slow.
#define FREE_KEYS (UINT64_C(1) << 24)
// [s] two keys are always evenly spaced; farther apart than this they hold a pose or span a move, and are no frames.
#define TWO_KEYS 0.1
#define TIMES 256

static double float_step(double t)
{
    return FLOAT_STEP * fabs(t);
}

// 1/n for whole n up to 1000 and film's 1.001/n, where the spacing cannot be told from it.
static double snapped(double spacing, double slack)
{
    const double whole = floor(1.0 / spacing + 0.5);
    if (whole >= 1.0 && whole <= 1000.0 && fabs(spacing - 1.0 / whole) <= slack) return 1.0 / whole;
    const double film = floor(1.001 / spacing + 0.5);
    const double time = film >= 1.0 ? 1001.0 / (1000.0 * film) : 0.0;
    if (film >= 1.0 && film <= 1000.0 && fabs(spacing - time) <= slack) return time;
    return spacing;
}

bool sft_gltf_even_keys(const sft_gltf* gltf, const gltf_animation* animation, const gltf_channel* channel,
                        double* frame_time)
{
    const uint32_t count = sft_gltf_key_count(gltf, animation, channel);
    if (count < 2) return false;
    double first, last;
    sft_gltf_key_times(gltf, animation, channel, 0, 1, &first);
    sft_gltf_key_times(gltf, animation, channel, count - 1, 1, &last);
    const double spacing = (last - first) / (double)(count - 1);
    if (!(spacing > 0.0) || !isfinite(spacing) || (count == 2 && spacing > TWO_KEYS)) return false;
    double times[TIMES];
    for (uint32_t from = 0; from < count; from += TIMES)
    {
        const uint32_t n = count - from < TIMES ? count - from : TIMES;
        sft_gltf_key_times(gltf, animation, channel, from, n, times);
        for (uint32_t i = 0; i < n; ++i)
        {
            // Dense keys are even only where that says something.
            const double tolerance = sft_mind(EVEN + float_step(times[i]), 0.25 * spacing);
            if (!(fabs(times[i] - (first + spacing * (double)(from + i))) <= tolerance)) return false;
        }
    }
    *frame_time = snapped(spacing, (float_step(first) + float_step(last)) / (double)(count - 1));
    return true;
}

int32_t* sft_gltf_map_channels(const sft_gltf* gltf, int32_t animation, const sft_allocator* allocator)
{
    const size_t count = 3 * (size_t)gltf->view.joint_count;
    int32_t* map = sft_core_alloc(allocator, count, sizeof *map);
    if (map == NULL) return NULL;
    for (size_t i = 0; i < count; ++i)
        map[i] = -1;
    if (animation < 0) return map;
    const gltf_animation* a = &gltf->animations[animation];
    for (int32_t c = 0; c < a->channel_count; ++c)
    {
        const gltf_channel* channel = &a->channels[c];
        if (channel->node < 0 || channel->path > GLTF_SCALE) continue;
        const int32_t joint = gltf->node_joints[channel->node];
        if (joint >= 0 && sft_gltf_key_count(gltf, a, channel) > 0) map[3 * joint + (int32_t)channel->path] = c;
    }
    return map;
}

// What the channels that move joints span.
typedef struct span
{
    double start, end;
    uint64_t keys;
    int32_t channels;
} span;

static span span_of(const sft_gltf* gltf, const gltf_animation* a, const int32_t* map)
{
    span s = {0};
    for (int32_t i = 0; i < 3 * gltf->view.joint_count; ++i)
    {
        if (map[i] < 0) continue;
        const gltf_channel* channel = &a->channels[map[i]];
        const uint32_t count = sft_gltf_key_count(gltf, a, channel);
        double first, last;
        sft_gltf_key_times(gltf, a, channel, 0, 1, &first);
        sft_gltf_key_times(gltf, a, channel, count - 1, 1, &last);
        s.start = s.channels == 0 ? first : sft_mind(s.start, first);
        s.end = s.channels == 0 ? last : sft_maxd(s.end, last);
        s.keys += count;
        s.channels += 1;
    }
    return s;
}

// The channel with most keys among those that count: rotations of solved joints; where none of these has three keys
// (two hold a pose), rotations of any joint; without rotations anything. Of equals the first.
static int32_t densest(const sft_gltf* gltf, const gltf_animation* a, const int32_t* map, const uint8_t* solved,
                       bool rotations_only)
{
    int32_t best = -1;
    uint32_t most = 0;
    for (int32_t j = 0; j < gltf->view.joint_count; ++j)
    {
        if (solved != NULL && solved[j] == 0) continue;
        for (int32_t path = GLTF_TRANSLATION; path <= GLTF_SCALE; ++path)
        {
            const int32_t c = map[3 * j + path];
            if (c < 0 || (rotations_only && path != GLTF_ROTATION)) continue;
            const uint32_t count = sft_gltf_key_count(gltf, a, &a->channels[c]);
            if (count <= most) continue;
            most = count;
            best = c;
        }
    }
    return best;
}

static int32_t leading_channel(const sft_gltf* gltf, const gltf_animation* a, const int32_t* map, const uint8_t* solved)
{
    const int32_t wished = densest(gltf, a, map, solved, true);
    if (wished >= 0 && sft_gltf_key_count(gltf, a, &a->channels[wished]) > 2) return wished;
    const int32_t any = densest(gltf, a, map, NULL, true);
    return any >= 0 ? any : densest(gltf, a, map, NULL, false);
}

static uint64_t document_size(const sft_gltf* gltf)
{
    uint64_t size = gltf->size;
    for (int32_t b = 0; b < gltf->buffer_count; ++b)
        if (gltf->buffers[b].kind == GLTF_BUFFER_FILE) size += gltf->buffers[b].held;
    return size;
}

static sft_result check_size(const sft_gltf* gltf, double frames, uint64_t keys, sft_error* error)
{
    const uint64_t size = document_size(gltf);
    const uint64_t joints = gltf->view.joint_count > 0 ? (uint64_t)gltf->view.joint_count : 1;
    const uint64_t most = (FREE_JOINT_FRAMES + size / 4) / joints;
    if (frames >= 2147483647.0 || frames > (double)most)
        return sft_core_fail(error, SFT_ERR_LIMIT, 0, 0, NULL,
                             "%g frames of %d joints are more than a file of this size may ask for (%z frames): give a "
                             "lower frame rate, or cut the animation",
                             frames, gltf->view.joint_count, (size_t)most);
    if (keys > FREE_KEYS + size)
        return sft_core_fail(error, SFT_ERR_LIMIT, 0, 0, NULL,
                             "%g keys are more than a file of this size may hold: channels share their keys too often",
                             (double)keys);
    return SFT_OK;
}

sft_result sft_gltf_plan_frames(const sft_gltf* gltf, int32_t animation, const sft_gltf_clip_def* def,
                                const int32_t* map, sft_gltf_frames* out, sft_error* error)
{
    const gltf_animation* a = animation >= 0 ? &gltf->animations[animation] : NULL;
    const span all = a != NULL ? span_of(gltf, a, map) : (span){0};
    sft_gltf_frames plan = {1, all.start, 1.0 / def->fps, false, -1, 0};
    const int32_t channel = a != NULL && !def->resample ? leading_channel(gltf, a, map, def->solved) : -1;
    double spacing;
    double frames;
    if (channel >= 0 && sft_gltf_even_keys(gltf, a, &a->channels[channel], &spacing))
    {
        const uint32_t count = sft_gltf_key_count(gltf, a, &a->channels[channel]);
        double first, last;
        sft_gltf_key_times(gltf, a, &a->channels[channel], 0, 1, &first);
        sft_gltf_key_times(gltf, a, &a->channels[channel], count - 1, 1, &last);
        double before = ceil((first - all.start) / spacing - OVERHANG);
        // Key times of a file are not negative, so frames are not either.
        while (before > 0.0 && first - before * spacing < sft_mind(all.start, 0.0) - 1e-6)
            before -= 1.0;
        const double after = sft_maxd(ceil((all.end - last) / spacing - OVERHANG), 0.0);
        before = sft_maxd(before, 0.0);
        frames = before + (double)count + after;
        plan.stored = true;
        plan.channel = channel;
        plan.frame_time = spacing;
        plan.start = before > 0.0 ? sft_maxd(first - before * spacing, sft_mind(all.start, 0.0)) : first;
        plan.first = before < 2147483647.0 ? (int32_t)before : 0;
    }
    else
        frames = 1.0 + sft_maxd(ceil((all.end - all.start) * def->fps - OVERHANG), 0.0);
    const sft_result checked = check_size(gltf, frames, all.keys, error);
    if (checked != SFT_OK) return checked;
    plan.frame_count = (int32_t)frames;
    *out = plan;
    return SFT_OK;
}

void sft_gltf_frame_times(const sft_gltf* gltf, int32_t animation, const sft_gltf_frames* frames, double* out)
{
    for (int32_t f = 0; f < frames->frame_count; ++f)
        out[f] = frames->start + (double)f * frames->frame_time;
    if (!frames->stored) return;
    const gltf_animation* a = &gltf->animations[animation];
    const gltf_channel* channel = &a->channels[frames->channel];
    const uint32_t count = sft_gltf_key_count(gltf, a, channel);
    sft_gltf_key_times(gltf, a, channel, 0, count, out + frames->first);
    const int32_t end = frames->first + (int32_t)count;
    for (int32_t f = end; f < frames->frame_count; ++f)
        out[f] = out[end - 1] + (double)(f - end + 1) * frames->frame_time;
}

const char* sft_gltf_node_name(const sft_gltf* gltf, int32_t node, char* buffer)
{
    if (gltf->nodes[node].name != NULL && gltf->nodes[node].name[0] != '\0') return gltf->nodes[node].name;
    sft_core_format(buffer, 24, "node %d", node);
    return buffer;
}
