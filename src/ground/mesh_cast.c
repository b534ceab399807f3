// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// Rays and spheres through the tree of a mesh. The answer does not depend on the tree: a triangle counts only where the
// way passes its own box, at a time clamped to that passage, and the box of a node, computed in the same steps, lets
// through at least what the boxes in it do, since rounding keeps order.
#include "ground/mesh.h"

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

void sft_ground_mesh_place(const sft_ground_mesh* mesh, const sft_ground_ray* ray, const sft_ground_touch* touch,
                           int32_t place, sft_ground_hit* hit)
{
    const mesh_triangle* t = &mesh->triangles[place];
    double v[3][3];
    sft_v3d n = {0.0, 0.0, 0.0};
    widen(t, v);
    sft_ground_normal(v[0], v[1], v[2], sft_v3d_make(ray->d[0], ray->d[1], ray->d[2]), &n);
    sft_ground_place(ray, touch, n, hit);
    hit->body = mesh->bodies != NULL ? mesh->bodies[t->number] : 0;
    hit->triangle = t->number;
}

bool sft_ground_mesh_query(const void* data, sft_v3d origin, sft_v3d direction, double distance, double radius,
                           sft_ground_hit* hit)
{
    const sft_ground_mesh* mesh = data;
    if (mesh == NULL || mesh->triangle_count == 0) return false;
    if (radius == 0.0 && direction.x == 0.0 && direction.z == 0.0 && direction.y < 0.0)
        return sft_ground_mesh_fall(mesh, origin, distance, hit);
    query q = {.mesh = mesh, .ray = sft_ground_ray_make(origin, direction, distance, radius), .found = -1};
    q.best.t = distance;
    prepare(&q);
    walk(&q);
    if (q.found < 0) return false;
    sft_ground_mesh_place(mesh, &q.ray, &q.best, q.found, hit);
    return true;
}
