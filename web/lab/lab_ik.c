// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// One figure, four solvers, one target.

#include "lab.h"

#include "surefoot/ik.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

typedef enum lab_solver
{
    LAB_TWO_BONE,
    LAB_CCD,
    LAB_FABRIK,
    LAB_BODY,
    LAB_SOLVERS
} lab_solver;

// What a solver is asked for, as bits.
enum
{
    LAB_POLE = 1,   // two bones: the middle leans to its pole, else where it leaned
    LAB_LIMITS = 2, // joints keep within their ranges
    LAB_ARC = 4,    // chains: bent as a whole first; else the bare algorithms
    LAB_GO_ON = 8   // from the last pose, else from the rest pose
};

enum
{
    LAB_OK,
    LAB_NO_MEMORY,
    LAB_REFUSED
};

#define GOALS 6

// What is left of the last answers, from where the next ones may begin.
typedef struct lab_last
{
    sft_v3d t[LAB_SOLVERS][LAB_JOINTS], warm[LAB_JOINTS];
    sft_quatd r[LAB_SOLVERS][LAB_JOINTS];
    sft_ik_bend bend;
} lab_last;

typedef struct ik_lab
{
    lab_figure figure;
    sft_skeleton* skeleton;
    sft_limit limits[LAB_JOINTS];
    sft_v3d rest_t[LAB_JOINTS];
    sft_quatd rest_r[LAB_JOINTS];
    lab_last last, kept;
    sft_xformd model[LAB_JOINTS];
    sft_ik_scratch scratch;
    // Iterations, residual [m], whether it was reached; then a place of each joint.
    double block[4 + 3 * LAB_JOINTS];
} ik_lab;

static ik_lab it;

void LAB_EXPORT(lab_ik_release)(void)
{
    sft_skeleton_destroy(it.skeleton, NULL);
    free(it.scratch.memory);
    it = (ik_lab){0};
}

// ---- making ----

static sft_v3d bone_of(int joint)
{
    for (int j = joint + 1; j < it.figure.count; ++j)
        if (it.figure.parents[j] == joint)
            return sft_v3d_normalize_or(sft_v3d_sub(it.figure.places[j], it.figure.places[joint]),
                                        sft_v3d_make(0, 1, 0));
    return sft_v3d_make(0, 1, 0);
}

// Elbows and knees: about the axis that their bones lie square to, from all but straight to well folded.
static sft_limit hinge(int joint)
{
    const int above = it.figure.parents[joint];
    const sft_v3d upper =
        sft_v3d_normalize_or(sft_v3d_sub(it.figure.places[joint], it.figure.places[above]), sft_v3d_make(0, -1, 0));
    const sft_v3d lower = bone_of(joint), axis = sft_v3d_cross(upper, lower);
    const double bent = sft_atan2(sft_v3d_length(axis), sft_v3d_dot(upper, lower));
    return sft_limit_hinge(sft_quatd_identity(), axis, 0.02 - bent, 2.5 - bent);
}

static double cone_of(const char* name)
{
    static const struct
    {
        const char* part;
        double angle;
    } cones[] = {{"spine", 0.4}, {"chest", 0.4},    {"neck", 0.5}, {"head", 0.5},  {"clavicle", 0.35},
                 {"wrist", 0.9}, {"shoulder", 1.8}, {"hip", 1.3},  {"ankle", 0.7}, {"joint", 0.6}};
    for (size_t i = 0; i < sizeof cones / sizeof cones[0]; ++i)
        if (strstr(name, cones[i].part) != NULL) return cones[i].angle;
    return 0;
}

static void make_limits(void)
{
    for (int j = 0; j < it.figure.count; ++j)
    {
        const char* name = it.figure.names[j];
        const double angle = cone_of(name);
        if (strstr(name, "elbow") != NULL || strstr(name, "knee") != NULL)
            it.limits[j] = hinge(j);
        else if (angle > 0)
            it.limits[j] = sft_limit_cone(sft_quatd_identity(), bone_of(j), angle, -0.7 * angle, 0.7 * angle);
        else
            it.limits[j] = sft_limit_free();
    }
}

static void begin(lab_solver solver)
{
    memcpy(it.last.t[solver], it.rest_t, sizeof it.rest_t);
    memcpy(it.last.r[solver], it.rest_r, sizeof it.rest_r);
    if (solver == LAB_BODY) memset(it.last.warm, 0, sizeof it.last.warm);
    if (solver == LAB_TWO_BONE) it.last.bend = (sft_ik_bend){{0, 0, 0}, {0, 0, 0}};
}

void LAB_EXPORT(lab_ik_rest)(void)
{
    for (int s = 0; s < LAB_SOLVERS; ++s)
        begin((lab_solver)s);
}

// The last answers are kept, and brought back: so that one may be timed again and again.
void LAB_EXPORT(lab_ik_keep)(void)
{
    it.kept = it.last;
}

