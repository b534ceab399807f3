// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// People and animals whose meanings, legs, reference pose and motion are known by construction. A figure is built in
// the reference pose (T, facing +Z), then posed; its joints may have any axes.
#ifndef SUREFOOT_SUPPORT_FIGURES_H
#define SUREFOOT_SUPPORT_FIGURES_H

#include "support/support.h"

#include "surefoot/rig.h"

#define FIGURE_JOINTS 200

typedef enum figure_stance
{
    FIGURE_T = 0,
    FIGURE_A = 1,       ///< arms 45 degrees down, legs 8 degrees apart, soles level
    FIGURE_I = 2,       ///< arms hang, palms to the thighs
    FIGURE_FORWARD = 3, ///< arms straight ahead, palms down
    FIGURE_BUNDLE = 4,  ///< every bone along +X: the rest pose says nothing
    FIGURE_SIT = 5      ///< thighs ahead, shins down, arms hanging
} figure_stance;

typedef enum figure_axes
{
    FIGURE_AXES_PLAIN = 0,  ///< model axes in the T-pose
    FIGURE_AXES_RANDOM = 1, ///< any
    FIGURE_AXES_ALONG_X = 2 ///< +X along the bone
} figure_axes;

typedef enum figure_names
{
    FIGURE_NAMES_PLAIN = 0,    ///< LeftForeArm
    FIGURE_NAMES_ENGINE = 1,   ///< lowerarm_l
    FIGURE_NAMES_MODELLER = 2, ///< forearm.L
    FIGURE_NAMES_NONE = 3      ///< Bone.017
} figure_names;

typedef struct figure_def
{
    figure_stance stance;
    figure_axes axes;
    figure_names names;
    uint64_t seed;    ///< of random axes
    double scale;     ///< 1: 1.75 m
    double leg_scale; ///< legs alone, beside `scale`
    double arm_scale;
    double facing;    ///< [rad] about Y from +Z
    bool lying;       ///< on the back, the head towards -Z (before `facing`)
    int spine_count;  ///< 1 to 7; the last one is the chest
    int neck_count;   ///< 0 to 2
    int twist_count;  ///< 0 to 3 on upper arm, forearm, thigh and shin
    bool twist_aside; ///< leaves beside the bone, else in line
    bool fingers, clavicles, toes, root_joint, end_sites;
    double arm_roll;   ///< [rad] rest pose: the arm from the shoulder on turned about itself, the thumb going up
    double palm_roll;  ///< [rad] rest pose: the same from the forearm on
    double elbow_bend; ///< [rad] rest pose: forearms forward
    double knee_bend;  ///< [rad] rest pose: thighs half forward, shins half back, soles level
    double knee_roll;  ///< [rad] rest pose: thigh and shin turned about themselves, the knees going apart
    double foot_out;   ///< [rad] rest pose: toes apart
    double toe_down;   ///< [rad] rest pose: feet pitched down
    double lean;       ///< [rad] rest pose: trunk forward from the hips
} figure_def;

/// T-pose, plain axes and names, 3 spine joints, a neck, fingers, clavicles, toes, End Sites; no root joint, no twists.
figure_def figure_default(void);

typedef struct figure
{
    int count;
    char names[FIGURE_JOINTS][32];
    int32_t parents[FIGURE_JOINTS];
    uint32_t flags[FIGURE_JOINTS];
    sft_v3d rest_t[FIGURE_JOINTS]; ///< local
    sft_quatd rest_r[FIGURE_JOINTS];
    sft_v3d place[FIGURE_JOINTS];         ///< reference pose, figure space; the sole at y = 0, hips above x = z = 0
    sft_quatd orientation[FIGURE_JOINTS]; ///< reference pose, figure space
    sft_joint_meaning meanings[FIGURE_JOINTS];
    sft_leg legs[8];
    int leg_count;
    int hips, root, chest, head;
    int upper_arm[2], forearm[2], hand[2], thigh[2], shin[2], foot[2], toe[2]; ///< left, right; toe -1: none
    double leg_length, sole_height, arm_length;
    double facing; ///< from model to figure space
} figure;

void figure_make(const figure_def* def, figure* out);

/// Four legs (dog like) or eight (spider like), rest pose standing, facing +Z.
void figure_make_animal(int leg_count, figure_axes axes, uint64_t seed, figure* out);

/// The joint with that meaning; -1 none.
int figure_find(const figure* f, sft_part part, sft_leg_side side, int pair, int index);

sft_skeleton* figure_skeleton(const figure* f);
/// That of the default figure, a person in a T pose.
sft_skeleton* figure_person(void);
/// A rig with the figure's own meanings and legs, base pose AUTO.
sft_rig* figure_rig(const figure* f, const sft_clip* clip);

/// In the rig's reference pose one joint lies from another along a unit vector of figure space, to 1e-12.
void figure_assert_direction(const sft_rig* rig, int from, int to, sft_v3d want);
/// Limbs of the rig's reference pose lie as they should: arms level to the sides, legs straight down, to 1e-12.
void figure_assert_limbs(const figure* f, const sft_rig* rig);

/// A clip in which every joint of a meaning makes the same change from the reference pose in figure space, whatever
/// the figure: what one figure dances is what motion moved from any other must come to (docs of the answer: W = C R).
/// Spine and neck chains share by arc length, twists ride along. Hips move by the same vector times leg length.
sft_clip* figure_dance(const figure* f, int frames, double frame_time);

/// Model-space transforms of a clip's frame into out[count].
void figure_model(const figure* f, const sft_clip* clip, int frame, sft_xformd* out);

#endif
