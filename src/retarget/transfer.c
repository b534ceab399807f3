// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// One frame. Source joints forward once; each target joint's orientation from its plan; the travel last. Nothing is
// written before everything is checked.

#include "retarget/map.h"

#include <string.h>

#define TRANSFER_COOKIE 0x72747866u

sft_transfer_def sft_default_transfer_def(void)
{
    return (sft_transfer_def){
        .travel = SFT_TRAVEL_ROOT, .non_rigid = SFT_NON_RIGID_NONE, .mirror = false, .cookie = TRANSFER_COOKIE};
}

sft_result sft_transfer_check(const sft_transfer_def* def, const sft_retarget_map* map)
{
    if (map == NULL || map->cookie != SFT_MAP_COOKIE || def == NULL) return SFT_ERR_ARG;
    if (def->cookie != TRANSFER_COOKIE || !(def->scale >= 0.0 && def->scale <= 1e4)) return SFT_ERR_DEF;
    if (!(fabs(def->sole_lift) <= SFT_HUGE)) return SFT_ERR_DEF;
    if ((int)def->travel < SFT_TRAVEL_ROOT || def->travel > SFT_TRAVEL_HIPS) return SFT_ERR_DEF;
    if ((int)def->non_rigid < SFT_NON_RIGID_NONE || def->non_rigid > SFT_NON_RIGID_RATIO) return SFT_ERR_DEF;
    return SFT_OK;
}

double sft_transfer_scale(const sft_transfer_def* def, const sft_retarget_map* map)
{
    return def->scale > 0.0 ? def->scale : map->view.scale;
}

/// Scratch: orientations and places of the source, orientations of the target.
typedef struct workspace
{
    sft_quatd* source_r;
    sft_v3d* source_t;
    sft_quatd* target_r;
    roll_state* rolls;
} workspace;

size_t sft_retarget_scratch_size(const sft_retarget_map* map)
{
    if (map == NULL || map->cookie != SFT_MAP_COOKIE) return 0;
    return (size_t)map->source_count * (sizeof(sft_quatd) + sizeof(sft_v3d)) +
           (size_t)map->target_count * sizeof(sft_quatd) + (size_t)map->roll_count * sizeof(roll_state);
}

static workspace split(const sft_retarget_map* map, void* scratch)
{
    workspace w;
    w.source_r = scratch;
    w.target_r = w.source_r + map->source_count;
    w.source_t = (sft_v3d*)(void*)(w.target_r + map->target_count);
    w.rolls = (roll_state*)(void*)(w.source_t + map->source_count);
    return w;
}

static bool pose_in_range(const sft_retarget_map* map, const sft_v3d* t, const sft_quatd* r)
{
    bool fine = true;
    for (int32_t j = 0; j < map->source_count; ++j)
    {
        // Written so that a NaN fails.
        const double off = sft_quatd_dot(r[j], r[j]) - 1.0;
        fine = fine && off <= 2e-3 && off >= -2e-3 && sft_v3d_in_range(t[j]);
    }
    return fine;
}

/// The source, or its mirror image, forward: joints that something is read from, and those above them.
static void source_forward(const sft_retarget_map* map, bool mirror, const sft_v3d* t, const sft_quatd* r, workspace* w)
{
    const double x = mirror ? -1.0 : 1.0;
    for (int32_t j = 0; j < map->source_count; ++j)
    {
        if (!map->source_used[j]) continue;
        const sft_quatd local = sft_quatd_normalize((sft_quatd){r[j].x, x * r[j].y, x * r[j].z, r[j].w});
        const sft_v3d place = sft_v3d_make(x * t[j].x, t[j].y, t[j].z);
        const int32_t up = map->source_parents[j];
        if (up < 0)
        {
            w->source_r[j] = local;
            w->source_t[j] = place;
            continue;
        }
        w->source_r[j] = sft_quatd_mul(w->source_r[up], local);
        w->source_t[j] = sft_v3d_add(w->source_t[up], sft_quatd_rotate(w->source_r[up], place));
    }
}

/// Hips whose sockets may turn against them take the orientation, nearest to their own, in which the line of the
/// sockets is where it is.
static void correct_hips(const map_line* line, workspace* w)
{
    if (line->joint < 0) return;
    const sft_v3d is = sft_v3d_sub(w->source_t[line->left], w->source_t[line->right]);
    if (!(sft_v3d_length(is) > SFT_LENGTH_EPS)) return;
    sft_quatd* hips = &w->source_r[line->joint];
    *hips = sft_quatd_mul(sft_quatd_between(sft_quatd_rotate(*hips, line->way), is), *hips);
}

