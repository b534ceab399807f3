// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// Rays straight down through the tree of a mesh, as feet ask them: boxes are
// compared, not divided by, and of many rays several are under way at once, so
// that one goes on while another waits for memory. Bit for bit what mesh_cast.c
// finds.
#include "ground/mesh.h"

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

#if defined(__GNUC__)
#define PREFETCH(p) __builtin_prefetch(p)
#else
#define PREFETCH(p) ((void)(p))
#endif

#define TOGETHER 12 ///< rays under way at once; measured: 8 to 16 do alike

typedef struct waiting
{
    uint32_t child;
    float top; ///< of its box
} waiting;

/// The column of a ray as floats: a float box contains x where it contains both
/// floats next to it.
typedef struct fall
{
    float x_lo, x_hi, z_lo, z_hi, top, bottom;
    double o[3];
    double best;           ///< the length of the way until something is found
    int32_t found;         ///< place of the best triangle; -1: none
    int32_t index;         ///< of the ray
    const mesh_cell* cell; ///< to be looked into first; null: it was, or there is none
    uint8_t unit[2];       ///< where in it, along x and z
    int waits;
    waiting stack[MESH_STACK + MESH_CELL_MOST];
} fall;

// ---- floats next to a double ----

static float step(float x, int way)
{
    // Bits of a float count up with its magnitude.
    if (x == 0.0f) return way > 0 ? 0x1p-149f : -0x1p-149f;
    int32_t bits;
    memcpy(&bits, &x, sizeof bits);
    bits += (x > 0.0f) == (way > 0) ? 1 : -1;
    memcpy(&x, &bits, sizeof bits);
    return x;
}

static float floor_float(double x)
{
    const float f = (float)x;
    return (double)f > x ? step(f, -1) : f;
}

static float ceil_float(double x)
{
    const float f = (float)x;
    return (double)f < x ? step(f, 1) : f;
}

// Below what can still count; lower by more than a difference of doubles was
// rounded.
static float bottom_of(const fall* f)
{
    const double length = sft_mind(f->best, 4.0 * SFT_HUGE), y = f->o[1];
    return step(floor_float(y - length - 0x1p-50 * (fabs(y) + length)), -1);
}

// ---- one step ----

/// Which children the column meets, as bits.
static unsigned over(const mesh_node* n, const fall* f)
{
#if defined(__SSE2__)
    // Comparisons only: the same bits as below.
    const __m128 x = _mm_and_ps(_mm_cmple_ps(_mm_load_ps(n->lo[0]), _mm_set1_ps(f->x_lo)),
                                _mm_cmpge_ps(_mm_load_ps(n->hi[0]), _mm_set1_ps(f->x_hi)));
    const __m128 y = _mm_and_ps(_mm_cmple_ps(_mm_load_ps(n->lo[1]), _mm_set1_ps(f->top)),
                                _mm_cmpge_ps(_mm_load_ps(n->hi[1]), _mm_set1_ps(f->bottom)));
    const __m128 z = _mm_and_ps(_mm_cmple_ps(_mm_load_ps(n->lo[2]), _mm_set1_ps(f->z_lo)),
                                _mm_cmpge_ps(_mm_load_ps(n->hi[2]), _mm_set1_ps(f->z_hi)));
    return (unsigned)_mm_movemask_ps(_mm_and_ps(_mm_and_ps(x, y), z));
#else
    unsigned bits = 0;
    for (unsigned i = 0; i < MESH_WIDE; ++i)
    {
        const bool in = (n->lo[0][i] <= f->x_lo) & (n->hi[0][i] >= f->x_hi) & (n->lo[2][i] <= f->z_lo) &
                        (n->hi[2][i] >= f->z_hi) & (n->lo[1][i] <= f->top) & (n->hi[1][i] >= f->bottom);
        bits |= (unsigned)in << i;
    }
    return bits;
#endif
}

static const mesh_triangle* leaf_of(const sft_ground_mesh* mesh, uint32_t child)
{
    return &mesh->triangles[(child & ~MESH_IS_LEAF) / MESH_LEAF];
}

static void fetch(const sft_ground_mesh* mesh, uint32_t child)
{
    const bool leaf = (child & MESH_IS_LEAF) != 0;
    const char* first = leaf ? (const char*)leaf_of(mesh, child) : (const char*)&mesh->nodes[child];
    PREFETCH(first);
    PREFETCH(first + MESH_LINE);
    if (leaf) PREFETCH(first + sizeof(mesh_triangle) * MESH_LEAF - 1);
}

