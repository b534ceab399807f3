// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// Entry of mending: checks, the working copy, the report.

#include "retarget/mend.h"

#define MEND_COOKIE 0x5346544du
#define MIN_LOOP_FRAMES 6
#define SAME_PLACE 1e-3   // leg lengths
#define CLOSED_SHARE 0.25 // of a frame's change: nearer than that, the last pose is the first again

sft_mend_def sft_default_mend_def(void)
{
    sft_mend_def def = {0};
    def.feet = true;
    def.unreachable = SFT_UNREACHABLE_PELVIS;
    def.contact_threshold = 0.75;
    def.cookie = MEND_COOKIE;
    return def;
}

void sft_mend_report_release(sft_mend_report* report, const sft_allocator* allocator)
{
    if (!report) return;
    const sft_allocator a = sft_core_allocator(allocator);
    // The list grows by doubling from 16, see md_miss.
    size_t capacity = 16;
    while (capacity < (size_t)report->miss_count)
        capacity *= 2;
    sft_core_free(&a, report->misses, capacity, sizeof *report->misses);
    report->misses = NULL;
    report->miss_count = 0;
}

sft_result md_miss(md_problem* p, sft_mend_miss miss)
{
    sft_mend_report* r = p->report;
    if (r->miss_count == p->miss_capacity)
    {
        const int32_t next = p->miss_capacity ? p->miss_capacity * 2 : 16;
        void* grown = sft_core_grow(&p->allocator, r->misses, (size_t)p->miss_capacity, (size_t)next, sizeof miss);
        if (!grown) return SFT_ERR_MEMORY;
        r->misses = grown;
        p->miss_capacity = next;
    }
    r->misses[r->miss_count++] = miss;
    return SFT_OK;
}

// ---- checks ----

static bool valid_range(double x)
{
    return fabs(x) <= SFT_HUGE;
}

static sft_result check_def(const sft_mend_def* d)
{
    if (d->cookie != MEND_COOKIE) return SFT_ERR_DEF;
    const bool enums = d->unreachable == SFT_UNREACHABLE_PELVIS || d->unreachable == SFT_UNREACHABLE_RELEASE ||
                       d->unreachable == SFT_UNREACHABLE_STRETCH;
    const bool numbers = d->contact_threshold >= 0.0 && d->contact_threshold <= 1.0 && valid_range(d->ground) &&
                         valid_range(d->source_ground) && d->scale >= 0.0 && d->scale <= 1e3 &&
                         sft_v3d_in_range(d->ground_velocity) && d->first_frame >= 0 && d->goal_count >= 0;
    return enums && numbers ? SFT_OK : SFT_ERR_DEF;
}

static sft_result check_clip(const sft_clip* clip)
{
    if (!(clip->frame_time > 1e-6) || !(clip->frame_time < 1e3)) return SFT_ERR_RANGE;
    const size_t count = (size_t)clip->joint_count * (size_t)clip->frame_count;
    for (size_t k = 0; k < count; ++k)
    {
        const sft_quatd q = clip->rotations[k];
        const double norm = sft_quatd_dot(q, q);
        if (!(norm > 0.5 && norm < 2.0) || !sft_v3d_in_range(clip->translations[k])) return SFT_ERR_RANGE;
    }
    return SFT_OK;
}

static sft_result check_goals(const sft_mend_def* def, const sft_rig* target, const sft_clip* clip)
{
    if (def->goal_count > 0 && !def->goals) return SFT_ERR_ARG;
    for (int32_t k = 0; k < def->goal_count; ++k)
    {
        const sft_touch_goal* g = def->goals + k;
        const int32_t joints = target->skeleton->joint_count;
        if (g->joint < 0 || g->joint >= joints || g->other < -1 || g->other >= joints || g->other == g->joint ||
            g->first < 0 || g->last < g->first || g->last >= clip->frame_count)
            return SFT_ERR_ARG;
        if (!sft_v3d_in_range(g->offset) || !(g->blend >= 0.0) || !(g->blend <= 1e3)) return SFT_ERR_RANGE;
    }
    return SFT_OK;
}

