// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// New keys: accessors behind the old ones, samplers and channels that name them, nodes that lose their matrix. Nothing
// that another channel or animation may look at is changed: a sampler is edited only where one channel alone uses it.

#include "gltf/write.h"

// Channels of one call share their times; looking a few accessors back finds them.
#define RECENT_TIMES 8

typedef struct times_entry
{
    const float* times;
    uint32_t count;
    int32_t accessor;
} times_entry;

typedef struct keys_writer
{
    gltf_writing* w;
    int32_t view;
    sft_json_out accessors; ///< texts, separated by zero bytes
    int32_t accessor_count;
    times_entry recent[RECENT_TIMES];
    uint32_t recent_next;
} keys_writer;

sft_result sft_gltf_append_to(gltf_writing* w, const char* key, const sft_json_out* elements, int32_t count)
{
    const sft_json* json = w->gltf->json;
    const sft_json_value root = sft_json_root(json), array = sft_json_get(json, root, key);
    const char* text = elements->data;
    sft_result result = SFT_OK;
    if (array.kind == SFT_JSON_ARRAY)
    {
        for (int32_t i = 0; i < count && result == SFT_OK; ++i)
        {
            const size_t size = strlen(text);
            result = sft_json_edit_append(w->edit, array, text, size);
            text += size + 1;
        }
        return result;
    }
    sft_json_out all = {.allocator = &w->out->allocator};
    for (int32_t i = 0; i < count; ++i)
    {
        sft_json_out_text(&all, i == 0 ? "[" : ",");
        sft_json_out_text(&all, text);
        text += strlen(text) + 1;
    }
    sft_json_out_text(&all, "]");
    result = all.failed ? SFT_ERR_MEMORY : sft_json_edit_set(w->edit, root, key, all.data, all.size);
    sft_json_out_free(&all);
    return result;
}

static void put_member(sft_json_out* out, const char* key, uint64_t value)
{
    sft_json_out_text(out, "\"");
    sft_json_out_text(out, key);
    sft_json_out_text(out, "\":");
    sft_json_out_uint64(out, value);
}

// ---- accessors ----

// Text of an accessor over the data about to be added; *index is its place in the array.
static sft_result add_accessor(keys_writer* k, const float* values, uint32_t count, int32_t width, int32_t* index)
{
    static const char* const types[5] = {"", "SCALAR", "VEC2", "VEC3", "VEC4"};
    gltf_writing* w = k->w;
    sft_json_out* out = &k->accessors;
    sft_json_out_text(out, "{");
    put_member(out, "bufferView", (uint64_t)k->view);
    if (w->data.size > 0)
    {
        sft_json_out_text(out, ",");
        put_member(out, "byteOffset", w->data.size);
    }
    sft_json_out_text(out, ",\"componentType\":5126,");
    put_member(out, "count", count);
    sft_json_out_text(out, ",\"type\":\"");
    sft_json_out_text(out, types[width]);
    sft_json_out_text(out, "\"");
    if (width == 1)
    {
        // Times grow, so first and last are the bounds that the standard asks for.
        sft_json_out_text(out, ",\"min\":[");
        sft_json_out_float(out, values[0]);
        sft_json_out_text(out, "],\"max\":[");
        sft_json_out_float(out, values[count - 1]);
        sft_json_out_text(out, "]");
    }
    sft_json_out_bytes(out, "}", 2); // with a zero: the end of this text
    if (out->failed) return SFT_ERR_MEMORY;
    const size_t size = (size_t)count * (size_t)width * sizeof(float);
    if (!sft_gltf_parts_add(&w->data, &w->out->allocator, values, size)) return SFT_ERR_MEMORY;
    *index = w->accessors++;
    ++k->accessor_count;
    return SFT_OK;
}

static sft_result times_accessor(keys_writer* k, const gltf_keys* keys, int32_t* index)
{
    if (keys->input >= 0)
    {
        *index = keys->input;
        return SFT_OK;
    }
    for (uint32_t i = 0; i < RECENT_TIMES; ++i)
        if (k->recent[i].times == keys->times && k->recent[i].count == keys->count)
        {
            *index = k->recent[i].accessor;
            return SFT_OK;
        }
    const sft_result result = add_accessor(k, keys->times, keys->count, 1, index);
    k->recent[k->recent_next++ % RECENT_TIMES] = (times_entry){keys->times, keys->count, *index};
    return result;
}

static sft_result channel_accessors(keys_writer* k, const gltf_channel* channel, int32_t* input, int32_t* output)
{
    const sft_result result = times_accessor(k, channel->keys, input);
    if (result != SFT_OK) return result;
    const uint32_t parts = channel->keys->interpolation == GLTF_CUBICSPLINE ? 3 : 1;
    return add_accessor(k, channel->keys->values, channel->keys->count * parts, channel->path == GLTF_ROTATION ? 4 : 3,
                        output);
}

// ---- samplers and channels ----

static const char* path_name(gltf_path path)
{
    return path == GLTF_ROTATION ? "rotation" : path == GLTF_SCALE ? "scale" : "translation";
}

