// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// Problem: a tree of boxes over triangles that costs rays little, the same everywhere, of a depth that is known.
// Method: binned surface area heuristic (Wald, "On fast construction of SAH-based bounding volume hierarchies", 2007),
// three splits a node of four. Ties go to the smaller axis and bin; where no split parts the middles of the boxes, and
// from a depth on (MESH_SAH_DEPTH), ranges are halved as they lie.
#include "ground/mesh.h"

#define BINS 16

typedef struct box
{
    float lo[3], hi[3];
} box;

typedef struct range
{
    int32_t first, count;
    box bounds;
} range;

typedef struct task
{
    int32_t first, count;
    int32_t parent, slot; ///< where the node's index goes; parent -1: the root
    int32_t depth;
} task;

static box empty_box(void)
{
    const float far = (float)(2.0 * SFT_HUGE);
    return (box){{far, far, far}, {-far, -far, -far}};
}

static void grow(box* b, const float lo[3], const float hi[3])
{
    for (int k = 0; k < 3; ++k)
    {
        b->lo[k] = lo[k] < b->lo[k] ? lo[k] : b->lo[k];
        b->hi[k] = hi[k] > b->hi[k] ? hi[k] : b->hi[k];
    }
}

static double half_area(const box* b)
{
    const double x = (double)b->hi[0] - (double)b->lo[0], y = (double)b->hi[1] - (double)b->lo[1];
    const double z = (double)b->hi[2] - (double)b->lo[2];
    return x * y + y * z + z * x;
}

static box bounds_of(const mesh_triangle* t, int32_t first, int32_t count)
{
    box b = empty_box();
    for (int32_t i = first; i < first + count; ++i)
        grow(&b, t[i].v[0], t[i].v[1]);
    return b;
}

// ---- bins ----

/// Twice the middles, and how many bins go to a metre of them; 0 where an axis does not part them.
typedef struct binning
{
    float lo[3], scale[3];
} binning;

static int bin_of(const binning* b, const mesh_triangle* t, int axis)
{
    const int bin = (int)((t->v[0][axis] + t->v[1][axis] - b->lo[axis]) * b->scale[axis]);
    return bin < BINS - 1 ? bin : BINS - 1;
}

static binning make_binning(const mesh_triangle* t, const range* r)
{
    box b = empty_box();
    for (int k = 0; k < 3; ++k)
    {
        b.lo[k] *= 2.0f;
        b.hi[k] *= 2.0f;
    }
    for (int32_t i = r->first; i < r->first + r->count; ++i)
    {
        const float middle[3] = {t[i].v[0][0] + t[i].v[1][0], t[i].v[0][1] + t[i].v[1][1], t[i].v[0][2] + t[i].v[1][2]};
        grow(&b, middle, middle);
    }
    binning out;
    for (int k = 0; k < 3; ++k)
    {
        const float wide = b.hi[k] - b.lo[k];
        out.lo[k] = b.lo[k];
        // Narrower than a picometre, a scale could be infinite.
        out.scale[k] = wide > 1e-12f ? (float)BINS / wide : 0.0f;
    }
    return out;
}

typedef struct bins
{
    box bounds[3][BINS];
    int32_t count[3][BINS];
} bins;

static void fill_bins(const mesh_triangle* t, const range* r, const binning* b, bins* out)
{
    for (int k = 0; k < 3; ++k)
        for (int i = 0; i < BINS; ++i)
        {
            out->bounds[k][i] = empty_box();
            out->count[k][i] = 0;
        }
    for (int32_t i = r->first; i < r->first + r->count; ++i)
        for (int k = 0; k < 3; ++k)
        {
            if (b->scale[k] == 0.0f) continue;
            const int bin = bin_of(b, &t[i], k);
            grow(&out->bounds[k][bin], t[i].v[0], t[i].v[1]);
            out->count[k][bin] += 1;
        }
}

/// The cheapest split of an axis: bins below *split go left. False where none parts the range.
static bool best_of_axis(const bins* b, int axis, double* cost, int* split)
{
    double right_cost[BINS];
    box right = empty_box();
    int32_t behind = 0;
    for (int i = BINS - 1; i > 0; --i)
    {
        grow(&right, b->bounds[axis][i].lo, b->bounds[axis][i].hi);
        behind += b->count[axis][i];
        right_cost[i] = behind > 0 ? half_area(&right) * behind : -1.0;
    }
    box left = empty_box();
    int32_t before = 0;
    bool found = false;
    for (int i = 1; i < BINS; ++i)
    {
        grow(&left, b->bounds[axis][i - 1].lo, b->bounds[axis][i - 1].hi);
        before += b->count[axis][i - 1];
        if (before == 0 || right_cost[i] < 0.0) continue;
        const double c = half_area(&left) * before + right_cost[i];
        if (!(c < *cost)) continue;
        *cost = c;
        *split = i;
        found = true;
    }
    return found;
}

static int32_t partition(mesh_triangle* t, const range* r, const binning* b, int axis, int split)
{
    int32_t lo = r->first, hi = r->first + r->count - 1;
    for (;;)
    {
        while (lo <= hi && bin_of(b, &t[lo], axis) < split)
            ++lo;
        while (lo <= hi && bin_of(b, &t[hi], axis) >= split)
            --hi;
        if (lo > hi) return lo - r->first;
        const mesh_triangle swap = t[lo];
        t[lo++] = t[hi];
        t[hi--] = swap;
    }
}

