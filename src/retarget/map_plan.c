// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// From pairs to what a frame does. With W the orientation of a source joint now, L and R the reference orientations of
// both (figure space), F turning each model space to its figure space:
//     target = inv(Ft) (Fs W) inv(L) R = A W K,    A = inv(Ft) Fs,  K = inv(L) R.
// A mirrored source is the source's mirror image, taken for the source: with M negating x, every rotation q becomes
// M q M = (x, -y, -z, w), every place (-x, y, z), and a joint stands for its partner on the other side. The rest is as
// above, so both kinds of plan run through the same code.

#include "retarget/map.h"

static sft_quatd mirror_r(sft_quatd q, bool mirror)
{
    return mirror ? (sft_quatd){q.x, -q.y, -q.z, q.w} : q;
}

static sft_v3d mirror_t(sft_v3d v, bool mirror)
{
    return mirror ? sft_v3d_make(-v.x, v.y, v.z) : v;
}

static sft_quatd about_y(double angle)
{
    if (angle == 0.0) return sft_quatd_identity();
    return (sft_quatd){0.0, sft_sin(0.5 * angle), 0.0, sft_cos(0.5 * angle)};
}

/// The source joint that a pair's becomes in the mirror; -1: none, the target joint rests.
static int32_t mirrored_source(const map_sides* sides, const sft_retarget_map* map, int32_t target, bool next)
{
    const sft_joint_pair* pair = &map->pairs[target];
    const int32_t own = next ? pair->source_next : pair->source;
    if (own < 0) return -1;
    const int32_t partner = sft_map_partner(sides->rigs.source, &sides->source, own);
    if (partner >= 0) return partner;
    // A side that the source has fuller than the other: what the target's other side does.
    const int32_t across = sft_map_partner(sides->rigs.target, &sides->target, target);
    if (across < 0) return -1;
    return next ? map->pairs[across].source_next : map->pairs[across].source;
}

static sft_quatd basis(const map_sides* sides, int32_t target, int32_t source, bool mirror)
{
    const sft_quatd l = mirror_r(sides->rigs.source->pose[source].r, mirror);
    return sft_quatd_normalize(sft_quatd_mul(sft_quatd_conjugate(l), sides->rigs.target->pose[target].r));
}

/// A limb's bone points where the source's joints are, whatever lies between them and however they slide. What an upper
/// arm or a thigh carries along it has rolled as its last joint has: their roll is that of the bone's end.
static void plan_bone(const map_sides* sides, const sft_retarget_map* map, int32_t target, bool mirror, plan_joint* out)
{
    const sft_rig* rs = sides->rigs.source;
    const int32_t source = out->source;
    const sft_part part = sides->rigs.target->meanings[target].part;
    if (part != rs->meanings[source].part) return;
    const int32_t end = sft_map_bone_end(rs, &sides->source, source);
    if (end < 0) return;
    const sft_v3d way = sft_v3d_sub(rs->pose[end].t, rs->pose[source].t);
    if (!(sft_v3d_length(way) > SFT_LENGTH_EPS)) return;
    const int32_t last = rs->skeleton->parents[end];
    if (part == SFT_PART_UPPER_ARM || part == SFT_PART_THIGH)
        out->source = last;
    else if (last != source && !sft_map_rolls_in_line(map, target))
    {
        // A forearm whose roll lies in joints that the target has not: half of it here, half at the wrist.
        out->rolled = last;
        out->k_roll = mirror_r(sft_quatd_mul(sft_quatd_conjugate(rs->pose[last].r), rs->pose[source].r), mirror);
    }
    const sft_v3d unit = sft_v3d_normalize_or(mirror_t(way, mirror), sft_v3d_make(0.0, -1.0, 0.0));
    out->bone = sft_quatd_unrotate(mirror_r(rs->pose[out->source].r, mirror), unit);
    out->bone_start = source;
    out->bone_end = end;
}

/// Hips whose thighs hang from joints between: a pelvis below a root that carries the spine too turns by itself, and
/// what has no length turns unseen (motion made by networks turns hips, and turns back below). Where the sockets are
/// says how the pelvis lies. Where all is rigid it is what the joint says.
static map_line plan_hips(const map_sides* sides, bool mirror)
{
    const sft_rig* rs = sides->rigs.source;
    map_line line = {-1,
                     sft_map_joint(&sides->source, SFT_PART_THIGH, SFT_LEG_RIGHT, 0),
                     sft_map_joint(&sides->source, SFT_PART_THIGH, SFT_LEG_LEFT, 0),
                     {0.0, 0.0, 0.0}};
    if (line.right < 0 || line.left < 0) return line;
    if (rs->skeleton->parents[line.right] == rs->hips || rs->skeleton->parents[line.left] == rs->hips) return line;
    const sft_v3d way = mirror_t(sft_v3d_sub(rs->pose[line.left].t, rs->pose[line.right].t), mirror);
    if (!(sft_v3d_length(way) > SFT_LENGTH_EPS)) return line;
    line.joint = rs->hips;
    line.way =
        sft_quatd_unrotate(mirror_r(rs->pose[rs->hips].r, mirror), sft_v3d_scale(1.0 / sft_v3d_length(way), way));
    return line;
}

