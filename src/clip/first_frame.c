// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// Notices a reference pose at the start of a clip. Some exporters put the rest pose into frame 0; the step from there
// into the motion is larger than any step later. Some tools smooth that jump over a few frames: they are motion, badly
// filtered, and count as such, but are not held against the jump. Steps are root mean square displacements of joints,
// which see turns and travel alike.

#include "surefoot/clip.h"

#include "core/core.h"

// Steps looked at after the start, spread evenly: a reference pose must beat all of them.
#define SAMPLES 256
// The jump may be smeared by a tool's filter over this many frames, and this long [s].
#define SMEAR_FRAMES 12
#define SMEAR_SECONDS 0.1
// A jump is at least this part of the figure's size.
#define JUMP_PART 0.03
// Joint turns of a frame like the rest pose [rad, root mean square]: T-poses of real files have 0.05 to 0.12.
#define REST_LIKE 0.25

// Model-space positions of two poses would need memory; joints are few enough to be walked up for, but not 60,000 of
// them: at most this many are looked at, spread evenly.
#define LOOKED_AT 48
// Longest way up that is walked; deeper joints are left out.
#define DEEPEST 256

typedef struct watcher
{
    const sft_skeleton* skeleton;
    const sft_clip* clip;
    int32_t joints[LOOKED_AT];
    int32_t count;
} watcher;

static bool is_shallow(const sft_skeleton* skeleton, int32_t joint)
{
    int32_t depth = 0;
    for (int32_t j = joint; j >= 0 && depth <= DEEPEST; j = skeleton->parents[j])
        ++depth;
    return depth <= DEEPEST;
}

static void choose_joints(watcher* w)
{
    const int32_t n = w->skeleton->joint_count;
    const int32_t step = 1 + (n - 1) / LOOKED_AT;
    for (int32_t j = 0; j < n && w->count < LOOKED_AT; j += step)
        if (is_shallow(w->skeleton, j)) w->joints[w->count++] = j;
}

static sft_v3d position(const watcher* w, int32_t frame, int32_t joint)
{
    const size_t row = (size_t)frame * (size_t)w->clip->joint_count;
    return sft_skeleton_joint_model(w->skeleton, w->clip->translations + row, w->clip->rotations + row, joint).t;
}

static double step_after(const watcher* w, int32_t frame)
{
    double sum = 0.0;
    for (int32_t i = 0; i < w->count; ++i)
    {
        const sft_v3d d = sft_v3d_sub(position(w, frame + 1, w->joints[i]), position(w, frame, w->joints[i]));
        sum += sft_v3d_dot(d, d);
    }
    return w->count > 0 ? sqrt(sum / (double)w->count) : 0.0;
}

// Figure's size: the diagonal of the joints in the middle of the clip.
static double size_of(const watcher* w)
{
    sft_v3d low = {0, 0, 0}, high = {0, 0, 0};
    for (int32_t i = 0; i < w->count; ++i)
    {
        const sft_v3d p = position(w, w->clip->frame_count / 2, w->joints[i]);
        if (i == 0) low = high = p;
        low = sft_v3d_make(sft_mind(low.x, p.x), sft_mind(low.y, p.y), sft_mind(low.z, p.z));
        high = sft_v3d_make(sft_maxd(high.x, p.x), sft_maxd(high.y, p.y), sft_maxd(high.z, p.z));
    }
    return sft_v3d_distance(low, high);
}

// Root mean square turn of all joints from the rest pose. The root is left out: a clip may face anywhere.
static double turn_from_rest(const watcher* w, int32_t frame)
{
    const size_t row = (size_t)frame * (size_t)w->clip->joint_count;
    double sum = 0.0, count = 0.0;
    for (int32_t j = 0; j < w->skeleton->joint_count; ++j)
    {
        if (w->skeleton->parents[j] < 0 || (w->skeleton->flags[j] & SFT_JOINT_END_SITE) != 0) continue;
        const double c = fabs(sft_quatd_dot(w->skeleton->rest_rotations[j], w->clip->rotations[row + (size_t)j]));
        const double angle = 2.0 * sft_acos(sft_mind(c, 1.0));
        sum += angle * angle;
        count += 1.0;
    }
    return count > 0.0 ? sqrt(sum / count) : 0.0;
}

// First frame after the jump and its smear: steps fall to a small part of the jump.
static int32_t after_jump(const watcher* w, double jump, double typical)
{
    const int32_t last = w->clip->frame_count - 2;
    int32_t f = 1;
    while (f < last && f < SMEAR_FRAMES && (double)f * w->clip->frame_time < SMEAR_SECONDS &&
           step_after(w, f) > sft_maxd(0.15 * jump, 4.0 * typical))
        ++f;
    return f;
}

static void largest_and_typical(const watcher* w, int32_t from, double* largest, double* typical)
{
    double steps[SAMPLES];
    const int32_t all = w->clip->frame_count - 1 - from, count = all < SAMPLES ? all : SAMPLES;
    *largest = 0.0;
    *typical = 0.0;
    for (int32_t k = 0; k < count; ++k)
    {
        steps[k] = step_after(w, from + (int32_t)((int64_t)k * all / count));
        *largest = sft_maxd(*largest, steps[k]);
    }
    if (count > 0) *typical = sft_core_select(steps, (size_t)count, (size_t)count / 2);
}

int32_t sft_clip_first_frame(const sft_skeleton* skeleton, const sft_clip* clip, char* reason)
{
    if (reason != NULL) reason[0] = '\0';
    if (skeleton == NULL || clip == NULL || clip->joint_count != skeleton->joint_count || clip->frame_count < 4)
        return 0;
    watcher w = {.skeleton = skeleton, .clip = clip};
    choose_joints(&w);
    const double jump = step_after(&w, 0), size = size_of(&w);
    if (!(jump > JUMP_PART * size) || !(size > 0.0)) return 0;
    double largest, typical;
    largest_and_typical(&w, 1 + clip->frame_count / 8, &largest, &typical);
    const int32_t after = after_jump(&w, jump, typical);
    largest_and_typical(&w, after, &largest, &typical);
    const double rest = turn_from_rest(&w, 0), later = turn_from_rest(&w, after + (clip->frame_count - after) / 2);
    const bool like_rest = rest < REST_LIKE && rest < 0.5 * later;
    // A jump from something like the rest pose must beat every later step; from any other pose, by far.
    if (!(jump > (like_rest ? 1.5 : 5.0) * largest)) return 0;
    if (reason != NULL)
        sft_core_format(reason, 128,
                        "frame 0 is a %s: it is left by %g cm in one frame, later frames move %g cm at most",
                        like_rest ? "reference pose" : "pose apart", floor(1000.0 * jump + 0.5) / 10.0,
                        floor(1000.0 * largest + 0.5) / 10.0);
    return 1;
}
