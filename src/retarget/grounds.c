// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// The target's ground, and how far the lowest joints of its feet are over it.

#include <math.h>

#include "surefoot/retarget.h"

// Leg lengths from y = 0 within which a ground is that of the world.
#define ABOUT_ZERO 0.12

// [m] the lowest joint of the feet over y = 0, where a figure stands on that in its rest pose: its soles lie below its
// joints. False where it stands elsewhere.
static bool stands_at_rest(const sft_rig* rig, double* sole)
{
    const sft_skeleton* s = rig->skeleton;
    double lowest = SFT_HUGE;
    for (int32_t i = 0; i < rig->leg_count; ++i)
    {
        const int32_t joints[3] = {rig->legs[i].heel, rig->legs[i].toe, rig->legs[i].toe_end};
        for (int k = 0; k < 3; ++k)
            if (joints[k] >= 0)
                lowest = sft_mind(lowest,
                                  sft_skeleton_joint_model(s, s->rest_translations, s->rest_rotations, joints[k]).t.y);
    }
    *sole = lowest;
    return lowest > -0.02 * rig->leg_length && lowest < 0.2 * rig->leg_length;
}

// [m] by which the lowest joints of level feet of the source stand over its ground, where that is known: of a mesh that
// stands on y = 0 by what it has below them at rest. In the clip such soles may well sink in or hover.
static double known_sole(const sft_retarget_footing* in, const sft_rig_pair* rigs)
{
    double sole = 0.0;
    if (!in->source_soles || in->floor != 0.0) return 0.0;
    if (rigs->source->identity == rigs->target->identity) return in->level - in->floor;
    return stands_at_rest(rigs->source, &sole) ? sft_maxd(sole, 0.0) : 0.0;
}

sft_result sft_retarget_find_grounds(const sft_retarget_footing* footing, const sft_rig_pair* rigs,
                                     sft_retarget_grounds* out)
{
    if (footing == NULL || rigs == NULL || rigs->source == NULL || rigs->target == NULL || out == NULL ||
        !(footing->scale > 0.0) || !isfinite(footing->floor) || !isfinite(footing->level))
        return SFT_ERR_ARG;
    const double scale = footing->scale;
    double sole = 0.0;
    sft_retarget_grounds g = {.ground = scale * footing->floor, .reason = "the source's, scaled"};
    // Figures of one skeleton have the same soles, whatever the clip does with them.
    if (rigs->source->identity == rigs->target->identity)
        g.sole = scale * (footing->level - footing->floor);
    else if (footing->target_stands && rigs->target->leg_count > 0 && stands_at_rest(rigs->target, &sole))
    {
        g.sole = sole;
        if (fabs(footing->floor) <= ABOUT_ZERO * rigs->source->leg_length)
        {
            g.ground = 0.0;
            g.reason = "where the target stands in its file, on soles below its joints";
        }
    }
    g.target_level = g.ground + g.sole;
    g.sole_lift = g.target_level - scale * (footing->floor + (footing->level - footing->floor));
    g.source_level = footing->floor + known_sole(footing, rigs);
    *out = g;
    return SFT_OK;
}
