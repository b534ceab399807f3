// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// Hands that go through the ground, because the target's arms are longer against its legs than the source's: raised off
// it by a smooth curve for each that is nowhere less than what is needed. What the source's hand does below its own
// ground is left to the target's, scaled.

#include "retarget/mend_hands.h"

static const md_times HAND_TIMES = {0.08, 0.5};
static const double HAND_NOTHING = 1e-6; // [m]

// Lowest of palm, wrist and fingers over `ground`. What a hand holds is none of it.
static double lowest_of_hand(const sft_rig* rig, const md_body* body, const sft_clip* clip, int32_t frame, int hand,
                             double ground)
{
    const sft_skeleton* s = rig->skeleton;
    const int32_t wrist = body->hand[hand];
    const sft_xformd at = md_joint(s, clip, frame, wrist);
    double low = sft_mind(at.t.y, sft_xformd_apply(at, md_palm_offset(rig, body, hand)).y);
    for (int32_t j = wrist + 1; j < s->joint_count; ++j)
        if (rig->meanings[j].part == SFT_PART_FINGER && md_is_above(s, wrist, j))
            low = sft_mind(low, md_joint(s, clip, frame, j).t.y);
    return low - ground;
}

static sft_result clear_hand(md_hands* h, int hand, md_curve* c, double* rise)
{
    const md_problem* p = h->base;
    const int own = p->def->mirror ? 1 - hand : hand;
    bool any = false;
    for (int32_t k = 0; k < c->count; ++k)
    {
        const int32_t i = p->first + md_curve_frame(c, k);
        const double there =
            lowest_of_hand(p->source, &h->source, p->input->source_clip, i, own, p->def->source_ground);
        const double here = lowest_of_hand(p->target, &h->target, p->clip, i, hand, p->def->ground);
        const double need = sft_maxd(sft_mind(h->ratio[MD_GROUND] * there, 0.0) - here, 0.0);
        c->low[k] = need;
        c->wanted[k] = 0.0;
        c->weight[k] = 1.0;
        c->x[k] = need + HAND_NOTHING;
        any = any || need > HAND_NOTHING;
    }
    if (!any) return SFT_OK;
    md_curve_solve(c, HAND_TIMES, true, rise);
    sft_result r = SFT_OK;
    for (int32_t i = 0; i < p->frames && r == SFT_OK; ++i)
    {
        if (!(rise[i] > HAND_NOTHING)) continue;
        const sft_v3d wrist = md_joint(p->target->skeleton, p->clip, p->first + i, h->target.hand[hand]).t;
        r = md_arm_place(h, hand, p->first + i, sft_v3d_add(wrist, sft_v3d_make(0.0, rise[i], 0.0)));
    }
    return r;
}

sft_result md_hands_clear(md_hands* h)
{
    const md_problem* p = h->base;
    // Where nothing stands nobody knows the ground.
    if (p->source->leg_count == 0 || p->target->leg_count == 0) return SFT_OK;
    md_curve c;
    sft_result r = md_curve_create(p, &c);
    if (r != SFT_OK) return r;
    double* rise = sft_core_alloc(&p->allocator, (size_t)p->frames, sizeof *rise);
    if (!rise) r = SFT_ERR_MEMORY;
    for (int hand = 0; hand < 2 && r == SFT_OK; ++hand)
    {
        const int own = p->def->mirror ? 1 - hand : hand;
        if (h->target.hand[hand] >= 0 && h->source.hand[own] >= 0) r = clear_hand(h, hand, &c, rise);
    }
    sft_core_free(&p->allocator, rise, (size_t)p->frames, sizeof *rise);
    md_curve_release(&c);
    return r;
}