static sft_result check(const sft_mend_def* def, const sft_mend_input* in, const sft_clip* clip)
{
    if (!def || !in || !clip || !in->rigs.source || !in->rigs.target || !in->source_clip) return SFT_ERR_ARG;
    const sft_result r = check_def(def);
    if (r != SFT_OK) return r;
    const sft_rig *source = in->rigs.source, *target = in->rigs.target;
    if (!in->map && !(def->scale > 0.0)) return SFT_ERR_ARG;
    if (!source->skeleton || !target->skeleton || clip->joint_count != target->skeleton->joint_count ||
        in->source_clip->joint_count != source->skeleton->joint_count || clip->frame_count < 1 ||
        in->source_clip->frame_count != clip->frame_count)
        return SFT_ERR_ARG;
    if (def->feet && (!in->labels || in->labels->frame_count != clip->frame_count ||
                      in->labels->foot_count != source->leg_count || !in->labels->plant || !in->labels->touch))
        return SFT_ERR_ARG;
    const sft_result goals = check_goals(def, target, clip);
    if (goals != SFT_OK) return goals;
    const sft_result own = check_clip(in->source_clip);
    return own != SFT_OK ? own : check_clip(clip);
}

// ---- running and reporting ----

static double pose_distance(const sft_clip* clip, int32_t a, int32_t b)
{
    double sum = 0.0;
    for (int32_t j = 0; j < clip->joint_count; ++j)
    {
        const double d = sft_quatd_dot(md_r(clip, a)[j], md_r(clip, b)[j]);
        sum += sft_maxd(1.0 - d * d, 0.0);
    }
    return sqrt(sum);
}

static double hips_distance(const md_problem* p, int32_t a, int32_t b)
{
    const int32_t hips = p->target->hips >= 0 ? p->target->hips : 0;
    const sft_skeleton* s = p->target->skeleton;
    return sft_v3d_distance(md_joint(s, p->clip, a, hips).t, md_joint(s, p->clip, b, hips).t);
}

// Frames of the cycle, 0: none; a repeated closing frame does not count. A clip that ends where and as it began, going
// on the same way, is one without being told: its last frame must meet the first as it did.
static int32_t cycle(const md_problem* p)
{
    if (p->frames < MIN_LOOP_FRAMES) return 0;
    const int32_t first = p->first, last = p->first + p->frames - 1;
    const double step = sft_maxd(pose_distance(p->clip, last - 1, last), pose_distance(p->clip, first, first + 1));
    const bool closed = pose_distance(p->clip, first, last) <= CLOSED_SHARE * step;
    if (p->def->loop) return closed ? p->frames - 1 : p->frames;
    const bool goes_on = pose_distance(p->clip, last - 1, first + 1) > 0.5 * step;
    const bool same_place = hips_distance(p, first, last) <= SAME_PLACE * p->target->leg_length;
    return closed && goes_on && same_place ? p->frames - 1 : 0;
}

typedef struct limb
{
    int32_t joints[3]; // first, middle, end; -1 none
} limb;

static limb find_limb(const sft_rig* rig, int which)
{
    limb l = {{-1, -1, -1}};
    const sft_leg_side side = which % 2 == 0 ? SFT_LEG_LEFT : SFT_LEG_RIGHT;
    static const sft_part ARM[3] = {SFT_PART_UPPER_ARM, SFT_PART_FOREARM, SFT_PART_HAND};
    if (which >= 2)
    {
        for (int32_t k = rig->leg_count - 1; k >= 0; --k)
            if (rig->legs[k].side == side && rig->legs[k].pair == 0)
                l = (limb){{rig->legs[k].hip, rig->legs[k].knee, rig->legs[k].heel}};
        return l;
    }
    for (int32_t j = rig->meanings ? rig->skeleton->joint_count - 1 : -1; j >= 0; --j)
        for (int k = 0; k < 3; ++k)
            if (rig->meanings[j].part == ARM[k] && rig->meanings[j].side == side && rig->meanings[j].index == 0)
                l.joints[k] = j;
    return l;
}

// Angle between a bone's directions before and after.
static double bone_turn(const md_problem* p, int32_t frame, int32_t upper, int32_t lower)
{
    const sft_skeleton* s = p->target->skeleton;
    const sft_v3d a = sft_v3d_sub(md_joint(s, p->before, frame, lower).t, md_joint(s, p->before, frame, upper).t);
    const sft_v3d b = sft_v3d_sub(md_joint(s, p->clip, frame, lower).t, md_joint(s, p->clip, frame, upper).t);
    return sft_atan2(sft_v3d_length(sft_v3d_cross(a, b)), sft_v3d_dot(a, b));
}

