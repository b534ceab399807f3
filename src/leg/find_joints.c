// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// Names the joints of one limb. Every choice of hip, knee, heel and toe along the limb gets a score from proportions
// (thigh about as long as shank, both straight, foot shorter than either, ball of the foot at about two thirds of it),
// from what turns in the clip, and from names; the best choice wins. A limb has few joints, so all choices are tried.

#include "leg/find.h"

#include "core/core.h"
#include "skeleton/joint_names.h"

// Joints of a limb that are looked at: past this a limb is no leg whose joints could be named.
#define LOOKED_AT 20
// Where the ball of the foot lies from heel to tip: 0.62 to 0.73 in the usual exporters' rigs.
#define BALL 0.67
// How much heights against another pair's count, over the leg's height.
#define LEVEL 2.0

typedef struct chain
{
    int32_t count;
    int32_t joint[LOOKED_AT];
    uint32_t parts[LOOKED_AT]; // SFT_NAME_* of the joint's name
    sft_v3d position[LOOKED_AT];
    double way[LOOKED_AT];    // along the bones from the first joint
    double height[LOOKED_AT]; // over the lowest joint of the limb
    double turning[LOOKED_AT];
    bool end_site[LOOKED_AT];
    bool has_turning;
    const sft_limb_hints* hints;
} chain;

// Below a humerus an upper leg is the forearm and a lower leg the cannon: some horses are named so.
static void shift_names(chain* c)
{
    bool below = false, contradicts = false;
    for (int32_t k = 0; k < c->count; ++k)
    {
        below = below || (c->parts[k] & SFT_NAME_UPPER_ARM) != 0;
        contradicts = contradicts || (below && (c->parts[k] & SFT_NAME_THIGH) != 0);
    }
    for (int32_t k = 0; k < c->count && contradicts; ++k)
    {
        const uint32_t parts = c->parts[k];
        if ((parts & SFT_NAME_THIGH) != 0) c->parts[k] = SFT_NAME_ARM | SFT_NAME_FOREARM;
        if ((parts & SFT_NAME_SHIN) != 0) c->parts[k] = SFT_NAME_HEEL;
        if ((parts & SFT_NAME_FOOT) != 0) c->parts[k] = SFT_NAME_TOE;
    }
}

static void lay_out(const sft_limbs* limbs, const sft_limb* limb, const sft_limb_hints* hints, chain* c)
{
    c->count = limb->count < LOOKED_AT ? limb->count : LOOKED_AT;
    c->has_turning = hints->turning != NULL;
    c->hints = hints;
    double low = limbs->position[limb->joints[0]].y;
    for (int32_t k = 0; k < c->count; ++k)
    {
        const int32_t j = limb->joints[k];
        c->joint[k] = j;
        c->end_site[k] = (limbs->skeleton->flags[j] & SFT_JOINT_END_SITE) != 0;
        c->parts[k] = c->end_site[k] ? 0u : sft_name_parts(limbs->skeleton->names[j]);
        c->position[k] = limbs->position[j];
        c->way[k] = k > 0 ? c->way[k - 1] + limbs->bone[j] : 0.0;
        c->turning[k] = c->has_turning ? hints->turning[k] : 0.0;
        c->height[k] = c->position[k].y;
        low = sft_mind(low, c->height[k]);
    }
    for (int32_t k = 0; k < c->count; ++k)
        c->height[k] -= low;
    shift_names(c);
}

// How straight the way from joint i to joint k is: 1 for a straight line, less where it bends in between.
static double straightness(const chain* c, int32_t i, int32_t k)
{
    const double way = c->way[k] - c->way[i];
    return way > 0.0 ? sft_v3d_distance(c->position[i], c->position[k]) / way : 1.0;
}

