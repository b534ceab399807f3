// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// What a pose needs of a creature, once: which joint turns with which, and their rest pose in facing space, so that a
// step turns each joint about fixed axes with two products, whatever its own axes are and what hangs between.

#include "creature/creature.h"

// [s] in which bob and spine come and go where feet leave less of them.
#define AMOUNT_TIME 0.06
// Part of a leg's range of reach in which less of bob and spine is wanted, but no more than this part of the room at
// home.
#define ZONE 0.08
#define HOME_ZONE 0.25
// Of that, where a leg folds: knees look well until they are folded up, so that end is no reason to stand still.
#define FOLD_ZONE 0.4
// Zones before the ends of the reach in which amounts are asked for at all.
#define FREE_ZONES 3
// Part of a leg's range of reach in which amounts level off at most.
#define EDGE 0.03

static const char* name_of(const sft_creature* creature, int32_t joint)
{
    return creature->skeleton->names[joint];
}

// The nearest joint of the trunk's list above a joint; -1: none.
static int32_t find_above(const sft_creature* creature, int32_t joint)
{
    const int32_t* parents = creature->skeleton->parents;
    for (int32_t j = parents[joint]; j >= 0; j = parents[j])
        for (int32_t i = creature->trunk_count - 1; i >= 0; --i)
            if (creature->trunk[i].joint == j) return i;
    return -1;
}

sft_creature_axes sft_creature_make_axes(sft_quatd before, sft_quatd after)
{
    return (sft_creature_axes){
        sft_quatd_mul(sft_quatd_mul(before, (sft_quatd){1, 0, 0, 0}), after),
        sft_quatd_mul(sft_quatd_mul(before, (sft_quatd){0, 1, 0, 0}), after),
        sft_quatd_mul(sft_quatd_mul(before, (sft_quatd){0, 0, 1, 0}), after),
        sft_quatd_mul(before, after),
    };
}

// From facing space to that of a joint's parent.
static sft_quatd before_of(const sft_creature* creature, int32_t joint)
{
    int32_t parent = creature->skeleton->parents[joint];
    sft_quatd above = parent < 0 ? sft_quatd_identity() : creature->rest[parent].r;
    return sft_quatd_normalize(sft_quatd_mul(sft_quatd_conjugate(above), creature->facing));
}

sft_creature_turned sft_creature_make_turned(const sft_creature* creature, int32_t joint, sft_quatd first)
{
    sft_quatd to_facing = sft_quatd_conjugate(creature->facing);
    sft_quatd after = sft_quatd_normalize(sft_quatd_mul(to_facing, creature->rest[joint].r));
    sft_creature_turned t = {
        .joint = joint,
        .above = find_above(creature, joint),
        .at = sft_quatd_rotate(to_facing, creature->rest[joint].t),
        .axes = sft_creature_make_axes(before_of(creature, joint), sft_quatd_mul(first, after)),
    };
    t.arm = t.above < 0 ? t.at : sft_v3d_sub(t.at, creature->trunk[t.above].at);
    return t;
}

static sft_result add_links(sft_creature* creature, const sft_creature_link* links, int32_t count, sft_error* error)
{
    for (int32_t i = 0; i < count; ++i)
    {
        sft_creature_turned t = sft_creature_make_turned(creature, links[i].joint, sft_quatd_identity());
        if (t.above < 0 || t.joint == creature->def.body)
            return sft_core_fail(error, SFT_ERR_DEF, 0, 0, name_of(creature, links[i].joint),
                                 "creature: spine and head joints must hang below the body joint \"%s\"",
                                 name_of(creature, creature->def.body));
        creature->trunk[creature->trunk_count++] = t;
        creature->aim_yaw += links[i].max_yaw;
        creature->aim_pitch += links[i].max_pitch;
    }
    return SFT_OK;
}

static double azimuth(sft_v3d v)
{
    return sft_atan2(v.x, v.z);
}

static double dip(sft_v3d v)
{
    return sft_atan2(-v.y, sqrt(v.x * v.x + v.z * v.z));
}

static void prepare_eye(sft_creature* creature, int32_t index)
{
    const sft_creature_eye* eye = &creature->def.eyes[index];
    sft_creature_turned* t = &creature->eyes[index];
    sft_v3d forward = sft_quatd_unrotate(creature->facing, eye->forward);
    double yaw = azimuth(forward);
    // Turns are about up, and about the horizontal axis across where the eye looks.
    *t = sft_creature_make_turned(creature, eye->joint, sft_creature_yaw(-yaw));
    double side = t->arm.x;
    double left = side < -SFT_LENGTH_EPS ? eye->max_in : eye->max_out;
    double right = side > SFT_LENGTH_EPS ? eye->max_in : eye->max_out;
    creature->eye_yaw[index] = sft_v3d_make(-right, left, yaw);
    creature->eye_pitch[index] = dip(forward);
}

