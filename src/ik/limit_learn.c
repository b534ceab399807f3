// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// Limits from a clip's own range of motion. Each joint's reference is the mean of its rotations; what is left of them
// lies on a line (nothing but a hinge), or swings and twists about the bone. Ranges on the circle are what the largest
// gap leaves over, so that a joint that works about the half turn is not taken for one that turns all the way round.

#include "ik/ik_internal.h"

#define BINS 360

// Which angles of the circle were seen: the least and the largest of each degree.
typedef struct circle
{
    double least[BINS], most[BINS];
    bool seen[BINS];
} circle;

typedef struct joint_motion
{
    const sft_quatd* first; ///< of frame 0
    int32_t frames;
    int32_t stride;
    sft_quatd mean;
} joint_motion;

static void circle_add(circle* c, double angle)
{
    int bin = (int)floor((angle + SFT_PI) * (BINS / (2.0 * SFT_PI)));
    bin = bin < 0 ? 0 : bin >= BINS ? BINS - 1 : bin;
    if (!c->seen[bin] || angle < c->least[bin]) c->least[bin] = angle;
    if (!c->seen[bin] || angle > c->most[bin]) c->most[bin] = angle;
    c->seen[bin] = true;
}

// The range that holds all angles seen: from the end of the largest gap to its start. min in (-pi, pi].
static void circle_range(const circle* c, double* min, double* max)
{
    int first = 0;
    while (!c->seen[first])
        ++first;
    double from = c->least[first], gap = -1.0, last = c->most[first];
    *min = from;
    *max = last;
    for (int i = first + 1; i <= first + BINS; ++i)
    {
        const int bin = i % BINS;
        if (!c->seen[bin]) continue;
        const double turn = i >= BINS ? 2.0 * SFT_PI : 0.0;
        if (c->least[bin] + turn - last > gap)
        {
            gap = c->least[bin] + turn - last;
            *max = last - turn;
            from = c->least[bin];
        }
        last = c->most[bin] + turn;
    }
    *min = from;
    while (*max < *min)
        *max += 2.0 * SFT_PI;
}

static void widen(double margin, double* min, double* max)
{
    *min -= margin;
    *max += margin;
    if (*max - *min < 2.0 * SFT_PI) return;
    *min = -SFT_PI;
    *max = SFT_PI;
}

static sft_quatd rotation_at(const joint_motion* m, int32_t frame)
{
    return m->first[(size_t)frame * (size_t)m->stride];
}

// From the mean, the shorter way round.
static sft_quatd change_at(const joint_motion* m, int32_t frame)
{
    const sft_quatd d = sft_quatd_normalize(sft_quatd_mul(sft_quatd_conjugate(m->mean), rotation_at(m, frame)));
    return d.w < 0.0 ? (sft_quatd){-d.x, -d.y, -d.z, -d.w} : d;
}

// The sum of all rotations, each with the sign that suits the sum so far.
static void find_mean(joint_motion* m)
{
    sft_quatd sum = rotation_at(m, 0);
    for (int32_t f = 1; f < m->frames; ++f)
    {
        const sft_quatd q = rotation_at(m, f);
        const double sign = sft_quatd_dot(sum, q) < 0.0 ? -1.0 : 1.0;
        sum = (sft_quatd){sum.x + sign * q.x, sum.y + sign * q.y, sum.z + sign * q.z, sum.w + sign * q.w};
    }
    m->mean = sft_quatd_normalize(sum);
}

