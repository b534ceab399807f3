// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// An animation added to a document, or put in the place of another: an empty one, into which the clip is put like any
// solved clip.

#include "gltf/gltf.h"

static char* keep_text(sft_gltf* gltf, const char* text)
{
    const size_t size = strlen(text) + 1;
    char* copy = sft_gltf_keep(gltf, size, 1);
    if (copy != NULL) memcpy(copy, text, size);
    return copy;
}

// Names go into JSON, so they come out as UTF-8; the document shows what it will say.
static char* keep_name(sft_gltf* gltf, const char* text)
{
    sft_json_out out = {.allocator = &gltf->allocator};
    sft_json* json = NULL;
    char* name = NULL;
    sft_json_out_string(&out, text, strlen(text));
    if (!out.failed && sft_json_parse(&gltf->allocator, out.data, out.size, NULL, &json, NULL) == SFT_OK)
    {
        const sft_json_value root = sft_json_root(json);
        const size_t length = sft_json_decode(json, root, NULL, 0);
        name = sft_gltf_keep(gltf, length + 1, 1);
        if (name != NULL) (void)sft_json_decode(json, root, name, length + 1);
        sft_json_destroy(json);
    }
    sft_json_out_free(&out);
    return name;
}

static sft_result check(const sft_gltf* gltf, const sft_clip* clip, const char* extras, const int32_t* animation,
                        sft_error* error)
{
    if (gltf == NULL || clip == NULL || animation == NULL)
        return sft_core_fail(error, SFT_ERR_ARG, 0, 0, NULL, "no document, no clip, or no place for the index");
    if (clip->joint_count != gltf->view.joint_count || clip->joint_count < 1 || clip->frame_count < 1)
        return sft_core_fail(error, SFT_ERR_ARG, 0, 0, NULL,
                             "the clip has %d joints and %d frames, the document %d joints", (int)clip->joint_count,
                             (int)clip->frame_count, (int)gltf->view.joint_count);
    if (extras == NULL) return SFT_OK;
    sft_json* json = NULL;
    const sft_result result = sft_json_parse(&gltf->allocator, extras, strlen(extras), NULL, &json, NULL);
    sft_json_destroy(json);
    return result == SFT_OK
               ? SFT_OK
               : sft_core_fail(error, result, 0, 0, NULL, "the extras are no JSON text: %s", sft_result_string(result));
}

// Room for one more; the old arrays stay in the document's memory.
bool sft_gltf_reserve_animation(sft_gltf* gltf)
{
    const int32_t count = gltf->animation_count;
    if (count < gltf->animation_capacity) return true;
    const int32_t capacity = count < 4 ? 8 : 2 * count;
    gltf_animation* animations = sft_gltf_keep(gltf, (size_t)capacity, sizeof *animations);
    sft_gltf_animation* infos = sft_gltf_keep(gltf, (size_t)capacity, sizeof *infos);
    if (animations == NULL || infos == NULL) return false;
    if (count > 0) memcpy(animations, gltf->animations, (size_t)count * sizeof *animations);
    if (count > 0) memcpy(infos, gltf->infos, (size_t)count * sizeof *infos);
    gltf->animations = animations;
    gltf->infos = infos;
    gltf->view.animations = infos;
    gltf->animation_capacity = capacity;
    return true;
}

enum
{
    WAS_TRS = 1, // its node's matrix was to go before
    PARENT = 2,  // has joints below
    TURNS = 4    // has a rotation channel
};

// Joints that stay at rest throughout get that as keys at both ends: a player that blends clips, or comes from another
// clip, would else leave them where they were. Leaves matter to nobody, but an animation has one channel at least.
static sft_result hold_rest(sft_gltf* gltf, gltf_animation* a, const uint8_t* flags, double end)
{
    const int32_t joints = gltf->view.joint_count;
    const uint32_t count = (float)end > 0.0f ? 2 : 1;
    float* times = sft_gltf_keep(gltf, count, sizeof *times);
    gltf_channel* channels = sft_gltf_keep(gltf, (size_t)a->channel_count + (size_t)joints, sizeof *channels);
    if (times == NULL || channels == NULL) return SFT_ERR_MEMORY;
    times[count - 1] = count > 1 ? (float)end : 0.0f;
    int32_t filled = a->channel_count;
    if (filled > 0) memcpy(channels, a->channels, (size_t)filled * sizeof *channels);
    for (int32_t j = 0; j < joints; ++j)
    {
        if ((flags[j] & TURNS) != 0 || ((flags[j] & PARENT) == 0 && (filled > 0 || j < joints - 1))) continue;
        gltf_node* node = &gltf->nodes[gltf->joint_nodes[j]];
        gltf_keys* keys = sft_gltf_keep(gltf, 1, sizeof *keys);
        float* values = sft_gltf_keep(gltf, (size_t)count * 4, sizeof *values);
        if (keys == NULL || values == NULL) return SFT_ERR_MEMORY;
        for (uint32_t i = 0; i < count; ++i)
        {
            values[4 * i] = (float)node->r.x;
            values[4 * i + 1] = (float)node->r.y;
            values[4 * i + 2] = (float)node->r.z;
            values[4 * i + 3] = (float)node->r.w;
        }
        *keys = (gltf_keys){count, -1, times, values, GLTF_LINEAR};
        channels[filled++] =
            (gltf_channel){.sampler = -1, .node = gltf->joint_nodes[j], .path = GLTF_ROTATION, .keys = keys};
        if (node->matrix != NULL) node->as_trs = true;
    }
    a->channels = channels;
    a->channel_capacity = a->channel_count + joints;
    a->channel_count = filled;
    return SFT_OK;
}

