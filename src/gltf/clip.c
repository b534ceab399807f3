// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// Document to skeleton and clip: curves are sampled one after the other straight into the clip, node by node; then
// every frame is folded in place, parents first.

#include "gltf/curve.h"
#include "gltf/fold.h"

#define CLIP_COOKIE 0x676c7432u

sft_gltf_clip_def sft_default_gltf_clip_def(void)
{
    return (sft_gltf_clip_def){.fps = 60.0, .cookie = CLIP_COOKIE};
}

// Everything under way; freed together.
typedef struct work
{
    const sft_gltf* gltf;
    const sft_allocator* allocator;
    int32_t animation; ///< -1: rest
    size_t joints;
    int32_t* map;
    gltf_bases bases;
    gltf_local* rest; ///< one a joint
    double** scales;  ///< one a joint: 3 * frame_count where the scale changes, else null and `rest` has it
    gltf_carry* carries;
    uint8_t* fixed; ///< joints whose carry is the same in all frames
    sft_gltf_frames frames;
    double* times;
    sft_skeleton* skeleton;
    sft_clip* clip;
    sft_error* error;
} work;

static void release(work* w)
{
    const size_t frames = (size_t)w->frames.frame_count;
    sft_core_free(w->allocator, w->map, 3 * w->joints, sizeof *w->map);
    sft_gltf_free_bases(&w->bases, w->allocator);
    sft_core_free(w->allocator, w->rest, w->joints, sizeof *w->rest);
    for (size_t j = 0; w->scales != NULL && j < w->joints; ++j)
        sft_core_free(w->allocator, w->scales[j], 3 * frames, sizeof **w->scales);
    sft_core_free(w->allocator, (void*)w->scales, w->joints, sizeof *w->scales);
    sft_core_free(w->allocator, w->carries, w->joints, sizeof *w->carries);
    sft_core_free(w->allocator, w->fixed, w->joints, sizeof *w->fixed);
    sft_core_free(w->allocator, w->times, frames, sizeof *w->times);
}

static sft_result no_memory(work* w)
{
    return sft_core_fail(w->error, SFT_ERR_MEMORY, 0, 0, NULL, "out of memory");
}

static const gltf_base* base_of(const work* w, size_t joint)
{
    return sft_gltf_base_above(w->gltf, &w->bases, (int32_t)joint);
}

// Rigid transform of a joint: `local` seen from what is left over above; roots are put where the nodes above them
// stand.
static sft_xformd rigid(const gltf_carry* above, const gltf_base* base, sft_v3d t, sft_quatd r)
{
    const sft_xformd x = {sft_gltf_carry_move(above, t), sft_gltf_carry_turn(above, r)};
    return base != NULL ? sft_xformd_mul(base->x, x) : x;
}

static const gltf_carry* carry_above(const work* w, size_t joint, const gltf_carry* none)
{
    const int32_t parent = w->gltf->joint_parents[joint];
    if (parent >= 0) return &w->carries[parent];
    const gltf_base* base = base_of(w, joint);
    return base != NULL ? &base->carry : none;
}

// ---- skeleton ----

