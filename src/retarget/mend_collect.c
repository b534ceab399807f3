// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// What stands where: labels of the source brought to the target's legs, and the height at which each planted toe of the
// target should stand. That is the height of the source's over its own sole and ground, scaled, over the target's own
// sole and ground.

#include "retarget/mend_feet.h"

static const double SOLE_SHARE[2] = {0.02, 0.12}; // of a leg: plants that all stand so high stand on thick soles
static const double LOW_SHARE = 0.1;      // of the planted frames stand lower than where the ground is taken to be
static const double SHALLOW_SHARE = 0.03; // of a leg: plants no deeper than that are on the ground
static const double STRIKE_SHARE = 0.03;  // of a leg: toes that are that much higher than their soles are up
static const double NOISE_SHARE = 0.02;   // of a leg: heights below the ground within it are noise
static const double HEEL_SHARE = 0.03;    // of a leg: heels lower than that below a level foot are pitched up instead
static const double SAME_SOLE = 1e-3;     // [m] soles that are alike
static const double HOLE_TIME = 0.15;     // [s] over which a foot comes out of a hole
static const double CLEARANCE = 0.002;    // [m] by which feet are held off the ground rather than let into it
static const double SINK = 0.0005;        // [m] of such noise that is kept

static sft_leg_side other_side(sft_leg_side side)
{
    return side == SFT_LEG_LEFT ? SFT_LEG_RIGHT : side == SFT_LEG_RIGHT ? SFT_LEG_LEFT : side;
}

// Leg of the source with the same place; of several in a girdle the first that is not taken.
static int32_t source_leg(const md_problem* p, const sft_leg* leg)
{
    const sft_leg_side side = p->def->mirror ? other_side(leg->side) : leg->side;
    for (int32_t m = 0; m < p->source->leg_count; ++m)
        if (p->source->legs[m].side == side && p->source->legs[m].pair == leg->pair) return m;
    return -1;
}

// Heights of a level foot's joints over its own sole, in the reference pose, in which soles are level.
static void set_minima(const sft_rig* rig, sft_leg* leg)
{
    if (!rig->pose) return;
    double low = rig->pose[leg->heel].t.y;
    low = sft_mind(low, rig->pose[leg->toe].t.y);
    if (leg->toe_end >= 0) low = sft_mind(low, rig->pose[leg->toe_end].t.y);
    leg->heel_min = rig->pose[leg->heel].t.y - low;
    leg->toe_min = rig->pose[leg->toe].t.y - low;
    leg->toe_end_min = leg->toe_end >= 0 ? rig->pose[leg->toe_end].t.y - low : 0.0;
}

static bool planted(const md_feet_problem* f, int32_t leg, int32_t frame)
{
    const sft_contact_labels* labels = f->labels;
    const size_t at = (size_t)leg * (size_t)labels->frame_count + (size_t)(f->base->first + frame);
    return (double)labels->plant[at] > f->base->def->contact_threshold;
}

static void clear_labels(md_feet_problem* f, int32_t leg, int32_t from, int32_t end)
{
    float* plant = f->labels->plant + (size_t)leg * (size_t)f->labels->frame_count + (size_t)f->base->first;
    memset(plant + from, 0, (size_t)(end - from) * sizeof *plant);
}

static double min_of(const sft_leg* leg, int point)
{
    return point == 0 ? leg->heel_min : point == 1 ? leg->toe_min : leg->toe_end_min;
}

static int32_t joint_of(const sft_leg* leg, int point)
{
    return point == 0 ? leg->heel : point == 1 ? leg->toe : leg->toe_end;
}

