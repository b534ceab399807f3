// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

/// @file base.h
/// Results, errors, allocation and versions: what every other header builds on.
///
/// Conventions of the whole library (docs/conventions.md): metres, seconds, radians, right-handed, Y up;
/// quaternions x, y, z, w, unit length; column vectors; a local transform maps joint space to parent space.
/// Same input and same options give the same bits on every supported compiler, level and target.
#ifndef SUREFOOT_BASE_H
#define SUREFOOT_BASE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SFT_VERSION_MAJOR 0
#define SFT_VERSION_MINOR 1
#define SFT_VERSION_PATCH 0

#if defined(SFT_SHARED) && (defined(_WIN32) || defined(__CYGWIN__))
#if defined(SFT_BUILDING)
#define SFT_API_LINKAGE __declspec(dllexport)
#else
#define SFT_API_LINKAGE __declspec(dllimport)
#endif
#elif defined(__GNUC__)
#define SFT_API_LINKAGE __attribute__((visibility("default")))
#else
#define SFT_API_LINKAGE
#endif

#ifdef __cplusplus
#define SFT_API extern "C" SFT_API_LINKAGE
#define SFT_INLINE static inline
/// Hides the difference between a C compound literal and a C++ braced initialiser.
#define SFT_LIT(T) T
#else
#define SFT_API extern SFT_API_LINKAGE
#define SFT_INLINE static inline
#define SFT_LIT(T) (T)
#endif

/// What a call came to. SFT_OK is zero; everything else leaves the outputs untouched.
/// "Not reached" and "not converged" are report data of the solvers, never a result.
typedef enum sft_result
{
    SFT_OK = 0,
    SFT_ERR_ARG = 1,         ///< a pointer is null or a count is out of its range
    SFT_ERR_DEF = 2,         ///< a def did not come from its sft_default_*_def(), or a field is out of its range
    SFT_ERR_RANGE = 3,       ///< an input value is NaN, infinite or absurdly large
    SFT_ERR_MEMORY = 4,      ///< the allocator returned null
    SFT_ERR_SYNTAX = 5,      ///< the bytes are not what the format says
    SFT_ERR_UNSUPPORTED = 6, ///< well formed, but something this version does not do
    SFT_ERR_LIMIT = 7,       ///< a size in the input is beyond a stated limit
    SFT_ERR_IO = 8           ///< the operating system refused to open, read, write or rename
} sft_result;

/// Short English name of a result, for logs; never null. Pure.
SFT_API const char* sft_result_string(sft_result result);

/// Where and why a reader gave up. Filled by readers on failure, untouched on success.
typedef struct sft_error
{
    sft_result code;
    uint64_t byte;     ///< offset from the start of the input, 0 where it makes no sense
    uint32_t line;     ///< from 1; 0 where it makes no sense
    char joint[64];    ///< joint or node the trouble belongs to, cut to fit; empty where none
    char message[256]; ///< one sentence: what is wrong and what to do about it
} sft_error;

/// Something odd that was read all the same.
typedef struct sft_warning
{
    uint32_t line; ///< from 1; 0 for the whole file
    char message[256];
} sft_warning;

/// Memory comes from the caller. `allocate` returns null on failure; `release` takes what `allocate` gave, with the
/// same size, and is never called with null. Blocks must be aligned for any standard type. Called only from the thread
/// that called the library. A null `sft_allocator*` anywhere means malloc and free.
typedef struct sft_allocator
{
    void* (*allocate)(void* user, size_t size);
    void (*release)(void* user, void* block, size_t size);
    void* user;
} sft_allocator;

/// Version of the library that was linked, as major * 10000 + minor * 100 + patch; compare with the header's. Pure.
SFT_API uint32_t sft_version(void);

#endif
