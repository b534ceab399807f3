// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// To glTF and GLB: from BVH a fresh document in metres, Y up, with what the BVH was in its extras; from glTF the same
// document, its container chosen anew.

#include "io/convert.h"

#include "gltf/gltf.h"

// ---- from BVH ----

// OFFSET as the way back will work it out: where that is the very number, extras need not say it.
static bool offset_comes_back(const io_conversion* c, int32_t joint, sft_v3d offset)
{
    const sft_skeleton* s = c->source.skeleton;
    const sft_space* space = &c->source.space;
    const sft_v3d t = s->rest_translations[joint];
    const sft_v3d way =
        s->parents[joint] < 0 ? sft_space_to_file(space, t) : sft_v3d_scale(1.0 / space->unit_metres, t);
    const double got[3] = {way.x, way.y, way.z}, want[3] = {offset.x, offset.y, offset.z};
    for (int i = 0; i < 3; ++i)
        if (!(fabs(want[i]) < 9e5) || floor(got[i] * 1e10 + 0.5) / 1e10 != want[i] ||
            (want[i] == 0.0 && signbit(want[i])))
            return false;
    return true;
}

// Extras of all joints, one text behind the other.
static void put_extras(const io_conversion* c, sft_json_out* out)
{
    const sft_bvh_contents* view = sft_bvh_view(c->document->bvh);
    for (int32_t j = 0; j < view->joint_count; ++j)
    {
        io_origin origin = sft_io_bvh_origin(&view->joints[j]);
        origin.has_offset = !offset_comes_back(c, j, origin.offset);
        sft_io_put_origin(out, &origin);
    }
}

static sft_result create(const io_conversion* c, sft_gltf** gltf)
{
    const sft_skeleton* s = c->source.skeleton;
    const size_t n = (size_t)s->joint_count;
    sft_json_out texts = {.allocator = &c->allocator}, asset = {.allocator = &c->allocator};
    const char** extras = sft_core_alloc(&c->allocator, n, sizeof *extras);
    put_extras(c, &texts);
    sft_io_put_provenance(&asset, "bvh", &c->source.space);
    sft_result result = extras == NULL || texts.failed || asset.failed ? SFT_ERR_MEMORY : SFT_OK;
    const char* at = texts.data;
    for (size_t j = 0; result == SFT_OK && j < n; ++j)
    {
        extras[j] = at;
        at += strlen(at) + 1;
    }
    if (result == SFT_OK) result = sft_gltf_create(s, extras, asset.data, &c->allocator, gltf);
    sft_core_free(&c->allocator, extras, n, sizeof *extras);
    sft_json_out_free(&texts);
    sft_json_out_free(&asset);
    return result;
}

static sft_result add_clip(io_conversion* c, sft_gltf* gltf)
{
    if (c->source.clip->frame_count == 0) return SFT_OK;
    sft_json_out extras = {.allocator = &c->allocator};
    sft_io_put_frame_time(&extras, sft_bvh_view(c->document->bvh));
    int32_t animation = 0;
    sft_result result = extras.failed ? SFT_ERR_MEMORY : SFT_OK;
    if (result == SFT_OK)
        result =
            sft_gltf_add_animation(gltf, c->source.clip, NULL, c->def->clip_name, extras.data, &animation, c->error);
    sft_json_out_free(&extras);
    return result;
}

sft_result sft_io_bvh_to_gltf(io_conversion* c, sft_io_document** out)
{
    const sft_skeleton* s = c->source.skeleton;
    sft_gltf* gltf = NULL;
    sft_result result = create(c, &gltf);
    if (result != SFT_OK)
        return sft_core_fail(c->error, result, 0, 0, NULL, "the skeleton does not go into glTF: %s",
                             sft_result_string(result));
    result = add_clip(c, gltf);
    for (int32_t j = 0; j < s->joint_count && result == SFT_OK; ++j)
    {
        const char* name = gltf->nodes[j].name != NULL ? gltf->nodes[j].name : "";
        if ((s->flags[j] & SFT_JOINT_END_SITE) == 0 && strcmp(s->names[j], name) != 0)
            sft_io_rename(&c->renames, s->names[j], name);
    }
    sft_io_document* made = NULL;
    if (result == SFT_OK) result = sft_io_wrap(NULL, gltf, &c->allocator, &made);
    if (result != SFT_OK)
    {
        sft_gltf_destroy(gltf);
        return result;
    }
    made->asked = c->def->format;
    result = sft_io_describe(made);
    if (result == SFT_OK)
        *out = made;
    else
        sft_io_destroy(made);
    return result;
}

