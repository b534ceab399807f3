// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// Collects edits, and joins what they leave of the original with what they put in its place.

#include "json/json_edit_internal.h"

/// The layout marks fates of members with the numbers above.
#define MAX_OPS (UINT32_MAX - 2)

bool sft_json_reserve(const sft_allocator* allocator, void** block, size_t count, size_t* capacity, size_t size)
{
    if (count < *capacity) return true;
    const size_t more = *capacity < 16 ? 32 : *capacity * 2;
    void* grown = sft_core_grow(allocator, *block, *capacity, more, size);
    if (grown == NULL) return false;
    *block = grown;
    *capacity = more;
    return true;
}

sft_result sft_json_edit_create(const sft_json* json, const sft_allocator* allocator, sft_json_edit** out)
{
    if (json == NULL || out == NULL) return SFT_ERR_ARG;
    const sft_allocator a = sft_core_allocator(allocator);
    sft_json_edit* edit = sft_core_alloc(&a, 1, sizeof *edit);
    if (edit == NULL) return SFT_ERR_MEMORY;
    *edit = (sft_json_edit){.allocator = a, .json = json};
    edit->texts.allocator = &edit->allocator;
    edit->laid.allocator = &edit->allocator;
    *out = edit;
    return SFT_OK;
}

static void forget_layout(sft_json_edit* edit)
{
    const sft_allocator* a = &edit->allocator;
    sft_json_out_free(&edit->laid);
    sft_core_free(a, edit->splices, edit->splice_capacity, sizeof *edit->splices);
    sft_core_free(a, edit->pieces, edit->piece_capacity, sizeof *edit->pieces);
    edit->splices = NULL;
    edit->pieces = NULL;
    edit->splice_count = edit->splice_capacity = edit->piece_count = edit->piece_capacity = 0;
    edit->laid_out = false;
}

void sft_json_edit_destroy(sft_json_edit* edit)
{
    if (edit == NULL) return;
    const sft_allocator a = edit->allocator;
    forget_layout(edit);
    sft_json_out_free(&edit->texts);
    sft_core_free(&a, edit->ops, edit->op_capacity, sizeof *edit->ops);
    sft_core_free(&a, edit, 1, sizeof *edit);
}

// ---- collecting ----

static sft_json_part keep_text(sft_json_edit* edit, const char* text, size_t size)
{
    const sft_json_part part = {edit->texts.size, size};
    sft_json_out_bytes(&edit->texts, text, size);
    return part;
}

// Takes the edit as a whole or not at all.
static sft_result add_op(sft_json_edit* edit, sft_json_op op, const char* key, const char* text, size_t size)
{
    const size_t before = edit->texts.size;
    forget_layout(edit);
    void* block = edit->ops;
    const bool room = edit->op_count < MAX_OPS &&
                      sft_json_reserve(&edit->allocator, &block, edit->op_count, &edit->op_capacity, sizeof op);
    edit->ops = block;
    if (!room) return SFT_ERR_MEMORY;
    if (key != NULL)
    {
        op.key = keep_text(edit, key, strlen(key) + 1);
        --op.key.size;
    }
    op.text = keep_text(edit, text, size);
    if (edit->texts.failed)
    {
        edit->texts.size = before;
        edit->texts.failed = false;
        return SFT_ERR_MEMORY;
    }
    edit->ops[edit->op_count++] = op;
    return SFT_OK;
}

static bool is_container(const sft_json_edit* edit, sft_json_value v, sft_json_kind kind)
{
    return v.kind == kind && v.entry < edit->json->count && edit->json->tape[v.entry].start == v.start;
}

static bool is_utf8(const char* text)
{
    const unsigned char* p = (const unsigned char*)text;
    const unsigned char* end = p + strlen(text);
    for (size_t bytes; p < end; p += bytes)
        if ((bytes = sft_json_utf8_length(p, end)) == 0) return false;
    return true;
}

static bool is_key(const char* key)
{
    return key != NULL && is_utf8(key);
}

static sft_result check_value(const sft_json_edit* edit, const char* text, size_t size)
{
    if (text == NULL) return SFT_ERR_ARG;
    sft_json* json;
    const sft_result result = sft_json_parse(&edit->allocator, text, size, NULL, &json, NULL);
    if (result == SFT_OK) sft_json_destroy(json);
    return result;
}

sft_result sft_json_edit_splice(sft_json_edit* edit, size_t start, size_t end, const char* text, size_t size)
{
    if (edit == NULL || (text == NULL && size != 0) || start > end || end > edit->json->size) return SFT_ERR_ARG;
    const sft_json_op op = {.kind = SFT_JSON_OP_SPLICE, .start = start, .end = end};
    return add_op(edit, op, NULL, text, size);
}

sft_result sft_json_edit_replace(sft_json_edit* edit, sft_json_value value, const char* text, size_t size)
{
    if (edit == NULL || value.kind == SFT_JSON_NONE || value.start >= value.end || value.end > edit->json->size)
        return SFT_ERR_ARG;
    const sft_result result = check_value(edit, text, size);
    if (result != SFT_OK) return result;
    const sft_json_op op = {.kind = SFT_JSON_OP_REPLACE, .start = value.start, .end = value.end};
    return add_op(edit, op, NULL, text, size);
}

