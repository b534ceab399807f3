// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// From assimp's animations to clips: keys in seconds of the file, a channel a node and path. A node whose helpers move
// one by one gets the product of its chain at every time any of them has a key.

#include "scene.h"
#include "matrix.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <assimp/scene.h>

// What moves one node in one take.
typedef struct mover
{
    const struct aiNodeAnim* whole;
    const struct aiNodeAnim** helpers; // for each of the node's links, null entries stand still; null: none moves
} mover;

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

// Where a node has helpers, assimp takes axes without a curve to be 0 (scale: 1), not what the node says.
static void mend_helper(const fbx_builder* b, const fbx_node* node, const char* component, double time, double m[16])
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
        value[t->axis - 'X'] = fbx_track_at(t, fbx_seconds(b, time) * FBX_TICKS);
        moves[t->axis - 'X'] = true;
    }
    if (count == 0 || (moves[0] && moves[1] && moves[2])) return;
    for (int k = 0; k < 3; ++k)
    {
        if (moves[k]) continue;
        if (letter == 'T') m[4 * k + 3] = value[k];
        if (letter == 'S') m[5 * k] = value[k];
    }
    if (letter == 'R') fbx_turn_of(value, model->order, m);
}

static bool take_whole(fbx_builder* b, const fbx_node* node, const struct aiNodeAnim* anim, fbx_channel* out)
{
    if (!fbx_make_set(b, &out->paths[0], anim->mNumPositionKeys, 3) ||
        !fbx_make_set(b, &out->paths[1], anim->mNumRotationKeys, 4) ||
        !fbx_make_set(b, &out->paths[2], anim->mNumScalingKeys, 3))
        return false;
    for (unsigned i = 0; i < anim->mNumPositionKeys; ++i)
    {
        const struct aiVector3D v = anim->mPositionKeys[i].mValue;
        const double* f = node->stretch;
        fbx_put_key(b, &out->paths[0], 3, anim->mPositionKeys[i].mTime,
                    (double[]){(double)v.x * f[0], (double)v.y * f[1], (double)v.z * f[2]});
    }
    for (unsigned i = 0; i < anim->mNumRotationKeys; ++i)
    {
        double q[4];
        quat_of_key(&anim->mRotationKeys[i], q);
        // assimp 5.2.5 turns by PostRotation where FBX turns back by it: undone, then done right.
        for (int k = 0; node->has_post && k < 2; ++k)
            fbx_quat_multiply(q, node->post, q);
        fbx_put_turn(b, &out->paths[1], anim->mRotationKeys[i].mTime, q);
    }
    for (unsigned i = 0; i < anim->mNumScalingKeys; ++i)
    {
        const struct aiVector3D v = anim->mScalingKeys[i].mValue;
        const double* f = node->undo;
        fbx_put_key(b, &out->paths[2], 3, anim->mScalingKeys[i].mTime,
                    (double[]){(double)v.x * f[0], (double)v.y * f[1], (double)v.z * f[2]});
    }
    return true;
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

static bool take_helpers(fbx_builder* b, const fbx_node* node, const struct aiNodeAnim* const* helpers,
                         fbx_channel* out)
{
    size_t most = 1, count = 0;
    for (int32_t k = 0; k < node->link_count; ++k)
        if (helpers[k] != NULL)
            most += (size_t)helpers[k]->mNumPositionKeys + helpers[k]->mNumRotationKeys + helpers[k]->mNumScalingKeys;
    double* times = fbx_alloc(b->scene->arena, most, sizeof *times);
    if (times == NULL || !fbx_make_set(b, &out->paths[0], most, 3) || !fbx_make_set(b, &out->paths[1], most, 4) ||
        !fbx_make_set(b, &out->paths[2], most, 3))
        return false;
    for (int32_t k = 0; k < node->link_count; ++k)
        if (helpers[k] != NULL) count += gather_times(helpers[k], times + count);
    if (count == 0) times[count++] = -b->offset * b->rate; // single keys: one pose
    qsort(times, count, sizeof *times, fbx_by_time);
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
        fbx_put_key(b, &out->paths[0], 3, times[i], t);
        fbx_put_turn(b, &out->paths[1], times[i], r);
        fbx_put_key(b, &out->paths[2], 3, times[i], s);
    }
    return true;
}

// ---- clips ----

// Which node, and which of its helpers, an animation of assimp's moves. False where memory runs out.
static bool assign(const fbx_builder* b, mover* movers, const struct aiNodeAnim* anim)
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

static double first_time(const fbx_builder* b, const struct aiAnimation* source)
{
    double first = INFINITY;
    for (unsigned c = 0; c < source->mNumChannels; ++c)
    {
        const struct aiNodeAnim* a = source->mChannels[c];
        // Helpers have idle keys at 0, which are no keys of the file.
        const bool helper = strstr(a->mNodeName.data, FBX_TAG) != NULL;
        if (a->mNumPositionKeys > (helper ? 1U : 0U)) first = fmin(first, fbx_seconds(b, a->mPositionKeys[0].mTime));
        if (a->mNumRotationKeys > (helper ? 1U : 0U)) first = fmin(first, fbx_seconds(b, a->mRotationKeys[0].mTime));
        if (a->mNumScalingKeys > (helper ? 1U : 0U)) first = fmin(first, fbx_seconds(b, a->mScalingKeys[0].mTime));
    }
    return first;
}

// Keys before 0 are not allowed in glTF: then the whole clip moves.
static void set_shift(fbx_builder* b, const struct aiAnimation* source)
{
    const double first = first_time(b, source);
    if (isfinite(first) && (float)first < 0.0f) b->clip->shift = -first;
}

static bool take_channels(fbx_builder* b, const struct aiAnimation* source)
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
        fbx_prune(out, 0, node->t, 0.0);
        fbx_prune(out, 2, node->s, 2e-6);
        // Nodes that move have a translation, a rotation and a scale, never a matrix.
        if (node->is_matrix)
            fbx_warn(scene, "node %s: its resting transform is sheared; the shear is left out", node->name);
        node->is_matrix = false;
        if (out->paths[0].count + out->paths[1].count + out->paths[2].count > 0) ++b->clip->channel_count;
    }
    return true;
}

static bool take_clip(fbx_scene* scene, const fbx_take* take, const struct aiAnimation* source)
{
    fbx_clip* clip = &scene->clips[scene->clip_count++];
    *clip = (fbx_clip){.name = take != NULL ? take->name : source->mName.data, .start = NAN, .stop = NAN};
    fbx_builder b = {.scene = scene, .clip = clip, .rate = scene->frame_rate};
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
    if (clip->channel_count == 0 && !fbx_stand_still(&b)) return false;
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
