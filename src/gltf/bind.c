// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// Clips in one file and the character in another: channels find their nodes by name.

#include "gltf/curve.h"
#include "gltf/fold.h"

// A channel that differs by less from what it was bound from did not change.
#define SAME 1e-6

// ---- nodes by name ----

// Open addressing; entries are nodes, -1 empty.
typedef struct name_table
{
    int32_t* entries;
    size_t size; // a power of two
} name_table;

static bool has_name(const sft_gltf* gltf, int32_t node)
{
    return gltf->nodes[node].name != NULL && gltf->nodes[node].name[0] != '\0';
}

static size_t slot_of(const sft_gltf* gltf, const name_table* table, const char* name)
{
    size_t at = (size_t)sft_core_hash(SFT_HASH_SEED, name, strlen(name)) & (table->size - 1);
    while (table->entries[at] >= 0 && strcmp(gltf->nodes[table->entries[at]].name, name) != 0)
        at = (at + 1) & (table->size - 1);
    return at;
}

static bool make_table(const sft_gltf* gltf, const sft_allocator* a, name_table* out)
{
    out->size = 16;
    while (out->size < 2 * (size_t)gltf->node_count)
        out->size *= 2;
    out->entries = sft_core_alloc(a, out->size, sizeof *out->entries);
    if (out->entries == NULL) return false;
    for (size_t i = 0; i < out->size; ++i)
        out->entries[i] = -1;
    // The first of a name counts, but for a joint.
    for (int32_t n = 0; n < gltf->node_count; ++n)
    {
        if (!has_name(gltf, n)) continue;
        int32_t* entry = &out->entries[slot_of(gltf, out, gltf->nodes[n].name)];
        if (*entry < 0 || (gltf->node_joints[*entry] < 0 && gltf->node_joints[n] >= 0)) *entry = n;
    }
    return true;
}

static int32_t find(const sft_gltf* gltf, const name_table* table, const sft_gltf* other, int32_t node)
{
    return has_name(other, node) ? table->entries[slot_of(gltf, table, other->nodes[node].name)] : -1;
}

// ---- one channel ----

typedef struct binding
{
    sft_gltf* to;
    const sft_gltf* from;
    int32_t to_index, from_index;
    name_table names; // of `to`
    gltf_channel* channels;
    int32_t count, capacity;
    double* frames; // file times of the source's frames
    int32_t frame_count;
    const float** shared; // times that were made already, by accessor of `from`
    sft_gltf_bound bound;
    sft_error* error;
} binding;

static bool carries_keys(const sft_gltf* gltf, const gltf_animation* a, const gltf_channel* channel)
{
    return channel->node >= 0 && channel->path <= GLTF_SCALE && sft_gltf_key_count(gltf, a, channel) > 0;
}

static gltf_interpolation interpolation_of(const gltf_animation* a, const gltf_channel* channel)
{
    return channel->keys != NULL ? channel->keys->interpolation : a->samplers[channel->sampler].interpolation;
}

static const float* make_times(binding* b, const double* times, uint32_t count)
{
    float* out = sft_gltf_keep(b->to, count, sizeof *out);
    for (uint32_t k = 0; out != NULL && k < count; ++k)
        out[k] = (float)times[k];
    return out;
}

// Times of LINEAR keys; channels that share an accessor share them again.
static const float* key_times(binding* b, const gltf_animation* a, const gltf_channel* channel, const gltf_curve* curve)
{
    int32_t input = channel->keys != NULL ? channel->keys->input : a->samplers[channel->sampler].input;
    if (input < 0) return make_times(b, curve->times, curve->count);
    if (b->shared[input] == NULL) b->shared[input] = make_times(b, curve->times, curve->count);
    return b->shared[input];
}

