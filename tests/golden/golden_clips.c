// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// Golden scenes of whole clips and of files.
#include "golden.h"

static void fold_labels(golden* g, const sft_contact_labels* labels)
{
    const size_t count = (size_t)labels->foot_count * (size_t)labels->frame_count;
    for (size_t i = 0; i < count; ++i)
    {
        fold_double(g, (double)labels->plant[i]);
        fold_double(g, (double)labels->touch[i]);
    }
}

/// Where a walk's pelvis and feet go; `tracks` has seven times its frames and must live as long as what comes back.
/// Not reentrant: the feet stand in one static array.
static sft_contact_input walk_input(const walker* w, sft_v3d* tracks)
{
    static sft_foot_tracks feet[2];
    const int32_t frames = w->clip->frame_count;
    for (int32_t i = 0; i < 7; ++i)
    {
        const int32_t joint = i == 6 ? WALKER_HIPS : (i < 3 ? WALKER_LEFT_HIP : WALKER_RIGHT_HIP) + 2 + i % 3;
        sft_clip_joint_track(w->skeleton, w->clip, joint, tracks + (size_t)i * (size_t)frames);
    }
    for (size_t foot = 0; foot < 2; ++foot)
    {
        const sft_v3d* own = tracks + 3 * foot * (size_t)frames;
        feet[foot] = (sft_foot_tracks){own, own + frames, own + 2 * frames};
    }
    return (sft_contact_input){.frame_count = frames,
                               .frame_time = w->clip->frame_time,
                               .first_frame = w->first_frame,
                               .pelvis = tracks + 6 * (size_t)frames,
                               .feet = feet,
                               .foot_count = 2,
                               .leg_length = 0.9};
}

/// Labels of a walk, by the default labeller or the plain rule; release with sft_contact_labels_destroy.
static sft_contact_labels* label_walk(const walker* w, bool plain, sft_contact_mismatch* mismatch)
{
    sft_v3d* tracks = calloc(7 * (size_t)w->clip->frame_count, sizeof *tracks);
    sft_contact_labels* labels = NULL;
    if (tracks == NULL || sft_contact_labels_create(w->clip->frame_count, 2, NULL, &labels) != SFT_OK)
        fail("allocation");
    const sft_contact_input input = walk_input(w, tracks);
    const sft_contact_def def = sft_default_contact_def();
    const sft_result result = plain ? sft_contact_label_plain(&def, &input, NULL, labels)
                                    : sft_contact_label(&def, &input, NULL, labels, mismatch);
    if (result != SFT_OK) fail("sft_contact_label");
    free(tracks);
    return labels;
}

void scene_contacts(golden* g)
{
    const double rates[] = {30.0, 60.0, 120.0};
    const double scales[] = {0.75, 1.0, 1.25};
    for (size_t r = 0; r < GOLDEN_COUNT_OF(rates); ++r)
        for (size_t s = 0; s < GOLDEN_COUNT_OF(scales); ++s)
        {
            walker w;
            sft_contact_mismatch mismatch;
            make_walk(&w, (int32_t)(5.0 * rates[r]), rates[r], scales[s]);
            sft_contact_labels* plain = label_walk(&w, true, NULL);
            sft_contact_labels* own = label_walk(&w, false, &mismatch);
            fold_labels(g, plain);
            fold_labels(g, own);
            fold_double(g, mismatch.root_travel);
            fold_double(g, mismatch.root_travel_error);
            fold_v3(g, mismatch.ground_velocity);
            fold_double(g, mismatch.residual_cm_s);
            fold_bytes(g, mismatch.text, strlen(mismatch.text));
            sft_contact_labels_destroy(plain, NULL);
            sft_contact_labels_destroy(own, NULL);
            walker_release(&w);
        }
}

