// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// What `surefoot convert` does to a clip: root scale, frame range, frame rate, in this order.
#ifndef SUREFOOT_CLI_EDITS_H
#define SUREFOOT_CLI_EDITS_H

#include "cli.h"

typedef struct edits
{
    bool scaled, sliced, resampled, to_end;
    double scale, fps;
    int32_t first, last;
} edits;

// Frames that --frames asks for, of `count`; EXIT_USAGE with a message where they do not fit.
int edits_range(const edits* e, const loaded* file, int32_t count, int32_t* first, int32_t* last);
// Whether the rate is another one: a rate that the file has within 1 in 100,000 is no reason to touch every number.
bool edits_new_rate(const edits* e, double frame_time, int32_t frame_count);
// Puts a BVH document's rows, or the clip that was taken from a glTF document, through the edits. The clip must be
// taken (cli_take_clip); frame_count, frame_time and first_frame follow.
int edit_bvh(const edits* e, loaded* file);
int edit_gltf(const edits* e, loaded* file);

#endif
