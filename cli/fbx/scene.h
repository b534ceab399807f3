// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// What scene.c and takes.c share: assimp's scene with its helper nodes folded away.
#ifndef SUREFOOT_FBX_SCENE_H
#define SUREFOOT_FBX_SCENE_H

#include "fbx.h"

#include <assimp/scene.h>

// assimp names the helpers NAME_$AssimpFbx$_COMPONENT.
#define FBX_TAG "_$AssimpFbx$_"

typedef struct fbx_link
{
    char component[32];
    double m[16];
} fbx_link;

// Index of the node with this name (of `size` bytes), -1 where there is none.
int32_t fbx_node_named(const fbx_scene* scene, const char* name, size_t size);
// False where memory runs out.
bool fbx_read_takes(fbx_scene* scene, const struct aiScene* source);

#endif
