// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// What a hand can touch: bodies as points and lines with a thickness, and where a palm is to them.
#ifndef SUREFOOT_RETARGET_TOUCH_H
#define SUREFOOT_RETARGET_TOUCH_H

#include "retarget/mend.h"

/// Joints of a figure that touching is about; left 0, right 1; -1 where there is none.
typedef struct md_body
{
    int32_t clavicle[2], upper[2], fore[2], hand[2];
    int32_t hip[2], knee[2];
    int32_t hips, spine, chest, head; ///< spine: the first, chest: the last
} md_body;

void md_body_read(const sft_rig* rig, md_body* out);

typedef enum md_kind
{
    MD_FIXED = 0, ///< a goal given by a user
    MD_HAND = 1,  ///< the other hand
    MD_HEAD = 2,
    MD_THIGH_LEFT = 3,
    MD_THIGH_RIGHT = 4,
    MD_TRUNK = 5,
    MD_GROUND = 6,
    MD_KINDS = 7
} md_kind;

/// The joint of a body that a kind rides on; for MD_HAND the other one of `hand`; -1 of the ground.
int32_t md_kind_joint(const md_body* body, md_kind kind, int hand);

/// Middle of the palm in the space of the hand's joint.
sft_v3d md_palm_offset(const sft_rig* rig, const md_body* body, int hand);

/// The point of what is touched that is nearest to a palm (model space): on its axis, `share` of the way along it where
/// it has a length. With a share given (>= 0) the point there.
typedef struct md_nearest
{
    sft_v3d point;
    sft_v3d along;        ///< unit, direction of the axis; zero: none
    double share, length; ///< length [m] of the axis
} md_nearest;

md_nearest md_nearest_point(const sft_rig* rig, const md_body* body, const sft_clip* clip, int32_t frame, md_kind kind,
                            int hand, sft_v3d palm, double share);

/// A span in which a hand touches something.
typedef struct md_touch
{
    int hand; ///< of the figure it was found in
    md_kind kind;
    int32_t first, last;
    double gap; ///< [m] mean of the palm beyond the thickness of what it touches
} md_touch;

typedef struct md_touches
{
    md_touch* items;
    int32_t count, capacity;
} md_touches;

/// Where touches are looked for.
typedef struct md_scene
{
    const sft_rig* rig;
    const sft_clip* clip;
    int32_t first_frame;
    double ground; ///< [m] Y; NaN: the ground does not count
} md_scene;

/// Finds them in the source. SFT_ERR_MEMORY; the caller releases in every case.
sft_result md_touches_find(const md_scene* scene, const sft_allocator* allocator, md_touches* out);
void md_touches_release(md_touches* touches, const sft_allocator* allocator);

#endif
