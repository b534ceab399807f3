// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// Which limbs are legs. Limbs are matched left to right by likeness, mirror position and names; a pair is then weighed
// by how it stands in the rest pose, how it stands in the motion, how near it hangs to the root, and what it is called.
// The weights let any two of these overrule a third: a push-up clip has its hands on the ground, an exporter's rest
// pose may have every bone along one axis, and names may mean nothing.

#include "skeleton/limbs.h"

#include "core/core.h"
#include "skeleton/joint_names.h"

#define W_REST 1.0
#define W_MOTION 0.9
#define W_ROOT 0.5
#define W_NAME 1.0
// A first pair needs this much: standing and nearest to the root, or named and nearest to the root.
#define FIRST_SCORE 0.95

// Joints this near to the plane between the sides, over the leg's length, are spine, head and tail, not arms.
#define CENTRAL 0.09
// Mean distance of limbs from their mirror images, over their length, from which a rest pose is a knot.
#define KNOT 0.25

typedef sft_limb_couple couple;

// From limb a to limb b of a couple where they part, without the part along `up`. The parting moves with the body, so
// that striding legs do not turn the body's side about; above it lie helpers that are in one place on both sides.
static sft_v3d across_of(const sft_limbs* limbs, const couple* c, sft_v3d up)
{
    const sft_limb *a = &limbs->limbs[c->a], *b = &limbs->limbs[c->b];
    const int32_t count = a->count < b->count ? a->count : b->count;
    sft_v3d v = {0, 0, 0};
    for (int32_t k = 0; k < count; ++k)
    {
        v = sft_v3d_sub(limbs->position[b->joints[k]], limbs->position[a->joints[k]]);
        v = sft_v3d_madd(v, -sft_v3d_dot(v, up), up);
        if (sft_v3d_length(v) > 0.02 * a->length) break;
    }
    return v;
}

static bool hangs_below(const sft_limbs* limbs, int32_t joint, int32_t ancestor)
{
    for (int32_t j = joint; j >= 0 && limbs->depth[j] >= limbs->depth[ancestor]; j = limbs->skeleton->parents[j])
        if (j == ancestor) return true;
    return false;
}

// Part of the longer name that both names share at start and end: high for thigh.L and thigh.R, lower for names of
// different kinds, so that a deforming chain is not coupled with a control chain that lies in the same place.
static double names_alike(const char* a, const char* b)
{
    const size_t la = strlen(a), lb = strlen(b), longer = la > lb ? la : lb, shorter = la > lb ? lb : la;
    size_t head = 0, tail = 0;
    while (head < shorter && a[head] == b[head])
        ++head;
    while (tail < shorter - head && a[la - 1 - tail] == b[lb - 1 - tail])
        ++tail;
    return longer > 0 ? (double)(head + tail) / (double)longer : 1.0;
}

static sft_v3d mirrored(sft_v3d p, sft_v3d on_plane, sft_v3d normal)
{
    return sft_v3d_madd(p, -2.0 * sft_v3d_dot(sft_v3d_sub(p, on_plane), normal), normal);
}

// Mean distance between limb a mirrored and limb b, over a's length; joints are compared from the top.
static double misfit(const sft_limbs* limbs, const sft_limb* a, const sft_limb* b, sft_v3d on_plane, sft_v3d normal)
{
    const int32_t count = a->count < b->count ? a->count : b->count;
    double sum = 0.0;
    for (int32_t k = 0; k < count; ++k)
        sum +=
            sft_v3d_distance(mirrored(limbs->position[a->joints[k]], on_plane, normal), limbs->position[b->joints[k]]);
    return a->length > 0.0 ? sum / ((double)count * a->length) : 0.0;
}