static bool fill_linear(binding* b, const gltf_animation* a, const gltf_channel* channel, const gltf_curve* curve,
                        gltf_keys* keys)
{
    const size_t numbers = (size_t)curve->count * (size_t)curve->width;
    *keys = (gltf_keys){curve->count, -1, key_times(b, a, channel, curve), sft_gltf_keep(b->to, numbers, sizeof(float)),
                        GLTF_LINEAR};
    if (keys->times == NULL || keys->values == NULL) return false;
    for (size_t i = 0; i < numbers; ++i)
        keys->values[i] = (float)curve->values[i];
    return true;
}

static bool fill_sampled(binding* b, const gltf_channel* channel, const gltf_curve* curve, gltf_keys* keys)
{
    const size_t width = (size_t)curve->width;
    uint32_t hint = 0;
    // In the last place, behind those of the accessors.
    const float** times = &b->shared[b->from->accessor_count];
    if (*times == NULL) *times = make_times(b, b->frames, (uint32_t)b->frame_count);
    *keys = (gltf_keys){(uint32_t)b->frame_count, -1, *times,
                        sft_gltf_keep(b->to, (size_t)b->frame_count * width, sizeof(float)), GLTF_LINEAR};
    if (keys->times == NULL || keys->values == NULL) return false;
    for (size_t f = 0; f < (size_t)b->frame_count; ++f)
    {
        double v[4];
        sft_gltf_curve_at(curve, channel->path, b->frames[f], &hint, v);
        double dot = 0.0;
        for (size_t i = 0; i < width && f > 0; ++i)
            dot += v[i] * (double)keys->values[(f - 1) * width + i];
        const double sign = channel->path == GLTF_ROTATION && dot < 0.0 ? -1.0 : 1.0;
        for (size_t i = 0; i < width; ++i)
            keys->values[f * width + i] = (float)(sign * v[i]);
    }
    return true;
}

static sft_result copy_keys(binding* b, const gltf_channel* channel, gltf_keys** out)
{
    const gltf_animation* a = &b->from->animations[b->from_index];
    const sft_allocator* al = &b->to->allocator;
    gltf_curve curve;
    void* block = NULL;
    size_t size = 0;
    const sft_result result = sft_gltf_channel_curve(b->from, a, channel, al, &curve, &block, &size);
    if (result == SFT_ERR_MEMORY) return sft_gltf_no_memory(b->error);
    if (result != SFT_OK) return sft_core_fail(b->error, result, 0, 0, NULL, "a channel has fewer values than keys");
    gltf_keys* keys = sft_gltf_keep(b->to, 1, sizeof *keys);
    const bool linear = interpolation_of(a, channel) == GLTF_LINEAR;
    const bool fine =
        keys != NULL && (linear ? fill_linear(b, a, channel, &curve, keys) : fill_sampled(b, channel, &curve, keys));
    sft_core_free(al, block, 1, size);
    if (!fine) return sft_gltf_no_memory(b->error);
    *out = keys;
    return SFT_OK;
}

static sft_result check_node(const binding* b, int32_t node)
{
    if (sft_gltf_is_trs(&b->to->nodes[node])) return SFT_OK;
    char buffer[24];
    return sft_core_fail(
        b->error, SFT_ERR_UNSUPPORTED, 0, 0, sft_gltf_node_name(b->to, node, buffer),
        "its matrix shears, so it cannot be animated; apply the transform in the program it came from");
}

// ---- there ----

static void note_missing(binding* b, int32_t node)
{
    char buffer[24];
    const char* name = sft_gltf_node_name(b->from, node, buffer);
    const size_t used = strlen(b->bound.missing);
    b->bound.missing_count += 1;
    // Rotation and translation of one node come one after the other.
    const size_t length = strlen(name);
    if (used >= length && strcmp(b->bound.missing + used - length, name) == 0) return;
    if (used + length + 3 < sizeof b->bound.missing)
        sft_core_format(b->bound.missing + used, sizeof b->bound.missing - used, "%s%s", used > 0 ? ", " : "", name);
}

// Whether an earlier channel moves that part of the node already: a bit a path and node.
static bool taken(uint8_t* seen, int32_t node, gltf_path path)
{
    const uint8_t bit = (uint8_t)(1u << (unsigned)path);
    const bool was = (seen[node] & bit) != 0;
    seen[node] |= bit;
    return was;
}

