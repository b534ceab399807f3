// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

/// @file io.h
/// Motion files of every format behind one face: read, look, take a clip out, put a solved clip back, change the
/// format, write. A document keeps everything its file said, so that what was not solved goes out as it came in. For
/// what one format alone can do, see bvh.h and gltf.h.
#ifndef SUREFOOT_IO_H
#define SUREFOOT_IO_H

#include "surefoot/bvh.h"
#include "surefoot/gltf.h"
#include "surefoot/ground.h"

typedef enum sft_io_format
{
    SFT_IO_AUTO = 0, ///< reading: told from the first bytes; writing: the document's own
    SFT_IO_BVH = 1,
    SFT_IO_GLTF = 2, ///< JSON text, buffers beside it
    SFT_IO_GLB = 3,
    SFT_IO_FBX = 4 ///< recognised, not read here: the program surefoot-fbx turns it into GLB (docs/fbx.md)
} sft_io_format;

/// Format by the first bytes; SFT_IO_AUTO where none fits. Pure.
SFT_API sft_io_format sft_io_sniff(const void* bytes, size_t size);
/// Format by the ending of a file's name, in any case; SFT_IO_AUTO where none fits. Pure.
SFT_API sft_io_format sft_io_format_of_name(const char* path);
/// "BVH", "glTF", "GLB", "FBX", "unknown". Pure.
SFT_API const char* sft_io_format_name(sft_io_format format);

typedef struct sft_io_document sft_io_document;

typedef struct sft_io_read_def
{
    sft_io_format format;        ///< default AUTO
    size_t max_bytes;            ///< default 4 GiB - 1
    int32_t max_nodes;           ///< default SFT_MAX_JOINTS
    int32_t max_depth;           ///< of JSON; default 512
    bool keep_bytes;             ///< see sft_gltf_read_def; default false
    sft_bvh_positions positions; ///< BVH only; default AUTO
    sft_gltf_load* load;         ///< see sft_gltf_read_def; default null
    void* load_user;
    uint32_t cookie;
} sft_io_read_def;

SFT_API sft_io_read_def sft_default_io_read_def(void);

typedef struct sft_io_clip
{
    const char* name;            ///< "" where the format or the file has none
    int32_t frame_count;         ///< as sft_io_to_clip gives them with a null `solved`
    double start;                ///< [s] file time of frame 0
    double frame_time;           ///< [s]
    bool stored;                 ///< frames are stored keys; false: sampled
    const char* frame_time_text; ///< as the BVH this clip once was wrote it; null where unknown
    int32_t channel_count;       ///< BVH: columns; glTF: channels that move joints
    int32_t other_count;         ///< channels that pass through untouched
    const char* problem;         ///< why it cannot be taken out; null: it can
} sft_io_clip;

/// Read-only view, valid until the document is changed or destroyed.
typedef struct sft_io_contents
{
    sft_io_format format;
    sft_io_format source; ///< what it was before conversion: FBX where surefoot-fbx made this GLB; else `format`
    int32_t joint_count;  ///< as in skeletons that sft_io_to_clip gives
    int32_t clip_count;   ///< BVH: 1. Clip -1 is the rest pose.
    const sft_io_clip* clips;
    double unit_metres; ///< as the format or file says; 0 where only inference can tell (BVH)
    int32_t up;         ///< sft_axis; -1 where only inference can tell
    double frame_rate;  ///< [1/s] at which clips of uneven keys are described and, unless told otherwise, converted:
                        ///< what the file says (FBX), else 60
    int32_t warning_count;
    const sft_warning* warnings;
    int32_t resource_count;       ///< files beside it that belong to it: buffers that were read, then images
    const char* const* resources; ///< relative to its folder, '/' between
} sft_io_contents;

/// Reads a motion file from memory. Errors and guarantees: sft_bvh_read, sft_gltf_read; for FBX bytes
/// SFT_ERR_UNSUPPORTED with the way out. On failure *out is untouched.
SFT_API sft_result sft_io_read(const sft_io_read_def* def, const void* bytes, size_t size,
                               const sft_allocator* allocator, sft_io_document** out, sft_error* error);
/// Reads a file and, for .gltf, what lies beside or below it. A resource whose real place (symbolic links followed) is
/// outside the file's folder is refused. The file's bytes are held once, not copied.
SFT_API sft_result sft_io_read_file(const sft_io_read_def* def, const char* path, const sft_allocator* allocator,
                                    sft_io_document** out, sft_error* error);
