// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

#include "support/roamers.h"

#include <stdio.h>
#include <string.h>

#define DEGREES(d) ((d) * (3.14159265358979323846 / 180.0))

typedef struct plan
{
    int32_t count;
    int32_t parents[ROAMER_JOINTS];
    char names[ROAMER_JOINTS][32];
    sft_v3d places[ROAMER_JOINTS]; // creature space
} plan;

static int32_t joint(plan* p, int32_t parent, const char* name, double x, double y, double z)
{
    assert_true(p->count < ROAMER_JOINTS);
    int32_t j = p->count++;
    p->parents[j] = parent;
    snprintf(p->names[j], sizeof p->names[j], "%s", name);
    p->places[j] = (sft_v3d){x, y, z};
    return j;
}

// Places of a leg's joints on the left; the right mirrors x.
typedef struct leg_plan
{
    int32_t carrier, pair, count;
    sft_v3d places[SFT_CREATURE_LEG_JOINTS];
    bool toe; // one more joint below the foot, that rides along
    double step_distance, reach_max, ankle_offset;
} leg_plan;

static void add_pair(plan* p, sft_creature_def* def, const leg_plan* l)
{
    for (int s = 0; s < 2; ++s)
    {
        double m = s == 0 ? 1 : -1;
        sft_creature_leg* leg = &def->legs[def->leg_count++];
        memset(leg, 0, sizeof *leg);
        for (int g = 0; g < SFT_GAIT_COUNT; ++g)
            leg->group[g] = -1;
        leg->side = s == 0 ? SFT_LEG_LEFT : SFT_LEG_RIGHT;
        leg->pair = l->pair;
        leg->joint_count = l->count;
        int32_t above = l->carrier;
        for (int32_t k = 0; k < l->count; ++k)
        {
            char name[32];
            snprintf(name, sizeof name, "%c%d_%d", s == 0 ? 'l' : 'r', (int)l->pair, (int)k);
            above = joint(p, above, name, m * l->places[k].x, l->places[k].y, l->places[k].z);
            leg->joints[k] = above;
        }
        leg->home = p->places[above];
        if (l->toe) joint(p, above, s == 0 ? "l_toe" : "r_toe", leg->home.x, 0.01, leg->home.z + 0.12);
        leg->ankle_offset = l->ankle_offset;
        leg->step_distance = l->step_distance;
        leg->step_angle = DEGREES(35);
        leg->reach_max = l->reach_max;
        leg->reach_min = 0.25 * l->reach_max;
    }
}

static sft_creature_link link_to(int32_t joint, double share, double yaw, double pitch)
{
    return (sft_creature_link){.joint = joint, .share = share, .max_yaw = DEGREES(yaw), .max_pitch = DEGREES(pitch)};
}

static void eyes(plan* p, sft_creature_def* def, int32_t head, double x, double y, double z)
{
    for (int s = 0; s < 2; ++s)
    {
        int32_t eye = joint(p, head, s == 0 ? "l_eye" : "r_eye", s == 0 ? x : -x, y, z);
        def->eyes[def->eye_count++] = (sft_creature_eye){.joint = eye,
                                                         .forward = {0, 0, 1},
                                                         .max_in = DEGREES(15),
                                                         .max_out = DEGREES(40),
                                                         .max_pitch = DEGREES(25)};
    }
}

// 30 joints: body, 2 of spine, neck, head, 2 eyes, 7 of tail, 4 legs of 4 (the last a toe that rides along).
static void lizard(plan* p, sft_creature_def* def)
{
    int32_t body = joint(p, -1, "hips", 0, 0.10, -0.10);
    int32_t spine = joint(p, body, "spine", 0, 0.105, 0);
    int32_t chest = joint(p, spine, "chest", 0, 0.105, 0.08);
    int32_t neck = joint(p, chest, "neck", 0, 0.115, 0.16);
    int32_t head = joint(p, neck, "head", 0, 0.125, 0.20);
    eyes(p, def, head, 0.02, 0.135, 0.23);
    int32_t tail = body;
    for (int i = 0; i < 7; ++i)
    {
        char name[32];
        snprintf(name, sizeof name, "tail_%d", i);
        tail = joint(p, tail, name, 0, 0.10 - 0.008 * i, -0.15 - 0.05 * i);
        def->tail[def->tail_count++] = tail;
    }
    def->body = body;
    leg_plan hind = {body,  0,    3,     {{0.05, 0.10, -0.10}, {0.11, 0.14, -0.08}, {0.14, 0.015, -0.09}},
                     false, 0.06, 0.165, 0.015};
    leg_plan fore = {chest, 1,    3,     {{0.05, 0.10, 0.10}, {0.11, 0.14, 0.09}, {0.14, 0.015, 0.11}},
                     false, 0.06, 0.165, 0.015};
    add_pair(p, def, &hind);
    add_pair(p, def, &fore);
    for (int32_t l = 0; l < 4; ++l)
    {
        sft_v3d home = def->legs[l].home;
        joint(p, def->legs[l].joints[2], "claw", home.x, 0.002, home.z + 0.03);
        def->legs[l].group[SFT_GAIT_DIAGONAL] = l == 0 || l == 3 ? 0 : 1;
    }
    def->spine[def->spine_count++] = link_to(spine, 0.3, 20, 5);
    def->spine[def->spine_count++] = link_to(chest, 0.3, 20, 5);
    def->head[def->head_count++] = link_to(neck, 0.5, 40, 30);
    def->head[def->head_count++] = link_to(head, 1, 50, 35);
}

