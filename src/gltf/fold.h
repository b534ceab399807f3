// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// Scales of nodes folded into a rigid skeleton (docs/gltf.md, "Scale").
//
// The linear part of a node's world transform is kept as R * A: R a rotation, A what the scales above left over, with
// its polar form A = H * Q (H symmetric and not negative, Q orthogonal). Below it stands a node with rotation L and
// stretch S: R * A * L * S = (R * X) * (X^T * A * L * S) with X = Q * L * Q^T. So the rigid skeleton turns by X and
// moves by A * t, and X^T * A * L * S is what is left over for the next one. X is L carried over by an orthogonal
// matrix and nothing else, whatever H is: that is what makes it simple to put back.
#ifndef SUREFOOT_GLTF_FOLD_H
#define SUREFOOT_GLTF_FOLD_H

#include "gltf/gltf.h"

/// Shears by less than this (greatest over least stretch, less one) are rounding of exporters: putting a rotation back
/// below one moves bones by no more than this part of their length.
#define GLTF_SHEAR 1e-4

/// A, with Q.
typedef struct gltf_carry
{
    bool even;   ///< A = size * Q: turning below it leaves it as it is
    double size; ///< where even
    double turn; ///< determinant of q: 1, or -1 below a mirror
    double q[9]; ///< row major
    double a[9]; ///< row major
} gltf_carry;

/// What stands between a node's translation and rotation and its children: a scale, or for matrices any 3x3.
typedef struct gltf_stretch
{
    bool plain; ///< `s` says it all
    sft_v3d s;
    double m[9]; ///< row major, where not plain
} gltf_stretch;

/// A node's own transform: t + r * stretch.
typedef struct gltf_local
{
    sft_v3d t;
    sft_quatd r;
    gltf_stretch stretch;
} gltf_local;

/// Rigid transform and what is left over.
typedef struct gltf_base
{
    sft_xformd x;
    gltf_carry carry;
} gltf_base;

gltf_carry sft_gltf_carry_none(void);
/// X and its inverse.
sft_quatd sft_gltf_carry_turn(const gltf_carry* above, sft_quatd local);
sft_quatd sft_gltf_carry_turn_back(const gltf_carry* above, sft_quatd rigid);
/// A * t and its inverse; false where A has none (a scale of zero), *local untouched.
sft_v3d sft_gltf_carry_move(const gltf_carry* above, sft_v3d local);
bool sft_gltf_carry_move_back(const gltf_carry* above, sft_v3d rigid, sft_v3d* local);
/// What is left over below a node.
void sft_gltf_carry_below(const gltf_carry* above, sft_quatd local, const gltf_stretch* stretch, gltf_carry* below);
/// Whether A shears by more than GLTF_SHEAR.
bool sft_gltf_carry_shears(const gltf_carry* carry);

/// The node's rest transform. A matrix that is no translation, rotation and scale keeps its shear.
void sft_gltf_rest_local(const gltf_node* node, gltf_local* out);
/// Whether the matrix of a node (if it has one) can be written as translation, rotation and scale.
bool sft_gltf_is_trs(const gltf_node* node);

/// World transform of what stands above each root joint, folded.
typedef struct gltf_bases
{
    size_t count;
    gltf_base* list;
    int32_t* slots; ///< node_count: entry of the list, -1 none
    size_t slot_count;
} gltf_bases;

/// False when memory is short. Release with sft_gltf_free_bases.
bool sft_gltf_fold_bases(const sft_gltf* gltf, const sft_allocator* allocator, gltf_bases* out);
void sft_gltf_free_bases(gltf_bases* bases, const sft_allocator* allocator);
/// That above a joint without parent; null where nothing is.
const gltf_base* sft_gltf_base_above(const sft_gltf* gltf, const gltf_bases* bases, int32_t joint);

#endif
