// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// The calls on crowds: what is checked once a call, and the choice of a path. The work is in kernel.inc.

#include "crowd/crowd_internal.h"

#include "leg/solve_internal.h"

#define COOKIE 0xc40dd0fau
#define MAX_SECONDS 3600.0f

sft_crowd_def sft_default_crowd_def(void)
{
    return (sft_crowd_def){
        .lock_distance = 0.01f,
        .unlock_distance = 0.25f,
        .blend_time = 0.5f,
        .teleport_speed = 30.0f,
        .contact_threshold = 0.75f,
        .leg = sft_default_leg_solve_def(),
        .path = SFT_CROWD_BEST,
        .cookie = COOKIE,
    };
}

// ---- paths ----

bool sft_crowd_has_path(sft_crowd_path path)
{
    switch (path)
    {
    case SFT_CROWD_BEST:
    case SFT_CROWD_SCALAR:
        return true;
    case SFT_CROWD_SSE2:
        return SFT_CROWD_HAS_SSE2 != 0;
    case SFT_CROWD_AVX2:
    case SFT_CROWD_AVX512:
#if SFT_CROWD_HAS_AVX
        // Looks into what the compiler's start-up code asked the processor once; asking anew is slow on virtual
        // machines.
        if (path == SFT_CROWD_AVX2) return __builtin_cpu_supports("avx2") != 0;
        return __builtin_cpu_supports("avx512f") != 0;
#else
        return false;
#endif
    case SFT_CROWD_WASM:
        return SFT_CROWD_HAS_WASM != 0;
    case SFT_CROWD_NEON:
        return SFT_CROWD_HAS_NEON != 0;
    }
    return false;
}

sft_crowd_path sft_crowd_best_path(void)
{
    static const sft_crowd_path best_first[] = {SFT_CROWD_AVX512, SFT_CROWD_AVX2, SFT_CROWD_SSE2, SFT_CROWD_WASM,
                                                SFT_CROWD_NEON};
    for (size_t i = 0; i < sizeof best_first / sizeof best_first[0]; ++i)
        if (sft_crowd_has_path(best_first[i])) return best_first[i];
    return SFT_CROWD_SCALAR;
}

static sft_result run(sft_crowd_path path, const sft_crowd_job* job, int32_t count)
{
    if (!sft_crowd_has_path(path)) return SFT_ERR_UNSUPPORTED;
    bool good;
    switch (path == SFT_CROWD_BEST ? sft_crowd_best_path() : path)
    {
    case SFT_CROWD_AVX512:
        good = sft_crowd_run_avx512(job, count);
        break;
    case SFT_CROWD_AVX2:
        good = sft_crowd_run_avx2(job, count);
        break;
    case SFT_CROWD_SSE2:
    case SFT_CROWD_WASM:
    case SFT_CROWD_NEON:
        good = sft_crowd_run_vec4(job, count);
        break;
    default:
        good = sft_crowd_run_scalar(job, count);
    }
    return good ? SFT_OK : SFT_ERR_RANGE;
}

// ---- arrays ----

// False where an array is there in part, or is not there though it is `needed`.
static bool take_v3(const float** in, sft_v3_array a, bool needed)
{
    in[0] = a.x;
    in[1] = a.y;
    in[2] = a.z;
    if (a.x == NULL) return !needed;
    return a.y != NULL && a.z != NULL;
}

static bool give_v3(float** out, sft_v3_array a, bool needed)
{
    out[0] = a.x;
    out[1] = a.y;
    out[2] = a.z;
    if (a.x == NULL) return !needed;
    return a.y != NULL && a.z != NULL;
}

static bool take_quat(const float** in, sft_quat_array a)
{
    in[0] = a.x;
    in[1] = a.y;
    in[2] = a.z;
    in[3] = a.w;
    return a.x != NULL && a.y != NULL && a.z != NULL && a.w != NULL;
}

static bool give_quat(float** out, sft_quat_array a)
{
    out[0] = a.x;
    out[1] = a.y;
    out[2] = a.z;
    out[3] = a.w;
    return a.x != NULL && a.y != NULL && a.z != NULL && a.w != NULL;
}

