// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// Writing a document: what the files of the writer share.
#ifndef SUREFOOT_GLTF_WRITE_H
#define SUREFOOT_GLTF_WRITE_H

#include "gltf/gltf.h"

/// Stretches of memory to be written one after the other.
typedef struct gltf_parts
{
    sft_bytes* items;
    size_t count, capacity;
    uint64_t size; ///< sum
} gltf_parts;

typedef struct gltf_output_block gltf_output_block;

/// What sft_gltf_write hands out, and what it needs to stay alive.
typedef struct gltf_output
{
    sft_gltf_output view;
    sft_allocator allocator;
    sft_gltf_file* files;
    size_t file_count, file_capacity;
    gltf_parts parts; ///< of all files
    sft_json_edit* edit;
    gltf_output_block* blocks;
} gltf_output;

/// Where the data of a buffer stands in the file to come.
typedef struct gltf_place
{
    int32_t buffer; ///< its index there
    uint64_t base;  ///< what is added to byte offsets into it
} gltf_place;

typedef struct gltf_writing
{
    const sft_gltf* gltf;
    const sft_gltf_write_def* def;
    gltf_output* out;
    sft_json_edit* edit; ///< null: nothing of the JSON changes
    gltf_parts data;     ///< new keys, tight
    int32_t accessors;   ///< of the file so far
    gltf_parts bin;      ///< content of the first buffer of a GLB, or of one that needs a place; padding not included
    bool bin_used;       ///< there is such a buffer
    sft_json_out views;  ///< texts of new bufferViews, each closed by a zero
    int32_t view_count;
    const char* bin_path; ///< .gltf: the file `bin` goes to; null: none
    const char* bin_uri;
} gltf_writing;

// ---- memory (write_parts.c) ----

/// Zeroed memory that lives as long as the output; null when memory is short.
void* sft_gltf_output_keep(gltf_output* out, size_t size);
/// Empty parts are left out.
bool sft_gltf_parts_add(gltf_parts* parts, const sft_allocator* allocator, const void* data, size_t size);
bool sft_gltf_parts_append(gltf_parts* parts, const sft_allocator* allocator, const gltf_parts* more);
/// `byte` up to the next multiple of `align` (at most 8).
bool sft_gltf_parts_pad(gltf_parts* parts, const sft_allocator* allocator, uint32_t align, char byte);
void sft_gltf_parts_free(gltf_parts* parts, const sft_allocator* allocator);
/// "data:application/octet-stream;base64,..." of all parts, as a JSON string with its quotes.
sft_result sft_gltf_data_uri(const gltf_parts* parts, const sft_allocator* allocator, char** text, size_t* size);
/// The path as a relative URI reference, as a C string; null when memory is short.
const char* sft_gltf_path_uri(gltf_output* out, const char* path);

// ---- new keys into JSON (write_keys.c) ----

/// Edits animations and nodes that changed; collects their data, for the first of the new bufferViews, and adds
/// accessors.
sft_result sft_gltf_write_changes(gltf_writing* w);
/// Elements (texts, each closed by a zero) appended to the array `key` of the root, which is made where there is none.
sft_result sft_gltf_append_to(gltf_writing* w, const char* key, const sft_json_out* elements, int32_t count);

// ---- buffers (write_buffers.c) ----

/// Decides where buffers go in the container asked for, and edits `buffers` and `bufferViews`.
sft_result sft_gltf_write_buffers(gltf_writing* w);
/// Takes images in data URIs into `bin` (write_images.c).
sft_result sft_gltf_write_images(gltf_writing* w);

#endif
