// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// A grown-up's walk moved onto a child with longer arms, drawn from the side as SVG on standard output: the picture of
// docs/retarget.md. The lower row shows what copying the rotations and the path would do.
//
//     retarget_walk > docs/images/retarget_walk.svg
#include <stdio.h>
#include <string.h>

#include "sample/walker.h"

#define SCALE 120.0
#define LEFT 50.0
#define EVERY 24

typedef struct child
{
    sft_v3d rest[WALKER_JOINTS];
    sft_quatd turns[WALKER_JOINTS];
    sft_skeleton* skeleton;
} child;

// Everything at 0.6, arms at 0.9, and each joint's own axes turned, as another tool would have them.
static bool make_child(const sft_skeleton* adult, child* out)
{
    sft_quatd model[WALKER_JOINTS];
    for (int32_t j = 0; j < adult->joint_count; ++j)
    {
        const bool arm = strstr(adult->names[j], "Hand") != NULL || strstr(adult->names[j], "ForeArm") != NULL;
        const int32_t up = adult->parents[j];
        const sft_v3d offset = sft_v3d_scale(arm ? 0.9 : 0.6, adult->rest_translations[j]);
        model[j] = sft_quatd_exp(sft_v3d_make(0.3 * (j % 5), 0.2 * (j % 7), -0.25 * (j % 3)));
        out->rest[j] = up < 0 ? offset : sft_quatd_unrotate(model[up], offset);
        out->turns[j] = up < 0 ? model[j] : sft_quatd_mul(sft_quatd_conjugate(model[up]), model[j]);
    }
    const sft_skeleton def = {adult->joint_count, adult->names, adult->parents, adult->flags, out->rest, out->turns};
    return sft_skeleton_create(&def, NULL, &out->skeleton) == SFT_OK;
}

static void draw_pose(const sft_skeleton* skeleton, const sft_v3d* t, const sft_quatd* r, double y)
{
    sft_xformd model[WALKER_JOINTS];
    sft_skeleton_forward(skeleton, t, r, model);
    for (int32_t j = 1; j < skeleton->joint_count; ++j)
    {
        const int32_t up = skeleton->parents[j];
        const char* name = skeleton->names[j];
        const char* colour = strncmp(name, "Left", 4) == 0 ? "#2060b0" : name[0] == 'R' ? "#c03030" : "#555";
        printf("<path d=\"M%.1f %.1fL%.1f %.1f\" stroke=\"%s\" stroke-width=\"1.6\" fill=\"none\"/>\n",
               LEFT + SCALE * model[up].t.z, y - SCALE * model[up].t.y, LEFT + SCALE * model[j].t.z,
               y - SCALE * model[j].t.y, colour);
    }
}

static void draw_row(const sft_skeleton* skeleton, const sft_clip* clip, double y, const char* title)
{
    printf("<text x=\"20\" y=\"%.0f\" font-family=\"sans-serif\" font-size=\"13\">%s</text>\n", y - 1.85 * SCALE,
           title);
    printf("<path d=\"M20 %.1fh760\" stroke=\"#9aa5b0\" stroke-width=\"1\"/>\n", y);
    for (int32_t f = 0; f < clip->frame_count; f += EVERY)
    {
        const size_t row = (size_t)f * (size_t)clip->joint_count;
        draw_pose(skeleton, clip->translations + row, clip->rotations + row, y);
    }
}

// The child's bones under the adult's numbers.
static void copy_numbers(const sft_skeleton* skeleton, const sft_clip* from, sft_clip* to)
{
    for (int32_t f = 0; f < from->frame_count; ++f)
        for (int32_t j = 0; j < from->joint_count; ++j)
        {
            const size_t i = (size_t)f * (size_t)from->joint_count + (size_t)j;
            to->rotations[i] = from->rotations[i];
            to->translations[i] = j == 0 ? from->translations[i] : skeleton->rest_translations[j];
        }
}

int main(void)
{
    walker_def def = walker_default_def();
    def.frames = 241;
    walker w;
    child c;
    if (walker_create(&def, &w) != SFT_OK || !make_child(w.skeleton, &c)) return 1;
    // The whole use: two rigs, a map, a clip.
    sft_rig *adult = NULL, *small = NULL;
    sft_retarget_map* map = NULL;
    sft_clip *moved = NULL, *copied = NULL;
    sft_transfer_report report;
    const sft_transfer_def transfer = sft_default_transfer_def();
    bool fine = sft_rig_create(NULL, w.skeleton, w.clip, NULL, &adult) == SFT_OK &&
                sft_rig_create(NULL, c.skeleton, NULL, NULL, &small) == SFT_OK;
    const sft_rig_pair rigs = {adult, small};
    fine = fine && sft_retarget_map_create(&rigs, NULL, &map, NULL) == SFT_OK &&
           sft_retarget_clip(&transfer, map, w.clip, NULL, &moved, &report) == SFT_OK &&
           sft_clip_create(WALKER_JOINTS, w.clip->frame_count, w.clip->frame_time, NULL, &copied) == SFT_OK;
    if (fine)
    {
        copy_numbers(c.skeleton, w.clip, copied);
        printf("<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"800\" height=\"760\" viewBox=\"0 0 800 760\">\n"
               "<rect width=\"800\" height=\"760\" fill=\"white\"/>\n");
        draw_row(w.skeleton, w.clip, 240.0, "The source");
        draw_row(c.skeleton, moved, 490.0, "Moved: a child whose joints have axes of their own, and longer arms");
        draw_row(c.skeleton, copied, 740.0, "The same numbers copied");
        printf("</svg>\n");
    }
    sft_clip_destroy(copied, NULL);
    sft_clip_destroy(moved, NULL);
    sft_retarget_map_destroy(map);
    sft_rig_destroy(small, NULL);
    sft_rig_destroy(adult, NULL);
    sft_skeleton_destroy(c.skeleton, NULL);
    walker_release(&w);
    return fine ? 0 : 1;
}