// Mean distance of limbs from the mirror image that suits them best, over their length.
static double asymmetry(const sft_limbs* limbs, const couple* couples, int32_t count, sft_v3d normal)
{
    double best[SFT_LIMBS_MAX], fit = 0.0, total = 0.0;
    for (int32_t i = 0; i < limbs->limb_count; ++i)
        best[i] = -1.0;
    for (int32_t i = 0; i < count; ++i)
    {
        const int32_t pair[2] = {couples[i].a, couples[i].b};
        const double m = sft_mind(1.0, misfit(limbs, &limbs->limbs[pair[0]], &limbs->limbs[pair[1]],
                                              limbs->position[couples[i].common], normal));
        for (int k = 0; k < 2; ++k)
            best[pair[k]] = best[pair[k]] < 0.0 ? m : sft_mind(best[pair[k]], m);
    }
    for (int32_t i = 0; i < limbs->limb_count; ++i)
    {
        if (best[i] < 0.0) continue;
        fit += limbs->limbs[i].length * best[i];
        total += limbs->limbs[i].length;
    }
    return total > 0.0 ? fit / total : 0.0;
}

// Mean distance of trunk joints from the plane, over the skeleton's size.
static double trunk_off_plane(const sft_limbs* limbs, const couple* couples, int32_t count, sft_v3d normal)
{
    const sft_skeleton* s = limbs->skeleton;
    const sft_v3d centre = limbs->position[couples[0].common];
    bool has_couple[SFT_LIMBS_MAX] = {false};
    for (int32_t i = 0; i < count; ++i)
        has_couple[couples[i].a] = has_couple[couples[i].b] = true;
    double off = 0.0;
    int32_t trunk = 0;
    const int32_t step = 1 + s->joint_count / 512;
    for (int32_t j = 0; j < s->joint_count; j += step)
    {
        bool in_limb = limbs->start[j] < 0;
        for (int32_t i = 0; i < limbs->limb_count && !in_limb; ++i)
            in_limb = has_couple[i] && limbs->limbs[i].first == limbs->start[j];
        if (in_limb) continue;
        off += fabs(sft_v3d_dot(sft_v3d_sub(limbs->position[j], centre), normal));
        ++trunk;
    }
    return trunk > 0 && limbs->longest > 0.0 ? off / ((double)trunk * limbs->longest) : 0.0;
}

// Direction from side to side: by names where they speak, else the couple whose mirror plane suits the whole skeleton.
static sft_v3d find_lateral(const sft_limbs* limbs, const couple* couples, int32_t count, sft_v3d up)
{
    const sft_v3d none = {0, 0, 0};
    sft_v3d named = none, best = none;
    double best_cost = 1e9;
    for (int32_t i = 0; i < count; ++i)
    {
        const sft_limb *a = &limbs->limbs[couples[i].a], *b = &limbs->limbs[couples[i].b];
        const sft_v3d across = across_of(limbs, &couples[i], up);
        if (a->side * b->side < 0) named = sft_v3d_madd(named, (double)a->side, across);
    }
    if (sft_v3d_length(named) > 1e-3 * limbs->longest) return sft_v3d_normalize_or(named, none);
    const int32_t tried = count < 64 ? count : 64, fitted = count < 512 ? count : 512;
    for (int32_t i = 0; i < tried; ++i)
    {
        const sft_v3d across = across_of(limbs, &couples[i], up);
        const double length = sft_v3d_length(across);
        if (!(length > 1e-3 * limbs->longest)) continue;
        const sft_v3d normal = sft_v3d_scale(1.0 / length, across);
        const double cost =
            4.0 * trunk_off_plane(limbs, couples, fitted, normal) + asymmetry(limbs, couples, fitted, normal);
        if (cost < best_cost - 1e-9) best_cost = cost, best = normal;
    }
    return best;
}

static int32_t gather_couples(const sft_limbs* limbs, couple* couples)
{
    int32_t count = 0;
    for (int32_t i = 0; i < limbs->limb_count; ++i)
        for (int32_t j = i + 1; j < limbs->limb_count && count < SFT_LIMB_COUPLES_MAX; ++j)
        {
            const sft_limb *a = &limbs->limbs[i], *b = &limbs->limbs[j];
            if (a->side * b->side > 0 || !sft_limbs_alike(limbs, a, b)) continue;
            if (hangs_below(limbs, a->first, b->first) || hangs_below(limbs, b->first, a->first)) continue;
            const int32_t common = sft_limbs_common(limbs, a->first, b->first);
            if (common < 0) continue;
            const double sides = a->side * b->side < 0 ? 0.0 : 0.5;
            const double names = 1.0 - names_alike(limbs->skeleton->names[a->first], limbs->skeleton->names[b->first]);
            const double longer = sft_maxd(a->length, b->length);
            const double lengths = longer > 0.0 ? fabs(a->length - b->length) / longer : 0.0;
            // Of two skeletons in one place, the legs of one belong together.
            const int32_t levels = limbs->depth[a->first] + limbs->depth[b->first] - 2 * limbs->depth[common];
            couples[count++] =
                (couple){i, j, common, sides + 0.5 * names + 2.0 * lengths + 0.1 * (double)(levels < 10 ? levels : 10)};
        }
    return count;
}

