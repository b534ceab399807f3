// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// The rig object: what a skeleton's joints mean, its base pose, and the reference pose made of it.

#include "rig/rig_internal.h"

#define RIG_COOKIE 0x52494721u

// The rig with what it owns; `rig` is first, so that a pointer to it is a pointer to the whole.
typedef struct rig_owner
{
    sft_rig rig;
    sft_skeleton* skeleton;
    sft_joint_meaning* meanings;
    sft_leg* legs;
    sft_v3d* base_t;
    sft_quatd* base_r;
    sft_quatd* pose_r;
    sft_xformd* pose;
} rig_owner;

sft_rig_def sft_default_rig_def(void)
{
    return (sft_rig_def){.pose_frame = SFT_RIG_POSE_AUTO, .cookie = RIG_COOKIE};
}

static void release(rig_owner* owner, const sft_allocator* allocator)
{
    const size_t n = owner->skeleton != NULL ? (size_t)owner->skeleton->joint_count : 0;
    sft_core_free(allocator, owner->meanings, n, sizeof *owner->meanings);
    sft_core_free(allocator, owner->legs, SFT_MAX_LEGS, sizeof *owner->legs);
    sft_core_free(allocator, owner->base_t, n, sizeof *owner->base_t);
    sft_core_free(allocator, owner->base_r, n, sizeof *owner->base_r);
    sft_core_free(allocator, owner->pose_r, n, sizeof *owner->pose_r);
    sft_core_free(allocator, owner->pose, n, sizeof *owner->pose);
    sft_skeleton_destroy(owner->skeleton, allocator);
    sft_core_free(allocator, owner, 1, sizeof *owner);
}

void sft_rig_destroy(sft_rig* rig, const sft_allocator* allocator)
{
    if (rig == NULL) return;
    const sft_allocator memory = sft_core_allocator(allocator);
    release((rig_owner*)(void*)rig, &memory);
}

static bool joint_ok(int32_t joint, int32_t count, bool none_ok)
{
    return joint < count && joint >= (none_ok ? -1 : 0);
}

// Legs and meanings that a caller gave are used as indices later.
static sft_result check_given(const sft_rig_def* def, const sft_skeleton* skeleton)
{
    const int32_t n = skeleton->joint_count;
    if (def->legs == NULL && def->leg_count != 0) return SFT_ERR_ARG;
    if (def->leg_count < 0 || def->leg_count > SFT_MAX_LEGS) return SFT_ERR_ARG;
    for (int32_t i = 0; i < def->leg_count; ++i)
    {
        const sft_leg* leg = &def->legs[i];
        if (!joint_ok(leg->pelvis, n, true) || !joint_ok(leg->hip, n, false) || !joint_ok(leg->knee, n, false) ||
            !joint_ok(leg->heel, n, false) || !joint_ok(leg->toe, n, false) || !joint_ok(leg->toe_end, n, true))
            return SFT_ERR_ARG;
    }
    return SFT_OK;
}

static sft_result check(const sft_rig_def* def, const sft_skeleton* skeleton, const sft_clip* clip)
{
    if (def->cookie != RIG_COOKIE) return SFT_ERR_DEF;
    if (def->pose_frame < SFT_RIG_POSE_MEAN) return SFT_ERR_DEF;
    if ((def->base_t == NULL) != (def->base_r == NULL)) return SFT_ERR_ARG;
    if (def->base_r != NULL && def->pose_frame != SFT_RIG_POSE_AUTO) return SFT_ERR_DEF;
    if (skeleton->joint_count < 1) return SFT_ERR_ARG;
    if (clip != NULL && clip->joint_count != skeleton->joint_count) return SFT_ERR_ARG;
    if (clip != NULL && clip->frame_count < 1) return SFT_ERR_ARG;
    const bool asked = def->pose_frame >= 0 || def->pose_frame == SFT_RIG_POSE_MEAN;
    if (asked && (clip == NULL || def->pose_frame >= clip->frame_count)) return SFT_ERR_ARG;
    return check_given(def, skeleton);
}

static bool allocate(rig_owner* owner, const sft_allocator* memory)
{
    const size_t n = (size_t)owner->skeleton->joint_count;
    owner->meanings = sft_core_alloc(memory, n, sizeof *owner->meanings);
    owner->legs = sft_core_alloc(memory, SFT_MAX_LEGS, sizeof *owner->legs);
    owner->base_t = sft_core_alloc(memory, n, sizeof *owner->base_t);
    owner->base_r = sft_core_alloc(memory, n, sizeof *owner->base_r);
    owner->pose_r = sft_core_alloc(memory, n, sizeof *owner->pose_r);
    owner->pose = sft_core_alloc(memory, n, sizeof *owner->pose);
    return owner->meanings != NULL && owner->legs != NULL && owner->base_t != NULL && owner->base_r != NULL &&
           owner->pose_r != NULL && owner->pose != NULL;
}

