// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

/// @file bvh.h
/// BVH documents: hierarchy, channels and every number, so that what was not solved goes out as it came in.
#ifndef SUREFOOT_BVH_H
#define SUREFOOT_BVH_H

#include "surefoot/clip.h"

/// A BVH document: hierarchy, channels and every number. Opaque owner; see sft_bvh_view().
typedef struct sft_bvh sft_bvh;

typedef enum sft_bvh_channel
{
    SFT_BVH_XPOSITION = 0,
    SFT_BVH_YPOSITION = 1,
    SFT_BVH_ZPOSITION = 2,
    SFT_BVH_XROTATION = 3,
    SFT_BVH_YROTATION = 4,
    SFT_BVH_ZROTATION = 5
} sft_bvh_channel;

/// What position channels mean. Exporters disagree: some replace OFFSET, some add to it.
typedef enum sft_bvh_positions
{
    SFT_BVH_POSITIONS_AUTO = 0,    ///< decided from the file, joint by joint class; see sft_bvh_contents.positions
    SFT_BVH_POSITIONS_REPLACE = 1, ///< translation = channels
    SFT_BVH_POSITIONS_ADD = 2      ///< translation = OFFSET + channels
} sft_bvh_positions;

/// One ROOT, JOINT or End Site, in file order (parents first).
typedef struct sft_bvh_joint
{
    const char* name; ///< UTF-8 as in the file; that of the parent for an End Site
    int32_t parent;   ///< -1 for a ROOT
    bool end_site;
    sft_v3d offset;        ///< file units
    int32_t channel_first; ///< column of its first channel
    int32_t channel_count;
    uint8_t channels[6];    ///< sft_bvh_channel in file order
    bool positions_replace; ///< how its position channels are read, after AUTO was decided
} sft_bvh_joint;

/// Read-only view, valid until the document is destroyed.
typedef struct sft_bvh_contents
{
    int32_t joint_count; ///< End Sites included
    const sft_bvh_joint* joints;
    int32_t channel_count;       ///< columns of a row
    int32_t frame_count;         ///< rows that were there
    double frame_time;           ///< [s]; mended where the file wrote a rate
    const char* frame_time_text; ///< as the file wrote it, where that says frame_time; else null
    const double* values;        ///< [frame * channel_count + channel], as in the file (degrees, file units)
    sft_bvh_positions positions; ///< REPLACE or ADD: what the inner joints with position channels do
    const char* positions_reason;
    int32_t warning_count;
    const sft_warning* warnings;
} sft_bvh_contents;

typedef struct sft_bvh_read_def
{
    sft_bvh_positions positions; ///< default AUTO
    size_t max_bytes;            ///< refuse larger inputs; default 4 GiB (or the address space)
    uint32_t cookie;
} sft_bvh_read_def;

SFT_API sft_bvh_read_def sft_default_bvh_read_def(void);

/// Reads a whole BVH text from memory; the bytes are not needed afterwards. Taken as they come: any channel order, 0 to
/// 6 channels a joint, several ROOTs, End Sites without OFFSET, any line ends, keywords in any case, names of any bytes
/// up to the end of the line (outer blanks and braces excepted), numbers that run together (`0.0-7.5`), a byte-order
/// mark, depth up to SFT_MAX_JOINTS. Mended, with a warning: a wrong frame count (the rows that are there count), a
/// last row that is cut (left out), rows wrapped over lines, a frame time of 5 or more (a rate, or milliseconds), a
/// closing brace too many. Refused, with line, joint and remedy: nan, infinity, decimal commas, a row in the middle
/// with too few or too many numbers (reading on would shift the rest), unknown channels, a missing brace, no motion.
/// Numbers are correctly rounded. On failure *out is untouched and *error (may be null) says where and why. def may be
/// null (defaults). Fails: SFT_ERR_ARG, SFT_ERR_DEF, SFT_ERR_SYNTAX, SFT_ERR_UNSUPPORTED, SFT_ERR_LIMIT,
/// SFT_ERR_MEMORY. Any bytes are safe. Locale does not matter. Memory: at most twice the decoded doubles besides the
/// hierarchy, whatever frame count the file claims. Deterministic; no state is shared between calls.
SFT_API sft_result sft_bvh_read(const sft_bvh_read_def* def, const void* bytes, size_t size,
                                const sft_allocator* allocator, sft_bvh** out, sft_error* error);
SFT_API void sft_bvh_destroy(sft_bvh* bvh);
SFT_API const sft_bvh_contents* sft_bvh_view(const sft_bvh* bvh);