void scene_metrics(golden* g)
{
    walker w;
    make_walk(&w, 400, 60.0, 0.75);
    const int32_t frames = w.clip->frame_count;
    sft_v3d* tracks = calloc(7 * (size_t)frames, sizeof *tracks);
    if (tracks == NULL) fail("allocation");
    const sft_contact_input input = walk_input(&w, tracks);
    const sft_metrics_input metrics = {.tracks = &input, .labels = &w.labels, .contact_threshold = 0.75};
    sft_metrics_foot feet[2];
    sft_metrics_clip clip;
    if (sft_metrics_measure(&metrics, NULL, feet, &clip) != SFT_OK) fail("sft_metrics_measure");
    for (int foot = 0; foot < 2; ++foot)
    {
        fold_double(g, feet[foot].slide_mean_cm_s);
        fold_double(g, feet[foot].penetration_mean_cm);
        fold_double(g, feet[foot].float_max_cm);
    }
    fold_double(g, clip.pelvis_accel_p99);
    fold_double(g, clip.published.gmd_skating_ratio);
    fold_double(g, clip.published.kimodo_toe_speed);
    fold_double(g, clip.published.height_weighted_slide);
    fold_double(g, clip.published.edge_pfc);
    free(tracks);
    walker_release(&w);
}

/// The walk as BVH text, read back, put into a clip, changed, applied and written again.
void scene_bvh(golden* g)
{
    walker w;
    make_walk(&w, 120, 60.0, 1.0);
    sft_bvh *made = NULL, *back = NULL;
    sft_skeleton* skeleton = NULL;
    sft_clip* clip = NULL;
    char* text = NULL;
    size_t size = 0;
    if (sft_bvh_create(w.skeleton, w.clip, NULL, &made) != SFT_OK) fail("sft_bvh_create");
    if (sft_bvh_write(made, NULL, &text, &size) != SFT_OK) fail("sft_bvh_write");
    fold_bytes(g, text, size);
    const sft_bvh_read_def def = sft_default_bvh_read_def();
    if (sft_bvh_read(&def, text, size, NULL, &back, NULL) != SFT_OK) fail("sft_bvh_read");
    free(text);
    if (sft_bvh_to_clip(back, NULL, &skeleton, &clip) != SFT_OK) fail("sft_bvh_to_clip");
    fold_clip(g, clip);

    uint8_t mask[WALKER_JOINTS * 2] = {0};
    mask[WALKER_LEFT_HIP] = 1;
    const sft_quatd turn = sft_quatd_exp(sft_v3d_make(0.3, -0.2, 0.1));
    for (int32_t f = 0; f < clip->frame_count; ++f)
    {
        sft_quatd* q = &clip->rotations[(size_t)f * (size_t)clip->joint_count + WALKER_LEFT_HIP];
        *q = sft_quatd_mul(*q, turn);
    }
    const sft_space space = {.unit_metres = 1.0, .up = SFT_AXIS_Y};
    if (sft_bvh_apply(back, clip, &space, mask, NULL, NULL) != SFT_OK) fail("sft_bvh_apply");
    if (sft_bvh_write(back, NULL, &text, &size) != SFT_OK) fail("sft_bvh_write");
    fold_bytes(g, text, size);
    free(text);
    sft_clip_destroy(clip, NULL);
    sft_skeleton_destroy(skeleton, NULL);
    sft_bvh_destroy(back);
    sft_bvh_destroy(made);
    walker_release(&w);
}

static sft_io_document* fold_document(golden* g, const sft_io_document* document, sft_io_format format)
{
    void* bytes = NULL;
    size_t size = 0;
    sft_io_document* again = NULL;
    if (sft_io_write(document, format, NULL, &bytes, &size, NULL) != SFT_OK) fail("sft_io_write");
    fold_bytes(g, bytes, size);
    if (sft_io_read(NULL, bytes, size, NULL, &again, NULL) != SFT_OK) fail("sft_io_read");
    free(bytes);
    return again;
}

