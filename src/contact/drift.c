// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// Slide that the body's travel does not explain: edited or blended joint rotations make a foot that bears creep. Then
// the plain rule finds little or nothing of a stance. Somebody must bear the weight, though: a toe that is low and
// vertically quiet, slow against the body, in a stance that has next to no plant, while the other feet do not stand
// either, is such a foot. Its creep is smooth (a quadratic in time, fitted robustly), landing and leaving are not, so
// the plant is where the toe follows the creep.

#include "contact/contact_internal.h"

#include "core/core.h"

#define STANCE_REACH 0.75   // [s] for the support nearby
#define STANCE_HEIGHT 0.045 // [m of a 0.9 m leg] above that support
#define STANCE_RISE 0.4     // [m/s] vertical speed
#define STANCE_SPEED 0.4    // [m/s] horizontal speed ...
#define STANCE_BODY 0.5     // ... plus this much of the body's
#define STANCE_TIME 0.15    // [s] shorter stances cannot tell creep from swing
#define UNEVEN_WAY 0.15     // [m of a 0.9 m leg] that a foot goes back in a stance: runs stand for less than that time
#define UNEVEN_RISE 0.25    // of an uneven ground's speed that a foot may rise or sink
#define MOSTLY_PLANTED 0.65 // share of a stance that has its plants already
#define STILL_SPEED 0.06    // [m/s] a toe that keeps below this ...
#define STILL_TIME 0.1      // [s] ... for so long stands; creep passes through zero faster
#define OTHERS_PLANTED 0.5  // share of the other feet's frames that explain where the weight is
#define FOLLOWS 0.5         // share of the stance that must follow the fitted creep
#define BODY_TOLERANCE 0.25 // tolerance about the creep grows with the body's speed, as blending noise does
#define CREEP_BODY 0.13     // creep below this share of the body's speed is how feet roll, and left to the plain rule
#define FIT_PASSES 12

typedef struct drift_scratch
{
    sft_v3d* velocity; ///< of the toe, backward difference
    double* body;      ///< body speed
    double* support;
    double* values; ///< n + 1
    int32_t* queue; ///< n + 1
    uint8_t* stance;
    uint8_t* follow;
} drift_scratch;

typedef struct creep
{
    int32_t order;
    sft_v3d c[3]; ///< of 1, t, t^2 with t from -1 to 1 over the stance
} creep;

static sft_v3d creep_at(const creep* fit, double t)
{
    return sft_v3d_add(fit->c[0], sft_v3d_add(sft_v3d_scale(t, fit->c[1]), sft_v3d_scale(t * t, fit->c[2])));
}

static double time_in_stance(int32_t i, int32_t count)
{
    return count > 1 ? 2.0 * (double)i / (double)(count - 1) - 1.0 : 0.0;
}

static double median_of(const sft_v3d* v, int32_t count, int axis, double* values)
{
    for (int32_t i = 0; i < count; ++i)
        values[i] = axis == 0 ? v[i].x : axis == 1 ? v[i].y : v[i].z;
    return sft_core_select(values, (size_t)count, (size_t)count / 2);
}

// Solves the symmetric normal equations of `size` unknowns by elimination; a small ridge keeps them regular.
static void solve_creep(double m[3][3], sft_v3d rhs[3], int32_t size, creep* fit)
{
    for (int32_t k = 0; k < size; ++k)
    {
        m[k][k] += 1e-9;
        for (int32_t r = k + 1; r < size; ++r)
        {
            const double f = m[r][k] / m[k][k];
            for (int32_t c = k; c < size; ++c)
                m[r][c] -= f * m[k][c];
            rhs[r] = sft_v3d_madd(rhs[r], -f, rhs[k]);
        }
    }
    for (int32_t k = size - 1; k >= 0; --k)
    {
        sft_v3d x = rhs[k];
        for (int32_t c = k + 1; c < size; ++c)
            x = sft_v3d_madd(x, -m[k][c], fit->c[c]);
        fit->c[k] = sft_v3d_scale(1.0 / m[k][k], x);
    }
}

