// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

#include "support/adapt_figures.h"

static sft_leg_pose pose_of(const walk* w, const sft_clip* clip, int32_t leg, int32_t frame)
{
    const size_t base = (size_t)frame * (size_t)clip->joint_count;
    sft_xformd* model = calloc((size_t)clip->joint_count, sizeof *model);
    assert_non_null(model);
    sft_skeleton_forward(w->skeleton, clip->translations + base, clip->rotations + base, model);
    const sft_leg* g = w->legs + leg;
    sft_leg_pose p = {model[g->hip], model[g->knee], model[g->heel], model[g->toe], model[g->toe]};
    if (g->toe_end >= 0) p.toe_end = model[g->toe_end];
    free(model);
    return p;
}

// Clearances of heel, toe and toe end; false where the ground under the toe is missing.
static bool clearances(const walk* w, int32_t leg, const sft_leg_pose* p, const support_ground* ground, double out[3])
{
    const sft_leg* g = w->legs + leg;
    const sft_v3d at[3] = {p->heel.t, p->toe.t, p->toe_end.t};
    const double least[3] = {g->heel_min, g->toe_min, g->toe_end >= 0 ? g->toe_end_min : g->toe_min};
    bool toe = true;
    for (int k = 0; k < 3; ++k)
    {
        double y = 0.0, slope[2] = {0};
        out[k] = INFINITY;
        const bool hit = support_ground_height(ground, at[k].x, at[k].z, &y, slope);
        if (k == 1) toe = hit;
        if (!hit) continue;
        // Square to the ground, the sole's part of it too.
        const double up = 1.0 / sqrt(1.0 + slope[0] * slope[0] + slope[1] * slope[1]);
        out[k] = (at[k].y - y) * up - least[k];
    }
    // A steep foot's heel has no sole below it.
    if (g->heel_min - g->toe_min >= 0.8 * sft_v3d_distance(p->heel.t, p->toe.t)) out[0] = out[1];
    return toe;
}

// How deep [m] a point of the sole is in the ground: to its nearest surface, which at an edge may be beside it.
static double depth(const support_ground* ground, sft_v3d at, double least, double below)
{
    for (double r = 0.001; r < below; r += 0.001)
        for (int k = 0; k < 16; ++k)
        {
            double y = 0.0;
            const double x = at.x + r * cos(k * SFT_PI / 8.0), z = at.z + r * sin(k * SFT_PI / 8.0);
            if (!support_ground_height(ground, x, z, &y, NULL) || y <= at.y - least) return r;
        }
    return below;
}

// Deepest of heel, toe and toe end, from their clearances.
static double deepest(const walk* w, int32_t leg, const sft_leg_pose* p, const support_ground* ground,
                      const double c[3])
{
    const sft_leg* g = w->legs + leg;
    const sft_v3d at[3] = {p->heel.t, p->toe.t, p->toe_end.t};
    const double least[3] = {g->heel_min, g->toe_min, g->toe_end >= 0 ? g->toe_end_min : g->toe_min};
    double most = 0.0;
    for (int k = 0; k < 3; ++k)
        if (-c[k] > most) most = sft_maxd(most, depth(ground, at[k], least[k], -c[k]));
    return most;
}

static double lowest(const double c[3])
{
    return sft_mind(c[0], sft_mind(c[1], c[2]));
}

// Up of the ground under a sole: along the foot by heights, across it by gradients.
static sft_v3d ground_up(const sft_leg_pose* p, const support_ground* ground, double edge)
{
    double y[2] = {0}, s[2][2] = {{0}};
    if (!support_ground_height(ground, p->heel.t.x, p->heel.t.z, &y[0], s[0]) ||
        !support_ground_height(ground, p->toe.t.x, p->toe.t.z, &y[1], s[1]))
        return sft_v3d_make(0, 1, 0);
    const double gx = 0.5 * (s[0][0] + s[1][0]), gz = 0.5 * (s[0][1] + s[1][1]);
    const double dx = p->toe.t.x - p->heel.t.x, dz = p->toe.t.z - p->heel.t.z, d2 = dx * dx + dz * dz;
    // The gradient, its part along the foot replaced by what the heights say.
    double more = d2 > 1e-4 ? (y[1] - y[0] - gx * dx - gz * dz) / d2 : 0.0;
    if (fabs(y[1] - y[0] - gx * dx - gz * dz) > edge) more = 0.0;
    return sft_v3d_normalize_or(sft_v3d_make(-(gx + more * dx), 1.0, -(gz + more * dz)), sft_v3d_make(0, 1, 0));
}