// Cheapest couples first, each limb once.
static int32_t match(const sft_limbs* limbs, couple* couples, int32_t count, sft_limb_pair* pairs, int32_t capacity)
{
    bool used[SFT_LIMBS_MAX] = {false};
    int32_t made = 0;
    while (made < capacity)
    {
        int32_t best = -1;
        for (int32_t i = 0; i < count; ++i)
            if (!used[couples[i].a] && !used[couples[i].b] && (best < 0 || couples[i].cost < couples[best].cost))
                best = i;
        if (best < 0) break;
        used[couples[best].a] = used[couples[best].b] = true;
        pairs[made++] = (sft_limb_pair){couples[best].a, couples[best].b, couples[best].common, 0, 0, 0, 0};
    }
    // One leg alone must be named: any chain could be one.
    for (int32_t i = 0; i < limbs->limb_count && made < capacity; ++i)
    {
        const sft_limb* limb = &limbs->limbs[i];
        if (!used[i] && limb->name >= 1.0)
            pairs[made++] = (sft_limb_pair){i, -1, limb->girdle >= 0 ? limb->girdle : limb->first, 0, 0, 0, 0};
    }
    return made;
}

static bool in_pair(const sft_limbs* limbs, const sft_limb_pair* pair, int32_t joint)
{
    const int32_t start = limbs->start[joint];
    return start == limbs->limbs[pair->a].first || (pair->b >= 0 && start == limbs->limbs[pair->b].first);
}

// In a rest pose with every bone along one axis all limbs hang down together, and arms and spine do too: the rest of
// the body lies well below the joint that the pair hangs from, which it does in no body that stands. The body is what
// hangs from that joint or from the first above it with half of all joints: controls on the ground are no part of it.
static bool all_hangs(const sft_limbs* limbs, const sft_limb_pair* pair, sft_v3d up)
{
    const sft_skeleton* s = limbs->skeleton;
    int32_t body = pair->common;
    while (s->parents[body] >= 0 && (double)limbs->size[body] < 0.45 * (double)s->joint_count)
        body = s->parents[body];
    double sum = 0.0, total = 0.0;
    for (int32_t j = 0; j < s->joint_count; ++j)
    {
        limbs->mark[j] = j == body || (s->parents[j] >= 0 && limbs->mark[s->parents[j]] != 0);
        if (limbs->mark[j] == 0 || limbs->trunk[j] == 0 || in_pair(limbs, pair, j)) continue;
        sum +=
            limbs->bone[j] * sft_v3d_dot(sft_v3d_sub(limbs->rest_position[j], limbs->rest_position[pair->common]), up);
        total += limbs->bone[j];
    }
    return total > 0.0 && sum / total < -0.25 * limbs->limbs[pair->a].length;
}

static void weigh(const sft_limbs* limbs, const sft_limb_stand* stand, double rest_counts, sft_v3d up,
                  sft_limb_pair* pairs, int32_t count)
{
    int32_t top = INT32_MAX;
    for (int32_t i = 0; i < count; ++i)
    {
        sft_limb_pair* p = &pairs[i];
        const int32_t b = p->b >= 0 ? p->b : p->a;
        p->rest = rest_counts * sft_mind(stand->rest[p->a], stand->rest[b]);
        if (p->rest > 0.0 && all_hangs(limbs, p, up)) p->rest *= 0.5;
        // Both must stand: of arms held out, one always reaches down along the axis from side to side.
        p->motion = sft_mind(stand->motion[p->a], stand->motion[b]);
        p->name = sft_mind(limbs->limbs[p->a].name, limbs->limbs[b].name);
        if (p->rest + p->motion + p->name > 0.3 && limbs->depth[p->common] < top) top = limbs->depth[p->common];
    }
    for (int32_t i = 0; i < count; ++i)
    {
        sft_limb_pair* p = &pairs[i];
        const double near_root = sft_clampd(1.0 - 0.25 * (double)(limbs->depth[p->common] - top), 0.0, 1.0);
        // A lone leg makes do with less, having no partner to agree with.
        p->score =
            W_REST * p->rest + W_MOTION * p->motion + W_ROOT * near_root + W_NAME * p->name - (p->b < 0 ? 0.3 : 0.0);
    }
}

