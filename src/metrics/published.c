// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// Skate figures as other people define them, so that numbers compare. Each is a sum over steps of fixed length, hence
// the resampling; what each means, and where it was read, stands in docs/metrics.md. Written anew from the definitions.

#include "core/core.h"
#include "metrics/metrics_internal.h"

// A clip this near to the wanted rate is taken frame by frame: 0.0333333 s is meant to be 1/30.
#define SAME_RATE 0.01
// Sparser clips than an eighth of the wanted rate say nothing about skating.
#define MOST_UPSAMPLING 8

// A view of the tracks at some rate: sample i lies at first + i * stride frames.
typedef struct sampler
{
    const sft_contact_input* tracks;
    int32_t count; // 0: the tracks are too sparse
    double stride;
    double rate; // [Hz]
    double floor;
} sampler;

static double lowest_point(const sft_contact_input* t)
{
    double least = t->feet[0].toe[t->first_frame].y;
    for (int32_t f = 0; f < t->foot_count; ++f)
    {
        const sft_v3d* points[3] = {t->feet[f].toe, t->feet[f].heel, t->feet[f].toe_end};
        for (int p = 0; p < 3; ++p)
            for (int32_t i = t->first_frame; points[p] != NULL && i < t->frame_count; ++i)
                least = sft_mind(least, points[p][i].y);
    }
    return least;
}

static sampler sample_at(const sft_contact_input* t, double rate)
{
    const int32_t frames = t->frame_count - t->first_frame;
    const double ratio = t->frame_time * rate;
    if (fabs(ratio - 1.0) <= SAME_RATE) return (sampler){t, frames, 1.0, rate, 0.0};
    const double count = floor((double)(frames - 1) * ratio + 0.5) + 1.0;
    if (ratio > MOST_UPSAMPLING || count > 2147483647.0) return (sampler){t, 0, 1.0, rate, 0.0};
    return (sampler){t, (int32_t)count, 1.0 / ratio, rate, 0.0};
}

static double cubic(double a, double b, double c, double d, double t)
{
    return b + 0.5 * t * (c - a + t * (2.0 * a - 5.0 * b + 4.0 * c - d + t * (3.0 * (b - c) + d - a)));
}

// Catmull-Rom between frames, ends repeated.
static sft_v3d at(const sampler* s, const sft_v3d* points, int32_t sample)
{
    const int32_t first = s->tracks->first_frame, last = s->tracks->frame_count - 1;
    const double place = sample * s->stride;
    int32_t i = first + (int32_t)place;
    if (i >= last) return points[last];
    const double t = place - floor(place);
    if (t == 0.0) return points[i];
    const sft_v3d a = points[i > first ? i - 1 : first], b = points[i], c = points[i + 1];
    const sft_v3d d = points[i + 2 <= last ? i + 2 : last];
    return sft_v3d_make(cubic(a.x, b.x, c.x, d.x, t), cubic(a.y, b.y, c.y, d.y, t), cubic(a.z, b.z, c.z, d.z, t));
}

static double level_distance(sft_v3d a, sft_v3d b)
{
    const double x = b.x - a.x, z = b.z - a.z;
    return sqrt(x * x + z * z);
}

int32_t metrics_published_samples(const sft_contact_input* tracks)
{
    const int32_t slow = sample_at(tracks, 20.0).count, fast = sample_at(tracks, 30.0).count;
    return slow > fast ? slow : fast;
}

// Mean over five steps, steps beyond the ends counting as standing still.
static double window_mean(const double* speeds, int32_t count, int32_t i)
{
    double sum = 0.0;
    for (int32_t k = i - 2; k <= i + 2; ++k)
        sum += k >= 0 && k < count ? speeds[k] : 0.0;
    return sum / 5.0;
}

// guided-motion-diffusion: a step skates where any toe is below 0.05 m at both ends and moves faster than 0.5 m/s over
// ground, in that step and in the mean of five; over all steps.
static double gmd_ratio(const sampler* s, double* speeds, uint8_t* flags)
{
    const int32_t steps = s->count - 1;
    if (steps < 1) return NAN;
    memset(flags, 0, (size_t)steps);
    for (int32_t f = 0; f < s->tracks->foot_count; ++f)
    {
        const sft_v3d* toe = s->tracks->feet[f].toe;
        for (int32_t i = 0; i < steps; ++i)
            speeds[i] = level_distance(at(s, toe, i), at(s, toe, i + 1)) * s->rate;
        for (int32_t i = 0; i < steps; ++i)
        {
            const bool low = at(s, toe, i).y - s->floor < 0.05 && at(s, toe, i + 1).y - s->floor < 0.05;
            if (low && speeds[i] > 0.5 && window_mean(speeds, steps, i) > 0.5) flags[i] = 1;
        }
    }
    int32_t skating = 0;
    for (int32_t i = 0; i < steps; ++i)
        skating += flags[i];
    return (double)skating / steps;
}

