// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// Roll taken out of bones and given to their twist joints. A turn D of a bone with unit axis a is swing times roll,
// D = S T with T about a: T is D's part along a, S the smallest turn that carries a where D does. So to take T out of
// a bone (W inv(T)) leaves its direction alone, whatever the angle.

#include "retarget/map.h"

/// The roll of a change about an axis; none where the bone has come to point backwards and no roll can be told.
static double roll_angle(sft_quatd change, sft_v3d axis)
{
    const double s = change.x * axis.x + change.y * axis.y + change.z * axis.z;
    // q and -q are one turn: the shorter way round.
    return change.w < 0.0 ? 2.0 * sft_atan2(-s, -change.w) : 2.0 * sft_atan2(s, change.w);
}

static sft_quatd about(sft_v3d axis, double angle)
{
    const double half = 0.5 * angle, s = sft_sin(half);
    return (sft_quatd){s * axis.x, s * axis.y, s * axis.z, sft_cos(half)};
}

static sft_quatd local_turn(const sft_retarget_map* map, const sft_map_plan* plan, const roll_state* states,
                            const map_twist* twist, int32_t joint)
{
    if (plan->joints[joint].kind != PLAN_TWIST || twist == NULL) return map->rest_r[joint];
    return sft_quatd_mul(map->rest_r[joint], about(twist->axis, twist->share * states[twist->roll].angle));
}

static const map_twist* twist_of(const sft_retarget_map* map, int32_t joint)
{
    int32_t lo = 0, hi = map->twist_count;
    while (lo < hi)
    {
        const int32_t middle = lo + (hi - lo) / 2;
        if (map->twists[middle].joint < joint)
            lo = middle + 1;
        else
            hi = middle;
    }
    return lo < map->twist_count && map->twists[lo].joint == joint ? &map->twists[lo] : NULL;
}

/// The carrier without its roll, turned so that the bone's end lies where it lay: joints that are not quite on the line
/// would move it.
static sft_quatd keep_direction(const sft_retarget_map* map, const sft_map_plan* plan, const roll_state* states,
                                const map_roll* r, sft_quatd full)
{
    sft_v3d way = map->base_t[r->end];
    for (int32_t j = map->target_parents[r->end]; j > r->carrier; j = map->target_parents[j])
        way = sft_v3d_add(map->base_t[j], sft_quatd_rotate(local_turn(map, plan, states, twist_of(map, j), j), way));
    const sft_quatd bare = states[r - map->rolls].carrier;
    const sft_v3d now = sft_quatd_rotate(bare, way), wanted = sft_quatd_rotate(full, r->axis);
    return sft_quatd_mul(sft_quatd_between(now, wanted), bare);
}

/// The same roll some whole turns on, nearest to what it was: half of 181 degrees is far from half of -179. Beyond
/// three quarters of a turn it starts anew, or a bone that swings through its own backward direction would wind up for
/// good.
static double unwound(double angle, double before)
{
    if (angle - before > SFT_PI) angle -= 2.0 * SFT_PI;
    if (before - angle > SFT_PI) angle += 2.0 * SFT_PI;
    if (angle > 1.5 * SFT_PI) angle -= 2.0 * SFT_PI;
    if (angle < -1.5 * SFT_PI) angle += 2.0 * SFT_PI;
    return angle;
}

static void find_roll(const sft_retarget_map* map, const sft_map_plan* plan, const map_roll* r, roll_state* states,
                      const sft_quatd* target_r)
{
    roll_state* state = &states[r - map->rolls];
    const double before = state->angle;
    const sft_quatd full = target_r[r->carrier];
    state->carrier = full;
    if (r->in_line || !r->at_end)
    {
        sft_quatd start = r->local;
        if (r->above >= 0) start = sft_quatd_mul(target_r[r->above], start);
        state->angle = roll_angle(sft_quatd_mul(sft_quatd_conjugate(start), full), r->axis);
        if (r->in_line) state->carrier = sft_quatd_mul(full, about(r->axis, -state->angle));
    }
    if (r->at_end)
    {
        const sft_quatd end = sft_quatd_mul(target_r[r->end], sft_quatd_conjugate(r->relative));
        state->angle = roll_angle(sft_quatd_mul(sft_quatd_conjugate(state->carrier), end), r->axis);
    }
    if (state->follows) state->angle = unwound(state->angle, before);
    if (r->in_line) state->carrier = keep_direction(map, plan, states, r, full);
}

void sft_transfer_twists(const sft_retarget_map* map, const sft_map_plan* plan, roll_state* states, sft_quatd* target_r)
{
    // All rolls are read before anything is turned.
    for (int32_t i = 0; i < map->roll_count; ++i)
        find_roll(map, plan, &map->rolls[i], states, target_r);
    for (int32_t i = 0; i < map->roll_count; ++i)
        if (map->rolls[i].in_line && plan->joints[map->rolls[i].carrier].kind != PLAN_REST)
            target_r[map->rolls[i].carrier] = states[i].carrier;
    int32_t next = 0;
    for (int32_t j = 0; j < map->target_count; ++j)
    {
        const plan_kind kind = plan->joints[j].kind;
        if (kind != PLAN_REST && kind != PLAN_TWIST) continue;
        const int32_t up = map->target_parents[j];
        if (up < 0) continue;
        while (next < map->twist_count && map->twists[next].joint < j)
            ++next;
        const bool rolls = next < map->twist_count && map->twists[next].joint == j;
        target_r[j] = sft_quatd_mul(target_r[up], local_turn(map, plan, states, rolls ? &map->twists[next] : NULL, j));
    }
}