// Iteratively reweighted least squares from the median, with a tolerance that narrows from 0.6 to 0.2 m/s.
static creep fit_creep(const sft_v3d* v, int32_t count, double* values)
{
    // Few frames must not be followed by as many unknowns.
    creep fit = {count >= 8 ? 2 : count >= 5 ? 1 : 0, {{0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}}};
    fit.c[0] =
        sft_v3d_make(median_of(v, count, 0, values), median_of(v, count, 1, values), median_of(v, count, 2, values));
    double tolerance = 0.6;
    for (int pass = 0; pass < FIT_PASSES; ++pass)
    {
        double s[5] = {0.0, 0.0, 0.0, 0.0, 0.0};
        sft_v3d rhs[3] = {{0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}};
        for (int32_t i = 0; i < count; ++i)
        {
            const double t = time_in_stance(i, count);
            const sft_v3d off = sft_v3d_sub(v[i], creep_at(&fit, t));
            const double weight = sft_maxd(1.0 - sft_v3d_dot(off, off) / (tolerance * tolerance), 0.0) + 1e-6;
            double power = weight;
            for (int k = 0; k < 5; ++k, power *= t)
            {
                s[k] += power;
                if (k < 3) rhs[k] = sft_v3d_madd(rhs[k], power, v[i]);
            }
        }
        double m[3][3] = {{s[0], s[1], s[2]}, {s[1], s[2], s[3]}, {s[2], s[3], s[4]}};
        solve_creep(m, rhs, fit.order + 1, &fit);
        tolerance = sft_maxd(0.2, 0.85 * tolerance);
    }
    return fit;
}

// Mean speed of the fitted creep over the stance.
static double creep_speed(const creep* fit, int32_t count)
{
    double sum = 0.0;
    for (int32_t i = 0; i < count; ++i)
        sum += sft_v3d_length(creep_at(fit, time_in_stance(i, count)));
    return sum / (double)count;
}

static double share(const uint8_t* bits, int32_t count)
{
    int32_t set = 0;
    for (int32_t i = 0; i < count; ++i)
        set += bits[i];
    return (double)set / (double)count;
}

// True where the toe keeps still for a while: then it stands there, and what is around in the stance is landing and
// leaving, which the plain rule tells better.
static bool stands_still(const contact_view* view, const drift_scratch* s, int32_t start, int32_t count)
{
    int32_t run = 0;
    for (int32_t i = start; i < start + count; ++i)
    {
        run = sft_v3d_length(s->velocity[i]) < STILL_SPEED * view->scale ? run + 1 : 0;
        if ((double)run * view->dt >= STILL_TIME) return true;
    }
    return false;
}

static double others_share(const contact_view* view, const uint8_t* base, int32_t foot, int32_t start, int32_t count)
{
    if (view->foot_count < 2) return 0.0;
    double sum = 0.0;
    for (int32_t f = 0; f < view->foot_count; ++f)
        if (f != foot) sum += share(base + (size_t)f * (size_t)view->frames + (size_t)start, count);
    return sum / (double)(view->foot_count - 1);
}

// Fits one stance and adds its plant where enough of it follows the creep.
static void add_stance(const sft_contact_def* def, const contact_view* view, const drift_scratch* s, int32_t start,
                       int32_t count, uint8_t* plant)
{
    const creep fit = fit_creep(s->velocity + start, count, s->values);
    if (creep_speed(&fit, count) < CREEP_BODY * s->body[start + count / 2]) return;
    for (int32_t i = 0; i < count; ++i)
    {
        const double tolerance = def->plant_speed + BODY_TOLERANCE * s->body[start + i];
        const sft_v3d off = sft_v3d_sub(s->velocity[start + i], creep_at(&fit, time_in_stance(i, count)));
        s->follow[i] = (uint8_t)(sft_v3d_length(off) < tolerance);
    }
    sft_contact_majority(s->follow, count, sft_contact_odd_window(def->filter_window, view->dt), s->queue);
    if (share(s->follow, count) < FOLLOWS) return;
    for (int32_t i = 0; i < count; ++i)
        if (s->follow[i]) plant[start + i] = 1;
}

// Support nearby as elsewhere, but where the clip's start or end cuts one side short, the longer side has the say: a
// foot that rises until the clip ends is its own lowest point from there on.
static void find_support(const contact_view* view, const sft_v3d* toe, const drift_scratch* s)
{
    const int32_t n = view->frames, reach = sft_contact_frames(STANCE_REACH, view->dt, n);
    sft_contact_lowest(toe, n, reach, 0, s->support, s->queue);
    sft_contact_lowest(toe, n, 0, reach, s->values, s->queue);
    for (int32_t i = 0; i < n; ++i)
    {
        const int32_t before = i, after = n - 1 - i;
        if (after < reach && after < before) continue;
        const bool cut = before < reach && before < after;
        s->support[i] = cut ? s->values[i] : sft_maxd(s->support[i], s->values[i]);
    }
}

// Slow against the body; where the ground is a mean, the way of that ground at any speed, for a swing goes the other
// way.
static bool goes_back(const contact_view* view, sft_v3d v, double body)
{
    const double ground = sft_v3d_length(view->uneven), bound = STANCE_SPEED + STANCE_BODY * body;
    if (!(ground > 0.0)) return sqrt(v.x * v.x + v.z * v.z) < bound;
    const double x = view->uneven.x / ground, z = view->uneven.z / ground;
    const double along = v.x * x + v.z * z, across = fabs(v.x * z - v.z * x);
    return along > -0.95 * ground && across < bound + along + ground;
}

