// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// What the joints of a skeleton mean (docs/rig.md): structure first, from the legs up; names help it to choose and
// stand in where it says nothing.

#include "rig/meaning.h"

#include "core/core.h"
#include "skeleton/joint_names.h"

static void clear(sft_reading* r)
{
    for (int32_t j = 0; j < r->skeleton->joint_count; ++j)
        r->out[j] = (sft_joint_meaning){.part = SFT_PART_NONE, .side = SFT_LEG_MIDDLE, .digit = -1, .carrier = -1};
}

static bool read_body(sft_reading* r, const sft_leg* legs, int32_t leg_count, bool names)
{
    clear(r);
    sft_read_tree(r, names);
    if (!sft_read_figure(r, legs, leg_count)) return false;
    sft_read_trunk(r);
    sft_read_legs(r);
    sft_read_arms(r);
    return true;
}

static bool leg_in_range(const sft_skeleton* s, const sft_leg* leg)
{
    const int32_t n = s->joint_count;
    return leg->hip >= 0 && leg->knee > leg->hip && leg->heel > leg->knee && leg->toe >= leg->heel && leg->toe < n &&
           leg->toe_end < n && leg->pelvis < leg->hip && leg->side >= SFT_LEG_LEFT && leg->side <= SFT_LEG_MIDDLE;
}

// Legs that bear the names of each other (docs/legs.md tells when): all of the figure is a mirror image.
static bool is_mirrored(const sft_skeleton* s, const sft_leg* legs, int32_t leg_count)
{
    for (int32_t i = 0; i < leg_count; ++i)
    {
        const int said = sft_name_side(s->names[legs[i].hip]), own = legs[i].side == SFT_LEG_LEFT ? -1 : 1;
        if (legs[i].side == SFT_LEG_MIDDLE || said != -own) return false;
    }
    return leg_count > 0;
}

sft_result sft_rig_find_meanings(const sft_skeleton* skeleton, const sft_clip* clip, const sft_leg* legs,
                                 int32_t leg_count, const sft_allocator* allocator, sft_joint_meaning* meanings)
{
    if (skeleton == NULL || meanings == NULL || leg_count < 0 || leg_count > SFT_MAX_LEGS) return SFT_ERR_ARG;
    if ((leg_count > 0 && legs == NULL) || (clip != NULL && clip->joint_count != skeleton->joint_count))
        return SFT_ERR_ARG;
    for (int32_t i = 0; i < leg_count; ++i)
        if (!leg_in_range(skeleton, &legs[i])) return SFT_ERR_ARG;
    sft_reading r = {.skeleton = skeleton, .heap = sft_core_allocator(allocator), .out = meanings};
    r.mirrored = is_mirrored(skeleton, legs, leg_count);
    r.clip = clip != NULL && clip->frame_count > 0 ? clip : NULL;
    const sft_result result = sft_read_open(&r);
    if (result == SFT_OK)
    {
        // Names that contradict most of the body are no help: then it is read without them.
        if (read_body(&r, legs, leg_count, true) && sft_read_names_lie(&r)) read_body(&r, legs, leg_count, false);
        sft_read_by_names(&r);
        sft_read_finish(&r);
    }
    sft_read_close(&r);
    return result;
}
