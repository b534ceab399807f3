// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// Finds legs (docs/legs.md): limbs by topology, pairs by mirror and standing, then joints, sides, order and reasons.

#include "leg/find.h"

#include "core/core.h"
#include "skeleton/joint_names.h"

// Samples per joint when asking what turns.
#define TURN_SAMPLES 16
// Names are on the wrong sides where feet point as far against them [of the legs' length], legs lie as far apart, and
// no knee bends by this the names' way.
#define PLAIN_FEET 0.08
#define PLAIN_PAWS 0.12 // likewise, of more than two legs
#define PLAIN_SIDES 0.05
#define BENT_KNEE 0.02

typedef struct finder
{
    const sft_skeleton* skeleton;
    const sft_clip* clip;
    sft_limbs* limbs;
    sft_limb_stand stand;
    sft_limb_pair pairs[SFT_MAX_LEGS / 2];
    int32_t pair_count;
    sft_v3d lateral; // rest pose, sign arbitrary until facing is known
    sft_v3d facing;  // rest pose, horizontal unit, zero where unknown
    const char* facing_from;
    bool mirrored; // names stand on the other sides
} finder;

// How far each joint of a limb turns over the clip: largest angle from its first sampled rotation.
static bool measure_turning(const sft_clip* clip, const sft_limb* limb, double* turning)
{
    if (clip == NULL || clip->frame_count < 3) return false;
    const int32_t frames = clip->frame_count - 1;
    for (int32_t k = 0; k < limb->count; ++k)
    {
        double least = 1.0;
        const sft_quatd first = clip->rotations[(size_t)clip->joint_count + (size_t)limb->joints[k]];
        for (int32_t s = 1; s < TURN_SAMPLES; ++s)
        {
            const int32_t f = 1 + (int32_t)((int64_t)s * frames / TURN_SAMPLES);
            const sft_quatd q = clip->rotations[(size_t)f * (size_t)clip->joint_count + (size_t)limb->joints[k]];
            least = sft_mind(least, fabs(sft_quatd_dot(first, q)));
        }
        turning[k] = 2.0 * sft_acos(least);
    }
    return true;
}

static sft_v3d horizontal(sft_v3d v)
{
    return sft_v3d_make(v.x, 0.0, v.z);
}

static sft_v3d position_of(const finder* f, int32_t joint)
{
    return f->limbs->position[joint];
}

// How far all feet together point along `forward`, over the length of the legs.
static double feet_point(const finder* f, const sft_leg* legs, int32_t count, sft_v3d forward)
{
    double feet = 0.0, span = 0.0;
    for (int32_t i = 0; i < count; ++i)
    {
        const int32_t tip = legs[i].toe_end >= 0 ? legs[i].toe_end : legs[i].toe;
        const sft_v3d heel = position_of(f, legs[i].heel);
        feet += sft_v3d_dot(sft_v3d_sub(position_of(f, tip), heel), forward);
        span += sft_v3d_distance(position_of(f, legs[i].hip), heel);
    }
    return span > 0.0 ? feet / span : 0.0;
}

// Which way legs that are named left and right lie along the lateral axis, over the length of the legs.
static double named_left(const finder* f, const sft_leg* legs, int32_t count)
{
    double sides = 0.0, span = 0.0;
    for (int32_t i = 0; i < count; ++i)
    {
        const sft_v3d from = position_of(f, f->pairs[legs[i].pair].common);
        const sft_v3d hip = position_of(f, legs[i].hip), heel = position_of(f, legs[i].heel);
        const sft_v3d across = sft_v3d_add(sft_v3d_sub(hip, from), sft_v3d_sub(heel, from));
        const double named = legs[i].side == SFT_LEG_LEFT ? 1.0 : legs[i].side == SFT_LEG_RIGHT ? -1.0 : 0.0;
        sides += named * sft_v3d_dot(across, f->lateral);
        span += sft_v3d_distance(hip, heel);
    }
    return span > 0.0 ? sides / span : 0.0;
}

