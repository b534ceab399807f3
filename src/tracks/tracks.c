// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// Places of the joints that stand, and how they turn, frame by frame.

#include "surefoot/tracks.h"

#include "core/core.h"

#define CONTACT_THRESHOLD 0.75

// The tracks with what they point into; `tracks` is first, so that a pointer to it is a pointer to the whole.
typedef struct tracks_owner
{
    sft_tracks tracks;
    sft_v3d* points;
    sft_quatd* turns;
    size_t point_count, turn_count;
    sft_contact_body bodies[SFT_MAX_LEGS];
} tracks_owner;

static bool legs_fit(const sft_tracks_body* body)
{
    const int32_t joints = body->skeleton->joint_count;
    for (int32_t i = 0; i < body->leg_count; ++i)
    {
        const sft_leg* leg = &body->legs[i];
        const int32_t needed[5] = {leg->pelvis, leg->hip, leg->knee, leg->heel, leg->toe};
        for (int k = 0; k < 5; ++k)
            if (needed[k] < 0 || needed[k] >= joints) return false;
        if (leg->toe_end >= joints) return false;
    }
    return true;
}

static void copy_rotations(const sft_clip* clip, int32_t joint, sft_quatd* out)
{
    for (int32_t f = 0; f < clip->frame_count; ++f)
        out[f] = clip->rotations[(size_t)f * (size_t)clip->joint_count + (size_t)joint];
}

// The five points and four turning joints of one leg; `point` and `turn` have room for them.
static void fill_leg(const sft_tracks_body* body, const sft_clip* clip, int32_t i, sft_v3d* point, sft_quatd* turn,
                     sft_tracks* out)
{
    const size_t n = (size_t)clip->frame_count;
    const sft_leg* leg = &body->legs[i];
    const int32_t joints[5] = {leg->hip, leg->knee, leg->heel, leg->toe, leg->toe_end};
    const sft_v3d* track[5] = {NULL, NULL, NULL, NULL, NULL};
    for (int k = 0; k < 5; ++k)
    {
        if (joints[k] < 0) continue;
        sft_v3d* own = point + (size_t)k * n;
        track[k] = own;
        sft_clip_joint_track(body->skeleton, clip, joints[k], own);
        if (k == 4) continue;
        copy_rotations(clip, joints[k], turn + (size_t)k * n);
        out->rotations[4 * i + k] = turn + (size_t)k * n;
    }
    out->hips[i] = track[0];
    out->knees[i] = track[1];
    out->feet[i] = (sft_foot_tracks){track[2], track[3], track[4]};
    const size_t f = (size_t)body->first_frame;
    for (int k = 0; k < 3 && f < n; ++k)
        out->input.leg_length += sft_v3d_distance(track[k][f], track[k + 1][f]) / (double)body->leg_count;
}

static double leg_length(const sft_tracks* tracks, int32_t leg, int32_t frame)
{
    const sft_v3d* way[4] = {tracks->hips[leg], tracks->knees[leg], tracks->feet[leg].heel, tracks->feet[leg].toe};
    double length = 0.0;
    for (int k = 0; k < 3 && frame < tracks->input.frame_count; ++k)
        length += sft_v3d_distance(way[k][frame], way[k + 1][frame]);
    return length;
}

static int32_t first_leg_of(const sft_tracks_body* body, int32_t root)
{
    int32_t i = 0;
    while (sft_leg_root(body->skeleton, &body->legs[i]) != root)
        ++i;
    return i;
}

static int32_t character_count(const sft_tracks_body* body)
{
    int32_t count = 0;
    for (int32_t i = 0; i < body->leg_count; ++i)
        count += first_leg_of(body, sft_leg_root(body->skeleton, &body->legs[i])) == i;
    return count;
}

