// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// The sole of a foot, and how a plant settles on the ground that is really below it: a foothold knows of heel, toe and
// toe end of one frame, a plant has to stand over all of its frames, on ground that may bulge between them.

#include "adapt/clip_problem.h"

// What a sole may stand off the ground, or sink into it, before heel or toe end are turned to it [m].
static const double SOLE_SLACK = 0.002;
// Most the heel is raised for that [rad]: pitch is to be kept within two degrees.
static const double HEEL_TURN_MAX = 1.6 * SFT_PI / 180.0;
static const double END_TURN_MAX = 25.0 * SFT_PI / 180.0;
static const double OFF_MOST =
    0.0035;                          // [m] that a sole may be over the ground or in it, as a compromise between frames
static const double HELD = 0.003;    // [m] a planted toe may rise on its own
static const double ROUNDING = 1e-9; // [m] of gaps
static const int TILTS = 16;         // tried from the slope under heel and toe to that of a part of the sole

// ---- the sole ----

int ad_sole_points(const ad_problem* p, int32_t leg, int32_t frame, const ad_put* put, int parts,
                   ad_sole_point out[AD_SOLE_MOST])
{
    const sft_leg* g = p->legs + leg;
    const ad_foot* f = ad_foot_at(p, leg, frame);
    const sft_v3d up = sft_quatd_rotate(put->foot, sft_v3d_make(0, 1, 0));
    const sft_v3d end_up = sft_quatd_rotate(put->toe_turn, sft_v3d_make(0, 1, 0));
    ad_sole_point joints[3];
    int last = 0, count = 0;
    if (ad_heel_bears(p, leg))
        joints[last++] = (ad_sole_point){sft_v3d_madd(put->heel, -g->heel_min, up), f->heel.y - g->heel_min, true};
    joints[last++] = (ad_sole_point){sft_v3d_madd(put->toe, -g->toe_min, up), f->toe.y - g->toe_min, true};
    if (g->toe_end >= 0)
        joints[last++] =
            (ad_sole_point){sft_v3d_madd(put->end, -g->toe_end_min, end_up), f->end.y - g->toe_end_min, true};
    for (int k = 0; k < last; ++k)
        for (int m = 0; m < (k + 1 < last ? parts : 1); ++m)
        {
            const double t = (double)m / parts;
            const ad_sole_point *a = joints + k, *b = joints + (k + 1 < last ? k + 1 : k);
            out[count++] =
                (ad_sole_point){sft_v3d_lerp(a->at, b->at, t), a->source + t * (b->source - a->source), m == 0};
        }
    return count;
}

// Distance of a point of the sole from the ground, square to it, below it negative; INFINITY where there is none.
static double gap_of(const ad_problem* p, sft_v3d at, double level)
{
    sft_ground_hit hit;
    if (!ad_ground_at(p, at, level, &hit)) return INFINITY;
    const double square = hit.normal.y > 0.0 && hit.normal.y < 1.0 ? hit.normal.y : 1.0;
    return (at.y - hit.point.y) * square;
}

static double snapped(double x)
{
    return fabs(x) > ROUNDING ? x : 0.0;
}

// Gaps of heel, toe and toe end as the plant puts them; INFINITY for those that are no part of the sole. `sunk` gets
// how deep the sole between them is in the ground, beyond what it was in the source's level.
static void gaps_at(const ad_problem* p, const ad_plant* plant, int32_t frame, double out[3], double* sunk)
{
    const ad_put put = ad_put_plant(p, plant, frame);
    const double level = plant->level + plant->shift.y;
    ad_sole_point points[AD_SOLE_MOST];
    // The foot stands still: what bulges below it is found in one frame.
    const int parts = frame == plant->flattest ? AD_SOLE_FINE : AD_SOLE_PARTS;
    const int count = ad_sole_points(p, plant->leg, frame, &put, parts, points);
    int joint = ad_heel_bears(p, plant->leg) ? 0 : 1;
    out[0] = out[1] = out[2] = INFINITY;
    *sunk = 0.0;
    // A heel that stays up is no part of what stands, nor is the sole before the toe.
    const int from = joint == 0 && plant->heel_up ? parts : 0;
    if (from > 0) joint = 1;
    for (int k = from; k < count; ++k)
    {
        const double gap = gap_of(p, points[k].at, level);
        if (points[k].joint)
            out[joint++] = snapped(gap);
        else
            *sunk = sft_maxd(*sunk, -gap - sft_maxd(plant->level - points[k].source, 0.0));
    }
}

static double least_of(const double gaps[3])
{
    return sft_mind(gaps[0], sft_mind(gaps[1], gaps[2]));
}

// ---- turns that settle the sole ----

static double along_of(const ad_foot* f, sft_v3d point)
{
    return (point.x - f->toe.x) * f->forward.x + (point.z - f->toe.z) * f->forward.z;
}

