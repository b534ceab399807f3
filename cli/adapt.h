// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// What the files of `surefoot adapt` share.
#ifndef SUREFOOT_CLI_ADAPT_H
#define SUREFOOT_CLI_ADAPT_H

#include "ground.h"

typedef enum adapt_method
{
    ADAPT_CLIP,   // whole clip, sees what comes
    ADAPT_RUNTIME // frame by frame, as an engine would
} adapt_method;

typedef struct adapt
{
    cli_options options;
    ground_spec spec;
    sft_adapt_clip_def def;
    adapt_method method;
    bool floor_given;
    bool no_clean;
    bool keep_keys;
    char* ground_out; // null: none
    const char* page; // of the report; null: none
    double ground_unit;
    int ground_up;
} adapt;

// How feet stand on a ground, and how the clip got there. Of frames that the misses list, support and tilt do not
// count.
typedef struct adapt_foot
{
    int32_t support_frames; // planted, not listed, with ground below
    int32_t lost_frames;    // planted, not listed, and no ground below any point of the sole
    int32_t lost_frame;     // the first of them; frames -1: none, and the figure beside is NaN
    int32_t off_frames;     // of those with ground: off it by more than is allowed
    int32_t deep_frames;    // any, with some point of the sole too deep
    double support_cm; // furthest that the lowest of heel, toe and toe end is off the ground, beyond what the source
    int32_t support_frame; // was off its floor
    double depth_cm;       // deepest that one of them is in the ground, beyond what it was in the floor
    int32_t depth_frame;
    double pitch_off, roll_off; // [degrees] of the sole to the ground against what they were to the floor
    int32_t pitch_frame, roll_frame;
    double knee_source, knee; // straightest, as hip-heel distance over thigh and shin
    int32_t knee_frame;
} adapt_foot;

// What the figures say is wrong though no miss names it.
typedef enum adapt_wrong_kind
{
    ADAPT_WRONG_OFF,
    ADAPT_WRONG_THROUGH,
    ADAPT_WRONG_LOST,
    ADAPT_WRONG_SLIDES,
    ADAPT_WRONG_THROWN // a joint that turns over from one frame to the next
} adapt_wrong_kind;

typedef struct adapt_wrong
{
    adapt_wrong_kind kind;
    int32_t foot;
    int32_t joint;  // thrown; else -1
    int32_t frame;  // of the worst, or the first that is lost
    int32_t frames; // that are wrong; -1: not counted
    double amount;  // in adapt_wrong_units
    double source;  // thrown: the most that the joint turns around there in the source
} adapt_wrong;

#define ADAPT_MOST_WRONG (8 * SFT_MAX_LEGS) // four figures and four joints a leg

typedef struct adapt_figures
{
    adapt_foot feet[SFT_MAX_LEGS];
    adapt_wrong wrong[ADAPT_MOST_WRONG];
    int32_t wrong_count;
    double jerk_ratio; // rms of the third difference of the pelvis over the source's; NaN where the source has none
} adapt_figures;

// All that adapting one clip holds on to.
typedef struct adapt_job
{
    loaded* file;
    made_ground ground;
    ground_place place;
    double floor;
    const char* floor_reason;
    tracks *before_tracks, *stood_tracks, *after_tracks;
    contacts contacts;
    figures before, after; // of the file as it came and as it now is
    bool cleaned;
    sft_cleanup_report clean_report;
    sft_clip* stood; // the clip as it stood on its floor: the file's, or that cleaned
    sft_clip* solved;
    sft_clip* written; // as the file now says
    uint8_t* changed;
    sft_adapt_clip_report report;
    sft_adapt_report worst; // runtime: largest of all frames
    sft_gltf_applied applied;
    adapt_figures figures;
} adapt_job;

extern const char* const adapt_method_names[2];
extern const char* const adapt_fault_names[4];
extern const char* const adapt_wrong_names[5];
extern const char* const adapt_wrong_units[5];
extern const double adapt_wrong_most[5]; // that is allowed

// Run time over the whole clip, into j->solved; fills `changed` (a byte a joint) and what j->report has of it.
int adapt_frames(const adapt* a, adapt_job* j, uint8_t* changed);
int adapt_measure(const adapt* a, adapt_job* j);
// Y of the floor that the clip was made on, with the reason.
double adapt_find_floor(const adapt* a, const loaded* file, const tracks* t, const contacts* c, const char** reason);

// What is wrong by the figures, once all are there.
void adapt_find_wrong(adapt_job* j);
// Something is planted, nothing is missed and nothing is wrong.
bool adapt_stands(const adapt_job* j);
const char* adapt_wrong_remedy(const adapt* a, const adapt_job* j, const adapt_wrong* wrong);
const char* adapt_no_ground_remedy(const adapt_job* j);
// One of them as a sentence with its remedy.
void adapt_wrong_text(cli_text* out, const adapt* a, const adapt_job* j, const adapt_wrong* wrong);
void adapt_print_wrong(FILE* out, const adapt* a, const adapt_job* j);
void adapt_json_wrong(json_out* json, const adapt* a, const adapt_job* j);

void adapt_print_summary(FILE* out, const adapt* a, const adapt_job* j);
void adapt_print_line(cli_text* out, const adapt_job* j);
void adapt_json(json_out* json, const adapt* a, const adapt_job* j);
const char* adapt_fault_name(const sft_adapt_miss* miss);
const char* adapt_remedy(const adapt_job* j, const sft_adapt_miss* miss); // "" where there is none
// Writes the page of --report, if one is wanted. Exit code.
int adapt_report(const adapt* a, const adapt_job* j);

#endif
