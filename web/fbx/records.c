// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// The scene of an FBX from its own records, for the studio, where there is no assimp. A node's transform is the chain
// of the FBX SDK's documentation ("Computing transformation matrices"):
//
//     T Roff Rp Rpre R Rpost^-1 Rp^-1 Soff Sp S Sp^-1
//
// with R in the node's own order of axes, Rpre and Rpost about X, Y, Z. Keys are joined as surefoot-fbx joins them:
// values of curves straight, turns along the shorter arc between any key of their three curves; so both give one
// motion.

#include "../../cli/fbx/scene.h"
#include "../../cli/fbx/matrix.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define BREATH 10000.0 // ticks around a take's range in which keys count
#define STEP 179.0 // degrees: ways of half a turn and more are cut into these, so that the shorter arc is the way meant
#define CUTS_MOST 1e6 // of one way

// ---- the chain ----

typedef struct chain
{
    double offset[16];  // Roff Rp
    double before[4];   // Rpre
    double after[4];    // Rpost^-1
    double between[16]; // Rp^-1 Soff Sp
    double last[16];    // Sp^-1
    bool pivots;        // other than turns before and after
} chain;

static void vector_of(const fbx_model* model, const char* name, double out[3])
{
    const fbx_record* p = fbx_property(model->record, name);
    for (size_t i = 0; i < 3; ++i)
        out[i] = p != NULL && 4 + i < p->value_count ? p->values[4 + i].real : 0.0;
}

static void quat_of_degrees(const double degrees[3], int order, double q[4])
{
    double m[16], t[3], s[3];
    fbx_turn_of(degrees, order, m);
    fbx_decompose(m, t, q, s);
}

static void shift_of(const double by[3], double sign, double m[16])
{
    fbx_identity(m);
    for (int i = 0; i < 3; ++i)
        m[4 * i + 3] = sign * by[i];
}

static void read_chain(const fbx_model* model, chain* out)
{
    double roff[3], rp[3], pre[3], post[3], soff[3], sp[3], m[16];
    vector_of(model, "RotationOffset", roff);
    vector_of(model, "RotationPivot", rp);
    vector_of(model, "PreRotation", pre);
    vector_of(model, "PostRotation", post);
    vector_of(model, "ScalingOffset", soff);
    vector_of(model, "ScalingPivot", sp);
    shift_of(roff, 1.0, out->offset);
    shift_of(rp, 1.0, m);
    fbx_multiply(out->offset, m, out->offset);
    shift_of(rp, -1.0, out->between);
    shift_of(soff, 1.0, m);
    fbx_multiply(out->between, m, out->between);
    shift_of(sp, 1.0, m);
    fbx_multiply(out->between, m, out->between);
    shift_of(sp, -1.0, out->last);
    quat_of_degrees(pre, 0, out->before);
    quat_of_degrees(post, 0, out->after);
    for (int i = 0; i < 3; ++i)
    {
        out->after[i] = -out->after[i];
        out->pivots = out->pivots || roff[i] != 0.0 || rp[i] != 0.0 || soff[i] != 0.0 || sp[i] != 0.0;
    }
}

// Rpre R Rpost^-1.
static void turn_whole(const chain* c, const double own[4], double q[4])
{
    fbx_quat_multiply(c->before, own, q);
    fbx_quat_multiply(q, c->after, q);
    fbx_quat_unit(q);
}

static void local_of(const chain* c, const double t[3], const double own[4], const double s[3], double m[16])
{
    static const double none[3] = {0, 0, 0}, one[3] = {1, 1, 1}, still[4] = {0, 0, 0, 1};
    double q[4], part[16];
    turn_whole(c, own, q);
    fbx_compose(t, still, one, m);
    fbx_multiply(m, c->offset, m);
    fbx_compose(none, q, one, part);
    fbx_multiply(m, part, m);
    fbx_multiply(m, c->between, m);
    fbx_compose(none, still, s, part);
    fbx_multiply(m, part, m);
    fbx_multiply(m, c->last, m);
}

// ---- nodes ----

static int by_parent(const void* a, const void* b)
{
    const fbx_model *x = *(const fbx_model*const*)a, *y = *(const fbx_model*const*)b;
    if (x->parent != y->parent) return x->parent < y->parent ? -1 : 1;
    if (x->place != y->place) return x->place < y->place ? -1 : 1;
    return (x > y) - (x < y);
}