/// Null is fine.
SFT_API void sft_io_destroy(sft_io_document* document);
SFT_API const sft_io_contents* sft_io_view(const sft_io_document* document);
/// The format's own document; null where it is of another format. It stays the owner's.
SFT_API sft_bvh* sft_io_bvh(sft_io_document* document);
SFT_API sft_gltf* sft_io_gltf(sft_io_document* document);

/// First clip of that exact name, else the one whose index the text is ("0" to clip_count - 1), else -1. Pure.
SFT_API int32_t sft_io_find_clip(const sft_io_document* document, const char* name);

/// Skeleton and clip in file units and axes; clip -1 is one frame of the rest pose. `def` and `frames` as in
/// sft_gltf_to_clip (both may be null; BVH frames are its rows). The caller owns both.
SFT_API sft_result sft_io_to_clip(const sft_io_document* document, int32_t clip_index, const sft_gltf_clip_def* def,
                                  const sft_allocator* allocator, sft_skeleton** skeleton, sft_clip** clip,
                                  sft_gltf_frames* frames, sft_error* error);

/// Puts solved joints back: sft_bvh_apply or sft_gltf_apply. `frames` may be null for BVH; def and applied may be null.
SFT_API sft_result sft_io_apply(sft_io_document* document, int32_t clip_index, const sft_gltf_frames* frames,
                                const sft_clip* clip, const sft_space* space, const uint8_t* rotation_mask,
                                const uint8_t* translation_mask, const sft_gltf_apply_def* def,
                                sft_gltf_applied* applied, sft_error* error);

/// A new clip goes into a document: any number of frames, all joints of the skeleton that sft_io_to_clip gives, `space`
/// as in sft_io_apply. glTF: an animation is added (`replace` -1), or put in the place of the one numbered `replace`,
/// whose name it keeps; all else stays, see sft_gltf_add_animation and sft_gltf_replace_animation. BVH: the rows and
/// the frame time become the clip's; hierarchy, channels, and whether position channels replace OFFSET or add to it,
/// stay, also where a reader that goes by the numbers alone would take the new ones otherwise (see
/// sft_bvh_read_def.positions); `name` is not looked at and `replace` is -1 or 0. *index (may be null) gets its number.
/// Fails, document untouched: SFT_ERR_ARG, SFT_ERR_RANGE, SFT_ERR_UNSUPPORTED (BVH: error names a joint that lacks
/// channels for what it should do), SFT_ERR_LIMIT, SFT_ERR_MEMORY.
SFT_API sft_result sft_io_put_clip(sft_io_document* document, int32_t replace, const sft_clip* clip,
                                   const sft_space* space, const char* name, int32_t* index, sft_error* error);

/// sft_gltf_retime. BVH: SFT_ERR_UNSUPPORTED, see sft_bvh_slice and sft_clip_resample.
SFT_API sft_result sft_io_retime(sft_io_document* document, int32_t clip_index, const sft_gltf_frames* frames,
                                 int32_t first, int32_t last, double frame_time, int32_t* left, sft_error* error);

/// sft_gltf_bind and sft_gltf_bind_back. BVH: SFT_ERR_UNSUPPORTED.
SFT_API sft_result sft_io_bind(sft_io_document* character, const sft_io_document* source, int32_t clip_index,
                               const sft_gltf_clip_def* def, sft_gltf_bound* bound, sft_error* error);
SFT_API sft_result sft_io_bind_back(const sft_io_document* character, int32_t bound_clip, sft_io_document* source,
                                    int32_t clip_index, sft_error* error);

typedef struct sft_io_convert_def
{
    sft_io_format format;   ///< BVH, GLTF or GLB; AUTO is refused
    int32_t clip;           ///< index; -1 (default): the only one (the rest pose where there is none); glTF and GLB for
                            ///< each other: not looked at, all clips go along
    const sft_space* space; ///< of the source; null (default): its own, or sft_clip_infer_space
    double unit_metres;     ///< BVH out: metres a unit; 0 (default): the one it came from, else centimetres
    int32_t up;             ///< BVH out: sft_axis; -1 (default): the one it came from, else Y
    double fps;             ///< see sft_gltf_clip_def; 0 (default): the document's frame_rate
    const char* clip_name;  ///< glTF out: name of the clip where the source has none; null (default): none
    uint32_t cookie;
} sft_io_convert_def;