// Fore legs that are named as arms.
static double arm_name_bonus(uint32_t h, uint32_t k, uint32_t e, uint32_t t)
{
    double score = 0.0;
    if ((h & SFT_NAME_UPPER_ARM) != 0) score += 1.0;
    if ((h & (SFT_NAME_CLAVICLE | SFT_NAME_FOREARM | SFT_NAME_HAND)) != 0) score -= 1.0;
    if ((k & SFT_NAME_FOREARM) != 0) score += 1.0;
    if ((k & (SFT_NAME_UPPER_ARM | SFT_NAME_HAND)) != 0) score -= 1.0;
    if ((e & SFT_NAME_HAND) != 0) score += 1.0;
    if ((e & (SFT_NAME_UPPER_ARM | SFT_NAME_FOREARM)) != 0) score -= 1.0;
    if ((t & SFT_NAME_FOREARM) != 0) score -= 0.5;
    return score;
}

// A joint above the one that is called thigh or upper arm is a hip bone or shoulder blade.
static double skipped_thigh(const chain* c, int32_t hip, int32_t knee)
{
    const uint32_t thigh = SFT_NAME_THIGH | SFT_NAME_UPPER_ARM;
    if ((c->parts[hip] & thigh) != 0) return 0.0;
    for (int32_t k = hip + 1; k < knee; ++k)
        if ((c->parts[k] & thigh) != 0 && (c->parts[k] & SFT_NAME_TWIST) == 0) return 0.7;
    return 0.0;
}

static double name_bonus(const chain* c, int32_t hip, int32_t knee, int32_t heel, int32_t toe)
{
    double score = 0.0;
    const uint32_t h = c->parts[hip], k = c->parts[knee], e = c->parts[heel], t = c->parts[toe];
    if ((h & SFT_NAME_THIGH) != 0) score += (h & SFT_NAME_TWIST) != 0 ? 0.5 : 1.0;
    if ((h & SFT_NAME_HIP) != 0) score += 0.3;
    if ((h & (SFT_NAME_SHIN | SFT_NAME_FOOT | SFT_NAME_TOE)) != 0) score -= 1.0;
    if ((h & SFT_NAME_TRUNK) != 0 && (h & SFT_NAME_THIGH) == 0) score -= 0.3;
    if ((k & SFT_NAME_SHIN) != 0) score += (k & SFT_NAME_TWIST) != 0 ? 0.5 : 1.0;
    if ((k & SFT_NAME_LEG) != 0) score += 0.2;
    if ((k & (SFT_NAME_THIGH | SFT_NAME_HIP | SFT_NAME_FOOT | SFT_NAME_TOE)) != 0) score -= 1.0;
    // A foot that is the last joint of its limb is an ankle only where nothing else is.
    const bool leaf = heel + 1 == c->count;
    if ((e & (SFT_NAME_FOOT | SFT_NAME_HEEL)) != 0) score += leaf ? 0.3 : 1.0;
    if ((e & (SFT_NAME_THIGH | SFT_NAME_SHIN | SFT_NAME_TOE)) != 0) score -= 1.0;
    if ((t & SFT_NAME_TOE) != 0) score += 0.5;
    if ((t & (SFT_NAME_SHIN | SFT_NAME_HEEL)) != 0) score -= 0.5;
    // "Foot01, Foot02" and "AnkleLeg, Foot" are heel and toe, but a foot below a shin is a heel.
    if ((t & SFT_NAME_FOOT) != 0 && (e & (SFT_NAME_FOOT | SFT_NAME_HEEL)) == 0 && toe + 1 < c->count) score -= 0.5;
    if ((t & SFT_NAME_FOOT) != 0 && (e & (SFT_NAME_FOOT | SFT_NAME_HEEL)) != 0) score += 0.6;
    return score + arm_name_bonus(h, k, e, t) - skipped_thigh(c, hip, knee);
}

