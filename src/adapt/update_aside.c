// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// Feet that would come down with their heel alone, toes over a lower level, are put forward or back along their own
// length while they still fly, stay there while they stand, and come back in the next swing.

#include "adapt/update.h"

// Of the rate that feet follow at: a foot is put aside a little more slowly than it is raised.
#define ASIDE_SLOWER 0.7
// Places tried, either way.
#define PLACES 6
// [m] To the edge: landings are foreseen about so well; and behind the heel of a foot that steps down.
#define TOE_ROOM 0.03
#define HEEL_ROOM 0.05

void sft_adapt_move_foot(sft_leg_pose* pose, sft_v3d by)
{
    pose->heel.t = sft_v3d_add(pose->heel.t, by);
    pose->toe.t = sft_v3d_add(pose->toe.t, by);
    pose->toe_end.t = sft_v3d_add(pose->toe_end.t, by);
}

void sft_adapt_move_aside(const au_step* step, au_leg* a)
{
    sft_adapt_follow* f = a->s.aside;
    for (int k = 0; k < 2; ++k)
        sft_adapt_follow_to(&f[k], f[k].goal, ASIDE_SLOWER * step->rate, step->dt, true);
    // Where the foot is given back to the source, so is its place.
    const double w = sft_clampd(a->s.weight.value, 0.0, 1.0);
    a->aside = sft_v3d_make(w * f[0].value, 0.0, w * f[1].value);
    if (a->aside.x != 0.0 || a->aside.z != 0.0) sft_adapt_move_foot(&a->foot, a->aside);
}

static bool reaches_up(const au_step* step, const au_leg* a, sft_v3d point, double level)
{
    sft_ground_hit hit;
    return sft_adapt_ground_below(step, a, point, level, &hit) &&
           fabs(hit.point.y - level) <= 0.5 * step->def->edge_height;
}

// What a foot would stand on with its toe at a place.
typedef enum footing
{
    NOWHERE,
    BY_THE_HEEL, // alone, over a lower level: it stands on nothing once the heel rises
    BY_THE_TIP,
    BY_THE_TOE
} footing;

static footing footing_at(const au_step* step, const au_leg* a, sft_v3d at)
{
    const sft_v3d ahead = sft_v3d_sub(at, a->foot.toe.t);
    const sft_adapt_foothold f = sft_adapt_foothold_ahead(step, a, ahead);
    if (!f.on_ground) return NOWHERE;
    if (!f.on_edge || reaches_up(step, a, at, f.point.y)) return BY_THE_TOE;
    return reaches_up(step, a, sft_v3d_add(a->foot.toe_end.t, ahead), f.point.y) ? BY_THE_TIP : BY_THE_HEEL;
}

// Whether the foot can come down there: with room before the toe where it keeps to the higher level, and with room
// behind the heel, which would else have to come straight down, where it steps to the lower one.
static bool has_room(const au_step* step, const au_leg* a, sft_v3d at, sft_v3d forward, bool lower)
{
    if (footing_at(step, a, at) != BY_THE_TOE) return false;
    if (!lower) return footing_at(step, a, sft_v3d_madd(at, TOE_ROOM, forward)) == BY_THE_TOE;
    const sft_v3d behind = sft_v3d_sub(sft_v3d_madd(at, -HEEL_ROOM, forward), a->foot.toe.t);
    const sft_adapt_foothold f = sft_adapt_foothold_ahead(step, a, behind);
    return f.on_ground && !f.on_edge;
}

// Whether the foot has not come down by its heel alone, nor would a little further on.
static bool stands_at(const au_step* step, const au_leg* a, sft_v3d at, sft_v3d forward)
{
    return footing_at(step, a, at) != BY_THE_HEEL &&
           footing_at(step, a, sft_v3d_madd(at, 0.5 * TOE_ROOM, forward)) != BY_THE_HEEL;
}

void sft_adapt_choose_aside(const au_step* step, au_leg* a, sft_v3d asked)
{
    sft_adapt_follow* f = a->s.aside;
    const double most = step->def->step_aside;
    if (!(most > 0.0)) return;
    // Places foreseen get better: what is not needed any more is given up.
    const sft_v3d forward = sft_adapt_forward(a->leg, &a->foot), now = sft_v3d_make(f[0].goal, 0.0, f[1].goal);
    const bool fine = stands_at(step, a, asked, forward);
    if (!fine && (now.x != 0.0 || now.z != 0.0) && stands_at(step, a, sft_v3d_add(asked, now), forward)) return;
    f[0].goal = f[1].goal = 0.0;
    if (fine) return;
    const bool stands = footing_at(step, a, asked) != BY_THE_HEEL;
    for (int k = 1; k <= PLACES; ++k)
        for (int sign = -1; sign <= (stands ? -1 : 1); sign += 2)
        {
            const double by = sign * most * k / PLACES;
            const sft_v3d to = sft_v3d_madd(asked, by, forward);
            if (!has_room(step, a, to, forward, sign > 0)) continue;
            f[0].goal = by * forward.x;
            f[1].goal = by * forward.z;
            return;
        }
}
