// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// To BVH. BVH has no rest rotations: zero rotations show the rest pose, so every joint's axes are those of the model.
// With Q the world rotation of a joint in the rest pose and W(t) that of a frame, both in the file's axes, the new
// world rotation is W'(t) = W(t) Q^-1, and OFFSET is the way from the parent in the rest pose. Where nothing but
// rotations moves, W'(t) of the parent turns OFFSET to where the child is, so no joint needs position channels but the
// root.
//
// A document that was BVH once says in its extras what channels and OFFSETs it had; these are kept where they can carry
// the clip.

#include "io/convert.h"

#include <math.h>

// A translation that stays at OFFSET within float32 rounding and this [m] does not move.
#define STILL_METRES 1e-7
#define STILL_RELATIVE 2.4e-7
// [rad] what a joint with fewer than three rotation channels may miss: float32 quaternions are no better.
#define HINGE_TOLERANCE 4e-6

typedef struct building
{
    io_conversion* c;
    sft_space target;
    io_provenance from;
    int32_t old_count, count; ///< joints of the source; with added End Sites
    io_origin* origins;       ///< [old_count]
    int32_t* slots;           ///< [old_count] new index
    int32_t* child_counts;    ///< [old_count]
    sft_bvh_joint* joints;    ///< [count]
    char* names;
    size_t names_size;
    sft_xformd* model; ///< [old_count] of a pose, inside axes
    sft_quatd* after;  ///< [old_count] what world rotations are multiplied by on the right
    sft_v3d* place;    ///< [old_count] world positions, file units and axes
    sft_quatd* turned; ///< [old_count] world rotations of the new joints
    sft_clip* clip;    ///< of the new joints, file units and axes
} building;

static double rounded(double v)
{
    return fabs(v) < 9e5 ? floor(v * 1e10 + 0.5) / 1e10 : v;
}

static sft_v3d rounded_v3(sft_v3d v)
{
    return sft_v3d_make(rounded(v.x) + 0.0, rounded(v.y) + 0.0, rounded(v.z) + 0.0);
}

static double component(sft_v3d v, int axis)
{
    return axis == 0 ? v.x : axis == 1 ? v.y : v.z;
}

static void set_component(sft_v3d* v, int axis, double value)
{
    *(axis == 0 ? &v->x : axis == 1 ? &v->y : &v->z) = value;
}

io_origin sft_io_bvh_origin(const sft_bvh_joint* joint)
{
    io_origin origin = {.known = true,
                        .end_site = joint->end_site,
                        .replaces = joint->positions_replace,
                        .has_offset = true,
                        .offset = joint->offset,
                        .channel_count = (uint8_t)joint->channel_count};
    memcpy(origin.channels, joint->channels, sizeof origin.channels);
    return origin;
}

// ---- what there was, and what there will be ----

static sft_result gather_origins(building* b)
{
    const sft_io_document* document = b->c->document;
    if (document->bvh != NULL)
    {
        b->from = (io_provenance){b->c->source.space.unit_metres, (int32_t)b->c->source.space.up};
        for (int32_t j = 0; j < b->old_count; ++j)
            b->origins[j] = sft_io_bvh_origin(&sft_bvh_view(document->bvh)->joints[j]);
        return SFT_OK;
    }
    sft_result result = sft_io_read_provenance(b->c, &b->from);
    for (int32_t j = 0; j < b->old_count && result == SFT_OK; ++j)
        result = sft_io_read_origin(b->c, j, &b->origins[j]);
    return result;
}

static void choose_space(building* b)
{
    const sft_io_convert_def* def = b->c->def;
    b->target.unit_metres = def->unit_metres > 0.0      ? def->unit_metres
                            : b->from.unit_metres > 0.0 ? b->from.unit_metres
                                                        : 0.01;
    b->target.up = def->up >= 0 ? (sft_axis)def->up : b->from.up >= 0 ? (sft_axis)b->from.up : SFT_AXIS_Y;
}

// BVH nests joints: each parent must be the joint before or one above it.
static bool depth_first(const sft_skeleton* s)
{
    int32_t open = -1;
    for (int32_t j = 0; j < s->joint_count; ++j)
    {
        while (open >= 0 && open != s->parents[j])
            open = s->parents[open];
        if (open != s->parents[j]) return false;
        open = j;
    }
    return true;
}

