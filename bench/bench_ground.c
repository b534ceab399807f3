// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// Foot rays on a mesh of a million triangles, hills of jittered squares: short, straight down, from a hand to a forearm
// over the ground, anywhere in no order, so that every ray meets its own part of the memory. Then the same one by one,
// balls, and making the mesh. Embree, where it is here, is asked the same on the same triangles, with its flag for
// robust hits; it calculates in float, so distances are compared within a tenth of a millimetre.
#define _POSIX_C_SOURCE 200809L

#include "bench.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "surefoot/surefoot.h"

#ifdef SFT_HAVE_EMBREE
#include <embree3/rtcore.h>
#endif

#define SIDE 708 ///< corners along a side: 999,698 triangles
#define STEP 0.1
#define RAYS 1000000
#define REACH 1.0

typedef struct ground_bench
{
    int32_t vertex_count, triangle_count;
    float* vertices;
    int32_t* indices;
    sft_ground_mesh* mesh;
    sft_ground ground;
    sft_v3d* origins;
    sft_ground_hit* hits;
    double radius;
    int count; ///< of rays asked
#ifdef SFT_HAVE_EMBREE
    RTCDevice device;
    RTCScene scene;
    float* distances; ///< of Embree; -1: no hit
#endif
} ground_bench;

static double draw(uint64_t* state, double lo, double hi)
{
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return lo + (hi - lo) * ((double)(*state >> 11) * 0x1p-53);
}

static double hill(double x, double z)
{
    return 2.0 * sft_sin(0.2 * x) * sft_cos(0.17 * z);
}

static void make_hills(ground_bench* b)
{
    uint64_t state = 1;
    for (int k = 0; k < SIDE; ++k)
        for (int i = 0; i < SIDE; ++i)
        {
            float* v = b->vertices + 3 * (k * SIDE + i);
            v[0] = (float)(STEP * i + draw(&state, -0.02, 0.02));
            v[2] = (float)(STEP * k + draw(&state, -0.02, 0.02));
            v[1] = (float)(hill(STEP * i, STEP * k) + draw(&state, 0.0, 0.05));
        }
    int32_t* at = b->indices;
    for (int k = 0; k + 1 < SIDE; ++k)
        for (int i = 0; i + 1 < SIDE; ++i, at += 6)
        {
            const int32_t a = k * SIDE + i;
            const int32_t square[6] = {a, a + SIDE + 1, a + 1, a, a + SIDE, a + SIDE + 1};
            memcpy(at, square, sizeof square);
        }
    for (int i = 0; i < RAYS; ++i)
    {
        const double x = draw(&state, 1.0, STEP * SIDE - 2.0), z = draw(&state, 1.0, STEP * SIDE - 2.0);
        b->origins[i] = sft_v3d_make(x, hill(x, z) + draw(&state, 0.1, 0.4), z);
    }
}

static bool create(ground_bench* b)
{
    b->vertex_count = SIDE * SIDE;
    b->triangle_count = 2 * (SIDE - 1) * (SIDE - 1);
    b->vertices = malloc(3 * sizeof *b->vertices * (size_t)b->vertex_count);
    b->indices = malloc(3 * sizeof *b->indices * (size_t)b->triangle_count);
    b->origins = malloc(sizeof *b->origins * RAYS);
    b->hits = calloc(RAYS, sizeof *b->hits);
    if (b->vertices == NULL || b->indices == NULL || b->origins == NULL || b->hits == NULL) return false;
    make_hills(b);
    const sft_ground_mesh_def def = {b->vertex_count, b->vertices, b->triangle_count, b->indices, NULL};
    if (sft_ground_mesh_create(&def, NULL, &b->mesh, NULL) != SFT_OK) return false;
    b->ground = sft_ground_from_mesh(b->mesh);
    return true;
}

static void release(ground_bench* b)
{
    sft_ground_mesh_destroy(b->mesh, NULL);
    free(b->vertices);
    free(b->indices);
    free(b->origins);
    free(b->hits);
    free(b);
}

// ---- what is measured ----

static void drop_all(void* data)
{
    ground_bench* b = data;
    sft_ground_drop(&b->ground, RAYS, b->origins, REACH, b->hits);
    bench_keep(b);
}

static void cast_some(void* data)
{
    ground_bench* b = data;
    for (int i = 0; i < b->count; ++i)
    {
        b->hits[i] = (sft_ground_hit){.triangle = -2};
        sft_ground_cast(&b->ground, b->origins[i], sft_v3d_make(0.0, -1.0, 0.0), REACH, b->radius, &b->hits[i]);
    }
    bench_keep(b);
}

static double thread_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/// Millions of rays a second of this thread's own time, the best of five: what a core does while others work beside it.
static double rays_a_core_second(const bench_context* context, void (*run)(void*), void* data, int rays)
{
    const int runs = bench_is_quick(context) ? 1 : 5;
    double best = HUGE_VAL;
    for (int i = 0; i < runs; ++i)
    {
        const double start = thread_seconds();
        run(data);
        best = fmin(best, thread_seconds() - start);
    }
    return 1e-6 * rays / best;
}

