// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// The two-bone step: the heel to a point, by the smallest change to the pose at hand. First the knee turns about its
// own side axis until hip and heel are as far apart as wanted, the hip turning back so that the heel keeps its
// direction; then the whole leg swings by the shortest rotation. Angles never appear: the law of cosines gives half
// angles as square roots of factored differences, which stay accurate where a leg is nearly straight or nearly folded.
// Source: article 000 (docs/leg.md says what differs).

#include "leg/solve_internal.h"

// Bends below this sine of the knee angle have no plane of their own; a turn by as much moves the heel by less than
// 1e-18 of the leg.
#define STRAIGHT_SINE 1e-9

sft_quatd sft_leg_turn_about(sft_v3d axis, sft_v3d from, sft_v3d to)
{
    const double c = sft_v3d_dot(from, to);
    const double s = sft_v3d_dot(sft_v3d_cross(from, to), axis);
    const double m = sqrt(c * c + s * s);
    if (!(m > 0.0) || (s == 0.0 && c > 0.0)) return sft_quatd_identity();
    // tan(angle / 2) = s / (m + c) = (m - c) / s: of the two, the one that does not cancel. Either way the quaternion
    // below is sqrt(2 m (m + |c|)) long.
    const double scale = 1.0 / sqrt(2.0 * m * (m + fabs(c)));
    const double sine = c >= 0.0 ? s : m - c, cosine = c >= 0.0 ? m + c : s;
    return (sft_quatd){scale * sine * axis.x, scale * sine * axis.y, scale * sine * axis.z, scale * cosine};
}

bool sft_leg_swing(sft_v3d from, sft_v3d to, sft_quatd* turn)
{
    *turn = sft_quatd_identity();
    const double lf = sft_v3d_length(from), lt = sft_v3d_length(to);
    if (!(lf > SFT_LENGTH_EPS) || !(lt > SFT_LENGTH_EPS)) return true;
    const double scale = 1.0 / (lf * lt);
    sft_v3d c = sft_v3d_scale(scale, sft_v3d_cross(from, to));
    const double cosine = scale * sft_v3d_dot(from, to);
    if (cosine > 0.0 && c.x == 0.0 && c.y == 0.0 && c.z == 0.0) return true;
    double w = 1.0 + cosine;
    if (cosine < 0.0)
    {
        // Towards opposite directions both cancel; their sum, which is short and exact, does not.
        const sft_v3d f = sft_v3d_scale(1.0 / lf, from);
        const sft_v3d sum = sft_v3d_madd(f, 1.0 / lt, to);
        c = sft_v3d_cross(f, sum);
        w = 0.5 * sft_v3d_dot(sum, sum);
        // As in sft_quatd_between: below this the sum is noise.
        if (w < 1e-14) return false;
    }
    *turn = sft_quatd_normalize((sft_quatd){c.x, c.y, c.z, w});
    return true;
}

double sft_leg_soft_above(double d, double limit, double soft)
{
    if (d <= limit) return d;
    if (!(soft > 0.0)) return limit;
    return limit + soft * (1.0 - sft_exp(-(d - limit) / soft));
}

double sft_leg_soft_below(double d, double limit, double soft)
{
    return sft_leg_soft_above(d, limit - soft, soft);
}

void sft_leg_turn_point(sft_v3d* point, sft_v3d centre, sft_quatd turn)
{
    *point = sft_v3d_add(centre, sft_quatd_rotate(turn, sft_v3d_sub(*point, centre)));
}

// Half the bend of a knee between bones of lengths a and b whose far ends are d apart; a straight leg bends by 0.
typedef struct half_bend
{
    double sine, cosine;
} half_bend;

static half_bend half_bend_at(double a, double b, double d)
{
    // d^2 = a^2 + b^2 + 2ab cos(bend), so 4ab sin^2 = (a + b)^2 - d^2 and 4ab cos^2 = d^2 - (a - b)^2.
    const double k = 1.0 / (4.0 * a * b);
    const double open = (a + b - d) * (a + b + d), shut = (d - (a - b)) * (d + (a - b));
    return (half_bend){sqrt(sft_maxd(open * k, 0.0)), sqrt(sft_maxd(shut * k, 0.0))};
}

// A knee that the source bends backwards (by `back`, sine of half of it) has two answers to a shorter leg: further
// back, which no knee likes, or forwards, which jumps. Stay back while the leg gets longer; when it gets shorter, pass
// through straight and be forwards from twice the source's bend on. Within that passage the heel misses by up to twice
// what the source lacks to a straight leg, so it is kept to bends that come from loose capture: a knee further back
// than `most` is meant, or its side vector points the wrong way, and it stays on its own side.
static half_bend without_jump(half_bend wanted, double back, double most)
{
    if (wanted.sine <= back || back > most) return (half_bend){-wanted.sine, wanted.cosine};
    const double t = (wanted.sine - back) / back;
    if (!(t < 1.0)) return wanted;
    const double fade = (1.0 - t) * (1.0 - t) * (1.0 + 2.0 * t);
    const double sine = wanted.sine - 2.0 * back * fade;
    return (half_bend){sine, sqrt((1.0 - sine) * (1.0 + sine))};
}