// An End Site is a leaf below something.
static void check_end_sites(building* b)
{
    const sft_skeleton* s = b->c->source.skeleton;
    for (int32_t j = 0; j < b->old_count; ++j)
    {
        io_origin* o = &b->origins[j];
        if (!o->end_site && (s->flags[j] & SFT_JOINT_END_SITE) == 0) continue;
        const bool leaf = b->child_counts[j] == 0 && s->parents[j] >= 0;
        if (leaf)
            o->known = o->end_site = true;
        else
        {
            *o = (io_origin){.replaces = true};
            sft_io_note(&b->c->notes, "joint %s: extras call it an End Site, but it is no leaf below a joint",
                        s->names[j]);
        }
    }
}

// An End Site behind each leaf that has none, unless a BVH left it so.
static bool wants_end(const building* b, int32_t j)
{
    return b->child_counts[j] == 0 && !b->origins[j].known;
}

static sft_result number_joints(building* b)
{
    const sft_skeleton* s = b->c->source.skeleton;
    for (int32_t j = 0; j < b->old_count; ++j)
        if (s->parents[j] >= 0) ++b->child_counts[s->parents[j]];
    check_end_sites(b);
    b->names_size = 1;
    for (int32_t j = 0; j < b->old_count; ++j)
    {
        b->slots[j] = b->count++;
        b->count += wants_end(b, j) ? 1 : 0;
        b->names_size += strlen(s->names[j]) + 20;
    }
    if (b->count > SFT_MAX_JOINTS)
        return sft_core_fail(b->c->error, SFT_ERR_LIMIT, 0, 0, NULL, "with End Sites the file would have %d joints",
                             (int)b->count);
    return SFT_OK;
}

// ---- names ----

// What would end a name in the text, or stand outside it, cannot be in it.
static char* legal_name(building* b, int32_t joint, char* at)
{
    const char* name = b->c->source.skeleton->names[joint];
    const size_t length = strlen(name);
    char* start = at;
    if (length == 0) at += sft_core_format(at, 20, "joint_%d", (int)joint);
    for (size_t i = 0; i < length; ++i)
    {
        const unsigned char c = (unsigned char)name[i];
        const bool outer = c == ' ' && (i == 0 || i == length - 1 || name[i - 1] == ' ');
        *at++ = c < ' ' || c == 127 || c == '{' || c == '}' || outer ? '_' : (char)c;
    }
    *at++ = '\0';
    if (strcmp(name, start) != 0 && !b->origins[joint].end_site) sft_io_rename(&b->c->renames, name, start);
    return at;
}

// ---- transforms ----

// World rotation of the new joint in a pose: file axes before, file axes of the rest pose after.
static void prepare_rest(building* b)
{
    const sft_skeleton* s = b->c->source.skeleton;
    const sft_quatd turn = sft_space_turn(b->target.up);
    sft_skeleton_forward(s, s->rest_translations, s->rest_rotations, b->model);
    for (int32_t j = 0; j < b->old_count; ++j)
    {
        b->after[j] = sft_quatd_mul(sft_quatd_conjugate(b->model[j].r), turn);
        b->place[j] = sft_space_to_file(&b->target, b->model[j].t);
    }
}

static sft_v3d rest_offset(const building* b, int32_t j)
{
    const int32_t parent = b->c->source.skeleton->parents[j];
    return parent < 0 ? b->place[j] : sft_v3d_sub(b->place[j], b->place[parent]);
}

static double still_tolerance(const building* b, sft_v3d offset)
{
    return STILL_METRES / b->target.unit_metres + STILL_RELATIVE * sft_v3d_length(offset);
}

// The BVH's own number where that is what the rest pose says, up to rounding.
static sft_v3d choose_offset(const building* b, int32_t j)
{
    const io_origin* o = &b->origins[j];
    const sft_v3d offset = rest_offset(b, j);
    const bool same_space = b->from.unit_metres == b->target.unit_metres && b->from.up == (int32_t)b->target.up;
    if (o->has_offset && same_space && sft_v3d_distance(o->offset, offset) <= still_tolerance(b, offset))
        return o->offset;
    return rounded_v3(offset);
}

