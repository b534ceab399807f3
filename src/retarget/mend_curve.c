// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// Smooth curves over a clip's frames. Of a cycle, a second of it is repeated before and after, which closes it to far
// below what is seen.

#include "retarget/mend.h"

#include "adapt/clip_band.h"

static const double PAD_S = 1.5; // of a cycle repeated at each end

sft_result md_curve_create(const md_problem* p, md_curve* c)
{
    memset(c, 0, sizeof *c);
    c->problem = p;
    if (p->period > 0)
    {
        const double pad = PAD_S / p->dt;
        c->pad = pad < (double)(4 * p->period) ? (int32_t)pad + 1 : 4 * p->period;
    }
    c->count = (p->period > 0 ? p->period : p->frames) + 2 * c->pad;
    const size_t n = (size_t)c->count, numbers = 5 + 2 * AD_BAND + AD_CURVE_SCRATCH;
    c->block_size = n * (numbers * sizeof(double) + 1);
    c->block = p->allocator.allocate(p->allocator.user, c->block_size);
    if (!c->block) return SFT_ERR_MEMORY;
    memset(c->block, 0, c->block_size);
    c->wanted = c->block;
    c->weight = c->wanted + n;
    c->low = c->weight + n;
    c->high = c->low + n;
    c->x = c->high + n;
    c->band = c->x + n;
    c->fixed = (uint8_t*)(c->band + n * (2 * AD_BAND + AD_CURVE_SCRATCH));
    for (size_t k = 0; k < n; ++k)
    {
        c->low[k] = -INFINITY;
        c->high[k] = INFINITY;
    }
    return SFT_OK;
}

void md_curve_release(md_curve* c)
{
    if (c->block) c->problem->allocator.release(c->problem->allocator.user, c->block, c->block_size);
    c->block = NULL;
}

void md_curve_solve(md_curve* c, md_times times, bool bounded, double* out)
{
    const md_problem* p = c->problem;
    const size_t n = (size_t)c->count;
    const double follow = times.follow / p->dt, tension = times.tension / p->dt;
    ad_curve a = {.count = c->count, .weight = c->weight, .fixed = c->fixed};
    a.third = follow * follow * follow * follow * follow * follow;
    a.first = a.third / (tension * tension * tension * tension);
    a.matrix = c->band;
    a.factor = c->band + n * AD_BAND;
    a.scratch = c->band + 2 * n * AD_BAND;
    ad_curve_begin(&a);
    ad_curve_solve(&a, c->wanted, c->x);
    int32_t steps = 0;
    if (bounded) ad_curve_solve_bounded(&a, c->wanted, c->low, c->high, c->x, &steps);
    for (int32_t i = 0; i < p->frames; ++i)
        out[i] = c->x[c->pad + (p->period > 0 ? i % p->period : i)];
}