static sft_creature_spring make_spring(double time)
{
    if (!(time > 1e-4)) return (sft_creature_spring){0, 0};
    return (sft_creature_spring){2 / time, sft_exp(-2 / time * SFT_CREATURE_DT)};
}

// Side of the hindmost foot that lifts first in a gait, so that the body leans off it.
static double find_sway(const sft_creature_def* def, int32_t gait)
{
    const sft_creature_leg* first = NULL;
    for (int32_t l = 0; l < def->leg_count; ++l)
        if (def->legs[l].group[gait] == 0 && (first == NULL || def->legs[l].pair < first->pair)) first = &def->legs[l];
    return first != NULL && first->side == SFT_LEG_RIGHT ? -1 : 1;
}

// True where a joint that eyes, tail or another leg turn lies between a hip and the trunk.
static bool hangs_elsewhere(const sft_creature* creature, int32_t leg)
{
    const sft_creature_def* def = &creature->def;
    int32_t top = creature->trunk[creature->hips[leg].above].joint;
    for (int32_t j = creature->skeleton->parents[def->legs[leg].joints[0]]; j >= 0 && j != top;
         j = creature->skeleton->parents[j])
    {
        for (int32_t i = 0; i < def->tail_count; ++i)
            if (def->tail[i] == j) return true;
        for (int32_t i = 0; i < def->eye_count; ++i)
            if (def->eyes[i].joint == j) return true;
        for (int32_t l = 0; l < def->leg_count; ++l)
            for (int32_t k = 0; k < def->legs[l].joint_count; ++k)
                if (def->legs[l].joints[k] == j) return true;
    }
    return false;
}

// How the bob moves a hip: the body turns with it, and each joint of the spine takes its part of yaw and roll back
// (reach.c).
static void prepare_hip(const sft_creature* creature, sft_creature_hip* hip)
{
    const int32_t spine = creature->def.spine_count;
    const sft_v3d left = {1, 0, 0}, up = {0, 1, 0}, ahead = {0, 0, 1};
    hip->by_pitch = hip->by_yaw = hip->by_roll = sft_v3d_make(0, 0, 0);
    sft_v3d arm = hip->arm;
    for (int32_t i = hip->above; i >= 0; arm = creature->trunk[i].arm, i = creature->trunk[i].above)
    {
        int32_t links = 0;
        for (int32_t k = i; k > 0; k = creature->trunk[k].above)
            ++links;
        double part = spine > 0 ? 1 - 2.0 * links / spine : 1;
        hip->by_pitch = sft_v3d_add(hip->by_pitch, sft_v3d_cross(left, arm));
        hip->by_yaw = sft_v3d_madd(hip->by_yaw, part, sft_v3d_cross(up, arm));
        hip->by_roll = sft_v3d_madd(hip->by_roll, part, sft_v3d_cross(ahead, arm));
    }
}

static sft_result prepare_limbs(sft_creature* creature, sft_error* error)
{
    const sft_creature_def* def = &creature->def;
    int32_t heads = 1 + def->spine_count;
    for (int32_t l = 0; l < def->leg_count; ++l)
    {
        sft_creature_hip* hip = &creature->hips[l];
        int32_t joint = def->legs[l].joints[0];
        hip->above = find_above(creature, joint);
        if (hip->above < 0 || hip->above >= heads || hangs_elsewhere(creature, l))
            return sft_core_fail(error, SFT_ERR_DEF, 0, 0, name_of(creature, joint),
                                 "creature: leg %d must hang from body or spine, not from head, eye, tail or leg",
                                 (int)l);
        sft_result result = sft_creature_prepare_leg(creature, l, error);
        if (result != SFT_OK) return result;
        hip->at = sft_quatd_unrotate(creature->facing, creature->limbs[l].hip);
        hip->arm = sft_v3d_sub(hip->at, creature->trunk[hip->above].at);
        prepare_hip(creature, hip);
        if (creature->carrier_count <= hip->above) creature->carrier_count = hip->above + 1;
        // A leg that is nearly straight at home has the little that it has there.
        const sft_creature_leg* leg = &def->legs[l];
        double range = leg->reach_max - leg->reach_min, most = ZONE * range;
        double home = sft_v3d_distance(creature->limbs[l].hip, leg->home);
        hip->least = leg->reach_min;
        hip->most = leg->reach_max;
        hip->edge = EDGE * range;
        hip->zone_far = sft_clampd(HOME_ZONE * (leg->reach_max - home), 1e-6, most);
        hip->zone_near = sft_clampd(HOME_ZONE * (home - leg->reach_min), 1e-6, FOLD_ZONE * most);
        hip->free_far = hip->most - FREE_ZONES * sft_maxd(hip->zone_far, 2 * hip->edge);
        hip->free_near = hip->least + FREE_ZONES * sft_maxd(hip->zone_near, 2 * hip->edge);
    }
    return SFT_OK;
}

