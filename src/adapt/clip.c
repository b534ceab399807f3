// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// Entry of whole-clip foot IK: checks, the order of steps, the report. Derivation: docs/adapt.md.

#include "adapt/clip_problem.h"

#define COOKIE 0xada97c11u

sft_adapt_clip_def sft_default_adapt_clip_def(void)
{
    return (sft_adapt_clip_def){
        .foot = sft_default_adapt_def(),
        .contact_threshold = 0.75,
        .travel_joint = -1,
        .place_max = 0.1,
        .cookie = COOKIE,
    };
}

void sft_adapt_clip_report_release(sft_adapt_clip_report* report, const sft_allocator* allocator)
{
    if (!report) return;
    const sft_allocator a = sft_core_allocator(allocator);
    sft_core_free(&a, report->misses, (size_t)report->miss_count, sizeof *report->misses);
    report->misses = NULL;
    report->miss_count = 0;
}

sft_result ad_miss(ad_problem* p, sft_adapt_miss miss)
{
    // One more at a time: there are few, and the report's block then has the size its count says.
    sft_adapt_clip_report* r = p->report;
    const size_t count = (size_t)r->miss_count;
    void* grown = count ? sft_core_grow(&p->allocator, r->misses, count, count + 1, sizeof miss)
                        : sft_core_alloc(&p->allocator, 1, sizeof miss);
    if (!grown) return SFT_ERR_MEMORY;
    r->misses = grown;
    r->misses[r->miss_count++] = miss;
    return SFT_OK;
}

// ---- checks ----

static bool is_above(const sft_skeleton* s, int32_t upper, int32_t lower)
{
    while (lower > upper)
        lower = s->parents[lower];
    return lower == upper;
}

static bool leg_ok(const sft_skeleton* s, const sft_leg* g)
{
    const int32_t joints[5] = {g->hip, g->knee, g->heel, g->toe, g->toe_end >= 0 ? g->toe_end : g->toe};
    for (int k = 0; k < 5; ++k)
        if (joints[k] < 0 || joints[k] >= s->joint_count) return false;
    const bool chain = g->hip < g->knee && g->knee < g->heel && g->heel <= g->toe && is_above(s, g->hip, g->knee) &&
                       is_above(s, g->knee, g->heel) && is_above(s, g->heel, g->toe) && is_above(s, g->toe, joints[4]);
    const double side = sft_v3d_length(g->knee_side);
    return chain && g->pelvis < s->joint_count && side > 0.99 && side < 1.01 && fabs(g->heel_min) <= SFT_HUGE &&
           fabs(g->toe_min) <= SFT_HUGE && fabs(g->toe_end_min) <= SFT_HUGE;
}

static sft_result check_def(const sft_adapt_clip_def* def)
{
    const bool ok = def->cookie == COOKIE && sft_adapt_def_ok(&def->foot) && def->contact_threshold >= 0.0 &&
                    def->contact_threshold <= 1.0 && def->first_frame >= 0 && def->place_max >= 0.0 &&
                    def->place_max <= 1.0;
    return ok ? SFT_OK : SFT_ERR_DEF;
}

static sft_result check_clip(const sft_clip* clip)
{
    if (!(clip->frame_time > 1e-6) || !(clip->frame_time < 1e3)) return SFT_ERR_RANGE;
    const size_t count = (size_t)clip->joint_count * (size_t)clip->frame_count;
    for (size_t k = 0; k < count; ++k)
    {
        const double norm = sft_quatd_dot(clip->rotations[k], clip->rotations[k]);
        if (!(norm > 0.5 && norm < 2.0) || !sft_v3d_in_range(clip->translations[k])) return SFT_ERR_RANGE;
    }
    return SFT_OK;
}

static sft_result check(const ad_problem* p)
{
    if (!p->def || !p->skeleton || !p->labels || !p->ground || !p->ground->query || !p->clip || p->leg_count < 0 ||
        p->leg_count > SFT_MAX_LEGS || (p->leg_count > 0 && !p->legs))
        return SFT_ERR_ARG;
    const sft_result r = check_def(p->def);
    if (r != SFT_OK) return r;
    if (p->clip->joint_count != p->skeleton->joint_count || p->labels->frame_count != p->clip->frame_count ||
        p->labels->foot_count != p->leg_count || p->def->travel_joint >= p->skeleton->joint_count)
        return SFT_ERR_ARG;
    for (int32_t l = 0; l < p->leg_count; ++l)
        if (!leg_ok(p->skeleton, p->legs + l)) return SFT_ERR_ARG;
    return check_clip(p->clip);
}