static sft_v3d joint_at(const finder* f, int32_t frame, int32_t joint)
{
    const size_t row = (size_t)frame * (size_t)f->clip->joint_count;
    return sft_skeleton_joint_model(f->skeleton, f->clip->translations + row, f->clip->rotations + row, joint).t;
}

// Whether the clip travels along `forward` of the pose at hand (1) or against it (-1), part of the way travelled. The
// body's sides tie the frames to that pose, so that turning on the way does no harm.
static double travels(const finder* f, const sft_leg* legs, int32_t count, sft_v3d forward)
{
    if (f->clip == NULL || f->clip->frame_count < 4 || count < 2 || legs[0].pair != legs[1].pair) return 0.0;
    const sft_v3d up = {0, 1, 0};
    const sft_v3d across = sft_v3d_sub(position_of(f, legs[1].hip), position_of(f, legs[0].hip));
    const double sense = sft_v3d_dot(sft_v3d_cross(across, up), forward) < 0.0 ? -1.0 : 1.0;
    const int32_t steps = f->clip->frame_count - 2, samples = steps < 64 ? steps : 64;
    double along = 0.0, way = 0.0;
    for (int32_t k = 0; k < samples; ++k)
    {
        const int32_t frame = 1 + (int32_t)((int64_t)k * steps / samples);
        const sft_v3d side = sft_v3d_sub(joint_at(f, frame, legs[1].hip), joint_at(f, frame, legs[0].hip));
        const sft_v3d ahead = sft_v3d_normalize_or(sft_v3d_cross(side, up), sft_v3d_make(0, 0, 0));
        const int32_t body = f->pairs[0].common;
        const sft_v3d step = horizontal(sft_v3d_sub(joint_at(f, frame + 1, body), joint_at(f, frame, body)));
        along += sense * sft_v3d_dot(step, ahead);
        way += sft_v3d_length(step);
    }
    // Less than a tenth of a leg in all is standing.
    const double leg = sft_v3d_distance(position_of(f, legs[0].hip), position_of(f, legs[0].heel));
    return way > 0.1 * leg ? along / way : 0.0;
}

static double further_girdles(const finder* f, sft_v3d forward)
{
    double sum = 0.0;
    for (int32_t i = 1; i < f->pair_count; ++i)
        sum +=
            sft_v3d_dot(sft_v3d_sub(position_of(f, f->pairs[i].common), position_of(f, f->pairs[0].common)), forward);
    return sum / (f->limbs->longest > 0.0 ? f->limbs->longest : 1.0);
}

// Where the body looks in the pose at hand, at right angles to its lateral axis. The first that speaks is believed: the
// feet (of many legs only if they agree), named sides, travel, the place of further girdles; else +Z or +X.
static void find_facing(finder* f, const sft_leg* legs, int32_t count)
{
    f->facing = sft_v3d_make(0, 0, 0);
    f->facing_from = "nothing";
    if (sft_v3d_length(f->lateral) < 0.5) return;
    const sft_v3d forward = sft_v3d_cross(f->lateral, sft_v3d_make(0, 1, 0)); // facing is left x up
    const double said[4] = {feet_point(f, legs, count, forward), named_left(f, legs, count),
                            travels(f, legs, count, forward), further_girdles(f, forward)};
    const double enough[4] = {count > 2 ? PLAIN_PAWS : 0.05, 0.001, 0.3, 0.001};
    static const char* const from[4] = {"feet", "names", "travel", "girdles"};
    double sign = forward.z < 0.0 || (!(forward.z > 0.0) && forward.x < 0.0) ? -1.0 : 1.0;
    for (int i = 0; i < 4; ++i)
    {
        if (!(fabs(said[i]) > enough[i])) continue;
        sign = said[i];
        f->facing_from = from[i];
        break;
    }
    f->facing = sft_v3d_scale(sign < 0.0 ? -1.0 : 1.0, forward);
}