static void add_node(fbx_scene* scene, chain* chains, int32_t index, int32_t parent)
{
    const fbx_model* model = &scene->facts.models[index];
    chain* c = &chains[scene->node_count];
    fbx_node* n = &scene->nodes[scene->node_count++];
    *n = (fbx_node){.name = model->name,
                    .parent = parent,
                    .top = -1,
                    .model = index,
                    .joint = model->bone || fbx_is_joint_kind(model->kind),
                    .mesh = fbx_is_shape_kind(model->kind),
                    .stretch = {1, 1, 1},
                    .undo = {1, 1, 1}};
    read_chain(model, c);
    double own[4];
    quat_of_degrees(model->rotation, model->order, own);
    local_of(c, model->translation, own, model->scale, n->m);
    n->is_matrix = !fbx_decompose(n->m, n->t, n->r, n->s);
    if (c->pivots) return;
    // Without pivots the parts are at hand, with the signs that the file gave them.
    memcpy(n->t, model->translation, sizeof n->t);
    memcpy(n->s, model->scale, sizeof n->s);
    turn_whole(c, own, n->r);
    n->is_matrix = false;
}

// Handles of control rigs are no part of a figure.
static bool is_effector(const fbx_model* model)
{
    return strcmp(model->kind, "IKEffector") == 0 || strcmp(model->kind, "FKEffector") == 0;
}

// Depth first, in the order of the file's connections; models whose parents go in circles hang from nothing and stay
// out.
static chain* read_nodes(fbx_scene* scene)
{
    const size_t count = scene->facts.model_count;
    const fbx_model** sorted = fbx_alloc(scene->arena, count, sizeof *sorted);
    size_t* firsts = fbx_alloc(scene->arena, count + 2, sizeof *firsts); // children of model i - 1 start at firsts[i]
    int32_t(*open)[2] = fbx_alloc(scene->arena, count, sizeof *open);    // model, node above
    chain* chains = fbx_alloc(scene->arena, count, sizeof *chains);
    scene->nodes = fbx_alloc(scene->arena, count, sizeof *scene->nodes);
    if (scene->arena->failed) return NULL;
    for (size_t i = 0; i < count; ++i)
        sorted[i] = &scene->facts.models[i];
    qsort(sorted, count, sizeof *sorted, by_parent);
    size_t at = 0;
    for (size_t i = 0; i < count + 2; ++i)
    {
        while (at < count && sorted[at]->parent < (int32_t)i - 1)
            ++at;
        firsts[i] = at;
    }
    size_t depth = 0;
    for (size_t i = firsts[1]; i-- > firsts[0];)
    {
        if (!sorted[i]->top || is_effector(sorted[i])) continue;
        open[depth][0] = (int32_t)(sorted[i] - scene->facts.models);
        open[depth++][1] = -1;
    }
    while (depth > 0)
    {
        const int32_t model = open[--depth][0], above = open[depth][1];
        const int32_t node = (int32_t)scene->node_count;
        add_node(scene, chains, model, above);
        for (size_t i = firsts[model + 2]; i-- > firsts[model + 1];)
        {
            if (is_effector(sorted[i])) continue;
            open[depth][0] = (int32_t)(sorted[i] - scene->facts.models);
            open[depth++][1] = node;
        }
    }
    return chains;
}

static int by_node_name(const void* a, const void* b)
{
    const fbx_node *x = *(fbx_node*const*)a, *y = *(fbx_node*const*)b;
    const int order = strcmp(x->name, y->name);
    return order != 0 ? order : (x > y) - (x < y);
}

// The second of a name and those that follow it get digits, as surefoot-fbx gives them.
static void part_names(fbx_scene* scene)
{
    fbx_node** sorted = fbx_alloc(scene->arena, scene->node_count, sizeof *sorted);
    if (sorted == NULL) return;
    for (size_t i = 0; i < scene->node_count; ++i)
        sorted[i] = &scene->nodes[i];
    qsort(sorted, scene->node_count, sizeof *sorted, by_node_name);
    for (size_t i = 0, stop; i < scene->node_count; i = stop)
    {
        const char* name = sorted[i]->name;
        for (stop = i + 1; stop < scene->node_count && strcmp(sorted[stop]->name, name) == 0; ++stop)
        {
            const size_t size = strlen(name) + 16;
            char* other = fbx_alloc(scene->arena, size, 1);
            if (other == NULL) return;
            snprintf(other, size, "%s%03u", name, (unsigned)(stop - i));
            sorted[stop]->name = other;
        }
    }
}

// ---- curves ----

// Up to one curve an axis, cut to the take's range; of several layers the last.
typedef struct path
{
    fbx_track axes[3]; // count 0: stands
    double still[3];
    bool moves;
    size_t key_count; // of all axes
} path;

