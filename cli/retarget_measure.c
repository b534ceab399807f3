// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// What moving a clip did: feet on the ground before and after mending, and how far limbs point from where the source's
// point. Directions come from places of joints alone, so that they judge the transfer rather than repeat it.

#include "retarget.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// [m] shorter bones have no direction to speak of.
#define SHORTEST_BONE 1e-4
// ---- feet ----

static void find_source_ground(const retarget* r, retarget_job* j)
{
    j->source_ground =
        cli_find_floor(r->options.threshold, j->source, j->source_tracks, &j->contacts, &j->ground_reason);
    bool planted = false;
    (void)sft_tracks_plant_level(j->source_tracks, j->contacts.labels, r->options.threshold, NULL, &j->source_level,
                                 &planted);
    if (!planted) j->source_level = j->source_ground;
}

void retarget_find_ground(const retarget* r, retarget_job* j)
{
    int32_t index;
    const sft_gltf* gltf = sft_io_gltf(cli_stage(j->source, &index));
    const sft_rig_pair rigs = {j->source_rig, j->target_rig};
    const sft_retarget_footing footing = {.floor = j->source_ground,
                                          .level = j->source_level,
                                          .source_soles = gltf != NULL && sft_gltf_view(gltf)->mesh_count > 0,
                                          .target_stands = !j->onto_bvh,
                                          .scale = r->transfer.scale > 0.0 ? r->transfer.scale : j->pairs->scale};
    sft_retarget_grounds found = {0};
    (void)sft_retarget_find_grounds(&footing, &rigs, &found);
    j->target_ground = found.ground;
    j->target_ground_reason = found.reason;
    j->target_sole = found.sole;
    j->sole_lift = found.sole_lift;
    j->level_foot = found.source_level;
}

int retarget_look_at_source(const retarget* r, retarget_job* j)
{
    j->ground_reason = "no legs, so that of the world";
    if (j->source->leg_count == 0) return EXIT_DONE;
    int code = cli_make_tracks(j->source, j->source->clip, &j->source_tracks);
    if (code == EXIT_DONE) code = cli_make_contacts(&r->options, j->source, j->source_tracks, false, &j->contacts);
    if (code == EXIT_DONE)
        code = cli_measure(&r->options, j->source, j->source_tracks, &j->contacts, &j->source_figures);
    if (code == EXIT_DONE) find_source_ground(r, j);
    return code;
}

static sft_leg_side other_side(sft_leg_side side)
{
    return side == SFT_LEG_LEFT ? SFT_LEG_RIGHT : side == SFT_LEG_RIGHT ? SFT_LEG_LEFT : side;
}

// The source's leg whose contacts a leg of the target has; -1 none.
static int32_t source_leg(const retarget* r, const retarget_job* j, int32_t leg)
{
    const sft_leg* wanted = &j->shown.legs[leg];
    const sft_leg_side side = r->transfer.mirror ? other_side(wanted->side) : wanted->side;
    for (int32_t i = 0; i < j->source->leg_count; ++i)
        if (j->source->legs[i].side == side && j->source->legs[i].pair == wanted->pair) return i;
    return -1;
}

int retarget_carry_contacts(const retarget* r, retarget_job* j)
{
    const size_t frames = (size_t)j->source->frame_count;
    if (j->source->leg_count == 0 || j->shown.leg_count == 0) return EXIT_DONE;
    j->carried.mismatch = j->contacts.mismatch;
    j->carried.imported = j->contacts.imported;
    // What the mending kept planted feet to, which on the spot is what the target's own legs tread.
    const bool planted = j->solved != NULL && !r->no_clean;
    j->carried.ground = planted ? j->mended.ground_velocity
                                : sft_v3d_scale(j->transfer.scale, retarget_direction(r, j, j->contacts.ground));
    if (sft_contact_labels_create((int32_t)frames, j->shown.leg_count, NULL, &j->carried.labels) != SFT_OK)
        return cli_fail(EXIT_MEMORY, "out of memory");
    for (int32_t i = 0; i < j->shown.leg_count; ++i)
    {
        const int32_t from = source_leg(r, j, i);
        j->carried.mismatches[i] = j->carried.mismatch;
        j->carried.grounds[i] = j->carried.ground;
        if (from < 0) continue;
        const size_t to = (size_t)i * frames, row = (size_t)from * frames;
        memcpy(j->carried.labels->plant + to, j->contacts.labels->plant + row, frames * sizeof(float));
        memcpy(j->carried.labels->touch + to, j->contacts.labels->touch + row, frames * sizeof(float));
    }
    return EXIT_DONE;
}

