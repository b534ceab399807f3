// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// A clip out of a document, in metres with its legs.

#include "surefoot/take.h"

#include "core/core.h"

#define TAKE_COOKIE 0x54414b31u

sft_take_def sft_default_take_def(void)
{
    return (sft_take_def){.up = -1, .cookie = TAKE_COOKIE};
}

static bool def_ok(const sft_take_def* def)
{
    const bool unit = def->unit_metres == 0.0 || (def->unit_metres >= 1e-6 && def->unit_metres <= 1e6);
    const bool given = def->unit_metres != 0.0 || def->up >= 0;
    return def->cookie == TAKE_COOKIE && unit && def->up >= -1 && def->up <= (int32_t)SFT_AXIS_NEG_Z &&
           (def->fps == 0.0 || (def->fps > 0.0 && isfinite(def->fps))) && !(given && def->space != NULL);
}

// ---- unit and axes ----

// A figure outside these heights [m] shows that a file is not in the unit its format prescribes.
#define FIGURE_LEAST 0.1
#define FIGURE_MOST 20.0

static double to_digits(double value, double steps)
{
    return floor(value * steps + 0.5) / steps;
}

// What the format says of its unit, unless the figure is then no figure.
static void believe_unit(const sft_take_def* def, const sft_io_contents* v, sft_space* space, char* doubt)
{
    const double height = space->figure_height * v->unit_metres;
    const bool absurd = space->figure_height > 0.0 && !(height >= FIGURE_LEAST && height <= FIGURE_MOST);
    const bool other = fabs(space->unit_metres - v->unit_metres) > 1e-9 * v->unit_metres;
    char reason[sizeof space->reason];
    if (absurd && other && def->unit_metres <= 0.0)
    {
        memcpy(reason, space->reason, sizeof reason);
        if (doubt != NULL)
            sft_core_format(doubt, sizeof((sft_take*)0)->doubt,
                            "in the unit that %s names the figure would be %g m high; taken as %g m a unit",
                            sft_io_format_name(v->source), to_digits(height, 1e2), to_digits(space->unit_metres, 1e4));
        reason[120] = '\0';
        sft_core_format(space->reason, sizeof space->reason, "not in metres as it should be: %s", reason);
        return;
    }
    space->unit_metres = v->unit_metres;
    space->unit_sure = true;
    sft_core_format(space->reason, sizeof space->reason, "%s",
                    v->source == SFT_IO_FBX ? "FBX names its unit and axes, and was brought to metres with Y up"
                                            : "glTF is in metres with Y up");
}

static void follow_def(const sft_take_def* def, sft_space* space)
{
    const bool unit = def->unit_metres > 0.0, up = def->up >= 0;
    if (unit) space->unit_metres = def->unit_metres;
    if (up) space->up = (sft_axis)def->up;
    space->unit_sure = space->unit_sure || unit;
    space->up_sure = space->up_sure || up;
    if (unit || up)
        sft_core_format(space->reason, sizeof space->reason, "%s given",
                        unit && up ? "unit and up axis"
                        : unit     ? "unit"
                                   : "up axis");
}

// An inferred space, and what the format and `def` say beside it.
static void settle_space(const sft_take_def* def, const sft_io_contents* contents, sft_space* space, char* doubt)
{
    if (contents->up >= 0)
    {
        space->up = (sft_axis)contents->up;
        space->up_sure = true;
    }
    if (doubt != NULL) doubt[0] = '\0';
    if (contents->unit_metres > 0.0) believe_unit(def, contents, space, doubt);
    follow_def(def, space);
}

sft_result sft_take_find_space(const sft_take_def* def, const sft_io_contents* contents, const sft_skeleton* skeleton,
                               const sft_clip* clip, sft_space* space, char* doubt)
{
    const sft_take_def own = def != NULL ? *def : sft_default_take_def();
    if (contents == NULL || skeleton == NULL || clip == NULL || space == NULL) return SFT_ERR_ARG;
    if (!def_ok(&own) || own.space != NULL) return SFT_ERR_DEF;
    const sft_result result = sft_clip_infer_space(skeleton, clip, NULL, space);
    if (result == SFT_OK) settle_space(&own, contents, space, doubt);
    return result;
}

