// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// Making and unmaking a map: memory, checks, what is copied from the rigs, the scale.

#include "retarget/map.h"

#include "core/core.h"

// ---- memory ----

static size_t used_count(int32_t count)
{
    return (size_t)count;
}

void sft_retarget_map_destroy(sft_retarget_map* map)
{
    if (map == NULL) return;
    // A copy: the block that holds it goes last.
    const sft_allocator own = map->allocator;
    const sft_allocator* a = &own;
    const size_t ns = used_count(map->source_count), nt = used_count(map->target_count);
    const size_t sentences = used_count(map->sentence_capacity);
    sft_core_free(a, map->pairs, nt, sizeof *map->pairs);
    sft_core_free(a, map->sentences, sentences, sizeof *map->sentences);
    sft_core_free(a, map->sentence_list, sentences, sizeof *map->sentence_list);
    sft_core_free(a, map->source_parents, ns, sizeof *map->source_parents);
    sft_core_free(a, map->source_pose_r, ns, sizeof *map->source_pose_r);
    sft_core_free(a, map->source_used, ns, sizeof *map->source_used);
    sft_core_free(a, map->target_parents, nt, sizeof *map->target_parents);
    sft_core_free(a, map->base_t, nt, sizeof *map->base_t);
    sft_core_free(a, map->rest_r, nt, sizeof *map->rest_r);
    sft_core_free(a, map->pose_r, nt, sizeof *map->pose_r);
    sft_core_free(a, map->plans[0].joints, nt, sizeof *map->plans[0].joints);
    sft_core_free(a, map->plans[1].joints, nt, sizeof *map->plans[1].joints);
    sft_core_free(a, map->bones, nt, sizeof *map->bones);
    sft_core_free(a, map->rolls, nt, sizeof *map->rolls);
    sft_core_free(a, map->twists, nt, sizeof *map->twists);
    map->cookie = 0;
    sft_core_free(a, map, 1, sizeof *map);
}

static bool allocate_arrays(sft_retarget_map* map)
{
    const sft_allocator* a = &map->allocator;
    const size_t ns = used_count(map->source_count), nt = used_count(map->target_count);
    const size_t sentences = used_count(map->sentence_capacity);
    map->pairs = sft_core_alloc(a, nt, sizeof *map->pairs);
    map->sentences = sft_core_alloc(a, sentences, sizeof *map->sentences);
    map->sentence_list = sft_core_alloc(a, sentences, sizeof *map->sentence_list);
    map->source_parents = sft_core_alloc(a, ns, sizeof *map->source_parents);
    map->source_pose_r = sft_core_alloc(a, ns, sizeof *map->source_pose_r);
    map->source_used = sft_core_alloc(a, ns, sizeof *map->source_used);
    map->target_parents = sft_core_alloc(a, nt, sizeof *map->target_parents);
    map->base_t = sft_core_alloc(a, nt, sizeof *map->base_t);
    map->rest_r = sft_core_alloc(a, nt, sizeof *map->rest_r);
    map->pose_r = sft_core_alloc(a, nt, sizeof *map->pose_r);
    map->plans[0].joints = sft_core_alloc(a, nt, sizeof *map->plans[0].joints);
    map->plans[1].joints = sft_core_alloc(a, nt, sizeof *map->plans[1].joints);
    map->bones = sft_core_alloc(a, nt, sizeof *map->bones);
    map->rolls = sft_core_alloc(a, nt, sizeof *map->rolls);
    map->twists = sft_core_alloc(a, nt, sizeof *map->twists);
    return map->pairs != NULL && map->sentences != NULL && map->sentence_list != NULL && map->source_parents != NULL &&
           map->source_pose_r != NULL && map->source_used != NULL && map->target_parents != NULL &&
           map->base_t != NULL && map->rest_r != NULL && map->pose_r != NULL && map->plans[0].joints != NULL &&
           map->plans[1].joints != NULL && map->bones != NULL && map->rolls != NULL && map->twists != NULL;
}

// ---- checks ----

static bool quat_fine(sft_quatd q)
{
    return fabs(sft_quatd_dot(q, q) - 1.0) <= 1e-3;
}

static bool joint_in(const sft_rig* rig, int32_t joint)
{
    return joint >= -1 && joint < rig->skeleton->joint_count;
}