static sft_result make_skeleton(work* w)
{
    const size_t n = w->joints;
    const char** names = sft_core_alloc(w->allocator, n, sizeof *names);
    char(*text)[24] = sft_core_alloc(w->allocator, n, sizeof *text);
    sft_v3d* t = sft_core_alloc(w->allocator, n, sizeof *t);
    sft_quatd* r = sft_core_alloc(w->allocator, n, sizeof *r);
    sft_result result = SFT_ERR_MEMORY;
    if (names != NULL && text != NULL && t != NULL && r != NULL)
    {
        const gltf_carry none = sft_gltf_carry_none();
        for (size_t j = 0; j < n; ++j)
        {
            const gltf_local* local = &w->rest[j];
            const gltf_carry* above = carry_above(w, j, &none);
            const gltf_base* base = w->gltf->joint_parents[j] < 0 ? base_of(w, j) : NULL;
            const sft_xformd x = rigid(above, base, local->t, local->r);
            t[j] = x.t;
            r[j] = x.r;
            sft_gltf_carry_below(above, local->r, &local->stretch, &w->carries[j]);
            names[j] = sft_gltf_node_name(w->gltf, w->gltf->joint_nodes[j], text[j]);
        }
        const sft_skeleton def = {(int32_t)n, names, w->gltf->joint_parents, NULL, t, r};
        result = sft_skeleton_create(&def, w->allocator, &w->skeleton);
    }
    sft_core_free(w->allocator, names, n, sizeof *names);
    sft_core_free(w->allocator, text, n, sizeof *text);
    sft_core_free(w->allocator, t, n, sizeof *t);
    sft_core_free(w->allocator, r, n, sizeof *r);
    if (result == SFT_ERR_RANGE)
        return sft_core_fail(w->error, result, 0, 0, NULL, "the rest pose has transforms beyond any number");
    return result == SFT_OK ? result : sft_core_fail(w->error, result, 0, 0, NULL, "%s", sft_result_string(result));
}

// ---- sampling ----

static bool finite3(const double* v)
{
    return isfinite(v[0]) && isfinite(v[1]) && isfinite(v[2]);
}

static sft_result bad_value(work* w, size_t joint, int32_t frame, const char* what)
{
    char buffer[24];
    return sft_core_fail(w->error, SFT_ERR_RANGE, 0, 0,
                         sft_gltf_node_name(w->gltf, w->gltf->joint_nodes[joint], buffer),
                         "frame %d (%g s) of animation %d: %s; mend the keys, or leave the animation out", frame,
                         w->times[frame], w->animation, what);
}

static sft_result sample_translation(work* w, size_t joint, const gltf_curve* curve)
{
    uint32_t hint = 0;
    for (int32_t f = 0; f < w->frames.frame_count; ++f)
    {
        double v[3];
        sft_gltf_curve_at(curve, GLTF_TRANSLATION, w->times[f], &hint, v);
        if (!finite3(v)) return bad_value(w, joint, f, "a translation is no number");
        w->clip->translations[(size_t)f * w->joints + joint] = (sft_v3d){v[0], v[1], v[2]};
    }
    return SFT_OK;
}

static sft_result sample_rotation(work* w, size_t joint, const gltf_curve* curve)
{
    uint32_t hint = 0;
    for (int32_t f = 0; f < w->frames.frame_count; ++f)
    {
        double v[4];
        sft_gltf_curve_at(curve, GLTF_ROTATION, w->times[f], &hint, v);
        const double square = v[0] * v[0] + v[1] * v[1] + v[2] * v[2] + v[3] * v[3];
        if (!(square > 0.5)) return bad_value(w, joint, f, "a rotation has no direction (zeros, or no numbers)");
        w->clip->rotations[(size_t)f * w->joints + joint] = (sft_quatd){v[0], v[1], v[2], v[3]};
    }
    return SFT_OK;
}

// Scales that do not change, the usual case, are kept once.
static sft_result sample_scale(work* w, size_t joint, const gltf_curve* curve)
{
    const size_t frames = (size_t)w->frames.frame_count;
    double first[3] = {1.0, 1.0, 1.0};
    uint32_t hint = 0;
    for (size_t f = 0; f < frames; ++f)
    {
        double v[3];
        sft_gltf_curve_at(curve, GLTF_SCALE, w->times[f], &hint, v);
        if (!finite3(v)) return bad_value(w, joint, (int32_t)f, "a scale is no number");
        if (f == 0) memcpy(first, v, sizeof first);
        double* list = w->scales[joint];
        if (list == NULL && memcmp(v, first, sizeof first) != 0)
        {
            list = w->scales[joint] = sft_core_alloc(w->allocator, 3 * frames, sizeof *list);
            if (list == NULL) return no_memory(w);
            for (size_t before = 0; before < f; ++before)
                memcpy(list + 3 * before, first, sizeof first);
        }
        if (list != NULL) memcpy(list + 3 * f, v, sizeof v);
    }
    w->rest[joint].stretch = (gltf_stretch){.plain = true, .s = {first[0], first[1], first[2]}};
    return SFT_OK;
}

