// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// Clip to document: solved joints become keys of their nodes' channels. Everything is worked out before the document
// learns of any of it.

#include "gltf/apply.h"

#define APPLY_COOKIE 0x676c7433u

sft_gltf_apply_def sft_default_gltf_apply_def(void)
{
    return (sft_gltf_apply_def){false, APPLY_COOKIE};
}

static sft_result no_memory(const gltf_apply* w)
{
    return sft_core_fail(w->error, SFT_ERR_MEMORY, 0, 0, NULL, "out of memory");
}

const float* sft_gltf_new_times(gltf_apply* w, sft_result* result)
{
    if (w->new_times != NULL) return w->new_times;
    float* times = sft_gltf_keep(w->gltf, w->count, sizeof *times);
    if (times == NULL)
    {
        *result = no_memory(w);
        return NULL;
    }
    for (size_t f = 0; f < w->count; ++f)
    {
        times[f] = (float)w->times[f];
        if (f == 0 || times[f] > times[f - 1]) continue;
        *result = sft_core_fail(w->error, SFT_ERR_RANGE, 0, 0, NULL,
                                "frames at %g s are too close for the float32 times of glTF to tell apart; lower the "
                                "frame rate or move the animation towards 0",
                                w->times[f]);
        return NULL;
    }
    w->new_times = times;
    return times;
}

// ---- checks ----

static bool space_fits(const sft_space* space)
{
    return space == NULL || (isfinite(space->unit_metres) && space->unit_metres > 0.0 && space->up >= SFT_AXIS_X &&
                             space->up <= SFT_AXIS_NEG_Z);
}

static sft_result check_arguments(const gltf_apply* w, const sft_gltf_frames* frames, const sft_gltf_apply_def* def)
{
    const sft_clip* clip = w->clip;
    if (w->animation < 0 || w->animation >= w->gltf->animation_count)
        return sft_core_fail(w->error, SFT_ERR_ARG, 0, 0, NULL, "there is no animation %d", w->animation);
    if (def->cookie != APPLY_COOKIE)
        return sft_core_fail(w->error, SFT_ERR_DEF, 0, 0, NULL, "the settings did not come from their defaults");
    if (!space_fits(w->space)) return sft_core_fail(w->error, SFT_ERR_ARG, 0, 0, NULL, "a space without unit or axis");
    if (clip->joint_count != w->gltf->view.joint_count || clip->frame_count != frames->frame_count)
        return sft_core_fail(w->error, SFT_ERR_ARG, 0, 0, NULL, "clip and document differ in joints or frames");
    if (clip->frame_count < 1 || !isfinite(frames->start) || !(frames->frame_time > 0.0) ||
        !isfinite(frames->frame_time))
        return sft_core_fail(w->error, SFT_ERR_ARG, 0, 0, NULL, "the frames do not come from sft_gltf_to_clip");
    if (w->gltf->infos[w->animation].problem[0] != '\0')
        return sft_core_fail(w->error, SFT_ERR_UNSUPPORTED, 0, 0, NULL, "animation %d: %s", w->animation,
                             w->gltf->infos[w->animation].problem);
    return SFT_OK;
}

static sft_result check_values(const gltf_apply* w)
{
    for (size_t f = 0; f < w->count; ++f)
        for (size_t j = 0; j < w->joints; ++j)
        {
            const sft_v3d t = w->clip->translations[f * w->joints + j];
            const sft_quatd q = w->clip->rotations[f * w->joints + j];
            const bool moves = w->masks[GLTF_TRANSLATION] != NULL && w->masks[GLTF_TRANSLATION][j] != 0;
            const bool turns = w->masks[GLTF_ROTATION] != NULL && w->masks[GLTF_ROTATION][j] != 0;
            const char* fault = NULL;
            // Beyond 1e30 squares would leave the floats of the file.
            if (moves && !(sft_v3d_dot(t, t) <= 1e60)) fault = "the translation is no number of sensible size";
            if (turns && !(fabs(sft_quatd_dot(q, q) - 1.0) <= 1e-6)) fault = "the rotation is no unit quaternion";
            if (fault == NULL) continue;
            char buffer[24];
            return sft_core_fail(w->error, SFT_ERR_RANGE, 0, 0,
                                 sft_gltf_node_name(w->gltf, w->gltf->joint_nodes[j], buffer), "frame %z: %s", f,
                                 fault);
        }
    return SFT_OK;
}

