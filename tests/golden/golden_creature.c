// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// Golden scene of creatures: a lizard that is led about, on the level, over stairs and rough ground, pushed and saved.
#include "golden.h"

// No part of the run-time library.
#ifndef SFT_GOLDEN_RUNTIME

#include "sample/lizard.h"

static void fold_state(golden* g, const sft_creature* creature, const sft_creature_state* state)
{
    const sft_creature_body* body = sft_creature_get_body(state);
    const sft_creature_foot* feet = sft_creature_get_feet(creature, state);
    fold_v3(g, body->place.t);
    fold_quat(g, body->place.r);
    fold_double(g, (double)body->group);
    for (int l = 0; l < 4; ++l)
    {
        fold_v3(g, feet[l].position);
        fold_quat(g, feet[l].rotation);
    }
    const sft_v3d* t = NULL;
    const sft_quatd* r = NULL;
    sft_creature_get_pose(creature, state, &t, &r);
    for (int32_t j = 0; j < LIZARD_JOINTS; ++j)
    {
        fold_v3(g, t[j]);
        fold_quat(g, r[j]);
    }
}

static void roam(golden* g, const sft_creature* creature, const sft_ground* ground, uint64_t seed)
{
    const size_t size = sft_creature_state_size(creature);
    void* memory = malloc(size);
    sft_creature_state* state = NULL;
    const sft_xformd place = {{0, 0, 0}, sft_quatd_identity()};
    if (memory == NULL || sft_creature_place(creature, place, ground, memory, size, &state) != SFT_OK)
        fail("sft_creature_place");
    sft_v3d goal = {0, 0, 1}, push = {0, 0, 0};
    for (int k = 0; k < 1200; ++k)
    {
        if (k % 240 == 0) goal = next_v3(&seed, 2.0);
        push = k % 300 == 299 ? next_v3(&seed, 0.02) : sft_v3d_make(0, 0, 0);
        const sft_creature_input input = {
            .kind = SFT_CREATURE_GO_TO, .goal = goal, .look = &goal, .ground = ground, .push = push};
        if (sft_creature_step(creature, &input, state) != SFT_OK) fail("sft_creature_step");
        if (k % 10 == 0) fold_state(g, creature, state);
    }
    free(memory);
}

void scene_creature(golden* g)
{
    sft_skeleton* skeleton = NULL;
    sft_creature* creature = NULL;
    sft_creature_def* def = malloc(sizeof *def);
    if (def == NULL || lizard_create(&skeleton) != SFT_OK) fail("lizard_create");
    if (sft_creature_find(skeleton, NULL, NULL, def, NULL) != SFT_OK) fail("sft_creature_find");
    char* text = NULL;
    size_t size = 0;
    if (sft_creature_format(def, skeleton, NULL, &text, &size) != SFT_OK) fail("sft_creature_format");
    fold_bytes(g, text, size);
    free(text);
    if (sft_creature_create(def, skeleton, NULL, &creature, NULL) != SFT_OK) fail("sft_creature_create");
    const sft_ground_plane plane = {.normal = {0.1, 1, 0.2}};
    const double distances[6] = {-9, 0.3, 0.3, 0.6, 0.6, 9}, heights[6] = {0, 0, 0.02, 0.02, 0.04, 0.04};
    const sft_ground_profile stairs = {.count = 6, .distances = distances, .heights = heights};
    double field[32 * 32];
    uint64_t seed = 99;
    for (int i = 0; i < 32 * 32; ++i)
        field[i] = 0.01 * next_v3(&seed, 1.0).x;
    const sft_ground_heights rough = {
        .origin = {-3, 0, -3}, .step_x = 0.2, .step_z = 0.2, .count_x = 32, .count_z = 32, .heights = field};
    const sft_ground grounds[3] = {sft_ground_from_plane(&plane), sft_ground_from_profile(&stairs),
                                   sft_ground_from_heights(&rough)};
    for (int i = 0; i < 3; ++i)
        roam(g, creature, &grounds[i], 7 + (uint64_t)i);
    sft_creature_destroy(creature, NULL);
    sft_skeleton_destroy(skeleton, NULL);
    free(def);
}

#endif
