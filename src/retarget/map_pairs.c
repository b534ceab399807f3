// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// Pairs by meaning: limbs joint for joint, chains of unlike number by arc length, twist joints by their place.

#include "retarget/map.h"

#include "core/core.h"

// Shares nearer to an end than this are the end itself.
#define SHARE_EPS 1e-9

// ---- words ----

static const char* girdle(const sft_joint_meaning* m, const sft_rig* rig)
{
    const bool leg = m->part >= SFT_PART_THIGH && m->part <= SFT_PART_TOE;
    if (rig->leg_count <= 2 || !leg) return "";
    if (rig->leg_count <= 4) return m->pair == 0 ? "hind " : "fore ";
    static const char* const places[4] = {"first ", "second ", "third ", "fourth "};
    return m->pair >= 0 && m->pair < 4 ? places[m->pair] : "further ";
}

static const char* side_word(sft_leg_side side)
{
    return side == SFT_LEG_LEFT ? "left " : side == SFT_LEG_RIGHT ? "right " : "";
}

static void say_part(const sft_rig* rig, const sft_joint_meaning* m, char* out, size_t capacity)
{
    sft_core_format(out, capacity, "%s%s%s", side_word(m->side), girdle(m, rig), sft_part_name(m->part));
}

static void add_sentence(sft_retarget_map* map, bool fallback, const char* text)
{
    // Fallbacks come first, and are added first.
    const int32_t at = map->view.fallback_count + map->view.unused_count;
    if (at >= map->sentence_capacity) return;
    sft_core_format(map->sentences[at], SFT_SENTENCE_SIZE, "%s", text);
    map->sentence_list[at] = map->sentences[at];
    if (fallback)
        ++map->view.fallback_count;
    else
        ++map->view.unused_count;
}

// ---- pairs ----

static float lesser(float a, float b)
{
    return a < b ? a : b;
}

static void pair_joint(const map_sides* sides, sft_retarget_map* map, int32_t target, int32_t source, float trust)
{
    const sft_joint_meaning* mt = &sides->rigs.target->meanings[target];
    const sft_joint_meaning* ms = &sides->rigs.source->meanings[source];
    sft_joint_pair* pair = &map->pairs[target];
    *pair = (sft_joint_pair){.target = target, .source = source, .source_next = -1, .rule = SFT_PAIR_JOINT};
    pair->confidence = trust * lesser(mt->confidence, ms->confidence);
    char part[64];
    say_part(sides->rigs.target, mt, part, sizeof part);
    // The side that was less sure says why.
    const sft_joint_meaning* weak = ms->confidence < mt->confidence ? ms : mt;
    if (trust < 1.0f)
        sft_core_format(pair->reason, sizeof pair->reason, "%s: the nearest that the source has", part);
    else if (pair->confidence < 1.0f && weak->reason[0] != '\0')
        sft_core_format(pair->reason, sizeof pair->reason, "%s: %s", part, weak->reason);
    else
        sft_core_format(pair->reason, sizeof pair->reason, "%s", part);
}

static void pair_between(const map_sides* sides, sft_retarget_map* map, int32_t target, const int32_t source[2],
                         double share)
{
    if (share <= SHARE_EPS || share >= 1.0 - SHARE_EPS)
    {
        pair_joint(sides, map, target, source[share >= 0.5], 1.0f);
        return;
    }
    const sft_rig* rig = sides->rigs.source;
    pair_joint(sides, map, target, source[0], 1.0f);
    sft_joint_pair* pair = &map->pairs[target];
    pair->rule = SFT_PAIR_CHAIN;
    pair->source_next = source[1];
    pair->share = share;
    pair->confidence = lesser(pair->confidence, rig->meanings[source[1]].confidence);
    char part[64];
    say_part(sides->rigs.target, &sides->rigs.target->meanings[target], part, sizeof part);
    sft_core_format(pair->reason, sizeof pair->reason, "%s: %d percent of the way between two of the source", part,
                    (int)floor(100.0 * share + 0.5));
}

// ---- chains ----

/// Where a chain's joints are along it: 0 at what carries it (or at its first joint), 1 at its last.
typedef struct arc
{
    const sft_rig* rig;
    part_chain chain;
    int32_t origin; ///< joint it hangs from; -1: the first joint is at 0
    double length;
} arc;