// Where the knee of a leg bulges to, in the pose at hand, along `forward`: -1 to 1.
static double knee_points(const finder* f, const sft_leg* leg, sft_v3d forward)
{
    const sft_v3d hip = position_of(f, leg->hip), heel = position_of(f, leg->heel);
    const sft_v3d line = sft_v3d_sub(heel, hip);
    const double length = sft_v3d_length(line);
    if (!(length > SFT_LENGTH_EPS)) return 0.0;
    const sft_v3d way = sft_v3d_sub(position_of(f, leg->knee), hip);
    const double along = sft_v3d_dot(way, line) / (length * length);
    return sft_v3d_dot(sft_v3d_madd(way, -along, line), forward) / length;
}

// Does the foot itself point as all feet together do, and its knee not plainly the other way? Of fore legs the joints
// called knees bend as elbows, so those of figures on more than two legs tell nothing.
static bool faces(const finder* f, const sft_leg* leg, int32_t count, sft_v3d forward, double feet)
{
    const sft_v3d foot = sft_v3d_sub(position_of(f, leg->toe), position_of(f, leg->heel));
    if (!(sft_v3d_dot(foot, forward) * feet > 0.0) && leg->toe != leg->heel) return false;
    return count > 2 || !(knee_points(f, leg, forward) * feet < -BENT_KNEE * fabs(feet));
}

// A mirrored figure (a node scaled by -1, a negated axis) has its names on the wrong sides. Toes, and the knees of who
// stands on two legs, tell where a figure faces, and sides follow from that: where feet point plainly against what the
// names say, all of them, and no knee is bent the names' way, the sides are exchanged. True: they were.
static bool unmirror(const finder* f, sft_leg* legs, int32_t count)
{
    if (count < 2 || count % 2 != 0 || sft_v3d_length(f->lateral) < 0.5) return false;
    const sft_v3d forward = sft_v3d_cross(f->lateral, sft_v3d_make(0, 1, 0));
    const double feet = feet_point(f, legs, count, forward), names = named_left(f, legs, count);
    if (!(fabs(feet) > (count > 2 ? PLAIN_PAWS : PLAIN_FEET)) || !(fabs(names) > PLAIN_SIDES) || feet * names > 0.0)
        return false;
    for (int32_t i = 0; i < count; ++i)
    {
        const sft_leg *leg = legs + i, *other = legs + (i ^ 1);
        const bool named = leg->side != other->side && leg->side != SFT_LEG_MIDDLE && other->side != SFT_LEG_MIDDLE;
        if (!named || leg->pair != other->pair || !faces(f, leg, count, forward, feet)) return false;
    }
    for (int32_t i = 0; i < count; ++i)
        legs[i].side = legs[i].side == SFT_LEG_LEFT ? SFT_LEG_RIGHT : SFT_LEG_LEFT;
    return true;
}

// Sides that names did not give: left = up x facing.
static void find_sides(const finder* f, sft_leg* legs, int32_t count)
{
    const sft_v3d left = sft_v3d_cross(sft_v3d_make(0, 1, 0), f->facing);
    for (int32_t i = 0; i + 1 < count; ++i)
    {
        sft_leg *a = &legs[i], *b = &legs[i + 1];
        if (a->pair != b->pair || a->side != SFT_LEG_MIDDLE) continue;
        const sft_v3d* p = f->limbs->position;
        const sft_v3d across = sft_v3d_add(sft_v3d_sub(p[a->hip], p[b->hip]), sft_v3d_sub(p[a->heel], p[b->heel]));
        const double d = sft_v3d_dot(across, left);
        a->side = d >= 0.0 ? SFT_LEG_LEFT : SFT_LEG_RIGHT;
        b->side = d >= 0.0 ? SFT_LEG_RIGHT : SFT_LEG_LEFT;
    }
}

