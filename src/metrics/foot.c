// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// How one foot stands: slide of its planted toe, and heights against its own support nearby. Metres in, centimetres
// out. Definitions: docs/metrics.md.

#include "core/core.h"
#include "metrics/metrics_internal.h"

#define CM 100.0

double metrics_quantile(double* values, int32_t count, double q)
{
    if (count <= 0) return 0.0;
    const double place = q * (double)(count - 1);
    const int32_t low = (int32_t)place;
    const double a = sft_core_select(values, (size_t)count, (size_t)low);
    const double share = place - (double)low;
    if (!(share > 0.0)) return a;
    // Selection leaves the larger ones behind the chosen one: the next is their smallest.
    double b = values[low + 1];
    for (int32_t i = low + 2; i < count; ++i)
        b = sft_mind(b, values[i]);
    return a + share * (b - a);
}

typedef struct foot_view
{
    int32_t first, frames;
    double threshold;
    const float *plant, *touch;
    const sft_v3d* points[3]; // toe, heel, toe end; null where absent
    sft_v3d ground;           // its velocity
} foot_view;

static foot_view view_of(const sft_metrics_input* input, int32_t foot)
{
    const sft_contact_input* t = input->tracks;
    const size_t row = (size_t)foot * (size_t)t->frame_count;
    return (foot_view){t->first_frame,
                       t->frame_count,
                       input->contact_threshold,
                       input->labels->plant + row,
                       input->labels->touch + row,
                       {t->feet[foot].toe, t->feet[foot].heel, t->feet[foot].toe_end},
                       input->ground_velocities != NULL ? input->ground_velocities[foot] : input->ground_velocity};
}

static bool on(const foot_view* v, const float* label, int32_t frame)
{
    return (double)label[frame] > v->threshold;
}

// End of the run of planted frames that starts at `frame`, or `frame` itself where there is none.
static int32_t plant_end(const foot_view* v, int32_t frame)
{
    while (frame < v->frames && on(v, v->plant, frame))
        ++frame;
    return frame;
}

static double slide_speed(const sft_v3d* points, int32_t frame, sft_v3d ground, double dt)
{
    const sft_v3d step = sft_v3d_sub(points[frame], points[frame - 1]);
    return sft_v3d_length(sft_v3d_madd(step, -dt, ground)) / dt;
}

static void measure_slide(const sft_metrics_input* input, const foot_view* v, sft_metrics_foot* out)
{
    const double dt = input->tracks->frame_time;
    double sum = 0.0, touch_sum = 0.0;
    int32_t steps = 0, touch_steps = 0;
    out->slide_max_frame = -1;
    for (int32_t i = v->first; i < v->frames; ++i)
    {
        const bool planted = on(v, v->plant, i), touching = on(v, v->touch, i), later = i > v->first;
        out->planted_frames += planted;
        out->touch_frames += touching;
        out->plant_count += planted && !(later && on(v, v->plant, i - 1));
        if (later && planted && on(v, v->plant, i - 1))
        {
            const double speed = slide_speed(v->points[0], i, v->ground, dt);
            sum += speed;
            ++steps;
            if (out->slide_max_frame >= 0 && !(speed * CM > out->slide_max_cm_s)) continue;
            out->slide_max_cm_s = speed * CM;
            out->slide_max_frame = i;
        }
    }
    for (int32_t i = v->first + 1; i < v->frames; ++i)
    {
        if (!on(v, v->touch, i) || !on(v, v->touch, i - 1)) continue;
        double least = slide_speed(v->points[0], i, v->ground, dt);
        for (int p = 1; p < 3; ++p)
            if (v->points[p] != NULL) least = sft_mind(least, slide_speed(v->points[p], i, v->ground, dt));
        touch_sum += least;
        ++touch_steps;
    }
    out->slide_mean_cm_s = steps > 0 ? sum * CM / steps : 0.0;
    out->slide_total_cm = sum * dt * CM;
    out->touch_slide_mean_cm_s = touch_steps > 0 ? touch_sum * CM / touch_steps : 0.0;
}

// Median of the toe's heights over a plant: where it stands, whatever it does while rolling on and off. A low quantile
// would call a clip deeper only because its toe was locked at the height it stood at.
static double plant_level(const foot_view* v, int32_t begin, int32_t end, double* values)
{
    for (int32_t i = begin; i < end; ++i)
        values[i - begin] = v->points[0][i].y;
    return metrics_quantile(values, end - begin, 0.5);
}