// Kimodo: of the steps with a toe below 0.05 m at both ends, the share faster than 0.2 m/s in 3-D; and the mean 3-D
// speed of the steps that start below 0.05 m.
static void kimodo(const sampler* s, sft_metrics_published* out)
{
    double speed_sum = 0.0;
    int64_t low_steps = 0, low_starts = 0, skating = 0;
    for (int32_t f = 0; f < s->tracks->foot_count; ++f)
        for (int32_t i = 0; i + 1 < s->count; ++i)
        {
            const sft_v3d a = at(s, s->tracks->feet[f].toe, i), b = at(s, s->tracks->feet[f].toe, i + 1);
            const double speed = sft_v3d_distance(a, b) * s->rate;
            if (!(a.y - s->floor < 0.05)) continue;
            ++low_starts;
            speed_sum += speed;
            if (!(b.y - s->floor < 0.05)) continue;
            ++low_steps;
            skating += speed > 0.2;
        }
    if (s->count < 2) return;
    // The definition adds 1e-6 to both denominators.
    out->kimodo_skate_ratio = (double)skating / ((double)low_steps + 1e-6);
    out->kimodo_toe_speed = speed_sum / ((double)low_starts + 1e-6);
}

// Two to the power of x.
static double power_of_two(double x)
{
    return sft_exp(x * 0.69314718055994530942);
}

// Level toe displacement weighted by 2 - 2^(h/H) below H = 0.05 m, h the mean height of the step's ends, while the
// pelvis is above 0.65 m; in millimetres a frame.
static double height_weighted(const sampler* s)
{
    if (s->count < 2) return NAN;
    double sum = 0.0;
    for (int32_t f = 0; f < s->tracks->foot_count; ++f)
        for (int32_t i = 0; i + 1 < s->count; ++i)
        {
            const sft_v3d a = at(s, s->tracks->feet[f].toe, i), b = at(s, s->tracks->feet[f].toe, i + 1);
            const double h = sft_maxd(0.5 * (a.y + b.y) - s->floor, 0.0);
            if (h >= 0.05 || at(s, s->tracks->pelvis, i).y - s->floor <= 0.65) continue;
            sum += level_distance(a, b) * (2.0 - power_of_two(h / 0.05));
        }
    return sum * 1000.0 / s->count;
}

// EDGE: for each step, the product of both feet's smaller level displacement of ankle and toe with the root's
// acceleration over its largest of the clip, downward acceleration counting as none; the mean, times 10,000.
static double pfc(const sampler* s)
{
    const sft_contact_input* t = s->tracks;
    if (s->count < 3 || t->foot_count < 2 || t->feet[0].heel == NULL || t->feet[1].heel == NULL) return NAN;
    double sum = 0.0, most = 0.0;
    for (int32_t i = 0; i + 2 < s->count; ++i)
    {
        const sft_v3d a = at(s, t->pelvis, i), b = at(s, t->pelvis, i + 1), c = at(s, t->pelvis, i + 2);
        sft_v3d pull = sft_v3d_add(sft_v3d_sub(c, sft_v3d_scale(2.0, b)), a);
        pull.y = sft_maxd(pull.y, 0.0);
        const double acceleration = sft_v3d_length(pull) * s->rate * s->rate;
        most = sft_maxd(most, acceleration);
        double product = acceleration;
        for (int f = 0; f < 2; ++f)
        {
            const sft_foot_tracks* foot = &t->feet[f];
            const double heel = level_distance(at(s, foot->heel, i + 1), at(s, foot->heel, i + 2));
            const double toe = level_distance(at(s, foot->toe, i + 1), at(s, foot->toe, i + 2));
            product *= sft_mind(heel, toe);
        }
        sum += product;
    }
    // A root that never accelerates divides zero by zero in the original.
    return most > 0.0 ? 10000.0 * sum / most / (s->count - 2) : 0.0;
}

// Share of heel and toe steps whose squared 3-D displacement [m^2] is below the threshold.
static double still_ratio(const sampler* s, double squared)
{
    int64_t steps = 0, still = 0;
    for (int32_t f = 0; f < s->tracks->foot_count; ++f)
    {
        const sft_v3d* points[2] = {s->tracks->feet[f].heel, s->tracks->feet[f].toe};
        for (int p = 0; p < 2; ++p)
            for (int32_t i = 0; points[p] != NULL && i + 1 < s->count; ++i)
            {
                const sft_v3d d = sft_v3d_sub(at(s, points[p], i + 1), at(s, points[p], i));
                still += sft_v3d_dot(d, d) < squared;
                ++steps;
            }
    }
    return steps > 0 ? (double)still / (double)steps : NAN;
}

void metrics_published(const sft_contact_input* tracks, double* speeds, uint8_t* flags, sft_metrics_published* out)
{
    *out = (sft_metrics_published){NAN, NAN, NAN, NAN, NAN, NAN, NAN};
    if (tracks->foot_count == 0) return;
    sampler slow = sample_at(tracks, 20.0), fast = sample_at(tracks, 30.0);
    slow.floor = fast.floor = lowest_point(tracks);
    out->gmd_skating_ratio = gmd_ratio(&slow, speeds, flags);
    kimodo(&fast, out);
    out->height_weighted_slide = height_weighted(&fast);
    out->edge_pfc = pfc(&fast);
    // 0.02 cm^2 and 0.002 m^2 a frame.
    out->lafan_contact_ratio = still_ratio(&fast, 0.02e-4);
    out->humanml_contact_ratio = still_ratio(&slow, 0.002);
}