/// Counts what an allocator is asked for.
typedef struct tally
{
    size_t live, peak;
} tally;

static void* tally_allocate(void* user, size_t size)
{
    tally* t = user;
    void* block = malloc(size);
    if (block != NULL) t->live += size;
    if (t->live > t->peak) t->peak = t->live;
    return block;
}

static void tally_release(void* user, void* block, size_t size)
{
    ((tally*)user)->live -= size;
    free(block);
}

static void build_again(void* data)
{
    ground_bench* b = data;
    const sft_ground_mesh_def def = {b->vertex_count, b->vertices, b->triangle_count, b->indices, NULL};
    sft_ground_mesh* mesh = NULL;
    if (sft_ground_mesh_create(&def, NULL, &mesh, NULL) != SFT_OK) return;
    bench_keep(mesh);
    sft_ground_mesh_destroy(mesh, NULL);
}

static double percent_hit(const ground_bench* b, int count)
{
    int hits = 0;
    for (int i = 0; i < count; ++i)
        hits += b->hits[i].triangle >= 0;
    return 100.0 * hits / count;
}

// ---- Embree ----

#ifdef SFT_HAVE_EMBREE
static RTCScene embree_scene(const ground_bench* b)
{
    RTCScene scene = rtcNewScene(b->device);
    RTCGeometry geometry = rtcNewGeometry(b->device, RTC_GEOMETRY_TYPE_TRIANGLE);
    rtcSetSceneFlags(scene, RTC_SCENE_FLAG_ROBUST);
    rtcSetSharedGeometryBuffer(geometry, RTC_BUFFER_TYPE_VERTEX, 0, RTC_FORMAT_FLOAT3, b->vertices, 0, 12,
                               (size_t)b->vertex_count);
    rtcSetSharedGeometryBuffer(geometry, RTC_BUFFER_TYPE_INDEX, 0, RTC_FORMAT_UINT3, b->indices, 0, 12,
                               (size_t)b->triangle_count);
    rtcCommitGeometry(geometry);
    rtcAttachGeometry(scene, geometry);
    rtcReleaseGeometry(geometry);
    rtcCommitScene(scene);
    return scene;
}

static void embree_build(void* data)
{
    rtcReleaseScene(embree_scene(data));
}

static struct RTCRayHit embree_ray(sft_v3d origin)
{
    struct RTCRayHit ray;
    memset(&ray, 0, sizeof ray);
    ray.ray.org_x = (float)origin.x;
    ray.ray.org_y = (float)origin.y;
    ray.ray.org_z = (float)origin.z;
    ray.ray.dir_y = -1.0f;
    ray.ray.tfar = (float)REACH;
    ray.ray.mask = ~0u;
    ray.hit.geomID = RTC_INVALID_GEOMETRY_ID;
    return ray;
}

static void embree_one_by_one(void* data)
{
    ground_bench* b = data;
    for (int i = 0; i < b->count; ++i)
    {
        struct RTCIntersectContext context;
        struct RTCRayHit ray = embree_ray(b->origins[i]);
        rtcInitIntersectContext(&context);
        rtcIntersect1(b->scene, &context, &ray);
        b->distances[i] = ray.hit.geomID == RTC_INVALID_GEOMETRY_ID ? -1.0f : ray.ray.tfar;
    }
    bench_keep(b->distances);
}

static void embree_streams(void* data)
{
    ground_bench* b = data;
    struct RTCRayHit rays[64];
    for (int i = 0; i < RAYS; i += 64)
    {
        const int count = RAYS - i < 64 ? RAYS - i : 64;
        struct RTCIntersectContext context;
        for (int k = 0; k < count; ++k)
            rays[k] = embree_ray(b->origins[i + k]);
        rtcInitIntersectContext(&context);
        rtcIntersect1M(b->scene, &context, rays, (unsigned)count, sizeof rays[0]);
        for (int k = 0; k < count; ++k)
            b->distances[i + k] = rays[k].hit.geomID == RTC_INVALID_GEOMETRY_ID ? -1.0f : rays[k].ray.tfar;
    }
    bench_keep(b->distances);
}

/// Where the two differ by more than a tenth of a millimetre, or in whether there is a hit.
static void compare(const ground_bench* b, int count, bench_entry* entry)
{
    int differ = 0;
    double worst = 0.0;
    for (int i = 0; i < count; ++i)
    {
        const bool one = b->hits[i].triangle >= 0, two = b->distances[i] >= 0.0f;
        const double off = one && two ? fabs(b->hits[i].distance - (double)b->distances[i]) : 0.0;
        if (one != two || off > 1e-4) ++differ;
        if (off > worst) worst = off;
    }
    bench_add_field(entry, "peer_differs", differ);
    bench_add_field(entry, "peer_worst_mm", 1e3 * worst);
}