/// Skeleton and clip in file units and axes (see sft_clip_infer_space, sft_clip_rescale). Joint indices of both equal
/// those of the document. The caller owns both.
SFT_API sft_result sft_bvh_to_clip(const sft_bvh* bvh, const sft_allocator* allocator, sft_skeleton** skeleton,
                                   sft_clip** clip);

/// Puts solved joints back: rotations of joints with `rotation_mask[joint]` and translations of joints with
/// `translation_mask[joint]` not zero (either mask may be null: none) are taken from `clip` through `space` (metres, Y
/// up; null: the clip is in file units and axes). Channels keep their order. Of the Euler angles that give a rotation
/// those nearest to the frame before, as written, are chosen; in the first frame, and where the file itself jumps by
/// more than 20 degrees, those nearest to the file's own. In gimbal lock the first angle stays. New numbers are rounded
/// to 1e-10 degree or file unit (below 2e-12 rad); a rotation, or a component of a translation, that did not change by
/// more than 1e-12 keeps its doubles, as does every joint that is not masked. Fails, document untouched: SFT_ERR_ARG;
/// SFT_ERR_RANGE (NaN, no unit quaternion); SFT_ERR_UNSUPPORTED where a masked joint lacks the channels for what it
/// should carry (error names joint, frame and remedy). The document must not be shared meanwhile.
SFT_API sft_result sft_bvh_apply(sft_bvh* bvh, const sft_clip* clip, const sft_space* space,
                                 const uint8_t* rotation_mask, const uint8_t* translation_mask, sft_error* error);

/// A document like `bvh` with other rows: frames first to last-1 (from 0).
SFT_API sft_result sft_bvh_slice(const sft_bvh* bvh, int32_t first, int32_t last, const sft_allocator* allocator,
                                 sft_bvh** out);
/// A document like `like` whose rows are those of `clip` (joint_count alike, any frame count and time; space as for
/// sft_bvh_apply). Angles follow each other; at the start and at jumps of more than 20 degrees they follow like's
/// row of that time. All numbers are rounded to 1e-10. Translations of
/// joints without position channels must stay at OFFSET within 1e-6. Fails: SFT_ERR_ARG, SFT_ERR_RANGE,
/// SFT_ERR_UNSUPPORTED (a joint lacks channels), SFT_ERR_MEMORY.
SFT_API sft_result sft_bvh_from_clip(const sft_bvh* like, const sft_clip* clip, const sft_space* space,
                                     const sft_allocator* allocator, sft_bvh** out);
/// Where a joint below another moves in `clip` and has no position channels here, the one above moves in its stead, as
/// far up as it takes: the same motion where nothing else hangs from the joints above, as it is with roots on the
/// ground. Skeleton and clip of the document's joints, in one unit and axes. True: something was moved. Pure on the
/// clip.
SFT_API bool sft_bvh_fold_travel(const sft_bvh* bvh, const sft_skeleton* skeleton, sft_clip* clip);
/// Replaces one number; for root scaling and edits that must touch nothing else. Fails: SFT_ERR_ARG, SFT_ERR_RANGE.
SFT_API sft_result sft_bvh_set_value(sft_bvh* bvh, int32_t frame, int32_t channel, double value);

/// A fresh document from a skeleton and a clip, both in file units: ROOT with six channels, other joints with three
/// rotations (Z, X, Y) or, where their translation moves, six; End Sites from flags. Bytes that cannot stand in a name
/// become '_'. BVH has no rest rotations: those are lost. Fails: SFT_ERR_ARG, SFT_ERR_RANGE, SFT_ERR_MEMORY,
/// SFT_ERR_UNSUPPORTED (joints not in depth-first order, an End Site that moves).
SFT_API sft_result sft_bvh_create(const sft_skeleton* skeleton, const sft_clip* clip, const sft_allocator* allocator,
                                  sft_bvh** out);

/// The document as text: hierarchy, names, channel order, frame time in seconds and every number read back equal, each
/// in the fewest digits that do; the frame time as the file wrote it. Line ends and indent follow the file that was
/// read; keywords are spelt the usual way. The caller releases *text of *size + 1 bytes (a zero follows) through the
/// same allocator. Fails: SFT_ERR_ARG, SFT_ERR_MEMORY.
SFT_API sft_result sft_bvh_write(const sft_bvh* bvh, const sft_allocator* allocator, char** text, size_t* size);

#endif
