// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

#include "figure.h"

#include <string.h>

// Where a joint is [m], at rest. Joints of the left side; those of the right are mirrored.
typedef struct figure_row
{
    const char* name; // of an End Site that of its parent
    int parent;
    double x, y, z;
    bool end;
} figure_row;

enum
{
    ROWS = 30,
    MIDDLE = 9, // the first joints lie in the middle
    JOINTS = MIDDLE + 2 * (ROWS - MIDDLE)
};

static const figure_row rows[ROWS] = {
    {"root", -1, 0.0, 0.0, 0.0, false},
    {"pelvis", 0, 0.0, 0.52, 0.0, false},
    {"spine_01", 1, 0.0, 0.58, -0.005, false},
    {"spine_02", 2, 0.0, 0.66, -0.012, false},
    {"spine_03", 3, 0.0, 0.75, -0.008, false},
    {"neck_01", 4, 0.0, 0.86, 0.0, false},
    {"neck_02", 5, 0.0, 0.895, 0.008, false},
    {"head", 6, 0.0, 0.93, 0.015, false},
    {"head", 7, 0.0, 1.19, 0.02, true},
    {"thigh", 1, 0.075, 0.5, 0.0, false},
    {"thigh_twist_01", 9, 0.0765, 0.39, 0.004, false},
    {"calf", 9, 0.078, 0.28, 0.008, false},
    {"foot", 11, 0.08, 0.065, -0.012, false},
    {"ball", 12, 0.085, 0.018, 0.075, false},
    {"ball", 13, 0.087, 0.01, 0.125, true},
    {"clavicle", 4, 0.02, 0.835, 0.005, false},
    {"upperarm", 15, 0.115, 0.82, -0.005, false},
    {"upperarm_twist_01", 16, 0.169, 0.765, -0.0085, false},
    {"lowerarm", 16, 0.223, 0.71, -0.012, false},
    {"lowerarm_twist_01", 18, 0.2705, 0.661, -0.004, false},
    {"hand", 18, 0.318, 0.612, 0.004, false},
    {"thumb_01", 20, 0.322, 0.595, 0.024, false},
    {"thumb_02", 21, 0.333, 0.576, 0.044, false},
    {"thumb_03", 22, 0.343, 0.56, 0.056, false},
    {"index_01", 20, 0.362, 0.561, 0.022, false},
    {"index_02", 24, 0.38, 0.541, 0.024, false},
    {"index_03", 25, 0.394, 0.525, 0.025, false},
    {"middle_01", 20, 0.365, 0.558, 0.004, false},
    {"middle_02", 27, 0.385, 0.536, 0.004, false},
    {"middle_03", 28, 0.4, 0.519, 0.004, false},
};

typedef struct figure_pose
{
    char names[JOINTS][32];
    const char* name_list[JOINTS];
    int32_t parents[JOINTS];
    uint32_t flags[JOINTS];
    sft_v3d place[JOINTS];
    sft_quatd turn[JOINTS];
    sft_v3d local_t[JOINTS];
    sft_quatd local_r[JOINTS];
} figure_pose;

static void put_name(char out[32], const char* stem, const char* suffix)
{
    size_t size = strlen(stem);
    memcpy(out, stem, size);
    memcpy(out + size, suffix, strlen(suffix) + 1);
}

// Depth first, as BVH wants joints: a row and its side, then what hangs from it, left before right.
static int32_t visit(figure_pose* p, int row, int side, int32_t parent, int32_t next)
{
    static const char* const suffixes[3] = {"", "_l", "_r"};
    const int32_t own = next++;
    put_name(p->names[own], rows[row].name, suffixes[side]);
    p->name_list[own] = p->names[own];
    p->parents[own] = parent;
    p->flags[own] = rows[row].end ? SFT_JOINT_END_SITE : 0;
    p->place[own] = sft_v3d_make(side == 2 ? -rows[row].x : rows[row].x, rows[row].y, rows[row].z);
    for (int k = row + 1; k < ROWS; ++k)
    {
        if (rows[k].parent != row) continue;
        if (side > 0 || k < MIDDLE)
            next = visit(p, k, side, own, next);
        else
            for (int other = 1; other <= 2; ++other)
                next = visit(p, k, other, own, next);
    }
    return next;
}

// The bone's own axis is Y: towards the child that is furthest, or on along the parent's where there is none. The root
// stays.
static void turn_joints(figure_pose* p)
{
    const sft_v3d up = sft_v3d_make(0, 1, 0);
    for (int32_t j = 0; j < JOINTS; ++j)
    {
        int32_t child = -1;
        double furthest = 0.0;
        for (int32_t k = j + 1; k < JOINTS; ++k)
        {
            const double length = p->parents[k] == j ? sft_v3d_distance(p->place[k], p->place[j]) : 0.0;
            if (length > furthest + 1e-9) child = k;
            furthest = sft_maxd(furthest, length);
        }
        p->turn[j] = j > 0 ? p->turn[p->parents[j]] : sft_quatd_identity();
        if (child < 0 || j == 0) continue;
        const sft_v3d along = sft_v3d_sub(p->place[child], p->place[j]);
        p->turn[j] = sft_quatd_mul(sft_quatd_between(sft_quatd_rotate(p->turn[j], up), along), p->turn[j]);
    }
}

sft_result figure_create(bool turned, sft_skeleton** out)
{
    figure_pose p;
    visit(&p, 0, 0, -1, 0);
    if (turned)
        turn_joints(&p);
    else
        for (int32_t j = 0; j < JOINTS; ++j)
            p.turn[j] = sft_quatd_identity();
    for (int32_t j = 0; j < JOINTS; ++j)
    {
        const int32_t up = p.parents[j];
        p.local_t[j] = up < 0 ? p.place[j] : sft_quatd_unrotate(p.turn[up], sft_v3d_sub(p.place[j], p.place[up]));
        p.local_r[j] = up < 0 ? p.turn[j] : sft_quatd_mul(sft_quatd_conjugate(p.turn[up]), p.turn[j]);
    }
    const sft_skeleton def = {JOINTS, p.name_list, p.parents, p.flags, p.local_t, p.local_r};
    return sft_skeleton_create(&def, NULL, out);
}
