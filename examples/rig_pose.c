// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// Draws four figures built in different ways, each as its file has it and in reference pose, from the front and from
// its left, as SVG on standard output: the picture of docs/rig.md.
//
//     rig_pose > docs/images/rig.svg
#include <stdio.h>

#include "surefoot/surefoot.h"

#define JOINTS 23
#define SCALE 62.0

// Joints of a figure in T-pose [m], facing +Z; `%` is the side.
typedef struct part
{
    const char* name;
    int parent;
    double x, y, z;
} part;

static const part PARTS[JOINTS] = {
    {"Hips", -1, 0, 0.95, 0},
    {"Spine", 0, 0, 1.1, 0},
    {"Chest", 1, 0, 1.3, 0},
    {"Neck", 2, 0, 1.48, 0},
    {"Head", 3, 0, 1.6, 0.02},
    {"LeftArm", 2, 0.18, 1.43, 0},
    {"LeftForeArm", 5, 0.46, 1.43, 0},
    {"LeftHand", 6, 0.71, 1.43, 0},
    {"LeftHandIndex1", 7, 0.8, 1.43, 0.03},
    {"LeftHandPinky1", 7, 0.8, 1.43, -0.03},
    {"RightArm", 2, -0.18, 1.43, 0},
    {"RightForeArm", 10, -0.46, 1.43, 0},
    {"RightHand", 11, -0.71, 1.43, 0},
    {"LeftUpLeg", 0, 0.09, 0.91, 0},
    {"LeftLeg", 13, 0.09, 0.49, 0},
    {"LeftFoot", 14, 0.09, 0.08, 0},
    {"LeftToeBase", 15, 0.09, 0.02, 0.13},
    {"RightUpLeg", 0, -0.09, 0.91, 0},
    {"RightLeg", 17, -0.09, 0.49, 0},
    {"RightFoot", 18, -0.09, 0.08, 0},
    {"RightToeBase", 19, -0.09, 0.02, 0.13},
    {"RightHandIndex1", 12, -0.8, 1.43, 0.03},
    {"RightHandPinky1", 12, -0.8, 1.43, -0.03},
};

// Turn of a joint and what hangs from it, away from the T-pose.
typedef struct turn
{
    int joint;
    double x, y, z; // axis times angle [degrees]
} turn;

typedef struct kind
{
    const char* title;
    double arms, legs, facing; // factors; degrees
    turn turns[12];
} kind;

static const kind KINDS[4] = {
    {"arms at a slant, toes apart",
     1,
     1,
     0,
     {{5, 0, 0, -50}, {10, 0, 0, 50}, {13, 0, 0, 9}, {17, 0, 0, -9}, {15, 0, 25, 0}, {19, 0, -25, 0}}},
    {"arms hanging, long, facing aside",
     1.25,
     0.8,
     90,
     {{5, 0, 0, -85}, {10, 0, 0, 85}, {6, -25, 0, 0}, {11, -25, 0, 0}}},
    {"stooped, knees bent",
     0.9,
     1.2,
     180,
     {{1, 35, 0, 0},
      {5, 0, -70, 0},
      {10, 0, 70, 0},
      {13, -30, 0, 0},
      {14, 55, 0, 0},
      {15, -25, 0, 0},
      {17, -30, 0, 0},
      {18, 55, 0, 0},
      {19, -25, 0, 0}}},
    {"lying on its back", 1, 1, 0, {{0, -90, 0, 0}}},
};

static void make(const kind* k, const char** names, int32_t* parents, sft_v3d* t, sft_quatd* r)
{
    for (int j = 0; j < JOINTS; ++j)
    {
        const part *own = &PARTS[j], *above = own->parent < 0 ? own : &PARTS[own->parent];
        const bool arm = (j >= 6 && j <= 9) || j == 11 || j == 12;
        const bool leg = j == 14 || j == 15 || j == 18 || j == 19;
        const double size = arm ? k->arms : leg ? k->legs : 1.0;
        names[j] = own->name;
        parents[j] = own->parent;
        t[j] = own->parent < 0
                   ? sft_v3d_make(0, own->y, 0)
                   : sft_v3d_make(size * (own->x - above->x), size * (own->y - above->y), size * (own->z - above->z));
        r[j] = sft_quatd_identity();
    }
    for (int i = 0; i < 12; ++i)
    {
        const turn* own = &k->turns[i];
        const sft_v3d angle = sft_v3d_scale(SFT_PI / 180.0, sft_v3d_make(own->x, own->y, own->z));
        if (sft_v3d_length(angle) > 0.0) r[own->joint] = sft_quatd_exp(angle);
    }
    r[0] = sft_quatd_mul(sft_quatd_exp(sft_v3d_make(0, k->facing * SFT_PI / 180.0, 0)), r[0]);
}

