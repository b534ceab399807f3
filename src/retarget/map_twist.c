// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// Which twist joint takes how much of a bone's roll.
//
// Along the bone (hand below twist below forearm) a joint moves what hangs below it, so the joints' own shares add up:
// the i-th turns the stretch to the next one, whose middle should have rolled as far as it lies along the bone. Scaled
// so that the last stretch has the whole roll, they sum to one and the hand is left with its bend alone. A twist joint
// beside the bone moves skin only: it takes the roll of its place.

#include "retarget/map.h"

#include "core/core.h"

// Twist joints nearer to the start than this are all in one place and say nothing by it.
#define PLACE_EPS 0.05

/// Twist joints beside one bone.
typedef struct room
{
    double farthest;
    int32_t count, seen;
    bool walked; ///< what lies along the bone has its shares
} room;

/// Where the bone of a carrier ends: limbs as they do, a neck joint at the next or the head.
static int32_t roll_end(const map_sides* sides, int32_t carrier)
{
    const sft_rig* rig = sides->rigs.target;
    const sft_joint_meaning* m = &rig->meanings[carrier];
    if (m->part != SFT_PART_NECK) return sft_map_bone_end(rig, &sides->target, carrier);
    const part_chain necks = sft_map_chain(&sides->target, SFT_PART_NECK, m->side, m->pair, m->digit);
    int32_t end = sft_map_joint(&sides->target, SFT_PART_HEAD, SFT_LEG_MIDDLE, 0);
    for (int32_t i = 0; i + 1 < necks.count; ++i)
        if (necks.entries[i].joint == carrier) end = necks.entries[i + 1].joint;
    int32_t up = end;
    while (up > carrier)
        up = rig->skeleton->parents[up];
    return up == carrier ? end : -1;
}

static bool below(const sft_rig* rig, int32_t joint, int32_t above)
{
    int32_t up = rig->skeleton->parents[joint];
    while (up > above)
        up = rig->skeleton->parents[up];
    return up == above;
}

static double place_along(const sft_rig* rig, int32_t joint, int32_t start, int32_t end)
{
    const sft_v3d bone = sft_v3d_sub(rig->pose[end].t, rig->pose[start].t);
    const double square = sft_v3d_dot(bone, bone);
    if (!(square > SFT_LENGTH_EPS * SFT_LENGTH_EPS)) return 0.0;
    return sft_clampd(sft_v3d_dot(sft_v3d_sub(rig->pose[joint].t, rig->pose[start].t), bone) / square, 0.0, 1.0);
}

static bool moved(const sft_joint_pair* pair)
{
    return pair->rule == SFT_PAIR_JOINT || pair->rule == SFT_PAIR_CHAIN;
}

static void set_twist(const map_sides* sides, sft_retarget_map* map, int32_t joint, double share, bool in_line)
{
    const sft_joint_meaning* m = &sides->rigs.target->meanings[joint];
    const sft_joint_pair* carrier = &map->pairs[m->carrier];
    sft_joint_pair* pair = &map->pairs[joint];
    pair->source = carrier->source;
    pair->rule = SFT_PAIR_TWIST;
    pair->share = share;
    pair->confidence = m->confidence < carrier->confidence ? m->confidence : carrier->confidence;
    sft_core_format(pair->reason, sizeof pair->reason, "%d percent of the roll, %s the %s",
                    (int)floor(100.0 * share + 0.5), in_line ? "along" : "beside",
                    sft_part_name(sides->rigs.target->meanings[m->carrier].part));
}

/// Joints along the bone, from its end up: each knows the place of what follows it.
static void share_in_line(const map_sides* sides, sft_retarget_map* map, int32_t carrier, int32_t end)
{
    const sft_rig* rig = sides->rigs.target;
    double next = 1.0, last = 0.0, cumulated = 0.0;
    int32_t after = -1;
    for (int32_t j = rig->skeleton->parents[end]; j > carrier; j = rig->skeleton->parents[j])
    {
        if (rig->meanings[j].part != SFT_PART_TWIST || rig->meanings[j].carrier != carrier) continue;
        const double place = sft_mind(place_along(rig, j, carrier, end), next);
        const double middle = 0.5 * (place + next);
        if (after < 0)
            last = middle;
        else
            set_twist(sides, map, after, (cumulated - middle) / last, true);
        cumulated = middle;
        next = place;
        after = j;
    }
    if (after >= 0) set_twist(sides, map, after, last > 0.0 ? cumulated / last : 1.0, true);
}

static bool twist_counts(const map_sides* sides, const sft_retarget_map* map, int32_t joint)
{
    const sft_rig* rig = sides->rigs.target;
    const sft_joint_meaning* m = &rig->meanings[joint];
    return m->part == SFT_PART_TWIST && m->carrier >= 0 && m->carrier < joint && moved(&map->pairs[m->carrier]) &&
           below(rig, joint, m->carrier);
}

