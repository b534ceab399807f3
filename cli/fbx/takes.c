// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// From assimp's animations to clips: keys in seconds of the file, a channel a node and path. A node whose helpers move
// one by one gets the product of its chain at every time any of them has a key.

#include "scene.h"
#include "matrix.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define EMPTY_KEYS 36000 // most keys that a take without curves gets: 20 minutes at 30 frames a second

// What moves one node in one take.
typedef struct mover
{
    const struct aiNodeAnim* whole;
    const struct aiNodeAnim** helpers; // for each of the node's links, null entries stand still; null: none moves
} mover;

typedef struct builder
{
    fbx_scene* scene;
    fbx_clip* clip;
    int32_t take;        // of the facts, -1 where unknown
    double rate, offset; // seconds = key / rate + offset
    bool bad_keys;
} builder;

static double seconds(const builder* b, double key)
{
    return key / b->rate + b->offset;
}

// ---- sampling assimp's keys ----

// Keys around `time` (in assimp's units): index of the first, and how far between it and the next.
static unsigned key_at(const char* keys, size_t stride, unsigned count, double time, double* at)
{
    unsigned lo = 0, hi = count;
    *at = 0.0;
    while (hi - lo > 1)
    {
        const unsigned mid = lo + (hi - lo) / 2;
        double there;
        memcpy(&there, keys + mid * stride, sizeof there); // mTime comes first
        if (there <= time)
            lo = mid;
        else
            hi = mid;
    }
    if (lo + 1 >= count) return lo;
    double a, b;
    memcpy(&a, keys + lo * stride, sizeof a);
    memcpy(&b, keys + (lo + 1) * stride, sizeof b);
    if (time > a && b > a) *at = (time - a) / (b - a);
    return lo;
}

static void vector_at(const struct aiVectorKey* keys, unsigned count, double time, double out[3])
{
    double at;
    const unsigned i = key_at((const char*)keys, sizeof *keys, count, time, &at);
    const struct aiVector3D a = keys[i].mValue, b = keys[i + 1 < count ? i + 1 : i].mValue;
    out[0] = (double)a.x + ((double)b.x - (double)a.x) * at;
    out[1] = (double)a.y + ((double)b.y - (double)a.y) * at;
    out[2] = (double)a.z + ((double)b.z - (double)a.z) * at;
}

static void quat_of_key(const struct aiQuatKey* key, double out[4])
{
    out[0] = (double)key->mValue.x;
    out[1] = (double)key->mValue.y;
    out[2] = (double)key->mValue.z;
    out[3] = (double)key->mValue.w;
    fbx_quat_unit(out);
}

static void quat_at(const struct aiQuatKey* keys, unsigned count, double time, double out[4])
{
    double at, a[4], b[4];
    const unsigned i = key_at((const char*)keys, sizeof *keys, count, time, &at);
    quat_of_key(&keys[i], a);
    quat_of_key(&keys[i + 1 < count ? i + 1 : i], b);
    fbx_slerp(a, b, at, out);
}

// The matrix of a helper that moves. Its other paths hold one idle key.
static void helper_at(const struct aiNodeAnim* anim, double time, double m[16])
{
    double t[3] = {0}, r[4] = {0, 0, 0, 1}, s[3] = {1, 1, 1};
    if (anim->mNumPositionKeys > 0) vector_at(anim->mPositionKeys, anim->mNumPositionKeys, time, t);
    if (anim->mNumRotationKeys > 0) quat_at(anim->mRotationKeys, anim->mNumRotationKeys, time, r);
    if (anim->mNumScalingKeys > 0) vector_at(anim->mScalingKeys, anim->mNumScalingKeys, time, s);
    fbx_compose(t, r, s, m);
}

