// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// Pitch of a body with two girdles, one behind the other: the slope of a line through the supports of all feet, as
// seen from the side, followed as the pelvis's height is. On an even slope it is the slope, whatever the feet do.

#include "adapt/update.h"

// As in whole clips (docs/adapt.md).
static const double GIRDLES_APART = 0.05;
static const double REARED = 0.4;
static const double STANCE = 0.2;

static sft_v3d hips_of_pair(const au_leg* legs, int32_t count, int32_t pair)
{
    sft_v3d sum = {0};
    double n = 0.0;
    for (int32_t l = 0; l < count; ++l)
        if (legs[l].leg->pair == pair)
        {
            sum = sft_v3d_add(sum, legs[l].source.hip.t);
            n += 1.0;
        }
    return sft_v3d_scale(1.0 / n, sum);
}

// Middles of the hips of hind and front girdle; false: there is one girdle.
static bool find_girdles(const au_leg* legs, int32_t count, sft_v3d middles[2])
{
    int32_t hind = legs[0].leg->pair, front = hind;
    double length = legs[0].length, n[2] = {0.0, 0.0};
    for (int32_t l = 1; l < count; ++l)
    {
        const int32_t pair = legs[l].leg->pair;
        hind = pair < hind ? pair : hind;
        front = pair > front ? pair : front;
        length = sft_mind(length, legs[l].length);
    }
    if (hind == front) return false;
    const sft_v3d from = hips_of_pair(legs, count, hind);
    const sft_v3d way = sft_v3d_sub(hips_of_pair(legs, count, front), from);
    if (!(sft_v3d_length(way) >= GIRDLES_APART * length)) return false;
    middles[0] = middles[1] = sft_v3d_make(0, 0, 0);
    for (int32_t l = 0; l < count; ++l)
    {
        const sft_v3d at = sft_v3d_sub(hips_of_pair(legs, count, legs[l].leg->pair), from);
        const int g = sft_v3d_dot(at, way) > 0.5 * sft_v3d_dot(way, way);
        middles[g] = sft_v3d_add(middles[g], legs[l].source.hip.t);
        n[g] += 1.0;
    }
    for (int g = 0; g < 2; ++g)
        middles[g] = sft_v3d_scale(1.0 / n[g], middles[g]);
    return true;
}

// Rise over run of the line through the feet, along `way`, which is level and of unit length. Feet count as much as
// they are put on ground.
static double slope_below(const au_step* step, const au_leg* legs, int32_t count, sft_v3d from, sft_v3d way)
{
    double s = 0.0, h = 0.0, ss = 0.0, sh = 0.0, weights = 0.0, length = INFINITY;
    for (int32_t l = 0; l < count; ++l)
    {
        const double w = sft_clampd(legs[l].s.weight.value, 0.0, 1.0);
        const double at = sft_v3d_dot(sft_v3d_sub(legs[l].foot.toe.t, from), way);
        const double rise = w > 0.0 ? legs[l].s.height.value - step->def->floor : 0.0;
        weights += w;
        s += w * at;
        h += w * rise;
        ss += w * at * at;
        sh += w * at * rise;
        length = sft_mind(length, legs[l].length);
    }
    if (!(weights > 0.0)) return 0.0;
    const double least = STANCE * length, m = s / weights;
    const double slope = (sh - m * h) / weights / sft_maxd(ss / weights - m * m, least * least);
    return slope * sft_mind(weights, 1.0);
}

void sft_adapt_update_pitch(au_step* step, const au_leg* legs, int32_t count, sft_adapt_state* state)
{
    sft_v3d hips[2];
    if (!find_girdles(legs, count, hips)) return;
    const sft_v3d along = sft_v3d_sub(hips[1], hips[0]), flat = sft_v3d_make(along.x, 0.0, along.z);
    const double length = sft_v3d_length(along), level = sft_v3d_length(flat);
    const sft_v3d way = sft_v3d_normalize_or(flat, sft_v3d_make(0, 0, 0));
    const double slope = slope_below(step, legs, count, hips[0], way);
    const double goal = sft_atan2(slope * level, sft_maxd(level, REARED * length));
    if (!state->started)
        sft_adapt_follow_begin(&state->pitch, goal);
    else
        sft_adapt_follow_to(&state->pitch, goal, step->pelvis_rate, step->dt, false);
    step->pitch = state->pitch.value;
    step->turned = fabs(step->pitch) > AU_SETTLED;
    if (!step->turned) step->pitch = 0.0;
    step->pivot = sft_v3d_lerp(hips[0], hips[1], 0.5);
    step->side = sft_v3d_make(-way.z, 0.0, way.x);
    step->turn = sft_adapt_body_turn(step, 1.0);
}

sft_quatd sft_adapt_body_turn(const au_step* step, double share)
{
    const double half = 0.5 * share * step->pitch;
    const sft_v3d axis = sft_v3d_scale(sft_sin(half), step->side);
    return sft_quatd_normalize((sft_quatd){axis.x, axis.y, axis.z, sft_cos(half)});
}

sft_v3d sft_adapt_turned(const au_step* step, sft_v3d point)
{
    if (!step->turned) return point;
    return sft_v3d_add(step->pivot, sft_quatd_rotate(step->turn, sft_v3d_sub(point, step->pivot)));
}
