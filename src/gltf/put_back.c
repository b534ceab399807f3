// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// One joint from the clip back into its node's own space: the folding of scales undone (docs/gltf.md, "Scale").

#include "gltf/apply.h"

// A rotation (four numbers), or a translation relative to its length or 1, that differs by less is the document's own.
#define SAME 1e-9
// Stored rotations this near to length 1 are kept as they are where they did not change.
#define UNIT 1e-6

// Translations beyond this would leave the floats of the file.
#define LARGEST 1e38

// Parts of the scratch, in doubles a frame: local rotations for the track (document's, or new), what a channel says
// now, what it shall say, scales.
#define ROTATIONS 0
#define NOW 4
#define WANTED 8
#define SCALES 12
#define RAW 15

static double* part(const gltf_apply* w, size_t which)
{
    return w->scratch + which * w->count;
}

static const char* name_of(const gltf_apply* w, size_t joint, char* buffer)
{
    return sft_gltf_node_name(w->gltf, w->gltf->joint_nodes[joint], buffer);
}

static const gltf_channel* channel_of(const gltf_apply* w, size_t joint, gltf_path path)
{
    const int32_t c = w->map[3 * joint + (size_t)path];
    return c >= 0 ? &w->gltf->animations[w->animation].channels[c] : NULL;
}

static sft_result no_memory(const gltf_apply* w)
{
    return sft_core_fail(w->error, SFT_ERR_MEMORY, 0, 0, NULL, "out of memory");
}

// ---- the document's side ----

typedef struct source
{
    gltf_curve curve;
    void* block;
    size_t size;
    bool there;
} source;

static sft_result open_source(const gltf_apply* w, size_t joint, gltf_path path, source* out)
{
    *out = (source){0};
    const gltf_channel* channel = channel_of(w, joint, path);
    if (channel == NULL) return SFT_OK;
    const sft_result result = sft_gltf_channel_curve(w->gltf, &w->gltf->animations[w->animation], channel, w->allocator,
                                                     &out->curve, &out->block, &out->size);
    if (result == SFT_ERR_MEMORY) return no_memory(w);
    if (result != SFT_OK)
        return sft_core_fail(w->error, result, 0, 0, NULL, "animation %d: a channel has fewer values than keys",
                             w->animation);
    out->there = true;
    return SFT_OK;
}

static void close_source(const gltf_apply* w, source* s)
{
    sft_core_free(w->allocator, s->block, 1, s->size);
    *s = (source){0};
}

static void rest_value(const gltf_local* rest, gltf_path path, double* out)
{
    if (path == GLTF_ROTATION)
        memcpy(out, &rest->r, 4 * sizeof *out);
    else
        memcpy(out, path == GLTF_TRANSLATION ? &rest->t : &rest->stretch.s, 3 * sizeof *out);
}

static void sample(const gltf_apply* w, const source* s, const gltf_local* rest, gltf_path path, double* out)
{
    const size_t width = path == GLTF_ROTATION ? 4 : 3;
    uint32_t hint = 0;
    for (size_t f = 0; f < w->count; ++f)
    {
        if (s->there)
            sft_gltf_curve_at(&s->curve, path, w->times[f], &hint, out + width * f);
        else
            rest_value(rest, path, out + width * f);
    }
}

static gltf_local local_of(const gltf_apply* w, size_t joint)
{
    const gltf_node* node = &w->gltf->nodes[w->gltf->joint_nodes[joint]];
    gltf_local local;
    sft_gltf_rest_local(node, &local);
    for (int path = GLTF_TRANSLATION; path <= GLTF_SCALE; ++path)
        if (w->map[3 * joint + (size_t)path] >= 0) return (gltf_local){node->t, node->r, {.plain = true, .s = node->s}};
    return local;
}

// ---- the clip's side ----

static const gltf_base* base_of(const gltf_apply* w, size_t joint)
{
    return w->gltf->joint_parents[joint] < 0 ? sft_gltf_base_above(w->gltf, &w->bases, (int32_t)joint) : NULL;
}

static const gltf_carry* above_at(const gltf_apply* w, size_t joint, size_t frame, const gltf_carry* none)
{
    const int32_t parent = w->gltf->joint_parents[joint];
    if (parent >= 0)
    {
        const gltf_track* track = &w->tracks[parent];
        return &track->list[track->count > 1 ? frame : 0];
    }
    const gltf_base* base = base_of(w, joint);
    return base != NULL ? &base->carry : none;
}

