// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

#include "support/roam.h"

// Scale 1 [m]: a joint that moves less in a step rests. The eased swing's first step is thousands of times this.
#define STILL 1e-9

static const sft_xformd* foot_of(const roam* r, const sft_xformd* world, int32_t leg)
{
    return &world[r->made.def.legs[leg].joints[r->made.def.legs[leg].joint_count - 1]];
}

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
    sft_xformd world[ROAMER_JOINTS];
    sft_creature_get_world(out->creature, out->state, world);
    for (int32_t l = 0; l < def->leg_count; ++l)
        out->before[l] = *foot_of(out, world, l);
}

void roam_end(roam* r)
{
    sft_creature_destroy(r->creature, NULL);
    release_roamer(&r->made);
    free(r->memory);
    memset(r, 0, sizeof *r);
}

static double turned(sft_quatd a, sft_quatd b)
{
    const sft_quatd d = sft_quatd_mul(sft_quatd_conjugate(a), b);
    return 2 * sqrt(d.x * d.x + d.y * d.y + d.z * d.z);
}

static double more(double most, double is)
{
    return is > most ? is : most;
}

// One foot joint after a step. Answers whether it moves.
static bool watch_foot(roam* r, int32_t l, const sft_xformd* joint)
{
    const sft_creature_foot* foot = &sft_creature_get_feet(r->creature, r->state)[l];
    const double scale = r->made.def.scale;
    const double off = sft_v3d_distance(joint->t, foot->position) / scale, turn = turned(joint->r, foot->rotation);
    r->seen.foot_off = more(r->seen.foot_off, off);
    r->seen.foot_turned = more(r->seen.foot_turned, turn);
    if (!(off < 1e9 && turn < 1e9)) r->seen.bad = true;
    const bool supports = foot->standing && !foot->swinging;
    if (supports && !r->supports[l]) r->down[l] = *joint;
    r->supports[l] = supports;
    if (supports)
    {
        r->seen.slip = more(r->seen.slip, sft_v3d_distance(joint->t, r->down[l].t) / scale);
        r->seen.turned = more(r->seen.turned, turned(joint->r, r->down[l].r));
    }
    const bool moves = !(sft_v3d_distance(joint->t, r->before[l].t) <= STILL * scale);
    if (moves && !r->moves[l])
    {
        ++r->steps[l];
        r->rests[l] = r->before[l];
    }
    if (!moves && r->moves[l])
    {
        const double x = joint->t.x - r->rests[l].t.x, z = joint->t.z - r->rests[l].t.z;
        ++r->seen.strides;
        r->seen.stride_sum += sqrt(x * x + z * z) / scale;
    }
    r->moves[l] = moves;
    r->before[l] = *joint;
    return moves;
}

static void watch(roam* r, const sft_creature_body* before)
{
    const sft_creature_def* def = &r->made.def;
    const sft_creature_body* body = sft_creature_get_body(r->state);
    roam_seen* seen = &r->seen;
    sft_xformd world[ROAMER_JOINTS];
    sft_creature_get_world(r->creature, r->state, world);
    bool group_up[SFT_MAX_LEGS] = {false};
    int32_t down = 0, up = 0;
    for (int32_t l = 0; l < def->leg_count; ++l)
        if (watch_foot(r, l, foot_of(r, world, l)))
            group_up[def->legs[l].group[body->gait]] = true;
        else
            ++down;
    for (int32_t g = 0; g < SFT_MAX_LEGS; ++g)
        up += group_up[g] ? 1 : 0;
    seen->in_air = up > seen->in_air ? up : seen->in_air;
    seen->least_down = down < seen->least_down ? down : seen->least_down;
    const double x = body->place.t.x - before->place.t.x, z = body->place.t.z - before->place.t.z;
    seen->way += sqrt(x * x + z * z);
    seen->jerk = more(seen->jerk, sft_v3d_distance(body->velocity, before->velocity));
    seen->jump = more(seen->jump, fabs(body->place.t.y - before->place.t.y));
    if (!sft_v3d_in_range(body->place.t) || !sft_v3d_in_range(body->velocity)) seen->bad = true;
}

void roam_steps(roam* r, int64_t count)
{
    for (int64_t i = 0; i < count; ++i)
    {
        const sft_creature_body before = *sft_creature_get_body(r->state);
        r->input.ground = &r->ground;
        assert_int_equal(sft_creature_step(r->creature, &r->input, r->state), SFT_OK);
        watch(r, &before);
    }
}

void roam_step_counts(const roam* r, int64_t* least, int64_t* most)
{
    *least = *most = r->steps[0];
    for (int32_t l = 1; l < r->made.def.leg_count; ++l)
    {
        *least = r->steps[l] < *least ? r->steps[l] : *least;
        *most = r->steps[l] > *most ? r->steps[l] : *most;
    }
}
