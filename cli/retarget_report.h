// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// What page and picture of `surefoot retarget` share.
#ifndef SUREFOOT_CLI_RETARGET_REPORT_H
#define SUREFOOT_CLI_RETARGET_REPORT_H

#include "report.h"
#include "retarget.h"

typedef struct both_view
{
    const retarget* r;
    const retarget_job* j;
    int32_t first, last, frames; // frames that strips show: from first to last; all there are
    double dt;
    double heading; // [rad] mean way that the source looks, in figure space about Y
    double speed_top, height_top, turn_top;
} both_view;

// From where a strip is seen.
typedef enum look
{
    LOOK_SIDE, // forward is to the right
    LOOK_FRONT // from ahead, a little from its left and from above
} look;

typedef enum foot_series
{
    FOOT_SPEED, // of the toe against the ground [m/s]
    FOOT_HEIGHT // of the toe over the ground [cm]
} foot_series;

typedef enum stage_of
{
    STAGE_SOURCE, // times the scale of the travel
    STAGE_MOVED,
    STAGE_WRITTEN
} stage_of;

both_view retarget_view(const retarget* r, const retarget_job* j);
// Source above target at the same frames, each to its own height. What it takes at width w returns through *height.
void retarget_draw_strips(cli_text* out, const both_view* v, look from, const double at[2], double w, double* height);
// One value a frame of a foot of the target, or of its counterpart; false where there is none.
bool retarget_foot_series(const both_view* v, int32_t leg, stage_of stage, foot_series which, double* out);
// "The feet stand as they did" and the like: the headline.
const char* retarget_sentence(const retarget* r, const retarget_job* j, char* out, size_t capacity);

#endif