// Degrees about the axes in the order that FBX numbers.
static void turn_of(const double degrees[3], int order, double m[16])
{
    static const int orders[6][3] = {{0, 1, 2}, {0, 2, 1}, {1, 2, 0}, {1, 0, 2}, {2, 0, 1}, {2, 1, 0}};
    double q[4] = {0, 0, 0, 1};
    for (int k = 0; k < 3; ++k)
    {
        const int axis = orders[order >= 0 && order < 6 ? order : 0][k];
        const double half = degrees[axis] * 3.14159265358979323846 / 360.0;
        double one[4] = {0, 0, 0, cos(half)};
        one[axis] = sin(half);
        fbx_quat_multiply(one, q, q); // later ones from the left
    }
    fbx_compose((const double[]){0, 0, 0}, q, (const double[]){1, 1, 1}, m);
}

// Where a node has helpers, assimp takes axes without a curve to be 0 (scale: 1), not what the node says.
static void mend_helper(const builder* b, const fbx_node* node, const char* component, double time, double m[16])
{
    const char letter = strcmp(component, "Translation") == 0 ? 'T'
                        : strcmp(component, "Rotation") == 0  ? 'R'
                        : strcmp(component, "Scaling") == 0   ? 'S'
                                                              : '\0';
    if (letter == '\0' || node->model < 0 || b->take < 0) return;
    const fbx_model* model = &b->scene->facts.models[node->model];
    const double* still = letter == 'T' ? model->translation : letter == 'R' ? model->rotation : model->scale;
    double value[3] = {still[0], still[1], still[2]};
    bool moves[3] = {false, false, false};
    size_t count;
    const size_t first = fbx_tracks_of(&b->scene->facts, b->take, node->model, letter, &count);
    for (size_t i = first; i < first + count; ++i)
    {
        const fbx_track* t = &b->scene->facts.tracks[i];
        value[t->axis - 'X'] = fbx_track_at(t, seconds(b, time) * FBX_TICKS);
        moves[t->axis - 'X'] = true;
    }
    if (count == 0 || (moves[0] && moves[1] && moves[2])) return;
    for (int k = 0; k < 3; ++k)
    {
        if (moves[k]) continue;
        if (letter == 'T') m[4 * k + 3] = value[k];
        if (letter == 'S') m[5 * k] = value[k];
    }
    if (letter == 'R') turn_of(value, model->order, m);
}

// ---- keys out ----

// Appends one key; times must grow as floats too. Values that are no numbers are left out.
static void put_key(builder* b, fbx_key_set* set, int width, double time, const double* value)
{
    bool good = isfinite(time);
    for (int i = 0; i < width; ++i)
        good = good && isfinite(value[i]) && fabs(value[i]) < 1e30;
    if (!good)
    {
        b->bad_keys = true;
        return;
    }
    const float stamp = (float)(seconds(b, time) + b->clip->shift);
    if (set->count > 0 && !(stamp > set->times[set->count - 1])) return;
    set->times[set->count] = stamp > 0.0f ? stamp : 0.0f;
    for (int i = 0; i < width; ++i)
        set->values[(size_t)set->count * (size_t)width + (size_t)i] = (float)value[i];
    ++set->count;
}

static bool make_set(builder* b, fbx_key_set* set, size_t count, int width)
{
    set->times = fbx_alloc(b->scene->arena, count, sizeof *set->times);
    set->values = fbx_alloc(b->scene->arena, count * (size_t)width, sizeof *set->values);
    return set->times != NULL && set->values != NULL;
}

// A path that stands where the node stands anyway is left out.
static void prune(fbx_channel* channel, int path, const double* rest, double slack)
{
    const fbx_key_set* set = &channel->paths[path];
    for (uint32_t i = 0; i < set->count; ++i)
        for (int k = 0; k < 3; ++k)
            if (fabs((double)set->values[3 * i + (uint32_t)k] - rest[k]) > slack * fmax(1.0, fabs(rest[k]))) return;
    channel->paths[path].count = 0;
}

// q and -q are one rotation: the one nearer to the key before is kept.
static void put_turn(builder* b, fbx_key_set* set, double time, double q[4])
{
    if (set->count > 0)
    {
        const float* last = set->values + 4 * (size_t)(set->count - 1);
        const double dot =
            (double)last[0] * q[0] + (double)last[1] * q[1] + (double)last[2] * q[2] + (double)last[3] * q[3];
        for (int i = 0; dot < 0.0 && i < 4; ++i)
            q[i] = -q[i];
    }
    put_key(b, set, 4, time, q);
}

