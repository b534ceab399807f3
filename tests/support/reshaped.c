// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

#include "support/reshaped.h"

static bool below(const sft_skeleton* s, int32_t upper, int32_t lower)
{
    while (lower > upper)
        lower = s->parents[lower];
    return lower == upper;
}

// Factor of a joint's offset.
static double factor(const walk* w, const reshape* by, int32_t joint)
{
    const int32_t p = w->skeleton->parents[joint];
    for (int32_t l = 0; l < w->leg_count; ++l)
    {
        const sft_leg* g = w->legs + l;
        if (joint == g->hip ||
            (below(w->skeleton, g->pelvis, joint) && joint != g->pelvis && below(w->skeleton, joint, g->hip)))
            return by->hips;
        if (p >= 0 && below(w->skeleton, g->heel, p)) return by->foot;
        if (p >= 0 && below(w->skeleton, g->knee, p)) return by->shin;
        if (p >= 0 && below(w->skeleton, g->hip, p)) return by->thigh;
    }
    const char* name = p < 0 ? "" : w->skeleton->names[p];
    return strstr(name, "Arm") || strstr(name, "arm") ? by->arm : 1.0;
}

static void forward(const sft_skeleton* s, const sft_v3d* t, const sft_quatd* r, const sft_leg* legs, int32_t legs_n,
                    sft_xformd* out)
{
    sft_skeleton_forward(s, t, r, out);
    double low = INFINITY;
    for (int32_t l = 0; l < legs_n; ++l)
    {
        low = sft_mind(low, sft_mind(out[legs[l].heel].t.y, out[legs[l].toe].t.y));
        if (legs[l].toe_end >= 0) low = sft_mind(low, out[legs[l].toe_end].t.y);
    }
    for (int32_t j = 0; j < s->joint_count; ++j)
        out[j].t.y -= low;
}

static double leg_length(const sft_xformd* pose, const sft_leg* legs, int32_t count)
{
    double sum = 0.0;
    for (int32_t l = 0; l < count; ++l)
        sum += sft_v3d_distance(pose[legs[l].hip].t, pose[legs[l].knee].t) +
               sft_v3d_distance(pose[legs[l].knee].t, pose[legs[l].heel].t);
    return sum / (double)count;
}

static void find_ground(reshaped* r)
{
    const walk* w = r->source;
    const size_t n = (size_t)w->clip->frame_count;
    double* heights = calloc(n * (size_t)w->leg_count, sizeof *heights);
    sft_v3d* track = calloc(n, sizeof *track);
    size_t count = 0;
    for (int32_t l = 0; l < w->leg_count; ++l)
    {
        sft_clip_joint_track(w->skeleton, w->clip, w->legs[l].toe, track);
        double low = r->source_pose[w->legs[l].heel].t.y;
        low = sft_mind(low, r->source_pose[w->legs[l].toe].t.y);
        if (w->legs[l].toe_end >= 0) low = sft_mind(low, r->source_pose[w->legs[l].toe_end].t.y);
        for (size_t i = 0; i < n; ++i)
            if (w->labels->plant[(size_t)l * n + i] > 0.75f)
                heights[count++] = track[i].y - (r->source_pose[w->legs[l].toe].t.y - low);
    }
    double lowest = INFINITY;
    for (size_t k = 0; k < count; ++k)
        lowest = sft_mind(lowest, heights[k]);
    r->source_ground = lowest;
    free(track);
    free(heights);
}

