// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// Root scale, frame range and frame rate of a BVH document. What none of them touches stays as it is, number by number.

#include "edits.h"

#include <math.h>
#include <stdlib.h>

// A document at work. `bvh` is that of the file, until a step made another, which is then `own`.
typedef struct edit
{
    loaded* file;
    sft_bvh* bvh;
    bool own;
} edit;

int edits_range(const edits* e, const loaded* file, int32_t count, int32_t* first, int32_t* last)
{
    *first = e->first;
    *last = e->to_end ? count : e->last;
    if (!e->to_end && *first >= *last)
        return cli_fail(EXIT_USAGE, "convert: --frames %d:%d holds no frame; A:B is frames A to B-1", (int)*first,
                        (int)*last);
    if (*first >= *last || *last > count)
        return cli_fail(EXIT_USAGE, "convert: --frames %d:%d does not fit %s, which has %d frames (0 to %d)",
                        (int)*first, (int)*last, file->path, (int)count, (int)count - 1);
    return EXIT_DONE;
}

bool edits_new_rate(const edits* e, double frame_time, int32_t frame_count)
{
    const double wanted = 1.0 / e->fps;
    return frame_count >= 2 && !(fabs(wanted - frame_time) < 1e-5 * wanted);
}

// ---- root scale, in the file's own numbers ----

static int column_of(const sft_bvh_joint* joint, int axis)
{
    for (int32_t k = 0; k < joint->channel_count; ++k)
        if (joint->channels[k] == axis) return joint->channel_first + k;
    return -1;
}

static double* component(sft_v3d* v, int axis)
{
    return axis == 0 ? &v->x : axis == 1 ? &v->y : &v->z;
}

// A root's channels are its position but for a constant, so the formula holds for each of them as it stands.
static int scale_root(const edit* e, double scale)
{
    const sft_bvh_contents* view = sft_bvh_view(e->bvh);
    const sft_bvh_joint* joint = &view->joints[e->file->travel];
    for (int axis = 0; axis < 3; ++axis)
    {
        const int column = column_of(joint, axis);
        if (column < 0 || axis == (int)e->file->space.up % 3) continue;
        const double* values = view->values;
        const size_t stride = (size_t)view->channel_count;
        const double p0 = values[(size_t)e->file->first_frame * stride + (size_t)column];
        for (int32_t f = 0; f < view->frame_count; ++f)
        {
            const double p = values[(size_t)f * stride + (size_t)column];
            sft_bvh_set_value(e->bvh, f, column, p0 + scale * (p - p0));
        }
    }
    return EXIT_DONE;
}

// Below other joints: the wanted shift in the world, turned into the parent's space. Channels that it leaves alone keep
// their numbers.
static int scale_inner(const edit* e, double scale)
{
    const sft_bvh_contents* view = sft_bvh_view(e->bvh);
    const sft_bvh_joint* joint = &view->joints[e->file->travel];
    sft_skeleton* skeleton = NULL;
    sft_clip* clip = NULL;
    if (sft_bvh_to_clip(e->bvh, NULL, &skeleton, &clip) != SFT_OK)
        return cli_fail(EXIT_MEMORY, "%s: out of memory", e->file->path);
    const size_t joints = (size_t)clip->joint_count, stride = (size_t)view->channel_count;
    const size_t start = (size_t)e->file->first_frame * joints;
    const sft_v3d p0 =
        sft_skeleton_joint_model(skeleton, clip->translations + start, clip->rotations + start, e->file->travel).t;
    int code = EXIT_DONE;
    for (int32_t f = 0; f < clip->frame_count && code == EXIT_DONE; ++f)
    {
        const size_t row = (size_t)f * joints;
        const sft_v3d* t = clip->translations + row;
        const sft_quatd* r = clip->rotations + row;
        sft_v3d shift = sft_v3d_sub(sft_skeleton_joint_model(skeleton, t, r, e->file->travel).t, p0);
        *component(&shift, (int)e->file->space.up % 3) = 0.0;
        shift = sft_v3d_scale(scale - 1.0, shift);
        const sft_quatd parent = sft_skeleton_joint_model(skeleton, t, r, joint->parent).r;
        sft_v3d local = sft_quatd_unrotate(parent, shift);
        const double noise = 1e-12 * sft_v3d_length(shift);
        for (int axis = 0; axis < 3; ++axis)
        {
            const double change = *component(&local, axis);
            if (fabs(change) <= noise) continue;
            const int column = column_of(joint, axis);
            if (column < 0)
            {
                code = cli_fail(EXIT_READ, "%s: %s has no position channel along %c, which --root-scale would need",
                                e->file->path, joint->name, "XYZ"[axis]);
                break;
            }
            const double value = view->values[(size_t)f * stride + (size_t)column];
            sft_bvh_set_value(e->bvh, f, column, value + change);
        }
    }
    sft_clip_destroy(clip, NULL);
    sft_skeleton_destroy(skeleton, NULL);
    return code;
}

