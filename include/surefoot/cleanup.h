// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

/// @file cleanup.h
/// Takes the slide out of a whole clip: planted toes stand still, pelvis and legs give way smoothly, everything else is
/// left as it is (docs/cleanup.md).
#ifndef SUREFOOT_CLEANUP_H
#define SUREFOOT_CLEANUP_H

#include "surefoot/contact.h"
#include "surefoot/leg.h"

typedef enum sft_cleanup_method
{
    SFT_CLEANUP_DIRECT = 0, ///< banded least squares
    SFT_CLEANUP_RELAX = 1   ///< article 000's particle relaxation, the reference to compare with
} sft_cleanup_method;

typedef enum sft_give_way
{
    SFT_GIVE_WAY_BOTH = 0, ///< pelvis path and strides share the change
    SFT_GIVE_WAY_LEGS = 1, ///< the root's path is kept number for number, strides warp
    SFT_GIVE_WAY_ROOT = 2  ///< the root follows what the feet support, legs all but untouched
} sft_give_way;

/// What was given up where a planted toe could not stay, in this order of preference.
#define SFT_GAVE_HEEL 0x1u    ///< the heel lifted further than in the source
#define SFT_GAVE_PLANT 0x2u   ///< the plant was shortened at its ends
#define SFT_GAVE_SLIDE 0x4u   ///< residual slide was left
#define SFT_GAVE_STRETCH 0x8u ///< the leg was stretched (only where asked)

typedef struct sft_cleanup_miss
{
    int32_t frame;
    int32_t foot;     ///< index into the legs
    double distance;  ///< [m] toe to the place where its plant stands
    uint32_t gave_up; ///< SFT_GAVE_*
} sft_cleanup_miss;

typedef struct sft_cleanup_def
{
    sft_cleanup_method method; ///< default DIRECT
    sft_give_way give_way;     ///< default BOTH
    double contact_threshold;  ///< labels above it are plants; default 0.75, article 000's
    bool loop;                 ///< the clip is a cycle; default false
    bool allow_stretch;        ///< bones from hip to heel get longer where a leg is too short (DIRECT); default false
    sft_v3d ground_velocity;   ///< [m/s] planted toes ride it; default zero
    const sft_v3d* ground_velocities; ///< the same for each leg, where characters have their own (a character's first
                                      ///< counts); null (default): that of all
    int32_t first_frame;              ///< frames before it are a reference pose and stay as they are; default 0
    int32_t travel_joint; ///< joint whose translation takes the pelvis correction; -1 (default): sft_clip_travel_joint,
                          ///< or the first above it that carries all legs
    const double* plant_heights; ///< [m] [foot * frame_count + frame]: height at which the toe should stand, read where
                                 ///< it is planted; null (default), or NaN in most frames of a plant: the median of its
                                 ///< own. DIRECT only
    const double* floors; ///< [m] [(foot * 3 + point) * frame_count + frame], point 0 heel, 1 toe, 2 toe end: heights
                          ///< they must not sink below; null (default), or NaN: only below what the source has nearby.
                          ///< The toe's counts on legs without toe end. DIRECT only
    double hold_path; ///< [1/m] how much the pelvis keeps to the clip's own horizontal path: 1 over the distance that
                      ///< weighs as much as 0.1 rad of every leg; default 0, it goes where the feet take it. DIRECT
                      ///< only
    int32_t relax_sweeps; ///< default 25000
    double relax_soft;    ///< default 0.05
    double relax_hard;    ///< default 0.9
    uint32_t cookie;
} sft_cleanup_def;

SFT_API sft_cleanup_def sft_default_cleanup_def(void);

typedef struct sft_cleanup_report
{
    int32_t plant_count; ///< separate plants over all feet
    int32_t planted_frames;
    int32_t iterations; ///< outer steps (DIRECT) or sweeps (RELAX)
    bool converged;
    double residual_m;                ///< largest distance of a planted toe from its place, after all
    double pelvis_shift_max;          ///< [m] largest displacement of the pelvis
    double pelvis_height_mean_change; ///< [m]
    int32_t travel_joint;             ///< the joint that carries the correction, -1 none; of the first character
    int32_t character_count;          ///< that the legs belong to
    bool loop_closed;                 ///< a repeated closing frame was seen (loop only)
    double seam_opened; ///< [m] how much farther a joint of the last frame is from its place in the first than it was,
                        ///< where the last pose was the first again and `loop` was not said; travel left out
    int32_t miss_count;
    sft_cleanup_miss* misses; ///< owned: sft_cleanup_report_release
} sft_cleanup_report;

SFT_API void sft_cleanup_report_release(sft_cleanup_report* report, const sft_allocator* allocator);

/// Cleans `clip` in place. Changes rotations of hip, knee and heel (of the ankle, where a short bone lies between it
/// and the heel) and translations of the travel joint only, and with allow_stretch those of knee and heel;
/// joint_changed (may be null; skeleton->joint_count bytes) gets bit 0 for a changed rotation, bit 1 for a changed
/// translation. Legs of different roots (sft_leg_root) are different characters, each solved by itself with a travel
/// joint of its own (def->travel_joint, where given, is that of the character it carries). A clip without plants, or
/// with no legs, comes back as it was. Fails, clip untouched: SFT_ERR_ARG, SFT_ERR_DEF, SFT_ERR_RANGE, SFT_ERR_MEMORY.
/// Time and memory linear in frames. Deterministic; the clip must not be shared meanwhile.
SFT_API sft_result sft_cleanup_clip(const sft_cleanup_def* def, const sft_skeleton* skeleton, const sft_leg* legs,
                                    int32_t leg_count, const sft_contact_labels* labels, const sft_allocator* allocator,
                                    sft_clip* clip, uint8_t* joint_changed, sft_cleanup_report* report);

#endif