static unsigned lowest(unsigned bits)
{
#if defined(__GNUC__)
    return (unsigned)__builtin_ctz(bits);
#else
    unsigned i = 0;
    while ((bits >> i & 1) == 0)
        ++i;
    return i;
#endif
}

/// The highest child on top of the stack.
static void ask_node(const sft_ground_mesh* mesh, fall* f, uint32_t node)
{
    const mesh_node* n = &mesh->nodes[node];
    const int first = f->waits;
    for (unsigned bits = over(n, f); bits != 0; bits &= bits - 1)
    {
        const unsigned i = lowest(bits);
        fetch(mesh, n->child[i]);
        int at = f->waits++;
        for (; at > first && f->stack[at - 1].top > n->hi[1][i]; --at)
            f->stack[at] = f->stack[at - 1];
        f->stack[at] = (waiting){n->child[i], n->hi[1][i]};
    }
}

static void ask_leaf(const sft_ground_mesh* mesh, fall* f, uint32_t child)
{
    const mesh_triangle* t = leaf_of(mesh, child);
    const mesh_triangle* end = t + child % MESH_LEAF + 1;
    const double x = f->o[0], y = f->o[1], z = f->o[2];
    bool found = false;
    for (; t < end; ++t)
    {
        double height;
        // The axes as sft_ground_ray_make turns them.
        if (!sft_ground_pierce((double)t->v[0][2] - z, (double)t->v[0][0] - x, (double)t->v[0][1] - y,
                               (double)t->v[1][2] - z, (double)t->v[1][0] - x, (double)t->v[1][1] - y,
                               (double)t->v[2][2] - z, (double)t->v[2][0] - x, (double)t->v[2][1] - y, &height))
            continue;
        const double depth = 0.0 - height;
        if (!(depth >= 0.0) || depth > f->best) continue;
        if (depth == f->best && f->found >= 0 && t->number > mesh->triangles[f->found].number) continue;
        f->best = depth;
        f->found = (int32_t)(t - mesh->triangles);
        found = true;
    }
    if (found) f->bottom = bottom_of(f);
}

static void begin(const sft_ground_mesh* mesh, fall* f, const sft_ground_ray* down, int32_t index, sft_v3d origin)
{
    const sft_ground_ray r = sft_ground_ray_from(down, origin);
    memcpy(f->o, r.o, sizeof f->o);
    f->x_lo = floor_float(r.o[0]);
    f->x_hi = ceil_float(r.o[0]);
    f->z_lo = floor_float(r.o[2]);
    f->z_hi = ceil_float(r.o[2]);
    f->top = floor_float(r.o[1]);
    f->best = r.length;
    f->bottom = bottom_of(f);
    f->found = -1;
    f->index = index;
    f->waits = 0;
    f->cell = NULL;
    // What lies beside the mesh meets nothing.
    if (!(r.o[0] >= mesh->low[0] && r.o[0] <= mesh->high[0] && r.o[2] >= mesh->low[1] && r.o[2] <= mesh->high[1]))
        return;
    const int32_t u = sft_ground_mesh_unit(mesh, 0, r.o[0]), w = sft_ground_mesh_unit(mesh, 1, r.o[2]);
    f->cell = &mesh->cells[(size_t)(w / MESH_CELL_UNITS) * (size_t)mesh->sides[0] + (size_t)(u / MESH_CELL_UNITS)];
    PREFETCH(f->cell);
    f->unit[0] = (uint8_t)(u % MESH_CELL_UNITS);
    f->unit[1] = (uint8_t)(w % MESH_CELL_UNITS);
}