static bool take_whole(builder* b, const fbx_node* node, const struct aiNodeAnim* anim, fbx_channel* out)
{
    if (!make_set(b, &out->paths[0], anim->mNumPositionKeys, 3) ||
        !make_set(b, &out->paths[1], anim->mNumRotationKeys, 4) ||
        !make_set(b, &out->paths[2], anim->mNumScalingKeys, 3))
        return false;
    for (unsigned i = 0; i < anim->mNumPositionKeys; ++i)
    {
        const struct aiVector3D v = anim->mPositionKeys[i].mValue;
        const double* f = node->stretch;
        put_key(b, &out->paths[0], 3, anim->mPositionKeys[i].mTime,
                (double[]){(double)v.x * f[0], (double)v.y * f[1], (double)v.z * f[2]});
    }
    for (unsigned i = 0; i < anim->mNumRotationKeys; ++i)
    {
        double q[4];
        quat_of_key(&anim->mRotationKeys[i], q);
        // assimp 5.2.5 turns by PostRotation where FBX turns back by it: undone, then done right.
        for (int k = 0; node->has_post && k < 2; ++k)
            fbx_quat_multiply(q, node->post, q);
        put_turn(b, &out->paths[1], anim->mRotationKeys[i].mTime, q);
    }
    for (unsigned i = 0; i < anim->mNumScalingKeys; ++i)
    {
        const struct aiVector3D v = anim->mScalingKeys[i].mValue;
        const double* f = node->undo;
        put_key(b, &out->paths[2], 3, anim->mScalingKeys[i].mTime,
                (double[]){(double)v.x * f[0], (double)v.y * f[1], (double)v.z * f[2]});
    }
    return true;
}

static int by_time(const void* a, const void* b)
{
    const double x = *(const double*)a, y = *(const double*)b;
    return (x > y) - (x < y);
}

// Times of every path that has more than its idle key.
static size_t gather_times(const struct aiNodeAnim* anim, double* out)
{
    size_t count = 0;
    for (unsigned i = 0; anim->mNumPositionKeys > 1 && i < anim->mNumPositionKeys; ++i)
        out[count++] = anim->mPositionKeys[i].mTime;
    for (unsigned i = 0; anim->mNumRotationKeys > 1 && i < anim->mNumRotationKeys; ++i)
        out[count++] = anim->mRotationKeys[i].mTime;
    for (unsigned i = 0; anim->mNumScalingKeys > 1 && i < anim->mNumScalingKeys; ++i)
        out[count++] = anim->mScalingKeys[i].mTime;
    return count;
}

static bool take_helpers(builder* b, const fbx_node* node, const struct aiNodeAnim* const* helpers, fbx_channel* out)
{
    size_t most = 1, count = 0;
    for (int32_t k = 0; k < node->link_count; ++k)
        if (helpers[k] != NULL)
            most += (size_t)helpers[k]->mNumPositionKeys + helpers[k]->mNumRotationKeys + helpers[k]->mNumScalingKeys;
    double* times = fbx_alloc(b->scene->arena, most, sizeof *times);
    if (times == NULL || !make_set(b, &out->paths[0], most, 3) || !make_set(b, &out->paths[1], most, 4) ||
        !make_set(b, &out->paths[2], most, 3))
        return false;
    for (int32_t k = 0; k < node->link_count; ++k)
        if (helpers[k] != NULL) count += gather_times(helpers[k], times + count);
    if (count == 0) times[count++] = -b->offset * b->rate; // single keys: one pose
    qsort(times, count, sizeof *times, by_time);
    for (size_t i = 0; i < count; ++i)
    {
        if (i > 0 && times[i] == times[i - 1]) continue;
        double m[16], one[16], t[3], r[4], s[3];
        fbx_identity(m);
        for (int32_t k = 0; k < node->link_count; ++k)
        {
            if (helpers[k] != NULL)
            {
                helper_at(helpers[k], times[i], one);
                mend_helper(b, node, node->links[k].component, times[i], one);
            }
            else
                memcpy(one, node->links[k].m, sizeof one);
            fbx_multiply(m, one, m);
        }
        fbx_decompose(m, t, r, s);
        for (int k = 0; k < 3; ++k)
        {
            t[k] *= node->stretch[k];
            s[k] *= node->undo[k];
        }
        put_key(b, &out->paths[0], 3, times[i], t);
        put_turn(b, &out->paths[1], times[i], r);
        put_key(b, &out->paths[2], 3, times[i], s);
    }
    return true;
}

