// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// The document itself: its memory, what it says of itself, warnings and errors that name a place in the JSON.

#include "gltf/gltf.h"

#include <stdalign.h>

// Small requests share blocks that grow with the document, so that a short file costs little and a long one few calls.
#define BLOCK_FIRST ((size_t)1 << 10)
#define BLOCK_LAST ((size_t)1 << 18)

typedef struct gltf_block
{
    struct gltf_block* next;
    size_t capacity, used;
} gltf_block;

#define BLOCK_HEAD ((sizeof(gltf_block) + alignof(max_align_t) - 1) / alignof(max_align_t) * alignof(max_align_t))

static gltf_block* new_block(sft_gltf* gltf, size_t capacity)
{
    gltf_block* block = sft_core_alloc(&gltf->allocator, 1, BLOCK_HEAD + capacity);
    if (block != NULL) block->capacity = capacity;
    return block;
}

void* sft_gltf_keep(sft_gltf* gltf, size_t count, size_t size)
{
    if (size != 0 && count > SIZE_MAX / 4 / size) return NULL;
    const size_t step = alignof(max_align_t);
    const size_t total = (count * size + step) / step * step;
    gltf_block* first = gltf->blocks;
    if (first == NULL || first->capacity - first->used < total)
    {
        const size_t before = first != NULL ? first->capacity : 0;
        size_t capacity = before < BLOCK_FIRST / 2 ? BLOCK_FIRST : before < BLOCK_LAST / 2 ? 2 * before : BLOCK_LAST;
        const bool alone = total > capacity / 4;
        if (alone) capacity = total;
        gltf_block* block = new_block(gltf, capacity);
        if (block == NULL) return NULL;
        // A block of its own goes behind the one that still has room.
        if (alone && first != NULL)
        {
            block->next = first->next;
            first->next = block;
        }
        else
        {
            block->next = first;
            gltf->blocks = block;
        }
        first = block;
    }
    void* out = (char*)first + BLOCK_HEAD + first->used;
    first->used += total;
    return out;
}

static void free_blocks(sft_gltf* gltf)
{
    gltf_block* block = gltf->blocks;
    while (block != NULL)
    {
        gltf_block* next = block->next;
        sft_core_free(&gltf->allocator, block, 1, BLOCK_HEAD + block->capacity);
        block = next;
    }
}

void sft_gltf_destroy(sft_gltf* gltf)
{
    if (gltf == NULL) return;
    for (int32_t i = 0; i < gltf->buffer_count; ++i)
    {
        gltf_buffer* buffer = &gltf->buffers[i];
        // The loader's block: released as it came, without a reader of `const` in between.
        if (buffer->owned) sft_core_free(&gltf->allocator, (void*)(uintptr_t)buffer->bytes, buffer->held + 1, 1);
    }
    sft_json_destroy(gltf->json);
    if (gltf->owns_bytes) sft_core_free(&gltf->allocator, (void*)(uintptr_t)gltf->bytes, gltf->size, 1);
    free_blocks(gltf);
    const sft_allocator allocator = gltf->allocator;
    sft_core_free(&allocator, gltf, 1, sizeof *gltf);
}

const sft_gltf_contents* sft_gltf_view(const sft_gltf* gltf)
{
    return gltf != NULL ? &gltf->view : NULL;
}

// ---- what it says beside joints and keys ----

static const char* extras_text(const sft_gltf* gltf, sft_json_value object, size_t* size)
{
    const sft_json_value extras = sft_json_get(gltf->json, object, "extras");
    if (extras.kind == SFT_JSON_NONE) return NULL;
    *size = extras.end - extras.start;
    return sft_json_text(gltf->json, NULL) + extras.start;
}

const char* sft_gltf_extras(const sft_gltf* gltf, sft_gltf_kind kind, int32_t index, size_t* size)
{
    size_t ignored = 0;
    if (size == NULL) size = &ignored;
    *size = 0;
    if (gltf == NULL || index < 0) return NULL;
    switch (kind)
    {
    case SFT_GLTF_ASSET:
        return index > 0 ? NULL : extras_text(gltf, sft_json_get(gltf->json, sft_json_root(gltf->json), "asset"), size);
    case SFT_GLTF_NODE:
        return index >= gltf->node_count ? NULL : extras_text(gltf, gltf_json_value(gltf->nodes[index].value), size);
    case SFT_GLTF_ANIMATION:
        if (index >= gltf->animation_count) return NULL;
        if (!gltf->animations[index].added)
            return extras_text(gltf, gltf_json_value(gltf->animations[index].value), size);
        if (gltf->animations[index].extras != NULL) *size = strlen(gltf->animations[index].extras);
        return gltf->animations[index].extras;
    }
    return NULL;
}

const char* sft_gltf_image_path(const sft_gltf* gltf, int32_t index)
{
    return gltf != NULL && index >= 0 && index < gltf->image_count ? gltf->images[index] : NULL;
}

// ---- messages ----

// Control characters of ASCII and those of ISO 6429 beyond it, which terminals obey too.
static void mask_control(char* text)
{
    for (; *text != '\0'; ++text)
    {
        const unsigned char c = (unsigned char)*text, next = (unsigned char)text[1];
        if (c < 32 || c == 127) *text = '?';
        if (c == 0xc2 && next >= 0x80 && next < 0xa0) text[0] = text[1] = '?';
    }
}

