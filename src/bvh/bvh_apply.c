// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// Clip to document: solved transforms back into channels.
//
// Solved angles and positions are rounded to 1e-10 of a degree or of a file unit. That is 1.7e-12 rad, below what any
// later step can see, and it turns 17 digits into 13 at most. A value that did not change keeps its double.

#include <math.h>

#include "bvh/bvh.h"

// [rad] largest rotation that a joint with fewer than three rotation channels may fail to express.
#define EXPRESS_TOLERANCE 1e-9
// A translation component differs from what the row says: relative, and absolute in file units.
#define SAME 1e-12
// [rad] a step of the file's own rotation above this is a jump (a reference pose, a cut), not motion.
#define JUMP 0.35

static double rounded(double v)
{
    // Above this the product would leave the range in which doubles hold every integer.
    return fabs(v) < 9e5 ? floor(v * 1e10 + 0.5) / 1e10 : v;
}

static bool same_rotation(sft_quatd a, sft_quatd b)
{
    const double s = sft_quatd_dot(a, b) < 0.0 ? -1.0 : 1.0;
    return fabs(a.x - s * b.x) <= SAME && fabs(a.y - s * b.y) <= SAME && fabs(a.z - s * b.z) <= SAME &&
           fabs(a.w - s * b.w) <= SAME;
}

static bool expressible(const bvh_columns* columns)
{
    const uint8_t* a = columns->axes;
    switch (columns->rotation_count)
    {
    case 1:
        return true;
    case 2:
        return a[0] != a[1];
    case 3:
        return a[0] != a[1] && a[1] != a[2];
    default:
        return false;
    }
}

// The clip's transform of a joint in the file's units and axes.
static sft_quatd file_rotation(const sft_clip* clip, const sft_space* space, const sft_bvh_joint* joint, size_t at)
{
    const sft_quatd q = clip->rotations[at];
    if (space == NULL || joint->parent >= 0) return q;
    return sft_quatd_mul(sft_quatd_conjugate(sft_space_turn(space->up)), q);
}

static sft_v3d file_translation(const sft_clip* clip, const sft_space* space, const sft_bvh_joint* joint, size_t at)
{
    const sft_v3d t = clip->translations[at];
    if (space == NULL) return t;
    if (joint->parent < 0) return sft_space_to_file(space, t);
    return sft_v3d_scale(1.0 / space->unit_metres, t);
}

static double component(sft_v3d v, int axis)
{
    return axis == 0 ? v.x : axis == 1 ? v.y : v.z;
}

static bool same_value(double a, double b)
{
    return fabs(a - b) <= SAME * (1.0 + fabs(b));
}

typedef struct job
{
    sft_bvh* bvh; ///< rows are read from and written to
    const sft_clip* clip;
    const sft_space* space;
    const sft_bvh* like; ///< another document whose branch is followed at the start and at jumps; may be null
    bool keep;           ///< rows hold old values: what did not change stays
} job;

static double* row_of(const job* work, int32_t frame)
{
    return work->bvh->values + (size_t)frame * (size_t)work->bvh->view.channel_count;
}

// The row whose branch a fresh start in `frame` follows: the file's own, or that of the model document at that time.
static const double* own_row(const job* work, int32_t frame)
{
    if (work->like == NULL || work->like->view.frame_count == 0) return row_of(work, frame);
    const double at = floor((double)frame * work->clip->frame_time / work->like->view.frame_time + 0.5);
    const int32_t last = work->like->view.frame_count - 1;
    const int32_t row = at < (double)last ? (int32_t)at : last;
    return work->like->values + (size_t)row * (size_t)work->like->view.channel_count;
}

static bool jumps(sft_quatd a, sft_quatd b)
{
    return fabs(sft_quatd_dot(a, b)) < 1.0 - JUMP * JUMP / 8.0;
}

// Angles that those of frame `f` should be near. In motion: those of the frame before, as written. At a fresh start:
// the file's own, moved by the whole turns that what was written has drifted from the file by then.
static void near_angles(const job* work, const bvh_columns* columns, int32_t f, bool fresh, const double* own_before,
                        double* near)
{
    const double* own = own_row(work, f);
    for (int32_t i = 0; i < columns->rotation_count; ++i)
    {
        const double before = f > 0 ? row_of(work, f - 1)[columns->rotation[i]] : 0.0;
        const double turns = f > 0 ? floor((before - own_before[i]) / 360.0 + 0.5) : 0.0;
        near[i] = fresh ? own[columns->rotation[i]] + 360.0 * turns : before;
    }
}

static void read_angles(const job* work, const bvh_columns* columns, int32_t f, double* degrees)
{
    for (int32_t i = 0; i < 3; ++i)
        degrees[i] = row_of(work, f)[columns->rotation[i]];
}