// Into level[] the height of the source's sole over its ground, unscaled: of the lowest of heel, toe and toe end, each
// over its height in a level foot. Into f->steep by how much the toe is higher than heel and toe would have it, scaled.
static void read_soles(md_feet_problem* f, int32_t leg, double* level)
{
    double* steep = f->steep + md_at(f, leg, 0);
    const md_problem* p = f->base;
    sft_leg source = p->source->legs[f->source[leg]];
    set_minima(p->source, &source);
    for (int32_t i = 0; i < p->frames; ++i)
        level[i] = INFINITY;
    for (int k = 0; k < 3 && joint_of(&source, k) >= 0; ++k)
    {
        sft_clip_joint_track(p->source->skeleton, p->input->source_clip, joint_of(&source, k), f->track);
        for (int32_t i = 0; i < p->frames; ++i)
        {
            const double over = f->track[p->first + i].y - p->def->source_ground - min_of(&source, k);
            if (k == 1) steep[i] = p->scale * sft_maxd(over - level[i], 0.0);
            level[i] = sft_mind(level[i], over);
        }
    }
}

// A foot that is over its own hip, in most frames of what the labels call a plant, stands on nothing.
static bool is_kick(const md_feet_problem* f, const double* level, int32_t from, int32_t end)
{
    const md_problem* p = f->base;
    int32_t over = 0;
    for (int32_t i = from; i < end; ++i)
        over += level[i] + p->def->source_ground > f->track[p->first + i].y;
    return 2 * over > end - from;
}

// The median of a plant's frames; below the ground, where feet sink and come up again, the highest of them, within
// noise.
static double plant_level(md_feet_problem* f, int32_t leg, int32_t from, int32_t end)
{
    const md_problem* p = f->base;
    const double* level = f->air + md_at(f, leg, 0);
    double high = -INFINITY;
    for (int32_t i = from; i < end; ++i)
    {
        f->values[i - from] = level[i];
        high = sft_maxd(high, level[i]);
    }
    const size_t count = (size_t)(end - from);
    const double y = sft_core_select(f->values, count, count / 2);
    const double noise = NOISE_SHARE * p->target->leg_length / p->scale;
    return sft_maxd(y, sft_mind(sft_mind(high, y + noise), 0.0));
}

// One level a plant; NaN in swing. A plant begins a frame before its first label, which
// speaks of the step that leads to it.
static void level_plants(md_feet_problem* f, int32_t leg, double* level)
{
    const int32_t n = f->base->frames;
    const sft_leg* source = f->base->source->legs + f->source[leg];
    sft_clip_joint_track(f->base->source->skeleton, f->base->input->source_clip, source->hip, f->track);
    for (int32_t i = 0; i < n;)
    {
        if (!planted(f, leg, i))
        {
            level[i++] = NAN;
            continue;
        }
        int32_t end = i;
        while (end < n && planted(f, leg, end))
            ++end;
        if (is_kick(f, level, i, end))
        {
            clear_labels(f, leg, i, end);
            continue;
        }
        const double y = plant_level(f, leg, i, end);
        // A heel has struck: the toe, still up, is given a frame more to come down.
        const size_t before = md_at(f, leg, i > 0 ? i - 1 : 0);
        if (i > 0 && end - i > 2 && f->steep[before] > STRIKE_SHARE * f->base->target->leg_length)
            clear_labels(f, leg, i, i + 1);
        for (int32_t k = i > 0 ? i - 1 : 0; k < end; ++k)
            level[k] = y;
        i = end;
    }
}

static void set_leg_levels(md_feet_problem* f, int32_t leg)
{
    double* level = f->level + md_at(f, leg, 0);
    if (f->source[leg] >= 0)
    {
        read_soles(f, leg, level);
        for (int32_t i = 0; i < f->base->frames; ++i)
            f->air[md_at(f, leg, i)] = level[i];
        level_plants(f, leg, level);
        return;
    }
    for (int32_t i = 0; i < f->base->frames; ++i)
        level[i] = NAN;
}