void reshape_walk(const walk* w, const reshape* by, int32_t reference, reshaped* out)
{
    const sft_skeleton* s = w->skeleton;
    const size_t n = (size_t)s->joint_count;
    *out = (reshaped){.source = w};
    sft_v3d* offsets = calloc(n, sizeof *offsets);
    for (int32_t j = 0; j < s->joint_count; ++j)
        offsets[j] = sft_v3d_scale(by->all * factor(w, by, j), s->rest_translations[j]);
    const sft_skeleton def = {s->joint_count, s->names, s->parents, s->flags, offsets, s->rest_rotations};
    assert_int_equal(sft_skeleton_create(&def, NULL, &out->skeleton), SFT_OK);
    const sft_quatd* r = reference < 0 ? s->rest_rotations : w->clip->rotations + (size_t)reference * n;
    out->source_pose = calloc(n, sizeof *out->source_pose);
    out->target_pose = calloc(n, sizeof *out->target_pose);
    out->meanings = calloc(n, sizeof *out->meanings);
    forward(s, s->rest_translations, r, w->legs, w->leg_count, out->source_pose);
    forward(out->skeleton, offsets, r, w->legs, w->leg_count, out->target_pose);
    for (int32_t l = 0; l < w->leg_count; ++l)
    {
        out->legs[l] = w->legs[l];
        out->legs[l].heel_min *= by->all * by->foot;
        out->legs[l].toe_min *= by->all * by->foot;
        out->legs[l].toe_end_min *= by->all * by->foot;
    }
    const int32_t hips = w->legs[0].pelvis;
    out->source_rig = (sft_rig){.skeleton = s,
                                .meanings = out->meanings,
                                .legs = w->legs,
                                .leg_count = w->leg_count,
                                .pose = out->source_pose,
                                .hips = hips,
                                .root = -1,
                                .leg_length = leg_length(out->source_pose, w->legs, w->leg_count)};
    out->target_rig = out->source_rig;
    out->target_rig.skeleton = out->skeleton;
    out->target_rig.legs = out->legs;
    out->target_rig.pose = out->target_pose;
    out->target_rig.leg_length = leg_length(out->target_pose, w->legs, w->leg_count);
    out->scale = out->target_rig.leg_length / out->source_rig.leg_length;
    find_ground(out);
    out->clip = walk_copy(w);
    const int32_t travel = sft_clip_travel_joint(s, w->clip, w->first);
    const double stand_s = out->source_pose[travel].t.y, stand_t = out->target_pose[travel].t.y;
    for (int32_t i = 0; i < w->clip->frame_count; ++i)
        for (int32_t j = 0; j < s->joint_count; ++j)
        {
            sft_v3d* t = out->clip->translations + (size_t)i * n + (size_t)j;
            if (j != travel)
                *t = offsets[j];
            else
                *t = sft_v3d_make(out->scale * t->x, stand_t + out->scale * (t->y - out->source_ground - stand_s),
                                  out->scale * t->z);
        }
    free(offsets);
}

void reshape_release(reshaped* r)
{
    sft_clip_destroy(r->clip, NULL);
    sft_skeleton_destroy(r->skeleton, NULL);
    free(r->source_pose);
    free(r->target_pose);
    free(r->meanings);
}

static int by_value(const void* a, const void* b)
{
    const double x = *(const double*)a, y = *(const double*)b;
    return x < y ? -1 : x > y;
}

// Share of the angular accelerations of a joint, in model space.
static void turn_share(const sft_skeleton* s, const sft_clip* c, int32_t first, int32_t joint, double* p99,
                       double* p999)
{
    const int32_t n = c->frame_count - first;
    double* a = calloc((size_t)n, sizeof *a);
    int32_t count = 0;
    (void)s;
    for (int32_t i = first + 1; i + 1 < c->frame_count; ++i)
    {
        const sft_quatd* q = c->rotations + (size_t)joint;
        const size_t j = (size_t)c->joint_count;
        const sft_quatd q0 = q[(size_t)(i - 1) * j], q1 = q[(size_t)i * j], q2 = q[(size_t)(i + 1) * j];
        const sft_v3d u = sft_quatd_log(sft_quatd_mul(sft_quatd_conjugate(q0), q1));
        const sft_v3d v = sft_quatd_log(sft_quatd_mul(sft_quatd_conjugate(q1), q2));
        a[count++] = sft_v3d_distance(u, v) / (c->frame_time * c->frame_time);
    }
    qsort(a, (size_t)count, sizeof *a, by_value);
    *p99 = a[(size_t)(0.99 * (count - 1))];
    *p999 = a[(size_t)(0.999 * (count - 1))];
    free(a);
}

static double pelvis_share(const sft_skeleton* s, const sft_clip* c, int32_t first, int32_t joint)
{
    double* a = calloc((size_t)c->frame_count, sizeof *a);
    sft_v3d* t = calloc((size_t)c->frame_count, sizeof *t);
    int32_t count = 0;
    sft_clip_joint_track(s, c, joint, t);
    for (int32_t i = first + 1; i + 1 < c->frame_count; ++i)
        a[count++] = sft_v3d_length(sft_v3d_madd(sft_v3d_add(t[i - 1], t[i + 1]), -2.0, t[i]));
    qsort(a, (size_t)count, sizeof *a, by_value);
    const double out = a[(size_t)(0.99 * (count - 1))];
    free(a);
    free(t);
    return out;
}