static const char* interpolation_name(gltf_interpolation interpolation)
{
    return interpolation == GLTF_STEP ? "STEP" : interpolation == GLTF_CUBICSPLINE ? "CUBICSPLINE" : "LINEAR";
}

static void put_sampler(sft_json_out* out, int32_t input, int32_t output, gltf_interpolation interpolation)
{
    sft_json_out_text(out, "{");
    put_member(out, "input", (uint64_t)input);
    sft_json_out_text(out, ",\"interpolation\":\"");
    sft_json_out_text(out, interpolation_name(interpolation));
    sft_json_out_text(out, "\",");
    put_member(out, "output", (uint64_t)output);
    sft_json_out_text(out, "}");
}

static void put_channel(sft_json_out* out, int32_t sampler, const gltf_channel* channel)
{
    sft_json_out_text(out, "{");
    put_member(out, "sampler", (uint64_t)sampler);
    sft_json_out_text(out, ",\"target\":{");
    put_member(out, "node", (uint64_t)channel->node);
    sft_json_out_text(out, ",\"path\":\"");
    sft_json_out_text(out, path_name(channel->path));
    sft_json_out_text(out, "\"}}");
}

static sft_result set_number(gltf_writing* w, sft_json_value object, const char* key, int32_t value)
{
    char digits[16];
    const size_t size = sft_core_format(digits, sizeof digits, "%d", (int)value);
    return sft_json_edit_set(w->edit, object, key, digits, size);
}

// What is kept of interpolation was the sampler's own, so a new one can only be LINEAR, which is what is meant where
// nothing is said.
static sft_result edit_sampler(gltf_writing* w, const gltf_sampler* sampler, const gltf_channel* channel, int32_t input,
                               int32_t output)
{
    const char* name = interpolation_name(channel->keys->interpolation);
    char quoted[16];
    const sft_json_value object = gltf_json_value(sampler->value);
    const sft_json_value how = sft_json_get(w->gltf->json, object, "interpolation");
    sft_result result = SFT_OK;
    if (input != sampler->input) result = set_number(w, object, "input", input);
    if (result == SFT_OK) result = set_number(w, object, "output", output);
    if (result == SFT_OK && how.kind != SFT_JSON_NONE && !sft_json_equals(w->gltf->json, how, name))
        result = sft_json_edit_replace(w->edit, how, quoted, sft_core_format(quoted, sizeof quoted, "\"%s\"", name));
    return result;
}

static sft_result append_out(gltf_writing* w, sft_json_value array, sft_json_out* text)
{
    sft_result result = text->failed ? SFT_ERR_MEMORY : SFT_OK;
    if (result == SFT_OK) result = sft_json_edit_append(w->edit, array, text->data, text->size);
    text->size = 0;
    return result;
}

static sft_result write_channel(keys_writer* k, const gltf_animation* animation, const gltf_channel* channel,
                                int32_t* sampler_count, sft_json_out* text)
{
    gltf_writing* w = k->w;
    const sft_json_value object = gltf_json_value(animation->value);
    int32_t input = 0, output = 0;
    sft_result result = channel_accessors(k, channel, &input, &output);
    if (result != SFT_OK) return result;
    if (channel->sampler >= 0 && animation->samplers[channel->sampler].user_count == 1)
        return edit_sampler(w, &animation->samplers[channel->sampler], channel, input, output);
    put_sampler(text, input, output, channel->keys->interpolation);
    result = append_out(w, sft_json_get(w->gltf->json, object, "samplers"), text);
    const int32_t sampler = (*sampler_count)++;
    if (result != SFT_OK) return result;
    if (channel->sampler >= 0) return set_number(w, gltf_json_value(channel->value), "sampler", sampler);
    put_channel(text, sampler, channel);
    return append_out(w, sft_json_get(w->gltf->json, object, "channels"), text);
}

static sft_result write_animation(keys_writer* k, const gltf_animation* animation)
{
    int32_t sampler_count = animation->sampler_count;
    sft_json_out text = {.allocator = &k->w->out->allocator};
    sft_result result = SFT_OK;
    for (int32_t c = 0; c < animation->channel_count && result == SFT_OK; ++c)
        if (animation->channels[c].keys != NULL)
            result = write_channel(k, animation, &animation->channels[c], &sampler_count, &text);
    sft_json_out_free(&text);
    return result;
}

// ---- added animations ----