/// Which parts of its cell the column meets, as bits.
static unsigned within(const mesh_cell* c, const uint8_t unit[2])
{
#if defined(__SSE2__)
    const __m128i at = _mm_unpacklo_epi64(_mm_set1_epi8((char)unit[0]), _mm_set1_epi8((char)unit[1]));
    const __m128i lo = _mm_load_si128((const __m128i*)(const void*)c->lo);
    const __m128i hi = _mm_load_si128((const __m128i*)(const void*)c->hi);
    const __m128i in =
        _mm_and_si128(_mm_cmpeq_epi8(_mm_max_epu8(at, lo), at), _mm_cmpeq_epi8(_mm_min_epu8(at, hi), at));
    const unsigned bits = (unsigned)_mm_movemask_epi8(in);
    return bits & bits >> MESH_CELL_MOST & 0xffu;
#else
    unsigned bits = 0;
    for (unsigned i = 0; i < MESH_CELL_MOST; ++i)
    {
        const bool in =
            (c->lo[0][i] <= unit[0]) & (c->hi[0][i] >= unit[0]) & (c->lo[1][i] <= unit[1]) & (c->hi[1][i] >= unit[1]);
        bits |= (unsigned)in << i;
    }
    return bits;
#endif
}

/// Those parts wait, the highest on top.
static void enter_cell(const sft_ground_mesh* mesh, fall* f)
{
    const mesh_cell* c = f->cell;
    f->cell = NULL;
    unsigned bits = within(c, f->unit);
    int last = 0;
    for (unsigned rest = bits; rest != 0; rest &= rest - 1)
        ++last;
    f->waits = last;
    for (; bits != 0; bits &= bits - 1)
    {
        const uint32_t child = c->child[lowest(bits)];
        fetch(mesh, child);
        f->stack[--last] = (waiting){child, (float)SFT_HUGE};
    }
}

/// False: nothing is left to ask.
static bool go_on(const sft_ground_mesh* mesh, fall* f)
{
    if (f->cell != NULL)
    {
        enter_cell(mesh, f);
        return true;
    }
    while (f->waits > 0)
    {
        const waiting next = f->stack[--f->waits];
        if (next.top < f->bottom) continue;
        if ((next.child & MESH_IS_LEAF) == 0)
            ask_node(mesh, f, next.child);
        else
            ask_leaf(mesh, f, next.child);
        return true;
    }
    return false;
}

static bool finish(const sft_ground_mesh* mesh, const fall* f, const sft_ground_ray* down, sft_v3d origin,
                   sft_ground_hit* hit)
{
    if (f->found < 0) return false;
    const sft_ground_ray ray = sft_ground_ray_from(down, origin);
    const sft_ground_touch touch = {.t = f->best};
    sft_ground_mesh_place(mesh, &ray, &touch, f->found, hit);
    return true;
}

static sft_ground_ray straight_down(double distance)
{
    return sft_ground_ray_make(sft_v3d_make(0.0, 0.0, 0.0), sft_v3d_make(0.0, -1.0, 0.0), distance, 0.0);
}

// ---- from outside ----

bool sft_ground_mesh_fall(const sft_ground_mesh* mesh, sft_v3d origin, double distance, sft_ground_hit* hit)
{
    const sft_ground_ray down = straight_down(distance);
    fall f;
    begin(mesh, &f, &down, 0, origin);
    while (go_on(mesh, &f))
        ;
    return finish(mesh, &f, &down, origin, hit);
}

/// Starts the next ray that can be asked in a free place; false where there is
/// none. Those that cannot hit nothing.
static bool start(const sft_ground_mesh* mesh, fall* f, const sft_ground_ray* down, int32_t count,
                  const sft_v3d* origins, sft_ground_hit* hits, int32_t* next)
{
    while (*next < count)
    {
        const int32_t i = (*next)++;
        hits[i] = (sft_ground_hit){.triangle = -2};
        if (!sft_v3d_in_range(origins[i])) continue;
        begin(mesh, f, down, i, origins[i]);
        return true;
    }
    return false;
}

void sft_ground_mesh_drop(const sft_ground_mesh* mesh, int32_t count, const sft_v3d* origins, double distance,
                          sft_ground_hit* hits)
{
    const sft_ground_ray down = straight_down(distance);
    fall falls[TOGETHER];
    int under_way = 0;
    int32_t next = 0;
    while (under_way < TOGETHER && start(mesh, &falls[under_way], &down, count, origins, hits, &next))
        ++under_way;
    while (under_way > 0)
        for (int k = 0; k < under_way;)
        {
            fall* f = &falls[k];
            if (go_on(mesh, f))
            {
                ++k;
                continue;
            }
            finish(mesh, f, &down, origins[f->index], &hits[f->index]);
            // Its place goes to the next ray, whose cell is on its way, or the last
            // one moves here.
            if (start(mesh, f, &down, count, origins, hits, &next))
                ++k;
            else if (--under_way > k)
                *f = falls[under_way];
        }
}