static sft_result sample_channel(work* w, size_t joint, gltf_path path)
{
    const gltf_animation* a = &w->gltf->animations[w->animation];
    gltf_curve curve;
    void* block = NULL;
    size_t size = 0;
    sft_result result = sft_gltf_channel_curve(w->gltf, a, &a->channels[w->map[3 * joint + (size_t)path]], w->allocator,
                                               &curve, &block, &size);
    if (result == SFT_ERR_MEMORY) return no_memory(w);
    if (result != SFT_OK)
        return sft_core_fail(w->error, result, 0, 0, NULL, "animation %d: a channel has fewer values than keys",
                             w->animation);
    if (path == GLTF_TRANSLATION)
        result = sample_translation(w, joint, &curve);
    else if (path == GLTF_ROTATION)
        result = sample_rotation(w, joint, &curve);
    else
        result = sample_scale(w, joint, &curve);
    sft_core_free(w->allocator, block, 1, size);
    return result;
}

// Channels of a node count from its translation, rotation and scale. A node with a matrix should have no channels; one
// that has them all the same counts as decomposed.
static sft_result sample(work* w)
{
    for (size_t j = 0; j < w->joints; ++j)
    {
        const int32_t* channels = w->map + 3 * j;
        const gltf_node* node = &w->gltf->nodes[w->gltf->joint_nodes[j]];
        if (channels[0] >= 0 || channels[1] >= 0 || channels[2] >= 0)
            w->rest[j] = (gltf_local){node->t, node->r, {.plain = true, .s = node->s}};
        sft_result result = SFT_OK;
        for (int path = GLTF_TRANSLATION; path <= GLTF_SCALE && result == SFT_OK; ++path)
            if (channels[path] >= 0) result = sample_channel(w, j, (gltf_path)path);
        if (result != SFT_OK) return result;
        for (size_t f = 0; f < (size_t)w->frames.frame_count; ++f)
        {
            if (channels[GLTF_TRANSLATION] < 0) w->clip->translations[f * w->joints + j] = w->rest[j].t;
            if (channels[GLTF_ROTATION] < 0) w->clip->rotations[f * w->joints + j] = w->rest[j].r;
        }
    }
    return SFT_OK;
}

// ---- folding ----

static sft_result fold_frame(work* w, size_t frame)
{
    const gltf_carry none = sft_gltf_carry_none();
    for (size_t j = 0; j < w->joints; ++j)
    {
        const size_t at = frame * w->joints + j;
        const sft_quatd local = w->clip->rotations[at];
        const int32_t parent = w->gltf->joint_parents[j];
        const gltf_carry* above = carry_above(w, j, &none);
        const sft_xformd x = rigid(above, parent < 0 ? base_of(w, j) : NULL, w->clip->translations[at], local);
        if (!isfinite(x.t.x) || !isfinite(x.t.y) || !isfinite(x.t.z))
            return bad_value(w, j, (int32_t)frame, "scales on scales grow beyond any number");
        w->clip->translations[at] = x.t;
        w->clip->rotations[at] = x.r;
        if (frame > 0 && w->fixed[j] != 0) continue;
        gltf_stretch stretch = w->rest[j].stretch;
        const double* s = w->scales[j] != NULL ? w->scales[j] + 3 * frame : NULL;
        if (s != NULL) stretch = (gltf_stretch){.plain = true, .s = {s[0], s[1], s[2]}};
        sft_gltf_carry_below(above, local, &stretch, &w->carries[j]);
        if (frame == 0)
            w->fixed[j] = above->even && stretch.plain && s == NULL && (parent < 0 || w->fixed[parent] != 0);
    }
    return SFT_OK;
}

