// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// One leg, so that its toe stands where it should: heel target from the toe's, two-bone step, foot aimed at the toe's
// target, toe end kept off the ground. Order and targets as in article 000; docs/leg.md says what differs and why.

#include "leg/solve_internal.h"

#define COOKIE 0x1e65017eu
// Misses below this [m] are rounding and no reason to lift a heel.
#define HEEL_LIFT_EPS 1e-12
// A toe this near to its target [m] stands on it.
#define ON_TARGET 1e-12

sft_leg_solve_def sft_default_leg_solve_def(void)
{
    return (sft_leg_solve_def){
        .extension = SFT_EXTENSION_SOURCE,
        .max_extension = 0.995,
        .softening = 0.005,
        .height_clamp = false,
        .heel_aim = true,
        .toe_aim = true,
        .keep_foot = true,
        .heel_lift = 0.0,
        .ground_height = 0.0,
        .cookie = COOKIE,
    };
}

bool sft_leg_def_ok(const sft_leg_solve_def* def)
{
    return def->cookie == COOKIE && def->max_extension > 0.0 && def->max_extension <= 1.0 && def->softening >= 0.0 &&
           def->softening <= SFT_HUGE && fabs(def->ground_height) <= SFT_HUGE && def->heel_lift >= 0.0 &&
           def->heel_lift <= SFT_PI &&
           (def->extension == SFT_EXTENSION_SOURCE || def->extension == SFT_EXTENSION_SOURCE_SOFT ||
            def->extension == SFT_EXTENSION_CHAIN);
}

// Unit length to a part in a thousand: float poses drift that far, a forgotten quaternion (all zero) does not.
static bool rotation_ok(sft_quatd q)
{
    return fabs(sft_quatd_dot(q, q) - 1.0) <= 2e-3;
}

bool sft_leg_pose_in_range(const sft_leg_pose* pose)
{
    return sft_v3d_in_range(pose->hip.t) && sft_v3d_in_range(pose->knee.t) && sft_v3d_in_range(pose->heel.t) &&
           sft_v3d_in_range(pose->toe.t) && rotation_ok(pose->hip.r) && rotation_ok(pose->knee.r) &&
           rotation_ok(pose->heel.r) && rotation_ok(pose->toe.r);
}

static bool leg_ok(const sft_leg* leg)
{
    return sft_v3d_in_range(leg->knee_side) && fabs(leg->heel_min) <= SFT_HUGE && fabs(leg->toe_min) <= SFT_HUGE &&
           fabs(leg->toe_end_min) <= SFT_HUGE;
}

double sft_leg_allowed_distance(const sft_leg_solve_def* def, double wanted, double source, double chain)
{
    if (def == NULL) return wanted;
    const double fraction = def->max_extension * chain;
    if (def->extension == SFT_EXTENSION_SOURCE_SOFT)
        return sft_leg_soft_below(wanted, source, sft_mind(def->softening, source));
    if (def->extension == SFT_EXTENSION_CHAIN)
        return sft_leg_soft_below(wanted, fraction, sft_mind(def->softening, fraction));
    // Softened outside of what the source already does, with no more softness than there is leg left.
    const double limit = sft_maxd(source, fraction);
    return sft_leg_soft_above(wanted, limit, sft_mind(def->softening, sft_maxd(chain - limit, 0.0)));
}

// Shortest rotation between two directions; half a turn about some perpendicular where they are opposite.
static sft_quatd aim(sft_v3d now, sft_v3d wanted)
{
    sft_quatd turn;
    if (sft_leg_swing(now, wanted, &turn)) return turn;
    const sft_v3d axis = sft_v3d_any_perp(sft_v3d_normalize_or(now, sft_v3d_make(0, 0, 1)));
    return (sft_quatd){axis.x, axis.y, axis.z, 0.0};
}

// Turns the foot about the heel; toe and toe end ride along.
static void turn_foot(sft_leg_pose* pose, sft_quatd turn)
{
    pose->heel.r = sft_quatd_mul(turn, pose->heel.r);
    pose->toe.r = sft_quatd_mul(turn, pose->toe.r);
    pose->toe_end.r = sft_quatd_mul(turn, pose->toe_end.r);
    sft_leg_turn_point(&pose->toe.t, pose->heel.t, turn);
    sft_leg_turn_point(&pose->toe_end.t, pose->heel.t, turn);
}