// One figure; its lowest joint on the line y.
static void draw(const sft_rig* rig, const sft_xformd* pose, bool from_left, double x, double y)
{
    double low = pose[0].t.y, middle = from_left ? pose[0].t.z : pose[0].t.x;
    for (int j = 0; j < JOINTS; ++j)
        low = sft_mind(low, pose[j].t.y);
    printf("<line x1=\"%.0f\" y1=\"%.1f\" x2=\"%.0f\" y2=\"%.1f\" stroke=\"#c8b080\"/>\n", x - 60.0, y, x + 60.0, y);
    for (int j = 1; j < JOINTS; ++j)
    {
        const sft_v3d a = pose[rig->skeleton->parents[j]].t, b = pose[j].t;
        const sft_leg_side side = rig->meanings[j].side;
        const char* colour = side == SFT_LEG_LEFT ? "#2f5a9c" : side == SFT_LEG_RIGHT ? "#c03030" : "#404040";
        printf("<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" stroke=\"%s\" stroke-width=\"2\" "
               "stroke-linecap=\"round\"/>\n",
               x + SCALE * ((from_left ? a.z : a.x) - middle), y - SCALE * (a.y - low),
               x + SCALE * ((from_left ? b.z : b.x) - middle), y - SCALE * (b.y - low), colour);
    }
}

static bool show(const kind* k, double y)
{
    const char* names[JOINTS];
    int32_t parents[JOINTS];
    sft_v3d t[JOINTS];
    sft_quatd r[JOINTS];
    make(k, names, parents, t, r);
    const sft_skeleton skeleton = {JOINTS, names, parents, NULL, t, r};
    sft_skeleton* own = NULL;
    sft_rig* rig = NULL;
    if (sft_skeleton_create(&skeleton, NULL, &own) != SFT_OK) return false;
    const bool fine = sft_rig_create(NULL, own, NULL, NULL, &rig) == SFT_OK && rig->leg_count == 2;
    if (fine)
    {
        // As the file has it: the base pose turned to figure space, so that both columns face the same way.
        sft_xformd base[JOINTS];
        sft_skeleton_forward(own, rig->base_t, rig->base_r, base);
        const sft_quatd facing = sft_quatd_exp(sft_v3d_make(0, rig->facing, 0));
        for (int j = 0; j < JOINTS; ++j)
            base[j].t = sft_quatd_rotate(facing, base[j].t);
        printf("<text x=\"10\" y=\"%.0f\" font-family=\"sans-serif\" font-size=\"12\">%s</text>\n", y - 122.0,
               k->title);
        draw(rig, base, false, 80, y);
        draw(rig, base, true, 215, y);
        draw(rig, rig->pose, false, 375, y);
        draw(rig, rig->pose, true, 510, y);
    }
    sft_rig_destroy(rig, NULL);
    sft_skeleton_destroy(own, NULL);
    return fine;
}

int main(void)
{
    printf("<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"590\" height=\"600\" viewBox=\"0 0 590 600\">\n"
           "<rect width=\"590\" height=\"600\" fill=\"white\"/>\n"
           "<text x=\"90\" y=\"16\" font-family=\"sans-serif\" font-size=\"12\" font-weight=\"bold\">as built</text>\n"
           "<text x=\"385\" y=\"16\" font-family=\"sans-serif\" font-size=\"12\" font-weight=\"bold\">reference "
           "pose</text>\n");
    bool fine = true;
    for (int i = 0; i < 4 && fine; ++i)
        fine = show(&KINDS[i], 155.0 + 142.0 * i);
    printf("</svg>\n");
    return fine ? 0 : 1;
}
