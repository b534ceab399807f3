// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// Method: docs/gltf.md, "Scale". Polar factors by Newton's iteration (Higham 1986, "Computing the polar
// decomposition").

#include "gltf/fold.h"

#include <math.h>

// Relative; a matrix this near to its translation, rotation and scale is them, written with 16 digits.
#define SAME_MATRIX 1e-13
// Relative; a matrix this near can go out as them: exporters compute in floats.
#define NEAR_MATRIX 1e-5
// A stretch this near to size * identity is that.
#define EVEN_STRETCH 1e-14

static const double IDENTITY[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};

static void multiply(const double* a, const double* b, double* out)
{
    double m[9];
    for (int r = 0; r < 3; ++r)
        for (int c = 0; c < 3; ++c)
            m[3 * r + c] = a[3 * r] * b[c] + a[3 * r + 1] * b[3 + c] + a[3 * r + 2] * b[6 + c];
    memcpy(out, m, sizeof m);
}

static void transpose(const double* a, double* out)
{
    const double m[9] = {a[0], a[3], a[6], a[1], a[4], a[7], a[2], a[5], a[8]};
    memcpy(out, m, sizeof m);
}

static sft_v3d apply(const double* a, sft_v3d v)
{
    return (sft_v3d){a[0] * v.x + a[1] * v.y + a[2] * v.z, a[3] * v.x + a[4] * v.y + a[5] * v.z,
                     a[6] * v.x + a[7] * v.y + a[8] * v.z};
}

static sft_v3d apply_transposed(const double* a, sft_v3d v)
{
    return (sft_v3d){a[0] * v.x + a[3] * v.y + a[6] * v.z, a[1] * v.x + a[4] * v.y + a[7] * v.z,
                     a[2] * v.x + a[5] * v.y + a[8] * v.z};
}

// Cofactors: inverse transposed times determinant, which is returned.
static double cofactors(const double* a, double* out)
{
    const double m[9] = {a[4] * a[8] - a[5] * a[7], a[5] * a[6] - a[3] * a[8], a[3] * a[7] - a[4] * a[6],
                         a[2] * a[7] - a[1] * a[8], a[0] * a[8] - a[2] * a[6], a[1] * a[6] - a[0] * a[7],
                         a[1] * a[5] - a[2] * a[4], a[2] * a[3] - a[0] * a[5], a[0] * a[4] - a[1] * a[3]};
    memcpy(out, m, sizeof m);
    return a[0] * m[0] + a[1] * m[1] + a[2] * m[2];
}

static double norm(const double* a)
{
    double sum = 0.0;
    for (int i = 0; i < 9; ++i)
        sum += a[i] * a[i];
    return sqrt(sum);
}

static void matrix_of(sft_quatd q, double* out)
{
    const double xx = q.x * q.x, yy = q.y * q.y, zz = q.z * q.z, xy = q.x * q.y, xz = q.x * q.z, yz = q.y * q.z;
    const double wx = q.w * q.x, wy = q.w * q.y, wz = q.w * q.z;
    const double m[9] = {1 - 2 * (yy + zz), 2 * (xy - wz), 2 * (xz + wy), 2 * (xy + wz),    1 - 2 * (xx + zz),
                         2 * (yz - wx),     2 * (xz - wy), 2 * (yz + wx), 1 - 2 * (xx + yy)};
    memcpy(out, m, sizeof m);
}

// Of a rotation matrix; the largest component is found first, so that nothing cancels.
static sft_quatd quaternion_of(const double* m)
{
    const double trace = m[0] + m[4] + m[8];
    sft_quatd q;
    if (trace > m[0] && trace > m[4] && trace > m[8])
        q = (sft_quatd){m[7] - m[5], m[2] - m[6], m[3] - m[1], 1.0 + trace};
    else if (m[0] >= m[4] && m[0] >= m[8])
        q = (sft_quatd){1.0 + 2.0 * m[0] - trace, m[1] + m[3], m[2] + m[6], m[7] - m[5]};
    else if (m[4] >= m[8])
        q = (sft_quatd){m[1] + m[3], 1.0 + 2.0 * m[4] - trace, m[5] + m[7], m[2] - m[6]};
    else
        q = (sft_quatd){m[2] + m[6], m[5] + m[7], 1.0 + 2.0 * m[8] - trace, m[3] - m[1]};
    return sft_quatd_normalize(q);
}