// ---- the clip ----

static sft_gltf_clip_def clip_def(const sft_take* take)
{
    sft_gltf_clip_def def = sft_default_gltf_clip_def();
    def.fps = take->fps;
    def.solved = take->solved;
    return def;
}

static void drop_clip(sft_take* take, const sft_allocator* allocator)
{
    sft_clip_destroy(take->clip, allocator);
    sft_skeleton_destroy(take->skeleton, allocator);
    take->clip = NULL;
    take->skeleton = NULL;
}

// `def` null: the space is known.
static sft_result bring_inside(sft_take* take, const sft_take_def* def, const sft_io_document* document,
                               const sft_allocator* allocator, sft_error* error)
{
    const sft_gltf_clip_def own = clip_def(take);
    sft_result result =
        sft_io_to_clip(document, take->clip_index, &own, allocator, &take->skeleton, &take->clip, &take->frames, error);
    if (result == SFT_OK && def != NULL)
    {
        result = sft_clip_infer_space(take->skeleton, take->clip, allocator, &take->space);
        if (result == SFT_OK) settle_space(def, sft_io_view(document), &take->space, take->doubt);
    }
    if (result == SFT_OK) result = sft_clip_rescale(take->skeleton, take->clip, &take->space);
    if (result != SFT_OK) return result;
    take->joint_count = take->clip->joint_count;
    take->frame_count = take->clip->frame_count;
    take->first_frame = sft_clip_first_frame(take->skeleton, take->clip, take->first_reason);
    take->travel = sft_clip_travel_joint(take->skeleton, take->clip, take->first_frame);
    return SFT_OK;
}

sft_result sft_take_create(const sft_take_def* def, const sft_io_document* document, int32_t clip_index,
                           const sft_allocator* allocator, sft_take** out, sft_error* error)
{
    const sft_take_def own = def != NULL ? *def : sft_default_take_def();
    if (document == NULL || out == NULL || clip_index < -1 || clip_index >= sft_io_view(document)->clip_count)
        return sft_core_fail(error, SFT_ERR_ARG, 0, 0, NULL, "no document, or it has no clip %d", (int)clip_index);
    if (!def_ok(&own)) return sft_core_fail(error, SFT_ERR_DEF, 0, 0, NULL, "a field of the def is out of its range");
    sft_take* take = sft_core_alloc(allocator, 1, sizeof *take);
    if (take == NULL) return sft_core_fail(error, SFT_ERR_MEMORY, 0, 0, NULL, "out of memory");
    take->clip_index = clip_index;
    take->fps = own.fps > 0.0 ? own.fps : sft_io_view(document)->frame_rate;
    if (own.space != NULL) take->space = *own.space;
    const sft_result result = bring_inside(take, own.space != NULL ? NULL : &own, document, allocator, error);
    if (result == SFT_OK)
        *out = take;
    else
        sft_take_destroy(take, allocator);
    return result;
}

void sft_take_destroy(sft_take* take, const sft_allocator* allocator)
{
    if (take == NULL) return;
    sft_core_free(allocator, take->solved, (size_t)take->joint_count, sizeof *take->solved);
    drop_clip(take, allocator);
    sft_core_free(allocator, take, 1, sizeof *take);
}

// ---- legs, and which joints' keys are the frames ----

static void mark_chain(sft_take* take, int32_t from, int32_t to)
{
    for (int32_t j = from; j >= 0; j = j == to ? -1 : take->skeleton->parents[j])
        take->solved[j] = 1;
}

// Joints that solvers change or must stand on: legs with what lies between their joints, pelvis, travel.
static sft_result mark_solved(sft_take* take, const sft_allocator* allocator)
{
    if (take->solved == NULL) take->solved = sft_core_alloc(allocator, (size_t)take->joint_count, sizeof *take->solved);
    if (take->solved == NULL) return SFT_ERR_MEMORY;
    for (int32_t i = 0; i < take->leg_count; ++i)
    {
        const sft_leg* leg = &take->legs[i];
        mark_chain(take, leg->toe, leg->hip);
        if (leg->pelvis >= 0) take->solved[leg->pelvis] = 1;
    }
    if (take->travel >= 0) take->solved[take->travel] = 1;
    return SFT_OK;
}

