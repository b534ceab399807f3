// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

/// @file take.h
/// A take: one clip of a motion file made ready for work, in metres and Y up with its legs found, and the way back, so
/// that what a solver changed goes into the file and all else in it stays as it came in. What the command does between
/// reading a file and writing it.
#ifndef SUREFOOT_TAKE_H
#define SUREFOOT_TAKE_H

#include "surefoot/io.h"
#include "surefoot/tracks.h"

typedef struct sft_take_def
{
    const sft_space* space; ///< unit and axes, as another take of the same document found them; null (default): found
    double unit_metres;     ///< metres a file unit, 1e-6 to 1e6; 0 (default): found. Not with `space`
    int32_t up;             ///< sft_axis that points up in the file; -1 (default): found. Not with `space`
    double fps;             ///< frames a second where keys are not evenly spaced; 0 (default): the document's
    uint32_t cookie;
} sft_take_def;

SFT_API sft_take_def sft_default_take_def(void);

/// Everything in it belongs to it. `clip` may be changed in place, or be taken away (set null); the rest is read-only
/// and may be shared by threads.
typedef struct sft_take
{
    int32_t clip_index; ///< of the document; -1: one frame of the rest pose
    sft_space space;    ///< of the file
    char doubt[200];    ///< a sentence without its full stop where the unit that the format prescribes is not believed;
                        ///< else empty
    sft_gltf_frames frames; ///< as sft_io_apply wants them
    double fps;             ///< at which clips without even keys are sampled
    int32_t joint_count;
    int32_t frame_count;    ///< of the clip as it was taken
    uint8_t* solved;        ///< joint_count bytes: joints whose keys say what a frame is; null: all
    sft_skeleton* skeleton; ///< metres, Y up
    sft_clip* clip;         ///< metres, Y up
    int32_t first_frame;    ///< sft_clip_first_frame
    char first_reason[128]; ///< of the same
    int32_t travel;         ///< sft_clip_travel_joint
    int32_t leg_count;      ///< 0 until sft_take_find_legs or sft_take_set_legs
    sft_leg legs[SFT_MAX_LEGS];
} sft_take;

/// Takes a clip out of a document and brings it to metres, Y up. The unit of a format that prescribes one is believed
/// unless the figure is then no figure (0.1 to 20 m); BVH is inferred. Fails, *out untouched, *error (may be null) as
/// sft_io_to_clip fills it: SFT_ERR_ARG, SFT_ERR_DEF, and as sft_io_to_clip and sft_clip_rescale. def may be null. The
/// caller owns the take; the document is not referred to afterwards. Deterministic.
SFT_API sft_result sft_take_create(const sft_take_def* def, const sft_io_document* document, int32_t clip_index,
                                   const sft_allocator* allocator, sft_take** out, sft_error* error);
/// Null is fine.
SFT_API void sft_take_destroy(sft_take* take, const sft_allocator* allocator);

/// Space of a skeleton and clip still in file units and axes, as sft_take_create finds it. `contents` is the view of
/// the document they came from; def->space must be null. doubt (may be null) takes 200 bytes, see sft_take. Working
/// memory comes from malloc. Fails: SFT_ERR_ARG, SFT_ERR_DEF, SFT_ERR_MEMORY.
SFT_API sft_result sft_take_find_space(const sft_take_def* def, const sft_io_contents* contents,
                                       const sft_skeleton* skeleton, const sft_clip* clip, sft_space* space,
                                       char* doubt);

/// Finds the legs (sft_leg_find; none is a valid answer). Fingers may have denser keys than legs, so a glTF clip with
/// legs is then taken anew at the keys of legs, pelvis and travel: those say what a frame is. Fails: as
/// sft_take_create; the take is then fit for sft_take_destroy alone.
SFT_API sft_result sft_take_find_legs(sft_take* take, const sft_io_document* document, const sft_allocator* allocator,
                                      sft_error* error);
/// The same with given legs, complete as sft_leg_complete leaves them; `legs` may be the take's own.
SFT_API sft_result sft_take_set_legs(sft_take* take, const sft_io_document* document, const sft_leg* legs,
                                     int32_t leg_count, const sft_allocator* allocator, sft_error* error);

/// Tracks of a clip of the take's joints: its own, or a solved one. Fails as sft_tracks_create.
SFT_API sft_result sft_take_tracks(const sft_take* take, const sft_clip* clip, const sft_allocator* allocator,
                                   sft_tracks** out);

/// Height [m] of the floor that the clip was made on, and why, for people: where planted feet are lowest; 0 where none
/// is planted, or where the file has a mesh, whose soles lie below the joints, and they are close above 0. `labels` of
/// `tracks`; above `threshold` they count. Fails: SFT_ERR_ARG, SFT_ERR_MEMORY. Deterministic.
typedef struct sft_take_floor
{
    double height;
    const char* reason; ///< never null, lives as long as the program
} sft_take_floor;
SFT_API sft_result sft_take_find_floor(sft_io_document* document, const sft_tracks* tracks,
                                       const sft_contact_labels* labels, double threshold,
                                       const sft_allocator* allocator, sft_take_floor* out);

/// Puts a solved clip of the take's joints and frames back: `changed`, joint_count bytes as solvers fill them, bit 0
/// rotation, bit 1 translation; none changed leaves the document as it is. def, applied and error may be null. Fails,
/// document untouched: SFT_ERR_MEMORY, and as sft_io_apply. Working memory comes from malloc.
typedef struct sft_take_solved
{
    const sft_clip* clip;
    const uint8_t* changed;
} sft_take_solved;
SFT_API sft_result sft_take_put(const sft_take* take, sft_io_document* document, const sft_take_solved* solved,
                                const sft_gltf_apply_def* def, sft_gltf_applied* applied, sft_error* error);

/// The clip as the document now says it, at the frames it was taken at, in metres and Y up. The caller owns it. Fails:
/// SFT_ERR_RANGE where the document no longer has so many frames, and as sft_take_create.
SFT_API sft_result sft_take_again(const sft_take* take, const sft_io_document* document, const sft_allocator* allocator,
                                  sft_clip** out);

#endif