static bool start_embree(ground_bench* b)
{
    b->distances = calloc(RAYS, sizeof *b->distances);
    b->device = rtcNewDevice("threads=1");
    if (b->distances == NULL || b->device == NULL) return false;
    b->scene = embree_scene(b);
    return true;
}

static void stop_embree(ground_bench* b)
{
    if (b->scene != NULL) rtcReleaseScene(b->scene);
    if (b->device != NULL) rtcReleaseDevice(b->device);
    free(b->distances);
}
#endif

/// Puts Embree's time for the same beside an entry.
static void add_peer(bench_context* context, ground_bench* b, bench_entry* entry, void (*run)(void*), double scale,
                     const char* name, int rays)
{
#ifdef SFT_HAVE_EMBREE
    const bench_entry peer = bench_time_entry(name, entry->unit, bench_measure(context, NULL, run, b), scale);
    bench_set_peer(entry, &peer, name, false);
    if (rays == 0) return;
    compare(b, rays, entry);
    bench_add_field(entry, "peer_mrays_core_s", rays_a_core_second(context, run, b, rays));
#else
    (void)context, (void)b, (void)entry, (void)run, (void)scale, (void)name, (void)rays;
#endif
}

#ifndef SFT_HAVE_EMBREE
#define embree_streams NULL
#define embree_one_by_one NULL
#define embree_build NULL
#endif

static void run_rays(bench_context* context, ground_bench* b)
{
    const double bytes = (double)(sizeof(sft_v3d) + sizeof(sft_ground_hit));
    bench_entry many = bench_time_entry("mesh_ray", "ns/solve", bench_measure(context, NULL, drop_all, b), 1e9 / RAYS);
    bench_add_field(&many, "mrays_s", 1e3 / many.median);
    bench_add_field(&many, "mrays_core_s", rays_a_core_second(context, drop_all, b, RAYS));
    bench_add_field(&many, "triangles", b->triangle_count);
    bench_add_field(&many, "rays", RAYS);
    bench_add_field(&many, "hit_percent", percent_hit(b, RAYS));
    bench_add_memory(context, &many, bytes, many.median);
    add_peer(context, b, &many, embree_streams, 1e9 / RAYS, "embree_1M", RAYS);
    bench_report(context, &many);

    b->count = RAYS / 4;
    bench_entry one =
        bench_time_entry("mesh_ray_single", "ns/solve", bench_measure(context, NULL, cast_some, b), 1e9 / b->count);
    bench_add_field(&one, "mrays_s", 1e3 / one.median);
    bench_add_field(&one, "mrays_core_s", rays_a_core_second(context, cast_some, b, b->count));
    bench_add_field(&one, "hit_percent", percent_hit(b, b->count));
    bench_add_memory(context, &one, bytes, one.median);
    add_peer(context, b, &one, embree_one_by_one, 1e9 / b->count, "embree_1", b->count);
    bench_report(context, &one);

    b->count = RAYS / 50;
    b->radius = 0.05;
    bench_entry ball =
        bench_time_entry("mesh_sphere", "ns/solve", bench_measure(context, NULL, cast_some, b), 1e9 / b->count);
    bench_add_field(&ball, "hit_percent", percent_hit(b, b->count));
    bench_report(context, &ball);
}

static void run_build(bench_context* context, ground_bench* b)
{
    tally memory = {0, 0};
    const sft_allocator allocator = {tally_allocate, tally_release, &memory};
    const sft_ground_mesh_def def = {b->vertex_count, b->vertices, b->triangle_count, b->indices, NULL};
    sft_ground_mesh* mesh = NULL;
    if (sft_ground_mesh_create(&def, &allocator, &mesh, NULL) != SFT_OK)
    {
        bench_fail(context, "mesh_build", "out of memory");
        return;
    }
    const double kept = (double)memory.live;
    sft_ground_mesh_destroy(mesh, &allocator);
    bench_entry e = bench_time_entry("mesh_build", "ms", bench_measure(context, NULL, build_again, b), 1e3);
    bench_add_field(&e, "triangles", b->triangle_count);
    bench_add_field(&e, "bytes_a_triangle", kept / b->triangle_count);
    bench_add_field(&e, "peak_bytes_a_triangle", (double)memory.peak / b->triangle_count);
    add_peer(context, b, &e, embree_build, 1e3, "embree", 0);
    bench_report(context, &e);
}

void bench_scene_ground(bench_context* context)
{
    ground_bench* b = calloc(1, sizeof *b);
    if (b == NULL || !create(b))
        bench_fail(context, "mesh_ray", "out of memory");
    else
    {
#ifdef SFT_HAVE_EMBREE
        if (start_embree(b))
        {
            run_rays(context, b);
            run_build(context, b);
        }
        else
            bench_fail(context, "mesh_ray", "Embree does not start");
        stop_embree(b);
#else
        run_rays(context, b);
        run_build(context, b);
#endif
    }
    if (b != NULL) release(b);
}