static void plan_joint_fill(const map_sides* sides, const sft_retarget_map* map, int32_t target, bool mirror,
                            plan_joint* out)
{
    const sft_joint_pair* pair = &map->pairs[target];
    *out = (plan_joint){.kind = PLAN_REST, .source = -1, .source_next = -1, .bone_start = -1, .bone_end = -1};
    out->rolled = out->stretch_start = out->stretch_end = -1;
    out->k = out->k_next = out->k_roll = sft_quatd_identity();
    if (pair->rule == SFT_PAIR_TWIST) out->kind = PLAN_TWIST;
    if (pair->rule != SFT_PAIR_JOINT && pair->rule != SFT_PAIR_CHAIN) return;
    const int32_t source = mirror ? mirrored_source(sides, map, target, false) : pair->source;
    const int32_t next = mirror ? mirrored_source(sides, map, target, true) : pair->source_next;
    if (source < 0) return;
    out->kind = PLAN_TURN;
    out->source = source;
    if (pair->rule == SFT_PAIR_CHAIN && next >= 0)
    {
        out->kind = PLAN_BLEND;
        out->source_next = next;
        out->share = pair->share;
        out->k_next = basis(sides, target, next, mirror);
    }
    else
        plan_bone(sides, map, target, mirror, out);
    out->k = basis(sides, target, out->source, mirror);
}

/// A joint is as much farther from the joint of the body above it as the source's is from its own.
static void plan_stretch(const map_sides* sides, sft_retarget_map* map, int32_t target, int k)
{
    const sft_rig* rs = sides->rigs.source;
    plan_joint* joints = map->plans[k].joints;
    plan_joint* own = &joints[target];
    if ((own->kind != PLAN_TURN && own->kind != PLAN_BLEND) || target == map->target.hips) return;
    int32_t up = map->target_parents[target];
    while (up >= 0 && joints[up].kind != PLAN_TURN && joints[up].kind != PLAN_BLEND)
        up = map->target_parents[up];
    if (up < 0) return;
    // Of an upper arm the place is that of its own joint, not that of the one it rolls with.
    const int32_t from = joints[up].bone_start >= 0 ? joints[up].bone_start : joints[up].source;
    const int32_t to = own->bone_start >= 0 ? own->bone_start : own->source;
    const double rest = sft_v3d_distance(rs->pose[from].t, rs->pose[to].t);
    // Joints a millimetre apart have a place, but no length.
    if (from == to || !(rest > 1e-3)) return;
    for (int32_t j = target; j > up; j = map->target_parents[j])
    {
        // What lies along a limb's bone gets longer with it; what others share with it does not.
        if (j != target && joints[up].bone_start < 0) break;
        joints[j].stretch_start = from;
        joints[j].stretch_end = to;
        joints[j].stretch_rest = rest;
    }
}

static void use(sft_retarget_map* map, int32_t joint)
{
    for (; joint >= 0 && !map->source_used[joint]; joint = map->source_parents[joint])
        map->source_used[joint] = 1;
}

static void add_bone(const map_sides* sides, sft_retarget_map* map, int32_t target)
{
    const int32_t end = sft_map_bone_end(sides->rigs.target, &sides->target, target);
    if (end < 0) return;
    // What lies along a bone belongs to it: the reference pose made them straight together.
    for (int32_t j = sides->rigs.target->skeleton->parents[end]; j > target; j = map->target_parents[j])
        map->rest_r[j] = map->pose_r[j];
    map_bone bone = {target, end, {-1, -1}, {-1, -1}, {0.0, 0.0}};
    for (int k = 0; k < 2; ++k)
    {
        const plan_joint* p = &map->plans[k].joints[target];
        bone.source_start[k] = p->bone_start;
        bone.source_end[k] = p->bone_end;
        if (p->bone_start < 0) continue;
        const sft_xformd* pose = sides->rigs.source->pose;
        bone.source_length[k] = sft_v3d_distance(pose[p->bone_start].t, pose[p->bone_end].t);
    }
    if (bone.source_start[0] >= 0 || bone.source_start[1] >= 0) map->bones[map->bone_count++] = bone;
}

void sft_map_plan_build(const map_sides* sides, sft_retarget_map* map)
{
    const sft_quatd to_target = sft_quatd_conjugate(about_y(sides->rigs.target->facing));
    for (int k = 0; k < 2; ++k)
    {
        sft_map_plan* plan = &map->plans[k];
        plan->turn = sft_quatd_mul(to_target, mirror_r(about_y(sides->rigs.source->facing), k == 1));
        for (int32_t j = 0; j < map->target_count; ++j)
            plan_joint_fill(sides, map, j, k == 1, &plan->joints[j]);
        plan->hips = plan_hips(sides, k == 1);
        use(map, plan->hips.joint);
        use(map, plan->hips.right);
        use(map, plan->hips.left);
        for (int32_t j = 0; j < map->target_count; ++j)
            plan_stretch(sides, map, j, k);
        for (int32_t j = 0; j < map->target_count; ++j)
        {
            use(map, plan->joints[j].source);
            use(map, plan->joints[j].source_next);
            use(map, plan->joints[j].rolled);
            use(map, plan->joints[j].stretch_start);
            use(map, plan->joints[j].stretch_end);
            use(map, plan->joints[j].bone_start);
            use(map, plan->joints[j].bone_end);
        }
    }
    use(map, map->source.left);
    use(map, map->source.right);
    use(map, map->source.root);
    for (int32_t j = 0; j < map->target_count; ++j)
        add_bone(sides, map, j);
}
