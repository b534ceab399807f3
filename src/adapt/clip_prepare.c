// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// Reads the source's legs and finds its plants, and for each of them the level that its foot really stands on: captured
// floors drift by centimetres, and rigs stand off them, so the level is the foot's own, not the clip's.

#include "adapt/clip_problem.h"

// Knees turn fast towards the end of their reach: a body that is to come lower anyhow does so this much earlier.
static const double EASY_EXTENSION = 0.985;
// A source may be straighter, but where the ground bends its path, a knee that just touches straight turns back at
// once.
static const double SOURCE_EXTENSION = 0.993;
static const double RIDES =
    0.02; // [m] from its mean place: a toe that comes further over a plant moves with the ground
static const double TOUCH_SPEED = 1.5; // [m/s] a touch faster than this is none that a foothold could hold

static bool allocate(ad_problem* p)
{
    const size_t frames = (size_t)p->frames, both = frames * (size_t)p->leg_count;
    const size_t doubles = both * (AD_CURVES + 3) + frames * (6 + 2 * AD_BAND + AD_CURVE_SCRATCH);
    const size_t feet = both * sizeof(ad_foot), moves = frames * sizeof(ad_move), plants = both * sizeof(int32_t);
    if (both > SIZE_MAX / (sizeof(ad_foot) + 64 * sizeof(double))) return false;
    p->block_size = feet + moves + doubles * sizeof(double) + plants + frames;
    p->block = p->allocator.allocate(p->allocator.user, p->block_size);
    if (!p->block) return false;
    memset(p->block, 0, p->block_size);
    p->feet = p->block;
    p->moves = (ad_move*)((char*)p->block + feet);
    double* at = (double*)((char*)p->block + feet + moves);
    p->curves = at;
    p->level = (at += both * AD_CURVES);
    p->support = (at += both);
    p->along = (at += both);
    p->pelvis = (at += both);
    p->chest = (at += frames);
    p->want = (at += frames);
    p->weight = (at += frames);
    p->low = (at += frames);
    p->high = (at += frames);
    p->band = (at += frames);
    p->plant_of = (int32_t*)(at + frames * (2 * AD_BAND + AD_CURVE_SCRATCH));
    p->fixed = (uint8_t*)(p->plant_of + both);
    return true;
}

void ad_release(ad_problem* p)
{
    if (p->block) p->allocator.release(p->allocator.user, p->block, p->block_size);
    sft_core_free(&p->allocator, p->plants, (size_t)p->plant_capacity, sizeof *p->plants);
    sft_core_free(&p->allocator, p->own_legs, (size_t)p->leg_count, sizeof *p->own_legs);
    p->block = NULL;
    p->plants = NULL;
    p->own_legs = NULL;
}

// Sine of a knee's bend about its side, backwards negative.
static double bend_of(const sft_leg* leg, const sft_leg_pose* pose)
{
    const sft_v3d thigh = sft_v3d_sub(pose->hip.t, pose->knee.t), shin = sft_v3d_sub(pose->heel.t, pose->knee.t);
    const double lengths = sft_v3d_length(thigh) * sft_v3d_length(shin);
    const sft_v3d side = sft_quatd_rotate(pose->knee.r, leg->knee_side);
    return lengths > 0.0 ? sft_v3d_dot(sft_v3d_cross(shin, thigh), side) / lengths : 0.0;
}

static sft_result read_legs(ad_problem* p)
{
    const size_t joints = (size_t)p->clip->joint_count;
    p->leg_length = SFT_HUGE;
    for (int32_t l = 0; l < p->leg_count; ++l)
    {
        double bends = 0.0;
        for (int32_t i = 0; i < p->frames; ++i)
        {
            const size_t base = (size_t)(p->first + i) * joints;
            sft_leg_pose pose;
            const sft_result r = sft_leg_pose_read(p->skeleton, p->legs + l, p->clip->translations + base,
                                                   p->clip->rotations + base, &pose);
            if (r != SFT_OK) return r;
            if (!sft_adapt_pose_ok(p->legs + l, &pose)) return SFT_ERR_RANGE;
            ad_foot* f = ad_foot_at(p, l, i);
            *f = (ad_foot){pose.hip.t, pose.heel.t, pose.toe.t, pose.toe.t, sft_adapt_forward(p->legs + l, &pose),
                           0.0,        0.0,         0.0};
            if (p->legs[l].toe_end >= 0) f->end = pose.toe_end.t;
            const double chain = sft_v3d_distance(pose.hip.t, pose.knee.t) + sft_v3d_distance(pose.knee.t, pose.heel.t);
            const double straight = sft_v3d_distance(pose.hip.t, pose.heel.t);
            f->reach = sft_maxd(sft_mind(straight, SOURCE_EXTENSION * chain),
                                sft_mind(EASY_EXTENSION, p->def->foot.max_extension) * chain);
            f->limit = sft_maxd(straight, p->def->foot.max_extension * chain);
            p->leg_length = sft_mind(p->leg_length, sft_adapt_leg_length(&pose));
            bends += bend_of(p->legs + l, &pose);
        }
        if (bends > 0.0) p->loose |= UINT64_C(1) << l;
    }
    return SFT_OK;
}

