// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// Cuts a hierarchy into chains. At every joint the child with the longest way down carries the chain on; the others
// start chains of their own. Where two children are about equally long, as legs and spine are at a pelvis, the chain
// ends and all of them start anew. Inside hands and feet nothing is cut: what is left below is short against the limb.

#include "skeleton/limbs.h"

#include "core/core.h"
#include "skeleton/joint_names.h"

// A side chain shorter than this part of the limb it leaves is a helper: twist joints, muscles, thumbs.
#define SIDE_FRACTION 0.12
// The second child must be this long against the first for the chain to fork.
#define FORK_FRACTION 0.5
// Below this part of the way come so far, a fork is a hand or a foot and belongs to the limb.
#define END_FRACTION 0.45
// Part of all bones' length that their sum keeps if they nearly all point one way; 0.3 for a T-pose, 0.6 with arms
// hanging.
#define BUNDLE 0.8
// Joints that may be stacked above the body.
#define STEM_JOINTS 6
// Frames looked at, spread evenly over the clip: enough to tell standing from lying.
#define SAMPLES 16

static void measure_bones(sft_limbs* limbs, const sft_v3d* typical)
{
    const sft_skeleton* s = limbs->skeleton;
    for (int32_t j = 0; j < s->joint_count; ++j)
    {
        const int32_t p = s->parents[j];
        limbs->depth[j] = p < 0 ? 0 : limbs->depth[p] + 1;
        limbs->main_child[j] = -1;
        limbs->below[j] = 0.0;
        limbs->offset[j] = s->rest_translations[j];
        if (typical != NULL && p >= 0 && !(sft_v3d_length(limbs->offset[j]) > 0.0)) limbs->offset[j] = typical[j];
        // A root's own offset is a place in the world, not a bone.
        const double length = p < 0 ? 0.0 : sft_v3d_length(limbs->offset[j]);
        limbs->bone[j] = isfinite(length) ? length : 0.0;
    }
}

// Longest ways down, children before parents. The first of equal children wins, except that a zero-length leaf marker
// before a real chain must not: longer wins, then more joints below, then the earlier.
static void measure_ways(sft_limbs* limbs, int32_t* joints_below, double* second)
{
    const sft_skeleton* s = limbs->skeleton;
    for (int32_t j = s->joint_count - 1; j >= 0; --j)
    {
        const int32_t p = s->parents[j];
        ++limbs->size[j];
        if (p < 0) continue;
        limbs->size[p] += limbs->size[j];
        const double way = limbs->bone[j] + limbs->below[j];
        const int32_t m = limbs->main_child[p];
        const double best = m < 0 ? -1.0 : limbs->bone[m] + limbs->below[m];
        const double slack = 1e-9 * sft_maxd(way, best);
        const bool longer = way > best + slack;
        const bool equal = !longer && way >= best - slack;
        if (m < 0 || longer || (equal && joints_below[j] >= joints_below[m]))
        {
            if (m >= 0) second[p] = sft_maxd(second[p], best);
            limbs->main_child[p] = j;
            limbs->below[p] = sft_maxd(way, limbs->below[p]);
            joints_below[p] = joints_below[j] + 1;
        }
        else
            second[p] = sft_maxd(second[p], way);
    }
}

// The stem from a root down to the first fork of the body may hold bones that are none: the way from a root on the
// ground up to the pelvis, or a place in the world. They count as nothing, or the body below would pass for a hand. A
// stem of more than STEM_JOINTS joints is a snake, and one with names of a leg is a leg with toes.
static void measure_stem(sft_limbs* limbs, int32_t root, const double* second)
{
    int32_t fork = root, joints = 0;
    bool leg = false;
    while (!(second[fork] > 0.0) && limbs->main_child[fork] >= 0 && joints <= STEM_JOINTS)
    {
        leg = leg || (sft_name_parts(limbs->skeleton->names[fork]) & SFT_NAME_ANY_LEG) != 0;
        fork = limbs->main_child[fork];
        ++joints;
    }
    double transport = 0.0;
    if (!leg && joints <= STEM_JOINTS && second[fork] > 0.0 && second[fork] >= FORK_FRACTION * limbs->below[fork])
        for (int32_t j = root; j != fork; j = limbs->main_child[j])
        {
            const int32_t next = limbs->main_child[j];
            transport += limbs->bone[next];
            limbs->bone[next] = 0.0;
            limbs->trunk[j] = 0;
        }
    limbs->longest = sft_maxd(limbs->longest, limbs->below[root] - transport);
}