static void make_joints(building* b)
{
    const sft_skeleton* s = b->c->source.skeleton;
    char* name = b->names;
    for (int32_t j = 0; j < b->old_count; ++j)
    {
        sft_bvh_joint* joint = &b->joints[b->slots[j]];
        *joint = (sft_bvh_joint){.name = name, .positions_replace = true};
        joint->parent = s->parents[j] < 0 ? -1 : b->slots[s->parents[j]];
        joint->end_site = b->origins[j].end_site;
        joint->offset = choose_offset(b, j);
        name = legal_name(b, j, name);
        if (!wants_end(b, j)) continue;
        b->joints[b->slots[j] + 1] =
            (sft_bvh_joint){.name = joint->name, .parent = b->slots[j], .end_site = true, .positions_replace = true};
    }
}

static void convert_frame(building* b, int32_t frame)
{
    const sft_skeleton* s = b->c->source.skeleton;
    const sft_clip* clip = b->c->source.clip;
    const size_t in = (size_t)frame * (size_t)b->old_count, out = (size_t)frame * (size_t)b->count;
    const sft_quatd before = sft_quatd_conjugate(sft_space_turn(b->target.up));
    sft_skeleton_forward(s, clip->translations + in, clip->rotations + in, b->model);
    for (int32_t j = 0; j < b->old_count; ++j)
    {
        const size_t at = out + (size_t)b->slots[j];
        const int32_t parent = s->parents[j];
        b->place[j] = sft_space_to_file(&b->target, b->model[j].t);
        b->turned[j] = sft_quatd_mul(sft_quatd_mul(before, b->model[j].r), b->after[j]);
        const sft_quatd back = parent < 0 ? sft_quatd_identity() : sft_quatd_conjugate(b->turned[parent]);
        const sft_v3d way = parent < 0 ? b->place[j] : sft_v3d_sub(b->place[j], b->place[parent]);
        b->clip->translations[at] = sft_quatd_rotate(back, way);
        b->clip->rotations[at] = sft_quatd_normalize(sft_quatd_mul(back, b->turned[j]));
    }
}

// ---- channels ----

static const uint8_t USUAL[6] = {SFT_BVH_XPOSITION, SFT_BVH_YPOSITION, SFT_BVH_ZPOSITION,
                                 SFT_BVH_ZROTATION, SFT_BVH_XROTATION, SFT_BVH_YROTATION};

static size_t clip_at(const building* b, int32_t frame, int32_t slot)
{
    return (size_t)frame * (size_t)b->count + (size_t)slot;
}

static bool moves(const building* b, int32_t slot, int axis)
{
    const sft_v3d offset = b->joints[slot].offset;
    const double limit = still_tolerance(b, offset);
    for (int32_t f = 0; f < b->clip->frame_count; ++f)
    {
        const sft_v3d t = b->clip->translations[clip_at(b, f, slot)];
        if (!(fabs(component(t, axis) - component(offset, axis)) <= limit)) return true;
    }
    return false;
}

static bool three_axes(const bvh_columns* columns)
{
    return columns->rotation_count == 3 && columns->axes[0] != columns->axes[1] && columns->axes[1] != columns->axes[2];
}

// The rotation nearest to q that the columns can say; how far that is [rad] in *off.
static sft_quatd hinge(const bvh_columns* columns, sft_quatd q, double* off)
{
    double near[6] = {0}, degrees[6] = {0};
    sft_quatd said = sft_quatd_identity();
    if (columns->rotation_count > 0)
    {
        (void)sft_euler_from_quat(q, columns->axes, columns->rotation_count, near, degrees);
        said = sft_euler_to_quat(degrees, columns->axes, columns->rotation_count);
    }
    *off = sft_v3d_length(sft_quatd_log(sft_quatd_mul(sft_quatd_conjugate(said), q)));
    return said;
}

static bool turns_fit(const building* b, int32_t slot, const bvh_columns* columns)
{
    if (columns->rotation_count >= 3) return three_axes(columns);
    if (columns->rotation_count == 2 && columns->axes[0] == columns->axes[1]) return false;
    for (int32_t f = 0; f < b->clip->frame_count; ++f)
    {
        double off = 0.0;
        (void)hinge(columns, b->clip->rotations[clip_at(b, f, slot)], &off);
        if (!(off <= HINGE_TOLERANCE)) return false;
    }
    return true;
}