static arc arc_make(const sft_rig* rig, part_chain chain, int32_t origin)
{
    arc a = {rig, chain, origin, 0.0};
    int32_t above = origin >= 0 ? origin : chain.entries[0].joint;
    for (int32_t i = 0; i < chain.count; ++i)
    {
        a.length += sft_v3d_distance(rig->pose[above].t, rig->pose[chain.entries[i].joint].t);
        above = chain.entries[i].joint;
    }
    return a;
}

/// Way of the step that ends at joint i, as a fraction; steps of a chain of no length are even.
static double arc_step(const arc* a, int32_t i)
{
    const int32_t above = i > 0 ? a->chain.entries[i - 1].joint : a->origin;
    if (above < 0) return 0.0;
    const double even = 1.0 / (a->origin >= 0 ? a->chain.count : a->chain.count - 1);
    if (!(a->length > SFT_LENGTH_EPS)) return even;
    return sft_v3d_distance(a->rig->pose[above].t, a->rig->pose[a->chain.entries[i].joint].t) / a->length;
}

// Both walked once, side by side: places only grow. The last joint takes the last, so that ends agree exactly.
static void pair_arcs(const map_sides* sides, sft_retarget_map* map, const arc* target, const arc* source)
{
    int32_t next = 0;
    double place = 0.0, lo = 0.0, hi = arc_step(source, 0);
    for (int32_t i = 0; i < target->chain.count; ++i)
    {
        const int32_t joint = target->chain.entries[i].joint;
        place += arc_step(target, i);
        if (i == target->chain.count - 1)
        {
            pair_joint(sides, map, joint, source->chain.entries[source->chain.count - 1].joint, 1.0f);
            continue;
        }
        // Of joints at one place the last: what lies between them has no length.
        while (next < source->chain.count && hi <= place + SHARE_EPS)
        {
            lo = hi;
            ++next;
            if (next < source->chain.count) hi += arc_step(source, next);
        }
        const int32_t before = next > 0 ? source->chain.entries[next - 1].joint : source->origin;
        if (next >= source->chain.count || before < 0)
        {
            pair_joint(sides, map, joint, source->chain.entries[next > 0 ? next - 1 : 0].joint, 1.0f);
            continue;
        }
        const int32_t ends[2] = {before, source->chain.entries[next].joint};
        pair_between(sides, map, joint, ends, (place - lo) / (hi - lo));
    }
}

static void pair_chain(const map_sides* sides, sft_retarget_map* map, part_chain target, part_chain source,
                       const int32_t origins[2])
{
    if (target.count == 0 || source.count == 0) return;
    if (target.count == source.count)
    {
        for (int32_t i = 0; i < target.count; ++i)
            pair_joint(sides, map, target.entries[i].joint, source.entries[i].joint, 1.0f);
        return;
    }
    const arc t = arc_make(sides->rigs.target, target, origins[1]);
    const arc s = arc_make(sides->rigs.source, source, origins[0]);
    pair_arcs(sides, map, &t, &s);
}

// ---- parts ----

static bool carries(const sft_rig* rig, int32_t upper, int32_t lower)
{
    while (lower > upper)
        lower = rig->skeleton->parents[lower];
    return lower == upper;
}

// How many of the spine's lowest joints carry both thighs: none, save where the legs hang from the spine, as those of a
// Biped do.
static int32_t pelvic_joints(const sft_rig* rig, const part_index* index, part_chain spine)
{
    const int32_t left = sft_map_joint(index, SFT_PART_THIGH, SFT_LEG_LEFT, 0);
    const int32_t right = sft_map_joint(index, SFT_PART_THIGH, SFT_LEG_RIGHT, 0);
    int32_t count = 0;
    while (left >= 0 && right >= 0 && count < spine.count && carries(rig, spine.entries[count].joint, left) &&
           carries(rig, spine.entries[count].joint, right))
        ++count;
    return count;
}

