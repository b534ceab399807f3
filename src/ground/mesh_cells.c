// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// Problem: of the ten levels of a large mesh's tree a single ray waits for
// memory on half. Method: seen from above, the mesh lies in a grid of cells,
// some four triangles to each. A cell keeps those parts of the tree, leaves as
// a rule, whose boxes reach into it, highest first. A ray straight down looks
// there instead of walking down from the root.
#include "ground/mesh.h"

#define TRIANGLES_A_CELL 5
#define SIDE_MOST 65536 ///< cells along an axis

/// A part of the tree that reaches into a cell: a child as in a node, the top
/// of its box, and its units from and to.
typedef struct mesh_part
{
    uint32_t child;
    float top;
    uint8_t lo[2], hi[2];
} mesh_part;

/// Those of a cell, while they are being found.
typedef struct parts
{
    mesh_part part[MESH_CELL_MOST];
    int count;
} parts;

typedef struct bounds
{
    float lo[3], hi[3];
} bounds;

static bounds bounds_of(const sft_ground_mesh* mesh)
{
    const mesh_node* root = mesh->nodes;
    bounds b;
    for (int k = 0; k < 3; ++k)
    {
        b.lo[k] = root->lo[k][0];
        b.hi[k] = root->hi[k][0];
        for (int i = 1; i < MESH_WIDE; ++i)
        {
            b.lo[k] = root->lo[k][i] < b.lo[k] ? root->lo[k][i] : b.lo[k];
            b.hi[k] = root->hi[k][i] > b.hi[k] ? root->hi[k][i] : b.hi[k];
        }
    }
    return b;
}

static int32_t side_of(double cells)
{
    return cells < 1.0 ? 1 : cells > SIDE_MOST ? SIDE_MOST : (int32_t)cells;
}

// Cells as square as may be. A mesh without width has one row of them.
static void make_grid(sft_ground_mesh* mesh)
{
    const bounds b = bounds_of(mesh);
    const double wide[2] = {(double)b.hi[0] - (double)b.lo[0], (double)b.hi[2] - (double)b.lo[2]};
    const double cells = (double)mesh->triangle_count / TRIANGLES_A_CELL;
    mesh->sides[0] = side_of(wide[1] > 0.0 ? sft_mind(sqrt(cells * wide[0] / wide[1]), cells) : cells);
    mesh->sides[1] = side_of(cells / mesh->sides[0]);
    for (int k = 0; k < 2; ++k)
    {
        mesh->low[k] = (double)b.lo[2 * k];
        mesh->high[k] = (double)b.hi[2 * k];
        mesh->scale[k] = wide[k] > 0.0 ? (double)mesh->sides[k] * MESH_CELL_UNITS / wide[k] : 0.0;
    }
}

static uint8_t within(int32_t unit, int32_t cell)
{
    const int32_t at = unit - cell * MESH_CELL_UNITS;
    return (uint8_t)(at < 0 ? 0 : at >= MESH_CELL_UNITS ? MESH_CELL_UNITS - 1 : at);
}

// The children of a node that reach into a cell.
static int children_in(const sft_ground_mesh* mesh, const mesh_node* n, const int32_t cell[2], mesh_part* out)
{
    int count = 0;
    for (int i = 0; i < MESH_WIDE; ++i)
    {
        if (n->lo[0][i] > n->hi[0][i]) continue;
        bool in = true;
        mesh_part part = {.child = n->child[i], .top = n->hi[1][i]};
        for (int k = 0; k < 2; ++k)
        {
            const int32_t lo = sft_ground_mesh_unit(mesh, k, (double)n->lo[2 * k][i]);
            const int32_t hi = sft_ground_mesh_unit(mesh, k, (double)n->hi[2 * k][i]);
            in = in && lo / MESH_CELL_UNITS <= cell[k] && hi / MESH_CELL_UNITS >= cell[k];
            part.lo[k] = within(lo, cell[k]);
            part.hi[k] = within(hi, cell[k]);
        }
        if (in) out[count++] = part;
    }
    return count;
}

// Nodes are looked into, the first first, as long as their parts find room.
static void find_parts(const sft_ground_mesh* mesh, const int32_t cell[2], parts* p)
{
    p->count = children_in(mesh, mesh->nodes, cell, p->part);
    bool open[MESH_CELL_MOST];
    for (int i = 0; i < p->count; ++i)
        open[i] = (p->part[i].child & MESH_IS_LEAF) == 0;
    for (int i = 0; i < p->count;)
    {
        if (!open[i])
        {
            ++i;
            continue;
        }
        mesh_part inner[MESH_WIDE];
        const int more = children_in(mesh, &mesh->nodes[p->part[i].child], cell, inner);
        if (p->count - 1 + more > MESH_CELL_MOST)
        {
            open[i++] = false;
            continue;
        }
        // The last goes to its place, its parts behind all others: level by level.
        for (int k = i; k + 1 < p->count; ++k)
        {
            p->part[k] = p->part[k + 1];
            open[k] = open[k + 1];
        }
        --p->count;
        for (int k = 0; k < more; ++k)
        {
            open[p->count] = (inner[k].child & MESH_IS_LEAF) == 0;
            p->part[p->count++] = inner[k];
        }
    }
    // Highest first.
    for (int i = 1; i < p->count; ++i)
    {
        const mesh_part part = p->part[i];
        int at = i;
        for (; at > 0 && p->part[at - 1].top < part.top; --at)
            p->part[at] = p->part[at - 1];
        p->part[at] = part;
    }
}

static void fill_cell(const parts* p, mesh_cell* cell)
{
    for (int i = 0; i < MESH_CELL_MOST; ++i)
    {
        const mesh_part none = {.lo = {1, 1}}, *part = i < p->count ? &p->part[i] : &none;
        cell->child[i] = part->child;
        for (int k = 0; k < 2; ++k)
        {
            cell->lo[k][i] = part->lo[k];
            cell->hi[k][i] = part->hi[k];
        }
    }
}

bool sft_ground_mesh_make_cells(sft_ground_mesh* mesh, const sft_allocator* allocator)
{
    if (mesh->triangle_count == 0) return true;
    make_grid(mesh);
    const size_t count = (size_t)mesh->sides[0] * (size_t)mesh->sides[1];
    mesh->cell_block = sft_core_alloc(allocator, count * sizeof *mesh->cells + MESH_LINE, 1);
    if (mesh->cell_block == NULL) return false;
    mesh->cell_count = count;
    mesh->cells = (mesh_cell*)(((uintptr_t)mesh->cell_block + MESH_LINE - 1) / MESH_LINE * MESH_LINE);
    for (size_t c = 0; c < count; ++c)
    {
        const int32_t at[2] = {(int32_t)(c % (size_t)mesh->sides[0]), (int32_t)(c / (size_t)mesh->sides[0])};
        parts p;
        find_parts(mesh, at, &p);
        fill_cell(&p, &mesh->cells[c]);
    }
    return true;
}
