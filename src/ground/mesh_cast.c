// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// Rays and spheres through the tree of a mesh. The answer does not depend on the tree: a triangle counts only where the
// way passes its own box, at a time clamped to that passage, and the box of a node, computed in the same steps, lets
// through at least what the boxes in it do, since rounding keeps order.
#include "ground/mesh.h"

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

#if defined(__GNUC__)
#define PREFETCH(p) __builtin_prefetch(p)
#else
#define PREFETCH(p) ((void)(p))
#endif

typedef struct query
{
    const sft_ground_mesh* mesh;
    sft_ground_ray ray;
    double o_lo[3], o_hi[3]; ///< origin, plus and minus what boxes grow by
    double pace[3];          ///< 1 / direction
    sft_ground_touch best;   ///< its t is the length of the way until something is found
    int32_t found;           ///< place of the best triangle; -1: none
} query;

/// A child that waits, and when the way enters its box.
typedef struct waiting
{
    uint32_t child;
    double from;
} waiting;

/// The child with the key (smaller: sooner) goes to its place among the `count` last of the stack.
static void push(waiting* stack, int* top, int count, uint32_t child, double from)
{
    int at = *top;
    for (int i = 0; i < count && stack[at - 1].from < from; ++i, --at)
        stack[at] = stack[at - 1];
    stack[at] = (waiting){child, from};
    *top += 1;
}

static const mesh_triangle* leaf_of(const query* q, uint32_t child, int* count)
{
    *count = (int)(child % MESH_LEAF) + 1;
    return &q->mesh->triangles[(child & ~MESH_IS_LEAF) / MESH_LEAF];
}

static void widen(const mesh_triangle* t, double v[3][3])
{
    for (int c = 0; c < 3; ++c)
        for (int k = 0; k < 3; ++k)
            v[c][k] = (double)t->v[c][k];
}

/// Takes the touch where it comes first.
static void offer(query* q, const mesh_triangle* t, sft_ground_touch touch)
{
    if (q->found >= 0)
    {
        const mesh_triangle* other = &q->mesh->triangles[q->found];
        if (touch.t > q->best.t) return;
        if (touch.t == q->best.t &&
            (touch.gap > q->best.gap || (touch.gap == q->best.gap && t->number > other->number)))
            return;
    }
    q->best = touch;
    q->found = (int32_t)(t - q->mesh->triangles);
}

// ---- any direction ----

/// When the way is within a box that has grown; *from > *to where it is not.
static void pass(const query* q, const float lo[3], const float hi[3], double* from, double* to)
{
    *from = 0.0;
    *to = q->ray.length;
    for (int k = 0; k < 3; ++k)
    {
        const double a = ((double)lo[k] - q->o_lo[k]) * q->pace[k], b = ((double)hi[k] - q->o_hi[k]) * q->pace[k];
        *from = sft_maxd(*from, sft_mind(a, b));
        *to = sft_mind(*to, sft_maxd(a, b));
    }
}

static void ask_triangle(query* q, const mesh_triangle* t)
{
    double v[3][3], from, to;
    sft_ground_touch touch = {0};
    float lo[3], hi[3];
    for (int k = 0; k < 3; ++k)
    {
        const float a = t->v[0][k], b = t->v[1][k], c = t->v[2][k];
        lo[k] = a < b ? (a < c ? a : c) : (b < c ? b : c);
        hi[k] = a > b ? (a > c ? a : c) : (b > c ? b : c);
    }
    pass(q, lo, hi, &from, &to);
    if (from > to || from > q->best.t) return;
    widen(t, v);
    if (q->ray.radius > 0.0)
    {
        if (!sft_ground_sphere_triangle(&q->ray, v[0], v[1], v[2], &touch)) return;
    }
    else if (!sft_ground_ray_triangle(&q->ray, v[0], v[1], v[2], &touch.t))
        return;
    touch.t = sft_mind(sft_maxd(touch.t, from), to);
    offer(q, t, touch);
}