// The rigid transforms a joint shall have, document units and axes, without the nodes above the roots.
static sft_quatd rigid_rotation(const gltf_apply* w, size_t joint, size_t frame)
{
    sft_quatd q = sft_quatd_normalize(w->clip->rotations[frame * w->joints + joint]);
    if (w->gltf->joint_parents[joint] >= 0) return q;
    if (w->space != NULL) q = sft_quatd_mul(sft_quatd_conjugate(sft_space_turn(w->space->up)), q);
    const gltf_base* base = base_of(w, joint);
    return base != NULL ? sft_quatd_mul(sft_quatd_conjugate(base->x.r), q) : q;
}

static sft_v3d rigid_translation(const gltf_apply* w, size_t joint, size_t frame)
{
    sft_v3d t = w->clip->translations[frame * w->joints + joint];
    if (w->gltf->joint_parents[joint] >= 0) return w->space != NULL ? sft_v3d_scale(1.0 / w->space->unit_metres, t) : t;
    if (w->space != NULL) t = sft_space_to_file(w->space, t);
    const gltf_base* base = base_of(w, joint);
    return base != NULL ? sft_quatd_unrotate(base->x.r, sft_v3d_sub(t, base->x.t)) : t;
}

static sft_quatd quat_at(const double* v)
{
    return (sft_quatd){v[0], v[1], v[2], v[3]};
}

static sft_v3d vec_at(const double* v)
{
    return (sft_v3d){v[0], v[1], v[2]};
}

// Length of the difference of two rotations as points on the sphere: half the angle between them.
static double apart(sft_quatd a, sft_quatd b)
{
    const double s = sft_quatd_dot(a, b) < 0.0 ? -1.0 : 1.0;
    const sft_quatd d = {a.x - s * b.x, a.y - s * b.y, a.z - s * b.z, a.w - s * b.w};
    return sqrt(sft_quatd_dot(d, d));
}

// ---- one channel ----

// A channel on its way: what it says now and what it shall say, frame by frame, in the node's own space.
typedef struct channel_work
{
    gltf_apply* w;
    size_t joint;
    gltf_path path;
    size_t width;
    source from;
    double* now;
    double* wanted;
    uint8_t* differs; ///< a frame
    bool any;         ///< frame differs
} channel_work;

static sft_result want_rotations(channel_work* c)
{
    const gltf_apply* w = c->w;
    const gltf_carry none = sft_gltf_carry_none();
    for (size_t f = 0; f < w->count; ++f)
    {
        const gltf_carry* above = above_at(w, c->joint, f, &none);
        const sft_quatd q = sft_gltf_carry_turn_back(above, rigid_rotation(w, c->joint, f));
        memcpy(c->wanted + 4 * f, &q, sizeof q);
        c->differs[f] = apart(q, quat_at(c->now + 4 * f)) >= SAME;
        if (c->differs[f] == 0) continue;
        c->any = true;
        if (!sft_gltf_carry_shears(above)) continue;
        char buffer[24];
        return sft_core_fail(w->error, SFT_ERR_UNSUPPORTED, 0, 0, name_of(w, c->joint, buffer),
                             "frame %z: uneven scales above this joint shear what is below it, so a new rotation would "
                             "move its bones; apply the scales in the program the file came from, or leave the joint "
                             "out",
                             f);
    }
    return SFT_OK;
}

static sft_result want_translations(channel_work* c)
{
    const gltf_apply* w = c->w;
    const gltf_carry none = sft_gltf_carry_none();
    for (size_t f = 0; f < w->count; ++f)
    {
        const gltf_carry* above = above_at(w, c->joint, f, &none);
        const sft_v3d rigid = rigid_translation(w, c->joint, f);
        const sft_v3d now = vec_at(c->now + 3 * f);
        const double error = sft_v3d_distance(sft_gltf_carry_move(above, now), rigid);
        sft_v3d t = now;
        c->differs[f] = error >= SAME * sft_maxd(1.0, sft_v3d_length(rigid));
        if (c->differs[f] != 0)
        {
            c->any = true;
            if (!sft_gltf_carry_move_back(above, rigid, &t))
            {
                char buffer[24];
                return sft_core_fail(w->error, SFT_ERR_UNSUPPORTED, 0, 0, name_of(w, c->joint, buffer),
                                     "frame %z: a scale of zero above this joint leaves its translation no effect; "
                                     "leave the joint out",
                                     f);
            }
            if (!(sft_v3d_dot(t, t) <= LARGEST * LARGEST))
            {
                char buffer[24];
                return sft_core_fail(w->error, SFT_ERR_RANGE, 0, 0, name_of(w, c->joint, buffer),
                                     "frame %z: scales above this joint make its translation too large for the file",
                                     f);
            }
        }
        memcpy(c->wanted + 3 * f, &t, sizeof t);
    }
    return SFT_OK;
}

