// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// From curves to local transforms: the body is moved, each foot put and turned, the leg solved between them. What a
// leg cannot reach it gives up by lifting its heel, and what is then left is reported.

#include "adapt/clip_problem.h"
#include "leg/solve_internal.h"

static const double HEEL_LIFT = 40.0 * SFT_PI / 180.0;
// Sine of half of 40 degrees. One pose alone cannot tell a knee that is caught bent back from one that is meant to be,
// and from 15 degrees on takes it for meant: a leg that passes that would turn over between two frames.
static const double LOOSE_BACKWARD = 0.34202014332566873;
static const double NO_CHANGE = 1e-10;     // [m] and [rad]: below it nothing is written
static const double REPORTED = 5e-4;       // [m] a miss below this is none
static const double LIFT_REPORTED = 0.035; // [rad]: two degrees

static sft_leg_solve_def solve_def(const ad_problem* p)
{
    sft_leg_solve_def def = sft_default_leg_solve_def();
    def.extension = SFT_EXTENSION_SOURCE;
    def.max_extension = p->def->foot.max_extension;
    def.softening = 0.0; // the path of the pelvis is smooth already
    def.toe_aim = false;
    def.heel_lift = HEEL_LIFT;
    return def;
}

static void move_pose(const ad_problem* p, int32_t frame, sft_leg_pose* pose)
{
    sft_xformd* joints[5] = {&pose->hip, &pose->knee, &pose->heel, &pose->toe, &pose->toe_end};
    if (p->travel_joint < 0) return;
    for (int k = 0; k < 5; ++k)
    {
        joints[k]->t = ad_moved(p, frame, joints[k]->t);
        if (p->turn_joint >= 0) joints[k]->r = sft_quatd_mul(ad_body_turn(p, frame), joints[k]->r);
    }
}

static bool same_turn(sft_quatd q)
{
    return fabs(q.x) <= NO_CHANGE && fabs(q.y) <= NO_CHANGE && fabs(q.z) <= NO_CHANGE;
}

static bool goes_with_body(const ad_problem* p, int32_t frame, sft_quatd turn)
{
    if (p->turn_joint < 0) return same_turn(turn);
    return same_turn(sft_quatd_mul(sft_quatd_conjugate(ad_body_turn(p, frame)), turn));
}

// Foot and toes of the source turned as they are put, on the leg of `pose`.
static void turn_foot(const sft_leg* leg, const ad_put* put, const sft_leg_pose* source, sft_leg_pose* pose)
{
    const sft_v3d foot = sft_v3d_sub(source->toe.t, source->heel.t);
    const sft_v3d end = sft_v3d_sub(source->toe_end.t, source->toe.t);
    pose->heel.r = sft_quatd_normalize(sft_quatd_mul(put->foot, source->heel.r));
    if (leg->toe == leg->heel)
    {
        pose->toe = pose->heel;
        return;
    }
    pose->toe.t = sft_v3d_add(pose->heel.t, sft_quatd_rotate(put->foot, foot));
    pose->toe.r = sft_quatd_normalize(sft_quatd_mul(put->toe_turn, source->toe.r));
    pose->toe_end.t = sft_v3d_add(pose->toe.t, sft_quatd_rotate(put->toe_turn, end));
}

typedef struct run
{
    sft_adapt_miss miss; // of the misses at hand; first -1: none
} run;

static sft_result end_run(ad_problem* p, run* r)
{
    const sft_result result = r->miss.first >= 0 ? ad_miss(p, r->miss) : SFT_OK;
    r->miss.first = -1;
    return result;
}

static sft_result extend_run(ad_problem* p, run* r, int32_t leg, int32_t frame, double amount)
{
    const int32_t at = p->first + frame;
    if (r->miss.first >= 0 && r->miss.last == at - 1)
    {
        r->miss.last = at;
        r->miss.amount = sft_maxd(r->miss.amount, amount);
        return SFT_OK;
    }
    const sft_result result = end_run(p, r);
    r->miss = (sft_adapt_miss){SFT_ADAPT_FAULT_REACH, leg, at, at, amount};
    return result;
}

static void note(uint8_t* changed, int32_t joint, uint8_t bit)
{
    if (changed) changed[joint] |= bit;
}