// A walk through BVH, GLB, a solved joint, glTF and BVH again: every byte that is written on the way.
void scene_convert(golden* g)
{
    walker w;
    make_walk(&w, 120, 60.0, 1.0);
    sft_bvh* made = NULL;
    char* text = NULL;
    size_t size = 0;
    sft_io_document *bvh = NULL, *fresh = NULL, *back = NULL;
    if (sft_bvh_create(w.skeleton, w.clip, NULL, &made) != SFT_OK) fail("sft_bvh_create");
    if (sft_bvh_write(made, NULL, &text, &size) != SFT_OK) fail("sft_bvh_write");
    if (sft_io_read(NULL, text, size, NULL, &bvh, NULL) != SFT_OK) fail("sft_io_read");
    free(text);
    sft_io_convert_def def = sft_default_io_convert_def();
    def.format = SFT_IO_GLB;
    def.clip_name = "walk";
    if (sft_io_convert(bvh, &def, NULL, &fresh, NULL, NULL) != SFT_OK) fail("sft_io_convert");
    sft_io_document* glb = fold_document(g, fresh, SFT_IO_GLB);

    sft_skeleton* skeleton = NULL;
    sft_clip* clip = NULL;
    sft_gltf_frames frames;
    if (sft_io_to_clip(glb, 0, NULL, NULL, &skeleton, &clip, &frames, NULL) != SFT_OK) fail("sft_io_to_clip");
    fold_clip(g, clip);
    uint8_t mask[WALKER_JOINTS * 2] = {0};
    mask[WALKER_LEFT_HIP] = 1;
    const sft_quatd turn = sft_quatd_exp(sft_v3d_make(0.3, -0.2, 0.1));
    for (int32_t f = 0; f < clip->frame_count; ++f)
    {
        sft_quatd* q = &clip->rotations[(size_t)f * (size_t)clip->joint_count + WALKER_LEFT_HIP];
        *q = sft_quatd_mul(*q, turn);
    }
    if (sft_io_apply(glb, 0, &frames, clip, NULL, mask, NULL, NULL, NULL, NULL) != SFT_OK) fail("sft_io_apply");
    sft_io_destroy(fold_document(g, glb, SFT_IO_GLB));
    sft_io_destroy(fold_document(g, glb, SFT_IO_GLTF));
    def.format = SFT_IO_BVH;
    if (sft_io_convert(glb, &def, NULL, &back, NULL, NULL) != SFT_OK) fail("sft_io_convert");
    sft_io_destroy(fold_document(g, back, SFT_IO_BVH));
    sft_clip_destroy(clip, NULL);
    sft_skeleton_destroy(skeleton, NULL);
    sft_io_destroy(back);
    sft_io_destroy(glb);
    sft_io_destroy(fresh);
    sft_io_destroy(bvh);
    sft_bvh_destroy(made);
    walker_release(&w);
}

void scene_legs(golden* g)
{
    walker w;
    make_walk(&w, 120, 60.0, 1.0);
    sft_leg legs[SFT_MAX_LEGS];
    int32_t count = 0;
    sft_space space;
    if (sft_leg_find(w.skeleton, w.clip, NULL, legs, SFT_MAX_LEGS, &count) != SFT_OK) fail("sft_leg_find");
    if (sft_clip_infer_space(w.skeleton, w.clip, NULL, &space) != SFT_OK) fail("sft_clip_infer_space");
    fold_double(g, (double)count);
    for (int32_t i = 0; i < count; ++i)
    {
        const int32_t joints[] = {legs[i].pelvis, legs[i].hip, legs[i].knee,
                                  legs[i].heel,   legs[i].toe, legs[i].toe_end};
        for (size_t j = 0; j < GOLDEN_COUNT_OF(joints); ++j)
            fold_double(g, (double)joints[j]);
        fold_v3(g, legs[i].knee_side);
        fold_double(g, legs[i].heel_min);
        fold_double(g, legs[i].toe_min);
    }
    fold_double(g, space.unit_metres);
    fold_double(g, space.figure_height);
    fold_double(g, (double)sft_clip_first_frame(w.skeleton, w.clip, NULL));
    fold_double(g, (double)sft_clip_travel_joint(w.skeleton, w.clip, w.first_frame));
    walker_release(&w);
}

