// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

/// @file creature.h
/// Legs that walk without key frames (docs/creature.md). A creature is data, made from a skeleton or read from JSON;
/// one that walks is a block of plain bytes. Where it goes, what it looks at and what it stands on come from outside.
///
/// The chain of causes, in this order each fixed step: the body moves towards its goal; feet that stand stay where
/// they are in the world, so their homes, which move with the body, leave them behind; a foot too far from home asks
/// for a step; the group whose turn it is may lift, if a foothold is found; then the pose is made from what the feet
/// hold, and bob, spine, head, eyes and tail only as far as no foot is pulled off.
///
/// Spaces. Creature space: the rest pose of the skeleton, metres, +Y up, facing `forward`, on ground at y = 0. World
/// space: place.t + scale * (place.r * p). One uniform scale > 0, fixed while it walks: lengths of a def are in
/// creature space and grow with it, speeds are in world units. No allocation after creation. A creature is read by any
/// number of threads; a state belongs to one at a time.
#ifndef SUREFOOT_CREATURE_H
#define SUREFOOT_CREATURE_H

#include "surefoot/ground.h"
#include "surefoot/clip.h"
#include "surefoot/leg.h"

/// The fixed clock [1/s].
#define SFT_CREATURE_RATE 120
/// Joints of a leg, hip and foot included: two or three segments, and one more for insects' coxae.
#define SFT_CREATURE_LEG_JOINTS 5
/// Most links of an aim chain or a tail, most eyes and most arms.
#define SFT_CREATURE_LINKS 16

// ---- the creature as data ----

typedef enum sft_gait
{
    SFT_GAIT_FREE = 0,      ///< groups as the def says, for creatures that none of the others fits
    SFT_GAIT_ALTERNATE = 1, ///< biped: one foot after the other
    SFT_GAIT_DIAGONAL = 2,  ///< four legs: diagonal pairs, two turns
    SFT_GAIT_TRIPOD = 3,    ///< six and more: every other foot along each side, crosswise, two turns
    SFT_GAIT_RIPPLE = 4,    ///< one left and one right foot of different girdles at a time, back to front
    SFT_GAIT_WAVE = 5       ///< one foot at a time, back to front, one side after the other
} sft_gait;
#define SFT_GAIT_COUNT 6

typedef struct sft_creature_leg
{
    sft_leg_side side;
    int32_t pair;                            ///< girdle, 0 hind, growing forward
    int32_t joint_count;                     ///< 3 to SFT_CREATURE_LEG_JOINTS
    int32_t joints[SFT_CREATURE_LEG_JOINTS]; ///< hip first, foot last, each above the next; the foot is what holds its
                                             ///< place and orientation; joints below it ride along
    int32_t group[SFT_GAIT_COUNT];           ///< turn at which it may lift in each gait, from 0; -1: not in this gait
    sft_v3d home;         ///< creature space [m]: place of the foot joint where it rests; default the rest pose's
    sft_v3d bend;         ///< creature space, the way the knee leans in the rest pose; zero: from the rest pose
    double ankle_offset;  ///< [m] >= 0 foot joint above its sole, along the normal of what it stands on
    double step_distance; ///< [m] > 0: farther than this from home, a foot asks for a step
    double step_angle;    ///< [rad] > 0, likewise for its turn about the normal
    double reach_min;     ///< [m] least and greatest distance of hip to foot that the feet's places may ask for;
    double reach_max;     ///< 0 < reach_min < reach_max < length of the chain
} sft_creature_leg;

/// One joint's part in bending towards something. Angles about the creature's own axes, away from the rest pose.
typedef struct sft_creature_link
{
    int32_t joint;
    double share;     ///< [0, 1] of what is still to turn when its turn comes
    double max_yaw;   ///< [rad] >= 0 about up
    double max_pitch; ///< [rad] >= 0 about left
} sft_creature_link;

