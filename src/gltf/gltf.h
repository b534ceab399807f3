// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// The glTF document as the files of this module see it: the input's bytes, what of it was understood, and what was
// changed since. Changes never touch the bytes; the writer turns them into splices of the JSON text and new data behind
// the old.
#ifndef SUREFOOT_GLTF_GLTF_H
#define SUREFOOT_GLTF_GLTF_H

#include "surefoot/gltf.h"

#include "core/core.h"
#include "json/json.h"

#define GLTF_COOKIE 0x676c7431u
#define GLTF_MAX_WARNINGS 32

/// A JSON object, kept small: hostile files hold many.
typedef struct gltf_value
{
    uint32_t entry, start, end;
} gltf_value;

static inline gltf_value gltf_keep_value(sft_json_value object)
{
    return (gltf_value){object.entry, (uint32_t)object.start, (uint32_t)object.end};
}

/// Back to what the JSON module works with.
static inline sft_json_value gltf_json_value(gltf_value value)
{
    return (sft_json_value){SFT_JSON_OBJECT, value.entry, value.start, value.end};
}

/// A piece of a GLB, in file order. The first of type JSON and BIN are the document's.
typedef struct gltf_chunk
{
    uint32_t type;
    size_t start; ///< of its data in the input
    size_t size;  ///< as the header says, padding included
} gltf_chunk;

typedef enum gltf_buffer_kind
{
    GLTF_BUFFER_BIN,  ///< the GLB's own chunk
    GLTF_BUFFER_DATA, ///< data URI, decoded
    GLTF_BUFFER_FILE, ///< a file beside the document
    GLTF_BUFFER_NONE  ///< no data (an extension's placeholder); reading from it is an error
} gltf_buffer_kind;

typedef struct gltf_buffer
{
    gltf_buffer_kind kind;
    const uint8_t* bytes;
    size_t size;      ///< byteLength
    size_t held;      ///< bytes there are (>= size)
    bool owned;       ///< released with the document, `held` + 1 bytes
    const char* uri;  ///< as written, escapes of JSON decoded; null where none
    const char* path; ///< FILE: decoded, as given to the loader
    gltf_value value;
} gltf_buffer;

/// Entries of `bufferViews` and `accessors` that only meshes use are not judged, so they may be `broken`:
/// sft_gltf_check_accessor() says why.
typedef struct gltf_view
{
    uint64_t offset, length;
    int32_t buffer;
    uint32_t stride; ///< 0 where tight
    const char*
        compression; ///< EXT_meshopt_compression or another extension that changes what the bytes mean; null: none
    uint32_t start;  ///< byte of its JSON
    bool broken;
} gltf_view;

typedef enum gltf_component
{
    GLTF_I8 = 5120,
    GLTF_U8 = 5121,
    GLTF_I16 = 5122,
    GLTF_U16 = 5123,
    GLTF_U32 = 5125,
    GLTF_F32 = 5126
} gltf_component;

typedef struct gltf_sparse
{
    uint64_t index_offset, value_offset;
    int32_t index_view, value_view;
    uint32_t count;
    gltf_component index_component;
} gltf_sparse;

typedef struct gltf_accessor
{
    uint64_t offset;
    const gltf_sparse* sparse; ///< null: not sparse
    int32_t view;              ///< -1: zeros
    uint32_t count;
    uint32_t start;     ///< byte of its JSON
    uint16_t component; ///< gltf_component
    uint8_t width;      ///< components an element: 1 to 4; 9 and 16 for matrices (2x2: 4)
    bool normalized : 1;
    bool matrix : 1;
    bool broken : 1;
    bool checked : 1; ///< by sft_gltf_check_accessor, and sound
} gltf_accessor;

typedef struct gltf_node
{
    const char* name;                  ///< null where it has none
    int32_t parent;                    ///< -1: a root
    int32_t first_child, next_sibling; ///< in the order of `children`; roots: in the order of scenes, then of nodes
    const double* matrix;              ///< 16, column major, as in the file; null where it has none
    sft_v3d t;                         ///< rest, of the matrix too (decomposed)
    sft_quatd r;                       ///< unit
    sft_v3d s;
    int32_t mesh, skin, camera; ///< -1 none
    bool carries;               ///< draws or shines: a mesh, a camera, or an extension that does (lights)
    bool in_scene;              ///< a scene names it (what hangs below is in the scene too)
    bool as_trs;                ///< changed: the matrix goes out as translation, rotation, scale
    gltf_value value;
} gltf_node;