// Frames of a document that has changed since may no longer be the keys of that channel; their times are known all the
// same.
static void check_frames(gltf_apply* w)
{
    sft_gltf_frames* f = &w->frames;
    const gltf_animation* a = &w->gltf->animations[w->animation];
    bool stored = f->stored && f->channel >= 0 && f->channel < a->channel_count && f->first >= 0;
    if (stored)
    {
        const gltf_channel* channel = &a->channels[f->channel];
        const uint32_t keys = sft_gltf_key_count(w->gltf, a, channel);
        stored = keys > 0 && (uint64_t)f->first + keys <= (uint64_t)f->frame_count;
        if (stored)
        {
            double first;
            sft_gltf_key_times(w->gltf, a, channel, 0, 1, &first);
            const double expected = f->start + (double)f->first * f->frame_time;
            stored = fabs(first - expected) <= 1e-3 + 0x1p-22 * fabs(first);
        }
        if (stored && f->first == 0 && keys == (uint32_t)f->frame_count)
            w->input = channel->keys != NULL ? channel->keys->input : a->samplers[channel->sampler].input;
        if (stored && w->input < 0 && f->first == 0 && channel->keys != NULL && keys == (uint32_t)f->frame_count)
            w->new_times = channel->keys->times;
    }
    f->stored = stored;
}

// ---- work ----

static void release(gltf_apply* w)
{
    sft_core_free(w->allocator, w->map, 3 * w->joints, sizeof *w->map);
    sft_gltf_free_bases(&w->bases, w->allocator);
    for (size_t j = 0; w->tracks != NULL && j < w->joints; ++j)
        sft_core_free(w->allocator, w->tracks[j].list, w->tracks[j].count, sizeof *w->tracks[j].list);
    sft_core_free(w->allocator, w->tracks, w->joints, sizeof *w->tracks);
    sft_core_free(w->allocator, w->last, w->joints, sizeof *w->last);
    sft_core_free(w->allocator, w->times, w->count, sizeof *w->times);
    sft_core_free(w->allocator, w->changes, 2 * w->joints, sizeof *w->changes);
    sft_core_free(w->allocator, w->scratch, GLTF_SCRATCH * w->count, sizeof *w->scratch);
}

static bool masked(const gltf_apply* w, size_t joint)
{
    return (w->masks[GLTF_TRANSLATION] != NULL && w->masks[GLTF_TRANSLATION][joint] != 0) ||
           (w->masks[GLTF_ROTATION] != NULL && w->masks[GLTF_ROTATION][joint] != 0);
}

static sft_result work_out(gltf_apply* w)
{
    const sft_allocator* a = w->allocator;
    w->map = sft_gltf_map_channels(w->gltf, w->animation, a);
    w->tracks = sft_core_alloc(a, w->joints, sizeof *w->tracks);
    w->last = sft_core_alloc(a, w->joints, sizeof *w->last);
    w->times = sft_core_alloc(a, w->count, sizeof *w->times);
    w->changes = sft_core_alloc(a, 2 * w->joints, sizeof *w->changes);
    w->scratch = sft_core_alloc(a, GLTF_SCRATCH * w->count, sizeof *w->scratch);
    if (w->map == NULL || w->tracks == NULL || w->last == NULL || w->times == NULL || w->changes == NULL ||
        w->scratch == NULL || !sft_gltf_fold_bases(w->gltf, a, &w->bases))
        return no_memory(w);
    sft_gltf_frame_times(w->gltf, w->animation, &w->frames, w->times);
    for (size_t j = 0; j < w->joints; ++j)
        w->last[j] = -1;
    // Children before parents: a joint is needed where it is masked, or for one below that is.
    for (size_t j = w->joints; j-- > 0;)
    {
        const int32_t parent = w->gltf->joint_parents[j];
        if (parent >= 0 && (masked(w, j) || w->last[j] >= 0))
            w->last[parent] = w->last[parent] > (int32_t)j ? w->last[parent] : (int32_t)j;
    }
    sft_result result = SFT_OK;
    for (size_t j = 0; j < w->joints && result == SFT_OK; ++j)
        if (masked(w, j) || w->last[j] >= 0) result = sft_gltf_put_back(w, j);
    return result;
}