static bool planted(const ad_problem* p, const float* labels, int32_t leg, int32_t frame)
{
    const size_t at = (size_t)leg * (size_t)p->labels->frame_count + (size_t)(p->first + frame);
    return (double)labels[at] > p->def->contact_threshold;
}

// ---- what the legs' minima are worth ----

static double front_height(const ad_problem* p, int32_t leg, int32_t frame)
{
    const sft_leg* g = p->legs + leg;
    const ad_foot* f = ad_foot_at(p, leg, frame);
    const double toe = f->toe.y - g->toe_min;
    return g->toe_end >= 0 ? sft_mind(toe, f->end.y - g->toe_end_min) : toe;
}

// A heel that stands steeply over its toe in the rest pose is no part of a sole, nor is one that does so in most of the
// frames in which the clip plants the foot: a spider's legs may lie flat in its rest pose and be walked on their tips.
static void find_sole(ad_problem* p, int32_t leg)
{
    int32_t count = 0;
    for (int32_t i = 0; i < p->frames; ++i)
    {
        if (!planted(p, p->labels->plant, leg, i)) continue;
        const ad_foot* f = ad_foot_at(p, leg, i);
        p->want[count++] = (f->heel.y - f->toe.y) / sft_maxd(sft_v3d_distance(f->heel, f->toe), SFT_LENGTH_EPS);
    }
    const ad_foot* f = ad_foot_at(p, leg, 0);
    const bool stands = count == 0 || sft_core_select(p->want, (size_t)count, (size_t)count / 2) < AD_SOLE_STEEP;
    if (stands && sft_adapt_heel_bears(p->legs + leg, sft_v3d_distance(f->heel, f->toe)))
        p->soles |= UINT64_C(1) << leg;
}

// Rest poses need not stand: where the heel of a flat foot stands lower over the toes in the clip than in the rest
// pose, it is that much nearer to the sole. Flat is the lower half of the planted frames; the median of them counts.
static void lower_heel(ad_problem* p, int32_t leg)
{
    sft_leg* g = p->own_legs + leg;
    int32_t count = 0;
    if (!ad_heel_bears(p, leg)) return;
    for (int32_t i = 0; i < p->frames; ++i)
    {
        if (!planted(p, p->labels->plant, leg, i)) continue;
        p->want[count++] = ad_foot_at(p, leg, i)->heel.y - front_height(p, leg, i);
    }
    if (count == 0) return;
    const double flat = sft_core_select(p->want, (size_t)count, (size_t)count / 4);
    if (flat < g->heel_min) g->heel_min = sft_maxd(flat, 0.0);
}

// A bare skeleton has its floor where its feet are; below a mesh's soles the floor is lower, and the joints stand over
// it by what the sole is thick: the median over all plants of the front of the foot. What stands higher than any sole
// is thick hovers.
static void thicken_soles(ad_problem* p)
{
    const double most = 0.2 * p->leg_length;
    double* fronts = p->curves; // not in use yet
    size_t plants = 0;
    for (int32_t l = 0; l < p->leg_count; ++l)
        for (int32_t i = 0; i < p->frames;)
        {
            int32_t count = 0;
            for (; i < p->frames && planted(p, p->labels->plant, l, i); ++i)
                p->want[count++] = front_height(p, l, i);
            if (count > 0) fronts[plants++] = sft_core_select(p->want, (size_t)count, (size_t)count / 2);
            if (count == 0) ++i;
        }
    // Of an even number the mean of the middle two: two feet stand as far above it as below it.
    double middle = plants > 0 ? sft_core_select(fronts, plants, plants / 2) : p->def->foot.floor;
    if (plants > 0 && plants % 2 == 0) middle = 0.5 * (middle + sft_core_select(fronts, plants, plants / 2 - 1));
    const double thick = middle - p->def->foot.floor;
    memset(fronts, 0, plants * sizeof *fronts);
    if (!(thick > 0.0 && thick <= most)) return;
    for (int32_t l = 0; l < p->leg_count; ++l)
    {
        p->own_legs[l].heel_min += thick;
        p->own_legs[l].toe_min += thick;
        p->own_legs[l].toe_end_min += thick;
    }
}