// What carries the sockets is part of the pelvis, whatever it is called: if it bent with the spine it would take the
// legs along. The spine begins above it. One that carries everything is left a spine.
static void pair_spine(const map_sides* sides, sft_retarget_map* map, part_chain target, part_chain source)
{
    const sft_rig *rs = sides->rigs.source, *rt = sides->rigs.target;
    const int32_t pelvic = pelvic_joints(rt, &sides->target, target);
    int32_t origins[2] = {rs->hips, rt->hips};
    if (pelvic == 0 || pelvic == target.count)
    {
        pair_chain(sides, map, target, source, origins);
        return;
    }
    for (int32_t i = 0; i < pelvic; ++i)
    {
        pair_joint(sides, map, target.entries[i].joint, rs->hips, 1.0f);
        sft_joint_pair* pair = &map->pairs[target.entries[i].joint];
        sft_core_format(pair->reason, sizeof pair->reason, "spine: the legs hang from it, so it turns as the hips do");
    }
    origins[1] = target.entries[pelvic - 1].joint;
    pair_chain(sides, map, (part_chain){target.entries + pelvic, target.count - pelvic}, source, origins);
}

/// The last joint of the spine, or the hips.
static int32_t top_of_trunk(const sft_rig* rig, const part_index* index)
{
    const part_chain spine = sft_map_chain(index, SFT_PART_SPINE, SFT_LEG_MIDDLE, 0, -1);
    return spine.count > 0 ? spine.entries[spine.count - 1].joint : rig->hips;
}

static int32_t below_neck(const arc* a, int32_t i, int32_t head)
{
    return i + 1 < a->chain.count ? a->chain.entries[i + 1].joint : head;
}

static void pair_neck(const map_sides* sides, sft_retarget_map* map, part_chain target)
{
    const part_chain source = sft_map_chain(&sides->source, SFT_PART_NECK, SFT_LEG_MIDDLE, 0, -1);
    const int32_t head_s = sft_map_joint(&sides->source, SFT_PART_HEAD, SFT_LEG_MIDDLE, 0);
    const int32_t head_t = sft_map_joint(&sides->target, SFT_PART_HEAD, SFT_LEG_MIDDLE, 0);
    if (source.count == target.count || head_s < 0 || head_t < 0)
    {
        pair_chain(sides, map, target, source, (const int32_t[2]){-1, -1});
        return;
    }
    if (source.count == 0)
    {
        // The head turns against the trunk: each neck joint takes its share.
        const int32_t ends[2] = {top_of_trunk(sides->rigs.source, &sides->source), head_s};
        for (int32_t i = 0; i < target.count; ++i)
            pair_between(sides, map, target.entries[i].joint, ends, (i + 1.0) / (target.count + 1.0));
        return;
    }
    // Between the lowest neck joints and the heads; the heads themselves are paired as such.
    const arc t = arc_make(sides->rigs.target, target, -1), s = arc_make(sides->rigs.source, source, -1);
    const int32_t last_t = target.entries[target.count - 1].joint, last_s = source.entries[source.count - 1].joint;
    const double whole_t = t.length + sft_v3d_distance(t.rig->pose[last_t].t, t.rig->pose[head_t].t);
    const double whole_s = s.length + sft_v3d_distance(s.rig->pose[last_s].t, s.rig->pose[head_s].t);
    double place = 0.0, lo = 0.0, hi = 0.0;
    int32_t at = -1;
    for (int32_t i = 0; i < target.count; ++i)
    {
        const int32_t joint = target.entries[i].joint;
        if (i > 0) place += sft_v3d_distance(t.rig->pose[target.entries[i - 1].joint].t, t.rig->pose[joint].t);
        const double want = whole_t > SFT_LENGTH_EPS ? place / whole_t * whole_s : 0.0;
        // Places only grow, so both are walked once.
        while (at < 0 || (want >= hi - SHARE_EPS && at + 1 < source.count))
        {
            ++at;
            lo = hi;
            hi += sft_v3d_distance(s.rig->pose[source.entries[at].joint].t, s.rig->pose[below_neck(&s, at, head_s)].t);
        }
        const int32_t ends[2] = {source.entries[at].joint, below_neck(&s, at, head_s)};
        pair_between(sides, map, joint, ends, hi > lo ? sft_clampd((want - lo) / (hi - lo), 0.0, 1.0) : 0.0);
    }
}