static void ask_node(const query* q, const mesh_node* node, waiting* stack, int* top)
{
    double from[MESH_WIDE] = {0.0, 0.0, 0.0, 0.0}, to[MESH_WIDE];
    for (int i = 0; i < MESH_WIDE; ++i)
        to[i] = q->best.t;
    for (int k = 0; k < 3; ++k)
        for (int i = 0; i < MESH_WIDE; ++i)
        {
            const double a = ((double)node->lo[k][i] - q->o_lo[k]) * q->pace[k];
            const double b = ((double)node->hi[k][i] - q->o_hi[k]) * q->pace[k];
            from[i] = sft_maxd(from[i], sft_mind(a, b));
            to[i] = sft_mind(to[i], sft_maxd(a, b));
        }
    int count = 0;
    for (int i = 0; i < MESH_WIDE; ++i)
        if (from[i] <= to[i] && node->lo[0][i] <= node->hi[0][i]) push(stack, top, count++, node->child[i], from[i]);
}

static void walk(query* q)
{
    waiting stack[MESH_STACK];
    int top = 0;
    ask_node(q, q->mesh->nodes, stack, &top);
    while (top > 0)
    {
        const waiting next = stack[--top];
        if (next.from > q->best.t) continue;
        if ((next.child & MESH_IS_LEAF) == 0)
        {
            ask_node(q, &q->mesh->nodes[next.child], stack, &top);
            continue;
        }
        int count;
        const mesh_triangle* t = leaf_of(q, next.child, &count);
        for (int i = 0; i < count; ++i)
            ask_triangle(q, &t[i]);
    }
}

static void prepare(query* q)
{
    const sft_ground_ray* r = &q->ray;
    // Corners are sheared with an error of a few 2^-53 of the way from the origin to them (docs/ground.md).
    double reach = q->mesh->largest + r->radius;
    for (int k = 0; k < 3; ++k)
        reach = sft_maxd(reach, q->mesh->largest + r->radius + fabs(r->o[k]));
    const double grow = r->radius + 0x1p-46 * reach;
    for (int k = 0; k < 3; ++k)
    {
        q->o_lo[k] = r->o[k] + grow;
        q->o_hi[k] = r->o[k] - grow;
        // No infinity, whose product with 0 is no number; over the whole reach this leans the way by less than it grew.
        const double d = fabs(r->d[k]) < 0x1p-60 ? 0x1p-60 : r->d[k];
        q->pace[k] = 1.0 / d;
    }
}

// ---- straight down ----

// The largest float below or at x, and the smallest above or at it.
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

/// Boxes over which the origin is, as floats: a float box contains x where it contains both floats next to it.
typedef struct column
{
    float x_lo, x_hi, z_lo, z_hi, top, bottom;
} column;

// Below what can still count; lower by more than a difference of doubles was rounded.
static float bottom_of(const query* q)
{
    const double length = sft_mind(q->best.t, 4.0 * SFT_HUGE), y = q->ray.o[1];
    return step(floor_float(y - length - 0x1p-50 * (fabs(y) + length)), -1);
}

/// Which children the column meets, as bits.
static unsigned over(const mesh_node* n, const column* c)
{
#if defined(__SSE2__)
    // Comparisons only: the same bits as below.
    const __m128 x = _mm_and_ps(_mm_cmple_ps(_mm_load_ps(n->lo[0]), _mm_set1_ps(c->x_lo)),
                                _mm_cmpge_ps(_mm_load_ps(n->hi[0]), _mm_set1_ps(c->x_hi)));
    const __m128 y = _mm_and_ps(_mm_cmple_ps(_mm_load_ps(n->lo[1]), _mm_set1_ps(c->top)),
                                _mm_cmpge_ps(_mm_load_ps(n->hi[1]), _mm_set1_ps(c->bottom)));
    const __m128 z = _mm_and_ps(_mm_cmple_ps(_mm_load_ps(n->lo[2]), _mm_set1_ps(c->z_lo)),
                                _mm_cmpge_ps(_mm_load_ps(n->hi[2]), _mm_set1_ps(c->z_hi)));
    return (unsigned)_mm_movemask_ps(_mm_and_ps(_mm_and_ps(x, y), z));
#else
    unsigned bits = 0;
    for (unsigned i = 0; i < MESH_WIDE; ++i)
    {
        const bool in = (n->lo[0][i] <= c->x_lo) & (n->hi[0][i] >= c->x_hi) & (n->lo[2][i] <= c->z_lo) &
                        (n->hi[2][i] >= c->z_hi) & (n->lo[1][i] <= c->top) & (n->hi[1][i] >= c->bottom);
        bits |= (unsigned)in << i;
    }
    return bits;
#endif
}

