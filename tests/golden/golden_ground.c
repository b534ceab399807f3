// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// Grounds: rays and spheres on all four shapes.
#include "golden.h"

static void fold_casts(golden* g, const sft_ground* ground, uint64_t seed, int count)
{
    uint64_t state = seed;
    for (int i = 0; i < count; ++i)
    {
        const sft_v3d o = next_v3(&state, 2.0);
        sft_v3d d = next_v3(&state, 1.0);
        const double radius = i % 3 == 2 ? next(&state, 0.01, 0.3) : 0.0;
        if (i % 3 == 0) d = sft_v3d_make(0.0, -1.0, 0.0);
        sft_ground_hit hit = {.triangle = -2};
        fold_double(g, sft_ground_cast(ground, o, d, 3.0, radius, &hit) ? 1.0 : 0.0);
        fold_v3(g, hit.point);
        fold_v3(g, hit.normal);
        fold_double(g, hit.distance);
        fold_double(g, (double)hit.triangle);
        fold_double(g, (double)hit.body);
    }
}

void scene_ground_shapes(golden* g)
{
    enum
    {
        COUNT = 40
    };
    double s[COUNT], y[COUNT], heights[COUNT * COUNT];
    uint64_t state = 31;
    for (int i = 0; i < COUNT; ++i)
    {
        s[i] = (i > 0 ? s[i - 1] : -2.0) + (i % 4 == 0 ? 0.0 : next(&state, 0.0, 0.2));
        y[i] = i % 13 == 7 ? NAN : next(&state, -0.5, 0.5);
    }
    for (int i = 0; i < COUNT * COUNT; ++i)
        heights[i] = i % 97 == 5 ? NAN : next(&state, -0.3, 0.3);
    const sft_ground_plane plane = {.point = {0.1, 0.2, 0.3}, .normal = {0.3, 0.9, -0.2}, .body = 1};
    const sft_ground_profile profile = {
        .origin = {0.1, 0.0, 0.2}, .heading = 0.7, .count = COUNT, .distances = s, .heights = y, .body = 2};
    const sft_ground_heights field = {.origin = {-1.5, 0.1, -1.6},
                                      .step_x = 0.075,
                                      .step_z = 0.08,
                                      .count_x = COUNT,
                                      .count_z = COUNT,
                                      .heights = heights,
                                      .body = 3};
    const sft_ground grounds[] = {sft_ground_from_plane(&plane), sft_ground_from_profile(&profile),
                                  sft_ground_from_heights(&field)};
    for (size_t i = 0; i < GOLDEN_COUNT_OF(grounds); ++i)
        fold_casts(g, &grounds[i], 40 + i, 3000);
}

void scene_ground_mesh(golden* g)
{
    enum
    {
        COUNT = 4000
    };
    float* v = calloc(9 * COUNT, sizeof *v);
    int32_t *index = calloc(3 * COUNT, sizeof *index), *bodies = calloc(COUNT, sizeof *bodies);
    if (v == NULL || index == NULL || bodies == NULL) fail("allocation");
    uint64_t state = 32;
    for (int32_t t = 0; t < COUNT; ++t)
    {
        const sft_v3d middle = next_v3(&state, 1.5);
        bodies[t] = t % 7;
        for (int32_t c = 0; c < 3; ++c)
        {
            const sft_v3d p = sft_v3d_add(middle, next_v3(&state, t % 10 == 0 ? 0.5 : 0.1));
            float* at = v + 9 * t + 3 * c;
            at[0] = (float)p.x;
            at[1] = (float)p.y;
            at[2] = (float)p.z;
            index[3 * t + c] = 3 * t + c;
        }
    }
    const sft_ground_mesh_def def = {3 * COUNT, v, COUNT, index, bodies};
    sft_ground_mesh* mesh = NULL;
    if (sft_ground_mesh_create(&def, NULL, &mesh, NULL) != SFT_OK) fail("sft_ground_mesh_create");
    const sft_ground ground = sft_ground_from_mesh(mesh);
    fold_casts(g, &ground, 50, 6000);
    sft_v3d origins[200];
    sft_ground_hit hits[200];
    for (int i = 0; i < 200; ++i)
        origins[i] = next_v3(&state, 1.5);
    sft_ground_drop(&ground, 200, origins, 1.0, hits);
    for (int i = 0; i < 200; ++i)
    {
        fold_v3(g, hits[i].point);
        fold_double(g, (double)hits[i].triangle);
    }
    sft_ground_mesh_destroy(mesh, NULL);
    free(v);
    free(index);
    free(bodies);
}
