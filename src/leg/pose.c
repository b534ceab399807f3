// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// Between whole poses and the five joints that the leg solver sees. Twist joints and other joints between the named
// ones ride along rigidly, so they never need to be looked at: only their product counts.

#include <string.h>

#include "leg/solve_internal.h"

// Changes below this sine of half an angle are rounding; the local rotation then keeps its bits.
#define SAME_TURN 1e-14

static bool leg_joints_ok(const sft_leg* leg, const sft_skeleton* skeleton)
{
    const int32_t joints[6] = {leg->hip, leg->knee, leg->heel, leg->toe, leg->toe_end, 0};
    const int32_t count = leg->toe_end >= 0 ? 5 : 4;
    for (int32_t i = 0; i < count; ++i)
        if (joints[i] < 0 || joints[i] >= skeleton->joint_count) return false;
    for (int32_t i = 1; i < count; ++i)
    {
        int32_t joint = joints[i];
        while (joint > joints[i - 1])
            joint = skeleton->parents[joint];
        // A foot that is a leaf is heel and toe in one.
        if (joint != joints[i - 1] || (joints[i] == joints[i - 1] && i != 3)) return false;
    }
    return true;
}

static sft_xformd local_of(const sft_v3d* local_t, const sft_quatd* local_r, int32_t joint)
{
    return (sft_xformd){local_t[joint], local_r[joint]};
}

sft_result sft_leg_pose_read(const sft_skeleton* skeleton, const sft_leg* leg, const sft_v3d* local_t,
                             const sft_quatd* local_r, sft_leg_pose* pose)
{
    if (skeleton == NULL || leg == NULL || local_t == NULL || local_r == NULL || pose == NULL) return SFT_ERR_ARG;
    if (!leg_joints_ok(leg, skeleton)) return SFT_ERR_ARG;
    const int32_t joints[5] = {leg->hip, leg->knee, leg->heel, leg->toe, leg->toe_end};
    sft_xformd model[5];
    int32_t above = -1;
    sft_xformd parent = {{0, 0, 0}, sft_quatd_identity()};
    for (int32_t i = 0; i < 5; ++i)
    {
        if (joints[i] < 0 || joints[i] == above)
        {
            model[i] = model[i - 1];
            continue;
        }
        sft_xformd below = local_of(local_t, local_r, joints[i]);
        for (int32_t j = skeleton->parents[joints[i]]; j != above; j = skeleton->parents[j])
            below = sft_xformd_mul(local_of(local_t, local_r, j), below);
        model[i] = above < 0 ? below : sft_xformd_mul(parent, below);
        parent = model[i];
        above = joints[i];
    }
    *pose = (sft_leg_pose){model[0], model[1], model[2], model[3], model[4]};
    return SFT_OK;
}

// New local rotation of a joint whose model rotation went from `before` to `after` while the named joint above it
// turned by `above`: whatever lies between them rides along and drops out.
static sft_quatd new_local(sft_quatd local, sft_quatd above, sft_quatd before, sft_quatd after)
{
    const sft_quatd ridden = sft_quatd_mul(above, before);
    const sft_quatd change = sft_quatd_mul(sft_quatd_conjugate(ridden), after);
    if (fabs(change.x) <= SAME_TURN && fabs(change.y) <= SAME_TURN && fabs(change.z) <= SAME_TURN) return local;
    return sft_quatd_normalize(sft_quatd_mul(local, change));
}

static sft_quatd turn_between(sft_quatd before, sft_quatd after)
{
    return sft_quatd_normalize(sft_quatd_mul(after, sft_quatd_conjugate(before)));
}