static double stance_rise(const contact_view* view)
{
    return sft_maxd(STANCE_RISE, UNEVEN_RISE * sft_v3d_length(view->uneven));
}

static double stance_time(const contact_view* view)
{
    const double ground = sft_v3d_length(view->uneven);
    return ground > 0.0 ? sft_mind(STANCE_TIME, UNEVEN_WAY * view->scale / ground) : STANCE_TIME;
}

static void mark_stances(const sft_contact_def* def, const contact_view* view, int32_t foot, const drift_scratch* s)
{
    const int32_t n = view->frames;
    const sft_v3d* toe = view->feet[foot].toe;
    for (int32_t i = 0; i < n; ++i)
    {
        const int32_t j = i > 0 ? i : 1;
        s->velocity[i] = sft_v3d_scale(1.0 / view->dt, sft_v3d_sub(toe[j], toe[j - 1]));
    }
    find_support(view, toe, s);
    const double rise = stance_rise(view);
    for (int32_t i = 0; i < n; ++i)
    {
        const bool low = toe[i].y - s->support[i] < STANCE_HEIGHT * view->scale;
        s->stance[i] = (uint8_t)(low && fabs(s->velocity[i].y) < rise && goes_back(view, s->velocity[i], s->body[i]));
    }
    sft_contact_majority(s->stance, n, sft_contact_odd_window(def->filter_window, view->dt), s->queue);
}

static void add_foot(const sft_contact_def* def, const contact_view* view, const uint8_t* base, int32_t foot,
                     const drift_scratch* s, uint8_t* plant)
{
    const int32_t n = view->frames;
    const uint8_t* own = base + (size_t)foot * (size_t)n;
    const bool uneven = sft_v3d_length(view->uneven) > 0.0;
    const double least = stance_time(view);
    mark_stances(def, view, foot, s);
    for (int32_t start = 0, end; start < n; start = end + 1)
    {
        end = start;
        while (end < n && s->stance[end])
            ++end;
        const int32_t count = end - start;
        if (count < 2 || (double)count * view->dt < least) continue;
        if (uneven)
        {
            // Whatever speed it keeps: the foot is low and quiet and goes the way of the others.
            memset(plant + (size_t)foot * (size_t)n + (size_t)start, 1, (size_t)count);
            continue;
        }
        if (share(own + start, count) >= MOSTLY_PLANTED) continue;
        if (stands_still(view, s, start, count)) continue;
        if (others_share(view, base, foot, start, count) > OTHERS_PLANTED) continue;
        add_stance(def, view, s, start, count, plant + (size_t)foot * (size_t)n);
    }
}

bool sft_contact_drifting_plants(const sft_contact_def* def, const contact_view* view, const sft_allocator* allocator,
                                 uint8_t* plant)
{
    const size_t n = (size_t)view->frames, all = n * (size_t)view->foot_count;
    if (view->frames < 2) return true;
    drift_scratch s;
    uint8_t* base = sft_core_alloc(allocator, all, 1);
    s.velocity = sft_core_alloc(allocator, n, sizeof *s.velocity);
    s.body = sft_core_alloc(allocator, n, sizeof *s.body);
    s.support = sft_core_alloc(allocator, n, sizeof *s.support);
    s.values = sft_core_alloc(allocator, n + 1, sizeof *s.values);
    s.queue = sft_core_alloc(allocator, n + 1, sizeof *s.queue);
    s.stance = sft_core_alloc(allocator, n, 1);
    s.follow = sft_core_alloc(allocator, n, 1);
    const bool ok = base != NULL && s.velocity != NULL && s.body != NULL && s.support != NULL && s.values != NULL &&
                    s.queue != NULL && s.stance != NULL && s.follow != NULL;
    if (ok)
    {
        // Judged on the plants that were there before, so that the order of feet does not matter.
        memcpy(base, plant, all);
        sft_contact_body_speed(view->pelvis, view->frames, view->dt, s.body, s.values);
        for (int32_t f = 0; f < view->foot_count; ++f)
            add_foot(def, view, base, f, &s, plant);
    }
    sft_core_free(allocator, s.follow, n, 1);
    sft_core_free(allocator, s.stance, n, 1);
    sft_core_free(allocator, s.queue, n + 1, sizeof *s.queue);
    sft_core_free(allocator, s.values, n + 1, sizeof *s.values);
    sft_core_free(allocator, s.support, n, sizeof *s.support);
    sft_core_free(allocator, s.body, n, sizeof *s.body);
    sft_core_free(allocator, s.velocity, n, sizeof *s.velocity);
    sft_core_free(allocator, base, all, 1);
    return ok;
}
