// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// Problem: a joint that carries nothing but joints in its own place may turn by anything, and joints below that turn
// back, and no bone shows it; one that carries a single bone may so roll about it. Motion made by networks is trained
// on places and does this: its hips, spine and head stand turned by a quarter and more against the rest pose of the
// same file, nearly evenly through the clip. Moved to a body that does show how hips and chest lie, all of it would
// come out turned.
// Method: two lines that are seen, across the sockets of thighs or upper arms and up the trunk, span a space of the
// body. A joint's orientation in that space, the mean over the frames, belongs to the same body in the base pose. Where
// hips or chest are far from it, the base pose takes what the clip has, as far as no bone shows it: places stay.

#include "rig/rig_internal.h"

// Hips or chest stand apart from here on [cosine of half of 45 degrees]; the others then from 20 degrees.
#define FAR_COS 0.92387953251128674
#define OFF_COS 0.98480775301220802
// Frames must agree: length of the mean quaternion; 28 degrees root mean square.
#define AGREE 0.97
#define FRAMES 3.0
// Nearer than this, in trunk lengths, is in the same place; and as far from a line is on it.
#define SAME_PLACE 1e-3

typedef struct body_lines
{
    sft_v3d hips, chest; // unit, right to left
    sft_v3d up;          // hips to shoulders
} body_lines;

static sft_v3d middle(const sft_xformd* pose, int32_t a, int32_t b)
{
    return sft_v3d_lerp(pose[a].t, pose[b].t, 0.5);
}

static bool read_lines(const sft_rig_build* build, const sft_xformd* pose, body_lines* out)
{
    const sft_rig_body* body = &build->body;
    if (body->animal || body->leg[0] < 0 || body->leg[1] < 0) return false;
    const int32_t left = build->legs[body->leg[0]].hip, right = build->legs[body->leg[1]].hip;
    const int32_t arms[2] = {body->arms[0].upper, body->arms[1].upper};
    if (arms[0] < 0 || arms[1] < 0) return false;
    out->hips = sft_rig_unit(sft_rig_between(pose, right, left));
    out->chest = sft_rig_unit(sft_rig_between(pose, arms[1], arms[0]));
    out->up = sft_v3d_sub(middle(pose, arms[0], arms[1]), middle(pose, left, right));
    return sft_v3d_length(out->hips) > 0.5 && sft_v3d_length(out->chest) > 0.5 && sft_v3d_length(out->up) > 1e-3;
}

// The body's space at a place along the trunk, 0 hips to 1 chest: its x across, its y up.
static sft_quatd body_space(const body_lines* lines, double at)
{
    const sft_v3d x = sft_v3d_make(1, 0, 0), y = sft_v3d_make(0, 1, 0);
    const sft_v3d across = sft_v3d_normalize_or(sft_v3d_lerp(lines->hips, lines->chest, at), x);
    const sft_quatd aim = sft_quatd_between(x, across);
    const sft_v3d now = sft_quatd_rotate(aim, y);
    const double angle = sft_atan2(sft_v3d_dot(sft_v3d_cross(now, lines->up), across), sft_v3d_dot(now, lines->up));
    return sft_quatd_mul(sft_quatd_exp(sft_v3d_scale(angle, across)), aim);
}

// Place of a joint along the trunk; -1: not of the trunk.
static double place_of(const sft_rig_build* build, int32_t joint)
{
    const sft_joint_meaning* m = &build->meanings[joint];
    const int32_t chest = build->body.chest;
    if (joint == build->body.hips) return 0.0;
    if (m->part == SFT_PART_NECK || m->part == SFT_PART_HEAD) return 1.0;
    if (m->part == SFT_PART_CLAVICLE && m->pair == 0) return 1.0;
    if (m->part != SFT_PART_SPINE || chest < 0) return -1.0;
    return (double)(m->index + 1) / (double)(build->meanings[chest].index + 1);
}

// How joints can turn without moving others, in scratch2: rigid ones have r.w zero, others turn about t (joint space),
// by any axis where that is zero.
static void find_freedom(sft_rig_build* build, double size)
{
    const sft_skeleton* skeleton = build->skeleton;
    for (int32_t j = 0; j < skeleton->joint_count; ++j)
        build->scratch2[j] = (sft_xformd){{0, 0, 0}, {0, 0, 0, 1}};
    for (int32_t j = 0; j < skeleton->joint_count; ++j)
    {
        const sft_v3d bone = build->base_t[j];
        if (skeleton->parents[j] < 0 || !(sft_v3d_length(bone) > SAME_PLACE * size)) continue;
        sft_xformd* up = &build->scratch2[skeleton->parents[j]];
        if (!(sft_v3d_length(up->t) > 0.5))
            up->t = sft_rig_unit(bone);
        else if (sft_v3d_length(sft_v3d_cross(up->t, bone)) > SAME_PLACE * size)
            up->r.w = 0.0;
    }
}

