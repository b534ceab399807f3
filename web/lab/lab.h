// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// What the page's laboratory calls (web/src/lab.js is its other end): a creature that is led step by step, and a figure
// whose hand or foot follows a target. One of each an instance. Words and bytes go through the room; numbers come back
// as blocks of doubles, which stay where they are until the next make.
#ifndef SUREFOOT_WEB_LAB_H
#define SUREFOOT_WEB_LAB_H

#include "surefoot/math.h"

#include <stddef.h>

#if defined(__wasm__)
#define LAB_EXPORT(name) __attribute__((export_name(#name))) name
#else
#define LAB_EXPORT(name) name
#endif

// ---- the room (lab_room.c) ----

// At least so many bytes, zeroed; what was there is gone. Null where there is no memory.
char* lab_room(size_t size);
// Bytes in it, as the last call left them: of text, or of what was saved.
size_t lab_room_size(void);
const char* lab_room_bytes(void);
// Takes over `bytes` (by malloc) as the room.
void lab_room_take(char* bytes, size_t size);
// Splits its text at the ends of words, each with a zero behind it; answers how many of `most` there are, the first
// being the program's name.
int lab_room_words(char** words, int most);

// ---- blocks of numbers ----

static inline double* lab_put_v3(double* at, sft_v3d v)
{
    at[0] = v.x;
    at[1] = v.y;
    at[2] = v.z;
    return at + 3;
}

static inline double* lab_put_xform(double* at, sft_xformd x)
{
    at = lab_put_v3(at, x.t);
    at[0] = x.r.x;
    at[1] = x.r.y;
    at[2] = x.r.z;
    at[3] = x.r.w;
    return at + 4;
}

// ---- figures of the IK page (lab_figure.c) ----

#define LAB_JOINTS 32

typedef enum lab_end
{
    LAB_HAND, // of the person, left
    LAB_FOOT,
    LAB_TIP, // of an arm of ten bones
    LAB_ENDS
} lab_end;

struct sft_skeleton;
struct sft_limit;

// What moves when an end is dragged.
typedef struct lab_figure
{
    int count, pelvis; // pelvis: the joint that may travel; -1: none
    const char* names[LAB_JOINTS];
    int parents[LAB_JOINTS];
    sft_v3d places[LAB_JOINTS];
    int chain[LAB_JOINTS], chain_count; // of CCD and FABRIK, root first
    int limb[3];                        // root, middle and end of two bones
    sft_v3d pole;                       // from the root, to the side the middle leans to
    int held[2], held_count;            // joints that stay where they are, when the whole body moves
} lab_figure;

void lab_figure_make(lab_end end, lab_figure* out);

#endif