// Largest errors of the file as it will be.
static void note_error(const channel_work* c, size_t frame, const double* written)
{
    gltf_apply* w = c->w;
    const gltf_carry none = sft_gltf_carry_none();
    if (c->path == GLTF_ROTATION)
    {
        const sft_quatd q = sft_quatd_normalize(quat_at(written));
        const double error =
            sft_v3d_length(sft_quatd_log(sft_quatd_mul(sft_quatd_conjugate(quat_at(c->wanted + 4 * frame)), q)));
        if (!(error > w->report.rotation_error)) return;
        w->report.rotation_error = error;
        w->report.rotation_joint = (int32_t)c->joint;
        w->report.rotation_frame = (int32_t)frame;
        return;
    }
    const sft_v3d off = sft_v3d_sub(vec_at(written), vec_at(c->wanted + 3 * frame));
    const double error = sft_v3d_length(sft_gltf_carry_move(above_at(w, c->joint, frame, &none), off));
    if (!(error > w->report.translation_error)) return;
    w->report.translation_error = error;
    w->report.translation_joint = (int32_t)c->joint;
    w->report.translation_frame = (int32_t)frame;
}

// The sign nearest to `like`, which the rounded value then becomes.
static void narrow(const channel_work* c, const double* value, double* like, float* out)
{
    double dot = 1.0;
    if (c->path == GLTF_ROTATION) dot = sft_quatd_dot(quat_at(value), quat_at(like));
    const double sign = dot < 0.0 ? -1.0 : 1.0;
    for (size_t i = 0; i < c->width; ++i)
    {
        out[i] = (float)(sign * value[i]);
        like[i] = sign * value[i];
    }
}

// The sign of the source's first key, or of the node at rest.
static void first_sign(const channel_work* c, double* like)
{
    const double* v = c->from.there ? sft_gltf_curve_value(&c->from.curve, 0) : c->now;
    memcpy(like, v, c->width * sizeof *like);
}

// The stored numbers of a key that did not change go out again as they came in.
static const double* unchanged(const channel_work* c, size_t frame, uint32_t* hint)
{
    const double* now = c->now + c->width * frame;
    uint32_t k;
    if (!c->from.there || !sft_gltf_curve_key(&c->from.curve, c->w->times[frame], hint, &k)) return now;
    const double* stored = sft_gltf_curve_value(&c->from.curve, k);
    if (c->path != GLTF_ROTATION) return stored;
    const double square = sft_quatd_dot(quat_at(stored), quat_at(stored));
    return fabs(square - 1.0) < UNIT ? stored : now;
}

static gltf_keys* new_keys(const channel_work* c, uint32_t count, int32_t input, const float* times,
                           gltf_interpolation interpolation)
{
    const size_t numbers = (size_t)count * c->width * (interpolation == GLTF_CUBICSPLINE ? 3 : 1);
    gltf_keys* keys = sft_gltf_keep(c->w->gltf, 1, sizeof *keys);
    if (keys == NULL) return NULL;
    *keys = (gltf_keys){count, input, times, sft_gltf_keep(c->w->gltf, numbers, sizeof(float)), interpolation};
    return keys->values != NULL ? keys : NULL;
}

static sft_result write_dense(channel_work* c)
{
    gltf_apply* w = c->w;
    const float* times = NULL;
    if (w->input < 0)
    {
        sft_result result = SFT_OK;
        times = sft_gltf_new_times(w, &result);
        if (times == NULL) return result;
    }
    gltf_keys* keys = new_keys(c, (uint32_t)w->count, w->input, times, GLTF_LINEAR);
    if (keys == NULL) return no_memory(w);
    double like[4];
    uint32_t hint = 0;
    first_sign(c, like);
    for (size_t f = 0; f < w->count; ++f)
    {
        float* out = keys->values + c->width * f;
        narrow(c, c->differs[f] != 0 ? c->wanted + c->width * f : unchanged(c, f, &hint), like, out);
        double written[4] = {0};
        for (size_t i = 0; i < c->width; ++i)
            written[i] = (double)out[i];
        note_error(c, f, written);
    }
    w->changes[w->change_count++] = (gltf_change){(int32_t)c->joint, c->path, keys};
    return SFT_OK;
}