void sft_rig_add_turn(sft_quatd* sum, sft_quatd q)
{
    const double sign = sft_quatd_dot(*sum, q) < 0.0 ? -1.0 : 1.0;
    *sum = (sft_quatd){sum->x + sign * q.x, sum->y + sign * q.y, sum->z + sign * q.z, sum->w + sign * q.w};
}

void sft_rig_watch_turns(sft_rig_build* build, const sft_xformd* pose)
{
    body_lines lines;
    if (!read_lines(build, pose, &lines)) return;
    build->turn_frames += 1.0;
    for (int32_t j = 0; j < build->skeleton->joint_count; ++j)
    {
        const double at = place_of(build, j);
        if (at < 0.0) continue;
        sft_rig_add_turn(&build->turns[j], sft_quatd_mul(sft_quatd_conjugate(body_space(&lines, at)), pose[j].r));
    }
}

// Turn, model space, that takes a joint of the base pose to how the clip has it, as far as no bone shows it; identity
// where nothing tells.
static sft_quatd hidden_turn(const sft_rig_build* build, int32_t joint, const body_lines* lines)
{
    const double at = place_of(build, joint);
    const sft_quatd sum = build->turns[joint], none = sft_quatd_identity();
    const sft_v3d axis = build->scratch2[joint].t;
    if (at < 0.0 || !(build->scratch2[joint].r.w > 0.0)) return none;
    if (!(sft_quatd_dot(sum, sum) > AGREE * AGREE * build->turn_frames * build->turn_frames)) return none;
    const sft_quatd due = sft_quatd_mul(body_space(lines, at), sft_quatd_normalize(sum));
    const sft_quatd base = build->base[joint].r;
    const sft_quatd turn = sft_quatd_mul(due, sft_quatd_conjugate(base));
    if (!(sft_v3d_length(axis) > 0.5)) return turn;
    const sft_v3d bone = sft_quatd_rotate(base, axis);
    const double along = sft_v3d_dot(sft_v3d_make(turn.x, turn.y, turn.z), bone);
    if (!(along * along + turn.w * turn.w > 0.25)) return none;
    return sft_quatd_normalize((sft_quatd){along * bone.x, along * bone.y, along * bone.z, turn.w});
}

static bool beyond(sft_quatd turn, double cos_half)
{
    return fabs(turn.w) < cos_half;
}

void sft_rig_take_hidden_turns(sft_rig_build* build)
{
    const sft_skeleton* skeleton = build->skeleton;
    const sft_rig_body* body = &build->body;
    body_lines lines;
    if (build->pose_frame != SFT_RIG_POSE_REST || !(build->turn_frames >= FRAMES)) return;
    if (body->hips < 0 || body->chest < 0) return;
    sft_skeleton_forward(skeleton, build->base_t, build->base_r, build->base);
    if (!read_lines(build, build->base, &lines)) return;
    find_freedom(build, sft_v3d_length(lines.up));
    const sft_quatd hips = hidden_turn(build, body->hips, &lines), chest = hidden_turn(build, body->chest, &lines);
    if (!beyond(hips, FAR_COS) && !beyond(chest, FAR_COS)) return;
    for (int32_t j = 0; j < skeleton->joint_count; ++j)
    {
        const int32_t p = skeleton->parents[j];
        sft_quatd turn = hidden_turn(build, j, &lines);
        if (!beyond(turn, OFF_COS)) turn = sft_quatd_identity();
        // What is no part of the body rides along where it has a place of its own; in the joint's place it turns back.
        build->scratch[j].r = sft_quatd_mul(turn, build->base[j].r);
        if (p < 0)
            build->base_r[j] = sft_quatd_normalize(build->scratch[j].r);
        else
            build->base_r[j] =
                sft_quatd_normalize(sft_quatd_mul(sft_quatd_conjugate(build->scratch[p].r), build->scratch[j].r));
    }
    const double most = sft_mind(fabs(hips.w), fabs(chest.w));
    sft_rig_say(build, "hips and chest turned by %d degrees as in the clip, unseen",
                (int)floor(2.0 * sft_acos(sft_mind(most, 1.0)) * 180.0 / SFT_PI + 0.5));
}