typedef struct sft_creature_eye
{
    int32_t joint;
    sft_v3d forward;  ///< creature space, unit: where it looks in the rest pose
    double max_in;    ///< [rad] towards the nose
    double max_out;   ///< [rad] away from it
    double max_pitch; ///< [rad] up and down
} sft_creature_eye;

/// An arm hangs from its shoulder, however the rest pose holds it, and swings against the leg of its side. What lies
/// below the hand rides along.
typedef struct sft_creature_arm
{
    sft_leg_side side;
    int32_t joints[3]; ///< shoulder, elbow and hand, each above the next
    double hang;       ///< [rad] most that the upper arm hangs off straight down; what hangs so at rest stays
    double swing;      ///< [rad] fore and aft of that, with the bob's weight
    double bend;       ///< [rad] of the elbow; more while the arm is ahead
} sft_creature_arm;

/// How the body goes where it is led. World units: metres and seconds.
typedef struct sft_creature_motion
{
    double max_speed;         ///< [m/s] > 0; what the legs can serve may be less
    double back_speed;        ///< [m/s] >= 0: backing off a goal that is too near
    double acceleration;      ///< [m/s^2] > 0
    double max_turn_speed;    ///< [rad/s] > 0; what the legs can serve may be less
    double turn_acceleration; ///< [rad/s^2] > 0
    double stop_distance;     ///< [m] >= 0, horizontal: nearer than this to a goal it stops
    double approach_distance; ///< [m] > stop_distance: a stopped body starts again where the goal is farther than this
    double back_distance;     ///< [m] >= 0, < stop_distance: nearer than this it backs off; 0: never
    double turn_first_angle;  ///< [rad] (0, pi]: a goal farther than this off the nose is turned to before walking
    double slow_turn;         ///< [0, 1]: part of the speed left while turning at max_turn_speed
    double look_ahead;        ///< [s] >= 0: ground and obstacles this long ahead are looked at before the body moves
    double body_radius;       ///< creature space [m] >= 0, of the sphere that obstacles are looked for with
    double body_height;       ///< creature space [m], of its centre
    double level_time;        ///< [s] >= 0 in which body height and tilt follow the feet
    double max_tilt;          ///< [rad] [0, pi/2): most the body leans with the ground
} sft_creature_motion;

typedef struct sft_creature_swing
{
    double time;        ///< [s] > 0, of one step
    double overshoot;   ///< [0, 1]: past home by this part of step_distance
    double lead;        ///< [0, 2]: while it moves, a home counts as far ahead of itself as it goes at its pace in this
                        ///< part of a step's time, so that feet are as much before it as behind; default 0.8
    double lift;        ///< >= 0: the curve's control point is raised by this part of the stride; default 0.5
    double clearance;   ///< creature space [m] >= 0: least rise of the control point; default 0
    double max_slope;   ///< [rad] of ground a foot takes; default 40 degrees
    double probe_above; ///< creature space [m]: ground is looked for from so high above home, along the body's up,
    double probe_below; ///< to so far below it
    double settle_time; ///< [s] >= 0: a creature that has stood for so long puts feet that are off their home by more
    double settle_part; ///< than this part of their thresholds back to it, turn by turn; 0 time: never
} sft_creature_swing;

typedef struct sft_creature_bob
{
    sft_v3d amplitude;  ///< creature space [m] of side, up and ahead
    sft_v3d turn;       ///< [rad] of pitch, yaw and roll
    double cycle;       ///< steps of the gait's whole cycle to one of the bob; default 1
    double weight_time; ///< [s] in which it comes and goes with motion
} sft_creature_bob;

