// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// Drawing shared by the report page and the picture: everything is SVG paths in the coordinates of a box.
#ifndef SUREFOOT_CLI_REPORT_H
#define SUREFOOT_CLI_REPORT_H

#include "cli.h"

// A box to draw in, and the values at its edges. `root`: the value axis is that of the square root, so that slow slide
// and fast swing can both be read.
typedef struct plot
{
    double x, y, w, h;
    double lo, hi;
    bool root;
} plot;

typedef enum series
{
    SERIES_SPEED,      // of the toe against the ground [m/s]
    SERIES_TOE_HEIGHT, // above the lowest point of both clips' feet [cm]
    SERIES_HEEL_HEIGHT
} series;

// What several drawings need to know.
typedef struct view
{
    const report_input* in;
    int32_t frames;
    double dt;
    sft_v3d along, across; // horizontal: way of travel and to its right
    bool travels;          // the clip goes somewhere, as seen from the ground
    bool moving_ground;    // positions are drawn as seen from ground that moves: a treadmill, a clip in place
    double floor;          // [m] lowest foot point of the cleaned clip
    double speed_top;      // [m/s] top of the speed axis
    double height_top;     // [cm]
} view;

// The mismatch in a sentence; of several characters, how many they are. Into out, which it answers.
const char* report_headline(const report_input* in, char* out, size_t capacity);
view report_view(const report_input* in);
// A position as seen from the ground: unchanged unless that moves.
sft_v3d on_ground(const view* v, sft_v3d p, int32_t frame);
// One value a frame into out[frames].
void report_series(const view* v, int32_t foot, bool after, series which, double* out);
double plot_y(const plot* p, double value);
// A path element through the series; more than 1400 frames become the least and the most of 700 spans.
void draw_series(cli_text* out, const plot* p, const double* values, int32_t count, const char* css);
// Path data (d attribute) of boxes where labels exceed the threshold.
void draw_spans(cli_text* out, const plot* p, const float* labels, int32_t count, double threshold, const char* css);
// Horizontal lines at round values; the values and their y go to ticks[8] and at[8]; their number returns.
int plot_ticks(const plot* p, double ticks[8], double at[8]);

// Poses of both clips along the way, seen from the side, scaled to the box; ground line and planted toes too.
// The height that it takes at that width returns through `height`.
void draw_poses(cli_text* out, const view* v, double x, double y, double w, double* height);
// Frames that draw_poses shows, for captions.
void pose_window(const view* v, int32_t* first, int32_t* last, int* count);

// What each joint belongs to, for draw_bones: 0 the upper body, 1 a left leg, 2 another leg. Release with free.
int8_t* report_parts(const view* v);
// Bones of one part of a pose in model space, seen from the side: x right along the way, from `x` on; heights up from
// `y`; `scale` units a metre.
void draw_bones(cli_text* out, const view* v, const sft_xformd* pose, const int8_t* parts, int part, const double at[3],
                const char* css);

// Toe paths from above, before over after, plants thick, way of travel to the right. Height at that width as above.
void draw_traces(cli_text* out, const view* v, double x, double y, double w, double* height);

// A chart of the page, 1000 units wide: its label, ticks, grid and open <svg>; what is drawn into it; and its end.
void report_open_chart(cli_text* out, const plot* p, const char* css, const char* name);
void report_close_chart(cli_text* out);
// Seconds below the charts.
void report_put_times(cli_text* out, double dt, int32_t frames);

// Text with <, &, > and quotes made safe.
void put_html(cli_text* out, const char* text);

#endif
