// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// surefoot-bench: runs the scenes and prints a table, or with --json a list.
#define _POSIX_C_SOURCE 200809L

#include "bench.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define MIN_RUNS 7
/// With --quick, which only shows that every entry works.
#define QUICK_RUNS 2
#define MAX_RUNS 101
/// A body shorter than this is repeated within a run: the clock and its call cost some 50 ns.
#define MIN_RUN_SECONDS 2e-3
/// Runs beyond the seventh are made until so much time is spent, so that short scenes have a steady median.
#define SPEND_SECONDS 0.3

struct bench_context
{
    const char* program; ///< as it was called
    const char* filter;
    bool json;
    bool quick;
    int reported;
    int failed;
    double bandwidth; ///< [GB/s]; 0: not measured yet
};

/// `names`: every entry the scene may report, separated by spaces.
typedef struct bench_scene
{
    const char* names;
    bench_scene_function run;
} bench_scene;

static const bench_scene scenes[] = {
    {"memory_bandwidth", bench_scene_memory},
    {"sincos forward", bench_scene_math},
    {"leg_solve", bench_scene_leg},
    {"fabrik10 ccd10 full_body", bench_scene_ik},
    {"adapt_update", bench_scene_adapt},
    {"retarget_frame retarget_map", bench_scene_retarget},
    {"creature_step creature_step_many", bench_scene_creature},
    {"two_bone_batch two_bone_scalar leg_lock_update", bench_scene_crowd},
    {"mesh_ray mesh_ray_single mesh_sphere mesh_build", bench_scene_ground},
    {"bvh_read bvh_write bvh_read_17_digits bvh_write_17_digits", bench_scene_io},
    {"gltf_json gltf_json_walk", bench_scene_json},
    {"cleanup_direct cleanup_relax", bench_scene_cleanup},
    {"cleanup_tenfold cleanup_100k", bench_scene_cleanup_growth},
    {"clean_file", bench_scene_clean_file},
    {"glb_clean", bench_scene_glb_clean},
};

#define SCENE_COUNT (sizeof scenes / sizeof scenes[0])

double bench_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

void bench_keep(const void* result)
{
    __asm__ volatile("" : : "r"(result) : "memory");
}

bool bench_beside_program(const bench_context* context, const char* name, char* out, size_t capacity)
{
    const char* slash = strrchr(context->program, '/');
    const int folder = slash != NULL ? (int)(slash - context->program) : 1;
    const int length = snprintf(out, capacity, "%.*s/%s", folder, slash != NULL ? context->program : ".", name);
    return length > 0 && (size_t)length < capacity && access(out, X_OK) == 0;
}

static int compare_doubles(const void* a, const void* b)
{
    const double x = *(const double*)a, y = *(const double*)b;
    return (x > y) - (x < y);
}

static double time_calls(void (*prepare)(void*), void (*run)(void*), void* data, long calls)
{
    if (prepare != NULL) prepare(data);
    const double start = bench_seconds();
    for (long i = 0; i < calls; ++i)
        run(data);
    return bench_seconds() - start;
}

bool bench_is_quick(const bench_context* context)
{
    return context->quick;
}

bench_timing bench_measure(const bench_context* context, void (*prepare)(void*), void (*run)(void*), void* data)
{
    const int least = context->quick ? QUICK_RUNS : MIN_RUNS;
    const double spend = context->quick ? 0.0 : SPEND_SECONDS;
    long calls = 1;
    double once = time_calls(prepare, run, data, 1);
    if (prepare == NULL)
        while (once < MIN_RUN_SECONDS && calls < (1L << 30))
        {
            calls *= 2;
            once = time_calls(prepare, run, data, calls);
        }
    double samples[MAX_RUNS];
    double spent = 0.0;
    int count = 0;
    while (count < least || (spent < spend && count < MAX_RUNS))
    {
        const double seconds = time_calls(prepare, run, data, calls);
        spent += seconds;
        samples[count++] = seconds / (double)calls;
    }
    qsort(samples, (size_t)count, sizeof samples[0], compare_doubles);
    const double median = count % 2 == 1 ? samples[count / 2] : 0.5 * (samples[count / 2 - 1] + samples[count / 2]);
    return (bench_timing){samples[0], median, samples[count - 1], count};
}

bench_entry bench_time_entry(const char* name, const char* unit, bench_timing timing, double scale)
{
    return (bench_entry){.name = name,
                         .unit = unit,
                         .min = scale * timing.min,
                         .median = scale * timing.median,
                         .max = scale * timing.max,
                         .runs = timing.runs};
}

bench_entry bench_rate_entry(const char* name, const char* unit, bench_timing timing, double amount)
{
    return (bench_entry){.name = name,
                         .unit = unit,
                         .min = amount / timing.max,
                         .median = amount / timing.median,
                         .max = amount / timing.min,
                         .runs = timing.runs};
}

void bench_add_field(bench_entry* entry, const char* name, double value)
{
    if (entry->field_count == BENCH_MAX_FIELDS)
    {
        fprintf(stderr, "surefoot-bench: entry %s has more than %d fields\n", entry->name, BENCH_MAX_FIELDS);
        abort();
    }
    entry->fields[entry->field_count++] = (bench_field){name, value};
}

