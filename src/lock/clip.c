// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// The lock over a whole clip, as a game would run it: frame by frame, causally, each foot for itself. The clip is
// written once all frames went well.

#include "core/core.h"
#include "lock/lock_internal.h"

#define CLIP_COOKIE 0x10c4c119u
#define LEG_PARTS 4 // hip, knee, heel, toe

// What a leg misses less than this [m] it reaches.
static const double REACH_EPS = 1e-5;

sft_lock_clip_def sft_default_lock_clip_def(void)
{
    sft_lock_clip_def def = {0};
    def.lock = sft_default_lock_def();
    def.lock.blend_time = 0.2;
    def.leg = sft_default_leg_solve_def();
    // A leg that nears its full length bends its knee at any speed; these let the heel share early (docs/lock.md).
    def.leg.max_extension = 0.9;
    def.leg.softening = 0.1;
    def.leg.heel_lift = 0.5;
    def.contact_threshold = 0.75;
    def.cookie = CLIP_COOKIE;
    return def;
}

void sft_lock_clip_report_release(sft_lock_clip_report* report, const sft_allocator* allocator)
{
    if (report == NULL) return;
    const sft_allocator a = sft_core_allocator(allocator);
    if (report->gaps != NULL) sft_core_free(&a, report->gaps, (size_t)report->gap_count, sizeof *report->gaps);
    *report = (sft_lock_clip_report){0};
}

typedef struct run
{
    const sft_lock_clip_def* def;
    const sft_skeleton* skeleton;
    const sft_clip* clip;
    const sft_contact_labels* labels;
    sft_allocator allocator;
    sft_quatd* turns; ///< result: [frame * LEG_PARTS + part] of the leg at hand, behind those of the legs before
    sft_quatd* local; ///< one frame
    sft_lock_gap* gaps;
    size_t gap_count, gap_capacity;
    sft_lock_clip_report report;
} run;

// ---- one leg, one frame ----

typedef struct foot
{
    const sft_leg* leg;
    int32_t index;
    sft_lock_state state;
    bool settled; ///< at the frame before
    sft_v3d toe;  ///< as it ended up at the frame before
    bool planted; ///< at the frame before
    bool in_gap;  ///< at the frame before
} foot;

static int32_t joint_of(const sft_leg* leg, int part)
{
    const int32_t joints[LEG_PARTS] = {leg->hip, leg->knee, leg->heel, leg->toe};
    return joints[part];
}

// The foot turns about the heel, toe and toe end with it.
static void turn_foot(sft_quatd rotation, sft_leg_pose* pose)
{
    const sft_quatd turn = sft_quatd_mul(rotation, sft_quatd_conjugate(pose->heel.r));
    sft_xformd* parts[2] = {&pose->toe, &pose->toe_end};
    for (int i = 0; i < 2; ++i)
    {
        const sft_v3d arm = sft_v3d_sub(parts[i]->t, pose->heel.t);
        parts[i]->t = sft_v3d_add(pose->heel.t, sft_quatd_rotate(turn, arm));
        parts[i]->r = sft_quatd_mul(turn, parts[i]->r);
    }
    pose->heel.r = rotation;
}

static bool same_turn(sft_quatd a, sft_quatd b)
{
    return a.x == b.x && a.y == b.y && a.z == b.z && a.w == b.w;
}

// What is shown of the source's leg, and by how much its toe misses `target`.
static sft_result solve(const run* r, const foot* f, const sft_lock_state* s, sft_v3d target, sft_leg_pose* pose,
                        double* miss)
{
    *miss = 0.0;
    if (r->def->lock.lock_orientation && !same_turn(s->rotation, pose->heel.r)) turn_foot(s->rotation, pose);
    if (sft_v3d_distance(target, pose->toe.t) == 0.0) return SFT_OK;
    sft_leg_report report;
    const sft_result result = sft_leg_solve(&r->def->leg, f->leg, target, pose, &report);
    *miss = report.toe_miss;
    return result;
}

// If the foot were let go now: the place furthest from the animation that it would come by, at this frame's pose.
static sft_v3d way_back(const sft_lock_clip_def* def, const sft_lock_state* s, const sft_lock_input* in)
{
    const sft_inertia inertia = {sft_v3d_sub(s->position, in->toe), sft_v3d_sub(s->velocity, s->input_velocity), 0.0};
    sft_v3d far = inertia.offset;
    for (int i = 1; i <= 6; ++i)
    {
        sft_inertia later = inertia;
        sft_v3d offset, velocity;
        later.time = def->lock.blend_time * 0.06 * i;
        sft_inertia_at(&later, def->lock.blend_time, &offset, &velocity);
        if (sft_v3d_dot(offset, offset) > sft_v3d_dot(far, far)) far = offset;
    }
    return sft_v3d_add(in->toe, far);
}

