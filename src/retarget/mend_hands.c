// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// Where hands should be. A goal that a user gives is a place in the space of what is touched, met exactly. A touch that
// was found in the source is a relation, frame by frame: the palm over the nearest point of what it touches, at the
// same share along it, as far from its axis as the figures' thickness is to one another; hands that touch each other
// meet in the middle between where the transfer left them.

#include "retarget/mend_hands.h"

static const double FOUND_BLEND = 0.25; // [s]

static bool below(const sft_skeleton* s, int32_t upper, int32_t joint)
{
    return upper >= 0 && joint >= 0 && md_is_above(s, upper, joint);
}

// The arm whose hand carries a joint; -1 none.
static int hand_of(const md_hands* h, int32_t joint)
{
    for (int a = 0; a < 2; ++a)
        if (below(h->base->target->skeleton, h->target.hand[a], joint)) return a;
    return -1;
}

static md_kind kind_of(const md_hands* h, int hand, int32_t other)
{
    for (int kind = MD_HAND; kind < MD_KINDS; ++kind)
        if (other >= 0 && md_kind_joint(&h->target, (md_kind)kind, hand) == other) return (md_kind)kind;
    return MD_FIXED;
}

static sft_result add(md_hands* h, md_goal goal)
{
    if (h->goal_count == h->goal_capacity)
    {
        const int32_t next = h->goal_capacity ? h->goal_capacity * 2 : 16;
        void* grown = sft_core_grow(&h->base->allocator, h->goals, (size_t)h->goal_capacity, (size_t)next, sizeof goal);
        if (!grown) return SFT_ERR_MEMORY;
        h->goals = grown;
        h->goal_capacity = next;
    }
    h->goals[h->goal_count++] = goal;
    return SFT_OK;
}

// ---- source and target ----

static int source_hand(const md_problem* p, int hand)
{
    return p->def->mirror ? 1 - hand : hand;
}

static md_kind other_kind(const md_problem* p, md_kind kind)
{
    if (!p->def->mirror) return kind;
    return kind == MD_THIGH_LEFT ? MD_THIGH_RIGHT : kind == MD_THIGH_RIGHT ? MD_THIGH_LEFT : kind;
}

// A direction of the source's model space in the target's.
static sft_v3d to_target(const md_problem* p, sft_v3d v)
{
    const sft_v3d up = sft_v3d_make(0.0, 1.0, 0.0);
    v = sft_quatd_rotate(sft_quatd_exp(sft_v3d_scale(p->source->facing, up)), v);
    if (p->def->mirror) v.x = -v.x;
    return sft_quatd_rotate(sft_quatd_exp(sft_v3d_scale(-p->target->facing, up)), v);
}

static double width(const sft_rig* rig, const int32_t* pair)
{
    if (!rig->pose || pair[0] < 0 || pair[1] < 0) return 0.0;
    return sft_v3d_distance(rig->pose[pair[0]].t, rig->pose[pair[1]].t);
}

static double over(double a, double b, double fallback)
{
    return a > SFT_LENGTH_EPS && b > SFT_LENGTH_EPS ? a / b : fallback;
}

static void set_ratios(md_hands* h)
{
    const md_problem* p = h->base;
    const double arm = over(p->target->arm_length, p->source->arm_length, p->scale);
    h->ratio[MD_HAND] = h->ratio[MD_HEAD] = h->ratio[MD_GROUND] = arm;
    h->ratio[MD_THIGH_LEFT] = h->ratio[MD_THIGH_RIGHT] = p->scale;
    h->ratio[MD_TRUNK] = over(width(p->target, h->target.upper), width(p->source, h->source.upper), arm);
}

// ---- wishes ----

static sft_v3d palm_of(const sft_rig* rig, const md_body* body, const sft_clip* clip, int32_t frame, int hand)
{
    return sft_xformd_apply(md_joint(rig->skeleton, clip, frame, body->hand[hand]), md_palm_offset(rig, body, hand));
}