typedef struct gltf_skin
{
    int32_t joint_count;
    const int32_t* joints; ///< nodes
    int32_t skeleton;      ///< node, -1 none
    gltf_value value;
} gltf_skin;

typedef enum gltf_path
{
    GLTF_TRANSLATION,
    GLTF_ROTATION,
    GLTF_SCALE,
    GLTF_WEIGHTS,
    GLTF_POINTER, ///< KHR_animation_pointer
    GLTF_OTHER    ///< a path of an unknown extension
} gltf_path;

typedef enum gltf_interpolation
{
    GLTF_LINEAR,
    GLTF_STEP,
    GLTF_CUBICSPLINE,
    GLTF_UNKNOWN_INTERPOLATION ///< of an extension; a `problem` where it moves a joint
} gltf_interpolation;

typedef struct gltf_sampler
{
    int32_t input, output;
    gltf_interpolation interpolation;
    int32_t user_count; ///< channels that name it
    gltf_value value;
} gltf_sampler;

/// New keys of a channel. They win over its sampler.
typedef struct gltf_keys
{
    uint32_t count;
    int32_t input;      ///< accessor whose values the times are, all of them; -1: `times`
    const float* times; ///< [count], shared by channels of one call; null where input >= 0
    float* values;      ///< [count * 3 or 4], document's local space of the node; CUBICSPLINE: in-tangent, value and
                        ///< out-tangent of each key
    gltf_interpolation interpolation;
} gltf_keys;

typedef struct gltf_channel
{
    int32_t sampler; ///< -1: added, has no sampler yet
    int32_t node;    ///< -1: none. POINTER: the node whose translation, rotation, scale or matrix it names, else -1
    gltf_path path;
    gltf_keys* keys;  ///< null where unchanged
    gltf_value value; ///< of the channel; meaningless where added
} gltf_channel;

typedef struct gltf_animation
{
    const char* name;
    int32_t channel_count, channel_capacity;
    gltf_channel* channels; ///< those of the file first, added ones behind
    int32_t sampler_count;
    gltf_sampler* samplers;
    gltf_value value;   ///< meaningless where `added` and not `replaces`
    bool added;         ///< by sft_gltf_add_animation or sft_gltf_replace_animation
    bool replaces;      ///< added, and goes out where `value` stands
    const char* extras; ///< of an added one; null where none
} gltf_animation;

struct sft_gltf
{
    sft_allocator allocator;
    sft_gltf_contents view;
    const uint8_t* bytes; ///< the input
    size_t size;
    bool owns_bytes;
    size_t json_start; ///< of the JSON text in the input
    size_t json_size;  ///< GLB: without padding behind the last brace
    sft_json* json;    ///< its bytes count from json_start
    int32_t chunk_count, buffer_count, view_count, accessor_count, node_count, skin_count, animation_count, image_count;
    gltf_chunk* chunks; ///< GLB only
    int32_t bin_chunk;  ///< -1 none
    gltf_buffer* buffers;
    gltf_view* views;
    gltf_accessor* accessors;
    gltf_node* nodes;
    int32_t first_root; ///< nodes hang together by first_child and next_sibling
    gltf_skin* skins;
    gltf_animation* animations;
    int32_t animation_capacity;
    sft_gltf_animation* infos; ///< what the view shows, one an animation
    int32_t* joint_nodes;      ///< view.joint_count
    int32_t* joint_parents;    ///< joint of the parent, -1 for roots
    int32_t* node_joints;      ///< node_count
    const char** images;       ///< paths beside the document
    struct gltf_block* blocks; ///< everything from sft_gltf_keep
    uint64_t keys_described;   ///< key times read by sft_gltf_describe_animation: bounds what shared ones can cost
    bool changed;
    sft_warning warnings[GLTF_MAX_WARNINGS];
    int32_t warning_count;
    size_t warnings_lost;
};