static double step_between(const double* a, const double* b)
{
    return sqrt((a[0] - b[0]) * (a[0] - b[0]) + (a[1] - b[1]) * (a[1] - b[1]) + (a[2] - b[2]) * (a[2] - b[2]));
}

// Frames `start` to `end` - 1 were written, each near the one before; frame `end` keeps its numbers. Where a file
// passes gimbal lock it may change from one solution to the other, while what was solved passes a little to the side
// and stays on the first: it would then turn by half turns at `end`. So the other solution is followed backwards from
// `end`, and it changes over where the step from the first is the smallest.
static void meet_kept_frame(const job* work, const bvh_columns* columns, int32_t start, int32_t end)
{
    double here[3], before[3], other[3], same[3];
    read_angles(work, columns, end, other);
    read_angles(work, columns, end - 1, here);
    double least = step_between(here, other);
    int32_t first = end;
    for (int32_t f = end - 1; f >= start && f > 0; --f)
    {
        const double kept[3] = {other[0], other[1], other[2]};
        read_angles(work, columns, f, here);
        read_angles(work, columns, f - 1, before);
        sft_euler_other(here, columns->axes, kept, other);
        // Nothing to gain where the first solution, up to whole turns, meets the kept frame: nearly always.
        sft_euler_other(other, columns->axes, kept, same);
        if (f == end - 1 && step_between(other, kept) >= step_between(same, kept)) return;
        const double step = step_between(other, before);
        if (!(step < least)) continue;
        least = step;
        first = f;
    }
    read_angles(work, columns, end, other);
    for (int32_t f = end - 1; f >= first; --f)
    {
        read_angles(work, columns, f, here);
        sft_euler_other(here, columns->axes, other, other);
        for (int32_t i = 0; i < 3; ++i)
            row_of(work, f)[columns->rotation[i]] = rounded(other[i]);
    }
}

static void write_rotations(const job* work, int32_t joint)
{
    const sft_bvh_joint* j = &work->bvh->joints[joint];
    const bvh_columns columns = sft_bvh_joint_columns(j);
    if (!expressible(&columns)) return;
    sft_quatd before = sft_quatd_identity();
    double own_before[3] = {0.0, 0.0, 0.0};
    int32_t start = -1; // first frame of those written without a kept one or a fresh start between
    for (int32_t f = 0; f < work->clip->frame_count; ++f)
    {
        const size_t at = (size_t)f * (size_t)work->clip->joint_count + (size_t)joint;
        double* row = row_of(work, f);
        const sft_quatd q = file_rotation(work->clip, work->space, j, at);
        const sft_quatd old = work->keep ? sft_bvh_rotation(&columns, row) : q;
        double near[3] = {0.0, 0.0, 0.0}, degrees[3] = {0.0, 0.0, 0.0};
        const bool fresh = f == 0 || jumps(old, before);
        near_angles(work, &columns, f, fresh, own_before, near);
        before = old;
        for (int32_t i = 0; i < columns.rotation_count; ++i)
            own_before[i] = own_row(work, f)[columns.rotation[i]];
        if (work->keep && same_rotation(q, old))
        {
            if (start >= 0 && !fresh && columns.rotation_count == 3) meet_kept_frame(work, &columns, start, f);
            start = -1;
            continue;
        }
        // At a fresh start the file's own angles were followed; the first step after it may change over.
        if (start < 0 || fresh) start = fresh ? f + 1 : f;
        sft_euler_from_quat(q, columns.axes, columns.rotation_count, near, degrees);
        for (int32_t i = 0; i < columns.rotation_count; ++i)
            row[columns.rotation[i]] = rounded(degrees[i]);
    }
}

static void write_translations(const job* work, int32_t joint)
{
    const sft_bvh_joint* j = &work->bvh->joints[joint];
    const bvh_columns columns = sft_bvh_joint_columns(j);
    for (int32_t f = 0; f < work->clip->frame_count; ++f)
    {
        const size_t at = (size_t)f * (size_t)work->clip->joint_count + (size_t)joint;
        double* row = row_of(work, f);
        const sft_v3d t = file_translation(work->clip, work->space, j, at);
        const sft_v3d old = work->keep ? sft_bvh_translation(j, &columns, row) : t;
        for (int axis = 0; axis < 3; ++axis)
        {
            if (columns.position[axis] < 0) continue;
            const double v = component(t, axis);
            if (work->keep && same_value(v, component(old, axis))) continue;
            row[columns.position[axis]] = rounded(j->positions_replace ? v : v - component(j->offset, axis));
        }
    }
}

// ---- checks before anything is written ----

