// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// Hands to where they should be: the trunk leans where the arm is too short (or the arm stretches, or lets go), by a
// smooth curve that sees what comes; then elbow and shoulder turn by the least change to the pose. The hand keeps the
// orientation that the transfer gave it.

#include "retarget/mend_hands.h"

static const double REACH_SPARE = 0.003; // of the arm: what the trunk may leave undone
static const double SOFT_SHARE = 0.035;  // of the arm, over which full stretch is approached from REACH on
static const double LEAN_SHARE[2] = {0.25,
                                     0.15}; // of the arm: shortfalls up to the first are leant for, the second ends it
static const double CLAVICLE_SHARE = 0.4;   // of what a joint of the spine does
static const double HELP_SHARE = 1.4;       // of the arm: what is further off is out of reach
static const double HELP_ONSET = 4.0;       // a quarter of the weight brings all of it
static const double STRETCH_MOST = 0.1;     // of the arm
static const double LEAN_MOST = 0.6;        // [rad] of one joint
static const double HINGE_WEIGHT = 0.1;     // of the elbow's own axis against the plane that the arm lies in
static const double RELEASE_BLEND = 0.25;   // [s]
static const double MISS = 1e-3;            // [m]
static const md_times NEED_TIMES = {0.12, 10.0};
#define LEAN_ROUNDS 8
#define MOST_LINKS 16

typedef struct arm
{
    sft_leg leg;   // the arm as a leg: shoulder, elbow, wrist
    sft_v3d hinge; // of the elbow, space of the forearm
} arm;

static arm make_arm(const md_hands* h, int hand)
{
    const md_body* b = &h->target;
    arm a = {.leg = {.pelvis = -1, .hip = b->upper[hand], .knee = b->fore[hand], .heel = b->hand[hand]}};
    a.leg.toe = a.leg.heel;
    a.leg.toe_end = -1;
    // In the reference pose arms are level to the sides and elbows bend forward: the left one about -Y, the right +Y.
    const sft_v3d axis = sft_v3d_make(0.0, hand == 0 ? -1.0 : 1.0, 0.0);
    const sft_rig* rig = h->base->target;
    a.hinge = rig->pose ? sft_quatd_unrotate(rig->pose[a.leg.knee].r, axis) : axis;
    return a;
}

static double arm_length(const md_hands* h, const sft_clip* clip, int32_t frame, int hand)
{
    const sft_skeleton* s = h->base->target->skeleton;
    const md_body* b = &h->target;
    const sft_v3d elbow = md_joint(s, clip, frame, b->fore[hand]).t;
    return sft_v3d_distance(md_joint(s, clip, frame, b->upper[hand]).t, elbow) +
           sft_v3d_distance(elbow, md_joint(s, clip, frame, b->hand[hand]).t);
}

static sft_quatd* local_of(const md_problem* p, int32_t frame, int32_t joint)
{
    return p->clip->rotations + (size_t)frame * (size_t)p->clip->joint_count + (size_t)joint;
}

// Where the hand goes: all of the wish, or part of the way to it. What is far out of reach is looked for no further off
// than help can bring the arm, so that on the way there the arm does not snap straight.
static sft_v3d aim_of(const md_hands* h, int hand, int32_t frame, const md_wish* wish)
{
    const sft_skeleton* s = h->base->target->skeleton;
    const sft_v3d now = md_joint(s, h->base->clip, frame, h->target.hand[hand]).t;
    const sft_v3d shoulder = md_joint(s, h->base->clip, frame, h->target.upper[hand]).t;
    const sft_v3d way = sft_v3d_sub(wish->place, shoulder);
    const double far = sft_v3d_length(way), most = HELP_SHARE * h->chain[hand];
    const sft_v3d place = far > most ? sft_v3d_madd(shoulder, most / far, way) : wish->place;
    return sft_v3d_lerp(now, place, wish->weight);
}