// Cuts on the way between two keys of a turn; the last piece is less than half a turn.
static double cuts_of(double way)
{
    const double size = fabs(way);
    return size >= 180.0 ? fmin(floor((size - 180.0) / STEP) + 1.0, CUTS_MOST) : 0.0;
}

static void put_key(const fbx_take* take, double time, double value, fbx_track* out, int64_t* times, double* values)
{
    if (take->has_range && (time < (double)take->start - BREATH || time > (double)take->stop + BREATH)) return;
    times[out->count] = (int64_t)time;
    values[out->count++] = value;
}

// Keys in the range; for turns, with their cuts.
static bool cut_track(fbx_arena* arena, const fbx_take* take, const fbx_track* from, bool turns, fbx_track* out)
{
    size_t most = from->count;
    for (size_t i = 1; turns && i < from->count; ++i)
        most += (size_t)cuts_of(from->values[i] - from->values[i - 1]);
    int64_t* times = fbx_alloc(arena, most, sizeof *times);
    double* values = fbx_alloc(arena, most, sizeof *values);
    if (times == NULL || values == NULL) return false;
    *out = *from;
    out->count = 0;
    out->times = times;
    out->values = values;
    for (size_t i = 0; i < from->count; ++i)
    {
        const size_t before = i > 0 ? i - 1 : 0;
        const double start = (double)from->times[before], length = (double)from->times[i] - start;
        const double way = from->values[i] - from->values[before];
        const double cuts = turns ? cuts_of(way) : 0.0;
        for (double k = 1.0; k <= cuts; ++k)
            put_key(take, start + floor(length * k * STEP / fabs(way)), from->values[before] + copysign(k * STEP, way),
                    out, times, values);
        put_key(take, (double)from->times[i], from->values[i], out, times, values);
    }
    return true;
}

static bool read_path(fbx_builder* b, int32_t model, char property, const double still[3], path* out)
{
    const fbx_facts* facts = &b->scene->facts;
    size_t count;
    const size_t first = fbx_tracks_of(facts, b->take, model, property, &count);
    *out = (path){.still = {still[0], still[1], still[2]}};
    for (size_t i = first; i < first + count; ++i)
    {
        const fbx_track* from = &facts->tracks[i];
        fbx_track* to = &out->axes[from->axis - 'X'];
        // By axis and layer: a later one takes the place of an earlier.
        if (!cut_track(b->scene->arena, &facts->takes[b->take], from, property == 'R', to)) return false;
    }
    for (int k = 0; k < 3; ++k)
        out->key_count += out->axes[k].count;
    out->moves = out->key_count > 0;
    return true;
}

static void value_at(const path* p, double ticks, double out[3])
{
    for (int k = 0; k < 3; ++k)
        out[k] = p->axes[k].count > 0 ? fbx_track_at(&p->axes[k], ticks) : p->still[k];
}

// Times of the keys of all axes, in ticks, growing.
static size_t put_times(const path* p, double* out)
{
    size_t count = 0;
    for (int k = 0; k < 3; ++k)
        for (size_t i = 0; i < p->axes[k].count; ++i)
            out[count++] = (double)p->axes[k].times[i];
    return count;
}

static size_t sort_times(double* times, size_t count)
{
    qsort(times, count, sizeof *times, fbx_by_time);
    size_t kept = 0;
    for (size_t i = 0; i < count; ++i)
        if (kept == 0 || times[i] > times[kept - 1]) times[kept++] = times[i];
    return kept;
}

// Turns at the keys of their curves; between them the shorter arc.
typedef struct turns
{
    double* times;
    double (*quats)[4];
    size_t count;
    double still[4];
} turns;

static bool read_turns(fbx_scene* scene, const path* p, int order, turns* out)
{
    quat_of_degrees(p->still, order, out->still);
    out->times = fbx_alloc(scene->arena, p->key_count, sizeof *out->times);
    out->quats = fbx_alloc(scene->arena, p->key_count, sizeof *out->quats);
    if (scene->arena->failed) return false;
    out->count = sort_times(out->times, put_times(p, out->times));
    for (size_t i = 0; i < out->count; ++i)
    {
        double degrees[3];
        value_at(p, out->times[i], degrees);
        quat_of_degrees(degrees, order, out->quats[i]);
    }
    return true;
}

static void turn_at(const turns* t, double ticks, double q[4])
{
    if (t->count == 0)
    {
        memcpy(q, t->still, sizeof t->still);
        return;
    }
    size_t lo = 0, hi = t->count;
    while (hi - lo > 1)
    {
        const size_t mid = lo + (hi - lo) / 2;
        if (t->times[mid] <= ticks)
            lo = mid;
        else
            hi = mid;
    }
    const size_t next = lo + 1 < t->count ? lo + 1 : lo;
    const double a = t->times[lo], b = t->times[next];
    fbx_slerp(t->quats[lo], t->quats[next], ticks > a && b > a ? (ticks - a) / (b - a) : 0.0, q);
}

