// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// A creature put somewhere, and what of it may be read.

#include "creature/creature.h"

// Rounds of placing: height and tilt from the ground under the homes, homes from height and tilt.
#define PLACE_ROUNDS 6

size_t sft_creature_state_size(const sft_creature* creature)
{
    return creature != NULL ? creature->state_size : 0;
}

static double heading_of(const sft_creature* creature, sft_quatd r)
{
    const sft_v3d f = creature->def.forward, to = sft_quatd_rotate(sft_quatd_normalize(r), f);
    return sft_atan2(f.z * to.x - f.x * to.z, f.x * to.x + f.z * to.z);
}

// The ground below a home, from so far above and below that a place given a leg's length too high or low still finds
// its ground.
static bool ground_below(const sft_creature* creature, const sft_ground* ground, const sft_xformd* place, int32_t leg,
                         sft_creature_foot* foot)
{
    const sft_creature_leg* def = &creature->def.legs[leg];
    const sft_creature_swing* swing = &creature->def.swing;
    const double scale = creature->def.scale, length = creature->limbs[leg].length;
    const sft_v3d up = sft_quatd_rotate(place->r, sft_v3d_make(0, 1, 0));
    const sft_v3d home = sft_creature_to_world(creature, place, def->home);
    const double above = scale * (swing->probe_above + length);
    sft_ground_hit hit;
    if (ground == NULL || !sft_ground_cast(ground, sft_v3d_madd(home, above, up), sft_v3d_scale(-1, up),
                                           above + scale * (swing->probe_below + length), 0, &hit))
        return false;
    if (!(hit.normal.y >= creature->cos_slope) || !sft_v3d_in_range(hit.point)) return false;
    foot->position = sft_v3d_madd(hit.point, scale * def->ankle_offset, hit.normal);
    foot->normal = hit.normal;
    foot->standing = true;
    return true;
}

// Height and tilt from ground alone, at once; feet are used as room for what was found.
static void find_level(const sft_creature* creature, const sft_ground* ground, sft_creature_state* state)
{
    sft_creature_foot* feet = sft_creature_feet(state);
    sft_creature at_once = *creature;
    at_once.level_spring = (sft_creature_spring){0, 0};
    for (int k = 0; k < PLACE_ROUNDS; ++k)
    {
        bool any = false;
        for (int32_t l = 0; l < creature->def.leg_count; ++l)
        {
            feet[l].standing = false;
            any |= ground_below(creature, ground, &state->body.place, l, &feet[l]);
        }
        if (!any) return;
        state->body.place.t.y = sft_creature_level(&at_once, state);
        state->body.place.r = sft_quatd_mul(state->level, sft_creature_about_up(state->heading));
    }
}

static void put_feet(const sft_creature* creature, const sft_ground* ground, sft_creature_state* state)
{
    sft_creature_foot* feet = sft_creature_feet(state);
    const sft_xformd* place = &state->body.place;
    for (int32_t l = 0; l < creature->def.leg_count; ++l)
    {
        const sft_v3d home = creature->def.legs[l].home;
        sft_creature_foot* foot = &feet[l];
        *foot = (sft_creature_foot){.position = sft_creature_to_world(creature, place, home),
                                    .rotation = sft_quatd_mul(place->r, creature->limbs[l].home_rotation),
                                    .normal = sft_quatd_rotate(place->r, sft_v3d_make(0, 1, 0))};
        sft_creature_foothold found;
        if (sft_creature_find_foothold(creature, ground, place, l, home, &found))
        {
            foot->position = found.position;
            foot->rotation = found.rotation;
            foot->normal = found.normal;
            foot->body = found.body;
            foot->standing = true;
        }
        foot->from = foot->over = foot->to = foot->position;
        foot->from_rotation = foot->to_rotation = foot->rotation;
        foot->to_normal = foot->normal;
        foot->to_body = foot->body;
    }
}

