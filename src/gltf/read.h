// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// What the files that read share: the state of one reading, and members of objects by name.
#ifndef SUREFOOT_GLTF_READ_H
#define SUREFOOT_GLTF_READ_H

#include "gltf/gltf.h"

typedef struct gltf_reader
{
    sft_gltf* gltf;
    sft_gltf_read_def def;
    sft_error* error;
    sft_json_value root;
    uint64_t resource_bytes; ///< of data URIs and files so far
    int32_t files[64];       ///< buffers that hold files, the latest ones
    uint32_t file_count;     ///< of all so far
} gltf_reader;

/// A member that the reader looks for; `value` is NONE where the object has none.
typedef struct gltf_member
{
    const char* key;
    uint32_t length;
    sft_json_value value;
} gltf_member;

#define GLTF_MEMBER(text)                                                                                              \
    {                                                                                                                  \
        text, sizeof(text) - 1,                                                                                        \
        {                                                                                                              \
            SFT_JSON_NONE, 0, 0, 0                                                                                     \
        }                                                                                                              \
    }

// ---- members (read_member.c) ----

/// Finds the members in one pass. Fails where `object` is no object (`what` names it) or has one of them twice.
sft_result sft_gltf_members(const gltf_reader* reader, sft_json_value object, const char* what, gltf_member* members,
                            size_t count);
/// The array `key` of the document's root and its length, at most `limit`; NONE where there is none.
sft_result sft_gltf_list(const gltf_reader* reader, const char* key, int32_t limit, sft_json_value* array,
                         int32_t* count);
/// How many entries of a list to make room for: all `count`, or up to the first whose text is shorter than `shortest`,
/// the shortest that has all required members. Reading fails there, and memory was not spent on millions of {}.
size_t sft_gltf_room(const sft_json* json, sft_json_value list, size_t count, size_t shortest);
/// The index below `count` by which `owner` ("skin 2") names a `what` ("node"); *out is -1 where the value is not
/// there.
sft_result sft_gltf_index(const gltf_reader* reader, sft_json_value value, const char* owner, const char* what,
                          int32_t count, int32_t* out);
/// An index of something that is not judged: -1 where it makes no sense.
int32_t sft_gltf_loose_index(const sft_json* json, sft_json_value value, int32_t count);
/// The decoded text of a string, kept with the document; null where the value is no string. Memory may fail.
sft_result sft_gltf_text(const gltf_reader* reader, sft_json_value value, const char** out);

// ---- the container (glb.c) ----

/// Is it a GLB by its first bytes?
bool sft_gltf_is_glb(const uint8_t* bytes, size_t size);
/// Finds the JSON text and the chunks.
sft_result sft_gltf_read_container(sft_gltf* gltf, sft_error* error);

// ---- URIs (uri.c) ----

typedef enum gltf_uri_fault
{
    GLTF_URI_OK = 0,
    GLTF_URI_MEMORY,
    GLTF_URI_LIMIT,
    GLTF_URI_NO_COMMA, ///< a data URI without data
    GLTF_URI_BASE64,   ///< a byte that base64 has not, or a length that it cannot have
    GLTF_URI_EMPTY,
    GLTF_URI_SCHEME, ///< http: and the like, drives
    GLTF_URI_ABSOLUTE,
    GLTF_URI_OUTSIDE, ///< ".." and what some system takes for it
    GLTF_URI_BYTES    ///< backslashes, control bytes, empty segments, no UTF-8
} gltf_uri_fault;

bool sft_gltf_is_data_uri(const char* uri, size_t length);
/// Decodes a data URI into a block of *size + 1 bytes of the allocator. *where is the byte of the fault in the URI.
gltf_uri_fault sft_gltf_decode_data_uri(const char* uri, size_t length, uint64_t max_bytes,
                                        const sft_allocator* allocator, uint8_t** bytes, size_t* size, size_t* where);
/// Decodes percent escapes, once, drops "." segments, and checks that the path stays in its folder. out has length + 1
/// bytes.
gltf_uri_fault sft_gltf_resource_path(const char* uri, size_t length, char* out);
/// What is wrong with a path and what to do, for messages.
const char* sft_gltf_uri_advice(gltf_uri_fault fault);

// ---- pieces of the document ----

sft_result sft_gltf_read_buffers(gltf_reader* reader);   // read_buffer.c
sft_result sft_gltf_read_images(gltf_reader* reader);    // read_buffer.c
sft_result sft_gltf_read_views(gltf_reader* reader);     // read_accessor.c
sft_result sft_gltf_read_accessors(gltf_reader* reader); // read_accessor.c
/// Parses one entry; on failure *out is untouched.
sft_result sft_gltf_read_view(const gltf_reader* reader, sft_json_value value, size_t index, gltf_view* out);
sft_result sft_gltf_read_accessor(const gltf_reader* reader, sft_json_value value, size_t index, gltf_accessor* out);
sft_result sft_gltf_read_nodes(gltf_reader* reader);      // read_node.c
sft_result sft_gltf_read_graph(gltf_reader* reader);      // read_graph.c: children and scenes
sft_result sft_gltf_read_skins(gltf_reader* reader);      // read_skin.c
sft_result sft_gltf_read_animations(gltf_reader* reader); // read_animation.c
/// Fills `problem` of all animations and fails where their accessors are unsound. After the joints are picked.
sft_result sft_gltf_judge_animations(gltf_reader* reader); // read_keys.c

#endif
