// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// Foot IK on ground at run time, one character, one step: everything is read and checked, worked out in scratch, and
// only then written.

#include "adapt/update.h"

static const double HEEL_LIFT = 40.0 * SFT_PI / 180.0;
// [m] and [rad]: a foot that is changed by less stays as it is, bits and all.
static const double NO_CHANGE = 1e-9;
// Of the chain: length over which a leg's limit is approached, so that knees do not snap straight.
static const double SOFTNESS = 0.02;
// What is left of a step after smooth_time: (1 + 5) exp(-5), a twenty-fifth.
static const double RATE_TIMES = 5.0;
static const double PELVIS_SLOWER = 3.0;

size_t sft_adapt_scratch_size(const sft_skeleton* skeleton, int32_t leg_count)
{
    if (skeleton == NULL || leg_count < 1 || leg_count > SFT_MAX_LEGS) return 0;
    return (size_t)leg_count * sizeof(au_leg);
}

// ---- checks ----

static bool follow_ok(const sft_adapt_follow* f)
{
    return fabs(f->value) <= SFT_HUGE && fabs(f->velocity) <= SFT_HUGE * SFT_HUGE && fabs(f->goal) <= SFT_HUGE;
}

static bool leg_state_ok(const sft_adapt_leg_state* s)
{
    bool ok = follow_ok(&s->height) && follow_ok(&s->weight) && sft_v3d_in_range(s->toe) && s->steps >= 0 &&
              s->steps <= 2 && sft_v3d_in_range(s->held.point) && sft_v3d_in_range(s->witness) &&
              sft_v3d_in_range(s->held.normal) && sft_v3d_in_range(s->witness_normal) && s->step >= 0.0 &&
              s->lost_time >= 0.0 && fabs(s->landing) <= SFT_HUGE && isfinite(s->toe_velocity.x) &&
              isfinite(s->toe_velocity.z) && fabs(sft_quatd_dot(s->held.tilt, s->held.tilt)) <= 2.0 &&
              fabs(sft_quatd_dot(s->held.toe_tilt, s->held.toe_tilt)) <= 2.0;
    for (int k = 0; k < 3; ++k)
        ok = ok && follow_ok(&s->tilt[k]) && follow_ok(&s->toe_tilt[k]);
    return ok && follow_ok(&s->aside[0]) && follow_ok(&s->aside[1]);
}

static bool leg_ok(const sft_leg* leg)
{
    return sft_v3d_in_range(leg->knee_side) && fabs(leg->heel_min) <= SFT_HUGE && fabs(leg->toe_min) <= SFT_HUGE &&
           fabs(leg->toe_end_min) <= SFT_HUGE;
}

// ---- preparing ----

// What the leg may stretch to: softly up to max_extension, or as far as the source does.
static void set_reach(const sft_adapt_def* def, au_leg* a)
{
    const sft_leg_pose* p = &a->source;
    const double chain = sft_v3d_distance(p->hip.t, p->knee.t) + sft_v3d_distance(p->knee.t, p->heel.t);
    const double own = sft_v3d_distance(p->hip.t, p->heel.t), most = def->max_extension * chain;
    a->softening = sft_clampd(most - own, 0.0, sft_mind(SOFTNESS * chain, 0.5 * most));
    a->fraction = chain > 0.0 ? sft_maxd((most - a->softening) / chain, 1e-9) : def->max_extension;
    a->reach = sft_maxd(own, most - a->softening);
}

static sft_result prepare(const sft_adapt_def* def, const sft_adapt_input* in, const sft_adapt_leg_state* states,
                          const sft_v3d* local_t, const sft_quatd* local_r, int32_t l, au_leg* a)
{
    *a = (au_leg){
        .leg = in->legs + l, .s = states[l], .contact = in->contacts[l], .wanted_weight = 1.0, .landing_time = -1.0};
    const sft_result r = sft_leg_pose_read(in->skeleton, a->leg, local_t, local_r, &a->source);
    if (r != SFT_OK) return r;
    if (!leg_ok(a->leg) || !sft_adapt_pose_ok(a->leg, &a->source)) return SFT_ERR_RANGE;
    if (states[l].steps != 0 && !leg_state_ok(&states[l])) return SFT_ERR_RANGE;
    if (in->weights) a->wanted_weight = in->weights[l];
    if (!(a->wanted_weight >= 0.0 && a->wanted_weight <= 1.0)) return SFT_ERR_RANGE;
    a->foot = a->source;
    if (in->toes)
    {
        const sft_v3d to = in->toes[l], toe = a->source.toe.t;
        if (!sft_v3d_in_range(to)) return SFT_ERR_RANGE;
        sft_adapt_move_foot(&a->foot, sft_v3d_make(to.x - toe.x, 0.0, to.z - toe.z));
        if (!sft_adapt_pose_ok(a->leg, &a->foot)) return SFT_ERR_RANGE;
    }
    if (a->s.steps == 0) a->s = (sft_adapt_leg_state){0};
    a->length = sft_adapt_leg_length(&a->source);
    set_reach(def, a);
    return SFT_OK;
}

