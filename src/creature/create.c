// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// A creature made ready: legs measured, speeds that they serve, and a hash of all that decides what it does.

#include "creature/creature.h"

// A leg asks for a step by reach from this part of the way between home and its greatest reach on.
#define STRETCHED 0.85
// Part of the speed that the legs' reach allows which the body may have.
#define REACH_PART 0.95
// Most that the body sinks for its legs, as a part of the height of the hips over the feet.
#define MOST_SINK 0.3
// Homes spread over less than this part of the height of the hips say little about the body's tilt.
#define TRUST_SPREAD 0.25

// ---- the hash ----

static uint64_t hash_v3(uint64_t hash, sft_v3d v)
{
    return sft_creature_hash_double(sft_creature_hash_double(sft_creature_hash_double(hash, v.x), v.y), v.z);
}

static uint64_t hash_int(uint64_t hash, int64_t x)
{
    return sft_creature_hash_word(hash, (uint64_t)x);
}

static uint64_t hash_links(uint64_t hash, const sft_creature_link* links, int32_t count)
{
    hash = hash_int(hash, count);
    for (int32_t i = 0; i < count; ++i)
    {
        hash = hash_int(hash, links[i].joint);
        hash = sft_creature_hash_double(hash, links[i].share);
        hash = sft_creature_hash_double(hash, links[i].max_yaw);
        hash = sft_creature_hash_double(hash, links[i].max_pitch);
    }
    return hash;
}

static uint64_t hash_leg(uint64_t hash, const sft_creature_leg* leg)
{
    hash = hash_int(hash, leg->side);
    hash = hash_int(hash, leg->pair);
    hash = hash_int(hash, leg->joint_count);
    for (int32_t k = 0; k < leg->joint_count; ++k)
        hash = hash_int(hash, leg->joints[k]);
    for (int32_t g = 0; g < SFT_GAIT_COUNT; ++g)
        hash = hash_int(hash, leg->group[g]);
    hash = hash_v3(hash_v3(hash, leg->home), leg->bend);
    const double numbers[] = {leg->ankle_offset, leg->step_distance, leg->step_angle, leg->reach_min, leg->reach_max};
    for (size_t k = 0; k < SFT_COUNT_OF(numbers); ++k)
        hash = sft_creature_hash_double(hash, numbers[k]);
    return hash;
}

static uint64_t hash_of(const sft_creature* creature)
{
    const sft_creature_def* def = &creature->def;
    const sft_skeleton* skeleton = creature->skeleton;
    uint64_t hash = sft_creature_hash_fields(SFT_HASH_SEED, def);
    hash = hash_int(hash_v3(hash, def->forward), def->body);
    hash = hash_int(hash_int(hash, def->gaits), def->leg_count);
    for (int32_t l = 0; l < def->leg_count; ++l)
        hash = hash_leg(hash, &def->legs[l]);
    for (int32_t g = 0; g < SFT_GAIT_COUNT; ++g)
        hash = sft_creature_hash_double(hash, def->gait_speed[g]);
    hash = hash_links(hash, def->spine, def->spine_count);
    hash = hash_links(hash, def->head, def->head_count);
    hash = hash_int(hash, def->eye_count);
    for (int32_t i = 0; i < def->eye_count; ++i)
    {
        const sft_creature_eye* eye = &def->eyes[i];
        hash = hash_v3(hash_int(hash, eye->joint), eye->forward);
        hash = hash_v3(hash, sft_v3d_make(eye->max_in, eye->max_out, eye->max_pitch));
    }
    hash = hash_int(hash, def->arm_count);
    for (int32_t i = 0; i < def->arm_count; ++i)
    {
        const sft_creature_arm* arm = &def->arms[i];
        hash = hash_int(hash, arm->side);
        for (int k = 0; k < 3; ++k)
            hash = hash_int(hash, arm->joints[k]);
        hash = hash_v3(hash, sft_v3d_make(arm->hang, arm->swing, arm->bend));
    }
    hash = hash_int(hash, def->tail_count);
    for (int32_t i = 0; i < def->tail_count; ++i)
        hash = hash_int(hash, def->tail[i]);
    hash = hash_int(hash, skeleton->joint_count);
    for (int32_t j = 0; j < skeleton->joint_count; ++j)
    {
        const sft_quatd r = skeleton->rest_rotations[j];
        hash = hash_v3(hash_int(hash, skeleton->parents[j]), skeleton->rest_translations[j]);
        hash = sft_creature_hash_double(hash_v3(hash, sft_v3d_make(r.x, r.y, r.z)), r.w);
    }
    return hash;
}

