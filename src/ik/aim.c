// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// Looking at something with several joints (docs/ik.md). The orientation that the last joint should have is known in
// closed form once it is known from where it looks; each joint from the root on makes its share of what is still to
// turn, within its limits. From where it looks depends on how far the joints below turned, so the whole is repeated
// from the input pose with the last answer's place; nothing remembers, and the input alone decides.

#include "ik/ik_internal.h"

#define AIM_COOKIE UINT32_C(0x2b04e1c7)
// Each leaves of the eye's error about how far it moves over how far the target is; the input pose starts within that.
#define ROUNDS 40

typedef struct aim_chain
{
    const sft_ik_aim_def* def;
    int32_t links;
    sft_xformd above;                     ///< carries the first link
    sft_xformd between[SFT_IK_AIM_LINKS]; ///< from link i - 1 to what carries link i, its own translation included
    sft_quatd source[SFT_IK_AIM_LINKS], local[SFT_IK_AIM_LINKS];
    sft_quatd carrier[SFT_IK_AIM_LINKS]; ///< model rotation of what carries link i
    sft_xformd last;                     ///< model transform of the last link
} aim_chain;

sft_ik_aim_def sft_default_ik_aim_def(void)
{
    return (sft_ik_aim_def){.links = NULL,
                            .link_count = 0,
                            .limits = NULL,
                            .forward = {0.0, 0.0, 1.0},
                            .up = {0.0, 1.0, 0.0},
                            .offset = {0.0, 0.0, 0.0},
                            .vertical = {0.0, 1.0, 0.0},
                            .level = 1.0,
                            .weight = 1.0,
                            .range = SFT_PI,
                            .cookie = AIM_COOKIE};
}

static bool is_unit(sft_v3d v)
{
    return fabs(sft_v3d_dot(v, v) - 1.0) <= 2e-6;
}

static bool is_share(double x)
{
    return x >= 0.0 && x <= 1.0;
}

static sft_result check_def(const sft_ik_aim_def* def, const sft_skeleton* skeleton)
{
    if (def->cookie != AIM_COOKIE) return SFT_ERR_DEF;
    if (def->links == NULL || def->link_count < 1 || def->link_count > SFT_IK_AIM_LINKS) return SFT_ERR_ARG;
    if (!is_unit(def->forward) || !is_unit(def->up) || !is_unit(def->vertical)) return SFT_ERR_DEF;
    if (!(fabs(sft_v3d_dot(def->forward, def->up)) < 0.99) || !sft_v3d_in_range(def->offset)) return SFT_ERR_DEF;
    if (!is_share(def->level) || !is_share(def->weight) || !(def->range > 0.0 && def->range <= SFT_PI))
        return SFT_ERR_DEF;
    for (int32_t i = 0; i < def->link_count; ++i)
    {
        const sft_ik_aim_link* link = &def->links[i];
        if (link->joint < 0 || link->joint >= skeleton->joint_count) return SFT_ERR_ARG;
        if (!is_share(link->share) || !(link->max_turn >= 0.0)) return SFT_ERR_DEF;
        if (def->limits != NULL && sft_limit_check(&def->limits[link->joint]) != SFT_OK) return SFT_ERR_DEF;
        if (i == 0) continue;
        int32_t j = skeleton->parents[link->joint];
        while (j > def->links[i - 1].joint)
            j = skeleton->parents[j];
        if (j != def->links[i - 1].joint) return SFT_ERR_ARG;
    }
    return SFT_OK;
}

// What lies from `joint`'s translation up to, and without, its ancestor `from` (-1: to the model).
static bool read_between(const sft_skeleton* skeleton, const sft_ik_pose* pose, int32_t joint, int32_t from,
                         sft_xformd* out)
{
    sft_xformd x = {pose->local_t[joint], sft_quatd_identity()};
    for (int32_t j = skeleton->parents[joint]; j > from; j = skeleton->parents[j])
    {
        if (!sft_ik_unit_quat(pose->local_r[j])) return false;
        x = sft_xformd_mul((sft_xformd){pose->local_t[j], pose->local_r[j]}, x);
    }
    *out = x;
    return sft_v3d_in_range(x.t) && sft_ik_unit_quat(pose->local_r[joint]);
}

static void forward(aim_chain* a)
{
    sft_xformd x = a->above;
    for (int32_t i = 0; i < a->links; ++i)
    {
        if (i > 0) x = sft_xformd_mul(x, a->between[i]);
        a->carrier[i] = x.r;
        x.r = sft_quatd_mul(x.r, a->local[i]);
    }
    a->last = (sft_xformd){x.t, sft_quatd_normalize(x.r)};
}

static sft_v3d eye_of(const aim_chain* a)
{
    return sft_xformd_apply(a->last, a->def->offset);
}

static double angle_of(sft_v3d a, sft_v3d b)
{
    return sft_atan2(sft_v3d_length(sft_v3d_cross(a, b)), sft_v3d_dot(a, b));
}

