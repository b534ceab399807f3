// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// A def checked, field by field, so that what is made of it cannot go wrong later.

#include "creature/fields.h"

// Numbers of the def itself: which table says what they may be, and how a message calls them.
typedef struct numbers
{
    const char* name;
    const sft_creature_table* (*table)(void);
    size_t at;
} numbers;
static const numbers groups[] = {
    {"motion.", sft_creature_motion_table, offsetof(sft_creature_def, motion)},
    {"swing.", sft_creature_swing_table, offsetof(sft_creature_def, swing)},
    {"bob.", sft_creature_bob_table, offsetof(sft_creature_def, bob)},
    {"aim.", sft_creature_aim_table, 0},
    {"tail.", sft_creature_tail_table, 0},
};
#define LEAST_SCALE 1e-4
#define MOST_SCALE 1e4

static bool is_vector(const sft_creature_field* f)
{
    return f->unit == SFT_CREATURE_VECTOR || f->unit == SFT_CREATURE_VECTOR_DEGREES;
}

static double value_of(const void* base, const sft_creature_field* f, int part)
{
    double x;
    memcpy(&x, (const char*)base + f->offset + (size_t)part * sizeof x, sizeof x);
    return x;
}

static uint64_t hash_table(uint64_t hash, const sft_creature_table* table, const void* base)
{
    for (size_t k = 0; k < table->count; ++k)
        for (int part = 0; part < (is_vector(&table->fields[k]) ? 3 : 1); ++part)
            hash = sft_creature_hash_double(hash, value_of(base, &table->fields[k], part));
    return hash;
}

uint64_t sft_creature_hash_fields(uint64_t hash, const sft_creature_def* def)
{
    hash = sft_creature_hash_double(hash, def->scale);
    for (size_t k = 0; k < SFT_COUNT_OF(groups); ++k)
        hash = hash_table(hash, groups[k].table(), (const char*)def + groups[k].at);
    return hash;
}

static sft_result fail(sft_error* error, double value, const char* what, double lo, double hi)
{
    return sft_core_fail(error, isfinite(value) ? SFT_ERR_DEF : SFT_ERR_RANGE, 0, 0, "",
                         "creature: %s is %g; it must lie from %g to %g", what, value, lo, hi);
}

// All numbers of a table, as the def keeps them: angles in radians, so called without the file's "_degrees".
static sft_result check_table(const sft_creature_table* table, const void* base, const char* before, sft_error* error)
{
    static const char suffix[] = "_degrees";
    for (size_t k = 0; k < table->count; ++k)
    {
        const sft_creature_field* f = &table->fields[k];
        const bool degrees = f->unit == SFT_CREATURE_DEGREES || f->unit == SFT_CREATURE_VECTOR_DEGREES;
        const double lo = degrees ? sft_creature_radians(f->min) : f->min;
        const double hi = degrees ? sft_creature_radians(f->max) : f->max;
        for (int part = 0; part < (is_vector(f) ? 3 : 1); ++part)
        {
            const double x = value_of(base, f, part);
            if (x >= lo && x <= hi) continue;
            char what[96];
            size_t length = sft_core_format(what, sizeof what, "%s%s", before, f->key);
            if (degrees && length > sizeof suffix) length -= sizeof suffix - 1;
            sft_core_format(what + length, sizeof what - length, "%s",
                            !is_vector(f) ? ""
                            : part == 0   ? ".x"
                            : part == 1   ? ".y"
                                          : ".z");
            return fail(error, x, what, lo, hi);
        }
    }
    return SFT_OK;
}

static sft_result check_fields(const sft_creature_def* def, sft_error* error)
{
    if (!(def->scale >= LEAST_SCALE && def->scale <= MOST_SCALE))
        return fail(error, def->scale, "scale", LEAST_SCALE, MOST_SCALE);
    for (size_t k = 0; k < SFT_COUNT_OF(groups); ++k)
    {
        const sft_result result =
            check_table(groups[k].table(), (const char*)def + groups[k].at, groups[k].name, error);
        if (result != SFT_OK) return result;
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

// The numbers of an entry of a list.
static sft_result check_entry(const sft_creature_table* table, const void* base, const char* what, int32_t index,
                              sft_error* error)
{
    char before[48];
    sft_core_format(before, sizeof before, "%s %d, ", what, (int)index);
    return check_table(table, base, before, error);
}

static sft_result check_links(const sft_creature_def* def, const sft_skeleton* skeleton, const sft_creature_link* links,
                              int32_t count, const char* what, sft_error* error)
{
    for (int32_t i = 0; i < count; ++i)
    {
        sft_result result = check_joint(def, skeleton, links[i].joint, what, i, error);
        if (result == SFT_OK) result = check_entry(sft_creature_link_table(), &links[i], what, i, error);
        if (result != SFT_OK) return result;
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
    return check_entry(sft_creature_arm_table(), arm, "arm", index, error);
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
        result = check_entry(sft_creature_eye_table(), eye, "eye", i, error);
    }
    for (int32_t i = 0; i < def->arm_count && result == SFT_OK; ++i)
        result = check_arm(def, skeleton, i, error);
    for (int32_t i = 0; i < def->tail_count && result == SFT_OK; ++i)
        result = check_joint(def, skeleton, def->tail[i], "tail joint", i, error);
    return result;
}

// ---- legs ----

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
    sft_result result = check_leg_joints(def, skeleton, index, error);
    if (result != SFT_OK) return result;
    if ((int)leg->side < SFT_LEG_LEFT || (int)leg->side > SFT_LEG_MIDDLE)
        return sft_core_fail(error, SFT_ERR_DEF, 0, 0, "", "creature: leg %d, side is no side", (int)index);
    result = check_entry(sft_creature_leg_table(), leg, "leg", index, error);
    if (result != SFT_OK || leg->reach_max > leg->reach_min) return result;
    return sft_core_fail(error, SFT_ERR_DEF, 0, 0, "",
                         "creature: leg %d, reach_max is %g; it must be above reach_min, %g", (int)index,
                         leg->reach_max, leg->reach_min);
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