static int scale_travel(const edit* e, double scale)
{
    const loaded* file = e->file;
    if (scale == 1.0 || file->frame_count == 0) return EXIT_DONE;
    if (file->travel < 0)
        return cli_fail(EXIT_READ, "%s: no joint carries travel, so there is nothing to scale", file->path);
    return file->skeleton->parents[file->travel] < 0 ? scale_root(e, scale) : scale_inner(e, scale);
}

// ---- range and rate ----

static void replace(edit* e, sft_bvh* bvh)
{
    if (e->own) sft_bvh_destroy(e->bvh);
    e->bvh = bvh;
    e->own = true;
    const sft_bvh_contents* view = sft_bvh_view(bvh);
    e->file->frame_count = view->frame_count;
    e->file->frame_time = view->frame_time;
}

static int slice(const edits* wish, edit* e)
{
    int32_t first, last;
    const int code = edits_range(wish, e->file, e->file->frame_count, &first, &last);
    if (code != EXIT_DONE) return code;
    sft_bvh* part = NULL;
    if (sft_bvh_slice(e->bvh, first, last, NULL, &part) != SFT_OK)
        return cli_fail(EXIT_MEMORY, "%s: out of memory", e->file->path);
    replace(e, part);
    e->file->first_frame = e->file->first_frame > first ? e->file->first_frame - first : 0;
    return EXIT_DONE;
}

static int resample(const edits* wish, edit* e)
{
    loaded* file = e->file;
    const sft_bvh_contents* view = sft_bvh_view(e->bvh);
    const double frame_time = 1.0 / wish->fps;
    if (!edits_new_rate(wish, view->frame_time, view->frame_count)) return EXIT_DONE;
    const double count = (double)view->frame_count * view->frame_time / frame_time;
    if (count * (double)(view->channel_count + 8 * view->joint_count) > 1e9)
        return cli_fail(EXIT_MEMORY, "convert: --fps %g would make more than a thousand million numbers", wish->fps);
    // In the file's own unit and axes, so that nothing is rounded on the way to metres and back.
    const sft_space same = {.unit_metres = 1.0, .up = SFT_AXIS_Y};
    sft_skeleton* skeleton = NULL;
    sft_clip* clip = NULL;
    sft_clip* other = NULL;
    sft_bvh* out = NULL;
    sft_result result = sft_bvh_to_clip(e->bvh, NULL, &skeleton, &clip);
    if (result == SFT_OK) result = sft_clip_resample(clip, frame_time, file->first_frame, NULL, &other);
    if (result == SFT_OK) result = sft_bvh_from_clip(e->bvh, other, &same, NULL, &out);
    sft_clip_destroy(other, NULL);
    sft_clip_destroy(clip, NULL);
    sft_skeleton_destroy(skeleton, NULL);
    if (result != SFT_OK)
        return cli_fail(result == SFT_ERR_MEMORY || result == SFT_ERR_LIMIT ? EXIT_MEMORY : EXIT_READ,
                        "%s: resampling: %s", file->path, sft_result_string(result));
    replace(e, out);
    return EXIT_DONE;
}

// A document is made of text, so that is the way to one with other rows. Numbers read back equal.
static int adopt(const edit* e)
{
    loaded* file = e->file;
    char* text = NULL;
    size_t size = 0;
    sft_io_read_def def = sft_default_io_read_def();
    def.format = SFT_IO_BVH;
    def.positions = sft_bvh_view(e->bvh)->positions;
    sft_io_document* made = NULL;
    sft_result result = sft_bvh_write(e->bvh, NULL, &text, &size);
    if (result == SFT_OK) result = sft_io_read(&def, text, size, NULL, &made, NULL);
    free(text);
    if (result != SFT_OK) return cli_fail(EXIT_MEMORY, "%s: %s", file->path, sft_result_string(result));
    sft_io_destroy(file->document);
    file->document = made;
    file->contents = sft_io_view(made);
    return EXIT_DONE;
}

int edit_bvh(const edits* wish, loaded* file)
{
    edit e = {.file = file, .bvh = sft_io_bvh(file->document)};
    int code = wish->scaled ? scale_travel(&e, wish->scale) : EXIT_DONE;
    if (code == EXIT_DONE && wish->sliced) code = slice(wish, &e);
    if (code == EXIT_DONE && wish->resampled) code = resample(wish, &e);
    if (code == EXIT_DONE && e.own) code = adopt(&e);
    if (e.own) sft_bvh_destroy(e.bvh);
    return code;
}