// The direction in which most of the change lies: by power iteration on sum v v^T, started from the longest v.
static sft_v3d principal_axis(const joint_motion* m, double* longest)
{
    double xx = 0.0, xy = 0.0, xz = 0.0, yy = 0.0, yz = 0.0, zz = 0.0;
    sft_v3d axis = {0.0, 0.0, 0.0};
    for (int32_t f = 0; f < m->frames; ++f)
    {
        const sft_quatd d = change_at(m, f);
        const sft_v3d v = {d.x, d.y, d.z};
        if (sft_v3d_dot(v, v) > sft_v3d_dot(axis, axis)) axis = v;
        xx += v.x * v.x;
        xy += v.x * v.y;
        xz += v.x * v.z;
        yy += v.y * v.y;
        yz += v.y * v.z;
        zz += v.z * v.z;
    }
    *longest = sft_v3d_length(axis);
    const double trace = xx + yy + zz;
    if (!(trace > 1e-30)) return sft_v3d_make(1.0, 0.0, 0.0);
    const double k = 1.0 / trace;
    for (int i = 0; i < 60; ++i)
    {
        const sft_v3d next = {k * (xx * axis.x + xy * axis.y + xz * axis.z),
                              k * (xy * axis.x + yy * axis.y + yz * axis.z),
                              k * (xz * axis.x + yz * axis.y + zz * axis.z)};
        const double length = sft_v3d_length(next);
        if (!(length > 1e-150)) break;
        axis = sft_v3d_scale(1.0 / length, next);
    }
    // Of the two senses, the one whose largest coordinate is positive: ranges read the same way in every clip.
    const double ax = fabs(axis.x), ay = fabs(axis.y), az = fabs(axis.z);
    const double sense = ax >= ay && ax >= az ? axis.x : ay >= az ? axis.y : axis.z;
    return sense < 0.0 ? sft_v3d_scale(-1.0, axis) : axis;
}

// True where every rotation is a turn about the axis, within the tolerance.
static bool is_hinge(const joint_motion* m, sft_v3d axis, double tolerance)
{
    const double sine = sft_sin(0.5 * sft_mind(tolerance, SFT_PI));
    for (int32_t f = 0; f < m->frames; ++f)
    {
        const sft_quatd d = change_at(m, f);
        if (sft_v3d_length(sft_ik_across((sft_v3d){d.x, d.y, d.z}, axis)) > sine) return false;
    }
    return true;
}

static double twist_of(sft_quatd d, sft_v3d axis)
{
    const double along = d.x * axis.x + d.y * axis.y + d.z * axis.z;
    // q and -q: the half angle within a right angle.
    return d.w < 0.0 ? 2.0 * sft_atan2(-along, -d.w) : 2.0 * sft_atan2(along, d.w);
}

static void twist_range(const joint_motion* m, double margin, sft_limit* limit)
{
    circle seen = {.seen = {false}};
    for (int32_t f = 0; f < m->frames; ++f)
        circle_add(&seen, twist_of(change_at(m, f), limit->axis));
    circle_range(&seen, &limit->min, &limit->max);
    widen(margin, &limit->min, &limit->max);
}

// The swing's point in tan(swing / 4), along x and y of an orthonormal frame about the axis.
static void swing_point(sft_quatd d, sft_v3d axis, sft_v3d x, double* px, double* py)
{
    const double z = d.x * axis.x + d.y * axis.y + d.z * axis.z;
    const double a = sqrt(d.w * d.w + z * z);
    const double cosine = a > 1e-12 ? d.w / a : 1.0, sine = a > 1e-12 ? z / a : 0.0;
    const sft_v3d v = {d.x, d.y, d.z};
    const double u = sft_v3d_dot(v, x), w = sft_v3d_dot(v, sft_v3d_cross(axis, x));
    *px = (u * cosine - w * sine) / (1.0 + a);
    *py = (u * sine + w * cosine) / (1.0 + a);
}

static double angle_of_rim(double e, double margin)
{
    return sft_mind(4.0 * sft_atan2(e, 1.0) + margin, SFT_PI);
}