// Pairs from hind to fore along the facing; the left leg before the right.
static void order_legs(const finder* f, sft_leg* legs, int32_t count)
{
    double forward[SFT_MAX_LEGS / 2];
    int32_t rank[SFT_MAX_LEGS / 2];
    for (int32_t i = 0; i < f->pair_count; ++i)
    {
        forward[i] = 0.0;
        int32_t own = 0;
        for (int32_t k = 0; k < count; ++k)
            if (legs[k].pair == i)
            {
                const sft_v3d at =
                    sft_v3d_add(f->limbs->position[legs[k].hip], sft_v3d_scale(0.5, f->limbs->position[legs[k].toe]));
                forward[i] += sft_v3d_dot(at, f->facing);
                ++own;
            }
        if (own > 0) forward[i] /= (double)own;
    }
    for (int32_t i = 0; i < f->pair_count; ++i)
    {
        rank[i] = 0;
        for (int32_t k = 0; k < f->pair_count; ++k)
            if (forward[k] < forward[i] || (!(forward[k] > forward[i]) && k < i)) ++rank[i];
    }
    for (int32_t k = 0; k < count; ++k)
        legs[k].pair = rank[legs[k].pair];
    for (int32_t i = 1; i < count; ++i)
        for (int32_t k = i; k > 0; --k)
        {
            const sft_leg *a = &legs[k - 1], *b = &legs[k];
            if (a->pair < b->pair || (a->pair == b->pair && a->side <= b->side)) break;
            const sft_leg swap = legs[k - 1];
            legs[k - 1] = legs[k];
            legs[k] = swap;
        }
}

static void explain(const finder* f, const sft_limb_pair* pair, const char* knee_from, sft_leg* leg)
{
    const char* stands = pair->rest > 0.3     ? "the rest pose stands on it"
                         : pair->motion > 0.3 ? "the motion stands on it"
                                              : "its names say so";
    const char* side = f->mirrored                          ? "feet and knees, for the names are mirrored"
                       : f->limbs->limbs[pair->a].side != 0 ? "names"
                                                            : f->facing_from;
    sft_core_format(leg->reason, sizeof leg->reason, "%s%s; side by %s; knee by %s", stands,
                    pair->name >= 1.0 && pair->rest + pair->motion > 0.3 ? ", and it is named as a leg" : "", side,
                    knee_from);
}

// Heights of knee and heel in the pose at hand, of the leg of the first pair.
static void level_of(const finder* f, const sft_limb* limb, const sft_leg* leg, sft_limb_hints* hints)
{
    const sft_v3d* p = f->limbs->position;
    double low = p[limb->joints[0]].y;
    for (int32_t k = 1; k < limb->count; ++k)
        low = sft_mind(low, p[limb->joints[k]].y);
    hints->level = p[leg->hip].y - low;
    hints->knee_height = p[leg->knee].y - low;
    hints->heel_height = p[leg->heel].y - low;
}

static int32_t build_pair(finder* f, int32_t index, sft_limb_hints* level, sft_leg* legs)
{
    const sft_limb_pair* pair = &f->pairs[index];
    const int32_t members[2] = {pair->a, pair->b}, count = pair->b >= 0 ? 2 : 1;
    const bool rest = f->limbs->position == f->limbs->rest_position;
    double turning[2][SFT_LIMB_JOINTS_MAX];
    const sft_limb* limbs[2];
    sft_limb_hints hints[2];
    sft_leg found[2] = {{0}, {0}};
    for (int32_t i = 0; i < count; ++i)
    {
        limbs[i] = &f->limbs->limbs[members[i]];
        hints[i] = *level;
        hints[i].turning = measure_turning(f->clip, limbs[i], turning[i]) ? turning[i] : NULL;
        hints[i].stands = rest && f->stand.rest[members[i]] > 0.5;
    }
    if (!sft_leg_name_joints(f->limbs, limbs, count, hints, found)) return 0;
    for (int32_t i = 0; i < count; ++i)
    {
        sft_leg* leg = &found[i];
        leg->side = limbs[i]->side < 0 ? SFT_LEG_LEFT : limbs[i]->side > 0 ? SFT_LEG_RIGHT : SFT_LEG_MIDDLE;
        leg->pair = index;
        leg->pelvis = pair->common;
        if (leg->pelvis == leg->hip) leg->pelvis = f->skeleton->parents[leg->hip];
        // A chain whose hip is the root hangs from nothing: no leg, for nothing could give way.
        if (leg->pelvis < 0) return 0;
        legs[i] = *leg;
    }
    if (!(level->level > 0.0) && hints[0].stands) level_of(f, limbs[0], &legs[0], level);
    return count;
}

