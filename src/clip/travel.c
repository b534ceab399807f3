// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// Which joint carries the character through the world.

#include "surefoot/clip.h"

#include "core/core.h"

// A translation that changes by less is noise of a file's last digit [m].
#define MOVES 1e-4
// Below a fork, a joint must move by this to be what carries the character, and not a knee that glides [m].
#define TRAVELS 0.02
// Levels below the root that are looked at.
#define LEVELS 8

static double range_of(const sft_clip* clip, int32_t joint, int32_t first)
{
    sft_v3d low = {0, 0, 0}, high = {0, 0, 0};
    for (int32_t f = first; f < clip->frame_count; ++f)
    {
        const sft_v3d t = clip->translations[(size_t)f * (size_t)clip->joint_count + (size_t)joint];
        if (f == first) low = high = t;
        low = sft_v3d_make(sft_mind(low.x, t.x), sft_mind(low.y, t.y), sft_mind(low.z, t.z));
        high = sft_v3d_make(sft_maxd(high.x, t.x), sft_maxd(high.y, t.y), sft_maxd(high.z, t.z));
    }
    return sft_maxd(high.x - low.x, sft_maxd(high.y - low.y, high.z - low.z));
}

// Length of the run of joints that follow and hang below: the whole subtree in files, which write depth first.
static int32_t size_below(const sft_skeleton* skeleton, int32_t joint)
{
    int32_t j = joint + 1;
    while (j < skeleton->joint_count && skeleton->parents[j] >= joint)
        ++j;
    return j - joint;
}

// Of the children of `parent` (-1: the roots) that move by more than `least`, the one that carries most joints.
static int32_t largest_mover(const sft_skeleton* skeleton, const sft_clip* clip, int32_t parent, int32_t first,
                             double least)
{
    int32_t best = -1, most = 0;
    for (int32_t j = parent + 1; j < skeleton->joint_count; ++j)
    {
        if (skeleton->parents[j] != parent || (skeleton->flags[j] & SFT_JOINT_END_SITE) != 0) continue;
        const int32_t own = size_below(skeleton, j);
        if (own > most && (clip == NULL || range_of(clip, j, first) > least)) most = own, best = j;
    }
    return best;
}

static int32_t child_count(const sft_skeleton* skeleton, int32_t parent)
{
    int32_t count = 0;
    for (int32_t j = parent + 1; j < skeleton->joint_count; ++j)
        if (skeleton->parents[j] == parent && (skeleton->flags[j] & SFT_JOINT_END_SITE) == 0) ++count;
    return count;
}

int32_t sft_clip_travel_joint(const sft_skeleton* skeleton, const sft_clip* clip, int32_t first_frame)
{
    if (skeleton == NULL || skeleton->joint_count <= 0) return -1;
    const int32_t root = largest_mover(skeleton, NULL, -1, 0, 0.0);
    if (root < 0 || clip == NULL || clip->joint_count != skeleton->joint_count) return root < 0 ? 0 : root;
    const int32_t first = first_frame > 0 && first_frame < clip->frame_count ? first_frame : 0;
    const int32_t moving_root = largest_mover(skeleton, clip, -1, first, MOVES);
    if (moving_root >= 0) return moving_root;
    int32_t stem = root;
    for (int32_t level = 0; level < LEVELS; ++level)
    {
        // One way to go is a stem; at a fork only real travel counts, and it ends the search.
        const bool fork = child_count(skeleton, stem) > 1;
        const int32_t mover = largest_mover(skeleton, clip, stem, first, fork ? TRAVELS : MOVES);
        if (mover >= 0) return mover;
        if (fork) break;
        stem = largest_mover(skeleton, NULL, stem, first, 0.0);
        if (stem < 0) break;
    }
    return root;
}