/// Start from sft_default_creature_def or sft_creature_find; change what you like.
typedef struct sft_creature_def
{
    sft_v3d forward; ///< creature space, horizontal unit vector; default +Z
    int32_t body;    ///< joint that the place moves: the one above all legs, spine and tail
    int32_t leg_count;
    sft_creature_leg legs[SFT_MAX_LEGS];
    double scale;                      ///< > 0; default 1
    uint32_t gaits;                    ///< bit g: gait g may be used
    double gait_speed[SFT_GAIT_COUNT]; ///< [0, 1] of its safe speed up to which a gait is chosen; default 0.9
    sft_creature_motion motion;
    sft_creature_swing swing;
    sft_creature_bob bob;
    int32_t spine_count; ///< below body, towards the head; 0 is fine, as for all that follow
    sft_creature_link spine[SFT_CREATURE_LINKS];
    int32_t head_count; ///< neck and head; the last one looks
    sft_creature_link head[SFT_CREATURE_LINKS];
    double hips_counter; ///< [0, 1] of the spine's yaw that the body joint turns the other way; default 0.2
    double aim_time;     ///< [s] in which spine, head and eyes follow
    double aim_range;    ///< [rad] (0, pi]: what is farther off the nose than this is not looked at
    int32_t eye_count;
    sft_creature_eye eyes[SFT_CREATURE_LINKS];
    int32_t arm_count;
    sft_creature_arm arms[SFT_CREATURE_LINKS];
    int32_t tail_count;
    int32_t tail[SFT_CREATURE_LINKS];
    double tail_gain; ///< [rad] of the whole tail's bend per [rad/s] of turning
    double tail_max;  ///< [rad] of the whole tail
    double tail_time; ///< [s] in which it follows, and as much again until its tip does
    uint32_t cookie;
} sft_creature_def;

/// No legs yet; everything else usable for a creature some half metre long.
SFT_API sft_creature_def sft_default_creature_def(void);

/// Makes a def from a skeleton in metres, Y up, as it stands in its rest pose (docs/creature.md): legs by sft_leg_find;
/// spine, neck, head, arms and tail by their meaning (wings stay as they are), eyes by name; homes, reach, thresholds
/// and offsets from the rest pose, knees bent a little where it stands straight; groups by side and order for every
/// gait that fits the number of legs; speeds and distances by the legs' length. `clip` (null is fine) helps to see
/// knees. Fails, *def untouched: SFT_ERR_ARG, SFT_ERR_MEMORY, SFT_ERR_UNSUPPORTED with *error saying why no creature is
/// seen here (no legs, legs without a common body). Deterministic.
SFT_API sft_result sft_creature_find(const sft_skeleton* skeleton, const sft_clip* clip, const sft_allocator* allocator,
                                     sft_creature_def* def, sft_error* error);

/// Proposes groups of every gait that fits the legs in `def`, by side and order alone, and sets def->gaits. Pure.
SFT_API sft_result sft_creature_propose_groups(sft_creature_def* def);

/// A def as JSON for people to edit, joints by name; *text is a new block of *size bytes (not terminated).
SFT_API sft_result sft_creature_format(const sft_creature_def* def, const sft_skeleton* skeleton,
                                       const sft_allocator* allocator, char** text, size_t* size);
/// And back. What is missing keeps its default (docs/creature_file.md); names that the skeleton has not, numbers out of
/// their range and keys not known are errors with line and remedy. Fails, *def untouched: SFT_ERR_ARG, SFT_ERR_SYNTAX,
/// SFT_ERR_RANGE, SFT_ERR_LIMIT, SFT_ERR_MEMORY.
SFT_API sft_result sft_creature_parse(const char* text, size_t size, const sft_skeleton* skeleton,
                                      const sft_allocator* allocator, sft_creature_def* def, sft_error* error);

/// Checked and made ready. Opaque, read-only, keeps a copy of all it needs.
typedef struct sft_creature sft_creature;

/// Fails, *out untouched, *error (may be null) naming leg or joint and field: SFT_ERR_ARG, SFT_ERR_DEF, SFT_ERR_RANGE,
/// SFT_ERR_MEMORY.
SFT_API sft_result sft_creature_create(const sft_creature_def* def, const sft_skeleton* skeleton,
                                       const sft_allocator* allocator, sft_creature** out, sft_error* error);
