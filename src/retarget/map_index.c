// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// Joints by what they mean, so that a part is found in logarithmic time whatever a file holds.

#include "retarget/map.h"

#include "core/core.h"

// What is out of range cannot be told apart from its limit; nothing is read through these numbers.
static uint64_t bounded(int32_t value, int32_t most)
{
    return (uint64_t)(value < 0 ? 0 : value > most ? most : value);
}

static uint64_t chain_key(sft_part part, sft_leg_side side, int32_t pair, int32_t digit)
{
    return bounded((int32_t)part, 255) << 56 | bounded((int32_t)side, 15) << 52 | bounded(pair, 0xffff) << 32 |
           bounded(digit < -1 ? 0 : digit + 1, 255) << 24;
}

static bool before(part_entry a, part_entry b)
{
    return a.key < b.key || (a.key == b.key && a.joint < b.joint);
}

static void sift(part_entry* entries, int32_t root, int32_t count)
{
    for (;;)
    {
        int32_t child = 2 * root + 1;
        if (child >= count) return;
        if (child + 1 < count && before(entries[child], entries[child + 1])) ++child;
        if (!before(entries[root], entries[child])) return;
        const part_entry swap = entries[root];
        entries[root] = entries[child];
        entries[child] = swap;
        root = child;
    }
}

void sft_map_sort(part_entry* entries, int32_t count)
{
    for (int32_t i = count / 2; i-- > 0;)
        sift(entries, i, count);
    for (int32_t end = count; end-- > 1;)
    {
        const part_entry swap = entries[0];
        entries[0] = entries[end];
        entries[end] = swap;
        sift(entries, 0, end);
    }
}

void sft_map_index(const sft_rig* rig, part_entry* entries, part_index* out)
{
    int32_t count = 0;
    for (int32_t j = 0; j < rig->skeleton->joint_count; ++j)
    {
        const sft_joint_meaning* m = &rig->meanings[j];
        if (m->part == SFT_PART_NONE) continue;
        const uint64_t key = chain_key(m->part, m->side, m->pair, m->digit) | bounded(m->index, 0xffffff);
        entries[count++] = (part_entry){key, j};
    }
    sft_map_sort(entries, count);
    *out = (part_index){entries, count};
}

static int32_t first_not_below(const part_index* index, uint64_t key)
{
    int32_t lo = 0, hi = index->count;
    while (lo < hi)
    {
        const int32_t middle = lo + (hi - lo) / 2;
        if (index->entries[middle].key < key)
            lo = middle + 1;
        else
            hi = middle;
    }
    return lo;
}

part_chain sft_map_chain(const part_index* index, sft_part part, sft_leg_side side, int32_t pair, int32_t digit)
{
    const uint64_t key = chain_key(part, side, pair, digit);
    const int32_t first = first_not_below(index, key), last = first_not_below(index, key + 0x1000000);
    return (part_chain){index->entries + first, last - first};
}

int32_t sft_map_joint(const part_index* index, sft_part part, sft_leg_side side, int32_t pair)
{
    const part_chain chain = sft_map_chain(index, part, side, pair, -1);
    return chain.count > 0 ? chain.entries[0].joint : -1;
}

// Of a joint that is in the chain.
static int32_t place_in(part_chain chain, int32_t joint, uint64_t number)
{
    int32_t lo = 0, hi = chain.count;
    while (lo < hi)
    {
        const int32_t middle = lo + (hi - lo) / 2;
        const part_entry at = chain.entries[middle];
        const uint64_t own = at.key & 0xffffff;
        if (own < number || (own == number && at.joint < joint))
            lo = middle + 1;
        else
            hi = middle;
    }
    return lo;
}

int32_t sft_map_partner(const sft_rig* rig, const part_index* index, int32_t joint)
{
    const sft_joint_meaning* m = &rig->meanings[joint];
    if (m->part == SFT_PART_NONE || (m->side != SFT_LEG_LEFT && m->side != SFT_LEG_RIGHT)) return joint;
    const sft_leg_side other = m->side == SFT_LEG_LEFT ? SFT_LEG_RIGHT : SFT_LEG_LEFT;
    const part_chain own = sft_map_chain(index, m->part, m->side, m->pair, m->digit);
    const part_chain chain = sft_map_chain(index, m->part, other, m->pair, m->digit);
    // By place: an index may leave numbers out.
    const int32_t place = place_in(own, joint, bounded(m->index, 0xffffff));
    return place < chain.count ? chain.entries[place].joint : -1;
}

int32_t sft_map_bone_end(const sft_rig* rig, const part_index* index, int32_t joint)
{
    const sft_joint_meaning* m = &rig->meanings[joint];
    const sft_part next = m->part == SFT_PART_UPPER_ARM ? SFT_PART_FOREARM
                          : m->part == SFT_PART_FOREARM ? SFT_PART_HAND
                          : m->part == SFT_PART_THIGH   ? SFT_PART_SHIN
                          : m->part == SFT_PART_SHIN    ? SFT_PART_FOOT
                                                        : SFT_PART_NONE;
    if (next == SFT_PART_NONE || sft_map_joint(index, m->part, m->side, m->pair) != joint) return -1;
    const int32_t end = sft_map_joint(index, next, m->side, m->pair);
    int32_t up = end;
    while (up > joint)
        up = rig->skeleton->parents[up];
    return up == joint ? end : -1;
}