static bool starts_chain(const sft_limbs* limbs, int32_t joint, const double* second)
{
    const int32_t p = limbs->skeleton->parents[joint];
    if (p < 0) return true;
    const double ways = limbs->along[p] + limbs->below[p];
    const bool end_region = limbs->below[p] < END_FRACTION * limbs->along[p];
    const bool forked = !end_region && second[p] >= FORK_FRACTION * limbs->below[p] && second[p] > 0.0;
    if (limbs->main_child[p] == joint) return forked;
    const double own = limbs->bone[joint] + limbs->below[joint];
    return !end_region && own > 0.0 && own >= SIDE_FRACTION * ways;
}

static void lay_chains(sft_limbs* limbs, const double* second)
{
    const sft_skeleton* s = limbs->skeleton;
    for (int32_t j = 0; j < s->joint_count; ++j)
        limbs->trunk[j] = 1;
    for (int32_t j = 0; j < s->joint_count; ++j)
        if (s->parents[j] < 0) measure_stem(limbs, j, second);
    for (int32_t j = 0; j < s->joint_count; ++j)
    {
        const int32_t p = s->parents[j];
        if (starts_chain(limbs, j, second))
        {
            limbs->start[j] = j;
            limbs->along[j] = 0.0;
        }
        else if (limbs->main_child[p] == j)
        {
            limbs->start[j] = limbs->start[p];
            limbs->along[j] = limbs->along[p] + limbs->bone[j];
        }
        else
        {
            limbs->start[j] = -1; // a helper, and all below it
            limbs->along[j] = 0.0;
        }
        if (p >= 0 && limbs->start[p] < 0) limbs->start[j] = -1;
    }
}

static double name_score(const sft_limbs* limbs, const sft_limb* limb)
{
    uint32_t seen = 0;
    int other = 0, own = 0, helper = 0;
    for (int32_t k = 0; k < limb->count; ++k)
    {
        const int32_t j = limb->joints[k];
        if ((limbs->skeleton->flags[j] & SFT_JOINT_END_SITE) != 0) continue;
        const uint32_t parts = sft_name_parts(limbs->skeleton->names[j]);
        seen |= parts;
        if ((parts & SFT_NAME_HELPER) != 0) ++helper;
        if ((parts & SFT_NAME_ANY_LEG) != 0) ++own;
        if ((parts & (SFT_NAME_ARM | SFT_NAME_LOOSE)) != 0) ++other;
    }
    const uint32_t parts = seen & SFT_NAME_ANY_LEG;
    const bool several = (parts & (parts - 1u)) != 0 || own >= 2;
    double score = own == 0 ? 0.0 : several ? 1.0 : 0.5;
    if (other > own) score = (seen & SFT_NAME_LOOSE) != 0 ? -1.0 : -0.6;
    if (2 * helper > limb->count) score -= 0.7;
    return score;
}

static void fill_limb(const sft_limbs* limbs, int32_t first, sft_limb* limb)
{
    *limb = (sft_limb){0};
    limb->first = first;
    limb->girdle = limbs->skeleton->parents[first];
    for (int32_t j = first; j >= 0 && limb->count < SFT_LIMB_JOINTS_MAX && limbs->start[j] == first;
         j = limbs->main_child[j])
    {
        limb->joints[limb->count++] = j;
        if (limb->side == 0) limb->side = sft_name_side(limbs->skeleton->names[j]);
    }
    for (int32_t k = 1; k < limb->count; ++k)
        limb->length += limbs->bone[limb->joints[k]];
    limb->name = name_score(limbs, limb);
}

// Chains that fork again, that have no two bones, or that go on and on are trunks, stumps and ropes.
static bool could_be_leg(const sft_limbs* limbs, const sft_limb* limb)
{
    int bones = 0;
    for (int32_t k = 1; k < limb->count; ++k)
        if (limbs->bone[limb->joints[k]] > 0.0) ++bones;
    const int32_t tip = limb->joints[limb->count - 1];
    if (limbs->main_child[tip] >= 0) return false;
    if (bones < 2 && !(limb->name >= 1.0 && limb->count >= 4)) return false;
    return limb->length > 0.04 * limbs->longest;
}

