// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// A second figure beside the walker, to move motion onto: a stocky child of 1.2 m with short legs, a root on the ground
// above its pelvis, three spine joints, two necks, twist joints, fingers, arms that hang at a slant, and the names and
// bone axes of another tool. Public headers only. Metres, Y up; it faces +Z.
#ifndef SUREFOOT_SAMPLE_FIGURE_H
#define SUREFOOT_SAMPLE_FIGURE_H

#include "surefoot/surefoot.h"

// `turned`: each joint's Y axis runs along its bone, as tools that draw bones have it; else axes are those of the
// model, as in BVH. Places of joints are the same. Release with sft_skeleton_destroy.
sft_result figure_create(bool turned, sft_skeleton** out);

#endif