// A locked foot that its leg does not hold, now or on the way back if it were let go now, is let go.
static sft_result update(const run* r, const foot* f, sft_lock_input* in, double dt, const sft_leg_pose* source,
                         sft_lock_state* out)
{
    sft_lock_state s = f->state;
    sft_result result = sft_lock_update(&r->def->lock, in, dt, &s);
    if (result == SFT_OK && s.locked)
    {
        const sft_v3d targets[2] = {s.position, way_back(r->def, &s, in)};
        double miss = 0.0;
        for (int i = 0; i < 2 && result == SFT_OK && !in->release; ++i)
        {
            sft_leg_pose pose = *source;
            result = solve(r, f, &s, targets[i], &pose, &miss);
            in->release = miss > REACH_EPS;
        }
        if (result == SFT_OK && in->release)
        {
            s = f->state;
            result = sft_lock_update(&r->def->lock, in, dt, &s);
        }
    }
    *out = s;
    return result;
}

static bool planted(const run* r, int32_t leg, int32_t frame)
{
    const size_t at = (size_t)leg * (size_t)r->labels->frame_count + (size_t)frame;
    return (double)r->labels->plant[at] > r->def->contact_threshold;
}

static sft_result note_gap(run* r, foot* f, int32_t frame, double distance)
{
    if (!f->in_gap)
    {
        if (r->gap_count == r->gap_capacity)
        {
            const size_t more = r->gap_capacity > 0 ? 2 * r->gap_capacity : 16;
            sft_lock_gap* grown = sft_core_grow(&r->allocator, r->gaps, r->gap_capacity, more, sizeof *r->gaps);
            if (grown == NULL) return SFT_ERR_MEMORY;
            r->gaps = grown;
            r->gap_capacity = more;
        }
        r->gaps[r->gap_count++] = (sft_lock_gap){.foot = f->index, .first = frame};
    }
    sft_lock_gap* gap = r->gaps + r->gap_count - 1;
    gap->last = frame;
    gap->distance = sft_maxd(gap->distance, distance);
    gap->release = f->state.release;
    return SFT_OK;
}

static const sft_v3d* ground_under(const run* r, const foot* f)
{
    return r->def->ground_velocities != NULL ? &r->def->ground_velocities[f->index] : &r->def->ground_velocity;
}

static sft_result count_frame(run* r, foot* f, int32_t frame, bool on, const sft_leg_pose* source,
                              const sft_leg_pose* pose, double miss)
{
    sft_lock_clip_report* t = &r->report;
    const bool settled = on && f->state.locked && !(f->state.time < r->def->lock.blend_time);
    t->plant_count += on && !f->planted;
    t->planted_frames += on;
    t->locked_frames += on && f->state.locked;
    t->settled_frames += settled;
    if (miss > REACH_EPS && miss > t->miss_max_m)
    {
        t->miss_max_m = miss;
        t->miss_max_frame = frame;
        t->miss_max_foot = f->index;
    }
    if (settled && f->settled)
    {
        const sft_v3d way = sft_v3d_madd(sft_v3d_sub(pose->toe.t, f->toe), -r->clip->frame_time, *ground_under(r, f));
        t->slide_max_cm_s = sft_maxd(t->slide_max_cm_s, 100.0 * sft_v3d_length(way) / r->clip->frame_time);
    }
    f->settled = settled;
    f->toe = pose->toe.t;
    const bool gap = on && !f->state.locked;
    const double distance = sft_v3d_distance(pose->toe.t, source->toe.t);
    const sft_result result = gap ? note_gap(r, f, frame, distance) : SFT_OK;
    f->planted = on;
    f->in_gap = gap;
    return result;
}

static sft_result do_frame(run* r, foot* f, int32_t frame, sft_quatd* turns)
{
    const size_t joints = (size_t)r->clip->joint_count, base = (size_t)frame * joints;
    const sft_v3d* local_t = r->clip->translations + base;
    memcpy(r->local, r->clip->rotations + base, joints * sizeof *r->local);
    sft_leg_pose source;
    sft_result result = sft_leg_pose_read(r->skeleton, f->leg, local_t, r->local, &source);
    if (result != SFT_OK) return result;
    const bool on = planted(r, f->index, frame), first = frame == r->def->first_frame;
    const sft_v3d ground = *ground_under(r, f);
    const double dt = r->clip->frame_time, time = dt * (double)(frame - r->def->first_frame);
    const bool moving = ground.x != 0.0 || ground.y != 0.0 || ground.z != 0.0;
    sft_lock_input in = {.toe = source.toe.t, .foot = source.heel.r, .contact = on, .contact_height = (double)NAN};
    in.body = (sft_lock_body){moving, {sft_v3d_scale(time, ground), sft_quatd_identity()}};
    in.body_velocity = ground_under(r, f);
    result = update(r, f, &in, first ? 0.0 : dt, &source, &f->state);
    if (result != SFT_OK) return result;
    sft_leg_pose pose = source;
    double miss = 0.0;
    result = solve(r, f, &f->state, f->state.position, &pose, &miss);
    if (result == SFT_OK) result = sft_leg_pose_write(f->leg, &source, &pose, r->local);
    if (result != SFT_OK) return result;
    for (int part = 0; part < LEG_PARTS; ++part)
        turns[part] = r->local[joint_of(f->leg, part)];
    return count_frame(r, f, frame, on, &source, &pose, miss);
}

