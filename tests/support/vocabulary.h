// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// One made body under the joint names of any vocabulary, and what its joints mean.
#ifndef SUREFOOT_SUPPORT_VOCABULARY_H
#define SUREFOOT_SUPPORT_VOCABULARY_H

#include "support/support.h"

#include "surefoot/rig.h"

#define VOCABULARY_JOINTS 160

typedef struct vocabulary_body
{
    int32_t count;
    char text[VOCABULARY_JOINTS][64];
    const char* names[VOCABULARY_JOINTS];
    int32_t parents[VOCABULARY_JOINTS];
    int32_t places[VOCABULARY_JOINTS];
    double mirror[VOCABULARY_JOINTS];
    sft_v3d offsets[VOCABULARY_JOINTS];
    char want[VOCABULARY_JOINTS][64];
    sft_joint_meaning got[VOCABULARY_JOINTS];
} vocabulary_body;

/// A row is "name<parent@place=meaning", rows with spaces between; a name's own spaces are '~'. '%' in it makes two
/// joints, for the words of left and right; of a side that has two words, as in "Left L", '%1' and '%2' are these. Rows
/// of one side follow each other.
void vocabulary_build(vocabulary_body* b, const char* rows, const char* left, const char* right);
/// Fills `got` from the names in `text`.
void vocabulary_ask(vocabulary_body* b);
/// As `want` has it: part, index, digit, side.
void vocabulary_write(const sft_joint_meaning* m, char out[64]);
/// Number of joints that mean something else than the rows say; each is printed.
int vocabulary_check(const char* what, const char* rows, const char* left, const char* right);

#endif