static sft_quatd source_orientation(const plan_joint* p, const workspace* w)
{
    sft_quatd now = w->source_r[p->source];
    if (p->bone_end < 0) return now;
    if (p->rolled >= 0) now = sft_quatd_slerp(now, sft_quatd_mul(w->source_r[p->rolled], p->k_roll), 0.5);
    const sft_v3d way = sft_v3d_sub(w->source_t[p->bone_end], w->source_t[p->bone_start]);
    if (!(sft_v3d_length(way) > SFT_LENGTH_EPS)) return now;
    return sft_quatd_mul(sft_quatd_between(sft_quatd_rotate(now, p->bone), way), now);
}

static void target_orientations(const sft_retarget_map* map, const sft_map_plan* plan, workspace* w)
{
    for (int32_t j = 0; j < map->target_count; ++j)
    {
        const plan_joint* p = &plan->joints[j];
        if (p->kind == PLAN_TURN || p->kind == PLAN_BLEND)
        {
            const sft_quatd turned = sft_quatd_mul(plan->turn, sft_quatd_mul(source_orientation(p, w), p->k));
            w->target_r[j] = turned;
            if (p->kind == PLAN_TURN) continue;
            const sft_quatd next = w->source_r[p->source_next];
            const sft_quatd other = sft_quatd_mul(plan->turn, sft_quatd_mul(next, p->k_next));
            w->target_r[j] = sft_quatd_slerp(turned, other, p->share);
            continue;
        }
        const int32_t up = map->target_parents[j];
        w->target_r[j] = up < 0 ? map->rest_r[j] : sft_quatd_mul(w->target_r[up], map->rest_r[j]);
    }
}

static bool at_reference(const sft_retarget_map* map, const sft_quatd* source_r)
{
    return memcmp(source_r, map->source_pose_r, (size_t)map->source_count * sizeof *source_r) == 0;
}

static void write_rotations(const sft_retarget_map* map, const sft_map_plan* plan, const workspace* w, bool reference,
                            sft_quatd* out)
{
    for (int32_t j = 0; j < map->target_count; ++j)
    {
        const plan_kind kind = plan->joints[j].kind;
        const int32_t up = map->target_parents[j];
        // In the reference pose the target's own numbers, to the last bit.
        if (kind == PLAN_REST || reference)
            out[j] = kind == PLAN_REST || kind == PLAN_TWIST ? map->rest_r[j] : map->pose_r[j];
        else if (up < 0)
            out[j] = sft_quatd_normalize(w->target_r[j]);
        else
            out[j] = sft_quatd_normalize(sft_quatd_mul(sft_quatd_conjugate(w->target_r[up]), w->target_r[j]));
    }
}

/// Place of a target joint in model space, as written so far.
static sft_xformd target_place(const sft_retarget_map* map, int32_t joint, const sft_v3d* t, const sft_quatd* r)
{
    sft_xformd x = {{0.0, 0.0, 0.0}, {0.0, 0.0, 0.0, 1.0}};
    if (joint < 0) return x;
    x = (sft_xformd){t[joint], r[joint]};
    for (int32_t up = map->target_parents[joint]; up >= 0; up = map->target_parents[up])
        x = sft_xformd_mul((sft_xformd){t[up], r[up]}, x);
    return x;
}

static void put_place(const sft_retarget_map* map, int32_t joint, sft_v3d place, sft_v3d* t, const sft_quatd* r)
{
    const int32_t up = map->target_parents[joint];
    const sft_xformd above = target_place(map, up, t, r);
    t[joint] = up < 0 ? place : sft_quatd_unrotate(above.r, sft_v3d_sub(place, above.t));
}

/// Way from the target's hips to the place between its sockets, model space, as rotations are now.
static sft_v3d way_to_sockets(const sft_retarget_map* map, const sft_v3d* t, const sft_quatd* r)
{
    const map_pelvis* p = &map->target;
    if (p->left == p->hips) return sft_v3d_make(0.0, 0.0, 0.0);
    sft_v3d sum = {0.0, 0.0, 0.0};
    const int32_t ends[2] = {p->left, p->right};
    for (int k = 0; k < 2; ++k)
    {
        sft_v3d place = t[ends[k]];
        for (int32_t up = map->target_parents[ends[k]]; up != p->hips; up = map->target_parents[up])
            place = sft_v3d_add(t[up], sft_quatd_rotate(r[up], place));
        sum = sft_v3d_add(sum, place);
    }
    return sft_quatd_rotate(target_place(map, p->hips, t, r).r, sft_v3d_scale(0.5, sum));
}

