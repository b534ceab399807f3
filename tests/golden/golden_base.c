// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// Golden scenes of what the run time stands on: math, skeletons, the walk, one leg.
#include "golden.h"

void scene_trigonometry(golden* g)
{
    uint64_t state = 1;
    for (int i = 0; i < 50000; ++i)
    {
        const double x = next(&state, -40.0, 40.0), y = next(&state, -1.0, 1.0);
        double s, c;
        fold_double(g, sft_sin(x));
        fold_double(g, sft_cos(1000.0 * x));
        fold_double(g, sft_atan2(y, x));
        fold_double(g, sft_acos(y));
        fold_double(g, sft_exp(x));
        sft_sincos_deg(37.0 * x, &s, &c);
        fold_double(g, s);
        fold_double(g, c);
    }
}

void scene_quaternions(golden* g)
{
    uint64_t state = 2;
    for (int i = 0; i < 20000; ++i)
    {
        const sft_v3d a = next_v3(&state, 2.0);
        const sft_v3d b = next_v3(&state, 2.0);
        const sft_quatd q = sft_quatd_exp(a), r = sft_quatd_between(a, b);
        fold_quat(g, q);
        fold_quat(g, sft_quatd_mul(q, r));
        fold_v3(g, sft_quatd_rotate(r, a));
        fold_v3(g, sft_quatd_log(sft_quatd_mul(r, q)));
    }
}

#define CHAIN 40

void scene_forward(golden* g)
{
    const char* names[CHAIN];
    int32_t parents[CHAIN];
    sft_v3d translations[CHAIN];
    sft_quatd rotations[CHAIN];
    sft_xformd out[CHAIN];
    uint64_t state = 3;
    for (int32_t i = 0; i < CHAIN; ++i)
    {
        names[i] = "joint";
        parents[i] = i == 0 ? -1 : (i - 1) / 2;
        translations[i] = next_v3(&state, 1.0);
    }
    const sft_skeleton def = {
        .joint_count = CHAIN, .names = names, .parents = parents, .rest_translations = translations};
    sft_skeleton* skeleton = NULL;
    if (sft_skeleton_create(&def, NULL, &skeleton) != SFT_OK) fail("sft_skeleton_create");
    for (int pose = 0; pose < 500; ++pose)
    {
        for (int32_t i = 0; i < CHAIN; ++i)
            rotations[i] = sft_quatd_exp(next_v3(&state, 1.0));
        sft_skeleton_forward(skeleton, translations, rotations, out);
        for (int32_t i = 0; i < CHAIN; ++i)
        {
            fold_v3(g, out[i].t);
            fold_quat(g, out[i].r);
        }
    }
    sft_skeleton_destroy(skeleton, NULL);
}

void scene_walker(golden* g)
{
    walker w;
    make_walk(&w, 300, 60.0, 0.75);
    fold_clip(g, w.clip);
    walker_release(&w);
}

void scene_leg_solve(golden* g)
{
    walker w;
    make_walk(&w, 200, 60.0, 1.0);
    uint64_t state = 4;
    for (int32_t f = w.first_frame; f < w.clip->frame_count; ++f)
        for (int32_t side = 0; side < 2; ++side)
            for (int variant = 0; variant < 6; ++variant)
            {
                const size_t at = (size_t)f * (size_t)w.clip->joint_count;
                const sft_leg leg = walker_leg(side);
                sft_leg_pose pose;
                sft_leg_report report;
                if (sft_leg_pose_read(w.skeleton, &leg, w.clip->translations + at, w.clip->rotations + at, &pose) !=
                    SFT_OK)
                    fail("sft_leg_pose_read");
                sft_leg_solve_def def = sft_default_leg_solve_def();
                def.extension = (sft_extension)(variant % 3);
                def.height_clamp = variant >= 3;
                const sft_v3d target = sft_v3d_add(pose.toe.t, next_v3(&state, variant == 5 ? 1.0 : 0.1));
                if (sft_leg_solve(&def, &leg, target, &pose, &report) != SFT_OK) fail("sft_leg_solve");
                const sft_xformd* parts[] = {&pose.hip, &pose.knee, &pose.heel, &pose.toe};
                for (size_t i = 0; i < GOLDEN_COUNT_OF(parts); ++i)
                {
                    fold_v3(g, parts[i]->t);
                    fold_quat(g, parts[i]->r);
                }
                fold_v3(g, pose.toe_end.t);
                fold_double(g, report.toe_miss);
                fold_double(g, report.extension);
            }
    walker_release(&w);
}
