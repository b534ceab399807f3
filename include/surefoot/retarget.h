// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

/// @file retarget.h
/// Moves motion from one rig to another: joints are paired by meaning, the change from the source's reference pose is
/// expressed in the target's basis, the root's travel is scaled, roll and spine are spread over what the target has,
/// and what proportions broke (planted feet, touching hands) is mended over the whole clip (docs/retarget.md).
#ifndef SUREFOOT_RETARGET_H
#define SUREFOOT_RETARGET_H

#include "surefoot/cleanup.h"
#include "surefoot/rig.h"

// ---- the map ----

/// How a target joint gets its rotation.
typedef enum sft_pair_rule
{
    SFT_PAIR_REST = 0,  ///< no counterpart: rides along in the target's base pose
    SFT_PAIR_JOINT = 1, ///< the change of one source joint
    SFT_PAIR_CHAIN = 2, ///< between two neighbours of a source chain: (1 - share) of source, share of source_next
    SFT_PAIR_TWIST = 3, ///< `share` of the roll between the two ends of its carrier's bone
    SFT_PAIR_ROOT = 4   ///< carries the travel
} sft_pair_rule;

/// One target joint's counterpart.
typedef struct sft_joint_pair
{
    int32_t target;
    int32_t source;      ///< -1: none
    int32_t source_next; ///< CHAIN; else -1
    sft_pair_rule rule;
    double
        share; ///< CHAIN, TWIST: 0 to 1; else 0. Shares of the twists of one bone, and of what follows them, sum to 1.
    float confidence; ///< 0 to 1
    char reason[96];  ///< for people
} sft_joint_pair;

/// The two rigs of a map.
typedef struct sft_rig_pair
{
    const sft_rig* source;
    const sft_rig* target;
} sft_rig_pair;

/// A map between two rigs. Opaque owner; read-only after creation, so many threads may share it.
typedef struct sft_retarget_map sft_retarget_map;

/// Read-only view, valid until the map is destroyed.
typedef struct sft_retarget_map_contents
{
    uint64_t source_identity, target_identity;
    int32_t source_joint_count, target_joint_count;
    const sft_joint_pair* pairs;  ///< one a target joint, in order
    double scale;                 ///< target leg length over source leg length (no legs: height over height)
    int32_t fallback_count;       ///< limbs of the target that the source lacks: held in the base pose
    const char* const* fallbacks; ///< sentences: "the source has no left arm: LeftArm to LeftHand keep the rest pose"
    int32_t unused_count;         ///< parts of the source that the target lacks
    const char* const* unused;
} sft_retarget_map_contents;

/// Pairs the joints of two rigs. Chains of unlike number (spine, neck, fingers, tail) are resampled by arc length;
/// twist joints get shares by their place along the bone. Fails, *out untouched, *error (may be null) says why:
/// SFT_ERR_ARG; SFT_ERR_UNSUPPORTED (the figures are not alike: another number of legs, no hips); SFT_ERR_MEMORY. Both
/// rigs are copied from as needed and not referred to afterwards. Deterministic.
SFT_API sft_result sft_retarget_map_create(const sft_rig_pair* rigs, const sft_allocator* allocator,
                                           sft_retarget_map** out, sft_error* error);

/// A map from given pairs (any order, at most one a target joint; joints left out are SFT_PAIR_REST). Fails as above,
/// and SFT_ERR_ARG with *error naming the pair that is out of range.
SFT_API sft_result sft_retarget_map_from_pairs(const sft_rig_pair* rigs, const sft_joint_pair* pairs,
                                               int32_t pair_count, const sft_allocator* allocator,
                                               sft_retarget_map** out, sft_error* error);
SFT_API void sft_retarget_map_destroy(sft_retarget_map* map);
SFT_API const sft_retarget_map_contents* sft_retarget_map_view(const sft_retarget_map* map);

