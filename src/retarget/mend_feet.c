// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// Planted feet of a transferred clip: heights first, then the clean-up over the whole clip, so that nothing flickers.

#include "retarget/mend_feet.h"

static const double SAME_BELT = 0.05;   // of the speed
static const double WALKS = 0.4;        // [1/s] leg lengths that the feet of a clip on the spot tread, at least
static const double STAYS = 0.4;        // of the way that they tread: hips that get no further stay on the spot
static const double SPOT = 0.5;         // leg lengths that a clip goes which keeps to its spot
static const double SHORT = 5e-5;       // [m] misses beyond it lower the pelvis
static const double SHORT_SHARE = 0.05; // of a leg: by more than that it is not lowered for them
static const double WRONG = 0.004;      // [m] that feet of a clip's own clean-up may be off
static const double RESTLESS = 1.2;     // times the angular acceleration that a clip's own feet have
static const double STILL = 0.25;       // [rad/s^2] of a foot that does not turn
static const double LEAST_LOWER = 3e-4; // [m] at once: by less and less it would not get there
#define SHORT_ROUNDS 9
static const double HOLD_PATH =
    5.0; // 1/leg length: a tenth of a leg off the way weighs as much as 0.05 rad of the legs
static const double HOLD_SPOT = 12.0; // likewise of a clip on the spot, whose feet may tread unevenly

// The source's ground velocity, as the target's: scaled and turned like its travel.
static sft_v3d given_velocity(const md_problem* p)
{
    const sft_v3d up = sft_v3d_make(0.0, 1.0, 0.0);
    sft_v3d v = sft_quatd_rotate(sft_quatd_exp(sft_v3d_scale(p->source->facing, up)), p->def->ground_velocity);
    if (p->def->mirror) v.x = -v.x;
    return sft_v3d_scale(p->scale, sft_quatd_rotate(sft_quatd_exp(sft_v3d_scale(-p->target->facing, up)), v));
}

// What planted toes of the transferred clip tread in the mean; false without plants.
static bool trodden_velocity(const md_feet_problem* f, sft_v3d* out)
{
    const md_problem* p = f->base;
    sft_v3d sum = {0, 0, 0};
    double steps = 0.0;
    for (int32_t l = 0; l < f->leg_count; ++l)
        for (int32_t i = 1; i < p->frames; ++i)
        {
            const double level = f->level[md_at(f, l, i)] + f->level[md_at(f, l, i - 1)];
            if (!(level == level)) continue;
            sum = sft_v3d_add(sum, sft_v3d_sub(f->feet[md_at(f, l, i)].toe, f->feet[md_at(f, l, i - 1)].toe));
            steps += 1.0;
        }
    if (!(steps > 0.0)) return false;
    sum.y = 0.0;
    *out = sft_v3d_scale(1.0 / (steps * p->dt), sum);
    return true;
}

// Horizontal extent of the way that the hips go.
static double extent(const md_feet_problem* f)
{
    sft_v3d low = {INFINITY, 0, INFINITY}, high = {-INFINITY, 0, -INFINITY};
    for (int32_t i = 0; i < f->base->frames; ++i)
    {
        const sft_v3d hip = f->feet[md_at(f, 0, i)].hip;
        low = sft_v3d_make(sft_mind(low.x, hip.x), 0.0, sft_mind(low.z, hip.z));
        high = sft_v3d_make(sft_maxd(high.x, hip.x), 0.0, sft_maxd(high.z, hip.z));
    }
    return sft_v3d_distance(low, high);
}

// Velocity of the target's ground where the source's moves: the source's where the moved feet keep to it (a treadmill),
// else what they tread themselves, in the mean, so that a clip keyed on the spot stays there; such a clip's feet may
// also keep no one speed, so that nobody could say the source's.
static sft_v3d ground_velocity(const md_feet_problem* f)
{
    const md_problem* p = f->base;
    const sft_v3d given = given_velocity(p);
    sft_v3d trodden;
    if (!trodden_velocity(f, &trodden)) return sft_v3d_make(0.0, 0.0, 0.0);
    const double speed = sft_v3d_length(trodden);
    if (sft_v3d_length(p->def->ground_velocity) == 0.0)
    {
        const bool walks = speed > WALKS * p->target->leg_length;
        const bool stays = extent(f) < STAYS * speed * (double)p->frames * p->dt;
        return walks && stays ? trodden : sft_v3d_make(0.0, 0.0, 0.0);
    }
    return sft_v3d_distance(trodden, given) <= SAME_BELT * sft_v3d_length(given) ? given : trodden;
}

static sft_unreachable what_gave(const md_problem* p, uint32_t gave_up)
{
    if (gave_up & SFT_GAVE_STRETCH) return SFT_UNREACHABLE_STRETCH;
    return gave_up & SFT_GAVE_PLANT ? SFT_UNREACHABLE_RELEASE : p->def->unreachable;
}