// ---- made ready ----

static void number_girdles(sft_creature* creature)
{
    const sft_creature_def* def = &creature->def;
    int32_t count = 0;
    for (int32_t l = 0; l < def->leg_count; ++l)
    {
        int32_t k = 0;
        while (k < l && def->legs[k].pair != def->legs[l].pair)
            ++k;
        creature->limbs[l].girdle = k < l ? creature->limbs[k].girdle : count++;
        creature->girdles |= (uint64_t)1 << creature->limbs[l].girdle;
    }
}

static void find_toe(sft_creature* creature, int32_t leg)
{
    const sft_creature_leg* def = &creature->def.legs[leg];
    const int32_t foot = def->joints[def->joint_count - 1];
    const sft_skeleton* s = creature->skeleton;
    double most = 0;
    for (int32_t j = foot + 1; j < s->joint_count; ++j)
    {
        int32_t above = j;
        while (above > foot)
            above = s->parents[above];
        if (above != foot) continue;
        const sft_v3d d = sft_v3d_sub(creature->rest[j].t, creature->rest[foot].t);
        const double ahead = sft_v3d_dot(d, creature->def.forward);
        if (!(ahead > most)) continue;
        most = ahead;
        creature->limbs[leg].toe = sft_v3d_make(d.x, -def->ankle_offset, d.z);
    }
}

static void find_nose(sft_creature* creature)
{
    const sft_creature_def* def = &creature->def;
    const sft_skeleton* s = creature->skeleton;
    const int32_t head = def->head_count > 0 ? def->head[def->head_count - 1].joint : s->joint_count;
    for (int32_t j = head + 1; j < s->joint_count; ++j)
    {
        int32_t above = j;
        while (above > head)
            above = s->parents[above];
        if (above != head) continue;
        creature->nose = sft_maxd(creature->nose, sft_v3d_distance(creature->rest[j].t, creature->rest[head].t));
    }
}

static sft_result ready_legs(sft_creature* creature, sft_error* error)
{
    const sft_creature_def* def = &creature->def;
    for (int32_t l = 0; l < def->leg_count; ++l)
    {
        const sft_creature_leg* leg = &def->legs[l];
        sft_creature_limb* limb = &creature->limbs[l];
        const double home = sft_v3d_distance(leg->home, limb->hip);
        if (!(leg->reach_max < limb->length))
            return sft_core_fail(error, SFT_ERR_DEF, 0, 0, "",
                                 "creature: leg %d, reach_max is %g; it must be below the length of its segments, %g",
                                 (int)l, leg->reach_max, limb->length);
        if (!(home >= leg->reach_min && home <= leg->reach_max))
            return sft_core_fail(
                error, SFT_ERR_DEF, 0, 0, "",
                "creature: leg %d, home is %g from the hip; it must be within reach_min and reach_max, "
                "%g to %g",
                (int)l, home, leg->reach_min, leg->reach_max);
        limb->home_reach = home;
        creature->longest = sft_maxd(creature->longest, leg->reach_max);
        find_toe(creature, l);
        limb->stretched = home + STRETCHED * (leg->reach_max - home);
        limb->serve = leg->step_distance * def->scale * (1 + def->swing.overshoot) / def->swing.time;
        limb->tan_half = leg->step_angle < SFT_PI ? sft_sin(leg->step_angle / 2) / sft_cos(leg->step_angle / 2) : 1e9;
        creature->stand_height += (leg->home.y - leg->ankle_offset) / (double)def->leg_count;
    }
    number_girdles(creature);
    find_nose(creature);
    return SFT_OK;
}

