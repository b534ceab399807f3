// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// One foothold: the ground under heel, toe and toe end becomes a height, and a tilt of the foot. The slope along the
// foot comes from the heights themselves, so that heel and toe both touch; the slope across it from the normals, for
// the three points lie in a row. A jump that the normals do not foretell is an edge: no slope is made of it, and the
// sole keeps to the highest of what is under it. Derivation: docs/adapt.md.

#include "adapt/adapt_internal.h"

// Normals flatter than this (75 degrees) belong to walls; they say nothing about what carries a sole.
#define WALL_NORMAL 0.26
// Heel and toe nearer than this share of the foot's length, as seen from above, tell no slope: it comes from normals;
// from the second share on it comes from heights alone.
#define SPAN_NONE 0.3
#define SPAN_FULL 0.6

// Heights and slopes below this are rounding of the query: level ground is level to the last bit.
#define ROUNDING 1e-9

// Ground below one point of the foot.
typedef struct sample
{
    bool hit, standable;
    double s;             // [m] along the foot from the toe
    double height;        // [m] of the ground over the source's floor
    double slope, across; // of the normal there: rise per metre along the foot and to its left
    int32_t body;
} sample;

static double snapped(double x)
{
    return fabs(x) > ROUNDING ? x : 0.0;
}

static sample probe(const sft_adapt_def* def, const sft_ground* ground, double leg_length, sft_v3d toe, sft_v3d point,
                    sft_v3d forward)
{
    sample out = {0};
    const double up = def->probe_up > 0.0 ? def->probe_up : 0.6 * leg_length;
    const double down = def->probe_down > 0.0 ? def->probe_down : 0.6 * leg_length;
    const double top = sft_maxd(toe.y, def->floor) + up, bottom = def->floor - down;
    const sft_v3d origin = sft_v3d_make(point.x, top, point.z);
    sft_ground_hit hit;
    out.s = (point.x - toe.x) * forward.x + (point.z - toe.z) * forward.z;
    if (!sft_ground_cast(ground, origin, sft_v3d_make(0, -1, 0), top - bottom, def->probe_radius, &hit) ||
        !sft_adapt_hit_ok(&hit))
        return out;
    // A ball's lowest point is where a sole would rest, wherever the ball was touched.
    const double y = def->probe_radius > 0.0 ? top - hit.distance - def->probe_radius : hit.point.y;
    if (!(fabs(y) <= SFT_HUGE)) return out;
    out.hit = true;
    out.height = snapped(y - def->floor);
    out.body = hit.body;
    out.standable = hit.normal.y > WALL_NORMAL && hit.normal.y <= 1.0 + ROUNDING;
    if (!out.standable) return out;
    const double left_x = forward.z, left_z = -forward.x;
    out.slope = snapped(-(hit.normal.x * forward.x + hit.normal.z * forward.z) / hit.normal.y);
    out.across = snapped(-(hit.normal.x * left_x + hit.normal.z * left_z) / hit.normal.y);
    return out;
}

// Whether what lies between two samples is a step that their normals do not foretell.
static bool is_step(const sample* a, const sample* b, double edge_height)
{
    const double slope = a->standable && b->standable ? 0.5 * (a->slope + b->slope) : 0.0;
    const double foretold = slope * (b->s - a->s), rise = b->height - a->height;
    // Where the straight line rises less than an edge, it is none, whatever a facet's normal says.
    return fabs(rise) > edge_height && fabs(rise - foretold) > edge_height;
}

// Slope from a to b: of the heights where they are far enough apart, of the normals where they are not.
static double slope_between(const sample* a, const sample* b, double length)
{
    const double span = fabs(b->s - a->s);
    double normals = 0.0, count = 0.0;
    if (a->standable) normals += a->slope, count += 1.0;
    if (b->standable) normals += b->slope, count += 1.0;
    if (count > 0.0) normals /= count;
    const double share = length > SFT_LENGTH_EPS ? span / length : 0.0;
    const double t = sft_clampd((share - SPAN_NONE) / (SPAN_FULL - SPAN_NONE), 0.0, 1.0);
    if (!(t > 0.0)) return normals;
    const double heights = (b->height - a->height) / (b->s - a->s);
    return normals + t * t * (3.0 - 2.0 * t) * (heights - normals);
}

// Turns of the foot: about its own side so that it climbs by `slope`, after that about its own length.
static sft_quatd turn_to(sft_v3d forward, double slope, double across, double pitch_max, double roll_max)
{
    const double pitch = sft_clampd(sft_atan2(slope, 1.0), -pitch_max, pitch_max);
    const double roll = sft_clampd(sft_atan2(across, sqrt(1.0 + slope * slope)), -roll_max, roll_max);
    const double sp = sft_sin(-0.5 * pitch), sr = sft_sin(0.5 * roll);
    const sft_quatd about_side = {sp * forward.z, 0.0, -sp * forward.x, sft_cos(0.5 * pitch)};
    const sft_quatd about_length = {sr * forward.x, 0.0, sr * forward.z, sft_cos(0.5 * roll)};
    return sft_quatd_mul(about_side, about_length);
}

static double angle_between(sft_v3d a, sft_v3d b)
{
    return sft_atan2(sft_v3d_length(sft_v3d_cross(a, b)), sft_v3d_dot(a, b));
}

static sft_v3d normal_of(sft_v3d forward, double slope, double across)
{
    const sft_v3d n =
        sft_v3d_make(-slope * forward.x - across * forward.z, 1.0, -slope * forward.z + across * forward.x);
    return sft_v3d_scale(1.0 / sft_v3d_length(n), n);
}