// Cosine of the angle between the ways into and out of a joint.
static double cosine_at(const chain* c, int32_t before, int32_t at, int32_t after)
{
    const sft_v3d zero = {0, 0, 0};
    const sft_v3d in = sft_v3d_normalize_or(sft_v3d_sub(c->position[at], c->position[before]), zero);
    const sft_v3d out = sft_v3d_normalize_or(sft_v3d_sub(c->position[after], c->position[at]), zero);
    return sft_v3d_dot(in, out);
}

// A joint inside thigh or shank at which the limb turns sharply is no twist joint, but one that was skipped.
static double skipped_corners(const chain* c, int32_t from, int32_t to)
{
    double worst = 0.0;
    for (int32_t k = from + 1; k < to; ++k)
    {
        const double shorter = sft_mind(c->way[k] - c->way[from], c->way[to] - c->way[k]);
        if (shorter < 0.2 * (c->way[to] - c->way[from])) continue;
        worst = sft_maxd(worst, (0.87 - cosine_at(c, from, k, to)) / 0.23);
    }
    return sft_clampd(worst, 0.0, 1.0);
}

// Animals on their toes stand on limbs that go to and fro, with a long middle foot: corners tell the joints, and
// proportions less.
static bool zigzags(const chain* c, int32_t hip, int32_t knee, int32_t heel)
{
    if (!c->hints->stands || heel + 1 >= c->count) return false;
    const double middle_foot = c->way[heel + 1] - c->way[heel], shank = c->way[heel] - c->way[knee];
    return middle_foot > 0.45 * shank &&
           (cosine_at(c, hip, knee, heel) < 0.87 || cosine_at(c, knee, heel, heel + 1) < 0.94);
}

// The lower, the worse; all terms are of the order of one.
static double proportion_score(const chain* c, int32_t hip, int32_t knee, int32_t heel, int32_t toe)
{
    const double thigh = c->way[knee] - c->way[hip], shank = c->way[heel] - c->way[knee];
    const double foot = c->way[toe] - c->way[heel], below = c->way[c->count - 1] - c->way[heel];
    const double leg = thigh + shank, all = c->way[c->count - 1];
    if (!(thigh > 0.0) || !(shank > 0.0)) return -1e3;
    const double longer = sft_maxd(thigh, shank), shorter = sft_mind(thigh, shank);
    const bool zigzag = zigzags(c, hip, knee, heel);
    double score = -(zigzag ? 1.0 : 1.5) * sft_mind(longer / shorter - 1.0, 3.0);
    score -= skipped_corners(c, hip, knee) + skipped_corners(c, knee, heel);
    score -= 5.0 * (1.0 - straightness(c, hip, knee)) + 5.0 * (1.0 - straightness(c, knee, heel));
    score += 0.6 * leg / all - 2.2 * c->way[hip] / all;
    // A bone that is next to nothing carries the thigh; it is not the thigh's own joint.
    if (c->way[hip + 1] - c->way[hip] < 0.17 * thigh) score -= 0.5;
    // A foot: not longer than the shank, not nothing, and at an angle to the shank.
    if (below > 0.8 * shank) score -= (zigzag ? 0.45 : 1.5) * sft_mind(below / shank - 0.8, 1.0);
    if (below < 0.05 * leg) score -= toe == heel ? 1.2 : 0.3;
    if (below > 0.0 && toe != heel)
    {
        score -= fabs(foot / below - BALL);
        // What is locked is what stands on the ground: of a horse the hoof, not the fetlock.
        if (c->hints->stands) score -= sft_clampd(2.5 * (c->height[toe] / below - 0.1), 0.0, 0.4);
        score += 0.6 * sft_clampd(1.0 - cosine_at(c, knee, heel, c->count - 1), 0.0, 1.0);
    }
    return score;
}

// Against the other pair of legs: elbows are about as high as knees, wrists as heels.
static double level_score(const chain* c, int32_t knee, int32_t heel)
{
    const sft_limb_hints* hints = c->hints;
    if (!hints->stands || !(hints->level > 0.0)) return 0.0;
    const double off = fabs(c->height[knee] - hints->knee_height) + fabs(c->height[heel] - hints->heel_height);
    return -LEVEL * sft_mind(off / hints->level, 1.0);
}

