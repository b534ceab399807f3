// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// What the readers of scenes share: scene.c and takes.c, which have assimp's, with its helper nodes folded away, and
// the studio's, which has the file's own records (web/fbx).
#ifndef SUREFOOT_FBX_SCENE_H
#define SUREFOOT_FBX_SCENE_H

#include "fbx.h"

// assimp names the helpers NAME_$AssimpFbx$_COMPONENT.
#define FBX_TAG "_$AssimpFbx$_"

typedef struct fbx_link
{
    char component[32];
    double m[16];
} fbx_link;

struct aiScene;

// Index of the node with this name (of `size` bytes), -1 where there is none.
int32_t fbx_node_named(const fbx_scene* scene, const char* name, size_t size);
// False where memory runs out.
bool fbx_read_takes(fbx_scene* scene, const struct aiScene* source);

// ---- whoever read the nodes (skeleton.c) ----

// FBX's number of a time mode; `custom` counts where that is custom or unknown.
void fbx_set_rate(fbx_scene* scene, int mode, double custom);
// [cm]
void fbx_set_unit(fbx_scene* scene, double factor);
// Right, up and front: which axis of the file each is, and its sign. A left-handed file gives a mirror.
void fbx_set_axes(fbx_scene* scene, const int axes[3], const int signs[3]);
bool fbx_is_joint_kind(const char* kind);
bool fbx_is_shape_kind(const char* kind);
// The name of a node whose transform is not finite, null where there is none.
const char* fbx_bad_node(const fbx_scene* scene);
// Once nodes know whether they are joints or meshes: skeletons, what is left out, scale that is inherited otherwise.
void fbx_settle_nodes(fbx_scene* scene);
// Control characters become blanks.
void fbx_one_line(char* text);

// ---- keys (keys.c) ----

typedef struct fbx_builder
{
    fbx_scene* scene;
    fbx_clip* clip;
    int32_t take;        // of the facts, -1 where unknown
    double rate, offset; // seconds = key / rate + offset
    bool bad_keys;
} fbx_builder;

double fbx_seconds(const fbx_builder* b, double key);
// Degrees about the axes in the order that FBX numbers, as a matrix.
void fbx_turn_of(const double degrees[3], int order, double m[16]);
bool fbx_make_set(fbx_builder* b, fbx_key_set* set, size_t count, int width);
// Appends one key; times must grow as floats too. Values that are no numbers are left out.
void fbx_put_key(fbx_builder* b, fbx_key_set* set, int width, double time, const double* value);
// As fbx_put_key; q and -q are one rotation: the one nearer to the key before is kept.
void fbx_put_turn(fbx_builder* b, fbx_key_set* set, double time, double q[4]);
// A path that stands where the node stands anyway is left out.
void fbx_prune(fbx_channel* channel, int path, const double* rest, double slack);
// The clip of a take in which nothing moves: the first joint stands still at every frame of its range.
bool fbx_stand_still(fbx_builder* b);
// For qsort of doubles.
int fbx_by_time(const void* a, const void* b);

#endif