// Turn of the shin about `axis`; thigh (knee to hip) and shin (knee to heel) at right angles to it.
static sft_quatd bend_about(sft_v3d axis, sft_v3d thigh, sft_v3d shin, half_bend bend)
{
    const sft_v3d straight = sft_v3d_scale(-1.0, thigh);
    const double cosine = (bend.cosine - bend.sine) * (bend.cosine + bend.sine);
    const double sine = 2.0 * bend.sine * bend.cosine;
    const sft_v3d wanted = sft_v3d_madd(sft_v3d_scale(cosine, straight), sine, sft_v3d_cross(axis, straight));
    return sft_leg_turn_about(axis, shin, wanted);
}

static sft_v3d across(sft_v3d v, sft_v3d axis)
{
    return sft_v3d_madd(v, -sft_v3d_dot(v, axis), axis);
}

// The axis the knee bends about: its side vector made square to the line from hip to heel. A side vector along that
// line, or none, leaves the leg's own plane; a straight leg then takes any perpendicular.
static sft_v3d bend_axis(sft_v3d side, sft_v3d down, sft_v3d thigh, sft_v3d shin)
{
    const double length = sft_v3d_length(side);
    const sft_v3d square = across(side, down);
    const double left = sft_v3d_length(square);
    if (length > SFT_LENGTH_EPS && left > SFT_LENGTH_EPS * length) return sft_v3d_scale(1.0 / left, square);
    return sft_v3d_normalize_or(across(sft_v3d_cross(shin, thigh), down), sft_v3d_any_perp(down));
}

// Turn of the shin and, to be undone at the hip, turn of the heel's direction as seen from the hip.
typedef struct knee_turn
{
    sft_quatd knee, hip;
} knee_turn;

static knee_turn bend_knee(sft_v3d axis, sft_v3d down, sft_v3d thigh, sft_v3d shin, double distance,
                           double most_backward)
{
    knee_turn out = {sft_quatd_identity(), sft_quatd_identity()};
    const sft_v3d u = across(thigh, axis), v = across(shin, axis);
    const double pu = sft_v3d_length(u), pv = sft_v3d_length(v);
    // Seen along the axis, hip and heel lie level, so the distance between them is not foreshortened but bones are.
    if (pu > SFT_LENGTH_EPS && pv > SFT_LENGTH_EPS)
    {
        const sft_v3d un = sft_v3d_scale(1.0 / pu, u), vn = sft_v3d_scale(1.0 / pv, v);
        half_bend bend = half_bend_at(pu, pv, sft_clampd(distance, fabs(pu - pv), pu + pv));
        const double sign = sft_v3d_dot(sft_v3d_cross(vn, un), axis);
        if (sign < 0.0) bend = without_jump(bend, 0.5 * sft_v3d_distance(vn, sft_v3d_scale(-1.0, un)), most_backward);
        out.knee = bend_about(axis, un, vn, bend);
        const sft_v3d heel = across(sft_v3d_sub(sft_quatd_rotate(out.knee, shin), thigh), axis);
        if (sft_v3d_length(heel) > SFT_LENGTH_EPS) out.hip = sft_leg_turn_about(axis, heel, down);
        if (distance <= pu + pv && distance >= fabs(pu - pv)) return out;
    }
    // A knee that is bent sideways as well cannot open fully about its axis: open (or fold) the rest in its own plane.
    const double lu = sft_v3d_length(thigh), lv = sft_v3d_length(shin);
    if (!(lu > SFT_LENGTH_EPS) || !(lv > SFT_LENGTH_EPS)) return out;
    const sft_v3d turned = sft_quatd_rotate(out.knee, shin);
    const sft_v3d normal = sft_v3d_cross(turned, thigh);
    const double sine = sft_v3d_length(normal);
    if (!(sine > STRAIGHT_SINE * lu * lv)) return out;
    const sft_v3d n = sft_v3d_scale(1.0 / sine, normal);
    const half_bend bend = half_bend_at(lu, lv, sft_clampd(distance, fabs(lu - lv), lu + lv));
    const sft_quatd rest = bend_about(n, sft_v3d_scale(1.0 / lu, thigh), sft_v3d_scale(1.0 / lv, turned), bend);
    const sft_v3d before = sft_v3d_sub(turned, thigh);
    const sft_v3d after = sft_v3d_sub(sft_quatd_rotate(rest, turned), thigh);
    if (sft_v3d_length(before) > SFT_LENGTH_EPS && sft_v3d_length(after) > SFT_LENGTH_EPS)
        out.hip = sft_quatd_mul(out.hip, sft_leg_turn_about(n, after, before));
    out.knee = sft_quatd_mul(rest, out.knee);
    return out;
}