/// The fingers that a hand of another make has for one of the target's: the nearest of the four, the thumb only a
/// thumb; a mitten, which is fingers without numbers, moves all four and is moved by the middle one.
static part_chain neighbour_finger(const map_sides* sides, const sft_joint_meaning* m)
{
    const part_chain mitten = sft_map_chain(&sides->source, SFT_PART_FINGER, m->side, m->pair, -1);
    if (m->digit == 0 || (m->digit > 0 && mitten.count > 0)) return m->digit == 0 ? (part_chain){NULL, 0} : mitten;
    const int32_t own = m->digit > 0 ? m->digit : 2;
    for (int32_t away = 0; away < 4; ++away)
        for (int32_t sign = 1; sign >= -1; sign -= 2)
        {
            const int32_t digit = own + sign * away;
            if (digit < 1 || digit > 4) continue;
            const part_chain chain = sft_map_chain(&sides->source, SFT_PART_FINGER, m->side, m->pair, digit);
            if (chain.count > 0) return chain;
        }
    return (part_chain){NULL, 0};
}

static void pair_fingers(const map_sides* sides, sft_retarget_map* map, part_chain target)
{
    const sft_joint_meaning* m = &sides->rigs.target->meanings[target.entries[0].joint];
    const int32_t origins[2] = {sft_map_joint(&sides->source, SFT_PART_HAND, m->side, 0),
                                sft_map_joint(&sides->target, SFT_PART_HAND, m->side, 0)};
    const part_chain source = sft_map_chain(&sides->source, SFT_PART_FINGER, m->side, m->pair, m->digit);
    if (source.count > 0)
    {
        pair_chain(sides, map, target, source, origins);
        return;
    }
    const part_chain other = neighbour_finger(sides, m);
    if (other.count == 0) return;
    pair_chain(sides, map, target, other, origins);
    for (int32_t i = 0; i < target.count; ++i)
    {
        sft_joint_pair* pair = &map->pairs[target.entries[i].joint];
        pair->confidence *= 0.5f;
        sft_core_format(pair->reason, sizeof pair->reason, "the source has no such finger: the nearest that it has");
    }
}

static void pair_head(const map_sides* sides, sft_retarget_map* map, part_chain target)
{
    const part_chain necks = sft_map_chain(&sides->source, SFT_PART_NECK, SFT_LEG_MIDDLE, 0, -1);
    int32_t source = sft_map_joint(&sides->source, SFT_PART_HEAD, SFT_LEG_MIDDLE, 0);
    const float trust = source >= 0 ? 1.0f : 0.5f;
    if (source < 0 && necks.count > 0) source = necks.entries[necks.count - 1].joint;
    if (source >= 0) pair_joint(sides, map, target.entries[0].joint, source, trust);
}

static void pair_part(const map_sides* sides, sft_retarget_map* map, part_chain target)
{
    const sft_joint_meaning* m = &sides->rigs.target->meanings[target.entries[0].joint];
    const sft_rig *rs = sides->rigs.source, *rt = sides->rigs.target;
    const part_chain source = sft_map_chain(&sides->source, m->part, m->side, m->pair, m->digit);
    int32_t origins[2] = {rs->hips, rt->hips};
    switch (m->part)
    {
    case SFT_PART_SPINE:
        pair_spine(sides, map, target, source);
        return;
    case SFT_PART_TAIL:
        pair_chain(sides, map, target, source, origins);
        return;
    case SFT_PART_CLAVICLE:
        origins[0] = top_of_trunk(rs, &sides->source);
        origins[1] = top_of_trunk(rt, &sides->target);
        pair_chain(sides, map, target, source, origins);
        return;
    case SFT_PART_TOE:
        origins[0] = sft_map_joint(&sides->source, SFT_PART_FOOT, m->side, m->pair);
        origins[1] = sft_map_joint(&sides->target, SFT_PART_FOOT, m->side, m->pair);
        pair_chain(sides, map, target, source, origins);
        return;
    case SFT_PART_NECK:
        pair_neck(sides, map, target);
        return;
    case SFT_PART_HEAD:
        pair_head(sides, map, target);
        return;
    case SFT_PART_FINGER:
        pair_fingers(sides, map, target);
        return;
    case SFT_PART_UPPER_ARM:
    case SFT_PART_FOREARM:
    case SFT_PART_HAND:
    case SFT_PART_THIGH:
    case SFT_PART_SHIN:
    case SFT_PART_FOOT:
        for (int32_t i = 0; i < target.count && i < source.count; ++i)
            pair_joint(sides, map, target.entries[i].joint, source.entries[i].joint, 1.0f);
        return;
    default: // hips and root are the rig's own; twists come after their carriers
        return;
    }
}

