// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

/// @file creature.h
/// What the files of module creature share: the creature made ready, the layout of a state, and the parts of a step in
/// their order.
#ifndef SUREFOOT_SRC_CREATURE_H
#define SUREFOOT_SRC_CREATURE_H

#include "core/core.h"
#include "surefoot/creature.h"
#include "surefoot/ik.h"

/// Says that a def came from its default function.
#define SFT_CREATURE_COOKIE 0x43525431u
/// Says that memory holds a state.
#define SFT_CREATURE_MAGIC UINT64_C(0x5346545f43524541)
#define SFT_CREATURE_DT (1.0 / SFT_CREATURE_RATE)
/// Parts of a swing's time in which the bob's phase follows the gait's (bob.c).
#define SFT_CREATURE_PHASE_LAG 0.5

// Facing space: the rest pose, turned so that the creature faces +Z: left is +X, up +Y. Poses are made there.

/// Joints whose turn carries others: the body, then spine, then head.
#define SFT_CREATURE_TRUNK (1 + 2 * SFT_CREATURE_LINKS)

/// local_r of a joint that turns in facing space is before * turn * after: linear in the turn, so what it makes of the
/// four units says all, and half the work is done once.
typedef struct sft_creature_axes
{
    sft_quatd x, y, z, w;
} sft_creature_axes;

/// A joint that the pose turns about axes of facing space.
typedef struct sft_creature_turned
{
    int32_t joint;
    int32_t above; ///< in the trunk, the nearest turned joint above; -1: none
    sft_v3d at;    ///< facing space, rest [m]
    sft_v3d arm;   ///< the same, from what is above
    sft_creature_axes axes;
} sft_creature_turned;

/// A rotation as what it makes of the three axes: cheaper for many vectors.
typedef struct sft_creature_turn3
{
    sft_v3d x, y, z;
} sft_creature_turn3;

/// An arm made ready, facing space (arms.c).
typedef struct sft_creature_sleeve
{
    sft_creature_turned upper, lower;
    sft_quatd hang;     ///< of the upper arm, from rest
    sft_quatd straight; ///< of the forearm, from rest to the line of the upper arm as it hangs, hang included
    double side;        ///< 1 left, -1 right, 0 neither: which leg it goes against
} sft_creature_sleeve;

/// A triangle of a leg (leg.c): two sides, each a segment or the chord of another triangle, and the chord from the
/// first side's start to the second's end. Its square follows that of the whole leg's chord.
typedef struct sft_creature_fold
{
    int32_t sides[2];     ///< >= 0: a triangle, further on in the list; else segment -1 - side
    sft_quatd twist[2];   ///< from the side as it lies in this triangle to the frame of that triangle
    double lengths[2];    ///< [m] of sides that are segments
    double rest, slope;   ///< [m^2] chord^2 at rest, and its growth with the leg's chord^2
    double control, fold; ///< [m^2] quadratic Bezier from rest to the shortest reach
} sft_creature_fold;

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
    sft_v3d toe; ///< creature space, rest [m]: from the foot joint to the sole below the foremost joint that hangs from
                 ///< it; x = z = 0: none does
    int32_t girdle;    ///< legs of one pair share it; from 0
    double serve;      ///< [m/s] what it could follow if each turn were its own
    double tan_half;   ///< of half its step angle
    double home_reach; ///< [m] hip to foot at home
    double stretched;  ///< [m] hip to foot from which it asks for a step by reach
    // What the pose needs (leg.c).
    sft_quatd frame;      ///< facing space, rest: x from hip to foot, y the way the knee leans
    sft_quatd in_carrier; ///< the same in the carrier joint's space
    int32_t fold_count;   ///< 1 to 3, the first is the whole leg
    sft_creature_fold folds[SFT_CREATURE_LEG_JOINTS - 2];
    double fold_reach; ///< [m] where the Bezier ends
    double closest;    ///< [m] hip to foot that this shape still folds to
    double fold_part;  ///< (0, 1/2] of the way in square of the chord, where its control point lies
    sft_creature_axes axes[SFT_CREATURE_LEG_JOINTS - 1]; ///< of the turn from one segment's frame to the next's
    sft_quatd foot;                                      ///< local_r of the foot = this * turn
} sft_creature_limb;

