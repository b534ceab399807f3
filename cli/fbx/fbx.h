// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// surefoot-fbx: skeletons and takes of an FBX file as GLB on standard output. The scene is read by assimp; what assimp
// does not tell (time ranges of takes, kinds of nodes, tangents of curves, layers) is read from the file itself, by a
// scanner that stops quietly where it does not understand. See docs/fbx.md.
#ifndef SUREFOOT_FBX_H
#define SUREFOOT_FBX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "../cli.h"

// Seconds are counted in these ticks.
#define FBX_TICKS 46186158000.0

// ---- memory that is released at once (arena.c) ----

typedef struct fbx_arena
{
    struct fbx_block* blocks;
    size_t used, most; // bytes
    bool failed;       // out of memory, or beyond `most`
} fbx_arena;

// Zeroed, or null. Size 0 gives a pointer too.
void* fbx_alloc(fbx_arena* arena, size_t count, size_t size);
// A copy of `size` bytes with a zero behind them, or null.
char* fbx_copy(fbx_arena* arena, const char* bytes, size_t size);
void fbx_release(fbx_arena* arena);

// ---- the records of a file (tree.c, binary.c, ascii.c) ----

typedef enum fbx_kind
{
    FBX_NUMBER,
    FBX_STRING,
    FBX_INTEGERS,
    FBX_REALS
} fbx_kind;

typedef struct fbx_value
{
    fbx_kind kind;
    int64_t integer; // of numbers
    double real;     // of numbers
    const char* string;
    size_t count; // bytes of a string, elements of an array
    const int64_t* integers;
    const double* reals;
} fbx_value;

typedef struct fbx_record
{
    const char* name;
    fbx_value* values;
    size_t value_count;
    struct fbx_record* child;
    struct fbx_record* next;
} fbx_record;

#define FBX_DEPTH 4
#define FBX_VALUES 16 // the records that are kept have fewer

#define FBX_PLACE 32

// Keeps what the facts need, skips the rest. Null where the file cannot be walked: `place` says where that ended, as
// "byte 123" of a binary file and "line 45" of a text.
fbx_record* fbx_tree(fbx_arena* arena, const void* bytes, size_t size, char place[FBX_PLACE]);
// Version in the header of a binary file, 0 where it is none.
uint32_t fbx_binary_version(const void* bytes, size_t size);
// For the two walkers: is a record with this name, below `parent` (null at the top), kept?
bool fbx_keeps(const char* parent, const char* name, size_t name_size, int depth);
fbx_record* fbx_binary_tree(fbx_arena* arena, const unsigned char* bytes, size_t size, char place[FBX_PLACE]);
fbx_record* fbx_text_tree(fbx_arena* arena, const char* text, size_t size, char place[FBX_PLACE]);
const fbx_record* fbx_child(const fbx_record* record, const char* name);
bool fbx_is(const fbx_value* value, const char* string);

// ---- what the records say (facts.c) ----

typedef struct fbx_model
{
    int64_t id;
    const char* name;
    const char* kind; // "LimbNode", "Mesh", "Null", ...
    int32_t parent;   // model, -1 at the top
    int32_t children;
    int inherit;                                  // InheritType: 0 RrSs, 1 RSrs, 2 Rrs
    int order;                                    // RotationOrder: 0 XYZ (x first), 1 XZY, 2 YZX, 3 YXZ, 4 ZXY, 5 ZYX
    double translation[3], rotation[3], scale[3]; // Lcl; degrees
    bool scale_moves;
    bool top;                 // connected to the file's root
    bool bone;                // a cluster of a skin names it
    int32_t place;            // of the connection to its parent among all
    const fbx_record* record; // all that the file says of it
    bool left_out;            // warnings pass over it: no part of a figure, or not in the GLB
} fbx_model;

typedef struct fbx_take
{
    int64_t id;
    const char* name;
    int64_t start, stop; // ticks
    bool has_range;
    int64_t first_key; // of its curves; INT64_MAX without any
    int32_t layers;    // that hold curves
} fbx_take;