sft_result sft_creature_prepare_pose(sft_creature* creature, sft_error* error)
{
    const sft_creature_def* def = &creature->def;
    creature->per_scale = 1 / def->scale;
    creature->aim_yaw = creature->aim_pitch = 0;
    creature->trunk_count = 0;
    creature->trunk[0] = sft_creature_make_turned(creature, def->body, sft_quatd_identity());
    creature->body_before = before_of(creature, def->body);
    creature->trunk_count = 1;
    creature->carrier_count = 0;
    sft_result result = add_links(creature, def->spine, def->spine_count, error);
    if (result == SFT_OK) result = add_links(creature, def->head, def->head_count, error);
    if (result == SFT_OK) result = prepare_limbs(creature, error);
    if (result != SFT_OK) return result;
    for (int32_t i = 0; i < def->eye_count; ++i)
        prepare_eye(creature, i);
    for (int32_t i = 0; i < def->arm_count; ++i)
    {
        result = sft_creature_prepare_arm(creature, i, error);
        if (result != SFT_OK) return result;
    }
    for (int32_t i = 0; i < def->tail_count; ++i)
    {
        creature->tail[i] = sft_creature_make_turned(creature, def->tail[i], sft_quatd_identity());
        if (creature->tail[i].above < 0)
            return sft_core_fail(error, SFT_ERR_DEF, 0, 0, name_of(creature, def->tail[i]),
                                 "creature: tail joints must hang below the body joint \"%s\"",
                                 name_of(creature, def->body));
    }
    for (int32_t g = 0; g < SFT_GAIT_COUNT; ++g)
        creature->sway[g] = find_sway(def, g);
    creature->aim_spring = make_spring(def->aim_time);
    creature->eye_spring = make_spring(0.5 * def->aim_time); // eyes are the first to arrive
    creature->tail_spring = make_spring(def->tail_time);
    creature->tail_follow =
        def->tail_time > 1e-4 ? 1 - sft_exp(-SFT_CREATURE_DT * def->tail_count / def->tail_time) : 1;
    creature->weight_spring = make_spring(def->bob.weight_time);
    creature->amount_spring = make_spring(AMOUNT_TIME);
    creature->phase_spring = make_spring(SFT_CREATURE_PHASE_LAG * def->swing.time);
    return SFT_OK;
}

void sft_creature_reset_pose(const sft_creature* creature, sft_creature_state* state)
{
    const sft_skeleton* skeleton = creature->skeleton;
    sft_v3d* local_t = sft_creature_local_t(creature, state);
    sft_quatd* local_r = sft_creature_local_r(creature, state);
    for (int32_t j = 0; j < skeleton->joint_count; ++j)
    {
        local_t[j] = skeleton->rest_translations[j];
        local_r[j] = skeleton->rest_rotations[j];
    }
    sft_ik_bend* bends = sft_creature_bends(creature, state);
    for (int32_t l = 0; l < creature->def.leg_count; ++l)
        bends[l] = (sft_ik_bend){{0, 0, 0}, {0, 0, 0}};
    sft_creature_body* body = &state->body;
    body->bob_weight = body->bob_phase = 0;
    body->bob_given = body->spine_given = 1;
    body->aim_yaw = body->aim_pitch = body->tail_bend = 0;
    state->tail_speed = state->hips_yaw = state->aim_yaw_speed = state->aim_pitch_speed = 0;
    state->bob_given_speed = state->spine_given_speed = 0;
    state->bob_weight_speed = state->gait_phase = state->gait_phase_speed = 0;
    for (int32_t i = 0; i < SFT_CREATURE_LINKS; ++i)
        state->eye_yaw[i] = state->eye_pitch[i] = state->eye_yaw_speed[i] = state->eye_pitch_speed[i] =
            state->tail_part[i] = 0;
    int32_t head = creature->trunk[creature->trunk_count - 1].joint;
    body->head = sft_creature_to_world(creature, &body->place, creature->rest[head].t);
}
