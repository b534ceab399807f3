// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// A def checked, field by field, so that what is made of it cannot go wrong later.

#include "creature/creature.h"

// A number of the def and its range; `above`: the lower end does not belong to it, `below`: nor the upper.
typedef struct field
{
    const char* name;
    size_t at;
    double lo, hi;
    bool above, below;
} field;
#define FIELD(member, lo, hi)                                                                                          \
    {                                                                                                                  \
#member, offsetof(sft_creature_def, member), lo, hi, false, false                                              \
    }
#define POSITIVE(member)                                                                                               \
    {                                                                                                                  \
#member, offsetof(sft_creature_def, member), 0, SFT_HUGE, true, false                                          \
    }

static const field fields[] = {
    {"scale", offsetof(sft_creature_def, scale), 1e-4, 1e4, false, false},
    POSITIVE(motion.max_speed),
    FIELD(motion.back_speed, 0, SFT_HUGE),
    POSITIVE(motion.acceleration),
    POSITIVE(motion.max_turn_speed),
    POSITIVE(motion.turn_acceleration),
    FIELD(motion.stop_distance, 0, SFT_HUGE),
    FIELD(motion.approach_distance, 0, SFT_HUGE),
    FIELD(motion.back_distance, 0, SFT_HUGE),
    {"motion.turn_first_angle", offsetof(sft_creature_def, motion.turn_first_angle), 0, SFT_PI, true, false},
    FIELD(motion.slow_turn, 0, 1),
    FIELD(motion.look_ahead, 0, 60),
    FIELD(motion.body_radius, 0, SFT_HUGE),
    FIELD(motion.body_height, -SFT_HUGE, SFT_HUGE),
    FIELD(motion.level_time, 0, 60),
    {"motion.max_tilt", offsetof(sft_creature_def, motion.max_tilt), 0, SFT_PI / 2, false, true},
    {"swing.time", offsetof(sft_creature_def, swing.time), 0, 60, true, false},
    FIELD(swing.overshoot, 0, 1),
    FIELD(swing.lead, 0, 2),
    FIELD(swing.lift, 0, 100),
    FIELD(swing.clearance, 0, SFT_HUGE),
    {"swing.max_slope", offsetof(sft_creature_def, swing.max_slope), 0, SFT_PI / 2, false, true},
    FIELD(swing.probe_above, 0, SFT_HUGE),
    FIELD(swing.probe_below, 0, SFT_HUGE),
    FIELD(swing.settle_time, 0, SFT_HUGE),
    FIELD(swing.settle_part, 0, 1),
    FIELD(bob.amplitude.x, -SFT_HUGE, SFT_HUGE),
    FIELD(bob.amplitude.y, -SFT_HUGE, SFT_HUGE),
    FIELD(bob.amplitude.z, -SFT_HUGE, SFT_HUGE),
    FIELD(bob.turn.x, -SFT_PI, SFT_PI),
    FIELD(bob.turn.y, -SFT_PI, SFT_PI),
    FIELD(bob.turn.z, -SFT_PI, SFT_PI),
    FIELD(bob.cycle, 0, 1000),
    FIELD(bob.weight_time, 0, 60),
    FIELD(hips_counter, 0, 1),
    FIELD(aim_time, 0, 60),
    {"aim_range", offsetof(sft_creature_def, aim_range), 0, SFT_PI, true, false},
    FIELD(tail_gain, -SFT_HUGE, SFT_HUGE),
    FIELD(tail_max, 0, 2 * SFT_PI),
    FIELD(tail_time, 0, 60),
};

static double value_of(const sft_creature_def* def, const field* f)
{
    double x;
    memcpy(&x, (const char*)def + f->at, sizeof x);
    return x;
}

uint64_t sft_creature_hash_fields(uint64_t hash, const sft_creature_def* def)
{
    for (size_t k = 0; k < SFT_COUNT_OF(fields); ++k)
        hash = sft_creature_hash_double(hash, value_of(def, &fields[k]));
    return hash;
}

static sft_result fail(sft_error* error, double value, const char* what, double lo, double hi)
{
    return sft_core_fail(error, isfinite(value) ? SFT_ERR_DEF : SFT_ERR_RANGE, 0, 0, "",
                         "creature: %s is %g; it must lie from %g to %g", what, value, lo, hi);
}

static bool within(double x, double lo, double hi, bool above, bool below)
{
    return (above ? x > lo : x >= lo) && (below ? x < hi : x <= hi);
}