// [cm] deepest that heel, toe or toe end lies below where it is over level ground when the foot stands on its sole.
static double deepest(const retarget_job* j, const tracks* t)
{
    double depth = 0.0;
    for (int32_t i = 0; i < j->shown.leg_count; ++i)
    {
        const sft_leg* leg = &j->shown.legs[i];
        const sft_foot_tracks* foot = &t->feet[i];
        const sft_v3d* points[3] = {foot->heel, foot->toe, foot->toe_end};
        const double least[3] = {leg->heel_min, leg->toe_min, leg->toe_end_min};
        for (int k = 0; k < 3; ++k)
            for (int32_t f = j->shown.first_frame; points[k] != NULL && f < t->input.frame_count; ++f)
                depth = sft_maxd(depth, j->target_ground + j->target_sole + least[k] - points[k][f].y);
    }
    return 100.0 * depth;
}

static int measure_feet(const retarget* r, retarget_job* j)
{
    if (j->carried.labels == NULL) return EXIT_DONE;
    int code = cli_make_tracks(&j->shown, j->moved, &j->before_tracks);
    if (code == EXIT_DONE) code = cli_make_tracks(&j->shown, j->written, &j->after_tracks);
    if (code == EXIT_DONE) code = cli_measure(&r->options, &j->shown, j->before_tracks, &j->carried, &j->before);
    if (code == EXIT_DONE) code = cli_measure(&r->options, &j->shown, j->after_tracks, &j->carried, &j->after);
    if (code != EXIT_DONE) return code;
    j->before_depth = deepest(j, j->before_tracks);
    j->after_depth = deepest(j, j->after_tracks);
    return EXIT_DONE;
}

// ---- limbs ----

int32_t retarget_find_part(const sft_rig* rig, sft_part part, sft_leg_side side)
{
    for (int32_t k = 0; k < rig->skeleton->joint_count; ++k)
    {
        const sft_joint_meaning* m = &rig->meanings[k];
        if (m->part == part && m->side == side && m->pair == 0 && m->index == 0) return k;
    }
    return -1;
}

static const sft_leg* find_leg(const sft_rig* rig, sft_leg_side side, int32_t pair)
{
    for (int32_t i = 0; i < rig->leg_count; ++i)
        if (rig->legs[i].side == side && rig->legs[i].pair == pair) return &rig->legs[i];
    return NULL;
}

static int add_limb(retarget_job* j, const char* name, const int32_t source[2], const int32_t target[2])
{
    if (source[0] < 0 || source[1] < 0 || target[0] < 0 || target[1] < 0) return EXIT_DONE;
    limb_error* limb = &j->limbs[j->limb_count];
    const size_t frames = (size_t)j->source->frame_count + 1;
    *limb = (limb_error){.source = {source[0], source[1]}, .target = {target[0], target[1]}};
    snprintf(limb->name, sizeof limb->name, "%s", name);
    limb->moved = calloc(frames, sizeof *limb->moved);
    limb->solved = calloc(frames, sizeof *limb->solved);
    ++j->limb_count;
    return limb->moved != NULL && limb->solved != NULL ? EXIT_DONE : cli_fail(EXIT_MEMORY, "out of memory");
}

// Named after the target's side.
static int add_arm(const retarget* r, retarget_job* j, sft_leg_side side)
{
    static const sft_part parts[3] = {SFT_PART_UPPER_ARM, SFT_PART_FOREARM, SFT_PART_HAND};
    static const char* const names[2][2] = {{"left upper arm", "left forearm"}, {"right upper arm", "right forearm"}};
    const sft_leg_side from = r->transfer.mirror ? other_side(side) : side;
    int32_t source[3], target[3];
    for (int k = 0; k < 3; ++k)
    {
        source[k] = retarget_find_part(j->source_rig, parts[k], from);
        target[k] = retarget_find_part(j->target_rig, parts[k], side);
    }
    const int which = side == SFT_LEG_LEFT ? 0 : 1;
    const int code = add_limb(j, names[which][0], source, target);
    return code == EXIT_DONE ? add_limb(j, names[which][1], source + 1, target + 1) : code;
}

static int add_leg(const retarget* r, retarget_job* j, const sft_leg* leg)
{
    static const char* const sides[3] = {"left", "right", "middle"};
    const sft_leg_side from = r->transfer.mirror ? other_side(leg->side) : leg->side;
    const sft_leg* other = find_leg(j->source_rig, from, leg->pair);
    if (other == NULL) return EXIT_DONE;
    const int32_t source[3] = {other->hip, other->knee, other->heel}, target[3] = {leg->hip, leg->knee, leg->heel};
    int code = EXIT_DONE;
    for (int k = 0; k < 2 && code == EXIT_DONE; ++k)
    {
        char name[32], pair[16] = "";
        if (j->target_rig->leg_count > 2) snprintf(pair, sizeof pair, " %d", (int)leg->pair);
        snprintf(name, sizeof name, "%s %s%s", sides[leg->side], k == 0 ? "thigh" : "shin", pair);
        code = add_limb(j, name, source + k, target + k);
    }
    return code;
}