// The same skeleton may have another reference, where a clip told how its soles stand.
static bool same_rig(const md_feet_problem* f)
{
    const md_problem* p = f->base;
    bool same = p->source->identity == p->target->identity && p->scale == 1.0;
    for (int32_t l = 0; l < f->leg_count && same; ++l)
    {
        if (f->source[l] < 0) return false;
        sft_leg g = p->source->legs[f->source[l]];
        set_minima(p->source, &g);
        for (int k = 0; k < 3; ++k)
            same = same && fabs(min_of(&g, k) - min_of(f->legs + l, k)) < SAME_SOLE;
    }
    return same;
}

// The level that all but `share` of the planted frames stand over; NaN without plants. `toes`: levels are those of
// toes, whose soles count.
static double low_level(md_feet_problem* f, double share, bool toes)
{
    size_t count = 0;
    for (int32_t l = 0; l < f->leg_count; ++l)
        for (int32_t i = 0; i < f->base->frames; ++i)
        {
            const double level = f->level[md_at(f, l, i)] - (toes ? f->legs[l].toe_min : 0.0);
            if (level == level) f->values[count++] = level;
        }
    if (count == 0) return NAN;
    return sft_core_select(f->values, count, (size_t)(share * (double)(count - 1)));
}

// The source's ground is where its soles are: figures with a mesh stand on soles, which are lower than any joint.
static void settle_levels(md_feet_problem* f)
{
    const md_problem* p = f->base;
    const double leg = p->target->leg_length / p->scale, low = low_level(f, LOW_SHARE, false);
    f->sole = low >= SOLE_SHARE[0] * leg && low <= SOLE_SHARE[1] * leg ? low : 0.0;
    // A rig onto itself has no soles of another kind: there the source's depth is kept, else noise is not.
    const bool kept = same_rig(f);
    for (int32_t l = 0; l < f->leg_count; ++l)
        for (int32_t i = 0; i < p->frames; ++i)
        {
            double* y = f->level + md_at(f, l, i);
            *y = p->scale * (*y - f->sole);
            f->air[md_at(f, l, i)] = p->scale * (f->air[md_at(f, l, i)] - f->sole);
            if (!kept && *y<-SINK&& * y> - SHALLOW_SHARE * p->target->leg_length) *y = -SINK;
        }
}

// By how much the sole's point under a joint is lower than it: `height` below in the reference pose, rigidly with the
// joint.
static double sole_below(const sft_rig* rig, sft_quatd at, int32_t joint, double height)
{
    if (!rig->pose) return height;
    const sft_v3d down = sft_quatd_unrotate(rig->pose[joint].r, sft_v3d_make(0.0, -height, 0.0));
    return -sft_quatd_rotate(at, down).y;
}

// Height of a plant's toe in a clip that stays what it is: the median of its own. A toe that is still up over its heel
// after a strike counts as if it had come down, save where the foot stands so.
static double own_height(md_feet_problem* f, int32_t leg, int32_t from, int32_t end)
{
    const double* steep = f->steep + md_at(f, leg, 0);
    const size_t count = (size_t)(end - from), half = count / 2;
    memcpy(f->values, steep + from, count * sizeof *f->values);
    const bool stands = sft_core_select(f->values, count, half) > STRIKE_SHARE * f->base->target->leg_length;
    for (int32_t i = from; i < end; ++i)
        f->values[i - from] = f->feet[md_at(f, leg, i)].toe.y - (stands ? 0.0 : steep[i]);
    return sft_core_select(f->values, count, half);
}

