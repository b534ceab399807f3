// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// Where buffers stand in the file to come. In the container it came in, a document keeps its buffers; new data goes
// behind the GLB's own, or into a buffer of its own where a .bin may belong to others too. From .gltf to GLB all
// buffers that hold data become one: `bufferViews` and extensions inside them (EXT_meshopt_compression and its kin) are
// all that names buffers. Placeholders without data stay buffers.

#include "gltf/write.h"

// Merged buffers start at multiples of this: what extensions ask of data inside (KTX, metadata) then still holds.
#define MERGE_ALIGN 8

static sft_result set_uint(gltf_writing* w, sft_json_value object, const char* key, uint64_t value)
{
    char digits[24];
    const size_t size = sft_core_format(digits, sizeof digits, "%z", (size_t)value);
    return (uint64_t)(size_t)value != value ? SFT_ERR_LIMIT : sft_json_edit_set(w->edit, object, key, digits, size);
}

static sft_result set_data_uri(gltf_writing* w, sft_json_value object, const gltf_parts* parts)
{
    char* text = NULL;
    size_t size = 0;
    sft_result result = sft_gltf_data_uri(parts, &w->out->allocator, &text, &size);
    if (result == SFT_OK) result = sft_json_edit_set(w->edit, object, "uri", text, size);
    sft_core_free(&w->out->allocator, text, size, 1);
    return result;
}

static sft_result set_path_uri(gltf_writing* w, sft_json_value object)
{
    sft_json_out text = {.allocator = &w->out->allocator};
    sft_json_out_string(&text, w->bin_uri, strlen(w->bin_uri));
    const sft_result result =
        text.failed ? SFT_ERR_MEMORY : sft_json_edit_set(w->edit, object, "uri", text.data, text.size);
    sft_json_out_free(&text);
    return result;
}

// A buffer behind the others. parts: what its data URI holds; null: `bin_uri`, or none where that is null.
static sft_result append_buffer(gltf_writing* w, uint64_t size, const gltf_parts* parts)
{
    sft_json_out text = {.allocator = &w->out->allocator};
    char* uri = NULL;
    size_t uri_size = 0;
    sft_result result = SFT_OK;
    sft_json_out_text(&text, "{\"byteLength\":");
    sft_json_out_uint64(&text, size);
    if (parts != NULL) result = sft_gltf_data_uri(parts, &w->out->allocator, &uri, &uri_size);
    if (uri != NULL || (parts == NULL && w->bin_uri != NULL)) sft_json_out_text(&text, ",\"uri\":");
    if (uri != NULL)
        sft_json_out_bytes(&text, uri, uri_size);
    else if (parts == NULL && w->bin_uri != NULL)
        sft_json_out_string(&text, w->bin_uri, strlen(w->bin_uri));
    sft_core_free(&w->out->allocator, uri, uri_size, 1);
    sft_json_out_bytes(&text, "}", 2);
    if (result == SFT_OK) result = text.failed ? SFT_ERR_MEMORY : sft_gltf_append_to(w, "buffers", &text, 1);
    sft_json_out_free(&text);
    return result;
}

// The view of new keys: the first of the new ones.
static void put_view(gltf_writing* w, int32_t buffer, uint64_t offset)
{
    if (w->data.size == 0) return;
    sft_json_out_text(&w->views, "{\"buffer\":");
    sft_json_out_int64(&w->views, buffer);
    if (offset > 0) sft_json_out_text(&w->views, ",\"byteOffset\":");
    if (offset > 0) sft_json_out_uint64(&w->views, offset);
    sft_json_out_text(&w->views, ",\"byteLength\":");
    sft_json_out_uint64(&w->views, w->data.size);
    sft_json_out_bytes(&w->views, "}", 2); // with a zero: the end of this text
    ++w->view_count;
}

static bool add_data(gltf_writing* w, uint64_t* offset)
{
    const sft_allocator* allocator = &w->out->allocator;
    if (w->data.size == 0) return true;
    if (!sft_gltf_parts_pad(&w->bin, allocator, 4, 0)) return false;
    *offset = w->bin.size;
    return sft_gltf_parts_append(&w->bin, allocator, &w->data);
}

// ---- buffers on other places ----

// `buffer` and `byteOffset` of a view, or of an extension inside one.
static sft_result move_reference(gltf_writing* w, sft_json_value object, const gltf_place* places)
{
    const sft_json* json = w->gltf->json;
    int32_t buffer = -1;
    uint64_t offset = 0;
    if (sft_json_int32(json, sft_json_get(json, object, "buffer"), &buffer) != SFT_JSON_EXACT || buffer < 0 ||
        buffer >= w->gltf->buffer_count)
        return SFT_OK;
    (void)sft_json_uint64(json, sft_json_get(json, object, "byteOffset"), &offset);
    const gltf_place place = places[buffer];
    sft_result result = place.buffer != buffer ? set_uint(w, object, "buffer", (uint64_t)place.buffer) : SFT_OK;
    if (result == SFT_OK && place.base > 0)
        result =
            offset > UINT64_MAX - place.base ? SFT_ERR_LIMIT : set_uint(w, object, "byteOffset", offset + place.base);
    return result;
}