// Keeps the best SFT_LIMBS_MAX by name, then length; ties go to the earlier joint.
static void keep_limb(sft_limbs* limbs, const sft_limb* limb)
{
    if (limbs->limb_count < SFT_LIMBS_MAX)
    {
        limbs->limbs[limbs->limb_count++] = *limb;
        return;
    }
    int32_t worst = 0;
    for (int32_t i = 1; i < limbs->limb_count; ++i)
    {
        const sft_limb *a = &limbs->limbs[i], *b = &limbs->limbs[worst];
        if (a->name < b->name || (!(a->name > b->name) && a->length <= b->length)) worst = i;
    }
    const sft_limb* out = &limbs->limbs[worst];
    if (limb->name > out->name || (!(limb->name < out->name) && limb->length > out->length))
        limbs->limbs[worst] = *limb;
}

static void gather(sft_limbs* limbs)
{
    for (int32_t j = 0; j < limbs->skeleton->joint_count; ++j)
    {
        const char* name = limbs->skeleton->names[j];
        if (strstr(name, "tail") != NULL || strstr(name, "Tail") != NULL) limbs->has_tail = true;
        if (limbs->start[j] != j) continue;
        sft_limb limb;
        fill_limb(limbs, j, &limb);
        if (could_be_leg(limbs, &limb)) keep_limb(limbs, &limb);
    }
}

sft_result sft_limbs_create(const sft_skeleton* skeleton, const sft_v3d* typical, const sft_allocator* allocator,
                            sft_limbs** out)
{
    const sft_allocator heap = sft_core_allocator(allocator);
    const size_t n = (size_t)skeleton->joint_count;
    sft_limbs* limbs = sft_core_alloc(&heap, 1, sizeof *limbs);
    if (limbs == NULL) return SFT_ERR_MEMORY;
    limbs->skeleton = skeleton;
    limbs->allocator = heap;
    limbs->depth = sft_core_alloc(&heap, n, sizeof *limbs->depth);
    limbs->main_child = sft_core_alloc(&heap, n, sizeof *limbs->main_child);
    limbs->start = sft_core_alloc(&heap, n, sizeof *limbs->start);
    limbs->bone = sft_core_alloc(&heap, n, sizeof *limbs->bone);
    limbs->below = sft_core_alloc(&heap, n, sizeof *limbs->below);
    limbs->along = sft_core_alloc(&heap, n, sizeof *limbs->along);
    limbs->trunk = sft_core_alloc(&heap, n, sizeof *limbs->trunk);
    limbs->size = sft_core_alloc(&heap, n, sizeof *limbs->size);
    limbs->mark = sft_core_alloc(&heap, n, sizeof *limbs->mark);
    limbs->pose = sft_core_alloc(&heap, n, sizeof *limbs->pose);
    limbs->offset = sft_core_alloc(&heap, n, sizeof *limbs->offset);
    limbs->rest_position = sft_core_alloc(&heap, n, sizeof *limbs->rest_position);
    limbs->typical_position = sft_core_alloc(&heap, n, sizeof *limbs->typical_position);
    limbs->couples = sft_core_alloc(&heap, SFT_LIMB_COUPLES_MAX, sizeof *limbs->couples);
    int32_t* joints_below = sft_core_alloc(&heap, n, sizeof *joints_below);
    double* second = sft_core_alloc(&heap, n, sizeof *second);
    const bool ok = limbs->depth != NULL && limbs->main_child != NULL && limbs->start != NULL && limbs->bone != NULL &&
                    limbs->below != NULL && limbs->along != NULL && limbs->trunk != NULL && limbs->size != NULL &&
                    limbs->mark != NULL && limbs->pose != NULL && limbs->offset != NULL &&
                    limbs->rest_position != NULL && limbs->typical_position != NULL && limbs->couples != NULL &&
                    joints_below != NULL && second != NULL;
    if (ok)
    {
        measure_bones(limbs, typical);
        measure_ways(limbs, joints_below, second);
        lay_chains(limbs, second);
        gather(limbs);
    }
    sft_core_free(&heap, joints_below, n, sizeof *joints_below);
    sft_core_free(&heap, second, n, sizeof *second);
    if (!ok)
    {
        sft_limbs_destroy(limbs);
        return SFT_ERR_MEMORY;
    }
    *out = limbs;
    return SFT_OK;
}