/// Null is fine.
SFT_API void sft_creature_destroy(sft_creature* creature, const sft_allocator* allocator);

/// Turns of a gait, 0 where this creature has it not. Pure.
SFT_API int32_t sft_creature_turns(const sft_creature* creature, sft_gait gait);
/// [m/s] that the legs can serve in a gait: least step_distance * scale * (1 + overshoot) / (turns * step time), or
/// what their reach allows, where that is less: gaits of many turns have feet stand for long. Pure.
SFT_API double sft_creature_safe_speed(const sft_creature* creature, sft_gait gait);

// ---- one that walks ----

typedef enum sft_creature_goal
{
    SFT_CREATURE_STAND = 0,
    SFT_CREATURE_GO_TO = 1, ///< to a point: approach, stop band, back off
    SFT_CREATURE_DRIVE = 2  ///< by velocity and turn, as from a stick
} sft_creature_goal;

/// What comes from outside, sampled once a step. World space.
typedef struct sft_creature_input
{
    sft_creature_goal kind;
    sft_v3d goal;             ///< GO_TO: [m]; its height counts for nothing
    sft_v3d velocity;         ///< DRIVE: [m/s], horizontal part counts
    double turn;              ///< DRIVE: [rad/s] about up, anticlockwise
    const sft_v3d* look;      ///< [m] what head and eyes look at; null: ahead
    const sft_ground* ground; ///< what feet stand on; null: nothing, so no foot steps
    const sft_ground* blocks; ///< obstacles the body keeps clear of; null: none but walls of the ground
    sft_v3d push; ///< [m] the body is shoved by this step, horizontally; what legs, ground or obstacles do not allow is
                  ///< refused
} sft_creature_input;

/// A foot as the creature means it. The pose puts the joint there.
typedef struct sft_creature_foot
{
    sft_v3d position;       ///< world [m], of the foot joint: held while it stands
    sft_quatd rotation;     ///< world
    sft_v3d normal;         ///< of what it stands on or is about to
    int32_t body;           ///< of the ground's hit
    bool swinging;          ///< in the air
    bool stepped;           ///< has begun a step in the turn at hand
    bool standing;          ///< on ground; false where none was ever found below it
    double time;            ///< [0, 1) of its swing
    int32_t wait;           ///< steps until it looks for a foothold again, where it found none; -1: it will find none
    sft_v3d from, over, to; ///< Bezier points, of the swing at hand or the last
    sft_quatd from_rotation, to_rotation;
    sft_v3d to_normal;
    int32_t to_body;
    int64_t steps; ///< begun so far
} sft_creature_foot;

/// The rest of what it does. World space.
typedef struct sft_creature_body
{
    sft_xformd place; ///< of creature space
    sft_v3d velocity; ///< [m/s] horizontal, as it came to be
    double turn;      ///< [rad/s]
    sft_v3d pace; ///< [m/s] mean of the velocity that it means to have over a step's time, along the slope it is on,
                  ///< by which feet count; what reach holds back for a moment is left out of it
    sft_gait gait;
    int32_t group;                ///< whose turn it is; -1: nobody's, all may ask
    int32_t last_group;           ///< whose turn was last
    int64_t step;                 ///< fixed steps since it was placed
    double speed_limit;           ///< [m/s] what held it: the least of configured, legs and turning
    sft_v3d push_refused;         ///< [m] of the push of the last step
    bool blocked;                 ///< the goal asked for motion that ground, obstacle or reach refused
    bool moving;                  ///< has started and not stopped
    double stood;                 ///< [s] without motion
    double bob_weight, bob_phase; ///< as wanted
    double bob_given;             ///< [0, 1] of it that the feet left
    double spine_given;           ///< [0, 1] of the spine's turn that the feet left
    double aim_yaw, aim_pitch;    ///< [rad] of the look, smoothed
    double tail_bend;             ///< [rad]
    sft_v3d head;                 ///< where the head joint was last
} sft_creature_body;

