// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// Any bytes as a creature's file, as what leads it and as a saved state: refused with a sentence, or a creature that
// walks with finite numbers, keeps its standing feet where they are, and is the same after it was saved and restored.

#include <stdlib.h>

#include "surefoot/surefoot.h"

#include "bytes.h"

#define JOINTS 18
#define STEPS 24

static void require(bool condition)
{
    if (!condition) abort();
}

static const struct
{
    const char* name;
    int32_t parent;
    sft_v3d at;
} FIGURE[JOINTS] = {
    {"body", -1, {0, 0.1, 0}},      {"spine", 0, {0, 0, 0.08}},   {"head", 1, {0, 0.02, 0.1}},
    {"eye", 2, {0.02, 0.01, 0.02}}, {"tail", 0, {0, 0, -0.1}},    {"tip", 4, {0, 0, -0.1}},
    {"a0", 0, {0.05, 0, -0.05}},    {"a1", 6, {0.06, 0.04, 0}},   {"a2", 7, {0.03, -0.125, 0}},
    {"b0", 0, {-0.05, 0, -0.05}},   {"b1", 9, {-0.06, 0.04, 0}},  {"b2", 10, {-0.03, -0.125, 0}},
    {"c0", 1, {0.05, 0, 0}},        {"c1", 12, {0.06, 0.04, 0}},  {"c2", 13, {0.03, -0.125, 0}},
    {"d0", 1, {-0.05, 0, 0}},       {"d1", 15, {-0.06, 0.04, 0}}, {"d2", 16, {-0.03, -0.125, 0}},
};

static sft_skeleton* make_skeleton(void)
{
    const char* names[JOINTS];
    int32_t parents[JOINTS];
    sft_v3d t[JOINTS];
    for (int j = 0; j < JOINTS; ++j)
    {
        names[j] = FIGURE[j].name;
        parents[j] = FIGURE[j].parent;
        t[j] = FIGURE[j].at;
    }
    const sft_skeleton plan = {.joint_count = JOINTS, .names = names, .parents = parents, .rest_translations = t};
    sft_skeleton* out = NULL;
    return sft_skeleton_create(&plan, NULL, &out) == SFT_OK ? out : NULL;
}

static bool finite3(sft_v3d v)
{
    return v.x - v.x == 0 && v.y - v.y == 0 && v.z - v.z == 0;
}

static void check(const sft_creature* creature, const sft_creature_state* state, int32_t legs)
{
    sft_xformd world[JOINTS];
    sft_creature_get_world(creature, state, world);
    for (int j = 0; j < JOINTS; ++j)
        require(finite3(world[j].t));
    const sft_v3d* t = NULL;
    const sft_quatd* r = NULL;
    sft_creature_get_pose(creature, state, &t, &r);
    for (int j = 0; j < JOINTS; ++j)
    {
        const double n = r[j].x * r[j].x + r[j].y * r[j].y + r[j].z * r[j].z + r[j].w * r[j].w;
        require(finite3(t[j]) && n > 0.999 && n < 1.001);
    }
    const sft_creature_foot* feet = sft_creature_get_feet(creature, state);
    for (int32_t l = 0; l < legs; ++l)
        require(finite3(feet[l].position));
}

// A ground that answers what the bytes say, true or not; level where they have run out.
static bool query_bytes(const void* data, sft_v3d from, sft_v3d way, double distance, double radius,
                        sft_ground_hit* hit)
{
    bytes* b = (bytes*)(uintptr_t)data;
    (void)radius;
    const uint8_t what = take_byte(b);
    if (what & 128) return false;
    const double fall = way.y < -0.5 ? from.y / -way.y : 0;
    *hit =
        (sft_ground_hit){.point = sft_v3d_madd(from, fall, way), .normal = {0, 1, 0}, .distance = fall, .triangle = -1};
    if (what & 1) hit->point = take_v3(b);
    if (what & 2) hit->point.y += 0.1 * take_number(b);
    if (what & 4) hit->normal = take_v3(b);
    if (what & 8) hit->distance = take_number(b) * distance;
    if (what & 16) hit->body = (int32_t)what << 24;
    return true;
}