// Values without a channel become exactly what a reader will take them for.
static void settle(const building* b, int32_t slot)
{
    const sft_bvh_joint* joint = &b->joints[slot];
    const bvh_columns columns = sft_bvh_joint_columns(joint);
    for (int32_t f = 0; f < b->clip->frame_count; ++f)
    {
        const size_t at = clip_at(b, f, slot);
        double off = 0.0;
        for (int axis = 0; axis < 3; ++axis)
            if (columns.position[axis] < 0)
                set_component(&b->clip->translations[at], axis, component(joint->offset, axis));
        if (columns.rotation_count < 3) b->clip->rotations[at] = hinge(&columns, b->clip->rotations[at], &off);
    }
}

static void choose_channels(building* b, int32_t j)
{
    const int32_t slot = b->slots[j];
    const io_origin* o = &b->origins[j];
    sft_bvh_joint* joint = &b->joints[slot];
    bool moving[3];
    for (int axis = 0; axis < 3; ++axis)
        moving[axis] = moves(b, slot, axis);
    const bool any = moving[0] || moving[1] || moving[2];
    if (joint->end_site && !any) return;
    if (joint->end_site) sft_io_note(&b->c->notes, "joint %s: extras call it an End Site, but it moves", joint->name);
    joint->end_site = false;
    if (o->known && !o->end_site)
    {
        joint->channel_count = o->channel_count;
        memcpy(joint->channels, o->channels, sizeof joint->channels);
        joint->positions_replace = o->replaces;
        const bvh_columns columns = sft_bvh_joint_columns(joint);
        bool fits = turns_fit(b, slot, &columns);
        for (int axis = 0; axis < 3; ++axis)
            fits = fits && (!moving[axis] || columns.position[axis] >= 0);
        if (fits) return;
        sft_io_note(&b->c->notes, "joint %s: the channels in its extras cannot carry its motion; it has more now",
                    joint->name);
    }
    const bool six = joint->parent < 0 || any;
    joint->channel_count = six ? 6 : 3;
    memcpy(joint->channels, six ? USUAL : USUAL + 3, (size_t)joint->channel_count);
}

// ---- putting it together ----

// The source's own angles tell which of equal ones to take, where columns and up axis are the same.
static const sft_bvh* angles_to_follow(const building* b)
{
    const sft_bvh* bvh = b->c->document->bvh;
    if (bvh == NULL || b->from.up != (int32_t)b->target.up || b->count != b->old_count) return NULL;
    for (int32_t j = 0; j < b->count; ++j)
    {
        const sft_bvh_joint* old = &sft_bvh_view(bvh)->joints[j];
        if (old->channel_count != b->joints[j].channel_count ||
            memcmp(old->channels, b->joints[j].channels, (size_t)old->channel_count) != 0)
            return NULL;
    }
    return bvh;
}

static sft_result finish(building* b, sft_bvh* bvh, const char* text, sft_io_document** out)
{
    sft_bvh_set_frame_time(bvh, b->clip->frame_time, text, strlen(text));
    for (int32_t i = 0; i < b->c->notes.count; ++i)
        sft_bvh_warn(bvh, 0, "%s", b->c->notes.list[i].message);
    bvh->warnings_lost += (size_t)b->c->notes.lost;
    sft_bvh_finish_warnings(bvh);
    const sft_result result = sft_io_wrap(bvh, NULL, &b->c->allocator, out);
    if (result != SFT_OK) sft_bvh_destroy(bvh);
    return result;
}