// Both sides of a pair carry the same meaning even where one has a joint more: nothing to do where they agree.
static void agree_sides(sft_leg* legs, int32_t count)
{
    for (int32_t i = 0; i + 1 < count; ++i)
        if (legs[i].pair == legs[i + 1].pair)
        {
            // One side named alone, or both named alike, is worth nothing but the other's opposite.
            if (legs[i].side == SFT_LEG_MIDDLE && legs[i + 1].side != SFT_LEG_MIDDLE)
                legs[i].side = legs[i + 1].side == SFT_LEG_LEFT ? SFT_LEG_RIGHT : SFT_LEG_LEFT;
            else if (legs[i + 1].side == SFT_LEG_MIDDLE && legs[i].side != SFT_LEG_MIDDLE)
                legs[i + 1].side = legs[i].side == SFT_LEG_LEFT ? SFT_LEG_RIGHT : SFT_LEG_LEFT;
        }
}

static int32_t find_all(finder* f, sft_leg* legs)
{
    const sft_v3d up = {0, 1, 0};
    sft_motion_view view = {0, NULL, NULL};
    if (f->clip != NULL) view = (sft_motion_view){f->clip->frame_count, f->clip->translations, f->clip->rotations};
    sft_limbs_watch(f->limbs, f->clip != NULL ? &view : NULL, &up, 1, &f->stand);
    f->pair_count = sft_limbs_choose(f->limbs, &f->stand, up, f->pairs, SFT_MAX_LEGS / 2, &f->lateral);
    int32_t count = 0, kept = 0;
    sft_limb_hints level = {NULL, false, 0.0, 0.0, 0.0};
    for (int32_t i = 0; i < f->pair_count; ++i)
    {
        f->pairs[kept] = f->pairs[i];
        const int32_t made = build_pair(f, kept, &level, legs + count);
        count += made;
        if (made > 0) ++kept;
    }
    f->pair_count = kept;
    if (count == 0) return 0;
    agree_sides(legs, count);
    f->mirrored = unmirror(f, legs, count);
    find_facing(f, legs, count);
    find_sides(f, legs, count);
    // The last resort for a knee looks at the rest pose, so a facing read from the motion is of no use to it.
    const bool rest = f->limbs->position == f->limbs->rest_position;
    const sft_v3d facing = rest ? f->facing : sft_v3d_make(0, 0, 0);
    for (int32_t i = 0; i < count; ++i)
        explain(f, &f->pairs[legs[i].pair], sft_leg_find_knee_side(f->skeleton, f->clip, facing, &legs[i]), &legs[i]);
    for (int32_t i = 0; i < count; ++i)
        sft_leg_find_minima(f->skeleton, f->clip, &legs[i]);
    order_legs(f, legs, count);
    return count;
}

static void finish(finder* f, const sft_allocator* allocator, sft_leg* found)
{
    sft_core_free(allocator, found, SFT_MAX_LEGS, sizeof *found);
    sft_limbs_destroy(f->limbs);
}

// Topology and room for all legs; finish releases both.
static sft_result start(finder* f, const sft_allocator* allocator, sft_leg** found)
{
    const sft_v3d* typical = NULL;
    const sft_clip* motion = f->clip;
    if (motion != NULL)
        typical = motion->translations + (size_t)(motion->frame_count / 2) * (size_t)motion->joint_count;
    const sft_result made = sft_limbs_create(f->skeleton, typical, allocator, &f->limbs);
    if (made != SFT_OK) return made;
    *found = sft_core_alloc(allocator, SFT_MAX_LEGS, sizeof **found);
    if (*found != NULL) return SFT_OK;
    finish(f, allocator, NULL);
    return SFT_ERR_MEMORY;
}