/// What bob and spine ask of a leg (reach.c), side by side for all legs.
typedef struct sft_creature_hip
{
    int32_t above;                     ///< in the trunk, what carries the hip
    sft_v3d at;                        ///< facing space, rest [m]
    sft_v3d arm;                       ///< the same, from what carries it
    sft_v3d by_pitch, by_yaw, by_roll; ///< [m/rad] by which the bob's turns move it
    double least, most;                ///< [m] reach
    double edge;                       ///< [m] before the ends of the reach, in which amounts level off
    double zone_far, zone_near;        ///< [m] before reach_max, and past reach_min, in which less of them is wanted
    double free_far, free_near;        ///< [m] between these no amount levels off
} sft_creature_hip;

/// A critically damped follower over one fixed step: exact, so it never rings.
typedef struct sft_creature_spring
{
    double rate;  ///< [1/s]; 0: there at once
    double decay; ///< exp(-rate * dt)
} sft_creature_spring;

struct sft_creature
{
    sft_creature_def def;
    sft_skeleton* skeleton;
    sft_xformd* rest; ///< joint_count, creature space
    sft_creature_limb* limbs;
    double per_scale; ///< 1 / def.scale
    int32_t turns[SFT_GAIT_COUNT];
    double safe_speed[SFT_GAIT_COUNT];   ///< [m/s]
    double reach_part[SFT_GAIT_COUNT];   ///< (0, 1] part that reach leaves of what step distances and times would serve
    sft_quatd facing;                    ///< turns +Z to def.forward
    double stand_height;                 ///< [m] mean height of the homes' soles: 0 for most
    sft_v3d left;                        ///< creature space, of def.forward
    double safe_turn[SFT_GAIT_COUNT];    ///< [rad/s] on the spot
    int32_t ground_feet[SFT_GAIT_COUNT]; ///< least number of feet that stand
    double trust_left, trust_ahead;      ///< [0, 1] how far the feet's heights say how the body leans, each way
    double most_sink;                    ///< [m] world
    double longest;                      ///< [m] greatest reach_max
    double nose;                         ///< [m] from the head joint to the farthest joint that hangs from it
    double cos_slope, tan_tilt;
    uint64_t girdles; ///< bit g: there is a girdle g
    sft_creature_spring level_spring;
    // What the pose needs (prepare.c).
    sft_creature_hip hips[SFT_MAX_LEGS];
    int32_t trunk_count;
    int32_t carrier_count; ///< so many of the trunk's list, from the body on, may carry legs
    sft_quatd body_before; ///< from facing space to that of the body joint's parent
    sft_creature_turned trunk[SFT_CREATURE_TRUNK];
    sft_creature_turned eyes[SFT_CREATURE_LINKS], tail[SFT_CREATURE_LINKS];
    sft_creature_sleeve sleeves[SFT_CREATURE_LINKS];
    double tail_follow; ///< (0, 1] of the way that a joint of the tail goes after the one before it in a step
    sft_v3d eye_yaw[SFT_CREATURE_LINKS];  ///< [rad] x, y: least and greatest away from rest; z: where it looks at rest
    double eye_pitch[SFT_CREATURE_LINKS]; ///< [rad] of where it looks at rest
    double aim_yaw, aim_pitch;            ///< [rad] most that spine and head can make together
    double sway[SFT_GAIT_COUNT];          ///< 1 or -1: side of the foot that lifts first
    sft_creature_spring aim_spring, eye_spring, tail_spring, weight_spring, phase_spring, amount_spring;
    uint64_t hash; ///< of all that decides what it does
    size_t state_size;
};

