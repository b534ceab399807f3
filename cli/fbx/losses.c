// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// What assimp 5.2.5 leaves out and a viewer of the motion would see: curves between keys that are far apart, layers,
// scale that is not handed down plainly, keys outside the range of a take, and nodes that share a name. One sentence a
// take and kind, with the joints.

#include "fbx.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum
{
    KEY_CONSTANT = 0x2,
    KEY_CUBIC = 0x8,
    KEY_AUTO = 0x100,
    KEY_TCB = 0x200,
    KEY_USER = 0x400
};

#define NAMES_ROOM 96     // bytes: a warning has 255 where it is shown
#define NAMES 8           // most joints in a sentence
#define APART 1.5         // frames: keys nearer than that are dense
#define BREATH 10000      // ticks assimp allows around a take's range
#define SAME_DEGREES 1e-3 // values nearer than that are one
#define SPIN_DEGREES 0.5  // less about a second axis does not show

#define TAKE "take '%.32s': "
#define BAKE "; bake every frame. Joints: %s"

// Joints that share one fault, and the largest figure among them.
typedef struct sinners
{
    const char* names[NAMES];
    size_t count;
    int32_t last; // model that was added last
    double worst;
} sinners;

static void add(sinners* list, const fbx_facts* facts, int32_t model, double figure)
{
    if (facts->models[model].left_out) return;
    if (figure > list->worst) list->worst = figure;
    if (list->count > 0 && list->last == model) return;
    if (list->count < NAMES) list->names[list->count] = facts->models[model].name;
    list->last = model;
    ++list->count;
}

// As many names as fit; the first is cut rather than left out.
static const char* join(const sinners* list, char out[NAMES_ROOM + 32])
{
    size_t size = 0, told = 0;
    for (; told < list->count && told < NAMES; ++told)
    {
        const int got = snprintf(out + size, NAMES_ROOM - size, "%s%s", told > 0 ? ", " : "", list->names[told]);
        if (got < 0 || (told > 0 && (size_t)got >= NAMES_ROOM - size)) break;
        size = (size_t)got < NAMES_ROOM - size ? size + (size_t)got : NAMES_ROOM - 1;
    }
    out[size] = '\0';
    if (list->count > told) snprintf(out + size, 32, " and %zu more", list->count - told);
    return out;
}

static double frames_between(const fbx_scene* scene, int64_t a, int64_t b)
{
    return ((double)b - (double)a) / FBX_TICKS * scene->frame_rate;
}

typedef struct losses
{
    sinners curved, may, steps, spins, outside, layered;
} losses;

static bool moves(const fbx_track* t)
{
    for (size_t i = 1; i < t->count; ++i)
        if (fabs(t->values[i] - t->values[0]) > SAME_DEGREES) return true;
    return false;
}

// One curve: segments longer than a frame or so whose course is not the straight line that assimp gives.
static void judge_track(const fbx_scene* scene, const fbx_track* t, losses* out)
{
    if (!moves(t)) return;
    for (size_t i = 0; i + 1 < t->count; ++i)
    {
        const double gap = frames_between(scene, t->times[i], t->times[i + 1]);
        if (!(gap > APART)) continue;
        const bool changes = fabs(t->values[i + 1] - t->values[i]) > SAME_DEGREES;
        const int64_t flags = t->flags != NULL ? t->flags[i] : 0;
        const int64_t next = t->flags != NULL ? t->flags[i + 1] : 0;
        if (t->flags == NULL)
        {
            if (changes) add(&out->may, &scene->facts, t->model, gap);
        }
        else if ((flags & KEY_CUBIC) != 0)
        {
            // Between equal values an automatic tangent lies flat; one that was set by hand need not.
            const bool hand = ((flags | next) & (KEY_USER | KEY_TCB)) != 0 && ((flags & next) & KEY_AUTO) == 0;
            if (changes || hand) add(&out->curved, &scene->facts, t->model, gap);
        }
        else if ((flags & KEY_CONSTANT) != 0 && changes)
            add(&out->steps, &scene->facts, t->model, gap);
    }
}

// Keys outside the range are dropped, and with them the way to or from them.
static void judge_range(const fbx_scene* scene, const fbx_take* take, const fbx_track* t, losses* out)
{
    if (!take->has_range || !moves(t)) return;
    size_t first = 0, last = t->count;
    while (first < t->count && t->times[first] < take->start - BREATH)
        ++first;
    while (last > first && t->times[last - 1] > take->stop + BREATH)
        --last;
    const bool none = first == last;
    const bool early = !none && first > 0 && frames_between(scene, take->start, t->times[first]) > 0.01 &&
                       fabs(t->values[first] - t->values[first - 1]) > SAME_DEGREES;
    const bool late = !none && last < t->count && frames_between(scene, t->times[last - 1], take->stop) > 0.01 &&
                      fabs(t->values[last] - t->values[last - 1]) > SAME_DEGREES;
    if (none || early || late) add(&out->outside, &scene->facts, t->model, 0.0);
}