// Under a foot: heel, toe, toe end; those that the rig has not are left out.
typedef struct footprint
{
    sample at[3];
    sample middle; // between heel and toe
    bool has[3];
    sft_v3d forward;
    double rear, front; // [m] lengths of heel to toe and toe to toe end
} footprint;

static double mean_across(const footprint* f)
{
    double sum = 0.0, count = 0.0;
    for (int k = 0; k < 3; ++k)
        if (f->has[k] && f->at[k].hit && f->at[k].standable) sum += f->at[k].across, count += 1.0;
    return count > 0.0 ? sum / count : 0.0;
}

// The highest of what is under the foot; its own normal is what the sole keeps to.
static int highest(const footprint* f)
{
    int best = 1;
    for (int k = 0; k < 3; ++k)
        if (f->has[k] && f->at[k].hit && f->at[k].height > f->at[best].height) best = k;
    return best;
}

// How far the ground stands above the tilted sole that rests on `height` under the toe, at most [m].
static double sunk(const footprint* f, sft_v3d up, sft_v3d toe_up, double height)
{
    double most = 0.0;
    for (int k = 0; k < 3; ++k)
    {
        if (!f->has[k] || !f->at[k].hit) continue;
        const sft_v3d n = k == 2 ? toe_up : up;
        const double slope = -(n.x * f->forward.x + n.z * f->forward.z) / n.y;
        most = sft_maxd(most, f->at[k].height - (height + slope * f->at[k].s));
    }
    return most;
}

// A bump between heel and toe: the sole stands as far over it as it sinks in, and never sinks in by more than this [m].
static double over_bump(const footprint* f, double slope, double height)
{
    const double most = 0.005;
    if (!f->has[0] || !f->middle.hit) return 0.0;
    const double bump = sft_maxd(f->middle.height - (height + slope * f->middle.s), 0.0);
    return sft_maxd(0.5 * bump, bump - most);
}

static void settle(const sft_adapt_def* def, const footprint* f, sft_v3d toe, sft_adapt_foothold* out)
{
    const sample *heel = &f->at[0], *mid = &f->at[1], *tip = &f->at[2];
    const bool heel_edge = f->has[0] && (!heel->hit || is_step(heel, mid, def->edge_height));
    const bool tip_edge = f->has[2] && (!tip->hit || is_step(mid, tip, def->edge_height));
    double slope = mid->slope, across = mean_across(f), height = mid->height, tip_slope;
    out->on_edge = heel_edge || tip_edge;
    if (out->on_edge)
    {
        const sample* top = &f->at[highest(f)];
        slope = tip_slope = top->standable ? top->slope : 0.0;
        across = top->standable ? top->across : 0.0;
        height = top->height - slope * top->s;
        out->body = top->body;
    }
    else
    {
        if (f->has[0]) slope = slope_between(heel, mid, f->rear);
        tip_slope = f->has[2] ? slope_between(mid, tip, f->front) : slope;
        if (!f->has[0]) slope = tip_slope;
    }
    out->normal = normal_of(f->forward, slope, across);
    out->tilt = turn_to(f->forward, slope, across, def->pitch_max, def->roll_max);
    out->toe_tilt = turn_to(f->forward, tip_slope, across, def->pitch_max, def->roll_max);
    const sft_v3d up = sft_quatd_rotate(out->tilt, sft_v3d_make(0, 1, 0));
    const sft_v3d toe_up = sft_quatd_rotate(out->toe_tilt, sft_v3d_make(0, 1, 0));
    const double lost = angle_between(up, out->normal);
    out->tilt_lost = lost > 1e-9 ? lost : 0.0;
    if (out->on_edge || out->tilt_lost > 0.0)
        height += sunk(f, up, toe_up, height);
    else
        height += over_bump(f, slope, height);
    out->point = sft_v3d_make(toe.x, def->floor + height, toe.z);
}

sft_result sft_adapt_find_foothold(const sft_adapt_def* def, const sft_leg* leg, const sft_leg_pose* pose,
                                   const sft_ground* ground, sft_adapt_foothold* out)
{
    if (def == NULL || leg == NULL || pose == NULL || ground == NULL || ground->query == NULL || out == NULL)
        return SFT_ERR_ARG;
    if (!sft_adapt_def_ok(def)) return SFT_ERR_DEF;
    if (!sft_adapt_pose_ok(leg, pose) || !sft_v3d_in_range(leg->knee_side)) return SFT_ERR_RANGE;
    const sft_v3d points[3] = {pose->heel.t, pose->toe.t, pose->toe_end.t};
    const double length = sft_adapt_leg_length(pose);
    footprint f = {.has = {false, true, leg->toe_end >= 0}};
    f.forward = sft_adapt_forward(leg, pose);
    f.rear = sft_v3d_distance(points[0], points[1]);
    f.has[0] = sft_adapt_heel_bears(leg, f.rear);
    if (f.has[2]) f.front = sft_v3d_distance(points[1], points[2]);
    for (int k = 0; k < 3; ++k)
        if (f.has[k]) f.at[k] = probe(def, ground, length, points[1], points[k], f.forward);
    const sft_v3d middle = sft_v3d_lerp(points[0], points[1], 0.5);
    if (f.has[0]) f.middle = probe(def, ground, length, points[1], middle, f.forward);
    sft_adapt_foothold found = {
        .point = sft_v3d_make(points[1].x, def->floor, points[1].z),
        .normal = sft_v3d_make(0, 1, 0),
        .tilt = sft_quatd_identity(),
        .toe_tilt = sft_quatd_identity(),
    };
    found.on_ground = f.at[1].hit;
    found.body = f.at[1].body;
    if (found.on_ground) settle(def, &f, points[1], &found);
    *out = found;
    return SFT_OK;
}
