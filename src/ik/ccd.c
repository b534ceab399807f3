// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// Cyclic coordinate descent: each joint in turn brings the end as near to the target as it alone can (docs/ik.md).

#include "ik/chain.h"

// Turn about the axis that brings `end` nearest to `target`, both seen from the joint; at most `damping`.
static sft_quatd turn_about(sft_v3d axis, sft_v3d end, sft_v3d target, double damping)
{
    const sft_v3d e = sft_ik_across(end, axis), t = sft_ik_across(target, axis);
    const double angle = sft_atan2(sft_v3d_dot(sft_v3d_cross(e, t), axis), sft_v3d_dot(e, t));
    return sft_quatd_exp(sft_v3d_scale(sft_clampd(angle, -damping, damping), axis));
}

static sft_quatd turn_freely(sft_v3d end, sft_v3d target, sft_v3d fallback, double damping)
{
    const double le = sft_v3d_length(end), lt = sft_v3d_length(target);
    const sft_v3d e = sft_v3d_scale(1.0 / le, end), t = sft_v3d_scale(1.0 / lt, target);
    const sft_v3d square = sft_v3d_normalize_or(sft_ik_across(fallback, e), sft_v3d_any_perp(e));
    const sft_quatd q = sft_ik_swing(e, t, square);
    if (damping >= SFT_PI) return q;
    const sft_v3d v = sft_quatd_log(q);
    const double angle = sft_v3d_length(v);
    return angle > damping ? sft_quatd_exp(sft_v3d_scale(damping / angle, v)) : q;
}

// One joint's step. `parent` carries the joint, `at` is its position, *end is the chain's end before and after.
static void step(ik_chain* c, int32_t i, sft_quatd parent, sft_v3d at, sft_v3d* end)
{
    const sft_v3d e = sft_v3d_sub(*end, at), t = sft_v3d_sub(c->target, at);
    const double tiny = 1e-9 * c->reach;
    if (!(sft_v3d_length(e) > tiny) || !(sft_v3d_length(t) > tiny)) return;
    const sft_limit* limit = sft_ik_chain_limit(c, i);
    const sft_quatd is = sft_quatd_mul(parent, c->locals[i]);
    sft_quatd turn;
    if (limit != NULL && limit->kind == SFT_LIMIT_HINGE)
    {
        const sft_v3d axis = sft_quatd_rotate(sft_quatd_mul(parent, limit->reference), limit->axis);
        turn = turn_about(axis, e, t, c->def->damping);
    }
    else
        turn = turn_freely(e, t, sft_quatd_rotate(is, sft_v3d_any_perp(c->axes[i])), c->def->damping);
    sft_quatd local = sft_quatd_mul(sft_quatd_conjugate(parent), sft_quatd_mul(turn, is));
    local = sft_limit_clamp(limit, sft_quatd_normalize(local), NULL);
    const sft_quatd made = sft_quatd_mul(sft_quatd_mul(parent, local), sft_quatd_conjugate(is));
    const sft_v3d moved = sft_v3d_add(at, sft_quatd_rotate(made, e));
    // The nearest allowed rotation is not always one that helps.
    if (!(sft_v3d_distance(moved, c->target) < sft_v3d_distance(*end, c->target))) return;
    c->locals[i] = local;
    *end = moved;
}

double sft_ik_chain_sweep(ik_chain* c)
{
    // What carries each joint does not turn before its own turn comes, so one pass down gives all of it.
    sft_quatd parent = c->above;
    for (int32_t i = 0; i < c->bones; ++i)
    {
        c->carriers[i] = parent;
        const sft_quatd r = sft_quatd_mul(parent, c->locals[i]);
        parent = c->direct ? r : sft_quatd_mul(r, c->between[i]);
    }
    sft_v3d end = c->points[c->bones];
    for (int32_t i = c->bones - 1; i >= 0; --i)
        step(c, i, c->carriers[i], c->points[i], &end);
    return sft_ik_chain_forward(c);
}

// The arc, limits kept, by its own sense, or by the other where that one does little; or the chain as it was.
double sft_ik_chain_try_arc(ik_chain* c, double residual)
{
    const size_t rotations = (size_t)c->bones * sizeof *c->best;
    memcpy(c->spare, c->locals, rotations);
    double least = residual;
    bool found = false;
    for (int way = 0; way < (c->limited ? 2 : 1); ++way)
    {
        if (way > 0)
        {
            memcpy(c->locals, c->spare, rotations);
            sft_ik_chain_forward(c);
        }
        sft_ik_chain_shape(c, way == 0 ? 1.0 : -1.0);
        sft_ik_chain_lay(c);
        double left = sft_ik_chain_restore(c);
        // Where limits cut the arc short its end may lie anywhere, but the chain is bent, and that is what sweeps need.
        if (c->limited && left > c->def->tolerance) left = sft_ik_chain_sweep(c);
        if (!(left < least)) continue;
        least = left;
        found = true;
        memcpy(c->trial, c->locals, rotations);
        // Not the better of the two at any price: near ties would flick from one side to the other.
        if (left <= 0.5 * residual) break;
    }
    memcpy(c->locals, found ? c->trial : c->spare, rotations);
    return sft_ik_chain_forward(c);
}

sft_result sft_ik_ccd(const sft_ik_chain_def* def, const sft_ik_chain* joints, sft_v3d target, const sft_ik_pose* pose,
                      sft_ik_scratch scratch, sft_ik_report* report)
{
    ik_chain c;
    const sft_result read = sft_ik_chain_read(def, joints, target, pose, scratch, &c);
    if (read != SFT_OK) return read;
    sft_ik_report r = {.limit_excess = sft_ik_chain_enter_limits(&c)};
    r.residual = sft_ik_chain_forward(&c);
    const bool arc = def->arc && def->damping >= SFT_PI;
    if (def->iterations > 0 && r.residual > def->tolerance && arc && !c.limited && sft_ik_chain_out_of_reach(&c))
    {
        r.iterations = 1;
        sft_ik_chain_lay(&c);
        r.residual = sft_ik_chain_restore(&c);
    }
    else if (r.residual > def->tolerance)
    {
        if (arc && def->iterations > 0)
        {
            r.iterations = 1;
            r.residual = sft_ik_chain_try_arc(&c, r.residual);
        }
        while (r.residual > def->tolerance && r.iterations < def->iterations)
        {
            const double before = r.residual;
            r.residual = sft_ik_chain_sweep(&c);
            ++r.iterations;
            // Hardly anything turned: no more will.
            if (!(r.residual < before - SFT_IK_STALL * c.reach)) break;
        }
    }
    sft_ik_chain_write(&c, pose, &r);
    if (report != NULL) *report = r;
    return SFT_OK;
}