// Solves one leg of one frame. `write` false: only finds what it misses.
static sft_result solve_frame(ad_problem* p, int32_t leg, int32_t frame, sft_clip* clip, uint8_t* changed, double* miss)
{
    const sft_leg* g = p->legs + leg;
    const size_t base = (size_t)(p->first + frame) * (size_t)p->clip->joint_count;
    const ad_put put = ad_put_foot(p, leg, frame);
    *miss = 0.0;
    sft_leg_pose pose;
    sft_result r = sft_leg_pose_read(p->skeleton, g, p->clip->translations + base, p->clip->rotations + base, &pose);
    if (r != SFT_OK) return r;
    const sft_leg_pose source = pose;
    move_pose(p, frame, &pose);
    const sft_v3d off = sft_v3d_sub(put.toe, pose.toe.t);
    if (goes_with_body(p, frame, put.foot) && goes_with_body(p, frame, put.toe_turn) &&
        sft_v3d_length(off) <= NO_CHANGE)
        return SFT_OK;
    const sft_leg_pose before = pose;
    turn_foot(g, &put, p->turn_joint >= 0 ? &source : &before, &pose);
    const sft_leg_solve_def def = solve_def(p);
    sft_leg_report report;
    const sft_xformd toe = pose.toe;
    const sft_v3d end = sft_v3d_sub(pose.toe_end.t, pose.toe.t);
    const double back = p->loose >> leg & 1u ? LOOSE_BACKWARD : SFT_LEG_MOST_BACKWARD;
    r = sft_leg_solve_loose(&def, g, put.toe, back, &pose, &report);
    if (r != SFT_OK) return r;
    if (report.heel_lift > 0.0 && g->toe != g->heel)
    {
        // The foot rises over its ball; the toes stay where they were.
        pose.toe.r = toe.r;
        pose.toe_end.t = sft_v3d_add(pose.toe.t, end);
    }
    *miss = report.toe_miss;
    if (report.heel_lift > LIFT_REPORTED)
        *miss = sft_maxd(*miss, report.heel_lift * sft_v3d_distance(pose.heel.t, pose.toe.t));
    if (clip == NULL) return SFT_OK;
    r = sft_leg_pose_write(g, &before, &pose, clip->rotations + base);
    note(changed, g->hip, 1);
    note(changed, g->knee, 1);
    note(changed, g->heel, 1);
    if (g->toe_end >= 0) note(changed, g->toe, 1);
    return r;
}

static sft_result find_misses(ad_problem* p)
{
    for (int32_t l = 0; l < p->leg_count; ++l)
    {
        run at = {{.first = -1}};
        for (int32_t i = 0; i < p->frames; ++i)
        {
            double miss;
            sft_result r = solve_frame(p, l, i, NULL, NULL, &miss);
            if (r == SFT_OK && miss > REPORTED) r = extend_run(p, &at, l, i, miss);
            if (r != SFT_OK) return r;
        }
        const sft_result r = end_run(p, &at);
        if (r != SFT_OK) return r;
    }
    return SFT_OK;
}

// Model transform of what carries a joint.
static sft_xformd above(const ad_problem* p, const sft_clip* clip, size_t base, int32_t joint)
{
    const int32_t parent = p->skeleton->parents[joint];
    if (parent < 0) return (sft_xformd){{0, 0, 0}, sft_quatd_identity()};
    return sft_skeleton_joint_model(p->skeleton, clip->translations + base, clip->rotations + base, parent);
}

// The joint that turns the body takes its rotation, and the travel joint what all of it moves by.
static void move_body(const ad_problem* p, int32_t frame, sft_clip* clip, uint8_t* changed)
{
    if (p->travel_joint < 0) return;
    const size_t base = (size_t)(p->first + frame) * (size_t)clip->joint_count;
    const int32_t j = p->travel_joint, k = p->turn_joint;
    sft_v3d by = sft_v3d_make(0, p->pelvis[frame], 0);
    if (k >= 0)
    {
        const sft_v3d at =
            sft_skeleton_joint_model(p->skeleton, clip->translations + base, clip->rotations + base, k).t;
        by = sft_v3d_sub(ad_moved(p, frame, at), at);
    }
    if (k >= 0 && !same_turn(ad_body_turn(p, frame)))
    {
        const sft_quatd r = above(p, clip, base, k).r, turn = sft_quatd_mul(ad_body_turn(p, frame), r);
        sft_quatd* local = clip->rotations + base + k;
        *local = sft_quatd_normalize(sft_quatd_mul(sft_quatd_conjugate(r), sft_quatd_mul(turn, *local)));
        note(changed, k, 1);
    }
    if (sft_v3d_length(by) <= NO_CHANGE) return;
    if (p->skeleton->parents[j] >= 0) by = sft_quatd_unrotate(above(p, clip, base, j).r, by);
    sft_v3d* t = clip->translations + base + (size_t)j;
    *t = sft_v3d_add(*t, by);
    note(changed, j, 2);
}

sft_result ad_apply(ad_problem* p, sft_clip* clip, uint8_t* changed)
{
    const sft_result r = find_misses(p);
    if (r != SFT_OK) return r;
    // Poses are read from the clip that is written, each frame before anything of it changes but legs solved already,
    // which do not carry one another.
    for (int32_t i = 0; i < p->frames; ++i)
    {
        double miss;
        for (int32_t l = 0; l < p->leg_count; ++l)
            (void)solve_frame(p, l, i, clip, changed, &miss);
        move_body(p, i, clip, changed);
    }
    return SFT_OK;
}