/// The map as JSON text to read and edit: both identities, and a line a target joint with source names, rule, share,
/// confidence, reason. The caller releases *text of *size + 1 bytes (a zero follows) through the same allocator. Fails:
/// SFT_ERR_ARG, SFT_ERR_MEMORY.
SFT_API sft_result sft_retarget_map_format_json(const sft_retarget_map* map, const sft_rig_pair* rigs,
                                                const sft_allocator* allocator, char** text, size_t* size);

/// Reads such text back. Joints go by name (and by index where a name repeats). Refused, *out untouched: SFT_ERR_SYNTAX
/// (line), SFT_ERR_ARG (a joint that is not there, a target twice, a rule or share out of range: line and joint),
/// SFT_ERR_UNSUPPORTED where the identities differ: *error says which rig, and what differs (joint count, the first
/// joint whose name or parent is another). SFT_ERR_MEMORY. Any bytes are safe.
SFT_API sft_result sft_retarget_map_parse_json(const sft_rig_pair* rigs, const char* text, size_t size,
                                               const sft_allocator* allocator, sft_retarget_map** out,
                                               sft_error* error);

// ---- transfer ----

/// Where the travel goes on a target that has a root joint above its hips.
typedef enum sft_travel_owner
{
    SFT_TRAVEL_ROOT = 0, ///< the horizontal path of the source's travel on the root, height and sway on the hips
    SFT_TRAVEL_HIPS = 1  ///< all on the hips; the root stays
} sft_travel_owner;

/// What becomes of joints whose translation or length the source animates on purpose (shoulders that slide, bones that
/// stretch).
typedef enum sft_non_rigid
{
    SFT_NON_RIGID_NONE = 0, ///< default: the target's bones keep their length and place; directions follow the source's
                            ///< joints as they are in the world
    SFT_NON_RIGID_RATIO = 1 ///< a target bone is as much longer than at rest as its source bone is
} sft_non_rigid;

typedef struct sft_transfer_def
{
    double scale;     ///< of travel and height; 0 (default): the map's
    double sole_lift; ///< [m] how far the target's lowest sole joints stand over `scale` times the source's ground:
                      ///< the soles that a mesh has below them; default 0. (The ground's own height needs no
                      ///< saying: heights are scaled with the world, so a ground at g comes to scale times g.)
    sft_travel_owner travel;
    sft_non_rigid non_rigid;
    bool mirror; ///< swap left and right of the source's motion (about the plane x = 0 of its figure space); default
                 ///< false
    uint32_t cookie;
} sft_transfer_def;

SFT_API sft_transfer_def sft_default_transfer_def(void);

/// Bytes of scratch for one frame, aligned like a double. Pure.
SFT_API size_t sft_retarget_scratch_size(const sft_retarget_map* map);

/// One frame: local pose of the source in, local pose of the target out (arrays with the rigs' joint counts; they must
/// not overlap). With L, R the reference orientations of a pair in figure space, W the source's orientation now:
/// target orientation = (W inv(L)) R, which is R0 C D inv(C) with C = inv(R) L in joint terms. Limb bones take their
/// direction from the places of the source's joints, so joints between them and sliding joints count. Translations are
/// the target's base pose but for the travel, by which the place between the thighs' sockets goes where the source's
/// goes, scaled. The source in its reference pose gives the target in its own. Fails, out
/// untouched: SFT_ERR_ARG, SFT_ERR_DEF, SFT_ERR_RANGE. No allocation; pure; bit-exact. Source: article 002.
SFT_API sft_result sft_retarget_frame(const sft_transfer_def* def, const sft_retarget_map* map, const sft_v3d* source_t,
                                      const sft_quatd* source_r, void* scratch, sft_v3d* target_t, sft_quatd* target_r);

typedef struct sft_transfer_report
{
    double scale;           ///< used for travel and height
    double direction_error; ///< [rad] largest, upper arm, forearm, thigh, shin of all frames: target bone against
                            ///< source bone
    int32_t direction_frame, direction_joint; ///< where; joint of the target; -1 none
    double source_stretch; ///< largest bone length of the source over its rest length, minus 1: how non-rigid it is
} sft_transfer_report;