// By how much the arm is too short for its wish [m].
static double shortfall(const md_hands* h, int hand, int32_t frame, sft_v3d aim)
{
    const sft_skeleton* s = h->base->target->skeleton;
    const sft_v3d shoulder = md_joint(s, h->base->clip, frame, h->target.upper[hand]).t;
    const sft_v3d wrist = md_joint(s, h->base->clip, frame, h->target.hand[hand]).t;
    const double reach = sft_maxd(MD_REACH_SHARE * h->chain[hand], sft_v3d_distance(shoulder, wrist));
    return sft_maxd(sft_v3d_distance(shoulder, aim) - reach, 0.0);
}

// Help begins with the wish, though the curve of what is needed does before.
static double help_share(const md_wish* wish)
{
    return md_ease(HELP_ONSET * wish->weight);
}

// ---- leaning ----

typedef struct link
{
    int32_t joint;
    int hand; // -1: of the trunk, serves both
    sft_quatd before;
} link;

static int32_t list_links(const md_hands* h, link* links)
{
    const md_body* b = &h->target;
    const sft_skeleton* s = h->base->target->skeleton;
    int32_t count = 0;
    for (int32_t j = b->chest; j >= 0 && j != b->hips && count < MOST_LINKS - 2; j = s->parents[j])
        if (h->base->target->meanings[j].part == SFT_PART_SPINE) links[count++] = (link){.joint = j, .hand = -1};
    // The pelvis carries the legs: it does not lean, also where a figure has no spine of its own.
    for (int a = 0; a < 2; ++a)
        if (b->clavicle[a] >= 0) links[count++] = (link){.joint = b->clavicle[a], .hand = a};
    return count;
}

// Turns a joint by q in model space, but no further from where it was than LEAN_MOST.
static void turn_link(const md_problem* p, int32_t frame, link* l, sft_quatd q)
{
    const int32_t up = p->target->skeleton->parents[l->joint];
    const sft_quatd above = up >= 0 ? md_joint(p->target->skeleton, p->clip, frame, up).r : sft_quatd_identity();
    sft_quatd* local = local_of(p, frame, l->joint);
    const sft_quatd after = sft_quatd_mul(sft_quatd_conjugate(above), sft_quatd_mul(q, sft_quatd_mul(above, *local)));
    sft_v3d turn = sft_quatd_log(sft_quatd_mul(after, sft_quatd_conjugate(l->before)));
    const double angle = sft_v3d_length(turn);
    if (angle > LEAN_MOST) turn = sft_v3d_scale(LEAN_MOST / angle, turn);
    *local = sft_quatd_normalize(sft_quatd_mul(sft_quatd_exp(turn), l->before));
    p->changed[l->joint] |= 1;
}

// Leans until each shoulder is as much nearer to its aim as the curve says.
static void lean(const md_hands* h, int32_t frame, link* links, int32_t count)
{
    const md_problem* p = h->base;
    const sft_skeleton* s = p->target->skeleton;
    sft_v3d goal[2];
    bool wanted[2] = {false, false};
    for (int a = 0; a < 2; ++a)
    {
        double need = h->need[a] ? h->need[a][frame - p->first] : 0.0;
        const md_wish wish = need > SFT_LENGTH_EPS ? md_hand_wish(h, a, frame) : (md_wish){0};
        if (!(wish.weight > 0.0)) continue;
        need *= help_share(&wish);
        const sft_v3d shoulder = md_joint(s, p->clip, frame, h->target.upper[a]).t;
        const sft_v3d way = sft_v3d_sub(aim_of(h, a, frame, &wish), shoulder);
        goal[a] = sft_v3d_madd(shoulder, need, sft_v3d_normalize_or(way, sft_v3d_make(0, 0, 0)));
        wanted[a] = true;
    }
    if (!wanted[0] && !wanted[1]) return;
    for (int32_t k = 0; k < count; ++k)
        links[k].before = *local_of(p, frame, links[k].joint);
    for (int round = 0; round < LEAN_ROUNDS; ++round)
        for (int32_t k = 0; k < count; ++k)
        {
            sft_v3d turn = {0, 0, 0};
            for (int a = 0; a < 2; ++a)
            {
                if (!wanted[a] || (links[k].hand >= 0 && links[k].hand != a)) continue;
                const sft_v3d at = md_joint(s, p->clip, frame, links[k].joint).t;
                const sft_v3d shoulder = md_joint(s, p->clip, frame, h->target.upper[a]).t;
                const sft_v3d arm_of = sft_v3d_sub(shoulder, at), left = sft_v3d_sub(goal[a], shoulder);
                const double square = sft_v3d_dot(arm_of, arm_of);
                if (!(square > SFT_LENGTH_EPS * SFT_LENGTH_EPS)) continue;
                const double share = (links[k].hand >= 0 ? CLAVICLE_SHARE : 1.0) / (double)count;
                turn = sft_v3d_madd(turn, share / square, sft_v3d_cross(arm_of, left));
            }
            if (sft_v3d_length(turn) > 1e-9) turn_link(p, frame, links + k, sft_quatd_exp(turn));
        }
}