// ---- from glTF ----

static sft_result load_from(void* user, const char* path, size_t max_bytes, const sft_allocator* allocator,
                            void** bytes, size_t* size, sft_error* error)
{
    const sft_gltf_output* output = user;
    for (int32_t f = 0; f < output->file_count; ++f)
    {
        const sft_gltf_file* file = &output->files[f];
        if (strcmp(file->path, path) != 0) continue;
        if (file->size > max_bytes) return sft_core_fail(error, SFT_ERR_LIMIT, 0, 0, NULL, "%s: too large", path);
        char* copy = sft_core_alloc(allocator, (size_t)file->size + 1, 1);
        if (copy == NULL) return sft_core_fail(error, SFT_ERR_MEMORY, 0, 0, NULL, "out of memory");
        size_t at = 0;
        for (int32_t i = 0; i < file->part_count; ++i)
        {
            memcpy(copy + at, file->parts[i].data, file->parts[i].size);
            at += file->parts[i].size;
        }
        *bytes = copy;
        *size = at;
        return SFT_OK;
    }
    return sft_core_fail(error, SFT_ERR_IO, 0, 0, NULL, "%s: is not there", path);
}

static sft_result wrap_bytes(io_conversion* c, const sft_gltf_output* output, void* bytes, size_t size,
                             sft_io_document** out)
{
    sft_gltf_read_def def = sft_default_gltf_read_def();
    def.keep_bytes = true;
    def.max_nodes = (int32_t)1 << 26; // what was read once may be read again
    def.max_depth = INT32_MAX;
    def.load = load_from;
    def.load_user = (void*)(uintptr_t)output;
    sft_gltf* gltf = NULL;
    sft_result result = sft_gltf_read(&def, bytes, size, &c->allocator, &gltf, c->error);
    if (result != SFT_OK) return result;
    result = sft_io_wrap(NULL, gltf, &c->allocator, out);
    if (result != SFT_OK) sft_gltf_destroy(gltf);
    return result;
}

// Images stay where they were, and are looked for there when the document is written.
static sft_result take_place(const io_conversion* c, sft_io_document* made)
{
    made->asked = c->def->format;
    if (c->document->folder != NULL)
    {
        made->folder = sft_io_keep_text(made, c->document->folder, strlen(c->document->folder));
        if (made->folder == NULL) return SFT_ERR_MEMORY;
    }
    return sft_io_describe(made);
}

// The copy is a GLB whatever was asked for: all buffers are then inside, and go where the writer will want them.
sft_result sft_io_other_container(io_conversion* c, sft_io_document** out)
{
    sft_gltf_write_def def = sft_default_gltf_write_def();
    def.glb = true;
    sft_gltf_output* output = NULL;
    sft_result result = sft_gltf_write(c->document->gltf, &def, &c->allocator, &output);
    if (result != SFT_OK)
        return sft_core_fail(c->error, result, 0, 0, NULL, "the document does not go into one file: %s",
                             sft_result_string(result));
    void* bytes = NULL;
    size_t size = 0;
    sft_io_document* made = NULL;
    result = load_from(output, "", SIZE_MAX / 2, &c->allocator, &bytes, &size, c->error);
    if (result == SFT_OK) result = wrap_bytes(c, output, bytes, size, &made);
    if (result == SFT_OK)
    {
        made->bytes = bytes;
        made->size = size;
        result = take_place(c, made);
        if (result != SFT_OK) sft_io_destroy(made);
    }
    else
        sft_core_free(&c->allocator, bytes, bytes != NULL ? size + 1 : 0, 1);
    sft_gltf_output_destroy(output, &c->allocator);
    if (result == SFT_OK) *out = made;
    return result;
}
