// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// A mesh inside: triangles in the order of the leaves, and a tree of boxes with
// up to four children a node.
#ifndef SUREFOOT_GROUND_MESH_H
#define SUREFOOT_GROUND_MESH_H

#include "core/core.h"
#include "ground/triangle.h"

#define MESH_WIDE 4
#define MESH_LEAF 4 ///< triangles a leaf holds at most
/// Triangles a mesh may have: a child's number holds 28 bits of place.
#define MESH_LIMIT (1 << 28)

/// Nodes from the root to a leaf, at most. Down to MESH_SAH_DEPTH a range may
/// lose a single triangle a node; from there on ranges are halved, so that a
/// node's children have a quarter of its triangles, rounded up: 2^28 of them
/// reach leaves of 4 in 13 more, and one is to spare.
#define MESH_SAH_DEPTH 26
#define MESH_DEPTH (MESH_SAH_DEPTH + 14)
/// Depth first, each node on the way leaves at most three of its children
/// waiting.
#define MESH_STACK ((MESH_WIDE - 1) * MESH_DEPTH + 1)

/// While the tree is built: v[0] and v[1] are the bounds.
typedef struct mesh_triangle
{
    float v[3][3];
    int32_t number; ///< in the def
} mesh_triangle;

/// A child is a node's index, or a leaf: the top bit, the first triangle times
/// 4, its count less 1. Where there is none, the box is empty (lo > hi).
typedef struct mesh_node
{
    float lo[3][MESH_WIDE], hi[3][MESH_WIDE];
    uint32_t child[MESH_WIDE];
    uint32_t unused[4]; ///< two cache lines
} mesh_node;

#define MESH_IS_LEAF UINT32_C(0x80000000)

#define MESH_CELL_MOST 8    ///< parts of the tree a cell keeps
#define MESH_CELL_UNITS 256 ///< that a side of a cell is parted into

/// What of the tree reaches into a cell: children as in a node, highest first,
/// and where in the cell their boxes lie, in units along x, then z. Where there
/// is none, the box is empty (lo > hi). One cache line.
typedef struct mesh_cell
{
    uint32_t child[MESH_CELL_MOST];
    uint8_t lo[2][MESH_CELL_MOST], hi[2][MESH_CELL_MOST];
} mesh_cell;

struct sft_ground_mesh
{
    int32_t triangle_count; ///< with an area
    int32_t node_count;
    mesh_triangle* triangles; ///< [triangle_capacity], the first triangle_count
    mesh_node* nodes;         ///< [node_count], in node_block on a boundary of a cache
                              ///< line; null where empty
    int32_t* bodies;          ///< [body_count] by number; null: all 0
    void* node_block;
    size_t triangle_capacity, node_capacity, body_count;
    // Seen from above, a grid over the whole mesh; [2]: along x and z.
    int32_t sides[2];
    double low[2], high[2], scale[2]; ///< [m], [m], units a metre
    mesh_cell* cells;                 ///< [sides[0] * sides[1]], row by row, in cell_block on a
                                      ///< boundary of a cache line
    void* cell_block;
    size_t cell_count;
    double largest; ///< of all coordinates' magnitudes
};

/// Orders the triangles, whose bounds are set, and makes the nodes. False: out
/// of memory.
bool sft_ground_mesh_build(sft_ground_mesh* mesh, const sft_allocator* allocator);

/// The grid over a tree that is made. False: out of memory.
bool sft_ground_mesh_make_cells(sft_ground_mesh* mesh, const sft_allocator* allocator);

/// The unit a coordinate of the mesh lies in, along x (0) or z (1). Every step
/// keeps order, so what lies within a box in metres does so in units.
SFT_INLINE int32_t sft_ground_mesh_unit(const sft_ground_mesh* mesh, int axis, double x)
{
    const double unit = (x - mesh->low[axis]) * mesh->scale[axis];
    const double most = (double)mesh->sides[axis] * MESH_CELL_UNITS - 1.0;
    return (int32_t)(unit < most ? unit : most);
}

/// Blocks of nodes with room to align.
#define MESH_LINE 64

/// Point, normal, body and number of what was found at a place among the
/// triangles.
void sft_ground_mesh_place(const sft_ground_mesh* mesh, const sft_ground_ray* ray, const sft_ground_touch* touch,
                           int32_t place, sft_ground_hit* hit);

/// A ray straight down, checked before; a mesh with triangles.
bool sft_ground_mesh_fall(const sft_ground_mesh* mesh, sft_v3d origin, double distance, sft_ground_hit* hit);
/// Many, as sft_ground_drop; distance >= 0, and a mesh with triangles.
void sft_ground_mesh_drop(const sft_ground_mesh* mesh, int32_t count, const sft_v3d* origins, double distance,
                          sft_ground_hit* hits);

bool sft_ground_mesh_query(const void* data, sft_v3d origin, sft_v3d direction, double distance, double radius,
                           sft_ground_hit* hit);

#endif