/// The sliding walk cleaned on its own labels: legs, contacts and clean-up, end to end.
static void clean_walk(golden* g, const sft_cleanup_def* def, int32_t frames)
{
    walker w;
    make_walk(&w, frames, 60.0, 0.75);
    sft_leg legs[2];
    int32_t count = 0;
    sft_contact_mismatch mismatch;
    sft_cleanup_report report;
    if (sft_leg_find(w.skeleton, w.clip, NULL, legs, 2, &count) != SFT_OK || count != 2) fail("sft_leg_find");
    sft_contact_labels* labels = label_walk(&w, false, &mismatch);
    if (sft_cleanup_clip(def, w.skeleton, legs, count, labels, NULL, w.clip, NULL, &report) != SFT_OK)
        fail("sft_cleanup_clip");
    fold_clip(g, w.clip);
    fold_double(g, report.residual_m);
    fold_double(g, (double)report.iterations);
    fold_double(g, (double)report.miss_count);
    sft_cleanup_report_release(&report, NULL);
    sft_contact_labels_destroy(labels, NULL);
    walker_release(&w);
}

void scene_cleanup_direct(golden* g)
{
    sft_cleanup_def def = sft_default_cleanup_def();
    def.first_frame = 1;
    for (int way = SFT_GIVE_WAY_BOTH; way <= SFT_GIVE_WAY_ROOT; ++way)
    {
        def.give_way = (sft_give_way)way;
        clean_walk(g, &def, 300);
    }
    def.give_way = SFT_GIVE_WAY_BOTH;
    def.loop = true;
    clean_walk(g, &def, 240);
}

void scene_cleanup_relax(golden* g)
{
    sft_cleanup_def def = sft_default_cleanup_def();
    def.first_frame = 1;
    def.method = SFT_CLEANUP_RELAX;
    def.relax_sweeps = 500;
    clean_walk(g, &def, 150);
}

// ---- glTF ----

// Floats of a document as the percent escapes of a data URI, byte by byte in the order of the file.
static size_t put_float(char* text, float value)
{
    static const char digits[] = "0123456789abcdef";
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    for (int i = 0; i < 4; ++i)
    {
        const unsigned byte = (bits >> (8 * i)) & 255u;
        text[3 * i] = '%';
        text[3 * i + 1] = digits[byte >> 4];
        text[3 * i + 2] = digits[byte & 15u];
    }
    return 12;
}

// A matrix above, a mirror, uneven scales that shear what is below; keys that are not even; LINEAR, CUBICSPLINE and
// STEP.
static const char gltf_head[] =
    "{\"asset\":{\"version\":\"2.0\"},\"scenes\":[{\"nodes\":[0]}],\"nodes\":["
    "{\"children\":[1],\"matrix\":[0.01,0,0,0,0,0,-0.01,0,0,0.01,0,0,0.1,0.2,0.3,1]},"
    "{\"children\":[2],\"translation\":[1,2,3],\"rotation\":[0.36,0.48,0,0.8],\"scale\":[-2,2,2]},"
    "{\"children\":[3],\"translation\":[0,-4,1],\"scale\":[1.5,0.5,1.25]},"
    "{\"children\":[4],\"translation\":[3,-1,2],\"rotation\":[0,0.6,0,0.8],\"scale\":[0.7,1.1,0.9]},"
    "{\"translation\":[1,1,-2]}],\"skins\":[{\"joints\":[1,2,3,4]}],"
    "\"bufferViews\":[{\"buffer\":0,\"byteLength\":36},{\"buffer\":0,\"byteOffset\":36,\"byteLength\":144},"
    "{\"buffer\":0,\"byteOffset\":180,\"byteLength\":432},{\"buffer\":0,\"byteOffset\":612,\"byteLength\":108}],"
    "\"accessors\":[{\"bufferView\":0,\"componentType\":5126,\"count\":9,\"type\":\"SCALAR\"},"
    "{\"bufferView\":1,\"componentType\":5126,\"count\":9,\"type\":\"VEC4\"},"
    "{\"bufferView\":2,\"componentType\":5126,\"count\":27,\"type\":\"VEC4\"},"
    "{\"bufferView\":3,\"componentType\":5126,\"count\":9,\"type\":\"VEC3\"}],"
    "\"animations\":[{\"samplers\":[{\"input\":0,\"output\":1},"
    "{\"input\":0,\"output\":2,\"interpolation\":\"CUBICSPLINE\"},"
    "{\"input\":0,\"output\":3,\"interpolation\":\"STEP\"},{\"input\":0,\"output\":3}],\"channels\":["
    "{\"sampler\":0,\"target\":{\"node\":1,\"path\":\"rotation\"}},"
    "{\"sampler\":1,\"target\":{\"node\":2,\"path\":\"rotation\"}},"
    "{\"sampler\":0,\"target\":{\"node\":3,\"path\":\"rotation\"}},"
    "{\"sampler\":2,\"target\":{\"node\":3,\"path\":\"scale\"}},"
    "{\"sampler\":3,\"target\":{\"node\":1,\"path\":\"translation\"}}]}],"
    "\"buffers\":[{\"byteLength\":720,\"uri\":\"data:application/octet-stream,";