static sft_result move_views(gltf_writing* w, const gltf_place* places)
{
    const sft_json* json = w->gltf->json;
    const sft_json_value views = sft_json_get(json, sft_json_root(json), "bufferViews");
    for (sft_json_iter it = sft_json_iterate(json, views); sft_json_next(json, &it);)
    {
        sft_result result = move_reference(w, it.value, places);
        const sft_json_value extensions = sft_json_get(json, it.value, "extensions");
        for (sft_json_iter e = sft_json_iterate(json, extensions); result == SFT_OK && sft_json_next(json, &e);)
            if (e.value.kind == SFT_JSON_OBJECT) result = move_reference(w, e.value, places);
        if (result != SFT_OK) return result;
    }
    return SFT_OK;
}

// The GLB's own buffer before all others.
static sft_result insert_first(gltf_writing* w)
{
    const sft_gltf* gltf = w->gltf;
    const sft_json_value array = sft_json_get(gltf->json, sft_json_root(gltf->json), "buffers");
    const size_t start = gltf->buffers[0].value.start;
    sft_json_out text = {.allocator = &w->out->allocator};
    sft_json_out_text(&text, "{\"byteLength\":");
    sft_json_out_uint64(&text, w->bin.size);
    sft_json_out_text(&text, "},");
    sft_json_out_bytes(&text, sft_json_text(gltf->json, NULL) + array.start + 1, start - array.start - 1);
    const sft_result result =
        text.failed ? SFT_ERR_MEMORY : sft_json_edit_splice(w->edit, start, start, text.data, text.size);
    sft_json_out_free(&text);
    return result;
}

// ---- the same container, and out of a GLB ----

static const gltf_buffer* own_buffer(const sft_gltf* gltf)
{
    return gltf->buffer_count > 0 && gltf->buffers[0].kind == GLTF_BUFFER_BIN ? &gltf->buffers[0] : NULL;
}

static sft_json_value buffer_value(const gltf_writing* w, int32_t buffer)
{
    return gltf_json_value(w->gltf->buffers[buffer].value);
}

// New data behind that of the GLB's own buffer; outside of a GLB that buffer wants a place.
static sft_result write_own(gltf_writing* w, const gltf_buffer* own)
{
    const bool grows = w->data.size > 0;
    // All bytes of the chunk stay where they are: what stands behind byteLength may be padding, or somebody's.
    const size_t size = w->def->glb || grows ? own->held : own->size;
    uint64_t offset = 0;
    if (!sft_gltf_parts_add(&w->bin, &w->out->allocator, own->bytes, size) || !add_data(w, &offset))
        return SFT_ERR_MEMORY;
    w->bin_used = true;
    sft_result result = grows ? set_uint(w, buffer_value(w, 0), "byteLength", w->bin.size) : SFT_OK;
    if (result == SFT_OK && !w->def->glb)
        result =
            w->bin_uri != NULL ? set_path_uri(w, buffer_value(w, 0)) : set_data_uri(w, buffer_value(w, 0), &w->bin);
    put_view(w, 0, offset);
    return result;
}

// A GLB whose first buffer is another file, a data URI or a placeholder has no room for new data: its chunk becomes a
// buffer before all others, since only the first may be in it.
static sft_result shift_buffers(gltf_writing* w)
{
    const size_t count = (size_t)w->gltf->buffer_count;
    gltf_place* places = sft_core_alloc(&w->out->allocator, count, sizeof *places);
    uint64_t offset = 0;
    sft_result result = places != NULL && add_data(w, &offset) ? insert_first(w) : SFT_ERR_MEMORY;
    for (size_t b = 0; places != NULL && b < count; ++b)
        places[b].buffer = (int32_t)b + 1;
    if (result == SFT_OK) result = move_views(w, places);
    put_view(w, 0, offset);
    sft_core_free(&w->out->allocator, places, count, sizeof *places);
    return result;
}