static sft_result check_fields(const sft_creature_def* def, sft_error* error)
{
    for (size_t k = 0; k < SFT_COUNT_OF(fields); ++k)
    {
        const field* f = &fields[k];
        const double x = value_of(def, f);
        if (!within(x, f->lo, f->hi, f->above, f->below)) return fail(error, x, f->name, f->lo, f->hi);
    }
    for (int32_t g = 0; g < SFT_GAIT_COUNT; ++g)
        if (!(def->gait_speed[g] >= 0 && def->gait_speed[g] <= 1))
            return fail(error, def->gait_speed[g], "gait_speed", 0, 1);
    const sft_creature_motion* m = &def->motion;
    if (!(m->approach_distance > m->stop_distance))
        return sft_core_fail(error, SFT_ERR_DEF, 0, 0, "",
                             "creature: motion.approach_distance is %g; it must be above motion.stop_distance, %g",
                             m->approach_distance, m->stop_distance);
    if (m->back_distance > 0 && !(m->back_distance < m->stop_distance))
        return sft_core_fail(error, SFT_ERR_DEF, 0, 0, "",
                             "creature: motion.back_distance is %g; it must be 0 or below motion.stop_distance, %g",
                             m->back_distance, m->stop_distance);
    const double length = sft_v3d_length(def->forward);
    if (!(fabs(length - 1) < 1e-6) || !(fabs(def->forward.y) < 1e-6))
        return sft_core_fail(error, isfinite(length) ? SFT_ERR_DEF : SFT_ERR_RANGE, 0, 0, "",
                             "creature: forward must be a horizontal unit vector");
    return SFT_OK;
}

// ---- joints ----

static bool is_below(const sft_skeleton* skeleton, int32_t joint, int32_t above)
{
    while (joint > above)
        joint = skeleton->parents[joint];
    return joint == above;
}

static sft_result check_joint(const sft_creature_def* def, const sft_skeleton* skeleton, int32_t joint,
                              const char* what, int32_t index, sft_error* error)
{
    if (joint < 0 || joint >= skeleton->joint_count)
        return sft_core_fail(error, SFT_ERR_DEF, 0, 0, "", "creature: %s %d names joint %d, of %d in the skeleton",
                             what, (int)index, (int)joint, (int)skeleton->joint_count);
    if (!is_below(skeleton, joint, def->body))
        return sft_core_fail(error, SFT_ERR_DEF, 0, 0, skeleton->names[joint],
                             "creature: %s %d, joint \"%s\", must hang below the body joint \"%s\"", what, (int)index,
                             skeleton->names[joint], skeleton->names[def->body]);
    return SFT_OK;
}

static sft_result check_links(const sft_creature_def* def, const sft_skeleton* skeleton, const sft_creature_link* links,
                              int32_t count, const char* what, sft_error* error)
{
    for (int32_t i = 0; i < count; ++i)
    {
        const sft_result result = check_joint(def, skeleton, links[i].joint, what, i, error);
        if (result != SFT_OK) return result;
        if (!(links[i].share >= 0 && links[i].share <= 1)) return fail(error, links[i].share, "share of a link", 0, 1);
        if (!(links[i].max_yaw >= 0 && links[i].max_yaw <= SFT_PI))
            return fail(error, links[i].max_yaw, "max_yaw of a link", 0, SFT_PI);
        if (!(links[i].max_pitch >= 0 && links[i].max_pitch <= SFT_PI))
            return fail(error, links[i].max_pitch, "max_pitch of a link", 0, SFT_PI);
    }
    return SFT_OK;
}

static sft_result check_arm(const sft_creature_def* def, const sft_skeleton* skeleton, int32_t index, sft_error* error)
{
    const sft_creature_arm* arm = &def->arms[index];
    for (int k = 0; k < 3; ++k)
    {
        const sft_result result = check_joint(def, skeleton, arm->joints[k], "arm", index, error);
        if (result != SFT_OK) return result;
        const int32_t above = k == 0 ? def->body : arm->joints[k - 1];
        if (arm->joints[k] == above || !is_below(skeleton, arm->joints[k], above))
            return sft_core_fail(error, SFT_ERR_DEF, 0, 0, skeleton->names[arm->joints[k]],
                                 "creature: arm %d, joint \"%s\" must hang below \"%s\"", (int)index,
                                 skeleton->names[arm->joints[k]], skeleton->names[above]);
        for (int32_t i = 0; i < index; ++i)
            for (int m = 0; m < 3; ++m)
                if (def->arms[i].joints[m] == arm->joints[k])
                    return sft_core_fail(error, SFT_ERR_DEF, 0, 0, skeleton->names[arm->joints[k]],
                                         "creature: arms %d and %d share joint \"%s\"; each needs its own", (int)i,
                                         (int)index, skeleton->names[arm->joints[k]]);
    }
    if ((int)arm->side < SFT_LEG_LEFT || (int)arm->side > SFT_LEG_MIDDLE)
        return sft_core_fail(error, SFT_ERR_DEF, 0, 0, "", "creature: arm %d, side is no side", (int)index);
    const double angles[] = {arm->hang, arm->swing, arm->bend};
    for (size_t k = 0; k < SFT_COUNT_OF(angles); ++k)
        if (!(angles[k] >= 0 && angles[k] <= SFT_PI)) return fail(error, angles[k], "angle of an arm", 0, SFT_PI);
    return SFT_OK;
}