sft_result sft_leg_find_one(const sft_skeleton* skeleton, const sft_clip* clip, const sft_allocator* allocator,
                            sft_leg* legs, int32_t capacity, int32_t* count)
{
    finder f = {.skeleton = skeleton, .clip = clip != NULL && clip->frame_count > 0 ? clip : NULL};
    sft_leg* found = NULL;
    const sft_result made = start(&f, allocator, &found);
    if (made != SFT_OK) return made;
    const int32_t total = find_all(&f, found);
    *count = total < capacity ? total : capacity;
    for (int32_t i = 0; i < *count; ++i)
        legs[i] = found[i];
    finish(&f, allocator, found);
    return SFT_OK;
}

static int32_t root_count(const sft_skeleton* skeleton)
{
    int32_t count = 0;
    for (int32_t j = 0; j < skeleton->joint_count; ++j)
        count += skeleton->parents[j] < 0;
    return count;
}

sft_result sft_leg_find(const sft_skeleton* skeleton, const sft_clip* clip, const sft_allocator* allocator,
                        sft_leg* legs, int32_t capacity, int32_t* count)
{
    if (skeleton == NULL || count == NULL || capacity < 0 || (capacity > 0 && legs == NULL)) return SFT_ERR_ARG;
    if (clip != NULL && clip->joint_count != skeleton->joint_count) return SFT_ERR_ARG;
    if (root_count(skeleton) < 2) return sft_leg_find_one(skeleton, clip, allocator, legs, capacity, count);
    sft_leg* found = sft_core_alloc(allocator, SFT_MAX_LEGS, sizeof *found);
    if (found == NULL) return SFT_ERR_MEMORY;
    const sft_clip* motion = clip != NULL && clip->frame_count > 0 ? clip : NULL;
    int32_t total = 0, bodies = 0;
    sft_result result = sft_leg_find_bodies(skeleton, motion, allocator, found, &total, &bodies);
    if (result == SFT_OK && bodies < 2)
        result = sft_leg_find_one(skeleton, clip, allocator, found, SFT_MAX_LEGS, &total);
    if (result == SFT_OK)
    {
        *count = total < capacity ? total : capacity;
        for (int32_t i = 0; i < *count; ++i)
            legs[i] = found[i];
    }
    sft_core_free(allocator, found, SFT_MAX_LEGS, sizeof *found);
    return result;
}

// ---- why there are none ----

// The limb's first joint that is called something else than a leg, -1 where none is.
static int32_t named_otherwise(const sft_skeleton* s, const sft_limb* limb)
{
    for (int32_t k = 0; k < limb->count; ++k)
        if ((sft_name_parts(s->names[limb->joints[k]]) & (SFT_NAME_LOOSE | SFT_NAME_ARM)) != 0) return limb->joints[k];
    return -1;
}

static void say_why(const finder* f, char* out)
{
    const sft_limbs* limbs = f->limbs;
    int32_t standing = 0, named = -1;
    for (int32_t i = 0; i < limbs->limb_count; ++i)
    {
        if (sft_maxd(f->stand.rest[i], f->stand.motion[i]) < 0.3) continue;
        ++standing;
        if (named < 0) named = named_otherwise(f->skeleton, &limbs->limbs[i]);
    }
    if (limbs->limb_count == 0)
        sft_core_format(out, SFT_LEG_NONE_SIZE, "no limb has the two bones of a leg");
    else if (standing == 0)
        sft_core_format(out, SFT_LEG_NONE_SIZE, "none of its limbs comes down to the ground");
    else if (named >= 0)
        sft_core_format(out, SFT_LEG_NONE_SIZE, "what reaches the ground is called '%s', which is no leg",
                        f->skeleton->names[named]);
    else
        sft_core_format(out, SFT_LEG_NONE_SIZE, "no pair of limbs, one left and one right, reaches the ground");
}

