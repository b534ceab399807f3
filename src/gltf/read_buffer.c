// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// Buffers and where their bytes come from; paths of images.

#include "gltf/read.h"

// A file may be this much longer than byteLength says.
#define FILE_TIMES 16
#define FILE_SLACK ((uint64_t)64 << 20)

// The decoded text of a URI: the JSON text itself where it has no escapes, which for a data URI of many megabytes saves
// a copy.
typedef struct uri_text
{
    const char* text;
    size_t length;
    char* block; ///< null where `text` lies in the document; length + 1 bytes
} uri_text;

static sft_result open_uri(const gltf_reader* reader, sft_json_value value, uri_text* uri)
{
    const char* raw = sft_json_text(reader->gltf->json, NULL) + value.start + 1;
    *uri = (uri_text){raw, value.end - value.start - 2, NULL};
    if (memchr(raw, '\\', uri->length) == NULL) return SFT_OK;
    const sft_result result =
        sft_json_string(reader->gltf->json, value, &reader->gltf->allocator, &uri->block, &uri->length);
    if (result != SFT_OK) return sft_gltf_no_memory(reader->error);
    uri->text = uri->block;
    return SFT_OK;
}

static void close_uri(const gltf_reader* reader, const uri_text* uri)
{
    sft_core_free(&reader->gltf->allocator, uri->block, uri->length + 1, 1);
}

static uint64_t bytes_left(const gltf_reader* reader)
{
    const uint64_t most = reader->def.max_bytes;
    return most > reader->resource_bytes ? most - reader->resource_bytes : 0;
}

static sft_result too_large(const gltf_reader* reader, int32_t index, size_t byte)
{
    return sft_gltf_fail(reader->gltf, reader->error, SFT_ERR_LIMIT, byte,
                         "with buffer %d the document's resources are larger than max_bytes, %z", index,
                         reader->def.max_bytes);
}

static sft_result too_long(const gltf_reader* reader, int32_t index, size_t byte)
{
    const gltf_buffer* buffer = &reader->gltf->buffers[index];
    return sft_gltf_fail(reader->gltf, reader->error, SFT_ERR_LIMIT, byte,
                         "buffer %d, file '%s': is far longer than the %z bytes that its byteLength says; is it the "
                         "right file?",
                         index, buffer->path, buffer->size);
}

static sft_result decode_data(gltf_reader* reader, int32_t index, sft_json_value value, const uri_text* uri)
{
    sft_gltf* gltf = reader->gltf;
    gltf_buffer* buffer = &gltf->buffers[index];
    uint8_t* bytes = NULL;
    size_t where = 0;
    const gltf_uri_fault fault = sft_gltf_decode_data_uri(uri->text, uri->length, bytes_left(reader), &gltf->allocator,
                                                          &bytes, &buffer->held, &where);
    if (fault == GLTF_URI_MEMORY) return sft_gltf_no_memory(reader->error);
    if (fault == GLTF_URI_LIMIT) return too_large(reader, index, value.start);
    if (fault == GLTF_URI_BASE64)
        return sft_gltf_fail(
            gltf, reader->error, SFT_ERR_SYNTAX, uri->block == NULL ? value.start + 1 + where : value.start,
            "the data URI of buffer %d is no base64 from its byte %z on (letters, digits, '+', '/', and "
            "'=' at the end are); export again",
            index, where);
    if (fault != GLTF_URI_OK)
        return sft_gltf_fail(gltf, reader->error, SFT_ERR_SYNTAX, value.start, "the uri of buffer %d %s", index,
                             sft_gltf_uri_advice(fault));
    buffer->kind = GLTF_BUFFER_DATA;
    buffer->bytes = bytes;
    buffer->owned = true;
    reader->resource_bytes += buffer->held;
    return SFT_OK;
}

// The same file under two buffers is held once, unless too many others stand between.
static bool share_file(const gltf_reader* reader, int32_t index)
{
    gltf_buffer* buffer = &reader->gltf->buffers[index];
    const uint32_t room = SFT_COUNT_OF(reader->files);
    for (uint32_t i = 0; i < room && i < reader->file_count; ++i)
    {
        const gltf_buffer* other = &reader->gltf->buffers[reader->files[i]];
        if (strcmp(other->path, buffer->path) != 0) continue;
        buffer->kind = GLTF_BUFFER_FILE;
        buffer->bytes = other->bytes;
        buffer->held = other->held;
        return true;
    }
    return false;
}

