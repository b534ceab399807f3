// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// What the steps of whole-clip foot IK hand to one another: prepare (source motion, plants), place (footholds), swing
// (paths of feet), body (height of the pelvis), apply (leg solve). Frames count from def->first_frame.
#ifndef SUREFOOT_ADAPT_CLIP_PROBLEM_H
#define SUREFOOT_ADAPT_CLIP_PROBLEM_H

#include "adapt/adapt_internal.h"
#include "adapt/clip_band.h"

/// One leg in one frame of the source.
typedef struct ad_foot
{
    sft_v3d hip, heel, toe, end; ///< end: the toe's where there is none
    sft_v3d forward;             ///< unit, level
    double reach;                ///< [m] from hip to heel that the body is put by
    double limit;                ///< [m] from hip to heel that the leg solve allows
    double held;                 ///< [m] by which a planted toe that rises by itself is held down
} ad_foot;

/// Curves of a foot over frames. What they say is done to the source's foot, about and with its toe.
enum
{
    AD_X,                      ///< [m] shift of the toe
    AD_Y,                      ///<
    AD_Z,                      ///<
    AD_TILT,                   ///< rotation vector of the foot, three curves
    AD_TOE_TILT = AD_TILT + 3, ///< and of the toe
    AD_HEEL = AD_TOE_TILT + 3, ///< [rad] the heel raised about the toe, before the tilt
    AD_END,                    ///< [rad] the toe end raised about the toe, before the tilt
    AD_CURVES
};

typedef struct ad_plant
{
    int32_t leg;
    int32_t first, last;             ///< frames over which the toe stands
    int32_t touch_first, touch_last; ///< and over which some part of the foot bears
    int32_t flattest;                ///< frame of the longest footprint
    double level;                    ///< [m] Y of what the source's foot stands on
    sft_v3d toe;                     ///< source
    sft_v3d shift;                   ///< of the toe, over the plant
    sft_v3d tilt, toe_tilt;          ///< rotation vectors
    double tilt_lost;
    bool on_ground;
    bool rides; ///< the toe moves over the ground, as on the spot: each frame has a foothold of its own, in the curves
    bool jumps; ///< and rides over an edge, which the curves are to smooth
    bool heel_up; ///< the heel stays up over the whole plant: it is no part of what stands
    bool end;     ///< no plant, but where the clip begins or ends in mid-swing: the foot keeps to the ground there too
    bool neutral; ///< the ground is the source's floor
} ad_plant;

/// How a body with two girdles is turned in a frame, before it is lifted.
typedef struct ad_move
{
    sft_v3d pivot; ///< the middle of all hips
    sft_quatd turn;
    double pitch; ///< [rad] of the turn, front up
} ad_move;

typedef struct ad_problem
{
    const sft_adapt_clip_def* def;
    const sft_skeleton* skeleton;
    const sft_leg* legs; ///< own_legs, once prepared
    sft_leg* own_legs;   ///< with what the clip says of their minima
    const sft_ground* ground;
    const sft_contact_labels* labels;
    const sft_clip* clip;
    sft_allocator allocator;
    int32_t leg_count;
    int32_t first, frames;
    int32_t travel_joint;
    int32_t turn_joint; ///< -1: the body does not pitch, it has one girdle
    uint64_t front;     ///< a bit a leg: of the girdle in front
    double dt;
    double leg_length; ///< [m] shortest
    uint64_t soles;    ///< a bit a leg: its heel is part of its sole
    uint64_t loose;    ///< a bit a leg: its knee bends forwards over the clip, and back only as captures do
    void* block;       ///< what follows, in one piece
    size_t block_size;
    ad_foot* feet;     ///< [leg * frames + frame]
    double* curves;    ///< [(leg * AD_CURVES + curve) * frames + frame]
    double* level;     ///< [leg * frames + frame] Y of the source's support, between plants interpolated
    int32_t* plant_of; ///< [leg * frames + frame] -1: none
    double* support;   ///< [leg * frames + frame] height change of the support, as if there were nothing between plants
    double* along;     ///< [leg * frames + frame] the same by the foot's way: a line from foothold to foothold
    double* pelvis;    ///< [frame] lift of the body
    double* chest;     ///< [frame] scratch: of two girdles, what the ground below the front one rises by
    ad_move* moves;    ///< [frame] of a body with two girdles
    double* want;      ///< [frame]
    double* weight;    ///< [frame]
    double *low, *high; ///< [frame]
    double* band;       ///< [frame * (2 * AD_BAND + AD_CURVE_SCRATCH)]
    uint8_t* fixed;     ///< [frame]
    ad_plant* plants;   ///< sorted by leg, then frame
    int32_t plant_count, plant_capacity;
    bool ground_level; ///< wherever a foot passes, the ground is the source's floor
    sft_adapt_clip_report* report;
} ad_problem;

static inline ad_foot* ad_foot_at(const ad_problem* p, int32_t leg, int32_t frame)
{
    return p->feet + (size_t)leg * (size_t)p->frames + (size_t)frame;
}

