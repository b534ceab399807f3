// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// Groups of every gait that fits the legs, by side and girdle alone. Girdles are numbered from behind.

#include "creature/creature.h"

typedef struct layout
{
    int32_t girdles;
    int32_t girdle[SFT_MAX_LEGS]; // of each leg, from 0
    bool paired;                  // each girdle has one left and one right leg, and no other
} layout;

static bool lay_out(const sft_creature_def* def, layout* out)
{
    out->girdles = 0;
    int32_t pairs[SFT_MAX_LEGS];
    for (int32_t l = 0; l < def->leg_count; ++l)
    {
        const int32_t pair = def->legs[l].pair;
        if ((int)def->legs[l].side < SFT_LEG_LEFT || (int)def->legs[l].side > SFT_LEG_MIDDLE) return false;
        int32_t at = 0;
        while (at < out->girdles && pairs[at] < pair)
            ++at;
        if (at < out->girdles && pairs[at] == pair) continue;
        for (int32_t k = out->girdles; k > at; --k)
            pairs[k] = pairs[k - 1];
        pairs[at] = pair;
        ++out->girdles;
    }
    int32_t left[SFT_MAX_LEGS] = {0}, right[SFT_MAX_LEGS] = {0}, all[SFT_MAX_LEGS] = {0};
    for (int32_t l = 0; l < def->leg_count; ++l)
    {
        int32_t g = 0;
        while (pairs[g] != def->legs[l].pair)
            ++g;
        out->girdle[l] = g;
        ++all[g];
        left[g] += def->legs[l].side == SFT_LEG_LEFT;
        right[g] += def->legs[l].side == SFT_LEG_RIGHT;
    }
    out->paired = true;
    for (int32_t g = 0; g < out->girdles; ++g)
        out->paired = out->paired && left[g] == 1 && right[g] == 1 && all[g] == 2;
    return true;
}

// Place of a leg among all, one side after the other and each back to front; legs of one side and girdle as they come.
static int32_t rank(const sft_creature_def* def, const layout* where, int32_t leg, bool own_side)
{
    int32_t before = 0;
    for (int32_t k = 0; k < def->leg_count; ++k)
    {
        const int side = (int)def->legs[k].side - (int)def->legs[leg].side;
        if (own_side && side != 0) continue;
        const int32_t order = side != 0 ? side : where->girdle[k] - where->girdle[leg];
        before += order < 0 || (order == 0 && k < leg);
    }
    return before;
}

sft_result sft_creature_propose_groups(sft_creature_def* def)
{
    if (def == NULL || def->leg_count < 1 || def->leg_count > SFT_MAX_LEGS) return SFT_ERR_ARG;
    layout where;
    if (!lay_out(def, &where)) return SFT_ERR_ARG;
    const int32_t count = def->leg_count, girdles = where.girdles;
    bool fits[SFT_GAIT_COUNT] = {false};
    fits[SFT_GAIT_ALTERNATE] = where.paired && girdles == 1;
    fits[SFT_GAIT_DIAGONAL] = where.paired && girdles == 2;
    fits[SFT_GAIT_TRIPOD] = where.paired && girdles >= 3;
    fits[SFT_GAIT_RIPPLE] = where.paired && girdles >= 3;
    fits[SFT_GAIT_WAVE] = count >= 3;
    fits[SFT_GAIT_FREE] = !fits[SFT_GAIT_ALTERNATE] && !fits[SFT_GAIT_DIAGONAL] && !fits[SFT_GAIT_TRIPOD];
    def->gaits = 0;
    for (int32_t l = 0; l < count; ++l)
    {
        const int32_t side = (int32_t)def->legs[l].side, girdle = where.girdle[l];
        int32_t* group = def->legs[l].group;
        for (int32_t g = 0; g < SFT_GAIT_COUNT; ++g)
            group[g] = -1;
        if (fits[SFT_GAIT_ALTERNATE]) group[SFT_GAIT_ALTERNATE] = side;
        if (fits[SFT_GAIT_DIAGONAL]) group[SFT_GAIT_DIAGONAL] = (girdle + side) % 2;
        if (fits[SFT_GAIT_TRIPOD]) group[SFT_GAIT_TRIPOD] = (girdle + side) % 2;
        // The right side half a cycle after the left, so that the two in the air are of different girdles.
        if (fits[SFT_GAIT_RIPPLE])
            group[SFT_GAIT_RIPPLE] = side == SFT_LEG_LEFT ? girdle : (girdle + girdles - girdles / 2) % girdles;
        if (fits[SFT_GAIT_WAVE]) group[SFT_GAIT_WAVE] = rank(def, &where, l, false);
        if (fits[SFT_GAIT_FREE]) group[SFT_GAIT_FREE] = count == 1 ? 0 : rank(def, &where, l, false) % 2;
    }
    // Every other leg along each side, crosswise, where that gives two groups.
    if (fits[SFT_GAIT_FREE] && count > 1)
    {
        int32_t of[2] = {0, 0}, crosswise[SFT_MAX_LEGS];
        for (int32_t l = 0; l < count; ++l)
        {
            crosswise[l] = (rank(def, &where, l, true) + (int32_t)def->legs[l].side) % 2;
            ++of[crosswise[l]];
        }
        for (int32_t l = 0; l < count && of[0] > 0 && of[1] > 0; ++l)
            def->legs[l].group[SFT_GAIT_FREE] = crosswise[l];
    }
    for (int32_t g = 0; g < SFT_GAIT_COUNT; ++g)
        if (fits[g]) def->gaits |= (uint32_t)1 << g;
    return SFT_OK;
}