// The rotation curves of one model, tracks [begin, end): a turn about several axes at once is straight in Euler angles
// in the file, and along the shortest way here.
static void judge_spin(const fbx_scene* scene, size_t begin, size_t end, losses* out)
{
    const fbx_track* all = scene->facts.tracks;
    double gap = 0.0;
    for (size_t a = begin; a < end && gap == 0.0; ++a)
        for (size_t i = 0; i + 1 < all[a].count && gap == 0.0; ++i)
        {
            const fbx_track* t = &all[a];
            const double length = frames_between(scene, t->times[i], t->times[i + 1]);
            if (!(length > APART) || fabs(t->values[i + 1] - t->values[i]) < SPIN_DEGREES) continue;
            for (size_t b = begin; b < end; ++b)
            {
                // Another axis with a key that far apart around the middle of this segment.
                const fbx_track* u = &all[b];
                if (u->axis == t->axis) continue;
                const double middle = ((double)t->times[i] + (double)t->times[i + 1]) / 2.0;
                size_t lo = 0, hi = u->count;
                while (hi - lo > 1)
                {
                    const size_t mid = lo + (hi - lo) / 2;
                    if ((double)u->times[mid] <= middle)
                        lo = mid;
                    else
                        hi = mid;
                }
                if (lo + 1 < u->count && frames_between(scene, u->times[lo], u->times[lo + 1]) > APART &&
                    fabs(u->values[lo + 1] - u->values[lo]) >= SPIN_DEGREES)
                    gap = length;
            }
        }
    if (gap > 0.0) add(&out->spins, &scene->facts, all[begin].model, gap);
}

static void tell(fbx_scene* scene, const fbx_take* take, const losses* l)
{
    char names[NAMES_ROOM + 32];
    if (l->curved.count > 0)
        fbx_warn(scene, TAKE "tangents are lost: keys up to %.4g frames apart are joined by straight lines" BAKE,
                 take->name, l->curved.worst, join(&l->curved, names));
    if (l->may.count > 0)
        fbx_warn(scene, TAKE "tangents may be lost: keys up to %.4g frames apart are joined by straight lines" BAKE,
                 take->name, l->may.worst, join(&l->may, names));
    if (l->steps.count > 0)
        fbx_warn(scene, TAKE "steps are lost: keys up to %.4g frames apart are joined by straight lines" BAKE,
                 take->name, l->steps.worst, join(&l->steps, names));
    if (l->spins.count > 0)
        fbx_warn(scene, TAKE "turns about several axes go the shortest way between keys up to %.4g frames apart" BAKE,
                 take->name, l->spins.worst, join(&l->spins, names));
    if (l->outside.count > 0)
        fbx_warn(scene, TAKE "keys outside its range are left out, and the motion towards them with them. Joints: %s",
                 take->name, join(&l->outside, names));
    if (l->layered.count > 0)
        fbx_warn(scene,
                 TAKE "its %d animation layers are not blended, the last with a curve counts; merge them. Joints: %s",
                 take->name, (int)take->layers, join(&l->layered, names));
}

static void judge_take(fbx_scene* scene, int32_t index, size_t begin, size_t end)
{
    const fbx_take* take = &scene->facts.takes[index];
    losses l = {0};
    for (size_t i = begin; i < end;)
    {
        const fbx_track* t = &scene->facts.tracks[i];
        size_t stop = i;
        const size_t curved = l.curved.count;
        while (stop < end && scene->facts.tracks[stop].model == t->model &&
               scene->facts.tracks[stop].property == t->property)
        {
            judge_track(scene, &scene->facts.tracks[stop], &l);
            judge_range(scene, take, &scene->facts.tracks[stop], &l);
            ++stop;
        }
        if (t->property == 'R' && l.curved.count == curved) judge_spin(scene, i, stop, &l);
        if (take->layers > 1) add(&l.layered, &scene->facts, t->model, 0.0);
        i = stop;
    }
    tell(scene, take, &l);
}

static bool scales(const fbx_model* m, bool even_is_fine)
{
    if (m->scale_moves) return true;
    const double x = m->scale[0], y = m->scale[1], z = m->scale[2], size = fmax(fabs(x), 1e-9);
    const bool even = fabs(x - y) < 1e-4 * size && fabs(x - z) < 1e-4 * size;
    return even_is_fine ? !even : !even || fabs(x - 1.0) > 1e-4;
}

