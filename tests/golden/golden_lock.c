// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// Scenes of the foot lock: feet on random bodies in random steps, and the walk.
#include "golden.h"

void scene_lock(golden* g)
{
    uint64_t state = 21;
    for (int run = 0; run < 30; ++run)
    {
        sft_lock_def def = sft_default_lock_def();
        def.blend_time = 0.1 * (run % 5);
        def.lock_orientation = run % 2 != 0;
        def.lock_distance = run % 3 == 0 ? 1e3 : 0.02;
        sft_lock_state s = {0};
        sft_v3d toe = {0}, spin = {0}, drift = {0};
        for (int k = 0; k < 400; ++k)
        {
            if (k % 17 == 0) drift = next_v3(&state, k % 34 == 0 ? 0.3 : 2.0);
            if (k % 29 == 0) spin = next_v3(&state, 1.5);
            const double dt = next(&state, 0.0, 0.03), t = 0.01 * k;
            toe = sft_v3d_madd(toe, dt, drift);
            sft_lock_input in = {.toe = toe, .contact = k % 34 < 17, .contact_height = (double)NAN};
            in.foot = sft_quatd_exp(sft_v3d_scale(t, spin));
            in.body = (sft_lock_body){run % 4 == 0 ? 0 : 1 + k / 150,
                                      {sft_v3d_make(0.3 * t, 0.1 * t * t, 0.0), sft_quatd_exp(sft_v3d_make(0, t, 0))}};
            in.velocity = run % 7 == 0 ? &drift : NULL;
            in.teleport = k == 333;
            if (sft_lock_update(&def, &in, dt, &s) != SFT_OK) fail("sft_lock_update");
            fold_v3(g, s.position);
            fold_v3(g, s.velocity);
            fold_quat(g, s.rotation);
            fold_v3(g, s.spin);
            fold_double(g, s.locked ? 1.0 : 0.0);
        }
    }
}

#ifndef SFT_GOLDEN_RUNTIME
void scene_lock_clip(golden* g)
{
    for (int k = 0; k < 3; ++k)
    {
        walker w;
        make_walk(&w, 300, 60.0, 0.75 + 0.25 * k);
        const sft_leg legs[2] = {walker_leg(0), walker_leg(1)};
        sft_lock_clip_def def = sft_default_lock_clip_def();
        def.first_frame = w.first_frame;
        def.lock.lock_orientation = k == 0;
        sft_lock_clip_report report;
        if (sft_lock_clip(&def, w.skeleton, legs, 2, &w.labels, NULL, w.clip, NULL, &report) != SFT_OK)
            fail("sft_lock_clip");
        fold_clip(g, w.clip);
        fold_double(g, report.miss_max_m);
        fold_double(g, (double)report.settled_frames);
        for (int32_t i = 0; i < report.gap_count; ++i)
        {
            fold_double(g, report.gaps[i].distance);
            fold_double(g, (double)report.gaps[i].first);
        }
        sft_lock_clip_report_release(&report, NULL);
        walker_release(&w);
    }
}
#endif