/// Opaque plain bytes of sft_creature_state_size: copying the bytes copies the creature, in one process. Memory of the
/// caller's, aligned for a double.
typedef struct sft_creature_state sft_creature_state;

SFT_API size_t sft_creature_state_size(const sft_creature* creature);

/// Puts it somewhere, at rest, feet on the ground below their homes. `place.r` is reduced to its heading; height comes
/// from the ground where any foot finds some. `memory` may hold a state already: that is a teleport. Fails, memory
/// untouched: SFT_ERR_ARG, SFT_ERR_RANGE, SFT_ERR_MEMORY (size too small).
SFT_API sft_result sft_creature_place(const sft_creature* creature, sft_xformd place, const sft_ground* ground,
                                      void* memory, size_t size, sft_creature_state** state);

/// Turns spine, head and eyes of one that stands to `look` [m, world] (null: ahead) at once: for a creature just
/// placed, so that its first frames do not show them on their way. Fails, state untouched: SFT_ERR_ARG, SFT_ERR_RANGE.
SFT_API sft_result sft_creature_face(const sft_creature* creature, const sft_v3d* look, sft_creature_state* state);

/// One fixed step of 1/120 s. Fails, state untouched: SFT_ERR_ARG, SFT_ERR_RANGE (input is no number). No allocation.
SFT_API sft_result sft_creature_step(const sft_creature* creature, const sft_creature_input* input,
                                     sft_creature_state* state);

/// Input at a simulated time [s] since the state was placed; asked once a step, so that what happens does not depend
/// on how often one renders.
typedef void sft_creature_sample(void* user, double time, sft_creature_input* input);

/// Advances by `dt` >= 0 seconds of any clock: as many fixed steps as fit, at most `max_steps`; what that cuts is
/// dropped. *taken (may be null) is their number. Fails as sft_creature_step does, steps before it taken.
SFT_API sft_result sft_creature_update(const sft_creature* creature, double dt, int32_t max_steps,
                                       sft_creature_sample* sample, void* user, sft_creature_state* state,
                                       int32_t* taken);

/// `count` creatures of one kind, states `stride` bytes apart, one step each: the same bits as one by one. Give each
/// thread a range of its own. Returns the first result that is not SFT_OK; the others are stepped all the same.
SFT_API sft_result sft_creature_step_many(const sft_creature* creature, int32_t count, const sft_creature_input* inputs,
                                          void* states, size_t stride);

/// What it does; the pointers point into the state.
SFT_API const sft_creature_body* sft_creature_get_body(const sft_creature_state* state);
SFT_API const sft_creature_foot* sft_creature_get_feet(const sft_creature* creature, const sft_creature_state* state);
/// Its pose after the last step: joint_count local transforms in creature space, all else as in the rest pose.
/// World place of joint j: place.t + scale * (place.r * model_t[j]).
SFT_API void sft_creature_get_pose(const sft_creature* creature, const sft_creature_state* state,
                                   const sft_v3d** local_t, const sft_quatd** local_r);
/// World places and orientations of all joints: `out` has joint_count entries.
SFT_API void sft_creature_get_world(const sft_creature* creature, const sft_creature_state* state, sft_xformd* out);

/// A state as bytes that another process or machine reads: little-endian, with version, creature's hash and checksum.
SFT_API size_t sft_creature_save_size(const sft_creature* creature);
SFT_API sft_result sft_creature_save(const sft_creature* creature, const sft_creature_state* state, void* bytes,
                                     size_t size);
/// Fails, memory untouched: SFT_ERR_ARG, SFT_ERR_SYNTAX (not these bytes, or changed), SFT_ERR_UNSUPPORTED (another
/// version or creature), SFT_ERR_MEMORY.
SFT_API sft_result sft_creature_restore(const sft_creature* creature, const void* bytes, size_t byte_count,
                                        void* memory, size_t size, sft_creature_state** state);

#endif
