// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// Figures whose ends are dragged: a person of 24 joints, and an arm of ten bones. Metres, Y up, facing +Z; all joints
// have the model's axes at rest.

#include "lab.h"

#include <string.h>

// The person's joints, the left limbs' before the right ones', which are their mirror images.
enum
{
    PELVIS,
    SPINE,
    CHEST,
    NECK,
    HEAD,
    CROWN,
    LEFT_CLAVICLE,
    LEFT_SHOULDER,
    LEFT_ELBOW,
    LEFT_WRIST,
    LEFT_FINGERS,
    LEFT_HIP,
    LEFT_KNEE,
    LEFT_ANKLE,
    LEFT_TOES,
    RIGHT_CLAVICLE,
    RIGHT_SHOULDER,
    RIGHT_ELBOW,
    RIGHT_WRIST,
    RIGHT_FINGERS,
    RIGHT_HIP,
    RIGHT_KNEE,
    RIGHT_ANKLE,
    RIGHT_TOES,
    PERSON
};

static const struct
{
    const char *left, *right;
    int parent;
    sft_v3d place;
} person[RIGHT_CLAVICLE] = {[PELVIS] = {"pelvis", NULL, -1, {0, 0.93, 0}},
                            [SPINE] = {"spine", NULL, PELVIS, {0, 1.04, 0.01}},
                            [CHEST] = {"chest", NULL, SPINE, {0, 1.20, 0}},
                            [NECK] = {"neck", NULL, CHEST, {0, 1.46, -0.02}},
                            [HEAD] = {"head", NULL, NECK, {0, 1.56, 0.01}},
                            [CROWN] = {"crown", NULL, HEAD, {0, 1.75, 0.02}},
                            [LEFT_CLAVICLE] = {"left clavicle", "right clavicle", CHEST, {0.03, 1.41, 0}},
                            [LEFT_SHOULDER] = {"left shoulder", "right shoulder", LEFT_CLAVICLE, {0.18, 1.41, -0.01}},
                            [LEFT_ELBOW] = {"left elbow", "right elbow", LEFT_SHOULDER, {0.30, 1.16, -0.02}},
                            [LEFT_WRIST] = {"left wrist", "right wrist", LEFT_ELBOW, {0.38, 0.93, 0.07}},
                            [LEFT_FINGERS] = {"left fingers", "right fingers", LEFT_WRIST, {0.42, 0.80, 0.12}},
                            [LEFT_HIP] = {"left hip", "right hip", PELVIS, {0.10, 0.90, 0}},
                            [LEFT_KNEE] = {"left knee", "right knee", LEFT_HIP, {0.11, 0.49, 0.03}},
                            [LEFT_ANKLE] = {"left ankle", "right ankle", LEFT_KNEE, {0.11, 0.085, -0.02}},
                            [LEFT_TOES] = {"left toes", "right toes", LEFT_ANKLE, {0.12, 0.02, 0.14}}};

static int mirrored(int joint)
{
    return joint >= LEFT_CLAVICLE ? joint + (RIGHT_CLAVICLE - LEFT_CLAVICLE) : joint;
}

static void make_person(lab_end end, lab_figure* f)
{
    static const int arm[] = {SPINE, CHEST, LEFT_CLAVICLE, LEFT_SHOULDER, LEFT_ELBOW, LEFT_WRIST};
    f->count = PERSON;
    f->pelvis = PELVIS;
    for (int j = 0; j < RIGHT_CLAVICLE; ++j)
    {
        f->names[j] = person[j].left;
        f->parents[j] = person[j].parent;
        f->places[j] = person[j].place;
        if (j < LEFT_CLAVICLE) continue;
        const int other = mirrored(j);
        f->names[other] = person[j].right;
        f->parents[other] = mirrored(person[j].parent);
        f->places[other] = sft_v3d_make(-person[j].place.x, person[j].place.y, person[j].place.z);
    }
    if (end == LAB_HAND)
    {
        memcpy(f->chain, arm, sizeof arm);
        f->chain_count = (int)(sizeof arm / sizeof arm[0]);
        f->pole = sft_v3d_make(0.3, -0.6, -1);
        f->held[0] = LEFT_ANKLE;
        f->held[1] = RIGHT_ANKLE;
        f->held_count = 2;
    }
    else
    {
        f->chain[0] = LEFT_HIP;
        f->chain[1] = LEFT_KNEE;
        f->chain[2] = LEFT_ANKLE;
        f->chain_count = 3;
        f->pole = sft_v3d_make(0.1, 0, 1);
        f->held[0] = RIGHT_ANKLE;
        f->held_count = 1;
    }
    memcpy(f->limb, f->chain + f->chain_count - 3, sizeof f->limb);
}

static void make_arm(lab_figure* f)
{
    static const char* const names[] = {"root",    "joint 1", "joint 2", "joint 3", "joint 4", "joint 5",
                                        "joint 6", "joint 7", "joint 8", "joint 9", "tip"};
    f->count = (int)(sizeof names / sizeof names[0]);
    f->pelvis = -1;
    f->pole = sft_v3d_make(1, 0, 0);
    for (int j = 0; j < f->count; ++j)
    {
        f->names[j] = names[j];
        f->parents[j] = j - 1;
        // A little bent: a straight chain has no side to bend to.
        f->places[j] = sft_v3d_make(0.006 * j * (10 - j), 0.15 * j, 0);
        f->chain[j] = j;
    }
    f->chain_count = f->count;
    f->limb[1] = 5;
    f->limb[2] = 10;
}

void lab_figure_make(lab_end end, lab_figure* out)
{
    *out = (lab_figure){0};
    if (end == LAB_TIP)
        make_arm(out);
    else
        make_person(end, out);
}