// Turns hip and knee, model space; what hangs on the knee follows, below the heel only where the foot rides.
static void turn_leg(sft_leg_pose* pose, sft_quatd hip, sft_quatd knee, bool foot_rides)
{
    const sft_v3d shin = sft_v3d_sub(pose->heel.t, pose->knee.t);
    const sft_v3d toe = sft_v3d_sub(pose->toe.t, pose->heel.t), toe_end = sft_v3d_sub(pose->toe_end.t, pose->heel.t);
    sft_leg_turn_point(&pose->knee.t, pose->hip.t, hip);
    pose->heel.t = sft_v3d_add(pose->knee.t, sft_quatd_rotate(knee, shin));
    pose->hip.r = sft_quatd_mul(hip, pose->hip.r);
    pose->knee.r = sft_quatd_mul(knee, pose->knee.r);
    if (!foot_rides) return;
    pose->toe.t = sft_v3d_add(pose->heel.t, sft_quatd_rotate(knee, toe));
    pose->toe_end.t = sft_v3d_add(pose->heel.t, sft_quatd_rotate(knee, toe_end));
    pose->heel.r = sft_quatd_mul(knee, pose->heel.r);
    pose->toe.r = sft_quatd_mul(knee, pose->toe.r);
    pose->toe_end.r = sft_quatd_mul(knee, pose->toe_end.r);
}

sft_leg_bend sft_leg_bend_to(const sft_leg_pose* pose, sft_v3d side, double distance, double most_backward)
{
    const sft_v3d thigh = sft_v3d_sub(pose->hip.t, pose->knee.t), shin = sft_v3d_sub(pose->heel.t, pose->knee.t);
    sft_v3d down = sft_v3d_sub(pose->heel.t, pose->hip.t);
    const double now = sft_v3d_length(down);
    // A heel on the hip has no direction: take the thigh's, and the vertical where that is zero too.
    if (now > SFT_LENGTH_EPS)
        down = sft_v3d_scale(1.0 / now, down);
    else
        down = sft_v3d_normalize_or(sft_v3d_scale(-1.0, thigh), sft_v3d_make(0, -1, 0));
    const sft_v3d axis = bend_axis(side, down, thigh, shin);
    const knee_turn turn = bend_knee(axis, down, thigh, shin, distance, most_backward);
    return (sft_leg_bend){down, axis, turn.hip, turn.knee};
}

double sft_leg_reach(const sft_leg_pose* pose, const sft_leg_bend* bend)
{
    const sft_v3d shin = sft_quatd_rotate(bend->knee, sft_v3d_sub(pose->heel.t, pose->knee.t));
    return sft_v3d_distance(sft_v3d_add(pose->knee.t, shin), pose->hip.t);
}

void sft_leg_place(sft_leg_pose* pose, const sft_leg_bend* bend, sft_v3d target, bool foot_rides)
{
    sft_quatd swing;
    if (!sft_leg_swing(bend->down, sft_v3d_sub(target, pose->hip.t), &swing))
        swing = (sft_quatd){bend->axis.x, bend->axis.y, bend->axis.z, 0.0};
    const sft_quatd hip = sft_quatd_mul(swing, bend->hip);
    turn_leg(pose, hip, sft_quatd_mul(hip, bend->knee), foot_rides);
}

sft_result sft_leg_two_bone(sft_leg_pose* pose, sft_v3d target, sft_v3d side, double max_reach, double softening)
{
    if (pose == NULL) return SFT_ERR_ARG;
    if (!sft_leg_pose_in_range(pose) || !sft_v3d_in_range(target) || !sft_v3d_in_range(side)) return SFT_ERR_RANGE;
    if (!(max_reach >= 0.0 && max_reach <= SFT_HUGE && softening >= 0.0 && softening <= SFT_HUGE)) return SFT_ERR_RANGE;
    const double wanted = sft_v3d_distance(target, pose->hip.t);
    const double distance = sft_leg_soft_below(wanted, max_reach, sft_mind(softening, max_reach));
    if (distance == wanted && sft_v3d_distance(target, pose->heel.t) == 0.0) return SFT_OK;
    const sft_leg_bend bend = sft_leg_bend_to(pose, side, distance, SFT_LEG_MOST_BACKWARD);
    sft_leg_place(pose, &bend, target, true);
    return SFT_OK;
}