// Insects: a body and pairs of coxa, femur, tibia and foot, spread fanwise.
static void insect(plan* p, sft_creature_def* def, int32_t pairs)
{
    int32_t body = joint(p, -1, "body", 0, 0.12, 0);
    int32_t head = joint(p, body, "head", 0, 0.13, 0.14);
    def->body = body;
    for (int32_t i = 0; i < pairs; ++i)
    {
        double u = pairs > 1 ? 2.0 * i / (pairs - 1) - 1 : 0; // -1 hind to 1 fore
        double z = 0.10 * u, spread = 0.16 * u;
        leg_plan l = {
            body,
            i,
            4,
            {{0.05, 0.12, z}, {0.09, 0.13, z + 0.1 * spread}, {0.19, 0.19, z + 0.6 * spread}, {0.27, 0.01, z + spread}},
            false,
            0.07,
            0.33 + 0.04 * u * u,
            0.01};
        add_pair(p, def, &l);
        for (int s = 0; s < 2; ++s)
        {
            sft_creature_leg* leg = &def->legs[2 * i + s];
            leg->group[SFT_GAIT_TRIPOD] = (i + s) % 2;
        }
    }
    def->head[def->head_count++] = link_to(head, 1, 40, 25);
}

static void biped(plan* p, sft_creature_def* def)
{
    int32_t body = joint(p, -1, "hips", 0, 0.92, 0);
    int32_t spine = joint(p, body, "spine", 0, 1.10, 0);
    int32_t chest = joint(p, spine, "chest", 0, 1.35, 0);
    int32_t neck = joint(p, chest, "neck", 0, 1.50, 0);
    int32_t head = joint(p, neck, "head", 0, 1.60, 0.02);
    eyes(p, def, head, 0.03, 1.66, 0.10);
    def->body = body;
    leg_plan l = {body, 0, 3, {{0.09, 0.88, 0}, {0.10, 0.49, 0.11}, {0.10, 0.08, -0.02}}, true, 0.22, 0.825, 0.08};
    add_pair(p, def, &l);
    def->legs[0].group[SFT_GAIT_ALTERNATE] = 0;
    def->legs[1].group[SFT_GAIT_ALTERNATE] = 1;
    def->spine[def->spine_count++] = link_to(spine, 0.2, 15, 5);
    def->spine[def->spine_count++] = link_to(chest, 0.3, 20, 5);
    def->head[def->head_count++] = link_to(neck, 0.4, 30, 25);
    def->head[def->head_count++] = link_to(head, 1, 50, 35);
    def->motion.max_speed = 1.4;
    def->motion.stop_distance = 0.8;
    def->motion.approach_distance = 1.1;
    def->motion.back_distance = 0.4;
    def->motion.body_radius = 0.25;
    def->motion.body_height = 1.0;
    def->swing.time = 0.3;
    def->swing.lift = 0.3;
    def->swing.probe_above = 0.5;
    def->swing.probe_below = 0.7;
    def->bob.amplitude = (sft_v3d){0.01, 0.015, 0};
}

void make_roamer(roamer_kind kind, roamer* out)
{
    plan* p = calloc(1, sizeof *p);
    assert_non_null(p);
    memset(out, 0, sizeof *out);
    out->def = sft_default_creature_def();
    sft_gait gait = SFT_GAIT_DIAGONAL;
    switch (kind)
    {
    case ROAMER_LIZARD:
        lizard(p, &out->def);
        break;
    case ROAMER_HEXAPOD:
        insect(p, &out->def, 3);
        gait = SFT_GAIT_TRIPOD;
        break;
    case ROAMER_SPIDER:
        insect(p, &out->def, 4);
        gait = SFT_GAIT_TRIPOD;
        break;
    default:
        biped(p, &out->def);
        gait = SFT_GAIT_ALTERNATE;
        break;
    }
    out->def.gaits = 1u << gait;
    out->length = kind == ROAMER_BIPED ? 0.6 : 0.5;

    const char* names[ROAMER_JOINTS];
    sft_v3d offsets[ROAMER_JOINTS];
    for (int32_t j = 0; j < p->count; ++j)
    {
        names[j] = p->names[j];
        offsets[j] = p->parents[j] < 0 ? p->places[j] : sft_v3d_sub(p->places[j], p->places[p->parents[j]]);
    }
    sft_skeleton skeleton = {
        .joint_count = p->count, .names = names, .parents = p->parents, .rest_translations = offsets};
    assert_int_equal(sft_skeleton_create(&skeleton, NULL, &out->skeleton), SFT_OK);
    free(p);
}

void release_roamer(roamer* made)
{
    sft_skeleton_destroy(made->skeleton, NULL);
    memset(made, 0, sizeof *made);
}