static int find_limbs(const retarget* r, retarget_job* j)
{
    int code = add_arm(r, j, SFT_LEG_LEFT);
    if (code == EXIT_DONE) code = add_arm(r, j, SFT_LEG_RIGHT);
    for (int32_t i = 0; i < j->target_rig->leg_count && code == EXIT_DONE; ++i)
        code = add_leg(r, j, &j->target_rig->legs[i]);
    return code;
}

// [degrees] between two directions; 0 where one of them has no length.
static double degrees_between(sft_v3d a, sft_v3d b)
{
    if (sft_v3d_length(a) < SHORTEST_BONE || sft_v3d_length(b) < SHORTEST_BONE) return 0.0;
    const double angle = sft_atan2(sft_v3d_length(sft_v3d_cross(a, b)), sft_v3d_dot(a, b));
    return angle * 180.0 / SFT_PI;
}

typedef struct poses
{
    sft_xformd *source, *moved, *written;
} poses;

static void forward(const sft_skeleton* s, const sft_clip* clip, int32_t frame, sft_xformd* out)
{
    const size_t row = (size_t)frame * (size_t)clip->joint_count;
    sft_skeleton_forward(s, clip->translations + row, clip->rotations + row, out);
}

static void limbs_of_frame(const retarget* r, retarget_job* j, const poses* p, int32_t frame)
{
    forward(j->source->skeleton, j->source->clip, frame, p->source);
    forward(j->target->skeleton, j->moved, frame, p->moved);
    forward(j->target->skeleton, j->written, frame, p->written);
    for (int32_t i = 0; i < j->limb_count; ++i)
    {
        limb_error* limb = &j->limbs[i];
        const sft_v3d bone = sft_v3d_sub(p->source[limb->source[1]].t, p->source[limb->source[0]].t);
        const sft_v3d wanted = retarget_direction(r, j, bone);
        const int32_t a = limb->target[0], b = limb->target[1];
        limb->moved[frame] = degrees_between(wanted, sft_v3d_sub(p->moved[b].t, p->moved[a].t));
        limb->solved[frame] = degrees_between(wanted, sft_v3d_sub(p->written[b].t, p->written[a].t));
    }
}

static int by_value(const void* a, const void* b)
{
    const double x = *(const double*)a, y = *(const double*)b;
    return (x > y) - (x < y);
}

static void sum_up(const double* values, int32_t first, int32_t count, double* scratch, double* mean, double* p99)
{
    const int32_t n = count - first;
    *mean = *p99 = 0.0;
    if (n < 1) return;
    memcpy(scratch, values + first, (size_t)n * sizeof *scratch);
    for (int32_t i = 0; i < n; ++i)
        *mean += scratch[i] / n;
    qsort(scratch, (size_t)n, sizeof *scratch, by_value);
    *p99 = scratch[(int32_t)(0.99 * (n - 1) + 0.5)];
}

static int measure_limbs(const retarget* r, retarget_job* j)
{
    const int code = find_limbs(r, j);
    if (code != EXIT_DONE) return code;
    const size_t a = (size_t)j->source->skeleton->joint_count, b = (size_t)j->target->skeleton->joint_count;
    const int32_t frames = j->source->frame_count, first = j->source->first_frame;
    sft_xformd* room = malloc((a + 2 * b) * sizeof *room);
    double* scratch = malloc(((size_t)frames + 1) * sizeof *scratch);
    const bool fine = room != NULL && scratch != NULL;
    for (int32_t f = 0; f < frames && fine; ++f)
        limbs_of_frame(r, j, &(poses){room, room + a, room + a + b}, f);
    for (int32_t i = 0; i < j->limb_count && fine; ++i)
    {
        limb_error* limb = &j->limbs[i];
        sum_up(limb->moved, first, frames, scratch, &limb->mean, &limb->p99);
        sum_up(limb->solved, first, frames, scratch, &limb->after_mean, &limb->after_p99);
        for (int32_t f = first; f < frames; ++f)
            if (limb->moved[f] > limb->max)
            {
                limb->max = limb->moved[f];
                limb->frame = f;
            }
    }
    free(room);
    free(scratch);
    return fine ? EXIT_DONE : cli_fail(EXIT_MEMORY, "out of memory");
}

int retarget_measure(const retarget* r, retarget_job* j)
{
    int code = retarget_carry_contacts(r, j);
    if (code == EXIT_DONE) code = measure_feet(r, j);
    if (code == EXIT_DONE) code = measure_limbs(r, j);
    return code;
}