// A hand that cannot reach as far along a thigh or the trunk touches it nearer by: `place` moved along the axis into
// reach, by at most the way to the axis's begin or end.
static sft_v3d slide_into_reach(const md_hands* h, int hand, int32_t frame, sft_v3d place, const md_nearest* on)
{
    const md_problem* p = h->base;
    const sft_v3d shoulder = md_joint(p->target->skeleton, p->clip, frame, h->target.upper[hand]).t;
    const sft_v3d way = sft_v3d_sub(place, shoulder);
    const double reach = MD_REACH_SHARE * h->chain[hand], far = sft_v3d_length(way);
    if (!(far > reach)) return place;
    // |way + t along| = reach, the t nearest to zero; where no t does, the nearest point of the line.
    const double along = sft_v3d_dot(way, on->along), rest = along * along - (far * far - reach * reach);
    const double root = sqrt(sft_maxd(rest, 0.0));
    const double t = along > 0.0 ? root - along : -along - root;
    return sft_v3d_madd(place, sft_clampd(t, -on->share * on->length, (1.0 - on->share) * on->length), on->along);
}

// As high over the ground as the source's palm, by the arms; on the ground it goes the source's way, scaled, from where
// it is in the middle of the touch.
static sft_v3d ground_place(const md_hands* h, const md_goal* g, int32_t frame)
{
    const md_problem* p = h->base;
    const int hand = source_hand(p, g->hand);
    const int32_t middle = g->touch.first + (g->touch.last - g->touch.first) / 2;
    const sft_v3d from = palm_of(p->source, &h->source, p->input->source_clip, middle, hand);
    const sft_v3d now = palm_of(p->source, &h->source, p->input->source_clip, frame, hand);
    const sft_v3d way = sft_v3d_scale(p->scale, to_target(p, sft_v3d_sub(now, from)));
    sft_v3d place = palm_of(p->target, &h->target, p->clip, middle, g->hand);
    place = sft_v3d_add(place, way);
    place.y = p->def->ground + h->ratio[MD_GROUND] * (now.y - p->def->source_ground);
    const sft_xformd wrist = md_joint(p->target->skeleton, p->clip, frame, h->target.hand[g->hand]);
    return sft_v3d_add(wrist.t, sft_v3d_sub(place, palm_of(p->target, &h->target, p->clip, frame, g->hand)));
}

static sft_v3d found_place(const md_hands* h, const md_goal* g, int32_t frame)
{
    const md_problem* p = h->base;
    if (g->kind == MD_GROUND) return ground_place(h, g, frame);
    const int hand = source_hand(p, g->hand);
    const md_kind kind = other_kind(p, g->kind);
    const sft_v3d from = palm_of(p->source, &h->source, p->input->source_clip, frame, hand);
    const md_nearest a = md_nearest_point(p->source, &h->source, p->input->source_clip, frame, kind, hand, from, -1.0);
    sft_v3d v = sft_v3d_scale(h->ratio[g->kind], to_target(p, sft_v3d_sub(from, a.point)));
    const sft_xformd wrist = md_joint(p->target->skeleton, p->clip, frame, h->target.hand[g->hand]);
    const sft_v3d palm = palm_of(p->target, &h->target, p->clip, frame, g->hand);
    const md_nearest b = md_nearest_point(p->target, &h->target, p->clip, frame, g->kind, g->hand, palm, a.share);
    if (g->kind == MD_HAND)
    {
        // Each hand goes half of the way.
        const sft_v3d middle = sft_v3d_lerp(palm, b.point, 0.5);
        return sft_v3d_add(wrist.t, sft_v3d_sub(sft_v3d_madd(middle, 0.5, v), palm));
    }
    // What is touched may have been turned since, a thigh by its planted foot.
    if (g->kind != MD_HEAD) v = sft_quatd_rotate(sft_quatd_between(to_target(p, a.along), b.along), v);
    const sft_v3d place = sft_v3d_add(wrist.t, sft_v3d_sub(sft_v3d_add(b.point, v), palm));
    return slide_into_reach(h, g->hand, frame, place, &b);
}