void sft_limbs_destroy(sft_limbs* limbs)
{
    if (limbs == NULL) return;
    const sft_allocator heap = limbs->allocator;
    const size_t n = (size_t)limbs->skeleton->joint_count;
    sft_core_free(&heap, limbs->depth, n, sizeof *limbs->depth);
    sft_core_free(&heap, limbs->main_child, n, sizeof *limbs->main_child);
    sft_core_free(&heap, limbs->start, n, sizeof *limbs->start);
    sft_core_free(&heap, limbs->bone, n, sizeof *limbs->bone);
    sft_core_free(&heap, limbs->below, n, sizeof *limbs->below);
    sft_core_free(&heap, limbs->along, n, sizeof *limbs->along);
    sft_core_free(&heap, limbs->trunk, n, sizeof *limbs->trunk);
    sft_core_free(&heap, limbs->size, n, sizeof *limbs->size);
    sft_core_free(&heap, limbs->mark, n, sizeof *limbs->mark);
    sft_core_free(&heap, limbs->pose, n, sizeof *limbs->pose);
    sft_core_free(&heap, limbs->offset, n, sizeof *limbs->offset);
    sft_core_free(&heap, limbs->rest_position, n, sizeof *limbs->rest_position);
    sft_core_free(&heap, limbs->typical_position, n, sizeof *limbs->typical_position);
    sft_core_free(&heap, limbs->couples, SFT_LIMB_COUPLES_MAX, sizeof *limbs->couples);
    sft_core_free(&heap, limbs, 1, sizeof *limbs);
}

static void pose_rest(sft_limbs* limbs)
{
    sft_skeleton_forward(limbs->skeleton, limbs->offset, limbs->skeleton->rest_rotations, limbs->pose);
}

static double ramp(double x, double from, double to)
{
    return sft_clampd((x - from) / (to - from), 0.0, 1.0);
}

// How much each limb stands like a leg in limbs->pose, in [0, 1]: its end is among the lowest points of the figure and
// the limb comes down to it.
static void stand(const sft_limbs* limbs, sft_v3d up, double* score)
{
    double low = 0.0, high = 0.0;
    bool any = false;
    for (int32_t j = 0; j < limbs->skeleton->joint_count; ++j)
    {
        if (limbs->trunk[j] == 0) continue;
        const double y = sft_v3d_dot(up, limbs->pose[j].t);
        low = any ? sft_mind(low, y) : y;
        high = any ? sft_maxd(high, y) : y;
        any = true;
    }
    const double height = high - low;
    double sprawled[SFT_LIMBS_MAX];
    int32_t sprawling = 0;
    for (int32_t i = 0; i < limbs->limb_count; ++i)
    {
        const sft_limb* limb = &limbs->limbs[i];
        double end = 0.0, top = 0.0, way = 0.0;
        bool in_foot = false;
        for (int32_t k = 0; k < limb->count; ++k)
        {
            const int32_t j = limb->joints[k];
            const double y = sft_v3d_dot(up, limbs->pose[j].t);
            if (k > 0) way += limbs->bone[j];
            top = k == 0 ? y : sft_maxd(top, y);
            // The foot is somewhere in the last part of the limb; its lowest point counts.
            if (k != limb->count - 1 && way <= 0.6 * limb->length) continue;
            end = in_foot ? sft_mind(end, y) : y;
            in_foot = true;
        }
        const bool measurable = height > 0.0 && limb->length > 0.0;
        const double near_ground = measurable ? ramp(0.22 - (end - low) / height, 0.0, 0.1) : 0.0;
        const double comes_down = measurable ? (top - end) / limb->length : 0.0;
        // A limb without knee or foot bears weight upright only: at a slant it is a fin.
        const sft_v3d first = limbs->pose[limb->joints[0]].t, tip = limbs->pose[limb->joints[limb->count - 1]].t;
        const double straight = measurable ? sft_v3d_distance(first, tip) / limb->length : 0.0;
        const double fin = ramp(straight, 0.95, 0.97) * (1.0 - ramp(comes_down, 0.65, 0.8));
        score[i] = near_ground * (1.0 - fin) * ramp(comes_down, 0.2, 0.45);
        sprawled[i] = near_ground * (1.0 - fin) * ramp(comes_down, 0.12, 0.32);
        if (sprawled[i] > 0.4) ++sprawling;
    }
    // Six legs or more may reach far out and come down little; one foot forward of a lying figure comes down as much.
    if (sprawling >= 6) memcpy(score, sprawled, (size_t)limbs->limb_count * sizeof *score);
}

