// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// Memory of an output, lists of parts, and their text as URIs.

#include "gltf/write.h"

struct gltf_output_block
{
    gltf_output_block* next;
    size_t size;
};

void* sft_gltf_output_keep(gltf_output* out, size_t size)
{
    if (size > SIZE_MAX / 2) return NULL;
    // The header is two words, so what follows is aligned for floats and texts, which is all that is kept here.
    gltf_output_block* block = sft_core_alloc(&out->allocator, 1, sizeof *block + size);
    if (block == NULL) return NULL;
    block->next = out->blocks;
    block->size = size;
    out->blocks = block;
    return block + 1;
}

void sft_gltf_output_destroy(sft_gltf_output* output, const sft_allocator* allocator)
{
    (void)allocator; // the output remembers its own
    if (output == NULL) return;
    gltf_output* out = (gltf_output*)(void*)output;
    const sft_allocator memory = out->allocator;
    sft_json_edit_destroy(out->edit);
    while (out->blocks != NULL)
    {
        gltf_output_block* block = out->blocks;
        out->blocks = block->next;
        sft_core_free(&memory, block, 1, sizeof *block + block->size);
    }
    sft_gltf_parts_free(&out->parts, &memory);
    sft_core_free(&memory, out->files, out->file_capacity, sizeof *out->files);
    sft_core_free(&memory, out, 1, sizeof *out);
}

bool sft_gltf_parts_add(gltf_parts* parts, const sft_allocator* allocator, const void* data, size_t size)
{
    if (size == 0) return true;
    if (parts->count == parts->capacity)
    {
        const size_t capacity = parts->capacity == 0 ? 16 : 2 * parts->capacity;
        sft_bytes* items = sft_core_grow(allocator, parts->items, parts->capacity, capacity, sizeof *items);
        if (items == NULL) return false;
        parts->items = items;
        parts->capacity = capacity;
    }
    parts->items[parts->count++] = (sft_bytes){data, size};
    parts->size += size;
    return true;
}

bool sft_gltf_parts_append(gltf_parts* parts, const sft_allocator* allocator, const gltf_parts* more)
{
    for (size_t i = 0; i < more->count; ++i)
        if (!sft_gltf_parts_add(parts, allocator, more->items[i].data, more->items[i].size)) return false;
    return true;
}

bool sft_gltf_parts_pad(gltf_parts* parts, const sft_allocator* allocator, uint32_t align, char byte)
{
    static const char zeros[8] = {0}, spaces[8] = {' ', ' ', ' ', ' ', ' ', ' ', ' ', ' '};
    const size_t over = (size_t)(parts->size % align);
    return over == 0 || sft_gltf_parts_add(parts, allocator, byte == ' ' ? spaces : zeros, align - over);
}

void sft_gltf_parts_free(gltf_parts* parts, const sft_allocator* allocator)
{
    sft_core_free(allocator, parts->items, parts->capacity, sizeof *parts->items);
    *parts = (gltf_parts){0};
}

// ---- URIs ----

sft_result sft_gltf_data_uri(const gltf_parts* parts, const sft_allocator* allocator, char** text, size_t* size)
{
    static const char head[] = "\"data:application/octet-stream;base64,";
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    if (parts->size > SIZE_MAX / 4) return SFT_ERR_LIMIT;
    const size_t length = sizeof head - 1 + ((size_t)parts->size + 2) / 3 * 4 + 1;
    char* out = sft_core_alloc(allocator, length, 1);
    if (out == NULL) return SFT_ERR_MEMORY;
    memcpy(out, head, sizeof head - 1);
    char* at = out + sizeof head - 1;
    uint32_t held = 0;
    int count = 0;
    for (size_t i = 0; i < parts->count; ++i)
    {
        const uint8_t* bytes = parts->items[i].data;
        for (size_t b = 0; b < parts->items[i].size; ++b)
        {
            held = held << 8 | bytes[b];
            if (++count < 3) continue;
            for (int shift = 18; shift >= 0; shift -= 6)
                *at++ = digits[held >> shift & 63];
            held = 0;
            count = 0;
        }
    }
    if (count > 0)
    {
        held <<= count == 1 ? 16 : 8;
        *at++ = digits[held >> 18 & 63];
        *at++ = digits[held >> 12 & 63];
        *at++ = count == 2 ? digits[held >> 6 & 63] : '=';
        *at++ = '=';
    }
    *at = '"';
    *text = out;
    *size = length;
    return SFT_OK;
}

const char* sft_gltf_path_uri(gltf_output* out, const char* path)
{
    static const char digits[] = "0123456789ABCDEF", plain[] = "-._~/!$&'()*+,;=@";
    const size_t length = strlen(path);
    char* uri = sft_gltf_output_keep(out, 3 * length + 1);
    if (uri == NULL) return NULL;
    char* at = uri;
    for (size_t i = 0; i < length; ++i)
    {
        const unsigned char c = (unsigned char)path[i];
        if ((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || strchr(plain, c) != NULL)
        {
            *at++ = (char)c;
            continue;
        }
        *at++ = '%';
        *at++ = digits[c >> 4];
        *at++ = digits[c & 15];
    }
    *at = '\0';
    return uri;
}