/// Head of the caller's block; feet, memories and the pose follow it at the offsets below.
/// From `clock` on it holds doubles alone, which save.c keeps as they are.
struct sft_creature_state
{
    uint64_t magic;
    uint64_t creature; ///< its hash
    sft_creature_body body;
    double clock;                         ///< [s] of a frame's time not stepped yet
    double height_speed;                  ///< [m/s] of levelling
    sft_quatd level;                      ///< tilt of the ground under it, without heading, in world axes
    double heading;                       ///< [rad] (-pi, pi] about up; place.r = level * heading
    double approaching, backing, turning; ///< 0 or 1: what a goal has started and not ended
    double goal_known;                    ///< 0 or 1: there was a goal in the last step
    double goal_x, goal_z;                ///< [m] where
    double goal_vx, goal_vz;              ///< [m/s] how it moves, smoothed; a goal that jumps does not
    double wanted;                        ///< [1] of each leg's serve that the goal would like, for the choice of gait
    double clear;                         ///< [m] that may be moved before it is looked ahead again
    double held;                          ///< [s] that it has not got on although it would
    double clear_ends;                    ///< 0 or 1: there something ends it
    double sunk;                          ///< [m] that the body is lower than the plane of its feet says
    double ahead_sink;                    ///< [m] that it is to be, for footholds ahead
    double clear_x, clear_z, clear_wait;  ///< direction it was looked in; steps until it is looked again
    double held_back;                     ///< [0, 1) part of its speed that it leaves, after legs held it
    double tail_speed;
    double hips_yaw; ///< [rad] as posed, away from the place's heading
    double aim_yaw_speed, aim_pitch_speed;
    double bob_weight_speed, bob_given_speed, spine_given_speed;
    double gait_phase, gait_phase_speed; ///< [0, 1) of the gait's cycle; bob_phase goes on with it
    double eye_yaw[SFT_CREATURE_LINKS], eye_pitch[SFT_CREATURE_LINKS];
    double eye_yaw_speed[SFT_CREATURE_LINKS], eye_pitch_speed[SFT_CREATURE_LINKS];
    double tail_part[SFT_CREATURE_LINKS]; ///< [rad] of each joint of the tail
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

/// The layout functions take a state that may change; for reading one that may not.
SFT_INLINE sft_creature_state* sft_creature_plain(const sft_creature_state* state)
{
    return (sft_creature_state*)(uintptr_t)state;
}

SFT_INLINE sft_v3d sft_creature_to_world(const sft_creature* creature, const sft_xformd* place, sft_v3d p)
{
    return sft_v3d_add(place->t, sft_v3d_scale(creature->def.scale, sft_quatd_rotate(place->r, p)));
}

SFT_INLINE sft_v3d sft_creature_from_world(const sft_creature* creature, const sft_xformd* place, sft_v3d p)
{
    return sft_v3d_scale(creature->per_scale, sft_quatd_unrotate(place->r, sft_v3d_sub(p, place->t)));
}

/// Scaled by s.
SFT_INLINE sft_creature_turn3 sft_creature_make_turn3(sft_quatd q, double s)
{
    double x2 = 2 * q.x, y2 = 2 * q.y, z2 = 2 * q.z;
    double xx = q.x * x2, yy = q.y * y2, zz = q.z * z2, xy = q.x * y2, yz = q.y * z2, zx = q.z * x2;
    double wx = q.w * x2, wy = q.w * y2, wz = q.w * z2;
    return (sft_creature_turn3){{s * (1 - (yy + zz)), s * (xy + wz), s * (zx - wy)},
                                {s * (xy - wz), s * (1 - (zz + xx)), s * (yz + wx)},
                                {s * (zx + wy), s * (yz - wx), s * (1 - (xx + yy))}};
}

SFT_INLINE sft_v3d sft_creature_apply3(const sft_creature_turn3* m, sft_v3d v)
{
    return (sft_v3d){m->x.x * v.x + m->y.x * v.y + m->z.x * v.z, m->x.y * v.x + m->y.y * v.y + m->z.y * v.z,
                     m->x.z * v.x + m->y.z * v.y + m->z.z * v.z};
}

/// A body's place and motion, for many feet.
typedef struct sft_creature_view
{
    sft_creature_turn3 in; ///< world to creature space, scaled
    sft_v3d from;          ///< place.t
    sft_v3d pace;          ///< creature space [m/s]
    double lead, turn;     ///< [s] by which homes lead; [rad/s]
} sft_creature_view;

SFT_INLINE sft_creature_view sft_creature_view_of(const sft_creature* creature, const sft_creature_body* body)
{
    sft_creature_view view;
    view.in = sft_creature_make_turn3(sft_quatd_conjugate(body->place.r), creature->per_scale);
    view.from = body->place.t;
    view.pace = sft_creature_apply3(&view.in, body->pace);
    view.lead = creature->def.swing.lead * creature->def.swing.time;
    view.turn = body->turn;
    return view;
}

/// A place of the world in creature space.
SFT_INLINE sft_v3d sft_creature_seen(const sft_creature_view* view, sft_v3d p)
{
    return sft_creature_apply3(&view->in, sft_v3d_sub(p, view->from));
}

/// Where a leg's home counts to be, creature space: ahead of itself by what it goes in swing.lead of a step's time, as
/// seen from the body; its height stays.
SFT_INLINE sft_v3d sft_creature_led(const sft_creature_view* view, sft_v3d home)
{
    return (sft_v3d){home.x + view->lead * (view->pace.x + view->turn * home.z), home.y,
                     home.z + view->lead * (view->pace.z - view->turn * home.x)};
}

/// Heading of a place alone, about up, without asking for its sine and cosine again.
SFT_INLINE sft_quatd sft_creature_upright(const sft_creature_state* state)
{
    sft_quatd l = state->level, r = state->body.place.r;
    return (sft_quatd){0, l.w * r.y + l.x * r.z - l.y * r.w - l.z * r.x, 0,
                       l.w * r.w + l.x * r.x + l.y * r.y + l.z * r.z};
}

/// [m/s] of a home over the ground; arm: world, from the body.
SFT_INLINE double sft_creature_arm_speed(sft_v3d arm, sft_v3d velocity, double turn)
{
    double x = velocity.x + turn * arm.z, z = velocity.z - turn * arm.x;
    return sqrt(x * x + z * z);
}

// ---- made ready ----

/// SFT_OK, or what is wrong with a def (check.c).
sft_result sft_creature_check(const sft_creature_def* def, const sft_skeleton* skeleton, sft_error* error);
/// Turns of an allowed gait, and how many feet it keeps down at least (check.c).
sft_result sft_creature_count_turns(const sft_creature_def* def, int32_t gait, int32_t* turns, int32_t* ground_feet,
                                    sft_error* error);
/// Hash over numbers, byte by byte from the lowest, so that machines agree. Both zeros are one.
SFT_INLINE uint64_t sft_creature_hash_word(uint64_t hash, uint64_t word)
{
    unsigned char bytes[8];
    for (int k = 0; k < 8; ++k)
        bytes[k] = (unsigned char)(word >> 8 * k);
    return sft_core_hash(hash, bytes, sizeof bytes);
}
SFT_INLINE uint64_t sft_creature_hash_double(uint64_t hash, double x)
{
    uint64_t word;
    x += 0.0;
    memcpy(&word, &x, sizeof word);
    return sft_creature_hash_word(hash, word);
}
/// The single numbers of a def (check.c).
uint64_t sft_creature_hash_fields(uint64_t hash, const sft_creature_def* def);

// ---- the parts of a step, in order ----

/// Moves the body (root.c): what the goal asks for, within acceleration, what the legs serve, footholds ahead,
/// obstacles, and the reach of every standing foot from the candidate place. Height and tilt follow the feet.
void sft_creature_move_body(const sft_creature* creature, const sft_creature_input* input, sft_creature_state* state);
/// Carries swings on and lands those that are over; one that its leg cannot follow comes down elsewhere (foot.c).
void sft_creature_swing_feet(const sft_creature* creature, const sft_ground* ground, sft_creature_state* state);
/// Decides who lifts (gait.c) and begins their swings.
void sft_creature_run_gait(const sft_creature* creature, const sft_creature_input* input, sft_creature_state* state);
/// Makes local_t, local_r and body.head from place and feet (pose.c). Writes bob_given, spine_given and aims too.
void sft_creature_make_pose(const sft_creature* creature, const sft_creature_input* input, sft_creature_state* state);

// ---- shared ----

/// Height and tilt that the feet ask for, followed by one step (level.c): state->level, and the new place.t.y.
double sft_creature_level(const sft_creature* creature, sft_creature_state* state);
/// [m] by which the body must be lower for a leg whose foot is so far from its hip (creature space); below 0: by which
/// it may be higher (level.c).
double sft_creature_sink_for(const sft_creature* creature, int32_t leg, sft_v3d arm);
/// [m] that the body may go along a horizontal velocity before ground ends or an obstacle is met (ahead.c). Looks only
/// once in a while.
double sft_creature_look_ahead(const sft_creature* creature, const sft_creature_input* input, sft_v3d velocity,
                               sft_creature_state* state);
/// [m] of a way along a horizontal unit vector that the body may be shoved (ahead.c).
double sft_creature_room(const sft_creature* creature, const sft_creature_input* input, sft_v3d along, double way,
                         const sft_creature_state* state);
/// By how much the body rises on a horizontal way, or how fast at a horizontal velocity (ahead.c).
double sft_creature_rise(const sft_creature* creature, const sft_creature_state* state, sft_v3d way);
/// Rotation about +Y (root.c).
sft_quatd sft_creature_about_up(double angle);
/// World direction, horizontal, of a horizontal direction of creature space at a heading given by its sine and cosine.
SFT_INLINE sft_v3d sft_creature_headed(sft_v3d v, double sine, double cosine)
{
    return (sft_v3d){cosine * v.x + sine * v.z, 0, cosine * v.z - sine * v.x};
}

/// sft_creature_led for one leg (gait.c).
sft_v3d sft_creature_led_home(const sft_creature* creature, const sft_creature_body* body, int32_t leg);
/// How far a foot is from its led home, square to the body's up, creature space [m]: x and z (gait.c).
sft_v3d sft_creature_foot_error(const sft_creature* creature, const sft_creature_body* body, int32_t leg,
                                const sft_creature_foot* foot);
/// How far a foot is turned from home about the body's up, as a part of its step angle (gait.c).
double sft_creature_angle_part(const sft_creature* creature, const sft_xformd* place, int32_t leg,
                               const sft_creature_foot* foot);
/// The place after `time` seconds at the present speed and turn, height and tilt as they are (root.c).
sft_xformd sft_creature_place_ahead(const sft_creature* creature, const sft_creature_state* state, double time);

/// Begins a step of a leg, if a foothold is found (foot.c). `settle`: to its home, not past it.
bool sft_creature_lift(const sft_creature* creature, const sft_ground* ground, int32_t leg, bool settle,
                       sft_creature_state* state);
/// Whether a standing foot that is to lift in `time` [s] would find a foothold then: foot->wait 0 or -1 (foot.c).
void sft_creature_foresee(const sft_creature* creature, const sft_ground* ground, int32_t leg, double time,
                          sft_creature_state* state);
/// Where a swinging foot is at a time of its swing.
sft_v3d sft_creature_swing_point(const sft_creature_foot* foot, double time);
/// [m] nearest that a foot in the air means to be to its hip, by its leg's shortest reach, which is that of the rest
/// pose. A foot that lifts near its hip would be pushed along the ground by it, so for a third of its time it may be
/// nearer by three tenths, and by less and less up to four fifths: what its leg then does not fold to is left to the
/// pose.
SFT_INLINE double sft_creature_near_end(double least, double time)
{
    return least * (1 - 0.3 * sft_clampd(1.6 - 2 * time, 0, 1));
}
/// Time of its swing after one more step; 1: it lands.
SFT_INLINE double sft_creature_next_time(const sft_creature* creature, const sft_creature_foot* foot)
{
    double t = foot->time + SFT_CREATURE_DT / creature->def.swing.time;
    return t < 1 - 1e-9 ? t : 1;
}

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

/// Whether the toes of a foot would stand out of the ground there, all but a little (swing.c).
bool sft_creature_toes_fit(const sft_creature* creature, const sft_ground* ground, int32_t leg,
                           const sft_creature_foothold* at);
/// A foothold whose toes stand in a riser is put back so far that they stand before it, by half of the foot at most
/// (swing.c). False: that is not enough.
bool sft_creature_put_back(const sft_creature* creature, const sft_ground* ground, int32_t leg,
                           sft_creature_foothold* at);
/// The control point of a foot's way from where it is: foot->over (swing.c). hips: world, where the hip is at its begin
/// and end. False: the way over the ground between is higher than a leg steps.
bool sft_creature_plan_swing(const sft_creature* creature, const sft_ground* ground, int32_t leg, sft_v3d up,
                             const sft_creature_foothold* to, const sft_v3d* hips, sft_creature_foot* foot);

/// Of a foot in the air: where its way would lead nearly through its hip, by how the body goes now, it is led off it
/// (swing.c).
void sft_creature_steer_swing(const sft_creature* creature, const sft_ground* ground, int32_t leg,
                              const sft_creature_state* state, sft_creature_foot* foot);

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

// ---- the pose ----

/// Fills what the pose needs, of trunk, eyes, tail and limbs (limbs allocated, zeroed; def, skeleton, rest and facing
/// set): prepare.c. Fails: SFT_ERR_DEF (a chain not below the body, a leg that hangs from head, eye or tail),
/// SFT_ERR_RANGE (a reach that the segments cannot have).
sft_result sft_creature_prepare_pose(sft_creature* creature, sft_error* error);
/// The same of one arm (arms.c).
sft_result sft_creature_prepare_arm(sft_creature* creature, int32_t index, sft_error* error);
/// A joint that turns about axes of facing space, after a turn `first` that it always has (prepare.c); needs the
/// trunk's list as far as it is above it.
sft_creature_turned sft_creature_make_turned(const sft_creature* creature, int32_t joint, sft_quatd first);
/// Axes of before * turn * after (prepare.c).
sft_creature_axes sft_creature_make_axes(sft_quatd before, sft_quatd after);
/// The same of one leg (prepare_leg.c).
sft_result sft_creature_prepare_leg(sft_creature* creature, int32_t leg, sft_error* error);
/// The rest pose at body.place, looking ahead: for a state just placed, before its first make_pose.
void sft_creature_reset_pose(const sft_creature* creature, sft_creature_state* state);

/// One step of a follower.
SFT_INLINE void sft_creature_follow(const sft_creature_spring* spring, double target, double* x, double* speed)
{
    if (!(spring->rate > 0))
    {
        *x = target;
        *speed = 0;
        return;
    }
    double away = *x - target, push = *speed + spring->rate * away;
    // What is left of a way is gone before numbers are too small for the machine's full speed.
    if (fabs(away) < 1e-15 && fabs(*speed) < 1e-15)
    {
        *x = target;
        *speed = 0;
        return;
    }
    *x = target + (away + push * SFT_CREATURE_DT) * spring->decay;
    *speed = (*speed - spring->rate * push * SFT_CREATURE_DT) * spring->decay;
}

/// x up to four fifths of `most`, then levelling off to it: no kink.
SFT_INLINE double sft_creature_soften(double x, double most)
{
    double size = fabs(x), knee = 0.8 * most, over = size - knee, span = most - knee;
    if (!(over > 0)) return x;
    double y = over < 2 * span ? size - over * over / (4 * span) : most;
    return x < 0 ? -y : y;
}

/// 1 up to three quarters of the range, 0 from its end on, smooth in between.
SFT_INLINE double sft_creature_fade(double angle, double range)
{
    double t = sft_clampd((angle / range - 0.75) * 4, 0, 1);
    return 1 - t * t * (3 - 2 * t);
}

/// Squares of all chords of a leg at a reach [m] (leg.c). chords: fold_count entries out.
void sft_creature_fold_chords(const sft_creature_limb* limb, double reach, double* chords);
/// Frames of both sides of a triangle whose chord's frame is given; answers the chord as the sides allow it (leg.c).
double sft_creature_place_sides(const sft_creature_fold* fold, const double* chords, double chord, sft_quatd frame,
                                sft_quatd sides[2]);
/// sft_creature_solve_leg from the way from hip to foot, its length, the foot's orientation, and limb.frame as it is
/// carried now: in any one space.
double sft_creature_turn_leg(const sft_creature_limb* limb, const int32_t* joints, sft_quatd frame, sft_v3d arm,
                             double reach, sft_quatd foot, sft_ik_bend* memory, sft_quatd* local_r);

/// What a step wants of the trunk, and what came of it; facing space.
typedef struct sft_creature_trunk
{
    sft_v3d bob, bob_turn;   ///< [m] and [rad] of left, up and ahead, all of it
    sft_v3d soon, soon_turn; ///< the same a little later
    double stride;           ///< [-1, 1] weighed: how far the left leg is ahead of the right, -1 as it lifts
    double spine_yaw[SFT_CREATURE_LINKS], spine_pitch[SFT_CREATURE_LINKS]; ///< [rad] of each spine joint, all of it
    double yaw[SFT_CREATURE_TRUNK]; ///< [rad] in all, from the body's on: the body's own counter-turn is not in it
    double pitch[SFT_CREATURE_TRUNK];
    double roll[SFT_CREATURE_TRUNK];    ///< [rad] about ahead, against the body's own
    sft_quatd turn[SFT_CREATURE_TRUNK]; ///< from the rest pose
    sft_quatd bend[SFT_CREATURE_TRUNK]; ///< the same less the body's
    sft_v3d at[SFT_CREATURE_TRUNK];     ///< of the joint
    sft_v3d arms[SFT_MAX_LEGS];         ///< from hip to foot
    double reach[SFT_MAX_LEGS];         ///< [m] their lengths
    double loose[SFT_MAX_LEGS];         ///< [0, 1] how little their feet hold, in the air (reach.c)
    sft_quatd world;                    ///< facing space to world
    sft_creature_turn3 to_facing;       ///< the other way, and scaled
    sft_v3d look;                       ///< place of what is looked at
    double look_weight;                 ///< [0, 1], 0: ahead
} sft_creature_trunk;

/// A place of the world in facing space.
SFT_INLINE sft_v3d sft_creature_to_facing(const sft_creature_trunk* trunk, const sft_xformd* place, sft_v3d p)
{
    return sft_creature_apply3(&trunk->to_facing, sft_v3d_sub(p, place->t));
}

/// local_r for a turn.
SFT_INLINE sft_quatd sft_creature_about(const sft_creature_axes* a, sft_quatd q)
{
    return (sft_quatd){q.x * a->x.x + q.y * a->y.x + q.z * a->z.x + q.w * a->w.x,
                       q.x * a->x.y + q.y * a->y.y + q.z * a->z.y + q.w * a->w.y,
                       q.x * a->x.z + q.y * a->y.z + q.z * a->z.z + q.w * a->w.z,
                       q.x * a->x.w + q.y * a->y.w + q.z * a->z.w + q.w * a->w.w};
}

/// local_r for a turn about one of the units: s of it and c of 1.
SFT_INLINE sft_quatd sft_creature_about_one(const sft_creature_axes* a, const sft_quatd* unit, double s, double c)
{
    return (sft_quatd){s * unit->x + c * a->w.x, s * unit->y + c * a->w.y, s * unit->z + c * a->w.z,
                       s * unit->w + c * a->w.w};
}

/// sin(angle / 2) for an angle within half a turn, beyond which it is cut: the Taylor series to the 17th power, whose
/// error is below 5e-14. A turn's quaternion needs no more: its cosine is taken from it.
SFT_INLINE double sft_creature_half_sine(double angle)
{
    double x = 0.5 * sft_clampd(angle, -SFT_PI, SFT_PI), z = x * x, y = z * z;
    double low = (-1.0 / 6 + 1.0 / 120 * z) + y * (-1.0 / 5040 + 1.0 / 362880 * z);
    double high = (-1.0 / 39916800 + 1.0 / 6227020800 * z) + y * (-1.0 / 1307674368000 + 1.0 / 355687428096000 * z);
    return x + x * z * (low + y * y * high);
}

/// Cosine of the half angle, from its sine: within half a turn it is positive.
SFT_INLINE double sft_creature_half_cosine(double half_sine)
{
    return sqrt(sft_maxd(1 - half_sine * half_sine, 0));
}

/// Turn about up.
SFT_INLINE sft_quatd sft_creature_yaw(double yaw)
{
    double s = sft_creature_half_sine(yaw);
    return (sft_quatd){0, s, 0, sft_creature_half_cosine(s)};
}

/// Turn about up by yaw after one about left by pitch [rad].
SFT_INLINE sft_quatd sft_creature_yaw_pitch(double yaw, double pitch)
{
    double sy = sft_creature_half_sine(yaw), sx = sft_creature_half_sine(pitch);
    double cy = sft_creature_half_cosine(sy), cx = sft_creature_half_cosine(sx);
    return (sft_quatd){cy * sx, sy * cx, -sy * sx, cy * cx};
}

/// Turn about ahead by roll after one about up by yaw after one about left by pitch [rad].
SFT_INLINE sft_quatd sft_creature_roll_yaw_pitch(double roll, double yaw, double pitch)
{
    sft_quatd q = sft_creature_yaw_pitch(yaw, pitch);
    double s = sft_creature_half_sine(roll), c = sft_creature_half_cosine(s);
    return (sft_quatd){c * q.x - s * q.y, c * q.y + s * q.x, c * q.z + s * q.w, c * q.w - s * q.z};
}

/// Where something is that a joint of the trunk's list carries, `arm` from it at rest.
SFT_INLINE sft_v3d sft_creature_carried(const sft_creature_trunk* trunk, int32_t above, sft_v3d arm)
{
    return sft_v3d_add(trunk->at[above], sft_quatd_rotate(trunk->turn[above], arm));
}

/// Turns joint i of the trunk's list by so much more (yaw, pitch, roll) than what is above it, and places it (pose.c).
void sft_creature_turn_link(const sft_creature* creature, int32_t i, sft_v3d more, sft_creature_trunk* trunk);
/// Weight and phase of the bob after this step, and what of bob and turn that asks for (bob.c).
void sft_creature_follow_bob(const sft_creature* creature, sft_creature_state* state, sft_creature_trunk* trunk);
/// How much of bob and spine the feet leave, then the trunk as it is (reach.c). feet: facing space, one a leg. Feet in
/// the air that their legs are short of then are pulled along, in the state.
void sft_creature_fit_trunk(const sft_creature* creature, const sft_v3d* feet, sft_creature_state* state,
                            sft_creature_trunk* trunk);
/// Smoothed look into body.aim_yaw and aim_pitch, and the spine's wish (aim.c).
void sft_creature_follow_look(const sft_creature* creature, const sft_creature_input* input, sft_creature_state* state,
                              sft_creature_trunk* trunk);
/// Turns neck and head towards the aim, by what the trunk below them has not turned (aim.c).
void sft_creature_turn_head(const sft_creature* creature, const sft_creature_state* state, sft_creature_trunk* trunk);
/// Eyes towards the real target (eyes.c), arms against the legs (arms.c), tail against the turn (tail.c): local_r of
/// their joints.
void sft_creature_turn_eyes(const sft_creature* creature, const sft_creature_trunk* trunk, sft_creature_state* state);
void sft_creature_swing_arms(const sft_creature* creature, const sft_creature_trunk* trunk, sft_creature_state* state);
void sft_creature_bend_tail(const sft_creature* creature, const sft_creature_trunk* trunk, sft_creature_state* state);

#endif