static bool take_legs(const sft_crowd_legs* l, bool locks, sft_crowd_job* job)
{
    const bool clamp = job->height_clamp, ends = l->pose.toe_end.x != NULL;
    bool ok = take_v3(job->in + SFT_CROWD_IN_HIP, l->pose.hip, true);
    ok = take_v3(job->in + SFT_CROWD_IN_KNEE, l->pose.knee, true) && ok;
    ok = take_v3(job->in + SFT_CROWD_IN_HEEL, l->pose.heel, true) && ok;
    ok = take_v3(job->in + SFT_CROWD_IN_TOE, l->pose.toe, true) && ok;
    ok = take_v3(job->in + SFT_CROWD_IN_TOE_END, l->pose.toe_end, false) && ok;
    ok = take_quat(job->in + SFT_CROWD_IN_HIP_R, l->pose.hip_r) && ok;
    ok = take_quat(job->in + SFT_CROWD_IN_KNEE_R, l->pose.knee_r) && ok;
    ok = take_quat(job->in + SFT_CROWD_IN_HEEL_R, l->pose.heel_r) && ok;
    ok = take_quat(job->in + SFT_CROWD_IN_TOE_R, l->pose.toe_r) && ok;
    ok = take_v3(job->in + SFT_CROWD_IN_SIDE, l->knee_side, true) && ok;
    ok = take_v3(job->in + SFT_CROWD_IN_TARGET, l->target, !locks) && ok;
    job->in[SFT_CROWD_IN_HEEL_MIN] = l->heel_min;
    job->in[SFT_CROWD_IN_TOE_MIN] = l->toe_min;
    job->in[SFT_CROWD_IN_TOE_END_MIN] = l->toe_end_min;
    if (clamp) ok = ok && l->heel_min != NULL && l->toe_min != NULL;
    if (clamp && ends && job->toe_aim) ok = ok && l->toe_end_min != NULL;
    ok = give_v3(job->out + SFT_CROWD_OUT_KNEE, l->out.knee, true) && ok;
    ok = give_v3(job->out + SFT_CROWD_OUT_HEEL, l->out.heel, true) && ok;
    ok = give_v3(job->out + SFT_CROWD_OUT_TOE, l->out.toe, true) && ok;
    ok = give_v3(job->out + SFT_CROWD_OUT_TOE_END, l->out.toe_end, ends) && ok;
    ok = give_quat(job->out + SFT_CROWD_OUT_HIP_R, l->out.hip_r) && ok;
    ok = give_quat(job->out + SFT_CROWD_OUT_KNEE_R, l->out.knee_r) && ok;
    ok = give_quat(job->out + SFT_CROWD_OUT_HEEL_R, l->out.heel_r) && ok;
    ok = give_quat(job->out + SFT_CROWD_OUT_TOE_R, l->out.toe_r) && ok;
    job->out[SFT_CROWD_OUT_HEEL_MISS] = l->heel_miss;
    job->out[SFT_CROWD_OUT_TOE_MISS] = l->toe_miss;
    job->flags = l->flags;
    return ok;
}

static bool take_feet(const sft_crowd_feet* f, sft_v3_array toe, sft_crowd_job* job)
{
    bool ok = take_v3(job->in + SFT_CROWD_IN_FOOT, toe, true);
    ok = take_v3(job->in + SFT_CROWD_IN_VELOCITY, f->velocity, false) && ok;
    ok = take_v3(job->in + SFT_CROWD_IN_PLANT, f->plant, false) && ok;
    ok = take_v3(job->in + SFT_CROWD_IN_BODY_VELOCITY, f->body_velocity, false) && ok;
    job->in[SFT_CROWD_IN_CONTACT] = f->contact;
    job->in[SFT_CROWD_IN_CONTACT_HEIGHT] = f->contact_height;
    job->in[SFT_CROWD_IN_RELEASE] = f->release;
    job->in[SFT_CROWD_IN_TELEPORT] = f->teleport;
    job->states = f->states;
    return ok && f->contact != NULL && f->states != NULL;
}

// ---- settings ----

static bool def_ok(const sft_crowd_def* def)
{
    return def->cookie == COOKIE && def->lock_distance >= 0.0f && def->unlock_distance >= 0.0f &&
           def->blend_time >= 0.0f && def->blend_time <= MAX_SECONDS && def->teleport_speed >= 0.0f &&
           fabsf(def->contact_threshold) <= (float)SFT_HUGE && sft_leg_def_ok(&def->leg);
}