void bench_set_peer(bench_entry* entry, const bench_entry* peer, const char* peer_name, bool better_when_larger)
{
    entry->peer = peer_name;
    entry->peer_median = peer->median;
    entry->ratio = better_when_larger ? entry->median / peer->median : peer->median / entry->median;
}

double bench_memory_bandwidth(bench_context* context)
{
    if (context->bandwidth == 0.0) context->bandwidth = bench_best_bandwidth();
    return context->bandwidth;
}

void bench_add_memory(bench_context* context, bench_entry* entry, double bytes, double ns_a_solve)
{
    bench_add_field(entry, "bytes_a_solve", bytes);
    bench_add_field(entry, "bandwidth_fraction", bytes / ns_a_solve / bench_memory_bandwidth(context));
}

static bool matches(const bench_context* context, const char* text)
{
    return context->filter == NULL || strstr(text, context->filter) != NULL;
}

/// JSON knows no NaN and no infinity.
static void print_number(const char* name, double value)
{
    if (isfinite(value))
        printf(", \"%s\": %.6g", name, value);
    else
        printf(", \"%s\": null", name);
}

static void print_json(const bench_context* context, const bench_entry* entry)
{
    printf("%s\n  {\"name\": \"%s\", \"unit\": \"%s\"", context->reported > 0 ? "," : "", entry->name, entry->unit);
    print_number("min", entry->min);
    print_number("median", entry->median);
    print_number("max", entry->max);
    printf(", \"runs\": %d", entry->runs);
    if (entry->peer != NULL)
    {
        printf(", \"peer\": \"%s\"", entry->peer);
        print_number("peer_median", entry->peer_median);
        print_number("ratio", entry->ratio);
    }
    for (int i = 0; i < entry->field_count; ++i)
        print_number(entry->fields[i].name, entry->fields[i].value);
    printf("}");
}

static void print_row(const bench_context* context, const bench_entry* entry)
{
    if (context->reported == 0)
        printf("%-24s %-10s %11s %11s %11s %5s  %s\n", "name", "unit", "min", "median", "max", "runs",
               "peer and quality");
    printf("%-24s %-10s %11.5g %11.5g %11.5g %5d ", entry->name, entry->unit, entry->min, entry->median, entry->max,
           entry->runs);
    if (entry->peer != NULL) printf(" %.3gx of %s (%.5g)", entry->ratio, entry->peer, entry->peer_median);
    for (int i = 0; i < entry->field_count; ++i)
        printf("  %s %.4g", entry->fields[i].name, entry->fields[i].value);
    printf("\n");
}

void bench_report(bench_context* context, const bench_entry* entry)
{
    if (!matches(context, entry->name)) return;
    if (context->json)
        print_json(context, entry);
    else
        print_row(context, entry);
    fflush(stdout);
    context->reported += 1;
}

void bench_skip(bench_context* context, const char* name, const char* reason)
{
    (void)context;
    fprintf(stderr, "surefoot-bench: SKIP %s: %s\n", name, reason);
}

void bench_fail(bench_context* context, const char* name, const char* reason)
{
    context->failed += 1;
    fprintf(stderr, "surefoot-bench: FAILED %s: %s\n", name, reason);
}

static void print_help(void)
{
    puts("usage: surefoot-bench [--filter SUBSTRING] [--json] [--quick] [--list]\n"
         "\n"
         "Measures the library; every entry is warmed up, then run at least seven times.\n"
         "  --filter SUBSTRING  only entries whose name contains SUBSTRING\n"
         "  --json              a list of entries with name, unit, min, median, max, runs and, where there is a peer "
         "in\n"
         "                      the same run, peer, peer_median and ratio (above 1: better than the peer); other keys\n"
         "                      are figures of quality\n"
         "  --quick             two runs an entry: to see that all work, not how fast they are\n"
         "  --list              names of the entries\n"
         "\n"
         "min and median are values in the unit: for MB/s, min is the slowest run.");
}

static int run_scenes(bench_context* context)
{
    if (context->json) printf("[");
    for (size_t i = 0; i < SCENE_COUNT; ++i)
        if (matches(context, scenes[i].names)) scenes[i].run(context);
    if (context->json) printf("%s]\n", context->reported > 0 ? "\n" : "");
    if (context->reported == 0 && context->failed == 0)
        fprintf(stderr, "surefoot-bench: no entry is called like '%s'; see --list\n",
                context->filter != NULL ? context->filter : "");
    return context->failed > 0 || context->reported == 0 ? 1 : 0;
}

int main(int argc, char** argv)
{
    bench_context context = {.program = argv[0]};
    for (int i = 1; i < argc; ++i)
    {
        if (strcmp(argv[i], "--json") == 0)
            context.json = true;
        else if (strcmp(argv[i], "--quick") == 0)
            context.quick = true;
        else if (strcmp(argv[i], "--filter") == 0 && i + 1 < argc)
            context.filter = argv[++i];
        else if (strncmp(argv[i], "--filter=", 9) == 0)
            context.filter = argv[i] + 9;
        else if (strcmp(argv[i], "--help") == 0)
        {
            print_help();
            return 0;
        }
        else if (strcmp(argv[i], "--list") == 0)
        {
            for (size_t s = 0; s < SCENE_COUNT; ++s)
                puts(scenes[s].names);
            return 0;
        }
        else
        {
            fprintf(stderr, "surefoot-bench: unknown argument '%s'; see --help\n", argv[i]);
            return 2;
        }
    }
    return run_scenes(&context);
}