/// Rigs may be made by hand, so nothing in them is believed that an index or a number hangs on.
static bool rig_fine(const sft_rig* rig)
{
    if (rig == NULL || rig->skeleton == NULL || rig->skeleton->joint_count < 1 ||
        rig->skeleton->joint_count > SFT_MAX_JOINTS || rig->meanings == NULL || rig->base_t == NULL ||
        rig->base_r == NULL || rig->pose_r == NULL || rig->pose == NULL)
        return false;
    if (!joint_in(rig, rig->hips) || !joint_in(rig, rig->root) || !(fabs(rig->facing) <= 1e3)) return false;
    if (!(rig->leg_length >= 0.0 && rig->leg_length <= SFT_HUGE)) return false;
    for (int32_t j = 0; j < rig->skeleton->joint_count; ++j)
    {
        const int32_t parent = rig->skeleton->parents[j];
        if (parent < -1 || parent >= j || rig->skeleton->names[j] == NULL) return false;
        if (!sft_v3d_in_range(rig->base_t[j]) || !sft_v3d_in_range(rig->pose[j].t)) return false;
        if (!quat_fine(rig->base_r[j]) || !quat_fine(rig->pose_r[j]) || !quat_fine(rig->pose[j].r)) return false;
        if (!(rig->meanings[j].confidence >= 0.0f && rig->meanings[j].confidence <= 1.0f)) return false;
        if (!joint_in(rig, rig->meanings[j].carrier)) return false;
    }
    return true;
}

// ---- figures ----

static double rig_height(const sft_rig* rig)
{
    double lo = rig->pose[0].t.y, hi = lo;
    for (int32_t j = 1; j < rig->skeleton->joint_count; ++j)
    {
        lo = sft_mind(lo, rig->pose[j].t.y);
        hi = sft_maxd(hi, rig->pose[j].t.y);
    }
    return hi - lo;
}

static double rig_scale(const sft_rig_pair* rigs)
{
    double s = rigs->source->leg_length, t = rigs->target->leg_length;
    if (!(s > SFT_LENGTH_EPS) || !(t > SFT_LENGTH_EPS))
    {
        s = rig_height(rigs->source);
        t = rig_height(rigs->target);
    }
    // Figures without any height move as they are.
    if (!(s > SFT_LENGTH_EPS) || !(t > SFT_LENGTH_EPS)) return 1.0;
    return sft_clampd(t / s, 1e-4, 1e4);
}

/// Between the sockets in the base pose, model space.
static sft_v3d base_place(const sft_rig* rig, const map_pelvis* pelvis)
{
    const sft_skeleton* s = rig->skeleton;
    return sft_v3d_lerp(sft_skeleton_joint_model(s, rig->base_t, rig->base_r, pelvis->left).t,
                        sft_skeleton_joint_model(s, rig->base_t, rig->base_r, pelvis->right).t, 0.5);
}

static int32_t root_above_hips(const sft_rig* rig)
{
    int32_t up = rig->hips;
    while (up > rig->root)
        up = rig->skeleton->parents[up];
    return rig->root >= 0 && up == rig->root && up != rig->hips ? up : -1;
}

/// The joint above the hips whose pair says that it carries the travel: a map that was edited may say otherwise.
static int32_t travelling_root(const sft_retarget_map* map)
{
    int32_t up = map->target_parents[map->target.hips];
    while (up >= 0 && map->pairs[up].rule != SFT_PAIR_ROOT)
        up = map->target_parents[up];
    return up;
}

static bool is_below(const sft_rig* rig, int32_t joint, int32_t above)
{
    while (joint > above)
        joint = rig->skeleton->parents[joint];
    return joint == above;
}

static void fill_pelvis(const sft_rig* rig, const part_index* index, int32_t root, map_pelvis* out)
{
    const int32_t left = sft_map_joint(index, SFT_PART_THIGH, SFT_LEG_LEFT, 0);
    const int32_t right = sft_map_joint(index, SFT_PART_THIGH, SFT_LEG_RIGHT, 0);
    *out = (map_pelvis){rig->hips, root, rig->hips, rig->hips, 0.0, {0.0, 0.0, 0.0}};
    if (left >= 0 && right >= 0 && is_below(rig, left, rig->hips) && is_below(rig, right, rig->hips))
    {
        out->left = left;
        out->right = right;
    }
    out->height = 0.5 * (rig->pose[out->left].t.y + rig->pose[out->right].t.y);
    if (root < 0) return;
    const sft_v3d from = sft_skeleton_joint_model(rig->skeleton, rig->base_t, rig->base_r, root).t;
    const sft_v3d way = sft_v3d_sub(base_place(rig, out), from);
    out->offset = sft_v3d_make(way.x, 0.0, way.z);
}

static void copy_rigs(const map_sides* sides, sft_retarget_map* map)
{
    const sft_rig *rs = sides->rigs.source, *rt = sides->rigs.target;
    const size_t ns = used_count(map->source_count), nt = used_count(map->target_count);
    memcpy(map->source_parents, rs->skeleton->parents, ns * sizeof *map->source_parents);
    memcpy(map->source_pose_r, rs->pose_r, ns * sizeof *map->source_pose_r);
    memcpy(map->target_parents, rt->skeleton->parents, nt * sizeof *map->target_parents);
    memcpy(map->base_t, rt->base_t, nt * sizeof *map->base_t);
    memcpy(map->rest_r, rt->base_r, nt * sizeof *map->rest_r);
    memcpy(map->pose_r, rt->pose_r, nt * sizeof *map->pose_r);
    fill_pelvis(rs, &sides->source, root_above_hips(rs), &map->source);
    map->target.hips = rt->hips;
    fill_pelvis(rt, &sides->target, travelling_root(map), &map->target);
}