// ---- plants ----

void ad_sole_heights(const ad_problem* p, int32_t leg, int32_t frame, double out[3])
{
    const sft_leg* g = p->legs + leg;
    const ad_foot* f = ad_foot_at(p, leg, frame);
    out[1] = f->toe.y - g->toe_min;
    out[0] = ad_heel_bears(p, leg) ? f->heel.y - g->heel_min : out[1];
    out[2] = g->toe_end >= 0 ? f->end.y - g->toe_end_min : out[1];
}

static double lowest(const ad_problem* p, int32_t leg, int32_t frame)
{
    double h[3];
    ad_sole_heights(p, leg, frame, h);
    return sft_mind(h[0], sft_mind(h[1], h[2]));
}

// The frame in which the foot covers most of the ground; the middle one where all do alike.
static int32_t flattest(const ad_problem* p, const ad_plant* plant)
{
    int32_t best = (plant->first + plant->last) / 2;
    double most = 0.0;
    for (int32_t i = plant->first; i <= plant->last; ++i)
    {
        const ad_foot* f = ad_foot_at(p, plant->leg, i);
        const double x = f->end.x - f->heel.x, z = f->end.z - f->heel.z, length = sqrt(x * x + z * z);
        if (length > most + 1e-4) most = length, best = i;
    }
    return best;
}

static sft_result grow_plants(ad_problem* p)
{
    if (p->plant_count == p->plant_capacity)
    {
        const int32_t next = p->plant_capacity ? 2 * p->plant_capacity : 16;
        void* grown =
            sft_core_grow(&p->allocator, p->plants, (size_t)p->plant_capacity, (size_t)next, sizeof *p->plants);
        if (!grown) return SFT_ERR_MEMORY;
        p->plants = grown;
        p->plant_capacity = next;
    }
    return SFT_OK;
}

static sft_result add_plant(ad_problem* p, int32_t leg, int32_t first, int32_t last)
{
    const sft_result r = grow_plants(p);
    if (r != SFT_OK) return r;
    ad_plant* plant = p->plants + p->plant_count;
    *plant = (ad_plant){.leg = leg, .first = first, .last = last, .touch_first = first, .touch_last = last};
    int32_t* of = p->plant_of + (size_t)leg * (size_t)p->frames;
    sft_v3d sum = {0};
    int32_t count = 0;
    for (int32_t i = first; i <= last; ++i)
    {
        of[i] = p->plant_count;
        sum = sft_v3d_add(sum, ad_foot_at(p, leg, i)->toe);
        p->want[count++] = lowest(p, leg, i);
    }
    plant->toe = sft_v3d_scale(1.0 / (double)count, sum);
    // The median: at the ends of a plant the foot still comes down or pivots over its toe.
    plant->level = sft_core_select(p->want, (size_t)count, (size_t)count / 2);
    double heel = INFINITY;
    for (int32_t i = first; i <= last; ++i)
    {
        const sft_v3d from = sft_v3d_sub(ad_foot_at(p, leg, i)->toe, plant->toe);
        double soles[3];
        ad_sole_heights(p, leg, i, soles);
        heel = sft_mind(heel, soles[0]);
        plant->rides = plant->rides || from.x * from.x + from.z * from.z > RIDES * RIDES;
    }
    plant->heel_up = heel > plant->level + p->def->foot.edge_height;
    plant->flattest = flattest(p, plant);
    ++p->plant_count;
    return SFT_OK;
}

// A clip that ends in mid-swing says nothing of where the foot comes down: it then keeps to the ground that is below
// it.
static sft_result add_end(ad_problem* p, int32_t leg, int32_t frame, double level)
{
    const sft_result r = grow_plants(p);
    if (r != SFT_OK) return r;
    p->plants[p->plant_count++] = (ad_plant){.leg = leg,
                                             .first = frame,
                                             .last = frame,
                                             .touch_first = frame,
                                             .touch_last = frame,
                                             .flattest = frame,
                                             .level = level,
                                             .toe = ad_foot_at(p, leg, frame)->toe,
                                             .end = true};
    return SFT_OK;
}

static double toe_speed(const ad_problem* p, int32_t leg, int32_t frame)
{
    if (frame < 1) return 0.0;
    return sft_v3d_distance(ad_foot_at(p, leg, frame)->toe, ad_foot_at(p, leg, frame - 1)->toe) / p->dt;
}