// From soles to toes: the toe of a plant stands where its sole is at the level, in most of its frames. Toe ends do not
// count where toes can turn.
static void set_heights(md_feet_problem* f, int32_t leg)
{
    const md_problem* p = f->base;
    const sft_leg* g = f->legs + leg;
    double* level = f->level + md_at(f, leg, 0);
    for (int32_t i = 0; i < p->frames; ++i)
    {
        const md_foot* foot = f->feet + md_at(f, leg, i);
        // The sole is rigidly below the heel: less far where the foot is pitched.
        const sft_quatd at = md_joint(p->target->skeleton, p->clip, p->first + i, g->heel).r;
        const double heel = foot->heel.y - sole_below(p->target, at, g->heel, g->heel_min);
        const double sole = sft_mind(heel, foot->toe.y - g->toe_min);
        // A heel further below the toe than the source's is no part of a planted sole: the clean-up raises it, and the
        // toe stays.
        const double most = 2.0 * f->steep[md_at(f, leg, i)] + HEEL_SHARE * p->target->leg_length;
        const double over = sft_mind(foot->toe.y - sole, g->toe_min + most);
        level[i] += p->def->ground + over;
    }
    for (int32_t i = 0; i < p->frames;)
    {
        int32_t end = i;
        for (; end < p->frames && level[end] == level[end]; ++end)
            f->values[end - i] = level[end];
        const size_t count = (size_t)(end - i);
        double y = count > 0 ? sft_core_select(f->values, count, count / 2) : NAN;
        if (f->own && count > 0) y = own_height(f, leg, i, end);
        for (int32_t k = i; k < end; ++k)
        {
            level[k] = y;
            f->heights[(size_t)leg * (size_t)p->clip->frame_count + (size_t)(p->first + k)] = y;
        }
        i = end > i ? end : i + 1;
    }
}

void md_feet_read(md_feet_problem* f)
{
    const md_problem* p = f->base;
    const sft_skeleton* s = p->target->skeleton;
    for (int32_t l = 0; l < f->leg_count; ++l)
        for (int32_t i = 0; i < p->frames; ++i)
        {
            const sft_leg* g = f->legs + l;
            md_foot* foot = f->feet + md_at(f, l, i);
            foot->hip = md_joint(s, p->clip, p->first + i, g->hip).t;
            foot->knee = md_joint(s, p->clip, p->first + i, g->knee).t;
            foot->heel = md_joint(s, p->clip, p->first + i, g->heel).t;
            foot->toe = md_joint(s, p->clip, p->first + i, g->toe).t;
        }
}

// Into track[].y how far a point of the source's foot dips below its height on level ground, scaled; into track[].x how
// far what is below it goes through the ground. 0 where it does not, or is not there.
static void read_dips(md_feet_problem* f, int32_t leg, int point)
{
    const md_problem* p = f->base;
    memset(f->track, 0, (size_t)p->clip->frame_count * sizeof *f->track);
    if (f->source[leg] < 0) return;
    sft_leg g = p->source->legs[f->source[leg]];
    set_minima(p->source, &g);
    const int32_t joint = point == 0 ? g.heel : point == 1 ? g.toe : g.toe_end;
    const double min = point == 0 ? g.heel_min : point == 1 ? g.toe_min : g.toe_end_min;
    if (joint < 0) return;
    sft_clip_joint_track(p->source->skeleton, p->input->source_clip, joint, f->track);
    for (int32_t i = 0; i < p->clip->frame_count; ++i)
    {
        const double over = f->track[i].y - p->def->source_ground - f->sole;
        const sft_quatd at = md_joint(p->source->skeleton, p->input->source_clip, i, joint).r;
        f->track[i].x = p->scale * sft_mind(over - sole_below(p->source, at, joint, min), 0.0);
        f->track[i].y = p->scale * sft_mind(over - min, 0.0);
    }
}

// How deep the source's foot goes through its ground. Toes that can turn up need not follow a tip into it.
static void find_depth(md_feet_problem* f, int32_t leg)
{
    const md_problem* p = f->base;
    double* deep = f->deep + md_at(f, leg, 0);
    const int points = f->legs[leg].toe_end >= 0 && f->legs[leg].toe != f->legs[leg].heel ? 2 : 3;
    for (int k = 0; k < points; ++k)
    {
        read_dips(f, leg, k);
        for (int32_t i = 0; i < p->frames; ++i)
            deep[i] = sft_mind(deep[i], f->track[p->first + i].x);
    }
}