static void walk(const sft_creature* creature, int32_t legs, bytes* b)
{
    const size_t size = sft_creature_state_size(creature), saved = sft_creature_save_size(creature);
    void *memory = malloc(size), *other = malloc(size);
    unsigned char* file = malloc(saved);
    sft_creature_state *state = NULL, *copy = NULL;
    const sft_ground_plane plane = {.point = {0, take_number(b), 0}, .normal = {take_number(b), 1, take_number(b)}};
    const sft_ground level = sft_ground_from_plane(&plane), drawn = {query_bytes, b};
    const sft_ground ground = take_byte(b) & 1 ? drawn : level;
    const sft_xformd place = {take_v3(b), sft_quatd_exp(take_v3(b))};
    if (memory != NULL && other != NULL && file != NULL &&
        sft_creature_place(creature, place, &ground, memory, size, &state) == SFT_OK)
    {
        check(creature, state, legs);
        for (int i = 0; i < STEPS; ++i)
        {
            const uint8_t what = take_byte(b);
            const sft_v3d look = take_v3(b);
            const sft_creature_input input = {.kind = (sft_creature_goal)(what % 3),
                                              .goal = take_v3(b),
                                              .velocity = take_v3(b),
                                              .turn = take_number(b),
                                              .look = what & 4 ? &look : NULL,
                                              .ground = what & 8    ? NULL
                                                        : what & 64 ? &drawn
                                                                    : &ground,
                                              .blocks = what & 16 ? &ground : NULL,
                                              .push = what & 32 ? take_v3(b) : (sft_v3d){0, 0, 0}};
            sft_creature_step(creature, &input, state);
            check(creature, state, legs);
        }
        require(sft_creature_save(creature, state, file, saved) == SFT_OK);
        require(sft_creature_restore(creature, file, saved, other, size, &copy) == SFT_OK);
        // Both on the same ground: drawn answers would differ.
        const sft_creature_input stand = {.ground = &level};
        sft_creature_step(creature, &stand, state);
        sft_creature_step(creature, &stand, copy);
        require(memcmp(sft_creature_get_body(state), sft_creature_get_body(copy), sizeof(sft_creature_body)) == 0);
        file[take_byte(b) % saved] ^= (unsigned char)(1 + take_byte(b) % 255);
        if (sft_creature_restore(creature, file, saved, other, size, &copy) == SFT_OK) check(creature, copy, legs);
    }
    free(memory);
    free(other);
    free(file);
}

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size)
{
    // The text ends at the first zero; what follows leads the creature.
    size_t text = 0;
    while (text < size && data[text] != 0)
        ++text;
    sft_skeleton* skeleton = make_skeleton();
    sft_creature_def* def = malloc(sizeof *def);
    sft_error error = {0};
    if (skeleton != NULL && def != NULL)
    {
        if (sft_creature_parse((const char*)data, text, skeleton, NULL, def, &error) != SFT_OK)
            require(error.message[0] != '\0');
        else
        {
            sft_creature* creature = NULL;
            char* again = NULL;
            size_t again_size = 0;
            require(sft_creature_format(def, skeleton, NULL, &again, &again_size) == SFT_OK);
            require(sft_creature_parse(again, again_size, skeleton, NULL, def, &error) == SFT_OK);
            free(again);
            require(sft_creature_create(def, skeleton, NULL, &creature, &error) == SFT_OK);
            bytes b = {.data = data, .size = size, .at = text < size ? text + 1 : size};
            walk(creature, def->leg_count, &b);
            sft_creature_destroy(creature, NULL);
        }
    }
    free(def);
    sft_skeleton_destroy(skeleton, NULL);
    return 0;
}