// A rig is one figure: of several characters' legs those of the first.
static int32_t keep_one_character(const sft_skeleton* skeleton, sft_leg* legs, int32_t count)
{
    int32_t kept = 0;
    for (int32_t i = 0; i < count; ++i)
        if (sft_leg_root(skeleton, &legs[i]) == sft_leg_root(skeleton, &legs[0])) legs[kept++] = legs[i];
    return kept;
}

static sft_result understand(rig_owner* owner, const sft_rig_def* def, const sft_clip* clip,
                             const sft_allocator* memory)
{
    sft_rig* rig = &owner->rig;
    const size_t n = (size_t)owner->skeleton->joint_count;
    sft_result result = SFT_OK;
    rig->leg_count = def->leg_count;
    if (def->legs != NULL)
        memcpy(owner->legs, def->legs, (size_t)def->leg_count * sizeof *owner->legs);
    else
        result = sft_leg_find(owner->skeleton, clip, memory, owner->legs, SFT_MAX_LEGS, &rig->leg_count);
    if (result != SFT_OK) return result;
    if (def->legs == NULL) rig->leg_count = keep_one_character(owner->skeleton, owner->legs, rig->leg_count);
    if (def->meanings != NULL)
        memcpy(owner->meanings, def->meanings, n * sizeof *owner->meanings);
    else
        result = sft_rig_find_meanings(owner->skeleton, clip, owner->legs, rig->leg_count, memory, owner->meanings);
    return result;
}

// Local rotations and figure-space pose from the changes; the lowest sole on y = 0, hips above x = z = 0.
static void write_pose(rig_owner* owner, const sft_rig_build* build, sft_quatd facing)
{
    const sft_skeleton* skeleton = owner->skeleton;
    const int32_t n = skeleton->joint_count;
    for (int32_t j = 0; j < n; ++j)
    {
        const int32_t p = skeleton->parents[j];
        const sft_quatd own = sft_quatd_mul(build->change[j], build->base[j].r);
        const sft_quatd above = p < 0 ? facing : sft_quatd_mul(build->change[p], build->base[p].r);
        owner->pose_r[j] = sft_quatd_normalize(sft_quatd_mul(sft_quatd_conjugate(above), own));
    }
    sft_skeleton_forward(skeleton, owner->base_t, owner->pose_r, owner->pose);
    const sft_xformd turn = {{0, 0, 0}, facing};
    double low = 0.0;
    for (int32_t j = 0; j < n; ++j)
        owner->pose[j] = sft_xformd_mul(turn, owner->pose[j]);
    for (int32_t i = 0; i < build->leg_count; ++i)
    {
        const sft_leg* leg = &build->legs[i];
        const double heel = owner->pose[leg->heel].t.y, toe = owner->pose[leg->toe].t.y;
        double sole = sft_mind(heel, toe);
        if (leg->toe_end >= 0) sole = sft_mind(sole, owner->pose[leg->toe_end].t.y);
        if (leg->toe == leg->heel) sole -= leg->heel_min;
        low = i == 0 ? sole : sft_mind(low, sole);
    }
    const int32_t middle = build->body.hips >= 0 ? build->body.hips : 0;
    const sft_v3d shift = {owner->pose[middle].t.x, low, owner->pose[middle].t.z};
    for (int32_t j = 0; j < n; ++j)
        owner->pose[j].t = sft_v3d_sub(owner->pose[j].t, shift);
}

static double bone(const sft_rig* rig, int32_t from, int32_t to)
{
    return from >= 0 && to >= 0 ? sft_v3d_distance(rig->pose[from].t, rig->pose[to].t) : 0.0;
}

static void measure(sft_rig* rig, const sft_rig_body* body)
{
    double legs = 0.0, arms = 0.0;
    for (int32_t i = 0; i < rig->leg_count; ++i)
    {
        const sft_leg* leg = &rig->legs[i];
        if (leg->pair != 0) continue;
        rig->leg_length += bone(rig, leg->hip, leg->knee) + bone(rig, leg->knee, leg->heel);
        rig->sole_height += rig->pose[leg->heel].t.y;
        legs += 1.0;
    }
    for (int side = 0; side < 2; ++side)
    {
        const sft_rig_arm* arm = &body->arms[side];
        if (arm->fore < 0) continue;
        rig->arm_length += bone(rig, arm->upper, arm->fore) + bone(rig, arm->fore, arm->hand);
        arms += 1.0;
    }
    if (legs > 0.0) rig->leg_length /= legs, rig->sole_height /= legs;
    if (arms > 0.0) rig->arm_length /= arms;
}

