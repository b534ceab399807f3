// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// All figures of one clip: checks, leg lengths, pops, pelvis; the rest lies in foot.c and published.c.

#include "core/core.h"
#include "metrics/metrics_internal.h"

#define CM 100.0
#define DEFAULT_POP_LIMIT 150.0
// A joint's own 95th percentile is untouched by a few pops, and running has peaks of five times it.
#define POP_QUANTILE 0.95
#define POP_FACTOR 5.0

static bool points_ok(const sft_v3d* points, int32_t first, int32_t frames)
{
    if (points == NULL) return true;
    for (int32_t i = first; i < frames; ++i)
        if (!sft_v3d_in_range(points[i])) return false;
    return true;
}

static bool rotations_ok(const sft_quatd* q, int32_t first, int32_t frames)
{
    if (q == NULL) return true;
    for (int32_t i = first; i < frames; ++i)
        if (!(fabs(sft_quatd_dot(q[i], q[i]) - 1.0) <= 2e-3)) return false;
    return true;
}

static bool labels_ok(const float* labels, int32_t first, int32_t frames)
{
    for (int32_t i = first; i < frames; ++i)
        if (!(labels[i] >= 0.0f && labels[i] <= 1.0f)) return false;
    return true;
}

static sft_result check_arguments(const sft_metrics_input* in, const sft_metrics_foot* feet,
                                  const sft_metrics_clip* clip)
{
    if (in == NULL || clip == NULL || in->tracks == NULL || in->labels == NULL) return SFT_ERR_ARG;
    const sft_contact_input* t = in->tracks;
    if (t->frame_count <= 0 || t->foot_count < 0 || t->foot_count > SFT_MAX_FEET) return SFT_ERR_ARG;
    if (t->first_frame < 0 || t->first_frame >= t->frame_count || t->pelvis == NULL) return SFT_ERR_ARG;
    if (t->foot_count > 0 && (feet == NULL || t->feet == NULL)) return SFT_ERR_ARG;
    if (in->labels->frame_count != t->frame_count || in->labels->foot_count != t->foot_count) return SFT_ERR_ARG;
    if (t->foot_count > 0 && (in->labels->plant == NULL || in->labels->touch == NULL)) return SFT_ERR_ARG;
    for (int32_t f = 0; f < t->foot_count; ++f)
        if (t->feet[f].toe == NULL) return SFT_ERR_ARG;
    if (!(t->frame_time > 0.0 && t->frame_time <= SFT_HUGE)) return SFT_ERR_RANGE;
    if (!(in->contact_threshold >= 0.0 && in->contact_threshold <= 1.0)) return SFT_ERR_RANGE;
    if (!(in->pop_limit >= 0.0) || !sft_v3d_in_range(in->ground_velocity)) return SFT_ERR_RANGE;
    for (int32_t f = 0; f < t->foot_count && in->ground_velocities != NULL; ++f)
        if (!sft_v3d_in_range(in->ground_velocities[f])) return SFT_ERR_RANGE;
    return SFT_OK;
}

static sft_result check_values(const sft_metrics_input* in)
{
    const sft_contact_input* t = in->tracks;
    const int32_t first = t->first_frame, frames = t->frame_count;
    if (!points_ok(t->pelvis, first, frames)) return SFT_ERR_RANGE;
    for (int32_t f = 0; f < t->foot_count; ++f)
    {
        const size_t row = (size_t)f * (size_t)frames;
        if (!points_ok(t->feet[f].toe, first, frames) || !points_ok(t->feet[f].heel, first, frames) ||
            !points_ok(t->feet[f].toe_end, first, frames))
            return SFT_ERR_RANGE;
        if (!labels_ok(in->labels->plant + row, first, frames) || !labels_ok(in->labels->touch + row, first, frames))
            return SFT_ERR_RANGE;
        if (in->hips != NULL && !points_ok(in->hips[f], first, frames)) return SFT_ERR_RANGE;
        if (in->knees != NULL && !points_ok(in->knees[f], first, frames)) return SFT_ERR_RANGE;
        for (int32_t j = 0; j < 4 && in->rotations != NULL; ++j)
            if (!rotations_ok(in->rotations[f * 4 + j], first, frames)) return SFT_ERR_RANGE;
    }
    return SFT_OK;
}

