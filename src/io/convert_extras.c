// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// What a glTF carries of the BVH it was (docs/gltf.md): members of one object "surefoot" in the extras of asset, nodes
// and animations. Read as anybody may have written it: what makes no sense is noted and counts as absent.

#include "io/convert.h"

#include <math.h>

#define UNIT_LEAST 1e-9
#define UNIT_MOST 1e9

static const char* const CHANNELS[6] = {"Xposition", "Yposition", "Zposition", "Xrotation", "Yrotation", "Zrotation"};
static const char* const AXES[6] = {"X", "Y", "Z", "-X", "-Y", "-Z"};

// ---- writing ----

static void put_numbers(sft_json_out* out, sft_v3d v)
{
    sft_json_out_text(out, "[");
    sft_json_out_double(out, v.x);
    sft_json_out_text(out, ",");
    sft_json_out_double(out, v.y);
    sft_json_out_text(out, ",");
    sft_json_out_double(out, v.z);
    sft_json_out_text(out, "]");
}

void sft_io_put_origin(sft_json_out* out, const io_origin* origin)
{
    bool positions = false;
    sft_json_out_text(out, "{\"surefoot\":{");
    if (origin->end_site)
        sft_json_out_text(out, "\"end_site\":true");
    else
    {
        sft_json_out_text(out, "\"channels\":\"");
        for (int c = 0; c < origin->channel_count; ++c)
        {
            sft_json_out_text(out, c > 0 ? " " : "");
            sft_json_out_text(out, CHANNELS[origin->channels[c]]);
            positions = positions || origin->channels[c] < SFT_BVH_XROTATION;
        }
        sft_json_out_text(out, "\"");
    }
    if (positions) sft_json_out_text(out, origin->replaces ? ",\"positions\":\"replace\"" : ",\"positions\":\"add\"");
    if (origin->has_offset) sft_json_out_text(out, ",\"offset\":");
    if (origin->has_offset) put_numbers(out, origin->offset);
    sft_json_out_bytes(out, "}}", 3); // with a zero: the end of this text
}

void sft_io_put_provenance(sft_json_out* out, const char* source, const sft_space* space)
{
    sft_json_out_text(out, "{\"surefoot\":{\"source\":\"");
    sft_json_out_text(out, source);
    sft_json_out_text(out, "\",\"unit_metres\":");
    sft_json_out_double(out, space->unit_metres);
    sft_json_out_text(out, ",\"up\":\"");
    sft_json_out_text(out, AXES[space->up]);
    sft_json_out_bytes(out, "\"}}", 4);
}

void sft_io_put_frame_time(sft_json_out* out, const sft_bvh_contents* bvh)
{
    sft_json_out_text(out, "{\"surefoot\":{\"frame_time\":");
    if (bvh->frame_time_text != NULL)
        sft_json_out_string(out, bvh->frame_time_text, strlen(bvh->frame_time_text));
    else
    {
        sft_json_out_text(out, "\"");
        sft_json_out_double(out, bvh->frame_time);
        sft_json_out_text(out, "\"");
    }
    sft_json_out_text(out, ",\"frames\":");
    sft_json_out_int64(out, bvh->frame_count);
    sft_json_out_bytes(out, "}}", 3);
}

// ---- reading ----

// The object "surefoot" of some extras: NONE where there is none. *json is to be destroyed.
static sft_result open_extras(const io_conversion* c, sft_gltf_kind kind, int32_t index, sft_json** json,
                              sft_json_value* object)
{
    size_t size = 0;
    const char* text = sft_gltf_extras(c->document->gltf, kind, index, &size);
    *json = NULL;
    *object = (sft_json_value){0};
    if (text == NULL) return SFT_OK;
    sft_json_options options = sft_json_default_options();
    const sft_result result = sft_json_parse(&c->allocator, text, size, &options, json, NULL);
    if (result == SFT_ERR_MEMORY) return result;
    if (result != SFT_OK) return SFT_OK; // deeper than usual: nothing of ours
    *object = sft_json_get(*json, sft_json_root(*json), "surefoot");
    if (object->kind != SFT_JSON_OBJECT) *object = (sft_json_value){0};
    return SFT_OK;
}

static bool parse_channels(const char* at, io_origin* out)
{
    bool seen[6] = {false};
    out->channel_count = 0;
    while (*at != '\0')
    {
        int channel = -1;
        size_t length = 0;
        while (at[length] != '\0' && at[length] != ' ')
            ++length;
        for (int i = 0; i < 6; ++i)
            if (strlen(CHANNELS[i]) == length && memcmp(at, CHANNELS[i], length) == 0) channel = i;
        if (channel < 0 || seen[channel]) return false;
        seen[channel] = true;
        out->channels[out->channel_count++] = (uint8_t)channel;
        at += length;
        if (*at == ' ' && *++at == '\0') return false;
    }
    return true;
}

