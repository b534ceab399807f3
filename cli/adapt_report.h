// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// What the page of `surefoot adapt --report` is drawn from.
#ifndef SUREFOOT_CLI_ADAPT_REPORT_H
#define SUREFOOT_CLI_ADAPT_REPORT_H

#include "adapt.h"
#include "report.h"

// One clip on its ground. `view.in` has the clip as it stood on its floor for before, as it was written for after.
typedef struct adapt_view
{
    const adapt* a;
    const adapt_job* j;
    view view;
} adapt_view;

// The ground straight below p, looked for from `above` over it [m], 6 m down. False: none.
bool adapt_ground_at(const adapt_view* v, sft_v3d p, double above, sft_ground_hit* hit);

// Poses along the way, seen from the side: the clip on its floor in one lane, on the ground in the other, the ground as
// the slice under the walk. *height: what it takes at width w. *first, *last: frames shown.
void adapt_draw_strips(cli_text* out, const adapt_view* v, double w, double* height, int32_t* first, int32_t* last);

// A joint's distance from what it is over [cm], frame by frame: before, the floor; after, the ground, square to it; NaN
// where there is none.
void adapt_height_series(const adapt_view* v, const sft_v3d* track, bool after, double* out);

// A path through the series that breaks where it has no number; long ones are thinned to the least and the most of
// spans.
void adapt_draw_series(cli_text* out, const plot* p, const double* values, int32_t count, const char* css);

#endif