static sft_result build(building* b, sft_io_document** out)
{
    io_conversion* c = b->c;
    char text[BVH_FRAME_TIME_TEXT] = "";
    double frame_time = c->source.clip->frame_time;
    const sft_bvh* old = c->document->bvh;
    sft_result result = old == NULL ? sft_io_read_frame_time(c, text, &frame_time) : SFT_OK;
    if (result != SFT_OK) return result;
    if (old != NULL && sft_bvh_view(old)->frame_time_text != NULL) memcpy(text, old->frame_time_text, sizeof text);
    result = sft_clip_create(b->count, c->source.clip->frame_count, frame_time, &c->allocator, &b->clip);
    if (result != SFT_OK) return sft_core_fail(c->error, result, 0, 0, NULL, "the clip is too large");
    prepare_rest(b);
    make_joints(b);
    for (int32_t f = 0; f < b->clip->frame_count; ++f)
        convert_frame(b, f);
    for (int32_t j = 0; j < b->old_count; ++j)
        choose_channels(b, j);
    for (int32_t slot = 0; slot < b->count; ++slot)
        settle(b, slot);
    sft_bvh* bvh = NULL;
    result = sft_bvh_make(b->joints, b->count, b->clip, angles_to_follow(b), &c->allocator, &bvh);
    if (result == SFT_OK) result = finish(b, bvh, text, out);
    return result == SFT_OK ? SFT_OK
                            : sft_core_fail(c->error, result, 0, 0, NULL, "the clip does not go into BVH: %s",
                                            sft_result_string(result));
}

static sft_result copy_bvh(io_conversion* c, sft_io_document** out)
{
    const sft_bvh* bvh = c->document->bvh;
    sft_bvh* copy = NULL;
    sft_result result = sft_bvh_slice(bvh, 0, sft_bvh_view(bvh)->frame_count, &c->allocator, &copy);
    if (result == SFT_OK) result = sft_io_wrap(copy, NULL, &c->allocator, out);
    if (result != SFT_OK) sft_bvh_destroy(copy);
    return result;
}

static sft_result allocate(building* b)
{
    const sft_allocator* a = &b->c->allocator;
    const size_t n = (size_t)b->old_count;
    b->origins = sft_core_alloc(a, n, sizeof *b->origins);
    b->slots = sft_core_alloc(a, n, sizeof *b->slots);
    b->child_counts = sft_core_alloc(a, n, sizeof *b->child_counts);
    b->model = sft_core_alloc(a, n, sizeof *b->model);
    b->after = sft_core_alloc(a, n, sizeof *b->after);
    b->place = sft_core_alloc(a, n, sizeof *b->place);
    b->turned = sft_core_alloc(a, n, sizeof *b->turned);
    return b->origins != NULL && b->slots != NULL && b->child_counts != NULL && b->model != NULL && b->after != NULL &&
                   b->place != NULL && b->turned != NULL
               ? SFT_OK
               : SFT_ERR_MEMORY;
}

static void release(building* b)
{
    const sft_allocator* a = &b->c->allocator;
    const size_t n = (size_t)b->old_count;
    sft_core_free(a, b->origins, n, sizeof *b->origins);
    sft_core_free(a, b->slots, n, sizeof *b->slots);
    sft_core_free(a, b->child_counts, n, sizeof *b->child_counts);
    sft_core_free(a, b->model, n, sizeof *b->model);
    sft_core_free(a, b->after, n, sizeof *b->after);
    sft_core_free(a, b->place, n, sizeof *b->place);
    sft_core_free(a, b->turned, n, sizeof *b->turned);
    sft_core_free(a, b->joints, (size_t)b->count, sizeof *b->joints);
    sft_core_free(a, b->names, b->names_size, 1);
    sft_clip_destroy(b->clip, a);
}

sft_result sft_io_to_bvh(io_conversion* c, sft_io_document** out)
{
    building b = {.c = c, .old_count = c->source.skeleton->joint_count};
    if (!depth_first(c->source.skeleton))
        return sft_core_fail(c->error, SFT_ERR_UNSUPPORTED, 0, 0, NULL, "the joints do not come depth first");
    sft_result result = allocate(&b);
    if (result == SFT_OK) result = gather_origins(&b);
    if (result == SFT_OK) choose_space(&b);
    const bool as_is = result == SFT_OK && c->document->bvh != NULL && b.target.unit_metres == b.from.unit_metres &&
                       (int32_t)b.target.up == b.from.up;
    if (as_is)
        result = copy_bvh(c, out);
    else if (result == SFT_OK)
    {
        result = number_joints(&b);
        b.joints = result == SFT_OK ? sft_core_alloc(&c->allocator, (size_t)b.count, sizeof *b.joints) : NULL;
        b.names = result == SFT_OK ? sft_core_alloc(&c->allocator, b.names_size, 1) : NULL;
        if (result == SFT_OK) result = b.joints != NULL && b.names != NULL ? build(&b, out) : SFT_ERR_MEMORY;
    }
    release(&b);
    return result;
}