// ---- takes ----

typedef struct motion
{
    path paths[3];
    turns turns;
    double* times; // of all paths
    size_t count;
} motion;

static void times_each(double out[3], const double value[3], const double factors[3])
{
    for (int k = 0; k < 3; ++k)
        out[k] = value[k] * factors[k];
}

// A node without pivots: each path by itself, at its own keys.
static void put_plain(fbx_builder* b, const fbx_node* node, const chain* c, const motion* m, fbx_channel* out)
{
    for (int p = 0; p < 3; p += 2)
    {
        double* times = m->times; // used once more
        const size_t count = sort_times(times, put_times(&m->paths[p], times));
        for (size_t i = 0; i < count; ++i)
        {
            double value[3];
            value_at(&m->paths[p], times[i], value);
            times_each(value, value, p == 0 ? node->stretch : node->undo);
            fbx_put_key(b, &out->paths[p], 3, times[i] / FBX_TICKS, value);
        }
    }
    for (size_t i = 0; i < m->turns.count; ++i)
    {
        double q[4];
        turn_whole(c, m->turns.quats[i], q);
        fbx_put_turn(b, &out->paths[1], m->turns.times[i] / FBX_TICKS, q);
    }
}

// With pivots a turn moves the place too: the whole chain, wherever anything has a key.
static void put_chain(fbx_builder* b, const fbx_node* node, const chain* c, const motion* m, fbx_channel* out)
{
    for (size_t i = 0; i < m->count; ++i)
    {
        double t[3], q[4], s[3], whole[16];
        value_at(&m->paths[0], m->times[i], t);
        turn_at(&m->turns, m->times[i], q);
        value_at(&m->paths[2], m->times[i], s);
        local_of(c, t, q, s, whole);
        fbx_decompose(whole, t, q, s);
        times_each(t, t, node->stretch);
        times_each(s, s, node->undo);
        fbx_put_key(b, &out->paths[0], 3, m->times[i] / FBX_TICKS, t);
        fbx_put_turn(b, &out->paths[1], m->times[i] / FBX_TICKS, q);
        fbx_put_key(b, &out->paths[2], 3, m->times[i] / FBX_TICKS, s);
    }
}

static bool read_motion(fbx_builder* b, const fbx_node* node, motion* out)
{
    const fbx_model* model = &b->scene->facts.models[node->model];
    const double* still[] = {model->translation, model->rotation, model->scale};
    size_t most = 0;
    for (int p = 0; p < 3; ++p)
    {
        if (!read_path(b, node->model, "TRS"[p], still[p], &out -> paths[p])) return false;
        most += out->paths[p].key_count;
    }
    out->times = fbx_alloc(b->scene->arena, most, sizeof *out->times);
    if (out->times == NULL || !read_turns(b->scene, &out->paths[1], model->order, &out->turns)) return false;
    for (int p = 0; p < 3; ++p)
        out->count += put_times(&out->paths[p], out->times + out->count);
    out->count = sort_times(out->times, out->count);
    return true;
}

// glTF has no keys before 0: then the whole clip moves.
static void set_shift(fbx_builder* b, const motion* motions)
{
    double first = INFINITY;
    for (size_t i = 0; i < b->scene->node_count; ++i)
        if (motions[i].count > 0) first = fmin(first, motions[i].times[0] / FBX_TICKS);
    if (isfinite(first) && (float)first < 0.0f) b->clip->shift = -first;
}

static bool read_channels(fbx_builder* b, const chain* chains)
{
    fbx_scene* scene = b->scene;
    motion* motions = fbx_alloc(scene->arena, scene->node_count, sizeof *motions);
    b->clip->channels = fbx_alloc(scene->arena, scene->node_count, sizeof *b->clip->channels);
    if (scene->arena->failed) return false;
    for (size_t i = 0; i < scene->node_count; ++i)
        if (!read_motion(b, &scene->nodes[i], &motions[i])) return false;
    set_shift(b, motions);
    for (size_t i = 0; i < scene->node_count; ++i)
    {
        fbx_node* node = &scene->nodes[i];
        const motion* m = &motions[i];
        if (node->dropped || m->count == 0) continue;
        fbx_channel* out = &b->clip->channels[b->clip->channel_count];
        *out = (fbx_channel){.node = (int32_t)i};
        for (int p = 0; p < 3; ++p)
            if (!fbx_make_set(b, &out->paths[p], m->count, p == 1 ? 4 : 3)) return false;
        (chains[i].pivots ? put_chain : put_plain)(b, node, &chains[i], m, out);
        fbx_prune(out, 0, node->t, 0.0);
        fbx_prune(out, 2, node->s, 2e-6);
        if (node->is_matrix)
            fbx_warn(scene, "node %s: its resting transform is sheared; the shear is left out", node->name);
        node->is_matrix = false;
        if (out->paths[0].count + out->paths[1].count + out->paths[2].count > 0) ++b->clip->channel_count;
    }
    return true;
}

