// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// Arms come in twos: children of one joint whose bones are alike, one on each side of the body.

#include "core/core.h"
#include "rig/meaning.h"
#include "skeleton/joint_names.h"

// Children of one joint that are compared, the longest ones.
#define COMPARED 24
// Joints along a limb that are compared.
#define DEEP 12
// Shortest arm over the leg's length, for two legs and for more.
#define SHORTEST 0.3
#define SHORTEST_ANIMAL 0.5

static double reach(const sft_reading* r, int32_t joint)
{
    return r->joints[joint].bone + r->joints[joint].below;
}

static int32_t candidates(const sft_reading* r, int32_t at, int32_t* found)
{
    int32_t count = 0;
    for (int32_t c = r->joints[at].child; c >= 0; c = r->joints[c].sibling)
    {
        if ((r->joints[c].marks & (SFT_READ_SKIP | SFT_READ_LEG | SFT_READ_ABOVE)) != 0) continue;
        if (r->joints[c].main < 0) continue;
        if (reach(r, c) < (r->upright ? SHORTEST : SHORTEST_ANIMAL) * r->leg_length) continue;
        if (count < COMPARED)
        {
            found[count++] = c;
            continue;
        }
        int32_t least = 0;
        for (int32_t k = 1; k < count; ++k)
            if (reach(r, found[k]) < reach(r, found[least])) least = k;
        if (reach(r, c) > reach(r, found[least])) found[least] = c;
    }
    return count;
}

// Mean difference of bones along two limbs over their length; above 1 where they have nothing in common.
static double unlike(const sft_reading* r, int32_t a, int32_t b)
{
    const double longer = sft_maxd(reach(r, a), reach(r, b)), shorter = sft_mind(reach(r, a), reach(r, b));
    if (!(shorter > 0.8 * longer)) return 2.0;
    const int32_t more = r->joints[a].size > r->joints[b].size ? a : b, less = more == a ? b : a;
    if (r->joints[less].size * 10 < r->joints[more].size * 6) return 2.0;
    double off = 0.0;
    int32_t joint_a = a, joint_b = b;
    for (int32_t k = 0; k < DEEP && joint_a >= 0 && joint_b >= 0; ++k)
    {
        off += fabs(r->joints[joint_a].bone - r->joints[joint_b].bone);
        joint_a = r->joints[joint_a].main;
        joint_b = r->joints[joint_b].main;
    }
    return off / longer;
}

// Part of the limb's first joints that lie to the left, from -1 to 1.
static double lateral(const sft_reading* r, int32_t at, int32_t limb)
{
    double sum = 0.0, way = 0.0;
    int32_t j = limb;
    for (int32_t k = 0; k < 3 && j >= 0; ++k)
    {
        sum += sft_v3d_dot(sft_v3d_sub(r->joints[j].position, r->joints[at].position), r->left);
        way += r->joints[j].bone;
        j = r->joints[j].main;
    }
    return way > 0.0 ? sft_clampd(sum / way, -1.0, 1.0) : 0.0;
}

static int32_t bones_of(const sft_reading* r, int32_t limb, uint32_t* parts)
{
    int32_t bones = 0, k = 0;
    *parts = 0;
    for (int32_t j = limb; j >= 0 && k < DEEP; j = r->joints[j].main, ++k)
    {
        if (k > 0 && r->joints[j].bone > 0.0) ++bones;
        if (k < 5) *parts |= r->joints[j].parts;
    }
    return bones;
}

static double likeness_to_arms(const sft_reading* r, int32_t at, int32_t a, int32_t b)
{
    const double off = unlike(r, a, b);
    if (off > 0.25) return 0.0;
    if (r->joints[a].side * r->joints[b].side > 0) return 0.0;
    uint32_t parts_a, parts_b;
    if (bones_of(r, a, &parts_a) < 2 || bones_of(r, b, &parts_b) < 2) return 0.0;
    const uint32_t both = parts_a & parts_b;
    const bool arms = (both & SFT_NAME_ARM) != 0;
    // Ears and horns of animals are as long as arms: there names or hands must speak.
    if (!r->upright && !arms && r->joints[a].size < 8) return 0.0;
    double score = 1.5 * sft_mind(1.0, 0.5 * (reach(r, a) + reach(r, b)) / r->leg_length) - 2.0 * off;
    score += 0.5 * sft_mind(1.0, 0.1 * (double)sft_mind(r->joints[a].size, r->joints[b].size));
    if (arms) score += 1.0;
    if ((both & SFT_NAME_WING) != 0) score += 0.3;
    if ((both & SFT_NAME_ANY_LEG) != 0 && !arms) score -= 1.0;
    if (r->joints[a].side * r->joints[b].side < 0) score += 0.5;
    const double la = lateral(r, at, a), lb = lateral(r, at, b);
    score += la * lb < 0.0 ? 0.5 * sft_mind(1.0, 2.0 * fabs(la - lb)) : -0.3;
    const sft_v3d up = sft_v3d_sub(r->joints[at].position, r->joints[r->legs[0].hip].position);
    if (r->upright && up.y > 0.2 * r->leg_length) score += 0.4;
    return sft_maxd(score, 0.0);
}

double sft_read_couple(const sft_reading* r, int32_t at, int32_t pair[2])
{
    int32_t found[COMPARED];
    const int32_t count = candidates(r, at, found);
    double best = 0.0;
    for (int32_t i = 0; i < count; ++i)
        for (int32_t k = i + 1; k < count; ++k)
        {
            const double score = likeness_to_arms(r, at, found[i], found[k]);
            if (!(score > best)) continue;
            best = score;
            pair[0] = found[i];
            pair[1] = found[k];
        }
    if (!(best > 0.0)) return 0.0;
    const double left = lateral(r, at, pair[0]) - lateral(r, at, pair[1]);
    const int named = r->joints[pair[0]].side - r->joints[pair[1]].side;
    if (left < -1e-6 || (left <= 1e-6 && named > 0))
    {
        const int32_t swap = pair[0];
        pair[0] = pair[1];
        pair[1] = swap;
    }
    return best;
}