SFT_API sft_io_convert_def sft_default_io_convert_def(void);

/// A name that the target format could not carry as it was.
typedef struct sft_io_renamed
{
    const char* before;
    const char* after;
} sft_io_renamed;

typedef struct sft_io_converted
{
    int32_t renamed_count;
    const sft_io_renamed* renamed; ///< owned by the new document
} sft_io_converted;

/// A new document in another format (or the same in another space), joints and frames of the old. World positions of
/// joints at the source's frames are kept (glTF: float32); clip and joint names too, made legal where they must
/// (*converted, may be null, says which). To glTF and GLB: metres, Y up; extras carry what a BVH was (frame time as
/// written, unit, up axis, channels, End Sites), so that BVH comes back as it was; a glTF document given for GLB or the
/// other way round is the same document (meshes and all). To BVH: rest rotations are taken out, so that zero rotations
/// show the rest pose and axes are those of the model; leaves get an End Site of no length unless they came from BVH;
/// what extras say of a BVH and does not fit the nodes is not followed, with a warning of the new document. BVH has no
/// clip names. Fails: SFT_ERR_ARG (no such clip, or several and none chosen), SFT_ERR_DEF, SFT_ERR_UNSUPPORTED
/// (`problem`, no joints), SFT_ERR_RANGE, SFT_ERR_LIMIT, SFT_ERR_MEMORY. Deterministic. Extras: docs/gltf.md.
SFT_API sft_result sft_io_convert(const sft_io_document* document, const sft_io_convert_def* def,
                                  const sft_allocator* allocator, sft_io_document** out, sft_io_converted* converted,
                                  sft_error* error);

/// A BVH's figure as glTF or GLB with no motion in it, so that clips put in need no channels and may be many: as
/// sft_io_convert of a BVH without rows. Fails so too, and: SFT_ERR_ARG (another format), SFT_ERR_UNSUPPORTED (the
/// joints would not be those of the BVH).
SFT_API sft_result sft_io_convert_figure(sft_io_document* document, const sft_io_convert_def* def,
                                         const sft_allocator* allocator, sft_io_document** out,
                                         sft_io_converted* converted, sft_error* error);

/// The document as one block of memory: BVH text, GLB, or glTF text with its buffers as data URIs. The caller releases
/// *bytes of *size + 1 bytes (a zero follows) through the same allocator. format AUTO: its own; GLTF and GLB may be
/// chosen for each other, anything else wants sft_io_convert (SFT_ERR_UNSUPPORTED). Fails too: SFT_ERR_ARG,
/// SFT_ERR_LIMIT, SFT_ERR_MEMORY.
SFT_API sft_result sft_io_write(const sft_io_document* document, sft_io_format format, const sft_allocator* allocator,
                                void** bytes, size_t* size, sft_error* error);

typedef struct sft_io_write_def
{
    sft_io_format format;      ///< default AUTO, by the name's ending where it has one, else the document's own
    const char* source_folder; ///< where resources came from; null: the folder sft_io_read_file read from
    bool embed;                ///< glTF: buffers as data URIs; default false: beside the file, as NAME.bin, but for a
                               ///< .gltf whose buffers came as data URIs: it stays in one file
    bool unsynced;             ///< default false; see sft_file_write_unsynced
    uint32_t cookie;
} sft_io_write_def;

SFT_API sft_io_write_def sft_default_io_write_def(void);

/// Writes the document to `path` and, for glTF, buffers and images beside it: each file whole or not at all, the main
/// file last. Resources of the source are copied to where the new file will look for them, unless they are there
/// already; a file that is there with other bytes is never overwritten (SFT_ERR_IO; error names it). The source's own
/// .bin stays as it is: new data goes to a new name. Streams ("-") are the caller's business: sft_io_write.
SFT_API sft_result sft_io_write_file(const sft_io_document* document, const sft_io_write_def* def, const char* path,
                                     sft_error* error);

// ---- ground: meshes to stand on ----

typedef struct sft_io_mesh_def
{
    double unit_metres;    ///< metres a unit, 1e-6 to 1e6; 0 (default): 1 (OBJ has no unit, glTF is in metres)
    int32_t up;            ///< sft_axis that points up in the file; -1 (default): Y
    size_t max_bytes;      ///< default 4 GiB - 1
    int32_t max_triangles; ///< refuse more, and more than three times as many vertices; default 20 million
    int32_t max_nodes;     ///< glTF; default SFT_MAX_JOINTS
    sft_gltf_load* load;   ///< see sft_gltf_read_def; default null
    void* load_user;
    uint32_t cookie;
} sft_io_mesh_def;

