// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

#include "support/roam.h"

void roam_begin(roamer_kind kind, double scale, bool all_gaits, sft_ground ground, sft_xformd place, roam* out)
{
    memset(out, 0, sizeof *out);
    make_roamer(kind, &out->made);
    sft_creature_def* def = &out->made.def;
    def->scale = scale;
    if (all_gaits) assert_int_equal(sft_creature_propose_groups(def), SFT_OK);
    sft_error error = {0};
    const sft_result result = sft_creature_create(def, out->made.skeleton, NULL, &out->creature, &error);
    if (result != SFT_OK) print_message("%s\n", error.message);
    assert_int_equal(result, SFT_OK);
    const size_t size = sft_creature_state_size(out->creature);
    out->memory = malloc(size);
    assert_non_null(out->memory);
    out->ground = ground;
    out->input = (sft_creature_input){.kind = SFT_CREATURE_STAND};
    assert_int_equal(sft_creature_place(out->creature, place, &out->ground, out->memory, size, &out->state), SFT_OK);
    out->seen.least_down = def->leg_count;
}

void roam_end(roam* r)
{
    sft_creature_destroy(r->creature, NULL);
    release_roamer(&r->made);
    free(r->memory);
    memset(r, 0, sizeof *r);
}

// The actual foot joints, by forward kinematics of the pose.
static void watch_pose(roam* r)
{
    sft_xformd world[ROAMER_JOINTS];
    sft_creature_get_world(r->creature, r->state, world);
    const sft_creature_foot* feet = sft_creature_get_feet(r->creature, r->state);
    for (int32_t l = 0; l < r->made.def.leg_count; ++l)
    {
        const sft_creature_leg* leg = &r->made.def.legs[l];
        const sft_xformd* joint = &world[leg->joints[leg->joint_count - 1]];
        const double off = sft_v3d_distance(joint->t, feet[l].position) / r->made.def.scale;
        const sft_quatd d = sft_quatd_mul(sft_quatd_conjugate(joint->r), feet[l].rotation);
        const double turned = 2 * sqrt(d.x * d.x + d.y * d.y + d.z * d.z);
        r->seen.foot_off = off > r->seen.foot_off ? off : r->seen.foot_off;
        r->seen.foot_turned = turned > r->seen.foot_turned ? turned : r->seen.foot_turned;
        if (!(off < 1e9 && turned < 1e9)) r->seen.bad = true;
    }
}

static void watch(roam* r, const sft_creature_body* before, const sft_creature_foot* was)
{
    const sft_creature_def* def = &r->made.def;
    const sft_creature_body* body = sft_creature_get_body(r->state);
    const sft_creature_foot* feet = sft_creature_get_feet(r->creature, r->state);
    roam_seen* seen = &r->seen;
    bool group_up[SFT_MAX_LEGS] = {false};
    int32_t down = 0, up = 0;
    for (int32_t l = 0; l < def->leg_count; ++l)
    {
        const sft_creature_foot* f = &feet[l];
        if (!(sft_v3d_in_range(f->position) && fabs(sft_quatd_dot(f->rotation, f->rotation) - 1) < 1e-9))
            seen->bad = true;
        if (f->standing && !f->swinging) ++down;
        if (f->swinging) group_up[def->legs[l].group[body->gait]] = true;
        if (was[l].standing && !was[l].swinging && !f->swinging)
        {
            const double moved = sft_v3d_distance(f->position, was[l].position) / def->scale;
            seen->slip = moved > seen->slip ? moved : seen->slip;
        }
        if (was[l].swinging && !f->swinging)
        {
            const double x = was[l].to.x - was[l].from.x, z = was[l].to.z - was[l].from.z;
            ++seen->strides;
            seen->stride_sum += sqrt(x * x + z * z) / def->scale;
        }
    }
    for (int32_t g = 0; g < SFT_MAX_LEGS; ++g)
        up += group_up[g] ? 1 : 0;
    seen->in_air = up > seen->in_air ? up : seen->in_air;
    seen->least_down = down < seen->least_down ? down : seen->least_down;
    const double x = body->place.t.x - before->place.t.x, z = body->place.t.z - before->place.t.z;
    seen->way += sqrt(x * x + z * z);
    const double change = sft_v3d_distance(body->velocity, before->velocity);
    const double rise = fabs(body->place.t.y - before->place.t.y);
    seen->jerk = change > seen->jerk ? change : seen->jerk;
    seen->jump = rise > seen->jump ? rise : seen->jump;
    if (!sft_v3d_in_range(body->place.t) || !sft_v3d_in_range(body->velocity)) seen->bad = true;
}

void roam_steps(roam* r, int64_t count)
{
    sft_creature_foot was[SFT_MAX_LEGS];
    for (int64_t i = 0; i < count; ++i)
    {
        const sft_creature_body before = *sft_creature_get_body(r->state);
        memcpy(was, sft_creature_get_feet(r->creature, r->state), (size_t)r->made.def.leg_count * sizeof *was);
        r->input.ground = &r->ground;
        assert_int_equal(sft_creature_step(r->creature, &r->input, r->state), SFT_OK);
        watch(r, &before, was);
        watch_pose(r);
    }
}

void roam_step_counts(const roam* r, int64_t* least, int64_t* most)
{
    const sft_creature_foot* feet = sft_creature_get_feet(r->creature, r->state);
    *least = *most = feet[0].steps;
    for (int32_t l = 1; l < r->made.def.leg_count; ++l)
    {
        *least = feet[l].steps < *least ? feet[l].steps : *least;
        *most = feet[l].steps > *most ? feet[l].steps : *most;
    }
}