static sft_v3d fixed_place(const md_hands* h, const md_goal* g, int32_t frame)
{
    const md_problem* p = h->base;
    const sft_skeleton* s = p->target->skeleton;
    sft_v3d place = g->touch.offset;
    if (g->touch.other >= 0) place = sft_xformd_apply(md_joint(s, p->clip, frame, g->touch.other), place);
    const sft_v3d wrist = md_joint(s, p->clip, frame, h->target.hand[g->hand]).t;
    // A joint below the hand takes the hand along; the hand keeps its orientation.
    return sft_v3d_add(wrist, sft_v3d_sub(place, md_joint(s, p->clip, frame, g->touch.joint).t));
}

static double goal_weight(const md_problem* p, const sft_touch_goal* t, int32_t frame)
{
    const double before = (double)(t->first - frame) * p->dt, after = (double)(frame - t->last) * p->dt;
    const double off = sft_maxd(before, after);
    if (!(off > 0.0)) return 1.0;
    return off < t->blend ? 1.0 - md_ease(off / t->blend) : 0.0;
}

md_wish md_hand_wish(const md_hands* h, int hand, int32_t frame)
{
    const md_problem* p = h->base;
    md_wish wish = {{0, 0, 0}, 0.0, 0.0, false};
    double fixed = 0.0, most[2] = {0.0, 0.0};
    sft_v3d sum[2] = {{0, 0, 0}, {0, 0, 0}};
    double weights[2] = {0.0, 0.0};
    for (int32_t k = 0; k < h->goal_count; ++k)
    {
        const md_goal* g = h->goals + k;
        // A touch of both hands is each one's.
        const bool mine = g->hand == hand || g->kind == MD_HAND;
        const double w = mine ? goal_weight(p, &g->touch, frame) : 0.0;
        if (!(w > 0.0)) continue;
        md_goal own = *g;
        own.hand = hand;
        const int which = g->kind == MD_FIXED ? 0 : 1;
        const sft_v3d place = which == 0 ? fixed_place(h, g, frame) : found_place(h, &own, frame);
        sum[which] = sft_v3d_madd(sum[which], w, place);
        weights[which] += w;
        most[which] = sft_maxd(most[which], w);
        if (which == 0 && below(p->target->skeleton, h->target.upper[1 - hand], g->touch.other))
            wish.by_other_arm = true;
    }
    // What a user asks for comes before what was found.
    fixed = most[0];
    const double found = (1.0 - fixed) * most[1];
    const double all = fixed + found;
    if (!(all > 0.0)) return wish;
    if (weights[0] > 0.0) wish.place = sft_v3d_madd(wish.place, fixed / (all * weights[0]), sum[0]);
    if (weights[1] > 0.0) wish.place = sft_v3d_madd(wish.place, found / (all * weights[1]), sum[1]);
    wish.weight = wish.asked = sft_mind(all, 1.0);
    if (h->release[hand]) wish.weight *= h->release[hand][frame - p->first];
    return wish;
}

// ---- goals ----

static sft_result add_given(md_hands* h)
{
    const md_problem* p = h->base;
    for (int32_t k = 0; k < p->def->goal_count; ++k)
    {
        const sft_touch_goal* t = p->def->goals + k;
        md_goal g = {.touch = *t, .kind = MD_FIXED, .hand = hand_of(h, t->joint)};
        if (g.hand < 0) return SFT_ERR_ARG;
        if (!t->fixed && h->source.hand[source_hand(p, g.hand)] >= 0)
        {
            g.kind = kind_of(h, g.hand, t->other);
            const md_kind there = other_kind(p, g.kind);
            if (g.kind != MD_FIXED && md_kind_joint(&h->source, there, source_hand(p, g.hand)) < 0) g.kind = MD_FIXED;
        }
        const sft_result r = add(h, g);
        if (r != SFT_OK) return r;
    }
    return SFT_OK;
}

// A touch of the source as a goal of the target; false where the target has no such joints.
static bool goal_of(const md_hands* h, const md_touch* t, md_goal* out)
{
    const md_problem* p = h->base;
    const int hand = source_hand(p, t->hand);
    const md_kind kind = other_kind(p, t->kind);
    *out = (md_goal){.kind = kind, .hand = hand};
    out->touch.joint = h->target.hand[hand];
    out->touch.other = md_kind_joint(&h->target, kind, hand);
    out->touch.first = t->first;
    out->touch.last = t->last;
    out->touch.blend = FOUND_BLEND;
    return out->touch.joint >= 0 && (kind == MD_GROUND || out->touch.other >= 0);
}

