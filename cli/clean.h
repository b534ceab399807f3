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
    const char* page;
    const char* picture;
    bool keep_keys;
} clean;

// All that cleaning one clip holds on to.
typedef struct clean_job
{
    loaded* file;
    tracks before_tracks, after_tracks;
    contacts contacts;
    figures before, after;
    sft_clip* solved;  // as the solver left it: a copy where reports want the clip before, else that of the file
    sft_clip* written; // as the file now says
    uint8_t* changed;  // bit 0 rotation, bit 1 translation
    sft_cleanup_report report;
    sft_gltf_applied applied;
} clean_job;

extern const char* const clean_method_names[2];
extern const char* const clean_give_way_names[2 + 1];

// The whole story of one clip.
void clean_print_summary(FILE* out, const clean* c, const clean_job* j);
// The same in a line, for one clip of many.
void clean_print_line(cli_text* out, const clean_job* j);
// `output`, `page`: what was written for this clip; page may be null.
void clean_json(json_out* json, const clean* c, const clean_job* j, const char* output, const char* page);

#endif