static sft_result call_loader(gltf_reader* reader, int32_t index, sft_json_value value)
{
    sft_gltf* gltf = reader->gltf;
    gltf_buffer* buffer = &gltf->buffers[index];
    if (reader->def.load == NULL)
        return sft_gltf_fail(gltf, reader->error, SFT_ERR_IO, value.start,
                             "buffer %d lies in the file '%s', which is out of reach from here; give the document by "
                             "its file's name, or with its buffers inside (GLB, data URIs)",
                             index, buffer->path);
    sft_error inner = {.code = SFT_OK};
    void* bytes = NULL;
    size_t size = 0;
    // A file that many documents share may be longer than this one says, but a document of a few bytes must not make us
    // hold whatever large file lies beside it.
    const uint64_t sane = FILE_SLACK + FILE_TIMES * (uint64_t)buffer->size;
    const uint64_t left = bytes_left(reader);
    const bool bounded = sane < left && buffer->size <= UINT32_MAX;
    const size_t most = (size_t)(bounded ? sane : left);
    const sft_result result =
        reader->def.load(reader->def.load_user, buffer->path, most, &gltf->allocator, &bytes, &size, &inner);
    if (result == SFT_ERR_MEMORY) return sft_gltf_no_memory(reader->error);
    if (result == SFT_ERR_LIMIT && bounded) return too_long(reader, index, value.start);
    if (result != SFT_OK)
        return sft_gltf_fail(gltf, reader->error, result, value.start, "buffer %d, file '%s': %s", index, buffer->path,
                             inner.message[0] != '\0' ? inner.message : sft_result_string(result));
    buffer->kind = GLTF_BUFFER_FILE;
    buffer->bytes = bytes;
    buffer->held = size;
    buffer->owned = true;
    if (size > most) return bounded ? too_long(reader, index, value.start) : too_large(reader, index, value.start);
    reader->files[reader->file_count++ % SFT_COUNT_OF(reader->files)] = index;
    reader->resource_bytes += size;
    return SFT_OK;
}

static sft_result fetch_file(gltf_reader* reader, int32_t index, sft_json_value value, const uri_text* uri)
{
    sft_gltf* gltf = reader->gltf;
    gltf_buffer* buffer = &gltf->buffers[index];
    char* path = sft_gltf_keep(gltf, uri->length + 1, 1);
    if (path == NULL) return sft_gltf_no_memory(reader->error);
    const gltf_uri_fault fault = sft_gltf_resource_path(uri->text, uri->length, path);
    if (fault != GLTF_URI_OK)
        return sft_gltf_fail(gltf, reader->error, SFT_ERR_UNSUPPORTED, value.start, "the uri of buffer %d %s", index,
                             sft_gltf_uri_advice(fault));
    buffer->path = path;
    const sft_result result = sft_gltf_text(reader, value, &buffer->uri);
    if (result != SFT_OK || share_file(reader, index)) return result;
    return call_loader(reader, index, value);
}

static sft_result find_bytes(gltf_reader* reader, int32_t index, sft_json_value value)
{
    sft_gltf* gltf = reader->gltf;
    gltf_buffer* buffer = &gltf->buffers[index];
    if (value.kind == SFT_JSON_NONE)
    {
        if (index > 0 || gltf->bin_chunk < 0)
        {
            buffer->kind = GLTF_BUFFER_NONE;
            return SFT_OK;
        }
        const gltf_chunk* chunk = &gltf->chunks[gltf->bin_chunk];
        buffer->kind = GLTF_BUFFER_BIN;
        buffer->bytes = gltf->bytes + chunk->start;
        buffer->held = chunk->size;
        return SFT_OK;
    }
    if (value.kind != SFT_JSON_STRING)
        return sft_gltf_fail(gltf, reader->error, SFT_ERR_SYNTAX, value.start,
                             "the uri of buffer %d must be a string, not %s", index, sft_json_kind_name(value.kind));
    uri_text uri;
    sft_result result = open_uri(reader, value, &uri);
    if (result != SFT_OK) return result;
    result = sft_gltf_is_data_uri(uri.text, uri.length) ? decode_data(reader, index, value, &uri)
                                                        : fetch_file(reader, index, value, &uri);
    close_uri(reader, &uri);
    return result;
}