// From the base pose to the reference: upright, facing +Z, limbs in place.
static void turn_all(rig_owner* owner, sft_rig_build* build)
{
    sft_rig* rig = &owner->rig;
    sft_skeleton_forward(owner->skeleton, owner->base_t, owner->base_r, build->base);
    const sft_quatd whole = sft_rig_whole_turn(build, build->base);
    rig->facing = sft_rig_snap_facing(sft_rig_facing(build, build->base, whole));
    const sft_quatd facing = sft_quatd_exp(sft_v3d_make(0, rig->facing, 0));
    const sft_xformd turn = {{0, 0, 0}, facing};
    for (int32_t j = 0; j < owner->skeleton->joint_count; ++j)
        build->base[j] = sft_xformd_mul(turn, build->base[j]);
    build->whole = sft_quatd_mul(sft_quatd_mul(facing, whole), sft_quatd_conjugate(facing));
    rig->stance = sft_rig_read_stance(build);
    sft_rig_level_soles(build);
    sft_rig_turn_limbs(build);
    if (sft_rig_find_rolls(build)) sft_rig_turn_limbs(build);
    write_pose(owner, build, facing);
    rig->hips = build->body.hips;
    rig->root = build->body.root;
    rig->pose_frame = build->pose_frame;
    measure(rig, &build->body);
}

static sft_result make_reference(rig_owner* owner, const sft_rig_def* def, const sft_clip* clip,
                                 const sft_allocator* memory)
{
    sft_rig* rig = &owner->rig;
    const size_t n = (size_t)owner->skeleton->joint_count;
    sft_rig_build build = {.skeleton = owner->skeleton,
                           .clip = clip,
                           .meanings = owner->meanings,
                           .legs = owner->legs,
                           .leg_count = rig->leg_count,
                           .base_t = owner->base_t,
                           .base_r = owner->base_r,
                           .reason = rig->reason};
    build.base = sft_core_alloc(memory, n, sizeof *build.base);
    build.change = sft_core_alloc(memory, n, sizeof *build.change);
    build.scratch = sft_core_alloc(memory, n, sizeof *build.scratch);
    build.scratch2 = sft_core_alloc(memory, n, sizeof *build.scratch2);
    build.turns = sft_core_alloc(memory, n, sizeof *build.turns);
    sft_result result = SFT_ERR_MEMORY;
    if (build.base != NULL && build.change != NULL && build.scratch != NULL && build.scratch2 != NULL &&
        build.turns != NULL)
    {
        sft_rig_find_body(owner->skeleton, owner->meanings, owner->legs, rig->leg_count, &build.body);
        result = sft_rig_choose_base(&build, def);
        if (result == SFT_OK) turn_all(owner, &build);
    }
    sft_core_free(memory, build.base, n, sizeof *build.base);
    sft_core_free(memory, build.change, n, sizeof *build.change);
    sft_core_free(memory, build.scratch, n, sizeof *build.scratch);
    sft_core_free(memory, build.scratch2, n, sizeof *build.scratch2);
    sft_core_free(memory, build.turns, n, sizeof *build.turns);
    return result;
}

sft_result sft_rig_create(const sft_rig_def* def, const sft_skeleton* skeleton, const sft_clip* clip,
                          const sft_allocator* allocator, sft_rig** out)
{
    if (skeleton == NULL || out == NULL) return SFT_ERR_ARG;
    const sft_rig_def plain = sft_default_rig_def();
    if (def == NULL) def = &plain;
    sft_result result = check(def, skeleton, clip);
    if (result != SFT_OK) return result;
    const sft_allocator memory = sft_core_allocator(allocator);
    rig_owner* owner = sft_core_alloc(&memory, 1, sizeof *owner);
    if (owner == NULL) return SFT_ERR_MEMORY;
    result = sft_skeleton_create(skeleton, &memory, &owner->skeleton);
    if (result == SFT_OK && !allocate(owner, &memory)) result = SFT_ERR_MEMORY;
    if (result == SFT_OK) result = understand(owner, def, clip, &memory);
    sft_rig* rig = &owner->rig;
    rig->skeleton = owner->skeleton;
    rig->meanings = owner->meanings;
    rig->legs = owner->legs;
    rig->base_t = owner->base_t;
    rig->base_r = owner->base_r;
    rig->pose_r = owner->pose_r;
    rig->pose = owner->pose;
    if (result == SFT_OK) result = make_reference(owner, def, clip, &memory);
    if (result != SFT_OK)
    {
        release(owner, &memory);
        return result;
    }
    rig->identity = sft_rig_identity(owner->skeleton);
    *out = rig;
    return SFT_OK;
}