static sft_result check_chains(const sft_creature_def* def, const sft_skeleton* skeleton, sft_error* error)
{
    const int32_t counts[] = {def->spine_count, def->head_count, def->eye_count, def->arm_count, def->tail_count};
    for (size_t k = 0; k < SFT_COUNT_OF(counts); ++k)
        if (counts[k] < 0 || counts[k] > SFT_CREATURE_LINKS)
            return sft_core_fail(error, SFT_ERR_DEF, 0, 0, "", "creature: %d joints in a chain; 0 to %d may be",
                                 (int)counts[k], SFT_CREATURE_LINKS);
    sft_result result = check_links(def, skeleton, def->spine, def->spine_count, "spine joint", error);
    if (result == SFT_OK) result = check_links(def, skeleton, def->head, def->head_count, "head joint", error);
    for (int32_t i = 0; i < def->eye_count && result == SFT_OK; ++i)
    {
        const sft_creature_eye* eye = &def->eyes[i];
        result = check_joint(def, skeleton, eye->joint, "eye", i, error);
        if (result != SFT_OK) return result;
        if (!(fabs(sft_v3d_length(eye->forward) - 1) < 1e-6))
            return sft_core_fail(error, SFT_ERR_DEF, 0, 0, skeleton->names[eye->joint],
                                 "creature: eye %d, forward must be a unit vector", (int)i);
        const double most[] = {eye->max_in, eye->max_out, eye->max_pitch};
        for (size_t k = 0; k < SFT_COUNT_OF(most); ++k)
            if (!(most[k] >= 0 && most[k] <= SFT_PI)) return fail(error, most[k], "limit of an eye", 0, SFT_PI);
    }
    for (int32_t i = 0; i < def->arm_count && result == SFT_OK; ++i)
        result = check_arm(def, skeleton, i, error);
    for (int32_t i = 0; i < def->tail_count && result == SFT_OK; ++i)
        result = check_joint(def, skeleton, def->tail[i], "tail joint", i, error);
    return result;
}

// ---- legs ----

static sft_result leg_fail(sft_error* error, int32_t leg, double value, const char* what, double lo, double hi)
{
    return sft_core_fail(error, isfinite(value) ? SFT_ERR_DEF : SFT_ERR_RANGE, 0, 0, "",
                         "creature: leg %d, %s is %g; it must lie from %g to %g", (int)leg, what, value, lo, hi);
}

static sft_result check_leg_joints(const sft_creature_def* def, const sft_skeleton* skeleton, int32_t index,
                                   sft_error* error)
{
    const sft_creature_leg* leg = &def->legs[index];
    if (leg->joint_count < 3 || leg->joint_count > SFT_CREATURE_LEG_JOINTS)
        return sft_core_fail(error, SFT_ERR_DEF, 0, 0, "", "creature: leg %d has %d joints; 3 to %d may be", (int)index,
                             (int)leg->joint_count, SFT_CREATURE_LEG_JOINTS);
    for (int32_t k = 0; k < leg->joint_count; ++k)
    {
        const sft_result result = check_joint(def, skeleton, leg->joints[k], "leg", index, error);
        if (result != SFT_OK) return result;
        const int32_t above = k == 0 ? def->body : leg->joints[k - 1];
        if (leg->joints[k] == above || !is_below(skeleton, leg->joints[k], above))
            return sft_core_fail(error, SFT_ERR_DEF, 0, 0, skeleton->names[leg->joints[k]],
                                 "creature: leg %d, joint \"%s\" must hang below \"%s\"", (int)index,
                                 skeleton->names[leg->joints[k]], skeleton->names[above]);
    }
    for (int32_t l = 0; l < index; ++l)
        for (int32_t k = 0; k < def->legs[l].joint_count; ++k)
            for (int32_t m = 0; m < leg->joint_count; ++m)
                if (def->legs[l].joints[k] == leg->joints[m])
                    return sft_core_fail(error, SFT_ERR_DEF, 0, 0, skeleton->names[leg->joints[m]],
                                         "creature: legs %d and %d share joint \"%s\"; each needs its own", (int)l,
                                         (int)index, skeleton->names[leg->joints[m]]);
    return SFT_OK;
}

