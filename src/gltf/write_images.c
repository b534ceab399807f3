// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// Images in data URIs, on the way into a GLB: their bytes go into its buffer, as the standard wishes. Images in files
// stay there.

#include "gltf/read.h"
#include "gltf/write.h"

// What an image is, for the view that needs it said: as its URI says, else by its first bytes; empty where unknown.
static void find_mime(const char* uri, size_t length, const uint8_t* bytes, size_t size, char out[64])
{
    static const uint8_t png[4] = {0x89, 'P', 'N', 'G'}, jpeg[3] = {0xff, 0xd8, 0xff};
    size_t n = 0;
    for (size_t i = strlen("data:"); i < length && uri[i] != ';' && uri[i] != ',' && n < 63; ++i)
        out[n++] = uri[i];
    out[n] = '\0';
    if (strncmp(out, "image/", 6) == 0) return;
    const bool is_png = size > sizeof png && memcmp(bytes, png, sizeof png) == 0;
    const bool is_jpeg = size > sizeof jpeg && memcmp(bytes, jpeg, sizeof jpeg) == 0;
    sft_core_format(out, 64, "%s", is_png ? "image/png" : is_jpeg ? "image/jpeg" : "");
}

static sft_result edit_image(gltf_writing* w, sft_json_value image, int32_t view, const char* mime)
{
    char digits[16];
    size_t size = sft_core_format(digits, sizeof digits, "%d", (int)view);
    sft_result result = sft_json_edit_remove(w->edit, image, "uri");
    if (result == SFT_OK) result = sft_json_edit_set(w->edit, image, "bufferView", digits, size);
    if (result != SFT_OK || sft_json_get(w->gltf->json, image, "mimeType").kind == SFT_JSON_STRING) return result;
    sft_json_out text = {.allocator = &w->out->allocator};
    sft_json_out_string(&text, mime, strlen(mime));
    result = text.failed ? SFT_ERR_MEMORY : sft_json_edit_set(w->edit, image, "mimeType", text.data, text.size);
    sft_json_out_free(&text);
    return result;
}

static sft_result add_image(gltf_writing* w, sft_json_value image, const uint8_t* bytes, size_t size, const char* mime)
{
    const sft_allocator* allocator = &w->out->allocator;
    uint8_t* kept = sft_gltf_output_keep(w->out, size);
    if (kept == NULL) return SFT_ERR_MEMORY;
    memcpy(kept, bytes, size);
    if (!sft_gltf_parts_pad(&w->bin, allocator, 8, 0)) return SFT_ERR_MEMORY;
    sft_json_out_text(&w->views, "{\"buffer\":0,\"byteOffset\":");
    sft_json_out_uint64(&w->views, w->bin.size);
    sft_json_out_text(&w->views, ",\"byteLength\":");
    sft_json_out_uint64(&w->views, size);
    sft_json_out_bytes(&w->views, "}", 2);
    const int32_t view = w->gltf->view_count + w->view_count++;
    if (!sft_gltf_parts_add(&w->bin, allocator, kept, size)) return SFT_ERR_MEMORY;
    return edit_image(w, image, view, mime);
}

static sft_result take_image(gltf_writing* w, sft_json_value image)
{
    const sft_json* json = w->gltf->json;
    const sft_allocator* allocator = &w->out->allocator;
    const sft_json_value value = sft_json_get(json, image, "uri");
    char* uri = NULL;
    size_t length = 0, size = 0, where = 0;
    if (value.kind != SFT_JSON_STRING || value.end - value.start < 7) return SFT_OK;
    if (!sft_gltf_is_data_uri(sft_json_text(json, NULL) + value.start + 1, value.end - value.start - 2)) return SFT_OK;
    sft_result result = sft_json_string(json, value, allocator, &uri, &length);
    if (result != SFT_OK) return result;
    uint8_t* bytes = NULL;
    const gltf_uri_fault fault = sft_gltf_decode_data_uri(uri, length, UINT32_MAX, allocator, &bytes, &size, &where);
    char mime[64] = "";
    if (fault == GLTF_URI_MEMORY) result = SFT_ERR_MEMORY;
    if (fault == GLTF_URI_OK) find_mime(uri, length, bytes, size, mime);
    // What cannot be decoded or named stays as it came.
    if (mime[0] != '\0' && size > 0) result = add_image(w, image, bytes, size, mime);
    if (fault == GLTF_URI_OK) sft_core_free(allocator, bytes, size + 1, 1);
    sft_core_free(allocator, uri, length + 1, 1);
    return result;
}

sft_result sft_gltf_write_images(gltf_writing* w)
{
    const sft_json* json = w->gltf->json;
    const sft_json_value images = sft_json_get(json, sft_json_root(json), "images");
    for (sft_json_iter it = sft_json_iterate(json, images); sft_json_next(json, &it);)
    {
        const sft_result result = it.value.kind == SFT_JSON_OBJECT ? take_image(w, it.value) : SFT_OK;
        if (result != SFT_OK) return result;
    }
    return SFT_OK;
}
