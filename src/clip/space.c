// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// Unit and up axis of a file that states neither (docs/space.md). Up is the direction in which the skeleton has legs to
// stand on. The unit is the usual one that makes the figure a person's size; failing that, the figure decides.

#include "surefoot/clip.h"

#include "core/core.h"
#include "skeleton/limbs.h"

// A grown person's leg from hip to tip of the foot along the bones, and joint skeleton from head joint's end to sole
// [m]: means over the usual exporters' figures, not anthropometry, since joints lie inside the body.
#define LEG_METRES 1.08
#define FIGURE_METRES 1.70
// Common units are believed over this range of size: children to giants.
#define COMMON_LOW 0.42
#define COMMON_HIGH 1.9
// Rare units only where they make the figure grown within this ratio.
#define RARE_RATIO 1.3
// A creature's extent that is taken for usual [m].
#define CREATURE_METRES 1.2

// Rest pose and motion may stand on different axes, where an exporter turned the world at the root alone. A body that
// stands on the motion's axis throughout and walks about on its plane, this far in legs, is not lying down.
#define STANDS 0.7
#define STANDS_NOT 0.3
#define WALKED_LEGS 0.6
#define LEVEL_LEGS 0.35
#define WALK_SAMPLES 64

typedef struct known_unit
{
    double metres;
    bool common;
    const char* name;
} known_unit;

static const known_unit UNITS[] = {
    {1.0, true, "metres"},
    {0.01, true, "centimetres"},
    {0.001, true, "millimetres"},
    {0.1, false, "decimetres"},
    {0.0254, false, "inches"},
    {0.3048, false, "feet"},
    {0.0254 / 0.45, false, "CMU units of 5.644 cm"},
};

static const sft_v3d UPS[6] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {-1, 0, 0}, {0, -1, 0}, {0, 0, -1}};
// Y up is usual, Z up common; X up and upside down need a reason.
static const double PRIOR[6] = {0.0, 0.1, 0.05, -0.7, -0.6, -0.65};
static const char* const AXIS_NAMES[6] = {"X", "Y", "Z", "-X", "-Y", "-Z"};

typedef struct figure
{
    bool biped;    // one pair of legs under an upright body
    bool legs;     // any legs
    double leg;    // file units
    double height; // file units, along up
    double extent; // file units, diagonal of the box around the figure
} figure;

static double ratio_of(double a, double b)
{
    return a > b ? a / b : b / a;
}

static void measure_figure(const sft_limbs* limbs, const sft_limb_pair* pairs, int32_t pair_count, sft_v3d up,
                           sft_v3d lateral, figure* out)
{
    const sft_v3d* position = limbs->position;
    sft_v3d low = {0, 0, 0}, high = {0, 0, 0};
    double bottom = 0.0, top = 0.0;
    bool any = false;
    *out = (figure){0};
    for (int32_t j = 0; j < limbs->skeleton->joint_count; ++j)
    {
        if (limbs->trunk[j] == 0) continue;
        const sft_v3d p = position[j];
        const double y = sft_v3d_dot(p, up);
        if (!any) low = high = p, bottom = y, top = y;
        low = sft_v3d_make(sft_mind(low.x, p.x), sft_mind(low.y, p.y), sft_mind(low.z, p.z));
        high = sft_v3d_make(sft_maxd(high.x, p.x), sft_maxd(high.y, p.y), sft_maxd(high.z, p.z));
        bottom = sft_mind(bottom, y);
        // The head, not raised arms.
        if (pair_count == 0 || sft_limbs_central(limbs, &pairs[0], position, lateral, j)) top = sft_maxd(top, y);
        any = true;
    }
    out->height = top - bottom;
    out->extent = sft_v3d_distance(low, high);
    if (pair_count == 0) return;
    out->legs = true;
    const sft_limb* a = &limbs->limbs[pairs[0].a];
    out->leg = pairs[0].b >= 0 ? 0.5 * (a->length + limbs->limbs[pairs[0].b].length) : a->length;
    out->biped = pair_count == 1 && pairs[0].b >= 0 && sft_limbs_upright(limbs, &pairs[0], position, up, lateral);
}

