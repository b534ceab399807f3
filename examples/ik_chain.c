// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// Draws an arm of ten bones that follows a target along its own line through full stretch and beyond, and one with
// hinges, as SVG on standard output: the picture of docs/ik.md.
//
//     ik_chain > docs/images/ik.svg
#include <stdio.h>

#include "surefoot/surefoot.h"

#define BONES 10
#define SCALE 300.0

typedef struct arm
{
    const char* names[BONES + 1];
    int32_t parents[BONES + 1], joints[BONES + 1];
    uint32_t flags[BONES + 1];
    sft_v3d t[BONES + 1];
    sft_quatd r[BONES + 1], rest[BONES + 1];
    sft_limit limits[BONES + 1];
    sft_skeleton skeleton;
    double scratch[1024];
} arm;

static void make_arm(arm* a)
{
    for (int32_t i = 0; i <= BONES; ++i)
    {
        a->names[i] = "joint";
        a->parents[i] = i - 1;
        a->joints[i] = i;
        a->flags[i] = 0;
        a->t[i] = sft_v3d_make(i > 0 ? 0.1 : 0.0, 0.0, 0.0);
        a->r[i] = a->rest[i] = sft_quatd_identity();
        // Hinges about z that bend one way only, but the root's.
        a->limits[i] = sft_limit_hinge(a->rest[i], sft_v3d_make(0, 0, 1), i > 0 ? -0.5 : -3.0, i > 0 ? 0.0 : 3.0);
    }
    a->skeleton = (sft_skeleton){BONES + 1, a->names, a->parents, a->flags, a->t, a->rest};
}

static void draw(const arm* a, double x, double y, const char* colour)
{
    printf("<polyline fill=\"none\" stroke=\"%s\" stroke-width=\"2\" points=\"", colour);
    for (int32_t i = 0; i <= BONES; ++i)
    {
        const sft_v3d p = sft_skeleton_joint_model(&a->skeleton, a->t, a->r, i).t;
        printf("%s%.1f,%.1f", i > 0 ? " " : "", x + SCALE * p.x, y - SCALE * p.y);
    }
    printf("\"/>\n");
}

static void mark(double x, double y, sft_v3d target)
{
    printf("<circle cx=\"%.1f\" cy=\"%.1f\" r=\"3\" fill=\"#c03030\"/>\n", x + SCALE * target.x, y - SCALE * target.y);
}

/// One row of answers, each from the one before. Returns false where something went wrong.
static bool follow(arm* a, double y, bool hinged, const char* title)
{
    const sft_ik_chain chain = {&a->skeleton, BONES + 1, a->joints};
    const sft_ik_pose pose = {a->t, a->r};
    const sft_ik_scratch scratch = {a->scratch, sizeof a->scratch};
    sft_ik_chain_def def = sft_default_ik_chain_def();
    if (hinged) def.limits = a->limits;
    def.bend = sft_v3d_make(0, 1, 0);
    make_arm(a);
    printf("<text x=\"20\" y=\"%.0f\" font-family=\"sans-serif\" font-size=\"13\">%s</text>\n", y - 125.0, title);
    static const char* const colours[6] = {"#20407a", "#2f5a9c", "#4577ba", "#6094d2", "#83b0e4", "#a9caf2"};
    for (int k = 0; k < 6; ++k)
    {
        const sft_v3d target = sft_v3d_make(0.6 + 0.1 * k, hinged ? 0.15 : 0.0, 0.0);
        sft_ik_report report;
        if (sft_ik_fabrik(&def, &chain, target, &pose, scratch, &report) != SFT_OK) return false;
        if (sft_v3d_length(target) < 0.999 && !report.reached) return false;
        draw(a, 30.0, y, colours[k]);
        mark(30.0, y, target);
    }
    return true;
}

int main(void)
{
    static arm a;
    printf("<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"400\" height=\"340\" viewBox=\"0 0 400 340\">\n"
           "<rect width=\"400\" height=\"340\" fill=\"white\"/>\n");
    const bool fine = follow(&a, 150.0, false, "Ten free bones, target along their line to beyond full stretch") &&
                      follow(&a, 310.0, true, "The same with hinges that bend one way");
    printf("</svg>\n");
    return fine ? 0 : 1;
}