// Each character's own pelvis and legs; `point` has room for a track a character.
static void fill_bodies(const sft_tracks_body* body, const sft_clip* clip, sft_v3d* point, tracks_owner* owner)
{
    for (int32_t i = 0; i < body->leg_count; ++i)
    {
        const int32_t root = sft_leg_root(body->skeleton, &body->legs[i]), first = first_leg_of(body, root);
        sft_contact_body* own = &owner->bodies[i];
        if (first < i)
        {
            *own = owner->bodies[first];
            continue;
        }
        sft_clip_joint_track(body->skeleton, clip, body->legs[i].pelvis, point);
        *own = (sft_contact_body){point, 0.0};
        double legs = 0.0;
        for (int32_t k = i; k < body->leg_count; ++k)
            if (sft_leg_root(body->skeleton, &body->legs[k]) == root)
            {
                own->leg_length += leg_length(&owner->tracks, k, body->first_frame);
                legs += 1.0;
            }
        own->leg_length /= legs;
        point += clip->frame_count;
    }
    owner->tracks.input.bodies = owner->bodies;
}

static void fill(const sft_tracks_body* body, const sft_clip* clip, tracks_owner* owner)
{
    const size_t n = (size_t)clip->frame_count;
    sft_tracks* out = &owner->tracks;
    sft_clip_joint_track(body->skeleton, clip, body->legs[0].pelvis, owner->points);
    out->input = (sft_contact_input){.frame_count = clip->frame_count,
                                     .frame_time = clip->frame_time,
                                     .first_frame = body->first_frame,
                                     .pelvis = owner->points,
                                     .feet = out->feet,
                                     .foot_count = body->leg_count};
    for (int32_t i = 0; i < body->leg_count; ++i)
        fill_leg(body, clip, i, owner->points + (1 + 5 * (size_t)i) * n, owner->turns + 4 * (size_t)i * n, out);
    if (character_count(body) > 1)
        fill_bodies(body, clip, owner->points + (1 + 5 * (size_t)body->leg_count) * n, owner);
}

sft_result sft_tracks_create(const sft_tracks_body* body, const sft_clip* clip, const sft_allocator* allocator,
                             sft_tracks** out)
{
    if (body == NULL || clip == NULL || out == NULL || body->skeleton == NULL || body->legs == NULL ||
        body->leg_count < 1 || body->leg_count > SFT_MAX_LEGS || body->first_frame < 0 ||
        clip->joint_count != body->skeleton->joint_count || !legs_fit(body))
        return SFT_ERR_ARG;
    const size_t n = (size_t)clip->frame_count, legs = (size_t)body->leg_count;
    tracks_owner* owner = sft_core_alloc(allocator, 1, sizeof *owner);
    if (owner == NULL) return SFT_ERR_MEMORY;
    const size_t characters = (size_t)character_count(body);
    owner->point_count = (1 + 5 * legs + (characters > 1 ? characters : 0)) * n;
    owner->turn_count = 4 * legs * n;
    owner->points = sft_core_alloc(allocator, owner->point_count, sizeof *owner->points);
    owner->turns = sft_core_alloc(allocator, owner->turn_count, sizeof *owner->turns);
    if (owner->points == NULL || owner->turns == NULL)
    {
        sft_tracks_destroy(&owner->tracks, allocator);
        return SFT_ERR_MEMORY;
    }
    fill(body, clip, owner);
    *out = &owner->tracks;
    return SFT_OK;
}

void sft_tracks_destroy(sft_tracks* tracks, const sft_allocator* allocator)
{
    if (tracks == NULL) return;
    tracks_owner* owner = (tracks_owner*)(void*)tracks;
    sft_core_free(allocator, owner->points, owner->point_count, sizeof *owner->points);
    sft_core_free(allocator, owner->turns, owner->turn_count, sizeof *owner->turns);
    sft_core_free(allocator, owner, 1, sizeof *owner);
}

sft_metrics_input sft_tracks_metrics_input(const sft_tracks* tracks, const sft_contact_labels* labels)
{
    return (sft_metrics_input){.tracks = &tracks->input,
                               .labels = labels,
                               .contact_threshold = CONTACT_THRESHOLD,
                               .hips = tracks->hips,
                               .knees = tracks->knees,
                               .rotations = tracks->rotations};
}