static void pair_trunk(const map_sides* sides, sft_retarget_map* map)
{
    const sft_rig *rs = sides->rigs.source, *rt = sides->rigs.target;
    pair_joint(sides, map, rt->hips, rs->hips, 1.0f);
    if (rt->root < 0 || rt->root == rt->hips) return;
    sft_joint_pair* pair = &map->pairs[rt->root];
    const bool both = rs->root >= 0 && rs->root != rs->hips;
    *pair = (sft_joint_pair){.target = rt->root, .source = both ? rs->root : rs->hips, .source_next = -1};
    pair->rule = SFT_PAIR_ROOT;
    pair->confidence = lesser(rt->meanings[rt->root].confidence, rs->meanings[pair->source].confidence);
    sft_core_format(pair->reason, sizeof pair->reason,
                    both ? "root: carries the travel on both sides" : "root: carries the travel of the source's hips");
}

// ---- sentences ----

static void say_missing(const map_sides* sides, sft_retarget_map* map, const sft_part parts[3], const char* whole,
                        part_chain first)
{
    const sft_rig* rt = sides->rigs.target;
    const sft_joint_meaning* m = &rt->meanings[first.entries[0].joint];
    for (int32_t k = 0; k < 3; ++k)
    {
        const int32_t joint = sft_map_joint(&sides->target, parts[k], m->side, m->pair);
        if (joint < 0 || map->pairs[joint].rule != SFT_PAIR_REST) continue;
        int32_t last = joint;
        for (int32_t l = k + 1; l < 3; ++l)
        {
            const int32_t below = sft_map_joint(&sides->target, parts[l], m->side, m->pair);
            if (below >= 0 && map->pairs[below].rule == SFT_PAIR_REST) last = below;
        }
        char text[SFT_SENTENCE_SIZE];
        const char* what = k == 0 ? whole : sft_part_name(parts[k]);
        const char* names[2] = {rt->skeleton->names[joint], rt->skeleton->names[last]};
        if (last == joint)
            sft_core_format(text, sizeof text, "the source has no %s%s%s: %s keeps the rest pose", side_word(m->side),
                            girdle(&rt->meanings[joint], rt), what, names[0]);
        else
            sft_core_format(text, sizeof text, "the source has no %s%s%s: %s to %s keep the rest pose",
                            side_word(m->side), girdle(&rt->meanings[joint], rt), what, names[0], names[1]);
        add_sentence(map, true, text);
        return;
    }
}

static void say_fallbacks(const map_sides* sides, sft_retarget_map* map)
{
    static const sft_part arm[3] = {SFT_PART_UPPER_ARM, SFT_PART_FOREARM, SFT_PART_HAND};
    static const sft_part leg[3] = {SFT_PART_THIGH, SFT_PART_SHIN, SFT_PART_FOOT};
    const sft_rig* rt = sides->rigs.target;
    for (int32_t i = 0; i < sides->target.count; ++i)
    {
        const part_chain one = {sides->target.entries + i, 1};
        const sft_joint_meaning* m = &rt->meanings[one.entries[0].joint];
        if (i > 0 && (sides->target.entries[i - 1].key >> 24) == (one.entries[0].key >> 24)) continue;
        if (m->part == SFT_PART_UPPER_ARM) say_missing(sides, map, arm, "arm", one);
        if (m->part == SFT_PART_THIGH) say_missing(sides, map, leg, "leg", one);
        if (m->part == SFT_PART_HEAD && map->pairs[one.entries[0].joint].rule == SFT_PAIR_REST)
        {
            char text[SFT_SENTENCE_SIZE];
            sft_core_format(text, sizeof text, "the source has no head: %s keeps the rest pose",
                            rt->skeleton->names[one.entries[0].joint]);
            add_sentence(map, true, text);
        }
    }
}