static void fetch(const query* q, uint32_t child)
{
    const bool leaf = (child & MESH_IS_LEAF) != 0;
    const char* first = leaf ? (const char*)&q->mesh->triangles[(child & ~MESH_IS_LEAF) / MESH_LEAF]
                             : (const char*)&q->mesh->nodes[child];
    PREFETCH(first);
    PREFETCH(first + MESH_LINE);
    if (leaf) PREFETCH(first + 2 * MESH_LINE);
}

static void ask_node_down(const query* q, const column* c, const mesh_node* n, waiting* stack, int* top)
{
    int count = 0;
    for (unsigned bits = over(n, c), i = 0; bits != 0; bits >>= 1, ++i)
    {
        if ((bits & 1) == 0) continue;
        fetch(q, n->child[i]);
        push(stack, top, count++, n->child[i], -(double)n->hi[1][i]);
    }
}

static void ask_leaf_down(query* q, uint32_t child)
{
    int count;
    const mesh_triangle* t = leaf_of(q, child, &count);
    for (int i = 0; i < count; ++i)
    {
        double v[3][3];
        sft_ground_touch touch = {0};
        widen(&t[i], v);
        if (sft_ground_ray_triangle(&q->ray, v[0], v[1], v[2], &touch.t)) offer(q, &t[i], touch);
    }
}

static void walk_down(query* q)
{
    waiting stack[MESH_STACK];
    int top = 0;
    column c = {floor_float(q->ray.o[0]), ceil_float(q->ray.o[0]),  floor_float(q->ray.o[2]),
                ceil_float(q->ray.o[2]),  floor_float(q->ray.o[1]), bottom_of(q)};
    ask_node_down(q, &c, q->mesh->nodes, stack, &top);
    while (top > 0)
    {
        const waiting next = stack[--top];
        if (-next.from < (double)c.bottom) continue;
        if ((next.child & MESH_IS_LEAF) == 0)
            ask_node_down(q, &c, &q->mesh->nodes[next.child], stack, &top);
        else
        {
            ask_leaf_down(q, next.child);
            c.bottom = bottom_of(q);
        }
    }
}

bool sft_ground_mesh_query(const void* data, sft_v3d origin, sft_v3d direction, double distance, double radius,
                           sft_ground_hit* hit)
{
    const sft_ground_mesh* mesh = data;
    if (mesh == NULL || mesh->triangle_count == 0) return false;
    query q = {.mesh = mesh, .ray = sft_ground_ray_make(origin, direction, distance, radius), .found = -1};
    q.best.t = distance;
    if (radius == 0.0 && direction.x == 0.0 && direction.z == 0.0 && direction.y < 0.0)
        walk_down(&q);
    else
    {
        prepare(&q);
        walk(&q);
    }
    if (q.found < 0) return false;
    const mesh_triangle* t = &mesh->triangles[q.found];
    double v[3][3];
    sft_v3d n = {0.0, 0.0, 0.0};
    widen(t, v);
    sft_ground_normal(v[0], v[1], v[2], direction, &n);
    sft_ground_place(&q.ray, &q.best, n, hit);
    hit->body = mesh->bodies != NULL ? mesh->bodies[t->number] : 0;
    hit->triangle = t->number;
    return true;
}
