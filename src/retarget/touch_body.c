// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// Bodies by their joints alone, sizes by the arm's length: a person's arm of 0.55 m goes with a palm 0.08 m beyond the
// wrist and a head 0.22 m high.

#include "retarget/touch.h"

static const double PALM_SHARE = 0.14; // of the arm: wrist to the middle of the palm
static const double HEAD_SHARE = 0.22; // of the arm: head joint to the middle of the head

static int side_index(sft_leg_side side)
{
    return side == SFT_LEG_LEFT ? 0 : side == SFT_LEG_RIGHT ? 1 : -1;
}

void md_body_read(const sft_rig* rig, md_body* out)
{
    memset(out, -1, sizeof *out);
    out->hips = rig->hips;
    int32_t first = INT32_MAX, last = -1;
    for (int32_t j = 0; rig->meanings && j < rig->skeleton->joint_count; ++j)
    {
        const sft_joint_meaning* m = rig->meanings + j;
        const int side = side_index(m->side);
        if (m->part == SFT_PART_SPINE && m->index < first) first = m->index, out->spine = j;
        if (m->part == SFT_PART_SPINE && m->index > last) last = m->index, out->chest = j;
        if (m->index != 0) continue;
        if (m->part == SFT_PART_HEAD) out->head = j;
        if (side < 0) continue;
        if (m->part == SFT_PART_CLAVICLE && m->pair <= 1 && out->clavicle[side] < 0) out->clavicle[side] = j;
        if (m->part == SFT_PART_UPPER_ARM) out->upper[side] = j;
        if (m->part == SFT_PART_FOREARM) out->fore[side] = j;
        if (m->part == SFT_PART_HAND) out->hand[side] = j;
    }
    for (int32_t k = rig->leg_count - 1; k >= 0; --k)
    {
        const int side = side_index(rig->legs[k].side);
        if (side < 0 || rig->legs[k].pair != 0) continue;
        out->hip[side] = rig->legs[k].hip;
        out->knee[side] = rig->legs[k].knee;
    }
    // An arm counts whole or not at all.
    const sft_skeleton* s = rig->skeleton;
    for (int a = 0; a < 2; ++a)
    {
        const bool whole = out->upper[a] >= 0 && out->fore[a] > out->upper[a] && out->hand[a] > out->fore[a] &&
                           md_is_above(s, out->upper[a], out->fore[a]) && md_is_above(s, out->fore[a], out->hand[a]);
        if (!whole) out->upper[a] = out->fore[a] = out->hand[a] = -1;
        if (out->clavicle[a] >= 0 && !(whole && md_is_above(s, out->clavicle[a], out->upper[a]))) out->clavicle[a] = -1;
    }
}

int32_t md_kind_joint(const md_body* body, md_kind kind, int hand)
{
    switch (kind)
    {
    case MD_HAND:
        return body->hand[1 - hand];
    case MD_HEAD:
        return body->head;
    case MD_THIGH_LEFT:
        return body->knee[0] >= 0 ? body->hip[0] : -1;
    case MD_THIGH_RIGHT:
        return body->knee[1] >= 0 ? body->hip[1] : -1;
    case MD_TRUNK:
        return body->chest >= 0 ? body->hips : -1;
    default:
        return -1;
    }
}

sft_v3d md_palm_offset(const sft_rig* rig, const md_body* body, int hand)
{
    const sft_v3d out = sft_v3d_make((hand == 0 ? PALM_SHARE : -PALM_SHARE) * rig->arm_length, 0.0, 0.0);
    return rig->pose ? sft_quatd_unrotate(rig->pose[body->hand[hand]].r, out) : out;
}

// Nearest point of the line a to b, or the point at a share that is given.
static md_nearest on_line(sft_v3d a, sft_v3d b, sft_v3d palm, double share)
{
    md_nearest n = {a, {0, 0, 0}, 0.0, 0.0};
    const sft_v3d v = sft_v3d_sub(b, a);
    const double square = sft_v3d_dot(v, v);
    if (!(square > SFT_LENGTH_EPS * SFT_LENGTH_EPS)) return n;
    n.share = share >= 0.0 ? share : sft_clampd(sft_v3d_dot(sft_v3d_sub(palm, a), v) / square, 0.0, 1.0);
    n.point = sft_v3d_madd(a, n.share, v);
    n.length = sqrt(square);
    n.along = sft_v3d_scale(1.0 / n.length, v);
    return n;
}

md_nearest md_nearest_point(const sft_rig* rig, const md_body* body, const sft_clip* clip, int32_t frame, md_kind kind,
                            int hand, sft_v3d palm, double share)
{
    const sft_skeleton* s = rig->skeleton;
    if (kind == MD_HAND)
    {
        const sft_xformd other = md_joint(s, clip, frame, body->hand[1 - hand]);
        return (md_nearest){sft_xformd_apply(other, md_palm_offset(rig, body, 1 - hand)), {0, 0, 0}, 0.0, 0.0};
    }
    if (kind == MD_HEAD)
    {
        const sft_xformd head = md_joint(s, clip, frame, body->head);
        sft_v3d up = sft_v3d_make(0.0, HEAD_SHARE * rig->arm_length, 0.0);
        if (rig->pose) up = sft_quatd_unrotate(rig->pose[body->head].r, up);
        return (md_nearest){sft_xformd_apply(head, up), {0, 0, 0}, 0.0, 0.0};
    }
    const int side = kind == MD_THIGH_LEFT ? 0 : 1;
    const int32_t from = kind == MD_TRUNK ? body->hips : body->hip[side];
    const int32_t to = kind == MD_TRUNK ? body->chest : body->knee[side];
    return on_line(md_joint(s, clip, frame, from).t, md_joint(s, clip, frame, to).t, palm, share);
}