static void swing_range(const joint_motion* m, double margin, sft_limit* limit)
{
    sft_v3d x = sft_v3d_any_perp(limit->axis);
    double xx = 0.0, xy = 0.0, yy = 0.0, px, py;
    for (int32_t f = 0; f < m->frames; ++f)
    {
        swing_point(change_at(m, f), limit->axis, x, &px, &py);
        xx += px * px;
        xy += px * py;
        yy += py * py;
    }
    // The ellipse lies along the principal direction, whose angle is half that of (xx - yy, 2 xy).
    const double angle = 0.5 * sft_atan2(2.0 * xy, xx - yy);
    x = sft_v3d_madd(sft_v3d_scale(sft_cos(angle), x), sft_sin(angle), sft_v3d_cross(limit->axis, x));
    limit->swing_x = x;
    double ex = 1e-9, ey = 1e-9;
    for (int32_t f = 0; f < m->frames; ++f)
    {
        swing_point(change_at(m, f), limit->axis, x, &px, &py);
        ex = sft_maxd(ex, fabs(px));
        ey = sft_maxd(ey, fabs(py));
    }
    // From the box around all points to the ellipse of that shape around all points.
    double most = 1.0;
    for (int32_t f = 0; f < m->frames; ++f)
    {
        swing_point(change_at(m, f), limit->axis, x, &px, &py);
        most = sft_maxd(most, sqrt((px / ex) * (px / ex) + (py / ey) * (py / ey)));
    }
    // Where that leaves the sphere, nothing is known to be out of bounds.
    const bool all = most * ex > 1.0 || most * ey > 1.0;
    limit->swing_max_x = all ? SFT_PI : angle_of_rim(most * ex, margin);
    limit->swing_max_y = all ? SFT_PI : angle_of_rim(most * ey, margin);
}

// Where the bone points in joint space: to the mean of the children, for a leaf the way it came, else Y.
static sft_v3d bone_axis(const sft_skeleton* skeleton, int32_t joint)
{
    sft_v3d sum = {0.0, 0.0, 0.0};
    for (int32_t j = joint + 1; j < skeleton->joint_count; ++j)
        if (skeleton->parents[j] == joint) sum = sft_v3d_add(sum, skeleton->rest_translations[j]);
    if (sft_v3d_length(sum) > SFT_LENGTH_EPS) return sft_v3d_normalize_or(sum, sum);
    const sft_v3d own = sft_quatd_unrotate(skeleton->rest_rotations[joint], skeleton->rest_translations[joint]);
    return sft_v3d_normalize_or(own, sft_v3d_make(0.0, 1.0, 0.0));
}

static sft_limit learn_joint(const sft_skeleton* skeleton, int32_t joint, joint_motion* m, double tolerance,
                             double margin)
{
    find_mean(m);
    double longest = 0.0;
    sft_limit limit = sft_limit_free();
    limit.reference = m->mean;
    const sft_v3d axis = principal_axis(m, &longest);
    limit.kind = SFT_LIMIT_SWING;
    limit.axis = bone_axis(skeleton, joint);
    limit.swing_x = sft_v3d_any_perp(limit.axis);
    if (2.0 * longest <= tolerance)
    {
        // It never moved, so nothing is known but that it stays.
        if (!(margin > 0.0)) limit.kind = SFT_LIMIT_FIXED;
    }
    else if (is_hinge(m, axis, tolerance))
    {
        limit.kind = SFT_LIMIT_HINGE;
        limit.axis = axis;
        limit.swing_x = sft_v3d_any_perp(axis);
    }
    if (limit.kind != SFT_LIMIT_FIXED) twist_range(m, margin, &limit);
    if (limit.kind == SFT_LIMIT_SWING) swing_range(m, margin, &limit);
    return limit;
}

sft_result sft_limit_learn(const sft_skeleton* skeleton, const sft_quatd* local_r, int32_t frame_count,
                           double tolerance, double margin, sft_limit* limits)
{
    if (skeleton == NULL || local_r == NULL || limits == NULL || frame_count < 1) return SFT_ERR_ARG;
    if (!(tolerance >= 0.0) || !(margin >= 0.0) || !(tolerance <= SFT_PI) || !(margin <= SFT_PI)) return SFT_ERR_ARG;
    const size_t count = (size_t)skeleton->joint_count * (size_t)frame_count;
    for (size_t i = 0; i < count; ++i)
        if (!sft_ik_unit_quat(local_r[i])) return SFT_ERR_RANGE;
    for (int32_t j = 0; j < skeleton->joint_count; ++j)
    {
        joint_motion m = {local_r + j, frame_count, skeleton->joint_count, sft_quatd_identity()};
        limits[j] = learn_joint(skeleton, j, &m, tolerance, margin);
    }
    return SFT_OK;
}