static bool same_point(sft_v3d a, sft_v3d b)
{
    return a.x == b.x && a.y == b.y && a.z == b.z;
}

// Faces the toe to its target by the smallest turn. A foot that was left behind is put to the heel first, in the
// orientation it had; where its toe then stands on the target, it keeps that orientation to the last bit.
static void aim_heel(const sft_leg_pose* source, bool keep_foot, sft_v3d target, sft_leg_pose* pose)
{
    if (keep_foot)
    {
        pose->toe.t = sft_v3d_add(pose->heel.t, sft_v3d_sub(source->toe.t, source->heel.t));
        pose->toe_end.t = sft_v3d_add(pose->heel.t, sft_v3d_sub(source->toe_end.t, source->heel.t));
    }
    const sft_v3d off = sft_v3d_sub(target, pose->toe.t);
    if (sft_v3d_dot(off, off) <= ON_TARGET * ON_TARGET) return;
    turn_foot(pose, aim(sft_v3d_sub(pose->toe.t, pose->heel.t), sft_v3d_sub(target, pose->heel.t)));
}

static void aim_toe(sft_v3d target, sft_leg_pose* pose)
{
    const sft_quatd turn = aim(sft_v3d_sub(pose->toe_end.t, pose->toe.t), sft_v3d_sub(target, pose->toe.t));
    pose->toe.r = sft_quatd_mul(turn, pose->toe.r);
    pose->toe_end.r = sft_quatd_mul(turn, pose->toe_end.r);
    sft_leg_turn_point(&pose->toe_end.t, pose->toe.t, turn);
}

static double angle_between(sft_v3d a, sft_v3d b)
{
    return sft_atan2(sft_v3d_length(sft_v3d_cross(a, b)), sft_v3d_dot(a, b));
}

// The place nearest to `heel` that is `reach` from the hip and as far from the toe as `heel` is: the foot pivots about
// the planted toe, in the plane of hip, heel and toe, and by no more than `most`.
static sft_v3d lifted_heel(sft_v3d hip, sft_v3d heel, sft_v3d toe, double reach, double most)
{
    const sft_v3d from_toe = sft_v3d_sub(heel, toe);
    const double foot = sft_v3d_length(from_toe), far = sft_v3d_distance(toe, hip);
    if (!(foot > SFT_LENGTH_EPS) || !(far > SFT_LENGTH_EPS)) return heel;
    const sft_v3d n = sft_v3d_scale(1.0 / far, sft_v3d_sub(toe, hip));
    const sft_v3d out = sft_v3d_sub(heel, hip);
    const sft_v3d side = sft_v3d_normalize_or(sft_v3d_madd(out, -sft_v3d_dot(out, n), n), sft_v3d_any_perp(n));
    // Two spheres meet in a circle around n; where they do not, foot and leg line up.
    const double along = sft_clampd(0.5 * (far + (reach - foot) * (reach + foot) / far), -reach, reach);
    const double across = sqrt(sft_maxd((reach - along) * (reach + along), 0.0));
    const sft_v3d lifted = sft_v3d_add(hip, sft_v3d_madd(sft_v3d_scale(along, n), across, side));
    const sft_v3d was = sft_v3d_scale(1.0 / foot, from_toe);
    const sft_v3d is = sft_v3d_normalize_or(sft_v3d_sub(lifted, toe), was);
    const double cosine = sft_cos(most);
    if (sft_v3d_dot(was, is) >= cosine) return lifted;
    const sft_v3d square = sft_v3d_normalize_or(sft_v3d_madd(is, -sft_v3d_dot(was, is), was), sft_v3d_any_perp(was));
    return sft_v3d_madd(sft_v3d_madd(toe, foot * cosine, was), foot * sft_sin(most), square);
}

// Moves the heel's target to what the leg reaches, if it does not reach it as it is.
static void lift_heel(const sft_leg_solve_def* def, double reach, sft_v3d hip, sft_leg_report* r)
{
    if (fabs(reach - sft_v3d_distance(r->target_heel, hip)) <= HEEL_LIFT_EPS) return;
    const sft_v3d flat = r->target_heel, toe = r->target_toe;
    r->target_heel = lifted_heel(hip, flat, toe, reach, def->heel_lift);
    r->heel_lift = angle_between(sft_v3d_sub(flat, toe), sft_v3d_sub(r->target_heel, toe));
}