// The keys of one part and side follow one another; digits of a hand are said together.
static void say_unused(const map_sides* sides, sft_retarget_map* map)
{
    const sft_rig* rs = sides->rigs.source;
    for (int32_t i = 0; i < sides->source.count;)
    {
        const part_entry first = sides->source.entries[i];
        const sft_joint_meaning* m = &rs->meanings[first.joint];
        int32_t end = i, joints = 0;
        bool used = false;
        for (; end < sides->source.count && sides->source.entries[end].key >> 32 == first.key >> 32; ++end)
        {
            const sft_joint_meaning* own = &rs->meanings[sides->source.entries[end].joint];
            const part_chain there = sft_map_chain(&sides->target, own->part, own->side, own->pair, own->digit);
            used = used || there.count > 0;
            ++joints;
        }
        const bool counts = m->part != SFT_PART_ROOT && m->part != SFT_PART_HIPS && m->part != SFT_PART_TWIST;
        if (counts && !used)
        {
            char text[SFT_SENTENCE_SIZE], part[64];
            say_part(rs, m, part, sizeof part);
            const char* name = rs->skeleton->names[first.joint];
            if (joints == 1)
                sft_core_format(text, sizeof text, "the target has no %s: %s is not used", part, name);
            else
                sft_core_format(text, sizeof text, "the target has no %s: %s and %d more are not used", part, name,
                                (int)joints - 1);
            add_sentence(map, false, text);
        }
        i = end;
    }
}

// ---- all ----

static void reset_pairs(const map_sides* sides, sft_retarget_map* map)
{
    const sft_rig* rt = sides->rigs.target;
    for (int32_t j = 0; j < rt->skeleton->joint_count; ++j)
    {
        sft_joint_pair* pair = &map->pairs[j];
        *pair = (sft_joint_pair){.target = j, .source = -1, .source_next = -1, .rule = SFT_PAIR_REST};
        const sft_joint_meaning* m = &rt->meanings[j];
        char part[64];
        say_part(rt, m, part, sizeof part);
        if (m->part == SFT_PART_NONE)
            sft_core_format(pair->reason, sizeof pair->reason, "no part of the body");
        else
            sft_core_format(pair->reason, sizeof pair->reason, "%s: the source has none", part);
    }
}

static bool pair_meanings(const map_sides* sides, sft_retarget_map* map)
{
    pair_trunk(sides, map);
    for (int32_t i = 0; i < sides->target.count;)
    {
        int32_t end = i + 1;
        while (end < sides->target.count && sides->target.entries[end].key >> 24 == sides->target.entries[i].key >> 24)
            ++end;
        pair_part(sides, map, (part_chain){sides->target.entries + i, end - i});
        i = end;
    }
    return sft_map_pair_twists(sides, map);
}

bool sft_map_pair(const map_sides* sides, sft_retarget_map* map, const sft_joint_pair* given, int32_t given_count)
{
    reset_pairs(sides, map);
    if (given == NULL && !pair_meanings(sides, map)) return false;
    for (int32_t i = 0; i < given_count; ++i)
    {
        map->pairs[given[i].target] = given[i];
        sft_joint_pair* pair = &map->pairs[given[i].target];
        pair->reason[sizeof pair->reason - 1] = '\0';
        // What a rule does not read is not kept, so that a map reads back as it was written.
        if (pair->rule == SFT_PAIR_REST) pair->source = -1;
        if (pair->rule != SFT_PAIR_CHAIN) pair->source_next = -1;
        if (pair->rule != SFT_PAIR_CHAIN && pair->rule != SFT_PAIR_TWIST) pair->share = 0.0;
    }
    say_fallbacks(sides, map);
    say_unused(sides, map);
    return true;
}

// ---- are they alike ----

sft_result sft_map_alike(const sft_rig_pair* rigs, sft_error* error)
{
    const sft_rig *rs = rigs->source, *rt = rigs->target;
    if (rs->hips < 0 || rt->hips < 0)
        return sft_core_fail(error, SFT_ERR_UNSUPPORTED, 0, 0, NULL,
                             "no hips are known in the %s: nothing carries its legs and its spine, so no motion can be "
                             "moved; give its joints meanings, or another file",
                             rs->hips < 0 ? "source" : "target");
    const bool both = rs->leg_count > 0 && rt->leg_count > 0;
    const bool many = rs->leg_count > 2 || rt->leg_count > 2;
    if (rs->leg_count != rt->leg_count && (both || many))
        return sft_core_fail(error, SFT_ERR_UNSUPPORTED, 0, 0, NULL,
                             "the source has %d legs and the target %d: these bodies are not alike; motion goes to "
                             "figures with as many legs",
                             (int)rs->leg_count, (int)rt->leg_count);
    return SFT_OK;
}