sft_result sft_json_edit_set(sft_json_edit* edit, sft_json_value object, const char* key, const char* text, size_t size)
{
    if (edit == NULL || !is_key(key) || !is_container(edit, object, SFT_JSON_OBJECT)) return SFT_ERR_ARG;
    const sft_result result = check_value(edit, text, size);
    if (result != SFT_OK) return result;
    const sft_json_op op = {.kind = SFT_JSON_OP_SET, .entry = object.entry};
    return add_op(edit, op, key, text, size);
}

sft_result sft_json_edit_remove(sft_json_edit* edit, sft_json_value object, const char* key)
{
    if (edit == NULL || !is_key(key) || !is_container(edit, object, SFT_JSON_OBJECT)) return SFT_ERR_ARG;
    const sft_json_op op = {.kind = SFT_JSON_OP_REMOVE, .entry = object.entry};
    return add_op(edit, op, key, NULL, 0);
}

sft_result sft_json_edit_append(sft_json_edit* edit, sft_json_value array, const char* text, size_t size)
{
    if (edit == NULL || !is_container(edit, array, SFT_JSON_ARRAY)) return SFT_ERR_ARG;
    const sft_result result = check_value(edit, text, size);
    if (result != SFT_OK) return result;
    const sft_json_op op = {.kind = SFT_JSON_OP_APPEND, .entry = array.entry};
    return add_op(edit, op, NULL, text, size);
}

// ---- joining ----

// Insertions at a byte come before what replaces from that byte on.
static bool comes_before(const sft_json_splice* a, const sft_json_splice* b)
{
    if (a->start != b->start) return a->start < b->start;
    if (a->end != b->end) return a->end < b->end;
    return a->order < b->order;
}

static void sift(sft_json_splice* heap, size_t root, size_t count)
{
    const sft_json_splice moved = heap[root];
    for (size_t child; (child = 2 * root + 1) < count; root = child)
    {
        if (child + 1 < count && comes_before(&heap[child], &heap[child + 1])) ++child;
        if (!comes_before(&moved, &heap[child])) break;
        heap[root] = heap[child];
    }
    heap[root] = moved;
}

static void sort_splices(sft_json_splice* splices, size_t count)
{
    for (size_t i = count / 2; i-- > 0;)
        sift(splices, i, count);
    for (size_t i = count; i-- > 1;)
    {
        const sft_json_splice last = splices[i];
        splices[i] = splices[0];
        splices[0] = last;
        sift(splices, 0, i);
    }
}

static bool add_piece(sft_json_edit* edit, const char* data, size_t size)
{
    if (size == 0) return true;
    void* block = edit->pieces;
    const bool room =
        sft_json_reserve(&edit->allocator, &block, edit->piece_count, &edit->piece_capacity, sizeof *edit->pieces);
    edit->pieces = block;
    if (!room) return false;
    edit->pieces[edit->piece_count++] = (sft_json_piece){data, size};
    edit->total += size;
    return true;
}

static sft_result join(sft_json_edit* edit, sft_error* error)
{
    const sft_json* json = edit->json;
    size_t at = 0;
    bool room = true;
    edit->total = 0;
    for (size_t i = 0; i < edit->splice_count; ++i)
    {
        const sft_json_splice* s = &edit->splices[i];
        const bool outdone =
            s->value && i + 1 < edit->splice_count && s[1].value && s[1].start == s->start && s[1].end == s->end;
        if (outdone) continue;
        if (s->start < at)
            return sft_json_fail(json, s->start, SFT_ERR_ARG,
                                 "two edits overlap here; change a value or what is inside it, not both", error);
        room = room && add_piece(edit, json->text + at, s->start - at) &&
               add_piece(edit, sft_json_part_bytes(&edit->laid, s->text), s->text.size);
        at = s->end;
    }
    room = room && add_piece(edit, json->text + at, json->size - at);
    return room ? SFT_OK
                : sft_core_fail(error, SFT_ERR_MEMORY, 0, 0, NULL, "no memory to put the edited JSON together");
}

sft_result sft_json_edit_pieces(sft_json_edit* edit, const sft_json_piece** pieces, size_t* count, size_t* total,
                                sft_error* error)
{
    if (edit == NULL || pieces == NULL || count == NULL) return SFT_ERR_ARG;
    if (!edit->laid_out)
    {
        sft_result result = sft_json_lay_out(edit);
        if (result != SFT_OK)
            sft_core_fail(error, result, 0, 0, NULL, "no memory to put the edited JSON together");
        else
        {
            sort_splices(edit->splices, edit->splice_count);
            result = join(edit, error);
        }
        if (result != SFT_OK)
        {
            forget_layout(edit);
            return result;
        }
        edit->laid_out = true;
    }
    *pieces = edit->pieces;
    *count = edit->piece_count;
    if (total != NULL) *total = edit->total;
    return SFT_OK;
}

sft_result sft_json_edit_text(sft_json_edit* edit, char** text, size_t* size, sft_error* error)
{
    if (edit == NULL || text == NULL || size == NULL) return SFT_ERR_ARG;
    const sft_json_piece* pieces;
    size_t count, total;
    const sft_result result = sft_json_edit_pieces(edit, &pieces, &count, &total, error);
    if (result != SFT_OK) return result;
    char* block = sft_core_alloc(&edit->allocator, total + 1, 1);
    if (block == NULL)
        return sft_core_fail(error, SFT_ERR_MEMORY, 0, 0, NULL, "no memory for an edited JSON text of %z bytes", total);
    size_t at = 0;
    for (size_t i = 0; i < count; at += pieces[i].size, ++i)
        memcpy(block + at, pieces[i].data, pieces[i].size);
    *text = block;
    *size = total;
    return SFT_OK;
}
