// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// Article 000's offline method, as a yardstick: pelvis and toes as particles, thousands of Gauss-Seidel sweeps over
// soft and hard distance rules, then a leg solve towards the toe particles. Order of the rules within a sweep, frames
// ascending and updated in place: toes between frames, pelvis between frames (once a leg), pelvis to toe within the
// frame. What the article calls ground height is the median height of the leg's planted toes here, since real floors
// are not zero. A cycle's seam is not closed by this method.

#include "cleanup/direct.h"
#include "cleanup/relax.h"

static const double SOFTENING = 0.005;     // m, the article's
static const double MAX_EXTENSION = 0.995; // of the chain, where the source does not reach further itself

typedef struct particles
{
    sft_v3d* pelvis; // source path; the moving one is source + problem->shift
    sft_v3d* now;    // pelvis
    sft_v3d* toes;   // [leg * frames + frame]
    double* ground;  // per leg
    double* values;
} particles;

static void release(const cu_problem* p, particles* w)
{
    const size_t n = (size_t)p->frames, legs = (size_t)p->leg_count;
    sft_core_free(&p->allocator, w->pelvis, n, sizeof *w->pelvis);
    sft_core_free(&p->allocator, w->now, n, sizeof *w->now);
    sft_core_free(&p->allocator, w->toes, n * legs, sizeof *w->toes);
    sft_core_free(&p->allocator, w->ground, legs, sizeof(double));
    sft_core_free(&p->allocator, w->values, n, sizeof(double));
}

static bool create(const cu_problem* p, particles* w)
{
    const size_t n = (size_t)p->frames, legs = (size_t)p->leg_count;
    memset(w, 0, sizeof *w);
    w->pelvis = sft_core_alloc(&p->allocator, n, sizeof *w->pelvis);
    w->now = sft_core_alloc(&p->allocator, n, sizeof *w->now);
    w->toes = sft_core_alloc(&p->allocator, n * legs, sizeof *w->toes);
    w->ground = sft_core_alloc(&p->allocator, legs, sizeof(double));
    w->values = sft_core_alloc(&p->allocator, n, sizeof(double));
    return w->pelvis && w->now && w->toes && w->ground && w->values;
}

static void start(const cu_problem* p, particles* w)
{
    const int32_t n = p->frames;
    for (int32_t l = 0; l < p->leg_count; ++l)
    {
        const size_t base = (size_t)l * (size_t)n;
        size_t count = 0;
        for (int32_t i = 0; i < n; ++i)
        {
            w->toes[base + (size_t)i] = p->source[base + (size_t)i].toe;
            if (p->plant_of[base + (size_t)i] >= 0) w->values[count++] = p->source[base + (size_t)i].toe.y;
        }
        w->ground[l] = count ? sft_core_select(w->values, count, count / 2) : -SFT_HUGE;
    }
    // The pelvis particle only ever enters by differences and by its distance to the toes: any point that moves with
    // the pelvis and lies between the hips will do.
    const double share = 1.0 / (double)p->leg_count;
    for (int32_t i = 0; i < n; ++i)
    {
        sft_v3d sum = {0};
        for (int32_t l = 0; l < p->leg_count; ++l)
            sum = sft_v3d_add(sum, p->source[(size_t)l * (size_t)n + (size_t)i].hip);
        w->pelvis[i] = w->now[i] = sft_v3d_scale(share, sum);
    }
}

static void pull_toes(const cu_problem* p, particles* w, int32_t leg, int32_t i, sft_v3d rest)
{
    const size_t at = (size_t)leg * (size_t)p->frames + (size_t)i;
    sft_v3d* before = w->toes + at - 1;
    sft_v3d* now = w->toes + at;
    const double ground = w->ground[leg];
    sft_v3d to_before, to_now;
    double factor = p->def->relax_soft;
    if (p->plant_of[at - 1] >= 0 && p->plant_of[at] >= 0)
    {
        factor = p->def->relax_hard;
        const sft_v3d ride = sft_v3d_scale(0.5 * p->dt, p->ground);
        sft_v3d middle = sft_v3d_lerp(*before, *now, 0.5);
        middle.y = ground;
        to_before = sft_v3d_sub(middle, ride);
        to_now = sft_v3d_add(middle, ride);
    }
    else
    {
        to_before = sft_v3d_sub(*now, rest);
        to_now = sft_v3d_add(*before, rest);
        to_before.y = sft_maxd(to_before.y, ground);
        to_now.y = sft_maxd(to_now.y, ground);
    }
    *before = sft_v3d_lerp(*before, to_before, factor);
    *now = sft_v3d_lerp(*now, to_now, factor);
}

static void pull_pelvis(const cu_problem* p, particles* w, int32_t i)
{
    const sft_v3d rest = sft_v3d_sub(w->pelvis[i], w->pelvis[i - 1]);
    const sft_v3d to_before = sft_v3d_sub(w->now[i], rest), to_now = sft_v3d_add(w->now[i - 1], rest);
    w->now[i - 1] = sft_v3d_lerp(w->now[i - 1], to_before, p->def->relax_soft);
    w->now[i] = sft_v3d_lerp(w->now[i], to_now, p->def->relax_soft);
}