// assimp hands scale down as matrices do (RSrs). RrSs keeps it apart from turns, which differs where an ancestor has an
// uneven scale; Rrs leaves out the parent's.
static void judge_scale(fbx_scene* scene)
{
    const fbx_facts* facts = &scene->facts;
    sinners list = {0};
    for (size_t i = 0; i < facts->model_count; ++i)
    {
        const fbx_model* m = &facts->models[i];
        bool differs = false;
        int32_t p = m->parent;
        if (m->inherit == 2 && p >= 0) differs = scales(&facts->models[p], false);
        // Bounded: parents of broken files go in circles.
        for (int depth = 0; m->inherit == 0 && p >= 0 && depth < 64 && !differs; ++depth)
        {
            differs = scales(&facts->models[p], true);
            p = facts->models[p].parent;
        }
        if (differs && m->children > 0) add(&list, facts, (int32_t)i, 0.0);
    }
    char names[NAMES_ROOM + 32];
    if (list.count > 0)
        fbx_warn(
            scene,
            "scale is inherited in a way (InheritType) that is not understood: sizes below may be wrong. Joints: %s",
            join(&list, names));
}

typedef struct bearer
{
    const char* name;
    int32_t model;
} bearer;

static int by_name(const void* a, const void* b)
{
    return strcmp(((const bearer*)a)->name, ((const bearer*)b)->name);
}

// assimp tells the nodes of a take apart by name alone.
static void judge_names(fbx_scene* scene)
{
    const fbx_facts* facts = &scene->facts;
    bearer* list = fbx_alloc(scene->arena, facts->model_count, sizeof *list);
    unsigned char* animated = fbx_alloc(scene->arena, facts->model_count, 1);
    if (list == NULL || animated == NULL) return;
    for (size_t i = 0; i < facts->track_count; ++i)
        animated[facts->tracks[i].model] = 1;
    for (size_t i = 0; i < facts->model_count; ++i)
        list[i] = (bearer){facts->models[i].name, (int32_t)i};
    qsort(list, facts->model_count, sizeof *list, by_name);
    sinners found = {0};
    for (size_t i = 0; i < facts->model_count;)
    {
        size_t stop = i;
        bool any = false;
        while (stop < facts->model_count && strcmp(list[stop].name, list[i].name) == 0)
            any = animated[list[stop++].model] != 0 || any;
        if (any && stop - i > 1) add(&found, facts, list[i].model, 0.0);
        i = stop;
    }
    char names[NAMES_ROOM + 32];
    if (found.count > 0)
        fbx_warn(scene, "several nodes share a name, and only the first of them gets the curves: %s",
                 join(&found, names));
}

void fbx_find_losses(fbx_scene* scene)
{
    const fbx_facts* facts = &scene->facts;
    for (size_t i = 0; i < facts->track_count;)
    {
        size_t stop = i;
        while (stop < facts->track_count && facts->tracks[stop].take == facts->tracks[i].take)
            ++stop;
        judge_take(scene, facts->tracks[i].take, i, stop);
        i = stop;
    }
    judge_scale(scene);
    if (!scene->by_number) judge_names(scene);
}

void fbx_find_gaps(fbx_scene* scene)
{
    fbx_warn(scene, "the curves of the file could not be looked at: layers and takes without curves may be missing");
    for (size_t c = 0; c < scene->clip_count; ++c)
    {
        sinners list = {.last = -1};
        const fbx_clip* clip = &scene->clips[c];
        for (uint32_t i = 0; i < clip->channel_count; ++i)
        {
            const fbx_key_set* set = &clip->channels[i].paths[1];
            double worst = 0.0;
            for (uint32_t k = 0; k + 1 < set->count; ++k)
            {
                bool same = true;
                for (int n = 0; n < 4; ++n)
                    same = same && set->values[4 * k + (uint32_t)n] == set->values[4 * k + 4 + (uint32_t)n];
                if (!same) worst = fmax(worst, ((double)set->times[k + 1] - (double)set->times[k]) * scene->frame_rate);
            }
            if (!(worst > APART)) continue;
            if (list.count < NAMES) list.names[list.count] = scene->nodes[clip->channels[i].node].name;
            ++list.count;
            list.worst = fmax(list.worst, worst);
        }
        char names[NAMES_ROOM + 32];
        if (list.count > 0)
            fbx_warn(scene, TAKE "tangents may be lost: keys up to %.4g frames apart are joined by straight lines" BAKE,
                     clip->name, list.worst, join(&list, names));
    }
}