// Newton's iteration to the orthogonal factor, scaled so that the norms of the iterate and of its inverse meet. False
// where the matrix is singular.
static bool newton(const double* a, double* q)
{
    const double size = norm(a);
    if (!(size > 0.0) || !isfinite(size)) return false;
    double u[9];
    for (int i = 0; i < 9; ++i)
        u[i] = a[i] / size;
    for (int step = 0; step < 40; ++step)
    {
        double inverse[9];
        const double determinant = cofactors(u, inverse);
        if (!(fabs(determinant) > 1e-30)) return false;
        for (int i = 0; i < 9; ++i)
            inverse[i] /= determinant;
        const double g = sqrt(norm(inverse) / norm(u));
        double change = 0.0;
        for (int i = 0; i < 9; ++i)
        {
            const double next = 0.5 * (g * u[i] + inverse[i] / g);
            change = sft_maxd(change, fabs(next - u[i]));
            u[i] = next;
        }
        if (change < 1e-15) break;
    }
    memcpy(q, u, sizeof u);
    return true;
}

// Orthogonal factor of any matrix. Where a scale is (nearly) zero, the directions it flattens are those of `like`.
static void orthogonal_factor(const double* a, const double* like, double* q)
{
    const double size = norm(a);
    double scratch[9];
    const double determinant = cofactors(a, scratch);
    if (fabs(determinant) > 1e-12 * size * size * size && newton(a, q)) return;
    double mixed[9];
    double share = 1e-6;
    for (int attempt = 0; attempt < 4; ++attempt, share *= 3.0)
    {
        for (int i = 0; i < 9; ++i)
            mixed[i] = a[i] + share * size * like[i];
        if (newton(mixed, q)) return;
    }
    memcpy(q, like, 9 * sizeof *q);
}

gltf_carry sft_gltf_carry_none(void)
{
    gltf_carry carry = {.even = true, .size = 1.0, .turn = 1.0};
    memcpy(carry.q, IDENTITY, sizeof IDENTITY);
    memcpy(carry.a, IDENTITY, sizeof IDENTITY);
    return carry;
}

// Q * L * Q^T turns about Q's image of the axis, the other way round below a mirror. What is orthogonal by computation
// only would let the length drift.
sft_quatd sft_gltf_carry_turn(const gltf_carry* above, sft_quatd local)
{
    const sft_v3d axis = apply(above->q, (sft_v3d){local.x, local.y, local.z});
    const sft_quatd q = {above->turn * axis.x, above->turn * axis.y, above->turn * axis.z, local.w};
    return above->even ? q : sft_quatd_normalize(q);
}

sft_quatd sft_gltf_carry_turn_back(const gltf_carry* above, sft_quatd rigid)
{
    const sft_v3d axis = apply_transposed(above->q, (sft_v3d){rigid.x, rigid.y, rigid.z});
    const sft_quatd q = {above->turn * axis.x, above->turn * axis.y, above->turn * axis.z, rigid.w};
    return above->even ? q : sft_quatd_normalize(q);
}

sft_v3d sft_gltf_carry_move(const gltf_carry* above, sft_v3d local)
{
    return apply(above->a, local);
}

bool sft_gltf_carry_move_back(const gltf_carry* above, sft_v3d rigid, sft_v3d* local)
{
    if (above->even)
    {
        if (above->size == 0.0) return false;
        const sft_v3d turned = apply_transposed(above->q, rigid);
        *local = (sft_v3d){turned.x / above->size, turned.y / above->size, turned.z / above->size};
        return true;
    }
    double c[9];
    const double determinant = cofactors(above->a, c);
    const double size = norm(above->a);
    if (!(fabs(determinant) > 1e-12 * size * size * size)) return false;
    const sft_v3d turned = apply_transposed(c, rigid);
    *local = (sft_v3d){turned.x / determinant, turned.y / determinant, turned.z / determinant};
    return true;
}

static double sign_of(double x)
{
    return x < 0.0 ? -1.0 : 1.0;
}

static void scale_columns(const double* a, double x, double y, double z, double* out)
{
    for (int r = 0; r < 9; r += 3)
    {
        out[r] = a[r] * x;
        out[r + 1] = a[r + 1] * y;
        out[r + 2] = a[r + 2] * z;
    }
}