static void measure_turns(md_problem* p)
{
    for (int which = 0; which < 4; ++which)
    {
        const limb l = find_limb(p->target, which);
        if (l.joints[0] < 0 || l.joints[1] < 0 || l.joints[2] < 0) continue;
        double sum = 0.0, most = 0.0;
        for (int32_t i = 0; i < p->frames; ++i)
        {
            const double turn = sft_maxd(bone_turn(p, p->first + i, l.joints[0], l.joints[1]),
                                         bone_turn(p, p->first + i, l.joints[1], l.joints[2]));
            sum += turn;
            most = sft_maxd(most, turn);
        }
        p->report->limb_turn_mean[which] = p->frames > 0 ? sum / (double)p->frames : 0.0;
        p->report->limb_turn_max[which] = most;
    }
}

static void measure_pelvis(md_problem* p)
{
    const int32_t joint = p->target->hips;
    if (joint < 0) return;
    for (int32_t i = p->first; i < p->first + p->frames; ++i)
    {
        const sft_v3d a = md_joint(p->target->skeleton, p->before, i, joint).t;
        const sft_v3d b = md_joint(p->target->skeleton, p->clip, i, joint).t;
        p->report->pelvis_shift_max = sft_maxd(p->report->pelvis_shift_max, sft_v3d_distance(a, b));
    }
}

static sft_result run(md_problem* p)
{
    p->period = cycle(p);
    sft_result r = SFT_OK;
    if (p->def->feet) r = md_feet(p);
    if (r == SFT_OK && (p->def->hands || p->def->goal_count > 0)) r = md_hands_mend(p);
    if (r != SFT_OK) return r;
    measure_turns(p);
    measure_pelvis(p);
    return SFT_OK;
}

static void commit(md_problem* p, sft_clip* clip, uint8_t* joint_changed)
{
    const size_t cells = (size_t)clip->joint_count * (size_t)clip->frame_count;
    memcpy(clip->translations, p->clip->translations, cells * sizeof *clip->translations);
    memcpy(clip->rotations, p->clip->rotations, cells * sizeof *clip->rotations);
    for (int32_t j = 0; joint_changed && j < clip->joint_count; ++j)
        joint_changed[j] |= p->changed[j];
}

static sft_result copy_clip(const sft_clip* clip, const sft_allocator* allocator, sft_clip** out)
{
    const sft_result r = sft_clip_create(clip->joint_count, clip->frame_count, clip->frame_time, allocator, out);
    if (r != SFT_OK) return r;
    const size_t cells = (size_t)clip->joint_count * (size_t)clip->frame_count;
    memcpy((*out)->translations, clip->translations, cells * sizeof *clip->translations);
    memcpy((*out)->rotations, clip->rotations, cells * sizeof *clip->rotations);
    return SFT_OK;
}

sft_result sft_retarget_mend(const sft_mend_def* def, const sft_mend_input* input, const sft_allocator* allocator,
                             sft_clip* clip, uint8_t* joint_changed, sft_mend_report* report)
{
    sft_result r = check(def, input, clip);
    if (r != SFT_OK) return r;
    sft_mend_report out = {0};
    md_problem p = {.allocator = sft_core_allocator(allocator), .def = def, .input = input, .report = &out};
    p.source = input->rigs.source;
    p.target = input->rigs.target;
    p.before = clip;
    p.dt = clip->frame_time;
    p.first = def->first_frame < clip->frame_count ? def->first_frame : clip->frame_count;
    p.frames = clip->frame_count - p.first;
    p.scale = def->scale;
    if (!(p.scale > 0.0)) p.scale = sft_retarget_map_view(input->map)->scale;
    p.changed = sft_core_alloc(&p.allocator, (size_t)clip->joint_count, 1);
    r = p.changed ? copy_clip(clip, &p.allocator, &p.clip) : SFT_ERR_MEMORY;
    if (r == SFT_OK && p.frames > 0) r = run(&p);
    if (r == SFT_OK) commit(&p, clip, joint_changed);
    sft_core_free(&p.allocator, p.changed, (size_t)clip->joint_count, 1);
    sft_clip_destroy(p.clip, &p.allocator);
    if (r == SFT_OK && report)
        *report = out;
    else
        sft_mend_report_release(&out, &p.allocator);
    return r;
}
