// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// What the files of `surefoot clean` share.
#ifndef SUREFOOT_CLI_CLEAN_H
#define SUREFOOT_CLI_CLEAN_H

#include "cli.h"

typedef struct clean
{
    cli_options options;
    sft_cleanup_def def;
    bool runtime;           // --method runtime: the lock instead of def
    sft_lock_clip_def lock; // of it
    const char* offline;    // an option that --method runtime does not know was given
    const char* live;       // an option that it alone knows was given
    const char* page;
    const char* picture;
    bool keep_keys;
} clean;

// All that cleaning one clip holds on to.
typedef struct clean_job
{
    loaded* file;
    tracks *before_tracks, *after_tracks;
    contacts contacts;
    figures before, after;
    sft_clip* solved;  // as the solver left it: a copy where reports want the clip before, else that of the file
    sft_clip* written; // as the file now says
    uint8_t* changed;  // bit 0 rotation, bit 1 translation
    sft_cleanup_report report; // of --method runtime: planted frames that were not held, as misses
    sft_lock_clip_report locked;
    sft_gltf_applied applied;
} clean_job;

extern const char* const clean_method_names[3]; // the last is runtime
extern const char* const clean_give_way_names[2 + 1];

// Runs the lock over j->solved and fills both reports. EXIT_MEMORY only by `out of memory`.
sft_result clean_lock(const clean* c, clean_job* j);
// Its part of the story: settings and counts; what was not held.
void clean_lock_print(FILE* out, const clean* c, const clean_job* j);
void clean_lock_print_gaps(FILE* out, const clean_job* j);
void clean_lock_json(json_out* json, const clean* c, const clean_job* j);
void clean_lock_json_gaps(json_out* json, const clean_job* j);

// The whole story of one clip.
void clean_print_summary(FILE* out, const clean* c, const clean_job* j);
// The same in a line, for one clip of many.
void clean_print_line(cli_text* out, const clean_job* j);
// `output`, `page`: what was written for this clip; page may be null.
void clean_json(json_out* json, const clean* c, const clean_job* j, const char* output, const char* page);

#endif
