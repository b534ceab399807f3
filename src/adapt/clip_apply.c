// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// From curves to local transforms: the body is lifted, each foot put and turned, the leg solved between them. What a
// leg cannot reach it gives up by lifting its heel, and what is then left is reported.

#include "adapt/clip_problem.h"

static const double HEEL_LIFT = 40.0 * SFT_PI / 180.0;
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

static void lift_pose(sft_leg_pose* pose, double by)
{
    sft_xformd* joints[5] = {&pose->hip, &pose->knee, &pose->heel, &pose->toe, &pose->toe_end};
    for (int k = 0; k < 5; ++k)
        joints[k]->t.y += by;
}

static bool same_turn(sft_quatd q)
{
    return fabs(q.x) <= NO_CHANGE && fabs(q.y) <= NO_CHANGE && fabs(q.z) <= NO_CHANGE;
}

static void turn_foot(const sft_leg* leg, const ad_put* put, sft_leg_pose* pose)
{
    const sft_v3d foot = sft_v3d_sub(pose->toe.t, pose->heel.t), end = sft_v3d_sub(pose->toe_end.t, pose->toe.t);
    pose->heel.r = sft_quatd_normalize(sft_quatd_mul(put->foot, pose->heel.r));
    if (leg->toe == leg->heel)
    {
        pose->toe = pose->heel;
        return;
    }
    pose->toe.t = sft_v3d_add(pose->heel.t, sft_quatd_rotate(put->foot, foot));
    pose->toe.r = sft_quatd_normalize(sft_quatd_mul(put->toe_turn, pose->toe.r));
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
    const double lift = p->travel_joint >= 0 ? p->pelvis[frame] : 0.0;
    const ad_put put = ad_put_foot(p, leg, frame);
    *miss = 0.0;
    sft_leg_pose pose;
    sft_result r = sft_leg_pose_read(p->skeleton, g, p->clip->translations + base, p->clip->rotations + base, &pose);
    if (r != SFT_OK) return r;
    const sft_v3d off = sft_v3d_sub(put.toe, sft_v3d_add(pose.toe.t, sft_v3d_make(0, lift, 0)));
    if (same_turn(put.foot) && same_turn(put.toe_turn) && sft_v3d_length(off) <= NO_CHANGE) return SFT_OK;
    lift_pose(&pose, lift);
    const sft_leg_pose before = pose;
    turn_foot(g, &put, &pose);
    const sft_leg_solve_def def = solve_def(p);
    sft_leg_report report;
    const sft_xformd toe = pose.toe;
    const sft_v3d end = sft_v3d_sub(pose.toe_end.t, pose.toe.t);
    r = sft_leg_solve(&def, g, put.toe, &pose, &report);
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

static void lift_body(const ad_problem* p, int32_t frame, sft_clip* clip, uint8_t* changed)
{
    const int32_t j = p->travel_joint;
    if (j < 0 || fabs(p->pelvis[frame]) <= NO_CHANGE) return;
    const size_t base = (size_t)(p->first + frame) * (size_t)clip->joint_count;
    const int32_t parent = p->skeleton->parents[j];
    sft_v3d up = sft_v3d_make(0, p->pelvis[frame], 0);
    if (parent >= 0)
    {
        const sft_xformd above =
            sft_skeleton_joint_model(p->skeleton, clip->translations + base, clip->rotations + base, parent);
        up = sft_quatd_unrotate(above.r, up);
    }
    sft_v3d* t = clip->translations + base + (size_t)j;
    *t = sft_v3d_add(*t, up);
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
        lift_body(p, i, clip, changed);
    }
    return SFT_OK;
}