void LAB_EXPORT(lab_ik_back)(void)
{
    it.last = it.kept;
}

// A figure of which `end` (lab_end) is dragged. LAB_OK or LAB_NO_MEMORY, LAB_REFUSED.
int LAB_EXPORT(lab_ik_make)(int end)
{
    lab_ik_release();
    if (end < 0 || end >= LAB_ENDS) return LAB_REFUSED;
    lab_figure_make((lab_end)end, &it.figure);
    int32_t parents[LAB_JOINTS];
    for (int j = 0; j < it.figure.count; ++j)
    {
        parents[j] = it.figure.parents[j];
        it.rest_r[j] = sft_quatd_identity();
        it.rest_t[j] =
            parents[j] < 0 ? it.figure.places[j] : sft_v3d_sub(it.figure.places[j], it.figure.places[parents[j]]);
    }
    const sft_skeleton def = {.joint_count = it.figure.count,
                              .names = it.figure.names,
                              .parents = parents,
                              .rest_translations = it.rest_t,
                              .rest_rotations = it.rest_r};
    if (sft_skeleton_create(&def, NULL, &it.skeleton) != SFT_OK) return LAB_NO_MEMORY;
    const size_t chain = sft_ik_chain_scratch_size(it.figure.chain_count);
    const size_t body = sft_ik_body_scratch_size(it.skeleton, GOALS);
    it.scratch.size = chain > body ? chain : body;
    it.scratch.memory = malloc(it.scratch.size);
    if (it.scratch.memory == NULL)
    {
        lab_ik_release();
        return LAB_NO_MEMORY;
    }
    make_limits();
    lab_ik_rest();
    return LAB_OK;
}

// ---- solving ----

static bool below(int joint, int above)
{
    while (joint > above)
        joint = it.figure.parents[joint];
    return joint == above;
}

static sft_result solve_two_bone(sft_v3d target, int asked, double* iterations, double* residual)
{
    const lab_figure* f = &it.figure;
    const int root = f->limb[0], middle = f->limb[1], end = f->limb[2];
    sft_ik_two_bone_def def = sft_default_ik_two_bone_def();
    def.upper = sft_v3d_length(sft_v3d_sub(f->places[middle], f->places[root]));
    def.lower = sft_v3d_length(sft_v3d_sub(f->places[end], f->places[middle]));
    def.reference_axis = sft_v3d_normalize_or(sft_v3d_sub(f->places[end], f->places[root]), sft_v3d_make(0, -1, 0));
    sft_ik_two_bone out;
    const sft_result result = sft_ik_two_bone_place(&def, f->places[root], target,
                                                    (asked & LAB_POLE) != 0 ? &f->pole : NULL, &it.last.bend, &out);
    if (result != SFT_OK) return result;
    // Places are what it gives; what lies between and beyond rides on its bone.
    const sft_v3d upper = sft_v3d_sub(out.middle, f->places[root]), lower = sft_v3d_sub(out.end, out.middle);
    const sft_quatd upper_turn = sft_quatd_between(sft_v3d_sub(f->places[middle], f->places[root]), upper);
    const sft_quatd lower_turn = sft_quatd_between(sft_v3d_sub(f->places[end], f->places[middle]), lower);
    for (int j = 0; j < f->count; ++j)
    {
        const sft_v3d rest = f->places[j];
        it.model[j].t = rest;
        if (below(j, middle))
            it.model[j].t = sft_v3d_add(out.middle, sft_quatd_rotate(lower_turn, sft_v3d_sub(rest, f->places[middle])));
        else if (below(j, root))
            it.model[j].t =
                sft_v3d_add(f->places[root], sft_quatd_rotate(upper_turn, sft_v3d_sub(rest, f->places[root])));
    }
    it.model[middle].t = out.middle;
    it.model[end].t = out.end;
    *iterations = 0;
    *residual = out.residual;
    return SFT_OK;
}

static sft_result solve_chain(lab_solver solver, sft_v3d target, int asked, int cap, double* iterations,
                              double* residual)
{
    int32_t joints[LAB_JOINTS];
    for (int i = 0; i < it.figure.chain_count; ++i)
        joints[i] = it.figure.chain[i];
    const sft_ik_chain chain = {it.skeleton, it.figure.chain_count, joints};
    sft_ik_chain_def def = sft_default_ik_chain_def();
    def.iterations = cap;
    def.arc = (asked & LAB_ARC) != 0;
    def.limits = (asked & LAB_LIMITS) != 0 ? it.limits : NULL;
    const sft_ik_pose pose = {it.last.t[solver], it.last.r[solver]};
    sft_ik_report report;
    const sft_result result = solver == LAB_CCD ? sft_ik_ccd(&def, &chain, target, &pose, it.scratch, &report)
                                                : sft_ik_fabrik(&def, &chain, target, &pose, it.scratch, &report);
    if (result != SFT_OK) return result;
    sft_skeleton_forward(it.skeleton, it.last.t[solver], it.last.r[solver], it.model);
    *iterations = report.iterations;
    *residual = report.residual;
    return SFT_OK;
}