// A stretch of the same size in all directions, but for mirrors.
static bool uniform(const gltf_stretch* stretch)
{
    return stretch->plain && fabs(stretch->s.x) == fabs(stretch->s.y) && fabs(stretch->s.y) == fabs(stretch->s.z);
}

// Q times the signs of the scale.
static void mirror(const gltf_carry* above, sft_v3d s, gltf_carry* below)
{
    scale_columns(above->q, sign_of(s.x), sign_of(s.y), sign_of(s.z), below->q);
    below->turn = above->turn * sign_of(s.x) * sign_of(s.y) * sign_of(s.z);
}

// A is size * Q where its factor H is size * identity.
static void find_even(gltf_carry* carry)
{
    double h[9], qt[9];
    transpose(carry->q, qt);
    multiply(carry->a, qt, h);
    const double size = (h[0] + h[4] + h[8]) / 3.0;
    for (int i = 0; i < 9; ++i)
        if (fabs(h[i] - size * IDENTITY[i]) > EVEN_STRETCH * size) return;
    carry->even = true;
    carry->size = size;
    for (int i = 0; i < 9; ++i)
        carry->a[i] = size * carry->q[i];
}

void sft_gltf_carry_below(const gltf_carry* above, sft_quatd local, const gltf_stretch* stretch, gltf_carry* below)
{
    const sft_v3d s = stretch->s;
    gltf_carry c = {.even = false};
    if (above->even && stretch->plain)
    {
        // X^T * size * Q * L is size * Q again, and the factor of Q * S is Q times the signs of S.
        mirror(above, s, &c);
        if (uniform(stretch))
        {
            c.even = true;
            c.size = above->size * fabs(s.x);
            for (int i = 0; i < 9; ++i)
                c.a[i] = c.size * c.q[i];
        }
        else
            scale_columns(above->a, s.x, s.y, s.z, c.a);
        *below = c;
        return;
    }
    double x[9], l[9], m[9];
    matrix_of(sft_gltf_carry_turn(above, local), x);
    transpose(x, x);
    matrix_of(local, l);
    multiply(x, above->a, m);
    multiply(m, l, m);
    if (stretch->plain)
        scale_columns(m, s.x, s.y, s.z, c.a);
    else
        multiply(m, stretch->m, c.a);
    if (uniform(stretch))
        mirror(above, s, &c);
    else
    {
        double scratch[9];
        orthogonal_factor(c.a, above->q, c.q);
        c.turn = sign_of(cofactors(c.q, scratch));
        find_even(&c);
    }
    *below = c;
}

bool sft_gltf_carry_shears(const gltf_carry* carry)
{
    if (carry->even) return false;
    // H's distance from size * identity bounds the ratio of its stretches from above, within a factor of two.
    double h[9], qt[9];
    transpose(carry->q, qt);
    multiply(carry->a, qt, h);
    const double size = (h[0] + h[4] + h[8]) / 3.0;
    double sum = 0.0;
    for (int i = 0; i < 9; ++i)
        sum += (h[i] - size * IDENTITY[i]) * (h[i] - size * IDENTITY[i]);
    return !(sqrt(sum) <= GLTF_SHEAR * size);
}

// ---- rest transforms of nodes ----

// Largest difference between a node's matrix and its translation, rotation and scale, relative.
static double matrix_error(const gltf_node* node)
{
    double m[9];
    matrix_of(node->r, m);
    scale_columns(m, node->s.x, node->s.y, node->s.z, m);
    double error = 0.0, size = 0.0;
    for (int r = 0; r < 3; ++r)
        for (int c = 0; c < 3; ++c)
        {
            const double value = node->matrix[4 * c + r];
            error = sft_maxd(error, fabs(m[3 * r + c] - value));
            size = sft_maxd(size, fabs(value));
        }
    return size > 0.0 ? error / size : error;
}

bool sft_gltf_is_trs(const gltf_node* node)
{
    return node->matrix == NULL || matrix_error(node) <= NEAR_MATRIX;
}