// A document without a buffer of its own. A chunk that no buffer names goes along in a GLB.
static sft_result write_apart(gltf_writing* w)
{
    const sft_gltf* gltf = w->gltf;
    const gltf_chunk* chunk = gltf->bin_chunk >= 0 ? &gltf->chunks[gltf->bin_chunk] : NULL;
    if (w->def->glb && chunk != NULL &&
        !sft_gltf_parts_add(&w->bin, &w->out->allocator, gltf->bytes + chunk->start, chunk->size))
        return SFT_ERR_MEMORY;
    const bool in_file = w->def->glb || w->bin_uri != NULL;
    w->bin_used = (w->def->glb && chunk != NULL) || (w->data.size > 0 && in_file);
    if (w->data.size == 0) return SFT_OK;
    if (w->def->glb && gltf->buffer_count > 0) return shift_buffers(w);
    uint64_t offset = 0;
    if (in_file && !add_data(w, &offset)) return SFT_ERR_MEMORY;
    put_view(w, gltf->buffer_count, offset);
    return append_buffer(w, in_file ? w->bin.size : w->data.size, in_file ? NULL : &w->data);
}

static sft_result embed_files(gltf_writing* w)
{
    sft_result result = SFT_OK;
    for (int32_t b = 0; b < w->gltf->buffer_count && result == SFT_OK; ++b)
    {
        const gltf_buffer* buffer = &w->gltf->buffers[b];
        if (buffer->kind != GLTF_BUFFER_FILE) continue;
        sft_bytes item = {buffer->bytes, buffer->size};
        const gltf_parts parts = {&item, 1, 1, buffer->size};
        result = set_data_uri(w, buffer_value(w, b), &parts);
    }
    return result;
}

// ---- from .gltf to GLB ----

// The first buffer becomes the GLB's own (or one is put before it, where it is a placeholder); others with data go.
static sft_result merge_entries(gltf_writing* w)
{
    const sft_gltf* gltf = w->gltf;
    const sft_json_value array = sft_json_get(gltf->json, sft_json_root(gltf->json), "buffers");
    sft_result result = SFT_OK;
    size_t before = array.start + 1;
    for (int32_t b = 0; b < gltf->buffer_count && result == SFT_OK; ++b)
    {
        const sft_json_value value = buffer_value(w, b);
        const bool data = gltf->buffers[b].kind != GLTF_BUFFER_NONE;
        if (b == 0 && data)
        {
            result = set_uint(w, value, "byteLength", w->bin.size);
            if (result == SFT_OK) result = sft_json_edit_remove(w->edit, value, "uri");
        }
        else if (b == 0)
            result = insert_first(w);
        else if (data)
            result = sft_json_edit_splice(w->edit, before, value.end, "", 0);
        before = value.end;
    }
    return result;
}

static sft_result merge_buffers(gltf_writing* w)
{
    const sft_gltf* gltf = w->gltf;
    const sft_allocator* allocator = &w->out->allocator;
    gltf_place* places = sft_core_alloc(allocator, (size_t)gltf->buffer_count, sizeof *places);
    bool fits = places != NULL;
    bool any = false;
    int32_t placeholders = 0;
    for (int32_t b = 0; b < gltf->buffer_count && fits; ++b)
    {
        const gltf_buffer* buffer = &gltf->buffers[b];
        places[b].buffer = ++placeholders;
        if (buffer->kind == GLTF_BUFFER_NONE) continue;
        --placeholders;
        any = true;
        fits = sft_gltf_parts_pad(&w->bin, allocator, MERGE_ALIGN, 0);
        places[b] = (gltf_place){0, w->bin.size};
        fits = fits && sft_gltf_parts_add(&w->bin, allocator, buffer->bytes, buffer->size);
    }
    uint64_t offset = 0;
    fits = fits && add_data(w, &offset);
    put_view(w, 0, offset);
    sft_result result = fits ? sft_gltf_write_images(w) : SFT_ERR_MEMORY;
    w->bin_used = any || w->view_count > 0;
    if (result == SFT_OK && w->bin_used && gltf->buffer_count == 0)
        result = append_buffer(w, w->bin.size, NULL);
    else if (result == SFT_OK && w->bin_used)
        result = merge_entries(w);
    if (result == SFT_OK && w->bin_used) result = move_views(w, places);
    sft_core_free(allocator, places, (size_t)gltf->buffer_count, sizeof *places);
    return result;
}

sft_result sft_gltf_write_buffers(gltf_writing* w)
{
    const gltf_buffer* own = own_buffer(w->gltf);
    sft_result result = w->def->glb && !w->gltf->view.glb ? merge_buffers(w)
                        : own != NULL                     ? write_own(w, own)
                                                          : write_apart(w);
    if (result == SFT_OK && w->def->embed && !w->def->glb) result = embed_files(w);
    if (result != SFT_OK || w->view_count == 0) return result;
    return w->views.failed ? SFT_ERR_MEMORY : sft_gltf_append_to(w, "bufferViews", &w->views, w->view_count);
}