static void mark(const sft_gltf* gltf, const gltf_animation* a, uint8_t* flags)
{
    for (int32_t j = 0; j < gltf->view.joint_count; ++j)
        if (gltf->joint_parents[j] >= 0) flags[gltf->joint_parents[j]] |= PARENT;
    for (int32_t c = 0; c < a->channel_count; ++c)
        if (a->channels[c].path == GLTF_ROTATION) flags[gltf->node_joints[a->channels[c].node]] |= TURNS;
}

static sft_result put_in(sft_gltf* gltf, int32_t index, const sft_clip* clip, const sft_space* space, uint8_t* flags,
                         sft_error* error)
{
    const size_t joints = (size_t)clip->joint_count;
    uint8_t* mask = sft_core_alloc(&gltf->allocator, joints, 1);
    if (mask == NULL) return sft_gltf_no_memory(error);
    memset(mask, 1, joints);
    const sft_gltf_frames frames = {.frame_count = clip->frame_count, .frame_time = clip->frame_time, .channel = -1};
    sft_result result = sft_gltf_apply(gltf, index, &frames, clip, space, mask, mask, NULL, NULL, error);
    sft_core_free(&gltf->allocator, mask, joints, 1);
    if (result != SFT_OK) return result;
    mark(gltf, &gltf->animations[index], flags);
    result = hold_rest(gltf, &gltf->animations[index], flags, (double)(clip->frame_count - 1) * clip->frame_time);
    return result == SFT_OK ? SFT_OK : sft_gltf_no_memory(error);
}

// On failure every node is what it was.
static sft_result fill(sft_gltf* gltf, int32_t index, const sft_clip* clip, const sft_space* space, sft_error* error)
{
    const size_t joints = (size_t)clip->joint_count;
    uint8_t* flags = sft_core_alloc(&gltf->allocator, joints, 1);
    if (flags == NULL) return sft_gltf_no_memory(error);
    const bool changed = gltf->changed;
    for (size_t j = 0; j < joints; ++j)
        flags[j] = gltf->nodes[gltf->joint_nodes[j]].as_trs ? WAS_TRS : 0;
    const sft_result result = put_in(gltf, index, clip, space, flags, error);
    for (size_t j = 0; j < joints && result != SFT_OK; ++j)
        gltf->nodes[gltf->joint_nodes[j]].as_trs = (flags[j] & WAS_TRS) != 0;
    if (result != SFT_OK) gltf->changed = changed;
    sft_core_free(&gltf->allocator, flags, joints, 1);
    return result;
}

sft_result sft_gltf_add_animation(sft_gltf* gltf, const sft_clip* clip, const sft_space* space, const char* name,
                                  const char* extras, int32_t* animation, sft_error* error)
{
    sft_result result = check(gltf, clip, extras, animation, error);
    if (result != SFT_OK) return result;
    gltf_animation added = {.added = true};
    added.name = name != NULL ? keep_name(gltf, name) : NULL;
    added.extras = extras != NULL ? keep_text(gltf, extras) : NULL;
    if ((name != NULL && added.name == NULL) || (extras != NULL && added.extras == NULL) ||
        !sft_gltf_reserve_animation(gltf))
        return sft_gltf_no_memory(error);
    const int32_t index = gltf->animation_count;
    gltf->animations[index] = added;
    gltf->infos[index] = (sft_gltf_animation){.name = added.name != NULL ? added.name : ""};
    gltf->animation_count = gltf->view.animation_count = index + 1;
    result = fill(gltf, index, clip, space, error);
    if (result != SFT_OK)
    {
        gltf->animation_count = gltf->view.animation_count = index;
        return result;
    }
    (void)sft_gltf_describe_animation(gltf, index);
    gltf->changed = true;
    *animation = index;
    return SFT_OK;
}

sft_result sft_gltf_replace_animation(sft_gltf* gltf, int32_t animation, const sft_clip* clip, const sft_space* space,
                                      const char* extras, sft_error* error)
{
    sft_result result = check(gltf, clip, extras, &animation, error);
    if (result != SFT_OK) return result;
    if (animation < 0 || animation >= gltf->animation_count)
        return sft_core_fail(error, SFT_ERR_ARG, 0, 0, NULL, "there is no animation %d; the document has %d",
                             (int)animation, (int)gltf->animation_count);
    const gltf_animation old = gltf->animations[animation];
    const sft_gltf_animation info = gltf->infos[animation];
    gltf_animation made = {.name = old.name, .value = old.value, .added = true, .replaces = old.replaces || !old.added};
    made.extras = extras != NULL ? keep_text(gltf, extras) : NULL;
    if (extras != NULL && made.extras == NULL) return sft_gltf_no_memory(error);
    gltf->animations[animation] = made;
    gltf->infos[animation] = (sft_gltf_animation){.name = info.name};
    result = fill(gltf, animation, clip, space, error);
    if (result != SFT_OK)
    {
        gltf->animations[animation] = old;
        gltf->infos[animation] = info;
        return result;
    }
    (void)sft_gltf_describe_animation(gltf, animation);
    gltf->changed = true;
    return SFT_OK;
}