static sft_result bind_channels(binding* b, uint8_t* seen)
{
    const gltf_animation* a = &b->from->animations[b->from_index];
    for (int32_t c = 0; c < a->channel_count; ++c)
    {
        const gltf_channel* channel = &a->channels[c];
        if (!carries_keys(b->from, a, channel)) continue;
        const int32_t node = find(b->to, &b->names, b->from, channel->node);
        if (node < 0) note_missing(b, channel->node);
        if (node < 0 || taken(seen, node, channel->path)) continue;
        gltf_keys* keys = NULL;
        sft_result result = check_node(b, node);
        if (result == SFT_OK) result = copy_keys(b, channel, &keys);
        if (result != SFT_OK) return result;
        b->channels[b->count++] = (gltf_channel){.sampler = -1, .node = node, .path = channel->path, .keys = keys};
    }
    b->bound.channel_count = b->count;
    if (b->count > 0) return SFT_OK;
    return sft_core_fail(b->error, SFT_ERR_UNSUPPORTED, 0, 0, NULL,
                         "no node of the character is called as those that the clip moves (%s)",
                         b->bound.missing[0] != '\0' ? b->bound.missing : "none has a name");
}

static sft_result plan(binding* b, const sft_gltf_clip_def* def)
{
    const sft_allocator* a = &b->to->allocator;
    int32_t* map = sft_gltf_map_channels(b->from, b->from_index, a);
    if (map == NULL) return sft_gltf_no_memory(b->error);
    sft_gltf_frames frames = {0};
    const sft_result result = sft_gltf_plan_frames(b->from, b->from_index, def, map, &frames, b->error);
    sft_core_free(a, map, 3 * (size_t)b->from->view.joint_count, sizeof *map);
    if (result != SFT_OK) return result;
    b->frames = sft_core_alloc(a, (size_t)frames.frame_count, sizeof *b->frames);
    if (b->frames == NULL) return sft_gltf_no_memory(b->error);
    b->frame_count = frames.frame_count;
    sft_gltf_frame_times(b->from, b->from_index, &frames, b->frames);
    return SFT_OK;
}

static sft_result commit(binding* b)
{
    sft_gltf* gltf = b->to;
    const gltf_animation* a = &b->from->animations[b->from_index];
    char* name = a->name != NULL ? sft_gltf_keep(gltf, strlen(a->name) + 1, 1) : NULL;
    if ((a->name != NULL && name == NULL) || !sft_gltf_reserve_animation(gltf)) return sft_gltf_no_memory(b->error);
    if (name != NULL) memcpy(name, a->name, strlen(a->name) + 1);
    const int32_t index = gltf->animation_count;
    gltf->animations[index] = (gltf_animation){.name = name,
                                               .channel_count = b->count,
                                               .channel_capacity = b->capacity,
                                               .channels = b->channels,
                                               .added = true};
    gltf->infos[index] = (sft_gltf_animation){.name = name != NULL ? name : ""};
    gltf->animation_count = gltf->view.animation_count = index + 1;
    // It may move what stands above the skeleton, which then is a joint.
    const sft_result result = sft_gltf_pick_joints(gltf, b->error);
    if (result != SFT_OK)
    {
        gltf->animation_count = gltf->view.animation_count = index;
        return result;
    }
    for (int32_t c = 0; c < b->count; ++c)
        if (gltf->nodes[b->channels[c].node].matrix != NULL) gltf->nodes[b->channels[c].node].as_trs = true;
    const uint64_t described = gltf->keys_described;
    for (int32_t i = 0; i <= index; ++i)
        (void)sft_gltf_describe_animation(gltf, i);
    gltf->keys_described = described;
    gltf->changed = true;
    b->bound.animation = index;
    return SFT_OK;
}