SFT_API sft_io_mesh_def sft_default_io_mesh_def(void);

/// Triangles of a file. Opaque owner; see sft_io_mesh_view().
typedef struct sft_io_mesh sft_io_mesh;

/// Read-only view, valid until the mesh is destroyed.
typedef struct sft_io_mesh_contents
{
    sft_ground_mesh_def ground;    ///< metres, Y up; fit for sft_ground_mesh_create
    int32_t body_count;            ///< ground.bodies[i] < body_count
    const char* const* body_names; ///< [body_count] as in the file; "" where it has none. OBJ: of objects where it
                                   ///< names any, else groups, else materials, in order of first use. glTF: of nodes.
    int32_t warning_count;
    const sft_warning* warnings;
} sft_io_mesh_contents;

/// Reads triangles from an OBJ text, or from glTF or GLB. OBJ: faces of any number of corners (concave ones are cut at
/// ears, up to 1000 corners), indices from both ends, lines continued by a backslash; curves, lines, points, normals
/// and materials are passed over. glTF: every mesh below the default scene (of a file without scenes: all), moved by
/// its nodes, mirrors and shears too; triangle lists, strips and fans; quantised and sparse positions. Left out with a
/// warning: skinned meshes, and instances of EXT_mesh_gpu_instancing. Morph targets are at rest. Fails, *out untouched:
/// SFT_ERR_ARG, SFT_ERR_DEF, SFT_ERR_SYNTAX (line, node; a file without triangles), SFT_ERR_UNSUPPORTED (compressed
/// primitives; another format), SFT_ERR_RANGE (a vertex beyond SFT_HUGE), SFT_ERR_LIMIT, SFT_ERR_MEMORY. Time linear
/// in bytes and triangles made; memory at most 40 times the bytes of an OBJ, 64 bytes a triangle made of a glTF beside
/// the document. Deterministic.
SFT_API sft_result sft_io_mesh_read(const sft_io_mesh_def* def, const void* bytes, size_t size,
                                    const sft_allocator* allocator, sft_io_mesh** out, sft_error* error);
/// Reads a file and, for .gltf, the buffers beside or below it (see sft_io_read_file). Fails too: SFT_ERR_IO.
SFT_API sft_result sft_io_mesh_read_file(const sft_io_mesh_def* def, const char* path, const sft_allocator* allocator,
                                         sft_io_mesh** out, sft_error* error);
/// Null is fine.
SFT_API void sft_io_mesh_destroy(sft_io_mesh* mesh);
SFT_API const sft_io_mesh_contents* sft_io_mesh_view(const sft_io_mesh* mesh);

/// Whole file into memory; paths are UTF-8. The caller releases *bytes of *size + 1 bytes (a zero follows) through the
/// same allocator. Fails: SFT_ERR_ARG, SFT_ERR_IO (error says why), SFT_ERR_LIMIT, SFT_ERR_MEMORY.
SFT_API sft_result sft_file_read(const char* path, size_t max_bytes, const sft_allocator* allocator, void** bytes,
                                 size_t* size, sft_error* error);
/// Writes beside the target (path.tmp0 or the next free number), syncs, then renames over it: a good file is never
/// replaced by half of a new one, and on failure the temporary is removed. A target that is there keeps its mode; a
/// symbolic link stays and what it points to is replaced; other hard links keep the old content. Pipes and devices are
/// written straight. On Linux, where the file system can, the temporary has no name until it is whole, so that a
/// process that is killed while it writes leaves nothing. Fails: SFT_ERR_ARG, SFT_ERR_IO (error says why; a folder is
/// refused).
SFT_API sft_result sft_file_write(const char* path, const void* bytes, size_t size, sft_error* error);

/// sft_file_write of pieces, one after the other.
SFT_API sft_result sft_file_write_parts(const char* path, const sft_bytes* parts, int32_t part_count, sft_error* error);

/// sft_file_write_parts without the wait for the disk: the file is whole for every reader at once, but a cut of the
/// power within the next half minute may leave an empty one under the good name. For many small files, which the caller
/// then syncs all together (syncfs on Linux) before they count as written.
SFT_API sft_result sft_file_write_unsynced(const char* path, const sft_bytes* parts, int32_t part_count,
                                           sft_error* error);

#endif