static void pops(const reshaped* r, const sft_clip* before, const sft_clip* after, stand* out)
{
    const walk* w = r->source;
    for (int32_t l = 0; l < w->leg_count; ++l)
    {
        const int32_t joints[3] = {w->legs[l].hip, w->legs[l].knee, w->legs[l].heel};
        double* p99[3] = {&out->hip_p99, &out->knee_p99, &out->heel_p99};
        double* p999[3] = {&out->hip_p999, &out->knee_p999, &out->heel_p999};
        for (int k = 0; k < 3; ++k)
        {
            double a, a9, b, b9;
            turn_share(r->skeleton, before, w->first, joints[k], &a, &a9);
            turn_share(r->skeleton, after, w->first, joints[k], &b, &b9);
            *p99[k] = sft_maxd(*p99[k], b / sft_maxd(a, 20.0));
            *p999[k] = sft_maxd(*p999[k], b9 / sft_maxd(a9, 20.0));
        }
    }
    out->pelvis_p99 = pelvis_share(r->skeleton, after, w->first, w->legs[0].pelvis) /
                      pelvis_share(r->skeleton, before, w->first, w->legs[0].pelvis);
}

stand reshape_measure(const reshaped* r, const sft_clip* before, const sft_clip* after, sft_v3d ground_velocity)
{
    const walk* w = r->source;
    const size_t n = (size_t)after->frame_count;
    sft_v3d* at[4];
    for (int k = 0; k < 4; ++k)
        at[k] = calloc(n, sizeof **at);
    stand out = {0};
    double slides = 0.0, steps = 0.0;
    for (int32_t l = 0; l < w->leg_count; ++l)
    {
        const sft_leg* g = w->legs + l;
        const int32_t joints[3] = {g->heel, g->toe, g->toe_end >= 0 ? g->toe_end : g->toe};
        double low = INFINITY, low_s = INFINITY, min[3];
        const int32_t own = g->toe_end >= 0 ? g->toe_end : g->toe;
        for (int k = 0; k < 3; ++k)
        {
            sft_clip_joint_track(r->skeleton, after, joints[k], at[k]);
            low = sft_mind(low, r->target_pose[joints[k]].t.y);
            low_s = sft_mind(low_s, r->source_pose[joints[k]].t.y);
        }
        for (int k = 0; k < 3; ++k)
            min[k] = r->target_pose[joints[k]].t.y - low;
        double* source = calloc(n, sizeof *source);
        for (size_t i = 0; i < n; ++i)
            source[i] = INFINITY;
        for (int k = 0; k < 3; ++k)
        {
            const int32_t joint = k == 0 ? g->heel : k == 1 ? g->toe : own;
            sft_clip_joint_track(w->skeleton, w->clip, joint, at[3]);
            for (size_t i = 0; i < n; ++i)
                source[i] = sft_mind(source[i], at[3][i].y - (r->source_pose[joint].t.y - low_s) - r->source_ground);
        }
        for (size_t i = (size_t)w->first; i < n; ++i)
        {
            const bool planted = w->labels->plant[(size_t)l * n + i] > 0.75f;
            for (int k = 0; k < 3; ++k)
            {
                const double sunk = 100.0 * (min[k] - at[k][i].y);
                if (sunk > out.sunk_max)
                {
                    out.sunk_max = sunk;
                    out.sunk_frame = (int32_t)i * 10 + k;
                }
            }
            if (!planted) continue;
            const double want = sft_maxd(r->scale * source[i], 0.0); // no deeper than the ground
            const double have = sft_mind(at[0][i].y - min[0], sft_mind(at[1][i].y - min[1], at[2][i].y - min[2]));
            if (100.0 * fabs(want - have) > out.off_max)
            {
                out.off_max = 100.0 * fabs(want - have);
                out.off_frame = (int32_t)i;
            }
            if (i == (size_t)w->first || !(w->labels->plant[(size_t)l * n + i - 1] > 0.75f)) continue;
            const sft_v3d move = sft_v3d_madd(sft_v3d_sub(at[1][i], at[1][i - 1]), -after->frame_time, ground_velocity);
            const double slide = 100.0 * sft_v3d_length(move) / after->frame_time;
            slides += slide;
            steps += 1.0;
            out.slide_max = sft_maxd(out.slide_max, slide);
        }
        free(source);
    }
    out.slide_mean = steps > 0.0 ? slides / steps : 0.0;
    pops(r, before, after, &out);
    for (int k = 0; k < 4; ++k)
        free(at[k]);
    return out;
}