// Remembers by how much planted toes miss their places, for the pelvis to give way by. False: none does, or none may.
static bool note_short(md_feet_problem* f, const sft_cleanup_report* report)
{
    const md_problem* p = f->base;
    bool any = false;
    if (p->def->unreachable != SFT_UNREACHABLE_PELVIS) return false;
    const double most = SHORT_SHARE * p->target->leg_length;
    for (int32_t k = 0; k < report->miss_count; ++k)
    {
        const sft_cleanup_miss* m = report->misses + k;
        double* lacks = f->lacks + md_at(f, m->foot, m->frame - p->first);
        if (m->distance <= SHORT || *lacks >= most) continue;
        *lacks = sft_mind(*lacks + 4.0 * m->distance + LEAST_LOWER, most);
        any = true;
    }
    return any;
}

static sft_result note_misses(md_feet_problem* f, const sft_cleanup_report* report)
{
    const md_problem* p = f->base;
    for (int32_t k = 0; k < report->miss_count; ++k)
    {
        const sft_cleanup_miss* m = report->misses + k;
        const sft_leg* g = f->legs + m->foot;
        const sft_skeleton* s = p->target->skeleton;
        const sft_v3d hip = md_joint(s, p->clip, m->frame, g->hip).t, knee = md_joint(s, p->clip, m->frame, g->knee).t;
        const sft_v3d heel = md_joint(s, p->clip, m->frame, g->heel).t, toe = md_joint(s, p->clip, m->frame, g->toe).t;
        const double chain = sft_v3d_distance(hip, knee) + sft_v3d_distance(knee, heel) + sft_v3d_distance(heel, toe);
        const sft_mend_miss miss = {.frame = m->frame,
                                    .joint = g->toe,
                                    .distance = m->distance,
                                    .target_distance = sft_v3d_distance(hip, toe) + m->distance,
                                    .chain_length = chain,
                                    .gave = what_gave(p, m->gave_up)};
        const sft_result r = md_miss(f->base, miss);
        if (r != SFT_OK) return r;
    }
    return SFT_OK;
}

// Is the clip its source's, number for number? Then no proportions broke it, and what is left is the source's own
// slide.
static bool is_own_motion(const md_problem* p)
{
    const sft_clip *a = p->clip, *b = p->input->source_clip;
    const size_t cells = (size_t)a->joint_count * (size_t)a->frame_count;
    return p->source->identity == p->target->identity && p->scale == 1.0 && a->joint_count == b->joint_count &&
           memcmp(a->translations, b->translations, cells * sizeof *a->translations) == 0 &&
           memcmp(a->rotations, b->rotations, cells * sizeof *a->rotations) == 0;
}

// Mean square of a joint's angular acceleration in model space [rad^2/s^4].
static double unrest(const md_problem* p, const sft_clip* clip, int32_t joint)
{
    double sum = 0.0;
    sft_v3d before = {0, 0, 0};
    sft_quatd last = md_joint(p->target->skeleton, clip, p->first, joint).r;
    for (int32_t i = 1; i < p->frames; ++i)
    {
        const sft_quatd now = md_joint(p->target->skeleton, clip, p->first + i, joint).r;
        const sft_v3d turn = sft_quatd_log(sft_quatd_mul(now, sft_quatd_conjugate(last)));
        const double change = i > 1 ? sft_v3d_distance(turn, before) / (p->dt * p->dt) : 0.0;
        sum += change * change;
        before = turn;
        last = now;
    }
    return sum / (double)p->frames;
}

// Does a foot turn about that did not?
static bool is_restless(const md_feet_problem* f)
{
    const md_problem* p = f->base;
    for (int32_t l = 0; l < f->leg_count; ++l)
    {
        const double most = RESTLESS * sqrt(unrest(p, p->before, f->legs[l].heel)) + STILL;
        if (unrest(p, p->clip, f->legs[l].heel) > most * most) return true;
    }
    return false;
}

// Has a clip's own clean-up put feet deeper than they were, or plants where strikes of the heel drew them?
static bool stands_wrong(const md_feet_problem* f)
{
    const md_problem* p = f->base;
    const sft_skeleton* s = p->target->skeleton;
    const size_t all = (size_t)p->clip->frame_count;
    for (int32_t l = 0; l < f->leg_count; ++l)
        for (int32_t i = 0; i < p->frames; ++i)
        {
            const sft_leg* g = f->legs + l;
            const size_t at = (size_t)l * 3 * all + (size_t)(p->first + i);
            const double floors[3] = {f->floors[at], f->floors[at + all],
                                      f->ends[(size_t)l * all + (size_t)(p->first + i)]};
            const int32_t joints[3] = {g->heel, g->toe, g->toe_end};
            for (int k = 0; k < 3; ++k)
                if (joints[k] >= 0 && floors[k] - md_joint(s, p->clip, p->first + i, joints[k]).t.y > WRONG)
                    return true;
            const double level = f->level[md_at(f, l, i)];
            if (fabs(level - md_joint(s, p->clip, p->first + i, g->toe).t.y) > WRONG) return true;
        }
    return false;
}