// One component of one property of a model in one take.
typedef struct fbx_track
{
    int32_t take, model, layer;
    char property; // 'T', 'R', 'S'
    char axis;     // 'X', 'Y', 'Z'
    size_t count;
    const int64_t* times; // ticks
    const double* values;
    const int64_t* flags; // KeyAttrFlags of each key, null where unknown
} fbx_track;

typedef struct fbx_facts
{
    bool known; // false: the file could not be walked, and nothing below is set
    fbx_model* models;
    size_t model_count;
    fbx_take* takes;
    size_t take_count;
    fbx_track* tracks; // by take, model, property, axis, layer
    size_t track_count;
    int64_t version;            // that its header says, 0 where it does not
    const fbx_record* settings; // GlobalSettings, null where there are none
} fbx_facts;

void fbx_find_facts(fbx_arena* arena, const fbx_record* tree, fbx_facts* out);
// Values of the property `name` of an object, in values[4], values[5], ...; null where it is not there.
const fbx_record* fbx_property(const fbx_record* object, const char* name);
// The tracks of one property ('T', 'R', 'S') of a model in a take: the first, and their number.
size_t fbx_tracks_of(const fbx_facts* facts, int32_t take, int32_t model, char property, size_t* count);
// Straight between keys, as assimp has it; held outside of them.
double fbx_track_at(const fbx_track* track, double ticks);

// ---- the scene (scene.c, takes.c) ----

typedef struct fbx_node
{
    const char* name;
    int32_t parent; // -1: below the wrapper; parents stand first
    bool joint, mesh, dropped;
    int32_t top;   // of the skeleton it belongs to, -1 for nodes that are no joints
    int32_t model; // of the facts, -1 where unknown
    double m[16];  // local, row-major, column vectors
    double t[3], r[4], s[3];
    bool is_matrix; // m is no product of t, r, s
    // Factors of translations and scales, from scale that is not inherited as matrices would have it.
    double stretch[3], undo[3];
    // The helper nodes that assimp made of it, root first: components with their matrices.
    struct fbx_link* links;
    int32_t link_count;
    double post[4]; // inverse of PostRotation
    bool has_post;
} fbx_node;

typedef struct fbx_key_set
{
    uint32_t count;
    float* times;  // seconds, growing
    float* values; // 3 or 4 a key
} fbx_key_set;

typedef struct fbx_channel
{
    int32_t node;
    fbx_key_set paths[3]; // translation, rotation, scale; none where count is 0
} fbx_channel;

typedef struct fbx_clip
{
    const char* name;
    double start, stop; // seconds, as the file says; NAN where it does not
    double shift;       // seconds added to the source's times, because keys before 0 are not allowed
    fbx_channel* channels;
    uint32_t channel_count;
} fbx_clip;

typedef struct fbx_scene
{
    fbx_arena* arena;
    const void* source; // assimp's, which names point into
    fbx_facts facts;
    double unit; // metres
    double frame_rate;
    const char* up; // "Y", "-Z", ...
    double wrapper_t[3], wrapper_r[4], wrapper_s[3];
    fbx_node* nodes;
    size_t node_count;
    fbx_clip* clips;
    size_t clip_count;
    char place[FBX_PLACE]; // where the walk of the records ended, if it did
    bool by_number;        // curves found their nodes by number: names may repeat
    const char** warnings;
    size_t warning_count;
} fbx_scene;

#define FBX_WARNINGS 64

// Adds a warning; the last of FBX_WARNINGS says that there are more.
void fbx_warn(fbx_scene* scene, const char* format, ...) CLI_PRINTF(2, 3);
// Reads with assimp. An exit code; the sentence for people goes to `message`.
int fbx_read_scene(fbx_scene* scene, const void* bytes, size_t size, char* message, size_t capacity);
void fbx_close_scene(fbx_scene* scene);
// Warnings about what assimp leaves out, from scene->facts.
void fbx_find_losses(fbx_scene* scene);
// Where the curves are unknown: gaps between keys in what assimp gave.
void fbx_find_gaps(fbx_scene* scene);

// ---- out (glb.c) ----

// False where memory runs out.
bool fbx_write_glb(const fbx_scene* scene, cli_text* out);

#endif