// [m/s] at which a foot that lands as far ahead of home as it is put is not stretched before it lifts, all other turns
// later. Seen from the body, at full speed, it lands ahead by the overshoot, and by what homes lead, less a step's way.
static double reach_speed(const sft_creature* creature, int32_t leg, double turns)
{
    const sft_creature_def* def = &creature->def;
    const sft_creature_leg* own = &def->legs[leg];
    const sft_v3d arm = sft_v3d_sub(own->home, creature->limbs[leg].hip);
    const double along = sft_v3d_dot(arm, def->forward);
    const double across = sft_v3d_dot(arm, arm) - along * along, most = creature->limbs[leg].stretched;
    const double half = sqrt(sft_maxd(most * most - across, 0));
    const double behind = sft_maxd(half + along, 0), ahead = sft_maxd(half - along, 0);
    const double over = def->swing.overshoot * own->step_distance, late = 1 - def->swing.lead;
    // It lands at the less of `over - late * way` and `ahead`, and may come to `behind`; `way` is that of one step.
    const double free = (over + behind) / (turns - 1 + late), held = (ahead + behind) / (turns - 1);
    return REACH_PART * def->scale * (turns > 1 ? sft_mind(free, held) : free) / def->swing.time;
}

static void ready_speeds(sft_creature* creature)
{
    const sft_creature_def* def = &creature->def;
    for (int32_t g = 0; g < SFT_GAIT_COUNT; ++g)
    {
        const double turns = (double)creature->turns[g];
        if (creature->turns[g] == 0) continue;
        double speed = SFT_HUGE, turn = SFT_HUGE, reach = SFT_HUGE;
        for (int32_t l = 0; l < def->leg_count; ++l)
        {
            const sft_v3d home = def->legs[l].home;
            const double arm = def->scale * sqrt(home.x * home.x + home.z * home.z);
            speed = sft_mind(speed, creature->limbs[l].serve / turns);
            reach = sft_mind(reach, reach_speed(creature, l, turns));
            turn = sft_mind(turn, def->legs[l].step_angle / (turns * def->swing.time));
            if (arm * turn > creature->limbs[l].serve / turns) turn = creature->limbs[l].serve / (turns * arm);
        }
        creature->safe_speed[g] = sft_mind(speed, reach);
        creature->reach_part[g] = sft_mind(reach / speed, 1);
        creature->safe_turn[g] = turn;
    }
}

// Spread of the homes to the left and ahead against the height of the hips.
static void ready_trust(sft_creature* creature)
{
    const sft_creature_def* def = &creature->def;
    const double n = (double)def->leg_count;
    double left = 0, ahead = 0, height = 0, ll = 0, aa = 0;
    for (int32_t l = 0; l < def->leg_count; ++l)
    {
        left += sft_v3d_dot(def->legs[l].home, creature->left) / n;
        ahead += sft_v3d_dot(def->legs[l].home, def->forward) / n;
        height += (creature->limbs[l].hip.y - def->legs[l].home.y) / n;
    }
    for (int32_t l = 0; l < def->leg_count; ++l)
    {
        const double x = sft_v3d_dot(def->legs[l].home, creature->left) - left;
        const double z = sft_v3d_dot(def->legs[l].home, def->forward) - ahead;
        ll += x * x / n;
        aa += z * z / n;
    }
    const double least = TRUST_SPREAD * TRUST_SPREAD * height * height;
    creature->most_sink = MOST_SINK * def->scale * sft_maxd(height, 0);
    creature->trust_left = ll > 0 ? ll / (ll + least) : 0;
    creature->trust_ahead = aa > 0 ? aa / (aa + least) : 0;
    // Two feet make a line, which turns through all directions as one passes the other: no plane.
    if (def->leg_count <= 2) creature->trust_left = creature->trust_ahead = 0;
}