// Members of a node's object; false where one of them makes no sense.
static bool parse_origin(const sft_json* json, sft_json_value object, io_origin* out)
{
    const sft_json_value channels = sft_json_get(json, object, "channels");
    const sft_json_value end_site = sft_json_get(json, object, "end_site");
    const sft_json_value positions = sft_json_get(json, object, "positions");
    const sft_json_value offset = sft_json_get(json, object, "offset");
    *out = (io_origin){.replaces = true};
    if (channels.kind == SFT_JSON_NONE && end_site.kind == SFT_JSON_NONE) return true; // others' business
    out->known = true;
    out->end_site = end_site.kind == SFT_JSON_TRUE;
    if (out->end_site == (channels.kind == SFT_JSON_STRING)) return false;
    char text[80];
    if (!out->end_site &&
        (sft_json_decode(json, channels, text, sizeof text) >= sizeof text || !parse_channels(text, out)))
        return false;
    if (positions.kind != SFT_JSON_NONE)
    {
        out->replaces = sft_json_equals(json, positions, "replace");
        if (!out->replaces && !sft_json_equals(json, positions, "add")) return false;
    }
    if (offset.kind == SFT_JSON_NONE) return true;
    double v[3];
    if (!sft_json_doubles(json, offset, v, 3)) return false;
    out->has_offset = true;
    out->offset = sft_v3d_make(v[0], v[1], v[2]);
    return true;
}

sft_result sft_io_read_origin(io_conversion* c, int32_t joint, io_origin* out)
{
    const int32_t node = sft_gltf_view(c->document->gltf)->joint_nodes[joint];
    sft_json* json = NULL;
    sft_json_value object;
    *out = (io_origin){.replaces = true};
    const sft_result result = open_extras(c, SFT_GLTF_NODE, node, &json, &object);
    if (result != SFT_OK) return result;
    if (object.kind == SFT_JSON_OBJECT && !parse_origin(json, object, out))
    {
        *out = (io_origin){.replaces = true};
        sft_io_note(&c->notes, "joint %s: its extras say nothing that a BVH could be, and are not followed",
                    c->source.skeleton->names[joint]);
    }
    sft_json_destroy(json);
    return SFT_OK;
}

sft_result sft_io_read_provenance(io_conversion* c, io_provenance* out)
{
    sft_json* json = NULL;
    sft_json_value object;
    *out = (io_provenance){0.0, -1};
    const sft_result result = open_extras(c, SFT_GLTF_ASSET, 0, &json, &object);
    if (result != SFT_OK) return result;
    if (json == NULL) return SFT_OK;
    const sft_json_value unit = sft_json_get(json, object, "unit_metres"), up = sft_json_get(json, object, "up");
    double metres = 0.0;
    if (sft_json_double(json, unit, &metres) && metres >= UNIT_LEAST && metres <= UNIT_MOST)
        out->unit_metres = metres;
    else if (unit.kind != SFT_JSON_NONE)
        sft_io_note(&c->notes, "extras of the asset: unit_metres is no usable unit and is not followed");
    for (int32_t axis = 0; axis < 6; ++axis)
        if (sft_json_equals(json, up, AXES[axis])) out->up = axis;
    if (up.kind != SFT_JSON_NONE && out->up < 0)
        sft_io_note(&c->notes, "extras of the asset: up names no axis and is not followed");
    sft_json_destroy(json);
    return SFT_OK;
}

// Within what float32 keys can tell: their spacing at the clip's end, and the evenness that readers take for even.
static bool frame_time_fits(const io_conversion* c, double seconds)
{
    const sft_gltf_frames* frames = &c->source.frames;
    const double intervals = (double)(frames->frame_count - 1), end = frames->start + intervals * frames->frame_time;
    return fabs(seconds - frames->frame_time) * intervals <= 1e-4 + 1.2e-7 * fabs(end);
}

sft_result sft_io_read_frame_time(io_conversion* c, char* text, double* seconds)
{
    sft_json* json = NULL;
    sft_json_value object;
    text[0] = '\0';
    if (c->source.clip_index < 0) return SFT_OK;
    const sft_result result = open_extras(c, SFT_GLTF_ANIMATION, c->source.clip_index, &json, &object);
    if (result != SFT_OK) return result;
    if (json == NULL) return SFT_OK;
    const sft_json_value value = sft_json_get(json, object, "frame_time");
    const char* next = text;
    double said = 0.0;
    const size_t length = value.kind == SFT_JSON_STRING ? sft_json_decode(json, value, text, BVH_FRAME_TIME_TEXT) : 0;
    const bool number = length > 0 && length < BVH_FRAME_TIME_TEXT &&
                        sft_decimal_read(text, text + length, &said, &next) == SFT_DECIMAL_OK &&
                        next == text + length && isfinite(said) && said > 0.0 && said < 5.0;
    if (number && frame_time_fits(c, said))
        *seconds = said;
    else
    {
        text[0] = '\0';
        if (value.kind != SFT_JSON_NONE)
            sft_io_note(&c->notes, "extras of the animation: frame_time does not fit its keys and is not followed");
    }
    sft_json_destroy(json);
    return SFT_OK;
}
