// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// The document as files, in pieces: the input's own bytes wherever nothing changed, text from the editor and new data
// elsewhere. The buffers are never copied.

#include "gltf/write.h"

#define WRITE_COOKIE 0x676c7477u
#define CHUNK_JSON 0x4e4f534au
#define CHUNK_BIN 0x004e4942u

#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "glTF buffers are little-endian, and new keys are written as they lie in memory"
#endif

sft_gltf_write_def sft_default_gltf_write_def(void)
{
    return (sft_gltf_write_def){false, NULL, false, WRITE_COOKIE};
}

static void put_u32(uint8_t* out, uint32_t value)
{
    for (int i = 0; i < 4; ++i)
        out[i] = (uint8_t)(value >> (8 * i));
}

static uint32_t get_u32(const uint8_t* in)
{
    return (uint32_t)in[0] | (uint32_t)in[1] << 8 | (uint32_t)in[2] << 16 | (uint32_t)in[3] << 24;
}

// ---- files ----

// Begins a file; its parts are those added until the next one. They are found again once all are there.
static bool begin_file(gltf_output* out, const char* path, const char* uri, bool as_came)
{
    if (out->file_count == out->file_capacity)
    {
        const size_t capacity = out->file_capacity == 0 ? 4 : 2 * out->file_capacity;
        sft_gltf_file* files = sft_core_grow(&out->allocator, out->files, out->file_capacity, capacity, sizeof *files);
        if (files == NULL) return false;
        out->files = files;
        out->file_capacity = capacity;
    }
    out->files[out->file_count++] = (sft_gltf_file){path, uri, as_came, 0, NULL, 0};
    return true;
}

static bool add(gltf_output* out, const void* data, uint64_t size)
{
    const size_t before = out->parts.count;
    if (size > SIZE_MAX / 2 || !sft_gltf_parts_add(&out->parts, &out->allocator, data, (size_t)size)) return false;
    sft_gltf_file* file = &out->files[out->file_count - 1];
    file->part_count += (int32_t)(out->parts.count - before);
    file->size += size;
    return true;
}

static bool add_parts(gltf_output* out, const gltf_parts* parts)
{
    for (size_t i = 0; i < parts->count; ++i)
        if (!add(out, parts->items[i].data, parts->items[i].size)) return false;
    return true;
}

static void finish(gltf_output* out)
{
    const sft_bytes* part = out->parts.items;
    for (size_t f = 0; f < out->file_count; ++f)
    {
        out->files[f].parts = part;
        part += out->files[f].part_count;
    }
    out->view.file_count = (int32_t)out->file_count;
    out->view.files = out->files;
}

static bool listed(const gltf_output* out, const char* path)
{
    for (size_t f = 0; f < out->file_count; ++f)
        if (strcmp(out->files[f].path, path) == 0) return true;
    return false;
}

// Files of the source that the new main file still refers to.
static sft_result add_resources(gltf_writing* w)
{
    const sft_gltf* gltf = w->gltf;
    if ((w->def->glb && !gltf->view.glb) || (w->def->embed && !w->def->glb)) return SFT_OK;
    for (int32_t b = 0; b < gltf->buffer_count; ++b)
    {
        const gltf_buffer* buffer = &gltf->buffers[b];
        if (buffer->kind != GLTF_BUFFER_FILE || listed(w->out, buffer->path)) continue;
        if (!begin_file(w->out, buffer->path, buffer->uri, true) || !add(w->out, buffer->bytes, buffer->held))
            return SFT_ERR_MEMORY;
    }
    return SFT_OK;
}

// ---- the main file ----

static sft_result json_parts(gltf_writing* w, gltf_parts* out)
{
    const sft_allocator* allocator = &w->out->allocator;
    const sft_gltf* gltf = w->gltf;
    if (w->edit == NULL)
        return sft_gltf_parts_add(out, allocator, gltf->bytes + gltf->json_start, gltf->json_size) ? SFT_OK
                                                                                                   : SFT_ERR_MEMORY;
    const sft_json_piece* pieces = NULL;
    size_t count = 0;
    const sft_result result = sft_json_edit_pieces(w->edit, &pieces, &count, NULL, NULL);
    if (result != SFT_OK) return result;
    for (size_t i = 0; i < count; ++i)
        if (!sft_gltf_parts_add(out, allocator, pieces[i].data, pieces[i].size)) return SFT_ERR_MEMORY;
    return SFT_OK;
}

