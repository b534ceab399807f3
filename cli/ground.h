// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// The grounds that `--ground SPEC` names: parsed before any file is read, laid where a clip walks, and written as OBJ.
#ifndef SUREFOOT_CLI_GROUND_H
#define SUREFOOT_CLI_GROUND_H

#include "cli.h"

typedef enum ground_kind
{
    GROUND_FILE,
    GROUND_PLANE,
    GROUND_SLOPE,
    GROUND_STAIRS,
    GROUND_GAP,
    GROUND_ROUGH,
    GROUND_PROFILE
} ground_kind;

typedef enum ground_key
{
    KEY_X, // world [m], Y up
    KEY_Y,
    KEY_Z,
    KEY_HEADING, // [degrees]
    KEY_HEIGHT,
    KEY_PITCH,
    KEY_ROLL,
    KEY_ANGLE,
    KEY_START,
    KEY_LENGTH,
    KEY_RISE,
    KEY_RUN,
    KEY_COUNT,
    KEY_DOWN,
    KEY_WIDTH,
    KEY_DEPTH,
    KEY_CELL,
    KEY_SEED,
    KEY_UNIT, // [m]
    KEY_UP,   // sft_axis
    KEY_SCALE,
    KEYS
} ground_key;

// What a SPEC says; what it does not say is chosen for each clip.
typedef struct ground_spec
{
    ground_kind kind;
    char* path; // FILE and PROFILE; owned
    double values[KEYS];
    bool given[KEYS];
} ground_spec;

// EXIT_DONE, or EXIT_USAGE with the remedy. Release with ground_release_spec.
int ground_parse(const char* command, const char* text, ground_spec* out);
void ground_release_spec(ground_spec* spec);
extern const char cli_help_ground[];

// Where a clip walks: what grounds are laid by.
typedef struct ground_place
{
    sft_tracks_way way;
    double floor;      // [m] height of what the clip was made on
    sft_v3d low, high; // box around all foot points
} ground_place;

// `floor`: Y of the source's floor [m].
ground_place ground_find_place(const loaded* file, const tracks* t, double floor);

// A ground and what it lies in.
typedef struct made_ground
{
    sft_ground ground;
    ground_kind kind;
    sft_ground_plane plane;
    sft_ground_profile profile;
    sft_ground_heights heights;
    sft_ground_mesh* mesh; // of a file: made once, for all clips
    sft_io_mesh* triangles;
    float* moved; // the file's vertices where it was placed
    double* block;
    char text[400]; // the SPEC with all that was chosen, to be given back
} made_ground;

// Lays the ground for a clip; a file is read the first time. Start from {0}.
int ground_make(const ground_spec* spec, const ground_place* place, made_ground* out);
// What belongs to the clip; the file's mesh stays.
void ground_drop(made_ground* ground);
void ground_release(made_ground* ground);
// "PATH.obj[,unit=U][,up=AXIS]"
int ground_parse_output(const char* command, const char* text, char** path, double* unit, int* up);
// Writes what lies within the place's box and a metre around it, all of a file, in `space`.
int ground_write(const made_ground* ground, const ground_place* place, const sft_space* space, const char* path);

#endif