// How deep a source's foot goes through its ground on purpose: beyond noise, which is not taken over. Planted heels
// that are deeper than noise in most frames of their plant stand there, and so do the target's, to the full.
static void excuse_depths(md_feet_problem* f, int32_t leg, int point)
{
    const md_problem* p = f->base;
    const double noise = NOISE_SHARE * p->target->leg_length;
    const double* level = f->level + md_at(f, leg, 0);
    for (int32_t i = 0; i < p->frames;)
    {
        int32_t end = i;
        for (; point == 0 && end < p->frames && level[end] == level[end]; ++end)
            f->values[end - i] = f->track[p->first + end].x;
        const size_t count = (size_t)(end - i);
        const bool deep = count > 0 && sft_core_select(f->values, count, count / 2) < -noise;
        end = end > i ? end : i + 1;
        for (; i < end; ++i)
        {
            double* x = &f->track[p->first + i].x;
            const double lowest = sft_mind(f->deep[md_at(f, leg, i)] + noise, 0.0);
            *x = deep ? sft_mind(*x - CLEARANCE, lowest) : lowest;
            if (deep) f->track[p->first + i].y -= CLEARANCE;
        }
    }
}

// What a plant is excused, what swings there or away from there is too, by less the further off.
static void fade_excuses(md_feet_problem* f, int32_t leg)
{
    const md_problem* p = f->base;
    const double fade = HOLE_TIME / p->dt;
    for (int32_t pass = 0; pass < 2; ++pass)
    {
        double last = 0.0, away = 0.0;
        for (int32_t k = 0; k < p->frames; ++k)
        {
            const int32_t i = pass == 0 ? k : p->frames - 1 - k;
            double* x = &f->track[p->first + i].x;
            const double level = f->level[md_at(f, leg, i)];
            away = level == level ? 0.0 : away + 1.0;
            if (level == level) last = *x;
            *x = sft_mind(*x, last * (1.0 - md_ease(away / fade)));
        }
    }
}

// A plant that stands below the ground has its foot there, and what swings there or away from there is on its way: into
// f->values by how much the floors of a leg lie lower.
static void find_holes(md_feet_problem* f, int32_t leg)
{
    const md_problem* p = f->base;
    const double stands = p->def->ground + f->legs[leg].toe_min, fade = HOLE_TIME / p->dt;
    double* hole = f->values;
    for (int32_t i = 0; i < p->frames; ++i)
    {
        const double level = f->level[md_at(f, leg, i)];
        hole[i] = level == level ? sft_maxd(stands - level, 0.0) : 0.0;
    }
    // Forth and back: what is left of the last plant's.
    for (int32_t pass = 0; pass < 2; ++pass)
    {
        double last = 0.0, away = 0.0;
        for (int32_t k = 0; k < p->frames; ++k)
        {
            const int32_t i = pass == 0 ? k : p->frames - 1 - k;
            const double level = f->level[md_at(f, leg, i)];
            away = level == level ? 0.0 : away + 1.0;
            if (level == level) last = hole[i];
            hole[i] = sft_maxd(hole[i], last * (1.0 - md_ease(away / fade)));
        }
    }
    // Not deeper there than the source's foot is itself.
    for (int32_t i = 0; i < p->frames; ++i)
    {
        const double level = f->level[md_at(f, leg, i)];
        if (!(level == level)) hole[i] = sft_mind(hole[i], sft_maxd(-f->air[md_at(f, leg, i)], 0.0) + CLEARANCE);
    }
}

// In a hole the floor is that of the hole, where that is lower.
static void lower_floor(const md_feet_problem* f, int32_t leg, int point, int32_t i)
{
    const md_problem* p = f->base;
    double* floor =
        f->floors + ((size_t)leg * 3 + (size_t)point) * (size_t)p->clip->frame_count + (size_t)(p->first + i);
    const double least = p->def->ground + CLEARANCE + min_of(f->legs + leg, point) - f->values[i];
    if (f->values[i] > 2.0 * SINK) *floor = sft_mind(*floor, least);
}

