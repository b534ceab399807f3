// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// A lizard that follows a point around an eight, over a ramp, with no key frame: the loop a game would run. Prints what
// it did, and how still its feet stood, measured on the joints of the pose.
//
//     creature_walk

#include <stdio.h>
#include <stdlib.h>

#include "sample/lizard.h"

#define SECONDS 20

// The ground: level, then up by 10 degrees, then level again.
static const double distances[4] = {-10.0, 0.3, 1.1, 10.0};
static const double heights[4] = {0.0, 0.0, 0.14, 0.14};

typedef struct world
{
    sft_ground ground;
    sft_v3d goal;
} world;

// Asked once a step with the simulated time, so that the walk is the same at any frame rate.
static void lead(void* user, double time, sft_creature_input* input)
{
    world* w = user;
    const double angle = 0.3 * time;
    w->goal = sft_v3d_make(0.8 * sft_sin(2 * angle), 0.3, 0.4 + 1.4 * sft_sin(angle));
    *input = (sft_creature_input){.kind = SFT_CREATURE_GO_TO, .goal = w->goal, .look = &w->goal, .ground = &w->ground};
}

static int walk(const sft_creature* creature, const sft_creature_def* def, sft_xformd* joints)
{
    const sft_ground_profile profile = {.count = 4, .distances = distances, .heights = heights};
    world w = {.ground = sft_ground_from_profile(&profile)};
    const size_t size = sft_creature_state_size(creature);
    void* memory = malloc(size);
    sft_creature_state* state = NULL;
    const sft_xformd start = {{0, 0, 0}, sft_quatd_identity()};
    if (memory == NULL || sft_creature_place(creature, start, &w.ground, memory, size, &state) != SFT_OK)
    {
        free(memory);
        return 1;
    }
    const sft_creature_foot* feet = sft_creature_get_feet(creature, state);
    double off = 0.0, way = 0.0;
    sft_v3d last = start.t;
    int status = 0;
    // A display of 60 frames a second: two steps of the fixed clock each.
    for (int frame = 0; frame < 60 * SECONDS && status == 0; ++frame)
    {
        if (sft_creature_update(creature, 1.0 / 60, 8, lead, &w, state, NULL) != SFT_OK) status = 1;
        sft_creature_get_world(creature, state, joints);
        for (int32_t l = 0; l < def->leg_count; ++l)
        {
            const int32_t foot = def->legs[l].joints[def->legs[l].joint_count - 1];
            if (feet[l].standing && !feet[l].swinging)
                off = sft_maxd(off, sft_v3d_distance(joints[foot].t, feet[l].position));
        }
        const sft_creature_body* body = sft_creature_get_body(state);
        way += sft_v3d_distance(body->place.t, last);
        last = body->place.t;
    }
    printf("walked %.2f m in %d s; steps", way, SECONDS);
    for (int32_t l = 0; l < def->leg_count; ++l)
        printf(" %d", (int)feet[l].steps);
    printf("; standing feet were off their place by %.6f mm at most\n", 1e3 * off);
    free(memory);
    return status == 0 && off < 1e-4 && way > 1.0 ? 0 : 1;
}

int main(void)
{
    sft_skeleton* skeleton = NULL;
    sft_creature* creature = NULL;
    sft_creature_def* def = malloc(sizeof *def);
    sft_xformd joints[LIZARD_JOINTS];
    sft_error error = {0};
    int status = 1;
    if (def != NULL && lizard_create(&skeleton) == SFT_OK &&
        sft_creature_find(skeleton, NULL, NULL, def, &error) == SFT_OK &&
        sft_creature_create(def, skeleton, NULL, &creature, &error) == SFT_OK)
        status = walk(creature, def, joints);
    else
        fprintf(stderr, "creature_walk: %s\n", error.message);
    sft_creature_destroy(creature, NULL);
    sft_skeleton_destroy(skeleton, NULL);
    free(def);
    return status;
}
