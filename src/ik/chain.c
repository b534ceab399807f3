// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// Reads a chain out of a pose, turns points back into rotations, and writes them (docs/ik.md).

#include "ik/chain.h"

#define CHAIN_COOKIE UINT32_C(0x2b04e1c6)
// Below this part of the reach a bone has no length, and two points have no direction.
#define NO_LENGTH 1e-12
// Half a turn [rad] by less is none.
#define NO_TURN 1e-13

sft_ik_chain_def sft_default_ik_chain_def(void)
{
    return (sft_ik_chain_def){.iterations = 20,
                              .tolerance = 1e-3,
                              .limits = NULL,
                              .damping = SFT_PI,
                              .arc = true,
                              .bend = {0.0, 0.0, 0.0},
                              .cookie = CHAIN_COOKIE};
}

bool sft_ik_chain_def_ok(const sft_ik_chain_def* def)
{
    return def->cookie == CHAIN_COOKIE && def->iterations >= 0 && def->tolerance >= 0.0 && def->tolerance <= SFT_HUGE &&
           def->damping > 0.0 && sft_v3d_in_range(def->bend);
}

size_t sft_ik_chain_scratch_size(int32_t joint_count)
{
    if (joint_count < 2 || joint_count > SFT_MAX_JOINTS) return 0;
    return (size_t)joint_count * (3 * sizeof(sft_v3d) + 7 * sizeof(sft_quatd) + sizeof(double));
}

static void lay_scratch(ik_chain* c, void* memory)
{
    const size_t n = (size_t)c->bones;
    // All of doubles, so everything is aligned as the first is.
    c->source = memory;
    c->locals = c->source + n;
    c->best = c->locals + n;
    c->between = c->best + n;
    c->trial = c->between + n;
    c->spare = c->trial + n;
    c->carriers = c->spare + n;
    c->points = (sft_v3d*)(void*)(c->carriers + n);
    c->dirs = c->points + n + 1;
    c->axes = c->dirs + n;
    c->lengths = (double*)(void*)(c->axes + n);
}

// Adds up what lies from joint `to` up to its ancestor `from`; false where that is none, or something is not finite.
static bool read_bone(ik_chain* c, const sft_skeleton* skeleton, const sft_ik_pose* pose, int32_t i)
{
    const int32_t from = c->joints[i], to = c->joints[i + 1];
    sft_v3d v = pose->local_t[to];
    sft_quatd q = sft_quatd_identity();
    int32_t j = skeleton->parents[to];
    for (; j > from; j = skeleton->parents[j])
    {
        if (!sft_ik_unit_quat(pose->local_r[j])) return false;
        v = sft_v3d_add(pose->local_t[j], sft_quatd_rotate(pose->local_r[j], v));
        q = sft_quatd_mul(pose->local_r[j], q);
        c->direct = false;
    }
    c->between[i] = q;
    c->lengths[i] = sft_v3d_length(v);
    c->axes[i] = v;
    c->source[i] = pose->local_r[from];
    c->locals[i] = pose->local_r[from];
    c->reach += c->lengths[i];
    return j == from && sft_v3d_in_range(v) && sft_ik_unit_quat(pose->local_r[from]);
}

static sft_result check_joints(const sft_ik_chain* joints)
{
    if (joints->skeleton == NULL || joints->joints == NULL) return SFT_ERR_ARG;
    if (joints->joint_count < 2 || joints->joint_count > SFT_MAX_JOINTS) return SFT_ERR_ARG;
    for (int32_t i = 0; i < joints->joint_count; ++i)
        if (joints->joints[i] < 0 || joints->joints[i] >= joints->skeleton->joint_count) return SFT_ERR_ARG;
    for (int32_t i = 0; i + 1 < joints->joint_count; ++i)
    {
        int32_t j = joints->joints[i + 1];
        while (j > joints->joints[i])
            j = joints->skeleton->parents[j];
        if (j != joints->joints[i] || joints->joints[i + 1] == j) return SFT_ERR_ARG;
    }
    return SFT_OK;
}

