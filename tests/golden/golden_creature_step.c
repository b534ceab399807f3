// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// Golden scene of creatures as the run-time library has them: a body of six legs whose numbers are written down here,
// no rig searched and no file read; led, driven, pushed and turned about on a plane and on stairs, saved and restored.
#include "golden.h"

#define LEGS 6
#define JOINTS (5 + 3 * LEGS)

static sft_skeleton* make_skeleton(sft_creature_def* def)
{
    static const char* const names[JOINTS] = {"body", "neck", "head", "eye", "tail", "a0", "a1", "a2",
                                              "b0",   "b1",   "b2",   "c0",  "c1",   "c2", "d0", "d1",
                                              "d2",   "e0",   "e1",   "e2",  "f0",   "f1", "f2"};
    int32_t parents[JOINTS] = {-1, 0, 1, 2, 0};
    sft_v3d t[JOINTS] = {{0, 0.1, 0}, {0, 0.02, 0.1}, {0, 0.01, 0.04}, {0.01, 0.01, 0.02}, {0, 0, -0.1}};
    *def = sft_default_creature_def();
    def->body = 0;
    def->leg_count = LEGS;
    for (int l = 0; l < LEGS; ++l)
    {
        const double side = l % 2 ? -1 : 1;
        const sft_v3d at[3] = {{side * 0.03, 0, 0.07 * (l / 2 - 1)}, {side * 0.06, 0.04, 0}, {side * 0.03, -0.135, 0}};
        sft_creature_leg* leg = &def->legs[l];
        leg->side = l % 2 ? SFT_LEG_RIGHT : SFT_LEG_LEFT;
        leg->pair = l / 2;
        leg->joint_count = 3;
        leg->home = t[0];
        for (int k = 0; k < 3; ++k)
        {
            const int j = 5 + 3 * l + k;
            parents[j] = k == 0 ? 0 : j - 1;
            t[j] = at[k];
            leg->home = sft_v3d_add(leg->home, at[k]);
            leg->joints[k] = j;
        }
        leg->ankle_offset = leg->home.y;
        leg->step_distance = 0.045;
        leg->step_angle = 0.6;
        leg->reach_min = 0.04;
        leg->reach_max = 0.2;
    }
    def->head_count = 2;
    def->head[0] = (sft_creature_link){.joint = 1, .share = 0.4, .max_yaw = 0.5, .max_pitch = 0.4};
    def->head[1] = (sft_creature_link){.joint = 2, .share = 1, .max_yaw = 0.7, .max_pitch = 0.5};
    def->eye_count = 1;
    def->eyes[0] =
        (sft_creature_eye){.joint = 3, .forward = {0, 0, 1}, .max_in = 0.3, .max_out = 0.6, .max_pitch = 0.4};
    def->tail_count = 1;
    def->tail[0] = 4;
    def->scale = 1.5;
    const sft_skeleton plan = {
        .joint_count = JOINTS, .names = (const char**)names, .parents = parents, .rest_translations = t};
    sft_skeleton* out = NULL;
    if (sft_skeleton_create(&plan, NULL, &out) != SFT_OK) fail("sft_skeleton_create");
    return out;
}

static void fold_state(golden* g, const sft_creature* creature, const sft_creature_state* state)
{
    sft_xformd world[JOINTS];
    sft_creature_get_world(creature, state, world);
    const sft_creature_body* body = sft_creature_get_body(state);
    fold_v3(g, body->place.t);
    fold_double(g, (double)body->gait);
    for (int j = 0; j < JOINTS; ++j)
    {
        fold_v3(g, world[j].t);
        fold_quat(g, world[j].r);
    }
}

static void roam(golden* g, const sft_creature* creature, const sft_ground* ground, uint64_t seed)
{
    const size_t size = sft_creature_state_size(creature), saved = sft_creature_save_size(creature);
    void* memory = malloc(size);
    unsigned char* bytes = malloc(saved);
    sft_creature_state* state = NULL;
    const sft_xformd place = {{0.1, 0, -0.2}, sft_quatd_exp(sft_v3d_make(0, 0.3, 0))};
    if (memory == NULL || bytes == NULL || sft_creature_place(creature, place, ground, memory, size, &state) != SFT_OK)
        fail("sft_creature_place");
    sft_v3d goal = {0, 0, 1};
    for (int k = 0; k < 1200; ++k)
    {
        if (k % 240 == 0) goal = next_v3(&seed, 2.0);
        const sft_creature_input input = {.kind = k / 240 % 2 ? SFT_CREATURE_DRIVE : SFT_CREATURE_GO_TO,
                                          .goal = goal,
                                          .velocity = sft_v3d_scale(0.2, goal),
                                          .turn = 0.3 * goal.x,
                                          .look = &goal,
                                          .ground = ground,
                                          .push = sft_v3d_make(k % 300 == 299 ? 0.01 : 0, 0, 0)};
        if (sft_creature_step_many(creature, 1, &input, state, size) != SFT_OK) fail("sft_creature_step_many");
        if (k % 10 == 0) fold_state(g, creature, state);
    }
    if (sft_creature_save(creature, state, bytes, saved) != SFT_OK ||
        sft_creature_restore(creature, bytes, saved, memory, size, &state) != SFT_OK)
        fail("sft_creature_save");
    fold_bytes(g, bytes, saved);
    free(bytes);
    free(memory);
}

void scene_creature_step(golden* g)
{
    sft_creature_def* def = malloc(sizeof *def);
    sft_creature* creature = NULL;
    if (def == NULL) fail("malloc");
    sft_skeleton* skeleton = make_skeleton(def);
    if (sft_creature_propose_groups(def) != SFT_OK) fail("sft_creature_propose_groups");
    if (sft_creature_create(def, skeleton, NULL, &creature, NULL) != SFT_OK) fail("sft_creature_create");
    const sft_ground_plane plane = {.normal = {0.1, 1, 0.2}};
    const double distances[6] = {-9, 0.3, 0.3, 0.6, 0.6, 9}, heights[6] = {0, 0, 0.02, 0.02, 0.04, 0.04};
    const sft_ground_profile stairs = {.count = 6, .distances = distances, .heights = heights};
    const sft_ground grounds[2] = {sft_ground_from_plane(&plane), sft_ground_from_profile(&stairs)};
    for (int i = 0; i < 2; ++i)
        roam(g, creature, &grounds[i], 3 + (uint64_t)i);
    sft_creature_destroy(creature, NULL);
    sft_skeleton_destroy(skeleton, NULL);
    free(def);
}
