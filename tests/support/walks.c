// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

#include "support/walks.h"

static sft_v3d* track(const walk* w, int32_t joint)
{
    if (joint < 0) return NULL;
    sft_v3d* out = calloc((size_t)w->clip->frame_count, sizeof *out);
    assert_non_null(out);
    sft_clip_joint_track(w->skeleton, w->clip, joint, out);
    return out;
}

static void label(walk* w)
{
    sft_foot_tracks feet[SFT_MAX_LEGS];
    sft_v3d* at[SFT_MAX_LEGS][3];
    for (int32_t l = 0; l < w->leg_count; ++l)
    {
        const int32_t joints[3] = {w->legs[l].heel, w->legs[l].toe, w->legs[l].toe_end};
        for (int k = 0; k < 3; ++k)
            at[l][k] = track(w, joints[k]);
        feet[l] = (sft_foot_tracks){at[l][0], at[l][1], at[l][2]};
    }
    sft_v3d* pelvis = track(w, w->legs[0].pelvis);
    const sft_contact_input in = {.frame_count = w->clip->frame_count,
                                  .frame_time = w->clip->frame_time,
                                  .first_frame = w->first,
                                  .pelvis = pelvis,
                                  .feet = feet,
                                  .foot_count = w->leg_count};
    const sft_contact_def def = sft_default_contact_def();
    assert_int_equal(sft_contact_labels_create(w->clip->frame_count, w->leg_count, NULL, &w->labels), SFT_OK);
    assert_int_equal(sft_contact_label(&def, &in, NULL, w->labels, NULL), SFT_OK);
    for (int32_t l = 0; l < w->leg_count; ++l)
        for (int k = 0; k < 3; ++k)
            free(at[l][k]);
    free(pelvis);
}

void walk_finish(walk* w)
{
    assert_int_equal(sft_leg_find(w->skeleton, w->clip, NULL, w->legs, SFT_MAX_LEGS, &w->leg_count), SFT_OK);
    assert_true(w->leg_count > 0);
    w->first = sft_clip_first_frame(w->skeleton, w->clip, NULL);
    label(w);
    sft_cleanup_def def = sft_default_cleanup_def();
    def.first_frame = w->first;
    assert_int_equal(sft_cleanup_clip(&def, w->skeleton, w->legs, w->leg_count, w->labels, NULL, w->clip, NULL, NULL),
                     SFT_OK);
}

bool walk_load(const char* name, walk* out)
{
    char relative[128], path[1024];
    snprintf(relative, sizeof relative, "bvh/%s.bvh", name);
    if (!support_data(relative, path, sizeof path)) return false;
    void* bytes;
    size_t size;
    sft_bvh* bvh;
    sft_space space;
    *out = (walk){0};
    assert_int_equal(sft_file_read(path, (size_t)1 << 28, NULL, &bytes, &size, NULL), SFT_OK);
    const sft_bvh_read_def def = sft_default_bvh_read_def();
    assert_int_equal(sft_bvh_read(&def, bytes, size, NULL, &bvh, NULL), SFT_OK);
    assert_int_equal(sft_bvh_to_clip(bvh, NULL, &out->skeleton, &out->clip), SFT_OK);
    assert_int_equal(sft_clip_infer_space(out->skeleton, out->clip, NULL, &space), SFT_OK);
    assert_int_equal(sft_clip_rescale(out->skeleton, out->clip, &space), SFT_OK);
    sft_bvh_destroy(bvh);
    free(bytes);
    walk_finish(out);
    return true;
}

bool walk_load_gltf(const char* relative, const char* clip_name, walk* out)
{
    char path[1024];
    if (!support_data(relative, path, sizeof path)) return false;
    const sft_io_read_def def = sft_default_io_read_def();
    sft_io_document* document;
    sft_error error = {0};
    *out = (walk){0};
    assert_int_equal(sft_io_read_file(&def, path, NULL, &document, &error), SFT_OK);
    const int32_t index = sft_io_find_clip(document, clip_name);
    assert_true(index >= 0);
    const sft_gltf_clip_def clip_def = sft_default_gltf_clip_def();
    sft_gltf_frames frames;
    assert_int_equal(sft_io_to_clip(document, index, &clip_def, NULL, &out->skeleton, &out->clip, &frames, &error),
                     SFT_OK);
    sft_space space;
    assert_int_equal(sft_clip_infer_space(out->skeleton, out->clip, NULL, &space), SFT_OK);
    if (space.figure_height > 20.0) assert_int_equal(sft_clip_rescale(out->skeleton, out->clip, &space), SFT_OK);
    sft_io_destroy(document);
    walk_finish(out);
    return true;
}

void walk_release(walk* w)
{
    sft_contact_labels_destroy(w->labels, NULL);
    sft_clip_destroy(w->clip, NULL);
    sft_skeleton_destroy(w->skeleton, NULL);
    *w = (walk){0};
}

sft_clip* walk_copy(const walk* w)
{
    sft_clip* out;
    assert_int_equal(sft_clip_create(w->clip->joint_count, w->clip->frame_count, w->clip->frame_time, NULL, &out),
                     SFT_OK);
    const size_t cells = (size_t)w->clip->joint_count * (size_t)w->clip->frame_count;
    memcpy(out->translations, w->clip->translations, cells * sizeof *out->translations);
    memcpy(out->rotations, w->clip->rotations, cells * sizeof *out->rotations);
    return out;
}