/// All frames of a clip (metres, Y up) into a new one of the target's joints and the same frame time; the caller owns
/// it. Where both rigs are the same skeleton and nothing is asked that would change it (scale, mirror), frames are
/// copied bit for bit. `report` may be null. Fails as sft_retarget_frame, and SFT_ERR_MEMORY.
SFT_API sft_result sft_retarget_clip(const sft_transfer_def* def, const sft_retarget_map* map, const sft_clip* source,
                                     const sft_allocator* allocator, sft_clip** out, sft_transfer_report* report);

// ---- the ground ----

/// How the source's feet stand, and what each file says of soles.
typedef struct sft_retarget_footing
{
    double floor;       ///< [m] ground of the source's clip in its model space
    double level;       ///< [m] lowest joints of its planted feet (sft_tracks_plant_level); `floor` where none is
    bool source_soles;  ///< the source's file has a mesh, which has soles below the joints
    bool target_stands; ///< the target stands on y = 0 in its file, as figures of glTF do
    double scale;       ///< of the transfer, > 0
} sft_retarget_footing;

typedef struct sft_retarget_grounds
{
    double sole_lift;    ///< [m] for sft_transfer_def
    double source_level; ///< [m] for sft_mend_def.source_ground
    double target_level; ///< [m] for sft_mend_def.ground: the ground and the target's soles over it
    double ground;       ///< [m] of the target in its model space
    double sole;         ///< [m] target_level over it
    const char* reason;  ///< why that ground, for people; lives as long as the program
} sft_retarget_grounds;

/// Where the target's ground is. A figure that stands on y = 0 in its file goes on standing there, on its own soles,
/// where the source's ground is about there too: what that is off is the thickness of soles that nobody sees. Joints
/// alone have no soles, so they keep the height that the source's have, scaled. Figures of one skeleton have the same
/// soles. Fails, *out untouched: SFT_ERR_ARG. Pure.
SFT_API sft_result sft_retarget_find_grounds(const sft_retarget_footing* footing, const sft_rig_pair* rigs,
                                             sft_retarget_grounds* out);

// ---- what proportions broke ----

/// What gives where a goal is beyond reach.
typedef enum sft_unreachable
{
    SFT_UNREACHABLE_PELVIS = 0,  ///< default: feet pull the pelvis, as in clean-up; hands lean the spine
    SFT_UNREACHABLE_RELEASE = 1, ///< the goal is let go
    SFT_UNREACHABLE_STRETCH = 2  ///< the limb gets longer, by a tenth at most
} sft_unreachable;

/// A joint of the target that keeps its place on something over a span of frames.
typedef struct sft_touch_goal
{
    int32_t joint;       ///< target joint: a hand, or what hangs below it
    int32_t other;       ///< target joint that it touches and rides along with; -1: a point of the world
    sft_v3d offset;      ///< [m] place of `joint` in the space of `other` (or the world), in the target
    int32_t first, last; ///< frames, both inclusive
    double blend;        ///< [s] before first and after last over which the goal fades in and out
    bool fixed;          ///< given by a user: the thing touched defines the place, which is met exactly; false: found
                         ///< in the source, whose relation counts frame by frame, scaled with the figure; where
                         ///< `other` is no hand, head, thigh or hips, or the source has no such, the offset counts
} sft_touch_goal;

/// Sets goal->offset to where `clip`, of the target, has the joint in frame goal->first. Fails, *goal untouched:
/// SFT_ERR_ARG. Pure.
SFT_API sft_result sft_retarget_place_goal(const sft_skeleton* skeleton, const sft_clip* clip, sft_touch_goal* goal);