/// One skeleton, one reference pose, every part of the body to itself.
static bool is_same(const sft_rig_pair* rigs, const sft_retarget_map* map)
{
    const sft_rig *rs = rigs->source, *rt = rigs->target;
    const size_t n = used_count(map->target_count);
    if (rs->identity != rt->identity || map->source_count != map->target_count) return false;
    if (memcmp(rs->skeleton->parents, rt->skeleton->parents, n * sizeof *rs->skeleton->parents) != 0) return false;
    if (memcmp(rs->base_t, rt->base_t, n * sizeof *rs->base_t) != 0) return false;
    if (memcmp(rs->base_r, rt->base_r, n * sizeof *rs->base_r) != 0) return false;
    if (memcmp(rs->pose_r, rt->pose_r, n * sizeof *rs->pose_r) != 0) return false;
    for (int32_t j = 0; j < map->target_count; ++j)
    {
        const sft_joint_pair* pair = &map->pairs[j];
        const sft_part part = rt->meanings[j].part;
        const bool rides = part == SFT_PART_NONE || part == SFT_PART_TWIST || part == SFT_PART_ROOT;
        if (pair->source != j && !(rides && pair->source < 0) && pair->rule != SFT_PAIR_TWIST) return false;
    }
    return true;
}

static void fill_view(const sft_rig_pair* rigs, sft_retarget_map* map)
{
    map->view.source_identity = rigs->source->identity;
    map->view.target_identity = rigs->target->identity;
    map->view.source_joint_count = map->source_count;
    map->view.target_joint_count = map->target_count;
    map->view.pairs = map->pairs;
    map->view.scale = map->same ? 1.0 : rig_scale(rigs);
    map->view.fallbacks = map->sentence_list;
    map->view.unused = map->sentence_list + map->view.fallback_count;
}

// ---- creation ----

static void finish_map(const map_sides* sides, sft_retarget_map* map)
{
    copy_rigs(sides, map);
    map->same = is_same(&sides->rigs, map);
    sft_map_plan_build(sides, map);
    fill_view(&sides->rigs, map);
}

/// Pairs by meaning where `pairs` is null, else those given.
static sft_result fill_map(const sft_rig_pair* rigs, const sft_joint_pair* pairs, int32_t pair_count,
                           sft_retarget_map* map)
{
    const size_t ns = used_count(map->source_count), nt = used_count(map->target_count);
    part_entry* source = sft_core_alloc(&map->allocator, ns, sizeof *source);
    part_entry* target = sft_core_alloc(&map->allocator, nt, sizeof *target);
    sft_result result = source == NULL || target == NULL || !allocate_arrays(map) ? SFT_ERR_MEMORY : SFT_OK;
    if (result == SFT_OK)
    {
        map_sides sides = {.rigs = *rigs};
        sft_map_index(rigs->source, source, &sides.source);
        sft_map_index(rigs->target, target, &sides.target);
        if (!sft_map_pair(&sides, map, pairs, pair_count) || !sft_map_plan_twists(&sides, map)) result = SFT_ERR_MEMORY;
        if (result == SFT_OK) finish_map(&sides, map);
    }
    sft_core_free(&map->allocator, source, ns, sizeof *source);
    sft_core_free(&map->allocator, target, nt, sizeof *target);
    return result;
}

static sft_result make_map(const sft_rig_pair* rigs, const sft_joint_pair* pairs, int32_t pair_count,
                           const sft_allocator* allocator, sft_retarget_map** out)
{
    const sft_allocator a = sft_core_allocator(allocator);
    sft_retarget_map* map = sft_core_alloc(&a, 1, sizeof *map);
    if (map == NULL) return SFT_ERR_MEMORY;
    map->allocator = a;
    map->cookie = SFT_MAP_COOKIE;
    map->source_count = rigs->source->skeleton->joint_count;
    map->target_count = rigs->target->skeleton->joint_count;
    // A sentence a limb, a hand or a chain; beyond that nobody reads them.
    map->sentence_capacity = 64;
    const sft_result result = fill_map(rigs, pairs, pair_count, map);
    if (result != SFT_OK)
    {
        sft_retarget_map_destroy(map);
        return result;
    }
    *out = map;
    return SFT_OK;
}

