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

typedef struct chain
{
    int32_t count;
    int32_t joint[LOOKED_AT];
    uint32_t parts[LOOKED_AT]; // SFT_NAME_* of the joint's name
    sft_v3d position[LOOKED_AT];
    double way[LOOKED_AT]; // along the bones from the first joint
    double turning[LOOKED_AT];
    bool end_site[LOOKED_AT];
    bool has_turning;
} chain;

static void lay_out(const sft_limbs* limbs, const sft_limb* limb, const double* turning, chain* c)
{
    c->count = limb->count < LOOKED_AT ? limb->count : LOOKED_AT;
    c->has_turning = turning != NULL;
    for (int32_t k = 0; k < c->count; ++k)
    {
        const int32_t j = limb->joints[k];
        c->joint[k] = j;
        c->end_site[k] = (limbs->skeleton->flags[j] & SFT_JOINT_END_SITE) != 0;
        c->parts[k] = c->end_site[k] ? 0u : sft_name_parts(limbs->skeleton->names[j]);
        c->position[k] = limbs->position[j];
        c->way[k] = k > 0 ? c->way[k - 1] + limbs->bone[j] : 0.0;
        c->turning[k] = turning != NULL ? turning[k] : 0.0;
    }
}

// How straight the way from joint i to joint k is: 1 for a straight line, less where it bends in between.
static double straightness(const chain* c, int32_t i, int32_t k)
{
    const double way = c->way[k] - c->way[i];
    return way > 0.0 ? sft_v3d_distance(c->position[i], c->position[k]) / way : 1.0;
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
    if ((e & (SFT_NAME_FOOT | SFT_NAME_HEEL)) != 0) score += 1.0;
    if ((e & (SFT_NAME_THIGH | SFT_NAME_SHIN | SFT_NAME_TOE)) != 0) score -= 1.0;
    if ((t & SFT_NAME_TOE) != 0) score += 0.5;
    if ((t & (SFT_NAME_SHIN | SFT_NAME_HEEL)) != 0) score -= 0.5;
    // "Foot01, Foot02" and "AnkleLeg, Foot" are heel and toe, but a foot below a shin is a heel.
    if ((t & SFT_NAME_FOOT) != 0 && (e & SFT_NAME_FOOT) == 0) score -= 0.5;
    if ((t & SFT_NAME_FOOT) != 0 && (e & SFT_NAME_FOOT) != 0) score += 0.6;
    return score;
}

// Cosine of the angle between the ways into and out of a joint.
static double cosine_at(const chain* c, int32_t before, int32_t at, int32_t after)
{
    const sft_v3d zero = {0, 0, 0};
    const sft_v3d in = sft_v3d_normalize_or(sft_v3d_sub(c->position[at], c->position[before]), zero);
    const sft_v3d out = sft_v3d_normalize_or(sft_v3d_sub(c->position[after], c->position[at]), zero);
    return sft_v3d_dot(in, out);
}

// The lower, the worse; all terms are of the order of one.
static double proportion_score(const chain* c, int32_t hip, int32_t knee, int32_t heel, int32_t toe)
{
    const double thigh = c->way[knee] - c->way[hip], shank = c->way[heel] - c->way[knee];
    const double foot = c->way[toe] - c->way[heel], below = c->way[c->count - 1] - c->way[heel];
    const double leg = thigh + shank, all = c->way[c->count - 1];
    if (!(thigh > 0.0) || !(shank > 0.0)) return -1e3;
    const double longer = sft_maxd(thigh, shank), shorter = sft_mind(thigh, shank);
    double score = -1.5 * sft_mind(longer / shorter - 1.0, 3.0);
    score -= 5.0 * (1.0 - straightness(c, hip, knee)) + 5.0 * (1.0 - straightness(c, knee, heel));
    score += 0.6 * leg / all - 2.2 * c->way[hip] / all;
    // A bone that is next to nothing carries the thigh; it is not the thigh's own joint.
    if (c->way[hip + 1] - c->way[hip] < 0.17 * thigh) score -= 0.5;
    // A foot: not longer than the shank, not nothing, and at an angle to the shank.
    if (below > 0.8 * shank) score -= 1.5 * sft_mind(below / shank - 0.8, 1.0);
    if (below < 0.05 * leg) score -= toe == heel ? 1.2 : 0.3;
    if (below > 0.0 && toe != heel)
    {
        score -= fabs(foot / below - BALL);
        score += 0.6 * sft_clampd(1.0 - cosine_at(c, knee, heel, c->count - 1), 0.0, 1.0);
    }
    return score;
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

bool sft_leg_name_joints(const sft_limbs* limbs, const sft_limb* limb, const double* turning, sft_leg* leg)
{
    chain c;
    lay_out(limbs, limb, turning, &c);
    double best = -1e2;
    int32_t pick[4] = {-1, -1, -1, -1};
    for (int32_t hip = 0; hip + 2 < c.count; ++hip)
        for (int32_t knee = hip + 1; knee + 1 < c.count; ++knee)
            for (int32_t heel = knee + 1; heel < c.count; ++heel)
            {
                if (c.end_site[heel]) continue;
                const double part = motion_score(&c, hip, knee, heel);
                for (int32_t toe = heel + 1 < c.count ? heel + 1 : heel; toe < c.count; ++toe)
                {
                    const double score =
                        part + proportion_score(&c, hip, knee, heel, toe) + name_bonus(&c, hip, knee, heel, toe);
                    if (score > best + 1e-9)
                    {
                        best = score;
                        pick[0] = hip, pick[1] = knee, pick[2] = heel, pick[3] = toe;
                    }
                }
            }
    if (pick[0] < 0) return false;
    const int32_t end = foot_end(&c, pick[3]);
    leg->hip = c.joint[pick[0]];
    leg->knee = c.joint[pick[1]];
    leg->heel = c.joint[pick[2]];
    leg->toe = c.joint[pick[3]];
    leg->toe_end = end >= 0 ? c.joint[end] : -1;
    return true;
}
