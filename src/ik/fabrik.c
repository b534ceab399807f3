// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// Forward and backward reaching (docs/ik.md): the end is put on the target and every point before it a bone's length
// from its follower; then the root is put back and every point a bone's length from the one before.

#include "ik/chain.h"

static void pass(ik_chain* c)
{
    sft_v3d* p = c->points;
    const double tiny = 1e-12 * c->reach;
    p[c->bones] = c->target;
    for (int32_t i = c->bones - 1; i > 0; --i)
    {
        const sft_v3d v = sft_v3d_sub(p[i], p[i + 1]);
        const double d = sft_v3d_length(v);
        p[i] = d > tiny ? sft_v3d_madd(p[i + 1], c->lengths[i] / d, v)
                        : sft_v3d_madd(p[i + 1], -c->lengths[i], c->dirs[i]);
    }
    p[0] = c->root;
    for (int32_t i = 0; i < c->bones; ++i)
    {
        const sft_v3d v = sft_v3d_sub(p[i + 1], p[i]);
        const double d = sft_v3d_length(v);
        if (d > tiny && c->lengths[i] > 0.0) c->dirs[i] = sft_v3d_scale(1.0 / d, v);
        p[i + 1] = sft_v3d_madd(p[i], c->lengths[i], c->dirs[i]);
    }
}

static double end_miss(const ik_chain* c)
{
    return sft_v3d_distance(c->points[c->bones], c->target);
}

// Rounds, each after an arc: a round alone would fold the tip of a straight chain back towards a target on its line.
static void solve_free(ik_chain* c, sft_ik_report* r)
{
    double miss = r->residual;
    if (c->def->arc && sft_ik_chain_out_of_reach(c))
    {
        r->iterations = 1;
        miss = 0.0;
    }
    while (miss > c->def->tolerance && r->iterations < c->def->iterations)
    {
        ++r->iterations;
        if (c->def->arc)
        {
            sft_ik_chain_shape(c, 1.0);
            miss = sft_ik_chain_lay(c);
            if (miss <= c->def->tolerance) break;
        }
        pass(c);
        miss = end_miss(c);
    }
    r->residual = sft_ik_chain_restore(c);
}

static void solve_limited(ik_chain* c, sft_ik_report* r)
{
    const size_t rotations = (size_t)c->bones * sizeof *c->best;
    double miss = r->residual;
    memcpy(c->best, c->locals, rotations);
    if (c->def->arc && c->def->iterations > 0)
    {
        ++r->iterations;
        miss = sft_ik_chain_try_arc(c, miss);
        if (miss < r->residual) memcpy(c->best, c->locals, rotations);
        r->residual = sft_mind(miss, r->residual);
    }
    while (r->residual > c->def->tolerance && r->iterations < c->def->iterations)
    {
        const double before = r->residual;
        pass(c);
        miss = sft_ik_chain_restore(c);
        ++r->iterations;
        if (miss > 0.5 * before)
        {
            // Limits undid the round: on from the better of the two, by a sweep that keeps them.
            if (miss > before)
            {
                memcpy(c->locals, c->best, rotations);
                sft_ik_chain_forward(c);
            }
            miss = sft_ik_chain_sweep(c);
        }
        if (miss < before)
        {
            memcpy(c->best, c->locals, rotations);
            r->residual = miss;
        }
        if (!(miss < before - SFT_IK_STALL * c->reach)) break;
    }
    memcpy(c->locals, c->best, rotations);
}

sft_result sft_ik_fabrik(const sft_ik_chain_def* def, const sft_ik_chain* joints, sft_v3d target,
                         const sft_ik_pose* pose, sft_ik_scratch scratch, sft_ik_report* report)
{
    ik_chain c;
    const sft_result read = sft_ik_chain_read(def, joints, target, pose, scratch, &c);
    if (read != SFT_OK) return read;
    sft_ik_report r = {.limit_excess = sft_ik_chain_enter_limits(&c)};
    r.residual = sft_ik_chain_forward(&c);
    if (r.residual > def->tolerance && def->iterations > 0)
    {
        if (c.limited)
            solve_limited(&c, &r);
        else
            solve_free(&c, &r);
    }
    sft_ik_chain_write(&c, pose, &r);
    if (report != NULL) *report = r;
    return SFT_OK;
}

// ---- bare points ----

static sft_result check_points(const sft_ik_chain_def* def, int32_t count, const double* lengths, sft_v3d target,
                               const sft_v3d* points)
{
    if (def == NULL || lengths == NULL || points == NULL || count < 2 || count > SFT_MAX_JOINTS) return SFT_ERR_ARG;
    if (!sft_ik_chain_def_ok(def)) return SFT_ERR_DEF;
    bool fine = sft_v3d_in_range(target);
    for (int32_t i = 0; i < count; ++i)
        fine = fine && sft_v3d_in_range(points[i]);
    for (int32_t i = 0; i + 1 < count; ++i)
        fine = fine && lengths[i] >= 0.0 && lengths[i] <= SFT_HUGE;
    return fine ? SFT_OK : SFT_ERR_RANGE;
}

// Puts point `to` a length from point `from`, in the direction it has; *last is that direction, kept where there is
// none.
static void put(sft_v3d* to, sft_v3d from, double length, double tiny, sft_v3d* last)
{
    const sft_v3d v = sft_v3d_sub(*to, from);
    const double d = sft_v3d_length(v);
    if (d > tiny) *last = sft_v3d_scale(1.0 / d, v);
    *to = d > tiny ? sft_v3d_madd(from, length / d, v) : sft_v3d_madd(from, length, *last);
}

sft_result sft_ik_fabrik_points(const sft_ik_chain_def* def, int32_t count, const double* lengths, sft_v3d target,
                                sft_v3d* points, sft_ik_report* report)
{
    const sft_result checked = check_points(def, count, lengths, target, points);
    if (checked != SFT_OK) return checked;
    double reach = 0.0;
    for (int32_t i = 0; i + 1 < count; ++i)
        reach += lengths[i];
    const double tiny = 1e-12 * reach;
    const sft_v3d root = points[0];
    sft_v3d last = sft_v3d_normalize_or(sft_v3d_sub(target, root), sft_v3d_make(1.0, 0.0, 0.0));
    for (int32_t i = 0; i + 1 < count; ++i)
        put(&points[i + 1], points[i], lengths[i], tiny, &last);
    sft_ik_report r = {.residual = sft_v3d_distance(points[count - 1], target)};
    while (r.residual > def->tolerance && r.iterations < def->iterations)
    {
        points[count - 1] = target;
        for (int32_t i = count - 2; i > 0; --i)
            put(&points[i], points[i + 1], lengths[i], tiny, &last);
        last = sft_v3d_scale(-1.0, last);
        points[0] = root;
        for (int32_t i = 0; i + 1 < count; ++i)
            put(&points[i + 1], points[i], lengths[i], tiny, &last);
        r.residual = sft_v3d_distance(points[count - 1], target);
        ++r.iterations;
    }
    for (int32_t i = 0; i + 1 < count; ++i)
        r.bone_error = sft_maxd(r.bone_error, fabs(sft_v3d_distance(points[i], points[i + 1]) - lengths[i]));
    r.reached = r.residual <= def->tolerance;
    if (report != NULL) *report = r;
    return SFT_OK;
}