// A person: the usual unit that makes leg and height a person's, else whatever makes them so.
static void unit_of_person(const figure* f, sft_space* out, const char** name)
{
    const double fit = sqrt(LEG_METRES * FIGURE_METRES / (f->leg * f->height));
    const bool grown = f->leg > 0.52 * f->height && f->leg < 1.05 * f->height;
    int common = -1, rare = -1;
    for (int i = 0; i < (int)SFT_COUNT_OF(UNITS); ++i)
    {
        const double size = UNITS[i].metres / fit, off = ratio_of(UNITS[i].metres, fit);
        if (UNITS[i].common && size > COMMON_LOW && size < COMMON_HIGH) common = i;
        if (!UNITS[i].common && off < RARE_RATIO && (rare < 0 || off < ratio_of(UNITS[rare].metres, fit))) rare = i;
    }
    // Half-size in centimetres or grown in inches: a grown figure's proportions speak for inches.
    if (common >= 0 && rare >= 0 &&
        (!grown || ratio_of(UNITS[common].metres, fit) < 1.65 || ratio_of(UNITS[rare].metres, fit) > 1.22))
        rare = -1;
    const int chosen = rare >= 0 ? rare : common;
    out->unit_sure = chosen >= 0;
    out->unit_metres = chosen >= 0 ? UNITS[chosen].metres : fit;
    *name = chosen >= 0 ? UNITS[chosen].name : "a unit scaled to a usual figure";
}

// A creature may have any size: the common unit that brings it nearest to a usual extent, and no certainty.
static void unit_of_creature(const figure* f, sft_space* out, const char** name)
{
    int best = 0;
    for (int i = 1; i < (int)SFT_COUNT_OF(UNITS); ++i)
        if (UNITS[i].common && ratio_of(f->extent * UNITS[i].metres, CREATURE_METRES) <
                                   ratio_of(f->extent * UNITS[best].metres, CREATURE_METRES))
            best = i;
    out->unit_metres = UNITS[best].metres;
    out->unit_sure = f->legs && ratio_of(f->extent * UNITS[best].metres, CREATURE_METRES) < 5.0;
    *name = UNITS[best].name;
}

static void choose_unit(const figure* f, sft_space* out, const char** name)
{
    *name = "metres, for want of anything to measure";
    out->unit_metres = 1.0;
    out->unit_sure = false;
    if (f->biped && f->leg > 0.0 && f->height > 0.0)
        unit_of_person(f, out, name);
    else if (f->extent > 0.0 && isfinite(f->extent))
        unit_of_creature(f, out, name);
}

// Three digits, for people.
static double tidy(double x)
{
    if (!(x > 0.0) || !isfinite(x)) return 0.0;
    double scale = 1.0;
    while (x * scale < 100.0 && scale < 1e12)
        scale *= 10.0;
    while (x * scale >= 1000.0 && scale > 1e-12)
        scale /= 10.0;
    return floor(x * scale + 0.5) / scale;
}

/// What one direction has to say for itself.
typedef struct candidate
{
    double score, rest, motion;
    int32_t count; ///< of pairs
    int32_t girdle;
    double leg;
    sft_v3d lateral;
    const sft_v3d* position;
    sft_limb_pair pairs[8];
} candidate;

static void weigh(sft_limbs* limbs, const sft_limb_stand* stand, int up, candidate* out)
{
    *out = (candidate){.score = PRIOR[up], .girdle = -1};
    out->count = sft_limbs_choose(limbs, stand, UPS[up], out->pairs, 8, &out->lateral);
    out->position = limbs->position;
    if (out->count == 0) return;
    const sft_limb_pair* best = &out->pairs[0];
    out->score += best->score;
    out->rest = best->rest;
    out->motion = best->motion;
    out->girdle = best->common;
    out->leg = limbs->limbs[best->a].length;
    // Many feet on one plane are not there by chance.
    for (int32_t i = 1; i < out->count; ++i)
        out->score += 0.4 * sft_mind(1.0, out->pairs[i].rest + out->pairs[i].motion);
}