sft_result sft_leg_pose_write(const sft_leg* leg, const sft_leg_pose* before, const sft_leg_pose* after,
                              sft_quatd* local_r)
{
    if (leg == NULL || before == NULL || after == NULL || local_r == NULL) return SFT_ERR_ARG;
    if (leg->hip < 0 || leg->knee < 0 || leg->heel < 0 || leg->toe < 0) return SFT_ERR_ARG;
    const sft_quatd hip = turn_between(before->hip.r, after->hip.r);
    const sft_quatd knee = turn_between(before->knee.r, after->knee.r);
    const sft_quatd heel = turn_between(before->heel.r, after->heel.r);
    local_r[leg->hip] = new_local(local_r[leg->hip], sft_quatd_identity(), before->hip.r, after->hip.r);
    local_r[leg->knee] = new_local(local_r[leg->knee], hip, before->knee.r, after->knee.r);
    local_r[leg->heel] = new_local(local_r[leg->heel], knee, before->heel.r, after->heel.r);
    if (leg->toe != leg->heel) local_r[leg->toe] = new_local(local_r[leg->toe], heel, before->toe.r, after->toe.r);
    return SFT_OK;
}

// ---- run-time poses: float, with scale ----

// A float transform widened, so that chains of it lose nothing.
typedef struct wide_xform
{
    sft_v3d t;
    sft_quatd r;
    sft_v3d s;
} wide_xform;

static sft_v3d times(sft_v3d a, sft_v3d b)
{
    return sft_v3d_make(a.x * b.x, a.y * b.y, a.z * b.z);
}

// Rotation r seen through a scale whose signs mirror: S r = mirrored(S, r) S. Axes are pseudo-vectors, so each takes
// the signs of the other two coordinates.
static sft_quatd mirrored(sft_v3d scale, sft_quatd r)
{
    const double x = scale.x < 0.0 ? -1.0 : 1.0, y = scale.y < 0.0 ? -1.0 : 1.0, z = scale.z < 0.0 ? -1.0 : 1.0;
    return (sft_quatd){y * z * r.x, x * z * r.y, x * y * r.z, r.w};
}

static wide_xform widen(sft_xform x)
{
    return (wide_xform){sft_v3_widen(x.t), sft_quat_widen(x.r), sft_v3_widen(x.s)};
}

static wide_xform compose(wide_xform parent, wide_xform child)
{
    return (wide_xform){sft_v3d_add(parent.t, sft_quatd_rotate(parent.r, times(parent.s, child.t))),
                        sft_quatd_normalize(sft_quatd_mul(parent.r, mirrored(parent.s, child.r))),
                        times(parent.s, child.s)};
}

static wide_xform model_of(const sft_skeleton* skeleton, const sft_xform* local, int32_t joint)
{
    // Upwards, so that no stack of parents is needed: compose is associative for mirrors and uniform scales.
    wide_xform out = widen(local[joint]);
    for (int32_t j = skeleton->parents[joint]; j >= 0; j = skeleton->parents[j])
        out = compose(widen(local[j]), out);
    return out;
}

static sft_xform narrow(wide_xform x)
{
    return (sft_xform){sft_v3d_narrow(x.t), sft_quatd_narrow(x.r), sft_v3d_narrow(x.s)};
}

static bool xform_ok(sft_xform x)
{
    const wide_xform w = widen(x);
    return sft_v3d_in_range(w.t) && sft_v3d_in_range(w.s) && fabs(sft_quatd_dot(w.r, w.r) - 1.0) <= 2e-3;
}

// Model transforms of the hip and all below it. A bit a joint on the stack (8 KB) marks what hangs below, so that the
// walk stays linear whatever the order of siblings.
static void update_below(const sft_skeleton* skeleton, const sft_xform* local, int32_t hip, wide_xform hip_model,
                         sft_xform* model)
{
    uint64_t below[SFT_MAX_JOINTS / 64];
    const size_t words = ((size_t)skeleton->joint_count + 63) / 64;
    memset(below, 0, words * sizeof below[0]);
    below[hip / 64] |= UINT64_C(1) << (hip % 64);
    model[hip] = narrow(hip_model);
    for (int32_t j = hip + 1; j < skeleton->joint_count; ++j)
    {
        const int32_t parent = skeleton->parents[j];
        if (parent < hip || (below[parent / 64] >> (parent % 64) & 1u) == 0) continue;
        below[j / 64] |= UINT64_C(1) << (j % 64);
        model[j] = narrow(compose(widen(model[parent]), widen(local[j])));
    }
}

