// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

/// @file gltf.h
/// glTF 2.0 and GLB documents. A document keeps every byte it came in with; of what it says, only the animation data of
/// joints that were solved is replaced (docs/gltf.md).
#ifndef SUREFOOT_GLTF_H
#define SUREFOOT_GLTF_H

#include "surefoot/clip.h"

/// A glTF document with its buffers. Opaque owner; see sft_gltf_view().
typedef struct sft_gltf sft_gltf;

/// Fetches what a .gltf file refers to. `path` is relative, with '/' between folders, percent escapes decoded; it is
/// never absolute and holds neither "..", a backslash, a drive, a scheme, nor control characters: such are refused
/// before. Gives at most max_bytes as *bytes and *size, in a block of *size + 1 bytes from `allocator` (as
/// sft_file_read does), which the document then owns. May fail with any code, error filled.
typedef sft_result sft_gltf_load(void* user, const char* path, size_t max_bytes, const sft_allocator* allocator,
                                 void** bytes, size_t* size, sft_error* error);

typedef struct sft_gltf_read_def
{
    size_t max_bytes;    ///< refuse larger inputs, and resources that are larger together; default 4 GiB - 1
    int32_t max_nodes;   ///< default SFT_MAX_JOINTS; accessors, animations, channels: 16 times as many
    int32_t max_depth;   ///< of JSON values in one another; default 512. Nodes may hang below one another at any depth.
    bool keep_bytes;     ///< the caller keeps `bytes` alive and unchanged until the document is destroyed, so that they
                         ///< are not copied; default false
    sft_gltf_load* load; ///< null (default): a document that needs other files is refused, naming the first
    void* load_user;
    uint32_t cookie;
} sft_gltf_read_def;

SFT_API sft_gltf_read_def sft_default_gltf_read_def(void);

/// One entry of `animations`.
typedef struct sft_gltf_animation
{
    const char* name;      ///< UTF-8, escapes decoded; "" where it has none; names may repeat
    int32_t channel_count; ///< channels that move joints (translation, rotation, scale)
    int32_t other_count;   ///< morph weights, nodes that are no joints, pointers: they pass through
    double start, end;     ///< [s] first and last key of the channels that move joints; 0 where there are none
    int32_t key_count;     ///< most keys of one joint rotation (else of any joint) channel
    bool even;             ///< those keys are evenly spaced within 1e-4 s
    double frame_time;     ///< [s] of those keys; 0 where they are not even or fewer than two
    char problem[200];     ///< why joints cannot be sampled (compressed keys, a pointer to a joint); empty: they can
} sft_gltf_animation;

/// Read-only view, valid until the document is changed or destroyed.
typedef struct sft_gltf_contents
{
    bool glb;
    int32_t node_count;
    int32_t scene_count;
    int32_t skin_count;
    int32_t mesh_count;
    int32_t joint_count;        ///< joints of the skeleton, see sft_gltf_to_clip
    const int32_t* joint_nodes; ///< node of each joint
    const int32_t* node_joints; ///< joint of each node, -1 where it is none
    int32_t animation_count;
    const sft_gltf_animation* animations;
    const char* generator; ///< asset.generator, "" where there is none
    int32_t warning_count;
    const sft_warning* warnings;
} sft_gltf_contents;

/// Reads a glTF text or a GLB (told apart by the first bytes) from memory; docs/gltf.md has every case. Taken: version
/// 2.x; every component type, normalised integers, sparse accessors, interleaved views; data URIs with and without
/// padding and with percent escapes; unknown chunks, extensions and extras. What is not needed for skeleton and
/// animation (meshes, materials, textures) is kept but not judged. With a warning: what other readers mend (a GLB
/// longer than its header says, keys of quaternions that are not unit, a scene that names what is no root, a skin that
/// names a joint twice, two keys at one time). Refused, with byte, line, the path inside the JSON
/// (`/animations/3/samplers/0`), node name and remedy: broken containers and JSON, duplicate members, indices that
/// point nowhere, nodes in a ring or with two parents, accessors beyond their buffer, resources that are absolute,
/// leave the folder, or are not there. A broken (key times that fall or are no numbers, values that are missing),
/// compressed (EXT_meshopt_compression) or unsupported (KHR_animation_pointer on a joint) animation does not spoil the
/// others where the document as a whole stands: it is listed with its `problem`. On failure *out is untouched and
/// *error (may be null) says where and why. def may be null (defaults). Any bytes are safe; memory stays within a few
/// times the input and some 200 bytes a node, whatever it claims. Fails: SFT_ERR_ARG, SFT_ERR_DEF, SFT_ERR_SYNTAX,
/// SFT_ERR_RANGE (transforms of nodes), SFT_ERR_UNSUPPORTED, SFT_ERR_LIMIT, SFT_ERR_IO (resources), SFT_ERR_MEMORY.
/// Deterministic; no state is shared.
SFT_API sft_result sft_gltf_read(const sft_gltf_read_def* def, const void* bytes, size_t size,
                                 const sft_allocator* allocator, sft_gltf** out, sft_error* error);
