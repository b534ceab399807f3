// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// What the files of `surefoot retarget` share.
#ifndef SUREFOOT_CLI_RETARGET_H
#define SUREFOOT_CLI_RETARGET_H

#include "cli.h"

// One --goal as it was written; joints are looked up once the target is read.
typedef struct goal_spec
{
    const char* text;
    size_t name_size; // JOINT or JOINT:OTHER, before the '@'
    int32_t first, last;
    bool placed; // =X,Y,Z was given
    double place[3];
} goal_spec;

typedef struct retarget
{
    cli_options options;        // of the source
    cli_options target_options; // unit, up axis, legs and pose clip of the target
    const char* target_path;
    const char* map_in;
    const char* map_out;
    const char* page;
    const char* picture;
    const char* replace; // clip of the target to be replaced
    int32_t source_pose, target_pose;
    sft_transfer_def transfer;
    sft_mend_def mend;
    bool no_clean, keep_hands;
    goal_spec* goals;
    int32_t goal_count;
} retarget;

// Upper and lower bone of both arms, and of every leg.
#define RETARGET_MAX_LIMBS (2 * (2 + SFT_MAX_LEGS))

// [degrees] of the mean: limbs that are off by more do not point where the source's do.
#define RETARGET_ASTRAY 2.0

// A bone that both figures have, and how far its direction is off, frame by frame.
typedef struct limb_error
{
    char name[32]; // "left upper arm"
    int32_t source[2], target[2];
    double mean, p99, max; // [degrees] of the transfer alone
    double after_mean, after_p99;
    int32_t frame;  // of the largest
    double* moved;  // [frame_count] degrees, transfer alone
    double* solved; // with what was mended
} limb_error;

// All that moving one clip holds on to.
typedef struct retarget_job
{
    loaded* source;
    loaded* target;
    loaded shown;  // the target with the frames of the moved clip: for tracks, figures and names. Owns nothing.
    bool onto_bvh; // as it was read
    sft_rig *source_rig, *target_rig;
    sft_retarget_map* map;
    const sft_retarget_map_contents* pairs;
    tracks *source_tracks, *before_tracks, *after_tracks;
    contacts contacts; // of the source
    contacts carried;  // on the target's legs
    figures source_figures, before, after;
    double source_ground, target_ground; // [m] in the model space of each
    double source_level, target_sole;    // [m] the lowest joints of planted feet, and of the target's over its ground
    double level_foot; // [m] of the source's level feet the lowest joint: its ground, or above it by a mesh's soles
    double sole_lift;  // [m] of the transfer
    const char* ground_reason;
    const char* target_ground_reason;
    double before_depth, after_depth; // [cm] deepest point of a foot below the ground
    sft_clip* moved;                  // by the transfer alone
    sft_clip* solved;                 // mended; null where nothing was to be mended
    sft_clip* written;                // as the output says it
    bool warned;                      // of the map, once for all clips
    bool folded;                      // hips without position channels: their path lies on the joint above
    sft_transfer_report transfer;
    sft_mend_report mended;
    sft_touch_goal* goals;
    limb_error limbs[RETARGET_MAX_LIMBS];
    int32_t limb_count;
    int32_t put_index;  // of the clip in the output document
    char put_name[160]; // what it is called there
} retarget_job;

extern const char* const retarget_unreachable_names[3];
extern const char* const retarget_root_names[2];
extern const char* const retarget_non_rigid_names[2];
extern const char* const retarget_stance_names[4];

// --goal JOINT[:OTHER]@FIRST-LAST[=X,Y,Z] (retarget_goal.c).
int retarget_take_goal(retarget* r, const char* text);
// Goals as the library takes them, into j->goals: joints by name, places where the clip has them where none was given.
int retarget_make_goals(const retarget* r, retarget_job* j, const sft_clip* clip);
bool retarget_goals_want_places(const retarget* r);

// Figures and map of source and target, in that order (retarget_run.c).
int retarget_make_rigs(const retarget* r, retarget_job* j);
int retarget_make_map(const retarget* r, retarget_job* j);
// Moves and mends the clip that the source holds.
int retarget_move(const retarget* r, retarget_job* j);
// What does not outlive a clip; rig of the target and document stay.
void retarget_release(retarget_job* j);
// The joint of the target that carries the level travel: as asked, and as the map says; -1 without hips.
int32_t retarget_travel_joint(const retarget* r, const retarget_job* j);
// A direction of the source's model space in the target's, mirrored where asked, not scaled.
sft_v3d retarget_direction(const retarget* r, const retarget_job* j, sft_v3d v);

// Labels and limb directions (retarget_measure.c).
// The first joint of a part of the body; -1 none.
int32_t retarget_find_part(const sft_rig* rig, sft_part part, sft_leg_side side);
int retarget_look_at_source(const retarget* r, retarget_job* j);
// Where the target's ground is, and how far its lowest joints are over it.
void retarget_find_ground(const retarget* r, retarget_job* j);
int retarget_carry_contacts(const retarget* r, retarget_job* j);
int retarget_measure(const retarget* r, retarget_job* j);

// Outputs (retarget_write.c).
typedef struct retarget_outputs
{
    loaded* target;
    sft_io_format format;
    sft_space space; // of the document that clips are put into
    int32_t count;   // clips put in so far
    char** paths;    // BVH onto BVH, a file a clip: what goes where, once all is done
    void** bytes;
    size_t* sizes;
} retarget_outputs;
// Gets the target's document ready for new clips.
int retarget_open_outputs(const retarget* r, const loaded* source, loaded* target, retarget_outputs* out);
// Puts the moved clip in, and reads back what the document now says.
int retarget_put(const retarget* r, retarget_job* j, retarget_outputs* out);
int retarget_write(const retarget* r, retarget_outputs* out, json_out* json);
void retarget_close_outputs(retarget_outputs* out);
int retarget_write_map(const retarget* r, const retarget_job* j);

// Words (retarget_say.c).
void retarget_print_summary(FILE* out, const retarget* r, const retarget_job* j);
// Why no feet were planted; null where they were to be.
const char* retarget_why_unplanted(const retarget* r, const retarget_job* j);
// "rest pose", "mean pose" or "pose of frame 3,".
const char* retarget_pose_name(const sft_rig* rig, char out[32]);
void retarget_print_map(FILE* out, const retarget* r, const retarget_job* j);
void retarget_print_line(cli_text* out, const retarget_job* j);
void retarget_json(json_out* json, const retarget* r, const retarget_job* j, const char* page);
void retarget_json_map(json_out* json, const retarget_job* j);

// Pictures (retarget_page.c).
void retarget_page(const retarget* r, const retarget_job* j, cli_text* out);
void retarget_picture(const retarget* r, const retarget_job* j, cli_text* out);

#endif