static double degrees_between(sft_v3d a, sft_v3d b)
{
    return atan2(sft_v3d_length(sft_v3d_cross(a, b)), sft_v3d_dot(a, b)) * 180.0 / SFT_PI;
}

static void measure_planted(const walk* w, const sft_clip* out, const support_ground* ground, int32_t leg, int32_t i,
                            const sft_leg_pose* b, adapt_figures* f)
{
    double c[3];
    if (!clearances(w, leg, b, ground, c))
    {
        ++f->skipped;
        return;
    }
    if (fabs(lowest(c)) * 100.0 > f->support_cm)
    {
        f->support_cm = fabs(lowest(c)) * 100.0;
        f->support_frame = i;
    }
    f->float_cm = sft_maxd(f->float_cm, 100.0 * lowest(c));
    const sft_leg_pose a = pose_of(w, w->clip, leg, i);
    const sft_v3d was = sft_quatd_unrotate(a.heel.r, sft_v3d_make(0, 1, 0));
    const double turned = degrees_between(was, sft_quatd_unrotate(b->heel.r, ground_up(b, ground, 0.04)));
    if (turned > f->tilt_degrees)
    {
        f->tilt_degrees = turned;
        f->tilt_frame = i;
    }
    if (i > w->first && w->labels->plant[leg * out->frame_count + i - 1] > 0.75f)
    {
        const sft_leg_pose before = pose_of(w, out, leg, i - 1);
        const double v = sft_v3d_distance(before.toe.t, b->toe.t) / out->frame_time;
        f->slide_cm_s = sft_maxd(f->slide_cm_s, 100.0 * v);
    }
}

static double knee_angle(const sft_leg_pose* p)
{
    return degrees_between(sft_v3d_sub(p->hip.t, p->knee.t), sft_v3d_sub(p->heel.t, p->knee.t));
}

static void measure_jumps(const walk* w, const sft_clip* clip, double* knee, double* toe)
{
    *knee = *toe = 0.0;
    for (int32_t l = 0; l < w->leg_count; ++l)
    {
        double k[3] = {0};
        sft_v3d t[3] = {{0}};
        for (int32_t i = w->first; i < clip->frame_count; ++i)
        {
            const sft_leg_pose p = pose_of(w, clip, l, i);
            k[0] = k[1], k[1] = k[2], k[2] = knee_angle(&p);
            t[0] = t[1], t[1] = t[2], t[2] = p.toe.t;
            if (i - w->first < 2) continue;
            *knee = sft_maxd(*knee, fabs(k[0] - 2 * k[1] + k[2]));
            const sft_v3d d = sft_v3d_madd(sft_v3d_add(t[0], t[2]), -2.0, t[1]);
            *toe = sft_maxd(*toe, sft_v3d_length(d));
        }
    }
}

static double jerk(const walk* w, const sft_clip* clip)
{
    sft_v3d* at = calloc((size_t)clip->frame_count, sizeof *at);
    assert_non_null(at);
    sft_clip_joint_track(w->skeleton, clip, w->legs[0].pelvis, at);
    double sum = 0.0;
    for (int32_t i = w->first + 3; i < clip->frame_count; ++i)
    {
        const sft_v3d inner = sft_v3d_scale(3.0, sft_v3d_sub(at[i - 2], at[i - 1]));
        const sft_v3d d = sft_v3d_add(sft_v3d_sub(at[i], at[i - 3]), inner);
        sum += sft_v3d_dot(d, d);
    }
    free(at);
    return sqrt(sum);
}

static int ascending(const void* a, const void* b)
{
    const double x = *(const double*)a, y = *(const double*)b;
    return x < y ? -1 : x > y;
}

