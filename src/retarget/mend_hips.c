// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// Hips that are wider or narrower against the legs than the source's. A pelvis that turns or tilts as the source's does
// carries its sockets further than the source's, scaled, and takes planted feet along: a figure with hips four times as
// wide that shifts its weight lifts one foot by a quarter of its leg. So the line from socket to socket keeps as much
// of its tilt, and of its turn against where the figure heads, as brings the sockets where the source's are; legs and
// spine keep their directions in space. Legs then have nothing to make up for.

#include "retarget/mend.h"

static const double LEAST_WIDTH = 0.02;         // of a leg: narrower hips say nothing
static const double RATIO_MIN = 0.1;            // of widths, source to target
static const double RATIO_MAX = 1.0;            // narrow hips carry feet less far than they should, and by little
static const double SAME = 1e-6;                // widths that are alike
static const double MOST[2] = {0.34, 0.5};      // [rad] the pelvis turns less than that, over one foot and both
static const double FLAT = 0.3;                 // a line steeper than this has no heading
static const md_times HEADING_TIMES = {0.5, 4}; // slower than steps, faster than turns
static const md_times TURN_TIMES = {0.02, 0.6}; // as smooth as the clip; without plants it fades in 0.2 s
static const double STANDING = 0.002;           // weight of a heading while both feet stand: it keeps to its neighbours
static const double STAND_TIME = 1.0;           // [s] that both feet stand: so long a stand heads where its mean does
static const double FREE = 1e-6;                // weight of no turn where no foot stands

typedef struct hips_problem
{
    md_problem* base;
    const sft_leg *left, *right;
    int32_t source[2]; // their legs of the source
    int32_t joint;     // the one that carries both sockets
    double ratio;      // width of the source's hips, scaled, to the target's
    sft_v3d* line;     // [frame] unit, from right socket to left
    double* heading;   // [frame] of the level line that tilt and turn are measured against
    sft_v3d* turn;     // [frame] of the pelvis
    double* values;
} hips_problem;

static int32_t source_leg(const md_problem* p, sft_leg_side side)
{
    if (p->def->mirror) side = side == SFT_LEG_LEFT ? SFT_LEG_RIGHT : SFT_LEG_LEFT;
    for (int32_t m = 0; m < p->source->leg_count; ++m)
        if (p->source->legs[m].side == side && p->source->legs[m].pair == 0) return m;
    return -1;
}

// Bipeds only: of more girdles each would need a spine that gives way between them.
static bool find_sockets(hips_problem* h)
{
    md_problem* p = h->base;
    const sft_rig *source = p->source, *target = p->target;
    if (target->leg_count != 2 || source->leg_count != 2) return false;
    h->left = target->legs + (target->legs[0].side == SFT_LEG_LEFT ? 0 : 1);
    h->right = target->legs + (target->legs[0].side == SFT_LEG_LEFT ? 1 : 0);
    if (h->left->side != SFT_LEG_LEFT || h->right->side != SFT_LEG_RIGHT) return false;
    h->source[0] = source_leg(p, SFT_LEG_LEFT);
    h->source[1] = source_leg(p, SFT_LEG_RIGHT);
    if (h->source[0] < 0 || h->source[1] < 0) return false;
    h->joint = target->skeleton->parents[h->left->hip];
    while (h->joint >= 0 && !md_is_above(target->skeleton, h->joint, h->right->hip))
        h->joint = target->skeleton->parents[h->joint];
    if (h->joint < 0 || h->joint == h->right->hip) return false;
    const sft_v3d a = md_joint(source->skeleton, p->input->source_clip, p->first, source->legs[h->source[0]].hip).t;
    const sft_v3d b = md_joint(source->skeleton, p->input->source_clip, p->first, source->legs[h->source[1]].hip).t;
    const sft_v3d c = md_joint(target->skeleton, p->clip, p->first, h->left->hip).t;
    const sft_v3d d = md_joint(target->skeleton, p->clip, p->first, h->right->hip).t;
    const double own = sft_v3d_distance(c, d);
    if (!(own > LEAST_WIDTH * target->leg_length)) return false;
    h->ratio = sft_clampd(p->scale * sft_v3d_distance(a, b) / own, RATIO_MIN, RATIO_MAX);
    return fabs(h->ratio - 1.0) > SAME;
}