static void pull_length(const cu_problem* p, particles* w, int32_t leg, int32_t i)
{
    const size_t at = (size_t)leg * (size_t)p->frames + (size_t)i;
    const double rest = sft_v3d_distance(w->pelvis[i], p->source[at].toe);
    const sft_v3d pelvis = w->now[i], toe = w->toes[at];
    const sft_v3d direction = sft_v3d_normalize_or(sft_v3d_sub(pelvis, toe), sft_v3d_make(0, 1, 0));
    if (p->move_pelvis) w->now[i] = sft_v3d_lerp(pelvis, sft_v3d_madd(toe, rest, direction), p->def->relax_soft);
    w->toes[at] = sft_v3d_lerp(toe, sft_v3d_madd(pelvis, -rest, direction), p->def->relax_soft);
}

static void sweep(const cu_problem* p, particles* w)
{
    for (int32_t i = 0; i < p->frames; ++i)
    {
        for (int32_t l = 0; l < p->leg_count && i > 0; ++l)
        {
            const size_t at = (size_t)l * (size_t)p->frames + (size_t)i;
            pull_toes(p, w, l, i, sft_v3d_sub(p->source[at].toe, p->source[at - 1].toe));
            if (p->move_pelvis) pull_pelvis(p, w, i);
        }
        for (int32_t l = 0; l < p->leg_count; ++l)
            pull_length(p, w, l, i);
    }
}

// Angles that bring the toe to `toe` with the foot's orientation kept; the article's soft limit where the leg is too
// short.
static void solve_leg(const cu_leg_frame* f, sft_v3d shift, sft_v3d toe, double* q)
{
    const sft_v3d aim = sft_v3d_sub(sft_v3d_add(toe, f->foot), sft_v3d_add(f->hip, shift));
    const double across = sft_v3d_dot(f->thigh, f->side) * sft_v3d_dot(f->shin, f->side);
    const double thigh = sft_v3d_length(f->thigh), shin = sft_v3d_length(f->shin);
    const double fixed = thigh * thigh + shin * shin + 2.0 * across;
    const double radius =
        sqrt(sft_maxd(thigh * thigh - sft_v3d_dot(f->thigh, f->side) * sft_v3d_dot(f->thigh, f->side), 0.0) *
             sft_maxd(shin * shin - sft_v3d_dot(f->shin, f->side) * sft_v3d_dot(f->shin, f->side), 0.0));
    const double source = sft_v3d_length(sft_v3d_add(f->thigh, f->shin));
    const double limit = sft_maxd(source, MAX_EXTENSION * (thigh + shin)) + SOFTENING;
    double length = sft_v3d_length(aim);
    if (length > limit - SOFTENING) length = limit - SOFTENING * sft_exp(-(length - limit + SOFTENING) / SOFTENING);
    const double cosine = sft_clampd((length * length - fixed) / sft_maxd(2.0 * radius, SFT_LENGTH_EPS), -1.0, 1.0);
    const double angle = sft_acos(cosine);
    q[2] = (f->knee_angle < 0.0 ? -angle : angle) - f->knee_angle;
    q[3] = 0.0;
    const cu_bend bend = cu_bend_knee(f, q[2]);
    cu_measure_turn(f, bend.unit, sft_v3d_normalize_or(aim, f->along), q);
}

sft_result cu_relax_solve(cu_problem* p, sft_cleanup_report* report)
{
    particles w;
    if (!create(p, &w))
    {
        release(p, &w);
        return SFT_ERR_MEMORY;
    }
    start(p, &w);
    for (int32_t k = 0; k < p->def->relax_sweeps; ++k)
        sweep(p, &w);
    report->iterations = p->def->relax_sweeps;
    const int32_t n = p->frames;
    for (int32_t i = 0; i < n; ++i)
    {
        p->shift[i] = sft_v3d_sub(w.now[i], w.pelvis[i]);
        for (int32_t l = 0; l < p->leg_count; ++l)
        {
            const size_t at = (size_t)l * (size_t)n + (size_t)i;
            solve_leg(p->source + at, p->shift[i], w.toes[at], p->angles + at * 4);
        }
    }
    for (int32_t k = 0; k < p->plant_count; ++k)
    {
        cu_plant* plant = p->plants + k;
        const size_t base = (size_t)plant->leg * (size_t)n;
        sft_v3d sum = {0};
        for (int32_t j = 0; j < plant->count; ++j)
        {
            const int32_t i = (plant->first + j) % n;
            sum = sft_v3d_add(sum, sft_v3d_sub(cu_toe(p, base + (size_t)i, i), cu_plant_offset(p, plant, i)));
        }
        plant->place = sft_v3d_scale(1.0 / (double)plant->count, sum);
        for (int32_t j = 0; j < plant->count; ++j)
        {
            const int32_t i = (plant->first + j) % n;
            const sft_v3d place = sft_v3d_add(plant->place, cu_plant_offset(p, plant, i));
            p->miss[base + (size_t)i] = sft_v3d_distance(cu_toe(p, base + (size_t)i, i), place);
        }
    }
    report->converged = true;
    release(p, &w);
    return SFT_OK;
}