static bool add_chunk(gltf_output* out, uint32_t type, const gltf_parts* content)
{
    uint8_t* head = sft_gltf_output_keep(out, 8);
    if (head == NULL) return false;
    put_u32(head, (uint32_t)content->size);
    put_u32(head + 4, type);
    return add(out, head, 8) && add_parts(out, content);
}

// A chunk for another, with everything else of the source's GLB around it.
static sft_result add_old_chunks(gltf_writing* w, const gltf_parts* json)
{
    const sft_gltf* gltf = w->gltf;
    gltf_output* out = w->out;
    bool json_done = false;
    size_t at = 12;
    for (int32_t c = 0; c < gltf->chunk_count; ++c)
    {
        const gltf_chunk* chunk = &gltf->chunks[c];
        const size_t head = chunk->start - 8;
        bool ok = add(out, gltf->bytes + at, head - at);
        if (chunk->start == gltf->json_start && !json_done)
        {
            json_done = true;
            ok = ok && add_chunk(out, CHUNK_JSON, json);
            if (gltf->bin_chunk < 0 && w->bin_used) ok = ok && add_chunk(out, CHUNK_BIN, &w->bin);
        }
        else if (c == gltf->bin_chunk)
            ok = ok && add_chunk(out, CHUNK_BIN, &w->bin);
        else
            ok = ok && add(out, gltf->bytes + head, chunk->size + 8);
        if (!ok) return SFT_ERR_MEMORY;
        at = chunk->start + chunk->size;
    }
    return add(out, gltf->bytes + at, gltf->size - at) ? SFT_OK : SFT_ERR_MEMORY;
}

static sft_result write_glb(gltf_writing* w, gltf_parts* json)
{
    const sft_gltf* gltf = w->gltf;
    gltf_output* out = w->out;
    if (!sft_gltf_parts_pad(json, &out->allocator, 4, ' ') || !sft_gltf_parts_pad(&w->bin, &out->allocator, 4, 0))
        return SFT_ERR_MEMORY;
    uint8_t* head = sft_gltf_output_keep(out, 12);
    if (head == NULL || !begin_file(out, "", "", false) || !add(out, head, 12)) return SFT_ERR_MEMORY;
    memcpy(head, "glTF\2\0\0\0", 8);
    uint64_t total = 12 + 8 + json->size + (w->bin_used ? 8 + w->bin.size : 0);
    sft_result result = SFT_OK;
    if (gltf->view.glb)
    {
        // What the header said beyond (other chunks) or short of the chunks (bytes behind the end) stays so.
        memcpy(head, gltf->bytes, 8);
        uint64_t old = 0;
        for (int32_t c = 0; c < gltf->chunk_count; ++c)
            if (gltf->chunks[c].start == gltf->json_start || c == gltf->bin_chunk) old += 8 + gltf->chunks[c].size;
        total = total - 12 - old + get_u32(gltf->bytes + 8);
        result = add_old_chunks(w, json);
    }
    else if (!add_chunk(out, CHUNK_JSON, json) || (w->bin_used && !add_chunk(out, CHUNK_BIN, &w->bin)))
        result = SFT_ERR_MEMORY;
    if (total > UINT32_MAX || json->size > UINT32_MAX || w->bin.size > UINT32_MAX) return SFT_ERR_LIMIT;
    put_u32(head + 8, (uint32_t)total);
    return result;
}

