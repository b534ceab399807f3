// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// Windows over tracks and labels. Every one is linear in frames, whatever its width.

#include "contact/contact_internal.h"

#include "core/core.h"

int32_t sft_contact_odd_window(double seconds, double dt)
{
    const double rounded = floor(seconds / dt + 0.5);
    const int32_t window = (int32_t)sft_clampd(rounded, 3.0, 1e8);
    return window % 2 == 0 ? window + 1 : window;
}

int32_t sft_contact_frames(double seconds, double dt, int32_t n)
{
    return (int32_t)sft_clampd(floor(seconds / dt + 0.5), 0.0, (double)n);
}

int32_t sft_contact_rate_factor(double dt)
{
    // Frame times are written rounded (0.0167): 59 Hz is 60.
    const double factor = ceil(59.0 * dt);
    return (int32_t)sft_clampd(factor, 1.0, 32.0);
}

void sft_contact_majority(uint8_t* bits, int32_t n, int32_t window, int32_t* cumulative)
{
    if (n <= 0) return;
    const int64_t half = window / 2;
    const int64_t first = bits[0], last = bits[n - 1];
    cumulative[0] = 0;
    for (int32_t i = 0; i < n; ++i)
        cumulative[i + 1] = cumulative[i] + bits[i];
    for (int64_t i = 0; i < n; ++i)
    {
        const int64_t lo = i - half, hi = i + half + 1;
        int64_t count = cumulative[hi < n ? hi : n] - cumulative[lo > 0 ? lo : 0];
        if (lo < 0) count -= lo * first;
        if (hi > n) count += (hi - n) * last;
        bits[i] = (uint8_t)(2 * count > window);
    }
}

void sft_contact_lowest(const sft_v3d* track, int32_t n, int32_t back, int32_t ahead, double* out, int32_t* queue)
{
    // The queue holds frames of the window whose height nothing later undercuts: its head is the lowest.
    int32_t head = 0, tail = 0, next = 0;
    for (int32_t i = 0; i < n; ++i)
    {
        const int32_t end = ahead < n - 1 - i ? i + ahead : n - 1;
        for (; next <= end; ++next)
        {
            while (tail > head && track[queue[tail - 1]].y >= track[next].y)
                --tail;
            queue[tail++] = next;
        }
        while (queue[head] < i - back)
            ++head;
        out[i] = track[queue[head]].y;
    }
}

void sft_contact_support(const sft_v3d* track, int32_t n, int32_t reach, double* out, double* scratch, int32_t* queue)
{
    sft_contact_lowest(track, n, reach, 0, out, queue);
    sft_contact_lowest(track, n, 0, reach, scratch, queue);
    for (int32_t i = 0; i < n; ++i)
        out[i] = sft_maxd(out[i], scratch[i]);
}

static double cubic(double before, double from, double to, double after, double t)
{
    const double slope_from = 0.5 * (to - before), slope_to = 0.5 * (after - from);
    const double step = to - from;
    return from +
           t * (slope_from + t * (3.0 * step - 2.0 * slope_from - slope_to + t * (slope_from + slope_to - 2.0 * step)));
}

void sft_contact_resample(const sft_v3d* track, int32_t n, int32_t factor, sft_v3d* out)
{
    for (int32_t i = 0; i + 1 < n; ++i)
    {
        const sft_v3d b = track[i], c = track[i + 1];
        // Beyond the ends the motion goes on as it came, so that the first and last speeds are not halved.
        const sft_v3d a = i > 0 ? track[i - 1] : sft_v3d_madd(b, -1.0, sft_v3d_sub(c, b));
        const sft_v3d d = i + 2 < n ? track[i + 2] : sft_v3d_madd(c, 1.0, sft_v3d_sub(c, b));
        out[(size_t)i * (size_t)factor] = b;
        for (int32_t k = 1; k < factor; ++k)
        {
            const double t = (double)k / (double)factor;
            out[(size_t)i * (size_t)factor + (size_t)k] =
                sft_v3d_make(cubic(a.x, b.x, c.x, d.x, t), cubic(a.y, b.y, c.y, d.y, t), cubic(a.z, b.z, c.z, d.z, t));
        }
    }
    out[(size_t)(n - 1) * (size_t)factor] = track[n - 1];
}

void sft_contact_body_speed(const sft_v3d* pelvis, int32_t n, double dt, double* out, double* cumulative)
{
    const int64_t half = sft_contact_frames(0.25, dt, n);
    cumulative[0] = 0.0;
    for (int32_t i = 0; i < n; ++i)
    {
        const int32_t j = i > 0 ? i : 1;
        const double dx = n > 1 ? pelvis[j].x - pelvis[j - 1].x : 0.0;
        const double dz = n > 1 ? pelvis[j].z - pelvis[j - 1].z : 0.0;
        cumulative[i + 1] = cumulative[i] + sqrt(dx * dx + dz * dz) / dt;
    }
    for (int64_t i = 0; i < n; ++i)
    {
        const int64_t lo = i - half > 0 ? i - half : 0;
        const int64_t hi = i + half + 1 < n ? i + half + 1 : n;
        out[i] = (cumulative[hi] - cumulative[lo]) / (double)(hi - lo);
    }
}

bool sft_contact_mean_body_speed(const contact_view* view, const sft_allocator* allocator, double* out)
{
    const size_t n = (size_t)view->frames;
    double* block = sft_core_alloc(allocator, 2 * n + 1, sizeof *block);
    if (block == NULL) return false;
    sft_contact_body_speed(view->pelvis, view->frames, view->dt, block, block + n);
    double sum = 0.0;
    for (size_t i = 0; i < n; ++i)
        sum += block[i];
    *out = sum / (double)n;
    sft_core_free(allocator, block, 2 * n + 1, sizeof *block);
    return true;
}