// Two-bone step to the heel target of *r, which is moved first where the heel may lift and has to.
static void place_heel(const sft_leg_solve_def* def, sft_v3d side, double allowed, double most_backward,
                       sft_leg_report* r, sft_leg_pose* p)
{
    const sft_leg_bend bend = sft_leg_bend_to(p, side, allowed, most_backward);
    if (def->heel_aim && def->heel_lift > 0.0) lift_heel(def, sft_leg_reach(p, &bend), p->hip.t, r);
    sft_leg_place(p, &bend, r->target_heel, !(def->heel_aim && def->keep_foot));
}

sft_result sft_leg_solve(const sft_leg_solve_def* def, const sft_leg* leg, sft_v3d target, sft_leg_pose* pose,
                         sft_leg_report* report)
{
    return sft_leg_solve_loose(def, leg, target, SFT_LEG_MOST_BACKWARD, pose, report);
}

sft_result sft_leg_solve_loose(const sft_leg_solve_def* def, const sft_leg* leg, sft_v3d target, double most_backward,
                               sft_leg_pose* pose, sft_leg_report* report)
{
    if (def == NULL || leg == NULL || pose == NULL) return SFT_ERR_ARG;
    if (!sft_leg_def_ok(def)) return SFT_ERR_DEF;
    if (!sft_v3d_in_range(target) || !sft_leg_pose_in_range(pose) || !leg_ok(leg)) return SFT_ERR_RANGE;
    const bool has_toe_end = leg->toe_end >= 0;
    if (has_toe_end && !sft_v3d_in_range(pose->toe_end.t)) return SFT_ERR_RANGE;

    // Without a toe end, whatever stands there is neither read nor changed.
    sft_leg_pose source = *pose;
    if (!has_toe_end) source.toe_end = source.toe;
    sft_leg_pose p = source;
    sft_leg_report r = {.target_toe = target};
    if (def->height_clamp) r.target_toe.y = sft_maxd(target.y, leg->toe_min + def->ground_height);
    // Heel plus the toe's way, not toe target plus foot: the source's own toe then gives the source's own heel, bits
    // and all.
    r.target_heel = sft_v3d_add(p.heel.t, sft_v3d_sub(r.target_toe, p.toe.t));
    if (def->height_clamp) r.target_heel.y = sft_maxd(r.target_heel.y, leg->heel_min + def->ground_height);

    const double chain = sft_v3d_distance(p.hip.t, p.knee.t) + sft_v3d_distance(p.knee.t, p.heel.t);
    const double wanted = sft_v3d_distance(r.target_heel, p.hip.t);
    const double allowed = sft_leg_allowed_distance(def, wanted, sft_v3d_distance(p.heel.t, p.hip.t), chain);
    if (allowed != wanted || !same_point(r.target_heel, p.heel.t))
        place_heel(def, sft_quatd_rotate(p.knee.r, leg->knee_side), allowed, most_backward, &r, &p);

    if (def->heel_aim && !(same_point(p.heel.t, source.heel.t) && same_point(p.toe.t, r.target_toe)))
        aim_heel(&source, def->keep_foot, r.target_toe, &p);

    r.target_toe_end = p.toe_end.t;
    if (has_toe_end && def->toe_aim && def->height_clamp)
    {
        r.target_toe_end.y = sft_maxd(r.target_toe_end.y, leg->toe_end_min + def->ground_height);
        if (!same_point(r.target_toe_end, p.toe_end.t)) aim_toe(r.target_toe_end, &p);
    }

    r.heel_miss = sft_v3d_distance(p.heel.t, r.target_heel);
    r.toe_miss = sft_v3d_distance(p.toe.t, r.target_toe);
    r.extension = chain > SFT_LENGTH_EPS ? sft_v3d_distance(p.heel.t, p.hip.t) / chain : 0.0;
    r.reached = r.toe_miss <= 1e-5;
    if (!has_toe_end) p.toe_end = pose->toe_end;
    *pose = p;
    if (report != NULL) *report = r;
    return SFT_OK;
}