/// The travel: the source's world scaled about its origin and turned to the target's facing. What goes there is the
/// place between the sockets. It keeps its height over the sole, so a reference pose stands on the ground on both
/// sides, whatever lies between hips and legs.
static void write_travel(const sft_transfer_def* def, const sft_retarget_map* map, const workspace* w, sft_v3d* t,
                         const sft_quatd* r)
{
    const double s = sft_transfer_scale(def, map);
    const sft_quatd turn = map->plans[def->mirror].turn;
    const sft_v3d is = sft_v3d_lerp(w->source_t[map->source.left], w->source_t[map->source.right], 0.5);
    sft_v3d place = sft_v3d_scale(s, sft_quatd_rotate(turn, is));
    const sft_v3d offset = map->target.offset;
    if (map->target.root >= 0)
    {
        sft_v3d root = sft_v3d_sub(place, offset);
        if (map->source.root >= 0)
        {
            // Root goes on root. The legs keep the target's own way from it, so that a root in the origin stays there.
            root = sft_v3d_scale(s, sft_quatd_rotate(turn, w->source_t[map->source.root]));
            const double x = def->mirror ? -1.0 : 1.0;
            const sft_v3d own = sft_v3d_make(x * map->source.offset.x, 0.0, map->source.offset.z);
            place = sft_v3d_add(place, sft_v3d_sub(offset, sft_v3d_scale(s, sft_quatd_rotate(turn, own))));
        }
        if (def->travel == SFT_TRAVEL_ROOT)
        {
            const sft_v3d rest = target_place(map, map->target.root, t, r).t;
            put_place(map, map->target.root, sft_v3d_make(root.x, rest.y, root.z), t, r);
        }
    }
    place.y = def->sole_lift + map->target.height + s * (is.y - map->source.height);
    put_place(map, map->target.hips, sft_v3d_sub(place, way_to_sockets(map, t, r)), t, r);
}

/// A bone ten times as long as at rest is no bone: beyond that it stays at the limit.
static void write_stretch(const sft_retarget_map* map, const sft_map_plan* plan, const workspace* w, sft_v3d* t)
{
    for (int32_t j = 0; j < map->target_count; ++j)
    {
        const plan_joint* p = &plan->joints[j];
        if (p->stretch_end < 0) continue;
        const double now = sft_v3d_distance(w->source_t[p->stretch_start], w->source_t[p->stretch_end]);
        t[j] = sft_v3d_scale(sft_clampd(now / p->stretch_rest, 0.1, 10.0), t[j]);
    }
}

static void move_frame(const sft_transfer_def* def, const sft_retarget_map* map, workspace* w,
                       const sft_pose_pair* poses)
{
    const sft_map_plan* plan = &map->plans[def->mirror];
    source_forward(map, def->mirror, poses->source_t, poses->source_r, w);
    correct_hips(&plan->hips, w);
    target_orientations(map, plan, w);
    if (map->roll_count > 0) sft_transfer_twists(map, plan, w->rolls, w->target_r);
    write_rotations(map, plan, w, at_reference(map, poses->source_r), poses->target_r);
    memcpy(poses->target_t, map->base_t, (size_t)map->target_count * sizeof *poses->target_t);
    if (def->non_rigid == SFT_NON_RIGID_RATIO) write_stretch(map, plan, w, poses->target_t);
    write_travel(def, map, w, poses->target_t, poses->target_r);
}

sft_result sft_transfer_frame(const sft_transfer_def* def, const sft_retarget_map* map, const sft_pose_pair* poses,
                              void* scratch, bool follows)
{
    if (!pose_in_range(map, poses->source_t, poses->source_r)) return SFT_ERR_RANGE;
    if (sft_transfer_copies(def, map))
    {
        memcpy(poses->target_t, poses->source_t, (size_t)map->target_count * sizeof *poses->target_t);
        memcpy(poses->target_r, poses->source_r, (size_t)map->target_count * sizeof *poses->target_r);
        return SFT_OK;
    }
    workspace w = split(map, scratch);
    for (int32_t i = 0; i < map->roll_count; ++i)
        w.rolls[i].follows = follows;
    move_frame(def, map, &w, poses);
    return SFT_OK;
}

sft_result sft_retarget_frame(const sft_transfer_def* def, const sft_retarget_map* map, const sft_v3d* source_t,
                              const sft_quatd* source_r, void* scratch, sft_v3d* target_t, sft_quatd* target_r)
{
    const sft_result checked = sft_transfer_check(def, map);
    if (checked != SFT_OK) return checked;
    if (source_t == NULL || source_r == NULL || scratch == NULL || target_t == NULL || target_r == NULL)
        return SFT_ERR_ARG;
    const sft_pose_pair poses = {source_t, source_r, target_t, target_r};
    return sft_transfer_frame(def, map, &poses, scratch, false);
}

bool sft_transfer_copies(const sft_transfer_def* def, const sft_retarget_map* map)
{
    const bool root_keeps = def->travel == SFT_TRAVEL_ROOT || map->target.root < 0;
    return map->same && root_keeps && !def->mirror && (def->scale == 0.0 || def->scale == 1.0) && def->sole_lift == 0.0;
}