static void halve(const mesh_triangle* t, const range* r, range* left, range* right)
{
    *left = (range){.first = r->first, .count = r->count - r->count / 2};
    *right = (range){.first = r->first + left->count, .count = r->count / 2};
    left->bounds = bounds_of(t, left->first, left->count);
    right->bounds = bounds_of(t, right->first, right->count);
}

static void split_range(mesh_triangle* t, const range* r, range* left, range* right)
{
    const binning b = make_binning(t, r);
    bins all;
    fill_bins(t, r, &b, &all);
    double cost = HUGE_VAL;
    int axis = -1, split = 0;
    for (int k = 0; k < 3; ++k)
        if (b.scale[k] != 0.0f && best_of_axis(&all, k, &cost, &split)) axis = k;
    if (axis < 0)
    {
        halve(t, r, left, right);
        return;
    }
    const int32_t count = partition(t, r, &b, axis, split);
    *left = (range){.first = r->first, .count = count, .bounds = empty_box()};
    *right = (range){.first = r->first + count, .count = r->count - count, .bounds = empty_box()};
    for (int i = 0; i < BINS; ++i)
        grow(i < split ? &left->bounds : &right->bounds, all.bounds[axis][i].lo, all.bounds[axis][i].hi);
}

// ---- nodes ----

static mesh_node* align(void* block)
{
    const uintptr_t at = ((uintptr_t)block + MESH_LINE - 1) / MESH_LINE * MESH_LINE;
    return (mesh_node*)at;
}

static bool reserve(sft_ground_mesh* mesh, const sft_allocator* allocator, size_t capacity)
{
    void* block = sft_core_alloc(allocator, capacity * sizeof(mesh_node) + MESH_LINE, 1);
    if (block == NULL) return false;
    if (mesh->node_count > 0) memcpy(align(block), mesh->nodes, (size_t)mesh->node_count * sizeof(mesh_node));
    sft_core_free(allocator, mesh->node_block, mesh->node_capacity * sizeof(mesh_node) + MESH_LINE, 1);
    mesh->node_block = block;
    mesh->nodes = align(block);
    mesh->node_capacity = capacity;
    return true;
}

/// Parts a task's triangles into at most four ranges. Returns their number.
static int widen(mesh_triangle* t, const task* job, range out[MESH_WIDE])
{
    out[0] = (range){.first = job->first, .count = job->count, .bounds = bounds_of(t, job->first, job->count)};
    int count = 1;
    while (count < MESH_WIDE)
    {
        // The one that costs most; below MESH_SAH_DEPTH the longest.
        int which = -1;
        double most = -1.0;
        for (int i = 0; i < count; ++i)
        {
            const double cost = job->depth < MESH_SAH_DEPTH ? half_area(&out[i].bounds) * out[i].count : out[i].count;
            if (out[i].count <= MESH_LEAF || !(cost > most)) continue;
            most = cost;
            which = i;
        }
        if (which < 0) break;
        const range whole = out[which];
        if (job->depth < MESH_SAH_DEPTH)
            split_range(t, &whole, &out[which], &out[count]);
        else
            halve(t, &whole, &out[which], &out[count]);
        ++count;
    }
    return count;
}

static void fill_node(mesh_node* node, const range* ranges, int count)
{
    const box none = empty_box();
    for (int i = 0; i < MESH_WIDE; ++i)
    {
        const box* b = i < count ? &ranges[i].bounds : &none;
        for (int k = 0; k < 3; ++k)
        {
            node->lo[k][i] = b->lo[k];
            node->hi[k][i] = b->hi[k];
        }
        node->child[i] = MESH_IS_LEAF;
        if (i < count && ranges[i].count <= MESH_LEAF)
            node->child[i] |= (uint32_t)ranges[i].first * MESH_LEAF + (uint32_t)(ranges[i].count - 1);
    }
}

bool sft_ground_mesh_build(sft_ground_mesh* mesh, const sft_allocator* allocator)
{
    if (mesh->triangle_count == 0) return true;
    task stack[MESH_STACK];
    int waiting = 0;
    stack[waiting++] = (task){.count = mesh->triangle_count, .parent = -1};
    // Ground as people model it takes about a seventh as many nodes as triangles; at worst it is a third.
    if (!reserve(mesh, allocator, (size_t)mesh->triangle_count / 5 + 2)) return false;
    while (waiting > 0)
    {
        const task job = stack[--waiting];
        range ranges[MESH_WIDE];
        const int count = widen(mesh->triangles, &job, ranges);
        if ((size_t)mesh->node_count == mesh->node_capacity &&
            !reserve(mesh, allocator, mesh->node_capacity + mesh->node_capacity / 4 + 2))
            return false;
        const int32_t index = mesh->node_count++;
        fill_node(&mesh->nodes[index], ranges, count);
        if (job.parent >= 0) mesh->nodes[job.parent].child[job.slot] = (uint32_t)index;
        for (int i = count - 1; i >= 0; --i)
            if (ranges[i].count > MESH_LEAF)
                stack[waiting++] = (task){ranges[i].first, ranges[i].count, index, i, job.depth + 1};
    }
    return (size_t)mesh->node_count + mesh->node_capacity / 8 >= mesh->node_capacity ||
           reserve(mesh, allocator, (size_t)mesh->node_count);
}