// ---- clips ----

// Which node, and which of its helpers, an animation of assimp's moves. False where memory runs out.
static bool assign(const builder* b, mover* movers, const struct aiNodeAnim* anim)
{
    const char* name = anim->mNodeName.data;
    const char* tag = strstr(name, FBX_TAG);
    const int32_t i = fbx_node_named(b->scene, name, tag != NULL ? (size_t)(tag - name) : strlen(name));
    if (i < 0) return true;
    if (tag == NULL)
    {
        movers[i].whole = anim;
        return true;
    }
    const fbx_node* node = &b->scene->nodes[i];
    for (int32_t k = 0; k < node->link_count; ++k)
    {
        if (strcmp(node->links[k].component, tag + strlen(FBX_TAG)) != 0) continue;
        if (movers[i].helpers == NULL)
            movers[i].helpers = fbx_alloc(b->scene->arena, (size_t)node->link_count, sizeof *movers[i].helpers);
        if (movers[i].helpers == NULL) return false;
        movers[i].helpers[k] = anim;
    }
    return true;
}

static double first_time(const builder* b, const struct aiAnimation* source)
{
    double first = INFINITY;
    for (unsigned c = 0; c < source->mNumChannels; ++c)
    {
        const struct aiNodeAnim* a = source->mChannels[c];
        // Helpers have idle keys at 0, which are no keys of the file.
        const bool helper = strstr(a->mNodeName.data, FBX_TAG) != NULL;
        if (a->mNumPositionKeys > (helper ? 1U : 0U)) first = fmin(first, seconds(b, a->mPositionKeys[0].mTime));
        if (a->mNumRotationKeys > (helper ? 1U : 0U)) first = fmin(first, seconds(b, a->mRotationKeys[0].mTime));
        if (a->mNumScalingKeys > (helper ? 1U : 0U)) first = fmin(first, seconds(b, a->mScalingKeys[0].mTime));
    }
    return first;
}

// Keys before 0 are not allowed in glTF: then the whole clip moves.
static void set_shift(builder* b, const struct aiAnimation* source)
{
    const double first = first_time(b, source);
    if (isfinite(first) && (float)first < 0.0f) b->clip->shift = -first;
}

static bool take_channels(builder* b, const struct aiAnimation* source)
{
    fbx_scene* scene = b->scene;
    mover* movers = fbx_alloc(scene->arena, scene->node_count, sizeof *movers);
    b->clip->channels = fbx_alloc(scene->arena, scene->node_count, sizeof *b->clip->channels);
    if (movers == NULL || b->clip->channels == NULL) return false;
    for (unsigned c = 0; c < source->mNumChannels; ++c)
        if (!assign(b, movers, source->mChannels[c])) return false;
    for (size_t i = 0; i < scene->node_count; ++i)
    {
        fbx_node* node = &scene->nodes[i];
        fbx_channel* out = &b->clip->channels[b->clip->channel_count];
        if (node->dropped || (movers[i].whole == NULL && movers[i].helpers == NULL)) continue;
        *out = (fbx_channel){.node = (int32_t)i};
        const bool done = movers[i].whole != NULL ? take_whole(b, node, movers[i].whole, out)
                                                  : take_helpers(b, node, movers[i].helpers, out);
        if (!done) return false;
        prune(out, 0, node->t, 0.0);
        prune(out, 2, node->s, 2e-6);
        // Nodes that move have a translation, a rotation and a scale, never a matrix.
        if (node->is_matrix)
            fbx_warn(scene, "node %s: its resting transform is sheared; the shear is left out", node->name);
        node->is_matrix = false;
        if (out->paths[0].count + out->paths[1].count + out->paths[2].count > 0) ++b->clip->channel_count;
    }
    return true;
}