// A toe end that points into the ground turns the toes; the foot is raised for what that cannot do, and for heel and
// toe.
static void set_end_floors(md_feet_problem* f, int32_t leg)
{
    const md_problem* p = f->base;
    const size_t all = (size_t)p->clip->frame_count;
    double* floors = f->floors + (size_t)leg * 3 * all;
    for (int32_t i = p->first; i < p->clip->frame_count; ++i)
    {
        double* floor = floors + 2 * all + (size_t)i;
        f->ends[(size_t)leg * all + (size_t)i] = *floor;
        const sft_v3d end = md_joint(p->target->skeleton, p->clip, i, f->legs[leg].toe_end).t;
        const size_t at = md_at(f, leg, i - p->first);
        const sft_v3d toe = f->feet[at].toe;
        const double by_toe = floors[all + (size_t)i] - (toe.y - end.y);
        const bool stands = f->level[at] == f->level[at];
        *floor = stands ? sft_mind(*floor, by_toe) : sft_maxd(*floor - md_toe_gain(sft_v3d_sub(end, toe)), by_toe);
    }
}

// A point may dip as far as the source's does, scaled, but not through the ground with what is below it, save as far as
// the source's does on purpose.
static void set_floors(md_feet_problem* f, int32_t leg)
{
    const md_problem* p = f->base;
    const sft_leg* g = f->legs + leg;
    const size_t all = (size_t)p->clip->frame_count;
    const bool kept = same_rig(f);
    double* floors = f->floors + (size_t)leg * 3 * all;
    find_depth(f, leg);
    for (int k = 0; k < 3 && joint_of(g, k) >= 0; ++k)
    {
        read_dips(f, leg, k);
        excuse_depths(f, leg, k);
        fade_excuses(f, leg);
        for (int32_t i = p->first; i < p->clip->frame_count; ++i)
        {
            const sft_xformd at = md_joint(p->target->skeleton, p->clip, i, joint_of(g, k));
            const double below = sole_below(p->target, at.r, joint_of(g, k), min_of(g, k)) + f->track[i].x;
            const double dips = min_of(g, k) + f->track[i].y;
            floors[(size_t)k * all + (size_t)i] =
                p->def->ground + (kept ? -SINK : CLEARANCE) + (kept ? dips : sft_maxd(below, dips));
        }
    }
    if (!kept)
    {
        find_holes(f, leg);
        for (int k = 0; k < 3 && joint_of(g, k) >= 0; ++k)
            for (int32_t i = 0; i < p->frames; ++i)
                lower_floor(f, leg, k, i);
    }
    if (g->toe_end >= 0) set_end_floors(f, leg);
}

// In a clip that stays what it is feet keep out of where they were not.
static void set_own_floors(md_feet_problem* f, int32_t leg)
{
    const md_problem* p = f->base;
    const sft_leg* g = f->legs + leg;
    const size_t all = (size_t)p->clip->frame_count;
    double* floors = f->floors + (size_t)leg * 3 * all;
    const double low = low_level(f, 0.5, true), ground = low == low ? sft_mind(low, p->def->ground) : p->def->ground;
    for (int k = 0; k < 3 && joint_of(g, k) >= 0; ++k)
        for (int32_t i = p->first; i < p->clip->frame_count; ++i)
        {
            const double y = md_joint(p->target->skeleton, p->clip, i, joint_of(g, k)).t.y;
            floors[(size_t)k * all + (size_t)i] = sft_mind(ground + min_of(g, k), y) - SINK;
        }
    if (g->toe_end >= 0) set_end_floors(f, leg);
}