typedef struct sft_mend_def
{
    bool feet;  ///< plant what was planted; default true
    bool hands; ///< keep hands that touch each other, the body, the head or the ground touching, and all of them out of
                ///< the ground; default false
    sft_unreachable unreachable;
    double contact_threshold; ///< default 0.75
    double ground;            ///< [m] height in the target's model space at which the lowest joint of a level foot
                              ///< stands: the ground, or above it by the soles of a mesh; default 0
    double source_ground;     ///< [m] as `ground`, of the source in its model space; where its soles are not known, the
                              ///< ground: soles that all its plants tell count too; default 0
    double scale;             ///< as in sft_transfer_def
    bool mirror;              ///< as in sft_transfer_def
    bool loop; ///< the clip is a cycle; default false: it is where its last pose and place are its first ones again
    sft_v3d ground_velocity;     ///< [m/s] of the source's ground (treadmills, in-place clips); default zero: also
                                 ///< looked for
    int32_t first_frame;         ///< frames before it are a reference pose; default 0
    const sft_touch_goal* goals; ///< beside those found; null (default)
    int32_t goal_count;
    uint32_t cookie;
} sft_mend_def;

SFT_API sft_mend_def sft_default_mend_def(void);

/// A goal that could not be met.
typedef struct sft_mend_miss
{
    int32_t frame;
    int32_t joint;          ///< of the target: toe or hand; heel, toe or toe end that stays in the ground
    double distance;        ///< [m] from its goal, or up to the ground
    double target_distance; ///< [m] goal from the limb's first joint
    double chain_length;    ///< [m]
    sft_unreachable gave;   ///< what was done about it
} sft_mend_miss;

typedef struct sft_mend_report
{
    int32_t plant_count, planted_frames;
    double residual_m;       ///< largest distance of a planted toe from its place
    sft_v3d ground_velocity; ///< [m/s] that planted feet keep to, in the target's model space
    double pelvis_shift_max; ///< [m]
    double
        limb_turn_mean[4]; ///< [rad] extra turn of left arm, right arm, left leg, right leg against the transfer, mean
    double limb_turn_max[4]; ///< ... largest
    int32_t goal_count;      ///< touches kept, found and given
    int32_t miss_count;
    sft_mend_miss* misses; ///< owned: sft_mend_report_release
} sft_mend_report;

SFT_API void sft_mend_report_release(sft_mend_report* report, const sft_allocator* allocator);

/// What a mend needs of both sides.
typedef struct sft_mend_input
{
    const sft_retarget_map* map;
    sft_rig_pair rigs;
    const sft_clip* source_clip;      ///< metres, Y up
    const sft_contact_labels* labels; ///< of the source: feet in the order of source->legs; null with def->feet false
} sft_mend_input;

/// Mends a transferred clip in place over its whole length, so that nothing flickers: feet that were planted are
/// planted on the target's ground at the height they had, scaled; then touches. Changed are rotations of legs, toes,
/// arms, spine and clavicles, of hips wider than the source's, against the legs, with all that hangs on them, and the
/// translation of the hips (of what carries all legs above them); with STRETCH those of the limbs too. joint_changed as
/// in sft_cleanup_clip, bits are added (may be null). `report` may be null. input->map may be null where def->scale is
/// given. Fails, clip untouched: SFT_ERR_ARG (counts that do not fit, a goal's joint that belongs to no hand),
/// SFT_ERR_DEF, SFT_ERR_RANGE, SFT_ERR_MEMORY. Deterministic; time linear in frames. Source: docs/retarget_mend.md.
SFT_API sft_result sft_retarget_mend(const sft_mend_def* def, const sft_mend_input* input,
                                     const sft_allocator* allocator, sft_clip* clip, uint8_t* joint_changed,
                                     sft_mend_report* report);

/// Finds the spans in which hands of the source touch each other, the head, a thigh or the trunk, as goals for the
/// target (fixed false; offset: that of the span's middle, for people to see). Writes at most `capacity`, the number
/// written to *count. Labels and map are not read. Fails, outputs untouched: SFT_ERR_ARG, SFT_ERR_MEMORY. Source:
/// docs/retarget_mend.md.
SFT_API sft_result sft_retarget_find_touches(const sft_mend_input* input, bool mirror, const sft_allocator* allocator,
                                             sft_touch_goal* goals, int32_t capacity, int32_t* count);

#endif