sft_result sft_leg_explain_none(const sft_skeleton* skeleton, const sft_clip* clip, const sft_allocator* allocator,
                                char* out)
{
    if (skeleton == NULL || out == NULL || (clip != NULL && clip->joint_count != skeleton->joint_count))
        return SFT_ERR_ARG;
    finder f = {.skeleton = skeleton, .clip = clip != NULL && clip->frame_count > 0 ? clip : NULL};
    sft_leg* found = NULL;
    const sft_result made = start(&f, allocator, &found);
    if (made != SFT_OK) return made;
    const int32_t count = find_all(&f, found);
    out[0] = '\0';
    if (count == 0) say_why(&f, out);
    finish(&f, allocator, found);
    return SFT_OK;
}

// ---- a leg given by its joints ----

static bool is_below(const sft_skeleton* skeleton, int32_t joint, int32_t ancestor)
{
    int32_t j = joint;
    while (j > ancestor)
        j = skeleton->parents[j];
    return j == ancestor && joint != ancestor;
}

static sft_result check_joint(const sft_skeleton* skeleton, int32_t joint, int32_t above, const char* role,
                              sft_error* error)
{
    if (joint < 0 || joint >= skeleton->joint_count)
        return sft_core_fail(error, SFT_ERR_ARG, 0, 0, "", "The leg's %s is no joint of this skeleton; name one.",
                             role);
    if (above >= 0 && !is_below(skeleton, joint, above))
        return sft_core_fail(
            error, SFT_ERR_ARG, 0, 0, skeleton->names[joint],
            "Joint '%s' is given as the leg's %s but does not hang below '%s'; give joints in the order "
            "hip, knee, heel, toe, toe end.",
            skeleton->names[joint], role, skeleton->names[above]);
    return SFT_OK;
}

sft_result sft_leg_complete(const sft_skeleton* skeleton, const sft_clip* clip, sft_leg* leg, sft_error* error)
{
    if (skeleton == NULL || leg == NULL || (clip != NULL && clip->joint_count != skeleton->joint_count))
        return sft_core_fail(error, SFT_ERR_ARG, 0, 0, "", "A leg wants a skeleton and a clip of that skeleton.");
    sft_result result = check_joint(skeleton, leg->hip, -1, "hip", error);
    if (result == SFT_OK) result = check_joint(skeleton, leg->knee, leg->hip, "knee", error);
    if (result == SFT_OK) result = check_joint(skeleton, leg->heel, leg->knee, "heel", error);
    if (result == SFT_OK && leg->toe != leg->heel) result = check_joint(skeleton, leg->toe, leg->heel, "toe", error);
    if (result == SFT_OK && leg->toe_end >= 0) result = check_joint(skeleton, leg->toe_end, leg->toe, "toe end", error);
    if (result == SFT_OK && leg->pelvis >= 0 && !is_below(skeleton, leg->hip, leg->pelvis))
        result = check_joint(skeleton, leg->hip, leg->pelvis, "hip", error);
    if (result != SFT_OK) return result;
    sft_leg full = *leg;
    if (full.pelvis < 0) full.pelvis = skeleton->parents[full.hip];
    if (full.toe_end < 0) full.toe_end = -1;
    const int32_t joints[4] = {full.hip, full.knee, full.heel, full.toe};
    int side = 0;
    for (int i = 0; i < 4 && side == 0; ++i)
        side = sft_name_side(skeleton->names[joints[i]]);
    if (side != 0) full.side = side < 0 ? SFT_LEG_LEFT : SFT_LEG_RIGHT;
    const char* from = sft_leg_find_knee_side(skeleton, clip, sft_v3d_make(0, 0, 1), &full);
    sft_leg_find_minima(skeleton, clip, &full);
    sft_core_format(full.reason, sizeof full.reason, "given; knee by %s", from);
    *leg = full;
    return SFT_OK;
}
