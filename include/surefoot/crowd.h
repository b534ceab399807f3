// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

/// @file crowd.h
/// Thousands of legs at once from flat arrays (structure of arrays, float), vectorised: two-bone solves, foot locks and
/// whole leg solves (docs/crowd.md). The widest vectors that the processor has are picked when a function is called;
/// whichever they are, the bits are the same, and one leg has the same bits as one of ten thousand.
///
/// Arrays need the alignment of float only, and may not overlap unless they are the same array. Nothing is allocated;
/// calls on different arrays may run at the same time.
#ifndef SUREFOOT_CROWD_H
#define SUREFOOT_CROWD_H

#include "surefoot/math.h"

/// Which code runs. Other than BEST is for tests and measurements; a path that the processor or the build does not have
/// is SFT_ERR_UNSUPPORTED.
typedef enum sft_crowd_path
{
    SFT_CROWD_BEST = 0,
    SFT_CROWD_SCALAR = 1,
    SFT_CROWD_SSE2 = 2,
    SFT_CROWD_AVX2 = 3,
    SFT_CROWD_AVX512 = 4,
    SFT_CROWD_WASM = 5,
    SFT_CROWD_NEON = 6
} sft_crowd_path;

SFT_API bool sft_crowd_has_path(sft_crowd_path path);
/// What BEST picks here.
SFT_API sft_crowd_path sft_crowd_best_path(void);

/// Vectors and quaternions as arrays of their parts.
typedef struct sft_v3_array
{
    float *x, *y, *z;
} sft_v3_array;

typedef struct sft_quat_array
{
    float *x, *y, *z, *w;
} sft_quat_array;

// The two-bone, lock and leg structures and functions follow here.

#endif
