// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// A scene as the library takes it: written as GLB, read, and one animation of it as a clip.
#ifndef SUREFOOT_SUPPORT_GLTF_TAKEN_H
#define SUREFOOT_SUPPORT_GLTF_TAKEN_H

#include "gltf_scene.h"
#include "surefoot/gltf.h"

typedef struct taken
{
    sft_gltf* gltf;
    void* bytes;
    sft_skeleton* skeleton;
    sft_clip* clip;
    sft_gltf_frames frames;
    sft_gltf_animation info;                     ///< of the animation; zero of the rest pose
    uint8_t all[SCENE_NODES], none[SCENE_NODES]; ///< for `changed`: every joint, no joint
} taken;

/// animation -1: the rest pose. The test fails where it cannot be taken.
taken take(const scene* s, int32_t animation, const sft_gltf_clip_def* def);
void drop(taken* t);
/// [s] of a frame of animation 0, at its keys where those are the frames.
double time_of_frame(const scene* s, const taken* t, int32_t frame);

#endif