static double length_change(const sft_v3d* a, const sft_v3d* b, int32_t first, int32_t frames)
{
    if (a == NULL || b == NULL) return 0.0;
    double least = sft_v3d_distance(a[first], b[first]), most = least;
    for (int32_t i = first + 1; i < frames; ++i)
    {
        const double length = sft_v3d_distance(a[i], b[i]);
        least = sft_mind(least, length);
        most = sft_maxd(most, length);
    }
    return most - least;
}

static double leg_change(const sft_metrics_input* in, int32_t foot)
{
    const sft_contact_input* t = in->tracks;
    const sft_v3d* hip = in->hips != NULL ? in->hips[foot] : NULL;
    const sft_v3d* knee = in->knees != NULL ? in->knees[foot] : NULL;
    const sft_foot_tracks* f = &t->feet[foot];
    const double thigh = length_change(hip, knee, t->first_frame, t->frame_count);
    const double shin = length_change(knee, f->heel, t->first_frame, t->frame_count);
    const double sole = length_change(f->heel, f->toe, t->first_frame, t->frame_count);
    return sft_maxd(thigh, sft_maxd(shin, sole));
}

// Angular acceleration at frames first + 1 .. frames - 2 into out, in the parent's space; returns their number.
static int32_t angular_acceleration(const sft_quatd* q, const sft_contact_input* t, double* out)
{
    int32_t count = 0;
    sft_v3d before = {0, 0, 0};
    for (int32_t i = t->first_frame + 1; i < t->frame_count; ++i)
    {
        const sft_v3d step = sft_quatd_log(sft_quatd_mul(q[i], sft_quatd_conjugate(q[i - 1])));
        if (i > t->first_frame + 1) out[count++] = sft_v3d_distance(step, before) / (t->frame_time * t->frame_time);
        before = step;
    }
    return count;
}

static void measure_joint_pops(const double* acceleration, int32_t count, double limit, int32_t first, int32_t joint,
                               sft_metrics_foot* out)
{
    bool inside = false;
    for (int32_t i = 0; i < count; ++i)
    {
        const int32_t frame = first + 1 + i;
        if (acceleration[i] > out->pop_max_rad_s2)
        {
            out->pop_max_rad_s2 = acceleration[i];
            out->pop_max_frame = frame;
            out->pop_max_joint = joint;
        }
        const bool pops = acceleration[i] > limit;
        out->pop_count += pops && !inside;
        inside = pops;
        if (pops && acceleration[i] / limit > out->pop_over_its_limit)
        {
            out->pop_over_its_limit = acceleration[i] / limit;
            out->pop_frame = frame;
            out->pop_joint = joint;
        }
    }
}

static void measure_pops(const sft_metrics_input* in, int32_t foot, double* acceleration, double* sorted,
                         sft_metrics_foot* out)
{
    out->pop_max_frame = out->pop_max_joint = out->pop_frame = out->pop_joint = -1;
    if (in->rotations == NULL) return;
    const double least = in->pop_limit > 0.0 ? in->pop_limit : DEFAULT_POP_LIMIT;
    for (int32_t j = 0; j < 4; ++j)
    {
        const sft_quatd* q = in->rotations[foot * 4 + j];
        if (q == NULL) continue;
        const int32_t count = angular_acceleration(q, in->tracks, acceleration);
        for (int32_t i = 0; i < count; ++i)
            sorted[i] = acceleration[i];
        out->pop_p999_rad_s2 = sft_maxd(out->pop_p999_rad_s2, metrics_quantile(sorted, count, 0.999));
        const double limit = sft_maxd(least, POP_FACTOR * metrics_quantile(sorted, count, POP_QUANTILE));
        measure_joint_pops(acceleration, count, limit, in->tracks->first_frame, j, out);
    }
}