static sft_result add_found(md_hands* h, double ground)
{
    const md_problem* p = h->base;
    md_touches found = {0};
    const md_scene scene = {p->source, p->input->source_clip, p->first, ground};
    sft_result r = md_touches_find(&scene, &p->allocator, &found);
    for (int32_t k = 0; k < found.count && r == SFT_OK; ++k)
    {
        md_goal g;
        if (goal_of(h, found.items + k, &g)) r = add(h, g);
    }
    md_touches_release(&found, &p->allocator);
    return r;
}

sft_result md_hands_mend(md_problem* p)
{
    md_hands h = {.base = p};
    md_body_read(p->source, &h.source);
    md_body_read(p->target, &h.target);
    set_ratios(&h);
    sft_result r = add_given(&h);
    if (r == SFT_OK && p->def->hands) r = add_found(&h, p->def->source_ground);
    p->report->goal_count = h.goal_count;
    if (r == SFT_OK && h.goal_count > 0) r = md_arms_serve(&h);
    if (r == SFT_OK && p->def->hands) r = md_hands_clear(&h);
    sft_core_free(&p->allocator, h.goals, (size_t)h.goal_capacity, sizeof *h.goals);
    return r;
}

// ---- touches for others to see ----

// Middle of the span: where the hand is to what it touches, in the target's reference pose. The change of what is
// touched since the source's reference pose is taken out, so the offset holds whatever the pose.
static sft_v3d offset_of(const md_hands* h, const md_goal* g)
{
    const md_problem* p = h->base;
    const int hand = source_hand(p, g->hand);
    const md_kind kind = other_kind(p, g->kind);
    const int32_t frame = g->touch.first + (g->touch.last - g->touch.first) / 2;
    const int32_t other = md_kind_joint(&h->source, kind, hand);
    const sft_skeleton* s = p->source->skeleton;
    const sft_xformd on = md_joint(s, p->input->source_clip, frame, other);
    const sft_v3d wrist = md_joint(s, p->input->source_clip, frame, h->source.hand[hand]).t;
    sft_v3d v = sft_quatd_unrotate(on.r, sft_v3d_sub(wrist, on.t));
    if (p->source->pose) v = sft_quatd_rotate(p->source->pose[other].r, v);
    if (p->def->mirror) v.x = -v.x;
    if (p->target->pose) v = sft_quatd_unrotate(p->target->pose[g->touch.other].r, v);
    return sft_v3d_scale(h->ratio[g->kind], v);
}

sft_result sft_retarget_find_touches(const sft_mend_input* input, bool mirror, const sft_allocator* allocator,
                                     sft_touch_goal* goals, int32_t capacity, int32_t* count)
{
    if (!input || !count || capacity < 0 || (capacity > 0 && !goals) || !input->rigs.source || !input->rigs.target ||
        !input->source_clip || input->source_clip->joint_count != input->rigs.source->skeleton->joint_count)
        return SFT_ERR_ARG;
    sft_mend_def def = sft_default_mend_def();
    def.mirror = mirror;
    md_problem p = {.allocator = sft_core_allocator(allocator), .def = &def, .input = input};
    p.source = input->rigs.source;
    p.target = input->rigs.target;
    p.dt = input->source_clip->frame_time;
    p.scale = over(p.target->leg_length, p.source->leg_length, 1.0);
    md_hands h = {.base = &p};
    md_body_read(p.source, &h.source);
    md_body_read(p.target, &h.target);
    set_ratios(&h);
    const sft_result r = add_found(&h, NAN);
    if (r == SFT_OK)
    {
        *count = h.goal_count < capacity ? h.goal_count : capacity;
        for (int32_t k = 0; k < *count; ++k)
        {
            goals[k] = h.goals[k].touch;
            goals[k].offset = offset_of(&h, h.goals + k);
        }
    }
    sft_core_free(&p.allocator, h.goals, (size_t)h.goal_capacity, sizeof *h.goals);
    return r;
}
