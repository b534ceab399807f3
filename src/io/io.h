// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// The document behind the face, as the files of this module see it.
#ifndef SUREFOOT_IO_IO_H
#define SUREFOOT_IO_IO_H

#include <stdio.h>

#include "core/core.h"
#include "surefoot/io.h"

#define IO_COOKIE 0x696f3031u

typedef struct io_block
{
    struct io_block* next;
    size_t size; ///< of all
} io_block;

struct sft_io_document
{
    sft_allocator allocator;
    sft_io_contents view;
    sft_bvh* bvh; ///< one of the two
    sft_gltf* gltf;
    sft_io_format asked; ///< GLTF or GLB: what the document is written as; AUTO: as its bytes are
    void* bytes;         ///< of the file, where a glTF document lies in them; size + 1 bytes
    size_t size;
    char* folder; ///< where resources lie, "" for the working one; null: none, read from memory
    sft_io_clip* clips;
    size_t clip_count; ///< of the array
    sft_warning* warnings;
    size_t warning_count; ///< of the array
    const char** resources;
    size_t resource_count; ///< of the array and in it
    io_block* blocks;      ///< chain of sft_io_keep
};

/// A new document over one of `bvh` and `gltf`, which are its own from then on; on failure they stay the caller's.
sft_result sft_io_wrap(sft_bvh* bvh, sft_gltf* gltf, const sft_allocator* allocator, sft_io_document** out);
/// Fills the view anew after a change.
sft_result sft_io_describe(sft_io_document* document);
/// Zeroed memory that lives as long as the document; null when memory is short.
void* sft_io_keep(sft_io_document* document, size_t count, size_t size);
char* sft_io_keep_text(sft_io_document* document, const char* text, size_t size);

/// Rest of an open file into memory; as sft_file_read. Does not close it.
sft_result sft_io_read_stream(FILE* file, const char* path, size_t max_bytes, const sft_allocator* allocator,
                              void** bytes, size_t* size, sft_error* error);
/// SFT_ERR_UNSUPPORTED: the document is of another format.
sft_result sft_io_fail_format(const sft_io_document* document, sft_io_format format, sft_error* error);
/// SFT_ERR_IO for a code of errno: "PATH: WHAT: why".
sft_result sft_io_fail(sft_error* error, const char* path, const char* what, int code);

#if defined(_WIN32)
/// UTF-8 to what the system's calls take; false where it does not fit or is no UTF-8.
bool sft_io_widen(const char* path, wchar_t* out, int capacity);
#endif

// ---- places in the file system (place.c) ----

/// A file at `relative` ('/' between, no "..") below `folder` ("" is the working one) whose real place, symbolic links
/// followed, is inside that folder. Pipes, devices and folders are refused. As sft_file_read.
sft_result sft_place_read_inside(const char* folder, const char* relative, size_t max_bytes,
                                 const sft_allocator* allocator, void** bytes, size_t* size, sft_error* error);
/// What stands before the file's name, the last slash included, into out; false where it does not fit.
bool sft_place_folder(const char* path, char* out, size_t capacity);
/// Whether something is there, of whatever kind.
bool sft_place_exists(const char* path);
/// Whether a file holds exactly these pieces, one after the other.
bool sft_place_holds(const char* path, const sft_bytes* parts, int32_t part_count);
/// Makes the folders that `path` names before its last '/', from byte `from` on, as far as they are missing.
sft_result sft_place_make_folders(const char* path, size_t from, sft_error* error);

#endif