// Frames before and after in which heel or toe bear already, or still.
static void extend_to_touch(const ad_problem* p, ad_plant* plant)
{
    const int32_t* of = p->plant_of + (size_t)plant->leg * (size_t)p->frames;
    while (plant->touch_first > 0 && of[plant->touch_first - 1] < 0 &&
           planted(p, p->labels->touch, plant->leg, plant->touch_first - 1) &&
           toe_speed(p, plant->leg, plant->touch_first) < TOUCH_SPEED)
        --plant->touch_first;
    while (plant->touch_last + 1 < p->frames && of[plant->touch_last + 1] < 0 &&
           planted(p, p->labels->touch, plant->leg, plant->touch_last + 1) &&
           toe_speed(p, plant->leg, plant->touch_last + 1) < TOUCH_SPEED)
        ++plant->touch_last;
}

// Plants of a leg by its labels; the first of the problem's plants is `begin`.
static sft_result read_plants(ad_problem* p, int32_t leg)
{
    int32_t i = 0;
    while (i < p->frames)
    {
        if (!planted(p, p->labels->plant, leg, i))
        {
            ++i;
            continue;
        }
        // The label of a frame speaks of the step that leads to it, so the toe stands one frame earlier.
        const int32_t first = i > 0 && p->plant_of[(size_t)leg * (size_t)p->frames + (size_t)(i - 1)] < 0 ? i - 1 : i;
        while (i < p->frames && planted(p, p->labels->plant, leg, i))
            ++i;
        const sft_result r = add_plant(p, leg, first, i - 1);
        if (r != SFT_OK) return r;
    }
    return SFT_OK;
}

static sft_result add_ends(ad_problem* p, int32_t leg, int32_t begin)
{
    if (p->plant_count == begin) return SFT_OK; // it never stands
    if (p->plants[begin].touch_first > 0)
    {
        // In order of frames, so that plants stay sorted.
        const sft_result r = add_end(p, leg, 0, p->plants[begin].level);
        if (r != SFT_OK) return r;
        const ad_plant end = p->plants[p->plant_count - 1];
        memmove(p->plants + begin + 1, p->plants + begin, (size_t)(p->plant_count - 1 - begin) * sizeof end);
        p->plants[begin] = end;
        for (int32_t i = 0; i < p->frames; ++i)
            p->plant_of[(size_t)leg * (size_t)p->frames + (size_t)i] +=
                p->plant_of[(size_t)leg * (size_t)p->frames + (size_t)i] >= 0;
    }
    const ad_plant* last = p->plants + p->plant_count - 1;
    return last->touch_last + 1 < p->frames ? add_end(p, leg, p->frames - 1, last->level) : SFT_OK;
}

static sft_result find_plants(ad_problem* p, int32_t leg)
{
    const int32_t begin = p->plant_count;
    const sft_result r = read_plants(p, leg);
    if (r != SFT_OK) return r;
    for (int32_t k = begin; k < p->plant_count; ++k)
        extend_to_touch(p, p->plants + k);
    // Two plants may claim the same touch: each keeps its half.
    for (int32_t k = begin; k + 1 < p->plant_count; ++k)
    {
        ad_plant *a = p->plants + k, *b = a + 1;
        if (a->touch_last < b->touch_first) continue;
        const int32_t middle = (a->last + b->first) / 2;
        if (a->touch_last > middle) a->touch_last = middle;
        if (b->touch_first <= middle) b->touch_first = middle + 1;
    }
    return add_ends(p, leg, begin);
}

sft_result ad_prepare(ad_problem* p)
{
    if (!allocate(p)) return SFT_ERR_MEMORY;
    p->own_legs = sft_core_alloc(&p->allocator, (size_t)p->leg_count, sizeof *p->own_legs);
    if (!p->own_legs) return SFT_ERR_MEMORY;
    memcpy(p->own_legs, p->legs, (size_t)p->leg_count * sizeof *p->own_legs);
    p->legs = p->own_legs;
    sft_result r = read_legs(p);
    for (size_t k = 0; k < (size_t)p->leg_count * (size_t)p->frames; ++k)
        p->plant_of[k] = -1;
    for (int32_t l = 0; l < p->leg_count && r == SFT_OK; ++l)
    {
        find_sole(p, l);
        lower_heel(p, l);
    }
    if (r == SFT_OK) thicken_soles(p);
    for (int32_t l = 0; l < p->leg_count && r == SFT_OK; ++l)
        r = find_plants(p, l);
    return r;
}
