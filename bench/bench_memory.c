// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// What one core moves to and from memory, the yardstick of every `bandwidth_fraction`. A block far larger than the
// caches is read and written in place, so what moves is what is counted: writing to another block would have its old
// content read first, which stream-like figures leave out of their count.
#include "bench.h"

#include <stdlib.h>

#define COUNT ((size_t)32 << 20) ///< doubles: 256 MiB
#define PASSES 7

typedef struct block
{
    double* values;
} block;

static void pass(void* data)
{
    double* values = ((block*)data)->values;
    for (size_t i = 0; i < COUNT; ++i)
        values[i] *= 2.0;
    bench_keep(values);
}

// Pages come into being by the first write; 1.0 may be doubled a thousand times and is still a plain number.
static bool make_block(block* b)
{
    b->values = malloc(COUNT * sizeof *b->values);
    for (size_t i = 0; b->values != NULL && i < COUNT; ++i)
        b->values[i] = 1.0;
    return b->values != NULL;
}

#define BYTES (2.0 * (double)(COUNT * sizeof(double)))

double bench_best_bandwidth(void)
{
    block b;
    if (!make_block(&b)) return 0.0;
    double best = 0.0;
    for (int i = 0; i < PASSES; ++i)
    {
        const double start = bench_seconds();
        pass(&b);
        const double rate = 1e-9 * BYTES / (bench_seconds() - start);
        best = rate > best ? rate : best;
    }
    free(b.values);
    return best;
}

void bench_scene_memory(bench_context* context)
{
    block b;
    if (!make_block(&b))
    {
        bench_fail(context, "memory_bandwidth", "out of memory");
        return;
    }
    const bench_timing timing = bench_measure(context, NULL, pass, &b);
    const bench_entry entry = bench_rate_entry("memory_bandwidth", "GB/s", timing, 1e-9 * BYTES);
    free(b.values);
    bench_report(context, &entry);
}
