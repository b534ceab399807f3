// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// What the two halves of the editor share: json_edit.c collects what is asked for, json_layout.c decides which bytes
// that changes.
#ifndef SUREFOOT_JSON_EDIT_INTERNAL_H
#define SUREFOOT_JSON_EDIT_INTERNAL_H

#include "json/json_internal.h"

typedef enum sft_json_op_kind
{
    SFT_JSON_OP_SPLICE = 0,  ///< bytes [start, end)
    SFT_JSON_OP_REPLACE = 1, ///< the value [start, end); a later one of the same value holds
    SFT_JSON_OP_SET = 2,     ///< what follows concerns the container `entry`
    SFT_JSON_OP_REMOVE = 3,
    SFT_JSON_OP_APPEND = 4
} sft_json_op_kind;

/// A stretch of sft_json_edit.texts.
typedef struct sft_json_part
{
    size_t at, size;
} sft_json_part;

/// Its bytes; a text that nothing was put in yet has no data at all.
static inline const char* sft_json_part_bytes(const sft_json_out* out, sft_json_part part)
{
    return part.size > 0 ? out->data + part.at : "";
}

typedef struct sft_json_op
{
    sft_json_op_kind kind;
    uint32_t entry;
    size_t start, end;
    sft_json_part key, text; ///< key: plain text, closed by a zero that size does not count
} sft_json_op;

/// Bytes [start, end) of the original become sft_json_edit.laid[text]. `order`: the call it comes from.
typedef struct sft_json_splice
{
    size_t start, end;
    sft_json_part text;
    uint32_t order;
    bool value; ///< of splices over the same bytes, only the last counts
} sft_json_splice;

struct sft_json_edit
{
    sft_allocator allocator;
    const sft_json* json;
    sft_json_out texts; ///< keys and texts as they were handed in
    sft_json_op* ops;
    size_t op_count, op_capacity;
    // What the last layout made; empty where an edit came after it.
    bool laid_out;
    sft_json_out laid;
    sft_json_splice* splices;
    size_t splice_count, splice_capacity;
    sft_json_piece* pieces;
    size_t piece_count, piece_capacity;
    size_t total;
};

/// Ops to splices (in no order) and their texts.
sft_result sft_json_lay_out(sft_json_edit* edit);

/// Room for one more element of `size` bytes behind `count`; false where memory is out.
bool sft_json_reserve(const sft_allocator* allocator, void** block, size_t count, size_t* capacity, size_t size);

#endif
