// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// What the paths of a crowd share: the job that they run, and which paths this build has. Each path is one file that
// says what a vector is and then takes in kernel.inc, so that all run the same steps (docs/crowd.md).
#ifndef SUREFOOT_CROWD_INTERNAL_H
#define SUREFOOT_CROWD_INTERNAL_H

#include "surefoot/crowd.h"

/// Widest vector of any path, and feet to a block of states.
#define SFT_CROWD_WIDEST SFT_CROWD_LANES

/// Float arrays that a job reads, vectors and quaternions by their first part.
enum
{
    SFT_CROWD_IN_HIP = 0,
    SFT_CROWD_IN_KNEE = 3,
    SFT_CROWD_IN_HEEL = 6,
    SFT_CROWD_IN_TOE = 9,
    SFT_CROWD_IN_TOE_END = 12,
    SFT_CROWD_IN_HIP_R = 15,
    SFT_CROWD_IN_KNEE_R = 19,
    SFT_CROWD_IN_HEEL_R = 23,
    SFT_CROWD_IN_TOE_R = 27,
    SFT_CROWD_IN_SIDE = 31, ///< knee-joint space; in two-bone jobs model space
    SFT_CROWD_IN_TARGET = 34,
    SFT_CROWD_IN_HEEL_MIN = 37,
    SFT_CROWD_IN_TOE_MIN = 38,
    SFT_CROWD_IN_TOE_END_MIN = 39,
    SFT_CROWD_IN_MAX_REACH = 40,
    SFT_CROWD_IN_SOFTENING = 41,
    SFT_CROWD_IN_FOOT = 42, ///< the toe as the lock sees it
    SFT_CROWD_IN_CONTACT = 45,
    SFT_CROWD_IN_VELOCITY = 46,
    SFT_CROWD_IN_PLANT = 49,
    SFT_CROWD_IN_CONTACT_HEIGHT = 52,
    SFT_CROWD_IN_BODY_VELOCITY = 53,
    SFT_CROWD_IN_RELEASE = 56,
    SFT_CROWD_IN_TELEPORT = 57,
    SFT_CROWD_IN_COUNT = 58
};

/// Float arrays that a job writes.
enum
{
    SFT_CROWD_OUT_KNEE = 0,
    SFT_CROWD_OUT_HEEL = 3,
    SFT_CROWD_OUT_TOE = 6,
    SFT_CROWD_OUT_TOE_END = 9,
    SFT_CROWD_OUT_HIP_R = 12, ///< in two-bone jobs the turn
    SFT_CROWD_OUT_KNEE_R = 16,
    SFT_CROWD_OUT_HEEL_R = 20,
    SFT_CROWD_OUT_TOE_R = 24,
    SFT_CROWD_OUT_HEEL_MISS = 28,
    SFT_CROWD_OUT_TOE_MISS = 29,
    SFT_CROWD_OUT_COUNT = 30
};

typedef enum sft_crowd_work
{
    SFT_CROWD_TWO_BONE,
    SFT_CROWD_LEG,
    SFT_CROWD_LOCK,
    SFT_CROWD_LOCK_AND_LEG
} sft_crowd_work;

/// Arrays that are not there are null.
typedef struct sft_crowd_job
{
    sft_crowd_work work;
    const float* in[SFT_CROWD_IN_COUNT];
    float* out[SFT_CROWD_OUT_COUNT];
    uint32_t* flags;
    sft_crowd_lock_block* states;
    // Of the leg.
    sft_extension extension;
    bool height_clamp, heel_aim, toe_aim, keep_foot;
    float max_extension, softening, ground_height;
    bool heel_lift;
    float lift_sine, lift_cosine; ///< of the most that it may lift
    // Of the lock.
    float lock_distance, unlock_distance, blend_time, teleport_speed, contact_threshold, dt;
} sft_crowd_job;

// ---- paths ----

// What the compiler can make. AVX asks for functions that are compiled for another processor than the rest, and for
// stacks aligned to 32 bytes, which gcc does not manage on Windows (gcc bug 54412).
#if defined(__GNUC__) && (defined(__x86_64__) || defined(__i386__)) && defined(__SSE2__)
#define SFT_CROWD_HAS_SSE2 1
#else
#define SFT_CROWD_HAS_SSE2 0
#endif
#if SFT_CROWD_HAS_SSE2 && defined(__x86_64__) && (!defined(_WIN32) || defined(__clang__))
#define SFT_CROWD_HAS_AVX 1
#else
#define SFT_CROWD_HAS_AVX 0
#endif
#if defined(__wasm_simd128__)
#define SFT_CROWD_HAS_WASM 1
#else
#define SFT_CROWD_HAS_WASM 0
#endif
#if defined(__GNUC__) && defined(__aarch64__) && defined(__ARM_NEON) && !defined(__AARCH64EB__)
#define SFT_CROWD_HAS_NEON 1
#else
#define SFT_CROWD_HAS_NEON 0
#endif

/// Runs a job on legs 0 to count; false where one of them is bad. Only what sft_crowd_has_path says may be called.
bool sft_crowd_run_scalar(const sft_crowd_job* job, int32_t count);
bool sft_crowd_run_vec4(const sft_crowd_job* job, int32_t count); ///< SSE2, WASM or NEON
bool sft_crowd_run_avx2(const sft_crowd_job* job, int32_t count);
bool sft_crowd_run_avx512(const sft_crowd_job* job, int32_t count);

#endif