// Takes an unfinished UTF-8 sequence off the end of a text that was cut.
static void trim_utf8(char* text)
{
    const size_t length = strlen(text);
    size_t at = length;
    while (at > 0 && ((unsigned char)text[at - 1] & 0xc0u) == 0x80u)
        --at;
    if (at == 0) return;
    const unsigned char lead = (unsigned char)text[at - 1];
    const size_t need = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : lead >= 0xc0 ? 2 : 1;
    if (length - (at - 1) < need) text[at - 1] = '\0';
}

void sft_gltf_tidy(char* text)
{
    trim_utf8(text);
    mask_control(text);
}

void sft_gltf_name_joint(const sft_gltf* gltf, sft_error* error, int32_t node)
{
    if (error == NULL || node < 0 || node >= gltf->node_count || gltf->nodes[node].name == NULL) return;
    sft_core_format(error->joint, sizeof error->joint, "%s", gltf->nodes[node].name);
    sft_gltf_tidy(error->joint);
}

gltf_label sft_gltf_label(const sft_gltf* gltf, int32_t node)
{
    gltf_label label;
    size_t length = sft_core_format(label.text, sizeof label.text, "node %d", node);
    if (node < 0 || node >= gltf->node_count || gltf->nodes[node].name == NULL) return label;
    sft_core_format(label.text + length, sizeof label.text - length - 1, " '%s", gltf->nodes[node].name);
    sft_gltf_tidy(label.text);
    length = strlen(label.text);
    label.text[length] = '\'';
    label.text[length + 1] = '\0';
    return label;
}

void sft_gltf_warn(sft_gltf* gltf, size_t json_byte, const char* format, ...)
{
    gltf->view.warnings = gltf->warnings;
    if (gltf->warning_count == GLTF_MAX_WARNINGS)
    {
        // The last one makes room for the number of those that found none.
        gltf->warnings_lost += gltf->warnings_lost == 0 ? 2 : 1;
        sft_warning* last = &gltf->warnings[GLTF_MAX_WARNINGS - 1];
        last->line = 0;
        sft_core_format(last->message, sizeof last->message, "and %z more warnings", gltf->warnings_lost);
        return;
    }
    sft_warning* warning = &gltf->warnings[gltf->warning_count++];
    gltf->view.warning_count = gltf->warning_count;
    warning->line = json_byte == SIZE_MAX || gltf->json == NULL ? 0 : sft_json_line(gltf->json, json_byte);
    va_list args;
    va_start(args, format);
    sft_core_vformat(warning->message, sizeof warning->message, format, args);
    va_end(args);
    sft_gltf_tidy(warning->message);
}

// A path as RFC 6901 has it, to what stands at a byte: keys and indices of everything around it. Cut with "..." where
// it gets too long to be of use.
static void path_of(const sft_json* json, size_t byte, char* out, size_t capacity)
{
    size_t length = 0;
    out[0] = '\0';
    sft_json_value value = sft_json_root(json);
    while (value.start != byte && (value.kind == SFT_JSON_OBJECT || value.kind == SFT_JSON_ARRAY))
    {
        sft_json_iter it = sft_json_iterate(json, value);
        bool inside = false;
        while (!inside && sft_json_next(json, &it))
            inside = byte >= it.value.start && byte < it.value.end;
        if (!inside) return;
        char key[40];
        if (it.object)
            sft_json_decode(json, it.key, key, sizeof key);
        else
            sft_core_format(key, sizeof key, "%z", it.index);
        if (length + strlen(key) + 5 > capacity)
        {
            sft_core_format(out + length, capacity - length, "...");
            return;
        }
        length += sft_core_format(out + length, capacity - length, "/%s", key);
        value = it.value;
    }
}

static void fail_at(const sft_gltf* gltf, sft_error* error, sft_result code, size_t json_byte, const char* format,
                    va_list args)
{
    if (error == NULL) return;
    char path[120], message[sizeof error->message];
    path_of(gltf->json, json_byte, path, sizeof path);
    size_t length = 0;
    if (path[0] != '\0') length = sft_core_format(message, sizeof message, "%s: ", path);
    sft_core_vformat(message + length, sizeof message - length, format, args);
    sft_gltf_tidy(message);
    sft_core_fail(error, code, gltf->json_start + json_byte, sft_json_line(gltf->json, json_byte), NULL, "%s", message);
}

sft_result sft_gltf_fail(const sft_gltf* gltf, sft_error* error, sft_result code, size_t json_byte, const char* format,
                         ...)
{
    va_list args;
    va_start(args, format);
    fail_at(gltf, error, code, json_byte, format, args);
    va_end(args);
    return code;
}

sft_result sft_gltf_fail_node(const sft_gltf* gltf, sft_error* error, sft_result code, size_t json_byte, int32_t node,
                              const char* format, ...)
{
    va_list args;
    va_start(args, format);
    fail_at(gltf, error, code, json_byte, format, args);
    va_end(args);
    sft_gltf_name_joint(gltf, error, node);
    return code;
}

sft_result sft_gltf_no_memory(sft_error* error)
{
    return sft_core_fail(error, SFT_ERR_MEMORY, 0, 0, NULL, "out of memory");
}
