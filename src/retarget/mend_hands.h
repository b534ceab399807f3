// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// Hands of a mend: what each should keep to (hands), how the trunk and the arm serve it (arms).
#ifndef SUREFOOT_RETARGET_MEND_HANDS_H
#define SUREFOOT_RETARGET_MEND_HANDS_H

#include "retarget/touch.h"

/// Of the arm: beyond it the trunk helps.
#define MD_REACH_SHARE 0.96

typedef struct md_goal
{
    sft_touch_goal touch; ///< of the target
    md_kind kind;         ///< MD_FIXED: touch.offset says where; else the source does
    int hand;             ///< of the target
} md_goal;

typedef struct md_hands
{
    md_problem* base;
    md_body source, target;
    md_goal* goals;
    int32_t goal_count, goal_capacity;
    double chain[2];        ///< [m] length of the target's arms, wrist to shoulder
    double* need[2];        ///< [frame] [m] by which an arm is too short
    double* release[2];     ///< [frame] 1: goals count, 0: let go
    double ratio[MD_KINDS]; ///< thickness of the target over the source's
} md_hands;

/// Where a hand's goals want its joint in a frame, and how much (0: nothing asked, 1: held).
typedef struct md_wish
{
    sft_v3d place;
    double weight;
    double asked;      ///< the same before anything was let go
    bool by_other_arm; ///< what is touched hangs from the other arm, and waits for it
} md_wish;

md_wish md_hand_wish(const md_hands* h, int hand, int32_t frame);

/// Serves all wishes over the clip. SFT_ERR_MEMORY.
sft_result md_arms_serve(md_hands* h);

/// Brings the wrist of one frame to a place, as far as the arm reaches; the hand keeps its orientation.
sft_result md_arm_place(const md_hands* h, int hand, int32_t frame, sft_v3d place);

/// Raises hands that longer arms, or shorter legs, have taken into the ground, smoothly. SFT_ERR_MEMORY.
sft_result md_hands_clear(md_hands* h);

#endif