// LINEAR keys that are the frames need no fit.
static bool keys_are_frames(const channel_work* c)
{
    if (c->from.curve.count != c->w->count || c->from.curve.interpolation != GLTF_LINEAR) return false;
    for (size_t f = 0; f < c->w->count; ++f)
        if (c->from.curve.times[f] != c->w->times[f]) return false;
    return true;
}

// Values at the source's own keys, by its own interpolation. False: out of memory.
static bool fit(const channel_work* c, double* out)
{
    const gltf_apply* w = c->w;
    const gltf_curve* from = &c->from.curve;
    const gltf_curve wanted = {(uint32_t)w->count, (int32_t)c->width, GLTF_LINEAR, w->times, c->wanted};
    if (from->interpolation == GLTF_CUBICSPLINE) return sft_gltf_fit_spline(&wanted, from, w->allocator, out);
    if (from->interpolation == GLTF_LINEAR)
        return sft_gltf_fit_keys(&wanted, from->times, from->count, w->allocator, out);
    sft_gltf_fit_steps(&wanted, from, out);
    return true;
}

// Rounds to what the file holds, in both places. Splines keep the source's signs: their tangents go with them.
static void round_fitted(const channel_work* c, size_t doubles, double* fitted, float* out)
{
    double like[4];
    first_sign(c, like);
    for (size_t k = 0; k < doubles; k += c->width)
    {
        if (c->from.curve.interpolation != GLTF_CUBICSPLINE) narrow(c, fitted + k, like, out + k);
        for (size_t i = 0; i < c->width; ++i)
        {
            if (c->from.curve.interpolation == GLTF_CUBICSPLINE) out[k + i] = (float)fitted[k + i];
            fitted[k + i] = (double)out[k + i];
        }
    }
}

static sft_result write_fitted(channel_work* c)
{
    gltf_apply* w = c->w;
    const gltf_channel* channel = channel_of(w, c->joint, c->path);
    const gltf_interpolation how = c->from.curve.interpolation;
    const uint32_t count = c->from.curve.count;
    const gltf_animation* a = &w->gltf->animations[w->animation];
    const int32_t input = channel->keys != NULL ? channel->keys->input : a->samplers[channel->sampler].input;
    const float* times = channel->keys != NULL ? channel->keys->times : NULL;
    const size_t doubles = (size_t)count * c->width * (how == GLTF_CUBICSPLINE ? 3 : 1);
    double* fitted = sft_core_alloc(w->allocator, doubles, sizeof *fitted);
    gltf_keys* keys = new_keys(c, count, input, times, how);
    if (fitted == NULL || keys == NULL || !fit(c, fitted))
    {
        sft_core_free(w->allocator, fitted, doubles, sizeof *fitted);
        return no_memory(w);
    }
    round_fitted(c, doubles, fitted, keys->values);
    const gltf_curve written = {count, (int32_t)c->width, how, c->from.curve.times, fitted};
    uint32_t hint = 0;
    for (size_t f = 0; f < w->count; ++f)
    {
        double v[4];
        sft_gltf_curve_at(&written, c->path, w->times[f], &hint, v);
        note_error(c, f, v);
    }
    sft_core_free(w->allocator, fitted, doubles, sizeof *fitted);
    w->changes[w->change_count++] = (gltf_change){(int32_t)c->joint, c->path, keys};
    return SFT_OK;
}

static sft_result check_matrix(const channel_work* c)
{
    const gltf_node* node = &c->w->gltf->nodes[c->w->gltf->joint_nodes[c->joint]];
    if (sft_gltf_is_trs(node)) return SFT_OK;
    char buffer[24];
    return sft_core_fail(
        c->w->error, SFT_ERR_UNSUPPORTED, 0, 0, name_of(c->w, c->joint, buffer),
        "its matrix shears, so it cannot be written as translation, rotation and scale, which animated "
        "nodes need; leave the joint out");
}