static sft_result check_rotations(const job* work, int32_t joint, sft_error* error)
{
    const sft_bvh_joint* j = &work->bvh->joints[joint];
    const bvh_columns columns = sft_bvh_joint_columns(j);
    const bool can = expressible(&columns);
    for (int32_t f = 0; f < work->clip->frame_count; ++f)
    {
        const size_t at = (size_t)f * (size_t)work->clip->joint_count + (size_t)joint;
        const sft_quatd q = file_rotation(work->clip, work->space, j, at);
        if (!isfinite(q.x + q.y + q.z + q.w) || fabs(sft_quatd_dot(q, q) - 1.0) > 1e-6)
            return sft_core_fail(error, SFT_ERR_RANGE, 0, 0, j->name, "frame %d: the rotation is no unit quaternion",
                                 f);
        if (can && columns.rotation_count == 3) continue;
        const sft_quatd old = work->keep ? sft_bvh_rotation(&columns, row_of(work, f)) : sft_quatd_identity();
        if (same_rotation(q, old)) continue;
        double near[6] = {0}, degrees[3];
        if (can && sft_euler_from_quat(q, columns.axes, columns.rotation_count, near, degrees) <= EXPRESS_TOLERANCE)
            continue;
        return sft_core_fail(error, SFT_ERR_UNSUPPORTED, 0, 0, j->name,
                             "frame %d: %d rotation channels cannot hold this rotation; give the joint three different "
                             "ones, or leave it out of the change",
                             f, columns.rotation_count);
    }
    return SFT_OK;
}

static sft_result check_translations(const job* work, int32_t joint, double tolerance, sft_error* error)
{
    const sft_bvh_joint* j = &work->bvh->joints[joint];
    const bvh_columns columns = sft_bvh_joint_columns(j);
    for (int32_t f = 0; f < work->clip->frame_count; ++f)
    {
        const size_t at = (size_t)f * (size_t)work->clip->joint_count + (size_t)joint;
        const sft_v3d t = file_translation(work->clip, work->space, j, at);
        if (!isfinite(t.x) || !isfinite(t.y) || !isfinite(t.z))
            return sft_core_fail(error, SFT_ERR_RANGE, 0, 0, j->name, "frame %d: the translation is not finite", f);
        for (int axis = 0; axis < 3; ++axis)
        {
            const double offset = component(j->offset, axis);
            if (columns.position[axis] >= 0 || fabs(component(t, axis) - offset) <= tolerance * (1.0 + fabs(offset)))
                continue;
            return sft_core_fail(error, SFT_ERR_UNSUPPORTED, 0, 0, j->name,
                                 "frame %d: no %s channel to hold the new translation; give the joint position "
                                 "channels, or leave it out of the change",
                                 f,
                                 axis == 0   ? "Xposition"
                                 : axis == 1 ? "Yposition"
                                             : "Zposition");
        }
    }
    return SFT_OK;
}

static bool space_fits(const sft_space* space)
{
    return space == NULL || (isfinite(space->unit_metres) && space->unit_metres > 0.0 && space->up >= SFT_AXIS_X &&
                             space->up <= SFT_AXIS_NEG_Z);
}

sft_result sft_bvh_apply(sft_bvh* bvh, const sft_clip* clip, const sft_space* space, const uint8_t* rotation_mask,
                         const uint8_t* translation_mask, sft_error* error)
{
    if (bvh == NULL || clip == NULL || !space_fits(space))
        return sft_core_fail(error, SFT_ERR_ARG, 0, 0, NULL, "no document, no clip, or a space without unit");
    if (clip->joint_count != bvh->view.joint_count || clip->frame_count != bvh->view.frame_count)
        return sft_core_fail(error, SFT_ERR_ARG, 0, 0, NULL, "clip and document differ in joints or frames");
    const job work = {bvh, clip, space, NULL, true};
    for (int32_t j = 0; j < clip->joint_count; ++j)
    {
        sft_result checked = SFT_OK;
        if (rotation_mask != NULL && rotation_mask[j] != 0) checked = check_rotations(&work, j, error);
        if (checked == SFT_OK && translation_mask != NULL && translation_mask[j] != 0)
            checked = check_translations(&work, j, 1e-9, error);
        if (checked != SFT_OK) return checked;
    }
    for (int32_t j = 0; j < clip->joint_count; ++j)
    {
        if (rotation_mask != NULL && rotation_mask[j] != 0) write_rotations(&work, j);
        if (translation_mask != NULL && translation_mask[j] != 0) write_translations(&work, j);
    }
    return SFT_OK;
}

// Every row from the clip.
sft_result sft_bvh_fill(sft_bvh* bvh, const sft_clip* clip, const sft_space* space, const sft_bvh* like,
                        sft_error* error)
{
    const job work = {bvh, clip, space, like, false};
    for (int32_t j = 0; j < clip->joint_count; ++j)
    {
        sft_result checked = check_rotations(&work, j, error);
        if (checked == SFT_OK) checked = check_translations(&work, j, 1e-6, error);
        if (checked != SFT_OK) return checked;
    }
    for (int32_t j = 0; j < clip->joint_count; ++j)
    {
        write_rotations(&work, j);
        write_translations(&work, j);
    }
    return SFT_OK;
}
