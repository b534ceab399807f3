// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// Feet of a mend, taken apart: collect (what stands where), lift (heights of pelvis and feet), then the clean-up.
#ifndef SUREFOOT_RETARGET_MEND_FEET_H
#define SUREFOOT_RETARGET_MEND_FEET_H

#include "retarget/mend.h"

/// One leg of the target in one frame of the transferred clip, model space.
typedef struct md_foot
{
    sft_v3d hip, knee, heel, toe;
} md_foot;

typedef struct md_feet_problem
{
    md_problem* base;
    bool own;                   ///< the clip is its source's, number for number
    bool asks;                  ///< the clean-up is asked for heights and floors
    int32_t leg_count;          ///< of the target
    sft_leg* legs;              ///< of the target, minima from its reference pose
    int32_t* source;            ///< [leg_count] leg of the source it moves like; -1 none
    sft_contact_labels* labels; ///< of the target
    double sole; ///< [m] by which the source's joints stand over its ground more than a level foot's would
    void* block;
    size_t block_size;
    md_foot* feet;   ///< [leg * frames + frame]
    double* level;   ///< [leg * frames + frame] Y at which the toe should stand; NaN in swing
    double* steep;   ///< [leg * frames + frame] how much higher than its sole the source's toe is, scaled
    double* air;     ///< [leg * frames + frame] height of the source's sole over its ground, scaled
    double* lacks;   ///< [leg * frames + frame] by which the leg has turned out too short
    double* deep;    ///< [leg * frames + frame] how far the source's foot goes through its ground, scaled; <= 0
    double* pelvis;  ///< [frame]
    double* heights; ///< [leg * clip frames + frame] for the clean-up
    double* floors;  ///< [(leg * 3 + point) * clip frames + frame] likewise
    double* ends;    ///< [leg * clip frames + frame] least Y of the toe end
    sft_v3d* track;  ///< [clip frames] scratch
    double* values;  ///< [leg * frames] scratch
} md_feet_problem;

static inline size_t md_at(const md_feet_problem* f, int32_t leg, int32_t frame)
{
    return (size_t)leg * (size_t)f->base->frames + (size_t)frame;
}

/// Legs, labels and levels. SFT_ERR_MEMORY.
sft_result md_feet_collect(md_feet_problem* f);

/// Joints of the legs as the clip has them now.
void md_feet_read(md_feet_problem* f);

/// The floors once more, for feet as the clean-up has pitched them: how far a sole's point lies below its joint depends
/// on that. Of a clip that is its source's own they stay.
void md_feet_floors_again(md_feet_problem* f);
void md_feet_release(md_feet_problem* f);

/// The joint whose translation takes the change of the pelvis, -1 none: the hips, or what carries all legs above them.
int32_t md_travel_joint(const md_feet_problem* f);

/// Brings the pelvis to a height that suits all planted feet, smoothly. SFT_ERR_MEMORY.
sft_result md_feet_lift(md_feet_problem* f);

/// [m] by which turning the toes can raise their end; `v` is toe to toe end.
double md_toe_gain(sft_v3d v);

/// Turns toes up that point into the ground, smoothly. SFT_ERR_MEMORY.
sft_result md_feet_turn_toes(md_feet_problem* f);

/// Raises feet between plants that are still under their floors, and notes what stays more than half a centimetre in
/// the ground, save plants of a clip that is its source's own. SFT_ERR_MEMORY.
sft_result md_feet_clear(md_feet_problem* f);

#endif