static sft_gltf* make_gltf(void)
{
    const size_t head = sizeof gltf_head - 1;
    char* text = malloc(head + 180 * 12 + 8);
    if (text == NULL) fail("gltf memory");
    memcpy(text, gltf_head, head);
    size_t n = head;
    uint64_t state = 11;
    double time = 0.125;
    for (int k = 0; k < 9; ++k, time += next(&state, 0.05, 0.2))
        n += put_float(text + n, (float)time);
    for (int k = 0; k < 36; ++k)
    {
        const sft_v3d v = next_v3(&state, 1.0);
        const sft_quatd q = sft_quatd_normalize((sft_quatd){v.x, v.y, v.z, 0.7});
        n += put_float(text + n, (float)q.x);
        n += put_float(text + n, (float)q.y);
        n += put_float(text + n, (float)q.z);
        n += put_float(text + n, (float)q.w);
    }
    for (int k = 0; k < 27; ++k)
        n += put_float(text + n, (float)next(&state, 0.5, 2.0));
    memcpy(text + n, "\"}]}", 4);
    sft_gltf* gltf;
    if (sft_gltf_read(NULL, text, n + 4, NULL, &gltf, NULL) != SFT_OK) fail("gltf_read");
    free(text);
    return gltf;
}

static void fold_gltf(golden* g, const sft_gltf* gltf, sft_clip** clip, sft_gltf_frames* frames)
{
    sft_skeleton* skeleton;
    if (sft_gltf_to_clip(gltf, 0, NULL, NULL, &skeleton, clip, frames, NULL) != SFT_OK) fail("gltf_to_clip");
    fold_clip(g, *clip);
    fold_double(g, frames->start);
    fold_double(g, frames->frame_time);
    fold_double(g, (double)frames->frame_count);
    sft_skeleton_destroy(skeleton, NULL);
}

// Out, changed, back (a key a frame, and fitted to the nine keys), out again. Only what no shear is above turns.
void scene_gltf(golden* g)
{
    const uint8_t turns[4] = {1, 1, 0, 0}, moves[4] = {1, 1, 1, 1};
    for (int keep = 0; keep < 2; ++keep)
    {
        sft_gltf* gltf = make_gltf();
        sft_clip *clip, *again;
        sft_gltf_frames frames;
        fold_gltf(g, gltf, &clip, &frames);
        uint64_t state = 12;
        for (int32_t i = 0; i < clip->frame_count * clip->joint_count; ++i)
        {
            clip->translations[i] = sft_v3d_add(clip->translations[i], next_v3(&state, 0.01));
            if (i % 4 < 2) clip->rotations[i] = sft_quatd_mul(clip->rotations[i], sft_quatd_exp(next_v3(&state, 0.3)));
        }
        sft_gltf_apply_def def = sft_default_gltf_apply_def();
        def.keep_keys = keep != 0;
        sft_gltf_applied applied;
        if (sft_gltf_apply(gltf, 0, &frames, clip, NULL, turns, moves, &def, &applied, NULL) != SFT_OK)
            fail("gltf_apply");
        fold_double(g, applied.rotation_error);
        fold_double(g, applied.translation_error);
        fold_gltf(g, gltf, &again, &frames);
        sft_clip_destroy(clip, NULL);
        sft_clip_destroy(again, NULL);
        sft_gltf_destroy(gltf);
    }
}