static void sort_pairs(const sft_limbs* limbs, sft_limb_pair* pairs, int32_t count)
{
    for (int32_t i = 1; i < count; ++i)
        for (int32_t k = i; k > 0; --k)
        {
            const sft_limb_pair *a = &pairs[k - 1], *b = &pairs[k];
            const bool tie = fabs(a->score - b->score) < 1e-9;
            const double la = limbs->limbs[a->a].length, lb = limbs->limbs[b->a].length;
            if (!(tie ? lb > 1.01 * la : b->score > a->score)) break;
            const sft_limb_pair swap = pairs[k - 1];
            pairs[k - 1] = pairs[k];
            pairs[k] = swap;
        }
}

bool sft_limbs_central(const sft_limbs* limbs, const sft_limb_pair* pair, const sft_v3d* position, sft_v3d lateral,
                       int32_t joint)
{
    if (limbs->trunk[joint] == 0 || in_pair(limbs, pair, joint)) return false;
    const double off = sft_v3d_dot(sft_v3d_sub(position[joint], position[pair->common]), lateral);
    return fabs(off) <= CENTRAL * limbs->limbs[pair->a].length;
}

bool sft_limbs_upright(const sft_limbs* limbs, const sft_limb_pair* pair, const sft_v3d* position, sft_v3d up,
                       sft_v3d lateral)
{
    // The topmost point of the middle, the head, says more than the centre: tails and hair hang low.
    sft_v3d top = {0, 0, 0};
    bool any = false;
    for (int32_t j = 0; j < limbs->skeleton->joint_count; ++j)
    {
        if (!sft_limbs_central(limbs, pair, position, lateral, j)) continue;
        if (!any || sft_v3d_dot(position[j], up) > sft_v3d_dot(top, up)) top = position[j];
        any = true;
    }
    if (!any) return false;
    const sft_v3d v = sft_v3d_sub(top, position[pair->common]);
    const double length = sft_v3d_length(v);
    return length > 0.35 * limbs->limbs[pair->a].length && sft_v3d_dot(v, up) > 0.75 * length;
}

// Limbs that reach out over the ground, as insects' do and skirts do not.
static bool sprawls(const sft_limbs* limbs, const sft_limb* limb, sft_v3d up)
{
    const sft_v3d out = sft_v3d_sub(limbs->position[limb->joints[limb->count - 1]], limbs->position[limb->first]);
    return sft_v3d_length(sft_v3d_madd(out, -sft_v3d_dot(out, up), up)) > 0.4 * limb->length;
}

// Whether a further pair walks too, given the first.
static bool walks_too(const sft_limbs* limbs, const sft_limb_pair* first, const sft_limb_pair* pair, sft_v3d up,
                      sft_v3d lateral)
{
    const bool by_rest = first->rest > 0.5;
    const double stands = by_rest ? pair->rest : W_MOTION * pair->motion;
    if (pair->b < 0) return false;
    // Names alone make no further leg: the arms of a being that walks on two may be called front legs.
    if (sft_maxd(pair->rest, pair->motion) < 0.25) return false;
    if (pair->name < 0.0 && pair->name > -0.9)
    {
        // Called arms: a quadruped's fore legs may be, if it stands on them at rest, or always and has a tail. A person
        // who crawls has arms.
        // Of a gallop, the fore legs stand about as long as the hind.
        const double enough = by_rest ? 0.5 : sft_clampd(0.8 * first->motion, 0.4, 0.75);
        if (stands < enough || (!by_rest && !limbs->has_tail)) return false;
    }
    else if (stands + 0.5 * pair->name < 0.5)
        return false;
    const double ratio = limbs->limbs[pair->a].length / limbs->limbs[first->a].length;
    if (!(ratio > 0.35 && ratio < 2.8)) return false;
    const sft_v3d* position = limbs->position;
    const sft_v3d between = sft_v3d_sub(position[pair->common], position[first->common]);
    const double apart = sft_v3d_length(between);
    if (apart < 0.2 * limbs->limbs[first->a].length)
        return (sprawls(limbs, &limbs->limbs[first->a], up) && sprawls(limbs, &limbs->limbs[pair->a], up)) ||
               !sft_limbs_upright(limbs, first, position, up, lateral);
    return fabs(sft_v3d_dot(between, up)) < 0.8 * apart;
}