void sft_gltf_rest_local(const gltf_node* node, gltf_local* out)
{
    *out = (gltf_local){node->t, node->r, {.plain = true, .s = node->s}};
    if (node->matrix == NULL || node->as_trs || matrix_error(node) <= SAME_MATRIX) return;
    double linear[9], q[9], qt[9], r[9];
    for (int row = 0; row < 3; ++row)
        for (int column = 0; column < 3; ++column)
            linear[3 * row + column] = node->matrix[4 * column + row];
    matrix_of(node->r, r);
    scale_columns(r, sign_of(node->s.x), sign_of(node->s.y), sign_of(node->s.z), r);
    orthogonal_factor(linear, r, q);
    // A mirror stays in the stretch, with the signs of the node's scale, so that what turns is a rotation.
    scale_columns(q, sign_of(node->s.x), sign_of(node->s.y), sign_of(node->s.z), q);
    double scratch[9];
    if (cofactors(q, scratch) < 0.0) scale_columns(q, -1.0, 1.0, 1.0, q);
    out->r = quaternion_of(q);
    matrix_of(out->r, r);
    transpose(r, qt);
    multiply(qt, linear, out->stretch.m);
    out->stretch.plain = false;
}

// ---- what stands above the roots ----

static void fold_base(const sft_gltf* gltf, const gltf_base* above, int32_t node, gltf_base* out)
{
    gltf_local local;
    sft_gltf_rest_local(&gltf->nodes[node], &local);
    const gltf_base none = {{{0, 0, 0}, sft_quatd_identity()}, sft_gltf_carry_none()};
    const gltf_base* base = above != NULL ? above : &none;
    const sft_xformd rigid = {sft_gltf_carry_move(&base->carry, local.t), sft_gltf_carry_turn(&base->carry, local.r)};
    out->x = sft_xformd_mul(base->x, rigid);
    sft_gltf_carry_below(&base->carry, local.r, &local.stretch, &out->carry);
}

bool sft_gltf_fold_bases(const sft_gltf* gltf, const sft_allocator* allocator, gltf_bases* out)
{
    gltf_bases b = {.slot_count = (size_t)gltf->node_count};
    b.slots = sft_core_alloc(allocator, b.slot_count, sizeof *b.slots);
    if (b.slots == NULL) return false;
    for (size_t i = 0; i < b.slot_count; ++i)
        b.slots[i] = -1;
    // Slots are given out going up, so each run of them ends with the node nearest to the top.
    for (int32_t j = 0; j < gltf->view.joint_count; ++j)
        if (gltf->joint_parents[j] < 0)
            for (int32_t n = gltf->nodes[gltf->joint_nodes[j]].parent; n >= 0 && b.slots[n] < 0;
                 n = gltf->nodes[n].parent)
                b.slots[n] = (int32_t)b.count++;
    b.list = sft_core_alloc(allocator, b.count, sizeof *b.list);
    int32_t* nodes = sft_core_alloc(allocator, b.count, sizeof *nodes);
    const bool fine = b.list != NULL && nodes != NULL;
    if (fine)
    {
        for (size_t i = 0; i < b.slot_count; ++i)
            if (b.slots[i] >= 0) nodes[b.slots[i]] = (int32_t)i;
        for (size_t run = 0; run < b.count;)
        {
            size_t end = run + 1;
            while (end < b.count && gltf->nodes[nodes[end - 1]].parent == nodes[end])
                ++end;
            for (size_t s = end; s-- > run;)
            {
                const int32_t parent = gltf->nodes[nodes[s]].parent;
                fold_base(gltf, parent >= 0 ? &b.list[b.slots[parent]] : NULL, nodes[s], &b.list[s]);
            }
            run = end;
        }
    }
    sft_core_free(allocator, nodes, b.count, sizeof *nodes);
    if (!fine)
        sft_gltf_free_bases(&b, allocator);
    else
        *out = b;
    return fine;
}

void sft_gltf_free_bases(gltf_bases* bases, const sft_allocator* allocator)
{
    sft_core_free(allocator, bases->list, bases->count, sizeof *bases->list);
    sft_core_free(allocator, bases->slots, bases->slot_count, sizeof *bases->slots);
    *bases = (gltf_bases){0};
}

const gltf_base* sft_gltf_base_above(const sft_gltf* gltf, const gltf_bases* bases, int32_t joint)
{
    const int32_t node = gltf->nodes[gltf->joint_nodes[joint]].parent;
    return node >= 0 ? &bases->list[bases->slots[node]] : NULL;
}