static sft_result write_text(gltf_writing* w, const gltf_parts* json)
{
    const sft_gltf* gltf = w->gltf;
    gltf_output* out = w->out;
    const size_t behind = gltf->json_start + gltf->json_size;
    const bool text = !gltf->view.glb;
    if (w->bin_used && w->bin_uri != NULL &&
        (!begin_file(out, w->bin_path, w->bin_uri, false) || !add_parts(out, &w->bin)))
        return SFT_ERR_MEMORY;
    if (!begin_file(out, "", "", false) || (text && !add(out, gltf->bytes, gltf->json_start)) ||
        !add_parts(out, json) || (text && !add(out, gltf->bytes + behind, gltf->size - behind)))
        return SFT_ERR_MEMORY;
    return SFT_OK;
}

static sft_result write_edited(gltf_writing* w)
{
    const sft_gltf* gltf = w->gltf;
    const sft_allocator* allocator = &w->out->allocator;
    sft_result result = sft_json_edit_create(gltf->json, allocator, &w->edit);
    if (result != SFT_OK) return result;
    w->out->edit = w->edit;
    if (!w->def->glb && !w->def->embed && w->def->buffer_path != NULL)
    {
        if (w->def->buffer_path[0] == '\0' || listed(w->out, w->def->buffer_path)) return SFT_ERR_DEF;
        // The caller's path need not outlive the call.
        const size_t length = strlen(w->def->buffer_path);
        char* path = sft_gltf_output_keep(w->out, length + 1);
        if (path != NULL) memcpy(path, w->def->buffer_path, length);
        w->bin_path = path;
        w->bin_uri = path != NULL ? sft_gltf_path_uri(w->out, path) : NULL;
        if (w->bin_uri == NULL) return SFT_ERR_MEMORY;
    }
    // A GLB has no place for a byte-order mark.
    if (w->def->glb && !gltf->view.glb && sft_json_has_bom(gltf->json))
        result = sft_json_edit_splice(w->edit, 0, 3, "", 0);
    if (result == SFT_OK && gltf->changed) result = sft_gltf_write_changes(w);
    if (result == SFT_OK) result = sft_gltf_write_buffers(w);
    gltf_parts json = {0};
    if (result == SFT_OK) result = json_parts(w, &json);
    if (result == SFT_OK) result = w->def->glb ? write_glb(w, &json) : write_text(w, &json);
    sft_gltf_parts_free(&json, allocator);
    return result;
}

static bool has_files(const sft_gltf* gltf)
{
    for (int32_t b = 0; b < gltf->buffer_count; ++b)
        if (gltf->buffers[b].kind == GLTF_BUFFER_FILE) return true;
    return false;
}

sft_result sft_gltf_write(const sft_gltf* gltf, const sft_gltf_write_def* def, const sft_allocator* allocator,
                          sft_gltf_output** out)
{
    const sft_gltf_write_def settings = def != NULL ? *def : sft_default_gltf_write_def();
    if (gltf == NULL || out == NULL) return SFT_ERR_ARG;
    if (settings.cookie != WRITE_COOKIE) return SFT_ERR_DEF;
    const sft_allocator memory = sft_core_allocator(allocator);
    gltf_output* made = sft_core_alloc(&memory, 1, sizeof *made);
    if (made == NULL) return SFT_ERR_MEMORY;
    made->allocator = memory;
    gltf_writing w = {.gltf = gltf,
                      .def = &settings,
                      .out = made,
                      .accessors = gltf->accessor_count,
                      .views = {.allocator = &made->allocator}};
    sft_result result = add_resources(&w);
    const bool as_came =
        !gltf->changed && settings.glb == gltf->view.glb && !(settings.embed && !settings.glb && has_files(gltf));
    if (result == SFT_OK && !as_came)
        result = write_edited(&w);
    else if (result == SFT_OK && (!begin_file(made, "", "", false) || !add(made, gltf->bytes, gltf->size)))
        result = SFT_ERR_MEMORY;
    sft_gltf_parts_free(&w.data, &memory);
    sft_gltf_parts_free(&w.bin, &memory);
    sft_json_out_free(&w.views);
    if (result != SFT_OK)
    {
        sft_gltf_output_destroy(&made->view, allocator);
        return result;
    }
    finish(made);
    *out = &made->view;
    return SFT_OK;
}