static double motion_score(const chain* c, int32_t hip, int32_t knee, int32_t heel)
{
    if (!c->has_turning) return 0.0;
    double most = 0.0;
    for (int32_t k = 0; k < c->count; ++k)
        most = sft_maxd(most, c->turning[k]);
    if (most < 0.05) return 0.0; // nothing moves: nothing is said
    const double still = 0.02 * most + 1e-6;
    double score = 0.0;
    if (c->turning[hip] <= still) score -= 0.8;
    if (c->turning[knee] <= still) score -= 0.8;
    if (c->turning[heel] <= still && heel + 1 < c->count) score -= 0.2;
    return score;
}

// The end of the foot: the last joint of the limb, but not beyond trailing joints that add no length.
static int32_t foot_end(const chain* c, int32_t toe)
{
    int32_t end = c->count - 1;
    if (end <= toe) return -1;
    while (end - 1 > toe && !(c->way[end] > c->way[end - 1]))
        --end;
    return end;
}

static double score_of(const chain* c, const int32_t* pick)
{
    return motion_score(c, pick[0], pick[1], pick[2]) + proportion_score(c, pick[0], pick[1], pick[2], pick[3]) +
           name_bonus(c, pick[0], pick[1], pick[2], pick[3]) + level_score(c, pick[1], pick[2]);
}

// The best of all choices for `count` chains that share their places.
static bool choose(const chain* const* chains, int32_t count, int32_t* best)
{
    const chain* c = chains[0];
    double most = -1e2;
    int32_t pick[4];
    bool any = false;
    for (pick[0] = 0; pick[0] + 2 < c->count; ++pick[0])
        for (pick[1] = pick[0] + 1; pick[1] + 1 < c->count; ++pick[1])
            for (pick[2] = pick[1] + 1; pick[2] < c->count; ++pick[2])
            {
                if (c->end_site[pick[2]]) continue;
                for (pick[3] = pick[2] + 1 < c->count ? pick[2] + 1 : pick[2]; pick[3] < c->count; ++pick[3])
                {
                    double score = 0.0;
                    for (int32_t k = 0; k < count; ++k)
                        score += score_of(chains[k], pick) / (double)count;
                    if (!(score > most + 1e-9)) continue;
                    most = score;
                    any = true;
                    memcpy(best, pick, sizeof pick);
                }
            }
    return any;
}

static void write_leg(const chain* c, const int32_t* pick, sft_leg* leg)
{
    const int32_t end = foot_end(c, pick[3]);
    leg->hip = c->joint[pick[0]];
    leg->knee = c->joint[pick[1]];
    leg->heel = c->joint[pick[2]];
    leg->toe = c->joint[pick[3]];
    leg->toe_end = end >= 0 ? c->joint[end] : -1;
}

bool sft_leg_name_joints(const sft_limbs* limbs, const sft_limb* const* pair, int32_t count,
                         const sft_limb_hints* hints, sft_leg* legs)
{
    chain chains[2];
    int32_t picks[2][4];
    const chain* const both[2] = {&chains[0], &chains[1]};
    for (int32_t k = 0; k < count; ++k)
        lay_out(limbs, pair[k], &hints[k], &chains[k]);
    const bool together = count == 2 && chains[0].count == chains[1].count &&
                          memcmp(chains[0].end_site, chains[1].end_site, (size_t)chains[0].count * sizeof(bool)) == 0;
    for (int32_t k = 0; k < count; ++k)
        if (!choose(together ? both : &both[k], together ? 2 : 1, picks[k])) return false;
    for (int32_t k = 0; k < count; ++k)
        write_leg(&chains[k], picks[k], &legs[k]);
    return true;
}