// Leaning takes the hands along; one that has a wish gets the orientation of the transfer back, as much as it is
// wished.
static void turn_back(const md_hands* h, int hand, int32_t frame, sft_quatd before)
{
    const md_problem* p = h->base;
    const sft_skeleton* s = p->target->skeleton;
    const md_wish wish = h->need[hand] ? md_hand_wish(h, hand, frame) : (md_wish){0};
    const int32_t joint = h->target.hand[hand], up = s->parents[joint];
    if (!(wish.weight > 0.0) || up < 0) return;
    const sft_quatd turned = sft_quatd_slerp(md_joint(s, p->clip, frame, joint).r, before, wish.weight);
    const sft_quatd above = md_joint(s, p->clip, frame, up).r;
    *local_of(p, frame, joint) = sft_quatd_normalize(sft_quatd_mul(sft_quatd_conjugate(above), turned));
    p->changed[joint] |= 1;
}

static void lean_with_hands(const md_hands* h, int32_t frame, link* links, int32_t count)
{
    sft_quatd before[2];
    for (int a = 0; a < 2; ++a)
        before[a] = h->target.hand[a] >= 0
                        ? md_joint(h->base->target->skeleton, h->base->clip, frame, h->target.hand[a]).r
                        : sft_quatd_identity();
    lean(h, frame, links, count);
    for (int a = 0; a < 2; ++a)
        turn_back(h, a, frame, before[a]);
}

// ---- the arm ----

static void stretch(const md_problem* p, int32_t frame, const arm* a, double factor)
{
    for (int32_t j = a->leg.heel; j != a->leg.hip; j = p->target->skeleton->parents[j])
    {
        sft_v3d* t = p->clip->translations + (size_t)frame * (size_t)p->clip->joint_count + (size_t)j;
        *t = sft_v3d_scale(factor, *t);
        p->changed[j] |= 2;
    }
}

static sft_result place_hand(const md_hands* h, const arm* a, int32_t frame, sft_v3d aim)
{
    const md_problem* p = h->base;
    const size_t row = (size_t)frame * (size_t)p->clip->joint_count;
    sft_leg_pose before, after;
    sft_result r =
        sft_leg_pose_read(p->target->skeleton, &a->leg, p->clip->translations + row, p->clip->rotations + row, &before);
    if (r != SFT_OK) return r;
    after = before;
    const sft_v3d upper = sft_v3d_sub(before.knee.t, before.hip.t), fore = sft_v3d_sub(before.heel.t, before.knee.t);
    const double u = sft_v3d_length(upper), f = sft_v3d_length(fore);
    const double now = sft_v3d_distance(before.hip.t, before.heel.t);
    if (!(u > SFT_LENGTH_EPS) || !(f > SFT_LENGTH_EPS)) return SFT_OK;
    // Straight arms have no plane of their own: there the elbow's axis decides.
    const sft_v3d plane = sft_v3d_scale(1.0 / (u * f), sft_v3d_cross(upper, fore));
    const sft_v3d side = sft_v3d_madd(plane, HINGE_WEIGHT, sft_quatd_rotate(before.knee.r, a->hinge));
    sft_leg_solve_def def = sft_default_leg_solve_def();
    def.max_extension = MD_REACH_SHARE + REACH_SPARE;
    def.softening = SOFT_SHARE * (u + f);
    const sft_v3d way = sft_v3d_sub(aim, before.hip.t);
    const double wanted = sft_v3d_length(way);
    const double far = sft_leg_allowed_distance(&def, wanted, now, u + f);
    const sft_v3d to = wanted > SFT_LENGTH_EPS ? sft_v3d_madd(before.hip.t, far / wanted, way) : aim;
    r = sft_leg_two_bone(&after, to, side, u + f, 0.0);
    if (r != SFT_OK) return r;
    after.heel.r = after.toe.r = after.toe_end.r = before.heel.r;
    r = sft_leg_pose_write(&a->leg, &before, &after, p->clip->rotations + row);
    p->changed[a->leg.hip] |= 1;
    p->changed[a->leg.knee] |= 1;
    p->changed[a->leg.heel] |= 1;
    return r;
}

