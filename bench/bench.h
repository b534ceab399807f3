// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// The bench's frame: a scene measures something by bench_measure() and hands in entries by bench_report().
//
// To add a scene: write it in bench/bench_<topic>.c, declare it in the list below, and give it a row in the table of
// main.c that names every entry it reports.
#ifndef SUREFOOT_BENCH_H
#define SUREFOOT_BENCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// The run as a scene sees it. Opaque.
typedef struct bench_context bench_context;

/// Seconds one call took, over all measured runs.
typedef struct bench_timing
{
    double min, median, max;
    int runs;
} bench_timing;

/// Quality beside speed: a figure under its own name, such as the slide left in cm/s.
typedef struct bench_field
{
    const char* name;
    double value;
} bench_field;

#define BENCH_MAX_FIELDS 12

/// One line of the table. min, median and max are values in `unit`, so for a rate min is the slowest run.
typedef struct bench_entry
{
    const char* name;
    const char* unit;
    double min, median, max;
    int runs;
    const char* peer;   ///< what it is compared with in the same run; null: nothing
    double peer_median; ///< the peer's median, same unit
    double ratio;       ///< how many times better than the peer, medians; above 1: we are better
    bench_field fields[BENCH_MAX_FIELDS];
    int field_count;
} bench_entry;

/// Monotonic clock [s].
double bench_seconds(void);

/// Whether it is enough that every entry works (--quick), not how fast it is.
bool bench_is_quick(const bench_context* context);

/// Calls `run` on `data` once to warm up, then at least seven times on the clock; `prepare` (null is fine) comes before
/// each call and is not on the clock. Without `prepare`, short bodies are repeated within a run until it is long enough
/// for the clock, and the figures are still those of one call.
bench_timing bench_measure(const bench_context* context, void (*prepare)(void*), void (*run)(void*), void* data);

/// An entry for a time: seconds times `scale`, such as 1e9 / frames with unit "ns/frame".
bench_entry bench_time_entry(const char* name, const char* unit, bench_timing timing, double scale);
/// An entry for a rate: `amount` over seconds, such as bytes / 1e6 with unit "MB/s".
bench_entry bench_rate_entry(const char* name, const char* unit, bench_timing timing, double amount);
/// Adds a figure to an entry; beyond BENCH_MAX_FIELDS it is a programming error and ends the bench.
void bench_add_field(bench_entry* entry, const char* name, double value);
/// Puts a peer of the same unit beside an entry. `better_when_larger`: rates true, times false.
void bench_set_peer(bench_entry* entry, const bench_entry* peer, const char* peer_name, bool better_when_larger);

/// Hands in an entry; one the filter does not ask for (a peer that had to run too) is dropped.
void bench_report(bench_context* context, const bench_entry* entry);
/// Says on stderr that an entry could not be measured, and why.
void bench_skip(bench_context* context, const char* name, const char* reason);
/// Says that a scene failed: the bench goes on and ends with exit code 1.
void bench_fail(bench_context* context, const char* name, const char* reason);

/// What one core moves to and from memory [GB/s], bytes read and bytes written together: doubles doubled in place over
/// a block far beyond the caches, the best of some passes. Measured at the first call of a run; 0 where there is no
/// memory.
double bench_memory_bandwidth(bench_context* context);
/// The measurement behind it, made anew at each call.
double bench_best_bandwidth(void);
/// Adds `bytes_a_solve` and `bandwidth_fraction` to an entry. `bytes`: of the caller's arrays that one solve reads plus
/// those it writes, each once (joints, targets, results; not scratch, defs or what all solves share, which stay in the
/// caches). The fraction is bytes / ns over bench_memory_bandwidth(): near 1 the memory is the limit, near 0 the
/// arithmetic. `ns_a_solve` is the entry's median in nanoseconds.
void bench_add_memory(bench_context* context, bench_entry* entry, double bytes, double ns_a_solve);

/// Path of a program in the folder this bench runs from; false where there is none.
bool bench_beside_program(const bench_context* context, const char* name, char* out, size_t capacity);

/// Keeps the compiler from dropping work whose result nobody reads.
void bench_keep(const void* result);

// ---- scenes ----

typedef void (*bench_scene_function)(bench_context* context);

void bench_scene_memory(bench_context* context);
void bench_scene_math(bench_context* context);
void bench_scene_cleanup(bench_context* context);
void bench_scene_cleanup_growth(bench_context* context);
void bench_scene_clean_file(bench_context* context);
void bench_scene_glb_clean(bench_context* context);
void bench_scene_leg(bench_context* context);
void bench_scene_ik(bench_context* context);
void bench_scene_adapt(bench_context* context);
void bench_scene_retarget(bench_context* context);
void bench_scene_creature(bench_context* context);
void bench_scene_crowd(bench_context* context);
void bench_scene_ground(bench_context* context);
void bench_scene_io(bench_context* context);
void bench_scene_json(bench_context* context);

#endif
