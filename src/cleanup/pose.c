// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// From the solver's angles back to local rotations. Hip: one turn in model space. Knee: about its own side axis, so a
// right-hand factor. Heel: keeps its model rotation but for the pitch, so it undoes what hip and knee did.

#include "cleanup/direct.h"

// Below this nothing is written, so that untouched frames come back bit for bit.
static const double NO_CHANGE = 1e-10;

typedef struct chain
{
    sft_quatd hip_parent, knee_parent, knee, heel_parent;
} chain;

static sft_quatd model_rotation(const sft_skeleton* s, const sft_quatd* local, int32_t joint, int32_t stop,
                                sft_quatd above)
{
    sft_quatd q = sft_quatd_identity();
    for (; joint != stop; joint = s->parents[joint])
        q = sft_quatd_mul(local[joint], q);
    return sft_quatd_mul(above, q);
}

static sft_quatd about(sft_v3d axis, double angle)
{
    const double s = sft_sin(0.5 * angle);
    return (sft_quatd){s * axis.x, s * axis.y, s * axis.z, sft_cos(0.5 * angle)};
}

static void apply_leg(const cu_problem* p, int32_t leg, int32_t i, sft_quatd pelvis, sft_quatd* local)
{
    const sft_skeleton* s = p->skeleton;
    const sft_leg* g = p->legs + leg;
    const size_t at = (size_t)leg * (size_t)p->frames + (size_t)i;
    const double* q = p->angles + at * 4;
    const cu_leg_frame* f = p->source + at;
    const sft_quatd hip_parent = model_rotation(s, local, s->parents[g->hip], g->pelvis, pelvis);
    const sft_quatd hip = sft_quatd_mul(hip_parent, local[g->hip]);
    const sft_quatd knee_parent = model_rotation(s, local, s->parents[g->knee], g->hip, hip);
    const sft_quatd knee = sft_quatd_mul(knee_parent, local[g->knee]);
    const sft_quatd heel_parent = model_rotation(s, local, s->parents[g->heel], g->knee, knee);
    const cu_bend bend = cu_bend_knee(f, q[2]);
    const sft_quatd turn = sft_quatd_between(bend.unit, cu_leg_line(f, q, &bend));
    const sft_quatd flex = about(f->side, q[2]), pitch = about(f->pitch, q[3]);
    const sft_quatd heel = sft_quatd_mul(heel_parent, local[g->heel]);
    const sft_quatd new_parent = sft_quatd_mul(turn, sft_quatd_mul(flex, heel_parent));
    local[g->hip] = sft_quatd_normalize(sft_quatd_mul(sft_quatd_conjugate(hip_parent), sft_quatd_mul(turn, hip)));
    local[g->knee] = sft_quatd_normalize(sft_quatd_mul(sft_quatd_conjugate(knee_parent), sft_quatd_mul(flex, knee)));
    local[g->heel] = sft_quatd_normalize(sft_quatd_mul(sft_quatd_conjugate(new_parent), sft_quatd_mul(pitch, heel)));
}

static bool leg_changes(const double* q)
{
    return fabs(q[0]) > NO_CHANGE || fabs(q[1]) > NO_CHANGE || fabs(q[2]) > NO_CHANGE || fabs(q[3]) > NO_CHANGE;
}

static void note(uint8_t* joint_changed, int32_t joint, uint8_t bit)
{
    if (joint_changed) joint_changed[joint] = (uint8_t)(joint_changed[joint] | bit);
}

// Every bone from hip to ankle by the same factor: angles stay, the line from hip to ankle gets longer.
static void stretch_leg(const cu_problem* p, int32_t leg, int32_t frame, sft_v3d* local, uint8_t* joint_changed)
{
    const size_t at = (size_t)leg * (size_t)p->frames + (size_t)frame;
    if (!(p->gave_up[at] & SFT_GAVE_STRETCH)) return;
    const double factor = cu_leg_stretch(p, at, frame);
    for (int32_t j = p->legs[leg].heel; j != p->legs[leg].hip; j = p->skeleton->parents[j])
    {
        local[j] = sft_v3d_scale(factor, local[j]);
        note(joint_changed, j, 2);
    }
}

static void apply_frame(const cu_problem* p, int32_t frame, int32_t target, sft_clip* clip, uint8_t* joint_changed)
{
    const size_t base = (size_t)target * (size_t)clip->joint_count;
    sft_quatd* local = clip->rotations + base;
    for (int32_t l = 0; l < p->leg_count; ++l)
    {
        const size_t at = (size_t)l * (size_t)p->frames + (size_t)frame;
        if (!leg_changes(p->angles + at * 4)) continue;
        const sft_leg* g = p->legs + l;
        // Rotations at and above the pelvis never change, so the order of the legs does not matter.
        const sft_quatd pelvis = model_rotation(p->skeleton, local, g->pelvis, -1, sft_quatd_identity());
        apply_leg(p, l, frame, pelvis, local);
        note(joint_changed, g->hip, 1);
        note(joint_changed, g->knee, 1);
        note(joint_changed, g->heel, 1);
        stretch_leg(p, l, frame, clip->translations + base, joint_changed);
    }
    const sft_v3d d = p->shift[frame];
    if (!p->move_pelvis || !(sft_v3d_length(d) > NO_CHANGE)) return;
    const int32_t j = p->travel_joint, parent = p->skeleton->parents[j];
    const sft_quatd above =
        parent < 0 ? sft_quatd_identity() : model_rotation(p->skeleton, local, parent, -1, sft_quatd_identity());
    sft_v3d* t = clip->translations + base + (size_t)j;
    *t = sft_v3d_add(*t, sft_quatd_unrotate(above, d));
    note(joint_changed, j, 2);
}

void cu_pose_apply(const cu_problem* p, sft_clip* clip, uint8_t* joint_changed)
{
    for (int32_t i = 0; i < p->frames; ++i)
        apply_frame(p, i, p->first + i, clip, joint_changed);
    if (p->loop)
        for (int32_t i = p->first + p->frames; i < clip->frame_count; ++i) // the repeated closing frame
            apply_frame(p, (i - p->first) % p->frames, i, clip, joint_changed);
}
