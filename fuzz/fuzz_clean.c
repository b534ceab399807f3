// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// Any bytes through the whole main job: read, find legs, label, clean, measure, write, read again. Input that reads is
// a clip, however mad its figure: nothing behind the reader may crash, hang, or hand out what the reader refuses.

#include <stdlib.h>
#include <string.h>

#include "surefoot/surefoot.h"

// Larger clips only make the same steps slower.
#define MAX_CELLS 20000
#define MAX_LEGS 8

static void require(bool condition)
{
    if (!condition) abort();
}

typedef struct scene
{
    sft_bvh* bvh;
    sft_skeleton* skeleton;
    sft_clip* clip;
    sft_space space;
    sft_leg legs[MAX_LEGS];
    int32_t leg_count;
    int32_t first_frame;
    sft_v3d* tracks; ///< pelvis, then heel, toe, toe end of each leg
    sft_foot_tracks feet[MAX_LEGS];
    sft_contact_input input;
} scene;

static bool load(scene* s, const uint8_t* data, size_t size)
{
    if (sft_bvh_read(NULL, data, size, NULL, &s->bvh, NULL) != SFT_OK) return false;
    const sft_bvh_contents* view = sft_bvh_view(s->bvh);
    if (view->frame_count == 0 || (int64_t)view->frame_count * view->joint_count > MAX_CELLS) return false;
    if (sft_bvh_to_clip(s->bvh, NULL, &s->skeleton, &s->clip) != SFT_OK) return false;
    if (sft_clip_infer_space(s->skeleton, s->clip, NULL, &s->space) != SFT_OK) return false;
    if (sft_clip_rescale(s->skeleton, s->clip, &s->space) != SFT_OK) return false;
    s->first_frame = sft_clip_first_frame(s->skeleton, s->clip, NULL);
    require(sft_leg_find(s->skeleton, s->clip, NULL, s->legs, MAX_LEGS, &s->leg_count) == SFT_OK);
    return s->leg_count > 0;
}

static void make_tracks(scene* s)
{
    const size_t frames = (size_t)s->clip->frame_count;
    s->tracks = calloc(frames * (size_t)(1 + 3 * s->leg_count), sizeof *s->tracks);
    require(s->tracks != NULL);
    sft_v3d* at = s->tracks;
    sft_clip_joint_track(s->skeleton, s->clip, s->legs[0].pelvis, at);
    for (int32_t i = 0; i < s->leg_count; ++i)
    {
        const int32_t joints[3] = {s->legs[i].heel, s->legs[i].toe, s->legs[i].toe_end};
        const sft_v3d* track[3] = {NULL, NULL, NULL};
        for (int k = 0; k < 3; ++k)
        {
            at += frames;
            if (joints[k] < 0) continue;
            sft_clip_joint_track(s->skeleton, s->clip, joints[k], at);
            track[k] = at;
        }
        s->feet[i] = (sft_foot_tracks){track[0], track[1], track[2]};
    }
    s->input = (sft_contact_input){.frame_count = s->clip->frame_count,
                                   .frame_time = s->clip->frame_time,
                                   .first_frame = s->first_frame,
                                   .pelvis = s->tracks,
                                   .feet = s->feet,
                                   .foot_count = s->leg_count};
}

static void write_and_read(const scene* s)
{
    char* text = NULL;
    size_t size = 0;
    sft_bvh* again = NULL;
    require(sft_bvh_write(s->bvh, NULL, &text, &size) == SFT_OK);
    require(sft_bvh_read(NULL, text, size, NULL, &again, NULL) == SFT_OK);
    require(sft_bvh_view(again)->frame_count == sft_bvh_view(s->bvh)->frame_count);
    sft_bvh_destroy(again);
    free(text);
}

static void clean(scene* s, const sft_contact_labels* labels, uint8_t choice)
{
    const size_t joints = (size_t)s->clip->joint_count;
    uint8_t* masks = calloc(3 * joints, 1);
    require(masks != NULL);
    sft_cleanup_def def = sft_default_cleanup_def();
    // The last byte of the file, which its text does not mind, chooses how.
    def.method = (choice & 1) != 0 ? SFT_CLEANUP_RELAX : SFT_CLEANUP_DIRECT;
    def.give_way = (sft_give_way)((choice >> 1) % 3);
    def.loop = (choice & 8) != 0;
    def.allow_stretch = (choice & 16) != 0;
    def.first_frame = s->first_frame;
    def.relax_sweeps = 50;
    sft_cleanup_report report;
    memset(&report, 0, sizeof report);
    if (sft_cleanup_clip(&def, s->skeleton, s->legs, s->leg_count, labels, NULL, s->clip, masks, &report) == SFT_OK)
    {
        for (size_t j = 0; j < joints; ++j)
        {
            masks[joints + j] = masks[j] & 1u;
            masks[2 * joints + j] = (masks[j] >> 1) & 1u;
        }
        const sft_result applied = sft_bvh_apply(s->bvh, s->clip, &s->space, masks + joints, masks + 2 * joints, NULL);
        require(applied == SFT_OK || applied == SFT_ERR_UNSUPPORTED);
        sft_cleanup_report_release(&report, NULL);
        write_and_read(s);
    }
    free(masks);
}

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size)
{
    scene s;
    memset(&s, 0, sizeof s);
    sft_contact_labels* labels = NULL;
    if (load(&s, data, size))
    {
        make_tracks(&s);
        require(sft_contact_labels_create(s.clip->frame_count, s.leg_count, NULL, &labels) == SFT_OK);
        const sft_contact_def def = sft_default_contact_def();
        if (sft_contact_label(&def, &s.input, NULL, labels, NULL) == SFT_OK)
        {
            sft_metrics_foot feet[MAX_LEGS];
            sft_metrics_clip figures;
            const sft_metrics_input input = {.tracks = &s.input, .labels = labels, .contact_threshold = 0.75};
            (void)sft_metrics_measure(&input, NULL, feet, &figures);
            clean(&s, labels, data[size - 1]);
        }
    }
    sft_contact_labels_destroy(labels, NULL);
    free(s.tracks);
    sft_clip_destroy(s.clip, NULL);
    sft_skeleton_destroy(s.skeleton, NULL);
    sft_bvh_destroy(s.bvh);
    return 0;
}