// *again: in, it may be done again; out, it has to be: the pelvis must give way by more (note_short), or a clip's own
// feet stand wrong.
static sft_result clean(md_feet_problem* f, bool* again)
{
    md_problem* p = f->base;
    sft_cleanup_def def = sft_default_cleanup_def();
    def.contact_threshold = p->def->contact_threshold;
    def.loop = p->period > 0;
    def.allow_stretch = p->def->unreachable == SFT_UNREACHABLE_STRETCH;
    def.ground_velocity = f->own ? p->def->ground_velocity : ground_velocity(f);
    def.first_frame = p->first;
    const double leg_length = p->target->leg_length > SFT_LENGTH_EPS ? p->target->leg_length : 1.0;
    def.hold_path = (sft_v3d_length(def.ground_velocity) > 0.0 ? HOLD_SPOT : HOLD_PATH) / leg_length;
    // A clip's own slide may be all that its way is wrong by, save where it goes nowhere.
    if (f->own && extent(f) > SPOT * p->target->leg_length) def.hold_path = 0.0;
    if (!f->own) def.travel_joint = md_travel_joint(f);
    if (f->asks)
    {
        def.plant_heights = f->heights;
        def.floors = f->floors;
    }
    sft_cleanup_report report = {0};
    sft_result r = sft_cleanup_clip(&def, p->target->skeleton, f->legs, f->leg_count, f->labels, &p->allocator, p->clip,
                                    p->changed, &report);
    if (r != SFT_OK) return r;
    p->report->plant_count = report.plant_count;
    p->report->planted_frames = report.planted_frames;
    p->report->residual_m = report.residual_m;
    p->report->ground_velocity = def.ground_velocity;
    *again = *again && (f->own ? stands_wrong(f) || is_restless(f) : note_short(f, &report));
    if (!*again) r = note_misses(f, &report);
    sft_cleanup_report_release(&report, &p->allocator);
    return r;
}

static void start_again(md_feet_problem* f)
{
    md_problem* p = f->base;
    const size_t cells = (size_t)p->clip->joint_count * (size_t)p->clip->frame_count;
    memcpy(p->clip->translations, p->before->translations, cells * sizeof *p->clip->translations);
    memcpy(p->clip->rotations, p->before->rotations, cells * sizeof *p->clip->rotations);
}

// A clip that is its source's own is cleaned and no more, save where that is not enough.
static sft_result clean_own(md_feet_problem* f)
{
    bool again = true;
    const sft_result r = clean(f, &again);
    if (r != SFT_OK || !again) return r;
    start_again(f);
    f->asks = true;
    again = false;
    return clean(f, &again);
}

// Is the heel of a planted foot under the floor that it has as the foot is pitched now?
static bool heels_sink(const md_feet_problem* f)
{
    const md_problem* p = f->base;
    const size_t all = (size_t)p->clip->frame_count;
    for (int32_t l = 0; l < f->leg_count; ++l)
        for (int32_t i = 0; i < p->frames; ++i)
        {
            const double level = f->level[md_at(f, l, i)],
                         floor = f->floors[(size_t)l * 3 * all + (size_t)(p->first + i)];
            const double y = md_joint(p->target->skeleton, p->clip, p->first + i, f->legs[l].heel).t.y;
            if (level == level && floor - y > WRONG) return true;
        }
    return false;
}

// Lifts and cleans; where legs turn out too short, again with a pelvis that gives way by what is missing, and where
// feet were pitched so that heels sink, once more with the floors of that pitch.
static sft_result lift_and_clean(md_feet_problem* f)
{
    f->asks = true;
    bool settled = false;
    for (int32_t round = 1;; ++round)
    {
        bool again = round < SHORT_ROUNDS;
        sft_result r = md_feet_lift(f);
        if (r == SFT_OK) r = clean(f, &again);
        if (r != SFT_OK) return r;
        if (!again && !settled)
        {
            md_feet_floors_again(f);
            again = settled = heels_sink(f);
            if (again) f->base->report->miss_count = 0; // those of this round
        }
        if (!again) return r;
        start_again(f);
        r = md_hips(f->base);
        if (r != SFT_OK) return r;
        md_feet_read(f);
    }
}

sft_result md_feet(md_problem* p)
{
    if (p->target->leg_count == 0) return SFT_OK;
    md_feet_problem f = {.base = p, .own = is_own_motion(p)};
    sft_result r = f.own ? SFT_OK : md_hips(p);
    if (r == SFT_OK) r = md_feet_collect(&f);
    if (r == SFT_OK) r = f.own ? clean_own(&f) : lift_and_clean(&f);
    if (r == SFT_OK) md_feet_floors_again(&f);
    if (r == SFT_OK && f.asks) r = md_feet_turn_toes(&f);
    if (r == SFT_OK) r = md_feet_clear(&f);
    md_feet_release(&f);
    return r;
}
