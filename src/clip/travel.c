// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// Which joint carries the character through the world.

#include "surefoot/clip.h"

#include "core/core.h"

// A translation that changes by less is noise of a file's last digit [m].
#define MOVES 1e-4

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

// Joints below and including it. Children lie behind their parents, and one subtree may be scattered.
static int32_t size_below(const sft_skeleton* skeleton, int32_t joint)
{
    int32_t count = 0;
    for (int32_t j = joint; j < skeleton->joint_count; ++j)
    {
        int32_t p = j;
        while (p > joint)
            p = skeleton->parents[p];
        if (p == joint) ++count;
    }
    return count;
}

// The root that carries most joints: props and cameras may be roots too.
static int32_t main_root(const sft_skeleton* skeleton)
{
    int32_t best = -1, most = 0, roots = 0;
    for (int32_t j = 0; j < skeleton->joint_count; ++j)
        if (skeleton->parents[j] < 0) best = roots++ == 0 ? j : best;
    if (roots <= 1 || roots > 64) return best;
    for (int32_t j = 0; j < skeleton->joint_count; ++j)
    {
        if (skeleton->parents[j] >= 0) continue;
        const int32_t own = size_below(skeleton, j);
        if (own > most) most = own, best = j;
    }
    return best;
}

int32_t sft_clip_travel_joint(const sft_skeleton* skeleton, const sft_clip* clip, int32_t first_frame)
{
    if (skeleton == NULL || skeleton->joint_count <= 0) return -1;
    const int32_t root = main_root(skeleton);
    if (clip == NULL || clip->joint_count != skeleton->joint_count) return root;
    const int32_t first = first_frame > 0 && first_frame < clip->frame_count ? first_frame : 0;
    // Down the stem only: from the root as long as there is one way to go.
    for (int32_t j = root; j >= 0;)
    {
        if (range_of(clip, j, first) > MOVES) return j;
        int32_t child = -1, children = 0;
        for (int32_t k = j + 1; k < skeleton->joint_count; ++k)
            if (skeleton->parents[k] == j && (skeleton->flags[k] & SFT_JOINT_END_SITE) == 0)
            {
                child = child < 0 ? k : child;
                ++children;
            }
        if (children != 1) break;
        j = child;
    }
    return root;
}