static sft_result make_ready(sft_creature* creature, const sft_skeleton* skeleton, const sft_allocator* allocator,
                             sft_error* error)
{
    const sft_creature_def* def = &creature->def;
    sft_result result = sft_skeleton_create(skeleton, allocator, &creature->skeleton);
    const size_t joints = (size_t)skeleton->joint_count, legs = (size_t)def->leg_count;
    if (result == SFT_OK)
    {
        creature->rest = sft_core_alloc(allocator, joints, sizeof *creature->rest);
        creature->limbs = sft_core_alloc(allocator, legs, sizeof *creature->limbs);
        if (creature->rest == NULL || creature->limbs == NULL) result = SFT_ERR_MEMORY;
    }
    if (result != SFT_OK)
        return sft_core_fail(error, result, 0, 0, "", "creature: the skeleton cannot be copied: %s",
                             sft_result_string(result));
    sft_skeleton_forward(creature->skeleton, creature->skeleton->rest_translations, creature->skeleton->rest_rotations,
                         creature->rest);
    creature->facing = sft_creature_about_up(sft_atan2(def->forward.x, def->forward.z));
    creature->left = sft_v3d_make(def->forward.z, 0, -def->forward.x);
    for (int32_t g = 0; g < SFT_GAIT_COUNT && result == SFT_OK; ++g)
        if ((def->gaits >> g & 1) != 0)
            result = sft_creature_count_turns(def, g, &creature->turns[g], &creature->ground_feet[g], error);
    if (result == SFT_OK) result = sft_creature_prepare_pose(creature, error);
    if (result == SFT_OK) result = ready_legs(creature, error);
    if (result != SFT_OK) return result;
    ready_speeds(creature);
    ready_trust(creature);
    creature->cos_slope = sft_cos(def->swing.max_slope);
    creature->tan_tilt = sft_sin(def->motion.max_tilt) / sft_cos(def->motion.max_tilt);
    const double level = def->motion.level_time;
    // Faster than four steps is at once.
    if (level > 4 * SFT_CREATURE_DT)
        creature->level_spring = (sft_creature_spring){2 / level, sft_exp(-2 / level * SFT_CREATURE_DT)};
    creature->hash = hash_of(creature);
    creature->state_size = sft_creature_feet_at() + legs * (sizeof(sft_creature_foot) + sizeof(sft_ik_bend)) +
                           joints * (sizeof(sft_v3d) + sizeof(sft_quatd));
    creature->state_size = (creature->state_size + 15) & ~(size_t)15;
    return SFT_OK;
}

sft_result sft_creature_create(const sft_creature_def* def, const sft_skeleton* skeleton,
                               const sft_allocator* allocator, sft_creature** out, sft_error* error)
{
    if (def == NULL || skeleton == NULL || out == NULL || skeleton->joint_count < 1)
        return sft_core_fail(error, SFT_ERR_ARG, 0, 0, "", "creature: def, skeleton or out is missing");
    sft_result result = sft_creature_check(def, skeleton, error);
    if (result != SFT_OK) return result;
    const sft_allocator memory = sft_core_allocator(allocator);
    sft_creature* made = sft_core_alloc(&memory, 1, sizeof *made);
    if (made == NULL) return sft_core_fail(error, SFT_ERR_MEMORY, 0, 0, "", "creature: out of memory");
    made->def = *def;
    result = make_ready(made, skeleton, &memory, error);
    if (result != SFT_OK)
    {
        sft_creature_destroy(made, &memory);
        return result;
    }
    *out = made;
    return SFT_OK;
}

void sft_creature_destroy(sft_creature* creature, const sft_allocator* allocator)
{
    if (creature == NULL) return;
    const sft_allocator memory = sft_core_allocator(allocator);
    if (creature->skeleton != NULL)
        sft_core_free(&memory, creature->rest, (size_t)creature->skeleton->joint_count, sizeof *creature->rest);
    sft_core_free(&memory, creature->limbs, (size_t)creature->def.leg_count, sizeof *creature->limbs);
    sft_skeleton_destroy(creature->skeleton, &memory);
    sft_core_free(&memory, creature, 1, sizeof *creature);
}

int32_t sft_creature_turns(const sft_creature* creature, sft_gait gait)
{
    if (creature == NULL || (int)gait < 0 || (int)gait >= SFT_GAIT_COUNT) return 0;
    return creature->turns[gait];
}

double sft_creature_safe_speed(const sft_creature* creature, sft_gait gait)
{
    if (creature == NULL || (int)gait < 0 || (int)gait >= SFT_GAIT_COUNT) return 0;
    return creature->safe_speed[gait];
}