static bool planted(const hips_problem* h, int which, int32_t frame)
{
    const md_problem* p = h->base;
    const sft_contact_labels* labels = p->input->labels;
    const size_t at = (size_t)h->source[which] * (size_t)labels->frame_count + (size_t)(p->first + frame);
    if (!((double)labels->plant[at] > p->def->contact_threshold)) return false;
    // A foot over its hip stands on nothing.
    const sft_leg* leg = p->source->legs + h->source[which];
    const sft_skeleton* s = p->source->skeleton;
    return md_joint(s, p->input->source_clip, p->first + frame, leg->heel).t.y <
           md_joint(s, p->input->source_clip, p->first + frame, leg->hip).t.y;
}

static void read_lines(hips_problem* h)
{
    const md_problem* p = h->base;
    const sft_skeleton* s = p->target->skeleton;
    for (int32_t i = 0; i < p->frames; ++i)
    {
        const sft_v3d left = md_joint(s, p->clip, p->first + i, h->left->hip).t;
        const sft_v3d right = md_joint(s, p->clip, p->first + i, h->right->hip).t;
        h->line[i] = sft_v3d_normalize_or(sft_v3d_sub(left, right), sft_v3d_make(1, 0, 0));
    }
}

// A long stand heads where the mean of its line does: without that a jump that turns the figure would go on turning in
// the stands before and after it. Into values[] whether a frame is of one.
static void settle_stands(hips_problem* h)
{
    const md_problem* p = h->base;
    for (int32_t i = 0; i < p->frames;)
    {
        int32_t end = i;
        double sum = 0.0;
        for (; end < p->frames && planted(h, 0, end) && planted(h, 1, end); ++end)
            sum += h->heading[end];
        const bool settles = (double)(end - i) * p->dt >= STAND_TIME;
        const int32_t count = end - i;
        for (end = end > i ? end : i + 1; i < end; ++i)
        {
            h->values[i] = settles ? 1.0 : 0.0;
            if (settles) h->heading[i] = sum / (double)count;
        }
    }
}

// Where the line of the hips heads, turns counted on, without the swing of steps.
static sft_result find_headings(hips_problem* h)
{
    const md_problem* p = h->base;
    md_curve c;
    const sft_result r = md_curve_create(p, &c);
    if (r != SFT_OK) return r;
    double before = 0.0;
    for (int32_t i = 0; i < p->frames; ++i)
    {
        const sft_v3d n = h->line[i];
        double angle = sft_atan2(-n.z, n.x);
        if (i > 0) angle += 2.0 * SFT_PI * floor((before - angle) / (2.0 * SFT_PI) + 0.5);
        h->heading[i] = before = n.x * n.x + n.z * n.z > FLAT * FLAT ? angle : before;
    }
    settle_stands(h);
    for (int32_t k = 0; k < c.count; ++k)
    {
        const int32_t i = md_curve_frame(&c, k);
        const sft_v3d n = h->line[i];
        const bool passes = planted(h, 0, i) && planted(h, 1, i) && h->values[i] == 0.0;
        c.wanted[k] = h->heading[i];
        c.weight[k] = passes ? STANDING : 1.0;
        if (!(n.x * n.x + n.z * n.z > FLAT * FLAT)) c.weight[k] = FREE;
    }
    md_curve_solve(&c, HEADING_TIMES, false, h->heading);
    md_curve_release(&c);
    return SFT_OK;
}

static double* component(sft_v3d* v, int k)
{
    return k == 0 ? &v->x : k == 1 ? &v->y : &v->z;
}

// From the line as it is to one that has `ratio` of its deviation from level and heading.
static void want_turns(hips_problem* h)
{
    const double rest = 1.0 - h->ratio;
    for (int32_t i = 0; i < h->base->frames; ++i)
    {
        const sft_v3d level = sft_v3d_make(sft_cos(h->heading[i]), 0.0, -sft_sin(h->heading[i]));
        const sft_v3d line = sft_v3d_madd(sft_v3d_scale(h->ratio, h->line[i]), rest, level);
        const sft_v3d turn = sft_quatd_log(sft_quatd_between(h->line[i], sft_v3d_normalize_or(line, h->line[i])));
        const double size = sft_v3d_length(turn);
        const double most = MOST[planted(h, 0, i) && planted(h, 1, i)];
        const double share = size * size / (most * most);
        h->turn[i] = sft_v3d_scale(1.0 / sqrt(sqrt(1.0 + share * share)), turn);
    }
}