static sft_result write_added(keys_writer* k, const gltf_animation* animation, sft_json_out* out)
{
    sft_json_out samplers = {.allocator = &k->w->out->allocator};
    sft_result result = SFT_OK;
    sft_json_out_text(out, "{");
    if (animation->name != NULL && animation->name[0] != '\0')
    {
        sft_json_out_text(out, "\"name\":");
        sft_json_out_string(out, animation->name, strlen(animation->name));
        sft_json_out_text(out, ",");
    }
    sft_json_out_text(out, "\"channels\":[");
    int32_t sampler = 0;
    for (int32_t c = 0; c < animation->channel_count && result == SFT_OK; ++c)
    {
        const gltf_channel* channel = &animation->channels[c];
        if (channel->keys == NULL) continue;
        int32_t input = 0, output = 0;
        result = channel_accessors(k, channel, &input, &output);
        sft_json_out_text(out, sampler > 0 ? "," : "");
        sft_json_out_text(&samplers, sampler > 0 ? "," : "");
        put_channel(out, sampler, channel);
        put_sampler(&samplers, input, output, channel->keys->interpolation);
        ++sampler;
    }
    sft_json_out_text(out, "],\"samplers\":[");
    sft_json_out_bytes(out, samplers.data, samplers.size);
    sft_json_out_text(out, "]");
    if (animation->extras != NULL)
    {
        sft_json_out_text(out, ",\"extras\":");
        sft_json_out_text(out, animation->extras);
    }
    sft_json_out_bytes(out, "}", 2);
    if (result == SFT_OK && (out->failed || samplers.failed)) result = SFT_ERR_MEMORY;
    sft_json_out_free(&samplers);
    return result;
}

// One that stands where another stood. The data of the old one stays in its buffer: others may look at it.
static sft_result write_replacing(keys_writer* k, const gltf_animation* animation)
{
    sft_json_out text = {.allocator = &k->w->out->allocator};
    sft_result result = write_added(k, animation, &text);
    if (result == SFT_OK)
        result = sft_json_edit_replace(k->w->edit, gltf_json_value(animation->value), text.data, text.size - 1);
    sft_json_out_free(&text);
    return result;
}

static sft_result write_animations(keys_writer* k)
{
    const sft_gltf* gltf = k->w->gltf;
    sft_json_out added = {.allocator = &k->w->out->allocator};
    int32_t added_count = 0;
    sft_result result = SFT_OK;
    for (int32_t a = 0; a < gltf->animation_count && result == SFT_OK; ++a)
    {
        if (!gltf->animations[a].added)
        {
            result = write_animation(k, &gltf->animations[a]);
            continue;
        }
        if (gltf->animations[a].replaces)
        {
            result = write_replacing(k, &gltf->animations[a]);
            continue;
        }
        result = write_added(k, &gltf->animations[a], &added);
        ++added_count;
    }
    if (result == SFT_OK && added_count > 0) result = sft_gltf_append_to(k->w, "animations", &added, added_count);
    sft_json_out_free(&added);
    return result;
}

// ---- nodes ----

static void put_numbers(sft_json_out* out, const char* key, const double* values, int count)
{
    sft_json_out_text(out, key);
    for (int i = 0; i < count; ++i)
    {
        sft_json_out_text(out, i == 0 ? "[" : ",");
        sft_json_out_double(out, values[i]);
    }
    sft_json_out_text(out, "]");
}

// Three members where the matrix stood, each on its own line where members stand so.
static sft_result replace_matrix(gltf_writing* w, const gltf_node* node)
{
    const sft_json* json = w->gltf->json;
    const char* all = sft_json_text(json, NULL);
    sft_json_value key = {0}, value = {0};
    for (sft_json_iter it = sft_json_iterate(json, gltf_json_value(node->value)); sft_json_next(json, &it);)
        if (sft_json_equals(json, it.key, "matrix"))
        {
            key = it.key;
            value = it.value;
        }
    if (key.kind == SFT_JSON_NONE) return SFT_OK;
    size_t lead = key.start;
    while (lead > 0 &&
           (all[lead - 1] == ' ' || all[lead - 1] == '\t' || all[lead - 1] == '\n' || all[lead - 1] == '\r'))
        --lead;
    const double t[3] = {node->t.x, node->t.y, node->t.z}, s[3] = {node->s.x, node->s.y, node->s.z};
    const double r[4] = {node->r.x, node->r.y, node->r.z, node->r.w};
    const char* colon = value.start > key.end + 1 ? ": " : ":";
    sft_json_out text = {.allocator = &w->out->allocator};
    sft_json_out_text(&text, "\"translation\"");
    put_numbers(&text, colon, t, 3);
    sft_json_out_text(&text, ",");
    sft_json_out_bytes(&text, all + lead, key.start - lead);
    sft_json_out_text(&text, "\"rotation\"");
    put_numbers(&text, colon, r, 4);
    sft_json_out_text(&text, ",");
    sft_json_out_bytes(&text, all + lead, key.start - lead);
    sft_json_out_text(&text, "\"scale\"");
    put_numbers(&text, colon, s, 3);
    const sft_result result =
        text.failed ? SFT_ERR_MEMORY : sft_json_edit_splice(w->edit, key.start, value.end, text.data, text.size);
    sft_json_out_free(&text);
    return result;
}

sft_result sft_gltf_write_changes(gltf_writing* w)
{
    keys_writer k = {.w = w, .view = w->gltf->view_count, .accessors = {.allocator = &w->out->allocator}};
    sft_result result = write_animations(&k);
    for (int32_t n = 0; n < w->gltf->node_count && result == SFT_OK; ++n)
        if (w->gltf->nodes[n].as_trs) result = replace_matrix(w, &w->gltf->nodes[n]);
    if (result == SFT_OK && k.accessor_count > 0)
        result = sft_gltf_append_to(w, "accessors", &k.accessors, k.accessor_count);
    sft_json_out_free(&k.accessors);
    return result;
}