static sft_result check_limits(ik_chain* c)
{
    c->limited = false;
    if (c->def->limits == NULL) return SFT_OK;
    for (int32_t i = 0; i < c->bones; ++i)
    {
        const sft_limit* limit = &c->def->limits[c->joints[i]];
        if (sft_limit_check(limit) != SFT_OK) return SFT_ERR_DEF;
        if (limit->kind != SFT_LIMIT_FREE) c->limited = true;
    }
    return SFT_OK;
}

static sft_result read_pose(ik_chain* c, const sft_skeleton* skeleton, const sft_ik_pose* pose)
{
    const int32_t root = c->joints[0];
    sft_xformd above = {{0.0, 0.0, 0.0}, sft_quatd_identity()};
    for (int32_t j = skeleton->parents[root]; j >= 0; j = skeleton->parents[j])
    {
        if (!sft_ik_unit_quat(pose->local_r[j])) return SFT_ERR_RANGE;
        above = sft_xformd_mul((sft_xformd){pose->local_t[j], pose->local_r[j]}, above);
    }
    c->above = above.r;
    c->root = sft_xformd_apply(above, pose->local_t[root]);
    if (!sft_v3d_in_range(c->root)) return SFT_ERR_RANGE;
    for (int32_t i = 0; i < c->bones; ++i)
        if (!read_bone(c, skeleton, pose, i)) return SFT_ERR_RANGE;
    const double tiny = NO_LENGTH * c->reach;
    for (int32_t i = 0; i < c->bones; ++i)
    {
        const bool has_length = c->lengths[i] > tiny;
        if (!has_length) c->lengths[i] = 0.0;
        c->axes[i] = has_length ? sft_v3d_scale(1.0 / c->lengths[i], c->axes[i]) : sft_v3d_make(0.0, 1.0, 0.0);
    }
    return SFT_OK;
}

sft_result sft_ik_chain_read(const sft_ik_chain_def* def, const sft_ik_chain* joints, sft_v3d target,
                             const sft_ik_pose* pose, sft_ik_scratch scratch, ik_chain* chain)
{
    if (def == NULL || joints == NULL || pose == NULL || pose->local_t == NULL || pose->local_r == NULL)
        return SFT_ERR_ARG;
    const sft_result fine = check_joints(joints);
    if (fine != SFT_OK) return fine;
    if (!sft_ik_chain_def_ok(def)) return SFT_ERR_DEF;
    if (!sft_v3d_in_range(target)) return SFT_ERR_RANGE;
    if (scratch.memory == NULL || scratch.size < sft_ik_chain_scratch_size(joints->joint_count)) return SFT_ERR_MEMORY;
    *chain = (ik_chain){.def = def,
                        .joints = joints->joints,
                        .bones = joints->joint_count - 1,
                        .direct = true,
                        .target = target,
                        .reach = 0.0};
    lay_scratch(chain, scratch.memory);
    const sft_result limits = check_limits(chain);
    if (limits != SFT_OK) return limits;
    return read_pose(chain, joints->skeleton, pose);
}

const sft_limit* sft_ik_chain_limit(const ik_chain* c, int32_t i)
{
    return c->limited ? &c->def->limits[c->joints[i]] : NULL;
}

double sft_ik_chain_forward(ik_chain* c)
{
    sft_quatd parent = c->above;
    sft_v3d p = c->root;
    c->points[0] = p;
    for (int32_t i = 0; i < c->bones; ++i)
    {
        const sft_quatd r = sft_quatd_mul(parent, c->locals[i]);
        c->dirs[i] = sft_quatd_rotate(r, c->axes[i]);
        p = sft_v3d_madd(p, c->lengths[i], c->dirs[i]);
        c->points[i + 1] = p;
        parent = c->direct ? r : sft_quatd_mul(r, c->between[i]);
    }
    return sft_v3d_distance(p, c->target);
}

