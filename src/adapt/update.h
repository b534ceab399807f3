// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// What the steps of run-time foot IK hand to one another: feet (where each is to stand, followed in time), body (height
// of the pelvis), solve.
#ifndef SUREFOOT_ADAPT_UPDATE_H
#define SUREFOOT_ADAPT_UPDATE_H

#include "adapt/adapt_internal.h"
#include "core/core.h"

/// Shorter steps [s] than this have no slope that could be told from rounding.
#define AU_SHORT_STEP 1e-6
/// [s] a pelvis stays down after so much was needed, longer than from stride to stride; over which it then gets up
/// again; and [m] below which it has.
#define AU_HOLD_TIME 1.0
#define AU_REST_TIME 1.5
#define AU_REST 1e-5
/// Rise over run: what climbs more steeply than this from the first step to the second is no slope.
#define AU_STEEPEST 2.0
/// Values this near to a goal at rest are there: bits settle.
#define AU_SETTLED 1e-9

/// One leg in the making; in scratch.
typedef struct au_leg
{
    const sft_leg* leg;
    sft_leg_pose source;   ///< as it came
    sft_leg_pose foot;     ///< the same with heel, toe and toe end moved to the horizontal place asked for
    sft_leg_pose after;    ///< solved
    sft_adapt_leg_state s; ///< new state
    double length;         ///< [m] leg length
    double reach;          ///< [m] hip to heel the leg is allowed
    double fraction;       ///< max_extension and softening [m] that come to the same
    double softening;
    double wanted_weight; ///< the game's
    sft_v3d landing;      ///< ground at which a swinging toe is expected to come down
    double landing_time;  ///< [s] until then; negative: there is no telling
    sft_v3d aside;        ///< [m] level: what the foot is put aside by
    double ride;          ///< [m] the ground carried the foot by, this step
    bool contact;
    bool solved;
} au_leg;

typedef struct au_step
{
    const sft_adapt_def* def;
    const sft_ground* ground;
    double dt;
    double rate;        ///< [1/s] of what feet follow; infinite: at once
    double pelvis_rate; ///< [1/s]
    sft_v3d travel;     ///< [m/s] of the source's hips, level; 0 where it is not known
    bool turned;        ///< the body pitches: about its pivot, before it is lifted
    sft_v3d pivot;      ///< middle of its hips
    sft_v3d side;       ///< unit: turning about it by a positive angle raises the front
    sft_quatd turn;     ///< of the whole pitch
    double pitch;       ///< [rad]
} au_step;

/// Follows a goal that went in a straight line from f->goal to `goal` over the step, in closed form; `held`: that
/// stood at f->goal until the end of the step.
void sft_adapt_follow_to(sft_adapt_follow* f, double goal, double rate, double dt, bool held);
/// Begins at the goal, at rest.
void sft_adapt_follow_begin(sft_adapt_follow* f, double goal);

/// Level velocity of the hips over the step; 0: there is none to be known yet.
sft_v3d sft_adapt_travel(const au_leg* legs, int32_t count, const sft_adapt_state* state, double dt);
sft_v3d sft_adapt_middle_of_hips(const au_leg* legs, int32_t count);

/// Puts the foot aside by as much as was asked for so far.
void sft_adapt_move_aside(const au_step* step, au_leg* a);
/// Whether and where a foot that is about to land at a place is to step aside.
void sft_adapt_choose_aside(const au_step* step, au_leg* a, sft_v3d asked);
/// The foothold of the foot moved by `ahead`, as seen from above.
sft_adapt_foothold sft_adapt_foothold_ahead(const au_step* step, const au_leg* a, sft_v3d ahead);
void sft_adapt_move_foot(sft_leg_pose* pose, sft_v3d by);

/// Fills a->landing and a->landing_time of a swinging foot that flies at `velocity` (level).
/// `rest`: how far it goes until its braking brings it to rest; 0 where it does not brake.
void sft_adapt_foresee_landing(const au_step* step, au_leg* a, sft_v3d velocity, sft_v3d rest);
/// Remembers where a foot came down.
void sft_adapt_learn_landing(const au_step* step, au_leg* a);

/// Where the foot is to stand, and the state followed there.
void sft_adapt_update_foot(const au_step* step, au_leg* a);

/// The foot as the state has it, over a body lifted by `lift`: rotations of heel and toe, points.
typedef struct au_put
{
    sft_v3d heel, toe, toe_end;
    sft_quatd foot, toe_turn;
} au_put;
au_put sft_adapt_put_foot(const au_step* step, const au_leg* a, double lift, bool at_goal);

/// Pitch of a body with two girdles, followed; into the step.
void sft_adapt_update_pitch(au_step* step, const au_leg* legs, int32_t count, sft_adapt_state* state);
/// A point of the source's body, turned with it, but not lifted yet.
sft_v3d sft_adapt_turned(const au_step* step, sft_v3d point);
/// A share of what the body is turned by.
sft_quatd sft_adapt_body_turn(const au_step* step, double share);

/// Height of the pelvis, followed.
void sft_adapt_update_body(const au_step* step, const au_leg* legs, int32_t count, sft_adapt_state* state);

/// Ground straight below a point, looked for around `level`; false: none.
bool sft_adapt_ground_below(const au_step* step, const au_leg* a, sft_v3d point, double level, sft_ground_hit* hit);

#endif