// A take in which nothing moves is a clip all the same: the first joint stands still at every frame of its range.
static bool stand_still(builder* b)
{
    fbx_scene* scene = b->scene;
    size_t node = 0;
    while (node < scene->node_count && !scene->nodes[node].joint)
        ++node;
    if (node == scene->node_count)
        for (node = 0; node + 1 < scene->node_count && scene->nodes[node].is_matrix;)
            ++node;
    scene->nodes[node].is_matrix = false;
    const double start = isfinite(b->clip->start) ? b->clip->start : 0.0;
    const double stop = isfinite(b->clip->stop) ? fmax(start, b->clip->stop) : start;
    const double frames = floor((stop - start) * scene->frame_rate + 1e-3) + 1.0;
    const uint32_t count = frames < EMPTY_KEYS ? (uint32_t)frames : EMPTY_KEYS;
    if (start < 0.0) b->clip->shift = -start;
    b->clip->channels = fbx_alloc(scene->arena, 1, sizeof *b->clip->channels);
    if (b->clip->channels == NULL || !make_set(b, &b->clip->channels[0].paths[1], count, 4)) return false;
    b->clip->channel_count = 1;
    b->clip->channels[0].node = (int32_t)node;
    b->rate = scene->frame_rate;
    b->offset = start;
    for (uint32_t i = 0; i < count; ++i)
        put_turn(b, &b->clip->channels[0].paths[1], (double)i, scene->nodes[node].r);
    return true;
}

static bool take_clip(fbx_scene* scene, const fbx_take* take, const struct aiAnimation* source)
{
    fbx_clip* clip = &scene->clips[scene->clip_count++];
    *clip = (fbx_clip){.name = take != NULL ? take->name : source->mName.data, .start = NAN, .stop = NAN};
    builder b = {.scene = scene, .clip = clip, .rate = scene->frame_rate};
    b.take = take != NULL ? (int32_t)(take - scene->facts.takes) : -1;
    if (take != NULL && take->has_range)
    {
        clip->start = (double)take->start / FBX_TICKS;
        clip->stop = (double)take->stop / FBX_TICKS;
        // assimp counts from the start of the range, or where there is none, from the first key.
        b.offset = clip->start;
    }
    else if (take != NULL && take->first_key != INT64_MAX)
        b.offset = (double)take->first_key / FBX_TICKS;
    if (source != NULL && source->mNumChannels > 0)
    {
        const double rate = source->mTicksPerSecond;
        b.rate = isfinite(rate) && rate != 0.0 ? rate : 25.0;
        set_shift(&b, source);
        if (!take_channels(&b, source)) return false;
    }
    if (clip->channel_count == 0 && !stand_still(&b)) return false;
    if (b.bad_keys) fbx_warn(scene, "take '%s': keys that are no finite numbers were left out", clip->name);
    return true;
}

bool fbx_read_takes(fbx_scene* scene, const struct aiScene* source)
{
    const fbx_facts* facts = &scene->facts;
    const size_t most = facts->take_count + source->mNumAnimations;
    bool* used = fbx_alloc(scene->arena, source->mNumAnimations, sizeof *used);
    scene->clips = fbx_alloc(scene->arena, most, sizeof *scene->clips);
    if (used == NULL || scene->clips == NULL) return false;
    for (size_t i = 0; i < facts->take_count; ++i)
    {
        const struct aiAnimation* match = NULL;
        for (unsigned k = 0; match == NULL && k < source->mNumAnimations; ++k)
            if (!used[k] && strcmp(source->mAnimations[k]->mName.data, facts->takes[i].name) == 0)
            {
                used[k] = true;
                match = source->mAnimations[k];
            }
        if (!take_clip(scene, &facts->takes[i], match)) return false;
    }
    for (unsigned k = 0; k < source->mNumAnimations; ++k)
        if (!used[k] && !take_clip(scene, NULL, source->mAnimations[k])) return false;
    return !scene->arena->failed;
}
