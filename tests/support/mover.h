// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// Small rigs made by hand for the transfer's tests: every joint's meaning, place and axes are said, nothing is found.
// Places are those of the reference pose in figure space; axes are any.
#ifndef SUREFOOT_SUPPORT_MOVER_H
#define SUREFOOT_SUPPORT_MOVER_H

#include "support/support.h"

#define MOVER_JOINTS 96

typedef struct mover
{
    int count;
    char names[MOVER_JOINTS][32];
    const char* name_list[MOVER_JOINTS];
    int32_t parents[MOVER_JOINTS];
    uint32_t flags[MOVER_JOINTS];
    sft_joint_meaning meanings[MOVER_JOINTS];
    sft_xformd pose[MOVER_JOINTS]; ///< figure space
    sft_v3d base_t[MOVER_JOINTS];
    sft_quatd base_r[MOVER_JOINTS], pose_r[MOVER_JOINTS];
    sft_leg legs[8];
    sft_skeleton skeleton;
    sft_rig rig;
} mover;

typedef struct mover_def
{
    double scale;         ///< of everything
    double leg_scale;     ///< of the legs beside it
    double facing;        ///< [rad] model to figure space
    bool root;            ///< a joint on the ground above the hips
    int spines;           ///< 1 to 7, the last at the same place
    int necks;            ///< 0 to 3
    int twists;           ///< of each limb bone, in line
    int aside;            ///< of each limb bone, leaves
    int digits;           ///< fingers, the thumb first
    int finger_joints[2]; ///< left, right
    int tail;
    bool clavicles, toes, arms, head;
    uint64_t axes; ///< seed of joint axes; 0: all plain
} mover_def;

mover_def mover_default(void);
void mover_make(const mover_def* def, mover* out);
int mover_add(mover* m, int parent, const char* name, sft_joint_meaning meaning, sft_v3d place);
/// Gives joints their axes and works out the rest; the arrays above stay where they are, so a mover must not be moved.
void mover_finish(mover* m, uint64_t axes, double facing);
int mover_find(const mover* m, sft_part part, sft_leg_side side, int index);
/// A local pose: the reference pose with every joint turned by up to `size` [rad], the hips somewhere.
void mover_random_pose(const mover* m, support_rng* rng, double size, sft_v3d* t, sft_quatd* r);
/// Figure-space transforms of a local pose.
void mover_forward(const mover* m, const sft_v3d* t, const sft_quatd* r, sft_xformd* out);
sft_quatd mover_random_turn(support_rng* rng, double size);

/// A pose of a mover, and its transforms in figure space.
typedef struct moved
{
    sft_v3d t[MOVER_JOINTS];
    sft_quatd r[MOVER_JOINTS];
    sft_xformd figure[MOVER_JOINTS];
} moved;

/// The map of two rigs; fails the test where there is none.
sft_retarget_map* mover_map(const sft_rig* source, const sft_rig* target);
/// One frame through a map; figure space of both is filled in.
void mover_move(const sft_transfer_def* def, const sft_retarget_map* map, const mover* source, moved* from,
                const mover* target, moved* to);
/// The reference pose, local.
void mover_rest(const mover* m, moved* out);

#endif
