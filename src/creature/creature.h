// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

/// @file creature.h
/// What the files of module creature share: the creature made ready, the layout of a state, and the parts of a step in
/// their order.
#ifndef SFT_SRC_CREATURE_H
#define SFT_SRC_CREATURE_H

#include "core/core.h"
#include "surefoot/creature.h"
#include "surefoot/ik.h"

/// Says that a def came from its default function.
#define SFT_CREATURE_COOKIE 0x43525431u
#define SFT_CREATURE_DT (1.0 / SFT_CREATURE_RATE)

/// A leg made ready. Creature space is that of the rest pose.
typedef struct sft_creature_limb
{
    int32_t carrier;                             ///< joint the hip hangs from
    sft_v3d hip;                                 ///< creature space, rest [m]
    sft_quatd home_rotation;                     ///< creature space, of the foot joint at rest
    double lengths[SFT_CREATURE_LEG_JOINTS - 1]; ///< [m] of the segments
    double length;                               ///< [m] their sum
    sft_v3d bend;                                ///< carrier's space, unit: the way the knee leans at rest
    double rest_reach;                           ///< [m] hip to foot at rest
} sft_creature_limb;

struct sft_creature
{
    sft_creature_def def;
    sft_skeleton* skeleton;
    sft_xformd* rest; ///< joint_count, creature space
    sft_creature_limb* limbs;
    int32_t turns[SFT_GAIT_COUNT];
    double safe_speed[SFT_GAIT_COUNT]; ///< [m/s]
    sft_quatd facing;                  ///< turns +Z to def.forward
    double stand_height;               ///< [m] mean height of the homes' soles: 0 for most
    int32_t* posed;                    ///< joints that a pose turns, and all that hang between, parents first
    int32_t posed_count;
    uint64_t hash; ///< of all that decides what it does
    size_t state_size;
};

/// Head of the caller's block; feet, memories and the pose follow it at the offsets below.
struct sft_creature_state
{
    uint64_t magic;
    uint64_t creature; ///< its hash
    sft_creature_body body;
    double clock;        ///< [s] of a frame's time not stepped yet
    double height_speed; ///< [m/s] of levelling
    sft_quatd level;     ///< tilt of the ground under it, without heading
    sft_v3d tail_speed;  ///< x: of tail_bend
    double aim_yaw_speed, aim_pitch_speed;
    double eye_yaw[SFT_CREATURE_LINKS], eye_pitch[SFT_CREATURE_LINKS];
};

SFT_INLINE size_t sft_creature_feet_at(void)
{
    return (sizeof(sft_creature_state) + 15) & ~(size_t)15;
}

SFT_INLINE sft_creature_foot* sft_creature_feet(sft_creature_state* state)
{
    return (sft_creature_foot*)(void*)((char*)state + sft_creature_feet_at());
}

SFT_INLINE sft_ik_bend* sft_creature_bends(const sft_creature* creature, sft_creature_state* state)
{
    return (sft_ik_bend*)(void*)(sft_creature_feet(state) + creature->def.leg_count);
}

SFT_INLINE sft_v3d* sft_creature_local_t(const sft_creature* creature, sft_creature_state* state)
{
    return (sft_v3d*)(void*)(sft_creature_bends(creature, state) + creature->def.leg_count);
}

SFT_INLINE sft_quatd* sft_creature_local_r(const sft_creature* creature, sft_creature_state* state)
{
    return (sft_quatd*)(void*)(sft_creature_local_t(creature, state) + creature->skeleton->joint_count);
}

SFT_INLINE sft_v3d sft_creature_to_world(const sft_creature* creature, const sft_xformd* place, sft_v3d p)
{
    return sft_v3d_add(place->t, sft_v3d_scale(creature->def.scale, sft_quatd_rotate(place->r, p)));
}

SFT_INLINE sft_v3d sft_creature_from_world(const sft_creature* creature, const sft_xformd* place, sft_v3d p)
{
    return sft_v3d_scale(1 / creature->def.scale,
                         sft_quatd_rotate(sft_quatd_conjugate(place->r), sft_v3d_sub(p, place->t)));
}

// ---- the parts of a step, in order ----

/// Moves the body (root.c): what the goal asks for, within acceleration, what the legs serve, footholds ahead,
/// obstacles, and the reach of every standing foot from the candidate place. Height and tilt follow the feet.
void sft_creature_move_body(const sft_creature* creature, const sft_creature_input* input, sft_creature_state* state);
/// Carries swings on and lands those that are over (foot.c).
void sft_creature_swing_feet(const sft_creature* creature, sft_creature_state* state);
/// Decides who lifts (gait.c) and begins their swings.
void sft_creature_run_gait(const sft_creature* creature, const sft_creature_input* input, sft_creature_state* state);
/// Makes local_t, local_r and body.head from place and feet (pose.c). Writes bob_given, spine_given and aims too.
void sft_creature_make_pose(const sft_creature* creature, const sft_creature_input* input, sft_creature_state* state);

// ---- shared ----

/// True where every standing foot lies within its leg's reach from the rest pose at a place (root.c).
bool sft_creature_reaches(const sft_creature* creature, const sft_xformd* place, const sft_creature_foot* feet);

typedef struct sft_creature_foothold
{
    sft_v3d position; ///< world, of the foot joint
    sft_quatd rotation;
    sft_v3d normal;
    int32_t body;
} sft_creature_foothold;

/// A place to stand for a leg about a point of creature space at a place: bounded query, slope, reach (foot.c).
bool sft_creature_find_foothold(const sft_creature* creature, const sft_ground* ground, const sft_xformd* place,
                                int32_t leg, sft_v3d wanted, sft_creature_foothold* out);

/// The article's ease: 4 t^3 below a half, mirrored above.
SFT_INLINE double sft_creature_ease(double t)
{
    double r = 2 - 2 * t;
    return t < 0.5 ? 4 * t * t * t : 1 - r * r * r / 2;
}

/// Turns hip, middle joints and foot of one leg so that the foot joint is at `foot` (creature space, position and
/// orientation); `carrier` is where the joint above the hip is now, creature space (leg.c). Writes local_r of the leg's
/// joints. Returns the distance by which the foot is off [m].
double sft_creature_solve_leg(const sft_creature* creature, int32_t leg, const sft_xformd* carrier,
                              const sft_xformd* foot, sft_ik_bend* memory, sft_quatd* local_r);

/// Tail (tail.c) and eyes (eyes.c): local_r of their joints.
void sft_creature_bend_tail(const sft_creature* creature, sft_creature_state* state);

#endif