// Turn [rad] that brings a point, `along` the foot and `up` from the toe, higher by `rise`.
static double turn_to_rise(double along, double up, double rise, double most)
{
    const double r = sqrt(along * along + up * up), to = sft_clampd(up + rise, -0.95 * r, 0.95 * r);
    if (!(along > 0.3 * r) || rise == 0.0) return 0.0;
    const double level = sqrt(sft_maxd(r * r - to * to, 0.0));
    return sft_clampd(sft_atan2(to, level) - sft_atan2(up, along), -most, most);
}

// Heel and toe end turned about the toe so that the lowest of the three stands on the ground, where it does not.
static void turn_sole(ad_problem* p, const ad_plant* plant, int32_t frame, const double gaps[3])
{
    const sft_leg* g = p->legs + plant->leg;
    const ad_foot* f = ad_foot_at(p, plant->leg, frame);
    double heel = gaps[0];
    if (heel < SFT_HUGE)
    {
        const double rise = ad_soft_positive(-SOLE_SLACK - heel, 0.5 * SOLE_SLACK);
        ad_curve_of(p, plant->leg, AD_HEEL)[frame] =
            turn_to_rise(-along_of(f, f->heel), f->heel.y - f->toe.y, rise, HEEL_TURN_MAX);
        heel += rise;
    }
    if (g->toe_end < 0 || !(gaps[2] < SFT_HUGE)) return;
    const double others = sft_mind(heel, gaps[1]);
    double rise = ad_soft_positive(-SOLE_SLACK - gaps[2], 0.5 * SOLE_SLACK);
    rise -= ad_soft_positive(gaps[2] - SOLE_SLACK, 0.5 * SOLE_SLACK) * ad_ease((others - SOLE_SLACK) / SOLE_SLACK);
    ad_curve_of(p, plant->leg, AD_END)[frame] =
        turn_to_rise(along_of(f, f->end), f->end.y - f->toe.y, rise, END_TURN_MAX);
}

static void clear_turns(ad_problem* p, const ad_plant* plant, int32_t frame)
{
    ad_curve_of(p, plant->leg, AD_HEEL)[frame] = 0.0;
    ad_curve_of(p, plant->leg, AD_END)[frame] = 0.0;
}

static void turn_soles(ad_problem* p, const ad_plant* plant)
{
    double gaps[3], sunk;
    for (int32_t i = plant->touch_first; i <= plant->touch_last; ++i)
    {
        clear_turns(p, plant, i);
        gaps_at(p, plant, i, gaps, &sunk);
        turn_sole(p, plant, i, gaps);
    }
}

// ---- a bulge between heel and toe ----

// The slope of the sole [m per m] under which a bulge neither carries it off nor sinks in by more than OFF_MOST, and
// which is nearest to that of the line under heel and toe. `s` along the foot from the toe, `ground` over that line.
static double slope_over(const double* s, const double* ground, int count)
{
    int top = 0;
    for (int k = 1; k + 1 < count; ++k)
        if (ground[k] > ground[top]) top = k;
    if (!(ground[top] > 2.0 * OFF_MOST)) return 0.0;
    // To the line from the bulge to the toe, or from the heel to the bulge: whichever does with less of it.
    const double ways[2] = {(ground[count - 1] - ground[top]) / (s[count - 1] - s[top]),
                            (ground[top] - ground[0]) / (s[top] - s[0])};
    for (int step = 1; step <= TILTS; ++step)
        for (int w = 0; w < 2; ++w)
        {
            const double slope = ways[w] * step / TILTS;
            double over = -INFINITY;
            for (int k = 0; k < count; ++k)
                over = sft_maxd(over, ground[k] - slope * s[k]);
            const double heel = over + slope * s[0] - ground[0], toe = over + slope * s[count - 1] - ground[count - 1];
            if (sft_mind(heel, toe) <= 2.0 * OFF_MOST) return slope;
        }
    return 0.0;
}

void ad_tilt_over_bulge(const ad_problem* p, ad_plant* plant)
{
    const int32_t frame = plant->flattest;
    if (!ad_heel_bears(p, plant->leg)) return;
    const sft_v3d forward = ad_foot_at(p, plant->leg, frame)->forward;
    const ad_put put = ad_put_plant(p, plant, frame);
    ad_sole_point points[AD_SOLE_MOST];
    double s[AD_SOLE_FINE + 1], ground[AD_SOLE_FINE + 1];
    (void)ad_sole_points(p, plant->leg, frame, &put, AD_SOLE_FINE, points);
    const sft_v3d toe = points[AD_SOLE_FINE].at;
    for (int k = 0; k <= AD_SOLE_FINE; ++k)
    {
        const double y = ad_ground_under(p, points[k].at, plant->level + plant->shift.y);
        if (!(y > -SFT_HUGE)) return;
        s[k] = (points[k].at.x - toe.x) * forward.x + (points[k].at.z - toe.z) * forward.z;
        ground[k] = y;
    }
    const double length = s[AD_SOLE_FINE] - s[0], first = ground[0], last = ground[AD_SOLE_FINE];
    if (!(length > 0.02)) return;
    const double chord = (last - first) / length;
    for (int k = 0; k <= AD_SOLE_FINE; ++k)
        ground[k] -= last + chord * s[k];
    const double slope = slope_over(s, ground, AD_SOLE_FINE + 1);
    if (slope == 0.0) return;
    const double pitch = sft_atan2(chord + slope, 1.0);
    if (fabs(pitch) > p->def->foot.pitch_max) return;
    const double turn = 0.5 * (sft_atan2(chord, 1.0) - pitch), sine = sft_sin(turn);
    const sft_quatd about_side = {sine * forward.z, 0.0, -sine * forward.x, sft_cos(turn)};
    plant->tilt = sft_quatd_log(sft_quatd_mul(about_side, sft_quatd_exp(plant->tilt)));
}