// ---- whole clip ----

static sft_result check(const sft_lock_clip_def* def, const sft_skeleton* skeleton, const sft_leg* legs,
                        int32_t leg_count, const sft_contact_labels* labels, const sft_clip* clip)
{
    if (def == NULL || skeleton == NULL || clip == NULL || labels == NULL || leg_count < 0 ||
        leg_count > SFT_MAX_LEGS || (leg_count > 0 && (legs == NULL || labels->plant == NULL)))
        return SFT_ERR_ARG;
    if (def->cookie != CLIP_COOKIE || !(def->contact_threshold >= 0.0) || !(def->contact_threshold <= 1.0) ||
        !sft_v3d_in_range(def->ground_velocity))
        return SFT_ERR_DEF;
    for (int32_t l = 0; l < leg_count && def->ground_velocities != NULL; ++l)
        if (!sft_v3d_in_range(def->ground_velocities[l])) return SFT_ERR_DEF;
    if (clip->joint_count != skeleton->joint_count || clip->frame_count < 0 || def->first_frame < 0 ||
        labels->frame_count != clip->frame_count || labels->foot_count != leg_count)
        return SFT_ERR_ARG;
    return clip->frame_time > 0.0 && clip->frame_time <= SFT_HUGE ? SFT_OK : SFT_ERR_RANGE;
}

// Copies the result, and notes what differs from the source.
static void write_back(const run* r, const sft_leg* legs, int32_t leg_count, sft_clip* clip, uint8_t* joint_changed)
{
    const size_t joints = (size_t)clip->joint_count;
    const sft_quatd* turns = r->turns;
    for (int32_t l = 0; l < leg_count; ++l)
        for (int32_t i = r->def->first_frame; i < clip->frame_count; ++i, turns += LEG_PARTS)
            for (int part = 0; part < LEG_PARTS; ++part)
            {
                const int32_t joint = joint_of(legs + l, part);
                sft_quatd* local = clip->rotations + (size_t)i * joints + (size_t)joint;
                if (same_turn(*local, turns[part])) continue;
                *local = turns[part];
                if (joint_changed != NULL) joint_changed[joint] |= 1u;
            }
}

static sft_result do_legs(run* r, const sft_leg* legs, int32_t leg_count)
{
    sft_quatd* turns = r->turns;
    for (int32_t l = 0; l < leg_count; ++l)
    {
        foot f = {.leg = legs + l, .index = l};
        for (int32_t i = r->def->first_frame; i < r->clip->frame_count; ++i, turns += LEG_PARTS)
        {
            const sft_result result = do_frame(r, &f, i, turns);
            if (result != SFT_OK) return result;
        }
    }
    // As many as are handed out, so that they are released at their true size.
    if (r->gap_count == 0 || r->gap_count == r->gap_capacity) return SFT_OK;
    sft_lock_gap* cut = sft_core_alloc(&r->allocator, r->gap_count, sizeof *cut);
    if (cut == NULL) return SFT_ERR_MEMORY;
    memcpy(cut, r->gaps, r->gap_count * sizeof *cut);
    sft_core_free(&r->allocator, r->gaps, r->gap_capacity, sizeof *r->gaps);
    r->gaps = cut;
    r->gap_capacity = r->gap_count;
    return SFT_OK;
}

sft_result sft_lock_clip(const sft_lock_clip_def* def, const sft_skeleton* skeleton, const sft_leg* legs,
                         int32_t leg_count, const sft_contact_labels* labels, const sft_allocator* allocator,
                         sft_clip* clip, uint8_t* joint_changed, sft_lock_clip_report* report)
{
    sft_result result = check(def, skeleton, legs, leg_count, labels, clip);
    if (result != SFT_OK) return result;
    run r = {.def = def, .skeleton = skeleton, .clip = clip, .labels = labels};
    r.allocator = sft_core_allocator(allocator);
    r.report.miss_max_frame = r.report.miss_max_foot = -1;
    const int32_t from = def->first_frame < clip->frame_count ? def->first_frame : clip->frame_count;
    const size_t count = (size_t)leg_count * (size_t)(clip->frame_count - from) * LEG_PARTS;
    const size_t joints = (size_t)clip->joint_count;
    r.turns = sft_core_alloc(&r.allocator, count, sizeof *r.turns);
    r.local = sft_core_alloc(&r.allocator, joints, sizeof *r.local);
    result = r.turns != NULL && r.local != NULL ? do_legs(&r, legs, leg_count) : SFT_ERR_MEMORY;
    if (result == SFT_OK)
    {
        write_back(&r, legs, leg_count, clip, joint_changed);
        r.report.gaps = r.gaps;
        r.report.gap_count = (int32_t)r.gap_count;
        if (report != NULL) *report = r.report;
    }
    if ((result != SFT_OK || report == NULL) && r.gaps != NULL)
        sft_core_free(&r.allocator, r.gaps, r.gap_capacity, sizeof *r.gaps);
    sft_core_free(&r.allocator, r.turns, count, sizeof *r.turns);
    sft_core_free(&r.allocator, r.local, joints, sizeof *r.local);
    return result;
}
