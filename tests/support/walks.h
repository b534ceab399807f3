// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// Real clips of the optional data folder, in metres with legs and labels, their slide taken out.
#ifndef SUREFOOT_SUPPORT_WALKS_H
#define SUREFOOT_SUPPORT_WALKS_H

#include "support/support.h"

typedef struct walk
{
    sft_skeleton* skeleton;
    sft_clip* clip;
    sft_leg legs[SFT_MAX_LEGS];
    int32_t leg_count, first;
    sft_contact_labels* labels;
} walk;

/// bvh/NAME.bvh; false, with a word, where it is absent.
bool walk_load(const char* name, walk* out);
/// A clip of a glTF file.
bool walk_load_gltf(const char* relative, const char* clip_name, walk* out);
/// Takes ownership of skeleton and clip, in metres; finds legs and labels and cleans.
void walk_finish(walk* w);
void walk_release(walk* w);
sft_clip* walk_copy(const walk* w);

#endif
