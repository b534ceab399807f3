// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// Any two skeletons, understood as far as they can be or with meanings that lie, mapped onto each other: a map that is
// made writes as JSON and reads back the same; that text with bytes changed is refused with a sentence or is a map; a
// frame of any pose gives finite unit rotations.

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "surefoot/surefoot.h"

#define JOINTS 40

typedef struct reader
{
    const uint8_t* data;
    size_t size;
} reader;

static uint8_t byte(reader* r)
{
    if (r->size == 0) return 0;
    --r->size;
    return *r->data++;
}

static double number(reader* r, double scale)
{
    return scale * (byte(r) / 127.5 - 1.0);
}

static void require(bool condition)
{
    if (!condition) abort();
}

typedef struct body
{
    char names[JOINTS][16];
    const char* list[JOINTS];
    int32_t parents[JOINTS];
    uint32_t flags[JOINTS];
    sft_v3d rest[JOINTS];
    sft_quatd turn[JOINTS];
    sft_joint_meaning meanings[JOINTS];
    sft_skeleton* skeleton;
    sft_rig* rig;
} body;

static sft_quatd rotation(reader* r)
{
    const double x = number(r, 3.0), y = number(r, 3.0), z = number(r, 3.0);
    return sft_quatd_exp(sft_v3d_make(x, y, z));
}

/// A figure that has hips, trunk and limbs, or only what the bytes say.
static bool make_body(reader* r, body* b)
{
    static const char* const words[16] = {"Hips",     "Spine", "Neck",    "Head",      "LeftArm",  "LeftForeArm",
                                          "LeftHand", "Bone",  "LeftLeg", "LeftUpLeg", "LeftFoot", "RightUpLeg",
                                          "RightLeg", "Twist", "\xff",    ""};
    const int32_t count = 1 + byte(r) % JOINTS;
    const bool lies = byte(r) % 2 != 0, turned = byte(r) % 2 != 0;
    for (int32_t j = 0; j < count; ++j)
    {
        const uint8_t what = byte(r);
        snprintf(b->names[j], sizeof b->names[j], "%s", words[what % 16]);
        b->list[j] = b->names[j];
        // Mostly below the one before, so that chains form.
        b->parents[j] = j == 0 ? -1 : what < 160 ? j - 1 : (int32_t)(byte(r) % (j + 1)) - 1;
        b->flags[j] = what == 255 ? SFT_JOINT_END_SITE : 0u;
        const double x = number(r, 0.5), y = number(r, 1.0);
        b->rest[j] = sft_v3d_make(x, y, number(r, 0.2));
        b->turn[j] = turned ? rotation(r) : sft_quatd_identity();
        sft_joint_meaning* m = &b->meanings[j];
        *m = (sft_joint_meaning){.part = (sft_part)(byte(r) % 17), .digit = byte(r) % 7 - 1, .carrier = -1};
        m->side = (sft_leg_side)(byte(r) % 3);
        m->pair = byte(r) % 2;
        m->index = byte(r) % 4;
        m->confidence = (float)(byte(r) / 255.0);
        if (m->part == SFT_PART_TWIST) m->carrier = (int32_t)(byte(r) % (count + 1)) - 1;
    }
    const sft_skeleton def = {count, b->list, b->parents, b->flags, b->rest, b->turn};
    if (sft_skeleton_create(&def, NULL, &b->skeleton) != SFT_OK) return false;
    sft_rig_def how = sft_default_rig_def();
    if (lies) how.meanings = b->meanings;
    return sft_rig_create(&how, b->skeleton, NULL, NULL, &b->rig) == SFT_OK;
}

static void move(reader* r, const sft_retarget_map* map, const body* from, const body* onto)
{
    sft_v3d t[JOINTS], out_t[JOINTS];
    sft_quatd q[JOINTS], out_q[JOINTS];
    sft_transfer_def def = sft_default_transfer_def();
    def.mirror = byte(r) % 2 != 0;
    def.travel = (sft_travel_owner)(byte(r) % 2);
    def.non_rigid = (sft_non_rigid)(byte(r) % 2);
    const bool reference = byte(r) % 4 == 0;
    for (int32_t j = 0; j < from->skeleton->joint_count; ++j)
    {
        t[j] = reference ? from->rig->base_t[j] : sft_v3d_make(number(r, 2.0), number(r, 2.0), 0.1);
        q[j] = reference ? from->rig->pose_r[j] : rotation(r);
    }
    void* scratch = malloc(sft_retarget_scratch_size(map));
    require(scratch != NULL && sft_retarget_frame(&def, map, t, q, scratch, out_t, out_q) == SFT_OK);
    free(scratch);
    for (int32_t j = 0; j < onto->skeleton->joint_count; ++j)
    {
        require(fabs(out_t[j].x) < 1e12 && fabs(out_t[j].y) < 1e12 && fabs(out_t[j].z) < 1e12);
        require(fabs(sft_quatd_dot(out_q[j], out_q[j]) - 1.0) < 1e-2);
    }
}

static void read_changed(reader* r, const sft_rig_pair* rigs, char* text, size_t size)
{
    sft_retarget_map* map = NULL;
    sft_error error = {0};
    require(sft_retarget_map_parse_json(rigs, text, size, NULL, &map, &error) == SFT_OK);
    sft_retarget_map_destroy(map);
    for (int k = 0; k < 4 && r->size > 2; ++k)
        text[(byte(r) * 256u + byte(r)) % size] = (char)byte(r);
    map = NULL;
    if (sft_retarget_map_parse_json(rigs, text, size, NULL, &map, &error) == SFT_OK)
        sft_retarget_map_destroy(map);
    else
        require(map == NULL && error.message[0] != '\0');
}

static void write_and_read(reader* r, const sft_retarget_map* map, const sft_rig_pair* rigs)
{
    char *text = NULL, *again = NULL;
    size_t size = 0, again_size = 0;
    require(sft_retarget_map_format_json(map, rigs, NULL, &text, &size) == SFT_OK);
    sft_retarget_map* back = NULL;
    require(sft_retarget_map_parse_json(rigs, text, size, NULL, &back, NULL) == SFT_OK);
    require(sft_retarget_map_format_json(back, rigs, NULL, &again, &again_size) == SFT_OK);
    require(size == again_size && memcmp(text, again, size) == 0);
    sft_retarget_map_destroy(back);
    read_changed(r, rigs, text, size);
    free(text);
    free(again);
}

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size)
{
    reader r = {data, size};
    static body from, onto;
    memset(&from, 0, sizeof from);
    memset(&onto, 0, sizeof onto);
    if (make_body(&r, &from) && make_body(&r, &onto))
    {
        const sft_rig_pair rigs = {from.rig, onto.rig};
        sft_retarget_map* map = NULL;
        sft_error error = {0};
        const sft_result result = sft_retarget_map_create(&rigs, NULL, &map, &error);
        if (result == SFT_OK)
        {
            move(&r, map, &from, &onto);
            write_and_read(&r, map, &rigs);
            sft_retarget_map_destroy(map);
        }
        else
            require(map == NULL && error.code == result && error.message[0] != '\0');
    }
    for (int k = 0; k < 2; ++k)
    {
        body* b = k == 0 ? &from : &onto;
        sft_rig_destroy(b->rig, NULL);
        sft_skeleton_destroy(b->skeleton, NULL);
    }
    return 0;
}