sft_result md_arm_place(const md_hands* h, int hand, int32_t frame, sft_v3d place)
{
    const arm a = make_arm(h, hand);
    return place_hand(h, &a, frame, place);
}

static sft_result note_miss(const md_hands* h, int hand, int32_t frame, const md_wish* wish)
{
    const md_problem* p = h->base;
    const sft_skeleton* s = p->target->skeleton;
    const sft_v3d wrist = md_joint(s, p->clip, frame, h->target.hand[hand]).t;
    const double off = sft_v3d_distance(wrist, wish->place);
    if (!(off > MISS) || wish->asked < 1.0) return SFT_OK;
    const sft_v3d shoulder = md_joint(s, p->clip, frame, h->target.upper[hand]).t;
    const sft_mend_miss miss = {.frame = frame,
                                .joint = h->target.hand[hand],
                                .distance = off,
                                .target_distance = sft_v3d_distance(shoulder, wish->place),
                                .chain_length = h->chain[hand],
                                .gave = p->def->unreachable};
    return md_miss(h->base, miss);
}

// ---- over the clip ----

static void limit_lean(const md_hands* h, int hand)
{
    const double free = LEAN_SHARE[0] * h->chain[hand], end = LEAN_SHARE[1] * h->chain[hand];
    for (int32_t i = 0; i < h->base->frames; ++i)
    {
        double* need = h->need[hand] + i;
        if (*need > free) *need = free + end * (1.0 - sft_exp(-(*need - free) / end));
    }
}

// How much too short each arm is, as a smooth curve that is nowhere less.
static sft_result find_needs(md_hands* h, bool* any)
{
    const md_problem* p = h->base;
    md_curve c;
    const sft_result r = md_curve_create(p, &c);
    if (r != SFT_OK) return r;
    for (int a = 0; a < 2; ++a)
    {
        if (!h->need[a]) continue;
        double most = 0.0;
        for (int32_t i = 0; i < p->frames; ++i)
        {
            const md_wish wish = md_hand_wish(h, a, p->first + i);
            const sft_v3d aim = aim_of(h, a, p->first + i, &wish);
            h->need[a][i] = wish.weight > 0.0 ? shortfall(h, a, p->first + i, aim) : 0.0;
            most = sft_maxd(most, h->need[a][i]);
        }
        any[a] = most > SFT_LENGTH_EPS;
        if (!any[a] || p->def->unreachable == SFT_UNREACHABLE_RELEASE) continue;
        for (int32_t k = 0; k < c.count; ++k)
        {
            c.wanted[k] = 0.0;
            c.weight[k] = 1.0;
            c.low[k] = h->need[a][md_curve_frame(&c, k)];
            c.x[k] = c.low[k] + SFT_LENGTH_EPS;
        }
        md_curve_solve(&c, NEED_TIMES, true, h->need[a]);
        for (int32_t i = 0; i < p->frames; ++i)
            h->need[a][i] = sft_maxd(h->need[a][i], 0.0);
        if (p->def->unreachable == SFT_UNREACHABLE_PELVIS) limit_lean(h, a);
    }
    md_curve_release(&c);
    return SFT_OK;
}

