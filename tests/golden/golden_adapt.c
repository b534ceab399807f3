// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// Golden scene of whole clips on ground.
#include "golden.h"

/// The walk up stairs, down them, across a slope and over a gap.
void scene_adapt_clip(golden* g)
{
    double up[12], rise[12], fall[12];
    for (int k = 0; k < 12; ++k)
    {
        up[k] = 0.7 + 0.4 * (k / 2);
        rise[k] = 0.16 * ((k + 1) / 2);
        fall[k] = -rise[k];
    }
    const double far[] = {0.0, 1.0, 1.0, 1.3}, gap[] = {0.05, 0.05, (double)NAN, 0.05};
    const sft_ground_profile profiles[3] = {{.count = 12, .distances = up, .heights = rise},
                                            {.count = 12, .distances = up, .heights = fall},
                                            {.count = 4, .distances = far, .heights = gap}};
    const sft_ground_plane plane = {.normal = {0.15, sqrt(1.0 - 0.15 * 0.15 - 0.1 * 0.1), 0.1}};
    for (int k = 0; k < 4; ++k)
    {
        walker w;
        make_walk(&w, 150, 60.0, 1.0);
        sft_leg legs[SFT_MAX_LEGS];
        int32_t count = 0;
        if (sft_leg_find(w.skeleton, w.clip, NULL, legs, SFT_MAX_LEGS, &count) != SFT_OK) fail("sft_leg_find");
        const sft_ground ground = k < 3 ? sft_ground_from_profile(&profiles[k]) : sft_ground_from_plane(&plane);
        const sft_adapt_clip_def def = sft_default_adapt_clip_def();
        sft_adapt_clip_report report;
        if (sft_adapt_clip(&def, w.skeleton, legs, count, &w.labels, &ground, NULL, w.clip, NULL, &report) != SFT_OK)
            fail("sft_adapt_clip");
        fold_clip(g, w.clip);
        fold_double(g, report.pelvis_shift_min);
        fold_double(g, report.place_shift_max);
        for (int32_t m = 0; m < report.miss_count; ++m)
            fold_double(g, (double)report.misses[m].first + report.misses[m].amount);
        sft_adapt_clip_report_release(&report, NULL);
        walker_release(&w);
    }
}
