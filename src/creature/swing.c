// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// The way of a foot through the air over ground that is not level. A swing is a quadratic Bezier curve whose control
// point is raised: over the middle of the step, or, where that would take it too high, nearer to one of its ends: a
// foot that goes up a stair rises first, one that comes down sinks last. Looked at are the sole below the joint and the
// tip of the toes, at points of the curve as it would be: where the control point is does not move them aside, so each
// place of it needs one look.

#include "creature/creature.h"

// Points of a swing that are looked at.
#define POINTS 24
// Room that is left below a foot in the middle of its swing, of the stride: between two points ground may rise.
#define MARGIN 0.012
// Toes may be so deep in the ground where a foot stands, of the leg's length.
#define TOE_SLACK 0.01

// Sole and tip of the toes from the joint, world, for an orientation of the foot. Their number.
static int ends_of(const sft_creature* creature, int32_t leg, sft_quatd rotation, sft_v3d* out)
{
    const sft_creature_limb* limb = &creature->limbs[leg];
    const sft_quatd turned = sft_quatd_mul(rotation, sft_quatd_conjugate(limb->home_rotation));
    const double scale = creature->def.scale, ankle = creature->def.legs[leg].ankle_offset;
    out[0] = sft_v3d_scale(scale, sft_quatd_rotate(turned, sft_v3d_make(0, -ankle, 0)));
    if (limb->toe.x == 0 && limb->toe.z == 0) return 1;
    out[1] = sft_v3d_scale(scale, sft_quatd_rotate(turned, limb->toe));
    return 2;
}

// [m] by which a point is below the ground along up; 0: it is not, looked for from `above` on.
static double depth_of(const sft_ground* ground, sft_v3d p, sft_v3d up, double above)
{
    sft_ground_hit hit;
    if (!sft_ground_cast(ground, sft_v3d_madd(p, above, up), sft_v3d_scale(-1, up), above, 0, &hit)) return 0;
    return above - hit.distance;
}

bool sft_creature_toes_fit(const sft_creature* creature, const sft_ground* ground, int32_t leg,
                           const sft_creature_foothold* at)
{
    sft_v3d ends[2];
    if (ends_of(creature, leg, at->rotation, ends) < 2) return true;
    const double scale = creature->def.scale;
    return depth_of(ground, sft_v3d_add(at->position, ends[1]), at->normal,
                    scale * creature->def.legs[leg].reach_max) <= scale * TOE_SLACK * creature->limbs[leg].length;
}

// How high a control point over the part `along` of the step must be. from, to: ends of sole and toes.
static double rise_for(const sft_ground* ground, const sft_v3d* from, const sft_v3d* to, int count, double along,
                       sft_v3d up, double above)
{
    double most = 0;
    for (int i = 0; i < count; ++i)
    {
        const sft_v3d middle = sft_v3d_lerp(from[i], to[i], along);
        const double margin = MARGIN * sft_v3d_distance(from[i], to[i]);
        for (int k = 1; k < POINTS; ++k)
        {
            // The control point has weight 2 u (1 - u) there.
            const double u = (double)k / POINTS, v = 1 - u, weight = 2 * u * v;
            sft_v3d p = sft_v3d_madd(sft_v3d_scale(v * v, from[i]), weight, middle);
            p = sft_v3d_madd(p, u * u, to[i]);
            p = sft_v3d_madd(p, -2 * weight * margin, up);
            most = sft_maxd(most, depth_of(ground, p, up, above) / weight);
        }
    }
    return most;
}

bool sft_creature_plan_swing(const sft_creature* creature, const sft_ground* ground, int32_t leg, sft_v3d up,
                             const sft_creature_foothold* to, sft_creature_foot* foot)
{
    static const double places[] = {0.25, 0.75, 0, 1};
    const sft_creature_swing* swing = &creature->def.swing;
    const double scale = creature->def.scale, above = scale * creature->def.legs[leg].reach_max;
    const double stride = sft_v3d_distance(foot->position, to->position);
    const double least = sft_maxd(swing->lift * stride, scale * swing->clearance);
    sft_v3d from_ends[2], to_ends[2];
    const int count = ends_of(creature, leg, foot->rotation, from_ends);
    ends_of(creature, leg, to->rotation, to_ends);
    for (int i = 0; i < count; ++i)
    {
        from_ends[i] = sft_v3d_add(from_ends[i], foot->position);
        to_ends[i] = sft_v3d_add(to_ends[i], to->position);
    }
    double along = 0.5, rise = rise_for(ground, from_ends, to_ends, count, along, up, above);
    for (size_t k = 0; k < SFT_COUNT_OF(places) && rise > least; ++k)
    {
        const double other = rise_for(ground, from_ends, to_ends, count, places[k], up, above);
        if (!(other < rise)) continue;
        rise = other;
        along = places[k];
    }
    // Higher than a leg reaches there is no way.
    const bool fits = rise <= sft_maxd(least, above);
    rise = sft_mind(sft_maxd(rise, least), above);
    foot->over = sft_v3d_madd(sft_v3d_lerp(foot->position, to->position, along), rise, up);
    return fits;
}