// Where feet stand the turn is what is wanted; where none does, it fades.
static sft_result smooth_turns(hips_problem* h)
{
    const md_problem* p = h->base;
    md_curve c;
    const sft_result r = md_curve_create(p, &c);
    if (r != SFT_OK) return r;
    for (int axis = 0; axis < 3; ++axis)
    {
        for (int32_t k = 0; k < c.count; ++k)
        {
            const int32_t i = md_curve_frame(&c, k);
            const bool stands = planted(h, 0, i) || planted(h, 1, i);
            c.wanted[k] = stands ? *component(h->turn + i, axis) : 0.0;
            c.weight[k] = stands ? 1.0 : FREE;
        }
        md_curve_solve(&c, TURN_TIMES, false, h->values);
        for (int32_t i = 0; i < p->frames; ++i)
            *component(h->turn + i, axis) = h->values[i];
    }
    md_curve_release(&c);
    return SFT_OK;
}

// ---- writing ----

// `joint` keeps its rotation in model space under a parent that turned by `turn`.
static void keep_rotation(hips_problem* h, int32_t frame, int32_t joint, sft_quatd above, sft_quatd turn)
{
    md_problem* p = h->base;
    sft_quatd* local = p->clip->rotations + (size_t)frame * (size_t)p->clip->joint_count + (size_t)joint;
    const sft_quatd model = sft_quatd_mul(above, *local);
    *local = sft_quatd_normalize(sft_quatd_mul(sft_quatd_conjugate(sft_quatd_mul(turn, above)), model));
    p->changed[joint] |= 1;
}

static void turn_frame(hips_problem* h, int32_t frame, sft_quatd turn)
{
    md_problem* p = h->base;
    const sft_skeleton* s = p->target->skeleton;
    const int32_t legs[2] = {h->left->hip, h->right->hip};
    for (int k = 0; k < 2; ++k)
        keep_rotation(h, frame, legs[k], md_joint(s, p->clip, frame, s->parents[legs[k]]).r, turn);
    const sft_quatd model = md_joint(s, p->clip, frame, h->joint).r;
    for (int32_t j = h->joint + 1; j < s->joint_count; ++j)
        if (s->parents[j] == h->joint && !md_is_above(s, j, legs[0]) && !md_is_above(s, j, legs[1]))
            keep_rotation(h, frame, j, model, turn);
    const int32_t parent = s->parents[h->joint];
    const sft_quatd above = parent < 0 ? sft_quatd_identity() : md_joint(s, p->clip, frame, parent).r;
    sft_quatd* local = p->clip->rotations + (size_t)frame * (size_t)p->clip->joint_count + (size_t)h->joint;
    *local = sft_quatd_normalize(sft_quatd_mul(sft_quatd_conjugate(above), sft_quatd_mul(turn, model)));
    p->changed[h->joint] |= 1;
}

sft_result md_hips(md_problem* p)
{
    hips_problem h = {.base = p};
    if (!find_sockets(&h)) return SFT_OK;
    const size_t n = (size_t)p->frames, bytes = n * 2 * (sizeof(sft_v3d) + sizeof(double));
    void* block = p->allocator.allocate(p->allocator.user, bytes);
    if (!block) return SFT_ERR_MEMORY;
    h.line = block;
    h.turn = h.line + n;
    h.heading = (double*)(h.turn + n);
    h.values = h.heading + n;
    read_lines(&h);
    sft_result r = find_headings(&h);
    if (r == SFT_OK)
    {
        want_turns(&h);
        r = smooth_turns(&h);
    }
    for (int32_t i = 0; r == SFT_OK && i < p->frames; ++i)
        turn_frame(&h, p->first + i, sft_quatd_exp(h.turn[i]));
    p->allocator.release(p->allocator.user, block, bytes);
    return r;
}