sft_result sft_creature_place(const sft_creature* creature, sft_xformd place, const sft_ground* ground, void* memory,
                              size_t size, sft_creature_state** state)
{
    if (creature == NULL || memory == NULL || state == NULL) return SFT_ERR_ARG;
    const double length = sqrt(sft_quatd_dot(place.r, place.r));
    if (!sft_v3d_in_range(place.t) || !(fabs(length - 1) < 1e-3)) return SFT_ERR_RANGE;
    if (size < creature->state_size) return SFT_ERR_MEMORY;
    sft_creature_state* made = memory;
    memset(made, 0, creature->state_size);
    made->magic = SFT_CREATURE_MAGIC;
    made->creature = creature->hash;
    made->heading = heading_of(creature, place.r);
    made->level = sft_quatd_identity();
    made->body.place = (sft_xformd){place.t, sft_creature_about_up(made->heading)};
    made->body.group = -1;
    sft_gait gait = SFT_GAIT_COUNT;
    for (int32_t g = 0; g < SFT_GAIT_COUNT; ++g)
        if (creature->turns[g] > 0 && (gait == SFT_GAIT_COUNT || creature->turns[g] > creature->turns[gait]))
            gait = (sft_gait)g;
    made->body.gait = gait;
    made->body.last_group = creature->turns[gait] - 1;
    made->body.bob_given = made->body.spine_given = 1;
    find_level(creature, ground, made);
    made->height_speed = 0;
    put_feet(creature, ground, made);

    sft_creature_reset_pose(creature, made);
    const sft_creature_input still = {.kind = SFT_CREATURE_STAND};
    sft_creature_make_pose(creature, &still, made);
    *state = made;
    return SFT_OK;
}

// Rounds of facing: from where one looks depends on how far one has turned.
#define FACE_ROUNDS 4

sft_result sft_creature_face(const sft_creature* creature, const sft_v3d* look, sft_creature_state* state)
{
    if (creature == NULL || state == NULL) return SFT_ERR_ARG;
    if (state->magic != SFT_CREATURE_MAGIC || state->creature != creature->hash) return SFT_ERR_ARG;
    if (look != NULL && !sft_v3d_in_range(*look)) return SFT_ERR_RANGE;
    const sft_creature_input input = {.kind = SFT_CREATURE_STAND, .look = look};
    sft_creature at_once = *creature;
    at_once.aim_spring = at_once.eye_spring = at_once.amount_spring = (sft_creature_spring){0, 0};
    // That hips turn at once is no turning that the tail goes against.
    at_once.tail_spring = (sft_creature_spring){0, 0};
    at_once.tail_follow = 1;
    at_once.def.tail_gain = 0;
    for (int k = 0; k < FACE_ROUNDS; ++k)
        sft_creature_make_pose(&at_once, &input, state);
    return SFT_OK;
}

const sft_creature_body* sft_creature_get_body(const sft_creature_state* state)
{
    return state != NULL ? &state->body : NULL;
}

const sft_creature_foot* sft_creature_get_feet(const sft_creature* creature, const sft_creature_state* state)
{
    return creature != NULL && state != NULL ? sft_creature_feet(sft_creature_plain(state)) : NULL;
}

void sft_creature_get_pose(const sft_creature* creature, const sft_creature_state* state, const sft_v3d** local_t,
                           const sft_quatd** local_r)
{
    if (creature == NULL || state == NULL) return;
    if (local_t != NULL) *local_t = sft_creature_local_t(creature, sft_creature_plain(state));
    if (local_r != NULL) *local_r = sft_creature_local_r(creature, sft_creature_plain(state));
}

void sft_creature_get_world(const sft_creature* creature, const sft_creature_state* state, sft_xformd* out)
{
    if (creature == NULL || state == NULL || out == NULL) return;
    sft_skeleton_forward(creature->skeleton, sft_creature_local_t(creature, sft_creature_plain(state)),
                         sft_creature_local_r(creature, sft_creature_plain(state)), out);
    for (int32_t j = 0; j < creature->skeleton->joint_count; ++j)
    {
        out[j].t = sft_creature_to_world(creature, &state->body.place, out[j].t);
        out[j].r = sft_quatd_mul(state->body.place.r, out[j].r);
    }
}