static void measure_pelvis(const sft_contact_input* t, double* values, sft_metrics_clip* out)
{
    double height = 0.0;
    int32_t count = 0;
    out->pelvis_accel_max_frame = -1;
    for (int32_t i = t->first_frame; i < t->frame_count; ++i)
    {
        height += t->pelvis[i].y;
        if (i < t->first_frame + 2) continue;
        const sft_v3d *p = t->pelvis + i, twice = sft_v3d_scale(2.0, p[-1]);
        const double a = sft_v3d_length(sft_v3d_add(sft_v3d_sub(p[0], twice), p[-2])) / (t->frame_time * t->frame_time);
        if (a > out->pelvis_accel_max)
        {
            out->pelvis_accel_max = a;
            out->pelvis_accel_max_frame = i - 1;
        }
        values[count++] = a;
    }
    out->pelvis_height_mean = height / (t->frame_count - t->first_frame);
    out->pelvis_accel_p99 = metrics_quantile(values, count, 0.99);
}

static void gather(const sft_metrics_input* in, const sft_metrics_foot* feet, sft_metrics_clip* out)
{
    double path = 0.0, worst_pop = 0.0;
    int32_t steps = 0;
    out->slide_max_foot = out->slide_max_frame = -1;
    out->penetration_max_foot = out->penetration_max_frame = out->pop_foot = -1;
    for (int32_t f = 0; f < in->tracks->foot_count; ++f)
    {
        const sft_metrics_foot* m = &feet[f];
        path += m->slide_total_cm;
        steps += m->planted_frames - m->plant_count;
        out->pop_count += m->pop_count;
        if (m->slide_max_frame >= 0 && (out->slide_max_foot < 0 || m->slide_max_cm_s > out->slide_max_cm_s))
        {
            out->slide_max_cm_s = m->slide_max_cm_s;
            out->slide_max_foot = f;
            out->slide_max_frame = m->slide_max_frame;
        }
        if (m->penetration_max_cm > out->penetration_max_cm)
        {
            out->penetration_max_cm = m->penetration_max_cm;
            out->penetration_max_foot = f;
            out->penetration_max_frame = m->penetration_max_frame;
        }
        if (m->pop_over_its_limit > worst_pop)
        {
            worst_pop = m->pop_over_its_limit;
            out->pop_foot = f;
        }
    }
    out->slide_mean_cm_s = steps > 0 ? path / (steps * in->tracks->frame_time) : 0.0;
}

sft_result sft_metrics_measure(const sft_metrics_input* input, const sft_allocator* allocator, sft_metrics_foot* feet,
                               sft_metrics_clip* clip)
{
    sft_result result = check_arguments(input, feet, clip);
    if (result == SFT_OK) result = check_values(input);
    if (result != SFT_OK) return result;

    const size_t frames = (size_t)input->tracks->frame_count;
    const size_t samples = (size_t)metrics_published_samples(input->tracks);
    const size_t doubles = 3 * frames + samples;
    double* memory = sft_core_alloc(allocator, doubles, sizeof *memory);
    uint8_t* flags = sft_core_alloc(allocator, samples, sizeof *flags);
    if (memory != NULL && flags != NULL)
    {
        const metrics_scratch s = {memory, memory + frames, memory + 2 * frames};
        sft_metrics_clip out = {0};
        for (int32_t f = 0; f < input->tracks->foot_count; ++f)
        {
            sft_metrics_foot foot = {0};
            metrics_foot_contact(input, f, &s, &foot);
            foot.leg_change_max_cm = leg_change(input, f) * CM;
            measure_pops(input, f, s.values, s.support, &foot);
            feet[f] = foot;
        }
        measure_pelvis(input->tracks, s.values, &out);
        gather(input, feet, &out);
        metrics_published(input->tracks, memory + 3 * frames, flags, &out.published);
        *clip = out;
    }
    else
    {
        result = SFT_ERR_MEMORY;
    }
    sft_core_free(allocator, flags, samples, sizeof *flags);
    sft_core_free(allocator, memory, doubles, sizeof *memory);
    return result;
}