// The orientation that looks along `way` (unit): the least turn of `source`, then rolled about `way` until its up is as
// near to the vertical as that allows. Straight up and down nothing is level, and the roll fades.
static sft_quatd looking(const sft_ik_aim_def* def, sft_quatd source, sft_v3d way)
{
    const sft_v3d from = sft_quatd_rotate(source, def->forward), up = sft_quatd_rotate(source, def->up);
    const sft_v3d about = sft_v3d_normalize_or(sft_ik_across(up, from), sft_v3d_any_perp(from));
    const sft_quatd turned = sft_quatd_mul(sft_ik_swing(from, way, about), source);
    const sft_v3d vertical = sft_ik_across(def->vertical, way);
    const sft_v3d is = sft_ik_across(sft_quatd_rotate(turned, def->up), way);
    const double clear = sft_mind(10.0 * sft_v3d_dot(vertical, vertical), 1.0);
    const double roll = sft_atan2(sft_v3d_dot(sft_v3d_cross(is, vertical), way), sft_v3d_dot(is, vertical));
    const sft_quatd q = sft_quatd_exp(sft_v3d_scale(def->level * clear * roll, way));
    return sft_quatd_normalize(sft_quatd_mul(q, turned));
}

// `local` no farther than `most` from `source`.
static sft_quatd within(sft_quatd source, sft_quatd local, double most)
{
    const double angle = sft_ik_angle(source, local);
    return angle > most ? sft_quatd_slerp(source, local, most / angle) : local;
}

// All links from the source towards the orientation that the last should have.
static void turn_links(aim_chain* a, sft_quatd wanted)
{
    for (int32_t i = 0; i < a->links; ++i)
        a->local[i] = a->source[i];
    for (int32_t i = 0; i < a->links; ++i)
    {
        const sft_ik_aim_link* link = &a->def->links[i];
        forward(a);
        const sft_v3d left = sft_quatd_log(sft_quatd_mul(wanted, sft_quatd_conjugate(a->last.r)));
        // In the space of what carries the joint, where its local rotation lives.
        const sft_v3d turn = sft_quatd_unrotate(a->carrier[i], sft_v3d_scale(link->share, left));
        sft_quatd local = sft_quatd_mul(sft_quatd_exp(turn), a->source[i]);
        local = within(a->source[i], sft_quatd_normalize(local), link->max_turn);
        if (a->def->limits != NULL) local = sft_limit_clamp(&a->def->limits[link->joint], local, NULL);
        a->local[i] = local;
    }
    forward(a);
}

// 1 up to three quarters of the range, 0 from its end on, smooth in between.
static double fade(double angle, double range)
{
    const double t = sft_clampd((angle / range - 0.75) * 4.0, 0.0, 1.0);
    return 1.0 - t * t * (3.0 - 2.0 * t);
}

static sft_result read_chain(const sft_ik_aim_def* def, const sft_skeleton* skeleton, const sft_ik_pose* pose,
                             aim_chain* a)
{
    a->def = def;
    a->links = def->link_count;
    for (int32_t i = 0; i < a->links; ++i)
    {
        const int32_t joint = def->links[i].joint, from = i > 0 ? def->links[i - 1].joint : -1;
        if (!read_between(skeleton, pose, joint, from, i > 0 ? &a->between[i] : &a->above)) return SFT_ERR_RANGE;
        a->source[i] = a->local[i] = pose->local_r[joint];
    }
    forward(a);
    return SFT_OK;
}

sft_result sft_ik_aim_at(const sft_ik_aim_def* def, const sft_skeleton* skeleton, sft_v3d target,
                         const sft_ik_pose* pose, sft_ik_aim_report* report)
{
    if (def == NULL || skeleton == NULL || pose == NULL || pose->local_t == NULL || pose->local_r == NULL)
        return SFT_ERR_ARG;
    const sft_result checked = check_def(def, skeleton);
    if (checked != SFT_OK) return checked;
    if (!sft_v3d_in_range(target)) return SFT_ERR_RANGE;
    aim_chain a;
    const sft_result read = read_chain(def, skeleton, pose, &a);
    if (read != SFT_OK) return read;

    const sft_quatd source = a.last.r;
    const sft_v3d ahead = sft_quatd_rotate(source, def->forward);
    sft_v3d eye = eye_of(&a), way = sft_v3d_sub(target, eye);
    sft_ik_aim_report r = {.weight = 0.0};
    if (sft_v3d_length(way) > SFT_LENGTH_EPS) r.weight = def->weight * fade(angle_of(ahead, way), def->range);
    for (int round = 0; round < ROUNDS && r.weight > 0.0; ++round)
    {
        const sft_quatd wanted = looking(def, source, sft_v3d_normalize_or(way, ahead));
        turn_links(&a, r.weight < 1.0 ? sft_quatd_slerp(source, wanted, r.weight) : wanted);
        const sft_v3d moved = eye_of(&a);
        const double step = sft_v3d_distance(moved, eye);
        eye = moved;
        way = sft_v3d_sub(target, eye);
        if (step <= 1e-12 * sft_v3d_length(way)) break;
    }
    if (sft_v3d_length(way) > SFT_LENGTH_EPS) r.miss = angle_of(sft_quatd_rotate(a.last.r, def->forward), way);
    for (int32_t i = 0; i < a.links && r.weight > 0.0; ++i)
        pose->local_r[def->links[i].joint] = a.local[i];
    if (report != NULL) *report = r;
    return SFT_OK;
}