// Room for the channels that come new; null where there is enough.
static sft_result make_room(gltf_apply* w, gltf_channel** grown, int32_t* capacity)
{
    const gltf_animation* a = &w->gltf->animations[w->animation];
    int32_t added = 0;
    for (size_t i = 0; i < w->change_count; ++i)
        added += w->map[3 * (size_t)w->changes[i].joint + (size_t)w->changes[i].path] < 0;
    *grown = NULL;
    if (a->channel_count + added <= a->channel_capacity) return SFT_OK;
    *capacity = a->channel_count + (added > a->channel_count ? added : a->channel_count);
    *grown = sft_gltf_keep(w->gltf, (size_t)*capacity, sizeof **grown);
    if (*grown == NULL) return no_memory(w);
    if (a->channel_count > 0) memcpy(*grown, a->channels, (size_t)a->channel_count * sizeof **grown);
    return SFT_OK;
}

static void commit(gltf_apply* w, gltf_channel* grown, int32_t capacity)
{
    gltf_animation* a = &w->gltf->animations[w->animation];
    if (grown != NULL)
    {
        a->channels = grown;
        a->channel_capacity = capacity;
    }
    for (size_t i = 0; i < w->change_count; ++i)
    {
        const gltf_change* change = &w->changes[i];
        const int32_t node = w->gltf->joint_nodes[change->joint];
        const int32_t c = w->map[3 * (size_t)change->joint + (size_t)change->path];
        if (c >= 0)
        {
            a->channels[c].keys = change->keys;
            w->report.channels_replaced += 1;
        }
        else
        {
            a->channels[a->channel_count++] =
                (gltf_channel){.sampler = -1, .node = node, .path = change->path, .keys = change->keys};
            w->report.channels_added += 1;
        }
        if (w->gltf->nodes[node].matrix != NULL) w->gltf->nodes[node].as_trs = true;
    }
    if (w->change_count == 0) return;
    w->gltf->changed = true;
    // What was read of the file is what its descriptions may cost, not what is described again.
    const uint64_t described = w->gltf->keys_described;
    (void)sft_gltf_describe_animation(w->gltf, w->animation);
    w->gltf->keys_described = described;
}

sft_result sft_gltf_apply(sft_gltf* gltf, int32_t animation, const sft_gltf_frames* frames, const sft_clip* clip,
                          const sft_space* space, const uint8_t* rotation_mask, const uint8_t* translation_mask,
                          const sft_gltf_apply_def* def, sft_gltf_applied* applied, sft_error* error)
{
    const sft_gltf_apply_def usual = sft_default_gltf_apply_def();
    if (def == NULL) def = &usual;
    if (gltf == NULL || frames == NULL || clip == NULL)
        return sft_core_fail(error, SFT_ERR_ARG, 0, 0, NULL, "no document, no frames or no clip");
    gltf_apply w = {.gltf = gltf,
                    .allocator = &gltf->allocator,
                    .animation = animation,
                    .frames = *frames,
                    .clip = clip,
                    .space = space,
                    .masks = {translation_mask, rotation_mask},
                    .keep_keys = def->keep_keys,
                    .error = error,
                    .joints = (size_t)gltf->view.joint_count,
                    .input = -1,
                    .report = {.rotation_joint = -1, .translation_joint = -1}};
    sft_result result = check_arguments(&w, frames, def);
    if (result != SFT_OK) return result;
    w.count = (size_t)frames->frame_count;
    result = check_values(&w);
    if (result != SFT_OK) return result;
    check_frames(&w);
    result = work_out(&w);
    gltf_channel* grown = NULL;
    int32_t capacity = 0;
    if (result == SFT_OK) result = make_room(&w, &grown, &capacity);
    if (result == SFT_OK)
    {
        commit(&w, grown, capacity);
        if (applied != NULL) *applied = w.report;
    }
    release(&w);
    return result;
}
