// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// Creatures and states for looking at poses alone: place, feet and motion are the test's to set.
#ifndef SUREFOOT_SUPPORT_POSING_H
#define SUREFOOT_SUPPORT_POSING_H

#include "support/roamers.h"

#include "creature/creature.h"
#include "support/angles.h"

typedef struct poser
{
    roamer made;
    sft_creature* creature;
    sft_creature_state* state; ///< at rest at the origin, feet at their homes
    sft_xformd* model;         ///< joint_count, written by poser_model
} poser;

static inline sft_quatd any_rotation(support_rng* rng)
{
    sft_quatd q = {support_uniform(rng, -1, 1), support_uniform(rng, -1, 1), support_uniform(rng, -1, 1),
                   support_uniform(rng, -1, 1)};
    return sft_quatd_normalize(q);
}

static inline void assert_near(double is, double wanted, double within)
{
    if (fabs(is - wanted) <= within) return;
    print_error("%.17g, not %.17g\n", is, wanted);
    fail();
}

/// The same joints at the same places with any local axes; seed 0: leaves all as they are.
static inline void turn_axes(roamer* made, uint64_t seed)
{
    if (seed == 0) return;
    support_rng rng = {seed};
    sft_skeleton* s = made->skeleton;
    sft_xformd model[ROAMER_JOINTS];
    sft_v3d local_t[ROAMER_JOINTS];
    sft_quatd local_r[ROAMER_JOINTS];
    sft_skeleton_forward(s, s->rest_translations, s->rest_rotations, model);
    for (int32_t j = 0; j < s->joint_count; ++j)
    {
        model[j].r = any_rotation(&rng);
        int32_t p = s->parents[j];
        local_t[j] = p < 0 ? model[j].t : sft_quatd_unrotate(model[p].r, sft_v3d_sub(model[j].t, model[p].t));
        local_r[j] = p < 0 ? model[j].r : sft_quatd_mul(sft_quatd_conjugate(model[p].r), model[j].r);
    }
    sft_skeleton def = *s;
    def.rest_translations = local_t;
    def.rest_rotations = local_r;
    assert_int_equal(sft_skeleton_create(&def, NULL, &made->skeleton), SFT_OK);
    sft_skeleton_destroy(s, NULL);
}

/// A creature as far as poses need it.
static inline sft_creature* prepared(const roamer* made)
{
    sft_creature* c = calloc(1, sizeof *c);
    assert_non_null(c);
    c->def = made->def;
    c->skeleton = made->skeleton;
    c->facing = sft_quatd_between(sft_v3d_make(0, 0, 1), made->def.forward);
    c->rest = calloc((size_t)made->skeleton->joint_count, sizeof *c->rest);
    c->limbs = calloc((size_t)made->def.leg_count + 1, sizeof *c->limbs);
    assert_non_null(c->rest);
    assert_non_null(c->limbs);
    sft_skeleton_forward(c->skeleton, c->skeleton->rest_translations, c->skeleton->rest_rotations, c->rest);
    for (int32_t g = 0; g < SFT_GAIT_COUNT; ++g)
    {
        for (int32_t l = 0; l < c->def.leg_count; ++l)
            if (c->def.legs[l].group[g] >= c->turns[g]) c->turns[g] = c->def.legs[l].group[g] + 1;
        c->safe_speed[g] = 0.3;
    }
    c->state_size = sft_creature_feet_at() +
                    (size_t)c->def.leg_count * (sizeof(sft_creature_foot) + sizeof(sft_ik_bend)) +
                    (size_t)c->skeleton->joint_count * (sizeof(sft_v3d) + sizeof(sft_quatd));
    sft_error error = {0};
    sft_result result = sft_creature_prepare_pose(c, &error);
    if (result != SFT_OK) print_error("%s\n", error.message);
    assert_int_equal(result, SFT_OK);
    return c;
}

/// Puts place and feet back to rest.
static inline void poser_rest(poser* p)
{
    const sft_creature* c = p->creature;
    p->state->body = (sft_creature_body){.place = {{0, 0, 0}, sft_quatd_identity()}, .group = -1, .last_group = -1};
    while (p->state->body.gait < SFT_GAIT_COUNT - 1 && (c->def.gaits >> p->state->body.gait & 1) == 0)
        ++p->state->body.gait;
    sft_creature_reset_pose(c, p->state);
    sft_creature_foot* feet = sft_creature_feet(p->state);
    for (int32_t l = 0; l < c->def.leg_count; ++l)
    {
        const sft_creature_leg* leg = &c->def.legs[l];
        feet[l] = (sft_creature_foot){.rotation = c->rest[leg->joints[leg->joint_count - 1]].r, .standing = true};
        feet[l].position = sft_creature_to_world(c, &p->state->body.place, leg->home);
    }
}

/// Takes over what *made owns.
static inline void make_poser(const roamer* made, poser* out)
{
    memset(out, 0, sizeof *out);
    out->made = *made;
    size_t joints = (size_t)made->skeleton->joint_count;
    out->creature = prepared(made);
    out->model = calloc(joints, sizeof *out->model);
    out->state = calloc(1, out->creature->state_size);
    assert_non_null(out->model);
    assert_non_null(out->state);
    poser_rest(out);
}

static inline void release_poser(poser* p)
{
    free(p->creature->rest);
    free(p->creature->limbs);
    free(p->creature);
    free(p->state);
    free(p->model);
    release_roamer(&p->made);
    memset(p, 0, sizeof *p);
}

/// Makes the pose; looks at `look` (null: ahead).
static inline void poser_pose(poser* p, const sft_v3d* look)
{
    sft_creature_input input = {.look = look};
    sft_creature_make_pose(p->creature, &input, p->state);
}

/// Places of all joints in the world, by sft_skeleton_forward and the place alone.
static inline const sft_xformd* poser_model(poser* p)
{
    const sft_skeleton* s = p->creature->skeleton;
    sft_skeleton_forward(s, sft_creature_local_t(p->creature, p->state), sft_creature_local_r(p->creature, p->state),
                         p->model);
    sft_xformd place = p->state->body.place;
    for (int32_t j = 0; j < s->joint_count; ++j)
    {
        sft_v3d scaled = sft_v3d_scale(p->creature->def.scale, p->model[j].t);
        p->model[j] = (sft_xformd){sft_xformd_apply(place, scaled), sft_quatd_mul(place.r, p->model[j].r)};
    }
    return p->model;
}

/// Largest distance [m] over scale, and angle [rad], of feet as posed to feet as held.
static inline double poser_miss(poser* p, double* turn)
{
    const sft_xformd* model = poser_model(p);
    const sft_creature_foot* feet = sft_creature_feet(p->state);
    double worst = 0;
    *turn = 0;
    for (int32_t l = 0; l < p->creature->def.leg_count; ++l)
    {
        const sft_creature_leg* leg = &p->creature->def.legs[l];
        sft_xformd foot = model[leg->joints[leg->joint_count - 1]];
        double miss = sft_v3d_distance(foot.t, feet[l].position) / p->creature->def.scale;
        if (!(miss <= worst)) worst = miss;
        double angle = angle_between(foot.r, feet[l].rotation);
        if (!(angle <= *turn)) *turn = angle;
    }
    return worst;
}

#endif