static void release(binding* b, uint8_t* seen)
{
    const sft_allocator* a = &b->to->allocator;
    sft_core_free(a, b->names.entries, b->names.size, sizeof *b->names.entries);
    sft_core_free(a, b->frames, (size_t)b->frame_count, sizeof *b->frames);
    sft_core_free(a, (void*)b->shared, (size_t)b->from->accessor_count + 1, sizeof *b->shared);
    sft_core_free(a, seen, (size_t)b->to->node_count, 1);
}

sft_result sft_gltf_bind(sft_gltf* character, const sft_gltf* source, int32_t animation, const sft_gltf_clip_def* def,
                         sft_gltf_bound* bound, sft_error* error)
{
    const sft_gltf_clip_def usual = sft_default_gltf_clip_def();
    if (def == NULL) def = &usual;
    if (character == NULL || source == NULL || character == source || bound == NULL || animation < 0 ||
        animation >= source->animation_count)
        return sft_core_fail(error, SFT_ERR_ARG, 0, 0, NULL,
                             "two documents, and an animation of the second, are wanted");
    if (def->cookie != usual.cookie || !(def->fps > 0.0) || !isfinite(def->fps))
        return sft_core_fail(error, SFT_ERR_DEF, 0, 0, NULL, "the settings did not come from their defaults");
    if (source->infos[animation].problem[0] != '\0')
        return sft_core_fail(error, SFT_ERR_UNSUPPORTED, 0, 0, NULL, "animation %d: %s", (int)animation,
                             source->infos[animation].problem);
    binding b = {.to = character, .from = source, .from_index = animation, .error = error};
    const sft_allocator* a = &character->allocator;
    b.capacity = source->animations[animation].channel_count;
    uint8_t* seen = sft_core_alloc(a, (size_t)character->node_count, 1);
    b.shared = sft_core_alloc(a, (size_t)source->accessor_count + 1, sizeof *b.shared);
    b.channels = sft_gltf_keep(character, (size_t)b.capacity, sizeof *b.channels);
    sft_result result = SFT_OK;
    if (seen == NULL || b.shared == NULL || b.channels == NULL || !make_table(character, a, &b.names))
        result = sft_gltf_no_memory(error);
    if (result == SFT_OK) result = plan(&b, def);
    if (result == SFT_OK) result = bind_channels(&b, seen);
    if (result == SFT_OK) result = commit(&b);
    if (result == SFT_OK) *bound = b.bound;
    release(&b, seen);
    return result;
}

// ---- and back ----

// Whether a channel says something else at the new keys, or has too few to say it.
static sft_result differs(const binding* b, const gltf_channel* now, const gltf_keys* keys, bool* out)
{
    const sft_allocator* al = &b->to->allocator;
    const size_t width = now->path == GLTF_ROTATION ? 4 : 3;
    gltf_curve curve;
    void* block = NULL;
    size_t size = 0;
    *out = true;
    const sft_result result =
        sft_gltf_channel_curve(b->to, &b->to->animations[b->to_index], now, al, &curve, &block, &size);
    if (result != SFT_OK) return result == SFT_ERR_MEMORY ? sft_gltf_no_memory(b->error) : result;
    bool same = true;
    uint32_t hint = 0;
    for (uint32_t k = 0; same && k < keys->count; ++k)
    {
        double v[4] = {0}, dot = 0.0;
        const float* w = keys->values + k * width;
        sft_gltf_curve_at(&curve, now->path, (double)keys->times[k], &hint, v);
        for (size_t i = 0; i < width; ++i)
            dot += v[i] * (double)w[i];
        const double sign = now->path == GLTF_ROTATION && dot < 0.0 ? -1.0 : 1.0;
        for (size_t i = 0; i < width; ++i)
            same = same && fabs(sign * v[i] - (double)w[i]) <= SAME * sft_maxd(1.0, fabs(v[i]));
    }
    sft_core_free(al, block, 1, size);
    *out = !same;
    return SFT_OK;
}