static bool read_takes(fbx_scene* scene, const chain* chains)
{
    scene->clips = fbx_alloc(scene->arena, scene->facts.take_count, sizeof *scene->clips);
    if (scene->clips == NULL) return false;
    for (size_t i = 0; i < scene->facts.take_count; ++i)
    {
        const fbx_take* take = &scene->facts.takes[i];
        fbx_clip* clip = &scene->clips[scene->clip_count++];
        *clip = (fbx_clip){.name = take->name, .start = NAN, .stop = NAN};
        if (take->has_range)
        {
            clip->start = (double)take->start / FBX_TICKS;
            clip->stop = (double)take->stop / FBX_TICKS;
        }
        fbx_builder b = {.scene = scene, .clip = clip, .rate = 1.0, .take = (int32_t)i};
        if (!read_channels(&b, chains)) return false;
        if (clip->channel_count == 0)
        {
            clip->shift = 0.0;
            if (!fbx_stand_still(&b)) return false;
        }
        if (b.bad_keys) fbx_warn(scene, "take '%s': keys that are no finite numbers were left out", clip->name);
    }
    return !scene->arena->failed;
}

// ---- reading ----

static double setting(const fbx_scene* scene, const char* name, double fallback)
{
    const fbx_record* p = fbx_property(scene->facts.settings, name);
    return p != NULL && p->values[4].kind == FBX_NUMBER ? p->values[4].real : fallback;
}

static int whole_setting(const fbx_scene* scene, const char* name, int fallback)
{
    const double value = setting(scene, name, fallback);
    return value >= -1000.0 && value <= 1000.0 ? (int)value : fallback;
}

void fbx_close_scene(fbx_scene* scene)
{
    (void)scene; // all of it is the arena's
}

int fbx_read_scene(fbx_scene* scene, const void* bytes, size_t size, char* message, size_t capacity)
{
    (void)bytes;
    (void)size;
    if (!scene->facts.known)
    {
        snprintf(message, capacity,
                 "%s%sthe records of the file cannot be followed: it is damaged, cut off or empty; "
                 "export it anew as FBX 2014 or later, GLB or BVH",
                 scene->place, scene->place[0] != '\0' ? ": " : "");
        return EXIT_READ;
    }
    if (scene->facts.version != 0 && scene->facts.version < 7100)
    {
        snprintf(message, capacity,
                 "FBX version %lld; 7100 to 7700 can be read (FBX 2011 and later). Export it anew, or as GLB or BVH",
                 (long long)scene->facts.version);
        return EXIT_READ;
    }
    scene->by_number = true;
    static const char* const keys[3][2] = {
        {"CoordAxis", "CoordAxisSign"}, {"UpAxis", "UpAxisSign"}, {"FrontAxis", "FrontAxisSign"}};
    int axes[3], signs[3];
    for (int i = 0; i < 3; ++i)
    {
        axes[i] = whole_setting(scene, keys[i][0], i);
        signs[i] = whole_setting(scene, keys[i][1], 1);
    }
    fbx_set_rate(scene, whole_setting(scene, "TimeMode", 0), setting(scene, "CustomFrameRate", -1.0));
    fbx_set_unit(scene, setting(scene, "UnitScaleFactor", 1.0));
    fbx_set_axes(scene, axes, signs);
    const chain* chains = read_nodes(scene);
    if (chains != NULL) part_names(scene);
    const char* bad = chains != NULL ? fbx_bad_node(scene) : NULL;
    if (bad != NULL)
    {
        snprintf(message, capacity, "node '%s': its transform is not finite", bad);
        fbx_one_line(message);
        return EXIT_READ;
    }
    if (chains != NULL && scene->node_count == 0)
    {
        snprintf(message, capacity, "the file holds no nodes");
        return EXIT_READ;
    }
    if (chains != NULL) fbx_settle_nodes(scene);
    if (chains != NULL && read_takes(scene, chains)) return EXIT_DONE;
    snprintf(message, capacity, "out of memory");
    return EXIT_MEMORY;
}