/// Null is fine.
SFT_API void sft_gltf_destroy(sft_gltf* gltf);
SFT_API const sft_gltf_contents* sft_gltf_view(const sft_gltf* gltf);

/// What holds `extras`.
typedef enum sft_gltf_kind
{
    SFT_GLTF_ASSET = 0,
    SFT_GLTF_NODE = 1,
    SFT_GLTF_ANIMATION = 2
} sft_gltf_kind;

/// JSON text of the `extras` of the asset (index 0), of a node or of an animation, *size bytes inside the document;
/// null where there are none. Pure.
SFT_API const char* sft_gltf_extras(const sft_gltf* gltf, sft_gltf_kind kind, int32_t index, size_t* size);

typedef struct sft_gltf_clip_def
{
    double fps;            ///< frames where the keys are not evenly spaced; default 60
    const uint8_t* solved; ///< joint_count bytes: joints whose rotation keys decide the frames; null (default): all
    bool resample;         ///< frames at `fps` even where the keys are evenly spaced (a few far apart, say); default
                           ///< false
    bool rest;             ///< one frame of the rest pose, whatever the animation; default false
    uint32_t cookie;
} sft_gltf_clip_def;

SFT_API sft_gltf_clip_def sft_default_gltf_clip_def(void);

/// The frames a clip was sampled at. sft_gltf_apply wants it back.
typedef struct sft_gltf_frames
{
    int32_t frame_count;
    double start;      ///< [s] file time of frame 0
    double frame_time; ///< [s]; 1/n where the float32 keys cannot be told from it
    bool stored;     ///< frames are keys of the file: `channel` has them, from its key 0 on, beginning at frame `first`
    int32_t channel; ///< of the animation; -1 where not stored
    int32_t first;
} sft_gltf_frames;

/// Skeleton and clip of one animation, in the document's own unit and axes (metres and Y up by the standard; files that
/// are not so exist, see sft_clip_infer_space).
/// Joints: those of all skins, nodes between them (and what joins several roots of one skin), nodes above that any
/// animation moves, and nodes below that carry no mesh or camera; without skins the nodes that animations move, what
/// lies between them and meshless nodes below; without those all nodes. Parents first, siblings in file order. Names
/// are those of the nodes, "node N" where there is none. Other nodes above are folded into the roots. Rest pose: the
/// nodes' own. Scale: skeletons are rigid, so scales of nodes are folded into translations (and mirrors into
/// rotations). Positions of joints are exact at every frame, whatever the scale. Frames: see sft_gltf_animation.even;
/// key times of the densest rotation channel among `solved`, extended at their own spacing to cover every joint
/// channel, but not below time 0; else `fps` a second from the first key to the last. (Two keys are always even: they
/// are frames up to 0.1 s apart, and where solved joints have only such pairs, any joint's densest rotation channel
/// decides.) Values at stored key times are the stored values; between keys LINEAR (rotations on the sphere, the short
/// way), STEP and CUBICSPLINE as the standard says, held beyond the ends. animation -1 gives one frame of the rest
/// pose. def may be null. Fails: SFT_ERR_ARG, SFT_ERR_DEF, SFT_ERR_UNSUPPORTED (`problem`), SFT_ERR_RANGE (NaN, or a
/// zero quaternion; error names node and frame), SFT_ERR_LIMIT (joints times frames beyond 8 388 608 and a quarter of
/// the document's bytes; before anything of that size is allocated), SFT_ERR_MEMORY. The caller owns skeleton and clip.
/// Deterministic. Source: docs/gltf.md.
SFT_API sft_result sft_gltf_to_clip(const sft_gltf* gltf, int32_t animation, const sft_gltf_clip_def* def,
                                    const sft_allocator* allocator, sft_skeleton** skeleton, sft_clip** clip,
                                    sft_gltf_frames* frames, sft_error* error);