static sft_xformd rigid(wide_xform x)
{
    return (sft_xformd){x.t, x.r};
}

static sft_quat mirrored_local(sft_quat old_local, sft_quatd mirror_free_old, sft_quatd mirror_free_new, sft_v3d scale)
{
    if (memcmp(&mirror_free_old, &mirror_free_new, sizeof mirror_free_old) == 0) return old_local;
    return sft_quatd_narrow(mirrored(scale, mirror_free_new));
}

sft_result sft_leg_solve_pose(const sft_leg_solve_def* def, const sft_skeleton* skeleton, const sft_leg* leg,
                              sft_v3 target_model, sft_xform* local, sft_xform* model, sft_leg_report* report)
{
    if (def == NULL || skeleton == NULL || leg == NULL || local == NULL || model == NULL) return SFT_ERR_ARG;
    if (skeleton->joint_count > SFT_MAX_JOINTS || !leg_joints_ok(leg, skeleton)) return SFT_ERR_ARG;
    const int32_t joints[5] = {leg->hip, leg->knee, leg->heel, leg->toe, leg->toe_end >= 0 ? leg->toe_end : leg->toe};
    for (int32_t j = joints[4]; j >= 0; j = skeleton->parents[j])
        if (!xform_ok(local[j])) return SFT_ERR_RANGE;

    // What lies above each named joint, and the joint itself.
    wide_xform above[4], joint[5];
    const int32_t over = skeleton->parents[leg->hip];
    above[0] = over >= 0 ? model_of(skeleton, local, over) : (wide_xform){{0, 0, 0}, sft_quatd_identity(), {1, 1, 1}};
    joint[0] = compose(above[0], widen(local[leg->hip]));
    for (int32_t i = 1; i < 5; ++i)
    {
        wide_xform between = {{0, 0, 0}, sft_quatd_identity(), {1, 1, 1}};
        for (int32_t j = skeleton->parents[joints[i]]; j > joints[i - 1]; j = skeleton->parents[j])
            between = compose(widen(local[j]), between);
        const wide_xform parent = compose(joint[i - 1], between);
        if (i < 4) above[i] = parent;
        joint[i] = joints[i] == joints[i - 1] ? joint[i - 1] : compose(parent, widen(local[joints[i]]));
    }

    sft_leg_pose pose = {rigid(joint[0]), rigid(joint[1]), rigid(joint[2]), rigid(joint[3]), rigid(joint[4])};
    const sft_leg_pose before = pose;
    sft_leg seen = *leg;
    // The side vector is an axis: in a mirrored limb it mirrors like one.
    const sft_quatd side = {leg->knee_side.x, leg->knee_side.y, leg->knee_side.z, 0.0};
    const sft_quatd side_seen = mirrored(joint[1].s, side);
    seen.knee_side = sft_v3d_make(side_seen.x, side_seen.y, side_seen.z);
    const sft_result result = sft_leg_solve(def, &seen, sft_v3_widen(target_model), &pose, report);
    if (result != SFT_OK) return result;

    // Local rotations without the mirror of what lies above; then the mirror is put back.
    sft_quatd old_r[4], new_r[4];
    for (int32_t i = 0; i < 4; ++i)
        new_r[i] = old_r[i] = mirrored(above[i].s, sft_quat_widen(local[joints[i]].r));
    sft_leg chain = *leg;
    chain.hip = 0;
    chain.knee = 1;
    chain.heel = 2;
    chain.toe = 3;
    sft_leg_pose_write(&chain, &before, &pose, new_r);
    for (int32_t i = 0; i < 4; ++i)
        local[joints[i]].r = mirrored_local(local[joints[i]].r, old_r[i], new_r[i], above[i].s);
    update_below(skeleton, local, leg->hip, compose(above[0], widen(local[leg->hip])), model);
    return SFT_OK;
}