static sft_result check_leg(const sft_creature_def* def, const sft_skeleton* skeleton, int32_t index, sft_error* error)
{
    const sft_creature_leg* leg = &def->legs[index];
    const sft_result result = check_leg_joints(def, skeleton, index, error);
    if (result != SFT_OK) return result;
    if ((int)leg->side < SFT_LEG_LEFT || (int)leg->side > SFT_LEG_MIDDLE)
        return sft_core_fail(error, SFT_ERR_DEF, 0, 0, "", "creature: leg %d, side is no side", (int)index);
    if (!sft_v3d_in_range(leg->home) || !sft_v3d_in_range(leg->bend))
        return sft_core_fail(error, SFT_ERR_RANGE, 0, 0, "", "creature: leg %d, home or bend is no place", (int)index);
    if (!(leg->ankle_offset >= 0 && leg->ankle_offset <= SFT_HUGE))
        return leg_fail(error, index, leg->ankle_offset, "ankle_offset", 0, SFT_HUGE);
    if (!(leg->step_distance > SFT_LENGTH_EPS && leg->step_distance <= SFT_HUGE))
        return leg_fail(error, index, leg->step_distance, "step_distance", SFT_LENGTH_EPS, SFT_HUGE);
    if (!(leg->step_angle > 1e-3 && leg->step_angle <= SFT_PI))
        return leg_fail(error, index, leg->step_angle, "step_angle", 1e-3, SFT_PI);
    if (!(leg->reach_min > 0 && leg->reach_min <= SFT_HUGE))
        return leg_fail(error, index, leg->reach_min, "reach_min", 0, SFT_HUGE);
    if (!(leg->reach_max > leg->reach_min && leg->reach_max <= SFT_HUGE))
        return leg_fail(error, index, leg->reach_max, "reach_max", leg->reach_min, SFT_HUGE);
    return SFT_OK;
}

// Turns are 0, 1, ... with a leg in each, every leg has one.
sft_result sft_creature_count_turns(const sft_creature_def* def, int32_t gait, int32_t* turns, int32_t* ground_feet,
                                    sft_error* error)
{
    int32_t of[SFT_MAX_LEGS] = {0}, most = 0;
    for (int32_t l = 0; l < def->leg_count; ++l)
    {
        const int32_t group = def->legs[l].group[gait];
        if (group < 0 || group >= def->leg_count)
            return sft_core_fail(error, SFT_ERR_DEF, 0, 0, "",
                                 "creature: leg %d has turn %d in gait %d, which is allowed; 0 to %d may be, or leave "
                                 "the gait out of gaits",
                                 (int)l, (int)group, (int)gait, (int)def->leg_count - 1);
        ++of[group];
        if (of[group] > most) most = of[group];
    }
    int32_t n = 0;
    while (n < def->leg_count && of[n] > 0)
        ++n;
    for (int32_t k = n; k < def->leg_count; ++k)
        if (of[k] > 0)
            return sft_core_fail(
                error, SFT_ERR_DEF, 0, 0, "",
                "creature: gait %d has turn %d but no leg at turn %d; number turns from 0 without gaps", (int)gait,
                (int)k, (int)n);
    *turns = n;
    *ground_feet = def->leg_count - most;
    return SFT_OK;
}

sft_result sft_creature_check(const sft_creature_def* def, const sft_skeleton* skeleton, sft_error* error)
{
    if (def->cookie != SFT_CREATURE_COOKIE)
        return sft_core_fail(error, SFT_ERR_DEF, 0, 0, "",
                             "creature: the def did not come from sft_default_creature_def or sft_creature_find");
    if (def->body < 0 || def->body >= skeleton->joint_count)
        return sft_core_fail(error, SFT_ERR_DEF, 0, 0, "", "creature: body names joint %d, of %d in the skeleton",
                             (int)def->body, (int)skeleton->joint_count);
    if (def->leg_count < 1 || def->leg_count > SFT_MAX_LEGS)
        return sft_core_fail(error, SFT_ERR_DEF, 0, 0, "", "creature: %d legs; 1 to %d may be", (int)def->leg_count,
                             SFT_MAX_LEGS);
    if (def->gaits == 0 || def->gaits >> SFT_GAIT_COUNT != 0)
        return sft_core_fail(error, SFT_ERR_DEF, 0, 0, "",
                             "creature: gaits allows none, or one that is not known; sft_creature_propose_groups says "
                             "which fit");
    sft_result result = check_fields(def, error);
    for (int32_t l = 0; l < def->leg_count && result == SFT_OK; ++l)
        result = check_leg(def, skeleton, l, error);
    if (result == SFT_OK) result = check_chains(def, skeleton, error);
    return result;
}