static bool overlaps(const sft_limbs* limbs, const sft_limb_pair* a, const sft_limb_pair* b)
{
    const int32_t own[2] = {a->a, a->b}, other[2] = {b->a, b->b};
    for (int i = 0; i < 2; ++i)
        for (int k = 0; k < 2; ++k)
        {
            if (own[i] < 0 || other[k] < 0) continue;
            const int32_t x = limbs->limbs[own[i]].first, y = limbs->limbs[other[k]].first;
            if (hangs_below(limbs, x, y) || hangs_below(limbs, y, x)) return true;
        }
    return false;
}

// The pose that mirror, side and facing are read from, and the side in it. The rest pose is left for the clip's where
// nothing stands in it, or where it is a knot: limbs that are alike do not lie like mirror images, or all bones point
// one way. Answers how much the
// rest pose's word counts.
static double choose_pose(sft_limbs* limbs, const sft_limb_stand* stand, sft_v3d up, int32_t couple_count,
                          sft_v3d* lateral)
{
    int32_t resting = 0, moving = 0;
    for (int32_t i = 0; i < limbs->limb_count; ++i)
    {
        if (stand->rest[i] > 0.5) ++resting;
        if (stand->motion[i] > 0.4) ++moving;
    }
    limbs->position = limbs->rest_position;
    *lateral = sft_v3d_make(0, 0, 0);
    if (couple_count == 0) return 1.0;
    *lateral = find_lateral(limbs, limbs->couples, couple_count, up);
    const bool knot = limbs->bundle || sft_v3d_length(*lateral) < 0.5 ||
                      asymmetry(limbs, limbs->couples, couple_count, *lateral) > KNOT;
    if (moving >= 2 && (resting < 2 || knot))
    {
        limbs->position = limbs->typical_position;
        *lateral = find_lateral(limbs, limbs->couples, couple_count, up);
    }
    return !knot ? 1.0 : moving >= 2 ? 0.0 : 0.5;
}

int32_t sft_limbs_choose(sft_limbs* limbs, const sft_limb_stand* stand, sft_v3d up, sft_limb_pair* pairs,
                         int32_t capacity, sft_v3d* lateral)
{
    couple* couples = limbs->couples;
    sft_limb_pair all[SFT_LIMBS_MAX];
    const int32_t couple_count = gather_couples(limbs, couples);
    const double rest_counts = choose_pose(limbs, stand, up, couple_count, lateral);
    if (sft_v3d_length(*lateral) > 0.5)
        for (int32_t i = 0; i < couple_count; ++i)
            couples[i].cost +=
                sft_mind(2.0, 2.0 * misfit(limbs, &limbs->limbs[couples[i].a], &limbs->limbs[couples[i].b],
                                           limbs->position[couples[i].common], *lateral));
    const int32_t count = match(limbs, couples, couple_count, all, SFT_LIMBS_MAX);
    weigh(limbs, stand, rest_counts, up, all, count);
    sort_pairs(limbs, all, count);
    int32_t kept = 0;
    for (int32_t i = 0; i < count && kept < capacity; ++i)
    {
        if (kept == 0 ? all[i].score < FIRST_SCORE : !walks_too(limbs, &pairs[0], &all[i], up, *lateral)) continue;
        bool clash = false;
        for (int32_t k = 0; k < kept; ++k)
            clash = clash || overlaps(limbs, &pairs[k], &all[i]);
        if (!clash) pairs[kept++] = all[i];
    }
    return kept;
}
