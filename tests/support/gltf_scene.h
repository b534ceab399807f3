// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// Small glTF scenes for tests: built by hand, written as GLB, and evaluated with plain 4x4 matrices, so that the
// library is checked against something that shares no code with it.
#ifndef SUREFOOT_SUPPORT_GLTF_SCENE_H
#define SUREFOOT_SUPPORT_GLTF_SCENE_H

#include <stdbool.h>
#include <stddef.h>

#define SCENE_NODES 64
#define SCENE_CHANNELS 128
#define SCENE_ANIMATIONS 4
#define SCENE_SKINS 4

typedef struct scene_node
{
    const char* name; ///< null: none
    int parent;       ///< smaller than the own index; -1: root
    bool has_matrix;
    double matrix[16]; ///< column major
    double t[3], r[4], s[3];
    bool mesh, camera;
    bool out; ///< a root that no scene names
} scene_node;

enum
{
    SCENE_TRANSLATION,
    SCENE_ROTATION,
    SCENE_SCALE,
    SCENE_WEIGHTS
};

enum
{
    SCENE_LINEAR,
    SCENE_STEP,
    SCENE_CUBICSPLINE
};

typedef struct scene_channel
{
    int node, path, interpolation;
    int count;
    const float* times;  ///< channels of one animation with the same pointer share an accessor
    const float* values; ///< for splines three a key
} scene_channel;

typedef struct scene_animation
{
    const char* name;
    int channel_count;
    scene_channel channels[SCENE_CHANNELS];
} scene_animation;

typedef struct scene_skin
{
    int joint_count;
    int joints[SCENE_NODES];
    int skeleton; ///< -1: none
} scene_skin;

typedef struct scene
{
    int node_count;
    scene_node nodes[SCENE_NODES];
    int skin_count;
    scene_skin skins[SCENE_SKINS];
    int animation_count;
    scene_animation animations[SCENE_ANIMATIONS];
    float* pool[4096]; ///< arrays from scene_floats
    int pool_count;
} scene;

/// An empty scene; release with scene_free.
scene* scene_new(void);
void scene_free(scene* s);
/// An array that lives with the scene.
float* scene_floats(scene* s, size_t count);
/// Adds a node at rest in its parent's origin; returns its index.
int scene_add(scene* s, const char* name, int parent);
/// All nodes of the list form a new skin.
void scene_skin_over(scene* s, const int* joints, int count);
void scene_channel_add(scene* s, int animation, scene_channel channel);

/// The scene as GLB; release with free.
void scene_glb(const scene* s, void** bytes, size_t* size);

/// World matrices (column major) of all nodes at a time of an animation (-1: rest), by the standard's formulas.
void scene_world(const scene* s, int animation, double time, double (*world)[16]);

#endif