// Goals fade out before frames that cannot be reached, and in after them.
static void find_releases(md_hands* h, int hand)
{
    const md_problem* p = h->base;
    double* out = h->release[hand];
    double time = INFINITY;
    for (int32_t i = 0; i < p->frames; ++i)
    {
        time = h->need[hand][i] > (1.0 - MD_REACH_SHARE) * h->chain[hand] ? 0.0 : time + p->dt;
        out[i] = time;
    }
    time = INFINITY;
    for (int32_t i = p->frames - 1; i >= 0; --i)
    {
        time = out[i] == 0.0 ? 0.0 : time + p->dt;
        out[i] = md_ease(sft_mind(out[i], time) / RELEASE_BLEND);
    }
}

static sft_result serve_frame(const md_hands* h, const arm* arms, int32_t frame, link* links, int32_t link_count)
{
    const bool leans = h->base->def->unreachable == SFT_UNREACHABLE_PELVIS;
    if (leans && link_count > 0) lean_with_hands(h, frame, links, link_count);
    md_wish wish[2];
    sft_v3d aim[2];
    for (int a = 0; a < 2; ++a)
    {
        wish[a] = h->need[a] ? md_hand_wish(h, a, frame) : (md_wish){0};
        if (wish[a].weight > 0.0) aim[a] = aim_of(h, a, frame, &wish[a]);
    }
    const int first = wish[0].by_other_arm ? 1 : 0;
    for (int k = 0; k < 2; ++k)
    {
        const int a = k == 0 ? first : 1 - first;
        if (!(wish[a].weight > 0.0)) continue;
        if (wish[a].by_other_arm) wish[a] = md_hand_wish(h, a, frame);
        const sft_v3d to = wish[a].by_other_arm ? aim_of(h, a, frame, &wish[a]) : aim[a];
        const double need = h->need[a][frame - h->base->first] * help_share(&wish[a]);
        if (h->base->def->unreachable == SFT_UNREACHABLE_STRETCH && need > SFT_LENGTH_EPS)
            stretch(h->base, frame, arms + a, 1.0 + sft_mind(need / (MD_REACH_SHARE * h->chain[a]), STRETCH_MOST));
        const sft_result r = place_hand(h, arms + a, frame, to);
        if (r != SFT_OK) return r;
    }
    for (int a = 0; a < 2; ++a)
    {
        const sft_result r = wish[a].weight > 0.0 || h->release[a] ? note_miss(h, a, frame, &wish[a]) : SFT_OK;
        if (r != SFT_OK) return r;
    }
    return SFT_OK;
}

static sft_result serve(md_hands* h)
{
    const md_problem* p = h->base;
    bool any[2] = {false, false};
    sft_result r = find_needs(h, any);
    if (r != SFT_OK) return r;
    if (p->def->unreachable == SFT_UNREACHABLE_RELEASE)
        for (int a = 0; a < 2; ++a)
        {
            if (!any[a]) continue;
            h->release[a] = sft_core_alloc(&p->allocator, (size_t)p->frames, sizeof(double));
            if (!h->release[a]) return SFT_ERR_MEMORY;
            find_releases(h, a);
        }
    arm arms[2];
    for (int a = 0; a < 2; ++a)
        if (h->need[a]) arms[a] = make_arm(h, a);
    link links[MOST_LINKS];
    const int32_t link_count = list_links(h, links);
    for (int32_t i = 0; i < p->frames && r == SFT_OK; ++i)
        r = serve_frame(h, arms, p->first + i, links, link_count);
    return r;
}

sft_result md_arms_serve(md_hands* h)
{
    const md_problem* p = h->base;
    sft_result r = SFT_OK;
    for (int a = 0; a < 2 && r == SFT_OK; ++a)
    {
        if (h->target.hand[a] < 0) continue;
        h->chain[a] = arm_length(h, p->clip, p->first, a);
        h->need[a] = sft_core_alloc(&p->allocator, (size_t)p->frames, sizeof(double));
        if (!h->need[a]) r = SFT_ERR_MEMORY;
    }
    if (r == SFT_OK) r = serve(h);
    for (int a = 0; a < 2; ++a)
    {
        sft_core_free(&p->allocator, h->need[a], (size_t)p->frames, sizeof(double));
        sft_core_free(&p->allocator, h->release[a], (size_t)p->frames, sizeof(double));
    }
    return r;
}