// Fills support per frame: in a plant its level, elsewhere the lower of the levels before and after.
static void fill_support(const foot_view* v, const metrics_scratch* s, sft_metrics_foot* out)
{
    double lowest = 0.0, highest = 0.0, before = 0.0;
    int32_t plants = 0, from = v->first;
    for (int32_t i = v->first; i < v->frames;)
    {
        const int32_t end = plant_end(v, i);
        if (end == i)
        {
            ++i;
            continue;
        }
        const double level = plant_level(v, i, end, s->values);
        const double swing = plants > 0 ? sft_mind(before, level) : level;
        for (int32_t k = from; k < i; ++k)
            s->support[k] = swing;
        for (int32_t k = i; k < end; ++k)
            s->support[k] = level;
        lowest = plants > 0 ? sft_mind(lowest, level) : level;
        highest = plants > 0 ? sft_maxd(highest, level) : level;
        before = level;
        ++plants;
        from = i = end;
    }
    for (int32_t k = from; k < v->frames; ++k)
        s->support[k] = before;
    out->support_range_cm = (highest - lowest) * CM;
}

// How high a point stands above the toe's support in the foot's better plants (their lower quartile): one plant that
// sinks must not lower the floor for all, and one on the forefoot must not raise it.
static double rise_of(const foot_view* v, const sft_v3d* point, const metrics_scratch* s)
{
    int32_t plants = 0;
    for (int32_t i = v->first; i < v->frames;)
    {
        const int32_t end = plant_end(v, i);
        if (end == i)
        {
            ++i;
            continue;
        }
        double least = point[i].y;
        for (int32_t k = i + 1; k < end; ++k)
            least = sft_mind(least, point[k].y);
        s->levels[plants++] = least - s->support[i];
        i = end;
    }
    return sft_core_select(s->levels, (size_t)plants, (size_t)(plants / 4));
}

static double own_floor(const foot_view* v, const sft_v3d* point, double* values)
{
    for (int32_t i = v->first; i < v->frames; ++i)
        values[i - v->first] = point[i].y;
    return metrics_quantile(values, v->frames - v->first, 0.05);
}

// Deepest point below support, frame by frame.
static void measure_depth(const foot_view* v, const metrics_scratch* s, sft_metrics_foot* out)
{
    const bool planted = out->plant_count > 0;
    double rise[3] = {0.0, 0.0, 0.0};
    for (int p = 0; p < 3; ++p)
    {
        if (v->points[p] == NULL) continue;
        if (!planted)
            rise[p] = own_floor(v, v->points[p], s->values);
        else if (p > 0)
            rise[p] = rise_of(v, v->points[p], s);
    }
    double sum = 0.0;
    out->penetration_max_frame = -1;
    for (int32_t i = v->first; i < v->frames; ++i)
    {
        double depth = 0.0;
        for (int p = 0; p < 3; ++p)
            if (v->points[p] != NULL)
                depth = sft_maxd(depth, (planted ? s->support[i] : 0.0) + rise[p] - v->points[p][i].y);
        sum += depth;
        if (!(depth * CM > out->penetration_max_cm)) continue;
        out->penetration_max_cm = depth * CM;
        out->penetration_max_frame = i;
    }
    out->penetration_mean_cm = sum * CM / (v->frames - v->first);
}

static void measure_float(const foot_view* v, const double* support, sft_metrics_foot* out)
{
    out->float_max_frame = -1;
    for (int32_t i = v->first; i < v->frames; ++i)
    {
        if (!on(v, v->plant, i)) continue;
        const double height = (v->points[0][i].y - support[i]) * CM;
        if (!(height > out->float_max_cm)) continue;
        out->float_max_cm = height;
        out->float_max_frame = i;
    }
}

void metrics_foot_contact(const sft_metrics_input* input, int32_t foot, const metrics_scratch* scratch,
                          sft_metrics_foot* out)
{
    const foot_view v = view_of(input, foot);
    measure_slide(input, &v, out);
    if (out->plant_count > 0) fill_support(&v, scratch, out);
    measure_depth(&v, scratch, out);
    measure_float(&v, scratch->support, out);
}