// Rest poses need not stand: a heel that stands lower over the toes while the foot is flat is that much nearer to the
// sole. Flat: the lower half of the planted frames.
static double stance_heel(const walk* w, int32_t leg)
{
    const sft_leg* g = w->legs + leg;
    double* over = calloc((size_t)w->clip->frame_count, sizeof *over);
    assert_non_null(over);
    size_t count = 0;
    for (int32_t i = w->first; i < w->clip->frame_count; ++i)
    {
        if (!(w->labels->plant[leg * w->clip->frame_count + i] > 0.75f)) continue;
        const sft_leg_pose p = pose_of(w, w->clip, leg, i);
        const double toe = p.toe.t.y - g->toe_min, end = p.toe_end.t.y - g->toe_end_min;
        over[count++] = p.heel.t.y - (g->toe_end >= 0 ? sft_mind(toe, end) : toe);
    }
    qsort(over, count, sizeof *over, ascending);
    const double stance = count > 0 ? sft_maxd(over[count / 4], 0.0) : g->heel_min;
    free(over);
    return sft_mind(g->heel_min, stance);
}

// By how much the front of planted feet stands over the floor, which is at 0 here: the median of the plants' medians.
static double thickness(const walk* w)
{
    const size_t most = (size_t)w->clip->frame_count * (size_t)w->leg_count;
    double *front = calloc(most, sizeof *front), *plants = calloc(most, sizeof *plants);
    assert_true(front != NULL && plants != NULL);
    size_t runs = 0;
    for (int32_t l = 0; l < w->leg_count; ++l)
    {
        const sft_leg* g = w->legs + l;
        size_t count = 0;
        for (int32_t i = w->first; i <= w->clip->frame_count; ++i)
        {
            if (i < w->clip->frame_count && w->labels->plant[l * w->clip->frame_count + i] > 0.75f)
            {
                const sft_leg_pose p = pose_of(w, w->clip, l, i);
                const double toe = p.toe.t.y - g->toe_min, end = p.toe_end.t.y - g->toe_end_min;
                front[count++] = g->toe_end >= 0 ? sft_mind(toe, end) : toe;
                continue;
            }
            qsort(front, count, sizeof *front, ascending);
            if (count > 0) plants[runs++] = front[count / 2];
            count = 0;
        }
    }
    qsort(plants, runs, sizeof *plants, ascending);
    const double thick = runs > 0 ? sft_maxd(plants[runs / 2], 0.0) : 0.0;
    free(front);
    free(plants);
    return thick;
}

adapt_figures adapt_measure(const walk* of, const sft_clip* out, const support_ground* ground)
{
    walk standing = *of;
    for (int32_t l = 0; l < of->leg_count; ++l)
        standing.legs[l].heel_min = stance_heel(of, l);
    const double thick = thickness(&standing);
    for (int32_t l = 0; l < of->leg_count; ++l)
    {
        standing.legs[l].heel_min += thick;
        standing.legs[l].toe_min += thick;
        standing.legs[l].toe_end_min += thick;
    }
    const walk* w = &standing;
    adapt_figures f = {.support_frame = -1, .sunk_frame = -1, .tilt_frame = -1};
    for (int32_t l = 0; l < w->leg_count; ++l)
        for (int32_t i = w->first; i < out->frame_count; ++i)
        {
            const sft_leg_pose a = pose_of(w, w->clip, l, i), b = pose_of(w, out, l, i);
            const double chain = sft_v3d_distance(b.hip.t, b.knee.t) + sft_v3d_distance(b.knee.t, b.heel.t);
            f.straightest = sft_maxd(f.straightest, sft_v3d_distance(b.hip.t, b.heel.t) / chain);
            f.source_straightest = sft_maxd(f.source_straightest, sft_v3d_distance(a.hip.t, a.heel.t) / chain);
            double c[3];
            clearances(w, l, &b, ground, c);
            const double sunk = 100.0 * deepest(w, l, &b, ground, c);
            if (sunk > f.sunk_cm)
            {
                f.sunk_cm = sunk;
                f.sunk_frame = i;
                f.sunk_leg = l;
            }
            if (w->labels->plant[l * out->frame_count + i] > 0.75f) measure_planted(w, out, ground, l, i, &b, &f);
        }
    f.jerk = jerk(w, out) / jerk(w, w->clip);
    double knee[2], toe[2];
    measure_jumps(w, w->clip, &knee[0], &toe[0]);
    measure_jumps(w, out, &knee[1], &toe[1]);
    f.knee_pop = knee[1] / knee[0];
    f.toe_accel = toe[1] / toe[0];
    return f;
}
