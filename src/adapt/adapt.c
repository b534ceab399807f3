// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// Defaults and checks of foot IK on ground.

#include "adapt/adapt_internal.h"

#define COOKIE 0xada97f00u

static const double DEGREES = SFT_PI / 180.0;

sft_adapt_def sft_default_adapt_def(void)
{
    return (sft_adapt_def){
        .pitch_max = 40.0 * DEGREES,
        .roll_max = 25.0 * DEGREES,
        .edge_height = 0.04,
        .max_extension = 0.995,
        .smooth_time = 0.12,
        .step_aside = 0.1,
        .clearance = 0.02,
        .cookie = COOKIE,
    };
}

// NaN fails every comparison.
static bool length_ok(double x)
{
    return x >= 0.0 && x <= SFT_HUGE;
}

bool sft_adapt_def_ok(const sft_adapt_def* def)
{
    return def->cookie == COOKIE && length_ok(def->probe_up) && length_ok(def->probe_down) &&
           length_ok(def->probe_radius) && def->pitch_max >= 0.0 && def->pitch_max < 0.5 * SFT_PI &&
           def->roll_max >= 0.0 && def->roll_max < 0.5 * SFT_PI && length_ok(def->edge_height) &&
           length_ok(def->pelvis_drop_max) && def->max_extension > 0.0 && def->max_extension <= 1.0 &&
           def->smooth_time >= 0.0 && def->smooth_time <= 1e3 && length_ok(def->clearance) &&
           length_ok(def->step_aside) && fabs(def->floor) <= SFT_HUGE;
}

static bool xform_ok(sft_xformd x)
{
    return sft_v3d_in_range(x.t) && fabs(sft_quatd_dot(x.r, x.r) - 1.0) <= 2e-3;
}

bool sft_adapt_pose_ok(const sft_leg* leg, const sft_leg_pose* pose)
{
    return xform_ok(pose->hip) && xform_ok(pose->knee) && xform_ok(pose->heel) && xform_ok(pose->toe) &&
           (leg->toe_end < 0 || sft_v3d_in_range(pose->toe_end.t));
}

double sft_adapt_leg_length(const sft_leg_pose* pose)
{
    return sft_v3d_distance(pose->hip.t, pose->knee.t) + sft_v3d_distance(pose->knee.t, pose->heel.t) +
           sft_v3d_distance(pose->heel.t, pose->toe.t);
}

bool sft_adapt_heel_bears(const sft_leg* leg, double heel_to_toe)
{
    return leg->heel != leg->toe && leg->heel_min - leg->toe_min < AD_SOLE_STEEP * heel_to_toe;
}

bool sft_adapt_hit_ok(const sft_ground_hit* hit)
{
    return sft_v3d_in_range(hit->point) && fabs(sft_v3d_dot(hit->normal, hit->normal) - 1.0) <= 1e-3;
}

sft_v3d sft_adapt_forward(const sft_leg* leg, const sft_leg_pose* pose)
{
    // A foot steeper than this says more by its knee: 6 degrees off the vertical.
    const double least = 0.1;
    const sft_v3d rear = pose->heel.t, front = leg->toe_end >= 0 ? pose->toe_end.t : pose->toe.t;
    const sft_v3d along = sft_v3d_sub(front, rear), level = sft_v3d_make(along.x, 0.0, along.z);
    const double length = sft_v3d_length(level);
    if (length > SFT_LENGTH_EPS && length > least * sft_v3d_length(along)) return sft_v3d_scale(1.0 / length, level);
    // The knee bulges forward: its side axis is to the left.
    const sft_v3d side = sft_quatd_rotate(pose->knee.r, leg->knee_side);
    return sft_v3d_normalize_or(sft_v3d_make(-side.z, 0.0, side.x), sft_v3d_make(0, 0, 1));
}