double sft_ik_chain_lay(ik_chain* c)
{
    sft_v3d p = c->root;
    for (int32_t i = 0; i < c->bones; ++i)
    {
        p = sft_v3d_madd(p, c->lengths[i], c->dirs[i]);
        c->points[i + 1] = p;
    }
    return sft_v3d_distance(p, c->target);
}

double sft_ik_chain_restore(ik_chain* c)
{
    sft_quatd parent = c->above;
    sft_v3d p = c->root;
    for (int32_t i = 0; i < c->bones; ++i)
    {
        const sft_quatd led = sft_quatd_mul(parent, c->source[i]);
        const sft_v3d from = sft_quatd_rotate(led, c->axes[i]);
        // With limits the joint may not be where it was wanted, and the bone aims from where it is.
        const sft_v3d aim = sft_v3d_sub(c->points[i + 1], p);
        const double distance = c->limited ? sft_v3d_length(aim) : 0.0;
        const sft_v3d to = distance > NO_LENGTH * c->reach ? sft_v3d_scale(1.0 / distance, aim) : c->dirs[i];
        const sft_quatd turn = sft_ik_swing(from, to, sft_v3d_any_perp(from));
        sft_quatd r = led;
        c->locals[i] = c->source[i];
        // Turns of a rounding's size would let a chain that rests creep.
        if (turn.x * turn.x + turn.y * turn.y + turn.z * turn.z <= NO_TURN * NO_TURN)
            c->dirs[i] = from;
        else if (c->lengths[i] > 0.0)
        {
            r = sft_quatd_normalize(sft_quatd_mul(turn, led));
            c->locals[i] = sft_quatd_mul(sft_quatd_conjugate(parent), r);
        }
        if (c->limited)
        {
            c->locals[i] = sft_limit_clamp(sft_ik_chain_limit(c, i), c->locals[i], NULL);
            r = sft_quatd_mul(parent, c->locals[i]);
            c->dirs[i] = sft_quatd_rotate(r, c->axes[i]);
        }
        p = sft_v3d_madd(p, c->lengths[i], c->dirs[i]);
        c->points[i + 1] = p;
        parent = c->direct ? r : sft_quatd_mul(r, c->between[i]);
    }
    return sft_v3d_distance(p, c->target);
}

double sft_ik_chain_enter_limits(ik_chain* c)
{
    double most = 0.0;
    for (int32_t i = 0; i < c->bones && c->limited; ++i)
    {
        double excess = 0.0;
        c->locals[i] = sft_limit_clamp(sft_ik_chain_limit(c, i), c->locals[i], &excess);
        most = sft_maxd(most, excess);
    }
    return most;
}

bool sft_ik_chain_out_of_reach(ik_chain* c)
{
    const sft_v3d way = sft_v3d_sub(c->target, c->root);
    const double distance = sft_v3d_length(way);
    int32_t longest = 0;
    for (int32_t i = 1; i < c->bones; ++i)
        if (c->lengths[i] > c->lengths[longest]) longest = i;
    const double rest = c->reach - c->lengths[longest], nearest = c->lengths[longest] - rest;
    const bool far = distance >= c->reach * (1.0 - NO_LENGTH), near = distance <= nearest * (1.0 + NO_LENGTH);
    if (!far && !near) return false;
    // A target on the root has no direction: the longest bone keeps its own.
    const sft_v3d u = distance > NO_LENGTH * c->reach ? sft_v3d_scale(1.0 / distance, way) : c->dirs[longest];
    for (int32_t i = 0; i < c->bones; ++i)
        c->dirs[i] = far || i == longest ? u : sft_v3d_scale(-1.0, u);
    return true;
}

void sft_ik_chain_write(const ik_chain* c, const sft_ik_pose* pose, sft_ik_report* report)
{
    for (int32_t i = 0; i < c->bones; ++i)
        pose->local_r[c->joints[i]] = c->locals[i];
    report->reached = report->residual <= c->def->tolerance;
}