// ---- document (document.c): memory and warnings ----

/// Zeroed memory for any type that lives as long as the document, also what it replaces (so growing leaves the old
/// array behind: double it); null when memory is short. All arrays of the document come from here.
void* sft_gltf_keep(sft_gltf* gltf, size_t count, size_t size);
/// json_byte: from the start of the JSON text, as in sft_json_value; SIZE_MAX: the whole file.
void sft_gltf_warn(sft_gltf* gltf, size_t json_byte, const char* format, ...);
/// An error at a JSON byte (a value's `start`): byte and line of the input, "path in the JSON: message".
sft_result sft_gltf_fail(const sft_gltf* gltf, sft_error* error, sft_result code, size_t json_byte, const char* format,
                         ...);
/// The same, with the node's name as the error's joint.
sft_result sft_gltf_fail_node(const sft_gltf* gltf, sft_error* error, sft_result code, size_t json_byte, int32_t node,
                              const char* format, ...);
sft_result sft_gltf_no_memory(sft_error* error);
/// Puts the node's name, where it has one, into the error's `joint`.
void sft_gltf_name_joint(const sft_gltf* gltf, sft_error* error, int32_t node);
/// Makes a text that was cut, or holds names from a file, fit to be shown: whole UTF-8, no control characters.
void sft_gltf_tidy(char* text);

/// "node 3 'Hips'", or "node 3", cut and with control characters masked: for messages.
typedef struct gltf_label
{
    char text[64];
} gltf_label;
gltf_label sft_gltf_label(const sft_gltf* gltf, int32_t node);

// ---- values (accessor.c) ----

/// Checks that all elements lie in their buffers, the sparse ones too. Fails as sft_gltf_read does; a compressed one is
/// SFT_ERR_UNSUPPORTED. Asked again it costs nothing.
sft_result sft_gltf_check_accessor(sft_gltf* gltf, int32_t accessor, sft_error* error);
/// Elements first to first + count - 1 of a checked accessor as doubles into out[count * width]; normalised integers to
/// [-1, 1] or [0, 1]; integers that are not normalised as they are. Matrices column by column, without padding. Pure.
void sft_gltf_read_values(const sft_gltf* gltf, int32_t accessor, uint32_t first, uint32_t count, double* out);

// ---- joints (joints.c) ----

/// Picks the joints of the skeleton: fills joint_nodes, joint_parents, node_joints, view.joint_count.
sft_result sft_gltf_pick_joints(sft_gltf* gltf, sft_error* error);
/// Fills infos[animation] (name, counts, times, evenness) from channels and picked joints. `problem` is the reader's:
/// it is there already. Where it is empty, the accessors of all channels that move joints are checked, have matching
/// types and counts, and finite values; no two channels set the same; key times are finite and do not fall: two
/// neighbours (never three) may be equal, the later holds from then on; the first may be negative. Where it is not
/// empty, only name and counts can be told.
sft_result sft_gltf_describe_animation(sft_gltf* gltf, int32_t animation);

/// Room for one more animation (add.c); false when memory is short.
bool sft_gltf_reserve_animation(sft_gltf* gltf);

// ---- sampling (sample.c) ----

/// Key times and values of a channel, new keys first.
typedef struct gltf_curve
{
    uint32_t count;
    int32_t width;
    gltf_interpolation interpolation;
    const double* times;  ///< [count]
    const double* values; ///< [count * width], CUBICSPLINE [count * 3 * width]: in-tangent, value, out-tangent
} gltf_curve;

/// Decodes a channel; the curve's arrays come from one block of *block_size bytes that the caller releases.
sft_result sft_gltf_channel_curve(const sft_gltf* gltf, const gltf_animation* animation, const gltf_channel* channel,
                                  const sft_allocator* allocator, gltf_curve* curve, void** block, size_t* block_size);
/// Value at a time into out[width]; rotations come out unit. `hint` speeds up rising times; start with 0.
void sft_gltf_curve_at(const gltf_curve* curve, gltf_path path, double time, uint32_t* hint, double* out);

#endif