static sft_result allocate(md_feet_problem* f)
{
    const md_problem* p = f->base;
    const size_t legs = (size_t)f->leg_count, frames = (size_t)p->frames, both = legs * frames;
    const size_t all = (size_t)p->clip->frame_count;
    f->legs = sft_core_alloc(&p->allocator, legs, sizeof *f->legs);
    f->source = sft_core_alloc(&p->allocator, legs, sizeof *f->source);
    if (!f->legs || !f->source) return SFT_ERR_MEMORY;
    const sft_result r = sft_contact_labels_create(p->clip->frame_count, f->leg_count, &p->allocator, &f->labels);
    if (r != SFT_OK) return r;
    const size_t feet = both * sizeof *f->feet, numbers = both * sizeof(double), track = all * sizeof *f->track;
    const size_t line = frames * sizeof(double), heights = legs * all * sizeof(double);
    f->block_size = feet + 6 * numbers + line + 5 * heights + track;
    f->block = p->allocator.allocate(p->allocator.user, f->block_size);
    if (!f->block) return SFT_ERR_MEMORY;
    memset(f->block, 0, f->block_size);
    char* at = f->block;
    f->feet = (md_foot*)at;
    f->level = (double*)(at += feet);
    f->steep = (double*)(at += numbers);
    f->air = (double*)(at += numbers);
    f->lacks = (double*)(at += numbers);
    f->deep = (double*)(at += numbers);
    f->values = (double*)(at += numbers);
    f->pelvis = (double*)(at += numbers);
    f->heights = (double*)(at += line);
    f->floors = (double*)(at += heights);
    f->ends = (double*)(at += 3 * heights);
    f->track = (sft_v3d*)(at + heights);
    return SFT_OK;
}

static void copy_labels(md_feet_problem* f)
{
    const md_problem* p = f->base;
    const size_t n = (size_t)p->clip->frame_count;
    for (int32_t l = 0; l < f->leg_count; ++l)
    {
        if (f->source[l] < 0) continue;
        const size_t from = (size_t)f->source[l] * n, to = (size_t)l * n;
        memcpy(f->labels->plant + to, p->input->labels->plant + from, n * sizeof(float));
        memcpy(f->labels->touch + to, p->input->labels->touch + from, n * sizeof(float));
    }
}

sft_result md_feet_collect(md_feet_problem* f)
{
    const md_problem* p = f->base;
    f->leg_count = p->target->leg_count;
    const sft_result r = allocate(f);
    if (r != SFT_OK) return r;
    for (int32_t l = 0; l < f->leg_count; ++l)
    {
        f->legs[l] = p->target->legs[l];
        set_minima(p->target, f->legs + l);
        f->source[l] = source_leg(p, f->legs + l);
    }
    copy_labels(f);
    for (size_t k = 0; k < (size_t)f->leg_count * (size_t)p->clip->frame_count; ++k)
        f->heights[k] = NAN;
    for (size_t k = 0; k < 3 * (size_t)f->leg_count * (size_t)p->clip->frame_count; ++k)
        f->floors[k] = NAN;
    for (int32_t l = 0; l < f->leg_count; ++l)
        set_leg_levels(f, l);
    settle_levels(f);
    md_feet_read(f);
    for (int32_t l = 0; l < f->leg_count; ++l)
        set_heights(f, l);
    for (int32_t l = 0; l < f->leg_count; ++l)
        (f->own ? set_own_floors : set_floors)(f, l);
    return SFT_OK;
}

void md_feet_floors_again(md_feet_problem* f)
{
    if (f->own) return;
    md_feet_read(f);
    for (int32_t l = 0; l < f->leg_count; ++l)
        set_floors(f, l);
}

void md_feet_release(md_feet_problem* f)
{
    const md_problem* p = f->base;
    const size_t legs = (size_t)f->leg_count;
    if (f->block) p->allocator.release(p->allocator.user, f->block, f->block_size);
    sft_contact_labels_destroy(f->labels, &p->allocator);
    sft_core_free(&p->allocator, f->legs, legs, sizeof *f->legs);
    sft_core_free(&p->allocator, f->source, legs, sizeof *f->source);
}
