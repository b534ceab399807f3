// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// A lizard of 30 joints to walk without key frames: hips, spine, neck, head, eyes, tail and four legs of two segments,
// 0.6 m long with its tail. Public headers only. Metres, Y up; it stands on y = 0 and faces +Z.
#ifndef SUREFOOT_SAMPLE_LIZARD_H
#define SUREFOOT_SAMPLE_LIZARD_H

#include "surefoot/surefoot.h"

#define LIZARD_JOINTS 30

// Release with sft_skeleton_destroy.
sft_result lizard_create(sft_skeleton** out);

#endif