bool sft_map_pair_twists(const map_sides* sides, sft_retarget_map* map)
{
    const sft_rig* rig = sides->rigs.target;
    const size_t n = (size_t)map->target_count;
    room* rooms = sft_core_alloc(&map->allocator, n, sizeof *rooms);
    if (rooms == NULL) return false;
    for (int32_t j = 0; j < map->target_count; ++j)
    {
        if (!twist_counts(sides, map, j)) continue;
        const int32_t carrier = rig->meanings[j].carrier, end = roll_end(sides, carrier);
        if (end < 0) continue;
        room* r = &rooms[carrier];
        if (!r->walked) share_in_line(sides, map, carrier, end);
        r->walked = true;
        if (map->pairs[j].rule == SFT_PAIR_TWIST) continue;
        r->farthest = sft_maxd(r->farthest, place_along(rig, j, carrier, end));
        ++r->count;
    }
    for (int32_t j = 0; j < map->target_count; ++j)
    {
        if (!twist_counts(sides, map, j) || map->pairs[j].rule == SFT_PAIR_TWIST) continue;
        const int32_t carrier = rig->meanings[j].carrier, end = roll_end(sides, carrier);
        if (end < 0) continue;
        room* r = &rooms[carrier];
        const double even = (++r->seen) / (r->count + 1.0);
        set_twist(sides, map, j, r->farthest < PLACE_EPS ? even : place_along(rig, j, carrier, end), false);
    }
    sft_core_free(&map->allocator, rooms, n, sizeof *rooms);
    return true;
}

// ---- plans ----

static sft_quatd between_joints(const sft_rig* rig, int32_t above, int32_t joint)
{
    const sft_quatd up = above >= 0 ? rig->pose[above].r : sft_quatd_identity();
    return sft_quatd_mul(sft_quatd_conjugate(up), rig->pose[joint].r);
}

static void make_roll(const map_sides* sides, int32_t carrier, int32_t end, map_roll* out)
{
    const sft_rig* rig = sides->rigs.target;
    const sft_part part = rig->meanings[carrier].part;
    *out = (map_roll){.carrier = carrier, .end = end, .above = rig->skeleton->parents[carrier]};
    out->at_end = part != SFT_PART_UPPER_ARM && part != SFT_PART_THIGH;
    const sft_v3d way = sft_v3d_sub(rig->pose[end].t, rig->pose[carrier].t);
    const sft_v3d unit = sft_v3d_normalize_or(way, sft_v3d_make(0.0, -1.0, 0.0));
    out->axis = sft_quatd_unrotate(rig->pose[carrier].r, unit);
    // A carrier without a parent rolls against the model space; its figure space differs by a turn about Y alone.
    out->local = between_joints(rig, out->above, carrier);
    if (out->above < 0)
    {
        const double half = -0.5 * rig->facing;
        out->local = sft_quatd_mul((sft_quatd){0.0, sft_sin(half), 0.0, sft_cos(half)}, out->local);
    }
    out->relative = between_joints(rig, carrier, end);
}

static void add_twist(const map_sides* sides, sft_retarget_map* map, int32_t joint, int32_t roll)
{
    const sft_rig* rig = sides->rigs.target;
    map_roll* r = &map->rolls[roll];
    const bool in_line = below(rig, r->end, joint);
    const sft_v3d bone = sft_quatd_rotate(rig->pose[r->carrier].r, r->axis);
    sft_v3d axis = bone;
    if (in_line)
    {
        // About the line to the bone's end, which then stays where it is.
        axis = sft_v3d_normalize_or(sft_v3d_sub(rig->pose[r->end].t, rig->pose[joint].t), bone);
        r->in_line = r->in_line || map->pairs[joint].share > 0.0;
    }
    map->twists[map->twist_count++] =
        (map_twist){joint, roll, map->pairs[joint].share, sft_quatd_unrotate(rig->pose[joint].r, axis)};
}

bool sft_map_plan_twists(const map_sides* sides, sft_retarget_map* map)
{
    const size_t n = (size_t)map->target_count;
    int32_t* rolls = sft_core_alloc(&map->allocator, n, sizeof *rolls);
    if (rolls == NULL) return false;
    for (int32_t j = 0; j < map->target_count; ++j)
    {
        if (map->pairs[j].rule != SFT_PAIR_TWIST || !twist_counts(sides, map, j)) continue;
        const int32_t carrier = sides->rigs.target->meanings[j].carrier, end = roll_end(sides, carrier);
        if (end < 0) continue;
        if (rolls[carrier] == 0)
        {
            make_roll(sides, carrier, end, &map->rolls[map->roll_count]);
            rolls[carrier] = ++map->roll_count;
        }
        add_twist(sides, map, j, rolls[carrier] - 1);
    }
    sft_core_free(&map->allocator, rolls, n, sizeof *rolls);
    // A joint beside an upper arm that keeps its roll turns back what has not come yet at its place.
    for (int32_t i = 0; i < map->twist_count; ++i)
    {
        map_twist* t = &map->twists[i];
        const map_roll* r = &map->rolls[t->roll];
        if (!r->at_end && !r->in_line && !below(sides->rigs.target, r->end, t->joint)) t->share -= 1.0;
    }
    return true;
}

bool sft_map_rolls_in_line(const sft_retarget_map* map, int32_t carrier)
{
    for (int32_t i = 0; i < map->roll_count; ++i)
        if (map->rolls[i].carrier == carrier && map->rolls[i].in_line) return true;
    return false;
}