static sft_result check_length(gltf_reader* reader, int32_t index, sft_json_value object)
{
    sft_gltf* gltf = reader->gltf;
    const gltf_buffer* buffer = &gltf->buffers[index];
    if (buffer->kind == GLTF_BUFFER_NONE) return SFT_OK;
    if (buffer->size > buffer->held)
        return sft_gltf_fail(
            gltf, reader->error, SFT_ERR_SYNTAX, object.start,
            "buffer %d has %z bytes of the %z that its byteLength says (%z bytes are missing); copy or "
            "export the file again",
            index, buffer->held, buffer->size, buffer->size - buffer->held);
    if (buffer->kind == GLTF_BUFFER_BIN && buffer->held - buffer->size > 3)
        sft_gltf_warn(gltf, object.start, "the BIN chunk has %z bytes more than buffer 0 says",
                      buffer->held - buffer->size);
    return SFT_OK;
}

static sft_result read_buffer(gltf_reader* reader, int32_t index, sft_json_value value)
{
    sft_gltf* gltf = reader->gltf;
    gltf->buffer_count = index + 1;
    gltf_buffer* buffer = &gltf->buffers[index];
    gltf_member m[] = {GLTF_MEMBER("uri"), GLTF_MEMBER("byteLength")};
    char label[32];
    sft_core_format(label, sizeof label, "buffer %d", index);
    sft_result result = sft_gltf_members(reader, value, label, m, SFT_COUNT_OF(m));
    if (result != SFT_OK) return result;
    buffer->value = gltf_keep_value(value);
    uint64_t length = 0;
    if (sft_json_uint64(gltf->json, m[1].value, &length) != SFT_JSON_EXACT || length > SIZE_MAX / 2)
        return sft_gltf_fail(gltf, reader->error, SFT_ERR_SYNTAX,
                             m[1].value.kind != SFT_JSON_NONE ? m[1].value.start : value.start,
                             "buffer %d must have a byteLength, a whole number; export again", index);
    buffer->size = (size_t)length;
    result = find_bytes(reader, index, m[0].value);
    return result == SFT_OK ? check_length(reader, index, value) : result;
}

sft_result sft_gltf_read_buffers(gltf_reader* reader)
{
    sft_gltf* gltf = reader->gltf;
    sft_json_value list;
    int32_t count = 0;
    sft_result result = sft_gltf_list(reader, "buffers", 16 * reader->def.max_nodes, &list, &count);
    if (result != SFT_OK) return result;
    gltf->buffers = sft_gltf_keep(gltf, sft_gltf_room(gltf->json, list, (size_t)count, sizeof "{\"byteLength\":0}" - 1),
                                  sizeof *gltf->buffers);
    if (gltf->buffers == NULL) return sft_gltf_no_memory(reader->error);
    for (sft_json_iter it = sft_json_iterate(gltf->json, list); sft_json_next(gltf->json, &it) && result == SFT_OK;)
        result = read_buffer(reader, (int32_t)it.index, it.value);
    return result;
}

// ---- images ----

static sft_result add_image(gltf_reader* reader, sft_json_value value)
{
    sft_gltf* gltf = reader->gltf;
    if (value.kind != SFT_JSON_STRING) return SFT_OK;
    uri_text uri;
    const sft_result result = open_uri(reader, value, &uri);
    if (result != SFT_OK) return result;
    char* path = NULL;
    bool fits = false;
    const bool beside = !sft_gltf_is_data_uri(uri.text, uri.length);
    if (beside) path = sft_gltf_keep(gltf, uri.length + 1, 1);
    if (path != NULL) fits = sft_gltf_resource_path(uri.text, uri.length, path) == GLTF_URI_OK;
    if (fits) gltf->images[gltf->image_count++] = path;
    close_uri(reader, &uri);
    return beside && path == NULL ? sft_gltf_no_memory(reader->error) : SFT_OK;
}

sft_result sft_gltf_read_images(gltf_reader* reader)
{
    sft_gltf* gltf = reader->gltf;
    sft_json_value list = sft_json_get(gltf->json, reader->root, "images");
    int32_t count = 0;
    if (list.kind != SFT_JSON_ARRAY) return SFT_OK;
    sft_result result = sft_gltf_list(reader, "images", 16 * reader->def.max_nodes, &list, &count);
    if (result != SFT_OK) return result;
    gltf->images = sft_gltf_keep(gltf, (size_t)count, sizeof *gltf->images);
    if (gltf->images == NULL) return sft_gltf_no_memory(reader->error);
    for (sft_json_iter it = sft_json_iterate(gltf->json, list); sft_json_next(gltf->json, &it) && result == SFT_OK;)
        result = add_image(reader, sft_json_get(gltf->json, it.value, "uri"));
    return result;
}