// Puts one channel back where it differs; *changed says whether, and `wanted` is then what it says.
static sft_result put_channel(gltf_apply* w, size_t joint, gltf_path path, const gltf_local* rest, bool* changed)
{
    channel_work c = {.w = w, .joint = joint, .path = path, .width = path == GLTF_ROTATION ? 4 : 3};
    c.now = part(w, NOW);
    c.wanted = part(w, WANTED);
    c.differs = (uint8_t*)(void*)part(w, RAW);
    sft_result result = open_source(w, joint, path, &c.from);
    if (result != SFT_OK) return result;
    sample(w, &c.from, rest, path, c.now);
    result = path == GLTF_ROTATION ? want_rotations(&c) : want_translations(&c);
    if (result == SFT_OK && c.any) result = check_matrix(&c);
    if (result == SFT_OK && c.any)
        result = w->keep_keys && c.from.there && !keys_are_frames(&c) ? write_fitted(&c) : write_dense(&c);
    else if (result == SFT_OK && !c.any)
        for (size_t f = 0; f < w->count; ++f)
            note_error(&c, f, c.now + c.width * f);
    close_source(w, &c.from);
    *changed = c.any;
    return result;
}

// ---- what is left over for the children ----

static sft_result read_part(gltf_apply* w, size_t joint, gltf_path path, const gltf_local* rest, double* out)
{
    source s;
    const sft_result result = open_source(w, joint, path, &s);
    if (result != SFT_OK) return result;
    sample(w, &s, rest, path, out);
    close_source(w, &s);
    return SFT_OK;
}

static bool constant(const double* v, size_t count)
{
    for (size_t f = 1; f < count; ++f)
        if (memcmp(v, v + 3 * f, 3 * sizeof *v) != 0) return false;
    return true;
}

// `turned`: the scratch holds the new local rotations already.
static sft_result make_track(gltf_apply* w, size_t joint, const gltf_local* rest, bool turned)
{
    const gltf_carry none = sft_gltf_carry_none();
    const int32_t parent = w->gltf->joint_parents[joint];
    const bool steady_above = (parent < 0 || w->tracks[parent].count == 1) && above_at(w, joint, 0, &none)->even;
    double* rotations = part(w, ROTATIONS);
    double* scales = part(w, SCALES);
    sft_result result = SFT_OK;
    const bool scaled = w->map[3 * joint + GLTF_SCALE] >= 0;
    if (scaled) result = read_part(w, joint, GLTF_SCALE, rest, scales);
    // Below what is even, a rotation leaves no trace.
    const bool steady = steady_above && rest->stretch.plain && (!scaled || constant(scales, w->count));
    if (result == SFT_OK && !turned && !steady) result = read_part(w, joint, GLTF_ROTATION, rest, rotations);
    if (result != SFT_OK) return result;
    gltf_track* track = &w->tracks[joint];
    const size_t count = steady ? 1 : w->count;
    track->list = sft_core_alloc(w->allocator, count, sizeof *track->list);
    if (track->list == NULL) return no_memory(w);
    track->count = count;
    for (size_t f = 0; f < count; ++f)
    {
        gltf_stretch stretch = rest->stretch;
        if (scaled) stretch = (gltf_stretch){.plain = true, .s = vec_at(scales + 3 * f)};
        const sft_quatd r = steady ? rest->r : quat_at(rotations + 4 * f);
        sft_gltf_carry_below(above_at(w, joint, f, &none), r, &stretch, &track->list[f]);
    }
    return SFT_OK;
}

static void drop_track(gltf_apply* w, int32_t joint)
{
    gltf_track* track = &w->tracks[joint];
    sft_core_free(w->allocator, track->list, track->count, sizeof *track->list);
    *track = (gltf_track){0};
}

static bool masked(const gltf_apply* w, size_t joint, gltf_path path)
{
    return w->masks[path] != NULL && w->masks[path][joint] != 0;
}

sft_result sft_gltf_put_back(gltf_apply* w, size_t joint)
{
    const gltf_local rest = local_of(w, joint);
    bool changed = false, turned = false;
    sft_result result = SFT_OK;
    if (masked(w, joint, GLTF_TRANSLATION)) result = put_channel(w, joint, GLTF_TRANSLATION, &rest, &changed);
    if (result == SFT_OK && masked(w, joint, GLTF_ROTATION))
    {
        result = put_channel(w, joint, GLTF_ROTATION, &rest, &turned);
        memcpy(part(w, ROTATIONS), part(w, turned ? WANTED : NOW), 4 * w->count * sizeof(double));
        turned = true;
    }
    if (result == SFT_OK && w->last[joint] >= 0) result = make_track(w, joint, &rest, turned);
    const int32_t parent = w->gltf->joint_parents[joint];
    if (parent >= 0 && w->last[parent] == (int32_t)joint) drop_track(w, parent);
    return result;
}