sft_result sft_take_set_legs(sft_take* take, const sft_io_document* document, const sft_leg* legs, int32_t leg_count,
                             const sft_allocator* allocator, sft_error* error)
{
    if (take == NULL || document == NULL || take->skeleton == NULL || leg_count < 0 || leg_count > SFT_MAX_LEGS ||
        (legs == NULL && leg_count > 0))
        return sft_core_fail(error, SFT_ERR_ARG, 0, 0, NULL, "no take, no document, or more than 64 legs");
    for (int32_t i = 0; i < leg_count; ++i)
    {
        const int32_t joints[6] = {legs[i].hip, legs[i].knee,   legs[i].heel,
                                   legs[i].toe, legs[i].pelvis, legs[i].toe_end};
        for (int k = 0; k < 6; ++k)
            if (joints[k] >= take->joint_count || joints[k] < (k < 4 ? 0 : -1))
                return sft_core_fail(error, SFT_ERR_ARG, 0, 0, NULL, "leg %d has a joint that is not there", (int)i);
    }
    if (leg_count > 0 && legs != take->legs) memmove(take->legs, legs, (size_t)leg_count * sizeof *legs);
    take->leg_count = leg_count;
    if (leg_count == 0 || take->clip_index < 0 || sft_io_view(document)->format == SFT_IO_BVH) return SFT_OK;
    const sft_result result = mark_solved(take, allocator);
    if (result != SFT_OK) return sft_core_fail(error, result, 0, 0, NULL, "out of memory");
    drop_clip(take, allocator);
    return bring_inside(take, NULL, document, allocator, error);
}

sft_result sft_take_find_legs(sft_take* take, const sft_io_document* document, const sft_allocator* allocator,
                              sft_error* error)
{
    int32_t count = 0;
    if (take == NULL || document == NULL || take->skeleton == NULL)
        return sft_core_fail(error, SFT_ERR_ARG, 0, 0, NULL, "no take or no document");
    if (take->frame_count > 0)
    {
        const sft_result result = sft_leg_find(take->skeleton, take->clip, allocator, take->legs, SFT_MAX_LEGS, &count);
        if (result != SFT_OK) return sft_core_fail(error, result, 0, 0, NULL, "%s", sft_result_string(result));
    }
    return sft_take_set_legs(take, document, take->legs, count, allocator, error);
}

// Blocks are released by their size, so a clip of fewer frames is another clip.
static sft_result shorten(sft_clip** clip, int32_t frame_count, const sft_allocator* allocator)
{
    sft_clip* shorter = NULL;
    const sft_clip* all = *clip;
    const sft_result result = sft_clip_create(all->joint_count, frame_count, all->frame_time, allocator, &shorter);
    if (result != SFT_OK) return result;
    const size_t cells = (size_t)all->joint_count * (size_t)frame_count;
    memcpy(shorter->translations, all->translations, cells * sizeof *all->translations);
    memcpy(shorter->rotations, all->rotations, cells * sizeof *all->rotations);
    sft_clip_destroy(*clip, allocator);
    *clip = shorter;
    return SFT_OK;
}

sft_result sft_take_again(const sft_take* take, const sft_io_document* document, const sft_allocator* allocator,
                          sft_clip** out)
{
    if (take == NULL || document == NULL || out == NULL) return SFT_ERR_ARG;
    const sft_gltf_clip_def def = clip_def(take);
    sft_skeleton* skeleton = NULL;
    sft_clip* clip = NULL;
    sft_result result = sft_io_to_clip(document, take->clip_index, &def, allocator, &skeleton, &clip, NULL, NULL);
    if (result == SFT_OK) result = sft_clip_rescale(skeleton, clip, &take->space);
    sft_skeleton_destroy(skeleton, allocator);
    if (result == SFT_OK && clip->frame_count < take->frame_count) result = SFT_ERR_RANGE;
    // Channels that go on behind the solved ones may now show frames beyond the last.
    if (result == SFT_OK && clip->frame_count > take->frame_count)
        result = shorten(&clip, take->frame_count, allocator);
    if (result == SFT_OK)
        *out = clip;
    else
        sft_clip_destroy(clip, allocator);
    return result;
}