static sft_result check_rigs(const sft_rig_pair* rigs, sft_error* error)
{
    if (rigs == NULL || !rig_fine(rigs->source) || !rig_fine(rigs->target))
        return sft_core_fail(error, SFT_ERR_ARG, 0, 0, NULL,
                             "a rig is missing or not whole: make both by sft_rig_create");
    return sft_map_alike(rigs, error);
}

sft_result sft_retarget_map_create(const sft_rig_pair* rigs, const sft_allocator* allocator, sft_retarget_map** out,
                                   sft_error* error)
{
    if (out == NULL) return sft_core_fail(error, SFT_ERR_ARG, 0, 0, NULL, "no place for the map was given");
    const sft_result checked = check_rigs(rigs, error);
    if (checked != SFT_OK) return checked;
    const sft_result result = make_map(rigs, NULL, 0, allocator, out);
    if (result != SFT_OK) return sft_core_fail(error, result, 0, 0, NULL, "there is no memory for the map");
    return SFT_OK;
}

// ---- pairs that are given ----

static sft_result check_pair(const sft_rig_pair* rigs, const sft_joint_pair* pair, int32_t number, sft_error* error)
{
    const sft_skeleton *s = rigs->source->skeleton, *t = rigs->target->skeleton;
    if (pair->target < 0 || pair->target >= t->joint_count)
        return sft_core_fail(error, SFT_ERR_ARG, 0, 0, NULL, "pair %d: the target has no joint %d", (int)number,
                             (int)pair->target);
    const char* name = t->names[pair->target];
    const bool moved = pair->rule == SFT_PAIR_JOINT || pair->rule == SFT_PAIR_CHAIN;
    if ((int)pair->rule < SFT_PAIR_REST || pair->rule > SFT_PAIR_ROOT)
        return sft_core_fail(error, SFT_ERR_ARG, 0, 0, name, "pair %d: rule %d is none of the five", (int)number,
                             (int)pair->rule);
    if (pair->source < -1 || pair->source >= s->joint_count || (moved && pair->source < 0))
        return sft_core_fail(error, SFT_ERR_ARG, 0, 0, name, "pair %d: the source has no joint %d", (int)number,
                             (int)pair->source);
    if (pair->rule == SFT_PAIR_CHAIN && (pair->source_next < 0 || pair->source_next >= s->joint_count))
        return sft_core_fail(error, SFT_ERR_ARG, 0, 0, name, "pair %d: the source has no joint %d for the chain's end",
                             (int)number, (int)pair->source_next);
    if (!(pair->share >= 0.0 && pair->share <= 1.0))
        return sft_core_fail(error, SFT_ERR_ARG, 0, 0, name, "pair %d: a share of %g lies outside 0 to 1", (int)number,
                             pair->share);
    if (!(pair->confidence >= 0.0f && pair->confidence <= 1.0f))
        return sft_core_fail(error, SFT_ERR_ARG, 0, 0, name, "pair %d: a confidence of %g lies outside 0 to 1",
                             (int)number, (double)pair->confidence);
    return SFT_OK;
}

sft_result sft_retarget_map_from_pairs(const sft_rig_pair* rigs, const sft_joint_pair* pairs, int32_t pair_count,
                                       const sft_allocator* allocator, sft_retarget_map** out, sft_error* error)
{
    if (out == NULL || pair_count < 0 || (pairs == NULL && pair_count > 0))
        return sft_core_fail(error, SFT_ERR_ARG, 0, 0, NULL, "no pairs or no place for the map were given");
    const sft_result checked = check_rigs(rigs, error);
    if (checked != SFT_OK) return checked;
    const size_t n = used_count(rigs->target->skeleton->joint_count);
    uint8_t* taken = sft_core_alloc(allocator, n, sizeof *taken);
    if (taken == NULL) return sft_core_fail(error, SFT_ERR_MEMORY, 0, 0, NULL, "there is no memory for the map");
    sft_result result = SFT_OK;
    for (int32_t i = 0; i < pair_count && result == SFT_OK; ++i)
    {
        result = check_pair(rigs, &pairs[i], i, error);
        if (result != SFT_OK) break;
        if (taken[pairs[i].target])
            result = sft_core_fail(error, SFT_ERR_ARG, 0, 0, rigs->target->skeleton->names[pairs[i].target],
                                   "pair %d: this joint of the target stood in a pair before", (int)i);
        taken[pairs[i].target] = 1;
    }
    sft_core_free(allocator, taken, n, sizeof *taken);
    if (result != SFT_OK) return result;
    static const sft_joint_pair none;
    result = make_map(rigs, pairs != NULL ? pairs : &none, pair_count, allocator, out);
    if (result != SFT_OK) return sft_core_fail(error, result, 0, 0, NULL, "there is no memory for the map");
    return SFT_OK;
}

const sft_retarget_map_contents* sft_retarget_map_view(const sft_retarget_map* map)
{
    return map != NULL && map->cookie == SFT_MAP_COOKIE ? &map->view : NULL;
}
