// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// Golden scene of foot IK at run time: a walk over stairs and slopes.
#include "golden.h"

void scene_adapt_update(golden* g)
{
    static const double along[] = {0.9, 0.9, 1.7, 1.7, 2.6, 4.0, 5.0}, heights[] = {0, 0.13, 0.13, 0.3, 0.3, 0.1, 0.25};
    const sft_ground_profile profile = {.heading = 0.7, .count = 7, .distances = along, .heights = heights};
    const sft_ground ground = sft_ground_from_profile(&profile);
    const sft_leg legs[2] = {walker_leg(0), walker_leg(1)};
    const sft_adapt_def def = sft_default_adapt_def();
    sft_adapt_state body = {.started = false};
    sft_adapt_leg_state feet[2];
    walker w;
    double scratch[1024];
    sft_v3d t[WALKER_JOINTS];
    sft_quatd r[WALKER_JOINTS];
    memset(feet, 0, sizeof feet);
    make_walk(&w, 240, 60.0, 1.0);
    if (w.skeleton->joint_count > WALKER_JOINTS) fail("the walker's joints");
    if (sft_adapt_scratch_size(w.skeleton, 2) > sizeof scratch) fail("sft_adapt_scratch_size");
    for (int32_t i = w.first_frame; i < w.clip->frame_count; ++i)
    {
        const size_t row = (size_t)i * (size_t)w.clip->joint_count;
        const bool contacts[2] = {w.labels.plant[i] > 0.75f, w.labels.plant[w.labels.frame_count + i] > 0.75f};
        memcpy(t, w.clip->translations + row, sizeof t);
        memcpy(r, w.clip->rotations + row, sizeof r);
        const sft_adapt_input in = {w.skeleton, legs, 2, contacts, NULL, NULL, &ground};
        sft_adapt_report report;
        // Steps of all lengths.
        if (sft_adapt_update(&def, &in, (1 + i % 3) / 120.0, &body, feet, t, r, scratch, sizeof scratch, &report) !=
            SFT_OK)
            fail("sft_adapt_update");
        for (int32_t j = 0; j < w.skeleton->joint_count; ++j)
        {
            fold_v3(g, t[j]);
            fold_quat(g, r[j]);
        }
        fold_double(g, report.heel_lift);
        fold_double(g, report.toe_miss);
    }
    walker_release(&w);
}