typedef struct sft_gltf_apply_def
{
    bool keep_keys; ///< fit solved channels to the source's own key times instead of a key a frame; default false
    uint32_t cookie;
} sft_gltf_apply_def;

SFT_API sft_gltf_apply_def sft_default_gltf_apply_def(void);

/// What was written. Errors are of what the file now says against the clip, over all frames.
typedef struct sft_gltf_applied
{
    int32_t channels_replaced;
    int32_t channels_added; ///< joints that had none
    double rotation_error;  ///< [rad] largest; float32 rounding, and with keep_keys the fit
    int32_t rotation_joint; ///< where; -1 none
    int32_t rotation_frame;
    double translation_error; ///< [document units] largest
    int32_t translation_joint;
    int32_t translation_frame;
} sft_gltf_applied;

/// Puts solved joints back into an animation: rotations of joints with `rotation_mask[joint]` and translations of
/// joints with `translation_mask[joint]` not zero (either may be null: none), taken from `clip` through `space`
/// (metres, Y up; null: the clip is in document units and axes). `frames` as sft_gltf_to_clip gave it; the clip has
/// that many frames. A solved channel becomes LINEAR with a key a frame (or, keep_keys, least squares at the source's
/// keys), quaternions continuous in sign; a masked joint without a channel gets one; a node given by a matrix gets the
/// same transform as translation, rotation and scale, since animated nodes may have no matrix. A masked channel whose
/// values in the clip differ from those of the document by less than 1e-9 in all frames is left as it is. Every other
/// channel, animation and byte stays. Samplers and accessors that others use are never changed. Fails, document
/// untouched: SFT_ERR_ARG, SFT_ERR_DEF, SFT_ERR_RANGE, SFT_ERR_UNSUPPORTED (`problem`; a masked joint below a scale
/// that shears), SFT_ERR_LIMIT, SFT_ERR_MEMORY. The document must not be shared meanwhile.
SFT_API sft_result sft_gltf_apply(sft_gltf* gltf, int32_t animation, const sft_gltf_frames* frames,
                                  const sft_clip* clip, const sft_space* space, const uint8_t* rotation_mask,
                                  const uint8_t* translation_mask, const sft_gltf_apply_def* def,
                                  sft_gltf_applied* applied, sft_error* error);

/// Cuts frames `first` to `last` - 1 out of an animation, or gives it another rate, or both: every translation,
/// rotation and scale channel, of joints or not, becomes LINEAR with a key a frame, `frame_time` apart (0: as the
/// frames were), with the values that the channel has at those times as the standard interpolates it. The first key
/// stands where frame 0 did. `frames` as sft_gltf_to_clip gave it. Channels of other kinds (morph weights, pointers)
/// stay as they are; *left (may be null) is their number. Fails, document untouched: SFT_ERR_ARG, SFT_ERR_UNSUPPORTED
/// (`problem`), SFT_ERR_RANGE (frames too close for float32), SFT_ERR_LIMIT, SFT_ERR_MEMORY.
SFT_API sft_result sft_gltf_retime(sft_gltf* gltf, int32_t animation, const sft_gltf_frames* frames, int32_t first,
                                   int32_t last, double frame_time, int32_t* left, sft_error* error);

/// Adds an animation that moves every joint as `clip` says (same joints as the document's; `space` as above), from time
/// 0 on: rotations of all joints, translations of those that move or differ from rest. `name` may be null.
/// extras: JSON text or null. Returns its index in *animation. Fails like sft_gltf_apply.
SFT_API sft_result sft_gltf_add_animation(sft_gltf* gltf, const sft_clip* clip, const sft_space* space,
                                          const char* name, const char* extras, int32_t* animation, sft_error* error);

/// The same in the place of an animation that is there: it keeps index and name, and nothing else of what it was. Its
/// old key data stays in the buffers, unused. Fails, document untouched: like sft_gltf_add_animation.
SFT_API sft_result sft_gltf_replace_animation(sft_gltf* gltf, int32_t animation, const sft_clip* clip,
                                              const sft_space* space, const char* extras, sft_error* error);

/// How an animation of one document fits the nodes of another.
typedef struct sft_gltf_bound
{
    int32_t animation;     ///< its index in the character's document
    int32_t channel_count; ///< channels that found their node
    int32_t missing_count; ///< channels that move a node and found none
    char missing[200];     ///< names of the first such nodes, with ", " between
} sft_gltf_bound;