static sft_result solve_body(sft_v3d target, int asked, int cap, double* iterations, double* residual)
{
    const lab_figure* f = &it.figure;
    sft_ik_goal goals[GOALS];
    int32_t count = 0;
    for (int h = 0; h < f->held_count; ++h)
    {
        goals[count++] = (sft_ik_goal){
            .kind = SFT_IK_GOAL_POSITION, .joint = f->held[h], .position = f->places[f->held[h]], .weight = 1};
        goals[count++] = (sft_ik_goal){
            .kind = SFT_IK_GOAL_ORIENTATION, .joint = f->held[h], .orientation = sft_quatd_identity(), .weight = 1};
    }
    goals[count++] = (sft_ik_goal){
        .kind = SFT_IK_GOAL_POSITION, .joint = f->limb[2], .position = target, .weight = 1, .priority = 1};
    // Of what these leave free: hips that stay level.
    if (f->pelvis >= 0)
        goals[count++] = (sft_ik_goal){.kind = SFT_IK_GOAL_ORIENTATION,
                                       .joint = f->pelvis,
                                       .orientation = sft_quatd_identity(),
                                       .weight = 1,
                                       .priority = 2};
    sft_ik_body_def def = sft_default_ik_body_def();
    def.iterations = cap;
    def.tolerance = 1e-3;
    def.limits = (asked & LAB_LIMITS) != 0 ? it.limits : NULL;
    def.translating = f->pelvis;
    const sft_ik_goals all = {goals, count, (asked & LAB_GO_ON) != 0 ? NULL : it.last.warm};
    const sft_ik_pose pose = {it.last.t[LAB_BODY], it.last.r[LAB_BODY]};
    sft_ik_body_report report;
    const sft_result result = sft_ik_body(&def, it.skeleton, &all, &pose, it.scratch, &report);
    if (result != SFT_OK) return result;
    sft_skeleton_forward(it.skeleton, it.last.t[LAB_BODY], it.last.r[LAB_BODY], it.model);
    *iterations = report.iterations;
    *residual = sft_v3d_length(sft_v3d_sub(it.model[f->limb[2]].t, target));
    return SFT_OK;
}

// One answer for a target [m]; `asked`: the bits above. The block, as it stands now, or null where the numbers are
// refused or nothing was made.
const double* LAB_EXPORT(lab_ik_solve)(int solver, double x, double y, double z, int asked, int iterations)
{
    if (it.skeleton == NULL || solver < 0 || solver >= LAB_SOLVERS) return NULL;
    const sft_v3d target = {x, y, z};
    double steps = 0, residual = 0;
    if ((asked & LAB_GO_ON) == 0 && solver != LAB_TWO_BONE)
    {
        memcpy(it.last.t[solver], it.rest_t, sizeof it.rest_t);
        memcpy(it.last.r[solver], it.rest_r, sizeof it.rest_r);
    }
    sft_result result = SFT_OK;
    if (solver == LAB_TWO_BONE)
        result = solve_two_bone(target, asked, &steps, &residual);
    else if (solver == LAB_BODY)
        result = solve_body(target, asked, iterations, &steps, &residual);
    else
        result = solve_chain((lab_solver)solver, target, asked, iterations, &steps, &residual);
    if (result != SFT_OK) return NULL;
    it.block[0] = steps;
    it.block[1] = residual;
    it.block[2] = residual <= 1e-3;
    double* at = it.block + 4;
    for (int j = 0; j < it.figure.count; ++j)
        at = lab_put_v3(at, it.model[j].t);
    return it.block;
}

// ---- what it is ----

int LAB_EXPORT(lab_ik_joints)(void)
{
    return it.figure.count;
}

int LAB_EXPORT(lab_ik_parent)(int joint)
{
    return joint >= 0 && joint < it.figure.count ? it.figure.parents[joint] : -1;
}

// The joint that is dragged.
int LAB_EXPORT(lab_ik_end)(void)
{
    return it.figure.limb[2];
}

// Of the two bones' limb: 0 root, 1 middle, 2 end.
int LAB_EXPORT(lab_ik_limb)(int which)
{
    return which >= 0 && which < 3 ? it.figure.limb[which] : -1;
}

// The rest pose, as a block: a place of each joint.
const double* LAB_EXPORT(lab_ik_places)(void)
{
    double* at = it.block + 4;
    for (int j = 0; j < it.figure.count; ++j)
        at = lab_put_v3(at, it.figure.places[j]);
    return it.block + 4;
}

// The pole's direction from the limb's root, as a block of three.
const double* LAB_EXPORT(lab_ik_pole)(void)
{
    lab_put_v3(it.block, it.figure.pole);
    return it.block;
}