static sft_result make_clip(work* w)
{
    const size_t frames = (size_t)w->frames.frame_count;
    w->times = sft_core_alloc(w->allocator, frames, sizeof *w->times);
    w->fixed = sft_core_alloc(w->allocator, w->joints, sizeof *w->fixed);
    w->scales = sft_core_alloc(w->allocator, w->joints, sizeof *w->scales);
    if (w->times == NULL || w->fixed == NULL || w->scales == NULL) return no_memory(w);
    sft_gltf_frame_times(w->gltf, w->animation, &w->frames, w->times);
    sft_result result =
        sft_clip_create((int32_t)w->joints, w->frames.frame_count, w->frames.frame_time, w->allocator, &w->clip);
    if (result != SFT_OK) return sft_core_fail(w->error, result, 0, 0, NULL, "%s", sft_result_string(result));
    result = sample(w);
    for (size_t f = 0; f < frames && result == SFT_OK; ++f)
        result = fold_frame(w, f);
    return result;
}

static sft_result run(work* w, const sft_gltf_clip_def* def)
{
    w->map = sft_gltf_map_channels(w->gltf, w->animation, w->allocator);
    if (w->map == NULL) return no_memory(w);
    sft_result result = sft_gltf_plan_frames(w->gltf, w->animation, def, w->map, &w->frames, w->error);
    if (result != SFT_OK)
    {
        w->frames.frame_count = 0;
        return result;
    }
    w->rest = sft_core_alloc(w->allocator, w->joints, sizeof *w->rest);
    w->carries = sft_core_alloc(w->allocator, w->joints, sizeof *w->carries);
    if (w->rest == NULL || w->carries == NULL || !sft_gltf_fold_bases(w->gltf, w->allocator, &w->bases))
        return no_memory(w);
    for (size_t j = 0; j < w->joints; ++j)
        sft_gltf_rest_local(&w->gltf->nodes[w->gltf->joint_nodes[j]], &w->rest[j]);
    result = make_skeleton(w);
    return result == SFT_OK ? make_clip(w) : result;
}

static sft_result check(const sft_gltf* gltf, int32_t animation, const sft_gltf_clip_def* def, sft_error* error)
{
    if (animation < -1 || animation >= gltf->animation_count)
        return sft_core_fail(error, SFT_ERR_ARG, 0, 0, NULL, "there is no animation %d", animation);
    if (def->cookie != CLIP_COOKIE || !(def->fps >= 1e-3) || !(def->fps <= 1e6))
        return sft_core_fail(error, SFT_ERR_DEF, 0, 0, NULL, "fps must lie between 0.001 and a million");
    if (animation >= 0 && !def->rest && gltf->infos[animation].problem[0] != '\0')
        return sft_core_fail(error, SFT_ERR_UNSUPPORTED, 0, 0, NULL, "animation %d: %s", animation,
                             gltf->infos[animation].problem);
    return SFT_OK;
}

sft_result sft_gltf_to_clip(const sft_gltf* gltf, int32_t animation, const sft_gltf_clip_def* def,
                            const sft_allocator* allocator, sft_skeleton** skeleton, sft_clip** clip,
                            sft_gltf_frames* frames, sft_error* error)
{
    if (gltf == NULL || skeleton == NULL || clip == NULL)
        return sft_core_fail(error, SFT_ERR_ARG, 0, 0, NULL, "no document, or nowhere to put skeleton and clip");
    const sft_gltf_clip_def usual = sft_default_gltf_clip_def();
    if (def == NULL) def = &usual;
    const sft_result checked = check(gltf, animation, def, error);
    if (checked != SFT_OK) return checked;
    work w = {.gltf = gltf,
              .allocator = allocator,
              .animation = def->rest ? -1 : animation,
              .joints = (size_t)gltf->view.joint_count,
              .error = error};
    const sft_result result = run(&w, def);
    if (result == SFT_OK)
    {
        *skeleton = w.skeleton;
        *clip = w.clip;
        if (frames != NULL) *frames = w.frames;
    }
    else
    {
        sft_skeleton_destroy(w.skeleton, allocator);
        sft_clip_destroy(w.clip, allocator);
    }
    release(&w);
    return result;
}