static void keep_positions(const sft_limbs* limbs, sft_v3d* out)
{
    for (int32_t j = 0; j < limbs->skeleton->joint_count; ++j)
        out[j] = limbs->pose[j].t;
}

// Bones along one axis: exporters that let each joint's own axis run along its bone write such rest pose. Two legs
// alone do so in any rest pose, so a third limb must be there.
static bool is_bundle(const sft_limbs* limbs)
{
    sft_v3d sum = {0, 0, 0};
    double total = 0.0;
    for (int32_t j = 0; j < limbs->skeleton->joint_count; ++j)
    {
        const int32_t p = limbs->skeleton->parents[j];
        if (p < 0 || !(limbs->bone[j] > 0.0)) continue;
        sum = sft_v3d_add(sum, sft_v3d_sub(limbs->rest_position[j], limbs->rest_position[p]));
        total += limbs->bone[j];
    }
    return limbs->limb_count > 2 && sft_v3d_length(sum) > BUNDLE * total;
}

void sft_limbs_watch(sft_limbs* limbs, const sft_motion_view* motion, const sft_v3d* ups, int32_t up_count,
                     sft_limb_stand* out)
{
    double score[SFT_LIMBS_MAX];
    const size_t n = (size_t)limbs->skeleton->joint_count;
    pose_rest(limbs);
    keep_positions(limbs, limbs->rest_position);
    keep_positions(limbs, limbs->typical_position);
    limbs->position = limbs->rest_position;
    limbs->bundle = is_bundle(limbs);
    for (int32_t u = 0; u < up_count; ++u)
    {
        stand(limbs, ups[u], score);
        for (int32_t i = 0; i < limbs->limb_count; ++i)
            out[u].rest[i] = score[i], out[u].motion[i] = 0.0;
    }
    if (motion == NULL || motion->frame_count < 1) return;
    // Frame 0 may be a reference pose, so it is not asked where there are others.
    const int32_t first = motion->frame_count > 1 ? 1 : 0, frames = motion->frame_count - first;
    const int32_t samples = frames < SAMPLES ? frames : SAMPLES;
    for (int32_t k = 0; k < samples; ++k)
    {
        const int32_t f = first + (int32_t)((int64_t)k * frames / samples);
        sft_skeleton_forward(limbs->skeleton, motion->translations + (size_t)f * n, motion->rotations + (size_t)f * n,
                             limbs->pose);
        if (k == samples / 2) keep_positions(limbs, limbs->typical_position);
        for (int32_t u = 0; u < up_count; ++u)
        {
            stand(limbs, ups[u], score);
            for (int32_t i = 0; i < limbs->limb_count; ++i)
                out[u].motion[i] += score[i] / (double)samples;
        }
    }
}

int32_t sft_limbs_common(const sft_limbs* limbs, int32_t a, int32_t b)
{
    while (a != b && a >= 0 && b >= 0)
    {
        if (limbs->depth[a] >= limbs->depth[b])
            a = limbs->skeleton->parents[a];
        else
            b = limbs->skeleton->parents[b];
    }
    return a == b ? a : -1;
}

bool sft_limbs_alike(const sft_limbs* limbs, const sft_limb* a, const sft_limb* b)
{
    const int32_t joints = a->count - b->count, level = limbs->depth[a->first] - limbs->depth[b->first];
    const double longer = sft_maxd(a->length, b->length), shorter = sft_mind(a->length, b->length);
    return joints >= -1 && joints <= 1 && level >= -1 && level <= 1 && shorter >= 0.85 * longer;
}
