// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// What stands where: labels of the source brought to the target's legs, and the height at which each planted toe of the
// target should stand. That is the height of the source's over its own sole and ground, scaled, over the target's own
// sole and ground.

#include "retarget/mend_feet.h"

static const double SOLE_SHARE[2] = {0.02, 0.12}; // of a leg: plants that all stand so high stand on thick soles
static const double LOW_SHARE = 0.1;    // of the planted frames stand lower than where the ground is taken to be
static const double NOISE_SHARE = 0.02; // of a leg: heights below the ground within it are noise
static const double HEEL_SHARE = 0.03;  // of a leg: heels lower than that below a level foot are pitched up instead
static const double CLEARANCE = 0.002;  // [m] by which feet are held off the ground rather than let into it
static const double SINK = 0.0005;      // [m] of such noise that is kept

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

static double min_of(const sft_leg* leg, int point)
{
    return point == 0 ? leg->heel_min : point == 1 ? leg->toe_min : leg->toe_end_min;
}

static int32_t joint_of(const sft_leg* leg, int point)
{
    return point == 0 ? leg->heel : point == 1 ? leg->toe : leg->toe_end;
}

// Into level[] the height of the source's sole over its ground, unscaled: of the lowest of heel, toe and toe end, each
// over its height in a level foot.
static void read_soles(md_feet_problem* f, int32_t leg, double* level)
{
    const md_problem* p = f->base;
    sft_leg source = p->source->legs[f->source[leg]];
    set_minima(p->source, &source);
    for (int32_t i = 0; i < p->frames; ++i)
        level[i] = INFINITY;
    for (int k = 0; k < 3 && joint_of(&source, k) >= 0; ++k)
    {
        sft_clip_joint_track(p->source->skeleton, p->input->source_clip, joint_of(&source, k), f->track);
        for (int32_t i = 0; i < p->frames; ++i)
            level[i] = sft_mind(level[i], f->track[p->first + i].y - p->def->source_ground - min_of(&source, k));
    }
}

// One level a plant, the median of its frames; NaN in swing. A plant begins a frame before its first label, which
// speaks of the step that leads to it.
static void level_plants(md_feet_problem* f, int32_t leg, double* level)
{
    const int32_t n = f->base->frames;
    for (int32_t i = 0; i < n;)
    {
        if (!planted(f, leg, i))
        {
            level[i++] = NAN;
            continue;
        }
        int32_t end = i;
        for (; end < n && planted(f, leg, end); ++end)
            f->values[end - i] = level[end];
        const size_t count = (size_t)(end - i);
        const double y = sft_core_select(f->values, count, count / 2);
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
        level_plants(f, leg, level);
        return;
    }
    for (int32_t i = 0; i < f->base->frames; ++i)
        level[i] = NAN;
}

static bool same_rig(const md_problem* p)
{
    return p->source->identity == p->target->identity && p->scale == 1.0;
}

// The level that all but a few of the planted frames stand over; NaN without plants.
static double low_level(md_feet_problem* f)
{
    size_t count = 0;
    for (size_t k = 0; k < md_at(f, f->leg_count, 0); ++k)
        if (f->level[k] == f->level[k]) f->values[count++] = f->level[k];
    if (count == 0) return NAN;
    return sft_core_select(f->values, count, (size_t)(LOW_SHARE * (double)(count - 1)));
}

// The source's ground is where its soles are: figures with a mesh stand on soles, which are lower than any joint.
static void settle_levels(md_feet_problem* f)
{
    const md_problem* p = f->base;
    const double leg = p->target->leg_length / p->scale, low = low_level(f);
    f->sole = low >= SOLE_SHARE[0] * leg && low <= SOLE_SHARE[1] * leg ? low : 0.0;
    // A rig onto itself has no soles of another kind: there the source's depth is kept, else noise is not.
    const bool kept = same_rig(p);
    for (int32_t l = 0; l < f->leg_count; ++l)
        for (int32_t i = 0; i < p->frames; ++i)
        {
            double* y = f->level + md_at(f, l, i);
            *y = p->scale * (*y - f->sole);
            if (!kept && *y<-SINK&& * y> - NOISE_SHARE * p->target->leg_length) *y = -SINK;
        }
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
        const double sole = sft_mind(foot->heel.y - g->heel_min, foot->toe.y - g->toe_min);
        // A heel far below the toe is no part of a planted sole: the clean-up raises it, and the toe stays.
        const double over = sft_mind(foot->toe.y - sole, g->toe_min + HEEL_SHARE * p->target->leg_length);
        level[i] += p->def->ground + over;
    }
    for (int32_t i = 0; i < p->frames;)
    {
        int32_t end = i;
        for (; end < p->frames && level[end] == level[end]; ++end)
            f->values[end - i] = level[end];
        const size_t count = (size_t)(end - i);
        const double y = count > 0 ? sft_core_select(f->values, count, count / 2) : NAN;
        for (int32_t k = i; k < end; ++k)
        {
            level[k] = y;
            f->heights[(size_t)leg * (size_t)p->clip->frame_count + (size_t)(p->first + k)] = y;
        }
        i = end > i ? end : i + 1;
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

static void read_feet(md_feet_problem* f)
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

// A point may dip as far as the source's does, scaled, but not through the ground with what is below it; a planted heel
// may go through it as far as the source's does.
static void set_floors(md_feet_problem* f, int32_t leg)
{
    const md_problem* p = f->base;
    const sft_leg* g = f->legs + leg;
    const int32_t joints[3] = {g->heel, g->toe, g->toe_end};
    const double minima[3] = {g->heel_min, g->toe_min, g->toe_end_min};
    const size_t all = (size_t)p->clip->frame_count;
    const bool kept = same_rig(p);
    double* floors = f->floors + (size_t)leg * 3 * all;
    for (int k = 0; k < 3 && joints[k] >= 0; ++k)
    {
        read_dips(f, leg, k);
        for (int32_t i = p->first; i < p->clip->frame_count; ++i)
        {
            const sft_xformd at = md_joint(p->target->skeleton, p->clip, i, joints[k]);
            double* floor = floors + (size_t)k * all + (size_t)i;
            const double level = f->level[md_at(f, leg, i - p->first)];
            const bool stands = level == level;
            double below = sole_below(p->target, at.r, joints[k], minima[k]);
            if (k == 0 && stands) below += f->track[i].x;
            const double dips = minima[k] + f->track[i].y;
            *floor = p->def->ground + (kept ? -SINK : CLEARANCE) + (kept ? dips : sft_maxd(below, dips));
            if (k == 2) f->ends[(size_t)leg * all + (size_t)i] = *floor;
            // A toe end that points into the ground turns the toes; the foot is raised for what that cannot do, and
            // for heel and toe.
            if (k != 2) continue;
            const sft_v3d toe = f->feet[md_at(f, leg, i - p->first)].toe;
            const double by_toe = floors[all + (size_t)i] - (toe.y - at.t.y);
            *floor = stands ? by_toe : sft_maxd(*floor - md_toe_gain(sft_v3d_sub(at.t, toe)), by_toe);
        }
    }
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
    f->block_size = feet + 2 * numbers + line + 5 * heights + track;
    f->block = p->allocator.allocate(p->allocator.user, f->block_size);
    if (!f->block) return SFT_ERR_MEMORY;
    memset(f->block, 0, f->block_size);
    char* at = f->block;
    f->feet = (md_foot*)at;
    f->level = (double*)(at += feet);
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
    read_feet(f);
    for (int32_t l = 0; l < f->leg_count; ++l)
    {
        set_heights(f, l);
        set_floors(f, l);
    }
    return SFT_OK;
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