static void take_def(const sft_crowd_def* def, float dt, sft_crowd_job* job)
{
    const sft_leg_solve_def* leg = &def->leg;
    job->extension = leg->extension;
    job->height_clamp = leg->height_clamp;
    job->heel_aim = leg->heel_aim;
    job->toe_aim = leg->toe_aim;
    job->keep_foot = leg->keep_foot;
    job->max_extension = (float)leg->max_extension;
    job->softening = (float)leg->softening;
    job->ground_height = (float)leg->ground_height;
    job->heel_lift = leg->heel_lift > 0.0;
    job->lift_sine = (float)sft_sin(leg->heel_lift);
    job->lift_cosine = (float)sft_cos(leg->heel_lift);
    job->lock_distance = def->lock_distance;
    job->unlock_distance = def->unlock_distance;
    job->blend_time = def->blend_time;
    job->teleport_speed = def->teleport_speed;
    job->contact_threshold = def->contact_threshold;
    job->dt = dt;
}

static bool dt_ok(float dt)
{
    return dt >= 0.0f && dt <= (float)SFT_HUGE;
}

// ---- calls ----

sft_result sft_two_bone_batch(const sft_two_bone_arrays* arrays, int32_t count, sft_crowd_path path)
{
    if (arrays == NULL || count < 0) return SFT_ERR_ARG;
    if (count == 0) return sft_crowd_has_path(path) ? SFT_OK : SFT_ERR_UNSUPPORTED;
    sft_crowd_job job = {.work = SFT_CROWD_TWO_BONE, .flags = arrays->flags};
    bool ok = take_v3(job.in + SFT_CROWD_IN_HIP, arrays->hip, true);
    ok = take_v3(job.in + SFT_CROWD_IN_KNEE, arrays->knee, true) && ok;
    ok = take_v3(job.in + SFT_CROWD_IN_HEEL, arrays->heel, true) && ok;
    ok = take_v3(job.in + SFT_CROWD_IN_SIDE, arrays->side, true) && ok;
    ok = take_v3(job.in + SFT_CROWD_IN_TARGET, arrays->target, true) && ok;
    job.in[SFT_CROWD_IN_MAX_REACH] = arrays->max_reach;
    job.in[SFT_CROWD_IN_SOFTENING] = arrays->softening;
    ok = give_quat(job.out + SFT_CROWD_OUT_HIP_R, arrays->hip_turn) && ok;
    ok = give_quat(job.out + SFT_CROWD_OUT_KNEE_R, arrays->knee_turn) && ok;
    ok = give_v3(job.out + SFT_CROWD_OUT_KNEE, arrays->new_knee, false) && ok;
    ok = give_v3(job.out + SFT_CROWD_OUT_HEEL, arrays->new_heel, false) && ok;
    if (!ok || arrays->max_reach == NULL || arrays->softening == NULL) return SFT_ERR_ARG;
    return run(path, &job, count);
}

sft_result sft_crowd_leg_solve(const sft_crowd_def* def, const sft_crowd_legs* legs, int32_t count)
{
    if (def == NULL || legs == NULL || count < 0) return SFT_ERR_ARG;
    if (!def_ok(def)) return SFT_ERR_DEF;
    sft_crowd_job job = {.work = SFT_CROWD_LEG};
    take_def(def, 0.0f, &job);
    if (count > 0 && !take_legs(legs, false, &job)) return SFT_ERR_ARG;
    return run(def->path, &job, count);
}

sft_result sft_crowd_lock_update(const sft_crowd_def* def, const sft_crowd_feet* feet, float dt, int32_t count)
{
    if (def == NULL || feet == NULL || count < 0) return SFT_ERR_ARG;
    if (!def_ok(def)) return SFT_ERR_DEF;
    sft_crowd_job job = {.work = SFT_CROWD_LOCK, .flags = feet->flags};
    take_def(def, dt, &job);
    if (count > 0 && !take_feet(feet, feet->toe, &job)) return SFT_ERR_ARG;
    if (!dt_ok(dt)) return SFT_ERR_RANGE;
    return run(def->path, &job, count);
}

sft_result sft_crowd_update(const sft_crowd_def* def, const sft_crowd_feet* feet, const sft_crowd_legs* legs, float dt,
                            int32_t count)
{
    if (def == NULL || feet == NULL || legs == NULL || count < 0) return SFT_ERR_ARG;
    if (!def_ok(def)) return SFT_ERR_DEF;
    sft_crowd_job job = {.work = SFT_CROWD_LOCK_AND_LEG};
    take_def(def, dt, &job);
    if (count > 0)
    {
        const sft_v3_array toe = feet->toe.x != NULL ? feet->toe : legs->pose.toe;
        const bool ok = take_feet(feet, toe, &job);
        if (!take_legs(legs, true, &job) || !ok) return SFT_ERR_ARG;
    }
    if (!dt_ok(dt)) return SFT_ERR_RANGE;
    return run(def->path, &job, count);
}