/// Adds an animation of `source` to `character`, for clips that lie in one file and the character in another. Channels
/// go by the names of their nodes: to the joint of that name, else to the first node; of two for the same the first
/// counts. LINEAR keys come over as they are; STEP and CUBICSPLINE, which new keys cannot be, as a key a frame (`def`
/// as in sft_gltf_to_clip, may be null). Channels of other kinds (morph weights, pointers) stay behind. The character's
/// joints are chosen anew. Fails, both untouched: SFT_ERR_ARG, SFT_ERR_DEF, SFT_ERR_UNSUPPORTED (`problem`; no channel
/// finds a node; a matrix that shears), SFT_ERR_RANGE, SFT_ERR_LIMIT, SFT_ERR_MEMORY.
SFT_API sft_result sft_gltf_bind(sft_gltf* character, const sft_gltf* source, int32_t animation,
                                 const sft_gltf_clip_def* def, sft_gltf_bound* bound, sft_error* error);

/// The way back: channels of the bound animation that were changed since (sft_gltf_apply) replace those of their nodes
/// in the source's animation, or are added to it; by names again. Those whose values differ by less than 1e-6 stay as
/// they are. Fails, both untouched: as sft_gltf_bind.
SFT_API sft_result sft_gltf_bind_back(const sft_gltf* character, int32_t bound_animation, sft_gltf* source,
                                      int32_t animation, sft_error* error);

/// A fresh document: one node a joint, skins over all of them (one a root, with inverse bind matrices of the rest
/// pose), one scene, no mesh, no animation yet. Its joints are those of the skeleton, in that order. Skeleton in
/// metres, Y up. node_extras: JSON text of each joint, null entries and a null array are fine; asset_extras likewise.
/// Names go in as they are (bytes that are no UTF-8 become U+FFFD); a joint that is an End Site is named after its
/// parent with "_end". Fails: SFT_ERR_ARG (no joints), SFT_ERR_SYNTAX (extras), SFT_ERR_RANGE, SFT_ERR_LIMIT,
/// SFT_ERR_MEMORY.
SFT_API sft_result sft_gltf_create(const sft_skeleton* skeleton, const char* const* node_extras,
                                   const char* asset_extras, const sft_allocator* allocator, sft_gltf** out);

typedef struct sft_bytes
{
    const void* data;
    size_t size;
} sft_bytes;

/// One file to write, in pieces that lie in the document or in the output.
typedef struct sft_gltf_file
{
    const char* path; ///< relative to the folder of the main file, '/' between; "" for the main file itself
    const char* uri;  ///< as the document spells it
    bool as_came;     ///< a resource of the source, unchanged
    int32_t part_count;
    const sft_bytes* parts;
    uint64_t size;
} sft_gltf_file;

typedef struct sft_gltf_output
{
    int32_t file_count; ///< resources first, the main file last
    const sft_gltf_file* files;
} sft_gltf_output;

typedef struct sft_gltf_write_def
{
    bool glb;                ///< container of the main file; default false
    const char* buffer_path; ///< where a .gltf puts binary data that has no file yet; null (default): a data URI. A
                             ///< file that the document refers to is refused (SFT_ERR_DEF): others may share it.
    bool embed;              ///< .gltf: all buffers as data URIs; default false
    uint32_t cookie;
} sft_gltf_write_def;

SFT_API sft_gltf_write_def sft_default_gltf_write_def(void);

/// The document as bytes, without building a second copy of the buffers. Nothing changed and the same container: the
/// input's own bytes. Otherwise the JSON text differs only where it must: new data stands behind the old in the first
/// buffer of a GLB, or in a buffer of its own in a .gltf (so that a .bin that others share is never rewritten);
/// asset.generator stays. From .gltf to GLB all buffers become its one; from GLB to .gltf its buffer goes to
/// buffer_path. Resources that are not buffers (images) are not listed: see sft_gltf_resources. Fails: SFT_ERR_ARG,
/// SFT_ERR_DEF, SFT_ERR_LIMIT (a GLB beyond 4 GiB), SFT_ERR_MEMORY.
SFT_API sft_result sft_gltf_write(const sft_gltf* gltf, const sft_gltf_write_def* def, const sft_allocator* allocator,
                                  sft_gltf_output** out);
SFT_API void sft_gltf_output_destroy(sft_gltf_output* output, const sft_allocator* allocator);

/// The `index`-th image that lies in a file of its own, as a path relative to the document's folder; null beyond the
/// last. Paths that leave the folder are not given.
SFT_API const char* sft_gltf_image_path(const sft_gltf* gltf, int32_t index);

#endif