// ---- the joint that moves the body ----

static bool carries_all(const ad_problem* p, int32_t joint)
{
    for (int32_t l = 0; l < p->leg_count; ++l)
    {
        const int32_t hangs = p->legs[l].pelvis >= 0 ? p->legs[l].pelvis : p->skeleton->parents[p->legs[l].hip];
        if (hangs < 0 || joint > hangs || !is_above(p->skeleton, joint, hangs)) return false;
    }
    return true;
}

static void set_travel_joint(ad_problem* p)
{
    int32_t joint = p->def->travel_joint;
    if (joint < 0) joint = sft_clip_travel_joint(p->skeleton, p->clip, p->first);
    while (joint >= 0 && !carries_all(p, joint))
        joint = p->def->travel_joint < 0 ? p->skeleton->parents[joint] : -1;
    p->travel_joint = p->report->travel_joint = joint;
}

// The lowest joint that carries all legs turns the body, where it has two girdles and is moved at all.
static void set_turn_joint(ad_problem* p)
{
    p->turn_joint = -1;
    ad_find_girdles(p);
    if (p->front == 0 || p->travel_joint < 0) return;
    int32_t joint = p->legs[0].pelvis >= 0 ? p->legs[0].pelvis : p->skeleton->parents[p->legs[0].hip];
    while (joint >= 0 && !carries_all(p, joint))
        joint = p->skeleton->parents[joint];
    p->turn_joint = p->report->turn_joint = joint;
}

// ---- running ----

static sft_result report_plants(ad_problem* p)
{
    for (int32_t k = 0; k < p->plant_count; ++k)
    {
        const ad_plant* plant = p->plants + k;
        if (plant->end) continue;
        ++p->report->plant_count;
        sft_adapt_miss miss = {SFT_ADAPT_FAULT_NO_GROUND, plant->leg, p->first + plant->first, p->first + plant->last,
                               0.0};
        if (plant->on_ground)
        {
            if (!(plant->tilt_lost > 0.0)) continue;
            miss.fault = SFT_ADAPT_FAULT_TILT;
            miss.amount = plant->tilt_lost;
        }
        const sft_result r = ad_miss(p, miss);
        if (r != SFT_OK) return r;
    }
    return SFT_OK;
}

static bool nothing_to_do(const ad_problem* p)
{
    for (int32_t k = 0; k < p->plant_count; ++k)
        if (p->plants[k].on_ground && !p->plants[k].neutral) return false;
    return p->ground_level;
}

static sft_result run(ad_problem* p, sft_clip* clip, uint8_t* joint_changed)
{
    sft_result r = ad_prepare(p);
    if (r != SFT_OK) return r;
    set_turn_joint(p);
    ad_place(p);
    r = report_plants(p);
    if (r != SFT_OK) return r;
    ad_swing(p);
    if (nothing_to_do(p)) return SFT_OK;
    if (p->travel_joint >= 0) ad_body(p);
    ad_swing_reach(p);
    ad_swing_lost(p);
    return ad_apply(p, clip, joint_changed);
}

sft_result sft_adapt_clip(const sft_adapt_clip_def* def, const sft_skeleton* skeleton, const sft_leg* legs,
                          int32_t leg_count, const sft_contact_labels* labels, const sft_ground* ground,
                          const sft_allocator* allocator, sft_clip* clip, uint8_t* joint_changed,
                          sft_adapt_clip_report* report)
{
    sft_adapt_clip_report out = {.travel_joint = -1, .turn_joint = -1, .converged = true};
    ad_problem p = {.def = def,
                    .skeleton = skeleton,
                    .legs = legs,
                    .ground = ground,
                    .labels = labels,
                    .clip = clip,
                    .allocator = sft_core_allocator(allocator),
                    .leg_count = leg_count,
                    .turn_joint = -1,
                    .ground_level = true,
                    .report = &out};
    sft_result r = check(&p);
    if (r != SFT_OK) return r;
    p.first = def->first_frame;
    p.frames = clip->frame_count - def->first_frame;
    p.dt = clip->frame_time;
    if (leg_count > 0 && p.frames > 0)
    {
        set_travel_joint(&p);
        r = run(&p, clip, joint_changed);
        ad_release(&p);
    }
    if (r != SFT_OK || !report) sft_adapt_clip_report_release(&out, allocator);
    if (r == SFT_OK && report) *report = out;
    return r;
}