// ---- the height of a plant ----

// A planted toe that rises by itself is held down to where the foot's lowest point is on the ground.
static void hold_toe(ad_problem* p, const ad_plant* plant)
{
    for (int32_t i = plant->first; i <= plant->last; ++i)
    {
        ad_foot* f = ad_foot_at(p, plant->leg, i);
        double gaps[3], sunk;
        f->held = 0.0;
        gaps_at(p, plant, i, gaps, &sunk);
        const double risen = sft_maxd(f->toe.y - plant->toe.y, 0.0);
        f->held = sft_mind(ad_soft_positive(least_of(gaps) - HELD, 0.3 * HELD), risen);
    }
}

// What the plant has to rise by so that nothing sinks in that did not in the source: heels can be raised by little,
// since pitch is kept, and the sole between heel and toe not at all.
static double rise_out(const ad_problem* p, const ad_plant* plant)
{
    double most = 0.0;
    for (int32_t i = plant->first; i <= plant->last; ++i)
    {
        const ad_foot* f = ad_foot_at(p, plant->leg, i);
        double gaps[3], sunk;
        gaps_at(p, plant, i, gaps, &sunk);
        most = sft_maxd(most, sunk - OFF_MOST);
        if (!(gaps[0] < SFT_HUGE)) continue;
        const double turned = HEEL_TURN_MAX * sft_maxd(-along_of(f, f->heel), 0.0);
        const double heel = -SOLE_SLACK - turned - gaps[0];
        most = sft_maxd(most, p->legs[plant->leg].toe_end >= 0 ? heel : 0.5 * heel);
    }
    return most;
}

void ad_settle_plant(ad_problem* p, ad_plant* plant)
{
    double gaps[3], sunk;
    int32_t count = 0;
    for (int32_t i = plant->first; i <= plant->last; ++i)
    {
        clear_turns(p, plant, i);
        gaps_at(p, plant, i, gaps, &sunk);
        if (least_of(gaps) < SFT_HUGE) p->want[count++] = least_of(gaps);
    }
    if (count == 0) return;
    // The median: at the ends of a plant the foot still comes down or pivots over its toe.
    plant->shift.y -= snapped(sft_core_select(p->want, (size_t)count, (size_t)count / 2));
    plant->shift.y += rise_out(p, plant);
    turn_soles(p, plant);
    hold_toe(p, plant);
    // What now floats at its worst comes down, by as much as nothing sinks in.
    double most = -INFINITY, least = INFINITY, deepest = 0.0;
    for (int32_t i = plant->first; i <= plant->last; ++i)
    {
        gaps_at(p, plant, i, gaps, &sunk);
        most = sft_maxd(most, least_of(gaps));
        least = sft_mind(least, least_of(gaps));
        deepest = sft_maxd(deepest, sunk);
    }
    const double floats = most - OFF_MOST, room = sft_mind(least + OFF_MOST, OFF_MOST - deepest);
    if (floats > 0.0 && room > 0.0) plant->shift.y -= sft_mind(floats, room);
    turn_soles(p, plant);
    hold_toe(p, plant);
}

void ad_settle_ride(ad_problem* p, const ad_plant* plant)
{
    double gaps[3], sunk, heights[3];
    for (int32_t i = plant->touch_first; i <= plant->touch_last; ++i)
    {
        clear_turns(p, plant, i);
        gaps_at(p, plant, i, gaps, &sunk);
        if (!(least_of(gaps) < SFT_HUGE)) continue;
        ad_sole_heights(p, plant->leg, i, heights);
        // As far over the ground as it was over its level; where it stands, no further than a foot may.
        double over = least_of(heights) - plant->level;
        if (i >= plant->first && i <= plant->last) over = sft_mind(over, HELD);
        over = sft_maxd(over - least_of(gaps), sunk - OFF_MOST);
        ad_curve_of(p, plant->leg, AD_Y)[i] += over;
    }
    turn_soles(p, plant);
}