/// Whether the heel is part of the sole.
static inline bool ad_heel_bears(const ad_problem* p, int32_t leg)
{
    return p->soles >> leg & 1u;
}

static inline double* ad_curve_of(const ad_problem* p, int32_t leg, int32_t curve)
{
    return p->curves + ((size_t)leg * AD_CURVES + (size_t)curve) * (size_t)p->frames;
}

/// Source motion and plants.
sft_result ad_prepare(ad_problem* p);
void ad_release(ad_problem* p);

/// Footholds of all plants.
void ad_place(ad_problem* p);

/// The foot as the curves put it.
typedef struct ad_put
{
    sft_v3d heel, toe, end;
    sft_quatd foot, toe_turn; ///< applied to the source's model rotations of heel and toe
} ad_put;
ad_put ad_put_foot(const ad_problem* p, int32_t leg, int32_t frame);
/// The foot as its plant puts it, with the turns that settle the sole.
ad_put ad_put_plant(const ad_problem* p, const ad_plant* plant, int32_t frame);

#define AD_SOLE_PARTS 5 // that the sole is looked at in, between two of its joints
#define AD_SOLE_FINE 24 // and in the frame in which it lies flattest
#define AD_SOLE_MOST (2 * AD_SOLE_FINE + 1)

/// A point of the sole: below heel, toe and toe end by their rest heights, square to the foot, or between.
typedef struct ad_sole_point
{
    sft_v3d at;
    double source; ///< [m] its Y in the source, straight down
    bool joint;
} ad_sole_point;

/// Heel first, where it bears; `parts` from joint to joint. Returns how many.
int ad_sole_points(const ad_problem* p, int32_t leg, int32_t frame, const ad_put* put, int parts,
                   ad_sole_point out[AD_SOLE_MOST]);
/// Y of the soles below heel, toe and toe end in the source; those that are no part of the sole have the toe's.
void ad_sole_heights(const ad_problem* p, int32_t leg, int32_t frame, double out[3]);

/// Tilts a plant whose sole would lie over a bulge between heel and toe, so that it is carried by both bulge and toe.
void ad_tilt_over_bulge(const ad_problem* p, ad_plant* plant);
/// Height of a plant and turns of its soles, on the ground that is below them.
void ad_settle_plant(ad_problem* p, ad_plant* plant);
/// The same frame by frame.
void ad_settle_ride(ad_problem* p, const ad_plant* plant);

/// What is below a point, looked for around `level`.
bool ad_ground_at(const ad_problem* p, sft_v3d point, double level, sft_ground_hit* hit);
/// Y of the ground under a point, looked for around `level`; -INFINITY where there is none.
double ad_ground_under(const ad_problem* p, sft_v3d point, double level);

/// Curves of all feet, and `support`.
void ad_swing(ad_problem* p);
/// Again for swings that the body, as it then is, hangs too high over.
void ad_swing_reach(ad_problem* p);
/// Again for legs that have plants without ground, which follow the pelvis.
void ad_swing_lost(ad_problem* p);

/// Height of the pelvis, or of both girdles.
void ad_body(ad_problem* p);

/// Tells whether the body has two girdles, and which legs hang from the one in front.
void ad_find_girdles(ad_problem* p);
/// Fills `along`.
void ad_support_along_way(ad_problem* p);
/// By what the ground rises below hind and front girdle: along the line through all feet.
void ad_ground_below(const ad_problem* p, int32_t frame, double out[2]);
/// Turns a body with two girdles, by what `pelvis` and `chest` say of the ground below them.
void ad_turn_body(ad_problem* p);
/// A point of the source's body, turned with it, but not lifted yet.
sft_v3d ad_turned(const ad_problem* p, int32_t frame, sft_v3d point);
/// A point of the source's body, where the body is moved to.
sft_v3d ad_moved(const ad_problem* p, int32_t frame, sft_v3d point);
/// How far [m] a point of the source's body rises.
double ad_rise_at(const ad_problem* p, int32_t frame, sft_v3d point);
/// The same of the middle of the hind hips.
double ad_hind_rise(const ad_problem* p, int32_t frame);
/// What the body is turned by; identity where it does not pitch.
sft_quatd ad_body_turn(const ad_problem* p, int32_t frame);

/// Writes into the clip. Fails on memory alone, before anything is written.
sft_result ad_apply(ad_problem* p, sft_clip* clip, uint8_t* joint_changed);

/// A miss of the report. Grows the list by doubling: SFT_ERR_MEMORY.
sft_result ad_miss(ad_problem* p, sft_adapt_miss miss);

/// A step from 0 at x <= 0 to 1 at x >= 1.
static inline double ad_ease(double x)
{
    const double t = sft_clampd(x, 0.0, 1.0);
    return t * t * (3.0 - 2.0 * t);
}

/// The larger of x and 0, its corner rounded over +-w.
static inline double ad_soft_positive(double x, double w)
{
    return x >= w ? x : x <= -w ? 0.0 : (x + w) * (x + w) / (4.0 * w);
}

#endif
