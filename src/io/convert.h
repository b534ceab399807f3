// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// Between formats: what the files of the conversion share.
#ifndef SUREFOOT_IO_CONVERT_H
#define SUREFOOT_IO_CONVERT_H

#include "bvh/bvh.h"
#include "io/io.h"
#include "json/json.h"

/// What a joint was in a BVH.
typedef struct io_origin
{
    bool known; ///< false: it came from elsewhere, and the rest says nothing
    bool end_site;
    bool replaces;   ///< position channels replace OFFSET
    bool has_offset; ///< OFFSET in the BVH's own unit and axes
    sft_v3d offset;
    uint8_t channel_count;
    uint8_t channels[6];
} io_origin;

/// What a document was before it became a glTF.
typedef struct io_provenance
{
    double unit_metres; ///< 0: unknown
    int32_t up;         ///< sft_axis; -1: unknown
} io_provenance;

#define IO_MAX_WARNINGS 16

typedef struct io_notes
{
    sft_warning list[IO_MAX_WARNINGS];
    int32_t count;
    int32_t lost;
} io_notes;

void sft_io_note(io_notes* notes, const char* format, ...);

/// Names that changed on the way, for sft_io_converted.
typedef struct io_renames
{
    const sft_allocator* allocator;
    sft_json_out texts; ///< before and after in turn, each closed by a zero
    int32_t count;
} io_renames;

void sft_io_rename(io_renames* renames, const char* before, const char* after);
/// Hands the list to the new document; *converted may be null.
sft_result sft_io_finish_renames(const io_renames* renames, sft_io_document* document, sft_io_converted* converted);

/// Skeleton and clip in metres, Y up, and how they were in the file.
typedef struct io_source
{
    const sft_io_document* document;
    sft_skeleton* skeleton;
    sft_clip* clip;
    sft_space space; ///< of the file
    sft_gltf_frames frames;
    int32_t clip_index;
} io_source;

typedef struct io_conversion
{
    const sft_io_document* document;
    const sft_io_convert_def* def;
    sft_allocator allocator;
    io_source source;
    io_renames renames;
    io_notes notes;
    sft_error* error;
} io_conversion;

// ---- convert_extras.c ----

/// Of a joint's node and of the asset; whatever does not make sense is left out and noted.
sft_result sft_io_read_origin(io_conversion* c, int32_t joint, io_origin* out);
sft_result sft_io_read_provenance(io_conversion* c, io_provenance* out);
/// The frame time of a clip as its BVH wrote it, into text[BVH_FRAME_TIME_TEXT]; empty where there is none. What it
/// says fits the frames.
sft_result sft_io_read_frame_time(io_conversion* c, char* text, double* seconds);

/// JSON texts, each closed by a zero; nothing where a joint has nothing to say.
void sft_io_put_origin(sft_json_out* out, const io_origin* origin);
void sft_io_put_provenance(sft_json_out* out, const char* source, const sft_space* space);
void sft_io_put_frame_time(sft_json_out* out, const sft_bvh_contents* bvh);

// ---- convert_bvh.c, convert_gltf.c ----

sft_result sft_io_to_bvh(io_conversion* c, sft_io_document** out);
sft_result sft_io_bvh_to_gltf(io_conversion* c, sft_io_document** out);
sft_result sft_io_other_container(io_conversion* c, sft_io_document** out);
/// What a joint of a BVH document is; has_offset always.
io_origin sft_io_bvh_origin(const sft_bvh_joint* joint);

#endif