// Channels by node and path, [3 * node + path]; -1 none. The first of several holds, as for players.
static int32_t* map_nodes(const sft_gltf* gltf, const gltf_animation* animation, const sft_allocator* a)
{
    const size_t count = 3 * (size_t)gltf->node_count;
    int32_t* map = sft_core_alloc(a, count, sizeof *map);
    for (size_t i = 0; map != NULL && i < count; ++i)
        map[i] = -1;
    for (int32_t c = animation->channel_count - 1; map != NULL && c >= 0; --c)
    {
        const gltf_channel* channel = &animation->channels[c];
        if (channel->node >= 0 && channel->path <= GLTF_SCALE)
            map[3 * (size_t)channel->node + (size_t)channel->path] = c;
    }
    return map;
}

// Copies of the channels with new keys where they changed; added ones behind.
static sft_result collect(binding* b, const int32_t* map)
{
    const gltf_animation* from = &b->from->animations[b->from_index];
    const gltf_animation* to = &b->to->animations[b->to_index];
    if (to->channel_count > 0) memcpy(b->channels, to->channels, (size_t)to->channel_count * sizeof *b->channels);
    b->count = to->channel_count;
    for (int32_t c = 0; c < from->channel_count; ++c)
    {
        const gltf_channel* channel = &from->channels[c];
        const int32_t node = channel->keys != NULL ? find(b->to, &b->names, b->from, channel->node) : -1;
        if (node < 0) continue;
        const int32_t own = map[3 * (size_t)node + (size_t)channel->path];
        gltf_keys* keys = NULL;
        sft_result result = check_node(b, node);
        if (result == SFT_OK) result = copy_keys(b, channel, &keys);
        bool changed = true;
        if (result == SFT_OK && own >= 0) result = differs(b, &to->channels[own], keys, &changed);
        if (result != SFT_OK) return result;
        if (own >= 0 && changed)
            b->channels[own].keys = keys;
        else if (own < 0)
            b->channels[b->count++] = (gltf_channel){.sampler = -1, .node = node, .path = channel->path, .keys = keys};
    }
    return SFT_OK;
}

static void commit_back(binding* b)
{
    gltf_animation* to = &b->to->animations[b->to_index];
    to->channels = b->channels;
    to->channel_count = b->count;
    to->channel_capacity = b->capacity;
    for (int32_t c = 0; c < b->count; ++c)
        if (b->channels[c].keys != NULL && b->to->nodes[b->channels[c].node].matrix != NULL)
            b->to->nodes[b->channels[c].node].as_trs = true;
    const uint64_t described = b->to->keys_described;
    (void)sft_gltf_describe_animation(b->to, b->to_index);
    b->to->keys_described = described;
    b->to->changed = true;
}

sft_result sft_gltf_bind_back(const sft_gltf* character, int32_t bound_animation, sft_gltf* source, int32_t animation,
                              sft_error* error)
{
    if (character == NULL || source == NULL || character == source || bound_animation < 0 ||
        bound_animation >= character->animation_count || animation < 0 || animation >= source->animation_count)
        return sft_core_fail(error, SFT_ERR_ARG, 0, 0, NULL, "two documents, and an animation of each, are wanted");
    binding b = {.to = source, .from = character, .to_index = animation, .from_index = bound_animation, .error = error};
    const sft_allocator* a = &source->allocator;
    b.capacity = source->animations[animation].channel_count + character->animations[bound_animation].channel_count;
    int32_t* map = map_nodes(source, &source->animations[animation], a);
    b.shared = sft_core_alloc(a, (size_t)character->accessor_count + 1, sizeof *b.shared);
    b.channels = sft_gltf_keep(source, (size_t)b.capacity, sizeof *b.channels);
    sft_result result = SFT_OK;
    if (map == NULL || b.shared == NULL || b.channels == NULL || !make_table(source, a, &b.names))
        result = sft_gltf_no_memory(error);
    if (result == SFT_OK) result = collect(&b, map);
    if (result == SFT_OK) commit_back(&b);
    sft_core_free(a, map, 3 * (size_t)source->node_count, sizeof *map);
    release(&b, NULL);
    return result;
}