// The joint that carries all legs: the lowest that is above every hip; -1: none.
static int32_t carrier(const sft_skeleton* skeleton, const sft_leg* legs, int32_t count)
{
    int32_t j = skeleton->parents[legs[0].hip];
    if (count == 1 && legs[0].pelvis >= 0 && legs[0].pelvis < legs[0].hip) j = legs[0].pelvis;
    for (int32_t l = 1; l < count; ++l)
    {
        // Parents come first, so the greater of the two is never above the other.
        int32_t other = skeleton->parents[legs[l].hip];
        while (j != other && j >= 0 && other >= 0)
        {
            if (j > other)
                j = skeleton->parents[j];
            else
                other = skeleton->parents[other];
        }
        if (j != other) return -1;
    }
    return j;
}

// ---- solving ----

static bool same_turn(sft_quatd q)
{
    return fabs(q.x) <= NO_CHANGE && fabs(q.y) <= NO_CHANGE && fabs(q.z) <= NO_CHANGE;
}

static void move_pose(const au_step* step, double lift, sft_leg_pose* pose)
{
    sft_xformd* joints[5] = {&pose->hip, &pose->knee, &pose->heel, &pose->toe, &pose->toe_end};
    for (int k = 0; k < 5; ++k)
    {
        joints[k]->t = sft_adapt_turned(step, joints[k]->t);
        joints[k]->t.y += lift;
        if (step->turned) joints[k]->r = sft_quatd_mul(step->turn, joints[k]->r);
    }
}

static bool goes_with_body(const au_step* step, sft_quatd turn)
{
    if (!step->turned) return same_turn(turn);
    return same_turn(sft_quatd_mul(sft_quatd_conjugate(step->turn), turn));
}

// Foot and toes of the source turned as they are put, on the leg of `pose`.
static void turn_foot(const sft_leg* leg, const au_put* put, const sft_leg_pose* source, sft_leg_pose* pose)
{
    const sft_v3d foot = sft_v3d_sub(source->toe.t, source->heel.t);
    const sft_v3d end = sft_v3d_sub(source->toe_end.t, source->toe.t);
    pose->heel.r = sft_quatd_normalize(sft_quatd_mul(put->foot, source->heel.r));
    if (leg->toe == leg->heel)
    {
        pose->toe = pose->heel;
        return;
    }
    pose->toe.t = sft_v3d_add(pose->heel.t, sft_quatd_rotate(put->foot, foot));
    pose->toe.r = sft_quatd_normalize(sft_quatd_mul(put->toe_turn, source->toe.r));
    pose->toe_end.t = sft_v3d_add(pose->toe.t, sft_quatd_rotate(put->toe_turn, end));
}

static sft_result solve(const au_step* step, double lift, au_leg* a, sft_leg_report* report)
{
    const au_put put = sft_adapt_put_foot(step, a, lift, false);
    const sft_v3d with = sft_adapt_turned(step, a->source.toe.t);
    const sft_v3d off = sft_v3d_sub(put.toe, sft_v3d_add(with, sft_v3d_make(0, lift, 0)));
    a->solved =
        !goes_with_body(step, put.foot) || !goes_with_body(step, put.toe_turn) || sft_v3d_length(off) > NO_CHANGE;
    if (!a->solved) return SFT_OK;
    sft_leg_solve_def def = sft_default_leg_solve_def();
    def.max_extension = a->fraction;
    def.softening = a->softening;
    def.toe_aim = false;
    def.heel_lift = HEEL_LIFT;
    const sft_leg_pose source = a->source;
    move_pose(step, lift, &a->source);
    a->after = a->source;
    turn_foot(a->leg, &put, step->turned ? &source : &a->source, &a->after);
    const sft_quatd toe_r = a->after.toe.r;
    const sft_v3d end = sft_v3d_sub(a->after.toe_end.t, a->after.toe.t);
    const sft_result r = sft_leg_solve(&def, a->leg, put.toe, &a->after, report);
    if (r == SFT_OK && report->heel_lift > 0.0 && a->leg->toe != a->leg->heel)
    {
        // The foot rises over its ball; the toes stay as they lay, and do not dig in.
        a->after.toe.r = toe_r;
        a->after.toe_end.t = sft_v3d_add(a->after.toe.t, end);
    }
    return r;
}

static void add_report(const au_leg* a, int32_t l, const sft_leg_report* leg, sft_adapt_report* r)
{
    if (!(a->s.weight.goal > 0.0) && a->wanted_weight > 0.0) r->lost |= UINT64_C(1) << l;
    r->tilt_lost = sft_maxd(r->tilt_lost, a->s.held.tilt_lost * sft_clampd(a->s.weight.value, 0.0, 1.0));
    r->aside = sft_maxd(r->aside, sft_v3d_length(a->aside));
    if (!a->solved) return;
    r->toe_miss = sft_maxd(r->toe_miss, leg->toe_miss);
    r->heel_lift = sft_maxd(r->heel_lift, leg->heel_lift);
}