// The girdle keeps its height along `up` and goes about at right angles to it.
static bool walks_about(const sft_limbs* limbs, const sft_motion_view* motion, const candidate* c, sft_v3d up)
{
    if (motion == NULL || c->girdle < 0 || motion->frame_count < 3) return false;
    const int32_t first = 1, all = motion->frame_count - first; // frame 0 may be a reference pose
    const int32_t samples = all < WALK_SAMPLES ? all : WALK_SAMPLES;
    const size_t joints = (size_t)limbs->skeleton->joint_count;
    sft_v3d start = {0, 0, 0};
    double low = 0.0, high = 0.0, away = 0.0;
    for (int32_t k = 0; k < samples; ++k)
    {
        const size_t row = (size_t)(first + (int32_t)((int64_t)k * all / samples)) * joints;
        const sft_v3d p =
            sft_skeleton_joint_model(limbs->skeleton, motion->translations + row, motion->rotations + row, c->girdle).t;
        if (k == 0) start = p;
        const sft_v3d d = sft_v3d_sub(p, start);
        const double rise = sft_v3d_dot(d, up);
        low = sft_mind(low, rise);
        high = sft_maxd(high, rise);
        away = sft_maxd(away, sft_v3d_length(sft_v3d_madd(d, -rise, up)));
    }
    return away > WALKED_LEGS * c->leg && high - low < LEVEL_LEGS * c->leg;
}

static void infer(sft_limbs* limbs, const sft_motion_view* motion, sft_limb_stand* stand, candidate* candidates,
                  sft_space* out)
{
    sft_limbs_watch(limbs, motion, UPS, 6, stand);
    double next = -1e9;
    int chosen = SFT_AXIS_Y;
    for (int u = 0; u < 6; ++u)
        weigh(limbs, &stand[u], u, &candidates[u]);
    for (int u = 0; u < 6; ++u)
        if (candidates[u].score > candidates[chosen].score) chosen = u;
    if (candidates[chosen].motion < STANDS_NOT)
        for (int u = 0; u < 6; ++u)
            if (candidates[u].motion > STANDS && walks_about(limbs, motion, &candidates[u], UPS[u])) chosen = u;
    for (int u = 0; u < 6; ++u)
        if (u != chosen) next = sft_maxd(next, candidates[u].score);
    const candidate* best = &candidates[chosen];
    figure f;
    const char* unit = "";
    limbs->position = best->position;
    measure_figure(limbs, best->pairs, best->count, UPS[chosen], best->lateral, &f);
    sft_space space = {0};
    space.up = (sft_axis)chosen;
    space.up_sure = best->rest + best->motion > 0.7 && best->score - next > 0.25;
    space.figure_height = f.height;
    choose_unit(&f, &space, &unit);
    if (f.biped)
        sft_core_format(space.reason, sizeof space.reason,
                        "a figure %g units high with legs of %g fits %s; it stands with %s up", tidy(f.height),
                        tidy(f.leg), unit, AXIS_NAMES[chosen]);
    else
        sft_core_format(space.reason, sizeof space.reason, "%s; an extent of %g units fits %s; %s up",
                        f.legs ? "a creature" : "no legs to judge by", tidy(f.extent), unit, AXIS_NAMES[chosen]);
    *out = space;
}

sft_result sft_clip_infer_space(const sft_skeleton* skeleton, const sft_clip* clip, const sft_allocator* allocator,
                                sft_space* out)
{
    if (skeleton == NULL || out == NULL || (clip != NULL && clip->joint_count != skeleton->joint_count))
        return SFT_ERR_ARG;
    const sft_clip* moving = clip != NULL && clip->frame_count > 0 ? clip : NULL;
    const sft_v3d* typical = NULL;
    sft_motion_view motion = {0, NULL, NULL};
    if (moving != NULL)
    {
        typical = moving->translations + (size_t)(moving->frame_count / 2) * (size_t)moving->joint_count;
        motion = (sft_motion_view){moving->frame_count, moving->translations, moving->rotations};
    }
    sft_limb_stand* stand = sft_core_alloc(allocator, 6, sizeof *stand);
    candidate* candidates = sft_core_alloc(allocator, 6, sizeof *candidates);
    sft_limbs* limbs = NULL;
    sft_result made = SFT_ERR_MEMORY;
    if (stand != NULL && candidates != NULL) made = sft_limbs_create(skeleton, typical, allocator, &limbs);
    if (made == SFT_OK) infer(limbs, moving != NULL ? &motion : NULL, stand, candidates, out);
    sft_limbs_destroy(limbs);
    sft_core_free(allocator, candidates, 6, sizeof *candidates);
    sft_core_free(allocator, stand, 6, sizeof *stand);
    return made;
}