// The joint that carries all legs takes the body's turn, and what it moves by, in the space of its parent.
static void move_body(const au_step* step, const sft_skeleton* skeleton, int32_t joint, double lift, sft_v3d* local_t,
                      sft_quatd* local_r)
{
    const int32_t parent = skeleton->parents[joint];
    const sft_xformd above = parent >= 0 ? sft_skeleton_joint_model(skeleton, local_t, local_r, parent)
                                         : (sft_xformd){{0, 0, 0}, sft_quatd_identity()};
    const sft_v3d up = sft_v3d_make(0, 1, 0);
    if (step->turned)
    {
        const sft_v3d at = sft_xformd_apply(above, local_t[joint]);
        const sft_v3d by = sft_v3d_sub(sft_adapt_turned(step, at), at);
        const sft_quatd turn = sft_quatd_mul(step->turn, sft_quatd_mul(above.r, local_r[joint]));
        local_t[joint] = sft_v3d_add(local_t[joint], sft_quatd_unrotate(above.r, by));
        local_r[joint] = sft_quatd_normalize(sft_quatd_mul(sft_quatd_conjugate(above.r), turn));
    }
    if (lift != 0.0)
        local_t[joint] = sft_v3d_madd(local_t[joint], lift, parent < 0 ? up : sft_quatd_unrotate(above.r, up));
}

static au_step make_step(const sft_adapt_def* def, const sft_ground* ground, double dt)
{
    const double rate = def->smooth_time > 0.0 ? RATE_TIMES / def->smooth_time : INFINITY;
    return (au_step){.def = def, .ground = ground, .dt = dt, .rate = rate, .pelvis_rate = rate / PELVIS_SLOWER};
}

static sft_result check(const sft_adapt_def* def, const sft_adapt_input* in, double dt, const sft_adapt_state* state)
{
    if (in->skeleton == NULL || in->legs == NULL || in->contacts == NULL || in->ground == NULL ||
        in->ground->query == NULL || in->leg_count < 1 || in->leg_count > SFT_MAX_LEGS)
        return SFT_ERR_ARG;
    if (!sft_adapt_def_ok(def)) return SFT_ERR_DEF;
    if (!(dt >= 0.0 && dt <= SFT_HUGE)) return SFT_ERR_RANGE;
    if (state->started && (!follow_ok(&state->rise) || !follow_ok(&state->drop) || !follow_ok(&state->pitch) ||
                           !(fabs(state->floor) <= SFT_HUGE) || !(state->idle >= 0.0) ||
                           !isfinite(state->drop_acceleration) || !sft_v3d_in_range(state->hips)))
        return SFT_ERR_RANGE;
    return SFT_OK;
}

sft_result sft_adapt_update(const sft_adapt_def* def, const sft_adapt_input* input, double dt, sft_adapt_state* state,
                            sft_adapt_leg_state* states, sft_v3d* local_t, sft_quatd* local_r, void* scratch,
                            size_t scratch_size, sft_adapt_report* report)
{
    if (def == NULL || input == NULL || state == NULL || states == NULL || local_t == NULL || local_r == NULL ||
        scratch == NULL)
        return SFT_ERR_ARG;
    sft_result r = check(def, input, dt, state);
    if (r != SFT_OK) return r;
    const int32_t count = input->leg_count;
    if (scratch_size < sft_adapt_scratch_size(input->skeleton, count)) return SFT_ERR_MEMORY;
    au_leg* legs = scratch;
    au_step step = make_step(def, input->ground, dt);
    for (int32_t l = 0; l < count; ++l)
        if ((r = prepare(def, input, states, local_t, local_r, l, &legs[l])) != SFT_OK) return r;
    step.travel = sft_adapt_travel(legs, count, state, dt);
    for (int32_t l = 0; l < count; ++l)
    {
        sft_adapt_move_aside(&step, &legs[l]);
        sft_adapt_update_foot(&step, &legs[l]);
    }

    sft_adapt_state body = state->started ? *state : (sft_adapt_state){0};
    const int32_t joint = carrier(input->skeleton, input->legs, count);
    if (joint >= 0) sft_adapt_update_pitch(&step, legs, count, &body);
    sft_adapt_update_body(&step, legs, count, &body);
    double lift = joint >= 0 ? body.rise.value - def->floor - body.drop.value : 0.0;
    if (fabs(lift) <= NO_CHANGE) lift = 0.0;
    sft_adapt_report total = {.pelvis_shift = lift, .pitch = step.pitch};
    for (int32_t l = 0; l < count; ++l)
    {
        sft_leg_report leg = {0};
        if ((r = solve(&step, lift, &legs[l], &leg)) != SFT_OK) return r;
        add_report(&legs[l], l, &leg, &total);
    }

    if (lift != 0.0 || step.turned) move_body(&step, input->skeleton, joint, lift, local_t, local_r);
    for (int32_t l = 0; l < count; ++l)
    {
        // Cannot fail: the legs were read.
        if (legs[l].solved) sft_leg_pose_write(legs[l].leg, &legs[l].source, &legs[l].after, local_r);
        states[l] = legs[l].s;
    }
    *state = body;
    if (report != NULL) *report = total;
    return SFT_OK;
}
